/* The SIMD choice. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

static void test_choice_is_in_force(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  TEST_ASSERT_EQUAL_INT(PO_SIMD_SCALAR, po_get_simd());
  po_status status = po_set_simd(PO_SIMD_AVX2);
  TEST_ASSERT_TRUE(status == PO_OK || status == PO_ERR_UNSUPPORTED);
  TEST_ASSERT_EQUAL_INT(status == PO_OK ? PO_SIMD_AVX2 : PO_SIMD_SCALAR, po_get_simd());
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_AUTO));
  TEST_ASSERT_EQUAL_INT(status == PO_OK ? PO_SIMD_AVX2 : PO_SIMD_SCALAR, po_get_simd());
}

static void test_nonsense_changes_nothing(void) {
  po_set_simd(PO_SIMD_SCALAR);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_set_simd((po_simd)17));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_set_simd((po_simd)-1));
  TEST_ASSERT_EQUAL_INT(PO_SIMD_SCALAR, po_get_simd());
}

static void test_matches_the_compilers_view_of_the_cpu(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  int expected = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  po_set_simd(PO_SIMD_AUTO);
  TEST_ASSERT_EQUAL_INT(expected ? PO_SIMD_AVX2 : PO_SIMD_SCALAR, po_get_simd());
#else
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, po_set_simd(PO_SIMD_AVX2));
#endif
}

static void test_names(void) {
  TEST_ASSERT_EQUAL_STRING("auto", po_simd_string(PO_SIMD_AUTO));
  TEST_ASSERT_EQUAL_STRING("scalar", po_simd_string(PO_SIMD_SCALAR));
  TEST_ASSERT_EQUAL_STRING("avx2", po_simd_string(PO_SIMD_AVX2));
  TEST_ASSERT_EQUAL_STRING("unknown", po_simd_string((po_simd)9));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_choice_is_in_force);
  RUN_TEST(test_nonsense_changes_nothing);
  RUN_TEST(test_matches_the_compilers_view_of_the_cpu);
  RUN_TEST(test_names);
  return UNITY_END() != 0;
}
