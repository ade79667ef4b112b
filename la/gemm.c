/* gemm.c: C = beta C + alpha op(A) op(B). */
#include "kernels.h"

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

static void gemm_tile_plain(po_mat C, int i, int j, int mr, int nr, double beta, double alpha, gemm_operand A, gemm_operand B, int depth) {
  double s[4][4] = {{0}};
  const double *a = A.p + (size_t)i * A.row, *b = B.p + (size_t)j * B.col;
  int k, p, q;
  if (mr == 4 && nr == 4) {
    for (k = 0; k < depth; k++, a += A.col, b += B.row) {
      double b0 = b[0], b1 = b[B.col], b2 = b[2 * B.col], b3 = b[3 * B.col];
      for (p = 0; p < 4; p++) {
        double x = a[(size_t)p * A.row];
        s[p][0] += x * b0;
        s[p][1] += x * b1;
        s[p][2] += x * b2;
        s[p][3] += x * b3;
      }
    }
  } else {
    for (k = 0; k < depth; k++, a += A.col, b += B.row)
      for (p = 0; p < mr; p++)
        for (q = 0; q < nr; q++) s[p][q] += a[(size_t)p * A.row] * b[(size_t)q * B.col];
  }
  for (p = 0; p < mr; p++)
    for (q = 0; q < nr; q++) gemm_store(&PO_AT(C, i + p, j + q), beta, alpha, s[p][q]);
}

static void gemm_plain(po_mat C, double beta, double alpha, gemm_operand A, gemm_operand B, int depth) {
  int i, j;
  for (i = 0; i < C.rows; i += 4)
    for (j = 0; j < C.cols; j += 4)
      gemm_tile_plain(C, i, j, C.rows - i < 4 ? C.rows - i : 4, C.cols - j < 4 ? C.cols - j : 4, beta, alpha, A, B, depth);
}

void po_gemm(po_mat C, double beta, double alpha, po_mat A, po_trans ta, po_mat B, po_trans tb) {
  int depth = ta == PO_T ? A.rows : A.cols;
  PO_ASSERT(C.rows == (ta == PO_T ? A.cols : A.rows));
  PO_ASSERT(C.cols == (tb == PO_T ? B.rows : B.cols));
  PO_ASSERT(depth == (tb == PO_T ? B.cols : B.rows));
  gemm_plain(C, beta, alpha, gemm_op(A, ta), gemm_op(B, tb), depth);
}
