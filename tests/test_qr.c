/* Householder QR against its definition, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* ‖QR − A‖ ≤ 6 n eps ‖A‖_F column by column and ‖Q'Q − I‖ ≤ 6 n eps: Higham, Accuracy and Stability, theorem 19.4 has
 * gamma_cmn for a small c; 6 n is far below it and what a correct implementation keeps. */
static void check_qr(int m, int n, la_kind kind, uint64_t seed) {
  int k = m < n ? m : n, j, big = m > n ? m : n;
  po_mat A, QR, Q, R, thin, product;
  double *tau;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, seed);
  QR = la_copy(A);
  tau = la_vec(k);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, &la_arena));
  TEST_ASSERT(la_padding_intact(QR));
  R = la_triangle(QR, PO_UPPER, 0);
  Q = la_mat(m, m);
  po_qr_form(Q, QR, tau, k, &la_arena);
  TEST_ASSERT(la_padding_intact(Q));
  LA_ASSERT_ORTHONORMAL(Q, la_bound(6, big, 1), la_kind_name(kind), seed);
  product = la_product(Q, PO_N, R, PO_N);
  for (j = 0; j < n; j++) {
    po_mat a = po_block(A, 0, j, m, 1);
    LA_ASSERT_NEAR(a, po_block(product, 0, j, m, 1), la_bound(6, big, la_frobenius(a)), la_kind_name(kind), seed);
  }
  thin = la_mat(m, k);
  po_qr_form(thin, QR, tau, k, &la_arena);
  LA_ASSERT_NEAR(po_block(Q, 0, 0, m, k), thin, la_bound(6, big, 1), "thin Q", seed);
}

static void body_all_sizes(void) {
  int m, n, kind;
  for (m = 0; m <= 40; m++)
    for (n = 0; n <= 40; n += la_full() || m < 14 ? 1 : 3)
      check_qr(m, n, (la_kind)((m + 3 * n) % LA_KIND_COUNT), (uint64_t)(100 * m + n));
  for (kind = 0; kind < LA_KIND_COUNT; kind++) {
    check_qr(1, 1, (la_kind)kind, 7);
    check_qr(24, 17, (la_kind)kind, 8);
    check_qr(17, 24, (la_kind)kind, 9);
    check_qr(33, 33, (la_kind)kind, 10);
    check_qr(96, 60, (la_kind)kind, 11);
  }
  check_qr(200, 150, LA_RANDOM, 12);
  check_qr(129, 200, LA_GRADED, 13);
}

static void body_apply(void) {
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 23, 40};
  int si, pi, k, side, trans;
  for (si = 0; si < 12; si++)
    for (pi = 0; pi < 12; pi++)
      for (k = 0; k <= sizes[si]; k += 1 + k / 3)
        for (side = 0; side < 2; side++)
          for (trans = 0; trans < 2; trans++) {
            int m = sizes[si], p = sizes[pi];
            po_mat QR, Q, B, X, expected;
            double *tau;
            la_reset();
            QR = la_mat(m, m);
            la_make(QR, LA_RANDOM, 21);
            tau = la_vec(m);
            TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, &la_arena));
            Q = la_mat(m, m);
            po_qr_form(Q, QR, tau, k, &la_arena);
            B = side == PO_LEFT ? la_mat(m, p) : la_mat(p, m);
            la_make(B, LA_RANDOM, 22);
            X = la_copy(B);
            po_qr_apply(X, QR, tau, k, (po_side)side, (po_trans)trans, &la_arena);
            expected = side == PO_LEFT ? la_product(Q, (po_trans)trans, B, PO_N) : la_product(B, PO_N, Q, (po_trans)trans);
            LA_ASSERT_NEAR(expected, X, la_bound(8, m, la_frobenius(B)), "apply", 22);
            TEST_ASSERT(la_padding_intact(X));
          }
}

/* With no scratch at all the answer is the same but for rounding. */
static void body_apply_without_scratch(void) {
  int m = 23, side;
  po_mat QR = la_mat(m, m), B = la_mat(m, m), X, Y;
  double *tau = la_vec(m);
  la_make(QR, LA_RANDOM, 31);
  la_make(B, LA_RANDOM, 32);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, NULL));
  for (side = 0; side < 2; side++) {
    X = la_copy(B);
    Y = la_copy(B);
    po_qr_apply(X, QR, tau, m, (po_side)side, PO_N, NULL);
    po_qr_apply(Y, QR, tau, m, (po_side)side, PO_N, &la_arena);
    LA_ASSERT_NEAR(X, Y, la_bound(8, m, la_frobenius(B)), "scratch or none", 32);
  }
}

static void body_solve(void) {
  int m, n, i;
  for (m = 0; m <= 30; m += 3)
    for (n = 0; n <= m; n += 2) {
      po_mat A, QR;
      double *tau, *b, *kept, *x;
      la_reset();
      A = la_mat(m, n);
      la_make(A, LA_RANDOM, 41);
      for (i = 0; i < n; i++) PO_AT(A, i, i) += 3;
      QR = la_copy(A);
      tau = la_vec(n);
      b = la_vec(m);
      kept = la_vec(m);
      x = la_vec(n);
      for (i = 0; i < m; i++) b[i] = kept[i] = 1.0 / (1 + i);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, &la_arena));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_solve(x, b, QR, tau, &la_arena));
      { /* the residual is orthogonal to the columns: A'(b − A x) = 0 */
        po_mat residual = la_product(A, PO_N, po_mat_of(x, n, 1, 1), PO_N), zero = la_mat(n, 1);
        for (i = 0; i < m; i++) PO_AT(residual, i, 0) = kept[i] - PO_AT(residual, i, 0);
        po_mat_zero(zero);
        LA_ASSERT_NEAR(zero, la_product(A, PO_T, residual, PO_N), la_bound(60, m, la_frobenius(A)), "normal equations", 41);
      }
    }
}

static void test_scalar_and_avx2_agree(void) {
  int n;
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("no AVX2 here");
  for (n = 1; n <= 70; n += n < 40 ? 1 : 10) {
    po_mat A, X, Y;
    double *tx, *ty;
    int i;
    la_reset();
    A = la_mat(n + 3, n);
    la_make(A, LA_RANDOM, 51);
    for (i = 0; i < n; i++) PO_AT(A, i, i) += 4; /* well conditioned, so that R itself is determined to rounding */
    X = la_copy(A);
    Y = la_copy(A);
    tx = la_vec(n);
    ty = la_vec(n);
    po_set_simd(PO_SIMD_SCALAR);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(X, tx, &la_arena));
    po_set_simd(PO_SIMD_AVX2);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(Y, ty, &la_arena));
    LA_ASSERT_NEAR(X, Y, la_bound(20, n, la_frobenius(A)), "scalar and avx2", 51);
    LA_ASSERT_NEAR(po_mat_of(tx, 1, n, n), po_mat_of(ty, 1, n, n), la_bound(20, n, 2), "tau", 51);
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(6, 5), kept;
  double tau[5] = {7, 7, 7, 7, 7}, b[6] = {0}, x[5] = {7, 7, 7, 7, 7};
  int i;
  la_make(A, LA_RANDOM, 61);
  PO_AT(A, 4, 3) = PO_NAN;
  kept = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr(A, tau, &la_arena));
  PO_AT(A, 4, 3) = PO_AT(kept, 4, 3) = -PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr(A, tau, &la_arena));
  LA_ASSERT_SAME_BITS(kept, A, "A was changed");
  PO_AT(A, 4, 3) = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qr(A, NULL, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qr(po_mat_of(NULL, 6, 5, 5), tau, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr(po_mat_of(A.a, -6, 5, 5), tau, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr(po_mat_of(A.a, 6, 5, 4), tau, &la_arena));
  for (i = 0; i < 5; i++) TEST_ASSERT(tau[i] == 7);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_solve(x, b, po_mat_of(A.a, 4, 5, 5), tau, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qr_solve(NULL, b, A, tau, &la_arena));
  b[2] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr_solve(x, b, A, tau, &la_arena));
  b[2] = 1;
  po_mat_zero(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(A, tau, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_qr_solve(x, b, A, tau, &la_arena));
  for (i = 0; i < 5; i++) TEST_ASSERT(x[i] == 7);
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_apply(void) { la_both(body_apply); }
static void test_apply_without_scratch(void) { la_both(body_apply_without_scratch); }
static void test_solve(void) { la_both(body_solve); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_apply);
  RUN_TEST(test_apply_without_scratch);
  RUN_TEST(test_solve);
  RUN_TEST(test_scalar_and_avx2_agree);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
