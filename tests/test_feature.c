/* Features against finite differences: the rate is J v, and J q̈ + drift is the rate's own rate along any motion. */
#include "ctrl/ctrl_internal.h"
#include "unity.h"
#include <stdio.h>
#include <string.h>

static const po_model *model;
static po_data *data;
static char note[160];

void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
}
void tearDown(void) {}

typedef struct sample { double q[64], v[64], a[64]; } sample;

static sample random_state(uint64_t seed) {
  sample s;
  po_rng rng;
  int i;
  po_rng_init(&rng, seed, 0);
  po_random_configuration(s.q, &rng, model);
  for (i = 0; i < model->nv; i++) {
    s.v[i] = po_rng_range(&rng, -2, 2);
    s.a[i] = po_rng_range(&rng, -5, 5);
  }
  return s;
}

/* The state a time t along the motion with constant acceleration of v, to second order. */
static sample moved(const sample *s, double t) {
  sample m = *s;
  double mid[64];
  int i;
  for (i = 0; i < model->nv; i++) {
    mid[i] = s->v[i] + 0.5 * t * s->a[i];
    m.v[i] = s->v[i] + t * s->a[i];
  }
  po_integrate(m.q, model, s->q, mid, t);
  return m;
}

static void rate_at(const po_feature *f, const sample *s, double *y, double *ydot, po_mat J, double *drift) {
  po_all_terms(data, s->q, s->v);
  po_feature_eval(y, ydot, J, drift, f, data, s->q, s->v);
}

static void check_feature(const char *name, const po_feature *f, int value_too) {
  static double jmem[64 * 64];
  const double t = 1e-4;
  uint64_t seed;
  for (seed = 1; seed <= 5; seed++) {
    sample s = random_state(seed), plus = moved(&s, t), minus = moved(&s, -t);
    po_mat J = po_mat_of(jmem, f->rows, model->nv, 64);
    double y[64], yd[64], dr[64], y1[64], yd1[64], y0[64], yd0[64], waste[64], jv[64], ja[64];
    int i;
    rate_at(f, &plus, y1, yd1, J, waste);
    rate_at(f, &minus, y0, yd0, J, waste);
    rate_at(f, &s, y, yd, J, dr);
    po_gemv(jv, J, s.v);
    po_gemv(ja, J, s.a);
    for (i = 0; i < f->rows; i++) {
      /* central differences: error of order t² times third derivatives, which reach 1e3 here */
      double size = 1 + po_abs(yd1[i]) + po_abs(ja[i]) + po_abs(dr[i]);
      po_format(note, sizeof note, "%s row %d seed %d", name, i, (int)seed);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-10 * size, yd[i], jv[i], note);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-5 * size, (yd1[i] - yd0[i]) / (2 * t), ja[i] + dr[i], note);
      if (value_too) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-5 * size, (y1[i] - y0[i]) / (2 * t), yd[i], note);
    }
  }
}

static void test_com(void) {
  po_feature across = po_feature_com_across(), height = po_feature_com_height();
  check_feature("com across", &across, 1);
  check_feature("com height", &height, 1);
}
static void test_com_across_tilted_gravity(void) {
  po_feature across = po_feature_com_across(), height = po_feature_com_height();
  data->gravity = po_v3(3, -2, -9);
  check_feature("com across, tilted", &across, 1);
  check_feature("com height, tilted", &height, 1);
  data->gravity = po_v3(0, 0, -9.81);
}
static void test_points(void) {
  po_feature p = po_feature_point(po_find_body(model, "forearm_l"), po_v3(0.1, -0.05, -0.2));
  po_feature c = po_feature_point_from_com(po_find_body(model, "foot_r"), po_v3(0.02, 0.01, 0));
  po_feature some = p;
  some.axes = 5;
  some.rows = 2;
  check_feature("point", &p, 1);
  check_feature("point from com", &c, 1);
  check_feature("point, x and z only", &some, 1);
}
static void test_orientation_and_frame(void) {
  po_feature o = po_feature_orientation(po_find_body(model, "head")), f = po_feature_frame(po_find_frame(model, "hand_l"));
  check_feature("orientation", &o, 0);
  check_feature("frame", &f, 0);
}
static void test_momentum(void) {
  po_feature f = po_feature_momentum();
  check_feature("momentum", &f, 0);
}
static void test_pose_rows_are_the_driven_freedoms(void) {
  po_feature f = po_feature_pose(model, NULL);
  int dof = -1, n = 0;
  while ((dof = po_feature_next_dof(&f, model, dof)) >= 0) {
    TEST_ASSERT_GREATER_THAN_INT(5, dof);
    n++;
  }
  TEST_ASSERT_EQUAL_INT(29, f.rows);
  TEST_ASSERT_EQUAL_INT(f.rows, n);
  check_feature("pose", &f, 0);
}

static void custom_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  (void)user; /* the sum of the COM's coordinates */
  y[0] = d->com.x + d->com.y + d->com.z;
  ydot[0] = d->com_velocity.x + d->com_velocity.y + d->com_velocity.z;
  drift[0] = d->com_drift.x + d->com_drift.y + d->com_drift.z;
  for (int i = 0; i < 3; i++) po_axpy(po_row(J, 0), 1, po_row(d->Jcom, i), J.cols);
}
static void test_custom(void) {
  po_feature f = po_feature_custom(1, custom_eval, NULL);
  check_feature("custom", &f, 1);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_com);
  RUN_TEST(test_com_across_tilted_gravity);
  RUN_TEST(test_points);
  RUN_TEST(test_orientation_and_frame);
  RUN_TEST(test_momentum);
  RUN_TEST(test_pose_rows_are_the_driven_freedoms);
  RUN_TEST(test_custom);
  return UNITY_END() != 0;
}
