/* Pivoted QR: A P = Q R, diagonal in order, rank as the tolerance says, on both SIMD paths. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static int exact_rank(int m, int n, la_kind kind) {
  int k = m < n ? m : n;
  switch (kind) {
    case LA_ZERO: return 0;
    case LA_DEFICIENT: return k == 0 ? 0 : la_deficient_rank(m, n);
    case LA_DUPLICATED: return (m + 1) / 2 < n ? (m + 1) / 2 : n;
    case LA_HILBERT: return -1; /* whatever falls below the tolerance */
    case LA_GRADED: return -1;
    default: return k;
  }
}

/* What is left out when the rank stops is below tol |r_00| per column. */
static void check_qrp(int m, int n, la_kind kind, double tol, uint64_t seed) {
  int k = m < n ? m : n, big = m > n ? m : n, i, j, rank = -1, *perm, *seen;
  po_mat A, QR, R, Q, product;
  double *tau, size;
  la_reset();
  A = la_mat(m, n);
  la_make(A, kind, seed);
  size = la_frobenius(A);
  QR = la_copy(A);
  tau = la_vec(k);
  perm = PO_ARENA_ARRAY(&la_arena, int, n + 1);
  seen = PO_ARENA_ZARRAY(&la_arena, int, n + 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qrp(QR, tau, perm, &rank, tol, &la_arena));
  TEST_ASSERT(la_padding_intact(QR));
  if (exact_rank(m, n, kind) >= 0 && tol < 0) TEST_ASSERT_EQUAL_INT_MESSAGE(exact_rank(m, n, kind), rank, la_kind_name(kind));
  TEST_ASSERT(rank >= 0 && rank <= k);
  for (j = 0; j < n; j++) TEST_ASSERT_MESSAGE(perm[j] >= 0 && perm[j] < n && !seen[perm[j]]++, "perm is not a permutation");
  R = la_mat(m, n);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) PO_AT(R, i, j) = j >= i || (i >= rank && j >= rank) ? PO_AT(QR, i, j) : 0;
  /* norms are downdated, good to sqrt(eps): the diagonal may rise by that much */
  for (i = 1; i < rank; i++) TEST_ASSERT(fabs(PO_AT(R, i, i)) <= fabs(PO_AT(R, i - 1, i - 1)) * (1 + 1e-7));
  for (i = 0; i < rank; i++) TEST_ASSERT(fabs(PO_AT(R, i, i)) > (tol < 0 ? PO_RANK_TOL : tol) * fabs(PO_AT(R, 0, 0)));
  for (j = rank; j < n && rank > 0 && rank < k; j++) {
    double left = la_frobenius(po_block(R, rank, j, m - rank, 1));
    TEST_ASSERT(left <= (tol < 0 ? PO_RANK_TOL : tol) * fabs(PO_AT(R, 0, 0)) * (1 + 1e-12));
  }
  Q = la_mat(m, m);
  po_qr_form(Q, QR, tau, rank, &la_arena);
  LA_ASSERT_ORTHONORMAL(Q, la_bound(6, big, 1), la_kind_name(kind), seed);
  product = la_product(Q, PO_N, R, PO_N);
  for (j = 0; j < n; j++)
    LA_ASSERT_NEAR(po_block(A, 0, perm[j], m, 1), po_block(product, 0, j, m, 1), la_bound(6, big, size), la_kind_name(kind), seed);
}

static void body_all_sizes(void) {
  int m, n, kind;
  for (m = 0; m <= 40; m++)
    for (n = 0; n <= 40; n += la_full() || m < 14 ? 1 : 3)
      check_qrp(m, n, (la_kind)((m + 3 * n) % LA_KIND_COUNT), -1, (uint64_t)(100 * m + n));
  for (kind = 0; kind < LA_KIND_COUNT; kind++) {
    check_qrp(1, 1, (la_kind)kind, -1, 7);
    check_qrp(24, 17, (la_kind)kind, -1, 8);
    check_qrp(17, 24, (la_kind)kind, -1, 9);
    check_qrp(96, 48, (la_kind)kind, -1, 11);
    check_qrp(40, 40, (la_kind)kind, 0, 12);
    check_qrp(40, 40, (la_kind)kind, 1e-3, 13);
    check_qrp(33, 65, (la_kind)kind, 0.3, 14);
  }
  check_qrp(200, 150, LA_DEFICIENT, -1, 15);
  check_qrp(100, 200, LA_GRADED, -1, 16);
}

/* Kahan's matrix keeps all column norms equal: the case that breaks careless norm downdating. */
static void body_kahan(void) {
  int n = 60, i, j, rank, *perm = PO_ARENA_ARRAY(&la_arena, int, n);
  po_mat A = la_mat(n, n), QR, Q, R;
  double c = 0.95, s = sqrt(1 - c * c), power = 1, *tau = la_vec(n);
  for (i = 0; i < n; i++, power *= s)
    for (j = 0; j < n; j++) PO_AT(A, i, j) = j < i ? 0 : j == i ? power : -c * power;
  QR = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qrp(QR, tau, perm, &rank, 0, &la_arena));
  R = la_triangle(QR, PO_UPPER, 0);
  for (i = 1; i < rank; i++) TEST_ASSERT(fabs(PO_AT(R, i, i)) <= fabs(PO_AT(R, i - 1, i - 1)) * (1 + 1e-6));
  Q = la_mat(n, n);
  po_qr_form(Q, QR, tau, rank, &la_arena);
  R = la_product(Q, PO_N, R, PO_N);
  for (j = 0; j < n; j++)
    LA_ASSERT_NEAR(po_block(A, 0, perm[j], n, 1), po_block(R, 0, j, n, 1), la_bound(6, n, la_frobenius(A)), "Kahan", 0);
}

static void test_bad_input_leaves_all_untouched(void) {
  po_mat A = la_mat(6, 5), kept;
  double tau[5] = {7, 7, 7, 7, 7}, small[2];
  int perm[5] = {7, 7, 7, 7, 7}, rank = 7, i;
  po_arena none;
  la_make(A, LA_RANDOM, 61);
  PO_AT(A, 4, 3) = PO_INF;
  kept = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qrp(A, tau, perm, &rank, -1, &la_arena));
  PO_AT(A, 4, 3) = PO_AT(kept, 4, 3) = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qrp(A, NULL, perm, &rank, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qrp(A, tau, NULL, &rank, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qrp(A, tau, perm, NULL, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qrp(A, tau, perm, &rank, -1, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qrp(po_mat_of(NULL, 6, 5, 5), tau, perm, &rank, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qrp(po_mat_of(A.a, 6, -5, 5), tau, perm, &rank, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qrp(po_mat_of(A.a, 6, 5, 4), tau, perm, &rank, -1, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_qrp(A, tau, perm, &rank, PO_NAN, &la_arena));
  po_arena_init(&none, small, sizeof small);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qrp(A, tau, perm, &rank, -1, &none));
  LA_ASSERT_SAME_BITS(kept, A, "A was changed");
  for (i = 0; i < 5; i++) TEST_ASSERT(tau[i] == 7 && perm[i] == 7);
  TEST_ASSERT_EQUAL_INT(7, rank);
}

static void test_all_sizes(void) { la_both(body_all_sizes); }
static void test_kahan(void) { la_both(body_kahan); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_sizes);
  RUN_TEST(test_kahan);
  RUN_TEST(test_bad_input_leaves_all_untouched);
  return UNITY_END() != 0;
}
