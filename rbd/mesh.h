/* mesh.h: triangle meshes from files, and convex hulls, which is what collides.
 *
 *   reading  po_mesh_is  po_mesh_read  po_mesh_load  po_mesh_free
 *   using    po_mesh_place  po_mesh_inertia
 *   hulls    po_hull_opts_default  po_hull_new  po_hull_free  po_hull_inertia
 *   bodies   po_builder_hull  po_builder_cylinder  po_builder_ellipsoid
 *
 * STL (binary and ASCII), OBJ and COLLADA are read; a file that lies (counts beyond its end, indices of no vertex, NaN) is refused with a sentence. Units
 * of a COLLADA file become metres and its up axis becomes z; the others have neither. Hulls have at most 64 corners: docs/hulls.md.
 */
#ifndef PO_MESH_H
#define PO_MESH_H

#include "rbd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== meshes ============================================================================================================= */

typedef struct po_mesh {
  int vertices, triangles;
  po_vec3 *vertex;
  int (*triangle)[3]; /* anticlockwise seen from outside, if the file is right; a file of points alone has none */
} po_mesh;

/* Whether the name ends as a mesh's that can be read: .stl .obj .dae, in any case of letters. */
int po_mesh_is(const char *name);
/* From the file's bytes; the name says which format, and stands in messages. Equal vertices of an STL are one. To be freed with po_mesh_free. */
po_status po_mesh_read(po_mesh **mesh, const char *bytes, size_t size, const char *name, po_error *err);
void po_mesh_free(po_mesh *mesh);
/* x becomes R (scale · x) + p; scales may be negative, triangles then keep their outside. */
void po_mesh_place(po_mesh *mesh, po_vec3 scale, po_pose pose);

typedef enum po_mesh_solid {
  PO_MESH_EXACT,   /* integrals over what the triangles enclose */
  PO_MESH_UNSIGNED,/* of the pyramids from the surface's centre to every triangle, whichever way it looks: for triangles turned at random */
  PO_MESH_SHELL    /* of the surface: density is per area */
} po_mesh_solid;
/* PO_ERR_MODEL when what is enclosed is not positive. */
po_status po_mesh_inertia(po_inertia *inertia, const po_mesh *mesh, po_mesh_solid kind, double density, po_error *err);

/* Gives the bytes of the file at `path`, to be freed with po_free; PO_ERR_FILE when there is none. As po_read_file does. */
typedef po_status (*po_read_fn)(void *user, char **data, size_t *size, const char *path, size_t max_bytes, po_error *err);

/* Where meshes are looked for, in this order: the packages given; `meshes`; the folders of packages; and, for package://a/b/c.stl and other names alike, the
 * model's folder and every parent of it, for a/b/c.stl, then b/c.stl, then c.stl. Nothing else is opened: only names with a mesh's suffix, only below these
 * folders, and in a parent only what is named as of a package (a/b/c.stl as it stands) or has a folder named meshes, mesh or assets on its way. `..` at the
 * front of a name is dropped: what it means is found below a parent. */
typedef struct po_paths {
  const char *model;          /* the model's own file; NULL: it has no place, its meshes must be named as `read` knows them */
  const char *meshes;         /* MJCF's meshdir, from the model's folder or absolute; NULL: none */
  const char *const *package; /* "NAME=DIR", NULL-terminated; NULL: none */
  const char *search;         /* folders that hold packages, as in ROS_PACKAGE_PATH, separated by ':' or ';'; NULL: none */
  po_read_fn read;            /* NULL: po_read_file */
  void *user;
} po_paths;
/* Finds and reads a mesh by the name that a model calls it: package://NAME/…, model://NAME/…, file://…, or a path. PO_ERR_FILE when it is nowhere. */
po_status po_mesh_load(po_mesh **mesh, const char *name, const po_paths *paths, po_error *err);

/* ==== convex hulls ======================================================================================================== */

enum { PO_HULL_VERTICES = 64 };

typedef struct po_hull_face {
  po_vec3 normal; /* unit, outward */
  double offset;  /* normal · x = offset on it; no corner of the hull is beyond it (of more than 4096: but for the grid's rounding) */
  int first, count; /* its corners are vertex[loop[first]] … vertex[loop[first + count − 1]], anticlockwise seen from outside */
} po_hull_face;

typedef struct po_hull_edge {
  int from, to;    /* corners, as the face on its left runs */
  int left, right; /* faces */
} po_hull_edge;

typedef struct po_hull {
  int vertices, faces, edges, loops;
  po_vec3 *vertex;
  po_hull_face *face;
  po_hull_edge *edge;
  int *loop;
} po_hull;

typedef struct po_hull_opts {
  int max_vertices; /* PO_HULL_VERTICES; 0: as many as there are */
  po_vec3 keep;     /* a direction: the face that lies farthest that way keeps all its corners, before others are chosen; zero: none */
} po_hull_opts;
po_hull_opts po_hull_opts_default(void);
/* The hull of points, in any order and number. Of more corners than allowed those are kept that hold the most volume. Points in a plane, on a line or at one
 * place become a thin plate, rod or grain: a hull always has an inside. PO_ERR_NOT_FINITE, PO_ERR_SIZE (no points). To be freed with po_hull_free. */
po_status po_hull_new(po_hull **hull, const po_vec3 *point, int count, const po_hull_opts *opts, po_error *err);
void po_hull_free(po_hull *hull);
/* Of an even density; density 1: mass is the volume. */
po_inertia po_hull_inertia(const po_hull *hull, double density);

/* ==== on bodies =========================================================================================================== */

/* The hull of points (in the frame of `pose`) as a shape of the link. The face that is lowest when all joints are at zero keeps all its corners, so that what
 * is a sole stays one. Call it when the link and those above it are there. */
po_status po_builder_hull(po_builder *builder, const char *link, po_pose pose, const po_vec3 *point, int count, po_error *err);
/* Along z of the pose: a hull of 24 sides whose corners are on the cylinder's rims. */
po_status po_builder_cylinder(po_builder *builder, const char *link, po_pose pose, double radius, double half_length, po_error *err);
/* A hull of 62 corners that are on the ellipsoid. */
po_status po_builder_ellipsoid(po_builder *builder, const char *link, po_pose pose, const double radii[3], po_error *err);

#ifdef __cplusplus
}
#endif
#endif
