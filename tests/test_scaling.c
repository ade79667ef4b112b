/* Equilibration: exact factors, entries near one, units that do not matter. */
#include "qp/qp_internal.h"
#include "unity.h"

#include <string.h>

enum { S_N = 12, S_ME = 3, S_MI = 6 };
static double h[S_N * S_N], a[S_ME * S_N], c[S_MI * S_N], g[S_N], col[S_N], row[S_ME + S_MI], memory[256];
static po_qp p;

static void make(uint64_t seed, double decades) {
  po_rng r;
  double d[S_N], e[S_ME + S_MI];
  int i, j;
  po_rng_init(&r, seed, 0);
  for (i = 0; i < S_N; i++) d[i] = po_pow(10, po_rng_range(&r, -decades, decades));
  for (i = 0; i < S_ME + S_MI; i++) e[i] = po_pow(10, po_rng_range(&r, -decades, decades));
  for (i = 0; i < S_N; i++)
    for (j = 0; j <= i; j++) h[i * S_N + j] = h[j * S_N + i] = d[i] * d[j] * ((i == j) * 3 + 0.3 * po_rng_normal(&r));
  for (i = 0; i < S_ME + S_MI; i++)
    for (j = 0; j < S_N; j++) (i < S_ME ? a + i * S_N : c + (i - S_ME) * S_N)[j] = e[i] * d[j] * po_rng_normal(&r);
  for (i = 0; i < S_N; i++) g[i] = d[i];
  memset(&p, 0, sizeof p);
  p.n = S_N; p.me = S_ME; p.mi = S_MI;
  p.H = po_mat_of(h, S_N, S_N, S_N); p.A = po_mat_of(a, S_ME, S_N, S_N); p.C = po_mat_of(c, S_MI, S_N, S_N);
  p.g = g;
}

static po_qp_scaling equilibrate(int sweeps) {
  po_qp_scaling sc;
  po_arena arena;
  sc.col = col;
  sc.row = row;
  po_arena_init(&arena, memory, sizeof memory);
  po_qp_equilibrate(&sc, &p, sweeps, &arena);
  return sc;
}

void setUp(void) {}
void tearDown(void) {}

static int power_of_two(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return v > 0 && (bits & 0xfffffffffffffu) == 0;
}

static void test_rows_and_columns_come_near_one(void) {
  uint64_t seed;
  for (seed = 0; seed < 50; seed++) {
    po_qp_scaling sc;
    int i, j;
    make(seed, 4);
    sc = equilibrate(10);
    TEST_ASSERT_TRUE(power_of_two(sc.cost));
    for (i = 0; i < S_ME + S_MI; i++) {
      double largest = 0;
      TEST_ASSERT_TRUE(power_of_two(row[i]));
      for (j = 0; j < S_N; j++) largest = po_max(largest, po_abs((i < S_ME ? a + i * S_N : c + (i - S_ME) * S_N)[j]) * row[i] * col[j]);
      TEST_ASSERT_TRUE_MESSAGE(largest > 0.1 && largest < 10, "a row is not of size one");
    }
    for (j = 0; j < S_N; j++) {
      double largest = 0;
      TEST_ASSERT_TRUE(power_of_two(col[j]));
      for (i = 0; i < S_N; i++) largest = po_max(largest, po_abs(h[i * S_N + j]) * sc.cost * col[i] * col[j]);
      for (i = 0; i < S_ME + S_MI; i++) largest = po_max(largest, po_abs((i < S_ME ? a + i * S_N : c + (i - S_ME) * S_N)[j]) * row[i] * col[j]);
      TEST_ASSERT_TRUE_MESSAGE(largest > 0.05 && largest < 20, "a column is not of size one");
    }
  }
}

static void test_no_sweeps_no_change_and_zero_rows(void) {
  int i;
  make(1, 2);
  memset(a, 0, sizeof a);
  equilibrate(0);
  for (i = 0; i < S_N; i++) TEST_ASSERT_EQUAL_DOUBLE(1, col[i]);
  equilibrate(5);
  for (i = 0; i < S_ME; i++) TEST_ASSERT_EQUAL_DOUBLE(1, row[i]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rows_and_columns_come_near_one);
  RUN_TEST(test_no_sweeps_no_change_and_zero_rows);
  return UNITY_END() != 0;
}
