/* jump_motion.c: what each phase of a jump asks of the body (paper 1, section 5).
 *
 *   on the ground    contact > COM across > COM height, momentum, pose as in balance; height by target objectives
 *   thrust           contact > COM across, momentum > height > pose: what torques cannot give is missing in height, not in balance
 *   flight           ankles held relative to the COM, swung out and back for kicks and splits; soles parallel to the ground before touchdown
 *   impact           corners hold on as they touch; a COM height that gives way
 */
#include "jump_internal.h"
#include <string.h>

#define JUMP_TURN_SHARE 0.5 /* of the thrust that remains when momentum is called in */
/* Of its standing height a body gives way by about this much when it lands, which sets how stiffly the faster ones are caught. */
#define JUMP_GIVE_WAY 0.39
#define JUMP_SPIN_MOST 3.5 /* rad/s, times sqrt(g/h): who lands turning faster than this falls */
#define JUMP_HIP_TURN 0.6 /* rad: how far feet turn against the pelvis in flight */
#define JUMP_LAND_SECONDS 0.05 /* after touchdown all corners are drawn to the ground */
/* A body that lands turning is stopped by the ground: momentum weighs this much more then. */
#define JUMP_IMPACT_MOMENTUM 10.0
#define JUMP_BEYOND 0.015 /* s of the take-off speed: how far beyond take-off the thrust's target stands, since a target's last 10 ms are damped */
#define JUMP_LAST_THRUST 0.004 /* s: shortest time to it that is asked for: four ticks at 1 kHz */
#define JUMP_LEFT_LEAST 0.01 /* s to take-off: the gain 1/left stays within what ten ticks can follow */
#define JUMP_LEAD_OVER 1.2   /* halves of the flight over which the feet come to where they will land: just past the apex */
#define JUMP_SWING_OUT 0.8 /* of the ascent: ankles are out by then; */
#define JUMP_SWING_BACK 0.7 /* of the descent: and home by then, before touchdown */
#define JUMP_FEET_TURN 0.35 /* of the flight: feet begin to turn to where they will stand, and need as much for it */

/* ---- switches and what all phases have in common ---- */

/* Whether any corner of a foot, or all of them, touch. */
static int jump_touches(const po_patch *s) { return s->touching[0] || s->touching[1] || s->touching[2] || s->touching[3]; }
static int jump_flat(const po_patch *s) { return s->touching[0] && s->touching[1] && s->touching[2] && s->touching[3]; }

/* A foot holds on once it touches, all of its sole: one still in the air is not braked by an objective that takes it for standing. */
static void jump_land(po_jump *j) {
  int f, late = j->phase != PO_JUMP_IMPACT || j->phase_time > JUMP_LAND_SECONDS;
  for (f = 0; f < 2; f++) {
    const po_patch *s = &j->move.actor->patches.patch[f];
    if (po_jump_flying(j)) j->landed[f] = j->flat[f] = 0;
    else {
      if (late || jump_touches(s)) j->landed[f] = 1;
      if (late || jump_flat(s)) j->flat[f] = 1;
    }
  }
}

static void jump_switch(po_jump *j) {
  int f, flying = po_jump_flying(j);
  jump_land(j);
  for (f = 0; f < 8; f++) po_actor_plant(j->move.actor, f / 4, f % 4, j->landed[f / 4], j->params.stand.kp_contact);
  j->o.com->on = j->o.height->on = j->o.momentum->on = !flying;
  for (f = 0; f < 2; f++) {
    j->ankle[f]->on = flying;
    j->ankle[f]->weight = j->params.weight_ankle;
    j->ankle[f]->kp = j->params.kp_ankle;
    j->foot[f]->on = j->phase == PO_JUMP_DESCENT || (j->phase == PO_JUMP_IMPACT && !j->landed[f]);
    j->foot[f]->weight = j->params.weight_ankle;
    j->foot[f]->kp = j->params.kp_foot;
  }
  po_actor_stand_on(j->move.actor, flying ? 0 : 3);
}

static void jump_common(po_jump *j) {
  const po_stand_gains *g = &j->params.stand;
  const po_actor *a = j->move.actor;
  po_vec3 c = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET);
  j->move.com_target = po_v3(c.x, c.y, c.z + g->com_height * a->standing_height);
  po_posture_aim(&j->o, a, g);
  j->o.com->kp = g->kp_com;
  j->o.com->limit = g->com_limit;
  j->o.com->ref[0] = c.x;
  j->o.com->ref[1] = c.y;
  j->o.com->ref_rate[0] = j->o.com->ref_rate[1] = 0;
  j->o.height->ref[0] = j->move.com_target.z;
  j->o.height->ref_rate[0] = 0;
}

/* Height to reach with this speed in the time that is left. */
static void jump_height_target(po_jump *j, double height, double speed, double left) {
  po_objective *o = j->o.height;
  o->type = PO_TARGET;
  o->ref[0] = po_patches_centroid(&j->move.actor->patches, j->move.actor->data, PO_BOTH_FEET).z + height;
  o->ref_rate[0] = speed;
  o->time = left;
}

/* ---- thrust ---- */

double po_jump_spin(const po_jump *j, const double *v) { return po_dot(po_row(j->move.actor->data->cmm, 2), v, j->move.actor->data->model->nv); }

/* Momentum to leave with. From now the rate goes evenly from ω₀ to ω₁ in the time left, then stays for the flight, and is to turn the body by
 * what remains:  (ω₀ + ω₁)/2 left + ω₁ flight = remaining. */
static double jump_spin_wanted(const po_jump *j, double spin, double left) {
  double remaining = PO_RAD(j->params.angle) - j->turned, now = spin / j->spin_inertia;
  double most = JUMP_SPIN_MOST * sqrt(po_v3_norm(j->move.actor->data->gravity) / j->move.actor->standing_height);
  return j->spin_inertia * po_clamp((remaining - 0.5 * now * left) / (j->flight_seconds + 0.5 * left), -most, most);
}

static void jump_thrust(po_jump *j, const double *v) {
  const po_jump_params *p = &j->params;
  double stroke = j->takeoff_height - j->crouch_height, s, c, left, T = j->thrust_seconds, over, up, beyond, speed;
  /* Constant acceleration from where the body is now: a fixed clock would brake one that is early. The target stands a little beyond
   * take-off, since a target's last 10 ms are damped. */
  over = po_jump_over(j);
  up = po_max(j->move.actor->data->com_velocity.z, 0);
  beyond = JUMP_BEYOND * j->takeoff_speed;
  speed = j->takeoff_speed * sqrt(1 + beyond / stroke);
  left = po_clamp(2 * (j->takeoff_height + beyond - over) / (up + speed), JUMP_LAST_THRUST, T);
  if (p->thrust_time > 0 && j->phase_time < 0.5 * T) left = T - j->phase_time;
  jump_height_target(j, j->takeoff_height + beyond, speed, left);
  j->o.height->priority = 3;
  j->o.pose->priority = j->o.upright->priority = 4;
  /* What the body turns with when it leaves the ground it keeps: evenly to the momentum wanted, before all but balance. Until then the trunk is
   * free to rise, which with no momentum it could not. */
  j->o.momentum->priority = 2;
  left = po_max(2 * (j->takeoff_height - over) / (up + j->takeoff_speed), JUMP_LEFT_LEAST);
  j->o.momentum->kp = 1 / left;
  if (p->angle == 0 && left > JUMP_TURN_SHARE * T) j->o.momentum->on = 0;
  if (p->angle != 0) j->o.momentum->ref[2] = jump_spin_wanted(j, po_jump_spin(j, v), left);
  if (p->distance != 0) { /* leave forwards: a velocity, reached evenly over the thrust */
    double share = po_clamp(j->phase_time / T, 0, 1), u = j->forward_speed;
    po_sincos(&s, &c, j->start_heading);
    j->o.com->ref_rate[0] = c * u * share;
    j->o.com->ref_rate[1] = s * u * share;
    j->o.com->ref[0] += c * 0.5 * u * share * share * T;
    j->o.com->ref[1] += s * 0.5 * u * share * share * T;
    j->o.com->ref_accel[0] = c * u / T;
    j->o.com->ref_accel[1] = s * u / T;
    j->o.com->limit = 0;
  }
}

/* ---- flight ---- */

/* How far the ankles are swung out at time t of the flight, with its rate: out until 80 % of the ascent, back as descent begins, home
 * before touchdown, along half cosines. */
static void jump_swing(const po_jump *j, double *angle, double *rate) {
  double half = 0.5 * j->flight_seconds, out = JUMP_SWING_OUT * half, back = JUMP_SWING_BACK * half, A = PO_RAD(j->params.swing_deg), t = j->flown, s, c;
  *angle = *rate = 0;
  if (t < out) {
    po_sincos(&s, &c, PO_PI * t / out);
    *angle = 0.5 * A * (1 - c);
    *rate = 0.5 * A * s * PO_PI / out;
  } else if (t < half)
    *angle = A;
  else if (t < half + back) {
    po_sincos(&s, &c, PO_PI * (t - half) / back);
    *angle = 0.5 * A * (1 + c);
    *rate = -0.5 * A * s * PO_PI / back;
  }
}

/* Where the feet point in flight: ahead with the body, and towards touchdown where they are to stand in the end, as far as hips can turn. */
static double jump_foot_heading(const po_jump *j) {
  double share = po_clamp((j->flown / j->flight_seconds - JUMP_FEET_TURN) / JUMP_FEET_TURN, 0, 1);
  return po_actor_heading(j->move.actor) + share * po_clamp(PO_RAD(j->params.angle) - j->turned, -JUMP_HIP_TURN, JUMP_HIP_TURN);
}

/* Ankles relative to the COM in flight: the standing offset in the feet's heading, swung out and back. */
static void jump_flight(po_jump *j) {
  const po_jump_params *p = &j->params;
  double heading = jump_foot_heading(j), half = 0.5 * j->flight_seconds, swing, rate, lead;
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), heading);
  int f;
  jump_swing(j, &swing, &rate);
  lead = j->lead * po_clamp(j->flown / (JUMP_LEAD_OVER * half), 0, 1);
  for (f = 0; f < 2; f++) {
    double side = f == 0 ? 1 : -1;
    po_vec3 axis = p->swing_axis < 0.5 ? po_v3(0, -1, 0) : po_v3(1, 0, 0);
    po_vec3 offset = po_q_rotate(po_q_axis_angle(axis, side * swing), j->ankle_offset[f]);
    po_v3_to(j->ankle[f]->ref_rate, po_q_rotate(face, po_v3_scale(side * rate, po_v3_cross(axis, offset))));
    offset.x += lead;
    po_v3_to(j->ankle[f]->ref, po_q_rotate(face, offset));
  }
}

/* Soles parallel to the ground below them, toes ahead. */
static void jump_level_feet(po_jump *j) {
  double heading = jump_foot_heading(j);
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 n = j->move.actor->patches.patch[f].normal, z = po_v3(0, 0, 1), axis = po_v3_cross(z, n);
    double s = po_v3_norm(axis), angle = po_atan2(s, n.z);
    po_quat tilt = s > 1e-12 ? po_q_axis_angle(po_v3_scale(1 / s, axis), angle) : po_q_identity();
    j->foot[f]->ref_orientation = po_q_mul(tilt, po_q_axis_angle(z, heading));
  }
}

/* ---- landing ---- */

static void jump_impact(po_jump *j) {
  /* critically damped from speed v, the COM goes on by about v / (e ω) */
  double w = j->touchdown_speed / (JUMP_GIVE_WAY * j->move.actor->standing_height);
  j->o.height->kp = po_max(j->params.kp_land, w * w);
  j->o.height->ref[0] += (JUMP_LANDING - j->params.stand.com_height) * j->move.actor->standing_height;
  j->o.com->limit = 0;
  j->o.momentum->weight *= JUMP_IMPACT_MOMENTUM;
  /* on one foot or on toes, catching the fall would throw the body over: not before both soles are there */
  if (!j->flat[0] || !j->flat[1]) {
    j->o.momentum->priority = 2;
    j->o.height->priority = 3;
    j->o.pose->priority = j->o.upright->priority = 4;
  }
}

void po_jump_references(po_jump *j, const double *v) {
  const po_jump_params *p = &j->params;
  jump_switch(j);
  jump_common(j);
  j->o.com->ref_accel[0] = j->o.com->ref_accel[1] = 0;
  po_jump_rest_pose(j);
  if (j->phase == PO_JUMP_COMPRESS) jump_height_target(j, j->crouch_height, 0, p->compress_time - j->phase_time);
  if (j->phase == PO_JUMP_THRUST) jump_thrust(j, v);
  if (po_jump_flying(j)) jump_flight(j);
  if (j->phase == PO_JUMP_DESCENT) jump_level_feet(j);
  if (j->phase == PO_JUMP_IMPACT) jump_impact(j);
  if (j->phase == PO_JUMP_RECOVER) jump_height_target(j, p->stand.com_height * j->move.actor->standing_height, 0, p->recover_time - j->phase_time);
}
