/* collide.h (room-internal): shapes in the world, and the points where two of them touch or nearly do. */
#ifndef PO_COLLIDE_H
#define PO_COLLIDE_H

#include "contact.h"

typedef struct po_solid { /* a shape where it is now */
  po_shape_type type;
  po_mat3 R;
  po_vec3 p;
  double size[3];
  const struct po_hull *hull; /* of a PO_HULL only */
} po_solid;

typedef struct po_touch { /* between solids a and b */
  po_vec3 point;    /* half way between the two surfaces */
  po_vec3 normal;   /* unit, from b to a */
  double gap;
  uint32_t feature; /* which corner, edge or face pair: the same while the same features touch */
} po_touch;

#define PO_MAX_TOUCHES 8 /* of one pair; boxes keep 4 */

/* Touches of two solids with gap ≤ margin, at most PO_MAX_TOUCHES (4 for two boxes, or for a hull and anything but a height field); returns how many. */
int po_collide(po_touch *out, const po_solid *a, const po_solid *b, double margin);
int po_collide_round(po_touch *out, const po_solid *a, const po_solid *b, double margin); /* spheres and capsules */
int po_collide_round_box(po_touch *out, const po_solid *a, const po_solid *box, double margin);
int po_collide_boxes(po_touch *out, const po_solid *a, const po_solid *b, double margin);
int po_collide_hulls(po_touch *out, const po_solid *a, const po_solid *b, double margin);             /* at least one is a hull */
int po_collide_hull_plane(po_touch *out, const po_solid *hull, const po_terrain_plane *plane, double margin);
int po_collide_hull_field(po_touch *out, const po_solid *hull, const po_height_field *field, double margin);
int po_collide_plane(po_touch *out, const po_solid *a, const po_terrain_plane *plane, double margin);
int po_collide_field(po_touch *out, const po_solid *a, const po_height_field *field, double margin);

/* Axis-aligned bounds of a solid, grown by margin. */
void po_solid_bounds(po_vec3 *low, po_vec3 *high, const po_solid *a, double margin);

/* Signed distance to a box in its own axes, and the direction out of it (own axes). Convex in x. */
double po_box_distance(const double half[3], const double x[3], double normal[3]);

/* Keeps the most telling `keep` of n touches that share a normal: the deepest, then those that span the most. Deterministic. */
int po_touch_reduce(po_touch *touch, int n, int keep);

/* Without a branch between the six: in a crowd none of them can be predicted. */
static inline int po_bounds_overlap(const po_bounds *a, const po_bounds *b) {
  return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) & (a->low.z <= b->high.z) &
         (b->low.z <= a->high.z);
}

#endif
