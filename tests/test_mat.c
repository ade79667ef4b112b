/* Views, filling, copying and the checks at the door. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void test_arena_mat_is_padded_aligned_and_zero(void) {
  int m, n, i, j;
  for (m = 0; m <= 9; m++)
    for (n = 0; n <= 9; n++) {
      size_t before = po_arena_mark(&la_arena);
      po_mat A = po_arena_mat(&la_arena, m, n);
      TEST_ASSERT_EQUAL_INT(0, A.ld % 4);
      TEST_ASSERT(A.ld >= n);
      TEST_ASSERT_EQUAL_INT(0, (int)((uintptr_t)A.a % 32));
      for (i = 0; i < m; i++)
        for (j = 0; j < A.ld; j++) TEST_ASSERT(PO_AT(A, i, j) == 0);
      TEST_ASSERT(po_arena_mark(&la_arena) - before <= po_mat_bytes(m, n) + 31);
    }
}

static void test_arena_mat_is_null_when_full(void) {
  double memory[64];
  po_arena small;
  po_arena_init(&small, memory, sizeof memory);
  TEST_ASSERT_NULL(po_arena_mat(&small, 40, 40).a);
}

static void test_blocks_and_rows(void) {
  po_mat A = la_mat(5, 7), B;
  la_make(A, LA_RANDOM, 1);
  B = po_block(A, 2, 3, 2, 4);
  TEST_ASSERT(PO_AT(B, 1, 2) == PO_AT(A, 3, 5));
  TEST_ASSERT(po_row(A, 4) == &PO_AT(A, 4, 0));
  TEST_ASSERT_EQUAL_INT(A.ld, B.ld);
}

static void test_fill_copy_transpose(void) {
  int m, n, i, j;
  for (m = 0; m <= 13; m++)
    for (n = 0; n <= 13; n++) {
      po_mat A, B, T;
      la_reset();
      A = la_mat(m, n);
      B = la_mat(m, n);
      T = la_mat(n, m);
      la_make(A, LA_RANDOM, 2);
      po_mat_copy(B, A);
      po_mat_transpose(T, A);
      LA_ASSERT_SAME_BITS(A, B, "copy");
      for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) TEST_ASSERT(PO_AT(T, j, i) == PO_AT(A, i, j));
      po_mat_identity(A);
      po_mat_zero(B);
      for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) TEST_ASSERT(PO_AT(A, i, j) == (i == j) && PO_AT(B, i, j) == 0);
      TEST_ASSERT(la_padding_intact(A) && la_padding_intact(B) && la_padding_intact(T));
    }
}

static void test_symmetrize(void) {
  int n, i, j;
  for (n = 0; n <= 9; n++) {
    po_mat A = la_mat(n, n), L, U;
    la_make(A, LA_RANDOM, 3);
    L = la_copy(A);
    U = la_copy(A);
    po_mat_symmetrize(L, PO_LOWER);
    po_mat_symmetrize(U, PO_UPPER);
    for (i = 0; i < n; i++)
      for (j = 0; j <= i; j++) {
        TEST_ASSERT(PO_AT(L, i, j) == PO_AT(A, i, j) && PO_AT(L, j, i) == PO_AT(A, i, j));
        TEST_ASSERT(PO_AT(U, i, j) == PO_AT(A, j, i) && PO_AT(U, j, i) == PO_AT(A, j, i));
      }
  }
}

static void test_checks(void) {
  double a[12] = {0};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mat_check(po_mat_of(a, 3, 4, 4)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mat_check(po_mat_of(NULL, 0, 4, 4)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mat_check(po_mat_of(NULL, 4, 0, 0)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_mat_check(po_mat_of(NULL, 1, 1, 1)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_mat_check(po_mat_of(a, -1, 4, 4)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_mat_check(po_mat_of(a, 3, -4, 4)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_mat_check(po_mat_of(a, 3, 4, 3)));
}

static void test_finite_finds_every_position(void) {
  static const double bad[3] = {-1, 1, 0};
  int n = 11, i, j, k;
  po_mat A = la_mat(n, n);
  la_make(A, LA_HUGE, 4);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mat_check_finite(A));
  for (k = 0; k < 3; k++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        double kept = PO_AT(A, i, j);
        PO_AT(A, i, j) = bad[k] / 0.0; /* -inf, inf, nan */
        TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_mat_check_finite(A));
        PO_AT(A, i, j) = kept;
      }
}

static void run_finite(void) { la_both(test_finite_finds_every_position); }
static void run_transpose(void) { la_both(test_fill_copy_transpose); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_arena_mat_is_padded_aligned_and_zero);
  RUN_TEST(test_arena_mat_is_null_when_full);
  RUN_TEST(test_blocks_and_rows);
  RUN_TEST(run_transpose);
  RUN_TEST(test_symmetrize);
  RUN_TEST(test_checks);
  RUN_TEST(run_finite);
  return UNITY_END() != 0;
}
