/* test_judges_moves.c: the success rules of moves, skills, steps, tasks and tracking, each shown saying no.
 *
 * As in test_judges.c a run is made once; then it is judged again after what was asked has been changed behind its back, or after its time was cut.
 */
#include "scenes/scenes.h"
#include "unity.h"
#include <string.h>

static po_run *run;
static void *end_state;
static size_t end_bytes;

void setUp(void) {}
void tearDown(void) {
  po_run_free(run);
  po_free(end_state);
  run = NULL;
  end_state = NULL;
}

static void begin(const char *scenario, const po_setting *set, int sets) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  o.set = set;
  o.sets = sets;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&run, po_scenario_find(scenario), &o, &err), err.message);
}

/* Runs to the end and keeps it, since a verdict is given once. */
static void to_the_end(void) {
  while (po_run_step(run)) {}
  end_bytes = po_run_save_bytes(run);
  end_state = po_alloc(end_bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(end_state, end_bytes, run));
}

/* word NULL: it must be a success, else a failure that says so. */
static void judged(const char *word) {
  po_run_finish(run);
  if (word) TEST_ASSERT_TRUE_MESSAGE(run->outcome == PO_FAILED && strstr(run->reason, word), run->reason[0] ? run->reason : "success");
  else TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
}

/* The run that was kept, judged as if `name` had been asked to be `factor` times as large and `more`; the behaviour's parameter or the scenario's own. */
static void asked(const char *name, double factor, double more, const char *word) {
  const po_param *p = po_param_find(run->scenario->param, run->scenario->params, name);
  po_move *move = po_run_move(run, 0);
  double x, *own = p ? (double *)(void *)((char *)run->params + p->offset) : NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(run, end_state, end_bytes));
  if (own) {
    x = *own;
    *own = x * factor + more;
    judged(word);
    *own = x;
  } else {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_get(&x, move, name), name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_set(move, name, x * factor + more, &err), err.message);
    judged(word);
  }
}

/* The same run from the start, whose time is up after `share` of what it took. */
static void cut(const char *scenario, const po_setting *set, int sets, double share, const char *word) {
  long all = (long)(share * (double)run->steps);
  po_run_free(run);
  begin(scenario, set, sets);
  while (run->steps < all && po_run_step(run)) {}
  run->total_steps = run->steps;
  judged(word);
}

/* ---- turning over ---- */

static void test_a_cartwheel_is_what_was_asked(void) {
  begin("cartwheel", NULL, 0);
  to_the_end();
  asked("nu", 1, 0, NULL);
  asked("nu", 0.7, 0, "deg/s"); /* it turned 43 % too fast */
  asked("nu", 1.45, 0, "deg/s");
  asked("hand_distance", 1.5, 0, "hands");
  asked("hand_distance", 0.7, 0, "hands");
  asked("straddle_deg", 1, 30, "legs");
  asked("straddle_deg", 1, -35, "legs");
  cut("cartwheel", NULL, 0, 0.6, "stand");
}

static void test_a_handspring_rises_as_asked(void) {
  begin("back-handspring", NULL, 0);
  to_the_end();
  asked("apex", 1, 0, NULL);
  asked("apex", 1, 0.1, "rise");
  asked("apex", 1, -0.1, "rise");
  cut("back-handspring", NULL, 0, 0.6, "stand");
}

static void test_a_pirouette_turns_and_ends_on_its_feet(void) {
  begin("pirouette", NULL, 0);
  to_the_end();
  judged(NULL);
  cut("pirouette", NULL, 0, 0.3, "turns");
  cut("pirouette", NULL, 0, 2, "stand"); /* 0.6 of the whole */
}

/* ---- skills ---- */

static void test_a_crate_is_moved_as_far_as_asked(void) {
  static const po_setting near[] = {{"distance", "0.5"}};
  begin("crate", near, 1);
  to_the_end();
  asked("distance", 1, 0, NULL);
  asked("distance", 2, 0, "moved it");
  cut("crate", near, 1, 0.2, "never held");
}

static void test_a_crate_is_carried_as_far_as_asked(void) {
  static const po_setting near[] = {{"distance", "1"}};
  begin("carry", near, 1);
  to_the_end();
  asked("distance", 1, 0, NULL);
  asked("distance", 2, 0, "carried it");
  cut("carry", near, 1, 0.2, "lifted it");
}

static void test_stairs_are_climbed_to_the_end(void) {
  static const po_setting few[] = {{"count", "2"}};
  begin("stairs", few, 1);
  to_the_end();
  asked("count", 1, 0, NULL);
  asked("count", 1, 1, "came to step");
  cut("stairs", few, 1, 0.95, "stood for");
}

static void test_every_obstacle_is_passed(void) {
  static const po_setting one[] = {{"count", "1"}};
  begin("obstacles", one, 1);
  to_the_end();
  asked("count", 1, 0, NULL);
  asked("count", 1, 1, "passed 1 of 2");
}

static void test_a_thing_that_is_reached_is_kept(void) {
  begin("reach", NULL, 0);
  to_the_end();
  judged(NULL);
  cut("reach", NULL, 0, 0.9, "held it");
  cut("reach", NULL, 0, 0.2, "never came near"); /* 0.18 of the whole */
}

/* ---- steps and tasks ---- */

static void test_gaps_are_crossed(void) {
  begin("gaps", NULL, 0);
  to_the_end();
  judged(NULL);
  cut("gaps", NULL, 0, 0.7, "far side");
}

static void test_every_stone_is_stepped_on(void) {
  static const po_setting few[] = {{"count", "5"}};
  begin("stepping-stones", few, 1);
  to_the_end();
  judged(NULL);
  cut("stepping-stones", few, 1, 0.7, "stones reached");
}

static void test_goals_are_reached(void) {
  static const po_setting one[] = {{"goals", "1"}};
  begin("task", one, 1);
  to_the_end();
  judged(NULL);
  cut("task", one, 1, 0.5, "0 of 1 goals");
}

/* ---- walking without solving ---- */

static void test_gbwc_is_as_fast_as_asked_and_stands_when_told(void) {
  static const po_setting still[] = {{"walk", "0"}};
  begin("gbwc", NULL, 0);
  while (run->time < 7 && po_run_step(run)) {}
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(po_run_move(run, 0), "speed", -0.6, NULL)); /* it takes more than a second to turn back */
  while (run->time < 8 && po_run_step(run)) {}
  run->total_steps = run->steps;
  judged("m/s instead of");
  TEST_ASSERT_TRUE_MESSAGE(po_run_result(run, "mean_speed") - po_run_result(run, "commanded_speed") < 0.3, "so that a rule that is less strict is noticed");
  po_run_free(run);
  begin("gbwc", NULL, 0);
  while (run->time < 3 && po_run_step(run)) {}
  run->total_steps = run->steps;
  judged("nothing to judge");
  po_run_free(run);
  begin("gbwc", still, 1);
  while (run->time < 0.1 && po_run_step(run)) {}
  run->total_steps = run->steps;
  judged("does not stand");
}

/* ---- tracking ---- */

static void tracked(double *figure, double value, const char *word) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(run, end_state, end_bytes));
  *figure = value;
  judged(word);
}

static void test_tracking_is_judged_by_its_figures(void) {
  po_track_figures *f;
  double weight;
  begin("track", NULL, 0);
  f = (po_track_figures *)po_track_figures_of(po_run_move(run, 0)); /* to be altered: what would be said of such a run */
  weight = run->model->total_mass * 9.81;
  while (run->time < 4 && po_run_step(run)) {}
  run->total_steps = run->steps;
  to_the_end();
  tracked(&f->com_error, 0.045, NULL);
  tracked(&f->com_error, 0.055, "from the reference");
  tracked(&f->speed_error, 0.11, "m/s from the reference");
  tracked(&f->foot_slip, 0.021, "slid");
  tracked(&f->cone_violation, 0.01 * weight, "cone");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_cartwheel_is_what_was_asked);
  RUN_TEST(test_a_handspring_rises_as_asked);
  RUN_TEST(test_a_pirouette_turns_and_ends_on_its_feet);
  RUN_TEST(test_a_crate_is_moved_as_far_as_asked);
  RUN_TEST(test_a_crate_is_carried_as_far_as_asked);
  RUN_TEST(test_stairs_are_climbed_to_the_end);
  RUN_TEST(test_every_obstacle_is_passed);
  RUN_TEST(test_a_thing_that_is_reached_is_kept);
  RUN_TEST(test_gaps_are_crossed);
  RUN_TEST(test_every_stone_is_stepped_on);
  RUN_TEST(test_goals_are_reached);
  RUN_TEST(test_gbwc_is_as_fast_as_asked_and_stands_when_told);
  RUN_TEST(test_tracking_is_judged_by_its_figures);
  return UNITY_END() != 0;
}
