/* Inverse trigonometric functions: accuracy, quadrants, edges. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const golden_row golden_asin[] = {
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.0c152382d7366p-1, -0x1.ee6913347c2a6p-55},
    {-0x1.0000000000000p-1, 0x0.0p+0, -0x1.0c152382d7366p-1, 0x1.ee6913347c2a6p-55},
    {0x1.0624dd2f1a9fcp-10, 0x0.0p+0, 0x1.0624e00c1cb16p-10, 0x1.1ff8a63f54e20p-64},
    {0x1.ccccccccccccdp-1, 0x0.0p+0, 0x1.1ea93705fa172p+0, 0x1.797aca4b76b6ep-55},
    {0x1.ffffde7210be9p-1, 0x0.0p+0, 0x1.91c306b2c13adp+0, -0x1.fb5513da6b051p-54},
    {0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.921fb50442d18p+0, 0x1.1a6263269b15cp-54},
    {-0x1.fffffffffffffp-1, 0x0.0p+0, -0x1.921fb50442d18p+0, -0x1.1a6263269b15cp-54},
    {0x1.0000000000000p-28, 0x0.0p+0, 0x1.0000000000000p-28, 0x1.5555555555555p-87},
    {0x1.ad7f29abcaf48p-24, 0x0.0p+0, 0x1.ad7f29abcaf55p-24, -0x1.a0ca8fd90c438p-78},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.56e1fc2f8f359p-997, 0x0.0p+0},
    {0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.921fb54442d19p-1, -0x1.bc7e938bd7e9cp-57},
    {-0x1.0382694f43532p-1, 0x0.0p+0, -0x1.1024ed46ab55cp-1, 0x1.b395c6961a870p-56},
    {0x1.667d2c686bfa0p-4, 0x0.0p+0, 0x1.66f2be64a0fc4p-4, -0x1.fdf9bf9aad7bap-58},
    {0x1.0000000000000p-4, 0x0.0p+0, 0x1.002abde953619p-4, 0x1.182e2dc6ddeedp-58},
    {0x1.feaaeee86ee37p-4, 0x0.0p+0, 0x1.0000000000001p-3, -0x1.8f2d2fc16bad9p-57},
};

static const golden_row golden_acos[] = {
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.0c152382d7366p+0, -0x1.ee6913347c2a6p-54},
    {-0x1.0000000000000p-1, 0x0.0p+0, 0x1.0c152382d7366p+1, -0x1.ee6913347c2a6p-53},
    {0x1.0624dd2f1a9fcp-10, 0x0.0p+0, 0x1.91de2c0c3fca6p+0, -0x1.fbe59af84a14dp-54},
    {0x1.ccccccccccccdp-1, 0x0.0p+0, 0x1.cdd9f8f922e98p-2, 0x1.7693f82e29940p-56},
    {0x1.ffffde7210be9p-1, 0x0.0p+0, 0x1.72ba46065af16p-10, -0x1.2223d13cea1f2p-64},
    {0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.0000000000000p-26, 0x1.5555555555555p-83},
    {-0x1.fffffffffffffp-1, 0x0.0p+0, 0x1.921fb52442d18p+1, 0x1.1a62632bf06b2p-53},
    {0x1.0000000000000p-28, 0x0.0p+0, 0x1.921fb53442d18p+0, 0x1.1a6263309b15cp-54},
    {0x1.70ef54646d497p-57, 0x0.0p+0, 0x1.921fb54442d18p+0, 0x1.d888f149702e8p-55},
    {-0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {0x1.6a09e667f3bcdp-1, 0x0.0p+0, 0x1.921fb54442d18p-1, -0x1.5c1b94ba7e84bp-55},
    {0x1.2edcf47fa8468p-3, 0x0.0p+0, 0x1.6c20696c034f0p+0, -0x1.8e3ef2905ad99p-54},
    {-0x1.f29231a268928p-1, 0x0.0p+0, 0x1.74be351d84811p+1, 0x1.990f4c24a004cp-54},
    {0x1.0000000000000p-4, 0x0.0p+0, 0x1.821d0965ad9b7p+0, -0x1.37207fab281e8p-54},
    {0x1.ff7ced916872bp-1, 0x0.0p+0, 0x1.6e634e566a29ep-5, -0x1.eed1b51d0eefep-59},
};

static const golden_row golden_atan2[] = {
    {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    {0x1.0000000000000p+0, -0x1.0000000000000p+0, 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
    {-0x1.0000000000000p+0, 0x1.0000000000000p+1, -0x1.dac670561bb4fp-2, -0x1.a2b7f222f65e2p-56},
    {-0x1.8000000000000p+1, -0x1.999999999999ap-4, -0x1.9aa76ecfd4070p+0, -0x1.8defdcc6a8943p-55},
    {0x1.b7cdfd9d7bdbbp-34, 0x1.2a05f20000000p+33, 0x1.79ca10c924224p-67, -0x1.92c9aea5be6ccp-121},
    {0x1.7e43c8800759cp+996, 0x1.31cfd3999f7b0p+993, 0x1.789bd2c160054p+0, -0x1.f45503ccad255p-54},
    {0x0.012688b70e62bp-1022, 0x0.024d116e1cc56p-1022, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    {0x1.79ca10c924223p-67, -0x1.0000000000000p+0, 0x1.921fb54442d18p+1, 0x1.1a5c7c09029bep-53},
    {0x1.0000000000000p+0, 0x1.79ca10c924223p-67, 0x1.921fb54442d18p+0, 0x1.1a5694e0bf775p-54},
    {0x1.0000000000000p+0, 0x1.0000000000000p+3, 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.0000000000000p+0, 0x1.0000000000000p+4, 0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.e000000000000p+3, 0x1.0000000000000p+4, 0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.0000000000000p-4, 0x1.0000000000000p+0, 0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {-0x1.b31a5ff1a28f5p+0, -0x1.52b70fdd0a9e2p+0, -0x1.1dbb10b3693eap+1, 0x1.890927722fcd0p-53},
    {0x1.3fc0d4b346accp+1, 0x1.98277fcac59f4p+0, 0x1.00b3680bdf3bap+0, 0x1.350a326e858dbp-54},
    {-0x1.056c88f6daebcp+1, 0x1.c86af38dcf96cp+0, -0x1.b4cd991eca855p-1, 0x1.b87b3a17ea4c6p-57},
    {0x0.00000000007e8p-1022, 0x1.89374bc6a7efap-10, 0x0.00000001496d5p-1022, 0x0.0p+0},
    {0x1.8000000000000p+1, -0x1.bc16d674ec800p+61, 0x1.921fb54442d18p+1, 0x1.18a7aa659a0a1p-53},
    {0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
};

static double sample_unit(po_rng *rng) { return po_rng_range(rng, -1.0, 1.0); }
static double sample_small(po_rng *rng) { return (po_rng_u64(rng) & 1 ? 1.0 : -1.0) * exp(po_rng_range(rng, -60.0, 0.0)); }
static double sample_near_one(po_rng *rng) {
  return (po_rng_u64(rng) & 1 ? 1.0 : -1.0) * (1.0 - exp(po_rng_range(rng, -37.0, -1.0)));
}

/* Largest error over 2e6 points of each range: 0.507. */
static void test_golden(void) {
  GOLDEN_CHECK(golden_asin, po_asin(row->x), 0.52);
  GOLDEN_CHECK(golden_acos, po_acos(row->x), 0.52);
  GOLDEN_CHECK(golden_atan2, po_atan2(row->x, row->y), 0.52);
}

static void test_error(void) {
  if (!base_long_double()) TEST_IGNORE_MESSAGE("long double is no longer than double here");
  base_check_error("asin", po_asin, asinl, sample_unit, 0.52);
  base_check_error("asin of little", po_asin, asinl, sample_small, 0.52);
  base_check_error("asin near 1", po_asin, asinl, sample_near_one, 0.52);
  base_check_error("acos", po_acos, acosl, sample_unit, 0.52);
  base_check_error("acos of little", po_acos, acosl, sample_small, 0.52);
  base_check_error("acos near 1", po_acos, acosl, sample_near_one, 0.52);
}

static void test_atan2_error(void) {
  if (!base_long_double()) TEST_IGNORE_MESSAGE("long double is no longer than double here");
  const uint64_t seed = 6;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 2000000 : 100000); i++) {
    double scale = i % 3 ? 1.0 : exp(po_rng_range(&rng, -740.0, 700.0));
    double y = po_rng_range(&rng, -1.0, 1.0), x = po_rng_range(&rng, -1.0, 1.0);
    if (i % 2) y *= exp(po_rng_range(&rng, -60.0, 5.0));
    y *= scale;
    x *= scale;
    double got = po_atan2(y, x);
    long double exact = atan2l((long double)y, (long double)x);
    double error = (double)(fabsl((long double)got - exact) / (long double)base_ulp((double)exact));
    char message[160];
    snprintf(message, sizeof message, "atan2(%a, %a) = %.17g, %.3f units off, seed %llu", y, x, got, error,
             (unsigned long long)seed);
    TEST_ASSERT_TRUE_MESSAGE(error <= 0.52, message);
  }
}

/* C11, F.10.1.4. */
static void test_atan2_special_cases(void) {
  const double pi = 3.14159265358979312, inf = PO_INF;
  const double rows[][3] = {
      {0.0, 1.0, 0.0},       {-0.0, 1.0, -0.0},     {0.0, -1.0, pi},      {-0.0, -1.0, -pi},         {0.0, 0.0, 0.0},
      {-0.0, 0.0, -0.0},     {0.0, -0.0, pi},       {-0.0, -0.0, -pi},    {1.0, 0.0, pi / 2},        {-1.0, -0.0, -pi / 2},
      {1.0, inf, 0.0},       {-1.0, inf, -0.0},     {1.0, -inf, pi},      {-1.0, -inf, -pi},         {inf, 3.0, pi / 2},
      {-inf, -3.0, -pi / 2}, {inf, inf, pi / 4},    {-inf, inf, -pi / 4}, {inf, -inf, 3 * (pi / 4)}, {-inf, -inf, -3 * (pi / 4)},
      {1.0, 1.0, pi / 4},    {5e-324, 1.0, 5e-324}, {1e-320, 1e300, 0.0}, {1e300, 1e-320, pi / 2},   {5e-324, -1.0, pi}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double got = po_atan2(rows[i][0], rows[i][1]);
    char message[120];
    snprintf(message, sizeof message, "atan2(%g, %g): expected %.17g, got %.17g", rows[i][0], rows[i][1], rows[i][2], got);
    TEST_ASSERT_TRUE_MESSAGE(base_same(got, rows[i][2]), message);
  }
  TEST_ASSERT_TRUE(po_atan2(PO_NAN, 1.0) != po_atan2(PO_NAN, 1.0) && po_atan2(1.0, PO_NAN) != po_atan2(1.0, PO_NAN));
}

static void test_asin_acos_edges(void) {
  TEST_ASSERT_TRUE(po_asin(1.0) == PO_PI / 2 && po_asin(-1.0) == -PO_PI / 2 && base_same(po_asin(-0.0), -0.0));
  TEST_ASSERT_TRUE(base_same(po_acos(1.0), 0.0) && po_acos(-1.0) == PO_PI && po_acos(0.0) == PO_PI / 2);
  const double outside[] = {1.0000000000000002, -1.0000000000000002, PO_INF, -PO_INF, PO_NAN};
  for (int i = 0; i < 5; i++)
    TEST_ASSERT_TRUE(po_asin(outside[i]) != po_asin(outside[i]) && po_acos(outside[i]) != po_acos(outside[i]));
}

static void test_bits_are_pinned(void) {
  static double out[3 * 4096];
  po_rng rng;
  po_rng_init(&rng, 4, 2);
  for (int i = 0; i < 4096; i++) {
    double x = po_rng_range(&rng, -1.0, 1.0), y = po_rng_range(&rng, -1.0, 1.0);
    out[3 * i] = po_asin(x);
    out[3 * i + 1] = po_acos(x);
    out[3 * i + 2] = po_atan2(y, x);
  }
  TEST_ASSERT_EQUAL_HEX64(0x087d33470f646f2d, po_hash_doubles(out, 3 * 4096, 0));
}

/* Within half a turn nothing changes, not a bit; outside, whole turns are taken off in one go, also a million of them. */
static void test_wrap(void) {
  po_rng rng;
  po_rng_init(&rng, 4, 4);
  for (int i = 0; i < 2000; i++) {
    double a = po_rng_range(&rng, -3.14, 3.14), turns = floor(po_rng_range(&rng, -50, 50));
    TEST_ASSERT_TRUE(po_wrap(a) == a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a, po_wrap(a + 2 * PO_PI * turns));
    TEST_ASSERT_TRUE(po_abs(po_wrap(1e6 * a)) <= PO_PI * (1 + 1e-9));
  }
  TEST_ASSERT_TRUE(po_wrap(PO_PI) == PO_PI && po_wrap(-PO_PI) == -PO_PI && po_wrap(0) == 0);
  TEST_ASSERT_FALSE(po_isfinite(po_wrap(PO_NAN)));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_golden);
  RUN_TEST(test_error);
  RUN_TEST(test_atan2_error);
  RUN_TEST(test_atan2_special_cases);
  RUN_TEST(test_asin_acos_edges);
  RUN_TEST(test_bits_are_pinned);
  RUN_TEST(test_wrap);
  return UNITY_END() != 0;
}
