/* symmetric_avx2.c: the AVX2 kernel behind po_cholesky (A = L L') and po_ldlt (A = L D L').
 *
 * Left-looking, four columns at a time, in place in the lower triangle, with a transposed copy of L beside it: what the columns
 * before contribute to four columns of twelve rows is then one tile of gemm, and each element of A is read and written once. The
 * rows are solved against the 4×4 block on the diagonal in transposed registers, four at once. The chain of divisions in that
 * block runs in the shadow of the first tile, which does not depend on it. A matrix whose transpose does not
 * fit the buffer is done in panels, each of which updates the rest by syrk, for which the transpose is just right. */
#include "tile_avx2.h"

#if PO_LA_AVX2

#include <math.h>

#define SYMMETRIC_BUFFER 4352 /* doubles for the transpose of a panel, 34 KiB of stack: 64 columns of 68 rows */
#define SYMMETRIC_LARGEST PO_LA_LDLT_LARGEST

/* One 4×4 block: the strict triangle of its unit L, and what turns a column of L D into one of L: 1/d_j for LDL', 1/sqrt(d_j) for
 * Cholesky. */
typedef struct symmetric_pivot {
  double l10, l20, l21, l30, l31, l32, inverse[4];
} symmetric_pivot;

/* Stores the first `good` rows of the block: the four roots (or ones) in s, the unit triangle in f. */
PO_LA_INLINE void symmetric_write(double *a, ptrdiff_t ld, __m256d roots, int good, const symmetric_pivot *f) {
  double *r1 = a + ld, *r2 = a + 2 * ld, *r3 = a + 3 * ld, s[4];
  _mm256_storeu_pd(s, roots);
  if (good > 0) a[0] = s[0];
  if (good > 1) r1[0] = f->l10 * s[0], r1[1] = s[1];
  if (good > 2) r2[0] = f->l20 * s[0], r2[1] = f->l21 * s[1], r2[2] = s[2];
  if (good > 3) r3[0] = f->l30 * s[0], r3[1] = f->l31 * s[1], r3[2] = f->l32 * s[2], r3[3] = s[3];
}

/* Factors the block on the diagonal at a, n rows of it (1…4). Returns how many pivots were good. As L D L' in both cases: a division
 * is shorter than a square root, and the four roots can then be taken at once. Missing rows stand as rows of the identity. */
PO_LA_INLINE int symmetric_block(double *a, ptrdiff_t ld, __m256d acc[4][3], double *d, int n, int ldl, symmetric_pivot *f) {
  __m128d one = _mm_set_sd(1), d0, d1, d2, d3, i0, i1, i2, i3, l10, l20, l30, l21, l31, l32;
  __m128d w10, w20, w21, w30, w31, w32;
  __m256d pivots, inverses, bad, c0, c1, c2, c3;
  int good;
  c0 = po_la_load_part(a, 1);
  c1 = n > 1 ? po_la_load_part(a + ld, 2) : _mm256_setr_pd(0, 1, 0, 0);
  c2 = n > 2 ? po_la_load_part(a + 2 * ld, 3) : _mm256_setr_pd(0, 0, 1, 0);
  c3 = n > 3 ? _mm256_loadu_pd(a + 3 * ld) : _mm256_setr_pd(0, 0, 0, 1);
  po_la_transpose4(&c0, &c1, &c2, &c3);
  c0 = _mm256_sub_pd(c0, acc[0][0]); /* column 0: d0, w10, w20, w30 */
  c1 = _mm256_sub_pd(c1, acc[1][0]);
  c2 = _mm256_sub_pd(c2, acc[2][0]);
  c3 = _mm256_sub_pd(c3, acc[3][0]);
  d0 = _mm256_castpd256_pd128(c0);
  w10 = _mm_unpackhi_pd(d0, d0);
  w20 = _mm256_extractf128_pd(c0, 1);
  w30 = _mm_unpackhi_pd(w20, w20);
  d1 = _mm_unpackhi_pd(_mm256_castpd256_pd128(c1), _mm256_castpd256_pd128(c1));
  w21 = _mm256_extractf128_pd(c1, 1);
  w31 = _mm_unpackhi_pd(w21, w21);
  d2 = _mm256_extractf128_pd(c2, 1);
  w32 = _mm_unpackhi_pd(d2, d2);
  d3 = _mm256_extractf128_pd(c3, 1);
  d3 = _mm_unpackhi_pd(d3, d3);
  i0 = _mm_div_sd(one, d0);
  l10 = _mm_mul_sd(w10, i0);
  l20 = _mm_mul_sd(w20, i0);
  l30 = _mm_mul_sd(w30, i0);
  d1 = _mm_fnmadd_sd(w10, l10, d1);
  i1 = _mm_div_sd(one, d1);
  w21 = _mm_fnmadd_sd(w20, l10, w21);
  w31 = _mm_fnmadd_sd(w30, l10, w31);
  l21 = _mm_mul_sd(w21, i1);
  l31 = _mm_mul_sd(w31, i1);
  d2 = _mm_fnmadd_sd(w21, l21, _mm_fnmadd_sd(w20, l20, d2));
  i2 = _mm_div_sd(one, d2);
  w32 = _mm_fnmadd_sd(w31, l21, _mm_fnmadd_sd(w30, l20, w32));
  l32 = _mm_mul_sd(w32, i2);
  d3 = _mm_fnmadd_sd(w31, l31, _mm_fnmadd_sd(w30, l30, d3));
  d3 = _mm_fnmadd_sd(w32, l32, d3);
  i3 = _mm_div_sd(one, d3);
  f->l10 = _mm_cvtsd_f64(l10), f->l20 = _mm_cvtsd_f64(l20), f->l30 = _mm_cvtsd_f64(l30);
  f->l21 = _mm_cvtsd_f64(l21), f->l31 = _mm_cvtsd_f64(l31), f->l32 = _mm_cvtsd_f64(l32);
  pivots = _mm256_set_m128d(_mm_unpacklo_pd(d2, d3), _mm_unpacklo_pd(d0, d1));
  inverses = _mm256_set_m128d(_mm_unpacklo_pd(i2, i3), _mm_unpacklo_pd(i0, i1));
  if (ldl) { /* neither zero nor infinite nor NaN: d − d is 0, and d is not */
    bad = _mm256_or_pd(_mm256_cmp_pd(pivots, _mm256_setzero_pd(), _CMP_EQ_UQ),
                       _mm256_cmp_pd(_mm256_sub_pd(pivots, pivots), _mm256_setzero_pd(), _CMP_NEQ_UQ));
  } else {
    bad = _mm256_cmp_pd(pivots, _mm256_setzero_pd(), _CMP_NGT_UQ);
  }
  good = __builtin_ctz((unsigned)_mm256_movemask_pd(bad) | 16u);
  if (good > n) good = n;
  if (ldl) {
    po_la_store_part(d, pivots, good);
    symmetric_write(a, ld, _mm256_set1_pd(1), good, f);
  } else {
    __m256d roots = _mm256_sqrt_pd(pivots);
    inverses = _mm256_mul_pd(roots, inverses); /* sqrt(d)/d */
    symmetric_write(a, ld, roots, good, f);
  }
  _mm256_storeu_pd(f->inverse, inverses);
  return good;
}

/* Rows i…i+3 (as many as there are) of the block of columns at a, from registers: W L11' = A21 − acc' with unit L11, then
 * L21 = W inverse, stored as rows of L and as columns i… of its transpose. */
PO_LA_INLINE void symmetric_four_rows(double *a, ptrdiff_t ld, int have, double *lt, ptrdiff_t ldt, const __m256d acc[4],
                                      const symmetric_pivot *f) {
  double *r1 = have > 1 ? a + ld : a, *r2 = have > 2 ? a + 2 * ld : a, *r3 = have > 3 ? a + 3 * ld : a;
  __m256d w0 = _mm256_loadu_pd(a), w1 = _mm256_loadu_pd(r1), w2 = _mm256_loadu_pd(r2), w3 = _mm256_loadu_pd(r3);
  po_la_transpose4(&w0, &w1, &w2, &w3);
  w0 = _mm256_sub_pd(w0, acc[0]);
  w1 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l10), w0, _mm256_sub_pd(w1, acc[1]));
  w2 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l20), w0, _mm256_sub_pd(w2, acc[2]));
  w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l30), w0, _mm256_sub_pd(w3, acc[3]));
  w2 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l21), w1, w2);
  w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l31), w1, w3);
  w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l32), w2, w3);
  w0 = _mm256_mul_pd(w0, _mm256_broadcast_sd(f->inverse));
  w1 = _mm256_mul_pd(w1, _mm256_broadcast_sd(f->inverse + 1));
  w2 = _mm256_mul_pd(w2, _mm256_broadcast_sd(f->inverse + 2));
  w3 = _mm256_mul_pd(w3, _mm256_broadcast_sd(f->inverse + 3));
  _mm256_storeu_pd(lt, w0);
  _mm256_storeu_pd(lt + ldt, w1);
  _mm256_storeu_pd(lt + 2 * ldt, w2);
  _mm256_storeu_pd(lt + 3 * ldt, w3);
  po_la_transpose4(&w0, &w1, &w2, &w3);
  _mm256_storeu_pd(a, w0);
  if (have > 1) _mm256_storeu_pd(r1, w1);
  if (have > 2) _mm256_storeu_pd(r2, w2);
  if (have > 3) _mm256_storeu_pd(r3, w3);
}

/* Up to 12 rows of the block of columns: what the columns before contribute is one register tile, gathered from the transpose. */
PO_LA_INLINE void symmetric_rows(double *a, ptrdiff_t ld, int rows, int nv, double *lt, po_la_operands o,
                                 const symmetric_pivot *f) {
  __m256d acc[4][3], column[4];
  int v, c;
  po_la_tile(acc, 4, nv, 4, o);
  PO_LA_UNROLL for (v = 0; v < nv; v++) {
    PO_LA_UNROLL for (c = 0; c < 4; c++) column[c] = acc[c][v];
    symmetric_four_rows(a + 4 * v * ld, ld, v == nv - 1 ? rows - 4 * v : 4, lt + 4 * v, o.b_row, column, f);
  }
}

/* A panel: all rows of P and its columns, fewer or as many. lt (columns × rows, ldt apart) gets the transpose of L below its diagonal
 * blocks. Returns the number of good pivots. */
PO_LA_INLINE int symmetric_panel(po_mat P, double *d, int ldl, double *lt, int ldt, double *scaled) {
  ptrdiff_t ld = P.ld;
  int rows = P.rows, j, i, k, good;
  symmetric_pivot f;
  for (j = 0; j < P.cols; j += 4) {
    int size = P.cols - j < 4 ? P.cols - j : 4;
    __m256d acc[4][3];
    po_la_operands o;
    o.a = ldl ? scaled : lt + j;
    o.a_row = 1;
    o.a_col = ldl ? 4 : ldt;
    o.b = lt + j;
    o.b_row = ldt;
    o.depth = j;
    if (ldl)
      for (k = 0; k < j; k++)
        _mm256_storeu_pd(scaled + 4 * k, _mm256_mul_pd(_mm256_broadcast_sd(d + k), _mm256_loadu_pd(lt + k * ldt + j)));
    po_la_tile(acc, 4, 1, 4, o);
    good = symmetric_block(&PO_AT(P, j, j), ld, acc, ldl ? d + j : NULL, size, ldl, &f);
    if (good < size) return j + good;
    for (i = j + 4; i < rows;) {
      int width = po_la_strip_width(rows - i);
      double *below = &PO_AT(P, i, j), *column = lt + j * ldt + i;
      o.b = lt + i;
      if (width > 8) symmetric_rows(below, ld, width, 3, column, o, &f);
      else if (width > 4) symmetric_rows(below, ld, width, 2, column, o, &f);
      else symmetric_rows(below, ld, width, 1, column, o, &f);
      i += width;
    }
  }
  return P.cols;
}

PO_LA_TARGET static int symmetric_panel_cholesky(po_mat P, double *lt, int ldt) {
  return symmetric_panel(P, NULL, 0, lt, ldt, NULL);
}
PO_LA_TARGET static int symmetric_panel_ldlt(po_mat P, double *d, double *lt, int ldt, double *scaled) {
  return symmetric_panel(P, d, 1, lt, ldt, scaled);
}

/* How far apart the rows of the transpose stand, and how many columns a panel has for it to fit the buffer. */
static int symmetric_width(int rows, int buffer, int *ldt) {
  int width;
  *ldt = po_pad4(rows);
  if (*ldt % 64 == 0) *ldt += 4;
  width = (buffer / *ldt) & ~3;
  return width < rows ? width : rows;
}

int po_la_cholesky_avx2(po_mat L) {
  double lt[SYMMETRIC_BUFFER];
  int n = L.rows, from, width, ldt;
  if (n > SYMMETRIC_LARGEST) {
    int half = po_pad4(n / 2), good = po_la_cholesky_avx2(po_block(L, 0, 0, half, half));
    po_mat L21 = po_block(L, half, 0, n - half, half), L22 = po_block(L, half, half, n - half, n - half);
    if (good < half) return good;
    po_trsm(L21, po_block(L, 0, 0, half, half), PO_RIGHT, PO_LOWER, PO_T, PO_NON_UNIT);
    po_syrk(L22, PO_LOWER, 1, -1, L21, PO_N);
    return half + po_la_cholesky_avx2(L22);
  }
  for (from = 0; from < n; from += width) {
    int rows = n - from, good;
    width = symmetric_width(rows, SYMMETRIC_BUFFER, &ldt);
    good = symmetric_panel_cholesky(po_block(L, from, from, rows, width), lt, ldt);
    if (good < width) return from + good;
    if (width < rows) {
      po_mat T = po_mat_of(lt + width, width, rows - width, ldt);
      po_syrk(po_block(L, from + width, from + width, rows - width, rows - width), PO_LOWER, 1, -1, T, PO_T);
    }
  }
  return n;
}

/* At most SYMMETRIC_LARGEST columns. */
int po_la_ldlt_avx2(po_mat L, double *d) {
  double lt[SYMMETRIC_BUFFER], scaled[SYMMETRIC_BUFFER]; /* scaled: four columns within a panel, then D L' of all of it */
  int n = L.rows, from, width, ldt, k;
  for (from = 0; from < n; from += width) {
    int rows = n - from, good;
    width = symmetric_width(rows, SYMMETRIC_BUFFER, &ldt);
    good = symmetric_panel_ldlt(po_block(L, from, from, rows, width), d + from, lt, ldt, scaled);
    if (good < width) return from + good;
    if (width < rows) {
      po_mat T = po_mat_of(lt + width, width, rows - width, ldt), W = po_mat_of(scaled + width, width, rows - width, ldt);
      po_mat_copy(W, T);
      for (k = 0; k < width; k++) po_scale(po_row(W, k), d[from + k], W.cols);
      po_la_syrk_two(po_block(L, from + width, from + width, rows - width, rows - width), PO_LOWER, 1, -1, W, T, PO_T);
    }
  }
  return n;
}

#endif
