/* Forward dynamics under bilateral contacts: both equations hold, also when contacts repeat each other. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void solve_and_check(const po_model *model, po_data *data, const rbd_state *s, const po_contact_point *c, int count,
                            int seed) {
  int n = model->nv, i;
  size_t bytes = po_contact_dynamics_bytes(model, count);
  void *mem = po_alloc(bytes);
  po_arena arena;
  double qdd[RBD_MAX_NV], f[3 * 16] = {0}, left[RBD_MAX_NV], right[RBD_MAX_NV];
  po_mat J = rbd_mat(3, n);
  po_arena_init(&arena, mem, bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_contact_dynamics(qdd, f, data, s->q, s->v, s->tau, c, count, &arena));
  TEST_ASSERT_EQUAL_INT(0, (int)po_arena_mark(&arena));
  po_rnea(left, data, s->q, s->v, qdd, NULL); /* M qdd + h */
  po_kinematics(data, s->q, s->v);
  memcpy(right, s->tau, sizeof right);
  for (i = 0; i < count; i++)
    po_apply_force(right, data, c[i].body, po_point_position(data, c[i].body, c[i].point), po_v3_of(f + 3 * i));
  rbd_close(left, right, n, 1e-7, "equation of motion", seed);
  for (i = 0; i < count; i++) {
    double a[3], scale = 10 + po_norm_inf(qdd, n);
    po_jacobian_point(J, data, c[i].body, c[i].point);
    po_gemv(a, J, qdd);
    rbd_close_v3(po_v3_add(po_v3_of(a), po_point_drift(data, c[i].body, c[i].point)), po_v3(0, 0, 0), scale, 1e-8,
                 "contact acceleration", seed);
  }
  po_free(J.a);
  po_free(mem);
}

static int checked;

/* On random trees one contact, wherever three freedoms move it. */
static void trees(const po_model *model, po_data *data, rbd_state *s, int seed) {
  po_contact_point c;
  po_mat J = rbd_mat(3, model->nv);
  po_arena arena;
  void *mem = po_alloc(1 << 20);
  int rank = 0;
  c.body = model->nb - 1;
  c.point = po_v3(0.1, 0.2, -0.1);
  po_arena_init(&arena, mem, 1 << 20);
  po_kinematics(data, s->q, s->v);
  po_jacobian_point(J, data, c.body, c.point);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_rank(&rank, J, 1e-3, PO_BASIS_SVD, &arena));
  if (rank == 3) solve_and_check(model, data, s, &c, 1, seed);
  checked += rank == 3;
  po_free(mem);
  po_free(J.a);
}

static void test_random_trees(void) {
  checked = 0;
  rbd_on_trees(trees);
  TEST_ASSERT_TRUE(checked > rbd_trees() / 2);
}

/* Corners of a turning sole cannot all have zero acceleration: v is projected on motions that leave the contacts at rest. */
static void come_to_rest(const po_model *model, po_data *data, rbd_state *s, const po_contact_point *c, int count) {
  int n = model->nv, i;
  po_mat J = rbd_mat(3 * count, n), P = rbd_mat(n, 3 * count);
  double slip[3 * 16];
  void *mem = po_alloc(1 << 20);
  po_arena arena;
  po_arena_init(&arena, mem, 1 << 20);
  po_kinematics(data, s->q, s->v);
  for (i = 0; i < count; i++) po_jacobian_point(po_block(J, 3 * i, 0, 3, n), data, c[i].body, c[i].point);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_pinv(P, J, PO_PINV_PLAIN, 0, &arena));
  po_gemv(slip, J, s->v);
  po_gemv_add(s->v, -1, P, slip);
  po_free(mem);
  po_free(J.a);
  po_free(P.a);
}

/* Two feet with four corners each: 24 rows of rank 12. */
static void test_human_on_eight_corners(void) {
  const po_model *model;
  po_data *data;
  static rbd_state s;
  po_contact_point c[8];
  int i, seed;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  for (i = 0; i < 8; i++) {
    char name[16];
    int f;
    po_format(name, sizeof name, "sole_%c_%d", i < 4 ? 'l' : 'r', i % 4);
    f = po_find_frame(model, name);
    c[i].body = model->frame[f].body;
    c[i].point = model->frame[f].pose.p;
  }
  for (seed = 1; seed <= 10; seed++) {
    rbd_random_state(&s, model, seed);
    if (seed == 1) po_neutral(s.q, model);
    come_to_rest(model, data, &s, c, 8);
    solve_and_check(model, data, &s, c, 8, seed);
    solve_and_check(model, data, &s, c, 0, seed);
  }
  po_data_free(data);
  po_model_free(model);
}

static void test_misuse(void) {
  const po_model *model;
  po_data *data;
  static rbd_state s;
  double mem[64], qdd[64], f[3];
  po_arena arena;
  po_contact_point c = {0, {0, 0, 0}};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  rbd_random_state(&s, model, 1);
  po_arena_init(&arena, mem, sizeof mem);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_contact_dynamics(qdd, f, data, s.q, s.v, s.tau, &c, 1, &arena));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_contact_dynamics(qdd, f, data, s.q, s.v, s.tau, &c, -1, &arena));
  s.q[0] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_contact_dynamics(qdd, f, data, s.q, s.v, s.tau, &c, 1, &arena));
  po_data_free(data);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_trees);
  RUN_TEST(test_human_on_eight_corners);
  RUN_TEST(test_misuse);
  return UNITY_END() != 0;
}
