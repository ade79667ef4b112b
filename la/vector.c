/* vector.c: dot, axpy, scaling and norms. */
#include "kernels.h"

#include <math.h>

static double vector_dot_plain(const double *x, const double *y, int n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s;
  int i;
  for (i = 0; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  s = (s0 + s2) + (s1 + s3);
  for (; i < n; i++) s += x[i] * y[i];
  return s;
}

static void vector_axpy_plain(double *y, double alpha, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++) y[i] += alpha * x[i];
}

double po_dot(const double *x, const double *y, int n) { return vector_dot_plain(x, y, n); }

void po_axpy(double *y, double alpha, const double *x, int n) { vector_axpy_plain(y, alpha, x, n); }

void po_scale(double *x, double alpha, int n) {
  int i;
  for (i = 0; i < n; i++) x[i] *= alpha;
}

double po_norm_inf(const double *x, int n) {
  double top = 0;
  int i;
  for (i = 0; i < n; i++) {
    double a = po_abs(x[i]);
    if (a > top || a != a) top = a; /* once NaN, no comparison is true any more but a NaN's own */
  }
  return top;
}

double po_norm2(const double *x, int n) {
  double s = po_dot(x, x, n), top, inverse;
  int i;
  /* In this range neither overflow nor the loss of small squares can have touched more than the last bit. */
  if (s <= 0x1p+1000 && s >= PO_LA_TINY_SQUARE) return sqrt(s);
  top = po_norm_inf(x, n);
  if (top == 0 || !po_isfinite(top)) return top;
  inverse = po_la_scaling(top);
  s = 0;
  for (i = 0; i < n; i++) {
    double a = x[i] * inverse;
    s += a * a;
  }
  return sqrt(s) / inverse;
}

double po_norm_max(po_mat A) {
  double top = 0;
  int i;
  for (i = 0; i < A.rows; i++) {
    double a = po_norm_inf(po_row(A, i), A.cols);
    if (a > top || a != a) top = a;
  }
  return top;
}

double po_norm_fro(po_mat A) {
  double s = 0, top, inverse;
  int i, j;
  for (i = 0; i < A.rows; i++) s += po_dot(po_row(A, i), po_row(A, i), A.cols);
  if (s <= 0x1p+1000 && s >= PO_LA_TINY_SQUARE) return sqrt(s);
  top = po_norm_max(A);
  if (top == 0 || !po_isfinite(top)) return top;
  inverse = po_la_scaling(top);
  s = 0;
  for (i = 0; i < A.rows; i++) {
    const double *row = po_row(A, i);
    for (j = 0; j < A.cols; j++) {
      double a = row[j] * inverse;
      s += a * a;
    }
  }
  return sqrt(s) / inverse;
}
