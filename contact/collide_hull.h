/* collide_hull.h (room-internal): convex bodies made of corners: how far apart they are, and how deep in each other. */
#ifndef PO_COLLIDE_HULL_H
#define PO_COLLIDE_HULL_H

#include "../rbd/mesh.h"
#include "collide.h"

/* Corners of a solid in its own axes: of a hull, or of a box (8), a capsule (2) or a sphere (1) with a radius around them. */
typedef struct po_core {
  const po_solid *solid;
  const po_vec3 *vertex;
  int vertices;
  double radius;
  po_vec3 own[8];
} po_core;
void po_core_of(po_core *core, const po_solid *solid);

typedef struct po_core_gap {
  double gap;         /* distance of the cores; negative: how far one must be moved, at least, for them to part */
  po_vec3 normal;     /* unit, from b to a, world */
  po_vec3 on_a, on_b; /* world: nearest points, or those that are deepest in each other */
  int a[3], b[3];     /* the corners between which they lie; −1: none */
} po_core_gap;
/* 0 when the cores are farther apart than `most`; then nothing is set. */
int po_core_distance(po_core_gap *out, const po_core *a, const po_core *b, double most);

#endif
