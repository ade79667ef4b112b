/* Maps of pushes, tiny: their trials are what a plain run with that push does, an interrupted one is a valid report, nothing allocates. */
#include "scenes/push_map.h"
#include "scenes/recovery.h"
#include "scenes/scenes.h"
#include "base_helpers.h"
#include "counting.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *begin(const po_setting *set, int sets) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  o.set = set;
  o.sets = sets;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("push-map"), &o, &err), err.message);
  return r;
}

static void complete(po_run *r) {
  long before = allocations;
  while (po_run_step(r)) {}
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, allocations - before, "allocated while running");
  po_run_finish(r);
}

/* What `poise run balance` or `walk` makes of the same push. */
static po_outcome plain(const char *scenario, double time, double fx, double fy, double seconds) {
  po_run_opts o = po_run_opts_default();
  po_push push = {time, 0.2, {fx, fy, 0}, NULL, 0};
  po_outcome outcome;
  po_error err;
  po_run *r;
  o.push = &push;
  o.pushes = 1;
  o.seconds = seconds;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &o, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  outcome = r->outcome;
  po_run_free(r);
  return outcome;
}

static void test_trials_are_plain_runs(void) {
  static const po_setting set[] = {{"directions", "1"}, {"weighted", "0"}, {"resolution", "0.2"}};
  po_run *r = begin(set, 3);
  const po_push_map *m = r->map;
  complete(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_INT(1, m->cells);
  TEST_ASSERT_EQUAL_INT(1, m->done);
  TEST_ASSERT_TRUE_MESSAGE(m->survived[0] > 150, "less than what balance promises");
  TEST_ASSERT_TRUE(m->fell[0] > m->survived[0] && m->fell[0] - m->survived[0] <= 0.2 * m->fell[0]);
  TEST_ASSERT_EQUAL_INT(PO_SUCCESS, plain("balance", 1, m->survived[0], 0, 4.2));
  TEST_ASSERT_TRUE(plain("balance", 1, m->fell[0], 0, 6.2) != PO_SUCCESS);
  TEST_ASSERT_EQUAL_DOUBLE(0.2 * m->survived[0], po_run_result(r, "impulse_min"));
  po_run_free(r);
}

static void test_walking_is_pushed_where_it_says(void) {
  static const po_setting set[] = {{"directions", "1"}, {"weighted", "0"}, {"gait", "walk"}, {"phases", "2"}, {"seconds", "1"}, {"resolution", "0.4"}};
  po_run *r = begin(set, 6);
  const po_push_map *m = r->map;
  complete(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_INT(2, m->phases);
  TEST_ASSERT_TRUE(m->time[0] >= 4 && m->time[1] > m->time[0] && m->time[1] - m->time[0] < 1);
  TEST_ASSERT_TRUE(m->survived[1] > 0);
  TEST_ASSERT_TRUE(plain("walk", m->time[1], m->survived[1], 0, m->time[1] + 1.2) != PO_FELL);
  po_run_free(r);
}

/* One outline for each controller, in the order asked for; a push that one survives is one that its own scenario survives. */
static void test_controllers_side_by_side(void) {
  static const po_setting set[] = {{"directions", "1"}, {"gait", "walk"}, {"phases", "1"}, {"seconds", "1"}, {"resolution", "0.5"}, {"duration", "0.1"}, {"controllers", "simbicon,gbwc"}};
  static const po_setting unknown[] = {{"gait", "walk"}, {"controllers", "walk,hop"}}, standing[] = {{"controllers", "walk,gbwc"}};
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  o.model = "biped34";
  o.set = set;
  o.sets = 7;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("push-map"), &o, &err), err.message);
  complete(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_EQUAL_INT(2, r->map->methods);
  TEST_ASSERT_EQUAL_STRING("simbicon", r->map->method[0]);
  TEST_ASSERT_TRUE(r->map->time[0] >= 4 && r->map->time[1] >= 4);
  TEST_ASSERT_TRUE(po_run_result(r, "impulse_min_gbwc") > 0 && po_run_result(r, "impulse_mean_simbicon") > 0);
  po_run_free(r);
  o.set = unknown;
  o.sets = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_run_new(&r, po_scenario_find("push-map"), &o, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "hop"));
  o.set = standing;
  o.sets = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_run_new(&r, po_scenario_find("push-map"), &o, &err));
}

static void test_an_interrupted_map_is_a_report(void) {
  static const po_setting set[] = {{"directions", "4"}, {"resolution", "0.5"}, {"push_time", "0.2"}};
  po_run *r = begin(set, 3);
  po_buffer out = {0};
  po_json *root;
  po_error err;
  const po_json *map;
  TEST_ASSERT_TRUE(po_run_step(r)); /* one search of eight */
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "1 of 8"), r->reason);
  po_run_report(&out, r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_parse(&root, out.data, out.size, "report", &err), err.message);
  map = po_json_get(root, "map");
  TEST_ASSERT_NOT_NULL(map);
  TEST_ASSERT_NOT_NULL(po_json_at(po_json_get(map, "rows"), 7));
  TEST_ASSERT_EQUAL_INT(PO_JSON_NULL, po_json_get(po_json_at(po_json_get(map, "rows"), 1), "impulse")->type); /* not done */
  TEST_ASSERT_EQUAL_INT(PO_JSON_NULL, po_json_get(po_json_at(po_json_get(map, "rows"), 7), "impulse")->type);
  TEST_ASSERT_TRUE(po_run_result(r, "impulse_min") > 0);
  TEST_ASSERT_TRUE(po_run_result(r, "impulse_min_weighted") != po_run_result(r, "impulse_min_weighted"));
  po_json_free(root);
  po_buffer_free(&out);
  po_push_map_svg(&out, r->map);
  TEST_ASSERT_FALSE(out.failed);
  TEST_ASSERT_EQUAL_INT(0, strncmp(out.data, "<svg", 4));
  po_buffer_free(&out);
  po_run_free(r);
}

/* The searches know nothing of each other: done in another order, each gives the same bytes. */
static void test_searches_do_not_depend_on_their_order(void) {
  static const po_setting set[] = {{"directions", "2"}, {"resolution", "0.5"}, {"push_time", "0.1"}, {"seconds", "0.5"}};
  po_run *r = begin(set, 4);
  const po_study *s = r->scenario->study;
  po_buffer there[4] = {{0}}, back[4] = {{0}};
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(4, s->units(r));
  TEST_ASSERT_EQUAL_INT(PO_OK, s->prepare(r, &err));
  for (i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(PO_OK, s->unit(r, &there[i], i, &err));
  for (i = 3; i >= 0; i--) TEST_ASSERT_EQUAL_INT(PO_OK, s->unit(r, &back[i], i, &err));
  for (i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_STRING(there[i].data, back[i].data);
    if (i) TEST_ASSERT_TRUE(strcmp(there[i].data, there[i - 1].data) != 0);
    TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, s->join(r, i, there[i].data, there[i].size - 3, &err));
  }
  for (i = 0; i < 4; i++) {
    po_buffer_free(&there[i]);
    po_buffer_free(&back[i]);
  }
  po_run_free(r);
}

/* Shapes without simulating: a map filled by hand. */
static void test_tables_and_plots(void) {
  double survived[4] = {100, PO_NAN, 200, 150}, fell[4] = {110, PO_NAN, 210, 160}, time[2] = {1, 1};
  po_push_map m;
  po_buffer out = {0};
  memset(&m, 0, sizeof m);
  m.gait = "stand";
  m.model = "a<b";
  m.style = "normal";
  m.method[0] = "lexicographic";
  m.method[1] = "weighted";
  m.methods = m.directions = 2;
  m.phases = 1;
  m.duration = 0.2;
  m.mass = 78;
  m.survived = survived;
  m.fell = fell;
  m.time = time;
  TEST_ASSERT_EQUAL_DOUBLE(40, po_push_map_impulse(&m, 0, 1, 0));
  po_push_map_text(&out, &m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out.data, "180 deg          40.0 (  200.0)          30.0 (  150.0)"), out.data);
  po_buffer_free(&out);
  po_push_map_csv(&out, &m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out.data, "\n0,0,20,100,110,,,\n0,180,40,200,210,30,150,160\n"), out.data);
  po_buffer_free(&out);
  po_push_map_svg(&out, &m);
  TEST_ASSERT_NOT_NULL(strstr(out.data, "a&lt;b"));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "weighted, 180°: 30.0 N s (150 N)"));
  TEST_ASSERT_NULL(strstr(out.data, "nan"));
  po_buffer_free(&out);
  m.turns = 1; /* of who turns over phases are angles, in the middle of equal parts of a turn */
  TEST_ASSERT_EQUAL_DOUBLE(180, po_push_map_angle(&m, 0));
  po_push_map_csv(&out, &m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out.data, "\n180,0,20,100,110,,,\n"), out.data);
  po_buffer_free(&out);
}

static void test_recovered_means_calm_for_a_second(void) {
  po_recovery r = po_recovery_none();
  int i;
  for (i = 0; i < 500; i++) po_recovery_step(&r, 0.001 * i, 0.02, 0.04);
  po_recovery_step(&r, 0.5, 0.02, 0.06); /* too fast: begins again */
  for (i = 501; i < 1501; i++) po_recovery_step(&r, 0.001 * i, 0.029, 0.049);
  TEST_ASSERT_TRUE(r.at < 0);
  po_recovery_step(&r, 1.501, 0.029, 0.049);
  TEST_ASSERT_EQUAL_DOUBLE(0.501, r.at);
}

static void refused(const char *name, const char *value, int pushes, const char *word) {
  po_run_opts o = po_run_opts_default();
  po_setting s;
  po_push push = {1, 0.2, {10, 0, 0}, NULL, 0};
  po_error err;
  po_run *r;
  s.name = name;
  s.value = value;
  o.set = &s;
  o.sets = name ? 1 : 0;
  o.push = &push;
  o.pushes = pushes;
  TEST_ASSERT_TRUE(po_run_new(&r, po_scenario_find("push-map"), &o, &err) != PO_OK);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}
static void test_bad_settings_are_named(void) {
  refused("gait", "run", 0, "stand or walk");
  refused("directions", "-1", 0, "outside");
  refused("resolution", "0", 0, "outside");
  refused(NULL, NULL, 1, "own pushes");
  refused("style", "sad", 0, "gait=walk");
  refused("phases", "6", 0, "gait=backflip");
}

static po_status make_and_free(void *nothing) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  po_status st = po_run_new(&r, po_scenario_find("push-map"), &o, &err);
  (void)nothing;
  po_run_free(r);
  return st;
}
static void test_any_allocation_may_fail(void) {
  TEST_ASSERT_TRUE(failing_sweep(make_and_free, NULL) > 50);
  po_set_allocator(counting, NULL);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_trials_are_plain_runs);
  RUN_TEST(test_walking_is_pushed_where_it_says);
  RUN_TEST(test_controllers_side_by_side);
  RUN_TEST(test_an_interrupted_map_is_a_report);
  RUN_TEST(test_searches_do_not_depend_on_their_order);
  RUN_TEST(test_tables_and_plots);
  RUN_TEST(test_recovered_means_calm_for_a_second);
  RUN_TEST(test_bad_settings_are_named);
  RUN_TEST(test_any_allocation_may_fail);
  return UNITY_END() != 0;
}
