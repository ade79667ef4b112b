/* test_detect.c: the list of contacts: ids that last, materials, pairs of characters, self-collision, room that runs out. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_ids_last_while_a_box_slides(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world *w = new_world(NULL);
  const po_contact *c;
  uint64_t id[4];
  int k, i, n;
  add(w, box, 0, 0, 0.1);
  po_world_set_material(w, 0, -1, 0.1, 0);
  po_world_v(w, 0)[3] = 1;
  steps(w, 2, 1e-3);
  c = po_world_contacts(&n, w);
  TEST_ASSERT_EQUAL_INT(4, n);
  for (i = 0; i < 4; i++) id[i] = c[i].id;
  for (k = 0; k < 200; k++) {
    steps(w, 1, 1e-3);
    c = po_world_contacts(&n, w);
    TEST_ASSERT_EQUAL_INT(4, n);
    for (i = 0; i < 4; i++) {
      TEST_ASSERT_TRUE(c[i].id == id[i]);
      TEST_ASSERT_EQUAL_INT(-1, c[i].b);
      TEST_ASSERT_EQUAL_INT(PO_TERRAIN_PLANE, c[i].body_b);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, c[i].mu);
      /* sliding: friction against the motion, at mu times the normal impulse */
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.1 * c[i].impulse.z, c[i].impulse.x);
      TEST_ASSERT_TRUE(c[i].velocity.x > 0);
    }
  }
  po_world_free(w);
  po_model_free(box);
}

static void icy(void *user, const po_contact *contact, double *mu, double *restitution) {
  int *asked = (int *)user;
  ++*asked;
  if (contact->b < 0 && contact->point.x > 0.5) *mu = 0;
  (void)restitution;
}

static void test_the_pair_function_has_the_last_word(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  int asked = 0;
  opts.pair = icy;
  opts.pair_user = &asked;
  w = new_world(&opts);
  add(w, box, 0, 0, 0.1);
  add(w, box, 1, 0, 0.1);
  po_world_v(w, 0)[3] = po_world_v(w, 1)[3] = 0.5;
  steps(w, 200, 1e-3);
  TEST_ASSERT_TRUE(asked > 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, velocity(w, 0).x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.5, velocity(w, 1).x);
  po_world_free(w);
  po_model_free(box);
}

static void test_friction_is_the_product_and_restitution_the_greater(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world_opts opts = po_world_opts_default();
  po_terrain *terrain;
  po_world *w;
  const po_contact *c;
  int n, i, pairs = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 0.5);
  opts.terrain = terrain;
  w = new_world(&opts);
  add(w, box, 0, 0, 0.1);
  add(w, box, 0, 0, 0.3);
  po_world_set_material(w, 0, -1, 0.8, 0.2);
  po_world_set_material(w, 1, 0, 0.25, 0.6);
  steps(w, 1, 1e-3);
  c = po_world_contacts(&n, w);
  for (i = 0; i < n; i++) {
    if (c[i].b < 0) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4, c[i].mu);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, c[i].restitution);
    } else {
      pairs++;
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, c[i].mu);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.6, c[i].restitution);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1, c[i].normal.z); /* from b, the upper one, to a */
    }
  }
  TEST_ASSERT_EQUAL_INT(4, pairs);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_material(w, 0, 0, -1, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_material(w, 0, 0, 1, 1.5));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_material(w, 2, 0, 1, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_set_material(w, 0, 0, PO_NAN, 0));
  po_world_free(w);
  po_terrain_free(terrain);
  po_model_free(box);
}

static void test_self_collision_is_a_choice_and_spares_neighbours(void) {
  const po_model *m;
  po_error err;
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  int n, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  opts.terrain = NULL;
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  po_world_set_self_collision(w, 0, 1);
  steps(w, 1, 1e-4);
  po_world_contacts(&n, w);
  TEST_ASSERT_EQUAL_INT(0, n); /* the zero pose touches nothing */
  po_world_q(w, 0)[m->joint[po_find_body(m, "thigh_l")].q + 1] = -0.1; /* legs crossed */
  po_world_q(w, 0)[m->joint[po_find_body(m, "thigh_r")].q + 1] = 0.1;
  po_world_set_self_collision(w, 0, 0);
  steps(w, 1, 1e-4);
  po_world_contacts(&n, w);
  TEST_ASSERT_EQUAL_INT(0, n);
  po_world_set_self_collision(w, 0, 1);
  steps(w, 1, 1e-4);
  {
    const po_contact *c = po_world_contacts(&n, w);
    TEST_ASSERT_TRUE(n > 0);
    for (k = 0; k < n; k++) {
      TEST_ASSERT_EQUAL_INT(0, c[k].a);
      TEST_ASSERT_EQUAL_INT(0, c[k].b);
    }
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_set_self_collision(w, 3, 1));
  po_world_free(w);
  po_model_free(m);
}

static void test_contacts_without_room_are_counted(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  int i, n;
  opts.max_contacts = 10;
  w = new_world(&opts);
  for (i = 0; i < 5; i++) add(w, box, i, 0, 0.1);
  steps(w, 1, 1e-3);
  po_world_contacts(&n, w);
  TEST_ASSERT_EQUAL_INT(10, n);
  TEST_ASSERT_EQUAL_INT(10, po_world_last_report(w).dropped);
  po_world_free(w);
  po_model_free(box);
}

static void test_shapes_meet_every_kind_of_terrain(void) {
  const po_model *kinds[3];
  po_world_opts opts = po_world_opts_default();
  po_terrain *terrain;
  po_terrain_dims dims = po_terrain_dims_default();
  po_world *w;
  double z[21 * 21];
  int i, k;
  kinds[0] = free_box(1, 0.1, 0.15, 0.08);
  kinds[1] = free_ball(1, 0.1);
  kinds[2] = free_capsule(1, 0.07, 0.15);
  dims.samples = 21 * 21;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, &dims));
  for (k = 0; k < 21 * 21; k++) z[k] = 0.05 * po_sin(1.3 * (k % 21)) * po_cos(0.9 * (k / 21));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(terrain, 21, 21, -2, -2, 0.2, 0.2, z, 1));
  for (i = 0; i < 4; i++) po_terrain_add_step(terrain, po_v3(3 + 0.4 * i, -2, -1), po_v3(3.4 + 0.4 * i, 2, 0.2 * i), 1);
  po_terrain_add_plane(terrain, po_v3(0, 0, 1), -0.5, 1);
  opts.terrain = terrain;
  w = new_world(&opts);
  for (i = 0; i < 12; i++) {
    int b = add(w, kinds[i % 3], i < 6 ? -1 + 0.4 * i : 3 + 0.25 * (i - 6), 0.3 * (i % 3), 0.8 + (i >= 6 ? 0.2 : 0));
    po_q_to(po_world_q(w, b), po_q_unit(po_q(1, 0.3 * i, 0.2, 0.1 * i)));
  }
  for (k = 0; k < 3000; k++) {
    steps(w, 1, 1e-3);
    TEST_ASSERT_TRUE(po_world_last_report(w).penetration < 0.03);
  }
  for (i = 0; i < 12; i++) {
    TEST_ASSERT_TRUE(position(w, i).z > -0.5);
    if (i % 3 == 0) TEST_ASSERT_TRUE(po_v3_norm(velocity(w, i)) < 0.05); /* boxes rest; round ones may roll */
  }
  po_world_free(w);
  po_terrain_free(terrain);
  for (i = 0; i < 3; i++) po_model_free(kinds[i]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_ids_last_while_a_box_slides);
  RUN_TEST(test_the_pair_function_has_the_last_word);
  RUN_TEST(test_friction_is_the_product_and_restitution_the_greater);
  RUN_TEST(test_self_collision_is_a_choice_and_spares_neighbours);
  RUN_TEST(test_contacts_without_room_are_counted);
  RUN_TEST(test_shapes_meet_every_kind_of_terrain);
  return UNITY_END() != 0;
}
