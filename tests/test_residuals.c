/* Residuals by hand on a problem small enough for it, and certificates that must not be believed. */
#include "qp/qp_internal.h"
#include "unity.h"

#include <string.h>

static double h[4] = {2, 0, 0, 4}, g[2] = {-2, -4}, a[2] = {1, 1}, b[1] = {1}, c[2] = {1, -1}, cl[1] = {-1}, cu[1] = {1}, xl[2] = {0, 0};
static double xu[2];
static po_qp p;
static po_qp_solver *s;

void setUp(void) {
  memset(&p, 0, sizeof p);
  xu[0] = xu[1] = PO_INF;
  p.n = 2; p.me = 1; p.mi = 1;
  p.H = po_mat_of(h, 2, 2, 2); p.A = po_mat_of(a, 1, 2, 2); p.C = po_mat_of(c, 1, 2, 2);
  p.g = g; p.b = b; p.cl = cl; p.cu = cu; p.xl = xl; p.xu = xu;
  p.constant = 10;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&s, 2, 1, 1));
}
void tearDown(void) { po_qp_free(s); }

static po_qp_residual of(double x0, double x1, double y, double z, double w0, double w1) {
  po_qp_residual r;
  double x[2], w[2];
  x[0] = x0; x[1] = x1; w[0] = w0; w[1] = w1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_residuals(&r, &p, x, &y, &z, w, &s->scratch));
  return r;
}

static void test_the_solution_has_none(void) {
  /* x = (1/3, 2/3): Hx + g = (−4/3, −4/3) = A'y with y = −4/3 */
  po_qp_residual r = of(1.0 / 3, 2.0 / 3, -4.0 / 3, 0, 0, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, r.primal);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, r.dual);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, r.gap);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 10 + 1.0 / 9 + 8.0 / 9 - 2.0 / 3 - 8.0 / 3, r.objective);
}

static void test_primal_residual(void) {
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1 / 3.0, of(2, 0, 0, 0, 0, 0).primal); /* A: |2−1|/(1+1·2); C: x0−x1 = 2 > 1 by 1 as well */
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1 / 2.5, of(-0.5, 1.5, 0, 0, 0, 0).primal); /* C: −2 < −1 by 1; the bound of x0 by less */
}

static void test_dual_residual(void) {
  /* x = 0: Hx + g = (−2, −4); y = −2 leaves (0, −2) of terms 4 and 2 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 / 5, of(0, 0, -2, 0, 0, 0).dual);
  /* w takes it, but a negative multiplier wants the upper bound of x1, which is infinite: a dual residual of 2 again */
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 / 5, of(0, 0, -2, 0, 0, -2).dual);
}

static void test_wrong_sign_is_a_gap(void) {
  double exact = of(1.0 / 3, 2.0 / 3, -4.0 / 3, 0, 0, 0).gap, wrong;
  /* z = 1 claims the row is at its lower bound −1, but it is at −1/3; y, w make up for it in stationarity */
  wrong = of(1.0 / 3, 2.0 / 3, -4.0 / 3, 1, -1, 1).gap;
  TEST_ASSERT_TRUE(exact < 1e-14 && wrong > 0.05);
}

/* Each of the three tests of an optimum says no by itself: the other two residuals are zero. */
static void test_each_residual_alone_refuses(void) {
  po_qp_opts o = po_qp_opts_default();
  po_qp_residual r;
  p.me = p.mi = 0; /* min x0² + 2 x1² − 2 x0 − 4 x1 over x >= 0: (1, 1) */
  s->x[0] = s->x[1] = 1; s->w[0] = s->w[1] = 0;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_optimal(&r, s, &p, &o));
  s->x[0] = 2; s->w[0] = 2; /* stationary with w = 2, which claims that x0 is at its bound 0; it is at 2 */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
  TEST_ASSERT_TRUE(r.primal == 0 && r.dual == 0 && r.gap > o.tol_gap);
  s->x[0] = 1; s->w[0] = 0;
  xl[0] = 1.5; /* x0 below its bound, stationary, complementary */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
  TEST_ASSERT_TRUE(r.primal > o.tol_primal && r.dual == 0 && r.gap == 0);
  xl[0] = 0;
  s->x[0] = 0; /* at its bound, with a gradient that nothing holds: x0 · gradient = 0, so the gap does not see it */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
  TEST_ASSERT_TRUE(r.primal == 0 && r.dual > o.tol_dual && r.gap == 0);
}

static void test_not_a_number_never_passes(void) {
  po_qp_opts o = po_qp_opts_default();
  po_qp_residual r;
  s->x[0] = 1.0 / 3; s->x[1] = 2.0 / 3; s->y[0] = -4.0 / 3; s->z[0] = 0; s->w[0] = s->w[1] = 0;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_optimal(&r, s, &p, &o));
  s->x[1] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
  s->x[1] = 2.0 / 3;
  s->y[0] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
  s->y[0] = PO_INF;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_optimal(&r, s, &p, &o));
}

static void test_farkas(void) {
  int count = -1;
  b[0] = 5; /* x0 + x1 = 5 with x <= 2 */
  xu[0] = xu[1] = 2;
  s->y[0] = 1; s->z[0] = 0; s->w[0] = s->w[1] = -1;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_infeasible(s, &p, &count));
  TEST_ASSERT_EQUAL_INT(3, count);
  TEST_ASSERT_EQUAL_INT(0, s->conflict[0]);
  TEST_ASSERT_EQUAL_INT(2, s->conflict[1]);
  b[0] = 3; /* now it is feasible: no multipliers prove anything */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_infeasible(s, &p, &count));
  b[0] = 5;
  s->y[0] = -1; /* the wrong way round */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_infeasible(s, &p, &count));
  s->y[0] = 0; /* no ray at all */
  s->w[0] = s->w[1] = 0;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_infeasible(s, &p, &count));
  xu[0] = PO_INF; /* x0 has no upper bound to lean on */
  s->y[0] = 1;
  s->w[0] = s->w[1] = -1;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_infeasible(s, &p, &count));
  xl[0] = 5; /* x0 − x1 is at least 3: impossible while it may be 1 at most, no more when it has no upper bound */
  xu[0] = 6;
  s->y[0] = 0;
  s->z[0] = -1;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_infeasible(s, &p, &count));
  cu[0] = PO_INF;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_infeasible(s, &p, &count));
  cu[0] = 1;
  xl[0] = 0;
  b[0] = 1;
}

static void test_rays(void) {
  double flat[4] = {0, 0, 0, 4}, down[2] = {-1, 0}, saddle[4] = {1, 3, 3, 1};
  p.me = p.mi = 0;
  p.H = po_mat_of(flat, 2, 2, 2);
  p.g = down;
  s->ray[0] = 1; s->ray[1] = 0;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_unbounded(s, &p));
  s->ray[1] = 1e-3; /* H sees it */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_unbounded(s, &p));
  s->ray[0] = -1; s->ray[1] = 0; /* uphill, and into the bound */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_unbounded(s, &p));
  s->ray[0] = 0;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_unbounded(s, &p));
  s->ray[0] = 1;
  xu[0] = 1e6; /* far, but there */
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_unbounded(s, &p));
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_nonconvex(s, &p));
  p.H = po_mat_of(saddle, 2, 2, 2);
  s->ray[0] = 1; s->ray[1] = -1;
  TEST_ASSERT_EQUAL_INT(1, po_qp_check_nonconvex(s, &p));
  s->ray[1] = 1;
  TEST_ASSERT_EQUAL_INT(0, po_qp_check_nonconvex(s, &p));
}

static void test_scratch_that_is_too_small(void) {
  char block[64];
  po_arena small;
  po_qp_residual r;
  double x[2] = {0, 0}, y[1] = {0}, z[1] = {0};
  po_arena_init(&small, block, sizeof block);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qp_residuals(&r, &p, x, y, z, x, &small));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qp_residuals(&r, &p, x, NULL, z, x, &small));
}

/* The least curvature of a positive definite H can be far below its largest entry, and its minimum far away: no ray. */
static void test_a_small_curvature_is_no_ray(void) {
  double H[4] = {1, -1, -1, 1 + 4e-10}, G[2] = {-1, -1};
  p.me = p.mi = 0;
  p.xl = NULL;
  p.g = G;
  p.H = po_mat_of(H, 2, 2, 2);
  s->ray[0] = s->ray[1] = 1; /* H ray = (0, 4e-10) */
  TEST_ASSERT_FALSE(po_qp_check_unbounded(s, &p));
  H[3] = 1;
  TEST_ASSERT_TRUE(po_qp_check_unbounded(s, &p));
  s->ray[1] = 1 + 5e-10; /* the ray's own error, of the same size, does not matter */
  TEST_ASSERT_TRUE(po_qp_check_unbounded(s, &p));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_solution_has_none);
  RUN_TEST(test_primal_residual);
  RUN_TEST(test_dual_residual);
  RUN_TEST(test_wrong_sign_is_a_gap);
  RUN_TEST(test_each_residual_alone_refuses);
  RUN_TEST(test_not_a_number_never_passes);
  RUN_TEST(test_farkas);
  RUN_TEST(test_rays);
  RUN_TEST(test_scratch_that_is_too_small);
  RUN_TEST(test_a_small_curvature_is_no_ray);
  return UNITY_END() != 0;
}
