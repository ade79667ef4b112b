/* The interior-point method: positivity and feasibility of its iterates, problems with known answers of every shape, proofs, warm starts,
 * structure promised by the caller, limits, and what a control tick must not do. Random families: test_qp_random.c; files with known
 * answers: test_qp_oracle.c. */
#include "../qp/ip_internal.h"
#include "qp_checker.h"
#include "qp_generator.h"
#include "unity.h"
#include <math.h>
#include <stdio.h>

#define IPT_INF PO_INF

static po_qp_solver *solver;
static po_qp_result result;
static po_qp_opts opts;

void setUp(void) {
  solver = NULL;
  opts = po_qp_opts_preset(PO_QP_INTERIOR_POINT, PO_QP_BALANCED);
}
void tearDown(void) {
  po_qp_free(solver);
  po_set_simd(PO_SIMD_AUTO);
}

static po_status ipt_solve(const po_qp *p, const po_qp_warm *warm) {
  if (!solver) TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&solver, p->n, p->me, p->mi));
  return po_qp_solve(&result, solver, p, &opts, warm);
}

/* Solves, expects the status, and has the checker look at the proof. */
static void ipt_expect(const po_qp *p, po_qp_status status, const char *label) {
  qp_checker_tol tol;
  char why[256], text[400];
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, ipt_solve(p, NULL), label);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(po_qp_status_string(status), po_qp_status_string(result.status), label);
  tol.primal = opts.tol_primal;
  tol.dual = opts.tol_dual;
  tol.gap = 2 * opts.tol_gap;
  tol.ray = 2e-9;
  if (qp_checker_result(p, &result, &tol, why)) return;
  snprintf(text, sizeof text, "%s: %s", label, why);
  TEST_FAIL_MESSAGE(text);
}

static void ipt_expect_x(const po_qp *p, const double *x, double tol, const char *label) {
  char text[200];
  ipt_expect(p, PO_QP_OPTIMAL, label);
  for (int j = 0; j < p->n; j++) {
    snprintf(text, sizeof text, "%s: x[%d] = %.17g, expected %.17g", label, j, result.x[j], x[j]);
    TEST_ASSERT_TRUE_MESSAGE(fabs(result.x[j] - x[j]) <= tol * (1 + fabs(x[j])), text);
  }
}

/* ---- the iteration itself -------------------------------------------------------------------------------------------------- */

/* Slacks and multipliers are positive in every iterate, and the distance to feasibility never grows by more than rounding. */
static void test_iterates_stay_inside(void) {
  for (uint64_t seed = 0; seed < 40; seed++) {
    qpg_problem q;
    po_arena arena, scratch;
    ip_core *c;
    po_qp_scaling sc;
    int row_at, steps = 0;
    double row_sign, alpha = 0, before = IPT_INF;
    char text[120];
    qpg_make(&q, seed % 2 ? QPG_PLAIN : QPG_SINGULAR, seed, 30);
    size_t bytes = po_qp_interior_point_bytes(q.qp.n, q.qp.me, q.qp.mi), more = sizeof(double) * 4 * (size_t)(q.qp.n + q.qp.me + q.qp.mi + 16);
    void *mem = malloc(bytes), *mem2 = malloc(more);
    po_arena_init(&arena, mem, bytes);
    po_arena_init(&scratch, mem2, more);
    c = (ip_core *)po_arena_alloc(&arena, sizeof *c);
    po_ip_layout(c, &arena, q.qp.n, q.qp.me, q.qp.mi);
    sc.col = c->col_scale;
    sc.row = c->row_scale;
    po_qp_equilibrate(&sc, &q.qp, 3, &scratch);
    c->cost = sc.cost;
    TEST_ASSERT_TRUE(po_ip_build(c, &q.qp, IP_MAIN, 1e-7, &row_at, &row_sign));
    TEST_ASSERT_TRUE(po_ip_start(c));
    snprintf(text, sizeof text, "seed %d", (int)seed);
    for (; steps < 60; steps++) {
      po_ip_measure(c);
      double infeasible = 0;
      for (int k = 0; k < c->ns; k++) {
        TEST_ASSERT_TRUE_MESSAGE(c->t[k] > 0 && c->z[k] > 0, text);
        infeasible = fmax(infeasible, fabs(c->r[k]));
      }
      for (int i = 0; i < c->ne; i++) infeasible = fmax(infeasible, fabs(c->rp[i]));
      TEST_ASSERT_TRUE_MESSAGE(infeasible <= 1.001 * before + 1e-6, text);
      before = infeasible;
      if (c->primal < 1e-8 && c->dual < 1e-8 && c->gap < 1e-8) break;
      c->mu_floor = 1e-12;
      TEST_ASSERT_TRUE_MESSAGE(po_ip_step(c, &alpha), text);
      TEST_ASSERT_TRUE_MESSAGE(alpha > 0 && alpha <= 1, text);
    }
    TEST_ASSERT_TRUE_MESSAGE(steps < 60, text);
    free(mem);
    free(mem2);
    qpg_free(&q);
  }
}

/* Even with loose tolerances and no polish no row is violated by more than the tolerance, and no bound at all. */
static void test_answers_are_feasible_without_polish(void) {
  static const double loose[] = {1e-2, 1e-4, 1e-6};
  for (uint64_t seed = 0; seed < 30; seed++) {
    qpg_problem q;
    qpg_make(&q, seed % 3 ? QPG_PLAIN : QPG_DEGENERATE, seed, 40);
    opts.polish = 0;
    opts.tol_primal = opts.tol_dual = opts.tol_gap = loose[seed % 3];
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "loose");
    for (int j = 0; j < q.qp.n; j++) TEST_ASSERT_TRUE(result.x[j] >= q.xl[j] && result.x[j] <= q.xu[j]);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
}

static void test_polish_makes_the_answer_exact(void) {
  for (uint64_t seed = 0; seed < 30; seed++) {
    qpg_problem q;
    qpg_make(&q, QPG_PLAIN, seed, 40);
    opts.tol_primal = opts.tol_dual = opts.tol_gap = 1e-4; /* what polish makes of a rough answer */
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "polished");
    for (int j = 0; j < q.qp.n; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(q.x[j])), q.x[j], result.x[j]);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
}

/* ---- every shape ------------------------------------------------------------------------------------------------------------ */

/* min (x−1)² + (y−2.5)²  s.t.  x − 2y >= −2, −x − 2y >= −6, −x + 2y >= −2, x, y >= 0: (1.4, 1.7), Nocedal & Wright example 16.4 */
static void test_a_textbook_problem(void) {
  double H[] = {2, 0, 0, 2}, g[] = {-2, -5}, C[] = {1, -2, -1, -2, -1, 2}, cl[] = {-2, -6, -2}, cu[] = {IPT_INF, IPT_INF, IPT_INF};
  double xl[] = {0, 0}, x[] = {1.4, 1.7};
  po_qp p = {.n = 2, .mi = 3, .H = po_mat_of(H, 2, 2, 2), .g = g, .C = po_mat_of(C, 3, 2, 2), .cl = cl, .cu = cu, .xl = xl};
  ipt_expect_x(&p, x, 1e-9, "example 16.4");
  TEST_ASSERT_EQUAL_INT(-1, result.active[0]);
  TEST_ASSERT_EQUAL_INT(0, result.active[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.8, result.z[0]);
}

static void test_one_variable(void) {
  double H[] = {2}, g[] = {-8}, lo[] = {1}, hi[] = {3}, x[] = {3}, x_free[] = {4}, x_low[] = {1}, up[] = {8};
  po_qp p = {.n = 1, .H = po_mat_of(H, 1, 1, 1), .g = g, .xl = lo, .xu = hi};
  ipt_expect_x(&p, x, 1e-9, "at upper");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2, result.w[0]);
  p.xu = NULL;
  ipt_expect_x(&p, x_free, 1e-9, "inside");
  p.g = up;
  ipt_expect_x(&p, x_low, 1e-9, "at lower");
  p.xl = NULL;
  x_free[0] = -4;
  ipt_expect_x(&p, x_free, 1e-9, "free");
}

static void test_everything_fixed(void) {
  double H[] = {1, 0, 0, 1}, lo[] = {1, -2}, A[] = {1, 1}, b[] = {-1}, bad[] = {0};
  po_qp p = {.n = 2, .me = 1, .H = po_mat_of(H, 2, 2, 2), .A = po_mat_of(A, 1, 2, 2), .b = b, .xl = lo, .xu = lo};
  ipt_expect_x(&p, lo, 0, "fixed");
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.5, result.objective);
  p.b = bad;
  ipt_expect(&p, PO_QP_INFEASIBLE, "fixed, and the row says otherwise");
}

static void test_no_cost_and_no_constraints(void) {
  double xl[] = {-1, 2}, xu[] = {1, 3}, C[] = {1, 1}, cl[] = {3.5}, cu[] = {IPT_INF};
  po_qp p = {.n = 2};
  ipt_expect(&p, PO_QP_OPTIMAL, "nothing at all");
  p.xl = xl;
  p.xu = xu;
  ipt_expect(&p, PO_QP_OPTIMAL, "bounds only");
  p.mi = 1;
  p.C = po_mat_of(C, 1, 2, 2);
  p.cl = cl;
  p.cu = cu;
  po_qp_free(solver);
  solver = NULL;
  ipt_expect(&p, PO_QP_OPTIMAL, "a feasibility problem");
}

/* ±1e20 and beyond is infinite; a range of 1e-13 is an equality; rows with equal bounds are too; empty rows hold or do not. */
static void test_odd_bounds(void) {
  double H[] = {1, 0, 0, 1}, g[] = {-3, -3}, C[] = {1, 1, 1, -1, 0, 0}, cl[] = {1, 0.5, -1}, cu[] = {1 + 1e-13, 0.5, 1};
  double xl[] = {-1e20, -IPT_INF}, xu[] = {1e21, 1e20}, x[] = {0.75, 0.25}, empty[] = {1, 0.5, 0.5};
  po_qp p = {.n = 2, .mi = 3, .H = po_mat_of(H, 2, 2, 2), .g = g, .C = po_mat_of(C, 3, 2, 2), .cl = cl, .cu = cu, .xl = xl, .xu = xu};
  ipt_expect_x(&p, x, 1e-9, "odd bounds");
  TEST_ASSERT_EQUAL_INT(2, result.active[1]);
  p.cl = empty;
  ipt_expect(&p, PO_QP_INFEASIBLE, "an empty row that cannot hold");
  TEST_ASSERT_EQUAL_INT(1, result.conflict_count);
  TEST_ASSERT_EQUAL_INT(2, result.conflict[0]);
}

static void test_dependent_and_many_equalities(void) {
  double A[30 * 3], b[30], H[] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, x[] = {1, 2, -1};
  po_qp p = {.n = 3, .me = 30, .H = po_mat_of(H, 3, 3, 3), .A = po_mat_of(A, 30, 3, 3), .b = b};
  po_rng rng;
  po_rng_init(&rng, 1, 1);
  for (int i = 0; i < 30; i++) { /* ten times as many rows as variables, all through one point */
    for (int j = 0; j < 3; j++) A[3 * i + j] = po_rng_normal(&rng);
    b[i] = qpg_value(A + 3 * i, x, 3);
  }
  ipt_expect_x(&p, x, 1e-8, "30 equalities in 3 variables");
  b[17] += 0.1;
  ipt_expect(&p, PO_QP_INFEASIBLE, "one of them moved");
}

/* Declaring the blocks of H changes nothing but the time. */
static void test_declared_blocks(void) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    qpg_problem q;
    double objective;
    qpg_make(&q, QPG_BLOCKS, seed, 40);
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "declared");
    objective = result.objective;
    q.qp.h_blocks = NULL;
    q.qp.h_block_count = 0;
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "found");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(objective)), objective, result.objective);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
}

/* The promise of the same H and rows saves time and changes nothing else. */
static void test_same_matrices_promised(void) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    qpg_problem q;
    po_rng rng;
    double objective;
    qpg_make(&q, seed % 2 ? QPG_PLAIN : QPG_SCALED, seed, 40);
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "first");
    po_rng_init(&rng, seed, 3);
    for (int j = 0; j < q.qp.n; j++) q.g[j] *= 1 + 0.1 * po_rng_normal(&rng);
    q.qp.same_H = q.qp.same_rows = 1;
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "promised");
    objective = result.objective;
    q.qp.same_H = q.qp.same_rows = 0;
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "not promised");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(objective)), objective, result.objective);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
}

/* ---- proofs ------------------------------------------------------------------------------------------------------------------ */

static void test_infeasible_names_the_conflict(void) {
  /* x + y >= 4 against x <= 1 and y <= 2; two rows that have nothing to do with it */
  double H[] = {1, 0, 0, 1}, C[] = {1, 1, 1, -1, 3, 1}, cl[] = {4, -10, -50}, cu[] = {IPT_INF, 10, 50}, xu[] = {1, 2};
  po_qp p = {.n = 2, .mi = 3, .H = po_mat_of(H, 2, 2, 2), .C = po_mat_of(C, 3, 2, 2), .cl = cl, .cu = cu, .xu = xu};
  ipt_expect(&p, PO_QP_INFEASIBLE, "conflict");
  TEST_ASSERT_EQUAL_INT(3, result.conflict_count);
  TEST_ASSERT_EQUAL_INT(0, result.conflict[0]); /* row 0 of C, then the two bounds */
  TEST_ASSERT_EQUAL_INT(3, result.conflict[1]);
  TEST_ASSERT_EQUAL_INT(4, result.conflict[2]);
}

/* Where the goal is out of reach (differences of fifth order: condition 1e10), the answer is the best iterate and not what a proof that
 * failed left behind. */
static void test_what_is_not_proven_is_the_best_iterate(void) {
  enum { N = 118, M = N - 5 };
  static const double difference[6] = {1, -5, 10, -10, 5, -1};
  static double H[N * N], C[M * N], g[N], cl[M], cu[M];
  po_qp p = {.n = N, .mi = M, .H = po_mat_of(H, N, N, N), .g = g, .C = po_mat_of(C, M, N, N), .cl = cl, .cu = cu};
  for (int i = 0; i < N; i++) H[i * N + i] = 1, g[i] = -(sqrt(i / (N - 1.0)) + 0.1 * po_sin(i));
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < 6; j++) C[i * N + i + j] = difference[j];
    cu[i] = PO_INF;
  }
  opts.tol_gap = 1e-14; /* out of reach: only the proofs are left to try */
  TEST_ASSERT_EQUAL_INT(PO_OK, ipt_solve(&p, NULL));
  TEST_ASSERT_EQUAL_STRING("numerical", po_qp_status_string(result.status));
  TEST_ASSERT_TRUE(result.primal_residual < 1e-5 && result.dual_residual < 1e-5 && result.gap < 1e-3); /* a proof leaves 1 and 2 behind */
}

static void test_a_zero_diagonal_is_nonconvex(void) {
  double H[] = {0, -2, -2, 0}, xl[] = {-1, -3}, xu[] = {IPT_INF, 5};
  po_qp p = {.n = 2, .H = po_mat_of(H, 2, 2, 2), .xl = xl, .xu = xu};
  ipt_expect(&p, PO_QP_NONCONVEX, "both move");
  xu[1] = -3;
  ipt_expect(&p, PO_QP_NONCONVEX, "one is fixed");
}

static void test_unbounded_ray_and_point(void) {
  /* H is singular along (1, 1, 0); the cost falls there; z is pulled to 2 */
  double H[] = {1, -1, 0, -1, 1, 0, 0, 0, 1}, g[] = {-1, -1, -2}, A[] = {0, 0, 1}, b[] = {2}, C[] = {1, -1, 0}, cl[] = {-1}, cu[] = {1};
  double xl[] = {5, -IPT_INF, -IPT_INF};
  po_qp p = {.n = 3, .me = 1, .mi = 1, .H = po_mat_of(H, 3, 3, 3), .g = g, .A = po_mat_of(A, 1, 3, 3), .b = b, .C = po_mat_of(C, 1, 3, 3),
             .cl = cl, .cu = cu, .xl = xl};
  ipt_expect(&p, PO_QP_UNBOUNDED, "ray");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * result.ray[0], result.ray[0], result.ray[1]);
  TEST_ASSERT_TRUE(result.x[0] >= 5 - 1e-6); /* and a feasible point comes with it */
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, result.x[2]);
  TEST_ASSERT_TRUE(fabs(result.x[0] - result.x[1]) <= 1 + 1e-6);
}

static void test_nonconvex_directions(void) {
  double diagonal[] = {1, 0, 0, -1e-6}, zero[] = {0, 1e-3, 1e-3, 5}, small[] = {1, 1 + 1e-6, 1 + 1e-6, 1}, semi[] = {1, 1, 1, 1};
  double third = 1.0 / 3, rounded[] = {third * third, third, third, 1};
  po_qp p = {.n = 2, .H = po_mat_of(diagonal, 2, 2, 2)};
  ipt_expect(&p, PO_QP_NONCONVEX, "a negative entry of the diagonal");
  p.H.a = zero;
  ipt_expect(&p, PO_QP_NONCONVEX, "coupled through a zero of the diagonal");
  p.H.a = small;
  ipt_expect(&p, PO_QP_NONCONVEX, "by a millionth");
  p.H.a = semi;
  ipt_expect(&p, PO_QP_OPTIMAL, "semidefinite");
  p.H.a = rounded;
  ipt_expect(&p, PO_QP_OPTIMAL, "semidefinite up to rounding");
}

/* ---- warm starts -------------------------------------------------------------------------------------------------------------- */

static void test_warm_start_of_the_same_problem(void) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    qpg_problem q;
    po_qp_warm warm;
    double objective;
    qpg_make(&q, QPG_PLAIN, seed, 40);
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "cold");
    objective = result.objective;
    warm = po_qp_last(solver);
    TEST_ASSERT_EQUAL_INT(PO_OK, ipt_solve(&q.qp, &warm));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
    TEST_ASSERT_EQUAL_INT(1, result.warm);
    TEST_ASSERT_EQUAL_INT(0, result.fell_back);
    TEST_ASSERT_EQUAL_INT(1, result.iterations);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(objective)), objective, result.objective);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
}

/* Nonsense as a warm start is given up for a cold one, which is said, and costs two iterations at most. */
static void test_warm_start_from_nonsense(void) {
  int fell_back = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    qpg_problem q;
    po_qp_warm warm;
    po_rng rng;
    double *x, objective;
    signed char *active;
    int cold;
    qpg_make(&q, seed % 2 ? QPG_PLAIN : QPG_DEGENERATE, seed, 40);
    int count = q.qp.n + q.qp.mi + q.qp.me;
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "cold");
    objective = result.objective;
    cold = result.iterations;
    x = (double *)malloc(sizeof(double) * (size_t)count);
    active = (signed char *)malloc((size_t)count);
    po_rng_init(&rng, seed, 5);
    for (int i = 0; i < count; i++) {
      x[i] = 100 * po_rng_normal(&rng);
      active[i] = (signed char)(po_rng_below(&rng, 3) - 1);
    }
    warm.x = warm.y = warm.z = warm.w = x;
    warm.active = active;
    TEST_ASSERT_EQUAL_INT(PO_OK, ipt_solve(&q.qp, &warm));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
    TEST_ASSERT_EQUAL_INT(1, result.warm + result.fell_back);
    TEST_ASSERT_LESS_OR_EQUAL_INT(cold + 2, result.iterations);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(objective)), objective, result.objective);
    fell_back += result.fell_back;
    free(x);
    free(active);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
  TEST_ASSERT_GREATER_THAN_INT(20, fell_back);
}

/* ---- limits, presets, determinism, memory ---------------------------------------------------------------------------------------- */

static void test_iteration_limit(void) {
  qpg_problem q;
  qpg_make(&q, QPG_DEGENERATE, 3, 60);
  opts.max_iterations = 1;
  opts.polish = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, ipt_solve(&q.qp, NULL));
  TEST_ASSERT_EQUAL_STRING("iteration_limit", po_qp_status_string(result.status));
  TEST_ASSERT_EQUAL_INT(1, result.iterations);
  for (int j = 0; j < q.qp.n; j++) TEST_ASSERT_TRUE(result.x[j] - result.x[j] == 0);
  opts.max_iterations = 0;
  ipt_expect(&q.qp, PO_QP_OPTIMAL, "without the limit");
  qpg_free(&q);
}

static void test_presets(void) {
  for (int preset = PO_QP_FAST; preset <= PO_QP_ROBUST; preset++)
    for (int family = 0; family < QPG_FAMILIES; family++)
      for (uint64_t seed = 100; seed < 105; seed++) {
        qpg_problem q;
        if (preset == PO_QP_FAST && family == QPG_SCALED) continue; /* the preset says it does not scale */
        qpg_make(&q, (qpg_family)family, seed, 25);
        opts = po_qp_opts_preset(PO_QP_INTERIOR_POINT, (po_qp_preset)preset);
        ipt_expect(&q.qp, q.status, qpg_names[family]);
        po_qp_free(solver);
        solver = NULL;
        qpg_free(&q);
      }
}

static void test_same_bits_every_time(void) {
  for (int simd = 0; simd < 2; simd++) {
    qpg_problem q;
    uint64_t hash;
    if (po_set_simd(simd ? PO_SIMD_AVX2 : PO_SIMD_SCALAR) != PO_OK) continue;
    qpg_make(&q, QPG_PLAIN, 7, 40);
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "first");
    hash = po_hash_doubles(result.x, (size_t)q.qp.n, 0);
    qpg_problem other; /* something else in between, in the same memory */
    qpg_make(&other, QPG_LP, 8, q.qp.n);
    if (other.qp.n <= q.qp.n && other.qp.me <= q.qp.me && other.qp.mi <= q.qp.mi) ipt_expect(&other.qp, PO_QP_OPTIMAL, "between");
    ipt_expect(&q.qp, PO_QP_OPTIMAL, "again");
    TEST_ASSERT_EQUAL_HEX64(hash, po_hash_doubles(result.x, (size_t)q.qp.n, 0));
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
    qpg_free(&other);
  }
}

static int ipt_calls;
static void *ipt_counting(void *user, void *block, size_t bytes) {
  (void)user;
  ipt_calls++;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

/* Nothing allocates in a solve, whatever its outcome; and a whole-body problem fits in 512 KiB. */
static void test_memory(void) {
  TEST_ASSERT_LESS_OR_EQUAL_INT(512 * 1024, (int)po_qp_bytes(67, 6, 29));
  po_set_allocator(ipt_counting, NULL);
  for (int family = 0; family < QPG_FAMILIES; family++) {
    qpg_problem q;
    int before;
    qpg_make(&q, (qpg_family)family, 11, 25);
    ipt_solve(&q.qp, NULL);
    before = ipt_calls;
    ipt_solve(&q.qp, NULL);
    po_qp_warm warm = po_qp_last(solver);
    ipt_solve(&q.qp, &warm);
    TEST_ASSERT_EQUAL_INT(before, ipt_calls);
    po_qp_free(solver);
    solver = NULL;
    qpg_free(&q);
  }
  po_set_allocator(NULL, NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_iterates_stay_inside);
  RUN_TEST(test_answers_are_feasible_without_polish);
  RUN_TEST(test_polish_makes_the_answer_exact);
  RUN_TEST(test_a_textbook_problem);
  RUN_TEST(test_one_variable);
  RUN_TEST(test_everything_fixed);
  RUN_TEST(test_no_cost_and_no_constraints);
  RUN_TEST(test_odd_bounds);
  RUN_TEST(test_dependent_and_many_equalities);
  RUN_TEST(test_declared_blocks);
  RUN_TEST(test_same_matrices_promised);
  RUN_TEST(test_infeasible_names_the_conflict);
  RUN_TEST(test_what_is_not_proven_is_the_best_iterate);
  RUN_TEST(test_a_zero_diagonal_is_nonconvex);
  RUN_TEST(test_unbounded_ray_and_point);
  RUN_TEST(test_nonconvex_directions);
  RUN_TEST(test_warm_start_of_the_same_problem);
  RUN_TEST(test_warm_start_from_nonsense);
  RUN_TEST(test_iteration_limit);
  RUN_TEST(test_presets);
  RUN_TEST(test_same_bits_every_time);
  RUN_TEST(test_memory);
  return UNITY_END() != 0;
}
