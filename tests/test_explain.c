/* Sentences about results, in the problem's own names. */
#include "qp/qp.h"
#include "unity.h"

#include <string.h>

static po_qp p;
static po_qp_result r;
static char text[200];

void setUp(void) {
  memset(&p, 0, sizeof p);
  memset(&r, 0, sizeof r);
  p.n = 20; p.me = 1; p.mi = 2;
}
void tearDown(void) {}

static void says(const char *expected) {
  int length = po_qp_explain(text, sizeof text, &p, &r);
  TEST_ASSERT_EQUAL_STRING(expected, text);
  TEST_ASSERT_EQUAL_INT((int)strlen(expected), length);
}

static void test_conflicts(void) {
  static const int some[] = {0, 2, 4}, one[] = {1}, many[] = {3, 4, 5, 6, 7, 8, 9, 10, 11};
  static const char *const rows[] = {"ground", "knee", "hip"};
  r.status = PO_QP_INFEASIBLE;
  r.conflict = some;
  r.conflict_count = 3;
  says("infeasible: equality row 0, row 1 and the bounds of variable 1 cannot hold together");
  p.row_names = rows;
  says("infeasible: ground, hip and the bounds of variable 1 cannot hold together");
  r.conflict = one;
  r.conflict_count = 1;
  says("infeasible: knee cannot hold");
  r.conflict = many;
  r.conflict_count = 9;
  po_qp_explain(text, sizeof text, &p, &r);
  TEST_ASSERT_NOT_NULL(strstr(text, "the bounds of variable 5 and 3 more cannot"));
}

static void test_other_statuses(void) {
  r.primal_residual = 1e-12; r.dual_residual = 2e-11; r.gap = 0;
  says("optimal: residuals 1.0e-12 primal, 2.0e-11 dual, gap 0.0e+00");
  r.status = PO_QP_ITERATION_LIMIT;
  r.iterations = 12;
  says("iteration_limit after 12 iterations");
  r.status = PO_QP_UNBOUNDED;
  says("unbounded: the objective falls for ever along the ray");
  r.status = PO_QP_NONCONVEX;
  says("nonconvex: H has negative curvature along the ray");
}

static void test_short_buffers(void) {
  char small[12];
  r.status = PO_QP_NONCONVEX;
  memset(small, 'x', sizeof small);
  TEST_ASSERT_EQUAL_INT(49, po_qp_explain(small, 10, &p, &r));
  TEST_ASSERT_EQUAL_STRING("nonconvex", small);
  TEST_ASSERT_EQUAL_INT('x', small[10]);
  TEST_ASSERT_EQUAL_INT(49, po_qp_explain(NULL, 0, &p, &r));
  TEST_ASSERT_EQUAL_INT(0, po_qp_explain(NULL, 3, &p, &r));
  TEST_ASSERT_EQUAL_INT(0, po_qp_explain(text, 3, NULL, &r));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_conflicts);
  RUN_TEST(test_other_statuses);
  RUN_TEST(test_short_buffers);
  return UNITY_END() != 0;
}
