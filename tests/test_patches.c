/* Which sole corners touch, their centroid and hull. */
#include "ctrl/ctrl.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_data *data;
static po_patches patches;
static double q[64];

void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_patches_init(&patches, model, po_terrain_flat(), PO_BOTH_FEET, &err));
  po_neutral(model, q);
}
void tearDown(void) {}

static void lift(double height) {
  q[6] += height;
  po_kinematics(data, q, NULL);
  po_patches_update(&patches, data);
}

/* On below 1 mm, off above 4 mm, unchanged between. */
static void test_contacts_have_hysteresis(void) {
  lift(0.002);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(-0.002);
  TEST_ASSERT_EQUAL_INT(8, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(0.0035);
  TEST_ASSERT_EQUAL_INT(8, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(0.001);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(-0.002);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
}

static void test_centroid_lies_between_the_feet(void) {
  po_vec3 both, left, right;
  lift(0);
  both = po_patches_centroid(&patches, data, 3);
  left = po_patches_centroid(&patches, data, 1);
  right = po_patches_centroid(&patches, data, 2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * (left.y + right.y), both.y);
  TEST_ASSERT_TRUE(left.y > 0.05 && right.y < -0.05);
}

/* The hull of two parallel soles is their bounding rectangle's corners, counter-clockwise, holding every touching point. */
static void test_hull_holds_all_points(void) {
  po_vec3 hull[PO_HULL_MAX];
  int i, f, k, n;
  double area = 0;
  lift(0);
  n = po_patches_hull(&patches, data, PO_BOTH_FEET, hull);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(4, n);
  for (i = 0; i < n; i++) area += hull[i].x * hull[(i + 1) % n].y - hull[(i + 1) % n].x * hull[i].y;
  TEST_ASSERT_TRUE(area > 0);
  for (f = 0; f < 2; f++)
    for (k = 0; k < 4; k++) {
      po_vec3 p = po_point_position(data, patches.patch[f].point_body[k], patches.patch[f].point[k]);
      for (i = 0; i < n; i++) {
        po_vec3 a = hull[i], b = hull[(i + 1) % n];
        TEST_ASSERT_TRUE((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > -1e-12);
      }
    }
}

static void test_hull_of_few_points(void) {
  po_vec3 hull[PO_HULL_MAX];
  lift(0);
  memset(patches.patch[0].touching, 0, sizeof patches.patch[0].touching);
  memset(patches.patch[1].touching, 0, sizeof patches.patch[1].touching);
  TEST_ASSERT_EQUAL_INT(0, po_patches_hull(&patches, data, PO_BOTH_FEET, hull));
  patches.patch[1].touching[2] = 1;
  TEST_ASSERT_EQUAL_INT(1, po_patches_hull(&patches, data, PO_BOTH_FEET, hull));
  patches.patch[1].touching[0] = 1;
  TEST_ASSERT_EQUAL_INT(2, po_patches_hull(&patches, data, PO_BOTH_FEET, hull));
}

static void test_distance_to_a_hull(void) {
  const po_vec3 square[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}, edge[2] = {{0, 0, 0}, {1, 0, 0}};
  po_vec3 at;
  TEST_ASSERT_EQUAL_DOUBLE(-0.25, po_hull_distance(square, 4, po_v3(1, 0.25, 5), &at));
  TEST_ASSERT_EQUAL_DOUBLE(1, at.x);
  TEST_ASSERT_EQUAL_DOUBLE(0, at.y);
  TEST_ASSERT_EQUAL_DOUBLE(5, po_hull_distance(square, 4, po_v3(5, 5, 0), &at));
  TEST_ASSERT_EQUAL_DOUBLE(2, at.x);
  TEST_ASSERT_EQUAL_DOUBLE(1, at.y);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_hull_distance(edge, 2, po_v3(0.5, 0, 0), &at)); /* an edge has no inside */
  TEST_ASSERT_EQUAL_DOUBLE(2, po_hull_distance(edge, 2, po_v3(0.5, -2, 0), &at));
  TEST_ASSERT_EQUAL_DOUBLE(3, po_hull_distance(edge, 1, po_v3(0, 3, 0), &at));
  TEST_ASSERT_TRUE(po_hull_distance(edge, 0, po_v3(0, 3, 0), &at) > 1e300);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_contacts_have_hysteresis);
  RUN_TEST(test_centroid_lies_between_the_feet);
  RUN_TEST(test_hull_holds_all_points);
  RUN_TEST(test_hull_of_few_points);
  RUN_TEST(test_distance_to_a_hull);
  return UNITY_END() != 0;
}
