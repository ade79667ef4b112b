/* gemv.c: matrix times vector, plain and transposed. */
#include "kernels.h"

#include <string.h>

void po_gemv(double *y, po_mat A, const double *x) {
  int i;
  for (i = 0; i < A.rows; i++) y[i] = po_dot(po_row(A, i), x, A.cols);
}

void po_gemv_add(double *y, double alpha, po_mat A, const double *x) {
  int i;
  for (i = 0; i < A.rows; i++) y[i] += alpha * po_dot(po_row(A, i), x, A.cols);
}

void po_gemv_t_add(double *y, double alpha, po_mat A, const double *x) {
  int i;
  for (i = 0; i < A.rows; i++) po_axpy(y, alpha * x[i], po_row(A, i), A.cols);
}

void po_gemv_t(double *y, po_mat A, const double *x) {
  if (A.cols > 0) memset(y, 0, sizeof(double) * (size_t)A.cols);
  po_gemv_t_add(y, 1, A, x);
}
