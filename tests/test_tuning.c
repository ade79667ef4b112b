/* test_tuning.c: what a search's words ask for, and what runs come to: falls before rules before costs. */
#include "../scenes/tuning.h"
#include "unity.h"
#include <string.h>

static po_tuning *t;
static po_error err;

void setUp(void) { TEST_ASSERT_NOT_NULL(t = po_alloc(sizeof *t)); }
void tearDown(void) { po_free(t); }

static void test_free_parameters_have_a_range_and_a_scale(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_free(t, "h=0.02:0.1", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_free(t, "n=-3:4:int", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_free(t, "k=1e-3:1:log", &err));
  TEST_ASSERT_EQUAL_STRING("h", t->free[0].name);
  TEST_ASSERT_EQUAL_DOUBLE(0.02, t->free[0].unknown.lower);
  TEST_ASSERT_EQUAL_DOUBLE(0.1, t->free[0].unknown.upper);
  TEST_ASSERT_EQUAL_INT(PO_TUNE_AUTO, t->free[0].unknown.scaling);
  TEST_ASSERT_TRUE(t->free[1].unknown.integer && t->free[1].unknown.lower == -3);
  TEST_ASSERT_EQUAL_INT(PO_TUNE_LOG, t->free[2].unknown.scaling);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_tuning_free(t, "h=1:2", &err)); /* twice */
  TEST_ASSERT_EQUAL_INT(PO_ERR_BOUNDS, po_tuning_free(t, "x=2:1", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_BOUNDS, po_tuning_free(t, "x=:1", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_free(t, "x=1", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_free(t, "=1:2", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_free(t, "x=1:2:cubic", &err));
  TEST_ASSERT_EQUAL_INT(3, t->frees);
}

static void test_costs_are_weighted_sums(void) {
  const po_tuning_sum *c = t->cost;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_cost(t, "worst:0.5*a+b~1.2-3e-1*c", &err));
  TEST_ASSERT_EQUAL_INT(1, c->worst);
  TEST_ASSERT_EQUAL_INT(3, c->terms);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, c->term[0].weight);
  TEST_ASSERT_EQUAL_STRING("b", c->term[1].name);
  TEST_ASSERT_TRUE(c->term[1].distance && c->term[1].target == 1.2 && c->term[1].weight == 1);
  TEST_ASSERT_EQUAL_DOUBLE(-0.3, c->term[2].weight);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_cost(t, "-mean_speed", &err));
  TEST_ASSERT_TRUE(!t->cost[1].worst && t->cost[1].term[0].weight == -1);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_cost(t, "", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_cost(t, "a+", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_cost(t, "2*", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_cost(t, "a~", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_cost(t, "a*b", &err));
  TEST_ASSERT_EQUAL_INT(2, t->costs);
}

static void test_rules_have_one_bound_or_two(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_keep(t, "outcome=success", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_keep(t, "steps=3:", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_keep(t, "steps=:9", &err));
  TEST_ASSERT_TRUE(t->keep[0].success && !t->keep[1].success);
  TEST_ASSERT_TRUE(t->keep[1].lower == 3 && t->keep[1].upper == PO_INF && t->keep[2].lower == -PO_INF && t->keep[2].upper == 9);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_keep(t, "steps", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_tuning_keep(t, "steps=3", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_BOUNDS, po_tuning_keep(t, "steps=3:2", &err));
}

/* ---- runs ---- */

static void walker(double seconds, const char *keep) {
  uint64_t key;
  t->scenario = po_scenario_find("simbicon");
  t->opts = po_run_opts_default();
  t->opts.model = "biped7";
  t->opts.seconds = seconds;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_free(t, "feedback=0:2", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_free(t, "lean_deg=-30:30", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_cost(t, "0.5*peak_torque+seconds~1", &err));
  if (keep) TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_keep(t, keep, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_tuning_check(t, &key, &err), err.message);
  TEST_ASSERT_TRUE(t->free[0].unknown.start == 1 && t->free[1].unknown.start == 0);
}

static po_tuning_score run(double feedback, double lean, int variant, uint64_t seed) {
  double x[2] = {feedback, lean};
  po_tuning_score s;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_tuning_run(&s, t, x, variant, seed, &err), err.message);
  return s;
}

static void test_who_falls_breaks_more_the_earlier(void) {
  po_tuning_score good, early, late;
  walker(4, NULL);
  good = run(1, 0, 0, 1);
  early = run(0, 30, 0, 1);
  late = run(0, 0, 0, 1); /* without feedback it takes a while */
  TEST_ASSERT_TRUE(good.fell == 0 && good.violation == 0);
  TEST_ASSERT_TRUE(good.cost[0] > 3 && good.cost[0] < 3.5); /* half of a peak torque's share; 4 s less 1 s */
  TEST_ASSERT_TRUE(early.fell == 1 && early.cost[0] != early.cost[0]);
  TEST_ASSERT_TRUE(late.fell == 1 && late.seconds > early.seconds);
  TEST_ASSERT_TRUE(early.violation > late.violation && late.violation > 1 && early.violation <= 2);
}

static void test_rules_say_no_and_by_how_much(void) {
  po_tuning_score s;
  walker(2, "steps=100:");
  s = run(1, 0, 0, 1);
  TEST_ASSERT_TRUE(s.fell == 0 && s.violation > 0.5 && s.violation < 1);
  t->keep[0].lower = 3;
  TEST_ASSERT_EQUAL_DOUBLE(0, run(1, 0, 0, 1).violation);
  t->keep[0].success = 1;
  TEST_ASSERT_EQUAL_DOUBLE(0, run(1, 0, 0, 1).violation);
  t->opts.seconds = 8; /* who does not walk does not succeed: one step in 1.5 s after the first five */
  t->opts.control_hz = 20;
  TEST_ASSERT_TRUE(run(1, 0, 0, 1).violation > 0);
}

static void test_variants_and_seeds_are_told_apart(void) {
  po_tuning_score a, b;
  walker(1, NULL);
  strcpy(t->over[0].name, "friction");
  t->over[0].value[0] = "0.1";
  t->over[0].value[1] = "0.9";
  t->over[0].values = 2;
  strcpy(t->over[1].name, "push");
  t->over[1].push[1].time = 0.2;
  t->over[1].push[1].duration = 0.1;
  t->over[1].push[1].force = po_v3(100, 0, 0);
  t->over[1].values = 2;
  t->overs = 2;
  TEST_ASSERT_EQUAL_INT(4, po_tuning_variants(t));
  a = run(1, 0, 2, 1);
  TEST_ASSERT_TRUE(memcmp(&a, (b = run(1, 0, 2, 1), &b), sizeof a) == 0);
  b = run(1, 0, 3, 1);
  TEST_ASSERT_TRUE(a.cost[0] != b.cost[0]);
  b = run(1, 0, 0, 1);
  TEST_ASSERT_TRUE(a.cost[0] != b.cost[0]);
  b = run(1, 0, 2, 2);
  TEST_ASSERT_TRUE(a.cost[0] != b.cost[0]);
}

static void test_runs_of_a_point_are_means_or_the_worst(void) {
  po_tuning_score run3[3], p;
  memset(run3, 0, sizeof run3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_cost(t, "a", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tuning_cost(t, "worst:a", &err));
  run3[0].cost[0] = run3[0].cost[1] = 1;
  run3[1].cost[0] = run3[1].cost[1] = 4;
  run3[2].cost[0] = run3[2].cost[1] = PO_NAN;
  run3[2].violation = 1.5;
  run3[2].fell = 1;
  po_tuning_join(&p, t, run3, 3);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, p.cost[0]);
  TEST_ASSERT_EQUAL_DOUBLE(4, p.cost[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, p.violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0 / 3, p.fell);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_free_parameters_have_a_range_and_a_scale);
  RUN_TEST(test_costs_are_weighted_sums);
  RUN_TEST(test_rules_have_one_bound_or_two);
  RUN_TEST(test_who_falls_breaks_more_the_earlier);
  RUN_TEST(test_rules_say_no_and_by_how_much);
  RUN_TEST(test_variants_and_seeds_are_told_apart);
  RUN_TEST(test_runs_of_a_point_are_means_or_the_worst);
  return UNITY_END() != 0;
}
