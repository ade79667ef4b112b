/* wrap.c: text within the width of a terminal, and texts of others made safe to show. */
#include "cli.h"
#include <string.h>

/* Columns a word takes: bytes that go on a UTF-8 character take none. */
static int wrap_columns(const char *text, size_t n) {
  int columns = 0;
  size_t i;
  for (i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
  return columns;
}

void po_cli_wrap(po_buffer *out, const char *text, int column, int indent) {
  int at = column, fresh = 1;
  while (*text) {
    size_t n = strcspn(text, " \n");
    int wide = wrap_columns(text, n);
    if (n && !fresh && at + 1 + wide > PO_CLI_WIDTH) {
      po_buffer_printf(out, "\n%*s", indent, "");
      at = indent;
      fresh = 1;
    }
    if (n && !fresh) po_buffer_puts(out, " ");
    po_buffer_add(out, text, n);
    at += wide + (n && !fresh);
    if (n) fresh = 0;
    text += n;
    if (*text) text++;
  }
  po_buffer_puts(out, "\n");
}

void po_cli_row(po_buffer *out, const char *left, int width, const char *right) {
  int column = 2 + width + 2, wide = wrap_columns(left, strlen(left));
  if (wide > width) po_buffer_printf(out, "  %s\n%*s", left, column, "");
  else po_buffer_printf(out, "  %s%*s", left, width - wide + 2, "");
  po_cli_wrap(out, right, column, column);
}

void po_cli_paragraphs(po_buffer *out, const char *text) {
  po_buffer line = {0};
  while (*text) {
    size_t n = strcspn(text, "\n");
    if (n == 0 || *text == ' ') { /* an empty line, or an example */
      po_buffer_add(out, text, n);
      po_buffer_puts(out, "\n");
      text += n + (text[n] != 0);
      continue;
    }
    line.size = 0;
    while (n > 0 && *text != ' ') {
      if (line.size) po_buffer_puts(&line, " ");
      po_buffer_add(&line, text, n);
      text += n + (text[n] != 0);
      n = strcspn(text, "\n");
    }
    po_cli_wrap(out, line.data ? line.data : "", 0, 0);
  }
  po_buffer_free(&line);
}

void po_cli_shown(char *text) {
  unsigned char *c;
  for (c = (unsigned char *)text; *c; c++) {
    if (*c < 0x20 || *c == 0x7f) *c = '?';
    else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?'; /* the C1 controls, as UTF-8 */
  }
}
