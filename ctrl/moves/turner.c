/* turner.c: the clockwork of movements that turn over: stages by their table, and what most of them share. */
#include "turner.h"
#include <string.h>

#define TURNER_STOOD 0.5 /* s of standing still: it has landed */

/* ---- the table of functions ---- */

void po_turner_layout(po_move *move, const po_model *m, po_arena *arena) { po_tumbler_layout(&po_turner_of(move)->body, m, arena); }

po_status po_turner_init(po_move *move, const po_turner_row *stages, const double *wait, const po_takeoff_params *takeoff, const po_landing_params *landing,
                         po_error *err) {
  po_status s = po_phase_init(&po_turner_of(move)->turning.phase, move->actor->model, PO_BY_TRUNK, err);
  if (s == PO_OK) po_turner_parts(move, stages, wait, takeoff, landing);
  return s;
}

void po_turner_parts(po_move *move, const po_turner_row *stages, const double *wait, const po_takeoff_params *takeoff, const po_landing_params *landing) {
  po_turner *t = po_turner_of(move);
  t->stages = stages;
  t->wait = wait;
  t->takeoff_params = takeoff;
  t->landing_params = landing;
  po_tumbler_measure(&t->body, move->actor);
}

po_status po_turner_attach(po_move *move, po_error *err) {
  (void)err;
  po_tumbler_attach(&po_turner_of(move)->body);
  return PO_OK;
}

/* The first end of its stage that has come, or NULL. */
static const struct po_turner_exit *turner_over(const po_turner *t) {
  const po_turner_row *s = &t->stages[t->stage];
  int i;
  for (i = 0; i < PO_TURNER_EXITS && s->exit[i].until; i++)
    if (s->exit[i].until(&t->move)) return &s->exit[i];
  return NULL;
}

void po_turner_aim(po_move *move, const po_sense *sense) {
  po_turner *t = po_turner_of(move);
  const struct po_turner_exit *over;
  if (t->turns && move->time > 0) po_phase_update(&t->turning.phase, move->actor->data, sense->dt);
  move->com_target = move->actor->data->com;
  t->sense = sense;
  do {
    t->stages[t->stage].ask(move);
    if (!(over = turner_over(t))) break;
    t->stage = over->next;
    t->time = 0;
    if (t->stages[t->stage].begin) t->stages[t->stage].begin(move);
  } while (over->at_once);
  t->time += sense->dt;
  t->turning.steps = t->landing.steps;
}

po_move_outcome po_turner_done(const po_move *move) {
  const po_turner *t = po_turner_of(move);
  return t->stages[t->stage].exit[0].until ? PO_MOVE_GOING : PO_MOVE_DONE;
}
int po_turner_stage(const po_move *move) { return po_turner_of(move)->stage; }
const char *po_turner_stage_name(const po_move *move) { return po_turner_of(move)->stages[po_turner_of(move)->stage].name; }
po_status po_turner_set_model(po_move *move) { return move->type->init(move, NULL); }

const po_turning *po_turning_of(const po_move *move) { return move && move->type->aim == po_turner_aim ? &po_turner_of(move)->turning : NULL; }

/* ---- its phase and its reach ---- */

static po_phase_by turner_by(double by) { return (po_phase_by)(int)(by + 0.5); }

void po_turner_begin(po_turner *t, int forward, double by) { po_turner_begin_about(t, po_v3_scale(forward ? 1 : -1, po_tumbler_left(&t->body)), by); }

void po_turner_begin_about(po_turner *t, po_vec3 axis, double by) {
  po_phase *phase = &t->turning.phase;
  po_phase_init(phase, t->move.actor->model, PO_BY_TRUNK, NULL);
  phase->by = turner_by(by) == PO_BY_TIME ? PO_BY_TRUNK : turner_by(by); /* the clock runs from take-off on */
  po_phase_start(phase, t->move.actor->data, axis);
  t->turns = 1;
}

void po_turner_by_clock(po_turner *t, double by, double turn, double seconds) {
  if (turner_by(by) != PO_BY_TIME) return;
  t->turning.phase.by = PO_BY_TIME;
  t->turning.phase.nominal = seconds > 0 ? turn / seconds : 0;
}

void po_turner_beyond(po_turner *t, const char *format, double asked, double got) {
  if (t->turning.beyond_reach) return;
  t->turning.beyond_reach = 1;
  po_format(t->turning.reason, sizeof t->turning.reason, format, asked, got);
}

double po_turner_rise(const po_turner *t) {
  double v = po_max(t->move.actor->data->com_velocity.z, 0);
  return po_tumbler_over(&t->body) - t->body.h + v * v / (2 * t->body.gravity);
}

/* ---- what stages ask ---- */

void po_turner_take_off(po_move *move) {
  po_turner *t = po_turner_of(move);
  po_takeoff_aim(&t->takeoff, &t->body, t->takeoff_params, t->sense->dt);
}

void po_turner_land(po_move *move) {
  po_turner *t = po_turner_of(move);
  po_landing_aim(&t->landing, &t->body, t->landing_params, t->sense->dt);
  if (t->landing.stage == PO_LANDING_DOWN) move->com_target = t->landing.capture;
}

void po_turner_catch(po_move *move) {
  po_turner *t = po_turner_of(move);
  if (!po_turner_stuck(move)) return;
  po_turner_beyond(t, "a rise of %.2f m is beyond reach: the feet did not leave the ground in %.1f s", t->takeoff.rise, t->takeoff.time);
  t->landing.stage = PO_LANDING_DOWN;
  t->landing.caught = 1;
}

/* ---- until when ---- */

int po_turner_waited(const po_move *move) { return po_turner_of(move)->time >= *po_turner_of(move)->wait; }
int po_turner_thrusts(const po_move *move) { return po_turner_of(move)->takeoff.stage == PO_TAKEOFF_THRUST; }
int po_turner_off(const po_move *move) { return po_turner_of(move)->takeoff.stage == PO_TAKEOFF_OFF; }
int po_turner_stuck(const po_move *move) { return po_turner_of(move)->takeoff.stage == PO_TAKEOFF_STUCK; }
int po_turner_landed(const po_move *move) { return po_turner_of(move)->landing.stage == PO_LANDING_DOWN; }
int po_turner_flies(const po_move *move) { return po_turner_of(move)->landing.stage == PO_LANDING_AIR; }
int po_turner_stood(const po_move *move) { return po_landing_stood(&po_turner_of(move)->landing, TURNER_STOOD); }
int po_turner_feet_touch(const po_move *move) { return po_patches_touching(&move->actor->patches, PO_BOTH_FEET) > 0; }
int po_turner_hands_touch(const po_move *move) { return po_patches_touching(&move->actor->patches, PO_BOTH_HANDS) > 0; }
