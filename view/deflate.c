/* deflate.c: zlib streams (RFC 1950, 1951): matches found by hash chains, fixed Huffman codes. Not the smallest files there are, but small ones from one page of code. */
#include "picture.h"
#include <string.h>

enum { DEFLATE_WINDOW = 32768, DEFLATE_HASH = 1 << 15, DEFLATE_CHAIN = 32, DEFLATE_LEAST = 3, DEFLATE_MOST = 258 };

typedef struct deflate_bits { po_buffer *out; unsigned long bits; int count; } deflate_bits;

static void deflate_byte(po_buffer *out, unsigned b) {
  char c = (char)(unsigned char)b;
  po_buffer_add(out, &c, 1);
}
/* The lowest bit first. */
static void deflate_put(deflate_bits *w, unsigned value, int count) {
  w->bits |= (unsigned long)value << w->count;
  for (w->count += count; w->count >= 8; w->count -= 8) {
    deflate_byte(w->out, (unsigned)(w->bits & 255));
    w->bits >>= 8;
  }
}
/* A Huffman code: the highest bit first. */
static void deflate_code(deflate_bits *w, unsigned code, int count) {
  unsigned turned = 0;
  int i;
  for (i = 0; i < count; i++) turned |= (code >> i & 1u) << (count - 1 - i);
  deflate_put(w, turned, count);
}

/* RFC 1951, 3.2.6: the fixed codes. */
static void deflate_symbol(deflate_bits *w, unsigned s) {
  if (s < 144) deflate_code(w, 0x30 + s, 8);
  else if (s < 256) deflate_code(w, 0x190 + s - 144, 9);
  else if (s < 280) deflate_code(w, s - 256, 7);
  else deflate_code(w, 0xc0 + s - 280, 8);
}

/* 3.2.5: the symbol whose range holds the value, and what is left of it in extra bits. */
static void deflate_match(deflate_bits *w, int length, int distance) {
  static const short length_from[29] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const unsigned char length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  int k = 28, bits, from;
  while (length_from[k] > length) k--;
  deflate_symbol(w, 257 + (unsigned)k);
  deflate_put(w, (unsigned)(length - length_from[k]), length_bits[k]);
  for (k = 0, from = 1;; k++, from += 1 << bits) {
    bits = k < 4 ? 0 : k / 2 - 1;
    if (distance < from + (1 << bits)) break;
  }
  deflate_code(w, (unsigned)k, 5);
  deflate_put(w, (unsigned)(distance - from), bits);
}

static unsigned deflate_hash(const unsigned char *p) { return ((unsigned)p[0] << 10 ^ (unsigned)p[1] << 5 ^ p[2]) & (DEFLATE_HASH - 1); }

static int deflate_same(const unsigned char *a, const unsigned char *b, size_t most) {
  int n = 0;
  while (n < DEFLATE_MOST && (size_t)n < most && a[n] == b[n]) n++;
  return n;
}

typedef struct deflate_chains { int *head, *before; } deflate_chains; /* latest place of a hash; the one before a place, by its lower bits. −1: none */

static void deflate_enter(deflate_chains *c, const unsigned char *data, size_t size, size_t at) {
  unsigned h;
  if (size - at < DEFLATE_LEAST) return;
  h = deflate_hash(data + at);
  c->before[at % DEFLATE_WINDOW] = c->head[h];
  c->head[h] = (int)at;
}

static int deflate_longest(const deflate_chains *c, const unsigned char *data, size_t size, size_t at, int *distance) {
  int best = 0, tries = DEFLATE_CHAIN, from;
  if (size - at < DEFLATE_LEAST) return 0;
  for (from = c->head[deflate_hash(data + at)]; from >= 0 && at - (size_t)from <= DEFLATE_WINDOW - 1 && tries--; from = c->before[(size_t)from % DEFLATE_WINDOW]) {
    int n = deflate_same(data + from, data + at, size - at);
    if (n > best) best = n, *distance = (int)(at - (size_t)from);
    if (best == DEFLATE_MOST) break;
  }
  return best >= DEFLATE_LEAST ? best : 0;
}

static unsigned deflate_adler(const unsigned char *data, size_t size) {
  unsigned a = 1, b = 0;
  size_t i;
  for (i = 0; i < size; i++) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void po_deflate(po_buffer *out, const unsigned char *data, size_t size) {
  deflate_bits w = {out, 0, 0};
  deflate_chains c;
  size_t at, k;
  unsigned sum;
  int i, n, distance = 0;
  c.head = po_alloc(sizeof(int) * DEFLATE_HASH);
  c.before = po_alloc(sizeof(int) * DEFLATE_WINDOW);
  if (!c.head || !c.before || size > 0x7fffffff) out->failed = 1;
  else {
    for (i = 0; i < DEFLATE_HASH; i++) c.head[i] = -1;
    po_buffer_add(out, "\x78\x01", 2); /* deflate, 32 kB, quickly */
    deflate_put(&w, 1, 1);             /* the last block, */
    deflate_put(&w, 1, 2);             /* fixed codes */
    for (at = 0; at < size; at += (size_t)n) {
      n = deflate_longest(&c, data, size, at, &distance);
      if (n) deflate_match(&w, n, distance);
      else deflate_symbol(&w, data[at]), n = 1;
      for (k = 0; k < (size_t)n; k++) deflate_enter(&c, data, size, at + k);
    }
    deflate_symbol(&w, 256);
    deflate_put(&w, 0, 7); /* to a whole byte */
    sum = deflate_adler(data, size);
    for (i = 24; i >= 0; i -= 8) deflate_byte(out, sum >> i & 255);
  }
  po_free(c.head);
  po_free(c.before);
}
