/* ip_build.c: from the caller's problem to the core problem that the interior-point engine iterates on, and back.
 *
 * Variables with equal bounds and rows without bounds are taken out; rows with equal bounds become equalities, which stand
 * first. Variables that H couples stand before those that only have a diagonal entry, so that the factor of K has an order
 * as small as the coupling allows. Everything is scaled by the powers of two of scaling.c, which costs no digit. */
#include "ip_internal.h"
#include <math.h>
#include <string.h>

/* A range narrower than this, relative, has no interior worth a barrier: it is an equality with the middle. */
#define IPB_NARROW 1e-11
#define IPB_CORRECTORS_MAX 3.0
#define IPB_CORRECTOR_PRICE 4.0 /* solves run at a fraction of the speed of factorizations, and a corrector saves a tenth of one */

typedef struct ipb_range {
  double lo, hi;
} ipb_range;

static ipb_range ipb_as_kind(double lo, double hi, ip_kind kind) {
  ipb_range b;
  b.lo = lo;
  b.hi = hi;
  if (kind == IP_RAY) { /* a direction must not run towards a finite bound */
    if (b.lo > -PO_INF) b.lo = 0;
    if (b.hi < PO_INF) b.hi = 0;
  } else if (b.lo > -PO_INF && b.lo < b.hi && b.hi - b.lo <= IPB_NARROW * po_max(1.0, po_abs(b.lo))) {
    b.lo = b.hi = 0.5 * (b.lo + b.hi);
  }
  return b;
}
static ipb_range ipb_bounds(const po_qp *p, int j, ip_kind kind) {
  return ipb_as_kind(po_qp_lower(p->xl, j), po_qp_upper(p->xu, j), kind);
}
static ipb_range ipb_row_range(const po_qp *p, int i, ip_kind kind) { /* i counts A's rows first */
  if (i < p->me) return ipb_as_kind(p->b[i], p->b[i], kind);
  return ipb_as_kind(po_qp_lower(p->cl, i - p->me), po_qp_upper(p->cu, i - p->me), kind);
}
static const double *ipb_row(const po_qp *p, int i) {
  return i < p->me ? po_row(p->A, i) : po_row(p->C, i - p->me);
}

void po_ip_layout(ip_core *c, po_arena *arena, int n, int me, int mi) {
  int m = me + mi, sides = 2 * (n + mi), both = n + m;
  memset(c, 0, sizeof *c);
  /* more than 2n rows are never kept for the Schur complement: they are condensed into K */
  c->schur_max = m < 2 * n + 8 ? m : 2 * n + 8;
  c->H = po_arena_mat_raw(arena, n, n);
  c->K = po_arena_mat_raw(arena, n, n);
  c->G = po_arena_mat_raw(arena, m, n);
  c->W = po_arena_mat_raw(arena, m, n);
  c->S = po_arena_mat_raw(arena, c->schur_max, c->schur_max);
  c->S0 = po_arena_mat_raw(arena, c->schur_max, c->schur_max);
  double **small[] = {&c->v, &c->dv, &c->kept_dv, &c->D, &c->c};
  double **of_n[] = {&c->hdiag, &c->g, &c->col_scale, &c->x_fixed, &c->w, &c->hx, &c->rd, &c->r1, &c->e1, &c->q1, &c->kdiag, &c->best_x};
  double **of_m[] = {&c->lo, &c->hi, &c->row_scale, &c->row_norm, &c->lam, &c->kept_dlam, &c->rp, &c->dlam, &c->r2, &c->e2, &c->q2, &c->E, &c->best_lam};
  double **of_sides[] = {&c->sign, &c->beta, &c->t, &c->z, &c->r, &c->dt, &c->dz, &c->kept_dt, &c->kept_dz, &c->rc, &c->best_t, &c->best_z};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) *small[i] = PO_ARENA_ARRAY(arena, double, both);
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = PO_ARENA_ARRAY(arena, double, n);
  for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++) *of_m[i] = PO_ARENA_ARRAY(arena, double, m);
  for (size_t i = 0; i < sizeof of_sides / sizeof *of_sides; i++) *of_sides[i] = PO_ARENA_ARRAY(arena, double, sides);
  c->state = PO_ARENA_ZARRAY(arena, signed char, both);
  c->state_before = PO_ARENA_ZARRAY(arena, signed char, both);
  c->side = PO_ARENA_ARRAY(arena, int, sides);
  c->var = PO_ARENA_ARRAY(arena, int, n);
  c->row = PO_ARENA_ARRAY(arena, int, m);
}

size_t po_qp_interior_point_bytes(int n, int me, int mi) {
  po_arena a;
  ip_core c;
  po_arena_measure(&a);
  (void)po_arena_alloc(&a, sizeof(ip_core));
  po_ip_layout(&c, &a, n, me, mi);
  return po_arena_used(&a);
}

/* ---- which variables, in which order ----------------------------------------------------------------------------------- */

/* 1 when H couples variable j with another kept one. Kept variables have x_fixed = NaN at this point. */
static int ipb_coupled(const ip_core *c, const po_qp *p, int j) {
  const double *h = po_row(p->H, j);
  for (int k = 0; k < p->n; k++)
    if (h[k] != 0.0 && k != j && c->x_fixed[k] != c->x_fixed[k]) return 1;
  return 0;
}

/* Marks coupled variables in r1 (scratch): by the caller's promise when there is one, else by looking. */
static void ipb_mark_coupled(ip_core *c, const po_qp *p) {
  double *coupled = c->r1;
  int j = 0;
  for (int k = 0; k < p->n; k++) coupled[k] = 0;
  if (!p->H.a) return;
  if (p->h_blocks && p->h_block_count > 0) {
    for (int b = 0; b < p->h_block_count; b++) {
      int size = p->h_blocks[b], k;
      for (k = 0; k < (size < 0 ? -size : size) && j < p->n; k++, j++) coupled[j] = size > 1;
    }
    return;
  }
  for (j = 0; j < p->n; j++)
    if (c->x_fixed[j] != c->x_fixed[j]) coupled[j] = ipb_coupled(c, p, j);
}

static void ipb_order_variables(ip_core *c, const po_qp *p) {
  c->n = c->nd = 0;
  c->x_fixed_max = 0;
  for (int j = 0; j < p->n; j++) {
    ipb_range b = ipb_bounds(p, j, c->kind);
    c->x_fixed[j] = b.lo == b.hi ? b.lo : PO_NAN;
    if (b.lo == b.hi) c->x_fixed_max = po_max(c->x_fixed_max, po_abs(b.lo));
  }
  ipb_mark_coupled(c, p);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < p->n; j++)
      if (c->x_fixed[j] != c->x_fixed[j] && (c->r1[j] != 0) == (pass == 0)) {
        c->var[c->n++] = j;
        if (pass == 0) c->nd++;
      }
}

/* ---- the cost ------------------------------------------------------------------------------------------------------------ */

static void ipb_cost(ip_core *c, const po_qp *p) {
  double zero_cost = c->kind == IP_FEAS ? 0.0 : c->cost, fixed_objective = p->constant;
  int some_fixed = c->n < p->n && c->x_fixed_max > 0;
  c->H = po_mat_of(c->H.a, c->nd, c->nd, c->H.ld);
  for (int i = 0; i < c->nd; i++) {
    const double *h = po_row(p->H, c->var[i]);
    double *to = po_row(c->H, i), di = c->cost * c->col_scale[c->var[i]];
    for (int j = 0; j < c->nd; j++) to[j] = di * h[c->var[j]] * c->col_scale[c->var[j]];
    c->hdiag[i] = 0;
  }
  for (int i = c->nd; i < c->n; i++) {
    int j = c->var[i];
    c->hdiag[i] = p->H.a ? c->cost * c->col_scale[j] * PO_AT(p->H, j, j) * c->col_scale[j] : 0.0;
  }
  c->g_norm = p->g ? po_norm_inf(p->g, p->n) : 0.0;
  for (int i = 0; i < c->n; i++) {
    int j = c->var[i];
    double gj = p->g ? p->g[j] : 0.0;
    if (some_fixed && p->H.a)
      for (int k = 0; k < p->n; k++)
        if (c->x_fixed[k] == c->x_fixed[k]) gj += PO_AT(p->H, j, k) * c->x_fixed[k];
    c->g[i] = zero_cost * c->col_scale[j] * gj;
  }
  if (some_fixed)
    for (int k = 0; k < p->n; k++)
      if (c->x_fixed[k] == c->x_fixed[k]) {
        double half_hx = 0;
        if (p->H.a)
          for (int j = 0; j < p->n; j++)
            if (c->x_fixed[j] == c->x_fixed[j]) half_hx += 0.5 * PO_AT(p->H, k, j) * c->x_fixed[j];
        fixed_objective += c->x_fixed[k] * (half_hx + (p->g ? p->g[k] : 0.0));
      }
  c->constant = fixed_objective;
}

/* ---- the rows ------------------------------------------------------------------------------------------------------------ */

/* As po_norm_inf for finite numbers, in four chains: a row's norm is one of the larger costs of a small solve. */
static double ipb_largest(const double *a, int n) {
  double t0 = 0, t1 = 0, t2 = 0, t3 = 0;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    t0 = po_max(po_abs(a[j]), t0);
    t1 = po_max(po_abs(a[j + 1]), t1);
    t2 = po_max(po_abs(a[j + 2]), t2);
    t3 = po_max(po_abs(a[j + 3]), t3);
  }
  for (; j < n; j++) t0 = po_max(po_abs(a[j]), t0);
  return po_max(po_max(t0, t1), po_max(t2, t3));
}

/* Scaled coefficients of the caller's row i in place `to`; returns what eliminated variables contribute. */
static double ipb_fill_row(ip_core *c, const po_qp *p, int i, double *to, double *norm, double *kept_norm) {
  const double *a = ipb_row(p, i);
  double e = c->row_scale[i], shift = 0;
  *norm = ipb_largest(a, p->n);
  for (int j = 0; j < c->n; j++) to[j] = e * a[c->var[j]] * c->col_scale[c->var[j]];
  *kept_norm = c->n == p->n ? *norm : ipb_largest(to, c->n);
  if (c->n < p->n && c->x_fixed_max > 0)
    for (int k = 0; k < p->n; k++)
      if (c->x_fixed[k] == c->x_fixed[k]) shift += a[k] * c->x_fixed[k];
  return shift;
}

static int ipb_rows(ip_core *c, const po_qp *p, double tol, int *row_at, double *row_sign) {
  int all = p->me + p->mi;
  c->m = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < all; i++) {
      ipb_range b = ipb_row_range(p, i, c->kind);
      double norm, kept, shift;
      if ((b.lo == b.hi) != (pass == 0) || (b.lo == -PO_INF && b.hi == PO_INF)) continue;
      c->G = po_mat_of(c->G.a, c->m + 1, c->n, c->G.ld);
      shift = ipb_fill_row(c, p, i, po_row(c->G, c->m), &norm, &kept);
      if (kept == 0.0) { /* nothing left to move: the row holds or it does not */
        double room = tol * (1.0 + norm * c->x_fixed_max);
        if (c->kind == IP_MAIN && (shift < b.lo - room || shift > b.hi + room)) {
          *row_at = i;
          *row_sign = shift < b.lo ? 1.0 : -1.0;
          return 0;
        }
        continue;
      }
      c->row[c->m] = i;
      c->row_norm[c->m] = norm;
      c->lo[c->m] = (b.lo - shift) * c->row_scale[i];
      c->hi[c->m] = (b.hi - shift) * c->row_scale[i];
      c->m++;
    }
    if (pass == 0) c->ne = c->m;
  }
  c->G = po_mat_of(c->G.a, c->m, c->n, c->G.ld);
  c->W = po_mat_of(c->W.a, c->m, c->n, c->W.ld);
  return 1;
}

static void ipb_add_side(ip_core *c, int of, double sign, double bound) {
  c->side[c->ns] = of;
  c->sign[c->ns] = sign;
  c->beta[c->ns] = sign * bound;
  c->ns++;
}

static void ipb_sides(ip_core *c, const po_qp *p) {
  c->ns = 0;
  c->dense_constant = 1;
  for (int i = c->ne; i < c->m; i++) {
    if (c->lo[i] > -PO_INF) ipb_add_side(c, i, 1.0, c->lo[i]);
    if (c->hi[i] < PO_INF) ipb_add_side(c, i, -1.0, c->hi[i]);
  }
  c->ns_rows = c->ns;
  for (int j = 0; j < c->n; j++) {
    ipb_range b = ipb_bounds(p, c->var[j], c->kind);
    double d = c->col_scale[c->var[j]];
    if (b.lo > -PO_INF) ipb_add_side(c, c->m + j, 1.0, b.lo / d);
    if (b.hi < PO_INF) ipb_add_side(c, c->m + j, -1.0, b.hi / d);
    if (j < c->nd && (b.lo > -PO_INF || b.hi < PO_INF)) c->dense_constant = 0;
  }
}

/* Which rows are condensed into K: none, or all inequalities, by the count of multiplications per factorization. The same count
 * says how many further correctors, each of which costs a solve, are worth a factorization saved. */
static void ipb_choose_elimination(ip_core *c) {
  double n = c->n, nd = c->nd, m = c->m, ne = c->ne, ni = c->m - c->ne;
  double schur = nd * nd * nd / 6 + m * nd * nd / 2 + m * m * n / 2 + m * m * m / 6;
  double condensed = n * n * n / 6 + ni * n * n / 2 + ne * n * n / 2 + ne * ne * n / 2 + ne * ne * ne / 6;
  double solve = 2 * m * n + n + m;
  if (c->dense_constant) schur = m * m * (n - nd) / 2 + m * m * m / 6;
  if (c->m <= c->schur_max && schur <= condensed) {
    c->ms = c->m;
    c->nk = c->nd;
  } else {
    c->ms = c->ne < c->schur_max ? c->ne : c->schur_max;
    c->nk = c->n;
    c->dense_constant = 0;
    schur = condensed;
  }
  solve += (double)c->nk * c->nk + (double)c->ms * c->ms;
  c->correctors = solve > 0 ? (int)po_min(IPB_CORRECTORS_MAX, schur / (IPB_CORRECTOR_PRICE * solve)) : 0; /* nothing free: 0/0 */
  c->K = po_mat_of(c->K.a, c->nk, c->nk, c->K.ld);
  c->S = po_mat_of(c->S.a, c->ms, c->ms, c->S.ld);
  c->S0 = po_mat_of(c->S0.a, c->ms, c->ms, c->S0.ld);
}

int po_ip_build(ip_core *c, const po_qp *p, ip_kind kind, double tol, int *row_at, double *row_sign) {
  c->kind = kind;
  c->h_weight = kind == IP_FEAS ? 0.0 : 1.0;
  c->prox = kind == IP_RAY ? 1.0 : 0.0;
  c->elastic = kind == IP_FEAS ? 1.0 : 0.0;
  c->rho = IP_RHO;
  c->delta = IP_DELTA;
  c->rho_min = c->delta_min = IP_REG_MIN;
  c->refine = 0;
  c->mu_floor = IP_MU_FLOOR;
  c->goal_primal = c->goal_dual = 0;
  c->dense_ready = 0;
  c->best_merit = PO_INF;
  ipb_order_variables(c, p);
  ipb_cost(c, p);
  if (!ipb_rows(c, p, tol, row_at, row_sign)) return 0;
  c->x = c->v + c->m;
  c->dx = c->dv + c->m;
  ipb_sides(c, p);
  ipb_choose_elimination(c);
  return 1;
}

/* ---- the way back -------------------------------------------------------------------------------------------------------- */

/* Multipliers of eliminated variables are whatever stationarity asks for: w = Hx + g − A'y − C'z there (H and g left out for rays). */
static void ipb_fixed_multipliers(const ip_core *c, const po_qp *p, po_qp_solver *s, int with_cost) {
  for (int j = 0; j < p->n; j++) {
    double r = 0;
    if (c->x_fixed[j] != c->x_fixed[j]) continue;
    if (with_cost && p->H.a) r += po_dot(po_row(p->H, j), s->x, p->n);
    if (with_cost && p->g) r += p->g[j];
    for (int i = 0; i < p->me; i++) r -= PO_AT(p->A, i, j) * s->y[i];
    for (int i = 0; i < p->mi; i++) r -= PO_AT(p->C, i, j) * s->z[i];
    s->w[j] = r;
  }
}

void po_ip_export_x(const ip_core *c, const po_qp *p, double *x) {
  for (int j = 0; j < p->n; j++) x[j] = c->x_fixed[j];
  for (int i = 0; i < c->n; i++) {
    int j = c->var[i];
    ipb_range b = ipb_bounds(p, j, c->kind);
    x[j] = po_clamp(c->col_scale[j] * c->x[i], b.lo, b.hi);
  }
}

void po_ip_export_multipliers(const ip_core *c, const po_qp *p, po_qp_solver *s, int with_cost) {
  for (int i = 0; i < p->me; i++) s->y[i] = 0;
  for (int i = 0; i < p->mi; i++) s->z[i] = 0;
  for (int i = 0; i < c->m; i++) {
    int r = c->row[i];
    double value = c->row_scale[r] * c->lam[i] / c->cost;
    if (r < p->me) s->y[r] = value;
    else s->z[r - p->me] = value;
  }
  for (int i = 0; i < c->n; i++) s->w[c->var[i]] = c->w[i] / (c->cost * c->col_scale[c->var[i]]);
  if (c->n < p->n) ipb_fixed_multipliers(c, p, s, with_cost);
}
