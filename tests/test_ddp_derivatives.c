/* test_ddp_derivatives.c: derivatives by differences, whole or filling what a callback leaves out; the textbook problems' own. */
#include "bench/textbook.h"
#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static void test_textbook_derivatives(void) {
  static const double spread[4] = {1, 2, 3, 1};
  for (int b = 0; b < PO_DDP_TEXTBOOK_COUNT; b++) {
    po_ddp_textbook *book;
    po_rng r;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_textbook_new(&book, po_ddp_textbook_names[b], PO_INF, NULL));
    po_rng_init(&r, 4, (uint64_t)b);
    for (int trial = 0; trial < 20; trial++) {
      double x[4], u[2], lambda[4];
      po_ddp_derivatives_report report;
      for (int i = 0; i < 4; i++) x[i] = spread[i] * po_rng_normal(&r), lambda[i] = po_rng_normal(&r);
      for (int i = 0; i < 2; i++) u[i] = po_rng_range(&r, -0.5, 0.5);
      for (int end = 0; end < 2; end++) {
        int frame = end ? book->problem.size.frames : 3;
        /* h⁴ f⁗/30 with h = 8e-4: fifth derivatives are below 1e3, but 0.01⁻⁴ where the car's end cost rounds its corners at 0.01
         * */
        double bound = end && strcmp(po_ddp_textbook_names[b], "car") == 0 ? 1e-4 : 1e-9;
        TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_check_derivatives(&report, &book->problem, frame, x, u, NULL, lambda));
        if (!(report.error < bound))
          printf("%s: %s[%d][%d] %.17g %.17g\n", po_ddp_textbook_names[b], report.block, report.row, report.column, report.given,
                 report.difference);
        TEST_ASSERT_TRUE(report.error < bound);
      }
    }
    po_ddp_textbook_free(book);
  }
}

/* ---- what is left out is filled
 * -------------------------------------------------------------------------------------------------- */

static unsigned offered; /* what the wrapped callback passes on */
static po_ddp_textbook *book;
static po_status some(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                      const double *lambda) {
  po_status status = book->problem.step_derivatives(user, d, k, x, u, p, lambda);
  if (!(offered & PO_DDP_GIVEN_F)) po_mat_zero(d->fx), po_mat_zero(d->fu);
  if (!(offered & PO_DDP_GIVEN_L)) memset(d->lx, 0, 4 * sizeof(double)), d->lu[0] = 0;
  if (!(offered & PO_DDP_GIVEN_H)) po_mat_zero(d->Hxx), po_mat_zero(d->Hux), po_mat_zero(d->Huu);
  d->given = offered;
  return status;
}

/* The same answer whatever is left out. Second derivatives of values are good to 1e-6, which slows the end a little and changes
 * nothing else. */
static void test_missing_ones_are_filled(void) {
  po_ddp *solver;
  po_ddp_result r;
  po_ddp_start start;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_textbook_new(&book, "cart-pole", PO_INF, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&solver, book->problem.size));
  for (offered = 0; offered <= PO_DDP_GIVEN_ALL; offered++) {
    po_ddp_problem p = book->problem;
    po_ddp_opts o = po_ddp_opts_default();
    memset(&start, 0, sizeof start);
    start.u = book->guess;
    p.step_derivatives = some;
    if (offered == 0) p.step_derivatives = NULL, p.end_derivatives = NULL;
    o.tol_stationarity = 1e-7; /* of a gradient by differences, 1e-11 each, summed over 100 frames that double errors in ten */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, solver, &p, &o, &start));
    TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1.46204192, r.cost);
  }
  po_ddp_free(solver);
  po_ddp_textbook_free(book);
}

static po_status nan_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  (void)p;
  next[0] = x[0] > 0.5 ? PO_NAN : x[0] + u[0];
  *cost = u[0] * u[0];
  return PO_OK;
}
static void test_nan_is_reported(void) {
  po_ddp_problem p;
  double start = 0.4999, u = 0, mem[512];
  po_ddp_derivatives d;
  po_arena a;
  double fx[1], fu[1], lx[1], lu[1], hxx[1], hux[1], huu[1];
  memset(&p, 0, sizeof p);
  p.size.frames = p.size.nx = p.size.nu = 1;
  p.start = &start;
  p.step = nan_step;
  memset(&d, 0, sizeof d);
  d.fx = po_mat_of(fx, 1, 1, 1), d.fu = po_mat_of(fu, 1, 1, 1), d.lx = lx, d.lu = lu;
  d.Hxx = po_mat_of(hxx, 1, 1, 1), d.Hux = po_mat_of(hux, 1, 1, 1), d.Huu = po_mat_of(huu, 1, 1, 1);
  po_arena_init(&a, mem, sizeof mem);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_differences(&d, &p, 0, &start, &u, NULL, NULL, &a));
  start = 0.3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_differences(&d, &p, 0, &start, &u, NULL, NULL, &a));
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, fx[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, fu[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, huu[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, hxx[0]);
  TEST_ASSERT_EQUAL_UINT(PO_DDP_GIVEN_ALL, d.given);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_textbook_derivatives);
  RUN_TEST(test_missing_ones_are_filled);
  RUN_TEST(test_nan_is_reported);
  return UNITY_END() != 0;
}
