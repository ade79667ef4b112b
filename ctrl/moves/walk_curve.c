/* walk_curve.c: the COM's way over a step (paper 1, eqs. 19-20, with physics in place of even motion along the way).
 *
 * Along the way the COM is a pendulum's bob, ẍ = ω² (x − p), over a centre of pressure p that rolls: in double support from the foot behind to the heel ahead, then
 * from heel to toe. p is two straight lines in time, and over each of them x − p = u goes as  u cosh ωt + (v − ṗ)/ω sinh ωt.  Where the COM is when a foot
 * strikes is what repeats itself from step to step; the velocity is what brings it from where it is to there. To the side the COM sways as in the paper.
 */
#include "walk_internal.h"

#define WALK_CURVE_END 1.2       /* of the step's time: a late step's curve goes on to there and then waits */
#define WALK_PRESS_LAND 0.15     /* of the sole: where the centre of pressure is once the foot carries, */
#define WALK_PRESS_BALL 0.7      /* and of who walks backwards, who lands on the ball; */
#define WALK_ON_TOES 0.5         /* of dT: so long before the other foot strikes the centre of pressure has come to the toes */
#define WALK_SHARED 0.2          /* of the step: most that the centre of pressure takes from foot to foot, however long both stand */

typedef struct walk_roll { double omega, until, toe, T, p[3]; } walk_roll; /* p at 0, at `until`, and from `toe` to T */
typedef struct walk_bob { double x, v, a; } walk_bob;

/* After `t` of a line from p by rate m. */
static walk_bob walk_swing_over(walk_bob b, double om, double p, double m, double t) {
  double e = po_exp(om * t), ch = 0.5 * (e + 1 / e), sh = 0.5 * (e - 1 / e), u = b.x - p, v = b.v - m;
  walk_bob r;
  r.x = p + m * t + u * ch + v * sh / om;
  r.v = m + u * om * sh + v * ch;
  r.a = om * om * (r.x - p - m * t);
  return r;
}

static walk_bob walk_bob_at(const walk_roll *k, walk_bob b, double t) {
  double first = po_min(t, k->until), second = po_min(t, k->toe) - k->until, third = po_min(t, WALK_CURVE_END * k->T) - k->toe;
  b = walk_swing_over(b, k->omega, k->p[0], k->until > 0 ? (k->p[1] - k->p[0]) / k->until : 0, first);
  if (second > 0) b = walk_swing_over(b, k->omega, k->p[1], (k->p[2] - k->p[1]) / (k->toe - k->until), second);
  return third > 0 ? walk_swing_over(b, k->omega, k->p[2], 0, third) : b;
}

/* The velocity at the beginning that brings it from x0 to x1 in time. */
static double walk_bob_start(const walk_roll *k, double x0, double x1) {
  walk_bob still = {0, 0, 0}, a, b;
  still.x = x0;
  a = walk_bob_at(k, still, k->T);
  still.v = 1;
  b = walk_bob_at(k, still, k->T);
  return (x1 - a.x) / (b.x - a.x);
}

/* From the heel: the place from which the COM comes to the same place of the next step, with the same velocity. The end is linear in where and how fast
 * it begins:  x(T) = x0 + step  and  v(T) = v0  are two equations. */
static double walk_bob_repeats(const walk_roll *k, double step) {
  walk_bob o = {0, 0, 0}, x = {1, 0, 0}, v = {0, 1, 0};
  double a, b, c, d, e, f;
  o = walk_bob_at(k, o, k->T);
  x = walk_bob_at(k, x, k->T);
  v = walk_bob_at(k, v, k->T);
  a = x.x - o.x - 1; /* a x0 + b v0 = e,  c x0 + d v0 = f */
  b = v.x - o.x;
  c = x.v - o.v;
  d = v.v - o.v - 1;
  e = step - o.x;
  f = -o.v;
  return (e * d - b * f) / (a * d - b * c);
}

/* From the heel: where the centre of pressure is once the foot carries, and when the other one strikes. Backwards it rolls from the ball to the heel. */
static double walk_press_land(const po_walk *w) { return w->s.plan.length < 0 ? WALK_PRESS_BALL * w->body.farthest : WALK_PRESS_LAND * w->body.foot_length; }
static double walk_press_leave(const po_walk *w) { return w->s.plan.length < 0 ? WALK_PRESS_LAND * w->body.foot_length : w->body.farthest; }

static walk_roll walk_roll_of(const po_walk *w, double from) {
  walk_roll k;
  k.omega = w->view.omega;
  k.T = w->s.plan.curve_T;
  k.until = po_min(w->s.plan.dT, WALK_SHARED * k.T);
  k.toe = k.T - po_min(WALK_ON_TOES * w->s.plan.dT, 0.25 * k.T);
  k.p[0] = from;
  k.p[1] = walk_press_land(w);
  k.p[2] = walk_press_leave(w);
  return k;
}

/* A step that opens the feet ends this share of the way to the side before the middle: until the new foot carries, the old one pushes on. */
#define WALK_BEFORE_MIDDLE 0.15

void po_walk_begin_curve(po_walk *w, double duration, int from_stand) {
  po_vec3 along = w->view.along, left = w->view.left, heel = w->view.heel[w->s.seen.stance];
  walk_roll k;
  double x, y;
  w->s.curve_time = 0;
  w->s.plan.curve_T = duration;
  w->s.plan.p0 = w->view.com;
  w->s.plan.press_from = from_stand ? walk_press_land(w)
                             : po_v3_dot(along, po_v3_sub(w->view.heel[1 - w->s.seen.stance], heel)) + walk_press_leave(w);
  k = walk_roll_of(w, walk_press_leave(w) - w->s.plan.length);
  x = w->s.plan.strike_x = walk_bob_repeats(&k, w->s.plan.length);
  y = 0.5 * po_walk_spread(w, 1 - w->s.seen.stance);
  y -= WALK_BEFORE_MIDDLE * (y - w->s.plan.l_foot);
  w->s.plan.p1 = po_v3_addscaled(heel, -w->view.side * y, left);
  w->s.plan.p1 = po_v3_addscaled(w->s.plan.p1, w->s.plan.length + x, along);
}

/* Share of who goes to the side: then the COM is a pendulum's bob to the side as well, from the middle between the feet to the middle between the next
 * ones. A step that opens the feet and the one that closes them are each other's mirror in time, so that their velocities meet. */
#define WALK_ASIDE 0.05 /* m of human legs, a step */
double po_walk_aside(const po_walk *w) { return po_min(po_abs(w->s.plan.l_side) / (WALK_ASIDE * w->body.size), 1); }

static walk_bob walk_side_bob(const po_walk *w, double y0, double y1, double t) {
  walk_roll k = walk_roll_of(w, 0);
  walk_bob b = {0, 0, 0};
  k.p[0] = k.p[1] = k.p[2] = 0; /* on the foot that landed, at once */
  b.x = y0;
  b.v = walk_bob_start(&k, y0, y1);
  return walk_bob_at(&k, b, t);
}

/* The paper's sway. */
static walk_bob walk_sway_bob(const po_walk *w, double y0, double y1, double t) {
  double T = w->s.plan.curve_T, phi = po_min(t / T, WALK_CURVE_END), s, c, sway = w->view.side * w->s.plan.l_hip;
  walk_bob b;
  po_sincos(&s, &c, PO_PI * phi);
  b.x = y0 + (y1 - y0) * phi + sway * s;
  b.v = (y1 - y0) / T + sway * c * PO_PI / T;
  b.a = -sway * s * (PO_PI / T) * (PO_PI / T);
  return b;
}

void po_walk_curve(const po_walk *w, po_vec3 *p, po_vec3 *v, po_vec3 *a) {
  po_vec3 along = w->view.along, left = w->view.left, heel = w->view.heel[w->s.seen.stance];
  double y0, y1, share = po_walk_aside(w);
  walk_roll k = walk_roll_of(w, w->s.plan.press_from);
  walk_bob b = {0, 0, 0}, y;
  b.x = po_v3_dot(along, po_v3_sub(w->s.plan.p0, heel));
  b.v = walk_bob_start(&k, b.x, po_v3_dot(along, po_v3_sub(w->s.plan.p1, heel)));
  b = walk_bob_at(&k, b, w->s.curve_time);
  y0 = po_v3_dot(left, po_v3_sub(w->s.plan.p0, heel));
  y1 = po_v3_dot(left, po_v3_sub(w->s.plan.p1, heel));
  y = walk_sway_bob(w, y0, y1, w->s.curve_time);
  if (share > 0) {
    walk_bob side = walk_side_bob(w, y0, y1, w->s.curve_time);
    y.x += share * (side.x - y.x);
    y.v += share * (side.v - y.v);
    y.a += share * (side.a - y.a);
  }
  *p = po_v3_addscaled(po_v3_addscaled(heel, b.x, along), y.x, left);
  *v = po_v3_addscaled(po_v3_scale(b.v, along), y.v, left);
  *a = po_v3_addscaled(po_v3_scale(b.a, along), y.a, left);
}
