/* push_map_plot.c: a map of pushes as polar plots, seen from above with the body facing up the page. */
#include "scenes.h"
#include <math.h>

#define POLAR_RADIUS 170.0 /* px of the outermost circle */
#define POLAR_SIDE 460.0   /* px of one plot */
#define POLAR_TOP 48.0     /* px above the plots, for titles and legend */
#define POLAR_REFERENCE (30.0 / 78) /* m/s: 150 N for 0.2 s on the human, over its mass */

static const char polar_style[] =
  "<style>.pm text{font:12px system-ui,sans-serif;fill:#6b7079}.pm .ring{fill:none;stroke:#d9d8d2}.pm .ref{fill:none;stroke:#8b9099;stroke-dasharray:5 4}"
  ".pm .foot{fill:#a3acba;fill-opacity:.45}.pm .m0{stroke:#2f6fd0;fill:#2f6fd0}.pm .m1{stroke:#d0722f;fill:#d0722f}.pm .m2{stroke:#3a8f4a;fill:#3a8f4a}"
  ".pm path.m0,.pm path.m1,.pm path.m2{stroke-width:2;fill-opacity:.1;stroke-linejoin:round}.pm .m1{stroke-dasharray:none}.pm path.m1{stroke-dasharray:6 3}.pm path.m2{stroke-dasharray:2 3}"
  ".pm .b{font-weight:600;fill:#1d2126}\n"
  "@media(prefers-color-scheme:dark){.pm text{fill:#969ca6}.pm .ring{stroke:#343941}.pm .m0{stroke:#6aa5ff;fill:#6aa5ff}.pm .m1{stroke:#ff9f5a;fill:#ff9f5a}.pm .m2{stroke:#6fc97f;fill:#6fc97f}"
  ".pm .b{fill:#e7e8ea}}</style>\n";

/* A round number near a fourth of `most`. */
static double polar_step(double most) {
  double unit = 1, want = po_max(most, 1e-9) / 4;
  while (unit > want) unit /= 10;
  while (unit * 10 <= want) unit *= 10;
  return want >= 5 * unit ? 5 * unit : want >= 2 * unit ? 2 * unit : unit;
}

typedef struct polar { double cx, cy, most, scale; } polar;

/* Straight ahead is up, left is left. */
static void polar_at(const polar *g, double impulse, double turns, double *x, double *y) {
  double s, c;
  po_sincos(&s, &c, 2 * PO_PI * turns);
  *x = g->cx - g->scale * impulse * s;
  *y = g->cy - g->scale * impulse * c;
}

static void polar_grid(po_buffer *out, const po_push_map *m, const polar *g, double step) {
  static const char *const name[4] = {"ahead", "left", "back", "right"};
  static const char *const anchor[4] = {"middle", "end", "middle", "start"};
  static const double dx[4] = {0, -6, 0, 6}, dy[4] = {-8, 4, 18, 4};
  double r, x, y;
  int i;
  for (i = 0; i < 2; i++)
    po_buffer_printf(out, "<rect class=\"foot\" x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"24\" rx=\"4\"/>", g->cx + (i ? 5 : -14), g->cy - 14);
  for (r = step; r < g->most * 1.0001; r += step) {
    po_buffer_printf(out, "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", g->cx, g->cy, g->scale * r);
    polar_at(g, r, 0.0625 * 9, &x, &y);
    po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">%g</text>\n", x + 2, y - 2, r);
  }
  for (i = 0; i < 4; i++) {
    polar_at(g, g->most, 0.25 * i, &x, &y);
    po_buffer_printf(out, "<path class=\"ring\" d=\"M%.1f %.1fL%.1f %.1f\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", g->cx, g->cy, x, y,
                     x + dx[i], y + dy[i], anchor[i], name[i]);
  }
  if (POLAR_REFERENCE * m->mass < g->most)
    po_buffer_printf(out, "<circle class=\"ref\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>150 N for 0.2 s on the human, scaled by mass</title></circle>\n", g->cx,
                     g->cy, g->scale * POLAR_REFERENCE * m->mass);
}

static void polar_curve(po_buffer *out, const po_push_map *m, const polar *g, int phase, int method) {
  int d, open = 1, known = 0;
  double x, y;
  po_buffer_printf(out, "<path class=\"m%d\" d=\"", method);
  for (d = 0; d < m->directions; d++) {
    double impulse = po_push_map_impulse(m, phase, d, method);
    if (!po_isfinite(impulse)) {
      open = 1;
      continue;
    }
    known++;
    polar_at(g, impulse, (double)d / m->directions, &x, &y);
    po_buffer_printf(out, "%c%.1f %.1f", open ? 'M' : 'L', x, y);
    open = 0;
  }
  po_buffer_printf(out, "%s\"/>\n", known == m->directions && known > 2 ? "Z" : "\" fill=\"none");
  for (d = 0; d < m->directions; d++) {
    double impulse = po_push_map_impulse(m, phase, d, method);
    if (!po_isfinite(impulse)) continue;
    polar_at(g, impulse, (double)d / m->directions, &x, &y);
    po_buffer_printf(out, "<circle class=\"m%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s, %.4g°: %.1f N s (%.0f N)</title></circle>", method, x, y, m->method[method],
                     360.0 * d / m->directions, impulse, impulse / m->duration);
  }
  po_buffer_puts(out, "\n");
}

void po_push_map_svg(po_buffer *out, const po_push_map *m) {
  double most = 0, step, width = POLAR_SIDE * m->phases, height = POLAR_TOP + POLAR_SIDE - (m->phases > 1 ? 20 : 50);
  polar g;
  int p, d, k;
  for (p = 0; p < m->phases; p++)
    for (d = 0; d < m->directions; d++)
      for (k = 0; k < m->methods; k++) {
        double x = po_push_map_impulse(m, p, d, k);
        if (po_isfinite(x)) most = po_max(most, x);
      }
  if (!(most > 0)) most = 1.2 * POLAR_REFERENCE * m->mass;
  step = polar_step(most);
  g.most = step * ceil(most / step);
  g.scale = POLAR_RADIUS / g.most;
  po_buffer_printf(out, "<svg class=\"pm\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", width, height, width, height);
  po_buffer_puts(out, "<title>Largest survived push by direction</title>\n");
  po_buffer_puts(out, polar_style);
  po_buffer_puts(out, "<text class=\"b\" x=\"14\" y=\"20\">");
  po_buffer_markup(out, m->model);
  po_buffer_printf(out, ", %s: largest survived push of %g s, N s</text>\n", m->gait, m->duration);
  for (k = 0; k < m->methods; k++)
    po_buffer_printf(out, "<path class=\"m%d\" d=\"M%d 36h24\"/><text x=\"%d\" y=\"40\">%s</text>\n", k, 14 + 150 * k, 44 + 150 * k, m->method[k]);
  po_buffer_printf(out, "<path class=\"ref\" d=\"M%d 36h24\"/><text x=\"%d\" y=\"40\">150 N, by mass</text>\n", 14 + 150 * m->methods, 44 + 150 * m->methods);
  for (p = 0; p < m->phases; p++) {
    g.cx = POLAR_SIDE * (p + 0.5);
    g.cy = POLAR_TOP + 0.5 * POLAR_SIDE - 14;
    if (m->phases > 1) {
      po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", g.cx, g.cy + POLAR_RADIUS + 38);
      po_push_map_phase_text(out, m, p);
      po_buffer_puts(out, "</text>\n");
    }
    polar_grid(out, m, &g, step);
    for (k = m->methods - 1; k >= 0; k--) polar_curve(out, m, &g, p, k);
  }
  po_buffer_puts(out, "</svg>\n");
}
