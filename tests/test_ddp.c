/* test_ddp.c: the solver: known optima, both methods, the certificate, what cannot be solved, what is misuse, save and restore, no
 * allocation. */
#include "counting.h"
#include "bench/textbook.h"
#include "momentum_step.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

static po_ddp_result solve_book(const char *name, double u_max, po_ddp_method method, po_ddp **keep) {
  po_ddp_textbook *book = NULL;
  po_ddp *solver = NULL;
  po_ddp_result r;
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_start start;
  memset(&start, 0, sizeof start);
  memset(&r, 0, sizeof r);
  o.method = method;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_textbook_new(&book, name, u_max, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&solver, book->problem.size));
  start.u = book->guess;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, solver, &book->problem, &o, &start));
  TEST_ASSERT_EQUAL_STRING_MESSAGE("optimal", po_ddp_status_string(r.status), name);
  TEST_ASSERT_TRUE_MESSAGE(
      r.stationarity <= o.tol_stationarity && r.complementarity <= o.tol_complementarity && r.curvature_min > 0, name);
  if (keep) *keep = solver;
  else po_ddp_free(solver);
  po_ddp_textbook_free(book);
  return r;
}

/* ---- known answers
 * --------------------------------------------------------------------------------------------------------------- */

/* One iteration gives the Riccati recursion's cost and gains. The recursion here is written out from scratch, in long double. */
static void test_lqr_is_riccati(void) {
  static const double A[4][4] = {{1, 0, 0.1, 0}, {0, 1, 0, 0.1}, {-0.15, 0.05, 0.99, 0}, {0.05, -0.05, 0, 0.99}};
  static const double B[4][2] = {{0, 0}, {0, 0}, {0.1, 0}, {0.02, 0.1}}, q[4] = {1, 2, 0.5, 0.1}, r[2] = {0.1, 0.3},
                      qn[4] = {10, 10, 1, 1};
  static const double x0[4] = {1, 0, -0.5, 0.2};
  long double P[4][4] = {{0}}, cost = 0;
  po_ddp *solver;
  po_ddp_result result = solve_book("lqr", PO_INF, PO_DDP_AUTO, &solver);
  TEST_ASSERT_EQUAL_INT(1, result.iterations);
  for (int i = 0; i < 4; i++) P[i][i] = (long double)qn[i];
  for (int k = 49; k >= 0; k--) {
    long double PA[4][4], PB[4][2], S[2][2], R[2][4], K[2][4], next[4][4], det;
    po_ddp_frame f = po_ddp_frame_of(solver, k);
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        PA[i][j] = 0;
        for (int a = 0; a < 4; a++) PA[i][j] += P[i][a] * (long double)A[a][j];
      }
      for (int j = 0; j < 2; j++) {
        PB[i][j] = 0;
        for (int a = 0; a < 4; a++) PB[i][j] += P[i][a] * (long double)B[a][j];
      }
    }
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        S[i][j] = i == j ? (long double)r[i] : 0;
        for (int a = 0; a < 4; a++) S[i][j] += (long double)B[a][i] * PB[a][j];
      }
      for (int j = 0; j < 4; j++) {
        R[i][j] = 0;
        for (int a = 0; a < 4; a++) R[i][j] += (long double)B[a][i] * PA[a][j];
      }
    }
    det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
    for (int j = 0; j < 4; j++) {
      K[0][j] = -(S[1][1] * R[0][j] - S[0][1] * R[1][j]) / det;
      K[1][j] = -(S[0][0] * R[1][j] - S[1][0] * R[0][j]) / det;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        next[i][j] = i == j ? (long double)q[i] : 0;
        for (int a = 0; a < 4; a++) next[i][j] += (long double)A[a][i] * PA[a][j];
        for (int a = 0; a < 2; a++) next[i][j] += R[a][i] * K[a][j];
      }
    memcpy(P, next, sizeof P);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 4; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + fabs((double)K[i][j])), (double)K[i][j], PO_AT(f.K, i, j));
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + fabs((double)P[i][j])), (double)P[i][j], PO_AT(f.Vxx, i, j));
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) cost += 0.5L * (long double)x0[i] * P[i][j] * (long double)x0[j];
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (double)cost, (double)cost, result.cost);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (double)cost, (double)cost, po_ddp_frame_of(solver, 0).value);
  po_ddp_free(solver);
}

/* Optima found by Ipopt on the same discrete problems. */
static void test_textbook_optima(void) {
  static const struct {
    const char *name;
    double u_max, cost;
    int iterations;
  } known[] = {{"pendulum", PO_INF, 0.56020361, 40},
               {"pendulum", 3, 0.56083927, 40},
               {"cart-pole", PO_INF, 1.46204192, 90},
               {"cart-pole", 3, 1.58710645, 90},
               {"car", PO_INF, 1.4361007, 330}};
  for (int i = 0; i < 5; i++) {
    po_ddp_result r = solve_book(known[i].name, known[i].u_max, PO_DDP_AUTO, NULL);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6 * known[i].cost, known[i].cost, r.cost, known[i].name);
    TEST_ASSERT_TRUE_MESSAGE(r.iterations <= known[i].iterations, known[i].name);
  }
}

/* The car has six local optima; which one is found must not hang on the last digits of the guess. */
static void test_moved_guesses_agree(void) {
  enum { GUESSES = 5 };
  po_ddp_textbook *book;
  po_ddp *d;
  po_rng rng;
  double *guess;
  int controls, agree = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_textbook_new(&book, "car", PO_INF, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, book->problem.size));
  controls = book->problem.size.frames * book->problem.size.nu;
  guess = malloc(sizeof(double) * (size_t)controls);
  TEST_ASSERT_NOT_NULL(guess);
  po_rng_init(&rng, 5, 0);
  for (int i = 0; i < GUESSES; i++) {
    po_ddp_start from;
    po_ddp_result r;
    memset(&from, 0, sizeof from);
    from.u = guess;
    for (int k = 0; k < controls; k++) guess[k] = book->guess[k] + po_rng_range(&rng, -1e-6, 1e-6);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &book->problem, NULL, &from));
    TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
    agree += fabs(r.cost - 1.4361007) < 2e-6;
  }
  TEST_ASSERT_TRUE(agree >= GUESSES - 1);
  free(guess);
  po_ddp_free(d);
  po_ddp_textbook_free(book);
}

/* ---- methods
 * ------------------------------------------------------------------------------------------------------------------------ */

static po_ddp_result solve_step(step_problem *s, po_ddp *solver, po_ddp_method method) {
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_start start;
  po_ddp_result r;
  memset(&start, 0, sizeof start);
  memset(&r, 0, sizeof r);
  start.u = s->guess;
  o.method = method;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, solver, &s->problem, &o, &start));
  return r;
}

/* Active and interior end at the same forces, multipliers and gains. */
static void test_methods_agree(void) {
  static step_problem s;
  po_ddp *a, *b;
  po_ddp_result ra, rb;
  TEST_ASSERT_TRUE(step_make(&s));
  s.m.start[3] -= 5; /* slower than the motion, and swaying: many rays at zero */
  s.m.start[4] += 3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&a, s.problem.size));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&b, s.problem.size));
  ra = solve_step(&s, a, PO_DDP_ACTIVE);
  rb = solve_step(&s, b, PO_DDP_INTERIOR);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(ra.status));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(rb.status));
  TEST_ASSERT_EQUAL_INT(PO_DDP_ACTIVE, ra.method);
  TEST_ASSERT_EQUAL_INT(PO_DDP_INTERIOR, rb.method);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8 * ra.cost, ra.cost, rb.cost);
  TEST_ASSERT_TRUE(ra.sweeps <= 30 && rb.sweeps <= 30);
  for (int k = 0; k < STEP_FRAMES; k++) {
    double fa[24], fb[24];
    po_momentum_forces(fa, NULL, &s.m, k, ra.u + 32 * k);
    po_momentum_forces(fb, NULL, &s.m, k, rb.u + 32 * k);
    /* forces of 100 N; the cost is flat to 1e-8 of itself in them, hence half the digits */
    for (int i = 0; i < 3 * s.count[k]; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-2, fa[i], fb[i]);
    for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4 * s.problem.goal_scale[i], ra.x[12 * k + i], rb.x[12 * k + i]);
  }
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4 * (1 + fabs(ra.mu[i])), ra.mu[i], rb.mu[i]);
  po_ddp_free(a);
  po_ddp_free(b);
  free(s.memory);
}

/* A nonlinear problem with a hard goal and a motor weaker than gravity, without any derivatives given: all methods end at the same
 * swing. */
static po_status swing(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  (void)p;
  next[1] = x[1] + 0.05 * (u[0] - 0.1 * x[1] - 9.81 * 0.5 * po_sin(x[0])) / 0.25;
  next[0] = x[0] + 0.05 * next[1];
  *cost = 0.05 * (0.05 * u[0] * u[0] + 0.005 * x[1] * x[1]);
  return PO_OK;
}
static po_status upright(void *user, double *psi, double *cost, const double *x, const double *p) {
  (void)user;
  (void)p;
  psi[0] = x[0] - PO_PI;
  psi[1] = x[1];
  *cost = 0;
  return PO_OK;
}
static void test_hard_goal_of_a_nonlinear_problem(void) {
  enum { FRAMES = 80 };
  double start[2] = {0, 0}, lower[FRAMES], upper[FRAMES], guess[FRAMES], cost[3];
  po_ddp_problem p;
  po_ddp_start from;
  memset(&p, 0, sizeof p);
  memset(&from, 0, sizeof from);
  for (int k = 0; k < FRAMES; k++) lower[k] = -2.5, upper[k] = 2.5, guess[k] = 0.01;
  p.size.frames = FRAMES;
  p.size.nx = p.size.ng = 2;
  p.size.nu = 1;
  p.start = start;
  p.lower = lower;
  p.upper = upper;
  p.step = swing;
  p.end = upright;
  from.u = guess;
  for (int method = PO_DDP_AUTO; method <= PO_DDP_INTERIOR; method++) {
    po_ddp_opts o = po_ddp_opts_default();
    po_ddp_result r;
    po_ddp *d;
    o.method = (po_ddp_method)method;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, p.size));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &p, &o, &from));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("optimal", po_ddp_status_string(r.status), po_ddp_method_string(o.method));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, PO_PI, r.x[2 * FRAMES]);
    cost[method] = r.cost;
    po_ddp_free(d);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, cost[0], cost[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, cost[0], cost[2]);
}

/* Independent of the solver: the trajectory follows the step, stays within bounds, reaches the goal, and no nearby change of the
 * controls along with the start's own multipliers makes the Lagrangian smaller to first order. */
static void test_certificate_means_what_it_says(void) {
  static step_problem s;
  po_ddp *d;
  po_ddp_result r;
  double costate[12], cost = 0, next[12], l, worst = 0;
  TEST_ASSERT_TRUE(step_make(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  r = solve_step(&s, d, PO_DDP_AUTO);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_TRUE(r.sweeps <= 6);
  for (int k = 0; k < STEP_FRAMES; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, s.problem.step(s.problem.user, next, &l, k, r.x + 12 * k, r.u + 32 * k, r.p));
    TEST_ASSERT_EQUAL_MEMORY(next, r.x + 12 * (k + 1), sizeof next);
    cost += l;
    for (int i = 0; i < 32; i++) TEST_ASSERT_TRUE(r.u[32 * k + i] >= 0);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * cost, cost, r.cost);
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * s.problem.goal_scale[i], s.m.goal[i], r.x[12 * STEP_FRAMES + i]);
  memcpy(costate, r.mu, sizeof costate);
  for (int k = STEP_FRAMES - 1; k >= 0; k--) { /* gradients by central differences of l + costate·f */
    const double *x = r.x + 12 * k;
    double u[32], y[12], back[12], up, down;
    po_ddp_frame f = po_ddp_frame_of(d, k);
    memcpy(u, r.u + 32 * k, sizeof u);
    memcpy(y, x, sizeof y);
    for (int i = 0; i < f.nu; i++) {
      double keep = u[i], slope;
      u[i] = keep + 0.01;
      s.problem.step(s.problem.user, next, &up, k, x, u, NULL);
      up += po_dot(next, costate, 12);
      u[i] = keep - 0.01;
      s.problem.step(s.problem.user, next, &down, k, x, u, NULL);
      down += po_dot(next, costate, 12);
      u[i] = keep;
      slope = (up - down) / 0.02;
      if (keep > 0) worst = po_max(worst, fabs(slope));
      else TEST_ASSERT_TRUE(slope > -1e-4);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, keep > 0 ? 0 : slope, f.z[i]);
    }
    for (int i = 0; i < 12; i++) {
      double h = 1e-3 * s.problem.goal_scale[i], keep = y[i];
      y[i] = keep + h;
      s.problem.step(s.problem.user, next, &up, k, y, u, NULL);
      up += po_dot(next, costate, 12);
      y[i] = keep - h;
      s.problem.step(s.problem.user, next, &down, k, y, u, NULL);
      back[i] = (up - down - po_dot(next, costate, 12)) / (2 * h);
      y[i] = keep;
    }
    memcpy(costate, back, sizeof costate);
  }
  TEST_ASSERT_TRUE(worst < 1e-4); /* beside l_u of 10: rounding of costs of 1e3 over differences of 0.02, summed over 72 frames */
  po_ddp_free(d);
  free(s.memory);
}

/* ---- what cannot be solved
 * -------------------------------------------------------------------------------------------------------------- */

static void expect_unreachable(step_problem *s, const char *why) {
  po_ddp *d;
  for (int method = PO_DDP_AUTO; method <= PO_DDP_INTERIOR; method++) {
    po_ddp_result r;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s->problem.size));
    r = solve_step(s, d, (po_ddp_method)method);
    if (r.status != PO_DDP_GOAL_UNREACHABLE)
      printf("%s, %s: %s, goal error %g after %d\n", why, po_ddp_method_string((po_ddp_method)method),
             po_ddp_status_string(r.status), r.goal_error, r.iterations);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("goal_unreachable", po_ddp_status_string(r.status), why);
    TEST_ASSERT_TRUE_MESSAGE(r.goal_error > 1e-6 && r.iterations < 120, why);
    po_ddp_free(d);
  }
}

static void test_goal_out_of_reach(void) {
  static step_problem s;
  TEST_ASSERT_TRUE(step_make(&s));
  for (int k = 0; k < STEP_FRAMES; k++) s.count[k] = 0;
  TEST_ASSERT_TRUE(step_ready(&s));
  expect_unreachable(&s, "no contact at all");
  free(s.memory);
  TEST_ASSERT_TRUE(step_make(&s));
  for (int k = 0; k < STEP_FRAMES; k++) s.count[k] = 1;
  TEST_ASSERT_TRUE(step_ready(&s));
  expect_unreachable(&s, "one point");
  free(s.memory);
  TEST_ASSERT_TRUE(step_make(&s));
  s.m.goal[0] += 4; /* 4 m in 0.6 s with friction 0.8 */
  expect_unreachable(&s, "too far");
  free(s.memory);
  TEST_ASSERT_TRUE(step_make(&s));
  for (int i = 0; i < 8 * STEP_FRAMES; i++) s.points[3 * i + 1] = 0; /* all on one line: no moment about it */
  s.m.goal[9] += 10;
  TEST_ASSERT_TRUE(step_ready(&s));
  expect_unreachable(&s, "contacts on one line");
  free(s.memory);
}

/* A free parameter that is not at its best is no optimum, however good the controls are. */
static po_status priced(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  next[0] = x[0] + u[0];
  *cost = 0.5 * u[0] * u[0] + 0.5 * (p[0] - 1) * (p[0] - 1);
  return PO_OK;
}
static void test_free_parameters_are_certified_too(void) {
  double start[1] = {0};
  unsigned char p_free[1] = {1};
  po_ddp_problem p;
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_result r;
  po_ddp *d;
  memset(&p, 0, sizeof p);
  p.size.frames = 3;
  p.size.nx = p.size.nu = p.size.np = 1;
  p.start = start;
  p.p_free = p_free;
  p.step = priced;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, p.size));
  o.max_iterations = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &p, &o, NULL));
  TEST_ASSERT_EQUAL_STRING("iteration_limit", po_ddp_status_string(r.status));
  TEST_ASSERT_TRUE(r.stationarity > 0.1);
  o.max_iterations = 10;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &p, &o, NULL));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1, r.p[0]);
  po_ddp_free(d);
}

/* Flight in the middle of a jump is no mistake: frames without controls fly. */
static void test_frames_without_control_fly(void) {
  static step_problem s;
  po_ddp *d;
  po_ddp_result r;
  TEST_ASSERT_TRUE(step_make(&s));
  for (int k = 30; k < 36; k++) s.count[k] = 0;
  TEST_ASSERT_TRUE(step_ready(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  r = solve_step(&s, d, PO_DDP_AUTO);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_EQUAL_INT(0, po_ddp_frame_of(d, 31).nu);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, r.x[12 * 30 + 5] - 6 * s.m.dt * 78 * 9.81, r.x[12 * 36 + 5]);
  po_ddp_free(d);
  free(s.memory);
}

/* ---- misuse
 * ---------------------------------------------------------------------------------------------------------------------------------- */

static int poison; /* the callback gives NaN from this call on; −1: refuses */
static po_status poisoned(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  (void)p;
  next[0] = x[0] + 0.1 * u[0];
  *cost = u[0] * u[0] + (x[0] - 1) * (x[0] - 1);
  if (poison < 0) return PO_ERR_STATE;
  if (poison > 0 && --poison == 0) *cost = PO_NAN, poison = 1;
  return PO_OK;
}
static po_ddp_problem scalar_problem(const double *start) {
  po_ddp_problem p;
  memset(&p, 0, sizeof p);
  p.size.frames = 10;
  p.size.nx = p.size.nu = 1;
  p.start = start;
  p.step = poisoned;
  return p;
}

static void test_misuse_is_a_status(void) {
  double start = 0, lower[10], upper[10];
  int nu[10] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1};
  po_ddp_problem p = scalar_problem(&start);
  po_ddp_sizes none = {0, 0, 0, 0, 0}, big = {10, 1, 1, 0, 0};
  po_ddp *d = NULL;
  po_ddp_result r;
  po_error err;
  poison = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ddp_new(&d, none));
  TEST_ASSERT_EQUAL_INT(0, (int)po_ddp_bytes(none));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, big));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_ddp_solve(&r, d, NULL, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_DDP_OPTIMAL, r.status);
  p.size.frames = 11;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ddp_solve(&r, d, &p, NULL, NULL));
  p = scalar_problem(&start);
  p.nu = nu;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ddp_problem_check(&p, &err));
  TEST_ASSERT_TRUE(strstr(err.message, "frame 3") != NULL);
  p = scalar_problem(&start);
  for (int i = 0; i < 10; i++) lower[i] = -1, upper[i] = i == 7 ? -2 : 1;
  p.lower = lower;
  p.upper = upper;
  TEST_ASSERT_EQUAL_INT(PO_ERR_BOUNDS, po_ddp_problem_check(&p, &err));
  TEST_ASSERT_TRUE(strstr(err.message, "frame 7") != NULL);
  upper[7] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_solve(&r, d, &p, NULL, NULL));
  p = scalar_problem(&start);
  start = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_solve(&r, d, &p, NULL, NULL));
  start = 0;
  p.size.ng = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_ddp_problem_check(&p, &err));
  po_ddp_free(d);
}

/* NaN at the start is an error; NaN later is a step that went too far, and the solve must end. */
static void test_callbacks_that_give_nan(void) {
  double start = 0;
  po_ddp_problem p = scalar_problem(&start);
  po_ddp *d = NULL;
  po_ddp_result r;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, p.size));
  poison = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_solve(&r, d, &p, NULL, NULL));
  poison = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_ddp_solve(&r, d, &p, NULL, NULL));
  for (int calls = 11; calls < 400; calls += 7) {
    po_status status;
    poison = calls;
    status = po_ddp_solve(&r, d, &p, NULL, NULL);
    TEST_ASSERT_TRUE(status == PO_ERR_NOT_FINITE || (status == PO_OK && r.status != PO_DDP_GOAL_UNREACHABLE));
    if (status == PO_OK) TEST_ASSERT_TRUE(po_isfinite(r.cost));
  }
  po_ddp_free(d);
}

/* ---- memory, state, bits
 * ---------------------------------------------------------------------------------------------------------------------- */

/* First derivatives alone: the others by differences of them. */
static po_ddp_step_derivatives_fn whole;
static po_status first_only(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                            const double *lambda) {
  po_status status = whole(user, d, k, x, u, p, lambda);
  po_mat_zero(d->Hxx), po_mat_zero(d->Hux), po_mat_zero(d->Huu);
  d->given = PO_DDP_GIVEN_F | PO_DDP_GIVEN_L;
  return status;
}

static void test_nothing_allocates_in_a_solve(void) {
  static step_problem s;
  po_ddp *d;
  long before;
  po_set_allocator(counting, NULL);
  TEST_ASSERT_TRUE(step_make(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  before = allocations;
  for (int method = PO_DDP_AUTO; method <= PO_DDP_INTERIOR; method++) solve_step(&s, d, (po_ddp_method)method);
  whole = s.problem.step_derivatives;
  s.problem.step_derivatives = first_only; /* and not by differences either */
  TEST_ASSERT_EQUAL_INT(PO_DDP_OPTIMAL, solve_step(&s, d, PO_DDP_AUTO).status);
  TEST_ASSERT_EQUAL_INT(before, allocations);
  po_ddp_free(d);
  po_set_allocator(NULL, NULL);
  free(s.memory);
}

/* A warm solve after restore, in another object, gives the same bits; so does a cold one in memory of the caller's. */
static void test_save_and_restore(void) {
  static step_problem s;
  po_ddp *a, *b;
  po_ddp_result r;
  po_ddp_start warm;
  size_t bytes, need;
  void *state, *mem;
  uint64_t hash;
  TEST_ASSERT_TRUE(step_make(&s));
  need = po_ddp_bytes(s.problem.size);
  mem = malloc(need);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_ddp_init(&b, s.problem.size, mem, need - 64));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&a, s.problem.size));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_init(&b, s.problem.size, mem, need));
  solve_step(&s, a, PO_DDP_AUTO);
  bytes = po_ddp_save_bytes(a);
  state = malloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_save(state, bytes, a));
  memset(&warm, 0, sizeof warm);
  warm.warm = 1;
  s.m.start[3] -= 2;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, a, &s.problem, NULL, &warm));
  TEST_ASSERT_EQUAL_INT(PO_DDP_OPTIMAL, r.status);
  TEST_ASSERT_TRUE(r.iterations <= 6);
  hash = po_ddp_hash(a);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_restore(b, state, bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, b, &s.problem, NULL, &warm));
  TEST_ASSERT_TRUE(hash == po_ddp_hash(b));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ddp_restore(b, state, bytes - 8));
  ((unsigned char *)state)[bytes / 2] ^= 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_ddp_restore(b, state, bytes));
  TEST_ASSERT_TRUE(hash == po_ddp_hash(b));
  po_ddp_free(a);
  free(mem);
  free(state);
  free(s.memory);
}

/* A solver's own result may be the start of its next solve. */
static void test_own_result_as_start(void) {
  static step_problem s;
  po_ddp *d;
  po_ddp_result r;
  po_ddp_start again;
  TEST_ASSERT_TRUE(step_make(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  r = solve_step(&s, d, PO_DDP_AUTO);
  memset(&again, 0, sizeof again);
  again.u = r.u;
  again.mu = r.mu;
  again.p = r.p;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &s.problem, NULL, &again));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_EQUAL_INT(0, r.iterations);
  po_ddp_free(d);
  free(s.memory);
}

/* Footholds as unknowns: the landing foot goes where the step is cheapest, and no further than its bounds. */
static void test_free_footholds(void) {
  static step_problem s;
  static const double lower[3] = {-0.3, -0.3, 0}, upper[3] = {0.3, 0.3, 0}, near_lower[3] = {-0.01, -0.01, 0},
                      near_upper[3] = {0.01, 0.01, 0};
  po_ddp *d;
  po_ddp_result fixed, free_one, near;
  double fixed_cost, free_cost;
  TEST_ASSERT_TRUE(step_make(&s));
  s.m.foothold = s.foothold;
  s.m.footholds = 1;
  s.m.start[4] += 4; /* swaying outward */
  TEST_ASSERT_TRUE(step_ready(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  fixed = solve_step(&s, d, PO_DDP_AUTO);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(fixed.status));
  fixed_cost = fixed.cost;
  memset(s.free_parameters, 1, 3);
  s.problem.p_free = s.free_parameters;
  s.problem.p_lower = lower;
  s.problem.p_upper = upper;
  free_one = solve_step(&s, d, PO_DDP_AUTO);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(free_one.status));
  TEST_ASSERT_TRUE(free_one.cost < fixed_cost);
  TEST_ASSERT_TRUE(fabs(free_one.p[0]) > 0.01 || fabs(free_one.p[1]) > 0.01);
  TEST_ASSERT_TRUE(free_one.p[2] == 0);
  free_cost = free_one.cost;
  s.problem.p_lower = near_lower;
  s.problem.p_upper = near_upper;
  near = solve_step(&s, d, PO_DDP_AUTO);
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(near.status));
  TEST_ASSERT_TRUE(fabs(near.p[0]) <= 0.01 && fabs(near.p[1]) <= 0.01);
  TEST_ASSERT_TRUE(near.cost < fixed_cost && near.cost > free_cost);
  po_ddp_free(d);
  free(s.memory);
}

/* The same bits everywhere in scalar mode. */
static void test_hash_is_pinned(void) {
  static step_problem s;
  po_simd before = po_get_simd();
  po_ddp *d;
  char text[24];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  TEST_ASSERT_TRUE(step_make(&s));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, s.problem.size));
  solve_step(&s, d, PO_DDP_AUTO);
  po_format(text, sizeof text, "%016llx", (unsigned long long)po_ddp_hash(d));
  TEST_ASSERT_EQUAL_STRING("a82a2537fb8eece7", text);
  po_ddp_free(d);
  free(s.memory);
  po_set_simd(before);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_lqr_is_riccati);
  RUN_TEST(test_textbook_optima);
  RUN_TEST(test_moved_guesses_agree);
  RUN_TEST(test_methods_agree);
  RUN_TEST(test_hard_goal_of_a_nonlinear_problem);
  RUN_TEST(test_certificate_means_what_it_says);
  RUN_TEST(test_goal_out_of_reach);
  RUN_TEST(test_free_parameters_are_certified_too);
  RUN_TEST(test_frames_without_control_fly);
  RUN_TEST(test_misuse_is_a_status);
  RUN_TEST(test_callbacks_that_give_nan);
  RUN_TEST(test_nothing_allocates_in_a_solve);
  RUN_TEST(test_save_and_restore);
  RUN_TEST(test_own_result_as_start);
  RUN_TEST(test_free_footholds);
  RUN_TEST(test_hash_is_pinned);
  return UNITY_END() != 0;
}
