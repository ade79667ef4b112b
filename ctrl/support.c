/* support.c: which sole corners stand on the terrain, judged by their gap alone: the controller never reads the simulator's forces. */
#include "ctrl_internal.h"
#include <string.h>

/* A corner counts as touching below 1 mm and stays so up to 4 mm: the hysteresis keeps a contact from flickering. */
#define SUPPORT_ON 1e-3
#define SUPPORT_OFF 4e-3

static int support_foot(po_sole *s, const po_model *m, char side) {
  char name[16];
  int k;
  memset(s, 0, sizeof *s);
  s->name = side == 'l' ? "foot_l" : "foot_r";
  s->body = po_find_body(m, s->name);
  po_format(name, sizeof name, "heel_%c", side);
  s->heel = po_find_frame(m, name);
  po_format(name, sizeof name, "toe_%c", side);
  s->toe = po_find_frame(m, name);
  if (s->body < 0 || s->heel < 0 || s->toe < 0) return 0;
  for (k = 0; k < 4; k++) {
    po_format(name, sizeof name, "sole_%c_%d", side, k);
    s->corner[k] = po_find_frame(m, name);
    if (s->corner[k] < 0) return 0;
    s->corner_point[k] = m->frame[s->corner[k]].pose.p;
  }
  s->normal = po_v3(0, 0, 1);
  return 1;
}

po_status po_support_init(po_support *s, const po_model *m, const po_terrain *terrain, po_error *err) {
  if (!s || !m || !terrain) return po_fail(err, PO_ERR_NULL, "support needs a model and a terrain");
  s->terrain = terrain;
  s->feet = support_foot(&s->foot[0], m, 'l') + support_foot(&s->foot[1], m, 'r');
  if (s->feet < 2)
    return po_fail(err, PO_ERR_NAME, "model '%s' has no feet to stand on: links foot_l, foot_r and frames heel_, toe_, sole_l_0 ... 3 are needed",
                   m->name ? m->name : "");
  return PO_OK;
}

void po_support_update(po_support *s, const po_data *d) {
  int f, k;
  for (f = 0; f < s->feet; f++) {
    po_sole *sole = &s->foot[f];
    po_vec3 sum = po_v3(0, 0, 0);
    for (k = 0; k < 4; k++) {
      po_surface at;
      sole->gap[k] = po_terrain_gap(s->terrain, po_point_position(d, sole->body, sole->corner_point[k]), &at);
      sole->touching[k] = sole->gap[k] < (sole->touching[k] ? SUPPORT_OFF : SUPPORT_ON);
      sum = po_v3_add(sum, at.normal);
    }
    sole->normal = po_v3_norm(sum) > 0 ? po_v3_unit(sum) : po_v3(0, 0, 1);
  }
}

int po_support_count(const po_support *s) {
  int f, k, n = 0;
  for (f = 0; f < s->feet; f++)
    for (k = 0; k < 4; k++) n += s->foot[f].touching[k];
  return n;
}

po_vec3 po_support_centroid(const po_support *s, const po_data *d, unsigned feet) {
  po_vec3 sum = po_v3(0, 0, 0);
  int f, k, n = 0;
  for (f = 0; f < s->feet; f++)
    for (k = 0; k < 4 && (feet & (1u << f)); k++, n++)
      sum = po_v3_add(sum, po_point_position(d, s->foot[f].body, s->foot[f].corner_point[k]));
  return n ? po_v3_scale(1.0 / n, sum) : sum;
}

/* Twice the signed area of (o, a, b) seen from above. */
static double support_turn(po_vec3 o, po_vec3 a, po_vec3 b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/* Andrew's monotone chain. */
int po_support_hull(const po_support *s, const po_data *d, po_vec3 hull[8]) {
  po_vec3 p[8], chain[17];
  int f, k, i, j, n = 0, size = 0, lower;
  for (f = 0; f < s->feet; f++)
    for (k = 0; k < 4; k++)
      if (s->foot[f].touching[k]) p[n++] = po_point_position(d, s->foot[f].body, s->foot[f].corner_point[k]);
  for (i = 1; i < n; i++)
    for (j = i; j > 0 && (p[j].x < p[j - 1].x || (p[j].x == p[j - 1].x && p[j].y < p[j - 1].y)); j--) {
      po_vec3 t = p[j];
      p[j] = p[j - 1];
      p[j - 1] = t;
    }
  if (n < 3) {
    memcpy(hull, p, sizeof(po_vec3) * (size_t)n);
    return n;
  }
  for (i = 0; i < n; i++) {
    while (size >= 2 && support_turn(chain[size - 2], chain[size - 1], p[i]) <= 0) size--;
    chain[size++] = p[i];
  }
  lower = size + 1;
  for (i = n - 2; i >= 0; i--) {
    while (size >= lower && support_turn(chain[size - 2], chain[size - 1], p[i]) <= 0) size--;
    chain[size++] = p[i];
  }
  size--; /* the last point is the first */
  memcpy(hull, chain, sizeof(po_vec3) * (size_t)(size < 8 ? size : 8));
  return size < 8 ? size : 8;
}

double po_support_distance(const po_vec3 *hull, int n, po_vec3 p, po_vec3 *nearest) {
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
