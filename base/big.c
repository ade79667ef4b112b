/* big.c: unsigned integers of a few thousand bits, for the exact cases of reading and printing doubles. */
#include "base/base.h"
#include "base/text.h"

void po_big_set(po_big *b, uint64_t value) {
  b->n = 0;
  for (; value; value >>= 32) b->w[b->n++] = (uint32_t)value;
}

void po_big_mul_add(po_big *b, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (int i = 0; i < b->n; i++) {
    carry += (uint64_t)b->w[i] * factor;
    b->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) {
    PO_ASSERT(b->n < PO_BIG_WORDS);
    b->w[b->n++] = (uint32_t)carry;
  }
}

void po_big_mul_pow5(po_big *b, int exponent) {
  for (; exponent >= 13; exponent -= 13) po_big_mul_add(b, 1220703125u, 0); /* 5^13, the largest in 32 bits */
  uint32_t rest = 1;
  for (; exponent > 0; exponent--) rest *= 5;
  po_big_mul_add(b, rest, 0);
}

void po_big_shift(po_big *b, int bits) {
  int words = bits / 32, rest = bits % 32;
  if (b->n == 0 || bits == 0) return;
  PO_ASSERT(b->n + words + 1 <= PO_BIG_WORDS);
  b->w[b->n] = 0;
  for (int i = b->n; i >= 0; i--) {
    uint32_t below = i > 0 && rest ? b->w[i - 1] >> (32 - rest) : 0;
    b->w[i + words] = b->w[i] << rest | below;
  }
  for (int i = 0; i < words; i++) b->w[i] = 0;
  b->n += words + 1;
  while (b->n > 0 && b->w[b->n - 1] == 0) b->n--;
}

int po_big_compare(const po_big *a, const po_big *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (int i = a->n - 1; i >= 0; i--)
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  return 0;
}

uint32_t po_big_div_small(po_big *b, uint32_t divisor) {
  uint64_t remainder = 0;
  for (int i = b->n - 1; i >= 0; i--) {
    remainder = remainder << 32 | b->w[i];
    b->w[i] = (uint32_t)(remainder / divisor);
    remainder %= divisor;
  }
  while (b->n > 0 && b->w[b->n - 1] == 0) b->n--;
  return (uint32_t)remainder;
}
