/* hull_quick.c: convex hulls by Barber, Dobkin and Huhdanpaa's quickhull (1996), on integers.
 *
 * Points are rounded to a grid of 2^20 cells across. Then the volume over a triangle, n · (p − a), is below 2^63 and its sign is exact: what is visible
 * from a point is in one piece, its border is one loop, no new triangle is without area, and coplanar points, however many, are never in doubt. Corners keep their own
 * coordinates; the grid only decides which points are corners and how they are joined. */
#include "mesh_internal.h"
#include <string.h>

#define QUICK_HALF 524287.0 /* 2^19 − 1: differences are below 2^20, n below 2^41, n · difference below 3 · 2^61 */

static void quick_box(po_vec3 *middle, double *half, const po_vec3 *point, int count) {
  po_vec3 lo = point[0], hi = point[0];
  int i;
  for (i = 1; i < count; i++) {
    lo = po_v3(po_min(lo.x, point[i].x), po_min(lo.y, point[i].y), po_min(lo.z, point[i].z));
    hi = po_v3(po_max(hi.x, point[i].x), po_max(hi.y, point[i].y), po_max(hi.z, point[i].z));
  }
  *middle = po_v3_scale(0.5, po_v3_add(lo, hi));
  *half = 0.5 * po_max(hi.x - lo.x, po_max(hi.y - lo.y, hi.z - lo.z));
}

double po_hull_quick_cell(const po_vec3 *point, int count) {
  po_vec3 middle;
  double half;
  quick_box(&middle, &half, point, count);
  return half / QUICK_HALF;
}

static int64_t quick_round(double x) { return (int64_t)(x < 0 ? x - 0.5 : x + 0.5); }

void po_hull_quick_new(po_hull_quick *h, const po_vec3 *point, int count) {
  po_vec3 middle;
  double half, scale;
  int i;
  memset(h, 0, sizeof *h);
  h->free = -1;
  h->points = count;
  h->x = (int64_t(*)[3])po_alloc(sizeof(int64_t[3]) * (size_t)count);
  h->waits = (int *)po_alloc(sizeof(int) * (size_t)count);
  h->begins = (int *)po_alloc(sizeof(int) * (size_t)count);
  h->failed = !h->x || !h->waits || !h->begins;
  if (h->failed) return;
  quick_box(&middle, &half, point, count);
  scale = half > 0 ? QUICK_HALF / half : 0;
  for (i = 0; i < count; i++) {
    po_vec3 p = po_v3_scale(scale, po_v3_sub(point[i], middle));
    h->x[i][0] = quick_round(p.x);
    h->x[i][1] = quick_round(p.y);
    h->x[i][2] = quick_round(p.z);
  }
}

void po_hull_quick_free(po_hull_quick *h) {
  po_free(h->x);
  po_free(h->waits);
  po_free(h->begins);
  po_free(h->t);
  po_free(h->stack);
}

/* ---- triangles ---------------------------------------------------------------------------------------------------------------- */

/* n · (p − a): of differences, since n · p alone might not fit. */
static int64_t quick_volume(const po_hull_quick *h, const po_hull_triangle *t, int p) {
  const int64_t *a = h->x[t->v[0]], *x = h->x[p];
  return t->n[0] * (x[0] - a[0]) + t->n[1] * (x[1] - a[1]) + t->n[2] * (x[2] - a[2]);
}

static void quick_plane(const po_hull_quick *h, po_hull_triangle *t) {
  const int64_t *a = h->x[t->v[0]], *b = h->x[t->v[1]], *c = h->x[t->v[2]];
  int64_t u[3], w[3];
  int i;
  for (i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    w[i] = c[i] - a[i];
  }
  t->n[0] = u[1] * w[2] - u[2] * w[1];
  t->n[1] = u[2] * w[0] - u[0] * w[2];
  t->n[2] = u[0] * w[1] - u[1] * w[0];
}

/* A place for one more; −1: out of memory. */
static int quick_triangle(po_hull_quick *h, int a, int b, int c) {
  po_hull_triangle *t;
  int at = h->free;
  if (at >= 0) h->free = h->t[at].next[0];
  else {
    if (h->triangles == h->capacity) {
      int capacity = h->capacity ? 2 * h->capacity : 256;
      po_hull_triangle *more = (po_hull_triangle *)po_alloc(sizeof *more * (size_t)capacity);
      int *stack = (int *)po_alloc(sizeof(int) * (size_t)capacity);
      if (!more || !stack) {
        po_free(more);
        po_free(stack);
        h->failed = 1;
        return -1;
      }
      if (h->triangles) {
        memcpy(more, h->t, sizeof *more * (size_t)h->triangles);
        memcpy(stack, h->stack, sizeof(int) * (size_t)h->triangles);
      }
      po_free(h->t);
      po_free(h->stack);
      h->t = more;
      h->stack = stack;
      h->capacity = capacity;
    }
    at = h->triangles++;
  }
  t = &h->t[at];
  memset(t, 0, sizeof *t);
  t->v[0] = a, t->v[1] = b, t->v[2] = c;
  t->alive = 1;
  t->list = -1;
  quick_plane(h, t);
  return at;
}

/* ---- the first four ----------------------------------------------------------------------------------------------------------- */

static double quick_distance2(const int64_t *a, const int64_t *b) {
  double x = (double)(a[0] - b[0]), y = (double)(a[1] - b[1]), z = (double)(a[2] - b[2]);
  return x * x + y * y + z * z;
}

static int quick_far(const po_hull_quick *h, int from) {
  double best = 0;
  int i, far = from;
  for (i = 0; i < h->points; i++) {
    double d = quick_distance2(h->x[i], h->x[from]);
    if (d > best) best = d, far = i;
  }
  return far;
}

int po_hull_quick_begin(po_hull_quick *h) {
  static const int side[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; /* of the corner that is not in it */
  int corner[4], i, k, m;
  po_hull_triangle t;
  double best = 0;
  int64_t deep = 0;
  if (h->failed) return 0;
  corner[0] = quick_far(h, 0);
  corner[1] = quick_far(h, corner[0]);
  corner[2] = corner[3] = corner[0];
  for (i = 0; i < h->points; i++) { /* farthest from the line */
    double area;
    t.v[0] = corner[0], t.v[1] = corner[1], t.v[2] = i;
    quick_plane(h, &t);
    area = (double)t.n[0] * (double)t.n[0] + (double)t.n[1] * (double)t.n[1] + (double)t.n[2] * (double)t.n[2];
    if (area > best) best = area, corner[2] = i;
  }
  if (!(best > 0)) return 0;
  t.v[2] = corner[2];
  quick_plane(h, &t);
  for (i = 0; i < h->points; i++) {
    int64_t v = quick_volume(h, &t, i);
    if ((v < 0 ? -v : v) > (deep < 0 ? -deep : deep)) deep = v, corner[3] = i;
  }
  if (deep == 0) return 0;
  if (deep > 0) { /* 0 1 2 must be anticlockwise seen from outside, with 3 below */
    k = corner[1], corner[1] = corner[2], corner[2] = k;
  }
  for (i = 0; i < 4; i++)
    if (quick_triangle(h, corner[side[i][0]], corner[side[i][2]], corner[side[i][1]]) < 0) return 0;
  for (i = 0; i < 4; i++)
    for (k = 0; k < 3; k++)
      for (m = 0; m < 4; m++) {
        int a = h->t[i].v[k], b = h->t[i].v[(k + 1) % 3], e;
        for (e = 0; e < 3; e++)
          if (h->t[m].v[e] == b && h->t[m].v[(e + 1) % 3] == a) h->t[i].next[k] = m;
      }
  return 1;
}

/* ---- one point ---------------------------------------------------------------------------------------------------------------- */

/* Puts a point into the list of the first of these triangles that it is outside of. */
static void quick_wait(po_hull_quick *h, int point, const int *among, int count) {
  int i;
  for (i = 0; i < count; i++) {
    int at = among ? among[i] : i;
    po_hull_triangle *t = &h->t[at];
    if (!t->alive || quick_volume(h, t, point) <= 0) continue;
    h->waits[point] = t->list;
    t->list = point;
    if (at < h->lowest) h->lowest = at;
    return;
  }
}

/* Replaces all that is visible from the point by a cone from its border. `from`: a triangle that sees it. Points that waited wait on. */
static void quick_cone(po_hull_quick *h, int from, int point) {
  int seen = 0, fresh = 0, i, k, waiting = -1, first = -1;
  int *made = (int *)po_alloc(sizeof(int) * (size_t)(3 * h->triangles + 3));
  if (!made) {
    h->failed = 1;
    return;
  }
  h->stamp++;
  h->t[from].seen = h->stamp;
  h->stack[seen++] = from;
  for (i = 0; i < seen; i++) /* breadth first; the stack is then the list of all that is visible */
    for (k = 0; k < 3; k++) {
      po_hull_triangle *t = &h->t[h->t[h->stack[i]].next[k]];
      if (t->seen == h->stamp || quick_volume(h, t, point) <= 0) continue;
      t->seen = h->stamp;
      h->stack[seen++] = (int)(t - h->t);
    }
  for (i = 0; i < seen && !h->failed; i++)
    for (k = 0; k < 3; k++) {
      int old = h->stack[i], across = h->t[old].next[k], a = h->t[old].v[k], b = h->t[old].v[(k + 1) % 3], at, e;
      if (h->t[across].seen == h->stamp) continue;
      at = quick_triangle(h, a, b, point);
      if (at < 0) break;
      made[fresh++] = at;
      h->t[at].next[0] = across;
      for (e = 0; e < 3; e++)
        if (h->t[across].v[e] == b && h->t[across].v[(e + 1) % 3] == a) h->t[across].next[e] = at;
      h->begins[a] = at;
    }
  for (i = 0; i < fresh; i++) {
    int after = h->begins[h->t[made[i]].v[1]];
    h->t[made[i]].next[1] = after;
    h->t[after].next[2] = made[i];
  }
  for (i = 0; i < seen; i++) {
    po_hull_triangle *t = &h->t[h->stack[i]];
    while (t->list >= 0) {
      int p = t->list;
      t->list = h->waits[p];
      if (p == point) continue;
      h->waits[p] = waiting;
      waiting = p;
    }
    t->alive = 0;
    t->next[0] = first;
    first = h->stack[i];
  }
  if (first >= 0) {
    h->t[h->stack[0]].next[0] = h->free;
    h->free = first;
  }
  while (waiting >= 0) {
    int p = waiting;
    waiting = h->waits[p];
    quick_wait(h, p, made, fresh);
  }
  po_free(made);
}

void po_hull_quick_all(po_hull_quick *h) {
  int i, at;
  if (h->failed) return;
  for (i = 0; i < h->points; i++) quick_wait(h, i, NULL, h->triangles);
  for (at = h->lowest = 0; at < h->triangles && !h->failed;) {
    const po_hull_triangle *t = &h->t[at];
    int64_t best = 0;
    int far = -1, p;
    if (!t->alive || t->list < 0) {
      at++;
      continue;
    }
    for (p = t->list; p >= 0; p = h->waits[p]) {
      int64_t v = quick_volume(h, t, p);
      if (v > best) best = v, far = p;
    }
    h->lowest = at;
    quick_cone(h, at, far);
    at = h->lowest;
  }
}

double po_hull_quick_gain(const po_hull_quick *h, int point) {
  double sum = 0;
  int i;
  for (i = 0; i < h->triangles; i++)
    if (h->t[i].alive) {
      int64_t v = quick_volume(h, &h->t[i], point);
      if (v > 0) sum += (double)v;
    }
  return sum;
}

void po_hull_quick_add(po_hull_quick *h, int point) {
  int i;
  for (i = 0; i < h->triangles && !h->failed; i++)
    if (h->t[i].alive && quick_volume(h, &h->t[i], point) > 0) {
      quick_cone(h, i, point);
      return;
    }
}
