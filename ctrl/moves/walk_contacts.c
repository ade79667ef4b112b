/* walk_contacts.c: which of the soles' points are held, where the ground may push, and what centre of pressure they allow. */
#include "support.h"
#include "walk_internal.h"

/* Corners held by each state, as bits: back 1 and 2, front 4 and 8; of a foot that plants the end that came first. */
static unsigned walk_corners(const po_walk *w, int f) {
  switch (w->s.seen.foot[f]) {
  case PO_FOOT_SUPPORT: return 15;
  case PO_FOOT_HEELOFF: return 12;
  case PO_FOOT_PLANT: return w->view.front[f] && !w->view.back[f] ? 12 : 3;
  case PO_FOOT_SWING: break;
  }
  return 0;
}

/* What of a corner's part of the sole touches is held, and what is above the ground that the sole stands on is brought to it. A corner that hangs over an edge is
 * not: the ground there is a step below, and the foot would be torn down to it. */
#define WALK_HOLD 1000.0 /* 1/s²: keeps held corners on the ground */
#define WALK_HANGS 0.3 /* of the foot's length, below the highest ground under the sole */
static void walk_hold(po_walk *w, int f, unsigned held) {
  const po_patch *p = &w->view.sole[f];
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
    po_actor_plant(w->move.actor, f, k, (held >> k & 1) && below[k] > high - WALK_HANGS * w->body.foot_length, WALK_HOLD);
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
  const walk_plan *n = &w->s.plan;
  int stance = w->s.seen.stance;
  double t = n->dT > 0 ? w->s.seen.foot_time[stance] / n->dT : 1;
  if (w->s.seen.mode != PO_WALK_STEP || w->s.seen.foot[1 - stance] != PO_FOOT_HEELOFF || !n->calm || w->s.seen.unrest > 0 || n->length <= 0 || n->edges || t >= 1) return 1;
  if (f != stance) return po_max(WALK_LEAVES * (1 - t), WALK_LEFT);
  return k < 2 ? WALK_TOUCHES + WALK_LOADS * t : 1;
}

void po_walk_contacts(po_walk *w) {
  po_wbc *c = w->move.actor->wbc;
  int f, k;
  c->contacts = 0;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->view.sole[f];
    unsigned held = walk_corners(w, f);
    walk_hold(w, f, held);
    if (w->s.seen.foot[f] == PO_FOOT_SWING) continue;
    for (k = w->s.seen.foot[f] == PO_FOOT_HEELOFF ? 2 : 0; k < 4; k++) { /* the ground may push where it touches, but not under a heel that is on its way up */
      po_wbc_contact *x = &c->contact[c->contacts];
      if (!p->touching[k] || walk_still_above(w, p, k) || c->contacts >= c->opts.max_contacts) continue;
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
  double k = w->view.omega * w->view.omega;
  int i, n;
  for (i = 0; i < 2; i++) stands.patch[i] = w->view.sole[i];
  for (i = 0; i < 8; i++) /* what is about to leave does not count; the toe of a foot that plants does once it touches */
    if (!(walk_corners(w, i / 4) >> i % 4 & 1) && w->s.seen.foot[i / 4] != PO_FOOT_PLANT) stands.patch[i / 4].touching[i % 4] = 0;
  n = po_patches_hull(hull, &stands, d, PO_BOTH_FEET);
  if (w->s.seen.mode == PO_WALK_STEP) {
    double kp = w->o.momentum->kp, mg = d->model->total_mass * w->view.g, s;
    spin = po_v3(kp * d->momentum[1] / mg, -kp * d->momentum[0] / mg, 0);
    s = po_v3_norm(spin);
    if (s > w->body.size * w->params.spin) spin = po_v3_scale(w->body.size * w->params.spin / s, spin);
  }
  p = po_v3_add(po_v3_addscaled(d->com, -1 / k, *accel), spin);
  if (!po_cop_clip(&near, &over, p, hull, n, w->params.cop_margin)) return;
  accel->x = k * (d->com.x + spin.x - near.x - over.x);
  accel->y = k * (d->com.y + spin.y - near.y - over.y);
}
