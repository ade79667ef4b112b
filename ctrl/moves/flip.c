/* flip.c: backflip and frontflip (Al Borno et al. 2014, section 5.2): one controller, the sign of the momentum differs.
 *
 *   stand → crouch → thrust → flight → arrive → land → done
 *
 * The plan: the apex says how fast to leave and how long the flight lasts; the angle to turn in that time at the inertia asked for says with how much
 * momentum (eq. of section 5.2.1, with the folding in and out counted); the distance, with where the feet will be put, says how fast across.
 */
#include "airborne_internal.h"
#include <string.h>

#define FLIP_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_flip_params, name) }
const po_param po_flip_param[] = {
  FLIP_PARAM(apex, 0.5, 0.1, 1.5, "m", "rise of the COM over standing"),
  FLIP_PARAM(distance, -0.25, -1, 1, "m", "landing, forward positive"),
  FLIP_PARAM(inertia, 0.36, 0.28, 0.9, "", "in the air, share of standing, about the axis"),
  FLIP_PARAM(wait, 0.5, 0, 60, "s", "standing before the crouch"),
  FLIP_PARAM(phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  FLIP_PARAM(forward, 0, 0, 1, "", "1: turns forwards"),
  FLIP_PARAM(theta_off_deg, 25, -60, 90, "deg", "trunk expected at take-off"),
  FLIP_PARAM(theta_land_deg, 325, 180, 400, "deg", "trunk at touchdown; the rest of the turn is made on the ground"),
  FLIP_PARAM(inertia_land, 0.9, 0.3, 1.2, "", "inertia at touchdown, share of standing"),
  FLIP_PARAM(feet_time, 0.62, 0.1, 2, "beats", "time before touchdown at which the feet are led to the ground, in sqrt(h/g)"),
  FLIP_PARAM(split_deg, 0, 0, 120, "deg", "legs apart in the air, straight, in place of a tuck; 0: tucked"),
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

typedef enum flip_stage { FLIP_STAND, FLIP_CROUCH, FLIP_THRUST, FLIP_FLIGHT, FLIP_ARRIVE, FLIP_LAND, FLIP_DONE } flip_stage;
static const char *const flip_stage_names[] = {"stand", "crouch", "thrust", "flight", "arrive", "land", "done"};

typedef struct flip {
  po_turner turner;
  po_flip_params params;
  /* from here on plain values */
  int stage;
  po_takeoff takeoff;
  po_airborne air;
  po_landing landing;
} flip;

#define FLIP_STAND_HEIGHT 0.95 /* of the zero pose's, as in balance */
#define FLIP_SPEED_MOST 0.5    /* of sqrt(g h): speed across */
#define FLIP_REACHED 0.85      /* less than this share of the apex asked for, foreseen at take-off, is beyond reach */
#define FLIP_FOLD 0.87           /* beats of the flight, in all, that go into folding and opening */
#define FLIP_SHORT PO_RAD(60)  /* so much less of the turn, at the least inertia, as well */
#define FLIP_APART PO_RAD(200)   /* legs of a split begin to close, */
#define FLIP_TOGETHER PO_RAD(300) /* and are together */
#define FLIP_WHOLE PO_RAD(20)  /* from a whole turn: it has been made */
#define FLIP_STOOD 0.5         /* s of standing still: it is done */

static flip *flip_of(const po_move *move) { return (flip *)(void *)(size_t)(const void *)move; }

static void flip_prepare(po_move *move) {
  static const po_tumble_pose open = {0.15, 0.25, -0.1, 0.05, 0.9, 0.2, 0.3, 0, 0}, tuck = {2.2, 2.4, 0.2, 1.1, 0.9, 0.1, 0.7, 0.5, 0};
  static const po_tumble_pose apart = {0.3, 0, -0.6, 0.05, 0.6, 0.4, 0.2, 0, 0}, bowed = {1.4, 0.7, -0.6, 1.1, 0.6, 0.3, 0.4, 0.3, 0};
  flip *f = flip_of(move);
  int split = f->params.split_deg > 0;
  f->turner.body.split = PO_RAD(f->params.split_deg);
  po_airborne_prepare(&f->air, &f->turner.body, split ? apart : open, split ? bowed : tuck);
  f->turner.body.split = 0;
}

static po_status flip_init(po_move *move, po_error *err) {
  po_status s = po_turner_init(move, err);
  if (s == PO_OK) flip_prepare(move);
  return s;
}

static po_status flip_ready(const po_move *move, const po_move *from, po_error *err) {
  (void)from;
  return po_posture_ready(move->actor, move->name, err);
}

static void flip_enter(po_move *move, const po_move *from) {
  flip *f = flip_of(move);
  po_airborne air = f->air;
  (void)from;
  memset((char *)f + offsetof(flip, stage), 0, sizeof *f - offsetof(flip, stage));
  f->air = air; /* the table is the body's */
  po_tumbler_feel_begin(&f->turner.body);
  po_turner_begin(&f->turner, f->params.forward > 0.5, (po_phase_by)(int)(f->params.phase_by + 0.5));
}

static void flip_plan(flip *f) {
  const po_flip_params *p = &f->params;
  const po_tumbler *t = &f->turner.body;
  double g = t->gravity, h = t->h, touch = p->landing.touch * h, top = p->apex + h, up = sqrt(2 * po_max(top - p->takeoff.extend * h, 0.02 * h) / g);
  double air = up + sqrt(2 * po_max(top - touch, 0.02 * h) / g), side = p->forward > 0.5 ? 1 : -1, turn, fold, L, tau, ahead;
  /* it folds and opens at rates that change evenly, and is as tight as asked for in between */
  fold = po_min(FLIP_FOLD * t->beat, 0.6 * air);
  turn = PO_RAD(p->theta_land_deg - p->theta_off_deg);
  L = turn * t->inertia / ((air - fold) / p->inertia + fold / p->inertia_land);
  /* the COM goes half of the thrust's way, then the flight's; the feet are `lead` of the capture point's offset ahead of it */
  tau = po_landing_lead(t, &p->landing, sqrt(2 * g * po_max(top - touch, 0.02 * h)));
  ahead = (p->distance - f->takeoff.shift - tau * PO_LANDING_TURN * side * L / (t->mass * touch)) / (0.5 * f->takeoff.seconds + air + tau);
  ahead = po_clamp(ahead, -FLIP_SPEED_MOST * sqrt(g * h), FLIP_SPEED_MOST * sqrt(g * h));
  f->takeoff.forward = p->forward > 0.5;
  po_takeoff_plan(&f->takeoff, t, &p->takeoff, p->apex, ahead, L, f->turner.turning.phase.axis);
  f->air.theta_land = PO_RAD(p->theta_land_deg);
  f->air.inertia_land = p->inertia_land * t->inertia;
  f->air.arrive = p->feet_time * t->beat;
  f->turner.turning.momentum_wanted = L;
  f->turner.turning.theta_planned = f->air.theta_land;
}

/* Off the ground: what is to come is now known. */
static void flip_take_off(flip *f) {
  const po_data *d = f->turner.move.actor->data;
  po_tumbler *t = &f->turner.body;
  po_phase *phase = &f->turner.turning.phase;
  double v = po_max(d->com_velocity.z, 0), rise = po_tumbler_over(t) - t->h + v * v / (2 * t->gravity);
  double L = po_v3_dot(phase->axis, po_v3_of(d->momentum)), left = po_tumbler_time_to(t, d->com.z - po_tumbler_over(t) + f->params.landing.touch * t->h);
  double turn = left * L / f->air.inertia[PO_AIRBORNE_TABLE - 1];
  if (rise < FLIP_REACHED * f->params.apex) po_turner_beyond(&f->turner, "a rise of %.2f m is beyond reach: the torques gave %.2f m", f->params.apex, rise);
  else if (turn < f->air.theta_land - phase->theta - FLIP_SHORT)
    po_turner_beyond(&f->turner, "turning %.0f degrees in the air is beyond reach: the momentum suffices for %.0f", PO_DEG(f->air.theta_land - phase->theta), PO_DEG(turn));
  if ((int)(f->params.phase_by + 0.5) == PO_BY_TIME) {
    phase->by = PO_BY_TIME;
    phase->nominal = left > 0 ? (f->air.theta_land - phase->theta) / left : 0;
  }
  f->stage = FLIP_FLIGHT;
}

static void flip_on_ground(flip *f, double dt) {
  po_tumbler *t = &f->turner.body;
  if (f->stage == FLIP_STAND) {
    if (f->turner.move.time > 0) po_tumbler_feel(t, dt);
    flip_plan(f);
    po_takeoff_stand(t, FLIP_STAND_HEIGHT * t->h);
    if (f->turner.move.time >= f->params.wait) f->stage = FLIP_CROUCH;
    return;
  }
  po_takeoff_aim(&f->takeoff, t, &f->params.takeoff, dt);
  if (f->takeoff.stage == PO_TAKEOFF_THRUST) f->stage = FLIP_THRUST;
  if (f->takeoff.stage == PO_TAKEOFF_OFF) flip_take_off(f);
  if (f->takeoff.stage == PO_TAKEOFF_STUCK) {
    po_turner_beyond(&f->turner, "a rise of %.2f m is beyond reach: the feet did not leave the ground in %.1f s", f->params.apex, f->takeoff.time);
    f->landing.stage = PO_LANDING_DOWN;
    f->landing.caught = 1;
    f->stage = FLIP_LAND;
  }
}

/* Legs are apart up to an angle, and together again before they are led to the ground. */
static double flip_split(const flip *f) {
  return PO_RAD(f->params.split_deg) * po_clamp((FLIP_TOGETHER - f->turner.turning.phase.theta) / (FLIP_TOGETHER - FLIP_APART), 0, 1);
}

static void flip_aim(po_move *move, const po_sense *sense) {
  flip *f = flip_of(move);
  po_tumbler *t = &f->turner.body;
  po_turning *n = &f->turner.turning;
  const po_data *d = move->actor->data;
  if (move->time > 0) po_phase_update(&n->phase, d, sense->dt);
  if (f->stage <= FLIP_THRUST) flip_on_ground(f, sense->dt);
  if (f->stage == FLIP_FLIGHT) {
    po_vec3 offset = po_landing_offset(t, &f->params.landing, d->com_velocity);
    n->left = po_tumbler_time_to(t, po_terrain_surface_at(move->actor->patches.terrain, d->com.x, d->com.y).height - offset.z);
    if (d->com_velocity.z < 0 && n->left < f->params.feet_time * t->beat) f->stage = FLIP_ARRIVE;
    t->split = f->stage == FLIP_FLIGHT ? flip_split(f) : 0;
    if (f->stage == FLIP_FLIGHT) po_airborne_aim(&f->air, t, &f->params.air, &n->phase, n->left);
  }
  if (f->stage >= FLIP_ARRIVE) {
    po_landing_aim(&f->landing, t, &f->params.landing, sense->dt);
    if (f->landing.stage == PO_LANDING_DOWN && f->stage == FLIP_ARRIVE) f->stage = FLIP_LAND;
    if (f->stage == FLIP_LAND && po_landing_stood(&f->landing, FLIP_STOOD)) f->stage = FLIP_DONE;
  }
  n->steps = f->landing.steps;
  move->com_target = f->stage >= FLIP_LAND ? f->landing.capture : d->com;
}

/* Standing is not enough: a whole turn was asked for. */
static po_move_outcome flip_done(const po_move *move) {
  const flip *f = flip_of(move);
  if (f->stage != FLIP_DONE) return PO_MOVE_GOING;
  return po_abs(f->turner.turning.phase.theta - 2 * PO_PI) < FLIP_WHOLE ? PO_MOVE_DONE : PO_MOVE_FAILED;
}
static int flip_phase(const po_move *move) { return flip_of(move)->stage; }

static void flip_stream(po_move *move, po_stream *s) {
  flip *f = flip_of(move);
  po_turner_stream(&f->turner, s);
  po_stream_bytes(s, &f->stage, sizeof *f - offsetof(flip, stage));
}

static po_status flip_set_model(po_move *move) { return flip_init(move, NULL); }

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
  .first = "apex",
  .preset = flip_preset,
  .layout = po_turner_layout,
  .init = flip_init,
  .attach = po_turner_attach,
  .ready = flip_ready,
  .enter = flip_enter,
  .aim = flip_aim,
  .done = flip_done,
  .phase = flip_phase,
  .phase_name = flip_stage_names,
  .stream = flip_stream,
  .changed = flip_prepare,
  .set_model = flip_set_model,
};
