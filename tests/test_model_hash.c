/* The hash of a body: alike for alike, another for every difference that matters. */
#include "rbd/rbd.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static void test_every_built_in_body_has_its_own(void) {
  uint64_t seen[16];
  int i, k;
  for (i = 0; po_body_names[i] && i < 16; i++) {
    const po_model *m, *again;
    po_error err;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, po_body_names[i], &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&again, po_body_names[i], &err));
    seen[i] = po_model_hash(m);
    TEST_ASSERT_EQUAL_HEX64(seen[i], po_model_hash(again));
    for (k = 0; k < i; k++) TEST_ASSERT_TRUE_MESSAGE(seen[i] != seen[k], po_body_names[i]);
    po_model_free(m);
    po_model_free(again);
  }
}

/* A pendulum with one thing changed. */
static uint64_t pendulum(int change) {
  po_builder *b;
  const po_model *m;
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, "hinge");
  po_inertia I = po_inertia_sphere(change == 1 ? 2.001 : 2, 0.1);
  po_pose at = {po_m3_identity(), po_v3(change == 2 ? 0.1 : 0, 0, 0)};
  double size[3] = {change == 3 ? 0.11 : 0.1, 0, 0};
  po_error err;
  uint64_t h;
  j.axis = change == 4 ? po_v3(1, 0, 0) : po_v3(0, 1, 0);
  j.effort[0] = change == 5 ? 11 : 10;
  j.upper[0] = change == 6 ? 1.1 : 1;
  j.lower[0] = -1;
  j.damping[0] = change == 7 ? 0.1 : 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, change == 8 ? "other" : "pendulum"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, change == 9 ? "bob2" : "bob", NULL, &j, &I, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_frame(b, "tip", change == 9 ? "bob2" : "bob", at, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_shape(b, change == 9 ? "bob2" : "bob", PO_SPHERE, (po_pose){po_m3_identity(), {0, 0, 0}}, size, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&m, b, &err), err.message);
  po_builder_free(b);
  h = po_model_hash(m);
  po_model_free(m);
  return h;
}

static void test_every_difference_shows_but_the_name(void) {
  uint64_t plain = pendulum(0);
  int change;
  for (change = 1; change <= 9; change++)
    if (change != 8) TEST_ASSERT_TRUE(pendulum(change) != plain);
  TEST_ASSERT_EQUAL_HEX64(plain, pendulum(8));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_built_in_body_has_its_own);
  RUN_TEST(test_every_difference_shows_but_the_name);
  return UNITY_END() != 0;
}
