/* Hulls: every point is inside every face, faces and edges close up, the volume is what brute force says, flat and coplanar input too. */
#include "rbd/mesh.h"
#include "unity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_hull *hull_of(const po_vec3 *p, int n, int most) {
  po_hull_opts o = po_hull_opts_default();
  po_hull *h = NULL;
  po_error err;
  memset(&err, 0, sizeof err);
  o.max_vertices = most;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_hull_new(&h, p, n, &o, &err), err.message);
  return h;
}

static double hull_size(const po_hull *h) {
  double r = 0;
  int i;
  for (i = 0; i < h->vertices; i++) r = po_max(r, po_v3_norm(po_v3_sub(h->vertex[i], h->vertex[0])));
  return r;
}

/* What any hull must obey: Euler's formula, edges that fit their faces, corners of at least three faces, convex loops, an inside. */
static void check_closed(const po_hull *h, const char *what) {
  double size = hull_size(h);
  int f, e, i, degree[4096];
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, h->vertices - h->edges + h->faces, what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(h->loops, 2 * h->edges, what);
  memset(degree, 0, sizeof degree);
  for (f = 0; f < h->faces; f++) {
    const po_hull_face *x = &h->face[f];
    TEST_ASSERT_TRUE_MESSAGE(x->count >= 3 && fabs(po_v3_norm(x->normal) - 1) < 1e-12, what);
    for (i = 0; i < h->vertices; i++) TEST_ASSERT_TRUE_MESSAGE(po_v3_dot(x->normal, h->vertex[i]) <= x->offset + 1e-15, what);
    for (i = 0; i < x->count; i++) {
      int v = h->loop[x->first + i];
      degree[v]++;
      /* corners of a face are on it: within the grid's rounding, 2^-20 of the size, and some lever */
      TEST_ASSERT_TRUE_MESSAGE(po_v3_dot(x->normal, h->vertex[v]) >= x->offset - 2e-5 * size, what);
    }
  }
  for (i = 0; i < h->vertices; i++) TEST_ASSERT_TRUE_MESSAGE(degree[i] >= 3, what);
  for (e = 0; e < h->edges; e++) {
    const po_hull_edge *x = &h->edge[e];
    int sides[2], k, found = 0;
    sides[0] = x->left, sides[1] = x->right;
    for (k = 0; k < 2; k++) {
      const po_hull_face *g = &h->face[sides[k]];
      for (i = 0; i < g->count; i++) {
        int a = h->loop[g->first + i], b = h->loop[g->first + (i + 1) % g->count];
        found += k ? a == x->to && b == x->from : a == x->from && b == x->to;
      }
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, found, what);
  }
  TEST_ASSERT_TRUE_MESSAGE(po_hull_inertia(h, 1).mass > 0, what);
}

static void check_holds(const po_hull *h, const po_vec3 *p, int n, const char *what) {
  double size = hull_size(h);
  int f, i;
  for (f = 0; f < h->faces; f++)
    for (i = 0; i < n; i++)
      if (po_v3_dot(h->face[f].normal, p[i]) > h->face[f].offset + 1e-5 * size) TEST_FAIL_MESSAGE(what); /* four cells of 2^-20, and the lever of a thin face */
}

static po_vec3 random_point(po_rng *r, int kind) {
  po_vec3 v = po_v3(po_rng_range(r, -1, 1), po_rng_range(r, -1, 1), po_rng_range(r, -1, 1));
  if (kind == 1) return po_v3_unit(v);                                                    /* all are corners */
  if (kind == 2) return po_v3(floor(3 * v.x), floor(3 * v.y), floor(3 * v.z));            /* coplanar and equal ones */
  if (kind == 3) return po_v3(v.x, v.y, 1e-3 * v.z);                                      /* thin */
  if (kind == 4) return po_v3(100 + v.x, -50 + 0.2 * v.y, 3 + 0.2 * floor(2 * v.z));      /* far away, in layers */
  return v;
}

static void test_random(void) {
  static po_vec3 p[400];
  int seed, i, seeds = getenv("POISE_FULL") ? 3000 : 200;
  for (seed = 0; seed < seeds; seed++) {
    char what[64];
    po_hull *h;
    po_rng r;
    int n;
    po_rng_init(&r, (uint64_t)seed, 1);
    n = 4 + po_rng_below(&r, seed % 7 == 0 ? 396 : 40);
    for (i = 0; i < n; i++) p[i] = random_point(&r, seed % 5);
    po_format(what, sizeof what, "seed %d", seed);
    h = hull_of(p, n, 0);
    check_closed(h, what);
    check_holds(h, p, n, what);
    po_hull_free(h);
  }
}

/* A point is a corner when some plane through it and two others has all on one side and its triangle is not within the hull of the rest: here simply that the hull
 * of all others does not hold it. */
static void test_corners_by_brute_force(void) {
  po_vec3 p[24], q[24];
  int seed, i, k, f, n = 24;
  for (seed = 0; seed < 60; seed++) {
    po_hull *all, *rest;
    po_rng r;
    int corners = 0;
    po_rng_init(&r, (uint64_t)seed, 2);
    for (i = 0; i < n; i++) p[i] = random_point(&r, seed % 2);
    all = hull_of(p, n, 0);
    for (i = 0; i < n; i++) {
      double out = -PO_INF;
      for (k = 0; k < n - 1; k++) q[k] = p[k < i ? k : k + 1];
      rest = hull_of(q, n - 1, 0);
      for (f = 0; f < rest->faces; f++) out = po_max(out, po_v3_dot(rest->face[f].normal, p[i]) - rest->face[f].offset);
      corners += out > 1e-5;
      po_hull_free(rest);
    }
    TEST_ASSERT_INT_WITHIN_MESSAGE(1, corners, all->vertices, "seed"); /* one may be within the grid's rounding of the others' hull */
    po_hull_free(all);
  }
}

static void test_cube_with_points_everywhere(void) {
  static po_vec3 p[9 * 9 * 9];
  po_inertia x;
  po_hull *h;
  int i, j, k, n = 0;
  for (i = 0; i < 9; i++)
    for (j = 0; j < 9; j++)
      for (k = 0; k < 9; k++) p[n++] = po_v3(0.1 * (i - 4), 0.2 * (j - 4), 0.3 * (k - 4));
  h = hull_of(p, n, 64);
  TEST_ASSERT_EQUAL_INT(8, h->vertices);
  TEST_ASSERT_EQUAL_INT(6, h->faces);
  TEST_ASSERT_EQUAL_INT(12, h->edges);
  check_closed(h, "cube");
  x = po_hull_inertia(h, 1000);
  {
    po_inertia box = po_inertia_box(1000 * 0.8 * 1.6 * 2.4, 0.8, 1.6, 2.4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, box.mass, x.mass);
    for (i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, box.I.m[i], x.I.m[i]);
  }
  po_hull_free(h);
}

/* Turned in space nothing is exactly coplanar any more: faces are joined by tolerance, and it is still a cube. */
static void test_turned_cube(void) {
  static po_vec3 p[5 * 5 * 5];
  int seed, i, j, k;
  for (seed = 0; seed < 50; seed++) {
    po_mat3 R;
    po_hull *h;
    po_rng r;
    int n = 0;
    po_rng_init(&r, (uint64_t)seed, 3);
    R = po_m3_rpy(po_rng_range(&r, -3, 3), po_rng_range(&r, -3, 3), po_rng_range(&r, -3, 3));
    for (i = 0; i < 5; i++)
      for (j = 0; j < 5; j++)
        for (k = 0; k < 5; k++) p[n++] = po_m3_mul_v(R, po_v3(0.1 * (i - 2), 0.2 * (j - 2), 0.3 * (k - 2)));
    h = hull_of(p, n, 0);
    TEST_ASSERT_EQUAL_INT(8, h->vertices);
    TEST_ASSERT_EQUAL_INT(6, h->faces);
    check_closed(h, "turned cube");
    po_hull_free(h);
  }
}

/* A ball of 2,000 corners in 64 keeps nine tenths of its volume; 64 points spread evenly keep 0.92 (their own, better placed, are the bound). */
static void test_few_corners_keep_the_volume(void) {
  static po_vec3 p[2000];
  po_hull *all, *few;
  double share;
  int i;
  for (i = 0; i < 2000; i++) {
    double z = 1 - (2 * i + 1) / 2000.0, s = sqrt(1 - z * z), a = 2.399963229728653 * i; /* a spiral by the golden angle */
    p[i] = po_v3(s * po_cos(a), s * po_sin(a), z);
  }
  all = hull_of(p, 2000, 0);
  few = hull_of(p, 2000, PO_HULL_VERTICES);
  TEST_ASSERT_EQUAL_INT(2000, all->vertices);
  TEST_ASSERT_EQUAL_INT(64, few->vertices);
  check_closed(few, "64 of 2000");
  share = po_hull_inertia(few, 1).mass / po_hull_inertia(all, 1).mass;
  TEST_ASSERT_TRUE_MESSAGE(share > 0.88, "64 corners of a ball");
  po_hull_free(all);
  po_hull_free(few);
}

/* The sole of a rounded foot: all of its twelve corners stay, exactly, when only 24 may. */
static void test_the_kept_face(void) {
  static po_vec3 p[12 + 600];
  po_hull_opts o = po_hull_opts_default();
  po_hull *h = NULL;
  int i, k, found = 0;
  for (i = 0; i < 12; i++) p[i] = po_v3(0.1 * po_cos(i * PO_PI / 6), 0.05 * po_sin(i * PO_PI / 6), -0.0317);
  for (i = 0; i < 600; i++) {
    double z = (2 * i + 1) / 1200.0, s = sqrt(1 - z * z), a = 2.399963229728653 * i;
    p[12 + i] = po_v3(0.12 * s * po_cos(a), 0.07 * s * po_sin(a), 0.1 * z);
  }
  o.max_vertices = 24;
  o.keep = po_v3(0, 0, -1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hull_new(&h, p, 612, &o, NULL));
  TEST_ASSERT_EQUAL_INT(24, h->vertices);
  for (k = 0; k < 12; k++)
    for (i = 0; i < h->vertices; i++) found += memcmp(&h->vertex[i], &p[k], sizeof p[k]) == 0;
  TEST_ASSERT_EQUAL_INT(12, found);
  for (i = 0; i < h->faces && h->face[i].normal.z > -0.999999; i++) {}
  TEST_ASSERT_TRUE(i < h->faces && h->face[i].count == 12);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0317, h->face[i].offset);
  po_hull_free(h);
}

static void test_flat_rod_grain(void) {
  po_vec3 p[30];
  po_mat3 R = po_m3_rpy(0.3, -0.7, 1.1);
  po_hull *h;
  po_rng r;
  int i;
  po_rng_init(&r, 5, 5);
  for (i = 0; i < 30; i++) p[i] = po_m3_mul_v(R, po_v3(po_rng_range(&r, -1, 1), po_rng_range(&r, -1, 1), 0));
  h = hull_of(p, 30, 64);
  check_closed(h, "plate");
  check_holds(h, p, 30, "plate");
  po_hull_free(h);
  for (i = 0; i < 30; i++) p[i] = po_m3_mul_v(R, po_v3(po_rng_range(&r, -1, 1), 0, 0));
  h = hull_of(p, 30, 64);
  check_closed(h, "rod");
  TEST_ASSERT_EQUAL_INT(8, h->vertices);
  po_hull_free(h);
  for (i = 0; i < 30; i++) p[i] = po_v3(7, 8, 9);
  h = hull_of(p, 30, 64);
  check_closed(h, "grain");
  TEST_ASSERT_EQUAL_INT(8, h->vertices);
  po_hull_free(h);
  h = hull_of(p, 1, 64);
  check_closed(h, "one point");
  po_hull_free(h);
}

/* What comes out goes in again and stays: same corners, faces, order. */
static void test_again_is_the_same(void) {
  static po_vec3 p[500];
  int seed, i;
  for (seed = 0; seed < 40; seed++) {
    po_hull *h, *again;
    po_rng r;
    po_rng_init(&r, (uint64_t)seed, 6);
    for (i = 0; i < 500; i++) p[i] = random_point(&r, seed % 5);
    h = hull_of(p, 500, 64);
    again = hull_of(h->vertex, h->vertices, 64);
    TEST_ASSERT_EQUAL_INT(h->vertices, again->vertices);
    TEST_ASSERT_EQUAL_INT(h->loops, again->loops);
    TEST_ASSERT_EQUAL_INT(0, memcmp(h->vertex, again->vertex, sizeof *h->vertex * (size_t)h->vertices));
    TEST_ASSERT_EQUAL_INT(0, memcmp(h->loop, again->loop, sizeof *h->loop * (size_t)h->loops));
    po_hull_free(h);
    po_hull_free(again);
  }
}

static void test_refuses(void) {
  po_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  po_hull *h = NULL;
  po_hull_opts o = po_hull_opts_default();
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_hull_new(&h, p, 0, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_hull_new(&h, NULL, 3, NULL, NULL));
  o.max_vertices = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_hull_new(&h, p, 4, &o, NULL));
  p[2].y = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_hull_new(&h, p, 4, NULL, NULL));
  p[2].y = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_hull_new(&h, p, 4, NULL, NULL));
  TEST_ASSERT_NULL(h);
}

/* ---- on bodies ------------------------------------------------------------------------------------------------------------------ */

static const po_model *body_of(int kind) {
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  po_inertia m = po_inertia_box(1, 0.1, 0.1, 0.1);
  po_pose pose;
  po_builder *b = NULL;
  const po_model *model = NULL;
  po_error err;
  double radii[3] = {0.1, 0.2, 0.3};
  po_vec3 p[8];
  int i;
  pose.R = po_m3_rpy(0.1, 0.2, 0.3);
  pose.p = po_v3(1, 2, 3);
  for (i = 0; i < 8; i++) p[i] = po_v3(5 + (i & 1 ? 0.1 : -0.1), i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "thing"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "thing", NULL, &root, &m, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK,
                                kind == 0   ? po_builder_hull(b, "thing", pose, p, 8, &err)
                                : kind == 1 ? po_builder_cylinder(b, "thing", pose, 0.1, 0.2, &err)
                                            : po_builder_ellipsoid(b, "thing", pose, radii, &err),
                                err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, &err));
  po_builder_free(b);
  return model;
}

static void test_shapes(void) {
  const po_model *m = body_of(0);
  const po_shape *s = &m->shape[0];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_HULL, s->type);
  TEST_ASSERT_EQUAL_INT(8, s->hull->vertices);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1, s->size[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3, s->size[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, po_v3_norm(po_v3_sub(s->pose.p, po_v3_add(po_v3(1, 2, 3), po_v3_scale(5, po_m3_col(s->pose.R, 0))))));
  po_model_free(m);
  m = body_of(1);
  TEST_ASSERT_EQUAL_INT(48, m->shape[0].hull->vertices);
  TEST_ASSERT_EQUAL_INT(26, m->shape[0].hull->faces);
  for (i = 0; i < 48; i++) {
    po_vec3 v = m->shape[0].hull->vertex[i];
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1, sqrt(v.x * v.x + v.y * v.y));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, fabs(v.z));
  }
  po_model_free(m);
  m = body_of(2);
  TEST_ASSERT_EQUAL_INT(62, m->shape[0].hull->vertices);
  for (i = 0; i < 62; i++) {
    po_vec3 v = m->shape[0].hull->vertex[i];
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1, v.x * v.x / 0.01 + v.y * v.y / 0.04 + v.z * v.z / 0.09);
  }
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random);
  RUN_TEST(test_corners_by_brute_force);
  RUN_TEST(test_cube_with_points_everywhere);
  RUN_TEST(test_turned_cube);
  RUN_TEST(test_few_corners_keep_the_volume);
  RUN_TEST(test_the_kept_face);
  RUN_TEST(test_flat_rod_grain);
  RUN_TEST(test_again_is_the_same);
  RUN_TEST(test_refuses);
  RUN_TEST(test_shapes);
  return UNITY_END() != 0;
}
