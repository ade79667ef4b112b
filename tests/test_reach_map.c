/* Maps of reach: cells are judged by the scenario's own rule, names and values that it does not have are refused at once, and the map is told in every form. */
#include "scenes/reach_map.h"
#include "unity.h"
#include "scenes/scenes.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_status make(po_run **run, const po_setting *set, int sets, po_error *err) {
  po_run_opts o = po_run_opts_default();
  o.set = set;
  o.sets = sets;
  return po_run_new(run, po_scenario_find("reach-map"), &o, err);
}

static void refused(const char *name, const char *value, const char *word) {
  po_setting set = {name, value};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_NOT_EQUAL(PO_OK, make(&run, &set, 1, &err));
  TEST_ASSERT_NULL(run);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}

static void test_what_makes_no_sense_is_refused(void) {
  refused("move", "bakflip", "backflip");
  refused("move", "push-map", "push-map");
  refused("x", "appex", "apex");
  refused("x", "platform", "platform");
  refused("y", "apex", "two");
  refused("x_to", "99", "apex");
  refused("x_from", "nan", "x_from");
  refused("x_steps", "0", "x_steps");
  refused("with", "strength", "name=value");
  refused("with", "strength=9", "strength");
}

static void contains(po_buffer *out, const char *word) {
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out->data, word), out->data);
  po_buffer_free(out);
  memset(out, 0, sizeof *out);
}

/* Dropped from 0.3 m a body lands; with eight times what it can stop, flat on its back and not allowed to step, it does not. */
static void test_one_cell_succeeds_and_one_does_not(void) {
  po_setting set[10] = {{"move", "land"}, {"x", "momentum"}, {"y", "theta_deg"}, {"x_from", "0"}, {"x_to", "80"}, {"x_steps", "2"}, {"y_from", "0"}, {"y_to", "90"}, {"y_steps", "1"}, {"with", "drop=0.3,steps=0"}};
  po_run *run = NULL;
  po_buffer out = {0};
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, set, 10, &err), err.message);
  while (po_run_step(run)) {}
  po_run_finish(run);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
  TEST_ASSERT_EQUAL_DOUBLE(2, po_run_result(run, "pairs"));
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(run, "reached"));
  TEST_ASSERT_EQUAL_INT(1, run->reach->cell[0].success);
  TEST_ASSERT_EQUAL_INT(0, run->reach->cell[1].success);
  TEST_ASSERT_TRUE(run->reach->cell[1].reason[0] != 0);
  po_reach_map_text(&out, run->reach);
  contains(&out, "o");
  po_reach_map_csv(&out, run->reach);
  contains(&out, "80,0,failed\n");
  po_run_report(&out, run);
  contains(&out, "\"cells\"");
  po_reach_map_svg(&out, run->reach);
  contains(&out, "1 of 2 pairs");
  po_reach_map_html(&out, run->reach);
  contains(&out, "<svg");
  po_run_free(run);
}

/* Whole numbers of a range are whole: a dive takes no others. */
static void test_whole_numbers_are_whole(void) {
  po_setting set[9] = {{"move", "dive"}, {"x", "platform"}, {"y", "revolutions"}, {"x_from", "5"}, {"x_to", "10"}, {"x_steps", "2"}, {"y_from", "0"}, {"y_to", "3"}, {"y_steps", "4"}};
  po_run *run = NULL;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, set, 9, &err), err.message);
  for (i = 0; i < 4; i++) TEST_ASSERT_TRUE(run->reach->y_value[i] == i);
  po_run_free(run);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_what_makes_no_sense_is_refused);
  RUN_TEST(test_one_cell_succeeds_and_one_does_not);
  RUN_TEST(test_whole_numbers_are_whole);
  return UNITY_END() != 0;
}
