/* reach_map_plot.c: a map of reach as a grid of cells, x to the right, y up. */
#include "scenes.h"

#define REACH_CELL 46.0  /* px of a cell */
#define REACH_LEFT 90.0  /* px left of the grid, for y's values */
#define REACH_TOP 44.0   /* px above it, for the title */
#define REACH_BELOW 50.0 /* px below it, for x's values and name */

static const char reach_style[] =
  "<style>.rm text{font:12px system-ui,sans-serif;fill:#6b7079}.rm .b{font-weight:600;fill:#1d2126}.rm .o{fill:#2f6fd0}.rm .n{fill:#e4e2db}.rm .u{fill:none;stroke:#d9d8d2}"
  "@media(prefers-color-scheme:dark){.rm text{fill:#969ca6}.rm .b{fill:#e7e8ea}.rm .o{fill:#6aa5ff}.rm .n{fill:#343941}}</style>\n";

void po_reach_map_svg(po_buffer *out, const po_reach_map *m) {
  double width = REACH_LEFT + REACH_CELL * m->x_steps + 20, height = REACH_TOP + REACH_CELL * m->y_steps + REACH_BELOW;
  int i;
  width = po_max(width, 420);
  po_buffer_printf(out, "<svg class=\"rm\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", width, height, width, height);
  po_buffer_puts(out, "<title>Pairs of parameters that succeed</title>\n");
  po_buffer_puts(out, reach_style);
  po_buffer_puts(out, "<text class=\"b\" x=\"14\" y=\"20\">");
  po_buffer_markup(out, m->model);
  po_buffer_printf(out, ", %s: %d of %d pairs succeed</text>\n", m->move, m->reached, m->done);
  for (i = 0; i < m->cells; i++) {
    const po_reach_cell *c = &m->cell[i];
    int ix = i % m->x_steps, iy = i / m->x_steps;
    po_buffer_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"><title>%s=%g %s=%g: ", !c->done ? "u" : c->success ? "o" : "n",
                     REACH_LEFT + REACH_CELL * ix + 1, REACH_TOP + REACH_CELL * (m->y_steps - 1 - iy) + 1, REACH_CELL - 2, REACH_CELL - 2, m->x, m->x_value[ix], m->y, m->y_value[iy]);
    po_buffer_markup(out, c->success ? "succeeds" : c->reason);
    po_buffer_puts(out, "</title></rect>\n");
  }
  for (i = 0; i < m->x_steps; i++)
    po_buffer_printf(out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", REACH_LEFT + REACH_CELL * (i + 0.5), REACH_TOP + REACH_CELL * m->y_steps + 18, m->x_value[i]);
  for (i = 0; i < m->y_steps; i++)
    po_buffer_printf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", REACH_LEFT - 8, REACH_TOP + REACH_CELL * (m->y_steps - 0.5 - i) + 4, m->y_value[i]);
  po_buffer_printf(out, "<text class=\"b\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", REACH_LEFT + 0.5 * REACH_CELL * m->x_steps, height - 10, m->x);
  po_buffer_printf(out, "<text class=\"b\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n</svg>\n", REACH_LEFT - 8, REACH_TOP - 6, m->y);
}

void po_reach_map_html(po_buffer *out, const po_reach_map *m) {
  int i;
  po_buffer_puts(out, "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>Reach</title>\n"
                      "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:60em;color-scheme:light dark}td{padding:0 1em 0 0}</style>\n");
  po_reach_map_svg(out, m);
  po_buffer_puts(out, "<table>\n");
  for (i = 0; i < m->cells; i++) {
    const po_reach_cell *c = &m->cell[i];
    if (c->success || !c->done) continue;
    po_buffer_printf(out, "<tr><td>%s %g<td>%s %g<td>", m->x, m->x_value[i % m->x_steps], m->y, m->y_value[i / m->x_steps]);
    po_buffer_markup(out, c->reason);
    po_buffer_puts(out, "\n");
  }
  po_buffer_puts(out, "</table>\n");
}
