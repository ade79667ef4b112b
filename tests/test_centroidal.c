/* COM, momentum and po_all_terms against their definitions. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* Sums over bodies: L = Σ I w + m (r − c) × v and p = Σ m v, the orbital part included. */
static void definition(const po_model *model, po_data *data, rbd_state *s, int seed) {
  po_vec3 c = po_v3(0, 0, 0), L = c, p = c;
  double want[6], got[6];
  int i, n = model->nv;
  po_kinematics(data, s->q, s->v);
  for (i = 0; i < model->nb; i++)
    c = po_v3_addscaled(c, model->inertia[i].mass / model->total_mass, po_point_position(data, i, model->inertia[i].com));
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    po_mat3 I = po_m3_mult(po_m3_mul(data->pose[i].R, x->I), data->pose[i].R);
    po_vec3 v = po_point_velocity(data, i, x->com), r = po_v3_sub(po_point_position(data, i, x->com), c);
    L = po_v3_add(L, po_v3_add(po_m3_mul_v(I, po_body_angular_velocity(data, i)), po_v3_scale(x->mass, po_v3_cross(r, v))));
    p = po_v3_addscaled(p, x->mass, v);
  }
  po_v3_to(want, L);
  po_v3_to(want + 3, p);
  po_com(data);
  rbd_close_v3(data->com, c, 1, 1e-13, "com", seed);
  po_com_jacobian(data);
  po_gemv(got, data->Jcom, s->v);
  rbd_close_v3(po_v3_of(got), data->com_velocity, 1, 1e-12, "Jcom v", seed);
  po_centroidal(data);
  rbd_close(data->momentum, want, 6, 1e-11, "momentum", seed);
  po_gemv(got, data->cmm, s->v);
  rbd_close(got, want, 6, 1e-11, "cmm v", seed);
  rbd_close_v3(po_v3_scale(model->total_mass, data->com_velocity), p, 10, 1e-12, "m times com velocity", seed);
  (void)n;
}

static void test_momentum_is_what_the_definition_says(void) { rbd_on_trees(definition); }

/* Drifts are the rates at qdd = 0, so differences along constant v must meet them. */
static void drift(const po_model *model, po_data *data, rbd_state *s, int seed) {
  static double q[RBD_MAX_NV + 64];
  double h = 1e-5, plus[6], minus[6], rate[6];
  po_vec3 v1, v0;
  int i;
  po_integrate(q, model, s->q, s->v, h);
  po_kinematics(data, q, s->v);
  po_centroidal(data);
  memcpy(plus, data->momentum, sizeof plus);
  v1 = data->com_velocity;
  po_integrate(q, model, s->q, s->v, -h);
  po_kinematics(data, q, s->v);
  po_centroidal(data);
  memcpy(minus, data->momentum, sizeof minus);
  v0 = data->com_velocity;
  for (i = 0; i < 6; i++) rate[i] = (plus[i] - minus[i]) / (2 * h);
  po_kinematics(data, s->q, s->v);
  po_centroidal(data);
  rbd_close(rate, data->momentum_drift, 6, 1e-6, "momentum drift", seed);
  rbd_close_v3(po_v3_scale(0.5 / h, po_v3_sub(v1, v0)), data->com_drift, 10, 1e-7, "com drift", seed);
}

static void test_drifts_are_derivatives(void) { rbd_on_trees(drift); }

/* One pass gives what the single functions give. */
static void all_terms(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv, i;
  po_data *other;
  po_mat M = rbd_mat(n, n);
  double h[RBD_MAX_NV];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&other, model));
  po_crba(M, other, s->q);
  po_bias(h, other, s->q, s->v);
  po_kinematics(other, s->q, s->v);
  po_centroidal(other);
  po_all_terms(data, s->q, s->v);
  for (i = 0; i < n; i++) rbd_close(po_row(data->M, i), po_row(M, i), n, 1e-11, "M", seed);
  rbd_close(data->h, h, n, 1e-11, "h", seed);
  for (i = 0; i < 6; i++) rbd_close(po_row(data->cmm, i), po_row(other->cmm, i), n, 1e-12, "cmm", seed);
  po_com_jacobian(other);
  for (i = 0; i < 3; i++) rbd_close(po_row(data->Jcom, i), po_row(other->Jcom, i), n, 1e-12, "Jcom", seed);
  rbd_close(data->momentum, other->momentum, 6, 1e-12, "momentum", seed);
  rbd_close(data->momentum_drift, other->momentum_drift, 6, 1e-11, "momentum drift", seed);
  rbd_close_v3(data->com, other->com, 1, 1e-13, "com", seed);
  rbd_close_v3(data->com_velocity, other->com_velocity, 1, 1e-12, "com velocity", seed);
  rbd_close_v3(data->com_drift, other->com_drift, 10, 1e-12, "com drift", seed);
  for (i = 0; i < model->nb; i++) {
    TEST_ASSERT_EQUAL_INT(0, memcmp(&data->pose[i], &other->pose[i], sizeof(po_pose)));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&data->vel[i], &other->vel[i], sizeof(po_vec6)));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&data->drift[i], &other->drift[i], sizeof(po_vec6)));
  }
  po_free(M.a);
  po_data_free(other);
}

static void test_all_terms_agree_with_the_single_functions(void) { rbd_on_trees(all_terms); }

/* With another gravity, potential energy and g(q) follow it. */
static void gravity(const po_model *model, po_data *data, rbd_state *s, int seed) {
  double g[RBD_MAX_NV], want, zero[RBD_MAX_NV] = {0};
  int i;
  data->gravity = po_v3(1, -2, 3);
  po_all_terms(data, s->q, zero);
  po_gravity(g, data, s->q);
  rbd_close(data->h, g, model->nv, 1e-11, "g(q)", seed);
  want = -model->total_mass * po_v3_dot(data->gravity, data->com);
  g[0] = po_potential_energy(data);
  rbd_close(g, &want, 1, 1e-12, "potential energy", seed);
  for (i = 0; i < 6; i++) TEST_ASSERT_TRUE(data->momentum_drift[i] == 0); /* at rest, exactly */
}

static void test_gravity_can_be_set(void) { rbd_on_trees(gravity); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_momentum_is_what_the_definition_says);
  RUN_TEST(test_drifts_are_derivatives);
  RUN_TEST(test_all_terms_agree_with_the_single_functions);
  RUN_TEST(test_gravity_can_be_set);
  return UNITY_END() != 0;
}
