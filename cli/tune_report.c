/* tune_report.c: what a search has found: as settings, as a report, as a page. */
#include "../view/view.h"
#include "tune.h"
#include <string.h>

static void report_command(po_buffer *out, const po_args *a) {
  int i;
  po_buffer_puts(out, "poise tune");
  for (i = 0; i < a->count; i++) po_buffer_printf(out, " %s", a->arg[i]);
  for (i = 0; i < a->option_count; i++) {
    if (po_tune_is_how(a->option[i]->name)) continue;
    po_buffer_printf(out, a->value[i] ? " --%s %s" : " --%s", a->option[i]->name, a->value[i]);
  }
}

static void report_score(po_jw *w, const char *name, const po_tuning_score *s, const po_tune_job *j) {
  po_jw_object(w, name);
  po_jw_doubles(w, "cost", s->cost, j->tuning->costs);
  po_jw_number(w, "violation", s->violation);
  po_jw_number(w, "falls_per_hundred", 100 * s->fell);
  po_jw_number(w, "success_per_hundred", 100 * s->success);
  po_jw_end(w);
}

static void report_values(po_jw *w, const po_tune_job *j, int c) {
  int i;
  for (i = 0; i < j->tuning->frees; i++)
    po_jw_number(w, j->tuning->free[i].name, c ? j->candidate[c * j->tuning->frees + i] : j->tuning->free[i].unknown.start);
}

static void report_candidate(po_jw *w, const char *name, const po_tune_job *j, const po_tune_result *r, int c, int values) {
  po_jw_object(w, name);
  if (values) {
    po_jw_object(w, "values");
    report_values(w, j, c);
    po_jw_end(w);
  }
  report_score(w, "searched", &r[c].searched, j);
  report_score(w, "judged", &r[c].judged, j);
  po_jw_end(w);
}

static void report_tune(po_jw *w, const po_tune_job *j, const po_tune_result *r, int chosen) {
  po_tune_status s = po_tune_state(j->search);
  po_buffer command = {0};
  int i;
  report_command(&command, &j->spec);
  po_jw_object(w, "tune");
  po_jw_string(w, "command", command.data ? command.data : "");
  po_jw_array(w, "cost");
  for (i = 0; i < j->tuning->costs; i++) po_jw_string(w, NULL, j->tuning->cost[i].text);
  po_jw_end(w);
  po_jw_string(w, "searched_on", j->seeds_text);
  po_jw_string(w, "judged_on", j->judge_text);
  po_jw_int(w, "evaluations", s.evaluations);
  po_jw_int(w, "generations", s.generation);
  po_jw_int(w, "restarts", s.restarts);
  report_candidate(w, "start", j, r, 0, 1);
  report_candidate(w, "found", j, r, chosen, 0);
  if (j->tuning->costs > 1) {
    po_jw_object(w, "front");
    for (i = 1; i < j->candidates; i++) {
      char name[16];
      po_format(name, sizeof name, "%d", i);
      report_candidate(w, name, j, r, i, 1);
    }
    po_jw_end(w);
  }
  po_jw_end(w);
  po_buffer_free(&command);
}

/* The settings by name, as a style has them, and where they are from. No times: the same search writes the same bytes. */
static void report_settings(po_buffer *out, const po_tune_job *j, const po_tune_result *r, int chosen) {
  char summary[128];
  po_jw w;
  po_format(summary, sizeof summary, "found by poise tune %s", j->tuning->scenario->name);
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "summary", summary);
  report_values(&w, j, chosen);
  report_tune(&w, j, r, chosen);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}

/* ---- every point ---- */

/* The search once more, for its points: they follow from what was told. */
typedef void (*report_point)(void *user, int generation, const double *x, const double *told);
static int report_each(const po_tune_job *j, report_point each, void *user) {
  po_tune_unknown unknown[PO_TUNING_FREE];
  int costs = j->tuning->costs, g, i, k, code = PO_EXIT_GOOD;
  po_tune *t;
  po_error err;
  po_tune_opts o = po_tune_options(j->search);
  for (i = 0; i < j->tuning->frees; i++) unknown[i] = j->tuning->free[i].unknown;
  if (po_tune_new(&t, unknown, j->tuning->frees, &o, &err) != PO_OK) return po_cli_error(&err);
  for (g = 0; g < j->generations && !code; g++) {
    const po_tune_generation *one = &j->generation[g];
    double *cost = po_alloc(sizeof(double) * (size_t)one->points * (size_t)(costs + 1)), *violation = cost + one->points * costs;
    if (!cost || po_tune_ask(t) != one->points) code = po_cli_fail("tune: out of memory");
    for (i = 0; i < one->points && !code; i++) {
      const double *told = one->told + i * (costs + 1);
      each(user, g, po_tune_point(t, i), told);
      for (k = 0; k < costs; k++) cost[i * costs + k] = told[k];
      violation[i] = told[costs];
    }
    if (!code && po_tune_tell(t, cost, violation, &err) != PO_OK) code = po_cli_error(&err);
    po_free(cost);
  }
  po_tune_free(t);
  return code;
}

typedef struct report_writer { po_jw *w; const po_tune_job *j; int generation; } report_writer;
static void report_json_point(void *user, int generation, const double *x, const double *told) {
  report_writer *r = user;
  po_jw_object(r->w, NULL);
  po_jw_int(r->w, "generation", generation + 1);
  po_jw_doubles(r->w, "x", x, r->j->tuning->frees);
  po_jw_doubles(r->w, "cost", told, r->j->tuning->costs);
  po_jw_number(r->w, "violation", told[r->j->tuning->costs]);
  po_jw_end(r->w);
}

static int report_json(po_buffer *out, const po_tune_job *j, const po_tune_result *r, int chosen) {
  report_writer writer;
  po_jw w;
  int i, code;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "scenario", j->tuning->scenario->name);
  po_jw_object(&w, "found");
  report_values(&w, j, chosen);
  po_jw_end(&w);
  report_tune(&w, j, r, chosen);
  po_jw_array(&w, "names");
  for (i = 0; i < j->tuning->frees; i++) po_jw_string(&w, NULL, j->tuning->free[i].name);
  po_jw_end(&w);
  po_jw_array(&w, "points");
  writer.w = &w;
  writer.j = j;
  code = report_each(j, report_json_point, &writer);
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
  return code;
}

static void report_page_point(void *user, int generation, const double *x, const double *told) { po_tune_page_point(user, generation, x, told); }

static int report_html(po_buffer *out, const po_tune_job *j, const po_tune_result *r, int chosen) {
  po_tune_page page;
  po_buffer command = {0};
  int i, code;
  memset(&page, 0, sizeof page);
  report_command(&command, &j->spec);
  page.title = j->tuning->scenario->name;
  page.command = command.data ? command.data : "";
  page.searched_on = j->seeds_text;
  page.judged_on = j->judge_text;
  page.frees = j->tuning->frees;
  page.costs = j->tuning->costs;
  page.evaluations = po_tune_state(j->search).evaluations;
  for (i = 0; i < page.frees; i++) {
    const po_tune_unknown *u = &j->tuning->free[i].unknown;
    po_tune_page_free f = {j->tuning->free[i].name, u->lower, u->upper, u->start, j->candidate[chosen * page.frees + i], u->scaling == PO_TUNE_LOG || (u->scaling == PO_TUNE_AUTO && u->lower > 0 && u->upper > 20 * u->lower)};
    page.free[i] = f;
  }
  for (i = 0; i < page.costs; i++) page.cost[i] = j->tuning->cost[i].text;
  for (i = 0; i < 2; i++) {
    const po_tune_result *x = &r[i ? chosen : 0];
    int k;
    for (k = 0; k < page.costs; k++) page.row[i].searched[k] = x->searched.cost[k], page.row[i].judged[k] = x->judged.cost[k];
    page.row[i].falls[0] = 100 * x->searched.fell;
    page.row[i].falls[1] = 100 * x->judged.fell;
    page.row[i].success[0] = 100 * x->searched.success;
    page.row[i].success[1] = 100 * x->judged.success;
  }
  code = report_each(j, report_page_point, &page);
  if (!code) po_tune_page_write(out, &page);
  po_tune_page_free_points(&page);
  po_buffer_free(&command);
  return code;
}

/* ---- on the terminal ---- */

static void report_row(const char *name, const po_tuning_score *s, const po_tune_job *j) {
  po_buffer line = {0};
  int k;
  po_buffer_printf(&line, "  %-24s", name);
  for (k = 0; k < j->tuning->costs; k++) po_buffer_printf(&line, " %12.6g", s->cost[k]);
  po_buffer_printf(&line, "  %5.1f falls, %5.1f successes of 100", 100 * s->fell, 100 * s->success);
  po_cli_print("%s\n", line.data ? line.data : "");
  po_buffer_free(&line);
}

static void report_print(const po_tune_job *j, const po_tune_result *r, int chosen) {
  po_tune_status s = po_tune_state(j->search);
  po_buffer costs = {0};
  int i;
  for (i = 0; i < j->tuning->costs; i++) po_buffer_printf(&costs, "%s%s", i ? ", " : "", j->tuning->cost[i].text);
  po_cli_print("%s: %ld points in %ld generations; %s\n", j->tuning->scenario->name, s.evaluations, s.generation, costs.data ? costs.data : "");
  po_cli_print("  seeds %s (searched on)\n", j->seeds_text);
  report_row("  start", &r[0].searched, j);
  report_row("  found", &r[chosen].searched, j);
  po_cli_print("  seeds %s (judged on)\n", j->judge_text);
  report_row("  start", &r[0].judged, j);
  report_row("  found", &r[chosen].judged, j);
  for (i = 0; i < j->tuning->frees; i++)
    po_cli_print("  %-24s %-12.6g (%.6g)\n", j->tuning->free[i].name, j->candidate[chosen * j->tuning->frees + i], j->tuning->free[i].unknown.start);
  if (j->tuning->costs > 1) po_cli_print("  %d points are on the front; shown is the one nearest to the best of each\n", j->candidates - 1);
  po_buffer_free(&costs);
}

int po_tune_report(po_tune_job *j, const po_tune_result *r, int chosen) {
  const char *json = po_args_string(j->args, "json", NULL), *html = po_args_string(j->args, "html", NULL);
  po_buffer settings = {0}, report = {0}, page = {0};
  int code = PO_EXIT_GOOD;
  report_settings(&settings, j, r, chosen);
  if (j->out) code = po_cli_write(j->out, &settings);
  if (!code && json && (code = report_json(&report, j, r, chosen)) == PO_EXIT_GOOD) code = po_cli_write(json, &report);
  if (!code && html && (code = report_html(&page, j, r, chosen)) == PO_EXIT_GOOD) code = po_cli_write(html, &page);
  if (!code && !(j->out && !strcmp(j->out, "-")) && !(json && !strcmp(json, "-"))) report_print(j, r, chosen);
  po_buffer_free(&settings);
  po_buffer_free(&report);
  po_buffer_free(&page);
  return code;
}
