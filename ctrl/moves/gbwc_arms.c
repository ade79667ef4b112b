/* gbwc_arms.c: hands that go somewhere and hold something: two-link inverse kinematics of the arm, what pulls at the hands, what hangs there (5.5.4). */
#include "gbwc_internal.h"

/* Gains of an arm that reaches, for the body of 70.4 kg and 0.86 m. A swinging arm's (15, 5) would miss by 10 cm. */
#define ARMS_SHOULDER_KP 300.0
#define ARMS_SHOULDER_KD 25.0
#define ARMS_SHOULDER_MOST 60.0  /* N m: no arm is thrown about so hard that the body loses its balance over it */
#define ARMS_ELBOW_KP 200.0
#define ARMS_ELBOW_KD 12.0
#define ARMS_STRETCH 0.99       /* of upper arm and forearm: an arm that is not quite straight, where the elbow's rate has no pole */
#define ARMS_STABLE 0.5         /* largest kd dt / inertia, as of every joint; and kp dt² / inertia a tenth of it */
#define ARMS_RATE 8.0           /* rad/s: faster targets are not asked for */
#define ARMS_BACK 0.5           /* the elbow hangs below the arm's line, and this much behind it: an arm that hangs down bends backwards */

void po_gbwc_measure_arm(po_gbwc *g, int arm) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  int upper = a->legs.upper_arm[arm], fore = a->legs.forearm[arm], frame = po_find_frame(a->model, arm == 0 ? "hand_l" : "hand_r");
  g->arms[arm].upper = 0;
  if (upper < 0 || fore < 0 || frame < 0 || a->model->frame[frame].body != fore || a->model->joint[fore].nv != 1 || a->model->joint[fore].parent != upper) return;
  g->hand[arm] = a->model->frame[frame].pose.p;
  po_gbwc_limb_measure(&g->arms[arm], d->pose[upper].R, po_unit_motion(d, a->model->joint[fore].v).ang, po_v3_sub(d->pose[fore].p, d->pose[upper].p),
                       po_m3_mul_v(d->pose[fore].R, g->hand[arm]));
}

po_vec3 po_gbwc_hand_position(const po_gbwc *g, int arm) {
  return po_point_position(g->move.actor->data, g->move.actor->legs.forearm[arm], g->hand[arm]);
}

po_vec3 po_gbwc_hand_velocity(const po_gbwc *g, int arm) {
  return po_point_velocity(g->move.actor->data, g->move.actor->legs.forearm[arm], g->hand[arm]);
}

/* With L the unit line from shoulder to hand and o the side of it that the elbow is on:  upper arm t = cos(lead) L + sin(lead) o,  axis a = o × L. */
void po_gbwc_arm_ik(const po_gbwc *g, int arm, po_vec3 shoulder, po_vec3 target, double elbow, const gbwc_view *w, po_mat3 *upper, double *bend) {
  const po_gbwc_limb *l = &g->arms[arm];
  double D, s, c;
  po_vec3 line = po_v3_sub(target, shoulder), pole, o, axis, t;
  D = po_clamp(po_v3_norm(line), po_abs(l->upper - l->lower) + (1 - ARMS_STRETCH) * (l->upper + l->lower), ARMS_STRETCH * (l->upper + l->lower));
  line = po_v3_norm(line) > 1e-9 ? po_v3_unit(line) : po_v3(0, 0, -1);
  po_sincos(&s, &c, elbow);
  pole = po_gbwc_to_world(w, po_v3(-c * ARMS_BACK, (arm == 0 ? 1 : -1) * s, -c));
  o = po_v3_addscaled(pole, -po_v3_dot(pole, line), line);
  if (po_v3_norm(o) < 1e-6) o = po_gbwc_to_world(w, po_v3(-1, 0, 0));
  o = po_v3_unit(o);
  axis = po_v3_cross(o, line);
  po_sincos(&s, &c, po_gbwc_limb_lead(l, D));
  t = po_v3_add(po_v3_scale(c, line), po_v3_scale(s, o));
  *upper = po_gbwc_limb_pose(l, t, axis);
  *bend = po_gbwc_limb_bend(l, D * D) - l->bend;
}

/* What a freedom may be driven with: explicit steps of a light part ring when it is stiffer. */
static double arms_torque(const po_gbwc *g, int dof, double kp, double kd, double error, double rate, double dt) {
  double I = g->inertia[dof];
  return po_min(kp, 0.1 * ARMS_STABLE * I / (dt * dt)) * error + po_min(kd, ARMS_STABLE * I / dt) * rate;
}

void po_gbwc_reach(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w, int arm) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  const po_gbwc_hand *h = &g->skill.hand[arm];
  int upper = a->legs.upper_arm[arm], fore = a->legs.forearm[arm], k;
  const po_joint *j = &a->model->joint[upper], *e = &a->model->joint[fore];
  double weight = po_clamp(h->weight, 0, 1), bend, next_bend, stiff = weight * g->stiffness, damp = weight * g->damping;
  po_vec3 shoulder = d->pose[upper].p, moving = po_point_velocity(d, upper, po_v3(0, 0, 0)), spin, error;
  po_mat3 R, next;
  po_gbwc_arm_ik(g, arm, shoulder, h->target, h->elbow, w, &R, &bend);
  po_gbwc_arm_ik(g, arm, po_v3_addscaled(shoulder, w->dt, moving), po_v3_addscaled(h->target, w->dt, h->velocity), h->elbow, w, &next, &next_bend);
  spin = po_v3_scale(1 / w->dt, po_q_log(po_q_from_matrix(po_m3_mult(next, R))));
  spin = po_v3(po_clamp(spin.x, -ARMS_RATE, ARMS_RATE), po_clamp(spin.y, -ARMS_RATE, ARMS_RATE), po_clamp(spin.z, -ARMS_RATE, ARMS_RATE));
  error = po_q_log(po_q_from_matrix(po_m3_mult(R, d->pose[upper].R)));
  spin = po_v3_sub(spin, po_body_angular_velocity(d, upper));
  for (k = 0; k < j->nv; k++) {
    po_vec3 axis = po_unit_motion(d, j->v + k).ang;
    double most = ARMS_SHOULDER_MOST * g->stiffness;
    tau[j->v + k] += po_clamp(arms_torque(g, j->v + k, stiff * ARMS_SHOULDER_KP, damp * ARMS_SHOULDER_KD, po_v3_dot(axis, error), po_v3_dot(axis, spin), w->dt), -most, most);
  }
  tau[e->v] += arms_torque(g, e->v, stiff * ARMS_ELBOW_KP, damp * ARMS_ELBOW_KD, bend - sense->q[e->q], po_clamp((next_bend - bend) / w->dt, -ARMS_RATE, ARMS_RATE) - sense->v[e->v], w->dt);
}

/* tau = −J' F for every joint between the hand and the pelvis. */
void po_gbwc_hold(const po_gbwc *g, double *tau) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  int arm, i, k;
  for (arm = 0; arm < 2; arm++) {
    po_vec3 F = g->skill.hand[arm].load, hand;
    if (!(po_v3_dot(F, F) > 0) || !(g->arms[arm].upper > 0)) continue;
    hand = po_gbwc_hand_position(g, arm);
    for (i = a->legs.forearm[arm]; i > 0; i = a->model->joint[i].parent) {
      const po_joint *j = &a->model->joint[i];
      po_vec3 moment = po_v3_cross(po_v3_sub(hand, d->pose[i].p), F);
      for (k = 0; k < j->nv; k++) tau[j->v + k] -= po_v3_dot(po_unit_motion(d, j->v + k).ang, moment);
    }
  }
}

double po_gbwc_whole(po_vec3 *com, po_vec3 *velocity, const po_gbwc *g) {
  const po_data *d = g->move.actor->data;
  double mass = d->model->total_mass;
  int arm;
  *com = d->com;
  *velocity = d->com_velocity;
  for (arm = 0; arm < 2; arm++) {
    double own = g->skill.hand[arm].mass, share;
    if (!(own > 0) || !(g->arms[arm].upper > 0)) continue;
    mass += own;
    share = own / mass;
    *com = po_v3_addscaled(*com, share, po_v3_sub(po_gbwc_hand_position(g, arm), *com));
    *velocity = po_v3_addscaled(*velocity, share, po_v3_sub(po_gbwc_hand_velocity(g, arm), *velocity));
  }
  return mass;
}

/* A force F at a hand of height z turns the body about its foot as a shift of the COM by F z/(m g) would: x'' = w² (x + F z/(m g) − p). */
void po_gbwc_carry(const po_gbwc *g, gbwc_view *w) {
  const po_actor *a = g->move.actor;
  po_vec3 velocity;
  int arm;
  w->mass = po_gbwc_whole(&w->com, &velocity, g);
  w->velocity = po_gbwc_to_frame(w, velocity);
  for (arm = 0; arm < 2; arm++) {
    po_vec3 F = g->skill.hand[arm].felt;
    if (!(po_v3_dot(F, F) > 0) || !(g->arms[arm].upper > 0)) continue;
    w->com = po_v3_addscaled(w->com, (po_gbwc_hand_position(g, arm).z - a->data->pose[a->legs.foot[g->now.stance]].p.z) / (w->mass * po_v3_norm(a->data->gravity)), po_v3(F.x, F.y, 0));
  }
}
