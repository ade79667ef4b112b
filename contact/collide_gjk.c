/* collide_gjk.c: the gap of two convex bodies made of corners.
 *
 * D = A − B holds the origin when they overlap. Apart, its point nearest to the origin is found by simplices (Gilbert, Johnson, Keerthi 1988); overlapping, its
 * facet nearest to the origin by a polytope that grows into D (van den Bergen 2001). The polytope may begin anywhere in D: the facet with the least n · x is
 * pushed out until it is one of D's, and least is then the depth, or, below zero, a distance. So what just touches needs no special care. */
#include "collide_hull.h"

/* Relative to the size of D. Gaps are right within GJK_EXACT; nearer than GJK_TOUCH the direction to the nearest point is mostly rounding. */
#define GJK_EXACT 1e-13
#define GJK_TOUCH 1e-9
#define GJK_STEPS 64
#define EPA_STEPS 120
#define EPA_POINTS (EPA_STEPS + 4)
#define EPA_FACES 640
#define EPA_FOOT 16
#define EPA_LEAN 1e-6    /* facets that meet at a smaller angle are one */
#define EPA_SLIVER 1e-12 /* a triangle's area over the square of its longest side: below, its normal means nothing */

typedef struct gjk_point {
  po_vec3 w; /* a's corner − b's, in a's axes */
  int a, b;
} gjk_point;

typedef struct gjk_pair {
  const po_core *a, *b;
  po_mat3 R; /* b's axes in a's */
  po_vec3 p;
  double size;
} gjk_pair;

void po_core_of(po_core *c, const po_solid *s) {
  int k;
  c->solid = s;
  c->radius = 0;
  c->vertex = c->own;
  switch (s->type) {
    case PO_HULL:
      c->vertex = s->hull->vertex;
      c->vertices = s->hull->vertices;
      break;
    case PO_BOX:
      c->vertices = 8;
      for (k = 0; k < 8; k++) c->own[k] = po_v3(k & 1 ? s->size[0] : -s->size[0], k & 2 ? s->size[1] : -s->size[1], k & 4 ? s->size[2] : -s->size[2]);
      break;
    case PO_CAPSULE:
      c->vertices = 2;
      c->radius = s->size[0];
      c->own[0] = po_v3(0, 0, -s->size[1]);
      c->own[1] = po_v3(0, 0, s->size[1]);
      break;
    default:
      c->vertices = 1;
      c->radius = s->size[0];
      c->own[0] = po_v3(0, 0, 0);
  }
}

/* The corner farthest along d; the first of equal ones. */
static int gjk_far(const po_core *c, po_vec3 d) {
  const po_vec3 *v = c->vertex;
  double best = po_v3_dot(v[0], d);
  int i, far = 0;
  for (i = 1; i < c->vertices; i++) {
    double along = po_v3_dot(v[i], d);
    if (along > best) best = along, far = i;
  }
  return far;
}

/* The corner of D farthest along d. */
static gjk_point gjk_support(const gjk_pair *g, po_vec3 d) {
  gjk_point x;
  x.a = gjk_far(g->a, d);
  x.b = gjk_far(g->b, po_m3_tmul_v(g->R, po_v3_neg(d)));
  x.w = po_v3_sub(g->a->vertex[x.a], po_v3_add(po_m3_mul_v(g->R, g->b->vertex[x.b]), g->p));
  return x;
}

/* ---- the nearest point of a simplex --------------------------------------------------------------------------------------------- */

typedef struct gjk_simplex {
  gjk_point x[4];
  double part[4]; /* barycentric */
  int n;
} gjk_simplex;

static po_vec3 gjk_point_of(const gjk_simplex *s) {
  po_vec3 v = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < s->n; i++) v = po_v3_addscaled(v, s->part[i], s->x[i].w);
  return v;
}

static void gjk_keep(gjk_simplex *out, const gjk_simplex *s, int i, int j, int k, double pi, double pj, double pk) {
  gjk_simplex r;
  r.n = 0;
  if (i >= 0) r.x[r.n] = s->x[i], r.part[r.n++] = pi;
  if (j >= 0) r.x[r.n] = s->x[j], r.part[r.n++] = pj;
  if (k >= 0) r.x[r.n] = s->x[k], r.part[r.n++] = pk;
  *out = r;
}

static void gjk_segment(gjk_simplex *out, const gjk_simplex *s, int i, int j) {
  po_vec3 a = s->x[i].w, d = po_v3_sub(s->x[j].w, a);
  double length2 = po_v3_dot(d, d), t = length2 > 0 ? -po_v3_dot(a, d) / length2 : 0;
  if (t <= 0) gjk_keep(out, s, i, -1, -1, 1, 0, 0);
  else if (t >= 1) gjk_keep(out, s, j, -1, -1, 1, 0, 0);
  else gjk_keep(out, s, i, j, -1, 1 - t, t, 0);
}

/* Nearest point of a triangle to the origin, by regions (Ericson 2005, section 5.1.5). */
static void gjk_triangle(gjk_simplex *out, const gjk_simplex *s, int i, int j, int k) {
  po_vec3 a = s->x[i].w, b = s->x[j].w, c = s->x[k].w, ab = po_v3_sub(b, a), ac = po_v3_sub(c, a);
  double d1 = -po_v3_dot(ab, a), d2 = -po_v3_dot(ac, a), d3 = -po_v3_dot(ab, b), d4 = -po_v3_dot(ac, b), d5 = -po_v3_dot(ab, c), d6 = -po_v3_dot(ac, c);
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum;
  if (d1 <= 0 && d2 <= 0) gjk_keep(out, s, i, -1, -1, 1, 0, 0);
  else if (d3 >= 0 && d4 <= d3) gjk_keep(out, s, j, -1, -1, 1, 0, 0);
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) gjk_segment(out, s, i, j);
  else if (d6 >= 0 && d5 <= d6) gjk_keep(out, s, k, -1, -1, 1, 0, 0);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) gjk_segment(out, s, i, k);
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) gjk_segment(out, s, j, k);
  else if ((sum = va + vb + vc) > 0) gjk_keep(out, s, i, j, k, va / sum, vb / sum, vc / sum);
  else gjk_segment(out, s, i, j);
}

/* Reduces the simplex to the part of it that holds its nearest point; 1 when that is the inside of a tetrahedron. */
static int gjk_nearest(gjk_simplex *s) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  gjk_simplex best, one;
  double least = PO_INF;
  int f, outside = 0;
  if (s->n == 1) s->part[0] = 1;
  if (s->n == 2) {
    gjk_segment(&best, s, 0, 1);
    *s = best;
  }
  if (s->n == 3) {
    gjk_triangle(&best, s, 0, 1, 2);
    *s = best;
  }
  if (s->n < 4) return 0;
  for (f = 0; f < 4; f++) {
    po_vec3 a = s->x[face[f][0]].w, n = po_v3_cross(po_v3_sub(s->x[face[f][1]].w, a), po_v3_sub(s->x[face[f][2]].w, a)), v;
    double origin = -po_v3_dot(n, a), other = po_v3_dot(n, po_v3_sub(s->x[face[f][3]].w, a));
    if (origin * other > 0) continue; /* a flat one has every side outside */
    outside = 1;
    gjk_triangle(&one, s, face[f][0], face[f][1], face[f][2]);
    v = gjk_point_of(&one);
    if (po_v3_dot(v, v) < least) least = po_v3_dot(v, v), best = one;
  }
  if (outside) *s = best;
  return !outside;
}

/* ---- overlapping: the polytope ---------------------------------------------------------------------------------------------------- */

typedef struct epa_face {
  int v[3], next[3]; /* next[i]: across v[i] → v[i + 1] */
  po_vec3 n;
  double h; /* n · x on it; PO_INF: a sliver, never looked at */
  int alive, seen;
} epa_face;

typedef struct epa_work {
  gjk_point x[EPA_POINTS];
  epa_face f[EPA_FACES];
  int stack[EPA_FACES], begins[EPA_POINTS];
  int points, faces, free, stamp;
} epa_work;

static void epa_plane(epa_work *w, epa_face *f) {
  po_vec3 a = w->x[f->v[0]].w, b = w->x[f->v[1]].w, c = w->x[f->v[2]].w, u = po_v3_sub(b, a), v = po_v3_sub(c, a), t = po_v3_sub(c, b), n = po_v3_cross(u, v);
  double longest2 = po_max(po_v3_dot(u, u), po_max(po_v3_dot(v, v), po_v3_dot(t, t))), area = po_v3_norm(n);
  if (!(area > EPA_SLIVER * longest2)) {
    f->n = po_v3(0, 0, 0);
    f->h = PO_INF;
    return;
  }
  f->n = po_v3_scale(1 / area, n);
  f->h = (po_v3_dot(f->n, a) + po_v3_dot(f->n, b) + po_v3_dot(f->n, c)) / 3;
}

static int epa_add_face(epa_work *w, int a, int b, int c) {
  epa_face *f;
  int at = w->free;
  if (at >= 0) w->free = w->f[at].next[0];
  else if (w->faces < EPA_FACES) at = w->faces++;
  else return -1;
  f = &w->f[at];
  f->v[0] = a, f->v[1] = b, f->v[2] = c;
  f->alive = 1;
  f->seen = 0;
  epa_plane(w, f);
  return at;
}

/* A tetrahedron of far corners of D; 0 when D is flat. */
static int epa_begin(epa_work *w, const gjk_pair *g, po_vec3 d) {
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  po_vec3 n, t1, t2;
  int k, i;
  double best = 0;
  w->points = 4;
  w->faces = w->stamp = 0;
  w->free = -1;
  w->x[0] = gjk_support(g, po_v3_neg(d));
  w->x[1] = gjk_support(g, d);
  for (k = 0; k < 6 && po_v3_norm(po_v3_sub(w->x[1].w, w->x[0].w)) < 1e-9 * g->size; k++)
    w->x[1] = gjk_support(g, po_v3(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, k == 4 ? 1 : k == 5 ? -1 : 0));
  n = po_v3_unit(po_v3_sub(w->x[1].w, w->x[0].w));
  po_v3_tangents(&t1, &t2, n);
  for (k = 0; k < 4; k++) {
    gjk_point x = gjk_support(g, po_v3_scale(k & 2 ? -1 : 1, k & 1 ? t2 : t1));
    double off = po_v3_norm(po_v3_cross(n, po_v3_sub(x.w, w->x[0].w)));
    if (off > best) best = off, w->x[2] = x;
  }
  if (!(best > 1e-9 * g->size)) return 0;
  n = po_v3_unit(po_v3_cross(po_v3_sub(w->x[1].w, w->x[0].w), po_v3_sub(w->x[2].w, w->x[0].w)));
  best = 0;
  for (k = 0; k < 2; k++) {
    gjk_point x = gjk_support(g, po_v3_scale(k ? -1 : 1, n));
    double off = po_v3_dot(n, po_v3_sub(x.w, w->x[0].w));
    if (fabs(off) > fabs(best)) best = off, w->x[3] = x;
  }
  if (!(fabs(best) > 1e-9 * g->size)) return 0;
  if (best > 0) { /* 0 1 2 must look away from 3 */
    gjk_point swap = w->x[1];
    w->x[1] = w->x[2];
    w->x[2] = swap;
  }
  for (k = 0; k < 4; k++) {
    epa_add_face(w, corner[k][0], corner[k][1], corner[k][2]);
    for (i = 0; i < 3; i++) w->f[k].next[i] = across[k][i];
  }
  return 1;
}

/* Replaces the faces that see point p, in one piece around `from`, by a cone; 0 when there is no room or it would not close. */
static int epa_grow(epa_work *w, int from, int p, double tolerance) {
  int seen = 0, i, k, e, first = -1, fresh = 0, last = -1;
  w->stamp++;
  w->f[from].seen = w->stamp;
  w->stack[seen++] = from;
  for (i = 0; i < seen; i++)
    for (k = 0; k < 3; k++) {
      int o = w->f[w->stack[i]].next[k];
      epa_face *f = &w->f[o];
      if (f->seen == w->stamp || (f->h < PO_INF && po_v3_dot(f->n, w->x[p].w) <= f->h + tolerance)) continue;
      f->seen = w->stamp;
      w->stack[seen++] = o;
    }
  for (i = 0; i < w->points; i++) w->begins[i] = -1;
  for (i = 0; i < seen; i++)
    for (k = 0; k < 3; k++) {
      int old = w->stack[i], o = w->f[old].next[k], a = w->f[old].v[k], b = w->f[old].v[(k + 1) % 3], at;
      if (w->f[o].seen == w->stamp) continue;
      if (w->begins[a] >= 0 || (at = epa_add_face(w, a, b, p)) < 0) return 0;
      w->f[at].next[0] = o;
      for (e = 0; e < 3; e++)
        if (w->f[o].v[e] == b && w->f[o].v[(e + 1) % 3] == a) w->f[o].next[e] = at;
      w->begins[a] = at;
      last = a;
      fresh++;
    }
  for (i = last, k = 0; k < fresh; k++) { /* around the border */
    int at = w->begins[i], after = w->begins[w->f[at].v[1]];
    if (after < 0) return 0;
    w->f[at].next[1] = after;
    w->f[after].next[2] = at;
    i = w->f[at].v[1];
  }
  if (fresh < 3 || i != last) return 0;
  for (i = 0; i < seen; i++) {
    w->f[w->stack[i]].alive = 0;
    w->f[w->stack[i]].next[0] = first;
    first = w->stack[i];
  }
  w->f[w->stack[0]].next[0] = w->free;
  w->free = first;
  return 1;
}

/* Where on the facet the origin's foot is: a facet has more corners than this triangle of it, so corners of D are added that lie in its plane and
 * nearer to the foot, which are found by leaning its normal that way. */
static void epa_foot(gjk_simplex *s, const epa_work *w, const epa_face *f, const gjk_pair *g) {
  gjk_simplex t;
  po_vec3 v;
  int i, step;
  t.n = 3;
  for (i = 0; i < 3; i++) {
    t.x[i] = w->x[f->v[i]];
    t.x[i].w = po_v3_addscaled(t.x[i].w, -f->h, f->n);
  }
  for (step = 0; step < EPA_FOOT; step++) {
    gjk_point x;
    int known = 0;
    gjk_nearest(&t);
    *s = t;
    v = gjk_point_of(&t);
    if (po_v3_norm(v) < GJK_EXACT * g->size) return;
    x = gjk_support(g, po_v3_addscaled(f->n, -EPA_LEAN, po_v3_unit(v)));
    for (i = 0; i < t.n; i++) known |= t.x[i].a == x.a && t.x[i].b == x.b;
    x.w = po_v3_addscaled(x.w, -f->h, f->n);
    if (known || fabs(po_v3_dot(f->n, x.w)) > EPA_LEAN * g->size) return;
    t.x[t.n++] = x;
  }
}

/* The facet of D with the least n · x, and where on it the origin's foot is. */
static int epa_depth(gjk_simplex *s, po_vec3 *normal, double *depth, const gjk_pair *g, po_vec3 d) {
  epa_work w;
  double tolerance = GJK_EXACT * g->size;
  int step, i, best;
  if (!epa_begin(&w, g, d)) return 0;
  for (step = 0;; step++) {
    best = -1;
    for (i = 0; i < w.faces; i++)
      if (w.f[i].alive && (best < 0 || w.f[i].h < w.f[best].h)) best = i;
    if (best < 0 || w.f[best].h == PO_INF) return 0;
    w.x[w.points] = gjk_support(g, w.f[best].n);
    if (step == EPA_STEPS || po_v3_dot(w.f[best].n, w.x[w.points].w) <= w.f[best].h + 4 * tolerance) break;
    w.points++;
    { /* of the face, before it may go */
      epa_face was = w.f[best];
      if (epa_grow(&w, best, w.points - 1, tolerance)) continue;
      *normal = was.n;
      *depth = po_v3_dot(was.n, w.x[w.points - 1].w); /* a depth all the same, if perhaps not the least */
      s->n = 1;
      s->x[0] = w.x[w.points - 1];
      s->part[0] = 1;
      return 1;
    }
  }
  *normal = w.f[best].n;
  *depth = w.f[best].h;
  epa_foot(s, &w, &w.f[best], g);
  return 1;
}

/* ---- the gap --------------------------------------------------------------------------------------------------------------------- */

static void gjk_result(po_core_gap *out, const gjk_pair *g, const gjk_simplex *s, po_vec3 normal, double gap) {
  const po_solid *a = g->a->solid, *b = g->b->solid;
  po_vec3 pa = po_v3(0, 0, 0), pb = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < 3; i++) {
    out->a[i] = i < s->n ? s->x[i].a : -1;
    out->b[i] = i < s->n ? s->x[i].b : -1;
  }
  for (i = 0; i < s->n; i++) {
    pa = po_v3_addscaled(pa, s->part[i], g->a->vertex[s->x[i].a]);
    pb = po_v3_addscaled(pb, s->part[i], g->b->vertex[s->x[i].b]);
  }
  out->gap = gap;
  out->normal = po_m3_mul_v(a->R, normal);
  out->on_a = po_v3_add(a->p, po_m3_mul_v(a->R, pa));
  out->on_b = po_v3_add(b->p, po_m3_mul_v(b->R, pb));
}

static double gjk_extent(const po_core *c) {
  const po_solid *s = c->solid;
  return s->type == PO_CAPSULE ? s->size[1] : s->type == PO_SPHERE ? 0 : s->size[0] + s->size[1] + s->size[2];
}

int po_core_distance(po_core_gap *out, const po_core *a, const po_core *b, double most) {
  gjk_pair g;
  gjk_simplex s, next;
  po_vec3 v, normal;
  double length = 0, depth;
  int step, inside = 0, i;
  g.a = a;
  g.b = b;
  g.R = po_m3_tmul(a->solid->R, b->solid->R);
  g.p = po_m3_tmul_v(a->solid->R, po_v3_sub(b->solid->p, a->solid->p));
  g.size = gjk_extent(a) + gjk_extent(b);
  v = po_v3_neg(g.p);
  if (!(po_v3_dot(v, v) > 0)) v = po_v3(0, 0, 1);
  s.n = 1;
  s.x[0] = gjk_support(&g, po_v3_neg(v));
  s.part[0] = 1;
  v = s.x[0].w;
  for (step = 0; step < GJK_STEPS; step++) {
    gjk_point x;
    double along;
    int known = 0;
    length = po_v3_norm(v);
    if (length < GJK_TOUCH * g.size) {
      inside = 1;
      break;
    }
    x = gjk_support(&g, po_v3_neg(v));
    along = po_v3_dot(v, x.w) / length; /* no point of D is nearer than this */
    if (along > most) return 0;
    for (i = 0; i < s.n; i++) known |= s.x[i].a == x.a && s.x[i].b == x.b;
    if (known || length - along <= GJK_EXACT * g.size) break;
    next = s;
    next.x[next.n++] = x;
    if (gjk_nearest(&next)) {
      inside = 1;
      break;
    }
    {
      po_vec3 nearer = gjk_point_of(&next);
      if (!(po_v3_dot(nearer, nearer) < length * length)) break; /* rounding: no nearer than before */
      v = nearer;
      s = next;
    }
  }
  if (!inside) {
    if (length > most) return 0;
    gjk_result(out, &g, &s, po_v3_scale(1 / length, v), length);
    return 1;
  }
  normal = po_v3_unit(po_v3_neg(g.p));
  if (po_v3_norm(normal) == 0) normal = po_v3(0, 0, 1);
  if (!epa_depth(&s, &normal, &depth, &g, normal)) return 0;
  /* the facet's normal looks out of D: moving a along −normal … D's facet is n · (a − b) = h, so a parts from b against n by h */
  gjk_result(out, &g, &s, po_v3_neg(normal), -depth);
  return 1;
}
