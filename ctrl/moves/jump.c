/* jump.c: standing jumps (paper 1, section 5): the balance objectives under a state machine. docs/jumps.md has the equations.
 *
 *   stand → compress → thrust → ascent → descent → impact → recover → done
 *
 * Here: parameters, objectives, the plan (how fast to leave the ground, from how deep a crouch), the transitions, the state. What each
 * phase asks for is in jump_motion.c, the rest pose in jump_pose.c.
 */
#include "jump_internal.h"
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
  JUMP_PARAM(kp_foot, 400, 0, 2000, "1/s^2", "gain that lays the soles parallel to the ground before touchdown"),
  JUMP_PARAM(arms, 0.5, 0, 2, "", "how far the arms swing; 0: not"),
  JUMP_PARAM(kp_arms, 150, 0, 1000, "1/s^2", "gain of the arms"),
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
  o.joint_kp = j->joint_kp;
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

/* One layout for po_jump_bytes and po_jump_init; returns the actor's part. */
static void *jump_layout(po_jump *j, const po_model *m, const po_wbc_opts *opts, po_arena *a) {
  j->joint_kp = PO_ARENA_ZARRAY(a, double, m->nv);
  return po_arena_alloc(a, po_actor_bytes(m, opts));
}

size_t po_jump_bytes(const po_model *m, const po_wbc_opts *opts) {
  po_arena a;
  po_jump j;
  if (!m) return 0;
  po_arena_measure(&a);
  jump_layout(&j, m, opts, &a);
  return po_arena_used(&a);
}

po_status po_jump_init(po_jump *j, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_jump_params *params,
                       void *mem, size_t bytes, po_error *err) {
  po_status s;
  po_arena a;
  void *actor;
  if (!j || !m || !mem) return po_fail(err, PO_ERR_NULL, "a jump needs a model and memory");
  memset(j, 0, sizeof *j);
  if (params) j->params = *params;
  else po_jump_params_default(&j->params);
  po_arena_init(&a, mem, bytes);
  actor = jump_layout(j, m, opts, &a);
  if (a.failed) return po_fail(err, PO_ERR_MEMORY, "a jump needs %zu bytes, %zu were given", po_jump_bytes(m, opts), bytes);
  if ((s = po_actor_init(&j->actor, m, terrain, opts, actor, po_actor_bytes(m, opts), err)) != PO_OK) return s;
  po_jump_measure(j);
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
/* In flight the legs are drawn in this much, so that they land bent and have a way to give. */
#define JUMP_TUCK 0.95
/* Force of both legs from the torque of the hips: it acts with a lever of this share of the standing height, in the jumps that use all of it. */
#define JUMP_LEVER 0.27
/* Less than this share of the height or angle asked for, foreseen at take-off, is said to be out of reach. */
#define JUMP_REACHED 0.9

/* Inertia about the vertical through the COM, of the body as it stands. */
static double jump_spin_inertia(const po_data *d) {
  po_mat3 R = d->pose[0].R;
  return PO_AT(d->cmm, 2, 0) * R.m[6] + PO_AT(d->cmm, 2, 1) * R.m[7] + PO_AT(d->cmm, 2, 2) * R.m[8];
}

/* The take-off speed that the legs' torques allow over a stroke. */
static double jump_fastest(const po_jump *j, double stroke) {
  const po_model *m = j->actor.data->model;
  double force = 0;
  int f;
  for (f = 0; f < 2; f++) {
    const po_joint *hip = j->leg_body[f] >= 0 ? &m->joint[j->leg_body[f]] : NULL;
    if (hip) force += hip->effort[hip->nv == 3 ? 1 : 0] / (JUMP_LEVER * j->actor.standing_height);
  }
  return force > 0 ? sqrt(2 * po_max(force / m->total_mass - po_v3_norm(j->actor.data->gravity), 1) * stroke) : PO_INF;
}

/* Where it stands, when compression begins. */
static void jump_begin(po_jump *j) {
  const po_data *d = j->actor.data;
  double c, s;
  int f;
  j->start_heading = po_actor_heading(&j->actor);
  j->turned = 0;
  j->spin_inertia = jump_spin_inertia(d);
  j->start = po_support_centroid(&j->actor.support, d, 3);
  j->flight_height = JUMP_TUCK * po_jump_over(j);
  po_sincos(j->start_heading, &s, &c);
  for (f = 0; f < 2; f++) {
    po_vec3 o = po_v3_sub(po_point_position(d, j->actor.support.foot[f].body, po_v3(0, 0, 0)), d->com);
    j->ankle_offset[f] = po_v3(c * o.x + s * o.y, -s * o.x + c * o.y, JUMP_TUCK * o.z);
  }
}

/* From the parameters as they are now; made anew until thrust begins, so that they may change. */
static void jump_plan(po_jump *j) {
  const po_jump_params *p = &j->params;
  double g = po_v3_norm(j->actor.data->gravity), h = j->actor.standing_height, stroke, fall;
  j->takeoff_height = p->takeoff * h;
  j->takeoff_speed = sqrt(2 * g * (p->height + h - j->takeoff_height));
  stroke = j->takeoff_speed * j->takeoff_speed / (2 * JUMP_THRUST_G * g);
  j->crouch_height = p->crouch > 0 ? po_min(p->crouch * h, 0.95 * j->takeoff_height) : po_max(j->takeoff_height - stroke, JUMP_DEEPEST * h);
  stroke = j->takeoff_height - j->crouch_height;
  j->takeoff_speed = po_min(j->takeoff_speed, jump_fastest(j, stroke));
  j->thrust_seconds = p->thrust_time > 0 ? p->thrust_time : 2 * stroke / j->takeoff_speed;
  j->flight_seconds = 2 * j->takeoff_speed / g;
  /* the feet go from under the COM to `lead` ahead of it, and it moves by half the thrust's way, then the flight's */
  fall = sqrt(j->flight_height / g);
  j->forward_speed = p->distance / (0.5 * j->thrust_seconds + j->flight_seconds + fall);
  j->lead = j->forward_speed * fall;
}

/* ---- the state machine (figure 2) ---- */

static void jump_enter(po_jump *j, po_jump_phase phase) {
  j->phase = phase;
  j->phase_time = 0;
}

/* Off the ground: what is to come is now known. */
static void jump_take_off(po_jump *j, const double *v) {
  const po_jump_params *p = &j->params;
  double g = po_v3_norm(j->actor.data->gravity), up = po_max(j->actor.data->com_velocity.z, 0), rise, turn;
  j->flight_seconds = po_max(2 * up / g, 0.01);
  rise = po_jump_over(j) + up * up / (2 * g) - j->actor.standing_height;
  turn = j->turned + po_jump_spin(j, v) / j->spin_inertia * j->flight_seconds;
  if (rise < JUMP_REACHED * p->height) j->beyond_reach = 1;
  if (p->angle != 0 && turn / PO_RAD(p->angle) < JUMP_REACHED) j->twist_beyond_reach = 1;
  j->flown = 0;
  jump_enter(j, PO_JUMP_ASCENT);
}

static void jump_transitions(po_jump *j, const double *v) {
  const po_jump_params *p = &j->params;
  double up = j->actor.data->com_velocity.z;
  int touching = po_support_count(&j->actor.support);
  switch (j->phase) {
  case PO_JUMP_STAND:
    if (j->phase_time >= p->wait) {
      jump_begin(j);
      jump_plan(j);
      jump_enter(j, PO_JUMP_COMPRESS);
    }
    break;
  case PO_JUMP_COMPRESS:
    jump_plan(j);
    if (j->phase_time >= p->compress_time) jump_enter(j, PO_JUMP_THRUST);
    break;
  case PO_JUMP_THRUST:
    if (po_jump_over(j) >= j->takeoff_height || touching == 0 || (j->phase_time > 0.1 && up >= j->takeoff_speed)) jump_take_off(j, v);
    else if (j->phase_time > 1.5) {
      j->beyond_reach = 1;
      jump_enter(j, PO_JUMP_RECOVER);
    }
    break;
  case PO_JUMP_ASCENT:
    if (up <= 0) jump_enter(j, PO_JUMP_DESCENT);
    break;
  case PO_JUMP_DESCENT:
    if (touching > 0) {
      j->touchdown_speed = po_max(-up, 0);
      jump_enter(j, PO_JUMP_IMPACT);
    }
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

/* How far the body has turned since the plan, whole turns counted. */
static void jump_count_turns(po_jump *j) {
  double step = po_actor_heading(&j->actor) - j->start_heading - j->turned;
  j->turned += step - 2 * PO_PI * floor(step / (2 * PO_PI) + 0.5);
}

po_status po_jump_tick(po_jump *j, double *tau, const double *q, const double *v, double dt) {
  po_status s;
  double rise;
  if (!j || !tau) return PO_ERR_NULL;
  if ((s = po_actor_begin(&j->actor, q, v, dt)) != PO_OK) return s;
  jump_count_turns(j);
  jump_transitions(j, v);
  po_jump_references(j, v);
  rise = j->actor.data->com.z - j->start.z - j->actor.standing_height;
  if (j->phase >= PO_JUMP_THRUST && rise > j->apex_rise) j->apex_rise = rise;
  s = po_actor_end(&j->actor, tau, q, v, dt);
  j->phase_time += dt;
  if (j->phase == PO_JUMP_ASCENT || j->phase == PO_JUMP_DESCENT) j->flown += dt;
  return s;
}

/* ---- state: from params on, plain values ---- */

#define JUMP_PLAIN offsetof(po_jump, params)

size_t po_jump_state_bytes(const po_jump *j) { return sizeof(po_jump) - JUMP_PLAIN + po_actor_state_bytes(&j->actor); }

void po_jump_save(const po_jump *j, void *state) {
  size_t own = sizeof(po_jump) - JUMP_PLAIN;
  memcpy(state, (const char *)j + JUMP_PLAIN, own);
  po_actor_save(&j->actor, (char *)state + own);
}

po_status po_jump_restore(po_jump *j, const void *state, size_t bytes) {
  size_t own = sizeof(po_jump) - JUMP_PLAIN;
  if (!j || !state) return PO_ERR_NULL;
  if (bytes != po_jump_state_bytes(j)) return PO_ERR_SIZE;
  memcpy((char *)j + JUMP_PLAIN, state, own);
  return po_actor_restore(&j->actor, (const char *)state + own, bytes - own);
}
