/* test_world_model.c: a character changes its build between steps; its lowest foot stays. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_the_lowest_foot_keeps_its_pose(void) {
  const po_model *m, *longer;
  po_error err;
  po_world *w = new_world(NULL);
  po_pose before, after;
  po_rng rng;
  int foot_l, foot_r, support, i, k;
  double *q, *v, keep[64];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_scale_limb(&longer, m, "thigh_l", 1.3, &err), err.message);
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 0);
  v = po_world_v(w, 0);
  po_neutral(q, m);
  po_rng_init(&rng, 1, 0);
  for (i = 0; i < m->nv; i++) v[i] = po_rng_range(&rng, -0.3, 0.3);
  q[m->joint[po_find_body(m, "shank_r")].q] = 0.6; /* the right foot is up */
  steps(w, 3, 1e-3);
  memcpy(keep, v, sizeof(double) * (size_t)m->nv);
  foot_l = po_find_body(m, "foot_l");
  foot_r = po_find_body(m, "foot_r");
  po_world_kinematics(w, 0);
  support = po_world_data(w, 0)->pose[foot_l].p.z < po_world_data(w, 0)->pose[foot_r].p.z ? foot_l : foot_r;
  TEST_ASSERT_EQUAL_INT(foot_l, support);
  before = po_world_data(w, 0)->pose[support];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_model(w, 0, longer));
  TEST_ASSERT_TRUE(po_world_model(w, 0) == longer);
  po_world_kinematics(w, 0);
  after = po_world_data(w, 0)->pose[support];
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_v3_sub(before.p, after.p)));
  for (k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, before.R.m[k], after.R.m[k]);
  for (k = 0; k < m->nv; k++) TEST_ASSERT_EQUAL_DOUBLE(keep[k], v[k]);
  steps(w, 200, 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_model(w, 0, m));
  steps(w, 200, 1e-3);
  po_world_free(w);
  po_model_free(longer);
  po_model_free(m);
}

static void test_free_bodies_change_too(void) {
  const po_model *small = free_box(1, 0.1, 0.1, 0.1), *large = free_box(8, 0.2, 0.2, 0.2);
  po_world *w = new_world(NULL);
  add(w, small, 0, 0, 0.1);
  steps(w, 10, 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_model(w, 0, large)); /* now 0.1 m deep: pushed out in its own time */
  steps(w, 1500, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.2, position(w, 0).z);
  po_world_free(w);
  po_model_free(small);
  po_model_free(large);
}

static void test_another_tree_is_refused(void) {
  const po_model *human, *ostrich;
  po_error err;
  po_world *w = new_world(NULL);
  uint64_t hash;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&ostrich, "ostrich", &err));
  add(w, human, 0, 0, 0);
  hash = po_world_hash(w);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_world_set_model(w, 0, ostrich));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_model(w, 1, human));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_world_set_model(w, 0, NULL));
  TEST_ASSERT_TRUE(hash == po_world_hash(w));
  po_world_free(w);
  po_model_free(human);
  po_model_free(ostrich);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_lowest_foot_keeps_its_pose);
  RUN_TEST(test_free_bodies_change_too);
  RUN_TEST(test_another_tree_is_refused);
  return UNITY_END() != 0;
}
