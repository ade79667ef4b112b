/* character.c: one articulated character before the solve (where it is, what it would do unconstrained) and after it (new state).
 *
 * Unconstrained:  v* = v + h (M + h D)^-1 (tau − c − D v), with the joints' dampers D implicit (po_data.added).
 *
 * Drift. A body that nothing holds goes by leapfrog: half a step at v to the middle, where M, c and gravity are taken, then half a step at
 * the new velocity. That is of second order and reversible, so that a pendulum keeps its energy. A body that is held must end its step
 * where the solve let it: the dynamics are taken at the start, and all of the step is made at the new velocity. Which of the two it will
 * be is guessed from the last step; a body that unexpectedly met something is taken through the step again.
 *
 * Axes. The base's linear velocity is written in base axes, which turn during the step: the solve works in those at which the dynamics were
 * taken (c->turn), and at the end the velocity is carried over to the new ones. (Adding h qdd to the components instead makes a spinning
 * body gain speed, by h w²/2 per second.)
 *
 * Momentum. Velocity terms taken at one velocity conserve momentum only to first order, and badly where the velocity jumps: a foot strikes, a leg
 * thrusts. But what momentum must be is known: that of the start, plus all external impulses. When it comes out wrong by more than
 * PO_AGAIN_SHARE of the weight, the step is tried again with velocity terms at the velocity the first try ended with; what is still missing is
 * put into the base's velocity, which moves all links rigidly: one 3×3 solve.
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
    po_mat3 R;
    po_vec3 p;
    if (s->body < 0) continue; /* of a fixed base: it meets nothing */
    R = c->free ? c->R : c->data.pose[s->body].R;
    p = c->free ? po_v3_of(c->q + 4) : c->data.pose[s->body].p;
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

/* tau clamped to what the motors can do, into torque; clamps are noted. */
static void character_clamp(po_world *w, int index) {
  po_character *c = w->character[index];
  int i, k;
  for (i = 0; i < c->model->nb; i++) {
    const po_joint *j = &c->model->joint[i];
    for (k = 0; k < j->nv; k++) {
      int dof = j->v + k;
      double lower, upper, asked = c->tau[dof];
      po_joint_motor_range(&lower, &upper, j, k, c->v[dof]);
      c->torque[dof] = po_clamp(asked, lower, upper);
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
  po_integrate(q1, m, q, v, time);
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
  c->drifts = !c->given && !c->forced && !(c->again ? c->was_pushed : c->held);
  if (!c->drifts) return c->q;
  character_move(m, c->q1, c->q, c->v, start, 0.5 * dt);
  if (m->floating) {
    c->turn = po_q_of(c->q1);
    po_v3_to(c->v_start + 3, po_q_rotate(po_q_conj(c->turn), po_q_rotate(start, po_v3_of(c->v + 3))));
  }
  return c->q1;
}

/* What the momentum must be at the end, but for impulses of the solve. */
static void character_goal(const po_world *w, po_character *c, double dt) {
  po_vec3 force = po_v3_scale(c->model->total_mass, w->opts.gravity), moment = po_v3(0, 0, 0);
  int i;
  for (i = 0; c->forced && i < c->model->nb; i++) {
    force = po_v3_add(force, c->force[i]);
    moment = po_v3_add(moment, po_v3_sub(c->moment[i], po_v3_cross(c->com_start, c->force[i])));
  }
  c->goal.P = po_v3_addscaled(c->momentum, dt, force);
  c->goal.L = po_v3_addscaled(c->spin, dt, moment);
}

/* Accelerations by forward dynamics, and v1. Velocity terms: of a body that nothing holds, at the velocity of the middle of the step; of one that is
 * held, at the old velocity, or at the one that a first try has ended with. (The velocity in mid-step without the forces that hold it would be
 * far worse: a leg that thrusts 800 N into the ground would, without the ground, fly off within the step.) */
static po_status character_dynamics(po_world *w, po_character *c, double dt) {
  const double *at = character_drift(c, dt), *terms = c->again && c->was_pushed ? c->v_end : c->v_start;
  const po_vec6 *forces;
  po_status status;
  character_damping(w, c, dt);
  if (!c->again) { /* later, data knows the end of the step */
    forces = character_forces(c);
    c->power = c->forced ? po_character_power(c) : 0;
  }
  forces = c->forced ? c->f_ext : NULL;
  status = po_aba(c->qdd, &c->data, at, terms, c->work, forces);
  if (status != PO_OK) return status;
  c->fast = po_character_fast(c, c->v, dt);
  if (!(c->again ? c->was_pushed : c->held)) {
    character_speed_up(c, terms, 0.5 * dt);
    memcpy(c->v_end, c->v1, sizeof(double) * (size_t)c->model->nv);
    terms = c->v_end;
    status = po_aba(c->qdd, &c->data, at, terms, c->work, forces);
    if (status != PO_OK) return status;
  }
  character_speed_up(c, terms, dt);
  character_goal(w, c, dt);
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
  if (!c->given && !c->again) character_clamp(w, index);
  if (c->free) {
    po_free_body_accelerate(w, c, qdd, dt);
    return PO_OK;
  }
  status = qdd ? character_obey(c, qdd, dt) : character_dynamics(w, c, dt);
  if (status == PO_OK) po_ports_frame(&c->ports, &c->data);
  return status;
}

/* ---- the new state ----------------------------------------------------------------------------------------------------------------- */

static void character_apply_ports(po_character *c) {
  int k;
  if (c->ports.count == 0) return;
  po_ports_apply(c->work, &c->ports, c->pi);
  for (k = 0; k < c->model->nv; k++) c->v1[k] += c->work[k];
  for (k = 0; c->model->floating && k < c->ports.bodies; k++) {
    po_vec3 moment = po_m3_mul_v(c->ports.axes, po_v3_of(c->pi + 6 * k)), force = po_m3_mul_v(c->ports.axes, po_v3_of(c->pi + 6 * k + 3));
    c->goal.P = po_v3_add(c->goal.P, force);
    c->goal.L = po_v3_add(c->goal.L, po_v3_add(moment, po_v3_cross(po_v3_sub(c->ports.origin, c->com_start), force)));
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
  memcpy(c->v_end, c->v1, sizeof(double) * (size_t)m->nv);
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

static int character_conserves(const po_world *w, const po_character *c) {
  return w->opts.conserve_momentum && c->model->floating && c->model->subtree_end[0] == c->model->nb && !c->given;
}

static void character_conserve(po_world *w, po_character *c, double dt) {
  po_character_sum *sum = &c->sum;
  po_vec3 dL = po_v3_sub(c->goal.L, sum->L), dP = po_v3_sub(c->goal.P, sum->P);
  po_vec3 turn = po_m3_mul_v(po_m3_inverse(sum->I), dL), v = po_v3_scale(1 / c->model->total_mass, dP);
  po_character_shift(c, turn, po_v3_add(v, po_v3_cross(turn, po_v3_sub(c->data.pose[0].p, sum->com))));
  sum->P = c->goal.P;
  sum->L = c->goal.L;
  w->report.force_correction = po_max(w->report.force_correction, po_v3_norm(dP) / dt);
  w->report.moment_correction = po_max(w->report.moment_correction, po_v3_norm(dL) / dt);
}

/* Whether a try should be made again: the body was taken for free and met something, or momentum came out wrong by more than a small share of
 * its weight. The velocity it ended with then is a better one for the velocity terms, in the axes of the start; and whether something pushes
 * is known. */
static int character_failed(const po_world *w, po_character *c, double dt) {
  double most = PO_AGAIN_SHARE * c->model->total_mass * po_v3_norm(w->opts.gravity) * dt;
  int off = c->drifts && c->pushed;
  if (c->again || c->bounced || c->given || po_character_fastest(c, c->v_end) * dt > PO_AGAIN_RATE) return 0;
  if (!off && character_conserves(w, c)) {
    double reach = sqrt((c->sum.I.m[0] + c->sum.I.m[4] + c->sum.I.m[8]) / (2 * c->model->total_mass)); /* radius of gyration, nearly */
    off = (c->pushed || c->held) && (po_v3_norm(po_v3_sub(c->goal.P, c->sum.P)) > most || po_v3_norm(po_v3_sub(c->goal.L, c->sum.L)) > most * reach);
  }
  c->was_pushed = c->pushed;
  if (off && c->model->floating)
    po_v3_to(c->v_end + 3, po_q_rotate(po_q_conj(po_q_unit(po_q_of(c->q))), po_q_rotate(c->turn, po_v3_of(c->v_end + 3))));
  return off;
}

int po_character_try(po_world *w, po_character *c, const double *dv, double dt) {
  if (c->free) return 0;
  if (dv && !c->model->floating) { /* the momentum of dv: of a body that floats it is that of the impulses */
    po_character_sum sum;
    po_kinematics(&c->data, c->q, dv);
    po_character_momentum(&sum, c);
    c->recovered = sum.P;
  }
  character_apply_ports(c);
  character_integrate(c, dv, dt);
  c->q_seen[0] = PO_NAN; /* until the step is committed */
  po_kinematics(&c->data, c->q1, c->v1);
  if (c->model->floating) po_character_momentum(&c->sum, c);
  else character_centre(&c->sum, c);
  return character_failed(w, c, dt);
}

void po_character_finish(po_world *w, po_character *c, const double *dv, double dt) {
  double work;
  if (c->free) {
    po_free_body_finish(w, c, dv, dt);
    return;
  }
  work = dv ? po_character_recovery(w, c, dt) : 0;
  if (character_conserves(w, c)) character_conserve(w, c, dt);
  work += po_character_work(w, c, dt);
  w->report.governed += po_character_govern(w, c, &c->sum, work, dt);
  c->momentum = c->sum.P;
  c->spin = c->sum.L;
  c->com_start = c->sum.com;
}

void po_character_ports(po_character *c) {
  int r, count = c->ports.count;
  memset(c->pi, 0, sizeof(double) * (size_t)count);
  if (c->free) {
    po_free_body_ports(c);
    return;
  }
  po_ports_build(&c->ports);
  po_ports_velocities(c->y, &c->ports, c->v_start);
  po_ports_velocities(c->y_move, &c->ports, c->v1);
  for (r = 0; r < count; r++) c->y_move[r] -= c->y[r];
}
