/* givens.c: plane rotations, one and in sequences.
 *
 * A sequence of rotations of neighbours has a carry: the second of one pair is the first of the next. Along rows the carry stays in
 * registers while a strip of columns runs through the whole sequence, so each element is loaded and stored once. Across columns
 * four rows go together, transposed in registers, so that the sequence runs in four lanes at once. */
#include "tile_avx2.h"

#include <math.h>

void po_givens(double *c, double *s, double *r, double a, double b) {
  if (b == 0) {
    *c = 1;
    *s = 0;
    *r = a;
  } else if (po_abs(a) > po_abs(b)) { /* Golub & Van Loan algorithm 5.1.3: the ratio is at most 1, so nothing overflows */
    double t = b / a, u = sqrt(1 + t * t);
    *c = 1 / u;
    *s = t * *c;
    *r = a * u;
  } else {
    double t = a / b, u = sqrt(1 + t * t);
    *s = 1 / u;
    *c = t * *s;
    *r = b * u;
  }
}

/* ---- two rows ------------------------------------------------------------------------------------------------------------ */

static void givens_apply_plain(double *x, double *y, int n, double c, double s) {
  int i;
  for (i = 0; i < n; i++) {
    double a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b - s * a;
  }
}

#if PO_LA_AVX2

PO_LA_TARGET static void givens_apply_avx2(double *x, double *y, int n, double c, double s) {
  __m256d vc = _mm256_set1_pd(c), vs = _mm256_set1_pd(s);
  int i;
  for (i = 0; i + 4 <= n; i += 4) {
    __m256d a = _mm256_loadu_pd(x + i), b = _mm256_loadu_pd(y + i);
    _mm256_storeu_pd(x + i, _mm256_fmadd_pd(vc, a, _mm256_mul_pd(vs, b)));
    _mm256_storeu_pd(y + i, _mm256_fnmadd_pd(vs, a, _mm256_mul_pd(vc, b)));
  }
  if (i < n) {
    __m256d a = po_la_load_part(x + i, n - i), b = po_la_load_part(y + i, n - i);
    po_la_store_part(x + i, _mm256_fmadd_pd(vc, a, _mm256_mul_pd(vs, b)), n - i);
    po_la_store_part(y + i, _mm256_fnmadd_pd(vs, a, _mm256_mul_pd(vc, b)), n - i);
  }
}

#endif

void po_givens_apply(double *x, double *y, int n, double c, double s) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    givens_apply_avx2(x, y, n, c, s);
    return;
  }
#endif
  givens_apply_plain(x, y, n, c, s);
}

/* ---- a sequence along rows ----------------------------------------------------------------------------------------------- */

#if PO_LA_AVX2

/* nv vectors of columns through all rotations; step is the distance from one row to the next, up or down. */
PO_LA_INLINE void givens_strip(double *a, ptrdiff_t step, int count, const double *c, const double *s, int nv, int tail) {
  __m256d x[4];
  int k, v;
  PO_LA_UNROLL for (v = 0; v < nv; v++) x[v] =
      v == nv - 1 && tail < 4 ? po_la_load_part(a + 4 * v, tail) : _mm256_loadu_pd(a + 4 * v);
  for (k = 0; k < count; k++, a += step) {
    __m256d vc = _mm256_broadcast_sd(c + k), vs = _mm256_broadcast_sd(s + k);
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      const double *at = a + step + 4 * v;
      __m256d y = v == nv - 1 && tail < 4 ? po_la_load_part(at, tail) : _mm256_loadu_pd(at);
      __m256d out = _mm256_fmadd_pd(vc, x[v], _mm256_mul_pd(vs, y));
      x[v] = _mm256_fnmadd_pd(vs, x[v], _mm256_mul_pd(vc, y));
      if (v == nv - 1 && tail < 4) po_la_store_part(a + 4 * v, out, tail);
      else _mm256_storeu_pd(a + 4 * v, out);
    }
  }
  PO_LA_UNROLL for (v = 0; v < nv; v++) {
    if (v == nv - 1 && tail < 4) po_la_store_part(a + 4 * v, x[v], tail);
    else _mm256_storeu_pd(a + 4 * v, x[v]);
  }
}

PO_LA_TARGET static void givens_rows_avx2(double *a, ptrdiff_t step, int n, int count, const double *c, const double *s) {
  int j;
  for (j = 0; j + 16 <= n; j += 16) givens_strip(a + j, step, count, c, s, 4, 4);
  if (n - j >= 12) {
    givens_strip(a + j, step, count, c, s, 3, 4);
    j += 12;
  } else if (n - j >= 8) {
    givens_strip(a + j, step, count, c, s, 2, 4);
    j += 8;
  } else if (n - j >= 4) {
    givens_strip(a + j, step, count, c, s, 1, 4);
    j += 4;
  }
  if (j < n) givens_strip(a + j, step, count, c, s, 1, n - j);
}

#endif

void po_la_rotate_rows(po_mat A, int first, int count, int dir, const double *c, const double *s) {
  int k;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    givens_rows_avx2(po_row(A, first), dir * (ptrdiff_t)A.ld, A.cols, count, c, s);
    return;
  }
#endif
  for (k = 0; k < count; k++) givens_apply_plain(po_row(A, first + k * dir), po_row(A, first + (k + 1) * dir), A.cols, c[k], s[k]);
}

/* ---- a sequence across columns ------------------------------------------------------------------------------------------- */

/* One row: out = c x + s y takes the place of the carry x, or, for a fixed carry, of y (see po_la_rotate_columns). */
static void givens_row_plain(double *q, int dir, int count, const double *c, const double *s) {
  double x = q[0];
  int k;
  for (k = 0; k < count; k++) {
    double y = q[(k + 1) * dir];
    q[k * dir] = c[k] * x + s[k] * y;
    x = c[k] * y - s[k] * x;
  }
  q[count * dir] = x;
}

static double givens_carry_plain(double *q, int dir, int count, const double *c, const double *s, double x) {
  int k;
  for (k = 0; k < count; k++) {
    double y = q[k * dir];
    q[k * dir] = c[k] * y + s[k] * x;
    x = c[k] * x - s[k] * y;
  }
  return x;
}

#if PO_LA_AVX2

/* Four rotations of four rows: y are the columns they meet, in the order they are met, and become what is stored. */
PO_LA_INLINE __m256d givens_four(__m256d x, __m256d y[4], const double *c, const double *s, int fixed) {
  int k;
  PO_LA_UNROLL for (k = 0; k < 4; k++) {
    __m256d vc = _mm256_broadcast_sd(c + k), vs = _mm256_broadcast_sd(s + k), b = y[k];
    if (fixed) {
      y[k] = _mm256_fmadd_pd(vs, x, _mm256_mul_pd(vc, b));
      x = _mm256_fmsub_pd(vc, x, _mm256_mul_pd(vs, b));
    } else {
      y[k] = _mm256_fmadd_pd(vc, x, _mm256_mul_pd(vs, b));
      x = _mm256_fnmadd_pd(vs, x, _mm256_mul_pd(vc, b));
    }
  }
  return x;
}

/* Four rows, `count` rotations (a multiple of 4). q: the first column met; put: where the first result goes. */
PO_LA_INLINE __m256d givens_columns4(double *q, double *put, ptrdiff_t ld, int dir, int count, const double *c, const double *s,
                                     __m256d x, int fixed) {
  int k, p;
  for (k = 0; k < count; k += 4) {
    double *from = dir > 0 ? q + k : q - k - 3, *to = dir > 0 ? put + k : put - k - 3;
    __m256d y[4], z[4];
    PO_LA_UNROLL for (p = 0; p < 4; p++) y[p] = _mm256_loadu_pd(from + p * ld);
    po_la_transpose4(&y[0], &y[1], &y[2], &y[3]);
    PO_LA_UNROLL for (p = 0; p < 4; p++) z[p] = y[dir > 0 ? p : 3 - p];
    x = givens_four(x, z, c + k, s + k, fixed);
    PO_LA_UNROLL for (p = 0; p < 4; p++) y[p] = z[dir > 0 ? p : 3 - p];
    po_la_transpose4(&y[0], &y[1], &y[2], &y[3]);
    PO_LA_UNROLL for (p = 0; p < 4; p++) _mm256_storeu_pd(to + p * ld, y[p]);
  }
  return x;
}

/* The carry of four rows from and to memory, `step` apart. */
PO_LA_INLINE __m256d givens_load_column(const double *p, ptrdiff_t step) {
  return _mm256_setr_pd(p[0], p[step], p[2 * step], p[3 * step]);
}
PO_LA_INLINE void givens_store_column(double *p, ptrdiff_t step, __m256d x) {
  __m128d low = _mm256_castpd256_pd128(x), high = _mm256_extractf128_pd(x, 1);
  _mm_storel_pd(p, low);
  _mm_storeh_pd(p + step, low);
  _mm_storel_pd(p + 2 * step, high);
  _mm_storeh_pd(p + 3 * step, high);
}

PO_LA_INLINE int givens_columns(po_mat Q, int first, int count, int dir, const double *c, const double *s) {
  int i;
  for (i = 0; i + 4 <= Q.rows; i += 4) {
    double *q = po_row(Q, i) + first;
    __m256d x = givens_columns4(q + dir, q, Q.ld, dir, count, c, s, givens_load_column(q, Q.ld), 0);
    givens_store_column(q + dir * count, Q.ld, x);
  }
  return i;
}

PO_LA_INLINE int givens_carry(po_mat Q, int first, int count, int dir, const double *c, const double *s, double *carry,
                              ptrdiff_t step) {
  int i;
  for (i = 0; i + 4 <= Q.rows; i += 4) {
    double *q = po_row(Q, i) + first, *x = carry + i * step;
    givens_store_column(x, step, givens_columns4(q, q, Q.ld, dir, count, c, s, givens_load_column(x, step), 1));
  }
  return i;
}

PO_LA_TARGET static int givens_columns_avx2(po_mat Q, int first, int count, int dir, const double *c, const double *s) {
  if (dir > 0) return givens_columns(Q, first, count, 1, c, s);
  return givens_columns(Q, first, count, -1, c, s);
}
PO_LA_TARGET static int givens_carry_avx2(po_mat Q, int first, int count, int dir, const double *c, const double *s, double *carry,
                                          ptrdiff_t step) {
  if (dir > 0) return givens_carry(Q, first, count, 1, c, s, carry, step);
  return givens_carry(Q, first, count, -1, c, s, carry, step);
}

#endif

void po_la_rotate_columns(po_mat Q, int first, int count, int dir, const double *c, const double *s) {
  int i = 0, whole = 0, k;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    whole = count & ~3;
    i = givens_columns_avx2(Q, first, whole, dir, c, s);
  }
#endif
  for (k = 0; k < i && whole < count; k++)
    givens_row_plain(po_row(Q, k) + first + dir * whole, dir, count - whole, c + whole, s + whole);
  for (; i < Q.rows; i++) givens_row_plain(po_row(Q, i) + first, dir, count, c, s);
}

void po_la_rotate_carry(po_mat Q, int first, int count, int dir, const double *c, const double *s, double *carry, int step) {
  int i = 0, whole = 0, k;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    whole = count & ~3;
    i = givens_carry_avx2(Q, first, whole, dir, c, s, carry, step);
  }
#endif
  for (k = 0; k < i && whole < count; k++) {
    double *x = carry + (ptrdiff_t)k * step;
    *x = givens_carry_plain(po_row(Q, k) + first + dir * whole, dir, count - whole, c + whole, s + whole, *x);
  }
  for (; i < Q.rows; i++) {
    double *x = carry + (ptrdiff_t)i * step;
    *x = givens_carry_plain(po_row(Q, i) + first, dir, count, c, s, *x);
  }
}
