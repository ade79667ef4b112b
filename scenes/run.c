/* run.c: the clockwork of a run: set up, control ticks, pushes, changes, steps, falls, the verdict. */
#include "scenes.h"
#include <stdarg.h>
#include <string.h>

/* A fall, DESIGN section 4: the COM lower than this share of standing for this long, or a link other than a foot on the terrain. */
#define RUN_LOW_SHARE 0.45
#define RUN_LOW_SECONDS 0.1
#define RUN_NOISE 0.05

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

/* ---- parameters ---- */

static po_status run_apply(po_run *r, const char *name, const char *value, po_error *err) {
  const po_scenario *s = r->scenario;
  const char *end = NULL, *names[96];
  const char *near;
  double x;
  int g, i, n = 0;
  for (i = 0; s->text && s->text[i].name && i < 8; i++) {
    names[n++] = s->text[i].name;
    if (!strcmp(s->text[i].name, name)) {
      r->text[i].value = value;
      return PO_OK;
    }
  }
  for (g = 0; g < 3 && s->group[g].table; g++) {
    const po_param *table = s->group[g].table;
    int count = *s->group[g].count;
    for (i = 0; i < count && n < 96; i++) names[n++] = table[i].name;
    if (!po_param_find(table, count, name)) continue;
    if (po_parse_double(&x, value, value + strlen(value), &end) != PO_OK || *end)
      return po_fail(err, PO_ERR_PARSE, "%s=%s: a number is needed", name, value);
    return po_param_set((char *)r->params + s->group[g].offset, table, count, name, x, err);
  }
  near = po_nearest(name, names, n);
  if (near) return po_fail(err, PO_ERR_NAME, "scenario '%s' has no parameter '%s': did you mean '%s'?", s->name, name, near);
  return po_fail(err, PO_ERR_NAME, "scenario '%s' has no parameter '%s'; `poise list %s` tells which there are", s->name, name, s->name);
}

static po_status run_parameters(po_run *r, po_error *err) {
  const po_scenario *s = r->scenario;
  po_status st;
  int g, i;
  for (g = 0; g < 3 && s->group[g].table; g++)
    po_param_defaults((char *)r->params + s->group[g].offset, s->group[g].table, *s->group[g].count);
  for (i = 0; s->text && s->text[i].name && i < 8; i++) {
    r->text[i].name = s->text[i].name;
    r->text[i].value = s->text[i].fallback;
  }
  for (i = 0; i < r->opts.sets; i++)
    if ((st = run_apply(r, r->opts.set[i].name, r->opts.set[i].value, err)) != PO_OK) return st;
  return PO_OK;
}

/* Changes are checked before the run starts, so that a typo at t = 50 does not show after 50 s. */
static po_status run_check_changes(po_run *r, po_error *err) {
  size_t n = r->scenario->params_bytes;
  po_setting text[8];
  void *kept = po_alloc(n + 1);
  po_status st = PO_OK;
  int i;
  if (!kept) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memcpy(kept, r->params, n);
  memcpy(text, r->text, sizeof text);
  for (i = 0; i < r->opts.ats && st == PO_OK; i++) {
    if (!(r->opts.at[i].time >= 0)) st = po_fail(err, PO_ERR_RANGE, "a change at %g s: times start at 0", r->opts.at[i].time);
    else if (i && r->opts.at[i].time < r->opts.at[i - 1].time) st = po_fail(err, PO_ERR_RANGE, "changes must come in the order of their times");
    else st = run_apply(r, r->opts.at[i].name, r->opts.at[i].value, err);
  }
  memcpy(r->params, kept, n);
  memcpy(r->text, text, sizeof text);
  po_free(kept);
  return st;
}

const char *po_run_text(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < 8; i++)
    if (r->text[i].name && !strcmp(r->text[i].name, name)) return r->text[i].value;
  return NULL;
}

/* ---- making ---- */

static po_status run_model(po_run *r, po_error *err) {
  const char *name = r->opts.model ? r->opts.model : r->scenario->model;
  size_t n;
  char *text;
  po_status s;
  if (!name) return PO_OK;
  n = strlen(name);
  if (n < 5 || strcmp(name + n - 5, ".urdf")) return po_body_model(&r->model, name, err);
  if ((s = po_read_file(&text, &n, name, 0, err)) != PO_OK) return s;
  s = po_urdf_read(&r->model, text, n, name, NULL, err);
  po_free(text);
  return s;
}

static po_status run_check_opts(po_run *r, po_error *err) {
  const po_run_opts *o = &r->opts;
  int i;
  if (!(o->dt > 0 && o->dt <= 0.1)) return po_fail(err, PO_ERR_RANGE, "dt = %g: a step must be in (0, 0.1] seconds", o->dt);
  if (!(o->seconds > 0 && o->seconds <= 1e6)) return po_fail(err, PO_ERR_RANGE, "seconds = %g: must be positive", o->seconds);
  if (!(o->control_hz > 0 && o->control_hz <= 1 / o->dt * 1.000001))
    return po_fail(err, PO_ERR_RANGE, "control_hz = %g: must be positive and at most 1/dt = %g", o->control_hz, 1 / o->dt);
  if (o->pushes > PO_RUN_PUSHES) return po_fail(err, PO_ERR_SIZE, "at most %d pushes", PO_RUN_PUSHES);
  for (i = 0; i < o->pushes; i++) {
    const po_push *p = &o->push[i];
    if (!(p->time >= 0 && p->duration >= 0) || !po_isfinite(p->force.x + p->force.y + p->force.z))
      return po_fail(err, PO_ERR_RANGE, "push %d: time and duration must not be negative, the force finite", i + 1);
    if (p->link && (!r->model || po_find_body(r->model, p->link) < 0))
      return po_fail(err, PO_ERR_NAME, "push %d: the body has no link '%s'", i + 1, p->link);
  }
  return PO_OK;
}

static po_status run_prepare(po_run *r, po_error *err) {
  const po_scenario *s = r->scenario;
  po_status st;
  int k, nv;
  if ((st = run_model(r, err)) != PO_OK || (st = run_check_opts(r, err)) != PO_OK) return st;
  r->params = po_alloc(s->params_bytes + 1);
  r->state = po_alloc(s->state_bytes + 1);
  nv = r->model ? r->model->nv : 1;
  r->peak_torque = po_alloc(sizeof(double) * (size_t)nv);
  r->total_steps = (long)(r->opts.seconds / r->opts.dt + 0.5);
  r->control_every = (int)(1 / (r->opts.control_hz * r->opts.dt) + 0.5);
  if (!r->params || !r->state || !r->peak_torque) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = run_parameters(r, err)) != PO_OK || (st = run_check_changes(r, err)) != PO_OK) return st;
  r->opts.wbc.clock = r->opts.clock;
  if ((st = s->init(r, err)) != PO_OK) return st; /* may set how long the run is */
  for (k = 0; k < PO_PHASES && r->opts.clock; k++)
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
  if (r->opts.dt == 0) r->opts.dt = s->dt;
  if (r->opts.control_hz == 0) r->opts.control_hz = po_min(s->control_hz, 1 / r->opts.dt);
  r->fell_at = r->low_since = -1;
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
  po_world_free(r->world);
  po_terrain_free(r->terrain);
  for (k = 0; k < 2; k++) po_model_free(r->spare[k]);
  po_model_free(r->model);
  for (k = 0; k < PO_PHASES; k++) po_free(r->profile[k]);
  po_free(r->peak_torque);
  po_free(r->params);
  po_free(r->state);
  po_free(r);
}

po_status po_run_add_noise(po_run *r, int character) {
  const po_model *m = po_world_model(r->world, character);
  double *v = po_world_v(r->world, character);
  po_rng rng;
  int i;
  if (!r->opts.seed) return PO_OK;
  po_rng_init(&rng, r->opts.seed, (uint64_t)character);
  for (i = 0; i < m->nv; i++) v[i] += po_rng_range(&rng, -RUN_NOISE, RUN_NOISE);
  return PO_OK;
}

/* ---- running ---- */

void po_run_fail(po_run *r, po_outcome outcome, const char *format, ...) {
  va_list list;
  if (r->outcome == PO_FELL || r->outcome == PO_FAILED) return; /* the first reason stays */
  r->outcome = outcome;
  if (outcome == PO_FELL) r->fell_at = r->time;
  va_start(list, format);
  po_formatv(r->reason, sizeof r->reason, format, list);
  va_end(list);
}

static void run_push(po_run *r) {
  int i;
  for (i = 0; i < r->opts.pushes && r->model; i++) {
    const po_push *p = &r->opts.push[i];
    int body = po_find_body(r->model, p->link ? p->link : "thorax");
    po_data *d = po_world_data(r->world, 0);
    if (r->time < p->time - 1e-12 || r->time >= p->time + p->duration - 1e-12) continue;
    if (body < 0) body = 0;
    po_world_kinematics(r->world, 0);
    po_world_force(r->world, 0, body, p->force, po_point_position(d, body, po_world_model(r->world, 0)->inertia[body].com));
  }
}

static void run_changes(po_run *r) {
  po_error err;
  while (r->next_change < r->opts.ats && r->opts.at[r->next_change].time <= r->time + 1e-12) {
    const po_change *c = &r->opts.at[r->next_change++];
    if (run_apply(r, c->name, c->value, &err) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
    if (r->scenario->changed) r->scenario->changed(r);
  }
}

static void run_watch(po_run *r) {
  const po_contact *c;
  const po_data *d = po_world_data(r->world, 0);
  po_surface ground;
  po_world_report report = po_world_last_report(r->world);
  double height;
  int i, count;
  r->complementarity = po_max(r->complementarity, report.residual);
  r->force_correction = po_max(r->force_correction, report.force_correction);
  r->moment_correction = po_max(r->moment_correction, report.moment_correction);
  r->unconverged += report.unconverged > 0;
  if (!r->wbc) return; /* things may lie about; only who controls can fall */
  c = po_world_contacts(r->world, &count);
  for (i = 0; i < count; i++)
    if (c[i].a == 0 && c[i].b < 0 && c[i].gap < 1e-3 && po_v3_dot(c[i].impulse, c[i].normal) > 0 &&
        strncmp(r->model->body_name[c[i].body_a], "foot", 4) && strncmp(r->model->body_name[c[i].body_a], "toes", 4))
      po_run_fail(r, PO_FELL, "%s touched the ground", r->model->body_name[c[i].body_a]);
  po_world_kinematics(r->world, 0);
  po_com((po_data *)d);
  ground = po_terrain_surface_at(r->terrain ? r->terrain : po_terrain_flat(), d->com.x, d->com.y);
  height = d->com.z - ground.height;
  if (!(height < RUN_LOW_SHARE * r->standing_height)) r->low_since = -1;
  else if (r->low_since < 0) r->low_since = r->time;
  else if (r->time - r->low_since >= RUN_LOW_SECONDS) po_run_fail(r, PO_FELL, "the COM sank to %.2f m", height);
}

static void run_profile(po_run *r, long step, int controlled) {
  po_world_profile w = po_world_last_profile(r->world);
  double t[PO_PHASES] = {w.collision, w.dynamics, 0, 0, w.assemble + w.solve, w.integrate};
  int k;
  if (controlled && r->wbc) {
    t[PO_PHASE_KINEMATICS] += r->wbc->profile.dynamics;
    t[PO_PHASE_PROBLEM] += r->wbc->profile.problem;
    t[PO_PHASE_SOLVE] += r->wbc->profile.solve;
  }
  for (k = 0; k < PO_PHASES; k++) r->profile[k][step] = (float)(1e6 * t[k]);
}

static void run_torques(po_run *r, const double *tau) {
  int i;
  for (i = 0; r->model && i < r->model->nv; i++)
    if (po_abs(tau[i]) > r->peak_torque[i]) r->peak_torque[i] = po_abs(tau[i]);
}

/* Advances the world by one step, by forward dynamics or with the optimizer's accelerations. */
static po_status run_advance(po_run *r) {
  const double *qdd[64] = {NULL};
  if (!r->opts.optimizer || !r->wbc) return po_world_step(r->world, r->opts.dt);
  qdd[0] = r->wbc->qdd;
  return po_world_advance(r->world, qdd, r->opts.dt);
}

int po_run_step(po_run *r) {
  int controlled = 0;
  po_status s = PO_OK;
  double started = r->opts.clock ? r->opts.clock() : 0;
  if (r->outcome != PO_RUNNING || r->steps >= r->total_steps) return 0;
  run_changes(r);
  run_push(r);
  if (r->scenario->control) {
    if (r->steps % r->control_every == 0) {
      s = r->scenario->control(r);
      controlled = 1;
      r->control_ticks++;
      if (r->opts.dump && r->wbc) po_hqp_write(r->opts.dump, &r->wbc->problem);
    } else if (r->wbc)
      memcpy(po_world_tau(r->world, 0), r->wbc->tau, sizeof(double) * (size_t)r->model->nv);
    if (s != PO_OK) po_run_fail(r, PO_FAILED, "control failed: %s", po_status_string(s));
    run_torques(r, po_world_tau(r->world, 0));
  }
  if (s == PO_OK && (s = run_advance(r)) != PO_OK) po_run_fail(r, PO_FAILED, "the step failed: %s", po_status_string(s));
  if (r->opts.clock) run_profile(r, r->steps, controlled);
  r->steps++;
  r->time = r->sim_seconds = (double)r->steps * r->opts.dt;
  if (r->opts.clock) r->wall_seconds += r->opts.clock() - started;
  run_watch(r);
  if (r->scenario->observe) r->scenario->observe(r);
  if (r->watcher.step) r->watcher.step(r->watcher.user, r);
  return r->outcome == PO_RUNNING && r->steps < r->total_steps && !(r->scenario->finished && r->scenario->finished(r));
}

void po_run_finish(po_run *r) {
  if (r->scenario->judge) r->scenario->judge(r);
  if (r->outcome == PO_RUNNING) {
    if (r->steps < r->total_steps && !(r->scenario->finished && r->scenario->finished(r))) po_run_fail(r, PO_FAILED, "interrupted at %g s", r->time);
    else r->outcome = PO_SUCCESS;
  }
  if (r->watcher.finish) r->watcher.finish(r->watcher.user, r);
}

uint64_t po_run_hash(const po_run *r) { return po_world_hash(r->world); }

/* ---- results ---- */

void po_run_set_result(po_run *r, const char *name, double value) {
  int i;
  for (i = 0; i < r->result_count && strcmp(r->result[i].name, name); i++) {}
  if (i == PO_RUN_RESULTS) return;
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
