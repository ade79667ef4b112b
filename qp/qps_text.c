/* qps_text.c: cutting QPS text into lines and fields, and a table of names. */
#include "qps_text.h"

#include <string.h>

static int qpst_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static po_qps_span qpst_trim(const char *at, const char *end) {
  po_qps_span s;
  while (at < end && qpst_blank(*at)) at++;
  while (end > at && qpst_blank(end[-1])) end--;
  s.at = at;
  s.length = (int)(end - at);
  return s;
}

static void qpst_words(po_qps_line *line, const char *at, const char *end) {
  line->count = 0;
  for (;;) {
    const char *start;
    while (at < end && qpst_blank(*at)) at++;
    if (at == end) return;
    start = at;
    while (at < end && !qpst_blank(*at)) at++;
    if (line->count < PO_QPS_FIELDS) {
      line->field[line->count].at = start;
      line->field[line->count].length = (int)(at - start);
    }
    line->count++;
  }
}

static void qpst_columns(po_qps_line *line, const char *at, const char *end) {
  static const unsigned char from[6] = {1, 4, 14, 24, 39, 49}, to[6] = {3, 12, 22, 36, 47, 61};
  int i;
  for (i = 0; i < 6; i++) {
    const char *a = end - at > from[i] ? at + from[i] : end, *b = end - at > to[i] ? at + to[i] : end;
    line->field[i] = qpst_trim(a, b);
  }
  line->count = 6;
}

int po_qps_next_line(po_qps_line *line, po_qps_cursor *c) {
  while (c->at < c->end) {
    const char *start = c->at, *end = (const char *)memchr(start, '\n', (size_t)(c->end - start));
    po_qps_span all;
    if (!end) end = c->end;
    c->at = end < c->end ? end + 1 : c->end;
    c->line++;
    if (end - start > 1000000) end = start + 1000000; /* a span's length is an int; no real line is longer */
    if (*start == '*') continue;
    all = qpst_trim(start, end);
    if (all.length == 0) continue;
    memset(line, 0, sizeof *line);
    line->all = all;
    line->number = c->line;
    line->header = !qpst_blank(*start);
    if (line->header || !c->fixed) qpst_words(line, start, end);
    else qpst_columns(line, start, end);
    return 1;
  }
  return 0;
}

int po_qps_is(po_qps_span s, const char *word) {
  int i;
  for (i = 0; i < s.length; i++) {
    char a = s.at[i], b = word[i];
    if (a >= 'a' && a <= 'z') a = (char)(a - 'a' + 'A');
    if (b >= 'a' && b <= 'z') b = (char)(b - 'a' + 'A');
    if (!b || a != b) return 0;
  }
  return word[i] == 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static int qpst_slot(const po_qps_names *t, po_qps_span name) {
  uint64_t h = po_hash(name.at, (size_t)name.length, 0);
  int mask = t->slot_count - 1, i = (int)(h & (uint64_t)mask);
  while (t->slot[i] >= 0) {
    po_qps_span other = t->name[t->slot[i]];
    if (other.length == name.length && memcmp(other.at, name.at, (size_t)name.length) == 0) break;
    i = (i + 1) & mask;
  }
  return i;
}

int po_qps_find(const po_qps_names *t, po_qps_span name) { return t->count ? t->slot[qpst_slot(t, name)] : -1; }

static int qpst_grow(po_qps_names *t) {
  int capacity = t->capacity ? 2 * t->capacity : 64, slots = 4 * capacity, i;
  po_qps_span *name = (po_qps_span *)po_alloc(sizeof *name * (size_t)capacity);
  int *slot = (int *)po_alloc(sizeof *slot * (size_t)slots);
  if (!name || !slot) {
    po_free(name);
    po_free(slot);
    return 0;
  }
  if (t->count) memcpy(name, t->name, sizeof *name * (size_t)t->count);
  po_free(t->name);
  po_free(t->slot);
  t->name = name;
  t->slot = slot;
  t->capacity = capacity;
  t->slot_count = slots;
  for (i = 0; i < slots; i++) slot[i] = -1;
  for (i = 0; i < t->count; i++) slot[qpst_slot(t, name[i])] = i;
  return 1;
}

int po_qps_add(po_qps_names *t, po_qps_span name) {
  int i;
  if (t->count == t->capacity && !qpst_grow(t)) return -2;
  i = qpst_slot(t, name);
  if (t->slot[i] >= 0) return -1;
  t->slot[i] = t->count;
  t->name[t->count] = name;
  return t->count++;
}

void po_qps_names_free(po_qps_names *t) {
  po_free(t->name);
  po_free(t->slot);
  memset(t, 0, sizeof *t);
}
