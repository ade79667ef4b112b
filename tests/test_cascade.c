/* test_cascade.c: what the methods that solve QPs share: room for every problem of the sizes that were asked for, soft inequalities that pull
 * while they are violated, and levels of any scale. */
#include "qp/cascade.h"
#include "unity.h"

#include <math.h>
#include <string.h>

enum { MOST_N = 48, MOST_LEVELS = 4, MOST_ROWS = 160 };
typedef struct stack {
  double a[MOST_LEVELS][MOST_ROWS * MOST_N], lower[MOST_LEVELS][MOST_ROWS], upper[MOST_LEVELS][MOST_ROWS];
  po_hqp_level level[MOST_LEVELS];
  po_hqp hqp;
} stack;

void setUp(void) {}
void tearDown(void) {}

/* Fills a problem of exactly these sizes: kind 0 all equalities, 1 all soft inequalities, 2 a hard level on top, 3 everything. */
static void fill(stack *q, int n, int levels, int rows, int kind, unsigned seed) {
  po_rng rng;
  int k, i, j;
  memset(q->level, 0, sizeof q->level);
  po_rng_init(&rng, seed, 5);
  q->hqp.name = "shape";
  q->hqp.n = n;
  q->hqp.level_count = levels;
  q->hqp.levels = q->level;
  for (k = 0; k < levels; k++) {
    q->level[k].name = "level";
    q->level[k].rows = k == levels - 1 ? rows - k * (rows / levels) : rows / levels;
    q->level[k].hard = k == 0 && kind >= 2;
    q->level[k].A = po_mat_of(q->a[k], q->level[k].rows, n, n);
    q->level[k].lower = q->lower[k];
    q->level[k].upper = q->upper[k];
    for (i = 0; i < q->level[k].rows; i++) {
      int equal = kind == 0 || (kind == 3 && po_rng_below(&rng, 2)), low = kind == 1 || po_rng_below(&rng, 2);
      for (j = 0; j < n; j++) q->a[k][i * n + j] = po_rng_range(&rng, -1, 1);
      q->lower[k][i] = po_rng_range(&rng, -1, 1);
      q->upper[k][i] = equal ? q->lower[k][i] : q->level[k].hard ? PO_INF : q->lower[k][i] + po_rng_range(&rng, 0.1, 1);
      if (!equal && !low && !q->level[k].hard) q->lower[k][i] = -PO_INF;
    }
  }
}

/* A solver for n variables, so many levels and rows solves every problem of that size by every method: 5,400 shapes. */
static void test_a_solver_has_room_for_what_it_was_made_for(void) {
  static stack q;
  int n, levels, rows, kind, method, basis, shapes = 0;
  char line[100];
  for (n = 1; n <= 6; n++)
    for (levels = 1; levels <= 3; levels++)
      for (rows = 1; rows <= 30; rows += rows < 6 ? 1 : 6)
        for (kind = 0; kind < 4; kind++)
          for (method = PO_HQP_REPARAM; method <= PO_HQP_LEXICOGRAPHIC; method++)
            for (basis = 0; basis < (method == PO_HQP_REPARAM ? 2 : 1); basis++) {
              po_hqp_opts o = po_hqp_opts_default();
              po_hqp_solver *s = NULL;
              po_hqp_result r;
              fill(&q, n, levels, rows, kind, (unsigned)(n + 10 * rows));
              o.method = (po_hqp_method)method;
              o.basis = basis ? PO_BASIS_SVD : PO_BASIS_ORTHOGONAL;
              o.qp = rows % 2 ? PO_QP_ACTIVE_SET : PO_QP_INTERIOR_POINT;
              po_format(line, sizeof line, "%s: %d variables, %d levels, %d rows, kind %d", po_hqp_method_string(o.method), n, levels, rows, kind);
              TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_new(&s, n, levels, rows), line);
              TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, s, &q.hqp, &o), line);
              TEST_ASSERT_TRUE_MESSAGE(r.status != PO_HQP_ITERATION_LIMIT, line);
              po_hqp_free(s);
              shapes++;
            }
  TEST_ASSERT_TRUE(shapes > 3000);
}

/* Wide, tall and square ones of the size of a body. */
static void test_room_at_the_size_of_a_body(void) {
  static const int sizes[][3] = {{40, 3, 40}, {12, 4, 160}, {48, 2, 24}, {30, 4, 120}, {1, 1, 48}, {48, 1, 1}};
  static stack q;
  int i, kind, method, qp;
  for (i = 0; i < 6; i++)
    for (kind = 0; kind < 4; kind++)
      for (method = PO_HQP_REPARAM; method <= PO_HQP_WEIGHTED; method++)
        for (qp = 0; qp < 2; qp++) {
          po_hqp_opts o = po_hqp_opts_default();
          po_hqp_solver *s = NULL;
          po_hqp_result r;
          fill(&q, sizes[i][0], sizes[i][1], sizes[i][2], kind, 3);
          o.method = (po_hqp_method)method;
          o.qp = qp ? PO_QP_INTERIOR_POINT : PO_QP_ACTIVE_SET;
          TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, sizes[i][0], sizes[i][1], sizes[i][2]));
          TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &q.hqp, &o));
          po_hqp_free(s);
        }
}

/* One variable and forty soft rows i <= x <= i + 1: the least sum of squares is at their middle, with 38 rows violated. */
static void test_one_variable_that_everybody_pulls_at(void) {
  double a[40], l[40], u[40];
  po_hqp_level level = {"bounds", 40, {a, 40, 1, 1}, l, u, 0};
  po_hqp p = {"pull", 1, 1, &level};
  po_hqp_solver *s = NULL;
  po_hqp_result r;
  int i, method;
  for (i = 0; i < 40; i++) a[i] = 1, l[i] = i, u[i] = i + 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 1, 1, 40));
  for (method = PO_HQP_REPARAM; method <= PO_HQP_LEXICOGRAPHIC; method++) {
    po_hqp_opts o = po_hqp_opts_default();
    o.method = (po_hqp_method)method;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, s, &p, &o), po_hqp_method_string(o.method));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, r.status, po_hqp_method_string(o.method));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 20, r.x[0]);
  }
  po_hqp_free(s);
}

/* Rows that pull in turn: from 0, the first step towards the far rows passes those in between, which then pull back. */
static void test_rows_that_start_to_pull_on_the_way(void) {
  double a[] = {1, 1, 1}, l[] = {10, -PO_INF, -PO_INF}, u[] = {PO_INF, 4, 1};
  po_hqp_level level = {"up and back", 3, {a, 3, 1, 1}, l, u, 0};
  po_hqp p = {"turn", 1, 1, &level};
  po_hqp_solver *s = NULL;
  int method;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 1, 1, 3));
  for (method = PO_HQP_REPARAM; method <= PO_HQP_LEXICOGRAPHIC; method++) {
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result r;
    o.method = (po_hqp_method)method;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, s, &p, &o));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5, r.x[0]); /* (10 − x)² + (x − 4)² + (x − 1)² */
  }
  po_hqp_free(s);
}

/* Products beyond what doubles hold: an outcome, not misuse, and x is numbers. */
static void test_numbers_too_large_to_multiply(void) {
  double a0[] = {1e200, 1, 1, 1e200}, b0[] = {1e15, 1}, a1[] = {1e-200, 1}, l1[] = {-PO_INF}, u1[] = {1e-300};
  po_hqp_level level[2] = {{"huge", 2, {a0, 2, 2, 2}, b0, b0, 0}, {"tiny", 1, {a1, 1, 2, 2}, l1, u1, 0}};
  po_hqp p = {"extremes", 2, 2, level};
  po_hqp_solver *s = NULL;
  int method, qp;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 2, 2, 3));
  for (method = PO_HQP_REPARAM; method <= PO_HQP_LEXICOGRAPHIC; method++)
    for (qp = 0; qp < 2; qp++) {
      po_hqp_opts o = po_hqp_opts_default();
      po_hqp_result r;
      o.method = (po_hqp_method)method;
      o.qp = qp ? PO_QP_INTERIOR_POINT : PO_QP_ACTIVE_SET;
      TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_solve(&r, s, &p, &o), po_hqp_method_string(o.method));
      TEST_ASSERT_TRUE(po_all_finite(r.x, 2));
      TEST_ASSERT_TRUE_MESSAGE(r.status == PO_HQP_NUMERICAL || fabs(r.x[0] - 1e-185) <= 1e-191, po_hqp_method_string(o.method));
    }
  po_hqp_free(s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_solver_has_room_for_what_it_was_made_for);
  RUN_TEST(test_room_at_the_size_of_a_body);
  RUN_TEST(test_one_variable_that_everybody_pulls_at);
  RUN_TEST(test_rows_that_start_to_pull_on_the_way);
  RUN_TEST(test_numbers_too_large_to_multiply);
  return UNITY_END() != 0;
}
