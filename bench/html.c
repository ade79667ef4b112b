/* html.c: the results as one page that needs nothing else. The page itself stands in bench/page/ and comes in by bench_page_source.h; it draws
 * itself from the JSON it carries. */
#include "bench.h"
#include "bench_page_source.h" /* made by the Makefile: bench_page_html, bench_page_css, bench_page_js, one string a line */
#include <string.h>

static void html_lines(po_buffer *out, const char *const *lines) {
  for (; *lines; lines++) po_buffer_puts(out, *lines);
}

/* A name with </script> in it must not end the script. */
static void html_report(po_buffer *out, const po_bench *bench) {
  po_buffer json = {0};
  size_t i;
  po_bench_json(&json, bench);
  for (i = 0; i < json.size; i++) {
    if (json.data[i] == '<') po_buffer_puts(out, "\\u003c");
    else po_buffer_add(out, &json.data[i], 1);
  }
  if (json.failed) out->failed = 1;
  po_buffer_free(&json);
}

/* page.html with its three marks replaced. */
void po_bench_html(po_buffer *out, const po_bench *bench) {
  const char *const *line, *mark;
  for (line = bench_page_html; *line; line++) {
    if (strstr(*line, "<!--style-->")) html_lines(out, bench_page_css);
    else if (strstr(*line, "<!--script-->")) html_lines(out, bench_page_js);
    else if ((mark = strstr(*line, "<!--report-->")) != NULL) {
      po_buffer_add(out, *line, (size_t)(mark - *line));
      html_report(out, bench);
      po_buffer_puts(out, mark + strlen("<!--report-->"));
    } else po_buffer_puts(out, *line);
  }
}
