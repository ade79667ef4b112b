/* gbwc_swing.c: the swinging leg: where its foot belongs (inverted pendulum), the way there, two-link inverse kinematics, PD (5.3.2). */
#include "gbwc_internal.h"

#define SWING_REACH 0.6       /* longest step from the COM, share of the leg (5.3.2) */
#define SWING_STRETCH 0.995   /* of thigh and shank: a leg that is not quite straight, where the knee's rate has no pole */
#define SWING_SHOULDER 0.25   /* how much flatter than a parabola the ankle rises and comes down at the ends of its swing */
#define SWING_RATE 10.0        /* rad/s: faster targets are not asked for (CW3D) */
#define SWING_AHEAD 0.05       /* s: how far ahead the pendulum is trusted while the stance leg works against its errors */
#define SWING_FORESEE 0.15     /* s: and where it cannot, since they lie beyond the sole */
#define SWING_PRESS 0.3       /* m/s at which the ankle is asked to come down when its time is over: a leg that lags behind, or a body that has risen,
                               * must not leave it in the air */
#define SWING_DOWN 0.95       /* phase from which it does */
#define SWING_CROSS 0.02       /* m, times the body's scale: a way that comes closer to the stance ankle, or passes it on its other side, crosses the legs; */
#define SWING_BESIDE 0.05      /* m: it goes by this far beside it instead, on its own side (CW3D) */
#define SWING_CROSS_UNTIL 0.8  /* phase up to which it does */
#define SWING_SOON 0.1        /* s: a goal that still moves is not chased faster than this */
#define SWING_BEARS 0.1       /* of the weight: a foot of who stands that bears less is kept from sliding away */
#define SWING_SOFT 0.2        /* strength of the leg that has just left the ground; full from phase SWING_FULL on */
#define SWING_FULL 0.1
#define SWING_FULL_LATER 0.3   /* and so much later by who was thrown off, but for the first step from standing, whose other foot bears already: a leg that is thrown after a wide step turns the pelvis about the vertical, by 70 degrees in 0.1 s */

/* The pendulum's own growth tells what an offset of the foot becomes by the next step: a foot that is put a V behind the point that would stop the
 * body gives the speed V when the offset grows to V T + a V in the time T:  a e^{wT} = a + T  (Hof 2008). */
double po_gbwc_alpha(const po_gbwc *g, const gbwc_view *w) {
  if (g->params.alpha >= 0) return g->params.alpha * g->time_scale;
  return w->period / (po_exp(w->omega * w->period) - 1);
}

/* Distance at which a pendulum of constant length comes to rest: m v²/2 + m g h = m g sqrt(h² + d²). */
static double swing_stop(double v, double h, double gravity) { return v * sqrt(h / gravity + v * v / (4 * gravity * gravity)); }

/* The foothold that suits a COM velocity v (in C), from the COM. */
static po_vec3 swing_foothold(const po_gbwc *g, const gbwc_view *w, po_vec3 v) {
  double gravity = w->omega * w->omega * w->height, alpha = po_gbwc_alpha(g, w), most = SWING_REACH * g->leg, far;
  double width = w->width, side = po_gbwc_side(w);
  po_vec3 p;
  p.x = swing_stop(v.x, w->height, gravity) - alpha * w->asked;
  /* feet W apart: the point of rest lies W/(1 + e^{wT}) inside the foot that lands */
  p.y = swing_stop(v.y, w->height, gravity) - alpha * w->asked_side + side * width / (1 + po_exp(w->omega * w->period));
  p.z = 0;
  far = sqrt(p.x * p.x + p.y * p.y);
  return far > most ? po_v3_scale(most / far, p) : p;
}

/* The same for a step whose foothold is planned, which is nothing like the one before: the foothold that suits the COM as it will be shortly. Until then it goes on
 * as a pendulum over the stance ankle: x = x0 cosh wt + v0/w sinh wt. */
static po_vec3 swing_soon(const po_gbwc *g, const gbwc_view *w) {
  double ahead = po_clamp((1 - g->now.phase) * w->swing_time, 0, SWING_AHEAD * g->time_scale), grown = po_exp(w->omega * ahead), c = 0.5 * (grown + 1 / grown), s = 0.5 * (grown - 1 / grown);
  po_vec3 x = po_gbwc_to_frame(w, po_v3_sub(w->com, w->ankle[w->stance])), v = w->velocity;
  return po_v3_add(po_v3(c * x.x + s / w->omega * v.x, c * x.y + s / w->omega * v.y, 0), swing_foothold(g, w, po_v3(c * v.x + s * w->omega * x.x, c * v.y + s * w->omega * x.y, 0)));
}

/* What an error e of the point of rest becomes by the landing, which is `left` seconds away. As far as the sole reaches (low, high, from the ankle), the
 * centre of pressure works against it: that part is trusted to grow for SWING_AHEAD only. What lies beyond grows freely. */
static double swing_foresee(const po_gbwc *g, const gbwc_view *w, double e, double low, double high, double left) {
  double within = g->params.velocity_tuning >= 0.5 ? po_clamp(e, PO_GBWC_SOLE * low, PO_GBWC_SOLE * high) : 0; /* without tuning nobody does */
  return within * po_exp(w->omega * po_min(left, SWING_AHEAD * g->time_scale)) + (e - within) * po_exp(w->omega * po_min(left, SWING_FORESEE * g->time_scale));
}

/* Where the next foot belongs, in C, from the stance ankle. The step's end is known from how it began: feet V T apart, W beside each other. To that comes
 * what is not as planned, the error of the point of rest, as it will be at the landing. An error lies in the pendulum's growing half: x = e/2, v = w e/2. Without a push the goal
 * stands still from the beginning of the step. */
po_vec3 po_gbwc_pendulum(const po_gbwc *g, const gbwc_view *w) {
  double left = po_max((1 - g->now.phase) * w->swing_time / po_gbwc_hurry(g, w), 0), whole = po_exp(w->omega * w->period);
  double fast = 0.5 * w->omega * w->period * (whole + 1) / (whole - 1), wide = 0.5 * po_gbwc_side(w) * w->width; /* speed at a landing over the mean */
  po_vec3 e, x, v;
  if (po_gbwc_path_active(g)) return swing_soon(g, w);
  if (g->params.pendulum < 0.5) return po_v3(w->asked * w->period, w->asked_side * w->period + po_gbwc_side(w) * w->width, 0); /* as if nothing ever happened */
  e = po_gbwc_rest_error(g, w);
  e.x = 0.5 * swing_foresee(g, w, e.x, -g->heel, g->toe, left);
  e.y = 0.5 * swing_foresee(g, w, e.y, -g->sole_half, g->sole_half, left);
  x = po_v3(0.5 * w->asked * w->period + e.x, 0.5 * w->asked_side * w->period + wide + e.y, 0);
  v = po_v3(fast * w->asked + w->omega * e.x, fast * w->asked_side + w->omega * (wide * (whole - 1) / (whole + 1) + e.y), 0);
  return po_v3_add(x, swing_foothold(g, w, v));
}

/* Height of the ankle over where it stands, for a step of height 1: up with the first half, down with the second, level at both ends. */
static double swing_lift(double phase) {
  double x = 1 - (2 * phase - 1) * (2 * phase - 1);
  return x * (1 - SWING_SHOULDER * (1 - x));
}

/* Where the ankle goes next: to its goal, or beside the stance ankle first when the straight way there would lead through the stance leg; *share: what part of
 * the whole way that is. In C, from the stance ankle, a way crosses the legs when it passes x = 0 on the far side of SWING_CROSS. */
static po_vec3 swing_detour(const po_gbwc *g, const gbwc_view *w, po_vec3 from, po_vec3 goal, double *share) {
  po_vec3 p = po_gbwc_to_frame(w, po_v3_sub(from, w->ankle[w->stance])), q = po_gbwc_to_frame(w, po_v3_sub(goal, w->ankle[w->stance]));
  po_vec3 via = po_v3(0, po_gbwc_side(w) * SWING_BESIDE * g->length, 0);
  double first, then;
  *share = 1;
  if (g->now.phase > SWING_CROSS_UNTIL || !(p.x * q.x < 0)) return goal;
  if (po_gbwc_side(w) * (p.y + (q.y - p.y) * p.x / (p.x - q.x)) >= SWING_CROSS * g->length) return goal;
  first = sqrt(p.x * p.x + (via.y - p.y) * (via.y - p.y));
  then = sqrt(q.x * q.x + (q.y - via.y) * (q.y - via.y));
  *share = first / (first + then);
  via = po_v3_add(w->ankle[w->stance], po_gbwc_to_world(w, via));
  return po_v3(via.x, via.y, goal.z);
}

/* The ankle on its way to the goal, `seconds` after `from`: as fast as brings it there in the time that is left. A goal that stands still makes this the
 * straight line (1 − φ) x0 + φ x_d (5.3.2); when a push moves the goal, what is missing is spread over the rest of the step instead of jumping. */
static po_vec3 swing_path(const po_gbwc *g, const gbwc_view *w, po_vec3 from, po_vec3 goal, double seconds, double pace) {
  double phase = g->now.phase + seconds * pace / w->swing_time, left = po_max((1 - g->now.phase) * w->swing_time / pace, SWING_SOON * g->time_scale);
  double share;
  po_vec3 p;
  if (po_gbwc_path_active(g)) return po_gbwc_path_at(g, w, goal, g->now.phase + seconds * po_gbwc_path_rate(g, w) / w->swing_time);
  goal = swing_detour(g, w, from, goal, &share);
  p = po_v3_addscaled(from, po_min(seconds / po_max(share * left, seconds), 1), po_v3_sub(goal, from));
  p.z = w->ground + g->ankle_height + g->length * (g->params.step_height * swing_lift(po_clamp(phase, 0, 1)) - SWING_PRESS * w->swing_time * po_max(phase - SWING_DOWN, 0));
  return p;
}

static int swing_crosses(const po_gbwc *g, const gbwc_view *w, po_vec3 goal) {
  double share;
  swing_detour(g, w, g->now.swing_target, goal, &share);
  return share < 1;
}

void po_gbwc_leg_ik(const po_gbwc *g, int leg, po_vec3 hip, po_vec3 target, po_vec3 normal, po_mat3 *thigh, double *knee) {
  const po_gbwc_limb *l = &g->legs[leg];
  double sign = l->bend < 0 ? -1 : 1, D;
  po_vec3 line = po_v3_sub(target, hip), axis, t;
  D = po_clamp(po_v3_norm(line), po_abs(l->upper - l->lower) + (1 - SWING_STRETCH) * l->upper, SWING_STRETCH * (l->upper + l->lower));
  line = po_v3_unit(line);
  axis = po_v3_unit(po_v3_addscaled(normal, -po_v3_dot(normal, line), line));
  if (l->axis.y < 0) axis = po_v3_neg(axis);
  t = po_m3_mul_v(po_m3_axis_angle(axis, -sign * po_gbwc_limb_lead(l, D)), line);
  *thigh = po_gbwc_limb_pose(l, t, axis);
  *knee = sign * po_gbwc_limb_bend(l, D * D) - l->bend;
}

/* Normal of the leg's plane: C's left, turned outwards by the twist of the style. */
static po_vec3 swing_normal(const po_gbwc *g, const gbwc_view *w) {
  double s, c;
  po_sincos(&s, &c, po_gbwc_side(w) * PO_RAD(g->params.twist_deg));
  return po_gbwc_to_world(w, po_v3(-s, c, 0));
}

void po_gbwc_swing_leg(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  int leg = w->swing, thigh = a->legs.thigh[leg], shank = a->legs.shank[leg], dof = a->model->joint[shank].v;
  double knee, next_knee, rate, pace = po_gbwc_hurry(g, w), strength = SWING_SOFT + (1 - SWING_SOFT) * po_clamp(g->now.phase / (SWING_FULL + (g->now.pace < 1 ? 0 : SWING_FULL_LATER * g->now.unrest)), 0, 1);
  po_vec3 hip = a->data->pose[thigh].p, hip_velocity = po_point_velocity(a->data, thigh, po_v3(0, 0, 0)), normal = swing_normal(g, w), spin;
  po_vec3 goal = po_v3_add(w->ankle[w->stance], po_gbwc_to_world(w, po_gbwc_pendulum(g, w)));
  po_mat3 R, next;
  if (po_gbwc_path_active(g)) goal = po_gbwc_path_goal(g, goal);
  if (!po_gbwc_path_active(g) && swing_crosses(g, w, goal)) g->now.crossing = 1;
  g->now.swing_target = swing_path(g, w, g->now.swing_target, goal, 0, pace);
  po_gbwc_leg_ik(g, leg, hip, g->now.swing_target, po_gbwc_path_normal(g, normal, hip, g->now.swing_target), &R, &knee);
  g->now.swing_target = swing_path(g, w, g->now.swing_target, goal, w->dt, pace);
  hip = po_v3_addscaled(hip, w->dt, hip_velocity);
  po_gbwc_leg_ik(g, leg, hip, g->now.swing_target, po_gbwc_path_normal(g, normal, hip, g->now.swing_target), &next, &next_knee);
  spin = po_v3_scale(1 / w->dt, po_q_log(po_q_from_matrix(po_m3_mult(next, R))));
  spin = po_v3(po_clamp(spin.x, -SWING_RATE, SWING_RATE), po_clamp(spin.y, -SWING_RATE, SWING_RATE), po_clamp(spin.z, -SWING_RATE, SWING_RATE));
  rate = po_clamp((next_knee - knee) / w->dt, -SWING_RATE, SWING_RATE);
  po_gbwc_drive(g, tau, thigh, R, spin, strength, w);
  tau[dof] += strength * (g->kp[shank] * (knee - sense->q[a->model->joint[shank].q]) + g->kd[shank] * (rate - sense->v[dof]));
}

/* Who stands has hips that turn the pelvis, not legs that go somewhere: the leg of a foot without load would be swung away by its hip, 5 cm in 0.1 s. It is damped towards
 * where its ankle stays, in the measure of the load that is missing. */
void po_gbwc_keep_foot(po_gbwc *g, double *tau, const gbwc_view *w, int leg) {
  const po_actor *a = g->move.actor;
  int thigh = a->legs.thigh[leg];
  double weight = w->mass * w->omega * w->omega * w->height, bears = w->feel[leg].force == w->feel[leg].force ? w->feel[leg].force : w->feel[leg].heel || w->feel[leg].toe ? weight : 0;
  double strength = 1 - po_min(po_max(bears, 0) / (SWING_BEARS * weight), 1), knee;
  po_vec3 hip = a->data->pose[thigh].p, normal = po_gbwc_to_world(w, po_v3(0, 1, 0));
  po_mat3 R, next;
  if (!(strength > 0)) return;
  po_gbwc_leg_ik(g, leg, hip, w->ankle[leg], normal, &R, &knee);
  hip = po_v3_addscaled(hip, w->dt, po_point_velocity(a->data, thigh, po_v3(0, 0, 0)));
  po_gbwc_leg_ik(g, leg, hip, w->ankle[leg], normal, &next, &knee);
  po_gbwc_drive(g, tau, thigh, a->data->pose[thigh].R, po_v3_scale(1 / w->dt, po_q_log(po_q_from_matrix(po_m3_mult(next, R)))), strength, w);
}
