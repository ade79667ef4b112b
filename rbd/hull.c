/* hull.c: convex hulls of points: which of many corners are kept, and what is done where there is no volume (docs/hulls.md). */
#include "mesh_internal.h"
#include <string.h>

#define HULL_FLAT 1e-4    /* thinner than this share of the extent is flat: */
#define HULL_PLATE 1e-3   /* and gets this share of it on either side */
#define HULL_GRAIN 1e-4   /* half the size, in metres, of what has no extent */
#define HULL_KEPT 0.75    /* share of the corners that the face to be kept may take */
#define HULL_TOWARD 0.7   /* cosine to `keep` below which a face does not look that way */

po_hull_opts po_hull_opts_default(void) {
  po_hull_opts o;
  o.max_vertices = PO_HULL_VERTICES;
  o.keep = po_v3(0, 0, 0);
  return o;
}

/* ---- flat input --------------------------------------------------------------------------------------------------------------- */

static int hull_far(const po_vec3 *p, int n, po_vec3 from) {
  double best = -1;
  int i, far = 0;
  for (i = 0; i < n; i++) {
    po_vec3 d = po_v3_sub(p[i], from);
    if (po_v3_dot(d, d) > best) best = po_v3_dot(d, d), far = i;
  }
  return far;
}

/* Directions in which the points have no thickness: 0 to 3 of them, and how thick they are to be made. */
static int hull_thin(po_vec3 thin[3], double *half, const po_vec3 *p, int n) {
  po_vec3 a = p[hull_far(p, n, p[0])], b = p[hull_far(p, n, a)], along = po_v3_sub(b, a), normal = po_v3(0, 0, 0), u;
  double extent = po_v3_norm(along), best = 0, lo = 0, hi = 0;
  int i;
  *half = HULL_PLATE * extent;
  if (!(extent > 1e-6 * HULL_GRAIN)) {
    for (i = 0; i < 3; i++) thin[i] = po_v3(i == 0, i == 1, i == 2);
    *half = HULL_GRAIN;
    return 3;
  }
  u = po_v3_scale(1 / extent, along);
  for (i = 0; i < n; i++) {
    po_vec3 c = po_v3_cross(u, po_v3_sub(p[i], a));
    if (po_v3_dot(c, c) > best) best = po_v3_dot(c, c), normal = c;
  }
  if (sqrt(best) < HULL_FLAT * extent) {
    po_v3_tangents(&thin[0], &thin[1], u);
    return 2;
  }
  thin[0] = po_v3_unit(normal);
  for (i = 0; i < n; i++) {
    double z = po_v3_dot(thin[0], po_v3_sub(p[i], a));
    lo = po_min(lo, z);
    hi = po_max(hi, z);
  }
  return hi - lo < HULL_FLAT * extent;
}

/* Points with those that give them thickness: every point on both sides, along every direction that lacks it. */
static po_vec3 *hull_inflate(int *count, const po_vec3 *p, int n) {
  po_vec3 thin[3], *out;
  double half;
  int sides = hull_thin(thin, &half, p, n), copies = 1 << sides, i, k, c;
  if ((size_t)n > ((size_t)1 << 30) / sizeof *p / (size_t)copies) return NULL;
  out = (po_vec3 *)po_alloc(sizeof *out * (size_t)n * (size_t)copies);
  if (!out) return NULL;
  for (i = 0; i < n; i++)
    for (c = 0; c < copies; c++) {
      po_vec3 x = p[i];
      for (k = 0; k < sides; k++) x = po_v3_addscaled(x, (c >> k) & 1 ? half : -half, thin[k]);
      out[i * copies + c] = x;
    }
  *count = n * copies;
  return out;
}

/* ---- all corners, or some ------------------------------------------------------------------------------------------------------ */

static po_status hull_of_all(po_hull **hull, const po_vec3 *p, int n, int *origin, po_error *err) {
  po_hull_quick h;
  po_status s;
  po_hull_quick_new(&h, p, n);
  if (!po_hull_quick_begin(&h) && !h.failed) {
    po_hull_quick_free(&h);
    return po_fail(err, PO_ERR_MODEL, "the points are too flat for a hull");
  }
  po_hull_quick_all(&h);
  s = po_hull_faces(hull, &h, p, origin, err);
  po_hull_quick_free(&h);
  return s;
}

/* Corners of the face that looks along `keep` most of those at the corner farthest that way. */
static void hull_kept(unsigned char *kept, const po_hull *h, po_vec3 keep) {
  double best = HULL_TOWARD, far = -PO_INF, reach = 0;
  int i, f, face = -1, corner;
  keep = po_v3_unit(keep);
  for (i = 0; i < h->vertices; i++) {
    double d = po_v3_dot(keep, h->vertex[i]);
    kept[i] = 0;
    far = po_max(far, d);
    reach = po_max(reach, po_v3_norm(po_v3_sub(h->vertex[i], h->vertex[0])));
  }
  if (po_v3_norm(keep) == 0) return;
  for (f = 0; f < h->faces; f++) {
    const po_hull_face *x = &h->face[f];
    double look = po_v3_dot(keep, x->normal), top = -PO_INF;
    for (i = 0; i < x->count; i++) top = po_max(top, po_v3_dot(keep, h->vertex[h->loop[x->first + i]]));
    if (look > best && top >= far - 1e-6 * reach) best = look, face = f;
  }
  for (i = 0; face >= 0 && i < h->face[face].count; i++) {
    corner = h->loop[h->face[face].first + i];
    kept[corner] = 1;
  }
}

/* Adds the point that gains most, of those kept (or of all), until there are `most`. taken: which are corners. */
static int hull_grow(po_hull_quick *q, unsigned char *taken, const unsigned char *kept, int have, int most) {
  while (have < most && !q->failed) {
    double best = 0;
    int i, at = -1;
    for (i = 0; i < q->points; i++) {
      double gain;
      if (taken[i] || (kept && !kept[i])) continue;
      gain = po_hull_quick_gain(q, i);
      if (gain > best) best = gain, at = i;
      if (gain == 0 && !kept) taken[i] = 2; /* inside, and will stay there */
    }
    if (at < 0) break;
    po_hull_quick_add(q, at);
    taken[at] = 1;
    have++;
  }
  return have;
}

/* The corners that hold most volume, one at a time; in place, in their order. Gives how many; 0: out of memory. */
static int hull_choose(po_vec3 *out, const po_hull *all, const po_hull_opts *o) {
  unsigned char *kept = (unsigned char *)po_alloc(2 * (size_t)all->vertices), *taken;
  po_hull_quick q;
  int i, n = 0, have;
  if (!kept) return 0;
  taken = kept + all->vertices;
  hull_kept(kept, all, o->keep);
  po_hull_quick_new(&q, all->vertex, all->vertices);
  if (po_hull_quick_begin(&q)) {
    for (i = 0; i < 3; i++) taken[q.t[0].v[i]] = taken[q.t[1].v[i]] = 1;
    have = hull_grow(&q, taken, kept, 4, o->max_vertices < 8 ? o->max_vertices : (int)(HULL_KEPT * o->max_vertices));
    hull_grow(&q, taken, NULL, have, o->max_vertices);
  }
  for (i = 0; i < all->vertices && !q.failed; i++)
    if (taken[i] == 1) out[n++] = all->vertex[i];
  po_hull_quick_free(&q);
  po_free(kept);
  return n;
}

/* Until all points are corners: what comes out goes in again unchanged. */
static po_status hull_settle(po_hull **hull, po_vec3 *p, int n, po_error *err) {
  po_hull *h = NULL;
  po_status s;
  int k;
  for (k = 0; k < 4; k++) {
    po_hull_free(h);
    h = NULL;
    if ((s = hull_of_all(&h, p, n, NULL, err)) != PO_OK) return s;
    if (h->vertices == n) break;
    n = h->vertices;
    memcpy(p, h->vertex, sizeof *p * (size_t)n);
  }
  *hull = h;
  return PO_OK;
}

po_status po_hull_new(po_hull **hull, const po_vec3 *point, int count, const po_hull_opts *opts, po_error *err) {
  po_hull_opts o = opts ? *opts : po_hull_opts_default();
  po_hull *all = NULL;
  po_vec3 *p;
  po_status s;
  int n = 0, i;
  if (!hull || (!point && count > 0)) return po_fail(err, PO_ERR_NULL, "po_hull_new: hull and points are needed");
  if (count < 1) return po_fail(err, PO_ERR_SIZE, "a hull needs points");
  if (o.max_vertices < 0 || (o.max_vertices > 0 && o.max_vertices < 4)) return po_fail(err, PO_ERR_RANGE, "a hull has at least 4 corners, not %d", o.max_vertices);
  for (i = 0; i < count; i++) /* 1e100: products of three still are finite */
    if (!(po_abs(point[i].x) < 1e100 && po_abs(point[i].y) < 1e100 && po_abs(point[i].z) < 1e100))
      return po_fail(err, PO_ERR_NOT_FINITE, "point %d of a hull is not finite", i + 1);
  p = hull_inflate(&n, point, count);
  if (!p) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  s = hull_of_all(&all, p, n, NULL, err);
  if (s == PO_OK) {
    n = all->vertices;
    if (o.max_vertices > 0 && n > o.max_vertices) n = hull_choose(p, all, &o);
    else memcpy(p, all->vertex, sizeof *p * (size_t)n);
    s = n ? hull_settle(hull, p, n, err) : po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  po_hull_free(all);
  po_free(p);
  return s;
}

void po_hull_free(po_hull *hull) { po_free(hull); }

po_inertia po_hull_inertia(const po_hull *h, double density) {
  po_mesh_sums m = {0, {0, 0, 0}, {{0}}};
  po_vec3 o = po_v3(0, 0, 0);
  int f, i;
  for (i = 0; i < h->vertices; i++) o = po_v3_addscaled(o, 1.0 / h->vertices, h->vertex[i]);
  for (f = 0; f < h->faces; f++) {
    const int *v = &h->loop[h->face[f].first];
    for (i = 1; i + 1 < h->face[f].count; i++)
      po_mesh_add_tetrahedron(&m, po_v3_sub(h->vertex[v[0]], o), po_v3_sub(h->vertex[v[i]], o), po_v3_sub(h->vertex[v[i + 1]], o), 0);
  }
  return po_mesh_sums_inertia(&m, density, o);
}
