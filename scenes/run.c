/* run.c: the clockwork of a run: set up, changes, steps of its simulation, falls, the verdict. */
#include "../rbd/map.h"
#include "scenes_internal.h"
#include <stdarg.h>
#include <string.h>

#define RUN_NOISE 0.05 /* rad/s, m/s */
#define RUN_UNIT_BYTES 4096 /* room for a unit, taken at the start; more is taken when it needs more */

const char *po_outcome_string(po_outcome o) {
  static const char *const names[] = {"running", "success", "fell", "failed"};
  return o >= PO_RUNNING && o <= PO_FAILED ? names[o] : "failed";
}

po_run_opts po_run_opts_default(void) {
  po_run_opts o;
  memset(&o, 0, sizeof o);
  o.wbc = po_wbc_opts_default();
  return o;
}

/* ---- making ---- */

static po_status run_model(po_run *r, po_error *err) {
  const po_scenario *s = r->scenario;
  const char *own = s->body ? s->body(r) : s->model, *name = r->opts.model ? r->opts.model : own;
  po_urdf_opts o = po_urdf_opts_default();
  if (!own && r->opts.model) return po_fail(err, PO_ERR_RANGE, "scenario '%s' brings its own things: it takes no model", s->name);
  if (!name) return PO_OK;
  o.paths = r->opts.paths;
  return po_model_load_mapped(&r->model, name, r->opts.model ? r->opts.map : NULL, &o, &r->note, err);
}

static po_status run_check_opts(po_run *r, po_error *err) {
  const po_run_opts *o = &r->opts;
  int i;
  if (!(o->dt > 0 && o->dt <= 0.1)) return po_fail(err, PO_ERR_RANGE, "dt = %g: a step must be in (0, 0.1] seconds", o->dt);
  if (!(o->seconds > 0 && o->seconds <= 1e6)) return po_fail(err, PO_ERR_RANGE, "seconds = %g: must be positive", o->seconds);
  if (!(o->control_hz > 0 && o->control_hz <= 1 / o->dt * 1.000001))
    return po_fail(err, PO_ERR_RANGE, "control_hz = %g: must be positive and at most 1/dt = %g", o->control_hz, 1 / o->dt);
  if (o->pushes > PO_SIM_PUSHES) return po_fail(err, PO_ERR_SIZE, "at most %d pushes", PO_SIM_PUSHES);
  if (o->pushes && !r->model) return po_fail(err, PO_ERR_RANGE, "scenario '%s' has no body to push", r->scenario->name);
  for (i = 0; i < o->pushes; i++)
    if (!(o->push[i].time < o->seconds)) return po_fail(err, PO_ERR_RANGE, "push %d at %g s: the run ends at %g s", i + 1, o->push[i].time, o->seconds);
  return PO_OK;
}

static po_status run_prepare(po_run *r, po_error *err) {
  const po_scenario *s = r->scenario;
  po_status st;
  int k;
  if ((st = po_run_read_texts(r, err)) != PO_OK || (st = run_model(r, err)) != PO_OK || (st = po_run_find_move(r, err)) != PO_OK ||
      (st = run_check_opts(r, err)) != PO_OK)
    return st;
  r->params = po_alloc((size_t)s->params_bytes + 1);
  r->state = po_alloc((size_t)s->state_bytes + 1);
  r->move_params = po_alloc((r->type ? r->type->params_bytes : 0) + 1);
  if (!r->params || !r->state || !r->move_params) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = po_run_read_params(r, err)) != PO_OK || (st = po_run_check_changes(r, err)) != PO_OK) return st;
  r->total_steps = (long)(r->opts.seconds / r->opts.dt + 0.5);
  r->opts.wbc.clock = r->opts.clock;
  if ((st = s->init(r, err)) != PO_OK) return st;
  if (!s->study && !r->sim && (st = po_run_sim(r, err)) != PO_OK) return st;
  if (s->study) po_buffer_printf(&r->unit, "%*s", RUN_UNIT_BYTES, "");
  if (r->unit.failed) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (k = 0; k < PO_PHASES && r->opts.clock && !s->study; k++)
    if (!(r->profile[k] = po_alloc(sizeof(float) * (size_t)(r->total_steps + 1)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  return PO_OK;
}

po_status po_run_new(po_run **run, const po_scenario *s, const po_run_opts *opts, po_error *err) {
  po_run *r;
  po_status st;
  if (!run || !s) return po_fail(err, PO_ERR_NULL, "a run needs a scenario");
  *run = NULL;
  if (!(r = po_alloc(sizeof *r))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  r->scenario = s;
  r->opts = opts ? *opts : po_run_opts_default();
  if (r->opts.seconds == 0) r->opts.seconds = s->seconds;
  if (r->opts.dt == 0) r->opts.dt = r->opts.optimizer && s->optimizer_hz > 0 ? 1 / s->optimizer_hz : s->dt;
  if (r->opts.control_hz == 0) r->opts.control_hz = po_min(s->control_hz, 1 / r->opts.dt);
  r->fell_at = -1;
  st = run_prepare(r, err);
  if (st != PO_OK) po_run_free(r);
  else *run = r;
  return st;
}

void po_run_free(po_run *r) {
  int k;
  if (!r) return;
  if (r->scenario->destroy && r->state) r->scenario->destroy(r);
  if (r->watcher.free) r->watcher.free(r->watcher.user);
  for (k = 0; k < PO_RUN_MOVES; k++) po_move_free(r->move[k]);
  po_sim_free(r->sim);
  po_world_free(r->world);
  po_terrain_free(r->terrain);
  for (k = 0; k < PO_RUN_MODELS; k++) po_model_free(r->spare[k]);
  po_model_free(r->model);
  for (k = 0; k < PO_PHASES; k++) po_free(r->profile[k]);
  po_buffer_free(&r->unit);
  po_buffer_free(&r->note);
  po_free(r->verdict);
  po_free(r->params);
  po_free(r->move_params);
  po_free(r->state);
  po_free(r);
}

/* ---- for scenarios ---- */

const po_terrain *po_run_ground(const po_run *r) { return r->terrain ? r->terrain : po_terrain_flat(); }

po_status po_run_tilt(po_run *r, double slope, po_error *err) {
  double s, c;
  po_status st;
  if (slope == 0) return PO_OK;
  if ((st = po_terrain_new(&r->terrain, NULL)) != PO_OK) return po_fail(err, st, "terrain: %s", po_status_string(st));
  po_sincos(&s, &c, slope);
  st = po_terrain_add_plane(r->terrain, po_v3(-s, 0, c), 0, 1);
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

po_status po_run_world(po_run *r, const po_world_opts *opts, int with_model, po_error *err) {
  po_world_opts w = opts ? *opts : po_world_opts_default();
  po_status st;
  w.terrain = po_run_ground(r);
  w.clock = r->opts.clock;
  if ((st = po_world_new(&r->world, &w)) == PO_OK && with_model) st = po_world_add(NULL, r->world, r->model);
  return st == PO_OK ? st : po_fail(err, st, "world: %s", po_status_string(st));
}

/* Who has the link that is pushed: character 0, or a thing of that name. */
static int run_pushed(const po_run *r, const po_push *push) {
  int k;
  if (!push->link || push->character || po_find_body(r->model, push->link) >= 0) return push->character;
  for (k = 1; k < po_world_count(r->world); k++)
    if (po_find_body(po_world_model(r->world, k), push->link) >= 0) return k;
  return 0;
}

po_status po_run_sim(po_run *r, po_error *err) {
  po_sim_opts o = po_sim_opts_default();
  po_move *move;
  po_status st;
  int i;
  o.dt = r->opts.dt;
  o.control_hz = r->opts.control_hz;
  o.optimizer = r->opts.optimizer;
  if ((st = po_sim_new(&r->sim, r->world, po_run_ground(r), &o)) != PO_OK) return po_fail(err, st, "simulation: %s", po_status_string(st));
  r->opts.control_hz = 1 / (r->sim->control_every * o.dt); /* what it comes to in whole steps */
  if (!(r->verdict = po_alloc(sizeof *r->verdict * (size_t)(r->sim->characters + 1)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; i < r->sim->characters; i++) r->verdict[i].fell_at = -1;
  for (i = 0; i < r->opts.pushes && st == PO_OK; i++) {
    po_push push = r->opts.push[i];
    push.character = run_pushed(r, &push);
    st = po_sim_push(r->sim, &push, err);
  }
  if (st != PO_OK || !r->type) return st;
  st = po_move_new_of(&move, r->type, r->move_params, r->model, po_run_ground(r), &r->opts.wbc, err);
  return st == PO_OK ? po_run_add_move(r, 0, move, err) : st;
}

po_status po_run_add_move(po_run *r, int character, po_move *move, po_error *err) {
  po_status st;
  int i;
  for (i = 0; i < PO_RUN_MOVES && r->move[i]; i++) {}
  if (i == PO_RUN_MOVES) {
    po_move_free(move);
    return po_fail(err, PO_ERR_SIZE, "at most %d behaviours in a run", PO_RUN_MOVES);
  }
  r->move[i] = move;
  if ((st = po_sim_set_move(r->sim, character, move)) != PO_OK) return po_fail(err, st, "behaviour: %s", po_status_string(st));
  if (r->scenario->may_touch) r->sim->character[character].may_touch = r->scenario->may_touch;
  return PO_OK;
}

void po_run_add_noise(po_run *r, int character) {
  const po_model *m = po_world_model(r->world, character);
  double *v = po_world_v(r->world, character);
  po_rng rng;
  int i;
  if (!r->opts.seed) return;
  po_rng_init(&rng, r->opts.seed, (uint64_t)character);
  for (i = 0; i < m->nv; i++) v[i] += po_rng_range(&rng, -RUN_NOISE, RUN_NOISE);
}

po_move *po_run_move(const po_run *r, int character) {
  return r->sim && character < r->sim->characters ? r->sim->character[character].move : NULL;
}
po_wbc *po_run_wbc(const po_run *r, int character) {
  const po_move *m = po_run_move(r, character);
  return m ? m->actor->wbc : NULL;
}

/* ---- verdicts ---- */

static void run_verdict(po_run *r, int character, po_outcome outcome, const char *format, va_list list) {
  char reason[sizeof r->reason];
  po_verdict *v = r->verdict && character >= 0 && character < r->sim->characters ? &r->verdict[character] : NULL;
  po_formatv(reason, sizeof reason, format, list);
  if (v && v->outcome != PO_FELL && v->outcome != PO_FAILED) {
    v->outcome = outcome;
    if (outcome == PO_FELL) v->fell_at = r->time;
    memcpy(v->reason, reason, sizeof reason);
  }
  if (r->outcome == PO_FELL || r->outcome == PO_FAILED) return; /* the first reason stays */
  r->outcome = outcome;
  if (outcome == PO_FELL) r->fell_at = r->time;
  memcpy(r->reason, reason, sizeof reason);
}

void po_run_fail_character(po_run *r, int character, po_outcome outcome, const char *format, ...) {
  va_list list;
  va_start(list, format);
  run_verdict(r, character, outcome, format, list);
  va_end(list);
}

void po_run_fail(po_run *r, po_outcome outcome, const char *format, ...) {
  va_list list;
  va_start(list, format);
  run_verdict(r, -1, outcome, format, list);
  va_end(list);
}

static void run_watch_falls(po_run *r) {
  int k;
  for (k = 0; k < r->sim->characters; k++) {
    const po_fall *f = &r->sim->character[k].fall;
    if (f->at < 0 || r->verdict[k].fell_at >= 0) continue;
    if (f->body >= 0) po_run_fail_character(r, k, PO_FELL, "%s touched the ground", po_world_model(r->world, k)->body_name[f->body]);
    else po_run_fail_character(r, k, PO_FELL, "the COM sank to %.2f m", f->height);
  }
}

/* Whether anybody is left to look at: a run of several goes on while one of them stands. */
static int run_anybody_left(const po_run *r) {
  int k, left = 0, lost = 0;
  for (k = 0; k < r->sim->characters; k++)
    if (r->sim->character[k].move) {
      left += r->verdict[k].outcome == PO_RUNNING;
      lost += r->verdict[k].outcome != PO_RUNNING;
    }
  return r->outcome == PO_RUNNING || (lost && left);
}

/* ---- running ---- */

static void run_profile(po_run *r, long step) {
  po_world_profile w = po_world_last_profile(r->world);
  double t[PO_PHASES] = {0, w.dynamics, 0, 0, w.collision + w.assemble + w.solve, w.integrate};
  int k;
  for (k = 0; r->sim->controlled && k < r->sim->characters; k++) {
    const po_move *m = r->sim->character[k].move;
    if (!m) continue;
    t[PO_PHASE_KINEMATICS] += m->actor->profile.dynamics;
    t[PO_PHASE_PROBLEM] += m->actor->profile.problem;
    t[PO_PHASE_SOLVE] += m->actor->profile.solve;
  }
  for (k = 0; k < PO_PHASES; k++) r->profile[k][step] = (float)(1e6 * t[k]);
}

/* How well the contact solves went. */
static void run_watch_world(po_run *r) {
  po_world_report report = po_world_last_report(r->world);
  r->complementarity = po_max(r->complementarity, report.residual);
  r->force_correction = po_max(r->force_correction, report.force_correction);
  r->moment_correction = po_max(r->moment_correction, report.moment_correction);
  r->unconverged += report.unconverged > 0;
}

static int run_finished(const po_run *r) { return r->scenario->finished && r->scenario->finished(r); }

/* A study's step is a unit. */
static int run_unit(po_run *r) {
  const po_study *s = r->scenario->study;
  po_error err;
  po_status st = PO_OK;
  int all = s->units(r);
  if (r->outcome != PO_RUNNING || r->units_done >= all) return 0;
  if (r->units_done == 0 && s->prepare) st = s->prepare(r, &err);
  r->unit.size = 0;
  if (st == PO_OK && (st = s->unit(r, &r->unit, r->units_done, &err)) == PO_OK && r->unit.failed) st = po_fail(&err, PO_ERR_MEMORY, "out of memory");
  if (st == PO_OK) st = s->join(r, r->units_done, r->unit.data, r->unit.size, &err);
  if (st != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
  return st == PO_OK && r->units_done < all;
}

int po_run_step(po_run *r) {
  po_status s = PO_OK;
  po_error err;
  double started = r->opts.clock ? r->opts.clock() : 0;
  if (r->scenario->study) return run_unit(r);
  if (!run_anybody_left(r) || r->steps >= r->total_steps || run_finished(r)) return 0;
  po_run_apply_changes(r);
  if (r->scenario->before && (s = r->scenario->before(r)) != PO_OK) po_run_fail(r, PO_FAILED, "%s: %s", r->scenario->name, po_status_string(s));
  if (s == PO_OK && (s = po_sim_step(r->sim, &err)) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
  if (s != PO_OK) return 0;
  if (r->opts.dump && r->sim->controlled && po_run_wbc(r, 0)) po_hqp_write(r->opts.dump, &po_run_wbc(r, 0)->problem);
  if (r->opts.clock) run_profile(r, r->steps);
  r->steps = r->sim->steps;
  r->time = r->sim_seconds = r->sim->time;
  run_watch_world(r);
  if (r->opts.clock) r->wall_seconds += r->opts.clock() - started;
  run_watch_falls(r);
  if (r->scenario->observe) r->scenario->observe(r);
  if (r->watcher.step) r->watcher.step(r->watcher.user, r);
  return run_anybody_left(r) && r->steps < r->total_steps && !run_finished(r);
}

/* A body that is nothing but masses falls through every floor, and nothing it does can be judged. */
static int run_can_touch(const po_model *m) {
  int i;
  for (i = 0; i < m->shapes; i++)
    if (m->shape[i].body >= 0) return 1;
  return 0;
}

void po_run_finish(po_run *r) {
  int k, over = r->scenario->study ? r->units_done >= r->scenario->study->units(r) : r->steps >= r->total_steps || run_finished(r);
  if (r->model && !run_can_touch(r->model)) po_run_fail(r, PO_FAILED, "model '%s' has no shape to touch anything with", r->model->name);
  if (r->scenario->judge) r->scenario->judge(r);
  if (r->outcome == PO_RUNNING && !over) po_run_fail(r, PO_FAILED, "interrupted at %g s", r->time);
  if (r->outcome == PO_RUNNING) r->outcome = PO_SUCCESS;
  for (k = 0; r->verdict && k < r->sim->characters; k++)
    if (r->sim->character[k].move && r->verdict[k].outcome == PO_RUNNING) {
      int alone = r->outcome != PO_SUCCESS && r->fell_at < 0; /* what failed the whole run failed each that had not fallen */
      r->verdict[k].outcome = alone ? r->outcome : PO_SUCCESS;
      if (alone) memcpy(r->verdict[k].reason, r->reason, sizeof r->reason);
    }
  if (r->watcher.finish) r->watcher.finish(r->watcher.user, r);
}

uint64_t po_run_hash(const po_run *r) { return r->scenario->study ? r->study_hash : po_world_hash(r->world); }

/* ---- results ---- */

void po_run_set_result(po_run *r, const char *name, double value) {
  int i;
  for (i = 0; i < r->result_count && strcmp(r->result[i].name, name); i++) {}
  if (i == PO_RUN_RESULTS) {
    po_run_fail(r, PO_FAILED, "more than %d results: '%s' has no room", PO_RUN_RESULTS, name);
    return;
  }
  if (i == r->result_count) r->result_count++;
  r->result[i].name = name;
  r->result[i].value = value;
  r->result[i].is_null = !po_isfinite(value);
}

double po_run_result(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < r->result_count; i++)
    if (!strcmp(r->result[i].name, name)) return r->result[i].is_null ? PO_NAN : r->result[i].value;
  return PO_NAN;
}
