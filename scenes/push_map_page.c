/* push_map_page.c: a map of pushes as a page with replays. */
#include "scenes.h"
#include <string.h>

static double map_degrees(const po_push_map *m, int direction) { return 360.0 * direction / m->directions; }

typedef struct map_replay { /* one trial, run again as the scenario it is a trial of */
  int phase, direction, method;
  double force;
  po_push push;
  po_setting set[64];
  po_buffer command;
  po_run *run;
} map_replay;

static void map_take(map_replay *t, int phase, int direction, int method, double force) {
  t->phase = phase;
  t->direction = direction;
  t->method = method;
  t->force = force;
}

/* Two replays: the push at which two methods differ most, by both; with one method, the weakest direction just below and just above. */
static int map_choose(const po_push_map *m, map_replay replay[2]) {
  double most = -1;
  int p, d, i, j;
  memset(replay, 0, 2 * sizeof *replay);
  for (p = 0; p < m->phases; p++)
    for (d = 0; d < m->directions; d++)
      for (i = 0; i < m->methods; i++)
        for (j = m->methods > 1 ? i + 1 : 0; j < m->methods; j++) {
          double a = m->survived[po_push_map_cell(m, p, d, i)], b = m->methods > 1 ? m->survived[po_push_map_cell(m, p, d, j)] : m->fell[po_push_map_cell(m, p, d, 0)], score;
          if (!(a > 0) || !po_isfinite(b)) continue;
          score = m->methods > 1 ? po_abs(a - b) / po_max(a, b) : 1 / a;
          if (!(score > most)) continue;
          most = score;
          map_take(&replay[0], p, d, i, m->methods > 1 ? po_max(a, b) : a);
          map_take(&replay[1], p, d, j, m->methods > 1 ? po_max(a, b) : b);
        }
  return most >= 0;
}

static void map_command(map_replay *t, const po_run *r, const po_run_opts *o, const char *scenario) {
  po_buffer *c = &t->command;
  int i;
  po_buffer_printf(c, "poise run %s --seconds %g --seed %llu --hqp %s --push ", scenario, o->seconds, (unsigned long long)o->seed,
                   po_hqp_method_string(o->wbc.hqp.method));
  po_buffer_double(c, t->push.time);
  po_buffer_printf(c, ",%g,", t->push.duration);
  po_buffer_double(c, t->push.force.x);
  po_buffer_puts(c, ",");
  po_buffer_double(c, t->push.force.y);
  po_buffer_puts(c, ",0");
  if (r->opts.model) po_buffer_printf(c, " --model %s", r->opts.model);
  for (i = 0; i < o->sets; i++) po_buffer_printf(c, " --set %s=%s", o->set[i].name, o->set[i].value);
}

static po_status map_run_again(map_replay *t, const po_run *r) {
  const po_push_map *m = r->map;
  int walking = !strcmp(m->gait, "walk"), i;
  const char *scenario = m->controllers ? m->method[t->method] : walking || m->turns ? m->gait : "balance";
  po_run_opts o = r->opts;
  double s, c;
  po_error err;
  po_status st;
  po_sincos(&s, &c, 2 * PO_PI * t->direction / m->directions);
  t->push.time = m->time[t->phase * m->methods + t->method];
  t->push.duration = m->duration;
  t->push.force = po_v3(t->force * c, t->force * s, 0);
  o.push = &t->push;
  o.pushes = 1;
  o.seconds = t->push.time + m->duration + 5;
  if (t->method == 1 && !m->controllers) o.wbc.hqp.method = PO_HQP_WEIGHTED;
  if (m->controllers && strcmp(scenario, m->gait)) o.dt = o.control_hz = 0; /* the scenario's own */
  o.set = t->set;
  o.sets = 0;
  for (i = 0; i < r->opts.sets && o.sets < 63; i++)
    if (walking ? !strcmp(r->opts.set[i].name, "style") && !strcmp(scenario, "walk") : po_param_find(r->type->param, *r->type->param_count, r->opts.set[i].name) != NULL)
      t->set[o.sets++] = r->opts.set[i];
  if (m->controllers) t->set[o.sets].name = "friction", t->set[o.sets++].value = PO_PUSH_MAP_FRICTION;
  o.dump = NULL;
  map_command(t, r, &o, scenario);
  o.command = t->command.data;
  if ((st = po_run_new(&t->run, po_scenario_find(scenario), &o, &err)) != PO_OK) return st;
  if ((st = po_run_record(t->run, 60, &err)) != PO_OK) return st;
  while (po_run_step(t->run)) {}
  po_run_finish(t->run);
  return PO_OK;
}

static const char map_style[] =
  "<style>#map{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start;margin-bottom:24px}#map>div{background:var(--panel);border:1px solid var(--rule);"
  "border-radius:var(--radius);padding:14px 18px}#map svg{display:block;max-width:100%;height:auto}#map h1{font-size:22px;font-weight:650;margin:0;flex-basis:100%}"
  "#map h1 small{font-weight:400;color:var(--muted);font-size:16px;margin-left:6px}#map p{flex-basis:100%;margin:0;color:var(--muted)}"
  "#map table{border-collapse:collapse}#map th,#map td{padding:1px 10px 1px 0;text-align:right;font-weight:400}#map thead th{color:var(--muted)}"
  "#map td.best{font-weight:650}#map caption{color:var(--muted);padding-bottom:4px}</style>\n";

static void map_html_table(po_buffer *out, const po_push_map *m, int phase) {
  int d, k;
  po_buffer_puts(out, "<div><table>");
  if (m->phases > 1) {
    po_buffer_puts(out, "<caption>");
    po_push_map_phase_text(out, m, phase);
    po_buffer_puts(out, "</caption>");
  }
  po_buffer_puts(out, "<thead><tr><th>direction</th>");
  for (k = 0; k < m->methods; k++) po_buffer_printf(out, "<th>%s</th>", m->method[k]);
  po_buffer_puts(out, "</tr></thead><tbody>\n");
  for (d = 0; d < m->directions; d++) {
    po_buffer_printf(out, "<tr><th>%.4g°</th>", map_degrees(m, d));
    for (k = 0; k < m->methods; k++) {
      double x = po_push_map_impulse(m, phase, d, k), other = -1;
      int i;
      for (i = 0; i < m->methods; i++)
        if (i != k && po_push_map_impulse(m, phase, d, i) > other) other = po_push_map_impulse(m, phase, d, i);
      if (po_isfinite(x)) po_buffer_printf(out, "<td%s>%.1f N s</td>", m->methods > 1 && x > other ? " class=\"best\"" : "", x);
      else po_buffer_puts(out, "<td>\xe2\x80\x93</td>");
    }
    po_buffer_puts(out, "</tr>\n");
  }
  po_buffer_puts(out, "</tbody></table></div>\n");
}

static void map_html_section(po_buffer *out, const po_run *r, const map_replay *t, int replays) {
  const po_push_map *m = r->map;
  int p;
  po_buffer_puts(out, map_style);
  po_buffer_printf(out, "<section id=\"map\"><h1>push-map<small>");
  po_buffer_markup(out, m->model);
  po_buffer_printf(out, ", %s</small></h1>\n", m->gait);
  po_buffer_printf(out, "<p>The strongest push of %g s on the thorax that is survived, by direction: %d of %d searches, %ld trials of the forward dynamics.",
                   m->duration, m->done, m->cells, m->trials);
  po_buffer_puts(out, !strcmp(m->gait, "walk") ? " Survived: still walking 4 s later.</p>\n"
                       : m->turns                ? " Survived: turned over and stands.</p>\n"
                                               : " Survived: the COM comes within 3 cm of its target and below 5 cm/s, for 1 s, beginning within 4 s.</p>\n");
  po_buffer_puts(out, "<div>");
  po_push_map_svg(out, m);
  po_buffer_puts(out, "</div>\n");
  for (p = 0; p < m->phases; p++) map_html_table(out, m, p);
  if (replays && m->methods > 1)
    po_buffer_printf(out, "<p>Below: where two differ most, %.0f N at %.4g°. A: %s, B: %s.</p>\n", t->force, map_degrees(m, t->direction), m->method[t[0].method], m->method[t[1].method]);
  else if (replays)
    po_buffer_printf(out, "<p>Below: the weakest direction, %.4g°. A: %.0f N, B: %.0f N.</p>\n", map_degrees(m, t->direction), t[0].force, t[1].force);
  po_buffer_puts(out, "</section>\n");
}

/* The replay page with the map before its header. */
void po_push_map_html(po_buffer *out, const po_run *r) {
  map_replay replay[2];
  const po_trace *traces[2];
  po_buffer map = {0};
  int k, n = 0;
  if (map_choose(r->map, replay))
    for (k = 0; k < 2; k++)
      if (map_run_again(&replay[k], r) == PO_OK) traces[n++] = po_run_trace(replay[k].run);
  map_html_section(&map, r, replay, n);
  if (map.failed) out->failed = 1;
  else po_trace_html_with(out, map.data, traces, n);
  for (k = 0; k < 2; k++) {
    po_run_free(replay[k].run);
    po_buffer_free(&replay[k].command);
  }
  po_buffer_free(&map);
}
