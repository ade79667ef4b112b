/* The active-set method: problems with known answers, degenerate and cycling ones, warm starts, structure promised by the caller,
 * limits, and what a control tick must not do. The random families are in test_qp_random.c. */
#include "qp/active_set.h"
#include "qp_oracle.h"
#include "counting.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static po_qp_solver *solver;
static po_qp_result result;

void setUp(void) { solver = NULL; }
void tearDown(void) {
  po_qp_free(solver);
  po_set_simd(PO_SIMD_AUTO);
}

static po_status solve(const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  if (!solver) TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&solver, p->n, p->me, p->mi));
  return po_qp_solve(&result, solver, p, opts, warm);
}

static void expect_optimal(const po_qp *p, double objective, double tol, const char *label) {
  char text[200];
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, solve(p, NULL, NULL), label);
  snprintf(text, sizeof text, "%s: objective %.17g, expected %.17g", label, result.objective, objective);
  TEST_ASSERT_EQUAL_STRING_MESSAGE("optimal", po_qp_status_string(result.status), label);
  TEST_ASSERT_TRUE_MESSAGE(po_abs(result.objective - objective) <= tol * po_max(1, po_abs(objective)), text);
}

/* ---- known answers ------------------------------------------------------------------------------------------------------- */

static void oracle(const char *dir, const char *table, double tol, double residual, int full_only_above) {
  qo_set set;
  int i, skipped = 0, count = qo_load(&set, dir, table), full = getenv("POISE_FULL") != NULL;
  if (!count) {
    printf("  %s: no files, skipped\n", dir);
    return;
  }
  for (i = 0; i < count; i++) {
    const char *name = set.problem[i].name, *status;
    char text[300];
    if (!full && set.problem[i].file->qp.n > full_only_above) { skipped++; continue; }
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, solve(&set.problem[i].file->qp, NULL, NULL), name);
    status = po_qp_status_string(result.status);
    snprintf(text, sizeof text, "%s: %s %.12g (expected %s %.12g), residuals %.2g %.2g %.2g", name, status, result.objective,
             set.problem[i].status, set.problem[i].objective, result.primal_residual, result.dual_residual, result.gap);
    po_qp_free(solver);
    solver = NULL;
    if (!strcmp(name, "VALUES") && !strcmp(status, "nonconvex")) continue; /* it is, by 1e-5 */
    TEST_ASSERT_EQUAL_STRING_MESSAGE(set.problem[i].status, status, text);
    if (strcmp(status, "optimal")) continue;
    TEST_ASSERT_TRUE_MESSAGE(po_abs(result.objective - set.problem[i].objective) <= tol * po_max(1, po_abs(set.problem[i].objective)), text);
    TEST_ASSERT_TRUE_MESSAGE(result.primal_residual <= residual && result.dual_residual <= residual, text);
  }
  if (skipped) printf("  %s: %d of %d larger ones run with POISE_FULL\n", dir, skipped, count);
  qo_free(&set);
}

static void test_maros_meszaros(void) { oracle("mm", "mm.csv", 1e-6, 1e-6, 1000); }
static void test_edge_cases(void) { oracle("edge", "edge.csv", 1e-9, 1e-9, 1000); }
static void test_whole_body_control(void) { oracle("wbc", "wbc-qps.csv", 1e-8, 1e-9, 1000); }

/* ---- degenerate, dependent, cycling ----------------------------------------------------------------------------------------- */

/* Linear programs on which the simplex method with the textbook rule cycles. */
static void test_cycling_examples(void) {
  /* Beale (1955) */
  double a1[] = {0.25, -60, -1.0 / 25, 9, 0.5, -90, -1.0 / 50, 3, 0, 0, 1, 0}, g1[] = {-0.75, 150, -0.02, 6}, u1[] = {0, 0, 1};
  /* Kuhn, as given by Balinski and Tucker (1969) */
  double a2[] = {-2, -9, 1, 9, 1.0 / 3, 1, -1.0 / 3, -2, 2, 3, -1, -12}, g2[] = {-2, -3, 1, 12}, u2[] = {0, 0, 2};
  double lo[3] = {-PO_INF, -PO_INF, -PO_INF}, xl[4] = {0, 0, 0, 0};
  po_qp p;
  memset(&p, 0, sizeof p);
  p.n = 4; p.mi = 3;
  p.C = po_mat_of(a1, 3, 4, 4);
  p.g = g1; p.cl = lo; p.cu = u1; p.xl = xl;
  expect_optimal(&p, -0.05, 1e-9, "Beale");
  p.C = po_mat_of(a2, 3, 4, 4);
  p.g = g2; p.cu = u2;
  expect_optimal(&p, -2, 1e-9, "Kuhn");
}

/* Every constraint three times over, in other units, also as bounds and as equalities. */
static void test_duplicates(void) {
  double h[4] = {2, 0.5, 0.5, 1}, g[2] = {-8, -6}, c[] = {1, 1, 3, 3, -0.5, -0.5, 1, 0, 10, 0, 1, 2, 2, 4};
  double lo[] = {-PO_INF, -PO_INF, -1, -PO_INF, -PO_INF, -PO_INF, 0}, hi[] = {2, 6, PO_INF, 1, 10, 3, 6}, xu[] = {1, 1};
  double a[] = {1, -1, 2, -2, 0, 0}, b[] = {0, 0, 0};
  po_qp p;
  memset(&p, 0, sizeof p);
  p.n = 2; p.mi = 7;
  p.H = po_mat_of(h, 2, 2, 2); p.g = g;
  p.C = po_mat_of(c, 7, 2, 2); p.cl = lo; p.cu = hi; p.xu = xu;
  expect_optimal(&p, -12, 1e-9, "duplicated rows"); /* x = (1, 1): ½(2+1+1) − 14 */
  p.me = 3;
  p.A = po_mat_of(a, 3, 2, 2); p.b = b;
  po_qp_free(solver);
  solver = NULL;
  expect_optimal(&p, -12, 1e-9, "and dependent equalities, one of them empty");
}

/* ---- proofs ---------------------------------------------------------------------------------------------------------------- */

static void test_conflict_names_the_rows(void) {
  /* a + b >= 3, a + b <= 1, and rows that have nothing to do with it; once with H, once as a linear program */
  double h[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {0, 0, 1}, c[] = {0, 0, 1, 1, 1, 0, 1, 1, 0, 1, -1, 1}, lo[] = {-5, 3, -PO_INF, -9},
         hi[] = {5, PO_INF, 1, 9};
  static const char *const names[] = {"harmless", "at least three", "at most one", "harmless too"};
  po_qp p;
  int k, pass;
  memset(&p, 0, sizeof p);
  p.n = 3; p.mi = 4;
  p.g = g; p.C = po_mat_of(c, 4, 3, 3); p.cl = lo; p.cu = hi; p.row_names = names;
  for (pass = 0; pass < 2; pass++) {
    if (pass) p.H = po_mat_of(h, 3, 3, 3);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&p, NULL, NULL));
    TEST_ASSERT_EQUAL_STRING("infeasible", po_qp_status_string(result.status));
    TEST_ASSERT_EQUAL_INT(2, result.conflict_count);
    for (k = 0; k < 2; k++) TEST_ASSERT_EQUAL_INT(k + 1, result.conflict[k]);
    TEST_ASSERT_EQUAL_STRING("at least three", p.row_names[result.conflict[0]]);
    TEST_ASSERT_TRUE(result.z[1] > 0 && result.z[2] < 0 && po_abs(result.z[1] + result.z[2]) < 1e-12 && result.z[0] == 0);
  }
}

static void test_unbounded_and_nonconvex_rays(void) {
  double h[9] = {1, -1, 0, -1, 1, 0, 0, 0, 0}, g[3] = {-1, -1, 0.1}, xl[3] = {0, 0, 0}, n[4] = {1, 2, 2, 1}, ng[2] = {0, 0};
  po_qp p;
  memset(&p, 0, sizeof p);
  p.n = 3;
  p.H = po_mat_of(h, 3, 3, 3); p.g = g; p.xl = xl;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&p, NULL, NULL));
  TEST_ASSERT_EQUAL_STRING("unbounded", po_qp_status_string(result.status));
  TEST_ASSERT_NOT_NULL(result.ray);
  TEST_ASSERT_TRUE(result.ray[0] > 0 && po_abs(result.ray[0] - result.ray[1]) <= 1e-9 * result.ray[0] && po_abs(result.ray[2]) <= 1e-9 * result.ray[0]);
  memset(&p, 0, sizeof p);
  p.n = 2;
  p.H = po_mat_of(n, 2, 2, 2); p.g = ng;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&p, NULL, NULL));
  TEST_ASSERT_EQUAL_STRING("nonconvex", po_qp_status_string(result.status));
  TEST_ASSERT_TRUE(result.ray[0] * result.ray[0] + result.ray[1] * result.ray[1] + 4 * result.ray[0] * result.ray[1] < 0);
}

/* ---- a problem like a control tick ------------------------------------------------------------------------------------------- */

enum { T_N = 30, T_D = 18, T_ME = 4, T_MI = 12 };
typedef struct tick { double h[T_N * T_N], a[T_ME * T_N], c[T_MI * T_N], g[T_N], b[T_ME], cl[T_MI], cu[T_MI], xl[T_N]; po_qp p; } tick;
static const int tick_blocks[] = {T_D, -(T_N - T_D)};

/* D dense and free, the rest with a tiny diagonal and nonnegative; everything drifts slowly with t. */
static void make_tick(tick *k, double t) {
  po_rng r, drift;
  int i, j, l;
  po_rng_init(&r, 5, 0);
  po_rng_init(&drift, 5, 1);
  memset(k, 0, sizeof *k);
#define T_BITS_SCALAR "5633d43f0c25b74a"
#define T_BITS_AVX2 "e57308b19cc321ac"
#define T_DRAW (po_rng_normal(&r) + t * po_rng_normal(&drift))
  for (i = 0; i < T_D; i++) {
    double v[T_D];
    for (j = 0; j < T_D; j++) v[j] = T_DRAW;
    for (j = 0; j < T_D; j++)
      for (l = 0; l < T_D; l++) k->h[j * T_N + l] += v[j] * v[l];
    k->h[i * T_N + i] += 0.1;
  }
  for (j = T_D; j < T_N; j++) { k->h[j * T_N + j] = 1e-5; k->xl[j] = 0; }
  for (j = 0; j < T_D; j++) k->xl[j] = -PO_INF;
  for (i = 0; i < T_ME * T_N; i++) k->a[i] = T_DRAW;
  for (i = 0; i < T_MI * T_N; i++) k->c[i] = T_DRAW;
  for (i = 0; i < T_N; i++) k->g[i] = i < T_D ? 10 * T_DRAW : 0;
  for (i = 0; i < T_ME; i++) k->b[i] = T_DRAW;
  for (i = 0; i < T_MI; i++) { k->cl[i] = -2; k->cu[i] = 2; }
  k->p.n = T_N; k->p.me = T_ME; k->p.mi = T_MI;
  k->p.H = po_mat_of(k->h, T_N, T_N, T_N);
  k->p.A = po_mat_of(k->a, T_ME, T_N, T_N);
  k->p.C = po_mat_of(k->c, T_MI, T_N, T_N);
  k->p.g = k->g; k->p.b = k->b; k->p.cl = k->cl; k->p.cu = k->cu; k->p.xl = k->xl;
  k->p.h_blocks = tick_blocks;
  k->p.h_block_count = 2;
}

static void test_warm_ticks(void) {
  static tick k;
  double cold_x[T_N];
  int i, t, cold_iterations, warm_total = 0, cold_total = 0;
  po_qp_warm last;
  for (t = 0; t < 40; t++) {
    make_tick(&k, 1e-3 * t);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(result.status));
    TEST_ASSERT_TRUE(result.primal_residual <= 1e-9 && result.dual_residual <= 1e-9);
    TEST_ASSERT_EQUAL_INT(0, result.warm);
    memcpy(cold_x, result.x, sizeof cold_x);
    cold_iterations = result.iterations;
    if (t) make_tick(&k, 1e-3 * (t - 1)); /* the solution of the tick before ... */
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    last = po_qp_last(solver);
    make_tick(&k, 1e-3 * t); /* ... starts this one */
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, &last));
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(result.status));
    TEST_ASSERT_EQUAL_INT(1, result.warm);
    TEST_ASSERT_EQUAL_INT(0, result.fell_back);
    for (i = 0; i < T_N; i++) TEST_ASSERT_TRUE(po_abs(result.x[i] - cold_x[i]) <= 1e-7 * (1 + po_abs(cold_x[i])));
    warm_total += result.iterations;
    cold_total += cold_iterations;
  }
  TEST_ASSERT_TRUE_MESSAGE(4 * warm_total < cold_total, "a warm start must save most of the changes");
}

/* Whatever the warm start says, the answer is the cold one's. */
static void test_warm_starts_from_nonsense(void) {
  static tick k;
  po_rng r;
  double cold, x[T_N], w[T_N], z[T_MI];
  signed char active[T_MI + T_N];
  po_qp_warm warm;
  int i, trial;
  make_tick(&k, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  cold = result.objective;
  memset(&warm, 0, sizeof warm);
  po_rng_init(&r, 1, 1);
  for (trial = 0; trial < 60; trial++) {
    for (i = 0; i < T_MI + T_N; i++) active[i] = (signed char)(trial == 0 ? 127 : trial == 1 ? -1 : po_rng_below(&r, 5) - 2);
    for (i = 0; i < T_N; i++) { x[i] = 1e3 * po_rng_normal(&r); w[i] = po_rng_normal(&r); }
    for (i = 0; i < T_MI; i++) z[i] = trial % 7 == 6 ? PO_NAN : po_rng_normal(&r);
    warm.active = trial % 3 == 2 ? NULL : active;
    warm.x = trial % 2 ? x : NULL;
    warm.w = trial % 5 ? w : NULL;
    warm.z = trial % 4 ? z : NULL;
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, &warm));
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(result.status));
    TEST_ASSERT_TRUE(po_abs(result.objective - cold) <= 1e-9 * (1 + po_abs(cold)));
  }
}

static void test_promised_structure(void) {
  static tick k;
  double plain[T_N], with_blocks[T_N];
  int i;
  make_tick(&k, 0);
  k.p.h_blocks = NULL;
  k.p.h_block_count = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  memcpy(plain, result.x, sizeof plain);
  make_tick(&k, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  memcpy(with_blocks, result.x, sizeof with_blocks);
  for (i = 0; i < T_N; i++) TEST_ASSERT_TRUE_MESSAGE(plain[i] == with_blocks[i], "zeros are found with and without the promise");
  k.p.same_H = k.p.same_rows = 1;
  k.g[0] += 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  memcpy(with_blocks, result.x, sizeof with_blocks);
  k.p.same_H = k.p.same_rows = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  for (i = 0; i < T_N; i++) TEST_ASSERT_TRUE_MESSAGE(result.x[i] == with_blocks[i], "kept factors are the same bits");
}

/* A broken promise may cost time but must not be believed: the checks read the data. */
static void test_broken_promises(void) {
  static tick k;
  double honest;
  int pass;
  for (pass = 0; pass < 3; pass++) {
    make_tick(&k, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    make_tick(&k, 3);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    honest = result.objective;
    make_tick(&k, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    make_tick(&k, 3);
    k.p.same_H = pass != 1;
    k.p.same_rows = pass != 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(result.status));
    TEST_ASSERT_TRUE(po_abs(result.objective - honest) <= 1e-7 * (1 + po_abs(honest)));
  }
}

/* ---- what a control loop relies on -------------------------------------------------------------------------------------------- */

static void test_a_solve_allocates_nothing(void) {
  static tick k;
  po_qp_warm last;
  make_tick(&k, 0);
  po_set_allocator(counting, NULL);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&solver, T_N, T_ME, T_MI));
  allocations = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  last = po_qp_last(solver);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, &last));
  k.p.H = po_mat_of(NULL, 0, 0, 0);
  k.p.h_blocks = NULL;
  k.p.h_block_count = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_qp_free(solver);
  solver = NULL;
  po_set_allocator(NULL, NULL);
}

static void test_memory_for_control_size(void) { TEST_ASSERT_TRUE(po_qp_bytes(67, 6, 29) <= 512 * 1024); }

static void test_same_bits_and_scalar_agrees(void) {
  static tick k;
  double first[T_N];
  int i;
  make_tick(&k, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  memcpy(first, result.x, sizeof first);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(0, memcmp(first, result.x, sizeof first));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  for (i = 0; i < T_N; i++) TEST_ASSERT_TRUE(po_abs(first[i] - result.x[i]) <= 1e-8 * (1 + po_abs(first[i])));
}

/* Two algorithms, one answer: groups by the Schur complement against single changes on orthogonal factors. */
static void test_both_engines_agree(void) {
  static tick k;
  double x[T_N];
  po_qp_opts o = po_qp_opts_default();
  int i, t;
  for (t = 0; t < 20; t++) {
    make_tick(&k, 0.3 * t);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, &o, NULL));
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(result.status));
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, solver->schur_valid, "solved without the engine");
    memcpy(x, result.x, sizeof x);
    solver->status = PO_QP_NUMERICAL;
    po_as_general(solver, &k.p, &o, NULL);
    TEST_ASSERT_EQUAL_STRING("optimal", po_qp_status_string(solver->status));
    for (i = 0; i < T_N; i++) TEST_ASSERT_TRUE(po_abs(solver->x[i] - x[i]) <= 1e-6 * (1 + po_abs(x[i])));
    solver->schur_valid = 0;
  }
}

/* Scalar code gives these bits with every compiler and on every CPU, AVX2 code on every CPU that has it. */
static void test_bits(void) {
  static tick k;
  uint64_t hash;
  char text[64];
  int pass;
  for (pass = 0; pass < 2; pass++) {
    if (po_set_simd(pass ? PO_SIMD_AVX2 : PO_SIMD_SCALAR) != PO_OK) continue;
    make_tick(&k, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    hash = po_hash_doubles(result.x, T_N, 0);
    k.p.H = po_mat_of(NULL, 0, 0, 0); /* and a linear program through the proximal steps */
    k.p.h_blocks = NULL;
    k.p.h_block_count = 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
    hash = po_hash_doubles(result.status == PO_QP_UNBOUNDED ? result.ray : result.x, T_N, hash);
    po_format(text, sizeof text, "%016llx", (unsigned long long)hash);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(pass ? T_BITS_AVX2 : T_BITS_SCALAR, text, po_simd_string(po_get_simd()));
  }
}

static void test_iteration_limit(void) {
  static tick k;
  po_qp_opts o = po_qp_opts_default();
  make_tick(&k, 0);
  o.max_iterations = 2;
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, &o, NULL));
  TEST_ASSERT_EQUAL_STRING("iteration_limit", po_qp_status_string(result.status));
  TEST_ASSERT_TRUE(result.iterations <= 2 + T_ME);
}

static void test_bounds_are_met_to_the_bit(void) {
  static tick k;
  int j, at_bound = 0;
  make_tick(&k, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&k.p, NULL, NULL));
  for (j = T_D; j < T_N; j++) {
    TEST_ASSERT_TRUE(result.x[j] >= 0);
    if (result.active[T_MI + j]) { at_bound++; TEST_ASSERT_TRUE(result.x[j] == 0 && result.w[j] >= 0); }
    else TEST_ASSERT_TRUE(result.w[j] == 0);
  }
  TEST_ASSERT_TRUE(at_bound > 0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_maros_meszaros);
  RUN_TEST(test_edge_cases);
  RUN_TEST(test_whole_body_control);
  RUN_TEST(test_cycling_examples);
  RUN_TEST(test_duplicates);
  RUN_TEST(test_conflict_names_the_rows);
  RUN_TEST(test_unbounded_and_nonconvex_rays);
  RUN_TEST(test_warm_ticks);
  RUN_TEST(test_warm_starts_from_nonsense);
  RUN_TEST(test_promised_structure);
  RUN_TEST(test_broken_promises);
  RUN_TEST(test_a_solve_allocates_nothing);
  RUN_TEST(test_memory_for_control_size);
  RUN_TEST(test_same_bits_and_scalar_agrees);
  RUN_TEST(test_both_engines_agree);
  RUN_TEST(test_bits);
  RUN_TEST(test_iteration_limit);
  RUN_TEST(test_bounds_are_met_to_the_bit);
  return UNITY_END() != 0;
}
