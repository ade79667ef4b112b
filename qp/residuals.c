/* residuals.c: what must hold before a status is believed.
 *
 * Both methods end here. The functions read the caller's own data, not scaled or factored copies, so that nothing a method did
 * wrong on the way can hide.
 */
#include "qp_internal.h"

#include <math.h>
#include <string.h>

/* Accumulates one row (NULL: a bound) of n entries: its violation relative to 1 + ‖row‖‖x‖, its complementarity m (value − bound),
 * multipliers on infinite bounds. Norms are only taken of rows that can matter: most of a check's time was spent on them. */
typedef struct res_sums { double primal, gap, lost, x_norm; int n; } res_sums;
static void res_row(res_sums *s, double value, double lo, double hi, double m, const double *row) {
  double violation = po_max(lo - value, value - hi);
  if (violation > s->primal) {
    double size = row ? po_norm_inf(row, s->n) : 1;
    s->primal = po_max(s->primal, violation / (1 + size * s->x_norm));
  }
  if (m != 0) {
    double bound = m > 0 ? lo : hi;
    if (po_isfinite(bound)) s->gap += m * (value - bound);
    else s->lost = po_max(s->lost, po_abs(m) * (row ? po_norm_inf(row, s->n) : 1));
  }
}

po_status po_qp_residuals(po_qp_residual *out, const po_qp *p, const double *x, const double *y, const double *z, const double *w,
                          po_arena *scratch) {
  size_t mark;
  int i, n;
  double *hx, *t, *row, quad = 0, linear = 0, dual = 0, t_norm = 0, h_norm, g_norm = 0;
  res_sums s;
  if (!out || !p || !x || !w || (p->me && !y) || (p->mi && !z) || !scratch) return PO_ERR_NULL;
  n = p->n;
  mark = po_arena_mark(scratch);
  hx = PO_ARENA_ARRAY(scratch, double, n);
  t = PO_ARENA_ARRAY(scratch, double, n);
  row = PO_ARENA_ARRAY(scratch, double, p->me > p->mi ? p->me : p->mi);
  if (!hx || !t || !row) {
    po_arena_release(scratch, mark);
    return PO_ERR_MEMORY;
  }
  memset(&s, 0, sizeof s);
  s.n = n;
  s.x_norm = po_norm_inf(x, n);
  if (p->H.a) po_gemv(hx, p->H, x);
  else memset(hx, 0, sizeof *hx * (size_t)n);
  h_norm = po_norm_inf(hx, n);
  memcpy(t, w, sizeof *t * (size_t)n);
  if (p->me) po_gemv_t_add(t, 1, p->A, y);
  if (p->mi) po_gemv_t_add(t, 1, p->C, z);
  for (i = 0; i < n; i++) {
    double g = p->g ? p->g[i] : 0, r = hx[i] + g - t[i];
    quad += x[i] * hx[i];
    linear += g * x[i];
    dual = po_max(dual, po_abs(r));
    t_norm = po_max(t_norm, po_abs(t[i]));
    g_norm = po_max(g_norm, po_abs(g));
    s.gap += x[i] * r; /* primal − dual = x'(Hx+g−A'y−C'z−w) + Σ multiplier·(row value − bound), free of cancellation */
    res_row(&s, x[i], po_qp_lower(p->xl, i), po_qp_upper(p->xu, i), w[i], NULL);
  }
  if (p->me) po_gemv(row, p->A, x);
  for (i = 0; i < p->me; i++) res_row(&s, row[i], p->b[i], p->b[i], y[i], po_row(p->A, i));
  if (p->mi) po_gemv(row, p->C, x);
  for (i = 0; i < p->mi; i++)
    res_row(&s, row[i], po_qp_lower(p->cl, i), po_qp_upper(p->cu, i), z[i], po_row(p->C, i));
  po_arena_release(scratch, mark);
  out->objective = 0.5 * quad + linear + p->constant;
  out->primal = s.primal;
  out->dual = po_max(dual, s.lost) / (1 + po_max(h_norm, po_max(g_norm, t_norm)));
  out->gap = po_abs(s.gap) / (1 + po_abs(out->objective));
  if (!po_isfinite(s.x_norm) || quad != quad || linear != linear) out->primal = out->dual = out->gap = PO_INF; /* NaN in x hides from max */
  if (!po_isfinite(t_norm) || s.gap != s.gap) out->dual = out->gap = PO_INF;
  return PO_OK;
}

int po_qp_check_optimal(po_qp_residual *r, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts) {
  po_qp_residual mine;
  if (!r) r = &mine;
  if (!po_all_finite(s->x, p->n) || !po_all_finite(s->w, p->n) || !po_all_finite(s->y, p->me) || !po_all_finite(s->z, p->mi) ||
      po_qp_residuals(r, p, s->x, s->y, s->z, s->w, &s->scratch) != PO_OK) {
    r->primal = r->dual = r->gap = PO_INF;
    r->objective = PO_NAN;
    return 0;
  }
  return r->primal <= opts->tol_primal && r->dual <= opts->tol_dual && r->gap <= opts->tol_gap;
}

/* ---- Farkas rays ------------------------------------------------------------------------------------------------------- */

/* value += m·bound, *size += |m·bound|; 0 when the bound does not exist. */
static int res_farkas_term(double m, double lo, double hi, double *value, double *size) {
  double bound = m > 0 ? lo : hi;
  if (m == 0) return 1;
  if (!po_isfinite(bound)) return 0;
  *value += m * bound;
  *size += po_abs(m * bound);
  return 1;
}

int po_qp_check_infeasible(po_qp_solver *s, const po_qp *p, int *conflict_count) {
  int i, n = p->n, count = 0, good = 1;
  double *t, value = 0, size = 0, largest = 0, leftover = 0;
  size_t mark = po_arena_mark(&s->scratch);
  if (!po_all_finite(s->w, n) || !po_all_finite(s->y, p->me) || !po_all_finite(s->z, p->mi)) return 0;
  t = PO_ARENA_ZARRAY(&s->scratch, double, n);
  if (!t) return 0;
  if (p->me) po_gemv_t_add(t, 1, p->A, s->y);
  if (p->mi) po_gemv_t_add(t, 1, p->C, s->z);
  /* how large the terms are that must cancel */
  for (i = 0; i < p->me; i++) largest = po_max(largest, po_abs(s->y[i]) * po_norm_inf(po_row(p->A, i), n));
  for (i = 0; i < p->mi; i++) largest = po_max(largest, po_abs(s->z[i]) * po_norm_inf(po_row(p->C, i), n));
  for (i = 0; i < n; i++) largest = po_max(largest, po_abs(s->w[i]));
  /* where a bound exists its multiplier takes up rounding exactly; elsewhere what is left must be rounding */
  for (i = 0; i < n; i++) {
    double lo = po_qp_lower(p->xl, i), hi = po_qp_upper(p->xu, i), m = -t[i];
    if (!po_isfinite(m > 0 ? lo : hi)) m = 0;
    s->w[i] = m;
    leftover = po_max(leftover, po_abs(t[i] + m));
    good &= res_farkas_term(m, lo, hi, &value, &size);
  }
  po_arena_release(&s->scratch, mark);
  for (i = 0; i < p->me; i++) good &= res_farkas_term(s->y[i], p->b[i], p->b[i], &value, &size);
  for (i = 0; i < p->mi; i++) good &= res_farkas_term(s->z[i], po_qp_lower(p->cl, i), po_qp_upper(p->cu, i), &value, &size);
  good = good && leftover <= PO_QP_TOL_RAY * largest && value > PO_QP_TOL_FARKAS * po_max(size, largest);
  if (!good || !conflict_count) return good;
  for (i = 0; i < p->me; i++)
    if (po_abs(s->y[i]) * po_max(po_norm_inf(po_row(p->A, i), n), po_abs(p->b[i])) > PO_QP_TOL_RAY * largest) s->conflict[count++] = i;
  for (i = 0; i < p->mi; i++) { /* an empty row conflicts by its bound alone */
    double bound = s->z[i] > 0 ? p->cl[i] : s->z[i] < 0 ? p->cu[i] : 0;
    if (po_abs(s->z[i]) * po_max(po_norm_inf(po_row(p->C, i), n), po_abs(bound)) > PO_QP_TOL_RAY * largest) s->conflict[count++] = p->me + i;
  }
  for (i = 0; i < n; i++)
    if (po_abs(s->w[i]) > PO_QP_TOL_RAY * largest) s->conflict[count++] = p->me + p->mi + i;
  *conflict_count = count;
  return 1;
}

/* ---- rays of the primal ------------------------------------------------------------------------------------------------- */

/* 1 when moving at `rate` (rounding: `slack`) stays between lo and hi for ever. */
static int res_recedes(double rate, double lo, double hi, double slack) {
  return (rate >= -slack || lo == -PO_INF) && (rate <= slack || hi == PO_INF);
}

int po_qp_check_unbounded(po_qp_solver *s, const po_qp *p) {
  int i, n = p->n, good = 1;
  double norm, slope = 0, slope_size = 0, size, *t;
  size_t mark = po_arena_mark(&s->scratch);
  if (!po_all_finite(s->ray, n) || !((norm = po_norm_inf(s->ray, n)) > 0)) return 0;
  t = PO_ARENA_ARRAY(&s->scratch, double, n > p->me + p->mi ? n : p->me + p->mi);
  if (!t) return 0;
  if (p->H.a) {
    po_gemv(t, p->H, s->ray);
    size = norm * po_norm_max(p->H);
    /* H ray is of the order of the ray's own error, ray'H ray of its square: there the least of true curvatures shows */
    good = po_norm_inf(t, n) <= PO_QP_TOL_RAY * size && po_dot(s->ray, t, n) <= PO_QP_TOL_CURVATURE * norm * size;
  }
  if (p->me) po_gemv(t, p->A, s->ray);
  for (i = 0; good && i < p->me; i++) good = po_abs(t[i]) <= PO_QP_TOL_RAY * norm * po_norm_inf(po_row(p->A, i), n);
  if (p->mi) po_gemv(t, p->C, s->ray);
  for (i = 0; good && i < p->mi; i++)
    good = res_recedes(t[i], po_qp_lower(p->cl, i), po_qp_upper(p->cu, i), PO_QP_TOL_RAY * norm * po_norm_inf(po_row(p->C, i), n));
  po_arena_release(&s->scratch, mark);
  for (i = 0; i < n; i++) {
    good = good && res_recedes(s->ray[i], po_qp_lower(p->xl, i), po_qp_upper(p->xu, i), PO_QP_TOL_RAY * norm);
    if (p->g) {
      slope += p->g[i] * s->ray[i];
      slope_size = po_max(slope_size, po_abs(p->g[i]));
    }
  }
  return good && slope < -PO_QP_TOL_RAY * norm * slope_size;
}

int po_qp_check_nonconvex(po_qp_solver *s, const po_qp *p) {
  int i, j, n = p->n;
  double curvature = 0, size = 0;
  if (!p->H.a || !po_all_finite(s->ray, n)) return 0;
  for (i = 0; i < n; i++) {
    const double *h = po_row(p->H, i);
    double sum = 0, abs_sum = 0;
    for (j = 0; j < n; j++) {
      double term = h[j] * s->ray[j];
      sum += term;
      abs_sum += po_abs(term);
    }
    curvature += s->ray[i] * sum;
    size += po_abs(s->ray[i]) * abs_sum;
  }
  return curvature < -PO_QP_TOL_CURVATURE * size;
}
