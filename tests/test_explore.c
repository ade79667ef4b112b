/* test_explore.c: exploration by hand and by simulation, its files, and what value iteration makes of it. */
#include "ctrl/learn/learn_internal.h"
#include "ctrl/plan/one_step.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const po_model *bird;
static po_actions two;

static const char two_actions[] =
    "{\"name\": \"two\", \"body\": \"bird\", \"eps_trust\": 2, \"eps_new\": 0.3,"
    " \"metric\": {\"velocity\": 1, \"spin\": 0.5, \"joints\": {\"hip\": [0.1, 1.5], \"knee\": [0.05, 1]}},"
    " \"actions\": {\"walk\": {\"gait\": \"walk\"}, \"left\": {\"gait\": \"walk\", \"turn_deg\": 10}}}";

/* ---- by hand ---- */

/* A state whose root moves forward at v: distances are differences of v. */
static void state_of(double *q, double *v, double speed) {
  po_neutral(q, bird);
  memset(v, 0, sizeof(double) * (size_t)bird->nv);
  v[3] = speed;
}

static po_exploration *toy(void) {
  po_exploration *x;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_empty(&x, bird, &two, NULL, &err), err.message);
  state_of(x->q, x->v, 0);
  po_metric_features(x->feature, &x->metric, x->q, x->v);
  x->states = x->trusted = 1;
  return x;
}

/* From the first state one action leads 0.2 away (known already), the other 1 away (new). From that one: 2.5 away from what is trusted, and a fall. */
static void test_a_toy_of_two_states(void) {
  po_exploration *x = toy();
  po_tried t[2];
  double q[2 * 64], v[2 * 64];
  po_fvi_step *steps;
  int i, count;
  memset(t, 0, sizeof t);
  for (i = 0; i < 2; i++) {
    t[i].action = i;
    t[i].end = PO_TRIED_UNTRUSTED;
    t[i].seconds = 0.4;
    state_of(q + i * bird->nq, v + i * bird->nv, i ? 1 : 0.2);
  }
  po_explore_take(x, t, q, v);
  TEST_ASSERT_EQUAL_INT(2, x->states);
  TEST_ASSERT_EQUAL_INT(1, po_explore_frontier(x));
  TEST_ASSERT_EQUAL_INT(1, x->depth[1]);
  t[0].state = t[1].state = 1;
  t[1].end = PO_TRIED_FELL;
  state_of(q, v, 2.5);
  po_explore_take(x, t, q, v);
  TEST_ASSERT_EQUAL_INT(2, x->states);
  TEST_ASSERT_EQUAL_INT(0, po_explore_frontier(x));
  TEST_ASSERT_EQUAL_INT(PO_TRIED_TRUSTED, x->result[0].end);
  TEST_ASSERT_EQUAL_INT(PO_TRIED_TRUSTED, x->result[1].end);
  TEST_ASSERT_EQUAL_INT(PO_TRIED_UNTRUSTED, x->result[2].end);
  TEST_ASSERT_EQUAL_INT(PO_TRIED_FELL, x->result[3].end);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_steps(&steps, &count, x, 0.5));
  TEST_ASSERT_EQUAL_INT(4, count);
  /* 0.2 from the one, 0.8 from the other: 1/d² weighs them 16 to 1 */
  TEST_ASSERT_EQUAL_INT(0, steps[0].neighbour[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 16.0 / 17, steps[0].weight[0]);
  TEST_ASSERT_EQUAL_INT(1, steps[1].neighbours); /* met exactly */
  TEST_ASSERT_EQUAL_INT(1, steps[1].neighbour[0]);
  TEST_ASSERT_EQUAL_INT(0, steps[2].trusted);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, steps[0].risk); /* its only neighbour was led astray by both */
  TEST_ASSERT_EQUAL_DOUBLE(0.5, steps[1].risk);
  po_free(steps);
  po_explore_free(x);
}

static void test_a_full_exploration_says_so(void) {
  po_exploration *x;
  po_explore_opts o = po_explore_opts_default();
  po_tried t[2];
  double q[2 * 64], v[2 * 64];
  po_error err;
  int i;
  o.max_states = 10;
  o.eps_trust = 20;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_empty(&x, bird, &two, &o, &err));
  state_of(x->q, x->v, 0);
  po_metric_features(x->feature, &x->metric, x->q, x->v);
  x->states = x->trusted = 1;
  memset(t, 0, sizeof t);
  while (po_explore_frontier(x)) {
    for (i = 0; i < 2; i++) {
      t[i].state = x->expanded;
      t[i].action = i;
      t[i].end = PO_TRIED_UNTRUSTED;
      t[i].seconds = 0.4;
      state_of(q + i * bird->nq, v + i * bird->nv, x->states + 0.4 * i);
    }
    po_explore_take(x, t, q, v);
  }
  TEST_ASSERT_EQUAL_INT(10, x->states);
  TEST_ASSERT_EQUAL_INT(1, x->full);
  po_explore_free(x);
}

/* ---- by simulation ---- */

static po_exploration *explored(int states, int backwards) {
  po_exploration *x;
  po_stepper *stepper;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_new(&x, bird, &two, NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stepper_new(&stepper, bird, NULL, &err));
  while (po_explore_frontier(x) && x->expanded < states) {
    po_tried t[2];
    double q[2 * 64], v[2 * 64];
    int i, a;
    for (i = 0; i < 2; i++) { /* the order in which they are tried does not matter */
      a = backwards ? 1 - i : i;
      TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_try(&t[a], q + a * bird->nq, v + a * bird->nv, x, stepper, x->expanded, a, &err), err.message);
    }
    po_explore_take(x, t, q, v);
  }
  po_stepper_free(stepper);
  return x;
}

static void test_the_bird_walks_and_turns_in_any_order(void) {
  po_exploration *x = explored(6, 0), *y = explored(6, 1), *z;
  size_t bytes = po_explore_save_bytes(x), other = po_explore_save_bytes(y);
  char *a = po_alloc(bytes), *b = po_alloc(other);
  po_error err;
  int i;
  TEST_ASSERT_TRUE(x->cycle[0] >= 0 && x->cycle[1] >= 0);
  for (i = 0; i < 2; i++) { /* from the walk's cycle: straight on, and about 10 deg to the left */
    const po_tried *t = &x->result[x->cycle[0] * 2 + i];
    TEST_ASSERT_EQUAL_INT(PO_TRIED_TRUSTED, t->end);
    TEST_ASSERT_TRUE(t->step.x > 0.2);
    TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(6), PO_RAD(10.0 * i), t->step.heading);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_save(a, bytes, x));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_save(b, other, y));
  TEST_ASSERT_EQUAL_INT((int)bytes, (int)other);
  TEST_ASSERT_EQUAL_MEMORY(a, b, bytes);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_read(&z, bird, &two, a, bytes, "a.states", &err), err.message);
  TEST_ASSERT_EQUAL_INT(x->states, z->states);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_save(b, other, z));
  TEST_ASSERT_EQUAL_MEMORY(a, b, bytes);
  po_explore_free(z);
  for (i = 0; i < (int)bytes; i += 1 + (int)bytes / 61) {
    TEST_ASSERT_NOT_EQUAL(PO_OK, po_explore_read(&z, bird, &two, a, (size_t)i, "a.states", &err));
    TEST_ASSERT_NULL(z);
  }
  a[bytes / 2] ^= 1;
  TEST_ASSERT_NOT_EQUAL(PO_OK, po_explore_read(&z, bird, &two, a, bytes, "a.states", &err));
  po_free(a);
  po_free(b);
  po_explore_free(x);
  po_explore_free(y);
}

/* More cycles than there is room for: an action whose cycle finds none is given the nearest, and the exploration can be read again. */
static void test_cycles_beyond_the_room_are_the_nearest_ones(void) {
  static const char head[] = "{\"name\": \"many\", \"body\": \"bird\", \"eps_trust\": 2, \"eps_new\": 0.1, \"metric\": {\"velocity\": 1, \"spin\": 0.5, \"joints\": {\"hip\": [0.1, 1.5]}}, \"actions\": {";
  char text[4000];
  po_actions set;
  po_exploration *x, *y;
  po_explore_opts o = po_explore_opts_default();
  po_error err;
  size_t bytes;
  char *saved;
  int i, n = po_format(text, sizeof text, "%s", head);
  for (i = 0; i < 12; i++) n += po_format(text + n, sizeof text - (size_t)n, "%s\"a%d\": {\"gait\": \"walk\", \"turn_deg\": %d}", i ? ", " : "", i, 2 * i);
  po_format(text + n, sizeof text - (size_t)n, "}}");
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_parse(&set, text, strlen(text), "many", &err), err.message);
  o.max_states = 10;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_new(&x, bird, &set, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT(10, x->states);
  TEST_ASSERT_EQUAL_INT(1, x->full);
  for (i = 0; i < 12; i++) TEST_ASSERT_TRUE(x->cycle[i] < x->states);
  bytes = po_explore_save_bytes(x);
  saved = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_save(saved, bytes, x));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_read(&y, bird, &set, saved, bytes, "many.states", &err), err.message);
  po_free(saved);
  po_explore_free(x);
  po_explore_free(y);
}

/* Steps of generalized walking depend on (q, v) alone as well: the same step again, after others, is the same to the bit. */
static void test_generalized_walking_is_explored(void) {
  static const char text[] = "{\"name\": \"steps\", \"body\": \"biped34\", \"eps_trust\": 2, \"eps_new\": 0.3,"
                             " \"metric\": {\"velocity\": 1, \"joints\": {\"hip\": [0, 1.5]}},"
                             " \"actions\": {\"slow\": {\"speed\": 0.3}, \"left\": {\"speed\": 0.3, \"turn_deg\": 20}}}";
  const po_model *m;
  po_actions set;
  po_exploration *x;
  po_stepper *stepper;
  po_tried t[2], between;
  double q[3][64], v[3][64];
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_parse(&set, text, strlen(text), "steps", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, set.body, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_new(&x, m, &set, NULL, &err), err.message);
  TEST_ASSERT_TRUE(x->cycle[0] >= 0 && x->cycle[1] >= 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_stepper(&stepper, m, &set, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_try(&t[0], q[0], v[0], x, stepper, x->cycle[0], 1, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_try(&between, q[2], v[2], x, stepper, x->cycle[1], 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_try(&t[1], q[1], v[1], x, stepper, x->cycle[0], 1, &err));
  TEST_ASSERT_EQUAL_MEMORY(q[0], q[1], sizeof(double) * (size_t)m->nq);
  TEST_ASSERT_EQUAL_MEMORY(v[0], v[1], sizeof(double) * (size_t)m->nv);
  TEST_ASSERT_EQUAL_INT(PO_TRIED_UNTRUSTED, t[0].end); /* it struck; po_explore_take says whether it is trusted */
  TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(5), PO_RAD(20), t[0].step.heading);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, 0.3 * t[0].seconds, t[0].step.x);
  po_stepper_free(stepper);
  po_explore_free(x);
  po_model_free(m);
}

static void test_bad_options_are_refused(void) {
  po_explore_opts o = po_explore_opts_default();
  po_exploration *x;
  po_error err;
  o.eps_new = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_explore_new(&x, bird, &two, &o, &err));
  TEST_ASSERT_NULL(x);
  o = po_explore_opts_default();
  o.max_states = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_explore_new(&x, bird, &two, &o, &err));
}

/* ---- rewards ---- */

static void test_tasks_reward_what_they_ask_for(void) {
  po_exploration *x = toy();
  po_fvi_step s;
  po_task t;
  po_task_reward r;
  double w[3] = {0.05, 0, 0};
  memset(&s, 0, sizeof s);
  s.seconds = 0.4;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_LINE, NULL, 0));
  r = po_task_reward_of(x, &t);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_task_reward_at(&r, &s, w));
  s.step.x = 0.2; /* 0.5 m/s: it passes */
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w));
  s.step.x = 0;
  w[0] = 0.15;
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_POINT, NULL, 0));
  r = po_task_reward_of(x, &t);
  s.step.heading = 0.5;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.1, po_task_reward_at(&r, &s, w)); /* turning near the goal */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_HEADING, NULL, 0));
  r = po_task_reward_of(x, &t);
  s.step.x = 0.4;
  w[0] = 0;
  TEST_ASSERT_EQUAL_DOUBLE(1, po_task_reward_at(&r, &s, w)); /* state 0 is the walk's cycle here */
  w[0] = PO_RAD(6);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_HEADING_SPEED, NULL, 2));
  r = po_task_reward_of(x, &t);
  w[0] = 1;
  w[1] = 0;
  TEST_ASSERT_EQUAL_DOUBLE(1, po_task_reward_at(&r, &s, w)); /* 0.4 m in 0.4 s */
  w[0] = 1.05;
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w)); /* met, but not wherever in the sample's cell the goal lies */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&t, PO_TASK_POINT_HEADING, NULL, 0));
  r = po_task_reward_of(x, &t);
  s.step.heading = PO_RAD(20);
  w[0] = 0.4 + 0.2; /* after the step 0.2 m ahead of where it began to be seen */
  w[1] = 0;
  w[2] = PO_RAD(30);
  TEST_ASSERT_EQUAL_DOUBLE(1, po_task_reward_at(&r, &s, w));
  w[2] = PO_RAD(40); /* 20 degrees are left */
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w));
  w[0] = w[2] = 0;   /* there, and walking away from it */
  TEST_ASSERT_EQUAL_DOUBLE(0, po_task_reward_at(&r, &s, w));
  TEST_ASSERT_EQUAL_INT(1, po_task_ends(PO_TASK_POINT_HEADING));
  TEST_ASSERT_EQUAL_INT(0, po_task_ends(PO_TASK_POINT));
  po_explore_free(x);
}

int main(void) {
  po_error err;
  UNITY_BEGIN();
  if (po_body_model(&bird, "bird", &err) != PO_OK || po_actions_parse(&two, two_actions, strlen(two_actions), "two", &err) != PO_OK) return 1;
  RUN_TEST(test_a_toy_of_two_states);
  RUN_TEST(test_a_full_exploration_says_so);
  RUN_TEST(test_the_bird_walks_and_turns_in_any_order);
  RUN_TEST(test_cycles_beyond_the_room_are_the_nearest_ones);
  RUN_TEST(test_generalized_walking_is_explored);
  RUN_TEST(test_bad_options_are_refused);
  RUN_TEST(test_tasks_reward_what_they_ask_for);
  po_model_free(bird);
  return UNITY_END() != 0;
}
