/* The factors of a working set stay what they are by definition, J'G J = I and J'N = [R; 0], through random additions and drops, and
 * solve the working set's equations. */
#include "qp/active_set.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { F_N = 23, F_M = 17 };
static po_as e;
static double g_matrix[F_N * F_N], rows[F_M * F_N];
static void *memory;
static po_rng rng;

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

static void make(uint64_t seed) {
  po_arena a;
  size_t bytes;
  int i, j, k;
  po_rng_init(&rng, seed, 0);
  memset(&e, 0, sizeof e);
  po_arena_measure(&a);
  po_as_layout(&a, &e, F_N, F_M);
  bytes = po_arena_used(&a);
  memory = po_alloc(bytes);
  po_arena_init(&a, memory, bytes);
  po_as_layout(&a, &e, F_N, F_M);
  e.me = 0;
  e.dependent = PO_AS_DEPENDENT;
  memset(g_matrix, 0, sizeof g_matrix);
  for (k = 0; k < F_N; k++) {
    double v[F_N];
    for (j = 0; j < F_N; j++) v[j] = po_rng_normal(&rng);
    for (i = 0; i < F_N; i++)
      for (j = 0; j < F_N; j++) g_matrix[i * F_N + j] += v[i] * v[j] + (i == j && k == 0 ? 0.5 : 0);
  }
  for (i = 0; i < F_M * F_N; i++) rows[i] = po_rng_normal(&rng);
  e.C = po_mat_of(rows, F_M, F_N, F_N);
  for (i = 0; i < F_N; i++)
    for (j = 0; j < F_N; j++) PO_AT(e.L, i, j) = g_matrix[i * F_N + j];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(e.L, NULL, e.L));
  memset(e.state, 0, F_M + F_N + 1);
  for (k = 0; k < F_M + F_N; k++) { e.lo[k] = -1 - po_rng_uniform(&rng); e.hi[k] = 1 + po_rng_uniform(&rng); }
  po_as_reset(&e);
  po_as_sizes(&e);
}

static double normal(int position, int j) {
  int k = e.work[position];
  double v = k < F_M ? rows[k * F_N + j] : k - F_M == j;
  return e.side[position] > 0 ? v : -v;
}

static void check_definition(const char *label) {
  int i, j, k, l;
  for (i = 0; i < F_N; i++) {
    for (j = 0; j <= i; j++) {
      double sum = 0;
      for (k = 0; k < F_N; k++)
        for (l = 0; l < F_N; l++) sum += PO_AT(e.JT, i, k) * g_matrix[k * F_N + l] * PO_AT(e.JT, j, l);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, i == j, sum, label);
    }
    for (j = 0; j < e.q; j++) {
      double sum = 0;
      for (k = 0; k < F_N; k++) sum += PO_AT(e.JT, i, k) * normal(j, k);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, i <= j ? PO_AT(e.R, i, j) : 0, sum, label);
    }
  }
}

static void check_solution(const char *label) {
  double x[F_N], u[F_N], g[F_N], b[F_N];
  int i, j;
  for (i = 0; i < F_N; i++) g[i] = po_rng_normal(&rng);
  for (i = 0; i < e.q; i++) b[i] = po_as_bound(&e, e.work[i], e.side[i]);
  po_as_solve_kkt(&e, x, u, g, b);
  for (i = 0; i < F_N; i++) {
    double sum = g[i];
    for (j = 0; j < F_N; j++) sum += g_matrix[i * F_N + j] * x[j];
    for (j = 0; j < e.q; j++) sum -= u[j] * normal(j, i);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-7, 0, sum, label);
  }
  for (j = 0; j < e.q; j++) {
    double sum = -b[j];
    for (i = 0; i < F_N; i++) sum += normal(j, i) * x[i];
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, 0, sum, label);
  }
}

static void changes(uint64_t seed) {
  char label[40];
  int step;
  snprintf(label, sizeof label, "seed %d", (int)seed);
  make(seed);
  for (step = 0; step < 60; step++) {
    int k = po_rng_below(&rng, F_M + F_N), side = po_rng_below(&rng, 2) ? 1 : -1;
    if (e.q && (e.state[k] || po_rng_below(&rng, 3) == 0)) {
      po_as_drop(&e, po_rng_below(&rng, e.q), 0);
    } else if (!e.state[k]) {
      po_as_project(&e, k, side);
      if (!po_as_independent(&e, k)) continue;
      if (e.q && po_rng_below(&rng, 4) == 0) { /* as in a step that drops before it adds: d and z must follow */
        po_as_drop(&e, po_rng_below(&rng, e.q), 1);
      }
      po_as_add(&e, k, side, 0.5);
    }
    if (step % 10 == 9) check_definition(label);
  }
  check_solution(label);
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, po_as_refactor(&e), label);
  check_definition(label);
  check_solution(label);
  po_free(memory);
}

static void test_random_changes(void) {
  uint64_t seed;
  for (seed = 0; seed < 20; seed++) changes(seed);
}

static void test_random_changes_scalar(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  changes(100);
}

/* A duplicate of a working row, in other units and turned round, is seen as dependent; so is anything once W spans the space. */
static void test_dependence(void) {
  int j, k;
  make(7);
  po_as_project(&e, 3, 1);
  po_as_add(&e, 3, 1, 0);
  for (j = 0; j < F_N; j++) rows[5 * F_N + j] = -1e-4 * rows[3 * F_N + j];
  po_as_reset(&e);
  po_as_sizes(&e);
  po_as_project(&e, 3, 1);
  po_as_add(&e, 3, 1, 0);
  po_as_project(&e, 5, -1);
  TEST_ASSERT_EQUAL_INT(0, po_as_independent(&e, 5));
  for (k = F_M; k < F_M + F_N && e.q < F_N; k++) {
    po_as_project(&e, k, 1);
    if (po_as_independent(&e, k)) po_as_add(&e, k, 1, 0);
  }
  TEST_ASSERT_EQUAL_INT(F_N, e.q);
  po_as_project(&e, 0, 1);
  TEST_ASSERT_EQUAL_INT(0, po_as_independent(&e, 0));
  check_definition("full");
  po_free(memory);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_changes);
  RUN_TEST(test_random_changes_scalar);
  RUN_TEST(test_dependence);
  return UNITY_END() != 0;
}
