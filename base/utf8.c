/* utf8.c: checking and writing UTF-8. */
#include "base/base.h"
#include "base/text.h"

/* The shortest form only, no surrogates, nothing above 0x10ffff (RFC 3629, section 4). */
int po_utf8_length(const char *p, const char *end) {
  const unsigned char *s = (const unsigned char *)p;
  size_t left = (size_t)(end - p);
  if (left == 0) return 0;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  int n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (left < (size_t)n) return 0;
  unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
  if (s[0] == 0xe0) low = 0xa0;
  if (s[0] == 0xed) high = 0x9f;
  if (s[0] == 0xf0) low = 0x90;
  if (s[0] == 0xf4) high = 0x8f;
  if (s[1] < low || s[1] > high) return 0;
  for (int i = 2; i < n; i++)
    if (s[i] < 0x80 || s[i] > 0xbf) return 0;
  return n;
}

int po_utf8_write(char out[4], uint32_t code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xc0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3f));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3f));
    out[2] = (char)(0x80 | (code & 0x3f));
    return 3;
  }
  out[0] = (char)(0xf0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 0x3f));
  out[2] = (char)(0x80 | (code >> 6 & 0x3f));
  out[3] = (char)(0x80 | (code & 0x3f));
  return 4;
}
