/* step.c: po_world_step and po_world_advance: the order of a step, and the promise that a failed one changes nothing. */
#include "world_internal.h"
#include <string.h>

static po_status step_check(const po_world *w, const double *const *qdd, double dt) {
  int i;
  if (!po_isfinite(dt)) return PO_ERR_NOT_FINITE;
  if (!(dt > 0) || dt > PO_MAX_STEP) return PO_ERR_RANGE;
  for (i = 0; i < w->count; i++) {
    const po_character *c = w->character[i];
    po_status status;
    if (c->parked) continue;
    status = po_check_state(c->model, c->q, c->v);
    if (status != PO_OK) return status;
    if (!po_all_finite(c->tau, c->model->nv)) return PO_ERR_NOT_FINITE;
    if (c->forced && (!po_all_finite(&c->force[0].x, 3 * c->model->nb) || !po_all_finite(&c->moment[0].x, 3 * c->model->nb))) return PO_ERR_NOT_FINITE;
    if (qdd && qdd[i] && !po_all_finite(qdd[i], c->model->nv)) return PO_ERR_NOT_FINITE;
  }
  for (i = 0; i < w->springs; i++)
    if (!po_spring_is(w, &w->spring[i])) return PO_ERR_RANGE;
  return PO_OK;
}

static void step_reset(po_world *w) {
  int i;
  memset(&w->report, 0, sizeof w->report);
  memset(&w->profile, 0, sizeof w->profile);
  memset(&w->work, 0, sizeof w->work);
  w->clamps = w->rows = w->groups = 0;
  for (i = 0; i < w->count; i++) {
    po_character *c = w->character[i];
    po_ports_clear(&c->ports);
    c->recovers = c->again = 0;
    memset(c->limit_impulse, 0, sizeof(double) * (size_t)c->model->nv);
  }
}

static void step_constraints(po_world *w, double dt) {
  int i;
  po_contact_constraints(w, dt);
  po_spring_constraints(w, dt);
  for (i = 0; i < w->count; i++)
    if (!w->character[i]->parked) po_limit_constraints(w, i, dt);
  for (i = 0; i < w->count; i++)
    if (w->character[i]->ports.count > 0) po_character_ports(w->character[i]);
  po_groups_make(w);
}

/* A second try for a group: who was taken for free is held now, and velocity terms are those of the velocity that the first try ended with. */
static po_status step_again(po_world *w, const po_group *g, double dt) {
  int l, s;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      po_status status;
      if (c->again) continue;
      c->again = 1;
      if (c->free) memcpy(c->y, c->y_start, sizeof(double) * 6);
      status = po_character_accelerate(w, row->side[s].character, NULL, dt);
      if (status != PO_OK) return status;
      po_character_ports(c);
    }
  }
  for (l = 0; l < g->count; l++)
    if (w->row[w->order[g->first + l]].kind == PO_HOLD_CONTACT) po_contact_regrip(w, &w->row[w->order[g->first + l]]);
  po_solve_again(w, g);
  return PO_OK;
}

static const double *step_recovery(const po_character *c) { return c->recovers ? c->recover : NULL; }

/* Where everybody ends up; groups in which somebody's momentum came out wrong are tried once more. */
static po_status step_move(po_world *w, double dt) {
  int i, l, s, *again = w->root; /* by group; nobody needs the roots any more */
  po_status status;
  for (i = 0; i < w->groups; i++) again[i] = 0;
  for (i = 0; i < w->count; i++) {
    po_character *c = w->character[i];
    if (c->parked) continue;
    c->failed = po_character_try(w, c, step_recovery(c), dt);
    if (!c->failed || c->ports.count > 0) continue;
    c->again = 1; /* alone: it has just lost its hold */
    if ((status = po_character_accelerate(w, i, NULL, dt)) != PO_OK) return status;
    po_character_try(w, c, NULL, dt);
    c->again = 0;
  }
  for (i = 0; i < w->rows; i++)
    for (s = 0; s < w->row[i].sides; s++) {
      const po_character *c = w->character[w->row[i].side[s].character];
      if (c->failed && again[w->row[i].group] == 0) again[w->row[i].group] = 1;
      if (c->given || c->bounced || w->row[i].kind == PO_HOLD_SPRING) again[w->row[i].group] = -1; /* what cannot be taken back */
    }
  for (i = 0; i < w->groups; i++) {
    const po_group *g = &w->group[i];
    if (again[i] <= 0) continue;
    if ((status = step_again(w, g, dt)) != PO_OK) return status;
    w->report.retried++;
    for (l = 0; l < g->count; l++)
      for (s = 0; s < w->row[w->order[g->first + l]].sides; s++) {
        po_character *c = w->character[w->row[w->order[g->first + l]].side[s].character];
        if (c->again) po_character_try(w, c, step_recovery(c), dt);
        c->again = 0;
      }
  }
  return PO_OK;
}

static int step_finite(const po_world *w) {
  int i;
  for (i = 0; i < w->count; i++) {
    const po_character *c = w->character[i];
    if (c->parked) continue;
    if (!po_all_finite(c->q1, c->model->nq) || !po_all_finite(c->v1, c->model->nv) || !po_isfinite(c->energy1)) return 0;
  }
  return 1;
}

static void step_commit(po_world *w, double dt) {
  int i;
  for (i = 0; i < w->count; i++) {
    po_character *c = w->character[i];
    const po_model *m = c->model;
    if (c->parked) continue;
    memcpy(c->q, c->q1, sizeof(double) * (size_t)m->nq);
    memcpy(c->v, c->v1, sizeof(double) * (size_t)m->nv);
    memset(c->tau, 0, sizeof(double) * (size_t)m->nv);
    po_character_seen(c);
    c->held = c->pushed;
    if (c->forced) {
      memset(c->force, 0, sizeof(po_vec3) * (size_t)m->nb);
      memset(c->moment, 0, sizeof(po_vec3) * (size_t)m->nb);
      c->forced = 0;
    }
  }
  po_energy_commit(w);
  w->time += dt;
  w->last_dt = dt;
  w->steps++;
  if (w->grasps) po_grasps_watch(w);
}

/* After a failure the old contacts are current again, and no kinematics are trusted. */
static po_status step_undo(po_world *w, po_status status, int detected) {
  int i;
  for (i = 0; i < w->count; i++) w->character[i]->q_seen[0] = PO_NAN;
  if (detected) {
    po_contact *contact = w->contact;
    po_vec3 *warm = w->warm;
    w->contact = w->old_contact;
    w->warm = w->old_warm;
    w->contacts = w->old_contacts;
    w->old_contact = contact;
    w->old_warm = warm;
  }
  return status;
}

po_status po_world_advance(po_world *w, const double *const *qdd, double dt) {
  po_status status;
  double t0, t1;
  int i;
  if (!w) return PO_ERR_NULL;
  if ((status = step_check(w, qdd, dt)) != PO_OK) return status;
  step_reset(w);
  t0 = po_world_now(w);
  for (i = 0; i < w->count; i++) {
    if (w->character[i]->parked) continue;
    po_character_place(w, w->character[i]);
    if ((status = po_character_accelerate(w, i, qdd ? qdd[i] : NULL, dt)) != PO_OK) return step_undo(w, status, 0);
  }
  po_energy_begin(w);
  t1 = po_world_now(w);
  w->profile.dynamics = t1 - t0;
  po_world_detect(w, dt);
  t0 = po_world_now(w);
  w->profile.collision = t0 - t1;
  step_constraints(w, dt);
  t1 = po_world_now(w);
  w->profile.assemble = t1 - t0;
  po_world_solve(w);
  if ((status = step_move(w, dt)) != PO_OK) return step_undo(w, status, 1);
  po_solve_publish(w, dt);
  t0 = po_world_now(w);
  w->profile.solve = t0 - t1;
  for (i = 0; i < w->count; i++)
    if (!w->character[i]->parked) po_character_finish(w, w->character[i], step_recovery(w->character[i]), dt);
  if (!step_finite(w)) return step_undo(w, PO_ERR_NOT_FINITE, 1);
  step_commit(w, dt);
  w->profile.integrate = po_world_now(w) - t0;
  return PO_OK;
}

po_status po_world_step(po_world *world, double dt) { return po_world_advance(world, NULL, dt); }
