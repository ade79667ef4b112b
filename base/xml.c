/* xml.c: an XML reader for data files: elements, attributes and text become a tree, or an error says where the text is wrong.
 *
 * UTF-8 only. Comments and processing instructions are skipped, CDATA and the five entities and character references are text,
 * DOCTYPE is skipped and defines nothing, so no entity can expand without bound. Limits: 256 MiB, 512 levels, 256 attributes
 * per element. More lenient than the standard in one point: "--" may stand inside a comment. Columns count bytes.
 *
 * The elements still open are the chain of parents, so nothing here recurses.
 */
#include "base/base.h"
#include "base/pool.h"
#include "base/text.h"

#include <string.h>

enum { XML_DEPTH = 512, XML_ATTRIBUTES = 256, XML_BYTES = 1 << 28 };

typedef struct xml_piece {
  const char *text;
  size_t length;
  struct xml_piece *next;
} xml_piece;

typedef struct xml_node {
  po_xml element; /* first: the user's pointer is the node */
  po_xml *last;   /* child */
  xml_piece *pieces, *last_piece;
  size_t length; /* of all pieces */
} xml_node;

typedef struct xml_document {
  xml_node root; /* first: the user's root is the document */
  po_pool pool;
} xml_document;

typedef struct xml_reader {
  const char *p, *end, *line_start, *file;
  int line, depth;
  xml_document *document;
  xml_node *open; /* innermost */
  po_error *err;
} xml_reader;

static po_status xml_error(xml_reader *r, const char *message) {
  return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, (int)(r->p - r->line_start) + 1, "%s", message);
}

static po_status xml_memory(xml_reader *r) {
  return po_fail_at(r->err, PO_ERR_MEMORY, r->file, r->line, (int)(r->p - r->line_start) + 1, "out of memory");
}

/* Moves to a later place and counts the lines in between. */
static void xml_advance(xml_reader *r, const char *to) {
  for (; r->p < to; r->p++)
    if (*r->p == '\n') {
      r->line++;
      r->line_start = r->p + 1;
    }
}

static int xml_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static int xml_blanks(xml_reader *r) {
  const char *p = r->p;
  while (p < r->end && xml_blank(*p)) p++;
  int any = p > r->p;
  xml_advance(r, p);
  return any;
}

static int xml_starts(const xml_reader *r, const char *word) {
  size_t n = strlen(word);
  return (size_t)(r->end - r->p) >= n && memcmp(r->p, word, n) == 0;
}

static const char *xml_find(const char *p, const char *end, const char *word) {
  size_t n = strlen(word);
  for (; (size_t)(end - p) >= n; p++)
    if (memcmp(p, word, n) == 0) return p;
  return NULL;
}

/* The whole text at once: UTF-8, and no control characters but tab and line ends. */
static po_status xml_check_characters(xml_reader *r) {
  const char *start = r->p;
  while (r->p < r->end) {
    unsigned char c = (unsigned char)*r->p;
    int n = po_utf8_length(r->p, r->end);
    if (n == 0) return xml_error(r, "malformed UTF-8");
    if (c < 0x20 && !xml_blank((char)c)) return xml_error(r, "a control character");
    xml_advance(r, r->p + n);
  }
  r->p = r->line_start = start;
  r->line = 1;
  return PO_OK;
}

/* Copies n bytes as a C string. */
static const char *xml_copy(xml_reader *r, const char *text, size_t n) {
  char *copy = po_pool_alloc(&r->document->pool, n + 1);
  if (copy && n) memcpy(copy, text, n);
  return copy;
}

/* Name: r->p stands at its first character, or there is none. */
static po_status xml_name(xml_reader *r, const char **name) {
  const char *p = r->p;
  for (; p < r->end; p++) {
    unsigned char c = (unsigned char)*p;
    int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80;
    if (!letter && (p == r->p || !((c >= '0' && c <= '9') || c == '-' || c == '.'))) break;
  }
  if (p == r->p) return xml_error(r, r->p == r->end ? "the text ends where a name was expected" : "a name was expected");
  *name = xml_copy(r, r->p, (size_t)(p - r->p));
  if (!*name) return xml_memory(r);
  r->p = p;
  return PO_OK;
}

/* &#N; or &#xN; between p (after '#') and semicolon; 0 when it is no character. */
static uint32_t xml_character(const char *p, const char *semicolon) {
  uint32_t code = 0, base = 10;
  if (p < semicolon && *p == 'x') base = 16, p++;
  if (p == semicolon) return 0;
  for (; p < semicolon; p++) {
    char c = *p;
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 99;
    if (digit >= base) return 0;
    code = code * base + digit;
    if (code > 0x10ffff) return 0;
  }
  if (code < 0x20 && code != 9 && code != 10 && code != 13) return 0;
  if ((code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff) return 0;
  return code;
}

/* An entity or character reference at r->p (the ampersand); moves behind it. */
static po_status xml_reference(xml_reader *r, char **out) {
  static const char *const names[5] = {"lt", "gt", "amp", "quot", "apos"};
  const char *p = r->p + 1, *semicolon = p;
  while (semicolon < r->end && semicolon - p < 32 && *semicolon != ';' && *semicolon != '&' && *semicolon != '<' &&
         !xml_blank(*semicolon))
    semicolon++;
  if (semicolon == r->end || *semicolon != ';')
    return xml_error(r, "'&' begins a reference that does not end in ';' (write &amp;)");
  if (*p == '#') {
    uint32_t code = xml_character(p + 1, semicolon);
    if (code == 0) return xml_error(r, "a character reference that is no character");
    *out += po_utf8_write(*out, code);
    r->p = semicolon + 1;
    return PO_OK;
  }
  for (int i = 0; i < 5; i++)
    if (strlen(names[i]) == (size_t)(semicolon - p) && memcmp(names[i], p, (size_t)(semicolon - p)) == 0) {
      *(*out)++ = "<>&\"'"[i];
      r->p = semicolon + 1;
      return PO_OK;
    }
  return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, (int)(r->p - r->line_start) + 1, "unknown entity '&%.*s;'",
                    (int)(semicolon - p), p);
}

/* Text up to `to`, references resolved, line ends as \n, or as blanks inside attributes. It never grows. */
static po_status xml_decode(xml_reader *r, const char *to, int attribute, int references, const char **text, size_t *length) {
  char *out = po_pool_alloc(&r->document->pool, (size_t)(to - r->p) + 1), *start = out;
  if (!out) return xml_memory(r);
  while (r->p < to) {
    char c = *r->p;
    if (c == '&' && references) {
      po_status status = xml_reference(r, &out);
      if (status) return status;
      continue;
    }
    if (attribute && c == '<') return xml_error(r, "'<' inside an attribute (write &lt;)");
    if (c == '\r') {
      if (r->p + 1 < to && r->p[1] == '\n') xml_advance(r, r->p + 1);
      c = '\n';
    }
    *out++ = attribute && xml_blank(c) ? ' ' : c;
    xml_advance(r, r->p + 1);
  }
  *text = start;
  *length = (size_t)(out - start);
  return PO_OK;
}

static po_status xml_add_text(xml_reader *r, const char *to, int references) {
  xml_piece *piece = po_pool_alloc(&r->document->pool, sizeof *piece);
  if (!piece) return xml_memory(r);
  po_status status = xml_decode(r, to, 0, references, &piece->text, &piece->length);
  if (status) return status;
  xml_node *node = r->open;
  if (node->last_piece) node->last_piece->next = piece;
  else node->pieces = piece;
  node->last_piece = piece;
  node->length += piece->length;
  return PO_OK;
}

/* name = "value", appended to the element's list. */
static po_status xml_attribute(xml_reader *r, xml_node *node, int count) {
  po_xml_attribute *attribute = po_pool_alloc(&r->document->pool, sizeof *attribute), **link = &node->element.attributes;
  if (!attribute) return xml_memory(r);
  if (count >= XML_ATTRIBUTES) return xml_error(r, "more than 256 attributes");
  const char *at = r->p;
  po_status status = xml_name(r, &attribute->name);
  if (status) return status;
  for (; *link; link = &(*link)->next)
    if (strcmp((*link)->name, attribute->name) == 0)
      return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, (int)(at - r->line_start) + 1, "attribute '%s' stands twice",
                        attribute->name);
  xml_blanks(r);
  if (r->p == r->end || *r->p != '=') return xml_error(r, "'=' was expected after an attribute's name");
  r->p++;
  xml_blanks(r);
  if (r->p == r->end || (*r->p != '"' && *r->p != '\'')) return xml_error(r, "an attribute's value must stand in quotes");
  char quote[2] = {*r->p, '\0'};
  const char *close = xml_find(r->p + 1, r->end, quote);
  if (!close) return xml_error(r, "the quotes of an attribute are never closed");
  size_t length;
  r->p++;
  status = xml_decode(r, close, 1, 1, &attribute->value, &length);
  if (status) return status;
  r->p++;
  *link = attribute;
  return PO_OK;
}

/* Joins the text and makes the parent the innermost open element. */
static po_status xml_close(xml_reader *r) {
  xml_node *node = r->open;
  char *text = po_pool_alloc(&r->document->pool, node->length + 1);
  if (!text) return xml_memory(r);
  node->element.text = text;
  for (const xml_piece *piece = node->pieces; piece; piece = piece->next) {
    if (piece->length) memcpy(text, piece->text, piece->length);
    text += piece->length;
  }
  r->open = (xml_node *)node->element.parent;
  r->depth--;
  return PO_OK;
}

/* <name attributes> or <name attributes/>, r->p at '<'. */
static po_status xml_start_tag(xml_reader *r) {
  xml_node *node = r->open ? po_pool_alloc(&r->document->pool, sizeof *node) : &r->document->root;
  if (!node) return xml_memory(r);
  if (r->depth == XML_DEPTH) return xml_error(r, "nested more than 512 deep");
  node->element.line = r->line;
  node->element.text = "";
  r->p++;
  po_status status = xml_name(r, &node->element.name);
  for (int count = 0; !status; count++) {
    int apart = xml_blanks(r);
    if (r->p == r->end) return xml_error(r, "the text ends inside a tag");
    if (*r->p == '>' || *r->p == '/') break;
    if (!apart) return xml_error(r, "a blank, '>' or '/>' was expected");
    status = xml_attribute(r, node, count);
  }
  if (status) return status;
  if (r->open) {
    node->element.parent = &r->open->element;
    if (r->open->last) r->open->last->next = &node->element;
    else r->open->element.first = &node->element;
    r->open->last = &node->element;
  }
  r->open = node;
  r->depth++;
  if (*r->p == '>') {
    r->p++;
    return PO_OK;
  }
  r->p++;
  if (r->p == r->end || *r->p != '>') return xml_error(r, "'/' must be followed by '>' here");
  r->p++;
  return xml_close(r);
}

static po_status xml_end_tag(xml_reader *r) {
  const po_xml *element = &r->open->element;
  const char *at = r->p, *name;
  r->p += 2;
  po_status status = xml_name(r, &name);
  if (status) return status;
  if (strcmp(name, element->name) != 0)
    return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, (int)(at - r->line_start) + 1, "</%s> does not close <%s> of line %d",
                      name, element->name, element->line);
  xml_blanks(r);
  if (r->p == r->end || *r->p != '>') return xml_error(r, "'>' was expected");
  r->p++;
  return xml_close(r);
}

/* Moves behind the next `close` after `skip` bytes. */
static po_status xml_skip(xml_reader *r, int skip, const char *close, const char *message) {
  const char *found = xml_find(r->p + skip, r->end, close);
  if (!found) return xml_error(r, message);
  xml_advance(r, found + strlen(close));
  return PO_OK;
}

/* <?target ...?>: skipped; only the first one may be the XML declaration, and it must not name another encoding. */
static po_status xml_instruction(xml_reader *r, const char *begin) {
  const char *p = r->p + 2, *close = xml_find(p, r->end, "?>");
  if (!close) return xml_error(r, "'<?' is never closed");
  if (close - p >= 3 && (p[0] | 32) == 'x' && (p[1] | 32) == 'm' && (p[2] | 32) == 'l' && (close - p == 3 || xml_blank(p[3]))) {
    if (r->p != begin) return xml_error(r, "the XML declaration must come first");
    const char *encoding = xml_find(p, close, "encoding");
    if (encoding) {
      const char *value = encoding + 8;
      while (value < close && (xml_blank(*value) || *value == '=' || *value == '"' || *value == '\'')) value++;
      static const char *const known[] = {"utf-8", "utf8", "us-ascii", "ascii"};
      int good = 0;
      for (int i = 0; i < 4; i++) {
        size_t n = strlen(known[i]), j = 0;
        while (j < n && value + j < close && (value[j] | 32) == (known[i][j] | 32)) j++;
        good |= j == n;
      }
      if (!good)
        return po_fail_at(r->err, PO_ERR_UNSUPPORTED, r->file, r->line, (int)(encoding - r->line_start) + 1,
                          "only UTF-8 can be read");
    }
  }
  xml_advance(r, close + 2);
  return PO_OK;
}

/* <!DOCTYPE ...>, with brackets, quotes and comments inside; r->p at '<'. */
static po_status xml_doctype(xml_reader *r) {
  int brackets = 0;
  const char *p = r->p + 9;
  while (p < r->end) {
    const char *close = NULL;
    char quote[2] = {*p, '\0'};
    if (*p == '"' || *p == '\'') close = quote;
    else if (r->end - p >= 4 && memcmp(p, "<!--", 4) == 0) close = "-->";
    else if (r->end - p >= 2 && memcmp(p, "<?", 2) == 0) close = "?>";
    if (close) {
      p = xml_find(p + (*p == '<' ? 2 : 1), r->end, close);
      if (!p) break;
      p += strlen(close);
      continue;
    }
    if (*p == '>' && brackets == 0) {
      xml_advance(r, p + 1);
      return PO_OK;
    }
    brackets += *p == '[' ? 1 : *p == ']' ? -1 : 0;
    p++;
  }
  return xml_error(r, "<!DOCTYPE is never closed");
}

/* What may stand before and after the root element. */
static po_status xml_around_root(xml_reader *r, const char *begin, int before) {
  int doctypes = 0;
  for (;;) {
    po_status status = PO_OK;
    xml_blanks(r);
    if (xml_starts(r, "<!--")) status = xml_skip(r, 4, "-->", "a comment is never closed");
    else if (xml_starts(r, "<?")) status = xml_instruction(r, begin);
    else if (before && !doctypes && xml_starts(r, "<!DOCTYPE")) doctypes = 1, status = xml_doctype(r);
    else return PO_OK;
    if (status) return status;
  }
}

/* One piece of the inside of an element. */
static po_status xml_content(xml_reader *r, const char *begin) {
  if (r->p == r->end)
    return po_fail_at(r->err, PO_ERR_PARSE, r->file, r->line, (int)(r->p - r->line_start) + 1,
                      "the text ends inside <%s> of line %d", r->open->element.name, r->open->element.line);
  if (xml_starts(r, "</")) return xml_end_tag(r);
  if (xml_starts(r, "<!--")) return xml_skip(r, 4, "-->", "a comment is never closed");
  if (xml_starts(r, "<?")) return xml_instruction(r, begin);
  if (xml_starts(r, "<![CDATA[")) {
    const char *close = xml_find(r->p + 9, r->end, "]]>");
    if (!close) return xml_error(r, "<![CDATA[ is never closed");
    r->p += 9;
    po_status status = xml_add_text(r, close, 0);
    if (!status) r->p += 3;
    return status;
  }
  if (*r->p == '<') return xml_start_tag(r);
  const char *to = r->p;
  while (to < r->end && *to != '<') to++;
  const char *bad = xml_find(r->p, to, "]]>");
  if (bad) {
    xml_advance(r, bad);
    return xml_error(r, "']]>' outside of CDATA (write ]]&gt;)");
  }
  return xml_add_text(r, to, 1);
}

po_status po_xml_parse(po_xml **root, const char *text, size_t size, const char *file, po_error *err) {
  if (!root || (!text && size)) return po_fail(err, PO_ERR_NULL, "po_xml_parse needs a root and a text");
  if (size > XML_BYTES) return po_fail_at(err, PO_ERR_SIZE, file, 0, 0, "the text is larger than 256 MiB");
  xml_document *document = po_alloc(sizeof *document);
  if (!document) return po_fail_at(err, PO_ERR_MEMORY, file, 0, 0, "out of memory");
  if (!text) text = "";
  const char *begin = text + (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
  xml_reader r = {begin, text + size, begin, file, 1, 0, document, NULL, err};
  po_status status = xml_check_characters(&r);
  if (!status) status = xml_around_root(&r, begin, 1);
  if (!status && (r.p == r.end || *r.p != '<'))
    status = xml_error(&r, r.p == r.end ? "there is no element" : "an element was expected");
  if (!status) status = xml_start_tag(&r);
  while (!status && r.open) status = xml_content(&r, begin);
  if (!status) status = xml_around_root(&r, begin, 0);
  if (!status && r.p != r.end) status = xml_error(&r, "more follows after the root element");
  if (status) {
    po_xml_free(&document->root.element);
    return status;
  }
  *root = &document->root.element;
  return PO_OK;
}

void po_xml_free(po_xml *root) {
  if (!root) return;
  xml_document *document = (xml_document *)root;
  po_pool_free(&document->pool);
  po_free(document);
}

const char *po_xml_attr(const po_xml *node, const char *name) {
  if (!node || !name) return NULL;
  for (const po_xml_attribute *a = node->attributes; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->value;
  return NULL;
}

static const po_xml *xml_named(const po_xml *node, const char *name) {
  while (node && name && strcmp(node->name, name) != 0) node = node->next;
  return node;
}

const po_xml *po_xml_child(const po_xml *node, const char *name) { return node ? xml_named(node->first, name) : NULL; }

const po_xml *po_xml_next(const po_xml *node, const char *name) { return node ? xml_named(node->next, name) : NULL; }
