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
  PO_STAND_PARAMS(po_jump_params, stand),
};
const int po_jump_param_count = (int)(sizeof po_jump_param / sizeof po_jump_param[0]);

static const po_preset jump_preset[] = {
  {"jump-twist", "a jump that turns about the vertical", "{\"height\": 0.35, \"angle\": 90}"},
  {"jump-kick", "a jump with a scissor kick", "{\"height\": 0.35, \"swing_deg\": 30}"},
  {"jump-split", "a jump with an air split", "{\"height\": 0.35, \"swing_deg\": 25, \"swing_axis\": 1}"},
  {"jump-forward", "a jump that lands ahead", "{\"height\": 0.35, \"distance\": 0.3}"},
  {NULL, NULL, NULL}};

static const char *const jump_phase_names[] = {"stand", "compress", "thrust", "ascent", "descent", "impact", "recover", "done"};
const char *po_jump_phase_string(po_jump_phase phase) {
  return phase >= PO_JUMP_STAND && phase <= PO_JUMP_DONE ? jump_phase_names[phase] : "done";
}

static po_jump *jump_of(po_move *move) { return (po_jump *)(void *)move; }

static po_status jump_attach(po_move *move, po_error *err) {
  static const char *const ankle[2] = {"ankle_l", "ankle_r"}, *const foot[2] = {"foot_l", "foot_r"};
  po_jump *j = jump_of(move);
  po_actor *a = move->actor;
  po_objective o;
  int f;
  (void)err;
  po_actor_add_contacts(a, PO_BOTH_FEET, 1, j->params.stand.kp_contact);
  po_posture_add(&j->o, a, &j->params.stand);
  if (j->o.pose) j->o.pose->joint_kp = j->joint_kp;
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(ankle[f], po_feature_point_from_com(a->patches.patch[f].body, po_v3(0, 0, 0)), 3, j->params.kp_ankle);
    o.on = 0;
    j->ankle[f] = po_wbc_add(a->wbc, &o);
  }
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(foot[f], po_feature_orientation(a->patches.patch[f].body), 3, j->params.kp_foot);
    o.on = 0;
    j->foot[f] = po_wbc_add(a->wbc, &o);
  }
  return PO_OK;
}

static void jump_layout(po_move *move, const po_model *m, po_arena *a) { jump_of(move)->joint_kp = PO_ARENA_ZARRAY(a, double, m->nv); }

static po_status jump_init(po_move *move, po_error *err) {
  (void)err;
  po_jump_measure(jump_of(move));
  return PO_OK;
}

/* Everything from `phase` on is of one jump. */
static void jump_begin_anew(po_move *move, const po_move *from) {
  po_jump *j = jump_of(move);
  (void)from;
  memset((char *)j + offsetof(po_jump, phase), 0, sizeof *j - offsetof(po_jump, phase));
}

/* ---- the plan ---- */

/* Mean acceleration of the thrust, in g: a 35 cm jump of the human then takes about 850 N per leg. */
#define JUMP_THRUST_G 1.25
#define JUMP_DEEPEST 0.62
#define JUMP_STILL 0.05 /* m/s: the fall has been caught */
#define JUMP_SHALLOWEST 0.95    /* of the take-off's height: a crouch that was asked for is at least this much lower */
#define JUMP_THRUST_LEAST 0.1   /* s: before this the speed of whatever went before may still be in the COM */
#define JUMP_THRUST_MOST 1.5    /* s, five times a thrust: who still stands then lacks the strength */
#define JUMP_IMPACT_LEAST 0.02  /* s: the touchdown's own bounce is no end of the fall */
#define JUMP_FLIGHT_LEAST 0.01  /* s: who leaves the ground without speed; divisions by it stay finite */
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
  const po_model *m = j->move.actor->data->model;
  double force = 0;
  int f;
  for (f = 0; f < 2; f++) {
    const po_joint *hip = j->move.actor->legs.thigh[f] >= 0 ? &m->joint[j->move.actor->legs.thigh[f]] : NULL;
    if (hip) force += hip->effort[hip->nv == 3 ? 1 : 0] / (JUMP_LEVER * j->move.actor->standing_height);
  }
  return force > 0 ? sqrt(2 * po_max(force / m->total_mass - po_v3_norm(j->move.actor->data->gravity), 1) * stroke) : PO_INF;
}

/* Where it stands, when compression begins. */
static void jump_begin(po_jump *j) {
  const po_data *d = j->move.actor->data;
  double c, s;
  int f;
  j->start_heading = po_actor_heading(j->move.actor);
  j->turned = 0;
  j->spin_inertia = jump_spin_inertia(d);
  j->start = po_patches_centroid(&j->move.actor->patches, d, PO_BOTH_FEET);
  j->flight_height = JUMP_TUCK * po_jump_over(j);
  po_sincos(&s, &c, j->start_heading);
  for (f = 0; f < 2; f++) {
    po_vec3 o = po_v3_sub(po_point_position(d, j->move.actor->patches.patch[f].body, po_v3(0, 0, 0)), d->com);
    j->ankle_offset[f] = po_v3(c * o.x + s * o.y, -s * o.x + c * o.y, JUMP_TUCK * o.z);
  }
}

/* From the parameters as they are now; made anew until thrust begins, so that they may change. */
static void jump_plan(po_jump *j) {
  const po_jump_params *p = &j->params;
  double g = po_v3_norm(j->move.actor->data->gravity), h = j->move.actor->standing_height, stroke, fall;
  j->takeoff_height = p->takeoff * h;
  j->takeoff_speed = sqrt(2 * g * (p->height + h - j->takeoff_height));
  stroke = j->takeoff_speed * j->takeoff_speed / (2 * JUMP_THRUST_G * g);
  j->crouch_height = p->crouch > 0 ? po_min(p->crouch * h, JUMP_SHALLOWEST * j->takeoff_height) : po_max(j->takeoff_height - stroke, JUMP_DEEPEST * h);
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
  double g = po_v3_norm(j->move.actor->data->gravity), up = po_max(j->move.actor->data->com_velocity.z, 0), rise, turn;
  j->flight_seconds = po_max(2 * up / g, JUMP_FLIGHT_LEAST);
  rise = po_jump_over(j) + up * up / (2 * g) - j->move.actor->standing_height;
  turn = j->turned + po_jump_spin(j, v) / j->spin_inertia * j->flight_seconds;
  if (rise < JUMP_REACHED * p->height) j->beyond_reach = 1;
  if (p->angle != 0 && turn / PO_RAD(p->angle) < JUMP_REACHED) j->twist_beyond_reach = 1;
  j->flown = 0;
  jump_enter(j, PO_JUMP_ASCENT);
}

static void jump_transitions(po_jump *j, const double *v) {
  const po_jump_params *p = &j->params;
  double up = j->move.actor->data->com_velocity.z;
  int touching = po_patches_touching(&j->move.actor->patches, PO_BOTH_FEET);
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
    if (po_jump_over(j) >= j->takeoff_height || touching == 0 || (j->phase_time > JUMP_THRUST_LEAST && up >= j->takeoff_speed)) jump_take_off(j, v);
    else if (j->phase_time > JUMP_THRUST_MOST) {
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
    if (j->phase_time > JUMP_IMPACT_LEAST && up > -JUMP_STILL) jump_enter(j, PO_JUMP_RECOVER);
    break;
  case PO_JUMP_RECOVER:
    if (j->phase_time >= p->recover_time) jump_enter(j, PO_JUMP_DONE);
    break;
  case PO_JUMP_DONE: break;
  }
}

/* How far the body has turned since the plan, whole turns counted. */
static void jump_count_turns(po_jump *j) {
  double step = po_actor_heading(j->move.actor) - j->start_heading - j->turned;
  j->turned += po_wrap(step);
}

static void jump_aim(po_move *move, const po_sense *sense) {
  po_jump *j = jump_of(move);
  double rise;
  jump_count_turns(j);
  jump_transitions(j, sense->v);
  po_jump_references(j, sense->v);
  rise = move->actor->data->com.z - j->start.z - move->actor->standing_height;
  if (j->phase >= PO_JUMP_THRUST && rise > j->apex_rise) j->apex_rise = rise;
}

static void jump_after(po_move *move, const po_sense *sense) {
  po_jump *j = jump_of(move);
  j->phase_time += sense->dt;
  if (po_jump_flying(j)) j->flown += sense->dt;
}

static po_move_outcome jump_done(const po_move *move) {
  return ((const po_jump *)(const void *)move)->phase == PO_JUMP_DONE ? PO_MOVE_DONE : PO_MOVE_GOING;
}
static int jump_phase(const po_move *move) { return (int)((const po_jump *)(const void *)move)->phase; }

static void jump_stream(po_move *move, po_stream *s) {
  po_jump *j = jump_of(move);
  int phase = (int)j->phase;
  po_stream_int(s, &phase);
  j->phase = (po_jump_phase)phase;
  po_stream_double(s, &j->phase_time);
  po_stream_double(s, &j->crouch_height);
  po_stream_double(s, &j->takeoff_height);
  po_stream_double(s, &j->takeoff_speed);
  po_stream_double(s, &j->thrust_seconds);
  po_stream_double(s, &j->flight_seconds);
  po_stream_double(s, &j->flight_height);
  po_stream_double(s, &j->forward_speed);
  po_stream_double(s, &j->lead);
  po_stream_double(s, &j->spin_inertia);
  po_stream_int(s, &j->beyond_reach);
  po_stream_int(s, &j->twist_beyond_reach);
  po_stream_ints(s, j->landed, 2);
  po_stream_ints(s, j->flat, 2);
  po_stream_double(s, &j->apex_rise);
  po_stream_double(s, &j->start_heading);
  po_stream_double(s, &j->flown);
  po_stream_double(s, &j->touchdown_speed);
  po_stream_double(s, &j->turned);
  po_stream_doubles(s, &j->start.x, 3);
  po_stream_doubles(s, &j->ankle_offset[0].x, 3);
  po_stream_doubles(s, &j->ankle_offset[1].x, 3);
}

const po_move_type po_jump_type = {
  .name = "jump",
  .summary = "a standing jump: up, ahead, turning, with a kick or a split",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .bytes = sizeof(po_jump),
  .params_at = offsetof(po_jump, params),
  .params_bytes = sizeof(po_jump_params),
  .param = po_jump_param,
  .param_count = &po_jump_param_count,
  .first = "height",
  .preset = jump_preset,
  .layout = jump_layout,
  .init = jump_init,
  .attach = jump_attach,
  .ready = po_posture_ready,
  .enter = jump_begin_anew,
  .aim = jump_aim,
  .after = jump_after,
  .done = jump_done,
  .phase = jump_phase,
  .phase_name = jump_phase_names,
  .stream = jump_stream,
};

po_status po_jump_new(po_jump **jump, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_jump_params *params,
                      po_error *err) {
  po_move *move = NULL;
  po_status s = po_move_new_of(&move, &po_jump_type, params, m, terrain, opts, err);
  if (jump) *jump = jump_of(move);
  return jump ? s : po_fail(err, PO_ERR_NULL, "a place for the jump is needed");
}
