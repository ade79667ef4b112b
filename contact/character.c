/* character.c: one articulated character before the solve (where it is, what it would do unconstrained) and after it (new state).
 *
 * Unconstrained:  v* = v + h (M + h D)^-1 (tau − c − D v), with the joints' dampers D implicit (po_data.added).
 *
 * Drift. A body that nothing holds goes by leapfrog: half a step at v to the middle, where M, c and gravity are taken, then half a step at
 * the new velocity. That is of second order and reversible, so that a pendulum keeps its energy. A body that is held must end its step
 * where the solve let it: the dynamics are taken at the start, and all of the step is made at the new velocity. Which of the two it will
 * be is guessed from the last step, and a body that unexpectedly met something in this one makes all of it at the new velocity as well.
 *
 * Axes. The base's linear velocity is written in base axes, which turn during the step: the solve works in those at which the dynamics were
 * taken (c->turn), and at the end the velocity is carried over to the new ones. (Adding h qdd to the components instead makes a spinning
 * body gain speed, by h w²/2 per second.)
 *
 * When joints turn fast, the velocity terms c are taken at the velocity of the middle too (a second pass of po_aba at v + h/2 qdd).
 *
 * Momentum. Explicit integration of the velocity terms conserves momentum only to first order. But what it must be is known: that of the
 * start, plus all external impulses. So the base's velocity is corrected, which moves all links rigidly: one 3×3 solve.
 */
#include "world_internal.h"
#include <string.h>

/* ---- where it is ------------------------------------------------------------------------------------------------------------- */

/* Of a character that hangs on the world nobody asks for more than the COM. */
static void character_centre(po_character_sum *sum, const po_character *c) {
  const po_model *m = c->model;
  po_vec3 mx = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < m->nb; i++) mx = po_v3_addscaled(mx, m->inertia[i].mass, po_v3_add(c->data.pose[i].p, po_m3_mul_v(c->data.pose[i].R, m->inertia[i].com)));
  sum->com = po_v3_scale(1 / m->total_mass, mx);
  sum->P = sum->L = po_v3(0, 0, 0);
}

void po_character_momentum(po_character_sum *sum, const po_character *c) {
  const po_model *m = c->model;
  po_vec3 mx = po_v3(0, 0, 0), P = mx, L = mx;
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, mass = m->total_mass;
  int i;
  po_vec3 near = c->data.pose[0].p; /* sums are about here: no digits are lost far from the world's origin */
  for (i = 0; i < m->nb; i++) {
    const po_inertia *in = &m->inertia[i];
    const po_pose *pose = &c->data.pose[i];
    const po_vec6 *vel = &c->data.vel[i];
    po_vec3 x = po_v3_add(po_v3_sub(pose->p, near), po_m3_mul_v(pose->R, in->com));
    po_vec3 p = po_v3_scale(in->mass, po_m3_mul_v(pose->R, po_v3_add(vel->lin, po_v3_cross(vel->ang, in->com))));
    po_mat3 I = po_m3_mul(pose->R, po_m3_mult(in->I, pose->R));
    P = po_v3_add(P, p);
    L = po_v3_add(L, po_v3_add(po_v3_cross(x, p), po_m3_mul_v(pose->R, po_m3_mul_v(in->I, vel->ang))));
    mx = po_v3_addscaled(mx, in->mass, x);
    xx += I.m[0] + in->mass * (x.y * x.y + x.z * x.z);
    yy += I.m[4] + in->mass * (x.x * x.x + x.z * x.z);
    zz += I.m[8] + in->mass * (x.x * x.x + x.y * x.y);
    xy += I.m[1] - in->mass * x.x * x.y;
    xz += I.m[2] - in->mass * x.x * x.z;
    yz += I.m[5] - in->mass * x.y * x.z;
  }
  mx = po_v3_scale(1 / mass, mx);
  xx -= mass * (mx.y * mx.y + mx.z * mx.z);
  yy -= mass * (mx.x * mx.x + mx.z * mx.z);
  zz -= mass * (mx.x * mx.x + mx.y * mx.y);
  xy += mass * mx.x * mx.y;
  xz += mass * mx.x * mx.z;
  yz += mass * mx.y * mx.z;
  sum->P = P;
  sum->L = po_v3_sub(L, po_v3_cross(mx, P));
  sum->com = po_v3_add(near, mx);
  sum->I = po_m3(xx, xy, xz, xy, yy, yz, xz, yz, zz);
}

int po_character_current(const po_character *c) {
  return !memcmp(c->q_seen, c->q, sizeof(double) * (size_t)c->model->nq) && !memcmp(c->v_seen, c->v, sizeof(double) * (size_t)c->model->nv);
}

void po_character_seen(po_character *c) {
  memcpy(c->q_seen, c->q, sizeof(double) * (size_t)c->model->nq);
  memcpy(c->v_seen, c->v, sizeof(double) * (size_t)c->model->nv);
}

static void character_solids(po_character *c) {
  int i;
  for (i = 0; i < c->model->shapes; i++) {
    const po_shape *s = &c->model->shape[i];
    po_solid *solid = &c->solid[i];
    po_mat3 R = c->free ? c->R : c->data.pose[s->body].R;
    po_vec3 p = c->free ? po_v3_of(c->q + 4) : c->data.pose[s->body].p;
    solid->R = po_m3_mul(R, s->pose.R);
    solid->p = po_v3_add(p, po_m3_mul_v(R, s->pose.p));
  }
}

void po_character_place(po_world *w, po_character *c) {
  if (c->free) {
    po_free_body_place(w, c);
  } else if (!po_character_current(c)) {
    po_character_sum sum;
    po_kinematics(&c->data, c->q, c->v);
    po_character_momentum(&sum, c);
    c->momentum = sum.P;
    c->spin = sum.L;
    c->com_start = sum.com;
    po_character_placed(c, po_character_energy(w, c, sum.com));
    po_character_seen(c);
  }
  character_solids(c);
}

/* ---- unconstrained motion --------------------------------------------------------------------------------------------------------- */

/* tau clamped to the efforts, into torque; clamps are noted. */
static void character_clamp(po_world *w, int index) {
  po_character *c = w->character[index];
  int i, k;
  for (i = 0; i < c->model->nb; i++) {
    const po_joint *j = &c->model->joint[i];
    for (k = 0; k < j->nv; k++) {
      int dof = j->v + k;
      double limit = j->type == PO_JOINT_FLOATING ? 0 : k < 3 ? j->effort[k] : PO_INF, asked = c->tau[dof];
      c->torque[dof] = po_clamp(asked, -limit, limit);
      if (c->torque[dof] == asked || w->clamps >= w->max_clamps) continue;
      w->clamp[w->clamps].character = index;
      w->clamp[w->clamps].body = i;
      w->clamp[w->clamps].dof = dof;
      w->clamp[w->clamps].asked = asked;
      w->clamp[w->clamps++].applied = c->torque[dof];
    }
  }
}

/* The torques that po_aba gets, dampers included, into work. */
static void character_damping(const po_world *w, po_character *c, double dt) {
  int i, k;
  c->data.added = NULL;
  memcpy(c->work, c->torque, sizeof(double) * (size_t)c->model->nv);
  if (!c->damped && w->opts.joint_damping == 0) return;
  for (i = 0; i < c->model->nb; i++) {
    const po_joint *j = &c->model->joint[i];
    for (k = 0; k < j->nv; k++) {
      double d = j->type == PO_JOINT_FLOATING || k > 2 ? 0 : j->damping[k] + w->opts.joint_damping;
      c->added[j->v + k] = dt * d;
      c->work[j->v + k] -= d * c->v[j->v + k];
    }
  }
  c->data.added = c->added;
}

/* Pending world forces as the dynamics want them: in body axes about the body's origin. */
static const po_vec6 *character_forces(po_character *c) {
  int i;
  if (!c->forced) return NULL;
  for (i = 0; i < c->model->nb; i++) {
    const po_pose *pose = &c->data.pose[i];
    po_vec3 moment = po_v3_sub(c->moment[i], po_v3_cross(pose->p, c->force[i]));
    c->f_ext[i] = po_v6(po_m3_tmul_v(pose->R, moment), po_m3_tmul_v(pose->R, c->force[i]));
  }
  return c->f_ext;
}

/* q1 = q moved at v for `time`; the base straight along its velocity, which is in the axes `turn`, not along a screw. q1 may be q. */
static void character_move(const po_model *m, double *q1, const double *q, const double *v, po_quat turn, double time) {
  po_vec3 base = m->floating ? po_v3_of(q + 4) : po_v3(0, 0, 0);
  po_integrate(m, q1, q, v, time);
  if (m->floating) po_v3_to(q1 + 4, po_v3_addscaled(base, time, po_q_rotate(turn, po_v3_of(v + 3))));
}

/* v1 = v_start + time × acceleration, as po_aba found it at the velocity `at`: qdd of the base's linear part is written in axes that turn. */
static void character_speed_up(po_character *c, const double *at, double time) {
  po_vec3 turning = c->model->floating ? po_v3_cross(po_v3_of(at), po_v3_of(at + 3)) : po_v3(0, 0, 0);
  int i;
  for (i = 0; i < c->model->nv; i++) c->v1[i] = c->v_start[i] + time * c->qdd[i];
  if (c->model->floating) po_v3_to(c->v1 + 3, po_v3_addscaled(po_v3_of(c->v1 + 3), time, turning));
}

/* Where the dynamics are taken: q, or half a step on; and the velocity in the axes there. */
static const double *character_drift(po_character *c, double dt) {
  const po_model *m = c->model;
  po_quat start = m->floating ? po_q_unit(po_q_of(c->q)) : po_q(1, 0, 0, 0);
  c->turn = start;
  memcpy(c->v_start, c->v, sizeof(double) * (size_t)m->nv);
  c->drifts = !c->given && !c->forced && !c->held;
  if (!c->drifts) return c->q;
  character_move(m, c->q1, c->q, c->v, start, 0.5 * dt);
  if (m->floating) {
    c->turn = po_q_of(c->q1);
    po_v3_to(c->v_start + 3, po_q_rotate(po_q_conj(c->turn), po_q_rotate(start, po_v3_of(c->v + 3))));
  }
  return c->q1;
}

/* Accelerations by forward dynamics, v1, and what the momentum must become. */
static po_status character_dynamics(po_world *w, po_character *c, double dt) {
  const po_model *m = c->model;
  const po_vec6 *forces;
  const double *at = character_drift(c, dt);
  po_vec3 force = po_v3_scale(m->total_mass, w->opts.gravity), moment = po_v3(0, 0, 0);
  po_status status;
  int i;
  character_damping(w, c, dt);
  forces = character_forces(c);
  status = po_aba(c->qdd, &c->data, at, c->v_start, c->work, forces);
  if (status != PO_OK) return status;
  c->fast = po_character_fast(c, c->v, dt);
  /* a body that is held goes on at a velocity that hangs on forces not known yet: a leg that thrusts 800 N into the ground would, without the
   * ground, fly off within the step, and velocity terms taken there are far worse than old ones */
  if (!c->held) {
    double *middle = c->v_middle;
    character_speed_up(c, c->v_start, 0.5 * dt);
    memcpy(middle, c->v1, sizeof(double) * (size_t)m->nv);
    status = po_aba(c->qdd, &c->data, at, middle, c->work, forces);
    if (status != PO_OK) return status;
    character_speed_up(c, middle, dt);
  } else {
    character_speed_up(c, c->v_start, dt);
  }
  for (i = 0; c->forced && i < m->nb; i++) {
    force = po_v3_add(force, c->force[i]);
    moment = po_v3_add(moment, po_v3_sub(c->moment[i], po_v3_cross(c->com_start, c->force[i])));
  }
  c->momentum = po_v3_addscaled(c->momentum, dt, force);
  c->spin = po_v3_addscaled(c->spin, dt, moment);
  c->power = c->forced ? po_character_power(c) : 0;
  return PO_OK;
}

/* The same with accelerations that are given. */
static po_status character_obey(po_character *c, const double *qdd, double dt) {
  po_status status;
  c->data.added = NULL;
  character_drift(c, dt);
  status = po_minv_factor(&c->data, c->q);
  if (status != PO_OK) return status;
  memcpy(c->qdd, qdd, sizeof(double) * (size_t)c->model->nv);
  character_speed_up(c, c->v_start, dt);
  return PO_OK;
}

po_status po_character_accelerate(po_world *w, int index, const double *qdd, double dt) {
  po_character *c = w->character[index];
  po_status status;
  c->given = qdd != NULL;
  c->pushed = c->bounced = 0;
  c->data.gravity = w->opts.gravity;
  if (!c->given) character_clamp(w, index);
  if (c->free) {
    po_free_body_accelerate(w, c, qdd, dt);
    return PO_OK;
  }
  status = qdd ? character_obey(c, qdd, dt) : character_dynamics(w, c, dt);
  if (status == PO_OK) po_ports_frame(c);
  return status;
}

/* ---- the new state ----------------------------------------------------------------------------------------------------------------- */

static void character_apply_ports(po_character *c) {
  int k;
  if (c->ports == 0) return;
  po_ports_apply(c->work, c, c->pi);
  for (k = 0; k < c->model->nv; k++) c->v1[k] += c->work[k];
  for (k = 0; c->model->floating && k < c->bodies; k++) {
    po_vec3 moment = po_m3_mul_v(c->axes, po_v3_of(c->pi + 6 * k)), force = po_m3_mul_v(c->axes, po_v3_of(c->pi + 6 * k + 3));
    c->momentum = po_v3_add(c->momentum, force);
    c->spin = po_v3_add(c->spin, po_v3_add(moment, po_v3_cross(po_v3_sub(c->origin, c->com_start), force)));
  }
}

/* q1 from q with v1 (and the recovery's velocity dv), then the base's velocity in its new axes. */
static void character_integrate(po_character *c, const double *dv, double dt) {
  const po_model *m = c->model;
  int i;
  if (c->drifts && !c->pushed && !dv) {
    if (c->bounced) character_move(m, c->q1, c->q, c->v_start, c->turn, 0.5 * dt); /* else it is there already */
    character_move(m, c->q1, c->q1, c->v1, c->turn, 0.5 * dt);
  } else {
    for (i = 0; dv && i < m->nv; i++) c->work[i] = c->v1[i] + dv[i];
    character_move(m, c->q1, c->q, dv ? c->work : c->v1, c->turn, dt);
  }
  if (m->floating) po_v3_to(c->v1 + 3, po_q_rotate(po_q_conj(po_q_of(c->q1)), po_q_rotate(c->turn, po_v3_of(c->v1 + 3))));
}

/* Adds the twist (w, v at the base's origin; world) to the base and to what the kinematics know. */
void po_character_shift(po_character *c, po_vec3 w, po_vec3 v) {
  const po_pose *base = &c->data.pose[0];
  /* the joint's own axes: the placement turns q's world into the true one */
  po_vec3 wb = po_m3_tmul_v(base->R, w), vb = po_m3_tmul_v(base->R, v);
  int i;
  po_v3_to(c->v1, po_v3_add(po_v3_of(c->v1), wb));
  po_v3_to(c->v1 + 3, po_v3_add(po_v3_of(c->v1 + 3), vb));
  for (i = 0; i < c->model->nb; i++) {
    const po_pose *pose = &c->data.pose[i];
    po_vec3 at = po_v3_add(v, po_v3_cross(w, po_v3_sub(pose->p, base->p)));
    c->data.vel[i].ang = po_v3_add(c->data.vel[i].ang, po_m3_tmul_v(pose->R, w));
    c->data.vel[i].lin = po_v3_add(c->data.vel[i].lin, po_m3_tmul_v(pose->R, at));
  }
}

static void character_conserve(po_world *w, po_character *c, po_character_sum *sum, double dt) {
  po_vec3 dL = po_v3_sub(c->spin, sum->L), dP = po_v3_sub(c->momentum, sum->P);
  po_vec3 turn = po_m3_mul_v(po_m3_inverse(sum->I), dL), v = po_v3_scale(1 / c->model->total_mass, dP);
  po_character_shift(c, turn, po_v3_add(v, po_v3_cross(turn, po_v3_sub(c->data.pose[0].p, sum->com))));
  sum->P = c->momentum;
  sum->L = c->spin;
  w->report.force_correction = po_max(w->report.force_correction, po_v3_norm(dP) / dt);
  w->report.moment_correction = po_max(w->report.moment_correction, po_v3_norm(dL) / dt);
}

void po_character_finish(po_world *w, po_character *c, const double *dv, double dt) {
  po_character_sum sum;
  double work;
  int conserve = w->opts.conserve_momentum && c->model->floating && c->model->subtree_end[0] == c->model->nb && !c->given;
  if (c->free) {
    po_free_body_finish(w, c, dv, dt);
    return;
  }
  work = dv ? po_character_recovery(w, c, dv, dt) : 0;
  character_apply_ports(c);
  character_integrate(c, dv, dt);
  c->q_seen[0] = PO_NAN; /* until the step is committed */
  po_kinematics(&c->data, c->q1, c->v1);
  if (c->model->floating) po_character_momentum(&sum, c);
  else character_centre(&sum, c);
  if (conserve) character_conserve(w, c, &sum, dt);
  work += po_character_work(w, c, dt);
  w->report.governed += po_character_govern(w, c, &sum, work, dt);
  c->momentum = sum.P;
  c->spin = sum.L;
  c->com_start = sum.com;
}
