/* qp_checker.h: is the answer of po_qp_solve what it says it is? Shares no code with the solvers: plain loops over the caller's
 * data in long double, written from the definitions in qp/qp.h and from the theorems of Farkas and of convex duality.
 *
 *   qp_checker_result(problem, result, tolerances, why)   dispatches on result->status; 0 and a sentence in why when it is wrong
 *
 * optimal     every row and bound holds, stationarity holds, every multiplier has the sign of a bound that exists and is touched,
 *             the reported objective and residuals are those of x, y, z, w, and `active` tells the truth
 * infeasible  A'y + C'z + w = 0 and b'y + Σ cl z⁺ − cu z⁻ + Σ xl w⁺ − xu w⁻ > 0: then no x can satisfy all rows; `conflict` names them
 * unbounded   H ray = 0, g'ray < 0, no row or bound is ever reached along the ray, and x, from where it starts, is feasible
 * nonconvex   ray'H ray < 0
 */
#ifndef PO_TESTS_QP_CHECKER_H
#define PO_TESTS_QP_CHECKER_H

#include "../qp/qp.h"
#include <stdio.h>

typedef struct qp_checker_tol {
  double primal, dual, gap; /* of an optimal answer, in the sense of po_qp_residuals */
  double ray;               /* what must vanish along a ray, relative to the terms it is the sum of */
} qp_checker_tol;

typedef long double qck_real;
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion" /* double to long double is what this file is for; gcc does not warn of it */
#endif
#define QCK_SAY(...) (snprintf(why, 256, __VA_ARGS__), 0)

static inline qck_real qck_abs(qck_real v) { return v < 0 ? -v : v; }
static inline qck_real qck_max(qck_real a, qck_real b) { return a > b ? a : b; }
static inline double qck_lo(const double *l, int i) { return !l || l[i] <= -PO_QP_INFINITY ? -(double)__builtin_inf() : l[i]; }
static inline double qck_hi(const double *u, int i) { return !u || u[i] >= PO_QP_INFINITY ? (double)__builtin_inf() : u[i]; }
static inline int qck_is_finite(double v) { return v - v == 0; }

static inline qck_real qck_row_dot(po_mat M, int i, const double *x, qck_real *largest) {
  qck_real sum = 0;
  *largest = 0;
  for (int j = 0; j < M.cols; j++) {
    qck_real a = M.a[(size_t)i * (size_t)M.ld + (size_t)j];
    sum += a * (qck_real)x[j];
    *largest = qck_max(*largest, qck_abs(a));
  }
  return sum;
}
static inline qck_real qck_column_dot(po_mat M, int j, const double *y) {
  qck_real sum = 0;
  for (int i = 0; i < M.rows; i++) sum += (qck_real)M.a[(size_t)i * (size_t)M.ld + (size_t)j] * (qck_real)y[i];
  return sum;
}

typedef struct qck_sums {
  qck_real primal, gap, lost, x_norm;
} qck_sums;

/* One row or bound of an optimal answer: value between lo and hi, multiplier positive at lo, negative at hi. */
static inline void qck_line(qck_sums *s, qck_real value, double lo, double hi, double multiplier, qck_real norm) {
  qck_real off = qck_max(qck_is_finite(lo) ? lo - value : 0, qck_is_finite(hi) ? value - hi : 0);
  double bound = multiplier > 0 ? lo : hi;
  if (off > 0) s->primal = qck_max(s->primal, off / (1 + norm * s->x_norm));
  if (multiplier == 0) return;
  if (!qck_is_finite(bound)) s->lost = qck_max(s->lost, qck_abs((qck_real)multiplier) * norm);
  else s->gap += qck_abs((qck_real)multiplier * (value - (qck_real)bound)); /* term by term: nothing may cancel */
}

static inline int qck_active(const po_qp *p, const po_qp_result *r, double tol, qck_real x_norm, char *why) {
  for (int i = 0; i < p->mi + p->n; i++) {
    int row = i < p->mi, k = row ? i : i - p->mi;
    double lo = row ? qck_lo(p->cl, k) : qck_lo(p->xl, k), hi = row ? qck_hi(p->cu, k) : qck_hi(p->xu, k);
    qck_real norm = 1, value = row ? qck_row_dot(p->C, k, r->x, &norm) : (qck_real)r->x[k];
    qck_real room = (qck_real)tol * (1 + norm * x_norm);
    int a = r->active[i];
    if ((lo == hi) != (a == 2)) return QCK_SAY("active[%d] is %d but the bounds are %g and %g", i, a, lo, hi);
    if (a == -1 && !(qck_abs(value - lo) <= room)) return QCK_SAY("active[%d] says at lower, off by %Lg", i, value - lo);
    if (a == 1 && !(qck_abs(value - hi) <= room)) return QCK_SAY("active[%d] says at upper, off by %Lg", i, value - hi);
    if (a < -1 || a > 2) return QCK_SAY("active[%d] is %d", i, a);
  }
  return 1;
}

static inline int qck_optimal(const po_qp *p, const po_qp_result *r, const qp_checker_tol *tol, char *why) {
  qck_sums s = {0, 0, 0, 0};
  qck_real dual = 0, hx_norm = 0, g_norm = 0, t_norm = 0, objective = p->constant, unused, size;
  int n = p->n;
  for (int j = 0; j < n; j++) {
    if (!qck_is_finite(r->x[j]) || !qck_is_finite(r->w[j])) return QCK_SAY("x or w [%d] is not finite", j);
    s.x_norm = qck_max(s.x_norm, qck_abs(r->x[j]));
  }
  for (int j = 0; j < n; j++) {
    qck_real hx = p->H.a ? qck_row_dot(p->H, j, r->x, &unused) : 0, g = p->g ? p->g[j] : 0, t = r->w[j];
    if (p->me) t += qck_column_dot(p->A, j, r->y);
    if (p->mi) t += qck_column_dot(p->C, j, r->z);
    dual = qck_max(dual, qck_abs(hx + g - t));
    hx_norm = qck_max(hx_norm, qck_abs(hx));
    g_norm = qck_max(g_norm, qck_abs(g));
    t_norm = qck_max(t_norm, qck_abs(t));
    objective += (qck_real)r->x[j] * (hx / 2 + g);
    qck_line(&s, r->x[j], qck_lo(p->xl, j), qck_hi(p->xu, j), r->w[j], 1);
  }
  for (int i = 0; i < p->me; i++) {
    qck_real value = qck_row_dot(p->A, i, r->x, &size);
    if (!qck_is_finite(r->y[i])) return QCK_SAY("y[%d] is not finite", i);
    qck_line(&s, value, p->b[i], p->b[i], r->y[i], size);
  }
  for (int i = 0; i < p->mi; i++) {
    qck_real value = qck_row_dot(p->C, i, r->x, &size);
    if (!qck_is_finite(r->z[i])) return QCK_SAY("z[%d] is not finite", i);
    qck_line(&s, value, qck_lo(p->cl, i), qck_hi(p->cu, i), r->z[i], size);
  }
  dual = qck_max(dual, s.lost) / (1 + qck_max(hx_norm, qck_max(g_norm, t_norm)));
  size = 1 + qck_abs(objective);
  if (!(s.primal <= tol->primal)) return QCK_SAY("a row or bound is violated by %Lg", s.primal);
  if (!(dual <= tol->dual)) return QCK_SAY("stationarity is off by %Lg", dual);
  if (!(s.gap / size <= tol->gap)) return QCK_SAY("complementarity is off by %Lg", s.gap / size);
  if (!(qck_abs(objective - r->objective) <= 1e-9L * size)) return QCK_SAY("objective %.17g, it is %.17Lg", r->objective, objective);
  if (!(r->primal_residual <= tol->primal && r->dual_residual <= tol->dual && r->gap <= tol->gap))
    return QCK_SAY("reported residuals %g %g %g are above the tolerances", r->primal_residual, r->dual_residual, r->gap);
  return qck_active(p, r, tol->primal, s.x_norm, why);
}

/* Largest violation of a row or bound at x, as of an optimal answer. */
static inline qck_real qck_violation(const po_qp *p, const double *x) {
  qck_sums s = {0, 0, 0, 0};
  qck_real size;
  for (int j = 0; j < p->n; j++) s.x_norm = qck_max(s.x_norm, qck_abs(x[j]));
  for (int j = 0; j < p->n; j++) qck_line(&s, x[j], qck_lo(p->xl, j), qck_hi(p->xu, j), 0, 1);
  for (int i = 0; i < p->me; i++) {
    qck_real value = qck_row_dot(p->A, i, x, &size);
    qck_line(&s, value, p->b[i], p->b[i], 0, size);
  }
  for (int i = 0; i < p->mi; i++) {
    qck_real value = qck_row_dot(p->C, i, x, &size);
    qck_line(&s, value, qck_lo(p->cl, i), qck_hi(p->cu, i), 0, size);
  }
  return s.primal;
}

/* One term of a Farkas ray: the multiplier must lean on a bound that exists. */
static inline int qck_farkas_term(double multiplier, double lo, double hi, qck_real *value, qck_real *size) {
  double bound = multiplier > 0 ? lo : hi;
  if (multiplier == 0) return 1;
  if (!qck_is_finite(multiplier) || !qck_is_finite(bound)) return 0;
  *value += (qck_real)multiplier * bound;
  *size += qck_abs((qck_real)multiplier * bound);
  return 1;
}

static inline int qck_named(const po_qp_result *r, int index) {
  for (int k = 0; k < r->conflict_count; k++)
    if (r->conflict[k] == index) return 1;
  return 0;
}

static inline int qck_infeasible(const po_qp *p, const po_qp_result *r, const qp_checker_tol *tol, char *why) {
  qck_real value = 0, size = 0, largest = 0, norm, left = 0;
  for (int i = 0; i < p->me; i++) {
    qck_row_dot(p->A, i, r->x, &norm);
    largest = qck_max(largest, norm * qck_abs(r->y[i]));
    if (!qck_farkas_term(r->y[i], p->b[i], p->b[i], &value, &size)) return QCK_SAY("y[%d] = %g is no multiplier", i, r->y[i]);
  }
  for (int i = 0; i < p->mi; i++) {
    qck_row_dot(p->C, i, r->x, &norm);
    largest = qck_max(largest, norm * qck_abs(r->z[i]));
    if (!qck_farkas_term(r->z[i], qck_lo(p->cl, i), qck_hi(p->cu, i), &value, &size))
      return QCK_SAY("z[%d] = %g has no bound to lean on", i, r->z[i]);
  }
  for (int j = 0; j < p->n; j++) {
    qck_real sum = r->w[j];
    largest = qck_max(largest, qck_abs(r->w[j]));
    if (!qck_farkas_term(r->w[j], qck_lo(p->xl, j), qck_hi(p->xu, j), &value, &size))
      return QCK_SAY("w[%d] = %g has no bound to lean on", j, r->w[j]);
    if (p->me) sum += qck_column_dot(p->A, j, r->y);
    if (p->mi) sum += qck_column_dot(p->C, j, r->z);
    left = qck_max(left, qck_abs(sum));
  }
  if (!(largest > 0) && !(size > 0)) return QCK_SAY("the Farkas ray is zero"); /* an empty row proves by its bound alone */
  if (!(left <= tol->ray * largest)) return QCK_SAY("A'y + C'z + w = %Lg, terms are %Lg", left, largest);
  if (!(value > 0) || !(value > 1e-10L * size)) return QCK_SAY("the Farkas ray proves nothing: value %Lg of %Lg", value, size);
  for (int k = 0; k < r->conflict_count; k++)
    if (r->conflict[k] < 0 || r->conflict[k] >= p->me + p->mi + p->n) return QCK_SAY("conflict[%d] is %d", k, r->conflict[k]);
  /* what the ray leans on must be named, except for what is rounding beside the rest */
  for (int k = 0; k < p->me + p->mi + p->n; k++) {
    qck_real term = 0;
    norm = 1;
    if (k < p->me) qck_row_dot(p->A, k, r->x, &norm), term = r->y[k];
    else if (k < p->me + p->mi) qck_row_dot(p->C, k - p->me, r->x, &norm), term = r->z[k - p->me];
    else term = r->w[k - p->me - p->mi];
    if (qck_abs(term) * norm > 1e-6L * largest && !qck_named(r, k)) return QCK_SAY("the conflict does not name %d", k);
  }
  return 1;
}

static inline int qck_recedes(qck_real rate, double lo, double hi, qck_real slack) {
  return (rate >= -slack || !qck_is_finite(lo)) && (rate <= slack || !qck_is_finite(hi));
}

static inline int qck_unbounded(const po_qp *p, const po_qp_result *r, const qp_checker_tol *tol, char *why) {
  qck_real norm = 0, slope = 0, g_norm = 0, h_norm = 0, hd_norm = 0, size;
  const double *d = r->ray;
  if (!d) return QCK_SAY("no ray");
  for (int j = 0; j < p->n; j++) {
    if (!qck_is_finite(d[j])) return QCK_SAY("ray[%d] is not finite", j);
    norm = qck_max(norm, qck_abs(d[j]));
    if (p->g) {
      slope += (qck_real)p->g[j] * d[j];
      g_norm = qck_max(g_norm, qck_abs(p->g[j]));
    }
  }
  if (!(norm > 0)) return QCK_SAY("the ray is zero");
  for (int j = 0; j < p->n; j++) {
    if (p->H.a) {
      hd_norm = qck_max(hd_norm, qck_abs(qck_row_dot(p->H, j, d, &size)));
      h_norm = qck_max(h_norm, size);
    }
    if (!qck_recedes(d[j], qck_lo(p->xl, j), qck_hi(p->xu, j), tol->ray * norm))
      return QCK_SAY("the ray runs into a bound of variable %d: %g", j, d[j]);
  }
  if (!(hd_norm <= tol->ray * norm * h_norm)) return QCK_SAY("H ray = %Lg", hd_norm);
  for (int i = 0; i < p->me; i++) {
    qck_real rate = qck_row_dot(p->A, i, d, &size);
    if (!(qck_abs(rate) <= tol->ray * norm * size)) return QCK_SAY("row %d of A changes along the ray: %Lg", i, rate);
  }
  for (int i = 0; i < p->mi; i++) {
    qck_real rate = qck_row_dot(p->C, i, d, &size);
    if (!qck_recedes(rate, qck_lo(p->cl, i), qck_hi(p->cu, i), tol->ray * norm * size))
      return QCK_SAY("the ray runs into a bound of row %d of C: %Lg", i, rate);
  }
  if (!(slope < -tol->ray * norm * g_norm)) return QCK_SAY("the cost does not fall along the ray: %Lg", slope);
  size = qck_violation(p, r->x);
  if (!(size <= tol->primal)) return QCK_SAY("x, from where the ray starts, violates a row or bound by %Lg", size);
  return 1;
}

static inline int qck_nonconvex(const po_qp *p, const po_qp_result *r, char *why) {
  qck_real curvature = 0, size = 0, unused;
  if (!r->ray || !p->H.a) return QCK_SAY("no ray");
  for (int j = 0; j < p->n; j++) {
    qck_real hd = qck_row_dot(p->H, j, r->ray, &unused);
    if (!qck_is_finite(r->ray[j])) return QCK_SAY("ray[%d] is not finite", j);
    curvature += r->ray[j] * hd;
    for (int k = 0; k < p->n; k++)
      size += qck_abs((qck_real)r->ray[j] * p->H.a[(size_t)j * (size_t)p->H.ld + (size_t)k] * r->ray[k]);
  }
  if (!(curvature < -1e-14L * size)) return QCK_SAY("ray'H ray = %Lg (terms: %Lg)", curvature, size);
  return 1;
}

/* 1: the answer proves what it claims. Statuses that claim nothing (iteration_limit, numerical) are wrong here. */
static inline int qp_checker_result(const po_qp *p, const po_qp_result *r, const qp_checker_tol *tol, char why[256]) {
  why[0] = 0;
  switch (r->status) {
  case PO_QP_OPTIMAL: return qck_optimal(p, r, tol, why);
  case PO_QP_INFEASIBLE: return qck_infeasible(p, r, tol, why);
  case PO_QP_UNBOUNDED: return qck_unbounded(p, r, tol, why);
  case PO_QP_NONCONVEX: return qck_nonconvex(p, r, why);
  default: return QCK_SAY("status %s claims nothing", po_qp_status_string(r->status));
  }
}

#endif
