/* dive.c: dives (Al Borno et al. 2014, section 5.3): the flip's take-off and flight with another end: head first, straight, arms overhead.
 *
 *   stand → crouch → thrust → flight → entry,   or   armstand → flight → entry
 *
 * What differs from a flip: where the flight ends (fingers meet the water with the COM an arm's reach above it), that whole turns may be many, the shape
 * (tuck, pike, straight), and that the body must get away from the platform. From an armstand it
 * topples over its hands, straight as a board, and lets go when they no longer carry: that gives it its momentum.
 *
 * A twist is made in the air, straight: arms held out sideways are thrown, one up and one down, in the body's coronal plane, and the body tilts the other
 * way by some 10°. Its length then no longer lies across L and has its share of it, L sin(tilt), which the small inertia about the length turns into a
 * fast twist. Bringing the arms back out tilts it back and ends the twist; then it folds for the rest of the turn.
 */
#include "turner.h"

const po_param po_dive_param[] = {
  PO_PARAM(po_dive_params, revolutions, 1, 0, 3, "", "whole turns; 0: half a turn, head first"),
  PO_PARAM(po_dive_params, back, 0, 0, 1, "", "1: backwards"),
  PO_PARAM(po_dive_params, shape, 0, 0, 2, "", "shape in the air: 0 tuck, 1 pike, 2 straight"),
  PO_PARAM(po_dive_params, hands, 0, 0, 1, "", "1: from an armstand"),
  PO_PARAM(po_dive_params, twists, 0, 0, 2, "", "turns about the body's own length, in halves"),
  PO_PARAM(po_dive_params, water, 0, -1000, 1000, "m", "height of the water"),
  PO_PARAM(po_dive_params, wait, 0.5, 0, 60, "s", "standing before the crouch"),
  PO_PARAM(po_dive_params, phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  PO_PARAM(po_dive_params, rise, 0.35, 0.05, 1, "m", "rise of the COM over standing"),
  PO_PARAM(po_dive_params, away, 1.2, 0, 3, "m/s", "speed away from the platform"),
  PO_PARAM(po_dive_params, lean, 0.74, 0, 2, "m/s", "it topples until it is so fast, then thrusts"),
  PO_PARAM(po_dive_params, hold, 0.45, 0, 3, "beats", "time before entry in which the body is straight, in sqrt(h/g)"),
  PO_PARAM(po_dive_params, theta_off_deg, 45, -60, 90, "deg", "trunk expected at take-off"),
  PO_PARAM(po_dive_params, entry_deg, 180, 150, 210, "deg", "trunk at entry, beyond whole turns"),
  PO_TAKEOFF_ROWS(po_dive_params, takeoff),
  PO_AIRBORNE_ROWS(po_dive_params, air),
};
const int po_dive_param_count = (int)(sizeof po_dive_param / sizeof po_dive_param[0]);

typedef struct dive {
  po_turner turner;
  double twist, twist_rate;  /* rad about the trunk's line since take-off, right hand rule up the line; rad/s */
  po_dive_params params;
  /* what follows from parameters and body */
  po_takeoff_params takeoff;
  double reach;              /* COM to fingertips, straight with arms overhead */
} dive;

#define DIVE_LET_GO PO_RAD(50) /* from the vertical: from here on the platform would have to pull */
#define DIVE_ARMSTAND_KP 900.0 /* 1/s²: a board does not bend */
#define DIVE_FINGERS 0.1     /* of the standing height: fingertips beyond the hand's frame */
#define DIVE_STAND_HEIGHT 0.95 /* of the zero pose's, as in balance */
#define DIVE_OPEN 0.22       /* beats: joints need so long to open */
#define DIVE_BACK_LEAN 0.45  /* backwards: toppling over the heels takes momentum away, so less of it, */
#define DIVE_BACK_LESS 20    /* deg: and the trunk is less far at take-off */
#define DIVE_FOLD 1.6        /* beats: going into the shape and out of it */
#define DIVE_STRAIGHT 0.9    /* of the open body's inertia: mean of a flight of half a turn */
#define DIVE_SHORT PO_RAD(60) /* so much less of the turn, as tight as can be, is beyond reach */

#define DIVE_MANY 2          /* turns */
#define DIVE_MANY_LATE 0.85  /* share of the thrust that makes their momentum */
#define DIVE_ROUNDS 4          /* of the plan: more momentum, shorter twists */
#define DIVE_TWIST_MOST 0.7    /* of the flight without folding: no longer straight in the plan */
#define DIVE_THROW 1.5       /* rad: each arm, up or down from level */
#define DIVE_ARMS_CLOSE 0.35 /* rad: arms are where they should be */
#define DIVE_STOP 0.5        /* beats: bringing the arms back takes so long, the rate falling evenly */
#define DIVE_GO_ON 0.8       /* beats: a twist that is not stopped goes on for so long, in the folding and the opening */
#define DIVE_TILT 0.15       /* sine of the tilt that the throw makes, for the plan */
#define DIVE_SLIM 0.1        /* of the standing inertia: about the length, for the plan */

static const po_tumble_pose dive_spread = {0, -0.1, -0.9, 0, 0, 0.5 * PO_PI, -0.1, 0, 0}, dive_thrown = {0, -0.1, -0.9, 0, 0, 0.5 * PO_PI, -0.1, 0, DIVE_THROW};
static const po_tumble_pose dive_straight = {0, -0.1, -0.9, 0, 3.1, 0.1, -0.1, 0, 0};
static const po_tumble_pose dive_shape[3] = {{2.2, 2.4, -0.5, 1.1, 0.9, 0.1, 0.7, 0.5, 0}, {2.2, -0.1, -0.9, 0.9, 1.4, 0.1, 0.3, 0.3, 0}, {0.5, -0.1, -0.9, 0.2, 0.3, 0.1, 0.1, 0, 0}};
static const double dive_inertia[3] = {0.42, 0.62, 1.0}; /* mean of the shape, share of standing */

static dive *dive_of(const po_move *move) { return (dive *)po_turner_of(move); }
static int dive_style(const dive *f) { return (int)po_clamp(f->params.shape + 0.5, 0, 2); }

static void dive_prepare(po_move *move) {
  dive *f = dive_of(move);
  po_tumbler *t = &f->turner.body;
  po_data *d = move->actor->data;
  int hand = po_find_frame(d->model, "hand_l");
  f->takeoff = f->params.takeoff;
  /* who turns twice and more makes the momentum over more of the thrust: made late and hard, one in eight left tipped sideways, of these none */
  if (f->params.revolutions >= DIVE_MANY) f->takeoff.late = po_max(f->takeoff.late, DIVE_MANY_LATE);
  po_airborne_prepare(t, dive_straight, dive_shape[dive_style(f)]);
  po_tumbler_try(t, &dive_straight);
  f->reach = hand >= 0 ? po_frame_position(d, hand).z - d->com.z + DIVE_FINGERS * t->h : t->h;
}

/* The hands' contacts beside those of the feet. */
static po_status dive_attach(po_move *move, po_error *err) {
  po_status s = po_turner_attach(move, err);
  po_tumbler_attach_hands(&po_turner_of(move)->body);
  return s;
}

static po_status dive_ready(const po_move *move, const po_move *from, po_error *err) {
  if (dive_of(move)->params.hands > 0.5)
    return po_patches_touching(&move->actor->patches, PO_BOTH_HANDS) > 0 ? PO_OK : po_fail(err, PO_ERR_STATE, "an armstand dive needs the hands on the ground");
  return po_posture_ready(move, from, err);
}

/* Time spent straight for the twists when the body has this momentum. */
static double dive_twist_time(const dive *f, double L) {
  const po_tumbler *t = &f->turner.body;
  return f->params.twists > 0 ? 2 * PO_PI * f->params.twists * DIVE_SLIM * t->inertia / (DIVE_TILT * L) + 2 * DIVE_STOP * t->beat : 0;
}

static void dive_plan_entry(dive *f) {
  po_airborne *air = &f->turner.air;
  air->theta_land = PO_RAD(f->params.entry_deg + 360 * f->params.revolutions);
  air->inertia_land = f->turner.body.fold.inertia[0];
  air->arrive = DIVE_OPEN * f->turner.body.beat;
  air->hold = f->params.hold * f->turner.body.beat;
  f->turner.turning.theta_planned = air->theta_land;
}

static void dive_plan(dive *f) {
  const po_dive_params *p = &f->params;
  po_turner *u = &f->turner;
  const po_tumbler *t = &u->body;
  double open = t->fold.inertia[0];
  double g = t->gravity, h = t->h, ground = po_patches_centroid(&t->actor->patches, t->actor->data, PO_BOTH_FEET).z;
  double air = sqrt(2 * po_max(p->rise + h - p->takeoff.extend * h, 0.02 * h) / g) + sqrt(2 * po_max(ground + h + p->rise - p->water - f->reach, 0.02 * h) / g);
  double turn = PO_RAD(p->entry_deg + 360 * p->revolutions - p->theta_off_deg + (p->back > 0.5 ? DIVE_BACK_LESS : 0)), fold = po_min(DIVE_FOLD * t->beat, 0.6 * air), L;
  double I = dive_inertia[dive_style(f)] * t->inertia, between = 0.6 * open + 0.4 * I;
  int i;
  if (p->revolutions < 0.5) L = turn * DIVE_STRAIGHT * open / air;
  else L = turn / ((air - fold) / I + fold / between);
  for (i = 0; i < DIVE_ROUNDS && p->twists > 0; i++) { /* straight while it twists */
    double twist = po_min(dive_twist_time(f, L), DIVE_TWIST_MOST * (air - fold));
    L = turn / ((air - fold - twist) / I + fold / between + twist / open);
  }
  u->takeoff.forward = p->back < 0.5;
  u->takeoff.lean = p->back < 0.5 ? p->lean : DIVE_BACK_LEAN * p->lean;
  po_takeoff_plan(&u->takeoff, t, &f->takeoff, p->rise, p->back < 0.5 ? p->away : -p->away, L, u->turning.phase.axis);
  u->turning.momentum_wanted = L;
  dive_plan_entry(f);
}

static void dive_stand(po_move *move) {
  dive_plan(dive_of(move));
  po_takeoff_stand(&po_turner_of(move)->body, DIVE_STAND_HEIGHT * po_turner_of(move)->body.h);
}
static int dive_off(const po_move *move) { return po_turner_of(move)->takeoff.stage >= PO_TAKEOFF_OFF; }

/* On the hands: straight, and toppling. */
static void dive_armstand(po_move *move) {
  dive *f = dive_of(move);
  po_tumbler *t = &f->turner.body;
  po_actor *a = t->actor;
  int i;
  po_tumbler_let_go(t);
  po_tumbler_plant_hands(t, PO_BOTH_HANDS & po_patches_there(&a->patches), 1);
  po_tumbler_pose(t, &dive_straight, DIVE_ARMSTAND_KP, 1, 1);
  for (i = 0; i < 2; i++) { /* hands stay as they lie */
    const po_joint *wrist = po_tumbler_wrist(t, i);
    if (wrist) a->pose[wrist->q] = po_max(-0.5 * PO_PI, wrist->lower[0] + 0.02);
  }
  po_tumbler_level(t, f->turner.turning.phase.axis, 3, f->params.air.level_air);
  dive_plan_entry(f);
}
static int dive_lets_go(const po_move *move) { return !po_turner_hands_touch(move) || po_turner_of(move)->turning.phase.theta >= PO_PI + DIVE_LET_GO; }

/* ---- in the air ---- */

static double dive_time(const dive *f) { return po_tumbler_time_to(&f->turner.body, f->params.water + f->reach); }

static void dive_take_off(po_move *move) {
  dive *f = dive_of(move);
  po_turner *u = &f->turner;
  const po_tumbler *t = &u->body;
  double L = po_v3_dot(u->turning.phase.axis, po_v3_of(move->actor->data->momentum)), left = dive_time(f);
  double fold = po_min(DIVE_FOLD * t->beat, left), rest = u->air.theta_land - u->turning.phase.theta;
  double turn = L * ((left - fold) / t->fold.inertia[PO_FOLD_STEPS - 1] + fold / t->fold.inertia[PO_FOLD_STEPS / 2]);
  po_tumbler_plant_hands(&u->body, 0, 0);
  if (turn < rest - DIVE_SHORT) po_turner_beyond(u, "turning %.0f degrees before the water is beyond reach: momentum and time suffice for %.0f", PO_DEG(rest), PO_DEG(turn));
  po_turner_by_clock(u, f->params.phase_by, rest, left);
}

/* ---- twists ---- */

/* Angle of the body's left about the trunk's line, from the axis it turns about; *rate: of the trunk about its line. */
static double dive_twist_angle(const dive *f, double *rate) {
  const po_data *d = f->turner.move.actor->data;
  const po_phase *phase = &f->turner.turning.phase;
  po_vec3 u = po_v3_unit(po_v3_sub(po_point_position(d, phase->neck, phase->neck_point), d->pose[phase->pelvis].p));
  po_vec3 left = po_m3_col(d->pose[phase->neck].R, 1), from = po_v3_addscaled(phase->axis, -po_v3_dot(phase->axis, u), u);
  *rate = po_v3_dot(u, po_body_angular_velocity(d, phase->neck));
  return po_atan2(po_v3_dot(u, po_v3_cross(from, left)), po_v3_dot(from, left));
}

/* Largest angle between an upper arm and where it is in this pose. */
static double dive_arms_off(const po_tumbler *t) {
  const po_data *d = t->actor->data;
  double most = 0;
  int f;
  for (f = 0; f < 2; f++) {
    int arm = t->actor->legs.upper_arm[f];
    po_vec3 now, want;
    if (arm < 0 || t->actor->model->joint[arm].type != PO_JOINT_SPHERICAL) continue;
    now = po_v3_neg(po_m3_col(po_m3_tmul(d->pose[t->actor->model->joint[arm].parent].R, d->pose[arm].R), 2));
    want = po_v3_neg(po_m3_col(po_q_matrix(po_q_of(t->actor->pose + t->actor->model->joint[arm].q)), 2));
    most = po_max(most, po_v3_angle(now, want));
  }
  return most;
}

/* Straight, arms as given; how far it has twisted. */
static void dive_arms(po_move *move, const po_tumble_pose *pose) {
  dive *f = dive_of(move);
  po_tumbler *t = &f->turner.body;
  f->twist += po_wrap(dive_twist_angle(f, &f->twist_rate) - f->twist);
  f->turner.turning.left = dive_time(f);
  po_tumbler_let_go(t);
  t->level->on = 0;
  t->follow = 0;
  po_tumbler_pose(t, pose, f->params.air.kp_air, 1, 1);
  t->follow = 1;
}
static void dive_spread_arms(po_move *move) {
  dive_arms(move, &dive_spread);
}
static void dive_throw(po_move *move) {
  dive_arms(move, &dive_thrown);
}
static int dive_arms_there(const po_move *move) { return dive_arms_off(&po_turner_of(move)->body) < DIVE_ARMS_CLOSE; }
static int dive_no_twist(const po_move *move) { return !(dive_of(move)->params.twists > 0); }

/* Turned so far that what comes in so many beats is all that is missing. */
static int dive_twisted(const dive *f, double beats) {
  return 2 * PO_PI * f->params.twists - po_abs(f->twist) < beats * f->turner.body.beat * po_abs(f->twist_rate);
}
static int dive_whole(const dive *f) { return f->params.twists == floor(f->params.twists); }
static int dive_stops(const po_move *move) { return dive_whole(dive_of(move)) && dive_twisted(dive_of(move), 0.5 * DIVE_STOP); }
static int dive_goes_on(const po_move *move) { return !dive_whole(dive_of(move)) && dive_twisted(dive_of(move), DIVE_GO_ON); }

/* ---- the flight's end ---- */

static void dive_fly(po_move *move) {
  dive *f = dive_of(move);
  po_turner *u = &f->turner;
  u->turning.left = dive_time(f);
  po_airborne_aim(&u->air, &u->body, &f->params.air, &u->turning.phase, u->turning.left);
}
static void dive_enter_water(po_move *move) {
  dive_fly(move);
  po_turner_of(move)->body.level->on = 0; /* arms are for the line now */
}
/* The water is near: whatever is left of a twist, hands first. */
static int dive_near(const po_move *move) {
  const po_turner *u = po_turner_of(move);
  return u->turning.left < u->air.arrive + u->air.hold;
}

/* In the water: the COM is below the reach of its arms. */
static po_move_outcome dive_done(const po_move *move) {
  const dive *f = dive_of(move);
  return po_turner_done(move) == PO_MOVE_DONE && move->actor->data->com.z < f->params.water + 0.5 * f->reach ? PO_MOVE_DONE : PO_MOVE_GOING;
}

/* ---- as a behaviour ---- */

enum { DIVE_ARMSTAND, DIVE_STAND, DIVE_CROUCH, DIVE_THRUST, DIVE_SPREAD, DIVE_TWIST, DIVE_UNTWIST, DIVE_FLIGHT, DIVE_ENTRY };
static const po_turner_row dive_stages[] = {
  [DIVE_ARMSTAND] = {"armstand", dive_armstand, {{dive_lets_go, DIVE_SPREAD, PO_AT_ONCE}}, NULL},
  [DIVE_STAND] = {"stand", dive_stand, {{po_turner_waited, DIVE_CROUCH, PO_NEXT_TICK}}, NULL},
  [DIVE_CROUCH] = {"crouch", po_turner_take_off, {{po_turner_thrusts, DIVE_THRUST, PO_NEXT_TICK}}, NULL},
  [DIVE_THRUST] = {"thrust", po_turner_take_off, {{dive_off, DIVE_SPREAD, PO_AT_ONCE}}, NULL},
  [DIVE_SPREAD] = {"spread", dive_spread_arms, {{dive_no_twist, DIVE_FLIGHT, PO_AT_ONCE}, {dive_near, DIVE_FLIGHT, PO_AT_ONCE}, {dive_arms_there, DIVE_TWIST, PO_NEXT_TICK}}, dive_take_off},
  [DIVE_TWIST] = {"twist", dive_throw, {{dive_near, DIVE_FLIGHT, PO_AT_ONCE}, {dive_stops, DIVE_UNTWIST, PO_NEXT_TICK}, {dive_goes_on, DIVE_FLIGHT, PO_AT_ONCE}}, NULL},
  [DIVE_UNTWIST] = {"untwist", dive_spread_arms, {{dive_near, DIVE_FLIGHT, PO_AT_ONCE}, {dive_arms_there, DIVE_FLIGHT, PO_AT_ONCE}}, NULL},
  [DIVE_FLIGHT] = {"flight", dive_fly, {{dive_near, DIVE_ENTRY, PO_AT_ONCE}}, NULL},
  [DIVE_ENTRY] = {"entry", dive_enter_water, {{NULL, 0, 0}}, NULL},
};

static po_status dive_init(po_move *move, po_error *err) {
  po_status s = po_turner_init(move, dive_stages, &dive_of(move)->params.wait, &dive_of(move)->takeoff, NULL, err);
  if (s == PO_OK) dive_prepare(move);
  return s;
}

static void dive_enter(po_move *move, const po_move *from) {
  po_turner *t = po_turner_of(move);
  const po_dive_params *p = &dive_of(move)->params;
  (void)from;
  po_turner_begin(t, p->back < 0.5, p->phase_by);
  t->stage = p->hands > 0.5 ? DIVE_ARMSTAND : DIVE_STAND;
  if (t->stage == DIVE_ARMSTAND && t->turning.phase.theta < 0) t->turning.phase.theta += 2 * PO_PI; /* head down is half a turn done */
}

const po_move_type po_dive_type = {
  .name = "dive",
  .summary = "from a platform into water, turning over",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(dive),
  .params_at = offsetof(dive, params),
  .params_bytes = sizeof(po_dive_params),
  .param = po_dive_param,
  .param_count = &po_dive_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(dive, params) - PO_TURNER_STATE,
  .first = "revolutions",
  .layout = po_turner_layout,
  .init = dive_init,
  .attach = dive_attach,
  .ready = dive_ready,
  .enter = dive_enter,
  .aim = po_turner_aim,
  .done = dive_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .restored = dive_prepare,
  .changed = dive_prepare,
  .set_model = po_turner_set_model,
};
