/* eig.c: eigenvalues of symmetric matrices by cyclic Jacobi (Golub & Van Loan 8.5). */
#include "kernels.h"

#include <math.h>

#define EIG_SWEEPS 60

/* The rotation that annihilates a_pq: tan t of the smaller angle, from (a_qq − a_pp) / (2 a_pq). */
static void eig_angle(double app, double apq, double aqq, double *c, double *s) {
  double tau = (aqq - app) / (2 * apq), t;
  t = po_abs(tau) > 0x1p+500 ? 0.5 / tau : (tau < 0 ? -1 : 1) / (po_abs(tau) + sqrt(1 + tau * tau));
  *c = 1 / sqrt(1 + t * t);
  *s = t * *c;
}

/* Rows, then columns, p and q of a full symmetric A; then a_pq is zero by construction. */
static void eig_rotate(po_mat A, po_mat Vt, int p, int q) {
  int n = A.rows, k;
  double c, s;
  eig_angle(PO_AT(A, p, p), PO_AT(A, p, q), PO_AT(A, q, q), &c, &s);
  po_givens_apply(po_row(A, p), po_row(A, q), n, c, -s);
  for (k = 0; k < n; k++) {
    double *row = po_row(A, k), x = row[p], y = row[q];
    row[p] = c * x - s * y;
    row[q] = c * y + s * x;
  }
  PO_AT(A, p, q) = PO_AT(A, q, p) = 0;
  if (Vt.a) po_givens_apply(po_row(Vt, p), po_row(Vt, q), n, c, -s);
}

/* Negligible next to its two diagonal elements: adding it to either changes nothing. */
static int eig_small(double apq, double app, double aqq) {
  return po_abs(apq) <= 0.25 * PO_EPS * sqrt(po_abs(app)) * sqrt(po_abs(aqq));
}

static po_status eig_sweeps(po_mat A, po_mat Vt) {
  int n = A.rows, sweep, p, q, busy = 1;
  double floor_size = 0;
  for (p = 0; p < n; p++) floor_size = po_max(floor_size, po_norm_inf(po_row(A, p), n));
  floor_size *= 0.25 * PO_EPS; /* below this an element is beyond the precision of the largest */
  for (sweep = 0; busy && n > 1; sweep++) {
    if (sweep == EIG_SWEEPS) return PO_ERR_ITERATIONS;
    busy = 0;
    for (p = 0; p < n - 1; p++)
      for (q = p + 1; q < n; q++) {
        double apq = PO_AT(A, p, q);
        if (apq == 0 || eig_small(apq, PO_AT(A, p, p), PO_AT(A, q, q))) continue;
        /* elements at the floor are rotated away once more but do not keep the sweeps going */
        if (po_abs(apq) > floor_size) busy = 1;
        eig_rotate(A, Vt, p, q);
      }
  }
  return PO_OK;
}

static void eig_sort(double *w, po_mat Vt, int n) {
  int i, j, k;
  for (i = 0; i < n - 1; i++) {
    int best = i;
    double t = w[i];
    for (j = i + 1; j < n; j++)
      if (w[j] < w[best]) best = j;
    if (best == i) continue;
    w[i] = w[best];
    w[best] = t;
    if (Vt.a)
      for (k = 0; k < n; k++) {
        t = PO_AT(Vt, i, k);
        PO_AT(Vt, i, k) = PO_AT(Vt, best, k);
        PO_AT(Vt, best, k) = t;
      }
  }
}

/* Scales B (the symmetric copy, destroyed), sweeps, and puts the results in order into w and V. */
static po_status eig_factor(double *w, po_mat V, po_mat B, po_mat Vt) {
  double scale, largest;
  int n = B.rows, i;
  po_status status = po_la_scan_norm(B, &largest);
  if (status) return status;
  scale = po_la_scaling(largest);
  if (scale != 1) po_la_mat_scale(B, scale);
  if (Vt.a) po_mat_identity(Vt);
  status = eig_sweeps(B, Vt);
  if (status) return status;
  for (i = 0; i < n; i++) w[i] = PO_AT(B, i, i) / scale;
  eig_sort(w, Vt, n);
  if (Vt.a) po_mat_transpose(V, Vt);
  return PO_OK;
}

po_status po_eig_sym(double *w, po_mat V, po_mat A, po_arena *scratch) {
  po_status status = po_la_check_lower(A);
  po_mat B, Vt = {NULL, 0, 0, 0};
  size_t mark;
  int n = A.rows, i, j;
  if (status) return status;
  if (V.a && (po_mat_check(V) || V.rows != n || V.cols != n)) return PO_ERR_SIZE;
  if (n <= 0) return PO_OK;
  if (!scratch || !w) return PO_ERR_NULL;
  mark = po_arena_mark(scratch);
  B = po_arena_mat(scratch, n, n);
  if (V.a) Vt = po_arena_mat(scratch, n, n);
  if (!B.a || (V.a && !Vt.a)) status = PO_ERR_MEMORY;
  if (!status) {
    for (i = 0; i < n; i++)
      for (j = 0; j <= i; j++) PO_AT(B, i, j) = PO_AT(B, j, i) = PO_AT(A, i, j);
    status = eig_factor(w, V, B, Vt);
  }
  po_arena_release(scratch, mark);
  return status;
}

po_status po_eig_sym3(double w[3], po_mat3 *V, po_mat3 A) {
  double b[9], vt[9], values[3];
  po_mat3 vectors;
  po_status status = po_la_check_lower(po_mat_of(A.m, 3, 3, 3));
  int i, j;
  if (!w) return PO_ERR_NULL;
  if (status) return status;
  for (i = 0; i < 3; i++)
    for (j = 0; j <= i; j++) b[3 * i + j] = b[3 * j + i] = A.m[3 * i + j];
  status = eig_factor(values, po_mat_of(vectors.m, 3, 3, 3), po_mat_of(b, 3, 3, 3), po_mat_of(vt, 3, 3, 3));
  if (status) return status;
  for (i = 0; i < 3; i++) w[i] = values[i];
  if (V) *V = vectors;
  return PO_OK;
}
