/* reflect.c: Householder reflectors, one at a time and four at a time.
 *
 * Four reflectors H_0 H_1 H_2 H_3 = I − V T V' with an upper triangular T (Schreiber & Van Loan 1989). V keeps its place below the
 * diagonal of the factored matrix, where the four elements of a row are neighbours; B passes by twice in strips of up to 12
 * columns, once to gather W = V'B in registers and once to subtract V (T W). No copy, no packing, no scratch. */
#include "tile_avx2.h"

#include <math.h>

/* ---- one reflector ------------------------------------------------------------------------------------------------------ */

static double reflect_square(const double *x, int n, int stride) {
  double s = 0;
  int i;
  if (stride == 1) return po_dot(x, x, n);
  for (i = 0; i < n; i++) s += x[(size_t)i * (size_t)stride] * x[(size_t)i * (size_t)stride];
  return s;
}

/* The norm of (alpha; x) when squares may overflow or vanish; 0 when x is zero. */
static double reflect_norm(double alpha, const double *x, int n, int stride) {
  double top = 0, scale, s;
  int i;
  for (i = 0; i < n; i++) top = po_max(top, po_abs(x[(size_t)i * (size_t)stride]));
  if (top == 0) return 0;
  top = po_max(top, po_abs(alpha));
  scale = po_la_scaling(top);
  s = (alpha * scale) * (alpha * scale);
  for (i = 0; i < n; i++) {
    double a = x[(size_t)i * (size_t)stride] * scale;
    s += a * a;
  }
  return sqrt(s) / scale;
}

double po_la_reflector(double *alpha, double *x, int n, int stride) {
  double s = reflect_square(x, n, stride), a = *alpha, norm, beta, divisor;
  int i;
  if (s >= PO_LA_TINY_SQUARE && s <= 0x1p+1000 && po_abs(a) <= PO_LA_BIG) norm = sqrt(a * a + s);
  else norm = reflect_norm(a, x, n, stride);
  if (norm == 0) return 0;
  beta = a > 0 ? -norm : norm;
  divisor = a - beta;
  if (po_abs(divisor) < PO_LA_SMALL) { /* its inverse might overflow */
    for (i = 0; i < n; i++) x[(size_t)i * (size_t)stride] /= divisor;
  } else if (stride == 1) {
    po_scale(x, 1 / divisor, n);
  } else {
    double inverse = 1 / divisor;
    for (i = 0; i < n; i++) x[(size_t)i * (size_t)stride] *= inverse;
  }
  *alpha = beta;
  return (beta - a) / beta;
}

#define REFLECT_STRIP 64

#if PO_LA_AVX2

/* One reflector, nv vectors of columns: the products stay in registers between the two visits of A. */
PO_LA_INLINE void reflect_one(double *a, ptrdiff_t ld, int rows, const double *v, ptrdiff_t stride, double tau, int nv, int tail) {
  __m256d w[6];
  double *p;
  const double *x;
  int i, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) w[c] =
      c == nv - 1 && tail < 4 ? po_la_load_part(a + 4 * c, tail) : _mm256_loadu_pd(a + 4 * c);
  for (i = 1, p = a + ld, x = v; i < rows; i++, p += ld, x += stride) {
    __m256d s = _mm256_broadcast_sd(x);
    PO_LA_UNROLL for (c = 0; c < nv; c++) w[c] =
        _mm256_fmadd_pd(s, c == nv - 1 && tail < 4 ? po_la_load_part(p + 4 * c, tail) : _mm256_loadu_pd(p + 4 * c), w[c]);
  }
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    int count = c == nv - 1 ? tail : 4;
    w[c] = _mm256_mul_pd(_mm256_set1_pd(tau), w[c]);
    po_la_store_part(a + 4 * c, _mm256_sub_pd(po_la_load_part(a + 4 * c, count), w[c]), count);
  }
  for (i = 1, p = a + ld, x = v; i < rows; i++, p += ld, x += stride) {
    __m256d s = _mm256_broadcast_sd(x);
    PO_LA_UNROLL for (c = 0; c < nv; c++) {
      int last = c == nv - 1 && tail < 4;
      __m256d y = _mm256_fnmadd_pd(s, w[c], last ? po_la_load_part(p + 4 * c, tail) : _mm256_loadu_pd(p + 4 * c));
      if (last) po_la_store_part(p + 4 * c, y, tail);
      else _mm256_storeu_pd(p + 4 * c, y);
    }
  }
}

PO_LA_TARGET static void reflect_one_avx2(po_mat A, const double *v, int stride, double tau) {
  int j = 0, n = A.cols;
  for (; j + 24 <= n; j += 24) reflect_one(A.a + j, A.ld, A.rows, v, stride, tau, 6, 4);
  if (j + 12 <= n) {
    reflect_one(A.a + j, A.ld, A.rows, v, stride, tau, 3, 4);
    j += 12;
  }
  if (j + 8 <= n) {
    reflect_one(A.a + j, A.ld, A.rows, v, stride, tau, 2, 4);
    j += 8;
  }
  if (j + 4 <= n) {
    reflect_one(A.a + j, A.ld, A.rows, v, stride, tau, 1, 4);
    j += 4;
  }
  if (j < n) reflect_one(A.a + j, A.ld, A.rows, v, stride, tau, 1, n - j);
}

#endif

/* w = tau u'A gathers rows, A −= u w' scatters rows: both run along rows, strip by strip of columns. */
void po_la_reflect_left(po_mat A, const double *v, int stride, double tau) {
  double w[REFLECT_STRIP];
  int j0, j, i;
  if (tau == 0 || A.rows <= 0) return;
#if PO_LA_AVX2
  if (po_la_avx2()) {
    reflect_one_avx2(A, v, stride, tau);
    return;
  }
#endif
  for (j0 = 0; j0 < A.cols; j0 += REFLECT_STRIP) {
    int n = A.cols - j0 < REFLECT_STRIP ? A.cols - j0 : REFLECT_STRIP;
    double *top = A.a + j0;
    for (j = 0; j < n; j++) w[j] = top[j];
    for (i = 1; i < A.rows; i++) po_axpy(w, v[(size_t)(i - 1) * (size_t)stride], po_row(A, i) + j0, n);
    for (j = 0; j < n; j++) w[j] *= tau;
    for (j = 0; j < n; j++) top[j] -= w[j];
    for (i = 1; i < A.rows; i++) po_axpy(po_row(A, i) + j0, -v[(size_t)(i - 1) * (size_t)stride], w, n);
  }
}

void po_la_reflect_right(po_mat A, const double *v, int stride, double tau) {
  int i, j;
  if (tau == 0 || A.cols <= 0) return;
  for (i = 0; stride == 1 && i < A.rows; i++) {
    double *row = po_row(A, i), w = tau * (row[0] + po_dot(row + 1, v, A.cols - 1));
    row[0] -= w;
    po_axpy(row + 1, -w, v, A.cols - 1);
  }
  for (i = 0; stride != 1 && i < A.rows; i++) {
    double *row = po_row(A, i), w = row[0];
    for (j = 1; j < A.cols; j++) w += row[j] * v[(size_t)(j - 1) * (size_t)stride];
    w *= tau;
    row[0] -= w;
    for (j = 1; j < A.cols; j++) row[j] -= w * v[(size_t)(j - 1) * (size_t)stride];
  }
}

/* ---- four reflectors, AVX2 ------------------------------------------------------------------------------------------------ */

#if PO_LA_AVX2

/* Column j of T: T(0…j−1, j) = −tau_j T(0…j−1, 0…j−1) z with z = V(:, 0…j−1)' v_j. */
void po_la_block_column(po_la_block *b, int j, double tau, const double *z) {
  int p, q;
  for (p = 0; p < j; p++) {
    double s = 0;
    for (q = p; q < j; q++) s += b->t[4 * p + q] * z[q];
    b->t[4 * p + j] = -tau * s;
  }
  b->t[4 * j + j] = tau;
  for (p = j + 1; p < 4; p++) b->t[4 * p + j] = 0;
}

void po_la_block_top(po_la_block *b) {
  int p, q;
  for (p = 0; p < 4; p++)
    for (q = 0; q < 4; q++) b->top[4 * p + q] = q < p ? b->v[p * b->ld + q] : q == p;
}

PO_LA_TARGET void po_la_block_make(po_la_block *b, const double *v, int ld, int rows, const double *tau) {
  __m256d s1 = _mm256_setzero_pd(), s2 = s1, s3 = s1, r1 = s1, r2 = s1, r3 = s1;
  const double *x;
  double z[12];
  int i, j;
  b->v = v;
  b->ld = ld;
  b->rows = rows;
  po_la_block_top(b);
  for (i = 0; i < 4; i++) { /* lanes: the products of v_1, v_2, v_3 with all four */
    __m256d row = _mm256_loadu_pd(b->top + 4 * i);
    s1 = _mm256_fmadd_pd(_mm256_broadcast_sd(b->top + 4 * i + 1), row, s1);
    s2 = _mm256_fmadd_pd(_mm256_broadcast_sd(b->top + 4 * i + 2), row, s2);
    s3 = _mm256_fmadd_pd(_mm256_broadcast_sd(b->top + 4 * i + 3), row, s3);
  }
  for (i = 4, x = v + 4 * (ptrdiff_t)ld; i + 2 <= rows; i += 2, x += 2 * (ptrdiff_t)ld) {
    __m256d row = _mm256_loadu_pd(x), next = _mm256_loadu_pd(x + ld);
    s1 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 1), row, s1);
    s2 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 2), row, s2);
    s3 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 3), row, s3);
    r1 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + ld + 1), next, r1);
    r2 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + ld + 2), next, r2);
    r3 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + ld + 3), next, r3);
  }
  if (i < rows) {
    __m256d row = _mm256_loadu_pd(x);
    s1 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 1), row, s1);
    s2 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 2), row, s2);
    s3 = _mm256_fmadd_pd(_mm256_broadcast_sd(x + 3), row, s3);
  }
  _mm256_storeu_pd(z, _mm256_add_pd(s1, r1));
  _mm256_storeu_pd(z + 4, _mm256_add_pd(s2, r2));
  _mm256_storeu_pd(z + 8, _mm256_add_pd(s3, r3));
  for (j = 0; j < 4; j++) po_la_block_column(b, j, tau[j], z + 4 * (j - (j > 0)));
}

/* W += v' x for one row x of B (nv vectors) and the four elements v of the same row of V. */
PO_LA_INLINE void reflect_gather(__m256d w[4][3], const double *v, const double *x, int nv, int tail) {
  __m256d y[3];
  int l, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) y[c] =
      c == nv - 1 && tail < 4 ? po_la_load_part(x + 4 * c, tail) : _mm256_loadu_pd(x + 4 * c);
  PO_LA_UNROLL for (l = 0; l < 4; l++) {
    __m256d s = _mm256_broadcast_sd(v + l);
    PO_LA_UNROLL for (c = 0; c < nv; c++) w[l][c] = _mm256_fmadd_pd(s, y[c], w[l][c]);
  }
}

/* x −= v W. */
PO_LA_INLINE void reflect_scatter(__m256d w[4][3], const double *v, double *x, int nv, int tail) {
  __m256d y[3];
  int l, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) y[c] =
      c == nv - 1 && tail < 4 ? po_la_load_part(x + 4 * c, tail) : _mm256_loadu_pd(x + 4 * c);
  PO_LA_UNROLL for (l = 0; l < 4; l++) {
    __m256d s = _mm256_broadcast_sd(v + l);
    PO_LA_UNROLL for (c = 0; c < nv; c++) y[c] = _mm256_fnmadd_pd(s, w[l][c], y[c]);
  }
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    if (c == nv - 1 && tail < 4) po_la_store_part(x + 4 * c, y[c], tail);
    else _mm256_storeu_pd(x + 4 * c, y[c]);
  }
}

/* W = T W or T' W, in place: for T from the first row down, for T' from the last row up. */
PO_LA_INLINE void reflect_times_t(__m256d w[4][3], const double *t, int transposed, int nv) {
  int l, q, c;
  PO_LA_UNROLL for (l = 0; l < 4; l++) {
    int at = transposed ? 3 - l : l;
    PO_LA_UNROLL for (c = 0; c < nv; c++) w[at][c] = _mm256_mul_pd(_mm256_broadcast_sd(t + 5 * at), w[at][c]);
    PO_LA_UNROLL for (q = 0; q < 4; q++) {
      if (transposed ? q < at : q > at) {
        __m256d s = _mm256_broadcast_sd(transposed ? t + 4 * q + at : t + 4 * at + q);
        PO_LA_UNROLL for (c = 0; c < nv; c++) w[at][c] = _mm256_fmadd_pd(s, w[q][c], w[at][c]);
      }
    }
  }
}

PO_LA_INLINE void reflect_strip(const po_la_block *b, double *x, ptrdiff_t ldx, int transposed, int nv, int tail) {
  __m256d w[4][3];
  const double *v;
  double *y;
  ptrdiff_t ld = b->ld;
  int i, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) w[0][c] = w[1][c] = w[2][c] = w[3][c] = _mm256_setzero_pd();
  for (i = 0, y = x; i < 4; i++, y += ldx) reflect_gather(w, b->top + 4 * i, y, nv, tail);
  for (v = b->v + 4 * ld; i < b->rows; i++, v += ld, y += ldx) reflect_gather(w, v, y, nv, tail);
  reflect_times_t(w, b->t, transposed, nv);
  for (i = 0, y = x; i < 4; i++, y += ldx) reflect_scatter(w, b->top + 4 * i, y, nv, tail);
  for (v = b->v + 4 * ld; i < b->rows; i++, v += ld, y += ldx) reflect_scatter(w, v, y, nv, tail);
}

/* Whole strips, compiled once for T and once for T'. */
PO_LA_INLINE void reflect_left(const po_la_block *b, po_mat B, int transposed) {
  int j, width;
  for (j = 0; j < B.cols; j += width) {
    double *x = B.a + j;
    width = po_la_strip_width(B.cols - j);
    switch ((width + 3) / 4 + (width % 4 ? 3 : 0)) {
      case 1: reflect_strip(b, x, B.ld, transposed, 1, 4); break;
      case 2: reflect_strip(b, x, B.ld, transposed, 2, 4); break;
      case 3: reflect_strip(b, x, B.ld, transposed, 3, 4); break;
      case 4: reflect_strip(b, x, B.ld, transposed, 1, width & 3); break;
      case 5: reflect_strip(b, x, B.ld, transposed, 2, width & 3); break;
      default: reflect_strip(b, x, B.ld, transposed, 3, width & 3); break;
    }
  }
}

PO_LA_TARGET static void reflect_left_n(const po_la_block *b, po_mat B) { reflect_left(b, B, 0); }
PO_LA_TARGET static void reflect_left_t(const po_la_block *b, po_mat B) { reflect_left(b, B, 1); }

void po_la_block_left(const po_la_block *b, po_mat B, int transposed) {
  if (transposed) reflect_left_t(b, B);
  else reflect_left_n(b, B);
}

/* ---- from the right -------------------------------------------------------------------------------------------------------- */

#define REFLECT_WIDE 512 /* columns that a transposed copy of V on the stack may have: 16 KiB */

/* Row i of B: x −= (x V) T V', two rows at a time so that each load of V' serves both. vt: 4 × n, ones and zeros in place. */
PO_LA_INLINE void reflect_rows(double *x, double *y, const double *vt, int n, const double *t, int transposed) {
  __m256d w[4], u[4], wr, ur;
  double a[4], b[4];
  int j, l, q, tail = n & 3, whole = n - tail;
  PO_LA_UNROLL for (l = 0; l < 4; l++) w[l] = u[l] = _mm256_setzero_pd();
  for (j = 0; j < n; j += 4) {
    __m256d p = j < whole ? _mm256_loadu_pd(x + j) : po_la_load_part(x + j, tail);
    __m256d r = j < whole ? _mm256_loadu_pd(y + j) : po_la_load_part(y + j, tail);
    PO_LA_UNROLL for (l = 0; l < 4; l++) {
      __m256d v = _mm256_loadu_pd(vt + l * REFLECT_WIDE + j);
      w[l] = _mm256_fmadd_pd(p, v, w[l]);
      u[l] = _mm256_fmadd_pd(r, v, u[l]);
    }
  }
  wr = po_la_sum4x4(w[0], w[1], w[2], w[3]);
  ur = po_la_sum4x4(u[0], u[1], u[2], u[3]);
  _mm256_storeu_pd(a, wr);
  _mm256_storeu_pd(b, ur);
  PO_LA_UNROLL for (l = 0; l < 4; l++) { /* (x V) T, spread over all lanes */
    double s = 0, r = 0;
    PO_LA_UNROLL for (q = 0; q < 4; q++) {
      if (transposed ? q >= l : q <= l) {
        double c = transposed ? t[4 * l + q] : t[4 * q + l];
        s += a[q] * c;
        r += b[q] * c;
      }
    }
    w[l] = _mm256_set1_pd(s);
    u[l] = _mm256_set1_pd(r);
  }
  for (j = 0; j < n; j += 4) {
    __m256d p = j < whole ? _mm256_loadu_pd(x + j) : po_la_load_part(x + j, tail);
    __m256d r = j < whole ? _mm256_loadu_pd(y + j) : po_la_load_part(y + j, tail);
    PO_LA_UNROLL for (l = 0; l < 4; l++) {
      __m256d v = _mm256_loadu_pd(vt + l * REFLECT_WIDE + j);
      p = _mm256_fnmadd_pd(w[l], v, p);
      r = _mm256_fnmadd_pd(u[l], v, r);
    }
    if (j < whole) {
      _mm256_storeu_pd(x + j, p);
      _mm256_storeu_pd(y + j, r);
    } else {
      po_la_store_part(x + j, p, tail);
      po_la_store_part(y + j, r, tail);
    }
  }
}

PO_LA_TARGET static void reflect_right_n(const po_la_block *b, po_mat B, const double *vt) {
  int i;
  for (i = 0; i + 2 <= B.rows; i += 2) reflect_rows(po_row(B, i), po_row(B, i + 1), vt, B.cols, b->t, 0);
  if (i < B.rows) reflect_rows(po_row(B, i), po_row(B, i), vt, B.cols, b->t, 0);
}
PO_LA_TARGET static void reflect_right_t(const po_la_block *b, po_mat B, const double *vt) {
  int i;
  for (i = 0; i + 2 <= B.rows; i += 2) reflect_rows(po_row(B, i), po_row(B, i + 1), vt, B.cols, b->t, 1);
  if (i < B.rows) reflect_rows(po_row(B, i), po_row(B, i), vt, B.cols, b->t, 1);
}

PO_LA_TARGET void po_la_block_right(const po_la_block *b, po_mat B, int transposed) {
  double vt[4 * REFLECT_WIDE];
  int i, l, n = b->rows, past = po_pad4(n);
  if (n > REFLECT_WIDE) { /* too wide for the copy: one reflector after the other; T holds the taus */
    for (i = 0; i < 4; i++) {
      int k = transposed ? 3 - i : i;
      po_la_reflect_right(po_block(B, 0, k, B.rows, n - k), b->v + (k + 1) * (ptrdiff_t)b->ld + k, b->ld, b->t[5 * k]);
    }
    return;
  }
  for (i = 0; i < past; i++) {
    const double *v = i < 4 ? b->top + 4 * i : b->v + i * (ptrdiff_t)b->ld;
    for (l = 0; l < 4; l++) vt[l * REFLECT_WIDE + i] = i < n ? v[l] : 0;
  }
  if (transposed) reflect_right_t(b, B, vt);
  else reflect_right_n(b, B, vt);
}

#endif
