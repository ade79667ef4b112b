/* Jumps: the state machine, what each phase asks for, and what a body leaves the ground and lands with. Simulated at 1 kHz. */
#include "ctrl/ctrl.h"
#include "scenes/scenes.h"
#include "counting.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* ---- a body in a world ---- */

typedef struct stage {
  const po_model *model;
  po_world *world;
  po_move *move;
  const po_jump *jump;
  double time, since;        /* s; when the phase began */
} stage;

static po_jump_params *asked(const stage *s) { return po_move_params(s->move); }
static po_jump_phase phase_of(const stage *s) { return (po_jump_phase)po_move_phase(s->move); }

static stage stage_new(const char *body, const po_jump_params *p) {
  po_world_opts o = po_world_opts_default();
  po_error err;
  stage s;
  memset(&s, 0, sizeof s);
  o.terrain = po_terrain_flat();
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&s.model, body, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&s.world, &o));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, s.world, s.model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new_of(&s.move, &po_jump_type, p, s.model, po_terrain_flat(), NULL, &err), err.message);
  s.jump = po_jump_of(s.move);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_stand_pose(po_world_q(s.world, 0), s.model, po_terrain_flat(), 0, 0, 0, 0.95, &err), err.message);
  return s;
}

static void stage_free(stage *s) {
  po_move_free(s->move);
  po_world_free(s->world);
  po_model_free(s->model);
}

static void stage_step(stage *s) {
  po_jump_phase before = phase_of(s);
  po_status status = po_move_tick(s->move, po_world_tau(s->world, 0), po_sense_of(po_world_q(s->world, 0), po_world_v(s->world, 0), 1e-3));
  TEST_ASSERT_EQUAL_INT(PO_OK, status);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(s->world, 1e-3));
  s->time += 1e-3;
  if (phase_of(s) != before) s->since = s->time;
}

/* Until the phase begins; fails when it does not within 4 s. */
static void stage_until(stage *s, po_jump_phase phase) {
  while (phase_of(s) < phase) {
    stage_step(s);
    TEST_ASSERT_TRUE_MESSAGE(s->time < 4, po_move_phase_string(s->move));
  }
  TEST_ASSERT_EQUAL_INT(phase, phase_of(s));
}

static po_jump_params quick_params(void) {
  po_jump_params p;
  po_param_defaults(&p, po_jump_param, po_jump_param_count);
  p.wait = 0.05;
  p.compress_time = 0.4;
  return p;
}

static po_vec3 momentum(const stage *s) {
  const po_data *d = s->move->actor->data;
  const double *v = po_world_v(s->world, 0);
  int nv = s->model->nv;
  return po_v3(po_dot(po_row(d->cmm, 0), v, nv), po_dot(po_row(d->cmm, 1), v, nv), po_dot(po_row(d->cmm, 2), v, nv));
}

static int is_on(const stage *s, const char *name) { return po_wbc_find(s->move->actor->wbc, name)->on; }

/* ---- the state machine ---- */

static void test_phases_follow_each_other_on_their_conditions(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("human", &p);
  const po_jump *j = s.jump;
  po_jump_phase last = PO_JUMP_STAND;
  while (phase_of(&s) != PO_JUMP_DONE && s.time < 5) {
    const po_data *d = s.move->actor->data;
    stage_step(&s);
    if (phase_of(&s) == last) continue;
    TEST_ASSERT_EQUAL_INT_MESSAGE(last + 1, phase_of(&s), po_move_phase_string(s.move));
    if (phase_of(&s) == PO_JUMP_THRUST) TEST_ASSERT_DOUBLE_WITHIN(0.02, j->crouch_height, d->com.z);
    if (phase_of(&s) == PO_JUMP_ASCENT) TEST_ASSERT_DOUBLE_WITHIN(0.05 * j->takeoff_speed, j->takeoff_speed, d->com_velocity.z);
    if (phase_of(&s) == PO_JUMP_DESCENT) TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, d->com_velocity.z);
    if (phase_of(&s) == PO_JUMP_IMPACT) TEST_ASSERT_TRUE(po_patches_touching(&s.move->actor->patches, PO_BOTH_FEET) > 0);
    if (phase_of(&s) == PO_JUMP_RECOVER) TEST_ASSERT_TRUE(d->com_velocity.z > -0.06);
    last = phase_of(&s);
  }
  TEST_ASSERT_EQUAL_INT(PO_JUMP_DONE, phase_of(&s));
  TEST_ASSERT_DOUBLE_WITHIN(0.15 * p.height, p.height, j->apex_rise);
  TEST_ASSERT_EQUAL_INT(8, po_patches_touching(&s.move->actor->patches, PO_BOTH_FEET));
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.95 * s.move->actor->standing_height, s.move->actor->data->com.z);
  stage_free(&s);
}

static void test_flight_lets_go_of_the_ground_and_holds_the_ankles(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("human", &p);
  stage_until(&s, PO_JUMP_THRUST);
  TEST_ASSERT_TRUE(is_on(&s, "contact_l0") && is_on(&s, "com") && is_on(&s, "height") && !is_on(&s, "ankle_l"));
  TEST_ASSERT_EQUAL_INT(PO_TARGET, po_wbc_find(s.move->actor->wbc, "height")->type);
  stage_until(&s, PO_JUMP_ASCENT);
  TEST_ASSERT_TRUE(!is_on(&s, "contact_l0") && !is_on(&s, "contact_r3") && !is_on(&s, "com") && !is_on(&s, "height") && is_on(&s, "ankle_l"));
  TEST_ASSERT_EQUAL_DOUBLE(10, po_wbc_find(s.move->actor->wbc, "ankle_r")->weight);
  TEST_ASSERT_EQUAL_INT(0, s.move->actor->wbc->contacts);
  TEST_ASSERT_FALSE(is_on(&s, "foot_l"));
  stage_until(&s, PO_JUMP_DESCENT);
  TEST_ASSERT_TRUE(is_on(&s, "foot_l") && is_on(&s, "foot_r"));
  stage_until(&s, PO_JUMP_RECOVER);
  TEST_ASSERT_TRUE(is_on(&s, "contact_l0") && is_on(&s, "contact_r3") && is_on(&s, "com") && !is_on(&s, "ankle_l") && !is_on(&s, "foot_l"));
  stage_free(&s);
}

static void test_a_foot_in_the_air_is_not_planted_when_the_other_lands(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("lopsided", &p);
  int seen = 0;
  stage_until(&s, PO_JUMP_IMPACT);
  while (phase_of(&s) == PO_JUMP_IMPACT && s.time - s.since < 0.044) {
    const po_patches *u = &s.move->actor->patches;
    int f, k;
    for (f = 0; f < 2; f++) {
      for (k = 0; k < 4 && !u->patch[f].touching[k]; k++) {}
      if (k < 4 || s.jump->landed[f]) continue;
      seen++;
      TEST_ASSERT_FALSE(is_on(&s, f ? "contact_r0" : "contact_l0"));
    }
    stage_step(&s);
  }
  TEST_ASSERT_TRUE_MESSAGE(seen > 0, "both feet landed in one tick: the case was not met");
  stage_free(&s);
}

/* ---- what it leaves the ground with ---- */

static void test_a_straight_jump_takes_off_without_momentum_or_drift(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("human", &p);
  po_vec3 L, c;
  stage_until(&s, PO_JUMP_ASCENT);
  L = momentum(&s);
  c = s.move->actor->data->com_velocity;
  /* at 1 kg m²/s the body pitches by 2 degrees in the flight */
  TEST_ASSERT_TRUE(po_v3_norm(L) < 1);
  TEST_ASSERT_TRUE(sqrt(c.x * c.x + c.y * c.y) < 0.02);
  stage_free(&s);
}

static double foot_heading(const stage *s, int f) {
  const po_mat3 *R = &s->move->actor->data->pose[s->move->actor->patches.patch[f].body].R;
  return PO_DEG(po_atan2(R->m[3], R->m[0]));
}

/* The momentum at take-off, over the inertia, turns the body by the angle within the flight: foreseen, and then so. */
static void check_twist(double angle, double *turned) {
  po_jump_params p = quick_params();
  stage s;
  double foreseen;
  p.angle = angle;
  p.height = 0.35;
  s = stage_new("human", &p);
  stage_until(&s, PO_JUMP_ASCENT);
  foreseen = PO_DEG(s.jump->turned + momentum(&s).z / s.jump->spin_inertia * s.jump->flight_seconds);
  TEST_ASSERT_DOUBLE_WITHIN(0.05 * po_abs(angle), angle, foreseen);
  TEST_ASSERT_FALSE(s.jump->twist_beyond_reach);
  stage_until(&s, PO_JUMP_RECOVER); /* the pelvis swings on when the feet have landed, and comes back to where they point */
  *turned = 0.5 * (foot_heading(&s, 0) + foot_heading(&s, 1));
  stage_free(&s);
}
static void test_twists_left_and_right_mirror_each_other(void) {
  double left, right;
  check_twist(90, &left);
  check_twist(-90, &right);
  TEST_ASSERT_DOUBLE_WITHIN(10, 90, left);
  TEST_ASSERT_DOUBLE_WITHIN(2, -left, right);
}

static void test_whole_turns_are_counted(void) {
  po_jump_params p = quick_params();
  stage s;
  p.angle = -270;
  p.height = 0.35;
  s = stage_new("human", &p);
  stage_until(&s, PO_JUMP_RECOVER);
  TEST_ASSERT_TRUE_MESSAGE(PO_DEG(s.jump->turned) < -220, "a turn beyond 180 degrees");
  stage_free(&s);
}

static void test_what_is_out_of_reach_is_said(void) {
  po_jump_params p = quick_params();
  stage s;
  p.height = 1;
  s = stage_new("human", &p);
  stage_until(&s, PO_JUMP_ASCENT);
  TEST_ASSERT_TRUE(s.jump->beyond_reach);
  TEST_ASSERT_FALSE(s.jump->twist_beyond_reach);
  TEST_ASSERT_TRUE(s.jump->takeoff_speed > 3); /* and it still jumps: 0.46 m at least */
  stage_free(&s);
  p.height = 0.05;
  p.angle = 360;
  s = stage_new("human", &p);
  stage_until(&s, PO_JUMP_ASCENT);
  TEST_ASSERT_FALSE(s.jump->beyond_reach);
  TEST_ASSERT_TRUE(s.jump->twist_beyond_reach);
  stage_free(&s);
}

static void test_parameters_may_change_until_thrust(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("human", &p);
  double slow;
  stage_until(&s, PO_JUMP_COMPRESS);
  slow = s.jump->takeoff_speed;
  while (s.time - s.since < 0.2) stage_step(&s);
  asked(&s)->height = 0.35;
  stage_until(&s, PO_JUMP_ASCENT);
  TEST_ASSERT_TRUE(s.jump->takeoff_speed > 1.1 * slow);
  TEST_ASSERT_DOUBLE_WITHIN(0.05 * s.jump->takeoff_speed, s.jump->takeoff_speed, s.move->actor->data->com_velocity.z);
  stage_free(&s);
}

/* Another model of the same parts: the plan is that of its height. */
static void test_a_body_that_grew_is_measured_anew(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("human", &p);
  const po_model *child;
  po_error err;
  double q[80], v[80] = {0}, tau[80];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&child, "child", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set_model(s.move, child));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(q, child, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  for (i = 0; i < 100; i++) TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(s.move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_JUMP_COMPRESS, phase_of(&s));
  TEST_ASSERT_EQUAL_DOUBLE(p.takeoff * s.move->actor->standing_height, s.jump->takeoff_height);
  stage_free(&s);
  po_model_free(child);
}

/* ---- memory, state, bad input ---- */

/* Saved in mid-flight and restored into another controller and world, the rest is the same to the bit. */
static void test_restore_then_tick_is_the_same_to_the_bit(void) {
  po_jump_params p = quick_params(), other = quick_params();
  stage a, b;
  void *jump, *world;
  size_t jump_bytes, world_bytes;
  int i;
  p.swing_deg = 20;
  a = stage_new("human", &p);
  b = stage_new("human", &other);
  stage_until(&a, PO_JUMP_ASCENT);
  for (i = 0; i < 30; i++) stage_step(&a);
  jump_bytes = po_move_save_bytes(a.move);
  world_bytes = po_world_save_bytes(a.world);
  jump = malloc(jump_bytes);
  world = malloc(world_bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(jump, jump_bytes, a.move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(world, world_bytes, a.world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(b.move, jump, jump_bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(b.world, world, world_bytes));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_move_restore(b.move, jump, jump_bytes / 2));
  for (i = 0; i < 600; i++) { /* through the landing */
    stage_step(&a);
    stage_step(&b);
  }
  TEST_ASSERT_TRUE(phase_of(&a) >= PO_JUMP_IMPACT);
  TEST_ASSERT_EQUAL_INT(phase_of(&a), phase_of(&b));
  TEST_ASSERT_TRUE(po_world_hash(a.world) == po_world_hash(b.world));
  free(jump);
  free(world);
  stage_free(&a);
  stage_free(&b);
}

static void test_a_tick_allocates_nothing(void) {
  po_jump_params p = quick_params();
  stage s = stage_new("child", &p);
  long before = allocations;
  int k;
  p.height = asked(&s)->height = 0.1;
  while (phase_of(&s) < PO_JUMP_RECOVER && s.time < 3) {
    stage_step(&s);
    for (k = 0; k < 6; k++) TEST_ASSERT_TRUE(s.move->actor->wbc->tau[k] == 0); /* nobody pushes the root */
  }
  TEST_ASSERT_EQUAL_INT(PO_JUMP_RECOVER, phase_of(&s));
  TEST_ASSERT_EQUAL_INT(0, allocations - before);
  stage_free(&s);
}

static void test_bad_input_is_refused(void) {
  po_wbc_opts few = po_wbc_opts_default();
  const po_model *m;
  po_actor *actor;
  po_move *move;
  po_error err;
  char mem[64];
  double tau[64], q[64], v[64] = {0};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_move_new_of(&move, &po_jump_type, NULL, NULL, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_size_t(0, po_move_bytes(&po_jump_type, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&actor, m, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_move_init(&move, &po_jump_type, NULL, actor, mem, sizeof mem, &err));
  po_actor_free(actor);
  few.max_objectives = 12;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_move_new_of(&move, &po_jump_type, NULL, m, po_terrain_flat(), &few, &err));
  TEST_ASSERT_NULL(move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &po_jump_type, NULL, m, po_terrain_flat(), NULL, &err));
  po_neutral(q, m);
  q[9] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_move_tick(move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_move_tick(move, NULL, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_move_restore(move, NULL, 0));
  po_move_free(move);
  po_model_free(m);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_phases_follow_each_other_on_their_conditions);
  RUN_TEST(test_flight_lets_go_of_the_ground_and_holds_the_ankles);
  RUN_TEST(test_a_foot_in_the_air_is_not_planted_when_the_other_lands);
  RUN_TEST(test_a_straight_jump_takes_off_without_momentum_or_drift);
  RUN_TEST(test_twists_left_and_right_mirror_each_other);
  RUN_TEST(test_whole_turns_are_counted);
  RUN_TEST(test_what_is_out_of_reach_is_said);
  RUN_TEST(test_parameters_may_change_until_thrust);
  RUN_TEST(test_a_body_that_grew_is_measured_anew);
  RUN_TEST(test_restore_then_tick_is_the_same_to_the_bit);
  RUN_TEST(test_a_tick_allocates_nothing);
  RUN_TEST(test_bad_input_is_refused);
  return UNITY_END() != 0;
}
