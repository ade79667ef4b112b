/* 03_solve.c: a first program: factor a matrix in place and solve with it. */
#include <poise.h>
#include <stdio.h>

int main(void) {
  double a[4] = {4, 1, 1, 3}, x[2] = {1, 2};
  po_mat A = po_mat_of(a, 2, 2, 2);
  if (po_cholesky(A, NULL, A) != PO_OK) return 1; /* A = L L', in place */
  po_cholesky_solve(x, A);
  printf("%f %f\n", x[0], x[1]); /* 0.090909 0.636364 */
  return 0;
}
