/* Printing doubles: reads back to the same bits, never longer than needed, nearest among the shortest. */
#include "base/text.h"
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_known_texts(void) {
  static const struct {
    double value;
    const char *text;
  } rows[] = {{0.0, "0"},
              {-0.0, "-0"},
              {1.0, "1"},
              {-1.5, "-1.5"},
              {0.1, "0.1"},
              {0.3, "0.3"},
              {1e-5, "1e-05"},
              {0.0001, "0.0001"},
              {1e15, "1000000000000000"},
              {1e16, "1e+16"},
              {123456789012345680.0, "1.2345678901234568e+17"},
              {1e22, "1e+22"},
              {1e23, "1e+23"},
              {9007199254740993.0, "9007199254740992"},
              {5e-324, "5e-324"},
              {1.7976931348623157e308, "1.7976931348623157e+308"},
              {2.2250738585072014e-308, "2.2250738585072014e-308"},
              {PO_INF, "inf"},
              {-PO_INF, "-inf"},
              {PO_NAN, "nan"},
              {-PO_NAN, "nan"},
              {1.0 / 3.0, "0.3333333333333333"},
              {2.0 / 3.0, "0.6666666666666666"},
              {100.0, "100"},
              {1024.0, "1024"},
              {0.5, "0.5"},
              {123.456, "123.456"},
              {9.5367431640625e-07, "9.5367431640625e-07"},
              {0x1p-44, "5.684341886080802e-14"},
              {2e-44, "2e-44"},
              {4.35, "4.35"},
              {1e100, "1e+100"},
              {8.41e21, "8.41e+21"},
              {9.0e15, "9000000000000000"},
              {0x1p60, "1.152921504606847e+18"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[32];
    int n = po_print_double(text, rows[i].value);
    TEST_ASSERT_EQUAL_STRING(rows[i].text, text);
    TEST_ASSERT_EQUAL_INT((int)strlen(text), n);
  }
}

static int significant_digits(const char *text) {
  int n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9') {
      if (*text == '0') zeros += n > 0;
      else n += zeros + 1, zeros = 0;
    }
  return n;
}

/* One value: reads back here and in libc; with one digit fewer, neither neighbour reads back. */
static void check_value(double x, uint64_t seed) {
  char text[32], message[120], fewer[64];
  double back;
  int n = po_print_double(text, x);
  snprintf(message, sizeof message, "%a printed as %s, seed %llu", x, text, (unsigned long long)seed);
  TEST_ASSERT_EQUAL_INT_MESSAGE((int)strlen(text), n, message);
  TEST_ASSERT_TRUE_MESSAGE(n <= 25, message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_parse_double(&back, NULL, text, text + n), message);
  TEST_ASSERT_TRUE_MESSAGE(base_same(back, x) && base_same(strtod(text, NULL), x), message);
  int digits = significant_digits(text);
  if (digits > 1) {
    snprintf(fewer, sizeof fewer, "%.*e", digits - 2, x);
    TEST_ASSERT_TRUE_MESSAGE(!base_same(strtod(fewer, NULL), x), message);
  }
  /* libc's rounding to as many digits is the same text or, at powers of two only, does not read back */
  snprintf(fewer, sizeof fewer, "%.*e", digits - 1 > 0 ? digits - 1 : 0, x);
  char ours[64];
  snprintf(ours, sizeof ours, "%.*e", digits - 1 > 0 ? digits - 1 : 0, strtod(text, NULL));
  if (base_same(strtod(fewer, NULL), x)) TEST_ASSERT_EQUAL_STRING_MESSAGE(fewer, ours, message);
}

static double random_value(po_rng *rng, int kind) {
  uint64_t bits = po_rng_u64(rng);
  double x;
  switch (kind % 6) {
    case 0: return po_rng_range(rng, -10.0, 10.0);
    case 1: return po_rng_below(rng, 1000000) / 1000.0;
    case 2: bits &= ~(uint64_t)0xfffffffffffff; break;      /* powers of two */
    case 3: bits >>= po_rng_below(rng, 64); break;          /* subnormals */
    case 4: return (double)(bits >> po_rng_below(rng, 64)); /* integers */
    default: break;                                         /* anything */
  }
  memcpy(&x, &bits, 8);
  return x == x ? x : 0.5;
}

static void test_random_bits_round_trip(void) {
  const uint64_t seed = 21;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 1000000 : 60000); i++) {
    double x = random_value(&rng, i);
    if (po_isfinite(x) && x != 0.0) check_value(x, seed);
  }
}

/* Two ways, one answer: 128-bit intervals against exact digits. */
static void test_fast_way_equals_exact_way(void) {
  const uint64_t seed = 22;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 300000 : 20000); i++) {
    double x = fabs(random_value(&rng, i));
    if (!(x > 0.0) || !po_isfinite(x)) continue;
    char a[32], b[32], message[120];
    int pa, pb, na = po_shortest_digits(a, &pa, x), nb = po_shortest_digits_exact(b, &pb, x);
    snprintf(message, sizeof message, "%a: %.*s e%d and %.*s e%d, seed %llu", x, na, a, pa, nb, b, pb, (unsigned long long)seed);
    TEST_ASSERT_TRUE_MESSAGE(na == nb && pa == pb && memcmp(a, b, (size_t)na) == 0, message);
  }
  for (int e = -1074; e <= 1023; e++) { /* every power of two: the lopsided interval */
    char a[32], b[32];
    int pa, pb, na = po_shortest_digits(a, &pa, ldexp(1.0, e)), nb = po_shortest_digits_exact(b, &pb, ldexp(1.0, e));
    TEST_ASSERT_TRUE(na == nb && pa == pb && memcmp(a, b, (size_t)na) == 0);
  }
}

static void test_exact_digits(void) {
  char digits[PO_DIGITS_MAX];
  int point, n = po_exact_digits(digits, &point, 0.1);
  TEST_ASSERT_EQUAL_INT(55, n);
  TEST_ASSERT_EQUAL_INT(0, point);
  TEST_ASSERT_TRUE(memcmp(digits, "1000000000000000055511151231257827021181583404541015625", 55) == 0);
  n = po_exact_digits(digits, &point, 1234000.0);
  TEST_ASSERT_TRUE(n == 4 && point == 7 && memcmp(digits, "1234", 4) == 0);
  n = po_exact_digits(digits, &point, 0x0.fffffffffffffp-1022); /* the longest there is */
  TEST_ASSERT_TRUE(n == 767 && point == -307);
  n = po_exact_digits(digits, &point, 1.7976931348623157e308);
  TEST_ASSERT_TRUE(n == 309 && point == 309);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_known_texts);
  RUN_TEST(test_random_bits_round_trip);
  RUN_TEST(test_fast_way_equals_exact_way);
  RUN_TEST(test_exact_digits);
  return UNITY_END() != 0;
}
