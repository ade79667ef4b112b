/* A run as a motion: the states are the world's, planted corners do not slide, segments are its steps; nothing allocates while it is recorded. */
#include "counting.h"
#include "motion_helpers.h"
#include "scenes/scenes.h"
#include "view/trace.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static void test_walking_is_recorded(void) {
  po_run_opts o = po_run_opts_default();
  po_run *r = NULL;
  po_motion *m = NULL, *back = NULL;
  po_motion_figures f;
  po_segment g[32];
  po_buffer text = {0};
  po_error err;
  double d[64];
  int k, n, steps = 0;
  o.seconds = 4;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("walk"), &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_motion_new(&m, r, 120, &err), err.message);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 125, m->hz); /* every eighth millisecond */
  allocations = 0;
  po_set_allocator(counting, NULL);
  do po_run_motion_step(m, r);
  while (po_run_step(r));
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_run_motion_step(m, r);
  TEST_ASSERT_EQUAL_INT(501, m->frames);
  TEST_ASSERT_EQUAL_INT(0, memcmp(po_motion_q(m, 500), po_world_q(r->world, 0), sizeof(double) * (size_t)m->model->nq));
  po_run_motion_step(m, r); /* kept already */
  TEST_ASSERT_EQUAL_INT(501, m->frames);
  po_run_motion_finish(m);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
  TEST_ASSERT_LESS_THAN_DOUBLE(5e-3, f.slide_max);
  TEST_ASSERT_EQUAL_DOUBLE(1, f.support_share);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_segments(g, &n, 32, m, &err), err.message);
  for (k = 1; k < n; k++) steps += g[k].feet == 1 || g[k].feet == 2;
  TEST_ASSERT_GREATER_OR_EQUAL_INT(3, steps);
  for (k = 2; k < n - 1; k++) TEST_ASSERT_NOT_EQUAL(g[k].feet, g[k - 1].feet); /* left, right, left */
  po_difference(d, m->model, po_motion_q(m, 300),
                po_motion_q(m, 301)); /* v is the rate of q: an eighth of a centisecond apart, joints bend by 100 rad/s² */
  for (k = 0; k < m->model->nv; k++)
    TEST_ASSERT_DOUBLE_WITHIN(0.5, d[k] * m->hz, 0.5 * (po_motion_v(m, 300)[k] + po_motion_v(m, 301)[k]));
  po_motion_write(&text, m);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_read(&back, m->model, text.data, text.size, "walk.motion", &err), err.message);
  motion_same_bits(m, back);
  po_motion_free(back);
  po_motion_free(m);
  po_buffer_free(&text);
  po_run_free(r);
}

/* A page of a motion: as many frames as asked for, forces that carry the weight, and a recording that can be read again. */
static void test_a_motion_is_shown(void) {
  const po_model *model = motion_body("human");
  po_motion *m;
  po_trace *t = NULL, *back = NULL;
  po_buffer text = {0};
  po_error err;
  double mean = 0;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "walk", 120, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_trace(&t, m, 3, 60, "a walk", &err), err.message);
  TEST_ASSERT_EQUAL_INT(181, t->frames);
  TEST_ASSERT_EQUAL_INT(model->nb, t->bodies);
  for (k = 0; k < t->frames; k++) {
    TEST_ASSERT_GREATER_OR_EQUAL_INT(2, t->contacts[k]);
    mean += po_trace_value(t, k, "force_z") / t->frames;
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.03 * model->total_mass * 9.81, model->total_mass * 9.81, mean);
  po_trace_write(&text, t);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&back, text.data, text.size, "walk.trace", &err), err.message);
  TEST_ASSERT_EQUAL_INT(181, back->frames);
  po_trace_free(back);
  po_trace_free(t);
  po_buffer_free(&text);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_walking_is_recorded);
  RUN_TEST(test_a_motion_is_shown);
  return UNITY_END() != 0;
}
