/* Reflectors, one and four at a time, against H = I − tau u u' written out. */
#include "la/kernels.h"
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* u = (1; v) as a column of a matrix of its own; H as a full matrix. */
static po_mat full_reflector(const double *v, int stride, double tau, int n) {
  po_mat H = la_mat(n, n);
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double ui = i ? v[(i - 1) * stride] : 1, uj = j ? v[(j - 1) * stride] : 1;
      PO_AT(H, i, j) = (i == j) - tau * ui * uj;
    }
  return H;
}

/* H is orthogonal, H x = (beta; 0), |beta| = ‖x‖, and beta has the other sign than alpha. */
static void check_reflector(int n, int stride, double scale, double alpha_scale) {
  po_mat X = la_mat(n, stride), H, x = la_mat(n, 1), image;
  double alpha, tau, norm, *first = X.a;
  int i;
  la_make(X, LA_RANDOM, (uint64_t)(n + 100 * stride));
  X.a[0] *= alpha_scale;
  for (i = 0; i < n; i++) {
    first[i * X.ld] *= scale;
    PO_AT(x, i, 0) = first[i * X.ld];
  }
  norm = la_frobenius(x);
  alpha = first[0];
  tau = po_la_reflector(first, first + X.ld, n - 1, X.ld);
  H = full_reflector(first + X.ld, X.ld, tau, n);
  LA_ASSERT_ORTHONORMAL(H, la_bound(8, n, 1), "H", 0);
  image = la_product(H, PO_N, x, PO_N);
  TEST_ASSERT_DOUBLE_WITHIN(la_bound(8, n, norm) + 5e-324, first[0], PO_AT(image, 0, 0));
  for (i = 1; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(la_bound(8, n, norm) + 5e-324, 0, PO_AT(image, i, 0));
  TEST_ASSERT_DOUBLE_WITHIN(la_bound(8, n, norm) + 5e-324, norm, fabs(first[0]));
  if (tau != 0) TEST_ASSERT(first[0] * alpha <= 0);
}

static void body_reflector(void) {
  static const double scales[] = {1, 1e-300, 1e-160, 1e160, 1e300}, alphas[] = {1, 0, 1e-12, 1e5};
  int n, stride, k, a;
  for (n = 1; n <= 20; n++)
    for (stride = 1; stride <= 3; stride += 2)
      for (k = 0; k < 5; k++)
        for (a = 0; a < 4; a++) {
          la_reset();
          check_reflector(n, stride, scales[k], alphas[a]);
        }
}

static void test_nothing_to_do(void) {
  double alpha = 3, x[4] = {0, 0, 0, 0};
  TEST_ASSERT(po_la_reflector(&alpha, x, 4, 1) == 0 && alpha == 3);
  TEST_ASSERT(po_la_reflector(&alpha, x, 0, 1) == 0 && alpha == 3);
}

static void body_one(void) {
  int m, n, stride;
  for (m = 1; m <= 20; m += 3)
    for (n = 0; n <= 40; n++)
      for (stride = 1; stride <= 4; stride += 3) {
        po_mat A, B, V, H;
        double tau = 0.7;
        la_reset();
        V = la_mat(m, stride);
        la_make(V, LA_RANDOM, 1);
        A = la_mat(m, n);
        la_make(A, LA_RANDOM, 2);
        H = full_reflector(V.a, V.ld, tau, m);
        B = la_copy(A);
        po_la_reflect_left(B, V.a, V.ld, tau);
        LA_ASSERT_NEAR(la_product(H, PO_N, A, PO_N), B, la_bound(4, m, m), "left", 2);
        TEST_ASSERT(la_padding_intact(B));
        A = la_mat(n, m);
        la_make(A, LA_RANDOM, 3);
        B = la_copy(A);
        po_la_reflect_right(B, V.a, V.ld, tau);
        LA_ASSERT_NEAR(la_product(A, PO_N, H, PO_N), B, la_bound(4, m, m), "right", 3);
        TEST_ASSERT(la_padding_intact(B));
      }
}

#if PO_LA_AVX2
/* H_0 H_1 H_2 H_3 = I − V T V', from both sides, T and T', against the four in turn. */
static void check_block(int m, int n) {
  po_mat QR, A, X, Y;
  double *tau;
  po_la_block block;
  int transposed, k, j;
  la_reset();
  QR = la_mat(m, 4);
  la_make(QR, LA_RANDOM, (uint64_t)m);
  tau = la_vec(4);
  po_set_simd(PO_SIMD_SCALAR);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, &la_arena));
  po_set_simd(PO_SIMD_AVX2);
  po_la_block_make(&block, QR.a, QR.ld, m, tau);
  for (transposed = 0; transposed < 2; transposed++) {
    A = la_mat(m, n);
    la_make(A, LA_RANDOM, 5);
    X = la_copy(A);
    Y = la_copy(A);
    po_la_block_left(&block, X, transposed);
    po_set_simd(PO_SIMD_SCALAR);
    for (j = 0; j < 4; j++) { /* left: T is H_0 … H_3 A, so H_3 first; T' the reverse */
      k = transposed ? j : 3 - j;
      po_la_reflect_left(po_block(Y, k, 0, m - k, n), &PO_AT(QR, k, k) + QR.ld, QR.ld, tau[k]);
    }
    po_set_simd(PO_SIMD_AVX2);
    LA_ASSERT_NEAR(Y, X, la_bound(8, m, 2), "block from the left", 5);
    TEST_ASSERT(la_padding_intact(X));
    A = la_mat(n, m);
    la_make(A, LA_RANDOM, 6);
    X = la_copy(A);
    Y = la_copy(A);
    po_la_block_right(&block, X, transposed);
    po_set_simd(PO_SIMD_SCALAR);
    for (j = 0; j < 4; j++) {
      k = transposed ? 3 - j : j;
      po_la_reflect_right(po_block(Y, 0, k, n, m - k), &PO_AT(QR, k, k) + QR.ld, QR.ld, tau[k]);
    }
    po_set_simd(PO_SIMD_AVX2);
    LA_ASSERT_NEAR(Y, X, la_bound(8, m, 2), "block from the right", 6);
    TEST_ASSERT(la_padding_intact(X));
  }
}
#endif

static void test_blocks_of_four(void) {
#if PO_LA_AVX2
  int m, n;
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("no AVX2 here");
  for (m = 4; m <= 30; m++)
    for (n = 0; n <= 40; n += 1 + n / 14) check_block(m, n);
  check_block(530, 3); /* wider than the copy on the stack */
  po_set_simd(PO_SIMD_AUTO);
#else
  TEST_IGNORE_MESSAGE("no AVX2 here");
#endif
}

static void test_reflector(void) { la_both(body_reflector); }
static void test_one(void) { la_both(body_one); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reflector);
  RUN_TEST(test_nothing_to_do);
  RUN_TEST(test_one);
  RUN_TEST(test_blocks_of_four);
  return UNITY_END() != 0;
}
