/* test_weighted.c: one QP for all levels: exact for its own cost, and the lexicographic answer in the limit. */
#include "hqp_random.h"
#include "unity.h"

#include <math.h>

static po_hqp_solver *solver;

void setUp(void) {}
void tearDown(void) {}

/* x = 1 above x = 0 with ratio w: x = w / (w + 1). */
static void test_weighs_by_the_ratio(void) {
  double a[] = {1}, one[] = {1}, zero[] = {0}, ratio[] = {1, 4, 1e4};
  po_hqp_level level[2] = {{"one", 1, {a, 1, 1, 1}, one, one, 0}, {"zero", 1, {a, 1, 1, 1}, zero, zero, 0}};
  po_hqp p = {"ratio", 1, 2, level};
  po_hqp_opts o = po_hqp_opts_default();
  po_hqp_result r;
  int i;
  o.method = PO_HQP_WEIGHTED;
  for (i = 0; i < 3; i++) {
    o.weight_ratio = ratio[i];
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, ratio[i] / (ratio[i] + 1), r.x[0]);
  }
}

/* A soft inequality pulls with its level's weight: x >= 1 above x = 0. */
static void test_soft_inequalities_weigh_too(void) {
  double a[] = {1}, one[] = {1}, zero[] = {0}, inf[] = {PO_INF};
  po_hqp_level level[2] = {{"at least one", 1, {a, 1, 1, 1}, one, inf, 0}, {"zero", 1, {a, 1, 1, 1}, zero, zero, 0}};
  po_hqp p = {"soft", 1, 2, level};
  po_hqp_opts o = po_hqp_opts_default();
  po_hqp_result r;
  o.method = PO_HQP_WEIGHTED;
  o.weight_ratio = 9;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.9, r.x[0]);
}

/* With growing ratio the violations tend to the lexicographic ones, level by level, and the first is never better than optimal. */
static void test_tends_to_the_lexicographic_answer(void) {
  static hr_problem q;
  hr_shape shape = {5, 2, 4, 0};
  unsigned seed;
  int nearer = 0, total = 0;
  for (seed = 1; seed < 200; seed++) {
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result exact, r;
    double far, near;
    hr_make(&q, shape, seed);
    if (q.hqp.level_count < 2) continue;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&exact, solver, &q.hqp, &o));
    o.method = PO_HQP_WEIGHTED;
    o.weight_ratio = 10;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, &o));
    if (r.status != PO_HQP_OPTIMAL) hr_print(&q, seed);
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
    TEST_ASSERT_TRUE(r.levels[0].violation >= exact.levels[0].violation - 1e-7);
    far = fabs(r.levels[0].violation - exact.levels[0].violation);
    o.weight_ratio = 1e4;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &q.hqp, &o));
    near = fabs(r.levels[0].violation - exact.levels[0].violation);
    nearer += near <= far / 5 + 1e-7; /* a thousand times the ratio; degenerate ones gain less than that */
    total++;
  }
  TEST_ASSERT_EQUAL_INT(total, nearer);
  TEST_ASSERT_TRUE(total > 50);
}

static void test_hard_rows_hold(void) {
  double a[] = {1, 1}, l[] = {-PO_INF}, u[] = {1}, a1[] = {1, 0, 0, 1}, b1[] = {3, 3};
  po_hqp_level level[2] = {{"hard", 1, {a, 1, 2, 2}, l, u, 1}, {"both", 2, {a1, 2, 2, 2}, b1, b1, 0}};
  po_hqp p = {"hard", 2, 2, level};
  po_hqp_opts o = po_hqp_opts_default();
  po_hqp_result r;
  o.method = PO_HQP_WEIGHTED;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, r.x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, r.x[1]);
  TEST_ASSERT_EQUAL_INT(1, r.levels[0].active[0]);
}

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, HR_N, HR_LEVELS, HR_LEVELS * HR_ROWS) != PO_OK) return 1;
  RUN_TEST(test_weighs_by_the_ratio);
  RUN_TEST(test_soft_inequalities_weigh_too);
  RUN_TEST(test_tends_to_the_lexicographic_answer);
  RUN_TEST(test_hard_rows_hold);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
