/* qr.c: Householder QR, its Q applied and formed, least squares. */
#include "kernels.h"

#include <math.h>

/* ---- one reflector ------------------------------------------------------------------------------------------------------ */

static double qr_norm_strided(const double *x, int n, int stride) {
  double s = 0, top = 0, inverse;
  int i;
  for (i = 0; i < n; i++) {
    double a = x[(size_t)i * (size_t)stride];
    s += a * a;
    if (po_abs(a) > top) top = po_abs(a);
  }
  if (s <= 0x1p+1000 && s >= PO_LA_TINY_SQUARE) return sqrt(s);
  if (top == 0) return 0;
  inverse = po_la_scaling(top);
  for (s = 0, i = 0; i < n; i++) {
    double a = x[(size_t)i * (size_t)stride] * inverse;
    s += a * a;
  }
  return sqrt(s) / inverse;
}

double po_la_reflector(double *alpha, double *x, int n, int stride) {
  double norm = qr_norm_strided(x, n, stride), a = *alpha, big, small, beta, divisor;
  int i;
  if (norm == 0) return 0;
  big = po_max(norm, po_abs(a));
  small = po_min(norm, po_abs(a)) / big;
  beta = big * sqrt(1 + small * small);
  if (a > 0) beta = -beta;
  divisor = a - beta;
  if (po_abs(divisor) > PO_LA_SMALL) {
    double inverse = 1 / divisor;
    for (i = 0; i < n; i++) x[(size_t)i * (size_t)stride] *= inverse;
  } else { /* the inverse would overflow */
    for (i = 0; i < n; i++) x[(size_t)i * (size_t)stride] /= divisor;
  }
  *alpha = beta;
  return (beta - a) / beta;
}

#define QR_STRIP 64

/* w = tau u'A gathers rows, A −= u w' scatters rows: both run along rows, strip by strip of columns. */
void po_la_reflect_left(po_mat A, const double *v, int stride, double tau) {
  double w[QR_STRIP];
  int j0, j, i;
  if (tau == 0 || A.rows <= 0) return;
  for (j0 = 0; j0 < A.cols; j0 += QR_STRIP) {
    int n = A.cols - j0 < QR_STRIP ? A.cols - j0 : QR_STRIP;
    double *top = A.a + j0;
    for (j = 0; j < n; j++) w[j] = top[j];
    for (i = 1; i < A.rows; i++) po_axpy(w, v[(size_t)(i - 1) * (size_t)stride], po_row(A, i) + j0, n);
    for (j = 0; j < n; j++) w[j] *= tau;
    for (j = 0; j < n; j++) top[j] -= w[j];
    for (i = 1; i < A.rows; i++) po_axpy(po_row(A, i) + j0, -v[(size_t)(i - 1) * (size_t)stride], w, n);
  }
}

void po_la_reflect_right(po_mat A, const double *v, int stride, double tau) {
  int i, j;
  if (tau == 0 || A.cols <= 0) return;
  for (i = 0; i < A.rows; i++) {
    double *row = po_row(A, i), w = row[0];
    for (j = 1; j < A.cols; j++) w += row[j] * v[(size_t)(j - 1) * (size_t)stride];
    w *= tau;
    row[0] -= w;
    for (j = 1; j < A.cols; j++) row[j] -= w * v[(size_t)(j - 1) * (size_t)stride];
  }
}

/* ---- factorization ------------------------------------------------------------------------------------------------------ */

static void qr_factor_plain(po_mat A, double *tau) {
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k;
  for (k = 0; k < steps; k++) {
    double *pivot = &PO_AT(A, k, k), *below = pivot + A.ld;
    tau[k] = po_la_reflector(pivot, below, m - k - 1, A.ld);
    po_la_reflect_left(po_block(A, k, k + 1, m - k, n - k - 1), below, A.ld, tau[k]);
  }
}

po_status po_qr(po_mat A, double *tau, po_arena *scratch) {
  double largest, scale;
  po_status status = po_la_scan(A, &largest);
  (void)scratch;
  if (status) return status;
  if (!tau && A.rows > 0 && A.cols > 0) return PO_ERR_NULL;
  scale = po_la_scaling(largest);
  if (scale != 1) po_la_mat_scale(A, scale);
  qr_factor_plain(A, tau);
  if (scale != 1) po_la_scale_upper(A, 1 / scale);
  return PO_OK;
}

/* ---- Q applied and formed ----------------------------------------------------------------------------------------------- */

void po_qr_apply(po_mat QR, const double *tau, int k, po_side side, po_trans trans, po_mat B, po_arena *scratch) {
  int forward = (side == PO_LEFT) == (trans == PO_T), step, m = QR.rows;
  (void)scratch;
  PO_ASSERT((side == PO_LEFT ? B.rows : B.cols) == m && k <= m && k <= QR.cols);
  for (step = 0; step < k; step++) {
    int i = forward ? step : k - 1 - step;
    const double *v = &PO_AT(QR, i, i) + QR.ld;
    if (side == PO_LEFT) po_la_reflect_left(po_block(B, i, 0, m - i, B.cols), v, QR.ld, tau[i]);
    else po_la_reflect_right(po_block(B, 0, i, B.rows, m - i), v, QR.ld, tau[i]);
  }
}

void po_qr_form(po_mat Q, po_mat QR, const double *tau, int k, po_arena *scratch) {
  int i, m = QR.rows;
  (void)scratch;
  PO_ASSERT(Q.rows == m && Q.cols <= m && k <= m && k <= QR.cols);
  po_mat_identity(Q);
  /* Reflector i leaves the first i rows and columns of the identity alone. */
  for (i = k - 1; i >= 0; i--)
    if (i < Q.cols) po_la_reflect_left(po_block(Q, i, i, m - i, Q.cols - i), &PO_AT(QR, i, i) + QR.ld, QR.ld, tau[i]);
}

po_status po_qr_solve(double *x, po_mat QR, const double *tau, double *b, po_arena *scratch) {
  po_status status = po_mat_check(QR);
  int m = QR.rows, n = QR.cols, i;
  if (status) return status;
  if (m < n) return PO_ERR_SIZE;
  if (((!x || !tau) && n > 0) || (!b && m > 0)) return PO_ERR_NULL;
  if (!po_all_finite(b, m)) return PO_ERR_NOT_FINITE;
  for (i = 0; i < n; i++)
    if (PO_AT(QR, i, i) == 0) return PO_ERR_SINGULAR;
  po_qr_apply(QR, tau, n, PO_LEFT, PO_T, po_mat_of(b, m, 1, 1), scratch);
  po_trsv(po_block(QR, 0, 0, n, n), PO_UPPER, PO_N, PO_NON_UNIT, b);
  for (i = 0; i < n; i++) x[i] = b[i];
  return PO_OK;
}
