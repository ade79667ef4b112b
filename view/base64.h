/* base64.h (room-internal): little-endian numbers as base64 text, so that a recording is compact and every browser reads it. */
#ifndef PO_BASE64_H
#define PO_BASE64_H

#include "../base/base.h"

/* Encoding as a stream: bytes are put, text comes out; po_base64_end pads. */
typedef struct po_base64 {
  po_buffer *out;
  unsigned char hold[3];
  int held;
} po_base64;
void po_base64_begin(po_base64 *b, po_buffer *out);
void po_base64_u8(po_base64 *b, unsigned value);
void po_base64_i16(po_base64 *b, int value);
void po_base64_f32(po_base64 *b, float value);
void po_base64_end(po_base64 *b);

/* Decodes exactly `bytes` bytes; 0 when the text is something else. */
int po_base64_decode(unsigned char *out, size_t bytes, const char *text, size_t length);
int po_base64_read_i16(const unsigned char *bytes);
float po_base64_read_f32(const unsigned char *bytes);

#endif
