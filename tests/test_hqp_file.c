/* test_hqp_file.c: .hqp text, read and written. */
#include "qp/qp.h"
#include "unity.h"

#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const char good[] = "# a comment\nhqp 1\nproblem one variables 2 # two\nlevel top hard rows 2\n-inf 1 0.5 -2e-3\n 3 3 1 0\n\nlevel low rows 0\nend\n"
                           "problem two variables 0\r\nlevel a rows 1\r\n-1 1\r\nend\r\n";

static void test_reads_a_file(void) {
  po_hqp_file *f = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_read(&f, good, sizeof good - 1, "good.hqp", &err), "good file");
  TEST_ASSERT_EQUAL_INT(2, f->count);
  TEST_ASSERT_EQUAL_STRING("one", f->problems[0].name);
  TEST_ASSERT_EQUAL_INT(2, f->problems[0].level_count);
  TEST_ASSERT_EQUAL_INT(1, f->problems[0].levels[0].hard);
  TEST_ASSERT_EQUAL_STRING("low", f->problems[0].levels[1].name);
  TEST_ASSERT_TRUE(f->problems[0].levels[0].lower[0] == -PO_INF);
  TEST_ASSERT_TRUE(PO_AT(f->problems[0].levels[0].A, 0, 1) == -2e-3);
  TEST_ASSERT_TRUE(f->problems[0].levels[0].upper[1] == 3);
  TEST_ASSERT_EQUAL_INT(0, f->problems[1].n);
  TEST_ASSERT_EQUAL_INT(1, f->problems[1].levels[0].rows);
  po_hqp_file_free(f);
}

static void test_writes_what_it_read(void) {
  po_hqp_file *f = NULL, *g = NULL;
  po_error err;
  po_buffer out = {0}, again = {0};
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_read(&f, good, sizeof good - 1, "good.hqp", &err));
  po_hqp_write_header(&out);
  for (i = 0; i < f->count; i++) po_hqp_write(&out, &f->problems[i]);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hqp_read(&g, out.data, out.size, "written", &err), "what was written must read");
  po_hqp_write_header(&again);
  for (i = 0; i < g->count; i++) po_hqp_write(&again, &g->problems[i]);
  TEST_ASSERT_EQUAL_STRING(out.data, again.data);
  po_buffer_free(&out);
  po_buffer_free(&again);
  po_hqp_file_free(f);
  po_hqp_file_free(g);
}

/* Names with blanks or '#' must come back as one word. */
static void test_names_become_words(void) {
  po_hqp_level level = {"my level # 1", 0, {NULL, 0, 2, 2}, NULL, NULL, 0};
  po_hqp p = {NULL, 2, 1, &level};
  po_buffer out = {0};
  po_hqp_file *f = NULL;
  po_hqp_write_header(&out);
  po_hqp_write(&out, &p);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_read(&f, out.data, out.size, "names", NULL));
  TEST_ASSERT_EQUAL_STRING("unnamed", f->problems[0].name);
  TEST_ASSERT_EQUAL_STRING("my_level___1", f->problems[0].levels[0].name);
  po_hqp_file_free(f);
  po_buffer_free(&out);
}

typedef struct bad_text { const char *text; po_status status; int line; const char *why; } bad_text;

static void test_refuses_bad_files(void) {
  static const bad_text bad[] = {
      {"", PO_ERR_PARSE, 0, "empty"},
      {"qp 1\n", PO_ERR_PARSE, 1, "wrong first word"},
      {"hqp 2\n", PO_ERR_UNSUPPORTED, 1, "version"},
      {"hqp 1 x\n", PO_ERR_UNSUPPORTED, 1, "text after the version"},
      {"hqp 1\nproblem a variables\n", PO_ERR_PARSE, 2, "no count"},
      {"hqp 1\nproblem a variables -1\nend\n", PO_ERR_PARSE, 2, "negative count"},
      {"hqp 1\nproblem a variables 2 3\nend\n", PO_ERR_PARSE, 2, "text after the count"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 1\n", PO_ERR_PARSE, 4, "no end"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 2\n0 0 1\nend\n", PO_ERR_PARSE, 5, "a row is missing"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 1\n0 0 1\nend\n", PO_ERR_PARSE, 5, "a row too many"},
      {"hqp 1\nproblem a variables 2\nlevel b rows 1\n0 0 1\nend\n", PO_ERR_PARSE, 4, "too few numbers"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 1 2\nend\n", PO_ERR_PARSE, 4, "too many numbers"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 1,5\nend\n", PO_ERR_PARSE, 4, "a comma"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 nan\nend\n", PO_ERR_NOT_FINITE, 4, "NaN"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\nnan 0 1\nend\n", PO_ERR_NOT_FINITE, 4, "NaN bound"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n0 0 inf\nend\n", PO_ERR_NOT_FINITE, 4, "infinite coefficient"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\n1 0 1\nend\n", PO_ERR_BOUNDS, 4, "lower above upper"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 1\ninf inf 1\nend\n", PO_ERR_BOUNDS, 4, "wrong infinity"},
      {"hqp 1\nproblem a variables 1\nlevel b rows 0\nlevel c hard rows 0\nend\n", PO_ERR_PARSE, 4, "hard below the first"},
      {"hqp 1\nproblem a variables 900000\nlevel b rows 2000000000\nend\n", PO_ERR_PARSE, 3, "more rows than text"},
      {"hqp 1\nproblem a variables 2000000000\nend\n", PO_ERR_SIZE, 2, "too many variables"},
      {"hqp 1\nwhat\n", PO_ERR_PARSE, 2, "unknown word"}};
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    po_hqp_file *f = NULL;
    po_error err;
    memset(&err, 0, sizeof err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].status, po_hqp_read(&f, bad[i].text, strlen(bad[i].text), "bad.hqp", &err), bad[i].why);
    TEST_ASSERT_NULL_MESSAGE(f, bad[i].why);
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].line, err.line, bad[i].why);
    TEST_ASSERT_TRUE_MESSAGE(strlen(err.message) > 0, bad[i].why);
  }
}

static void test_seventeen_levels_are_too_many(void) {
  po_buffer out = {0};
  po_hqp_file *f = NULL;
  int k;
  po_buffer_puts(&out, "hqp 1\nproblem a variables 1\n");
  for (k = 0; k <= PO_HQP_MAX_LEVELS; k++) po_buffer_puts(&out, "level b rows 0\n");
  po_buffer_puts(&out, "end\n");
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_hqp_read(&f, out.data, out.size, "levels", NULL));
  po_buffer_free(&out);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reads_a_file);
  RUN_TEST(test_writes_what_it_read);
  RUN_TEST(test_names_become_words);
  RUN_TEST(test_refuses_bad_files);
  RUN_TEST(test_seventeen_levels_are_too_many);
  return UNITY_END() != 0;
}
