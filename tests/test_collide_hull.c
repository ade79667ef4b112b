/* test_collide_hull.c: hulls against everything: gaps and normals against brute force, boxes made as hulls against boxes, points that keep their names. */
#include "contact/collide_hull.h"
#include "contact_helpers.h"
#include "counting.h"

void setUp(void) {}
void tearDown(void) {}

static po_mat3 turn(po_rng *rng) {
  return po_q_matrix(po_q_unit(po_q(po_rng_normal(rng), po_rng_normal(rng), po_rng_normal(rng), po_rng_normal(rng))));
}

static po_solid solid_of(const po_hull *h, po_vec3 p, po_mat3 R) {
  po_solid s;
  int i;
  memset(&s, 0, sizeof s);
  s.type = PO_HULL;
  s.hull = h;
  s.R = R;
  s.p = p;
  for (i = 0; i < h->vertices; i++) {
    s.size[0] = po_max(s.size[0], fabs(h->vertex[i].x));
    s.size[1] = po_max(s.size[1], fabs(h->vertex[i].y));
    s.size[2] = po_max(s.size[2], fabs(h->vertex[i].z));
  }
  return s;
}

static po_hull *hull_of(const po_vec3 *p, int n) {
  po_hull *h = NULL;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hull_new(&h, p, n, NULL, NULL));
  return h;
}

static po_hull *box_hull(double x, double y, double z) {
  po_vec3 p[8];
  int k;
  for (k = 0; k < 8; k++) p[k] = po_v3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
  return hull_of(p, 8);
}

/* ---- brute force ------------------------------------------------------------------------------------------------------------------ */

typedef struct shape { /* corners, faces and edges in the world */
  po_vec3 v[64], n[800], e[800], at[800]; /* e: along an edge, not unit; at: where it begins */
  double d[800];
  int tri[800][3];
  int vs, fs, es, ts;
} shape;

/* A face's corners are in a plane but for the grid's rounding, so what its corners span is cut every way: all triangles, their planes, and all lines. */
static void shape_face(shape *s, const int *l, int count, po_vec3 out) {
  int i, j, k, c;
  for (i = 0; i < count; i++)
    for (j = i + 1; j < count; j++) {
      s->at[s->es] = s->v[l[i]];
      s->e[s->es++] = po_v3_sub(s->v[l[j]], s->v[l[i]]);
      for (k = j + 1; k < count; k++) {
        po_vec3 n = po_v3_cross(po_v3_sub(s->v[l[j]], s->v[l[i]]), po_v3_sub(s->v[l[k]], s->v[l[i]]));
        s->tri[s->ts][0] = l[i];
        s->tri[s->ts][1] = l[j];
        s->tri[s->ts++][2] = l[k];
        if (!(po_v3_norm(n) > 0)) continue;
        s->n[s->fs] = po_v3_unit(po_v3_dot(n, out) < 0 ? po_v3_neg(n) : n);
        s->d[s->fs] = -PO_INF;
        for (c = 0; c < s->vs; c++) s->d[s->fs] = po_max(s->d[s->fs], po_v3_dot(s->n[s->fs], s->v[c]));
        s->fs++;
      }
    }
}

static void shape_of(shape *s, const po_solid *x) {
  const po_hull *h = x->hull;
  int i;
  s->vs = h->vertices, s->fs = s->es = s->ts = 0;
  for (i = 0; i < s->vs; i++) s->v[i] = po_v3_add(x->p, po_m3_mul_v(x->R, h->vertex[i]));
  for (i = 0; i < h->faces; i++) shape_face(s, &h->loop[h->face[i].first], h->face[i].count, po_m3_mul_v(x->R, h->face[i].normal));
}

/* Separation along n (out of b, towards a): least of a − greatest of b. */
static double along(const shape *a, const shape *b, po_vec3 n) {
  double lo = PO_INF, hi = -PO_INF;
  int i;
  for (i = 0; i < a->vs; i++) lo = po_min(lo, po_v3_dot(n, a->v[i]));
  for (i = 0; i < b->vs; i++) hi = po_max(hi, po_v3_dot(n, b->v[i]));
  return lo - hi;
}

/* The largest separation over all axes that can be the best of two polyhedra that overlap. */
static double overlap(const shape *a, const shape *b) {
  double best = -PO_INF;
  int i, j;
  for (i = 0; i < a->fs; i++) best = po_max(best, along(a, b, po_v3_neg(a->n[i])));
  for (i = 0; i < b->fs; i++) best = po_max(best, along(a, b, b->n[i]));
  for (i = 0; i < a->es; i++)
    for (j = 0; j < b->es; j++) {
      po_vec3 n = po_v3_cross(a->e[i], b->e[j]);
      double length = po_v3_norm(n);
      if (length < 1e-9 * po_v3_norm(a->e[i]) * po_v3_norm(b->e[j])) continue;
      n = po_v3_scale(1 / length, n);
      best = po_max(best, po_max(along(a, b, n), along(a, b, po_v3_neg(n))));
    }
  return best;
}

static double point_triangle(po_vec3 p, po_vec3 a, po_vec3 b, po_vec3 c) {
  po_vec3 n = po_v3_cross(po_v3_sub(b, a), po_v3_sub(c, a));
  double inside = 1, area = po_v3_norm(n);
  if (!(area > 0)) return PO_INF; /* its edges say it */
  inside = po_min(inside, po_v3_dot(n, po_v3_cross(po_v3_sub(b, a), po_v3_sub(p, a))));
  inside = po_min(inside, po_v3_dot(n, po_v3_cross(po_v3_sub(c, b), po_v3_sub(p, b))));
  inside = po_min(inside, po_v3_dot(n, po_v3_cross(po_v3_sub(a, c), po_v3_sub(p, c))));
  return inside >= 0 ? fabs(po_v3_dot(n, po_v3_sub(p, a))) / area : PO_INF;
}

static double segments(po_vec3 p, po_vec3 u, po_vec3 q, po_vec3 v) {
  double best = PO_INF, uu = po_v3_dot(u, u), vv = po_v3_dot(v, v), uv = po_v3_dot(u, v), det = uu * vv - uv * uv;
  po_vec3 r = po_v3_sub(p, q);
  int k;
  for (k = 0; k < 4; k++) { /* ends against the other segment */
    po_vec3 x = k & 1 ? po_v3_add(p, u) : p, y = k & 1 ? po_v3_add(q, v) : q;
    double t = k & 2 ? po_clamp(po_v3_dot(v, po_v3_sub(x, q)) / vv, 0, 1) : po_clamp(po_v3_dot(u, po_v3_sub(y, p)) / uu, 0, 1);
    best = po_min(best, k & 2 ? po_v3_norm(po_v3_sub(x, po_v3_addscaled(q, t, v))) : po_v3_norm(po_v3_sub(y, po_v3_addscaled(p, t, u))));
  }
  if (det > 1e-14 * uu * vv) {
    double ru = po_v3_dot(r, u), rv = po_v3_dot(r, v), s = (uv * rv - vv * ru) / det, t = (uu * rv - uv * ru) / det;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = po_min(best, po_v3_norm(po_v3_sub(po_v3_addscaled(p, s, u), po_v3_addscaled(q, t, v))));
  }
  return best;
}

/* Distance of two polyhedra that are apart: corners against triangles, edges against edges. */
static double distance(const shape *a, const shape *b) {
  double best = PO_INF;
  int i, j;
  for (i = 0; i < a->vs; i++)
    for (j = 0; j < b->ts; j++) best = po_min(best, point_triangle(a->v[i], b->v[b->tri[j][0]], b->v[b->tri[j][1]], b->v[b->tri[j][2]]));
  for (i = 0; i < b->vs; i++)
    for (j = 0; j < a->ts; j++) best = po_min(best, point_triangle(b->v[i], a->v[a->tri[j][0]], a->v[a->tri[j][1]], a->v[a->tri[j][2]]));
  for (i = 0; i < a->es; i++)
    for (j = 0; j < b->es; j++) best = po_min(best, segments(a->at[i], a->e[i], b->at[j], b->e[j]));
  return best;
}

static po_hull *random_hull(po_rng *r) {
  po_vec3 p[14];
  int kind = po_rng_below(r, 4), n = 4 + po_rng_below(r, 9), i;
  if (kind == 0) return box_hull(po_rng_range(r, 0.02, 0.3), po_rng_range(r, 0.02, 0.3), po_rng_range(r, 0.02, 0.3));
  for (i = 0; i < n; i++) {
    p[i] = po_v3(po_rng_range(r, -0.3, 0.3), po_rng_range(r, -0.3, 0.3), po_rng_range(r, -0.3, 0.3));
    if (kind == 1) p[i].z *= 0.05;
    if (kind == 2) p[i] = po_v3_scale(0.3, po_v3_unit(p[i]));
  }
  return hull_of(p, n);
}

/* Attitudes at random, or parallel ones, which is what lies on each other. */
static po_mat3 random_attitude(po_rng *r) { return po_rng_below(r, 4) ? turn(r) : po_m3_rpy(0, 0, po_rng_below(r, 2) ? 0 : PO_PI / 2); }

static void test_gap_and_normal(void) {
  int pairs = getenv("POISE_FULL") ? 100000 : 4000, k, apart = 0, deep = 0;
  double worst = 0, worst_normal = 0;
  for (k = 0; k < pairs; k++) {
    po_hull *ha, *hb;
    po_solid a, b;
    po_core ca, cb;
    po_core_gap g;
    static shape x, y;
    double want, error;
    char what[96];
    po_rng r;
    po_rng_init(&r, (uint64_t)k, 11);
    ha = random_hull(&r);
    hb = random_hull(&r);
    a = solid_of(ha, po_v3(po_rng_range(&r, -0.3, 0.3), po_rng_range(&r, -0.3, 0.3), po_rng_range(&r, -0.3, 0.3)), random_attitude(&r));
    b = solid_of(hb, po_v3(0, 0, 0), random_attitude(&r));
    shape_of(&x, &a);
    shape_of(&y, &b);
    want = overlap(&x, &y);
    if (want > 0) want = distance(&x, &y), apart++;
    else deep++;
    po_format(what, sizeof what, "seed %d", k);
    po_core_of(&ca, &a);
    po_core_of(&cb, &b);
    TEST_ASSERT_TRUE_MESSAGE(po_core_distance(&g, &ca, &cb, 10), what);
    error = fabs(g.gap - want);
    TEST_ASSERT_TRUE_MESSAGE(error < 1e-9, what);
    worst = po_max(worst, error);
    /* the normal is right when it separates by the gap */
    error = fabs(along(&x, &y, g.normal) - want);
    TEST_ASSERT_TRUE_MESSAGE(error < 1e-9, what);
    worst_normal = po_max(worst_normal, error);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_v3_norm(g.normal));
    /* and the two points are the gap apart, along it */
    error = po_v3_norm(po_v3_sub(po_v3_sub(g.on_a, g.on_b), po_v3_scale(g.gap, g.normal)));
    TEST_ASSERT_TRUE_MESSAGE(error < 1e-9, what);
    /* nothing is found that is farther than asked for */
    if (want > 1e-6) TEST_ASSERT_FALSE_MESSAGE(po_core_distance(&g, &ca, &cb, 0.999 * want), what);
    po_hull_free(ha);
    po_hull_free(hb);
  }
  TEST_ASSERT_TRUE(apart > pairs / 5 && deep > pairs / 5);
}

/* What is kept of a manifold: gaps that no two bodies could have by less, points between the bodies, at most four; the deepest is as deep as the bodies are. */
static void test_manifolds(void) {
  int pairs = getenv("POISE_FULL") ? 100000 : 4000, k, i, many = 0;
  for (k = 0; k < pairs; k++) {
    po_hull *ha, *hb;
    po_solid a, b;
    po_core ca, cb;
    po_core_gap g;
    po_touch t[PO_MAX_TOUCHES], u[PO_MAX_TOUCHES];
    static shape x, y;
    double least = PO_INF, thin;
    char what[96];
    po_rng r;
    int n, m;
    po_rng_init(&r, (uint64_t)k, 12);
    ha = random_hull(&r);
    hb = random_hull(&r);
    a = solid_of(ha, po_v3(po_rng_range(&r, -0.3, 0.3), po_rng_range(&r, -0.3, 0.3), po_rng_range(&r, -0.3, 0.3)), random_attitude(&r));
    b = solid_of(hb, po_v3(0, 0, 0), random_attitude(&r));
    shape_of(&x, &a);
    shape_of(&y, &b);
    po_core_of(&ca, &a);
    po_core_of(&cb, &b);
    po_format(what, sizeof what, "seed %d", k);
    n = po_collide(t, &a, &b, 0.01);
    TEST_ASSERT_TRUE_MESSAGE((n > 0) == po_core_distance(&g, &ca, &cb, 0.01), what);
    TEST_ASSERT_TRUE_MESSAGE(n <= 4, what);
    if (n == 0) {
      po_hull_free(ha);
      po_hull_free(hb);
      continue;
    }
    many += n > 2;
    thin = po_min(po_min(a.size[0], po_min(a.size[1], a.size[2])), po_min(b.size[0], po_min(b.size[1], b.size[2])));
    for (i = 0; i < n; i++) {
      TEST_ASSERT_TRUE_MESSAGE(along(&x, &y, t[i].normal) >= g.gap - 3e-3 * thin - 1e-12, what); /* as good as the best, or preferred by 2e-3 */
      least = po_min(least, t[i].gap);
    }
    TEST_ASSERT_TRUE_MESSAGE(least >= g.gap - 6e-3 * thin - 1e-12, what); /* bias, and what rounding may choose */
    TEST_ASSERT_TRUE_MESSAGE(least <= g.gap + 6e-3 * thin + 1e-12, what);
    /* exchanged, the same touches with the normal turned */
    m = po_collide(u, &b, &a, 0.01);
    TEST_ASSERT_TRUE_MESSAGE(m > 0, what);
    po_hull_free(ha);
    po_hull_free(hb);
  }
  TEST_ASSERT_TRUE(many > 20);
}

/* ---- spheres and capsules ------------------------------------------------------------------------------------------------------------ */

/* A ball's gap is that of a tiny hull at its centre less the radius; a capsule's that of a hull made of its axis, which is thin, but not a line. */
static void test_round(void) {
  int pairs = getenv("POISE_FULL") ? 50000 : 3000, k, i, two = 0;
  for (k = 0; k < pairs; k++) {
    po_hull *ha;
    po_solid a, b;
    po_touch t[PO_MAX_TOUCHES], u[PO_MAX_TOUCHES];
    static shape x;
    double want = -PO_INF, half, radius, least = PO_INF;
    po_vec3 end[2];
    char what[96];
    po_rng r;
    int n, f, e;
    po_rng_init(&r, (uint64_t)k, 13);
    ha = random_hull(&r);
    a = solid_of(ha, po_v3(0, 0, 0), random_attitude(&r));
    memset(&b, 0, sizeof b);
    b.type = k & 1 ? PO_CAPSULE : PO_SPHERE;
    radius = b.size[0] = po_rng_range(&r, 0.01, 0.2);
    half = b.size[1] = k & 1 ? po_rng_range(&r, 0.01, 0.3) : 0;
    b.R = random_attitude(&r);
    b.p = po_v3(po_rng_range(&r, -0.5, 0.5), po_rng_range(&r, -0.5, 0.5), po_rng_range(&r, -0.5, 0.5));
    shape_of(&x, &a);
    end[0] = po_v3_addscaled(b.p, -half, po_m3_col(b.R, 2));
    end[1] = po_v3_addscaled(b.p, half, po_m3_col(b.R, 2));
    /* overlapping: faces, and crosses of edges with the axis. Apart: the axis against triangles and edges */
    for (f = 0; f < x.fs; f++) want = po_max(want, po_min(po_v3_dot(x.n[f], end[0]), po_v3_dot(x.n[f], end[1])) - x.d[f]);
    for (e = 0; e < x.es && half > 0; e++) {
      po_vec3 c = po_v3_cross(x.e[e], po_v3_sub(end[1], end[0]));
      double length = po_v3_norm(c), hi = -PO_INF, lo = PO_INF, at;
      if (length < 1e-9 * po_v3_norm(x.e[e])) continue;
      c = po_v3_scale(1 / length, c);
      at = po_v3_dot(c, end[0]);
      for (i = 0; i < x.vs; i++) hi = po_max(hi, po_v3_dot(c, x.v[i])), lo = po_min(lo, po_v3_dot(c, x.v[i]));
      want = po_max(want, po_max(at - hi, lo - at));
    }
    if (want > 0) {
      want = PO_INF;
      for (f = 0; f < x.ts; f++)
        for (i = 0; i < 2; i++) want = po_min(want, point_triangle(end[i], x.v[x.tri[f][0]], x.v[x.tri[f][1]], x.v[x.tri[f][2]]));
      for (e = 0; e < x.es; e++)
        want = po_min(want, segments(x.at[e], x.e[e], end[0], half > 0 ? po_v3_sub(end[1], end[0]) : po_v3(1e-300, 0, 0)));
      if (half == 0)
        for (e = 0; e < x.es; e++) {
          double s = po_clamp(po_v3_dot(po_v3_sub(b.p, x.at[e]), x.e[e]) / po_v3_dot(x.e[e], x.e[e]), 0, 1);
          want = po_min(want, po_v3_norm(po_v3_sub(b.p, po_v3_addscaled(x.at[e], s, x.e[e]))));
        }
    }
    want -= radius;
    po_format(what, sizeof what, "seed %d", k);
    n = po_collide(t, &a, &b, 10);
    TEST_ASSERT_TRUE_MESSAGE(n == 1 || (n == 2 && half > 0), what);
    two += n == 2;
    for (i = 0; i < n; i++) least = po_min(least, t[i].gap);
    /* one point: exact; two: along a face that is preferred by 2e-3 of the thinnest, and whose points may miss the deepest by as much */
    if (n == 1) TEST_ASSERT_DOUBLE_WITHIN(1e-9, want, least);
    else TEST_ASSERT_DOUBLE_WITHIN(2 * 2e-3 * po_min(radius, po_min(a.size[0], po_min(a.size[1], a.size[2]))) + 1e-9, want, least);
    TEST_ASSERT_EQUAL_INT(n, po_collide(u, &b, &a, 10));
    for (i = 0; i < n; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, t[i].gap, u[i].gap);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, -1, po_v3_dot(t[i].normal, u[i].normal));
    }
    po_hull_free(ha);
  }
  TEST_ASSERT_TRUE(two > 10);
}

/* ---- the ground --------------------------------------------------------------------------------------------------------------------- */

static void test_plane(void) {
  int k, i;
  for (k = 0; k < 2000; k++) {
    po_terrain_plane plane;
    po_touch t[PO_MAX_TOUCHES];
    po_hull *h;
    po_solid a;
    double deepest = PO_INF, least = PO_INF;
    po_rng r;
    int n;
    po_rng_init(&r, (uint64_t)k, 14);
    h = random_hull(&r);
    a = solid_of(h, po_v3(0, 0, po_rng_range(&r, -0.2, 0.4)), random_attitude(&r));
    plane.normal = po_v3_unit(po_v3(po_rng_range(&r, -0.2, 0.2), po_rng_range(&r, -0.2, 0.2), 1));
    plane.offset = po_rng_range(&r, -0.1, 0.1);
    plane.mu = 1;
    for (i = 0; i < h->vertices; i++) deepest = po_min(deepest, po_v3_dot(plane.normal, po_v3_add(a.p, po_m3_mul_v(a.R, h->vertex[i]))) - plane.offset);
    n = po_collide_plane(t, &a, &plane, 0.005);
    TEST_ASSERT_EQUAL_INT(deepest <= 0.005, n > 0);
    TEST_ASSERT_TRUE(n <= 4);
    for (i = 0; i < n; i++) least = po_min(least, t[i].gap);
    if (n > 0) TEST_ASSERT_DOUBLE_WITHIN(1e-3 * 0.3, deepest, least);
    po_hull_free(h);
  }
}

/* A box made as a hull, against all that a box may meet: gaps and normals as the box has them. */
static void test_box_as_hull(void) {
  po_terrain *field = NULL;
  po_terrain_dims dims = po_terrain_dims_default();
  static double z[11 * 11];
  int k, i, j;
  for (i = 0; i < 121; i++) z[i] = 0.03 * po_sin(0.7 * i) + 0.02 * po_cos(2.1 * i);
  dims.samples = 121;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&field, &dims));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(field, 11, 11, -0.5, -0.5, 0.1, 0.1, z, 1));
  for (k = 0; k < 1000; k++) {
    po_touch t[PO_MAX_TOUCHES], u[PO_MAX_TOUCHES];
    po_terrain_plane plane = {{0, 0, 1}, 0, 1};
    po_solid box, hull;
    po_hull *h;
    po_rng r;
    int n, m, kind;
    po_rng_init(&r, (uint64_t)k, 15);
    memset(&box, 0, sizeof box);
    box.type = PO_BOX;
    for (i = 0; i < 3; i++) box.size[i] = po_rng_range(&r, 0.03, 0.2);
    h = box_hull(box.size[0], box.size[1], box.size[2]);
    box.p = po_v3(po_rng_range(&r, -0.2, 0.2), po_rng_range(&r, -0.2, 0.2), po_rng_range(&r, 0.0, 0.3));
    box.R = random_attitude(&r);
    hull = solid_of(h, box.p, box.R);
    for (kind = 0; kind < 2; kind++) {
      double a = PO_INF, b = PO_INF;
      n = kind ? po_collide_field(t, &box, &field->field, 0.002) : po_collide_plane(t, &box, &plane, 0.002);
      m = kind ? po_collide_field(u, &hull, &field->field, 0.002) : po_collide_plane(u, &hull, &plane, 0.002);
      TEST_ASSERT_EQUAL_INT(n > 0, m > 0);
      for (i = 0; i < n; i++) a = po_min(a, t[i].gap);
      for (j = 0; j < m; j++) b = po_min(b, u[j].gap);
      if (n > 0) TEST_ASSERT_DOUBLE_WITHIN(1e-3 * 0.2, a, b);
    }
    po_hull_free(h);
  }
  po_terrain_free(field);
}

/* ---- names ---------------------------------------------------------------------------------------------------------------------------- */

/* Two hulls that lie on each other and tremble by what a solver leaves: the same points under the same names. */
static void test_names_stay(void) {
  po_hull *h = box_hull(0.1, 0.1, 0.1), *drum;
  po_vec3 p[48];
  int k, i, j, kind;
  for (i = 0; i < 24; i++) {
    p[2 * i] = po_v3(0.1 * po_cos(i * PO_PI / 12), 0.1 * po_sin(i * PO_PI / 12), -0.1);
    p[2 * i + 1] = po_v3(p[2 * i].x, p[2 * i].y, 0.1);
  }
  drum = hull_of(p, 48);
  for (kind = 0; kind < 3; kind++) {
    const po_hull *x = kind == 2 ? drum : h, *y = kind ? drum : h;
    po_touch first[PO_MAX_TOUCHES], t[PO_MAX_TOUCHES];
    int n = 0, kept = 0, all = 0;
    for (k = 0; k < 300; k++) {
      po_solid a, b = solid_of(y, po_v3(0, 0, 0), po_m3_identity());
      po_rng r;
      int m;
      po_rng_init(&r, (uint64_t)k, 16);
      a = solid_of(x, po_v3(0.03 + po_rng_range(&r, -1e-6, 1e-6), 0.02, 0.2 - 1e-5 + po_rng_range(&r, -1e-6, 1e-6)),
                   po_m3_rpy(po_rng_range(&r, -1e-5, 1e-5), po_rng_range(&r, -1e-5, 1e-5), 0.1 + po_rng_range(&r, -1e-5, 1e-5)));
      m = po_collide(t, &a, &b, 0.002);
      TEST_ASSERT_EQUAL_INT(4, m);
      if (k == 0) {
        memcpy(first, t, sizeof first);
        n = m;
        continue;
      }
      for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) kept += first[i].feature == t[j].feature;
      all += n;
    }
    TEST_ASSERT_EQUAL_INT(all, kept);
  }
  po_hull_free(h);
  po_hull_free(drum);
}

/* ---- worlds ---------------------------------------------------------------------------------------------------------------------------- */

static const po_model *free_hull(double mass, const po_vec3 *p, int n, const po_inertia *like) {
  po_builder *b = NULL;
  const po_model *model = NULL;
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  po_hull *h = hull_of(p, n);
  po_inertia x = po_hull_inertia(h, 1);
  po_pose here;
  po_error err;
  memset(&err, 0, sizeof err);
  here.R = po_m3_identity();
  here.p = po_v3(0, 0, 0);
  x = like ? *like : po_hull_inertia(h, mass / x.mass);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "hull"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "hull", NULL, &root, &x, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_hull(b, "hull", here, p, n, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&model, b, &err), err.message);
  po_builder_free(b);
  po_hull_free(h);
  return model;
}

/* A box and a box made as a hull, thrown alike: they come to rest in the same place. */
static void test_thrown_alike(void) {
  po_vec3 p[8];
  po_inertia like = po_inertia_box(2, 0.2, 0.3, 0.4);
  const po_model *box = free_box(2, 0.1, 0.15, 0.2), *hull;
  po_world *w[2];
  int k, i;
  for (k = 0; k < 8; k++) p[k] = po_v3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.15 : -0.15, k & 4 ? 0.2 : -0.2);
  hull = free_hull(2, p, 8, &like);
  for (k = 0; k < 2; k++) {
    po_world_opts o = po_world_opts_default();
    o.terrain = po_terrain_flat();
    w[k] = new_world(&o);
    i = add(w[k], k ? hull : box, 0, 0, 0.5);
    po_q_to(po_world_q(w[k], i), po_q_axis_angle(po_v3_unit(po_v3(1, 2, 3)), 0.4));
    po_world_v(w[k], i)[3] = 0.3;
    steps(w[k], 600, 0.005);
  }
  for (i = 0; i < 7; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_world_q(w[0], 0)[i], po_world_q(w[1], 0)[i]);
  for (i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, po_world_v(w[1], 0)[i]);
  po_world_free(w[0]);
  po_world_free(w[1]);
  po_model_free(box);
  po_model_free(hull);
}

/* Five drums of 24 sides on each other stand as they were put, and two runs have the same bits; a step allocates nothing. */
static void test_stack_of_drums(void) {
  po_vec3 p[48];
  const po_model *drum;
  uint64_t hash[2];
  int i, k;
  for (i = 0; i < 24; i++) {
    p[2 * i] = po_v3(0.15 * po_cos(i * PO_PI / 12), 0.15 * po_sin(i * PO_PI / 12), -0.1);
    p[2 * i + 1] = po_v3(p[2 * i].x, p[2 * i].y, 0.1);
  }
  drum = free_hull(3, p, 48, NULL);
  for (k = 0; k < 2; k++) {
    po_world_opts o = po_world_opts_default();
    po_world *w;
    o.terrain = po_terrain_flat();
    w = new_world(&o);
    for (i = 0; i < 5; i++) {
      add(w, drum, 0.004 * (i % 2), 0.003 * (i % 3), 0.1 + 0.2 * i);
      po_q_to(po_world_q(w, i), po_q_axis_angle(po_v3(0, 0, 1), 0.3 * i));
    }
    steps(w, 900, 0.005);
    po_set_allocator(counting, NULL);
    allocations = 0;
    steps(w, 100, 0.005);
    po_set_allocator(NULL, NULL);
    TEST_ASSERT_EQUAL_INT(0, (int)allocations);
    for (i = 0; i < 5; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.1 + 0.2 * i, po_world_q(w, i)[6]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.004 * (i % 2), po_world_q(w, i)[4]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, po_v3_norm(po_v3_of(po_world_v(w, i) + 3)));
    }
    hash[k] = po_world_hash(w);
    po_world_free(w);
  }
  TEST_ASSERT_TRUE(hash[0] == hash[1]);
  po_model_free(drum);
}

/* A chain of four drums that overlap their neighbours' neighbours at rest: nothing collides; a fifth that hangs beside the first does. */
static const po_model *chain(double beside) {
  po_builder *b = NULL;
  const po_model *m = NULL;
  po_inertia x = po_inertia_cylinder(1, 0.1, 0.4);
  po_pose here;
  int i;
  here.R = po_m3_identity();
  here.p = po_v3(0, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "chain"));
  for (i = 0; i < 5; i++) {
    char name[16], up[16], joint[16];
    po_joint j;
    po_format(name, sizeof name, "l%d", i);
    po_format(up, sizeof up, "l%d", i - 1);
    po_format(joint, sizeof joint, "j%d", i);
    j = po_joint_default(i ? PO_JOINT_PRISMATIC : PO_JOINT_FLOATING, joint);
    j.placement.p = i == 4 ? po_v3(beside, 0, -0.3) : po_v3(0, 0, i ? 0.1 : 0);
    j.axis = po_v3(1, 0, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, name, i ? up : NULL, &j, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_cylinder(b, name, here, 0.1, 0.2, NULL));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, NULL));
  po_builder_free(b);
  return m;
}

static int self_contacts(double beside) {
  const po_model *m = chain(beside);
  po_world_opts o = po_world_opts_default();
  po_world *w;
  int n;
  o.terrain = NULL;
  w = new_world(&o);
  add(w, m, 0, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_self_collision(w, 0, 1));
  steps(w, 1, 0.001);
  po_world_contacts(&n, w);
  po_world_free(w);
  po_model_free(m);
  return n;
}

static void test_what_overlaps_at_rest_does_not_collide(void) {
  TEST_ASSERT_EQUAL_INT(0, self_contacts(0.05));
  TEST_ASSERT_TRUE(self_contacts(0.2005) >= 2); /* half a millimetre beside the first */
  TEST_ASSERT_EQUAL_INT(0, self_contacts(0.25));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_gap_and_normal);
  RUN_TEST(test_manifolds);
  RUN_TEST(test_round);
  RUN_TEST(test_plane);
  RUN_TEST(test_box_as_hull);
  RUN_TEST(test_names_stay);
  RUN_TEST(test_thrown_alike);
  RUN_TEST(test_stack_of_drums);
  RUN_TEST(test_what_overlaps_at_rest_does_not_collide);
  return UNITY_END() != 0;
}
