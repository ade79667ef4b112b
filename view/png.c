/* png.c: a picture as PNG (ISO 15948): 8 bits a colour, each row as differences from the one above. */
#include "picture.h"
#include <string.h>

static void png_long(char out[4], unsigned long x) {
  int i;
  for (i = 0; i < 4; i++) out[i] = (char)(unsigned char)(x >> (24 - 8 * i) & 255);
}

static unsigned long png_crc(unsigned long crc, const char *data, size_t size) {
  size_t i;
  int k;
  for (i = 0; i < size; i++) {
    crc ^= (unsigned char)data[i];
    for (k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320ul : crc >> 1;
  }
  return crc;
}

static void png_chunk(po_buffer *out, const char name[4], const char *data, size_t size) {
  char word[4];
  png_long(word, (unsigned long)size);
  po_buffer_add(out, word, 4);
  po_buffer_add(out, name, 4);
  po_buffer_add(out, data, size);
  png_long(word, png_crc(png_crc(0xfffffffful, name, 4), data, size) ^ 0xfffffffful);
  po_buffer_add(out, word, 4);
}

void po_png_write(po_buffer *out, const po_picture *p) {
  size_t row = 3 * (size_t)p->width, i;
  unsigned char *lines = po_alloc((row + 1) * (size_t)p->height + 1);
  po_buffer packed = {0};
  char head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0}; /* 8 bits, red green blue */
  int y;
  if (!lines) {
    out->failed = 1;
    return;
  }
  for (y = 0; y < p->height; y++) {
    unsigned char *line = lines + (row + 1) * (size_t)y;
    const unsigned char *now = p->rgb + row * (size_t)y, *above = now - row;
    *line++ = 2; /* up */
    for (i = 0; i < row; i++) line[i] = (unsigned char)(now[i] - (y ? above[i] : 0));
  }
  po_deflate(&packed, lines, (row + 1) * (size_t)p->height);
  png_long(head, (unsigned long)p->width);
  png_long(head + 4, (unsigned long)p->height);
  po_buffer_add(out, "\x89PNG\r\n\x1a\n", 8);
  png_chunk(out, "IHDR", head, 13);
  png_chunk(out, "IDAT", packed.data, packed.size);
  png_chunk(out, "IEND", "", 0);
  if (packed.failed) out->failed = 1;
  po_buffer_free(&packed);
  po_free(lines);
}
