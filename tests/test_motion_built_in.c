/* Built-in motions obey physics: feet do not slide, limits hold, and the force that the momenta ask for acts within the planted corners and within
 * the friction cone. Checked from q alone, by code that shares nothing with their making. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

typedef struct physics { /* of one motion */
  double outside;        /* how far the centre of pressure leaves the planted corners, m */
  double friction;       /* largest horizontal over vertical force */
  double light, heavy;   /* least and largest vertical force, in body weights */
} physics;

/* Momenta one frame before, at and after each frame, by central differences; cyclic motions go on beyond their ends. */
static physics motion_physics(const po_motion *m) {
  physics f = {-PO_INF, 0, PO_INF, 0};
  po_data *d;
  int k, i, c;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m->model));
  for (k = 0; k < m->frames - 1; k++) {
    double q[128], v[128], h[3][6], force[3], turn[3], px, py, weight = m->model->total_mass * 9.81, out = -PO_INF, angle;
    po_vec3 com = {0, 0, 0};
    uint32_t planted;
    for (i = 0; i < 3; i++) {
      po_motion_sample(q, v, NULL, m, (k + i - 1) / m->hz);
      po_kinematics(d, q, v);
      po_centroidal(d);
      memcpy(h[i], d->momentum, sizeof h[i]);
      if (i == 1) com = d->com;
    }
    for (i = 0; i < 3; i++) {
      turn[i] = 0.5 * m->hz * (h[2][i] - h[0][i]);
      force[i] = 0.5 * m->hz * (h[2][3 + i] - h[0][3 + i]) + (i == 2 ? weight : 0);
    }
    px = com.x - com.z * force[0] / force[2] - turn[1] / force[2]; /* moment about it has no horizontal part */
    py = com.y - com.z * force[1] / force[2] + turn[0] / force[2];
    f.friction = po_max(f.friction, sqrt(force[0] * force[0] + force[1] * force[1]) / force[2]);
    f.light = po_min(f.light, force[2] / weight);
    f.heavy = po_max(f.heavy, force[2] / weight);
    po_motion_sample(q, NULL, &planted, m, k / m->hz);
    po_kinematics(d, q, NULL);
    for (angle = 0; angle < 6.28; angle += 0.05) { /* distance beyond the hull, from its support function */
      double s = po_sin(angle), co = po_cos(angle), reach = -PO_INF;
      for (c = 0; c < m->corners.count; c++)
        if (planted >> c & 1u) {
          po_vec3 p = po_frame_pose(d, m->corners.frame[c]).p;
          reach = po_max(reach, co * p.x + s * p.y);
        }
      out = po_max(out, co * px + s * py - reach);
    }
    f.outside = po_max(f.outside, out);
  }
  po_data_free(d);
  return f;
}

static void built_in_check(const char *body, const char *name) {
  const po_model *model = motion_body(body);
  po_motion *m = NULL;
  po_motion_figures figures;
  po_segment g[16];
  po_error err;
  physics f;
  int n;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_built_in(&m, model, name, 120, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_check(m, &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, m->cyclic);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&figures, m));
  f = motion_physics(m);
  /* edges are lines: while a foot stands on one, a millimetre of the leg's swing shows; 2 % of the body's height is the width of a toe */
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(0.02 * model->rest_height, f.outside, body);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(0.5, f.friction, body);
  TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(0.8, f.light, body);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1.2, f.heavy, body);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-3 * model->rest_height, figures.slide_max, body);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, figures.limit_excess);
  TEST_ASSERT_EQUAL_DOUBLE(1, figures.support_share);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_segments(g, &n, 16, m, &err), err.message);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(2, n);
  TEST_ASSERT_INT_WITHIN(2, (m->frames - 1) * (n / 2) / n, g[n / 2 - 1].to); /* halves of a cycle are alike */
  po_motion_free(m);
  po_model_free(model);
}

static void test_human(void) {
  built_in_check("human", "walk");
  built_in_check("human", "long-step");
  built_in_check("human", "squat");
}
static void test_child_and_giant(void) {
  built_in_check("child", "walk");
  built_in_check("giant", "walk");
  built_in_check("child", "squat");
  built_in_check("giant", "long-step");
}
static void test_beasts_and_uneven_ones(void) {
  built_in_check("lopsided", "walk");
  built_in_check("dinosaur", "walk");
  built_in_check("ostrich", "squat");
}

/* What the names promise: a step of half a metre in 0.6 s, one of 0.8 m, a squat by a quarter of the COM's height. */
static void test_human_figures(void) {
  const po_model *model = motion_body("human");
  po_motion *m;
  po_error err;
  po_data *d;
  double low = PO_INF, high = 0;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "walk", 120, &err));
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.0, po_motion_stride(m).shift.x);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.2, po_motion_seconds(m));
  po_motion_free(m);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "long-step", 120, &err));
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 1.6, po_motion_stride(m).shift.x);
  po_motion_free(m);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "squat", 60, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  for (k = 0; k < m->frames; k++) {
    po_kinematics(d, po_motion_q(m, k), NULL);
    po_com(d);
    low = po_min(low, d->com.z);
    high = po_max(high, d->com.z);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.26, high - low);
  po_data_free(d);
  po_motion_free(m);
  po_model_free(model);
}

/* The second step of a body that is its own mirror image mirrors the first. */
static void test_the_second_step_mirrors_the_first(void) {
  const po_model *model = motion_body("human");
  po_motion *m, *mirrored;
  po_error err;
  double q[64], v[64], mq[64], mv[64], step;
  uint32_t planted, mplanted;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "walk", 120, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_mirror(&mirrored, m));
  step = 0.5 * po_motion_seconds(m);
  for (k = 0; k < (m->frames - 1) / 2; k += 5) {
    po_motion_sample(q, v, &planted, m, k / m->hz + step);
    po_motion_sample(mq, mv, &mplanted, mirrored, k / m->hz);
    mq[4] += 0.5 * po_motion_stride(m).shift.x;
    if (mq[0] * q[0] < 0) mq[0] = -mq[0], mq[1] = -mq[1], mq[2] = -mq[2], mq[3] = -mq[3];
    rbd_close(mq, q, model->nq, 1e-3, "mirrored step", k); /* rounds of the COM's plan do not end alike */
    TEST_ASSERT_EQUAL_HEX32(planted, mplanted);
  }
  po_motion_free(mirrored);
  po_motion_free(m);
  po_model_free(model);
}

static void test_what_is_refused(void) {
  const po_model *model = motion_body("human");
  po_motion *m = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_motion_built_in(&m, model, "dance", 120, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "walk, long-step and squat"));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_built_in(&m, model, "walk", PO_NAN, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_built_in(&m, model, "walk", 5, &err)); /* three frames a step */
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_motion_load(&m, NULL, model, "dance.mp3", 120, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_motion_load(&m, NULL, model, "/nowhere/x.bvh", 120, NULL, &err));
  TEST_ASSERT_NULL(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_human);
  RUN_TEST(test_child_and_giant);
  RUN_TEST(test_beasts_and_uneven_ones);
  RUN_TEST(test_human_figures);
  RUN_TEST(test_the_second_step_mirrors_the_first);
  RUN_TEST(test_what_is_refused);
  return UNITY_END() != 0;
}
