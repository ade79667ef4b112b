/* Every problem of the oracle by both methods: status, objective, residuals, time, and the independent checker's word on the proof.
 * Reads the folder ORACLE names (default ../shared/oracle); without it the tests are skipped and say so. */
#include "qp_checker.h"
#include "qp_oracle.h"
#include "unity.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

/* Allowed for one problem; processor time, so that a busy machine does not fail it. Says nothing about builds that are slow on purpose:
 * POISE_SLOW lifts it, and so do the sanitizer and debug builds. */
#define QOT_SECONDS 2.0
static int qot_slow_build(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(PO_DEBUG)
  return 1;
#else
  return getenv("POISE_SLOW") != NULL;
#endif
}

typedef struct qot_expect {
  const char *dir, *table;
  double objective, residual; /* relative to max(1, |f|); bound on primal and dual residuals */
  int files;                  /* how many the oracle has, for the count of those skipped */
} qot_expect;

static const qot_expect qot_mm = {"mm", "mm.csv", 1e-6, 1e-6, 30};
static const qot_expect qot_edge = {"edge", "edge.csv", 1e-8, 1e-8, 11};
static const qot_expect qot_wbc = {"wbc", "wbc-qps.csv", 1e-8, 1e-9, 10};

/* 1 when right; else `why` says what is not. */
static int qot_one(const po_qp *p, const char *name, const char *status, double objective, const qot_expect *want, po_qp_method method,
                   char why[400]) {
  po_qp_opts o = po_qp_opts_preset(method, PO_QP_BALANCED);
  po_qp_solver *s = NULL;
  po_qp_result r;
  qp_checker_tol tol;
  char proof[256];
  clock_t start = clock();
  int good;
  tol.primal = o.tol_primal;
  tol.dual = o.tol_dual;
  tol.gap = 2 * o.tol_gap; /* the checker adds up absolute values, the solver's gap is a sum with signs */
  tol.ray = 2e-9;
  if (po_qp_new(&s, p->n, p->me, p->mi) != PO_OK || po_qp_solve(&r, s, p, &o, NULL) != PO_OK) {
    snprintf(why, 400, "%s: not accepted", name);
    po_qp_free(s);
    return 0;
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  snprintf(why, 400, "%s by %s: %s %.12g in %d, residuals %.1e %.1e %.1e; expected %s %.12g", name, po_qp_method_string(method),
           po_qp_status_string(r.status), r.objective, r.iterations, r.primal_residual, r.dual_residual, r.gap, status, objective);
  good = !strcmp(po_qp_status_string(r.status), status);
  /* its smallest eigenvalue is −1.3e-5: both answers are right */
  if (!strcmp(name, "VALUES") && r.status == PO_QP_NONCONVEX) good = 1;
  if (good && r.status == PO_QP_OPTIMAL && objective == objective) {
    good = fabs(r.objective - objective) <= want->objective * fmax(1, fabs(objective));
    good = good && r.primal_residual <= want->residual && r.dual_residual <= want->residual;
  }
  if (good && !qp_checker_result(p, &r, &tol, proof)) good = 0, snprintf(why, 400, "%s by %s: %s", name, po_qp_method_string(method), proof);
  if (good && seconds > QOT_SECONDS && !qot_slow_build()) good = 0, snprintf(why, 400, "%s by %s: %.2f s", name, po_qp_method_string(method), seconds);
  po_qp_free(s);
  return good;
}

static void qot_all(const qot_expect *want, po_qp_method method) {
  qo_set set;
  char why[400], first[400] = "", message[500];
  int wrong = 0, count = qo_load(&set, want->dir, want->table);
  if (count == 0) {
    snprintf(message, sizeof message, "%d problems of oracle/qp/%s skipped: no files (set ORACLE)", want->files, want->dir);
    TEST_IGNORE_MESSAGE(message);
  }
  for (int i = 0; i < count; i++) {
    const po_qp *p = &set.problem[i].file->qp;
    if (qot_one(p, set.problem[i].name, set.problem[i].status, set.problem[i].objective, want, method, why)) continue;
    printf("  %s\n", why);
    if (!wrong++) snprintf(first, sizeof first, "%s", why);
  }
  qo_free(&set);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, wrong, first);
}

static void test_mm_interior_point(void) { qot_all(&qot_mm, PO_QP_INTERIOR_POINT); }
static void test_mm_active_set(void) { qot_all(&qot_mm, PO_QP_ACTIVE_SET); }
static void test_edge_interior_point(void) { qot_all(&qot_edge, PO_QP_INTERIOR_POINT); }
static void test_edge_active_set(void) { qot_all(&qot_edge, PO_QP_ACTIVE_SET); }
static void test_wbc_interior_point(void) { qot_all(&qot_wbc, PO_QP_INTERIOR_POINT); }
static void test_wbc_active_set(void) { qot_all(&qot_wbc, PO_QP_ACTIVE_SET); }

/* Two algorithms, one answer: where x is unique (wbc: H is positive definite) they agree in x, not only in the objective. */
static void test_wbc_methods_agree(void) {
  qo_set set;
  int count = qo_load(&set, "wbc", "wbc-qps.csv");
  if (count == 0) TEST_IGNORE_MESSAGE("10 problems of oracle/qp/wbc skipped: no files (set ORACLE)");
  for (int i = 0; i < count; i++) {
    const po_qp *p = &set.problem[i].file->qp;
    po_qp_solver *a = NULL, *b = NULL;
    po_qp_result ra, rb;
    po_qp_opts oa = po_qp_opts_preset(PO_QP_ACTIVE_SET, PO_QP_BALANCED), ob = po_qp_opts_preset(PO_QP_INTERIOR_POINT, PO_QP_BALANCED);
    double worst = 0, size = 1;
    char text[200];
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&a, p->n, p->me, p->mi));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&b, p->n, p->me, p->mi));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&ra, a, p, &oa, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&rb, b, p, &ob, NULL));
    for (int j = 0; j < p->n; j++) {
      worst = fmax(worst, fabs(ra.x[j] - rb.x[j]));
      size = fmax(size, fabs(ra.x[j]));
    }
    /* both residuals are rounding (1e-14); a condition of 1.8e9 makes 1e-6 of that in x at worst */
    snprintf(text, sizeof text, "%s: x differs by %.3g of %.3g", set.problem[i].name, worst, size);
    TEST_ASSERT_TRUE_MESSAGE(worst <= 1e-6 * size, text);
    po_qp_free(a);
    po_qp_free(b);
  }
  qo_free(&set);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_mm_interior_point);
  RUN_TEST(test_mm_active_set);
  RUN_TEST(test_edge_interior_point);
  RUN_TEST(test_edge_active_set);
  RUN_TEST(test_wbc_interior_point);
  RUN_TEST(test_wbc_active_set);
  RUN_TEST(test_wbc_methods_agree);
  return UNITY_END() != 0;
}
