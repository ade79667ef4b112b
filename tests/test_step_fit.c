/* test_step_fit.c: the fit follows a planted law between its examples, its derivatives are those of its values, and plans that are refined by it meet their stones. */
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

#define MANY 300
static po_step_example example[MANY];

/* A law that bends: length and next state of a step. */
static void law(po_step_example *e) {
  const double *s = e->from, *a = e->action;
  int k;
  e->length = 0.4 + 0.3 * po_sin(2 * a[2]) - 0.2 * a[4] + 0.1 * s[1] * s[1] + 0.2 * s[0] * a[2];
  for (k = 0; k < PO_STEP_PLANE; k++) e->to[k] = 0.4 * s[k] + 0.2 * po_sin(a[k]) + (k == 1 ? 0.3 * a[4] : 0);
}

static void draw(po_step_example *e, po_rng *rng) {
  int k;
  memset(e, 0, sizeof *e);
  for (k = 0; k < PO_STEP_PLANE; k++) e->from[k] = po_rng_range(rng, -0.3, 0.3);
  for (k = 0; k < 5; k++) e->action[k] = po_rng_range(rng, -0.4, 0.4);
  e->action[5] = po_rng_range(rng, -0.1, 0.1);
  e->seconds = 0.5;
  law(e);
}

static po_step_model *planted(void) {
  static const po_model *body;
  po_step_model *m;
  po_error err;
  po_rng rng;
  int i;
  po_rng_init(&rng, 5, 0);
  for (i = 0; i < MANY; i++) draw(&example[i], &rng);
  if (!body) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&body, "biped7", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_model_new(&m, body, "walk", example, MANY, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_fit_new(&m->fit, m, &err), err.message);
  return m;
}

/* Steps it has not seen, and better than by the mixture. */
static void test_the_fit_follows_the_law(void) {
  po_step_model *m = planted();
  double fit = 0, mixed = 0;
  po_rng rng;
  int i;
  po_rng_init(&rng, 6, 0);
  for (i = 0; i < 100; i++) {
    po_step_example e;
    po_step_fitted y;
    po_step_near near;
    po_step_guess g;
    draw(&e, &rng);
    po_step_fit_at(&y, m->fit, e.from, e.action);
    po_step_model_near(&near, m, e.from, -1);
    po_step_model_predict_action(&g, m, &near, e.action);
    fit += po_abs(y.length - e.length) / 100;
    mixed += po_abs(g.length - e.length) / 100;
  }
  TEST_ASSERT_TRUE_MESSAGE(fit < 0.005, "mean error of the length: 5 mm");
  TEST_ASSERT_TRUE(fit < 0.8 * mixed);
  po_step_model_free(m);
}

static void test_derivatives_are_those_of_the_values(void) {
  po_step_model *m = planted();
  const double h = 1e-5;
  int i, k, b;
  for (i = 0; i < 10; i++) {
    po_step_fitted y, up, down;
    po_step_fit_at(&y, m->fit, example[i].from, example[i + 20].action);
    for (k = 0; k < PO_STEP_PLANE + 6; k++) {
      po_step_example e = example[i];
      double *at = k < PO_STEP_PLANE ? &e.from[k] : &e.action[k - PO_STEP_PLANE];
      memcpy(e.action, example[i + 20].action, sizeof e.action);
      *at += h;
      po_step_fit_at(&up, m->fit, e.from, e.action);
      *at -= 2 * h;
      po_step_fit_at(&down, m->fit, e.from, e.action);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, (up.length - down.length) / (2 * h), y.gain[0][k]);
      for (b = 0; b < PO_STEP_PLANE; b++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, (up.to[b] - down.to[b]) / (2 * h), y.gain[1 + b][k]);
    }
  }
  po_step_model_free(m);
}

/* The law itself, not the fit, says where the refined steps come down. Begun from no plan, and from one that is all base steps. */
static void test_refined_steps_meet_their_stones(void) {
  po_step_model *m = planted();
  int i, k, way;
  for (way = 0; way < 2; way++)
    for (i = 0; i < 10; i++) {
      double wanted[2] = {1 + 0.3 + 0.02 * i, 1 + 0.75 + 0.01 * i}, x = 1;
      po_step_example e = example[i];
      po_step_plan plan;
      memset(&plan, 0, sizeof plan);
      plan.steps = way ? 2 : 0;
      po_step_plan_refine(&plan, m, example[i].from, 1, wanted, 2, way ? PO_NAN : 0.4, 8);
      TEST_ASSERT_EQUAL_INT(2, plan.steps);
      TEST_ASSERT_EQUAL_MEMORY(plan.actions[0], plan.action, sizeof plan.action);
      for (k = 0; k < 2; k++) {
        memcpy(e.action, plan.actions[k], sizeof e.action);
        law(&e);
        x += e.length;
        TEST_ASSERT_DOUBLE_WITHIN(0.02, wanted[k], x);
        TEST_ASSERT_DOUBLE_WITHIN(0.02, wanted[k], plan.foothold[k]);
        memcpy(e.from, e.to, sizeof e.from);
      }
    }
  po_step_model_free(m);
}

static void test_a_fit_needs_a_model(void) {
  po_step_fit *f;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_step_fit_new(&f, NULL, &err));
  po_step_fit_free(NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_fit_follows_the_law);
  RUN_TEST(test_derivatives_are_those_of_the_values);
  RUN_TEST(test_refined_steps_meet_their_stones);
  RUN_TEST(test_a_fit_needs_a_model);
  return UNITY_END() != 0;
}
