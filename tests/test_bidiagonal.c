/* G = U B V': the reflectors that po_la_bidiagonalize leaves rebuild G. */
#include "la/kernels.h"
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void check_bidiagonal(int n, la_kind kind, uint64_t seed) {
  po_mat A, G, B, U, V, T;
  double *d = la_vec(n), *e = la_vec(n), *tauq = la_vec(n), *taup = la_vec(n), *work = la_vec(3 * (n + 3));
  int i;
  A = la_mat(n, n);
  la_make(A, kind, seed);
  G = po_arena_mat(&la_arena, n, n);
  po_mat_copy(G, A);
  po_la_bidiagonalize(G, d, e, tauq, taup, work);
  B = la_mat(n, n);
  po_mat_zero(B);
  for (i = 0; i < n; i++) {
    PO_AT(B, i, i) = d[i];
    if (i + 1 < n) PO_AT(B, i, i + 1) = e[i];
  }
  U = la_mat(n, n);
  po_qr_form(U, G, tauq, n, &la_arena);
  V = la_mat(n, n);
  po_mat_identity(V);
  T = la_mat(n, n);
  po_mat_transpose(T, G);
  if (n > 1) po_qr_form(po_block(V, 1, 1, n - 1, n - 1), po_block(T, 1, 0, n - 1, n - 1), taup, n - 1, &la_arena);
  LA_ASSERT_ORTHONORMAL(U, la_bound(8, n, 1), la_kind_name(kind), seed);
  LA_ASSERT_ORTHONORMAL(V, la_bound(8, n, 1), la_kind_name(kind), seed);
  LA_ASSERT_NEAR(A, la_product(la_product(U, PO_N, B, PO_N), PO_N, V, PO_T), la_bound(12, n, la_frobenius(A)), la_kind_name(kind),
                 seed);
  for (i = 0; i < n; i++) { /* the padding stays zero */
    int j;
    for (j = n; j < po_pad4(n); j++) TEST_ASSERT(PO_AT(G, i, j) == 0);
  }
}

static void body_all_sizes(void) {
  int n;
  for (n = 0; n <= 40; n++) {
    la_reset();
    check_bidiagonal(n, (la_kind)(n % LA_HUGE), (uint64_t)n);
    check_bidiagonal(n, LA_RANDOM, (uint64_t)n + 100);
  }
  check_bidiagonal(90, LA_RANDOM, 1);
}

static void test_all_sizes(void) { la_both(body_all_sizes); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  return UNITY_END() != 0;
}
