/* lcp_ray.c: when an LCP has no solution, and the proof of it.
 *
 * Whatever z solves the problem has, row by row,   w_i ≥ 0 where z_i is bounded below alone,   w_i ≤ 0 where it is bounded above alone,
 * w_i = 0 where it is free. So for any v with v_i ≥ 0, v_i ≤ 0, any v_i in these rows and v_i = 0 in all others (boxes, friction)
 *
 *     0 ≤ v·w = v·q + (M'v)·z,
 *
 * and when the right side is negative for every z within its bounds there is no solution (Farkas). That is what po_lcp_infeasible checks, in
 * the problem's own numbers, for any M. The methods only bring candidates: complementary pivoting its secondary ray, which is such a v
 * when M is copositive plus (Cottle, Pang & Stone 1992, theorem 4.4.12) and says nothing for other M; the others the direction in which
 * z went away.
 */
#include "lcp_internal.h"

#define LCPR_ROUNDING 1e-12 /* share of the terms of a sum that cancellation may leave of a zero: some thousand roundings */
#define LCPR_CLEAR 1e-9     /* share of the terms of the whole sum by which it must be negative */
#define LCPR_SWEEPS 100     /* that turn a direction in which z went away into one that M does not see */

/* Looks like a ray: z has gone far where M hardly sees it, along −q. */
static int lcpr_went_away(const po_lcp *p, const double *z) {
  double length = 0, along = 0, scale = 0;
  int i, n = p->n;
  for (i = 0; i < n; i++) {
    if (po_lcp_normal_of(p, i) >= 0 || po_lcp_hi(p, i) != PO_INF) {
      if (z[i] != 0) return 0;
      continue;
    }
    length = po_max(length, fabs(z[i]));
    if (z[i] < 0) return 0;
  }
  if (!(length > 0)) return 0;
  for (i = 0; i < n; i++) scale = po_max(scale, fabs(p->q[i]));
  for (i = 0; i < n; i++) {
    double at = po_dot(po_row(p->M, i), z, n);
    /* far along a ray q is nothing beside z: what is left of M z must be of the size of q, however long z grew */
    if (fabs(at) > 4 * scale * (1 + 1e-6 * length)) return 0;
    along += p->q[i] * z[i] / length;
  }
  return along < -1e-9 * scale;
}

/* The sign that v_i may have: +1, −1, 2 (any) or 0 (none). */
static int lcpr_sign(const po_lcp *p, int i) {
  int below = po_lcp_lo(p, i) > -PO_INF, above = po_lcp_hi(p, i) < PO_INF;
  if (po_lcp_normal_of(p, i) >= 0 || (below && above)) return 0;
  return below ? 1 : above ? -1 : 2;
}

/* (M'v)_j and the size of the terms it sums. */
static double lcpr_column(const po_lcp *p, const double *v, int j, double *size) {
  double sum = 0;
  int i;
  *size = 0;
  for (i = 0; i < p->n; i++) {
    double term = v[i] * PO_AT(p->M, i, j);
    sum += term;
    *size += fabs(term);
  }
  return fabs(sum) <= LCPR_ROUNDING * *size ? 0 : sum;
}

/* c z where z is at the end of its range at which that is largest; no end: +inf. */
static double lcpr_most(double c, double lo, double hi) {
  double at = c > 0 ? hi : lo;
  return c == 0 ? 0 : po_isfinite(at) ? c * at : PO_INF;
}

int po_lcp_infeasible(const po_lcp *p, const double *v) {
  double most = 0, terms = 0, size;
  int i, j, n = p->n;
  for (i = 0; i < n; i++) {
    int sign = lcpr_sign(p, i);
    if (v[i] != 0 && (sign == 0 || (sign == 1 && v[i] < 0) || (sign == -1 && v[i] > 0))) return 0;
    most += v[i] * p->q[i];
    terms += fabs(v[i] * p->q[i]);
  }
  for (j = 0; j < n; j++) {
    double c, push = 0, value;
    if (po_lcp_normal_of(p, j) >= 0) continue; /* with its normal row */
    c = lcpr_column(p, v, j, &size);
    for (i = 0; p->friction && i < n; i++) /* friction can add at most mu z_n times the sum of both, whatever the law */
      if (p->friction[i] == j) push += p->mu[i] * fabs(lcpr_column(p, v, i, &size));
    /* convex in z_n: largest at an end of its range; where z_n is negative there is no friction */
    value = push == 0 || po_lcp_lo(p, j) >= 0 ? lcpr_most(c + push, po_lcp_lo(p, j), po_lcp_hi(p, j))
                                              : po_max(lcpr_most(c, po_lcp_lo(p, j), 0), lcpr_most(c + push, 0, po_lcp_hi(p, j)));
    most += value;
    terms += fabs(value);
  }
  return most < -LCPR_CLEAR * terms;
}

po_lcp_outcome po_lcp_ray_outcome(const po_lcp *p, double *v) {
  double largest = 0;
  int i, sweep, n = p->n;
  for (i = 0; i < n; i++) largest = po_max(largest, PO_AT(p->M, i, i));
  for (sweep = 0; sweep <= LCPR_SWEEPS; sweep++) { /* least v'Mv near it: zero where the proof is */
    double length;
    for (i = 0; i < n; i++) {
      int sign = lcpr_sign(p, i);
      v[i] = sign == 2 ? v[i] : sign == 1 ? po_max(0, v[i]) : sign == -1 ? po_min(0, v[i]) : 0;
    }
    length = po_norm_inf(v, n);
    if (!(length > 0) || !po_isfinite(length)) return PO_LCP_RAY;
    for (i = 0; i < n; i++) v[i] /= length;
    if (po_lcp_infeasible(p, v)) return PO_LCP_INFEASIBLE;
    for (i = 0; i < n; i++)
      if (v[i] != 0 && PO_AT(p->M, i, i) > PO_LCP_ZERO_DIAGONAL * largest) v[i] -= po_dot(po_row(p->M, i), v, n) / PO_AT(p->M, i, i);
  }
  return PO_LCP_RAY;
}

po_lcp_outcome po_lcp_away_outcome(const po_lcp *p, const double *z, po_lcp_outcome otherwise, double *v) {
  int i;
  if (!lcpr_went_away(p, z)) return otherwise;
  for (i = 0; i < p->n; i++) v[i] = z[i];
  return po_lcp_ray_outcome(p, v);
}
