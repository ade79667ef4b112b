/* json.c: a strict JSON reader (RFC 8259): the whole text becomes a tree, or an error says where it stops being JSON.
 *
 * Beyond the grammar it refuses: nesting over 256, numbers that overflow a double, malformed UTF-8, lone surrogates, and a NUL inside a key
 * (keys are C strings). Columns count bytes. A byte order mark at the start is skipped. Of equal keys, po_json_get finds the first.
 */
#include "base/base.h"
#include "base/pool.h"
#include "base/text.h"

#include <string.h>

enum { JSON_DEPTH = 256, JSON_BYTES = 1 << 28 };

typedef struct json_document {
  po_json root; /* first: the user's root is the document */
  po_pool pool;
} json_document;

typedef struct json_reader {
  const char *p, *end, *line_start, *file;
  int line, depth;
  po_pool *pool;
  po_error *err;
} json_reader;

static po_status json_value(json_reader *r, po_json *value);

static int json_column(const json_reader *r, const char *at) { return (int)(at - r->line_start) + 1; }

static po_status json_error(json_reader *r, const char *at, const char *message) {
  return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, json_column(r, at), "%s", message);
}

static po_status json_memory(json_reader *r) {
  return po_fail_at(r->err, PO_ERR_MEMORY, r->file, r->line, json_column(r, r->p), "out of memory");
}

static void json_blanks(json_reader *r) {
  for (; r->p < r->end; r->p++) {
    if (*r->p == '\n') {
      r->line++;
      r->line_start = r->p + 1;
    } else if (*r->p != ' ' && *r->p != '\t' && *r->p != '\r') {
      return;
    }
  }
}

/* What stands here instead of what was expected. */
static po_status json_unexpected(json_reader *r, const char *expected) {
  if (r->p == r->end)
    return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, json_column(r, r->p), "the text ends where %s was expected",
                      expected);
  unsigned char c = (unsigned char)*r->p;
  if (c > 0x20 && c < 0x7f)
    return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, json_column(r, r->p), "found '%c' where %s was expected", c,
                      expected);
  return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, json_column(r, r->p), "found byte 0x%02x where %s was expected", c,
                    expected);
}

static po_status json_word(json_reader *r, po_json *value, const char *word, po_json_type type) {
  size_t n = strlen(word), i = 0;
  while (i < n && r->p + i < r->end && r->p[i] == word[i]) i++;
  if (i < n) return json_unexpected(r, "a value (null, true, false, a number, a string, an array or an object)");
  r->p += n;
  value->type = type;
  return PO_OK;
}

static const char *json_digits(const char *p, const char *end) {
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static po_status json_number(json_reader *r, po_json *value) {
  const char *start = r->p, *p = start, *next;
  if (p < r->end && *p == '-') p++;
  next = json_digits(p, r->end);
  if (next == p) {
    r->p = p;
    return json_unexpected(r, "a digit");
  }
  if (*p == '0' && next > p + 1) return json_error(r, p, "a number must not begin with a superfluous 0");
  p = next;
  if (p < r->end && *p == '.') {
    next = json_digits(p + 1, r->end);
    r->p = p + 1;
    if (next == p + 1) return json_unexpected(r, "a digit");
    p = next;
  }
  if (p < r->end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < r->end && (*p == '+' || *p == '-')) p++;
    next = json_digits(p, r->end);
    r->p = p;
    if (next == p) return json_unexpected(r, "a digit");
    p = next;
  }
  value->type = PO_JSON_NUMBER;
  po_parse_double(&value->number, NULL, start, p);
  if (!po_isfinite(value->number)) return json_error(r, start, "the number is too large for a double");
  r->p = p;
  return PO_OK;
}

/* Four hexadecimal digits at p, or -1. */
static int32_t json_hex4(const char *p, const char *end) {
  int32_t code = 0;
  if (end - p < 4) return -1;
  for (int i = 0; i < 4; i++) {
    char c = p[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    code = code << 4 | digit;
  }
  return code;
}

/* One escape sequence at r->p (the backslash) to out; moves r->p behind it. */
static po_status json_escape(json_reader *r, char **out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *start = r->p;
  if (r->end - r->p < 2) {
    r->p = r->end;
    return json_unexpected(r, "the end of a string");
  }
  char c = r->p[1];
  const char *found = c ? strchr(from, c) : NULL;
  r->p += 2;
  if (found) {
    *(*out)++ = to[found - from];
    return PO_OK;
  }
  if (c != 'u') return json_error(r, start, "unknown escape sequence in a string");
  int32_t code = json_hex4(r->p, r->end);
  if (code < 0) return json_error(r, start, "\\u needs four hexadecimal digits");
  r->p += 4;
  if (code >= 0xd800 && code < 0xe000) {
    int32_t low = code < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u' ? json_hex4(r->p + 2, r->end) : -1;
    if (low < 0xdc00 || low > 0xdfff) return json_error(r, start, "half of a surrogate pair in a string");
    r->p += 6;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  *out += po_utf8_write(*out, (uint32_t)code);
  return PO_OK;
}

/* A string, r->p at its opening quote. Unescaping never lengthens, so the space up to the closing quote is enough. */
static po_status json_string(json_reader *r, const char **text, size_t *length) {
  const char *scan = r->p + 1;
  while (scan < r->end && *scan != '"') scan += *scan == '\\' && scan + 1 < r->end ? 2 : 1;
  char *out = po_pool_alloc(r->pool, (size_t)(scan - r->p)), *start = out;
  if (!out) return json_memory(r);
  r->p++;
  while (r->p < r->end && *r->p != '"') {
    unsigned char c = (unsigned char)*r->p;
    if (c == '\\') {
      po_status status = json_escape(r, &out);
      if (status) return status;
    } else if (c < 0x20) {
      return json_error(r, r->p, "a control character must be escaped inside a string");
    } else {
      int n = po_utf8_length(r->p, r->end);
      if (n == 0) return json_error(r, r->p, "malformed UTF-8");
      for (int i = 0; i < n; i++) *out++ = *r->p++;
    }
  }
  if (r->p == r->end) return json_unexpected(r, "the end of a string");
  r->p++;
  *text = start;
  *length = (size_t)(out - start);
  return PO_OK;
}

/* "key" : */
static po_status json_key(json_reader *r, po_json *child) {
  size_t length;
  if (r->p == r->end || *r->p != '"') return json_unexpected(r, "a key in quotes");
  const char *start = r->p;
  po_status status = json_string(r, &child->key, &length);
  if (status) return status;
  if (strlen(child->key) != length) return json_error(r, start, "a key must not contain a NUL");
  json_blanks(r);
  if (r->p == r->end || *r->p != ':') return json_unexpected(r, "':'");
  r->p++;
  json_blanks(r);
  return PO_OK;
}

/* An array or an object, r->p at its bracket. */
static po_status json_children(json_reader *r, po_json *value, char close) {
  po_json **link = &value->first;
  if (++r->depth > JSON_DEPTH) return json_error(r, r->p, "nested more than 256 deep");
  r->p++;
  json_blanks(r);
  if (r->p < r->end && *r->p == close) {
    r->p++;
    r->depth--;
    return PO_OK;
  }
  for (;;) {
    po_json *child = po_pool_alloc(r->pool, sizeof *child);
    if (!child) return json_memory(r);
    po_status status = close == '}' ? json_key(r, child) : PO_OK;
    if (!status) status = json_value(r, child);
    if (status) return status;
    *link = child;
    link = &child->next;
    value->length++;
    json_blanks(r);
    if (r->p < r->end && *r->p == close) break;
    if (r->p == r->end || *r->p != ',') return json_unexpected(r, close == '}' ? "',' or '}'" : "',' or ']'");
    r->p++;
    json_blanks(r);
  }
  r->p++;
  r->depth--;
  return PO_OK;
}

static po_status json_value(json_reader *r, po_json *value) {
  value->line = r->line;
  value->column = json_column(r, r->p);
  char c = r->p < r->end ? *r->p : '\0';
  switch (c) {
    case '{': value->type = PO_JSON_OBJECT; return json_children(r, value, '}');
    case '[': value->type = PO_JSON_ARRAY; return json_children(r, value, ']');
    case '"': value->type = PO_JSON_STRING; return json_string(r, &value->string, &value->length);
    case 't': return json_word(r, value, "true", PO_JSON_TRUE);
    case 'f': return json_word(r, value, "false", PO_JSON_FALSE);
    default:
      if (c == '-' || (c >= '0' && c <= '9')) return json_number(r, value);
      return json_word(r, value, "null", PO_JSON_NULL);
  }
}

po_status po_json_parse(po_json **root, const char *text, size_t size, const char *file, po_error *err) {
  if (!root || (!text && size)) return po_fail(err, PO_ERR_NULL, "po_json_parse needs a root and a text");
  if (size > JSON_BYTES) return po_fail_at(err, PO_ERR_SIZE, file, 0, 0, "the text is larger than 256 MiB");
  json_document *document = po_alloc(sizeof *document);
  if (!document) return po_fail_at(err, PO_ERR_MEMORY, file, 0, 0, "out of memory");
  if (!text) text = "";
  json_reader r = {text, text + size, text, file, 1, 0, &document->pool, err};
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.p += 3, r.line_start += 3;
  json_blanks(&r);
  po_status status = json_value(&r, &document->root);
  if (!status) {
    json_blanks(&r);
    if (r.p < r.end) status = json_unexpected(&r, "the end of the text");
  }
  if (status) {
    po_json_free(&document->root);
    return status;
  }
  *root = &document->root;
  return PO_OK;
}

void po_json_free(po_json *root) {
  if (!root) return;
  json_document *document = (json_document *)root;
  po_pool_free(&document->pool);
  po_free(document);
}

const po_json *po_json_get(const po_json *object, const char *key) {
  if (!object || !key || object->type != PO_JSON_OBJECT) return NULL;
  for (const po_json *child = object->first; child; child = child->next)
    if (strcmp(child->key, key) == 0) return child;
  return NULL;
}

const po_json *po_json_at(const po_json *array, int index) {
  if (!array || array->type != PO_JSON_ARRAY || index < 0) return NULL;
  const po_json *child = array->first;
  for (; child && index > 0; index--) child = child->next;
  return child;
}

double po_json_number(const po_json *value, double fallback) {
  return value && value->type == PO_JSON_NUMBER ? value->number : fallback;
}

const char *po_json_string(const po_json *value, const char *fallback) {
  return value && value->type == PO_JSON_STRING ? value->string : fallback;
}

po_status po_json_doubles(double *out, int n, const po_json *array) {
  if (!array || (!out && n > 0)) return PO_ERR_NULL;
  if (array->type != PO_JSON_ARRAY) return PO_ERR_PARSE;
  if (n < 0 || array->length != (size_t)n) return PO_ERR_SIZE;
  for (const po_json *child = array->first; child; child = child->next)
    if (child->type != PO_JSON_NUMBER) return PO_ERR_PARSE;
  for (const po_json *child = array->first; child; child = child->next) *out++ = child->number;
  return PO_OK;
}
