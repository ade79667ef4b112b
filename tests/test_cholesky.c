/* Cholesky, its solve, and rank-one changes, against A = L L', on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static const la_kind spd_kinds[] = {LA_RANDOM, LA_GRADED, LA_HILBERT, LA_HUGE, LA_TINY};

/* |A − L L'|_ij ≤ c n eps sqrt(a_ii a_jj) (Higham 10.3), which says it for graded matrices too; c = 3. */
static void assert_factor(po_mat A, po_mat L, int changes, const char *what, uint64_t seed) {
  po_mat clean = la_triangle(L, PO_LOWER, 0), product = la_product(clean, PO_N, clean, PO_T);
  int n = A.rows, i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j <= i; j++)
      LA_ASSERT_NEAR(po_block(A, i, j, 1, 1), po_block(product, i, j, 1, 1),
                     la_bound(3 * (1 + changes), n + 2, sqrt(PO_AT(A, i, i)) * sqrt(PO_AT(A, j, j))), what, seed);
}

static void check_cholesky(int n, la_kind kind, uint64_t seed) {
  po_mat A, L, in_place;
  int i, j, failed = -1;
  la_reset();
  A = la_mat(n, n);
  la_make_spd(A, kind, seed);
  for (i = 0; i < n; i++)
    for (j = i + 1; j < n; j++) PO_AT(A, i, j) = PO_NAN; /* must not be read */
  L = la_mat(n, n);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) PO_AT(L, i, j) = 77;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, &failed, A));
  TEST_ASSERT_EQUAL_INT(-1, failed);
  for (i = 0; i < n; i++)
    for (j = i + 1; j < n; j++) TEST_ASSERT_MESSAGE(PO_AT(L, i, j) == 77, "the upper triangle was touched");
  assert_factor(A, L, 0, la_kind_name(kind), seed);
  TEST_ASSERT(la_padding_intact(L));
  in_place = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(in_place, NULL, in_place));
  LA_ASSERT_SAME_BITS(la_triangle(L, PO_LOWER, 0), la_triangle(in_place, PO_LOWER, 0), "in place differs");
  TEST_ASSERT(la_padding_intact(in_place));
}

static void body_all_sizes(void) {
  int n;
  for (n = 0; n <= 40; n++) check_cholesky(n, LA_RANDOM, (uint64_t)n);
  for (n = 0; n < 5; n++) {
    check_cholesky(1, spd_kinds[n], 1);
    check_cholesky(13, spd_kinds[n], 2);
    check_cholesky(37, spd_kinds[n], 3);
    check_cholesky(100, spd_kinds[n], 4);
  }
  check_cholesky(64, LA_GRADED, 5);
  check_cholesky(129, LA_RANDOM, 6);
  check_cholesky(200, LA_RANDOM, 7);
}

/* Larger than the panels are made for; tested by A x = L (L' x), which takes n² and not n³. */
static void body_large(void) {
  int n = 530, i, j;
  po_mat A = la_mat(n, n), L = la_mat(n, n), x = la_mat(n, 1), clean;
  po_rng rng;
  po_rng_init(&rng, 8, 0);
  for (i = 0; i < n; i++)
    for (j = 0; j <= i; j++) PO_AT(A, i, j) = PO_AT(A, j, i) = i == j ? n : po_rng_range(&rng, -1, 1);
  la_random(x, &rng);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, A));
  clean = la_triangle(L, PO_LOWER, 0);
  LA_ASSERT_NEAR(la_product(A, PO_N, x, PO_N), la_product(clean, PO_N, la_product(clean, PO_T, x, PO_N), PO_N),
                 la_bound(3, n, sqrt((double)n) * n), "large", 8);
}

static void body_solve(void) {
  int n;
  for (n = 0; n <= 60; n += 3) {
    po_mat A, L, b, x;
    la_reset();
    A = la_mat(n, n);
    L = la_mat(n, n);
    b = la_mat(1, n);
    la_make_spd(A, LA_RANDOM, 11);
    la_make(b, LA_RANDOM, 12);
    x = la_copy(b);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, A));
    po_cholesky_solve(x.a, L);
    LA_ASSERT_NEAR(b, la_product(x, PO_N, A, PO_N), la_bound(6, n, la_frobenius(A) * la_frobenius(x)), "solve", 12);
  }
}

static void body_not_positive(void) { /* fails at exactly the first pivot that is not positive, the rows before are right */
  int n, at;
  for (n = 1; n <= 40; n += 3)
    for (at = 0; at < n; at += 1 + n / 6) {
      po_mat A, L, good;
      int failed = -1;
      la_reset();
      A = la_mat(n, n);
      L = la_mat(n, n);
      good = la_mat(n, n);
      po_mat_zero(good);
      la_make_spd(A, LA_RANDOM, 21);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(good, NULL, A));
      PO_AT(A, at, at) = -1;
      TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_cholesky(L, &failed, A));
      TEST_ASSERT_EQUAL_INT(at, failed);
      LA_ASSERT_NEAR(la_triangle(po_block(good, 0, 0, at, at), PO_LOWER, 0), la_triangle(po_block(L, 0, 0, at, at), PO_LOWER, 0),
                     la_bound(8, n, la_frobenius(good)), "rows before the failure", 21);
    }
}

static void body_update_and_downdate(void) {
  int n, k, i, j;
  for (n = 0; n <= 70; n += n < 40 ? 1 : 10)
    for (k = 0; k < 2; k++) {
      po_mat A, B, L;
      double *v, *w;
      la_reset();
      A = la_mat(n, n);
      B = la_mat(n, n);
      L = la_mat(n, n);
      v = la_vec(n);
      w = la_vec(n);
      la_make_spd(A, spd_kinds[k], (uint64_t)n);
      for (i = 0; i < n; i++) v[i] = w[i] = sqrt(PO_AT(A, i, i)) * (0.5 + 0.4 * ((i * 7) % 5 - 2));
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) PO_AT(B, i, j) = PO_AT(A, i, j) + v[i] * v[j];
      po_mat_zero(L);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, A));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky_update(L, v));
      assert_factor(B, L, 2, "update", (uint64_t)n);
      for (i = 0; i < n; i++) TEST_ASSERT(PO_AT(L, i, i) > 0);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky_downdate(L, w));
      /* a downdate is as accurate as B, from which it subtracts */
      {
        po_mat clean = la_triangle(L, PO_LOWER, 0), product = la_product(clean, PO_N, clean, PO_T);
        for (i = 0; i < n; i++)
          for (j = 0; j <= i; j++)
            LA_ASSERT_NEAR(po_block(A, i, j, 1, 1), po_block(product, i, j, 1, 1),
                           la_bound(9, n + 2, sqrt(PO_AT(B, i, i)) * sqrt(PO_AT(B, j, j))), "downdate", (uint64_t)n);
      }
      for (i = 0; i < n; i++) TEST_ASSERT(PO_AT(L, i, i) > 0);
      TEST_ASSERT(la_padding_intact(L));
    }
}

static void body_downdate_lost(void) { /* more is taken than there is: an error, and L as it was */
  int n = 20, i;
  po_mat A = la_mat(n, n), L = la_mat(n, n), kept;
  double *v = la_vec(n);
  la_make_spd(A, LA_RANDOM, 31);
  po_mat_zero(L);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, A));
  kept = la_copy(L);
  for (i = 0; i < n; i++) v[i] = 2 * sqrt(PO_AT(A, i, i));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_cholesky_downdate(L, v));
  LA_ASSERT_SAME_BITS(kept, L, "L was changed");
}

/* A pivot of exactly zero is singular, on both paths. */
static void test_a_zero_pivot_is_singular(void) {
  for (int simd = 0; simd < 2; simd++) {
    po_mat A, L;
    int failed = -1;
    la_reset();
    if (po_set_simd(simd ? PO_SIMD_AVX2 : PO_SIMD_SCALAR) != PO_OK) continue;
    A = la_mat(3, 3);
    L = la_mat(3, 3);
    po_mat_identity(A);
    PO_AT(A, 2, 2) = 0;
    TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_cholesky(L, &failed, A));
    TEST_ASSERT_EQUAL_INT(2, failed);
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_scalar_and_avx2_agree(void) {
  int n;
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("no AVX2 here");
  for (n = 1; n <= 70; n += n < 40 ? 1 : 10) {
    po_mat A, X, Y;
    la_reset();
    A = la_mat(n, n);
    X = la_mat(n, n);
    Y = la_mat(n, n);
    la_make_spd(A, LA_RANDOM, 41);
    po_mat_zero(X);
    po_mat_zero(Y);
    po_set_simd(PO_SIMD_SCALAR);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(X, NULL, A));
    po_set_simd(PO_SIMD_AVX2);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(Y, NULL, A));
    LA_ASSERT_NEAR(X, Y, la_bound(10, n, la_frobenius(X)), "scalar and avx2", 41);
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(5, 5), L = la_mat(5, 5), kept;
  double v[5] = {1, 2, PO_INF, 4, 5};
  int failed = -1;
  la_make_spd(A, LA_RANDOM, 51);
  la_make(L, LA_RANDOM, 52);
  kept = la_copy(L);
  PO_AT(A, 3, 1) = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cholesky(L, &failed, A));
  PO_AT(A, 3, 1) = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cholesky(L, &failed, A));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cholesky(L, &failed, po_block(A, 0, 0, 4, 5)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cholesky(L, &failed, po_block(A, 0, 0, 3, 3)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cholesky(L, &failed, po_mat_of(A.a, 5, 5, 4)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cholesky(po_mat_of(L.a, -5, 5, 5), &failed, A));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cholesky(po_mat_of(NULL, 5, 5, 5), &failed, A));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cholesky(L, &failed, po_mat_of(NULL, 5, 5, 5)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cholesky_update(L, v));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_cholesky_downdate(L, v));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_cholesky_update(L, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_cholesky_downdate(po_block(L, 0, 0, 4, 5), v));
  TEST_ASSERT_EQUAL_INT(-1, failed);
  LA_ASSERT_SAME_BITS(kept, L, "L was changed");
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_large(void) { la_both(body_large); }
static void test_solve(void) { la_both(body_solve); }
static void test_not_positive(void) { la_both(body_not_positive); }
static void test_update_and_downdate(void) { la_both(body_update_and_downdate); }
static void test_downdate_lost(void) { la_both(body_downdate_lost); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_large);
  RUN_TEST(test_solve);
  RUN_TEST(test_not_positive);
  RUN_TEST(test_update_and_downdate);
  RUN_TEST(test_downdate_lost);
  RUN_TEST(test_a_zero_pivot_is_singular);
  RUN_TEST(test_scalar_and_avx2_agree);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
