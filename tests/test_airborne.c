/* Turning over: eq. 15 brings a disk of given momentum to its angle; the fold angle obeys the conservation of momentum; a flip in mid-flight is
 * restored to the bit; nothing allocates in a tick; what a body lacks is said. */
#include "counting.h"
#include "ctrl/moves/turner.h"
#include "gymnast.h"

void setUp(void) {}
void tearDown(void) {}

/* A disk whose inertia follows what eq. 15 asks for, with a lag as of a body's joints. */
static double disk_ends_at(double L, double rest, double seconds, double lag) {
  const double dt = 1e-3, least = 3.5, most = 13, land = 11;
  double theta = 0, I = 11, t;
  for (t = 0; t < seconds; t += dt) {
    double want = po_airborne_inertia(L, I, land, rest - theta, po_max(seconds - t, 0.03), least, most);
    I += dt / lag * (want - I);
    theta += dt * L / I;
  }
  return theta;
}

static void test_a_disk_reaches_its_angle(void) {
  /* momentum that suffices: between what the widest and the tightest disk would turn */
  static const double L[] = {40, 48, 56}, seconds[] = {0.6, 0.66, 0.8};
  int i, k;
  for (i = 0; i < 3; i++)
    for (k = 0; k < 3; k++) {
      double rest = 0.62 * L[i] / 4.5 * seconds[k]; /* rad: what a disk of 7.3 kg m² turns by */
      /* the lag of 20 ms at the end, where the disk opens at L/I of 5 rad/s, is 0.1 rad */
      TEST_ASSERT_DOUBLE_WITHIN(0.12, rest, disk_ends_at(L[i], rest, seconds[k], 0.02));
    }
}

static void test_limits_of_equation_15(void) {
  TEST_ASSERT_EQUAL_DOUBLE(13, po_airborne_inertia(40, 5, 11, -0.5, 0.3, 3.5, 13)); /* turned too far: as open as can be */
  TEST_ASSERT_EQUAL_DOUBLE(3.5, po_airborne_inertia(40, 5, 11, 9, 0.3, 3.5, 13));   /* far behind: as tight as can be */
  TEST_ASSERT_EQUAL_DOUBLE(13, po_airborne_inertia(0, 5, 11, 2, 0.3, 3.5, 13));     /* no momentum: folding gains nothing */
  TEST_ASSERT_EQUAL_DOUBLE(13, po_airborne_inertia(-40, 5, 11, 2, 0.3, 3.5, 13));   /* turning the other way */
}

/* On its feet. */
static void open_standing(fixture *f, const char *body, const char *name) {
  po_error err;
  open_body(f, body, name);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(f->world, 0), f->model, po_terrain_flat(), 0, 0, 0, 0.95, &err));
}

/* Folding without momentum turns the trunk backwards when the body folds forwards, and I shrinks all the way. */
static void test_the_fold_table(void) {
  fixture f;
  const po_fold *fold;
  po_tumbler t;
  static double kp[64], zero[64], step[64], last[80], tried[80];
  po_tumble_pose open = {0.15, 0.25, -0.1, 0.05, 0.9, 0.2, 0.3, 0, 0}, tuck = {2.2, 2.4, 0.2, 1.1, 0.9, 0.1, 0.7, 0.5, 0};
  int k;
  open_standing(&f, "gymnast", "backflip");
  memset(&t, 0, sizeof t);
  t.joint_kp = kp;
  t.zero = zero;
  t.step = step;
  t.last = last;
  t.tried = tried;
  po_actor_measure(f.move->actor);
  po_tumbler_measure(&t, f.move->actor);
  po_airborne_prepare(&t, open, tuck);
  fold = &t.fold;
  for (k = 1; k < PO_FOLD_STEPS; k++) TEST_ASSERT_TRUE(fold->inertia[k] < fold->inertia[k - 1]);
  /* spec: 0.27-0.3 of standing in the tightest tuck, about 30 degrees between trunk and mean frame */
  TEST_ASSERT_DOUBLE_WITHIN(0.06, 0.28, fold->inertia[PO_FOLD_STEPS - 1] / t.inertia);
  TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(20.0), PO_RAD(30.0), fold->angle[PO_FOLD_STEPS - 1]);
  close_move(&f);
}

static void test_a_flip_turns_over_and_stands(void) {
  fixture f;
  po_error err;
  open_standing(&f, "gymnast", "backflip");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0.05, &err));
  run_until(&f, "flight", 1500);
  TEST_ASSERT_TRUE(po_turning_of(f.move)->momentum_wanted > 0);
  run_until(&f, "done", 6000);
  TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(20.0), 2 * PO_PI, po_turning_of(f.move)->phase.theta);
  TEST_ASSERT_EQUAL_INT(PO_MOVE_DONE, po_move_done(f.move));
  TEST_ASSERT_EQUAL_INT(0, po_turning_of(f.move)->beyond_reach);
  close_move(&f);
}

static void test_saved_in_mid_flight(void) {
  fixture f;
  po_error err;
  uint64_t hash;
  size_t world, move;
  char *mem;
  open_standing(&f, "gymnast", "frontflip");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0.05, &err));
  run_until(&f, "flight", 1500);
  run(&f, 200);
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
  po_free(mem);
  close_move(&f);
}

/* A state read into a flip of another shape: it goes on in the shape it was saved with. */
static void test_a_state_brings_its_shape(void) {
  fixture f, g;
  po_error err;
  uint64_t hash;
  char *mem;
  size_t bytes;
  open_standing(&f, "gymnast", "backflip");
  open_standing(&g, "gymnast", "backflip");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0.05, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(g.move, "split_deg", 70, &err));
  run_until(&f, "flight", 1500);
  bytes = po_move_save_bytes(f.move);
  mem = po_alloc(bytes + po_world_save_bytes(f.world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mem, bytes, f.move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(mem + bytes, po_world_save_bytes(f.world), f.world));
  run(&f, 400);
  hash = po_world_hash(f.world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(g.move, mem, bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(g.world, mem + bytes, po_world_save_bytes(g.world)));
  run(&g, 400);
  TEST_ASSERT_TRUE(hash == po_world_hash(g.world));
  po_free(mem);
  close_move(&f);
  close_move(&g);
}

/* A parameter of a move that waits measures other poses; who has the body keeps his. */
static void test_a_move_that_waits_touches_nothing(void) {
  fixture f;
  po_move *flip;
  po_actor *a;
  po_error err;
  double pose[80], weight[80];
  open_standing(&f, "gymnast", "stand");
  a = f.move->actor;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_on(&flip, &po_flip_type, NULL, a, &err));
  run(&f, 10);
  memcpy(pose, a->pose, sizeof(double) * (size_t)f.model->nq);
  memcpy(weight, a->joint_weight, sizeof(double) * (size_t)f.model->nv);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(flip, "split_deg", 40, &err));
  TEST_ASSERT_EQUAL_MEMORY(pose, a->pose, sizeof(double) * (size_t)f.model->nq);
  TEST_ASSERT_EQUAL_MEMORY(weight, a->joint_weight, sizeof(double) * (size_t)f.model->nv);
  po_move_free(flip);
  close_move(&f);
}

static void test_nothing_allocates_in_a_tick(void) {
  fixture f;
  po_error err;
  long before;
  open_standing(&f, "gymnast", "backflip");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0, &err));
  run(&f, 10); /* the world makes room for its contacts */
  before = allocations;
  run_until(&f, "land", 3000);
  run(&f, 300);
  TEST_ASSERT_EQUAL_INT(0, (int)(allocations - before));
  close_move(&f);
}

/* Facing elsewhere, the same flip: what a body does depends on its heading by rounding alone, which a whole flip magnifies. */
static void test_the_heading_changes_nothing(void) {
  static const double heading[2] = {0, 1.1};
  double theta[2], height[2], ahead[2];
  int k;
  for (k = 0; k < 2; k++) {
    fixture f;
    po_error err;
    double *q, s, c;
    open_standing(&f, "gymnast", "backflip");
    TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(f.world, 0), f.model, po_terrain_flat(), 0, 0, heading[k], 0.95, &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0.05, &err));
    run_until(&f, "arrive", 3000);
    q = po_world_q(f.world, 0);
    po_sincos(&s, &c, heading[k]);
    theta[k] = po_turning_of(f.move)->phase.theta;
    height[k] = q[6];
    ahead[k] = c * q[4] + s * q[5];
    close_move(&f);
  }
  TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(2.0), theta[0], theta[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, height[0], height[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, ahead[0], ahead[1]);
}

static void test_torques_that_do_not_suffice(void) {
  fixture f;
  const po_model *weak, *strong;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&strong, "gymnast", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_model_scale_strength(&weak, strong, 0.5, &err));
  f.model = weak;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&f.move, "backflip", weak, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&f.world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(&i, f.world, weak));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(f.world, 0), weak, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "apex", 0.8, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(f.move, "wait", 0, &err));
  for (i = 0; i < 2500 && !po_turning_of(f.move)->beyond_reach; i++) run(&f, 1);
  TEST_ASSERT_EQUAL_INT(1, po_turning_of(f.move)->beyond_reach);
  TEST_ASSERT_NOT_NULL(strstr(po_turning_of(f.move)->reason, "beyond reach"));
  close_move(&f);
  po_model_free(strong);
}

static void test_other_moves_do_not_turn(void) {
  fixture f;
  open_standing(&f, "human", "stand");
  TEST_ASSERT_NULL(po_turning_of(f.move));
  TEST_ASSERT_NULL(po_turning_of(NULL));
  close_move(&f);
}

/* Felt while standing: a steady force within a tenth, in its direction; nothing in calm air; a push of 50 ms is no wind. */
static void wind_felt(po_vec3 force, int from, int to, po_vec3 expected, double within) {
  const po_model *m;
  po_world *w;
  po_move *move;
  po_error err;
  po_vec3 felt;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "gymnast", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, m));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&move, "backflip", m, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(move, "wait", 2, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(w, 0), m, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  for (i = 0; i < 700; i++) {
    po_world_kinematics(w, 0);
    po_com(po_world_data(w, 0));
    if (i >= from && i < to) po_world_force(w, 0, 0, force, po_world_data(w, 0)->com);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, po_world_tau(w, 0), po_sense_of(po_world_q(w, 0), po_world_v(w, 0), 1e-3)));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3));
  }
  felt = ((const po_turner *)(const void *)move)->body.wind;
  TEST_ASSERT_DOUBLE_WITHIN(within, expected.x, felt.x);
  TEST_ASSERT_DOUBLE_WITHIN(within, expected.y, felt.y);
  po_move_free(move);
  po_world_free(w);
  po_model_free(m);
}
static void test_a_wind_is_felt(void) {
  wind_felt(po_v3(0, 0, 0), 0, 700, po_v3(0, 0, 0), 0);
  wind_felt(po_v3(50, 0, 0), 0, 700, po_v3(50, 0, 0), 5);
  wind_felt(po_v3(0, -40, 0), 0, 700, po_v3(0, -40, 0), 5);
  wind_felt(po_v3(100, 0, 0), 300, 350, po_v3(0, 0, 0), 0);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_a_disk_reaches_its_angle);
  RUN_TEST(test_limits_of_equation_15);
  RUN_TEST(test_the_fold_table);
  RUN_TEST(test_a_flip_turns_over_and_stands);
  RUN_TEST(test_saved_in_mid_flight);
  RUN_TEST(test_a_state_brings_its_shape);
  RUN_TEST(test_a_move_that_waits_touches_nothing);
  RUN_TEST(test_nothing_allocates_in_a_tick);
  RUN_TEST(test_the_heading_changes_nothing);
  RUN_TEST(test_torques_that_do_not_suffice);
  RUN_TEST(test_other_moves_do_not_turn);
  RUN_TEST(test_a_wind_is_felt);
  return UNITY_END() != 0;
}
