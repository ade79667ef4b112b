/* Arenas: one layout function both measures and places, whatever the start address. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const size_t arena_sizes[] = {1, 8, 0, 31, 32, 33, 100, 7};

static void lay_out(po_arena *arena, unsigned char *blocks[8]) {
  for (int i = 0; i < 8; i++) blocks[i] = po_arena_alloc(arena, arena_sizes[i]);
}

static void test_measured_size_fits_at_any_start(void) {
  static unsigned char memory[1024];
  unsigned char *blocks[8];
  po_arena arena;
  po_arena_measure(&arena);
  lay_out(&arena, blocks);
  size_t bytes = po_arena_used(&arena);
  TEST_ASSERT_EQUAL_INT(0, arena.failed);
  for (int i = 0; i < 8; i++) TEST_ASSERT_NULL(blocks[i]);
  for (int offset = 0; offset < 64; offset++) {
    po_arena_init(&arena, memory + offset, bytes);
    lay_out(&arena, blocks);
    TEST_ASSERT_EQUAL_INT(0, arena.failed);
    unsigned char *previous = memory + offset;
    for (int i = 0; i < 8; i++) {
      TEST_ASSERT_EQUAL_INT(0, (int)((uintptr_t)blocks[i] % 32));
      TEST_ASSERT_TRUE(blocks[i] >= previous && blocks[i] + arena_sizes[i] <= memory + offset + bytes);
      previous = blocks[i] + arena_sizes[i];
    }
    TEST_ASSERT_TRUE(po_arena_used(&arena) <= bytes);
  }
}

static void test_too_little_fails_and_stays_failed(void) {
  static unsigned char memory[1024];
  unsigned char *blocks[8];
  po_arena arena;
  po_arena_measure(&arena);
  lay_out(&arena, blocks);
  po_arena_init(&arena, memory, po_arena_used(&arena) - 65);
  lay_out(&arena, blocks);
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
  TEST_ASSERT_NULL(blocks[6]); /* the large one */
  po_arena_release(&arena, 0);
  TEST_ASSERT_NOT_NULL(po_arena_alloc(&arena, 8));
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
  po_arena_init(&arena, memory, sizeof memory);
  TEST_ASSERT_EQUAL_INT(0, arena.failed);
}

static void test_absurd_requests_fail(void) {
  static unsigned char memory[64];
  po_arena arena;
  po_arena_init(&arena, memory, sizeof memory);
  TEST_ASSERT_NULL(po_arena_alloc(&arena, SIZE_MAX));
  TEST_ASSERT_NULL(po_arena_alloc(&arena, SIZE_MAX - 31));
  TEST_ASSERT_NULL(po_arena_zalloc(&arena, SIZE_MAX / 2));
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
  TEST_ASSERT_EQUAL_size_t(0, arena.used);
  po_arena_measure(&arena);
  po_arena_alloc(&arena, SIZE_MAX);
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
  po_arena_measure(&arena);
  po_arena_alloc(&arena, SIZE_MAX / 2);
  po_arena_alloc(&arena, SIZE_MAX / 2);
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
}

static void test_empty_arenas(void) {
  unsigned char small[8];
  po_arena arena;
  po_arena_init(&arena, NULL, 0);
  TEST_ASSERT_NULL(po_arena_alloc(&arena, 1));
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
  po_arena_init(&arena, NULL, 1000);
  TEST_ASSERT_NULL(po_arena_alloc(&arena, 1));
  po_arena_init(&arena, small, sizeof small);
  TEST_ASSERT_NULL(po_arena_alloc(&arena, 9));
  TEST_ASSERT_EQUAL_INT(1, arena.failed);
}

static void test_mark_release_and_peak(void) {
  static unsigned char memory[1024];
  po_arena arena;
  po_arena_init(&arena, memory, sizeof memory);
  double *kept = PO_ARENA_ZARRAY(&arena, double, 4);
  size_t mark = po_arena_mark(&arena);
  unsigned char *first = po_arena_alloc(&arena, 200);
  memset(first, 0xff, 200);
  size_t peak = arena.used;
  po_arena_release(&arena, mark);
  unsigned char *second = po_arena_zalloc(&arena, 100);
  TEST_ASSERT_TRUE(second == first);
  for (int i = 0; i < 100; i++) TEST_ASSERT_EQUAL_INT(0, second[i]);
  TEST_ASSERT_EQUAL_size_t(peak, arena.peak);
  for (int i = 0; i < 4; i++) TEST_ASSERT_TRUE(kept[i] == 0.0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_measured_size_fits_at_any_start);
  RUN_TEST(test_too_little_fails_and_stays_failed);
  RUN_TEST(test_absurd_requests_fail);
  RUN_TEST(test_empty_arenas);
  RUN_TEST(test_mark_release_and_peak);
  return UNITY_END() != 0;
}
