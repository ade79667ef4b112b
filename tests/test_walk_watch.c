/* test_walk_watch.c: the figures of a gait hold what any gait must: a knee bends more in the air than under load, the ground carries the weight. */
#include "scenes/scenes.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static po_run *walked(const char *style, double seconds) {
  po_setting set;
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  o.seconds = seconds;
  set.name = "style";
  set.value = style;
  o.set = &set;
  o.sets = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("walk"), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r;
}

static void test_a_gait_has_the_figures_of_a_gait(void) {
  po_run *r = walked("normal", 9);
  double strike = po_run_result(r, "knee_strike_deg"), loading = po_run_result(r, "knee_loading_deg"), swing = po_run_result(r, "knee_swing_deg");
  double both = po_run_result(r, "double_support"), peak = po_run_result(r, "peak_force_bw"), impact = po_run_result(r, "peak_impact_bw");
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_TRUE(strike > 0 && loading >= strike && swing > loading && swing < 90); /* or the toe would not clear the ground */
  TEST_ASSERT_TRUE(po_run_result(r, "toe_off_pitch_deg") < 0);                        /* heels leave first */
  /* dT of each T + dT is double support, give or take the time in which a foot is loaded */
  TEST_ASSERT_TRUE(both > 0.1 && both < 0.3);
  /* one leg carries all of the weight for most of a step: its largest force is above the mean; a low pass shows no more than there was */
  TEST_ASSERT_TRUE(peak > 1 && impact >= peak && impact < 10);
  TEST_ASSERT_TRUE(po_run_result(r, "force_humps") >= 1);
  TEST_ASSERT_TRUE(po_run_result(r, "com_rise") > 0 && po_run_result(r, "com_rise") < 0.1);
  TEST_ASSERT_TRUE(po_run_result(r, "shoulder_min_deg") < po_run_result(r, "shoulder_max_deg"));
  TEST_ASSERT_TRUE(po_run_result(r, "pelvis_yaw_range_deg") > 0 && po_run_result(r, "thorax_yaw_range_deg") > 0 && po_run_result(r, "pelvis_roll_range_deg") > 0);
  /* people spend 0.05 in positive work; nobody walks for nothing */
  TEST_ASSERT_TRUE(po_run_result(r, "cost_of_transport") > 0.02 && po_run_result(r, "cost_of_transport") < 1);
  po_run_free(r);
}

static void test_who_has_not_walked_yet_has_no_gait(void) {
  po_run *r = walked("normal", 0.5);
  TEST_ASSERT_TRUE(po_run_result(r, "knee_strike_deg") != po_run_result(r, "knee_strike_deg"));
  TEST_ASSERT_TRUE(po_run_result(r, "cost_of_transport") != po_run_result(r, "cost_of_transport"));
  po_run_free(r);
}

/* The foot behind is unloaded for some 20 ms while the toes of the one ahead come down, and carries again: no strike of its bent leg, no stance of its own. */
static void test_a_foot_that_is_unloaded_for_a_moment_has_not_left(void) {
  po_run *r = walked("sad", 9);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "peak_force_bw") > 1); /* every stance carries all of the weight for most of a step */
  TEST_ASSERT_TRUE(po_run_result(r, "knee_strike_deg") < 20 && po_run_result(r, "knee_loading_deg") < 30);
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_gait_has_the_figures_of_a_gait);
  RUN_TEST(test_who_has_not_walked_yet_has_no_gait);
  RUN_TEST(test_a_foot_that_is_unloaded_for_a_moment_has_not_left);
  return UNITY_END() != 0;
}
