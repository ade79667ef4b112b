/* test_hqp_brute.c: every method against enumeration of all active sets, on small problems of every kind. */
#include "hqp_brute.h"
#include "hqp_random.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>

void setUp(void) {}
void tearDown(void) {}

static po_hqp_solver *solver;

/* 1 when the method's violations are those of the optimum. */
static int agrees(const hr_problem *q, unsigned seed, const po_hqp_opts *o, const double *want, int feasible, int shape) {
  po_hqp_result r;
  int k, good = po_hqp_solve(solver, &q->hqp, o, &r) == PO_OK;
  char text[200];
  if (good) good = r.status == (feasible ? PO_HQP_OPTIMAL : PO_HQP_INFEASIBLE);
  for (k = 0; k < q->hqp.level_count && good; k++) good = fabs(r.levels[k].violation - want[k]) <= 1e-9 * (1 + want[k]);
  if (good) return 1;
  hr_print(q, seed);
  for (k = 0; k < q->hqp.level_count; k++) printf("level %d: want %.17g got %.17g\n", k, want[k], r.levels[k].violation);
  snprintf(text, sizeof text, "seed %u shape %d %s: status %s", seed, shape, po_hqp_method_string(o->method), po_hqp_status_string(r.status));
  TEST_FAIL_MESSAGE(text);
  return 0;
}

static void compare(po_hqp_method method) {
  static const hr_shape shapes[] = {{2, 3, 3, 1}, {3, 3, 3, 1}, {3, 2, 4, 2}, {4, 3, 2, 1}, {3, 4, 2, 0}, {2, 2, 5, 2}, {5, 3, 3, 1}, {4, 2, 5, 1}};
  int full = getenv("POISE_FULL") != NULL, s, count = full ? 20000 : 800;
  unsigned seed;
  for (s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++)
    for (seed = 1; (int)seed <= count / 8 + 1; seed++) {
      hr_problem q;
      double want[HR_LEVELS];
      po_hqp_opts o = po_hqp_opts_default();
      int feasible;
      hr_make(&q, shapes[s], seed + 100000u * (unsigned)s);
      feasible = hb_optimum(want, &q.hqp);
      TEST_ASSERT_TRUE_MESSAGE(feasible >= 0, "the enumeration itself found nothing");
      o.method = method;
      o.warm = 0;
      if (!agrees(&q, seed + 100000u * (unsigned)s, &o, want, feasible, s)) return;
      o.warm = 1; /* and again from its own active set */
      if (!agrees(&q, seed + 100000u * (unsigned)s, &o, want, feasible, s)) return;
    }
}

static void test_lexicographic(void) { compare(PO_HQP_LEXICOGRAPHIC); }

int main(void) {
  UNITY_BEGIN();
  if (po_hqp_new(&solver, HR_N, HR_LEVELS, HR_LEVELS * HR_ROWS) != PO_OK) return 1;
  RUN_TEST(test_lexicographic);
  po_hqp_free(solver);
  return UNITY_END() != 0;
}
