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
/* Arms swing back in the crouch, ahead in the thrust, and come down in flight (rad about the shoulders' axis, back positive). */
#define JUMP_ARMS_BACK 0.8
#define JUMP_ARMS_AHEAD -1.2
#define JUMP_ARMS_LANDING -0.6
#define JUMP_ARMS_RATE 1.5   /* arms come down over two thirds of the flight, */
#define JUMP_ARMS_LATE 0.3   /* and begin a fifth of it after take-off: rate times 0.2 */
#define JUMP_TOES_DOWN 0.2   /* rad: feet hang as the body rises */

/* ---- what all stages have in common ---- */

/* COM over the soles. */
double po_jump_over(const jump *j) {
  const po_actor *a = j->turner.move.actor;
  return a->data->com.z - po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET).z;
}

double po_jump_spin(const jump *j) {
  const po_data *d = j->turner.move.actor->data;
  return po_dot(po_row(d->cmm, 2), j->turner.sense->v, d->model->nv);
}

/* The objectives of balance over the soles; a foot that has landed is held to the ground, all of its sole. */
static void jump_common(jump *j, int flying) {
  const po_jump_params *p = &j->params;
  po_tumbler *t = &j->turner.body;
  po_actor *a = t->actor;
  po_vec3 c = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET);
  int f;
  for (f = 0; f < 8; f++) po_actor_plant(a, f / 4, f % 4, j->now.landed[f / 4], p->stand.kp_contact);
  po_actor_stand_on(a, flying ? 0 : PO_BOTH_FEET);
  t->com->on = t->height->on = t->turn->on = !flying;
  t->trunk->on = 1;
  for (f = 0; f < 2; f++) {
    t->ankle[f]->on = flying;
    t->foot[f]->on = 0;
    t->ankle[f]->priority = t->foot[f]->priority = 3;
    t->ankle[f]->weight = t->foot[f]->weight = p->weight_ankle;
    t->ankle[f]->kp = p->kp_ankle;
    t->foot[f]->kp = p->kp_foot;
  }
  j->turner.move.com_target = po_v3(c.x, c.y, c.z + p->stand.com_height * t->h);
  po_posture_aim(&j->o, a, &p->stand);
  t->com->kp = p->stand.kp_com;
  t->com->limit = p->stand.com_limit;
  t->com->ref[0] = c.x;
  t->com->ref[1] = c.y;
  t->com->ref_rate[0] = t->com->ref_rate[1] = t->com->ref_accel[0] = t->com->ref_accel[1] = 0;
  t->height->ref[0] = j->turner.move.com_target.z;
  t->height->ref_rate[0] = 0;
}

/* On the ground, legs as the COM's height has them. A foot holds on once it touches, all of its sole: one still in the air is not braked by an objective that takes it
 * for standing; `late`: both hold on. */
static jump_shape jump_on_ground(jump *j, int late) {
  int f;
  for (f = 0; f < 2; f++) {
    int touching = po_patches_touching(&j->turner.move.actor->patches, PO_PATCH_BIT(f));
    if (late || touching > 0) j->now.landed[f] = 1;
    if (late || touching == 4) j->now.flat[f] = 1;
  }
  jump_common(j, 0);
  return po_jump_shape(j, po_jump_over(j));
}

/* Height to reach with this speed in the time that is left. */
static void jump_height_target(jump *j, double height, double speed, double left) {
  po_objective *o = j->o.height;
  const po_actor *a = j->turner.move.actor;
  o->type = PO_TARGET;
  o->ref[0] = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET).z + height;
  o->ref_rate[0] = speed;
  o->time = left;
}

/* ---- before it leaves ---- */

void po_jump_stand(po_move *move) {
  jump *j = po_jump_self(move);
  jump_shape shape = jump_on_ground(j, 1);
  po_jump_pose(j, &shape, 0, 0);
}

void po_jump_compress(po_move *move) {
  jump *j = po_jump_self(move);
  jump_shape shape;
  po_jump_plan(j);
  shape = jump_on_ground(j, 1);
  shape.arms = JUMP_ARMS_BACK * po_min(1, j->turner.time / (0.5 * j->params.compress_time));
  po_jump_pose(j, &shape, 0, 1);
  jump_height_target(j, j->now.crouch_height, 0, j->params.compress_time - j->turner.time);
}

/* Who twists keeps the arms close. */
static double jump_arms_ahead(const jump *j) { return j->params.angle != 0 ? 0 : JUMP_ARMS_AHEAD; }

/* Momentum to leave with. From now the rate goes evenly from ω₀ to ω₁ in the time left, then stays for the flight, and is to turn the body by
 * what remains:  (ω₀ + ω₁)/2 left + ω₁ flight = remaining. */
static double jump_spin_wanted(const jump *j, double spin, double left) {
  double remaining = PO_RAD(j->params.angle) - j->now.turned, now = spin / j->now.spin_inertia;
  double most = JUMP_SPIN_MOST * sqrt(j->turner.body.gravity / j->turner.body.h);
  return j->now.spin_inertia * po_clamp((remaining - 0.5 * now * left) / (j->now.flight_seconds + 0.5 * left), -most, most);
}

/* Leave forwards: a velocity, reached evenly over the thrust. */
static void jump_thrust_ahead(jump *j) {
  double T = j->now.thrust_seconds, share = po_clamp(j->turner.time / T, 0, 1), u = j->now.forward_speed, s, c;
  po_objective *com = j->o.com;
  po_sincos(&s, &c, j->now.start_heading);
  com->ref_rate[0] = c * u * share;
  com->ref_rate[1] = s * u * share;
  com->ref[0] += c * 0.5 * u * share * share * T;
  com->ref[1] += s * 0.5 * u * share * share * T;
  com->ref_accel[0] = c * u / T;
  com->ref_accel[1] = s * u / T;
  com->limit = 0;
}

void po_jump_thrust(po_move *move) {
  jump *j = po_jump_self(move);
  const po_jump_params *p = &j->params;
  const po_jump *n = &j->now;
  double stroke = n->takeoff_height - n->crouch_height, left, T = n->thrust_seconds, over, up, beyond, speed;
  jump_shape shape = jump_on_ground(j, 1);
  shape.lean = 0; /* hips extend with the knees */
  shape.arms = jump_arms_ahead(j);
  po_jump_pose(j, &shape, 0, 1);
  /* Constant acceleration from where the body is now: a fixed clock would brake one that is early. The target stands a little beyond
   * take-off, since a target's last 10 ms are damped. */
  over = po_jump_over(j);
  up = po_max(move->actor->data->com_velocity.z, 0);
  beyond = JUMP_BEYOND * n->takeoff_speed;
  speed = n->takeoff_speed * sqrt(1 + beyond / stroke);
  left = po_clamp(2 * (n->takeoff_height + beyond - over) / (up + speed), JUMP_LAST_THRUST, T);
  if (p->thrust_time > 0 && j->turner.time < 0.5 * T) left = T - j->turner.time;
  jump_height_target(j, n->takeoff_height + beyond, speed, left);
  j->o.height->priority = 3;
  j->o.pose->priority = j->o.upright->priority = 4;
  /* What the body turns with when it leaves the ground it keeps: evenly to the momentum wanted, before all but balance. Until then the trunk is
   * free to rise, which with no momentum it could not. */
  j->o.momentum->priority = 2;
  left = po_max(2 * (n->takeoff_height - over) / (up + n->takeoff_speed), JUMP_LEFT_LEAST);
  j->o.momentum->kp = 1 / left;
  if (p->angle == 0 && left > JUMP_TURN_SHARE * T) j->o.momentum->on = 0;
  if (p->angle != 0) j->o.momentum->ref[2] = jump_spin_wanted(j, po_jump_spin(j), left);
  if (p->distance != 0) jump_thrust_ahead(j);
}

/* ---- flight ---- */

/* How far the ankles are swung out at time t of the flight, with its rate: out until 80 % of the ascent, back as descent begins, home
 * before touchdown, along half cosines. */
static void jump_swing(const jump *j, double *angle, double *rate) {
  double half = 0.5 * j->now.flight_seconds, out = JUMP_SWING_OUT * half, back = JUMP_SWING_BACK * half, A = PO_RAD(j->params.swing_deg), t = j->now.flown, s, c;
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
static double jump_foot_heading(const jump *j) {
  double share = po_clamp((j->now.flown / j->now.flight_seconds - JUMP_FEET_TURN) / JUMP_FEET_TURN, 0, 1);
  return po_actor_heading(j->turner.move.actor) + share * po_clamp(PO_RAD(j->params.angle) - j->now.turned, -JUMP_HIP_TURN, JUMP_HIP_TURN);
}

/* Ankles relative to the COM in flight: the standing offset in the feet's heading, swung out and back. */
static void jump_flight(jump *j) {
  const po_jump_params *p = &j->params;
  double heading = jump_foot_heading(j), half = 0.5 * j->now.flight_seconds, swing, rate, lead;
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), heading);
  int f;
  jump_swing(j, &swing, &rate);
  lead = j->now.lead * po_clamp(j->now.flown / (JUMP_LEAD_OVER * half), 0, 1);
  for (f = 0; f < 2; f++) {
    double side = f == 0 ? 1 : -1;
    po_vec3 axis = p->swing_axis < 0.5 ? po_v3(0, -1, 0) : po_v3(1, 0, 0);
    po_vec3 offset = po_q_rotate(po_q_axis_angle(axis, side * swing), j->now.ankle_offset[f]);
    po_v3_to(j->turner.body.ankle[f]->ref_rate, po_q_rotate(face, po_v3_scale(side * rate, po_v3_cross(axis, offset))));
    offset.x += lead;
    po_v3_to(j->turner.body.ankle[f]->ref, po_q_rotate(face, offset));
  }
}

/* Soles parallel to the ground below them, toes ahead. */
static void jump_level_feet(jump *j) {
  double heading = jump_foot_heading(j);
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 n = j->turner.move.actor->patches.patch[f].normal, z = po_v3(0, 0, 1), axis = po_v3_cross(z, n);
    double s = po_v3_norm(axis), angle = po_atan2(s, n.z);
    po_quat tilt = s > 1e-12 ? po_q_axis_angle(po_v3_scale(1 / s, axis), angle) : po_q_identity();
    j->turner.body.foot[f]->on = 1;
    j->turner.body.foot[f]->ref_orientation = po_q_mul(tilt, po_q_axis_angle(z, heading));
  }
}

/* In the air, legs drawn in; arms come down. */
static jump_shape jump_in_air(jump *j) {
  double share = po_clamp(JUMP_ARMS_RATE * j->now.flown / j->now.flight_seconds - JUMP_ARMS_LATE, 0, 1);
  jump_shape shape = po_jump_shape(j, j->now.flight_height);
  memset(j->now.landed, 0, sizeof j->now.landed);
  memset(j->now.flat, 0, sizeof j->now.flat);
  jump_common(j, 1);
  shape.arms = (1 - share) * jump_arms_ahead(j) + share * JUMP_ARMS_LANDING;
  return shape;
}

void po_jump_ascend(po_move *move) {
  jump *j = po_jump_self(move);
  jump_shape shape = jump_in_air(j);
  shape.lean = 0;
  shape.toes = JUMP_TOES_DOWN;
  po_jump_pose(j, &shape, 1, 1);
  jump_flight(j);
}

void po_jump_descend(po_move *move) {
  jump *j = po_jump_self(move);
  jump_shape shape = jump_in_air(j);
  shape.lean = po_jump_shape(j, JUMP_LANDING * j->turner.body.h).lean; /* as the landing will need it */
  po_jump_pose(j, &shape, 1, 1);
  jump_flight(j);
  jump_level_feet(j);
}

/* ---- landing ---- */

void po_jump_give_way(po_move *move) {
  jump *j = po_jump_self(move);
  po_tumbler *t = &j->turner.body;
  jump_shape shape = jump_on_ground(j, j->turner.time > JUMP_LAND_SECONDS);
  double w = j->now.touchdown_speed / (JUMP_GIVE_WAY * t->h); /* critically damped from speed v, the COM goes on by about v / (e ω) */
  int f;
  shape.arms = JUMP_ARMS_LANDING;
  po_jump_pose(j, &shape, 0, 1);
  for (f = 0; f < 2; f++) t->foot[f]->on = !j->now.landed[f];
  t->height->kp = po_max(j->params.kp_land, w * w);
  t->height->ref[0] += (JUMP_LANDING - j->params.stand.com_height) * t->h;
  t->com->limit = 0;
  t->turn->weight *= JUMP_IMPACT_MOMENTUM;
  if (j->now.flat[0] && j->now.flat[1]) return;
  /* on one foot or on toes, catching the fall would throw the body over: not before both soles are there */
  t->turn->priority = 2;
  t->height->priority = 3;
  t->pose->priority = t->trunk->priority = 4;
}

void po_jump_recover(po_move *move) {
  jump *j = po_jump_self(move);
  jump_shape shape = jump_on_ground(j, 1);
  po_jump_pose(j, &shape, 0, 1);
  jump_height_target(j, j->params.stand.com_height * j->turner.body.h, 0, j->params.recover_time - j->turner.time);
}
