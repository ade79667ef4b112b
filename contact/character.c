/* character.c: one articulated character before the solve (where it is, what it would do unconstrained) and after it (new state).
 *
 * Unconstrained:  v* = v + h (M + h D)^-1 (tau − c − D v), with the joints' dampers D implicit (po_data.added).
 * The base's linear velocity is written in base axes, which turn during the step: the solve works in the old axes, and at the end the
 * velocity is carried over to the new ones. (Adding h qdd to the components instead makes a spinning body gain speed, by h w²/2 per second.)
 *
 * When joints turn fast, the velocity terms c are taken at the middle of the step (a second pass of po_aba at v + h/2 qdd): at v they make a
 * whipping chain gain 10 % energy per swing at 1 kHz, at the middle 0.4 %.
 *
 * Momentum. Explicit integration of the velocity terms conserves momentum only to first order. But what it must be is known: that of the
 * start, plus all external impulses. So the base's velocity is corrected, which moves all links rigidly: one 3×3 solve.
 */
#include "world_internal.h"
#include <string.h>

/* ---- where it is ------------------------------------------------------------------------------------------------------------- */

typedef struct character_sum {
  po_vec3 P, L, com; /* linear momentum; angular about the COM; COM */
  po_mat3 I;         /* of the whole, frozen, about the COM */
} character_sum;

static void character_momentum(character_sum *sum, const po_character *c) {
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

static void character_seen(po_character *c) {
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

void po_character_place(po_character *c) {
  if (c->free) {
    po_free_body_place(c);
  } else if (!po_character_current(c)) {
    character_sum sum;
    po_kinematics(&c->data, c->q, c->v);
    character_momentum(&sum, c);
    c->momentum = sum.P;
    c->spin = sum.L;
    c->com_start = sum.com;
    c->energy_start = po_kinetic_energy(&c->data);
    character_seen(c);
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

static double character_fastest(const po_character *c, const double *v) {
  double fastest = 0;
  int i, first = c->model->floating ? 3 : 0; /* rates, not the base's linear velocity */
  for (i = 0; i < c->model->nv; i++)
    if (i < first || i >= 2 * first) fastest = po_max(fastest, fabs(v[i]));
  return fastest;
}

/* Whether something pushed it during the last step. Its velocity in mid-step then hangs on forces that are not known yet: a leg that thrusts
 * 800 N into the ground would, without the ground, fly off within the step, and velocity terms taken there are far worse than old ones. */
static int character_pushed(const po_world *w, int index) {
  int i;
  for (i = 0; i < w->contacts; i++) {
    const po_contact *k = &w->contact[i];
    if ((k->a == index || k->b == index) && (k->impulse.x != 0 || k->impulse.y != 0 || k->impulse.z != 0)) return 1;
  }
  return 0;
}

/* The base's velocity, old axes kept: v + h (qdd + w × v). */
static void character_base_turn(po_character *c, double dt) {
  double *v1 = c->v1 + 3;
  po_vec3 turn = po_v3_cross(po_v3_of(c->v), po_v3_of(c->v + 3));
  if (c->model->floating) po_v3_to(v1, po_v3_addscaled(po_v3_of(v1), dt, turn));
}

po_status po_character_accelerate(po_world *w, int index, const double *qdd, double dt) {
  po_character *c = w->character[index];
  const po_model *m = c->model;
  const po_vec6 *forces;
  po_status status;
  po_vec3 force = po_v3_scale(m->total_mass, w->opts.gravity), moment = po_v3(0, 0, 0);
  int i;
  c->given = qdd != NULL;
  c->data.gravity = w->opts.gravity;
  if (!c->given) character_clamp(w, index);
  if (c->free) {
    po_free_body_accelerate(w, c, qdd, dt);
    return PO_OK;
  }
  if (c->given) {
    c->data.added = NULL;
    status = po_minv_factor(&c->data, c->q);
    if (status != PO_OK) return status;
    memcpy(c->qdd, qdd, sizeof(double) * (size_t)m->nv);
  } else {
    character_damping(w, c, dt);
    forces = character_forces(c);
    status = po_aba(c->qdd, &c->data, c->q, c->v, c->work, forces);
    c->fast = character_fastest(c, c->v) * dt > PO_FAST_RATE;
    if (status == PO_OK && c->fast && !character_pushed(w, index)) {
      for (i = 0; i < m->nv; i++) c->v1[i] = c->v[i] + 0.5 * dt * c->qdd[i];
      status = po_aba(c->qdd, &c->data, c->q, c->v1, c->work, forces);
    }
    if (status != PO_OK) return status;
    for (i = 0; c->forced && i < m->nb; i++) {
      force = po_v3_add(force, c->force[i]);
      moment = po_v3_add(moment, po_v3_sub(c->moment[i], po_v3_cross(c->com_start, c->force[i])));
    }
    c->momentum = po_v3_addscaled(c->momentum, dt, force);
    c->spin = po_v3_addscaled(c->spin, dt, moment);
  }
  po_ports_frame(c);
  for (i = 0; i < m->nv; i++) c->v1[i] = c->v[i] + dt * c->qdd[i];
  character_base_turn(c, dt);
  return PO_OK;
}

/* ---- the new state ----------------------------------------------------------------------------------------------------------------- */

static void character_apply_ports(po_character *c) {
  int k;
  if (c->ports == 0) return;
  po_ports_apply(c->work, c, c->pi);
  for (k = 0; k < c->model->nv; k++) c->v1[k] += c->work[k];
  for (k = 0; k < c->bodies; k++) {
    po_vec3 moment = po_m3_mul_v(c->axes, po_v3_of(c->pi + 6 * k)), force = po_m3_mul_v(c->axes, po_v3_of(c->pi + 6 * k + 3));
    c->momentum = po_v3_add(c->momentum, force);
    c->spin = po_v3_add(c->spin, po_v3_add(moment, po_v3_cross(po_v3_sub(c->origin, c->com_start), force)));
  }
}

/* q1 from q with v1 (and the recovery's velocity dv), then the base's velocity in its new axes. */
static void character_integrate(po_character *c, const double *dv, double dt) {
  const po_model *m = c->model;
  double *v = c->v1;
  int i;
  if (dv) {
    for (i = 0; i < m->nv; i++) c->work[i] = c->v1[i] + dv[i];
    v = c->work;
  }
  po_integrate(m, c->q1, c->q, v, dt);
  if (m->floating) { /* straight along the world's velocity, not along a screw */
    po_quat q0 = po_q_unit(po_q_of(c->q)), back = po_q_conj(po_q_of(c->q1));
    po_vec3 world = po_q_rotate(q0, po_v3_of(c->v1 + 3)), moved = v == c->v1 ? world : po_q_rotate(q0, po_v3_of(v + 3));
    po_v3_to(c->q1 + 4, po_v3_addscaled(po_v3_of(c->q + 4), dt, moved));
    po_v3_to(c->v1 + 3, po_q_rotate(back, world));
  }
}

/* Adds the twist (w, v at the base's origin; world) to the base and to what the kinematics know. */
static void character_shift_base(po_character *c, po_vec3 w, po_vec3 v) {
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

static void character_conserve(po_character *c, character_sum *sum) {
  po_vec3 w = po_m3_mul_v(po_m3_inverse(sum->I), po_v3_sub(c->spin, sum->L));
  po_vec3 v = po_v3_scale(1 / c->model->total_mass, po_v3_sub(c->momentum, sum->P));
  character_shift_base(c, w, po_v3_add(v, po_v3_cross(w, po_v3_sub(c->data.pose[0].p, sum->com))));
  sum->P = c->momentum;
  sum->L = c->spin;
}

/* Takes c->excess out of the kinetic energy `now`, and leaves the momentum. Motion splits in two that are orthogonal: that of the frozen whole
 * with the same momentum (of a character that hangs on the world: none), and what the joints do beyond it. Only the second is slowed down,
 * unless it has less than that to give. */
static void character_slow(po_character *c, character_sum *sum, double now) {
  const po_model *m = c->model;
  po_vec3 w = po_v3(0, 0, 0), v = w, base = c->data.pose[0].p;
  double frozen = 0, s;
  int i;
  if (m->floating) {
    w = po_m3_mul_v(po_m3_inverse(sum->I), sum->L);
    v = po_v3_scale(1 / m->total_mass, sum->P);
    frozen = 0.5 * (po_v3_dot(w, sum->L) + po_v3_dot(v, sum->P));
    v = po_v3_add(v, po_v3_cross(w, po_v3_sub(base, sum->com))); /* of the base's origin */
  }
  if (now - frozen > c->excess) {
    s = sqrt(1 - c->excess / (now - frozen));
  } else {
    double t = frozen > 0 ? sqrt(po_max(0, now - c->excess) / frozen) : 0;
    s = 0;
    w = po_v3_scale(t, w);
    v = po_v3_scale(t, v);
    sum->P = po_v3_scale(t, sum->P);
    sum->L = po_v3_scale(t, sum->L);
  }
  po_scale(c->v1, s, m->nv);
  if (m->floating) {
    po_v3_to(c->v1, po_v3_addscaled(po_v3_of(c->v1), 1 - s, po_m3_tmul_v(c->data.pose[0].R, w)));
    po_v3_to(c->v1 + 3, po_v3_addscaled(po_v3_of(c->v1 + 3), 1 - s, po_m3_tmul_v(c->data.pose[0].R, v)));
  }
  for (i = 0; i < m->nb; i++) {
    const po_pose *pose = &c->data.pose[i];
    po_vec3 at = po_v3_add(v, po_v3_cross(w, po_v3_sub(pose->p, base)));
    c->data.vel[i] = po_v6_scale(s, c->data.vel[i]);
    c->data.vel[i].ang = po_v3_addscaled(c->data.vel[i].ang, 1 - s, po_m3_tmul_v(pose->R, w));
    c->data.vel[i].lin = po_v3_addscaled(c->data.vel[i].lin, 1 - s, po_m3_tmul_v(pose->R, at));
  }
}

/* Velocity terms do no work. While joints turn fast, the books are kept: what the kinetic energy grew by, less the work of gravity, motors,
 * dampers, pushes and impulses, is an error of integration. It goes up and down; when in sum it has made more than a small share of energy,
 * the joints are slowed down by that much. So the speed is bounded by the energy that was put in. */
static int character_govern(const po_world *w, po_character *c, character_sum *sum, double dt) {
  const po_model *m = c->model;
  double work, now;
  int i, k;
  if (c->given || !(c->fast || character_fastest(c, c->v1) * dt > PO_FAST_RATE)) {
    c->excess = 0;
    return 0;
  }
  now = po_kinetic_energy(&c->data);
  work = m->total_mass * po_v3_dot(w->opts.gravity, po_v3_sub(sum->com, c->com_start));
  for (i = 0; i < m->nv; i++) work += dt * c->torque[i] * 0.5 * (c->v[i] + c->v1[i]);
  for (i = 0; i < m->nb && c->data.added; i++)
    for (k = 0; k < m->joint[i].nv; k++) {
      int dof = m->joint[i].v + k;
      work -= c->added[dof] * c->v1[dof] * 0.5 * (c->v[dof] + c->v1[dof]);
    }
  for (i = 0; c->forced && i < m->nb; i++) {
    po_vec6 f = c->f_ext[i], v = c->data.vel[i];
    work += dt * (po_v3_dot(f.ang, v.ang) + po_v3_dot(f.lin, v.lin));
  }
  /* motors and ports alike by the mean of the velocities before and after the step: with those that motors alone would have led to, a thrusting
   * leg seems to make energy and is slowed down */
  for (i = 0; i < c->ports; i++) work += 0.5 * c->pi[i] * (c->y_free[i] - c->y_move[i] + c->y[i]);
  c->excess += now - c->energy_start - work;
  if (!(c->excess > PO_GOVERN_SHARE * now)) return 0;
  character_slow(c, sum, now);
  c->excess = 0;
  return 1;
}

void po_character_finish(po_world *w, po_character *c, const double *dv, double dt) {
  character_sum sum;
  int conserve = w->opts.conserve_momentum && c->model->floating && c->model->subtree_end[0] == c->model->nb && !c->given;
  if (c->free) {
    po_free_body_finish(c, dv, dt);
    return;
  }
  character_apply_ports(c);
  character_integrate(c, dv, dt);
  c->q_seen[0] = PO_NAN; /* until the step is committed */
  po_kinematics(&c->data, c->q1, c->v1);
  character_momentum(&sum, c);
  if (conserve && c->bodies == 0) { /* in flight the centre of mass must go where the momentum says; on the ground the feet come first */
    po_vec3 off = po_v3_sub(po_v3_addscaled(c->com_start, dt / c->model->total_mass, c->momentum), sum.com);
    po_v3_to(c->q1 + 4, po_v3_add(po_v3_of(c->q1 + 4), po_m3_tmul_v(c->model->joint[0].placement.R, off)));
    po_kinematics(&c->data, c->q1, c->v1);
    character_momentum(&sum, c);
  }
  if (conserve) character_conserve(c, &sum);
  w->report.governed += character_govern(w, c, &sum, dt);
  c->momentum = sum.P;
  c->spin = sum.L;
  c->com_start = sum.com;
}
