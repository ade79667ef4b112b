/* walk_foot.c: the gait as a table: how a foot goes through the air and comes down, as its plan says.
 *
 * Over the time s = t/T of the swing the sole's pitch and the heel's height over the ground go through key values as people's do, by cubic splines that begin as the
 * foot left the ground. The toe is where pitch and heel put it. Both ends are asked for with their rates and accelerations, one row each, so that nothing is late.
 */
#include "walk_internal.h"

#define WALK_KNOTS 6
typedef struct walk_spline { int n; double s[WALK_KNOTS], y[WALK_KNOTS], v0, v1, m[WALK_KNOTS]; } walk_spline; /* cubic, C²: places, values, rates at the ends, rates at all */
typedef struct walk_path { double y, v, a; } walk_path; /* value, rate, acceleration */

/* The table. Angles in degrees, toe up, of steps of 0.5 m and more; heights in m. */
static const double walk_pitch_at[6] = {0, 0.25, 0.5, 0.75, 0.88, 1}, walk_pitch_deg[6] = {0, 0, -10, 20, 27, 17}; /* the first as the foot left, the second nearly: */
static const double walk_heel_at[4] = {0, 0.5, 0.8, 1}, walk_heel_of_h[4] = {0, 1, 0.56, 0}; /* of h, and in the middle what the pitch needs besides: */
#define WALK_HEEL_MORE 0.057
#define WALK_KEEPS 0.95      /* of the pitch at lift-off, at a quarter of the swing */
#define WALK_PITCHES -15.0   /* deg a swing: the sole's rate at the strike */
#define WALK_FULL_STEP 0.5   /* m: shorter steps pitch less */
#define WALK_TOE_CLEAR 0.24  /* of h: the toe's, at least, */
#define WALK_TOE_CLEARS 0.15 /* from this share of the swing on */
#define WALK_CARE_OVER 0.02  /* m: so much higher for who is thrown off */
#define WALK_SINK 0.1        /* m/s: speed at which heels strike, */
#define WALK_SEEK 0.15       /* m/s: and at which one that is late goes on down */

/* Rates at the knots: continuous accelerations, a tridiagonal system. */
static void walk_spline_make(walk_spline *k) {
  double b[WALK_KNOTS], c[WALK_KNOTS], d[WALK_KNOTS];
  int i, n = k->n;
  for (i = 0; i < n; i++) {
    double before = i > 0 ? 1 / (k->s[i] - k->s[i - 1]) : 0, after = i < n - 1 ? 1 / (k->s[i + 1] - k->s[i]) : 0;
    int end = i == 0 || i == n - 1;
    b[i] = end ? 1 : 2 * (before + after);
    c[i] = end ? 0 : after;
    d[i] = i == 0 ? k->v0 : i == n - 1 ? k->v1 : 3 * ((k->y[i] - k->y[i - 1]) * before * before + (k->y[i + 1] - k->y[i]) * after * after);
    if (i == 0 || end) continue;
    b[i] -= before / b[i - 1] * c[i - 1];
    d[i] -= before / b[i - 1] * d[i - 1];
  }
  for (i = n - 1; i >= 0; i--) k->m[i] = (d[i] - (i < n - 1 ? c[i] * k->m[i + 1] : 0)) / b[i];
}

/* Between two values with two rates, u from 0 to 1 in time h. */
static walk_path walk_hermite(double y0, double v0, double y1, double v1, double h, double u) {
  walk_path p;
  double a = v0 * h, b = v1 * h, d = y1 - y0;
  p.y = y0 + u * (a + u * (3 * d - 2 * a - b + u * (a + b - 2 * d)));
  p.v = (a + u * (2 * (3 * d - 2 * a - b) + 3 * u * (a + b - 2 * d))) / h;
  p.a = (2 * (3 * d - 2 * a - b) + 6 * u * (a + b - 2 * d)) / (h * h);
  return p;
}
static walk_path walk_spline_at(const walk_spline *k, double s) {
  int i = 0;
  while (i < k->n - 2 && s > k->s[i + 1]) i++;
  return walk_hermite(k->y[i], k->m[i], k->y[i + 1], k->m[i + 1], k->s[i + 1] - k->s[i], (s - k->s[i]) / (k->s[i + 1] - k->s[i]));
}

static void walk_table(const po_walk *w, walk_spline *pitch, walk_spline *heel) {
  const walk_plan *n = &w->s.plan;
  double T = n->swing_T, size = w->body.size, full = po_clamp(n->length / (WALK_FULL_STEP * size), 0, 1), some = po_min(2 * full, 1), share = full * (1 - n->care);
  double over = n->over + WALK_CARE_OVER * n->care * size;
  int i, toes_first = n->strike < 0;
  pitch->n = 6;
  heel->n = 4;
  for (i = 0; i < 6; i++) {
    pitch->s[i] = walk_pitch_at[i];
    pitch->y[i] = i < 3 ? PO_RAD(walk_pitch_deg[i]) * some : toes_first ? n->strike : PO_RAD(walk_pitch_deg[i]) * share;
  }
  pitch->y[0] = n->lift.pitch;
  pitch->y[1] = WALK_KEEPS * n->lift.pitch;
  pitch->v0 = n->lift.rate * T;
  pitch->v1 = toes_first ? 0 : PO_RAD(WALK_PITCHES) * share;
  for (i = 0; i < 4; i++) {
    heel->s[i] = walk_heel_at[i];
    heel->y[i] = walk_heel_of_h[i] * w->params.h + (i == 1 ? WALK_HEEL_MORE * size * some : 0) + (i == 1 || i == 2 ? over : 0);
  }
  heel->y[0] = n->lift.heel;
  heel->y[3] = toes_first ? -po_sin(n->strike) * w->body.foot_length : 0;
  heel->y[2] += heel->y[3];
  heel->v0 = n->lift.rise * T;
  heel->v1 = -WALK_SINK * T;
  walk_spline_make(pitch);
  walk_spline_make(heel);
}

/* Heel and toe over their ground at s, in units of the swing's time. */
static void walk_table_ends(const po_walk *w, walk_path *heel, walk_path *toe, double s) {
  walk_spline pitch_table, heel_table;
  walk_path p;
  double L = w->body.foot_length, si, co, clear = WALK_TOE_CLEAR * w->params.h;
  walk_table(w, &pitch_table, &heel_table);
  p = walk_spline_at(&pitch_table, po_min(s, 1));
  *heel = walk_spline_at(&heel_table, po_min(s, 1));
  if (s > 1) { /* late: it goes on down */
    heel->v = -(WALK_SINK + WALK_SEEK) * w->s.plan.swing_T;
    heel->y += heel->v * (s - 1);
    heel->a = p.v = p.a = 0;
  }
  po_sincos(&si, &co, p.y);
  toe->y = heel->y + L * si;
  toe->v = heel->v + L * co * p.v;
  toe->a = heel->a + L * (co * p.a - si * p.v * p.v);
  if (toe->y < clear && s > WALK_TOE_CLEARS && s <= 1 && w->s.plan.strike >= 0) {
    toe->y = clear;
    toe->v = toe->a = 0;
  }
}

/* ---- what is asked ---- */

#define WALK_KP_FOOT 1500.0  /* 1/s² of heel and toe, up and down, */
#define WALK_FOOT_LIMIT 150.0 /* m/s²: at most: a toe of 1.5 m/s is stopped within a sole's thickness, 8 mm */
#define WALK_WAY_LIMIT 60.0  /* m/s²: and of the heel on its way; a late target must not tear the body along */
#define WALK_DUE 0.93        /* of the swing: the heel is over its place; due at its end an early strike would spin the foot */
#define WALK_DUE_DOWN 0.8    /* and so early over an edge that goes down */
#define WALK_LAST 0.03       /* s: the shortest horizon of a target */
#define WALK_ROLL 10.0       /* weight of a level sole, */
#define WALK_KP_ROLL 100.0   /* 1/s² */

static void walk_ask_end(const po_walk *w, po_objective *o, double ground, double ground_v, double ground_a, walk_path p, double T) {
  o->on = 1;
  o->weight = w->params.weight_swing;
  o->kp = WALK_KP_FOOT;
  o->limit = WALK_FOOT_LIMIT;
  o->ref[0] = ground + p.y;
  o->ref_rate[0] = ground_v + p.v / T;
  o->ref_accel[0] = ground_a + p.a / (T * T);
}

/* By how much the place of a foot that crosses over is moved for now. It goes around the leg that stands: ahead of its ankle before it goes across, and back across
 * behind it before it goes ahead. */
static po_vec3 walk_around(const po_walk *w, int f) {
  po_vec3 stance = w->view.heel[w->s.seen.stance], at = po_v3_sub(w->view.heel[f], stance), to = po_v3_sub(w->s.plan.to, stance), left = w->view.left, along = w->view.along;
  double side = f == 0 ? 1 : -1, y = side * po_v3_dot(left, at), goal = side * po_v3_dot(left, to), clear = 0.5 * w->body.foot_width;
  double x = po_v3_dot(along, at), ahead = po_v3_dot(along, to), ankle = w->body.ankle_offset;
  if (w->s.plan.length < 0) return po_v3(0, 0, 0);
  if (goal < clear && y > 0 && x < ankle && ahead > ankle) return po_v3_scale(side * (clear - goal), left);
  if (goal > 0 && y < -clear && x < 0) return po_v3_scale(po_min(-w->body.foot_length - ahead, 0), along);
  return po_v3(0, 0, 0);
}

/* Heel and toe leave the foot's roll free: it is held level. Its pitch is as it is, and is left to accelerate as those two ask. */
static void walk_ask_roll(po_walk *w, int f) {
  po_objective *o = w->o.roll[f];
  const po_data *d = w->move.actor->data;
  int body = w->move.actor->patches.patch[f].body, k;
  const po_mat3 *R = &d->pose[body].R;
  po_vec3 x = po_v3(R->m[0], R->m[3], R->m[6]), left = w->view.left;
  double pitch = po_atan2(-x.z, po_v3_dot(x, w->view.along)), a[2];
  for (k = 0; k < 2; k++) {
    const po_objective *z = k ? w->o.toe[f] : w->o.heel[f];
    double y = k ? w->view.toe[f].z : w->view.heel[f].z, v = k ? w->view.toe_v[f].z : w->view.heel_v[f].z;
    a[k] = z->ref_accel[0] + z->kp * (z->ref[0] - y) + 2 * sqrt(z->kp) * (z->ref_rate[0] - v);
  }
  o->on = 1;
  o->weight = WALK_ROLL;
  o->kp = WALK_KP_ROLL;
  o->limit = 0;
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->s.seen.facing), po_q_axis_angle(po_v3(0, 1, 0), pitch));
  po_v3_to(o->ref_rate, po_v3_scale(po_v3_dot(left, po_body_angular_velocity(d, body)), left));
  po_v3_to(o->ref_accel, po_v3_scale(-(a[1] - a[0]) / w->body.foot_length, left));
}

static void walk_swing(po_walk *w, int f) {
  const walk_plan *n = &w->s.plan;
  double t = w->s.seen.foot_time[f], T = n->swing_T, over = n->rise_to - n->rise_from, u = po_clamp((t / T - n->rise_from) / over, 0, 1);
  walk_path up = walk_hermite(0, 0, 1, 0, over * T, u), heel, toe;
  po_objective *o = w->o.foot[f];
  po_vec3 to = po_v3_add(n->to, walk_around(w, f));
  double heel_rise = n->to_heel - n->from_heel, toe_rise = n->to_toe - n->from_toe;
  if (u <= 0 || u >= 1) up.v = up.a = 0;
  walk_table_ends(w, &heel, &toe, t / T);
  walk_ask_end(w, w->o.heel[f], n->from_heel + heel_rise * up.y, heel_rise * up.v, heel_rise * up.a, heel, T);
  walk_ask_end(w, w->o.toe[f], n->from_toe + toe_rise * up.y, toe_rise * up.v, toe_rise * up.a, toe, T);
  walk_ask_roll(w, f);
  o->on = 1;
  o->feature.axes = 3;
  o->feature.rows = 2;
  o->weight = w->params.weight_swing;
  o->limit = WALK_WAY_LIMIT;
  o->ref[0] = to.x;
  o->ref[1] = to.y;
  o->ref_rate[0] = o->ref_rate[1] = 0;
  o->time = po_max((n->drop > 0 ? WALK_DUE_DOWN : WALK_DUE) * T - t, WALK_LAST);
}

/* The end of the sole that did not touch first comes down: from how it struck to the ground. */
#define WALK_TOE_DOWN 0.14   /* s, */
#define WALK_TOE_DOWN_DT 1.5 /* of dT: and at most, */
#define WALK_TOE_QUICK 0.5   /* by so much less for who is thrown off */
static void walk_come_down(po_walk *w, int f) {
  const walk_lift *k = &w->s.plan.strike_lift;
  int toe = w->view.back[f] || !w->view.front[f];
  double most = po_max(WALK_TOE_DOWN_DT * w->s.plan.dT, 0.045 * w->body.tempo), time = po_min(WALK_TOE_DOWN * w->body.tempo, most) * (1 - WALK_TOE_QUICK * w->s.plan.care);
  double u = po_min(w->s.seen.foot_time[f] / time, 1), si, co, high, rate, ground;
  walk_path p;
  po_sincos(&si, &co, k->pitch);
  high = toe ? k->heel + si * w->body.foot_length : k->heel;
  rate = po_clamp(toe ? k->rise + co * w->body.foot_length * k->rate : k->rise, -0.5, 0);
  p = walk_hermite(po_max(high, 0), rate, 0, -WALK_SINK, time, u);
  if (u >= 1) p.y = p.a = 0, p.v = -WALK_SINK;
  ground = po_walk_ground(w, toe ? w->view.toe[f] : w->view.heel[f]);
  if (po_abs(ground - (toe ? w->view.heel[f].z : w->view.toe[f].z)) > 0.5 * w->body.foot_length) ground = toe ? w->view.heel[f].z : w->view.toe[f].z; /* over an edge */
  walk_ask_end(w, toe ? w->o.toe[f] : w->o.heel[f], ground, 0, 0, p, 1);
}

/* The foot turns over its toes until the other one carries the body: on its way, not to stop there, since a leg that is braked before it swings pitches the body.
 * One of a calm walk that rises fast enough, unless it has toes that would whip, swings by itself. */
#define WALK_PUSH 30.0       /* weight */
#define WALK_PUSH_LIMIT 40.0 /* m/s² */
static void walk_push_off(po_walk *w, int f) {
  po_objective *o = w->o.foot[f];
  const walk_plan *n = &w->s.plan;
  int other = 1 - f, k;
  po_vec3 toe = w->view.toe[f], at = w->view.heel[f], heel, back = po_v3_sub(at, toe);
  double s, c, left = w->s.seen.foot[other] == PO_FOOT_SWING ? n->swing_T - w->s.seen.foot_time[other] + n->dT : n->dT - w->s.seen.foot_time[other];
  po_sincos(&s, &c, PO_RAD(w->params.push_deg));
  back.z = 0;
  heel = po_v3_addscaled(toe, c * w->body.foot_length / po_v3_norm(back), back);
  heel.z = toe.z + s * w->body.foot_length;
  o->feature.axes = 7;
  o->feature.rows = 3;
  o->weight = WALK_PUSH;
  o->limit = WALK_PUSH_LIMIT;
  o->time = po_max(left, WALK_LAST);
  po_v3_to(o->ref, heel);
  for (k = 0; k < 3; k++) o->ref_rate[k] = (o->ref[k] - (&at.x)[k]) / o->time;
  o->on = w->s.seen.unrest > 0 || w->body.hinged || w->view.heel_v[f].z < o->ref_rate[2];
}

static int walk_pushes(const po_walk *w) {
  return w->params.push_deg > 0 && w->s.seen.mode == PO_WALK_STEP && w->s.plan.length >= 0;
}

void po_walk_feet(po_walk *w) {
  int f;
  for (f = 0; f < 2; f++) {
    w->o.foot[f]->on = w->o.heel[f]->on = w->o.toe[f]->on = w->o.roll[f]->on = 0;
    if (w->s.seen.foot[f] == PO_FOOT_SWING) walk_swing(w, f);
    else if (w->s.seen.foot[f] == PO_FOOT_PLANT) walk_come_down(w, f);
    else if (w->s.seen.foot[f] == PO_FOOT_HEELOFF && walk_pushes(w)) walk_push_off(w, f);
  }
}
