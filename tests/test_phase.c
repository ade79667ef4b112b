/* The phase of a turn: unwrapped through three turns in every direction, blind to heading and mirror, the heading right while upside down. */
#include "ctrl/ctrl.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_data *data;
static double q[64], v[64];

void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
  po_neutral(q, model);
  memset(v, 0, sizeof v);
}
void tearDown(void) {}

/* The zero pose, facing `heading`, turned about the level axis by `angle` with this rate. */
static void pose_at(double heading, po_vec3 axis, double angle, double rate) {
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), heading), R;
  po_neutral(q, model);
  R = po_q_mul(po_q_axis_angle(axis, angle), po_q_mul(face, po_q_of(q)));
  po_q_to(q, R);
  po_v3_to(v, po_q_rotate(po_q_conj(R), po_v3_scale(rate, axis)));
  po_all_terms(data, q, v);
}

/* Runs through 1080 degrees at 500 degrees per second, and back through as many. */
static void check_three_turns(po_phase_by by, double heading, po_vec3 body_axis) {
  const double dt = 1e-3, rate = PO_RAD(500.0), end = PO_RAD(1080.0);
  po_vec3 axis = po_q_rotate(po_q_axis_angle(po_v3(0, 0, 1), heading), body_axis);
  po_phase p;
  double angle, start;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_phase_init(&p, model, by, NULL));
  p.nominal = rate;
  pose_at(heading, axis, 0, rate);
  po_phase_start(&p, data, axis);
  start = p.theta;
  for (angle = dt * rate; angle < end; angle += dt * rate) {
    pose_at(heading, axis, angle, rate);
    po_phase_update(&p, data, dt);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, angle, p.theta - start);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, rate, p.rate);
  }
  if (by == PO_BY_TIME) return;
  for (; angle > -PO_RAD(400.0); angle -= dt * rate) {
    pose_at(heading, axis, angle, -rate);
    po_phase_update(&p, data, dt);
  }
  TEST_ASSERT_DOUBLE_WITHIN(2.1 * dt * rate, angle, p.theta - start); /* the average is a step late at the turn */
}

static void test_unwraps_through_three_turns(void) {
  static const po_vec3 axes[4] = {{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
  int by, a;
  for (by = PO_BY_TRUNK; by <= PO_BY_TIME; by++)
    for (a = 0; a < 4; a++) {
      check_three_turns((po_phase_by)by, 0, axes[a]);
      check_three_turns((po_phase_by)by, 2.1, axes[a]);
    }
}

static void test_leaning_back_is_positive_for_a_backflip(void) {
  po_phase p;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_phase_init(&p, model, PO_BY_TRUNK, NULL));
  pose_at(0, po_v3(0, -1, 0), 0.3, 0);
  po_phase_start(&p, data, po_v3(0, -1, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.3, p.theta);
  po_phase_start(&p, data, po_v3(0, 1, 0)); /* for a frontflip it is so far from done */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.3, p.theta);
}

/* Bending sideways: the trunk's line in its plane of rotation does not notice. */
static void test_tilt_out_of_the_plane_is_left_out(void) {
  po_phase p;
  po_vec3 axis = po_v3(0, -1, 0);
  po_quat R;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_phase_init(&p, model, PO_BY_PELVIS, NULL));
  po_neutral(q, model);
  R = po_q_mul(po_q_axis_angle(axis, 0.7), po_q_axis_angle(po_v3(1, 0, 0), 0.4));
  po_q_to(q, R);
  po_all_terms(data, q, v);
  po_phase_start(&p, data, axis);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.7, p.theta);
  /* its left rises by sin 0.4 before the turn, of which the cosine remains */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_sin(0.4) * po_cos(0.7), po_sin(po_tilt_of_axis(data, po_m3_col(data->pose[0].R, 1))));
}

/* Out of the plane altogether, along the axis: the angle is carried on by the mean frame and comes back right. */
static void test_a_body_along_its_axis_goes_on_turning(void) {
  const double dt = 1e-3, rate = 3;
  po_phase p;
  po_vec3 axis = po_v3(0, -1, 0);
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_phase_init(&p, model, PO_BY_PELVIS, NULL));
  pose_at(0, axis, 0.2, rate);
  po_phase_start(&p, data, axis);
  for (i = 1; i <= 600; i++) { /* lies down along the axis at half time and gets up again, turning evenly about it all the while */
    double roll = 0.5 * PO_PI * (1 - po_abs(i - 300) / 300.0);
    po_quat R = po_q_mul(po_q_axis_angle(axis, 0.2 + rate * dt * i), po_q_axis_angle(po_v3(1, 0, 0), roll));
    po_q_to(q, R);
    po_v3_to(v, po_q_rotate(po_q_conj(R), po_v3_scale(rate, axis)));
    po_all_terms(data, q, v);
    po_phase_update(&p, data, dt);
  }
  /* while lying the mean frame's rate about the axis is that of the turn, but for the products of inertia: 2 % */
  TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.2 + rate * dt * 600, p.theta);
}

static void test_heading_survives_being_upside_down(void) {
  double angle;
  for (angle = 0; angle < 2 * PO_PI; angle += 0.1) {
    po_vec3 axis = po_q_rotate(po_q_axis_angle(po_v3(0, 0, 1), 0.6), po_v3(0, -1, 0));
    pose_at(0.6, axis, angle, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.6, po_level_heading(po_m3_col(data->pose[0].R, 1)));
  }
}

static void test_a_mirrored_pose_has_the_same_phase(void) {
  po_phase left, right;
  double a, b;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_phase_init(&left, model, PO_BY_TRUNK, NULL));
  right = left;
  pose_at(0, po_v3(-1, 0, 0), 0.8, 1.5); /* a left cartwheel */
  po_phase_start(&left, data, po_v3(-1, 0, 0));
  a = left.theta;
  pose_at(0, po_v3(1, 0, 0), 0.8, 1.5); /* a right one */
  po_phase_start(&right, data, po_v3(1, 0, 0));
  b = right.theta;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, a, b);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, left.rate, right.rate);
}

static void test_names(void) {
  TEST_ASSERT_EQUAL_INT(PO_BY_TRUNK, po_phase_by_find("trunk"));
  TEST_ASSERT_EQUAL_INT(PO_BY_TIME, po_phase_by_find("time"));
  TEST_ASSERT_EQUAL_INT(-1, po_phase_by_find("clock"));
  TEST_ASSERT_EQUAL_INT(-1, po_phase_by_find(NULL));
  TEST_ASSERT_EQUAL_STRING("average", po_phase_by_string(PO_BY_AVERAGE));
}

static void test_a_body_without_a_trunk_line_is_refused(void) {
  const po_model *box;
  po_builder *b;
  po_joint j = po_joint_default(PO_JOINT_FLOATING, "root");
  po_inertia inertia = po_inertia_box(1, 1, 1, 1);
  po_error err;
  po_phase p;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "box"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "box", NULL, &j, &inertia, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&box, b, &err));
  po_builder_free(b);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_phase_init(&p, box, PO_BY_TRUNK, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "neck_base"));
  po_model_free(box);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_unwraps_through_three_turns);
  RUN_TEST(test_leaning_back_is_positive_for_a_backflip);
  RUN_TEST(test_tilt_out_of_the_plane_is_left_out);
  RUN_TEST(test_a_body_along_its_axis_goes_on_turning);
  RUN_TEST(test_heading_survives_being_upside_down);
  RUN_TEST(test_a_mirrored_pose_has_the_same_phase);
  RUN_TEST(test_names);
  RUN_TEST(test_a_body_without_a_trunk_line_is_refused);
  return UNITY_END() != 0;
}
