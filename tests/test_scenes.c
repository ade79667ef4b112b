/* Scenarios, short: they succeed, repeat to the bit, drive nothing but joints, and allocate nothing once they run. */
#include "scenes/scenes.h"
#include "counting.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

typedef struct outcome { po_outcome outcome; uint64_t hash; double result[8]; char reason[200]; } outcome;

static outcome simulate(const char *scenario, const po_run_opts *opts, const char *const *results) {
  po_run *r;
  po_error err;
  outcome o;
  long before;
  int i;
  memset(&o, 0, sizeof o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), opts, &err), err.message);
  before = allocations;
  while (po_run_step(r)) {
    int k;
    if (po_run_move(r, 0)) /* the root gets nothing, joints no more than they can */
      for (k = 0; k < 6; k++) TEST_ASSERT_TRUE(r->sim->character[0].tau[k] == 0);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, allocations - before, "allocated while running");
  po_run_finish(r);
  o.outcome = r->outcome;
  o.hash = po_run_hash(r);
  strcpy(o.reason, r->reason);
  for (i = 0; results && results[i] && i < 8; i++) o.result[i] = po_run_result(r, results[i]);
  po_run_free(r);
  return o;
}

static outcome quick(const char *scenario, double seconds) {
  po_run_opts o = po_run_opts_default();
  o.seconds = seconds;
  o.seed = 1;
  return simulate(scenario, &o, NULL);
}

static void check_success(const char *scenario, double seconds) {
  outcome o = quick(scenario, seconds);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, o.outcome, o.reason);
}

static void test_balance(void) { check_success("balance", 2.5); }
static void test_squat(void) { check_success("squat", 3.2); }
static void test_jump(void) { check_success("jump", 10); }
/* Out of reach: it jumps as high as it can, lands, stands, and says so. */
static void test_jump_out_of_reach(void) {
  static const char *const names[] = {"apex_rise", "stood_seconds", "beyond_reach", NULL};
  po_run_opts opts = po_run_opts_default();
  po_setting height = {"height", "0.9"};
  outcome o;
  opts.set = &height;
  opts.sets = 1;
  o = simulate("jump", &opts, names);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_FAILED, o.outcome, o.reason);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(o.reason, "out of reach"), o.reason);
  TEST_ASSERT_TRUE(o.result[0] > 0.5);
  TEST_ASSERT_TRUE(o.result[1] >= 3);
  TEST_ASSERT_TRUE(o.result[2] == 1);
}
static void test_slope(void) { check_success("slope", 0); }
static void test_slide(void) { check_success("slide", 0); }
static void test_stack(void) { check_success("stack", 2); }

static void test_walk_and_what_emerges(void) {
  static const char *const names[] = {"arm_leg_correlation", "shoulder_hip_correlation", "heel_before_toe_fraction", "am_sagittal_share", NULL};
  po_run_opts opts = po_run_opts_default();
  outcome o;
  opts.seconds = 10;
  opts.seed = 1;
  o = simulate("walk", &opts, names);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, o.outcome, o.reason);
  TEST_ASSERT_LESS_THAN_DOUBLE(-0.5, o.result[0]);
  TEST_ASSERT_LESS_THAN_DOUBLE(0, o.result[1]);
  TEST_ASSERT_GREATER_THAN_DOUBLE(0.9, o.result[2]);
  TEST_ASSERT_LESS_THAN_DOUBLE(0.1, o.result[3]);
}

/* Long, slow steps leave a push the most time to grow; afterwards the steps are as long as before, not short and wide. */
static void test_a_walk_recovers_its_steps_after_a_push(void) {
  static const char *const names[] = {"step_length_mean", NULL};
  const po_setting set[] = {{"T", "0.7"}, {"l_step", "0.64"}};
  po_push push = {5, 0.2, {0, 100, 0}, NULL, 0};
  po_run_opts opts = po_run_opts_default();
  outcome o;
  opts.seconds = 15;
  opts.set = set;
  opts.sets = 2;
  opts.push = &push;
  opts.pushes = 1;
  o = simulate("walk", &opts, names);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, o.outcome, o.reason);
  TEST_ASSERT_GREATER_THAN_DOUBLE(0.5, o.result[0]);
}

/* More sway than there is time for in a quick step. */
static void test_a_walk_sways_no_more_than_it_can(void) {
  const po_setting set[] = {{"T", "0.4"}, {"l_hip", "0.1"}};
  po_run_opts opts = po_run_opts_default();
  outcome o;
  opts.seconds = 6;
  opts.set = set;
  opts.sets = 2;
  o = simulate("walk", &opts, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, o.outcome, o.reason);
}

static void test_a_push_is_recovered_from(void) {
  po_run_opts o = po_run_opts_default();
  po_push push = {0.3, 0.2, {150, 0, 0}, NULL, 0};
  outcome r;
  o.seconds = 4;
  o.push = &push;
  o.pushes = 1;
  r = simulate("balance", &o, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r.outcome, r.reason);
}

static void test_runs_repeat_to_the_bit(void) {
  outcome a = quick("balance", 0.3), b = quick("balance", 0.3);
  TEST_ASSERT_EQUAL_HEX64(a.hash, b.hash);
}

static void test_scalar_and_avx2_both_stand(void) {
  outcome a;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  a = quick("balance", 2.2);
  po_set_simd(PO_SIMD_AUTO);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, a.outcome, a.reason);
}

static void refused(const char *scenario, const char *name, const char *value, const char *word) {
  po_run_opts o = po_run_opts_default();
  po_setting s;
  po_run *r;
  po_error err;
  s.name = name;
  s.value = value;
  o.set = &s;
  o.sets = 1;
  TEST_ASSERT_TRUE(po_run_new(&r, po_scenario_find(scenario), &o, &err) != PO_OK);
  TEST_ASSERT_NULL(r);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}
static void test_bad_settings_are_named(void) {
  refused("balance", "kp_con", "1", "kp_com");
  refused("balance", "kp_com", "-5", "outside");
  refused("balance", "kp_com", "many", "number");
  refused("walk", "style", "brisk", "brisk");
}
static void test_bad_options_are_refused(void) {
  po_run_opts o = po_run_opts_default();
  po_run *r;
  po_error err;
  o.dt = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_run_new(&r, po_scenario_find("balance"), &o, &err));
  o.dt = 0.001;
  o.control_hz = 5000;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_run_new(&r, po_scenario_find("balance"), &o, &err));
  o.control_hz = 0;
  o.model = "nobody";
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_run_new(&r, po_scenario_find("balance"), &o, &err));
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_balance);
  RUN_TEST(test_squat);
  RUN_TEST(test_jump);
  RUN_TEST(test_jump_out_of_reach);
  RUN_TEST(test_slope);
  RUN_TEST(test_slide);
  RUN_TEST(test_stack);
  RUN_TEST(test_walk_and_what_emerges);
  RUN_TEST(test_a_push_is_recovered_from);
  RUN_TEST(test_a_walk_recovers_its_steps_after_a_push);
  RUN_TEST(test_a_walk_sways_no_more_than_it_can);
  RUN_TEST(test_runs_repeat_to_the_bit);
  RUN_TEST(test_scalar_and_avx2_both_stand);
  RUN_TEST(test_bad_settings_are_named);
  RUN_TEST(test_bad_options_are_refused);
  return UNITY_END() != 0;
}
