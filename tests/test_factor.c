/* The factor along the tree solves what dense Cholesky solves, and refuses what is not positive definite. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void solve(const po_model *model, po_data *data, rbd_state *s, int seed) {
  int n = model->nv;
  po_mat M = rbd_mat(n, n);
  double x[RBD_MAX_NV], back[RBD_MAX_NV], qdd[RBD_MAX_NV];
  int i;
  po_crba(M, data, s->q);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_factor(data, M));
  memcpy(x, s->tau, sizeof x);
  po_factor_solve(x, data);
  po_gemv(back, M, x);
  rbd_close(back, s->tau, n, 1e-10, "M x", seed);
  /* M^-1 (tau − h) is ABA's answer */
  po_bias(back, data, s->q, s->v);
  for (i = 0; i < n; i++) x[i] = s->tau[i] - back[i];
  po_factor_solve(x, data);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, s->q, s->v, s->tau, NULL));
  rbd_close(x, qdd, n, 1e-8, "CRBA, RNEA and factor against ABA", seed);
  PO_AT(M, n - 1, n - 1) = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_factor(data, M));
  PO_AT(M, 0, 0) = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR, po_factor(data, M));
  po_free(M.a);
}

static void test_solve(void) { rbd_on_trees(solve); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_solve);
  return UNITY_END() != 0;
}
