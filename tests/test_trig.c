/* Sine, cosine and tangent: accuracy, huge arguments, and the same bits one by one, over arrays, scalar and AVX2. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

/* Computed with 1000 digits. Among them: the double nearest to a multiple of pi/2 (6381956970095103 2^797), the largest double,
 * both sides of the switch between the two argument reductions. */
static const golden_row golden_sin[] = {
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.eaee8744b05f0p-2, -0x1.789b43c9b027dp-58},
    {-0x1.0000000000000p+0, 0x0.0p+0, -0x1.aed548f090ceep-1, -0x1.06374f484e288p-59},
    {0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bccp-1, 0x1.7a7fb8d4bd43fp-55},
    {0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.377ce858a5d48p-109},
    {0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbdp-109},
    {-0x1.921fb54442d18p+2, 0x0.0p+0, 0x1.1a62633145c07p-52, -0x1.f1976b7ed8fbfp-108},
    {0x1.2d97c7f3321d2p+1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, 0x1.3267a12a5e3d6p-56},
    {0x1.9000000000000p+6, 0x0.0p+0, -0x1.03425b78c4db8p-1, -0x1.c23d8557420fbp-59},
    {-0x1.86a0000000000p+16, 0x0.0p+0, -0x1.24daa9c527e96p-5, -0x1.c767d8e3e1ca8p-60},
    {0x1.e848000000000p+19, 0x0.0p+0, -0x1.6664b2568d867p-2, -0x1.264732d26e9b9p-56},
    {0x1.6e36000000000p+20, 0x0.0p+0, 0x1.05a19f9bf8b6cp-1, 0x1.184c53b5e4216p-56},
    {0x1.9f0a000000000p+20, 0x0.0p+0, 0x1.2468b4fe40abcp-1, 0x1.acc27ebdf6abep-56},
    {0x1.0f0cf064dd592p+73, 0x0.0p+0, -0x1.b453ab76bf397p-1, -0x1.f453790772648p-58},
    {-0x1.7e43c8800759cp+996, 0x0.0p+0, 0x1.a2c16b010e385p-1, 0x1.b900a1f54ecd2p-55},
    {0x1.fffffffffffffp+1023, 0x0.0p+0, 0x1.452fc98b34e97p-8, -0x1.27bb193d960dfp-62},
    {0x1.6ac5b262ca1ffp+849, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.2b089ea1e692bp-123},
    {0x0.0000000000001p-1022, 0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0p+0},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.56e1fc2f8f359p-997, -0x0.0p+0},
    {0x1.5798ee2308c3ap-27, 0x0.0p+0, 0x1.5798ee2308c3ap-27, -0x1.9ca58cce0be35p-83},
    {0x1.999999999999ap-4, 0x0.0p+0, 0x1.98eaecb8bcb2cp-4, 0x1.c687ae84515ddp-59},
    {0x1.b87acbf2707a0p+0, 0x0.0p+0, 0x1.fa4394dda8192p-1, -0x1.de8f1f9c896dap-55},
    {0x1.b14843d04fdc0p+1, 0x0.0p+0, -0x1.eda037e818997p-3, 0x1.fabe85c9a7150p-58},
    {0x1.d84f48d216e0cp+5, 0x0.0p+0, 0x1.367c599a3f498p-1, -0x1.2542bc9904f27p-56},
    {0x1.6300000000000p+8, 0x0.0p+0, -0x1.f9bd0307d1de3p-16, 0x1.894874d2528d2p-70},
    {0x1.921fb54442d4ap+1, 0x0.0p+0, -0x1.8dcb3b399d748p-46, 0x1.b839a252189ebp-103},
    {0x1.0000000000000p+120, 0x0.0p+0, 0x1.82e34655e6fcbp-2, 0x1.b5e5f1aa933f3p-56},
    {0x1.921fb54442d18p+20, 0x0.0p+0, -0x1.1a62633145c07p-34, 0x1.f19affbcff860p-90},
    {0x1.921fb00000000p+20, 0x0.0p+0, -0x1.4b02e5be91e9ep-2, -0x1.94c88681ed4b6p-57},
    {0x1.7f7ede5c889d5p+20, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.189af9d206893p-66},
    {0x1.6000000000000p+63, 0x0.0p+0, 0x1.f479af645bc7dp-1, -0x1.c3555c744a4c7p-58},
};

static const golden_row golden_cos[] = {
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.c1528065b7d50p-1, -0x1.892111312e828p-55},
    {-0x1.0000000000000p+0, 0x0.0p+0, 0x1.14a280fb5068cp-1, -0x1.b71edcc9344bcp-55},
    {0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.6a09e667f3bcdp-1, -0x1.ec4c7696139d5p-56},
    {0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110},
    {0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.0000000000000p+0, 0x1.377ce858a5d48p-107},
    {-0x1.921fb54442d18p+2, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.377ce858a5d48p-105},
    {0x1.2d97c7f3321d2p+1, 0x0.0p+0, -0x1.6a09e667f3bccp-1, 0x1.4da530b7ba971p-59},
    {0x1.9000000000000p+6, 0x0.0p+0, 0x1.b981dbf665fdfp-1, 0x1.8fd0cdcd985e8p-55},
    {-0x1.86a0000000000p+16, 0x0.0p+0, -0x1.ffac3841b3da7p-1, -0x1.b085bf2c1a978p-56},
    {0x1.e848000000000p+19, 0x0.0p+0, 0x1.df9df9906d32cp-1, 0x1.abb226a0c6680p-55},
    {0x1.6e36000000000p+20, 0x0.0p+0, -0x1.b81b10301dab6p-1, 0x1.5f6ba02fe7dccp-57},
    {0x1.9f0a000000000p+20, 0x0.0p+0, -0x1.a44969d28fe08p-1, 0x1.297ce1058363bp-58},
    {0x1.0f0cf064dd592p+73, 0x0.0p+0, 0x1.0be2cef01c8f4p-1, -0x1.b2d1bc8018c4fp-55},
    {-0x1.7e43c8800759cp+996, 0x0.0p+0, -0x1.2699022adc4c1p-1, 0x1.edd5594b5c574p-56},
    {0x1.fffffffffffffp+1023, 0x0.0p+0, -0x1.fffe62ecfab75p-1, -0x1.e038d934070f1p-56},
    {0x1.6ac5b262ca1ffp+849, 0x0.0p+0, -0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118},
    {0x0.0000000000001p-1022, 0x0.0p+0, 0x1.0000000000000p+0, -0x0.0p+0},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.0000000000000p+0, -0x0.0p+0},
    {0x1.5798ee2308c3ap-27, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.cd2b297d889bcp-55},
    {0x1.999999999999ap-4, 0x0.0p+0, 0x1.fd712f9a817c1p-1, -0x1.fb7ab33ee2672p-55},
    {0x1.b87acbf2707a0p+0, 0x0.0p+0, -0x1.31b324b02617ep-3, -0x1.610f6b54316ccp-57},
    {0x1.b14843d04fdc0p+1, 0x0.0p+0, -0x1.f0e7bf9b9ef2bp-1, 0x1.b2d1c0a14a426p-56},
    {0x1.d84f48d216e0cp+5, 0x0.0p+0, -0x1.971d6f151e7dcp-1, -0x1.55145fb46ca95p-57},
    {0x1.6300000000000p+8, 0x0.0p+0, -0x1.fffffffc18e4cp-1, 0x1.862265016699cp-57},
    {0x1.921fb54442d4ap+1, 0x0.0p+0, -0x1.0000000000000p+0, 0x1.350ffb83d6b75p-92},
    {0x1.0000000000000p+120, 0x0.0p+0, -0x1.da0cd0b66d8cep-1, 0x1.d98651f704d74p-55},
    {0x1.921fb54442d18p+20, 0x0.0p+0, 0x1.0000000000000p+0, -0x1.377ce858a5d48p-69},
    {0x1.921fb00000000p+20, 0x0.0p+0, 0x1.e4831257a62dap-1, 0x1.1e3bd71a839c9p-55},
    {0x1.7f7ede5c889d5p+20, 0x0.0p+0, 0x1.7b09c70387ce2p-33, 0x1.8a1eeacea8e3ep-87},
    {0x1.6000000000000p+63, 0x0.0p+0, 0x1.b0150dded08bbp-3, -0x1.cb78df961deaap-57},
};

static const golden_row golden_tan[] = {
    {0x1.0000000000000p-1, 0x0.0p+0, 0x1.17b4f5bf3474ap-1, 0x1.0c5e59201e209p-55},
    {-0x1.0000000000000p+0, 0x0.0p+0, -0x1.8eb245cbee3a6p+0, 0x1.1d4ce0afb373bp-54},
    {0x1.921fb54442d18p-1, 0x0.0p+0, 0x1.fffffffffffffp-1, 0x1.cb3b399d747f3p-55},
    {0x1.921fb54442d18p+0, 0x0.0p+0, 0x1.d02967c31cdb5p+53, -0x1.f3c72fe49aa2ap-3},
    {0x1.921fb54442d18p+1, 0x0.0p+0, -0x1.1a62633145c07p-53, 0x1.f1976b7ed8fbap-109},
    {-0x1.921fb54442d18p+2, 0x0.0p+0, 0x1.1a62633145c07p-52, -0x1.f1976b7ed8fb5p-108},
    {0x1.2d97c7f3321d2p+1, 0x0.0p+0, -0x1.0000000000001p+0, 0x1.61b1acd85d7d4p-55},
    {0x1.9000000000000p+6, 0x0.0p+0, -0x1.2ca74d62b5d38p-1, 0x1.41bccbb510deep-55},
    {-0x1.86a0000000000p+16, 0x0.0p+0, 0x1.250a9d503313dp-5, -0x1.c133e111bd9d8p-59},
    {0x1.e848000000000p+19, 0x0.0p+0, -0x1.7e9768ab734c0p-2, -0x1.080b09ec67721p-58},
    {0x1.6e36000000000p+20, 0x0.0p+0, -0x1.305ee08fc7a8ap-1, -0x1.b8aa1cfac867cp-55},
    {0x1.9f0a000000000p+20, 0x0.0p+0, -0x1.6437a03a84f09p-1, -0x1.f4c460d0f70bep-55},
    {0x1.0f0cf064dd592p+73, 0x0.0p+0, -0x1.a0f79c1b6b257p+0, -0x1.d27810f5737ddp-54},
    {-0x1.7e43c8800759cp+996, 0x0.0p+0, -0x1.6be411f37ac77p+0, 0x1.5a67ce3109efbp-54},
    {0x1.fffffffffffffp+1023, 0x0.0p+0, -0x1.4530cfe729484p-8, 0x1.1c97823bf87a5p-62},
    {0x1.6ac5b262ca1ffp+849, 0x0.0p+0, -0x1.d9ba9a7975636p+60, 0x1.714cf36c65449p+6},
    {0x0.0000000000001p-1022, 0x0.0p+0, 0x0.0000000000001p-1022, 0x0.0p+0},
    {0x1.56e1fc2f8f359p-997, 0x0.0p+0, 0x1.56e1fc2f8f359p-997, 0x0.0p+0},
    {0x1.5798ee2308c3ap-27, 0x0.0p+0, 0x1.5798ee2308c3ap-27, 0x1.9ca58cce0be35p-82},
    {0x1.999999999999ap-4, 0x0.0p+0, 0x1.9af8877430b80p-4, 0x1.bbc144a47eb26p-60},
    {0x1.b87acbf2707a0p+0, 0x0.0p+0, -0x1.a7f502580097bp+2, -0x1.9e36ddbe5c9e1p-52},
    {0x1.b14843d04fdc0p+1, 0x0.0p+0, 0x1.fc9ef79420ea1p-3, -0x1.e60ff26e85443p-58},
    {0x1.d84f48d216e0cp+5, 0x0.0p+0, -0x1.8679e6d10031ep-1, -0x1.db6dc7eda8407p-57},
    {0x1.6300000000000p+8, 0x0.0p+0, 0x1.f9bd030bacc16p-16, 0x1.7ccc31be7b4adp-72},
    {0x1.921fb54442d4ap+1, 0x0.0p+0, 0x1.8dcb3b399d748p-46, -0x1.b839a251dc96dp-103},
    {0x1.0000000000000p+120, 0x0.0p+0, -0x1.a1dc27cab0816p-2, 0x1.25a6562eac2e2p-60},
    {0x1.921fb54442d18p+20, 0x0.0p+0, -0x1.1a62633145c07p-34, 0x1.f19043028be73p-90},
    {0x1.921fb00000000p+20, 0x0.0p+0, -0x1.5dca6bd170c6fp-2, 0x1.650028af41f4fp-56},
    {0x1.7f7ede5c889d5p+20, 0x0.0p+0, 0x1.59cd334ef8e6cp+32, -0x1.6f303e6ff5b2bp-22},
    {0x1.6000000000000p+63, 0x0.0p+0, 0x1.2885829793305p+2, 0x1.827bc0326ef40p-53},
};

static double sample_turn(po_rng *rng) { return po_rng_range(rng, -7.0, 7.0); }
static double sample_wide(po_rng *rng) { return (po_rng_u64(rng) & 1 ? 1.0 : -1.0) * exp(po_rng_range(rng, -40.0, log(2e6))); }
static double sample_huge(po_rng *rng) { return (po_rng_u64(rng) & 1 ? 1.0 : -1.0) * exp(po_rng_range(rng, log(1e6), 709.0)); }
static double sample_multiple(po_rng *rng) { return (double)po_rng_below(rng, 1000000) * (PO_PI / 2.0); }
static double sample_seam(po_rng *rng) {
  return (2 * po_rng_below(rng, 1000) + 1) * (PO_PI / 4.0) + po_rng_range(rng, -1e-9, 1e-9);
}

/* Largest errors over 2e6 points of each range: sine and cosine 0.80, tangent 0.64. */
static void test_golden(void) {
  GOLDEN_CHECK(golden_sin, po_sin(row->x), 0.85);
  GOLDEN_CHECK(golden_cos, po_cos(row->x), 0.85);
  GOLDEN_CHECK(golden_tan, po_tan(row->x), 0.75);
}

static void test_error(void) {
  static const struct {
    const char *name;
    base_sampler sample;
  } ranges[] = {{"a turn", sample_turn},
                {"wide", sample_wide},
                {"huge", sample_huge},
                {"multiples", sample_multiple},
                {"seams", sample_seam}};
  if (!base_long_double()) TEST_IGNORE_MESSAGE("long double is no longer than double here");
  for (int i = 0; i < 5; i++) {
    char name[40];
    snprintf(name, sizeof name, "sin, %s", ranges[i].name);
    base_check_error(name, po_sin, sinl, ranges[i].sample, 0.85);
    snprintf(name, sizeof name, "cos, %s", ranges[i].name);
    base_check_error(name, po_cos, cosl, ranges[i].sample, 0.85);
    snprintf(name, sizeof name, "tan, %s", ranges[i].name);
    base_check_error(name, po_tan, tanl, ranges[i].sample, 0.75);
  }
}

static void test_special_values(void) {
  TEST_ASSERT_TRUE(base_same(po_sin(0.0), 0.0));
  TEST_ASSERT_TRUE(base_same(po_sin(-0.0), -0.0));
  TEST_ASSERT_TRUE(base_same(po_tan(-0.0), -0.0));
  TEST_ASSERT_TRUE(po_cos(0.0) == 1.0 && po_cos(-0.0) == 1.0);
  TEST_ASSERT_TRUE(po_sin(5e-324) == 5e-324 && po_tan(-5e-324) == -5e-324);
  double bad[3] = {PO_INF, -PO_INF, PO_NAN}, s, c;
  for (int i = 0; i < 3; i++) {
    po_sincos(&s, &c, bad[i]);
    TEST_ASSERT_TRUE(s != s && c != c && po_sin(bad[i]) != po_sin(bad[i]) && po_cos(bad[i]) != po_cos(bad[i]) &&
                     po_tan(bad[i]) != po_tan(bad[i]));
  }
}

static double any_argument(po_rng *rng) {
  static const double special[] = {0.0, -0.0, 5e-324, 1e-310, 1.6e6, -1.6e6, 1599999.9999999998, 1e22, 1.7976931348623157e308};
  switch (po_rng_below(rng, 12)) {
    case 0: return sample_huge(rng);
    case 1: return special[po_rng_below(rng, 9)];
    case 2: return sample_multiple(rng);
    case 3: return po_rng_below(rng, 4) ? sample_seam(rng) : po_rng_below(rng, 2) ? PO_INF : PO_NAN;
    default: return sample_wide(rng);
  }
}

/* Every length around the vector width, every alignment, in place too: the bits of po_sincos, and nothing beyond the end. */
static void test_arrays_match_bit_for_bit(void) {
  const uint64_t seed = 77;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  po_simd choices[2] = {PO_SIMD_SCALAR, PO_SIMD_AVX2};
  for (int round = 0; round < (base_full() ? 100000 : 3000); round++) {
    double x[48], s[48], c[48];
    int n = po_rng_below(&rng, 38), offset = po_rng_below(&rng, 4);
    for (int i = 0; i < n; i++) x[offset + i] = any_argument(&rng);
    for (int k = 0; k < 2; k++) {
      if (po_set_simd(choices[k]) != PO_OK) continue;
      for (int i = 0; i < 48; i++) s[i] = c[i] = -77.0;
      po_sincos_n(s + offset, c + offset, x + offset, n);
      for (int i = 0; i < 48; i++) {
        double es = -77.0, ec = -77.0;
        if (i >= offset && i < offset + n) po_sincos(&es, &ec, x[i]);
        int same = (base_same(s[i], es) && base_same(c[i], ec)) || (es != es && s[i] != s[i] && c[i] != c[i]);
        char message[160];
        snprintf(message, sizeof message, "%s, n %d, index %d, x %a, seed %llu", po_simd_string(choices[k]), n, i - offset,
                 i >= offset && i < offset + n ? x[i] : 0.0, (unsigned long long)seed);
        TEST_ASSERT_TRUE_MESSAGE(same, message);
        if (es == es && i >= offset && i < offset + n)
          TEST_ASSERT_TRUE_MESSAGE(base_same(po_sin(x[i]), es) && base_same(po_cos(x[i]), ec), message);
      }
      double in_place[48], c2[48];
      memcpy(in_place, x, sizeof x);
      po_sincos_n(in_place + offset, c2, in_place + offset, n);
      for (int i = 0; i < n; i++)
        TEST_ASSERT_TRUE(base_same(in_place[offset + i], s[offset + i]) || s[offset + i] != s[offset + i]);
    }
  }
}

/* The same bits with every compiler, at every level of optimization: pinned. */
static void test_bits_are_pinned(void) {
  static double out[3 * 4096];
  po_rng rng;
  po_rng_init(&rng, 1, 2);
  for (int i = 0; i < 4096; i++) {
    double x = po_rng_range(&rng, -1.0, 1.0) * (i % 3 == 0 ? 3.2 : i % 3 == 1 ? 1e5 : 1e200);
    po_sincos(&out[3 * i], &out[3 * i + 1], x);
    out[3 * i + 2] = po_tan(x);
  }
  TEST_ASSERT_EQUAL_HEX64(0x3610525022b5d810, po_hash_doubles(out, 3 * 4096, 0));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_golden);
  RUN_TEST(test_error);
  RUN_TEST(test_special_values);
  RUN_TEST(test_arrays_match_bit_for_bit);
  RUN_TEST(test_bits_are_pinned);
  return UNITY_END() != 0;
}
