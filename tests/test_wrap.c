/* test_wrap.c: text within the width of a terminal; nothing of a file drives the terminal. */
#include "../cli/cli.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static void test_lines_are_cut_between_words(void) {
  po_buffer out = {0};
  po_cli_wrap(&out, "one two", 76, 4);
  TEST_ASSERT_EQUAL_STRING("one\n    two\n", out.data);
  po_buffer_free(&out);
  po_cli_wrap(&out, "one two", 73, 4); /* exactly 80 */
  TEST_ASSERT_EQUAL_STRING("one two\n", out.data);
  po_buffer_free(&out);
  po_cli_wrap(&out, "a  b\nc", 0, 0);
  TEST_ASSERT_EQUAL_STRING("a b c\n", out.data);
  po_buffer_free(&out);
}

static void test_a_character_of_several_bytes_takes_one_column(void) {
  po_buffer out = {0};
  po_cli_wrap(&out, "a \xe2\x80\xa6\xe2\x80\xa6", 76, 0);
  TEST_ASSERT_EQUAL_STRING("a \xe2\x80\xa6\xe2\x80\xa6\n", out.data);
  po_buffer_free(&out);
}

static void test_rows_and_paragraphs(void) {
  po_buffer out = {0};
  po_cli_row(&out, "--set", 8, "a value");
  po_cli_row(&out, "--a-long-one", 8, "beside nothing");
  TEST_ASSERT_EQUAL_STRING("  --set     a value\n  --a-long-one\n            beside nothing\n", out.data);
  po_buffer_free(&out);
  po_cli_paragraphs(&out, "First\nline.\n  poise run   walk\nNext.\n");
  TEST_ASSERT_EQUAL_STRING("First line.\n  poise run   walk\nNext.\n", out.data);
  po_buffer_free(&out);
}

static void test_control_characters_are_not_shown(void) {
  char text[] = "a\033[2Jb\x07\x7f\t\n\xc2\x9b" "c \xc3\xa4\xe2\x80\xa6";
  po_cli_shown(text);
  TEST_ASSERT_EQUAL_STRING("a?[2Jb??????c \xc3\xa4\xe2\x80\xa6", text);
}

static void test_a_progress_line_is_narrower_than_any_terminal(void) {
  static const char behind[] = "1234.56 / 10000.00 s  123.4x real time  12345 s left";
  char line[256];
  int width;
  for (width = 1; width < 250; width++) {
    po_progress_line(line, sizeof line, width, "push-map", 0.4, behind);
    TEST_ASSERT_TRUE((int)strlen(line) < width);
  }
  po_progress_line(line, sizeof line, 80, "walk", 0.5, "5.00 / 10.00 s  20.0x real time  0 s left");
  TEST_ASSERT_EQUAL_STRING("walk [###############...............] 5.00 / 10.00 s  20.0x real time  0 s left", line);
  po_progress_line(line, sizeof line, 40, "walk", 0.5, "5.00 / 10.00 s");
  TEST_ASSERT_EQUAL_STRING("walk [########.........] 5.00 / 10.00 s", line);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_lines_are_cut_between_words);
  RUN_TEST(test_a_character_of_several_bytes_takes_one_column);
  RUN_TEST(test_rows_and_paragraphs);
  RUN_TEST(test_control_characters_are_not_shown);
  RUN_TEST(test_a_progress_line_is_narrower_than_any_terminal);
  return UNITY_END() != 0;
}
