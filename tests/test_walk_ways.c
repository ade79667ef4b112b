/* test_walk_ways.c: where and on what a walk goes: backwards, to the side, on the spot, over slopes, rough ground and steps, on other bodies. */
#include "scenes/scenes.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* A run with "name=value name=value ..." set, walked to its end. */
static po_run *walked(const char *settings, double seconds, uint64_t seed) {
  static char text[256];
  po_setting set[8];
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  char *at = text;
  int n = 0;
  TEST_ASSERT_TRUE(strlen(settings) < sizeof text);
  strcpy(text, settings);
  while (*at) {
    char *equal = strchr(at, '='), *end = strchr(at, ' ');
    *equal = 0;
    set[n].name = at;
    set[n++].value = equal + 1;
    if (!end) break;
    *end = 0;
    at = end + 1;
  }
  o.seconds = seconds;
  o.seed = seed;
  o.set = set;
  o.sets = n;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("walk"), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r;
}

static void succeeds(const char *settings, double seconds) {
  po_run *r = walked(settings, seconds, 1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  po_run_free(r);
}

static void test_backwards(void) {
  po_run *r = walked("l_step=-0.24", 7, 1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, -0.4, po_run_result(r, "mean_speed"));
  po_run_free(r);
}

static void test_to_the_side(void) {
  po_run *r = walked("l_step=0 l_side=-0.12", 10, 1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_DOUBLE_WITHIN(0.03, -0.2, po_run_result(r, "side_speed"));
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0, po_run_result(r, "mean_speed"));
  po_run_free(r);
}

/* Asked for another way than it goes, a walk does not succeed. */
static void test_the_side_is_judged(void) {
  po_run *r = walked("l_step=0", 6, 1);
  ((po_walk_params *)po_move_params(po_run_move(r, 0)))->l_side = 0.12;
  r->outcome = PO_RUNNING;
  r->result_count = 0;
  r->scenario->judge(r);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "to the left"), r->reason);
  po_run_free(r);
}

/* On the spot by half a turn, within three steps of where it was. */
static void test_turns_on_the_spot(void) {
  po_run *r = walked("l_step=0 heading=180", 9, 1);
  const po_data *d = po_world_data(r->world, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_FAILED, r->outcome, r->reason); /* on its way its heading was off for most of the time */
  TEST_ASSERT_TRUE(po_abs(po_wrap(po_m3_yaw(d->pose[0].R) - PO_PI)) < PO_RAD(12));
  TEST_ASSERT_TRUE(sqrt(d->com.x * d->com.x + d->com.y * d->com.y) < 1.5);
  po_run_free(r);
}

/* Two steps bring it to nine tenths of a stroll's speed. */
static void test_starts_in_two_steps(void) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  const po_walk_seen *w;
  const po_move *move;
  double began = 0, x = 0, lifted = 1; /* cosine of an upper arm's angle from the vertical, the least */
  int k;
  o.seconds = 4;
  o.seed = 2;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("walk"), &o, &err), err.message);
  move = po_run_move(r, 0);
  w = po_walk_see(move);
  while (w->steps < 3 && po_run_step(r)) {
    const po_data *d = po_world_data(r->world, 0);
    if (w->steps == 2 && began == 0) {
      began = r->time;
      x = d->com.x;
    }
    for (k = 0; k < 2; k++) lifted = po_min(lifted, d->pose[move->actor->legs.upper_arm[k]].R.m[8]);
  }
  TEST_ASSERT_EQUAL_INT(3, w->steps);
  TEST_ASSERT_TRUE(lifted > 0.8); /* 37 degrees: arms are not thrown forward to help it along */
  TEST_ASSERT_TRUE((po_world_data(r->world, 0)->com.x - x) / (r->time - began) > 0.9 * 0.85);
  po_run_free(r);
}

static void test_grounds(void) {
  succeeds("slope_deg=-10", 5);
  succeeds("slope_deg=12", 5);
  succeeds("cross_deg=8", 5);
  succeeds("friction=0.2", 8);
  succeeds("terrain=rough step_height=0.03", 6);
  succeeds("terrain=rough step_height=0.015 known=0", 6);
  succeeds("terrain=steps step_height=0.08", 6);
  succeeds("terrain=steps step_height=-0.08", 6);
  succeeds("terrain=stairs step_height=0.15", 6);
}

/* Who may not ask the terrain does not know of the step that it stumbles over. */
static void test_unknown_ground_is_not_asked(void) {
  po_run *r = walked("terrain=steps step_height=0.08 known=0", 6, 1);
  TEST_ASSERT_EQUAL_INT(PO_FELL, r->outcome);
  po_run_free(r);
}

static void test_bodies(void) {
  succeeds("body_seed=3 body_spread=0.2", 4); /* one leg stands bent, its ankle at its stop: that heel must not rise with the first step */
  succeeds("body_seed=7 body_spread=0.4", 5);
  succeeds("grow=2 grow_start=2 grow_seconds=4", 8);
  succeeds("grow=0.7 grow_start=2 grow_seconds=4", 8);
}

/* What grows is what was named. */
static void test_limbs_that_grow(void) {
  po_run *r = walked("grow=1.2 grow_start=1 grow_seconds=0.5 limbs=legs", 1.6, 1);
  const po_model *m = po_run_move(r, 0)->actor->model;
  int arm = po_find_body(m, "forearm_l"), shank = po_find_body(m, "shank_r");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_v3_norm(r->model->joint[arm].placement.p), po_v3_norm(m->joint[arm].placement.p));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.2 * po_v3_norm(r->model->joint[shank].placement.p), po_v3_norm(m->joint[shank].placement.p));
  TEST_ASSERT_TRUE(po_walk_see(po_run_move(r, 0))->size > 1.15); /* and the gait knows */
  po_run_free(r);
}

/* Legs of different length stand by bending the longer one: the COM comes lower than asked for. */
static void test_unequal_legs_stand_lower(void) {
  const po_model *human = NULL, *m = NULL;
  double q[64];
  po_data *d = NULL;
  po_error err;
  po_body_model(&human, "human", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_scale_limb(&m, human, "thigh_l", 0.85, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_stand_pose(q, m, po_terrain_flat(), 0, 0, 0, 1, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_kinematics(d, q, NULL);
  po_com(d);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, po_frame_pose(d, po_find_frame(m, "heel_l")).p.z);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, po_frame_pose(d, po_find_frame(m, "toe_r")).p.z);
  po_data_free(d);
  po_model_free(m);
  po_model_free(human);
}

/* Pushed towards the foot that it stands on, just after the other one has left the ground, it steps over that foot's line. */
static void test_crosses_over(void) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  double across = 0;
  int pushed = 0, thorax;
  o.seconds = 9, o.seed = 13;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("walk"), &o, &err), err.message);
  thorax = po_find_body(r->model, "thorax");
  do {
    const po_walk_seen *w = po_walk_see(po_run_move(r, 0));
    const po_patch *p = po_run_move(r, 0)->actor->patches.patch;
    const po_data *d = po_world_data(r->world, 0);
    if (w->foot[0] != PO_FOOT_SWING && w->foot[1] != PO_FOOT_SWING) across = po_max(across, po_frame_pose(d, p[1].heel).p.y - po_frame_pose(d, p[0].heel).p.y);
    if (pushed == 0 && (r->time < 6 || w->foot[0] != PO_FOOT_SWING || w->foot_time[0] > 0.01)) continue;
    if (pushed++ < 200) po_world_force(r->world, 0, thorax, po_v3(0, -200, 0), po_point_position(d, thorax, r->model->inertia[thorax].com)); /* 0.2 s */
  } while (po_run_step(r));
  po_run_finish(r);
  TEST_ASSERT_TRUE_MESSAGE(r->outcome != PO_FELL, r->reason); /* its speed is judged as if nobody had pushed */
  TEST_ASSERT_TRUE(across > 0.05); /* both stand, the right heel to the left of the left one */
  po_run_free(r);
}

/* Moved by the optimizer's own accelerations a body feels a push: m (a − g) = what the ground gives + what pushes, two pushes on two links at once. */
static void test_optimizer_feels_pushes(void) {
  static const char *const name[3] = {"balance", "jump", "walk"};
  int k, i;
  for (k = 0; k < 3; k++) {
    po_run_opts o = po_run_opts_default();
    double at = k == 2 ? 4 : 0.9;
    po_push push[2] = {{at, 0.2, {60, 20, 0}, NULL, 0}, {at, 0.2, {0, 30, 0}, "pelvis", 0}};
    po_run *r;
    po_error err;
    int seen = 0;
    o.optimizer = 1, o.dt = 0.01, o.control_hz = 100, o.seed = 1, o.push = push, o.pushes = 2;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(name[k]), &o, &err), err.message);
    while (po_run_step(r)) {
      const po_wbc *c = po_run_move(r, 0)->actor->wbc;
      const po_objective *com = po_wbc_find(po_run_wbc(r, 0), "com");
      po_vec3 ground = po_v3(0, 0, 0);
      if (r->time < at + 0.095 || seen || c->held || !com) continue;
      seen = 1;
      for (i = 0; i < c->contacts; i++) ground = po_v3_add(ground, po_v3_of(c->force + 3 * i));
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, 60, r->model->total_mass * com->got[0] - ground.x);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, 50, r->model->total_mass * com->got[1] - ground.y);
    }
    po_run_finish(r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
    TEST_ASSERT_EQUAL_INT(1, seen);
    po_run_free(r);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_backwards);
  RUN_TEST(test_to_the_side);
  RUN_TEST(test_the_side_is_judged);
  RUN_TEST(test_turns_on_the_spot);
  RUN_TEST(test_starts_in_two_steps);
  RUN_TEST(test_grounds);
  RUN_TEST(test_unknown_ground_is_not_asked);
  RUN_TEST(test_bodies);
  RUN_TEST(test_limbs_that_grow);
  RUN_TEST(test_unequal_legs_stand_lower);
  RUN_TEST(test_crosses_over);
  RUN_TEST(test_optimizer_feels_pushes);
  return UNITY_END() != 0;
}
