/* svd.c: the SVD of any matrix, and what follows from it: rank, null space, range, pseudo-inverse. */
#include "kernels.h"

#include <string.h>

/* ---- A = U diag(s) V' --------------------------------------------------------------------------------------------------- */

/* The tall one of A and A' (M × N), its factor, and the small factorization: X P = Q [S; 0], S = Lt' diag(s) Rt. */
typedef struct svd_work {
  po_mat X; /* M × N; holds the reflectors of Q */
  double *tau;
  int reflectors;
  int *perm; /* NULL: no pivoting */
  po_mat S, Lt, Rt;
  double *s;
} svd_work;

static po_status svd_jacobi(svd_work *w, int want_left, po_arena *scratch) {
  int n = w->X.cols, i, rank;
  po_status status = po_qrp(w->X, w->tau, w->perm, &rank, 0, scratch);
  if (status) return status;
  w->reflectors = rank;
  for (i = 0; i < rank; i++) memcpy(po_row(w->S, i) + i, po_row(w->X, i) + i, sizeof(double) * (size_t)(n - i));
  if (!want_left) w->Lt.a = NULL;
  status = po_la_svd_jacobi(w->S, w->s, w->Lt);
  w->Rt = w->S;
  return status;
}

static po_status svd_qr(svd_work *w, int want_left, int want_right, po_arena *scratch) {
  int m = w->X.rows, n = w->X.cols, i;
  w->reflectors = 0;
  w->perm = NULL;
  if (m > n) { /* Chan (1982): first a triangle, which is cheaper to make bidiagonal */
    po_status status = po_qr(w->X, w->tau, scratch);
    if (status) return status;
    w->reflectors = n;
    for (i = 0; i < n; i++) memcpy(po_row(w->S, i) + i, po_row(w->X, i) + i, sizeof(double) * (size_t)(n - i));
  } else {
    po_mat_copy(w->S, w->X);
  }
  if (!want_left) w->Lt.a = NULL;
  if (!want_right) w->Rt.a = NULL;
  return po_la_svd_qr(w->S, w->s, w->Lt, w->Rt, scratch);
}

/* The rows from `rank` on become an orthonormal complement of those before. */
static po_status svd_complete_rows(po_mat Rt, int rank, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int n = Rt.rows, left = n - rank, j;
  po_mat T, N;
  double *tau;
  po_status status = PO_OK;
  if (left == 0) return PO_OK;
  T = po_arena_mat(scratch, n, rank);
  N = po_arena_mat(scratch, n, left);
  tau = PO_ARENA_ARRAY(scratch, double, rank);
  if (scratch->failed) status = PO_ERR_MEMORY;
  if (!status) {
    po_mat_transpose(T, po_block(Rt, 0, 0, rank, n));
    status = po_qr(T, tau, scratch);
  }
  if (!status) {
    for (j = 0; j < left; j++) PO_AT(N, rank + j, j) = 1;
    po_qr_apply(N, T, tau, rank, PO_LEFT, PO_N, scratch);
    po_mat_transpose(po_block(Rt, rank, 0, left, n), N);
  }
  po_arena_release(scratch, mark);
  return status;
}

/* Left = Q [Lt' 0; 0 I] (M × N or M × M), Right = P Rt'. */
static void svd_form_left(po_mat Left, const svd_work *w, po_arena *scratch) {
  int n = w->X.cols, i;
  po_mat_zero(Left);
  po_mat_transpose(po_block(Left, 0, 0, n, n), w->Lt);
  for (i = n; i < Left.cols; i++) PO_AT(Left, i, i) = 1;
  po_qr_apply(Left, w->X, w->tau, w->reflectors, PO_LEFT, PO_N, scratch);
}

static void svd_form_right(po_mat Right, const svd_work *w) {
  int n = w->X.cols, i, j;
  if (!w->perm) po_mat_transpose(Right, w->Rt);
  else
    for (j = 0; j < n; j++)
      for (i = 0; i < n; i++) PO_AT(Right, w->perm[j], i) = PO_AT(w->Rt, i, j);
}

static po_status svd_check(po_mat U, const double *s, po_mat V, po_mat A, po_svd_method method, const po_arena *scratch) {
  int k = A.rows < A.cols ? A.rows : A.cols;
  if (U.a && (po_mat_check(U) || U.rows != A.rows || (U.cols != A.rows && U.cols != k))) return PO_ERR_SIZE;
  if (V.a && (po_mat_check(V) || V.rows != A.cols || (V.cols != A.cols && V.cols != k))) return PO_ERR_SIZE;
  if (!scratch || (!s && k > 0)) return PO_ERR_NULL;
  return method == PO_SVD_JACOBI || method == PO_SVD_QR ? PO_OK : PO_ERR_RANGE;
}

/* A power of two that brings `largest` to about 1: squares of values down to 1e-130 of the largest stay safe. What would bring a
 * subnormal there is no number any more, and 2^-74 is as safe. */
#define SVD_MOST_SCALING 0x1p+1000
static double svd_scaling(double largest) {
  double s = 1;
  if (largest == 0) return 1;
  while (largest * s >= 2) s *= largest * s >= 0x1p+128 ? 0x1p-128 : 0.5;
  while (largest * s < 1 && s < SVD_MOST_SCALING) s *= largest * s <= 0x1p-128 && s <= 0x1p-128 * SVD_MOST_SCALING ? 0x1p+128 : 2;
  return s;
}

/* Matrices with no rows or no columns: no values, identity vectors. */
static po_status svd_empty(po_mat U, po_mat V) {
  if (U.a) po_mat_identity(U);
  if (V.a) po_mat_identity(V);
  return PO_OK;
}

po_status po_svd(po_mat U, double *s, po_mat V, po_mat A, po_svd_method method, po_arena *scratch) {
  int wide = A.rows < A.cols, m = wide ? A.cols : A.rows, n = wide ? A.rows : A.cols, i, rank;
  po_mat Left = wide ? V : U, Right = wide ? U : V;
  double largest, scale;
  size_t mark;
  svd_work w;
  po_status status = po_la_scan_norm(A, &largest);
  if (status || (status = svd_check(U, s, V, A, method, scratch)) != PO_OK) return status;
  if (n == 0) return svd_empty(U, V);
  mark = po_arena_mark(scratch);
  w.reflectors = 0;
  w.X = po_arena_mat(scratch, m, n);
  w.S = po_arena_mat(scratch, n, n);
  w.Lt = po_arena_mat(scratch, n, n);
  w.Rt = po_arena_mat(scratch, n, n);
  w.tau = PO_ARENA_ARRAY(scratch, double, n);
  w.s = PO_ARENA_ARRAY(scratch, double, n);
  w.perm = PO_ARENA_ARRAY(scratch, int, n);
  if (!w.X.a || !w.S.a || !w.Lt.a || !w.Rt.a || !w.tau || !w.s || !w.perm) status = PO_ERR_MEMORY;
  if (!status) {
    if (wide) po_mat_transpose(w.X, A);
    else po_mat_copy(w.X, A);
    scale = svd_scaling(largest);
    if (scale != 1) po_la_mat_scale(w.X, scale);
    status =
        method == PO_SVD_JACOBI ? svd_jacobi(&w, Left.a != NULL, scratch) : svd_qr(&w, Left.a != NULL, Right.a != NULL, scratch);
    for (rank = n; rank > 0 && !status && w.s[rank - 1] == 0; rank--) {}
    if (!status && method == PO_SVD_JACOBI && Right.a) status = svd_complete_rows(w.Rt, rank, scratch);
    if (!status) {
      for (i = 0; i < n; i++) s[i] = w.s[i] / scale;
      if (Left.a) svd_form_left(Left, &w, scratch);
      if (Right.a) svd_form_right(Right, &w);
    }
  }
  po_arena_release(scratch, mark);
  return status;
}

/* ---- rank, null space, range -------------------------------------------------------------------------------------------- */

static int svd_rank_of(const double *s, int k, double tol) {
  int rank = 0;
  if (tol < 0) tol = PO_RANK_TOL;
  while (rank < k && s[rank] > 0 && s[rank] > tol * s[0]) rank++;
  return rank;
}

static po_status svd_check_basis(po_mat A, double tol, po_basis basis, const po_arena *scratch) {
  po_status status = po_mat_check(A);
  if (status) return status;
  if (!scratch) return PO_ERR_NULL;
  if (tol != tol || (basis != PO_BASIS_SVD && basis != PO_BASIS_ORTHOGONAL)) return PO_ERR_RANGE;
  return PO_OK;
}

/* Pivoted QR of a copy of A; *QR and *tau live in the scratch until the caller releases it. */
static po_status svd_pivoted(po_mat *QR, double **tau, int *rank, po_mat A, double tol, po_arena *scratch) {
  int *perm;
  *QR = po_arena_mat(scratch, A.rows, A.cols);
  *tau = PO_ARENA_ARRAY(scratch, double, A.rows < A.cols ? A.rows : A.cols);
  perm = PO_ARENA_ARRAY(scratch, int, A.cols);
  if (!QR->a || !*tau || !perm) return PO_ERR_MEMORY;
  po_mat_copy(*QR, A);
  return po_qrp(*QR, *tau, perm, rank, tol, scratch);
}

po_status po_rank(int *rank, po_mat A, double tol, po_basis basis, po_arena *scratch) {
  po_status status = svd_check_basis(A, tol, basis, scratch);
  int k = A.rows < A.cols ? A.rows : A.cols, found = 0;
  po_mat none = {NULL, 0, 0, 0}, QR;
  double *s;
  size_t mark;
  if (status) return status;
  if (!rank) return PO_ERR_NULL;
  mark = po_arena_mark(scratch);
  if (basis == PO_BASIS_ORTHOGONAL) {
    status = svd_pivoted(&QR, &s, &found, A, tol, scratch);
  } else {
    s = PO_ARENA_ARRAY(scratch, double, k);
    status = s ? po_svd(none, s, none, A, PO_SVD_QR, scratch) : PO_ERR_MEMORY;
    if (!status) found = svd_rank_of(s, k, tol);
  }
  if (!status) *rank = found;
  po_arena_release(scratch, mark);
  return status;
}

static po_status svd_null_orthogonal(po_mat N, int *dim, po_mat A, double tol, po_arena *scratch) {
  po_cod F;
  po_status status = po_la_cod_factor(&F, A, tol, 0, scratch);
  if (status) return status;
  if (N.cols < A.cols - F.rank) return PO_ERR_SIZE;
  *dim = A.cols - F.rank;
  po_cod_null(po_block(N, 0, 0, A.cols, *dim), &F, scratch);
  return PO_OK;
}

/* Columns rank…n−1 of V, or columns 0…rank−1 of U when range is 1. */
static po_status svd_basis_by_svd(po_mat B, int *dim, po_mat A, double tol, int range, po_arena *scratch) {
  int m = A.rows, n = A.cols, k = m < n ? m : n, rank, size = range ? k : n;
  po_mat none = {NULL, 0, 0, 0}, W = po_arena_mat(scratch, range ? m : n, size);
  double *s = PO_ARENA_ARRAY(scratch, double, k);
  po_status status;
  if (!W.a || !s) return PO_ERR_MEMORY;
  status = po_svd(range ? W : none, s, range ? none : W, A, PO_SVD_QR, scratch);
  if (status) return status;
  rank = svd_rank_of(s, k, tol);
  if (B.cols < (range ? rank : n - rank)) return PO_ERR_SIZE;
  *dim = range ? rank : n - rank;
  po_mat_copy(po_block(B, 0, 0, W.rows, *dim), po_block(W, 0, range ? 0 : rank, W.rows, *dim));
  return PO_OK;
}

po_status po_null(po_mat N, int *dim, po_mat A, double tol, po_basis basis, po_arena *scratch) {
  po_status status = svd_check_basis(A, tol, basis, scratch);
  size_t mark;
  if (status || (status = po_mat_check(N)) != PO_OK) return status;
  if (!dim) return PO_ERR_NULL;
  if (N.rows != A.cols) return PO_ERR_SIZE;
  mark = po_arena_mark(scratch);
  status =
      basis == PO_BASIS_ORTHOGONAL ? svd_null_orthogonal(N, dim, A, tol, scratch) : svd_basis_by_svd(N, dim, A, tol, 0, scratch);
  po_arena_release(scratch, mark);
  return status;
}

po_status po_range(po_mat R, int *dim, po_mat A, double tol, po_basis basis, po_arena *scratch) {
  po_status status = svd_check_basis(A, tol, basis, scratch);
  size_t mark;
  if (status || (status = po_mat_check(R)) != PO_OK) return status;
  if (!dim) return PO_ERR_NULL;
  if (R.rows != A.rows) return PO_ERR_SIZE;
  mark = po_arena_mark(scratch);
  if (basis == PO_BASIS_ORTHOGONAL) {
    po_mat QR;
    double *tau;
    int rank;
    status = svd_pivoted(&QR, &tau, &rank, A, tol, scratch);
    if (!status && R.cols < rank) status = PO_ERR_SIZE;
    if (!status) {
      *dim = rank;
      po_qr_form(po_block(R, 0, 0, A.rows, rank), QR, tau, rank, scratch);
    }
  } else {
    status = svd_basis_by_svd(R, dim, A, tol, 1, scratch);
  }
  po_arena_release(scratch, mark);
  return status;
}

/* ---- pseudo-inverse ----------------------------------------------------------------------------------------------------- */

/* What takes the place of 1/s. Damped: s/(s² + lambda²) with lambda² = (1 − (s_min/param)²) param² when s_min < param, else 0. */
static void svd_invert(double *inverse, const double *s, int k, po_pinv_kind kind, double param) {
  double drop = kind == PO_PINV_PLAIN ? PO_RANK_TOL : param, ratio;
  int i;
  if (k == 0) return;
  ratio = param > 0 ? s[k - 1] / param : 1;
  for (i = 0; i < k; i++) {
    if (kind != PO_PINV_DAMPED) inverse[i] = s[i] > 0 && s[i] > drop * s[0] ? 1 / s[i] : 0;
    else if (ratio >= 1) inverse[i] = s[i] > 0 ? 1 / s[i] : 0;
    else { /* divided through by param, which keeps the squares in range */ double x = s[i] / param;
      inverse[i] = x / (x * x + (1 - ratio * ratio)) / param;
    }
  }
}

po_status po_pinv(po_mat P, po_mat A, po_pinv_kind kind, double param, po_arena *scratch) {
  po_status status = po_mat_check(A);
  int m = A.rows, n = A.cols, k = m < n ? m : n, j;
  size_t mark;
  po_mat U, V;
  double *s;
  if (status || (status = po_mat_check(P)) != PO_OK) return status;
  if (P.rows != n || P.cols != m) return PO_ERR_SIZE;
  if (!scratch) return PO_ERR_NULL;
  if (kind != PO_PINV_PLAIN && kind != PO_PINV_TRUNCATED && kind != PO_PINV_DAMPED) return PO_ERR_RANGE;
  if (kind != PO_PINV_PLAIN && (!(param >= 0) || !po_isfinite(param))) return PO_ERR_RANGE;
  mark = po_arena_mark(scratch);
  U = po_arena_mat(scratch, m, k);
  V = po_arena_mat(scratch, n, k);
  s = PO_ARENA_ARRAY(scratch, double, 2 * k);
  status = U.a && V.a && s ? po_svd(U, s, V, A, PO_SVD_QR, scratch) : PO_ERR_MEMORY;
  if (!status) {
    svd_invert(s + k, s, k, kind, param);
    if (!po_isfinite(po_norm_inf(s + k, k) * k)) status = PO_ERR_NOT_FINITE;
  }
  if (!status) {
    for (j = 0; j < n; j++) {
      int i;
      for (i = 0; i < k; i++) PO_AT(V, j, i) *= s[k + i];
    }
    po_gemm(P, 0, 1, V, PO_N, U, PO_T);
  }
  po_arena_release(scratch, mark);
  return status;
}
