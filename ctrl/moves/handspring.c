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

const po_param po_handspring_param[] = {
  PO_PARAM(po_handspring_params, apex, 0.1, 0, 0.4, "m", "rise of the COM over standing"),
  PO_PARAM(po_handspring_params, wait, 0.5, 0, 60, "s", "standing before the crouch"),
  PO_PARAM(po_handspring_params, phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  PO_PARAM(po_handspring_params, turn, 0.3, 0.05, 0.6, "", "angular momentum to leave with, in m h sqrt(g h); less for higher, longer flights"),
  PO_PARAM(po_handspring_params, away, 0.4, 0, 1, "", "speed backwards to leave with, in sqrt(g h)"),
  PO_PARAM(po_handspring_params, lean, 0.12, 0, 0.6, "", "it topples until it is so fast, then thrusts, in sqrt(g h)"),
  PO_PARAM(po_handspring_params, hands_height, 0.9, 0.4, 1, "", "COM height as the hands come down, share of standing"),
  PO_PARAM(po_handspring_params, short_hands, 0.28, 0, 0.6, "", "hands come down so far short of the capture point, in standing heights"),
  PO_PARAM(po_handspring_params, short_feet, 0.2, 0, 0.6, "", "feet come down so far short of it"),
  PO_TAKEOFF_ROWS(po_handspring_params, takeoff),
  PO_AIRBORNE_ROWS(po_handspring_params, air),
  PO_LANDING_ROWS(po_handspring_params, landing),
};
const int po_handspring_param_count = (int)(sizeof po_handspring_param / sizeof po_handspring_param[0]);

typedef struct handspring {
  cartwheel wheel;           /* what both have over the hands */
  po_handspring_params params;
} handspring;

enum {
  HANDSPRING_STAND, HANDSPRING_CROUCH, HANDSPRING_THRUST, HANDSPRING_FLIGHT, HANDSPRING_HANDS, HANDSPRING_DOWN, HANDSPRING_LAND, HANDSPRING_DONE
};

/* Phase angles, deg. */
#define HANDSPRING_ARMS_FROM 40.0  /* arms go overhead from here */
#define HANDSPRING_ARMS 90.0       /* and are there */
#define HANDSPRING_REACH 60.0      /* hands are led to the ground from here */
#define HANDSPRING_FOLD 182.0      /* hips begin to fold within 15 degrees of here */

#define HANDSPRING_STANDING 0.95   /* of the zero pose's height, as in balance */
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

static handspring *handspring_of(const po_move *move) { return (handspring *)po_turner_of(move); }

static void handspring_enter(po_move *move, const po_move *from) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  const po_tumbler *t = &c->turner.body;
  (void)from;
  c->side[1] = 1;
  c->toes = po_tumbler_ahead(t);
  c->travel = po_v3_neg(c->toes);
  c->ahead = po_tumbler_left(t);
  c->level = c->fingers = 1;
  c->roll[0] = HANDSPRING_BEND;
  c->roll[1] = HANDSPRING_NO_ROLL;
  c->line = po_patches_centroid(&move->actor->patches, move->actor->data, PO_BOTH_FEET);
  po_turner_begin(&c->turner, 0, f->params.phase_by);
  c->speed = HANDSPRING_SPEED * t->fast;
  c->momentum = HANDSPRING_SPIN * t->mass * t->h * t->fast;
  c->turner.turning.theta_planned = 2 * PO_PI;
}

/* s from take-off to the hands, for this rise. */
static double handspring_air(const handspring *f, double rise) {
  const po_tumbler *t = &f->wheel.turner.body;
  return sqrt(2 * po_max(rise + (1 - f->params.takeoff.extend) * t->h, 0) / t->gravity) + sqrt(2 * po_max(rise + (1 - f->params.hands_height) * t->h, 0) / t->gravity);
}

static void handspring_stand(po_move *move) {
  handspring *f = handspring_of(move);
  po_turner *u = &f->wheel.turner;
  po_tumbler *t = &u->body;
  const po_handspring_params *p = &f->params;
  double less = po_min(1, handspring_air(f, HANDSPRING_LOW_RISE * t->h) / handspring_air(f, p->apex));
  double L = sqrt(less * sqrt(less)) * p->turn * t->mass * t->h * t->fast; /* so that hands come down at 161 to 164 degrees; a higher one leaves more upright */
  po_cartwheel_release(&f->wheel);
  u->takeoff.lean = p->lean * t->fast;
  po_takeoff_plan(&u->takeoff, t, &p->takeoff, p->apex + HANDSPRING_LOST * t->h, -p->away * t->fast, L, u->turning.phase.axis);
  u->takeoff.rise = p->apex;
  u->turning.momentum_wanted = L;
  po_takeoff_stand(t, HANDSPRING_STANDING * t->h);
}

static void handspring_take_off(po_move *move) {
  po_cartwheel_release(&handspring_of(move)->wheel);
  po_turner_take_off(move);
}

/* Off the ground: what is to come is now known. */
static void handspring_foresee(po_move *move) {
  handspring *f = handspring_of(move);
  po_turner *u = &f->wheel.turner;
  double rise = po_turner_rise(u), left = po_tumbler_time_to(&u->body, f->wheel.line.z + f->params.hands_height * u->body.h);
  if (rise < f->params.apex - HANDSPRING_REACHED * u->body.h) po_turner_beyond(u, "a rise of %.2f m is beyond reach: the torques gave %.2f m", f->params.apex, rise);
  po_turner_by_clock(u, f->params.phase_by, PO_PI - u->turning.phase.theta, left);
}

/* ---- over the hands ---- */

/* Hands bent back so that they lie flat under the arms. */
static void handspring_wrists(handspring *f) {
  const cartwheel *c = &f->wheel;
  po_actor *a = c->turner.move.actor;
  int i, on = c->turner.stage >= HANDSPRING_HANDS;
  for (i = 0; i < 2; i++) {
    const po_joint *wrist = po_tumbler_wrist(&c->turner.body, i);
    po_vec3 up;
    double lean;
    if (!wrist) continue;
    up = po_v3_sub(a->data->pose[a->legs.forearm[i]].p, a->data->pose[a->patches.patch[PO_HAND_L + i].body].p);
    lean = on ? po_atan2(po_v3_dot(c->travel, up), up.z) : 0;
    a->pose[wrist->q] = po_clamp(-0.5 * PO_PI + lean, wrist->lower[0] + 0.05, 0);
    a->joint_weight[wrist->v] = a->joint_weight[wrist->v + 1] = on ? HANDSPRING_WRIST : 1;
  }
}

static double handspring_deg(const handspring *f) { return PO_DEG(f->wheel.turner.turning.phase.theta); }

static void handspring_fly(po_move *move) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  po_tumbler *t = &c->turner.body;
  const po_data *d = t->actor->data;
  const po_handspring_params *p = &f->params;
  double deg = handspring_deg(f), over = p->hands_height * t->h, left = po_tumbler_time_to(t, c->line.z + over), v, L, along;
  po_tumble_pose pose = {-0.6, 1.2, -0.5, HANDSPRING_ARCH, 0, -0.05, -0.1, -0.3, 0};
  int k;
  pose.shoulder = po_turner_ramp(deg, HANDSPRING_ARMS_FROM, HANDSPRING_ARMS, 1.8, 3.05);
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
}
static int handspring_falls(const po_move *move) { return po_turner_feet_touch(move) && move->actor->data->com_velocity.z < 0; }

static void handspring_hands_begin(po_move *move) {
  cartwheel *c = &handspring_of(move)->wheel;
  int k;
  for (k = 0; k < 2; k++) c->hand_at[k] = po_cartwheel_middle(c, po_cartwheel_hand(c, k));
}

/* Straight over the hands, then folded. */
static void handspring_pose(handspring *f, int down) {
  po_tumbler *t = &f->wheel.turner.body;
  po_tumble_pose pose = {0, -0.1, -0.6, 0, 3.05, -0.05, -0.1, 0, 0};
  double deg = handspring_deg(f);
  pose.spine = po_turner_ramp(deg, 150, HANDSPRING_FOLD, -0.4, 0.4);
  pose.hip = down ? HANDSPRING_PIKE : po_turner_ramp(deg, HANDSPRING_FOLD - 15, HANDSPRING_FOLD + 15, -0.2, HANDSPRING_PIKE);
  po_tumbler_pose(t, &pose, HANDSPRING_KP, 1, 1);
  t->pose->weight = HANDSPRING_POSE;
  handspring_wrists(f);
  if (down || deg > HANDSPRING_FOLD) po_cartwheel_free_legs(&f->wheel);
}

/* How far the COM is beyond the hands. */
static double handspring_past(const cartwheel *c) { return po_cartwheel_along(c, c->turner.move.actor->data->com) - po_cartwheel_along(c, c->hand_at[0]); }

static void handspring_ask(handspring *f, cartwheel_wish w) {
  cartwheel *c = &f->wheel;
  double deg = handspring_deg(f), h = c->turner.body.h;
  w.hands = PO_BOTH_HANDS;
  w.share = HANDSPRING_SHARE;
  w.plane = CARTWHEEL_PLANE_HANDS;
  w.palms = 1;
  w.momentum = c->momentum;
  w.speed = c->speed;
  w.height = h * (deg < 180 ? po_turner_ramp(deg, 140, 175, f->params.hands_height, HANDSPRING_TOP) : po_turner_ramp(deg, 190, 270, HANDSPRING_TOP, HANDSPRING_LOW));
  po_cartwheel_ask(c, &w);
}

static void handspring_on_hands(po_move *move) {
  handspring *f = handspring_of(move);
  cartwheel_wish w = {.striking = f->wheel.turner.time < HANDSPRING_BLOW * f->wheel.turner.body.beat ? PO_BOTH_HANDS : 0};
  handspring_pose(f, 0);
  handspring_ask(f, w);
}
static int handspring_over(const po_move *move) {
  const cartwheel *c = &handspring_of(move)->wheel;
  return handspring_past(c) > HANDSPRING_OVER * c->turner.body.h;
}

static void handspring_down(po_move *move) {
  handspring *f = handspring_of(move);
  cartwheel *c = &f->wheel;
  po_tumbler *t = &c->turner.body;
  cartwheel_wish w = {.loose = handspring_past(c) > HANDSPRING_LOOSE * t->h ? PO_BOTH_HANDS : 0};
  double at = po_cartwheel_capture(c) - f->params.short_feet * t->h;
  int k;
  handspring_pose(f, 1);
  handspring_ask(f, w);
  t->turn->on = 0; /* the legs make what they need */
  for (k = 0; k < 2; k++) po_cartwheel_lead_foot(c, k, at, k == 0 ? t->stance : -t->stance, HANDSPRING_SWING * t->beat - c->turner.time);
}

/* ---- as a behaviour ---- */

static const po_turner_row handspring_stages[] = {
  [HANDSPRING_STAND] = {"stand", handspring_stand, {{po_turner_waited, HANDSPRING_CROUCH, PO_NEXT_TICK}}, NULL},
  [HANDSPRING_CROUCH] = {"crouch", handspring_take_off, {{po_turner_thrusts, HANDSPRING_THRUST, PO_NEXT_TICK}}, NULL},
  [HANDSPRING_THRUST] = {"thrust", handspring_take_off, {{po_turner_off, HANDSPRING_FLIGHT, PO_AT_ONCE}, {po_turner_stuck, HANDSPRING_LAND, PO_AT_ONCE}}, NULL},
  [HANDSPRING_FLIGHT] = {"flight", handspring_fly, {{po_turner_hands_touch, HANDSPRING_HANDS, PO_AT_ONCE}, {handspring_falls, HANDSPRING_LAND, PO_AT_ONCE}}, handspring_foresee},
  [HANDSPRING_HANDS] = {"hands", handspring_on_hands, {{handspring_over, HANDSPRING_DOWN, PO_NEXT_TICK}}, handspring_hands_begin},
  [HANDSPRING_DOWN] = {"down", handspring_down, {{po_turner_feet_touch, HANDSPRING_LAND, PO_AT_ONCE}}, NULL},
  [HANDSPRING_LAND] = {"land", po_cartwheel_land, {{po_turner_stood, HANDSPRING_DONE, PO_NEXT_TICK}}, po_turner_catch},
  [HANDSPRING_DONE] = {"done", po_cartwheel_land, {{NULL, 0, 0}}, NULL},
};

static po_status handspring_init(po_move *move, po_error *err) {
  const po_handspring_params *p = &handspring_of(move)->params;
  return po_turner_init(move, handspring_stages, &p->wait, &p->takeoff, &p->landing, err);
}

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
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(cartwheel, params) - PO_TURNER_STATE,
  .first = "apex",
  .layout = po_turner_layout,
  .init = handspring_init,
  .attach = po_cartwheel_attach,
  .ready = po_posture_ready,
  .enter = handspring_enter,
  .aim = po_turner_aim,
  .done = po_turner_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};
