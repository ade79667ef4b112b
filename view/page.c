/* page.c: recordings as one page that needs nothing else. The page itself stands in view/page/ and comes in by page_source.h, made at build time. */
#include "page_source.h"
#include "trace.h"
#include <string.h>

/* A page of a recording with very many bodies keeps fewer frames a second and lets the browser blend: 30 s stay under 3 MB. */
#define PAGE_BYTES_PER_SECOND 90e3

static void page_lines(po_buffer *out, const char *const *lines) {
  for (; *lines; lines++) po_buffer_puts(out, *lines);
}

/* Text inside <script>: a name with </script> in it must not end it. */
static void page_trace(po_buffer *out, const po_trace *trace) {
  double rate = po_trace_bytes_per_second(trace);
  po_buffer json = {0};
  size_t i, from = 0;
  po_trace_write_thin(&json, trace, (int)(rate / PAGE_BYTES_PER_SECOND) + 1);
  po_buffer_puts(out, "<script type=\"application/json\" class=\"trace\">");
  for (i = 0; i < json.size; i++)
    if (json.data[i] == '<') {
      po_buffer_add(out, json.data + from, i - from);
      po_buffer_puts(out, "\\u003c");
      from = i + 1;
    }
  if (json.size) po_buffer_add(out, json.data + from, json.size - from);
  po_buffer_puts(out, "</script>\n");
  if (json.failed) out->failed = 1;
  po_buffer_free(&json);
}

/* page.html with its three marks replaced. */
void po_trace_html_with(po_buffer *out, const char *markup, const po_trace *const *traces, int count) {
  const char *const *line;
  int i;
  for (line = po_page_html; *line; line++) {
    if (markup && strstr(*line, "<header")) po_buffer_puts(out, markup);
    if (strstr(*line, "<!--style-->")) page_lines(out, po_page_css);
    else if (strstr(*line, "<!--script-->")) page_lines(out, po_page_js);
    else if (strstr(*line, "<!--traces-->"))
      for (i = 0; i < count; i++) page_trace(out, traces[i]);
    else po_buffer_puts(out, *line);
  }
}

void po_trace_html(po_buffer *out, const po_trace *const *traces, int count) { po_trace_html_with(out, NULL, traces, count); }
