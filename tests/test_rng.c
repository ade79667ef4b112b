/* Random numbers: reproducible, in their ranges, and as random as moments, buckets and bits can tell. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* Pinned: seeds are part of every stored result. */
static void test_bits_are_pinned(void) {
  po_rng rng;
  uint64_t h = 0;
  for (uint64_t seed = 0; seed < 4; seed++)
    for (uint64_t stream = 0; stream < 4; stream++) {
      po_rng_init(&rng, seed, stream);
      for (int i = 0; i < 100; i++) {
        uint64_t u = po_rng_u64(&rng);
        double x[3] = {po_rng_uniform(&rng), po_rng_range(&rng, -3.0, 5.0), po_rng_normal(&rng)};
        int k = po_rng_below(&rng, 1000);
        h = po_hash_doubles(x, 3, h ^ u ^ (uint64_t)k);
      }
    }
  TEST_ASSERT_EQUAL_HEX64(0xdb2eec1efbe65461, h);
}

static void test_state_is_a_counter(void) {
  po_rng a, b;
  po_rng_init(&a, 9, 1);
  for (int i = 0; i < 10; i++) po_rng_u64(&a);
  b = a;
  for (int i = 0; i < 10; i++) TEST_ASSERT_TRUE(po_rng_u64(&a) == po_rng_u64(&b));
  po_rng_init(&b, 9, 1);
  b.counter = 20;
  TEST_ASSERT_TRUE(po_rng_u64(&a) == po_rng_u64(&b));
}

/* Neighbouring seeds and streams share no number, neither in place nor shifted. */
static void test_streams_differ(void) {
  enum { N = 64, S = 40 };
  static uint64_t seen[S * N];
  for (int s = 0; s < S; s++) {
    po_rng rng;
    po_rng_init(&rng, (uint64_t)(s / 5), (uint64_t)(s % 5));
    for (int i = 0; i < N; i++) seen[s * N + i] = po_rng_u64(&rng);
  }
  for (int i = 0; i < S * N; i++)
    for (int j = 0; j < i; j++) TEST_ASSERT_TRUE(seen[i] != seen[j]);
}

/* Each bit is set half the time, and flips with its neighbour half the time: within 5 standard deviations of 100000 draws. */
static void test_bits_are_fair(void) {
  enum { N = 100000 };
  int ones[64] = {0}, same[64] = {0};
  po_rng rng;
  po_rng_init(&rng, 123, 0);
  uint64_t before = 0;
  for (int i = 0; i < N; i++) {
    uint64_t u = po_rng_u64(&rng);
    for (int b = 0; b < 64; b++) ones[b] += (int)(u >> b & 1), same[b] += (int)(~(u ^ before) >> b & 1);
    before = u;
  }
  double slack = 5.0 * sqrt(N) / 2.0;
  for (int b = 0; b < 64; b++) {
    TEST_ASSERT_DOUBLE_WITHIN(slack, N / 2.0, ones[b]);
    TEST_ASSERT_DOUBLE_WITHIN(slack, N / 2.0, same[b]);
  }
}

static void test_uniform_moments_and_buckets(void) {
  enum { N = 200000, B = 50 };
  int bucket[B] = {0};
  double sum = 0.0, square = 0.0, lag = 0.0, before = 0.5;
  po_rng rng;
  po_rng_init(&rng, 5, 5);
  for (int i = 0; i < N; i++) {
    double u = po_rng_uniform(&rng);
    TEST_ASSERT_TRUE(u >= 0.0 && u < 1.0);
    bucket[(int)(u * B)]++;
    sum += u - 0.5;
    square += (u - 0.5) * (u - 0.5);
    lag += (u - 0.5) * (before - 0.5);
    before = u;
  }
  double root = sqrt((double)N); /* bounds: 5 standard deviations */
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * 0.2887 / root, 0.0, sum / N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * 0.0745 / root, 1.0 / 12.0, square / N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * 0.0833 / root, 0.0, lag / N);
  double chi2 = 0.0, expected = (double)N / B;
  for (int b = 0; b < B; b++) chi2 += (bucket[b] - expected) * (bucket[b] - expected) / expected;
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0 * (B - 1)), B - 1, chi2);
}

static void test_normal_moments(void) {
  enum { N = 200000 };
  double m[5] = {0};
  int within[3] = {0};
  po_rng rng;
  po_rng_init(&rng, 6, 0);
  for (int i = 0; i < N; i++) {
    double x = po_rng_normal(&rng), p = 1.0;
    TEST_ASSERT_TRUE(po_isfinite(x));
    for (int k = 1; k < 5; k++) m[k] += p *= x;
    for (int k = 0; k < 3; k++) within[k] += fabs(x) < k + 1;
  }
  double root = sqrt((double)N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 / root, 0.0, m[1] / N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(2.0) / root, 1.0, m[2] / N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(15.0) / root, 0.0, m[3] / N);
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(96.0) / root, 3.0, m[4] / N);
  const double share[3] = {0.682689492137, 0.954499736104, 0.997300203937};
  for (int k = 0; k < 3; k++)
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(share[k] * (1 - share[k])) / root, share[k], (double)within[k] / N);
}

static void test_below_is_unbiased(void) {
  po_rng rng;
  po_rng_init(&rng, 8, 0);
  for (int n = 1; n < 12; n++) {
    enum { N = 60000 };
    int count[12] = {0};
    for (int i = 0; i < N; i++) {
      int k = po_rng_below(&rng, n);
      TEST_ASSERT_TRUE(k >= 0 && k < n);
      count[k]++;
    }
    double p = 1.0 / n;
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(N * p * (1 - p)) + 1e-9, N * p, count[k]);
  }
  /* with 3/4 of 2^31, a plain product would give the lower half of the range twice as often in places; halves must be even */
  int low = 0;
  int two = 0; /* of 2^32 draws for 3·2^29 results a quarter is thrown away; kept, every third result would come too rarely */
  for (int i = 0; i < 60000; i++) two += po_rng_below(&rng, 1610612736) % 3 == 2;
  TEST_ASSERT_TRUE(two > 20000 - 600 && two < 20000 + 600);
  for (int i = 0; i < 60000; i++) low += po_rng_below(&rng, 1610612736) < 805306368;
  TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(60000.0) / 2.0, 30000.0, low);
  TEST_ASSERT_EQUAL_INT(0, po_rng_below(&rng, 0));
  TEST_ASSERT_EQUAL_INT(0, po_rng_below(&rng, -5));
  int k = po_rng_below(&rng, 2147483647);
  TEST_ASSERT_TRUE(k >= 0 && k < 2147483647);
}

static void test_range_is_half_open(void) {
  po_rng rng;
  po_rng_init(&rng, 2, 0);
  const double ends[][2] = {
      {0.0, 5e-324}, {1.0, 1.0000000000000002},      {-1.0000000000000002, -1.0}, {-5e-324, 0.0}, {-1.7e308, 1.7e308},
      {-3.0, 4.0},   {1e300, 1.0000000000000002e300}};
  for (int e = 0; e < 7; e++)
    for (int i = 0; i < 2000; i++) {
      double x = po_rng_range(&rng, ends[e][0], ends[e][1]);
      TEST_ASSERT_TRUE(x >= ends[e][0] && x < ends[e][1]);
    }
  TEST_ASSERT_TRUE(po_rng_range(&rng, 0.1, 0.1) == 0.1);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bits_are_pinned);
  RUN_TEST(test_state_is_a_counter);
  RUN_TEST(test_streams_differ);
  RUN_TEST(test_bits_are_fair);
  RUN_TEST(test_uniform_moments_and_buckets);
  RUN_TEST(test_normal_moments);
  RUN_TEST(test_below_is_unbiased);
  RUN_TEST(test_range_is_half_open);
  return UNITY_END() != 0;
}
