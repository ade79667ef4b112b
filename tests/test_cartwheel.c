/* Cartwheels: hands on the ground, the wheel itself, its mirror image, its state on one hand, and a judge that says no. */
#include "counting.h"
#include "gymnast.h"
#include "scenes/scenes.h"

void setUp(void) {}
void tearDown(void) {}

static void open_wheel(fixture *f, int right) {
  po_error err;
  open_move(f, "cartwheel");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f->move, "right", right, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_stand_pose_apart(po_world_q(f->world, 0), f->model, po_terrain_flat(), 0, 0, 0, 0.95, 0.5, &err), err.message);
}

static void test_standing_with_feet_apart(void) {
  fixture f;
  po_patches *s;
  po_vec3 l, r;
  open_wheel(&f, 0);
  s = &f.move->actor->patches;
  po_kinematics(f.move->actor->data, po_world_q(f.world, 0), NULL);
  l = po_patches_centroid(s, f.move->actor->data, 1);
  r = po_patches_centroid(s, f.move->actor->data, 2);
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0.5, l.y - r.y);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, l.z);
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0, 0.5 * (l.y + r.y));
  close_move(&f);
}

/* Left and right are mirror images up to rounding, which a wheel magnifies: until the hands carry they agree closely. */
static void test_left_and_right_mirror(void) {
  fixture f[2];
  const po_data *d[2];
  int k, steps = 0;
  for (k = 0; k < 2; k++) {
    open_wheel(&f[k], k);
    if (k == 0) steps = run_until(&f[k], "hands", 3000);
    else run(&f[k], steps);
    d[k] = f[k].move->actor->data;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, d[0]->com.y, -d[1]->com.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, d[0]->com.x, d[1]->com.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, d[0]->com.z, d[1]->com.z);
  TEST_ASSERT_DOUBLE_WITHIN(1e-2, po_turning_of(f[0].move)->phase.theta, po_turning_of(f[1].move)->phase.theta);
  TEST_ASSERT_INT_WITHIN(1, 0, run_until(&f[1], "hands", 2)); /* the same stage, up to a tick */
  for (k = 0; k < 2; k++) close_move(&f[k]);
}

/* Saved on one hand: what follows is the same to the bit. And nothing allocates on the way. */
static void test_saved_on_one_hand(void) {
  fixture f;
  const po_patches *s;
  size_t world, move;
  uint64_t hash;
  long before;
  char *mem;
  int i;
  open_wheel(&f, 0);
  run_until(&f, "reach", 3000);
  before = allocations;
  run_until(&f, "hands", 3000);
  TEST_ASSERT_EQUAL_INT(0, (int)(allocations - before));
  s = &f.move->actor->patches;
  TEST_ASSERT_TRUE(po_patches_touching(s, PO_PATCH_BIT(PO_HAND_L)) > 0);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(s, PO_PATCH_BIT(PO_HAND_R)));
  world = po_world_save_bytes(f.world);
  move = po_move_save_bytes(f.move);
  mem = po_alloc(world + move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(mem, world, f.world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mem + world, move, f.move));
  run(&f, 400);
  hash = po_world_hash(f.world);
  for (i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(0, s->patch[PO_FOOT_L].touching[i]);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(f.world, mem, world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(f.move, mem + world, move));
  run(&f, 400);
  TEST_ASSERT_TRUE(hash == po_world_hash(f.world));
  po_free(mem);
  close_move(&f);
}

static po_status make(po_run **run, const po_setting *set, int sets, const char *model, po_error *err) {
  po_run_opts o = po_run_opts_default();
  o.set = set;
  o.sets = sets;
  o.model = model;
  o.seed = 1;
  return po_run_new(run, po_scenario_find("cartwheel"), &o, err);
}

static void refused(const char *name, const char *value, const char *model, const char *word) {
  po_setting set = {name, value};
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_NOT_EQUAL(PO_OK, make(&run, &set, 1, model, &err));
  TEST_ASSERT_NULL(run);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}
static void test_what_makes_no_sense_is_refused(void) {
  refused("side", "up", NULL, "left, right");
  refused("nu", "2", NULL, "nu");
  refused("straddle_deg", "nan", NULL, "straddle_deg");
  refused("side", "left", "ostrich", "has no hands: frames hand_l, hand_r are needed");
}

/* The whole wheel, judged; then the same wheel measured against what it did not do: the judge says no. */
static void test_a_cartwheel(void) {
  po_setting set[2] = {{"side", "right"}, {"nominal_rate_deg", "250"}};
  po_run *run = NULL;
  po_error err;
  int k;
  for (k = 1; k <= 2; k++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, set, k, NULL, &err), err.message);
    while (po_run_step(run)) {}
    po_run_finish(run);
    TEST_ASSERT_EQUAL_INT_MESSAGE(k == 1 ? PO_SUCCESS : PO_FAILED, run->outcome, run->reason);
    TEST_ASSERT_TRUE(po_run_result(run, "hand_first_at") < po_run_result(run, "hand_second_at"));
    TEST_ASSERT_TRUE(po_run_result(run, "hand_second_at") < po_run_result(run, "hand_first_off"));
    TEST_ASSERT_TRUE(po_run_result(run, "hand_first_off") < po_run_result(run, "hand_second_off"));
    TEST_ASSERT_TRUE(po_run_result(run, "hand_second_off") < po_run_result(run, "foot_first_at"));
    TEST_ASSERT_TRUE(po_run_result(run, "foot_first_at") < po_run_result(run, "foot_second_at"));
    if (k == 2) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(run->reason, "deg/s"), run->reason);
    po_run_free(run);
  }
}

/* A faster one is faster from its first foot to its second: by a tenth at least, where half of the speed asked for beyond 1 is left out. */
static void test_a_faster_one_is_faster(void) {
  static const double nu[2] = {1, 1.5};
  int k, steps[2];
  for (k = 0; k < 2; k++) {
    fixture f;
    po_error err;
    open_wheel(&f, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "nu", nu[k], &err));
    run_until(&f, "reach", 3000);
    steps[k] = run_until(&f, "down", 3000);
    close_move(&f);
  }
  TEST_ASSERT_TRUE_MESSAGE(steps[1] < 0.9 * steps[0], "nu = 1.5 is not a tenth faster than nu = 1");
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_standing_with_feet_apart);
  RUN_TEST(test_left_and_right_mirror);
  RUN_TEST(test_saved_on_one_hand);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  RUN_TEST(test_a_cartwheel);
  RUN_TEST(test_a_faster_one_is_faster);
  return UNITY_END() != 0;
}
