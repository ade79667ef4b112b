/* test_judges.c: success rules are code too: each is shown saying no to what is not what was asked, and yes to what nearly is.
 *
 * A run is made, and then what was asked is changed behind its back, or a body is moved by hand: the judge must notice, by the margin it promises.
 */
#include "scenes/scenes.h"
#include "unity.h"
#include <stdio.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *begin(const char *scenario, double seconds, const char *name, const char *value) {
  po_run_opts o = po_run_opts_default();
  po_setting set;
  po_error err;
  po_run *r;
  set.name = name;
  set.value = value;
  o.seconds = seconds;
  o.set = &set;
  o.sets = name != NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &o, &err), err.message);
  return r;
}
static void steps(po_run *r, int n) {
  while (n-- > 0 && po_run_step(r)) {}
}
static void to_the_end(po_run *r) {
  while (po_run_step(r)) {}
}

/* Finishes and frees; word NULL: it must be a success, else a failure that says so. */
static void judged(po_run *r, const char *word) {
  po_run_finish(r);
  if (word) TEST_ASSERT_TRUE_MESSAGE(r->outcome == PO_FAILED && strstr(r->reason, word), r->reason[0] ? r->reason : "success");
  else TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  po_run_free(r);
}

/* ---- walking: one run of 7 s, judged again and again after being asked for something else ---- */

static void walk_asked(po_run *r, const void *state, size_t bytes, const char *name, double factor, double more, const char *word) {
  char *params = po_move_params(po_run_move(r, 0));
  const po_param *p = po_param_find(po_walk_param, po_walk_param_count, name);
  double *x;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(r, state, bytes));
  x = (double *)(void *)(params + p->offset);
  *x = *x * factor + more;
  po_run_finish(r);
  if (word) TEST_ASSERT_TRUE_MESSAGE(r->outcome == PO_FAILED && strstr(r->reason, word), r->reason[0] ? r->reason : "success");
  else TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
}

static void test_a_walk_is_as_fast_and_as_straight_as_asked(void) {
  po_run *r = begin("walk", 7, NULL, NULL); /* the first steps are quick ones */
  size_t bytes = po_run_save_bytes(r);
  void *state = po_alloc(bytes);
  to_the_end(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, r));
  walk_asked(r, state, bytes, "l_step", 1, 0, NULL);
  walk_asked(r, state, bytes, "l_step", 1.05, 0, NULL); /* its steps are 4 % short */
  walk_asked(r, state, bytes, "l_step", 0.92, 0, NULL);
  walk_asked(r, state, bytes, "T", 0.7, 0, "m/s instead of");      /* it walked 29 % too slowly */
  walk_asked(r, state, bytes, "T", 1.35, 0, "m/s instead of");     /* or too fast */
  walk_asked(r, state, bytes, "l_step", 2, 0, "m/s instead of");   /* half speed */
  walk_asked(r, state, bytes, "heading", 1, 12, "off its heading");
  walk_asked(r, state, bytes, "heading", 1, -12, "off its heading");
  walk_asked(r, state, bytes, "heading", 1, 7, NULL);
  po_free(state);
  po_run_free(r);
}

/* The same speed in steps of another length is not what was asked either. */
static void test_a_walk_has_the_steps_that_were_asked(void) {
  po_run *r = begin("walk", 5, NULL, NULL);
  po_walk_params *p = po_move_params(po_run_move(r, 0));
  to_the_end(r);
  p->l_step *= 1.3;
  p->T = 1.3 * (p->T + p->dT) - p->dT;
  judged(r, "m instead of");
}

static void test_a_walk_is_judged_at_any_length(void) {
  po_run *r = begin("walk", 1, NULL, NULL);
  to_the_end(r);
  judged(r, "no gait");
  r = begin("walk", 10, "style", "fast");
  to_the_end(r);
  judged(r, NULL);
}

static void test_who_is_not_to_walk_is_judged_as_standing(void) {
  po_run *r = begin("walk", 2.5, "walk", "0");
  to_the_end(r);
  TEST_ASSERT_TRUE(po_walk_see(po_run_move(r, 0))->steps == 0);
  judged(r, NULL);
  r = begin("walk", 2.5, "walk", "0");
  steps(r, 2200);
  po_world_v(r->world, 0)[4] += 0.25; /* a shove that nobody was told of: the COM strays */
  to_the_end(r);
  judged(r, "strayed");
}

/* ---- standing and squatting ---- */

static void test_a_foot_that_slips_is_noticed(void) {
  po_run *r = begin("balance", 2.2, NULL, NULL);
  steps(r, 2100);
  po_world_q(r->world, 0)[4] += 0.006; /* the whole body, and so its target */
  to_the_end(r);
  judged(r, "slipped");
}

static void test_a_com_that_strays_is_noticed(void) {
  po_run *r = begin("balance", 2.3, NULL, NULL);
  po_move *stand = po_run_move(r, 0);
  steps(r, 2050);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(stand, "com_height", 0.92, NULL)); /* 3 % lower: the target is there at once, the COM is not */
  to_the_end(r);
  judged(r, "strayed");
}

static void test_a_squat_reaches_both_ends_in_time(void) {
  po_run *r = begin("squat", 3, NULL, NULL);
  po_balance *b = (po_balance *)(void *)po_run_move(r, 0);
  to_the_end(r);
  b->params.squat_low -= 0.05;
  judged(r, "swung between");
  r = begin("squat", 3.2, NULL, NULL);
  b = (po_balance *)(void *)po_run_move(r, 0);
  to_the_end(r);
  b->params.squat_period = 1;
  judged(r, "squats instead of");
}

/* ---- jumps: one run, asked for more afterwards ---- */

static void jump_asked(po_run *r, const void *state, size_t bytes, double height, double angle, double distance, double swing, const char *word) {
  po_jump_params *p = po_move_params(po_run_move(r, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(r, state, bytes));
  p->height *= height;
  p->angle += angle;
  p->distance += distance;
  p->swing_deg += swing;
  po_run_finish(r);
  if (word) TEST_ASSERT_TRUE_MESSAGE(r->outcome == PO_FAILED && strstr(r->reason, word), r->reason[0] ? r->reason : "success");
  else TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
}

static void test_a_jump_is_what_was_asked(void) {
  po_run *r = begin("jump", 0, NULL, NULL);
  size_t bytes = po_run_save_bytes(r);
  void *state = po_alloc(bytes);
  to_the_end(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, r));
  jump_asked(r, state, bytes, 1, 0, 0, 0, NULL);
  jump_asked(r, state, bytes, 1.25, 0, 0, 0, "to rise");
  jump_asked(r, state, bytes, 0.8, 0, 0, 0, "to rise");
  jump_asked(r, state, bytes, 1, 20, 0, 0, "to turn");
  jump_asked(r, state, bytes, 1, -20, 0, 0, "to turn");
  jump_asked(r, state, bytes, 1, 0, 0.3, 0, "landed");
  jump_asked(r, state, bytes, 1, 0, 0, 40, "swung");
  po_free(state);
  po_run_free(r);
}

static void test_a_jump_ends_standing(void) {
  po_run *r = begin("jump", 0, NULL, NULL);
  while (po_run_step(r) && po_move_phase(po_run_move(r, 0)) != PO_JUMP_RECOVER) {}
  r->total_steps = r->steps; /* time runs out before it has stood */
  judged(r, "stood only");
}

/* ---- things ---- */

static void test_a_box_that_drifts_is_noticed(void) {
  po_run *r = begin("stack", 1.2, "count", "3");
  steps(r, 1100);
  po_world_q(r->world, 2)[4] += 2e-3;
  to_the_end(r);
  judged(r, "drifted");
}

static void test_a_block_follows_the_law(void) {
  static const char *const scenario[] = {"slope", "slide"};
  int i;
  for (i = 0; i < 2; i++) {
    po_run *r = begin(scenario[i], 0, NULL, NULL);
    steps(r, 900);
    po_world_q(r->world, 0)[4] += i ? 0.01 : -0.01; /* 2 to 3 % further */
    to_the_end(r);
    judged(r, "instead of");
  }
}

static void test_a_body_that_moves_is_not_at_rest(void) {
  po_run *r = begin("drop", 0.2, NULL, NULL);
  to_the_end(r);
  judged(r, "not at rest");
}

/* A body without shapes falls for ever, or rests on nothing. */
static void test_a_body_without_shapes_cannot_succeed(void) {
  static const char urdf[] = "<robot name=\"ghost\"><link name=\"pelvis\"><inertial><mass value=\"5\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
                             "ixz=\"0\" iyz=\"0\"/></inertial></link></robot>";
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r;
  const char *path = "/tmp/poise_test_judges_ghost.urdf";
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, urdf, sizeof urdf - 1, &err));
  o.model = path;
  o.seconds = 0.1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("drop"), &o, &err), err.message);
  to_the_end(r);
  remove(path);
  judged(r, "no shape");
}

/* ---- the run itself ---- */

static void test_results_that_have_no_room_fail_the_run(void) {
  static char name[PO_RUN_RESULTS + 1][8];
  po_run *r = begin("slope", 0.01, NULL, NULL);
  int i;
  to_the_end(r);
  for (i = 0; i <= PO_RUN_RESULTS; i++) {
    po_format(name[i], sizeof name[i], "x%d", i);
    po_run_set_result(r, name[i], i);
  }
  TEST_ASSERT_EQUAL_INT(PO_FAILED, r->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->reason, "x48"), r->reason);
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_walk_is_as_fast_and_as_straight_as_asked);
  RUN_TEST(test_a_walk_has_the_steps_that_were_asked);
  RUN_TEST(test_a_walk_is_judged_at_any_length);
  RUN_TEST(test_who_is_not_to_walk_is_judged_as_standing);
  RUN_TEST(test_a_foot_that_slips_is_noticed);
  RUN_TEST(test_a_com_that_strays_is_noticed);
  RUN_TEST(test_a_squat_reaches_both_ends_in_time);
  RUN_TEST(test_a_jump_is_what_was_asked);
  RUN_TEST(test_a_jump_ends_standing);
  RUN_TEST(test_a_box_that_drifts_is_noticed);
  RUN_TEST(test_a_block_follows_the_law);
  RUN_TEST(test_a_body_that_moves_is_not_at_rest);
  RUN_TEST(test_a_body_without_shapes_cannot_succeed);
  RUN_TEST(test_results_that_have_no_room_fail_the_run);
  return UNITY_END() != 0;
}
