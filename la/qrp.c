/* qrp.c: QR with column pivoting, which reveals the rank. */
#include "kernels.h"

#include <math.h>

/* Below this relative size a downdated squared norm has lost half its digits and is taken afresh
 * (Drmač & Bujanović 2008: sqrt(eps)). */
#define QRP_RECOMPUTE 1.4901161193847656e-08

static void qrp_swap_columns(po_mat A, int p, int q) {
  int i;
  for (i = 0; i < A.rows; i++) {
    double *row = po_row(A, i), t = row[p];
    row[p] = row[q];
    row[q] = t;
  }
}

/* Norm of rows k…m−1 of column j; scaled when the squares would vanish. */
static double qrp_column_norm(po_mat A, int k, int j) {
  double s = 0, top = 0, inverse;
  int i;
  for (i = k; i < A.rows; i++) {
    double a = PO_AT(A, i, j);
    s += a * a;
    if (po_abs(a) > top) top = po_abs(a);
  }
  if (s >= PO_LA_TINY_SQUARE) return sqrt(s);
  if (top == 0) return 0;
  inverse = po_la_scaling(top);
  for (s = 0, i = k; i < A.rows; i++) s += (PO_AT(A, i, j) * inverse) * (PO_AT(A, i, j) * inverse);
  return sqrt(s) / inverse;
}

/* After step k, row k of R is known: the squared norm of what is left of column j falls by r_kj². */
static void qrp_downdate(po_mat A, int k, double *norm, double *exact) {
  int j;
  for (j = k + 1; j < A.cols; j++) {
    double r, left, lost;
    if (norm[j] == 0) continue;
    r = po_abs(PO_AT(A, k, j)) / norm[j];
    left = po_max(0.0, (1 + r) * (1 - r));
    lost = norm[j] / exact[j];
    if (left * (lost * lost) <= QRP_RECOMPUTE) norm[j] = exact[j] = qrp_column_norm(A, k + 1, j);
    else norm[j] *= sqrt(left);
  }
}

static int qrp_largest(const double *norm, int from, int n) {
  int j, best = from;
  for (j = from + 1; j < n; j++)
    if (norm[j] > norm[best]) best = j;
  return best;
}

static int qrp_factor_plain(po_mat A, double *tau, int *perm, double tol, double *norm, double *exact) {
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k, j;
  for (j = 0; j < n; j++) {
    perm[j] = j;
    norm[j] = exact[j] = qrp_column_norm(A, 0, j);
  }
  for (k = 0; k < steps; k++) {
    double *pivot = &PO_AT(A, k, k), *below = pivot + A.ld;
    double least = k > 0 ? tol * po_abs(A.a[0]) : 0;
    int best = qrp_largest(norm, k, n);
    if (norm[best] <= 2 * least) { /* near the decision, downdated norms are not good enough */
      for (j = k; j < n; j++) norm[j] = exact[j] = qrp_column_norm(A, k, j);
      best = qrp_largest(norm, k, n);
    }
    if (!(norm[best] > least)) break;
    if (best != k) {
      int t = perm[k];
      perm[k] = perm[best];
      perm[best] = t;
      norm[best] = norm[k];
      exact[best] = exact[k];
      qrp_swap_columns(A, k, best);
    }
    tau[k] = po_la_reflector(pivot, below, m - k - 1, A.ld);
    po_la_reflect_left(po_block(A, k, k + 1, m - k, n - k - 1), below, A.ld, tau[k]);
    qrp_downdate(A, k, norm, exact);
  }
  for (j = k; j < steps; j++) tau[j] = 0;
  return k;
}

po_status po_qrp(po_mat A, double *tau, int *perm, int *rank, double tol, po_arena *scratch) {
  double largest, scale, *norm;
  po_status status = po_la_scan(A, &largest);
  size_t mark;
  if (status) return status;
  if (!scratch || !rank || (!perm && A.cols > 0) || (!tau && A.rows > 0 && A.cols > 0)) return PO_ERR_NULL;
  if (tol != tol) return PO_ERR_RANGE;
  if (tol < 0) tol = PO_RANK_TOL;
  mark = po_arena_mark(scratch);
  norm = PO_ARENA_ARRAY(scratch, double, 2 * A.cols);
  if (!norm && A.cols > 0) return PO_ERR_MEMORY;
  scale = po_la_scaling(largest);
  if (scale != 1) po_la_mat_scale(A, scale);
  *rank = qrp_factor_plain(A, tau, perm, tol, norm, norm + A.cols);
  if (scale != 1) {
    int k, r = *rank;
    for (k = 0; k < A.rows; k++) {
      int first = k < r ? k : r;
      po_scale(po_row(A, k) + first, 1 / scale, A.cols - first);
    }
  }
  po_arena_release(scratch, mark);
  return PO_OK;
}
