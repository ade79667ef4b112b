/* cond.c: the condition of a triangle, estimated (Hager 1984; Higham 1988).
 *
 * ‖T^-1‖_1 is the largest of the convex ‖T^-1 x‖_1 over ‖x‖_1 = 1. Hager climbs along unit vectors: two solves a step, four
 * steps at most; the result is a lower bound that is rarely off by more than a factor of three. */
#include "kernels.h"

#define COND_STEPS 5

static double cond_sum(const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += po_abs(x[i]);
  return s;
}

static double cond_norm1(po_mat T, po_uplo uplo, double *sums) {
  double top = 0;
  int n = T.rows, i, j;
  for (j = 0; j < n; j++) sums[j] = 0;
  for (i = 0; i < n; i++) {
    int first = uplo == PO_LOWER ? 0 : i, last = uplo == PO_LOWER ? i : n - 1;
    for (j = first; j <= last; j++) sums[j] += po_abs(PO_AT(T, i, j));
  }
  for (j = 0; j < n; j++) top = po_max(top, sums[j]);
  return top;
}

static double cond_inverse_norm(po_mat T, po_uplo uplo, double *x, double *z) {
  int n = T.rows, i, step, at = -1;
  double estimate = 0, other;
  for (i = 0; i < n; i++) x[i] = 1.0 / n;
  for (step = 0; step < COND_STEPS; step++) {
    double norm, slope = 0;
    int best = 0;
    po_trsv(x, T, uplo, PO_N, PO_NON_UNIT);
    norm = cond_sum(x, n);
    if (!(norm > estimate)) break;
    estimate = norm;
    for (i = 0; i < n; i++) z[i] = x[i] < 0 ? -1 : 1; /* the subgradient */
    po_trsv(z, T, uplo, PO_T, PO_NON_UNIT);
    for (i = 0; i < n; i++)
      if (po_abs(z[i]) > slope) {
        slope = po_abs(z[i]);
        best = i;
      }
    if (best == at) break;
    at = best;
    for (i = 0; i < n; i++) x[i] = i == best;
  }
  /* Higham's guard against cancellation that hides the growth: a vector of alternating, growing elements */
  for (i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
  po_trsv(x, T, uplo, PO_N, PO_NON_UNIT);
  other = 2 * cond_sum(x, n) / (3.0 * n);
  return other > estimate ? other : estimate;
}

po_status po_cond_tri(double *cond, po_mat T, po_uplo uplo, po_arena *scratch) {
  po_status status = po_mat_check(T);
  int n = T.rows, i, j, singular = 0;
  double *x, norm;
  size_t mark;
  if (status) return status;
  if (T.rows != T.cols) return PO_ERR_SIZE;
  if (!cond || !scratch) return PO_ERR_NULL;
  for (i = 0; i < n; i++) {
    int first = uplo == PO_LOWER ? 0 : i, last = uplo == PO_LOWER ? i : n - 1;
    for (j = first; j <= last; j++)
      if (!po_isfinite(PO_AT(T, i, j))) return PO_ERR_NOT_FINITE;
    singular |= PO_AT(T, i, i) == 0;
  }
  mark = po_arena_mark(scratch);
  x = PO_ARENA_ARRAY(scratch, double, 2 * n);
  if (!x && n > 0) return PO_ERR_MEMORY;
  if (singular) {
    *cond = PO_INF;
  } else {
    norm = cond_norm1(T, uplo, x);
    *cond = n == 0 ? 1 : norm * cond_inverse_norm(T, uplo, x, x + n);
    if (*cond != *cond) *cond = PO_INF; /* the solves overflowed */
  }
  po_arena_release(scratch, mark);
  return PO_OK;
}
