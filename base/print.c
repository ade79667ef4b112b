/* print.c: the shortest decimal that reads back to the same double, and the nearest of those.
 *
 * v = m 2^e. Every decimal strictly between v - 2^e/2 and v + 2^e/2 (half as far below when m = 2^52, ends included when m is even)
 * reads back as v. With 10^k <= width < 10^(k+1), the interval divided by 10^k holds an integer and at most one multiple of ten:
 * that multiple if it is there (its zeros are then dropped), else the integer nearest to v/10^k. (The idea of Giulietti's
 * Schubfach.) The three quotients come from 128-bit powers with a known error; should an integer lie within it, the exact digits
 * decide instead: it happens for large round numbers such as 1e23.
 */
#include "base/base.h"
#include "base/text.h"
#include "base/wide.h"

#include <string.h>

int po_exact_digits(char digits[PO_DIGITS_MAX], int *point, double value) {
  uint64_t bits = po_wide_bits(value), m = bits & 0x000fffffffffffffu;
  int e = (int)(bits >> 52 & 0x7ff);
  if (e) m |= (uint64_t)1 << 52;
  else e = 1;
  e -= 1075;
  while (!(m & 1)) m >>= 1, e++; /* m 2^e with the fewest bits; for e < 0 it is m 5^-e / 10^-e */
  po_big b;
  po_big_set(&b, m);
  if (e >= 0) po_big_shift(&b, e);
  else po_big_mul_pow5(&b, -e);
  char *p = digits + PO_DIGITS_MAX, *end = p;
  while (b.n > 0) {
    uint32_t chunk = po_big_div_small(&b, 1000000000u);
    for (int i = 0; i < 9; i++, chunk /= 10) *--p = (char)('0' + chunk % 10);
  }
  while (*p == '0') p++;
  int count = (int)(end - p);
  *point = count + (e < 0 ? e : 0);
  while (end[-1] == '0') end--, count--;
  memmove(digits, p, (size_t)count);
  return count;
}

/* Adds 1 to the last of n digits; a carry out of the first moves the point. Returns how many digits are left without trailing zeros. */
static int print_increment(char *digits, int n, int *point) {
  while (n > 0 && digits[n - 1] == '9') n--;
  if (n == 0) {
    digits[0] = '1';
    ++*point;
    return 1;
  }
  digits[n - 1]++;
  return n;
}

static int print_reads_back(const char *digits, int n, int point, double value) {
  char text[64];
  double back;
  int length = po_format(text, sizeof text, "0.%.*se%d", n, digits, point);
  return po_parse_double(&back, NULL, text, text + length) == PO_OK && back == value;
}

int po_shortest_digits_exact(char digits[32], int *point, double value) {
  char all[PO_DIGITS_MAX];
  int all_point, count = po_exact_digits(all, &all_point, value);
  for (int n = 1; n <= 17 && n < count; n++) { /* cut after n digits, and one more in the last place: the nearer first */
    int down = n, up = n, up_point = all_point;
    char above[32];
    memcpy(digits, all, (size_t)n);
    memcpy(above, all, (size_t)n);
    while (down > 1 && digits[down - 1] == '0') down--;
    up = print_increment(above, n, &up_point);
    int half = all[n] - '5';
    if (half == 0 && n + 1 < count) half = 1;
    int prefer_up = half > 0 || (half == 0 && ((all[n - 1] - '0') & 1));
    int down_ok = print_reads_back(digits, down, all_point, value), up_ok = print_reads_back(above, up, up_point, value);
    if (up_ok && (prefer_up || !down_ok)) {
      memcpy(digits, above, (size_t)up);
      *point = up_point;
      return up;
    }
    if (down_ok) {
      *point = all_point;
      return down;
    }
  }
  *point = all_point;
  if (count > 17) count = 17; /* never: 17 digits always read back */
  memcpy(digits, all, (size_t)count);
  return count;
}

/* u 10^-k 2^(e-2) = whole + fraction / 2^64; without `exact`, up to 2/2^64 low. */
typedef struct print_scaled {
  uint64_t whole, fraction;
} print_scaled;

static print_scaled print_scale(uint64_t u, uint64_t high, uint64_t low, int shift) {
  uint64_t h, x2, x0 = po_wide_mul(u << 7, low, &h), x1 = po_wide_mul(u << 7, high, &x2);
  x1 += h;
  x2 += x1 < h;
  uint64_t rest = x1 << (64 - shift) | x0; /* any nonzero digit further down keeps the fraction off 0 and 1/2 */
  return (print_scaled){x2 >> shift, x2 << (64 - shift) | x1 >> shift | (rest != 0)};
}

int po_shortest_digits(char digits[32], int *point, double value) {
  uint64_t bits = po_wide_bits(value), m = bits & 0x000fffffffffffffu;
  int e = (int)(bits >> 52 & 0x7ff), lopsided = m == 0 && e > 1;
  if (e) m |= (uint64_t)1 << 52;
  else e = 1;
  e -= 1075;
  int k = (e * 1262611 - (lopsided ? 524031 : 0)) >> 22; /* floor(log10(2^e)), floor(log10(3/4 2^e)) */
  uint64_t high, low;
  int exponent, exact;
  po_pow5(-k, &high, &low, &exponent, &exact);
  int shift = k - exponent - e + 2 + 7 - 128; /* 5 ... 9 */
  print_scaled lower = print_scale(4 * m - (lopsided ? 1 : 2), high, low, shift), middle = print_scale(4 * m, high, low, shift),
               upper = print_scale(4 * m + 2, high, low, shift);
  if (!exact) { /* too near to an integer or a half to tell */
    const uint64_t near = 4, half = (uint64_t)1 << 63;
    if (lower.fraction + near < 2 * near || middle.fraction + near < 2 * near || upper.fraction + near < 2 * near ||
        middle.fraction - half + near < 2 * near)
      return po_shortest_digits_exact(digits, point, value);
  }
  int closed = !(m & 1);
  uint64_t first = lower.whole + (lower.fraction || !closed), last = upper.whole - (!upper.fraction && !closed);
  uint64_t pick = last / 10 * 10;
  if (pick < first) {
    const uint64_t half = (uint64_t)1 << 63;
    pick = middle.whole + (middle.fraction > half || (middle.fraction == half && (middle.whole & 1)));
    if (pick < first) pick = first;
    if (pick > last) pick = last;
  }
  while (pick % 10 == 0) pick /= 10, k++;
  char *p = digits + 20;
  int count = 0;
  for (; pick; pick /= 10, count++) *--p = (char)('0' + pick % 10);
  memmove(digits, p, (size_t)count);
  *point = count + k;
  return count;
}

/* An integer below 2^53 is its own digits: no shorter decimal is within half a unit of it. */
static int print_integer_digits(char digits[32], int *point, uint64_t v) {
  char *p = digits + 20;
  int count = 0, zeros = 0;
  for (; v % 10 == 0; v /= 10) zeros++;
  for (; v; v /= 10, count++) *--p = (char)('0' + v % 10);
  memmove(digits, p, (size_t)count);
  *point = count + zeros;
  return count;
}

int po_print_double(char out[32], double value) {
  char *p = out, digits[32];
  int point, count;
  if (value != value) {
    memcpy(out, "nan", 4);
    return 3;
  }
  if (po_wide_bits(value) >> 63) *p++ = '-', value = -value;
  if (value == PO_INF || value == 0.0) {
    const char *word = value == 0.0 ? "0" : "inf";
    size_t n = strlen(word);
    memcpy(p, word, n + 1);
    return (int)(p - out + (int)n);
  }
  if (value < 0x1p53 && (double)(uint64_t)value == value) count = print_integer_digits(digits, &point, (uint64_t)value);
  else count = po_shortest_digits(digits, &point, value);
  if (point < -3 || point > 16) { /* d.ddde+XX */
    *p++ = digits[0];
    if (count > 1) *p++ = '.';
    memcpy(p, digits + 1, (size_t)(count - 1));
    p += count - 1;
    int e = point - 1;
    *p++ = 'e';
    *p++ = e < 0 ? '-' : '+';
    if (e < 0) e = -e;
    if (e >= 100) *p++ = (char)('0' + e / 100), e %= 100;
    *p++ = (char)('0' + e / 10);
    *p++ = (char)('0' + e % 10);
  } else if (point <= 0) { /* 0.000ddd */
    *p++ = '0';
    *p++ = '.';
    for (int i = point; i < 0; i++) *p++ = '0';
    memcpy(p, digits, (size_t)count);
    p += count;
  } else { /* ddd000 or dd.ddd */
    for (int i = 0; i < point || i < count; i++) {
      if (i == point) *p++ = '.';
      *p++ = i < count ? digits[i] : '0';
    }
  }
  *p = '\0';
  return (int)(p - out);
}
