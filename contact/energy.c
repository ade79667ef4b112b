/* energy.c: the books of a world's energy.
 *
 * At fixed q, what impulses do to the kinetic energy is exact: M (v1 − v0) = sum of impulses, hence
 *   v1'M v1/2 − v0'M v0/2 = sum of impulse × (v0 + v1)/2.
 * So motors, dampers, pushes, contacts, limits and springs are booked by the mean of the velocities before and after; impacts, which act
 * before all forces, likewise between their own two. What the state's energy changed by beyond that is the error of the step: q moved, and M,
 * the velocity terms and gravity with it, and a finite step follows that only to its order. It is booked as `integration`.
 */
#include "world_internal.h"

/* ---- amounts ------------------------------------------------------------------------------------------------------------------------- */

/* Energy of the rotors, which po_kinetic_energy leaves out. */
static double energy_rotors(const po_model *m, const double *v) {
  double twice = 0;
  int i, k;
  for (i = 0; i < m->nb; i++)
    for (k = 0; k < m->joint[i].nv && k < 3; k++) twice += m->joint[i].armature[k] * v[m->joint[i].v + k] * v[m->joint[i].v + k];
  return 0.5 * twice;
}

double po_character_kinetic(const po_character *c, const double *v) {
  return po_kinetic_energy(&c->data) + (c->rotors ? energy_rotors(c->model, v) : 0);
}

double po_character_energy(const po_world *w, const po_character *c, po_vec3 com) {
  return po_character_kinetic(c, c->v) - c->model->total_mass * po_v3_dot(w->opts.gravity, com);
}

void po_character_placed(po_character *c, double energy) {
  c->energy = energy;
  c->excess = c->peak = 0;
}

static po_vec3 energy_end(const po_world *w, int character, int body, po_vec3 point) {
  const po_character *c;
  po_data *d;
  if (character < 0) return point;
  c = w->character[character];
  d = &w->character[character]->user_data;
  if (c->free) return po_v3_add(po_v3_of(c->q + 4), po_q_rotate(po_q_unit(po_q_of(c->q)), point));
  if (po_character_current(c)) d = &w->character[character]->data; /* user_data is the user's to spoil */
  return po_point_position(d, body, point);
}

/* Stored in all springs at q. Characters that data does not know are looked up in user_data, which the caller has brought up to date. */
static double energy_springs(const po_world *w) {
  double sum = 0;
  int i;
  for (i = 0; i < w->springs; i++) {
    const po_spring *s = &w->spring[i];
    double length, x;
    if (!po_spring_works(w, s)) continue;
    length = po_v3_norm(po_v3_sub(energy_end(w, s->a, s->body_a, s->point_a), energy_end(w, s->b, s->body_b, s->point_b)));
    x = s->pull_only && length < s->length ? 0 : length - s->length;
    sum += 0.5 * s->stiffness * x * x;
  }
  return sum;
}

/* ---- a step -------------------------------------------------------------------------------------------------------------------------- */

void po_energy_begin(po_world *w) { w->work.spring = w->springs ? energy_springs(w) : 0; }

double po_character_power(const po_character *c) {
  double power = 0;
  int i;
  for (i = 0; i < c->model->nb; i++) {
    const po_pose *pose = &c->data.pose[i];
    po_vec3 w = po_m3_mul_v(pose->R, c->data.vel[i].ang), v = po_m3_mul_v(pose->R, c->data.vel[i].lin);
    power += po_v3_dot(c->moment[i], w) + po_v3_dot(c->force[i], po_v3_sub(v, po_v3_cross(w, pose->p)));
  }
  return power;
}

double po_character_recovery(po_world *w, const po_character *c, double dt) {
  double lift;
  lift = -dt * po_v3_dot(w->opts.gravity, c->recovered);
  w->work.recovery += lift;
  return lift;
}

static double energy_free_work(po_world *w, po_character *c, double dt) {
  po_vec3 moment, turn, v;
  double work;
  if (!c->forced) return 0;
  moment = po_v3_sub(c->moment[0], po_v3_cross(c->com, c->force[0]));
  turn = po_v3_scale(0.5 * dt, po_v3_add(po_v3_of(c->y_start), po_v3_of(c->y)));
  v = po_v3_scale(0.5 * dt, po_v3_add(po_v3_of(c->y_start + 3), po_v3_of(c->y + 3)));
  work = po_v3_dot(c->force[0], v) + po_v3_dot(moment, turn);
  w->work.external += work;
  return work;
}

double po_character_work(po_world *w, po_character *c, double dt) {
  double motors = 0, damping = 0, external = 0, ports = 0;
  int i, k;
  for (i = 0; i < c->ports.count; i++) ports += 0.5 * c->pi[i] * (c->y_start[i] + c->y[i]);
  if (c->given) return ports;
  if (c->free) return ports + energy_free_work(w, c, dt);
  for (i = 0; i < c->model->nb; i++) {
    const po_joint *j = &c->model->joint[i];
    if (j->type == PO_JOINT_FLOATING) continue;
    for (k = 0; k < j->nv; k++) {
      double mean = 0.5 * (c->v_start[j->v + k] + c->v1[j->v + k]);
      motors += dt * c->torque[j->v + k] * mean;
      damping -= dt * (j->damping[k] + w->opts.joint_damping) * c->v1[j->v + k] * mean;
    }
  }
  if (c->forced) external = 0.5 * dt * (c->power + po_character_power(c));
  w->work.motors += motors;
  w->work.damping += damping;
  w->work.external += external;
  return motors + damping + external + ports;
}

void po_energy_row(po_world *w, const po_constraint *row, const double u[3], double dt) {
  double work = 0;
  int k;
  for (k = 0; k < row->dim; k++) work += 0.5 * row->p[k] * (row->before[k] + u[k]);
  if (row->kind == PO_HOLD_CONTACT) w->work.contacts += work;
  else if (row->kind == PO_HOLD_LIMIT) w->work.limits += work;
  else if (row->p[0] != 0) w->work.springs -= 0.5 * dt * row->damper * u[0] * (row->before[0] + u[0]);
}

void po_energy_commit(po_world *w) {
  po_energy *e = &w->energy;
  const po_energy *d = &w->work;
  double stored = w->springs ? energy_springs(w) : 0, change = stored - d->spring, given = 0;
  double placed = d->spring - w->stored; /* since the last step */
  int i;
  for (i = 0; i < w->count; i++) {
    po_character *c = w->character[i];
    if (c->parked) continue; /* what is written into it meanwhile is booked when it takes part again */
    placed += c->energy - c->booked;
    change += c->energy1 - c->energy;
    if (c->given) given += c->energy1 - c->energy - po_character_work(w, c, 0); /* whoever gave the accelerations put it in */
    c->booked = c->energy = c->energy1;
  }
  w->stored = stored;
  e->integration += change - given - d->motors - d->external - d->impacts - d->contacts - d->limits - d->springs - d->damping - d->recovery;
  e->placed += placed + given;
  e->motors += d->motors;
  e->external += d->external;
  e->impacts += d->impacts;
  e->contacts += d->contacts;
  e->limits += d->limits;
  e->springs += d->springs;
  e->damping += d->damping;
  e->recovery += d->recovery;
  e->clamped += d->clamped;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------------------- */

po_energy po_world_energy(po_world *world) {
  static const po_energy none;
  po_energy e;
  int i;
  if (!world) return none;
  e = world->energy;
  e.kinetic = e.potential = e.spring = 0;
  for (i = 0; i < world->count; i++) {
    const po_character *c = world->character[i];
    const po_data *d = &c->user_data;
    double kinetic, potential;
    po_world_kinematics(world, i);
    kinetic = po_kinetic_energy(d) + (c->rotors ? energy_rotors(c->model, c->v) : 0);
    potential = po_potential_energy(d);
    e.kinetic += kinetic;
    e.potential += potential;
    if (!po_character_current(c)) e.placed += kinetic + potential - c->booked; /* written since the last step */
  }
  e.spring = energy_springs(world);
  e.placed += e.spring - world->stored;
  return e;
}
