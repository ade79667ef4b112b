/* builder.h (room-internal): what a po_builder holds between po_builder_link and po_builder_finish. */
#ifndef PO_RBD_BUILDER_H
#define PO_RBD_BUILDER_H

#include "mesh.h"

typedef struct po_builder_link_entry {
  char *name;     /* owned */
  int parent;     /* index of the parent link, −1 for the root */
  po_joint joint; /* joint.name is owned */
  po_inertia inertia;
  int line; /* in the file it came from; 0: none */
} po_builder_link_entry;

typedef struct po_builder_frame_entry {
  char *name; /* owned */
  int link;
  po_pose pose;
} po_builder_frame_entry;

typedef struct po_builder_shape_entry {
  int link;
  po_shape shape;
} po_builder_shape_entry;

/* Names to numbers, open addressing. Big files must not make name checks quadratic. */
typedef struct po_name_table {
  const char **name;
  int *value;
  int count, capacity; /* a power of two */
} po_name_table;
int po_names_find(const po_name_table *table, const char *name);           /* −1 when absent */
po_status po_names_add(po_name_table *table, const char *name, int value); /* the text must outlive the table */
void po_names_free(po_name_table *table);

struct po_builder {
  char *name;
  po_builder_link_entry *link;
  po_builder_frame_entry *frame;
  po_builder_shape_entry *shape;
  int links, link_capacity, frames, frame_capacity, shapes, shape_capacity;
  int root;                     /* −1 until there is one */
  po_name_table places, joints; /* links: index; frames: −2 − index */
  const char *file;             /* where it is read from and the line of what is added next, for messages; NULL and 0: none */
  int line;
  double *home; /* owned; of po_model.home, when it has as many numbers as the model coordinates */
  int home_count;
  int lenient; /* 1: inertias that no body has are taken as they stand, unless M could not be inverted with them */
  /* Called for each body that would be refused for its mass or inertia, with what it is given instead; NULL: it is refused. */
  void (*mended)(void *user, const char *link, int line, const char *what);
  void *mended_user;
};

po_status po_joint_check(const po_joint *joint, const char *link, po_error *err);
/* Finite, symmetric, mass not negative. */
po_status po_inertia_check(const po_inertia *inertia, const char *link, po_error *err);
/* Whether some distribution of mass has it. Published files break this for small parts; a moving body as a whole must not. */
int po_inertia_is_physical(const po_inertia *inertia);
/* The same about every axis more by what it lacks to be physical: nothing when it is. */
double po_inertia_lack(const po_inertia *inertia);
/* Whether its principal moments are not negative, so that a mass matrix made of such bodies can be inverted. */
int po_inertia_is_positive(const po_inertia *inertia);
/* A hull as a shape: it is the builder's from now on, even when this fails. */
po_status po_builder_own_hull(po_builder *builder, const char *link, po_pose pose, po_hull *hull, po_error *err);
/* The hull of these points, which are its corners as it was written: they stay where they are and in their order. */
po_status po_builder_hull_as_it_is(po_builder *builder, const char *link, po_pose pose, const po_vec3 *point, int count, po_error *err);
/* Both rigidly joined: `child` sits at `pose` in the frame of `into`. */
po_inertia po_inertia_merge(po_inertia into, po_inertia child, po_pose pose);
po_pose po_pose_identity(void);
po_pose po_pose_mul(po_pose a, po_pose b); /* x_a = a (b x) */
int po_joint_nq(po_joint_type type);
int po_joint_nv(po_joint_type type);

#endif
