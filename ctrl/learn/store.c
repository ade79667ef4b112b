/* store.c: what was learnt as files: a magic word, a version, whatever there is to say, and a hash of all before. Numbers are little-endian. */
#include "learn_internal.h"
#include <string.h>

#define STORE_MAGIC 8         /* bytes */
#define STORE_HASH 8

/* ---- writing ---- */

void po_store_put(po_buffer *out, uint64_t x, int bytes) {
  int i;
  for (i = 0; i < bytes; i++) {
    char b = (char)(x >> (8 * i) & 255);
    po_buffer_add(out, &b, 1);
  }
}

void po_store_put_double(po_buffer *out, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  po_store_put(out, bits, 8);
}

void po_store_put_float(po_buffer *out, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  po_store_put(out, bits, 4);
}

size_t po_store_begin(po_buffer *out, const char *magic, unsigned version) {
  size_t from = out->size;
  po_buffer_add(out, magic, STORE_MAGIC);
  po_store_put(out, version, 4);
  return from;
}

po_status po_store_end(po_buffer *out, size_t from) {
  if (!out->failed) po_store_put(out, po_hash(out->data + from, out->size - from, 0), STORE_HASH);
  return out->failed ? PO_ERR_MEMORY : PO_OK;
}

/* ---- reading ---- */

uint64_t po_store_get(po_store *s, int bytes) {
  uint64_t x = 0;
  int i;
  if (s->left < (size_t)bytes) {
    s->cut = 1;
    return 0;
  }
  for (i = 0; i < bytes; i++) x |= (uint64_t)s->at[i] << (8 * i);
  s->at += bytes;
  s->left -= (size_t)bytes;
  return x;
}

double po_store_get_double(po_store *s) {
  uint64_t bits = po_store_get(s, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

float po_store_get_float(po_store *s) {
  uint32_t bits = (uint32_t)po_store_get(s, 4);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

void po_store_get_name(char name[PO_TASK_NAME], po_store *s) {
  int i;
  for (i = 0; i < PO_TASK_NAME; i++) name[i] = (char)po_store_get(s, 1);
  name[PO_TASK_NAME - 1] = 0;
}

po_status po_store_open(po_store *s, const void *bytes, size_t size, size_t least, const char *magic, unsigned version, const char *what, const char *file, po_error *err) {
  po_store end;
  if (size < STORE_MAGIC || memcmp(bytes, magic, STORE_MAGIC)) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this is no %s", what);
  if (size < least + STORE_HASH) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the %s is cut short", what);
  s->at = (const unsigned char *)bytes + STORE_MAGIC;
  s->left = size - STORE_MAGIC - STORE_HASH;
  s->cut = 0;
  end.at = (const unsigned char *)bytes + size - STORE_HASH;
  end.left = STORE_HASH;
  end.cut = 0;
  if (po_store_get(s, 4) != version) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this %s has another format; version %u is read", what, version);
  if (po_store_get(&end, STORE_HASH) != po_hash(bytes, size - STORE_HASH, 0))
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the %s is cut short or altered: its hash is wrong", what);
  return PO_OK;
}
