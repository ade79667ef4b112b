/* test_grasp.c: hands that hold: they close only when near, neither slip nor turn, tear when pulled too hard, and are saved with the world. */
#include "contact_helpers.h"

static const po_model *hand, *crate;
static po_world *world;
static int grasp;

void setUp(void) {}
void tearDown(void) {
  po_world_free(world);
  po_model_free(hand);
  po_model_free(crate);
}

/* A heavy box for a hand, whose grasp is at its lower face, and a crate so far below it. */
static void begin(double gap, double strength) {
  po_world_opts o = po_world_opts_default();
  po_grasp g = po_grasp_default();
  po_spring pin;
  o.terrain = NULL;
  world = new_world(&o);
  hand = free_box(4, 0.1, 0.1, 0.1);
  crate = free_box(2, 0.2, 0.1, 0.1);
  add(world, hand, 0, 0, 1);
  add(world, crate, 0.1, 0, 0.79 - gap);
  g.point_a = po_v3(0, 0, -0.105);
  g.point_b = po_v3(-0.1, 0, 0.105);
  g.strength = strength;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_grasp(&grasp, world, &g));
  memset(&pin, 0, sizeof pin); /* the hand hangs from two points of the world, so that it does not turn about y */
  pin.a = 0, pin.b = -1;
  pin.stiffness = 1e6, pin.damping = 1e3;
  for (pin.point_a.x = -0.1; pin.point_a.x < 0.2; pin.point_a.x += 0.2) {
    pin.point_b = po_v3_add(po_v3(0, 0, 1), pin.point_a);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, world, &pin));
  }
}

static po_grasp_state look(void) {
  po_grasp_state s;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_grasp(&s, world, grasp));
  return s;
}

static void test_it_closes_only_when_near(void) {
  begin(0.04, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.04, look().distance);
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_world_close_grasp(world, grasp));
  TEST_ASSERT_FALSE(look().closed);
  po_world_q(world, 1)[6] += 0.02;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  TEST_ASSERT_TRUE(look().closed);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, look().stretch); /* it holds where it met: nothing is drawn through the air */
  TEST_ASSERT_EQUAL_DOUBLE(0, po_world_energy(world).spring);
}

/* At rest it pulls with the weight, and so far as its springs say: a force f and a moment about the hand share two springs. */
static void test_it_carries_the_weight(void) {
  po_grasp_state s;
  int k;
  begin(0.01, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 4000, 0.001);
  s = look();
  ASSERT_NEAR(2 * 9.81, s.force, 1e-3, "force");
  TEST_ASSERT_TRUE(s.pull.z < 0);
  /* the crate's COM is 0.1 m beside the hand: its moment is a pair of forces, 0.05 m apart, on springs of 20000 N/m */
  TEST_ASSERT_TRUE(s.stretch > 0 && s.stretch < 1.5 * (2 * 9.81 * 0.1 / 0.05 + 2 * 9.81) / 20000);
  TEST_ASSERT_TRUE(s.stretch_max >= s.stretch && s.force_max >= s.force);
  /* its springs one by one: the longer is the stretch, each pulls stiffness times its length, and closed ones begin at the hand */
  ASSERT_NEAR(s.stretch, po_max(po_v3_norm(po_v3_sub(s.hand[0], s.held[0])), po_v3_norm(po_v3_sub(s.hand[1], s.held[1]))), 1e-12, "longer spring");
  for (k = 0; k < 2; k++) ASSERT_NEAR(20000 * po_v3_norm(po_v3_sub(s.hand[k], s.held[k])), s.tension[k], 1e-2, "spring");
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.895, s.hand[0].z);
}

static void test_it_tears_above_its_strength(void) {
  begin(0.01, 15);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 500, 0.001);
  TEST_ASSERT_TRUE(look().torn && !look().closed);
  TEST_ASSERT_EQUAL_DOUBLE(0, look().force);
  TEST_ASSERT_TRUE(position(world, 1).z < 0.5); /* it fell */
  tearDown();
  begin(0.01, 500);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 500, 0.001);
  TEST_ASSERT_TRUE(look().closed && !look().torn);
}

static void test_opening_lets_go(void) {
  double z;
  begin(0.01, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 1000, 0.001);
  z = position(world, 1).z;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_open_grasp(world, grasp));
  TEST_ASSERT_EQUAL_DOUBLE(0, look().force);
  steps(world, 100, 0.001);
  ASSERT_NEAR(0.5 * 9.81 * 0.01, z - position(world, 1).z, 0.15, "fall"); /* g t²/2, but for what it swung with */
}

static void test_any_stiffness_is_stable(void) {
  po_grasp g = po_grasp_default();
  begin(0.005, 0);
  g.point_a = po_v3(0, 0, -0.105), g.point_b = po_v3(-0.1, 0, 0.105);
  g.stiffness = 1e9, g.damping = 1e4;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_grasp(&grasp, world, &g));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 2000, 0.002);
  TEST_ASSERT_TRUE(look().stretch < 1e-4);
  TEST_ASSERT_TRUE(po_v3_norm(velocity(world, 1)) < 0.01);
}

static void test_saved_and_restored_in_the_middle_of_a_grasp(void) {
  size_t bytes;
  void *state;
  uint64_t hash;
  double force;
  begin(0.01, 0);
  bytes = po_world_save_bytes(world);
  state = malloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_close_grasp(world, grasp));
  steps(world, 137, 0.001);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, world));
  steps(world, 200, 0.001);
  hash = po_world_hash(world);
  force = look().force;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_open_grasp(world, grasp));
  steps(world, 50, 0.001);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, state, bytes));
  TEST_ASSERT_TRUE(look().closed);
  steps(world, 200, 0.001);
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  TEST_ASSERT_EQUAL_DOUBLE(force, look().force);
  free(state);
}

static void test_nonsense_is_refused(void) {
  po_grasp g = po_grasp_default(), bad;
  po_grasp_state s;
  int k;
  begin(0.01, 0);
  bad = g, bad.b = 7;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_grasp(NULL, world, &bad));
  bad = g, bad.b = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_grasp(NULL, world, &bad)); /* a hand that holds itself */
  bad = g, bad.reach = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_add_grasp(NULL, world, &bad));
  bad = g, bad.apart = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_grasp(NULL, world, &bad));
  bad = g, bad.stiffness = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_grasp(NULL, world, &bad));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_grasp(&s, world, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_close_grasp(world, -1));
  for (k = 0; k < 6; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_grasp(NULL, world, &g)); /* 16 springs: 2 pins and 7 grasps */
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_world_add_grasp(NULL, world, &g));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_it_closes_only_when_near);
  RUN_TEST(test_it_carries_the_weight);
  RUN_TEST(test_it_tears_above_its_strength);
  RUN_TEST(test_opening_lets_go);
  RUN_TEST(test_any_stiffness_is_stable);
  RUN_TEST(test_saved_and_restored_in_the_middle_of_a_grasp);
  RUN_TEST(test_nonsense_is_refused);
  return UNITY_END() != 0;
}
