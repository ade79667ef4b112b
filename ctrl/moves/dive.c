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
#include "airborne_internal.h"
#include <string.h>

#define DIVE_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_dive_params, name) }
const po_param po_dive_param[] = {
  DIVE_PARAM(revolutions, 1, 0, 3, "", "whole turns; 0: half a turn, head first"),
  DIVE_PARAM(back, 0, 0, 1, "", "1: backwards"),
  DIVE_PARAM(shape, 0, 0, 2, "", "shape in the air: 0 tuck, 1 pike, 2 straight"),
  DIVE_PARAM(hands, 0, 0, 1, "", "1: from an armstand"),
  DIVE_PARAM(twists, 0, 0, 2, "", "turns about the body's own length, in halves"),
  DIVE_PARAM(water, 0, -1000, 1000, "m", "height of the water"),
  DIVE_PARAM(wait, 0.5, 0, 60, "s", "standing before the crouch"),
  DIVE_PARAM(phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  DIVE_PARAM(rise, 0.35, 0.05, 1, "m", "rise of the COM over standing"),
  DIVE_PARAM(away, 1.2, 0, 3, "m/s", "speed away from the platform"),
  DIVE_PARAM(lean, 0.74, 0, 2, "m/s", "it topples until it is so fast, then thrusts"),
  DIVE_PARAM(hold, 0.45, 0, 3, "beats", "time before entry in which the body is straight, in sqrt(h/g)"),
  DIVE_PARAM(theta_off_deg, 45, -60, 90, "deg", "trunk expected at take-off"),
  DIVE_PARAM(entry_deg, 180, 150, 210, "deg", "trunk at entry, beyond whole turns"),
  PO_TAKEOFF_ROWS(po_dive_params, takeoff),
  PO_AIRBORNE_ROWS(po_dive_params, air),
};
const int po_dive_param_count = (int)(sizeof po_dive_param / sizeof po_dive_param[0]);

typedef enum dive_stage { DIVE_ARMSTAND, DIVE_STAND, DIVE_CROUCH, DIVE_THRUST, DIVE_SPREAD, DIVE_TWIST, DIVE_UNTWIST, DIVE_FLIGHT, DIVE_ENTRY } dive_stage;
static const char *const dive_stage_names[] = {"armstand", "stand", "crouch", "thrust", "spread", "twist", "untwist", "flight", "entry"};

typedef struct dive {
  po_turner turner;
  po_dive_params params;
  /* from here on plain values */
  int stage;
  po_takeoff takeoff;
  po_airborne air;
  double reach;              /* COM to fingertips, straight with arms overhead */
  double twist, twist_rate;  /* rad about the trunk's line since take-off, right hand rule up the line; rad/s */
} dive;

#define DIVE_LET_GO PO_RAD(50) /* from the vertical: from here on the platform would have to pull */
#define DIVE_ARMSTAND_KP 900.0 /* 1/s²: a board does not bend */
#define DIVE_PALM_KP 1000.0  /* 1/s², as soles */
#define DIVE_FINGERS 0.1     /* of the standing height: fingertips beyond the hand's frame */
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

static dive *dive_of(const po_move *move) { return (dive *)(void *)(size_t)(const void *)move; }
static int dive_style(const dive *f) { return (int)po_clamp(f->params.shape + 0.5, 0, 2); }

static void dive_prepare(po_move *move) {
  dive *f = dive_of(move);
  po_tumbler *t = &f->turner.body;
  po_data *d = move->actor->data;
  int hand = po_find_frame(d->model, "hand_l");
  po_airborne_prepare(&f->air, t, dive_straight, dive_shape[dive_style(f)]);
  t->follow = 0;
  po_tumbler_pose(t, &dive_straight, 1, 1, 1);
  t->follow = 1;
  po_all_terms(d, move->actor->pose, t->zero);
  f->reach = hand >= 0 ? po_frame_position(d, hand).z - d->com.z + DIVE_FINGERS * t->h : t->h;
}

static po_status dive_init(po_move *move, po_error *err) {
  po_status s = po_turner_init(move, err);
  if (s == PO_OK) dive_prepare(move);
  return s;
}

/* The hands' contacts beside those of the feet. */
static po_status dive_attach(po_move *move, po_error *err) {
  po_status s = po_turner_attach(move, err);
  int i;
  po_actor_add_contacts(move->actor, PO_BOTH_HANDS & po_patches_there(&move->actor->patches), 1, DIVE_PALM_KP);
  for (i = 8; i < 16; i++)
    if (move->actor->contact[i / 4][i % 4]) move->actor->contact[i / 4][i % 4]->on = 0; /* for armstands alone */
  return s;
}

static po_status dive_ready(const po_move *move, const po_move *from, po_error *err) {
  (void)from;
  if (dive_of(move)->params.hands > 0.5)
    return po_patches_touching(&move->actor->patches, PO_BOTH_HANDS) > 0 ? PO_OK : po_fail(err, PO_ERR_STATE, "an armstand dive needs the hands on the ground");
  return po_posture_ready(move->actor, move->name, err);
}

static void dive_enter(po_move *move, const po_move *from) {
  dive *f = dive_of(move);
  po_airborne air = f->air;
  double reach = f->reach;
  (void)from;
  memset((char *)f + offsetof(dive, stage), 0, sizeof *f - offsetof(dive, stage));
  f->air = air;
  f->reach = reach;
  po_turner_begin(&f->turner, f->params.back < 0.5, (po_phase_by)(int)(f->params.phase_by + 0.5));
  f->stage = f->params.hands > 0.5 ? DIVE_ARMSTAND : DIVE_STAND;
  if (f->stage == DIVE_ARMSTAND && f->turner.turning.phase.theta < 0) f->turner.turning.phase.theta += 2 * PO_PI; /* head down is half a turn done */
}

/* Time spent straight for the twists when the body has this momentum. */
static double dive_twist_time(const dive *f, double L) {
  const po_tumbler *t = &f->turner.body;
  return f->params.twists > 0 ? 2 * PO_PI * f->params.twists * DIVE_SLIM * t->inertia / (DIVE_TILT * L) + 2 * DIVE_STOP * t->beat : 0;
}

/* Who turns twice and more makes the momentum over more of the thrust: made late and hard, one in eight left tipped sideways, of these none. */
static po_takeoff_params dive_takeoff(const dive *f) {
  po_takeoff_params p = f->params.takeoff;
  if (f->params.revolutions >= DIVE_MANY) p.late = po_max(p.late, DIVE_MANY_LATE);
  return p;
}

static void dive_plan(dive *f) {
  po_takeoff_params takeoff = dive_takeoff(f);
  const po_dive_params *p = &f->params;
  const po_tumbler *t = &f->turner.body;
  double g = t->gravity, h = t->h, ground = po_patches_centroid(&t->actor->patches, t->actor->data, PO_BOTH_FEET).z;
  double air = sqrt(2 * po_max(p->rise + h - p->takeoff.extend * h, 0.02 * h) / g) + sqrt(2 * po_max(ground + h + p->rise - p->water - f->reach, 0.02 * h) / g);
  double turn = PO_RAD(p->entry_deg + 360 * p->revolutions - p->theta_off_deg + (p->back > 0.5 ? DIVE_BACK_LESS : 0)), fold = po_min(DIVE_FOLD * t->beat, 0.6 * air), L;
  double I = dive_inertia[dive_style(f)] * t->inertia, between = 0.6 * f->air.inertia[0] + 0.4 * I;
  int i;
  if (p->revolutions < 0.5) L = turn * DIVE_STRAIGHT * f->air.inertia[0] / air;
  else L = turn / ((air - fold) / I + fold / between);
  for (i = 0; i < DIVE_ROUNDS && p->twists > 0; i++) { /* straight while it twists */
    double twist = po_min(dive_twist_time(f, L), DIVE_TWIST_MOST * (air - fold));
    L = turn / ((air - fold - twist) / I + fold / between + twist / f->air.inertia[0]);
  }
  f->takeoff.forward = p->back < 0.5;
  f->takeoff.lean = p->back < 0.5 ? p->lean : DIVE_BACK_LEAN * p->lean;
  po_takeoff_plan(&f->takeoff, t, &takeoff, p->rise, p->back < 0.5 ? p->away : -p->away, L, f->turner.turning.phase.axis);
  f->air.theta_land = PO_RAD(p->entry_deg + 360 * p->revolutions);
  f->air.inertia_land = f->air.inertia[0];
  f->air.arrive = DIVE_OPEN * t->beat;
  f->air.hold = p->hold * t->beat;
  f->turner.turning.momentum_wanted = L;
  f->turner.turning.theta_planned = f->air.theta_land;
}

static void dive_take_off(dive *f) {
  const po_data *d = f->turner.move.actor->data;
  po_phase *phase = &f->turner.turning.phase;
  double L = po_v3_dot(phase->axis, po_v3_of(d->momentum)), left = po_tumbler_time_to(&f->turner.body, f->params.water + f->reach);
  double fold = po_min(DIVE_FOLD * f->turner.body.beat, left), rest = f->air.theta_land - phase->theta;
  double turn = L * ((left - fold) / f->air.inertia[PO_AIRBORNE_TABLE - 1] + fold / f->air.inertia[PO_AIRBORNE_TABLE / 2]);
  if (turn < rest - DIVE_SHORT) po_turner_beyond(&f->turner, "turning %.0f degrees before the water is beyond reach: momentum and time suffice for %.0f", PO_DEG(rest), PO_DEG(turn));
  if ((int)(f->params.phase_by + 0.5) == PO_BY_TIME) {
    phase->by = PO_BY_TIME;
    phase->nominal = left > 0 ? rest / left : 0;
  }
  f->stage = f->params.twists > 0 ? DIVE_SPREAD : DIVE_FLIGHT;
  f->twist = 0;
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

static void dive_watch_twist(dive *f) {
  f->twist += po_wrap(dive_twist_angle(f, &f->twist_rate) - f->twist);
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

static void dive_twist(dive *f) {
  po_tumbler *t = &f->turner.body;
  double rest = 2 * PO_PI * f->params.twists - po_abs(f->twist);
  int whole = f->params.twists == floor(f->params.twists);
  po_tumbler_let_go(t);
  t->level->on = 0;
  t->follow = 0;
  po_tumbler_pose(t, f->stage == DIVE_TWIST ? &dive_thrown : &dive_spread, f->params.air.kp_air, 1, 1);
  t->follow = 1;
  if (f->stage == DIVE_SPREAD && dive_arms_off(t) < DIVE_ARMS_CLOSE) f->stage = DIVE_TWIST;
  else if (f->stage == DIVE_TWIST && whole && rest < 0.5 * DIVE_STOP * t->beat * po_abs(f->twist_rate)) f->stage = DIVE_UNTWIST;
  else if (f->stage == DIVE_TWIST && !whole && rest < DIVE_GO_ON * t->beat * po_abs(f->twist_rate)) f->stage = DIVE_FLIGHT;
  else if (f->stage == DIVE_UNTWIST && dive_arms_off(t) < DIVE_ARMS_CLOSE) f->stage = DIVE_FLIGHT;
}

static void dive_on_platform(dive *f, double dt) {
  po_tumbler *t = &f->turner.body;
  po_takeoff_params takeoff = dive_takeoff(f);
  if (f->stage == DIVE_STAND) {
    dive_plan(f);
    po_takeoff_stand(t, 0.95 * t->h);
    if (f->turner.move.time >= f->params.wait) f->stage = DIVE_CROUCH;
    return;
  }
  po_takeoff_aim(&f->takeoff, t, &takeoff, dt);
  if (f->takeoff.stage == PO_TAKEOFF_THRUST) f->stage = DIVE_THRUST;
  if (f->takeoff.stage >= PO_TAKEOFF_OFF) dive_take_off(f);
}

/* On the hands: straight, and toppling. */
static void dive_armstand(dive *f) {
  po_tumbler *t = &f->turner.body;
  po_actor *a = t->actor;
  unsigned hands = PO_BOTH_HANDS & po_patches_there(&a->patches);
  int i;
  po_tumbler_let_go(t);
  for (i = 8; i < 16; i++) po_actor_plant(a, i / 4, i % 4, a->patches.patch[i / 4].touching[i % 4], DIVE_PALM_KP);
  po_actor_stand_on(a, hands);
  po_tumbler_pose(t, &dive_straight, DIVE_ARMSTAND_KP, 1, 1);
  for (i = 0; i < 2; i++) { /* hands stay as they lie */
    const po_joint *wrist = &a->model->joint[a->patches.patch[PO_HAND_L + i].body];
    if (wrist->parent != a->legs.upper_arm[i] && wrist->nq == 2) a->pose[wrist->q] = po_max(-0.5 * PO_PI, wrist->lower[0] + 0.02);
  }
  po_tumbler_level(t, f->turner.turning.phase.axis, 3, f->params.air.level_air);
  f->air.theta_land = PO_RAD(f->params.entry_deg + 360 * f->params.revolutions);
  f->air.inertia_land = f->air.inertia[0];
  f->air.arrive = DIVE_OPEN * t->beat;
  f->air.hold = f->params.hold * t->beat;
  f->turner.turning.theta_planned = f->air.theta_land;
  if (po_patches_touching(&a->patches, hands) > 0 && f->turner.turning.phase.theta < PO_PI + DIVE_LET_GO) return;
  for (i = 8; i < 16; i++) po_actor_plant(a, i / 4, i % 4, 0, 0);
  dive_take_off(f);
}

static void dive_aim(po_move *move, const po_sense *sense) {
  dive *f = dive_of(move);
  po_turning *n = &f->turner.turning;
  if (move->time > 0) po_phase_update(&n->phase, move->actor->data, sense->dt);
  if (f->stage == DIVE_ARMSTAND) dive_armstand(f);
  else if (f->stage <= DIVE_THRUST) dive_on_platform(f, sense->dt);
  if (f->stage >= DIVE_SPREAD) dive_watch_twist(f);
  if (f->stage >= DIVE_SPREAD && f->stage < DIVE_FLIGHT) {
    n->left = po_tumbler_time_to(&f->turner.body, f->params.water + f->reach);
    dive_twist(f);
    if (n->left < f->air.arrive + f->air.hold) f->stage = DIVE_FLIGHT; /* whatever is left of the twist: hands first */
  }
  if (f->stage >= DIVE_FLIGHT) {
    n->left = po_tumbler_time_to(&f->turner.body, f->params.water + f->reach);
    if (n->left < f->air.arrive + f->air.hold) f->stage = DIVE_ENTRY;
    po_airborne_aim(&f->air, &f->turner.body, &f->params.air, &n->phase, n->left);
    if (f->stage == DIVE_ENTRY) f->turner.body.level->on = 0; /* arms are for the line now */
  }
  move->com_target = move->actor->data->com;
}

/* In the water: the COM is below the reach of its arms. */
static po_move_outcome dive_done(const po_move *move) {
  const dive *f = dive_of(move);
  return f->stage == DIVE_ENTRY && move->actor->data->com.z < f->params.water + 0.5 * f->reach ? PO_MOVE_DONE : PO_MOVE_GOING;
}
static int dive_phase(const po_move *move) { return dive_of(move)->stage; }

static void dive_stream(po_move *move, po_stream *s) {
  dive *f = dive_of(move);
  po_turner_stream(&f->turner, s);
  po_stream_bytes(s, &f->stage, sizeof *f - offsetof(dive, stage));
}

static po_status dive_set_model(po_move *move) { return dive_init(move, NULL); }

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
  .first = "revolutions",
  .layout = po_turner_layout,
  .init = dive_init,
  .attach = dive_attach,
  .ready = dive_ready,
  .enter = dive_enter,
  .aim = dive_aim,
  .done = dive_done,
  .phase = dive_phase,
  .phase_name = dive_stage_names,
  .stream = dive_stream,
  .changed = dive_prepare,
  .set_model = dive_set_model,
};
