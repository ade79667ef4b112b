/* ABA is the inverse of RNEA, and says when there is nothing to invert. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* aba(rnea(a)) = a to the condition of M; rnea(aba(tau)) = tau to rounding. */
static void inverse(const po_model *model, po_data *data, rbd_state *s, int seed) {
  double qdd[RBD_MAX_NV], tau[RBD_MAX_NV];
  int k;
  for (k = 0; k < 2; k++) {
    const po_vec6 *f = k ? s->f_ext : NULL;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, s->q, s->v, s->tau, f));
    po_rnea(tau, data, s->q, s->v, qdd, f);
    rbd_close(tau, s->tau, model->nv, 1e-9, "rnea(aba(tau))", seed);
    po_rnea(tau, data, s->q, s->v, s->a, f);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, s->q, s->v, tau, f));
    rbd_close(qdd, s->a, model->nv, 1e-8, "aba(rnea(a))", seed);
  }
}

static void test_rnea_and_aba_undo_each_other(void) { rbd_on_trees(inverse); }

/* What is added to M's diagonal acts like it: M qdd + added qdd = tau − c, but not on floating joints; po_minv_factor too. */
static void with_added(const po_model *model, po_data *data, rbd_state *s, int seed) {
  double qdd[RBD_MAX_NV], tau[RBD_MAX_NV], added[RBD_MAX_NV], zero[RBD_MAX_NV] = {0}, x[RBD_MAX_NV];
  int i, k;
  for (i = 0; i < model->nv; i++) added[i] = 0.1 + fabs(s->a[i]);
  data->added = added;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, s->q, s->v, s->tau, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_minv_factor(data, s->q));
  memcpy(x, s->tau, sizeof x);
  po_minv_mul(po_mat_of(x, 1, model->nv, model->nv), data); /* rows are right sides */
  data->added = NULL;
  for (i = 0; i < model->nb; i++)
    for (k = 0; k < model->joint[i].nv && model->joint[i].type == PO_JOINT_FLOATING; k++) added[model->joint[i].v + k] = 0;
  po_rnea(tau, data, s->q, s->v, qdd, NULL);
  for (i = 0; i < model->nv; i++) tau[i] += added[i] * qdd[i];
  rbd_close(tau, s->tau, model->nv, 1e-9, "aba with an added diagonal", seed);
  data->gravity = po_v3(0, 0, 0);
  po_rnea(tau, data, s->q, zero, x, NULL);
  data->gravity = po_v3(0, 0, -9.81);
  for (i = 0; i < model->nv; i++) tau[i] += added[i] * x[i];
  rbd_close(tau, s->tau, model->nv, 1e-9, "minv with an added diagonal", seed);
}

static void test_an_added_diagonal(void) { rbd_on_trees(with_added); }

/* A floating box falls with g whatever it does, and its spin obeys Euler. */
static void test_free_fall(void) {
  po_builder *b;
  const po_model *model;
  po_data *data;
  po_joint j = po_joint_default(PO_JOINT_FLOATING, "free");
  po_inertia x = po_inertia_box(3, 0.2, 0.3, 0.4);
  double q[7] = {0.5, 0.5, -0.5, 0.5, 100, -200, 300}, v[6] = {1, 2, 3, 0.4, 0.5, 0.6}, tau[6] = {0}, qdd[6];
  po_vec3 w = po_v3(1, 2, 3), u = po_v3(0.4, 0.5, 0.6), a, expected;
  po_mat3 R = po_q_matrix(po_q(0.5, 0.5, -0.5, 0.5));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "box"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "box", NULL, &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, q, v, tau, NULL));
  expected = po_v3_neg(po_m3_mul_v(po_m3_inverse(x.I), po_v3_cross(w, po_m3_mul_v(x.I, w))));
  rbd_close_v3(po_v3_of(qdd), expected, 1, 1e-14, "Euler", 0);
  a = po_m3_mul_v(R, po_v3_add(po_v3_of(qdd + 3), po_v3_cross(w, u))); /* classical, in the world */
  rbd_close_v3(a, po_v3(0, 0, -9.81), 1, 1e-14, "free fall", 0);
  po_data_free(data);
  po_model_free(model);
  po_builder_free(b);
}

/* Two bodies that float side by side under a fixed root: neither is a base, and they do not feel each other. */
static void test_two_free_bodies(void) {
  po_builder *b;
  const po_model *model;
  po_data *data;
  po_joint root = po_joint_default(PO_JOINT_FIXED, "root"), j = po_joint_default(PO_JOINT_FLOATING, "one"),
           k = po_joint_default(PO_JOINT_FLOATING, "two");
  po_inertia x = po_inertia_box(3, 0.2, 0.3, 0.4);
  double q[14] = {0.5, 0.5, -0.5, 0.5, 1, -2, 3, 0.6, 0, 0.8, 0, 4, 5, 6}, v[12] = {1, 2, 3, 0.4, 0.5, 0.6, 3, 2, 1, 0.1, 0.2, 0.3},
         tau[12] = {0}, qdd[12];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "pair"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "ground", NULL, &root, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "first", "ground", &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "second", "ground", &k, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
  TEST_ASSERT_EQUAL_INT(0, model->floating);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, q, v, tau, NULL));
  for (i = 0; i < 2; i++) {
    po_vec3 a = po_v3_add(po_v3_of(qdd + 6 * i + 3), po_v3_cross(po_v3_of(v + 6 * i), po_v3_of(v + 6 * i + 3)));
    rbd_close_v3(po_m3_mul_v(po_q_matrix(po_q_of(q + 7 * i)), a), po_v3(0, 0, -9.81), 1, 1e-13, "free fall", i);
  }
  po_data_free(data);
  po_model_free(model);
  po_builder_free(b);
}

static void test_singular_inertia_is_reported(void) {
  po_builder *b;
  const po_model *model;
  po_data *data;
  po_joint j = po_joint_default(PO_JOINT_SPHERICAL, "ball");
  po_inertia x = po_inertia_sphere(1, 0);
  double q[4] = {1, 0, 0, 0}, v[3] = {0}, tau[3] = {0}, qdd[3] = {7, 7, 7};
  x.com = po_v3(0, 0, 1); /* a point on a stick: no inertia about the stick */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "stick"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "stick", NULL, &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_aba(qdd, data, q, v, tau, NULL));
  TEST_ASSERT_EQUAL_DOUBLE(7, qdd[0]);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_minv_factor(data, q));
  po_data_free(data);
  po_model_free(model);
  po_builder_free(b);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rnea_and_aba_undo_each_other);
  RUN_TEST(test_an_added_diagonal);
  RUN_TEST(test_free_fall);
  RUN_TEST(test_two_free_bodies);
  RUN_TEST(test_singular_inertia_is_reported);
  return UNITY_END() != 0;
}
