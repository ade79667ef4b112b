/* test_fvi.c: fitted value iteration against answers that are known, and against its own definition. */
#include "ctrl/plan/plan.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* ---- a corridor ---- */

static double at_the_goal(void *user, const po_fvi_step *step, const double *w) {
  (void)user;
  (void)step;
  return po_abs(w[0]) < 0.5 ? 1 : 0;
}

static double at_the_goal_heading(void *user, const po_fvi_step *step, const double *w) {
  (void)user;
  (void)step;
  return po_abs(w[0]) < PO_RAD(10) ? 1 : 0;
}

static po_fvi_step step_of(int state, int action, double seconds, double x, double heading) {
  po_fvi_step s;
  memset(&s, 0, sizeof s);
  s.state = state;
  s.action = action;
  s.trusted = 1;
  s.seconds = seconds;
  s.step.x = x;
  s.step.heading = heading;
  s.neighbours = 1;
  s.neighbour[0] = state;
  s.weight[0] = 1;
  return s;
}

/* A line with samples at −5 … 5 m; stay, one metre on, one metre back, a second each. From k metres away the goal is k seconds off and then
 * pays 1 a second for ever: V = γ^k / (1 − γ). */
static void corridor(po_fvi_problem *p, po_fvi_step *step) {
  int i;
  memset(p, 0, sizeof *p);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&p->task, PO_TASK_LINE, NULL, 0));
  p->task.axis[0].samples = 11;
  for (i = 0; i < 11; i++) p->task.axis[0].at[i] = i - 5;
  step[0] = step_of(0, 0, 1, 0, 0);
  step[1] = step_of(0, 1, 1, 1, 0);
  step[2] = step_of(0, 2, 1, -1, 0);
  p->states = 1;
  p->steps = 3;
  p->step = step;
  p->reward = at_the_goal;
}

static void test_a_corridor_has_the_known_values(void) {
  po_fvi_problem p;
  po_fvi_step step[3];
  po_fvi_opts o = po_fvi_opts_default();
  po_fvi *f;
  po_error err;
  int i, in_place;
  corridor(&p, step);
  o.tolerance = 1e-12;
  o.sweeps = 1000;
  for (in_place = 0; in_place < 2; in_place++) {
    o.in_place = in_place;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, &o, &err), err.message);
    TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
    for (i = 0; i < 11; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_pow(0.9, po_abs(i - 5.0)) / 0.1, f->value[i]);
      TEST_ASSERT_EQUAL_INT(i == 5 ? 0 : i > 5 ? 1 : 2, f->action[i]);
    }
    po_fvi_free(f);
  }
}

/* Where a reward ends the task there is one second's discount on it, and nothing after it: V = γ^(k+1). */
static void test_a_goal_that_is_passed_pays_once(void) {
  po_fvi_problem p;
  po_fvi_step step[3];
  po_fvi_opts o = po_fvi_opts_default();
  po_fvi *f;
  po_error err;
  int i;
  corridor(&p, step);
  p.ends = 1;
  o.tolerance = 1e-12;
  o.sweeps = 1000;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
  for (i = 0; i < 11; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_pow(0.9, po_abs(i - 5.0) + 1), f->value[i]);
  po_fvi_free(f);
}

/* Who keeps turning left by 20 degrees a step is, in his own frame, in one state on the left foot and in another on the right, where a mirror shows a turn to the right. A goal
 * 40 degrees to the left is met after two steps; to the right it is not. Goals that are not mirrored with the state would not come nearer at all. */
static void test_goals_are_mirrored_with_the_state(void) {
  po_fvi_problem p;
  po_fvi_step step[2];
  po_fvi_opts o = po_fvi_opts_default();
  po_fvi *f;
  po_error err;
  int i;
  memset(&p, 0, sizeof p);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&p.task, PO_TASK_HEADING, NULL, 0));
  p.task.axis[0].samples = 18;
  for (i = 0; i < 18; i++) p.task.axis[0].at[i] = PO_RAD(20.0 * (i - 8)); /* -160 ... 180 */
  step[0] = step_of(0, 0, 1, 0.4, PO_RAD(20));
  step[0].neighbour[0] = 1;
  step[1] = step_of(1, 0, 1, 0.4, PO_RAD(-20));
  step[1].neighbour[0] = 0;
  p.states = p.steps = 2;
  p.step = step;
  p.reward = at_the_goal_heading;
  p.ends = 1;
  o.tolerance = 1e-12;
  o.sweeps = 1000;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
  for (i = 0; i <= 8; i++) { /* i steps to the goal, and the one that is paid */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_pow(0.9, i + 1), f->value[8 + i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_pow(0.9, i + 1), f->value[18 + 8 - i]);
  }
  po_fvi_free(f);
}

/* Time counts, not steps: one long step of 3 m in 1.5 s beats three of a second; in 3.5 s it does not. */
static void test_discount_is_by_time(void) {
  static const double seconds[] = {1.5, 3.5};
  int k;
  for (k = 0; k < 2; k++) {
    po_fvi_problem p;
    po_fvi_step step[4];
    po_fvi *f;
    po_error err;
    corridor(&p, step);
    step[3] = step_of(0, 3, seconds[k], 3, 0);
    p.steps = 4;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, NULL, &err), err.message);
    TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
    TEST_ASSERT_EQUAL_INT(k ? 1 : 3, f->action[8]);
    po_fvi_free(f);
  }
}

/* Staying pays 1 a second but goes wrong once in ten times, as all do: V = (1 − ρ)(1 + γ V). A leap from 3 m away that goes wrong every second time is not worth the second it saves. */
static void test_risk_costs_what_it_may_lose(void) {
  po_fvi_problem p;
  po_fvi_step step[4];
  po_fvi_opts o = po_fvi_opts_default();
  po_fvi *f;
  po_error err;
  corridor(&p, step);
  step[0].risk = step[1].risk = step[2].risk = 0.1;
  step[3] = step_of(0, 3, 2, 3, 0);
  step[3].risk = 0.5;
  p.steps = 4;
  o.tolerance = 1e-12;
  o.sweeps = 1000;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.9 / (1 - 0.9 * 0.9), f->value[5]);
  TEST_ASSERT_EQUAL_INT(1, f->action[8]);
  po_fvi_free(f);
  step[3].risk = 1.5;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, &o, &err));
  step[3].risk = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, &o, &err));
}

/* State 0 may only leap, and falls; state 1 has nothing at all. Both are worth −1 everywhere, and a way that leads there is avoided. */
static void test_what_is_not_trusted_is_avoided(void) {
  po_fvi_problem p;
  po_fvi_step step[6];
  po_fvi *f;
  po_error err;
  int i;
  corridor(&p, step);
  memset(&step[3], 0, sizeof step[3]);
  for (i = 2; i >= 0; i--) {
    step[i + 1] = step[i];
    step[i + 1].state = 2;
    step[i + 1].neighbour[0] = 2;
  }
  memset(&step[0], 0, sizeof step[0]); /* state 0, action 0, not trusted */
  step[3].neighbour[0] = 1;            /* going back now ends in state 1 */
  p.states = 3;
  p.steps = 4;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, po_fvi_solve(f));
  for (i = 0; i < 22; i++) TEST_ASSERT_DOUBLE_WITHIN(2e-3, -1, f->value[i]);
  TEST_ASSERT_EQUAL_INT(255, f->action[11]);
  for (i = 22; i < 33; i++) TEST_ASSERT_TRUE(f->action[i] != 2);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, f->value[22]); /* staying away from the goal for ever is better than −1 */
  po_fvi_free(f);
}

/* ---- the fast sweep is the plain one ---- */

#define STATES 9
#define ACTIONS 5

static double some_reward(void *user, const po_fvi_step *step, const double *w) {
  (void)user;
  return 0.1 * step->action - 0.01 * (w ? w[0] : 0);
}

static void random_steps(po_fvi_step *step, po_rng *rng) {
  int i, k;
  for (i = 0; i < STATES * ACTIONS; i++) {
    po_fvi_step *s = &step[i];
    double sum = 0;
    memset(s, 0, sizeof *s);
    s->state = i / ACTIONS;
    s->action = i % ACTIONS;
    s->trusted = po_rng_uniform(rng) > 0.2;
    s->seconds = po_rng_range(rng, 0.2, 0.8);
    s->step.x = po_rng_range(rng, -1, 1);
    s->step.y = po_rng_range(rng, -0.5, 0.5);
    s->step.heading = po_rng_range(rng, -1, 1);
    s->neighbours = 1 + po_rng_below(rng, PO_FVI_NEIGHBOURS);
    for (k = 0; k < s->neighbours; k++) sum += s->weight[k] = po_rng_range(rng, 0.01, 1);
    for (k = 0; k < s->neighbours; k++) {
      s->weight[k] /= sum;
      s->neighbour[k] = po_rng_below(rng, STATES);
    }
  }
}

static double plain_best(const po_fvi *f, int state, const double *w) {
  double best = -PO_INF;
  int i;
  for (i = state * ACTIONS; i < (state + 1) * ACTIONS; i++) {
    const po_fvi_step *s = &f->problem.step[i];
    double v = s->trusted ? some_reward(NULL, s, w) + po_pow(f->opts.gamma, s->seconds) * po_fvi_value(f, s, w) : PO_FVI_UNTRUSTED;
    best = po_max(best, v);
  }
  return best;
}

static void test_blending_first_gives_the_same(void) {
  int kind, i, j;
  po_rng rng;
  po_rng_init(&rng, 5, 0);
  for (kind = 0; kind < PO_TASK_KINDS; kind++) {
    static po_fvi_step step[STATES * ACTIONS];
    po_fvi_problem p;
    po_fvi *f;
    po_error err;
    memset(&p, 0, sizeof p);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&p.task, (po_task_kind)kind, NULL, 1.5));
    random_steps(step, &rng);
    p.states = STATES;
    p.steps = STATES * ACTIONS;
    p.step = step;
    p.reward = some_reward;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&f, &p, NULL, &err), err.message);
    f->opts.alpha = 1;
    for (i = 0; i < STATES * f->samples; i++) f->value[i] = po_rng_range(&rng, -1, 1);
    po_fvi_sweep(f);
    for (i = 0; i < STATES * f->samples; i++) { /* value and next have changed places */
      double t = f->value[i];
      f->value[i] = f->next[i];
      f->next[i] = t;
    }
    for (i = 0; i < STATES; i++)
      for (j = 0; j < f->samples; j++) {
        double w[PO_TASK_AXES] = {0, 0, 0};
        po_task_at(w, &p.task, j);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, plain_best(f, i, w), f->next[i * f->samples + j], po_task_names[kind]);
      }
    po_fvi_free(f);
  }
}

static void test_bad_problems_are_refused(void) {
  po_fvi_problem p;
  po_fvi_step step[3];
  po_fvi_opts o = po_fvi_opts_default();
  po_fvi *f;
  po_error err;
  corridor(&p, step);
  o.gamma = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, &o, &err));
  o = po_fvi_opts_default();
  o.alpha = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, &o, &err));
  step[1].weight[0] = 0.9;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, NULL, &err));
  step[1].weight[0] = 1;
  step[1].neighbour[0] = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, NULL, &err));
  step[1].neighbour[0] = 0;
  step[1].state = 7;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fvi_new(&f, &p, NULL, &err));
  p.reward = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_fvi_new(&f, &p, NULL, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_corridor_has_the_known_values);
  RUN_TEST(test_a_goal_that_is_passed_pays_once);
  RUN_TEST(test_goals_are_mirrored_with_the_state);
  RUN_TEST(test_discount_is_by_time);
  RUN_TEST(test_risk_costs_what_it_may_lose);
  RUN_TEST(test_what_is_not_trusted_is_avoided);
  RUN_TEST(test_blending_first_gives_the_same);
  RUN_TEST(test_bad_problems_are_refused);
  return UNITY_END() != 0;
}
