/* Scenes of bodies that turn over: what makes no sense is refused with a word that names it, the judge says no, the watcher's flights obey the laws. */
#include "scenes/flip_watch.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_status make(po_run **run, const char *scenario, const po_setting *set, int sets, const char *model, po_error *err) {
  po_run_opts o = po_run_opts_default();
  o.set = set;
  o.sets = sets;
  o.model = model;
  o.seed = 1;
  return po_run_new(run, po_scenario_find(scenario), &o, err);
}

static void refused(const char *scenario, const char *name, const char *value, const char *word) {
  po_setting set = {name, value};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_NOT_EQUAL(PO_OK, make(&run, scenario, &set, 1, NULL, &err));
  TEST_ASSERT_NULL(run);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}

static void test_what_makes_no_sense_is_refused(void) {
  refused("dive", "style", "layout", "tuck");
  refused("dive", "direction", "3", "forward");
  refused("dive", "start", "knees", "hands");
  refused("dive", "revolutions", "1.5", "whole");
  refused("dive", "revolutions", "4", "revolutions");
  refused("dive", "twists", "0.3", "halves");
  refused("dive", "platform", "nan", "platform");
  refused("backflip", "phase", "clock", "trunk");
  refused("backflip", "apex", "2", "apex");
  refused("backflip", "push_deg", "-1", "push_deg");
  refused("land", "momentum", "100", "momentum");
  refused("land", "style", "tuck", "style");
}

static void test_an_armstand_needs_palms(void) {
  po_setting set = {"start", "hands"};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_NOT_EQUAL(PO_OK, make(&run, "dive", &set, 1, "human", &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "palm"), err.message);
}

static void test_texts_do_not_change_under_way(void) {
  po_run_opts o = po_run_opts_default();
  po_change at = {1, "style", "pike"};
  po_run *run = NULL;
  po_error err;
  o.at = &at;
  o.ats = 1;
  TEST_ASSERT_NOT_EQUAL(PO_OK, po_run_new(&run, po_scenario_find("dive"), &o, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "begun"), err.message);
}

static void finish(po_run *run) {
  while (po_run_step(run)) {}
  po_run_finish(run);
}

/* Half the strength for a rise of 0.8 m: failed, and the report says why. */
static void test_what_is_beyond_reach_is_said(void) {
  po_setting set[3] = {{"apex", "0.8"}, {"strength", "0.5"}, {"wait", "0"}};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, "backflip", set, 3, NULL, &err), err.message);
  finish(run);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, run->outcome);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(run, "beyond_reach"));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(run->reason, "beyond reach"), run->reason);
  po_run_free(run);
}

/* Told not to step and thrown in flat on its back, nobody stands: the judge says no. */
static void test_who_falls_has_not_landed(void) {
  po_setting set[3] = {{"momentum", "80"}, {"theta_deg", "90"}, {"steps", "0"}};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, "land", set, 3, NULL, &err), err.message);
  finish(run);
  TEST_ASSERT_NOT_EQUAL(PO_SUCCESS, run->outcome);
  po_run_free(run);
}

/* A dive's flight: the momentum stays, the COM keeps to its parabola within what a step of 1 ms rounds, and the entry is judged. */
static void test_a_dive_obeys_the_laws(void) {
  po_setting set[3] = {{"platform", "3"}, {"revolutions", "0"}, {"wait", "0"}};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, "dive", set, 3, NULL, &err), err.message);
  finish(run);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
  TEST_ASSERT_TRUE(po_run_result(run, "momentum_drift") < 1e-6);
  TEST_ASSERT_TRUE(po_run_result(run, "parabola_error") < 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(15, 180, po_run_result(run, "rotation_deg"));
  TEST_ASSERT_TRUE(po_run_result(run, "clearance") > 0.05);
  po_run_free(run);
}

/* Half a twist: made in the air, out of no momentum about the body's length. */
static void test_a_dive_twists(void) {
  po_setting set[3] = {{"platform", "10"}, {"twists", "0.5"}, {"wait", "0"}};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, "dive", set, 3, NULL, &err), err.message);
  finish(run);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
  TEST_ASSERT_DOUBLE_WITHIN(0.25, 0.5, po_run_result(run, "twists_done"));
  TEST_ASSERT_TRUE(po_run_result(run, "momentum_drift") < 1e-6);
  po_run_free(run);
}

/* A front aerial: legs apart as asked. */
static void test_an_aerial_is_split(void) {
  po_setting set[3] = {{"strength", "1.5"}, {"wait", "0"}, {"split_deg", "80"}};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, "front-aerial", set, 3, NULL, &err), err.message);
  finish(run);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
  TEST_ASSERT_DOUBLE_WITHIN(20, 80, po_run_result(run, "split_deg"));
  po_run_free(run);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_what_makes_no_sense_is_refused);
  RUN_TEST(test_an_armstand_needs_palms);
  RUN_TEST(test_texts_do_not_change_under_way);
  RUN_TEST(test_what_is_beyond_reach_is_said);
  RUN_TEST(test_who_falls_has_not_landed);
  RUN_TEST(test_a_dive_obeys_the_laws);
  RUN_TEST(test_a_dive_twists);
  RUN_TEST(test_an_aerial_is_split);
  return UNITY_END() != 0;
}
