/* qrp.c: QR with column pivoting, which reveals the rank.
 *
 * Squared column norms are downdated by the row of R that each step finishes, so the next pivot is known before the reflector has
 * touched the rest of the matrix. The AVX2 version (qrp_avx2.c) makes use of that. */
#include "kernels.h"

#include <math.h>

/* Elements are scaled to lie between these, so that squares of columns 1e-75 of the largest are still exact. */
#define QRP_BIG 0x1p+200
#define QRP_SMALL 0x1p-200

/* Squared norm of rows k…m−1 of column j. */
static double qrp_square(po_mat A, int k, int j) {
  double s = 0;
  int i;
  for (i = k; i < A.rows; i++) s += PO_AT(A, i, j) * PO_AT(A, i, j);
  return s;
}

/* After step k, row k of R is known: the squared norm of what is left of column j falls by r_kj². */
static void qrp_downdate(const po_la_qrp *q, int k) {
  const double *row = po_row(q->A, k);
  int j, n = q->A.cols;
  for (j = k + 1; j < n; j++) {
    double left = q->norm[j] - row[j] * row[j];
    if (left <= PO_LA_QRP_RECOMPUTE * q->exact[j]) left = q->exact[j] = q->exact[j] > 0 ? qrp_square(q->A, k + 1, j) : 0;
    q->norm[j] = left;
  }
}

static int qrp_largest(const double *norm, int from, int n) {
  int j, best = from;
  for (j = from + 1; j < n; j++)
    if (norm[j] > norm[best]) best = j;
  return best;
}

/* The column to come next, or −1 when all that are left fall to the tolerance. */
static int qrp_pivot(const po_la_qrp *q, int k) {
  double least = k > 0 ? q->tol * po_abs(q->A.a[0]) : 0;
  int n = q->A.cols, j, best = qrp_largest(q->norm, k, n);
  if (q->norm[best] <= 4 * least * least) { /* near the decision, downdated norms are not good enough */
    for (j = k; j < n; j++) q->norm[j] = q->exact[j] = qrp_square(q->A, k, j);
    best = qrp_largest(q->norm, k, n);
  }
  return sqrt(q->norm[best]) > least ? best : -1;
}

static void qrp_swap(po_la_qrp *q, int k, int best) {
  int i, t = q->perm[k];
  if (best == k) return;
  q->perm[k] = q->perm[best];
  q->perm[best] = t;
  q->norm[best] = q->norm[k];
  q->exact[best] = q->exact[k];
  for (i = 0; i < q->A.rows; i++) {
    double *row = po_row(q->A, i), h = row[k];
    row[k] = row[best];
    row[best] = h;
  }
}

static int qrp_plain(po_la_qrp *q) {
  po_mat A = q->A;
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k, j;
  for (j = 0; j < n; j++) q->norm[j] = q->exact[j] = qrp_square(A, 0, j);
  for (k = 0; k < steps; k++) {
    double *pivot = &PO_AT(A, k, k), *below = pivot + A.ld;
    int best = qrp_pivot(q, k);
    if (best < 0) break;
    qrp_swap(q, k, best);
    q->tau[k] = po_la_reflector(pivot, below, m - k - 1, A.ld);
    po_la_reflect_left(po_block(A, k, k + 1, m - k, n - k - 1), below, A.ld, q->tau[k]);
    qrp_downdate(q, k);
  }
  return k;
}

po_status po_qrp(po_mat A, double *tau, int *perm, int *rank, double tol, po_arena *scratch) {
  double largest, scale = 1;
  po_status status = po_la_scan_norm(A, &largest);
  int m = A.rows, n = A.cols, k, steps = m < n ? m : n, padded = (n + 7) & ~3;
  size_t mark;
  po_la_qrp q;
  if (status) return status;
  if (!scratch || !rank || (!perm && n > 0)) return PO_ERR_NULL;
  if (tol != tol) return PO_ERR_RANGE;
  if (steps <= 0) {
    for (k = 0; k < n; k++) perm[k] = k;
    *rank = 0;
    return PO_OK;
  }
  if (!tau || !perm) return PO_ERR_NULL;
  mark = po_arena_mark(scratch);
  q.norm = PO_ARENA_ARRAY(scratch, double, 3 * padded + 2 * m);
  if (!q.norm) return PO_ERR_MEMORY;
  for (k = 0; k < n; k++) perm[k] = k;
  q.A = A;
  q.tau = tau;
  q.perm = perm;
  q.tol = tol < 0 ? PO_RANK_TOL : tol;
  q.exact = q.norm + padded;
  q.w = q.exact + padded;
  q.u = q.w + padded;
  q.v = q.u + m;
  while (largest * scale > QRP_BIG) scale *= 0x1p-200;
  while (largest * scale < QRP_SMALL && largest > 0) scale *= 0x1p+200;
  if (scale != 1) po_la_mat_scale(A, scale);
#if PO_LA_AVX2
  if (po_la_avx2()) *rank = po_la_qrp_avx2(&q);
  else
#endif
    *rank = qrp_plain(&q);
  for (k = *rank; k < steps; k++) tau[k] = 0;
  for (k = 0; scale != 1 && k < m; k++) { /* R, and what the rank decision left */
    int first = k < *rank ? k : *rank;
    po_scale(po_row(A, k) + first, 1 / scale, n - first);
  }
  po_arena_release(scratch, mark);
  return PO_OK;
}
