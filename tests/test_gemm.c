/* Matrix products in all transposes against long double, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* |C − exact| ≤ 2 (k+2) eps (|alpha| ‖A‖‖B‖ + |beta| |C|) */
static void check_gemm(int m, int n, int k, int ta, int tb, double alpha, double beta, la_kind kind) {
  uint64_t seed = (uint64_t)(m + 41 * n + 1700 * k);
  po_mat A, B, C, before, expected;
  double bound;
  int i, j;
  la_reset();
  A = ta ? la_mat(k, m) : la_mat(m, k);
  B = tb ? la_mat(n, k) : la_mat(k, n);
  C = la_mat(m, n);
  la_make(A, kind, seed);
  la_make(B, LA_RANDOM, seed + 1);
  la_make(C, LA_RANDOM, seed + 2);
  before = la_copy(C);
  if (beta == 0)
    for (i = 0; i < m; i++)
      for (j = 0; j < n; j++) PO_AT(C, i, j) = PO_NAN; /* beta = 0 overwrites NaN */
  po_gemm(C, beta, alpha, A, (po_trans)ta, B, (po_trans)tb);
  expected = la_product(A, (po_trans)ta, B, (po_trans)tb);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) PO_AT(expected, i, j) = alpha * PO_AT(expected, i, j) + beta * PO_AT(before, i, j);
  bound = la_bound(2, k + 2, fabs(alpha) * la_frobenius(A) * la_frobenius(B) + fabs(beta));
  LA_ASSERT_NEAR(expected, C, bound, la_kind_name(kind), seed);
  TEST_ASSERT(la_padding_intact(C));
}

static void body_gemm(void) {
  static const double coefficients[5][2] = {{1, 0}, {1, 1}, {-1, 1}, {0.7, -0.3}, {-2, 0}};
  int m, n, k, t, count = 0;
  for (m = 0; m <= 40; m += la_full() || m < 18 ? 1 : 4)
    for (n = 0; n <= 40; n += la_full() || n < 18 ? 1 : 5)
      for (k = 0; k <= 40; k += 1 + k / 2)
        for (t = 0; t < 4; t++, count++)
          check_gemm(m, n, k, t & 1, t >> 1, coefficients[count % 5][0], coefficients[count % 5][1], (la_kind)(count % LA_HUGE));
  for (t = 0; t < 4; t++) {
    check_gemm(128, 96, 64, t & 1, t >> 1, 1, 0, LA_RANDOM);
    check_gemm(61, 200, 131, t & 1, t >> 1, -1, 1, LA_RANDOM);
    check_gemm(13, 17, 700, t & 1, t >> 1, -1, 1, LA_RANDOM);
    check_gemm(40, 40, 40, t & 1, t >> 1, 1, 0, LA_HUGE);
    check_gemm(40, 40, 40, t & 1, t >> 1, 1, 0, LA_TINY);
  }
}

/* The documented order: over k from first to last, then beta c + alpha sum, whatever the place in the matrix. */
static void test_scalar_sums_in_the_documented_order(void) {
  po_mat A = la_mat(7, 9), B = la_mat(9, 6), C = la_mat(7, 6), D;
  int i, j, k;
  la_make(A, LA_RANDOM, 1);
  la_make(B, LA_RANDOM, 2);
  la_make(C, LA_RANDOM, 3);
  D = la_copy(C);
  po_set_simd(PO_SIMD_SCALAR);
  po_gemm(C, 0.3, 0.9, A, PO_N, B, PO_N);
  po_set_simd(PO_SIMD_AUTO);
  for (i = 0; i < 7; i++)
    for (j = 0; j < 6; j++) {
      double s = 0;
      for (k = 0; k < 9; k++) s += PO_AT(A, i, k) * PO_AT(B, k, j);
      TEST_ASSERT(PO_AT(C, i, j) == 0.3 * PO_AT(D, i, j) + 0.9 * s);
    }
}

static void test_nan_reaches_its_row_and_column_only(void) {
  po_simd path;
  int at, i, j, n = 14;
  for (path = PO_SIMD_SCALAR; path <= PO_SIMD_AVX2; path = (po_simd)(path + 1)) {
    if (po_set_simd(path) != PO_OK) continue;
    for (at = 0; at < n; at++) {
      po_mat A, B, C;
      la_reset();
      A = la_mat(n, n);
      B = la_mat(n, n);
      C = la_mat(n, n);
      la_make(A, LA_RANDOM, 1);
      la_make(B, LA_RANDOM, 2);
      PO_AT(A, at, 3) = PO_NAN;
      po_gemm(C, 0, 1, A, PO_N, B, PO_N);
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) TEST_ASSERT((PO_AT(C, i, j) != PO_AT(C, i, j)) == (i == at));
    }
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_gemm(void) { la_both(body_gemm); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_gemm);
  RUN_TEST(test_scalar_sums_in_the_documented_order);
  RUN_TEST(test_nan_reaches_its_row_and_column_only);
  return UNITY_END() != 0;
}
