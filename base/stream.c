/* stream.c: one function per object both saves and restores it; the head in front says what the bytes are.
 *
 * Head, eight 64-bit words: magic, tag (three, filled with zeros), version, what it belongs to, bytes behind the head, their hash.
 */
#include "base/base.h"
#include <string.h>

#define STREAM_MAGIC 0x3153455353494f50u /* "POISSES1" as little-endian bytes */
#define STREAM_TAG 24

typedef struct stream_head {
  uint64_t magic;
  char tag[STREAM_TAG];
  uint64_t version, belongs, size, hash;
} stream_head;

/* ---- members ---- */

void po_stream_bytes(po_stream *s, void *x, size_t n) {
  if (s->mode != PO_STREAM_MEASURE && (s->status != PO_OK || n > s->size - s->at)) {
    if (s->status == PO_OK) s->status = PO_ERR_SIZE;
    return;
  }
  if (n && s->mode == PO_STREAM_WRITE) memcpy(s->mem + s->at, x, n);
  if (n && s->mode == PO_STREAM_READ) memcpy(x, s->mem + s->at, n);
  s->at += n;
}

void po_stream_double(po_stream *s, double *x) { po_stream_bytes(s, x, sizeof *x); }
void po_stream_doubles(po_stream *s, double *x, int n) { po_stream_bytes(s, x, sizeof *x * (size_t)n); }
void po_stream_word(po_stream *s, uint64_t *x) { po_stream_bytes(s, x, sizeof *x); }

/* Integers are 64 bits wide in a stream, whatever the compiler's are. */
void po_stream_int(po_stream *s, int *x) {
  int64_t wide = s->mode == PO_STREAM_WRITE ? *x : 0;
  po_stream_bytes(s, &wide, sizeof wide);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK) *x = (int)wide;
}
void po_stream_ints(po_stream *s, int *x, int n) {
  int i;
  for (i = 0; i < n; i++) po_stream_int(s, x + i);
}
void po_stream_long(po_stream *s, long *x) {
  int64_t wide = s->mode == PO_STREAM_WRITE ? *x : 0;
  po_stream_bytes(s, &wide, sizeof wide);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK) *x = (long)wide;
}

int po_stream_count(po_stream *s, int *count, int most) {
  po_stream_int(s, count);
  if (s->mode == PO_STREAM_MEASURE) return most;
  if (s->status == PO_OK && (*count < 0 || *count > most)) s->status = PO_ERR_SIZE;
  if (s->status != PO_OK && s->mode == PO_STREAM_READ) *count = 0;
  return s->status == PO_OK ? *count : 0;
}

/* ---- whole streams ---- */

static size_t stream_measure(po_stream_fn fn, const void *object) {
  po_stream s;
  memset(&s, 0, sizeof s);
  s.mode = PO_STREAM_MEASURE;
  fn((void *)object, &s); /* counting leaves it as it is */
  return s.at;
}

size_t po_stream_save_bytes(const po_stream_kind *kind, po_stream_fn fn, const void *object) {
  return kind && fn && object ? sizeof(stream_head) + stream_measure(fn, object) : 0;
}

static stream_head stream_head_of(const po_stream_kind *kind) {
  stream_head h;
  size_t n = strlen(kind->tag);
  memset(&h, 0, sizeof h);
  h.magic = STREAM_MAGIC;
  memcpy(h.tag, kind->tag, n < STREAM_TAG ? n : STREAM_TAG - 1);
  h.version = (uint64_t)kind->version;
  h.belongs = kind->belongs;
  return h;
}

po_status po_stream_save(void *out, size_t bytes, const po_stream_kind *kind, po_stream_fn fn, const void *object) {
  po_stream s;
  stream_head h;
  if (!kind || !fn || !object || !out) return PO_ERR_NULL;
  if (bytes < sizeof h) return PO_ERR_MEMORY;
  memset(&s, 0, sizeof s);
  s.mode = PO_STREAM_WRITE;
  s.mem = (unsigned char *)out + sizeof h;
  s.size = bytes - sizeof h;
  fn((void *)object, &s);
  if (s.status != PO_OK) return s.status == PO_ERR_SIZE ? PO_ERR_MEMORY : s.status;
  h = stream_head_of(kind);
  h.size = s.at;
  h.hash = po_hash(s.mem, s.at, kind->belongs);
  memcpy(out, &h, sizeof h);
  return PO_OK;
}

po_status po_stream_restore(void *object, const po_stream_kind *kind, po_stream_fn fn, const void *in, size_t bytes) {
  po_stream s;
  stream_head h, mine;
  const unsigned char *body;
  if (!kind || !fn || !object || !in) return PO_ERR_NULL;
  if (bytes < sizeof h) return PO_ERR_SIZE;
  memcpy(&h, in, sizeof h);
  body = (const unsigned char *)in + sizeof h;
  mine = stream_head_of(kind);
  if (h.magic != mine.magic) return PO_ERR_PARSE;
  if (memcmp(h.tag, mine.tag, STREAM_TAG)) return PO_ERR_NAME;
  if (h.version != mine.version) return PO_ERR_UNSUPPORTED;
  if (h.belongs != mine.belongs) return PO_ERR_MODEL;
  if (h.size > bytes - sizeof h || h.size > stream_measure(fn, object)) return PO_ERR_SIZE;
  if (h.hash != po_hash(body, (size_t)h.size, kind->belongs)) return PO_ERR_PARSE;
  memset(&s, 0, sizeof s);
  s.mode = PO_STREAM_READ;
  s.mem = (unsigned char *)body; /* reading leaves it as it is */
  s.size = (size_t)h.size;
  fn(object, &s);
  return s.status;
}
