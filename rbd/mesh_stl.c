/* mesh_stl.c: STL, binary and ASCII. It holds triangles by their corners; equal corners become one vertex. */
#include "mesh_internal.h"
#include <string.h>

#define STL_HEAD 84     /* bytes before the first triangle: a comment of 80, and how many there are */
#define STL_TRIANGLE 50 /* a normal, three corners, two bytes of no meaning */

/* Vertices by their bits, open addressing. */
typedef struct stl_weld {
  int *slot; /* index + 1; 0: free */
  size_t capacity, count;
} stl_weld;

static uint64_t stl_key(po_vec3 v) { return po_hash_doubles(&v.x, 3, 7); }

static int stl_grow(stl_weld *w, const po_mesh_maker *m) {
  size_t capacity = w->capacity ? 4 * w->capacity : 1024, i;
  const po_vec3 *v = (const po_vec3 *)(const void *)m->vertex.data;
  int *slot = (int *)po_alloc(sizeof(int) * capacity);
  if (!slot) return 0;
  for (i = 0; i < w->count; i++) {
    size_t k = (size_t)stl_key(v[i]) & (capacity - 1);
    while (slot[k]) k = (k + 1) & (capacity - 1);
    slot[k] = (int)i + 1;
  }
  po_free(w->slot);
  w->slot = slot;
  w->capacity = capacity;
  return 1;
}

/* The index of this vertex, a new one or that of its equal; −1: out of memory. */
static int stl_vertex(stl_weld *w, po_mesh_maker *m, po_vec3 p) {
  const po_vec3 *v;
  size_t k;
  p = po_v3(p.x + 0.0, p.y + 0.0, p.z + 0.0); /* −0 is 0 */
  if (2 * w->count >= w->capacity && !stl_grow(w, m)) return -1;
  v = (const po_vec3 *)(const void *)m->vertex.data;
  for (k = (size_t)stl_key(p) & (w->capacity - 1); w->slot[k]; k = (k + 1) & (w->capacity - 1)) {
    const po_vec3 *q = &v[w->slot[k] - 1];
    if (memcmp(q, &p, sizeof p) == 0) return w->slot[k] - 1;
  }
  po_mesh_vertex(m, p);
  if (m->vertex.failed) return -1;
  w->slot[k] = (int)++w->count;
  return w->slot[k] - 1;
}

static int stl_corners(stl_weld *w, po_mesh_maker *m, const po_vec3 corner[3]) {
  int t[3], i;
  for (i = 0; i < 3; i++)
    if ((t[i] = stl_vertex(w, m, corner[i])) < 0) return 0;
  if (t[0] != t[1] && t[1] != t[2] && t[0] != t[2]) po_mesh_triangle(m, t[0], t[1], t[2]);
  return 1;
}

static uint32_t stl_word(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double stl_float(const char *p) {
  uint32_t bits = stl_word(p);
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}

static po_status stl_binary(stl_weld *w, po_mesh_maker *m, const char *bytes, size_t size) {
  size_t count, i, k;
  if (size < STL_HEAD)
    return po_fail_at(m->err, PO_ERR_PARSE, m->name, 0, 0, "no STL file: %zu bytes are fewer than its head, and it does not begin with `solid`", size);
  count = stl_word(bytes + 80);
  if (count > (size - STL_HEAD) / STL_TRIANGLE)
    return po_fail_at(m->err, PO_ERR_PARSE, m->name, 0, 0, "the file says that it holds %zu triangles, and has room for %zu", count,
                      (size - STL_HEAD) / STL_TRIANGLE);
  for (i = 0; i < count; i++) {
    const char *p = bytes + STL_HEAD + STL_TRIANGLE * i + 12;
    po_vec3 corner[3];
    for (k = 0; k < 3; k++) corner[k] = po_v3(stl_float(p + 12 * k), stl_float(p + 12 * k + 4), stl_float(p + 12 * k + 8));
    for (k = 0; k < 3; k++)
      if (!po_all_finite(&corner[k].x, 3)) return po_fail_at(m->err, PO_ERR_NOT_FINITE, m->name, 0, 0, "triangle %zu is not finite", i + 1);
    if (!stl_corners(w, m, corner)) return po_fail_at(m->err, PO_ERR_MEMORY, m->name, 0, 0, "out of memory");
  }
  return PO_OK;
}

static int stl_is(const char *word, size_t n, const char *what) { return n == strlen(what) && memcmp(word, what, n) == 0; }

static po_status stl_ascii(stl_weld *w, po_mesh_maker *m, const char *bytes, size_t size) {
  po_words words;
  po_vec3 corner[3];
  const char *word;
  size_t n;
  int have = 0;
  words.at = bytes;
  words.end = bytes + size;
  words.line = 1;
  while (po_words_next(&words, &word, &n)) {
    if (stl_is(word, n, "vertex")) {
      double x[3];
      if (!po_words_double(&words, &x[0]) || !po_words_double(&words, &x[1]) || !po_words_double(&words, &x[2]))
        return po_fail_at(m->err, PO_ERR_PARSE, m->name, words.line, 0, "a vertex needs three numbers");
      if (!po_all_finite(x, 3)) return po_fail_at(m->err, PO_ERR_NOT_FINITE, m->name, words.line, 0, "a vertex is not finite");
      if (have == 3) return po_fail_at(m->err, PO_ERR_PARSE, m->name, words.line, 0, "a facet has more than three vertices");
      corner[have++] = po_v3_of(x);
    } else if (stl_is(word, n, "endloop")) {
      if (have != 3) return po_fail_at(m->err, PO_ERR_PARSE, m->name, words.line, 0, "a facet has %d vertices, not three", have);
      have = 0;
      if (!stl_corners(w, m, corner)) return po_fail_at(m->err, PO_ERR_MEMORY, m->name, 0, 0, "out of memory");
    }
  }
  if (have) return po_fail_at(m->err, PO_ERR_PARSE, m->name, words.line, 0, "the file ends within a facet");
  return PO_OK;
}

/* `solid` at the start means text, but some binary files begin with it too: theirs is the size that fits the count. */
static int stl_is_text(const char *bytes, size_t size) {
  size_t i = 0;
  while (i < size && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\n' || bytes[i] == '\r')) i++;
  if (size - i < 5 || memcmp(bytes + i, "solid", 5) != 0) return 0;
  return size < STL_HEAD || (size - STL_HEAD) % STL_TRIANGLE != 0 || stl_word(bytes + 80) != (size - STL_HEAD) / STL_TRIANGLE;
}

po_status po_mesh_stl(po_mesh_maker *m, const char *bytes, size_t size) {
  stl_weld weld;
  po_status s;
  memset(&weld, 0, sizeof weld);
  s = stl_is_text(bytes, size) ? stl_ascii(&weld, m, bytes, size) : stl_binary(&weld, m, bytes, size);
  po_free(weld.slot);
  return s;
}
