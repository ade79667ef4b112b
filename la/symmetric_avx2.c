/* symmetric_avx2.c: the AVX2 kernel behind po_cholesky (A = L L') and po_ldlt (A = L D L').
 *
 * Right-looking, four columns at a time, in place in the lower triangle. The columns below the 4×4 block on the diagonal are solved in
 * transposed registers, so that four rows go at once, and kept transposed in a small buffer; from it the rest of the triangle is
 * updated tile by tile. The chain of square roots in the next diagonal block is started before the rest of the update, which
 * then runs in its shadow: without that, 36 columns spend more time waiting for square roots than multiplying. Matrices of more
 * than SYMMETRIC_LEAF columns are halved, and the halves joined by po_trsm and po_syrk or po_gemm. */
#include "tile_avx2.h"

#if PO_LA_AVX2

#include <math.h>

#define SYMMETRIC_LEAF 64

/* One 4×4 block: its strict lower triangle of L and the inverses of the pivots (of l_jj, or of d_j). */
typedef struct symmetric_pivot {
  double l10, l20, l21, l30, l31, l32, inverse[4];
} symmetric_pivot;

/* s = sqrt(a) and 1/s as s·(1/a): the division runs beside the root, not after it. For LDL' the pivot itself. 0: not usable. */
PO_LA_INLINE int symmetric_root(double a, int ldl, double *pivot, double *inverse) {
  double r = 1 / a;
  if (ldl) {
    *pivot = a;
    *inverse = r;
    return a != 0 && po_isfinite(a);
  }
  *pivot = sqrt(a);
  *inverse = *pivot * r;
  return a > 0;
}

/* Factors the block on the diagonal at a (n rows of it exist, 1…4). Returns how many pivots were good. */
PO_LA_INLINE int symmetric_block(double *a, ptrdiff_t ld, double *d, int n, int ldl, symmetric_pivot *f) {
  double *r1 = a + ld, *r2 = a + 2 * ld, *r3 = a + 3 * ld, p, w0, w1, w2;
  if (!symmetric_root(a[0], ldl, &p, &f->inverse[0])) return 0;
  a[0] = ldl ? 1 : p;
  if (ldl) d[0] = p;
  if (n < 2) return 1;
  /* w = l d for LDL', w = l for Cholesky */
  w0 = r1[0];
  r1[0] = f->l10 = w0 * f->inverse[0];
  if (!ldl) w0 = f->l10;
  if (!symmetric_root(r1[1] - w0 * f->l10, ldl, &p, &f->inverse[1])) return 1;
  r1[1] = ldl ? 1 : p;
  if (ldl) d[1] = p;
  if (n < 3) return 2;
  w0 = r2[0];
  r2[0] = f->l20 = w0 * f->inverse[0];
  if (!ldl) w0 = f->l20;
  w1 = r2[1] - w0 * f->l10;
  r2[1] = f->l21 = w1 * f->inverse[1];
  if (!ldl) w1 = f->l21;
  if (!symmetric_root(r2[2] - w0 * f->l20 - w1 * f->l21, ldl, &p, &f->inverse[2])) return 2;
  r2[2] = ldl ? 1 : p;
  if (ldl) d[2] = p;
  if (n < 4) return 3;
  w0 = r3[0];
  r3[0] = f->l30 = w0 * f->inverse[0];
  if (!ldl) w0 = f->l30;
  w1 = r3[1] - w0 * f->l10;
  r3[1] = f->l31 = w1 * f->inverse[1];
  if (!ldl) w1 = f->l31;
  w2 = r3[2] - w0 * f->l20 - w1 * f->l21;
  r3[2] = f->l32 = w2 * f->inverse[2];
  if (!ldl) w2 = f->l32;
  if (!symmetric_root(r3[3] - w0 * f->l30 - w1 * f->l31 - w2 * f->l32, ldl, &p, &f->inverse[3])) return 3;
  r3[3] = ldl ? 1 : p;
  if (ldl) d[3] = p;
  return 4;
}

/* Columns k…k+3 of the rows below: X L11' = A21 for four rows at a time. pw gets X' times D (what the update multiplies by), pl the
 * rows of L'; for Cholesky they are the same. Both are 4 × SYMMETRIC_LEAF. */
PO_LA_INLINE void symmetric_panel(double *a, ptrdiff_t ld, int rows, const symmetric_pivot *f, int ldl, double *pl, double *pw) {
  __m256d i0 = _mm256_broadcast_sd(f->inverse), i1 = _mm256_broadcast_sd(f->inverse + 1);
  __m256d i2 = _mm256_broadcast_sd(f->inverse + 2), i3 = _mm256_broadcast_sd(f->inverse + 3);
  int i;
  for (i = 0; i < rows; i += 4, a += 4 * ld) {
    int have = rows - i;
    double *r1 = have > 1 ? a + ld : a, *r2 = have > 2 ? a + 2 * ld : a, *r3 = have > 3 ? a + 3 * ld : a;
    __m256d w0 = _mm256_loadu_pd(a), w1 = _mm256_loadu_pd(r1), w2 = _mm256_loadu_pd(r2), w3 = _mm256_loadu_pd(r3), x0, x1, x2, x3;
    po_la_transpose4(&w0, &w1, &w2, &w3);
    x0 = _mm256_mul_pd(w0, i0);
    if (!ldl) w0 = x0;
    w1 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l10), w0, w1);
    x1 = _mm256_mul_pd(w1, i1);
    if (!ldl) w1 = x1;
    w2 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l20), w0, w2);
    w2 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l21), w1, w2);
    x2 = _mm256_mul_pd(w2, i2);
    if (!ldl) w2 = x2;
    w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l30), w0, w3);
    w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l31), w1, w3);
    w3 = _mm256_fnmadd_pd(_mm256_broadcast_sd(&f->l32), w2, w3);
    x3 = _mm256_mul_pd(w3, i3);
    if (!ldl) w3 = x3;
    _mm256_storeu_pd(pl + i, x0);
    _mm256_storeu_pd(pl + SYMMETRIC_LEAF + i, x1);
    _mm256_storeu_pd(pl + 2 * SYMMETRIC_LEAF + i, x2);
    _mm256_storeu_pd(pl + 3 * SYMMETRIC_LEAF + i, x3);
    if (ldl) {
      _mm256_storeu_pd(pw + i, w0);
      _mm256_storeu_pd(pw + SYMMETRIC_LEAF + i, w1);
      _mm256_storeu_pd(pw + 2 * SYMMETRIC_LEAF + i, w2);
      _mm256_storeu_pd(pw + 3 * SYMMETRIC_LEAF + i, w3);
    }
    po_la_transpose4(&x0, &x1, &x2, &x3);
    _mm256_storeu_pd(a, x0);
    if (have > 1) _mm256_storeu_pd(r1, x1);
    if (have > 2) _mm256_storeu_pd(r2, x2);
    if (have > 3) _mm256_storeu_pd(r3, x3);
  }
}

/* One tile of the update, mr rows × nv vectors: c −= w' l; the last vector lies on the diagonal when `diagonal` is 1. */
PO_LA_INLINE void symmetric_tile(double *c, ptrdiff_t ld, const double *w, const double *l, int mr, int nv, int diagonal) {
  int p, v, k;
  PO_LA_UNROLL for (p = 0; p < 4; p++) {
    __m256d s[3];
    if (p >= mr) break;
    PO_LA_UNROLL for (v = 0; v < nv; v++) s[v] = diagonal && v == nv - 1 ? po_la_load_part(c + p * ld + 4 * v, p + 1) : _mm256_loadu_pd(c + p * ld + 4 * v);
    PO_LA_UNROLL for (k = 0; k < 4; k++) {
      __m256d x = _mm256_broadcast_sd(w + k * SYMMETRIC_LEAF + p);
      PO_LA_UNROLL for (v = 0; v < nv; v++) s[v] = _mm256_fnmadd_pd(x, _mm256_loadu_pd(l + k * SYMMETRIC_LEAF + 4 * v), s[v]);
    }
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      if (diagonal && v == nv - 1) po_la_store_part(c + p * ld + 4 * v, s[v], p + 1);
      else _mm256_storeu_pd(c + p * ld + 4 * v, s[v]);
    }
  }
}

/* Four rows (or fewer) of the trailing triangle, from its first column to the diagonal; row i of it. */
PO_LA_INLINE void symmetric_row(double *c, ptrdiff_t ld, const double *w, const double *l, int i, int mr) {
  int j = 0, vectors = i / 4 + 1;
  for (; vectors > 3; vectors -= 3, j += 12) symmetric_tile(c + j, ld, w + i, l + j, mr, 3, 0);
  if (vectors == 3) symmetric_tile(c + j, ld, w + i, l + j, mr, 3, 1);
  else if (vectors == 2) symmetric_tile(c + j, ld, w + i, l + j, mr, 2, 1);
  else symmetric_tile(c + j, ld, w + i, l + j, mr, 1, 1);
}

/* At most SYMMETRIC_LEAF columns. Returns the number of good pivots. */
PO_LA_INLINE int symmetric_leaf(po_mat L, double *d, int ldl) {
  double pl[4 * SYMMETRIC_LEAF], pw[4 * SYMMETRIC_LEAF];
  const double *w = ldl ? pw : pl;
  ptrdiff_t ld = L.ld;
  int n = L.rows, k, i, good;
  symmetric_pivot f;
  if (n == 0) return 0;
  good = symmetric_block(L.a, ld, d, n < 4 ? n : 4, ldl, &f);
  if (good < (n < 4 ? n : 4)) return good;
  for (k = 0; k + 4 < n; k += 4) {
    double *below = &PO_AT(L, k + 4, k), *rest = below + 4;
    int left = n - k - 4, first = left < 4 ? left : 4;
    symmetric_panel(below, ld, left, &f, ldl, pl, pw);
    symmetric_row(rest, ld, w, pl, 0, first);
    good = symmetric_block(rest, ld, d + k + 4, first, ldl, &f);
    if (good < first) return k + 4 + good;
    for (i = 4; i + 4 <= left; i += 4) symmetric_row(rest + i * ld, ld, w, pl, i, 4);
    if (i < left) symmetric_row(rest + i * ld, ld, w, pl, i, left - i);
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
