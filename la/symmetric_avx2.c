/* symmetric_avx2.c: the AVX2 kernel behind po_cholesky (A = L L') and po_ldlt (A = L D L').
 *
 * Left-looking, four columns at a time, in place in the lower triangle, with a transposed copy of L beside it: what the columns
 * before contribute to four columns of twelve rows is then one tile of gemm, and each element of A is read and written once. The
 * rows are solved against the 4×4 block on the diagonal in transposed registers, four at once. The chain of divisions in that
 * block runs in the shadow of the first tile, which does not depend on it. Matrices of more than SYMMETRIC_LEAF columns are
 * split, and the parts joined by po_trsm, po_syrk and po_gemm. */
#include "tile_avx2.h"

#if PO_LA_AVX2

#include <math.h>

#define SYMMETRIC_LEAF 64
#define SYMMETRIC_LD (SYMMETRIC_LEAF + 4) /* of the transpose; not a multiple of a cache way */

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
PO_LA_INLINE void symmetric_four_rows(double *a, ptrdiff_t ld, int have, double *lt, const __m256d acc[4], const symmetric_pivot *f) {
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
  _mm256_storeu_pd(lt + SYMMETRIC_LD, w1);
  _mm256_storeu_pd(lt + 2 * SYMMETRIC_LD, w2);
  _mm256_storeu_pd(lt + 3 * SYMMETRIC_LD, w3);
  po_la_transpose4(&w0, &w1, &w2, &w3);
  _mm256_storeu_pd(a, w0);
  if (have > 1) _mm256_storeu_pd(r1, w1);
  if (have > 2) _mm256_storeu_pd(r2, w2);
  if (have > 3) _mm256_storeu_pd(r3, w3);
}

/* Up to 12 rows of the block of columns: what the columns before contribute is one register tile, gathered from the transpose. */
PO_LA_INLINE void symmetric_rows(double *a, ptrdiff_t ld, int rows, int nv, double *lt, po_la_operands o, const symmetric_pivot *f) {
  __m256d acc[4][3], column[4];
  int v, c;
  po_la_tile(acc, 4, nv, 4, o);
  PO_LA_UNROLL for (v = 0; v < nv; v++) {
    PO_LA_UNROLL for (c = 0; c < 4; c++) column[c] = acc[c][v];
    symmetric_four_rows(a + 4 * v * ld, ld, v == nv - 1 ? rows - 4 * v : 4, lt + 4 * v, column, f);
  }
}

/* At most SYMMETRIC_LEAF columns. Returns the number of good pivots. */
PO_LA_INLINE int symmetric_leaf(po_mat L, double *d, int ldl) {
  double lt[SYMMETRIC_LEAF * SYMMETRIC_LD], scaled[4 * SYMMETRIC_LEAF];
  ptrdiff_t ld = L.ld;
  int n = L.rows, j, i, k, good;
  symmetric_pivot f;
  for (j = 0; j < n; j += 4) {
    int size = n - j < 4 ? n - j : 4;
    double *a = &PO_AT(L, j, j);
    __m256d acc[4][3];
    po_la_operands o;
    o.a = ldl ? scaled : lt + j;
    o.a_row = 1;
    o.a_col = ldl ? 4 : SYMMETRIC_LD;
    o.b = lt + j;
    o.b_row = SYMMETRIC_LD;
    o.depth = j;
    if (ldl)
      for (k = 0; k < j; k++)
        _mm256_storeu_pd(scaled + 4 * k, _mm256_mul_pd(_mm256_broadcast_sd(d + k), _mm256_loadu_pd(lt + k * SYMMETRIC_LD + j)));
    po_la_tile(acc, 4, 1, 4, o);
    good = symmetric_block(a, ld, acc, ldl ? d + j : NULL, size, ldl, &f);
    if (good < size) return j + good;
    for (i = j + 4; i < n;) {
      int width = po_la_strip_width(n - i);
      double *below = &PO_AT(L, i, j), *column = lt + j * SYMMETRIC_LD + i;
      o.b = lt + i;
      if (width > 8) symmetric_rows(below, ld, width, 3, column, o, &f);
      else if (width > 4) symmetric_rows(below, ld, width, 2, column, o, &f);
      else symmetric_rows(below, ld, width, 1, column, o, &f);
      i += width;
    }
  }
  return n;
}

PO_LA_TARGET static int symmetric_leaf_cholesky(po_mat L) { return symmetric_leaf(L, NULL, 0); }
PO_LA_TARGET static int symmetric_leaf_ldlt(po_mat L, double *d) { return symmetric_leaf(L, d, 1); }

int po_la_cholesky_avx2(po_mat L) {
  int n = L.rows, half, good;
  po_mat L21;
  if (n <= SYMMETRIC_LEAF) return symmetric_leaf_cholesky(L);
  half = (n / 2 + 3) & ~3;
  good = po_la_cholesky_avx2(po_block(L, 0, 0, half, half));
  if (good < half) return good;
  L21 = po_block(L, half, 0, n - half, half);
  po_trsm(po_block(L, 0, 0, half, half), PO_RIGHT, PO_LOWER, PO_T, PO_NON_UNIT, L21);
  po_syrk(po_block(L, half, half, n - half, n - half), PO_LOWER, 1, -1, L21, PO_N);
  return half + po_la_cholesky_avx2(po_block(L, half, half, n - half, n - half));
}

int po_la_ldlt_avx2(po_mat L, double *d) {
  int n = L.rows, half, good, i, j;
  if (n <= SYMMETRIC_LEAF) return symmetric_leaf_ldlt(L, d);
  half = SYMMETRIC_LEAF / 2;
  good = po_la_ldlt_avx2(po_block(L, 0, 0, half, half), d);
  if (good < half) return good;
  { /* L21 D first, then the update row by row of blocks with both, then L21 */
    po_mat W = po_block(L, half, 0, n - half, half);
    double strip[16 * (SYMMETRIC_LEAF / 2)];
    po_trsm(po_block(L, 0, 0, half, half), PO_RIGHT, PO_LOWER, PO_T, PO_UNIT, W);
    for (i = 0; i < n - half; i += 16) {
      int rows = n - half - i < 16 ? n - half - i : 16;
      po_mat X = po_mat_of(strip, rows, half, half), D = po_block(L, half + i, half + i, rows, rows);
      int p;
      for (p = 0; p < rows; p++)
        for (j = 0; j < half; j++) PO_AT(X, p, j) = PO_AT(W, i + p, j) / d[j];
      po_gemm(po_block(L, half + i, half, rows, i), 1, -1, X, PO_N, po_block(W, 0, 0, i, half), PO_T);
      for (p = 0; p < rows; p++)
        for (j = 0; j <= p; j++) PO_AT(D, p, j) -= po_dot(po_row(X, p), po_row(W, i + j), half);
    }
    for (i = 0; i < n - half; i++)
      for (j = 0; j < half; j++) PO_AT(W, i, j) /= d[j];
  }
  return half + po_la_ldlt_avx2(po_block(L, half, half, n - half, n - half), d + half);
}

#endif
