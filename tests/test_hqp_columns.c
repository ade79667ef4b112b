/* test_hqp_columns.c: unknowns in units that are far apart. Column j multiplied by f_j is the same problem for x_j / f_j: every level's violation stays
 * what it was, so the truth comes from the problem in good units. Nobody may be called optimal who is not, and most are to be solved. */
#include "hqp_brute.h"
#include "hqp_random.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void setUp(void) {}
void tearDown(void) {}

typedef struct variant {
  po_hqp_method method;
  po_qp_method qp;
} variant;
static const variant strict[] = {{PO_HQP_LEXICOGRAPHIC, PO_QP_ACTIVE_SET}, {PO_HQP_REPARAM, PO_QP_ACTIVE_SET}, {PO_HQP_REPARAM, PO_QP_INTERIOR_POINT},
                                 {PO_HQP_LINEAR, PO_QP_ACTIVE_SET}, {PO_HQP_LINEAR, PO_QP_INTERIOR_POINT}};
enum { STRICT = sizeof strict / sizeof *strict };

static int full(void) { return getenv("POISE_FULL") != NULL; }

static po_status solve(po_hqp_result *r, po_hqp_solver *s, const po_hqp *p, const variant *v) {
  po_hqp_opts o = po_hqp_opts_default();
  o.method = v->method;
  o.qp = v->qp;
  o.warm = 0;
  return po_hqp_solve(r, s, p, &o);
}

/* Two rows of one level that differ only in an unknown measured in units of 1e8: they can both be met. */
static void test_two_rows_that_differ_in_a_small_column(void) {
  double a[] = {1, 1e-8, 1, 2e-8}, b[] = {0, 1};
  po_hqp_level level = {"two", 2, {a, 2, 2, 2}, b, b, 0};
  po_hqp p = {"two", 2, 1, &level};
  po_hqp_solver *s = NULL;
  int i, hard;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, 2, 1, 2));
  for (hard = 0; hard < 2; hard++)
    for (i = 0; i < STRICT; i++) {
      po_hqp_result r;
      level.hard = hard;
      TEST_ASSERT_EQUAL_INT(PO_OK, solve(&r, s, &p, &strict[i]));
      TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, r.status, po_hqp_method_string(strict[i].method));
      TEST_ASSERT_TRUE_MESSAGE(r.levels[0].violation <= 1e-6, po_hqp_method_string(strict[i].method));
    }
  po_hqp_free(s);
}

static void scale_columns(hr_problem *q, unsigned seed, double decades) {
  po_rng rng;
  int k, i, j;
  po_rng_init(&rng, seed, 78);
  for (j = 0; j < q->hqp.n; j++) {
    double f = po_exp(po_rng_range(&rng, -decades, decades) * po_log(10));
    for (k = 0; k < q->hqp.level_count; k++)
      for (i = 0; i < q->level[k].rows; i++) q->a[k][i * q->hqp.n + j] *= f;
  }
}

typedef struct tally {
  int wrong, open, good;
} tally;

static void claim(tally *t, const hr_problem *q, const variant *v, unsigned seed, double decades, const double *want, int feasible) {
  po_hqp_solver *s = NULL;
  po_hqp_result r;
  int k, rows = 0, bad;
  for (k = 0; k < q->hqp.level_count; k++) rows += q->level[k].rows;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, q->hqp.n, q->hqp.level_count, rows));
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&r, s, &q->hqp, v));
  bad = r.status == (feasible ? PO_HQP_INFEASIBLE : PO_HQP_OPTIMAL);
  for (k = 0; k < q->hqp.level_count && r.status == PO_HQP_OPTIMAL; k++) bad |= !(fabs(r.levels[k].violation - want[k]) <= 1e-6 * (1 + want[k]));
  if (bad) {
    printf("seed %u, 10^±%g: %s %s says %s:", seed, decades, po_hqp_method_string(v->method), po_qp_method_string(v->qp), po_hqp_status_string(r.status));
    for (k = 0; k < q->hqp.level_count; k++) printf(" %.9g for %.9g (kkt %.2g)", r.levels[k].violation, want[k], r.levels[k].kkt);
    printf("\n");
    hr_print(q, seed);
  }
  t->wrong += bad;
  t->open += r.status == PO_HQP_NUMERICAL || r.status == PO_HQP_ITERATION_LIMIT;
  t->good += !bad && (r.status == PO_HQP_OPTIMAL || r.status == PO_HQP_INFEASIBLE);
  po_hqp_free(s);
}

/* The truth: enumeration where it can be afforded; for larger ones lexicographic in good units, which tests of its own hold against its multipliers. */
static int truth(double *want, const hr_problem *q, int brute) {
  po_hqp_solver *s = NULL;
  po_hqp_result r;
  int k, rows = 0, answer = -1;
  if (brute) return hb_optimum(want, &q->hqp);
  for (k = 0; k < q->hqp.level_count; k++) rows += q->level[k].rows;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&s, q->hqp.n, q->hqp.level_count, rows));
  TEST_ASSERT_EQUAL_INT(PO_OK, solve(&r, s, &q->hqp, &strict[0]));
  for (k = 0; k < q->hqp.level_count; k++) want[k] = r.levels[k].violation;
  if (r.status == PO_HQP_OPTIMAL || r.status == PO_HQP_INFEASIBLE) answer = r.status == PO_HQP_OPTIMAL;
  po_hqp_free(s);
  return answer;
}

static void columns_apart(double decades, double least) {
  static hr_problem q;
  static const hr_shape shapes[] = {{4, 3, 4, 1}, {16, 4, 12, 1}};
  int i, shape, count = full() ? 500 : 100, asked = 0;
  tally t[STRICT];
  char line[120];
  unsigned seed;
  memset(t, 0, sizeof t);
  for (shape = 0; shape < 2; shape++)
    for (seed = 1; (int)seed <= count / 2; seed++) {
      double want[HR_LEVELS];
      int feasible;
      hr_make(&q, shapes[shape], seed);
      feasible = truth(want, &q, shape == 0);
      if (feasible < 0) continue;
      asked++;
      scale_columns(&q, seed, decades);
      for (i = 0; i < STRICT; i++) claim(&t[i], &q, &strict[i], seed, decades, want, feasible);
    }
  for (i = 0; i < STRICT; i++) {
    po_format(line, sizeof line, "10^+-%g %s %s: %d wrong, %d open, %d good of %d", decades, po_hqp_method_string(strict[i].method), po_qp_method_string(strict[i].qp), t[i].wrong,
              t[i].open, t[i].good, asked);
    TEST_MESSAGE(line);
  }
  for (i = 0; i < STRICT; i++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, t[i].wrong, po_hqp_method_string(strict[i].method));
    TEST_ASSERT_TRUE_MESSAGE(t[i].good >= least * asked, po_hqp_method_string(strict[i].method));
  }
}

static void test_columns_two_decades_apart(void) { columns_apart(2, 0.98); }
static void test_columns_four_decades_apart(void) { columns_apart(4, 0.98); }
static void test_columns_six_decades_apart(void) { columns_apart(6, 0.95); }
static void test_columns_eight_decades_apart(void) { columns_apart(8, 0.9); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_two_rows_that_differ_in_a_small_column);
  RUN_TEST(test_columns_two_decades_apart);
  RUN_TEST(test_columns_four_decades_apart);
  RUN_TEST(test_columns_six_decades_apart);
  RUN_TEST(test_columns_eight_decades_apart);
  return UNITY_END() != 0;
}
