/* hash.c: a 64-bit hash for state comparison. Words are read little-endian by definition, so the value is the same on every machine.
 * Not meant against adversaries. */
#include "base/base.h"
#include "base/wide.h"

static uint64_t hash_start(size_t count, uint64_t seed) {
  return (seed ^ 0x6a09e667f3bcc909u) + (uint64_t)count * 0x9e3779b97f4a7c15u;
}

/* One word: multiply spreads it upward, the xor-shift brings the high bits down for the next multiply. */
static uint64_t hash_word(uint64_t h, uint64_t word) {
  h = (h ^ (word * 0xff51afd7ed558ccdu)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 29);
}

static uint64_t hash_finish(uint64_t h) {
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
  return h ^ (h >> 32);
}

uint64_t po_hash(const void *bytes, size_t count, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t h = hash_start(count, seed), word;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) { /* compilers make one load of this */
    word = (uint64_t)p[i] | (uint64_t)p[i + 1] << 8 | (uint64_t)p[i + 2] << 16 | (uint64_t)p[i + 3] << 24 |
           (uint64_t)p[i + 4] << 32 | (uint64_t)p[i + 5] << 40 | (uint64_t)p[i + 6] << 48 | (uint64_t)p[i + 7] << 56;
    h = hash_word(h, word);
  }
  if (i < count) { /* the last word is filled with zeros; the count tells them from real ones */
    word = 0;
    for (size_t j = 0; i + j < count; j++) word |= (uint64_t)p[i + j] << (8 * j);
    h = hash_word(h, word);
  }
  return hash_finish(h);
}

uint64_t po_hash_doubles(const double *x, size_t count, uint64_t seed) {
  uint64_t h = hash_start(count * sizeof(double), seed);
  for (size_t i = 0; i < count; i++) h = hash_word(h, po_wide_bits(x[i]));
  return hash_finish(h);
}
