/* walk_plan.c: one step at a time: how long, how fast, where to (paper 1, section 6.1, eq. 18), over what, and in what shape. */
#include "walk_internal.h"

/* ---- the pace ---- */

/* Steps as long as people's: 0.63 √v, so that cadence grows as √v, too. Of a step's time a fifth is double support, more when it is slow. */
#define WALK_STRIDE 0.63
#define WALK_SHARED_TIME 0.11 /* at any speed, */
#define WALK_SHARED_SLOW 0.07 /* m/s: and so much over the speed more */
void po_walk_params_pace(po_walk_params *p, double speed, double size) {
  double v = speed / sqrt(size), root = sqrt(po_max(v, 0)), period = WALK_STRIDE / po_max(root, 0.1);
  p->l_step = WALK_STRIDE * root * size;
  p->dT = (WALK_SHARED_TIME + WALK_SHARED_SLOW / po_max(v, 0.1)) * period * sqrt(size);
  p->T = period * sqrt(size) - p->dT;
}

#define WALK_HUMAN_LEG 0.8666 /* m: hip to ankle at rest */
#define WALK_SAME_SIZE 0.02   /* legs that differ by less are the human's */
double po_walk_size(const po_legs *l) {
  double s = 0.5 * (l->reach[0] + l->reach[1]) / WALK_HUMAN_LEG;
  return !(s > 0) || po_abs(s - 1) < WALK_SAME_SIZE ? 1 : s;
}

/* From one foot's line to the other's when `foot` lands: 2 l_foot; who goes to the side opens the feet with one step and closes them with the next. */
double po_walk_spread(const po_walk *w, int foot) {
  double out = foot == 0 ? w->s.plan.l_side : -w->s.plan.l_side;
  return 2 * (w->s.plan.l_foot + po_max(out, 0));
}

/* Speed changes bit by bit. Two steps bring a stroll, as of people: until then a COM over the toes and a centre of pressure at the heel
 * are enough, since ω times the sole's length, 0.8 m/s, is what they give in a step. What is beyond comes slowly. */
#define WALK_FASTER 0.7      /* m/s², in the first steps, */
#define WALK_STROLL 0.9      /* m/s: up to there; */
#define WALK_FASTER_YET 0.15 /* m/s a step beyond, */
#define WALK_SLOWER 0.25     /* and down */
#define WALK_GRIP 0.5        /* friction that all this takes */
#define WALK_DOWN_SPEED 0.5  /* m/s: with care where an edge goes down: a tread of 0.3 m a step, */
#define WALK_QUICK_T 0.5      /* s: on feet as quick as that, as in a start and on slippery ground, with */
#define WALK_QUICK_DT 0.1     /* s of double support: the knee that carries has to hold the body for no longer */
static double walk_grip(const po_walk *w) { return po_min(1, w->move.actor->wbc->opts.mu * w->view.sole[w->s.seen.stance].mu / WALK_GRIP); } /* slippery ground gives less */
static void walk_choose_length(po_walk *w) {
  walk_plan *p = &w->s.plan;
  double period = p->T + p->dT, tempo = w->body.tempo, wish = po_walk_wanted(w) ? w->params.l_step / (w->params.T + w->params.dT) : 0;
  double grip = walk_grip(w), quick = w->s.seen.steps - w->s.started_at < 2 ? WALK_FASTER * period * grip : 0, less = WALK_SLOWER * tempo, longest, fit;
  double more = po_clamp(WALK_STROLL * tempo - po_abs(p->speed), WALK_FASTER_YET * tempo, po_max(quick, WALK_FASTER_YET * tempo));
  if (w->s.line.falls) wish = po_min(wish, WALK_DOWN_SPEED * tempo);
  p->speed += po_clamp(wish - p->speed, p->speed > 0 ? -less : -more, p->speed < 0 ? less : more);
  longest = po_max(po_abs(w->params.l_step), po_abs(p->length)); /* a longer period must not lengthen the step */
  p->length = po_clamp(p->speed * period, -longest, longest);
  fit = po_walk_fit(w, p->length, p->length);
  if (fit != p->length) p->speed = fit / period; /* as fast as edges let it */
  p->length = fit;
}

/* The sway that a centre of pressure within the sole can bring about: halfway through a step it lies l (1 + (π/ωT)²) from between the feet. */
#define WALK_SOLE 0.4 /* share of the sole's width that is counted with */
static double walk_sway(const po_walk *w, double wish) {
  double turns = PO_PI / (w->view.omega * (w->s.plan.T + w->s.plan.dT)), lever = 1 + turns * turns, room = WALK_SOLE * 0.5 * w->body.foot_width;
  return po_clamp(wish, (w->s.plan.l_foot - room) / lever, (w->s.plan.l_foot + room) / lever);
}

/* What is asked for comes bit by bit, at the beginning of each step: a change within a step would leave the foot in the air. */
static const struct { double T, dT, l_foot, l_side, l_hip, l_trunk; } walk_most = {0.06, 0.04, 0.015, 0.04, 0.005, 0.03}; /* s and m a step */
static double walk_ease(double now, double wish, double most) { return now + po_clamp(wish - now, -most, most); }
static void walk_choose_pace(po_walk *w, int from_stand) {
  const po_walk_params *p = &w->params;
  walk_plan *n = &w->s.plan;
  double tempo = w->body.tempo, size = w->body.size;
  int quick = w->s.line.falls || walk_grip(w) < 1 || from_stand || po_walk_starting(w);
  double T = quick ? po_min(p->T, tempo * WALK_QUICK_T) : p->T, dT = quick ? po_min(p->dT, tempo * WALK_QUICK_DT) : p->dT;
  n->T = from_stand ? T : walk_ease(n->T, T, tempo * walk_most.T); /* before the first step nothing is in the air */
  n->dT = from_stand ? dT : walk_ease(n->dT, dT, tempo * walk_most.dT);
  n->l_foot = walk_ease(n->l_foot, p->l_foot, size * walk_most.l_foot);
  n->l_side = walk_ease(n->l_side, po_walk_wanted(w) ? p->l_side : 0, size * walk_most.l_side);
  n->l_hip = walk_sway(w, walk_ease(n->l_hip, p->l_hip, size * walk_most.l_hip));
  n->l_trunk = walk_ease(n->l_trunk, p->l_trunk, size * walk_most.l_trunk);
  walk_choose_length(w);
}

/* ---- the place ---- */

#define WALK_MAX_CORRECTION 0.3  /* m, of a foothold */
#define WALK_NARROWEST 0.4       /* of l_foot: how near to the line of the stance foot a step may go, */
#define WALK_CROSS 0.2           /* m: and how far over it one that lands ahead of its ankle; not among edges, which leave no room */
#define WALK_OVER 0.25           /* of the sole: how far ahead of the new heel the capture point is to be, or the body could not pass over the foot */
#define WALK_PIVOT 0.5           /* of the sole: the centre of pressure that the rest of a step is reckoned with */
#define WALK_LARGE 0.15          /* m: an error of the capture point that is worth a quicker step */
#define WALK_QUICKEST 0.6        /* of T: the shortest swing, */
#define WALK_QUICK 0.3           /* s: and no longer than a leg that hurries needs */
#define WALK_BEYOND 0.03         /* m: a landing that much further from the capture point than usual is a wide one: */
#define WALK_SHRINK 0.6          /* the next one may be as wide times this */

/* The capture point from the stance heel, towards the side of the swinging foot. */
static double walk_inside(const po_walk *w) { return -w->view.side * po_v3_dot(w->view.left, po_v3_sub(w->view.capture, w->view.heel[w->s.seen.stance])); }

/* An error grows as e^{ωt} until touchdown: a large one hurries the step. Returns the growth that is left. */
static double walk_hurry(po_walk *w, double error) {
  double t = w->s.seen.foot_time[1 - w->s.seen.stance], left = w->s.plan.swing_T - t, large = w->body.size * WALK_LARGE;
  double quickest = po_min(WALK_QUICKEST * w->s.plan.T, w->body.tempo * WALK_QUICK) - t;
  if (error * po_exp(w->view.omega * left) > large) left = po_min(left, po_max(po_log(large / error) / w->view.omega, quickest));
  w->s.plan.swing_T = t + left;
  return po_exp(w->view.omega * po_max(left, 0));
}

/* How far beyond the capture point, to the side, a foot lands when all goes as its curve does. */
static double walk_usual(const po_walk *w) {
  double om = w->view.omega, T = w->s.plan.T + w->s.plan.dT, e = po_exp(om * T), a = 0.5 * po_walk_spread(w, w->s.seen.stance), b = 0.5 * po_walk_spread(w, 1 - w->s.seen.stance);
  double sway = a - w->s.plan.l_hip * PO_PI / (om * T), bob = a + (2 * b - a * (e + 1 / e)) / (e - 1 / e);
  return sway + po_walk_aside(w) * (bob - sway);
}

/* From the stance heel to the side: where the feet's lines are, and the error at touchdown. Landing far beyond the capture point makes the next step as wide, and
 * so on for ever: after a wide step the next comes nearer. Outwards as far as the leg goes, inwards until the feet stand in one line, or over it ahead of the other
 * foot: who is pushed towards the foot that he stands on has nowhere else to step. */
static double walk_width(const po_walk *w, double error, double growth, double length) {
  double l = po_walk_spread(w, 1 - w->s.seen.stance), usual = walk_usual(w), out = l + growth * error, size = w->body.size;
  int crosses = length > w->body.ankle_offset && !w->s.plan.edges;
  if (w->s.beyond > usual + size * WALK_BEYOND) out = po_min(out, po_max(l, growth * walk_inside(w) + po_max(usual, WALK_SHRINK * w->s.beyond)));
  return po_clamp(out, crosses ? -size * WALK_CROSS : WALK_NARROWEST * w->s.plan.l_foot, l + size * WALK_MAX_CORRECTION);
}

/* From the stance heel along the way: the next steps have time for what the error grows by. A hurried step is shorter, as the COM goes at its
 * own speed, and no step is longer than the capture point then allows, p + (ξ − p) e^{ωt} with p the pivot. */
static double walk_length(const po_walk *w, double error, double growth) {
  const walk_plan *n = &w->s.plan;
  double hurried = po_min(1, (w->s.curve_time + n->swing_T - w->s.seen.foot_time[1 - w->s.seen.stance]) / (n->T + n->dT));
  double most = w->body.size * WALK_MAX_CORRECTION, length = hurried * n->length + po_clamp(error, -most, most), p = WALK_PIVOT * w->body.foot_length;
  double xi = p + (po_v3_dot(w->view.along, po_v3_sub(w->view.capture, w->view.heel[w->s.seen.stance])) - p) * growth;
  if (!(w->params.footstep_feedback > 0)) return length;
  return n->length < 0 ? po_max(length, xi - (1 - WALK_OVER) * w->body.foot_length) : po_min(length, xi - WALK_OVER * w->body.foot_length);
}

/* The ground below an end of a foot, unless it is nothing that a sole whose other end stands at z could meet. */
#define WALK_STEEP 0.5 /* rise over the sole's length: steeper is a step, which toes hang over */
static double walk_sole_ground(const po_walk *w, po_vec3 at, double z) {
  double height = po_walk_ground(w, at);
  return po_abs(height - z) < WALK_STEEP * w->body.foot_length ? height : z;
}

/* What is between a foot and its place. Ground that rises by an edge is risen to early, one that falls sunk to late; without edges as evenly as the foot goes. */
#define WALK_DROP 0.025       /* m: ground lower by less is no step */
#define WALK_TOES_FIRST 0.5   /* of the drop: how far the heel is still above the ground when the toes land, */
#define WALK_TOES_STEEP 0.6   /* of the foot's length: and at most (37 degrees) */
#define WALK_EARLY 0.02       /* m: on unknown ground a foot aims so much below where the ground should be */
#define WALK_EDGE_OVER 0.02   /* m: so much higher over edges */
static void walk_plan_way(po_walk *w, double length) {
  walk_plan *n = &w->s.plan;
  double x = po_v3_dot(w->view.along, po_v3_sub(n->from, w->view.heel[w->s.seen.stance])), L = w->body.foot_length, rise;
  po_vec3 heel = w->view.heel[w->s.seen.stance];
  n->to.z = n->to_heel = po_walk_ground(w, n->to);
  n->to_toe = walk_sole_ground(w, po_v3_addscaled(n->to, L, w->view.along), n->to_heel);
  if (w->params.known < 0.5) n->to_heel -= WALK_EARLY * w->body.size, n->to_toe -= WALK_EARLY * w->body.size; /* a foot that comes a little early is better than one that is late */
  rise = n->to_heel - n->from_heel;
  n->over = po_walk_over(w, po_min(x, length), po_max(x, length) + L, po_max(n->from_heel, n->from_toe), n->to_toe, &n->edges);
  n->rise_from = n->edges && rise < 0 ? 0.4 : 0;
  n->rise_to = n->edges ? rise < 0 ? 0.95 : 0.5 : 0.93;
  if (n->edges) n->over = WALK_EDGE_OVER * w->body.size; /* risen over early */
  n->drop = n->edges && n->length > 0 ? walk_sole_ground(w, po_v3_addscaled(heel, 0.5 * L, w->view.along), heel.z) - n->to_heel : 0;
  if (n->drop < WALK_DROP * w->body.size) n->drop = 0;
  n->strike = n->drop > 0 ? -po_asin(po_min(WALK_TOES_FIRST * n->drop / L, WALK_TOES_STEEP)) : 0;
}

/* Eq. 18 (with l_foot, not l_hip), from the heel that stays down; corrected by the error of the capture point c + ċ/ω against the curve's. */
void po_walk_plan_place(po_walk *w) {
  const walk_view *s = &w->view;
  double share = w->params.footstep_feedback, y = -s->side * share * po_v3_dot(s->off, s->left), growth = walk_hurry(w, po_abs(y));
  double length = walk_length(w, share * po_v3_dot(s->off, s->along), growth), width = walk_width(w, y, growth, length);
  length = po_walk_fit(w, length, w->s.plan.length);
  w->s.plan.to = po_v3_addscaled(po_v3_addscaled(s->heel[w->s.seen.stance], -s->side * width, s->left), length, s->along);
  walk_plan_way(w, length);
}

/* ---- lifting off and striking ---- */

/* The sole over its own ground: where its heel hangs over an edge, over its toes'. */
static walk_lift walk_lift_of(const po_walk *w, int f, double heel_ground, double toe_ground) {
  const walk_view *s = &w->view;
  walk_lift k;
  double x = po_clamp((s->toe[f].z - toe_ground - s->heel[f].z + heel_ground) / w->body.foot_length, -0.99, 0.99), slope = (toe_ground - heel_ground) / w->body.foot_length;
  double heel = s->heel_v[f].z - slope * po_v3_dot(s->along, s->heel_v[f]), toe = s->toe_v[f].z - slope * po_v3_dot(s->along, s->toe_v[f]);
  k.pitch = po_asin(x);
  k.rate = (toe - heel) / (w->body.foot_length * sqrt(1 - x * x));
  k.heel = po_max(s->heel[f].z - heel_ground, 0);
  k.rise = heel;
  return k;
}

void po_walk_plan_lift(po_walk *w, int f) {
  walk_plan *n = &w->s.plan;
  n->swing_T = n->T;
  n->from = w->view.heel[f];
  n->from_toe = po_walk_ground(w, w->view.toe[f]);
  n->from_heel = walk_sole_ground(w, w->view.heel[f], n->from_toe);
  n->lift = walk_lift_of(w, f, n->from_heel, n->from_toe);
}

/* ---- the hips' height when a foot strikes ---- */

#define WALK_HEEL_LIFT PO_RAD(8.0)  /* how far a heel behind the body has risen when the other foot strikes: what its leg gains by standing on its toes. 20 are never reached uphill */
#define WALK_TOE_UP PO_RAD(12.0)    /* the sole's pitch when its heel strikes: the ankle is higher for it */
#define WALK_DOWN_BEND PO_RAD(15.0) /* more bend of a knee that lands down an edge than at rest: what is left for the landing to be taken up with */

double po_walk_leg(const po_walk *w, int f, double bend) {
  const po_legs *l = &w->move.actor->legs;
  double a = l->thigh_length[f], b = l->shank_length[f], s, c;
  po_sincos(&s, &c, w->body.rest_bend[f] + bend);
  return sqrt(a * a + b * b + 2 * a * b * c);
}

static double walk_upright(double leg, double across) { return sqrt(po_max(leg * leg - across * across, 0.25 * leg * leg)); }

/* The leg ahead is straight, the one behind stands on its toes. How far the hips are ahead of the COM then is what it was at the last strike: now, with a leg that
 * swings, it is something else, and the height would run away from its own rate. */
double po_walk_hips_at_strike(const po_walk *w, int ahead, double ground_ahead, double ground_behind) {
  const walk_plan *n = &w->s.plan;
  double s, c, x = w->body.ankle_offset - n->strike_x - n->hips_ahead, y = n->length - x, lead, trail;
  if (n->drop > 0) {
    po_sincos(&s, &c, -n->strike);
    return ground_ahead + w->body.ankle_height[ahead] + s * (w->body.foot_length - w->body.ankle_offset) + walk_upright(po_walk_leg(w, ahead, WALK_DOWN_BEND), x);
  }
  po_sincos(&s, &c, WALK_TOE_UP);
  lead = ground_ahead + w->body.ankle_height[ahead] + s * w->body.ankle_offset + walk_upright(po_walk_leg(w, ahead, 0.5 * PO_RAD(w->params.knee_deg)), x);
  po_sincos(&s, &c, n->length < 0 ? 0 : WALK_HEEL_LIFT);
  trail = ground_behind + w->body.ankle_height[1 - ahead] + s * (w->body.foot_length - w->body.ankle_offset) + walk_upright(po_walk_leg(w, 1 - ahead, 0), y - (1 - c) * w->body.foot_length);
  return po_min(lead, trail);
}

/* ---- the step ---- */

/* At a strike (the stance foot is the one that struck), or from a stand. */
void po_walk_plan_step(po_walk *w, int from_stand) {
  walk_plan *n = &w->s.plan;
  int f = w->s.seen.stance;
  if (!from_stand) {
    double heel = po_walk_ground(w, w->view.heel[f]);
    n->came_down = n->drop > 0;
    n->strike_lift = walk_lift_of(w, f, heel, walk_sole_ground(w, w->view.toe[f], heel));
    n->hips_ahead = w->view.hips_ahead;
    n->hips_from = po_walk_hips_at_strike(w, f, w->view.heel[f].z, w->view.heel[1 - f].z);
    w->s.beyond = walk_inside(w);
    n->calm = !(w->s.seen.unrest > 0);
    po_walk_turn(w);
  }
  po_walk_look(w);
  walk_choose_pace(w, from_stand);
  n->to = po_v3_addscaled(po_v3_addscaled(w->view.heel[f], n->length, w->view.along), -w->view.side * po_walk_spread(w, 1 - f), w->view.left);
  n->from = w->view.heel[1 - f];
  n->from_heel = n->from_toe = n->from.z;
  walk_plan_way(w, n->length);
}
