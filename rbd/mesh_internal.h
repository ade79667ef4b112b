/* mesh_internal.h (room-internal): what the readers of meshes share, and hulls while they are made. */
#ifndef PO_RBD_MESH_INTERNAL_H
#define PO_RBD_MESH_INTERNAL_H

#include "mesh.h"

/* A mesh while it is read: po_vec3 and int[3] behind each other. */
typedef struct po_mesh_maker {
  const char *name; /* of the file, for messages */
  po_buffer vertex, triangle;
  po_error *err;
} po_mesh_maker;

int po_mesh_vertices(const po_mesh_maker *m);
void po_mesh_vertex(po_mesh_maker *m, po_vec3 v);
void po_mesh_triangle(po_mesh_maker *m, int a, int b, int c);
/* Each reads one format into the maker; the caller checks indices, finiteness and memory. */
po_status po_mesh_stl(po_mesh_maker *m, const char *bytes, size_t size);
po_status po_mesh_obj(po_mesh_maker *m, const char *bytes, size_t size);
po_status po_mesh_dae(po_mesh_maker *m, const char *bytes, size_t size);

/* The next word of a text, blanks skipped, and the lines that went by; 0 at the end. */
typedef struct po_words {
  const char *at, *end;
  int line;
} po_words;
int po_words_next(po_words *w, const char **word, size_t *length);
/* 1 when the next word is a number as a whole. */
int po_words_double(po_words *w, double *value);

/* Mass and first and second moments, while they are summed; the density is 1. */
typedef struct po_mesh_sums {
  double mass;
  po_vec3 first;
  po_mat3 second;
} po_mesh_sums;
void po_mesh_add_tetrahedron(po_mesh_sums *m, po_vec3 a, po_vec3 b, po_vec3 c, int whichever); /* (0, a, b, c); whichever: its sign is dropped */
po_inertia po_mesh_sums_inertia(const po_mesh_sums *m, double density, po_vec3 origin);

/* A triangulated hull on a grid of integers, so that every sign is exact (hull_quick.c). */
typedef struct po_hull_triangle {
  int v[3];    /* points, anticlockwise from outside */
  int next[3]; /* the triangle across the side v[i] → v[i + 1] */
  int64_t n[3]; /* n · (x − corner) is six times the volume over the triangle: positive outside */
  int alive, seen, list; /* list: the first of the points outside that are waiting here, −1: none */
} po_hull_triangle;

typedef struct po_hull_quick {
  int points;
  int64_t (*x)[3];
  int *waits; /* [points] the next point of the same list */
  int *begins; /* [points] the new triangle that begins at this point of the horizon */
  po_hull_triangle *t;
  int triangles, capacity, free; /* free: those that are not alive, chained by next[0] */
  int *stack;                    /* [capacity] */
  int lowest;                    /* no triangle before this one has points waiting */
  int stamp, failed;             /* failed: out of memory */
} po_hull_quick;
/* Of points that are not all within a plane on the grid (else no triangles). Freed with po_hull_quick_free, whatever it returns. */
void po_hull_quick_new(po_hull_quick *h, const po_vec3 *point, int count);
void po_hull_quick_free(po_hull_quick *h);
/* A tetrahedron of far points; 0 when all are in a plane. */
int po_hull_quick_begin(po_hull_quick *h);
/* All points, farthest first. */
void po_hull_quick_all(po_hull_quick *h);
/* What the volume would gain by this point, times six; and makes it a corner. */
double po_hull_quick_gain(const po_hull_quick *h, int point);
void po_hull_quick_add(po_hull_quick *h, int point);
double po_hull_quick_cell(const po_vec3 *point, int count); /* the grid's spacing */

/* Corners, faces and edges from triangles (hull_faces.c); corners in the order of the points, `origin` (may be NULL): which those were. */
po_status po_hull_faces(po_hull **hull, const po_hull_quick *h, const po_vec3 *point, int *origin, po_error *err);
/* One in the arena; NULL while it only measures. */
po_hull *po_hull_lay(po_arena *arena, int vertices, int faces, int edges, int loops);
po_hull *po_hull_copy(po_arena *arena, const po_hull *hull, double scale);

#endif
