/* mesh_obj.c: Wavefront OBJ: vertices and faces; materials, normals, textures and curves are passed over. */
#include "mesh_internal.h"
#include <string.h>

#define OBJ_FAIL(m, line, status, ...) po_fail_at((m)->err, status, (m)->name, line, 0, __VA_ARGS__)

static po_status obj_vertex(po_mesh_maker *m, po_words *w) {
  double x[3];
  if (!po_words_double(w, &x[0]) || !po_words_double(w, &x[1]) || !po_words_double(w, &x[2]))
    return OBJ_FAIL(m, w->line, PO_ERR_PARSE, "a vertex needs three numbers");
  if (!po_all_finite(x, 3)) return OBJ_FAIL(m, w->line, PO_ERR_NOT_FINITE, "a vertex is not finite");
  po_mesh_vertex(m, po_v3_of(x));
  return PO_OK;
}

/* "7", "7/1", "7//3", "-1/2/3": vertices are counted from 1, or back from the last one. A polygon becomes a fan. */
static po_status obj_face(po_mesh_maker *m, po_words *w) {
  const char *word, *end;
  size_t n;
  int first = -1, last = -1, count = 0, k, have = po_mesh_vertices(m);
  while (po_words_next(w, &word, &n)) {
    if (po_parse_int(&k, &end, word, word + n) != PO_OK || (end < word + n && *end != '/'))
      return OBJ_FAIL(m, w->line, PO_ERR_PARSE, "'%.*s' of a face is no vertex", n > 40 ? 40 : (int)n, word);
    if (k < 0) k = k < -have ? -1 : have + k;
    else k = k > have ? -1 : k - 1;
    if (k < 0) return OBJ_FAIL(m, w->line, PO_ERR_PARSE, "a face names vertex '%.*s' of %d", n > 40 ? 40 : (int)n, word, have);
    if (count == 0) first = k;
    else if (count > 1) po_mesh_triangle(m, first, last, k);
    last = k;
    count++;
  }
  return PO_OK; /* one of two corners or one is a line or a point */
}

po_status po_mesh_obj(po_mesh_maker *m, const char *bytes, size_t size) {
  const char *at = bytes, *end = bytes + size, *word;
  po_status s = PO_OK;
  po_words w;
  size_t n;
  int line;
  for (line = 1; at < end && s == PO_OK; line++) {
    const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
    w.at = at;
    w.end = stop ? stop : end;
    w.line = line;
    if (po_words_next(&w, &word, &n) && n == 1) {
      if (*word == 'v') s = obj_vertex(m, &w);
      else if (*word == 'f') s = obj_face(m, &w);
    }
    at = stop ? stop + 1 : end;
  }
  return s;
}
