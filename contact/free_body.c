/* free_body.c: a character of one link on a floating joint, without the machinery of trees.
 *
 * Its port is its own velocity y = (w, v_com) in world axes, and Omega = diag(I^-1, 1/m). Rotation is integrated so that the angular
 * momentum L = I w does not change by turning: the solve yields w+ at the old attitude, and the step goes from there. Where nothing pushes, by the
 * midpoint rule in body axes, which keeps momentum and energy to rounding (free_turn). A body that is held or pushed goes from R0 to
 * R1 = exp(h wm) R0 with the mean wm of w+ and of w1 = I1^-1 I0 w+, the trapezoidal rule: it keeps L exactly and the energy to third order,
 * where adding the gyroscopic term explicitly makes a tumbling box gain energy.
 */
#include "world_internal.h"
#include <string.h>

static int free_is_identity(const po_pose *p) {
  int i;
  for (i = 0; i < 9; i++)
    if (p->R.m[i] != (i % 4 == 0)) return 0;
  return p->p.x == 0 && p->p.y == 0 && p->p.z == 0;
}

int po_free_body_is(const po_model *model) { return model->nb == 1 && model->floating && free_is_identity(&model->joint[0].placement); }

void po_free_body_setup(po_character *c) {
  const po_inertia *in = &c->model->inertia[0];
  const double *I = in->I.m;
  double mean = (I[0] + I[4] + I[8]) / 3;
  int i;
  c->mass = in->mass;
  c->com_body = in->com;
  c->I_body = in->I;
  c->Iinv_body = po_m3_inverse(in->I);
  c->round = 1;
  for (i = 0; i < 9; i++)
    if (fabs(I[i] - (i % 4 == 0 ? mean : 0)) > 1e-14 * mean) c->round = 0;
}

static void free_inertia(po_character *c) {
  if (c->round) {
    c->I = c->I_body;
    c->Iinv = c->Iinv_body;
    return;
  }
  c->I = po_m3_mul(c->R, po_m3_mult(c->I_body, c->R));
  c->Iinv = po_m3_mul(c->R, po_m3_mult(c->Iinv_body, c->R));
}

/* Kinetic energy of velocities y with angular momentum L, and potential energy. */
static double free_energy(const po_world *w, const po_character *c, po_vec3 spin, po_vec3 v, po_vec3 L, po_vec3 com) {
  return 0.5 * (po_v3_dot(spin, L) + c->mass * po_v3_dot(v, v)) - c->mass * po_v3_dot(w->opts.gravity, com);
}

void po_free_body_place(po_world *world, po_character *c) {
  po_quat q = po_q_unit(po_q_of(c->q));
  po_vec3 w, v;
  c->R = po_q_matrix(q);
  c->com = po_v3_add(po_v3_of(c->q + 4), po_m3_mul_v(c->R, c->com_body));
  free_inertia(c);
  w = po_v3_of(c->v);
  v = po_v3_add(po_v3_of(c->v + 3), po_v3_cross(w, c->com_body));
  po_v3_to(c->y, po_m3_mul_v(c->R, w));
  po_v3_to(c->y + 3, po_m3_mul_v(c->R, v));
  c->ports.origin = c->com;
  if (po_character_current(c)) return;
  w = po_v3_of(c->y);
  po_character_placed(c, free_energy(world, c, w, po_v3_of(c->y + 3), po_m3_mul_v(c->I, w), c->com));
  po_character_seen(c);
}

void po_free_body_accelerate(po_world *w, po_character *c, const double *qdd, double dt) {
  po_vec3 force = po_v3_addscaled(c->force[0], c->mass, w->opts.gravity), moment;
  if (qdd) {
    po_vec3 wb = po_v3_of(c->v), al = po_v3_of(qdd), r = c->com_body;
    po_vec3 a = po_v3_add(po_v3_of(qdd + 3), po_v3_cross(wb, po_v3_of(c->v + 3)));
    a = po_v3_add(a, po_v3_add(po_v3_cross(al, r), po_v3_cross(wb, po_v3_cross(wb, r))));
    po_v3_to(c->y_move, po_v3_scale(dt, po_m3_mul_v(c->R, al)));
    po_v3_to(c->y_move + 3, po_v3_scale(dt, po_m3_mul_v(c->R, a)));
    return;
  }
  moment = c->forced ? po_v3_sub(c->moment[0], po_v3_cross(c->com, c->force[0])) : po_v3(0, 0, 0);
  po_v3_to(c->y_move, po_v3_scale(dt, po_m3_mul_v(c->Iinv, moment)));
  po_v3_to(c->y_move + 3, po_v3_scale(dt / c->mass, force));
}

/* Angular velocity in mid-step, body axes, of a body whose angular momentum begins as P (body axes):
 *
 *     I w + h/2 w × I w = P      (Austin, Krishnaprasad & Wang 1993, with the rotation cay(h w) below)
 *
 * Newton from the velocity at the start. 0 when it turns too far in one step for that. */
#define FREE_NEWTON 8
#define FREE_TURN 1.0 /* rad */
static int free_mid_velocity(po_vec3 *w, const po_character *c, po_vec3 P, double h) {
  double length = po_v3_norm(P);
  int k;
  *w = po_m3_mul_v(c->Iinv_body, P);
  if (!(po_v3_norm(*w) * h < FREE_TURN)) return 0;
  for (k = 0; k < FREE_NEWTON; k++) {
    po_vec3 Iw = po_m3_mul_v(c->I_body, *w);
    po_vec3 r = po_v3_sub(po_v3_addscaled(Iw, 0.5 * h, po_v3_cross(*w, Iw)), P);
    po_mat3 J;
    if (po_v3_norm(r) <= 4 * PO_EPS * length) return 1;
    J = po_m3_add(c->I_body, po_m3_scale(0.5 * h, po_m3_sub(po_m3_mul(po_m3_skew(*w), c->I_body), po_m3_skew(Iw))));
    *w = po_v3_sub(*w, po_m3_mul_v(po_m3_inverse(J), r));
  }
  return 1; /* within rounding of the last correction */
}

/* The turn of a step in which nothing pushes it: momentum and energy are kept to rounding, so that it goes along the very curve that it should (where
 * ellipsoid and sphere meet), at a rate that is right to second order. A body tumbling about its middle axis flips as often as it should: what matters
 * there is energy to one part in a million, which a step of plain second order loses. */
static int free_turn(po_quat *q1, const po_character *c, po_quat q0, po_vec3 L, double dt) {
  po_vec3 w;
  if (c->round || c->given || c->pushed) return 0;
  if (!free_mid_velocity(&w, c, po_m3_tmul_v(c->R, L), dt)) return 0;
  w = po_v3_scale(0.5 * dt, w);
  *q1 = po_q_unit(po_q_mul(q0, po_q(1, w.x, w.y, w.z)));
  return 1;
}

void po_free_body_finish(po_world *world, po_character *c, const double *dy, double dt) {
  po_vec3 w = po_v3_of(c->y), v = po_v3_of(c->y + 3), L = po_m3_mul_v(c->I, w), w1 = w, wb, com1 = po_v3_addscaled(c->com, dt, v), turn;
  po_quat q0 = po_q_unit(po_q_of(c->q)), q1;
  int k, rounds = c->round || c->given ? 1 : 3;
  po_mat3 R1 = c->R;
  if (!dy && free_turn(&q1, c, q0, L, dt)) {
    R1 = po_q_matrix(q1);
    w1 = po_m3_mul_v(R1, po_m3_mul_v(c->Iinv_body, po_m3_tmul_v(R1, L)));
    rounds = 0;
  }
  for (k = 0; k < rounds; k++) {
    turn = po_v3_scale(0.5 * dt, po_v3_add(w, w1));
    if (dy) turn = po_v3_addscaled(turn, dt, po_v3_of(dy));
    q1 = po_q_unit(po_q_mul(po_q_exp(turn), q0));
    R1 = po_q_matrix(q1);
    if (c->round || c->given) break;
    w1 = po_m3_mul_v(R1, po_m3_mul_v(c->Iinv_body, po_m3_tmul_v(R1, L)));
  }
  if (!c->pushed && !c->given) com1 = po_v3_addscaled(com1, -0.5 * dt, po_v3_of(c->y_move + 3)); /* by the mean velocity: a parabola */
  if (dy) com1 = po_v3_addscaled(com1, dt, po_v3_of(dy + 3));
  po_q_to(c->q1, q1);
  po_v3_to(c->q1 + 4, po_v3_sub(com1, po_m3_mul_v(R1, c->com_body)));
  wb = po_m3_tmul_v(R1, w1);
  po_v3_to(c->v1, wb);
  po_v3_to(c->v1 + 3, po_v3_sub(po_m3_tmul_v(R1, v), po_v3_cross(wb, c->com_body)));
  if (dy) world->work.recovery -= dt * c->mass * po_v3_dot(world->opts.gravity, po_v3_of(dy + 3));
  c->energy1 = free_energy(world, c, w1, v, L, com1);
  po_character_work(world, c, dt);
}

/* Omega of its one port: the inverse of its inertia. */
void po_free_body_ports(po_character *c) {
  double *O = c->ports.Omega;
  int i, j, ld = c->ports.ld;
  memset(O, 0, sizeof(double) * 6 * (size_t)ld);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < 3; j++) O[i * ld + j] = c->Iinv.m[3 * i + j];
    O[(3 + i) * ld + 3 + i] = 1 / c->mass;
  }
}
