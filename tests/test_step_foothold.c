/* test_step_foothold.c: steps of generalized walking end where they are told, and refuse what is no step. */
#include "../ctrl/moves/gbwc_internal.h"
#include "scenes/stepping.h"
#include "ctrl/learn/learn.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *walker(void) {
  static const po_setting set[] = {{"policy", "base"}, {"style", "gbwc"}, {"depth", "0"}};
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r = NULL;
  o.model = "biped34";
  o.set = set;
  o.sets = 3;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("crevasses"), &o, &err), err.message);
  return r;
}

/* Walks on to the next strike; returns where its heel is. */
static double strike(po_run *r) {
  po_move *m = po_run_move(r, 0);
  long steps = po_walker_steps(m);
  while (po_walker_steps(m) == steps && po_run_step(r)) {}
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_RUNNING, r->outcome, r->reason);
  return po_frame_pose(po_world_data(r->world, 0), m->actor->patches.patch[po_walker_stance(m)].heel).p.x;
}

static void test_a_kind_of_two_lengths(void) {
  po_run *r = walker();
  po_step_kind k = po_step_kind_of(r->model, PO_STEP_GBWC), bent = po_step_kind_of(r->model, "walk");
  TEST_ASSERT_TRUE(k.footholds && k.actions == 2 && k.states == PO_STEP_STATE && k.limit[0] > k.limit[1] && k.limit[1] > 0);
  TEST_ASSERT_TRUE(!bent.footholds && bent.actions == PO_STEP_ACTION);
  po_run_free(r);
}

/* A step that is told to be 0.15 m longer, and then one that is 0.1 m shorter than the base step. A model is for the last centimetres. */
static void test_a_step_ends_where_it_is_told(void) {
  static const double told[2][2] = {{0.15, 0}, {-0.1, 0}};
  po_run *r = walker();
  po_gbwc *g = po_gbwc_of(po_run_move(r, 0));
  double base = g->params.speed * g->params.step_time * g->time_scale * g->time_scale, from = 0, to;
  int i;
  for (i = 0; i < 6; i++) from = strike(r);
  for (i = 0; i < 2; i++, from = to) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_gbwc_step_to(&g->move, g->now.stance, stepping_facing(r), told[i]));
    to = strike(r);
    TEST_ASSERT_DOUBLE_WITHIN(0.06, base + told[i][0], to - from);
  }
  po_run_free(r);
}

static void test_what_is_no_step_is_refused(void) {
  po_run *r = walker();
  po_gbwc *g = po_gbwc_of(po_run_move(r, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_gbwc_path_to(g, 0.3, 0.3, 0.04)); /* it stands */
  strike(r);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_path_to(g, 0, 0.3, 0.04));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_path_to(g, PO_NAN, 0.3, 0.04));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_path_to(g, 0.3, 2 * g->leg, 0.04));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gbwc_step_to(&g->move, 2, 0, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gbwc_path_to(g, 0.3, 0.3, 0.04));
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_kind_of_two_lengths);
  RUN_TEST(test_a_step_ends_where_it_is_told);
  RUN_TEST(test_what_is_no_step_is_refused);
  return UNITY_END() != 0;
}
