/* lu.c: A = P L U with partial pivoting, for the small unsymmetric systems of sliding contacts and of the pivoting methods. */
#include "lcp_internal.h"

int po_lu(double *A, int n, int ld, int *perm) {
  int i, j, k;
  for (k = 0; k < n; k++) {
    double *pivot_row, largest = 0;
    int at = k;
    for (i = k; i < n; i++)
      if (fabs(A[i * ld + k]) > largest) {
        largest = fabs(A[i * ld + k]);
        at = i;
      }
    perm[k] = at;
    if (!(largest > 0)) return 0;
    if (at != k)
      for (j = 0; j < n; j++) {
        double t = A[k * ld + j];
        A[k * ld + j] = A[at * ld + j];
        A[at * ld + j] = t;
      }
    pivot_row = A + k * ld;
    for (i = k + 1; i < n; i++) {
      double *row = A + i * ld, f = row[k] / pivot_row[k];
      row[k] = f;
      if (f == 0) continue;
      po_axpy(row + k + 1, -f, pivot_row + k + 1, n - k - 1);
    }
  }
  return 1;
}

void po_lu_solve(const double *A, int n, int ld, const int *perm, double *x) {
  int i;
  for (i = 0; i < n; i++) {
    double t = x[i];
    x[i] = x[perm[i]];
    x[perm[i]] = t;
  }
  for (i = 1; i < n; i++) {
    x[i] -= po_dot(A + (size_t)i * (size_t)ld, x, i);
  }
  for (i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)i * (size_t)ld;
    x[i] = (x[i] - po_dot(row + i + 1, x + i + 1, n - i - 1)) / row[i];
  }
}
