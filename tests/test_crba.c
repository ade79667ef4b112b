/* The mass matrix: columns are RNEA's, it is symmetric and positive definite, and it measures kinetic energy. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void mass_matrix(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv, i, j;
  po_mat M = rbd_mat(n, n), R = rbd_mat(n, n), L = rbd_mat(n, n);
  double zero[RBD_MAX_NV] = {0}, e[RBD_MAX_NV], column[RBD_MAX_NV], Mv[RBD_MAX_NV], twice, energy, rotor = 0;
  po_crba(M, data, s->q);
  data->gravity = po_v3(0, 0, 0);
  for (j = 0; j < n; j++) {
    for (i = 0; i < n; i++) e[i] = i == j;
    po_rnea(column, data, s->q, zero, e, NULL);
    for (i = 0; i < n; i++) PO_AT(R, i, j) = column[i];
  }
  data->gravity = po_v3(0, 0, -9.81);
  rbd_close(M.a, R.a, n * n, 1e-13, "M against RNEA", seed);
  for (i = 0; i < n; i++)
    for (j = 0; j < i; j++) TEST_ASSERT_TRUE(PO_AT(M, i, j) == PO_AT(M, j, i));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_cholesky(L, NULL, M), "M must be positive definite");
  po_gemv(Mv, M, s->v);
  twice = po_dot(Mv, s->v, n);
  po_kinematics(data, s->q, s->v);
  for (i = 0; i < model->nb; i++)
    for (j = 0; j < model->joint[i].nv && j < 3; j++)
      rotor += model->joint[i].armature[j] * s->v[model->joint[i].v + j] * s->v[model->joint[i].v + j];
  energy = po_kinetic_energy(data) + 0.5 * rotor;
  twice *= 0.5;
  rbd_close(&energy, &twice, 1, 1e-12, "kinetic energy", seed);
  po_free(M.a);
  po_free(R.a);
  po_free(L.a);
}

static void test_mass_matrix(void) { rbd_on_trees(mass_matrix); }

/* M does not know where the base is. */
static void pose_free(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv;
  po_mat M = rbd_mat(n, n), N = rbd_mat(n, n);
  if (model->floating) {
    po_crba(M, data, s->q);
    s->q[0] = 1;
    s->q[1] = s->q[2] = s->q[3] = 0;
    s->q[4] = 1000;
    po_crba(N, data, s->q);
    TEST_ASSERT_EQUAL_INT(0, memcmp(M.a, N.a, sizeof(double) * (size_t)(n * n)));
  }
  (void)seed;
  po_free(M.a);
  po_free(N.a);
}

static void test_mass_matrix_does_not_depend_on_the_base(void) { rbd_on_trees(pose_free); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_mass_matrix);
  RUN_TEST(test_mass_matrix_does_not_depend_on_the_base);
  return UNITY_END() != 0;
}
