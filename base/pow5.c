/* pow5.c: powers of five to 128 bits, from a table of every 28th and the exact small ones. */
#include "base/base.h"
#include "base/text.h"
#include "base/wide.h"

/* floor of the leading 128 bits of 5^(28 i), i = -13 ... 11. */
static const uint64_t pow5_large[25][2] = {
    {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21}, /* -364 */
    {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25}, /* -336 */
    {0xe61acf033d1a45df, 0x6fb92487298e33bd}, /* -308 */
    {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68}, /* -280 */
    {0xea9c227723ee8bcb, 0x465e15a979c1cadc}, /* -252 */
    {0xece53cec4a314ebd, 0xa4f8bf5635246428}, /* -224 */
    {0xef340a98172aace4, 0x86fb897116c87c34}, /* -196 */
    {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1}, /* -168 */
    {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa}, /* -140 */
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5}, /* -112 */
    {0xf8a95fcf88747d94, 0x75a44c6397ce912a}, /* -84 */
    {0xfb158592be068d2e, 0xeed6e2f0f0d56712}, /* -56 */
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc}, /* -28 */
    {0x8000000000000000, 0x0000000000000000}, /* 0 */
    {0x813f3978f8940984, 0x4000000000000000}, /* 28 */
    {0x82818f1281ed449f, 0xbff8f10e7a8921a4}, /* 56 */
    {0x83c7088e1aab65db, 0x792667c6da79e0fa}, /* 84 */
    {0x850fadc09923329e, 0x03e2cf6bc604ddb0}, /* 112 */
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2}, /* 140 */
    {0x87aa9aff79042286, 0x90fb44d2f05d0842}, /* 168 */
    {0x88fcf317f22241e2, 0x441fece3bdf81f03}, /* 196 */
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f}, /* 224 */
    {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e}, /* 252 */
    {0x8d07e33455637eb2, 0xdb0b487b6423e1e8}, /* 280 */
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648}, /* 308 */
};

/* 5^j, j = 0 ... 27. */
/* clang-format off */
static const uint64_t pow5_small[28] = {
    1u, 5u, 25u, 125u,
    625u, 3125u, 15625u, 78125u,
    390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u,
    152587890625u, 762939453125u, 3814697265625u, 19073486328125u,
    95367431640625u, 476837158203125u, 2384185791015625u, 11920928955078125u,
    59604644775390625u, 298023223876953125u, 1490116119384765625u, 7450580596923828125u};
/* clang-format on */

/* The table entry is low by less than one unit, its product with 5^j by less than two more once normalized: together less than 3. */
void po_pow5(int k, uint64_t *high, uint64_t *low, int *exponent, int *exact) {
  int i = (k + 364) / 28 - 13, j = k - 28 * i;
  const uint64_t *t = pow5_large[i + 13];
  int zeros = po_wide_clz(pow5_small[j]);
  uint64_t s = pow5_small[j] << zeros, h0, h1;
  uint64_t p0 = po_wide_mul(t[1], s, &h0), p1 = po_wide_mul(t[0], s, &h1);
  p1 += h0;
  h1 += p1 < h0; /* (h1 : p1 : p0) = table * small */
  /* 5^(28 i) = table * 2^(floor(28 i log2 5) - 127); 9972605231 / 2^32 is log2 5, near enough for every k here */
  int log2_large = (int)(((int64_t)28 * i * 9972605231) >> 32);
  *exponent = log2_large - 127 - zeros + 64;
  if (!(h1 >> 63)) {
    h1 = h1 << 1 | p1 >> 63;
    p1 = p1 << 1 | p0 >> 63;
    p0 <<= 1;
    --*exponent;
  }
  *high = h1;
  *low = p1;
  *exact = k >= 0 && k <= 55;
}
