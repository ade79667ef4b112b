/* QPS text in: sections, both layouts, every kind of bound, and errors that name file and line. */
#include "qp/qp.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static po_qp_file *file;
static po_error err;

void setUp(void) { file = NULL; memset(&err, 0, sizeof err); }
void tearDown(void) { po_qp_file_free(file); }

static po_status read_text(const char *text) { return po_qps_read(&file, text, strlen(text), "x.qps", &err); }

static void expect_error(const char *text, po_status status, int line, const char *says) {
  char message[700];
  po_status got = read_text(text);
  snprintf(message, sizeof message, "got '%s' at line %d", err.message, err.line);
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, got, message);
  TEST_ASSERT_NULL_MESSAGE(file, "a failed read must leave the output alone");
  TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, says), message);
  TEST_ASSERT_EQUAL_STRING("x.qps", err.file);
}

static const char *const small =
    "NAME TINY PROBLEM\n"
    "* a comment\n"
    "ROWS\n"
    " N COST\n"
    " L  R1\n"
    " E  R2\n"
    " G  R3\n"
    " N  IGNORED\n"
    "COLUMNS\n"
    "    X  COST  1.5  R1  2\n"
    "    X  R2    -1\n"
    "    Y  R1    4    R3  1\n"
    "    Y  IGNORED 77\n"
    "RHS\n"
    "    RHS COST -3 R1 10\n"
    "    RHS R2 1 R3 -2\n"
    "    OTHER R1 99\n"
    "BOUNDS\n"
    " UP BND X 4\n"
    " FR BND Y\n"
    "QUADOBJ\n"
    "    X X 2\n"
    "    Y X -1\n"
    "    Y Y 5\n"
    "ENDATA\n";

static void test_sections(void) {
  const po_qp *p;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(small), err.message);
  p = &file->qp;
  TEST_ASSERT_EQUAL_STRING("TINY PROBLEM", file->name);
  TEST_ASSERT_EQUAL_INT(2, p->n);
  TEST_ASSERT_EQUAL_INT(1, p->me);
  TEST_ASSERT_EQUAL_INT(2, p->mi);
  TEST_ASSERT_EQUAL_DOUBLE(3, p->constant); /* an RHS on the objective is minus the constant */
  TEST_ASSERT_EQUAL_DOUBLE(1.5, p->g[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, p->g[1]);
  TEST_ASSERT_EQUAL_DOUBLE(-1, PO_AT(p->A, 0, 0));
  TEST_ASSERT_EQUAL_DOUBLE(1, p->b[0]);
  TEST_ASSERT_EQUAL_DOUBLE(2, PO_AT(p->C, 0, 0));
  TEST_ASSERT_EQUAL_DOUBLE(4, PO_AT(p->C, 0, 1));
  TEST_ASSERT_EQUAL_DOUBLE(10, p->cu[0]); /* the second RHS set is ignored */
  TEST_ASSERT_TRUE(p->cl[0] == -PO_INF);
  TEST_ASSERT_EQUAL_DOUBLE(-2, p->cl[1]);
  TEST_ASSERT_TRUE(p->cu[1] == PO_INF);
  TEST_ASSERT_EQUAL_DOUBLE(0, p->xl[0]);
  TEST_ASSERT_EQUAL_DOUBLE(4, p->xu[0]);
  TEST_ASSERT_TRUE(p->xl[1] == -PO_INF && p->xu[1] == PO_INF);
  TEST_ASSERT_EQUAL_DOUBLE(-1, PO_AT(p->H, 0, 1));
  TEST_ASSERT_EQUAL_DOUBLE(-1, PO_AT(p->H, 1, 0));
  TEST_ASSERT_EQUAL_DOUBLE(5, PO_AT(p->H, 1, 1));
  TEST_ASSERT_EQUAL_STRING("R2", p->row_names[0]); /* A's rows first */
  TEST_ASSERT_EQUAL_STRING("R1", p->row_names[1]);
  TEST_ASSERT_EQUAL_STRING("Y", p->var_names[1]);
  TEST_ASSERT_EQUAL_INT(1, file->row_order[0]); /* and the file's order is kept */
  TEST_ASSERT_EQUAL_INT(0, file->row_order[1]);
  TEST_ASSERT_EQUAL_INT(2, file->row_order[2]);
}

static void test_fixed_columns_with_blanks_in_names(void) {
  static const char text[] =
      "NAME          BLANKS\n"
      "OBJSENSE\n"
      "  MAX\n" /* a word, not a field: wherever it stands */
      "ROWS\n"
      " N  THE COST\n"
      " E  ROW 1  A\n"
      " G  ROW 1  B\n"
      "COLUMNS\n"
      "    COL 1     THE COST           1.0   ROW 1  A           2.0\n"
      "    COL 1     ROW 1  B           3.0\n"
      "    COL 2     ROW 1  B           4.0   ROW 1  A           5.0\n"
      "RHS\n"
      "    MY RHS    ROW 1  A           6.0   ROW 1  B           7.0\n"
      "BOUNDS\n"
      " UP MY BND    COL 2              8.0\n"
      "QUADOBJ\n"
      "    COL 1     COL 2              9.0\n"
      "ENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_STRING("ROW 1  A", file->qp.row_names[0]);
  TEST_ASSERT_EQUAL_DOUBLE(5, PO_AT(file->qp.A, 0, 1));
  TEST_ASSERT_EQUAL_DOUBLE(4, PO_AT(file->qp.C, 0, 1));
  TEST_ASSERT_EQUAL_DOUBLE(6, file->qp.b[0]);
  TEST_ASSERT_EQUAL_DOUBLE(7, file->qp.cl[0]);
  TEST_ASSERT_EQUAL_DOUBLE(8, file->qp.xu[1]);
  TEST_ASSERT_EQUAL_INT(1, file->maximize);
  TEST_ASSERT_EQUAL_DOUBLE(-9, PO_AT(file->qp.H, 1, 0));
}

static void test_ranges(void) {
  static const char text[] =
      "NAME R\nROWS\n N C\n L L1\n G G1\n E E1\n E E2\n E E3\nCOLUMNS\n X C 1 L1 1\n X G1 1 E1 1\n X E2 1 E3 1\n"
      "RHS\n RHS L1 10 G1 10\n RHS E1 10 E2 10\nRANGES\n RNG L1 3 G1 -4\n RNG E1 5 E2 -6\n RNG E3 0\nENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_INT(1, file->qp.me); /* E3: a range of zero stays an equality */
  TEST_ASSERT_EQUAL_INT(4, file->qp.mi);
  TEST_ASSERT_EQUAL_DOUBLE(7, file->qp.cl[0]);
  TEST_ASSERT_EQUAL_DOUBLE(10, file->qp.cu[0]);
  TEST_ASSERT_EQUAL_DOUBLE(10, file->qp.cl[1]);
  TEST_ASSERT_EQUAL_DOUBLE(14, file->qp.cu[1]);
  TEST_ASSERT_EQUAL_DOUBLE(10, file->qp.cl[2]);
  TEST_ASSERT_EQUAL_DOUBLE(15, file->qp.cu[2]);
  TEST_ASSERT_EQUAL_DOUBLE(4, file->qp.cl[3]); /* a negative range on an E row goes downwards */
  TEST_ASSERT_EQUAL_DOUBLE(10, file->qp.cu[3]);
}

static void test_every_kind_of_bound(void) {
  static const char text[] =
      "NAME B\nROWS\n N C\nCOLUMNS\n A C 1\n B C 1\n D C 1\n E C 1\n F C 1\n G C 1\n H C 1\n I C 1\n J C 1\n K C 1\n M C 1\n"
      "BOUNDS\n LO BND A -1\n UP BND B 2\n FX BND D 3\n FR BND E\n MI BND F\n PL BND G\n BV BND H\n LI BND I 2\n UI BND J 7\n"
      " UP BND K -5\n LO BND M -9\n UP BND M -5\nENDATA\n";
  static const double lo[] = {-1, 0, 3, -1e99, -1e99, 0, 0, 2, 0, -1e99, -9}, hi[] = {1e99, 2, 3, 1e99, 1e99, 1e99, 1, 1e99, 7, -5, -5};
  int j;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_NULL(file->qp.H.a);
  for (j = 0; j < 11; j++) {
    TEST_ASSERT_TRUE_MESSAGE(lo[j] < -1e98 ? file->qp.xl[j] == -PO_INF : file->qp.xl[j] == lo[j], file->qp.var_names[j]);
    TEST_ASSERT_TRUE_MESSAGE(hi[j] > 1e98 ? file->qp.xu[j] == PO_INF : file->qp.xu[j] == hi[j], file->qp.var_names[j]);
  }
}

static void test_sets_without_names(void) {
  static const char text[] = "NAME\nROWS\n N C\n L R\nCOLUMNS\n X C 1 R 1\nRHS\n R 5\nBOUNDS\n UP X 3\n LO X -3\nENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_DOUBLE(5, file->qp.cu[0]);
  TEST_ASSERT_EQUAL_DOUBLE(3, file->qp.xu[0]);
  TEST_ASSERT_EQUAL_DOUBLE(-3, file->qp.xl[0]);
}

static void test_qmatrix_and_maximize(void) {
  static const char text[] = "NAME M\nOBJSENSE\n    MAX\nROWS\n N C\nCOLUMNS\n X C 1\n Y C 2\nRHS\n RHS C 4\n"
                             "QMATRIX\n X X -2\n X Y 1\n Y X 1\n Y Y -3\nENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_INT(1, file->maximize);
  TEST_ASSERT_EQUAL_DOUBLE(-1, file->qp.g[0]);
  TEST_ASSERT_EQUAL_DOUBLE(4, file->qp.constant); /* −(−4): negated like the rest */
  TEST_ASSERT_EQUAL_DOUBLE(2, PO_AT(file->qp.H, 0, 0));
  TEST_ASSERT_EQUAL_DOUBLE(-1, PO_AT(file->qp.H, 0, 1));
  TEST_ASSERT_EQUAL_DOUBLE(3, PO_AT(file->qp.H, 1, 1));
}

static void test_blocks_of_h(void) {
  static const char text[] = "NAME M\nROWS\n N C\nCOLUMNS\n A C 1\n B C 1\n D C 1\n E C 1\n F C 1\n G C 1\n"
                             "QUADOBJ\n A A 1\n B B 2\n D D 3\n F D 1\n F F 4\n E E 9\nENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_INT(3, file->qp.h_block_count);
  TEST_ASSERT_EQUAL_INT(-2, file->qp.h_blocks[0]); /* A, B */
  TEST_ASSERT_EQUAL_INT(3, file->qp.h_blocks[1]);  /* D, E, F: F reaches back to D */
  TEST_ASSERT_EQUAL_INT(-1, file->qp.h_blocks[2]);
}

static void test_numbers(void) {
  static const char text[] = "NAME\nROWS\n N C\nCOLUMNS\n X C 1.5D+02\n Y C -2.5e-1\nBOUNDS\n UP B X inf\n LO B Y -1e30\nENDATA\n";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_text(text), err.message);
  TEST_ASSERT_EQUAL_DOUBLE(150, file->qp.g[0]);
  TEST_ASSERT_EQUAL_DOUBLE(-0.25, file->qp.g[1]);
  TEST_ASSERT_TRUE(file->qp.xu[0] == PO_INF);
}

static void test_errors_tell_file_line_and_what(void) {
  expect_error("", PO_ERR_PARSE, 0, "ENDATA");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\n", PO_ERR_PARSE, 5, "ENDATA");
  expect_error("NAME\nROWS\n Q C\n", PO_ERR_PARSE, 3, "unknown type 'Q'");
  expect_error("NAME\nROWS\n X C\n", PO_ERR_PARSE, 3, "unknown type 'X'");
  expect_error("NAME\nROWS\n N C\n L C\n", PO_ERR_NAME, 4, "'C' is declared twice");
  expect_error("NAME\nROWZ\n", PO_ERR_PARSE, 2, "unknown section 'ROWZ'");
  expect_error(" X C 1\n", PO_ERR_PARSE, 1, "before the first section");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X D 1\n", PO_ERR_NAME, 5, "unknown row 'D'");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1e\n", PO_ERR_PARSE, 5, "not a number");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C nan\n", PO_ERR_PARSE, 5, "not a number");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C inf\n", PO_ERR_NOT_FINITE, 5, "finite");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C\n", PO_ERR_PARSE, 5, "pairs");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\n Y C 1\n X C 1\n", PO_ERR_NAME, 7, "appears again");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\n X C 2\nENDATA\n", PO_ERR_NAME, 6, "already");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nRHS\n RHS D 1\n", PO_ERR_NAME, 7, "unknown row");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n UP B Y 1\n", PO_ERR_NAME, 7, "unknown column");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n ZZ B X 1\n", PO_ERR_PARSE, 7, "unknown kind 'ZZ'");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n SC B X 1\n", PO_ERR_UNSUPPORTED, 7, "semi-continuous");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n LO B X 3\n UP B X 2\nENDATA\n", PO_ERR_BOUNDS, 0, "'X'");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\nQUADOBJ\n X Z 1\n", PO_ERR_NAME, 7, "unknown column 'Z'");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\n X C 1\n Y C 1\nQUADOBJ\n X Y 1\n Y X 1\nENDATA\n", PO_ERR_NAME, 9, "one triangle");
  expect_error("NAME\nROWS\n L C\nCOLUMNS\n X C 1\nENDATA\n", PO_ERR_PARSE, 6, "no objective");
  expect_error("NAME\nROWS\n N C\nCOLUMNS\nENDATA\n", PO_ERR_SIZE, 5, "no variables");
  expect_error("NAME\nOBJSENSE\n UP\n", PO_ERR_PARSE, 3, "MIN or MAX");
}

/* A million lines with one mistake near the end: found, and told with its line. */
static void test_a_million_lines(void) {
  const int rows = 500000;
  po_buffer text = {0};
  int i;
  po_buffer_puts(&text, "NAME BIG\nROWS\n N C\n");
  for (i = 0; i < rows; i++) po_buffer_printf(&text, " L R%d\n", i);
  po_buffer_puts(&text, "COLUMNS\n");
  for (i = 0; i < rows; i++) po_buffer_printf(&text, " X R%d 1\n", i);
  po_buffer_puts(&text, " X R12x 1\nENDATA\n");
  TEST_ASSERT_FALSE(text.failed);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_qps_read(&file, text.data, text.size, "big.qps", &err));
  TEST_ASSERT_EQUAL_INT(2 * rows + 5, err.line);
  TEST_ASSERT_NOT_NULL(strstr(err.message, "R12x"));
  po_buffer_free(&text);
}

static void test_too_many_for_dense(void) {
  po_buffer text = {0};
  int i;
  po_buffer_puts(&text, "NAME BIG\nROWS\n N C\nCOLUMNS\n");
  for (i = 0; i < 30000; i++) po_buffer_printf(&text, " X%d C 1\n", i);
  po_buffer_puts(&text, "QUADOBJ\n X1 X1 1\nENDATA\n");
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qps_read(&file, text.data, text.size, "big.qps", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "30000 variables"));
  po_buffer_free(&text);
}

/* Every allocation may fail: the reader says so, leaks nothing and leaves its output alone. */
static int allocations, allowed, alive;
static void *limited(void *user, void *block, size_t bytes) {
  (void)user;
  if (bytes == 0) {
    if (block) alive--;
    free(block);
    return NULL;
  }
  if (allocations++ >= allowed) return NULL;
  if (!block) alive++;
  return realloc(block, bytes);
}
static void test_out_of_memory(void) {
  int k, good = 0;
  for (k = 0; k < 100 && !good; k++) {
    allocations = alive = 0;
    allowed = k;
    po_set_allocator(limited, NULL);
    good = read_text(small) == PO_OK;
    if (good) po_qp_file_free(file);
    file = good ? NULL : file;
    po_set_allocator(NULL, NULL);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, alive, "memory was lost");
    if (!good) TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, err.status);
    TEST_ASSERT_NULL(file);
  }
  TEST_ASSERT_TRUE(good && k > 3);
}

static void test_null_arguments(void) {
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qps_read(NULL, "", 0, "x", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qps_read(&file, NULL, 3, "x", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_qps_read(&file, NULL, 0, NULL, NULL));
  po_qp_file_free(NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_sections);
  RUN_TEST(test_fixed_columns_with_blanks_in_names);
  RUN_TEST(test_ranges);
  RUN_TEST(test_every_kind_of_bound);
  RUN_TEST(test_sets_without_names);
  RUN_TEST(test_qmatrix_and_maximize);
  RUN_TEST(test_blocks_of_h);
  RUN_TEST(test_numbers);
  RUN_TEST(test_errors_tell_file_line_and_what);
  RUN_TEST(test_a_million_lines);
  RUN_TEST(test_too_many_for_dense);
  RUN_TEST(test_out_of_memory);
  RUN_TEST(test_null_arguments);
  return UNITY_END() != 0;
}
