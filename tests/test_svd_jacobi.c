/* One-sided Jacobi: orthogonal rows, and small values as accurate as large ones. */
#include "la/kernels.h"
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void body_rows_become_orthogonal(void) {
  int n, kind, i, j;
  for (n = 0; n <= 30; n += n < 10 ? 1 : 4)
    for (kind = 0; kind < LA_HUGE; kind++) {
      po_mat A, W, Jt, scaled, small;
      double *s;
      int rank;
      la_reset();
      A = la_mat(n, n);
      la_make(A, (la_kind)kind, (uint64_t)n);
      if (kind == LA_GRADED && n > 0) po_la_mat_scale(A, 1e-12); /* the largest element about 1, as po_svd hands it over */
      W = la_copy(A);
      Jt = la_mat(n, n);
      s = la_vec(n);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_la_svd_jacobi(W, s, Jt));
      for (rank = 0; rank < n && s[rank] > 0; rank++) {
        if (rank > 0) TEST_ASSERT(s[rank] <= s[rank - 1]);
      }
      TEST_ASSERT(la_padding_intact(W) && la_padding_intact(Jt));
      small = la_mat(n, rank); /* the right vectors as columns */
      po_mat_transpose(small, po_block(W, 0, 0, rank, n));
      LA_ASSERT_ORTHONORMAL(small, la_bound(12, n, 1), la_kind_name((la_kind)kind), (uint64_t)n);
      LA_ASSERT_ORTHONORMAL(Jt, la_bound(12, n, 1), la_kind_name((la_kind)kind), (uint64_t)n);
      scaled = la_copy(W);
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) PO_AT(scaled, i, j) *= s[i];
      LA_ASSERT_NEAR(A, la_product(Jt, PO_T, scaled, PO_N), la_bound(12, n, la_frobenius(A)), la_kind_name((la_kind)kind),
                     (uint64_t)n);
    }
}

/* Rows of a well-conditioned X scaled by D = diag(10^0 … 10^-40): the values of D X are determined to a relative accuracy of
 * cond(X) eps (Demmel & Veselić 1992). The reference is the same matrix scaled by powers of two only, run with rows reversed. */
static void body_small_values_are_accurate(void) {
  int n = 9, i, j;
  po_mat X = la_mat(n, n), W = la_mat(n, n), R = la_mat(n, n), none = {NULL, 0, 0, 0};
  double *s = la_vec(n), *t = la_vec(n);
  la_make(X, LA_RANDOM, 3);
  for (i = 0; i < n; i++) PO_AT(X, i, i) += 3;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      PO_AT(W, i, j) = ldexp(PO_AT(X, i, j), -16 * i);
      PO_AT(R, n - 1 - i, n - 1 - j) = PO_AT(W, i, j);
    }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_la_svd_jacobi(W, s, none));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_la_svd_jacobi(R, t, none));
  TEST_ASSERT(s[n - 1] < 1e-30 * s[0]);
  for (i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(la_bound(20, n, s[i]), s[i], t[i]);
}

static void test_rows_become_orthogonal(void) { la_both(body_rows_become_orthogonal); }
static void test_small_values_are_accurate(void) { la_both(body_small_values_are_accurate); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rows_become_orthogonal);
  RUN_TEST(test_small_values_are_accurate);
  return UNITY_END() != 0;
}
