/* la.h: dense linear algebra on small row-major matrices.
 *
 *   views         po_mat_of  po_block  po_row  po_pad4  po_arena_mat  po_arena_mat_raw  po_mat_bytes  po_la_scratch_bytes
 *                 po_mat_check  po_mat_check_finite
 *   filling       po_mat_zero  po_mat_identity  po_mat_copy  po_mat_transpose  po_mat_symmetrize
 *   vectors       po_dot  po_axpy  po_scale  po_norm2  po_norm_inf  po_norm_fro  po_norm_max
 *   products      po_gemv  po_gemv_t  po_gemv_add  po_gemv_t_add  po_gemm  po_syrk
 *   triangular    po_trsv  po_trsm
 *   Cholesky      po_cholesky  po_cholesky_solve  po_cholesky_update  po_cholesky_downdate
 *   LDL'          po_ldlt  po_ldlt_solve  po_ldlt_update
 *   QR            po_qr  po_qr_apply  po_qr_form  po_qr_solve
 *   pivoted QR    po_qrp  (rank-revealing)
 *   updates       po_qr_insert_column  po_qr_delete_column  po_qr_insert_row  po_qr_delete_row  po_givens  po_givens_apply
 *   orthogonal    po_cod_bytes  po_cod_factor  po_cod_null  po_cod_range  po_cod_solve   (complete orthogonal factorization)
 *   SVD           po_svd  po_rank  po_null  po_range  po_pinv
 *   eigenvalues   po_eig_sym  po_eig_sym3
 *   condition     po_cond_tri
 *   small         vec.h: 3- and 6-vectors, 3x3 matrices, quaternions, all inline
 *
 * A po_mat is a view by value: it owns nothing. Element (i,j) is a[i*ld + j]. A row-major A is a column-major A'.
 * Kernels (dot … gemm, syrk, trsv, trsm) return void, assert shapes in debug builds and let NaN pass through.
 * Factorizations check sizes, NaN and infinities at the door, return a status and leave outputs untouched on error. They take
 * numbers of any size, subnormal ones too; PO_ERR_NOT_FINITE also where the norm of a matrix may be beyond the largest number.
 * Outputs must not overlap inputs unless it is said that they may. Temporaries come from the caller's po_arena.
 * Every kernel has a plain C version, which is the reference, and where it pays an AVX2+FMA twin chosen at run time
 * (po_set_simd).
 */
#ifndef PO_LA_H
#define PO_LA_H

#include "../base/base.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- views ------------------------------------------------------------------------------------------------------------ */

typedef struct po_mat {
  double *a;
  int rows, cols, ld;
} po_mat;

typedef enum po_trans { PO_N = 0, PO_T = 1 } po_trans;     /* as it is; transposed */
typedef enum po_uplo { PO_LOWER = 0, PO_UPPER = 1 } po_uplo;
typedef enum po_diag { PO_NON_UNIT = 0, PO_UNIT = 1 } po_diag;
typedef enum po_side { PO_LEFT = 0, PO_RIGHT = 1 } po_side;

#define PO_AT(A, i, j) ((A).a[(size_t)(i) * (size_t)(A).ld + (size_t)(j)])

static inline po_mat po_mat_of(double *a, int rows, int cols, int ld) {
  po_mat A;
  A.a = a; A.rows = rows; A.cols = cols; A.ld = ld;
  return A;
}
/* The rows × cols block that starts at (i,j). */
static inline po_mat po_block(po_mat A, int i, int j, int rows, int cols) {
  return po_mat_of(A.a + (size_t)i * (size_t)A.ld + (size_t)j, rows, cols, A.ld);
}
static inline double *po_row(po_mat A, int i) { return A.a + (size_t)i * (size_t)A.ld; }
static inline int po_pad4(int n) { return (n + 3) & ~3; } /* n rounded up to a multiple of 4: whole registers */

/* A zeroed matrix with ld padded to a multiple of 4 (and past multiples of 64, which caches dislike) and 32-byte alignment;
 * a == NULL when the arena is full or measuring. */
po_mat po_arena_mat(po_arena *arena, int rows, int cols);
size_t po_mat_bytes(int rows, int cols); /* what po_arena_mat takes */
/* The same for a matrix that is filled at once: not zeroed, ld = po_pad4(cols). Its padding holds anything. */
static inline po_mat po_arena_mat_raw(po_arena *arena, int rows, int cols) {
  int ld = po_pad4(cols);
  return po_mat_of(PO_ARENA_ARRAY(arena, double, (size_t)rows * (size_t)ld), rows, cols, ld);
}
/* Scratch that suffices for any one call of this room on matrices of up to rows × cols, with up to max(rows, cols) right-hand
 * sides. A call gives back what it took. */
size_t po_la_scratch_bytes(int rows, int cols);
/* PO_OK, PO_ERR_NULL (a NULL with rows·cols > 0), PO_ERR_SIZE (negative, or ld < cols). */
po_status po_mat_check(po_mat A);
/* As po_mat_check, and PO_ERR_NOT_FINITE when an element is NaN or infinite. */
po_status po_mat_check_finite(po_mat A);

void po_mat_zero(po_mat A);
void po_mat_identity(po_mat A);             /* ones on the diagonal, also when not square */
void po_mat_copy(po_mat dst, po_mat src);   /* same shape */
void po_mat_transpose(po_mat dst, po_mat src);
void po_mat_symmetrize(po_mat A, po_uplo from); /* mirrors the named triangle onto the other */

/* ---- vectors ---------------------------------------------------------------------------------------------------------- */

double po_dot(const double *x, const double *y, int n);
void po_axpy(double *y, double alpha, const double *x, int n); /* y += alpha x */
void po_scale(double *x, double alpha, int n);
double po_norm2(const double *x, int n);    /* scaled: neither overflows nor underflows */
double po_norm_inf(const double *x, int n);
double po_norm_fro(po_mat A);
double po_norm_max(po_mat A);               /* largest |a_ij| */

/* ---- products --------------------------------------------------------------------------------------------------------- */

void po_gemv(double *y, po_mat A, const double *x);                       /* y  = A x        */
void po_gemv_t(double *y, po_mat A, const double *x);                     /* y  = A' x       */
void po_gemv_add(double *y, double alpha, po_mat A, const double *x);     /* y += alpha A x  */
void po_gemv_t_add(double *y, double alpha, po_mat A, const double *x);   /* y += alpha A' x */
/* C = beta C + alpha op(A) op(B). beta = 0 overwrites C, NaN included. */
void po_gemm(po_mat C, double beta, double alpha, po_mat A, po_trans ta, po_mat B, po_trans tb);
/* The `uplo` triangle of C = beta C + alpha op(A) op(A)'; the other triangle is not touched. */
void po_syrk(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_trans ta);

/* ---- triangular solves ------------------------------------------------------------------------------------------------ */

/* x = op(T)^-1 x. Only the named triangle of T is read. A zero on the diagonal gives infinities. */
void po_trsv(double *x, po_mat T, po_uplo uplo, po_trans trans, po_diag diag);
/* B = op(T)^-1 B (PO_LEFT) or B op(T)^-1 (PO_RIGHT). */
void po_trsm(po_mat B, po_mat T, po_side side, po_uplo uplo, po_trans trans, po_diag diag);

/* ---- Cholesky and LDL' ------------------------------------------------------------------------------------------------ */

/* A = L L'. Reads the lower triangle of A, writes the lower triangle of L (the upper is not touched). L may be A.
 * PO_ERR_SINGULAR when a pivot is not positive; L then holds the rows before it and *failed_at (may be NULL) its index. */
po_status po_cholesky(po_mat L, int *failed_at, po_mat A);
void po_cholesky_solve(double *x, po_mat L);                             /* x = (L L')^-1 x */
po_status po_cholesky_update(po_mat L, double *v);                       /* L L' += v v'; destroys v */
/* L L' -= v v'; destroys v. PO_ERR_SINGULAR when what is left would not be positive definite; L is then as it was. */
po_status po_cholesky_downdate(po_mat L, double *v);
/* A = L D L' with unit L (its ones are written) and diagonal D (no pivoting: for A positive or quasi-definite). Reads and writes the
 * lower triangle only. L may be A. PO_ERR_SINGULAR when a pivot is zero; L and d then hold the rows before it. */
po_status po_ldlt(po_mat L, double *d, po_mat A);
void po_ldlt_solve(double *x, po_mat L, const double *d);
/* L D L' += sigma v v'; destroys v. PO_ERR_SINGULAR when a pivot would vanish or change its sign; L and d are then as they were. */
po_status po_ldlt_update(po_mat L, double *d, double *v, double sigma);

/* ---- QR --------------------------------------------------------------------------------------------------------------- */

/* One documented relative tolerance for every rank decision: a diagonal or singular value counts when it exceeds
 * tol times the largest one. Passing tol < 0 means PO_RANK_TOL. */
#define PO_RANK_TOL 1e-10

/* Householder QR, A (m×n) = Q R in place: R in the upper triangle, reflectors below, tau[min(m,n)].
 * po_qr, po_qr_apply, po_qr_form and po_qr_solve need no scratch today: it may be NULL. */
po_status po_qr(po_mat A, double *tau, po_arena *scratch);
/* B = op(Q) B (PO_LEFT) or B op(Q) (PO_RIGHT) with the first k reflectors kept in QR; B may have one column. */
void po_qr_apply(po_mat B, po_mat QR, const double *tau, int k, po_side side, po_trans trans, po_arena *scratch);
/* The first Q.cols columns of Q (m × cols) from k reflectors. */
void po_qr_form(po_mat Q, po_mat QR, const double *tau, int k, po_arena *scratch);
/* Least squares min ‖A x − b‖ for full column rank; b (m) is destroyed, x (n) written. PO_ERR_SINGULAR when r_jj is zero. */
po_status po_qr_solve(double *x, double *b, po_mat QR, const double *tau, po_arena *scratch);

/* A P = Q R with column pivoting: perm[j] is the column of A that stands at j. *rank = number of |r_jj| > tol |r_00|.
 * Stops at that rank: the trailing block then holds what is below the tolerance, and only the first *rank reflectors exist. */
po_status po_qrp(po_mat A, double *tau, int *perm, int *rank, double tol, po_arena *scratch);

/* Rotation that maps (a,b) to (r,0): c a + s b = r, −s a + c b = 0. */
void po_givens(double *c, double *s, double *r, double a, double b);
/* Rows x and y (n long): x' = c x + s y, y' = −s x + c y. */
void po_givens_apply(double *x, double *y, int n, double c, double s);

/* Updates of a full A = Q R kept as Q (m×m) and R (m×n, zeros below the diagonal, leading part of a larger view), for active sets.
 * The views must have room for one more row or column (ld and memory); sizes given are those before the change. The new row or
 * column is checked for NaN and infinities; Q and R, which the caller got from here, are not. */
po_status po_qr_insert_column(po_mat Q, po_mat R, int at, const double *column, po_arena *scratch); /* R becomes m×(n+1) */
po_status po_qr_delete_column(po_mat Q, po_mat R, int at);                                          /* R becomes m×(n−1) */
po_status po_qr_insert_row(po_mat Q, po_mat R, int at, const double *row, po_arena *scratch);       /* Q (m+1)², R (m+1)×n */
po_status po_qr_delete_row(po_mat Q, po_mat R, int at);                                             /* Q (m−1)², R (m−1)×n */

/* ---- complete orthogonal factorization: A = U [L 0; 0 0] V', rank decided by tol -------------------------------------- */

typedef struct po_cod {
  po_mat QRP;        /* pivoted QR of A' (n × m): reflectors of V below, the triangle above */
  double *tau;
  int *perm;
  po_mat Z;          /* second set of reflectors, from the right, when the rank is deficient */
  double *ztau;
  int rows, cols, rank;
} po_cod;
size_t po_cod_bytes(int rows, int cols);
/* Factors A (m×n), which is left alone; the result lives in `arena`. */
po_status po_cod_factor(po_cod *F, po_mat A, double tol, po_arena *arena);
void po_cod_null(po_mat N, const po_cod *F, po_arena *scratch);   /* n × (n−rank), orthonormal, A N = 0 */
void po_cod_range(po_mat R, const po_cod *F, po_arena *scratch);  /* n × rank, orthonormal basis of the row space of A */
/* Least squares of least norm. When scratch has too little, its `failed` is set and x is untouched. */
void po_cod_solve(double *x, const po_cod *F, const double *b, po_arena *scratch);

/* ---- SVD -------------------------------------------------------------------------------------------------------------- */

typedef enum po_svd_method { PO_SVD_JACOBI, PO_SVD_QR } po_svd_method; /* accuracy; speed (bidiagonal + implicit QR) */
/* A (m×n) = U diag(s) V'. s[min(m,n)], descending. U (m×m or m×min) and V (n×n or n×min) may have a == NULL when not wanted.
 * PO_SVD_QR finds values to eps times the largest; PO_SVD_JACOBI finds small values of a graded A to their own relative accuracy.
 * PO_ERR_ITERATIONS when the bounded sweeps did not converge; U, s and V are then untouched. */
po_status po_svd(po_mat U, double *s, po_mat V, po_mat A, po_svd_method method, po_arena *scratch);

typedef enum po_basis { PO_BASIS_SVD, PO_BASIS_ORTHOGONAL } po_basis;
po_status po_rank(int *rank, po_mat A, double tol, po_basis basis, po_arena *scratch);
/* Orthonormal basis of {x : A x = 0}: the first *dim columns of N (n × at least n−rank; n×n always suffices). */
po_status po_null(po_mat N, int *dim, po_mat A, double tol, po_basis basis, po_arena *scratch);
/* Orthonormal basis of the range of A: the first *dim columns of R (m × at least rank). */
po_status po_range(po_mat R, int *dim, po_mat A, double tol, po_basis basis, po_arena *scratch);

typedef enum po_pinv_kind { PO_PINV_PLAIN, PO_PINV_TRUNCATED, PO_PINV_DAMPED } po_pinv_kind;
/* P (n×m) = pseudo-inverse of A (m×n). PLAIN drops singular values below PO_RANK_TOL·s_max; TRUNCATED drops those below
 * param·s_max; DAMPED is the singularity-robust s/(s² + λ²), λ² = (1 − (s_min/param)²) param² once s_min falls below param, else 0
 * (after Nakamura & Hanafusa 1986); param has the units of A. PO_ERR_NOT_FINITE also when A is so small that P is beyond the largest number. */
po_status po_pinv(po_mat P, po_mat A, po_pinv_kind kind, double param, po_arena *scratch);

/* ---- eigenvalues, condition --------------------------------------------------------------------------------------------- */

/* Symmetric A (lower triangle read) = V diag(w) V', w ascending; V.a may be NULL. Cyclic Jacobi. */
po_status po_eig_sym(double *w, po_mat V, po_mat A, po_arena *scratch);
po_status po_eig_sym3(double w[3], po_mat3 *V, po_mat3 A);
/* Estimates the 1-norm condition of a triangle (Hager/Higham): a lower bound, rarely off by more than 3; infinity when singular. */
po_status po_cond_tri(double *cond, po_mat T, po_uplo uplo, po_arena *scratch);

#ifdef __cplusplus
}
#endif
#endif
