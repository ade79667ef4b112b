/* landing.c: a body that arrives turning comes to stand.
 *
 *   air      the feet go where speed and angular momentum can be stopped, soles level, legs nearly straight
 *   down     the fall is braked; COM, centre of pressure and angular momentum are asked for together, so that none is bought from another
 *   steps    where the soles do not suffice (landing_step.c)
 *
 * Angular momentum counts as the speed that it becomes when horizontal force takes it up: the capture point is
 *   ξ = c + (v + (L × z)/(m h)) √(h/g).
 * The blow of a fall at the speed u, on feet e from under the COM, takes e u/h of that speed. What it leaves lies over feet at
 *   e = (ξ − c)/(1 + u/√(g h)),
 * half of ξ's offset after a flip: who puts the feet further is stopped too soon and falls back.
 * L counts a little more there (PO_LANDING_TURN). Who is thrown off the ground again lands again.
 * With F the vertical force of the braking, the law of balance (support.h) draws ξ to the middle of the soles; L' = k_L (L_ref − L), with L_ref what turns the
 * trunk upright; the COM's acceleration follows from the two.
 */
#include "airborne_internal.h"
#include <string.h>

#define LANDING_REACH 0.45       /* of the standing height: feet go no further from under the COM */
#define LANDING_LEAST_LEFT 0.125 /* beats: ankles are not led in less time */
#define LANDING_FOOT_KP 400.0    /* 1/s²: soles are level within 0.1 s */
#define LANDING_AIR_KP 600.0     /* 1/s²: arms and trunk while the legs open */
#define LANDING_GROUND_KP 60.0   /* 1/s² */
#define LANDING_LEVEL 10.0       /* weight of a level body beside the pose */
#define LANDING_SPIN_MOST 0.06   /* of m h sqrt(g h): angular momentum asked for to turn the trunk upright */
#define LANDING_TURN_INERTIA 0.7 /* of the standing one: that of a crouched body */
#define LANDING_LOWEST 0.3       /* of the standing height: laws are not asked about a COM below */
#define LANDING_PUSH_MOST 1.2    /* g: horizontal acceleration asked for; friction gives no more */
#define LANDING_HARDEST 3.0      /* times the braking asked for, when less would not do */
#define LANDING_RISE_KP 3.7      /* 1/beat²: gain of the COM's height once the fall is caught, 36 1/s² for people */
#define LANDING_RISE_WAY 0.4     /* of the standing height: the most that there is to rise */
#define LANDING_THROWN 0.3       /* beats in the air after touchdown that are another flight */
#define LANDING_ALL_DOWN 0.15    /* beats after touchdown both feet are drawn to the ground */
/* While the blow is taken torques do not suffice for everything, and a body without a pose contorts itself for the last of it: for so many beats
 * pose and trunk stand beside COM and momentum, with this weight. */
#define LANDING_BLOW 2.0
#define LANDING_POSE 1e-3
#define LANDING_STANDING 0.95    /* of the zero pose's height, as in balance */

/* ---- in the air ---- */

/* The feet's offset over v + (L × z)/(m h): the share `lead` of e. */
double po_landing_lead(const po_tumbler *t, const po_landing_params *p, double fall) {
  double h = p->touch * t->h;
  return p->lead * sqrt(h / t->gravity) / (1 + fall / sqrt(t->gravity * h));
}

po_vec3 po_landing_offset(const po_tumbler *t, const po_landing_params *p, po_vec3 velocity) {
  double h = p->touch * t->h, most = LANDING_REACH * t->h;
  double drop = t->actor->data->com.z - po_terrain_surface_at(t->actor->patches.terrain, t->actor->data->com.x, t->actor->data->com.y).height - h;
  po_vec3 d = po_v3_addscaled(po_v3(velocity.x, velocity.y, 0), PO_LANDING_TURN, po_tumbler_turning_speed(t, h));
  d = po_at_most(po_v3_scale(po_landing_lead(t, p, sqrt(velocity.z * velocity.z + 2 * t->gravity * po_max(drop, 0))), d), most);
  d.z = -sqrt(h * h - po_v3_dot(d, d));
  return d;
}

po_vec3 po_landing_ankle(const po_tumbler *t, int f, po_vec3 sole) {
  return po_v3_sub(sole, po_q_rotate(po_q_axis_angle(po_v3(0, 0, 1), po_level_heading(po_tumbler_left(t))), t->sole[f]));
}

void po_landing_level_foot(po_tumbler *t, int f) {
  po_ask(t->foot[f], 2, 1, LANDING_FOOT_KP);
  t->foot[f]->ref_orientation = po_q_axis_angle(po_v3(0, 0, 1), po_level_heading(po_tumbler_left(t)));
}

void po_landing_lead_feet(const po_landing *l, po_tumbler *t, const po_landing_params *p) {
  const po_data *d = t->actor->data;
  po_vec3 left = po_tumbler_left(t), offset = po_landing_offset(t, p, d->com_velocity);
  double ground = po_terrain_surface_at(t->actor->patches.terrain, d->com.x + offset.x, d->com.y + offset.y).height;
  double time = po_max(po_tumbler_time_to(t, ground - offset.z), LANDING_LEAST_LEFT * t->beat);
  int f;
  (void)l;
  for (f = 0; f < 2; f++) {
    po_objective *o = t->ankle[f];
    po_ask_within(o, 2, 1, time);
    o->feature.type = PO_FEATURE_POINT_FROM_COM;
    po_v3_to(o->ref, po_landing_ankle(t, f, po_v3_addscaled(offset, f == 0 ? t->stance : -t->stance, left)));
    po_landing_level_foot(t, f);
  }
}

void po_landing_open(const po_landing *l, po_tumbler *t, const po_landing_params *p) {
  static const po_tumble_pose open = {0.5, 0.4, 0.1, 0.2, 0.6, 0.3, 0.3, 0, 0};
  po_tumbler_let_go(t);
  po_tumbler_pose(t, &open, LANDING_AIR_KP, 0.01, 1);
  po_tumbler_keep_plane(t, 1);
  po_tumbler_level(t, po_tumbler_left(t), 3, LANDING_LEVEL);
  po_landing_lead_feet(l, t, p);
}

/* ---- on the ground ---- */

int po_landing_touches(const po_tumbler *t, int f) { return po_patches_touching(&t->actor->patches, PO_PATCH_BIT(f)) > 0; }

/* Upward acceleration: the fall is braked evenly over what is left above its lowest point, then the body rises. */
static double landing_rise(po_landing *l, const po_tumbler *t, const po_landing_params *p, double over, double dt) {
  double v = t->actor->data->com_velocity.z, most = p->brake * t->gravity, step = dt * LANDING_RISE_WAY * t->h / p->rise_time, kp = LANDING_RISE_KP / (t->beat * t->beat);
  if (!l->caught && v > -0.03 * t->h / t->beat) {
    l->caught = 1;
    l->height = over;
  }
  if (!l->caught) return po_min(v * v / (2 * po_max(over - po_max(l->low, p->lowest * t->h), 0.02 * t->h)), LANDING_HARDEST * most);
  l->height += po_clamp(LANDING_STANDING * t->h - l->height, -step, step);
  return po_clamp(kp * (l->height - over) - 2 * sqrt(kp) * v, -0.5 * t->gravity, most);
}

/* L' that turns the trunk upright, but for its lean ahead, and takes up what the body brought. */
static po_vec3 landing_turn(const po_landing *l, const po_tumbler *t, const po_landing_params *p, double over) {
  double s, c, most = LANDING_SPIN_MOST * t->mass * t->h * t->fast;
  po_vec3 want;
  po_sincos(&s, &c, po_tumbler_lean(t, over));
  want = po_v3_add(po_v3_scale(s, po_tumbler_ahead(t)), po_v3(0, 0, c));
  want = po_turn_to(po_tumbler_trunk(t), want, LANDING_TURN_INERTIA * t->inertia * p->kp_tilt, most, p->kp_turn, po_v3_of(t->actor->data->momentum));
  if (l->twist_most > 0) want.z = po_clamp(want.z, -l->twist_most, l->twist_most);
  return want;
}

static void landing_law(po_landing *l, po_tumbler *t, const po_landing_params *p, unsigned feet, double dt) {
  po_footing soles = po_footing_of(t->actor, feet, feet);
  po_pendulum b = po_pendulum_over(t->actor, soles.centre.z, LANDING_LOWEST * t->h);
  double rise = landing_rise(l, t, p, b.h, dt), F = t->mass * (t->gravity + rise);
  po_vec3 pressure, turn = landing_turn(l, t, p, b.h), acceleration;
  b.capture = po_v3_add(b.capture, po_tumbler_braced(t, b.h));
  pressure = po_footing_inside(&soles, po_pendulum_press(&b, soles.centre, p->kp_capture, F), p->margin * t->h);
  acceleration = po_at_most(po_pendulum_push(&b, pressure, F, turn), LANDING_PUSH_MOST * t->gravity);
  po_tumbler_ask(t, 2, acceleration, rise, turn);
  l->capture = b.capture;
}

static unsigned landing_standing(const po_landing *l) { return l->swing == 1 ? PO_PATCH_BIT(PO_FOOT_R) : l->swing == 2 ? PO_PATCH_BIT(PO_FOOT_L) : PO_BOTH_FEET; }

static void landing_ground(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt) {
  static const po_tumble_pose ready = {0.3, 0.3, 0, 0.1, 0.3, 0.2, 0.3, 0, 0};
  const po_data *d = t->actor->data;
  unsigned feet = landing_standing(l), held = 0;
  int f;
  for (f = 0; f < 2; f++) {
    if (po_landing_touches(t, f)) l->down[f] = 1;
    if ((feet & PO_PATCH_BIT(f)) && (l->down[f] || l->time > LANDING_ALL_DOWN * t->beat)) held |= PO_PATCH_BIT(f);
  }
  po_tumbler_plant(t, held, 0);
  po_actor_stand_on(t->actor, feet);
  t->level->on = 0;
  landing_law(l, t, p, feet, dt);
  po_tumbler_pose(t, &ready, LANDING_GROUND_KP, 0.01, 0.3);
  po_tumbler_upright(t, po_tumbler_lean(t, d->com.z - po_patches_centroid(&t->actor->patches, d, PO_BOTH_FEET).z), LANDING_GROUND_KP);
  if (l->time > LANDING_BLOW * t->beat) return;
  t->pose->priority = t->trunk->priority = 2;
  t->pose->weight *= LANDING_POSE;
  t->trunk->weight *= LANDING_POSE;
}

/* ---- a tick ---- */

int po_landing_stood(const po_landing *l, double seconds) { return l->still >= seconds; }

/* Slower than this, in standing heights per beat, the body stands still. */
#define LANDING_STILL 0.045
#define LANDING_STILL_TURN 0.016 /* of m h sqrt(g h) */

/* Thrown off the ground again, for longer than a step: it lands once more. */
static void landing_bounce(po_landing *l, const po_tumbler *t, const po_landing_params *p) {
  const po_data *d = t->actor->data;
  double ground = po_terrain_surface_at(t->actor->patches.terrain, d->com.x, d->com.y).height;
  if (po_patches_touching(&t->actor->patches, PO_BOTH_FEET) > 0 || po_tumbler_time_to(t, ground + p->touch * t->h) < LANDING_THROWN * t->beat) return;
  l->stage = PO_LANDING_AIR;
  l->caught = l->swing = l->down[0] = l->down[1] = 0;
  l->time = 0;
}

void po_landing_aim(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt) {
  const po_data *d = t->actor->data;
  double v = po_min(d->com_velocity.z, 0);
  int still;
  if (l->stage == PO_LANDING_AIR && po_patches_touching(&t->actor->patches, PO_BOTH_FEET) > 0) {
    l->stage = PO_LANDING_DOWN;
    l->low = po_tumbler_over(t) - v * v / (2 * p->brake * t->gravity);
  }
  if (l->stage == PO_LANDING_DOWN) landing_bounce(l, t, p);
  if (l->stage == PO_LANDING_AIR) {
    po_landing_open(l, t, p);
    return;
  }
  po_landing_lead_feet(l, t, p);
  po_landing_step(l, t, p, dt);
  landing_ground(l, t, p, dt);
  still = l->caught && !l->swing && po_v3_norm(d->com_velocity) < LANDING_STILL * t->h / t->beat &&
          po_v3_norm(po_v3_of(d->momentum)) < LANDING_STILL_TURN * t->mass * t->h * t->fast;
  l->still = still ? l->still + dt : 0;
  l->time += dt;
  if (!l->swing) l->since_step += dt;
}
