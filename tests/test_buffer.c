/* Growing text: contents, termination, and memory that runs out. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static void test_pieces_join(void) {
  po_buffer b = {0};
  char expected[4000] = "";
  for (int i = 0; i < 200; i++) {
    char piece[32];
    snprintf(piece, sizeof piece, "[%d:%.*s]", i, i % 7, "abcdefg");
    strcat(expected, piece);
    if (i % 2) po_buffer_puts(&b, piece);
    else po_buffer_add(&b, piece, strlen(piece));
    TEST_ASSERT_EQUAL_size_t(strlen(expected), b.size);
    TEST_ASSERT_EQUAL_INT('\0', b.data[b.size]);
  }
  TEST_ASSERT_EQUAL_STRING(expected, b.data);
  TEST_ASSERT_EQUAL_INT(0, b.failed);
  po_buffer_free(&b);
  TEST_ASSERT_TRUE(b.data == NULL && b.size == 0 && b.capacity == 0);
  po_buffer_free(&b);
  po_buffer_free(NULL);
}

static void test_nothing_added(void) {
  po_buffer b = {0};
  po_buffer_add(&b, NULL, 0);
  TEST_ASSERT_EQUAL_STRING("", b.data);
  po_buffer_puts(&b, "");
  TEST_ASSERT_EQUAL_size_t(0, b.size);
  po_buffer_free(&b);
}

/* printf at every fill level: around the point where the text no longer fits, and far beyond it. */
static void test_printf_of_any_length(void) {
  char big[3000];
  memset(big, 'z', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  for (int before = 0; before < 300; before++) {
    po_buffer b = {0};
    po_buffer_add(&b, big, (size_t)before);
    po_buffer_printf(&b, "<%d %g %.*s>", before, 0.1, before * 9, big);
    char expected[3400];
    snprintf(expected, sizeof expected, "%.*s<%d 0.1 %.*s>", before, big, before, before * 9, big);
    TEST_ASSERT_EQUAL_STRING(expected, b.data);
    TEST_ASSERT_EQUAL_size_t(strlen(expected), b.size);
    po_buffer_free(&b);
  }
}

static void test_doubles(void) {
  po_buffer b = {0};
  for (int i = 0; i < 100; i++) po_buffer_double(&b, 1.0 / 3.0), po_buffer_puts(&b, ";");
  TEST_ASSERT_EQUAL_size_t(100 * 19, b.size);
  TEST_ASSERT_EQUAL_size_t(strlen(b.data), b.size);
  TEST_ASSERT_TRUE(strncmp(b.data + 19, "0.3333333333333333;0.3", 22) == 0);
  po_buffer_free(&b);
}

static po_status grow(void *context) {
  po_buffer b = {0};
  (void)context;
  char text[64];
  size_t size = 0;
  int failed = 0;
  for (int i = 0; i < 60; i++) {
    memset(text, 'a' + i % 26, sizeof text);
    switch (i % 4) {
      case 0: po_buffer_add(&b, text, 50); break;
      case 1: po_buffer_puts(&b, "some text"); break;
      case 2: po_buffer_printf(&b, "%.*s %d %300s", 60, text, i, "right"); break;
      default: po_buffer_double(&b, 0.1 * i); break;
    }
    if (failed) TEST_ASSERT_TRUE(b.failed && b.size == size); /* sticky, and what was there stays */
    if (!b.failed || !failed) size = b.size;
    failed = b.failed;
    if (b.data) TEST_ASSERT_EQUAL_size_t(b.size, strlen(b.data));
  }
  po_buffer_free(&b);
  return failed ? PO_ERR_MEMORY : PO_OK;
}

static void test_running_out_of_memory(void) { TEST_ASSERT_GREATER_THAN_INT(3, failing_sweep(grow, NULL)); }

static void test_absurd_size(void) {
  po_buffer b = {0};
  po_buffer_puts(&b, "kept");
  po_buffer_add(&b, "x", SIZE_MAX - 3);
  TEST_ASSERT_EQUAL_INT(1, b.failed);
  TEST_ASSERT_EQUAL_STRING("kept", b.data);
  po_buffer_free(&b);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_pieces_join);
  RUN_TEST(test_nothing_added);
  RUN_TEST(test_printf_of_any_length);
  RUN_TEST(test_doubles);
  RUN_TEST(test_running_out_of_memory);
  RUN_TEST(test_absurd_size);
  return UNITY_END() != 0;
}
