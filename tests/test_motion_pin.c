/* Pinning: feet that slide and sink in a spoilt walk stand still again, the body keeps its course. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_sliding_feet_are_pinned(void) {
  const po_model *model = motion_body("human");
  po_motion *cycle, *m;
  po_motion_figures before, after;
  po_error err;
  po_data *d;
  double low = PO_INF, moved = 0;
  int k, c;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&cycle, model, "walk", 120, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 120, 450));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  for (k = 0; k < 450; k++) { /* the root sways by 2 cm and sinks by 2 cm as captured ones do: feet slide and dip into the floor */
    double q[64], t = k / 120.0;
    uint32_t planted;
    po_motion_sample(q, NULL, &planted, cycle, t);
    q[4] += 0.02 * po_sin(5 * t);
    q[5] += 0.02 * po_sin(3 * t);
    q[6] -= 0.01 + 0.01 * po_sin(4 * t);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, planted));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&before, m));
  TEST_ASSERT_GREATER_THAN_DOUBLE(0.015, before.slide_max);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_pin(m, 0.05));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&after, m));
  TEST_ASSERT_LESS_THAN_DOUBLE(2e-3, after.slide_max); /* weights: a planted corner counts 1000 per metre, the root 300 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, after.limit_excess);
  for (k = 0; k < 450; k++) {
    double q[64];
    po_kinematics(d, po_motion_q(m, k), NULL);
    for (c = 0; c < 8; c++) low = po_min(low, po_frame_pose(d, m->corners.frame[c]).p.z);
    po_motion_sample(q, NULL, NULL, cycle, k / 120.0);
    moved = po_max(moved, po_v3_norm(po_v3_sub(d->pose[0].p, po_v3_of(q + 4))));
  }
  TEST_ASSERT_GREATER_THAN_DOUBLE(-3e-3, low);
  TEST_ASSERT_LESS_THAN_DOUBLE(0.05, moved); /* 3.5 cm it was moved by, and little more to reach the ground */
  po_data_free(d);
  po_motion_free(m);
  po_motion_free(cycle);
  po_model_free(model);
}

/* A motion whose feet already stand is left where it is. */
static void test_a_good_motion_stays(void) {
  const po_model *model = motion_body("human");
  po_motion *m, *same;
  po_error err;
  double d[64], worst = 0;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "squat", 60, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_cut(&same, m, 0, m->frames - 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_pin(same, 0));
  for (k = 0; k < m->frames; k++) {
    po_difference(d, model, po_motion_q(m, k), po_motion_q(same, k));
    worst = po_max(worst, po_norm_inf(d, model->nv));
  }
  TEST_ASSERT_LESS_THAN_DOUBLE(2e-3, worst);
  po_motion_free(same);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_sliding_feet_are_pinned);
  RUN_TEST(test_a_good_motion_stays);
  return UNITY_END() != 0;
}
