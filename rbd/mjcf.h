/* mjcf.h (room-internal): what the files of the MJCF reader share. */
#ifndef PO_RBD_MJCF_H
#define PO_RBD_MJCF_H

#include "builder.h"
#include "mesh.h"

enum { PO_MJCF_FILES = 64, PO_MJCF_LEVELS = 66, PO_MJCF_NAME = 200, PO_MJCF_DEPTH = 512, PO_MJCF_PARTS = 200000, PO_MJCF_KINDS = 64 };

typedef struct po_mjcf_file { /* the file itself, then what it includes */
  po_xml *root;
  char name[256];
} po_mjcf_file;

typedef struct po_mjcf_class { /* one <default>; a class may have several */
  const char *name, *parent; /* parent NULL: the class of all */
  const po_xml *xml;
} po_mjcf_class;

typedef struct po_mjcf_drawn { /* how the file draws a joint: ref of its angle; place of a free body */
  double ref;
  po_pose pose;
} po_mjcf_drawn;

typedef struct po_mjcf_site {
  char name[PO_MJCF_NAME], link[PO_MJCF_NAME];
  const po_xml *node;
  po_pose pose;
} po_mjcf_site;

enum { PO_MJCF_NO, PO_MJCF_YES, PO_MJCF_AUTO };

typedef struct po_mjcf {
  const char *file_name;
  const po_urdf_opts *opts;
  po_error *err;
  po_builder *b;
  po_mjcf_file *file;
  int files;
  po_mjcf_class *cls;
  int classes;
  const char *main_class;
  /* <compiler> */
  double unit; /* radians per unit of an angle */
  char sequence[4];
  int autolimits, from_geom, balance, strip, groups[2];
  double least_mass, least_inertia, total_mass;
  const char *meshdir;
  /* what has been seen */
  const char *warned[PO_MJCF_KINDS];
  int warned_count, parts, unnamed, floor;
  po_mjcf_site *site; /* named when all bodies are there, whose names go first */
  int sites, site_room;
  double *key; /* qpos of the chosen key */
  int keys;
  const po_xml *key_node;
  po_mjcf_drawn *drawn; /* [links of the builder] */
  int drawn_room;
  po_status strict; /* not PO_OK: there was a warning, and opts->strict */
} po_mjcf;

/* An element with the defaults that stand behind it. */
typedef struct po_mjcf_element {
  const po_xml *node;
  const po_xml *level[PO_MJCF_LEVELS]; /* itself, then from the nearest default to the farthest */
  int levels;
} po_mjcf_element;

/* Where an element of a body stands: frames and replicates around it. */
typedef struct po_mjcf_place {
  po_pose pose;      /* of the frame, in the body's */
  const char *cls;   /* childclass in force */
  const char *suffix; /* of names; "" but in a replicate */
  int depth;
} po_mjcf_place;

/* ---- text (mjcf_text.c) ---- */
const char *po_mjcf_file_of(const po_mjcf *r, const po_xml *node);
#define PO_MJCF_FAIL(r, node, status, ...) po_fail_at((r)->err, status, po_mjcf_file_of(r, node), (node)->line, 0, __VA_ARGS__)
/* Once for each kind; `kind` is a literal. */
void po_mjcf_warn(po_mjcf *r, const po_xml *node, const char *kind, const char *format, ...) PO_PRINTF(4, 5);
/* A builder's error gets the place it came from. */
po_status po_mjcf_at(const po_mjcf *r, const po_xml *node, po_status status);
/* Defaults of `kind` ("geom", …) by the element's own class, or by the class of the place. */
po_status po_mjcf_open(po_mjcf *r, po_mjcf_element *e, const po_xml *node, const char *kind, const char *cls);
const char *po_mjcf_attr(const po_mjcf_element *e, const char *name);
/* At most `most` numbers into out; others stay. count (may be NULL): how many there were. Finite. */
po_status po_mjcf_numbers(po_mjcf *r, const po_mjcf_element *e, const char *name, double *out, int least, int most, int *count);
/* true, false or auto. */
po_status po_mjcf_flag(po_mjcf *r, const po_mjcf_element *e, const char *name, int *value);
/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
po_status po_mjcf_pose(po_mjcf *r, const po_mjcf_element *e, po_pose *pose);
/* The rotation that takes z into the direction by the shortest way. */
po_mat3 po_mjcf_turn_z(po_vec3 direction);
/* The element's name with the place's suffix, or `fallback` and a number. */
po_status po_mjcf_name(po_mjcf *r, const po_xml *node, const char *suffix, const char *fallback, char out[PO_MJCF_NAME]);
/* Whether a range counts: FLAG says so, or it stands there and limits are automatic. */
po_status po_mjcf_limited(po_mjcf *r, const po_mjcf_element *e, const char *flag, const char *range, int *on);

/* ---- files and defaults (mjcf_files.c) ---- */
po_status po_mjcf_load(po_mjcf *r, const char *text, size_t size);
void po_mjcf_unload(po_mjcf *r);
/* <default>s, <compiler>s, meshes. */
po_status po_mjcf_settings(po_mjcf *r);
/* Goes through a body's elements, frames and replicates opened. */
typedef po_status (*po_mjcf_visit)(po_mjcf *r, void *user, const po_xml *node, const po_mjcf_place *place);
po_status po_mjcf_walk(po_mjcf *r, const po_xml *inside, const po_mjcf_place *place, po_mjcf_visit visit, void *user);

/* ---- geoms (mjcf_geom.c) ---- */
typedef struct po_mjcf_solid { /* what a body's geoms add up to */
  const char *link;
  po_vec3 origin; /* the body's own origin in the link's frame */
  po_inertia sum;
  int want_inertia, in_world;
} po_mjcf_solid;
po_status po_mjcf_geom(po_mjcf *r, po_mjcf_solid *solid, const po_xml *node, const po_mjcf_place *place);
/* <inertial> */
po_status po_mjcf_inertial(po_mjcf *r, const po_xml *node, po_inertia *out);
/* Least masses, balance. */
po_status po_mjcf_tidy_inertia(const po_mjcf *r, po_inertia *inertia);

/* ---- actuators, keys, excludes (mjcf_drive.c) ---- */
po_status po_mjcf_motors(po_mjcf *r);
po_status po_mjcf_contacts(po_mjcf *r);
po_status po_mjcf_home(po_mjcf *r);

#endif
