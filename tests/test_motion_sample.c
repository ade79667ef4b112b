/* Between frames: velocities are derivatives, frames are met exactly, cyclic motions go on; smoothing removes noise and keeps cubics. */
#include "counting.h"
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

/* v of a sample against (q(t + e) − q(t − e)) / 2e: a central difference is good to e² and to rounding over e. */
static void sample_derivative(const po_motion *m, double t) {
  const po_model *model = m->model;
  double q0[256], q1[256], q[256], v[256], d[256], e = 1e-5;
  int i;
  po_motion_sample(q, v, NULL, m, t);
  po_motion_sample(q0, NULL, NULL, m, t - e);
  po_motion_sample(q1, NULL, NULL, m, t + e);
  po_difference(d, model, q0, q1);
  for (i = 0; i < model->nv; i++) d[i] /= 2 * e;
  rbd_close(d, v, model->nv, 1e-6, "derivative of a sample", (int)(1000 * t));
}

static void test_velocity_is_the_derivative(void) {
  static const char *const bodies[] = {"human", "ostrich"};
  int b, i;
  for (b = 0; b < 2; b++) {
    const po_model *model = motion_body(bodies[b]);
    po_motion *m = motion_swinging(model, 30, 40); /* coarse, so that the curve between frames matters */
    for (i = 1; i < 60; i++) sample_derivative(m, i * 0.021);
    po_motion_free(m);
    po_model_free(model);
  }
}

static void test_frames_are_met_and_ends_hold(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 119.7, 33);
  double q[64], v[64];
  uint32_t planted;
  int k, i;
  for (k = 0; k < m->frames; k++) {
    po_motion_sample(q, v, &planted, m, k / m->hz);
    TEST_ASSERT_EQUAL_INT(0, memcmp(q, po_motion_q(m, k), sizeof(double) * (size_t)model->nq));
    TEST_ASSERT_EQUAL_INT(0, memcmp(v, po_motion_v(m, k), sizeof(double) * (size_t)model->nv));
    TEST_ASSERT_EQUAL_HEX32(m->planted[k], planted);
  }
  for (i = 0; i < 4; i++) {
    static const double times[4] = {-3, -0.01, 0.3, 100};
    const double *end = times[i] < 0 ? po_motion_q(m, 0) : po_motion_q(m, m->frames - 1);
    po_motion_sample(q, v, NULL, m, times[i]);
    TEST_ASSERT_EQUAL_INT(0, memcmp(q, end, sizeof(double) * (size_t)model->nq));
    TEST_ASSERT_EQUAL_DOUBLE(0, po_norm_inf(v, model->nv));
  }
  po_motion_sample(q, v, NULL, m, PO_NAN); /* somewhere within, finite */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_check_state(model, q, v));
  po_motion_free(m);
  po_model_free(model);
}

/* A whole number of swings, then the stride: 100 strides on it is the same pose, moved; and it is smooth across the seam. */
static po_motion *sample_cycle(const po_model *model) {
  po_motion *m;
  double q[64], v[64];
  int k, i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 50, 51));
  m->cyclic = 1;
  for (k = 0; k <= 50; k++) {
    po_planar_move along = {0.4 * k / 50, {1.3 * k / 50, 0, 0}};
    po_quat turn = po_q_axis_angle(po_v3(0, 0, 1), along.turn);
    po_neutral(q, model);
    for (i = 0; i < model->nv; i++) v[i] = i < 6 ? 0 : 0.2 * po_sin(2 * PO_PI * (k % 50) / 50.0 + i);
    po_integrate(q, model, q, v, 1);
    po_q_to(q, po_q_mul(turn, po_q_of(q)));
    q[4] += along.shift.x;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, 0xff));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_check(m, NULL));
  return m;
}

static void test_cyclic_motions_go_on(void) {
  const po_model *model = motion_body("human");
  po_motion *m = sample_cycle(model), *r = NULL;
  po_planar_move stride = po_motion_stride(m);
  double a[64], b[64], v[64], va[64];
  int i;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4, stride.turn);
  rbd_close(po_motion_v(m, 50), po_motion_v(m, 0), model->nv, 1e-12, "velocities at the seam", 0);
  sample_derivative(m, 0.997); /* either side of the seam; on a frame the curvature jumps and a difference sees it */
  sample_derivative(m, 1.003);
  sample_derivative(m, 7.013);
  sample_derivative(m, -2.37);
  po_motion_sample(a, va, NULL, m, 0.31);
  for (i = 0; i < 7; i++) { /* seven strides by hand */
    po_quat turn = po_q_axis_angle(po_v3(0, 0, 1), stride.turn);
    po_q_to(a, po_q_mul(turn, po_q_of(a)));
    po_v3_to(a + 4, po_v3_add(po_q_rotate(turn, po_v3_of(a + 4)), stride.shift));
  }
  po_motion_sample(b, v, NULL, m, 7.31);
  rbd_close(b, a, model->nq, 1e-12, "seven strides on", 0);
  rbd_close(v, va, model->nv, 1e-12, "with the same velocity", 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_resample(&r, m, 120.3)); /* keeps the period of one second: 120 frames */
  TEST_ASSERT_EQUAL_INT(121, r->frames);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 120, r->hz);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_check(r, NULL));
  po_motion_free(r);
  po_motion_free(m);
  po_model_free(model);
}

/* Up and down again: the cubic through the frames of a smooth motion is off by h⁴ of its fourth derivative; 0.25 (5 rad/s)⁴ h⁴/384 at 60 Hz is 3e-8,
 * and central differences for v leave (5 rad/s)³ 0.25 h²/6 = 1.4e-3 rad/s, which the cubic turns into h/8 of that, 3e-6 rad. */
static void test_resampling_and_back(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 60, 91), *fine = NULL, *back = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_resample(&fine, m, -1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_resample(&fine, m, 240));
  TEST_ASSERT_EQUAL_INT(361, fine->frames);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_resample(&back, fine, 60));
  motion_same_bits(m, back); /* every fourth frame is a frame */
  po_motion_free(back);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_resample(&back, fine, 97));
  TEST_ASSERT_EQUAL_INT(146, back->frames); /* floor(1.5 s 97) + 1 */
  {
    double q[64], v[64];
    po_motion_sample(q, v, NULL, m, 100 / 97.0);
    rbd_close(po_motion_q(back, 100), q, model->nq, 1e-5, "97 Hz of 240 against 97 Hz of 60", 0);
  }
  po_motion_free(back);
  po_motion_free(fine);
  po_motion_free(m);
  po_model_free(model);
}

/* Savitzky–Golay of degree three leaves cubics alone, also in the middle of the ends' windows, and its slope is exact. */
static void test_smoothing_keeps_a_cubic(void) {
  const po_model *model = motion_body("human");
  int knee = model->joint[po_find_joint(model, "knee_l")].q, knee_v = model->joint[po_find_joint(model, "knee_l")].v, k;
  po_motion *m;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 100, 41));
  for (k = 0; k < 41; k++) {
    double q[64], t = k / 100.0;
    po_neutral(q, model);
    q[knee] = 0.2 + 0.5 * t - 3 * t * t + 4 * t * t * t;
    q[6] += 0.1 * t * t;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, 0));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0.14));
  for (k = 7; k < 34; k++) {
    double t = k / 100.0;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2 + 0.5 * t - 3 * t * t + 4 * t * t * t, po_motion_q(m, k)[knee]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.5 - 6 * t + 12 * t * t, po_motion_v(m, k)[knee_v]);
  }
  for (k = 0; k < 41; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.2 * k / 100.0, po_motion_v(m, k)[5]); /* a parabola: the ends too */
  po_motion_free(m);
  po_model_free(model);
}

/* White noise of deviation s: a cubic over 15 frames leaves sqrt(0.15) of it in the value (Savitzky & Golay's table: 167/1105). */
static void test_smoothing_takes_noise_out(void) {
  const po_model *model = motion_body("human");
  int knee = model->joint[po_find_joint(model, "knee_l")].q, k;
  double sum = 0, want = sqrt(167.0 / 1105);
  po_motion *m;
  po_rng rng;
  po_rng_init(&rng, 7, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 120, 4000));
  for (k = 0; k < 4000; k++) {
    double q[64];
    po_neutral(q, model);
    q[knee] = 1 + 0.01 * po_rng_normal(&rng);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, 0));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0.125));
  for (k = 7; k < 3993; k++) sum += (po_motion_q(m, k)[knee] - 1) * (po_motion_q(m, k)[knee] - 1) / 3986;
  TEST_ASSERT_DOUBLE_WITHIN(0.1 * want, want, sqrt(sum) / 0.01); /* 4000 samples, of which 270 are independent: within 4 % mostly */
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_smooth(m, -1));
  po_motion_free(m);
  po_model_free(model);
}

static void test_sampling_allocates_nothing(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 60, 30);
  double q[64], v[64];
  uint32_t planted;
  int k;
  allocations = 0;
  po_set_allocator(counting, NULL);
  for (k = 0; k < 100; k++) po_motion_sample(q, v, &planted, m, 0.013 * k);
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_velocity_is_the_derivative);
  RUN_TEST(test_frames_are_met_and_ends_hold);
  RUN_TEST(test_cyclic_motions_go_on);
  RUN_TEST(test_resampling_and_back);
  RUN_TEST(test_smoothing_keeps_a_cubic);
  RUN_TEST(test_smoothing_takes_noise_out);
  RUN_TEST(test_sampling_allocates_nothing);
  return UNITY_END() != 0;
}
