/* active_set_schur.c: strictly convex problems of control size: set-up, the solution of one working set, and the answer.
 *
 * S squares the condition of the factors in active_set_factor.c, so this is only ever a first try: the answer is refined against the data,
 * checked, and on any doubt the problem goes to the engine, with the working set found here as its start.
 */
#include "active_set_schur.h"

#include <math.h>
#include <string.h>

#define ASC_PIVOT_H 1e-9     /* smallest pivot of H relative to its diagonal: below, the proximal way is safer */
#define ASC_PIVOT 1e-12      /* smallest pivot of S relative to its diagonal that is still trusted */
#define ASC_TARGET 1e-12     /* residuals below this need no refinement, */
#define ASC_MARGIN 1e-3      /* nor those below this part of the tolerances */
#define ASC_VIOLATED 1e-10   /* relative to 1 + |bound| */

static void asc_layout(po_arena *a, po_asc *w, int n, int me, int mi) {
  int m = me + mi, k = m + n < PO_ASC_ROWS_MAX ? m + n : PO_ASC_ROWS_MAX;
  memset(w, 0, sizeof *w);
  w->n = n; w->me = me; w->m = m;
  w->d = PO_ARENA_ARRAY(a, int, n);
  w->e = PO_ARENA_ARRAY(a, int, n);
  w->kd = PO_ARENA_ARRAY(a, int, n);
  w->work = PO_ARENA_ARRAY(a, int, k);
  w->fixed = PO_ARENA_ARRAY(a, int, n);
  w->h = PO_ARENA_ARRAY(a, double, n);
  w->inverse = PO_ARENA_ARRAY(a, double, n);
  w->c = PO_ARENA_ARRAY(a, double, n);
  w->x0e = PO_ARENA_ARRAY(a, double, n);
  w->base = PO_ARENA_ARRAY(a, double, k);
  w->size = PO_ARENA_ARRAY(a, double, k + n);
  w->lo = PO_ARENA_ARRAY(a, double, k + n);
  w->hi = PO_ARENA_ARRAY(a, double, k + n);
  w->low = PO_ARENA_ARRAY(a, double, k + n);
  w->high = PO_ARENA_ARRAY(a, double, k + n);
  w->mult = PO_ARENA_ARRAY(a, double, k + n);
  w->target = PO_ARENA_ARRAY(a, double, k + n);
  w->excess = PO_ARENA_ARRAY(a, double, k + n);
  w->list = PO_ARENA_ARRAY(a, int, k + n);
  w->state = PO_ARENA_ARRAY(a, signed char, k + n);
  w->u = PO_ARENA_ARRAY(a, double, k);
  w->xe = PO_ARENA_ARRAY(a, double, n);
  w->ne_u = PO_ARENA_ARRAY(a, double, n);
  w->weight = PO_ARENA_ZARRAY(a, double, n + 4);
  w->value = PO_ARENA_ARRAY(a, double, k + n);
  w->t1 = PO_ARENA_ARRAY(a, double, n + k);
  w->t2 = PO_ARENA_ARRAY(a, double, n + k);
  w->t3 = PO_ARENA_ARRAY(a, double, n + k);
}

size_t po_as_schur_bytes(int n, int me, int mi) {
  po_arena a;
  po_asc w;
  int k = me + mi + n < PO_ASC_ROWS_MAX ? me + mi + n : PO_ASC_ROWS_MAX;
  po_arena_measure(&a);
  po_arena_alloc(&a, sizeof w);
  asc_layout(&a, &w, n, me, mi);
  /* L; V beside NE, whose columns add up to n; K, S */
  return po_arena_used(&a) + po_mat_bytes(n, n) + po_mat_bytes(k, n + 8) + 2 * po_mat_bytes(k, k) + 256;
}

/* ---- set-up -------------------------------------------------------------------------------------------------------------- */

static int asc_is_diagonal(const po_qp *p, int i) {
  const double *h = po_row(p->H, i);
  int j;
  for (j = 0; j < p->n; j++)
    if (h[j] != 0 && j != i) return 0;
  return 1;
}

/* D and E, and the matrices of their sizes. 0: too large for this way. */
static int asc_split(po_asc *w, const po_qp *p, po_arena *a) {
  int i, b = 0, left = p->h_block_count ? p->h_blocks[0] : 0;
  for (i = 0; i < p->n; i++) {
    int diagonal;
    if (p->h_block_count) {
      while (left == 0) left = p->h_blocks[++b];
      diagonal = left < 0 || p->h_blocks[b] == 1;
      left += left < 0 ? 1 : -1;
    } else {
      diagonal = asc_is_diagonal(p, i);
    }
    if (diagonal) w->e[w->ne++] = i;
    else w->d[w->nd++] = i;
  }
  w->nk = w->m;
  for (i = 0; i < w->nd; i++) {
    int j = w->d[i];
    if (po_qp_lower(p->xl, j) == -PO_INF && po_qp_upper(p->xu, j) == PO_INF) continue;
    if (w->nk == PO_ASC_ROWS_MAX) return 0;
    w->kd[w->nk++ - w->m] = i;
  }
  w->L = po_arena_mat_raw(a, w->nd, w->nd);
  w->V = po_arena_mat_raw(a, w->nk, w->nd);
  w->NE = po_arena_mat_raw(a, w->nk, w->ne);
  w->K = po_arena_mat_raw(a, w->nk, w->nk);
  w->S = po_arena_mat_raw(a, w->nk, w->nk);
  return !a->failed;
}

/* to (count) = from at the indices, which mostly follow each other. */
static void asc_gather(double *to, const double *from, const int *at, int count) {
  int j;
  if (count && at[count - 1] - at[0] == count - 1) {
    memcpy(to, from + at[0], sizeof *to * (size_t)count);
    return;
  }
  for (j = 0; j < count; j++) to[j] = from[at[j]];
}

/* H_D = L L', the diagonal of H_E. 0: not positive definite, or too near it. */
static int asc_factor_h(po_asc *w, const po_qp *p) {
  int i;
  for (i = 0; i < w->ne; i++) {
    double h = PO_AT(p->H, w->e[i], w->e[i]);
    if (!(h > 0)) return 0;
    w->h[i] = h;
    w->inverse[i] = 1 / h;
  }
  if (w->nd == 0) return 1;
  for (i = 0; i < w->nd; i++) {
    asc_gather(po_row(w->L, i), po_row(p->H, w->d[i]), w->d, i + 1);
    w->t1[i] = PO_AT(w->L, i, i);
  }
  if (po_cholesky(w->L, NULL, w->L) != PO_OK) return 0;
  for (i = 0; i < w->nd; i++)
    if (!(PO_AT(w->L, i, i) * PO_AT(w->L, i, i) > ASC_PIVOT_H * w->t1[i])) return 0;
  return 1;
}

static void asc_rows(po_asc *w, const po_qp *p) {
  int i, j;
  for (i = 0; i < w->nk; i++) {
    double *v = po_row(w->V, i), *ne = po_row(w->NE, i);
    if (i < w->m) {
      const double *row = i < w->me ? po_row(p->A, i) : po_row(p->C, i - w->me);
      asc_gather(v, row, w->d, w->nd);
      asc_gather(ne, row, w->e, w->ne);
    } else {
      memset(v, 0, sizeof *v * (size_t)w->nd);
      memset(ne, 0, sizeof *ne * (size_t)w->ne);
      v[w->kd[i - w->m]] = 1;
    }
    for (j = w->ne; j < w->NE.ld; j++) ne[j] = 0;
    w->size[i] = 0;
  }
  for (j = 0; j < w->ne; j++) w->size[w->nk + j] = 0;
  if (w->nd && w->nk) {
    po_trsm(w->V, w->L, PO_RIGHT, PO_LOWER, PO_T, PO_NON_UNIT);
    po_syrk(w->K, PO_LOWER, 0, 1, w->V, PO_N);
    po_mat_symmetrize(w->K, PO_LOWER);
  } else {
    po_mat_zero(w->K);
  }
}

/* The sides of constraint i, and where it counts as violated. */
static void asc_side_of(po_asc *w, int i, double lo, double hi) {
  w->lo[i] = lo;
  w->hi[i] = hi;
  w->low[i] = lo - ASC_VIOLATED * (1 + po_abs(lo));
  w->high[i] = hi + ASC_VIOLATED * (1 + po_abs(hi));
}

/* What changes with g and the bounds. */
static void asc_sides(po_asc *w, const po_qp *p) {
  int i, nk = w->nk;
  if (p->g) asc_gather(w->c, p->g, w->d, w->nd);
  else memset(w->c, 0, sizeof *w->c * (size_t)w->nd);
  if (w->nd) po_trsv(w->c, w->L, PO_LOWER, PO_N, PO_NON_UNIT);
  po_gemv(w->base, w->V, w->c);
  for (i = 0; i < w->ne; i++) {
    w->x0e[i] = p->g ? -p->g[w->e[i]] * w->inverse[i] : 0;
    asc_side_of(w, nk + i, po_qp_lower(p->xl, w->e[i]), po_qp_upper(p->xu, w->e[i]));
  }
  for (i = 0; i < nk; i++) {
    int k = i - w->me, j = i < w->m ? 0 : w->d[w->kd[i - w->m]];
    w->base[i] = -w->base[i];
    if (k < 0) asc_side_of(w, i, p->b[i], p->b[i]);
    else if (i < w->m) asc_side_of(w, i, po_qp_lower(p->cl, k), po_qp_upper(p->cu, k));
    else asc_side_of(w, i, po_qp_lower(p->xl, j), po_qp_upper(p->xu, j));
  }
}

/* Where constraint i (row, then E variable) stands in po_qp_result.active; −1: A's rows have no place there. */
static int asc_place(const po_asc *w, int i) {
  int mi = w->m - w->me;
  if (i < w->me) return -1;
  if (i < w->m) return i - w->me;
  if (i < w->nk) return mi + w->d[w->kd[i - w->m]];
  return mi + w->e[i - w->nk];
}

/* The first working set and multipliers: what the warm start says, where it makes sense. */
static void asc_start(po_asc *w, const po_qp_warm *warm) {
  int i, mi = w->m - w->me;
  for (i = 0; i < w->nk + w->ne; i++) {
    int at = asc_place(w, i), a = warm && warm->active && at >= 0 ? warm->active[at] : 0;
    double m = 0;
    if (w->lo[i] == w->hi[i]) a = 2;
    else if (a == -1) a = w->lo[i] > -PO_INF ? -1 : 0;
    else if (a == 1) a = w->hi[i] < PO_INF ? 1 : 0;
    else a = 0;
    if (a && a != 2 && warm->z && warm->w) m = at < mi ? warm->z[at] : warm->w[at - mi];
    w->state[i] = (signed char)a;
    w->mult[i] = a && po_asc_keeps(a, m, 0) ? m : 0;
  }
}

/* ---- one working set ------------------------------------------------------------------------------------------------------- */

/* S, factored. Returns −1, or the row that depends on those before it. */
static int asc_factor_s(po_asc *w) {
  int a, j, q = 0, f = 0, at = -1;
  po_mat S;
  for (a = 0; a < w->nk; a++)
    if (w->state[a]) w->work[q++] = a;
  for (j = 0; j < w->ne; j++) {
    w->weight[j] = w->inverse[j];
    if (w->state[w->nk + j]) {
      w->weight[j] = 0;
      w->fixed[f++] = j;
    }
  }
  w->q = q;
  w->f = f;
  if (q == 0) return -1;
  S = po_block(w->S, 0, 0, q, q);
  po_asc_gram(S, w->K, w->NE, w->weight, w->work, q);
  for (a = 0; a < q; a++) w->t1[a] = PO_AT(S, a, a);
  if (po_cholesky(S, &at, S) != PO_OK) return w->work[at < 0 ? 0 : at];
  for (a = 0; a < q; a++)
    if (!(PO_AT(S, a, a) * PO_AT(S, a, a) > ASC_PIVOT * w->t1[a])) return w->work[a];
  return -1;
}

static void asc_solve_s(const po_asc *w, double *r) { po_cholesky_solve(r, po_block(w->S, 0, 0, w->q, w->q)); }

/* t (ne) = Σ over W of u_a n_aE */
static void asc_rows_t(const po_asc *w, double *t, const double *u) {
  int a;
  memset(t, 0, sizeof *t * (size_t)w->ne);
  for (a = 0; a < w->q; a++) po_axpy(t, u[a], po_row(w->NE, w->work[a]), w->ne);
}

int po_asc_solve(po_asc *w) {
  int a, j, dependent = asc_factor_s(w);
  if (dependent >= 0) return dependent;
  memcpy(w->xe, w->x0e, sizeof *w->xe * (size_t)w->ne);
  for (a = 0; a < w->f; a++) w->xe[w->fixed[a]] = po_asc_side(w, w->nk + w->fixed[a]);
  for (a = 0; a < w->q; a++) {
    int k = w->work[a];
    w->u[a] = po_asc_side(w, k) - w->base[k] - po_dot(po_row(w->NE, k), w->xe, w->ne);
  }
  asc_solve_s(w, w->u);
  asc_rows_t(w, w->ne_u, w->u);
  for (a = 0; a < w->q; a++) w->target[w->work[a]] = w->u[a];
  for (j = 0; j < w->ne; j++) w->xe[j] += w->ne_u[j] * w->weight[j];
  for (a = 0; a < w->f; a++) {
    j = w->fixed[a];
    w->target[w->nk + j] = w->h[j] * (w->xe[j] - w->x0e[j]) - w->ne_u[j];
  }
  return -1;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------------ */

/* Multipliers of rows and of D's bounds to their places; x onto the bounds of W to the bit. */
static void asc_scatter(po_asc *w, po_qp_solver *s) {
  int a;
  for (a = 0; a < w->q; a++) {
    int k = w->work[a];
    if (k < w->me) s->y[k] = w->u[a];
    else if (k < w->m) s->z[k - w->me] = w->u[a];
    else {
      int j = w->d[w->kd[k - w->m]];
      s->w[j] = w->u[a];
      s->x[j] = po_asc_side(w, k);
    }
  }
}

/* x = (L^-T (V_W'u − c), x_E), multipliers, active set. */
static void asc_export(po_asc *w, po_qp_solver *s) {
  int a, i, mi = w->m - w->me;
  double *t = w->t2;
  for (i = 0; i < w->nd; i++) t[i] = -w->c[i];
  for (a = 0; a < w->q; a++) po_axpy(t, w->u[a], po_row(w->V, w->work[a]), w->nd);
  if (w->nd) po_trsv(t, w->L, PO_LOWER, PO_T, PO_NON_UNIT);
  for (i = 0; i < w->nd; i++) s->x[w->d[i]] = t[i];
  for (i = 0; i < w->ne; i++) s->x[w->e[i]] = w->xe[i];
  memset(s->y, 0, sizeof(double) * (size_t)w->me);
  memset(s->z, 0, sizeof(double) * (size_t)mi);
  memset(s->w, 0, sizeof(double) * (size_t)w->n);
  memset(s->active, 0, (size_t)(mi + w->n));
  for (i = 0; i < w->nk + w->ne; i++) {
    int at = asc_place(w, i);
    if (at >= 0) s->active[at] = w->state[i];
  }
  asc_scatter(w, s);
  for (a = 0; a < w->f; a++) {
    i = w->nk + w->fixed[a];
    s->w[w->e[w->fixed[a]]] = po_asc_keeps(w->state[i], w->target[i], 0) ? w->target[i] : 0;
  }
}

/* grad (n) = Hx + g − A'y − C'z, the rows' values into w->value. */
static void asc_residual(po_asc *w, po_qp_solver *s, const po_qp *p, double *grad) {
  int mi = w->m - w->me;
  po_gemv(grad, p->H, s->x);
  if (p->g) po_axpy(grad, 1, p->g, w->n);
  if (w->me) {
    po_gemv_t_add(grad, -1, p->A, s->y);
    po_gemv(w->value, p->A, s->x);
  }
  if (mi) {
    po_gemv_t_add(grad, -1, p->C, s->z);
    po_gemv(w->value + w->me, p->C, s->x);
  }
}

/* One step of refinement on the working set, against the data themselves. */
static void asc_refine(po_asc *w, po_qp_solver *s, const po_qp *p) {
  int a, i, j;
  double *grad = w->t1, *rd = w->t2, *du = w->excess, *te = w->t3;
  asc_residual(w, s, p, grad);
  for (i = 0; i < w->nd; i++) rd[i] = grad[w->d[i]] - s->w[w->d[i]];
  if (w->nd) po_trsv(rd, w->L, PO_LOWER, PO_N, PO_NON_UNIT);
  for (j = 0; j < w->ne; j++) te[j] = grad[w->e[j]] * w->weight[j];
  for (a = 0; a < w->q; a++) {
    int k = w->work[a];
    double value = k < w->m ? w->value[k] : s->x[w->d[w->kd[k - w->m]]];
    du[a] = po_asc_side(w, k) - value + po_dot(po_row(w->V, k), rd, w->nd) + po_dot(po_row(w->NE, k), te, w->ne);
  }
  asc_solve_s(w, du);
  for (i = 0; i < w->nd; i++) rd[i] = -rd[i];
  for (a = 0; a < w->q; a++) {
    po_axpy(rd, du[a], po_row(w->V, w->work[a]), w->nd);
    w->u[a] += du[a];
  }
  if (w->nd) po_trsv(rd, w->L, PO_LOWER, PO_T, PO_NON_UNIT);
  for (i = 0; i < w->nd; i++) s->x[w->d[i]] += rd[i];
  asc_rows_t(w, w->ne_u, du);
  for (j = 0; j < w->ne; j++)
    if (w->weight[j] != 0) s->x[w->e[j]] += w->ne_u[j] * w->weight[j] - te[j];
  asc_scatter(w, s);
  asc_residual(w, s, p, grad); /* the multipliers of E's bounds take what stationarity asks */
  for (a = 0; a < w->f; a++) {
    i = w->e[w->fixed[a]];
    s->w[i] = po_asc_keeps(w->state[w->nk + w->fixed[a]], grad[i], 0) ? grad[i] : 0;
  }
}

/* Refines until the residuals leave nothing to gain. 1: optimal. */
static int asc_finish(po_asc *w, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts) {
  int step;
  double before = PO_INF, target = po_max(ASC_TARGET, ASC_MARGIN * po_min(opts->tol_primal, po_min(opts->tol_dual, opts->tol_gap)));
  for (step = 0;; step++) {
    double worst;
    s->checked = po_qp_check_optimal(&s->residual, s, p, opts);
    worst = po_max(s->residual.primal, po_max(s->residual.dual, s->residual.gap));
    if (worst <= target || worst > 0.5 * before || step >= opts->refine) return s->checked;
    before = worst;
    asc_refine(w, s, p);
  }
}

int po_as_schur(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm, int *guessed) {
  po_asc *w;
  int keep = s->schur_valid && p->same_H, found;
  *guessed = 0;
  if (!p->H.a || p->me + p->mi > PO_ASC_ROWS_MAX) return 0;
  po_arena_release(&s->work, 0);
  w = PO_ARENA_ARRAY(&s->work, po_asc, 1);
  if (!keep) {
    s->schur_valid = 0;
    asc_layout(&s->work, w, p->n, p->me, p->mi);
    if (!asc_split(w, p, &s->work) || !asc_factor_h(w, p)) return 0;
  }
  if (!keep || !p->same_rows) asc_rows(w, p);
  s->schur_valid = 1;
  asc_sides(w, p);
  asc_start(w, warm);
  found = po_asc_iterate(w, &s->iterations, opts->max_iterations);
  asc_export(w, s);
  *guessed = 1;
  if (!found || !asc_finish(w, s, p, opts)) return 0;
  s->status = PO_QP_OPTIMAL;
  s->warm = warm != NULL;
  return 1;
}
