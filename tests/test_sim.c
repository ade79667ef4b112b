/* test_sim.c: the clockwork of scenes and planners: ticks and held torques, pushes, what feet feel, who fell, what is saved. */
#include "ctrl/plan/plan.h"
#include "counting.h"
#include "unity.h"
#include <string.h>

static const po_model *human;
static po_world *world;
static po_sim *sim;
static po_move *stand[2];

void setUp(void) {}
void tearDown(void) {
  int k;
  po_sim_free(sim);
  for (k = 0; k < 2; k++) po_move_free(stand[k]), stand[k] = NULL;
  po_world_free(world);
  po_model_free(human);
  sim = NULL;
  world = NULL;
  human = NULL;
}

/* So many humans who stand beside each other. */
static void begin(int count, double control_hz) {
  po_sim_opts o = po_sim_opts_default();
  po_error err;
  int k;
  o.control_hz = control_hz;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  for (k = 0; k < count; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, k), human, po_terrain_flat(), 0, 2.0 * k, 0, 0.95, &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&stand[k], "stand", human, po_terrain_flat(), NULL, &err));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, po_terrain_flat(), &o));
  for (k = 0; k < count; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, k, stand[k]));
}

static void steps(int n) {
  po_error err;
  while (n-- > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_sim_step(sim, &err), err.message);
}

static void test_torques_are_held_between_ticks(void) {
  double held[64];
  int i, changes = 0;
  begin(1, 250);
  TEST_ASSERT_EQUAL_INT(4, sim->control_every);
  for (i = 0; i < 40; i++) {
    memcpy(held, sim->character[0].tau, sizeof(double) * (size_t)human->nv);
    steps(1);
    TEST_ASSERT_EQUAL_INT(i % 4 == 0, sim->controlled);
    if (sim->controlled) changes += memcmp(held, sim->character[0].tau, sizeof(double) * (size_t)human->nv) != 0;
    else TEST_ASSERT_EQUAL_MEMORY(held, sim->character[0].tau, sizeof(double) * (size_t)human->nv);
  }
  TEST_ASSERT_EQUAL_INT(10, sim->ticks);
  TEST_ASSERT_EQUAL_INT(10, changes);
}

/* The ground carries the body's weight, half on each foot, heel and toe. */
static void test_feet_feel_the_weight(void) {
  const po_feel *f;
  double weight;
  begin(1, 1000);
  steps(400);
  f = sim->character[0].feet.patch;
  weight = human->total_mass * 9.81;
  TEST_ASSERT_DOUBLE_WITHIN(0.02 * weight, weight, f[PO_FOOT_L].force + f[PO_FOOT_R].force);
  TEST_ASSERT_DOUBLE_WITHIN(0.05 * weight, 0.5 * weight, f[PO_FOOT_L].force);
  TEST_ASSERT_TRUE(f[PO_FOOT_L].heel && f[PO_FOOT_L].toe && f[PO_FOOT_R].heel && f[PO_FOOT_R].toe);
  TEST_ASSERT_TRUE(!f[PO_HAND_L].palm && !f[PO_HAND_R].palm && f[PO_HAND_L].force == 0);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
}

static void test_a_push_acts_on_whom_it_is_meant_for(void) {
  po_push push = {0.1, 0.2, {400, 0, 0}, NULL, 1};
  po_error err;
  begin(2, 1000);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_push(sim, &push, &err));
  steps(100);
  TEST_ASSERT_TRUE(sim->character[1].push.x == 0);
  steps(1);
  TEST_ASSERT_TRUE(sim->character[1].push.x == 400 && sim->character[0].push.x == 0);
  steps(1900);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
  TEST_ASSERT_TRUE(sim->character[1].fall.at > 0.3);
  push.link = "tail_9";
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_sim_push(sim, &push, &err));
  push.link = NULL;
  push.character = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_push(sim, &push, &err));
  push.character = 0;
  push.force.y = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_push(sim, &push, &err));
}

/* ---- the judge of falls: each rule says no where it should, and only there ---- */

/* It crouches to this share of standing; hands may touch the ground. */
static void crouch(double share) {
  begin(1, 1000);
  sim->character[0].may_touch = PO_BOTH_FEET | PO_BOTH_HANDS;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(stand[0], "com_height", share, NULL));
  steps(2500);
}

/* A COM below 45 % of standing is a fall, though nothing touches that may not; above it is none. */
static void test_a_body_that_sinks_is_a_fall(void) {
  double low;
  crouch(0.42);
  TEST_ASSERT_TRUE(sim->character[0].fall.at > 0);
  TEST_ASSERT_EQUAL_INT(-1, sim->character[0].fall.body);
  low = sim->character[0].fall.height / stand[0]->actor->standing_height;
  TEST_ASSERT_TRUE(low < 0.45 && low > 0.40);
  tearDown();
  crouch(0.49);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.49, po_world_data(world, 0)->com.z / stand[0]->actor->standing_height);
}

/* Sinking is a fall after 0.1 s and not before. */
static void test_a_short_dip_is_no_fall(void) {
  double since;
  begin(1, 1000);
  sim->character[0].may_touch = PO_BOTH_FEET | PO_BOTH_HANDS;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(stand[0], "com_height", 0.42, NULL));
  while (sim->character[0].low_since < 0 && sim->steps < 3000) steps(1);
  since = sim->character[0].low_since;
  TEST_ASSERT_TRUE(since > 0);
  steps(98);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
  steps(4);
  TEST_ASSERT_DOUBLE_WITHIN(1.5e-3, since + 0.1, sim->character[0].fall.at);
}

/* Whoever is pushed over lands on something that is no foot, and it is named. What may touch is up to whoever asks. */
static void test_a_link_that_touches_is_a_fall(void) {
  po_push push = {0, 0.3, {-600, 0, 0}, NULL, 0};
  const char *name;
  begin(1, 1000);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_push(sim, &push, NULL));
  sim->character[0].low_since = PO_INF; /* sinking does not count here */
  while (sim->character[0].fall.at < 0 && sim->steps < 3000) {
    sim->character[0].low_since = 1e9;
    steps(1);
  }
  TEST_ASSERT_TRUE(sim->character[0].fall.body >= 0);
  name = human->body_name[sim->character[0].fall.body];
  TEST_ASSERT_TRUE_MESSAGE(strncmp(name, "foot", 4) && strncmp(name, "toes", 4), name);
  tearDown();
  begin(1, 1000);
  sim->character[0].may_touch = PO_BOTH_HANDS; /* feet may not: standing is a fall */
  steps(50);
  TEST_ASSERT_TRUE(sim->character[0].fall.at >= 0);
  TEST_ASSERT_TRUE(!strncmp(human->body_name[sim->character[0].fall.body], "foot", 4));
}

/* ---- what is tagged ---- */

static po_terrain *hall;

/* One human in a world that has, under its trunk, a bar at this height, tagged or not; hands may touch. */
static void under_a_bar(double height, int tagged) {
  po_world_opts o = po_world_opts_default();
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&hall, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(hall, po_v3(0, 0, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  o.terrain = hall;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, &o));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), human, hall, 0, 0, 0, 0.95, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(hall, po_v3(-0.3, -1, height), po_v3(0.3, 1, height + 0.1), 1));
  if (tagged) TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_tag(hall, 0, PO_TAG_BAR));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&stand[0], "stand", human, hall, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, hall, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, stand[0]));
}

/* A bar overhead is not what the COM's height is measured from; a head that meets a tagged one has touched it, and only an untagged one is a fall. */
static void test_a_bar_is_touched_and_no_fall(void) {
  under_a_bar(2.2, 1);
  steps(300);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0 && sim->character[0].touched == 0);
  tearDown();
  po_terrain_free(hall);
  under_a_bar(1.65, 1); /* the head is in it: the world pushes it out, which presses */
  steps(100);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
  TEST_ASSERT_TRUE(sim->character[0].touched >= 1);
  TEST_ASSERT_EQUAL_STRING("head", human->body_name[sim->character[0].touch_body]);
  TEST_ASSERT_EQUAL_INT(0, sim->character[0].touch_box);
  tearDown();
  po_terrain_free(hall);
  under_a_bar(1.65, 0);
  steps(100);
  TEST_ASSERT_TRUE(sim->character[0].fall.at >= 0);
  tearDown();
  po_terrain_free(hall);
}

/* ---- throws ---- */

/* Two balls thrown at one who stands: they come at their times, from where and as fast as asked, and hit. Being hit is no fall. */
static void test_balls_are_thrown_at_their_times(void) {
  po_thing ball = {"ball", PO_SPHERE, {0.1, 0, 0}, 0.5};
  po_throw t = {0.05, 1, 0, {1, 0, 0.2}, {-8, 0, 0}};
  const po_model *model;
  po_error err;
  double y = 0;
  int k;
  begin(1, 1000);
  po_sim_free(sim);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_thing_model(&model, &ball, &err));
  for (k = 0; k < 2; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, model));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, po_terrain_flat(), NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, stand[0]));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_throw(sim, &t, &err));
  t.time = 0.2, t.thing = 2, t.target = -1, t.position = po_v3(0, 1, 1.2), t.velocity = po_v3(0, -5, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_throw(sim, &t, &err));
  steps(50);
  TEST_ASSERT_TRUE(!po_world_active(world, 1) && !po_world_active(world, 2));
  steps(1);
  TEST_ASSERT_TRUE(po_world_active(world, 1) && !po_world_active(world, 2));
  TEST_ASSERT_DOUBLE_WITHIN(1e-2, po_world_data(world, 0)->com.x + 1, po_world_q(world, 1)[4]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-2, -8, po_world_v(world, 1)[3]);
  steps(149);
  TEST_ASSERT_TRUE(po_world_v(world, 1)[3] > -8 + 1); /* it has hit */
  steps(2);
  y = po_world_q(world, 2)[5];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1 - 2 * 0.001 * 5, y); /* two steps on its way */
  steps(300);
  TEST_ASSERT_TRUE(sim->character[0].fall.at < 0);
  t.thing = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_sim_throw(sim, &t, &err)); /* characters are not thrown */
  t.thing = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_throw(sim, &t, &err));
  t.thing = 1, t.time = 0.1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_throw(sim, &t, &err)); /* that is over */
  t.time = 9, t.velocity.y = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_throw(sim, &t, &err));
  po_world_free(world);
  world = NULL;
  po_model_free(model);
}

/* ---- state ---- */

static void test_saved_and_restored_it_goes_on_to_the_bit(void) {
  po_push push = {0.05, 0.2, {120, 30, 0}, NULL, 0};
  size_t bytes;
  void *state, *again;
  uint64_t hash;
  po_error err;
  begin(2, 500);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_push(sim, &push, &err));
  bytes = po_sim_save_bytes(sim);
  state = po_alloc(bytes);
  again = po_alloc(bytes);
  steps(101); /* between two ticks, in the push */
  TEST_ASSERT_TRUE(po_sim_save_bytes(sim) == bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(state, bytes, sim));
  steps(150);
  hash = po_world_hash(world);
  steps(77);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_restore(sim, state, bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(again, bytes, sim));
  TEST_ASSERT_EQUAL_MEMORY(state, again, bytes);
  TEST_ASSERT_EQUAL_INT(101, sim->steps);
  steps(150);
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  po_free(state);
  po_free(again);
}

static void test_a_state_of_something_else_is_refused(void) {
  size_t bytes;
  char *state;
  uint64_t hash;
  begin(2, 1000);
  steps(10);
  bytes = po_sim_save_bytes(sim);
  state = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(state, bytes, sim));
  steps(5);
  hash = po_world_hash(world);
  sim->character[1].move = NULL; /* a sim with another cast */
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_sim_restore(sim, state, bytes));
  sim->character[1].move = stand[1];
  state[bytes / 3] ^= 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_sim_restore(sim, state, bytes));
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  TEST_ASSERT_EQUAL_INT(15, sim->steps);
  po_free(state);
}

/* A character whose move is `name`, with options of its control; the sim steps by dt. */
static void alone(const char *name, const po_wbc_opts *wbc, double dt) {
  po_sim_opts o = po_sim_opts_default();
  po_error err;
  o.dt = dt;
  o.control_hz = 1 / dt;
  if (!human) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), human, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&stand[0], name, human, po_terrain_flat(), wbc, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, po_terrain_flat(), &o));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, stand[0]));
}
static void over(void) {
  const po_model *kept = human;
  human = NULL;
  tearDown();
  human = kept;
}

/* A state of a sim whose character does something else, has other options or another clock: nothing of it is taken over. */
static void test_what_is_refused_changes_nothing(void) {
  static const struct {
    const char *name;
    int full;
    double dt;
  } other[] = {{"stand:1,walk", 0, 1e-3}, {"walk:1,stand", 1, 1e-3}, {"walk:1,stand", 0, 2e-3}, {"walk", 1, 1e-3}};
  static char before[1 << 19], after[1 << 19];
  size_t i, bytes, mine;
  for (i = 0; i < 4; i++) {
    po_wbc_opts o = po_wbc_opts_default();
    char *state;
    alone(i < 3 ? "walk:1,stand" : "walk", &o, 1e-3);
    steps(20);
    bytes = po_sim_save_bytes(sim);
    state = po_alloc(bytes);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(state, bytes, sim));
    over();
    o.formulation = other[i].full ? PO_FULL : PO_REDUCED;
    alone(other[i].name, &o, other[i].dt);
    steps(5);
    mine = po_sim_save_bytes(sim);
    TEST_ASSERT_TRUE(mine <= sizeof before);
    memset(before, 0, mine);
    memset(after, 0, mine);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(before, mine, sim));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_MODEL, po_sim_restore(sim, state, bytes), other[i].name);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(after, mine, sim));
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, after, mine, other[i].name);
    po_free(state);
    over();
  }
}

/* Pushed over the edge of the world, below which there is nothing: whoever falls goes on being simulated, and so do all others. */
static void test_over_the_edge_of_the_world(void) {
  static const char *const names[] = {"land", "stand", "walk", "gbwc", "jump", "cartwheel"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    po_world_opts o = po_world_opts_default();
    po_push push = {0.3, 0.3, {250, 0, 0}, NULL, 0};
    po_terrain *table;
    po_error err;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&table, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(table, po_v3(-2, -1, -0.3), po_v3(0.35, 1, 0), 1));
    o.terrain = table;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "gymnast", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, &o));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), human, table, 0, 0, 0, 0.95, &err));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&stand[0], names[i], human, table, NULL, &err), err.message);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, table, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, stand[0]));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_push(sim, &push, &err));
    steps(2000);
    if (i < 3) TEST_ASSERT_TRUE_MESSAGE(po_world_data(world, 0)->com.z < -1, names[i]); /* it did go over */
    tearDown();
    po_terrain_free(table);
  }
}

/* Ticks that are nearly never due do not fit the count of steps between them. */
static void test_ticks_that_never_come_are_refused(void) {
  po_sim_opts o = po_sim_opts_default();
  po_sim *none = NULL;
  begin(1, 1000);
  o.control_hz = 1e-12;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_new(&none, world, po_terrain_flat(), &o));
  o.control_hz = 1000;
  o.dt = 1e-300;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_new(&none, world, po_terrain_flat(), &o));
  TEST_ASSERT_NULL(none);
}

static void test_a_behaviour_of_another_body_is_refused(void) {
  const po_model *giant;
  po_move *move;
  begin(1, 1000);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&giant, "giant", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "stand", giant, po_terrain_flat(), NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_sim_set_move(sim, 0, move));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_sim_set_move(sim, 3, stand[0]));
  po_move_free(move);
  po_model_free(giant);
}

static void test_a_step_allocates_nothing(void) {
  long before;
  begin(1, 1000);
  steps(2);
  before = allocations;
  steps(50);
  TEST_ASSERT_EQUAL_INT(0, allocations - before);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_torques_are_held_between_ticks);
  RUN_TEST(test_feet_feel_the_weight);
  RUN_TEST(test_a_push_acts_on_whom_it_is_meant_for);
  RUN_TEST(test_a_body_that_sinks_is_a_fall);
  RUN_TEST(test_a_short_dip_is_no_fall);
  RUN_TEST(test_a_link_that_touches_is_a_fall);
  RUN_TEST(test_a_bar_is_touched_and_no_fall);
  RUN_TEST(test_balls_are_thrown_at_their_times);
  RUN_TEST(test_saved_and_restored_it_goes_on_to_the_bit);
  RUN_TEST(test_a_state_of_something_else_is_refused);
  RUN_TEST(test_what_is_refused_changes_nothing);
  RUN_TEST(test_over_the_edge_of_the_world);
  RUN_TEST(test_ticks_that_never_come_are_refused);
  RUN_TEST(test_a_behaviour_of_another_body_is_refused);
  RUN_TEST(test_a_step_allocates_nothing);
  return UNITY_END() != 0;
}
