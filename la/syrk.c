/* syrk.c: one triangle of C = beta C + alpha op(A) op(A)'. */
#include "tile_avx2.h"

/* Rows or columns from…from+count−1 of op(A), still to be transposed as A is. */
static po_mat syrk_part(po_mat A, po_trans ta, int from, int count) {
  return ta == PO_T ? po_block(A, 0, from, A.rows, count) : po_block(A, from, 0, count, A.cols);
}

/* A block of four on the diagonal, element by element in gemm's order. */
static void syrk_diagonal_plain(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta) {
  size_t row = ta == PO_T ? 1 : (size_t)A.ld, col = ta == PO_T ? (size_t)A.ld : 1;
  int n = C.rows, depth = ta == PO_T ? A.rows : A.cols, i, j, k;
  for (i = 0; i < n; i++) {
    int first = uplo == PO_LOWER ? 0 : i, last = uplo == PO_LOWER ? i : n - 1;
    for (j = first; j <= last; j++) {
      const double *x = A.a + (size_t)i * row, *y = A.a + (size_t)j * row;
      double s = 0, *c = &PO_AT(C, i, j);
      for (k = 0; k < depth; k++) s += x[(size_t)k * col] * y[(size_t)k * col];
      *c = beta == 0 ? alpha * s : beta * *c + alpha * s;
    }
  }
}

/* Four rows at a time: a rectangle, which is gemm's business, and the block on the diagonal. */
static void syrk_plain(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta) {
  po_trans other = ta == PO_T ? PO_N : PO_T;
  int n = C.rows, i;
  for (i = 0; i < n; i += 4) {
    int mr = n - i < 4 ? n - i : 4, from = uplo == PO_LOWER ? 0 : i + mr, count = uplo == PO_LOWER ? i : n - i - mr;
    po_mat rows = syrk_part(A, ta, i, mr);
    po_gemm(po_block(C, i, from, mr, count), beta, alpha, rows, ta, syrk_part(A, ta, from, count), other);
    syrk_diagonal_plain(po_block(C, i, i, mr, mr), uplo, beta, alpha, rows, ta);
  }
}

#if PO_LA_AVX2

/* One vector of a row: c = beta c + alpha s, of which `count` lanes exist and only those of the triangle are written. The diagonal
 * of the tile passes through lane p (diag), or nowhere near (diag = 0). */
PO_LA_INLINE void syrk_store(double *at, __m256d s, double beta, double alpha, int diag, int p, int count, int upper) {
  __m256d r = _mm256_mul_pd(_mm256_set1_pd(alpha), s);
  if (beta != 0) r = _mm256_fmadd_pd(_mm256_set1_pd(beta), po_la_load_part(at, count), r);
  if (!diag) po_la_store_part(at, r, count);
  else if (!upper) po_la_store_part(at, r, p + 1);
  else if (count == 4) po_la_store_from(at, r, p);
  else _mm256_maskstore_pd(at, _mm256_andnot_si256(po_la_mask(p), po_la_mask(count)), r);
}

/* Four rows on the diagonal, nv vectors: of the last one (lower) or the first one (upper) only a triangle belongs to C. */
PO_LA_INLINE void syrk_tile(double *c, ptrdiff_t ldc, double beta, double alpha, int nv, int tail, int upper, po_la_operands o) {
  __m256d acc[4][3];
  int p, v;
  po_la_tile(acc, 4, nv, tail, o);
  PO_LA_UNROLL for (p = 0; p < 4; p++) {
    PO_LA_UNROLL for (v = 0; v < nv; v++)
        syrk_store(c + p * ldc + 4 * v, acc[p][v], beta, alpha, v == (upper ? 0 : nv - 1), p, v == nv - 1 ? tail : 4, upper);
  }
}

/* Eight rows and two vectors on the diagonal. Four rows with one vector alone would have too few sums to hide the latency, so they
 * share the loop with the four that have two. */
PO_LA_INLINE void syrk_tile8(double *c, ptrdiff_t ldc, double beta, double alpha, int upper, po_la_operands o) {
  __m256d s[4], t[4], u[4];
  const double *a = o.a, *a4 = o.a + 4 * o.a_row, *b = o.b;
  ptrdiff_t row = o.a_row;
  int k, p;
  PO_LA_UNROLL for (p = 0; p < 4; p++) s[p] = t[p] = u[p] = _mm256_setzero_pd();
  for (k = 0; k < o.depth; k++, a += o.a_col, a4 += o.a_col, b += o.b_row) {
    __m256d y0 = _mm256_loadu_pd(b), y1 = _mm256_loadu_pd(b + 4);
    PO_LA_UNROLL for (p = 0; p < 4; p++) { /* s: rows 0…3 on the diagonal; t, u: the four rows that have both vectors */
      __m256d x = _mm256_broadcast_sd(a + p * row), z = _mm256_broadcast_sd(a4 + p * row);
      if (upper) {
        s[p] = _mm256_fmadd_pd(x, y0, s[p]);
        t[p] = _mm256_fmadd_pd(x, y1, t[p]);
        u[p] = _mm256_fmadd_pd(z, y1, u[p]);
      } else {
        s[p] = _mm256_fmadd_pd(x, y0, s[p]);
        t[p] = _mm256_fmadd_pd(z, y0, t[p]);
        u[p] = _mm256_fmadd_pd(z, y1, u[p]);
      }
    }
  }
  PO_LA_UNROLL for (p = 0; p < 4; p++) {
    syrk_store(c + p * ldc, s[p], beta, alpha, 1, p, 4, upper);
    syrk_store(upper ? c + p * ldc + 4 : c + (p + 4) * ldc, t[p], beta, alpha, 0, p, 4, upper);
    syrk_store(c + (p + 4) * ldc + 4, u[p], beta, alpha, 1, p, 4, upper);
  }
}

/* The last rows, fewer than four, element by element in the same order as the tile. */
PO_LA_TARGET static void syrk_ragged(double *c, ptrdiff_t ldc, double beta, double alpha, int mr, int nv, int tail, int upper,
                                     po_la_operands o) {
  int p, q, k;
  for (p = 0; p < mr; p++)
    for (q = upper ? p : 0; q < (upper ? 4 * (nv - 1) + tail : 4 * (nv - 1) + p + 1); q++) {
      __m128d s = _mm_setzero_pd(), r;
      double *at = c + p * ldc + q;
      for (k = 0; k < o.depth; k++)
        s = _mm_fmadd_sd(_mm_load_sd(o.a + p * o.a_row + k * o.a_col), _mm_load_sd(o.b + k * o.b_row + q), s);
      r = _mm_mul_sd(_mm_set1_pd(alpha), s); /* set_sd would be a register move that valgrind does not know */
      if (beta != 0) r = _mm_fmadd_sd(_mm_set1_pd(beta), _mm_load_sd(at), r);
      _mm_store_sd(at, r);
    }
}

/* One row of tiles on the diagonal, of any shape. */
PO_LA_TARGET static void syrk_row(double *c, ptrdiff_t ld, double beta, double alpha, int mr, int nv, int tail, int upper,
                                  po_la_operands o) {
  if (mr < 4) syrk_ragged(c, ld, beta, alpha, mr, nv, tail, upper, o);
  else if (tail < 4 && nv == 3) syrk_tile(c, ld, beta, alpha, 3, tail & 3, 1, o);
  else if (tail < 4 && nv == 2) syrk_tile(c, ld, beta, alpha, 2, tail & 3, 1, o);
  else if (nv == 3) syrk_tile(c, ld, beta, alpha, 3, 4, upper, o);
  else if (nv == 2) syrk_tile(c, ld, beta, alpha, 2, 4, upper, o);
  else syrk_tile(c, ld, beta, alpha, 1, 4, upper, o);
}

/* The diagonal part of the strip of columns j…j+width−1: at most three rows of tiles. */
PO_LA_TARGET static void syrk_diagonal(po_mat C, int j, int width, int upper, double beta, double alpha, po_la_operands o) {
  double *c = &PO_AT(C, j, j);
  int i = 0, vectors = (width + 3) / 4, tail = width - 4 * (vectors - 1);
  ptrdiff_t ld = C.ld, step = o.a_row;
  o.a += j * step;
  if (!upper && width >= 8) {
    syrk_tile8(c, ld, beta, alpha, 0, o);
    i = 2;
  }
  for (; i < vectors; i++) {
    int mr = i == vectors - 1 ? tail : 4, nv = upper ? vectors - i : i + 1;
    po_la_operands t = o;
    t.a += 4 * i * step;
    if (upper) t.b += 4 * i;
    if (upper && nv == 2 && tail == 4) {
      syrk_tile8(c + 4 * i * ld + 4 * i, ld, beta, alpha, 1, t);
      break;
    }
    syrk_row(c + 4 * i * ld + (upper ? 4 * i : 0), ld, beta, alpha, mr, nv, upper ? tail : 4, upper, t);
  }
}

/* op(A) op(B)' that is known to be symmetric; for syrk, B is A. */
PO_LA_TARGET void po_la_syrk_two(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_mat B, po_trans trans) {
  double packed[PO_LA_STRIP * PO_LA_DEPTH];
  int n = C.rows, depth = trans == PO_T ? A.rows : A.cols, upper = uplo == PO_UPPER, j, width, k = 0;
  int pack = trans == PO_N || (n >= 48 && po_la_rows_collide(B.ld, depth));
  do {
    int part = pack && depth - k > PO_LA_DEPTH ? PO_LA_DEPTH : depth - k;
    for (j = 0; j < n; j += width) {
      po_la_operands o;
      width = po_la_strip_width(n - j);
      o.a = trans == PO_T ? po_row(A, k) : A.a + k;
      o.a_row = trans == PO_T ? 1 : A.ld;
      o.a_col = trans == PO_T ? A.ld : 1;
      o.depth = part;
      o.b = pack ? packed : po_row(B, k) + j;
      o.b_row = pack ? po_pad4(width) : B.ld;
      if (trans == PO_N) po_la_pack_transposed(packed, po_row(B, j) + k, B.ld, width, part);
      else if (pack) po_la_pack(packed, po_row(B, k) + j, B.ld, width, part);
      syrk_diagonal(C, j, width, upper, beta, alpha, o);
      if (upper) {
        po_la_gemm_strip(po_block(C, 0, j, j, width), beta, alpha, o);
      } else if (j + width < n) {
        o.a += (j + width) * o.a_row;
        po_la_gemm_strip(po_block(C, j + width, j, n - j - width, width), beta, alpha, o);
      }
    }
    k += part;
    beta = 1;
  } while (k < depth);
}

#endif

void po_syrk(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta) {
  PO_ASSERT(C.rows == C.cols && C.rows == (ta == PO_T ? A.cols : A.rows));
#if PO_LA_AVX2
  if (po_la_avx2()) {
    po_la_syrk_two(C, uplo, beta, alpha, A, A, ta);
    return;
  }
#endif
  syrk_plain(C, uplo, beta, alpha, A, ta);
}
