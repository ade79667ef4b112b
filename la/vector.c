/* vector.c: dot, axpy, scaling and norms. */
#include "tile_avx2.h"

#include <math.h>

static double vector_dot_plain(const double *x, const double *y, int n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s;
  int i;
  for (i = 0; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  s = (s0 + s2) + (s1 + s3);
  for (; i < n; i++) s += x[i] * y[i];
  return s;
}

static void vector_axpy_plain(double *y, double alpha, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++) y[i] += alpha * x[i];
}

static void vector_scale_plain(double *x, double alpha, int n) {
  int i;
  for (i = 0; i < n; i++) x[i] *= alpha;
}

#if PO_LA_AVX2

/* Four accumulators of four lanes; (s0 + s1) + (s2 + s3), lanes (0 + 2) + (1 + 3). */
PO_LA_TARGET static double vector_dot_avx2(const double *x, const double *y, int n) {
  __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    s0 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i), s0);
    s1 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i + 4), _mm256_loadu_pd(y + i + 4), s1);
    s2 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i + 8), _mm256_loadu_pd(y + i + 8), s2);
    s3 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i + 12), _mm256_loadu_pd(y + i + 12), s3);
  }
  if (i + 8 <= n) {
    s0 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i), s0);
    s1 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i + 4), _mm256_loadu_pd(y + i + 4), s1);
    i += 8;
  }
  if (i + 4 <= n) {
    s2 = _mm256_fmadd_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i), s2);
    i += 4;
  }
  if (i < n) s3 = _mm256_fmadd_pd(po_la_load_part(x + i, n - i), po_la_load_part(y + i, n - i), s3);
  return po_la_sum4(_mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3)));
}

PO_LA_TARGET static void vector_axpy_avx2(double *y, double alpha, const double *x, int n) {
  __m256d a = _mm256_set1_pd(alpha);
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_pd(y + i, _mm256_fmadd_pd(a, _mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i)));
    _mm256_storeu_pd(y + i + 4, _mm256_fmadd_pd(a, _mm256_loadu_pd(x + i + 4), _mm256_loadu_pd(y + i + 4)));
  }
  if (i + 4 <= n) {
    _mm256_storeu_pd(y + i, _mm256_fmadd_pd(a, _mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i)));
    i += 4;
  }
  for (; i < n; i++) y[i] = _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(alpha), _mm_load_sd(x + i), _mm_load_sd(y + i)));
}

PO_LA_TARGET static void vector_scale_avx2(double *x, double alpha, int n) {
  __m256d a = _mm256_set1_pd(alpha);
  int i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(x + i, _mm256_mul_pd(a, _mm256_loadu_pd(x + i)));
  for (; i < n; i++) x[i] *= alpha;
}

#endif

double po_dot(const double *x, const double *y, int n) {
#if PO_LA_AVX2
  if (po_la_avx2()) return vector_dot_avx2(x, y, n);
#endif
  return vector_dot_plain(x, y, n);
}

void po_axpy(double *y, double alpha, const double *x, int n) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    vector_axpy_avx2(y, alpha, x, n);
    return;
  }
#endif
  vector_axpy_plain(y, alpha, x, n);
}

void po_scale(double *x, double alpha, int n) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    vector_scale_avx2(x, alpha, n);
    return;
  }
#endif
  vector_scale_plain(x, alpha, n);
}

static double vector_norm_inf(const double *x, int n, double top) {
  int i;
  for (i = 0; i < n; i++) {
    double a = po_abs(x[i]);
    if (a > top || a != a) top = a; /* once NaN, no comparison is true any more but a NaN's own */
  }
  return top;
}

#if PO_LA_AVX2
/* The same to the bit: the largest does not depend on the order, and a NaN sends it back to the plain loop. */
PO_LA_TARGET static double vector_norm_inf_avx2(const double *x, int n) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d most = _mm256_setzero_pd(), odd = most;
  double top[4];
  int i;
  for (i = 0; i + 4 <= n; i += 4) {
    __m256d a = _mm256_andnot_pd(sign, _mm256_loadu_pd(x + i));
    most = _mm256_max_pd(a, most);
    odd = _mm256_or_pd(odd, _mm256_cmp_pd(a, a, _CMP_UNORD_Q));
  }
  if (_mm256_movemask_pd(odd)) return vector_norm_inf(x, n, 0);
  _mm256_storeu_pd(top, most);
  return vector_norm_inf(x + i, n - i, po_max(po_max(top[0], top[1]), po_max(top[2], top[3])));
}
#endif

double po_norm_inf(const double *x, int n) {
#if PO_LA_AVX2
  if (po_la_avx2()) return vector_norm_inf_avx2(x, n);
#endif
  return vector_norm_inf(x, n, 0);
}

double po_norm2(const double *x, int n) {
  double s = po_dot(x, x, n), top, inverse;
  int i;
  /* In this range neither overflow nor the loss of small squares can have touched more than the last bit. */
  if (s <= 0x1p+1000 && s >= PO_LA_TINY_SQUARE) return sqrt(s);
  top = po_norm_inf(x, n);
  if (top == 0 || !po_isfinite(top)) return top;
  inverse = po_la_scaling(top);
  s = 0;
  for (i = 0; i < n; i++) {
    double a = x[i] * inverse;
    s += a * a;
  }
  return sqrt(s) / inverse;
}

double po_norm_max(po_mat A) {
  double top = 0;
  int i;
  for (i = 0; i < A.rows; i++) {
    double a = po_norm_inf(po_row(A, i), A.cols);
    if (a > top || a != a) top = a;
  }
  return top;
}

double po_norm_fro(po_mat A) {
  double s = 0, top, inverse;
  int i, j;
  for (i = 0; i < A.rows; i++) s += po_dot(po_row(A, i), po_row(A, i), A.cols);
  if (s <= 0x1p+1000 && s >= PO_LA_TINY_SQUARE) return sqrt(s);
  top = po_norm_max(A);
  if (top == 0 || !po_isfinite(top)) return top;
  inverse = po_la_scaling(top);
  s = 0;
  for (i = 0; i < A.rows; i++) {
    const double *row = po_row(A, i);
    for (j = 0; j < A.cols; j++) {
      double a = row[j] * inverse;
      s += a * a;
    }
  }
  return sqrt(s) / inverse;
}
