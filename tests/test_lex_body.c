/* test_lex_body.c: the lexicographic solver on problems shaped like those of a controller, at a size where every seed is proven by the
 * checker: equations of motion and limits (hard), contacts that repeat each other, tasks, a pose, and a regularization that holds a
 * multiple of the identity. Stiff ones, as of a body in the air that is asked to keep its contacts, and levels that come and go. */
#include "hqp_checker.h"
#include "unity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Q = 14, E = 8, N = Q + E, LEVELS = 6, ROWS = Q + E + E / 4 + 3 + 12 + 3 + Q + 3 + Q + E };

static po_hqp_solver *solver;
static double a[ROWS * N], lower[ROWS], upper[ROWS];
static po_hqp_level level[LEVELS];
static po_hqp problem;
static double apart = -1; /* >= 0: the com rows differ from contact rows by this much only, as with straight legs */

void setUp(void) {}
void tearDown(void) {}

static int full(void) { return getenv("POISE_FULL") != NULL; }

static void add_level(int *at, int first, const char *name, int rows, int n, int hard) {
  po_hqp_level *l = &level[problem.level_count++];
  int i, j;
  l->name = name;
  l->rows = rows;
  l->hard = hard;
  l->A = po_mat_of(a + first * N, rows, n, N);
  l->lower = lower + first;
  l->upper = upper + first;
  *at = first + rows;
  for (i = first; i < *at; i++)
    for (j = 0; j < n; j++) a[i * N + j] = 0;
}

/* Tick `tick` of a motion: everything drifts. stiff: how large what is asked for is. edges: contact forces there are. */
static void body(unsigned seed, int tick, double stiff, int edges, int limits) {
  po_rng rng, drift;
  double J[6][Q], V[6][E], M[Q][Q];
  int i, j, k, at = 0, first, n = Q + edges;
  po_rng_init(&rng, seed, 11);
  po_rng_init(&drift, seed, 12 + (uint64_t)tick);
#define NUMBER(size) ((size) * (po_rng_normal(&rng) + 2e-3 * tick * po_rng_normal(&drift)))
  problem.name = "body";
  problem.n = n;
  problem.level_count = 0;
  problem.levels = level;
  for (i = 0; i < 6; i++) {
    for (j = 0; j < Q; j++) J[i][j] = NUMBER(0.5);
    for (j = 0; j < E; j++) V[i][j] = NUMBER(0.5) + (i == 5);
  }
  for (i = 0; i < Q; i++)
    for (j = 0; j < Q; j++) M[i][j] = NUMBER(0.05) + (i == j ? 1 + 4.0 * (i < 4) : 0);
  add_level(&at, 0, "dynamics", Q + edges + edges / 4, n, 1);
  for (i = 0; i < Q; i++) { /* the base has no motors */
    for (j = 0; j < Q; j++) a[i * N + j] = M[i][j];
    for (j = 0; j < edges; j++)
      for (k = 0; k < 6; k++) a[i * N + Q + j] -= J[k][i] * V[k][j];
    lower[i] = NUMBER(1) - (i < 4 ? 0 : 3);
    upper[i] = i < 4 ? lower[i] : lower[i] + 6;
  }
  for (i = 0; i < edges; i++) {
    a[(Q + i) * N + Q + i] = 1;
    lower[Q + i] = 0;
    upper[Q + i] = PO_INF;
  }
  for (i = 0; i < edges / 4; i++) {
    for (j = 0; j < 4; j++) a[(Q + edges + i) * N + Q + 4 * i + j] = 1;
    lower[Q + edges + i] = -PO_INF;
    upper[Q + edges + i] = 3;
  }
  first = at;
  if (limits) add_level(&at, first, "limits", limits, n, 0);
  for (i = first; i < at; i++) {
    for (j = 0; j < 3; j++) a[i * N + 5 + i - first + j] = NUMBER(1);
    lower[i] = NUMBER(1);
    upper[i] = PO_INF;
  }
  first = at;
  add_level(&at, first, "contact", 12, n, 0);
  for (i = 0; i < 12; i++) {
    for (j = 0; j < Q; j++) a[(first + i) * N + j] = J[i / 2][j];
    lower[first + i] = upper[first + i] = NUMBER(stiff);
  }
  first = at;
  add_level(&at, first, "com", 3, n, 0);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < Q; j++) a[(first + i) * N + j] = apart < 0 ? M[i][j] / 5 : J[i][j] + apart * NUMBER(1);
    lower[first + i] = upper[first + i] = NUMBER(2);
  }
  first = at;
  add_level(&at, first, "pose", Q + 3, n, 0);
  for (i = 0; i < Q + 3; i++) {
    for (j = 0; j < Q; j++) a[(first + i) * N + j] = i < Q ? 0.3 * (i == j) : NUMBER(0.5);
    lower[first + i] = upper[first + i] = NUMBER(2);
  }
  first = at;
  add_level(&at, first, "regularize", Q - 4 + edges, n, 0);
  for (i = 0; i < Q - 4; i++) {
    for (j = 0; j < n; j++) a[(first + i) * N + j] = seed % 2 && i % 3 && j >= Q ? 0 : a[(4 + i) * N + j] / 3; /* some see no force */
    lower[first + i] = upper[first + i] = (lower[4 + i] + upper[4 + i]) / 6;
  }
  for (i = 0; i < edges; i++) {
    a[(first + Q - 4 + i) * N + Q + i] = 0.1;
    lower[first + Q - 4 + i] = upper[first + Q - 4 + i] = 0;
  }
#undef NUMBER
}

static void prove(int warm, unsigned seed, int tick, po_hqp_result *r) {
  po_hqp_opts o = po_hqp_opts_default();
  hc_report report;
  char text[400], what[300];
  o.warm = warm;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(r, solver, &problem, &o));
  what[0] = 0;
  if (r->status != PO_HQP_OPTIMAL) po_format(what, sizeof what, "status %s", po_hqp_status_string(r->status));
  else if (r->second_opinion) po_format(what, sizeof what, "it got stuck");
  else if (!hc_check(&report, &problem, r, 1e-8)) hc_describe(what, sizeof what, &report);
  po_format(text, sizeof text, "%s: seed %u, tick %d, %s", what, seed, tick, warm ? "warm" : "cold");
  if (what[0]) TEST_FAIL_MESSAGE(text);
}

/* ---- the tests -------------------------------------------------------------------------------------------------------------------- */

static void test_ticks_are_proven(void) {
  unsigned seed, seeds = full() ? 600 : 60;
  int tick, i, most = 0;
  for (seed = 1; seed <= seeds; seed++)
    for (tick = 0; tick < 12; tick++) {
      po_hqp_result r;
      double x[N];
      body(seed, tick, 1, E, 0);
      prove(0, seed, tick, &r);
      memcpy(x, r.x, sizeof(double) * (size_t)problem.n);
      prove(1, seed, tick, &r);
      for (i = 0; i < problem.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(x[i])), x[i], r.x[i]);
      if (r.iterations > most) most = r.iterations;
    }
  TEST_ASSERT_TRUE_MESSAGE(most <= 3 * ROWS, "iterations");
}

/* In the air: no contact force, yet contacts are asked for, a thousand times more than the torques can give. */
static void test_stiff_objectives_in_the_air(void) {
  static const double stiff[] = {10, 1e3, 1e5};
  unsigned seed, last = full() ? 800 : 240; /* 221 was left with a hard row missed by 1e-8 */
  int tick, k;
  for (k = 0; k < 3; k++)
    for (seed = 200; seed <= last; seed++)
      for (tick = 0; tick < 4; tick++) {
        po_hqp_result r;
        body(seed, tick, stiff[k], 0, 0);
        prove(tick > 0, seed, tick, &r);
        TEST_ASSERT_TRUE_MESSAGE(r.iterations <= 3 * ROWS, "iterations");
      }
}

/* Rows that depend on each other but for 1e-5 … 1e-8: what a level asks for there is violent or cannot be had, and rounding decides
 * which. Whoever answers must keep the hard level, and soon; what is called optimal is lexicographic's own and proven, or reparam's and proven by
 * it, and few are left without; at 1e-8, which is the tolerance of ranks itself, it is most. */
static void test_nearly_singular_poses(void) {
  static const double nearly[] = {1e-5, 1e-6, 1e-7, 1e-8};
  unsigned seed, seeds = full() ? 300 : 30;
  int k, tick, unproven = 0, solves = 0;
  char line[100];
  for (k = 0; k < 4; k++)
    for (seed = 1; seed <= seeds; seed++)
      for (tick = 0; tick < 3; tick++) {
        po_hqp_result r;
        char text[200];
        double length;
        apart = nearly[k];
        body(seed, tick, 30, E, (int)seed % 3);
        apart = -1;
        TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &problem, NULL));
        length = 1 + po_norm2(r.x, problem.n);
        po_format(text, sizeof text, "rows %g apart, seed %u, tick %d: status %s%s, %d iterations, x of length %g, hard level missed by %g", nearly[k], seed, tick,
                  po_hqp_status_string(r.status), r.second_opinion ? " (reparam)" : "",
                  r.iterations, length, r.levels[0].violation);
        TEST_ASSERT_TRUE_MESSAGE(r.status == PO_HQP_OPTIMAL || (r.status == PO_HQP_NUMERICAL && r.second_opinion), text);
        unproven += nearly[k] > 1e-8 && r.status != PO_HQP_OPTIMAL;
        solves += nearly[k] > 1e-8;
        TEST_ASSERT_TRUE_MESSAGE(r.levels[0].violation <= 1e-7 * length, text); /* PO_LEX_HARD = 1e-8 of the terms, rows being up to 10 long */
        TEST_ASSERT_TRUE_MESSAGE(r.iterations <= 500, text);
      }
  po_format(line, sizeof line, "%d of %d without a proof", unproven, solves);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(unproven * 50 <= solves, line);
}

/* A level of limits comes and goes and changes its size; contacts are lost and found: whatever is carried over, the answer is the cold one. */
static void test_levels_come_and_go(void) {
  static const int limits[] = {0, 0, 1, 2, 2, 3, 0, 1}, edges[] = {E, E, E, E, 4, 4, E, E};
  unsigned seed, seeds = full() ? 600 : 60;
  int tick, i, warm = 0;
  for (seed = 1; seed <= seeds; seed++)
    for (tick = 0; tick < 8; tick++) {
      po_hqp_result r;
      unsigned char state[1024];
      double x[N];
      TEST_ASSERT_TRUE(po_hqp_save_bytes(solver) <= sizeof state);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_save(state, sizeof state, solver));
      body(seed, tick, 3, edges[tick], limits[tick]);
      prove(0, seed, tick, &r);
      memcpy(x, r.x, sizeof(double) * (size_t)problem.n);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_restore(solver, state, po_hqp_save_bytes(solver)));
      prove(1, seed, tick, &r);
      warm += r.warm;
      for (i = 0; i < problem.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(x[i])), x[i], r.x[i]);
    }
  TEST_ASSERT_TRUE_MESSAGE(warm >= 5 * (int)seeds, "a level that came must not cost the others their start");
}

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, N, LEVELS, ROWS) != PO_OK) return 1;
  RUN_TEST(test_ticks_are_proven);
  RUN_TEST(test_stiff_objectives_in_the_air);
  RUN_TEST(test_nearly_singular_poses);
  RUN_TEST(test_levels_come_and_go);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
