/* gemm.c: C = beta C + alpha op(A) op(B). */
#include "tile_avx2.h"

/* Element (i,k) of op(A) is a[i*a_row + k*a_col], element (k,j) of op(B) is b[k*b_row + j*b_col]: one tile serves all four
 * transposes. s_ij is summed over k from first to last. */
typedef struct gemm_operand {
  const double *p;
  size_t row, col;
} gemm_operand;

static gemm_operand gemm_op(po_mat A, po_trans trans) {
  gemm_operand o;
  o.p = A.a;
  o.row = trans == PO_T ? 1 : (size_t)A.ld;
  o.col = trans == PO_T ? (size_t)A.ld : 1;
  return o;
}

static void gemm_store(double *c, double beta, double alpha, double s) { *c = beta == 0 ? alpha * s : beta * *c + alpha * s; }

/* A full 4×4 tile: sixteen sums that the compiler can keep in registers, two to a register when the rows of B are contiguous. */
static inline void gemm_tile44_plain(double s[16], gemm_operand A, const double *b, size_t b_row, size_t b_col, int depth) {
  const double *a0 = A.p, *a1 = a0 + A.row, *a2 = a1 + A.row, *a3 = a2 + A.row;
  double s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
  double s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
  int k;
  for (k = 0; k < depth; k++, a0 += A.col, a1 += A.col, a2 += A.col, a3 += A.col, b += b_row) {
    double x = *a0, b0 = b[0], b1 = b[b_col], b2 = b[2 * b_col], b3 = b[3 * b_col];
    s00 += x * b0, s01 += x * b1, s02 += x * b2, s03 += x * b3;
    x = *a1;
    s10 += x * b0, s11 += x * b1, s12 += x * b2, s13 += x * b3;
    x = *a2;
    s20 += x * b0, s21 += x * b1, s22 += x * b2, s23 += x * b3;
    x = *a3;
    s30 += x * b0, s31 += x * b1, s32 += x * b2, s33 += x * b3;
  }
  s[0] = s00, s[1] = s01, s[2] = s02, s[3] = s03, s[4] = s10, s[5] = s11, s[6] = s12, s[7] = s13;
  s[8] = s20, s[9] = s21, s[10] = s22, s[11] = s23, s[12] = s30, s[13] = s31, s[14] = s32, s[15] = s33;
}

static void gemm_tile_plain(po_mat C, int i, int j, int mr, int nr, double beta, double alpha, gemm_operand A, gemm_operand B,
                            int depth) {
  double s[16] = {0};
  int k, p, q;
  A.p += (size_t)i * A.row;
  B.p += (size_t)j * B.col;
  if (mr == 4 && nr == 4 && B.col == 1) {
    gemm_tile44_plain(s, A, B.p, B.row, 1, depth);
  } else if (mr == 4 && nr == 4) {
    gemm_tile44_plain(s, A, B.p, B.row, B.col, depth);
  } else {
    const double *a = A.p, *b = B.p;
    for (k = 0; k < depth; k++, a += A.col, b += B.row)
      for (p = 0; p < mr; p++)
        for (q = 0; q < nr; q++) s[4 * p + q] += a[(size_t)p * A.row] * b[(size_t)q * B.col];
  }
  for (p = 0; p < mr; p++)
    for (q = 0; q < nr; q++) gemm_store(&PO_AT(C, i + p, j + q), beta, alpha, s[4 * p + q]);
}

static void gemm_plain(po_mat C, double beta, double alpha, gemm_operand A, gemm_operand B, int depth) {
  int i, j;
  for (i = 0; i < C.rows; i += 4)
    for (j = 0; j < C.cols; j += 4)
      gemm_tile_plain(C, i, j, C.rows - i < 4 ? C.rows - i : 4, C.cols - j < 4 ? C.cols - j : 4, beta, alpha, A, B, depth);
}

/* ---- AVX2 ---------------------------------------------------------------------------------------------------------------- */

#if PO_LA_AVX2

/* One tile to memory: c = beta c + alpha acc. */
PO_LA_INLINE void gemm_tile(double *c, ptrdiff_t ldc, double beta, double alpha, int mr, int nv, int tail, po_la_operands o) {
  __m256d acc[4][3], va = _mm256_set1_pd(alpha), vb = _mm256_set1_pd(beta);
  int p, v;
  po_la_tile(acc, mr, nv, tail, o);
  PO_LA_UNROLL for (p = 0; p < mr; p++) { PO_LA_UNROLL for (v = 0; v < nv; v++) acc[p][v] = _mm256_mul_pd(va, acc[p][v]); }
  if (beta != 0) {
    PO_LA_UNROLL for (p = 0; p < mr; p++) {
      PO_LA_UNROLL for (v = 0; v < nv; v++) {
        const double *at = c + p * ldc + 4 * v;
        __m256d old = v == nv - 1 && tail < 4 ? po_la_load_part(at, tail) : _mm256_loadu_pd(at);
        acc[p][v] = _mm256_fmadd_pd(vb, old, acc[p][v]);
      }
    }
  }
  PO_LA_UNROLL for (p = 0; p < mr; p++) {
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      if (v == nv - 1 && tail < 4) po_la_store_part(c + p * ldc + 4 * v, acc[p][v], tail);
      else _mm256_storeu_pd(c + p * ldc + 4 * v, acc[p][v]);
    }
  }
}

/* All rows of C against one strip of B, nv vectors wide. */
PO_LA_INLINE void gemm_strip(po_mat C, double beta, double alpha, int nv, int tail, po_la_operands o) {
  double *c = C.a;
  ptrdiff_t ld = C.ld;
  int i;
  for (i = 0; i + 4 <= C.rows; i += 4, c += 4 * ld, o.a += 4 * o.a_row) gemm_tile(c, ld, beta, alpha, 4, nv, tail, o);
  switch (C.rows - i) {
    case 1: gemm_tile(c, ld, beta, alpha, 1, nv, tail, o); break;
    case 2: gemm_tile(c, ld, beta, alpha, 2, nv, tail, o); break;
    case 3: gemm_tile(c, ld, beta, alpha, 3, nv, tail, o); break;
    default: break;
  }
}

PO_LA_TARGET static void gemm_strip_full3(po_mat C, double beta, double alpha, po_la_operands o) {
  gemm_strip(C, beta, alpha, 3, 4, o);
}
PO_LA_TARGET static void gemm_strip_full2(po_mat C, double beta, double alpha, po_la_operands o) {
  gemm_strip(C, beta, alpha, 2, 4, o);
}
PO_LA_TARGET static void gemm_strip_full1(po_mat C, double beta, double alpha, po_la_operands o) {
  gemm_strip(C, beta, alpha, 1, 4, o);
}
PO_LA_TARGET static void gemm_strip_part(po_mat C, double beta, double alpha, int nv, int tail, po_la_operands o) {
  if (nv == 3) gemm_strip(C, beta, alpha, 3, tail & 3, o);
  else if (nv == 2) gemm_strip(C, beta, alpha, 2, tail & 3, o);
  else gemm_strip(C, beta, alpha, 1, tail & 3, o);
}

PO_LA_TARGET void po_la_gemm_strip(po_mat C, double beta, double alpha, po_la_operands o) {
  if (C.cols == 12) gemm_strip_full3(C, beta, alpha, o);
  else if (C.cols == 8) gemm_strip_full2(C, beta, alpha, o);
  else if (C.cols == 4) gemm_strip_full1(C, beta, alpha, o);
  else gemm_strip_part(C, beta, alpha, (C.cols + 3) / 4, C.cols & 3, o);
}

/* Columns of the next strip when `left` are left: 12, but four vectors go 2 + 2 and not 3 + 1,
 * because a lone vector has too few sums to hide the latency. */
int po_la_strip_width(int left) {
  if (left <= 12) return left;
  return left <= 16 ? 8 : 12;
}

PO_LA_TARGET static void gemm_avx2(po_mat C, double beta, double alpha, gemm_operand A, po_mat B, po_trans tb, int depth) {
  double packed[PO_LA_STRIP * PO_LA_DEPTH];
  int pack = tb == PO_T || (C.rows >= 24 && po_la_rows_collide(B.ld, depth)), j, width, k = 0;
  do { /* a product deeper than a packed strip is made of several */
    int part = pack && depth - k > PO_LA_DEPTH ? PO_LA_DEPTH : depth - k;
    for (j = 0; j < C.cols; j += width) {
      po_la_operands o;
      po_mat block;
      width = po_la_strip_width(C.cols - j);
      block = po_block(C, 0, j, C.rows, width);
      o.a = A.p + (size_t)k * A.col;
      o.a_row = (ptrdiff_t)A.row;
      o.a_col = (ptrdiff_t)A.col;
      o.depth = part;
      o.b = pack ? packed : po_row(B, k) + j;
      o.b_row = pack ? po_pad4(width) : B.ld;
      if (tb == PO_T) po_la_pack_transposed(packed, po_row(B, j) + k, B.ld, width, part);
      else if (pack) po_la_pack(packed, po_row(B, k) + j, B.ld, width, part);
      po_la_gemm_strip(block, beta, alpha, o);
    }
    k += part;
    beta = 1;
  } while (k < depth);
}

#endif

void po_gemm(po_mat C, double beta, double alpha, po_mat A, po_trans ta, po_mat B, po_trans tb) {
  int depth = ta == PO_T ? A.rows : A.cols;
  PO_ASSERT(C.rows == (ta == PO_T ? A.cols : A.rows));
  PO_ASSERT(C.cols == (tb == PO_T ? B.rows : B.cols));
  PO_ASSERT(depth == (tb == PO_T ? B.cols : B.rows));
#if PO_LA_AVX2
  if (po_la_avx2()) {
    gemm_avx2(C, beta, alpha, gemm_op(A, ta), B, tb, depth);
    return;
  }
#endif
  gemm_plain(C, beta, alpha, gemm_op(A, ta), gemm_op(B, tb), depth);
}
