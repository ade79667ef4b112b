/* The 128-bit powers of five are within their stated error, each one checked in exact integers. */
#include "base/text.h"
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* (high : low) + extra as a large integer */
static void big_of(po_big *b, uint64_t high, uint64_t low, uint32_t extra) {
  po_big_set(b, high);
  po_big_shift(b, 64);
  if (!b->n) return;
  b->w[0] = (uint32_t)low;
  b->w[1] = (uint32_t)(low >> 32);
  po_big_mul_add(b, 1, extra);
}

/* Compares (P + extra) 2^exponent with 5^k. */
static int compare_with_power(uint64_t high, uint64_t low, uint32_t extra, int exponent, int k) {
  po_big left, right;
  big_of(&left, high, low, extra);
  po_big_set(&right, 1);
  po_big_mul_pow5(k < 0 ? &left : &right, k < 0 ? -k : k); /* for k < 0: (P + extra) 2^exponent 5^-k against 1 */
  po_big_shift(exponent < 0 ? &right : &left, exponent < 0 ? -exponent : exponent);
  return po_big_compare(&left, &right);
}

static void test_every_power(void) {
  for (int k = -364; k <= 335; k++) {
    uint64_t high, low;
    int exponent, exact;
    char message[40];
    po_pow5(k, &high, &low, &exponent, &exact);
    snprintf(message, sizeof message, "5^%d", k);
    TEST_ASSERT_TRUE_MESSAGE(high >> 63, message);
    int at = compare_with_power(high, low, 0, exponent, k), above = compare_with_power(high, low, 3, exponent, k);
    TEST_ASSERT_TRUE_MESSAGE(at <= 0 && above > 0, message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(k >= 0 && k <= 55, exact, message);
    if (exact) TEST_ASSERT_EQUAL_INT_MESSAGE(0, at, message);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_power);
  return UNITY_END() != 0;
}
