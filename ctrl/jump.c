/* jump.c: standing jumps (paper 1, section 5): the balance objectives under a state machine.
 *
 *   stand → compress → thrust → ascent → descent → impact → recover → done
 *
 * All changes of COM height are target objectives. In flight contact and COM objectives are off and the ankles are held relative to the
 * COM; turning that offset about an axis and back makes kicks and splits. Twists come from angular momentum about the vertical asked
 * for during thrust, forward jumps from a COM velocity.
 */
#include "ctrl_internal.h"
#include <string.h>

#define JUMP_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_jump_params, name) }
const po_param po_jump_param[] = {
  JUMP_PARAM(height, 0.25, 0.02, 1, "m", "rise of the COM over standing"),
  JUMP_PARAM(crouch, 0, 0, 0.95, "", "COM height at the bottom of the crouch, share of standing; 0: from the height"),
  JUMP_PARAM(takeoff, 0.97, 0.8, 1.05, "", "COM height at which thrust ends, share of standing"),
  JUMP_PARAM(wait, 0.5, 0, 60, "s", "standing before the crouch"),
  JUMP_PARAM(compress_time, 0.5, 0.1, 5, "s", "time of the crouch"),
  JUMP_PARAM(recover_time, 0.8, 0.1, 5, "s", "time from the lowest point after landing to standing"),
  JUMP_PARAM(thrust_time, 0, 0, 2, "s", "time of the thrust; 0: constant acceleration"),
  JUMP_PARAM(angle, 0, -360, 360, "deg", "twist, left positive"),
  JUMP_PARAM(distance, 0, -1, 1.5, "m", "forward"),
  JUMP_PARAM(swing_deg, 0, -90, 90, "deg", "swing of the ankles about the COM in flight"),
  JUMP_PARAM(swing_axis, 0, 0, 1, "", "0: scissor kick, 1: air split"),
  JUMP_PARAM(weight_ankle, 10, 0, 1000, "", "weight of the ankles in flight"),
  JUMP_PARAM(kp_ankle, 400, 0, 2000, "1/s^2", "gain of the ankles in flight"),
  JUMP_PARAM(kp_land, 30, 0, 1000, "1/s^2", "gain of the COM height while landing"),
  JUMP_PARAM(kp_foot, 200, 0, 2000, "1/s^2", "gain that lays the soles parallel to the ground before touchdown"),
};
const int po_jump_param_count = (int)(sizeof po_jump_param / sizeof po_jump_param[0]);

void po_jump_params_default(po_jump_params *p) {
  po_param_defaults(p, po_jump_param, po_jump_param_count);
  po_param_defaults(&p->balance, po_balance_param, po_balance_param_count);
}

const char *po_jump_phase_string(po_jump_phase phase) {
  static const char *const names[] = {"stand", "compress", "thrust", "ascent", "descent", "impact", "recover", "done"};
  return phase >= PO_JUMP_STAND && phase <= PO_JUMP_DONE ? names[phase] : "done";
}

/* Places in wbc->objective. */
enum { JUMP_CONTACT = 0, JUMP_COM = 8, JUMP_HEIGHT, JUMP_MOMENTUM, JUMP_POSE, JUMP_UPRIGHT, JUMP_ANKLE, JUMP_FOOT = JUMP_ANKLE + 2, JUMP_OBJECTIVES = JUMP_FOOT + 2 };

static po_status jump_objectives(po_jump *j, const po_model *m) {
  static const char *const ankle[2] = {"ankle_l", "ankle_r"}, *const foot[2] = {"foot_l", "foot_r"};
  const po_balance_params *p = &j->params.balance;
  po_wbc *w = j->actor.wbc;
  po_objective o;
  int f;
  if (po_actor_add_contacts(&j->actor, 1, p->kp_contact) != PO_OK) return PO_ERR_SIZE;
  o = po_objective_setpoint("com", po_feature_com_across(), 2, p->kp_com);
  po_wbc_add(w, &o);
  o = po_objective_setpoint("height", po_feature_com_height(), 2, p->kp_height);
  po_wbc_add(w, &o);
  o = po_objective_momentum("momentum", 3, p->kp_momentum);
  po_wbc_add(w, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, p->kp_pose);
  o.pose = j->actor.pose;
  o.joint_weight = j->actor.joint_weight;
  po_wbc_add(w, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, p->kp_pose);
  po_wbc_add(w, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(ankle[f], po_feature_point_from_com(j->actor.support.foot[f].body, po_v3(0, 0, 0)), 3, j->params.kp_ankle);
    o.on = 0;
    po_wbc_add(w, &o);
  }
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(foot[f], po_feature_orientation(j->actor.support.foot[f].body), 3, j->params.kp_foot);
    o.on = 0;
    po_wbc_add(w, &o);
  }
  return w->objectives == JUMP_OBJECTIVES ? PO_OK : PO_ERR_SIZE;
}

size_t po_jump_bytes(const po_model *m, const po_wbc_opts *opts) { return po_actor_bytes(m, opts); }

po_status po_jump_init(po_jump *j, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_jump_params *params,
                       void *mem, size_t bytes, po_error *err) {
  po_status s;
  if (!j) return po_fail(err, PO_ERR_NULL, "a jump needs a place to be");
  memset(j, 0, sizeof *j);
  if (params) j->params = *params;
  else po_jump_params_default(&j->params);
  if ((s = po_actor_init(&j->actor, m, terrain, opts, mem, bytes, err)) != PO_OK) return s;
  if (jump_objectives(j, m) != PO_OK) return po_fail(err, PO_ERR_SIZE, "jumps need max_objectives of at least %d", JUMP_OBJECTIVES);
  return PO_OK;
}

po_status po_jump_new(po_jump **jump, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_jump_params *params,
                      po_error *err) {
  size_t bytes = po_jump_bytes(m, opts);
  po_jump *j;
  po_status s;
  if (!jump || !m) return po_fail(err, PO_ERR_NULL, "a jump needs a model");
  *jump = NULL;
  j = po_alloc(sizeof *j + bytes);
  if (!j) return po_fail(err, PO_ERR_MEMORY, "jump: out of memory");
  s = po_jump_init(j, m, terrain, opts, params, (char *)j + sizeof *j, bytes, err);
  if (s != PO_OK) po_free(j);
  else *jump = j;
  return s;
}
void po_jump_free(po_jump *j) { po_free(j); }

/* ---- the plan ---- */

/* Mean acceleration of the thrust, in g: a 35 cm jump of the human then takes about 850 N per leg. */
#define JUMP_THRUST_G 1.25
#define JUMP_DEEPEST 0.62
#define JUMP_STILL 0.05 /* m/s: the fall has been caught */
#define JUMP_HIP_TURN 0.6 /* rad */
/* The body also turns during thrust and landing, and legs that point ahead take momentum from it: measured, this much more is needed. */
#define JUMP_SPIN 1.15
/* In flight the legs are drawn in this much, so that they land bent and have a way to give. */
#define JUMP_TUCK 0.92
#define JUMP_FLIGHT_BEND 0.6 /* rad */
/* Landing aims this low (share of standing): the body gives way, then rises. */
#define JUMP_LANDING 0.78
/* What the body turns with when it leaves the ground it keeps: momentum weighs more during thrust. */
#define JUMP_THRUST_MOMENTUM 30.0

/* Inertia about the vertical through the COM of the body as it stands now. */
static double jump_spin_inertia(const po_data *d) {
  po_mat3 R = d->pose[0].R;
  return PO_AT(d->cmm, 2, 0) * R.m[6] + PO_AT(d->cmm, 2, 1) * R.m[7] + PO_AT(d->cmm, 2, 2) * R.m[8];
}

static void jump_plan(po_jump *j) {
  const po_jump_params *p = &j->params;
  const po_data *d = j->actor.data;
  double g = po_v3_norm(d->gravity), h = j->actor.standing_height, stroke, c, s;
  int f;
  j->takeoff_height = p->takeoff * h;
  j->takeoff_speed = sqrt(2 * g * (p->height + h - j->takeoff_height));
  stroke = j->takeoff_speed * j->takeoff_speed / (2 * JUMP_THRUST_G * g);
  j->crouch_height = p->crouch > 0 ? p->crouch * h : po_max(j->takeoff_height - stroke, JUMP_DEEPEST * h);
  j->flight_seconds = 2 * j->takeoff_speed / g;
  j->forward_speed = p->distance / j->flight_seconds;
  j->start_heading = po_actor_heading(&j->actor);
  j->start = po_support_centroid(&j->actor.support, d, 3);
  po_sincos(j->start_heading, &s, &c);
  for (f = 0; f < 2; f++) {
    po_vec3 o = po_v3_sub(po_point_position(d, j->actor.support.foot[f].body, po_v3(0, 0, 0)), d->com);
    j->ankle_offset[f] = po_v3(c * o.x + s * o.y, -s * o.x + c * o.y, JUMP_TUCK * o.z);
  }
}

/* ---- references ---- */

static void jump_switch(po_jump *j, int grounded, int flying, int feet) {
  po_objective *o = j->actor.wbc->objective;
  int f;
  for (f = 0; f < 8; f++) po_actor_plant(&j->actor, f / 4, f % 4, grounded, j->params.balance.kp_contact);
  o[JUMP_COM].on = o[JUMP_HEIGHT].on = grounded;
  for (f = 0; f < 2; f++) {
    o[JUMP_ANKLE + f].on = flying;
    o[JUMP_ANKLE + f].weight = j->params.weight_ankle;
    o[JUMP_ANKLE + f].kp = j->params.kp_ankle;
    o[JUMP_FOOT + f].on = feet;
    o[JUMP_FOOT + f].kp = j->params.kp_foot;
  }
}

static void jump_common(po_jump *j) {
  po_objective *o = j->actor.wbc->objective;
  const po_balance_params *p = &j->params.balance;
  const po_data *d = j->actor.data;
  double h = j->actor.standing_height;
  po_vec3 c = po_support_centroid(&j->actor.support, d, 3);
  j->com_target = po_v3(c.x, c.y, c.z + p->com_height * h);
  o[JUMP_COM].kp = p->kp_com;
  o[JUMP_COM].limit = p->com_limit;
  o[JUMP_COM].ref[0] = c.x;
  o[JUMP_COM].ref[1] = c.y;
  o[JUMP_COM].ref_rate[0] = o[JUMP_COM].ref_rate[1] = 0;
  o[JUMP_HEIGHT].type = PO_SETPOINT;
  o[JUMP_HEIGHT].kp = p->kp_height;
  o[JUMP_HEIGHT].ref[0] = j->com_target.z;
  o[JUMP_HEIGHT].ref_rate[0] = 0;
  o[JUMP_MOMENTUM].kp = p->kp_momentum;
  o[JUMP_MOMENTUM].weight = p->weight_momentum;
  o[JUMP_MOMENTUM].scale = d->model->total_mass * h * h;
  memset(o[JUMP_MOMENTUM].ref, 0, sizeof o[JUMP_MOMENTUM].ref);
  o[JUMP_POSE].kp = p->kp_pose;
  o[JUMP_UPRIGHT].kp = p->kp_pose;
  o[JUMP_UPRIGHT].weight = p->weight_upright;
  po_actor_upright(&j->actor, &o[JUMP_UPRIGHT]);
}

/* Height to reach with this speed in the time that is left. */
static void jump_height_target(po_jump *j, double height, double speed, double left) {
  po_objective *o = &j->actor.wbc->objective[JUMP_HEIGHT];
  o->type = PO_TARGET;
  o->ref[0] = po_support_centroid(&j->actor.support, j->actor.data, 3).z + height;
  o->ref_rate[0] = speed;
  o->time = left;
}

static void jump_thrust(po_jump *j) {
  const po_jump_params *p = &j->params;
  po_objective *o = j->actor.wbc->objective;
  const po_data *d = j->actor.data;
  double stroke = j->takeoff_height - j->crouch_height, s, c;
  double T = p->thrust_time > 0 ? p->thrust_time : 2 * stroke / j->takeoff_speed, left;
  /* Constant acceleration from where the body is now: a fixed clock would brake one that is early. The target stands a little beyond
   * take-off, since a target's last 10 ms are damped. */
  double over = d->com.z - po_support_centroid(&j->actor.support, d, 3).z, up = po_max(d->com_velocity.z, 0);
  double beyond = 0.015 * j->takeoff_speed, speed = j->takeoff_speed * sqrt(1 + beyond / stroke);
  left = po_clamp(2 * (j->takeoff_height + beyond - over) / (up + speed), 0.004, T);
  if (p->thrust_time > 0 && j->phase_time < 0.5 * T) left = T - j->phase_time;
  jump_height_target(j, j->takeoff_height + beyond, speed, left);
  o[JUMP_MOMENTUM].kp = 4 / T;
  o[JUMP_MOMENTUM].weight = JUMP_THRUST_MOMENTUM * p->balance.weight_momentum;
  po_sincos(j->start_heading, &s, &c);
  if (p->distance != 0) { /* leave forwards: a velocity, reached evenly over the thrust */
    double share = po_clamp(j->phase_time / T, 0, 1), v = j->forward_speed;
    o[JUMP_COM].ref_rate[0] = c * v * share;
    o[JUMP_COM].ref_rate[1] = s * v * share;
    o[JUMP_COM].ref[0] += c * 0.5 * v * share * share * T;
    o[JUMP_COM].ref[1] += s * 0.5 * v * share * share * T;
    o[JUMP_COM].limit = 0;
  }
  if (p->angle != 0) { /* L = I ω, ω = angle / flight, reached as thrust ends */
    double turned = PO_RAD(p->angle) / (j->flight_seconds + 1e-9);
    o[JUMP_MOMENTUM].ref[2] = JUMP_SPIN * jump_spin_inertia(d) * turned;
  }
}

/* How far the ankles are swung out at time t of the flight, with its rate: out until 80 % of the ascent, back as descent begins, home
 * before touchdown, along half cosines. */
static void jump_swing(const po_jump *j, double *angle, double *rate) {
  double half = 0.5 * j->flight_seconds, out = 0.8 * half, back = 0.7 * half, A = PO_RAD(j->params.swing_deg), t = j->flown, s, c;
  *angle = *rate = 0;
  if (t < out) {
    po_sincos(PO_PI * t / out, &s, &c);
    *angle = 0.5 * A * (1 - c);
    *rate = 0.5 * A * s * PO_PI / out;
  } else if (t < half)
    *angle = A;
  else if (t < half + back) {
    po_sincos(PO_PI * (t - half) / back, &s, &c);
    *angle = 0.5 * A * (1 + c);
    *rate = -0.5 * A * s * PO_PI / back;
  }
}

/* Where the feet point in flight: ahead with the body, and towards touchdown where they are to stand in the end, as far as hips can turn. */
static double jump_foot_heading(const po_jump *j) {
  double heading = po_actor_heading(&j->actor), e = j->start_heading + PO_RAD(j->params.angle) - heading, share;
  while (e > PO_PI) e -= 2 * PO_PI;
  while (e < -PO_PI) e += 2 * PO_PI;
  share = po_clamp((j->flown / j->flight_seconds - 0.35) / 0.35, 0, 1);
  return heading + share * po_clamp(e, -JUMP_HIP_TURN, JUMP_HIP_TURN);
}

/* Ankles relative to the COM in flight: the standing offset in the feet's heading, swung out and back. */
static void jump_flight(po_jump *j) {
  const po_jump_params *p = &j->params;
  po_objective *o = j->actor.wbc->objective;
  const po_data *d = j->actor.data;
  double heading = jump_foot_heading(j), half = 0.5 * j->flight_seconds, swing, rate, lead, g = po_v3_norm(d->gravity);
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), heading);
  int f;
  jump_swing(j, &swing, &rate);
  /* feet land ahead of the COM by what its speed carries it: v sqrt(h/g) */
  lead = j->forward_speed * sqrt(j->actor.standing_height / g) * po_clamp(j->flown / (1.2 * half), 0, 1);
  for (f = 0; f < 2; f++) {
    double side = f == 0 ? 1 : -1;
    po_vec3 axis = p->swing_axis < 0.5 ? po_v3(0, -1, 0) : po_v3(1, 0, 0);
    po_vec3 offset = po_q_rotate(po_q_axis_angle(axis, side * swing), j->ankle_offset[f]);
    po_v3_to(o[JUMP_ANKLE + f].ref_rate, po_q_rotate(face, po_v3_scale(side * rate, po_v3_cross(axis, offset))));
    offset.x += lead;
    po_v3_to(o[JUMP_ANKLE + f].ref, po_q_rotate(face, offset));
  }
}

/* Soles parallel to the ground below them, toes ahead. */
static void jump_level_feet(po_jump *j) {
  po_objective *o = j->actor.wbc->objective;
  double heading = jump_foot_heading(j);
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 n = j->actor.support.foot[f].normal, z = po_v3(0, 0, 1), axis = po_v3_cross(z, n);
    double s = po_v3_norm(axis), angle = po_atan2(s, n.z);
    po_quat tilt = s > 1e-12 ? po_q_axis_angle(po_v3_scale(1 / s, axis), angle) : po_q_identity();
    o[JUMP_FOOT + f].ref_orientation = po_q_mul(tilt, po_q_axis_angle(z, heading));
  }
}

/* ---- the state machine (figure 2) ---- */

static void jump_enter(po_jump *j, po_jump_phase phase) {
  j->phase = phase;
  j->phase_time = 0;
}

static void jump_transitions(po_jump *j) {
  const po_jump_params *p = &j->params;
  const po_data *d = j->actor.data;
  double up = d->com_velocity.z, over = d->com.z - po_support_centroid(&j->actor.support, d, 3).z;
  int touching = po_support_count(&j->actor.support);
  switch (j->phase) {
  case PO_JUMP_STAND:
    if (j->phase_time >= p->wait) {
      jump_plan(j);
      jump_enter(j, PO_JUMP_COMPRESS);
    }
    break;
  case PO_JUMP_COMPRESS:
    if (j->phase_time >= p->compress_time) jump_enter(j, PO_JUMP_THRUST);
    break;
  case PO_JUMP_THRUST:
    if (over >= j->takeoff_height || touching == 0 || (j->phase_time > 0.1 && up >= j->takeoff_speed)) {
      if (up < 0.9 * j->takeoff_speed) j->beyond_reach = 1;
      j->flight_seconds = 2 * up / po_v3_norm(d->gravity);
      j->flown = 0;
      jump_enter(j, PO_JUMP_ASCENT);
    } else if (j->phase_time > 1.5) {
      j->beyond_reach = 1;
      jump_enter(j, PO_JUMP_RECOVER);
    }
    break;
  case PO_JUMP_ASCENT:
    if (up <= 0) jump_enter(j, PO_JUMP_DESCENT);
    break;
  case PO_JUMP_DESCENT:
    if (touching > 0) jump_enter(j, PO_JUMP_IMPACT);
    break;
  case PO_JUMP_IMPACT:
    if (j->phase_time > 0.02 && up > -JUMP_STILL) jump_enter(j, PO_JUMP_RECOVER);
    break;
  case PO_JUMP_RECOVER:
    if (j->phase_time >= p->recover_time) jump_enter(j, PO_JUMP_DONE);
    break;
  case PO_JUMP_DONE: break;
  }
}

static void jump_references(po_jump *j) {
  po_objective *o = j->actor.wbc->objective;
  int flying = j->phase == PO_JUMP_ASCENT || j->phase == PO_JUMP_DESCENT;
  jump_switch(j, !flying, flying, j->phase == PO_JUMP_DESCENT);
  jump_common(j);
  po_actor_stand_on(&j->actor, flying ? 0 : 3);
  if (j->phase == PO_JUMP_COMPRESS) jump_height_target(j, j->crouch_height, 0, j->params.compress_time - j->phase_time);
  if (j->phase == PO_JUMP_THRUST) jump_thrust(j);
  /* a straight knee is a singularity that no target behind it can pull the leg out of: the rest pose does */
  po_actor_bend_knees(&j->actor, flying || j->phase == PO_JUMP_IMPACT ? JUMP_FLIGHT_BEND : 0);
  if (flying) jump_flight(j);
  if (j->phase == PO_JUMP_DESCENT) jump_level_feet(j);
  if (j->phase == PO_JUMP_IMPACT) {
    o[JUMP_HEIGHT].kp = j->params.kp_land;
    o[JUMP_HEIGHT].ref[0] += (JUMP_LANDING - j->params.balance.com_height) * j->actor.standing_height;
    o[JUMP_COM].limit = 0;
  }
  if (j->phase == PO_JUMP_RECOVER)
    jump_height_target(j, j->params.balance.com_height * j->actor.standing_height, 0, j->params.recover_time - j->phase_time);
}

po_status po_jump_tick(po_jump *j, double *tau, const double *q, const double *v, double dt) {
  po_status s;
  double rise;
  if (!j || !tau) return PO_ERR_NULL;
  if ((s = po_actor_begin(&j->actor, q, v, dt)) != PO_OK) return s;
  jump_transitions(j);
  jump_references(j);
  rise = j->actor.data->com.z - j->start.z - j->actor.standing_height;
  if (j->phase >= PO_JUMP_THRUST && rise > j->apex_rise) j->apex_rise = rise;
  s = po_actor_end(&j->actor, tau, q, v, dt);
  j->phase_time += dt;
  if (j->phase == PO_JUMP_ASCENT || j->phase == PO_JUMP_DESCENT) j->flown += dt;
  return s;
}

/* ---- state: everything but the actor is plain values ---- */

size_t po_jump_state_bytes(const po_jump *j) { return sizeof(po_jump) - sizeof(po_actor) + po_actor_state_bytes(&j->actor); }

void po_jump_save(const po_jump *j, void *state) {
  size_t own = sizeof(po_jump) - sizeof(po_actor);
  memcpy(state, (const char *)j + sizeof(po_actor), own);
  po_actor_save(&j->actor, (char *)state + own);
}

po_status po_jump_restore(po_jump *j, const void *state, size_t bytes) {
  size_t own = sizeof(po_jump) - sizeof(po_actor);
  if (!j || !state) return PO_ERR_NULL;
  if (bytes != po_jump_state_bytes(j)) return PO_ERR_SIZE;
  memcpy((char *)j + sizeof(po_actor), state, own);
  return po_actor_restore(&j->actor, (const char *)state + own, bytes - own);
}
