/* The promise of determinism: the same bits from every compiler and optimization level, in scalar mode and in AVX2 mode.
 *
 * Each operation's results are hashed and compared with what was pinned. A change of an algorithm changes its hash, and is
 * then pinned anew (the failure message has the new value); a change of compiler or flags must not. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static uint64_t hash_mat(po_mat A, uint64_t h) {
  int i;
  for (i = 0; i < A.rows; i++) h = po_hash_doubles(po_row(A, i), (size_t)A.cols, h);
  return h;
}

static uint64_t bits_products(void) {
  int n = 23;
  uint64_t h = 1;
  po_mat A = la_mat(n, n), B = la_mat(n, n), C = la_mat(n, n);
  double *x = la_vec(n), *y = la_vec(n);
  po_rng rng;
  int t;
  la_make(A, LA_RANDOM, 1);
  la_make(B, LA_RANDOM, 2);
  la_make(C, LA_RANDOM, 3);
  po_rng_init(&rng, 4, 0);
  la_random_vec(x, n, &rng);
  for (t = 0; t < 4; t++) po_gemm(C, 0.5, 0.7, A, (po_trans)(t & 1), B, (po_trans)(t >> 1));
  po_syrk(C, PO_LOWER, 0.5, 0.3, A, PO_N);
  po_syrk(C, PO_UPPER, 0.5, 0.3, A, PO_T);
  po_gemv(y, A, x);
  po_gemv_t_add(y, 0.1, A, x);
  y[0] += po_dot(x, y, n) + po_norm2(y, n);
  return po_hash_doubles(y, (size_t)n, hash_mat(C, h));
}

static uint64_t bits_triangular(void) {
  int n = 23, t, i;
  uint64_t h = 2;
  po_mat T = la_mat(n, n), B = la_mat(n, n);
  la_make(T, LA_RANDOM, 1);
  la_make(B, LA_RANDOM, 2);
  for (i = 0; i < n; i++) PO_AT(T, i, i) = n;
  for (t = 0; t < 16; t++) po_trsm(B, T, (po_side)(t & 1), (po_uplo)(t >> 1 & 1), (po_trans)(t >> 2 & 1), PO_NON_UNIT);
  for (t = 0; t < 4; t++) po_trsv(po_row(B, t), T, (po_uplo)(t & 1), (po_trans)(t >> 1), PO_NON_UNIT);
  return hash_mat(B, h);
}

static uint64_t bits_symmetric(void) {
  int n = 23;
  uint64_t h = 3;
  po_mat A = la_mat(n, n), L = la_mat(n, n), V = la_mat(n, n);
  double *d = la_vec(n), *v = la_vec(n);
  po_rng rng;
  la_make_spd(A, LA_RANDOM, 1);
  po_mat_zero(L);
  po_rng_init(&rng, 5, 0);
  la_random_vec(v, n, &rng);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, A));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky_update(L, v));
  la_random_vec(v, n, &rng);
  po_scale(v, 0.1, n);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky_downdate(L, v));
  h = hash_mat(L, h);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt(L, d, A));
  la_random_vec(v, n, &rng);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ldlt_update(L, d, v, -0.01));
  h = po_hash_doubles(d, (size_t)n, hash_mat(L, h));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_eig_sym(d, V, A, &la_arena));
  return po_hash_doubles(d, (size_t)n, hash_mat(V, h));
}

static uint64_t bits_orthogonal(void) {
  int n = 23, rank, perm[23];
  uint64_t h = 4;
  po_mat A = la_mat(n, n), X, Q = la_mat(n, n), Rbig = la_mat(n, n + 1), R;
  double *tau = la_vec(n), *column = la_vec(n);
  po_rng rng;
  la_make(A, LA_DEFICIENT, 1);
  X = la_copy(A);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(X, tau, &la_arena));
  po_qr_form(Q, X, tau, n, &la_arena);
  po_qr_apply(A, X, tau, n, PO_RIGHT, PO_T, &la_arena);
  h = hash_mat(A, hash_mat(Q, hash_mat(X, h)));
  R = po_mat_of(Rbig.a, n, n, Rbig.ld);
  po_mat_copy(R, la_triangle(X, PO_UPPER, 0));
  po_rng_init(&rng, 6, 0);
  la_random_vec(column, n, &rng);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_delete_column(Q, R, 5));
  R.cols--;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_insert_column(Q, R, 3, column, &la_arena));
  R.cols++;
  h = hash_mat(R, hash_mat(Q, h));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qrp(A, tau, perm, &rank, -1, &la_arena));
  return hash_mat(A, h) + (uint64_t)rank;
}

static uint64_t bits_svd(void) {
  int method, dim;
  uint64_t h = 5;
  po_mat A = la_mat(13, 22), U = la_mat(13, 13), V = la_mat(22, 22), P = la_mat(22, 13);
  double *s = la_vec(13);
  la_make(A, LA_DEFICIENT, 1);
  for (method = 0; method < 2; method++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_svd(U, s, V, A, (po_svd_method)method, &la_arena));
    h = po_hash_doubles(s, 13, hash_mat(V, hash_mat(U, h)));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_null(V, &dim, A, -1, PO_BASIS_ORTHOGONAL, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, A, PO_PINV_DAMPED, 0.1, &la_arena));
  return hash_mat(P, hash_mat(V, h));
}

typedef struct pinned {
  const char *name;
  uint64_t (*run)(void);
  uint64_t scalar, avx2;
} pinned;

static const pinned pins[] = {
    {"products", bits_products, 0x97be4789333b073c, 0x924118fc212c03d1},
    {"triangular", bits_triangular, 0x1524038db2e23e4d, 0x97803e52550b9203},
    {"symmetric", bits_symmetric, 0xf3145186e14829b9, 0xfe28ec606f81f6bc},
    {"orthogonal", bits_orthogonal, 0x56317176a827eceb, 0xfd7e7465da948a1f},
    {"svd", bits_svd, 0x43b65ec5cb9ff026, 0x42da9298ca0a858b},
};

static void check_path(po_simd path) {
  char text[200];
  int i;
  if (po_set_simd(path) != PO_OK) TEST_IGNORE_MESSAGE("not on this machine");
  for (i = 0; i < 5; i++) {
    uint64_t expected = path == PO_SIMD_SCALAR ? pins[i].scalar : pins[i].avx2, actual;
    la_reset();
    actual = pins[i].run();
    snprintf(text, sizeof text, "%s, %s: expected 0x%016llx, actual 0x%016llx", pins[i].name, po_simd_string(path),
             (unsigned long long)expected, (unsigned long long)actual);
    TEST_ASSERT_TRUE_MESSAGE(actual == expected, text);
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_scalar_bits(void) { check_path(PO_SIMD_SCALAR); }
static void test_avx2_bits(void) { check_path(PO_SIMD_AVX2); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_scalar_bits);
  RUN_TEST(test_avx2_bits);
  return UNITY_END() != 0;
}
