/* Planted corners and the floor: a tilted, noisy walk is levelled; gaps close; what is too fast or too high is not planted. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_motion *floor_walk(const po_model *model) {
  po_motion *m = NULL, *long_one = NULL;
  po_error err;
  int k;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_built_in(&m, model, "walk", 120, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&long_one, model, 120, 600)); /* some strides, no longer cyclic */
  for (k = 0; k < 600; k++) {
    double q[64], v[64];
    uint32_t planted;
    po_motion_sample(q, v, &planted, m, k / 120.0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(long_one, q, v, planted));
  }
  po_motion_free(m);
  return long_one;
}

/* Found by height and speed alone, planted corners are those the walk was made with, but for a few frames around landing and lifting where a
 * corner is within 5 mm of the floor and slow while it is not yet, or no longer, planted. */
static void test_finds_what_was_planted(void) {
  const po_model *model = motion_body("human");
  po_motion *m = floor_walk(model), *found;
  int k, c, missed = 0, extra = 0, total = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_cut(&found, m, 0, m->frames - 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_find_planted(found, NULL));
  for (k = 0; k < m->frames; k++)
    for (c = 0; c < 8; c++) {
      int was = (int)(m->planted[k] >> c & 1u), is = (int)(found->planted[k] >> c & 1u);
      total += was;
      missed += was && !is;
      extra += is && !was;
    }
  TEST_ASSERT_LESS_THAN_INT(total / 50, missed);
  TEST_ASSERT_LESS_THAN_INT(total / 5, extra);
  po_motion_free(found);
  po_motion_free(m);
  po_model_free(model);
}

/* A walk on a slope of 3° in any direction, lifted by 0.4 m: the slope along the walk comes out, and soles are on z = 0. Across the walk it
 * cannot be told, since feet are side by side there. */
static void test_levels_a_slope(void) {
  const po_model *model = motion_body("human");
  double heading;
  for (heading = 0; heading < 6; heading += 1.3) {
    po_motion *m = floor_walk(model);
    po_planar_move turn = {heading, {1, 2, 0.4}};
    po_vec3 across = po_v3(-po_sin(heading), po_cos(heading), 0);
    po_quat tilt = po_q_axis_angle(across, -PO_RAD(3)); /* uphill */
    po_motion_figures f;
    double slope = 0, low = PO_INF;
    po_data *d;
    int k, c;
    po_motion_move(m, turn);
    for (k = 0; k < m->frames; k++) {
      double *root = po_motion_q(m, k);
      po_q_to(root, po_q_mul(tilt, po_q_of(root)));
      po_v3_to(root + 4, po_q_rotate(tilt, po_v3_of(root + 4)));
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_level(m, &slope));
    TEST_ASSERT_DOUBLE_WITHIN(PO_RAD(0.05), PO_RAD(3), slope);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
    for (k = 0; k < m->frames; k++) {
      po_kinematics(d, po_motion_q(m, k), NULL);
      for (c = 0; c < 8; c++) {
        double z = po_frame_pose(d, m->corners.frame[c]).p.z;
        low = po_min(low, z);
        if (m->planted[k] >> c & 1u) TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0, z);
      }
    }
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, 0, low);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-3, f.slide_max); /* as a rigid whole: nothing slides */
    po_data_free(d);
    po_motion_free(m);
  }
  po_model_free(model);
}

/* Standing on the spot tells no slope: feet side by side do not spread. */
static void test_squats_are_not_tilted(void) {
  const po_model *model = motion_body("human");
  po_motion *m;
  po_error err;
  double slope = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "squat", 60, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_level(m, &slope));
  TEST_ASSERT_EQUAL_DOUBLE(0, slope);
  po_motion_free(m);
  po_model_free(model);
}

static void test_gaps_close(void) {
  const po_model *model = motion_body("human");
  po_motion *m;
  double q[64], v[64] = {0};
  po_planted_opts o = po_planted_opts_default(model);
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 100, 60));
  for (k = 0; k < 60; k++) { /* stands still; the root is said to move at 20 … 22 for an instant, and at 40 … 50 for good */
    po_neutral(q, model);
    v[3] = (k >= 20 && k < 23) || (k >= 40 && k < 50) ? 1 : 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, v, 0));
  }
  o.gap = 0.05;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_find_planted(m, &o));
  for (k = 0; k < 60; k++) TEST_ASSERT_EQUAL_HEX32(k >= 40 && k < 50 ? 0 : 0xff, m->planted[k]);
  for (k = 0; k < 60; k++) po_motion_q(m, k)[6] += 0.02; /* 2 cm up: it floats */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_find_planted(m, &o));
  for (k = 0; k < 60; k++) TEST_ASSERT_EQUAL_HEX32(0, m->planted[k]);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_finds_what_was_planted);
  RUN_TEST(test_levels_a_slope);
  RUN_TEST(test_squats_are_not_tilted);
  RUN_TEST(test_gaps_close);
  return UNITY_END() != 0;
}
