/* Styles: the built-in ones equal their files, bad ones are named with line and parameter. */
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static void test_files_equal_the_built_in_ones(void) {
  int i;
  for (i = 0; po_styles[i].name; i++) {
    char path[128], *text;
    size_t size;
    po_error err;
    po_format(path, sizeof path, "models/styles/%s.json", po_styles[i].name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&text, &size, path, 0, &err), err.message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(po_styles[i].json, text, path);
    po_free(text);
  }
}

static void test_a_style_changes_what_it_names_and_no_more(void) {
  static const char *const text = "{\"T\": 0.6, \"l_step\": 0.33}";
  po_walk_params p, q;
  po_error err;
  po_param_defaults(&p, po_walk_param, po_walk_param_count);
  q = p;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_style_parse(&q, text, strlen(text), "mine.json", &err));
  TEST_ASSERT_TRUE(q.T == 0.6 && q.l_step == 0.33);
  q.T = p.T;
  q.l_step = p.l_step;
  TEST_ASSERT_EQUAL_MEMORY(&p, &q, sizeof p);
}

static void refused(const char *text, const char *word, int line) {
  po_walk_params p, kept;
  po_error err;
  po_param_defaults(&p, po_walk_param, po_walk_param_count);
  kept = p;
  TEST_ASSERT_TRUE(po_style_parse(&p, text, strlen(text), "mine.json", &err) != PO_OK);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
  TEST_ASSERT_EQUAL_INT(line, err.line);
  TEST_ASSERT_EQUAL_STRING("mine.json", err.file);
  TEST_ASSERT_EQUAL_MEMORY(&kept, &p, sizeof p);
}
static void test_bad_styles_are_named(void) {
  refused("{\n\"T\": 0.6,\n\"l_stepp\": 0.3}", "l_step", 3);
  refused("{\n\"T\": 9}", "outside", 2);
  refused("{\"T\": \"long\"}", "number", 1);
  refused("[1]", "object", 1);
}
static void test_unknown_styles_are_named(void) {
  po_walk_params p;
  po_error err;
  po_param_defaults(&p, po_walk_param, po_walk_param_count);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_style_apply(&p, "brisk", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "normal, fast, slow, sad"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_files_equal_the_built_in_ones);
  RUN_TEST(test_a_style_changes_what_it_names_and_no_more);
  RUN_TEST(test_bad_styles_are_named);
  RUN_TEST(test_unknown_styles_are_named);
  return UNITY_END() != 0;
}
