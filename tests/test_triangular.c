/* Triangular solves: op(T) X = B holds, the other triangle is never read, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* A triangle with diagonal 2 … 3 and small off-diagonals (well conditioned); NaN where it must not be read. */
static po_mat triangle(int n, int uplo, int diag, uint64_t seed) {
  po_mat T = la_mat(n, n);
  int i, j;
  la_make(T, LA_RANDOM, seed);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double *t = &PO_AT(T, i, j);
      if (i == j) *t = diag == PO_UNIT ? PO_NAN : 2.5 + 0.5 * *t;
      else if ((uplo == PO_LOWER) == (j < i)) *t *= 2.0 / (n + 1);
      else *t = PO_NAN;
    }
  return T;
}

static void check_trsm(int n, int p, int side, int uplo, int trans, int diag) {
  uint64_t seed = (uint64_t)(n + 100 * p);
  po_mat T, clean, B, X, back;
  la_reset();
  T = triangle(n, uplo, diag, seed);
  clean = la_triangle(T, (po_uplo)uplo, diag == PO_UNIT);
  B = side == PO_LEFT ? la_mat(n, p) : la_mat(p, n);
  la_make(B, LA_RANDOM, seed + 1);
  X = la_copy(B);
  po_trsm(X, T, (po_side)side, (po_uplo)uplo, (po_trans)trans, (po_diag)diag);
  back = side == PO_LEFT ? la_product(clean, (po_trans)trans, X, PO_N) : la_product(X, PO_N, clean, (po_trans)trans);
  /* backward error of a substitution: n eps |T||X| */
  LA_ASSERT_NEAR(B, back, la_bound(2, n, la_frobenius(clean) * la_frobenius(X)), "trsm", seed);
  TEST_ASSERT(la_padding_intact(X));
}

static void check_trsv(int n, int uplo, int trans, int diag) {
  uint64_t seed = (uint64_t)(n + 7);
  po_mat T, clean, b, x;
  la_reset();
  T = triangle(n, uplo, diag, seed);
  clean = la_triangle(T, (po_uplo)uplo, diag == PO_UNIT);
  b = la_mat(1, n);
  la_make(b, LA_RANDOM, seed);
  x = la_copy(b);
  po_trsv(x.a, T, (po_uplo)uplo, (po_trans)trans, (po_diag)diag);
  LA_ASSERT_NEAR(b, la_product(x, PO_N, clean, trans ? PO_N : PO_T), la_bound(2, n, la_frobenius(clean) * la_frobenius(x)), "trsv",
                 seed);
  TEST_ASSERT(la_padding_intact(x));
}

static void body_trsv(void) {
  int n, t;
  for (n = 0; n <= 200; n += n < 45 ? 1 : 31)
    for (t = 0; t < 8; t++) check_trsv(n, t & 1, (t >> 1) & 1, t >> 2);
}

static void body_trsm(void) {
  int n, p, t;
  for (n = 0; n <= 40; n += la_full() || n < 14 ? 1 : 3)
    for (p = 0; p <= 40; p += la_full() || p < 14 ? 1 : 5)
      for (t = 0; t < 16; t++) check_trsm(n, p, t & 1, (t >> 1) & 1, (t >> 2) & 1, t >> 3);
  for (t = 0; t < 16; t++) {
    check_trsm(96, 70, t & 1, (t >> 1) & 1, (t >> 2) & 1, t >> 3);
    check_trsm(300, 3, t & 1, (t >> 1) & 1, (t >> 2) & 1, t >> 3); /* wider than a strip on the stack */
    check_trsm(150, 5, t & 1, (t >> 1) & 1, (t >> 2) & 1, t >> 3);
  }
}

static void body_zero_on_the_diagonal_gives_infinities(void) {
  double t[4] = {0, 0, 1, 1}, x[2] = {1, 0};
  po_trsv(x, po_mat_of(t, 2, 2, 2), PO_LOWER, PO_N, PO_NON_UNIT);
  TEST_ASSERT(x[0] == PO_INF);
}

static void test_trsv(void) { la_both(body_trsv); }
static void test_trsm(void) { la_both(body_trsm); }
static void test_zero_on_the_diagonal_gives_infinities(void) { la_both(body_zero_on_the_diagonal_gives_infinities); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_trsv);
  RUN_TEST(test_trsm);
  RUN_TEST(test_zero_on_the_diagonal_gives_infinities);
  return UNITY_END() != 0;
}
