/* SVD by both methods, and rank, null space, range and pseudo-inverse built on it. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* ‖A − U S V'‖ ≤ 12 n eps ‖A‖_F, vectors orthonormal to 12 n eps. */
static void check_svd(int m, int n, la_kind kind, po_svd_method method, int full, uint64_t seed) {
  int k = m < n ? m : n, big = m > n ? m : n, i, j;
  po_mat A, kept, U, V, scaled;
  double *s, size;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, seed);
  kept = la_copy(A);
  size = la_frobenius(A);
  U = la_mat(m, full ? m : k);
  V = la_mat(n, full ? n : k);
  s = la_vec(k);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(U, s, V, A, method, &la_arena));
  LA_ASSERT_SAME_BITS(kept, A, "A was changed");
  TEST_ASSERT(la_padding_intact(U) && la_padding_intact(V));
  for (i = 0; i < k; i++) TEST_ASSERT(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
  LA_ASSERT_ORTHONORMAL(U, la_bound(12, big, 1), la_kind_name(kind), seed);
  LA_ASSERT_ORTHONORMAL(V, la_bound(12, big, 1), la_kind_name(kind), seed);
  scaled = la_mat(m, k);
  for (i = 0; i < m; i++)
    for (j = 0; j < k; j++) PO_AT(scaled, i, j) = PO_AT(U, i, j) * s[j];
  LA_ASSERT_NEAR(A, la_product(scaled, PO_N, po_block(V, 0, 0, n, k), PO_T), la_bound(12, big, size), la_kind_name(kind), seed);
  { /* values alone are the same but for rounding */
    po_mat none = {NULL, 0, 0, 0};
    double *alone = la_vec(k);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(none, alone, none, A, method, &la_arena));
    for (i = 0; i < k; i++) TEST_ASSERT_DOUBLE_WITHIN(la_bound(12, big, size), s[i], alone[i]);
  }
}

static void sizes_with(po_svd_method method) {
  int m, n, kind;
  for (m = 0; m <= 40; m += la_full() || m < 12 ? 1 : 4)
    for (n = 0; n <= 40; n += la_full() || n < 12 ? 1 : 4)
      check_svd(m, n, (la_kind)((m + 3 * n) % LA_KIND_COUNT), method, (m + n) % 2, (uint64_t)(100 * m + n));
  for (kind = 0; kind < LA_KIND_COUNT; kind++) {
    check_svd(1, 1, (la_kind)kind, method, 1, 1);
    check_svd(18, 36, (la_kind)kind, method, 1, 2);
    check_svd(36, 18, (la_kind)kind, method, 1, 3);
    check_svd(33, 33, (la_kind)kind, method, 0, 4);
  }
  check_svd(100, 64, LA_RANDOM, method, 1, 5);
  check_svd(60, 200, LA_DEFICIENT, method, 0, 6);
}
static void body_jacobi(void) { sizes_with(PO_SVD_JACOBI); }
static void body_qr(void) { sizes_with(PO_SVD_QR); }

static void body_two_methods_one_answer(void) {
  po_mat none = {NULL, 0, 0, 0};
  int n, kind;
  for (kind = 0; kind < LA_KIND_COUNT; kind++)
    for (n = 1; n <= 40; n += 3) {
      po_mat A;
      double *s, *t;
      la_reset();
      A = la_mat(n + 2, n);
      la_make(A, (la_kind)kind, (uint64_t)n);
      s = la_vec(n);
      t = la_vec(n);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(none, s, none, A, PO_SVD_JACOBI, &la_arena));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(none, t, none, A, PO_SVD_QR, &la_arena));
      LA_ASSERT_NEAR(po_mat_of(s, 1, n, n), po_mat_of(t, 1, n, n), la_bound(12, n, s[0]), la_kind_name((la_kind)kind), (uint64_t)n);
    }
}

/* diag(graded) · well-conditioned: Jacobi finds every value to high relative accuracy, checked through the inverse problem
 * A = D X with exact scaling: values of A D^-1 are those of X. Here the 2×2 case with values known in closed form. */
static void body_jacobi_is_relatively_accurate(void) {
  double a[4] = {1, 1, 1, 1 + 0x1p-30}, s[2], product;
  po_mat none = {NULL, 0, 0, 0};
  double scale = 0x1p-60;
  a[2] *= scale;
  a[3] *= scale; /* det = 2^-90 exactly; s0 = sqrt(2)(1 + …), s1 = det / s0 */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(none, s, none, po_mat_of(a, 2, 2, 2), PO_SVD_JACOBI, &la_arena));
  product = 0x1p-90;
  TEST_ASSERT_DOUBLE_WITHIN(8 * PO_EPS * 1.4142135623730951, 1.4142135623730951, s[0]);
  /* relative error of s1 against det/s0 is bounded by the condition of the scaled rows, 2^31 eps, not by s0/s1 = 2^90 eps */
  TEST_ASSERT_DOUBLE_WITHIN(0x1p-18 * product / s[0], product / s[0], s[1]);
}

static void body_rank_null_range(void) {
  static const la_kind kinds[] = {LA_RANDOM, LA_DEFICIENT, LA_DUPLICATED, LA_ZERO, LA_HUGE, LA_TINY};
  int m, n, k, basis;
  for (m = 0; m <= 30; m += m < 6 ? 1 : 4)
    for (n = 0; n <= 30; n += n < 6 ? 1 : 4)
      for (k = 0; k < 6; k++)
        for (basis = 0; basis < 2; basis++) {
          po_mat A, N, R, zero, projected;
          double size;
          int rank = -1, dim = -1, rdim = -1, big = m > n ? m : n;
          la_reset();
          A = la_mat(m, n);
          la_make(A, kinds[k], (uint64_t)(m * 50 + n));
          size = la_frobenius(A);
          N = la_mat(n, n);
          R = la_mat(m, m);
          TEST_ASSERT_EQUAL_INT(PO_OK, po_rank(&rank, A, -1, (po_basis)basis, &la_arena));
          TEST_ASSERT_EQUAL_INT(PO_OK, po_null(N, &dim, A, -1, (po_basis)basis, &la_arena));
          TEST_ASSERT_EQUAL_INT(PO_OK, po_range(R, &rdim, A, -1, (po_basis)basis, &la_arena));
          if (kinds[k] == LA_DEFICIENT && m > 0 && n > 0) TEST_ASSERT_EQUAL_INT(la_deficient_rank(m, n), rank);
          TEST_ASSERT_EQUAL_INT(n - rank, dim);
          TEST_ASSERT_EQUAL_INT(rank, rdim);
          N = po_block(N, 0, 0, n, dim);
          R = po_block(R, 0, 0, m, rdim);
          LA_ASSERT_ORTHONORMAL(N, la_bound(12, big, 1), "null", 0);
          LA_ASSERT_ORTHONORMAL(R, la_bound(12, big, 1), "range", 0);
          zero = la_mat(m, dim);
          po_mat_zero(zero);
          LA_ASSERT_NEAR(zero, la_product(A, PO_N, N, PO_N), la_bound(24, big, size), "A N = 0", 0);
          projected = la_product(R, PO_N, la_product(R, PO_T, A, PO_N), PO_N);
          LA_ASSERT_NEAR(A, projected, la_bound(24, big, size), "R R' A = A", 0);
        }
}

static void body_two_bases_one_space(void) { /* N N' is the same projector */
  int n;
  for (n = 4; n <= 40; n += 6) {
    po_mat A, X, Y;
    int dx, dy;
    la_reset();
    A = la_mat(n / 2, n);
    X = la_mat(n, n);
    Y = la_mat(n, n);
    la_make(A, LA_DEFICIENT, (uint64_t)n);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_null(X, &dx, A, -1, PO_BASIS_SVD, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_null(Y, &dy, A, -1, PO_BASIS_ORTHOGONAL, &la_arena));
    TEST_ASSERT_EQUAL_INT(dx, dy);
    X = po_block(X, 0, 0, n, dx);
    Y = po_block(Y, 0, 0, n, dy);
    /* eps times the condition of the nonzero part, which is below 1e4 for these seeds */
    LA_ASSERT_NEAR(la_product(X, PO_N, X, PO_T), la_product(Y, PO_N, Y, PO_T), la_bound(1e4, n, 1), "projectors", (uint64_t)n);
  }
}

/* Moore and Penrose: A P A = A, P A P = P, (A P)' = A P, (P A)' = P A. */
static void check_penrose(int m, int n, la_kind kind) {
  po_mat A, P, AP, PA, T;
  double condition, sa, sp;
  int big = m > n ? m : n;
  la_reset();
  A = la_mat(m, n);
  P = la_mat(n, m);
  la_make(A, kind, 51);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_PLAIN, 0, &la_arena));
  TEST_ASSERT(la_padding_intact(P));
  sa = la_frobenius(A);
  sp = la_frobenius(P);
  condition = sa * sp;
  AP = la_product(A, PO_N, P, PO_N);
  PA = la_product(P, PO_N, A, PO_N);
  LA_ASSERT_NEAR(A, la_product(AP, PO_N, A, PO_N), la_bound(24, big, sa * (1 + condition)), "A P A", 51);
  LA_ASSERT_NEAR(P, la_product(PA, PO_N, P, PO_N), la_bound(24, big, sp * (1 + condition)), "P A P", 51);
  T = la_mat(m, m);
  po_mat_transpose(T, AP);
  LA_ASSERT_NEAR(AP, T, la_bound(24, big, 1 + condition), "A P symmetric", 51);
  T = la_mat(n, n);
  po_mat_transpose(T, PA);
  LA_ASSERT_NEAR(PA, T, la_bound(24, big, 1 + condition), "P A symmetric", 51);
}

static void body_penrose(void) {
  static const la_kind kinds[] = {LA_RANDOM, LA_DEFICIENT, LA_DUPLICATED, LA_ZERO};
  int m, n, k;
  for (m = 0; m <= 24; m += m < 5 ? 1 : 3)
    for (n = 0; n <= 24; n += n < 5 ? 1 : 3)
      for (k = 0; k < 4; k++) check_penrose(m, n, kinds[k]);
}

static void body_truncated_and_damped(void) {
  double a[6] = {4, 0, 0, 0.01, 0, 0}, p[6];
  po_mat A = po_mat_of(a, 3, 2, 2), P = po_mat_of(p, 2, 3, 3);
  double lambda2, ratio;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_TRUNCATED, 0.1, &la_arena)); /* 0.01/4 < 0.1: dropped */
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.25, PO_AT(P, 0, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, PO_AT(P, 1, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_TRUNCATED, 1e-3, &la_arena));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 100, PO_AT(P, 1, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_DAMPED, 0.005, &la_arena)); /* s_min above: nothing is damped */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 100, PO_AT(P, 1, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_DAMPED, 0.04, &la_arena));
  ratio = 0.01 / 0.04;
  lambda2 = (1 - ratio * ratio) * 0.04 * 0.04;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.01 / (0.01 * 0.01 + lambda2), PO_AT(P, 1, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4 / (16 + lambda2), PO_AT(P, 0, 0));
  a[3] = 0; /* singular: finite, lambda = param */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_DAMPED, 0.04, &la_arena));
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, PO_AT(P, 1, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4 / (16 + 0.0016), PO_AT(P, 0, 0));
}

/* The promise of po_la_scratch_bytes. */
static void test_scratch_suffices(void) {
  int m, n, method;
  for (m = 1; m <= 40; m += 3)
    for (n = 1; n <= 40; n += 3)
      for (method = 0; method < 2; method++) {
        size_t bytes = po_la_scratch_bytes(m, n);
        void *memory = malloc(bytes);
        po_arena arena;
        po_mat A, U, V, P;
        int dim;
        la_reset();
        A = la_mat(m, n);
        U = la_mat(m, m);
        V = la_mat(n, n);
        P = la_mat(n, m);
        la_make(A, LA_DEFICIENT, 61);
        po_arena_init(&arena, memory, bytes);
        TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(U, la_vec(m + n), V, A, (po_svd_method)method, &arena));
        TEST_ASSERT_EQUAL_INT(PO_OK, po_null(V, &dim, A, -1, (po_basis)method, &arena));
        TEST_ASSERT_EQUAL_INT(PO_OK, po_range(U, &dim, A, -1, (po_basis)method, &arena));
        TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_PLAIN, 0, &arena));
        TEST_ASSERT_EQUAL_INT(0, (int)po_arena_mark(&arena));
        free(memory);
      }
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(4, 3), U = la_mat(4, 4), V = la_mat(3, 3), P = la_mat(3, 4), none = {NULL, 0, 0, 0};
  double s[3] = {7, 7, 7}, small[4];
  int dim = 7, rank = 7, method, i;
  po_arena tiny;
  la_make(A, LA_RANDOM, 71);
  for (method = 0; method < 2; method++) {
    PO_AT(A, 2, 2) = PO_NAN;
    TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_svd(U, s, V, A, (po_svd_method)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_rank(&rank, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_null(V, &dim, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_range(U, &dim, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_pinv(P, A, PO_PINV_PLAIN, 0, &la_arena));
    PO_AT(A, 2, 2) = 1;
    TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_svd(U, NULL, V, A, (po_svd_method)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_svd(U, s, V, A, (po_svd_method)method, NULL));
    TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_svd(U, s, V, po_mat_of(NULL, 4, 3, 3), (po_svd_method)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_svd(V, s, U, A, (po_svd_method)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_null(U, &dim, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_range(V, &dim, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_range(po_block(U, 0, 0, 4, 2), &dim, A, -1, (po_basis)method, &la_arena));
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_rank(&rank, A, PO_NAN, (po_basis)method, &la_arena));
    po_arena_init(&tiny, small, sizeof small);
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_svd(U, s, V, A, (po_svd_method)method, &tiny));
    po_arena_init(&tiny, small, sizeof small);
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_null(V, &dim, A, -1, (po_basis)method, &tiny));
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_pinv(A, A, PO_PINV_PLAIN, 0, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_pinv(P, A, PO_PINV_DAMPED, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_pinv(P, A, PO_PINV_TRUNCATED, PO_NAN, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_svd(none, s, none, A, (po_svd_method)9, &la_arena));
  for (i = 0; i < 3; i++) TEST_ASSERT(s[i] == 7);
  for (i = 0; i < 9; i++) TEST_ASSERT(PO_AT(V, i / 3, i % 3) != PO_AT(V, i / 3, i % 3));
  for (i = 0; i < 16; i++) TEST_ASSERT(PO_AT(U, i / 4, i % 4) != PO_AT(U, i / 4, i % 4));
  for (i = 0; i < 12; i++) TEST_ASSERT(PO_AT(P, i / 4, i % 4) != PO_AT(P, i / 4, i % 4));
  TEST_ASSERT(dim == 7 && rank == 7);
}

static void test_jacobi(void) { la_both(body_jacobi); }
static void test_qr(void) { la_both(body_qr); }
static void test_two_methods_one_answer(void) { la_both(body_two_methods_one_answer); }
static void test_jacobi_is_relatively_accurate(void) { la_both(body_jacobi_is_relatively_accurate); }
static void test_rank_null_range(void) { la_both(body_rank_null_range); }
static void test_two_bases_one_space(void) { la_both(body_two_bases_one_space); }
static void test_penrose(void) { la_both(body_penrose); }
static void test_truncated_and_damped(void) { la_both(body_truncated_and_damped); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_jacobi);
  RUN_TEST(test_qr);
  RUN_TEST(test_two_methods_one_answer);
  RUN_TEST(test_jacobi_is_relatively_accurate);
  RUN_TEST(test_rank_null_range);
  RUN_TEST(test_two_bases_one_space);
  RUN_TEST(test_penrose);
  RUN_TEST(test_truncated_and_damped);
  RUN_TEST(test_scratch_suffices);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
