/* reach_map.c: which pairs of two parameters a movement succeeds with: a run of its own scenario for each, judged by that scenario. Cells know nothing of
 * each other: each is a unit of work for whoever has time. */
#include "reach_map.h"
#include "scenes.h"
#include <string.h>

typedef struct reach_params { double x_from, x_to, x_steps, y_from, y_to, y_steps; } reach_params;
static const po_param reach_param[] = {
  PO_PARAM(reach_params, x_from, 0.3, -1e6, 1e6, "", "first value of x"),
  PO_PARAM(reach_params, x_to, 0.8, -1e6, 1e6, "", "last value of x"),
  PO_PARAM(reach_params, x_steps, 6, 1, PO_REACH_STEPS, "", "how many values of x"),
  PO_PARAM(reach_params, y_from, 0.32, -1e6, 1e6, "", "first value of y"),
  PO_PARAM(reach_params, y_to, 0.52, -1e6, 1e6, "", "last value of y"),
  PO_PARAM(reach_params, y_steps, 5, 1, PO_REACH_STEPS, "", "how many values of y"),
};
static const po_text_param reach_text[] = {{"move", "backflip", "the scenario whose parameters vary", NULL},
                                           {"x", "apex", "name of the parameter along the map", NULL},
                                           {"y", "inertia", "name of the parameter up the map", NULL},
                                           {"with", "", "parameters of all cells: name=value, separated by commas", NULL},
                                           {NULL, NULL, NULL, NULL}};

#define REACH_WITH 14 /* parameters of all cells, at most */
#define REACH_DIGITS 1e9 /* values are rounded to nine decimals, that 0.1 + 0.2 is 0.3 and whole numbers are whole */

typedef struct reach_state {
  po_reach_map map;
  char with[512];            /* the text, cut at its commas and equals signs */
  int names;                 /* of parameters of all cells */
  int name_at[REACH_WITH], value_at[REACH_WITH];
} reach_state;

/* ---- a cell's run ---- */

static const po_scenario *reach_scenario(const po_run *r) { return po_scenario_find(po_run_text(r, "move")); }

static po_status reach_run(po_run **run, const po_run *r, int cell, po_error *err) {
  const reach_state *s = r->state;
  const po_reach_map *m = &s->map;
  po_setting set[REACH_WITH + 2];
  po_run_opts o = po_run_opts_default();
  char x[32], y[32];
  int i;
  o.dt = r->opts.dt;
  o.control_hz = r->opts.control_hz;
  o.seed = r->opts.seed;
  o.model = r->opts.model;
  o.paths = r->opts.paths;
  o.wbc = r->opts.wbc;
  o.wbc.clock = NULL;
  for (i = 0; i < s->names; i++) {
    set[i].name = s->with + s->name_at[i];
    set[i].value = s->with + s->value_at[i];
  }
  po_print_double(x, m->x_value[cell % m->x_steps]);
  po_print_double(y, m->y_value[cell / m->x_steps]);
  set[i].name = m->x;
  set[i++].value = x;
  set[i].name = m->y;
  set[i++].value = y;
  o.set = set;
  o.sets = i;
  return po_run_new(run, reach_scenario(r), &o, err);
}

static int reach_units(const po_run *r) { return ((const reach_state *)r->state)->map.cells; }

static po_status reach_unit(po_run *r, po_buffer *out, int cell, po_error *err) {
  po_run *run = NULL;
  po_status st = reach_run(&run, r, cell, err);
  if (st != PO_OK) return st;
  while (po_run_step(run)) {}
  po_run_finish(run);
  po_buffer_printf(out, "%d %ld %016llx %s", run->outcome == PO_SUCCESS, run->steps, (unsigned long long)po_run_hash(run), run->reason);
  po_run_free(run);
  return PO_OK;
}

static po_status reach_join(po_run *r, int cell, const char *bytes, size_t size, po_error *err) {
  reach_state *s = r->state;
  po_reach_cell *c = &s->map.cell[cell];
  const char *at = bytes, *end = bytes + size;
  double x[2];
  size_t n;
  int i;
  for (i = 0; i < 2; i++, at++)
    if (at >= end || po_parse_double(&x[i], &at, at, end) != PO_OK || at >= end || *at != ' ') return po_fail(err, PO_ERR_PARSE, "cell %d is not one of a map", cell);
  if (end - at < 17) return po_fail(err, PO_ERR_PARSE, "cell %d is not one of a map", cell);
  r->study_hash = po_hash(at, 16, r->study_hash);
  n = po_min((size_t)(end - at) - 17, sizeof c->reason - 1);
  memcpy(c->reason, at + 17, n);
  c->reason[n] = 0;
  c->done = 1;
  c->success = x[0] > 0;
  s->map.done++;
  s->map.reached += c->success;
  r->units_done++;
  r->steps += (long)x[1];
  r->sim_seconds = r->time = (double)r->steps * r->opts.dt;
  return PO_OK;
}

/* ---- a run's hooks ---- */

static const char *reach_body(const po_run *r) {
  const po_scenario *s = reach_scenario(r);
  return s && s->model ? s->model : "gymnast";
}

static po_status reach_find(const po_run *r, po_error *err) {
  const char *names[64], *near, *move = po_run_text(r, "move");
  const po_scenario *s = reach_scenario(r);
  int i, n = 0;
  if (s && s->model && s->move && !s->study) return PO_OK;
  if (s) return po_fail(err, PO_ERR_NAME, "move = '%s': its scenario is not of one body that moves", move);
  for (i = 0; po_scenarios[i] && n < 64; i++)
    if (po_scenarios[i]->move && !po_scenarios[i]->study) names[n++] = po_scenarios[i]->name;
  near = po_nearest(move, names, n);
  if (near) return po_fail(err, PO_ERR_NAME, "move = '%s': did you mean '%s'?", move, near);
  return po_fail(err, PO_ERR_NAME, "move = '%s' is no scenario; `poise list` tells which there are", move);
}

/* Cuts "name=value,name=value". */
static po_status reach_read_with(reach_state *s, const char *text, po_error *err) {
  char *at = s->with, *equals;
  int more = *text != 0;
  if (strlen(text) >= sizeof s->with) return po_fail(err, PO_ERR_SIZE, "with: at most %d characters", (int)sizeof s->with - 1);
  memcpy(s->with, text, strlen(text) + 1);
  while (more) {
    char *end = strchr(at, ',');
    more = end != NULL;
    if (end) *end = 0;
    equals = strchr(at, '=');
    if (!equals || equals == at) return po_fail(err, PO_ERR_PARSE, "with: '%s' is not name=value", at);
    if (s->names == REACH_WITH) return po_fail(err, PO_ERR_SIZE, "with: at most %d parameters", REACH_WITH);
    *equals = 0;
    s->name_at[s->names] = (int)(at - s->with);
    s->value_at[s->names++] = (int)(equals + 1 - s->with);
    if (end) at = end + 1;
  }
  return PO_OK;
}

static int reach_values(double *value, double from, double to, double steps) {
  int i, n = (int)(steps + 0.5);
  for (i = 0; i < n; i++) value[i] = floor((n > 1 ? from + (to - from) * i / (n - 1) : from) * REACH_DIGITS + 0.5) / REACH_DIGITS;
  return n;
}

static po_status reach_init(po_run *r, po_error *err) {
  reach_state *s = r->state;
  const reach_params *p = r->params;
  po_reach_map *m = &s->map;
  po_status st;
  int i;
  if ((st = reach_find(r, err)) != PO_OK) return st;
  if (r->opts.pushes || r->opts.ats) return po_fail(err, PO_ERR_RANGE, "reach-map: --push and --at are for single runs");
  if (r->opts.seconds != r->scenario->seconds) return po_fail(err, PO_ERR_RANGE, "reach-map takes the time it needs: --seconds is for single runs");
  m->move = po_run_text(r, "move");
  m->model = r->model->name;
  m->x = po_run_text(r, "x");
  m->y = po_run_text(r, "y");
  if (!strcmp(m->x, m->y)) return po_fail(err, PO_ERR_NAME, "x and y are both '%s': a map needs two parameters", m->x);
  if ((st = reach_read_with(s, po_run_text(r, "with"), err)) != PO_OK) return st;
  m->x_steps = reach_values(m->x_value, p->x_from, p->x_to, p->x_steps);
  m->y_steps = reach_values(m->y_value, p->y_from, p->y_to, p->y_steps);
  m->cells = m->x_steps * m->y_steps;
  for (i = 0; i < m->cells; i++) { /* a name or a value that is refused is refused at once */
    po_run *run = NULL;
    if ((st = reach_run(&run, r, i, err)) != PO_OK) return st;
    po_run_free(run);
  }
  if ((st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  r->reach = m;
  return po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.95, err); /* what the report shows, whoever did the cells */
}

static void reach_judge(po_run *r) {
  const po_reach_map *m = &((const reach_state *)r->state)->map;
  po_run_set_result(r, "pairs", m->cells);
  po_run_set_result(r, "reached", m->reached);
  if (r->outcome == PO_RUNNING && m->done < m->cells) po_run_fail(r, PO_FAILED, "%d of %d cells done when it ended", m->done, m->cells);
}

static const po_study reach_study = {reach_units, NULL, reach_unit, reach_join};

const po_scenario po_scenario_reach_map = {
  .name = "reach-map", .summary = "which pairs of two parameters a movement succeeds with", .success = "every pair was run",
  .model = "gymnast", .seconds = 3600, .dt = 0.001, .control_hz = 1000,
  .param = reach_param, .params = (int)(sizeof reach_param / sizeof reach_param[0]), .params_bytes = sizeof(reach_params), .text = reach_text,
  .state_bytes = sizeof(reach_state), .body = reach_body, .init = reach_init, .judge = reach_judge, .study = &reach_study};
