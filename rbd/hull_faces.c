/* hull_faces.c: from the triangles of a hull to its faces: coplanar neighbours become one polygon, corners in the middle of a face or of an edge go. */
#include "mesh_internal.h"
#include <string.h>

#define FACES_CELLS 4.0  /* triangles whose corners are within so many cells of the grid of a plane are in it: half a cell each by rounding, and some lever */
#define FACES_COSINE 0.2 /* and that do not stand on its border. Slivers along an edge go to either side */
#define FACES_AGREE 0.9  /* a face's plane is that of its corners, unless it looks elsewhere than on the grid: then they are a sliver */

#define FACES_ALL 4096   /* with more corners than this a face is moved out to its own only: each with all would be quadratic */

typedef struct faces_side { /* a face's edge a → b */
  int a, b, face;
} faces_side;

typedef struct faces_work {
  const po_hull_quick *h;
  const po_vec3 *point;
  int *triangle;   /* alive, largest first */
  int count;
  po_vec3 *normal; /* by place in h->t: on the grid, where it is exact; not unit, twice the area long */
  int *face;       /* by place in h->t */
  int *seed;       /* by face: its largest triangle */
  int *stack;
  int *to, *mark;  /* by point */
  int *degree;     /* by point: faces that it is a corner of */
  int *loop, *first; /* corners of all faces; where each face begins [faces + 1] */
  int faces;
  faces_side *side;
  void *block;
} faces_work;

static void faces_arrays(faces_work *w, po_arena *a) {
  size_t t = (size_t)w->h->triangles, p = (size_t)w->h->points;
  w->triangle = PO_ARENA_ARRAY(a, int, t);
  w->normal = PO_ARENA_ARRAY(a, po_vec3, t);
  w->face = PO_ARENA_ARRAY(a, int, t);
  w->seed = PO_ARENA_ARRAY(a, int, t);
  w->stack = PO_ARENA_ARRAY(a, int, t);
  w->loop = PO_ARENA_ARRAY(a, int, 3 * t);
  w->first = PO_ARENA_ARRAY(a, int, t + 1);
  w->side = PO_ARENA_ARRAY(a, faces_side, 3 * t);
  w->to = PO_ARENA_ZARRAY(a, int, p);
  w->mark = PO_ARENA_ZARRAY(a, int, p);
  w->degree = PO_ARENA_ZARRAY(a, int, p);
}

static void faces_list(faces_work *w) {
  const po_hull_quick *h = w->h;
  int i, j, gap;
  w->count = 0;
  for (i = 0; i < h->triangles; i++) {
    w->face[i] = -1;
    if (!h->t[i].alive) continue;
    w->normal[i] = po_v3((double)h->t[i].n[0], (double)h->t[i].n[1], (double)h->t[i].n[2]);
    w->triangle[w->count++] = i;
  }
  for (gap = w->count / 2; gap > 0; gap /= 2)
    for (i = gap; i < w->count; i++) {
      int t = w->triangle[i];
      double size = po_v3_dot(w->normal[t], w->normal[t]);
      for (j = i; j >= gap; j -= gap) {
        int o = w->triangle[j - gap];
        double other = po_v3_dot(w->normal[o], w->normal[o]);
        if (other > size || (!(other < size) && o < t)) break;
        w->triangle[j] = o;
      }
      w->triangle[j] = t;
    }
}

/* Of a triangle by its corners, if that is to be trusted. */
static po_vec3 faces_normal(const faces_work *w, int t) {
  const int *v = w->h->t[t].v;
  po_vec3 grid = po_v3_unit(w->normal[t]), n = po_v3_unit(po_v3_cross(po_v3_sub(w->point[v[1]], w->point[v[0]]), po_v3_sub(w->point[v[2]], w->point[v[0]])));
  return po_v3_dot(n, grid) > FACES_AGREE ? n : grid;
}

/* Largest first, each triangle that is left takes its neighbours in its plane. tolerance < 0: none. */
static void faces_join(faces_work *w, double tolerance) {
  const po_hull_quick *h = w->h;
  int i, k, c;
  w->faces = 0;
  for (i = 0; i < w->count; i++) w->face[w->triangle[i]] = -1;
  for (i = 0; i < w->count; i++) {
    int seed = w->triangle[i], top = 0;
    po_vec3 n = faces_normal(w, seed), at = w->point[h->t[seed].v[0]];
    if (w->face[seed] >= 0) continue;
    w->face[seed] = w->faces;
    w->seed[w->faces] = seed;
    w->stack[top++] = seed;
    while (top > 0 && tolerance >= 0) {
      int t = w->stack[--top];
      for (k = 0; k < 3; k++) {
        int o = h->t[t].next[k], in = w->face[o] < 0;
        for (c = 0; c < 3 && in; c++) in = po_abs(po_v3_dot(n, po_v3_sub(w->point[h->t[o].v[c]], at))) <= tolerance;
        if (!in || po_v3_dot(n, po_v3_unit(w->normal[o])) < FACES_COSINE) continue;
        w->face[o] = w->faces;
        w->stack[top++] = o;
      }
    }
    w->faces++;
  }
}

/* Borders of the faces, one loop each; 0 when one is not a single loop. */
static int faces_loops(faces_work *w) {
  const po_hull_quick *h = w->h;
  int f, i, k, at = 0, sides = 0;
  for (f = 0; f <= w->faces; f++) w->first[f] = 0;
  for (i = 0; i < w->count; i++)
    for (k = 0; k < 3; k++) {
      const po_hull_triangle *t = &h->t[w->triangle[i]];
      if (w->face[t->next[k]] != w->face[w->triangle[i]]) w->first[w->face[w->triangle[i]] + 1]++;
    }
  for (f = 0; f < w->faces; f++) w->first[f + 1] += w->first[f];
  for (i = 0; i < w->count; i++) /* sides sorted by face, by counting; first[f] ends where face f + 1 begins */
    for (k = 0; k < 3; k++) {
      const po_hull_triangle *t = &h->t[w->triangle[i]];
      faces_side *s;
      f = w->face[w->triangle[i]];
      if (w->face[t->next[k]] == f) continue;
      s = &w->side[w->first[f]++];
      s->a = t->v[k];
      s->b = t->v[(k + 1) % 3];
      s->face = f;
      sides++;
    }
  for (f = w->faces; f > 0; f--) w->first[f] = w->first[f - 1];
  w->first[0] = 0;
  for (i = 0; i < h->points; i++) w->mark[i] = -1;
  for (f = 0; f < w->faces; f++) {
    int n = w->first[f + 1] - w->first[f], start, v;
    if (n < 3) return 0;
    for (i = w->first[f]; i < w->first[f + 1]; i++) {
      if (w->mark[w->side[i].a] == f) return 0; /* it touches itself in a point */
      w->mark[w->side[i].a] = f;
      w->to[w->side[i].a] = w->side[i].b;
    }
    start = v = w->side[w->first[f]].a;
    for (i = 0; i < n; i++) {
      if (w->mark[v] != f || (i > 0 && v == start)) return 0; /* it has a hole */
      w->loop[at++] = v;
      v = w->to[v];
    }
    if (v != start) return 0;
  }
  return at == sides;
}

/* Corners of fewer than three faces are on an edge or in a face: they go, and so do faces that keep fewer than three corners. */
static void faces_tidy(faces_work *w) {
  int again = 1, f, i;
  while (again) {
    int at = 0, faces = 0;
    again = 0;
    for (i = 0; i < w->h->points; i++) w->degree[i] = 0;
    for (i = 0; i < w->first[w->faces]; i++) w->degree[w->loop[i]]++;
    for (f = 0; f < w->faces; f++) {
      int begin = at, from = w->first[f], to = w->first[f + 1];
      for (i = from; i < to; i++) {
        if (w->degree[w->loop[i]] >= 3) w->loop[at++] = w->loop[i];
        else again = 1;
      }
      if (at - begin < 3) at = begin, again = 1;
      else {
        w->seed[faces] = w->seed[f];
        w->first[faces++] = begin;
      }
    }
    w->first[faces] = at;
    w->faces = faces;
  }
}

static int faces_before(const faces_side *p, const faces_side *q) {
  int pa = p->a < p->b ? p->a : p->b, pb = p->a < p->b ? p->b : p->a, qa = q->a < q->b ? q->a : q->b, qb = q->a < q->b ? q->b : q->a;
  if (pa != qa) return pa < qa;
  if (pb != qb) return pb < qb;
  return p->a < q->a;
}

/* Sides in pairs, a → b beside b → a; 0 when some side has no partner. */
static int faces_pair(faces_work *w) {
  int f, i, j, gap, n = 0;
  for (f = 0; f < w->faces; f++)
    for (i = w->first[f]; i < w->first[f + 1]; i++) {
      faces_side *s = &w->side[n++];
      s->a = w->loop[i];
      s->b = w->loop[i + 1 < w->first[f + 1] ? i + 1 : w->first[f]];
      s->face = f;
    }
  for (gap = n / 2; gap > 0; gap /= 2)
    for (i = gap; i < n; i++) {
      faces_side s = w->side[i];
      for (j = i; j >= gap && faces_before(&s, &w->side[j - gap]); j -= gap) w->side[j] = w->side[j - gap];
      w->side[j] = s;
    }
  if (n % 2) return 0;
  for (i = 0; i < n; i += 2)
    if (w->side[i].a != w->side[i + 1].b || w->side[i].b != w->side[i + 1].a || (i > 0 && w->side[i].a == w->side[i - 1].b && w->side[i].b == w->side[i - 1].a))
      return 0;
  return n >= 12;
}

/* ---- the hull ----------------------------------------------------------------------------------------------------------------- */

po_hull *po_hull_lay(po_arena *arena, int vertices, int faces, int edges, int loops) {
  po_hull *h = PO_ARENA_ZARRAY(arena, po_hull, 1);
  po_vec3 *vertex = PO_ARENA_ARRAY(arena, po_vec3, vertices);
  po_hull_face *face = PO_ARENA_ARRAY(arena, po_hull_face, faces);
  po_hull_edge *edge = PO_ARENA_ARRAY(arena, po_hull_edge, edges);
  int *loop = PO_ARENA_ARRAY(arena, int, loops);
  if (!h || arena->failed) return NULL;
  h->vertices = vertices;
  h->faces = faces;
  h->edges = edges;
  h->loops = loops;
  h->vertex = vertex;
  h->face = face;
  h->edge = edge;
  h->loop = loop;
  return h;
}

po_hull *po_hull_copy(po_arena *arena, const po_hull *hull, double scale) {
  po_hull *h = po_hull_lay(arena, hull->vertices, hull->faces, hull->edges, hull->loops);
  int i;
  if (!h) return NULL;
  for (i = 0; i < h->vertices; i++) h->vertex[i] = po_v3_scale(scale, hull->vertex[i]);
  memcpy(h->face, hull->face, sizeof *h->face * (size_t)h->faces);
  for (i = 0; i < h->faces; i++) h->face[i].offset *= scale;
  memcpy(h->edge, hull->edge, sizeof *h->edge * (size_t)h->edges);
  memcpy(h->loop, hull->loop, sizeof *h->loop * (size_t)h->loops);
  return h;
}

/* Newell's normal, from the loop's middle outward; the offset is that of the corner farthest out. */
static void faces_plane(po_hull *h, po_hull_face *f, po_vec3 grid) {
  po_vec3 n = po_v3(0, 0, 0), o = h->vertex[h->loop[f->first]];
  int i;
  for (i = 1; i + 1 < f->count; i++)
    n = po_v3_add(n, po_v3_cross(po_v3_sub(h->vertex[h->loop[f->first + i]], o), po_v3_sub(h->vertex[h->loop[f->first + i + 1]], o)));
  n = po_v3_unit(n);
  f->normal = po_v3_dot(n, grid) > FACES_AGREE ? n : po_v3_unit(grid);
  f->offset = -PO_INF;
  for (i = 0; i < f->count; i++) f->offset = po_max(f->offset, po_v3_dot(f->normal, h->vertex[h->loop[f->first + i]]));
  for (i = 0; i < h->vertices && h->vertices <= FACES_ALL; i++) f->offset = po_max(f->offset, po_v3_dot(f->normal, h->vertex[i]));
}

static po_status faces_take(po_hull **out, faces_work *w, int *origin, po_error *err) {
  int i, f, vertices = 0, loops = w->first[w->faces];
  size_t bytes;
  po_arena arena;
  po_hull *h;
  void *block;
  for (i = 0; i < w->h->points; i++) vertices += w->degree[i] >= 3;
  po_arena_measure(&arena);
  po_hull_lay(&arena, vertices, w->faces, loops / 2, loops);
  bytes = po_arena_used(&arena);
  block = po_alloc(bytes);
  if (!block) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, block, bytes);
  h = po_hull_lay(&arena, vertices, w->faces, loops / 2, loops);
  for (i = 0, vertices = 0; i < w->h->points; i++) {
    if (w->degree[i] < 3) continue;
    if (origin) origin[vertices] = i;
    w->to[i] = vertices;
    h->vertex[vertices++] = w->point[i];
  }
  for (i = 0; i < loops; i++) h->loop[i] = w->to[w->loop[i]];
  for (f = 0; f < h->faces; f++) {
    h->face[f].first = w->first[f];
    h->face[f].count = w->first[f + 1] - w->first[f];
    faces_plane(h, &h->face[f], po_v3_unit(w->normal[w->seed[f]]));
  }
  for (i = 0; i < h->edges; i++) {
    const faces_side *s = &w->side[2 * i];
    h->edge[i].from = w->to[s->a];
    h->edge[i].to = w->to[s->b];
    h->edge[i].left = s->face;
    h->edge[i].right = s[1].face;
  }
  *out = h;
  return PO_OK;
}

po_status po_hull_faces(po_hull **hull, const po_hull_quick *h, const po_vec3 *point, int *origin, po_error *err) {
  faces_work w;
  po_arena arena;
  size_t bytes;
  po_status s;
  if (h->failed) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(&w, 0, sizeof w);
  w.h = h;
  w.point = point;
  po_arena_measure(&arena);
  faces_arrays(&w, &arena);
  bytes = po_arena_used(&arena);
  w.block = po_alloc(bytes);
  if (!w.block) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, w.block, bytes);
  faces_arrays(&w, &arena);
  faces_list(&w);
  faces_join(&w, FACES_CELLS * po_hull_quick_cell(point, h->points));
  if (faces_loops(&w)) faces_tidy(&w);
  else w.faces = 0;
  if (w.faces < 4 || !faces_pair(&w)) { /* triangles as they are always fit */
    faces_join(&w, -1);
    (void)faces_loops(&w);
    faces_tidy(&w);
    (void)faces_pair(&w);
  }
  s = faces_take(hull, &w, origin, err);
  po_free(w.block);
  return s;
}
