/* Four nodes at a time: the grouping keeps parents before children, and the AVX2 twins say what the plain code says. */
#include "rbd/lanes.h"
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

static void grouping(const po_model *model, po_data *data, rbd_state *s, int seed) {
  const struct po_model_fast *t = model->fast;
  const struct po_lane_plan *plan = t->lanes;
  int g, l, i, found = 0;
  (void)data;
  (void)s;
  (void)seed;
  for (g = 1; g < plan->groups; g++) {
    const po_lane_group *x = &plan->group[g];
    int any = 0;
    for (l = 0; l < 4; l++) {
      const po_node *n = &t->node[x->node[l]];
      if (!x->node[l]) continue;
      any = 1;
      found++;
      TEST_ASSERT_EQUAL_INT(4 * g + l, n->slot);
      TEST_ASSERT_TRUE(x->up_group[l] < g);
      if (n->parent > (model->floating ? 1 : 0)) {
        TEST_ASSERT_EQUAL_INT(n->parent, plan->group[x->up_group[l]].node[x->up_lane[l]]);
        if (x->straight) TEST_ASSERT_TRUE(x->up_lane[l] == l && x->up_group[l] == x->up_group[0]);
      } else {
        TEST_ASSERT_EQUAL_INT(0, x->up_group[l]);
      }
      if (n->kind == PO_NODE_REVOLUTE) TEST_ASSERT_EQUAL_INT(x->angle + l, n->angle);
    }
    TEST_ASSERT_TRUE(any);
  }
  TEST_ASSERT_EQUAL_INT(t->n - (model->floating ? 1 : 0), found);
  for (i = 0; i < t->turning; i++) TEST_ASSERT_TRUE(t->angle_at[i] < t->angles);
}

static void test_grouping(void) { rbd_on_trees(grouping); }

/* Two arms and two legs: the tree of 30 nodes of a humanoid is 10 groups deep, and half of the human's joints share groups. */
static void test_limbs_are_walked_in_step(void) {
  const po_model *model;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(16, model->fast->n); /* 14 bodies, two ankles of two axes */
  TEST_ASSERT_EQUAL_INT(6, model->fast->lanes->groups);
  po_model_free(model);
}

typedef struct results {
  double tau[RBD_MAX_NV], qdd[RBD_MAX_NV], h[RBD_MAX_NV], x[RBD_MAX_NV], momentum[6], drift[6], com[9];
  po_pose pose[RBD_MAX_BODIES];
  po_vec6 vel[RBD_MAX_BODIES], acceleration[RBD_MAX_BODIES];
} results;

static void compute(results *r, po_mat M, po_mat cmm, po_data *data, const rbd_state *s) {
  const po_model *model = data->model;
  int n = model->nv;
  po_rnea(r->tau, data, s->q, s->v, s->a, s->f_ext);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(r->qdd, data, s->q, s->v, s->tau, s->f_ext));
  memcpy(r->x, s->tau, sizeof r->x);
  po_minv_mul(po_mat_of(r->x, 1, n, n), data);
  po_all_terms(data, s->q, s->v);
  po_mat_copy(M, data->M);
  po_mat_copy(cmm, data->cmm);
  memcpy(r->h, data->h, sizeof(double) * (size_t)n);
  memcpy(r->momentum, data->momentum, sizeof r->momentum);
  memcpy(r->drift, data->momentum_drift, sizeof r->drift);
  po_v3_to(r->com, data->com);
  po_v3_to(r->com + 3, data->com_velocity);
  po_v3_to(r->com + 6, data->com_drift);
  memcpy(r->pose, data->pose, sizeof(po_pose) * (size_t)model->nb);
  memcpy(r->vel, data->vel, sizeof(po_vec6) * (size_t)model->nb);
  memcpy(r->acceleration, data->drift, sizeof(po_vec6) * (size_t)model->nb);
}

static void twins_on(const po_model *model, int seed) {
  static rbd_state s;
  static results plain, wide;
  int n = model->nv;
  po_data *data;
  po_mat M = rbd_mat(n, n), N = rbd_mat(n, n), C = rbd_mat(6, n), D = rbd_mat(6, n);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  rbd_random_state(&s, model, seed);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  compute(&plain, M, C, data, &s);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_AVX2));
  compute(&wide, N, D, data, &s);
  rbd_close(wide.tau, plain.tau, n, 1e-13, "rnea", seed);
  rbd_close(wide.qdd, plain.qdd, n, 1e-8, "aba", seed); /* M of random trees has conditions up to 1e5 */
  rbd_close(wide.x, plain.x, n, 1e-8, "minv", seed);
  rbd_close(N.a, M.a, n * n, 1e-13, "M", seed);
  rbd_close(D.a, C.a, 6 * n, 1e-13, "cmm", seed);
  rbd_close(wide.h, plain.h, n, 1e-13, "h", seed);
  rbd_close(wide.momentum, plain.momentum, 6, 1e-12, "momentum", seed);
  rbd_close(wide.drift, plain.drift, 6, 1e-12, "momentum drift", seed);
  rbd_close(wide.com, plain.com, 9, 1e-13, "com", seed);
  rbd_close(wide.pose[0].R.m, plain.pose[0].R.m, 12 * model->nb, 1e-13, "poses", seed);
  rbd_close(&wide.vel[0].ang.x, &plain.vel[0].ang.x, 6 * model->nb, 1e-13, "velocities", seed);
  rbd_close(&wide.acceleration[0].ang.x, &plain.acceleration[0].ang.x, 6 * model->nb, 1e-12, "drifts", seed);
  po_data_free(data);
  po_free(M.a), po_free(N.a), po_free(C.a), po_free(D.a);
}

static void test_twins_agree(void) {
  int seed, b;
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("this CPU has no AVX2");
  for (seed = 1; seed <= rbd_trees(); seed++) {
    const po_model *model = rbd_random_tree(seed);
    twins_on(model, seed);
    po_model_free(model);
  }
  for (b = 0; po_body_names[b]; b++) {
    const po_model *model;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, po_body_names[b], NULL));
    for (seed = 1; seed <= 5; seed++) twins_on(model, seed);
    po_model_free(model);
  }
}

/* The same inputs give the same bits, and a factor made on one path serves the other. */
static void test_paths_may_change_between_calls(void) {
  const po_model *model;
  static rbd_state s;
  po_data *data;
  double want[64], got[64], again[64];
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) TEST_IGNORE_MESSAGE("this CPU has no AVX2");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  rbd_random_state(&s, model, 3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(want, data, s.q, s.v, s.tau, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(again, data, s.q, s.v, s.tau, NULL));
  TEST_ASSERT_EQUAL_INT(0, memcmp(want, again, sizeof(double) * 35));
  po_kinematics(data, s.q, s.v);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_minv_factor(data, s.q));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  memcpy(got, s.tau, sizeof got);
  po_minv_mul(po_mat_of(got, 1, 35, 35), data); /* factors from the other path */
  po_centroidal(data);                          /* and kinematics */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_minv_factor(data, s.q));
  memcpy(want, s.tau, sizeof want);
  po_minv_mul(po_mat_of(want, 1, 35, 35), data);
  rbd_close(got, want, 35, 1e-10, "minv over paths", 3);
  po_gemv(got, data->cmm, s.v);
  rbd_close(got, data->momentum, 6, 1e-12, "cmm over paths", 3);
  po_data_free(data);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_grouping);
  RUN_TEST(test_limbs_are_walked_in_step);
  RUN_TEST(test_twins_agree);
  RUN_TEST(test_paths_may_change_between_calls);
  return UNITY_END() != 0;
}
