/* simbicon.c: walking and running by SIMBICON, in the gaits of models/gaits/ or one of the user's (docs/simbicon.md). */
#include "../ctrl/moves/moves.h"
#include "scenes.h"
#include <string.h>

typedef struct simscene_params { double friction; } simscene_params;
static const po_param simscene_param[] = {{"friction", 0.8, 0.1, 3, "", "of the ground", offsetof(simscene_params, friction)}};

/* The scene reads it itself, since it belongs to a body; it may change while running. */
static po_status simscene_text(void *move_params, const po_move_type *type, const char *value, po_error *err) {
  (void)move_params;
  (void)type;
  (void)value;
  (void)err;
  return PO_OK;
}
static const po_text_param simscene_texts[] = {{"controller", "walk", "a gait of the body (walk, run, back, ...), or a .json file", simscene_text}, {NULL, NULL, NULL, NULL}};

#define SIMSCENE_SETTLE 5.0   /* s: what is measured begins here */
#define SIMSCENE_PACE 1.5     /* s: one step in so long is the least */
#define SIMSCENE_FREEDOMS 64

typedef struct simscene_state {
  long steps;                 /* of the move, last seen */
  long counted;               /* steps since it settled */
  double length, period, path, seconds, flight, heading_sum; /* sums since then */
  double last_strike;         /* s; < 0: none yet */
  po_vec3 last, foot;         /* COM in the last step; the foot that struck last, at its strike */
  double q[2][SIMSCENE_FREEDOMS]; /* at the last strike of each foot */
  double cycle_error;         /* of the last strike; NaN: not yet */
  int seen[2];
} simscene_state;

/* The index of a gait by name or file, which is made known to the move when it is not yet. */
static po_status simscene_gait(po_move *s, const char *name, int *index, po_error *err) {
  po_gait_table *table;
  po_status st;
  if ((*index = po_simbicon_find(s, name)) >= 0) return PO_OK;
  if (!(table = po_alloc(sizeof *table))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = po_gait_load(table, s->actor->model->name, name, err)) == PO_OK) {
    po_format(table->name, sizeof table->name, "%s", name); /* a file is known by its path */
    st = po_simbicon_add(index, s, table, err);
  }
  po_free(table);
  return st;
}

static po_status simscene_init(po_run *r, po_error *err) {
  simscene_state *s = r->state;
  po_world_opts w = po_world_opts_default();
  po_move *m;
  po_status st;
  int i, index;
  w.mu = ((const simscene_params *)r->params)->friction;
  if ((st = po_run_world(r, &w, 1, err)) != PO_OK || (st = po_run_sim(r, err)) != PO_OK) return st;
  m = po_run_move(r, 0);
  if (r->model->nq > SIMSCENE_FREEDOMS) return po_fail(err, PO_ERR_SIZE, "a body of more than %d coordinates", SIMSCENE_FREEDOMS);
  for (i = 0; i < r->opts.ats; i++) /* so that a wrong name does not show only then */
    if (!strcmp(r->opts.at[i].name, "controller") && (st = simscene_gait(m, r->opts.at[i].value, &index, err)) != PO_OK) return st;
  if ((st = simscene_gait(m, po_run_text(r, "controller"), &index, err)) != PO_OK) return st;
  if ((st = po_simbicon_choose(m, index)) != PO_OK || (st = po_simbicon_start(po_world_q(r->world, 0), po_world_v(r->world, 0), m, index, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->last_strike = -1;
  s->cycle_error = PO_NAN;
  return PO_OK;
}

static void simscene_changed(po_run *r, const char *name) {
  po_error err;
  int index;
  if (strcmp(name, "controller")) return;
  if (simscene_gait(po_run_move(r, 0), po_run_text(r, "controller"), &index, &err) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
  else po_simbicon_choose(po_run_move(r, 0), index);
}

/* ---- what is seen ---- */

/* The largest difference of a joint between this strike and the last of the same foot. */
static void simscene_compare(po_run *r, int foot) {
  simscene_state *s = r->state;
  const double *q = po_world_q(r->world, 0);
  double dv[SIMSCENE_FREEDOMS];
  int i;
  if (s->seen[foot]) {
    po_difference(dv, r->model, s->q[foot], q);
    s->cycle_error = 0;
    for (i = r->model->joint[0].nv; i < r->model->nv; i++) s->cycle_error = po_max(s->cycle_error, po_abs(dv[i]));
  }
  memcpy(s->q[foot], q, sizeof(double) * (size_t)r->model->nq);
  s->seen[foot] = 1;
}

/* A foot has just become the stance foot. */
static void simscene_strike(po_run *r, const po_simbicon_state *m, po_vec3 along) {
  simscene_state *s = r->state;
  po_vec3 foot = po_frame_position(po_world_data(r->world, 0), po_run_move(r, 0)->actor->patches.patch[m->stance].heel);
  if (s->last_strike >= SIMSCENE_SETTLE) {
    s->counted++;
    s->length += po_v3_dot(along, po_v3_sub(foot, s->foot));
    s->period += r->time - s->last_strike;
  }
  s->last_strike = r->time;
  s->foot = foot;
  simscene_compare(r, m->stance);
}

static void simscene_observe(po_run *r) {
  simscene_state *s = r->state;
  const po_simbicon_state *m = po_simbicon_now(po_run_move(r, 0));
  const po_data *d = po_world_data(r->world, 0);
  const po_feet *feet = &r->sim->character[0].feet;
  double si, co, off;
  po_vec3 along;
  po_sincos(&si, &co, m->facing);
  along = po_v3(co, si, 0);
  if (m->steps != s->steps) simscene_strike(r, m, along);
  s->steps = m->steps;
  if (r->time > SIMSCENE_SETTLE) {
    s->path += po_v3_dot(along, po_v3_sub(d->com, s->last));
    s->seconds += r->opts.dt;
    if (feet->patch[0].force <= 0 && feet->patch[1].force <= 0) s->flight += r->opts.dt;
    off = po_wrap(po_actor_heading(po_run_move(r, 0)->actor) - PO_RAD(((const po_simbicon_params *)po_move_params(po_run_move(r, 0)))->heading));
    s->heading_sum += off * r->opts.dt;
  }
  s->last = d->com;
}

static void simscene_judge(po_run *r) {
  const simscene_state *s = r->state;
  int measured = s->seconds > 0;
  double n = (double)s->counted;
  po_run_set_result(r, "mean_speed", measured ? s->path / s->seconds : PO_NAN);
  po_run_set_result(r, "steps", (double)s->steps);
  po_run_set_result(r, "step_length_mean", n > 0 ? s->length / n : PO_NAN);
  po_run_set_result(r, "step_period_mean", n > 0 ? s->period / n : PO_NAN);
  po_run_set_result(r, "heading_error_deg", measured ? PO_DEG(po_abs(s->heading_sum / s->seconds)) : PO_NAN);
  po_run_set_result(r, "cycle_error", s->cycle_error);
  po_run_set_result(r, "flight_share", measured ? s->flight / s->seconds : PO_NAN);
  if (r->outcome == PO_RUNNING && n < floor(s->seconds / SIMSCENE_PACE)) po_run_fail(r, PO_FAILED, "%ld steps in %.1f s: it does not walk", s->counted, s->seconds);
}

const po_scenario po_scenario_simbicon = {
  .name = "simbicon", .summary = "walk or run by a state machine of target angles (SIMBICON), change gait, take pushes",
  .success = "does not fall; at least one step per 1.5 s after the first 5 s",
  .model = "bird", .move = "simbicon", .seconds = 20, .dt = 0.0005, .control_hz = 2000, .text = simscene_texts,
  .param = simscene_param, .params = 1, .params_bytes = sizeof(simscene_params),
  .state_bytes = sizeof(simscene_state), .init = simscene_init, .observe = simscene_observe, .judge = simscene_judge, .changed = simscene_changed};
