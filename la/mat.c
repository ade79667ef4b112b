/* mat.c: views, filling, copying, and the checks at the door. */
#include "tile_avx2.h"

#include <math.h>
#include <string.h>

/* A multiple of 4; rows a multiple of 64 doubles apart would all fall into the same few sets of a first-level cache, so those get
 * one vector more (a pivoted QR of 128 columns gains a third). */
static int mat_padded(int cols) {
  int ld = po_pad4(cols);
  return ld > 0 && ld % 64 == 0 ? ld + 4 : ld;
}

po_mat po_arena_mat(po_arena *arena, int rows, int cols) {
  int ld = mat_padded(cols);
  double *a = (double *)po_arena_zalloc(arena, sizeof(double) * (size_t)rows * (size_t)ld);
  return po_mat_of(a, rows, cols, ld);
}

size_t po_mat_bytes(int rows, int cols) {
  size_t bytes = sizeof(double) * (size_t)rows * (size_t)mat_padded(cols);
  return (bytes + 31) & ~(size_t)31;
}

/* The hungriest call is po_pinv: U, V, and within po_svd a copy, two sets of vectors and one more square for forming them. */
size_t po_la_scratch_bytes(int rows, int cols) {
  int n = rows > cols ? rows : cols;
  return 8 * po_mat_bytes(n, n) + 24 * po_mat_bytes(1, n) + 1024;
}

po_status po_mat_check(po_mat A) {
  if (A.rows < 0 || A.cols < 0 || A.ld < A.cols) return PO_ERR_SIZE;
  if (!A.a && A.rows > 0 && A.cols > 0) return PO_ERR_NULL;
  return PO_OK;
}

po_status po_mat_check_finite(po_mat A) {
  double largest;
  return po_la_scan(A, &largest);
}

/* *largest = max |x| over the matrix or its lower triangle; returns whether all are finite. */
static int mat_scan_plain(po_mat A, int lower, double *largest) {
  double top = 0;
  int i, j, bad = 0;
  for (i = 0; i < A.rows; i++) {
    const double *row = po_row(A, i);
    int n = lower ? i + 1 : A.cols;
    for (j = 0; j < n; j++) {
      double x = po_abs(row[j]);
      bad |= !po_isfinite(x);
      if (x > top) top = x;
    }
  }
  *largest = top;
  return !bad;
}

#if PO_LA_AVX2

/* Largest magnitude so far, and a sum that is 0 as long as all were finite: x − x is 0 or NaN. */
typedef struct mat_seen {
  __m256d top, bad;
} mat_seen;

PO_LA_INLINE void mat_see(mat_seen *seen, __m256d x) {
  x = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  seen->bad = _mm256_add_pd(seen->bad, _mm256_sub_pd(x, x));
  seen->top = _mm256_max_pd(seen->top, x);
}

PO_LA_INLINE int mat_seen_finite(const mat_seen seen[4], double *largest) {
  __m256d top = _mm256_max_pd(_mm256_max_pd(seen[0].top, seen[1].top), _mm256_max_pd(seen[2].top, seen[3].top));
  __m256d bad = _mm256_add_pd(_mm256_add_pd(seen[0].bad, seen[1].bad), _mm256_add_pd(seen[2].bad, seen[3].bad));
  double t[4];
  _mm256_storeu_pd(t, top);
  *largest = po_max(po_max(t[0], t[1]), po_max(t[2], t[3]));
  return po_la_sum4(bad) == 0;
}

/* Four rows at a time, so that four chains run beside each other; `lower`: columns up to the diagonal only. */
PO_LA_TARGET static int mat_scan_avx2(po_mat A, int lower, double *largest) {
  mat_seen seen[4];
  ptrdiff_t ld = A.ld;
  int i, j, p;
  for (p = 0; p < 4; p++) seen[p].top = seen[p].bad = _mm256_setzero_pd();
  for (i = 0; i + 4 <= A.rows; i += 4) {
    const double *a = po_row(A, i);
    int n = lower ? i : A.cols;
    for (j = 0; j + 4 <= n; j += 4) {
      PO_LA_UNROLL for (p = 0; p < 4; p++) mat_see(&seen[p], _mm256_loadu_pd(a + p * ld + j));
    }
    if (lower) {
      PO_LA_UNROLL for (p = 0; p < 4; p++) mat_see(&seen[p], po_la_load_part(a + p * ld + i, p + 1));
    } else if (j < n) {
      __m256i mask = po_la_mask(n - j);
      PO_LA_UNROLL for (p = 0; p < 4; p++) mat_see(&seen[p], _mm256_maskload_pd(a + p * ld + j, mask));
    }
  }
  for (; i < A.rows; i++) {
    int n = lower ? i + 1 : A.cols;
    for (j = 0; j < n; j += 4) mat_see(&seen[0], po_la_load_part(po_row(A, i) + j, n - j));
  }
  return mat_seen_finite(seen, largest);
}

#endif

static po_status mat_scan(po_mat A, int lower, double *largest) {
  po_status status = po_mat_check(A);
  int finite;
  *largest = 0;
  if (status) return status;
  if (lower && A.rows != A.cols) return PO_ERR_SIZE;
#if PO_LA_AVX2
  if (po_la_avx2()) finite = mat_scan_avx2(A, lower, largest);
  else
#endif
    finite = mat_scan_plain(A, lower, largest);
  return finite ? PO_OK : PO_ERR_NOT_FINITE;
}

po_status po_la_scan(po_mat A, double *largest) { return mat_scan(A, 0, largest); }

po_status po_la_scan_norm(po_mat A, double *largest) {
  po_status status = po_la_scan(A, largest);
  if (status) return status;
  return *largest < PO_LA_BIG || po_isfinite(*largest * sqrt((double)A.rows * A.cols)) ? PO_OK : PO_ERR_NOT_FINITE;
}

po_status po_la_check_lower(po_mat A) {
  double largest;
  return mat_scan(A, 1, &largest);
}

double po_la_scaling(double largest) {
  double s = 1;
  if (largest == 0 || (largest <= PO_LA_BIG && largest >= PO_LA_SMALL)) return 1;
  while (largest > PO_LA_BIG) {
    s *= 0x1p-256;
    largest *= 0x1p-256;
  }
  while (largest < PO_LA_SMALL) {
    s *= 0x1p+256;
    largest *= 0x1p+256;
  }
  return s;
}

void po_la_mat_scale(po_mat A, double alpha) {
  int i;
  for (i = 0; i < A.rows; i++) po_scale(po_row(A, i), alpha, A.cols);
}

void po_la_scale_upper(po_mat A, double alpha) {
  int i, n = A.rows < A.cols ? A.rows : A.cols;
  for (i = 0; i < n; i++) po_scale(po_row(A, i) + i, alpha, A.cols - i);
}

void po_mat_zero(po_mat A) {
  int i;
  if (A.cols <= 0) return;
  for (i = 0; i < A.rows; i++) memset(po_row(A, i), 0, sizeof(double) * (size_t)A.cols);
}

void po_mat_identity(po_mat A) {
  int i, n = A.rows < A.cols ? A.rows : A.cols;
  po_mat_zero(A);
  for (i = 0; i < n; i++) PO_AT(A, i, i) = 1;
}

void po_mat_copy(po_mat dst, po_mat src) {
  int i;
  PO_ASSERT(dst.rows == src.rows && dst.cols == src.cols);
  if (src.cols <= 0) return;
  for (i = 0; i < src.rows; i++) memmove(po_row(dst, i), po_row(src, i), sizeof(double) * (size_t)src.cols);
}

static void mat_transpose_plain(po_mat dst, po_mat src) {
  int i, j;
  for (i = 0; i < src.rows; i++) {
    const double *row = po_row(src, i);
    for (j = 0; j < src.cols; j++) PO_AT(dst, j, i) = row[j];
  }
}

#if PO_LA_AVX2

PO_LA_TARGET static void mat_transpose_avx2(po_mat dst, po_mat src) {
  int m = src.rows & ~3, n = src.cols & ~3, i, j;
  size_t ls = (size_t)src.ld, ld = (size_t)dst.ld;
  for (i = 0; i < m; i += 4)
    for (j = 0; j < n; j += 4) {
      const double *s = &PO_AT(src, i, j);
      double *d = &PO_AT(dst, j, i);
      __m256d a = _mm256_loadu_pd(s), b = _mm256_loadu_pd(s + ls), c = _mm256_loadu_pd(s + 2 * ls), e = _mm256_loadu_pd(s + 3 * ls);
      po_la_transpose4(&a, &b, &c, &e);
      _mm256_storeu_pd(d, a);
      _mm256_storeu_pd(d + ld, b);
      _mm256_storeu_pd(d + 2 * ld, c);
      _mm256_storeu_pd(d + 3 * ld, e);
    }
  mat_transpose_plain(po_block(dst, n, 0, src.cols - n, m), po_block(src, 0, n, m, src.cols - n));
  mat_transpose_plain(po_block(dst, 0, m, src.cols, src.rows - m), po_block(src, m, 0, src.rows - m, src.cols));
}

#endif

#if PO_LA_AVX2
PO_LA_TARGET static void mat_copy_lower_avx2(po_mat dst, po_mat src) {
  ptrdiff_t ls = src.ld, ld = dst.ld;
  int i, j, p;
  for (i = 0; i + 4 <= src.rows; i += 4) {
    const double *s = po_row(src, i);
    double *d = po_row(dst, i);
    for (j = 0; j < i; j += 4) {
      PO_LA_UNROLL for (p = 0; p < 4; p++) _mm256_storeu_pd(d + p * ld + j, _mm256_loadu_pd(s + p * ls + j));
    }
    PO_LA_UNROLL for (p = 0; p < 4; p++) po_la_store_part(d + p * ld + i, po_la_load_part(s + p * ls + i, p + 1), p + 1);
  }
  for (; i < src.rows; i++) memcpy(po_row(dst, i), po_row(src, i), sizeof(double) * (size_t)(i + 1));
}
#endif

void po_la_copy_lower(po_mat dst, po_mat src) {
  int i;
  if (dst.a == src.a) return;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    mat_copy_lower_avx2(dst, src);
    return;
  }
#endif
  for (i = 0; i < src.rows; i++) memcpy(po_row(dst, i), po_row(src, i), sizeof(double) * (size_t)(i + 1));
}

void po_mat_transpose(po_mat dst, po_mat src) {
  PO_ASSERT(dst.rows == src.cols && dst.cols == src.rows);
#if PO_LA_AVX2
  if (po_la_avx2()) {
    mat_transpose_avx2(dst, src);
    return;
  }
#endif
  mat_transpose_plain(dst, src);
}

void po_mat_symmetrize(po_mat A, po_uplo from) {
  int i, j;
  PO_ASSERT(A.rows == A.cols);
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < i; j++) {
      if (from == PO_LOWER) PO_AT(A, j, i) = PO_AT(A, i, j);
      else PO_AT(A, i, j) = PO_AT(A, j, i);
    }
}
