/* test_thing.c: crates and balls: their masses and inertias, and what is refused. */
#include "rbd/rbd.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void test_a_ball_and_a_crate(void) {
  po_thing ball = {"ball", PO_SPHERE, {0.1, 0, 0}, 5}, crate = {"crate", PO_BOX, {0.3, 0.2, 0.25}, 12};
  const po_model *m;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_thing_model(&m, &ball, &err));
  TEST_ASSERT_EQUAL_INT(1, m->nb);
  TEST_ASSERT_EQUAL_STRING("ball", m->body_name[0]);
  TEST_ASSERT_TRUE(m->floating && m->total_mass == 5);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.4 * 5 * 0.01, m->inertia[0].I.m[4]); /* 2/5 m r² */
  po_model_free(m);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_thing_model(&m, &crate, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 12.0 / 3 * (0.2 * 0.2 + 0.25 * 0.25), m->inertia[0].I.m[0]); /* m/3 (b² + c²) of half extents */
  TEST_ASSERT_EQUAL_DOUBLE(0.25, m->shape[0].size[2]);
  po_model_free(m);
}

static void refused(po_status why, po_thing thing) {
  const po_model *m = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(why, po_thing_model(&m, &thing, &err));
  TEST_ASSERT_NULL(m);
}

static void test_what_is_no_thing_is_refused(void) {
  po_thing good = {"crate", PO_BOX, {0.3, 0.2, 0.25}, 12}, t;
  t = good, t.size[2] = 0, refused(PO_ERR_RANGE, t);
  t = good, t.size[0] = PO_NAN, refused(PO_ERR_RANGE, t);
  t = good, t.mass = -1, refused(PO_ERR_RANGE, t);
  t = good, t.mass = PO_INF, refused(PO_ERR_RANGE, t);
  t = good, t.type = PO_CAPSULE, refused(PO_ERR_UNSUPPORTED, t);
  t = good, t.name = NULL, refused(PO_ERR_NULL, t);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_thing_model(NULL, &good, NULL));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_ball_and_a_crate);
  RUN_TEST(test_what_is_no_thing_is_refused);
  return UNITY_END() != 0;
}
