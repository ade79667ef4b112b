/* collide_hull.c: what a hull touches: hulls, boxes, capsules and spheres.
 *
 * The gap and its direction come from collide_gjk.c. Where a face of either looks along that direction, or nearly separates as well, the two touch along
 * it: the other's face is clipped against its sides, and at most four points are kept. Points have names that do not depend on whose face was taken: a corner of a,
 * a corner of b, or a crossing of an edge of a with an edge of b. So a stack keeps what it knew in the step before. */
#include "collide_hull.h"

/* As for boxes: preference of faces over edges and of a over b, relative to the smallest half extent; and corners that overhang by less than this share of it are
 * not cut off. */
#define HULL_BIAS 2e-3
#define HULL_GRACE 1e-2
/* Of points about as deep as the deepest (relative to the smallest half extent) the first is taken, so that rounding does not choose. */
#define HULL_EQUAL 1e-3
#define HULL_NEXT 2e-2 /* points nearer to each other than this share of it are one: two rows that say the same make a poor problem */
#define HULL_LEAN 0.02 /* rad: a foot may come down that far from flat */
#define HULL_SHORT 1e-3 /* share of a capsule's axis over a face below which it touches it by a point */
#define HULL_CORNERS (2 * PO_HULL_VERTICES + 8)

static double hull_thinnest(const po_solid *s) {
  if (s->type == PO_SPHERE || s->type == PO_CAPSULE) return s->size[0];
  return po_min(s->size[0], po_min(s->size[1], s->size[2]));
}

/* Keeps the four that tell most: one of the deepest, then, one by one, the point that is farthest from all chosen, less what it is higher than the deepest over
 * HULL_LEAN: where a body leans by that little, a near point that is lower meets the other one first, and on a rounded sole nothing else bears it. Of nearly
 * equal ones the first, and none that is next to a chosen one. */
static int hull_reduce(po_touch *out, const po_touch *all, int n, double thin) {
  double deepest = PO_INF, near2[HULL_CORNERS], high[HULL_CORNERS], next2 = HULL_NEXT * HULL_NEXT * thin * thin;
  int k, i, last;
  for (i = 0; i < n; i++) deepest = po_min(deepest, all[i].gap);
  for (i = 0; i < n; i++) {
    near2[i] = PO_INF;
    high[i] = (all[i].gap - deepest) * (1 / HULL_LEAN);
  }
  for (last = 0; last < n && all[last].gap > deepest + HULL_EQUAL * thin; last++) {}
  if (n < 1) return 0;
  out[0] = all[last];
  for (k = 1; k < 4; k++) {
    double best = -PO_INF;
    po_vec3 at = all[last].point;
    last = -1;
    for (i = 0; i < n; i++) {
      po_vec3 d = po_v3_sub(all[i].point, at);
      double score;
      near2[i] = po_min(near2[i], po_v3_dot(d, d));
      if (near2[i] < next2) continue;
      score = sqrt(near2[i]);
      if (0.99 * score - high[i] > best) {
        best = score - high[i];
        last = i;
      }
    }
    if (last < 0) break;
    out[k] = all[last];
  }
  return k;
}

/* ---- faces ---------------------------------------------------------------------------------------------------------------------- */

typedef struct hull_side { /* a face of a solid, in the world; a capsule's axis is one of two corners */
  po_vec3 point[PO_HULL_VERTICES], normal;
  int corner[PO_HULL_VERTICES]; /* which corners of the solid, or −1 for none */
  int n;
} hull_side;

/* Loops of a box's faces over its eight corners (bits: signs), anticlockwise from outside: −x +x −y +y −z +z. */
static const int hull_box_loop[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

/* The face whose normal is most along d (in the solid's axes): its index and cosine. */
static int hull_face_along(const po_solid *s, po_vec3 d, po_vec3 *normal) {
  double best = -PO_INF;
  int f, at = 0;
  if (s->type == PO_BOX) {
    double x[3];
    po_v3_to(x, d);
    for (f = 0; f < 3; f++)
      if (fabs(x[f]) > best) best = fabs(x[f]), at = 2 * f + (x[f] > 0);
    *normal = po_v3(at == 1 ? 1 : at == 0 ? -1 : 0, at == 3 ? 1 : at == 2 ? -1 : 0, at == 5 ? 1 : at == 4 ? -1 : 0);
    return at;
  }
  for (f = 0; f < s->hull->faces; f++) {
    double along = po_v3_dot(s->hull->face[f].normal, d);
    if (along > best) best = along, at = f;
  }
  *normal = s->hull->face[at].normal;
  return at;
}

static void hull_take_face(hull_side *out, const po_core *c, int face) {
  const po_solid *s = c->solid;
  const int *loop = s->type == PO_BOX ? hull_box_loop[face] : &s->hull->loop[s->hull->face[face].first];
  int i;
  out->n = s->type == PO_BOX ? 4 : s->hull->face[face].count;
  if (out->n > PO_HULL_VERTICES) out->n = PO_HULL_VERTICES;
  for (i = 0; i < out->n; i++) {
    out->corner[i] = loop[i];
    out->point[i] = po_v3_add(s->p, po_m3_mul_v(s->R, c->vertex[loop[i]]));
  }
}

/* How far along n (a direction of the world) the solid reaches against it. */
static double hull_least(const po_core *c, po_vec3 n) {
  po_vec3 d = po_m3_tmul_v(c->solid->R, n);
  double least = po_v3_dot(c->vertex[0], d);
  int i;
  for (i = 1; i < c->vertices; i++) least = po_min(least, po_v3_dot(c->vertex[i], d));
  return least + po_v3_dot(n, c->solid->p);
}

/* ---- clipping ------------------------------------------------------------------------------------------------------------------- */

typedef struct hull_corner {
  po_vec3 x;
  int leaves; /* the side that leaves it: of what is clipped, or PO_HULL_VERTICES + that of the reference */
} hull_corner;

/* Cuts the polygon to n · x ≤ limit. */
static int hull_clip(hull_corner *out, const hull_corner *in, int count, po_vec3 n, double limit, double grace, int plane) {
  int k, m = 0;
  for (k = 0; k < count; k++) {
    const hull_corner *p = &in[k], *q = &in[(k + 1) % count];
    double dp = po_v3_dot(n, p->x) - limit, dq = po_v3_dot(n, q->x) - limit;
    if (dp <= grace && m < HULL_CORNERS) out[m++] = *p;
    if ((dp <= grace) != (dq <= grace) && m < HULL_CORNERS) {
      out[m].x = po_v3_addscaled(p->x, po_clamp(dp / (dp - dq), 0, 1), po_v3_sub(q->x, p->x));
      out[m].leaves = dp <= grace ? PO_HULL_VERTICES + plane : p->leaves;
      m++;
    }
  }
  return m;
}

/* A name for an edge of a solid, by its corners. */
static uint32_t hull_edge_name(const hull_side *s, int side) {
  uint32_t a = (uint32_t)s->corner[side], b = (uint32_t)s->corner[(side + 1) % s->n];
  return a < b ? a << 6 | b : b << 6 | a;
}

/* What a corner of the clipped polygon is, by the sides before and after it. */
static uint32_t hull_name(const hull_side *ref, const hull_side *other, int before, int after, int flip) {
  uint32_t r, o;
  if (before < PO_HULL_VERTICES && after < PO_HULL_VERTICES) return (flip ? 0u : 64u) + (uint32_t)other->corner[after];
  if (before >= PO_HULL_VERTICES && after >= PO_HULL_VERTICES) return (flip ? 64u : 0u) + (uint32_t)ref->corner[after - PO_HULL_VERTICES];
  r = hull_edge_name(ref, (before >= PO_HULL_VERTICES ? before : after) - PO_HULL_VERTICES);
  o = hull_edge_name(other, before >= PO_HULL_VERTICES ? after : before);
  return 0x1000000u | (flip ? o << 12 | r : r << 12 | o);
}

/* A capsule's axis against a face: the ends of what is over it. They are named by the axis' ends, or by the side that cuts it. */
static int hull_axis_touches(po_touch *out, const hull_side *r, po_vec3 n, const po_core *axis, int flip, double margin, double grace) {
  const po_solid *s = axis->solid;
  po_vec3 p = po_v3_add(s->p, po_m3_mul_v(s->R, axis->vertex[0])), along = po_v3_sub(po_v3_add(s->p, po_m3_mul_v(s->R, axis->vertex[1])), p);
  double end[2] = {0, 1}, base = po_v3_dot(n, r->point[0]);
  uint32_t name[2];
  int k, found = 0;
  name[0] = flip ? 0 : 64;
  name[1] = name[0] + 1;
  for (k = 0; k < r->n; k++) {
    po_vec3 side = po_v3_unit(po_v3_cross(po_v3_sub(r->point[(k + 1) % r->n], r->point[k]), n));
    double over = po_v3_dot(side, po_v3_sub(p, r->point[k])), grows = po_v3_dot(side, along);
    int which = grows > 0;
    base = po_max(base, po_v3_dot(n, r->point[k]));
    if (over + which * grows <= grace) continue; /* its farther end is inside */
    if (over + (1 - which) * grows > grace) return 0;
    over = po_clamp(-over / grows, 0, 1);
    if (which ? over >= end[1] : over <= end[0]) continue;
    end[which] = over;
    name[which] = 0x1000000u | (uint32_t)which << 12 | hull_edge_name(r, k);
  }
  if (end[1] - end[0] < HULL_SHORT) return 0;
  for (k = 0; k < 2; k++) {
    po_vec3 x = po_v3_addscaled(p, end[k], along);
    double gap = po_v3_dot(n, x) - base - axis->radius;
    if (gap > margin) continue;
    out[found].normal = flip ? n : po_v3_neg(n);
    out[found].gap = gap;
    out[found].point = po_v3_addscaled(x, -(axis->radius + 0.5 * gap), n);
    out[found++].feature = name[k];
  }
  return found;
}

/* The face of `ref` with this normal against what of `other` looks at it. flip: ref is b. */
static int hull_face_touches(po_touch *out, const po_core *ref, int face, po_vec3 n, const po_core *other, int flip, double margin, double thin, double grace) {
  hull_side r, o;
  hull_corner poly[2][HULL_CORNERS];
  po_touch all[HULL_CORNERS];
  double base;
  int k, now = 0, count, found = 0;
  hull_take_face(&r, ref, face);
  if (other->solid->type == PO_CAPSULE) return hull_axis_touches(out, &r, n, other, flip, margin, grace);
  hull_take_face(&o, other, hull_face_along(other->solid, po_m3_tmul_v(other->solid->R, po_v3_neg(n)), &o.normal));
  count = o.n;
  for (k = 0; k < count; k++) {
    poly[0][k].x = o.point[k];
    poly[0][k].leaves = k;
  }
  for (k = 0; k < r.n && count > 0; k++) {
    po_vec3 side = po_v3_unit(po_v3_cross(po_v3_sub(r.point[(k + 1) % r.n], r.point[k]), n));
    count = hull_clip(poly[1 - now], poly[now], count, side, po_v3_dot(side, r.point[k]), grace, k);
    now = 1 - now;
  }
  base = po_v3_dot(n, r.point[0]);
  for (k = 1; k < r.n; k++) base = po_max(base, po_v3_dot(n, r.point[k]));
  for (k = 0; k < count; k++) {
    const hull_corner *c = &poly[now][k];
    double gap = po_v3_dot(n, c->x) - base;
    if (gap > margin) continue;
    all[found].normal = flip ? n : po_v3_neg(n);
    all[found].gap = gap;
    all[found].point = po_v3_addscaled(c->x, -0.5 * gap, n);
    all[found].feature = hull_name(&r, &o, poly[now][(k + count - 1) % count].leaves, c->leaves, flip);
    found++;
  }
  return hull_reduce(out, all, found, thin);
}

/* ---- pairs ---------------------------------------------------------------------------------------------------------------------- */

static int hull_has_faces(const po_solid *s) { return s->type == PO_BOX || s->type == PO_HULL; }

static uint32_t hull_point_name(const po_core_gap *g) {
  uint32_t name = 7;
  int i, a = -1, b = -1, c = -1, d = -1; /* least and greatest corner of each */
  for (i = 0; i < 3; i++) {
    if (g->a[i] >= 0 && (a < 0 || g->a[i] < a)) a = g->a[i];
    if (g->a[i] > b) b = g->a[i];
    if (g->b[i] >= 0 && (c < 0 || g->b[i] < c)) c = g->b[i];
    if (g->b[i] > d) d = g->b[i];
  }
  name = (uint32_t)(a & 63) << 18 | (uint32_t)(b & 63) << 12 | (uint32_t)(c & 63) << 6 | (uint32_t)(d & 63);
  return 0x1000000u | name;
}

int po_collide_hulls(po_touch *out, const po_solid *sa, const po_solid *sb, double margin) {
  po_core a, b;
  po_core_gap g;
  double thin = po_min(hull_thinnest(sa), hull_thinnest(sb)), bias = HULL_BIAS * thin, side_a = -PO_INF, side_b = -PO_INF, deepest = PO_INF, radius;
  po_vec3 na = po_v3(0, 0, 0), nb = na;
  int fa = 0, fb = 0, n = 0, k;
  po_core_of(&a, sa);
  po_core_of(&b, sb);
  radius = a.radius + b.radius;
  if (!po_core_distance(&g, &a, &b, margin + radius)) return 0;
  /* how well the faces separate that look at each other; a sphere has but one point */
  if (hull_has_faces(sa) && sb->type != PO_SPHERE) {
    fa = hull_face_along(sa, po_m3_tmul_v(sa->R, po_v3_neg(g.normal)), &na);
    na = po_m3_mul_v(sa->R, na);
    side_a = hull_least(&b, na) + hull_least(&a, po_v3_neg(na));
  }
  if (hull_has_faces(sb) && sa->type != PO_SPHERE) {
    fb = hull_face_along(sb, po_m3_tmul_v(sb->R, g.normal), &nb);
    nb = po_m3_mul_v(sb->R, nb);
    side_b = hull_least(&a, nb) + hull_least(&b, po_v3_neg(nb));
  }
  if (side_a >= g.gap - bias && side_a >= side_b - bias) n = hull_face_touches(out, &a, fa, na, &b, 0, margin, thin, HULL_GRACE * hull_thinnest(sa));
  else if (side_b >= g.gap - bias) n = hull_face_touches(out, &b, fb, nb, &a, 1, margin, thin, HULL_GRACE * hull_thinnest(sb));
  for (k = 0; k < n; k++) deepest = po_min(deepest, out[k].gap);
  if (deepest <= g.gap - radius + 2 * bias) return n; /* else they meet beside that face */
  out->normal = g.normal;
  out->gap = g.gap - radius;
  out->point = po_v3_scale(0.5, po_v3_add(po_v3_addscaled(g.on_a, -a.radius, g.normal), po_v3_addscaled(g.on_b, b.radius, g.normal)));
  out->feature = sa->type == PO_SPHERE || sb->type == PO_SPHERE ? 0 : hull_point_name(&g);
  return 1;
}

/* ---- terrain ---------------------------------------------------------------------------------------------------------------------- */

int po_collide_hull_plane(po_touch *out, const po_solid *a, const po_terrain_plane *plane, double margin) {
  const po_hull *h = a->hull;
  po_vec3 d = po_m3_tmul_v(a->R, plane->normal);
  double base = po_v3_dot(plane->normal, a->p) - plane->offset, gap[PO_HULL_VERTICES], least = PO_INF;
  po_touch all[PO_HULL_VERTICES];
  int i, n = 0, count = h->vertices < PO_HULL_VERTICES ? h->vertices : PO_HULL_VERTICES;
  for (i = 0; i < count; i++) {
    gap[i] = base + po_v3_dot(d, h->vertex[i]);
    least = po_min(least, gap[i]);
  }
  if (least > margin) return 0;
  for (i = 0; i < count; i++) {
    if (gap[i] > margin) continue;
    all[n].gap = gap[i];
    all[n].point = h->vertex[i]; /* in its own axes until four are chosen */
    all[n].feature = (uint32_t)i;
    n++;
  }
  n = hull_reduce(out, all, n, hull_thinnest(a));
  for (i = 0; i < n; i++) {
    out[i].normal = plane->normal;
    out[i].point = po_v3_addscaled(po_v3_add(a->p, po_m3_mul_v(a->R, out[i].point)), -0.5 * out[i].gap, plane->normal);
  }
  return n;
}
