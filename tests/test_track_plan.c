/* Plans of motions: every segment of the built-in ones can be planned in a few iterations, forces within their cones, the COM near the reference. */
#include "ctrl/moves/track_plan.h"
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

#define PLAN_MU 0.8

/* Solves one segment; returns how far the planned COM is from the reference at most. */
static double plan_solve(const po_motion *m, const po_segment *g, double height, int squat, int *iterations) {
  po_momentum *plan = NULL;
  po_ddp_problem problem;
  po_ddp_result r;
  po_ddp *ddp = NULL;
  po_error err;
  void *scratch;
  double worst = 0, *u;
  po_ddp_start start;
  int k;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_track_plan(&plan, m, g->from, g->to, PLAN_MU, height, squat, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_momentum_check(plan, &err), err.message);
  scratch = po_alloc(po_momentum_problem_bytes(plan));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_momentum_problem(&problem, plan, scratch, po_momentum_problem_bytes(plan), &err),
                                err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&ddp, problem.size));
  u = po_alloc(sizeof(double) * (size_t)plan->frames * (size_t)problem.size.nu);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_momentum_guess(u, &problem, plan));
  memset(&start, 0, sizeof start);
  start.u = u;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, ddp, &problem, NULL, &start));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_DDP_OPTIMAL, r.status, plan->name);
  for (k = 0; k <= plan->frames; k++)
    worst = po_max(worst, po_v3_norm(po_v3_sub(po_v3_of(r.x + (size_t)k * 12), po_v3_of(plan->reference + (size_t)k * 12))));
  *iterations = r.iterations;
  po_free(u);
  po_ddp_free(ddp);
  po_free(scratch);
  po_momentum_free(plan);
  return worst;
}

static void plan_motion(const char *body, const char *name) {
  const po_model *model = motion_body(body);
  po_motion *m;
  po_segment g[16];
  po_data *d;
  po_error err;
  double q[64];
  int n, i, iterations;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_built_in(&m, model, name, 120, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_segments(g, &n, 16, m, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  po_neutral(q, model);
  po_kinematics(d, q, NULL);
  po_com(d);
  for (i = 0; i < n; i++) {
    double off = plan_solve(m, &g[i], d->com.z, !strcmp(name, "squat"), &iterations);
    TEST_ASSERT_LESS_THAN_INT_MESSAGE(16, iterations, name);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(0.03 * d->com.z, off,
                                         name); /* the plan may trade 3 cm of a human for less angular momentum */
  }
  po_data_free(d);
  po_motion_free(m);
  po_model_free(model);
}

static void test_built_in_motions_can_be_planned(void) {
  plan_motion("human", "walk");
  plan_motion("human", "long-step");
  plan_motion("human", "squat");
}
static void test_other_sizes_need_no_tuning(void) {
  plan_motion("child", "walk");
  plan_motion("giant", "walk");
}

/* The reference is the motion's: P is m times the COM's velocity, Φ grows by L, contacts are the planted corners. */
static void test_the_reference_is_the_motion(void) {
  const po_model *model = motion_body("human");
  po_motion *m;
  po_momentum *p = NULL;
  po_data *d;
  po_error err;
  int k, c, n;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&m, model, "walk", 120, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_track_plan(&p, m, 5, 5, 0.8, 1, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_track_plan(&p, m, 0, m->frames, 0.8, 1, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_track_plan(&p, m, 0, 20, -1, 1, 0, &err));
  TEST_ASSERT_NULL(p);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_track_plan(&p, m, 10, 60, 0.8, 1, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  TEST_ASSERT_EQUAL_INT(50, p->frames);
  for (k = 0; k < 50; k++) {
    const double *x = p->reference + (size_t)k * 12;
    po_kinematics(d, po_motion_q(m, 10 + k), po_motion_v(m, 10 + k));
    po_com(d);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0,
                              po_v3_norm(po_v3_sub(po_v3_scale(model->total_mass, d->com_velocity), po_v3_of(x + PO_MOMENTUM_P))));
    for (c = 0, n = 0; c < 8; c++) n += (int)(m->planted[10 + k] >> c & 1u);
    TEST_ASSERT_EQUAL_INT(n, p->point_count[k]);
  }
  TEST_ASSERT_EQUAL_DOUBLE(0, p->start[PO_MOMENTUM_PHI]);
  po_data_free(d);
  po_momentum_free(p);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_built_in_motions_can_be_planned);
  RUN_TEST(test_other_sizes_need_no_tuning);
  RUN_TEST(test_the_reference_is_the_motion);
  return UNITY_END() != 0;
}
