/* test_lexicographic.c: exact at every level, whatever the start, and bounded whatever the input. */
#include "hqp_checker.h"
#include "hqp_oracle.h"
#include "hqp_random.h"
#include "counting.h"
#include "unity.h"

static po_hqp_solver *solver;
static hr_problem q;

void setUp(void) {}
void tearDown(void) {}

static int full(void) { return getenv("POISE_FULL") != NULL; }

static void fail(const char *format, const char *what, unsigned seed) {
  char text[400];
  po_format(text, sizeof text, format, what, seed);
  hr_print(&q, seed);
  TEST_FAIL_MESSAGE(text);
}

static po_hqp_opts cold(void) {
  po_hqp_opts o = po_hqp_opts_default();
  o.warm = 0;
  return o;
}

/* ---- problems of every kind, proven optimal from their multipliers ---------------------------------------------------------------- */

static void prove(hr_shape shape, int count, unsigned base) {
  unsigned seed;
  for (seed = base; seed < base + (unsigned)count; seed++) {
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result r;
    hc_report rep;
    double x[HR_N];
    char text[300];
    int pass, k, i;
    hr_make(&q, shape, seed);
    for (pass = 0; pass < 2; pass++) { /* cold, then warm from its own answer */
      o.warm = pass;
      if (po_hqp_solve(&r, solver, &q.hqp, &o) != PO_OK) fail("%s, seed %u", "misuse", seed);
      if (r.status != PO_HQP_OPTIMAL && r.status != PO_HQP_INFEASIBLE) fail("status %s, seed %u", po_hqp_status_string(r.status), seed);
      if (!hc_check(&rep, &q.hqp, &r, 1e-8)) {
        hc_describe(text, sizeof text, &rep);
        fail("%s, seed %u", text, seed);
      }
      for (k = 0; k < r.level_count; k++)
        if (fabs(r.levels[k].violation - po_hqp_violation(&q.level[k], q.hqp.n, r.x)) > 1e-12 * (1 + r.levels[k].violation)) fail("%s, seed %u", "violation differs from po_hqp_violation", seed);
      if (pass == 0) memcpy(x, r.x, sizeof(double) * (size_t)q.hqp.n);
      for (i = 0; i < q.hqp.n && pass == 1; i++) /* what no level decides goes to least norm, so x is unique */
        if (fabs(x[i] - r.x[i]) > 1e-6 * (1 + fabs(x[i]))) fail("%s, seed %u", "warm differs from cold", seed);
    }
  }
}

static void test_small_problems_are_proven(void) {
  static const hr_shape shapes[] = {{8, 4, 12, 1}, {8, 4, 6, 1}, {6, 4, 12, 0}, {8, 3, 10, 2}, {4, 4, 12, 1}};
  int s;
  for (s = 0; s < 5; s++) prove(shapes[s], full() ? 20000 : 600, 1u + 1000000u * (unsigned)s);
}

static void test_larger_problems_are_proven(void) {
  static const hr_shape shapes[] = {{48, 4, 40, 1}, {20, 4, 30, 1}, {40, 4, 20, 0}, {30, 3, 48, 2}, {12, 4, 40, 1}};
  int s;
  for (s = 0; s < 5; s++) prove(shapes[s], full() ? 4000 : 150, 7000000u + 1000000u * (unsigned)s);
}

/* Warm from the active set of another problem of the same shape, so that much of it is wrong. */
static void prove_from_strangers(hr_shape shape, int count, unsigned base) {
  unsigned seed;
  for (seed = base; seed < base + (unsigned)count; seed++) {
    po_hqp_result r;
    hc_report rep;
    po_rng rng;
    char text[300];
    int pass, k, i;
    hr_make(&q, shape, seed);
    po_rng_init(&rng, seed, 1);
    for (pass = 0; pass < 4; pass++) {
      for (k = 0; k < q.hqp.level_count && pass; k++)
        for (i = 0; i < q.level[k].rows; i++) {
          double shift = po_rng_below(&rng, 2) ? 0 : po_rng_below(&rng, 9) - 4;
          q.lower[k][i] += shift;
          q.upper[k][i] += shift;
          if (po_rng_below(&rng, 3) == 0) q.a[k][i * q.hqp.n + po_rng_below(&rng, q.hqp.n)] += 1;
        }
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, NULL));
      if (r.status != PO_HQP_OPTIMAL && r.status != PO_HQP_INFEASIBLE) fail("status %s, seed %u", po_hqp_status_string(r.status), seed);
      if (!hc_check(&rep, &q.hqp, &r, 1e-8)) {
        hc_describe(text, sizeof text, &rep);
        fail("%s, seed %u", text, seed);
      }
    }
  }
}

static void test_warm_from_strangers(void) {
  static const hr_shape shapes[] = {{8, 4, 12, 1}, {6, 4, 12, 0}, {8, 3, 10, 2}, {30, 4, 30, 1}, {40, 3, 40, 2}};
  int s;
  for (s = 0; s < 5; s++) prove_from_strangers(shapes[s], full() ? 4000 : 120, 20000000u + 1000000u * (unsigned)s);
}

/* ---- the whole-body problems --------------------------------------------------------------------------------------------------------- */

static void solve_set(const char *name, int warm) {
  static ho_set set;
  po_hqp_solver *s = NULL;
  int i, k;
  if (!ho_read(&set, name)) {
    printf("1 skipped: %s.hqp is not there (set ORACLE)\n", name);
    TEST_IGNORE_MESSAGE("oracle absent");
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 67, 4, 138));
  for (i = 0; i < set.file->count; i++) {
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result r;
    hc_report rep;
    char text[400], proof[300];
    o.warm = warm;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &set.file->problems[i], &o));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, r.status, set.file->problems[i].name);
    for (k = 0; k < r.level_count; k++) { /* the file has nine digits */
      double want = set.want[i][k], got = r.levels[k].violation;
      po_format(text, sizeof text, "%s level %d: want %g got %g", set.file->problems[i].name, k, want, got);
      TEST_ASSERT_TRUE_MESSAGE(fabs(got - want) <= 6e-9 * po_max(1, want), text);
      TEST_ASSERT_TRUE_MESSAGE(r.levels[k].kkt <= 1e-9, text);
    }
    if (!hc_check(&rep, &set.file->problems[i], &r, 1e-9)) {
      hc_describe(proof, sizeof proof, &rep);
      po_format(text, sizeof text, "%s: %s", set.file->problems[i].name, proof);
      TEST_FAIL_MESSAGE(text);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(12, r.levels[1].rank, "24 contact rows have rank 12");
  }
  po_hqp_free(s);
  po_hqp_file_free(set.file);
}

static void test_whole_body_cold(void) { solve_set("cold", 0); }
static void test_whole_body_warm(void) { solve_set("warm", 1); }

static void test_whole_body_size_fits_eleven_eighths_of_a_mebibyte(void) {
  TEST_ASSERT_TRUE(po_hqp_bytes(67, 4, 138) > 0);
  TEST_ASSERT_TRUE(po_hqp_bytes(67, 4, 138) <= 11 << 17); /* of which the rows in other units are 0.08, and what the descent turns 0.23 */
}

/* ---- by hand ---------------------------------------------------------------------------------------------------------------------------- */

/* x + y <= 1 hard; then x = 2; then y = 0 and x = 0: the second level takes all it can, the third is stopped by it. */
static void test_by_hand(void) {
  double a0[] = {1, 1}, a1[] = {1, 0}, a2[] = {0, 1, 1, 0}, l0[] = {-PO_INF}, u0[] = {1}, b1[] = {2}, b2[] = {0, 0};
  po_hqp_level level[3] = {{"hard", 1, {a0, 1, 2, 2}, l0, u0, 1}, {"x", 1, {a1, 1, 2, 2}, b1, b1, 0}, {"rest", 2, {a2, 2, 2, 2}, b2, b2, 0}};
  po_hqp p = {"hand", 2, 3, level};
  po_hqp_opts o = cold();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2, r.x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -1, r.x[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, r.levels[1].violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(5.0), r.levels[2].violation);
  TEST_ASSERT_EQUAL_INT(1, r.levels[0].active[0]);
  TEST_ASSERT_EQUAL_INT(2, r.levels[1].active[0]);
  TEST_ASSERT_EQUAL_INT(1, r.levels[0].rank);
  TEST_ASSERT_EQUAL_INT(1, r.levels[1].rank);
  TEST_ASSERT_EQUAL_INT(0, r.levels[2].rank);
  TEST_ASSERT_EQUAL_INT(0, r.free_dimensions);
  TEST_ASSERT_EQUAL_INT(-1, r.levels[1].blocked_by);
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.levels[2].blocked_by, "x = 2 takes 3 of the third level, the hard row 1");
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, r.levels[2].lambda[0]);  /* −1 + λ = 0 in y */
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -3, r.levels[2].lambda[1]); /* 2 + λ0 + λ1 = 0 in x */
}

static void test_contradicting_hard_rows(void) {
  double a[] = {1, 0, 1, 0}, b[] = {0, 2}, a1[] = {0, 1}, b1[] = {5};
  po_hqp_level level[2] = {{"hard", 2, {a, 2, 2, 2}, b, b, 1}, {"y", 1, {a1, 1, 2, 2}, b1, b1, 0}};
  po_hqp p = {"contradiction", 2, 2, level};
  po_hqp_opts o = cold();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, r.status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, r.x[0]); /* as near as they go, and the rest of the hierarchy goes on */
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 5, r.x[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(2.0), r.levels[0].violation);
}

static void test_empty_things(void) {
  double a[] = {1, 2}, b[] = {3}, l[] = {1};
  po_hqp_level none = {"none", 0, {NULL, 0, 0, 0}, NULL, NULL, 0}, some = {"some", 1, {a, 1, 2, 2}, b, b, 0}, level[3];
  po_hqp_level columns = {"no columns", 1, {NULL, 1, 0, 0}, l, b, 0};
  po_hqp p = {"empty", 2, 0, NULL};
  po_hqp_opts o = cold();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, solver, &p, &o), "no levels");
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  TEST_ASSERT_EQUAL_INT(2, r.free_dimensions);
  level[0] = none;
  level[1] = some;
  level[2] = none;
  p.levels = level;
  p.level_count = 3;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, solver, &p, &o), "empty levels");
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 3, r.x[0] + 2 * r.x[1]);
  TEST_ASSERT_EQUAL_INT(1, r.free_dimensions);
  p.n = 0;
  p.levels = &columns;
  p.level_count = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, solver, &p, &o), "no columns");
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, r.levels[0].violation);
  columns.hard = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, solver, &p, &o), "no columns, hard");
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, r.status);
}

/* ---- rank -------------------------------------------------------------------------------------------------------------------------------- */

/* Level 0 wants x = 1 and x + t y = 1 + t; for t -> 0 its rank falls from 2 to 1 and y is left to level 1, which wants 7. */
static int rank_at(double t, const po_hqp_opts *o, double *y) {
  double a[] = {1, 0, 1, t}, b[] = {1, 1 + t}, a1[] = {0, 1}, b1[] = {7};
  po_hqp_level level[2] = {{"pair", 2, {a, 2, 2, 2}, b, b, 0}, {"y", 1, {a1, 1, 2, 2}, b1, b1, 0}};
  po_hqp p = {"rank", 2, 2, level};
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  TEST_ASSERT_TRUE(r.levels[0].violation <= 1e-6 && r.levels[0].rank + r.levels[1].rank == 2);
  *y = r.x[1];
  return r.levels[0].rank;
}

static void test_rank_along_a_path(void) {
  po_hqp_opts o = po_hqp_opts_default();
  double y, t;
  int i;
  for (i = 0; i < 3; i++) {
    for (t = 1; t > 1e-7; t *= 0.5) {
      TEST_ASSERT_EQUAL_INT(2, rank_at(t, &o, &y));
      TEST_ASSERT_DOUBLE_WITHIN(1e-15 / t * 10, 1, y);
    }
    for (; t > 1e-12; t *= 0.5) (void)rank_at(t, &o, &y);
    for (; t > 1e-20; t *= 0.5) {
      TEST_ASSERT_EQUAL_INT(1, rank_at(t, &o, &y));
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 7, y);
    }
  }
}

/* Around the tolerance the rank flips with every tick; with hysteresis it stays what it was. */
static void test_rank_hysteresis(void) {
  po_hqp_opts o = po_hqp_opts_default();
  double y, low = 0.8e-8, high = 3e-8;
  int i, flips = 0, last;
  last = rank_at(low, &o, &y);
  for (i = 0; i < 10; i++) {
    int rank = rank_at(i % 2 ? low : high, &o, &y);
    flips += rank != last;
    last = rank;
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(10, flips, "without hysteresis");
  o.hysteresis = 100;
  last = rank_at(low, &o, &y);
  for (i = 0; i < 10; i++) TEST_ASSERT_EQUAL_INT_MESSAGE(last, rank_at(i % 2 ? low : high, &o, &y), "with hysteresis");
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, rank_at(1e-3, &o, &y), "far above the tolerance it comes back");
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, rank_at(high, &o, &y), "and stays down to the tolerance");
}

/* ---- the door ------------------------------------------------------------------------------------------------------------------------------ */

static void test_refuses_bad_problems(void) {
  double a[] = {1, 2, 3, 4}, l[] = {0, 0}, u[] = {1, 1}, nan_a[] = {1, PO_NAN, 3, 4}, inf_a[] = {1, 2, PO_INF, 4}, nan_l[] = {0, PO_NAN};
  double high[] = {2, 2}, up[] = {PO_INF, 0};
  po_hqp_level good = {"level", 2, {a, 2, 2, 2}, l, u, 0}, level[2];
  po_hqp p = {"bad", 2, 1, level};
  po_hqp_opts o;
  po_hqp_result r;
  int i;
  struct { po_status want; po_mat A; const double *lower, *upper; int rows, hard1; } bad[] = {
      {PO_ERR_NOT_FINITE, {nan_a, 2, 2, 2}, l, u, 2, 0}, {PO_ERR_NOT_FINITE, {inf_a, 2, 2, 2}, l, u, 2, 0},
      {PO_ERR_NOT_FINITE, {a, 2, 2, 2}, nan_l, u, 2, 0}, {PO_ERR_BOUNDS, {a, 2, 2, 2}, high, u, 2, 0},
      {PO_ERR_BOUNDS, {a, 2, 2, 2}, up, up, 2, 0},       {PO_ERR_SIZE, {a, 1, 2, 2}, l, u, 2, 0},
      {PO_ERR_SIZE, {a, 2, 3, 3}, l, u, 2, 0},           {PO_ERR_SIZE, {a, 2, 2, 1}, l, u, 2, 0},
      {PO_ERR_SIZE, {a, 2, 2, 2}, l, u, -1, 0},          {PO_ERR_NULL, {NULL, 2, 2, 2}, l, u, 2, 0},
      {PO_ERR_NULL, {a, 2, 2, 2}, NULL, u, 2, 0},
      {PO_ERR_RANGE, {a, 2, 2, 2}, l, u, 2, 1}};
  for (i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
    char text[40];
    po_format(text, sizeof text, "case %d", i);
    level[0] = level[1] = good;
    p.level_count = 2;
    level[1].A = bad[i].A;
    level[1].lower = bad[i].lower;
    level[1].upper = bad[i].upper;
    level[1].rows = bad[i].rows;
    level[1].hard = bad[i].hard1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].want, po_hqp_solve(&r, solver, &p, NULL), text);
  }
  level[0] = good;
  p.level_count = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_hqp_solve(&r, NULL, &p, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_hqp_solve(&r, solver, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_hqp_solve(NULL, solver, &p, NULL));
  p.n = HR_N + 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_SIZE, po_hqp_solve(&r, solver, &p, NULL), "more columns than the solver has room for");
  p.n = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_hqp_solve(&r, solver, &p, NULL));
  p.n = 2;
  p.level_count = HR_LEVELS + 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_hqp_solve(&r, solver, &p, NULL));
  p.level_count = 1;
#define REFUSED(field, value) \
  o = po_hqp_opts_default(); \
  o.field = value; \
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_RANGE, po_hqp_solve(&r, solver, &p, &o), #field)
  REFUSED(method, (po_hqp_method)9);
  REFUSED(qp, (po_qp_method)9);
  REFUSED(basis, (po_basis)9);
  REFUSED(rank_tol, PO_NAN);
  REFUSED(rank_tol, 1);
  REFUSED(hysteresis, 0.5);
  REFUSED(damping, -1);
  REFUSED(damping, PO_NAN);
  REFUSED(weight_ratio, 0);
  REFUSED(max_iterations, -1);
#undef REFUSED
  TEST_ASSERT_EQUAL_INT(0, (int)po_hqp_bytes(-1, 1, 1));
  TEST_ASSERT_EQUAL_INT(0, (int)po_hqp_bytes(1, PO_HQP_MAX_LEVELS + 1, 1));
}

/* Coefficients whose squares overflow: a status, and numbers. */
static void test_beyond_what_doubles_hold(void) {
  double a[] = {1, 1e200, 1e-200, 3}, b[] = {1, 2};
  po_hqp_level level = {"huge", 2, {a, 2, 2, 2}, b, b, 0};
  po_hqp p = {"huge", 2, 1, &level};
  po_hqp_opts o = cold();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_TRUE(po_all_finite(r.x, 2));
  level.hard = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_TRUE(po_all_finite(r.x, 2));
}

/* Few iterations are few, and x is still a point. */
static void test_iteration_limit(void) {
  unsigned seed;
  int limited = 0;
  for (seed = 1; seed < 200; seed++) {
    hr_shape shape = {20, 4, 30, 1};
    po_hqp_opts o = cold();
    po_hqp_result r;
    hr_make(&q, shape, seed);
    o.max_iterations = 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, &o));
    limited += r.status == PO_HQP_ITERATION_LIMIT;
    TEST_ASSERT_TRUE(po_all_finite(r.x, q.hqp.n));
  }
  TEST_ASSERT_TRUE_MESSAGE(limited > 50, "the limit must be felt");
}

/* Who reaches the limit tells, and is answered for by reparam unless that is forbidden: then the last iterate and the reason are all there is, soon. */
static void test_second_opinions_are_told_and_can_be_forbidden(void) {
  unsigned seed;
  int asked = 0;
  for (seed = 1; seed < 200; seed++) {
    hr_shape shape = {20, 4, 30, 1};
    po_hqp_opts o = cold();
    po_hqp_result with, without;
    hr_make(&q, shape, seed);
    o.max_iterations = 1;
    o.second_opinion = 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&without, solver, &q.hqp, &o));
    TEST_ASSERT_EQUAL_INT(0, without.second_opinion);
    o.second_opinion = 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&with, solver, &q.hqp, &o));
    TEST_ASSERT_EQUAL_INT(without.status == PO_HQP_ITERATION_LIMIT || without.status == PO_HQP_NUMERICAL, with.second_opinion);
    if (with.second_opinion) TEST_ASSERT_TRUE(with.iterations >= without.iterations && with.flops >= without.flops);
    asked += with.second_opinion;
    o.max_iterations = 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&with, solver, &q.hqp, &o));
    TEST_ASSERT_EQUAL_INT(0, with.second_opinion);
  }
  TEST_ASSERT_TRUE_MESSAGE(asked > 50, "the limit must be felt");
}

/* ---- promises ------------------------------------------------------------------------------------------------------------------------------- */

static void test_a_solve_does_not_allocate(void) {
  hr_shape shape = {40, 4, 40, 2};
  po_hqp_result r;
  unsigned seed;
  po_set_allocator(counting, NULL);
  allocations = 0;
  for (seed = 1; seed < 50; seed++) {
    hr_make(&q, shape, seed);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, NULL));
  }
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT(0, allocations);
}

/* Every row a soft inequality, every size at its limit: the block that po_hqp_bytes asked for must do. */
static void test_memory_at_the_limit(void) {
  unsigned seed;
  for (seed = 1; seed < 60; seed++) {
    hr_shape shape = {6, 4, 10, 1};
    int rows = 0, k;
    size_t bytes;
    void *mem;
    po_hqp_solver *s;
    po_hqp_result r;
    hr_make(&q, shape, seed);
    for (k = 0; k < q.hqp.level_count; k++) rows += q.level[k].rows;
    bytes = po_hqp_bytes(q.hqp.n, q.hqp.level_count, rows);
    mem = malloc(bytes + 64);
    memset(mem, 0xa5, bytes + 64);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_init(&s, q.hqp.n, q.hqp.level_count, rows, mem, bytes));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &q.hqp, NULL));
    for (k = 0; k < 64; k++) TEST_ASSERT_EQUAL_INT_MESSAGE(0xa5, ((unsigned char *)mem)[bytes + (size_t)k], "wrote behind its block");
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_hqp_init(&s, q.hqp.n, q.hqp.level_count, rows, mem, bytes - 1));
    free(mem);
  }
}

static void test_restore_is_bit_identical(void) {
  hr_shape shape = {20, 4, 20, 1};
  unsigned char state[4096];
  size_t bytes = po_hqp_save_bytes(solver);
  double x[HR_N];
  po_hqp_result r;
  unsigned seed;
  TEST_ASSERT_TRUE(bytes <= sizeof state);
  for (seed = 1; seed < 60; seed++) {
    int i, its;
    hr_make(&q, shape, seed);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, NULL));
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_hqp_save(state, bytes - 1, solver));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_save(state, bytes, solver));
    for (i = 0; i < q.level[0].rows; i++) q.upper[0][i] += 0.25, q.lower[0][i] += 0.25;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, NULL));
    memcpy(x, r.x, sizeof x);
    its = r.iterations;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_restore(solver, state, bytes));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, NULL));
    TEST_ASSERT_EQUAL_INT(its, r.iterations);
    TEST_ASSERT_TRUE(memcmp(x, r.x, sizeof(double) * (size_t)q.hqp.n) == 0);
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_hqp_restore(solver, state, bytes - 1));
  memset(state, 7, sizeof state);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_hqp_restore(solver, state, bytes));
}

static void test_scalar_and_avx2_agree(void) {
  hr_shape shape = {40, 4, 30, 1};
  unsigned seed;
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("no AVX2 here");
  for (seed = 1; seed < 100; seed++) {
    po_hqp_opts o = cold();
    double x[HR_N];
    po_hqp_result r;
    int i;
    hr_make(&q, shape, seed);
    po_set_simd(PO_SIMD_AVX2);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, &o));
    memcpy(x, r.x, sizeof x);
    po_set_simd(PO_SIMD_SCALAR);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, &o));
    for (i = 0; i < q.hqp.n; i++)
      if (fabs(x[i] - r.x[i]) > 1e-7 * (1 + fabs(x[i]))) fail("%s, seed %u", "scalar and avx2 differ", seed);
  }
  po_set_simd(PO_SIMD_AUTO);
}

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, HR_N, HR_LEVELS, HR_LEVELS * HR_ROWS) != PO_OK) return 1;
  RUN_TEST(test_small_problems_are_proven);
  RUN_TEST(test_larger_problems_are_proven);
  RUN_TEST(test_warm_from_strangers);
  RUN_TEST(test_whole_body_cold);
  RUN_TEST(test_whole_body_warm);
  RUN_TEST(test_whole_body_size_fits_eleven_eighths_of_a_mebibyte);
  RUN_TEST(test_by_hand);
  RUN_TEST(test_contradicting_hard_rows);
  RUN_TEST(test_empty_things);
  RUN_TEST(test_rank_along_a_path);
  RUN_TEST(test_rank_hysteresis);
  RUN_TEST(test_refuses_bad_problems);
  RUN_TEST(test_beyond_what_doubles_hold);
  RUN_TEST(test_iteration_limit);
  RUN_TEST(test_second_opinions_are_told_and_can_be_forbidden);
  RUN_TEST(test_a_solve_does_not_allocate);
  RUN_TEST(test_memory_at_the_limit);
  RUN_TEST(test_restore_is_bit_identical);
  RUN_TEST(test_scalar_and_avx2_agree);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
