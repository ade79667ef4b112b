/* Skills on the ground: over an obstacle, up and down stairs, under a bar; the judges say no; states in the middle go on the same; bad input. */
#include "skill_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void obstacle_is_stepped_over(const po_setting *set, int sets) {
  po_run *r = skill_start("obstacles", set, sets, 20, NULL);
  skill_until(r, 20);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(r, "cleared"));
  TEST_ASSERT_EQUAL_DOUBLE(0, po_run_result(r, "touched"));
  TEST_ASSERT_TRUE(po_run_result(r, "clearance_min") > 0.01);
  po_run_free(r);
}

static void test_an_obstacle_is_stepped_over(void) {
  static const po_setting low[] = {{"count", "1"}, {"height", "0.2"}, {"spacing", "1.6"}}, high[] = {{"count", "1"}, {"height", "0.45"}};
  obstacle_is_stepped_over(low, 3);
  obstacle_is_stepped_over(high, 2); /* up to the knee: the leg that is left behind goes out to the side */
}

static void test_who_has_not_passed_fails(void) {
  static const po_setting set[] = {{"count", "2"}};
  po_run *r = skill_start("obstacles", set, 1, 2, NULL);
  skill_until(r, 2);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "passed 0 of 2"), r->reason);
  po_run_free(r);
}

static void stairs_are_walked(const po_setting *set, int sets) {
  po_run *r = skill_start("stairs", set, sets, 25, NULL);
  skill_until(r, 25);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(2, po_run_result(r, "climbed"));
  TEST_ASSERT_TRUE(po_run_result(r, "overhang_max") <= 0.5);
  po_run_free(r);
}

static void test_two_steps_are_climbed(void) {
  static const po_setting up[] = {{"count", "2"}}, down[] = {{"count", "2"}, {"rise", "-0.15"}};
  stairs_are_walked(up, 1);
  stairs_are_walked(down, 2);
}

/* Fetches its crate; all the way to the end takes a while. */
static void test_the_course_is_walked(void) {
  double seconds = getenv("POISE_FULL") ? 90 : 9;
  po_run *r = skill_start("course", NULL, 0, seconds, NULL);
  skill_until(r, seconds);
  po_run_finish(r);
  TEST_ASSERT_TRUE(po_run_result(r, "lifted_at") < 9);
  if (seconds > 9) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
    TEST_ASSERT_EQUAL_DOUBLE(4, po_run_result(r, "climbed"));
    TEST_ASSERT_EQUAL_DOUBLE(2, po_run_result(r, "cleared"));
    TEST_ASSERT_EQUAL_DOUBLE(0, po_run_result(r, "touched"));
  } else {
    TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome); /* the judge: it has not climbed anything yet */
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "came to step 0 of 4"), r->reason);
  }
  po_run_free(r);
}

static void test_states_go_on(void) {
  static const po_setting over[] = {{"spacing", "1.6"}}, high[] = {{"height", "0.45"}}, up[] = {{"mass", "5"}};
  skill_goes_on("obstacles", over, 1, 3.2, 3.6, "walk"); /* a foot is on its way over */
  skill_goes_on("obstacles", high, 1, 5.5, 5.8, "walk"); /* a leg is out to the side */
  skill_goes_on("stairs", up, 1, 3, 3.3, "walk");
  skill_goes_on("course", NULL, 0, 7.3, 7.6, "lift");
}

static void test_bad_input(void) {
  static const po_setting low[] = {{"duck", "0.9"}}, none[] = {{"duck", "0.5"}};
  skill_refused("obstacles", low, 1, NULL, "bent as deep as it goes");
  skill_refused("obstacles", none, 1, NULL, "at least");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_an_obstacle_is_stepped_over);
  RUN_TEST(test_who_has_not_passed_fails);
  RUN_TEST(test_two_steps_are_climbed);
  RUN_TEST(test_the_course_is_walked);
  RUN_TEST(test_states_go_on);
  RUN_TEST(test_bad_input);
  return UNITY_END() != 0;
}
