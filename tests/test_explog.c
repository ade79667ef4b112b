/* Exponential, logarithm, power: accuracy, edges, exact cases. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const golden_row golden_exp[] = {
    {0x0.0p+0, 0x0.0p+0, 0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53},
    {-0x1.0000000000000p+0, 0x0.0p+0, 0x1.78b56362cef38p-2, -0x1.ca8a4270fadf5p-57},
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.a61298e1e069cp+0, -0x1.b4690082a4906p-55},
    {0x1.b7cdfd9d7bdbbp-34, 0x0.0p+0, 0x1.000000006df38p+0, -0x1.3112d8e5e6d4cp-57},
    {-0x1.70ef54646d497p-57, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.70ef54646d497p-57},
    {0x1.62d999999999ap+9, 0x0.0p+0, 0x1.d75ae7a50ee14p+1023, -0x1.a7242fe782b54p+968},
    {-0x1.6200000000000p+9, 0x0.0p+0, 0x1.7c8ab2288c9abp-1022, 0x0.0p+0},
    {-0x1.7200000000000p+9, 0x0.0p+0, 0x0.0000000000055p-1022, -0x0.0p+0},
    {-0x1.748cccccccccdp+9, 0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0p+0},
    {0x1.4000000000000p+3, 0x0.0p+0, 0x1.5829dcf950560p+14, -0x1.83e055cfea4bbp-40},
    {-0x1.4400000000000p+4, 0x0.0p+0, 0x1.b93de1e27ca3bp-30, -0x1.6a3c4abdc49a6p-85},
    {0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bccp+0, 0x1.f68d3de197eeap-54},
    {-0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, -0x1.7233c057e4796p-55},
    {0x1.c511afebb6a18p-1, 0x0.0p+0, 0x1.361c75570662fp+1, -0x1.b6f1f8d18f36dp-56},
    {0x1.4fdba6311b050p+8, 0x0.0p+0, 0x1.746450fefe458p+484, 0x1.8f371b8bf1f7cp+426},
    {0x1.27a0a3afe0e48p+9, 0x0.0p+0, 0x1.001d84b73a5d5p+853, 0x1.0f13ad065f741p+799},
    {0x1.9200000000000p+6, 0x0.0p+0, 0x1.fcc37a76f9e76p+144, -0x1.f96a7be641f4ap+88},
    {0x1.62e42fefa39efp-2, 0x0.0p+0, 0x1.6a09e667f3bccp+0, 0x1.f68d3de197eeap-54},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.0000000000000p+0, 0x1.56e1fc2f8f359p-997},
};

static const golden_row golden_log[] = {
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.0000000000000p+1, 0x0.0p+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {0x1.0000000000000p-1, 0x0.0p+0, -0x1.62e42fefa39efp-1, -0x1.abc9e3b39803fp-56},
    {0x1.4000000000000p+3, 0x0.0p+0, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53},
    {0x1.0000000000001p+0, 0x0.0p+0, 0x1.fffffffffffffp-53, 0x1.5555555555554p-158},
    {0x1.fffffffffffffp-1, 0x0.0p+0, -0x1.0000000000000p-53, -0x1.0000000000000p-107},
    {0x1.00068db8bac71p+0, 0x0.0p+0, 0x1.a368d0657fcd4p-14, 0x1.06cf0548782dfp-69},
    {0x1.fff2e48e8a71ep-1, 0x0.0p+0, -0x1.a3738d2cf1cc2p-14, 0x1.3694792ff3a76p-68},
    {0x1.6a09e667f3bcdp+0, 0x0.0p+0, 0x1.62e42fefa39f0p-2, 0x1.c2e0e1b1548c2p-56},
    {0x1.6a09e667f3bcdp-1, 0x0.0p+0, -0x1.62e42fefa39eep-2, 0x1.716fdfdbc882ep-60},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, -0x1.5963447f87fb5p+9, -0x1.aa670d35324e6p-46},
    {0x0.0000000000001p-1022, 0x0.0p+0, -0x1.74385446d71c3p+9, -0x1.8e569fa8ee781p-45},
    {0x1.1ccf385ebc8a0p+1023, 0x0.0p+0, 0x1.62991d5d62a5ep+9, -0x1.e876db77e7b55p-47},
    {0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.62e42fefa39efp+9, 0x1.a9c9e3b39803fp-46},
    {0x1.8000000000000p+1, 0x0.0p+0, 0x1.193ea7aad030bp+0, -0x1.a256f99caabebp-54},
    {0x1.1646a8f0ac652p-1, 0x0.0p+0, -0x1.382c0f16b8c9cp-1, -0x1.368d91b032241p-57},
    {0x1.32cc91c53efa9p+0, 0x0.0p+0, 0x1.72b85a8802e0ap-3, -0x1.247db13177618p-61},
    {0x1.9a00086e93466p+883, 0x0.0p+0, 0x1.32428d68bb35bp+9, -0x1.b1212fca3de56p-47},
    {0x1.5bf0a8b145769p+1, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.ea8556644e4cdp-55},
    {0x1.6a09e667f3bccp+0, 0x0.0p+0, 0x1.62e42fefa39eep-2, -0x1.8d6e518e495a3p-56},
};

static const golden_row golden_pow[] = {
    {0x1.0000000000000p+1, 0x1.0000000000000p-1, 0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.4000000000000p+3, -0x1.4000000000000p+2, 0x1.4f8b588e368f1p-17, -0x1.ee78183f91e64p-71},
    {0x1.000001ad7f29bp+0, 0x1.dcd6500000000p+29, 0x1.349445c228792p+144, -0x1.24a322a01718bp+90},
    {0x1.0000000000000p-1, 0x1.0c80000000000p+10, 0x0.0000000000001p-1022, 0x0.0p+0},
    {0x1.0000000000001p+0, 0x1.0a741a4627800p+58, 0x1.12e7f63b33414p+96, -0x1.b17e6e455d981p+40},
    {0x1.fffffffffffffp-1, -0x1.bc16d674ec800p+58, 0x1.0fa92a380df72p+80, -0x1.b209131e8974cp+26},
    {0x1.8000000000000p+1, 0x1.0800000000000p+5, 0x1.3bfefa65abb83p+52, 0x0.0p+0},
    {0x1.4f8b588e368f1p-17, 0x1.e000000000000p+5, 0x1.56e1fc2f8f376p-997, 0x0.0000000e91b02p-1022},
    {0x1.d000000000000p+2, -0x1.8000000000000p+0, 0x1.a3a5567fe99f7p-5, 0x1.1289a836cc2a1p-59},
    {0x1.7e43c8800759cp+996, 0x1.051eb851eb852p+0, 0x1.6c8e5ca239078p+1016, -0x1.2394a4f20983ep+960},
    {0x1.0000000000000p+1, 0x1.ffc0000000000p+9, 0x1.6a09e667f3bcdp+1023, -0x1.bdd3413b26456p+969},
    {0x1.999999999999ap-4, 0x1.3480000000000p+8, 0x0.2461fbf7d24b5p-1022, -0x0.0p+0},
    {0x1.dcefe2efb9860p+9, 0x1.0093895c8c50ap+4, 0x1.a5624752c3316p+158, -0x1.7ecc1eaf8341fp+96},
    {0x1.3b9a000bbe47dp-26, -0x1.3cbba2a863cb0p+0, 0x1.bc0df96136446p+31, 0x1.50f342b0f9ed1p-28},
    {0x1.8000000000000p+0, 0x1.f400000000000p+9, 0x1.f2dd011353699p+584, -0x1.1f6fcf8b15da6p+530},
    {0x1.fff2e48e8a71ep-1, 0x1.e848000000000p+19, 0x1.a6a392e3503ecp-145, 0x1.9031267a92fffp-199},
    {0x0.0000000000001p-1022, 0x1.ccccccccccccdp-1, 0x1.51cb453b9530ap-967, 0x0.555c97808ade8p-1022},
    {0x1.fffffffffffffp+1023, -0x1.ff7ced916872bp-1, 0x0.8225ac2898534p-1022, -0x0.0p+0},
};

static double sample_exp(po_rng *rng) { return po_rng_range(rng, -745.0, 709.7); }
static double sample_unit(po_rng *rng) { return po_rng_range(rng, -1.0, 1.0); }
static double sample_tiny(po_rng *rng) { return (po_rng_u64(rng) & 1 ? 1.0 : -1.0) * exp(po_rng_range(rng, -50.0, 0.0)); }
static double sample_any(po_rng *rng) { return exp(po_rng_range(rng, -744.0, 709.0)); }
static double sample_near_one(po_rng *rng) { return 1.0 + 0.1 * sample_tiny(rng); }
static double sample_octave(po_rng *rng) { return po_rng_range(rng, 0.5, 2.0); }

/* Largest errors over 2e6 points of each range: exp 0.65 (0.75 where the result is subnormal and rounds twice), log 0.50, pow 0.65. */
static void test_golden(void) {
  GOLDEN_CHECK(golden_exp, po_exp(row->x), 0.8);
  GOLDEN_CHECK(golden_log, po_log(row->x), 0.52);
  GOLDEN_CHECK(golden_pow, po_pow(row->x, row->y), 0.8);
}

static void test_error(void) {
  if (!base_long_double()) TEST_IGNORE_MESSAGE("long double is no longer than double here");
  base_check_error("exp", po_exp, expl, sample_exp, 0.8);
  base_check_error("exp near 0", po_exp, expl, sample_unit, 0.8);
  base_check_error("exp of little", po_exp, expl, sample_tiny, 0.8);
  base_check_error("log", po_log, logl, sample_any, 0.52);
  base_check_error("log near 1", po_log, logl, sample_near_one, 0.52);
  base_check_error("log in an octave", po_log, logl, sample_octave, 0.52);
}

static void test_pow_error(void) {
  if (!base_long_double()) TEST_IGNORE_MESSAGE("long double is no longer than double here");
  const uint64_t seed = 5;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < (base_full() ? 2000000 : 50000); i++) {
    double x = i % 2 ? exp(po_rng_range(&rng, -700.0, 700.0)) : po_rng_range(&rng, 0.2, 5.0);
    double limit = 708.0 / fabs(log(x)), y = po_rng_range(&rng, -limit, limit), got = po_pow(x, y);
    long double exact = powl((long double)x, (long double)y);
    double error = (double)(fabsl((long double)got - exact) / (long double)base_ulp((double)exact));
    char message[160];
    snprintf(message, sizeof message, "pow(%a, %a) = %.17g, %.3f units off, seed %llu", x, y, got, error, (unsigned long long)seed);
    TEST_ASSERT_TRUE_MESSAGE(error <= 0.8, message);
  }
}

static void test_exp_edges(void) {
  TEST_ASSERT_TRUE(po_exp(0.0) == 1.0 && po_exp(-0.0) == 1.0);
  TEST_ASSERT_TRUE(po_exp(709.782712893384) < PO_INF);
  TEST_ASSERT_TRUE(po_exp(709.7827128933841) == PO_INF);
  TEST_ASSERT_TRUE(po_exp(710.0) == PO_INF && po_exp(1e308) == PO_INF && po_exp(PO_INF) == PO_INF);
  TEST_ASSERT_TRUE(po_exp(-745.1332191019411) == 5e-324);
  TEST_ASSERT_TRUE(po_exp(-745.1332191019412) == 0.0);
  TEST_ASSERT_TRUE(po_exp(-1e308) == 0.0 && po_exp(-PO_INF) == 0.0);
  TEST_ASSERT_TRUE(po_exp(PO_NAN) != po_exp(PO_NAN));
}

static void test_log_edges(void) {
  TEST_ASSERT_TRUE(base_same(po_log(1.0), 0.0));
  TEST_ASSERT_TRUE(po_log(0.0) == -PO_INF && po_log(-0.0) == -PO_INF && po_log(PO_INF) == PO_INF);
  TEST_ASSERT_TRUE(po_log(-1.0) != po_log(-1.0) && po_log(-PO_INF) != po_log(-PO_INF) && po_log(PO_NAN) != po_log(PO_NAN));
}

/* C11, F.10.4.4. */
static void test_pow_special_cases(void) {
  static const double rows[][3] = {{0.0, -1.0, PO_INF},
                                   {-0.0, -1.0, -PO_INF},
                                   {0.0, -2.0, PO_INF},
                                   {-0.0, -2.0, PO_INF},
                                   {-0.0, -1.5, PO_INF},
                                   {0.0, -PO_INF, PO_INF},
                                   {-0.0, 3.0, -0.0},
                                   {0.0, 3.0, 0.0},
                                   {-0.0, 2.0, 0.0},
                                   {-1.0, PO_INF, 1.0},
                                   {-1.0, -PO_INF, 1.0},
                                   {1.0, PO_NAN, 1.0},
                                   {PO_NAN, 0.0, 1.0},
                                   {PO_NAN, -0.0, 1.0},
                                   {0.5, -PO_INF, PO_INF},
                                   {2.0, -PO_INF, 0.0},
                                   {0.5, PO_INF, 0.0},
                                   {2.0, PO_INF, PO_INF},
                                   {-PO_INF, -3.0, -0.0},
                                   {-PO_INF, -2.0, 0.0},
                                   {-PO_INF, 3.0, -PO_INF},
                                   {-PO_INF, 2.5, PO_INF},
                                   {PO_INF, -1.0, 0.0},
                                   {PO_INF, 0.5, PO_INF},
                                   {-2.0, 3.0, -8.0},
                                   {-2.0, 2.0, 4.0},
                                   {-2.0, -1.0, -0.5},
                                   {-1.0, 0x1p60, 1.0},
                                   {2.0, 1024.0, PO_INF},
                                   {-2.0, 1025.0, -PO_INF},
                                   {2.0, -1074.0, 5e-324},
                                   {2.0, -1080.0, 0.0},
                                   {-2.0, -1081.0, -0.0},
                                   {1.0000000000000002, 1e300, PO_INF},
                                   {0.9999999999999999, 1e300, 0.0},
                                   {2.0, 1e-300, 1.0},
                                   {1e-300, 1e-300, 1.0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double got = po_pow(rows[i][0], rows[i][1]);
    char message[120];
    snprintf(message, sizeof message, "pow(%g, %g): expected %g, got %.17g", rows[i][0], rows[i][1], rows[i][2], got);
    TEST_ASSERT_TRUE_MESSAGE(base_same(got, rows[i][2]), message);
  }
  TEST_ASSERT_TRUE(po_pow(-2.0, 0.5) != po_pow(-2.0, 0.5));
  TEST_ASSERT_TRUE(po_pow(PO_NAN, 1.0) != po_pow(PO_NAN, 1.0) && po_pow(2.0, PO_NAN) != po_pow(2.0, PO_NAN));
}

/* Where the result is a double, it is that double. */
static void test_pow_exact(void) {
  for (int base = 2; base <= 30; base++) {
    double power = 1.0;
    for (int n = 0; power * base <= 0x1p53; n++, power *= base) TEST_ASSERT_TRUE(po_pow(base, n) == power);
  }
  for (int k = -1074; k <= 1023; k++) TEST_ASSERT_TRUE(po_pow(2.0, k) == ldexp(1.0, k));
  for (int i = 1; i < 1000; i++) TEST_ASSERT_TRUE(po_pow((double)i * i, 0.5) == i);
}

static void test_bits_are_pinned(void) {
  static double out[3 * 4096];
  po_rng rng;
  po_rng_init(&rng, 3, 2);
  for (int i = 0; i < 4096; i++) {
    double x = po_rng_range(&rng, -700.0, 700.0);
    out[3 * i] = po_exp(x);
    out[3 * i + 1] = po_log(x * x);
    out[3 * i + 2] = po_pow(x * x, po_rng_range(&rng, -30.0, 30.0));
  }
  TEST_ASSERT_EQUAL_HEX64(0x6de9ed51105e10af, po_hash_doubles(out, 3 * 4096, 0));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_golden);
  RUN_TEST(test_error);
  RUN_TEST(test_pow_error);
  RUN_TEST(test_exp_edges);
  RUN_TEST(test_log_edges);
  RUN_TEST(test_pow_special_cases);
  RUN_TEST(test_pow_exact);
  RUN_TEST(test_bits_are_pinned);
  return UNITY_END() != 0;
}
