/* step_page.c: a step model as one page. */
#include "view.h"
#include <string.h>

#define STEPPAGE_WIDE 420.0
#define STEPPAGE_HIGH 260.0
#define STEPPAGE_RIM 34.0      /* px around a plot */
#define STEPPAGE_BINS 16

typedef struct steppage_range { double low, high; } steppage_range;

static double steppage_at(double x, steppage_range r, double from, double to) { return from + (x - r.low) / po_max(r.high - r.low, 1e-9) * (to - from); }

static void steppage_begin(po_buffer *out, const char *title) {
  po_buffer_printf(out, "<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 %g %g\" width=\"%g\" role=\"img\" aria-label=\"%s\">", title, STEPPAGE_WIDE, STEPPAGE_HIGH, STEPPAGE_WIDE, title);
}

static void steppage_end(po_buffer *out) { po_buffer_puts(out, "</svg></figure>\n"); }

/* A bar for each bin, the last for all beyond; unit: what is written at the axis. */
static void steppage_histogram(po_buffer *out, const char *title, const double *value, int count, double bin, const char *unit) {
  int bins[STEPPAGE_BINS] = {0}, i, most = 1;
  double wide = (STEPPAGE_WIDE - 2 * STEPPAGE_RIM) / STEPPAGE_BINS, floor_y = STEPPAGE_HIGH - STEPPAGE_RIM;
  for (i = 0; i < count; i++) bins[(int)po_clamp(value[i] / bin, 0, STEPPAGE_BINS - 1)]++;
  for (i = 0; i < STEPPAGE_BINS; i++) most = bins[i] > most ? bins[i] : most;
  steppage_begin(out, title);
  for (i = 0; i < STEPPAGE_BINS; i++) {
    double high = (floor_y - STEPPAGE_RIM) * bins[i] / most;
    po_buffer_printf(out, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%d</title></rect>", STEPPAGE_RIM + i * wide + 1, floor_y - high, wide - 2, high, bins[i]);
    if (i % 4 == 0) po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">%.2f</text>", STEPPAGE_RIM + i * wide, floor_y + 16, i * bin);
  }
  po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"end\">%s; the last bar: all beyond</text><text x=\"2\" y=\"%.1f\">%d</text>", STEPPAGE_WIDE - 4, STEPPAGE_HIGH - 4, unit, STEPPAGE_RIM + 4, most);
  steppage_end(out);
}

/* The example that is bent least: its state is one of the base gait. */
static int steppage_base(const po_step_model *m) {
  double least = PO_INF;
  int i, k, best = 0;
  for (i = 0; i < m->examples; i++) {
    double size = 0;
    for (k = 0; k < m->kind.actions; k++) size += m->example[i].action[k] * m->example[i].action[k];
    if (size < least) best = i, least = size;
  }
  return best;
}

static void steppage_actions(po_buffer *out, const po_step_model *m) {
  steppage_range u = {PO_INF, -PO_INF}, v = {PO_INF, -PO_INF}, length = {PO_INF, -PO_INF};
  double lower[2], upper[2], left = STEPPAGE_RIM, right = STEPPAGE_WIDE - STEPPAGE_RIM, low = STEPPAGE_HIGH - STEPPAGE_RIM, high = STEPPAGE_RIM;
  int i, near[PO_STEP_NEAR];
  for (i = 0; i < m->examples; i++) {
    u.low = po_min(u.low, m->low[i][0]), u.high = po_max(u.high, m->low[i][0]);
    v.low = po_min(v.low, m->low[i][1]), v.high = po_max(v.high, m->low[i][1]);
    length.low = po_min(length.low, m->example[i].length), length.high = po_max(length.high, m->example[i].length);
  }
  po_step_model_possible(near, lower, upper, m, m->example[steppage_base(m)].from);
  steppage_begin(out, "The plane of the actions: every example, and the box at a strike of the base gait");
  for (i = 0; i < m->examples; i++)
    po_buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"hsl(%.0f 70%% 45%%)\" fill-opacity=\".55\"/>", steppage_at(m->low[i][0], u, left, right), steppage_at(m->low[i][1], v, low, high),
                     steppage_at(m->example[i].length, length, 240, 0));
  for (i = 0; i < PO_STEP_NEAR; i++)
    po_buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"near\"/>", steppage_at(m->low[near[i]][0], u, left, right), steppage_at(m->low[near[i]][1], v, low, high));
  po_buffer_printf(out, "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", steppage_at(lower[0], u, left, right), steppage_at(upper[1], v, low, high),
                   steppage_at(upper[0], u, left, right) - steppage_at(lower[0], u, left, right), steppage_at(lower[1], v, low, high) - steppage_at(upper[1], v, low, high));
  po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">blue %.2f m &#8230; red %.2f m; rings: the %d nearest in state; %.0f %% of the variance</text>", left, STEPPAGE_HIGH - 8, length.low, length.high, PO_STEP_NEAR,
                   100 * m->pca_share);
  steppage_end(out);
}

static void steppage_errors(po_buffer *out, const po_step_model *m) {
  double *value = po_alloc(sizeof(double) * 3 * (size_t)m->examples);
  int i;
  if (!value) {
    out->failed = 1;
    return;
  }
  for (i = 0; i < m->examples; i++) {
    po_step_model_left_out(&value[i], &value[m->examples + i], m, i);
    value[2 * m->examples + i] = m->example[i].length;
  }
  steppage_histogram(out, "Lengths of examples that were left out, mispredicted by", value, m->examples, 0.01, "m");
  steppage_histogram(out, "States after them, mispredicted by", value + m->examples, m->examples, 0.03, "distance in the model's metric");
  steppage_histogram(out, "Lengths that were learnt", value + 2 * m->examples, m->examples, 0.07, "m");
  po_free(value);
}

void po_step_model_html(po_buffer *out, const po_step_model *m) {
  po_buffer_puts(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Steps of ");
  po_buffer_markup(out, m->body);
  po_buffer_puts(out, "</title><style>body{font:15px system-ui,sans-serif;margin:2em;color:#1d2125;background:#f7f8f4}main{display:flex;flex-wrap:wrap;gap:1.5em}"
                      "figure{margin:0;background:#fff;border:1px solid #ddd;border-radius:8px;padding:1em}figcaption{font-weight:600;max-width:420px}svg text{font-size:11px;fill:#555}"
                      ".bar{fill:#2b6cd4}.near{fill:none;stroke:#111}.box{fill:none;stroke:#111;stroke-width:2}.end{text-anchor:end}</style><h1>Steps of ");
  po_buffer_markup(out, m->body);
  po_buffer_puts(out, ", ");
  po_buffer_markup(out, m->style);
  po_buffer_printf(out, "</h1><p>%d examples, made by commit ", m->examples);
  po_buffer_markup(out, *m->made ? m->made : "unknown");
  po_buffer_puts(out, ".</p><main>\n");
  steppage_actions(out, m);
  steppage_errors(out, m);
  po_buffer_puts(out, "</main></html>\n");
}
