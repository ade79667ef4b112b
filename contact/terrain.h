/* terrain.h: the ground that does not move: planes, boxes (stairs, stepping stones) and one height field.
 *
 *   making        po_terrain_dims_default  po_terrain_bytes  po_terrain_init  po_terrain_new  po_terrain_free  po_terrain_flat
 *   filling       po_terrain_add_plane  po_terrain_add_box  po_terrain_add_step  po_terrain_set_tag  po_terrain_set_field
 *   asking        po_terrain_height  po_terrain_surface_at  po_terrain_surface_below  po_terrain_gap  po_terrain_near_boxes
 *
 * A terrain is filled once and then only read: it may be shared by any number of worlds, controllers and threads. Planes are half
 * spaces (solid below), boxes are solid, the height field is solid below its surface and ends at its border. World axes, metres.
 * Each piece has a friction factor: a contact's coefficient is the product of the factors of its two sides (1 by default).
 */
#ifndef PO_TERRAIN_H
#define PO_TERRAIN_H

#include "../rbd/rbd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum po_terrain_kind { PO_TERRAIN_NONE, PO_TERRAIN_PLANE, PO_TERRAIN_BOX, PO_TERRAIN_FIELD } po_terrain_kind;

/* What a piece is there for. Planes and the field are ground, and boxes are until they are tagged. The simulation does not care; who judges does: what lies
 * on the ground has fallen, what touches an obstacle or a bar has only touched it. */
typedef enum po_terrain_tag {
  PO_TAG_GROUND,   /* to be stood on */
  PO_TAG_OBSTACLE, /* to be stepped over */
  PO_TAG_BAR,      /* to be passed under */
  PO_TAGS
} po_terrain_tag;
#define PO_TAG_BIT(tag) (1u << (tag))
#define PO_ANY_TAG (PO_TAG_BIT(PO_TAGS) - 1)

typedef struct po_terrain_plane { /* solid where normal·x < offset */
  po_vec3 normal;                 /* unit */
  double offset, mu;
} po_terrain_plane;

typedef struct po_terrain_box {
  po_pose pose;                   /* centre and axes in the world */
  po_vec3 half;                   /* half extents */
  po_vec3 low, high;              /* its axis-aligned bounds */
  double mu;
  po_terrain_tag tag;
} po_terrain_box;

/* Samples z[iy·nx + ix] at (x0 + ix·dx, y0 + iy·dy). Each cell is two flat triangles that meet on the diagonal from its low corner
 * (ix, iy) to its high corner (ix+1, iy+1). */
typedef struct po_height_field {
  int nx, ny;
  double x0, y0, dx, dy, mu;
  double low, high;               /* least and greatest sample */
  double *z;
} po_height_field;

typedef struct po_terrain { /* read it as you like; write it through the functions below */
  int planes, boxes, max_planes, max_boxes, max_samples;
  po_terrain_plane *plane;
  po_terrain_box *box;
  po_height_field field; /* nx == 0: there is none */
  int *by_x;             /* [boxes] by their low x, */
  double *far_x;         /* [boxes] and the greatest high x of each of these and all before it */
} po_terrain;

/* ---- making ------------------------------------------------------------------------------------------------------------ */

typedef struct po_terrain_dims {
  int planes, boxes, samples; /* at most so many; samples = nx·ny of the height field, 0 for none */
} po_terrain_dims;
po_terrain_dims po_terrain_dims_default(void); /* 4 planes, 64 boxes, no field */

size_t po_terrain_bytes(const po_terrain_dims *dims);
po_status po_terrain_init(po_terrain *terrain, const po_terrain_dims *dims, void *mem, size_t bytes);
po_status po_terrain_new(po_terrain **terrain, const po_terrain_dims *dims); /* dims NULL: the default */
void po_terrain_free(po_terrain *terrain);                                   /* of po_terrain_new; NULL is fine */
/* The plane z = 0. A constant of the library: needs no memory, must not be freed or changed. */
const po_terrain *po_terrain_flat(void);

/* ---- filling: PO_ERR_MEMORY when full, PO_ERR_RANGE or PO_ERR_NOT_FINITE for what makes no sense ------------------------------ */

/* The half space normal·x < offset is solid. The normal need not have unit length; a zero one is PO_ERR_RANGE. */
po_status po_terrain_add_plane(po_terrain *terrain, po_vec3 normal, double offset, double mu);
/* Solid box; pose.R must be a rotation, half extents positive. */
po_status po_terrain_add_box(po_terrain *terrain, po_pose pose, po_vec3 half, double mu);
/* The same by bounds along the world's axes, which is what stairs and stones are made of. */
po_status po_terrain_add_step(po_terrain *terrain, po_vec3 low, po_vec3 high, double mu);
/* What the index-th box is there for: PO_ERR_RANGE when there is no such box or tag. */
po_status po_terrain_set_tag(po_terrain *terrain, int box, po_terrain_tag tag);
/* Copies nx·ny ≥ 2·2 samples (row iy by row); dx, dy > 0. Replaces an earlier field. */
po_status po_terrain_set_field(po_terrain *terrain, int nx, int ny, double x0, double y0, double dx, double dy, const double *z, double mu);

/* ---- asking ------------------------------------------------------------------------------------------------------------- */

typedef struct po_surface {
  double height;        /* z, world */
  po_vec3 normal;       /* unit, out of the solid */
  double mu;
  po_terrain_kind kind; /* PO_TERRAIN_NONE when there is nothing: height −inf, normal up */
  int index;            /* which plane or box; the triangle's cell·2 + (0 or 1) for the field */
  po_terrain_tag tag;   /* ground, but for boxes that are tagged */
} po_surface;

/* z of the topmost surface on the vertical through (x, y); −inf when there is none. Walls and overhangs are no surface. */
double po_terrain_height(const po_terrain *terrain, double x, double y);
/* The same with all that is known about it. */
po_surface po_terrain_surface_at(const po_terrain *terrain, double x, double y);
/* The topmost of those that are not above z and whose tag's bit is in `tags`: what is below a foot that passes under a bar, or below a body that steps over
 * an obstacle. A point inside a solid is below that solid's surface and does not find it: ask from somewhat above what stands there. */
po_surface po_terrain_surface_below(const po_terrain *terrain, double x, double y, double z, unsigned tags);
/* Indices of the boxes whose bounds meet low_x … high_x, ascending; how many, or −1 when there are more than `most`: then all must be looked at. */
int po_terrain_near_boxes(int *index, int most, const po_terrain *terrain, double low_x, double high_x);
/* Signed distance from a point to the nearest solid, negative inside (exact for planes and boxes; for the field the distance to the
 * plane of the triangle above or below). +inf when there is none. *surface (may be NULL) tells which; its height is that of the
 * nearest surface point. */
double po_terrain_gap(po_surface *surface, const po_terrain *terrain, po_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
