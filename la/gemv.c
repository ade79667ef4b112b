/* gemv.c: matrix times vector, plain and transposed. */
#include "tile_avx2.h"

#include <string.h>

/* Row by row, a dot product each. */
static void gemv_plain(double *y, double beta, double alpha, po_mat A, const double *x) {
  int i;
  for (i = 0; i < A.rows; i++) {
    double s = alpha * po_dot(po_row(A, i), x, A.cols);
    y[i] = beta == 0 ? s : y[i] + s;
  }
}

/* Row by row, an axpy each. */
static void gemv_t_plain(double *y, double beta, double alpha, po_mat A, const double *x) {
  int i;
  if (beta == 0 && A.cols > 0) memset(y, 0, sizeof(double) * (size_t)A.cols);
  for (i = 0; i < A.rows; i++) po_axpy(y, alpha * x[i], po_row(A, i), A.cols);
}

#if PO_LA_AVX2

/* Four rows share each load of x; two vectors a row make eight chains. */
PO_LA_INLINE __m256d gemv_rows4(const double *a, ptrdiff_t ld, const double *x, int n) {
  __m256d s[4], t[4];
  int j = 0, p;
  PO_LA_UNROLL for (p = 0; p < 4; p++) s[p] = t[p] = _mm256_setzero_pd();
  for (; j + 8 <= n; j += 8) {
    __m256d x0 = _mm256_loadu_pd(x + j), x1 = _mm256_loadu_pd(x + j + 4);
    PO_LA_UNROLL for (p = 0; p < 4; p++) s[p] = _mm256_fmadd_pd(_mm256_loadu_pd(a + p * ld + j), x0, s[p]);
    PO_LA_UNROLL for (p = 0; p < 4; p++) t[p] = _mm256_fmadd_pd(_mm256_loadu_pd(a + p * ld + j + 4), x1, t[p]);
  }
  if (j + 4 <= n) {
    __m256d x0 = _mm256_loadu_pd(x + j);
    PO_LA_UNROLL for (p = 0; p < 4; p++) s[p] = _mm256_fmadd_pd(_mm256_loadu_pd(a + p * ld + j), x0, s[p]);
    j += 4;
  }
  if (j < n) {
    __m256i mask = po_la_mask(n - j);
    __m256d x0 = _mm256_maskload_pd(x + j, mask);
    PO_LA_UNROLL for (p = 0; p < 4; p++) t[p] = _mm256_fmadd_pd(_mm256_maskload_pd(a + p * ld + j, mask), x0, t[p]);
  }
  PO_LA_UNROLL for (p = 0; p < 4; p++) s[p] = _mm256_add_pd(s[p], t[p]);
  return po_la_sum4x4(s[0], s[1], s[2], s[3]);
}

PO_LA_TARGET static void gemv_avx2(double *y, double beta, double alpha, po_mat A, const double *x) {
  const double *a = A.a;
  ptrdiff_t ld = A.ld;
  int i = 0;
  for (; i + 4 <= A.rows; i += 4, a += 4 * ld) {
    __m256d s = _mm256_mul_pd(_mm256_set1_pd(alpha), gemv_rows4(a, ld, x, A.cols));
    if (beta != 0) s = _mm256_add_pd(_mm256_loadu_pd(y + i), s);
    _mm256_storeu_pd(y + i, s);
  }
  if (i < A.rows) gemv_plain(y + i, beta, alpha, po_block(A, i, 0, A.rows - i, A.cols), x);
}

/* nv vectors of y in registers while all rows pass by. */
PO_LA_INLINE void gemv_t_strip(double *y, double beta, double alpha, const double *a, ptrdiff_t ld, int rows, const double *x,
                               int nv, int tail) {
  __m256d s[8], va = _mm256_set1_pd(alpha);
  __m256i mask = po_la_mask(tail);
  int i, v;
  PO_LA_UNROLL for (v = 0; v < nv; v++) s[v] = _mm256_setzero_pd();
  for (i = 0; i < rows; i++, a += ld) {
    __m256d xi = _mm256_broadcast_sd(x + i);
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      __m256d b = v == nv - 1 && tail < 4 ? _mm256_maskload_pd(a + 4 * v, mask) : _mm256_loadu_pd(a + 4 * v);
      s[v] = _mm256_fmadd_pd(xi, b, s[v]);
    }
  }
  PO_LA_UNROLL for (v = 0; v < nv; v++) {
    int count = v == nv - 1 ? tail : 4;
    s[v] = _mm256_mul_pd(va, s[v]);
    if (beta != 0) s[v] = _mm256_add_pd(po_la_load_part(y + 4 * v, count), s[v]);
    po_la_store_part(y + 4 * v, s[v], count);
  }
}

PO_LA_TARGET static void gemv_t_avx2(double *y, double beta, double alpha, po_mat A, const double *x) {
  int j = 0, n = A.cols, left;
  for (; j + 32 <= n; j += 32) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 8, 4);
  if (j + 16 <= n) {
    gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 4, 4);
    j += 16;
  }
  left = n - j;
  if (left > 12) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 4, left - 12);
  else if (left == 12) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 3, 4);
  else if (left > 8) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 3, left - 8);
  else if (left > 4) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 2, left - 4);
  else if (left > 0) gemv_t_strip(y + j, beta, alpha, A.a + j, A.ld, A.rows, x, 1, left);
}

#endif

static void gemv_any(double *y, double beta, double alpha, po_mat A, const double *x) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    gemv_avx2(y, beta, alpha, A, x);
    return;
  }
#endif
  gemv_plain(y, beta, alpha, A, x);
}

static void gemv_t_any(double *y, double beta, double alpha, po_mat A, const double *x) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    gemv_t_avx2(y, beta, alpha, A, x);
    return;
  }
#endif
  gemv_t_plain(y, beta, alpha, A, x);
}

void po_gemv(double *y, po_mat A, const double *x) { gemv_any(y, 0, 1, A, x); }
void po_gemv_add(double *y, double alpha, po_mat A, const double *x) { gemv_any(y, 1, alpha, A, x); }
void po_gemv_t(double *y, po_mat A, const double *x) { gemv_t_any(y, 0, 1, A, x); }
void po_gemv_t_add(double *y, double alpha, po_mat A, const double *x) { gemv_t_any(y, 1, alpha, A, x); }
