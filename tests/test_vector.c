/* dot, axpy, scaling and norms against long double, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static long double exact_dot(const double *x, const double *y, int n, double *size) {
  long double s = 0;
  int i;
  *size = 0;
  for (i = 0; i < n; i++) {
    s += (long double)x[i] * (long double)y[i];
    *size += fabs(x[i] * y[i]);
  }
  return s;
}

static void body_dot_axpy_scale(void) { /* error bound of a sum: n eps sum |x_i y_i| */
  int n, i, offset;
  for (n = 0; n <= 200; n += n < 70 ? 1 : 13)
    for (offset = 0; offset < 3; offset++) {
      po_mat X = la_mat(1, n), Y = la_mat(1, n + offset), Z;
      double *x = X.a, *y = Y.a + offset, size, s;
      la_make(X, LA_RANDOM, (uint64_t)n);
      la_make(Y, LA_RANDOM, (uint64_t)n + 1000);
      s = (double)exact_dot(x, y, n, &size);
      TEST_ASSERT_DOUBLE_WITHIN(la_bound(1, n, size), s, po_dot(x, y, n));
      Z = la_copy(Y);
      po_axpy(y, -1.7, x, n);
      for (i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(2 * PO_EPS * 3, Z.a[offset + i] - 1.7 * x[i], y[i]);
      for (i = 0; i < offset; i++) TEST_ASSERT(Y.a[i] == Z.a[i]);
      TEST_ASSERT(la_padding_intact(Y));
      po_mat_copy(Y, Z);
      po_scale(y, 3, n);
      for (i = 0; i < n; i++) TEST_ASSERT(y[i] == 3 * Z.a[offset + i]);
      TEST_ASSERT(la_padding_intact(Y));
      la_reset();
    }
}

static void body_norms_over_the_whole_range(void) {
  static const double scales[] = {1, 1e-310, 1e-300, 1e-160, 1e-140, 1e140, 1e160, 1e300};
  int n, k;
  for (k = 0; k < 8; k++)
    for (n = 1; n <= 40; n++) {
      po_mat X = la_mat(1, n), Y = la_mat(2, n);
      double expected;
      la_make(X, LA_RANDOM, (uint64_t)n);
      expected = la_frobenius(X) * scales[k];
      po_scale(X.a, scales[k], n);
      /* denormals carry an absolute error of 5e-324 each */
      TEST_ASSERT_DOUBLE_WITHIN(la_bound(2, n, expected) + 1e-322, expected, po_norm2(X.a, n));
      po_mat_copy(po_block(Y, 0, 0, 1, n), X);
      po_mat_copy(po_block(Y, 1, 0, 1, n), X);
      TEST_ASSERT_DOUBLE_WITHIN(la_bound(2, n, 2 * expected) + 1e-322, sqrt(2.0) * expected, po_norm_fro(Y));
      la_reset();
    }
}

static void body_norm_mixes_scales(void) {
  double x[6] = {3e-200, 4e-200, 0, 0, 0, 0}, y[3] = {1e300, 1e-300, -1e300}, z[2] = {1, 1e-200};
  TEST_ASSERT_DOUBLE_WITHIN(1e-215, 5e-200, po_norm2(x, 6));
  TEST_ASSERT_DOUBLE_WITHIN(1e285, sqrt(2.0) * 1e300, po_norm2(y, 3));
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, po_norm2(z, 2));
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, po_norm2(x + 2, 4));
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, po_norm2(x, 0));
}

static void body_nan_and_infinity_pass_through(void) {
  int n, at;
  for (n = 1; n <= 20; n++)
    for (at = 0; at < n; at++) {
      double x[20] = {0}, one[20];
      int i;
      for (i = 0; i < 20; i++) one[i] = 1;
      x[at] = PO_NAN;
      TEST_ASSERT(po_norm2(x, n) != po_norm2(x, n));
      TEST_ASSERT(po_norm_inf(x, n) != po_norm_inf(x, n));
      TEST_ASSERT(po_norm_max(po_mat_of(x, 1, n, n)) != po_norm_max(po_mat_of(x, 1, n, n)));
      TEST_ASSERT(po_dot(x, one, n) != po_dot(x, one, n));
      x[at] = -PO_INF;
      TEST_ASSERT(po_norm2(x, n) == PO_INF && po_norm_inf(x, n) == PO_INF && po_dot(x, one, n) == -PO_INF);
    }
}

static void body_largest(void) {
  po_mat A = la_mat(7, 9);
  la_make(A, LA_RANDOM, 5);
  PO_AT(A, 4, 8) = -3;
  TEST_ASSERT(po_norm_max(A) == 3);
  TEST_ASSERT(po_norm_inf(po_row(A, 4), 9) == 3);
}

/* The documented order of the scalar dot: four lanes, (s0+s2)+(s1+s3), then the rest. */
static void test_scalar_dot_sums_in_the_documented_order(void) {
  po_mat X = la_mat(1, 11), Y = la_mat(1, 11);
  const double *x = X.a, *y = Y.a;
  double s[4] = {0, 0, 0, 0}, total;
  int i;
  la_make(X, LA_RANDOM, 6);
  la_make(Y, LA_RANDOM, 7);
  for (i = 0; i < 8; i++) s[i % 4] += x[i] * y[i];
  total = (s[0] + s[2]) + (s[1] + s[3]);
  for (i = 8; i < 11; i++) total += x[i] * y[i];
  po_set_simd(PO_SIMD_SCALAR);
  TEST_ASSERT(po_dot(x, y, 11) == total);
  po_set_simd(PO_SIMD_AUTO);
}

static void test_dot_axpy_scale(void) { la_both(body_dot_axpy_scale); }
static void test_norms_over_the_whole_range(void) { la_both(body_norms_over_the_whole_range); }
static void test_norm_mixes_scales(void) { la_both(body_norm_mixes_scales); }
static void test_nan_and_infinity_pass_through(void) { la_both(body_nan_and_infinity_pass_through); }
static void test_largest(void) { la_both(body_largest); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_dot_axpy_scale);
  RUN_TEST(test_norms_over_the_whole_range);
  RUN_TEST(test_norm_mixes_scales);
  RUN_TEST(test_nan_and_infinity_pass_through);
  RUN_TEST(test_largest);
  RUN_TEST(test_scalar_dot_sums_in_the_documented_order);
  return UNITY_END() != 0;
}
