/* wide.h: the bits of a double and 64 x 64 -> 128 bit products, for base/ itself. */
#ifndef PO_BASE_WIDE_H
#define PO_BASE_WIDE_H

#include <stdint.h>
#include <string.h>

static inline uint64_t po_wide_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double po_wide_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* 2^k for -1022 <= k <= 1023. */
static inline double po_wide_pow2(int k) { return po_wide_double((uint64_t)(k + 1023) << 52); }

/* The low half of a*b; the high half goes to *high. */
static inline uint64_t po_wide_mul(uint64_t a, uint64_t b, uint64_t *high) {
#ifdef __SIZEOF_INT128__
  __extension__ unsigned __int128 product = (unsigned __int128)a * b;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
#else
  uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), cross = a0 * b1 + (mid & 0xffffffffu);
  *high = a1 * b1 + (mid >> 32) + (cross >> 32);
  return (cross << 32) | (low & 0xffffffffu);
#endif
}

/* Leading zeros; x must not be 0. */
static inline int po_wide_clz(uint64_t x) {
#if defined(__GNUC__)
  return __builtin_clzll(x);
#else
  int n = 0;
  while (!(x >> 63)) x <<= 1, n++;
  return n;
#endif
}

#endif
