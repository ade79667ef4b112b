/* run_record.c: a run's recording: what the library's knows of its simulation, and what the scenario says: parameters, results, goals, plans. */
#include "scenes.h"
#include <math.h>
#include <string.h>

#define RECORD_NO_HEADING 100.0 /* rad: a goal without one; NaN is no number in files */
/* Room for what is long: a run of this many frames at the rate asked for is kept whole. */
#define RECORD_BYTES ((size_t)1 << 30)

/* Channels that a scenario may fill, in the order in which recordings have them. */
enum { RECORD_GOAL, RECORD_PHASE = RECORD_GOAL + 4, RECORD_PLAN, RECORD_CURVES = RECORD_PLAN + 12 };
static const char *const record_curve[RECORD_CURVES] = {
  "goal", "goal_x", "goal_y", "goal_heading", "phase", "plan_force_x", "plan_force_y", "plan_force_z", "plan_at_x", "plan_at_y", "plan_at_z",
  "plan_goal_x", "plan_goal_y", "plan_goal_z", "foothold_x", "foothold_y", "foothold_z"};

typedef struct run_record {
  po_record *record;
  int curve;                 /* the first of them */
  long plan;                 /* that was marked last */
} run_record;

/* ---- what does not change ---- */

static void record_text(po_record *record, po_note_kind kind, const char *name, const char *value) { po_record_note(record, kind, name, value, NULL, 0); }

/* Parameters as the scenario has them after its start, and which way the run is computed. */
static void record_notes(po_record *record, const po_run *r) {
  const po_run_opts *o = &r->opts;
  const po_param *p;
  char value[64];
  int i;
  for (i = 0; (p = po_run_param_at(r, i)) != NULL; i++) {
    po_format(value, sizeof value, "%.6g", po_run_param(r, i));
    po_record_note(record, PO_NOTE_PARAMETER, p->name, value, p->unit, po_run_was_set(r, p->name));
  }
  for (i = 0; i < r->texts; i++) po_record_note(record, PO_NOTE_PARAMETER, r->text[i].name, r->text[i].value, NULL, po_run_was_set(r, r->text[i].name));
  for (i = 0; i < o->ats; i++) {
    po_format(value, sizeof value, "%s at %g s", o->at[i].value, o->at[i].time);
    record_text(record, PO_NOTE_CHANGE, o->at[i].name, value);
  }
  record_text(record, PO_NOTE_OPTION, "simd", po_simd_string(po_get_simd()));
  if (po_run_move(r, 0)) record_text(record, PO_NOTE_OPTION, "control", po_run_move(r, 0)->type->name);
  if (!po_run_wbc(r, 0)) return;
  record_text(record, PO_NOTE_OPTION, "advance", o->optimizer ? "optimizer" : "forward");
  record_text(record, PO_NOTE_OPTION, "hqp", po_hqp_method_string(o->wbc.hqp.method));
  record_text(record, PO_NOTE_OPTION, "qp", po_qp_method_string(o->wbc.hqp.qp));
  record_text(record, PO_NOTE_OPTION, "formulation", po_formulation_string(o->wbc.formulation));
}

static void record_about(po_record *record, const po_run *r) {
  po_record_about about = {0};
  about.title = r->scenario->name;
  about.model = r->model ? r->model->name : "";
  about.command = r->opts.command;
  about.seed = r->opts.seed;
  about.dt = r->opts.dt;
  about.control_hz = r->opts.control_hz;
  po_record_describe(record, &about);
}

/* ---- frames ---- */

static void record_set3(po_record *record, int curve, po_vec3 v) {
  po_record_set(record, curve, v.x);
  po_record_set(record, curve + 1, v.y);
  po_record_set(record, curve + 2, v.z);
}

/* What a scenario says of what is being done, and where to. */
static void record_goal(const run_record *w, const po_run *r) {
  po_goal_mark m = {0, 0, 0, 0};
  if (r->scenario->stage) po_record_stage(w->record, r->scenario->stage(r));
  if (r->scenario->goal) r->scenario->goal(&m, r);
  po_record_set(w->record, w->curve + RECORD_GOAL, m.kind);
  po_record_set(w->record, w->curve + RECORD_GOAL + 1, m.x);
  po_record_set(w->record, w->curve + RECORD_GOAL + 2, m.y);
  po_record_set(w->record, w->curve + RECORD_GOAL + 3, po_isfinite(m.heading) ? m.heading : RECORD_NO_HEADING);
}

/* The plan that is followed. */
static void record_follow(const run_record *w, const po_run *r) {
  po_follow_mark m;
  if (!r->scenario->follow) return;
  memset(&m, 0, sizeof m);
  r->scenario->follow(&m, r);
  po_record_set(w->record, w->curve + RECORD_PHASE, m.phase);
  record_set3(w->record, w->curve + RECORD_PLAN, m.force);
  record_set3(w->record, w->curve + RECORD_PLAN + 3, m.at);
  record_set3(w->record, w->curve + RECORD_PLAN + 6, m.goal);
  record_set3(w->record, w->curve + RECORD_PLAN + 9, m.foothold);
}

/* What was planned since the last frame. */
static void record_marks(run_record *w, const po_run *r) {
  po_mark mark[PO_PLAN_MARKS];
  long serial = 0;
  int n;
  if (!r->scenario->marks) return;
  n = r->scenario->marks(mark, &serial, r);
  if (serial != w->plan && po_record_mark(w->record, mark, n) == PO_OK) w->plan = serial;
}

static void record_say(run_record *w, const po_run *r) {
  if (!po_world_count(r->world)) return;
  record_goal(w, r);
  record_follow(w, r);
  record_marks(w, r);
}

static void record_step(void *user, po_run *r) {
  run_record *w = user;
  if (!po_record_due(w->record)) return;
  record_say(w, r);
  po_record_frame(w->record);
}

static void record_finish(void *user, po_run *r) {
  run_record *w = user;
  po_record_about about = {0};
  char value[64];
  int i;
  record_say(w, r);
  po_record_last(w->record); /* who was stopped before the first step is shown where it stood */
  for (i = 0; i < r->result_count; i++) {
    if (r->result[i].is_null) po_format(value, sizeof value, "-");
    else po_format(value, sizeof value, "%.6g", r->result[i].value);
    record_text(w->record, PO_NOTE_RESULT, r->result[i].name, value);
  }
  about.outcome = po_outcome_string(r->outcome);
  about.reason = r->reason;
  about.hash = po_run_hash(r);
  about.wall_seconds = r->wall_seconds;
  po_record_describe(w->record, &about);
}

static void record_free(void *user) {
  run_record *w = user;
  if (w) po_record_free(w->record);
  po_free(w);
}

/* ---- making ---- */

po_status po_run_record(po_run *r, double hz, po_error *err) {
  po_record_opts o = po_record_opts_default();
  run_record *w = po_alloc(sizeof *w);
  double every = floor(1 / (hz * r->opts.dt) + 0.5); /* steps between frames */
  po_status s = PO_OK;
  int k, curve;
  if (!w) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  o.hz = 1 / (po_max(every, 1) * r->opts.dt);
  o.seconds = (double)r->total_steps * r->opts.dt;
  o.bytes = RECORD_BYTES;
  if ((s = po_record_new(&w->record, r->world, &o, err)) == PO_OK && r->sim) s = po_record_watch(w->record, r->sim, err);
  for (k = 0; s == PO_OK && k < RECORD_CURVES; k++)
    if ((s = po_record_curve(&curve, w->record, record_curve[k], NULL, err)) == PO_OK && !k) w->curve = curve;
  if (s != PO_OK) {
    record_free(w);
    return s;
  }
  record_about(w->record, r);
  record_notes(w->record, r);
  r->watcher.user = w;
  r->watcher.step = record_step;
  r->watcher.finish = record_finish;
  r->watcher.free = record_free;
  return PO_OK;
}

const po_trace *po_run_trace(const po_run *r) { return r->watcher.step == record_step ? po_record_trace(((const run_record *)r->watcher.user)->record) : NULL; }
