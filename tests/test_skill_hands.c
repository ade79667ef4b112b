/* Skills with hands: a thing is reached, a crate is taken; arms' inverse kinematics; judges, states, things that move, bad input. */
#include "../ctrl/moves/skill_internal.h"
#include "skill_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* The orientation and the bend that the arm's IK returns bring the hand to its target. */
static void test_arm_ik_is_the_inverse_of_the_forward_map(void) {
  po_run *r = skill_start("reach", NULL, 0, 1, NULL);
  const po_gbwc *g = po_skill_of(po_run_move(r, 0))->walk;
  gbwc_view w;
  po_rng rng;
  int k;
  memset(&w, 0, sizeof w);
  w.co = 1;
  po_rng_init(&rng, 3, 0);
  for (k = 0; k < 100; k++) {
    int arm = k % 2;
    const po_gbwc_limb *l = &g->arms[arm];
    double far = po_rng_range(&rng, 0.3, 0.95) * (l->upper + l->lower), bend, elbow = po_rng_range(&rng, 0, 1);
    po_vec3 way = po_v3_unit(po_v3(po_rng_range(&rng, -1, 1), po_rng_range(&rng, -1, 1), po_rng_range(&rng, -1, 1))), shoulder = po_v3(0.1, 0.2, 1.4);
    po_vec3 target = po_v3_addscaled(shoulder, far, way), upper, fore, axis, hand;
    po_mat3 R;
    po_gbwc_arm_ik(g, arm, shoulder, target, elbow, &w, &R, &bend);
    upper = po_m3_mul_v(R, l->line);
    axis = po_m3_mul_v(R, l->axis);
    fore = po_m3_mul_v(po_m3_axis_angle(axis, bend + l->bend), upper);
    hand = po_v3_add(po_v3_addscaled(shoulder, l->upper, upper), po_v3_scale(l->lower, fore));
    TEST_ASSERT_TRUE(po_v3_norm(po_v3_sub(hand, target)) < 1e-9);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_m3_det(R));
  }
  po_run_free(r);
}

static void test_a_thing_is_reached_and_carried_on(void) {
  static const po_setting set[] = {{"distance", "1"}};
  po_run *r = skill_start("reach", set, 1, 15, NULL);
  skill_until(r, 15);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "reach_error") <= 0.03);
  TEST_ASSERT_TRUE(po_run_result(r, "held_seconds") >= 3);
  po_run_free(r);
}

/* A large head, short arms, a thing at the height of the ankles: taken, and risen with. */
static void test_a_child_takes_a_low_thing(void) {
  static const po_setting set[] = {{"distance", "1"}, {"height", "0.06"}};
  po_run *r = skill_start("reach", set, 2, 25, "child");
  skill_until(r, 25);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  po_run_free(r);
}

/* What is out of reach is said to be. */
static void test_too_high_is_said(void) {
  static const po_setting thing[] = {{"height", "1.08"}}, shelf[] = {{"shelf", "1.2"}};
  po_run *r = skill_start("reach", thing, 1, 0.1, "child");
  skill_until(r, 0.1);
  po_run_finish(r);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "above its reach"), r->reason);
  po_run_free(r);
  r = skill_start("carry", shelf, 1, 0.1, NULL);
  skill_until(r, 0.1);
  po_run_finish(r);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "shelf is too high"), r->reason);
  po_run_free(r);
}

/* Taken, loaded, lifted: the run of a crate up to there, and the crate hangs at both hands. */
static void test_a_crate_is_lifted(void) {
  po_run *r = skill_start("carry", NULL, 0, 9, NULL);
  skill_until(r, 9);
  po_run_finish(r);
  TEST_ASSERT_TRUE(po_run_result(r, "lift_height") > 0.2);
  TEST_ASSERT_TRUE(po_run_result(r, "hand_stretch_max") < 0.02);
  TEST_ASSERT_TRUE(po_run_result(r, "com_error") < 0.02);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome); /* it has not been carried anywhere */
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "carried"), r->reason);
  po_run_free(r);
}

/* A light crate is pushed a little: it goes straight, with hands that are where they took hold, and the judge wants all of the way. */
static void test_a_crate_is_pushed(void) {
  static const po_setting set[] = {{"mass", "40"}, {"distance", "0.5"}};
  po_run *r = skill_start("crate", set, 2, 12, NULL);
  skill_until(r, 7);
  TEST_ASSERT_TRUE(po_skill_of(po_run_move(r, 0))->walk->skill.hand[0].felt.x < -10); /* it is leant against */
  skill_until(r, 12);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "crate_turn_deg") < 5);
  TEST_ASSERT_TRUE(po_run_result(r, "hand_stretch_max") < 0.02);
  po_run_free(r);
}

static void test_states_go_on(void) {
  static const po_setting near[] = {{"distance", "1"}}, pull[] = {{"mode", "pull"}};
  skill_goes_on("reach", near, 1, 3.3, 3.7, "reach");
  skill_goes_on("carry", NULL, 0, 7.3, 7.6, "lift");
  skill_goes_on("crate", NULL, 0, 6, 6.3, "push");
  skill_goes_on("crate", pull, 1, 6, 6.3, "push");
}

static void test_bad_input(void) {
  static const po_setting mode[] = {{"mode", "shove"}}, hand[] = {{"hand", "third"}}, heavy[] = {{"mass", "400"}};
  skill_refused("crate", mode, 1, NULL, "push or pull");
  skill_refused("reach", hand, 1, NULL, "left or right");
  skill_refused("crate", heavy, 1, NULL, "mass");
  skill_refused("reach", NULL, 0, "ostrich", "arm");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_arm_ik_is_the_inverse_of_the_forward_map);
  RUN_TEST(test_a_thing_is_reached_and_carried_on);
  RUN_TEST(test_a_child_takes_a_low_thing);
  RUN_TEST(test_too_high_is_said);
  RUN_TEST(test_a_crate_is_lifted);
  RUN_TEST(test_a_crate_is_pushed);
  RUN_TEST(test_states_go_on);
  RUN_TEST(test_bad_input);
  return UNITY_END() != 0;
}
