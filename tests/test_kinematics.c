/* Velocities and drifts against finite differences of positions along a motion. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const double step = 1e-5;

/* A configuration on the motion with constant v (qdd = 0): second differences then are drifts. */
static void move(po_data *data, const rbd_state *s, double t) {
  static double q[RBD_MAX_NV + 64];
  po_integrate(q, data->model, s->q, s->v, t);
  po_kinematics(data, q, s->v);
}

static void points(const po_model *model, po_data *data, rbd_state *s, int seed) {
  po_vec3 local = po_v3(0.1, -0.2, 0.3);
  int i;
  for (i = 0; i < model->nb; i++) {
    po_vec3 x[3], v[3], w[2];
    po_vec3 velocity, drift, al, omega;
    po_mat3 R0, R1;
    po_vec3 turn;
    move(data, s, -step);
    x[0] = po_point_position(data, i, local);
    v[0] = po_point_velocity(data, i, local);
    w[0] = po_body_angular_velocity(data, i);
    R0 = data->pose[i].R;
    move(data, s, step);
    x[2] = po_point_position(data, i, local);
    v[2] = po_point_velocity(data, i, local);
    w[1] = po_body_angular_velocity(data, i);
    R1 = data->pose[i].R;
    move(data, s, 0);
    velocity = po_point_velocity(data, i, local);
    drift = po_point_drift(data, i, local);
    omega = po_body_angular_velocity(data, i);
    al = po_body_angular_drift(data, i);
    rbd_close_v3(po_v3_scale(0.5 / step, po_v3_sub(x[2], x[0])), velocity, 10, 1e-8, "velocity", seed);
    rbd_close_v3(po_v3_scale(0.5 / step, po_v3_sub(v[2], v[0])), drift, 100, 1e-7, "drift", seed);
    turn = po_q_log(po_q_from_matrix(po_m3_mult(R1, R0))); /* in world axes */
    rbd_close_v3(po_v3_scale(0.5 / step, turn), omega, 10, 1e-8, "angular velocity", seed);
    rbd_close_v3(po_v3_scale(0.5 / step, po_v3_sub(w[1], w[0])), al, 100, 1e-7, "angular drift", seed);
  }
}

static void test_velocities_and_drifts_are_derivatives(void) { rbd_on_trees(points); }

/* data->vel and data->drift say the same in body axes; drift is spatial, the points' is classical. */
static void published(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int i;
  po_kinematics(data, s->q, s->v);
  for (i = 0; i < model->nb; i++) {
    const po_pose *p = &data->pose[i];
    po_vec3 zero = po_v3(0, 0, 0), v = po_m3_mul_v(p->R, data->vel[i].lin), w = po_m3_mul_v(p->R, data->vel[i].ang);
    po_vec3 a = po_v3_add(po_m3_mul_v(p->R, data->drift[i].lin), po_v3_cross(w, v));
    rbd_close_v3(v, po_point_velocity(data, i, zero), 1, 1e-13, "vel.lin", seed);
    rbd_close_v3(w, po_body_angular_velocity(data, i), 1, 1e-13, "vel.ang", seed);
    rbd_close_v3(a, po_point_drift(data, i, zero), 10, 1e-13, "drift.lin", seed);
    rbd_close_v3(po_m3_mul_v(p->R, data->drift[i].ang), po_body_angular_drift(data, i), 10, 1e-13, "drift.ang", seed);
  }
  if (model->floating) { /* the base's own velocity is v's first six numbers */
    po_mat3 R = po_m3_mul(model->joint[0].placement.R, po_q_matrix(po_q_of(s->q)));
    rbd_close(&data->vel[0].ang.x, s->v, 6, 1e-13, "base velocity", seed);
    rbd_close(data->pose[0].R.m, R.m, 9, 1e-13, "base rotation", seed);
  }
}

static void test_published_velocities_are_in_body_axes(void) { rbd_on_trees(published); }

/* A URDF-style chain by hand: poses multiply. */
static void poses(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int i;
  po_neutral(s->q, model);
  po_kinematics(data, s->q, NULL);
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    po_pose want = j->placement;
    if (j->parent >= 0) {
      const po_pose *p = &data->pose[j->parent];
      want.R = po_m3_mul(p->R, j->placement.R);
      want.p = po_v3_add(p->p, po_m3_mul_v(p->R, j->placement.p));
    }
    rbd_close_v3(data->pose[i].p, want.p, 1, 1e-13, "position at zero", seed);
    rbd_close(data->pose[i].R.m, want.R.m, 9, 1e-13, "rotation at zero", seed);
  }
}

static void test_zero_configuration_is_the_placements(void) { rbd_on_trees(poses); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_velocities_and_drifts_are_derivatives);
  RUN_TEST(test_published_velocities_are_in_body_axes);
  RUN_TEST(test_zero_configuration_is_the_placements);
  return UNITY_END() != 0;
}
