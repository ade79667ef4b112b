/* L D L' on positive and quasi-definite matrices, its solve and rank-one changes, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* Quasi-definite [H B'; B -G]: H, G positive definite. Strongly factorizable in any order (Vanderbei 1995). */
static void make_quasi(po_mat A, uint64_t seed, la_kind kind) {
  int n = A.rows, h = n - n / 3, i, j;
  la_make_spd(A, kind, seed);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (i >= h && j >= h) PO_AT(A, i, j) = -PO_AT(A, i, j);
}

static po_mat rebuild(po_mat L, const double *d) {
  po_mat clean = la_triangle(L, PO_LOWER, 1), scaled = la_copy(clean);
  int i, j;
  for (i = 0; i < L.rows; i++)
    for (j = 0; j < L.rows; j++) PO_AT(scaled, i, j) *= d[j];
  return la_product(scaled, PO_N, clean, PO_T);
}

/* c n eps | |L||D||L'| |, c = 3 (Higham 10.4): the growth is part of the bound, since there is no pivoting. */
static double growth_bound(po_mat L, const double *d, double c) {
  po_mat clean = la_triangle(L, PO_LOWER, 1), scaled = la_copy(clean);
  int n = L.rows, i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      PO_AT(clean, i, j) = fabs(PO_AT(clean, i, j));
      PO_AT(scaled, i, j) = fabs(PO_AT(scaled, i, j) * d[j]);
    }
  return la_bound(c, n, po_norm_max(la_product(scaled, PO_N, clean, PO_T)));
}

static void check_ldlt(int n, int quasi, la_kind kind, uint64_t seed) {
  po_mat A, L, in_place;
  double *d, *d2;
  int i, j;
  la_reset();
  A = la_mat(n, n);
  if (quasi) make_quasi(A, seed, kind);
  else la_make_spd(A, kind, seed);
  L = la_mat(n, n);
  d = la_vec(n);
  d2 = la_vec(n);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, A));
  for (i = 0; i < n; i++) {
    TEST_ASSERT(PO_AT(L, i, i) == 1);
    TEST_ASSERT_MESSAGE((d[i] > 0) == (!quasi || i < n - n / 3), "inertia");
    for (j = i + 1; j < n; j++) TEST_ASSERT_MESSAGE(PO_AT(L, i, j) != PO_AT(L, i, j), "the upper triangle was touched");
  }
  LA_ASSERT_NEAR(A, rebuild(L, d), growth_bound(L, d, 3), la_kind_name(kind), seed);
  in_place = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(in_place, d2, in_place));
  for (i = 0; i < n; i++) TEST_ASSERT(d[i] == d2[i]);
  TEST_ASSERT(la_padding_intact(in_place));
}

/* Finite numbers whose factor overflows: no answer, on both paths. */
static void test_a_pivot_that_overflows_is_singular(void) {
  for (int simd = 0; simd < 2; simd++) {
    po_mat A, L;
    double d[2];
    la_reset();
    if (po_set_simd(simd ? PO_SIMD_AVX2 : PO_SIMD_SCALAR) != PO_OK) continue;
    A = la_mat(2, 2);
    L = la_mat(2, 2);
    PO_AT(A, 0, 0) = 1e-300;
    PO_AT(A, 1, 0) = PO_AT(A, 0, 1) = 1e10;
    PO_AT(A, 1, 1) = 1;
    TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_ldlt(L, d, A));
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void body_all_sizes(void) {
  static const la_kind kinds[] = {LA_RANDOM, LA_GRADED, LA_HUGE, LA_TINY};
  int n;
  for (n = 0; n <= 40; n++) {
    check_ldlt(n, 0, kinds[n % 4], (uint64_t)n);
    check_ldlt(n, 1, LA_RANDOM, (uint64_t)n);
  }
  check_ldlt(120, 0, LA_RANDOM, 1);
  check_ldlt(120, 1, LA_RANDOM, 2);
  check_ldlt(200, 1, LA_RANDOM, 3);
}

static void body_solve(void) {
  int n;
  for (n = 0; n <= 50; n += 2) {
    po_mat A, L, b, x;
    double *d;
    la_reset();
    A = la_mat(n, n);
    L = la_mat(n, n);
    b = la_mat(1, n);
    d = la_vec(n);
    make_quasi(A, 11, LA_RANDOM);
    la_make(b, LA_RANDOM, 12);
    x = la_copy(b);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, A));
    po_ldlt_solve(x.a, L, d);
    LA_ASSERT_NEAR(b, la_product(x, PO_N, A, PO_N), growth_bound(L, d, 6) * n * (1 + la_frobenius(x)), "solve", 12);
  }
}

static void body_update(void) {
  static const double sigmas[] = {1, 0.25, -0.02, 0};
  int n, k, quasi, i, j;
  for (n = 1; n <= 60; n += n < 36 ? 1 : 8)
    for (k = 0; k < 4; k++)
      for (quasi = 0; quasi < 2; quasi++) {
        po_mat A, L;
        double *d, *v;
        la_reset();
        A = la_mat(n, n);
        L = la_mat(n, n);
        d = la_vec(n);
        v = la_vec(n);
        if (quasi) make_quasi(A, (uint64_t)n, LA_RANDOM);
        else la_make_spd(A, LA_RANDOM, (uint64_t)n);
        TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, A));
        for (i = 0; i < n; i++) v[i] = 0.1 * ((i * 7) % 11 - 5);
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++) PO_AT(A, i, j) += sigmas[k] * v[i] * v[j];
        TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt_update(L, d, v, sigmas[k]));
        LA_ASSERT_NEAR(A, rebuild(L, d), growth_bound(L, d, 12), "update", (uint64_t)n);
        for (i = 0; i < n; i++) TEST_ASSERT(PO_AT(L, i, i) == 1);
      }
}

static void body_update_that_loses_the_sign(void) {
  int n = 20, i;
  po_mat A = la_mat(n, n), L = la_mat(n, n), kept;
  double *d = la_vec(n), *old = la_vec(n), *v = la_vec(n);
  la_make_spd(A, LA_RANDOM, 31);
  po_mat_zero(L);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, A));
  kept = la_copy(L);
  for (i = 0; i < n; i++) {
    old[i] = d[i];
    v[i] = 2 * sqrt(PO_AT(A, i, i));
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_ldlt_update(L, d, v, -1));
  LA_ASSERT_SAME_BITS(kept, L, "L was changed");
  for (i = 0; i < n; i++) TEST_ASSERT(old[i] == d[i]);
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(4, 4), L = la_mat(4, 4), kept;
  double d[4] = {7, 7, 7, 7}, v[4] = {1, 2, PO_NAN, 4};
  int i;
  la_make_spd(A, LA_RANDOM, 41);
  la_make(L, LA_RANDOM, 42);
  kept = la_copy(L);
  PO_AT(A, 2, 0) = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ldlt(L, d, A));
  PO_AT(A, 2, 0) = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_ldlt(L, NULL, A));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ldlt(L, d, po_block(A, 0, 0, 3, 3)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ldlt(L, d, po_block(A, 0, 0, 3, 4)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_ldlt(po_mat_of(NULL, 4, 4, 4), d, A));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ldlt_update(L, d, v, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_ldlt_update(L, NULL, v, 1));
  v[2] = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ldlt_update(L, d, v, PO_INF));
  LA_ASSERT_SAME_BITS(kept, L, "L was changed");
  for (i = 0; i < 4; i++) TEST_ASSERT(d[i] == 7);
  po_mat_zero(A);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_ldlt(L, d, A));
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_solve(void) { la_both(body_solve); }
static void test_update(void) { la_both(body_update); }
static void test_update_that_loses_the_sign(void) { la_both(body_update_that_loses_the_sign); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_pivot_that_overflows_is_singular);
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_solve);
  RUN_TEST(test_update);
  RUN_TEST(test_update_that_loses_the_sign);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
