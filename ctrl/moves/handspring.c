/* handspring.c: the back handspring (Al Borno et al. 2014, section 5.4): a low, long backward take-off onto the hands, over them, and onto the feet.
 *
 *   stand → crouch → thrust → flight → hands → down → land → done
 *
 *   flight   the body arches and bends its knees: the trunk runs ahead of the mean frame, and the inertia is small; arms go overhead by the phase
 *   hands    over the hands by the cartwheel's law (cartwheel_body.c), its travel backwards
 *   down     hips fold, the hands push off, both feet come down short of the capture point
 *   land     as after a flip
 *
 * Where the hands come down decides: the blow J of the fall meets the body η ahead of its COM and takes J η of its angular momentum, or J η/z of its
 * speed. So the trunk must be nearly upside down by then, and the hands well short of the capture point. Fingers still fall at 5 m/s then. Held to the
 * ground above all else, they would be braked at 300 m/s² by the whole body, torques at their limits: they come down by themselves (cartwheel_wish.striking).
 */
#include "cartwheel.h"
#include <string.h>

#define HANDSPRING_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_handspring_params, name) }
const po_param po_handspring_param[] = {
  HANDSPRING_PARAM(apex, 0.1, 0, 0.4, "m", "rise of the COM over standing"),
  HANDSPRING_PARAM(wait, 0.5, 0, 60, "s", "standing before the crouch"),
  HANDSPRING_PARAM(phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  HANDSPRING_PARAM(turn, 0.3, 0.05, 0.6, "", "angular momentum to leave with, in m h sqrt(g h); less for higher, longer flights"),
  HANDSPRING_PARAM(away, 0.4, 0, 1, "", "speed backwards to leave with, in sqrt(g h)"),
  HANDSPRING_PARAM(lean, 0.12, 0, 0.6, "", "it topples until it is so fast, then thrusts, in sqrt(g h)"),
  HANDSPRING_PARAM(hands_height, 0.9, 0.4, 1, "", "COM height as the hands come down, share of standing"),
  HANDSPRING_PARAM(short_hands, 0.28, 0, 0.6, "", "hands come down so far short of the capture point, in standing heights"),
  HANDSPRING_PARAM(short_feet, 0.2, 0, 0.6, "", "feet come down so far short of it"),
  PO_TAKEOFF_ROWS(po_handspring_params, takeoff),
  PO_AIRBORNE_ROWS(po_handspring_params, air),
  PO_LANDING_ROWS(po_handspring_params, landing),
};
const int po_handspring_param_count = (int)(sizeof po_handspring_param / sizeof po_handspring_param[0]);

typedef enum handspring_stage {
  HANDSPRING_STAND, HANDSPRING_CROUCH, HANDSPRING_THRUST, HANDSPRING_FLIGHT, HANDSPRING_HANDS, HANDSPRING_DOWN, HANDSPRING_LAND, HANDSPRING_DONE
} handspring_stage;
static const char *const handspring_stage_names[] = {"stand", "crouch", "thrust", "flight", "hands", "down", "land", "done"};

typedef struct handspring {
  cartwheel wheel;           /* what both have over the hands */
  po_handspring_params params;
  /* from here on plain values */
  int stage;
  po_takeoff takeoff;
} handspring;

/* Phase angles, deg. */
#define HANDSPRING_ARMS_FROM 40.0  /* arms go overhead from here */
#define HANDSPRING_ARMS 90.0       /* and are there */
#define HANDSPRING_REACH 60.0      /* hands are led to the ground from here */
#define HANDSPRING_FOLD 182.0      /* hips begin to fold within 15 degrees of here */

#define HANDSPRING_STANDING 0.95   /* of the zero pose's height, as in balance */
#define HANDSPRING_STOOD 0.5       /* s of standing still: it is done */
#define HANDSPRING_LOST 0.035      /* standing heights: a long take-off rises so much less than it plans */
#define HANDSPRING_LOW_RISE 0.1    /* standing heights: rises up to this have all of the momentum */
#define HANDSPRING_REACHED 0.1     /* standing heights: so much less than asked for is beyond reach */
#define HANDSPRING_WIDE 0.2        /* standing heights: each hand beside the line */
#define HANDSPRING_BLOW 0.1        /* beats from the heels of the hands on: fingers slap down, */
#define HANDSPRING_ARCH -0.5       /* and the spine is thrown back at 18 rad/s: so bent, rad, it does not meet its stops as a second blow */
#define HANDSPRING_OVER 0.15       /* standing heights beyond the hands at which the COM is past them */
#define HANDSPRING_LOOSE 0.28      /* and at which the hands may leave */
#define HANDSPRING_SWING 1.1       /* beats in which the feet come down */
#define HANDSPRING_TOP 0.9         /* of standing: COM height over the hands, */
#define HANDSPRING_LOW 0.75        /* and as the feet come down */
#define HANDSPRING_SPEED 0.3       /* sqrt(g h) over the hands */
#define HANDSPRING_SPIN 0.2        /* m h sqrt(g h) over the hands */
#define HANDSPRING_SHARE 0.7
#define HANDSPRING_PIKE 2.0        /* rad of the hips, coming down */
#define HANDSPRING_FLY_KP 600.0    /* 1/s²: poses in the air; */
#define HANDSPRING_KP 200.0        /* on the hands */
#define HANDSPRING_POSE 1e-3       /* weight beside speed, height and momentum, as in a cartwheel */
#define HANDSPRING_HAND 1.0        /* of hands on their way */
#define HANDSPRING_PALM 1e-2
#define HANDSPRING_WRIST 30.0      /* times the pose's: hands lie flat */
#define HANDSPRING_BEND 0.3        /* rad: wrists bend back so far beyond flat, then the heel of the hand rises; */
#define HANDSPRING_NO_ROLL 1.2     /* the other way they have far to go */

static handspring *handspring_of(const po_move *move) { return (handspring *)(void *)(size_t)(const void *)move; }

/* From y0 at x0 to y1 at x1, constant outside. */
static double handspring_ramp(double x, double x0, double x1, double y0, double y1) { return y0 + (y1 - y0) * po_clamp((x - x0) / (x1 - x0), 0, 1); }

static po_status handspring_ready(const po_move *move, const po_move *from, po_error *err) {
  (void)from;
  return po_posture_ready(move->actor, move->name, err);
}

static void handspring_enter(po_move *move, const po_move *from) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  const po_tumbler *t = &c->turner.body;
  double fastest = sqrt(t->gravity * t->h);
  (void)from;
  memset((char *)c + offsetof(cartwheel, stage), 0, sizeof *c - offsetof(cartwheel, stage));
  memset((char *)f + offsetof(handspring, stage), 0, sizeof *f - offsetof(handspring, stage));
  c->side[1] = 1;
  c->toes = po_tumbler_ahead(t);
  c->travel = po_v3_neg(c->toes);
  c->ahead = po_tumbler_left(t);
  c->level = c->fingers = 1;
  c->roll[0] = HANDSPRING_BEND;
  c->roll[1] = HANDSPRING_NO_ROLL;
  c->line = po_patches_centroid(&move->actor->patches, move->actor->data, PO_BOTH_FEET);
  po_turner_begin(&c->turner, 0, (po_phase_by)(int)(f->params.phase_by + 0.5));
  c->speed = HANDSPRING_SPEED * fastest;
  c->momentum = HANDSPRING_SPIN * t->mass * t->h * fastest;
  c->turner.turning.theta_planned = 2 * PO_PI;
}

/* Off the ground: what is to come is now known. */
static void handspring_take_off(handspring *f) {
  const po_tumbler *t = &f->wheel.turner.body;
  const po_data *d = t->actor->data;
  po_phase *phase = &f->wheel.turner.turning.phase;
  double v = po_max(d->com_velocity.z, 0), rise = po_tumbler_over(t) - t->h + v * v / (2 * t->gravity);
  double left = po_tumbler_time_to(t, f->wheel.line.z + f->params.hands_height * t->h);
  if (rise < f->params.apex - HANDSPRING_REACHED * t->h)
    po_turner_beyond(&f->wheel.turner, "a rise of %.2f m is beyond reach: the torques gave %.2f m", f->params.apex, rise);
  if ((int)(f->params.phase_by + 0.5) == PO_BY_TIME) {
    phase->by = PO_BY_TIME;
    phase->nominal = left > 0 ? (PO_PI - phase->theta) / left : 0;
  }
  f->stage = HANDSPRING_FLIGHT;
}

/* s from take-off to the hands, for this rise. */
static double handspring_air(const handspring *f, double rise) {
  const po_tumbler *t = &f->wheel.turner.body;
  return sqrt(2 * po_max(rise + (1 - f->params.takeoff.extend) * t->h, 0) / t->gravity) + sqrt(2 * po_max(rise + (1 - f->params.hands_height) * t->h, 0) / t->gravity);
}

static void handspring_on_ground(handspring *f, double dt) {
  cartwheel *c = &f->wheel;
  po_tumbler *t = &c->turner.body;
  const po_handspring_params *p = &f->params;
  double fastest = sqrt(t->gravity * t->h), less = po_min(1, handspring_air(f, HANDSPRING_LOW_RISE * t->h) / handspring_air(f, p->apex));
  double L = sqrt(less * sqrt(less)) * p->turn * t->mass * t->h * fastest; /* so that hands come down at 161 to 164 degrees; a higher one leaves more upright */
  po_cartwheel_release(c);
  if (f->stage == HANDSPRING_STAND) {
    f->takeoff.forward = 0;
    f->takeoff.lean = p->lean * fastest;
    po_takeoff_plan(&f->takeoff, t, &p->takeoff, p->apex + HANDSPRING_LOST * t->h, -p->away * fastest, L, c->turner.turning.phase.axis);
    c->turner.turning.momentum_wanted = L;
    po_takeoff_stand(t, HANDSPRING_STANDING * t->h);
    if (c->turner.move.time >= p->wait) f->stage = HANDSPRING_CROUCH;
    return;
  }
  po_takeoff_aim(&f->takeoff, t, &p->takeoff, dt);
  if (f->takeoff.stage == PO_TAKEOFF_THRUST) f->stage = HANDSPRING_THRUST;
  if (f->takeoff.stage == PO_TAKEOFF_OFF) handspring_take_off(f);
  if (f->takeoff.stage == PO_TAKEOFF_STUCK) {
    po_turner_beyond(&c->turner, "a rise of %.2f m is beyond reach: the feet did not leave the ground in %.1f s", p->apex, f->takeoff.time);
    c->landing.stage = PO_LANDING_DOWN;
    c->landing.caught = 1;
    f->stage = HANDSPRING_LAND;
  }
}

/* Hands bent back so that they lie flat under the arms. */
static void handspring_wrists(handspring *f) {
  const cartwheel *c = &f->wheel;
  po_actor *a = c->turner.move.actor;
  int i, on = f->stage >= HANDSPRING_HANDS;
  for (i = 0; i < 2; i++) {
    int palm = a->patches.patch[PO_HAND_L + i].body, fore = a->legs.forearm[i];
    const po_joint *wrist = &a->model->joint[palm];
    po_vec3 up;
    double lean;
    if (palm == fore || wrist->nq != 2 || fore < 0) continue;
    up = po_v3_sub(a->data->pose[fore].p, a->data->pose[palm].p);
    lean = on ? po_atan2(po_v3_dot(c->travel, up), up.z) : 0;
    a->pose[wrist->q] = po_clamp(-0.5 * PO_PI + lean, wrist->lower[0] + 0.05, 0);
    a->joint_weight[wrist->v] = a->joint_weight[wrist->v + 1] = on ? HANDSPRING_WRIST : 1;
  }
}

static void handspring_flight(handspring *f, double deg) {
  cartwheel *c = &f->wheel;
  po_tumbler *t = &c->turner.body;
  const po_data *d = t->actor->data;
  const po_handspring_params *p = &f->params;
  double over = p->hands_height * t->h, left = po_tumbler_time_to(t, c->line.z + over), v, L, along;
  po_tumble_pose pose = {-0.6, 1.2, -0.5, HANDSPRING_ARCH, 0, -0.05, -0.1, -0.3, 0};
  int k;
  pose.shoulder = handspring_ramp(deg, HANDSPRING_ARMS_FROM, HANDSPRING_ARMS, 1.8, 3.05);
  po_tumbler_let_go(t);
  po_tumbler_pose(t, &pose, HANDSPRING_FLY_KP, 1, 1);
  handspring_wrists(f);
  po_tumbler_level(t, c->turner.turning.phase.axis, 3, p->air.level_air);
  v = po_v3_dot(c->travel, d->com_velocity);
  L = po_v3_dot(c->turner.turning.phase.axis, po_v3_of(d->momentum));
  along = po_cartwheel_along(c, d->com) + v * left + (v + L / (t->mass * over)) * sqrt(over / t->gravity) - p->short_hands * t->h;
  for (k = 0; k < 2 && deg > HANDSPRING_REACH; k++) {
    po_cartwheel_reach(c, k, along, (k == 0 ? HANDSPRING_WIDE : -HANDSPRING_WIDE) * t->h, left);
    c->hand[k]->weight = HANDSPRING_HAND;
    c->palm[k]->on = 1;
    c->palm[k]->weight = HANDSPRING_PALM;
  }
  c->turner.turning.left = left;
  if (po_patches_touching(&t->actor->patches, PO_BOTH_HANDS) > 0) {
    f->stage = HANDSPRING_HANDS;
    c->stage = CARTWHEEL_HANDS;
    c->time = 0;
    for (k = 0; k < 2; k++) c->hand_at[k] = po_cartwheel_middle(c, po_cartwheel_hand(c, k));
  } else if (po_patches_touching(&t->actor->patches, PO_BOTH_FEET) > 0 && d->com_velocity.z < 0) f->stage = HANDSPRING_LAND;
}

/* Straight over the hands, then folded. */
static void handspring_pose(handspring *f, double deg) {
  po_tumbler *t = &f->wheel.turner.body;
  po_tumble_pose pose = {0, -0.1, -0.6, 0, 3.05, -0.05, -0.1, 0, 0};
  int down = f->stage == HANDSPRING_DOWN;
  pose.spine = handspring_ramp(deg, 150, HANDSPRING_FOLD, -0.4, 0.4);
  pose.hip = down ? HANDSPRING_PIKE : handspring_ramp(deg, HANDSPRING_FOLD - 15, HANDSPRING_FOLD + 15, -0.2, HANDSPRING_PIKE);
  po_tumbler_pose(t, &pose, HANDSPRING_KP, 1, 1);
  t->pose->weight = HANDSPRING_POSE;
  handspring_wrists(f);
  if (down || deg > HANDSPRING_FOLD) po_cartwheel_free_legs(&f->wheel);
}

static void handspring_on_hands(handspring *f, double deg) {
  cartwheel *c = &f->wheel;
  po_tumbler *t = &c->turner.body;
  cartwheel_wish w = {0, PO_BOTH_HANDS, 0, 0, 0, 0, 0, HANDSPRING_SHARE};
  double at, past = po_cartwheel_along(c, t->actor->data->com) - po_cartwheel_along(c, c->hand_at[0]);
  int k, down = f->stage == HANDSPRING_DOWN;
  w.striking = !down && c->time < HANDSPRING_BLOW * t->beat ? PO_BOTH_HANDS : 0;
  w.loose = down && past > HANDSPRING_LOOSE * t->h ? PO_BOTH_HANDS : 0;
  w.momentum = c->momentum;
  w.speed = c->speed;
  w.height = t->h * (deg < 180 ? handspring_ramp(deg, 140, 175, f->params.hands_height, HANDSPRING_TOP) : handspring_ramp(deg, 190, 270, HANDSPRING_TOP, HANDSPRING_LOW));
  handspring_pose(f, deg);
  po_cartwheel_ask(c, &w);
  if (!down) {
    if (past > HANDSPRING_OVER * t->h) {
      f->stage = HANDSPRING_DOWN;
      c->time = 0;
    }
    return;
  }
  t->turn->on = 0; /* the legs make what they need */
  at = po_cartwheel_capture(c) - f->params.short_feet * t->h;
  for (k = 0; k < 2; k++) po_cartwheel_lead_foot(c, k, at, k == 0 ? t->stance : -t->stance, HANDSPRING_SWING * t->beat - c->time);
  if (po_patches_touching(&t->actor->patches, PO_BOTH_FEET) > 0) f->stage = HANDSPRING_LAND;
}

static void handspring_aim(po_move *move, const po_sense *sense) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  po_turning *n = &c->turner.turning;
  double deg;
  if (move->time > 0) po_phase_update(&n->phase, move->actor->data, sense->dt);
  deg = PO_DEG(n->phase.theta);
  if (f->stage <= HANDSPRING_THRUST) handspring_on_ground(f, sense->dt);
  if (f->stage == HANDSPRING_FLIGHT) handspring_flight(f, deg);
  if (f->stage == HANDSPRING_HANDS || f->stage == HANDSPRING_DOWN) handspring_on_hands(f, deg);
  if (f->stage >= HANDSPRING_LAND) {
    po_cartwheel_release(c);
    po_landing_aim(&c->landing, &c->turner.body, &f->params.landing, sense->dt);
    if (f->stage == HANDSPRING_LAND && po_landing_stood(&c->landing, HANDSPRING_STOOD)) f->stage = HANDSPRING_DONE;
  }
  c->time += sense->dt;
  n->steps = c->landing.steps;
  move->com_target = f->stage >= HANDSPRING_LAND ? c->landing.capture : move->actor->data->com;
}

static po_move_outcome handspring_done(const po_move *move) { return handspring_of(move)->stage == HANDSPRING_DONE ? PO_MOVE_DONE : PO_MOVE_GOING; }
static int handspring_phase(const po_move *move) { return handspring_of(move)->stage; }

static void handspring_stream(po_move *move, po_stream *s) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  po_turner_stream(&c->turner, s);
  po_stream_bytes(s, &c->stage, sizeof *c - offsetof(cartwheel, stage));
  po_stream_bytes(s, &f->stage, sizeof *f - offsetof(handspring, stage));
}

static po_status handspring_set_model(po_move *move) { return po_turner_init(move, NULL); }

const po_move_type po_handspring_type = {
  .name = "back-handspring",
  .summary = "backwards over the hands, from feet to feet",
  .needs = PO_NEEDS_FEET | PO_NEEDS_HANDS | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(handspring),
  .params_at = offsetof(handspring, params),
  .params_bytes = sizeof(po_handspring_params),
  .param = po_handspring_param,
  .param_count = &po_handspring_param_count,
  .first = "apex",
  .layout = po_turner_layout,
  .init = po_turner_init,
  .attach = po_cartwheel_attach,
  .ready = handspring_ready,
  .enter = handspring_enter,
  .aim = handspring_aim,
  .done = handspring_done,
  .phase = handspring_phase,
  .phase_name = handspring_stage_names,
  .stream = handspring_stream,
  .set_model = handspring_set_model,
};
