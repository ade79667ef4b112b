/* qr_update.c: rows and columns that come to and go from a full A = Q R.
 *
 * A rotation G of rows p and q of R goes with the same rotation of columns p and q of Q, for A = (Q G')(G R). Columns of a
 * row-major Q are far apart, so rotations are gathered in batches and each batch runs along every row of Q. Where R has only
 * zero rows (below n), one reflector does the work of many rotations and touches Q alone. */
#include "kernels.h"

#include <string.h>

#define QR_UPDATE_BATCH 32

static po_status qr_update_check(po_mat Q, po_mat R) {
  po_status status = po_mat_check(Q);
  if (status || (status = po_mat_check(R)) != PO_OK) return status;
  return Q.rows == Q.cols && R.rows == Q.rows ? PO_OK : PO_ERR_SIZE;
}

/* Clears w[at+1…last] from the bottom up into w[at], with the rows of R (m × cols) and the columns of Q. Row i of R begins at
 * column i afterwards. */
static void qr_update_gather(po_mat Q, po_mat R, double *w, int at, int last) {
  double c[QR_UPDATE_BATCH], s[QR_UPDATE_BATCH];
  int i = last, count = 0;
  for (; i > at; i--) {
    po_givens(&c[count], &s[count], &w[i - 1], w[i - 1], w[i]);
    w[i] = 0;
    if (i < R.cols) po_givens_apply(po_row(R, i - 1) + i, po_row(R, i) + i, R.cols - i, c[count], s[count]);
    s[count] = -s[count]; /* going down the columns, the second of the pair comes first */
    if (++count == QR_UPDATE_BATCH || i == at + 1) {
      po_la_rotate_columns(Q, i + count - 1, count, -1, c, s);
      count = 0;
    }
  }
}

po_status po_qr_insert_column(po_mat Q, po_mat R, int at, const double *column, po_arena *scratch) {
  po_status status = qr_update_check(Q, R);
  int m = R.rows, n = R.cols, i, last;
  size_t mark;
  double *w;
  if (status) return status;
  if (at < 0 || at > n || R.ld < n + 1) return PO_ERR_SIZE;
  if (!scratch || (!column && m > 0)) return PO_ERR_NULL;
  if (!po_all_finite(column, m)) return PO_ERR_NOT_FINITE;
  mark = po_arena_mark(scratch);
  w = PO_ARENA_ARRAY(scratch, double, m);
  if (!w && m > 0) return PO_ERR_MEMORY;
  po_gemv_t(w, Q, column);
  for (i = 0; i < m; i++) {
    double *row = po_row(R, i);
    memmove(row + at + 1, row + at, sizeof(double) * (size_t)(n - at));
  }
  R.cols = n + 1;
  last = m - 1;
  if (n < m - 1) {
    double tau = po_la_reflector(&w[n], &w[n + 1], m - n - 1, 1);
    po_la_reflect_right(po_block(Q, 0, n, m, m - n), &w[n + 1], 1, tau);
    for (i = n + 1; i < m; i++) w[i] = 0;
    last = n;
  }
  qr_update_gather(Q, R, w, at, last);
  for (i = 0; i < m; i++) PO_AT(R, i, at) = w[i];
  po_arena_release(scratch, mark);
  return PO_OK;
}

po_status po_qr_delete_column(po_mat Q, po_mat R, int at) {
  po_status status = qr_update_check(Q, R);
  double c[QR_UPDATE_BATCH], s[QR_UPDATE_BATCH];
  int m = R.rows, n = R.cols, i, count = 0, last;
  if (status) return status;
  if (at < 0 || at >= n) return PO_ERR_SIZE;
  for (i = 0; i < m; i++) {
    double *row = po_row(R, i);
    memmove(row + at, row + at + 1, sizeof(double) * (size_t)(n - 1 - at));
    row[n - 1] = 0;
  }
  /* What was right of the column is upper Hessenberg now. */
  last = n - 2 < m - 2 ? n - 2 : m - 2;
  for (i = at; i <= last; i++) {
    double *x = po_row(R, i), *y = po_row(R, i + 1);
    po_givens(&c[count], &s[count], &x[i], x[i], y[i]);
    y[i] = 0;
    po_givens_apply(x + i + 1, y + i + 1, n - 2 - i, c[count], s[count]);
    if (++count == QR_UPDATE_BATCH || i == last) {
      po_la_rotate_columns(Q, i + 1 - count, count, 1, c, s);
      count = 0;
    }
  }
  return PO_OK;
}

po_status po_qr_insert_row(po_mat Q, po_mat R, int at, const double *row, po_arena *scratch) {
  po_status status = qr_update_check(Q, R);
  int m = R.rows, n = R.cols, steps = m < n ? m : n, i, j;
  size_t mark;
  double *c, *s, *last;
  if (status) return status;
  if (at < 0 || at > m || Q.ld < m + 1) return PO_ERR_SIZE;
  if (!scratch || !Q.a || ((!row || !R.a) && n > 0)) return PO_ERR_NULL;
  if (!po_all_finite(row, n)) return PO_ERR_NOT_FINITE;
  mark = po_arena_mark(scratch);
  c = PO_ARENA_ARRAY(scratch, double, 2 * steps);
  if (!c && steps > 0) return PO_ERR_MEMORY;
  s = c + steps;
  for (i = m; i > at; i--) memcpy(po_row(Q, i), po_row(Q, i - 1), sizeof(double) * (size_t)m);
  memset(po_row(Q, at), 0, sizeof(double) * (size_t)m);
  for (i = 0; i <= m; i++) PO_AT(Q, i, m) = i == at;
  last = po_row(R, m);
  if (n > 0) memcpy(last, row, sizeof(double) * (size_t)n);
  for (j = 0; j < steps; j++) {
    double *x = po_row(R, j);
    po_givens(&c[j], &s[j], &x[j], x[j], last[j]);
    last[j] = 0;
    po_givens_apply(x + j + 1, last + j + 1, n - j - 1, c[j], s[j]);
  }
  po_la_rotate_carry(po_mat_of(Q.a, m + 1, m + 1, Q.ld), 0, steps, 1, c, s, Q.a + m, Q.ld);
  po_arena_release(scratch, mark);
  return PO_OK;
}

/* Rotations that take row `at` of Q to ±e_0 leave that row of A in the first row of G R alone, and G R minus that row is
 * upper triangular again. */
po_status po_qr_delete_row(po_mat Q, po_mat R, int at) {
  po_status status = qr_update_check(Q, R);
  int m = R.rows, n = R.cols, i, last = m - 1;
  double *q;
  if (status) return status;
  if (at < 0 || at >= m) return PO_ERR_SIZE;
  q = po_row(Q, at);
  if (n < m - 1) { /* the row is thrown away, so it may hold the reflector */
    double tau = po_la_reflector(&q[n], &q[n + 1], m - n - 1, 1);
    po_la_reflect_right(po_block(Q, 0, n, at, m - n), &q[n + 1], 1, tau);
    po_la_reflect_right(po_block(Q, at + 1, n, m - at - 1, m - n), &q[n + 1], 1, tau);
    for (i = n + 1; i < m; i++) q[i] = 0;
    last = n;
  }
  {
    double c[QR_UPDATE_BATCH], s[QR_UPDATE_BATCH], carry = q[last];
    int count = 0;
    for (i = last; i > 0; i--) {
      double r;
      po_givens(&c[count], &s[count], &r, q[i - 1], carry);
      carry = r;
      if (i - 1 < n) po_givens_apply(po_row(R, i - 1) + i - 1, po_row(R, i) + i - 1, n - i + 1, c[count], s[count]);
      s[count] = -s[count];
      if (++count == QR_UPDATE_BATCH || i == 1) {
        po_la_rotate_columns(Q, i + count - 1, count, -1, c, s);
        count = 0;
      }
    }
  }
  for (i = 0; i < m; i++)
    if (i != at) memmove(po_row(Q, i < at ? i : i - 1), po_row(Q, i) + 1, sizeof(double) * (size_t)(m - 1));
  for (i = 1; i < m; i++)
    if (n > 0) memcpy(po_row(R, i - 1), po_row(R, i), sizeof(double) * (size_t)n);
  return PO_OK;
}
