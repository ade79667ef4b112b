/* Following motions: built-in ones are followed without slipping, pushes change the time, and a state restored goes on to the same bits. */
#include "scenes/scenes.h"
#include "unity.h"
#include "view/trace.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *track_run(const char *motion, const char *model, double seconds, const po_push *push, po_error *err) {
  static po_setting set = {"motion", NULL}; /* the run keeps it */
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  set.value = motion;
  o.optimizer = 1;
  o.seconds = seconds;
  o.model = model;
  o.set = &set;
  o.sets = 1;
  o.push = push;
  o.pushes = push ? 1 : 0;
  po_run_new(&r, po_scenario_find("track"), &o, err);
  return r;
}

static po_run *track_whole(const char *motion, const char *model, double seconds, const po_push *push) {
  po_error err;
  po_run *r = track_run(motion, model, seconds, push, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r;
}

static void follows(const char *motion, const char *model) {
  po_run *r = track_whole(motion, model, 8, NULL);
  TEST_ASSERT_EQUAL_STRING_MESSAGE("", r->reason, motion);
  TEST_ASSERT_TRUE(po_run_result(r, "segments") >= 4);
  TEST_ASSERT_TRUE(po_run_result(r, "foot_slip_max") < 0.005); /* undisturbed feet stay within 5 mm */
  TEST_ASSERT_TRUE(po_run_result(r, "plan_iterations_max") <= 15);
  po_run_free(r);
}

static void test_built_in_motions_are_followed(void) {
  follows("walk", "human");
  follows("long-step", "human");
  follows("squat", "human");
  follows("walk", "child");
  follows("walk", "giant");
}

/* A push forward of 50 N is made up for within a step. */
static void test_a_push_is_recovered_from(void) {
  po_push push;
  po_run *r;
  memset(&push, 0, sizeof push);
  push.time = 2;
  push.duration = 0.2;
  push.force = po_v3(50, 0, 0);
  r = track_whole("walk", "human", 6, &push);
  TEST_ASSERT_EQUAL_STRING("", r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "recovered_at") < 4);
  TEST_ASSERT_TRUE(po_run_result(r, "com_lag_max") > 0.003); /* and it was felt: undisturbed it is half of that */
  po_run_free(r);
}

/* 200 N for 0.1 s from four sides: the foot that swings follows, and the trunk stays up. To either side a foothold moves by more than 5 cm. */
static void test_footholds_follow_a_push(void) {
  int i;
  for (i = 0; i < 4; i++) {
    po_push push;
    po_run *r;
    memset(&push, 0, sizeof push);
    push.time = 3;
    push.duration = 0.1;
    push.force = i == 0 ? po_v3(200, 0, 0) : i == 1 ? po_v3(0, 200, 0) : i == 2 ? po_v3(-200, 0, 0) : po_v3(0, -200, 0);
    r = track_whole("walk", "human", 6, &push);
    TEST_ASSERT_EQUAL_STRING("", r->reason);
    TEST_ASSERT_TRUE(po_run_result(r, "recovered_at") < 6);
    TEST_ASSERT_TRUE(po_run_result(r, "foot_slip_max") < 0.01);
    TEST_ASSERT_TRUE(po_run_result(r, "force_peak") < 2.6 * 9.81 * r->model->total_mass); /* 2 m g upward, in cones of friction 0.8 */
    if (i % 2) TEST_ASSERT_TRUE(po_run_result(r, "foothold_shift_max") > 0.05);
    po_run_free(r);
  }
}

/* A stair, and a longer step: the goal moves, the foot lands there without slipping, and the longer step takes longer. */
static void goal_moves(const char *name, const char *value, int longer) {
  po_setting set = {NULL, NULL};
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_error err;
  set.name = name;
  set.value = value;
  o.optimizer = 1;
  o.seconds = 6;
  o.set = &set;
  o.sets = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("track"), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  TEST_ASSERT_EQUAL_STRING_MESSAGE("", r->reason, name);
  TEST_ASSERT_TRUE(po_run_result(r, "goal_error_max") < 0.02);
  if (longer) TEST_ASSERT_TRUE(longer * po_run_result(r, "frames_change") > 0.7); /* undisturbed it is less than half a frame */
  po_run_free(r);
}
static void test_goals_move(void) {
  goal_moves("stair", "0.1", 0);
  goal_moves("stair", "-0.3", 0); /* as high as it may be: the COM must be low before the leg ahead reaches the ground */
  goal_moves("step_change", "0.08", 1);
  goal_moves("step_change", "-0.08", -1);
}

/* Up a stair of 0.1 m: who looks ahead lags less behind and needs less force than who merely offsets the reference (the paper's comparison). */
static void test_anticipation(void) {
  double lag[2], force[2];
  int i;
  for (i = 0; i < 2; i++) {
    po_setting set[2] = {{"stair", "0.1"}, {"anticipate", NULL}};
    po_run_opts o = po_run_opts_default();
    po_run *r = NULL;
    po_error err;
    set[1].value = i ? "1" : "0";
    o.optimizer = 1;
    o.seconds = 6;
    o.set = set;
    o.sets = 2;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("track"), &o, &err), err.message);
    while (po_run_step(r)) {}
    po_run_finish(r);
    lag[i] = po_run_result(r, "com_lag_max");
    force[i] = po_run_result(r, "force_rms");
    po_run_free(r);
  }
  TEST_ASSERT_TRUE(lag[1] < lag[0]);
  TEST_ASSERT_TRUE(force[1] < force[0]);
}

/* Saved in the middle of a step, restored into another run: the same to the bit. */
static void test_save_and_restore(void) {
  po_error err;
  po_run *a = track_run("walk", NULL, 3, NULL, &err), *b = track_run("walk", NULL, 3, NULL, &err);
  size_t bytes = po_run_save_bytes(a);
  void *state = po_alloc(bytes);
  int i;
  for (i = 0; i < 100; i++) po_run_step(a);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, a));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(b, state, bytes));
  for (i = 0; i < 100; i++) {
    po_run_step(a);
    po_run_step(b);
  }
  TEST_ASSERT_TRUE(po_run_hash(a) == po_run_hash(b));
  po_free(state);
  po_run_free(a);
  po_run_free(b);
}

/* The paper's index, plans made anew, segments that do not overlap: each steps out of 150 N to the side, and made anew, a state restored goes on to the same
 * bits, nothing allocated. */
static void *track_no_memory(void *user, void *memory, size_t bytes) {
  (void)memory, (void)bytes;
  ++*(int *)user;
  return NULL;
}
static void test_other_laws(void) {
  static po_setting set[3] = {{"index", "0"}, {"overlap", "0"}, {"replan", "15"}};
  po_push push;
  int i, k, allocated = 0;
  memset(&push, 0, sizeof push);
  push.time = 1;
  push.duration = 0.1;
  push.force = po_v3(0, 150, 0);
  for (i = 0; i < 3; i++) {
    po_run_opts o = po_run_opts_default();
    po_run *r = NULL, *b = NULL;
    po_error err;
    o.optimizer = 1, o.seconds = 3, o.set = &set[i], o.sets = 1, o.push = &push, o.pushes = 1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("track"), &o, &err), err.message);
    if (i == 2) {
      size_t bytes = po_run_save_bytes(r);
      void *state = po_alloc(bytes);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&b, po_scenario_find("track"), &o, &err));
      for (k = 0; k < 130; k++) po_run_step(r);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, r));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(b, state, bytes));
      po_free(state);
      po_set_allocator(track_no_memory, &allocated);
      for (k = 0; k < 30; k++) po_run_step(r), po_run_step(b);
      po_set_allocator(NULL, NULL);
      TEST_ASSERT_EQUAL_INT(0, allocated);
      TEST_ASSERT_TRUE(po_run_hash(r) == po_run_hash(b));
      po_run_free(b);
    }
    while (po_run_step(r)) {}
    po_run_finish(r);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", r->reason, set[i].name);
    if (i == 2) TEST_ASSERT_TRUE(po_run_result(r, "replans") > 35 && po_run_result(r, "replans_lost") < 4);
    po_run_free(r);
  }
}

/* Captures, their T-poses left out and their ends made consistent, are followed to their ends. In 08_07 a foot takes over from the other between two frames, where
 * segments meet, and legs are straight: one lands where it is to stand, and the COM is no higher than the legs are long. */
static void test_captures(void) {
  static const char *const file[2] = {"../shared/mocap/07_01.bvh", "../shared/mocap/08_07.bvh"};
  static const double segments[2] = {5, 4};
  int i;
  for (i = 0; i < 2; i++) {
    po_error err;
    po_run *r = track_run(file[i], NULL, 5, NULL, &err);
    if (!r) TEST_IGNORE_MESSAGE("../shared/mocap is not there");
    while (po_run_step(r)) {}
    po_run_finish(r);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", r->reason, file[i]);
    TEST_ASSERT_TRUE(po_run_result(r, "segments") == segments[i]);
    TEST_ASSERT_TRUE(po_run_result(r, "plan_iterations_max") <= 15);
    TEST_ASSERT_TRUE(po_run_result(r, "joint_error_max") < 0.3);
    TEST_ASSERT_TRUE(po_run_result(r, "foot_slip_max") < 0.01);
    po_run_free(r);
  }
}

/* A recording has the plan beside the body: its phase, forces that carry the weight, a goal and a foothold ahead. */
static void test_recording(void) {
  po_error err;
  po_run *r = track_run("walk", NULL, 2, NULL, &err);
  double mean = 0, ahead = 0;
  const po_trace *t;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_record(r, 60, &err));
  while (po_run_step(r)) {}
  po_run_finish(r);
  t = po_run_trace(r);
  for (k = 0; k < t->frames; k++) {
    mean += po_trace_value(t, k, "plan_force_z") / t->frames;
    ahead = po_max(ahead, po_trace_value(t, k, "foothold_x") - po_trace_value(t, k, "com_x"));
    TEST_ASSERT_TRUE(po_abs(po_trace_value(t, k, "plan_goal_z") - po_trace_value(t, k, "com_z")) < 0.05); /* the goal is as high as the COM */
  }
  TEST_ASSERT_DOUBLE_WITHIN(1, po_run_result(r, "segments") + 0.5, po_trace_value(t, t->frames - 1, "phase"));
  TEST_ASSERT_DOUBLE_WITHIN(0.05 * 9.81 * t->mass, 9.81 * t->mass, mean);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 0.6, ahead); /* m: a step ahead of who begins it */
  po_run_free(r);
}

/* What cannot be followed is refused with the reason. */
static void test_refusals(void) {
  po_error err;
  TEST_ASSERT_NULL(track_run("nobody.motion", NULL, 3, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "nobody.motion"));
}

/* By joint torques: a push to the side is stepped out of, and the root gets nothing all along. */
static void test_by_torques(void) {
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_push push;
  po_error err;
  int k;
  memset(&push, 0, sizeof push);
  push.time = 1.5;
  push.duration = 0.1;
  push.force = po_v3(0, 100, 0);
  o.seconds = 4;
  o.push = &push;
  o.pushes = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("track"), &o, &err), err.message);
  while (po_run_step(r))
    for (k = 0; k < 6; k++) TEST_ASSERT_TRUE(r->sim->character[0].tau[k] == 0);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_STRING("", r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "foothold_shift_max") > 0.03);
  TEST_ASSERT_TRUE(po_run_result(r, "torque_share_max") <= 1 && po_run_result(r, "torque_share_max") > 0.1);
  po_run_free(r);
}

/* Pinned, in scalar mode: both ways to move, with a push. A change of these numbers needs a reason in its commit. */
static uint64_t track_hash(int optimizer) {
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_push push;
  po_error err;
  uint64_t hash;
  memset(&push, 0, sizeof push);
  push.time = 0.2;
  push.duration = 0.1;
  push.force = po_v3(30, 60, 0);
  o.seconds = 0.8;
  o.optimizer = optimizer;
  o.push = &push;
  o.pushes = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("track"), &o, &err), err.message);
  while (po_run_step(r)) {}
  hash = po_run_hash(r);
  po_run_free(r);
  return hash;
}
static void test_pinned(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  TEST_ASSERT_EQUAL_HEX64(0x47dce53c5c502d52u, track_hash(1));
  TEST_ASSERT_EQUAL_HEX64(0xfd1aa519df582d45u, track_hash(0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_AUTO));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_built_in_motions_are_followed);
  RUN_TEST(test_a_push_is_recovered_from);
  RUN_TEST(test_footholds_follow_a_push);
  RUN_TEST(test_goals_move);
  RUN_TEST(test_anticipation);
  RUN_TEST(test_save_and_restore);
  RUN_TEST(test_other_laws);
  RUN_TEST(test_captures);
  RUN_TEST(test_recording);
  RUN_TEST(test_refusals);
  RUN_TEST(test_by_torques);
  RUN_TEST(test_pinned);
  return UNITY_END() != 0;
}
