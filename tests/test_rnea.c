/* RNEA against d'Alembert on single bodies, and bias and gravity against RNEA. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void bias_and_gravity(const po_model *model, po_data *data, rbd_state *s, int seed) {
  double want[RBD_MAX_NV], got[RBD_MAX_NV], zero[RBD_MAX_NV] = {0};
  po_rnea(want, data, s->q, s->v, zero, NULL);
  po_bias(got, data, s->q, s->v);
  rbd_close(got, want, model->nv, 1e-14, "bias", seed);
  po_rnea(want, data, s->q, zero, zero, NULL);
  po_gravity(got, data, s->q);
  rbd_close(got, want, model->nv, 1e-13, "gravity", seed);
}

static void test_bias_and_gravity_are_rnea_at_zero(void) { rbd_on_trees(bias_and_gravity); }

/* Power balance: v'(rnea) with a = 0 … the work of tau equals the change of energy, checked by differences along the motion. */
static void power(const po_model *model, po_data *data, rbd_state *s, int seed) {
  static double q[RBD_MAX_NV + 64], v[RBD_MAX_NV];
  double tau[RBD_MAX_NV], e[2], h = 1e-5, work = 0, scale = 0;
  int i, k;
  po_rnea(tau, data, s->q, s->v, s->a, NULL);
  for (i = 0; i < model->nv; i++) work += tau[i] * s->v[i], scale += po_abs(tau[i] * s->v[i]);
  for (k = 0; k < 2; k++) {
    double dt = k ? h : -h, rotor = 0;
    for (i = 0; i < model->nv; i++) v[i] = s->v[i] + 0.5 * dt * s->a[i]; /* second order is all a central difference needs */
    po_integrate(q, model, s->q, v, dt);
    for (i = 0; i < model->nv; i++) v[i] = s->v[i] + dt * s->a[i];
    po_kinematics(data, q, v);
    for (i = 0; i < model->nb; i++) {
      int d;
      for (d = 0; d < model->joint[i].nv && model->joint[i].nv < 6; d++)
        rotor += 0.5 * model->joint[i].armature[d] * v[model->joint[i].v + d] * v[model->joint[i].v + d];
    }
    e[k] = po_kinetic_energy(data) + po_potential_energy(data) + rotor;
  }
  e[0] = (e[1] - e[0]) / (2 * h);
  work += scale; /* errors relative to the sum of |tau v| */
  e[0] += scale;
  rbd_close(e, &work, 1, 1e-7, "power", seed);
}

static void test_power_is_the_rate_of_energy(void) { rbd_on_trees(power); }

/* External forces: J'f taken off. */
static void external(const po_model *model, po_data *data, rbd_state *s, int seed) {
  double with[RBD_MAX_NV], without[RBD_MAX_NV];
  int i;
  po_rnea(with, data, s->q, s->v, s->a, s->f_ext);
  po_rnea(without, data, s->q, s->v, s->a, NULL);
  po_kinematics(data, s->q, s->v);
  for (i = 0; i < model->nv; i++) without[i] = without[i] - with[i], with[i] = 0;
  for (i = 0; i < model->nb; i++) {
    const po_pose *p = &data->pose[i];
    po_apply_force(with, data, i, p->p, po_m3_mul_v(p->R, s->f_ext[i].lin));
    po_apply_moment(with, data, i, po_m3_mul_v(p->R, s->f_ext[i].ang));
  }
  rbd_close(without, with, model->nv, 1e-11, "J'f", seed);
}

static void test_external_forces_act_by_the_transposed_jacobian(void) { rbd_on_trees(external); }

/* A pendulum of mass m at distance l: m l² a + m g l sin q. */
static void test_pendulum(void) {
  po_builder *b;
  const po_model *model;
  po_data *data;
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, "hinge");
  po_inertia x = po_inertia_sphere(2, 0);
  double q = 0.7, v = 3, a = -1.5, tau;
  x.com = po_v3(0, 0, -0.5);
  j.axis = po_v3(0, 1, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "pendulum"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "bob", NULL, &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  po_rnea(&tau, data, &q, &v, &a, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2 * 0.25 * a + 2 * 9.81 * 0.5 * po_sin(q), tau);
  po_data_free(data);
  po_model_free(model);
  po_builder_free(b);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bias_and_gravity_are_rnea_at_zero);
  RUN_TEST(test_power_is_the_rate_of_energy);
  RUN_TEST(test_external_forces_act_by_the_transposed_jacobian);
  RUN_TEST(test_pendulum);
  return UNITY_END() != 0;
}
