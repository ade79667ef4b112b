/* parse.c: decimal text to the nearest double (ties to even), whatever the length of the text and the locale.
 *
 * The digits are read as w 10^q, w of at most 19 digits. Three ways, the first that is certain wins:
 *   1. w < 2^53 and |q| <= 22: w and 10^|q| are doubles, so one multiplication or division rounds correctly.
 *   2. w times the leading 128 bits of 10^q: right unless a halfway point lies within the known error.
 *   3. all digits (800 of them and a mark for the rest decide any case) against that halfway point, in exact integers.
 */
#include "base/base.h"
#include "base/text.h"
#include "base/wide.h"

#include <limits.h>
#include <string.h>

enum { PARSE_DIGITS = 19, PARSE_EXACT_DIGITS = 800 };

typedef struct parse_number {
  const char *digits, *digits_end; /* the text of the digits, the point among them */
  uint64_t w;                      /* the first 19 significant digits */
  long long q;                     /* value = w 10^q, or a little more when cut */
  int count;                       /* digits in w */
  int cut;                         /* 1: nonzero digits were left out of w */
} parse_number;

static int parse_is_digit(char c) { return c >= '0' && c <= '9'; }

/* [digits][.[digits]], at least one digit. Returns the end, or NULL. */
static const char *parse_digits(parse_number *number, const char *p, const char *end) {
  int any = 0, point = 0;
  memset(number, 0, sizeof *number);
  number->digits = p;
  for (; p < end; p++) {
    if (*p == '.' && !point) {
      point = 1;
      continue;
    }
    if (!parse_is_digit(*p)) break;
    any = 1;
    number->q -= point;
    if (number->count == PARSE_DIGITS) {
      number->q++;
      number->cut |= *p != '0';
    } else if (number->count || *p != '0') { /* leading zeros do not count */
      number->w = 10 * number->w + (uint64_t)(*p - '0');
      number->count++;
    }
  }
  if (!any) return NULL;
  number->digits_end = p;
  return p;
}

/* [e[+-]digits]: adds it to q; an e without digits is not part of the number. */
static const char *parse_exponent(parse_number *number, const char *p, const char *end) {
  if (p == end || (*p != 'e' && *p != 'E')) return p;
  const char *s = p + 1;
  int negative = 0;
  long long e = 0;
  if (s < end && (*s == '+' || *s == '-')) negative = *s++ == '-';
  if (s == end || !parse_is_digit(*s)) return p;
  for (; s < end && parse_is_digit(*s); s++)
    if (e < 100000000000000000) e = 10 * e + (*s - '0'); /* longer than any text could make up for */
  number->q += negative ? -e : e;
  return s;
}

/* A positive number between two neighbouring doubles: lower = keep 2^(lead - p + 1); `above` tells on which side of the middle it lies. */
typedef struct parse_place {
  uint64_t keep;
  int lead, p; /* exponent of the leading bit; bits of a double there (fewer below 2^-1022) */
  int above;   /* -1 below the middle, 1 above, 0 exactly there, 2 unknown */
} parse_place;

/* Way 2. The product of w (64 bits) and the power (128 bits, low by less than 3) is kept to 128 bits and low by less than 4. */
static parse_place parse_locate(uint64_t w, int q) {
  uint64_t high, low, x0, x1, x2, h;
  int exponent, exact, zeros = po_wide_clz(w);
  po_pow5(q, &high, &low, &exponent, &exact);
  w <<= zeros;
  x0 = po_wide_mul(w, low, &h);
  x1 = po_wide_mul(w, high, &x2);
  x1 += h;
  x2 += x1 < h;
  int lead = exponent + q - zeros + 191;
  if (!(x2 >> 63)) {
    x2 = x2 << 1 | x1 >> 63;
    x1 = x1 << 1 | x0 >> 63;
    x0 <<= 1;
    lead--;
  }
  parse_place place = {0, lead, 53, -1};
  if (lead < -1022) place.p = 53 + (lead + 1022);
  if (place.p < -1) return place; /* below a quarter of the smallest double */
  if (place.p == -1) {            /* just below half of it, as far as is known */
    x0 = x0 >> 1 | x1 << 63;
    x1 = x1 >> 1 | x2 << 63;
    x2 >>= 1;
    place.p = 0;
    place.lead++;
  }
  int drop = 64 - place.p; /* 11 ... 64 */
  place.keep = place.p ? x2 >> drop : 0;
  uint64_t rest = place.p ? x2 & (((uint64_t)1 << drop) - 1) : x2, half = (uint64_t)1 << (drop - 1);
  int error = exact ? 0 : 4;
  if (rest > half || (rest == half && (x1 || (exact && x0)))) place.above = 1;
  else if (rest == half) place.above = exact ? 0 : 2;
  else if (rest == half - 1 && x1 > UINT64_MAX - (uint64_t)error) place.above = 2;
  return place;
}

static uint64_t parse_round(parse_place place) {
  if (place.p < 0) return 0;
  uint64_t keep = place.keep + (place.above == 1 || (place.above == 0 && (place.keep & 1)));
  if (place.p < 53) return keep; /* a carry out of the subnormals lands on the smallest normal number by itself */
  if (place.lead > 1023) return (uint64_t)0x7ff << 52;
  return ((uint64_t)(place.lead + 1022) << 52) + keep; /* keep has the leading bit: it adds the missing 1 to the exponent */
}

/* Way 3: where the digits lie against (2 keep + 1) 2^(lead - p). */
static int parse_compare(const parse_number *number, parse_place place) {
  po_big left, right;
  int count = 0, q = (int)number->q, more = 0;
  po_big_set(&left, 0);
  for (const char *p = number->digits; p < number->digits_end; p++) {
    if (*p == '.' || (count == 0 && *p == '0')) continue;
    if (count < PARSE_EXACT_DIGITS) po_big_mul_add(&left, 10, (uint32_t)(*p - '0')), count++;
    else more |= *p != '0';
  }
  q -= count - number->count; /* w took number->count digits, left has count */
  if (more) po_big_mul_add(&left, 10, 1), q--;
  po_big_set(&right, 2 * place.keep + 1);
  int shift = place.lead - place.p; /* left 5^q 2^q against right 2^shift */
  if (q >= 0) po_big_mul_pow5(&left, q);
  else po_big_mul_pow5(&right, -q);
  if (q >= shift) po_big_shift(&left, q - shift);
  else po_big_shift(&right, shift - q);
  return po_big_compare(&left, &right);
}

static double parse_value(const parse_number *number) {
  static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  uint64_t w = number->w;
  int cut = number->cut;
  if (w == 0 || number->count + number->q < -343) return 0.0;
  if (number->count + number->q > 310) return PO_INF;
  int q = (int)number->q;
  if (!cut && w <= (uint64_t)1 << 53 && q >= -22 && q <= 22) return q < 0 ? (double)w / powers[-q] : (double)w * powers[q];
  parse_place place = parse_locate(w, q);
  uint64_t bits = parse_round(place);
  if (place.above == 2 ||
      (cut && (w == UINT64_MAX || parse_locate(w + 1, q).above == 2 || parse_round(parse_locate(w + 1, q)) != bits))) {
    place.above = parse_compare(number, place);
    bits = parse_round(place);
  }
  return po_wide_double(bits);
}

/* Does the text begin with the lower-case word, in any case? */
static int parse_word(const char *p, const char *end, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(end - p) < n) return 0;
  for (size_t i = 0; i < n; i++)
    if ((p[i] | 0x20) != word[i]) return 0;
  return 1;
}

po_status po_parse_double(double *value, const char **end, const char *text, const char *text_end) {
  if (end) *end = text;
  if (!value || !text) return PO_ERR_NULL;
  if (!text_end) text_end = text + strlen(text);
  const char *p = text, *after;
  parse_number number;
  double v;
  int negative = 0;
  if (p < text_end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if ((after = parse_digits(&number, p, text_end)) != NULL) {
    after = parse_exponent(&number, after, text_end);
    v = parse_value(&number);
  } else if (parse_word(p, text_end, "inf")) {
    after = p + (parse_word(p, text_end, "infinity") ? 8 : 3);
    v = PO_INF;
  } else if (parse_word(p, text_end, "nan")) {
    after = p + 3;
    v = PO_NAN;
  } else {
    return PO_ERR_PARSE;
  }
  *value = negative ? -v : v;
  if (end) *end = after;
  return PO_OK;
}

po_status po_parse_int(int *value, const char **end, const char *text, const char *text_end) {
  if (end) *end = text;
  if (!value || !text) return PO_ERR_NULL;
  if (!text_end) text_end = text + strlen(text);
  const char *p = text;
  int negative = 0;
  long long v = 0;
  if (p < text_end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == text_end || !parse_is_digit(*p)) return PO_ERR_PARSE;
  for (; p < text_end && parse_is_digit(*p); p++)
    if (v <= INT_MAX) v = 10 * v + (*p - '0');
  if (negative) v = -v;
  if (v < INT_MIN || v > INT_MAX) return PO_ERR_RANGE;
  *value = (int)v;
  if (end) *end = p;
  return PO_OK;
}
