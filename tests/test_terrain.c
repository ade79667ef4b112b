/* test_terrain.c: heights, normals and gaps of planes, boxes and height fields; what the builders refuse. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_terrain *terrain;
static void fresh(int planes, int boxes, int samples) {
  po_terrain_dims dims;
  dims.planes = planes;
  dims.boxes = boxes;
  dims.samples = samples;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, &dims));
}

static void test_flat_ground_needs_no_memory(void) {
  const po_terrain *flat = po_terrain_flat();
  po_surface s = po_terrain_surface_at(flat, 3, -7);
  TEST_ASSERT_EQUAL_DOUBLE(0, s.height);
  TEST_ASSERT_EQUAL_DOUBLE(1, s.normal.z);
  TEST_ASSERT_EQUAL_INT(PO_TERRAIN_PLANE, s.kind);
  TEST_ASSERT_EQUAL_DOUBLE(-0.25, po_terrain_gap(NULL, flat, po_v3(1, 1, -0.25)));
}

static void test_nothing_is_infinitely_far(void) {
  po_surface s;
  fresh(1, 1, 0);
  TEST_ASSERT_TRUE(po_terrain_height(terrain, 0, 0) == -PO_INF);
  TEST_ASSERT_TRUE(po_terrain_gap(&s, terrain, po_v3(0, 0, 0)) == PO_INF);
  TEST_ASSERT_EQUAL_INT(PO_TERRAIN_NONE, s.kind);
  TEST_ASSERT_TRUE(po_terrain_height(NULL, 0, 0) == -PO_INF);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(1, 0, 0), 2, 1)); /* a wall has no height */
  TEST_ASSERT_TRUE(po_terrain_height(terrain, 0, 0) == -PO_INF);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, po_terrain_gap(&s, terrain, po_v3(3, 0, 0)));
  po_terrain_free(terrain);
}

static void test_slopes(void) {
  double a = 0.3;
  po_surface s;
  fresh(2, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(-2 * po_sin(a), 0, 2 * po_cos(a)), 0, 0.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2 * po_tan(a), po_terrain_height(terrain, 2, 9));
  s = po_terrain_surface_at(terrain, 2, 9);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, po_cos(a), s.normal.z);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, s.mu);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, po_cos(a), po_terrain_gap(NULL, terrain, po_v3(0, 0, 1)));
  po_terrain_free(terrain);
}

static void test_stairs(void) {
  po_surface s;
  po_pose tilted;
  int i;
  fresh(1, 8, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
  for (i = 0; i < 5; i++)
    TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(1 + 0.3 * i, -1, 0), po_v3(1.3 + 0.3 * i, 1, 0.15 * (i + 1)), 1));
  TEST_ASSERT_EQUAL_DOUBLE(0, po_terrain_height(terrain, 0.9, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.15, po_terrain_height(terrain, 1.1, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.75, po_terrain_height(terrain, 2.3, 0.5));
  TEST_ASSERT_EQUAL_DOUBLE(0, po_terrain_height(terrain, 2.3, 1.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.05, po_terrain_gap(&s, terrain, po_v3(0.95, 0, 0.1))); /* the riser is nearer than the ground */
  TEST_ASSERT_EQUAL_DOUBLE(-1, s.normal.x);
  TEST_ASSERT_EQUAL_INT(PO_TERRAIN_BOX, s.kind);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.03, po_terrain_gap(&s, terrain, po_v3(1.15, 0, 0.12))); /* inside the first step: out by the top */
  TEST_ASSERT_EQUAL_DOUBLE(1, s.normal.z);
  tilted.R = po_m3_rpy(0, -0.4, 0.7);
  tilted.p = po_v3(-3, 0, 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_box(terrain, tilted, po_v3(1, 1, 0.1), 1));
  s = po_terrain_surface_at(terrain, -3, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 + 0.1 / po_m3_col(tilted.R, 2).z, s.height);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_v3_sub(s.normal, po_m3_col(tilted.R, 2))));
  /* the surface point found has gap zero */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_terrain_gap(NULL, terrain, po_v3(-3, 0, s.height)));
  po_terrain_free(terrain);
}

/* Under a bar the ground is what one stands on; a tagged box is told apart; from below its top it is not found. */
static void test_the_surface_below(void) {
  unsigned ground = PO_TAG_BIT(PO_TAG_GROUND), bar = PO_TAG_BIT(PO_TAG_BAR);
  po_surface s;
  fresh(1, 4, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(1, -1, 0), po_v3(2, 1, 0.15), 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(1.4, -1, 0.15), po_v3(1.5, 1, 0.35), 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(0, -1, 1.3), po_v3(3, 1, 1.4), 1));
  TEST_ASSERT_EQUAL_INT(PO_TAG_GROUND, terrain->box[1].tag);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_tag(terrain, 1, PO_TAG_OBSTACLE));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_tag(terrain, 2, PO_TAG_BAR));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_set_tag(terrain, 3, PO_TAG_BAR));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_set_tag(terrain, -1, PO_TAG_BAR));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_set_tag(terrain, 0, PO_TAGS));
  TEST_ASSERT_EQUAL_DOUBLE(1.4, po_terrain_height(terrain, 0.5, 0)); /* the topmost is the bar's top, */
  s = po_terrain_surface_below(terrain, 0.5, 0, 1, PO_ANY_TAG);      /* and below 1 m there is the ground */
  TEST_ASSERT_EQUAL_DOUBLE(0, s.height);
  TEST_ASSERT_EQUAL_INT(PO_TERRAIN_PLANE, s.kind);
  s = po_terrain_surface_below(terrain, 1.45, 0, 1, PO_ANY_TAG);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.35, s.height);
  TEST_ASSERT_EQUAL_INT(PO_TAG_OBSTACLE, s.tag);
  s = po_terrain_surface_below(terrain, 1.45, 0, 1, ground);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.15, s.height);
  TEST_ASSERT_EQUAL_INT(PO_TAG_GROUND, s.tag);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.15, po_terrain_surface_below(terrain, 1.45, 0, 0.3, PO_ANY_TAG).height);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_terrain_surface_below(terrain, 1.2, 0, 0.1, PO_ANY_TAG).height); /* inside the step */
  TEST_ASSERT_EQUAL_DOUBLE(1.4, po_terrain_surface_below(terrain, 1.2, 0, PO_INF, bar).height);
  TEST_ASSERT_TRUE(po_terrain_surface_below(terrain, 1.2, 0, -0.1, PO_ANY_TAG).height == -PO_INF);
  TEST_ASSERT_TRUE(po_terrain_surface_below(terrain, 1.2, 0, PO_NAN, PO_ANY_TAG).height == -PO_INF);
  TEST_ASSERT_TRUE(po_terrain_gap(&s, terrain, po_v3(0.5, 0, 1.25)) > 0 && s.tag == PO_TAG_BAR);
  po_terrain_free(terrain);
}

static void test_height_field(void) {
  double z[6 * 5];
  po_surface s;
  po_rng rng;
  int ix, iy, k;
  fresh(0, 0, 30);
  for (iy = 0; iy < 5; iy++)
    for (ix = 0; ix < 6; ix++) z[iy * 6 + ix] = 0.3 * ix - 0.2 * iy; /* a plane: exact everywhere */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(terrain, 6, 5, -1, -2, 0.5, 0.4, z, 0.8));
  po_rng_init(&rng, 4, 0);
  for (k = 0; k < 200; k++) {
    double x = po_rng_range(&rng, -1, 1.5), y = po_rng_range(&rng, -2, -0.4);
    double h = 0.3 * (x + 1) / 0.5 - 0.2 * (y + 2) / 0.4;
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, h, po_terrain_height(terrain, x, y));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, po_terrain_gap(&s, terrain, po_v3(x, y, h)));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, po_v3_norm(po_v3_sub(s.normal, po_v3_unit(po_v3(-0.6, 0.5, 1)))));
  }
  for (k = 0; k <= 20; k++) { /* the borders belong to the cells within */
    double x = -1 + 2.5 * k / 20, y = -2 + 1.6 * k / 20;
    s = po_terrain_surface_at(terrain, 1.5, y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, po_v3_norm(po_v3_sub(s.normal, po_v3_unit(po_v3(-0.6, 0.5, 1)))));
    s = po_terrain_surface_at(terrain, x, -0.4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, po_v3_norm(po_v3_sub(s.normal, po_v3_unit(po_v3(-0.6, 0.5, 1)))));
  }
  TEST_ASSERT_TRUE(po_terrain_height(terrain, 1.6, -1) == -PO_INF);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1.5 - 0.8, po_terrain_height(terrain, 1.5, -0.4)); /* the very corner */
  z[2 * 6 + 2] += 1; /* samples were copied, so nothing changes */
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0.6 - 0.4, po_terrain_height(terrain, 0, -1.2));
  po_terrain_free(terrain);
}

static void test_the_two_halves_of_a_cell(void) {
  static const double z[4] = {0, 0, 0, 1}; /* only the high corner is up */
  fresh(0, 0, 4);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(terrain, 2, 2, 0, 0, 1, 1, z, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5, po_terrain_height(terrain, 0.5, 0.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, po_terrain_height(terrain, 0.8, 0.2));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, po_terrain_height(terrain, 0.2, 0.8));
  po_terrain_free(terrain);
}

static void test_builders_refuse_nonsense(void) {
  double z[4] = {0, 0, 0, PO_NAN};
  po_pose pose;
  po_terrain_dims dims = po_terrain_dims_default();
  pose.R = po_m3_identity();
  pose.p = po_v3(0, 0, 0);
  fresh(1, 1, 4);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_add_plane(terrain, po_v3(0, 0, 0), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_terrain_add_plane(terrain, po_v3(0, PO_NAN, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, -1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_add_box(terrain, pose, po_v3(1, 0, 1), 1));
  pose.R.m[0] = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_add_box(terrain, pose, po_v3(1, 1, 1), 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_add_step(terrain, po_v3(1, 0, 0), po_v3(0, 1, 1), 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_terrain_set_field(terrain, 2, 2, 0, 0, 1, 1, z, 1));
  z[3] = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_set_field(terrain, 2, 2, 0, 0, 0, 1, z, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_terrain_set_field(terrain, 2, 2, 0, 0, 1, 1, z, -0.1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_terrain_set_field(terrain, 3, 2, 0, 0, 1, 1, z, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_terrain_set_field(terrain, 1, 4, 0, 0, 1, 1, z, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_terrain_set_field(terrain, 2, 2, 0, 0, 1, 1, NULL, 1));
  po_terrain_free(terrain);
  dims.boxes = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_terrain_new(&terrain, &dims));
}

static void test_a_terrain_lives_where_the_embedder_says(void) {
  po_terrain local;
  po_terrain_dims dims = po_terrain_dims_default();
  size_t bytes = po_terrain_bytes(&dims);
  void *mem = malloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_terrain_init(&local, &dims, mem, bytes / 2));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_init(&local, &dims, mem, bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(&local, po_v3(0, 0, 0), po_v3(1, 1, 1), 1));
  TEST_ASSERT_EQUAL_DOUBLE(1, po_terrain_height(&local, 0.5, 0.5));
  free(mem);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_flat_ground_needs_no_memory);
  RUN_TEST(test_nothing_is_infinitely_far);
  RUN_TEST(test_slopes);
  RUN_TEST(test_stairs);
  RUN_TEST(test_the_surface_below);
  RUN_TEST(test_height_field);
  RUN_TEST(test_the_two_halves_of_a_cell);
  RUN_TEST(test_builders_refuse_nonsense);
  RUN_TEST(test_a_terrain_lives_where_the_embedder_says);
  return UNITY_END() != 0;
}
