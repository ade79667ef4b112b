/* M^-1 by articulated-body factors, for blocks of vectors and for single forces, against M itself. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* M (M^-1 x) = x, for a block of five rows. */
static void block(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv, i, row;
  po_mat M = rbd_mat(n, n), X = rbd_mat(5, n), Y = rbd_mat(5, n), Z = rbd_mat(5, n);
  po_rng rng;
  po_rng_init(&rng, (uint64_t)seed, 5);
  po_crba(M, data, s->q);
  for (row = 0; row < 5; row++)
    for (i = 0; i < n; i++) PO_AT(X, row, i) = PO_AT(Y, row, i) = po_rng_range(&rng, -1, 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_minv_factor(data, s->q));
  po_minv_mul(Y, data);
  po_gemm(Z, 0, 1, Y, PO_N, M, PO_N); /* M is symmetric */
  rbd_close(Z.a, X.a, 5 * n, 1e-10, "M minv x", seed);
  po_free(M.a), po_free(X.a), po_free(Y.a), po_free(Z.a);
}

static void test_block_of_vectors(void) { rbd_on_trees(block); }

/* The sparse right side gives what the dense one gives; po_aba leaves the same factors. */
static void force(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv, body = seed % model->nb;
  po_mat Y = rbd_mat(1, n);
  double out[RBD_MAX_NV], qdd[RBD_MAX_NV];
  po_vec3 f = po_v3(1, -2, 3), at;
  po_kinematics(data, s->q, s->v);
  at = po_point_position(data, body, po_v3(0.1, 0.2, 0.3));
  po_apply_force(Y.a, data, body, at, f);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, s->q, s->v, s->tau, NULL));
  po_minv_mul(Y, data);
  po_minv_force(out, data, body, at, f);
  rbd_close(out, Y.a, n, 1e-10, "po_minv_force", seed);
  po_minv_force(out, data, -1, at, f);
  for (int i = 0; i < n; i++) TEST_ASSERT_TRUE(out[i] == 0);
  po_free(Y.a);
}

static void test_force_on_a_point(void) { rbd_on_trees(force); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_block_of_vectors);
  RUN_TEST(test_force_on_a_point);
  return UNITY_END() != 0;
}
