/* trace_hull.c: hulls as recordings keep them: corners, the faces' corners in turn, and the faces' planes. */
#include "trace.h"
#include <string.h>

po_status po_trace_hull_room(po_trace_hull *h, int vertices, int faces, int loops) {
  memset(h, 0, sizeof *h);
  h->vertex = po_alloc(sizeof(double) * 3 * (size_t)(vertices + 1));
  h->loop = po_alloc(sizeof(int) * (size_t)(loops + faces + 1));
  h->plane = po_alloc(sizeof(double) * 4 * (size_t)(faces + 1));
  if (!h->vertex || !h->loop || !h->plane) return PO_ERR_MEMORY; /* what there is goes with the trace */
  h->vertices = vertices;
  h->faces = faces;
  h->loops = loops + faces;
  return PO_OK;
}

/* A face's normal by Newell's sum, which needs no three corners that are far from a line. */
void po_trace_hull_planes(po_trace_hull *h) {
  const int *l = h->loop;
  int f, k;
  for (f = 0; f < h->faces; f++, l += l[0] + 1) {
    po_vec3 n = po_v3(0, 0, 0), at = n;
    double *plane = h->plane + 4 * f, size;
    for (k = 0; k < l[0]; k++) {
      po_vec3 a = po_v3_of(h->vertex + 3 * l[1 + k]), b = po_v3_of(h->vertex + 3 * l[1 + (k + 1) % l[0]]);
      n = po_v3_add(n, po_v3_cross(a, b));
      at = po_v3_add(at, po_v3_scale(1.0 / l[0], a));
    }
    size = po_v3_norm(n);
    n = size > 0 ? po_v3_scale(1 / size, n) : n;
    po_v3_to(plane, n);
    plane[3] = po_v3_dot(n, at);
  }
}

po_status po_trace_copy_hulls(po_trace_hull *out, const po_model *m) {
  int i, k, f;
  for (i = 0; i < m->shapes; i++) {
    const po_hull *h = m->shape[i].hull;
    int *l;
    if (m->shape[i].type != PO_HULL || !h) continue;
    if (po_trace_hull_room(&out[i], h->vertices, h->faces, h->loops) != PO_OK) return PO_ERR_MEMORY;
    for (k = 0; k < h->vertices; k++) po_v3_to(out[i].vertex + 3 * k, h->vertex[k]);
    for (f = 0, l = out[i].loop; f < h->faces; f++, l += l[0] + 1) {
      l[0] = h->face[f].count;
      for (k = 0; k < l[0]; k++) l[1 + k] = h->loop[h->face[f].first + k];
    }
    po_trace_hull_planes(&out[i]);
  }
  return PO_OK;
}

void po_trace_hull_clear(po_trace_hull *h) {
  po_free(h->vertex);
  po_free(h->loop);
  po_free(h->plane);
}
