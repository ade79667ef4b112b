/* format.c: po_format, an snprintf without a locale. */
#include "base/base.h"
#include "base/text.h"
#include "base/wide.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

typedef struct format_out {
  char *out;
  size_t capacity, length; /* length needed so far */
} format_out;

static void format_put(format_out *o, const char *text, size_t n) {
  if (o->length < o->capacity) {
    size_t space = o->capacity - o->length;
    memcpy(o->out + o->length, text, n < space ? n : space);
  }
  o->length += n;
}

static void format_fill(format_out *o, char c, long n) {
  for (; n > 0; n--) format_put(o, &c, 1);
}

typedef struct format_spec {
  int width, precision; /* precision -1: not given */
  int left, zero, plus;
  int size; /* 0 int, 1 long, 2 long long, 3 size_t */
} format_spec;

/* sign, then body; padded to the width with blanks left or right, or zeros between. */
static void format_padded(format_out *o, const format_spec *s, const char *sign, const char *body, size_t n, int zeros_allowed) {
  long pad = (long)s->width - (long)n - (long)strlen(sign);
  int zero = s->zero && !s->left && zeros_allowed;
  if (!s->left && !zero) format_fill(o, ' ', pad);
  format_put(o, sign, strlen(sign));
  if (zero) format_fill(o, '0', pad);
  format_put(o, body, n);
  if (s->left) format_fill(o, ' ', pad);
}

static void format_unsigned(format_out *o, const format_spec *s, const char *sign, unsigned long long v, unsigned base) {
  char text[24], *p = text + sizeof text;
  if (v == 0 && s->precision != 0) *--p = '0';
  for (; v; v /= base) *--p = "0123456789abcdef"[v % base];
  while (s->precision > text + sizeof text - p && p > text) *--p = '0';
  format_padded(o, s, sign, p, (size_t)(text + sizeof text - p), s->precision < 0);
}

/* n digits of the exact expansion, rounded half to even; fewer when the rest is zero. n <= 0 may still round up to one digit. */
static int format_round(char *digits, int count, int *point, int n) {
  if (n >= count) return count;
  if (n < 0) return 0;
  int up = digits[n] > '5' || (digits[n] == '5' && (n + 1 < count || (n > 0 && ((digits[n - 1] - '0') & 1))));
  while (up && n > 0 && digits[n - 1] == '9') n--;
  if (up && n == 0) {
    digits[0] = '1';
    ++*point;
    return 1;
  }
  if (up) digits[n - 1]++;
  while (n > 0 && digits[n - 1] == '0') n--;
  return n;
}

/* The number's text goes through a second format_out so that padding knows its length: once to count, once to write. */
static void format_fixed(format_out *o, const char *digits, int count, int point, int decimals) {
  if (point <= 0) format_put(o, "0", 1);
  for (int i = 0; i < point; i++) format_put(o, i < count ? &digits[i] : "0", 1);
  if (decimals > 0) format_put(o, ".", 1);
  for (int i = point; i < point + decimals; i++) format_put(o, i >= 0 && i < count ? &digits[i] : "0", 1);
}

static void format_scientific(format_out *o, const char *digits, int count, int point, int decimals) {
  char tail[8];
  format_put(o, count ? digits : "0", 1);
  if (decimals > 0) format_put(o, ".", 1);
  for (int i = 1; i <= decimals; i++) format_put(o, i < count ? &digits[i] : "0", 1);
  int e = count ? point - 1 : 0, n = 0;
  tail[n++] = 'e';
  tail[n++] = e < 0 ? '-' : '+';
  if (e < 0) e = -e;
  if (e >= 100) tail[n++] = (char)('0' + e / 100);
  tail[n++] = (char)('0' + e / 10 % 10);
  tail[n++] = (char)('0' + e % 10);
  format_put(o, tail, (size_t)n);
}

static void format_body(format_out *o, char kind, const char *digits, int count, int point, int precision) {
  if (kind == 'f') {
    format_fixed(o, digits, count, point, precision);
  } else if (kind == 'e') {
    format_scientific(o, digits, count, point, precision);
  } else { /* g: as C has it, without trailing zeros */
    int e = count ? point - 1 : 0;
    if (e < -4 || e >= precision) format_scientific(o, digits, count, point, count ? count - 1 : 0);
    else format_fixed(o, digits, count, point, count > point ? count - point : 0);
  }
}

static void format_double(format_out *o, const format_spec *s, char kind, double v) {
  char shortest[32], digits[PO_DIGITS_MAX];
  const char *sign = s->plus ? "+" : "";
  if (po_wide_bits(v) >> 63 && v == v) sign = "-", v = -v;
  if (!po_isfinite(v) || (kind == 'g' && s->precision < 0)) {
    int n = po_print_double(shortest, v);
    format_padded(o, s, sign, shortest, (size_t)n, po_isfinite(v));
    return;
  }
  int precision = s->precision < 0 ? 6 : s->precision, point = 1, count = 0;
  if (kind == 'g' && precision == 0) precision = 1;
  if (v != 0.0) {
    count = po_exact_digits(digits, &point, v);
    int keep = kind == 'f'   ? (precision > 2000 ? 2000 : precision) + point
               : kind == 'e' ? precision + (precision < INT_MAX)
                             : precision;
    count = format_round(digits, count, &point, keep);
  }
  if (count == 0) point = 1;
  format_out counter = {NULL, 0, 0};
  format_body(&counter, kind, digits, count, point, precision);
  long pad = (long)s->width - (long)counter.length - (long)strlen(sign);
  if (!s->left && !s->zero) format_fill(o, ' ', pad);
  format_put(o, sign, strlen(sign));
  if (!s->left && s->zero) format_fill(o, '0', pad);
  format_body(o, kind, digits, count, point, precision);
  if (s->left) format_fill(o, ' ', pad);
}

static int format_number(const char **p) {
  int n = 0;
  for (; **p >= '0' && **p <= '9'; ++*p)
    if (n < 100000) n = 10 * n + (**p - '0');
  return n;
}

/* va_list travels inside a struct: as a parameter it may decay to a pointer, and a pointer to it would then have another type. */
typedef struct format_arguments {
  va_list list;
} format_arguments;

/* Flags, width, precision and length modifier; returns the conversion character's place. */
static const char *format_parse(format_spec *s, const char *p, format_arguments *a) {
  *s = (format_spec){0, -1, 0, 0, 0, 0};
  for (;; p++) {
    if (*p == '-') s->left = 1;
    else if (*p == '0') s->zero = 1;
    else if (*p == '+') s->plus = 1;
    else break;
  }
  if (*p == '*') {
    s->width = va_arg(a->list, int);
    if (s->width < 0) s->left = 1, s->width = s->width == INT_MIN ? 0 : -s->width;
    p++;
  } else {
    s->width = format_number(&p);
  }
  if (*p == '.') {
    p++;
    if (*p == '*') s->precision = va_arg(a->list, int), p++;
    else s->precision = format_number(&p);
  }
  for (;; p++) {
    if (*p == 'l' && s->size < 2) s->size++;
    else if (*p == 'z') s->size = 3;
    else break;
  }
  return p;
}

static void format_integer(format_out *o, const format_spec *s, char kind, format_arguments *a) {
  if (kind == 'd' || kind == 'i') {
    long long v = s->size == 0   ? va_arg(a->list, int)
                  : s->size == 1 ? va_arg(a->list, long)
                  : s->size == 2 ? va_arg(a->list, long long)
                                 : (long long)va_arg(a->list, ptrdiff_t);
    format_unsigned(o, s, v < 0 ? "-" : s->plus ? "+" : "", v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, 10);
  } else {
    unsigned long long v = s->size == 0   ? va_arg(a->list, unsigned)
                           : s->size == 1 ? va_arg(a->list, unsigned long)
                           : s->size == 2 ? va_arg(a->list, unsigned long long)
                                          : va_arg(a->list, size_t);
    format_unsigned(o, s, "", v, kind == 'x' ? 16 : 10);
  }
}

static void format_string(format_out *o, const format_spec *s, const char *text) {
  if (!text) text = "(null)";
  size_t n = 0;
  while ((s->precision < 0 || n < (size_t)s->precision) && text[n]) n++;
  format_padded(o, s, "", text, n, 0);
}

int po_formatv(char *out, size_t capacity, const char *format, va_list arguments) {
  format_out o = {out, capacity, 0};
  format_arguments a;
  va_copy(a.list, arguments);
  for (const char *p = format; *p;) {
    if (*p != '%') {
      const char *start = p;
      while (*p && *p != '%') p++;
      format_put(&o, start, (size_t)(p - start));
      continue;
    }
    format_spec s;
    const char *start = p;
    p = format_parse(&s, p + 1, &a);
    char c;
    switch (*p) {
      case 'd':
      case 'i':
      case 'u':
      case 'x': format_integer(&o, &s, *p, &a); break;
      case 'e':
      case 'f':
      case 'g': format_double(&o, &s, *p, va_arg(a.list, double)); break;
      case 's': format_string(&o, &s, va_arg(a.list, const char *)); break;
      case 'c':
        c = (char)va_arg(a.list, int);
        format_padded(&o, &s, "", &c, 1, 0);
        break;
      case '%': format_put(&o, "%", 1); break;
      default: /* not ours: written as it stands */ format_put(&o, start, (size_t)(p - start) + (*p != '\0')); break;
    }
    if (*p) p++;
  }
  va_end(a.list);
  if (capacity) out[o.length < capacity ? o.length : capacity - 1] = '\0';
  return o.length > INT_MAX ? INT_MAX : (int)o.length;
}

int po_format(char *out, size_t capacity, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = po_formatv(out, capacity, format, arguments);
  va_end(arguments);
  return n;
}
