/* The integers behind exact reading and printing, against identities. */
#include "base/text.h"
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_set_and_compare(void) {
  po_big a, b;
  po_big_set(&a, 0);
  TEST_ASSERT_EQUAL_INT(0, a.n);
  po_big_set(&b, 1);
  TEST_ASSERT_EQUAL_INT(-1, po_big_compare(&a, &b));
  po_big_set(&a, 0x100000000u);
  TEST_ASSERT_EQUAL_INT(2, a.n);
  TEST_ASSERT_EQUAL_INT(1, po_big_compare(&a, &b));
  po_big_set(&b, 0x100000001u);
  TEST_ASSERT_EQUAL_INT(-1, po_big_compare(&a, &b));
  po_big_set(&a, 0x100000001u);
  TEST_ASSERT_EQUAL_INT(0, po_big_compare(&a, &b));
}

/* 10^n by digits equals 5^n shifted by n, for all n that are used. */
static void test_powers_agree(void) {
  po_big ten, five;
  po_big_set(&ten, 1);
  for (int n = 0; n <= 1145; n++) {
    po_big_set(&five, 1);
    po_big_mul_pow5(&five, n);
    po_big_shift(&five, n);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, po_big_compare(&ten, &five), "10^n = 5^n 2^n");
    po_big_mul_add(&ten, 10, 0);
  }
}

static void test_division_undoes_multiplication(void) {
  po_rng rng;
  po_rng_init(&rng, 1, 0);
  po_big a;
  uint32_t factor[60], rest[60];
  po_big_set(&a, 12345);
  for (int i = 0; i < 60; i++) {
    factor[i] = (uint32_t)po_rng_u64(&rng) | 0x80000000u;
    rest[i] = (uint32_t)po_rng_below(&rng, 2147483647);
    po_big_mul_add(&a, factor[i], rest[i]);
  }
  TEST_ASSERT_TRUE(a.n >= 58 && a.n <= 61); /* 60 factors of 31 to 32 bits */
  for (int i = 59; i >= 0; i--) TEST_ASSERT_TRUE(po_big_div_small(&a, factor[i]) == rest[i]);
  TEST_ASSERT_TRUE(a.n == 1 && a.w[0] == 12345);
  TEST_ASSERT_EQUAL_INT(12345, (int)po_big_div_small(&a, 4000000000u));
  TEST_ASSERT_EQUAL_INT(0, a.n);
}

static void test_shift(void) {
  for (int bits = 0; bits < 200; bits++) {
    po_big a, b;
    po_big_set(&a, 0xfedcba9876543210u);
    po_big_set(&b, 0xfedcba9876543210u);
    po_big_shift(&a, bits);
    for (int i = 0; i < bits; i++) po_big_mul_add(&b, 2, 0);
    TEST_ASSERT_EQUAL_INT(0, po_big_compare(&a, &b));
  }
  po_big zero;
  po_big_set(&zero, 0);
  po_big_shift(&zero, 100);
  TEST_ASSERT_EQUAL_INT(0, zero.n);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_set_and_compare);
  RUN_TEST(test_powers_agree);
  RUN_TEST(test_division_undoes_multiplication);
  RUN_TEST(test_shift);
  return UNITY_END() != 0;
}
