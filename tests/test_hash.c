/* The hash: pinned values, order and length matter, single bits spread. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_values_are_pinned(void) {
  const double x[3] = {1.0, -0.0, 1e300};
  TEST_ASSERT_EQUAL_HEX64(0x4a57be4322defb35, po_hash("", 0, 0));
  TEST_ASSERT_EQUAL_HEX64(0x9b3c78fa924f0d53, po_hash("poise", 5, 7));
  TEST_ASSERT_EQUAL_HEX64(0x97c11f1197cfa7f9, po_hash_doubles(x, 3, 0));
}

static void test_doubles_are_their_little_endian_bytes(void) {
  const double x[3] = {1.5, -2.0, 3e-200};
  unsigned char bytes[24];
  for (int i = 0; i < 3; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    for (int j = 0; j < 8; j++) bytes[8 * i + j] = (unsigned char)(bits >> (8 * j));
  }
  TEST_ASSERT_TRUE(po_hash(bytes, 24, 3) == po_hash_doubles(x, 3, 3));
}

static void test_what_must_differ_differs(void) {
  const double zero = 0.0, minus = -0.0, ab[2] = {1.0, 2.0}, ba[2] = {2.0, 1.0};
  TEST_ASSERT_TRUE(po_hash_doubles(&zero, 1, 0) != po_hash_doubles(&minus, 1, 0));
  TEST_ASSERT_TRUE(po_hash_doubles(ab, 2, 0) != po_hash_doubles(ba, 2, 0));
  TEST_ASSERT_TRUE(po_hash("a", 1, 0) != po_hash("a", 1, 1));
  unsigned char zeros[64] = {0};
  uint64_t seen[65];
  for (int n = 0; n <= 64; n++) {
    seen[n] = po_hash(zeros, (size_t)n, 0);
    for (int m = 0; m < n; m++) TEST_ASSERT_TRUE(seen[n] != seen[m]);
  }
}

/* Flipping any one input bit flips about half of the output bits: on average within 2 of 32, and never fewer than 8. */
static void test_single_bits_spread(void) {
  unsigned char text[40];
  for (int i = 0; i < 40; i++) text[i] = (unsigned char)(17 * i);
  uint64_t h = po_hash(text, 40, 0);
  double total = 0.0;
  for (int bit = 0; bit < 320; bit++) {
    text[bit / 8] ^= (unsigned char)(1 << bit % 8);
    uint64_t d = h ^ po_hash(text, 40, 0);
    text[bit / 8] ^= (unsigned char)(1 << bit % 8);
    int flips = 0;
    for (; d; d &= d - 1) flips++;
    TEST_ASSERT_TRUE(flips >= 8);
    total += flips;
  }
  TEST_ASSERT_DOUBLE_WITHIN(2.0, 32.0, total / 320);
}

/* 200000 short strings in 2^20 buckets of the low and of the high bits: as many in use as chance allows (N expected, 5 deviations). */
static void test_buckets_fill_evenly(void) {
  enum { N = 200000, B = 1 << 20 };
  for (int high = 0; high < 2; high++) {
    unsigned char *used = calloc(B, 1);
    TEST_ASSERT_NOT_NULL(used);
    int filled = 0;
    for (uint32_t i = 0; i < N; i++) {
      uint64_t h = po_hash(&i, sizeof i, 0), k = high ? h >> 44 : h & (B - 1);
      filled += !used[k];
      used[k] = 1;
    }
    free(used);
    double expected = B * (1.0 - exp(-(double)N / B));
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt((double)N * N / (2.0 * B)), expected, filled);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_values_are_pinned);
  RUN_TEST(test_doubles_are_their_little_endian_bytes);
  RUN_TEST(test_what_must_differ_differs);
  RUN_TEST(test_single_bits_spread);
  RUN_TEST(test_buckets_fill_evenly);
  return UNITY_END() != 0;
}
