/* The solver object: what the door refuses, options, memory given by the caller, and results that survive bad calls. */
#include "qp/qp.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double h[9], g[3], a[3], b[1], c[6], cl[2], cu[2], xl[3], xu[3];
static po_qp p;
static po_qp_solver *solver;
static po_qp_result result;

void setUp(void) {
  static const double H[9] = {2, 0, 0, 0, 2, 1, 0, 1, 2}, G[3] = {-1, -2, -3}, A[3] = {1, 1, 1}, C[6] = {1, 0, 0, 0, 1, -1};
  memcpy(h, H, sizeof h); memcpy(g, G, sizeof g); memcpy(a, A, sizeof a); memcpy(c, C, sizeof c);
  b[0] = 1; cl[0] = -1; cl[1] = -PO_INF; cu[0] = 2; cu[1] = 0.5;
  xl[0] = xl[1] = xl[2] = -3; xu[0] = xu[1] = xu[2] = 3;
  memset(&p, 0, sizeof p);
  p.n = 3; p.me = 1; p.mi = 2;
  p.H = po_mat_of(h, 3, 3, 3); p.A = po_mat_of(a, 1, 3, 3); p.C = po_mat_of(c, 2, 3, 3);
  p.g = g; p.b = b; p.cl = cl; p.cu = cu; p.xl = xl; p.xu = xu;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&solver, 3, 1, 2));
}
void tearDown(void) { po_qp_free(solver); }

static void refused(po_status status, const char *what) {
  po_qp_result before, after;
  memset(&before, 0x5a, sizeof before);
  after = before;
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_qp_solve(&after, solver, &p, NULL, NULL), what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(&before, &after, sizeof after), "a refused call must leave the result alone");
}

static void test_both_methods_solve_it(void) {
  po_qp_opts o = po_qp_opts_default();
  double objective;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
  objective = result.objective;
  o.method = PO_QP_INTERIOR_POINT;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, &o, NULL));
  TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, objective, result.objective);
}

static void test_not_a_number_anywhere_is_refused(void) {
  double *const where[] = {&h[4], &g[1], &a[2], &b[0], &c[3], &cl[0], &cu[1], &xl[2], &xu[0], &p.constant};
  int i;
  for (i = 0; i < 10; i++) {
    double kept = *where[i];
    char what[32];
    snprintf(what, sizeof what, "place %d", i);
    *where[i] = PO_NAN;
    refused(PO_ERR_NOT_FINITE, what);
    if (i < 5 || i == 9) {
      *where[i] = PO_INF;
      refused(PO_ERR_NOT_FINITE, what);
    }
    *where[i] = kept;
  }
}

static void test_bounds_that_cross_are_refused(void) {
  cl[0] = 3;
  refused(PO_ERR_BOUNDS, "cl > cu");
  cl[0] = -1;
  xl[1] = 4;
  refused(PO_ERR_BOUNDS, "xl > xu");
  xl[1] = PO_INF;
  xu[1] = PO_INF;
  refused(PO_ERR_BOUNDS, "xl = +inf");
  xl[1] = -3;
  cu[1] = -1e25;
  refused(PO_ERR_BOUNDS, "cu = -inf");
}

static void test_sizes_that_do_not_fit_are_refused(void) {
  p.n = 0;
  refused(PO_ERR_SIZE, "no variables");
  p.n = -1;
  refused(PO_ERR_SIZE, "negative");
  p.n = 4;
  refused(PO_ERR_SIZE, "larger than the solver");
  p.n = 3;
  p.mi = -1;
  refused(PO_ERR_SIZE, "negative rows");
  p.mi = 2;
  p.H.cols = 2;
  refused(PO_ERR_SIZE, "H not square");
  p.H.cols = 3;
  p.A.rows = 2;
  refused(PO_ERR_SIZE, "A has other rows");
  p.A.rows = 1;
  p.C.ld = 2;
  refused(PO_ERR_SIZE, "ld < cols");
  p.C.ld = 3;
  p.C.a = NULL;
  refused(PO_ERR_NULL, "C missing");
  p.C.a = c;
  p.b = NULL;
  refused(PO_ERR_NULL, "b missing");
  p.b = b;
  p.cu = NULL;
  refused(PO_ERR_NULL, "cu missing");
}

static void test_blocks_that_do_not_add_up_are_refused(void) {
  static const int bad[][3] = {{1, 1, 2}, {0, 3, 0}, {-3, 1, 0}, {4, -1, 0}};
  static const int good[2] = {-1, 2};
  int i;
  for (i = 0; i < 4; i++) {
    p.h_blocks = bad[i];
    p.h_block_count = i == 0 ? 3 : 2;
    refused(PO_ERR_SIZE, "blocks");
  }
  p.h_blocks = good;
  p.h_block_count = 2;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
  p.h_blocks = NULL;
  refused(PO_ERR_NULL, "a count without blocks");
}

static void test_options_out_of_range_are_refused(void) {
  po_qp_opts o;
  int i;
  for (i = 0; i < 8; i++) {
    o = po_qp_opts_default();
    if (i == 0) o.tol_primal = 0;
    if (i == 1) o.tol_dual = -1;
    if (i == 2) o.tol_gap = PO_NAN;
    if (i == 3) o.max_iterations = -1;
    if (i == 4) o.refine = -1;
    if (i == 5) o.method = (po_qp_method)7;
    if (i == 6) o.tol_primal = PO_INF;
    if (i == 7) o.tol_gap = 1;
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_qp_solve(&result, solver, &p, &o, NULL));
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qp_solve(&result, NULL, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qp_solve(&result, solver, NULL, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qp_solve(NULL, solver, &p, NULL, NULL));
}

static void test_presets_solve_and_differ(void) {
  int m, q;
  for (m = 0; m < 2; m++)
    for (q = 0; q < 3; q++) {
      po_qp_opts o = po_qp_opts_preset((po_qp_method)m, (po_qp_preset)q);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, &o, NULL));
      TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
      TEST_ASSERT_TRUE(result.primal_residual <= o.tol_primal && result.dual_residual <= o.tol_dual && result.gap <= o.tol_gap);
    }
  TEST_ASSERT_TRUE(po_qp_opts_preset(PO_QP_ACTIVE_SET, PO_QP_FAST).tol_dual > po_qp_opts_preset(PO_QP_ACTIVE_SET, PO_QP_ROBUST).tol_dual);
}

/* Rows, bounds, cost and H may all be absent. */
static void test_nothing_but_variables(void) {
  int m;
  for (m = 0; m < 2; m++) {
    po_qp_opts o = po_qp_opts_preset((po_qp_method)m, PO_QP_BALANCED);
    memset(&p, 0, sizeof p);
    p.n = 2;
    p.constant = 7;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, &o, NULL));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
    TEST_ASSERT_EQUAL_DOUBLE(7, result.objective);
    p.g = g;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, &o, NULL));
    TEST_ASSERT_EQUAL_STRING("unbounded", po_qp_status_string(result.status));
    p.xl = xl;
    p.xu = xu;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, &o, NULL));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 7 - 9, result.objective);
  }
}

static void test_memory_of_the_caller(void) {
  size_t bytes = po_qp_bytes(3, 1, 2);
  char *block = (char *)malloc(bytes + 64);
  po_qp_solver *mine = NULL;
  int shift, i;
  TEST_ASSERT_EQUAL_INT(0, po_qp_bytes(0, 1, 1));
  TEST_ASSERT_EQUAL_INT(0, po_qp_bytes(1, -1, 1));
  TEST_ASSERT_EQUAL_INT(0, po_qp_bytes(2000000000, 2000000000, 2000000000));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qp_init(&mine, 0, 0, 0, block, bytes));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qp_init(&mine, 3, 1, 2, block, bytes - 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qp_init(&mine, 3, 1, 2, NULL, bytes));
  TEST_ASSERT_NULL(mine);
  for (shift = 0; shift < 32; shift += 8) { /* any start address, and not a byte beyond */
    memset(block, 0x77, bytes + 64);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_init(&mine, 3, 1, 2, block + shift, bytes));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, mine, &p, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
    for (i = 0; i < 32; i++) TEST_ASSERT_EQUAL_INT(0x77, block[bytes + (size_t)shift + (size_t)i]);
    po_qp_free(mine); /* owns nothing: nothing happens */
  }
  free(block);
}

static void test_smaller_problems_in_a_larger_solver(void) {
  po_qp_solver *large = NULL;
  double objective;
  po_qp_warm last;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, solver, &p, NULL, NULL));
  objective = result.objective;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&large, 50, 20, 30));
  last = po_qp_last(large);
  TEST_ASSERT_NULL(last.x);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, large, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_DOUBLE(objective, result.objective);
  p.mi = 1; /* another size: promises about the last solve count for nothing */
  p.C.rows = 1;
  p.same_H = p.same_rows = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&result, large, &p, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, result.status);
  po_qp_free(large);
  po_qp_free(NULL);
}

static void test_strings(void) {
  int i;
  static const char *const words[] = {"optimal", "infeasible", "unbounded", "nonconvex", "iteration_limit", "numerical"};
  for (i = 0; i < 6; i++) TEST_ASSERT_EQUAL_STRING(words[i], po_qp_status_string((po_qp_status)i));
  TEST_ASSERT_EQUAL_STRING("active_set", po_qp_method_string(PO_QP_ACTIVE_SET));
  TEST_ASSERT_EQUAL_STRING("interior_point", po_qp_method_string(PO_QP_INTERIOR_POINT));
  TEST_ASSERT_NOT_NULL(po_qp_status_string((po_qp_status)99));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_both_methods_solve_it);
  RUN_TEST(test_not_a_number_anywhere_is_refused);
  RUN_TEST(test_bounds_that_cross_are_refused);
  RUN_TEST(test_sizes_that_do_not_fit_are_refused);
  RUN_TEST(test_blocks_that_do_not_add_up_are_refused);
  RUN_TEST(test_options_out_of_range_are_refused);
  RUN_TEST(test_presets_solve_and_differ);
  RUN_TEST(test_nothing_but_variables);
  RUN_TEST(test_memory_of_the_caller);
  RUN_TEST(test_smaller_problems_in_a_larger_solver);
  RUN_TEST(test_strings);
  return UNITY_END() != 0;
}
