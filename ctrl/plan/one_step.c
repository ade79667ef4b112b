/* one_step.c: from a strike to the next. */
#include "one_step.h"
#include "alone.h"
#include <string.h>

struct po_stepper {
  po_stepper_opts opts;
  const po_model *model;
  po_alone alone;
};

po_stepper_opts po_stepper_opts_default(void) {
  po_stepper_opts o = {0.0005, 0.8, 2, &po_simbicon_type};
  return o;
}

po_status po_stepper_new(po_stepper **stepper, const po_model *model, const po_stepper_opts *opts, po_error *err) {
  po_stepper *s;
  po_status st;
  if (!stepper || !model) return po_fail(err, PO_ERR_NULL, "steps need a model");
  *stepper = NULL;
  if (!(s = po_alloc(sizeof *s))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  s->opts = opts ? *opts : po_stepper_opts_default();
  s->model = model;
  if (s->opts.type != &po_simbicon_type && s->opts.type != &po_gbwc_type) st = po_fail(err, PO_ERR_MODEL, "steps are taken by simbicon or by gbwc");
  else if (!(s->opts.dt > 0 && s->opts.dt <= 0.01 && s->opts.friction >= 0 && s->opts.seconds > 0 && s->opts.seconds <= 60))
    st = po_fail(err, PO_ERR_RANGE, "dt, friction or seconds of a step is out of range");
  else st = po_alone_make(&s->alone, model, s->opts.type, s->opts.dt, s->opts.friction, "steps", err);
  if (st != PO_OK) po_stepper_free(s);
  else *stepper = s;
  return st;
}

void po_stepper_free(po_stepper *s) {
  if (!s) return;
  po_alone_free(&s->alone);
  po_free(s);
}

po_move *po_stepper_move(po_stepper *s) { return s->alone.move; }
po_sim *po_stepper_sim(po_stepper *s) { return s->alone.sim; }

static po_status stepper_place(po_stepper *s, const double *q, const double *v, po_step_begin_fn begin, void *user, po_error *err) {
  po_sense sense = po_sense_of(q, v, s->opts.dt);
  po_status st;
  memcpy(po_world_q(s->alone.world, 0), q, sizeof(double) * (size_t)s->model->nq);
  memcpy(po_world_v(s->alone.world, 0), v, sizeof(double) * (size_t)s->model->nv);
  if ((st = po_move_enter(s->alone.move, NULL, &sense, err)) != PO_OK) return st;
  st = begin(user, s->alone.move);
  return st == PO_OK ? st : po_fail(err, st, "a step cannot begin: %s", po_status_string(st));
}

po_status po_stepper_run(po_step_end *end, double *seconds, double *q, double *v, po_stepper *s, po_step_begin_fn begin, void *user, po_error *err) {
  po_status st;
  long steps;
  if (!end || !q || !v || !s || !begin) return po_fail(err, PO_ERR_NULL, "a step needs a state and a beginning");
  if ((st = po_alone_restart(&s->alone)) != PO_OK) return po_fail(err, st, "steps: %s", po_status_string(st));
  if ((st = stepper_place(s, q, v, begin, user, err)) != PO_OK) return st;
  steps = po_walker_steps(s->alone.move);
  *end = PO_STEP_STRUCK;
  while (po_walker_steps(s->alone.move) == steps && *end == PO_STEP_STRUCK) {
    if ((st = po_sim_step(s->alone.sim, err)) != PO_OK) return st;
    if (s->alone.sim->character[0].fall.at >= 0) *end = PO_STEP_FELL;
    else if (s->alone.sim->time > s->opts.seconds) *end = PO_STEP_LATE;
  }
  memcpy(q, po_world_q(s->alone.world, 0), sizeof(double) * (size_t)s->model->nq);
  memcpy(v, po_world_v(s->alone.world, 0), sizeof(double) * (size_t)s->model->nv);
  if (seconds) *seconds = s->alone.sim->time;
  return PO_OK;
}
