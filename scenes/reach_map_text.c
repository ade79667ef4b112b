/* reach_map_text.c: a map of reach as a table, as CSV and as JSON. */
#include "reach_map.h"
#include "scenes.h"

static const char *reach_word(const po_reach_cell *c) { return !c->done ? "unknown" : c->success ? "success" : "failed"; }

void po_reach_map_text(po_buffer *out, const po_reach_map *m) {
  int ix, iy;
  po_buffer_printf(out, "  %s, %s: pairs that succeed (o) and that do not (.)\n", m->move, m->model);
  for (iy = m->y_steps - 1; iy >= 0; iy--) {
    po_buffer_printf(out, "  %12s %8.4g ", iy == m->y_steps - 1 ? m->y : "", m->y_value[iy]);
    for (ix = 0; ix < m->x_steps; ix++) {
      const po_reach_cell *c = &m->cell[iy * m->x_steps + ix];
      po_buffer_printf(out, " %7s", !c->done ? "?" : c->success ? "o" : ".");
    }
    po_buffer_puts(out, "\n");
  }
  po_buffer_printf(out, "  %12s %8s ", "", m->x);
  for (ix = 0; ix < m->x_steps; ix++) po_buffer_printf(out, " %7.4g", m->x_value[ix]);
  po_buffer_puts(out, "\n");
}

void po_reach_map_csv(po_buffer *out, const po_reach_map *m) {
  int i;
  po_buffer_printf(out, "%s,%s,outcome\n", m->x, m->y);
  for (i = 0; i < m->cells; i++) {
    po_buffer_double(out, m->x_value[i % m->x_steps]);
    po_buffer_puts(out, ",");
    po_buffer_double(out, m->y_value[i / m->x_steps]);
    po_buffer_printf(out, ",%s\n", reach_word(&m->cell[i]));
  }
}

void po_reach_map_json(po_jw *w, const po_reach_map *m) {
  int i;
  po_jw_object(w, "reach");
  po_jw_string(w, "move", m->move);
  po_jw_string(w, "x", m->x);
  po_jw_string(w, "y", m->y);
  po_jw_int(w, "pairs", m->cells);
  po_jw_int(w, "done", m->done);
  po_jw_end(w);
  po_jw_array(w, "cells");
  for (i = 0; i < m->cells; i++) {
    po_jw_object(w, NULL);
    po_jw_number(w, "x", m->x_value[i % m->x_steps]);
    po_jw_number(w, "y", m->y_value[i / m->x_steps]);
    po_jw_string(w, "outcome", reach_word(&m->cell[i]));
    po_jw_string(w, "reason", m->cell[i].reason);
    po_jw_end(w);
  }
  po_jw_end(w);
}
