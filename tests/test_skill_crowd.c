/* A crowd walks, is judged by who still stands, goes on from a saved state, and does not explode when it is packed. */
#include "skill_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_a_few_walk_about(void) {
  static const po_setting set[] = {{"count", "4"}};
  po_run *r = skill_start("crowd", set, 1, 4, NULL);
  skill_until(r, 4);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(4, po_run_result(r, "standing"));
  TEST_ASSERT_TRUE(po_run_result(r, "steps_total") > 12);
  po_run_free(r);
}

static void test_too_many_fallen_fail(void) {
  static const po_setting set[] = {{"count", "4"}};
  po_run *r = skill_start("crowd", set, 1, 0.2, NULL);
  skill_until(r, 0.2);
  r->verdict[1].fell_at = 0.1;
  r->verdict[1].outcome = PO_FELL;
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(PO_FELL, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "3 of 4"), r->reason);
  po_run_free(r);
}

/* Twenty-five on three metres: shoulders overlap at the start. Whatever falls, speeds stay those of people. */
static void test_a_packed_crowd_does_not_explode(void) {
  static const po_setting set[] = {{"count", "25"}, {"area", "3"}};
  po_run *r = skill_start("crowd", set, 2, 0.3, NULL);
  int i;
  skill_until(r, 0.3);
  for (i = 0; i < po_world_count(r->world); i++) {
    po_world_kinematics(r->world, i);
    po_com(po_world_data(r->world, i));
    TEST_ASSERT_TRUE(po_v3_norm(po_world_data(r->world, i)->com_velocity) < 6);
  }
  po_run_free(r);
}

static void test_states_go_on(void) {
  static const po_setting set[] = {{"count", "4"}};
  skill_goes_on("crowd", set, 1, 0.8, 1.2, "walk");
}

static void test_bad_input(void) {
  static const po_setting set[] = {{"controller", "fly"}};
  skill_refused("crowd", set, 1, NULL, "fly");
  skill_refused("crowd", NULL, 0, "child", "bodies of its own");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_few_walk_about);
  RUN_TEST(test_too_many_fallen_fail);
  RUN_TEST(test_a_packed_crowd_does_not_explode);
  RUN_TEST(test_states_go_on);
  RUN_TEST(test_bad_input);
  return UNITY_END() != 0;
}
