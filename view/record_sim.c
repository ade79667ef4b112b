/* record_sim.c: what a simulation knows beyond its world: pushes, targets and stages of movements, torques, times of solves. */
#include "record.h"

po_status po_record_watch(po_record *r, const po_sim *sim, po_error *err) {
  static const char *const turning[3] = {"theta", "inertia", "spin"};
  po_status s;
  int k, curve;
  if (!r || !sim || sim->world != r->world) return po_fail(err, PO_ERR_MODEL, "a recording watches the simulation of its own world");
  for (k = 0; k < 3; k++)
    if ((s = po_record_curve(&curve, r, turning[k], NULL, err)) != PO_OK) return s;
  r->turning = curve - 2;
  r->sim = sim;
  r->trace->dt = sim->opts.dt;
  r->trace->control_hz = sim->opts.control_hz;
  return PO_OK;
}

/* Pushes may come while it runs. */
static void watch_pushes(po_record *r) {
  po_trace *t = r->trace;
  if (r->sim->pushes < r->sim_pushes) r->sim_pushes = 0; /* they were cleared */
  for (; r->sim_pushes < r->sim->pushes && t->pushes < PO_SIM_PUSHES; r->sim_pushes++) {
    const po_push *p = &r->sim->push[r->sim_pushes];
    t->push[t->pushes].time = p->time;
    t->push[t->pushes].duration = p->duration;
    t->push[t->pushes].body = po_record_body(r, p->character, r->sim->push_body[r->sim_pushes]);
    po_v3_to(t->push[t->pushes++].force, p->force);
  }
}

/* Largest share of its limit that a joint of character 0 is asked for. */
static double watch_effort(const po_record *r) {
  const po_model *m = po_world_model(r->world, 0);
  const double *tau = r->sim->character[0].tau;
  double worst = 0;
  int i, k;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    for (k = 0; k < j->nv && k < 3 && j->type != PO_JOINT_FLOATING; k++)
      if (j->effort[k] > 0) worst = po_max(worst, po_abs(tau[j->v + k]) / j->effort[k]);
  }
  return worst;
}

/* What a movement that turns over knows of itself, alone or in a sequence; its stages. */
static void watch_turning(po_record *r, float *c, po_move *move) {
  const po_sequence *q = po_sequence_of(move);
  const po_data *d = po_world_data(r->world, 0);
  const po_turning *n;
  if (q) move = q->step[q->now.at < q->steps ? q->now.at : q->steps - 1].move;
  if (!(n = po_turning_of(move))) return;
  c[r->turning] = (float)n->phase.theta;
  c[r->turning + 1] = (float)po_inertia_about(d, n->phase.axis);
  c[r->turning + 2] = (float)po_v3_dot(n->phase.axis, po_v3_of(d->momentum));
  po_record_stage(r, po_move_phase_string(move));
}

void po_record_sim_frame(po_record *r, float *c) {
  const po_sim *sim = r->sim;
  po_move *move = sim->characters ? sim->character[0].move : NULL;
  watch_pushes(r);
  if (sim->characters) po_trace_put3(c + PO_CHANNEL_PUSH, sim->character[0].push);
  if (!move) return;
  if (po_isfinite(move->com_target.x)) po_trace_put3(c + PO_CHANNEL_TARGET, move->com_target);
  watch_turning(r, c, move);
  c[PO_CHANNEL_TORQUE] = (float)watch_effort(r);
  c[PO_CHANNEL_SOLVE] = (float)(1e6 * move->actor->profile.solve);
}
