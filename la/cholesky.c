/* cholesky.c: A = L L', its solve, and its rank-one update and downdate. */
#include "kernels.h"

#include <math.h>

/* Row by row: l_ij = (a_ij − sum_k l_ik l_jk) / l_jj, all along rows. Returns the index of the pivot that failed, or n. */
static int cholesky_plain(po_mat L, po_mat A) {
  int n = A.rows, i, j;
  for (i = 0; i < n; i++) {
    double *li = po_row(L, i), d;
    const double *ai = po_row(A, i);
    for (j = 0; j < i; j++) li[j] = (ai[j] - po_dot(li, po_row(L, j), j)) / PO_AT(L, j, j);
    d = ai[i] - po_dot(li, li, i);
    if (!(d > 0)) return i;
    li[i] = sqrt(d);
  }
  return n;
}

po_status po_cholesky(po_mat L, int *failed_at, po_mat A) {
  po_status status = po_mat_check(L);
  int at;
  if (status || (status = po_la_check_lower(A)) != PO_OK) return status;
  if (L.rows != A.rows || L.cols != A.cols) return PO_ERR_SIZE;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    po_la_copy_lower(L, A);
    at = po_la_cholesky_avx2(L);
  } else
#endif
    at = cholesky_plain(L, A);
  if (at == A.rows) return PO_OK;
  if (failed_at) *failed_at = at;
  return PO_ERR_SINGULAR;
}

void po_cholesky_solve(double *x, po_mat L) {
  po_trsv(x, L, PO_LOWER, PO_N, PO_NON_UNIT);
  po_trsv(x, L, PO_LOWER, PO_T, PO_NON_UNIT);
}

/* L and v of a rank-one change: shapes, and v finite. */
static po_status cholesky_check_update(po_mat L, const double *v) {
  po_status status = po_mat_check(L);
  if (status) return status;
  if (L.rows != L.cols) return PO_ERR_SIZE;
  if (!v && L.rows > 0) return PO_ERR_NULL;
  return po_all_finite(v, L.rows) ? PO_OK : PO_ERR_NOT_FINITE;
}

#define CHOLESKY_BATCH 16

/* The rotations of one batch of columns k0…k1−1 for the rows of the batch itself, where they are made. */
static void cholesky_update_top(po_mat L, double *v, int k0, int k1, double *c, double *s) {
  int i, k;
  for (i = k0; i < k1; i++) {
    double *row = po_row(L, i), t = v[i];
    for (k = k0; k < i; k++) {
      double l = row[k];
      row[k] = c[k - k0] * l + s[k - k0] * t;
      t = c[k - k0] * t - s[k - k0] * l;
    }
    po_givens(&c[i - k0], &s[i - k0], &row[i], row[i], t);
    if (row[i] < 0) {
      row[i] = -row[i];
      c[i - k0] = -c[i - k0];
      s[i - k0] = -s[i - k0];
    }
    v[i] = 0;
  }
}

/* [L v] G = [L+ 0], one rotation per column (Golub & Van Loan 6.5.4). Columns go in batches, so that the rotations of a batch
 * run along each row below. */
po_status po_cholesky_update(po_mat L, double *v) {
  po_status status = cholesky_check_update(L, v);
  double c[CHOLESKY_BATCH], s[CHOLESKY_BATCH];
  int n = L.rows, k0;
  if (status) return status;
  for (k0 = 0; k0 < n; k0 += CHOLESKY_BATCH) {
    int k1 = n - k0 < CHOLESKY_BATCH ? n : k0 + CHOLESKY_BATCH;
    cholesky_update_top(L, v, k0, k1, c, s);
    po_la_rotate_carry(po_block(L, k1, 0, n - k1, n), k0, k1 - k0, 1, c, s, v + k1, 1);
  }
  return PO_OK;
}

/* With L p = v and alpha² = 1 − p'p, rotations that take (p; alpha) to (0; 1) take [L'; 0] to [L-'; v'] (LINPACK dchdd).
 * v first holds p; once p_i has given its rotation, v_i carries what row i of L gathers of the lost row. */
po_status po_cholesky_downdate(po_mat L, double *v) {
  po_status status = cholesky_check_update(L, v);
  double c[CHOLESKY_BATCH], s[CHOLESKY_BATCH], alpha, norm;
  int n = L.rows, k0, k1, k, i;
  if (status) return status;
  po_trsv(v, L, PO_LOWER, PO_N, PO_NON_UNIT);
  norm = po_norm2(v, n);
  if (!(norm < 1)) return PO_ERR_SINGULAR;
  alpha = sqrt((1 - norm) * (1 + norm));
  for (k1 = n; k1 > 0; k1 = k0) {
    int last;
    k0 = k1 > CHOLESKY_BATCH ? k1 - CHOLESKY_BATCH : 0;
    last = k1 - 1; /* rotation of column k stands at last − k: they run from the last column to the first */
    for (k = last; k >= k0; k--) {
      double r;
      po_givens(&c[last - k], &s[last - k], &r, alpha, v[k]);
      s[last - k] = -s[last - k];
      alpha = r;
      v[k] = 0;
    }
    for (i = k0; i < k1; i++) {
      double *row = po_row(L, i), t = 0;
      for (k = i; k >= k0; k--) {
        double l = row[k];
        row[k] = c[last - k] * l + s[last - k] * t;
        t = c[last - k] * t - s[last - k] * l;
      }
      v[i] = t;
    }
    po_la_rotate_carry(po_block(L, k1, 0, n - k1, n), last, k1 - k0, -1, c, s, v + k1, 1);
  }
  for (i = 0; i < n; i++) {
    if (PO_AT(L, i, i) < 0)
      for (k = i; k < n; k++) PO_AT(L, k, i) = -PO_AT(L, k, i);
  }
  return PO_OK;
}
