/* Rows and columns that come and go: Q stays orthogonal, R triangular, and Q R is the changed matrix. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

/* A full factorization kept in views with room to grow. */
static void start(po_mat A, po_mat *Q, po_mat *R, int room) {
  int m = A.rows, n = A.cols, k = m < n ? m : n;
  po_mat QR = la_copy(A), bigq = la_mat(m + room, m + room), bigr = la_mat(m + room, n + room);
  double *tau = la_vec(k);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qr(QR, tau, &la_arena));
  *Q = po_mat_of(bigq.a, m, m, bigq.ld);
  *R = po_mat_of(bigr.a, m, n, bigr.ld);
  po_qr_form(*Q, QR, tau, k, &la_arena);
  po_mat_copy(*R, la_triangle(QR, PO_UPPER, 0));
}

/* Errors of c·n·eps per change: 10 with the first factorization's included. */
static void check(po_mat A, po_mat Q, po_mat R, int changes, uint64_t seed) {
  int n = Q.rows > R.cols ? Q.rows : R.cols, i, j;
  for (i = 0; i < R.rows; i++)
    for (j = 0; j < i && j < R.cols; j++) TEST_ASSERT_MESSAGE(PO_AT(R, i, j) == 0, "R is not triangular");
  LA_ASSERT_ORTHONORMAL(Q, la_bound(10 * (1 + changes), n, 1), "Q", seed);
  LA_ASSERT_NEAR(A, la_product(Q, PO_N, R, PO_N), la_bound(10 * (1 + changes), n, la_frobenius(A)), "A = QR", seed);
}

/* A without row `at` (rows = 1) or column `at`. */
static po_mat without(po_mat A, int at, int rows) {
  po_mat B = rows ? la_mat(A.rows - 1, A.cols) : la_mat(A.rows, A.cols - 1);
  int i, j;
  for (i = 0; i < B.rows; i++)
    for (j = 0; j < B.cols; j++) PO_AT(B, i, j) = rows ? PO_AT(A, i + (i >= at), j) : PO_AT(A, i, j + (j >= at));
  return B;
}

static void change_every_place(int m, int n, la_kind kind, uint64_t seed) {
  int at, i;
  po_mat A, B, Q, R;
  double *column;
  for (at = 0; at < n; at += 1 + n / 7) { /* delete then insert column `at` */
    la_reset();
    A = la_mat(m, n);
    la_make(A, kind, seed);
    B = without(A, at, 0);
    start(A, &Q, &R, 1);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_delete_column(Q, R, at));
    R.cols--;
    check(B, Q, R, 1, seed);
    column = la_vec(m);
    for (i = 0; i < m; i++) column[i] = PO_AT(A, i, at);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_insert_column(Q, R, at, column, &la_arena));
    R.cols++;
    check(A, Q, R, 2, seed);
  }
  for (at = 0; at < m; at += 1 + m / 7) {
    la_reset();
    A = la_mat(m, n);
    la_make(A, kind, seed);
    B = without(A, at, 1);
    start(A, &Q, &R, 1);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_delete_row(Q, R, at));
    Q.rows--, Q.cols--, R.rows--;
    check(B, Q, R, 1, seed);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_insert_row(Q, R, at, po_row(A, at), &la_arena));
    Q.rows++, Q.cols++, R.rows++;
    check(A, Q, R, 2, seed);
  }
}

static void body_every_place(void) {
  int m, n, kind;
  for (m = 1; m <= 14; m++)
    for (n = 1; n <= 14; n++) change_every_place(m, n, (la_kind)((m + n) % LA_HUGE), (uint64_t)(m * 100 + n));
  for (kind = 0; kind < LA_HUGE; kind++) {
    change_every_place(40, 25, (la_kind)kind, 5);
    change_every_place(25, 40, (la_kind)kind, 6);
  }
}

static void body_grow_from_nothing(void) {
  int n = 12, j;
  po_mat A = la_mat(n, n), bigq = la_mat(n, n), bigr = la_mat(n, n + 1), Q, R;
  double *column = la_vec(n);
  la_make(A, LA_RANDOM, 71);
  po_mat_identity(bigq);
  po_mat_zero(bigr);
  Q = po_mat_of(bigq.a, n, n, bigq.ld);
  R = po_mat_of(bigr.a, n, 0, bigr.ld);
  for (j = 0; j < n; j++) {
    int i;
    for (i = 0; i < n; i++) column[i] = PO_AT(A, i, j);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_insert_column(Q, R, j, column, &la_arena));
    R.cols++;
    check(po_block(A, 0, 0, n, j + 1), Q, R, j, 71);
  }
}

static void body_long_random_walk(void) { /* an active set that works for a while */
  int m = 20, changes, n = 8, i, j;
  po_mat A = la_mat(m, 40), Q, R;
  po_rng rng;
  double *column = la_vec(m);
  po_rng_init(&rng, 81, 0);
  la_make(A, LA_RANDOM, 81);
  start(po_block(A, 0, 0, m, n), &Q, &R, 20);
  for (changes = 1; changes <= 120; changes++) {
    int grow = n == 1 || (n < 26 && po_rng_below(&rng, 2));
    int at = po_rng_below(&rng, grow ? n + 1 : n);
    if (grow) {
      la_random_vec(column, m, &rng);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_insert_column(Q, R, at, column, &la_arena));
      for (i = 0; i < m; i++) {
        for (j = n; j > at; j--) PO_AT(A, i, j) = PO_AT(A, i, j - 1);
        PO_AT(A, i, at) = column[i];
      }
      n++;
    } else {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qr_delete_column(Q, R, at));
      for (i = 0; i < m; i++)
        for (j = at; j < n - 1; j++) PO_AT(A, i, j) = PO_AT(A, i, j + 1);
      n--;
    }
    R.cols = n;
    check(po_block(A, 0, 0, m, n), Q, R, changes, 81);
  }
}

static void test_bad_input(void) {
  po_mat A = la_mat(5, 4), Q, R, keptq, keptr;
  double v[6] = {1, 2, PO_NAN, 4, 5, 6};
  la_make(A, LA_RANDOM, 95);
  start(A, &Q, &R, 1);
  keptq = la_copy(Q);
  keptr = la_copy(R);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr_insert_column(Q, R, 2, v, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_qr_insert_row(Q, R, 2, v, &la_arena));
  v[2] = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_insert_column(Q, R, 5, v, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_insert_column(Q, R, -1, v, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_insert_row(Q, R, 6, v, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_delete_column(Q, R, 4));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_delete_row(Q, R, 5));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_delete_row(po_block(Q, 0, 0, 4, 4), R, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qr_insert_column(Q, R, 2, NULL, &la_arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qr_insert_column(Q, R, 2, v, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_insert_column(Q, po_mat_of(R.a, 5, 4, 4), 2, v, &la_arena)); /* no room */
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qr_insert_row(po_mat_of(Q.a, 5, 5, 5), R, 2, v, &la_arena));
  {
    po_arena none;
    po_arena_init(&none, v, 0);
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qr_insert_column(Q, R, 2, v, &none));
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qr_insert_row(Q, R, 2, v, &none));
  }
  LA_ASSERT_SAME_BITS(keptq, Q, "Q was changed");
  LA_ASSERT_SAME_BITS(keptr, R, "R was changed");
}

static void test_every_place(void) { la_both(body_every_place); }
static void test_grow_from_nothing(void) { la_both(body_grow_from_nothing); }
static void test_long_random_walk(void) { la_both(body_long_random_walk); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_place);
  RUN_TEST(test_grow_from_nothing);
  RUN_TEST(test_long_random_walk);
  RUN_TEST(test_bad_input);
  return UNITY_END() != 0;
}
