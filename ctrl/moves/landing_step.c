/* landing_step.c: steps of a landing: a foot goes where the capture point will be.
 *
 * While the body stands on one sole and the centre of pressure is that sole's point p nearest to ξ, ξ runs off as p + (ξ − p) e^{w t}; the foot in the air
 * aims where ξ will be when it comes down, and a little beyond.
 */
#include "airborne_internal.h"

#define STEP_OUTSIDE 0.02 /* of the standing height: further outside the soles the capture point calls for a step */
#define STEP_WAIT 0.38    /* beats after touchdown, or after the last step; before, the blow is still being taken */
#define STEP_FALL 0.3     /* heights per beat: nor while the COM falls faster */
#define STEP_BEYOND 0.03  /* of the standing height */
#define STEP_LIFT 0.06    /* of the standing height */
#define STEP_APART 0.16   /* of the standing height: feet do not cross */
#define STEP_LONGEST 0.6  /* of the standing height, from under the COM */
#define STEP_LOWEST 0.3   /* of the standing height: laws are not asked about a COM below */
#define STEP_LATE 0.5     /* beats that a foot may be late to touch */
#define STEP_STILL 1.0    /* beats of standing still after which a foot that stands askew is put down anew */
#define STEP_FLAT 3       /* corners that make a sole flat, as other behaviours ask for */
#define STEP_DOWN 0.06    /* heights per beat: the foot comes down so fast */

/* Which foot goes: to the side the one on that side; along, the one that is further behind. */
static int step_choose(const po_tumbler *t, po_vec3 xi) {
  const po_data *d = t->actor->data;
  po_vec3 l = po_patches_centroid(&t->actor->patches, d, PO_PATCH_BIT(PO_FOOT_L)), r = po_patches_centroid(&t->actor->patches, d, PO_PATCH_BIT(PO_FOOT_R));
  po_vec3 e = po_v3_sub(xi, po_v3_scale(0.5, po_v3_add(l, r))), ahead = po_tumbler_ahead(t);
  double side = po_v3_dot(e, po_tumbler_left(t)), along = po_v3_dot(e, ahead);
  if (po_abs(side) > 0.5 * po_abs(along)) return side > 0 ? PO_FOOT_L : PO_FOOT_R;
  return po_v3_dot(po_v3_sub(l, r), ahead) * along > 0 ? PO_FOOT_R : PO_FOOT_L;
}

/* A foot that it stands on askew, on an edge or on bent toes; −1: none. */
static int step_askew(const po_tumbler *t) {
  int f;
  for (f = 0; f < 2; f++)
    if (po_patches_touching(&t->actor->patches, PO_PATCH_BIT(f)) < STEP_FLAT) return f;
  return -1;
}

static void step_begin(po_landing *l, const po_tumbler *t, const po_landing_params *p) {
  const po_data *d = t->actor->data;
  po_footing soles = po_footing_of(t->actor, PO_BOTH_FEET, PO_BOTH_FEET);
  int askew = l->still > STEP_STILL * t->beat ? step_askew(t) : -1;
  if (p->steps < 0.5 || l->swing || l->since_step < STEP_WAIT * t->beat || d->com_velocity.z < -STEP_FALL * t->h / t->beat) return;
  if (askew < 0 && po_footing_outside(&soles, l->capture) < STEP_OUTSIDE * t->h) return;
  l->swing = 1 + (askew < 0 ? step_choose(t, l->capture) : askew);
  l->swing_left = p->swing * t->beat;
  l->swing_from = po_patches_centroid(&t->actor->patches, d, (unsigned)l->swing).z;
  l->steps++;
}

/* Where the middle of the swinging sole is to come down, across. */
static po_vec3 step_goal(const po_landing *l, const po_tumbler *t, int f) {
  const po_data *d = t->actor->data;
  unsigned stance = f == PO_FOOT_L ? PO_PATCH_BIT(PO_FOOT_R) : PO_PATCH_BIT(PO_FOOT_L);
  po_footing sole = po_footing_of(t->actor, stance, stance);
  po_vec3 p, goal, left = po_tumbler_left(t), e;
  double w = po_pendulum_over(t->actor, sole.centre.z, STEP_LOWEST * t->h).w, side = f == PO_FOOT_L ? 1 : -1, apart;
  po_hull_distance(&p, sole.hull, sole.corners, l->capture);
  e = po_v3(l->capture.x - p.x, l->capture.y - p.y, 0);
  goal = po_v3_addscaled(p, po_exp(w * po_max(l->swing_left, 0)), e);
  if (po_v3_norm(e) > 1e-6) goal = po_v3_addscaled(goal, STEP_BEYOND * t->h, po_v3_unit(e));
  apart = side * po_v3_dot(po_v3_sub(goal, sole.centre), left);
  if (apart < STEP_APART * t->h) goal = po_v3_addscaled(goal, side * (STEP_APART * t->h - apart), left);
  e = po_v3(goal.x - d->com.x, goal.y - d->com.y, 0);
  return po_v3_norm(e) > STEP_LONGEST * t->h ? po_v3_add(d->com, po_at_most(e, STEP_LONGEST * t->h)) : goal;
}

static void step_swing(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt) {
  int f = l->swing - 1;
  double total = p->swing * t->beat, share = po_clamp(1 - l->swing_left / total, 0, 1), z, shortest = 0.06 * t->beat;
  po_vec3 goal = step_goal(l, t, f);
  po_objective *o = t->ankle[f];
  z = po_terrain_surface_at(t->actor->patches.terrain, goal.x, goal.y).height;
  if (!po_isfinite(z)) z = l->swing_from; /* over the edge of the world there is nothing to step on: as if the ground went on */
  goal.z = share < 0.5 ? po_max(l->swing_from, z) + STEP_LIFT * t->h : z - 0.005 * t->h;
  po_ask_within(o, 2, 1, po_max(l->swing_left, shortest));
  o->feature.type = PO_FEATURE_POINT;
  o->row_time[2] = share < 0.5 ? po_max((0.5 - share) * total, shortest) : o->time;
  po_v3_to(o->ref, po_landing_ankle(t, f, goal));
  po_v3_to(o->ref_rate, po_v3(0, 0, share < 0.5 ? 0 : -STEP_DOWN * t->h / t->beat));
  po_landing_level_foot(t, f);
  l->swing_left -= dt;
  if ((share > 0.5 && po_landing_touches(t, f)) || l->swing_left < -STEP_LATE * t->beat) {
    l->swing = 0;
    l->since_step = 0;
  }
}

void po_landing_step(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt) {
  step_begin(l, t, p);
  if (l->swing) step_swing(l, t, p, dt);
}
