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

/* ‖s T‖_1: scaled, so that a sum of large elements stays finite. */
static double cond_norm1(po_mat T, po_uplo uplo, double s, double *sums) {
  double top = 0;
  int n = T.rows, i, j;
  for (j = 0; j < n; j++) sums[j] = 0;
  for (i = 0; i < n; i++) {
    int first = uplo == PO_LOWER ? 0 : i, last = uplo == PO_LOWER ? i : n - 1;
    for (j = first; j <= last; j++) sums[j] += po_abs(s * PO_AT(T, i, j));
  }
  for (j = 0; j < n; j++) top = po_max(top, sums[j]);
  return top;
}

/* ‖(s T)^-1‖_1: right-hand sides divided by s, so that the solves do not leave the range of numbers that s T would keep within. */
static double cond_inverse_norm(po_mat T, po_uplo uplo, double s, double *x, double *z) {
  int n = T.rows, i, step, at = -1;
  double estimate = 0, other, unit = 1 / s;
  for (i = 0; i < n; i++) x[i] = unit / n;
  for (step = 0; step < COND_STEPS; step++) {
    double norm, slope = 0;
    int best = 0;
    po_trsv(x, T, uplo, PO_N, PO_NON_UNIT);
    norm = cond_sum(x, n);
    if (norm != norm) return PO_INF; /* the reciprocal of a subnormal pivot is no number any more */
    if (!(norm > estimate)) break;
    estimate = norm;
    for (i = 0; i < n; i++) z[i] = x[i] < 0 ? -unit : unit; /* the subgradient */
    po_trsv(z, T, uplo, PO_T, PO_NON_UNIT);
    for (i = 0; i < n; i++)
      if (po_abs(z[i]) > slope) {
        slope = po_abs(z[i]);
        best = i;
      }
    if (best == at) break;
    at = best;
    for (i = 0; i < n; i++) x[i] = i == best ? unit : 0;
  }
  /* Higham's guard against cancellation that hides the growth: a vector of alternating, growing elements */
  for (i = 0; i < n; i++) x[i] = (i % 2 ? -unit : unit) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
  po_trsv(x, T, uplo, PO_N, PO_NON_UNIT);
  other = 2 * cond_sum(x, n) / (3.0 * n);
  return other > estimate ? other : estimate;
}

po_status po_cond_tri(double *cond, po_mat T, po_uplo uplo, po_arena *scratch) {
  po_status status = po_mat_check(T);
  int n = T.rows, i, j, singular = 0;
  double *x, norm, largest = 0, s;
  size_t mark;
  if (status) return status;
  if (T.rows != T.cols) return PO_ERR_SIZE;
  if (!cond || !scratch) return PO_ERR_NULL;
  for (i = 0; i < n; i++) {
    int first = uplo == PO_LOWER ? 0 : i, last = uplo == PO_LOWER ? i : n - 1;
    for (j = first; j <= last; j++) {
      if (!po_isfinite(PO_AT(T, i, j))) return PO_ERR_NOT_FINITE;
      largest = po_max(largest, po_abs(PO_AT(T, i, j)));
    }
    singular |= PO_AT(T, i, i) == 0;
  }
  mark = po_arena_mark(scratch);
  x = PO_ARENA_ARRAY(scratch, double, 2 * n);
  if (!x && n > 0) return PO_ERR_MEMORY;
  if (singular) {
    *cond = PO_INF;
  } else {
    s = po_la_scaling(largest);
    norm = cond_norm1(T, uplo, s, x);
    *cond = n == 0 ? 1 : norm * cond_inverse_norm(T, uplo, s, x, x + n);
    if (*cond != *cond) *cond = PO_INF; /* the solves overflowed */
  }
  po_arena_release(scratch, mark);
  return PO_OK;
}
