/* .motion files: the same bits back, and every mistake named. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_reads_back_to_the_same_bits(void) {
  int b;
  for (b = 0; po_body_names[b]; b++) {
    const po_model *model = motion_body(po_body_names[b]);
    po_motion *m = motion_swinging(model, 119.88, 25), *back = NULL;
    po_buffer text = {0}, again = {0};
    char name[64];
    po_error err;
    po_motion_write(&text, m);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_read(&back, model, text.data, text.size, "x.motion", &err), err.message);
    motion_same_bits(m, back);
    po_motion_write(&again, back);
    TEST_ASSERT_EQUAL_STRING(text.data, again.data);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_body(name, text.data, text.size, "x.motion", &err));
    TEST_ASSERT_EQUAL_STRING(po_body_names[b], name);
    po_motion_free(back);
    po_motion_free(m);
    po_buffer_free(&text);
    po_buffer_free(&again);
    po_model_free(model);
  }
}

static const po_model *file_model;
static po_buffer file_text;

/* The good text with `from` replaced by `to` must fail with that status, and a message that holds the words. */
static void file_bad(const char *from, const char *to, po_status status, const char *words, int line) {
  po_buffer text = {0};
  const char *at = strstr(file_text.data, from);
  po_motion *m = NULL;
  po_error err;
  TEST_ASSERT_NOT_NULL_MESSAGE(at, from);
  po_buffer_add(&text, file_text.data, (size_t)(at - file_text.data));
  po_buffer_puts(&text, to);
  po_buffer_puts(&text, at + strlen(from));
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_motion_read(&m, file_model, text.data, text.size, "bad.motion", &err), to);
  TEST_ASSERT_NULL(m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, words), err.message);
  TEST_ASSERT_EQUAL_STRING("bad.motion", err.file);
  if (line) TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, err.message);
  po_buffer_free(&text);
}

static void test_mistakes_are_named(void) {
  po_motion *m, *none = NULL;
  const po_model *child;
  po_error err;
  char line[64];
  file_model = motion_body("human");
  m = motion_swinging(file_model, 60, 3);
  po_motion_write(&file_text, m);
  file_bad("poise motion 1", "HIERARCHY", PO_ERR_PARSE, "first line", 1);
  file_bad("body human", "body giant", PO_ERR_MODEL, "for the body 'giant', not for 'human'", 2);
  file_bad("hz 60", "hz 0", PO_ERR_RANGE, "positive", 3);
  file_bad("hz 60", "hz nan", PO_ERR_NOT_FINITE, "not finite", 3);
  file_bad("hz 60", "rate 60", PO_ERR_PARSE, "'hz' is needed", 3);
  file_bad("cyclic 0", "cyclic 2", PO_ERR_RANGE, "0 to 1", 4);
  file_bad("cyclic 0", "cyclic 1", PO_ERR_STATE, "differs from its first", 0);
  file_bad("4 3 lumbar", "4 3 waist", PO_ERR_MODEL, "joint 1 of the file is 'waist', that of the body 'human' is 'lumbar'", 7);
  file_bad("4 3 lumbar", "1 1 lumbar", PO_ERR_MODEL, "another body", 7);
  file_bad("corners 8", "corners 4", PO_ERR_MODEL, "have 8", 0);
  file_bad("sole_l_0", "palm_l_0", PO_ERR_MODEL, "corner 0", 0);
  file_bad("frames 3", "frames 0", PO_ERR_RANGE, "whole number from 1", 0);
  file_bad("frames 3", "frames 999999999", PO_ERR_SIZE, "too short", 0);
  file_bad("frames 3", "frames 4", PO_ERR_PARSE, "after 3 of 4 frames", 0);
  file_bad("frames 3", "frames 2", PO_ERR_SIZE, "more lines than the 2", 0);
  file_bad("\nff ", "\nfg ", PO_ERR_PARSE, "hexadecimal", 0);
  file_bad("\nff ", "\n1ff ", PO_ERR_RANGE, "frame 0", 0);
  file_bad("\nff ", "\nff 1 ", PO_ERR_SIZE, "more than the", 0);
  po_format(line, sizeof line, "frame 0 has 0 numbers; q and v need %d", file_model->nq + file_model->nv);
  file_bad("\nff ", "\nff\n0 ", PO_ERR_SIZE, line, 0);
  child = motion_body("child");
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_motion_read(&none, child, file_text.data, file_text.size, "human.motion", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_motion_read(&none, NULL, file_text.data, file_text.size, "human.motion", &err));
  po_model_free(child);
  po_motion_free(m);
  po_buffer_free(&file_text);
  po_model_free(file_model);
}

/* Wherever it is cut off, it is refused, but for the missing last newline and what is a whole number of digits less. */
static void test_cut_off_files_are_refused(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 60, 3), *back = NULL;
  po_buffer text = {0};
  const char *last;
  size_t n;
  po_motion_write(&text, m);
  last = strrchr(text.data, ' '); /* before the last number */
  for (n = 0; n < (size_t)(last - text.data); n += 7) {
    po_error err;
    TEST_ASSERT_NOT_EQUAL(PO_OK, po_motion_read(&back, model, text.data, n, "cut.motion", &err));
    TEST_ASSERT_NULL(back);
  }
  po_buffer_free(&text);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reads_back_to_the_same_bits);
  RUN_TEST(test_mistakes_are_named);
  RUN_TEST(test_cut_off_files_are_refused);
  return UNITY_END() != 0;
}
