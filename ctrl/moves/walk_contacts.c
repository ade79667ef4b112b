/* walk_contacts.c: where the soles stand: which of their points touch, which are held, and what centre of pressure they allow.
 *
 * A sole on uneven ground stands on what is highest below it: a ridge or the edge of a step in its middle, while a corner hangs. Such a corner's part is
 * taken by the point of the sole's edge nearest to it that touches.
 */
#include "support.h"
#include "walk_internal.h"

/* Corners held by each state, as bits: back 1 and 2, front 4 and 8. */
static unsigned walk_corners(const po_walk *w, int f) {
  switch (w->foot[f]) {
  case PO_FOOT_SUPPORT: return 15;
  case PO_FOOT_HEELOFF: return 12;
  case PO_FOOT_PLANT: return po_walk_on_steps(w) && !w->sole[f].touching[0] && !w->sole[f].touching[1] ? 12 : 3; /* the end that came first */
  case PO_FOOT_SWING: break;
  }
  return 0;
}

#define WALK_EDGE_LOOKS 6   /* places of an edge of the sole that are looked at: every 4 cm of the human's */
#define WALK_EDGE_NEAR 2e-3 /* m: what is nearer to the ground than this touches */

/* How far above the ground below it a point of the sole is. */
static po_surface walk_surface_below(const po_walk *w, po_vec3 p) { return po_terrain_surface_below(w->move.actor->patches.terrain, p.x, p.y, p.z + 0.5 * w->foot_width, PO_ANY_TAG); }
static double walk_ground_below(const po_walk *w, po_vec3 p) { return walk_surface_below(w, p).height; }
static double walk_gap_below(const po_walk *w, po_vec3 p) {
  po_surface at = walk_surface_below(w, p);
  return (p.z - at.height) * at.normal.z;
}

/* A share `at` of the way from corner `from` to corner k; side 1: beside that line, in the sole's middle. */
static po_vec3 walk_edge_point(const po_patch *sole, int k, int from, int side, double at) {
  po_vec3 across = po_v3_scale(0.5 * side, po_v3_sub(sole->point[k ^ 1], sole->point[k])); /* the corner beside it: 0 and 1, 2 and 3 */
  return po_v3_add(po_v3_add(sole->point[from], po_v3_scale(at, po_v3_sub(sole->point[k], sole->point[from]))), across);
}

/* Corner k hangs: the point of the line from corner `from` to it, or of the sole's middle beside that line, which touches nearest to it. A sole that tips over the
 * edge of a step touches there alone, between two looks: where the ground falls away the edge itself is found by halving. */
#define WALK_EDGE_HALVES 6  /* of the way between two looks: 0.7 mm of the human's */
#define WALK_EDGE_FALLS 0.1 /* of the foot's length: ground that is lower by more from one look to the next has fallen away */
static void walk_feel_edge(po_walk *w, po_patch *sole, int k, int from) {
  const po_data *d = w->move.actor->data;
  int i, n, side, edges = w->move.actor->patches.terrain->boxes > 0;
  for (i = WALK_EDGE_LOOKS - 1; i > 0; i--)
    for (side = 0; side < 2; side++) {
      double at = (double)i / WALK_EDGE_LOOKS, beyond = (i + 1.0) / WALK_EDGE_LOOKS;
      po_vec3 p = walk_edge_point(sole, k, from, side, at);
      double low = walk_ground_below(w, po_point_position(d, sole->body, p)) - WALK_EDGE_FALLS * w->foot_length;
      if (edges && walk_ground_below(w, po_point_position(d, sole->body, walk_edge_point(sole, k, from, side, beyond))) < low)
        for (n = 0; n < WALK_EDGE_HALVES; n++) {
          double middle = 0.5 * (at + beyond);
          if (walk_ground_below(w, po_point_position(d, sole->body, walk_edge_point(sole, k, from, side, middle))) < low) beyond = middle;
          else at = middle;
        }
      p = walk_edge_point(sole, k, from, side, at);
      if (walk_gap_below(w, po_point_position(d, sole->body, p)) > WALK_EDGE_NEAR) continue;
      sole->point[k] = p;
      sole->touching[k] = 1;
      sole->gap[k] = 0;
      return;
    }
}

void po_walk_feel(po_walk *w) {
  const po_terrain *terrain = w->move.actor->patches.terrain;
  int f, k, even = terrain->boxes == 0 && terrain->field.nx == 0; /* on planes a sole stands on its corners */
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->move.actor->patches.patch[f];
    po_patch *sole = &w->sole[f];
    *sole = *p;
    if (even || (w->foot[f] == PO_FOOT_SWING && !(po_walk_drop(w) > 0)) || p->point_body[0] != p->point_body[2]) continue; /* toes that bend lie on the ground by themselves */
    for (k = 0; k < 4; k++)
      if (!p->touching[k] && !(k < 2 && (w->foot[f] == PO_FOOT_HEELOFF || w->foot[f] == PO_FOOT_SWING))) walk_feel_edge(w, sole, k, 3 - k);
  }
}

/* What of a corner's part of the sole touches is held, and what is above the ground that the sole stands on is brought to it. A corner that hangs over an edge is
 * not: the ground there is a step below, and the foot would be torn down to it. */
#define WALK_HANGS 0.3 /* of the foot's length, below the highest ground under the sole */
static void walk_hold(po_walk *w, int f, unsigned held) {
  const po_patch *p = &w->sole[f];
  po_vec3 at[4];
  double below[4], high = -PO_INF;
  int k;
  for (k = 0; k < 4; k++) {
    at[k] = po_point_position(w->move.actor->data, p->point_body[k], p->point[k]);
    below[k] = at[k].z - p->gap[k];
    high = po_max(high, below[k]);
  }
  for (k = 0; k < 4; k++) {
    po_objective *o = w->move.actor->contact[f][k];
    po_actor_plant(w->move.actor, f, k, (held >> k & 1) && below[k] > high - WALK_HANGS * w->foot_length, w->params.kp_contact);
    o->feature.point = p->point[k];
    po_v3_to(o->ref, po_v3_addscaled(at[k], -p->gap[k], p->normal));
  }
}

/* An end of the sole that is coming down is not pushed yet while the other end stands: forces planned there would be missing. One that hovers, as toes on a hinge
 * do, or soles on a slope, is counted on. */
#define WALK_ABOVE 2e-4  /* m: twice what the simulation leaves between things that touch */
#define WALK_FALLS 0.05  /* m/s: a third of the speed at which feet are put down */
static int walk_still_above(const po_walk *w, const po_patch *p, int k) {
  int other = k < 2 ? 2 : 0;
  return p->gap[k] > WALK_ABOVE && po_min(p->gap[other], p->gap[other + 1]) < WALK_ABOVE &&
         po_v3_dot(p->normal, po_point_velocity(w->move.actor->data, p->point_body[k], p->point[k])) < -WALK_FALLS;
}

/* In a calm walk the weight goes from the foot behind to the heel that has landed at a steady rate, within double support: the most that a corner is pushed
 * with, as po_wbc_contact.ramp counts (four shares a corner). Forces that are free to be shared out jump when a heel strikes, when a toe comes down, when the other
 * foot leaves. Only for who was calm at the strike: a ramp that sets in halfway is a jump, too. Not for longer than planned: whoever is late needs all force. */
#define WALK_TOUCHES 0.02 /* the heel at the strike: 0.16 body weights, */
#define WALK_LOADS 0.15   /* and so much more at the end: 1.4 */
#define WALK_LEAVES 0.25  /* the foot behind at the strike: 2 body weights, more than its ankle can; nothing at the end, */
#define WALK_LEFT 0.01    /* or hardly anything */
static double walk_ramp(const po_walk *w, int f, int k) {
  double t;
  if (w->mode != PO_WALK_STEP || w->foot[1 - w->stance] != PO_FOOT_HEELOFF || !w->calm || w->unrest > 0 || w->step_length <= 0 || po_walk_on_steps(w)) return 1;
  if (!(w->pace.dT > 0) || w->state_time[w->stance] > w->pace.dT) return 1;
  t = w->state_time[w->stance] / w->pace.dT;
  if (f != w->stance) return po_max(WALK_LEAVES * (1 - t), WALK_LEFT);
  return k < 2 ? WALK_TOUCHES + WALK_LOADS * t : 1;
}

void po_walk_contacts(po_walk *w) {
  po_wbc *c = w->move.actor->wbc;
  int f, k;
  c->contacts = 0;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->sole[f];
    unsigned held = walk_corners(w, f);
    walk_hold(w, f, held);
    if (w->foot[f] == PO_FOOT_SWING) continue;
    for (k = w->foot[f] == PO_FOOT_HEELOFF ? 2 : 0; k < 4; k++) { /* the ground may push where it touches, but not under a heel that is on its way up */
      po_wbc_contact *x = &c->contact[c->contacts];
      if (!p->touching[k] || (!po_walk_on_steps(w) && walk_still_above(w, p, k)) || c->contacts >= c->opts.max_contacts) continue;
      x->body = p->point_body[k];
      x->point = p->point[k];
      x->normal = p->normal;
      x->mu = c->opts.mu * p->mu;
      x->ramp = walk_ramp(w, f, k);
      x->gap = p->gap[k];
      c->contacts++;
    }
  }
}

/* The acceleration asked of the COM is cut back to one whose centre of pressure lies within cop_margin of the support, with `spin` of it left to
 * damp the body's rotation: p = c − (ÿ h − ẑ × L̇/m)/g (support.h). */
void po_walk_limit_com(const po_walk *w, po_vec3 *accel) {
  const po_data *d = w->move.actor->data;
  po_patches stands = w->move.actor->patches;
  po_vec3 hull[PO_HULL_MAX], p, near, over, spin = po_v3(0, 0, 0);
  double k = po_v3_norm(d->gravity) / w->move.actor->standing_height;
  int i, n;
  for (i = 0; i < 2; i++) stands.patch[i] = w->sole[i];
  for (i = 0; i < 8; i++) /* what is about to leave does not count; the toe of a foot that plants does once it touches */
    if (!(walk_corners(w, i / 4) >> i % 4 & 1) && w->foot[i / 4] != PO_FOOT_PLANT) stands.patch[i / 4].touching[i % 4] = 0;
  n = po_patches_hull(hull, &stands, d, PO_BOTH_FEET);
  if (w->mode == PO_WALK_STEP) {
    double kp = w->params.kp_momentum, mg = d->model->total_mass * po_v3_norm(d->gravity), s;
    spin = po_v3(kp * d->momentum[1] / mg, -kp * d->momentum[0] / mg, 0);
    s = po_v3_norm(spin);
    if (s > w->size * w->params.spin) spin = po_v3_scale(w->size * w->params.spin / s, spin);
  }
  p = po_v3_add(po_v3_addscaled(d->com, -1 / k, *accel), spin);
  if (!po_cop_clip(&near, &over, p, hull, n, w->params.cop_margin)) return;
  accel->x = k * (d->com.x + spin.x - near.x - over.x);
  accel->y = k * (d->com.y + spin.y - near.y - over.y);
}
