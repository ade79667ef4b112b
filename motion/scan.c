/* scan.c: text line by line and word by word. */
#include "scan.h"
#include <string.h>

#define SCAN_SHOWN 40

static int scan_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

void po_scan_begin(po_scan *s, const char *text, size_t size, const char *file, po_error *err) {
  s->at = text;
  s->end = text ? text + size : text;
  s->file = file;
  s->line = 0;
  s->err = err;
  if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s->at += 3; /* a byte order mark */
}

po_span po_scan_trim(po_span t) {
  while (t.at < t.end && scan_blank(*t.at)) t.at++;
  while (t.end > t.at && scan_blank(t.end[-1])) t.end--;
  return t;
}

int po_scan_line(po_scan *s, po_span *line) {
  while (s->at < s->end) {
    const char *stop = (const char *)memchr(s->at, '\n', (size_t)(s->end - s->at));
    line->at = s->at;
    line->end = stop ? stop : s->end;
    s->at = stop ? stop + 1 : s->end;
    s->line++;
    *line = po_scan_trim(*line);
    if (line->at < line->end) return 1;
  }
  return 0;
}

po_span po_scan_word(po_span *line) {
  po_span w;
  w.at = line->at;
  while (line->at < line->end && !scan_blank(*line->at)) line->at++;
  w.end = line->at;
  *line = po_scan_trim(*line);
  return w;
}

int po_scan_is(po_span t, const char *word) {
  size_t i, n = strlen(word);
  if ((size_t)(t.end - t.at) != n) return 0;
  for (i = 0; i < n; i++) {
    char c = t.at[i];
    if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != word[i]) return 0;
  }
  return 1;
}

int po_scan_shown(po_span t) { return t.end - t.at < SCAN_SHOWN ? (int)(t.end - t.at) : SCAN_SHOWN; }

po_status po_scan_number(po_scan *s, double *value, po_span *line, const char *what) {
  po_span w = po_scan_word(line);
  const char *end;
  if (w.at == w.end) return PO_SCAN_FAIL(s, PO_ERR_PARSE, "%s: a number is missing", what);
  if (po_parse_double(value, &end, w.at, w.end) != PO_OK || end != w.end)
    return PO_SCAN_FAIL(s, PO_ERR_PARSE, "%s: '%.*s' is not a number", what, po_scan_shown(w), w.at);
  if (!po_isfinite(*value))
    return PO_SCAN_FAIL(s, PO_ERR_NOT_FINITE, "%s: '%.*s' is not finite; repair or cut that frame", what, po_scan_shown(w), w.at);
  return PO_OK;
}
