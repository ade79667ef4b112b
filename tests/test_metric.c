/* test_metric.c: states at a strike, and how far they are apart. */
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const po_model *bird;
static po_metric metric;
static po_actions actions;

static void open_bird(void) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&bird, "bird", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_load(&actions, "bird-heading", &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_metric_init(&metric, bird, &actions.weights, &err), err.message);
}

static void random_state(double *q, double *v, po_rng *rng) {
  double r[64];
  int i;
  po_neutral(q, bird);
  for (i = 0; i < bird->nv; i++) {
    r[i] = po_rng_range(rng, -0.4, 0.4);
    v[i] = po_rng_range(rng, -1, 1);
  }
  po_integrate(q, bird, q, r, 1);
}

/* Moving and turning a state in the world changes where it is and nothing else. */
static void test_the_own_frame_forgets_place_and_heading(void) {
  double q[64], v[64], moved[64], same[64], s, c;
  po_pose2 place, far;
  po_rng rng;
  int i, stance;
  po_rng_init(&rng, 1, 0);
  for (stance = 0; stance < 2; stance++) {
    random_state(q, v, &rng);
    memcpy(moved, q, sizeof q);
    memcpy(same, v, sizeof v);
    po_q_to(moved, po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), 2.0), po_q_of(q)));
    po_sincos(&s, &c, 2.0);
    moved[4] = c * q[4] - s * q[5] + 3;
    moved[5] = s * q[4] + c * q[5] - 4;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_strike_own(q, v, &place, bird, stance));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_strike_own(moved, same, &far, bird, stance));
    for (i = 0; i < bird->nq; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, q[i], moved[i]);
    for (i = 0; i < bird->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, v[i], same[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0, po_pose2_from(place, far, 0).heading);
  }
}

/* What the left foot sees of a state, the right foot sees of its mirror image. */
static void test_the_right_stance_is_the_left_one_in_a_mirror(void) {
  double q[64], v[64], image[64], rate[64];
  po_pose2 left, right;
  po_rng rng;
  int i;
  po_rng_init(&rng, 2, 0);
  random_state(q, v, &rng);
  q[4] = 1;
  q[5] = 2;
  memcpy(image, q, sizeof q);
  memcpy(rate, v, sizeof v);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(image, rate, bird));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_strike_own(q, v, &left, bird, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_strike_own(image, rate, &right, bird, 1));
  for (i = 0; i < bird->nq; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, q[i], image[i]);
  for (i = 0; i < bird->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, v[i], rate[i]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -left.heading, right.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, left.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -2, right.y);
}

/* A knee that is bent by 0.3 rad more, a root that is 0.5 m/s faster: the weights say what that is. */
static void test_the_distance_is_the_papers(void) {
  double q[64], v[64];
  float a[PO_METRIC_FEATURES], b[PO_METRIC_FEATURES];
  const po_joint *knee = &bird->joint[po_find_joint(bird, "knee_l")], *hip = &bird->joint[po_find_joint(bird, "hip_r")];
  memset(v, 0, sizeof v);
  po_neutral(q, bird);
  po_metric_features(a, &metric, q, v);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_metric_distance(&metric, a, a));
  q[knee->q] += 0.3;
  po_metric_features(b, &metric, q, v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1 * 0.3, po_metric_distance(&metric, a, b));
  v[3] = 0.3;
  v[4] = -0.4;
  po_metric_features(b, &metric, q, v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.3 + 0.5, po_metric_distance(&metric, a, b));
  v[knee->v] = 2;
  po_q_to(q + hip->q, po_q_axis_angle(po_v3(0, 1, 0), 0.2));
  po_metric_features(b, &metric, q, v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.3 + 0.5 + 0.05 * 2 + 1.5 * 0.2, po_metric_distance(&metric, a, b));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_metric_distance(&metric, a, b), po_metric_distance(&metric, b, a));
}

#define MANY 400
static void test_landmarks_find_what_the_scan_finds(void) {
  static float state[MANY][PO_METRIC_FEATURES];
  float *packed = po_alloc(sizeof(float) * MANY * (size_t)metric.features), query[PO_METRIC_FEATURES];
  double q[64], v[64], d[6], e[6];
  int i, k, n, near[6], plain[6];
  po_near *index;
  po_rng rng;
  po_rng_init(&rng, 3, 0);
  for (i = 0; i < MANY; i++) {
    random_state(q, v, &rng);
    po_metric_features(state[i], &metric, q, v);
    if (i % 7 == 0 && i) memcpy(state[i], state[i - 1], sizeof state[i]); /* some are equal: then the first one counts */
    memcpy(packed + i * metric.features, state[i], sizeof(float) * (size_t)metric.features);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_near_new(&index, &metric, packed, MANY));
  for (i = 0; i < 200; i++) {
    random_state(q, v, &rng);
    if (i % 3) po_metric_features(query, &metric, q, v);
    else memcpy(query, state[i], sizeof(float) * (size_t)metric.features);
    n = 1 + i % 6;
    TEST_ASSERT_EQUAL_INT(n, po_metric_nearest(plain, d, n, &metric, packed, MANY, query));
    TEST_ASSERT_EQUAL_INT(n, po_near_find(near, e, n, index, query));
    for (k = 0; k < n; k++) {
      TEST_ASSERT_EQUAL_INT(plain[k], near[k]);
      TEST_ASSERT_EQUAL_DOUBLE(d[k], e[k]);
      TEST_ASSERT_TRUE(!k || d[k] >= d[k - 1]);
    }
  }
  TEST_ASSERT_EQUAL_INT(3, po_metric_nearest(plain, NULL, 6, &metric, packed, 3, query)); /* no more than there are */
  po_near_free(index);
  po_free(packed);
}

static void test_what_makes_no_sense_is_refused(void) {
  po_metric_weights w = actions.weights;
  po_metric m;
  const po_model *flat;
  double q[64], v[64];
  po_error err;
  w.joint[0].turn = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_metric_init(&m, bird, &w, &err));
  w = actions.weights;
  w.velocity = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_metric_init(&m, bird, &w, &err));
  w = actions.weights;
  memcpy(w.joint[0].joint, "wing", 5);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_metric_init(&m, bird, &w, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "wing"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&flat, "biped7", &err));
  po_neutral(q, flat);
  memset(v, 0, sizeof v);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_strike_own(q, v, NULL, flat, 0));
  po_model_free(flat);
}

int main(void) {
  UNITY_BEGIN();
  open_bird();
  RUN_TEST(test_the_own_frame_forgets_place_and_heading);
  RUN_TEST(test_the_right_stance_is_the_left_one_in_a_mirror);
  RUN_TEST(test_the_distance_is_the_papers);
  RUN_TEST(test_landmarks_find_what_the_scan_finds);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  po_model_free(bird);
  return UNITY_END() != 0;
}
