/* One triangle of op(A) op(A)' against long double; the other triangle stays as it was. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void check_syrk(int n, int k, int uplo, int ta, double alpha, double beta) {
  uint64_t seed = (uint64_t)(n + 50 * k);
  po_mat A, C, before, expected;
  int i, j;
  la_reset();
  A = ta ? la_mat(k, n) : la_mat(n, k);
  C = la_mat(n, n);
  la_make(A, LA_RANDOM, seed);
  la_make(C, LA_RANDOM, seed + 1);
  before = la_copy(C);
  if (beta == 0)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (uplo == PO_LOWER ? j <= i : j >= i) PO_AT(C, i, j) = PO_NAN;
  po_syrk(C, (po_uplo)uplo, beta, alpha, A, (po_trans)ta);
  expected = la_product(A, (po_trans)ta, A, ta ? PO_N : PO_T);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double *e = &PO_AT(expected, i, j);
      if (uplo == PO_LOWER ? j <= i : j >= i) *e = alpha * *e + beta * PO_AT(before, i, j);
      else {
        *e = PO_AT(before, i, j);
        TEST_ASSERT_MESSAGE(PO_AT(C, i, j) == *e, "the other triangle was touched");
      }
    }
  LA_ASSERT_NEAR(expected, C, la_bound(2, k + 2, fabs(alpha) * la_frobenius(A) * la_frobenius(A) + fabs(beta)), "syrk", seed);
  TEST_ASSERT(la_padding_intact(C));
}

static void body_syrk(void) {
  static const double coefficients[4][2] = {{1, 0}, {-1, 1}, {0.7, -0.3}, {1, 1}};
  int n, k, t, count = 0;
  for (n = 0; n <= 40; n++)
    for (k = 0; k <= 40; k += 1 + k / 3)
      for (t = 0; t < 4; t++, count++) check_syrk(n, k, t & 1, t >> 1, coefficients[count % 4][0], coefficients[count % 4][1]);
  for (t = 0; t < 4; t++) {
    check_syrk(131, 77, t & 1, t >> 1, 1, 0);
    check_syrk(96, 200, t & 1, t >> 1, -1, 1);
    check_syrk(200, 9, t & 1, t >> 1, -1, 1);
    check_syrk(19, 700, t & 1, t >> 1, 1, 0);
  }
}

static void test_syrk(void) { la_both(body_syrk); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_syrk);
  return UNITY_END() != 0;
}
