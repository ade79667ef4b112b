/* Statuses, errors with a place, and texts cut to fit. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_every_status_has_its_own_phrase(void) {
  for (int i = 0; i < PO_STATUS_COUNT; i++) {
    const char *text = po_status_string((po_status)i);
    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_TRUE(text[0] != '\0' && strcmp(text, "unknown status") != 0);
    for (int j = 0; j < i; j++) TEST_ASSERT_TRUE(strcmp(text, po_status_string((po_status)j)) != 0);
  }
  TEST_ASSERT_EQUAL_STRING("unknown status", po_status_string(PO_STATUS_COUNT));
  TEST_ASSERT_EQUAL_STRING("unknown status", po_status_string((po_status)1000));
}

static void test_fail_fills_and_clears(void) {
  po_error err;
  memset(&err, 0x55, sizeof err);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_fail(&err, PO_ERR_RANGE, "dt = %g is not in (0, %d]", 0.1, 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, err.status);
  TEST_ASSERT_EQUAL_STRING("dt = 0.1 is not in (0, 1]", err.message);
  TEST_ASSERT_EQUAL_STRING("", err.file);
  TEST_ASSERT_EQUAL_INT(0, err.line);
  TEST_ASSERT_EQUAL_INT(0, err.column);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_fail_at(&err, PO_ERR_PARSE, "a.urdf", 3, 7, "link '%s'", "foot"));
  TEST_ASSERT_EQUAL_STRING("a.urdf", err.file);
  TEST_ASSERT_EQUAL_INT(3, err.line);
  TEST_ASSERT_EQUAL_INT(7, err.column);
  TEST_ASSERT_EQUAL_STRING("link 'foot'", err.message);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_fail_at(&err, PO_ERR_PARSE, NULL, 1, 1, "no file"));
  TEST_ASSERT_EQUAL_STRING("", err.file);
}

static void test_null_error_is_fine(void) {
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_fail(NULL, PO_ERR_NULL, "x %d", 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_fail_at(NULL, PO_ERR_FILE, "f", 1, 2, "x"));
}

/* An error may be wrapped in itself: its own message and file are arguments. */
static void test_arguments_may_point_into_the_error(void) {
  po_error err;
  po_fail_at(&err, PO_ERR_PARSE, "inner.json", 4, 2, "a comma is missing");
  po_fail_at(&err, err.status, err.file, err.line, err.column, "cannot read the style: %s", err.message);
  TEST_ASSERT_EQUAL_STRING("cannot read the style: a comma is missing", err.message);
  TEST_ASSERT_EQUAL_STRING("inner.json", err.file);
  TEST_ASSERT_EQUAL_INT(4, err.line);
}

/* Too long: cut, terminated, and never in the middle of a character. */
static void test_long_texts_are_cut_between_characters(void) {
  po_error err;
  char text[700];
  for (int shift = 0; shift < 4; shift++) {
    memset(text, 'x', sizeof text);
    for (int i = shift; i + 3 < 690; i += 3) memcpy(text + i, "\xe2\x82\xac", 3); /* euro signs */
    text[690] = '\0';
    po_fail_at(&err, PO_ERR_PARSE, text, 1, 1, "%s", text);
    size_t n = strlen(err.message), m = strlen(err.file);
    TEST_ASSERT_TRUE(n <= 511 && n >= 509 && m <= 255 && m >= 253);
    TEST_ASSERT_EQUAL_INT(0, (int)(n - (size_t)shift) % 3);
    TEST_ASSERT_EQUAL_INT(0, (int)(m - (size_t)shift) % 3);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_status_has_its_own_phrase);
  RUN_TEST(test_fail_fills_and_clears);
  RUN_TEST(test_null_error_is_fine);
  RUN_TEST(test_arguments_may_point_into_the_error);
  RUN_TEST(test_long_texts_are_cut_between_characters);
  return UNITY_END() != 0;
}
