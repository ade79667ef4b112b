/* base64.c: numbers to base64 text and back. */
#include "base64.h"
#include <string.h>

static const char base64_digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void po_base64_begin(po_base64 *b, po_buffer *out) {
  b->out = out;
  b->held = 0;
}

static void base64_flush(po_base64 *b, int bytes) {
  unsigned n = (unsigned)b->hold[0] << 16 | (unsigned)b->hold[1] << 8 | b->hold[2];
  char text[4];
  int i;
  for (i = 0; i < 4; i++) text[i] = i <= bytes ? base64_digit[n >> (18 - 6 * i) & 63] : '=';
  po_buffer_add(b->out, text, 4);
  b->held = 0;
}

void po_base64_u8(po_base64 *b, unsigned value) {
  b->hold[b->held++] = (unsigned char)value;
  if (b->held == 3) base64_flush(b, 3);
}
void po_base64_i16(po_base64 *b, int value) {
  po_base64_u8(b, (unsigned)value & 255);
  po_base64_u8(b, (unsigned)value >> 8 & 255);
}
void po_base64_f32(po_base64 *b, float value) {
  uint32_t bits;
  int i;
  memcpy(&bits, &value, 4);
  for (i = 0; i < 4; i++) po_base64_u8(b, bits >> 8 * i & 255);
}
void po_base64_end(po_base64 *b) {
  int bytes = b->held;
  if (!bytes) return;
  memset(b->hold + bytes, 0, (size_t)(3 - bytes));
  base64_flush(b, bytes);
}

static int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int po_base64_decode(unsigned char *out, size_t bytes, const char *text, size_t length) {
  size_t i, at = 0;
  if (length != (bytes + 2) / 3 * 4) return 0;
  for (i = 0; i < length; i += 4) {
    unsigned n = 0;
    int k;
    for (k = 0; k < 4; k++) {
      int value = base64_value(text[i + (size_t)k]);
      if (value < 0 && (text[i + (size_t)k] != '=' || at + (size_t)k <= bytes)) return 0;
      n = n << 6 | (unsigned)(value < 0 ? 0 : value);
    }
    for (k = 0; k < 3 && at < bytes; k++) out[at++] = (unsigned char)(n >> (16 - 8 * k) & 255);
  }
  return 1;
}

int po_base64_read_i16(const unsigned char *p) {
  int n = p[0] | p[1] << 8;
  return n >= 32768 ? n - 65536 : n;
}
float po_base64_read_f32(const unsigned char *p) {
  uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
