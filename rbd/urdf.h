/* urdf.h (room-internal): what the reader of URDF files shares between its files. */
#ifndef PO_RBD_URDF_H
#define PO_RBD_URDF_H

#include "builder.h"

enum { PO_URDF_KINDS = 32 };

typedef struct po_urdf_link {
  const char *name;
  const po_xml *xml;
  int joint;                /* that carries it, −1: none */
  int child, last, sibling; /* lists of joints, in file order */
} po_urdf_link;

typedef struct po_urdf_joint {
  const char *name;
  const po_xml *xml;
  int parent, child; /* links */
  int sibling;
} po_urdf_joint;

typedef struct po_urdf_reader {
  const char *file;
  const po_urdf_opts *opts;
  po_error *err;
  po_urdf_link *link;
  po_urdf_joint *joint;
  int links, joints;
  po_name_table link_names, joint_names;
  po_builder *b;
  const struct po_paths *paths; /* opts->paths, or those beside the file */
  const po_xml *kind[PO_URDF_KINDS]; /* of elements that are not used, the first of each */
  int kinds;
  int lines; /* blank ones before the first element, which the XML reader has not seen */
  po_status strict; /* not PO_OK: there was a warning, and opts->strict */
} po_urdf_reader;

#define PO_URDF_FAIL(r, node, status, ...) po_fail_at((r)->err, status, (r)->file, (node)->line + (r)->lines, 0, __VA_ARGS__)
/* A warning; with opts->strict the first one is an error, which is returned when all is read. */
void po_urdf_warn(po_urdf_reader *r, const po_xml *node, const char *format, ...) PO_PRINTF(3, 4);
/* A builder's error gets the place it came from. */
po_status po_urdf_at(const po_urdf_reader *r, const po_xml *node, po_status status);
/* Exactly n numbers separated by blanks; or a single one for all when `spread`. Commas and numbers too many are warned about. */
po_status po_urdf_numbers(po_urdf_reader *r, const po_xml *node, const char *attribute, const char *owner, double *out, int n, int spread);
/* As above, finite, and the fallback when the attribute is missing. */
po_status po_urdf_finite(po_urdf_reader *r, const po_xml *node, const char *attribute, const char *owner, double *out, int n);
po_status po_urdf_origin(po_urdf_reader *r, const po_xml *parent, const char *owner, po_pose *pose);
/* What the link collides with (urdf_shapes.c). */
po_status po_urdf_shapes(po_urdf_reader *r, const po_urdf_link *link, const po_inertia *inertia);

#endif
