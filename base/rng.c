/* rng.c: random numbers from a counter. The n-th number is a function of (seed, stream, n) alone, so streams never run into each
 * other and a saved state is two words. */
#include "base/base.h"
#include "base/wide.h"

#include <math.h>

/* A bijection of 64 bits in which every output bit depends on every input bit (multiply and xor-shift, twice). */
static uint64_t rng_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void po_rng_init(po_rng *rng, uint64_t seed, uint64_t stream) {
  rng->key = rng_mix(rng_mix(seed + 0x9e3779b97f4a7c15u) + 0xd1b54a32d192ed03u * (stream + 1));
  rng->counter = 0;
}

/* Two keyed rounds over the counter: one alone would make the streams shifted copies of each other. */
uint64_t po_rng_u64(po_rng *rng) {
  uint64_t z = rng_mix(rng->counter++ * 0x9e3779b97f4a7c15u + rng->key);
  return rng_mix(z ^ ((rng->key << 32) | (rng->key >> 32)));
}

double po_rng_uniform(po_rng *rng) { return (double)(po_rng_u64(rng) >> 11) * (1.0 / 9007199254740992.0); }

double po_rng_range(po_rng *rng, double lo, double hi) {
  double u = po_rng_uniform(rng), x = lo * (1.0 - u) + hi * u; /* not lo + (hi - lo) u, which can overflow */
  if (!(lo < hi) || x < lo) return lo;
  if (x >= hi) { /* rounding may reach hi, which is outside: take the number below it */
    uint64_t bits = po_wide_bits(hi);
    x = hi == 0.0 ? -po_wide_double(1) : po_wide_double(hi > 0.0 ? bits - 1 : bits + 1);
  }
  return x;
}

/* Box and Muller; the second number of the pair is dropped so that the state stays a counter. */
double po_rng_normal(po_rng *rng) {
  double u = 1.0 - po_rng_uniform(rng), v = po_rng_uniform(rng); /* u in (0, 1] */
  return sqrt(-2.0 * po_log(u)) * po_cos(2.0 * PO_PI * v);
}

/* The high half of 32 random bits times n; draws that would favour some results are thrown away (Lemire 2019). */
int po_rng_below(po_rng *rng, int n) {
  if (n <= 1) return 0;
  uint32_t range = (uint32_t)n, threshold = -range % range;
  for (;;) {
    uint64_t product = (po_rng_u64(rng) >> 32) * range;
    if ((uint32_t)product >= threshold) return (int)(product >> 32);
  }
}
