/* triangular.c: solves with a triangle. Every loop runs along rows: dot products when op(T) is read by rows, axpys when by
 * columns. */
#include "kernels.h"

void po_trsv(po_mat T, po_uplo uplo, po_trans trans, po_diag diag, double *x) {
  int n = T.rows, i;
  PO_ASSERT(T.rows == T.cols);
  if (uplo == PO_LOWER && trans == PO_N) {
    for (i = 0; i < n; i++) {
      x[i] -= po_dot(po_row(T, i), x, i);
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
    }
  } else if (uplo == PO_UPPER && trans == PO_N) {
    for (i = n - 1; i >= 0; i--) {
      x[i] -= po_dot(po_row(T, i) + i + 1, x + i + 1, n - i - 1);
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
    }
  } else if (uplo == PO_LOWER) {
    for (i = n - 1; i >= 0; i--) {
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
      po_axpy(x, -x[i], po_row(T, i), i);
    }
  } else {
    for (i = 0; i < n; i++) {
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
      po_axpy(x + i + 1, -x[i], po_row(T, i) + i + 1, n - i - 1);
    }
  }
}

/* Row i of B depends on the rows before it (op(T) lower) or after it (op(T) upper). */
static void triangular_left(po_mat T, po_uplo uplo, po_trans trans, po_diag diag, po_mat B) {
  int n = T.rows, lower = (uplo == PO_LOWER) == (trans == PO_N), step, i, j, k;
  for (step = 0; step < n; step++) {
    double *row;
    i = lower ? step : n - 1 - step;
    row = po_row(B, i);
    for (k = lower ? 0 : n - 1; k != i; k += lower ? 1 : -1)
      po_axpy(row, -(trans == PO_N ? PO_AT(T, i, k) : PO_AT(T, k, i)), po_row(B, k), B.cols);
    if (diag == PO_NON_UNIT) {
      double d = PO_AT(T, i, i);
      for (j = 0; j < B.cols; j++) row[j] /= d;
    }
  }
}

void po_trsm(po_mat T, po_side side, po_uplo uplo, po_trans trans, po_diag diag, po_mat B) {
  int i;
  PO_ASSERT(T.rows == T.cols && T.rows == (side == PO_LEFT ? B.rows : B.cols));
  if (side == PO_LEFT) triangular_left(T, uplo, trans, diag, B);
  else /* x op(T) = b is op(T)' x' = b', row by row */
    for (i = 0; i < B.rows; i++) po_trsv(T, uplo, trans == PO_N ? PO_T : PO_N, diag, po_row(B, i));
}
