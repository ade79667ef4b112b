/* text.h: what the files of base/ that read and write text share; not for users. */
#ifndef PO_BASE_TEXT_H
#define PO_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* An unsigned integer of up to 165 words of 32 bits: enough for 800 decimal digits times the largest power of ten that a double needs. */
enum { PO_BIG_WORDS = 165 };
typedef struct po_big {
  int n; /* words in use; the highest is not zero; n = 0 is zero */
  uint32_t w[PO_BIG_WORDS];
} po_big;

void po_big_set(po_big *b, uint64_t value);
void po_big_mul_add(po_big *b, uint32_t factor, uint32_t addend); /* b = b * factor + addend */
void po_big_mul_pow5(po_big *b, int exponent);                    /* b = b * 5^exponent */
void po_big_shift(po_big *b, int bits);                           /* b = b * 2^bits, bits >= 0 */
int po_big_compare(const po_big *a, const po_big *b);             /* -1, 0, 1 */
uint32_t po_big_div_small(po_big *b, uint32_t divisor);           /* b = b / divisor; returns the remainder */

/* The leading 128 bits of 5^k, -364 <= k <= 335: P = (high : low) with high >= 2^63 and 0 <= 5^k / 2^exponent - P < 3;
 * *exact: P 2^exponent is 5^k itself (0 <= k <= 55). */
void po_pow5(int k, uint64_t *high, uint64_t *low, int *exponent, int *exact);

/* All decimal digits of a finite positive double, first digit not 0: value = 0.d1 d2 d3 ... x 10^point. At most 767; returns how many. */
enum { PO_DIGITS_MAX = 800 };
int po_exact_digits(char digits[PO_DIGITS_MAX], int *point, double value);

/* The same by exact arithmetic only: the reference that po_print_double falls back on. Returns the number of digits. */
int po_shortest_digits_exact(char digits[32], int *point, double value);
int po_shortest_digits(char digits[32], int *point, double value);

/* Length of the valid UTF-8 sequence at p (1 ... 4), or 0 when it is malformed or cut off. */
int po_utf8_length(const char *p, const char *end);
/* Writes a code point (no surrogate, at most 0x10ffff) as UTF-8; returns its length. */
int po_utf8_write(char out[4], uint32_t code);

#endif
