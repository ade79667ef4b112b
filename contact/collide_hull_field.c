/* collide_hull_field.c: hulls on a height field: the hull's corners in the ground, and the ground's peaks in the hull. */
#include "collide_hull.h"

#define HULL_FIELD_MOST 128
#define HULL_FIELD_UP 0.3 /* the ground pushes up: faces that look down less than this have walls beside them, not ground below */

/* How far a point (in the hull's axes) is beyond the faces, and the face it is beyond most. Inside this is the depth. */
static double hull_field_beyond(const po_hull *h, po_vec3 x, int *face) {
  double most = -PO_INF;
  int f;
  for (f = 0; f < h->faces; f++) {
    double over = po_v3_dot(h->face[f].normal, x) - h->face[f].offset;
    if (over > most) most = over, *face = f;
  }
  return most;
}

static int hull_field_range(double low, double high, double origin, double step, int samples, int *first, int *last) {
  double a = (low - origin) / step, b = (high - origin) / step;
  if (!(b >= 0) || !(a <= samples - 1)) return 0;
  *first = a > 0 ? (int)a : 0;
  *last = b < samples - 1 ? (int)b + 1 : samples - 1;
  return 1;
}

int po_collide_hull_field(po_touch *out, const po_solid *a, const po_height_field *f, double margin) {
  const po_hull *h = a->hull;
  po_touch found[HULL_FIELD_MOST];
  po_terrain one = {0};
  po_vec3 low, high;
  int k, n = 0, ix, iy, x0, x1, y0, y1, face = 0, kept;
  po_solid_bounds(&low, &high, a, margin);
  if (low.z > f->high || !hull_field_range(low.x, high.x, f->x0, f->dx, f->nx, &x0, &x1) || !hull_field_range(low.y, high.y, f->y0, f->dy, f->ny, &y0, &y1)) return 0;
  one.field = *f;
  for (k = 0; k < h->vertices && n < HULL_FIELD_MOST; k++) {
    po_vec3 corner = po_v3_add(a->p, po_m3_mul_v(a->R, h->vertex[k]));
    po_surface s;
    double gap;
    if (corner.z > f->high + margin) continue;
    gap = po_terrain_gap(&s, &one, corner);
    if (s.kind != PO_TERRAIN_FIELD || gap > margin) continue;
    found[n].normal = s.normal;
    found[n].gap = gap;
    found[n].point = po_v3_addscaled(corner, -0.5 * gap, s.normal);
    found[n].feature = (uint32_t)k;
    n++;
  }
  for (iy = y0; iy <= y1; iy++)
    for (ix = x0; ix <= x1 && n < HULL_FIELD_MOST; ix++) {
      po_vec3 peak = po_v3(f->x0 + ix * f->dx, f->y0 + iy * f->dy, f->z[(size_t)iy * (size_t)f->nx + (size_t)ix]), down;
      double gap;
      if (peak.z < low.z) continue;
      gap = hull_field_beyond(h, po_m3_tmul_v(a->R, po_v3_sub(peak, a->p)), &face);
      if (gap > margin) continue;
      down = po_m3_mul_v(a->R, h->face[face].normal);
      if (down.z > -HULL_FIELD_UP) continue;
      found[n].normal = po_v3_neg(down);
      found[n].gap = gap;
      found[n].point = po_v3_addscaled(peak, -0.5 * gap, down);
      found[n].feature = 64u + (uint32_t)iy * (uint32_t)f->nx + (uint32_t)ix;
      n++;
    }
  kept = po_touch_reduce(found, n, PO_MAX_TOUCHES);
  for (k = 0; k < kept; k++) out[k] = found[k];
  return kept;
}
