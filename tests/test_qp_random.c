/* Random problems built backwards from their answer, by both methods: the status is the known one, the independent checker accepts
 * the proof, warm starts end where cold ones do, and scalar code ends where AVX2 code does.
 * POISE_FULL runs 10,000 seeds a method over sizes 1 … 120; otherwise a few hundred over sizes 1 … 40.
 * POISE_SEED=n runs that seed only. */
#include "qp_checker.h"
#include "qp_generator.h"
#include "unity.h"
#include <stdio.h>

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

typedef struct qpr_tally {
  int seeds, failures, warm_extra; /* warm_extra: most iterations a warm start cost over the cold one */
  char first[400];
} qpr_tally;

static void qpr_fail(qpr_tally *t, uint64_t seed, const char *what, const char *why) {
  t->failures++;
  printf("  seed %llu: %s: %s\n", (unsigned long long)seed, what, why);
  if (t->failures == 1) snprintf(t->first, sizeof t->first, "first: seed %llu: %s: %s", (unsigned long long)seed, what, why);
}

/* Solves and checks one problem; 1 when the answer is proven and is the known one (known NULL: whatever it proves). */
static int qpr_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *o, const po_qp_warm *warm, po_qp_result *r, char why[256]) {
  qp_checker_tol tol;
  po_status status = po_qp_solve(r, s, p, o, warm);
  tol.primal = o->tol_primal;
  tol.dual = o->tol_dual;
  tol.gap = 2 * o->tol_gap; /* the checker adds up absolute values, the solver's gap is a sum with signs */
  tol.ray = 2e-9;           /* the solver's own bound is 1e-9, on slightly different norms */
  if (status != PO_OK) return snprintf(why, 256, "po_qp_solve: %s", po_status_string(status)), 0;
  return qp_checker_result(p, r, &tol, why);
}

static int qpr_same_objective(double a, double b) { return fabs(a - b) <= 1e-5 * (1 + fabs(b)); }

/* A cold answer is in r: now from there with a changed cost, warm and cold. */
static void qpr_warm(qpr_tally *t, uint64_t seed, po_qp_solver *s, qpg_problem *q, const po_qp_opts *o, po_rng *rng) {
  po_qp_result cold, warm;
  po_qp_warm start;
  char why[256];
  double objective;
  int cold_iterations, n = q->qp.n, extra;
  double *kept = (double *)malloc(sizeof(double) * (size_t)(4 * n + q->qp.me + 2 * q->qp.mi) + 64);
  for (int change = 0; change < 3; change++) { /* the same problem, a small change of the cost, a large one */
    if (change > 0 && !(q->unique || q->qp.H.a)) continue;
    for (int j = 0; j < n && change > 0; j++) q->g[j] += (change == 1 ? 0.02 : 2.0) * po_rng_normal(rng) * fabs(q->g[j]);
    if (!qpr_solve(s, &q->qp, o, NULL, &cold, why)) {
      qpr_fail(t, seed, "cold, changed cost", why);
      break;
    }
    if (cold.status != PO_QP_OPTIMAL) break; /* a singular H may make the changed cost unbounded */
    objective = cold.objective;
    cold_iterations = cold.iterations;
    if (change == 0) { /* remember the first solution: it is the warm start of all three */
      memcpy(kept, cold.x, sizeof(double) * (size_t)n);
      memcpy(kept + n, cold.w, sizeof(double) * (size_t)n);
      if (q->qp.me) memcpy(kept + 2 * n, cold.y, sizeof(double) * (size_t)q->qp.me);
      if (q->qp.mi) memcpy(kept + 2 * n + q->qp.me, cold.z, sizeof(double) * (size_t)q->qp.mi);
      memcpy(kept + 2 * n + q->qp.me + q->qp.mi, cold.active, (size_t)(n + q->qp.mi));
    }
    start.x = kept;
    start.w = kept + n;
    start.y = kept + 2 * n;
    start.z = kept + 2 * n + q->qp.me;
    start.active = (const signed char *)(kept + 2 * n + q->qp.me + q->qp.mi);
    if (!qpr_solve(s, &q->qp, o, &start, &warm, why)) qpr_fail(t, seed, "warm", why);
    else if (warm.status != PO_QP_OPTIMAL || !qpr_same_objective(warm.objective, objective)) {
      snprintf(why, sizeof why, "%s %.12g, cold %.12g", po_qp_status_string(warm.status), warm.objective, objective);
      qpr_fail(t, seed, "warm", why);
    } else if (o->method == PO_QP_INTERIOR_POINT && (extra = warm.iterations - cold_iterations) > t->warm_extra) {
      t->warm_extra = extra;
      snprintf(why, sizeof why, "%d iterations, cold %d", warm.iterations, cold_iterations);
      if (extra > 2) qpr_fail(t, seed, "warm", why);
    }
  }
  free(kept);
}

static void qpr_one(qpr_tally *t, qpg_family family, po_qp_method method, uint64_t seed, int largest_n) {
  qpg_problem q;
  po_qp_solver *s = NULL;
  po_qp_result r;
  po_qp_opts o = po_qp_opts_preset(method, PO_QP_BALANCED);
  po_rng rng;
  char why[256];
  double objective;
  qpg_make(&q, family, seed, largest_n);
  po_rng_init(&rng, seed, 9);
  t->seeds++;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qp_new(&s, q.qp.n, q.qp.me, q.qp.mi));
  if (!qpr_solve(s, &q.qp, &o, NULL, &r, why)) qpr_fail(t, seed, "cold", why);
  else if (r.status != q.status) qpr_fail(t, seed, "cold: status", po_qp_status_string(r.status));
  else if (q.status == PO_QP_OPTIMAL) {
    objective = r.objective;
    snprintf(why, sizeof why, "objective %.12g, known %.12g", objective, q.objective);
    if (!qpr_same_objective(objective, q.objective)) qpr_fail(t, seed, "cold", why);
    for (int j = 0; j < q.qp.n && q.unique; j++)
      if (fabs(r.x[j] - q.x[j]) > 1e-4 * (1 + fabs(q.x[j]))) {
        snprintf(why, sizeof why, "x[%d] = %.12g, known %.12g", j, r.x[j], q.x[j]);
        qpr_fail(t, seed, "cold", why);
        break;
      }
    if (po_set_simd(PO_SIMD_AVX2) == PO_OK) { /* the run above was AVX2's: compare with the reference */
      po_set_simd(PO_SIMD_SCALAR);
      if (!qpr_solve(s, &q.qp, &o, NULL, &r, why)) qpr_fail(t, seed, "scalar", why);
      else if (!qpr_same_objective(r.objective, objective)) qpr_fail(t, seed, "scalar", "another objective");
      po_set_simd(PO_SIMD_AUTO);
    }
    qpr_warm(t, seed, s, &q, &o, &rng);
  }
  po_qp_free(s);
  qpg_free(&q);
}

static void qpr_family(qpg_family family, po_qp_method method) {
  qpr_tally t;
  char message[600];
  int full = getenv("POISE_FULL") != NULL, count = full ? (10000 + QPG_FAMILIES - 1) / QPG_FAMILIES : 24;
  const char *only = getenv("POISE_SEED");
  memset(&t, 0, sizeof t);
  if (only) qpr_one(&t, family, method, (uint64_t)atoi(only), full ? 120 : 40);
  else
    for (int k = 0; k < count; k++) qpr_one(&t, family, method, (uint64_t)k, full ? 120 : 40);
  snprintf(message, sizeof message, "%s by %s: %d of %d seeds fail; %s", qpg_names[family], po_qp_method_string(method), t.failures, t.seeds,
           t.first);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, t.failures, message);
}

#define QPR_BOTH(name, family)                                                                     \
  static void test_interior_point_##name(void) { qpr_family(family, PO_QP_INTERIOR_POINT); } \
  static void test_active_set_##name(void) { qpr_family(family, PO_QP_ACTIVE_SET); }
QPR_BOTH(plain, QPG_PLAIN)
QPR_BOTH(singular, QPG_SINGULAR)
QPR_BOTH(lp, QPG_LP)
QPR_BOTH(degenerate, QPG_DEGENERATE)
QPR_BOTH(dependent, QPG_DEPENDENT)
QPR_BOTH(scaled, QPG_SCALED)
QPR_BOTH(fixed, QPG_FIXED)
QPR_BOTH(box, QPG_BOX)
QPR_BOTH(blocks, QPG_BLOCKS)
QPR_BOTH(vertex, QPG_VERTEX)
QPR_BOTH(far, QPG_FAR)
QPR_BOTH(infeasible, QPG_INFEASIBLE)
QPR_BOTH(infeasible_bounds, QPG_INFEASIBLE_BOUNDS)
QPR_BOTH(unbounded, QPG_UNBOUNDED)
QPR_BOTH(nonconvex, QPG_NONCONVEX)

#define QPR_RUN(name)                    \
  RUN_TEST(test_interior_point_##name); \
  RUN_TEST(test_active_set_##name)
int main(void) {
  UNITY_BEGIN();
  QPR_RUN(plain);
  QPR_RUN(singular);
  QPR_RUN(lp);
  QPR_RUN(degenerate);
  QPR_RUN(dependent);
  QPR_RUN(scaled);
  QPR_RUN(fixed);
  QPR_RUN(box);
  QPR_RUN(blocks);
  QPR_RUN(vertex);
  QPR_RUN(far);
  QPR_RUN(infeasible);
  QPR_RUN(infeasible_bounds);
  QPR_RUN(unbounded);
  QPR_RUN(nonconvex);
  return UNITY_END() != 0;
}
