/* test_step_search.c: a planted optimum is found by both methods; windows move on; a body's own steps meet a length; a sequence depends on its number alone;
 * a state does not depend on where the heading points. */
#include "ctrl/plan/step_search.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* A walker of two numbers (speed, the last length) whose next length is a smooth function of its speed and two actions, the last being the time. */
static long toy_steps;
static po_status toy_step(double *end, double length[PO_STEP_MISSES], int *struck, void *user, const double *start, const double *action, po_error *err) {
  (void)user;
  (void)err;
  toy_steps++;
  length[0] = 0.3 + 0.3 * start[0] + 0.8 * action[0] - 0.2 * action[0] * action[0] + 0.5 * action[1];
  length[1] = length[2] = 0;
  end[0] = 0.5 * start[0] + 0.4 * action[0] + 0.1 * po_sin(action[1]);
  end[1] = length[0];
  *struck = po_abs(action[0]) < 2;
  return PO_OK;
}
static const double toy_weight[] = {1, 4};
static const po_step_task toy = {NULL, 2, 2, 0, toy_weight, NULL, toy_step};

static po_step_search *toy_search(po_step_method method, int rounds, double gamma) {
  po_step_search_opts o = po_step_search_opts_default();
  po_step_search *s;
  po_error err;
  o.method = method;
  o.rounds = rounds;
  o.gamma = gamma;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_search_new(&s, &toy, &o, &err), err.message);
  po_rng_init(&s->rng, 1, 1);
  return s;
}

static const double toy_start[] = {0.2, 0.3}, toy_target[] = {0.5, 0.2, 0.6};

static void test_gauss_newton_finds_a_planted_optimum(void) {
  po_step_search *s = toy_search(PO_STEPS_GAUSS_NEWTON, 20, 0);
  po_error err;
  int fell, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_search_begin(&fell, s, toy_start, toy_target, &err));
  TEST_ASSERT_FALSE(fell);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_search_solve(s, &err));
  for (k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(2e-3, toy_target[k], s->length[PO_STEP_MISSES * k]); /* the cost's last gain is below 2e-6 m² */
  po_step_search_free(s);
}

static void test_both_methods_agree_on_a_window(void) {
  po_step_search *a = toy_search(PO_STEPS_GAUSS_NEWTON, 30, 0.1), *b = toy_search(PO_STEPS_GRADIENT, 300, 0.1);
  po_error err;
  int fell, k;
  po_step_search_begin(&fell, a, toy_start, toy_target, &err);
  po_step_search_solve(a, &err);
  po_step_search_begin(&fell, b, toy_start, toy_target, &err);
  po_step_search_solve(b, &err);
  TEST_ASSERT_DOUBLE_WITHIN(2e-4, a->cost, b->cost);
  for (k = 0; k < 6; k++) TEST_ASSERT_DOUBLE_WITHIN(0.03, a->action[k], b->action[k]);
  TEST_ASSERT_TRUE(a->steps_run < b->steps_run);
  po_step_search_free(a);
  po_step_search_free(b);
}

static void test_a_window_moves_on(void) {
  po_step_search *s = toy_search(PO_STEPS_GAUSS_NEWTON, 20, 0), *fresh = toy_search(PO_STEPS_GAUSS_NEWTON, 20, 0);
  double second[2], after[3] = {0.2, 0.6, 0.4};
  po_error err;
  int fell, k, c;
  long before;
  po_step_search_begin(&fell, s, toy_start, toy_target, &err);
  po_step_search_solve(s, &err);
  memcpy(second, s->state + 2, sizeof second);
  before = toy_steps;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_search_shift(&fell, s, 0.4, NULL, 0, &err));
  TEST_ASSERT_FALSE(fell);
  TEST_ASSERT_EQUAL_DOUBLE(second[0], s->state[0]);
  for (k = 0; k < 3; k++) TEST_ASSERT_EQUAL_DOUBLE(after[k], s->target[k]);
  /* what the new length owes to the old actions, by one step each, is what full differences say */
  po_step_search_begin(&fell, fresh, second, after, &err);
  memcpy(fresh->action, s->action, sizeof(double) * 6);
  po_step_search_begin(&fell, fresh, second, after, &err);
  TEST_ASSERT_TRUE(toy_steps > before);
  po_step_search_solve(s, &err);
  for (k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(2e-3, after[k], s->length[PO_STEP_MISSES * k]);
  for (c = 0; c < 4; c++) TEST_ASSERT_TRUE(po_isfinite(s->jacobian[c]));
  po_step_search_free(s);
  po_step_search_free(fresh);
}

static void test_bad_options_are_refused(void) {
  po_step_search_opts o = po_step_search_opts_default();
  po_step_search *s;
  po_error err;
  o.window = PO_STEP_WINDOW + 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_step_search_new(&s, &toy, &o, &err));
  o = po_step_search_opts_default();
  o.gamma = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_step_search_new(&s, &toy, &o, &err));
}

static void test_a_sequence_depends_on_its_number_alone(void) {
  po_step_learn_opts o;
  po_step_learn *l;
  po_step_record a[3], b[3], c[3], d[6];
  po_step_tally tally;
  const po_model *m;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "biped7", &err));
  o = po_step_learn_opts_default(m);
  o.length_min = 0.25;
  o.length_max = 0.5;
  o.search.rounds = 2;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_learn_new(&l, m, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_learn_sequence(a, &tally, l, 3, 3, &err), err.message);
  TEST_ASSERT_EQUAL_INT(3, tally.examples);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_learn_sequence(c, &tally, l, 4, 2, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_learn_sequence(b, &tally, l, 3, 2, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, b, sizeof *a * 2); /* after other work, and when fewer are asked for */
  TEST_ASSERT_TRUE(a[0].example.length != c[0].example.length);
  for (i = 0; i < 3; i++) TEST_ASSERT_TRUE(a[i].error < 0.1);
  po_step_learn_free(l);
  o.tried = 2; /* what was tried on the way changes nothing of what is found, and comes behind it */
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_learn_new(&l, m, &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_learn_sequence(d, &tally, l, 3, 2, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, d, sizeof *a * 2);
  TEST_ASSERT_EQUAL_INT(6, tally.examples);
  for (i = 2; i < 6; i++) {
    TEST_ASSERT_FALSE(po_isfinite(d[i].error));
    TEST_ASSERT_TRUE(memcmp(d[i].example.action, d[(i - 2) / 2].example.action, sizeof d[i].example.action) != 0);
    TEST_ASSERT_TRUE(d[i].example.length > o.length_min - 0.15 && d[i].example.length < o.length_max + 0.15);
  }
  po_step_learn_free(l);
  po_model_free(m);
}

/* A body that is turned, and its heading with it, is in the same state; seen from the other foot, what is sideways changes its sign. */
static void test_a_state_does_not_know_north(void) {
  po_stepper *stepper;
  const po_model *m;
  const po_actor *a;
  po_error err;
  po_data *d;
  double q[64], v[64], s[PO_STEP_STATE], t[PO_STEP_STATE], turn = 0.7;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "bird", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stepper_new(&stepper, m, NULL, &err));
  a = po_stepper_move(stepper)->actor;
  d = po_world_data(po_stepper_sim(stepper)->world, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_simbicon_start(q, v, po_stepper_move(stepper), 0, &err));
  for (i = 0; i < m->nv; i++) v[i] += 0.1 * (i % 5 - 2);
  po_kinematics(d, q, v);
  po_com(d);
  po_step_state_of(s, d, a, 0, 0.1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.1, s[7]); /* the start looks along x */
  po_q_to(q, po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), turn), po_q_of(q)));
  po_kinematics(d, q, v);
  po_com(d);
  po_step_state_of(t, d, a, 0, 0.1 + turn);
  for (i = 0; i < PO_STEP_STATE; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, s[i], t[i]);
  po_step_state_of(t, d, a, 1, 0.1 + turn);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -s[6], t[6]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -s[7], t[7]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -s[8], t[8]);
  po_stepper_free(stepper);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_gauss_newton_finds_a_planted_optimum);
  RUN_TEST(test_both_methods_agree_on_a_window);
  RUN_TEST(test_a_window_moves_on);
  RUN_TEST(test_bad_options_are_refused);
  RUN_TEST(test_a_sequence_depends_on_its_number_alone);
  RUN_TEST(test_a_state_does_not_know_north);
  return UNITY_END() != 0;
}
