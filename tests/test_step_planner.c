/* test_step_planner.c: over a walker whose steps are known, footholds are chosen as they must be. */
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* Length 0.4 + 0.8 a, whatever the state, plus what the speed adds; speed follows the action. 400 examples. */
static po_step_model *walker(void) {
  static po_step_example e[400];
  static const po_model *m;
  po_step_model *steps;
  po_error err;
  po_rng rng;
  int i;
  po_rng_init(&rng, 5, 0);
  memset(e, 0, sizeof e);
  for (i = 0; i < 400; i++) {
    double a = po_rng_range(&rng, -0.4, 0.5), v = po_rng_range(&rng, 0.8, 1.2);
    e[i].from[1] = v;
    e[i].action[0] = a;
    e[i].action[5] = 0.1 * po_rng_range(&rng, -0.4, 0.4);
    e[i].to[1] = 1 + 0.3 * a;
    e[i].length = 0.4 + 0.8 * a + 0.1 * (v - 1);
  }
  if (!m) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "biped7", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_new(&steps, m, "walk", e, 400, &err));
  return steps;
}

static const double state[PO_STEP_STATE] = {0, 1, 0, 0, 0};
#define SOLE 0.16

/* ground but for gap[0] … gap[1] */
static double one_gap(void *user, double x) {
  const double *gap = user;
  double over = po_min(x + SOLE, gap[1]) - po_max(x, gap[0]);
  return 1 - po_max(over, 0) / SOLE;
}
static int stones(double *x, void *user, int ahead) {
  *x = ((const double *)user)[ahead - 1];
  return *x > 0;
}

static po_step_plan run(const po_step_model *m, po_step_planning planning, int horizon, int samples, const po_step_ground *g, double x) {
  po_step_planner_opts o = po_step_planner_opts_default();
  po_step_planner p;
  po_step_plan plan;
  po_error err;
  o.planning = planning;
  o.horizon = horizon;
  o.samples = samples;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_planner_init(&p, m, &o, 1, &err));
  po_step_planner_plan(&plan, &p, state, x, g);
  return plan;
}

static void test_stones_are_met(void) {
  po_step_model *m = walker();
  double at[3] = {0.62, 0.80, 1.5};
  po_step_ground g = {at, NULL, stones};
  po_step_plan plan = run(m, PO_PLAN_REGULAR, 2, 500, &g, 0);
  TEST_ASSERT_TRUE(plan.found);
  TEST_ASSERT_EQUAL_INT(2, plan.steps);
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.62, plan.foothold[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.80, plan.foothold[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, (0.62 - 0.4) / 0.8, plan.action[0]); /* the action that the walker is made of */
  TEST_ASSERT_TRUE(plan.tried > 10);
  po_step_model_free(m);
}

static void test_a_stone_beyond_any_step_is_said(void) {
  po_step_model *m = walker();
  double at[3] = {1.6, 0, 0};
  po_step_ground g = {at, NULL, stones};
  po_step_plan plan = run(m, PO_PLAN_REGULAR, 2, 500, &g, 0);
  TEST_ASSERT_FALSE(plan.found);
  TEST_ASSERT_TRUE(plan.foothold[0] > 0.65); /* as far as it goes */
  po_step_model_free(m);
}

static void test_gaps_are_avoided_by_all_planners(void) {
  po_step_model *m = walker();
  int planning, k;
  for (planning = 0; planning < PO_PLANNINGS; planning++)
    for (k = 0; k < 20; k++) {
      double gap[2] = {0.35 + 0.02 * k, 0.65 + 0.02 * k};
      po_step_ground g = {gap, one_gap, NULL};
      po_step_plan plan = run(m, (po_step_planning)planning, 2, 500, &g, 0);
      TEST_ASSERT_TRUE(plan.found);
      TEST_ASSERT_FALSE(plan.base);
      TEST_ASSERT_TRUE(one_gap(gap, plan.foothold[0]) >= 0.9);
      TEST_ASSERT_TRUE(one_gap(gap, plan.foothold[1]) >= 0.9);
    }
  po_step_model_free(m);
}

/* Footholds before anything is known of how they are met: none in a gap, of about the base length, longer at first for who is fast; said when there are none. */
static void test_footholds_lie_between_gaps(void) {
  po_step_model *m = walker();
  double gap[2] = {0.5, 0.9}, wide[2] = {0.5, 4}, far[2] = {90, 91}, place[PO_STEP_PLACES], fast[PO_STEP_STATE] = {0, 1.5, 0, 0, 0}, slow;
  po_step_ground g = {gap, one_gap, NULL};
  po_step_planner p;
  po_error err;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_planner_init(&p, m, NULL, 1, &err));
  TEST_ASSERT_EQUAL_INT(1, po_step_planner_places(place, &p, state, 0, 0, &g));
  for (k = 0; k < PO_STEP_PLACES; k++) {
    TEST_ASSERT_TRUE(one_gap(gap, place[k]) >= p.opts.margin);
    TEST_ASSERT_TRUE(place[k] > (k ? place[k - 1] : 0));
  }
  g.user = far;
  TEST_ASSERT_EQUAL_INT(1, po_step_planner_places(place, &p, state, 0, 0, &g));
  for (k = 0; k < PO_STEP_PLACES; k++) TEST_ASSERT_DOUBLE_WITHIN(0.021, p.opts.base_length, place[k] - (k ? place[k - 1] : 0));
  slow = place[0];
  TEST_ASSERT_EQUAL_INT(1, po_step_planner_places(place, &p, fast, 0, 0, &g));
  TEST_ASSERT_TRUE(place[0] > slow + 0.05);
  g.user = wide;
  TEST_ASSERT_EQUAL_INT(0, po_step_planner_places(place, &p, state, 0, 0, &g));
  po_step_model_free(m);
}

static void test_far_from_gaps_the_base_step_is_taken(void) {
  po_step_model *m = walker();
  double gap[2] = {3, 3.3}, before[2] = {1.1, 1.4};
  po_step_ground g = {gap, one_gap, NULL};
  po_step_plan plan = run(m, PO_PLAN_RANDOM, 2, 500, &g, 0);
  TEST_ASSERT_TRUE(plan.base);
  TEST_ASSERT_EQUAL_DOUBLE(0, plan.action[0]);
  g.user = before;
  TEST_ASSERT_FALSE(run(m, PO_PLAN_RANDOM, 2, 500, &g, 0).base);
  po_step_model_free(m);
}

static void test_nowhere_to_step_gives_the_best_there_is(void) {
  po_step_model *m = walker();
  double gap[2] = {0.1, 5};
  po_step_ground g = {gap, one_gap, NULL};
  po_step_plan plan = run(m, PO_PLAN_HYBRID, 2, 100, &g, 0);
  TEST_ASSERT_FALSE(plan.found);
  TEST_ASSERT_TRUE(po_isfinite(plan.action[0]));
  TEST_ASSERT_TRUE(plan.samples <= 40 * 100 + 400 * 64); /* its time is bounded */
  po_step_model_free(m);
}

static void test_bad_options_are_refused(void) {
  po_step_model *m = walker();
  po_step_planner_opts o = po_step_planner_opts_default();
  po_step_planner p;
  po_error err;
  o.horizon = 4;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_step_planner_init(&p, m, &o, 1, &err));
  TEST_ASSERT_EQUAL_INT(-1, po_step_planning_find("clever"));
  TEST_ASSERT_EQUAL_INT(PO_PLAN_HYBRID, po_step_planning_find("hybrid"));
  po_step_model_free(m);
}

/* Out of a long step no base step is taken, even where no gap is near. */
static void test_a_long_step_is_led_out_of(void) {
  po_step_model *m = walker();
  double far[2] = {90, 91}, behind[PO_STEP_STATE] = {-0.2, 1, 0, 0, 0};
  po_step_ground g = {far, one_gap, NULL};
  po_step_planner p;
  po_step_plan plan;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_fit_new(&m->fit, m, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_planner_init(&p, m, NULL, 1, &err));
  po_step_planner_plan(&plan, &p, state, 0, &g);
  TEST_ASSERT_TRUE(plan.base);
  po_step_planner_plan(&plan, &p, behind, 0, &g);
  TEST_ASSERT_FALSE(plan.base);
  TEST_ASSERT_EQUAL_INT(2, plan.steps);
  po_step_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_stones_are_met);
  RUN_TEST(test_a_stone_beyond_any_step_is_said);
  RUN_TEST(test_gaps_are_avoided_by_all_planners);
  RUN_TEST(test_footholds_lie_between_gaps);
  RUN_TEST(test_far_from_gaps_the_base_step_is_taken);
  RUN_TEST(test_nowhere_to_step_gives_the_best_there_is);
  RUN_TEST(test_bad_options_are_refused);
  RUN_TEST(test_a_long_step_is_led_out_of);
  return UNITY_END() != 0;
}
