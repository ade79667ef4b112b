/* Bidiagonalization and implicit QR on square matrices, and on bidiagonal ones that are hard for the iteration. */
#include "la/kernels.h"
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void check_square(po_mat A, const char *what, uint64_t seed) {
  int n = A.rows, i, j;
  po_mat G = po_arena_mat(&la_arena, n, n), Ut = la_mat(n, n), Vt = la_mat(n, n), scaled, none = {NULL, 0, 0, 0};
  double *s = la_vec(n), *alone = la_vec(n);
  po_mat_copy(G, A);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_la_svd_qr(G, s, Ut, Vt, &la_arena), what);
  for (i = 0; i < n; i++) TEST_ASSERT(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
  LA_ASSERT_ORTHONORMAL(Ut, la_bound(12, n, 1), what, seed);
  LA_ASSERT_ORTHONORMAL(Vt, la_bound(12, n, 1), what, seed);
  scaled = la_copy(Vt);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) PO_AT(scaled, i, j) *= s[i];
  LA_ASSERT_NEAR(A, la_product(Ut, PO_T, scaled, PO_N), la_bound(12, n, la_frobenius(A)), what, seed);
  po_mat_copy(G, A);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_la_svd_qr(G, alone, none, none, &la_arena), what);
  LA_ASSERT_NEAR(po_mat_of(s, 1, n, n), po_mat_of(alone, 1, n, n), 0, "values alone", seed);
}

static void body_dense(void) {
  int n, kind;
  for (n = 1; n <= 40; n += n < 12 ? 1 : 5)
    for (kind = 0; kind < LA_HUGE; kind++) {
      po_mat A;
      la_reset();
      A = la_mat(n, n);
      la_make(A, (la_kind)kind, (uint64_t)n);
      if (kind == LA_GRADED) po_la_mat_scale(A, 1e-12);
      check_square(A, la_kind_name((la_kind)kind), (uint64_t)n);
    }
}

/* Diagonals with zeros at the ends and inside, equal values, huge ratios up and down, superdiagonals that dominate. */
static void body_bidiagonal(void) {
  int n, shape, i;
  for (n = 2; n <= 33; n += n < 9 ? 1 : 8)
    for (shape = 0; shape < 10; shape++) {
      po_mat A;
      po_rng rng;
      la_reset();
      po_rng_init(&rng, (uint64_t)n, (uint64_t)shape);
      A = la_mat(n, n);
      po_mat_zero(A);
      for (i = 0; i < n; i++) {
        double d = po_rng_range(&rng, -1, 1), e = po_rng_range(&rng, -1, 1), x = (double)i / n;
        switch (shape) {
          case 0: break;
          case 1:
            if (i == 0) d = 0;
            break;
          case 2:
            if (i == n - 1) d = 0;
            break;
          case 3:
            if (i == n / 2) d = 0;
            break;
          case 4: d = 1, e = 1; break;
          case 5: d *= po_exp(-60 * x), e *= po_exp(-60 * x); break;
          case 6: d *= po_exp(-60 * (1 - x)), e *= po_exp(-60 * (1 - x)); break;
          case 7: d *= 1e-9; break;
          case 8: e *= 1e-15; break;
          default: d = 0; break;
        }
        PO_AT(A, i, i) = d;
        if (i + 1 < n) PO_AT(A, i, i + 1) = e;
      }
      check_square(A, "bidiagonal", (uint64_t)(100 * n + shape));
    }
}

static void test_dense(void) { la_both(body_dense); }
static void test_bidiagonal(void) { la_both(body_bidiagonal); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_dense);
  RUN_TEST(test_bidiagonal);
  return UNITY_END() != 0;
}
