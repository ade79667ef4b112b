/* mat.c: views, filling, copying, and the checks at the door. */
#include "kernels.h"

#include <string.h>

static int mat_padded(int cols) { return (cols + 3) & ~3; }

po_mat po_arena_mat(po_arena *arena, int rows, int cols) {
  int ld = mat_padded(cols);
  double *a = (double *)po_arena_zalloc(arena, sizeof(double) * (size_t)rows * (size_t)ld);
  return po_mat_of(a, rows, cols, ld);
}

size_t po_mat_bytes(int rows, int cols) {
  size_t bytes = sizeof(double) * (size_t)rows * (size_t)mat_padded(cols);
  return (bytes + 31) & ~(size_t)31;
}

/* The hungriest call is po_pinv: U, V, and within po_svd a copy, two sets of vectors and one more square for forming them. */
size_t po_la_scratch_bytes(int rows, int cols) {
  int n = rows > cols ? rows : cols;
  return 8 * po_mat_bytes(n, n) + 24 * po_mat_bytes(1, n) + 64;
}

po_status po_mat_check(po_mat A) {
  if (A.rows < 0 || A.cols < 0 || A.ld < A.cols) return PO_ERR_SIZE;
  if (!A.a && A.rows > 0 && A.cols > 0) return PO_ERR_NULL;
  return PO_OK;
}

po_status po_mat_check_finite(po_mat A) {
  double largest;
  return po_la_scan(A, &largest);
}

po_status po_la_scan(po_mat A, double *largest) {
  po_status status = po_mat_check(A);
  double top = 0, bad = 0; /* bad: x − x is 0 or NaN */
  int i, j;
  *largest = 0;
  if (status) return status;
  for (i = 0; i < A.rows; i++) {
    const double *row = po_row(A, i);
    for (j = 0; j < A.cols; j++) {
      double x = po_abs(row[j]);
      bad += x - x;
      if (x > top) top = x;
    }
  }
  if (bad != 0.0 || bad != bad) return PO_ERR_NOT_FINITE;
  *largest = top;
  return PO_OK;
}

double po_la_scaling(double largest) {
  double s = 1;
  if (largest == 0 || (largest <= PO_LA_BIG && largest >= PO_LA_SMALL)) return 1;
  while (largest > PO_LA_BIG) { s *= 0x1p-256; largest *= 0x1p-256; }
  while (largest < PO_LA_SMALL) { s *= 0x1p+256; largest *= 0x1p+256; }
  return s;
}

void po_la_mat_scale(po_mat A, double alpha) {
  int i;
  for (i = 0; i < A.rows; i++) po_scale(po_row(A, i), alpha, A.cols);
}

void po_la_scale_upper(po_mat A, double alpha) {
  int i, n = A.rows < A.cols ? A.rows : A.cols;
  for (i = 0; i < n; i++) po_scale(po_row(A, i) + i, alpha, A.cols - i);
}

void po_mat_zero(po_mat A) {
  int i;
  if (A.cols <= 0) return;
  for (i = 0; i < A.rows; i++) memset(po_row(A, i), 0, sizeof(double) * (size_t)A.cols);
}

void po_mat_identity(po_mat A) {
  int i, n = A.rows < A.cols ? A.rows : A.cols;
  po_mat_zero(A);
  for (i = 0; i < n; i++) PO_AT(A, i, i) = 1;
}

void po_mat_copy(po_mat dst, po_mat src) {
  int i;
  PO_ASSERT(dst.rows == src.rows && dst.cols == src.cols);
  if (src.cols <= 0) return;
  for (i = 0; i < src.rows; i++) memmove(po_row(dst, i), po_row(src, i), sizeof(double) * (size_t)src.cols);
}

void po_mat_transpose(po_mat dst, po_mat src) {
  int i, j;
  PO_ASSERT(dst.rows == src.cols && dst.cols == src.rows);
  for (i = 0; i < src.rows; i++) {
    const double *row = po_row(src, i);
    for (j = 0; j < src.cols; j++) PO_AT(dst, j, i) = row[j];
  }
}

void po_mat_symmetrize(po_mat A, po_uplo from) {
  int i, j;
  PO_ASSERT(A.rows == A.cols);
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < i; j++) {
      if (from == PO_LOWER) PO_AT(A, j, i) = PO_AT(A, i, j);
      else PO_AT(A, i, j) = PO_AT(A, j, i);
    }
}
