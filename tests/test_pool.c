/* Pools: many blocks, one release. */
#include "base/pool.h"
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static void test_blocks_are_apart_aligned_and_zeroed(void) {
  enum { N = 3000 };
  static unsigned char *blocks[N];
  static size_t sizes[N];
  failing f = {0, 0, 0, 0, 0};
  po_set_allocator(failing_resize, &f);
  po_pool pool = {0};
  po_rng rng;
  po_rng_init(&rng, 1, 0);
  for (int i = 0; i < N; i++) {
    sizes[i] = (size_t)(i % 500 == 0 ? 300000 : po_rng_below(&rng, 100));
    blocks[i] = po_pool_alloc(&pool, sizes[i]);
    TEST_ASSERT_NOT_NULL(blocks[i]);
    TEST_ASSERT_EQUAL_INT(0, (int)((uintptr_t)blocks[i] % 16));
    for (size_t j = 0; j < sizes[i]; j++)
      if (blocks[i][j]) TEST_FAIL_MESSAGE("not zeroed");
    memset(blocks[i], i & 0xff, sizes[i]);
  }
  for (int i = 0; i < N; i++)
    for (size_t j = 0; j < sizes[i]; j++)
      if (blocks[i][j] != (i & 0xff)) TEST_FAIL_MESSAGE("overwritten");
  TEST_ASSERT_LESS_THAN_INT(40, f.requests); /* few chunks for many blocks */
  po_pool_free(&pool);
  TEST_ASSERT_EQUAL_INT(0, f.live);
  po_pool_free(&pool);
}

static po_status fill(void *context) {
  po_pool pool = {0};
  (void)context;
  po_status status = PO_OK;
  for (int i = 0; i < 300 && !status; i++)
    if (!po_pool_alloc(&pool, 100)) status = PO_ERR_MEMORY;
  po_pool_free(&pool);
  return status;
}

static void test_running_out_of_memory(void) { TEST_ASSERT_GREATER_THAN_INT(3, failing_sweep(fill, NULL)); }

static void test_absurd_size(void) {
  po_pool pool = {0};
  TEST_ASSERT_NULL(po_pool_alloc(&pool, SIZE_MAX));
  TEST_ASSERT_NULL(po_pool_alloc(&pool, SIZE_MAX - 100));
  po_pool_free(&pool);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_blocks_are_apart_aligned_and_zeroed);
  RUN_TEST(test_running_out_of_memory);
  RUN_TEST(test_absurd_size);
  return UNITY_END() != 0;
}
