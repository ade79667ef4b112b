/* cartwheel.c: the cartwheel (Al Borno et al. 2014, section 5.1), to either side.
 *
 *   stand → (hop →) tip → reach → hands → down → land → done
 *
 *   tip      both feet: the COM gains speed along the travel; the second foot leaves when the COM is over the first
 *   reach    on the first foot: the trunk goes down, the first hand comes to the ground, then the second; the foot pushes until its leg is straight
 *   hands    over the hands, legs apart; the first hand leaves when the COM is over the second
 *   down     the second foot comes down where the capture point will be, the trunk rises over it, the first foot comes down
 *   land     as after a flip
 *
 * References go by the phase angle; stages by the phase and by what touches the ground. No stage goes by a clock.
 */
#include "cartwheel.h"
#include <string.h>

const po_param po_cartwheel_param[] = {
  PO_PARAM(po_cartwheel_params, right, 0, 0, 1, "", "1: to the right"),
  PO_PARAM(po_cartwheel_params, nu, 1, 0.5, 1.5, "", "speed, share of the nominal one"),
  PO_PARAM(po_cartwheel_params, straddle_deg, 90, 0, 130, "deg", "angle between the legs, upside down"),
  PO_PARAM(po_cartwheel_params, hand_distance, 0.5, 0.3, 0.8, "m", "between the hands on the ground"),
  PO_PARAM(po_cartwheel_params, stance, 0.5, 0.2, 0.9, "m", "between the feet at the start and at the end"),
  PO_PARAM(po_cartwheel_params, nominal_rate_deg, 128, 60, 250, "deg/s", "mean rate from 60 to 300 degrees that nu = 1 stands for"),
  PO_PARAM(po_cartwheel_params, wait, 0.5, 0, 60, "s", "standing, arms going up, before it begins"),
  PO_PARAM(po_cartwheel_params, phase_by, 0, 0, 3, "", "what measures the phase: 0 trunk, 1 average, 2 pelvis, 3 time"),
  PO_PARAM(po_cartwheel_params, turn, 0.16, 0.05, 0.5, "", "angular momentum at nu = 1, in m h sqrt(g h)"),
  PO_PARAM(po_cartwheel_params, travel, 0.42, 0.1, 1, "", "speed along at nu = 1, in sqrt(g h)"),
  PO_PARAM(po_cartwheel_params, dip, 0.75, 0.5, 1, "", "COM height as the first hand comes down, share of standing"),
  PO_PARAM(po_cartwheel_params, down, 0.93, 0.5, 1, "", "COM height as the first foot comes down, share of standing"),
  PO_PARAM(po_cartwheel_params, top, 0.93, 0.5, 1.1, "", "COM height over the hands, share of standing"),
  PO_PARAM(po_cartwheel_params, reach, 0.8, 0.4, 1.2, "", "first hand from the first foot, in standing heights; hands that are far apart a little nearer"),
  PO_PARAM(po_cartwheel_params, short_of, 0.25, 0, 0.5, "", "the foot comes down so far short of the capture point as it is after the blow, in standing heights"),
  PO_PARAM(po_cartwheel_params, bend, 0.5, 0, 1, "rad", "of the spine to the side, going down and coming up"),
  PO_LANDING_ROWS(po_cartwheel_params, landing),
};
const int po_cartwheel_param_count = (int)(sizeof po_cartwheel_param / sizeof po_cartwheel_param[0]);

enum { CARTWHEEL_STAND, CARTWHEEL_HOP, CARTWHEEL_TIP, CARTWHEEL_REACH, CARTWHEEL_HANDS, CARTWHEEL_DOWN, CARTWHEEL_LAND, CARTWHEEL_DONE };

/* Phase angles, deg. */
#define CARTWHEEL_HAND_FROM 30.0   /* the first hand goes down from here */
#define CARTWHEEL_HAND 105.0       /* and is there */
#define CARTWHEEL_SECOND_FROM 60.0
#define CARTWHEEL_SECOND 145.0
#define CARTWHEEL_PUSHED 130.0     /* on both hands the foot no longer pushes beyond */
#define CARTWHEEL_CRAWL 177.0      /* slow ones crawl up to here */
#define CARTWHEEL_OVER 185.0       /* before it no hand leaves */
#define CARTWHEEL_FOOT_FROM 210.0  /* the foot goes down from here */
#define CARTWHEEL_FOOT 240.0
#define CARTWHEEL_OFF 275.0        /* both hands are off */
#define CARTWHEEL_LAST 315.0       /* the last foot is down */
#define CARTWHEEL_UP 355.0         /* it is up, whatever touches */
#define CARTWHEEL_TIPPED 45.0      /* the second foot leaves, wherever the COM is */
#define CARTWHEEL_SLOWEST 0.256    /* rad per beat: times to come are not counted at lower rates */

#define CARTWHEEL_NARROW 0.06      /* standing heights: feet that stand so much closer than asked for hop apart */
#define CARTWHEEL_STANDING 0.95    /* of the zero pose's height, as in balance */
#define CARTWHEEL_EASE 0.94        /* beats in which speed and momentum are come to */
#define CARTWHEEL_TIP_TURN 0.3     /* of the momentum while both feet are down */
#define CARTWHEEL_TIP_SHARE 0.1    /* tipping, speed comes first; */
#define CARTWHEEL_SHARE 0.7        /* from then on momentum */
#define CARTWHEEL_RISE_SHARE 0.5
#define CARTWHEEL_TIP_AT 0.02      /* standing heights: so far before the first foot the second leaves */
#define CARTWHEEL_TURN_OVER 0.3    /* standing heights beyond the first foot over which the momentum grows */
#define CARTWHEEL_STRAIGHT 0.99    /* of the leg's length: it has pushed */
#define CARTWHEEL_STRETCHED 0.985  /* of the arm's length: it cannot stay */
#define CARTWHEEL_GETS_OVER 0.1    /* standing heights beyond the second hand: who would not come so far does not leave the first */
#define CARTWHEEL_HAND_OVER 0.05   /* standing heights before the second hand at which the first leaves */
#define CARTWHEEL_CARRY 10.0       /* weight of speed and height then */
#define CARTWHEEL_LET_GO 0.2       /* standing heights: the second hand leaves when the foot is so near the ground */

#define CARTWHEEL_WIDE 0.55        /* m: of hands further apart the first comes down as much nearer to the foot, that the COM gets over the second, */
#define CARTWHEEL_NEARER 0.075     /* standing heights: by no more than this, as trunks bend no further */
#define CARTWHEEL_NEAREST 0.3      /* standing heights from the second hand: the foot comes down no nearer, */
#define CARTWHEEL_FARTHEST 0.8     /* no further */
#define CARTWHEEL_BEYOND 0.1       /* standing heights: the last foot comes down so far beyond the capture point, */
#define CARTWHEEL_WIDEST 0.8       /* no further than this from the one that is down */
#define CARTWHEEL_RAISED 3.0       /* rad: arms, going down; */
#define CARTWHEEL_OVERHEAD 3.05    /* on the hands; */
#define CARTWHEEL_LOWERED 2.5      /* coming up */
#define CARTWHEEL_HEEL_AHEAD 0.09  /* standing heights: heels of the hands before the line, so that the palms' middles lie on it */
#define CARTWHEEL_ROLL 0.22         /* rad: a third of the wrist's range to the side */
#define CARTWHEEL_KP 150.0         /* 1/s², of the pose */
#define CARTWHEEL_STAND_KP 60.0
/* Entering it needs a speed whatever nu says; below this nu it is slowed down on the hands, above 1 part of the speed is left out. */
#define CARTWHEEL_SLOW 0.75
#define CARTWHEEL_FAST 0.5
#define CARTWHEEL_FASTEST 1.5
/* standing heights: the fastest turns so much later beyond its foot, and comes down on the other so much shorter of the capture point */
#define CARTWHEEL_LATER 0.12

static cartwheel *cartwheel_of(const po_move *move) { return (cartwheel *)po_turner_of(move); }

/* How much of a fast one it is: 0 at nu = 1 and below, 1 at the fastest. */
static double cartwheel_haste(const cartwheel *c) { return po_turner_ramp(c->params.nu, 1, CARTWHEEL_FASTEST, 0, 1); }

/* Where it goes: to the left or right of where the body faces, along a line between the feet. */
static void cartwheel_face(cartwheel *c) {
  const po_tumbler *t = &c->turner.body;
  double out = c->side[0] == 0 ? 1 : -1;
  c->ahead = c->toes = po_tumbler_ahead(t);
  c->travel = po_v3_scale(out, po_tumbler_left(t));
  c->line = po_patches_centroid(&t->actor->patches, t->actor->data, PO_BOTH_FEET);
  po_turner_begin_about(&c->turner, po_v3_scale(-out, c->ahead), c->params.phase_by);
  c->turner.turning.momentum_wanted = c->momentum;
  c->turner.turning.theta_planned = 2 * PO_PI;
}

static void cartwheel_enter(po_move *move, const po_move *from) {
  cartwheel *c = cartwheel_of(move);
  const po_tumbler *t = &c->turner.body;
  const po_cartwheel_params *p = &c->params;
  (void)from;
  c->side[0] = p->right > 0.5 ? 1 : 0;
  c->side[1] = 1 - c->side[0];
  c->roll[0] = c->roll[1] = CARTWHEEL_ROLL;
  c->fingers = 2;
  c->speed = (p->nu > 1 ? 1 + CARTWHEEL_FAST * (p->nu - 1) : po_max(p->nu, CARTWHEEL_SLOW)) * p->travel * t->fast;
  c->momentum = po_clamp(p->nu, CARTWHEEL_SLOW, 1) * p->turn * t->mass * t->h * t->fast;
  cartwheel_face(c);
  po_tumbler_feel_begin(&c->turner.body);
}

/* Seconds until the phase is there, at its present rate. */
static double cartwheel_until(const cartwheel *c, double deg, double goal) {
  return PO_RAD(goal - deg) / po_max(c->turner.turning.phase.rate, CARTWHEEL_SLOWEST / c->turner.body.beat);
}

static double cartwheel_deg(const cartwheel *c) { return PO_DEG(c->turner.turning.phase.theta); }

/* Height of the COM that goes with the phase; down: on the second foot. */
static double cartwheel_height(const cartwheel *c, double deg, int down) {
  const po_cartwheel_params *p = &c->params;
  double h = c->turner.body.h, back = 360 - deg;
  if (deg > 180) {
    if (back < 360 - CARTWHEEL_FOOT && down) return h * po_turner_ramp(deg, CARTWHEEL_FOOT, 350, p->down, CARTWHEEL_STANDING);
    return h * po_turner_ramp(back, CARTWHEEL_HAND, 170, p->down, p->top);
  }
  if (deg < CARTWHEEL_HAND) return h * po_turner_ramp(deg, 0, CARTWHEEL_HAND, CARTWHEEL_STANDING, p->dip);
  return h * po_turner_ramp(deg, CARTWHEEL_HAND, 170, p->dip, p->top);
}

/* ---- hands ---- */

/* Distance between two bodies over the length of the chain a, b, c of bodies. */
static double cartwheel_stretch(const po_data *d, int a, int b, int c) {
  double length;
  if (a < 0 || b < 0 || c < 0) return 0;
  length = po_v3_norm(po_v3_sub(d->pose[b].p, d->pose[a].p)) + po_v3_norm(po_v3_sub(d->pose[c].p, d->pose[b].p));
  return po_v3_norm(po_v3_sub(d->pose[c].p, d->pose[a].p)) / length;
}

/* Hands that have come down carry, each after the other. */
static unsigned cartwheel_hands(cartwheel *c) {
  unsigned set = 0;
  int k;
  for (k = 0; k < 2; k++) {
    int hand = po_cartwheel_hand(c, k);
    if (c->limb[k] == CARTWHEEL_WAITS && (k == 0 || c->limb[0] != CARTWHEEL_WAITS) && po_cartwheel_touches(c, hand)) {
      c->limb[k] = CARTWHEEL_HOLDS;
      c->hand_at[k] = po_cartwheel_middle(c, hand);
    }
    if (c->limb[k] == CARTWHEEL_HOLDS) set |= PO_PATCH_BIT(hand);
  }
  return set;
}

static void cartwheel_second_hand(cartwheel *c, double deg) {
  if (c->limb[0] != CARTWHEEL_WAITS && c->limb[1] == CARTWHEEL_WAITS)
    po_cartwheel_reach(c, 1, po_cartwheel_along(c, c->hand_at[0]) + c->params.hand_distance, CARTWHEEL_HEEL_AHEAD * c->turner.body.h + po_cartwheel_astray(c), cartwheel_until(c, deg, CARTWHEEL_SECOND));
}

/* ---- stages ---- */

static void cartwheel_stand(po_move *move) {
  cartwheel *c = cartwheel_of(move);
  po_tumbler *t = &c->turner.body;
  cartwheel_pose pose = {0, {0, 0}, 0, 0};
  int f;
  if (move->time > 0) po_tumbler_feel(t, c->turner.sense->dt);
  po_cartwheel_release(c);
  po_takeoff_stand(t, CARTWHEEL_STANDING * t->h);
  pose.raise = CARTWHEEL_RAISED * po_clamp(c->turner.time / po_max(c->params.wait, t->beat), 0, 1);
  po_cartwheel_set_pose(c, &pose, CARTWHEEL_STAND_KP);
  t->pose->weight = 1;
  for (f = 0; f < 2; f++) po_tumbler_limb(t, t->actor->joint_weight, t->actor->legs.thigh[f], 0.01); /* legs are for standing */
}
static int cartwheel_narrow(const po_move *move) {
  const cartwheel *c = cartwheel_of(move);
  return po_turner_waited(move) && !c->hopped && po_cartwheel_width(c) < c->params.stance - CARTWHEEL_NARROW * c->turner.body.h;
}

/* Too narrow: it hops apart, and stands again. */
static void cartwheel_hop_begin(po_move *move) {
  cartwheel_of(move)->hopped = 1;
  po_cartwheel_hop_begin(cartwheel_of(move));
}
static void cartwheel_hop(po_move *move) {
  po_cartwheel_release(cartwheel_of(move));
  po_cartwheel_hop(cartwheel_of(move));
}
static int cartwheel_hopped(const po_move *move) { return po_cartwheel_hopped(cartwheel_of(move)); }
static void cartwheel_stand_again(po_move *move) {
  cartwheel_face(cartwheel_of(move)); /* hops turn by some 10 degrees */
  memset(&po_turner_of(move)->landing, 0, sizeof(po_landing));
}

static void cartwheel_begin(po_move *move) {
  const po_cartwheel_params *p = &cartwheel_of(move)->params;
  po_turner_by_clock(po_turner_of(move), p->phase_by, PO_RAD(p->nu * p->nominal_rate_deg), 1);
}

static int cartwheel_tipped(const po_move *move) {
  const cartwheel *c = cartwheel_of(move);
  double at = po_cartwheel_along(c, po_cartwheel_middle(c, po_cartwheel_foot(c, 0)));
  return po_cartwheel_along(c, move->actor->data->com) > at - CARTWHEEL_TIP_AT * c->turner.body.h || cartwheel_deg(c) > CARTWHEEL_TIPPED;
}

/* On both feet, then on the first, which pushes. */
static void cartwheel_on_feet(po_move *move) {
  cartwheel *c = cartwheel_of(move);
  const po_cartwheel_params *p = &c->params;
  const po_tumbler *t = &c->turner.body;
  const po_data *d = t->actor->data;
  int foot = po_cartwheel_foot(c, 0), tipping = c->turner.stage == CARTWHEEL_TIP && !cartwheel_tipped(move);
  double deg = cartwheel_deg(c);
  double x = po_cartwheel_along(c, d->com), at = po_cartwheel_along(c, po_cartwheel_middle(c, foot)), ease = po_clamp(c->turner.time / (CARTWHEEL_EASE * t->beat), 0, 1);
  double haste = cartwheel_haste(c), over = (CARTWHEEL_TURN_OVER + CARTWHEEL_LATER * haste) * t->h, upright = haste * po_turner_ramp(x - at, 0, over, 1, 0);
  cartwheel_pose pose = {0, {1.2, 0}, -0.1, CARTWHEEL_RAISED};
  cartwheel_wish w = {.share = CARTWHEEL_SHARE, .plane = CARTWHEEL_PLANE, .palms = 1};
  w.feet = tipping ? PO_BOTH_FEET : PO_PATCH_BIT(foot);
  w.hands = tipping ? 0 : cartwheel_hands(c);
  w.rolling = !tipping;
  w.momentum = c->momentum * (tipping ? CARTWHEEL_TIP_TURN * ease : w.hands ? 1 : po_turner_ramp(x - at, 0, over, CARTWHEEL_TIP_TURN, 1));
  w.speed = ease * c->speed;
  w.height = cartwheel_height(c, deg, 0);
  if (tipping) {
    w.share = CARTWHEEL_TIP_SHARE;
    pose.hip[0] = 0.2;
  }
  pose.side = (tipping ? CARTWHEEL_TIP_TURN : 1) * po_turner_ramp(deg, 5, 60, 0, p->bend);
  if (!tipping && !w.hands) { /* a trunk that goes down before the COM has gone on waits for it on the first hand */
    pose.side *= 1 - upright;
    pose.hip[0] -= upright;
  }
  pose.hip[1] = po_turner_ramp(deg, 20, 150, 0.1, PO_RAD(0.5 * p->straddle_deg));
  po_cartwheel_set_pose(c, &pose, CARTWHEEL_KP);
  po_cartwheel_ask(c, &w);
  if (deg > CARTWHEEL_HAND_FROM && c->limb[0] == CARTWHEEL_WAITS) {
    double first = at + p->reach * t->h - po_clamp(p->hand_distance - CARTWHEEL_WIDE, 0, CARTWHEEL_NEARER * t->h);
    po_cartwheel_reach(c, 0, first, CARTWHEEL_HEEL_AHEAD * t->h + po_cartwheel_astray(c), cartwheel_until(c, deg, CARTWHEEL_HAND));
  }
  if (deg > CARTWHEEL_SECOND_FROM) cartwheel_second_hand(c, deg);
}
static int cartwheel_pushed(const po_move *move) {
  const cartwheel *c = cartwheel_of(move);
  const po_legs *l = &move->actor->legs;
  int f = c->side[0];
  if (c->limb[0] == CARTWHEEL_WAITS) return 0;
  return !po_cartwheel_touches(c, po_cartwheel_foot(c, 0)) || cartwheel_stretch(move->actor->data, l->thigh[f], l->shank[f], l->foot[f]) > CARTWHEEL_STRAIGHT ||
         (c->limb[1] != CARTWHEEL_WAITS && cartwheel_deg(c) > CARTWHEEL_PUSHED);
}

/* The first hand leaves when the COM has come to the second, or when its arm is too short. */
static void cartwheel_leave_hand(cartwheel *c, double deg) {
  const po_tumbler *t = &c->turner.body;
  const po_legs *l = &t->actor->legs;
  int f = c->side[0];
  if (c->limb[0] != CARTWHEEL_HOLDS || c->limb[1] != CARTWHEEL_HOLDS || deg < CARTWHEEL_OVER) return;
  if (po_cartwheel_capture(c) < po_cartwheel_along(c, c->hand_at[1]) + CARTWHEEL_GETS_OVER * t->h) return;
  if (po_cartwheel_along(c, t->actor->data->com) > po_cartwheel_along(c, c->hand_at[1]) - CARTWHEEL_HAND_OVER * t->h ||
      cartwheel_stretch(t->actor->data, l->upper_arm[f], l->forearm[f], t->actor->patches.patch[PO_HAND_L + f].body) > CARTWHEEL_STRETCHED)
    c->limb[0] = CARTWHEEL_LEFT;
}

static void cartwheel_on_hands(po_move *move) {
  cartwheel *c = cartwheel_of(move);
  const po_cartwheel_params *p = &c->params;
  const po_tumbler *t = &c->turner.body;
  double deg = cartwheel_deg(c), half = PO_RAD(0.5 * p->straddle_deg), crawl = 1, hand, shorter = (p->short_of + CARTWHEEL_LATER * cartwheel_haste(c)) * t->h;
  cartwheel_pose pose = {0, {0, 0}, -0.1, CARTWHEEL_OVERHEAD};
  cartwheel_wish w = {.share = CARTWHEEL_SHARE, .plane = CARTWHEEL_PLANE_HANDS, .palms = 1, .rolling = 1};
  cartwheel_leave_hand(c, deg);
  w.hands = cartwheel_hands(c);
  if (c->limb[0] == CARTWHEEL_HOLDS && c->limb[1] == CARTWHEEL_HOLDS && p->nu < CARTWHEEL_SLOW && deg < CARTWHEEL_CRAWL) crawl = p->nu / CARTWHEEL_SLOW;
  crawl *= crawl * crawl; /* all the time that is to be lost is lost here */
  w.momentum = crawl * c->momentum;
  w.speed = crawl * c->speed;
  w.height = cartwheel_height(c, deg, 0);
  pose.side = po_turner_ramp(deg, 150, 210, 0.3, -0.3) * p->bend;
  pose.hip[0] = po_turner_ramp(deg, CARTWHEEL_FOOT_FROM, 340, half, 0.1);
  pose.hip[1] = po_turner_ramp(deg, CARTWHEEL_FOOT_FROM - 5, CARTWHEEL_FOOT - 5, half, 1.2);
  po_cartwheel_set_pose(c, &pose, CARTWHEEL_KP);
  po_cartwheel_free_legs(c);
  if (c->limb[1] == CARTWHEEL_LEFT) {
    po_cartwheel_fly(c);
    po_cartwheel_lift(c, 1);
  } else po_cartwheel_ask(c, &w);
  cartwheel_second_hand(c, deg);
  if (deg < CARTWHEEL_FOOT_FROM) return;
  hand = po_cartwheel_along(c, c->hand_at[1]);
  po_cartwheel_lead_foot(c, 1, po_clamp(po_cartwheel_foothold(c, shorter), hand + CARTWHEEL_NEAREST * t->h, hand + CARTWHEEL_FARTHEST * t->h), po_cartwheel_astray(c),
                      cartwheel_until(c, deg, CARTWHEEL_FOOT));
  t->com->weight = t->height->weight = CARTWHEEL_CARRY; /* the leg that swings down does not pull the body with it */
  if (c->limb[0] == CARTWHEEL_LEFT && po_cartwheel_middle(c, po_cartwheel_foot(c, 1)).z - c->line.z < CARTWHEEL_LET_GO * t->h) c->limb[1] = CARTWHEEL_LEFT;
}
static int cartwheel_comes_down(const po_move *move) {
  const cartwheel *c = cartwheel_of(move);
  return !(cartwheel_deg(c) < CARTWHEEL_FOOT_FROM) && po_cartwheel_touches(c, po_cartwheel_foot(c, 1));
}

static void cartwheel_down_begin(po_move *move) { po_cartwheel_keep_to(cartwheel_of(move), po_cartwheel_foot(cartwheel_of(move), 1)); }

/* Over the second foot, as fast as it takes for the capture point to be between the feet. */
static void cartwheel_down(po_move *move) {
  cartwheel *c = cartwheel_of(move);
  const po_cartwheel_params *p = &c->params;
  const po_tumbler *t = &c->turner.body;
  int foot = po_cartwheel_foot(c, 1);
  double deg = cartwheel_deg(c), at = po_cartwheel_along(c, po_cartwheel_middle(c, foot));
  double now = po_v3_dot(c->travel, t->actor->data->com_velocity);
  cartwheel_pose pose = {0, {0.1, 0}, -0.1, CARTWHEEL_LOWERED};
  cartwheel_wish w = {.share = CARTWHEEL_RISE_SHARE, .plane = CARTWHEEL_PLANE, .rolling = 1};
  c->limb[1] = CARTWHEEL_LEFT;
  w.feet = PO_PATCH_BIT(foot);
  w.momentum = c->momentum * po_turner_ramp(deg, 290, 350, 1, 0.1);
  w.speed = po_clamp(now + po_pendulum_over(move->actor, c->line.z, 0.5 * t->h).w * (at + 0.5 * p->stance - po_cartwheel_capture(c)), 0, c->speed);
  w.height = cartwheel_height(c, deg, 1);
  pose.side = -po_turner_ramp(deg, 280, 350, p->bend, 0);
  pose.hip[1] = po_turner_ramp(deg, 260, 350, 1.2, 0.2);
  po_cartwheel_set_pose(c, &pose, CARTWHEEL_KP);
  po_cartwheel_ask(c, &w);
  po_cartwheel_lift(c, 1);
  if (deg > CARTWHEEL_OFF) po_cartwheel_lead_foot(c, 0, po_clamp(po_cartwheel_capture(c) + CARTWHEEL_BEYOND * t->h, at + p->stance, at + CARTWHEEL_WIDEST * t->h), po_cartwheel_astray(c), cartwheel_until(c, deg, CARTWHEEL_LAST));
}
static int cartwheel_up(const po_move *move) {
  const cartwheel *c = cartwheel_of(move);
  return po_cartwheel_touches(c, po_cartwheel_foot(c, 0)) || cartwheel_deg(c) > CARTWHEEL_UP;
}

/* ---- as a behaviour ---- */

static const po_turner_row cartwheel_stages[] = {
  [CARTWHEEL_STAND] = {"stand", cartwheel_stand, {{cartwheel_narrow, CARTWHEEL_HOP, PO_NEXT_TICK}, {po_turner_waited, CARTWHEEL_TIP, PO_NEXT_TICK}}, cartwheel_stand_again},
  [CARTWHEEL_HOP] = {"hop", cartwheel_hop, {{cartwheel_hopped, CARTWHEEL_STAND, PO_NEXT_TICK}}, cartwheel_hop_begin},
  [CARTWHEEL_TIP] = {"tip", cartwheel_on_feet, {{cartwheel_tipped, CARTWHEEL_REACH, PO_NEXT_TICK}}, cartwheel_begin},
  [CARTWHEEL_REACH] = {"reach", cartwheel_on_feet, {{cartwheel_pushed, CARTWHEEL_HANDS, PO_AT_ONCE}}, NULL},
  [CARTWHEEL_HANDS] = {"hands", cartwheel_on_hands, {{cartwheel_comes_down, CARTWHEEL_DOWN, PO_AT_ONCE}}, NULL},
  [CARTWHEEL_DOWN] = {"down", cartwheel_down, {{cartwheel_up, CARTWHEEL_LAND, PO_AT_ONCE}}, cartwheel_down_begin},
  [CARTWHEEL_LAND] = {"land", po_cartwheel_land, {{po_turner_stood, CARTWHEEL_DONE, PO_NEXT_TICK}}, NULL},
  [CARTWHEEL_DONE] = {"done", po_cartwheel_land, {{NULL, 0, 0}}, NULL},
};

static po_status cartwheel_init(po_move *move, po_error *err) {
  return po_turner_init(move, cartwheel_stages, &cartwheel_of(move)->params.wait, NULL, &cartwheel_of(move)->params.landing, err);
}

const po_move_type po_cartwheel_type = {
  .name = "cartwheel",
  .summary = "a wheel to the side, over the hands",
  .needs = PO_NEEDS_FEET | PO_NEEDS_HANDS | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(cartwheel),
  .params_at = offsetof(cartwheel, params),
  .params_bytes = sizeof(po_cartwheel_params),
  .param = po_cartwheel_param,
  .param_count = &po_cartwheel_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(cartwheel, params) - PO_TURNER_STATE,
  .first = "nu",
  .layout = po_turner_layout,
  .init = cartwheel_init,
  .attach = po_cartwheel_attach,
  .ready = po_posture_ready,
  .enter = cartwheel_enter,
  .aim = po_turner_aim,
  .done = po_turner_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};
