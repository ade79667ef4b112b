/* Back handsprings: onto the hands and over them, saved on both hands, judged. */
#include "counting.h"
#include "gymnast.h"
#include "scenes/scenes.h"

void setUp(void) {}
void tearDown(void) {}

static void open_spring(fixture *f, double heading) {
  po_error err;
  open_move(f, "back-handspring");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f->move, "wait", 0.05, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(f->world, 0), f->model, po_terrain_flat(), 0, 0, heading, 0.95, &err));
}

/* Saved on the hands: what follows is the same to the bit; nothing allocates on the way; both hands come down, no foot touches. */
static void test_saved_on_the_hands(void) {
  fixture f;
  const po_patches *s;
  size_t world, move;
  uint64_t hash;
  long before;
  char *mem;
  open_spring(&f, 0);
  run_until(&f, "thrust", 3000);
  before = allocations;
  run_until(&f, "hands", 3000);
  run(&f, 60);
  TEST_ASSERT_EQUAL_INT(0, (int)(allocations - before));
  s = &f.move->actor->patches;
  TEST_ASSERT_TRUE(po_patches_touching(s, PO_PATCH_BIT(PO_HAND_L)) > 0);
  TEST_ASSERT_TRUE(po_patches_touching(s, PO_PATCH_BIT(PO_HAND_R)) > 0);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(s, PO_BOTH_FEET));
  world = po_world_save_bytes(f.world);
  move = po_move_save_bytes(f.move);
  mem = po_alloc(world + move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(mem, world, f.world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mem + world, move, f.move));
  run(&f, 400);
  hash = po_world_hash(f.world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(f.world, mem, world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(f.move, mem + world, move));
  run(&f, 400);
  TEST_ASSERT_TRUE(hash == po_world_hash(f.world));
  po_free(mem);
  close_move(&f);
}

/* Facing elsewhere, the same spring up to rounding, as long as it flies. */
static void test_the_heading_changes_nothing(void) {
  static const double heading[2] = {0, 1.1};
  double theta[2], height[2], back[2];
  int k, steps[2];
  for (k = 0; k < 2; k++) {
    fixture f;
    po_vec3 ahead = po_v3(po_cos(heading[k]), po_sin(heading[k]), 0);
    open_spring(&f, heading[k]);
    steps[k] = run_until(&f, "hands", 3000);
    theta[k] = po_turning_of(f.move)->phase.theta;
    height[k] = f.move->actor->data->com.z;
    back[k] = po_v3_dot(ahead, f.move->actor->data->com);
    close_move(&f);
  }
  TEST_ASSERT_INT_WITHIN(2, steps[0], steps[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, theta[0], theta[1]);
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, height[0], height[1]);
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, back[0], back[1]);
}

static po_status make(po_run **run, const char *apex, const char *model, po_error *err) {
  static po_setting set;
  po_run_opts o = po_run_opts_default();
  set.name = "apex";
  set.value = apex;
  o.set = &set;
  o.sets = 1;
  o.model = model;
  o.seed = 1;
  return po_run_new(run, po_scenario_find("back-handspring"), &o, err);
}

static void test_what_makes_no_sense_is_refused(void) {
  po_run *run = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, make(&run, "0.5", NULL, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "apex"), err.message);
  TEST_ASSERT_NOT_EQUAL(PO_OK, make(&run, "0.1", "ostrich", &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "has no hands: frames hand_l, hand_r are needed"), err.message);
}

/* A low one and a high one, whose hands come down at 2.6 m/s. */
static void test_a_handspring(void) {
  static const char *const apex[2] = {"0.1", "0.18"};
  int k;
  for (k = 0; k < 2; k++) {
    po_run *run = NULL;
    po_error err;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, make(&run, apex[k], NULL, &err), err.message);
    while (po_run_step(run)) {}
    po_run_finish(run);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
    TEST_ASSERT_TRUE(po_run_result(run, "hands_at") < po_run_result(run, "feet_at"));
    TEST_ASSERT_TRUE(po_run_result(run, "travel") > 0.5);
    po_run_free(run);
  }
}

/* Asked to rise 0.4 m with half its strength, it does not, and the judge says so. */
static void test_who_does_not_rise_has_failed(void) {
  po_setting set[2] = {{"apex", "0.4"}, {"strength", "0.5"}};
  po_run_opts o = po_run_opts_default();
  po_run *run = NULL;
  po_error err;
  o.set = set;
  o.sets = 2;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&run, po_scenario_find("back-handspring"), &o, &err), err.message);
  while (po_run_step(run)) {}
  po_run_finish(run);
  TEST_ASSERT_NOT_EQUAL(PO_SUCCESS, run->outcome);
  po_run_free(run);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_saved_on_the_hands);
  RUN_TEST(test_the_heading_changes_nothing);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  RUN_TEST(test_a_handspring);
  RUN_TEST(test_who_does_not_rise_has_failed);
  return UNITY_END() != 0;
}
