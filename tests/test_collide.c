/* test_collide.c: touches of all pairs of shapes: gaps against brute force, normals, features that stay; broad phase against all pairs. */
#include "contact/collide.h"
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_solid solid(po_shape_type type, double x, double y, double z, po_vec3 p, po_mat3 R) {
  po_solid s;
  s.type = type;
  s.R = R;
  s.p = p;
  s.size[0] = x;
  s.size[1] = y;
  s.size[2] = z;
  return s;
}

static po_mat3 turn(po_rng *rng) {
  return po_q_matrix(po_q_unit(po_q(po_rng_normal(rng), po_rng_normal(rng), po_rng_normal(rng), po_rng_normal(rng))));
}

/* Signed distance of a point to a solid, where that is simple: outside distance (≥ 0) only. */
static double outside(const po_solid *s, po_vec3 x) {
  po_vec3 l = po_m3_tmul_v(s->R, po_v3_sub(x, s->p));
  if (s->type == PO_BOX) {
    po_vec3 d = po_v3(po_max(fabs(l.x) - s->size[0], 0), po_max(fabs(l.y) - s->size[1], 0), po_max(fabs(l.z) - s->size[2], 0));
    return po_v3_norm(d);
  }
  l.z -= s->type == PO_CAPSULE ? po_clamp(l.z, -s->size[1], s->size[1]) : 0;
  return po_max(0, po_v3_norm(l) - s->size[0]);
}

/* Nearest point of a solid to x. */
static po_vec3 nearest(const po_solid *s, po_vec3 x) {
  po_vec3 l = po_m3_tmul_v(s->R, po_v3_sub(x, s->p)), axis;
  if (s->type == PO_BOX) {
    l = po_v3(po_clamp(l.x, -s->size[0], s->size[0]), po_clamp(l.y, -s->size[1], s->size[1]), po_clamp(l.z, -s->size[2], s->size[2]));
  } else {
    double n;
    axis = po_v3(0, 0, s->type == PO_CAPSULE ? po_clamp(l.z, -s->size[1], s->size[1]) : 0);
    l = po_v3_sub(l, axis);
    n = po_v3_norm(l);
    if (n > s->size[0]) l = po_v3_scale(s->size[0] / n, l);
    l = po_v3_add(l, axis);
  }
  return po_v3_add(s->p, po_m3_mul_v(s->R, l));
}

/* Distance of two convex solids by alternating projections: slow, simple, right. */
static double distance(const po_solid *a, const po_solid *b) {
  po_vec3 x = a->p;
  int k;
  for (k = 0; k < 20000; k++) {
    po_vec3 y = nearest(b, x), next = nearest(a, y);
    if (po_v3_norm(po_v3_sub(next, x)) < 1e-13) {
      x = next;
      break;
    }
    x = next;
  }
  return outside(b, x);
}

/* Apart by up to 5 cm: the smallest gap found is the distance, and its normal separates. Boxes whose corners or edges face each other touch
 * by the wider of two planes, so their gap may be smaller than the distance, never larger. */
static void test_gaps_of_solids_that_are_apart(void) {
  int seed, met = 0;
  for (seed = 0; seed < 4000; seed++) {
    po_rng rng;
    po_solid a, b;
    po_touch t[PO_MAX_TOUCHES];
    double d, least = PO_INF;
    int n, k;
    char line[200];
    po_rng_init(&rng, (uint64_t)seed, 2);
    a = solid((po_shape_type)(seed % 3), po_rng_range(&rng, 0.05, 0.2), po_rng_range(&rng, 0.05, 0.3), po_rng_range(&rng, 0.05, 0.2), po_v3(0, 0, 0), turn(&rng));
    b = solid((po_shape_type)(seed / 3 % 3), po_rng_range(&rng, 0.05, 0.2), po_rng_range(&rng, 0.05, 0.3), po_rng_range(&rng, 0.05, 0.2),
              po_v3(po_rng_range(&rng, -0.5, 0.5), po_rng_range(&rng, -0.5, 0.5), po_rng_range(&rng, -0.5, 0.5)), turn(&rng));
    d = distance(&a, &b);
    n = po_collide(t, &a, &b, 0.05);
    for (k = 0; k < n; k++) least = po_min(least, t[k].gap);
    po_format(line, sizeof line, "seed %d: types %d %d distance %g gap %g", seed, a.type, b.type, d, least);
    if (d > 1e-9) {
      int both_boxes = a.type == PO_BOX && b.type == PO_BOX;
      TEST_ASSERT_TRUE_MESSAGE(n == 0 || least <= d + 1e-7, line);
      if (!both_boxes) TEST_ASSERT_TRUE_MESSAGE(d > 0.05 ? n == 0 : n > 0 && fabs(least - d) < 1e-6, line);
      met += n > 0;
    } else {
      TEST_ASSERT_TRUE_MESSAGE(n > 0 && least < 1e-9, line);
    }
    for (k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_v3_norm(t[k].normal));
  }
  TEST_ASSERT_TRUE(met > 100);
}

/* Swapping the two turns the normals round and leaves the gaps. */
static void test_order_does_not_matter(void) {
  int seed;
  for (seed = 0; seed < 1000; seed++) {
    po_rng rng;
    po_solid a, b;
    po_touch s[PO_MAX_TOUCHES], t[PO_MAX_TOUCHES];
    double g0 = PO_INF, g1 = PO_INF;
    int n, m, k;
    po_rng_init(&rng, (uint64_t)seed, 8);
    a = solid((po_shape_type)(seed % 3), 0.1, 0.15, 0.12, po_v3(0, 0, 0), turn(&rng));
    b = solid((po_shape_type)(seed / 3 % 3), 0.12, 0.1, 0.2, po_v3(po_rng_range(&rng, -0.3, 0.3), po_rng_range(&rng, -0.3, 0.3), 0.1), turn(&rng));
    n = po_collide(s, &a, &b, 0.01);
    m = po_collide(t, &b, &a, 0.01);
    for (k = 0; k < n; k++) g0 = po_min(g0, s[k].gap);
    for (k = 0; k < m; k++) g1 = po_min(g1, t[k].gap);
    TEST_ASSERT_EQUAL_INT(n > 0, m > 0);
    if (n == 0) continue;
    TEST_ASSERT_TRUE(fabs(g0 - g1) < 1e-3); /* a face of one box may be preferred to a slightly better one of the other */
    if (a.type != PO_BOX || b.type != PO_BOX) TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, po_v3_dot(s[0].normal, t[0].normal));
  }
}

/* How deep two boxes overlap, by moving one along the normal until they are apart. */
static void test_penetrating_boxes_separate_along_the_normal(void) {
  int seed, tried = 0;
  for (seed = 0; seed < 500; seed++) {
    po_rng rng;
    po_solid a, b;
    po_touch t[PO_MAX_TOUCHES];
    double least = 0;
    int n, k;
    po_rng_init(&rng, (uint64_t)seed, 6);
    a = solid(PO_BOX, 0.1, 0.15, 0.2, po_v3(0, 0, 0), turn(&rng));
    b = solid(PO_BOX, 0.2, 0.1, 0.1, po_v3(po_rng_range(&rng, -0.2, 0.2), po_rng_range(&rng, -0.2, 0.2), po_rng_range(&rng, -0.2, 0.2)), turn(&rng));
    n = po_collide_boxes(t, &a, &b, 0);
    if (n == 0) continue;
    tried++;
    TEST_ASSERT_TRUE(n <= 4);
    for (k = 0; k < n; k++) least = po_min(least, t[k].gap);
    a.p = po_v3_addscaled(a.p, -least + 2e-3, t[0].normal);
    TEST_ASSERT_TRUE(distance(&a, &b) > 1e-4);
  }
  TEST_ASSERT_TRUE(tried > 100);
}

static void test_a_box_on_a_box_has_four_lasting_points(void) {
  po_solid a = solid(PO_BOX, 0.1, 0.1, 0.1, po_v3(0, 0, 0.1999), po_m3_identity()), b = solid(PO_BOX, 0.1, 0.1, 0.1, po_v3(0, 0, 0), po_m3_identity());
  po_touch t[PO_MAX_TOUCHES];
  uint32_t id[4];
  int k, i, n = po_collide_boxes(t, &a, &b, 0.002);
  TEST_ASSERT_EQUAL_INT(4, n);
  for (k = 0; k < 4; k++) {
    id[k] = t[k].feature;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1e-4, t[k].gap);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, t[k].normal.z);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, fabs(t[k].point.x));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, fabs(t[k].point.y));
  }
  for (i = 0; i < 100; i++) { /* tiny motions, as of a stack at rest, change none of the ids */
    po_rng rng;
    int same = 0, m;
    po_rng_init(&rng, (uint64_t)i, 1);
    a.p = po_v3(po_rng_range(&rng, -1e-6, 1e-6), po_rng_range(&rng, -1e-6, 1e-6), 0.2 + po_rng_range(&rng, -1e-6, 1e-6));
    a.R = po_q_matrix(po_q_exp(po_v3(po_rng_range(&rng, -1e-6, 1e-6), po_rng_range(&rng, -1e-6, 1e-6), po_rng_range(&rng, -1e-6, 1e-6))));
    n = po_collide_boxes(t, &a, &b, 0.002);
    TEST_ASSERT_EQUAL_INT(4, n);
    for (k = 0; k < 4; k++)
      for (m = 0; m < 4; m++) same += t[k].feature == id[m];
    TEST_ASSERT_EQUAL_INT(4, same);
  }
}

static void test_shapes_on_a_plane(void) {
  po_terrain_plane plane = {{0, 0, 1}, 0.5, 1};
  po_solid box = solid(PO_BOX, 0.3, 0.2, 0.1, po_v3(1, 2, 0.59), po_m3_identity());
  po_solid lying = solid(PO_CAPSULE, 0.1, 0.3, 0, po_v3(0, 0, 0.6), po_m3_rpy(0, PO_PI / 2, 0)), ball = solid(PO_SPHERE, 0.2, 0, 0, po_v3(0, 0, 0.75), po_m3_identity());
  po_touch t[PO_MAX_TOUCHES];
  int k, n = po_collide_plane(t, &box, &plane, 0.001);
  TEST_ASSERT_EQUAL_INT(4, n);
  for (k = 0; k < 4; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.01, t[k].gap);
  TEST_ASSERT_EQUAL_INT(2, po_collide_plane(t, &lying, &plane, 0.001));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, t[0].gap);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, fabs(t[0].point.x));
  TEST_ASSERT_EQUAL_INT(0, po_collide_plane(t, &ball, &plane, 0.01));
  TEST_ASSERT_EQUAL_INT(1, po_collide_plane(t, &ball, &plane, 0.06));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.05, t[0].gap);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.525, t[0].point.z);
  box.R = po_m3_rpy(PO_PI / 4, 0, 0); /* on an edge */
  box.p.z = 0.5 + sqrt(0.5) * 0.3;
  TEST_ASSERT_EQUAL_INT(2, po_collide_plane(t, &box, &plane, 0.001));
}

static void test_shapes_on_a_height_field(void) {
  double z[41 * 41];
  po_terrain *terrain;
  po_terrain_dims dims = po_terrain_dims_default();
  po_touch t[PO_MAX_TOUCHES];
  po_solid ball, box;
  int ix, iy, k, n;
  double a = 0.2;
  dims.samples = 41 * 41;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, &dims));
  for (iy = 0; iy < 41; iy++)
    for (ix = 0; ix < 41; ix++) z[iy * 41 + ix] = a * (ix * 0.1 - 2);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(terrain, 41, 41, -2, -2, 0.1, 0.1, z, 1));
  for (k = 0; k < 50; k++) { /* a tilted plane in disguise: a ball's gap is that to the plane */
    po_rng rng;
    po_vec3 up = po_v3_unit(po_v3(-a, 0, 1)), p;
    double gap;
    po_rng_init(&rng, (uint64_t)k, 3);
    gap = po_rng_range(&rng, -0.05, 0.01);
    p = po_v3(po_rng_range(&rng, -1, 1), po_rng_range(&rng, -1, 1), 0);
    p.z = a * p.x;
    ball = solid(PO_SPHERE, 0.15, 0, 0, po_v3_addscaled(p, 0.15 + gap, up), po_m3_identity());
    n = po_collide_field(t, &ball, &terrain->field, 0.02);
    TEST_ASSERT_EQUAL_INT(1, n);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, gap, t[0].gap);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_v3_dot(t[0].normal, up));
  }
  z[20 * 41 + 20] = 0.3; /* a peak under the middle of a box */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_set_field(terrain, 41, 41, -2, -2, 0.1, 0.1, z, 1));
  box = solid(PO_BOX, 0.5, 0.5, 0.1, po_v3(0, 0, 0.39), po_m3_identity());
  n = po_collide_field(t, &box, &terrain->field, 0.005);
  TEST_ASSERT_EQUAL_INT(1, n);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.01, t[0].gap);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, t[0].normal.z);
  po_terrain_free(terrain);
}

static void test_the_broad_phase_finds_all_pairs_once(void) {
  static po_bounds b[400];
  static int pairs[20000][2];
  static unsigned char seen[400 * 400];
  static double memory[1 << 16];
  po_arena arena;
  int seed;
  po_arena_init(&arena, memory, sizeof memory);
  TEST_ASSERT_TRUE(po_broad_bytes(400) <= sizeof memory);
  for (seed = 0; seed < 30; seed++) {
    po_rng rng;
    int n = seed < 3 ? seed : 10 + seed * 13, i, j, found, expected = 0;
    po_rng_init(&rng, (uint64_t)seed, 0);
    for (i = 0; i < n; i++) {
      double s = seed % 4 == 3 && i % 20 == 0 ? 6 : po_rng_range(&rng, 0.1, 0.6); /* some giants among them */
      b[i].low = po_v3(po_rng_range(&rng, -4, 4), po_rng_range(&rng, -4, 4), po_rng_range(&rng, 0, 1));
      b[i].high = po_v3_add(b[i].low, po_v3(s, s, s));
    }
    found = po_broad_pairs(pairs, 20000, b, n, &arena);
    memset(seen, 0, sizeof seen);
    for (i = 0; i < n; i++)
      for (j = i + 1; j < n; j++) expected += po_bounds_overlap(&b[i], &b[j]);
    TEST_ASSERT_EQUAL_INT(expected, found);
    for (i = 0; i < found; i++) {
      unsigned char *cell = &seen[pairs[i][0] * 400 + pairs[i][1]];
      TEST_ASSERT_TRUE(pairs[i][0] < pairs[i][1]);
      TEST_ASSERT_EQUAL_INT(0, *cell);
      *cell = 1;
      TEST_ASSERT_TRUE(po_bounds_overlap(&b[pairs[i][0]], &b[pairs[i][1]]));
    }
    TEST_ASSERT_EQUAL_INT(found, po_broad_pairs(pairs, 1, b, n, &arena)); /* counts on when there is no room */
  }
}

static void test_the_broad_phase_survives_absurd_bounds(void) {
  po_bounds b[3];
  int pairs[8][2], i;
  double memory[1024];
  po_arena arena;
  po_arena_init(&arena, memory, sizeof memory);
  for (i = 0; i < 3; i++) {
    b[i].low = po_v3(-1.5e308, -1.5e308 * (i != 1), 0);
    b[i].high = po_v3(1.5e308, 1.5e308, 1);
  }
  TEST_ASSERT_EQUAL_INT(3, po_broad_pairs(pairs, 8, b, 3, &arena));
  for (i = 0; i < 3; i++) b[i].low = b[i].high = po_v3(0, 0, 0);
  TEST_ASSERT_EQUAL_INT(3, po_broad_pairs(pairs, 8, b, 3, &arena));
  b[2].low = b[2].high = po_v3(1e9, 1e9, 1e9);
  TEST_ASSERT_EQUAL_INT(1, po_broad_pairs(pairs, 8, b, 3, &arena));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_broad_phase_survives_absurd_bounds);
  RUN_TEST(test_gaps_of_solids_that_are_apart);
  RUN_TEST(test_order_does_not_matter);
  RUN_TEST(test_penetrating_boxes_separate_along_the_normal);
  RUN_TEST(test_a_box_on_a_box_has_four_lasting_points);
  RUN_TEST(test_shapes_on_a_plane);
  RUN_TEST(test_shapes_on_a_height_field);
  RUN_TEST(test_the_broad_phase_finds_all_pairs_once);
  return UNITY_END() != 0;
}
