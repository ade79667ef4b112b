/* test_hqp_brute.c: every method against enumeration of all active sets, on small problems of every kind. */
#include "hqp_brute.h"
#include "hqp_random.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>

void setUp(void) {}
void tearDown(void) {}

static po_hqp_solver *solver;

/* 1 when the method's violations are those of the optimum. When the hard level cannot hold, only lexicographic promises a point (the
 * one that misses it least); the others stop at the last good one. */
static int agrees(const hr_problem *q, unsigned seed, const po_hqp_opts *o, const double *want, int feasible) {
  po_hqp_result r;
  int k, exact = o->method == PO_HQP_LEXICOGRAPHIC, good = po_hqp_solve(&r, solver, &q->hqp, o) == PO_OK;
  double tol = exact ? 1e-9 : 1e-7;
  char text[200];
  if (good) good = r.status == (feasible ? PO_HQP_OPTIMAL : PO_HQP_INFEASIBLE);
  for (k = 0; k < q->hqp.level_count && good && (feasible || exact); k++) good = fabs(r.levels[k].violation - want[k]) <= tol * (1 + want[k]);
  if (good) return 1;
  hr_print(q, seed);
  for (k = 0; k < q->hqp.level_count; k++) printf("level %d: want %.17g got %.17g\n", k, want[k], r.levels[k].violation);
  snprintf(text, sizeof text, "seed %u %s %s: status %s", seed, po_hqp_method_string(o->method), po_qp_method_string(o->qp), po_hqp_status_string(r.status));
  TEST_FAIL_MESSAGE(text);
  return 0;
}

static void compare(po_hqp_method method, po_basis basis, int count) {
  static const hr_shape shapes[] = {{2, 3, 3, 1}, {3, 3, 3, 1}, {3, 2, 4, 2}, {4, 3, 2, 1}, {3, 4, 2, 0}, {2, 2, 5, 2}, {5, 3, 3, 1}, {4, 2, 5, 1}};
  int s;
  unsigned i;
  for (s = 0; s < 8; s++)
    for (i = 1; (int)i <= count / 8 + 1; i++) {
      static hr_problem q;
      unsigned seed = i + 100000u * (unsigned)s;
      double want[HR_LEVELS];
      po_hqp_opts o = po_hqp_opts_default();
      int feasible;
      hr_make(&q, shapes[s], seed);
      feasible = hb_optimum(want, &q.hqp);
      TEST_ASSERT_TRUE_MESSAGE(feasible >= 0, "the enumeration itself found nothing");
      o.method = method;
      o.basis = basis;
      o.warm = 0;
      if (!agrees(&q, seed, &o, want, feasible)) return;
      o.warm = 1; /* and again from its own active set */
      if (!agrees(&q, seed, &o, want, feasible)) return;
    }
}

static int full(void) { return getenv("POISE_FULL") != NULL; }

static void test_lexicographic(void) { compare(PO_HQP_LEXICOGRAPHIC, PO_BASIS_ORTHOGONAL, full() ? 20000 : 1600); }
static void test_reparam_orthogonal(void) { compare(PO_HQP_REPARAM, PO_BASIS_ORTHOGONAL, full() ? 5000 : 400); }
static void test_reparam_svd(void) { compare(PO_HQP_REPARAM, PO_BASIS_SVD, full() ? 5000 : 400); }
static void test_linear(void) { compare(PO_HQP_LINEAR, PO_BASIS_ORTHOGONAL, full() ? 5000 : 400); }

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, HR_N, HR_LEVELS, HR_LEVELS * HR_ROWS) != PO_OK) return 1;
  RUN_TEST(test_lexicographic);
  RUN_TEST(test_reparam_orthogonal);
  RUN_TEST(test_reparam_svd);
  RUN_TEST(test_linear);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
