/* Objectives: the boundary-value solution of eqs. 6-7, errors of orientations, limits. */
#include "ctrl/ctrl_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* Re-solved every tick, the target objective arrives on time at the wanted place and speed. */
static void test_target_arrives(void) {
  const double y_end[] = {0.3, -1, 0}, v_end[] = {0, 2, -0.5}, T = 0.6, dt = 1e-3;
  int k, i;
  for (k = 0; k < 3; k++) {
    double y = 0.1, v = -0.4, b;
    for (i = 0; i < 600; i++) {
      double a = po_target_acceleration(y, v, y_end[k], v_end[k], T - i * dt);
      y += v * dt + 0.5 * a * dt * dt;
      v += a * dt;
    }
    /* the last 10 ms are damped: what is missing is what the final acceleration b does in that time */
    b = po_abs(-6 * (y_end[k] - 0.1) / (T * T) + (2 * -0.4 + 4 * v_end[k]) / T);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * 0.02 * (b + 1), y_end[k], y);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * (b + 1), v_end[k], v);
  }
}

/* a of eq. 7: with (a, b) from the repaired system, integrating eq. 6 gives back the end state. */
static void test_target_solves_the_boundary_value_problem(void) {
  double y0 = 0.2, v0 = 0.7, yT = -0.4, vT = 1.1, T = 0.8;
  double a = po_target_acceleration(y0, v0, yT, vT, T);
  double b = 2 * (vT - v0) / T - a;
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, yT, y0 + v0 * T + T * T * (a / 3 + b / 6));
}

static void test_target_stays_bounded(void) {
  double T;
  for (T = 1e-3; T > 1e-12; T /= 10) TEST_ASSERT_DOUBLE_WITHIN(50, 0, po_target_acceleration(0.1, 0.5, 0, 0, T));
  TEST_ASSERT_DOUBLE_WITHIN(50, 0, po_target_acceleration(0.1, 0.5, 0, 0, 0));
  TEST_ASSERT_DOUBLE_WITHIN(50, 0, po_target_acceleration(0.1, 0.5, 0, 0, -1));
}

static void test_setpoint_follows_a_moving_reference(void) {
  po_objective o = po_objective_setpoint("com", po_feature_com_height(), 2, 25);
  double y = 1, yd = 0.2, wanted, waste[1];
  o.ref[0] = 1.1;
  o.ref_rate[0] = 0.5;
  o.ref_accel[0] = -3;
  po_objective_wanted(&o, NULL, NULL, NULL, &y, &yd, &wanted, waste);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -3 + 25 * 0.1 + 10 * 0.3, wanted);
}

static void test_limit_bounds_the_whole_vector(void) {
  po_objective o = po_objective_setpoint("com", po_feature_com_across(), 2, 100);
  double y[2] = {0, 0}, yd[2] = {0, 0}, wanted[2], waste[1];
  o.ref[0] = 3;
  o.ref[1] = 4;
  o.limit = 2;
  po_objective_wanted(&o, NULL, NULL, NULL, y, yd, wanted, waste);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.2, wanted[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.6, wanted[1]);
}

/* Turning by the wanted rotation vector leads to the reference orientation. */
static void test_orientation_error_is_the_rotation_to_the_reference(void) {
  const po_model *m;
  po_data *d;
  po_error err;
  po_rng rng;
  double q[64], v[64] = {0}, y[3], yd[3], dr[3], jm[3 * 64], wanted[3], waste[64];
  po_objective o;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_rng_init(&rng, 3, 0);
  po_random_configuration(q, &rng, m);
  po_all_terms(d, q, v);
  o = po_objective_setpoint("head", po_feature_orientation(po_find_body(m, "head")), 3, 1);
  o.ref_orientation = po_q_axis_angle(po_v3_unit(po_v3(1, 2, -1)), 0.8);
  po_feature_eval(y, yd, po_mat_of(jm, 3, m->nv, 64), dr, &o.feature, d, q, v);
  po_objective_wanted(&o, d, q, v, y, yd, wanted, waste);
  {
    po_quat now = po_q_from_matrix(d->pose[o.feature.body].R), then = po_q_mul(po_q_exp(po_v3_of(wanted)), now);
    double same = then.w * o.ref_orientation.w + then.x * o.ref_orientation.x + then.y * o.ref_orientation.y + then.z * o.ref_orientation.z;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_abs(same));
  }
  po_data_free(d);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_target_arrives);
  RUN_TEST(test_target_solves_the_boundary_value_problem);
  RUN_TEST(test_target_stays_bounded);
  RUN_TEST(test_setpoint_follows_a_moving_reference);
  RUN_TEST(test_limit_bounds_the_whole_vector);
  RUN_TEST(test_orientation_error_is_the_rotation_to_the_reference);
  return UNITY_END() != 0;
}
