/* The condition estimate: never above the true 1-norm condition, and within a factor of it. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static double norm1(po_mat A) {
  double top = 0;
  int i, j;
  for (j = 0; j < A.cols; j++) {
    double s = 0;
    for (i = 0; i < A.rows; i++) s += fabs(PO_AT(A, i, j));
    if (s > top) top = s;
  }
  return top;
}

static void check_cond(int n, int uplo, double spread, uint64_t seed) {
  po_mat T, clean, inverse;
  double estimate = -1, truth;
  int i, j;
  la_reset();
  T = la_mat(n, n);
  la_make(T, LA_RANDOM, seed);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      if (i == j) PO_AT(T, i, j) = po_exp(-spread * i / n);
      else if ((uplo == PO_LOWER) != (j < i)) PO_AT(T, i, j) = PO_NAN; /* must not be read */
      else PO_AT(T, i, j) *= po_exp(-spread * i / n);
    }
  clean = la_triangle(T, (po_uplo)uplo, 0);
  inverse = la_mat(n, n);
  po_mat_identity(inverse);
  po_trsm(inverse, clean, PO_LEFT, (po_uplo)uplo, PO_N, PO_NON_UNIT);
  truth = norm1(clean) * norm1(inverse);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&estimate, T, (po_uplo)uplo, &la_arena));
  TEST_ASSERT(estimate <= truth * (1 + 1e-10));
  TEST_ASSERT(estimate >= truth / 10); /* Higham: rarely off by more than 3 */
}

static void body_against_the_inverse(void) {
  int n, k;
  for (n = 1; n <= 40; n++)
    for (k = 0; k < 4; k++) check_cond(n, k & 1, k & 2 ? 20 : 0, (uint64_t)(n + 100 * k));
}

static void test_special_cases(void) {
  double t[4] = {1, 5, 0, 0}, cond = -1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&cond, po_mat_of(t, 2, 2, 2), PO_UPPER, &la_arena));
  TEST_ASSERT(cond == PO_INF);
  t[3] = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&cond, po_mat_of(t, 1, 1, 2), PO_LOWER, &la_arena));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, cond);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cond_tri(&cond, po_mat_of(NULL, 0, 0, 0), PO_LOWER, &la_arena));
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, cond);
}

static void test_bad_input_leaves_all_untouched(void) {
  double t[4] = {1, PO_NAN, 2, 3}, cond = 7, small[2];
  po_mat T = po_mat_of(t, 2, 2, 2);
  po_arena tiny;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cond_tri(&cond, T, PO_UPPER, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cond_tri(NULL, T, PO_LOWER, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cond_tri(&cond, T, PO_LOWER, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cond_tri(&cond, po_mat_of(NULL, 2, 2, 2), PO_LOWER, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cond_tri(&cond, po_mat_of(t, 1, 2, 2), PO_LOWER, &la_arena));
  po_arena_init(&tiny, small, sizeof small);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_cond_tri(&cond, T, PO_LOWER, &tiny));
  TEST_ASSERT(cond == 7);
}

static void test_against_the_inverse(void) { la_both(body_against_the_inverse); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_against_the_inverse);
  RUN_TEST(test_special_cases);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
