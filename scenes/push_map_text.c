/* push_map_text.c: a map of pushes as a table, as CSV and as JSON. */
#include "push_map.h"
#include "scenes.h"
#include <string.h>

int po_push_map_cell(const po_push_map *m, int phase, int direction, int method) { return (phase * m->directions + direction) * m->methods + method; }

double po_push_map_impulse(const po_push_map *m, int phase, int direction, int method) {
  return m->survived[po_push_map_cell(m, phase, direction, method)] * m->duration;
}

double po_push_map_angle(const po_push_map *m, int phase) { return 360 * (phase + 0.5) / m->phases; }

void po_push_map_phase_text(po_buffer *out, const po_push_map *m, int phase) {
  if (m->turns) po_buffer_printf(out, "at %.4g degrees of its turn", po_push_map_angle(m, phase));
  else po_buffer_printf(out, "%.0f %% into the left foot's step", 100.0 * phase / m->phases);
}

static double map_degrees(const po_push_map *m, int direction) { return 360.0 * direction / m->directions; }

/* ---- tables ---- */

void po_push_map_text(po_buffer *out, const po_push_map *m) {
  int p, d, k;
  po_buffer_printf(out, "  largest survived push of %g s, N s (N)\n  %9s", m->duration, "direction");
  for (k = 0; k < m->methods; k++) po_buffer_printf(out, "  %22s", m->method[k]);
  po_buffer_puts(out, "\n");
  for (p = 0; p < m->phases; p++) {
    if (m->phases > 1) {
      po_buffer_puts(out, "  pushed ");
      po_push_map_phase_text(out, m, p);
      po_buffer_puts(out, "\n");
    }
    for (d = 0; d < m->directions; d++) {
      po_buffer_printf(out, "  %5.4g deg", map_degrees(m, d));
      for (k = 0; k < m->methods; k++) {
        double x = po_push_map_impulse(m, p, d, k);
        if (po_isfinite(x)) po_buffer_printf(out, "  %12.1f (%7.1f)", x, x / m->duration);
        else po_buffer_printf(out, "  %22s", po_isfinite(m->time[p * m->methods + k]) ? "-" : "fell before");
      }
      po_buffer_puts(out, "\n");
    }
  }
}

static void map_csv_number(po_buffer *out, double x) {
  po_buffer_puts(out, ",");
  if (po_isfinite(x)) po_buffer_double(out, x);
}

void po_push_map_csv(po_buffer *out, const po_push_map *m) {
  int p, d, k;
  po_buffer_puts(out, "phase,direction_deg");
  for (k = 0; k < m->methods; k++) po_buffer_printf(out, ",%s_impulse,%s_survived_force,%s_fell_force", m->method[k], m->method[k], m->method[k]);
  po_buffer_puts(out, "\n");
  for (p = 0; p < m->phases; p++)
    for (d = 0; d < m->directions; d++) {
      po_buffer_double(out, m->turns ? po_push_map_angle(m, p) : (double)p / m->phases);
      map_csv_number(out, map_degrees(m, d));
      for (k = 0; k < m->methods; k++) {
        map_csv_number(out, po_push_map_impulse(m, p, d, k));
        map_csv_number(out, m->survived[po_push_map_cell(m, p, d, k)]);
        map_csv_number(out, m->fell[po_push_map_cell(m, p, d, k)]);
      }
      po_buffer_puts(out, "\n");
    }
}

void po_push_map_json(po_jw *w, const po_push_map *m) {
  int p, d, k;
  po_jw_object(w, "map");
  po_jw_string(w, "gait", m->gait);
  po_jw_number(w, "duration", m->duration);
  po_jw_number(w, "mass", m->mass);
  po_jw_int(w, "searches", m->cells);
  po_jw_int(w, "done", m->done);
  po_jw_array(w, "rows");
  for (p = 0; p < m->phases; p++)
    for (d = 0; d < m->directions; d++)
      for (k = 0; k < m->methods; k++) {
        int at = po_push_map_cell(m, p, d, k);
        po_jw_object(w, NULL);
        po_jw_string(w, "method", m->method[k]);
        if (m->turns) po_jw_number(w, "phase_deg", po_push_map_angle(m, p));
        else if (m->phases > 1 || !strcmp(m->gait, "walk")) po_jw_number(w, "phase", (double)p / m->phases);
        po_jw_number(w, "direction_deg", map_degrees(m, d));
        po_jw_number(w, "push_time", m->time[p * m->methods + k]);
        po_jw_number(w, "impulse", po_push_map_impulse(m, p, d, k));
        po_jw_number(w, "survived_force", m->survived[at]);
        po_jw_number(w, "fell_force", m->fell[at]);
        po_jw_end(w);
      }
  po_jw_end(w);
  po_jw_end(w);
}

