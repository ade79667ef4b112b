/* po_format against snprintf in the C locale, and where it cuts. */
#include "base_helpers.h"

#include <limits.h>

void setUp(void) {}
void tearDown(void) {}

#define SAME(format, ...)                                                                                                          \
  do {                                                                                                                             \
    char ours[600], theirs[600];                                                                                                   \
    int n = po_format(ours, sizeof ours, format, __VA_ARGS__);                                                                     \
    int m = snprintf(theirs, sizeof theirs, format, __VA_ARGS__);                                                                  \
    TEST_ASSERT_EQUAL_STRING_MESSAGE(theirs, ours, #format);                                                                       \
    TEST_ASSERT_EQUAL_INT(m, n);                                                                                                   \
  } while (0)

static void test_integers_and_strings(void) {
  SAME("%d %i %u", 1, -2, 3u);
  SAME("%d %d %d", 0, INT_MAX, INT_MIN);
  SAME("%ld %lu", LONG_MIN, ULONG_MAX);
  SAME("%lld %llu", LLONG_MIN, ULLONG_MAX);
  SAME("%zu", SIZE_MAX);
  SAME("%x %llx %08x %016llx", 0xbeefu, 0x123456789abcdefull, 255u, 0xffull);
  SAME("[%5d] [%-5d] [%05d] [%5d]", 42, 42, -42, -42);
  SAME("[%2d] [%+d] [%+d]", 12345, 7, -7);
  SAME("%s|%10s|%-10s|%.3s|%.*s|%10.2s", "abc", "abc", "abc", "abcdef", 2, "xyz", "hello");
  SAME("%c%c|%3c|%-3c|", 'a', 'b', 'c', 'd');
  SAME("100%% %s", "sure");
  SAME("[%*d] [%*d]", 6, 42, -6, 42);
}

static void test_doubles_as_libc_rounds_them(void) {
  static const double values[] = {
      0.0,        -0.0,   1.0,      -1.0,  0.5,  1.5,        2.5,  0.05,  0.15,   0.25,
      9.5,        99.5,   999.9995, 0.1,   1e-5, 123456.789, 1e22, 1e300, 5e-324, 1.7976931348623157e308,
      0.00099995, -2.675, 1e15,     0.045, 1e-7};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    double v = values[i];
    SAME("%.0f %.1f %.2f %.3f %.10f", v, v, v, v, v);
    SAME("%.0e %.1e %.2e %.16e %.25e", v, v, v, v, v);
    SAME("%.0g %.1g %.2g %.3g %.6g %.17g", v, v, v, v, v, v);
    SAME("%f %e", v, v);
    SAME("[%12.3f] [%-12.3f] [%012.3f] [%+.2e] [%*.*f]", v, v, v, v, 10, 2, v);
  }
  SAME("%.3f %.3e %.3g %5.1f %-6.1f| %06.1f", PO_INF, -PO_INF, PO_INF, PO_INF, PO_INF, -PO_INF);
}

static void test_random_doubles(void) {
  static const char *const formats[] = {"%.0f", "%.3f",  "%.9f",  "%.0e",      "%.5e",   "%.16e",
                                        "%.3g", "%.10g", "%.17g", "%-30.12g|", "%030.5f"};
  const uint64_t seed = 31;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 2000000 : 40000); i++) {
    uint64_t bits = po_rng_u64(&rng);
    double v;
    memcpy(&v, &bits, 8);
    if (i % 2 || v != v) v = po_rng_below(&rng, 2000000) / (i % 4 == 1 ? 1024.0 : 1000.0) - 500.0; /* ties among them */
    const char *f = formats[i % 11];
    char ours[600], theirs[600], message[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    po_format(ours, sizeof ours, f, v);
    snprintf(theirs, sizeof theirs, f, v);
#pragma GCC diagnostic pop
    snprintf(message, sizeof message, "%s of %a, seed %llu", f, v, (unsigned long long)seed);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(theirs, ours, message);
  }
}

static void test_plain_g_is_the_shortest(void) {
  char text[64];
  po_format(text, sizeof text, "%g %g %g [%8g] [%-8g] [%08g]", 0.1, 1e-5, -1.0 / 3.0, 1.5, 1.5, -1.5);
  TEST_ASSERT_EQUAL_STRING("0.1 1e-05 -0.3333333333333333 [     1.5] [1.5     ] [-00001.5]", text);
  po_format(text, sizeof text, "%g %g %+g", PO_NAN, -PO_INF, 2.0);
  TEST_ASSERT_EQUAL_STRING("nan -inf +2", text);
}

static void test_cutting(void) {
  for (size_t capacity = 0; capacity < 20; capacity++) {
    char text[32];
    memset(text, '#', sizeof text);
    int n = po_format(text, capacity, "%s %d %.2f", "hello", 42, 1.0);
    TEST_ASSERT_EQUAL_INT(13, n);
    size_t kept = capacity == 0 ? 0 : capacity - 1 < 13 ? capacity - 1 : 13;
    TEST_ASSERT_TRUE(memcmp(text, "hello 42 1.00", kept) == 0);
    if (capacity) TEST_ASSERT_EQUAL_INT('\0', text[kept]);
    for (size_t i = capacity; i < sizeof text; i++) TEST_ASSERT_EQUAL_INT('#', text[i]);
  }
  TEST_ASSERT_EQUAL_INT(5, po_format(NULL, 0, "%s", "12345"));
}

/* Through a pointer the compiler does not know: what is not ours is written as it stands. */
static void test_odd_formats(void) {
  int (*format)(char *, size_t, const char *, ...) = po_format;
  char text[64];
  format(text, sizeof text, "%q %");
  TEST_ASSERT_EQUAL_STRING("%q %", text);
  const char *volatile nothing = NULL;
  format(text, sizeof text, "%s", nothing);
  TEST_ASSERT_EQUAL_STRING("(null)", text);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_integers_and_strings);
  RUN_TEST(test_doubles_as_libc_rounds_them);
  RUN_TEST(test_random_doubles);
  RUN_TEST(test_plain_g_is_the_shortest);
  RUN_TEST(test_cutting);
  RUN_TEST(test_odd_formats);
  return UNITY_END() != 0;
}
