/* test_version.c: the version stands once, as three numbers. */
#include "../base/base.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void test_text_is_made_of_the_numbers(void) {
  char text[64];
  po_format(text, sizeof text, "%d.%d.%d", PO_VERSION_MAJOR, PO_VERSION_MINOR, PO_VERSION_PATCH);
  TEST_ASSERT_EQUAL_STRING(text, PO_VERSION);
  TEST_ASSERT_EQUAL_STRING(text, po_version());
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_text_is_made_of_the_numbers);
  return UNITY_END() != 0;
}
