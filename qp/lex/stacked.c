/* stacked.c: a level that sees every coordinate left to it alone, in a row each, besides others: a regularization.
 *
 *     [E]            E diagonal, none of it negligible: full column rank without asking, so no pivoting;
 *     [D] y = …      the levels above have decided all that the other columns of D, and none that E, can see.
 *
 * Reflector j acts on row j of E and on D alone, H_j = I − tau (e_j; d)(e_j; d)', and leaves R_j· in the place of row j, which was zero
 * right of the diagonal (Golub & Van Loan, 12.5: updating). That is rows(D)/(rows(D) + n) of the work of a QR of the whole. What it does
 * to the columns of the levels above starts from zero rows too: B = −S^-1 V D_B, S the triangle of the block of reflectors. With few
 * rows in D the three factors are cheaper than B itself, which is never formed.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* S holds D's columns as rows, with one more element, zero, for the row of E that the reflector meets. V gets the d of each reflector, T the
 * triangle (transposed: its row j is column j of R). */
static void lexe_reduce(po_lex *w, po_lex_level *f, po_mat S, po_mat V, const double *e) {
  int n = f->rank, m = V.cols, j, l;
  for (j = 0; j < n; j++) {
    double *x = po_row(S, j), *v = po_row(V, j), alpha = e[j], length, beta, inverse;
    x[m] = alpha;
    length = sqrt(po_dot(x, x, m + 1));
    beta = alpha > 0 ? -length : length;
    inverse = 1 / (alpha - beta);
    f->tau[j] = (beta - alpha) / beta;
    PO_AT(f->T, j, j) = beta;
    for (l = 0; l < m; l++) x[l] *= inverse;
    memcpy(v, x, sizeof(double) * (size_t)m);
    x[m] = 1;
    if (j + 1 < n) w->k->reflect(po_row(S, j + 1), S.ld, NULL, n - j - 1, f->tau[j], x, 0, m + 1);
    for (l = j + 1; l < n; l++) { /* row j of R stands where the row of E was zero */
      double *y = po_row(S, l) + m;
      PO_AT(f->T, l, j) = *y;
      *y = 0;
    }
    w->flops += 4.0 * (n - j - 1) * (m + 1);
  }
}

void po_lex_stacked(po_lex *w, int k, po_lex_scratch *t) {
  po_lex_level *f = &w->level[k];
  int n = f->end - f->at, m = f->rows - n, j, i;
  po_mat S, V, D;
  f->rank = f->left = n;
  po_lex_take_pools(w, f, t);
  po_lex_gather(w, k, n, t);
  D = po_block(w->X, f->first + n, f->at, m, n);
  S = po_block(t->S, 0, 0, n, m + 1);
  V = po_block(f->U, 0, n, n, m);
  po_mat_transpose(po_block(S, 0, 0, n, m), D);
  for (j = 0; j < n; j++) {
    w->y[j] = po_lex_row_of(w, k, w->source[f->first + j])[w->perm[f->at + j]];
    memset(po_row(f->U, j), 0, sizeof(double) * (size_t)n);
    PO_AT(f->U, j, j) = 1;
    PO_AT(S, j, m) = 0;
  }
  lexe_reduce(w, f, S, V, w->y);
  f->trans = PO_T;
  for (i = 0; i < f->rows; i++) w->z[i] = w->rhs[f->first + i];
  for (j = 0; j < n; j++) { /* Q' rhs */
    double s = -f->tau[j] * (w->z[j] + po_dot(po_row(V, j), w->z + n, m));
    w->z[j] += s;
    po_axpy(w->z + n, s, po_row(V, j), m);
  }
  memcpy(f->c, w->z, sizeof(double) * (size_t)n);
  f->S = po_block(w->pool_TV, t->used - n, 0, n, n); /* free, as no coordinates are turned */
  po_lex_block(w, f->S, V, f->tau);
  f->W = V;
  f->D = po_block(w->X, f->first + n, 0, m, f->at);
  if (m > n && f->at) { /* many rows: B is the smaller */
    po_gemm(f->B, 0, -1, V, PO_N, f->D, PO_N);
    po_trsm(f->B, f->S, PO_LEFT, PO_LOWER, PO_N, PO_NON_UNIT);
    f->S.a = NULL;
    w->flops += 2.0 * n * f->at * (m + 0.5 * n);
  }
}

/* ---- products with B, formed or not ---------------------------------------------------------------------------------------------- */

void po_lex_b_apply(const po_lex_level *f, double *out, const double *y, double *work) {
  if (!f->at) return;
  if (f->S.a) {
    double *u = work, *t = work + f->rank;
    po_gemv(t, f->D, y);
    po_gemv(u, f->W, t);
    po_trsv(u, f->S, PO_LOWER, PO_N, PO_NON_UNIT);
    po_axpy(out, 1, u, f->rank);
  } else {
    po_gemv_add(out, -1, f->B, y);
  }
}

void po_lex_b_transposed(const po_lex_level *f, double *y, double alpha, const double *mu, double *work) {
  if (!f->at) return;
  if (f->S.a) {
    double *u = work, *t = work + f->rank;
    memcpy(u, mu, sizeof(double) * (size_t)f->rank);
    po_trsv(u, f->S, PO_LOWER, PO_T, PO_NON_UNIT);
    po_gemv_t(t, f->W, u);
    po_gemv_t_add(y, -alpha, f->D, t);
  } else {
    po_gemv_t_add(y, alpha, f->B, mu);
  }
}

void po_lex_b_rows(const po_lex_level *f, po_mat Y, po_mat G, po_mat work) {
  if (!f->at) return;
  if (f->S.a) {
    po_mat P = po_block(work, 0, 0, G.rows, f->rank), T = po_block(work, 0, f->rank, G.rows, f->W.cols);
    po_mat_copy(P, G);
    po_trsm(P, f->S, PO_RIGHT, PO_LOWER, PO_N, PO_NON_UNIT);
    po_gemm(T, 0, 1, P, PO_N, f->W, PO_N);
    po_gemm(Y, 1, 1, T, PO_N, f->D, PO_N);
  } else {
    po_gemm(Y, 1, -1, G, PO_N, f->B, PO_N);
  }
}
