/* test_args.c: command lines against tables of options. */
#include "../cli/args.h"
#include "unity.h"

static const po_option options[] = {{"json", "FILE", "a file"}, {"set", "NAME=VALUE", "repeated"},
                                    {"dt", "H", "a number"},    {"seed", "N", "a whole number"},
                                    {"warm", NULL, "a flag"},   PO_OPTION_SIMD,
                                    {NULL, NULL, NULL}};
static const po_command command = {"run", "SCENARIO", "for tests", NULL, options, 1, 2, NULL};
static po_args args;

void setUp(void) {}
void tearDown(void) { po_args_free(&args); }

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})
static int parse(const char *const *words) {
  int n = 0;
  while (words[n]) n++;
  po_args_free(&args);
  return po_args_parse(&args, &command, n, words);
}

static void test_forms(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("walk", "--json", "-", "--set", "a=1", "--set=b=2", "--warm", "--dt=-0.5"));
  TEST_ASSERT_EQUAL_INT(1, args.count);
  TEST_ASSERT_EQUAL_STRING("walk", args.arg[0]);
  TEST_ASSERT_EQUAL_STRING("-", po_args_string(&args, "json", NULL));
  TEST_ASSERT_EQUAL_INT(2, po_args_count(&args, "set"));
  TEST_ASSERT_EQUAL_STRING("a=1", po_args_at(&args, "set", 0));
  TEST_ASSERT_EQUAL_STRING("b=2", po_args_at(&args, "set", 1));
  TEST_ASSERT_NULL(po_args_at(&args, "set", 2));
  TEST_ASSERT_TRUE(po_args_has(&args, "warm"));
  TEST_ASSERT_FALSE(po_args_has(&args, "seed"));
  TEST_ASSERT_TRUE(po_args_double(&args, "dt", 1, -1, 1) == -0.5);
  TEST_ASSERT_FALSE(args.failed);
}

static void test_negative_number_as_value(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("walk", "--dt", "-3"));
  TEST_ASSERT_TRUE(po_args_double(&args, "dt", 1, -5, 5) == -3);
}

static void test_last_value_counts(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("walk", "--seed", "1", "--seed", "2"));
  TEST_ASSERT_EQUAL_INT(2, po_args_int(&args, "seed", 0, 0, 9));
}

static void test_dashes_end_options(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("walk", "--", "--json"));
  TEST_ASSERT_EQUAL_INT(2, args.count);
  TEST_ASSERT_EQUAL_STRING("--json", args.arg[1]);
}

static void test_bad_lines(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--jsno", "x"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--json"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--json", "--warm"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--warm=1"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "-x"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--jso"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, PARSE("walk", "--"
                                                     "=3"));
}

static void test_counts(void) {
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("--warm"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, po_args_check_count(&args));
  PARSE("a", "b");
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_check_count(&args));
  PARSE("a", "b", "c");
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, po_args_check_count(&args));
}

static void test_numbers(void) {
  static const char *const bad[] = {"", "x", "1x", "1,2", "nan", "inf", "-inf", "1e999", " ", "0x10", "1 "};
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, PARSE("walk", "--dt", bad[i]));
    TEST_ASSERT_TRUE_MESSAGE(po_args_double(&args, "dt", 7, -1e300, 1e300) == 7, bad[i]);
    TEST_ASSERT_TRUE_MESSAGE(args.failed, bad[i]);
  }
  PARSE("walk", "--dt", "0.25");
  TEST_ASSERT_TRUE(po_args_double(&args, "dt", 7, 0, 1) == 0.25);
  TEST_ASSERT_TRUE(po_args_double(&args, "dt", 7, 0.5, 1) == 7);
  TEST_ASSERT_TRUE(args.failed);
}

static void test_whole_numbers(void) {
  static const char *const bad[] = {"", "1.5", "x", "99999999999", "4 "};
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    PARSE("walk", "--seed", bad[i]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(5, po_args_int(&args, "seed", 5, 0, 100), bad[i]);
    TEST_ASSERT_TRUE_MESSAGE(args.failed, bad[i]);
  }
}

static void test_seeds(void) {
  PARSE("walk", "--seed", "18446744073709551615");
  TEST_ASSERT_TRUE(po_args_u64(&args, "seed", 0) == UINT64_MAX);
  TEST_ASSERT_FALSE(args.failed);
  PARSE("walk", "--seed", "18446744073709551616");
  TEST_ASSERT_TRUE(po_args_u64(&args, "seed", 3) == 3);
  TEST_ASSERT_TRUE(args.failed);
  PARSE("walk", "--seed=-1");
  po_args_u64(&args, "seed", 3);
  TEST_ASSERT_TRUE(args.failed);
}

static void test_choices(void) {
  static const char *const names[] = {"svd", "orthogonal"};
  PARSE("walk", "--json", "orthogonal");
  TEST_ASSERT_EQUAL_INT(1, po_args_choice(&args, "json", names, 2, 0));
  PARSE("walk", "--json", "ortogonal");
  TEST_ASSERT_EQUAL_INT(0, po_args_choice(&args, "json", names, 2, 0));
  TEST_ASSERT_TRUE(args.failed);
}

static void test_simd(void) {
  PARSE("walk", "--simd", "scalar");
  TEST_ASSERT_EQUAL_INT(PO_SIMD_SCALAR, po_args_simd(&args));
  TEST_ASSERT_EQUAL_INT(PO_SIMD_SCALAR, po_get_simd());
  PARSE("walk");
  TEST_ASSERT_EQUAL_INT(PO_SIMD_AUTO, po_args_simd(&args));
  PARSE("walk", "--simd", "avx3");
  po_args_simd(&args);
  TEST_ASSERT_TRUE(args.failed);
}

static void test_lists(void) {
  double x[3];
  const char *rest;
  TEST_ASSERT_TRUE(po_cli_numbers(x, NULL, 3, "1,-2.5,3e2"));
  TEST_ASSERT_TRUE(x[0] == 1 && x[1] == -2.5 && x[2] == 300);
  TEST_ASSERT_FALSE(po_cli_numbers(x, NULL, 3, "1,2"));
  TEST_ASSERT_FALSE(po_cli_numbers(x, NULL, 2, "1,2,3"));
  TEST_ASSERT_FALSE(po_cli_numbers(x, NULL, 2, "1,,3"));
  TEST_ASSERT_TRUE(po_cli_numbers(x, &rest, 2, "1,2,thorax"));
  TEST_ASSERT_EQUAL_STRING("thorax", rest);
  TEST_ASSERT_TRUE(po_cli_numbers(x, &rest, 2, "1,2"));
  TEST_ASSERT_NULL(rest);
  TEST_ASSERT_FALSE(po_cli_numbers(x, &rest, 2, "1,2thorax"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_forms);
  RUN_TEST(test_negative_number_as_value);
  RUN_TEST(test_last_value_counts);
  RUN_TEST(test_dashes_end_options);
  RUN_TEST(test_bad_lines);
  RUN_TEST(test_counts);
  RUN_TEST(test_numbers);
  RUN_TEST(test_whole_numbers);
  RUN_TEST(test_seeds);
  RUN_TEST(test_choices);
  RUN_TEST(test_simd);
  RUN_TEST(test_lists);
  return UNITY_END() != 0;
}
