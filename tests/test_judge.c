/* test_judge.c: the judge of hierarchies says yes at optima that enumeration knows, and no beside them; families are what they are called. */
#include "../bench/families.h"
#include "../bench/judge.h"
#include "hqp_brute.h"
#include "hqp_random.h"
#include "unity.h"

#include <math.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static double worst(const po_hqp *p, const double *x) {
  double violation[PO_HQP_MAX_LEVELS], avoidable[PO_HQP_MAX_LEVELS], most = 0;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_judge(violation, avoidable, p, x));
  for (k = 0; k < p->level_count; k++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + violation[k]), po_hqp_violation(&p->levels[k], p->n, x), violation[k]);
    most = po_max(most, avoidable[k] / po_max(1, violation[k]));
  }
  return most;
}

/* Two rows in one level that both can be met, unknowns eight decades apart: x = 0 misses one of them by 1, all of it avoidable. */
static void test_an_avoidable_violation_is_seen(void) {
  double a[] = {1, 1e-8, 1, 2e-8}, b[] = {0, 1}, zero[] = {0.5, 0}, good[] = {-1, 1e8};
  po_hqp_level level = {"two", 2, {a, 2, 2, 2}, b, b, 0};
  po_hqp p = {"two", 2, 1, &level};
  TEST_ASSERT_TRUE(worst(&p, zero) > 0.01);
  TEST_ASSERT_TRUE(worst(&p, good) <= 1e-6);
}

/* What holds a level back must push the right way: x1 <= 0 does not keep x1 from falling. */
static void test_signs_are_seen(void) {
  double h[] = {1}, lower[] = {-PO_INF}, upper[] = {0}, one[] = {1}, minus[] = {-1}, at[] = {0};
  po_hqp_level level[2] = {{"hard", 1, {h, 1, 1, 1}, lower, upper, 1}, {"wish", 1, {h, 1, 1, 1}, one, one, 0}};
  po_hqp p = {"signs", 1, 2, level};
  TEST_ASSERT_TRUE_MESSAGE(worst(&p, at) <= 1e-12, "the wish for 1 is held");
  level[1].lower = level[1].upper = minus;
  TEST_ASSERT_TRUE_MESSAGE(worst(&p, at) > 0.9, "the wish for -1 is not");
}

static void test_optima_pass_and_points_beside_them_do_not(void) {
  static const hr_shape shape = {4, 3, 4, 0};
  static hr_problem q;
  unsigned seed;
  int asked = 0, passed = 0, moved = 0, refused = 0;
  for (seed = 1; seed <= 300; seed++) {
    double want[HR_LEVELS], levels[PO_HQP_MAX_LEVELS], x[HR_N];
    int certified, feasible, k, j, lost = 0;
    po_hqp_solver *s = NULL;
    po_hqp_result r;
    hr_make(&q, shape, seed);
    TEST_ASSERT_TRUE(hb_optimum(want, &q.hqp) == 1);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_reference(levels, &certified, &feasible, &q.hqp));
    asked++;
    passed += certified;
    if (!certified) hr_print(&q, seed);
    for (k = 0; k < q.hqp.level_count; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + want[k]), want[k], levels[k]);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 4, 3, 12));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &q.hqp, NULL));
    TEST_ASSERT_TRUE(po_hqp_right(&q.hqp, r.x, levels, 1e-6));
    for (j = 0; j < q.hqp.n; j++) x[j] = r.x[j] + 0.1 * (j % 2 ? -1 : 1);
    for (k = 0; k < q.hqp.level_count; k++) lost |= po_hqp_violation(&q.level[k], q.hqp.n, x) > want[k] + 1e-3;
    if (lost) { /* some level has become worse: it is not right, and mostly the judge knows without being told */
      moved++;
      TEST_ASSERT_FALSE(po_hqp_right(&q.hqp, x, levels, 1e-6));
      refused += worst(&q.hqp, x) > 1e-6;
    }
    po_hqp_free(s);
  }
  TEST_ASSERT_TRUE_MESSAGE(passed >= asked * 99 / 100, "optima that enumeration knows");
  TEST_ASSERT_TRUE_MESSAGE(moved > 100 && refused >= moved * 95 / 100, "points beside them");
}

/* Of every family: two seeds differ, one is the same again, and all of it can be solved with a proof. */
static void test_families_are_solved(void) {
  const po_hqp_family *f;
  for (f = po_hqp_families; f->name; f++) {
    int i;
    for (i = 0; i < 3; i++) {
      po_hqp_made *made = NULL, *again = NULL, *other = NULL;
      po_hqp_solver *s = NULL;
      po_hqp_result r;
      int rows = 0, k;
      TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_made_new(&made, f, NULL, 7, i), f->name);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_made_new(&again, f, NULL, 7, i));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_made_new(&other, f, NULL, 8, i));
      for (k = 0; k < made->hqp.level_count; k++) rows += made->level[k].rows;
      TEST_ASSERT_EQUAL_MEMORY(made->level[0].A.a, again->level[0].A.a, sizeof(double) * (size_t)(rows * made->hqp.n));
      TEST_ASSERT_TRUE_MESSAGE(memcmp(made->level[0].lower, other->level[0].lower, sizeof(double) * (size_t)rows) || memcmp(made->level[0].A.a, other->level[0].A.a, sizeof(double) * (size_t)(rows * made->hqp.n)), f->name);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, made->hqp.n, made->hqp.level_count, rows));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &made->hqp, NULL));
      TEST_ASSERT_EQUAL_INT_MESSAGE(strcmp(f->name, "infeasible") ? PO_HQP_OPTIMAL : PO_HQP_INFEASIBLE, r.status, f->name);
      TEST_ASSERT_TRUE_MESSAGE(r.proof, f->name);
      po_hqp_free(s);
      po_hqp_made_free(made);
      po_hqp_made_free(again);
      po_hqp_made_free(other);
    }
  }
}

/* The cube of Klee and Minty: the optimum is 5^n, where a simplex step may visit 2^n vertices. Beyond n = 16 the interior point method gives up, and says so. */
static void test_klee_minty(void) {
  int n, m;
  for (n = 7; n <= 20; n++)
    for (m = 0; m < 2; m++) {
      po_buffer text = {0};
      po_qp_file *file = NULL;
      po_qp_solver *s = NULL;
      po_qp_opts o = po_qp_opts_default();
      po_qp_result r;
      po_error err;
      double want = 1;
      int i;
      for (i = 0; i < n; i++) want *= 5;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_family_write(&text, &po_qp_families[1], n, 1));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qps_read(&file, text.data, text.size, "klee-minty", &err));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&s, file->qp.n, file->qp.me, file->qp.mi));
      o.method = m ? PO_QP_INTERIOR_POINT : PO_QP_ACTIVE_SET;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&r, s, &file->qp, &o, NULL));
      if (!m || n <= 16) {
        TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, r.status);
        TEST_ASSERT_DOUBLE_WITHIN(2 * o.tol_gap * want, -want, r.objective); /* the gap is told relative to 1 + |objective| */
      } else {
        TEST_ASSERT_TRUE(r.status == PO_QP_NUMERICAL || r.status == PO_QP_OPTIMAL);
      }
      po_qp_free(s);
      po_qp_file_free(file);
      po_buffer_free(&text);
    }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_an_avoidable_violation_is_seen);
  RUN_TEST(test_signs_are_seen);
  RUN_TEST(test_optima_pass_and_points_beside_them_do_not);
  RUN_TEST(test_families_are_solved);
  RUN_TEST(test_klee_minty);
  return UNITY_END() != 0;
}
