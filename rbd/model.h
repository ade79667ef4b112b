/* model.h (room-internal): a model while it is assembled (model.c, nodes.c). */
#ifndef PO_RBD_MODEL_H
#define PO_RBD_MODEL_H

#include "builder.h"
#include "lanes.h"
#include "tree.h"

/* What is known about each link while a model is assembled. */
typedef struct po_model_plan {
  const po_builder *b;
  int *order;      /* [links] depth first, children in the order they were added */
  int *body;       /* [links] the body a link belongs to, −1: the world */
  po_pose *pose;   /* [links] its frame in that body's frame */
  int *first;      /* [nb] the link that gives body i its name */
  po_inertia *sum; /* [nb] */
  int *leaf;       /* [nb] 1: nothing moves on it */
  int *depth;      /* [nb] of the last node of body i below the root */
  int *width;      /* [nodes + 1] how many nodes are that deep */
  int nb, nq, nv, nodes, angles, frames, shapes, packed, groups;
  size_t text;
} po_model_plan;

typedef struct po_model_parts { /* the arrays of a model before they become const */
  po_model *model;
  struct po_model_fast *fast;
  const char **body_name;
  po_joint *joint;
  po_inertia *inertia;
  int *subtree_end, *dof_body, *dof_parent;
  po_frame *frame;
  po_shape *shape;
  const po_hull **hull; /* in the builder's order of shapes; NULL: no hull */
  po_node *node;
  int *body_node, *angle_q, *angle_at, *row, *depth, *run, *end;
  struct po_lane_plan *lanes;
  po_lane_group *group;
  po_mat3 *align;
  double *below, *home;
  char *text;
} po_model_parts;

/* Freedoms are taken by so many nodes. */
int po_model_nodes_of(po_joint_type type);
/* How many groups of four the nodes will make. */
int po_model_group_count(const po_model_plan *p);
/* Nodes, their groups of four and the rows of the factor, from joints and inertias. work: 3 (nodes + 2). Sets plan->packed. */
void po_model_nodes(po_model_parts *m, po_model_plan *p, int *work);

#endif
