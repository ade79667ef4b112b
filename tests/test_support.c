/* The law of balance against its definitions: what pressing where it says does to the capture point; that pressure and acceleration answer each other; that the
 * support is what touches; what turning upright asks for. */
#include "ctrl/moves/support.h"
#include "unity.h"
#include <string.h>

static const po_model *human;
static po_actor *actor;
static double q[80], v[80];

void setUp(void) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actor_new(&actor, human, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(q, human, po_terrain_flat(), 0.3, -0.2, 0.7, 0.9, &err));
  memset(v, 0, sizeof v);
}
void tearDown(void) {
  po_actor_free(actor);
  po_model_free(human);
}

static void look(void) {
  po_sense sense = po_sense_of(q, v, 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_begin(actor, &sense));
}
/* Moving and turning about every axis. */
static void look_moving(uint64_t seed) {
  po_rng rng;
  int i;
  po_rng_init(&rng, seed, 0);
  for (i = 0; i < human->nv; i++) v[i] = po_rng_range(&rng, -0.5, 0.5);
  look();
}
static void same(double within, po_vec3 expected, po_vec3 is) {
  TEST_ASSERT_DOUBLE_WITHIN(within, expected.x, is.x);
  TEST_ASSERT_DOUBLE_WITHIN(within, expected.y, is.y);
}

/* With m h c̈ = F (c − p) − L̇ × z and F = m g, dξ/dt = ċ + w (c − p), whatever L and L̇ are; pressed as told it is −rate (ξ − goal). */
static void test_the_capture_point_comes_to_the_goal(void) {
  static const double rate = 3.1;
  po_vec3 goal = po_v3(0.35, -0.1, 0), turn = po_v3(7, -4, 2), p, a, xi;
  uint64_t seed;
  for (seed = 1; seed <= 5; seed++) {
    po_pendulum b;
    double F;
    look_moving(seed);
    b = po_pendulum_over(actor, 0, 0.1);
    F = b.mass * b.gravity;
    p = po_pendulum_press(&b, goal, rate, F);
    a = po_pendulum_push(&b, p, F, turn);
    xi = po_v3_addscaled(actor->data->com_velocity, 1 / b.w, po_v3_addscaled(a, 1 / (b.mass * b.h), po_v3(turn.y, -turn.x, 0)));
    same(1e-12, po_v3_scale(-rate, po_v3_sub(b.capture, goal)), xi); /* numbers of the order of 1: some 10 roundings */
  }
}

/* Twice the force, half the way from the COM. */
static void test_a_larger_force_presses_nearer(void) {
  po_vec3 goal = po_v3(0.5, 0, 0), one, two;
  po_pendulum b;
  look_moving(9);
  b = po_pendulum_over(actor, 0, 0.1);
  one = po_pendulum_press(&b, goal, 2, b.mass * b.gravity);
  two = po_pendulum_press(&b, goal, 2, 2 * b.mass * b.gravity);
  same(1e-14, po_v3_scale(0.5, po_v3_sub(one, b.com)), po_v3_sub(two, b.com));
}

static void test_pressure_and_push_answer_each_other(void) {
  po_vec3 a = po_v3(1.3, -0.4, 0), turn = po_v3(5, 11, -3);
  po_pendulum b;
  double F;
  look_moving(3);
  b = po_pendulum_over(actor, 0, 0.1);
  F = 1.3 * b.mass * b.gravity;
  same(1e-13, a, po_pendulum_push(&b, po_pendulum_pressure(&b, a, F, turn), F, turn));
}

/* At rest the capture point is below the COM, and a COM too low counts as the lowest. */
static void test_at_rest(void) {
  po_pendulum b;
  look();
  b = po_pendulum_over(actor, 0, 0.1);
  same(1e-15, actor->data->com, b.capture);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, actor->data->com.z, b.h);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 9.81, b.w * b.w * b.h);
  TEST_ASSERT_EQUAL_DOUBLE(1.5, po_pendulum_over(actor, 0, 1.5).h);
}

static void test_the_support_is_what_touches(void) {
  po_footing both, left;
  po_vec3 p, in;
  int k;
  look();
  both = po_footing_of(actor, PO_BOTH_FEET, 0);
  TEST_ASSERT_TRUE(po_footing_outside(&both, both.centre) < -0.05);
  in = po_footing_inside(&both, both.centre, 0.02);
  same(0, both.centre, in); /* inside it stays */
  p = po_v3_addscaled(both.centre, 1, po_v3(0.9, 0.3, 0));
  in = po_footing_inside(&both, p, 0.02);
  TEST_ASSERT_TRUE(po_footing_outside(&both, p) > 0.5);
  TEST_ASSERT_TRUE(po_footing_outside(&both, in) < 0); /* towards the centre, so no more than 2 cm inside */
  TEST_ASSERT_TRUE(po_footing_outside(&both, in) > -0.0201);
  /* a sole in the air carries nothing, unless it is being pressed down */
  for (k = 0; k < 4; k++) actor->patches.patch[PO_FOOT_R].touching[k] = 0;
  left = po_footing_of(actor, PO_BOTH_FEET, 0);
  p = po_patches_centroid(&actor->patches, actor->data, PO_PATCH_BIT(PO_FOOT_R));
  TEST_ASSERT_TRUE(po_footing_outside(&left, p) > 0.05);
  left = po_footing_of(actor, PO_BOTH_FEET, PO_BOTH_FEET);
  TEST_ASSERT_TRUE(po_footing_outside(&left, p) < 0);
  TEST_ASSERT_EQUAL_INT(0, actor->patches.patch[PO_FOOT_R].touching[0]); /* looking changes nothing */
  left = po_footing_of(actor, PO_PATCH_BIT(PO_FOOT_R), 0);
  TEST_ASSERT_TRUE(po_footing_outside(&left, p) > 1e300);
}

static void test_turning_to_a_line(void) {
  po_vec3 none = po_v3(0, 0, 0), up = po_v3(0, 0, 1), L = po_v3(1, -2, 3), is = po_v3(po_sin(0.3), 0, po_cos(0.3)), turn;
  same(1e-15, po_v3_scale(-4, L), po_turn_to(up, up, 10, 5, 4, L));       /* there already: what it turns with is taken up */
  turn = po_turn_to(is, up, 10, 5, 4, none);                             /* leaning 0.3 rad ahead: back about −y, 10 · 0.3 at 4 a second */
  same(1e-12, po_v3(0, -12, 0), turn);
  same(1e-12, po_v3(0, -4, 0), po_turn_to(is, up, 10, 1, 4, none));       /* and no more than asked */
  same(1e-12, none, po_turn_to(is, up, 10, 5, 4, po_v3(0, -3, 0)));       /* when it turns so fast already, nothing changes */
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_capture_point_comes_to_the_goal);
  RUN_TEST(test_a_larger_force_presses_nearer);
  RUN_TEST(test_pressure_and_push_answer_each_other);
  RUN_TEST(test_at_rest);
  RUN_TEST(test_the_support_is_what_touches);
  RUN_TEST(test_turning_to_a_line);
  return UNITY_END() != 0;
}
