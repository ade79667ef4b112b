/* map_internal.h (room-internal): what the files of anatomy and maps share. */
#ifndef PO_RBD_MAP_INTERNAL_H
#define PO_RBD_MAP_INTERNAL_H

#include "builder.h"
#include "map.h"

enum { PO_CHAIN_MAX = 64 };
typedef struct po_chain { /* bodies from below the root to a tip, each with the joint that moves it */
  int n, body[PO_CHAIN_MAX];
} po_chain;

/* Joints on the way to a body; the root's own is not among them. */
void po_chain_to(po_chain *chain, const po_model *model, int body);
/* How many bodies two chains have in common. */
int po_chain_common(const po_chain *a, const po_chain *b);
/* Axis in the world of a joint of one freedom; of one with more, `lateral`. */
po_vec3 po_chain_axis(const po_data *data, int body, po_vec3 lateral);

/* Where shapes of a body reach: corners as points with a radius. data: kinematics. Without shapes: of the box that has its inertia. Returns how many. */
enum { PO_REACH_MAX = 512 };
typedef struct po_reach_point {
  po_vec3 p; /* world */
  double radius;
} po_reach_point;
int po_body_points(po_reach_point point[PO_REACH_MAX], const po_data *data, int body);
/* Whether a box cannot be part of a robot whose joints lie within `height`: published inertias of parts without shapes are often those of boxes of two
 * metres, and readers make boxes of them. */
int po_shape_is_absurd(const po_shape *shape, double height);
/* From the lowest to the highest joint. */
double po_joints_height(const po_data *data, po_vec3 up);
/* How low a shape reaches along up; pose: its own, in the world. */
double po_shape_low(const po_shape *shape, po_pose pose, po_vec3 up);
double po_body_low(const po_data *data, int body, po_vec3 up);

/* Arms, trunk and head, once legs are known (anatomy_arms.c). data holds the zero pose. */
void po_map_find_arms(po_map *map, const po_data *data, const po_chain leg[2]);
/* The rest pose (map_rest.c). */
po_status po_map_find_rest(po_map *map, po_error *err);
/* Memory for one, with no parts. */
po_map *po_map_empty(const po_model *model);

#endif
