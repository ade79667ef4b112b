/* Reading numbers: the nearest double, ties to even, against exact neighbours, libc and cases known to be hard. */
#include "base/text.h"
#include "base_helpers.h"

#include <locale.h>

void setUp(void) {}
void tearDown(void) { setlocale(LC_ALL, "C"); }

static double read_all(const char *text) {
  double value = -77.0;
  const char *end;
  po_status status = po_parse_double(&value, &end, text, text + strlen(text));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, status, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE('\0', *end, text);
  return value;
}

static void check(const char *text, double expected) {
  double got = read_all(text);
  char message[200];
  snprintf(message, sizeof message, "'%.80s': expected %a, got %a", text, expected, got);
  TEST_ASSERT_TRUE_MESSAGE(base_same(got, expected), message);
}

static void test_plain_numbers(void) {
  check("0", 0.0);
  check("-0", -0.0);
  check("+1", 1.0);
  check("1.57", 1.57);
  check("-1.5e-3", -1.5e-3);
  check("1E5", 1e5);
  check("1e+05", 1e5);
  check("007.50", 7.5);
  check(".5", 0.5);
  check("5.", 5.0);
  check("0e999999999999999999999", 0.0);
  check("inf", PO_INF);
  check("-Infinity", -PO_INF);
  check("1e308", 1e308);
  check("123456789012345678901234567890", 1.2345678901234568e29);
}

static void test_where_it_stops(void) {
  static const struct {
    const char *text;
    double value;
    int used;
  } rows[] = {{"1.5abc", 1.5, 3}, {"1e", 1.0, 1},    {"1e+", 1.0, 1},   {"1ex", 1.0, 1},     {"1.2.3", 1.2, 3},
              {"1,57", 1.0, 1},   {"1..2", 1.0, 2},  {"0x10", 0.0, 1},  {"infx", PO_INF, 3}, {"infinit", PO_INF, 3},
              {"12 34", 12.0, 2}, {"1e5.5", 1e5, 3}, {"-1-1", -1.0, 2}, {"1e-2e3", 0.01, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double value;
    const char *end;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_double(&value, &end, rows[i].text, NULL));
    TEST_ASSERT_TRUE_MESSAGE(value == rows[i].value, rows[i].text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(rows[i].used, (int)(end - rows[i].text), rows[i].text);
  }
  double value;
  const char *text = "12345", *end;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_double(&value, &end, text, text + 3)); /* the end is the end, NUL or not */
  TEST_ASSERT_TRUE(value == 123.0 && end == text + 3);
}

static void test_no_number(void) {
  static const char *const rows[] = {"", "+", "-", ".", "-.", "e5", ".e5", "x", " 1", "--1", "+-1", "in", "na", "-i", "\xd9\xa1"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double value = -77.0;
    const char *end = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_PARSE, po_parse_double(&value, &end, rows[i], NULL), rows[i]);
    TEST_ASSERT_TRUE_MESSAGE(value == -77.0 && end == rows[i], rows[i]);
  }
  double value, nan = read_all("nan");
  TEST_ASSERT_TRUE(nan != nan);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_parse_double(NULL, NULL, "1", NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_parse_double(&value, NULL, NULL, NULL));
}

static void test_edges_of_the_range(void) {
  check("1.7976931348623157e308", 1.7976931348623157e308);
  check("1.7976931348623158e308", 1.7976931348623157e308);
  check("1.797693134862315807e308", 1.7976931348623157e308); /* just below the middle to 2^1024 */
  check("1.797693134862315808e308", PO_INF);
  check("1e309", PO_INF);
  check("-1e400", -PO_INF);
  check("1e99999999999999999999", PO_INF);
  check("2.2250738585072014e-308", 0x1p-1022);
  check("2.2250738585072011e-308", 0x0.fffffffffffffp-1022); /* once an endless loop elsewhere */
  check("2.2250738585072012e-308", 0x1p-1022);
  check("4.9406564584124654e-324", 0x1p-1074);
  check("2.4703282292062327e-324", 0.0); /* just below half of the smallest */
  check("2.4703282292062328e-324", 0x1p-1074);
  check("7.4109846876186981e-324", 0x1p-1074);
  check("7.4109846876186982e-324", 0x1p-1073);
  check("1e-400", 0.0);
  check("-1e-99999999999999999999", -0.0);
  check("1e-324", 0.0);
}

static void test_known_hard_cases(void) {
  check("9007199254740993", 9007199254740992.0); /* 2^53 + 1: a tie, to even */
  check("9007199254740995", 9007199254740996.0);
  check("9007199254740993.00000000000000000000000000000000000001", 9007199254740994.0);
  check("9007199254740992.99999999999999999999999999999999999999", 9007199254740992.0);
  check("1.00000000000000011102230246251565404236316680908203125", 1.0);
  check("1.00000000000000011102230246251565404236316680908203124", 1.0);
  check("1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002);
  check("1.00000000000000033306690738754696212708950042724609375", 1.0000000000000004);
  check("6929495644600919.5", 6929495644600920.0);
  check("3.518437208883201171875e13", 0x1.0000000000002p45);
  check("8.533e+68", 8.533e+68);
  check("4.1006e-184", 4.1006e-184);
  check("1e23", 1e23);
  check("8.5e22", 8.5e22);
  check("0.000000000000000000000000000000000000000000000000000000000000001e63", 1.0);
  check("10000000000000000000000000000000000000000000000000000000000000000e-64", 1.0);
}

/* a 2^e halfway between neighbouring doubles, digit by digit; then a little less and a little more. */
static void check_halfway(double x) {
  char digits[PO_DIGITS_MAX], text[PO_DIGITS_MAX + 40];
  double up = nextafter(x, PO_INF);
  uint64_t bits;
  memcpy(&bits, &x, 8);
  int point, e = bits >> 52 ? (int)(bits >> 52) : 1, count = 0;
  po_big b; /* (2 m + 1) 2^(e - 1076) */
  po_big_set(&b, 2 * ((bits & 0xfffffffffffffu) | (bits >> 52 ? (uint64_t)1 << 52 : 0)) + 1);
  e -= 1076;
  if (e >= 0) po_big_shift(&b, e);
  else po_big_mul_pow5(&b, -e);
  while (b.n) digits[count++] = (char)('0' + po_big_div_small(&b, 10));
  point = e < 0 ? e : 0;
  for (int i = 0; i < count; i++) text[i] = digits[count - 1 - i];
  double even = bits & 1 ? up : x;
  char *tail = text + count;
  snprintf(tail, 40, "e%d", point);
  check(text, even);
  snprintf(tail, 40, "00000e%d", point - 5);
  check(text, even);
  snprintf(tail, 40, "00001e%d", point - 5);
  check(text, up);
  for (char *last = tail - 1;; last--) { /* one less in the last place */
    if (*last != '0') {
      --*last;
      break;
    }
    *last = '9';
  }
  snprintf(tail, 40, "99999e%d", point - 5);
  check(text, x);
}

static void test_halfway_everywhere(void) {
  const uint64_t seed = 11;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 100000 : 4000); i++) {
    uint64_t bits = po_rng_u64(&rng) >> 1;
    if (i % 5 == 1) bits >>= po_rng_below(&rng, 63);                           /* many subnormals */
    if (i % 5 == 2) bits = (bits & 0x000fffffffffffffu) | 0x3f00000000000000u; /* common sizes */
    if (i % 5 == 3) bits |= 0x000fffffffffff00u;                               /* next to a power of two */
    double x;
    memcpy(&x, &bits, 8);
    if (x < 1.7e308) check_halfway(x); /* false for NaN */
  }
  check_halfway(0.0);
  check_halfway(5e-324);
  check_halfway(0x0.fffffffffffffp-1022);
}

/* Longer than the 800 digits that are looked at: the rest still decides. */
static void test_very_long_texts(void) {
  enum { N = 5000 };
  static char text[N + 40];
  memset(text, '0', N);
  memcpy(text, "9007199254740993.", 17);
  text[N] = '\0';
  check(text, 9007199254740992.0);
  text[N - 1] = '1';
  check(text, 9007199254740994.0);
  memset(text, '9', N);
  memcpy(text + N, "e-4990", 7);
  check(text, 1e10);
  memset(text, '0', N);
  memcpy(text, "0.", 2);
  memcpy(text + N, "1e5000", 7);
  check(text, 10.0);
  memset(text, '0', N);
  text[0] = '1';
  memcpy(text + N, "e-4999", 7);
  check(text, 1.0);
}

/* Against libc's strtod (correctly rounded in glibc): random bits with 17 digits, random digit strings. */
static void test_against_libc(void) {
  const uint64_t seed = 12;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 1000000 : 100000); i++) {
    char text[80];
    if (i % 2) {
      uint64_t bits = po_rng_u64(&rng);
      double x;
      memcpy(&x, &bits, 8);
      if (x != x) continue;
      snprintf(text, sizeof text, "%.*e", 14 + po_rng_below(&rng, 9), x);
      if (strchr(text, 'n')) continue;
    } else {
      int n = 1 + po_rng_below(&rng, 40), k = 0;
      for (int j = 0; j < n; j++) {
        text[k++] = (char)('0' + po_rng_below(&rng, 10));
        if (j == n / 3) text[k++] = '.';
      }
      snprintf(text + k, sizeof text - (size_t)k, "e%d", po_rng_below(&rng, 700) - 370);
    }
    check(text, strtod(text, NULL));
  }
}

/* A locale that writes 1,57 must not matter. The test looks for one that is installed. */
static void test_german_locale_changes_nothing(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "de_AT.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8", "German"};
  int found = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
    found = setlocale(LC_ALL, names[i]) != NULL && localeconv()->decimal_point[0] == ',';
  char text[64];
  int at_fault = !base_same(read_all("1.57"), 1.57) || !base_same(read_all("-2.5e-3"), -0.0025);
  double comma;
  const char *end;
  at_fault |= po_parse_double(&comma, &end, "1,57", NULL) != PO_OK || comma != 1.0 || *end != ',';
  po_print_double(text, 1.57);
  at_fault |= strcmp(text, "1.57") != 0;
  po_format(text, sizeof text, "%g %.3f %.2e %d", 0.1, 1234.5678, 1.5, 1234567);
  at_fault |= strcmp(text, "0.1 1234.568 1.50e+00 1234567") != 0;
  setlocale(LC_ALL, "C");
  TEST_ASSERT_EQUAL_INT(0, at_fault);
  if (!found) TEST_IGNORE_MESSAGE("no locale with a decimal comma is installed");
}

static void test_integers(void) {
  int value = -1;
  const char *end;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_int(&value, &end, "42x", NULL));
  TEST_ASSERT_TRUE(value == 42 && *end == 'x');
  TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_int(&value, NULL, "-2147483648", NULL));
  TEST_ASSERT_TRUE(value == -2147483647 - 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_int(&value, NULL, "+2147483647", NULL));
  TEST_ASSERT_TRUE(value == 2147483647);
  static const char *const large[] = {"2147483648", "-2147483649", "99999999999999999999999999", "-99999999999999999999999999"};
  for (int i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_parse_int(&value, &end, large[i], NULL));
    TEST_ASSERT_TRUE(value == 2147483647 && end == large[i]);
  }
  static const char *const bad[] = {"", "-", "+", "x", " 1", ".5", "--1"};
  for (int i = 0; i < 7; i++) TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_parse_int(&value, NULL, bad[i], NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_parse_int(&value, &end, "1.5", NULL));
  TEST_ASSERT_TRUE(value == 1 && *end == '.');
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_parse_int(NULL, NULL, "1", NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_parse_int(&value, NULL, NULL, NULL));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_plain_numbers);
  RUN_TEST(test_where_it_stops);
  RUN_TEST(test_no_number);
  RUN_TEST(test_edges_of_the_range);
  RUN_TEST(test_known_hard_cases);
  RUN_TEST(test_halfway_everywhere);
  RUN_TEST(test_very_long_texts);
  RUN_TEST(test_against_libc);
  RUN_TEST(test_german_locale_changes_nothing);
  RUN_TEST(test_integers);
  return UNITY_END() != 0;
}
