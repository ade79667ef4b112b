/* test_ddp_box.c: the bound-constrained QP inside a frame, against po_qp and against its own optimality conditions. */
#include "ctrl/ddp/ddp_internal.h"
#include "unity.h"

#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

enum { MOST = 24 };
typedef struct box_case {
  int n;
  double h[MOST * MOST], g[MOST], lo[MOST], hi[MOST];
} box_case;

/* Condition numbers of 1 to 1e6, a third of the bounds at zero distance, some infinite. */
static void box_random(box_case *c, uint64_t seed) {
  po_rng r;
  po_rng_init(&r, seed, 9);
  c->n = 1 + po_rng_below(&r, MOST);
  memset(c->h, 0, sizeof c->h);
  for (int k = 0; k < c->n; k++) {
    double v[MOST], weight = po_exp(po_rng_range(&r, -7, 0) * (double)(seed % 2));
    for (int i = 0; i < c->n; i++) v[i] = po_rng_normal(&r);
    for (int i = 0; i < c->n; i++)
      for (int j = 0; j < c->n; j++) c->h[i * MOST + j] += weight * weight * v[i] * v[j];
  }
  for (int i = 0; i < c->n; i++) {
    c->h[i * MOST + i] += 1e-3;
    c->g[i] = po_rng_normal(&r);
    c->lo[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? -PO_INF : -po_rng_uniform(&r);
    c->hi[i] = i % 4 == 0 ? 0.3 : i % 4 == 1 ? PO_INF : po_rng_uniform(&r);
  }
}

static void test_agrees_with_po_qp(void) {
  int seeds = getenv("POISE_FULL") ? 2000 : 200;
  po_qp_solver *solver = NULL;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&solver, MOST, 0, 0));
  for (int seed = 1; seed <= seeds; seed++) {
    box_case c;
    double d[MOST] = {0}, work[3 * MOST], l[MOST * MOST], ours = 0, theirs = 0;
    signed char clamped[MOST] = {0};
    int index[MOST], free_count = 0;
    po_qp qp;
    po_qp_result r;
    char message[32];
    po_format(message, sizeof message, "seed %d", seed);
    box_random(&c, (uint64_t)seed);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK,
                                  po_ddp_box(d, clamped, index, &free_count, po_mat_of(l, c.n, c.n, MOST),
                                             po_mat_of(c.h, c.n, c.n, MOST), c.g, c.lo, c.hi, work),
                                  message);
    memset(&qp, 0, sizeof qp);
    qp.n = c.n;
    qp.H = po_mat_of(c.h, c.n, c.n, MOST);
    qp.g = c.g;
    qp.xl = c.lo;
    qp.xu = c.hi;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_solve(&r, solver, &qp, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(PO_QP_OPTIMAL, r.status);
    for (int i = 0; i < c.n; i++) {
      double hd = 0, hx = 0;
      for (int j = 0; j < c.n; j++) {
        hd += c.h[i * MOST + j] * d[j];
        hx += c.h[i * MOST + j] * r.x[j];
      }
      ours += d[i] * (0.5 * hd + c.g[i]);
      theirs += r.x[i] * (0.5 * hx + c.g[i]);
      TEST_ASSERT_TRUE_MESSAGE(d[i] >= c.lo[i] && d[i] <= c.hi[i], message);
      /* slopes vanish where free and press against the bound where not */
      TEST_ASSERT_TRUE_MESSAGE(clamped[i] == 0 ? po_abs(hd + c.g[i]) < 1e-7 : clamped[i] * (hd + c.g[i]) <= 0, message);
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9 * (1 + po_abs(theirs)), theirs, ours, message);
  }
  po_qp_free(solver);
}

static void test_says_when_not_convex(void) {
  double h[4] = {1, 0, 2, 1}, g[2] = {1, 1}, lo[2] = {-1, -1}, hi[2] = {1, 1}, d[2] = {0, 0}, l[4], work[6];
  signed char clamped[2] = {0, 0};
  int index[2], free_count;
  h[1] = 2; /* 1 2; 2 1 */
  TEST_ASSERT_EQUAL_INT(PO_ERR_SINGULAR,
                        po_ddp_box(d, clamped, index, &free_count, po_mat_of(l, 2, 2, 2), po_mat_of(h, 2, 2, 2), g, lo, hi, work));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_agrees_with_po_qp);
  RUN_TEST(test_says_when_not_convex);
  return UNITY_END() != 0;
}
