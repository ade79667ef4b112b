/* detect.c: the list of contacts of a step, in a fixed order, with what is remembered from the step before.
 *
 * Order: by a, then b (terrain first), then a's shape, then b's. It depends on nothing but the numbering, so that equal worlds have equal
 * lists, and old and new lists are matched by one walk along both.
 */
#include "world_internal.h"

typedef struct detect_walk {
  po_world *w;
  double dt;
  int old; /* cursor into the old list */
} detect_walk;

static uint64_t detect_key(int a, int b, int shape_a, int body_b, int shape_b) {
  uint64_t piece = b < 0 ? ((uint64_t)body_b << 14 | ((uint64_t)shape_b & 0x3fff)) : (uint64_t)shape_b;
  return (uint64_t)a << 48 | (uint64_t)(b + 1) << 32 | (uint64_t)shape_a << 16 | piece;
}

static uint64_t detect_key_of(const po_contact *c) { return detect_key(c->a, c->b, c->shape_a, c->body_b, c->shape_b); }

/* Spreads a key and a feature over 64 bits (the finalizer of splitmix64). */
static uint64_t detect_id(uint64_t key, uint32_t feature) {
  uint64_t x = key * 0x9e3779b97f4a7c15u + feature + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* Velocity of a body's point at the start of the step, world. */
static po_vec3 detect_velocity(const po_character *c, int body, po_vec3 point) {
  if (c->free) return po_v3_add(po_v3_of(c->y + 3), po_v3_cross(po_v3_of(c->y), po_v3_sub(point, c->com)));
  {
    const po_pose *pose = &c->data.pose[body];
    const po_vec6 *vel = &c->data.vel[body];
    po_vec3 local = po_m3_tmul_v(pose->R, po_v3_sub(point, pose->p));
    return po_m3_mul_v(pose->R, po_v3_add(vel->lin, po_v3_cross(vel->ang, local)));
  }
}

/* Impulse of the same features in the old list, or zero. */
static po_vec3 detect_remember(detect_walk *d, uint64_t key, uint64_t id) {
  const po_world *w = d->w;
  int k;
  while (d->old < w->old_contacts && detect_key_of(&w->old_contact[d->old]) < key) d->old++;
  for (k = d->old; k < w->old_contacts && detect_key_of(&w->old_contact[k]) == key; k++)
    if (w->old_contact[k].id == id) return w->old_warm[k];
  return po_v3(0, 0, 0);
}

/* Appends the touches of one pair that matter in this step. mu_b: friction of the other side; e_b: its restitution. */
static void detect_add(detect_walk *d, const po_contact *who, const po_touch *touch, int count, double mu_b, double e_b) {
  po_world *w = d->w;
  const po_character *a = w->character[who->a];
  uint64_t key = detect_key_of(who);
  int k;
  for (k = 0; k < count; k++) {
    const po_touch *t = &touch[k];
    po_contact *c;
    po_vec3 u = detect_velocity(a, who->body_a, t->point);
    if (who->b >= 0) u = po_v3_sub(u, detect_velocity(w->character[who->b], who->body_b, t->point));
    /* neither near nor about to meet */
    if (t->gap > w->opts.margin && t->gap + d->dt * po_v3_dot(u, t->normal) > w->opts.margin) continue;
    if (w->contacts >= w->max_contacts) {
      w->report.dropped++;
      continue;
    }
    c = &w->contact[w->contacts];
    *c = *who;
    c->point = t->point;
    c->normal = t->normal;
    c->gap = t->gap;
    c->id = detect_id(key, t->feature);
    c->mu = a->mu[who->body_a] * mu_b;
    c->restitution = po_max(a->restitution[who->body_a], e_b);
    c->impulse = po_v3(0, 0, 0);
    c->velocity = u;
    if (w->opts.pair) w->opts.pair(w->opts.pair_user, c, &c->mu, &c->restitution);
    c->mu = c->mu > 0 && po_isfinite(c->mu) ? c->mu : 0;
    c->restitution = po_clamp(c->restitution, 0, 1);
    w->warm[w->contacts] = detect_remember(d, key, c->id);
    w->report.penetration = po_max(w->report.penetration, -c->gap);
    w->contacts++;
  }
}

static double detect_radius(const po_solid *s) {
  if (s->type == PO_SPHERE) return s->size[0];
  if (s->type == PO_CAPSULE) return s->size[0] + s->size[1];
  return sqrt(s->size[0] * s->size[0] + s->size[1] * s->size[1] + s->size[2] * s->size[2]);
}

/* How far every solid can get in the step, and its bounds grown by that. */
static void detect_bounds(const po_world *w, po_character *c, double dt) {
  int i;
  c->bounds.low = po_v3(PO_INF, PO_INF, PO_INF);
  c->bounds.high = po_v3(-PO_INF, -PO_INF, -PO_INF);
  for (i = 0; i < c->model->shapes; i++) {
    const po_solid *s = &c->solid[i];
    int body = c->model->shape[i].body;
    po_bounds *b = &c->solid_bounds[i];
    double spin, speed;
    b->low = po_v3(PO_INF, PO_INF, PO_INF);
    b->high = po_v3(-PO_INF, -PO_INF, -PO_INF);
    if (body < 0) continue; /* of a fixed base: it overlaps nothing */
    spin = po_v3_norm(c->free ? po_v3_of(c->y) : c->data.vel[body].ang);
    speed = po_v3_norm(detect_velocity(c, body, s->p)) + spin * detect_radius(s);
    c->solid_reach[i] = w->opts.margin + dt * speed;
    po_solid_bounds(&b->low, &b->high, s, c->solid_reach[i]);
    c->bounds.low = po_v3(po_min(c->bounds.low.x, b->low.x), po_min(c->bounds.low.y, b->low.y), po_min(c->bounds.low.z, b->low.z));
    c->bounds.high = po_v3(po_max(c->bounds.high.x, b->high.x), po_max(c->bounds.high.y, b->high.y), po_max(c->bounds.high.z, b->high.z));
  }
  if (!(c->bounds.low.x <= c->bounds.high.x)) c->bounds.low = c->bounds.high = po_v3(0, 0, 0); /* it meets nothing, wherever it is */
}

#define DETECT_FEW 16  /* terrain boxes that are all looked at */
#define DETECT_NEAR 64

static void detect_shape_terrain(detect_walk *d, int i, int shape, const po_terrain *terrain) {
  po_character *c = d->w->character[i];
  const po_solid *s = &c->solid[shape];
  double reach = c->solid_reach[shape];
  po_touch touch[PO_MAX_TOUCHES];
  const po_bounds *b = &c->solid_bounds[shape];
  po_contact who;
  int j, k, n, near, close[DETECT_NEAR];
  who.a = i;
  who.body_a = c->model->shape[shape].body;
  who.shape_a = shape;
  who.b = -1;
  for (k = 0; k < terrain->planes; k++) {
    const po_terrain_plane *plane = &terrain->plane[k];
    if (po_v3_dot(plane->normal, s->p) - plane->offset > detect_radius(s) + reach) continue;
    who.body_b = PO_TERRAIN_PLANE;
    who.shape_b = k;
    n = po_collide_plane(touch, s, plane, reach);
    detect_add(d, &who, touch, n, plane->mu, 0);
  }
  /* Of many boxes only those near in x are looked at, in the same order. */
  near = terrain->boxes > DETECT_FEW ? po_terrain_near_boxes(close, DETECT_NEAR, terrain, b->low.x, b->high.x) : -1;
  for (j = 0; j < (near < 0 ? terrain->boxes : near); j++) {
    const po_terrain_box *box;
    po_solid solid;
    k = near < 0 ? j : close[j];
    box = &terrain->box[k];
    if (b->low.x > box->high.x || box->low.x > b->high.x || b->low.y > box->high.y || box->low.y > b->high.y || b->low.z > box->high.z || box->low.z > b->high.z)
      continue;
    solid.type = PO_BOX;
    solid.R = box->pose.R;
    solid.p = box->pose.p;
    po_v3_to(solid.size, box->half);
    solid.hull = NULL;
    who.body_b = PO_TERRAIN_BOX;
    who.shape_b = k;
    n = po_collide(touch, s, &solid, reach);
    detect_add(d, &who, touch, n, box->mu, 0);
  }
  if (terrain->field.nx > 0) {
    who.body_b = PO_TERRAIN_FIELD;
    who.shape_b = 0;
    n = po_collide_field(touch, s, &terrain->field, reach);
    detect_add(d, &who, touch, n, terrain->field.mu, 0);
  }
}

static void detect_terrain(detect_walk *d, int i) {
  const po_terrain *terrain = d->w->opts.terrain;
  po_character *c = d->w->character[i];
  int shape;
  if (!terrain) return;
  for (shape = 0; shape < c->model->shapes; shape++)
    if (c->model->shape[shape].body >= 0) detect_shape_terrain(d, i, shape, terrain);
}

static void detect_shapes(detect_walk *d, int i, int j, int si, int sj) {
  po_character *a = d->w->character[i], *b = d->w->character[j];
  po_touch touch[PO_MAX_TOUCHES];
  po_contact who;
  int n;
  if (!po_bounds_overlap(&a->solid_bounds[si], &b->solid_bounds[sj])) return;
  who.a = i;
  who.b = j;
  who.shape_a = si;
  who.shape_b = sj;
  who.body_a = a->model->shape[si].body;
  who.body_b = b->model->shape[sj].body;
  n = po_collide(touch, &a->solid[si], &b->solid[sj], a->solid_reach[si] + b->solid_reach[sj]);
  detect_add(d, &who, touch, n, b->mu[who.body_b], b->restitution[who.body_b]);
}

static void detect_self(detect_walk *d, int i) {
  const po_character *c = d->w->character[i];
  const po_model *m = c->model;
  int si, sj;
  for (si = 0; si < m->shapes; si++)
    for (sj = si + 1; sj < m->shapes && m->shape[si].body >= 0; sj++)
      if (m->shape[sj].body >= 0 && !c->skip[m->shape[si].body * m->nb + m->shape[sj].body]) detect_shapes(d, i, i, si, sj);
}

static void detect_pair(detect_walk *d, int i, int j) {
  const po_character *a = d->w->character[i], *b = d->w->character[j];
  int si, sj;
  for (si = 0; si < a->model->shapes; si++)
    if (po_bounds_overlap(&a->solid_bounds[si], &b->bounds))
      for (sj = 0; sj < b->model->shapes; sj++) detect_shapes(d, i, j, si, sj);
}

/* Shell sort of pairs by (i, j). */
static void detect_sort(int (*pair)[2], int n) {
  int gap, i, j;
  for (gap = n / 2; gap > 0; gap /= 2)
    for (i = gap; i < n; i++) {
      int p = pair[i][0], q = pair[i][1];
      for (j = i; j >= gap && (pair[j - gap][0] > p || (pair[j - gap][0] == p && pair[j - gap][1] > q)); j -= gap) {
        pair[j][0] = pair[j - gap][0];
        pair[j][1] = pair[j - gap][1];
      }
      pair[j][0] = p;
      pair[j][1] = q;
    }
}

void po_world_detect(po_world *w, double dt) {
  detect_walk d;
  po_contact *contacts = w->old_contact;
  po_vec3 *warm = w->old_warm;
  int i, pairs, next = 0, active = 0, *who = w->root; /* nobody needs the roots yet */
  w->old_contact = w->contact;
  w->old_warm = w->warm;
  w->old_contacts = w->contacts;
  w->contact = contacts;
  w->warm = warm;
  w->contacts = 0;
  d.w = w;
  d.dt = dt;
  d.old = 0;
  for (i = 0; i < w->count; i++) {
    if (w->character[i]->parked) continue;
    detect_bounds(w, w->character[i], dt);
    who[active] = i;
    w->bounds[active++] = w->character[i]->bounds;
  }
  pairs = po_broad_pairs(w->pair, w->max_pairs, w->bounds, active, &w->scratch);
  if (pairs > w->max_pairs) {
    w->report.dropped += pairs - w->max_pairs;
    pairs = w->max_pairs;
  }
  for (i = 0; i < pairs; i++) {
    w->pair[i][0] = who[w->pair[i][0]];
    w->pair[i][1] = who[w->pair[i][1]];
  }
  detect_sort(w->pair, pairs);
  for (i = 0; i < w->count; i++) {
    if (w->character[i]->parked) continue;
    detect_terrain(&d, i);
    if (w->character[i]->self) detect_self(&d, i);
    for (; next < pairs && w->pair[next][0] == i; next++) detect_pair(&d, i, w->pair[next][1]);
  }
}
