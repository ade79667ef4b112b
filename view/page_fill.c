/* page_fill.c: a page's marks <!--style-->, <!--script--> and <!--data--> replaced by what belongs there. */
#include "page_source.h"
#include <string.h>

void po_page_data(po_buffer *out, const po_buffer *json, const char *id) {
  size_t i;
  po_buffer_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
  for (i = 0; i < json->size; i++)
    if (json->data[i] == '<') po_buffer_puts(out, "\\u003c");
    else po_buffer_add(out, json->data + i, 1);
  po_buffer_puts(out, "</script>\n");
  if (json->failed) out->failed = 1;
}

void po_page_fill(po_buffer *out, const char *const *html, const char *const *css, const char *const *js, const po_buffer *json, const char *id) {
  const char *const *line;
  for (line = html; *line; line++) {
    const char *const *inside = strstr(*line, "<!--style-->") ? css : strstr(*line, "<!--script-->") ? js : NULL;
    for (; inside && *inside; inside++) po_buffer_puts(out, *inside);
    if (strstr(*line, "<!--data-->")) po_page_data(out, json, id);
    else if (!strstr(*line, "<!--style-->") && !strstr(*line, "<!--script-->")) po_buffer_puts(out, *line);
  }
}
