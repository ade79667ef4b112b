/* json_write.c: JSON text, member by member. */
#include "base/base.h"
#include "base/text.h"

#include <string.h>

enum { JSON_WRITE_DEPTH = 63 }; /* po_jw holds 64 levels, the root among them */

void po_jw_init(po_jw *w, po_buffer *out, int pretty) {
  memset(w, 0, sizeof *w);
  w->out = out;
  w->pretty = pretty;
}

static void json_write_newline(po_jw *w) {
  po_buffer_add(w->out, "\n", 1);
  for (int i = 0; i < w->depth; i++) po_buffer_add(w->out, "  ", 2);
}

/* Strings as JSON wants them; bytes that are not UTF-8 become U+FFFD, so that the output is JSON whatever came in. */
static void json_write_text(po_jw *w, const char *text) {
  const char *end = text + strlen(text), *plain = text;
  po_buffer_add(w->out, "\"", 1);
  for (const char *p = text; p < end;) {
    unsigned char c = (unsigned char)*p;
    int n = po_utf8_length(p, end);
    if (n > 0 && c >= 0x20 && c != '"' && c != '\\') {
      p += n;
      continue;
    }
    po_buffer_add(w->out, plain, (size_t)(p - plain));
    if (n == 0) po_buffer_add(w->out, "\xef\xbf\xbd", 3);
    else if (c == '"') po_buffer_add(w->out, "\\\"", 2);
    else if (c == '\\') po_buffer_add(w->out, "\\\\", 2);
    else if (c == '\n') po_buffer_add(w->out, "\\n", 2);
    else if (c == '\t') po_buffer_add(w->out, "\\t", 2);
    else if (c == '\r') po_buffer_add(w->out, "\\r", 2);
    else po_buffer_printf(w->out, "\\u%04x", c);
    plain = ++p;
  }
  po_buffer_add(w->out, plain, (size_t)(end - plain));
  po_buffer_add(w->out, "\"", 1);
}

/* Comma, newline, indentation and key: everything before a value. */
static void json_write_begin(po_jw *w, const char *key) {
  if (w->depth > JSON_WRITE_DEPTH) { /* nested too deep: the text is unusable, and says so */
    w->out->failed = 1;
    return;
  }
  int on_one_line = w->inline_level[w->depth] & 1;
  if (w->count[w->depth]) po_buffer_add(w->out, w->pretty && on_one_line ? ", " : ",", w->pretty && on_one_line ? 2 : 1);
  if (w->pretty && !on_one_line && w->depth > 0) json_write_newline(w);
  w->count[w->depth] = 1;
  if (key) {
    json_write_text(w, key);
    po_buffer_add(w->out, ": ", w->pretty ? 2 : 1);
  }
}

static void json_write_open(po_jw *w, const char *key, const char *bracket, int on_one_line) {
  json_write_begin(w, key);
  po_buffer_add(w->out, bracket, 1);
  int outer = w->depth <= JSON_WRITE_DEPTH ? w->inline_level[w->depth] & 1 : 1;
  w->depth++;
  if (w->depth > JSON_WRITE_DEPTH) {
    w->out->failed = 1;
    return;
  }
  w->count[w->depth] = 0;
  /* bit 0: on one line; bit 1: closed by ']' */
  w->inline_level[w->depth] = (unsigned char)((outer || on_one_line ? 1 : 0) | (bracket[0] == '[' ? 2 : 0));
}

void po_jw_object(po_jw *w, const char *key) { json_write_open(w, key, "{", 0); }

void po_jw_array(po_jw *w, const char *key) { json_write_open(w, key, "[", 1); }

void po_jw_end(po_jw *w) {
  if (w->depth <= 0) return;
  if (w->depth > JSON_WRITE_DEPTH) {
    w->depth--;
    return;
  }
  unsigned char level = w->inline_level[w->depth], members = w->count[w->depth];
  w->depth--;
  if (w->pretty && !(level & 1) && members) json_write_newline(w);
  po_buffer_add(w->out, level & 2 ? "]" : "}", 1);
}

void po_jw_number(po_jw *w, const char *key, double value) {
  json_write_begin(w, key);
  if (po_isfinite(value)) po_buffer_double(w->out, value);
  else po_buffer_puts(w->out, "null");
}

void po_jw_int(po_jw *w, const char *key, long long value) {
  json_write_begin(w, key);
  po_buffer_printf(w->out, "%lld", value);
}

void po_jw_bool(po_jw *w, const char *key, int value) {
  json_write_begin(w, key);
  po_buffer_puts(w->out, value ? "true" : "false");
}

void po_jw_null(po_jw *w, const char *key) {
  json_write_begin(w, key);
  po_buffer_puts(w->out, "null");
}

void po_jw_string(po_jw *w, const char *key, const char *value) {
  json_write_begin(w, key);
  if (value) json_write_text(w, value);
  else po_buffer_puts(w->out, "null");
}

void po_jw_doubles(po_jw *w, const char *key, const double *x, int n) {
  po_jw_array(w, key);
  for (int i = 0; i < n; i++) po_jw_number(w, NULL, x[i]);
  po_jw_end(w);
}

void po_jw_hex(po_jw *w, const char *key, uint64_t value) {
  json_write_begin(w, key);
  po_buffer_printf(w->out, "\"%016llx\"", (unsigned long long)value);
}
