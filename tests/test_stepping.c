/* test_stepping.c: scenarios of planned steps: gaps are crossed, and not without planning; a run goes on from its save; what cannot be is refused. */
#include "scenes/stepping.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *make_of(const char *model, const char *scenario, uint64_t seed, const po_setting *set, int sets, po_error *err) {
  po_run_opts o = po_run_opts_default();
  po_run *r;
  o.model = model;
  o.seed = seed;
  o.set = set;
  o.sets = sets;
  po_run_new(&r, po_scenario_find(scenario), &o, err);
  return r;
}

static po_run *make(const char *scenario, uint64_t seed, const po_setting *set, int sets, po_error *err) { return make_of(NULL, scenario, seed, set, sets, err); }

static po_outcome finish(po_run *r) {
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r->outcome;
}

static void test_gaps_are_crossed(void) {
  static const po_setting set[] = {{"width", "0.2"}, {"spacing", "1"}, {"count", "3"}};
  po_error err;
  po_run *r = make("gaps", 2, set, 3, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, finish(r), r->reason);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(r, "good_share"));
  TEST_ASSERT_EQUAL_DOUBLE(1, po_run_result(r, "crossed"));
  po_run_free(r);
}

/* Who stands before the gaps has not fallen and stepped into none, and has not crossed them either. */
static void test_who_does_not_get_across_fails(void) {
  static const po_setting set[] = {{"width", "0.2"}, {"start", "3"}, {"examples", "200"}};
  po_error err;
  po_run *r = make("gaps", 2, set, 3, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  while (po_run_step(r) && r->time < 1) {}
  po_run_finish(r);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_run_result(r, "bad_steps"));
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL(strstr(r->reason, "far side"));
  po_run_free(r);
}

/* Stones at any distance that was learnt, over real gaps. */
static void test_stones_are_met(void) {
  static const po_setting set[] = {{"count", "8"}};
  po_error err;
  po_run *r = make("stepping-stones", 11, set, 1, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, finish(r), r->reason);
  TEST_ASSERT_TRUE(po_run_result(r, "step_error_mean") < 0.04);
  po_run_free(r);
}

static void test_not_without_planning(void) {
  static const po_setting set[] = {{"width", "0.5"}, {"policy", "base"}};
  po_error err;
  po_run *r = make("gaps", 2, set, 2, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  TEST_ASSERT_NOT_EQUAL(PO_SUCCESS, finish(r));
  po_run_free(r);
}

static void test_a_run_goes_on_from_its_save(void) {
  static const po_setting set[] = {{"width", "0.3"}, {"planner", "random"}};
  po_error err;
  po_run *a = make("gaps", 4, set, 2, &err), *b = make("gaps", 4, set, 2, &err);
  size_t bytes = po_run_save_bytes(a);
  void *state = po_alloc(bytes);
  int i;
  for (i = 0; i < 3000; i++) po_run_step(a);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, a));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(b, state, bytes));
  for (i = 0; i < 2500; i++) TEST_ASSERT_EQUAL_INT(po_run_step(a), po_run_step(b));
  TEST_ASSERT_TRUE(po_run_hash(a) == po_run_hash(b));
  po_free(state);
  po_run_free(a);
  po_run_free(b);
}

/* A body in space follows the first way-points, and crosses what it meets on the way: by steps that are told where to end, and by bent ones. */
static void a_way_over_crevasses(const char *model, double seconds) {
  static const po_setting set[] = {{"width_max", "0.2"}, {"count", "1"}};
  po_error err;
  po_run *r = make_of(model, "crevasses", 3, set, 2, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  TEST_ASSERT_TRUE((po_simbicon_now(po_run_move(r, 0)) != NULL) == !strcmp(model, "bird"));
  while (po_run_step(r) && r->time < seconds) {}
  po_run_finish(r);
  TEST_ASSERT_NOT_EQUAL(PO_FELL, r->outcome);
  TEST_ASSERT_EQUAL_DOUBLE(2, po_run_result(r, "waypoints_all"));
  TEST_ASSERT_TRUE(po_run_result(r, "waypoints") >= 1);
  TEST_ASSERT_TRUE(po_run_result(r, "path_error_mean") < 0.5);
  po_run_free(r);
}

static void test_a_way_over_crevasses(void) {
  a_way_over_crevasses("bird", 3.5);
  a_way_over_crevasses("biped34", 6.5);
}

/* What is marked is what was planned: a box, samples in it, footholds ahead. */
/* rad: by how much stance feet turn on the ground while they stand, in the mean, of base steps of the bird. */
static double turned_feet(int held) {
  static const po_setting set[] = {{"policy", "base"}, {"depth", "0"}};
  po_error err;
  po_run *r = make_of("bird", "crevasses", 11, set, 2, &err);
  double sum = 0, from = 0;
  long strikes = 0;
  TEST_ASSERT_NOT_NULL_MESSAGE(r, err.message);
  if (!held) ((stepping *)r->kept)->kind.grip = 0;
  while (po_run_step(r) && strikes < 20) {
    const po_simbicon_state *m = po_simbicon_now(po_run_move(r, 0));
    const po_patch *p = po_run_move(r, 0)->actor->patches.patch;
    const po_data *d = po_world_data(r->world, 0);
    po_vec3 sole;
    if (m->steps == strikes) continue;
    sole = po_v3_sub(po_frame_pose(d, p[!m->stance].toe).p, po_frame_pose(d, p[!m->stance].heel).p);
    if (strikes++) sum += po_abs(po_wrap(po_atan2(sole.y, sole.x) - from));
    sole = po_v3_sub(po_frame_pose(d, p[m->stance].toe).p, po_frame_pose(d, p[m->stance].heel).p);
    from = po_atan2(sole.y, sole.x);
  }
  TEST_ASSERT_EQUAL_INT(PO_RUNNING, r->outcome);
  po_run_free(r);
  return sum / (double)(strikes - 1);
}

/* Hips that turn the trunk with more than the soles hold spin the foot that stands. */
static void test_feet_hold_what_they_are_turned_with(void) {
  TEST_ASSERT_TRUE_MESSAGE(turned_feet(1) < 0.5 * turned_feet(0), "stance feet spin as they did without a bound on the hips");
}

static void test_plans_are_marked(void) {
  static const po_setting set[] = {{"width", "0.3"}};
  po_mark mark[PO_PLAN_MARKS];
  po_error err;
  po_run *r = make("gaps", 2, set, 1, &err);
  int i, n = 0, footholds = 0, tried = 0;
  long serial = 0;
  while (po_run_step(r) && !(n = r->scenario->marks(mark, &serial, r))) {}
  TEST_ASSERT_TRUE(n > 10 && n <= PO_PLAN_MARKS);
  TEST_ASSERT_EQUAL_INT(PO_MARK_BOX, mark[0].kind);
  for (i = 1; i < n; i++) {
    footholds += mark[i].kind == PO_MARK_FOOTHOLD;
    tried += mark[i].kind == PO_MARK_TRIED;
    TEST_ASSERT_TRUE(po_isfinite(mark[i].x) && mark[i].z >= 0 && mark[i].doubt >= 0);
    if (mark[i].kind == PO_MARK_TRIED) TEST_ASSERT_TRUE(mark[i].low[0] >= mark[0].low[0] - 1e-9 && mark[i].low[0] <= mark[0].high[0] + 1e-9);
  }
  TEST_ASSERT_EQUAL_INT(2, footholds); /* the horizon */
  TEST_ASSERT_EQUAL_INT(n - 3, tried);
  TEST_ASSERT_TRUE(serial > 0);
  po_run_free(r);
}

/* Gaps that are only marked are counted, and nobody falls into them. */
static void test_gaps_without_depth_are_counted(void) {
  static const po_setting set[] = {{"width", "0.5"}, {"policy", "base"}, {"depth", "0"}};
  po_error err;
  po_run *r = make("gaps", 2, set, 3, &err);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, finish(r));
  TEST_ASSERT_TRUE(po_run_result(r, "bad_steps") > 0);
  po_run_free(r);
}

static void test_bad_input_is_refused(void) {
  static const struct { const char *scenario; po_setting set; } bad[] = {
      {"gaps", {"start", "0"}},          {"gaps", {"planner", "clever"}},       {"gaps", {"policy", "no-such.steps"}},   {"gaps", {"policy", "README.md"}},
      {"gaps", {"style", "moonwalk"}},   {"gaps", {"examples", "10"}},          {"stepping-stones", {"length_min", "1.1"}}, {"stepping-stones", {"length_max", "0.06"}},
  };
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    po_error err;
    TEST_ASSERT_NULL_MESSAGE(make(bad[i].scenario, 0, &bad[i].set, 1, &err), bad[i].set.value);
    TEST_ASSERT_TRUE(err.message[0] != 0);
  }
}

static void test_pieces_cover_what_they_cover(void) {
  static po_pieces p;
  memset(&p, 0, sizeof p);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pieces_gaps(&p, 1, 0.4, 0.75, 5, 0, 1));
  TEST_ASSERT_EQUAL_INT(6, p.count);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_pieces_cover(&p, 0.5, 0.9));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, po_pieces_cover(&p, 0.9, 1.1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_pieces_cover(&p, 1.1, 1.3));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 / 0.6, po_pieces_cover(&p, 0.9, 1.5)); /* 0.1 on each side of the gap */
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_pieces_add(&p, 3, 2, 0));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_gaps_are_crossed);
  RUN_TEST(test_who_does_not_get_across_fails);
  RUN_TEST(test_stones_are_met);
  RUN_TEST(test_not_without_planning);
  RUN_TEST(test_a_run_goes_on_from_its_save);
  RUN_TEST(test_a_way_over_crevasses);
  RUN_TEST(test_feet_hold_what_they_are_turned_with);
  RUN_TEST(test_plans_are_marked);
  RUN_TEST(test_gaps_without_depth_are_counted);
  RUN_TEST(test_bad_input_is_refused);
  RUN_TEST(test_pieces_cover_what_they_cover);
  return UNITY_END() != 0;
}
