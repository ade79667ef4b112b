/* Styles: the built-in ones equal their files, wherever one stands; bad ones are named with line and parameter. */
#define _POSIX_C_SOURCE 200809L
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {}
void tearDown(void) {}

static po_walk_params defaults(void) {
  po_walk_params p;
  memset(&p, 0, sizeof p);
  po_param_defaults(&p, po_walk_param, po_walk_param_count);
  return p;
}

static po_status parse(po_walk_params *p, const char *text, po_error *err) {
  return po_params_parse(p, po_walk_param, po_walk_param_count, text, strlen(text), "mine.json", err);
}

static void test_files_equal_the_built_in_ones(void) {
  int i, styles = 0;
  for (i = 0; po_builtin_files[i].path; i++) {
    char path[128], *text;
    size_t size;
    po_error err;
    po_format(path, sizeof path, "models/%s", po_builtin_files[i].path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&text, &size, path, 0, &err), err.message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(po_builtin_files[i].text, text, path);
    TEST_ASSERT_TRUE_MESSAGE(strlen(po_builtin_files[i].summary) > 5, path);
    styles += !strncmp(po_builtin_files[i].path, "styles/", 7);
    po_free(text);
  }
  TEST_ASSERT_EQUAL_INT(4, styles);
}

/* Every style is a preset of walking, and applies. */
static void test_every_style_is_a_preset(void) {
  po_preset s;
  int i;
  for (i = 0; (s = po_move_preset(&po_walk_type, i)).name; i++) {
    po_walk_params by_name = defaults(), by_values = defaults();
    po_error err;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_style_apply(&by_name, s.name, &err), err.message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, parse(&by_values, s.values, &err), err.message);
    TEST_ASSERT_EQUAL_MEMORY(&by_name, &by_values, sizeof by_name);
  }
  TEST_ASSERT_EQUAL_INT(4, i);
}

/* A file models/styles/normal.json in the working directory is not what `normal` means; its path is. */
static void test_the_working_directory_does_not_matter(void) {
  static const char other[] = "{\"T\": 0.61}";
  char folder[] = "/tmp/poise-style-XXXXXX", home[1024];
  po_walk_params here = defaults(), there = defaults();
  po_error err;
  TEST_ASSERT_NOT_NULL(getcwd(home, sizeof home));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_style_apply(&here, "normal", &err));
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  TEST_ASSERT_EQUAL_INT(0, chdir(folder));
  TEST_ASSERT_EQUAL_INT(0, mkdir("models", 0700) + mkdir("models/styles", 0700));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file("models/styles/normal.json", other, sizeof other - 1, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_style_apply(&there, "normal", &err));
  TEST_ASSERT_EQUAL_MEMORY(&here, &there, sizeof here);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_style_apply(&there, "models/styles/normal.json", &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.61, there.T);
  TEST_ASSERT_EQUAL_INT(0, unlink("models/styles/normal.json") + rmdir("models/styles") + rmdir("models") + chdir(home) + rmdir(folder));
}

static void test_a_style_changes_what_it_names_and_no_more(void) {
  po_walk_params p = defaults(), q = p;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, parse(&q, "{\"summary\": \"mine\", \"T\": 0.6, \"l_step\": 0.33}", &err));
  TEST_ASSERT_TRUE(q.T == 0.6 && q.l_step == 0.33);
  q.T = p.T;
  q.l_step = p.l_step;
  TEST_ASSERT_EQUAL_MEMORY(&p, &q, sizeof p);
}

static void refused(const char *text, const char *word, int line) {
  po_walk_params p = defaults(), kept = p;
  po_error err;
  TEST_ASSERT_TRUE(parse(&p, text, &err) != PO_OK);
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
  po_walk_params p = defaults();
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_style_apply(&p, "brisk", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "fast, normal, sad, slow"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_files_equal_the_built_in_ones);
  RUN_TEST(test_every_style_is_a_preset);
  RUN_TEST(test_the_working_directory_does_not_matter);
  RUN_TEST(test_a_style_changes_what_it_names_and_no_more);
  RUN_TEST(test_bad_styles_are_named);
  RUN_TEST(test_unknown_styles_are_named);
  return UNITY_END() != 0;
}
