/* patches.c: soles and hands: which of their points stand on the terrain, judged by their gap alone: the controller never reads the
 * simulator's forces. */
#include "ctrl.h"
#include <string.h>

/* A point counts as touching below 1 mm and stays so up to 4 mm: the hysteresis keeps a contact from flickering. */
#define PATCH_ON 1e-3
#define PATCH_OFF 4e-3

/* ---- finding ---- */

/* The four corners PREFIX_S_0 … 3; 0 when one is missing. */
static int patch_corners(po_patch *p, const po_model *m, const char *prefix, char side) {
  char name[24];
  int k;
  for (k = 0; k < 4; k++) {
    int frame;
    po_format(name, sizeof name, "%s_%c_%d", prefix, side, k);
    frame = po_find_frame(m, name);
    if (frame < 0 || m->frame[frame].body < 0) return 0;
    p->point_body[k] = m->frame[frame].body;
    p->point[k] = m->frame[frame].pose.p;
  }
  p->points = 4;
  return 1;
}

static void patch_foot(po_patch *p, const po_model *m, char side) {
  char name[16];
  p->body = po_find_body(m, p->name);
  po_format(name, sizeof name, "heel_%c", side);
  p->heel = po_find_frame(m, name);
  po_format(name, sizeof name, "toe_%c", side);
  p->toe = po_find_frame(m, name);
  if (p->body >= 0 && p->heel >= 0 && p->toe >= 0) patch_corners(p, m, "sole", side);
}

/* The ball at the far end of the shape that the hand's frame lies in: of those of its link, the one whose end is farthest out. */
static void patch_ball(po_patch *p, const po_model *m, po_vec3 middle) {
  double farthest = 0;
  int i;
  for (i = 0; i < m->shapes; i++) {
    const po_shape *s = &m->shape[i];
    po_vec3 along = po_m3_col(s->pose.R, 2), end = s->pose.p;
    if (s->body != p->body || (s->type != PO_SPHERE && s->type != PO_CAPSULE)) continue;
    if (s->type == PO_CAPSULE) end = po_v3_addscaled(end, po_v3_dot(along, end) < 0 ? -s->size[1] : s->size[1], along);
    if (po_v3_norm(end) + s->size[0] <= farthest) continue;
    farthest = po_v3_norm(end) + s->size[0];
    p->centre = p->point[0] = end;
    p->radius = s->size[0];
    p->point_body[0] = p->body;
    p->points = 1;
  }
  p->wrist = po_max(2 * po_v3_norm(middle) - farthest, 0); /* the frame lies in the middle of the hand */
}

static void patch_hand(po_patch *p, const po_model *m, char side) {
  int frame = po_find_frame(m, p->name);
  if (frame < 0) return;
  p->body = m->frame[frame].body;
  if (p->body >= 0 && !patch_corners(p, m, "palm", side)) patch_ball(p, m, m->frame[frame].pose.p);
}

po_status po_patches_init(po_patches *s, const po_model *m, const po_terrain *terrain, unsigned needed, po_error *err) {
  static const char *const names[PO_PATCHES] = {"foot_l", "foot_r", "hand_l", "hand_r"};
  unsigned missing;
  int i;
  if (!s || !m || !terrain) return po_fail(err, PO_ERR_NULL, "patches need a model and a terrain");
  memset(s, 0, sizeof *s);
  s->terrain = terrain;
  for (i = 0; i < PO_PATCHES; i++) {
    po_patch *p = &s->patch[i];
    char side = i % 2 ? 'r' : 'l';
    p->name = names[i];
    p->body = p->heel = p->toe = -1;
    p->normal = po_v3(0, 0, 1);
    p->mu = 1;
    if (i < PO_HAND_L) patch_foot(p, m, side);
    else patch_hand(p, m, side);
  }
  missing = needed & ~po_patches_there(s);
  if (missing & PO_BOTH_FEET)
    return po_fail(err, PO_ERR_NAME, "model '%s' has no feet to stand on: links foot_l, foot_r and frames heel_, toe_, sole_l_0 ... 3 are needed",
                   m->name ? m->name : "");
  if (missing)
    return po_fail(err, PO_ERR_NAME, "model '%s' has no hands: frames hand_l, hand_r are needed, in a round shape or with frames palm_l_0 ... 3",
                   m->name ? m->name : "");
  return PO_OK;
}

int po_patch_find(const po_patches *s, const char *name) {
  int i;
  for (i = 0; i < PO_PATCHES; i++)
    if (name && s->patch[i].points && !strcmp(s->patch[i].name, name)) return i;
  return -1;
}

unsigned po_patches_there(const po_patches *s) {
  unsigned set = 0;
  int i;
  for (i = 0; i < PO_PATCHES; i++)
    if (s->patch[i].points) set |= PO_PATCH_BIT(i);
  return set;
}

/* ---- where they are ---- */

/* How far above the ground a point is that is to be stood on. A wall beside it is no ground: the nearest solid of a foot that stands close to a riser would be
 * the riser. What reaches further up than PATCH_INTO above the point is such a wall. */
#define PATCH_INTO 0.05
static double patch_gap(po_surface *at, const po_terrain *terrain, po_vec3 p) {
  if (!terrain || (!terrain->boxes && !terrain->field.nx)) return po_terrain_gap(at, terrain, p);
  *at = po_terrain_surface_below(terrain, p.x, p.y, p.z + PATCH_INTO, PO_ANY_TAG);
  if (at->kind == PO_TERRAIN_NONE || at->kind == PO_TERRAIN_PLANE) return po_terrain_gap(at, terrain, p);
  return (p.z - at->height) * at->normal.z;
}

void po_patches_update(po_patches *s, const po_data *d) {
  int i, k;
  for (i = 0; i < PO_PATCHES; i++) {
    po_patch *p = &s->patch[i];
    po_vec3 sum = po_v3(0, 0, 0);
    double mu = PO_INF;
    for (k = 0; k < p->points; k++) {
      po_surface at;
      po_vec3 here = po_point_position(d, p->point_body[k], p->radius > 0 ? p->centre : p->point[k]);
      p->gap[k] = (i < PO_HAND_L ? patch_gap(&at, s->terrain, here) : po_terrain_gap(&at, s->terrain, here)) - p->radius;
      p->touching[k] = p->gap[k] < (p->touching[k] ? PATCH_OFF : PATCH_ON);
      if (p->radius > 0) p->point[k] = po_v3_addscaled(p->centre, -p->radius, po_m3_tmul_v(d->pose[p->point_body[k]].R, at.normal));
      sum = po_v3_add(sum, at.normal);
      mu = po_min(mu, at.mu);
    }
    if (!p->points) continue;
    p->normal = po_v3_norm(sum) > 0 ? po_v3_unit(sum) : po_v3(0, 0, 1);
    p->mu = mu;
  }
}

int po_patches_touching(const po_patches *s, unsigned set) {
  int i, k, n = 0;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < s->patch[i].points && (set & PO_PATCH_BIT(i)); k++) n += s->patch[i].touching[k];
  return n;
}

static po_vec3 patch_point(const po_patch *p, const po_data *d, int k) { return po_point_position(d, p->point_body[k], p->point[k]); }

po_vec3 po_patches_centroid(const po_patches *s, const po_data *d, unsigned set) {
  po_vec3 sum = po_v3(0, 0, 0);
  int i, k, n = 0;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < s->patch[i].points && (set & PO_PATCH_BIT(i)); k++, n++) sum = po_v3_add(sum, patch_point(&s->patch[i], d, k));
  return n ? po_v3_scale(1.0 / n, sum) : sum;
}

/* ---- hulls ---- */

/* Twice the signed area of (o, a, b) seen from above. */
static double patch_turn(po_vec3 o, po_vec3 a, po_vec3 b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/* By x, then y. */
static void patch_sort(po_vec3 *p, int n) {
  int i, j;
  for (i = 1; i < n; i++)
    for (j = i; j > 0 && (p[j].x < p[j - 1].x || (p[j].x == p[j - 1].x && p[j].y < p[j - 1].y)); j--) {
      po_vec3 t = p[j];
      p[j] = p[j - 1];
      p[j - 1] = t;
    }
}

/* Andrew's monotone chain. */
int po_patches_hull(po_vec3 hull[PO_HULL_MAX], const po_patches *s, const po_data *d, unsigned set) {
  po_vec3 p[PO_HULL_MAX], chain[2 * PO_HULL_MAX + 1];
  int i, k, n = 0, size = 0, lower;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < s->patch[i].points && (set & PO_PATCH_BIT(i)); k++)
      if (s->patch[i].touching[k]) p[n++] = patch_point(&s->patch[i], d, k);
  patch_sort(p, n);
  if (n < 3) {
    memcpy(hull, p, sizeof(po_vec3) * (size_t)n);
    return n;
  }
  for (i = 0; i < n; i++) {
    while (size >= 2 && patch_turn(chain[size - 2], chain[size - 1], p[i]) <= 0) size--;
    chain[size++] = p[i];
  }
  lower = size + 1;
  for (i = n - 2; i >= 0; i--) {
    while (size >= lower && patch_turn(chain[size - 2], chain[size - 1], p[i]) <= 0) size--;
    chain[size++] = p[i];
  }
  size--; /* the last point is the first */
  memcpy(hull, chain, sizeof(po_vec3) * (size_t)size);
  return size;
}

double po_hull_distance(po_vec3 *nearest, const po_vec3 *hull, int n, po_vec3 p) {
  double far = PO_INF;
  int i, inside = n >= 3;
  *nearest = p;
  for (i = 0; i < n; i++) {
    po_vec3 a = hull[i], e = po_v3_sub(hull[(i + 1) % n], a), r = po_v3_sub(p, a), at;
    double l2 = e.x * e.x + e.y * e.y, t = l2 > 0 ? po_clamp((r.x * e.x + r.y * e.y) / l2, 0, 1) : 0, dx, dy, dist;
    if (e.x * r.y - e.y * r.x < 0) inside = 0;
    at = po_v3_addscaled(a, t, e);
    dx = p.x - at.x;
    dy = p.y - at.y;
    dist = sqrt(dx * dx + dy * dy);
    if (dist >= far) continue;
    far = dist;
    *nearest = at;
  }
  return inside ? -far : far;
}
