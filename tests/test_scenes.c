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
static void test_track(void) { check_success("track", 2.5); }
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
static void test_things_heed_the_seed(void) {
  static const char *const names[] = {"stack", "slope", "slide", "drop"};
  int i;
  for (i = 0; i < 4; i++) {
    po_run_opts o = po_run_opts_default();
    uint64_t hash[2];
    o.seconds = 0.05;
    for (o.seed = 1; o.seed <= 2; o.seed++) hash[o.seed - 1] = simulate(names[i], &o, NULL).hash;
    TEST_ASSERT_TRUE_MESSAGE(hash[0] != hash[1], names[i]);
  }
}

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
  opts.seconds = 30;
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
  po_simd path;
  int paths = 0;
  for (path = PO_SIMD_SCALAR; path <= PO_SIMD_AVX2; path++) {
    outcome a;
    if (po_set_simd(path) != PO_OK) continue; /* this CPU has not got it */
    paths++;
    a = quick("balance", 2.2);
    po_set_simd(PO_SIMD_AUTO);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, a.outcome, a.reason);
  }
  TEST_ASSERT_TRUE(paths >= 1);
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

/* ---- what is taken in silence nowhere ---- */

static void refused_options(const char *scenario, const po_run_opts *o, const char *word) {
  po_run *r;
  po_error err;
  TEST_ASSERT_TRUE(po_run_new(&r, po_scenario_find(scenario), o, &err) != PO_OK);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}
static void test_what_would_have_no_effect_is_refused(void) {
  po_run_opts plain = po_run_opts_default(), o;
  po_push push = {1, 0.2, {10, 0, 0}, NULL, 0};
  po_change change = {1, "kp_com", "10"}, fixed = {0.5, "tilt_deg", "5"}, thing = {0.5, "mu", "0.1"}, gait = {0.5, "style", "sad"};
  plain.seconds = 1;
  o = plain;
  o.push = &push;
  o.pushes = 1;
  refused_options("balance", &o, "ends at 1 s");
  push.time = 0.5;
  refused_options("stack", &o, "no body to push");
  o.optimizer = 1;
  o.push = NULL;
  o.pushes = 0;
  refused_options("push-map", &o, "not for --advance optimizer");
  o = plain;
  o.model = "human";
  refused_options("stack", &o, "takes no model");
  o = plain;
  o.ats = 1;
  o.at = &change;
  refused_options("balance", &o, "ends at 1 s");
  o.at = &fixed;
  refused_options("balance", &o, "cannot change while");
  o.at = &thing;
  refused_options("slope", &o, "cannot change while");
  o.at = &gait;
  refused_options("balance", &o, "no parameter 'style'");
  refused("jump", "observer", "1", "no parameter 'observer'"); /* what another behaviour listens to */
  refused("jump", "squat_low", "0.5", "no parameter");
}

/* ---- parameters ---- */

/* What `poise list` says runs: presets and styles included. */
static void test_listed_defaults_are_those_that_run(void) {
  int i, k;
  for (i = 0; po_scenarios[i]; i++) {
    po_run *r;
    po_error err;
    const po_param *p;
    double fallback;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenarios[i], NULL, &err), err.message);
    for (k = 0; (p = po_scenario_param(&fallback, po_scenarios[i], k)) != NULL; k++) {
      TEST_ASSERT_TRUE(po_run_param_at(r, k) == p);
      TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(fallback, po_run_param(r, k), p->name);
      TEST_ASSERT_FALSE(po_run_was_set(r, p->name));
    }
    TEST_ASSERT_NULL(po_run_param_at(r, k));
    po_run_free(r);
  }
}
static double listed(const char *scenario, const char *name) {
  const po_param *p;
  double fallback;
  int k;
  for (k = 0; (p = po_scenario_param(&fallback, po_scenario_find(scenario), k)) != NULL; k++)
    if (!strcmp(p->name, name)) return fallback;
  return PO_NAN;
}
static void test_presets_and_styles_are_listed(void) {
  po_walk_params normal;
  TEST_ASSERT_EQUAL_DOUBLE(0.35, listed("jump-twist", "height"));
  TEST_ASSERT_EQUAL_DOUBLE(90, listed("jump-twist", "angle"));
  TEST_ASSERT_EQUAL_DOUBLE(0.3, listed("jump-forward", "distance"));
  po_param_defaults(&normal, po_walk_param, po_walk_param_count);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_style_apply(&normal, "normal", NULL));
  TEST_ASSERT_EQUAL_DOUBLE(normal.l_step, listed("walk", "l_step"));
}

/* ---- sequences ---- */

static po_run *sequence(const char *moves, double seconds) {
  po_run_opts o = po_run_opts_default();
  po_setting set;
  po_error err;
  po_run *r;
  set.name = "moves";
  set.value = moves;
  o.set = &set;
  o.sets = 1;
  o.seconds = seconds;
  o.seed = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("sequence"), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r;
}

/* It ends with its last move, and the report says what came of each. */
static void test_a_sequence_does_one_move_after_the_other(void) {
  po_run *r = sequence("stand:0.2,squat:2:squat_high=0.94,stand:0.25", 0);
  po_buffer out = {0};
  po_json *root;
  const po_json *moves;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(3, po_run_result(r, "moves_asked"));
  TEST_ASSERT_EQUAL_DOUBLE(3, po_run_result(r, "moves_done"));
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 2.45, r->sim_seconds);
  po_run_report(&out, r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_parse(&root, out.data, out.size, "report", &err), err.message);
  moves = po_json_get(root, "moves");
  TEST_ASSERT_EQUAL_INT(3, (int)moves->length);
  TEST_ASSERT_EQUAL_STRING("squat", po_json_string(po_json_get(po_json_at(moves, 1), "name"), ""));
  TEST_ASSERT_EQUAL_STRING("success", po_json_string(po_json_get(po_json_at(moves, 1), "outcome"), ""));
  TEST_ASSERT_DOUBLE_WITHIN(0.002, 0.2, po_json_number(po_json_get(po_json_at(moves, 1), "started"), -1));
  TEST_ASSERT_DOUBLE_WITHIN(0.002, 2.2, po_json_number(po_json_get(po_json_at(moves, 1), "ended"), -1));
  po_json_free(root);
  po_buffer_free(&out);
  po_run_free(r);
}
static void test_a_sequence_that_is_not_finished_fails(void) {
  po_run *r = sequence("stand:0.2,jump:0.3", 0.5); /* no time for the jump */
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "1 of 2 moves done"), r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(r, "moves_done"));
  po_run_free(r);
  refused("sequence", "moves", "walk:2,jmup:0.3", "jump");
  refused("sequence", "moves", "stand:1:kp_con=3", "kp_com");
  refused("sequence", "moves", "stand:-1", "stand");
}

/* ---- several characters ---- */

static po_status pair_init(po_run *r, po_error *err) {
  po_move *second;
  po_status st;
  int k;
  if ((st = po_run_world(r, NULL, 1, err)) != PO_OK || (st = po_world_add(NULL, r->world, r->model)) != PO_OK) return st;
  for (k = 0; k < 2; k++)
    if ((st = po_stand_pose(po_world_q(r->world, k), r->model, po_run_ground(r), 0, 1.5 * k, 0, 0.95, err)) != PO_OK) return st;
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  if ((st = po_move_new(&second, "squat", r->model, po_run_ground(r), &r->opts.wbc, err)) != PO_OK) return st;
  return po_run_add_move(r, 1, second, err);
}
static const po_scenario pair = {.name = "pair", .summary = "two of them", .success = "both stand", .model = "human", .move = "stand",
                                 .seconds = 2.5, .dt = 0.001, .control_hz = 500, .init = pair_init};

/* One is pushed over, the other squats on: each has its own verdict, and the run goes on for the one that is left. */
static void test_each_character_has_its_verdict(void) {
  po_run_opts o = po_run_opts_default();
  po_push push = {0.1, 0.3, {-500, 0, 0}, NULL, 0};
  po_buffer out = {0};
  po_error err;
  po_run *r;
  o.push = &push;
  o.pushes = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, &pair, &o, &err), err.message);
  TEST_ASSERT_EQUAL_DOUBLE(500, r->opts.control_hz); /* the scenario's own */
  while (po_run_step(r)) {}
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(PO_FELL, r->outcome);
  TEST_ASSERT_EQUAL_INT(PO_FELL, r->verdict[0].outcome);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->verdict[1].outcome, r->verdict[1].reason);
  TEST_ASSERT_TRUE(r->fell_at > 0.3 && r->fell_at < 2 && r->sim_seconds > 2.49);
  TEST_ASSERT_TRUE(r->sim->character[1].peak[10] > 0);
  po_run_report(&out, r);
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"characters\""));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"move\": \"squat\""));
  po_buffer_free(&out);
  po_run_free(r);
}

/* ---- state ---- */

/* Saved in the middle, with changes and a push before and after: what follows is the same, the verdict too. */
static void test_a_run_goes_on_to_the_bit(void) {
  static const po_change at[] = {{0.1, "kp_com", "30"}, {0.45, "com_height", "0.9"}};
  po_run_opts o = po_run_opts_default();
  po_push push = {0.2, 0.2, {100, 0, 0}, NULL, 0};
  po_buffer a = {0}, b = {0};
  po_run *r, *other;
  size_t bytes;
  void *state;
  int i;
  o.seconds = 0.7;
  o.seed = 3;
  o.at = at;
  o.ats = 2;
  o.push = &push;
  o.pushes = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&r, po_scenario_find("balance"), &o, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&other, po_scenario_find("balance"), &o, NULL));
  bytes = po_run_save_bytes(r);
  state = po_alloc(bytes);
  for (i = 0; i < 300; i++) po_run_step(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, r));
  while (po_run_step(r)) {}
  po_run_finish(r);
  po_run_report(&a, r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(other, state, bytes)); /* into one that has not begun */
  while (po_run_step(other)) {}
  po_run_finish(other);
  po_run_report(&b, other);
  TEST_ASSERT_EQUAL_STRING(a.data, b.data);
  po_buffer_free(&a);
  po_buffer_free(&b);
  po_run_free(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&r, po_scenario_find("jump"), NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_run_restore(r, state, bytes)); /* another scenario */
  po_run_free(r);
  o.model = "giant";
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&r, po_scenario_find("balance"), &o, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_run_restore(r, state, bytes)); /* another body */
  po_run_free(r);
  po_run_free(other);
  po_free(state);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_balance);
  RUN_TEST(test_squat);
  RUN_TEST(test_track);
  RUN_TEST(test_jump);
  RUN_TEST(test_jump_out_of_reach);
  RUN_TEST(test_slope);
  RUN_TEST(test_slide);
  RUN_TEST(test_stack);
  RUN_TEST(test_things_heed_the_seed);
  RUN_TEST(test_walk_and_what_emerges);
  RUN_TEST(test_a_push_is_recovered_from);
  RUN_TEST(test_a_walk_recovers_its_steps_after_a_push);
  RUN_TEST(test_a_walk_sways_no_more_than_it_can);
  RUN_TEST(test_runs_repeat_to_the_bit);
  RUN_TEST(test_scalar_and_avx2_both_stand);
  RUN_TEST(test_bad_settings_are_named);
  RUN_TEST(test_bad_options_are_refused);
  RUN_TEST(test_what_would_have_no_effect_is_refused);
  RUN_TEST(test_listed_defaults_are_those_that_run);
  RUN_TEST(test_presets_and_styles_are_listed);
  RUN_TEST(test_a_sequence_does_one_move_after_the_other);
  RUN_TEST(test_a_sequence_that_is_not_finished_fails);
  RUN_TEST(test_each_character_has_its_verdict);
  RUN_TEST(test_a_run_goes_on_to_the_bit);
  return UNITY_END() != 0;
}
