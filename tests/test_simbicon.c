/* test_simbicon.c: gaits as data, and bodies that walk by them. */
#include "../ctrl/moves/simbicon_internal.h"
#include "scenes/scenes.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_gait_table table, other;

/* ---- data ---- */

static void test_curves_pass_their_knots(void) {
  static const double phase[] = {0.1, 0.4, 0.9}, value[] = {1, -2, 0.5};
  po_gait_curve c = {0, 3}, one = {0, 1}, none = {0, 0};
  int i;
  memset(&table, 0, sizeof table);
  memcpy(table.phase, phase, sizeof phase);
  memcpy(table.value, value, sizeof value);
  for (i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, value[i], po_gait_value(&table, c, phase[i], 7));
  TEST_ASSERT_EQUAL_DOUBLE(1, po_gait_value(&table, c, 0, 7));
  TEST_ASSERT_EQUAL_DOUBLE(0.5, po_gait_value(&table, c, 1, 7));
  TEST_ASSERT_EQUAL_DOUBLE(1, po_gait_value(&table, one, 0.7, 7));
  TEST_ASSERT_EQUAL_DOUBLE(7, po_gait_value(&table, none, 0.7, 7));
  /* tangents as the table says: at the middle knot (0.5 − 1)/(0.9 − 0.1) */
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, -0.625, (po_gait_value(&table, c, 0.4 + 1e-6, 7) - po_gait_value(&table, c, 0.4 - 1e-6, 7)) / 2e-6);
}

#define HEAD "{\n\"name\": \"a\",\n\"body\": \"bird\",\n"
static void test_bad_files_are_refused_with_their_line(void) {
  static const struct { const char *text; int line; } bad[] = {
      {"[]", 1},
      {"{\"name\": \"a\"}", 1},
      {HEAD "\"gaits\": 3}", 4},
      {HEAD "\"gains\": {\"hip\": [-1, 2]}}", 4},
      {HEAD "\"gains\": {\"hip\": [1]}}", 4},
      {HEAD "\"states\": [{\"seconds\": 0}]}", 4},
      {HEAD "\"states\": [{\"ends\": \"soon\"}]}", 4},
      {HEAD "\"states\": [{\"seconds\": 1, \"targets\": {\"neck\":\n{\"parts\": [{\"axis\": \"q\", \"knots\": [[0, 1]]}]}}}]}", 5},
      {HEAD "\"states\": [{\"seconds\": 1, \"targets\": {\"neck\":\n{\"parts\": [{\"axis\": \"x\"}]}}}]}", 5},
      {HEAD "\"states\": [{\"seconds\": 1, \"targets\": {\"neck\":\n{\"parts\": [{\"axis\": \"x\", \"knots\": [[0.5, 1],\n[0.5, 2]]}]}}}]}", 6},
      {HEAD "\"states\": [{\"seconds\": 1, \"targets\": {\"neck\":\n{\"parts\": [{\"axis\": \"x\", \"knots\": [[0.5, null]]}]}}}]}", 5},
      {HEAD "\"states\": [{\"seconds\": 1, \"targets\": {\"neck\":\n{\"parts\": [{\"axis\": \"x\", \"knots\": [[0,0],[0.01,0],[0.02,0],[0.03,0],[0.04,0],[0.05,0],[0.06,0],"
       "[0.07,0],[0.08,0],[0.09,0],[0.1,0],[0.11,0],[0.12,0],[0.13,0],[0.14,0],[0.15,0],[0.16,0]]}]}}}]}", 5},
  };
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    po_error err;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PO_OK, po_gait_parse(&table, bad[i].text, strlen(bad[i].text), "bad.json", &err), bad[i].text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].line, err.line, err.message);
  }
}

/* Where things stand in a file is no part of the gait. */
static void forget_places(po_gait_table *t) {
  int i;
  t->body_line = t->body_column = 0;
  for (i = 0; i < t->targets; i++) t->target[i].line = t->target[i].column = 0;
  for (i = 0; i < t->gains; i++) t->gain[i].line = t->gain[i].column = 0;
}

static void test_built_in_gaits_are_written_as_they_read(void) {
  int i, count = 0;
  for (i = 0; po_builtin_files[i].path; i++) {
    po_buffer text = {0};
    po_error err;
    if (strncmp(po_builtin_files[i].path, "gaits/b", 7) && strncmp(po_builtin_files[i].path, "gaits/raptor", 12)) continue;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_gait_parse(&table, po_builtin_files[i].text, strlen(po_builtin_files[i].text), po_builtin_files[i].path, &err), err.message);
    po_gait_write(&text, &table);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_gait_parse(&other, text.data, text.size, "written", &err), err.message);
    forget_places(&table);
    forget_places(&other);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&table, &other, sizeof table, po_builtin_files[i].path);
    po_buffer_free(&text);
    count++;
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(16, count);
}

static void test_a_gait_of_another_body_is_refused(void) {
  const po_model *raptor;
  po_move *move;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&raptor, "raptor", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "simbicon", raptor, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_load(&table, "bird", "walk", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_simbicon_add(NULL, move, &table, &err));
  memcpy(table.body, "raptor", 7);
  memcpy(table.target[0].joint, "wing", 5);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_simbicon_add(NULL, move, &table, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "wing"));
  TEST_ASSERT_TRUE(err.line > 1 && err.line == table.target[0].line); /* where the joint is named in its file */
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_gait_load(&table, "bird", "fly", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "backrun")); /* what there is instead */
  po_move_free(move);
  po_model_free(raptor);
}

/* ---- walking ---- */

static po_run *start(const char *model, const char *gait, double seconds, const char *name, const char *value) {
  po_setting set[2];
  po_run_opts o = po_run_opts_default();
  po_run *r;
  po_error err;
  set[0].name = "controller";
  set[0].value = gait;
  set[1].name = name;
  set[1].value = value;
  o.model = model;
  o.seconds = seconds;
  o.seed = 3;
  o.set = set;
  o.sets = name ? 2 : 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("simbicon"), &o, &err), err.message);
  r->opts.set = NULL; /* they lie on this stack */
  r->opts.sets = 0;
  return r;
}

static void test_the_planar_biped_walks_as_published(void) {
  po_run *r = start("biped7", "walk", 15, NULL, NULL);
  while (po_run_step(r)) {}
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
  TEST_ASSERT_DOUBLE_WITHIN(0.075, 0.375, po_run_result(r, "step_length_mean")); /* the thesis: 0.36 m */
  TEST_ASSERT_TRUE(po_run_result(r, "cycle_error") < 0.02);
  po_run_free(r);
}

static void test_without_feedback_it_falls(void) {
  po_run *r = start("biped7", "walk", 10, "feedback", "0");
  while (po_run_step(r)) {}
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(PO_FELL, r->outcome);
  po_run_free(r);
}

static void test_no_force_on_the_root_and_none_beyond_the_efforts(void) {
  static const char *const body[] = {"biped7", "bird", "raptor", "biped34"};
  int b, k;
  for (b = 0; b < 4; b++) {
    po_run *r = start(body[b], "walk", 1.5, NULL, NULL);
    const po_model *m = r->model;
    double worked = 0;
    while (po_run_step(r)) {
      const double *tau = r->sim->character[0].tau;
      for (k = 0; k < m->joint[0].nv; k++) TEST_ASSERT_EQUAL_DOUBLE(0, tau[k]);
      for (; k < m->nv; k++) {
        const po_joint *j = &m->joint[m->dof_body[k]];
        TEST_ASSERT_TRUE(po_abs(tau[k]) <= j->effort[k - j->v]);
        worked = po_max(worked, po_abs(tau[k]));
      }
    }
    TEST_ASSERT_TRUE(worked > 10);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_RUNNING, r->outcome, r->reason);
    po_run_free(r);
  }
}

static void test_a_restored_run_is_the_same_to_the_bit(void) {
  po_run *r = start("bird", "walk", 3, "heading", "20");
  size_t bytes = po_run_save_bytes(r);
  void *state = po_alloc(bytes);
  uint64_t hash;
  while (r->steps < 1501) po_run_step(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(state, bytes, r));
  while (r->steps < 3000) po_run_step(r);
  hash = po_run_hash(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(r, state, bytes));
  while (r->steps < 3000) po_run_step(r);
  TEST_ASSERT_TRUE(hash == po_run_hash(r));
  po_free(state);
  po_run_free(r);
}

/* The mirror image of a walk is the walk of the mirror image. Rounding differs between the two sides, and a walk forgets it: its errors do not grow. */
static void test_the_mirrored_run_is_the_run_mirrored(void) {
  po_run *a = start("bird", "walk", 2, NULL, NULL), *b = start("bird", "walk", 2, NULL, NULL);
  double q[64], v[64];
  const po_model *m = a->model;
  po_sense sense;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(po_world_q(b->world, 0), po_world_v(b->world, 0), m));
  sense = po_sense_of(po_world_q(b->world, 0), po_world_v(b->world, 0), 0.0005);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(po_run_move(b, 0), NULL, &sense, &err));
  po_simbicon_of(po_run_move(b, 0))->now.stance = 1;
  for (i = 0; i < 2000; i++) {
    po_run_step(a);
    po_run_step(b);
  }
  memcpy(q, po_world_q(b->world, 0), sizeof(double) * (size_t)m->nq);
  memcpy(v, po_world_v(b->world, 0), sizeof(double) * (size_t)m->nv);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(q, v, m));
  for (i = 0; i < m->nq; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_world_q(a->world, 0)[i], q[i]);
  TEST_ASSERT_EQUAL_INT(2, (int)po_simbicon_now(po_run_move(a, 0))->steps);
  po_run_free(a);
  po_run_free(b);
}

/* Halfway between walking and stepping in place the bird walks, more slowly than the one, faster than the other. */
static void test_blended_gaits_lie_between(void) {
  double speed[3];
  int i;
  for (i = 0; i < 3; i++) {
    po_run *r = start("bird", i == 2 ? "inplace" : "walk", 9, NULL, NULL);
    po_simbicon *s = po_simbicon_of(po_run_move(r, 0));
    s->params.other = po_simbicon_find(&s->move, "inplace");
    s->params.blend = i == 1 ? 0.5 : 0;
    while (po_run_step(r)) {}
    po_run_finish(r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
    speed[i] = po_run_result(r, "mean_speed");
    po_run_free(r);
  }
  TEST_ASSERT_TRUE(speed[0] > speed[1] && speed[1] > speed[2]);
}

/* A foot that is put down too far to the right lets the body fall to the left. The gait itself drifts by half a metre, a side step by two and more. */
static void test_side_steps_go_to_their_side(void) {
  int side;
  for (side = -1; side <= 1; side += 2) {
    po_run *r = start("bird", "inplace", 8, "side_deg", side > 0 ? "5" : "-5");
    while (po_run_step(r)) {}
    po_run_finish(r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
    TEST_ASSERT_TRUE(side * po_world_data(r->world, 0)->com.y > 1);
    po_run_free(r);
  }
}

static void test_a_step_may_begin_at_any_time(void) {
  po_run *r = start("bird", "walk", 3, NULL, NULL);
  po_simbicon *s = po_simbicon_of(po_run_move(r, 0));
  while (r->steps < 300) po_run_step(r);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_simbicon_begin_step(&s->move, 2, 0, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_simbicon_begin_step(&s->move, 0, PO_NAN, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_simbicon_begin_step(NULL, 0, 0, 0));
  s->params.gait = po_simbicon_find(&s->move, "run");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_simbicon_begin_step(&s->move, 1, 0.3, 0));
  TEST_ASSERT_EQUAL_INT(1, s->now.stance);
  TEST_ASSERT_EQUAL_INT(po_simbicon_find(&s->move, "run"), s->now.first);
  TEST_ASSERT_EQUAL_DOUBLE(0, s->now.phase);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, s->now.facing);
  po_run_free(r);
}

/* In the middle of a step the gait changes, and nothing else does. */
static void test_a_step_may_go_on_in_another_gait(void) {
  po_run *r = start("bird", "walk", 3, NULL, NULL);
  po_simbicon *s = po_simbicon_of(po_run_move(r, 0));
  double phase, facing;
  int stance, walk;
  while (r->steps < 300) po_run_step(r);
  phase = s->now.phase;
  facing = s->now.facing;
  stance = s->now.stance;
  walk = s->now.first;
  s->params.gait = po_simbicon_find(&s->move, "run");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_simbicon_change_step(&s->move));
  TEST_ASSERT_EQUAL_INT(po_simbicon_find(&s->move, "run"), s->now.first);
  TEST_ASSERT_TRUE(s->now.phase == phase && s->now.facing == facing && s->now.stance == stance);
  s->now.state = 1; /* which the gaits of a bird do not have */
  s->params.gait = walk;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_simbicon_change_step(&s->move));
  TEST_ASSERT_EQUAL_INT(po_simbicon_find(&s->move, "run"), s->now.first);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_simbicon_change_step(NULL));
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_step_may_go_on_in_another_gait);
  RUN_TEST(test_side_steps_go_to_their_side);
  RUN_TEST(test_a_step_may_begin_at_any_time);
  RUN_TEST(test_curves_pass_their_knots);
  RUN_TEST(test_bad_files_are_refused_with_their_line);
  RUN_TEST(test_built_in_gaits_are_written_as_they_read);
  RUN_TEST(test_a_gait_of_another_body_is_refused);
  RUN_TEST(test_the_planar_biped_walks_as_published);
  RUN_TEST(test_without_feedback_it_falls);
  RUN_TEST(test_no_force_on_the_root_and_none_beyond_the_efforts);
  RUN_TEST(test_a_restored_run_is_the_same_to_the_bit);
  RUN_TEST(test_the_mirrored_run_is_the_run_mirrored);
  RUN_TEST(test_blended_gaits_lie_between);
  return UNITY_END() != 0;
}
