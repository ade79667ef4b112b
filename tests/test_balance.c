/* Balance: pushes that nobody told of are felt, and the COM is asked for nothing that the soles cannot give. */
#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_world *world;
static po_balance *balance;
static double tau[64];

void setUp(void) {
  po_error err;
  if (!model) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_balance_new(&balance, model, po_terrain_flat(), NULL, NULL, &err), err.message);
}
void tearDown(void) {
  po_move_free((po_move *)balance);
  po_world_free(world);
}

static void step(double force) {
  int body = po_find_body(model, "thorax");
  if (force != 0) {
    po_world_kinematics(world, 0);
    po_world_force(world, 0, body, po_v3(0, force, 0), po_point_position(po_world_data(world, 0), body, model->inertia[body].com));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
}

static void test_a_push_is_felt_within_milliseconds(void) {
  int i;
  for (i = 0; i < 300; i++) step(0);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, po_v3_norm(balance->push));
  for (i = 0; i < 10; i++) step(100);
  TEST_ASSERT_DOUBLE_WITHIN(0.1 * 100 / model->total_mass, 100 / model->total_mass, balance->push.y);
  for (i = 0; i < 20; i++) step(0);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 0, po_v3_norm(balance->push));
}

static void test_it_can_be_told_not_to_feel(void) {
  int i;
  balance->params.observer = 0;
  for (i = 0; i < 20; i++) step(100);
  TEST_ASSERT_TRUE(po_v3_norm(balance->push) == 0);
}

/* With the capture point well inside the soles, the centre of pressure of what is asked stays inside them too, however stiff the gains. */
static void test_nothing_is_asked_that_soles_cannot_give(void) {
  po_vec3 hull[PO_HULL_MAX], p, near, want;
  const po_data *d;
  po_objective *com;
  double k;
  int n;
  balance->params.stand.kp_com = 400;
  balance->params.stand.com_limit = 0;
  po_world_v(world, 0)[3] = 0.15;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)));
  d = balance->move.actor->data;
  k = 9.81 / balance->move.actor->standing_height;
  n = po_patches_hull(hull, &balance->move.actor->patches, d, PO_BOTH_FEET);
  TEST_ASSERT_TRUE(po_hull_distance(&near, hull, n, po_v3_addscaled(d->com, 1 / sqrt(k), d->com_velocity)) < -0.03);
  com = po_wbc_find(balance->move.actor->wbc, "com");
  want = po_v3(com->wanted[0], com->wanted[1], 0);
  p = po_v3_addscaled(d->com, -1 / k, want);
  TEST_ASSERT_TRUE(po_v3_norm(want) > 0.5);
  TEST_ASSERT_TRUE(po_hull_distance(&near, hull, n, p) < 1e-9);
  balance->params.cop_margin = 10; /* as the paper has it */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)));
  p = po_v3_addscaled(d->com, -1 / k, po_v3(com->wanted[0], com->wanted[1], 0));
  TEST_ASSERT_TRUE(po_hull_distance(&near, hull, n, p) > 0.1);
}

/* Saved in the middle of a push, it goes on to the bit. */
static void test_save_and_restore_in_a_push(void) {
  static char body[1 << 18], mind[1 << 20];
  uint64_t first;
  int i;
  for (i = 0; i < 50; i++) step(i > 20 ? 150 : 0);
  TEST_ASSERT_TRUE(po_world_save_bytes(world) <= sizeof body && po_move_save_bytes(&balance->move) <= sizeof mind);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(body, sizeof body, world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mind, sizeof mind, &balance->move));
  for (i = 0; i < 50; i++) step(150);
  first = po_world_hash(world);
  for (i = 0; i < 50; i++) step(-50);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, body, sizeof body));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(&balance->move, mind, po_move_save_bytes(&balance->move)));
  for (i = 0; i < 50; i++) step(150);
  TEST_ASSERT_EQUAL_HEX64(first, po_world_hash(world));
}

/* Weightless, or so nearly that the weight is no unit to count forces in: it keeps its pose, though nothing holds it to the ground. Gravity of 1e-100 once
 * was a unit of 1e-98 N. */
static void test_weightless_it_holds_its_pose(void) {
  static const double gravity[] = {0, 5e-324, 1e-300, 1e-100, 1e-20, 1e-6};
  size_t k;
  for (k = 0; k < sizeof gravity / sizeof gravity[0]; k++) {
    po_world_opts opts = po_world_opts_default();
    const po_model *human = balance->move.actor->model;
    po_world *w;
    po_move *m;
    po_error err;
    double start[64], off = 0;
    int i;
    opts.gravity = po_v3(0, 0, -gravity[k]);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, &opts));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, human));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(w, 0), human, po_terrain_flat(), 0, 0, 0, 0.95, &err));
    memcpy(start, po_world_q(w, 0), sizeof(double) * (size_t)human->nq);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&m, "balance", human, po_terrain_flat(), NULL, &err));
    m->actor->data->gravity = opts.gravity;
    for (i = 0; i < 1000; i++) {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(m, po_world_tau(w, 0), po_sense_of(po_world_q(w, 0), po_world_v(w, 0), 1e-3)));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3));
    }
    for (i = 7; i < human->nq; i++) off = po_max(off, fabs(po_world_q(w, 0)[i] - start[i]));
    TEST_ASSERT_TRUE(off < 0.05); /* rad: the pose it was put in is not its rest pose */
    po_move_free(m);
    po_world_free(w);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_push_is_felt_within_milliseconds);
  RUN_TEST(test_it_can_be_told_not_to_feel);
  RUN_TEST(test_nothing_is_asked_that_soles_cannot_give);
  RUN_TEST(test_save_and_restore_in_a_push);
  RUN_TEST(test_weightless_it_holds_its_pose);
  return UNITY_END() != 0;
}
