/* active_set_prox.c: singular H, linear programs and everything badly scaled.
 *
 * Proximal steps  x⁺ = argmin f(x) + σ/2 ‖x − c‖²  over the constraints (Rockafellar 1976) keep the engine's G = H + σI positive definite
 * whatever H is; they end after finitely many for a linear program. What they would need many of, directions of small
 * curvature, is done at once: between two of them f itself is minimized on the working set (conjugate gradients in the basis J2 of its
 * null space, where almost all curvatures are one), up to the first constraint in the way. A direction without curvature that nothing
 * stops is the ray that proves the problem unbounded.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

#define ASP_CONVEX 1e-9      /* curvatures above minus this times the largest count as zero: data have rounded digits */
#define ASP_SIGMA 1e-6       /* σ relative to the largest entry of H: condition of J 1e3 */
#define ASP_SIGMA_LP 1e-2    /* σ when H = 0, where it only sets the length of a step */
#define ASP_OUTER 200
#define ASP_CG 60
#define ASP_FLAT 1e-13       /* a curvature below this times the largest one is none */
#define ASP_TARGET 1e-11     /* residuals below this need no more work */

typedef struct asp {
  po_as e;
  po_qp_scaling sc;
  double *g, *centre, *best;   /* scaled cost; proximal centre; best x so far (original units) */
  double *t1, *t2, *cg_r, *cg_p, *cg_s, *cg_m;
  double sigma, h_max;
  po_qp_solver *s;
  const po_qp *p;
  const po_qp_opts *opts;
} asp;

static void asp_layout(po_arena *a, asp *w, int n, int me, int mi) {
  int m = me + mi;
  po_as_layout(a, &w->e, n, m);
  w->e.me = me;
  w->e.H = po_arena_mat(a, n, n);
  w->e.A = po_arena_mat(a, me, n);
  w->e.C = po_arena_mat(a, mi, n);
  w->sc.col = PO_ARENA_ARRAY(a, double, n);
  w->sc.row = PO_ARENA_ARRAY(a, double, m);
  w->g = PO_ARENA_ARRAY(a, double, n);
  w->centre = PO_ARENA_ARRAY(a, double, n);
  w->best = PO_ARENA_ARRAY(a, double, 3 * n + m);
  w->t1 = PO_ARENA_ARRAY(a, double, n);
  w->t2 = PO_ARENA_ARRAY(a, double, n);
  w->cg_r = PO_ARENA_ARRAY(a, double, n);
  w->cg_p = PO_ARENA_ARRAY(a, double, n);
  w->cg_s = PO_ARENA_ARRAY(a, double, n);
  w->cg_m = PO_ARENA_ARRAY(a, double, n);
}

size_t po_qp_active_set_bytes(int n, int me, int mi) {
  po_arena a;
  asp w;
  po_arena_measure(&a);
  asp_layout(&a, &w, n, me, mi);
  return po_arena_used(&a);
}

/* ---- the scaled problem -------------------------------------------------------------------------------------------------- */

static void asp_build(asp *w) {
  po_as *e = &w->e;
  const po_qp *p = w->p;
  int i, j, n = e->n, m = e->m;
  for (i = 0; i < n; i++) {
    double d = w->sc.col[i];
    w->g[i] = p->g ? w->sc.cost * d * p->g[i] : 0;
    e->lo[m + i] = po_qp_lower(p->xl, i) / d;
    e->hi[m + i] = po_qp_upper(p->xu, i) / d;
    if (p->H.a)
      for (j = 0; j < n; j++) PO_AT(e->H, i, j) = w->sc.cost * d * w->sc.col[j] * PO_AT(p->H, i, j);
  }
  w->h_max = 0;
  if (p->H.a) w->h_max = po_norm_max(e->H);
  if (w->h_max == 0) e->H = po_mat_of(NULL, 0, 0, 0);
  for (i = 0; i < m; i++) {
    const double *from = i < p->me ? po_row(p->A, i) : po_row(p->C, i - p->me);
    double *to = i < p->me ? po_row(e->A, i) : po_row(e->C, i - p->me), r = w->sc.row[i], norm;
    for (j = 0; j < n; j++) to[j] = from[j] * r * w->sc.col[j];
    norm = po_norm2(to, n);
    e->norm[i] = norm > 0 ? 1 / norm : 1;
    e->lo[i] = i < p->me ? r * p->b[i] : r * po_qp_lower(p->cl, i - p->me);
    e->hi[i] = i < p->me ? r * p->b[i] : r * po_qp_upper(p->cu, i - p->me);
  }
}

/* L L' = H + shift I; 0 when that is not positive definite, with the failing pivot in *at. */
static int asp_cholesky(asp *w, double shift, int *at) {
  po_as *e = &w->e;
  int i, n = e->n;
  if (e->H.a) {
    po_mat_copy(e->L, e->H);
  } else {
    po_mat_zero(e->L);
  }
  for (i = 0; i < n; i++) PO_AT(e->L, i, i) += shift;
  return po_cholesky(e->L, e->L, at) == PO_OK;
}

/* After a failed factorization at row k: with L the factor of the leading block and h the row's left part, v = (−L^-T L^-1 h, 1, 0) has
 * v'(H + shift I)v = pivot <= 0. Refined by nothing: it is a certificate as it stands, and is checked. */
static void asp_negative_curvature(asp *w, int k) {
  po_as *e = &w->e;
  double *v = w->t1;
  po_mat lead = po_block(e->L, 0, 0, k, k);
  int i;
  memset(v, 0, sizeof *v * (size_t)e->n);
  for (i = 0; i < k; i++) v[i] = -PO_AT(e->H, k, i);
  po_trsv(lead, PO_LOWER, PO_N, PO_NON_UNIT, v);
  po_trsv(lead, PO_LOWER, PO_T, PO_NON_UNIT, v);
  v[k] = 1;
  for (i = 0; i < e->n; i++) w->s->ray[i] = v[i] * w->sc.col[i];
  w->s->has_ray = 1;
  w->s->status = PO_QP_NONCONVEX;
}

/* ---- from the engine to the answer ---------------------------------------------------------------------------------------- */

/* Multipliers m_i (by position, signed as the problem's: positive at a lower side) into y, z, w. */
static void asp_multipliers(asp *w, const double *u, double extra, int extra_k, int extra_side) {
  po_as *e = &w->e;
  po_qp_solver *s = w->s;
  int i, n = e->n, me = e->me, mi = e->m - e->me;
  memset(s->y, 0, sizeof(double) * (size_t)me);
  memset(s->z, 0, sizeof(double) * (size_t)mi);
  memset(s->w, 0, sizeof(double) * (size_t)n);
  for (i = 0; i <= e->q; i++) {
    int k = i < e->q ? e->work[i] : extra_k, side = i < e->q ? e->side[i] : extra_side;
    double f = side * (i < e->q ? u[i] : extra);
    if (k < 0) continue;
    if (k < me) s->y[k] = f * w->sc.row[k] / w->sc.cost;
    else if (k < e->m) s->z[k - me] = f * w->sc.row[k] / w->sc.cost;
    else s->w[k - e->m] = f / (w->sc.cost * w->sc.col[k - e->m]);
  }
}

/* x, y, z, w and the active set from the engine; bounds of W are met to the bit, and their multipliers take what stationarity asks. */
static void asp_export(asp *w) {
  po_as *e = &w->e;
  po_qp_solver *s = w->s;
  const po_qp *p = w->p;
  int i, k, n = e->n, mi = e->m - e->me;
  double *t = w->t1;
  for (i = 0; i < n; i++) s->x[i] = e->x[i] * w->sc.col[i];
  asp_multipliers(w, e->u, 0, -1, 0);
  for (k = 0; k < mi + n; k++) {
    double lo = k < mi ? po_qp_lower(p->cl, k) : po_qp_lower(p->xl, k - mi), hi = k < mi ? po_qp_upper(p->cu, k) : po_qp_upper(p->xu, k - mi);
    s->active[k] = (signed char)(lo == hi ? 2 : 0);
  }
  for (i = 0; i < e->q; i++) {
    k = e->work[i];
    if (k >= e->m) s->x[k - e->m] = e->side[i] > 0 ? p->xl[k - e->m] : p->xu[k - e->m];
    if (k >= e->me && s->active[k - e->me] != 2) s->active[k - e->me] = (signed char)-e->side[i];
  }
  if (p->H.a) po_gemv(t, p->H, s->x);
  else memset(t, 0, sizeof *t * (size_t)n);
  if (p->me) po_gemv_t_add(t, -1, p->A, s->y);
  if (mi) po_gemv_t_add(t, -1, p->C, s->z);
  for (i = 0; i < n; i++) {
    double need = t[i] + (p->g ? p->g[i] : 0);
    if (s->active[mi + i] == 2 || (s->active[mi + i] == -1 && need > 0) || (s->active[mi + i] == 1 && need < 0)) s->w[i] = need;
  }
}

/* ---- on the working set ---------------------------------------------------------------------------------------------------- */

/* grad = H x + g */
static void asp_gradient(asp *w, double *grad, const double *x) {
  if (w->e.H.a) po_gemv(grad, w->e.H, x);
  else memset(grad, 0, sizeof *grad * (size_t)w->e.n);
  po_axpy(grad, 1, w->g, w->e.n);
}

/* x += the smallest correction (in G) that puts it onto the working set's constraints. */
static void asp_onto_working_set(asp *w) {
  po_as *e = &w->e;
  int i;
  double *c = w->t1;
  for (i = 0; i < e->q; i++)
    c[i] = po_as_bound(e, e->work[i], e->side[i]) - e->side[i] * po_as_value(e, e->work[i], e->x);
  po_as_solve_rt(e, c);
  po_gemv_t_add(e->x, 1, po_block(e->JT, 0, 0, e->q, e->n), c);
}

/* u = R^-1 J1'(Hx + g): the multipliers that come nearest to stationarity for f itself. */
static void asp_multipliers_of_f(asp *w, double *u) {
  po_as *e = &w->e;
  asp_gradient(w, w->t1, e->x);
  po_gemv(u, po_block(e->JT, 0, 0, e->q, e->n), w->t1);
  po_as_solve_r(e, u, u);
}

/* Conjugate gradients for  min f(x + J2 s):  direction = J2 s into w->t2. Returns 1 when it is instead a direction of no curvature. */
static int asp_subspace_step(asp *w) {
  po_as *e = &w->e;
  int i, n = e->n, f = n - e->q, it;
  po_mat J2 = po_block(e->JT, e->q, 0, f, n); /* rows: columns of J2 */
  double rr, rr0;
  asp_gradient(w, w->t1, e->x);
  po_gemv(w->cg_r, J2, w->t1);
  for (i = 0; i < f; i++) {
    w->cg_r[i] = -w->cg_r[i];
    w->cg_p[i] = w->cg_r[i];
    w->cg_s[i] = 0;
  }
  rr = rr0 = po_dot(w->cg_r, w->cg_r, f);
  for (it = 0; it < ASP_CG && rr > 1e-30 * rr0 && rr > 0; it++) {
    double curvature = 0, size, alpha, next;
    po_gemv_t(w->t2, J2, w->cg_p);
    size = po_dot(w->t2, w->t2, n);
    if (e->H.a) {
      po_gemv(w->t1, e->H, w->t2);
      curvature = po_dot(w->t1, w->t2, n);
    }
    if (curvature <= ASP_FLAT * w->h_max * size) return 1;
    po_gemv(w->cg_m, J2, w->t1);
    alpha = rr / curvature;
    po_axpy(w->cg_s, alpha, w->cg_p, f);
    po_axpy(w->cg_r, -alpha, w->cg_m, f);
    next = po_dot(w->cg_r, w->cg_r, f);
    for (i = 0; i < f; i++) w->cg_p[i] = w->cg_r[i] + next / rr * w->cg_p[i];
    rr = next;
  }
  po_gemv_t(w->t2, J2, w->cg_s);
  return 0;
}

/* How far x may go along t2 before a constraint outside W is met, at most `longest`. */
static double asp_step_length(asp *w, double longest) {
  po_as *e = &w->e;
  int k;
  double norm = po_norm_inf(w->t2, e->n), t = longest;
  for (k = 0; k < e->m + e->n; k++) {
    double rate, room, noise;
    if (e->state[k] == 1) continue;
    rate = po_as_value(e, k, w->t2);
    noise = 1e-13 * norm * (k < e->m ? 1 / e->norm[k] : 1);
    if (po_abs(rate) <= noise) continue;
    room = rate > 0 ? e->hi[k] - po_as_value(e, k, e->x) : po_as_value(e, k, e->x) - e->lo[k];
    if (room < t * po_abs(rate)) t = po_max(room, 0) / po_abs(rate);
  }
  return t;
}

/* ---- the outer loop --------------------------------------------------------------------------------------------------------- */

typedef struct asp_score { double worst; int iteration; } asp_score;

/* Exports and keeps the best so far. 1: good enough to stop. */
static int asp_record(asp *w, asp_score *score) {
  po_qp_residual r;
  double worst;
  int n = w->e.n, me = w->e.me, mi = w->e.m - me;
  asp_export(w);
  po_qp_check_optimal(&r, w->s, w->p, w->opts);
  worst = po_max(r.primal / w->opts->tol_primal, po_max(r.dual / w->opts->tol_dual, r.gap / w->opts->tol_gap));
  if (worst < score->worst) {
    score->worst = worst;
    memcpy(w->best, w->s->x, sizeof(double) * (size_t)n);
    memcpy(w->best + n, w->s->w, sizeof(double) * (size_t)n);
    memcpy(w->best + 2 * n, w->s->y, sizeof(double) * (size_t)me);
    memcpy(w->best + 2 * n + me, w->s->z, sizeof(double) * (size_t)mi);
  }
  return r.primal <= ASP_TARGET && r.dual <= ASP_TARGET && r.gap <= ASP_TARGET * 10;
}

static void asp_restore(asp *w) {
  int n = w->e.n, me = w->e.me, mi = w->e.m - me;
  memcpy(w->s->x, w->best, sizeof(double) * (size_t)n);
  memcpy(w->s->w, w->best + n, sizeof(double) * (size_t)n);
  memcpy(w->s->y, w->best + 2 * n, sizeof(double) * (size_t)me);
  memcpy(w->s->z, w->best + 2 * n + me, sizeof(double) * (size_t)mi);
  po_qp_active_from_multipliers(w->s, w->p);
}

/* The engine says k cannot be met: believed when the ray checks. */
static int asp_infeasible(asp *w) {
  po_as *e = &w->e;
  int i;
  for (i = 0; i < e->q; i++) e->r[i] = -e->r[i];
  asp_multipliers(w, e->r, 1, e->conflict, e->conflict_side);
  for (i = 0; i < e->q; i++) e->r[i] = -e->r[i];
  if (!po_qp_check_infeasible(w->s, w->p, NULL)) return 0;
  w->s->status = PO_QP_INFEASIBLE;
  return 1;
}

/* One proximal subproblem. Returns 0 when the solve is over (status set). */
static int asp_subproblem(asp *w, int first) {
  po_as *e = &w->e;
  int i;
  for (i = 0; i < e->n; i++) e->g[i] = w->g[i] - w->sigma * w->centre[i];
  po_as_restart(e, !first);
  for (;;) {
    po_as_outcome outcome = po_as_dual(e);
    if (outcome == PO_AS_DONE) return 1;
    if (outcome == PO_AS_INFEASIBLE) {
      if (asp_infeasible(w)) return 0;
      e->state[e->conflict] = 2; /* violated by no more than rounding */
      continue;
    }
    w->s->status = PO_QP_ITERATION_LIMIT;
    return 0;
  }
}

static void asp_loop(asp *w) {
  po_as *e = &w->e;
  po_qp_solver *s = w->s;
  asp_score score = {PO_INF, 0};
  int it, i, n = e->n;
  for (it = 0; it < ASP_OUTER; it++) {
    int flat;
    double length;
    if (!asp_subproblem(w, it == 0)) break;
    asp_onto_working_set(w);
    if (w->sigma == 0 || asp_record(w, &score)) {
      asp_record(w, &score);
      s->status = PO_QP_OPTIMAL;
      break;
    }
    if (e->q == n) { /* a vertex */
      memcpy(w->centre, e->x, sizeof *e->x * (size_t)n);
      continue;
    }
    flat = asp_subspace_step(w);
    length = asp_step_length(w, flat ? PO_INF : 1);
    if (!(length < PO_INF)) {
      for (i = 0; i < n; i++) s->ray[i] = w->t2[i] * w->sc.col[i];
      if (po_qp_check_unbounded(s, w->p)) {
        asp_export(w);
        s->has_ray = 1;
        s->status = PO_QP_UNBOUNDED;
        break;
      }
      length = 1;
    }
    po_axpy(e->x, length, w->t2, n);
    memcpy(w->centre, e->x, sizeof *e->x * (size_t)n);
    if (!flat && length == 1) {
      double *u = w->cg_s;
      asp_onto_working_set(w);
      asp_multipliers_of_f(w, u);
      for (i = e->equalities; i < e->q; i++)
        if (u[i] < 0) break;
      if (i == e->q) {
        double *keep = e->u;
        e->u = u;
        i = asp_record(w, &score);
        e->u = keep;
        if (i) { s->status = PO_QP_OPTIMAL; break; }
      }
    }
  }
  s->iterations = e->changes;
  if (s->status == PO_QP_OPTIMAL || s->status == PO_QP_NUMERICAL || s->status == PO_QP_ITERATION_LIMIT) {
    if (score.worst < PO_INF) asp_restore(w);
    if (score.worst <= 1) s->status = PO_QP_OPTIMAL;
  }
}

void po_as_general(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  asp work, *w = &work;
  po_as *e = &w->e;
  int i, k, at = 0;
  memset(w, 0, sizeof *w);
  po_arena_release(&s->work, 0);
  w->s = s;
  w->p = p;
  w->opts = opts;
  asp_layout(&s->work, w, p->n, p->me, p->mi);
  po_qp_equilibrate(&w->sc, p, opts->scale ? 10 : 0, &s->scratch);
  asp_build(w);
  if (e->H.a && !asp_cholesky(w, ASP_CONVEX * w->h_max, &at)) {
    asp_negative_curvature(w, at);
    if (po_qp_check_nonconvex(s, p)) return;
  }
  w->sigma = e->H.a ? ASP_SIGMA * w->h_max : ASP_SIGMA_LP;
  if (!asp_cholesky(w, w->sigma, &at)) return;
  memset(e->state, 0, (size_t)(e->m + e->n));
  e->feasible = PO_AS_FEASIBLE;
  e->limit = opts->max_iterations ? opts->max_iterations : 20 * (e->m + e->n) + 200;
  po_as_reset(e);
  po_as_sizes(e);
  for (i = 0; i < e->n; i++) w->centre[i] = warm && warm->x ? warm->x[i] / w->sc.col[i] : po_clamp(0, e->lo[e->m + i], e->hi[e->m + i]);
  for (i = 0; i < e->n; i++) e->g[i] = w->g[i] - w->sigma * w->centre[i];
  po_as_solve_kkt(e, e->x, e->u, e->g, e->d);
  if (po_as_equalities(e) == PO_AS_INFEASIBLE) {
    if (!asp_infeasible(w)) s->status = PO_QP_NUMERICAL;
    return;
  }
  if (warm && warm->active)
    for (k = e->me; k < e->m + e->n; k++) {
      int a = warm->active[k - e->me], side = a < 0 ? 1 : -1;
      if (e->state[k] || (a != -1 && a != 1) || !po_isfinite(side > 0 ? e->lo[k] : e->hi[k]) || e->q == e->n) continue;
      po_as_project(e, k, side);
      if (po_norm2(e->d + e->q, e->n - e->q) > 1e-6 * e->size[k]) po_as_add(e, k, side, 0);
      s->warm = 1;
    }
  asp_loop(w);
}
