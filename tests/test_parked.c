/* test_parked.c: characters that take no part in steps: they cost nothing, touch nothing, and come back where they are written to. */
#include "contact_helpers.h"

static const po_model *box;
static po_world *world;

void setUp(void) { box = free_box(1, 0.1, 0.1, 0.1); }
void tearDown(void) {
  po_world_free(world);
  po_model_free(box);
}

/* A ball of a world in which others are parked goes the way it goes alone, to the bit. */
static void test_who_is_parked_is_not_there(void) {
  po_world *alone = new_world(NULL);
  double q[7];
  int k;
  world = new_world(NULL);
  add(alone, box, 0, 0, 0.5);
  for (k = 0; k < 5; k++) add(world, box, 0, 0, 0.5);
  for (k = 0; k < 5; k++)
    if (k != 2) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, k, 0));
  po_world_q(world, 4)[4] = PO_NAN; /* nobody looks */
  memcpy(q, po_world_q(world, 0), sizeof q);
  steps(alone, 600, 0.001);
  steps(world, 600, 0.001);
  TEST_ASSERT_EQUAL_MEMORY(po_world_q(alone, 0), po_world_q(world, 2), sizeof(double) * 7);
  TEST_ASSERT_EQUAL_MEMORY(po_world_v(alone, 0), po_world_v(world, 2), sizeof(double) * 6);
  TEST_ASSERT_EQUAL_MEMORY(q, po_world_q(world, 0), sizeof q);
  TEST_ASSERT_EQUAL_INT(po_world_last_report(alone).contacts, po_world_last_report(world).contacts);
  TEST_ASSERT_TRUE(po_world_active(world, 2) && !po_world_active(world, 1) && !po_world_active(world, 9));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_active(world, 9, 0));
  po_world_free(alone);
}

/* Back again it falls on what is below it, from where it was put, and the books balance. */
static void test_it_comes_back_where_it_is_put(void) {
  po_energy e;
  world = new_world(NULL);
  add(world, box, 0, 0, 0.1);
  add(world, box, 0, 0, 0.1); /* inside the first: they would burst apart */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 1, 0));
  steps(world, 100, 0.001);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.1, position(world, 0).z);
  po_world_q(world, 1)[6] = 0.6;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 1, 1));
  steps(world, 2000, 0.001);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.3, position(world, 1).z);
  e = po_world_energy(world);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, e.kinetic + e.potential + e.spring,
                            e.placed + e.motors + e.external + e.impacts + e.contacts + e.limits + e.springs + e.damping + e.recovery + e.integration);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 0, 0)); /* what it lay on is gone */
  steps(world, 500, 0.001);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.1, position(world, 1).z);
}

/* A spring to somebody who is parked does not pull. */
static void test_springs_let_go(void) {
  po_spring s;
  memset(&s, 0, sizeof s);
  s.b = 1, s.stiffness = 1000;
  world = new_world(NULL);
  add(world, box, 0, 0, 2);
  add(world, box, 5, 0, 2);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, world, &s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 1, 0));
  steps(world, 100, 0.001);
  TEST_ASSERT_EQUAL_DOUBLE(0, velocity(world, 0).x);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_world_energy(world).spring);
}

static void test_it_is_saved(void) {
  size_t bytes;
  void *state;
  uint64_t hash;
  world = new_world(NULL);
  add(world, box, 0, 0, 0.3);
  add(world, box, 0, 0, 0.6);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 1, 0));
  bytes = po_world_save_bytes(world);
  state = malloc(bytes);
  steps(world, 50, 0.001);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, world));
  steps(world, 100, 0.001);
  hash = po_world_hash(world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_active(world, 1, 1));
  steps(world, 10, 0.001);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, state, bytes));
  TEST_ASSERT_FALSE(po_world_active(world, 1));
  steps(world, 100, 0.001);
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  free(state);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_who_is_parked_is_not_there);
  RUN_TEST(test_it_comes_back_where_it_is_put);
  RUN_TEST(test_springs_let_go);
  RUN_TEST(test_it_is_saved);
  return UNITY_END() != 0;
}
