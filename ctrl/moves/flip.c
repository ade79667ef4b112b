/* flip.c: backflip and frontflip (Al Borno et al. 2014, section 5.2): one controller, the sign of the momentum differs.
 *
 *   stand → crouch → thrust → flight → arrive → land → done
 *
 * The plan: the apex says how fast to leave and how long the flight lasts; the angle to turn in that time at the inertia asked for says with how much
 * momentum (eq. of section 5.2.1, with the folding in and out counted); the distance, with where the feet will be put, says how fast across.
 */
#include "turner.h"

const po_param po_flip_param[] = {
  PO_PARAM(po_flip_params, apex, 0.5, 0.1, 1.5, "m", "rise of the COM over standing"),
  PO_PARAM(po_flip_params, distance, -0.25, -1, 1, "m", "landing, forward positive"),
  PO_PARAM(po_flip_params, inertia, 0.36, 0.28, 0.9, "", "in the air, share of standing, about the axis"),
  PO_PARAM(po_flip_params, wait, 0.5, 0, 60, "s", "standing before the crouch"),
  PO_PARAM(po_flip_params, phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  PO_PARAM(po_flip_params, forward, 0, 0, 1, "", "1: turns forwards"),
  PO_PARAM(po_flip_params, theta_off_deg, 25, -60, 90, "deg", "trunk expected at take-off"),
  PO_PARAM(po_flip_params, theta_land_deg, 325, 180, 400, "deg", "trunk at touchdown; the rest of the turn is made on the ground"),
  PO_PARAM(po_flip_params, inertia_land, 0.9, 0.3, 1.2, "", "inertia at touchdown, share of standing"),
  PO_PARAM(po_flip_params, feet_time, 0.62, 0.1, 2, "beats", "time before touchdown at which the feet are led to the ground, in sqrt(h/g)"),
  PO_PARAM(po_flip_params, split_deg, 0, 0, 120, "deg", "legs apart in the air, straight, in place of a tuck; 0: tucked"),
  PO_TAKEOFF_ROWS(po_flip_params, takeoff),
  PO_AIRBORNE_ROWS(po_flip_params, air),
  PO_LANDING_ROWS(po_flip_params, landing),
};
const int po_flip_param_count = (int)(sizeof po_flip_param / sizeof po_flip_param[0]);

/* Forwards the hips bend as the legs push: feet leave the ground with the COM lower, flat, from a deeper crouch, and the trunk is far ahead by then. */
static const po_preset flip_preset[] = {
  {"frontflip", "a forward somersault from standing",
   "{\"forward\": 1, \"distance\": 0.2, \"theta_off_deg\": 50, \"theta_land_deg\": 360, \"extend\": 0.87, \"thrust\": 1.8, \"late\": 0.9, \"heels\": 1, \"shift\": -0.02}"},
  {"front-aerial", "a forward somersault with the legs apart",
   "{\"forward\": 1, \"distance\": 0.4, \"apex\": 0.45, \"split_deg\": 80, \"inertia\": 0.78, \"theta_off_deg\": 80, \"theta_land_deg\": 340, \"feet_time\": 0.58, \"extend\": 0.82, \"thrust\": 1.8, \"late\": 0.9, \"heels\": 1, \"shift\": 0.02}"},
  {NULL, NULL, NULL}};

typedef struct flip {
  po_turner turner;
  po_flip_params params;
} flip;

#define FLIP_STAND_HEIGHT 0.95 /* of the zero pose's, as in balance */
#define FLIP_SPEED_MOST 0.5    /* of sqrt(g h): speed across */
#define FLIP_REACHED 0.85      /* less than this share of the apex asked for, foreseen at take-off, is beyond reach */
#define FLIP_FOLD 0.87           /* beats of the flight, in all, that go into folding and opening */
#define FLIP_SHORT PO_RAD(60)  /* so much less of the turn, at the least inertia, as well */
#define FLIP_APART PO_RAD(200)   /* legs of a split begin to close, */
#define FLIP_TOGETHER PO_RAD(300) /* and are together */
#define FLIP_WHOLE PO_RAD(20)  /* from a whole turn: it has been made */

static flip *flip_of(const po_move *move) { return (flip *)po_turner_of(move); }

static void flip_prepare(po_move *move) {
  static const po_tumble_pose open = {0.15, 0.25, -0.1, 0.05, 0.9, 0.2, 0.3, 0, 0}, tuck = {2.2, 2.4, 0.2, 1.1, 0.9, 0.1, 0.7, 0.5, 0};
  static const po_tumble_pose apart = {0.3, 0, -0.6, 0.05, 0.6, 0.4, 0.2, 0, 0}, bowed = {1.4, 0.7, -0.6, 1.1, 0.6, 0.3, 0.4, 0.3, 0};
  flip *f = flip_of(move);
  po_tumbler *t = &f->turner.body;
  double now = t->split;
  t->split = PO_RAD(f->params.split_deg);
  if (t->split > 0) po_airborne_prepare(t, apart, bowed);
  else po_airborne_prepare(t, open, tuck);
  t->split = now;
}

static void flip_enter(po_move *move, const po_move *from) {
  flip *f = flip_of(move);
  (void)from;
  po_tumbler_feel_begin(&f->turner.body);
  po_turner_begin(&f->turner, f->params.forward > 0.5, f->params.phase_by);
}

/* ---- on the ground ---- */

static void flip_plan(flip *f) {
  const po_flip_params *p = &f->params;
  const po_tumbler *t = &f->turner.body;
  po_takeoff *takeoff = &f->turner.takeoff;
  po_airborne *air = &f->turner.air;
  double g = t->gravity, h = t->h, touch = p->landing.touch * h, top = p->apex + h, up = sqrt(2 * po_max(top - p->takeoff.extend * h, 0.02 * h) / g);
  double seconds = up + sqrt(2 * po_max(top - touch, 0.02 * h) / g), side = p->forward > 0.5 ? 1 : -1, turn, fold, L, tau, ahead;
  /* it folds and opens at rates that change evenly, and is as tight as asked for in between */
  fold = po_min(FLIP_FOLD * t->beat, 0.6 * seconds);
  turn = PO_RAD(p->theta_land_deg - p->theta_off_deg);
  L = turn * t->inertia / ((seconds - fold) / p->inertia + fold / p->inertia_land);
  /* the COM goes half of the thrust's way, then the flight's; the feet are `lead` of the capture point's offset ahead of it */
  tau = po_landing_lead(t, &p->landing, sqrt(2 * g * po_max(top - touch, 0.02 * h)));
  ahead = (p->distance - takeoff->shift - tau * PO_LANDING_TURN * side * L / (t->mass * touch)) / (0.5 * takeoff->seconds + seconds + tau);
  ahead = po_clamp(ahead, -FLIP_SPEED_MOST * t->fast, FLIP_SPEED_MOST * t->fast);
  takeoff->forward = p->forward > 0.5;
  po_takeoff_plan(takeoff, t, &p->takeoff, p->apex, ahead, L, f->turner.turning.phase.axis);
  air->theta_land = PO_RAD(p->theta_land_deg);
  air->inertia_land = p->inertia_land * t->inertia;
  air->arrive = p->feet_time * t->beat;
  f->turner.turning.momentum_wanted = L;
  f->turner.turning.theta_planned = air->theta_land;
}

static void flip_stand(po_move *move) {
  flip *f = flip_of(move);
  if (move->time > 0) po_tumbler_feel(&f->turner.body, f->turner.sense->dt);
  flip_plan(f);
  po_takeoff_stand(&f->turner.body, FLIP_STAND_HEIGHT * f->turner.body.h);
}

/* ---- in the air ---- */

/* Off the ground: what is to come is now known. */
static void flip_foresee(po_move *move) {
  flip *f = flip_of(move);
  po_turner *u = &f->turner;
  const po_tumbler *t = &u->body;
  double rise = po_turner_rise(u), rest = u->air.theta_land - u->turning.phase.theta;
  double L = po_v3_dot(u->turning.phase.axis, po_v3_of(move->actor->data->momentum));
  double left = po_tumbler_time_to(t, move->actor->data->com.z - po_tumbler_over(t) + f->params.landing.touch * t->h);
  double turn = left * L / t->fold.inertia[PO_FOLD_STEPS - 1];
  if (rise < FLIP_REACHED * f->params.apex) po_turner_beyond(u, "a rise of %.2f m is beyond reach: the torques gave %.2f m", f->params.apex, rise);
  else if (turn < rest - FLIP_SHORT)
    po_turner_beyond(u, "turning %.0f degrees in the air is beyond reach: the momentum suffices for %.0f", PO_DEG(rest), PO_DEG(turn));
  po_turner_by_clock(u, f->params.phase_by, rest, left);
}

/* Legs are apart up to an angle, and together again before they are led to the ground. */
static double flip_split(const flip *f) {
  return PO_RAD(f->params.split_deg) * po_clamp((FLIP_TOGETHER - f->turner.turning.phase.theta) / (FLIP_TOGETHER - FLIP_APART), 0, 1);
}

static void flip_fly(po_move *move) {
  flip *f = flip_of(move);
  po_turner *u = &f->turner;
  const po_data *d = move->actor->data;
  po_vec3 offset = po_landing_offset(&u->body, &f->params.landing, d->com_velocity);
  u->turning.left = po_tumbler_time_to(&u->body, po_terrain_surface_at(move->actor->patches.terrain, d->com.x, d->com.y).height - offset.z);
  u->body.split = flip_split(f);
  po_airborne_aim(&u->air, &u->body, &f->params.air, &u->turning.phase, u->turning.left);
}
static int flip_arrives(const po_move *move) {
  const flip *f = flip_of(move);
  return move->actor->data->com_velocity.z < 0 && f->turner.turning.left < f->params.feet_time * f->turner.body.beat;
}
static void flip_close(po_move *move) { flip_of(move)->turner.body.split = 0; }

/* ---- as a behaviour ---- */

enum { FLIP_STAND, FLIP_CROUCH, FLIP_THRUST, FLIP_FLIGHT, FLIP_ARRIVE, FLIP_LAND, FLIP_DONE };
static const po_turner_row flip_stages[] = {
  [FLIP_STAND] = {"stand", flip_stand, {{po_turner_waited, FLIP_CROUCH, PO_NEXT_TICK}}, NULL},
  [FLIP_CROUCH] = {"crouch", po_turner_take_off, {{po_turner_thrusts, FLIP_THRUST, PO_NEXT_TICK}}, NULL},
  [FLIP_THRUST] = {"thrust", po_turner_take_off, {{po_turner_off, FLIP_FLIGHT, PO_AT_ONCE}, {po_turner_stuck, FLIP_LAND, PO_AT_ONCE}}, NULL},
  [FLIP_FLIGHT] = {"flight", flip_fly, {{flip_arrives, FLIP_ARRIVE, PO_AT_ONCE}}, flip_foresee},
  [FLIP_ARRIVE] = {"arrive", po_turner_land, {{po_turner_landed, FLIP_LAND, PO_NEXT_TICK}}, flip_close},
  [FLIP_LAND] = {"land", po_turner_land, {{po_turner_stood, FLIP_DONE, PO_NEXT_TICK}}, po_turner_catch},
  [FLIP_DONE] = {"done", po_turner_land, {{NULL, 0, 0}}, NULL},
};

static po_status flip_init(po_move *move, po_error *err) {
  flip *f = flip_of(move);
  po_status s = po_turner_init(move, flip_stages, &f->params.wait, &f->params.takeoff, &f->params.landing, err);
  if (s == PO_OK) flip_prepare(move);
  return s;
}

/* Standing is not enough: a whole turn was asked for. */
static po_move_outcome flip_done(const po_move *move) {
  if (po_turner_done(move) == PO_MOVE_GOING) return PO_MOVE_GOING;
  return po_abs(po_turner_of(move)->turning.phase.theta - 2 * PO_PI) < FLIP_WHOLE ? PO_MOVE_DONE : PO_MOVE_FAILED;
}

const po_move_type po_flip_type = {
  .name = "backflip",
  .summary = "a somersault from standing, backwards or forwards",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(flip),
  .params_at = offsetof(flip, params),
  .params_bytes = sizeof(po_flip_params),
  .param = po_flip_param,
  .param_count = &po_flip_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(flip, params) - PO_TURNER_STATE,
  .first = "apex",
  .preset = flip_preset,
  .layout = po_turner_layout,
  .init = flip_init,
  .attach = po_turner_attach,
  .ready = po_posture_ready,
  .enter = flip_enter,
  .aim = po_turner_aim,
  .done = flip_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .restored = flip_prepare,
  .changed = flip_prepare,
  .set_model = po_turner_set_model,
};
