/* anatomy_arms.c: arms, hands, trunk and head of a robot whose legs are known. A robot may have none of them.
 *
 *   arms    the two longest chains that end above the hips, one on each side, not the legs; where fingers branch, the hand ends the arm
 *   thorax  the last body that both arms hang on;  elbow: the joint that halves the way from shoulder to hand
 *   head    the highest tip in the middle that hangs on the thorax
 */
#include "map_internal.h"

#define ARMS_ASIDE 0.08 /* of the height: a hand is so far from the middle */
#define ARMS_LEAST 3    /* joints */

static int arms_children(const po_model *m, int body) {
  int i, n = 0;
  for (i = body + 1; i < m->subtree_end[body]; i++) n += m->joint[i].parent == body;
  return n;
}

/* How far left of the pelvis, world. */
static double arms_aside(const po_map *map, const po_data *d, po_vec3 p) {
  return po_v3_dot(po_v3_cross(map->up, map->forward), po_v3_sub(p, d->pose[map->body[PO_ROLE_PELVIS]].p));
}

/* The chain to a tip, cut where fingers branch off: at the first body with two children after the last that belongs to the trunk. */
static void arms_chain(po_chain *c, const po_map *map, const po_data *d, int tip, double aside) {
  int i;
  po_chain_to(c, map->model, tip);
  for (i = 0; i < c->n; i++)
    if (i + 1 < c->n && po_abs(arms_aside(map, d, d->pose[c->body[i]].p)) > 0.5 * aside && arms_children(map->model, c->body[i]) > 1) {
      c->n = i + 1;
      return;
    }
}

static int arms_is_leg(const po_chain leg[2], int body) {
  int f, i;
  for (f = 0; f < 2; f++)
    for (i = 0; i < leg[f].n; i++)
      if (leg[f].body[i] == body) return 1;
  return 0;
}

static int arms_elbow(const po_data *d, const po_chain *c, int first, po_vec3 hand) {
  po_vec3 shoulder = d->pose[c->body[first]].p;
  double best = PO_INF;
  int i, at = -1;
  for (i = first + 1; i < c->n; i++) {
    double a = po_v3_norm(po_v3_sub(d->pose[c->body[i]].p, shoulder)), b = po_v3_norm(po_v3_sub(hand, d->pose[c->body[i]].p));
    double off = po_abs(a - b);
    if (off >= best - 1e-9) continue;
    best = off;
    at = i;
  }
  return at;
}

static void arms_place(po_map *map, const po_data *d, const po_chain *c, int first, int side) {
  int elbow, hand = c->body[c->n - 1], i, n;
  po_reach_point point[PO_REACH_MAX];
  po_vec3 middle = po_v3(0, 0, 0);
  n = po_body_points(point, d, hand);
  for (i = 0; i < n; i++) middle = po_v3_addscaled(middle, 1.0 / n, point[i].p);
  if (!n) middle = d->pose[hand].p;
  elbow = arms_elbow(d, c, first, middle);
  if (elbow > first) {
    map->body[PO_ROLE_UPPER_ARM_L + side] = c->body[elbow - 1];
    map->body[PO_ROLE_FOREARM_L + side] = c->body[elbow];
  }
  map->body[PO_ROLE_HAND_L + side] = hand;
  map->hand[side] = po_m3_tmul_v(d->pose[hand].R, po_v3_sub(middle, d->pose[hand].p));
}

static void arms_head(po_map *map, const po_data *d, const po_chain leg[2], double aside) {
  const po_model *m = map->model;
  int i, thorax = map->body[PO_ROLE_THORAX];
  double high = po_v3_dot(map->up, d->pose[thorax].p);
  for (i = thorax + 1; i < m->subtree_end[thorax]; i++) {
    double h = -po_body_low(d, i, po_v3_scale(-1, map->up));
    if (m->subtree_end[i] != i + 1 || arms_is_leg(leg, i) || po_abs(arms_aside(map, d, d->pose[i].p)) > 0.5 * aside || h <= high) continue;
    high = h;
    map->body[PO_ROLE_HEAD] = i;
  }
}

/* The longest chain on each side. */
static int arms_longest(po_chain best[2], const po_map *map, const po_data *d, const po_chain leg[2], double aside) {
  const po_model *m = map->model;
  double hips = po_v3_dot(map->up, d->pose[map->body[PO_ROLE_PELVIS]].p), below;
  int i;
  below = hips - po_body_low(d, map->body[PO_ROLE_FOOT_L], map->up); /* a hanging hand is above the middle of the leg */
  best[0].n = best[1].n = 0;
  for (i = 1; i < m->nb; i++) {
    po_chain c;
    int side;
    if (m->subtree_end[i] != i + 1 || arms_is_leg(leg, i)) continue;
    if (po_abs(arms_aside(map, d, d->pose[i].p)) < aside || po_v3_dot(map->up, d->pose[i].p) < hips - 0.6 * below) continue;
    arms_chain(&c, map, d, i, aside);
    side = arms_aside(map, d, d->pose[i].p) < 0;
    if (c.n > best[side].n) best[side] = c;
  }
  return best[0].n > 0 && best[1].n > 0;
}

/* What carries most above the pelvis, when there are no arms. */
static void arms_trunk_alone(po_map *map, const po_chain leg[2]) {
  const po_model *m = map->model;
  int i, pelvis = map->body[PO_ROLE_PELVIS];
  double most = 0.15 * m->total_mass;
  for (i = pelvis + 1; i < m->subtree_end[pelvis]; i++) {
    if (arms_is_leg(leg, i) || m->inertia[i].mass <= most) continue;
    most = m->inertia[i].mass;
    map->body[PO_ROLE_THORAX] = i;
  }
}

void po_map_find_arms(po_map *map, const po_data *d, const po_chain leg[2]) {
  const po_model *m = map->model;
  double height = po_v3_dot(map->up, d->pose[map->body[PO_ROLE_PELVIS]].p) - po_body_low(d, map->body[PO_ROLE_FOOT_L], map->up), top = -PO_INF;
  double aside = ARMS_ASIDE * 2 * height; /* a body is about twice as high as its hips */
  po_chain arm[2];
  int common, side, i, pelvis = map->body[PO_ROLE_PELVIS], thorax, at;
  po_vec3 neck;
  if (!arms_longest(arm, map, d, leg, aside) || (common = po_chain_common(&arm[0], &arm[1]), arm[0].n - common < ARMS_LEAST || arm[1].n - common < ARMS_LEAST)) {
    arms_trunk_alone(map, leg);
    return;
  }
  thorax = common ? arm[0].body[common - 1] : 0;
  if (thorax != pelvis) map->body[PO_ROLE_THORAX] = thorax;
  for (side = 0; side < 2; side++) {
    arms_place(map, d, &arm[side], common, side);
    for (i = common; i < common + 2; i++) top = po_max(top, po_v3_dot(map->up, d->pose[arm[side].body[i]].p));
  }
  if (thorax == pelvis) return;
  neck = po_v3_addscaled(d->pose[thorax].p, top - po_v3_dot(map->up, d->pose[thorax].p), map->up);
  map->neck = po_m3_tmul_v(d->pose[thorax].R, po_v3_sub(neck, d->pose[thorax].p));
  for (at = m->joint[thorax].parent; at > pelvis; at = m->joint[at].parent)
    if (m->joint[at].parent == pelvis) map->body[PO_ROLE_ABDOMEN] = at;
  arms_head(map, d, leg, aside);
}
