/* collide_terrain.c: moving shapes against planes and against the height field. (Static boxes are boxes: collide_box.c.) */
#include "collide.h"

static void terrain_touch(po_touch *out, po_vec3 surface_of_a, po_vec3 normal, double gap, uint32_t feature) {
  out->normal = normal;
  out->gap = gap;
  out->point = po_v3_addscaled(surface_of_a, -0.5 * gap, normal);
  out->feature = feature;
}

/* Corner k of a box: bit 0, 1, 2 of k give the signs along its axes. */
static po_vec3 terrain_corner(const po_solid *a, int k) {
  return po_v3_add(a->p, po_m3_mul_v(a->R, po_v3(k & 1 ? a->size[0] : -a->size[0], k & 2 ? a->size[1] : -a->size[1], k & 4 ? a->size[2] : -a->size[2])));
}

/* The four corners of the face that looks against the normal most are the four deepest. */
static int terrain_box_plane(po_touch *out, const po_solid *a, const po_terrain_plane *plane, double margin) {
  double toward[3], most = -1;
  int k, face = 0, n = 0;
  for (k = 0; k < 3; k++) {
    toward[k] = po_v3_dot(plane->normal, po_m3_col(a->R, k));
    if (fabs(toward[k]) > most) {
      most = fabs(toward[k]);
      face = k;
    }
  }
  for (k = 0; k < 8; k++) {
    po_vec3 corner;
    double gap;
    if (((k >> face) & 1) == (toward[face] > 0)) continue;
    corner = terrain_corner(a, k);
    gap = po_v3_dot(plane->normal, corner) - plane->offset;
    if (gap <= margin) terrain_touch(&out[n++], corner, plane->normal, gap, (uint32_t)k);
  }
  return n;
}

int po_collide_plane(po_touch *out, const po_solid *a, const po_terrain_plane *plane, double margin) {
  int k, n = 0, ends = a->type == PO_CAPSULE ? 2 : 1;
  if (a->type == PO_BOX) return terrain_box_plane(out, a, plane, margin);
  if (a->type == PO_HULL) return po_collide_hull_plane(out, a, plane, margin);
  for (k = 0; k < ends; k++) {
    po_vec3 centre = ends == 1 ? a->p : po_v3_addscaled(a->p, k ? a->size[1] : -a->size[1], po_m3_col(a->R, 2));
    double gap = po_v3_dot(plane->normal, centre) - plane->offset - a->size[0];
    if (gap <= margin) terrain_touch(&out[n++], po_v3_addscaled(centre, -a->size[0], plane->normal), plane->normal, gap, (uint32_t)k);
  }
  return n;
}

/* ---- height field -------------------------------------------------------------------------------------------------------------- */

typedef struct field_range {
  int x0, x1, y0, y1; /* cells, inclusive */
} field_range;

static int field_cells(field_range *r, const po_height_field *f, po_vec3 low, po_vec3 high) {
  double a = (low.x - f->x0) / f->dx, b = (high.x - f->x0) / f->dx, c = (low.y - f->y0) / f->dy, d = (high.y - f->y0) / f->dy;
  if (low.z > f->high || !(b >= 0) || !(d >= 0) || !(a <= f->nx - 1) || !(c <= f->ny - 1)) return 0;
  r->x0 = a < 0 ? 0 : (int)a;
  r->y0 = c < 0 ? 0 : (int)c;
  r->x1 = b > f->nx - 2 ? f->nx - 2 : (int)b;
  r->y1 = d > f->ny - 2 ? f->ny - 2 : (int)d;
  if (r->x0 > f->nx - 2) r->x0 = f->nx - 2;
  if (r->y0 > f->ny - 2) r->y0 = f->ny - 2;
  return 1;
}

static po_vec3 field_sample(const po_height_field *f, int ix, int iy) {
  return po_v3(f->x0 + ix * f->dx, f->y0 + iy * f->dy, f->z[(size_t)iy * (size_t)f->nx + (size_t)ix]);
}

/* Nearest point of triangle abc to p (Ericson 2005, section 5.1.5). *inside: it lies in the interior. */
static po_vec3 field_nearest(po_vec3 p, po_vec3 a, po_vec3 b, po_vec3 c, int *inside) {
  po_vec3 ab = po_v3_sub(b, a), ac = po_v3_sub(c, a), ap = po_v3_sub(p, a), bp = po_v3_sub(p, b), cp = po_v3_sub(p, c);
  double d1 = po_v3_dot(ab, ap), d2 = po_v3_dot(ac, ap), d3 = po_v3_dot(ab, bp), d4 = po_v3_dot(ac, bp), d5 = po_v3_dot(ab, cp), d6 = po_v3_dot(ac, cp);
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  *inside = 0;
  if (d1 <= 0 && d2 <= 0) return a;
  if (d3 >= 0 && d4 <= d3) return b;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return po_v3_addscaled(a, d1 / (d1 - d3), ab);
  if (d6 >= 0 && d5 <= d6) return c;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return po_v3_addscaled(a, d2 / (d2 - d6), ac);
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return po_v3_addscaled(b, (d4 - d3) / (d4 - d3 + d5 - d6), po_v3_sub(c, b));
  *inside = 1;
  return po_v3_addscaled(po_v3_addscaled(a, vb / (va + vb + vc), ab), vc / (va + vb + vc), ac);
}

/* Adds a touch unless one with nearly the same normal is there already, in which case the deeper one stays. */
static int field_add(po_touch *out, int n, int from, const po_touch *t) {
  int k;
  for (k = from; k < n; k++)
    if (po_v3_dot(out[k].normal, t->normal) > 0.98) {
      if (t->gap < out[k].gap) out[k] = *t;
      return n;
    }
  if (n >= PO_MAX_TOUCHES) return n;
  out[n] = *t;
  return n + 1;
}

/* A ball against the triangles under it: one touch per slope that it touches inside a triangle; only when there is none, the nearest edge or
 * corner (a ridge). Edges within a slope would push sideways. `tag` tells the balls of a capsule apart. */
static int field_ball(po_touch *out, int n, const po_height_field *f, po_vec3 centre, double radius, double margin, uint32_t tag) {
  po_terrain one;
  po_surface under;
  po_touch t, edge;
  po_vec3 grow = po_v3(radius + margin, radius + margin, radius + margin);
  field_range r;
  int ix, iy, half, from = n;
  double gap;
  if (!field_cells(&r, f, po_v3_sub(centre, grow), po_v3_add(centre, grow))) return n;
  one.planes = one.boxes = one.max_planes = one.max_boxes = one.max_samples = 0;
  one.plane = NULL;
  one.box = NULL;
  one.field = *f;
  gap = po_terrain_gap(&under, &one, centre);
  edge.gap = PO_INF;
  if (under.kind == PO_TERRAIN_FIELD && gap < 0) { /* the centre is below the ground: out by the triangle above it */
    terrain_touch(&t, po_v3_addscaled(centre, -radius, under.normal), under.normal, gap - radius, tag);
    return field_add(out, n, from, &t);
  }
  for (iy = r.y0; iy <= r.y1; iy++)
    for (ix = r.x0; ix <= r.x1; ix++)
      for (half = 0; half < 2; half++) {
        po_vec3 a = field_sample(f, ix, iy), b = field_sample(f, ix + 1, iy + 1), c = half ? field_sample(f, ix, iy + 1) : field_sample(f, ix + 1, iy);
        int inside;
        po_vec3 at = field_nearest(centre, a, b, c, &inside), d = po_v3_sub(centre, at);
        double length = po_v3_norm(d);
        if (length > radius + margin || length < 1e-12) continue;
        terrain_touch(&t, po_v3_addscaled(centre, -radius / length, d), po_v3_scale(1 / length, d), length - radius, tag);
        if (inside) n = field_add(out, n, from, &t);
        else if (t.gap < edge.gap) edge = t;
      }
  return n == from && edge.gap < PO_INF ? field_add(out, n, from, &edge) : n;
}

static int field_box(po_touch *out, const po_solid *a, const po_height_field *f, double margin) {
  po_terrain one;
  po_touch found[8 + 24];
  field_range r;
  po_vec3 low, high;
  int k, n = 0, ix, iy, kept;
  po_solid_bounds(&low, &high, a, margin);
  if (!field_cells(&r, f, low, high)) return 0;
  one.planes = one.boxes = one.max_planes = one.max_boxes = one.max_samples = 0;
  one.plane = NULL;
  one.box = NULL;
  one.field = *f;
  for (k = 0; k < 8; k++) { /* corners of the box in the ground */
    po_surface s;
    po_vec3 corner = terrain_corner(a, k);
    double gap = po_terrain_gap(&s, &one, corner);
    if (s.kind == PO_TERRAIN_FIELD && gap <= margin) terrain_touch(&found[n++], corner, s.normal, gap, (uint32_t)k);
  }
  for (iy = r.y0; iy <= r.y1 + 1; iy++) /* peaks of the ground in the box */
    for (ix = r.x0; ix <= r.x1 + 1 && n < 32; ix++) {
      po_vec3 peak = field_sample(f, ix, iy), out_of_box;
      double x[3], normal[3], gap;
      po_v3_to(x, po_m3_tmul_v(a->R, po_v3_sub(peak, a->p)));
      gap = po_box_distance(a->size, x, normal);
      if (gap > margin) continue;
      out_of_box = po_m3_mul_v(a->R, po_v3_of(normal));
      if (out_of_box.z > -0.3) continue; /* the ground pushes up, not down */
      terrain_touch(&found[n++], po_v3_addscaled(peak, -gap, out_of_box), po_v3_neg(out_of_box), gap,
                    64u + (uint32_t)iy * (uint32_t)f->nx + (uint32_t)ix);
    }
  kept = po_touch_reduce(found, n, PO_MAX_TOUCHES);
  for (k = 0; k < kept; k++) out[k] = found[k];
  return kept;
}

int po_collide_field(po_touch *out, const po_solid *a, const po_height_field *f, double margin) {
  int k, n = 0, balls;
  if (f->nx == 0) return 0;
  if (a->type == PO_BOX) return field_box(out, a, f, margin);
  if (a->type == PO_HULL) return po_collide_hull_field(out, a, f, margin);
  if (a->type == PO_SPHERE) return field_ball(out, 0, f, a->p, a->size[0], margin, 0);
  /* a capsule is a row of balls: the ends, and enough between that no sample of the ground slips through */
  balls = 2 + (int)(2 * a->size[1] / po_max(po_min(f->dx, f->dy), a->size[0]));
  if (balls > 9) balls = 9;
  for (k = 0; k < balls; k++) {
    double s = a->size[1] * (2.0 * k / (balls - 1) - 1);
    po_touch here[PO_MAX_TOUCHES];
    int m = field_ball(here, 0, f, po_v3_addscaled(a->p, s, po_m3_col(a->R, 2)), a->size[0], margin, (uint32_t)k), i;
    for (i = 0; i < m; i++) {
      if (n == PO_MAX_TOUCHES) n = po_touch_reduce(out, n, PO_MAX_TOUCHES / 2);
      here[i].feature += 16u * (uint32_t)i;
      out[n++] = here[i];
    }
  }
  return n;
}
