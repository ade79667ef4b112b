/* mesh_dae.c: COLLADA: the geometries that the scene's nodes show, each by the matrices above it, in metres and z up.
 * Of a geometry positions and polygons are read; materials, normals, animation and skinning are passed over. */
#include "mesh_internal.h"
#include <string.h>

#define DAE_DEEP 64            /* nodes within nodes, those of other libraries included */
#define DAE_INSTANCES 4096     /* geometries shown, in all: a node may be shown by two nodes that are each shown by two … */
#define DAE_VERTICES 20000000

typedef struct dae_id {
  const char *id;
  const po_xml *node;
} dae_id;

typedef struct dae_reader {
  po_mesh_maker *m;
  po_buffer ids; /* dae_id, of all elements that have one, sorted by id */
  int instances;
} dae_reader;

typedef struct dae_matrix { /* x becomes A x + p */
  po_mat3 A;
  po_vec3 p;
} dae_matrix;

#define DAE_FAIL(r, node, status, ...) po_fail_at((r)->m->err, status, (r)->m->name, (node) ? (node)->line : 0, 0, __VA_ARGS__)

/* ---- finding elements --------------------------------------------------------------------------------------------------------- */

static void dae_collect(dae_reader *r, const po_xml *root) {
  const po_xml *n = root;
  while (n) { /* preorder, by the links of the tree */
    dae_id e;
    e.id = po_xml_attr(n, "id");
    e.node = n;
    if (e.id) po_buffer_add(&r->ids, (const char *)&e, sizeof e);
    if (n->first) {
      n = n->first;
      continue;
    }
    while (n && n != root && !n->next) n = n->parent;
    n = n && n != root ? n->next : NULL;
  }
}

static void dae_sort(dae_id *e, int n) {
  int gap, i, j;
  for (gap = n / 2; gap > 0; gap /= 2)
    for (i = gap; i < n; i++) {
      dae_id x = e[i];
      for (j = i; j >= gap && strcmp(e[j - gap].id, x.id) > 0; j -= gap) e[j] = e[j - gap];
      e[j] = x;
    }
}

/* The element that "#id" names, of this kind; NULL when there is none. */
static const po_xml *dae_find(const dae_reader *r, const char *url, const char *kind) {
  const dae_id *e = (const dae_id *)(const void *)r->ids.data;
  int lo = 0, hi = (int)(r->ids.size / sizeof *e);
  if (!url || *url++ != '#') return NULL;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (strcmp(e[mid].id, url) < 0) lo = mid + 1;
    else hi = mid;
  }
  for (; lo < (int)(r->ids.size / sizeof *e) && strcmp(e[lo].id, url) == 0; lo++)
    if (strcmp(e[lo].node->name, kind) == 0) return e[lo].node;
  return NULL;
}

static const po_xml *dae_input(const po_xml *owner, const char *semantic) {
  const po_xml *n;
  for (n = po_xml_child(owner, "input"); n; n = po_xml_next(n, "input")) {
    const char *s = po_xml_attr(n, "semantic");
    if (s && strcmp(s, semantic) == 0) return n;
  }
  return NULL;
}

/* A count or offset; the fallback when it is missing, −1 when it is none. */
static int dae_int(const po_xml *n, const char *attribute, int fallback) {
  const char *text = po_xml_attr(n, attribute), *end;
  int value;
  if (!text) return fallback;
  return po_parse_int(&value, &end, text, text + strlen(text)) == PO_OK && value >= 0 ? value : -1;
}

static po_words dae_words(const po_xml *n) {
  po_words w;
  w.at = n->text;
  w.end = n->text + strlen(n->text);
  w.line = n->line;
  return w;
}

static int dae_word_int(po_words *w, int *value) {
  const char *word, *end;
  size_t n;
  return po_words_next(w, &word, &n) && po_parse_int(value, &end, word, word + n) == PO_OK && end == word + n;
}

/* ---- geometry ----------------------------------------------------------------------------------------------------------------- */

/* Positions of a mesh as vertices, placed; *count: how many. */
static po_status dae_positions(dae_reader *r, const po_xml *mesh, const dae_matrix *at, int *count) {
  const po_xml *vertices = po_xml_child(mesh, "vertices"), *in = vertices ? dae_input(vertices, "POSITION") : NULL, *array, *access, *technique;
  const po_xml *source = in ? dae_find(r, po_xml_attr(in, "source"), "source") : NULL;
  int stride, offset, have, k;
  po_words w;
  double x, p[3] = {0, 0, 0};
  *count = 0;
  if (!source) return DAE_FAIL(r, mesh, PO_ERR_PARSE, "a <mesh> has no source of positions");
  array = po_xml_child(source, "float_array");
  technique = po_xml_child(source, "technique_common");
  access = technique ? po_xml_child(technique, "accessor") : NULL;
  stride = access ? dae_int(access, "stride", 3) : 3;
  offset = access ? dae_int(access, "offset", 0) : 0;
  have = access ? dae_int(access, "count", -1) : -1;
  if (!array || stride < 3 || offset < 0 || stride > 1024 || offset > 1 << 28)
    return DAE_FAIL(r, source, PO_ERR_PARSE, "a source of positions has no <float_array> of three numbers each");
  w = dae_words(array);
  for (k = 0; k < offset; k++)
    if (!po_words_double(&w, &x)) return DAE_FAIL(r, array, PO_ERR_PARSE, "the <float_array> is shorter than its accessor's offset");
  for (k = 0; (have < 0 || *count < have) && po_words_double(&w, &x);) {
    if (!po_isfinite(x)) return DAE_FAIL(r, array, PO_ERR_NOT_FINITE, "position %d is not finite", *count + 1);
    if (k < 3) p[k] = x;
    if (k == 2) {
      po_mesh_vertex(r->m, po_v3_add(po_m3_mul_v(at->A, po_v3_of(p)), at->p));
      ++*count;
    }
    k = k + 1 < stride ? k + 1 : 0;
  }
  if (have >= 0 && *count < have)
    return DAE_FAIL(r, array, PO_ERR_PARSE, "the accessor says that there are %d positions, and there are %d", have, *count);
  if (po_mesh_vertices(r->m) > DAE_VERTICES) return DAE_FAIL(r, mesh, PO_ERR_SIZE, "more than %d vertices", DAE_VERTICES);
  return PO_OK;
}

/* How the corners of a primitive are joined. */
typedef enum dae_join { DAE_TRIANGLES, DAE_FAN, DAE_STRIP } dae_join;

typedef struct dae_primitive {
  int first, count, offset, stride; /* vertices of the mesh; where VERTEX stands among the inputs of a corner */
  int flip;                         /* the matrix mirrors */
} dae_primitive;

/* `corners` corners (−1: all there are) from the list of indices. */
static po_status dae_corners(dae_reader *r, const po_xml *p, po_words *w, const dae_primitive *g, int corners, dae_join join) {
  int n, k, index = 0, v, a = 0, b = 0;
  for (n = 0; corners < 0 || n < corners; n++) {
    for (k = 0; k < g->stride; k++) {
      if (!dae_word_int(w, &v)) {
        const char *word;
        size_t length;
        if (corners >= 0 || k > 0) return DAE_FAIL(r, p, PO_ERR_PARSE, "a list of indices ends early or holds something else");
        if (po_words_next(w, &word, &length)) return DAE_FAIL(r, p, PO_ERR_PARSE, "a list of indices holds something else");
        return join == DAE_TRIANGLES && n % 3 != 0 ? DAE_FAIL(r, p, PO_ERR_PARSE, "triangles have %d corners", n) : PO_OK;
      }
      if (k == g->offset) index = v;
    }
    if (index < 0 || index >= g->count) return DAE_FAIL(r, p, PO_ERR_PARSE, "an index names vertex %d of %d", index, g->count);
    v = g->first + index;
    if (join == DAE_TRIANGLES ? n % 3 == 2 : n >= 2) {
      if (g->flip ^ (join == DAE_STRIP && (n & 1))) po_mesh_triangle(r->m, b, a, v);
      else po_mesh_triangle(r->m, a, b, v);
    }
    if (join == DAE_FAN && n >= 1) b = v;
    else if (join == DAE_TRIANGLES ? n % 3 == 0 : n == 0) a = b = v;
    else a = join == DAE_STRIP ? b : a, b = v;
  }
  return PO_OK;
}

static po_status dae_polygons(dae_reader *r, const po_xml *n, dae_primitive *g) {
  const po_xml *in = dae_input(n, "VERTEX"), *k, *p = po_xml_child(n, "p"), *sizes = po_xml_child(n, "vcount");
  po_status s = PO_OK;
  int corners, i;
  if (!in) return DAE_FAIL(r, n, PO_ERR_PARSE, "<%s> has no VERTEX", n->name);
  g->stride = 1;
  g->offset = dae_int(in, "offset", 0);
  for (k = po_xml_child(n, "input"); k; k = po_xml_next(k, "input")) {
    int o = dae_int(k, "offset", 0);
    if (o < 0 || o > 255) return DAE_FAIL(r, k, PO_ERR_PARSE, "an <input> has offset %d", o);
    if (o + 1 > g->stride) g->stride = o + 1;
  }
  if (strcmp(n->name, "polylist") == 0) {
    po_words list, size;
    if (!p || !sizes) return dae_int(n, "count", 0) == 0 ? PO_OK : DAE_FAIL(r, n, PO_ERR_PARSE, "a <polylist> has no <p> or <vcount>");
    list = dae_words(p);
    size = dae_words(sizes);
    for (i = 0; s == PO_OK && dae_word_int(&size, &corners); i++)
      s = corners < 1 ? DAE_FAIL(r, sizes, PO_ERR_PARSE, "polygon %d has %d corners", i + 1, corners) : dae_corners(r, p, &list, g, corners, DAE_FAN);
    return s;
  }
  for (; p && s == PO_OK; p = po_xml_next(p, "p")) {
    po_words list = dae_words(p);
    s = dae_corners(r, p, &list, g, -1, strcmp(n->name, "triangles") == 0 ? DAE_TRIANGLES : strcmp(n->name, "tristrips") == 0 ? DAE_STRIP : DAE_FAN);
  }
  return s;
}

static po_status dae_geometry(dae_reader *r, const po_xml *geometry, const dae_matrix *at) {
  const po_xml *mesh = po_xml_child(geometry, "mesh"), *n;
  dae_primitive g;
  po_status s;
  if (!mesh) return PO_OK; /* splines and the like */
  if (++r->instances > DAE_INSTANCES) return DAE_FAIL(r, geometry, PO_ERR_SIZE, "its nodes show more than %d geometries", DAE_INSTANCES);
  g.first = po_mesh_vertices(r->m);
  g.flip = po_m3_det(at->A) < 0;
  if (!po_xml_child(mesh, "vertices")) return PO_OK; /* an empty object, as exporters write it */
  if ((s = dae_positions(r, mesh, at, &g.count)) != PO_OK) return s;
  for (n = po_xml_child(mesh, NULL); n && s == PO_OK; n = po_xml_next(n, NULL))
    if (strcmp(n->name, "triangles") == 0 || strcmp(n->name, "polylist") == 0 || strcmp(n->name, "polygons") == 0 || strcmp(n->name, "trifans") == 0 ||
        strcmp(n->name, "tristrips") == 0)
      s = dae_polygons(r, n, &g);
  return s;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------------------- */

static dae_matrix dae_times(dae_matrix a, dae_matrix b) {
  dae_matrix c;
  c.A = po_m3_mul(a.A, b.A);
  c.p = po_v3_add(po_m3_mul_v(a.A, b.p), a.p);
  return c;
}

/* One of the transformations of a node, in the order they stand; others are passed over. */
static po_status dae_transform(dae_reader *r, const po_xml *n, dae_matrix *at) {
  double x[16];
  int count = strcmp(n->name, "matrix") == 0 ? 16 : strcmp(n->name, "rotate") == 0 ? 4 : strcmp(n->name, "translate") == 0 || strcmp(n->name, "scale") == 0 ? 3 : 0, i;
  dae_matrix t;
  po_words w;
  if (!count) return PO_OK;
  w = dae_words(n);
  for (i = 0; i < count; i++)
    if (!po_words_double(&w, &x[i]) || !po_isfinite(x[i])) return DAE_FAIL(r, n, PO_ERR_PARSE, "<%s> must be %d numbers", n->name, count);
  t.A = po_m3_identity();
  t.p = po_v3(0, 0, 0);
  if (count == 16) {
    t.A = po_m3(x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]);
    t.p = po_v3(x[3], x[7], x[11]);
  } else if (count == 4) {
    po_vec3 axis = po_v3_unit(po_v3_of(x));
    if (po_v3_norm(axis) > 0) t.A = po_m3_axis_angle(axis, PO_RAD(x[3]));
  } else if (n->name[0] == 't') {
    t.p = po_v3_of(x);
  } else {
    t.A = po_m3_diag(x[0], x[1], x[2]);
  }
  *at = dae_times(*at, t);
  return PO_OK;
}

/* The geometry that a controller bends: it is taken as it stands. */
static const po_xml *dae_skinned(const dae_reader *r, const po_xml *instance) {
  const po_xml *c = dae_find(r, po_xml_attr(instance, "url"), "controller"), *skin = c ? po_xml_child(c, "skin") : NULL;
  return skin ? dae_find(r, po_xml_attr(skin, "source"), "geometry") : NULL;
}

static po_status dae_node(dae_reader *r, const po_xml *node, dae_matrix at, int deep) {
  const po_xml *n;
  po_status s = PO_OK;
  if (deep > DAE_DEEP) return DAE_FAIL(r, node, PO_ERR_PARSE, "nodes are nested deeper than %d, or show themselves", DAE_DEEP);
  if (++r->instances > DAE_INSTANCES) return DAE_FAIL(r, node, PO_ERR_SIZE, "its scene shows more than %d nodes", DAE_INSTANCES);
  for (n = po_xml_child(node, NULL); n && s == PO_OK; n = po_xml_next(n, NULL)) s = dae_transform(r, n, &at);
  for (n = po_xml_child(node, NULL); n && s == PO_OK; n = po_xml_next(n, NULL)) {
    const po_xml *shown = NULL;
    if (strcmp(n->name, "node") == 0) s = dae_node(r, n, at, deep + 1);
    else if (strcmp(n->name, "instance_node") == 0) {
      shown = dae_find(r, po_xml_attr(n, "url"), "node");
      if (shown) s = dae_node(r, shown, at, deep + 1);
    } else if (strcmp(n->name, "instance_geometry") == 0) {
      shown = dae_find(r, po_xml_attr(n, "url"), "geometry");
      if (!shown) return DAE_FAIL(r, n, PO_ERR_NAME, "a node shows geometry '%.80s', which is not there", po_xml_attr(n, "url") ? po_xml_attr(n, "url") : "");
      s = dae_geometry(r, shown, &at);
    } else if (strcmp(n->name, "instance_controller") == 0) {
      shown = dae_skinned(r, n);
      if (shown) s = dae_geometry(r, shown, &at);
    }
  }
  return s;
}

/* Unit and up axis: to metres and z up. */
static dae_matrix dae_world(const po_xml *root) {
  const po_xml *asset = po_xml_child(root, "asset"), *unit = asset ? po_xml_child(asset, "unit") : NULL, *up = asset ? po_xml_child(asset, "up_axis") : NULL;
  const char *meter = unit ? po_xml_attr(unit, "meter") : NULL, *end, *word;
  double scale = 1;
  dae_matrix at;
  size_t n;
  if (!meter || po_parse_double(&scale, &end, meter, meter + strlen(meter)) != PO_OK || !(scale > 0) || !po_isfinite(scale)) scale = 1;
  at.A = po_m3(1, 0, 0, 0, 0, -1, 0, 1, 0); /* y up, as the format has it when nothing is said: (x, y, z) is (x, −z, y) */
  at.p = po_v3(0, 0, 0);
  if (up) {
    po_words w = dae_words(up);
    if (po_words_next(&w, &word, &n) && n == 4 && memcmp(word, "Z_UP", 4) == 0) at.A = po_m3_identity();
    else if (n == 4 && memcmp(word, "X_UP", 4) == 0) at.A = po_m3(0, -1, 0, 0, 0, -1, 1, 0, 0);
  }
  at.A = po_m3_scale(scale, at.A);
  return at;
}

static po_status dae_scene(dae_reader *r, const po_xml *root) {
  const po_xml *scene = po_xml_child(root, "scene"), *instance = scene ? po_xml_child(scene, "instance_visual_scene") : NULL, *library, *n;
  const po_xml *shown = instance ? dae_find(r, po_xml_attr(instance, "url"), "visual_scene") : NULL;
  dae_matrix at = dae_world(root);
  po_status s = PO_OK;
  if (!shown) { /* the first scene; without any, all geometries as they stand */
    library = po_xml_child(root, "library_visual_scenes");
    shown = library ? po_xml_child(library, "visual_scene") : NULL;
  }
  if (shown) {
    for (n = po_xml_child(shown, "node"); n && s == PO_OK; n = po_xml_next(n, "node")) s = dae_node(r, n, at, 0);
    return s;
  }
  for (library = po_xml_child(root, "library_geometries"); library && s == PO_OK; library = po_xml_next(library, "library_geometries"))
    for (n = po_xml_child(library, "geometry"); n && s == PO_OK; n = po_xml_next(n, "geometry")) s = dae_geometry(r, n, &at);
  return s;
}

po_status po_mesh_dae(po_mesh_maker *m, const char *bytes, size_t size) {
  dae_reader r;
  po_xml *root = NULL;
  po_status s = po_xml_parse(&root, bytes, size, m->name, m->err);
  if (s != PO_OK) return s;
  memset(&r, 0, sizeof r);
  r.m = m;
  if (strcmp(root->name, "COLLADA") != 0) s = DAE_FAIL(&r, root, PO_ERR_PARSE, "the root element is <%s>, not <COLLADA>", root->name);
  else {
    dae_collect(&r, root);
    dae_sort((dae_id *)(void *)r.ids.data, (int)(r.ids.size / sizeof(dae_id)));
    s = r.ids.failed ? po_fail_at(m->err, PO_ERR_MEMORY, m->name, 0, 0, "out of memory") : dae_scene(&r, root);
  }
  po_buffer_free(&r.ids);
  po_xml_free(root);
  return s;
}
