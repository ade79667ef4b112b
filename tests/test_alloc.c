/* The allocator hook: alignment, zeroing, failure, every block given back. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static void check_block(unsigned char *block, size_t bytes) {
  TEST_ASSERT_NOT_NULL(block);
  TEST_ASSERT_EQUAL_INT(0, (int)((uintptr_t)block % 32));
  for (size_t i = 0; i < bytes; i++) TEST_ASSERT_EQUAL_INT(0, block[i]);
  memset(block, 0xa5, bytes);
}

static void test_aligned_and_zeroed(void) {
  for (size_t bytes = 0; bytes < 300; bytes++) {
    unsigned char *a = po_alloc(bytes), *b = po_alloc(bytes);
    check_block(a, bytes);
    check_block(b, bytes);
    TEST_ASSERT_TRUE(a != b);
    po_free(a);
    po_free(b);
  }
  po_free(NULL);
}

static void test_absurd_sizes_fail(void) {
  TEST_ASSERT_NULL(po_alloc(SIZE_MAX));
  TEST_ASSERT_NULL(po_alloc(SIZE_MAX - 16));
  TEST_ASSERT_NULL(po_alloc(SIZE_MAX - 39));
}

/* Blocks at every 8-byte offset: more than the contract asks an allocator to do wrong. */
static void *offset_resize(void *user, void *block, size_t bytes) {
  static unsigned char memory[4096];
  (void)block;
  return bytes ? memory + *(int *)user : NULL;
}

static void test_any_start_is_aligned(void) {
  for (int offset = 0; offset <= 64; offset += 8) {
    po_set_allocator(offset_resize, &offset);
    check_block(po_alloc(100), 100);
  }
}

static void test_hook_sees_every_request_and_release(void) {
  failing f = {0, 0, 0, 0, 0};
  po_set_allocator(failing_resize, &f);
  void *blocks[20];
  for (int i = 0; i < 20; i++) blocks[i] = po_alloc((size_t)(i * 37));
  TEST_ASSERT_EQUAL_INT(20, f.requests);
  TEST_ASSERT_EQUAL_INT(20, f.live);
  for (int i = 0; i < 20; i++) po_free(blocks[i]);
  TEST_ASSERT_EQUAL_INT(0, f.live);
}

static void test_failure_is_null(void) {
  failing f = {0, 2, 0, 0, 0};
  po_set_allocator(failing_resize, &f);
  void *first = po_alloc(8), *second = po_alloc(8), *third = po_alloc(8);
  TEST_ASSERT_NOT_NULL(first);
  TEST_ASSERT_NULL(second);
  TEST_ASSERT_NOT_NULL(third);
  po_free(first);
  po_free(third);
  TEST_ASSERT_EQUAL_INT(0, f.live);
}

static void test_null_restores_libc(void) {
  failing f = {0, 1, 0, 1, 0};
  po_set_allocator(failing_resize, &f);
  TEST_ASSERT_NULL(po_alloc(8));
  po_set_allocator(NULL, &f);
  void *block = po_alloc(8);
  TEST_ASSERT_NOT_NULL(block);
  po_free(block);
  TEST_ASSERT_EQUAL_INT(1, f.requests);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_aligned_and_zeroed);
  RUN_TEST(test_absurd_sizes_fail);
  RUN_TEST(test_any_start_is_aligned);
  RUN_TEST(test_hook_sees_every_request_and_release);
  RUN_TEST(test_failure_is_null);
  RUN_TEST(test_null_restores_libc);
  return UNITY_END() != 0;
}
