/* tune_page.c: a search as one page that needs nothing else. */
#include "view.h"
#include <stdlib.h>
#include <string.h>

#define TUNEPAGE_WIDE 420.0
#define TUNEPAGE_HIGH 260.0
#define TUNEPAGE_SMALL 150.0   /* height of a parameter's picture */
#define TUNEPAGE_RIM 34.0      /* px around a plot */

typedef struct tunepage_range { double low, high; } tunepage_range;

static size_t tunepage_width(const po_tune_page *p) { return (size_t)(p->frees + p->costs + 2); }
static const double *tunepage_at(const po_tune_page *p, int i) { return p->point + (size_t)i * tunepage_width(p); }
static double tunepage_cost(const po_tune_page *p, int i, int k) { return tunepage_at(p, i)[p->frees + k]; }
static double tunepage_violation(const po_tune_page *p, int i) { return tunepage_at(p, i)[p->frees + p->costs]; }
static int tunepage_keeps(const po_tune_page *p, int i) { return tunepage_violation(p, i) <= 0 && po_isfinite(tunepage_cost(p, i, 0)); }

void po_tune_page_point(po_tune_page *p, int generation, const double *x, const double *told) {
  size_t width = tunepage_width(p);
  double *at;
  if (p->points == p->capacity) {
    int more = p->capacity ? 2 * p->capacity : 256;
    double *grown = po_alloc(sizeof(double) * width * (size_t)more);
    if (!grown) {
      p->failed = 1;
      return;
    }
    if (p->points) memcpy(grown, p->point, sizeof(double) * width * (size_t)p->points);
    po_free(p->point);
    p->point = grown;
    p->capacity = more;
  }
  at = p->point + (size_t)p->points++ * width;
  memcpy(at, x, sizeof(double) * (size_t)p->frees);
  memcpy(at + p->frees, told, sizeof(double) * (size_t)(p->costs + 1));
  at[width - 1] = generation;
}

void po_tune_page_free_points(po_tune_page *p) {
  po_free(p->point);
  p->point = NULL;
  p->points = p->capacity = 0;
}

/* ---- pictures ---- */

static double tunepage_place(double x, tunepage_range r, double from, double to) { return from + po_clamp((x - r.low) / po_max(r.high - r.low, 1e-300), 0, 1) * (to - from); }

static void tunepage_begin(po_buffer *out, const char *title, double high) {
  po_buffer_puts(out, "<figure><figcaption>");
  po_buffer_markup(out, title);
  po_buffer_printf(out, "</figcaption><svg viewBox=\"0 0 %g %g\" width=\"%g\" role=\"img\">", TUNEPAGE_WIDE, high, TUNEPAGE_WIDE);
  po_buffer_printf(out, "<path class=\"axis\" d=\"M%g %gV%gH%g\"/>", TUNEPAGE_RIM, 12.0, high - TUNEPAGE_RIM, TUNEPAGE_WIDE - 8);
}
static void tunepage_end(po_buffer *out) { po_buffer_puts(out, "</svg></figure>\n"); }

static void tunepage_axes(po_buffer *out, tunepage_range x, tunepage_range y, double high, const char *under) {
  po_buffer_printf(out, "<text x=\"%g\" y=\"%g\">%.4g</text><text class=\"end\" x=\"%g\" y=\"%g\">%.4g</text>", TUNEPAGE_RIM, high - TUNEPAGE_RIM + 13, x.low, TUNEPAGE_WIDE - 8, high - TUNEPAGE_RIM + 13, x.high);
  po_buffer_printf(out, "<text x=\"2\" y=\"%g\">%.4g</text><text x=\"2\" y=\"10\">%.4g</text><text class=\"end\" x=\"%g\" y=\"%g\">", high - TUNEPAGE_RIM, y.low, y.high, TUNEPAGE_WIDE - 8, high - 6);
  po_buffer_markup(out, under);
  po_buffer_puts(out, "</text>");
}

static int tunepage_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* From the best to the 90th of a hundred that keep the rules: outliers would flatten all else. */
static tunepage_range tunepage_costs(const po_tune_page *p, int k) {
  tunepage_range r = {0, 1};
  double *v = po_alloc(sizeof(double) * (size_t)(p->points + 1));
  int i, n = 0;
  for (i = 0; v && i < p->points; i++)
    if (tunepage_keeps(p, i)) v[n++] = tunepage_cost(p, i, k);
  if (n) {
    qsort(v, (size_t)n, sizeof *v, tunepage_order);
    r.low = v[0];
    r.high = v[(9 * (n - 1)) / 10];
    if (!(r.high > r.low)) r.high = r.low + po_max(po_abs(r.low) * 0.01, 1e-9);
  }
  po_free(v);
  return r;
}

/* Every point by when it was tried, and the best so far. */
static void tunepage_history(po_buffer *out, const po_tune_page *p) {
  tunepage_range x = {0, p->points}, y = tunepage_costs(p, 0);
  double right = TUNEPAGE_WIDE - 8, floor_y = TUNEPAGE_HIGH - TUNEPAGE_RIM, best = PO_INF;
  int i, down = 0;
  tunepage_begin(out, p->cost[0], TUNEPAGE_HIGH);
  for (i = 0; i < p->points; i++)
    po_buffer_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>", tunepage_keeps(p, i) ? "point" : "broken", tunepage_place(i, x, TUNEPAGE_RIM, right),
                     tunepage_keeps(p, i) ? tunepage_place(tunepage_cost(p, i, 0), y, floor_y, 12) : 8.0);
  po_buffer_puts(out, "<path class=\"best\" d=\"");
  for (i = 0; i < p->points; i++) {
    if (!tunepage_keeps(p, i) || tunepage_cost(p, i, 0) >= best) continue;
    best = tunepage_cost(p, i, 0);
    po_buffer_printf(out, down ? "H%.1fV%.1f" : "M%.1f %.1f", tunepage_place(i, x, TUNEPAGE_RIM, right), tunepage_place(best, y, floor_y, 12));
    down = 1;
  }
  if (down) po_buffer_printf(out, "H%.1f", right);
  po_buffer_puts(out, "\"/>");
  tunepage_axes(out, x, y, TUNEPAGE_HIGH, "points tried; red, at the top: fell or broke a rule");
  tunepage_end(out);
}

static double tunepage_scaled(const po_tune_page_free *f, double x) { return f->logarithm ? po_log(x) : x; }

/* A parameter's values by when they were tried, dark where they cost little. */
static void tunepage_free(po_buffer *out, const po_tune_page *p, int k) {
  const po_tune_page_free *f = &p->free[k];
  tunepage_range x = {0, p->points}, y = {tunepage_scaled(f, f->lower), tunepage_scaled(f, f->upper)}, c = tunepage_costs(p, 0), shown = {f->lower, f->upper};
  double right = TUNEPAGE_WIDE - 8, floor_y = TUNEPAGE_SMALL - TUNEPAGE_RIM;
  char under[96];
  int i;
  tunepage_begin(out, f->name, TUNEPAGE_SMALL);
  for (i = 0; i < p->points; i++) {
    double share = tunepage_place(tunepage_cost(p, i, 0), c, 1, 0.12);
    po_buffer_printf(out, "<circle class=\"%s\" fill-opacity=\"%.2f\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>", tunepage_keeps(p, i) ? "point" : "broken", tunepage_keeps(p, i) ? share : 0.25,
                     tunepage_place(i, x, TUNEPAGE_RIM, right), tunepage_place(tunepage_scaled(f, tunepage_at(p, i)[k]), y, floor_y, 12));
  }
  po_buffer_printf(out, "<path class=\"start\" d=\"M%g %.1fH%g\"/><path class=\"best\" d=\"M%g %.1fH%g\"/>", TUNEPAGE_RIM, tunepage_place(tunepage_scaled(f, f->start), y, floor_y, 12), right, TUNEPAGE_RIM,
                   tunepage_place(tunepage_scaled(f, f->found), y, floor_y, 12), right);
  po_format(under, sizeof under, "start %.4g (dashed), found %.4g%s", f->start, f->found, f->logarithm ? "; logarithm" : "");
  tunepage_axes(out, x, shown, TUNEPAGE_SMALL, under);
  tunepage_end(out);
}

/* Two costs against each other; what no other point beats in both is ringed. */
static void tunepage_front(po_buffer *out, const po_tune_page *p, int a, int b) {
  tunepage_range x = tunepage_costs(p, a), y = tunepage_costs(p, b);
  double right = TUNEPAGE_WIDE - 8, floor_y = TUNEPAGE_HIGH - TUNEPAGE_RIM;
  char title[400];
  int i, k;
  po_format(title, sizeof title, "%s (up) against %s", p->cost[b], p->cost[a]);
  tunepage_begin(out, title, TUNEPAGE_HIGH);
  for (i = 0; i < p->points; i++) {
    int beaten = 0;
    if (!tunepage_keeps(p, i)) continue;
    for (k = 0; k < p->points && !beaten; k++) {
      int m, better = 0, worse = 0;
      for (m = 0; m < p->costs && tunepage_keeps(p, k); m++) {
        better |= tunepage_cost(p, k, m) < tunepage_cost(p, i, m);
        worse |= tunepage_cost(p, k, m) > tunepage_cost(p, i, m);
      }
      beaten = better && !worse;
    }
    po_buffer_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>", beaten ? "point" : "front", tunepage_place(tunepage_cost(p, i, a), x, TUNEPAGE_RIM, right),
                     tunepage_place(tunepage_cost(p, i, b), y, floor_y, 12), beaten ? 2 : 4);
  }
  tunepage_axes(out, x, y, TUNEPAGE_HIGH, "rings: no other point is better in one cost and worse in none");
  tunepage_end(out);
}

/* ---- the page ---- */

static void tunepage_table(po_buffer *out, const po_tune_page *p) {
  static const char *const name[2] = {"start", "found"};
  int set, row, k;
  po_buffer_puts(out, "<table><tr><th>seeds<th>");
  for (k = 0; k < p->costs; k++) {
    po_buffer_puts(out, "<th>");
    po_buffer_markup(out, p->cost[k]);
  }
  po_buffer_puts(out, "<th>falls of 100<th>successes of 100</tr>\n");
  for (set = 0; set < 2; set++)
    for (row = 0; row < 2; row++) {
      po_buffer_puts(out, "<tr><td>");
      po_buffer_markup(out, set ? p->judged_on : p->searched_on);
      po_buffer_printf(out, "%s<td>%s", set ? " (judged on)" : " (searched on)", name[row]);
      for (k = 0; k < p->costs; k++) po_buffer_printf(out, "<td>%.5g", set ? p->row[row].judged[k] : p->row[row].searched[k]);
      po_buffer_printf(out, "<td>%.1f<td>%.1f</tr>\n", p->row[row].falls[set], p->row[row].success[set]);
    }
  po_buffer_puts(out, "</table>");
}

void po_tune_page_write(po_buffer *out, const po_tune_page *p) {
  int i, k;
  if (p->failed) {
    out->failed = 1;
    return;
  }
  po_buffer_puts(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tune: ");
  po_buffer_markup(out, p->title);
  po_buffer_puts(out, "</title><style>body{font:15px system-ui,sans-serif;margin:2em;color:#1d2125;background:#f7f8f4}main{display:flex;flex-wrap:wrap;gap:1.2em;margin-top:1.2em}"
                      "figure{margin:0;background:#fff;border:1px solid #ddd;border-radius:8px;padding:1em}figcaption{font-weight:600;max-width:420px}svg text{font-size:11px;fill:#555}"
                      "code{white-space:pre-wrap}table{border-collapse:collapse}td,th{padding:.2em .9em .2em 0;text-align:left}.axis{fill:none;stroke:#999}.point{fill:#2b6cd4}"
                      ".broken{fill:#c0392b}.best{fill:none;stroke:#111;stroke-width:1.5}.start{fill:none;stroke:#111;stroke-dasharray:4 3}.front{fill:none;stroke:#111;stroke-width:1.5}"
                      ".end{text-anchor:end}</style><h1>Tune: ");
  po_buffer_markup(out, p->title);
  po_buffer_printf(out, "</h1><p>%ld points were tried.</p><p><code>", p->evaluations);
  po_buffer_markup(out, p->command);
  po_buffer_puts(out, "</code></p>");
  tunepage_table(out, p);
  po_buffer_puts(out, "<main>\n");
  tunepage_history(out, p);
  for (i = 0; i < p->costs; i++)
    for (k = i + 1; k < p->costs; k++) tunepage_front(out, p, i, k);
  for (i = 0; i < p->frees; i++) tunepage_free(out, p, i);
  po_buffer_puts(out, "</main></html>\n");
}
