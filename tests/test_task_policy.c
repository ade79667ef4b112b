/* test_task_policy.c: actions, goals, and policies with their files. */
#include "../ctrl/moves/gbwc_internal.h"
#include "ctrl/moves/moves.h"
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const po_model *bird;
static po_actions actions;

/* ---- actions ---- */

static void test_built_in_actions_fit_their_bodies(void) {
  int i, sets = 0;
  for (i = 0; po_builtin_files[i].path; i++) {
    const po_model *m;
    po_move *move;
    po_error err;
    po_actions a;
    po_metric metric;
    if (strncmp(po_builtin_files[i].path, "actions/", 8)) continue;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_load(&a, po_builtin_files[i].name, &err), err.message);
    TEST_ASSERT_EQUAL_STRING(po_builtin_files[i].name, a.name);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, a.body, &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, po_walker_type(&a), NULL, m, po_terrain_flat(), NULL, &err));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_check(&a, move, &err), err.message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_metric_init(&metric, m, &a.weights, &err), err.message);
    po_move_free(move);
    po_model_free(m);
    sets++;
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(4, sets);
}

#define SET(more) "{\n\"name\": \"a\", \"body\": \"bird\", \"eps_trust\": 2, \"eps_new\": 1,\n" more "\n}"
static void test_bad_actions_are_refused_with_their_line(void) {
  static const struct { const char *text; int line; const char *says; } bad[] = {
      {"[]", 1, "object"},
      {SET("\"wings\": 2"), 3, "wings"},
      {SET("\"actions\": {}"), 1, "needed"},
      {SET("\"actions\": {\"x\": {}}"), 3, "no gait"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\",\n\"other\": \"walk\", \"blend\": 0.5}}"), 3, "itself"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\", \"blend\": 0.5}}"), 3, "no other"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\"},\n\"x\": {\"gait\": \"walk\"}}"), 4, "two actions"},
      {SET("\"actions\": {\"x\": {\"mirror\": \"y\"}}"), 3, "'y'"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\"},\n\"y\": {\"speed\": 0.5, \"gait\": \"walk\"}}"), 4, "one set"},
      {SET("\"actions\": {\"x\": {\"speed\": 0.5},\n\"y\": {\"gait\": \"walk\"}}"), 4, "one set"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\"},\n\"y\": {\"speed\": 0.5}}"), 4, "one set"},
      {SET("\"actions\": {\"x\": {\"speed\": 0.5},\n\"y\": {\"turn_deg\": 5}}"), 4, "no gait and no speed"},
      {SET("\"actions\": {\"x\": {\"speed\": 5}}"), 3, "speed"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\", \"turn_deg\": 100}}"), 3, "turn_deg"},
      {SET("\"actions\": {\"x\": {\"gait\": \"walk\"}}, \"sequences\": [[\"z\"]]"), 3, "'z'"},
      {SET("\"metric\": {\"joints\": {\"hip\": [1, -1]}}"), 3, "hip"},
      {"{\"name\": \"a\", \"body\": \"bird\", \"eps_trust\": 1, \"eps_new\": 2, \"actions\": {\"x\": {\"gait\": \"walk\"}}}", 1, "eps_new"},
  };
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    po_actions a;
    po_error err;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_PARSE, po_actions_parse(&a, bad[i].text, strlen(bad[i].text), "bad.json", &err), bad[i].text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].line, err.line, err.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, bad[i].says), err.message);
  }
}

static void test_more_actions_than_fit_are_refused(void) {
  po_buffer text = {0};
  po_actions a;
  po_error err;
  int i;
  po_buffer_puts(&text, "{\"name\": \"a\", \"body\": \"bird\", \"eps_trust\": 2, \"eps_new\": 1, \"actions\": {");
  for (i = 0; i < 300; i++) po_buffer_printf(&text, "%s\"a%d\": {\"gait\": \"walk\"}", i ? ", " : "", i);
  po_buffer_puts(&text, "}}");
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_actions_parse(&a, text.data, text.size, "many.json", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "more than"));
  po_buffer_free(&text);
}

/* On the right foot an action is its own mirror image. */
static void test_an_action_begins_mirrored_on_the_right_foot(void) {
  po_move *move;
  const po_simbicon_state *s;
  po_error err;
  int left = po_actions_find(&actions, "walk-left-20"), right = po_actions_find(&actions, "walk-right-20");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "simbicon", bird, po_terrain_flat(), NULL, &err));
  s = po_simbicon_now(move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &actions, left, 0, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 + PO_RAD(20), s->facing);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &actions, left, 1, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 - PO_RAD(20), s->facing);
  TEST_ASSERT_EQUAL_INT(1, s->stance);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &actions, right, 1, 3));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 + PO_RAD(20) - 2 * PO_PI, s->facing);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_action_begin(move, &actions, 99, 0, 0));
  po_move_free(move);
}

/* In the middle of a step: gait and side step are those of the action, foot and heading stay. */
static void test_an_action_changes_a_step_under_way(void) {
  po_actions set = actions, more;
  po_move *move;
  const po_simbicon_state *s;
  po_error err;
  int own = set.actions, side;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_load(&more, "bird-rescue", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actions_append(&set, &more));
  TEST_ASSERT_EQUAL_INT(own + more.actions, set.actions);
  side = po_actions_find(&set, "side-left-16");
  TEST_ASSERT_TRUE(side >= own && po_actions_mirror(&set, side) == po_actions_find(&set, "side-right-16"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "simbicon", bird, po_terrain_flat(), NULL, &err));
  s = po_simbicon_now(move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &set, 0, 1, 0.4));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_change(move, &set, side));
  TEST_ASSERT_EQUAL_DOUBLE(-16, ((const po_simbicon_params *)po_move_params(move))->side_deg);
  TEST_ASSERT_TRUE(s->stance == 1 && s->first == po_simbicon_find(move, "walk"));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4 - PO_RAD(set.action[0].turn_deg), s->facing);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_action_change(move, &set, set.actions));
  set.actions = PO_ACTIONS_MAX - more.actions + 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_actions_append(&set, &more));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_load(&more, "raptor-rescue", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_actions_append(&set, &more));
  po_move_free(move);
}

/* Steps of generalized walking: sides and turns change with the foot, and a set belongs to its own kind of move. */
static void test_steps_of_generalized_walking(void) {
  const po_model *m;
  po_actions set;
  po_move *move, *other;
  po_gbwc *g;
  po_error err;
  double *q, *v;
  po_sense sense;
  uint64_t hash;
  int side, left;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_load(&set, "human-steps", &err), err.message);
  hash = po_actions_hash(&set);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, set.body, &err));
  TEST_ASSERT_TRUE(set.gbwc && po_walker_type(&set) == &po_gbwc_type);
  side = po_actions_find(&set, "side-left");
  left = po_actions_find(&set, "walk-left-15");
  TEST_ASSERT_EQUAL_INT(po_actions_find(&set, "side-right"), po_actions_mirror(&set, side));
  TEST_ASSERT_EQUAL_INT(po_actions_find(&set, "walk-right-15"), po_actions_mirror(&set, left));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "gbwc", m, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&other, "simbicon", m, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_actions_check(&set, other, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_action_begin(other, &set, side, 0, 0));
  g = po_gbwc_of(move);
  TEST_ASSERT_NULL(po_gbwc_of(other));
  q = po_alloc(sizeof(double) * (size_t)m->nq);
  v = po_alloc(sizeof(double) * (size_t)m->nv);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_walker_start(q, v, move, &set, side, &err));
  sense = po_sense_of(q, v, 0.0005);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(move, NULL, &sense, &err));
  g->now.correction[0] = 0.3; /* of steps before: forgotten */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &set, side, 1, 0));
  TEST_ASSERT_EQUAL_DOUBLE(0, g->now.correction[0]);
  TEST_ASSERT_EQUAL_DOUBLE(-set.step[side].side_speed, g->params.side_speed);
  TEST_ASSERT_TRUE(g->now.stance == 1 && po_walker_stance(move) == 1 && g->now.mode == PO_GBWC_WALK && po_walker_steps(move) == 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &set, left, 1, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, PO_DEG(1) - 15, g->params.heading);
  TEST_ASSERT_TRUE(g->now.speed <= 0.4 * g->time_scale + 1e-12); /* from rest it is not asked for all of 0.6 at once */
  set.speed_change = 10; /* a set that says so is: whoever is hit has to be slowed down by more than that */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_action_begin(move, &set, left, 1, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.6 * g->time_scale, g->now.speed);
  TEST_ASSERT_TRUE(po_actions_hash(&set) != hash); /* other steps: policies of one are not for the other */
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_begin_step(move, 2, 0.4));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_begin_step(move, 0, -1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_begin_step(move, 0, PO_NAN));
  po_free(q);
  po_free(v);
  po_move_free(move);
  po_move_free(other);
  po_model_free(m);
}

static void test_sequences_are_replaced(void) {
  po_actions set = actions;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_sequences(&set, "walk,walk-left-20,walk;inplace,walk", &err), err.message);
  TEST_ASSERT_EQUAL_INT(2, set.sequences);
  TEST_ASSERT_EQUAL_INT(3, set.sequence[0].length);
  TEST_ASSERT_EQUAL_INT(po_actions_find(&set, "walk-left-20"), set.sequence[0].action[1]);
  TEST_ASSERT_EQUAL_INT(2, set.sequence[1].length);
  TEST_ASSERT_TRUE(po_actions_hash(&set) == po_actions_hash(&actions)); /* how an exploration begins is not what the actions do */
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_actions_sequences(&set, "walk,fly", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "'fly'"));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_actions_sequences(&set, "walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk;walk", &err));
  TEST_ASSERT_EQUAL_INT(2, set.sequences); /* as it was */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actions_sequences(&set, "none", &err));
  TEST_ASSERT_EQUAL_INT(0, set.sequences);
}

/* ---- tasks ---- */

static void test_samples_are_their_own_nearest_and_lie_denser_at_the_goal(void) {
  int kind, j, i;
  for (kind = 0; kind < PO_TASK_KINDS; kind++) {
    po_task t;
    double w[PO_TASK_AXES];
    TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, (po_task_kind)kind, NULL, 1.5));
    for (j = 0; j < po_task_samples(&t); j++) {
      po_task_at(w, &t, j);
      TEST_ASSERT_EQUAL_INT_MESSAGE(j, po_task_nearest(&t, w), po_task_names[kind]);
    }
    for (i = 0; i < t.axes; i++) {
      const po_axis *a = &t.axis[i];
      int zero = 0;
      for (j = 0; j < a->samples; j++) zero |= a->at[j] == 0;
      TEST_ASSERT_TRUE(zero);
      if (kind != PO_TASK_HEADING_SPEED || i) TEST_ASSERT_TRUE(a->at[a->samples / 2 + 1] - a->at[a->samples / 2] < a->at[a->samples - 1] - a->at[a->samples - 2]);
    }
  }
}

static void test_angles_wrap_and_lines_end(void) {
  po_task t;
  double w, share;
  int lower, upper;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_HEADING, NULL, 0));
  po_axis_cell(&lower, &upper, &share, &t.axis[0], PO_PI);
  TEST_ASSERT_EQUAL_INT(24, lower);
  TEST_ASSERT_EQUAL_INT(0, upper);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, share);
  po_axis_cell(&lower, &upper, &share, &t.axis[0], -PO_PI);
  TEST_ASSERT_EQUAL_INT(24, lower);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, share);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_LINE, NULL, 0));
  for (w = 6; w < 20; w += 3) TEST_ASSERT_EQUAL_INT(34, po_task_nearest(&t, &w));
  w = -9;
  TEST_ASSERT_EQUAL_INT(0, po_task_nearest(&t, &w));
}

/* A goal beyond the samples is taken at their edge, in the direction in which it lies. */
static void test_far_goals_keep_their_bearing(void) {
  po_task t;
  double far[2] = {30, 12}, at[2];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_POINT, NULL, 0));
  po_task_at(at, &t, po_task_nearest(&t, far));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, at[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 1.2, at[1]); /* half a sample's spacing there */
}

/* A goal 2 m ahead, after a step of 0.5 m and a quarter turn to the left, lies 1.5 m to the right. */
static void test_steps_move_goals(void) {
  double w[3] = {2, 0, 0};
  po_pose2 step = {0.5, 0, 0};
  step.heading = PO_PI / 2;
  po_task_step(w, PO_TASK_POINT_HEADING, step);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, w[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1.5, w[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -PO_PI / 2, w[2]);
  po_task_mirror(w, PO_TASK_POINT_HEADING);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.5, w[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, PO_PI / 2, w[2]);
}

/* ---- policies ---- */

#define STATES 50

static po_policy *some_policy(unsigned char **table) {
  static float feature[STATES * PO_METRIC_FEATURES];
  po_policy *p;
  po_task t;
  po_metric m;
  po_error err;
  po_rng rng;
  int i, k, n;
  po_rng_init(&rng, 4, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_metric_init(&m, bird, &actions.weights, &err));
  for (i = 0; i < STATES * m.features; i++) feature[i] = (float)po_rng_range(&rng, -1, 1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_policy_new(&p, bird, &actions, feature, STATES, &err), err.message);
  for (k = 0; k < PO_TASK_KINDS; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, (po_task_kind)k, NULL, 1.5));
    n = STATES * po_task_samples(&t);
    *table = po_alloc((size_t)n);
    for (i = 0; i < n; i++) (*table)[i] = (unsigned char)(i && po_rng_uniform(&rng) < 0.7 ? (*table)[i - 1] : po_rng_below(&rng, actions.actions));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_policy_add(p, &t, *table, &err), err.message);
    if (k < PO_TASK_KINDS - 1) po_free(*table);
  }
  return p;
}

static void test_a_policy_chooses_by_the_nearest(void) {
  unsigned char *last;
  po_policy *p = some_policy(&last);
  double w[3] = {0, 0, 0}, d;
  int i, j;
  for (i = 0; i < STATES; i++) {
    TEST_ASSERT_EQUAL_INT(last[i], po_policy_choose(&d, p, PO_TASK_ROBUST, p->feature + i * p->metric.features, w));
    TEST_ASSERT_EQUAL_DOUBLE(0, d);
    for (j = 0; j < 25; j += 6) {
      po_task_at(w, po_policy_task(p, PO_TASK_HEADING), j);
      TEST_ASSERT_EQUAL_INT(p->table[1].action[i * 25 + j], po_policy_choose(NULL, p, PO_TASK_HEADING, p->feature + i * p->metric.features, w));
    }
  }
  last[0] = (unsigned char)actions.actions;
  {
    po_error err;
    po_task t;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_ROBUST, NULL, 0));
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_policy_add(p, &t, last, &err));
  }
  po_free(last);
  po_policy_free(p);
}

static void test_files_read_back_to_the_same_bytes(void) {
  unsigned char *last;
  po_policy *p = some_policy(&last), *back;
  po_buffer file = {0}, again = {0};
  po_error err;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_policy_write(&file, p));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_policy_read(&back, bird, &actions, file.data, file.size, "a.policy", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_TASK_KINDS, back->tasks);
  for (k = 0; k < back->tasks; k++)
    TEST_ASSERT_EQUAL_MEMORY(p->table[k].action, back->table[k].action, (size_t)STATES * (size_t)po_task_samples(&p->table[k].task));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_policy_write(&again, back));
  TEST_ASSERT_EQUAL_INT((int)file.size, (int)again.size);
  TEST_ASSERT_EQUAL_MEMORY(file.data, again.data, file.size);
  po_buffer_free(&file);
  po_buffer_free(&again);
  po_policy_free(back);
  po_policy_free(p);
  po_free(last);
}

static void test_bad_files_are_refused(void) {
  unsigned char *last;
  po_policy *p = some_policy(&last), *back;
  const po_model *raptor;
  po_actions other;
  po_buffer file = {0};
  po_error err;
  size_t i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_policy_write(&file, p));
  for (i = 0; i < file.size; i += 1 + file.size / 97) {
    file.data[i] ^= 4;
    TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_policy_read(&back, bird, &actions, file.data, file.size, "a.policy", &err));
    TEST_ASSERT_NULL(back);
    file.data[i] ^= 4;
    TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_policy_read(&back, bird, &actions, file.data, i, "a.policy", &err));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actions_load(&other, "bird-line", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_policy_read(&back, bird, &other, file.data, file.size, "a.policy", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "bird-line"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&raptor, "raptor", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_policy_read(&back, raptor, &actions, file.data, file.size, "a.policy", &err));
  po_model_free(raptor);
  po_buffer_free(&file);
  po_policy_free(p);
  po_free(last);
}

int main(void) {
  po_error err;
  UNITY_BEGIN();
  if (po_body_model(&bird, "bird", &err) != PO_OK || po_actions_load(&actions, "bird-heading", &err) != PO_OK) return 1;
  RUN_TEST(test_built_in_actions_fit_their_bodies);
  RUN_TEST(test_bad_actions_are_refused_with_their_line);
  RUN_TEST(test_more_actions_than_fit_are_refused);
  RUN_TEST(test_an_action_begins_mirrored_on_the_right_foot);
  RUN_TEST(test_steps_of_generalized_walking);
  RUN_TEST(test_an_action_changes_a_step_under_way);
  RUN_TEST(test_sequences_are_replaced);
  RUN_TEST(test_samples_are_their_own_nearest_and_lie_denser_at_the_goal);
  RUN_TEST(test_angles_wrap_and_lines_end);
  RUN_TEST(test_far_goals_keep_their_bearing);
  RUN_TEST(test_steps_move_goals);
  RUN_TEST(test_a_policy_chooses_by_the_nearest);
  RUN_TEST(test_files_read_back_to_the_same_bytes);
  RUN_TEST(test_bad_files_are_refused);
  po_model_free(bird);
  return UNITY_END() != 0;
}
