/* kernels.h: what the files of la/ share among themselves. Not for users of the library.
 *
 * Order of summation. In scalar mode every kernel is plain C without fused multiply-add, so its bits do not depend on the
 * compiler: po_la_dot sums four interleaved lanes, ((s0 + s2) + (s1 + s3)) and then the up to three elements that are left;
 * an element of gemm and syrk is the sum over k from the first to the last, then beta c + alpha sum. The AVX2 twins keep one
 * fixed order too, with fused multiply-adds, so they differ from scalar by rounding only and agree between machines.
 */
#ifndef PO_LA_KERNELS_H
#define PO_LA_KERNELS_H

#include "la.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PO_LA_AVX2 1
#include <immintrin.h>
#define PO_LA_TARGET __attribute__((target("avx2,fma")))
static inline int po_la_avx2(void) { return po_get_simd() == PO_SIMD_AVX2; }
#else
#define PO_LA_AVX2 0
#endif

/* Beyond these the square of an element may overflow or vanish; factorizations then work on a matrix scaled by a power of 2. */
#define PO_LA_BIG 0x1p+480
#define PO_LA_SMALL 0x1p-480
/* A sum of squares below this may have lost terms to underflow: it is taken again, scaled. */
#define PO_LA_TINY_SQUARE 0x1p-900

/* PO_OK or what is wrong with the shape or the elements of A; *largest = max |a_ij|. */
po_status po_la_scan(po_mat A, double *largest);
/* As po_la_scan; PO_ERR_NOT_FINITE also when the Frobenius norm might be beyond the largest number, as factors of A then would be. */
po_status po_la_scan_norm(po_mat A, double *largest);
/* The power of two that brings `largest` near 1, or 1 when no scaling is needed. */
double po_la_scaling(double largest);
void po_la_mat_scale(po_mat A, double alpha);
void po_la_scale_upper(po_mat A, double alpha); /* the elements on and above the diagonal */

/* PO_OK or what is wrong with a square A of which only the lower triangle is read. */
po_status po_la_check_lower(po_mat A);

/* H = I − tau u u', u = (1; v), with H (alpha; x) = (beta; 0): v overwrites x (n elements, `stride` apart), beta alpha.
 * Returns tau; 0 when x is zero already. (Golub & Van Loan, Matrix Computations, algorithm 5.1.1, with the sign of LAPACK:
 * beta has the sign opposite to alpha, so that alpha − beta does not cancel.) */
double po_la_reflector(double *alpha, double *x, int n, int stride);
/* A = H A, u = (1; v), v of A.rows − 1 elements, `stride` apart. */
void po_la_reflect_left(po_mat A, const double *v, int stride, double tau);
/* A = A H. */
void po_la_reflect_right(po_mat A, const double *v, int stride, double tau);

/* Four reflectors, kept in the columns of v (rows × 4, unit lower trapezoidal, `ld` apart): I − V T V'. */
typedef struct po_la_block {
  const double *v;
  int ld, rows;
  double top[16]; /* the first four rows of V, with its ones and zeros */
  double t[16];   /* T, upper triangular */
} po_la_block;
void po_la_block_make(po_la_block *b, const double *v, int ld, int rows, const double *tau); /* rows ≥ 4 */
void po_la_block_column(po_la_block *b, int j, double tau, const double *z);                 /* column j of T; z = V' v_j */
void po_la_block_top(po_la_block *b);
/* B = (I − V T V') B, or with T'. */
void po_la_block_left(const po_la_block *b, po_mat B, int transposed);
/* B = B (I − V T V'), or with T'. */
void po_la_block_right(const po_la_block *b, po_mat B, int transposed);

/* A pivoted QR at work. */
typedef struct po_la_qrp {
  po_mat A;
  double *tau;
  int *perm;
  double tol;
  double *norm, *exact; /* squared column norms, downdated and when last computed; padded to a multiple of 4 */
  double *w, *u, *v;    /* AVX2: a column's worth for w (padded), a row's worth for u and v */
} po_la_qrp;
/* Below this relative size a downdated squared norm has lost half its digits and is taken afresh
 * (Drmač & Bujanović 2008: sqrt(eps)). */
#define PO_LA_QRP_RECOMPUTE 1.4901161193847656e-08

#if PO_LA_AVX2
/* Returns the rank (qrp_avx2.c). */
int po_la_qrp_avx2(po_la_qrp *q);
/* Factor the lower triangle in place (symmetric_avx2.c); return the number of good pivots. */
int po_la_cholesky_avx2(po_mat L);
int po_la_ldlt_avx2(po_mat L, double *d); /* up to PO_LA_LDLT_LARGEST columns */
#define PO_LA_LDLT_LARGEST 512
/* One triangle of C = beta C + alpha op(A) op(B)', where the product is symmetric (syrk.c). */
void po_la_syrk_two(po_mat C, po_uplo uplo, double beta, double alpha, po_mat A, po_mat B, po_trans trans);
#endif
/* The lower triangle only. */
void po_la_copy_lower(po_mat dst, po_mat src);

/* Rotations k = 0…count−1 of neighbouring rows of A, one after the other. dir = +1: rows (first+k, first+k+1); dir = −1: rows
 * (first−k, first−k−1). In both, x = c x + s y, y = c y − s x with x the row named first. */
void po_la_rotate_rows(po_mat A, int first, int count, int dir, const double *c, const double *s);
/* The same for neighbouring columns of Q. */
void po_la_rotate_columns(po_mat Q, int first, int count, int dir, const double *c, const double *s);
/* Rotations of columns first, first+dir, … with one column that takes part in all of them: y = c y + s x, x = c x − s y with x the
 * carry, which of row i stands at carry[i*step]. */
void po_la_rotate_carry(po_mat Q, int first, int count, int dir, const double *c, const double *s, double *carry, int step);

/* SVD of a square W by one-sided Jacobi: rotates the rows of W until they are orthogonal, J' W = diag(s) W'. On return s descends,
 * the rows of W are the right vectors (zero where s is zero) and those of Jt (a may be NULL) the left ones. */
po_status po_la_svd_jacobi(po_mat W, double *s, po_mat Jt);
/* G (n × n, rows padded to a multiple of 4 with zeros) = U B V': the diagonal d and superdiagonal e of B, the reflectors of U below the
 * diagonal of G, those of V right of its superdiagonal, tauq[n] and taup[n]. work: 3 (n + 3). */
void po_la_bidiagonalize(po_mat G, double *d, double *e, double *tauq, double *taup, double *work);
/* SVD of a square G (destroyed; padded as above) by bidiagonalization and implicit QR; vectors in the rows of Ut and Vt (either a may be NULL). */
po_status po_la_svd_qr(po_mat G, double *s, po_mat Ut, po_mat Vt, po_arena *scratch);

/* po_cod_factor; without the second set of reflectors when only the null space or the range is wanted. */
po_status po_la_cod_factor(po_cod *F, po_mat A, double tol, int for_solve, po_arena *arena);

#endif
