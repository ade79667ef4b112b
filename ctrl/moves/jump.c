/* jump.c: standing jumps (paper 1, section 5): the objectives of balance, stage by stage. docs/jumps.md has the equations.
 *
 *   stand → compress → thrust → ascent → descent → impact → recover → done
 *
 * Here: parameters, the plan (how fast to leave the ground, from how deep a crouch), the stages. What each of them asks for is in jump_motion.c, the rest pose in
 * jump_pose.c.
 */
#include "jump_internal.h"

const po_param po_jump_param[] = {
  PO_PARAM(po_jump_params, height, 0.25, 0.02, 1, "m", "rise of the COM over standing"),
  PO_PARAM(po_jump_params, crouch, 0, 0, 0.95, "", "COM height at the bottom of the crouch, share of standing; 0: from the height"),
  PO_PARAM(po_jump_params, takeoff, 0.97, 0.8, 1.05, "", "COM height at which thrust ends, share of standing"),
  PO_PARAM(po_jump_params, wait, 0.5, 0, 60, "s", "standing before the crouch"),
  PO_PARAM(po_jump_params, compress_time, 0.5, 0.1, 5, "s", "time of the crouch"),
  PO_PARAM(po_jump_params, recover_time, 0.8, 0.1, 5, "s", "time from the lowest point after landing to standing"),
  PO_PARAM(po_jump_params, thrust_time, 0, 0, 2, "s", "time of the thrust; 0: constant acceleration"),
  PO_PARAM(po_jump_params, angle, 0, -360, 360, "deg", "twist, left positive"),
  PO_PARAM(po_jump_params, distance, 0, -1, 1.5, "m", "forward"),
  PO_PARAM(po_jump_params, swing_deg, 0, -90, 90, "deg", "swing of the ankles about the COM in flight"),
  PO_PARAM(po_jump_params, swing_axis, 0, 0, 1, "", "0: scissor kick, 1: air split"),
  PO_PARAM(po_jump_params, weight_ankle, 10, 0, 1000, "", "weight of the ankles in flight"),
  PO_PARAM(po_jump_params, kp_ankle, 400, 0, 2000, "1/s^2", "gain of the ankles in flight"),
  PO_PARAM(po_jump_params, kp_land, 30, 0, 1000, "1/s^2", "gain of the COM height while landing"),
  PO_PARAM(po_jump_params, kp_foot, 400, 0, 2000, "1/s^2", "gain that lays the soles parallel to the ground before touchdown"),
  PO_PARAM(po_jump_params, arms, 0.5, 0, 2, "", "how far the arms swing; 0: not"),
  PO_PARAM(po_jump_params, kp_arms, 150, 0, 1000, "1/s^2", "gain of the arms"),
  PO_STAND_PARAMS(po_jump_params, stand),
};
const int po_jump_param_count = (int)(sizeof po_jump_param / sizeof po_jump_param[0]);

static const po_preset jump_preset[] = {
  {"jump-twist", "a jump that turns about the vertical", "{\"height\": 0.35, \"angle\": 90}"},
  {"jump-kick", "a jump with a scissor kick", "{\"height\": 0.35, \"swing_deg\": 30}"},
  {"jump-split", "a jump with an air split", "{\"height\": 0.35, \"swing_deg\": 25, \"swing_axis\": 1}"},
  {"jump-forward", "a jump that lands ahead", "{\"height\": 0.35, \"distance\": 0.3}"},
  {NULL, NULL, NULL}};

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
static double jump_fastest(const jump *j, double stroke) {
  const po_tumbler *t = &j->turner.body;
  const po_model *m = t->actor->model;
  double force = 0;
  int f;
  for (f = 0; f < 2; f++) {
    const po_joint *hip = t->actor->legs.thigh[f] >= 0 ? &m->joint[t->actor->legs.thigh[f]] : NULL;
    if (hip) force += hip->effort[hip->nv == 3 ? 1 : 0] / (JUMP_LEVER * t->h);
  }
  return force > 0 ? sqrt(2 * po_max(force / m->total_mass - t->gravity, 1) * stroke) : PO_INF;
}

void po_jump_plan(jump *j) {
  const po_jump_params *p = &j->params;
  po_jump *n = &j->now;
  double g = j->turner.body.gravity, h = j->turner.body.h, stroke, fall;
  n->takeoff_height = p->takeoff * h;
  n->takeoff_speed = sqrt(2 * g * (p->height + h - n->takeoff_height));
  stroke = n->takeoff_speed * n->takeoff_speed / (2 * JUMP_THRUST_G * g);
  n->crouch_height = p->crouch > 0 ? po_min(p->crouch * h, JUMP_SHALLOWEST * n->takeoff_height) : po_max(n->takeoff_height - stroke, JUMP_DEEPEST * h);
  stroke = n->takeoff_height - n->crouch_height;
  n->takeoff_speed = po_min(n->takeoff_speed, jump_fastest(j, stroke));
  n->thrust_seconds = p->thrust_time > 0 ? p->thrust_time : 2 * stroke / n->takeoff_speed;
  n->flight_seconds = 2 * n->takeoff_speed / g;
  /* the feet go from under the COM to `lead` ahead of it, and it moves by half the thrust's way, then the flight's */
  fall = sqrt(n->flight_height / g);
  n->forward_speed = p->distance / (0.5 * n->thrust_seconds + n->flight_seconds + fall);
  n->lead = n->forward_speed * fall;
}

/* Where it stands, when compression begins. */
static void jump_begin(po_move *move) {
  jump *j = po_jump_self(move);
  po_jump *n = &j->now;
  const po_actor *a = move->actor;
  double c, s;
  int f;
  n->start_heading = po_actor_heading(a);
  n->turned = 0;
  n->spin_inertia = jump_spin_inertia(a->data);
  n->start = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET);
  n->flight_height = JUMP_TUCK * po_jump_over(j);
  po_sincos(&s, &c, n->start_heading);
  for (f = 0; f < 2; f++) {
    po_vec3 o = po_v3_sub(po_point_position(a->data, a->patches.patch[f].body, po_v3(0, 0, 0)), a->data->com);
    n->ankle_offset[f] = po_v3(c * o.x + s * o.y, -s * o.x + c * o.y, JUMP_TUCK * o.z);
  }
}

/* Off the ground: what is to come is now known. */
static void jump_take_off(po_move *move) {
  jump *j = po_jump_self(move);
  const po_jump_params *p = &j->params;
  po_jump *n = &j->now;
  double g = j->turner.body.gravity, up = po_max(move->actor->data->com_velocity.z, 0), rise, turn;
  n->flight_seconds = po_max(2 * up / g, JUMP_FLIGHT_LEAST);
  rise = po_jump_over(j) + up * up / (2 * g) - j->turner.body.h;
  turn = n->turned + po_jump_spin(j) / n->spin_inertia * n->flight_seconds;
  if (rise < JUMP_REACHED * p->height) n->beyond_reach = 1;
  if (p->angle != 0 && turn / PO_RAD(p->angle) < JUMP_REACHED) n->twist_beyond_reach = 1;
  n->flown = 0;
}

static void jump_touch_down(po_move *move) { po_jump_self(move)->now.touchdown_speed = po_max(-move->actor->data->com_velocity.z, 0); }

/* After a landing, or after a thrust that did not suffice to leave the ground. */
static void jump_recover(po_move *move) {
  if (!(po_jump_self(move)->now.flown > 0)) po_jump_self(move)->now.beyond_reach = 1;
}

/* ---- until when (figure 2) ---- */

static int jump_crouched(const po_move *move) { return po_turner_of(move)->time >= po_jump_self(move)->params.compress_time; }
static int jump_leaves(const po_move *move) {
  const jump *j = po_jump_self(move);
  return po_jump_over(j) >= j->now.takeoff_height || !po_turner_feet_touch(move) || (j->turner.time > JUMP_THRUST_LEAST && move->actor->data->com_velocity.z >= j->now.takeoff_speed);
}
static int jump_stuck(const po_move *move) { return po_turner_of(move)->time > JUMP_THRUST_MOST; }
static int jump_sinks(const po_move *move) { return move->actor->data->com_velocity.z <= 0; }
static int jump_caught(const po_move *move) { return po_turner_of(move)->time > JUMP_IMPACT_LEAST && move->actor->data->com_velocity.z > -JUMP_STILL; }
static int jump_recovered(const po_move *move) { return po_turner_of(move)->time >= po_jump_self(move)->params.recover_time; }

static const po_turner_row jump_stages[] = {
  [PO_JUMP_STAND] = {"stand", po_jump_stand, {{po_turner_waited, PO_JUMP_COMPRESS, PO_AT_ONCE}}, NULL},
  [PO_JUMP_COMPRESS] = {"compress", po_jump_compress, {{jump_crouched, PO_JUMP_THRUST, PO_AT_ONCE}}, jump_begin},
  [PO_JUMP_THRUST] = {"thrust", po_jump_thrust, {{jump_leaves, PO_JUMP_ASCENT, PO_AT_ONCE}, {jump_stuck, PO_JUMP_RECOVER, PO_AT_ONCE}}, NULL},
  [PO_JUMP_ASCENT] = {"ascent", po_jump_ascend, {{jump_sinks, PO_JUMP_DESCENT, PO_AT_ONCE}}, jump_take_off},
  [PO_JUMP_DESCENT] = {"descent", po_jump_descend, {{po_turner_feet_touch, PO_JUMP_IMPACT, PO_AT_ONCE}}, NULL},
  [PO_JUMP_IMPACT] = {"impact", po_jump_give_way, {{jump_caught, PO_JUMP_RECOVER, PO_AT_ONCE}}, jump_touch_down},
  [PO_JUMP_RECOVER] = {"recover", po_jump_recover, {{jump_recovered, PO_JUMP_DONE, PO_AT_ONCE}}, jump_recover},
  [PO_JUMP_DONE] = {"done", po_jump_stand, {{NULL, 0, 0}}, NULL},
};

/* ---- as a behaviour ---- */

static po_status jump_init(po_move *move, po_error *err) {
  (void)err;
  po_turner_parts(move, jump_stages, &po_jump_self(move)->params.wait, NULL, NULL);
  po_jump_measure(po_jump_self(move));
  return PO_OK;
}

static po_status jump_attach(po_move *move, po_error *err) {
  jump *j = po_jump_self(move);
  const po_tumbler *t = &j->turner.body;
  po_status s = po_turner_attach(move, err);
  j->o.com = t->com;
  j->o.height = t->height;
  j->o.momentum = t->turn;
  j->o.pose = t->pose;
  j->o.upright = t->trunk;
  return s;
}

static void jump_aim(po_move *move, const po_sense *sense) {
  po_jump *n = &po_jump_self(move)->now;
  n->turned += po_wrap(po_actor_heading(move->actor) - n->start_heading - n->turned); /* whole turns are counted */
  po_turner_aim(move, sense);
  if (po_turner_stage(move) >= PO_JUMP_THRUST) n->apex_rise = po_max(n->apex_rise, move->actor->data->com.z - n->start.z - move->actor->standing_height);
}

static void jump_after(po_move *move, const po_sense *sense) {
  int stage = po_turner_stage(move);
  if (stage == PO_JUMP_ASCENT || stage == PO_JUMP_DESCENT) po_jump_self(move)->now.flown += sense->dt;
}

const po_jump *po_jump_of(const po_move *move) { return move && move->type == &po_jump_type ? &po_jump_self(move)->now : NULL; }

const po_move_type po_jump_type = {
  .name = "jump",
  .summary = "a standing jump: up, ahead, turning, with a kick or a split",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .bytes = sizeof(jump),
  .params_at = offsetof(jump, params),
  .params_bytes = sizeof(po_jump_params),
  .param = po_jump_param,
  .param_count = &po_jump_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(jump, params) - PO_TURNER_STATE,
  .first = "height",
  .preset = jump_preset,
  .layout = po_turner_layout,
  .init = jump_init,
  .attach = jump_attach,
  .ready = po_posture_ready,
  .aim = jump_aim,
  .after = jump_after,
  .done = po_turner_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};
