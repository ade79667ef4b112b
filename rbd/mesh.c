/* mesh.c: triangle meshes: which reader a file gets, what any mesh must obey, and placing one. */
#include "mesh_internal.h"
#include <string.h>

/* Whether the name ends in this suffix, in any case of letters. */
static int mesh_ends(const char *name, const char *suffix) {
  size_t n = strlen(name), k = strlen(suffix), i;
  if (n <= k) return 0;
  for (i = 0; i < k; i++) {
    char c = name[n - k + i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != suffix[i]) return 0;
  }
  return 1;
}

int po_mesh_is(const char *name) { return name && (mesh_ends(name, ".stl") || mesh_ends(name, ".obj") || mesh_ends(name, ".dae")); }

/* ---- words ------------------------------------------------------------------------------------------------------------------ */

int po_words_next(po_words *w, const char **word, size_t *length) {
  while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r' || *w->at == '\f' || *w->at == '\v'))
    if (*w->at++ == '\n') w->line++;
  *word = w->at;
  while (w->at < w->end && !(*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r' || *w->at == '\f' || *w->at == '\v')) w->at++;
  *length = (size_t)(w->at - *word);
  return *length > 0;
}

int po_words_double(po_words *w, double *value) {
  const char *word, *end;
  size_t n;
  return po_words_next(w, &word, &n) && po_parse_double(value, &end, word, word + n) == PO_OK && end == word + n;
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

int po_mesh_vertices(const po_mesh_maker *m) { return (int)(m->vertex.size / sizeof(po_vec3)); }

void po_mesh_vertex(po_mesh_maker *m, po_vec3 v) { po_buffer_add(&m->vertex, (const char *)&v, sizeof v); }

void po_mesh_triangle(po_mesh_maker *m, int a, int b, int c) {
  int t[3];
  t[0] = a, t[1] = b, t[2] = c;
  po_buffer_add(&m->triangle, (const char *)t, sizeof t);
}

/* Checks what was read, and makes one block of it. */
static po_status mesh_take(po_mesh **out, const po_mesh_maker *m) {
  size_t nv = m->vertex.size / sizeof(po_vec3), nt = m->triangle.size / sizeof(int[3]), i;
  const po_vec3 *v = (const po_vec3 *)(const void *)m->vertex.data;
  const int *t = (const int *)(const void *)m->triangle.data;
  po_arena arena;
  po_mesh *mesh;
  void *block;
  size_t bytes = sizeof(po_mesh) + m->vertex.size + m->triangle.size + 4 * 32;
  if (m->vertex.failed || m->triangle.failed) return po_fail_at(m->err, PO_ERR_MEMORY, m->name, 0, 0, "out of memory");
  if (nv == 0) return po_fail_at(m->err, PO_ERR_PARSE, m->name, 0, 0, "the mesh has no vertices");
  for (i = 0; i < nv; i++)
    if (!po_all_finite(&v[i].x, 3)) return po_fail_at(m->err, PO_ERR_NOT_FINITE, m->name, 0, 0, "vertex %zu of the mesh is not finite", i + 1);
  for (i = 0; i < 3 * nt; i++)
    if (t[i] < 0 || (size_t)t[i] >= nv)
      return po_fail_at(m->err, PO_ERR_PARSE, m->name, 0, 0, "triangle %zu names vertex %d of %zu", i / 3 + 1, t[i] + 1, nv);
  block = po_alloc(bytes);
  if (!block) return po_fail_at(m->err, PO_ERR_MEMORY, m->name, 0, 0, "out of memory");
  po_arena_init(&arena, block, bytes);
  mesh = (po_mesh *)block; /* the arena begins there: blocks are aligned */
  (void)po_arena_alloc(&arena, sizeof *mesh);
  mesh->vertices = (int)nv;
  mesh->triangles = (int)nt;
  mesh->vertex = PO_ARENA_ARRAY(&arena, po_vec3, nv);
  mesh->triangle = (int(*)[3])po_arena_alloc(&arena, sizeof(int[3]) * (nt ? nt : 1));
  memcpy(mesh->vertex, v, m->vertex.size);
  if (nt) memcpy(mesh->triangle, t, m->triangle.size);
  *out = mesh;
  return PO_OK;
}

po_status po_mesh_read(po_mesh **mesh, const char *bytes, size_t size, const char *name, po_error *err) {
  po_mesh_maker m;
  po_status s;
  if (!mesh || !bytes || !name) return po_fail(err, PO_ERR_NULL, "po_mesh_read: mesh, bytes and name are needed");
  if (!po_mesh_is(name)) return po_fail_at(err, PO_ERR_UNSUPPORTED, name, 0, 0, "not a mesh that can be read: its name must end in .stl, .obj or .dae");
  memset(&m, 0, sizeof m);
  m.name = name;
  m.err = err;
  s = mesh_ends(name, ".stl") ? po_mesh_stl(&m, bytes, size) : mesh_ends(name, ".obj") ? po_mesh_obj(&m, bytes, size) : po_mesh_dae(&m, bytes, size);
  if (s == PO_OK) s = mesh_take(mesh, &m);
  po_buffer_free(&m.vertex);
  po_buffer_free(&m.triangle);
  return s;
}

void po_mesh_free(po_mesh *mesh) { po_free(mesh); }

void po_mesh_place(po_mesh *mesh, po_vec3 scale, po_pose pose) {
  int i, mirrored = (scale.x < 0) ^ (scale.y < 0) ^ (scale.z < 0);
  for (i = 0; i < mesh->vertices; i++) {
    po_vec3 v = mesh->vertex[i];
    mesh->vertex[i] = po_v3_add(po_m3_mul_v(pose.R, po_v3(scale.x * v.x, scale.y * v.y, scale.z * v.z)), pose.p);
  }
  for (i = 0; mirrored && i < mesh->triangles; i++) {
    int swap = mesh->triangle[i][1];
    mesh->triangle[i][1] = mesh->triangle[i][2];
    mesh->triangle[i][2] = swap;
  }
}
