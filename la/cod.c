/* cod.c: complete orthogonal factorization, A = P [T' 0] V' with V from a pivoted QR of A'.
 *
 * A' P = V R, R upper trapezoidal of `rank` rows: the first `rank` columns of V span the rows of A, the others its null space.
 * Only least squares of a rank-deficient A need the second factorization, R' = Z [T; 0]. */
#include "kernels.h"

#include <string.h>

static void cod_layout(po_cod *F, int m, int n, po_arena *arena) {
  int k = m < n ? m : n;
  F->rows = m;
  F->cols = n;
  F->rank = 0;
  F->QRP = po_arena_mat(arena, n, m);
  F->Z = po_arena_mat(arena, m, k);
  F->tau = PO_ARENA_ARRAY(arena, double, k);
  F->ztau = PO_ARENA_ARRAY(arena, double, k);
  F->perm = PO_ARENA_ARRAY(arena, int, m);
}

size_t po_cod_bytes(int rows, int cols) {
  po_arena arena;
  po_cod F;
  po_arena_measure(&arena);
  cod_layout(&F, rows, cols, &arena);
  return po_arena_used(&arena) + po_la_scratch_bytes(cols, rows);
}

po_status po_la_cod_factor(po_cod *F, po_mat A, double tol, int for_solve, po_arena *arena) {
  po_status status = po_mat_check(A);
  size_t mark;
  po_cod made;
  if (!F || !arena) return PO_ERR_NULL;
  if (status) return status;
  if (tol != tol) return PO_ERR_RANGE;
  mark = po_arena_mark(arena);
  cod_layout(&made, A.rows, A.cols, arena);
  if (arena->failed) return PO_ERR_MEMORY;
  po_mat_transpose(made.QRP, A);
  status = po_qrp(made.QRP, made.tau, made.perm, &made.rank, tol, arena);
  if (!status && for_solve && made.rank < A.rows && made.rank > 0) {
    int i, j;
    made.Z.cols = made.rank;
    for (i = 0; i < A.rows; i++)
      for (j = 0; j < made.rank; j++) PO_AT(made.Z, i, j) = j <= i ? PO_AT(made.QRP, j, i) : 0;
    status = po_qr(made.Z, made.ztau, arena);
  }
  if (status) {
    po_arena_release(arena, mark);
    return status;
  }
  *F = made;
  return PO_OK;
}

po_status po_cod_factor(po_cod *F, po_mat A, double tol, po_arena *arena) { return po_la_cod_factor(F, A, tol, 1, arena); }

void po_cod_null(po_mat N, const po_cod *F, po_arena *scratch) {
  PO_ASSERT(N.rows == F->cols && N.cols == F->cols - F->rank);
  po_mat_zero(po_block(N, 0, 0, F->rank, N.cols));
  po_mat_identity(po_block(N, F->rank, 0, N.cols, N.cols));
  po_qr_apply(N, F->QRP, F->tau, F->rank, PO_LEFT, PO_N, scratch);
}

void po_cod_range(po_mat R, const po_cod *F, po_arena *scratch) {
  PO_ASSERT(R.rows == F->cols && R.cols == F->rank);
  po_qr_form(R, F->QRP, F->tau, F->rank, scratch);
}

/* x = V [y; 0] with y the least-squares solution of R' y = P' b. */
void po_cod_solve(double *x, const po_cod *F, const double *b, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int m = F->rows, n = F->cols, r = F->rank, i;
  double *c = PO_ARENA_ARRAY(scratch, double, m);
  if (!c && m > 0) return; /* scratch->failed says so; x is untouched */
  for (i = 0; i < m; i++) c[i] = b[F->perm[i]];
  if (r == m) {
    po_trsv(c, po_block(F->QRP, 0, 0, m, m), PO_UPPER, PO_T, PO_NON_UNIT);
  } else if (r > 0) {
    po_qr_apply(po_mat_of(c, m, 1, 1), F->Z, F->ztau, r, PO_LEFT, PO_T, scratch);
    po_trsv(c, po_block(F->Z, 0, 0, r, r), PO_UPPER, PO_N, PO_NON_UNIT);
  }
  for (i = 0; i < n; i++) x[i] = i < r ? c[i] : 0;
  po_qr_apply(po_mat_of(x, n, 1, 1), F->QRP, F->tau, r, PO_LEFT, PO_N, scratch);
  po_arena_release(scratch, mark);
}
