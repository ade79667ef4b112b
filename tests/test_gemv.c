/* Matrix times vector against long double, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void check_gemv(int m, int n, la_kind kind) {
  uint64_t seed = (uint64_t)(1000 * m + n);
  po_mat A, x, y, z, expected;
  int trans;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, seed);
  for (trans = 0; trans < 2; trans++) {
    int in = trans ? m : n, out = trans ? n : m, i;
    double bound;
    x = la_mat(1, in);
    y = la_mat(1, out);
    z = la_mat(1, out);
    la_make(x, LA_RANDOM, seed + 1);
    la_make(z, LA_RANDOM, seed + 2);
    expected = la_product(x, PO_N, A, trans ? PO_N : PO_T);
    bound = la_bound(1, in, la_frobenius(A) * la_frobenius(x)); /* n eps |A||x| by Cauchy-Schwarz */
    if (trans) po_gemv_t(y.a, A, x.a);
    else po_gemv(y.a, A, x.a);
    LA_ASSERT_NEAR(expected, y, bound, la_kind_name(kind), seed);
    TEST_ASSERT(la_padding_intact(y));
    po_mat_copy(y, z);
    if (trans) po_gemv_t_add(y.a, -0.5, A, x.a);
    else po_gemv_add(y.a, -0.5, A, x.a);
    for (i = 0; i < out; i++) PO_AT(expected, 0, i) = PO_AT(z, 0, i) - 0.5 * PO_AT(expected, 0, i);
    LA_ASSERT_NEAR(expected, y, bound + la_bound(2, 1, 1), la_kind_name(kind), seed);
    TEST_ASSERT(la_padding_intact(y));
  }
}

static void body_gemv(void) {
  int m, n;
  for (m = 0; m <= 40; m++)
    for (n = 0; n <= 40; n++) check_gemv(m, n, (la_kind)((m + n) % LA_KIND_COUNT));
  check_gemv(200, 131, LA_RANDOM);
  check_gemv(77, 200, LA_GRADED);
}

static void test_gemv(void) { la_both(body_gemv); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_gemv);
  return UNITY_END() != 0;
}
