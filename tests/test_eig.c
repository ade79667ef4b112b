/* Symmetric eigenvalues: A V = V diag(w), V orthogonal, w ascending. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void symmetric(po_mat A, la_kind kind, uint64_t seed) {
  int i, j;
  la_make(A, kind, seed);
  if (kind == LA_GRADED)
    for (i = 0; i < A.rows; i++)
      for (j = 0; j <= i; j++) PO_AT(A, i, j) *= po_exp(0.5 * (i - j)); /* mild, and not of one sign */
  po_mat_symmetrize(A, PO_LOWER);
}

static void check_eig(int n, la_kind kind, uint64_t seed) {
  po_mat A, V, AV, VW, half, none = {NULL, 0, 0, 0};
  double *w, *alone, size;
  int i, j;
  la_reset();
  A = la_mat(n, n);
  symmetric(A, kind, seed);
  size = la_frobenius(A);
  half = la_copy(A);
  for (i = 0; i < n; i++)
    for (j = i + 1; j < n; j++) PO_AT(half, i, j) = PO_NAN; /* must not be read */
  V = la_mat(n, n);
  w = la_vec(n);
  alone = la_vec(n);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(w, V, half, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(alone, none, half, &la_arena));
  TEST_ASSERT(la_padding_intact(V));
  for (i = 0; i < n; i++) TEST_ASSERT(w[i] == alone[i] && (i == 0 || w[i] >= w[i - 1]));
  LA_ASSERT_ORTHONORMAL(V, la_bound(12, n, 1), la_kind_name(kind), seed);
  AV = la_product(A, PO_N, V, PO_N);
  VW = la_copy(V);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) PO_AT(VW, i, j) *= w[j];
  LA_ASSERT_NEAR(AV, VW, la_bound(12, n, size), la_kind_name(kind), seed);
}

static void body_all_sizes(void) {
  int n, kind;
  for (n = 0; n <= 40; n += la_full() || n < 16 ? 1 : 3)
    for (kind = 0; kind < LA_KIND_COUNT; kind++) check_eig(n, (la_kind)kind, (uint64_t)n);
  check_eig(90, LA_RANDOM, 1);
}

static void body_known_values(void) { /* second difference: 2 − 2 cos(k pi / (n+1)) */
  int n = 12, i;
  po_mat A = la_mat(n, n), none = {NULL, 0, 0, 0};
  double *w = la_vec(n);
  po_mat_zero(A);
  for (i = 0; i < n; i++) {
    PO_AT(A, i, i) = 2;
    if (i) PO_AT(A, i, i - 1) = -1;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(w, none, A, &la_arena));
  for (i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(la_bound(4, n, 4), 2 - 2 * po_cos((i + 1) * PO_PI / (n + 1)), w[i]);
}

static void body_three(void) {
  int seed;
  for (seed = 0; seed < 400; seed++) {
    po_mat A = la_mat(3, 3), V, VW;
    po_mat3 a, v;
    double w[3];
    int i;
    la_reset();
    A = la_mat(3, 3);
    symmetric(A, (la_kind)(seed % LA_KIND_COUNT), (uint64_t)seed);
    for (i = 0; i < 9; i++) a.m[i] = PO_AT(A, i / 3, i % 3);
    a.m[1] = a.m[2] = a.m[5] = PO_NAN; /* the lower triangle is read */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym3(w, &v, a));
    TEST_ASSERT(w[0] <= w[1] && w[1] <= w[2]);
    V = po_mat_of(v.m, 3, 3, 3);
    LA_ASSERT_ORTHONORMAL(V, la_bound(8, 3, 1), "V", (uint64_t)seed);
    VW = la_copy(V);
    for (i = 0; i < 9; i++) PO_AT(VW, i / 3, i % 3) *= w[i % 3];
    LA_ASSERT_NEAR(la_product(A, PO_N, V, PO_N), VW, la_bound(8, 3, la_frobenius(A)), "A V = V W", (uint64_t)seed);
  }
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(3, 3), V = la_mat(3, 3);
  double w[3] = {7, 7, 7}, small[2];
  po_mat3 a = po_m3_identity(), v = po_m3_identity();
  po_arena tiny;
  int i;
  la_make(A, LA_RANDOM, 1);
  PO_AT(A, 2, 1) = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_eig_sym(w, V, A, &la_arena));
  PO_AT(A, 2, 1) = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_eig_sym(NULL, V, A, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_eig_sym(w, V, A, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_eig_sym(w, V, po_block(A, 0, 0, 2, 3), &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_eig_sym(w, po_block(V, 0, 0, 2, 2), A, &la_arena));
  po_arena_init(&tiny, small, sizeof small);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_eig_sym(w, V, A, &tiny));
  a.m[6] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_eig_sym3(w, &v, a));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_eig_sym3(NULL, &v, po_m3_identity()));
  for (i = 0; i < 3; i++) TEST_ASSERT(w[i] == 7);
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_known_values(void) { la_both(body_known_values); }
static void test_three(void) { la_both(body_three); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_known_values);
  RUN_TEST(test_three);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
