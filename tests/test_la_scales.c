/* Units must not matter: 2^e A has the factors of A, one of them times 2^e. Exponents run over all that doubles have, subnormal numbers (where the
 * SVD once hung) and the end of the range included. Below 2^-1022 the elements themselves lose bits, and bounds grow by that. */
#include "la/kernels.h"
#include "la_helpers.h"

#define M 9
#define N 6
#define LEAST (-1074)
#define MOST 1020 /* elements reach 4 */

void setUp(void) { la_reset(); }
void tearDown(void) {}

static double power(int e) { return ldexp(1, e); }

/* Every exponent near the ends, a few in between. */
static int next_exponent(int e) { return e < -1010 || e > 1000 ? e + 1 : e + 61; }

/* The part of the values that rounding to multiples of 2^-1074 may cost, and c eps. */
static double scales_bound(int e, double c) { return c * PO_EPS + 16 * M * power(LEAST + 1 - e < 0 ? LEAST + 1 - e : 0); }

static po_mat scaled(po_mat A, int e) {
  po_mat B = la_copy(A);
  int i, j;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) PO_AT(B, i, j) = ldexp(PO_AT(A, i, j), e);
  return B;
}

static void check_svd(po_mat A, int e, po_svd_method method) {
  double *s = la_vec(N), *s0 = la_vec(N), bound = scales_bound(e, 100);
  po_mat U = la_mat(A.rows, N), V = la_mat(A.cols, N), none = {NULL, 0, 0, 0};
  int i, dim = -1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(none, s0, none, A, method, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(U, s, V, scaled(A, e), method, &la_arena));
  for (i = 0; i < N; i++) TEST_ASSERT(fabs(ldexp(s[i], -e) - s0[i]) <= bound * s0[0]);
  LA_ASSERT_ORTHONORMAL(U, la_bound(12, M, 1), "U", (uint64_t)e);
  LA_ASSERT_ORTHONORMAL(V, la_bound(12, M, 1), "V", (uint64_t)e);
  if (e < -1000) return; /* elements are rounded to a few bits: any rank */
  for (i = 0; i < 2; i++) {
    int expected, found;
    po_mat K = la_mat(A.cols, A.cols);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_rank(&expected, A, -1, (po_basis)i, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_rank(&found, scaled(A, e), -1, (po_basis)i, &la_arena));
    TEST_ASSERT_EQUAL_INT(expected, found);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_null(K, &dim, scaled(A, e), -1, (po_basis)i, &la_arena));
    TEST_ASSERT_EQUAL_INT(A.cols - expected, dim);
  }
}

static void check_qr(po_mat A, int e) {
  double *tau = la_vec(M), *tau0 = la_vec(M);
  int *perm = PO_ARENA_ARRAY(&la_arena, int, M), *perm0 = PO_ARENA_ARRAY(&la_arena, int, M), rank, rank0, pivoted, i, j;
  for (pivoted = 0; pivoted < 2; pivoted++) {
    po_mat B = scaled(A, e), R = la_copy(A);
    if (pivoted) {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qrp(R, tau0, perm0, &rank0, -1, &la_arena));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qrp(B, tau, perm, &rank, -1, &la_arena));
    } else {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(R, tau0, &la_arena));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(B, tau, &la_arena));
    }
    if (e < -960) continue; /* the same factors as far as rounding goes: R to eps of its norm */
    for (i = 0; i < N && i < A.rows; i++)
      for (j = i; j < A.cols && (!pivoted || i < rank0); j++)
        TEST_ASSERT(fabs(ldexp(PO_AT(B, i, j), -e) - PO_AT(R, i, j)) <= 1e3 * PO_EPS * la_frobenius(A));
  }
}

/* Penrose: A P A = A, where P is a number; else it says so. */
static void check_pinv(po_mat A, int e) {
  po_mat P = la_mat(A.cols, A.rows), B = scaled(A, e), I;
  po_status status = po_pinv(P, B, PO_PINV_PLAIN, 0, &la_arena);
  int i, j;
  if (status == PO_ERR_NOT_FINITE) {
    TEST_ASSERT(e < -960);
    return;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, status);
  I = la_product(la_product(B, PO_N, P, PO_N), PO_N, A, PO_N); /* (A P) is without unit */
  /* an element of P below 2^-1022 is rounded to a multiple of 2^-1074: elements of A are at most 4 */
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) TEST_ASSERT(fabs(PO_AT(I, i, j) - PO_AT(A, i, j)) <= 1e-9 + scales_bound(e, 1) + power(e - 1060 > 0 ? 0 : e - 1060));
}

static void check_symmetric(int e) {
  po_mat X = la_mat(N, N), S, L = la_mat(N, N), none = {NULL, 0, 0, 0};
  double *w = la_vec(N), *w0 = la_vec(N), *x = la_vec(N), *d = la_vec(N), cond0, cond;
  int i, j;
  la_make(X, LA_RANDOM, 5);
  S = la_product(X, PO_N, X, PO_T);
  for (i = 0; i < N; i++) PO_AT(S, i, i) += 1;
  po_la_mat_scale(S, 0x1p-5);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(w0, none, S, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(w, none, scaled(S, e), &la_arena));
  for (i = 0; i < N; i++) TEST_ASSERT(fabs(ldexp(w[i], -e) - w0[i]) <= scales_bound(e, 100) * w0[N - 1]);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, S));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&cond0, L, PO_LOWER, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&cond, scaled(la_triangle(L, PO_LOWER, 0), e), PO_LOWER, &la_arena));
  if (e > -1000) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * cond0, cond0, cond);
  else TEST_ASSERT(cond >= 1 - 1e-12);
  if (e < -1000) return;
  for (j = 0; j < 2; j++) { /* S x = its third column */
    if (j) TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, scaled(S, e)));
    else TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, scaled(S, e)));
    for (i = 0; i < N; i++) x[i] = ldexp(PO_AT(S, i, 2), e);
    if (j) po_ldlt_solve(x, L, d);
    else po_cholesky_solve(x, L);
    for (i = 0; i < N; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-11, i == 2, x[i]);
  }
}

static void body_all_exponents(void) {
  int e, wide, kind;
  for (e = LEAST; e <= MOST; e = next_exponent(e))
    for (kind = 0; kind < 4; kind++)
      for (wide = 0; wide < 2; wide++) {
        po_mat A;
        la_reset();
        A = la_mat(wide ? N : M, wide ? M : N);
        la_make(A, kind == 0 ? LA_RANDOM : kind == 1 ? LA_HILBERT : kind == 2 ? LA_DEFICIENT : LA_DUPLICATED, (uint64_t)kind + 1);
        po_la_mat_scale(A, 0.25 / po_norm_max(A)); /* below 1, so that products stay in range */
        check_svd(A, e, PO_SVD_QR);
        check_svd(A, e, PO_SVD_JACOBI);
        check_qr(A, e);
        check_pinv(A, e);
        if (kind == 0 && !wide) check_symmetric(e);
      }
}

/* A matrix whose norm is beyond the largest number has no factors in doubles. */
static void test_beyond_the_range(void) {
  po_mat A = la_mat(3, 2), none = {NULL, 0, 0, 0};
  double s[2] = {7, 7}, tau[2];
  int i, perm[2], rank = 7;
  for (i = 0; i < 6; i++) PO_AT(A, i / 2, i % 2) = 1.5e308;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_svd(none, s, none, A, PO_SVD_QR, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr(A, tau, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qrp(A, tau, perm, &rank, -1, &la_arena));
  TEST_ASSERT(s[0] == 7 && rank == 7 && PO_AT(A, 2, 1) == 1.5e308);
}

static void test_all_exponents(void) { la_both(body_all_exponents); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_exponents);
  RUN_TEST(test_beyond_the_range);
  return UNITY_END() != 0;
}
