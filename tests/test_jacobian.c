/* Jacobians: J v is the velocity, J' is the way forces come in, and columns of unrelated freedoms are zero. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void jacobians(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv, body, f, i;
  po_mat J = rbd_mat(3, n), W = rbd_mat(3, n), F = rbd_mat(6, n);
  double got[6], want[6], y[RBD_MAX_NV], z[RBD_MAX_NV];
  po_kinematics(data, s->q, s->v);
  for (body = 0; body < model->nb; body++) {
    po_vec3 local = po_v3(0.3, 0.1, -0.2), force = po_v3(3, -5, 7), at = po_point_position(data, body, local);
    po_jacobian_point(J, data, body, local);
    po_jacobian_angular(W, data, body);
    po_gemv(got, J, s->v);
    po_v3_to(want, po_point_velocity(data, body, local));
    rbd_close(got, want, 3, 1e-12, "J v", seed);
    po_gemv(got, W, s->v);
    po_v3_to(want, po_body_angular_velocity(data, body));
    rbd_close(got, want, 3, 1e-12, "angular J v", seed);
    po_v3_to(want, force);
    po_gemv_t(z, J, want);
    memset(y, 0, sizeof y);
    po_apply_force(y, data, body, at, force);
    rbd_close(y, z, n, 1e-11, "J'f", seed);
    po_gemv_t(z, W, want);
    memset(y, 0, sizeof y);
    po_apply_moment(y, data, body, force);
    rbd_close(y, z, n, 1e-11, "J'n", seed);
    for (i = 0; i < n; i++) {
      int owner = model->dof_body[i];
      int above = owner <= body && body < model->subtree_end[owner];
      if (!above) TEST_ASSERT_TRUE(PO_AT(J, 0, i) == 0 && PO_AT(J, 1, i) == 0 && PO_AT(J, 2, i) == 0 && PO_AT(W, 0, i) == 0);
    }
  }
  for (f = 0; f < model->frames; f++) {
    const po_frame *e = &model->frame[f];
    po_jacobian_frame(F, data, f);
    po_gemv(got, F, s->v);
    po_v3_to(want, po_body_angular_velocity(data, e->body));
    po_v3_to(want + 3, po_point_velocity(data, e->body, e->pose.p));
    rbd_close(got, want, 6, 1e-12, "frame J v", seed);
  }
  po_free(J.a), po_free(W.a), po_free(F.a);
}

static void test_jacobians(void) { rbd_on_trees(jacobians); }

/* dJ/dt v by differences of J along the motion. */
static void rate(const po_model *model, po_data *data, rbd_state *s, int seed) {
  static double q[RBD_MAX_NV + 64];
  int n = model->nv, body = model->nb - 1, i;
  double h = 1e-5, got[3], other[3], want[3];
  po_vec3 local = po_v3(0.3, 0.1, -0.2);
  po_mat J = rbd_mat(3, n);
  po_integrate(q, model, s->q, s->v, h);
  po_kinematics(data, q, NULL);
  po_jacobian_point(J, data, body, local);
  po_gemv(got, J, s->v);
  po_integrate(q, model, s->q, s->v, -h);
  po_kinematics(data, q, NULL);
  po_jacobian_point(J, data, body, local);
  po_gemv(other, J, s->v);
  for (i = 0; i < 3; i++) got[i] = (got[i] - other[i]) / (2 * h);
  po_kinematics(data, s->q, s->v);
  po_v3_to(want, po_point_drift(data, body, local));
  rbd_close_v3(po_v3_of(got), po_v3_of(want), 100, 1e-7, "dJ/dt v", seed);
  po_free(J.a);
}

static void test_rate_of_the_jacobian(void) { rbd_on_trees(rate); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_jacobians);
  RUN_TEST(test_rate_of_the_jacobian);
  return UNITY_END() != 0;
}
