/* table.h (room-internal): bodies written down as tables of links, the way published characters come (bodies_bird.c, bodies_walker.c).
 *
 * In its source a link's frame lies at its joint, and all frames are parallel when all angles are zero. That pose need not be one that the body
 * can stand in, so each joint also has a rest angle, which its placement takes up: our zero is the rest pose, and the source's rotation of
 * a joint is placement.R times ours; for a hinge, angle = rest + q. Limits are the source's, measured from the source's zero.
 */
#ifndef PO_RBD_TABLE_H
#define PO_RBD_TABLE_H

#include "bodies.h"

#define PO_TABLE_SHAPES 2

/* A sphere around `a`; a capsule whose half spheres are centred at a and b; a box between the corners a and b. */
typedef struct po_table_shape {
  char kind; /* 's', 'c', 'b'; 0: none */
  po_vec3 a, b;
  double radius;
} po_table_shape;

/* Names that end in an underscore stand for two: the left one as written, and its mirror image. */
typedef struct po_table_link {
  const char *link, *parent, *joint; /* parent NULL: the root, whose joint the maker chooses */
  const char *axes;                  /* "y", "z": hinge; "-y"; "yx", "yz": universal; "ball" */
  po_vec3 at;                        /* the joint in the parent's frame */
  double lower[3], upper[3];         /* per axis; for a ball about x, y, z */
  double rest;                       /* angle about the first axis in the rest pose; for a ball about y, or about x when `rest_x` */
  int rest_x;
  double effort;
  double mass;
  po_vec3 I, com; /* principal moments about the COM; the COM in the link's frame */
  po_table_shape shape[PO_TABLE_SHAPES];
} po_table_link;

/* Links from the root outwards; a joint of type `root` carries the first. */
void po_table_make(po_maker *m, const po_table_link *link, int count, po_joint_type root);

/* A planar body's foot is a capsule: two contacts, where a box would have four. It touches at heel and toe (x in the foot's frame) when
 * `bottom` is level; heel_, toe_ and sole_ frames lie there. */
void po_table_rocker(po_maker *m, const char *side, double heel, double toe, double bottom, double radius);

#endif
