/* ldlt.c: A = L D L' without pivoting, its solve and its rank-one update. */
#include "kernels.h"

/* Row by row. w_j = l_ij d_j is built in row i first: w_j = a_ij − sum_k<j l_jk w_k; then l_ij = w_j / d_j. Returns the number of
 * good pivots. */
static int ldlt_plain(po_mat L, double *d, po_mat A) {
  int n = A.rows, i, j;
  for (i = 0; i < n; i++) {
    double *li = po_row(L, i), pivot = PO_AT(A, i, i);
    const double *ai = po_row(A, i);
    for (j = 0; j < i; j++) li[j] = ai[j] - po_dot(li, po_row(L, j), j);
    for (j = 0; j < i; j++) {
      double w = li[j];
      li[j] = w / d[j];
      pivot -= w * li[j];
    }
    if (pivot == 0 || !po_isfinite(pivot)) return i;
    d[i] = pivot;
    li[i] = 1;
  }
  return n;
}

po_status po_ldlt(po_mat L, double *d, po_mat A) {
  po_status status = po_mat_check(L);
  int n = A.rows, good;
  if (status || (status = po_la_check_lower(A)) != PO_OK) return status;
  if (L.rows != n || L.cols != n) return PO_ERR_SIZE;
  if (!d && n > 0) return PO_ERR_NULL;
#if PO_LA_AVX2
  if (po_la_avx2() && n <= PO_LA_LDLT_LARGEST) {
    po_la_copy_lower(L, A);
    good = po_la_ldlt_avx2(L, d);
  } else
#endif
    good = ldlt_plain(L, d, A);
  return good == n ? PO_OK : PO_ERR_SINGULAR;
}

void po_ldlt_solve(double *x, po_mat L, const double *d) {
  int i;
  po_trsv(x, L, PO_LOWER, PO_N, PO_UNIT);
  for (i = 0; i < L.rows; i++) x[i] /= d[i];
  po_trsv(x, L, PO_LOWER, PO_T, PO_UNIT);
}

/* The pivots after the change have the signs they had? p = L^-1 v drives the recurrence; v is restored by v = L p. */
static int ldlt_update_keeps_signs(po_mat L, const double *d, double sigma, double *v) {
  double a = sigma;
  int n = L.rows, i, good = 1;
  po_trsv(v, L, PO_LOWER, PO_N, PO_UNIT);
  for (i = 0; i < n && good; i++) {
    double changed = d[i] + a * v[i] * v[i];
    good = po_isfinite(changed) && changed * (d[i] > 0 ? 1 : -1) > 0;
    a *= d[i] / changed;
  }
  for (i = n - 1; i >= 0; i--) v[i] += po_dot(po_row(L, i), v, i);
  return good;
}

#define LDLT_BATCH 16

/* Method C1 of Gill, Golub, Murray & Saunders (1974): with p = v_j of the moment, d' = d + a p², beta = a p / d',
 * a' = a d / d'; then, for the rows below, v_r −= p l_rj and l_rj += beta v_r. Columns in batches, as in the Cholesky update. */
po_status po_ldlt_update(po_mat L, double *d, double *v, double sigma) {
  po_status status = po_mat_check(L);
  double p[LDLT_BATCH], beta[LDLT_BATCH], a = sigma;
  int n = L.rows, i, k, k0, positive = sigma >= 0;
  if (status) return status;
  if (L.rows != L.cols) return PO_ERR_SIZE;
  if (n <= 0) return PO_OK;
  if (!d || !v) return PO_ERR_NULL;
  if (!po_isfinite(sigma) || !po_all_finite(v, n)) return PO_ERR_NOT_FINITE;
  if (sigma == 0) return PO_OK;
  for (i = 0; i < n; i++) positive = positive && d[i] > 0;
  if (!positive && !ldlt_update_keeps_signs(L, d, sigma, v)) return PO_ERR_SINGULAR;
  for (k0 = 0; k0 < n; k0 += LDLT_BATCH) {
    int k1 = n - k0 < LDLT_BATCH ? n : k0 + LDLT_BATCH;
    for (i = k0; i < n; i++) {
      double *row = po_row(L, i), t = v[i];
      int last = i < k1 ? i : k1;
      for (k = k0; k < last; k++) {
        t -= p[k - k0] * row[k];
        row[k] += beta[k - k0] * t;
      }
      if (i < k1) {
        double changed = d[i] + a * t * t;
        p[i - k0] = t;
        beta[i - k0] = a * t / changed;
        a *= d[i] / changed;
        d[i] = changed;
      }
      v[i] = t;
    }
  }
  return PO_OK;
}
