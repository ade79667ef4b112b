/* fuzz_mesh.h: any bytes as a mesh of one format: an error, or a mesh whose inertia and hull can be asked for. */
#ifndef FUZZ_MESH_H
#define FUZZ_MESH_H

#include "rbd/mesh.h"
#include <stdlib.h>
#include <string.h>

static inline void fuzz_mesh_require(int condition) {
  if (!condition) abort();
}

static inline void fuzz_mesh_hull(const po_mesh *mesh) {
  po_hull_opts o = po_hull_opts_default();
  po_hull *hull = NULL;
  int f, i;
  o.keep = po_v3(0, 0, -1);
  if (mesh->vertices > 5000 || po_hull_new(&hull, mesh->vertex, mesh->vertices, &o, NULL) != PO_OK) return;
  fuzz_mesh_require(hull->vertices >= 4 && hull->vertices <= PO_HULL_VERTICES && hull->vertices - hull->edges + hull->faces == 2);
  for (f = 0; f < hull->faces; f++)
    for (i = 0; i < hull->vertices; i++) fuzz_mesh_require(po_v3_dot(hull->face[f].normal, hull->vertex[i]) <= hull->face[f].offset);
  po_hull_free(hull);
}

static inline int fuzz_mesh(const uint8_t *bytes, size_t size, const char *name) {
  po_mesh *mesh = NULL;
  po_inertia inertia;
  po_pose pose;
  po_error err;
  po_status status;
  int i, k;
  memset(&err, 0, sizeof err);
  status = po_mesh_read(&mesh, (const char *)bytes, size, name, &err);
  fuzz_mesh_require((status == PO_OK) == (mesh != NULL));
  fuzz_mesh_require(status == PO_OK || err.message[0]);
  if (status != PO_OK) return 0;
  fuzz_mesh_require(mesh->vertices > 0);
  for (i = 0; i < mesh->vertices; i++) fuzz_mesh_require(po_all_finite(&mesh->vertex[i].x, 3));
  for (i = 0; i < mesh->triangles; i++)
    for (k = 0; k < 3; k++) fuzz_mesh_require(mesh->triangle[i][k] >= 0 && mesh->triangle[i][k] < mesh->vertices);
  pose.R = po_m3_identity();
  pose.p = po_v3(1, 2, 3);
  po_mesh_place(mesh, po_v3(1, -2, 0.5), pose);
  for (k = PO_MESH_EXACT; k <= PO_MESH_SHELL; k++)
    if (po_mesh_inertia(&inertia, mesh, (po_mesh_solid)k, 1000, NULL) == PO_OK) fuzz_mesh_require(inertia.mass > 0);
  fuzz_mesh_hull(mesh);
  po_mesh_free(mesh);
  return 0;
}

#endif
