/* syrk.c: one triangle of C = beta C + alpha op(A) op(A)'. */
#include "kernels.h"

static void syrk_plain(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta) {
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

void po_syrk(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta) {
  PO_ASSERT(C.rows == C.cols && C.rows == (ta == PO_T ? A.cols : A.rows));
  syrk_plain(C, uplo, beta, alpha, A, ta);
}
