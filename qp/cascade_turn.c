/* cascade_turn.c: variables in which a level's QP has no scales.
 *
 * H = A'A squares the lengths of the rows: beside a row of length 1e6 one of length 1 is worth 1e-12, and what a QP solver does about it is
 * rounding. So A is factored and the cost is what it is, the violation itself:
 *
 *     A' P = V (R 0)'         rows of A in the order of their length, each to its own accuracy
 *     w = V (y; z)            z: what A does not see
 *     |A w − b| = |R'y − P'b| = |u|,   u = R'y − P'b              full rank: u is the violations, row by row
 *                             u = S y − (Q'P'b)_1…r,  R' = Q (S; 0)   else; what is not in the range of A stays whatever w is
 *
 *     min ½|u|²   s.t.   cl <= C V (R'^-1 (u + P'b); z) <= cu.
 *
 * The scales are now in the rows of C, where each may be measured in its own units.
 */
#include "cascade.h"

#include <string.h>

static void ctu_layout(po_arena *a, po_cascade *c, int n, int pulling, int in_force, int equalities) {
  int least = n < pulling ? n : pulling;
  c->QRP = po_arena_mat_raw(a, n, pulling);
  c->Z = po_arena_mat_raw(a, pulling, least);
  c->tau = PO_ARENA_ARRAY(a, double, least);
  c->ztau = PO_ARENA_ARRAY(a, double, least);
  c->shift = PO_ARENA_ARRAY(a, double, pulling);
  c->perm = PO_ARENA_ARRAY(a, int, pulling);
  c->TC = po_arena_mat_raw(a, in_force, n);
  c->TE = po_arena_mat_raw(a, equalities, n);
  c->tl = PO_ARENA_ARRAY(a, double, in_force);
  c->tu = PO_ARENA_ARRAY(a, double, in_force);
  c->te = PO_ARENA_ARRAY(a, double, equalities);
}

size_t po_cascade_turn_bytes(int n, int pulling, int others) {
  po_arena a;
  po_cascade c;
  po_arena_measure(&a);
  ctu_layout(&a, &c, n, pulling, others, 0);
  return po_arena_used(&a) + sizeof(double) * 8 * ((size_t)n + (size_t)pulling) + 512;
}

/* The triangle S of u + shift = S y. */
static po_mat ctu_triangle(const po_cascade *c) { return po_block(c->rank == c->QRP.cols ? c->QRP : c->Z, 0, 0, c->rank, c->rank); }
static po_trans ctu_trans(const po_cascade *c) { return c->rank == c->QRP.cols ? PO_T : PO_N; }

/* The unit of u: the geometric mean of what the level's rows have along its coordinates, so that a step in u is one of the size of a step in w. A
 * power of two. */
static double ctu_unit(const po_cascade *c) {
  po_mat S = ctu_triangle(c);
  double log2 = 0, unit = 1;
  int i, e;
  for (i = 0; i < c->rank; i++) {
    double v = po_abs(PO_AT(S, i, i));
    for (e = 0; v >= 2; v *= 0.5) e++;
    for (; v < 1; v *= 2) e--;
    log2 += e;
  }
  for (e = c->rank ? (int)(log2 / c->rank) : 0; e > 0; e--) unit *= 2;
  for (; e < 0; e++) unit *= 0.5;
  return unit;
}

/* rows V, then their first columns times S^-1; value[i] = the row at u = 0, z = 0. */
static void ctu_rows(const po_cascade *c, po_mat out, po_mat rows, po_arena *scratch) {
  int i;
  if (!out.rows) return;
  po_mat_copy(out, rows);
  if (!c->rank) return;
  po_qr_apply(out, c->QRP, c->tau, c->rank, PO_RIGHT, PO_N, scratch);
  po_trsm(po_block(out, 0, 0, out.rows, c->rank), ctu_triangle(c), PO_RIGHT, PO_UPPER, ctu_trans(c), PO_NON_UNIT);
  for (i = 0; i < out.rows; i++) po_scale(po_row(out, i), c->unit, c->rank);
}

/* I for u; what neither the level nor a row in force sees stays where it is, and is not to wander off for want of a cost. */
static void ctu_cost(po_cascade *c) {
  int i, j;
  c->H.rows = c->H.cols = c->dim;
  po_mat_zero(c->H);
  for (j = 0; j < c->dim; j++) {
    int alone = 1;
    for (i = 0; i < c->in_force && alone && j >= c->rank; i++) alone = PO_AT(c->TC, i, j) == 0;
    for (i = 0; i < c->equalities && alone && j >= c->rank; i++) alone = PO_AT(c->TE, i, j) == 0;
    PO_AT(c->H, j, j) = alone;
  }
  memset(c->g, 0, sizeof(double) * (size_t)c->dim);
}

/* A' P = V R, and S. */
static po_status ctu_factor(po_cascade *c, po_mat A, po_arena *scratch) {
  double largest = 0;
  int i, j;
  po_status status;
  c->rank = 0;
  for (i = 0; i < A.rows; i++) largest = po_max(largest, po_norm2(po_row(A, i), A.cols));
  if (!(largest > c->floor)) return PO_OK;
  po_mat_transpose(c->QRP, A);
  status = po_qrp(c->QRP, c->tau, c->perm, &c->rank, c->floor / largest, scratch);
  if (status != PO_OK || c->rank == A.rows) return status;
  c->Z.cols = c->rank;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < c->rank; j++) PO_AT(c->Z, i, j) = j <= i ? PO_AT(c->QRP, j, i) : 0;
  return po_qr(c->Z, c->ztau, scratch);
}

po_status po_cascade_turn(po_cascade *c, po_arena *a) {
  int rows = c->objectives + c->pulled, i;
  po_mat A = po_block(c->A, 0, 0, rows, c->dim);
  po_status status;
  ctu_layout(a, c, c->dim, rows, c->in_force, c->equalities);
  if (a->failed) return PO_ERR_MEMORY;
  status = ctu_factor(c, A, a);
  if (status != PO_OK) return status;
  c->turned_rows = rows;
  for (i = 0; i < rows && c->rank; i++) c->shift[i] = c->b[c->perm[i]];
  if (c->rank && c->rank < rows) po_qr_apply(po_mat_of(c->shift, rows, 1, 1), c->Z, c->ztau, c->rank, PO_LEFT, PO_T, a);
  c->unit = ctu_unit(c);
  po_scale(c->shift, 1 / c->unit, c->rank);
  ctu_rows(c, c->TC, c->C, a);
  ctu_rows(c, c->TE, c->E, a);
  for (i = 0; i < c->in_force; i++) {
    double at = po_dot(po_row(c->TC, i), c->shift, c->rank);
    c->tl[i] = c->cl[i] - at;
    c->tu[i] = c->cu[i] - at;
  }
  for (i = 0; i < c->equalities; i++) c->te[i] = c->e[i] - po_dot(po_row(c->TE, i), c->shift, c->rank);
  ctu_cost(c);
  c->result->flops += 2.0 * c->dim * c->rank * (rows + 2.0 * (c->in_force + c->equalities));
  return a->failed ? PO_ERR_MEMORY : PO_OK;
}

void po_cascade_turn_back(const po_cascade *c, double *w, const double *turned, po_arena *scratch) {
  int i;
  for (i = 0; i < c->dim; i++) w[i] = turned[i] + (i < c->rank ? c->shift[i] : 0);
  if (!c->rank) return;
  po_scale(w, c->unit, c->rank);
  po_trsv(w, ctu_triangle(c), PO_UPPER, ctu_trans(c), PO_NON_UNIT);
  po_qr_apply(po_mat_of(w, c->dim, 1, 1), c->QRP, c->tau, c->rank, PO_LEFT, PO_N, scratch);
}
