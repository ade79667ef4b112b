/* svd_jacobi.c: one-sided Jacobi (Hestenes), the accurate SVD.
 *
 * A rotation of rows p and q of W makes them orthogonal; when all pairs are, W = J diag(s) W' with the rows of W' of unit length.
 * Every rotation works to a precision relative to its own two rows, so small singular values of a graded W come out as well as
 * large ones. po_svd hands over the triangle of a pivoted QR, whose rows are nearly in order and nearly orthogonal: few sweeps. */
#include "tile_avx2.h"

#include <math.h>

#define SVD_JACOBI_SWEEPS 60
/* Rows shorter than this (po_svd has scaled the largest element to about 1) are zero: their squares would lose bits. */
#define SVD_JACOBI_ZERO 0x1p-440

static void svd_jacobi_swap(double *x, double *y, int n) {
  int i;
  for (i = 0; i < n; i++) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

#if PO_LA_AVX2

/* x'x, y'y and x'y in one visit. */
PO_LA_TARGET static void svd_jacobi_products_avx2(double out[3], const double *x, const double *y, int n) {
  __m256d a = _mm256_setzero_pd(), b = a, g = a, a2 = a, b2 = a, g2 = a;
  int i;
  for (i = 0; i + 8 <= n; i += 8) {
    __m256d p = _mm256_loadu_pd(x + i), q = _mm256_loadu_pd(y + i), p2 = _mm256_loadu_pd(x + i + 4),
            q2 = _mm256_loadu_pd(y + i + 4);
    a = _mm256_fmadd_pd(p, p, a);
    b = _mm256_fmadd_pd(q, q, b);
    g = _mm256_fmadd_pd(p, q, g);
    a2 = _mm256_fmadd_pd(p2, p2, a2);
    b2 = _mm256_fmadd_pd(q2, q2, b2);
    g2 = _mm256_fmadd_pd(p2, q2, g2);
  }
  for (; i < n; i += 4) {
    __m256d p = po_la_load_part(x + i, n - i), q = po_la_load_part(y + i, n - i);
    a = _mm256_fmadd_pd(p, p, a);
    b = _mm256_fmadd_pd(q, q, b);
    g = _mm256_fmadd_pd(p, q, g);
  }
  out[0] = po_la_sum4(_mm256_add_pd(a, a2));
  out[1] = po_la_sum4(_mm256_add_pd(b, b2));
  out[2] = po_la_sum4(_mm256_add_pd(g, g2));
}

#endif

static void svd_jacobi_products(double out[3], const double *x, const double *y, int n) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    svd_jacobi_products_avx2(out, x, y, n);
    return;
  }
#endif
  out[0] = po_dot(x, x, n);
  out[1] = po_dot(y, y, n);
  out[2] = po_dot(x, y, n);
}

/* Makes rows p and q orthogonal, the longer one first. Returns 1 when there was something to do. */
static int svd_jacobi_pair(po_mat W, po_mat Jt, int p, int q, double tol) {
  double *x = po_row(W, p), *y = po_row(W, q);
  int n = W.cols;
  double products[3], a, b, g, zeta, t, c;
  svd_jacobi_products(products, x, y, n);
  a = products[0];
  b = products[1];
  g = products[2];
  if (b == 0) return 0;
  if (a < b) {
    double h = a;
    a = b;
    b = h;
    svd_jacobi_swap(x, y, n);
    if (Jt.a) svd_jacobi_swap(po_row(Jt, p), po_row(Jt, q), n);
    if (b == 0) return 0;
  }
  if (po_abs(g) <= tol * sqrt(a) * sqrt(b)) return 0;
  /* tan of the angle that annihilates x'y, the smaller root: Golub & Van Loan 8.5.2 */
  zeta = (a - b) / (2 * g);
  t = 1 / (po_abs(zeta) + sqrt(1 + zeta * zeta));
  if (zeta < 0) t = -t;
  c = 1 / sqrt(1 + t * t);
  po_givens_apply(x, y, n, c, c * t);
  if (Jt.a) po_givens_apply(po_row(Jt, p), po_row(Jt, q), n, c, c * t);
  return 1;
}

po_status po_la_svd_jacobi(po_mat W, double *s, po_mat Jt) {
  int n = W.rows, sweep, p, q, i, j, busy = n > 1;
  double tol = PO_EPS * po_max(2.0, sqrt((double)n));
  if (Jt.a) po_mat_identity(Jt);
  for (i = 0; i < n; i++)
    if (po_norm2(po_row(W, i), n) < SVD_JACOBI_ZERO) po_mat_zero(po_block(W, i, 0, 1, n));
  for (sweep = 0; busy; sweep++) {
    if (sweep == SVD_JACOBI_SWEEPS) return PO_ERR_ITERATIONS;
    busy = 0;
    for (p = 0; p < n - 1; p++)
      for (q = p + 1; q < n; q++) busy |= svd_jacobi_pair(W, Jt, p, q, tol);
  }
  for (i = 0; i < n; i++) s[i] = po_norm2(po_row(W, i), n);
  for (i = 0; i < n; i++) { /* the pairs leave them almost in order */
    int best = i;
    for (j = i + 1; j < n; j++)
      if (s[j] > s[best]) best = j;
    if (best != i) {
      svd_jacobi_swap(&s[i], &s[best], 1);
      svd_jacobi_swap(po_row(W, i), po_row(W, best), n);
      if (Jt.a) svd_jacobi_swap(po_row(Jt, i), po_row(Jt, best), n);
    }
    if (s[i] > 0) po_scale(po_row(W, i), 1 / s[i], n);
  }
  return PO_OK;
}
