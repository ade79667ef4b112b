/* sure.c: a level that is plainly of full column rank, as the last that sees the accelerations mostly is.
 *
 * Pivoting is there to find the rank. Where the smallest singular value is proven to be above the threshold, the answer is known: no
 * pivot of a pivoted factorization is smaller than it. So the level is factored without pivoting, which is blocked and takes half the
 * time, and believed only with that proof:  sigma_min(A) = 1/|R^-1|_2,  |R^-1|_2 <= (|R^-1|_1 |R^-1|_inf)^½, and both norms are those of a
 * vector found by one substitution with the comparison matrix, M(R)^-1 >= |R^-1| (Higham, Accuracy and Stability, 8.3).
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* max of M(R)^-1 e, or of M(R)^-T e: an upper bound of the norm of R^-1. T holds |R| transposed, in its lower triangle. */
static double lexu_inverse_bound(po_mat T, int transposed, double *z) {
  int n = T.rows, j;
  double most = 0;
  for (j = 0; j < n; j++) z[j] = 1;
  for (j = transposed ? 0 : n - 1; j >= 0 && j < n; j += transposed ? 1 : -1) {
    const double *row = po_row(T, j); /* column j of |R|: elements 0 … j */
    z[j] = (z[j] + (transposed ? po_dot(row, z, j) : 0)) / row[j];
    if (!transposed) po_axpy(z, z[j], row, j);
    most = po_max(most, z[j]);
  }
  return most;
}

int po_lex_sure(po_lex *w, int k, double threshold, po_lex_scratch *t) {
  po_lex_level *f = &w->level[k];
  int n = f->end - f->at, i, j;
  po_mat QR = po_block(t->W, 0, 0, f->rows, n), rest = po_block(t->W, 0, n, f->rows, f->at + 1); /* [B rhs] */
  po_mat T = po_block(w->pool_BT, t->used, f->at, n, n);
  po_mat size = po_block(t->W, 0, w->n + 1, n, n); /* |R|^T, behind what has been taken of W */
  double *tau = w->pool_tau + t->used, rows, columns;
  po_mat_copy(QR, po_block(w->X, f->first, f->at, f->rows, n));
  if (po_qr(QR, tau, NULL) != PO_OK) return 0;
  w->flops += 2.0 * n * n * (f->rows - n / 3.0);
  for (i = 0; i < n; i++)
    for (j = 0; j <= i; j++) PO_AT(size, i, j) = fabs(PO_AT(T, i, j) = PO_AT(QR, j, i));
  rows = lexu_inverse_bound(size, 0, t->work);
  columns = lexu_inverse_bound(size, 1, t->work);
  if (!(threshold * sqrt(rows * columns) < 0.1)) return 0;
  f->rank = f->left = n;
  f->trans = PO_T;
  po_lex_take_pools(w, f, t);
  po_mat_copy(po_block(rest, 0, 0, f->rows, f->at), po_block(w->X, f->first, 0, f->rows, f->at));
  for (i = 0; i < f->rows; i++) PO_AT(rest, i, f->at) = w->rhs[f->first + i];
  po_qr_apply(rest, QR, tau, n, PO_LEFT, PO_T, NULL);
  po_mat_copy(f->B, po_block(rest, 0, 0, n, f->at));
  for (i = 0; i < n; i++) f->c[i] = PO_AT(rest, i, f->at);
  w->flops += 4.0 * n * f->rows * f->at;
  po_mat_transpose(f->U, QR); /* the reflectors as rows */
  for (i = 0; i < n; i++) {
    memset(po_row(f->U, i), 0, sizeof(double) * (size_t)i);
    PO_AT(f->U, i, i) = 1;
  }
  return 1;
}
