/* Handstands: a body placed on its hands, standing on them, saved there, and a judge that says no. */
#include "counting.h"
#include "gymnast.h"
#include "scenes/scenes.h"

void setUp(void) {}
void tearDown(void) {}

static void open_stand(fixture *f, double heading) {
  po_error err;
  open_move(f, "handstand");
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_handstand_pose(po_world_q(f->world, 0), f->model, po_terrain_flat(), 0.3, -0.2, heading, &err), err.message);
}

/* Palms flat on the ground where asked, the COM over their middle, the head down, whatever the heading. */
static void test_placed_on_the_hands(void) {
  static const double heading[2] = {0, 2.1};
  int k, i;
  for (k = 0; k < 2; k++) {
    fixture f;
    po_patches *p;
    po_data *d;
    po_vec3 at;
    open_stand(&f, heading[k]);
    p = &f.move->actor->patches;
    d = po_world_data(f.world, 0);
    po_kinematics(d, po_world_q(f.world, 0), NULL);
    po_com(d);
    po_patches_update(p, d);
    at = po_patches_centroid(p, d, PO_BOTH_HANDS);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.3, at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -0.2, at.y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, at.x, d->com.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, at.y, d->com.y);
    TEST_ASSERT_TRUE(d->com.z > 0.9);
    TEST_ASSERT_TRUE(po_m3_col(d->pose[0].R, 2).z < -0.9);
    for (i = 0; i < 8; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, p->patch[PO_HAND_L + i / 4].gap[i % 4]);
    close_move(&f);
  }
}

/* It stands; nothing allocates; saved and restored, what follows is the same to the bit. */
static void test_stands_and_is_saved(void) {
  fixture f;
  size_t world, move;
  uint64_t hash;
  long before;
  char *mem;
  po_data *d;
  open_stand(&f, 0);
  run(&f, 200);
  before = allocations;
  run(&f, 600);
  TEST_ASSERT_EQUAL_INT(0, (int)(allocations - before));
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&f.move->actor->patches, PO_BOTH_FEET));
  TEST_ASSERT_TRUE(po_patches_touching(&f.move->actor->patches, PO_BOTH_HANDS) > 0);
  world = po_world_save_bytes(f.world);
  move = po_move_save_bytes(f.move);
  mem = po_alloc(world + move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(mem, world, f.world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mem + world, move, f.move));
  run(&f, 500);
  hash = po_world_hash(f.world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(f.world, mem, world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(f.move, mem + world, move));
  run(&f, 500);
  TEST_ASSERT_TRUE(hash == po_world_hash(f.world));
  d = f.move->actor->data;
  TEST_ASSERT_DOUBLE_WITHIN(0.06, 0.3, d->com.x);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, -0.2, d->com.y);
  TEST_ASSERT_TRUE(d->com.z > 0.9);
  po_free(mem);
  close_move(&f);
}

/* Who starts on the feet, or has no hands, is refused with the reason. */
static void test_a_place_that_is_no_number_is_refused(void) {
  const po_model *gymnast;
  po_error err;
  double q[64] = {7};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&gymnast, "gymnast", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_handstand_pose(q, gymnast, po_terrain_flat(), PO_NAN, 0, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_handstand_pose(q, gymnast, po_terrain_flat(), 0, 0, PO_INF, &err));
  TEST_ASSERT_EQUAL_DOUBLE(7, q[0]);
  po_model_free(gymnast);
}

static void test_who_is_not_on_the_hands_is_refused(void) {
  fixture f;
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_error err;
  po_sense sense;
  open_stand(&f, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(f.world, 0), f.model, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  sense = po_sense_of(po_world_q(f.world, 0), po_world_v(f.world, 0), 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_begin(f.move->actor, &sense));
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_move_ready(f.move, NULL, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "both hands on the ground"), err.message);
  close_move(&f);
  o.model = "ostrich";
  TEST_ASSERT_NOT_EQUAL(PO_OK, po_run_new(&r, po_scenario_find("handstand"), &o, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "has no hands: frames hand_l, hand_r are needed"), err.message);
}

static int outcome_of(const char *name, const char *value) {
  po_setting set = {name, value};
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_error err;
  int outcome;
  o.set = &set;
  o.sets = 1;
  o.seed = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("handstand"), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  outcome = (int)r->outcome;
  po_run_free(r);
  return outcome;
}

/* Judged; with half its torques it falls, and the judge says so. */
static void test_a_handstand(void) {
  TEST_ASSERT_EQUAL_INT(PO_SUCCESS, outcome_of("hold", "1.5"));
  TEST_ASSERT_EQUAL_INT(PO_FELL, outcome_of("strength", "0.5"));
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_placed_on_the_hands);
  RUN_TEST(test_stands_and_is_saved);
  RUN_TEST(test_a_place_that_is_no_number_is_refused);
  RUN_TEST(test_who_is_not_on_the_hands_is_refused);
  RUN_TEST(test_a_handstand);
  return UNITY_END() != 0;
}
