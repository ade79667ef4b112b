/* walk_hips.c: how high the hips go: as high as the legs are long. At a strike the leg that lands is as straight as at rest, in the middle of a step the stance
 * leg is bent by knee_deg more, and between the two the hips rise and sink as a pendulum's bob does. Heights are the hips', not the COM's: arms and
 * head may move without bending a knee. */
#include "walk_internal.h"

#define WALK_HEEL_LIFT PO_RAD(20.0) /* how far a heel behind the body has risen when the other foot strikes: what its leg gains by standing on its toes */

#define WALK_TOE_UP PO_RAD(6.0)     /* the sole's pitch when its heel strikes: the ankle is higher for it */
#define WALK_STRAIGHT_STEPS PO_RAD(-4.0) /* the knee's bend at a strike, more than at rest, on steps: the hips come to it late and lower */

/* Hip to ankle with the knee bent by so much more than at rest. */
static double walk_leg(const po_walk *w, int f, double bend) {
  const po_legs *l = &w->move.actor->legs;
  double a = l->thigh_length[f], b = l->shank_length[f], s, c;
  po_sincos(&s, &c, w->rest_bend[f] + bend);
  return sqrt(a * a + b * b + 2 * a * b * c);
}

static double walk_drop(double leg, double across) { return sqrt(po_max(leg * leg - across * across, 0.25 * leg * leg)); }

/* The hips ahead of the COM, now. */
static double walk_hips_ahead(const po_walk *w) {
  po_vec3 along, left;
  po_walk_axes(w, &along, &left);
  return po_v3_dot(along, po_v3_sub(po_point_position(w->move.actor->data, 0, w->hips), w->move.actor->data->com));
}

/* The same when toes land down a step, the heel still above the ground and the knee bent. */
static double walk_down_height(const po_walk *w, int ahead, double ground, double x) {
  double high = po_walk_down_lift(w) * (w->foot_length - w->ankle_offset) / w->foot_length;
  return ground + w->ankle_height[ahead] + high + walk_drop(walk_leg(w, ahead, po_walk_down_bend(w)), x);
}

/* Height of the hips over the lower of two grounds when one foot strikes: the leg ahead is straight, the one behind stands on its toes. How far the hips are ahead
 * of the COM then is what it was at the last strike: now, with a leg that swings, it is something else, and the height would run away from its own rate. */
static double walk_strike_height(const po_walk *w, int ahead, double ground_ahead, double ground_behind) {
  double s, c, x = w->ankle_offset - w->strike_x - (po_walk_on_steps(w) ? walk_hips_ahead(w) : w->hips_ahead);
  double y = w->step_length - x, lead, trail;
  if (po_walk_drop(w) > 0) return walk_down_height(w, ahead, ground_ahead, x);
  po_sincos(&s, &c, WALK_TOE_UP);
  lead = ground_ahead + w->ankle_height[ahead] + s * w->ankle_offset + walk_drop(walk_leg(w, ahead, (po_walk_on_steps(w) ? WALK_STRAIGHT_STEPS : 0) + 0.5 * PO_RAD(w->params.knee_deg)), x);
  po_sincos(&s, &c, w->step_length < 0 ? 0 : WALK_HEEL_LIFT);
  trail = ground_behind + w->ankle_height[1 - ahead] + s * (w->foot_length - w->ankle_offset) + walk_drop(walk_leg(w, 1 - ahead, 0), y - (1 - c) * w->foot_length);
  return po_min(lead, trail);
}

/* Standing: both legs reach the ground, and bend as who is ready for anything does; gently, since nothing is in a hurry. */
#define WALK_STAND_BEND PO_RAD(20.0)
#define WALK_STAND_KP 40.0 /* 1/s² */
static double walk_stand_height(const po_walk *w) {
  const po_data *d = w->move.actor->data;
  double low = PO_INF;
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 leg = po_v3_sub(d->pose[w->move.actor->legs.thigh[f]].p, d->pose[w->move.actor->patches.patch[f].body].p);
    low = po_min(low, po_walk_heel(w, f).z + w->ankle_height[f] + walk_drop(walk_leg(w, f, PO_RAD(w->params.knee_deg) + WALK_STAND_BEND), sqrt(leg.x * leg.x + leg.y * leg.y)));
  }
  return low;
}

void po_walk_hips_strike(po_walk *w) {
  w->hips_ahead = walk_hips_ahead(w);
  w->hips_from = walk_strike_height(w, w->stance, po_walk_heel(w, w->stance).z, po_walk_heel(w, 1 - w->stance).z);
}

/* Quick long steps bend the knee in their middle instead of throwing the body up and down: a wave of half height H asks for  H (2π/T)²  at its ends. */
#define WALK_BOUNCE 0.4      /* of g: what is asked at most, */
#define WALK_BOUNCE_STEPS 0.45 /* and on steps: with 0.4 down them 3 of 21 fell, none of 10 so */
#define WALK_BOUNCE_LEAST 0.15
#define WALK_UNHURRIED 1.51  /* ωT of a step (0.48 s of the human): quicker ones ask for less, */
#define WALK_QUICKER 3.0     /* by so much of g for each 1 less */
#define WALK_LOW 0.7         /* less by this share for who is thrown off his curve: knees that bend take up what comes */
static double walk_most_rise(const po_walk *w) {
  double rate = 2 * PO_PI / w->com_duration, quick = WALK_UNHURRIED - po_walk_omega(w) * w->com_duration;
  double bounce = po_walk_on_steps(w) ? WALK_BOUNCE_STEPS : WALK_BOUNCE, most = po_clamp(bounce - WALK_QUICKER * quick, WALK_BOUNCE_LEAST, bounce) * (1 - WALK_LOW * w->unrest);
  return 2 * most * po_v3_norm(w->move.actor->data->gravity) / (rate * rate);
}

/* From the height at one strike to that at the next by half a cosine wave, and on top of it up and down by a whole one. */
void po_walk_hips(po_walk *w) {
  const po_data *d = w->move.actor->data;
  po_objective *o = w->o.height;
  double late, phi, to, rise, s, c, s2, c2, half, step, rate = PO_PI / w->com_duration; /* the hips are lowest in the middle of double support */
  o->ref_rate[0] = o->ref_accel[0] = 0;
  o->kv = -1;
  if (w->mode != PO_WALK_STEP && w->mode != PO_WALK_STOP) {
    o->kp = po_min(o->kp, WALK_STAND_KP);
    o->ref[0] = w->hips_from = walk_stand_height(w);
    w->hips_ahead = walk_hips_ahead(w);
    return;
  }
  late = po_min(0.2 * w->pace.dT / w->com_duration, 0.2);
  phi = po_min(w->com_time / w->com_duration - late, 1);
  to = w->foot[1 - w->stance] == PO_FOOT_SWING ? walk_strike_height(w, 1 - w->stance, w->foothold.z, po_walk_heel(w, w->stance).z) : w->hips_from;
  if (po_walk_drop(w) > 0 || w->came_down) {
    po_walk_down_hips(w, walk_strike_height(w, 1 - w->stance, po_walk_next_ground(w), po_walk_heel(w, w->stance).z), 0);
    return;
  }
  step = 0.5 * (to - w->hips_from);
  rise = po_walk_heel(w, w->stance).z + w->ankle_height[w->stance] + walk_leg(w, w->stance, PO_RAD(w->params.knee_deg)) - w->hips_from - step;
  if (!po_walk_on_steps(w)) rise += po_point_position(d, 0, w->hips).z - d->pose[w->move.actor->legs.thigh[w->stance]].p.z; /* a pelvis that rolls has its middle below the hip that carries it */
  rise = po_min(rise, walk_most_rise(w));
  po_sincos(&s, &c, 2 * PO_PI * late);
  half = rise / (1 + c);
  po_sincos(&s, &c, 2 * PO_PI * phi);
  po_sincos(&s2, &c2, PO_PI * po_max(phi, 0));
  o->ref[0] = w->hips_from + step * (1 - c2) + rise - half * (1 + c);
  if (phi >= 1) return;
  o->ref_rate[0] = (step * s2 + 2 * half * s) * rate;
  o->ref_accel[0] = ((phi > 0 ? step * c2 : 0) + 4 * half * c) * rate * rate;
}
