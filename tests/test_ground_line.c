/* The ground along a line: heights where the terrain has them, obstacles and holes are solid, bars are not seen. */
#include "ctrl/moves/ground_line.h"
#include "unity.h"

static po_terrain *terrain;
void setUp(void) {
  po_terrain_dims dims = po_terrain_dims_default();
  dims.boxes = 3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, &dims));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
}
void tearDown(void) { po_terrain_free(terrain); }

static void test_places_are_the_worlds_whatever_point_the_line_goes_through(void) {
  po_vec3 along = po_v3(0.6, 0.8, 0);
  po_ground_line a, b;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(0.9, 1.2, 0), po_v3(3, 3, 0.2), 1)); /* its corner is on the line, 1.5 m along it */
  po_ground_line_look(&a, terrain, po_v3(0, 0, 5), along, 0, 0.1, 25, 1);
  po_ground_line_look(&b, terrain, po_v3(-3, -4, 0), along, 0, 0.1, 25, 1);
  for (i = 0; i < 25; i++) {
    TEST_ASSERT_EQUAL_DOUBLE(a.height[i], b.height[i]);
    if (i != 15) TEST_ASSERT_EQUAL_DOUBLE(po_ground_line_place(&a, i) > 1.5 ? 0.2 : 0, a.height[i]); /* 15 is the corner itself, to the last digit */
    TEST_ASSERT_EQUAL_INT(i, po_ground_line_index(&a, po_ground_line_place(&a, i) + 0.04));
  }
  TEST_ASSERT_EQUAL_INT(0, po_ground_line_index(&a, -7));
  TEST_ASSERT_EQUAL_INT(24, po_ground_line_index(&a, 7));
}

static void test_what_is_not_level(void) {
  po_ground_line line;
  po_ground_line_look(&line, terrain, po_v3(0, 0, 0), po_v3(1, 0, 0), 0, 0.05, 40, 1);
  TEST_ASSERT_EQUAL_INT(0, po_ground_line_uneven(&line, 0.01));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(1, -1, 0), po_v3(2, 1, 0.05), 1));
  po_ground_line_look(&line, terrain, po_v3(0, 0, 0), po_v3(1, 0, 0), 0, 0.05, 40, 1);
  TEST_ASSERT_EQUAL_INT(1, po_ground_line_uneven(&line, 0.01));
  TEST_ASSERT_EQUAL_INT(0, po_ground_line_uneven(&line, 0.06));
  po_ground_line_level(&line, 0.3, -1, 0.02, 10);
  TEST_ASSERT_EQUAL_INT(0, po_ground_line_uneven(&line, 1e-9));
  TEST_ASSERT_EQUAL_DOUBLE(0.3, line.height[9]);
}

static void test_obstacles_are_solid_and_bars_are_not_seen(void) {
  po_ground_line line;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(1, -1, 0), po_v3(1.1, 1, 0.4), 1));
  po_terrain_set_tag(terrain, 0, PO_TAG_OBSTACLE);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(0.2, -1, 0.5), po_v3(0.4, 1, 0.6), 1));
  po_terrain_set_tag(terrain, 1, PO_TAG_BAR);
  po_ground_line_look(&line, terrain, po_v3(0, 0, 0), po_v3(1, 0, 0), 0.05, 0.1, 20, 1);
  TEST_ASSERT_EQUAL_DOUBLE(0, line.height[2]);
  TEST_ASSERT_EQUAL_DOUBLE(0.4, line.height[10]);
  TEST_ASSERT_EQUAL_INT(1, line.solid[10]);
  TEST_ASSERT_EQUAL_INT(0, line.solid[9]);
  po_ground_line_look(&line, terrain, po_v3(0, 0, 0), po_v3(1, 0, 0), 0.05, 0.1, 20, 0.3);
  TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(0, line.height[10], "above where it looks from");
}

static void test_no_more_samples_than_there_is_room_for(void) {
  po_ground_line line;
  po_ground_line_level(&line, 0, 0, 0.01, 1000);
  TEST_ASSERT_EQUAL_INT(PO_GROUND_LINE, line.samples);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_places_are_the_worlds_whatever_point_the_line_goes_through);
  RUN_TEST(test_what_is_not_level);
  RUN_TEST(test_obstacles_are_solid_and_bars_are_not_seen);
  RUN_TEST(test_no_more_samples_than_there_is_room_for);
  return UNITY_END() != 0;
}
