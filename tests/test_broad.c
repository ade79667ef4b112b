/* test_broad.c: the grid finds exactly the pairs that comparing all with all finds. */
#include "contact/collide.h"
#include "unity.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300, PAIRS = MOST * MOST / 2 };

static po_bounds bounds[MOST];
static int pairs[PAIRS][2];
static unsigned char seen[MOST][MOST], memory[1 << 18];

void setUp(void) {}
void tearDown(void) {}

/* Compares with the definition; `what` and seed name a failure. */
static void check(int count, const char *what, unsigned seed) {
  po_arena arena;
  char text[200];
  int found, i, j, expected = 0;
  po_arena_init(&arena, memory, po_broad_bytes(count));
  found = po_broad_pairs(pairs, PAIRS, bounds, count, &arena);
  po_format(text, sizeof text, "%s, %d things, seed %u", what, count, seed);
  TEST_ASSERT_FALSE_MESSAGE(arena.failed, text);
  memset(seen, 0, sizeof seen);
  for (i = 0; i < found; i++) {
    TEST_ASSERT_TRUE_MESSAGE(pairs[i][0] >= 0 && pairs[i][0] < pairs[i][1] && pairs[i][1] < count, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, seen[pairs[i][0]][pairs[i][1]]++, text);
  }
  for (i = 0; i < count; i++)
    for (j = i + 1; j < count; j++) {
      int overlap = po_bounds_overlap(&bounds[i], &bounds[j]);
      expected += overlap;
      TEST_ASSERT_EQUAL_INT_MESSAGE(overlap, seen[i][j], text);
    }
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected, found, text);
}

static void test_crowds_of_every_shape(void) {
  static const struct {
    const char *what;
    double x, y, z, size, large; /* extent of the places, usual size, size of one in ten */
  } kinds[] = {{"a crowd on a plane", 12, 12, 0, 1, 1}, {"a line along x", 100, 0, 0, 1, 1},  {"a line along y", 0, 100, 0, 1, 2},
               {"a tower", 1, 1, 200, 1, 1},            {"a cloud", 8, 8, 8, 1, 1},            {"pebbles and rocks", 20, 20, 2, 0.1, 15},
               {"one place", 0, 0, 0, 1, 1},            {"points", 5, 5, 5, 0, 0},             {"far away", 1e9, 1e-3, 5, 1, 1}};
  unsigned seed;
  size_t k;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (seed = 1; seed <= 20; seed++) {
      po_rng rng;
      int i, count;
      po_rng_init(&rng, seed, k);
      count = po_rng_below(&rng, MOST + 1);
      for (i = 0; i < count; i++) {
        double size = po_rng_below(&rng, 10) ? kinds[k].size : kinds[k].large;
        bounds[i].low = po_v3(po_rng_range(&rng, -1, 1) * kinds[k].x, po_rng_range(&rng, -1, 1) * kinds[k].y, po_rng_range(&rng, -1, 1) * kinds[k].z);
        bounds[i].high = po_v3_add(bounds[i].low, po_v3(size * po_rng_uniform(&rng), size * po_rng_uniform(&rng), size * po_rng_uniform(&rng)));
      }
      check(count, kinds[k].what, seed);
    }
}

/* Bounds that touch count, on the edges of cells too. */
static void test_boxes_side_by_side(void) {
  int i;
  for (i = 0; i < 256; i++) {
    bounds[i].low = po_v3(i % 16, i / 16, 0);
    bounds[i].high = po_v3(i % 16 + 1, i / 16 + 1, 1);
  }
  check(256, "side by side", 0);
}

/* A world that has blown up must not take the search with it. */
static void test_absurd_coordinates(void) {
  static const double far[] = {1e300, PO_INF, -1e308};
  int i, k;
  for (k = 0; k < 3; k++) {
    for (i = 0; i < 50; i++) {
      bounds[i].low = po_v3(i, 0, 0);
      bounds[i].high = po_v3(i + 1.5, 1, 1);
    }
    bounds[7].low.x = bounds[7].high.x = bounds[9].low.y = bounds[9].high.y = far[k];
    bounds[11].high.z = po_abs(far[k]);
    check(50, "absurd", (unsigned)k);
  }
}

static void test_more_than_there_is_room_for(void) {
  po_arena arena;
  int i, few[3][2];
  for (i = 0; i < 10; i++) bounds[i].low = po_v3(0, 0, 0), bounds[i].high = po_v3(1, 1, 1);
  po_arena_init(&arena, memory, po_broad_bytes(10));
  TEST_ASSERT_EQUAL_INT(45, po_broad_pairs(few, 3, bounds, 10, &arena));
  po_arena_init(&arena, memory, 8);
  TEST_ASSERT_EQUAL_INT(0, po_broad_pairs(few, 3, bounds, 10, &arena));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_crowds_of_every_shape);
  RUN_TEST(test_boxes_side_by_side);
  RUN_TEST(test_absurd_coordinates);
  RUN_TEST(test_more_than_there_is_room_for);
  return UNITY_END() != 0;
}
