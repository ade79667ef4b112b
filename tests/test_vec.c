/* 3- and 6-vectors, 3x3 matrices and quaternions against their definitions. */
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static po_vec3 random_v3(po_rng *rng) {
  double x = po_rng_range(rng, -1, 1), y = po_rng_range(rng, -1, 1), z = po_rng_range(rng, -1, 1);
  return po_v3(x, y, z);
}
static po_quat random_q(po_rng *rng) {
  double w = po_rng_normal(rng), x = po_rng_normal(rng), y = po_rng_normal(rng), z = po_rng_normal(rng);
  return po_q_unit(po_q(w, x, y, z));
}
static void near_v(po_vec3 e, po_vec3 a, double bound) {
  TEST_ASSERT_DOUBLE_WITHIN(bound, e.x, a.x);
  TEST_ASSERT_DOUBLE_WITHIN(bound, e.y, a.y);
  TEST_ASSERT_DOUBLE_WITHIN(bound, e.z, a.z);
}
static void near_m(po_mat3 e, po_mat3 a, double bound) {
  LA_ASSERT_NEAR(po_mat_of(e.m, 3, 3, 3), po_mat_of(a.m, 3, 3, 3), bound, "3x3", 0);
}

static void test_vectors(void) {
  po_rng rng;
  int k;
  po_rng_init(&rng, 1, 0);
  for (k = 0; k < 200; k++) {
    po_vec3 a = random_v3(&rng), b = random_v3(&rng), c = po_v3_cross(a, b), t1, t2, n = po_v3_unit(a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, po_v3_dot(c, a));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, po_v3_dot(c, b));
    near_v(c, po_m3_mul_v(po_m3_skew(a), b), 1e-16);
    near_v(po_v3_sub(a, b), po_v3_addscaled(a, -1, b), 0);
    TEST_ASSERT_DOUBLE_WITHIN(4e-16, 1, po_v3_norm(n));
    po_v3_tangents(&t1, &t2, n);
    near_m(po_m3_identity(),
           po_m3_mult(po_m3(t1.x, t1.y, t1.z, t2.x, t2.y, t2.z, n.x, n.y, n.z),
                      po_m3(t1.x, t1.y, t1.z, t2.x, t2.y, t2.z, n.x, n.y, n.z)),
           1e-15);
    near_v(n, po_v3_cross(t1, t2), 1e-15); /* right-handed */
  }
  near_v(po_v3(0, 0, 0), po_v3_unit(po_v3(0, 0, 0)), 0);
}

static void test_six(void) {
  double a[6] = {1, 2, 3, 4, 5, 6}, b[6];
  po_vec6 v = po_v6_of(a);
  TEST_ASSERT(v.ang.x == 1 && v.lin.z == 6); /* angular first */
  po_v6_to(b, po_v6_add(v, po_v6_scale(2, v)));
  TEST_ASSERT(b[0] == 3 && b[5] == 18);
  TEST_ASSERT(po_v6_dot(v, v) == 91);
  po_v6_to(b, po_v6_sub(v, v));
  TEST_ASSERT_EQUAL_MEMORY((double[6]){0}, b, sizeof b);
}

static void test_matrices(void) {
  po_rng rng;
  int k, i;
  po_rng_init(&rng, 2, 0);
  for (k = 0; k < 200; k++) {
    po_mat3 A, B;
    po_vec3 v = random_v3(&rng);
    for (i = 0; i < 9; i++) {
      A.m[i] = po_rng_range(&rng, -1, 1) + (i % 4 == 0 ? 3 : 0);
      B.m[i] = po_rng_range(&rng, -1, 1);
    }
    near_m(po_m3_identity(), po_m3_mul(A, po_m3_inverse(A)), 1e-14);
    near_v(po_m3_mul_v(po_m3_mul(A, B), v), po_m3_mul_v(A, po_m3_mul_v(B, v)), 1e-14);
    near_v(po_m3_mul_v(po_m3_t(A), v), po_m3_tmul_v(A, v), 1e-15);
    near_m(po_m3_mul(po_m3_t(A), B), po_m3_tmul(A, B), 0);
    near_m(po_m3_mul(A, po_m3_t(B)), po_m3_mult(A, B), 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, po_m3_det(A) * po_m3_det(B), po_m3_det(po_m3_mul(A, B)));
    near_v(po_m3_row(A, 1), po_m3_col(po_m3_t(A), 1), 0);
    near_m(po_m3_outer(po_m3_col(A, 0), v), po_m3_mul(A, po_m3(v.x, v.y, v.z, 0, 0, 0, 0, 0, 0)), 1e-15);
    near_m(A, po_m3_add(po_m3_sub(A, B), B), 1e-15);
    near_m(po_m3_scale(3, A), po_m3_mul(po_m3_diag(3, 3, 3), A), 1e-15);
  }
}

static void test_quaternions_are_rotations(void) {
  po_rng rng;
  int k;
  po_rng_init(&rng, 3, 0);
  for (k = 0; k < 500; k++) {
    po_quat p = random_q(&rng), q = random_q(&rng), r;
    po_vec3 v = random_v3(&rng);
    po_mat3 P = po_q_matrix(p), Q = po_q_matrix(q);
    near_m(po_m3_identity(), po_m3_mult(P, P), 4e-15);
    TEST_ASSERT_DOUBLE_WITHIN(4e-15, 1, po_m3_det(P));
    near_m(po_m3_mul(P, Q), po_q_matrix(po_q_mul(p, q)), 4e-15); /* Hamilton: composition as matrices compose */
    near_v(po_m3_mul_v(P, v), po_q_rotate(p, v), 4e-15);
    near_m(po_m3_t(P), po_q_matrix(po_q_conj(p)), 4e-15);
    r = po_q_from_matrix(P);
    TEST_ASSERT_DOUBLE_WITHIN(4e-15, 1, fabs(r.w * p.w + r.x * p.x + r.y * p.y + r.z * p.z));
  }
  near_v(po_v3(0, 1, 0), po_q_rotate(po_q_axis_angle(po_v3(0, 0, 1), 0.5 * PO_PI), po_v3(1, 0, 0)), 1e-15);
}

static void test_exp_and_log(void) {
  po_rng rng;
  int k;
  po_rng_init(&rng, 4, 0);
  for (k = 0; k < 2000; k++) {
    double size = po_exp(po_rng_range(&rng, -40, 1.1));
    po_vec3 r = po_v3_scale(size, po_v3_unit(random_v3(&rng)));
    po_quat q = po_q_exp(r);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, po_q_norm(q));
    if (size < 3.1) near_v(r, po_q_log(q), 1e-14 * size);
    near_v(po_q_log(q), po_q_log(po_q(-q.w, -q.x, -q.y, -q.z)), 1e-15 * size);
    near_m(po_m3_axis_angle(po_v3_unit(r), size), po_q_matrix(q), 4e-15);
  }
  near_v(po_v3(0, 0, 0), po_q_log(po_q_identity()), 0);
  near_v(po_v3(0, 0, 0), po_q_log(po_q(-1, 0, 0, 0)), 0);
}

static void test_all_branches_of_from_matrix(void) {
  po_vec3 axis[4];
  int k;
  axis[0] = po_v3(0, 0, 1);
  axis[1] = po_v3(1, 0, 0);
  axis[2] = po_v3(0, 1, 0);
  axis[3] = po_v3_unit(po_v3(1, 2, 3));
  for (k = 0; k < 4; k++) {
    double angle;
    for (angle = -3.14; angle <= 3.14; angle += 0.157) {
      po_mat3 R = po_m3_axis_angle(axis[k], angle);
      near_m(R, po_q_matrix(po_q_from_matrix(R)), 4e-15);
    }
  }
}

/* w of exp(r(t)) by central differences (good to e² = 1e-10 and to rounding over e), on both branches; and the two undo each other. */
static void test_rate_of_a_rotation_vector(void) {
  static const double sizes[5] = {1e-9, 5e-3, 0.02, 1.3, 3.0};
  po_vec3 axis = po_v3_unit(po_v3(1, -2, 0.5)), rate = po_v3(0.3, 0.7, -1.1);
  int k;
  for (k = 0; k < 5; k++) {
    po_vec3 r = po_v3_scale(sizes[k], axis), w = po_q_exp_velocity(r, rate), back = po_q_log_rate(r, w), d;
    double e = 1e-5;
    d = po_q_log(po_q_mul(po_q_conj(po_q_exp(po_v3_addscaled(r, -e, rate))), po_q_exp(po_v3_addscaled(r, e, rate))));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, po_v3_norm(po_v3_sub(w, po_v3_scale(0.5 / e, d))));
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, po_v3_norm(po_v3_sub(back, rate)));
  }
}

static void test_rpy(void) { /* URDF: fixed axes, roll first */
  po_mat3 R = po_m3_rpy(0.1, 0.2, 0.3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -po_sin(0.2), R.m[6]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, po_cos(0.2) * po_sin(0.1), R.m[7]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, po_sin(0.3) * po_cos(0.2), R.m[3]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_vectors);
  RUN_TEST(test_six);
  RUN_TEST(test_matrices);
  RUN_TEST(test_quaternions_are_rotations);
  RUN_TEST(test_exp_and_log);
  RUN_TEST(test_all_branches_of_from_matrix);
  RUN_TEST(test_rate_of_a_rotation_vector);
  RUN_TEST(test_rpy);
  return UNITY_END() != 0;
}
