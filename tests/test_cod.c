/* Complete orthogonal factorization: bases of null space and row space, least squares of least norm. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void check_cod(int m, int n, la_kind kind, uint64_t seed) {
  int big = m > n ? m : n;
  po_mat A, N, R, zero, projected;
  po_cod F;
  double size, below;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, seed);
  size = la_frobenius(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cod_factor(&F, A, -1, &la_arena));
  if (kind == LA_DEFICIENT && m > 0 && n > 0) TEST_ASSERT_EQUAL_INT(la_deficient_rank(m, n), F.rank);
  if (kind == LA_RANDOM || kind == LA_HUGE || kind == LA_TINY) TEST_ASSERT_EQUAL_INT(m < n ? m : n, F.rank);
  if (kind == LA_ZERO) TEST_ASSERT_EQUAL_INT(0, F.rank);
  N = la_mat(n, n - F.rank);
  R = la_mat(n, F.rank);
  po_cod_null(N, &F, &la_arena);
  po_cod_range(R, &F, &la_arena);
  TEST_ASSERT(la_padding_intact(N) && la_padding_intact(R));
  LA_ASSERT_ORTHONORMAL(N, la_bound(6, big, 1), la_kind_name(kind), seed);
  LA_ASSERT_ORTHONORMAL(R, la_bound(6, big, 1), la_kind_name(kind), seed);
  zero = la_mat(m, N.cols);
  po_mat_zero(zero);
  below = F.rank < (m < n ? m : n) ? PO_RANK_TOL * size : 0; /* what the rank decision leaves out */
  LA_ASSERT_NEAR(zero, la_product(A, PO_N, N, PO_N), la_bound(6, big, size) + below, "A N = 0", seed);
  projected = la_product(la_product(A, PO_N, R, PO_N), PO_N, R, PO_T);
  LA_ASSERT_NEAR(A, projected, la_bound(12, big, size) + below, "A R R' = A", seed);
}

static void body_all_sizes(void) {
  int m, n, kind;
  for (m = 0; m <= 40; m += la_full() || m < 10 ? 1 : 3)
    for (n = 0; n <= 40; n += la_full() || n < 10 ? 1 : 3)
      check_cod(m, n, (la_kind)((m + 3 * n) % LA_KIND_COUNT), (uint64_t)(100 * m + n));
  for (kind = 0; kind < LA_KIND_COUNT; kind++) {
    check_cod(1, 1, (la_kind)kind, 1);
    check_cod(18, 36, (la_kind)kind, 2);
    check_cod(36, 18, (la_kind)kind, 3);
  }
  check_cod(100, 200, LA_DEFICIENT, 4);
}

/* x solves the normal equations and has nothing in the null space: that is the solution of least norm. */
static void check_solve(int m, int n, la_kind kind) {
  po_mat A, N, x, b, residual, zero;
  po_cod F;
  int i;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, 21);
  b = la_mat(m, 1);
  la_make(b, LA_RANDOM, 22);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cod_factor(&F, A, -1, &la_arena));
  x = la_mat(n, 1);
  {
    double *dense_x = la_vec(n), *dense_b = la_vec(m);
    for (i = 0; i < m; i++) dense_b[i] = PO_AT(b, i, 0);
    po_cod_solve(dense_x, &F, dense_b, &la_arena);
    for (i = 0; i < n; i++) PO_AT(x, i, 0) = dense_x[i];
  }
  residual = la_product(A, PO_N, x, PO_N);
  for (i = 0; i < m; i++) PO_AT(residual, i, 0) -= PO_AT(b, i, 0);
  zero = la_mat(n, 1);
  po_mat_zero(zero);
  LA_ASSERT_NEAR(zero, la_product(A, PO_T, residual, PO_N),
                 la_bound(30, m + n, la_frobenius(A) * (la_frobenius(A) * la_frobenius(x) + 1)), "normal equations", 21);
  N = la_mat(n, n - F.rank);
  po_cod_null(N, &F, &la_arena);
  zero = la_mat(N.cols, 1);
  po_mat_zero(zero);
  LA_ASSERT_NEAR(zero, la_product(N, PO_T, x, PO_N), la_bound(30, m + n, la_frobenius(x)), "least norm", 21);
}

static void body_solve(void) {
  int m, n;
  for (m = 1; m <= 24; m += 1)
    for (n = 1; n <= 24; n += 2) {
      check_solve(m, n, LA_RANDOM);
      check_solve(m, n, LA_DEFICIENT);
      check_solve(m, n, LA_DUPLICATED);
      check_solve(m, n, LA_ZERO);
    }
}

static void test_bytes_suffice(void) { /* for the factorization and everything done with it */
  int m, n;
  for (m = 0; m <= 30; m += 5)
    for (n = 0; n <= 30; n += 5) {
      size_t bytes = po_cod_bytes(m, n);
      void *memory = malloc(bytes);
      po_arena arena;
      po_cod F;
      po_mat A, N;
      la_reset();
      A = la_mat(m, n);
      la_make(A, LA_DEFICIENT, 31);
      po_arena_init(&arena, memory, bytes);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_cod_factor(&F, A, -1, &arena));
      N = la_mat(n, n - F.rank);
      po_cod_null(N, &F, &arena);
      po_cod_solve(la_vec(n), &F, la_vec(m), &arena);
      TEST_ASSERT_EQUAL_INT(0, arena.failed);
      free(memory);
    }
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(6, 5);
  double small[4];
  po_arena none;
  po_cod F, kept;
  memset(&F, 0x55, sizeof F);
  kept = F;
  la_make(A, LA_RANDOM, 41);
  PO_AT(A, 1, 2) = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cod_factor(&F, A, -1, &la_arena));
  PO_AT(A, 1, 2) = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cod_factor(NULL, A, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cod_factor(&F, A, -1, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cod_factor(&F, po_mat_of(NULL, 6, 5, 5), -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cod_factor(&F, po_mat_of(A.a, 6, 5, 4), -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_cod_factor(&F, A, PO_NAN, &la_arena));
  po_arena_init(&none, small, sizeof small);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_cod_factor(&F, A, -1, &none));
  TEST_ASSERT_EQUAL_MEMORY(&kept, &F, sizeof F);
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_solve(void) { la_both(body_solve); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_solve);
  RUN_TEST(test_bytes_suffice);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
