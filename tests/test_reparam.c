/* test_reparam.c: Algorithm 1, line by line where a line can go wrong, and on the whole-body problems. */
#include "hqp_oracle.h"
#include "unity.h"

#include <math.h>

static po_hqp_solver *solver;

void setUp(void) {}
void tearDown(void) {}

static po_hqp_opts reparam(void) {
  po_hqp_opts o = po_hqp_opts_default();
  o.method = PO_HQP_REPARAM;
  o.warm = 0;
  return o;
}

static void solve_set(const char *name, int warm, po_qp_method qp, po_basis basis, int every) {
  static ho_set set;
  int i, k;
  if (!ho_read(&set, name)) {
    printf("1 skipped: %s.hqp is not there (set ORACLE)\n", name);
    TEST_IGNORE_MESSAGE("oracle absent");
  }
  for (i = 0; i < set.file->count; i += every) {
    po_hqp_opts o = reparam();
    po_hqp_result r;
    char text[200];
    o.warm = warm;
    o.qp = qp;
    o.basis = basis;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &set.file->problems[i], &o));
    for (k = 0; k < r.level_count; k++) {
      double want = set.want[i][k], got = r.levels[k].violation;
      po_format(text, sizeof text, "%s level %d: want %g got %g (%s)", set.file->problems[i].name, k, want, got, po_hqp_status_string(r.status));
      TEST_ASSERT_TRUE_MESSAGE(fabs(got - want) <= 1e-7 * po_max(1, want), text);
      TEST_ASSERT_TRUE_MESSAGE(r.levels[k].kkt <= 1e-8, text);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, r.status, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(6, r.levels[0].rank, "six equations of motion");
    TEST_ASSERT_EQUAL_INT_MESSAGE(12, r.levels[1].rank, "24 contact rows have rank 12");
  }
  po_hqp_file_free(set.file);
}

static void test_whole_body_cold(void) { solve_set("cold", 0, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL, 1); }
static void test_whole_body_warm(void) { solve_set("warm", 1, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL, 1); }
static void test_whole_body_svd(void) { solve_set("cold", 0, PO_QP_ACTIVE_SET, PO_BASIS_SVD, 1); }
static void test_whole_body_interior_point(void) { solve_set("cold", 0, PO_QP_INTERIOR_POINT, PO_BASIS_ORTHOGONAL, 4); }

/* Line 11: a level of full ROW rank must not end the algorithm; full COLUMN rank must. */
static void test_stops_at_full_column_rank(void) {
  double a0[] = {1, 0, 0, 0, 1, 0}, b0[] = {1, 2}, a1[] = {0, 0, 1}, b1[] = {3}, a2[] = {1, 1, 1}, b2[] = {100};
  po_hqp_level level[3] = {{"two of three", 2, {a0, 2, 3, 3}, b0, b0, 0}, {"the third", 1, {a1, 1, 3, 3}, b1, b1, 0}, {"nothing left", 1, {a2, 1, 3, 3}, b2, b2, 0}};
  po_hqp p = {"rank", 3, 3, level};
  po_hqp_opts o = reparam();
  po_hqp_result r;
  int basis;
  for (basis = 0; basis < 2; basis++) {
    o.basis = (po_basis)basis;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
    TEST_ASSERT_EQUAL_INT(2, r.levels[0].rank);
    TEST_ASSERT_EQUAL_INT(1, r.levels[1].rank);
    TEST_ASSERT_EQUAL_INT(0, r.levels[2].rank);
    TEST_ASSERT_EQUAL_INT(0, r.free_dimensions);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, r.x[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 94, r.levels[2].violation);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, r.factorizations, "no QP after the null space is empty");
  }
}

/* Lines 7-8: the point of the levels that went well, and a status. */
static void test_infeasible_returns_the_last_good_point(void) {
  double a[] = {1, 0, -1, 0, 0, 1}, l[] = {2, 0, 7}, u[] = {PO_INF, PO_INF, 7};
  po_hqp_level level = {"x >= 2 and x <= 0", 3, {a, 3, 2, 2}, l, u, 1};
  po_hqp p = {"infeasible", 2, 1, &level};
  po_hqp_opts o = reparam();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, r.status);
  TEST_ASSERT_TRUE(r.x[0] == 0 && r.x[1] == 0);
}

/* Hard equalities that contradict each other: the levels below still get a sensible answer, and the status tells. */
static void test_contradicting_equations_of_motion(void) {
  double a[] = {1, 0, 1, 0}, b[] = {0, 2}, a1[] = {0, 1}, b1[] = {5};
  po_hqp_level level[2] = {{"hard", 2, {a, 2, 2, 2}, b, b, 1}, {"y", 1, {a1, 1, 2, 2}, b1, b1, 0}};
  po_hqp p = {"contradiction", 2, 2, level};
  po_hqp_opts o = reparam();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, r.status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, r.x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5, r.x[1]);
}

/* Damping pulls a level's own answer towards zero and must not open its directions to the levels below. */
static void test_damping_is_in_the_cost_alone(void) {
  double a0[] = {1, 0}, b0[] = {1}, a1[] = {1, 0, 0, 1}, b1[] = {50, 3};
  po_hqp_level level[2] = {{"x", 1, {a0, 1, 2, 2}, b0, b0, 0}, {"both", 2, {a1, 2, 2, 2}, b1, b1, 0}};
  po_hqp p = {"damping", 2, 2, level};
  po_hqp_opts o = reparam();
  po_hqp_result r;
  o.damping = 0.2; /* of the trace over the dimension: 1 + 0.1 */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1 / 1.1, r.x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 3 / 1.2, r.x[1]);
  TEST_ASSERT_EQUAL_INT(1, r.levels[0].rank);
}

/* The same row again, below itself: what C̄ leaves of it is rounding, neither a rank nor a direction to go in. */
static void test_a_row_that_is_already_fixed(void) {
  double a0[] = {-1.3407736463090516, -1.8736263561484567}, b0[] = {1.7}, b1[] = {2.2}, a2[] = {1, 0}, b2[] = {0.5};
  po_hqp_level level[3] = {{"row", 1, {a0, 1, 2, 2}, b0, b0, 0}, {"again", 1, {a0, 1, 2, 2}, b1, b1, 0}, {"x", 1, {a2, 1, 2, 2}, b2, b2, 0}};
  po_hqp p = {"again", 2, 3, level};
  po_hqp_opts o = reparam();
  po_hqp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
  TEST_ASSERT_EQUAL_INT(0, r.levels[1].rank);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, r.levels[0].violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, r.levels[1].violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, r.levels[2].violation);
}

static void test_rank_hysteresis(void) {
  po_hqp_opts o = reparam();
  double tilt[] = {0.8e-8, 3e-8, 0.8e-8, 3e-8, 1e-3, 3e-8};
  int want_off[] = {1, 2, 1, 2, 2, 2}, want_on[] = {1, 1, 1, 1, 2, 2}, i, on;
  for (on = 0; on < 2; on++)
    for (i = 0; i < 6; i++) {
      double a[] = {1, 0, 1, tilt[i]}, b[] = {1, 1 + tilt[i]}, a1[] = {0, 1}, b1[] = {7};
      po_hqp_level level[2] = {{"pair", 2, {a, 2, 2, 2}, b, b, 0}, {"y", 1, {a1, 1, 2, 2}, b1, b1, 0}};
      po_hqp p = {"rank", 2, 2, level};
      po_hqp_result r;
      o.hysteresis = on ? 100 : 1;
      o.warm = i > 0;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, &o));
      TEST_ASSERT_EQUAL_INT_MESSAGE(on ? want_on[i] : want_off[i], r.levels[0].rank, on ? "with hysteresis" : "without");
    }
}

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, 67, 4, 138) != PO_OK) return 1;
  RUN_TEST(test_whole_body_cold);
  RUN_TEST(test_whole_body_warm);
  RUN_TEST(test_whole_body_svd);
  RUN_TEST(test_whole_body_interior_point);
  RUN_TEST(test_stops_at_full_column_rank);
  RUN_TEST(test_infeasible_returns_the_last_good_point);
  RUN_TEST(test_contradicting_equations_of_motion);
  RUN_TEST(test_damping_is_in_the_cost_alone);
  RUN_TEST(test_a_row_that_is_already_fixed);
  RUN_TEST(test_rank_hysteresis);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
