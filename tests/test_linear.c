/* test_linear.c: accumulating equalities, on the whole-body problems and where they are known to hurt. */
#include "hqp_oracle.h"
#include "unity.h"

#include <math.h>

static po_hqp_solver *solver;

void setUp(void) {}
void tearDown(void) {}

static po_hqp_opts linear(void) {
  po_hqp_opts o = po_hqp_opts_default();
  o.method = PO_HQP_LINEAR;
  o.warm = 0;
  return o;
}

static void test_whole_body(void) {
  static ho_set set;
  int i, k;
  if (!ho_read(&set, "cold")) {
    printf("1 skipped: cold.hqp is not there (set ORACLE)\n");
    TEST_IGNORE_MESSAGE("oracle absent");
  }
  for (i = 0; i < set.file->count; i += 3) {
    po_hqp_opts o = linear();
    po_hqp_result r;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &set.file->problems[i], &o));
    for (k = 0; k < r.level_count; k++)
      TEST_ASSERT_TRUE_MESSAGE(fabs(r.levels[k].violation - set.want[i][k]) <= 1e-6 * po_max(1, set.want[i][k]), set.file->problems[i].name);
  }
  po_hqp_file_free(set.file);
}

/* Contact rows that depend on each other pile up as equalities; the level below must still find its optimum. */
static void test_dependent_equalities(void) {
  double a0[] = {1, 1, 0, 1, 1, 0, 2, 2, 0}, b0[] = {1, 1, 2}, a1[] = {1, 0, 0, 0, 0, 1}, b1[] = {5, 6};
  po_hqp_level level[2] = {{"three times one row", 3, {a0, 3, 3, 3}, b0, b0, 0}, {"rest", 2, {a1, 2, 3, 3}, b1, b1, 0}};
  po_hqp p = {"dependent", 3, 2, level};
  po_hqp_opts o = linear();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, r.levels[0].violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, r.levels[1].violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, -4, r.x[1]);
}

static void test_infeasible_hard_level(void) {
  double a[] = {1, 1}, l[] = {2, -PO_INF}, u[] = {PO_INF, 0};
  po_hqp_level level = {"x >= 2 and x <= 0", 2, {a, 2, 1, 1}, l, u, 1};
  po_hqp p = {"infeasible", 1, 1, &level};
  po_hqp_opts o = linear();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, r.status);
  TEST_ASSERT_TRUE(r.x[0] == 0);
}

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, 67, 4, 138) != PO_OK) return 1;
  RUN_TEST(test_whole_body);
  RUN_TEST(test_dependent_equalities);
  RUN_TEST(test_infeasible_hard_level);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
