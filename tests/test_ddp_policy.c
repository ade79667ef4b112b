/* test_ddp_policy.c: the linear law of a plan against solving again: for a moved start, a moved goal, free time, moved footholds,
 * and from the middle of the plan. The law is the solution's derivative, so its error must fall a hundredfold when the move is
 * made ten times smaller. */
#include "momentum_step.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

static step_problem nominal, moved;
static po_ddp *plan, *again;
static double plan_mu[12], plan_cost;
static double scratch_memory[40000];
static po_arena scratch;

void setUp(void) {
  TEST_ASSERT_TRUE(step_make(&nominal));
  TEST_ASSERT_TRUE(step_make(&moved));
  plan = again = NULL;
  po_arena_init(&scratch, scratch_memory, sizeof scratch_memory);
}
void tearDown(void) {
  po_ddp_free(plan);
  po_ddp_free(again);
  free(nominal.memory);
  free(moved.memory);
}

static po_ddp_result solve(po_ddp **d, step_problem *s, const po_ddp_start *start) {
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_start cold;
  po_ddp_result r;
  memset(&cold, 0, sizeof cold);
  cold.u = s->guess;
  o.tol_stationarity = 1e-11; /* moves of 1e-4 with errors of 1e-8 are to be seen */
  o.tol_goal = 1e-12;
  if (!*d) TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(d, s->problem.size));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, *d, &s->problem, &o, start ? start : &cold));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  return r;
}

/* A plan whose own timing is the best, with time (and footholds) among its parameters; `moved` is its copy with time free or not.
 * */
static void make_plan(po_momentum_time time, int footholds, int free_time) {
  double price[STEP_FRAMES];
  step_problem *both[2] = {&nominal, &moved};
  for (int b = 0; b < 2; b++) {
    both[b]->m.time = time;
    both[b]->m.foothold = footholds ? both[b]->foothold : NULL;
    both[b]->m.footholds = footholds;
    TEST_ASSERT_TRUE(step_ready(both[b]));
  }
  po_ddp_result r = solve(&plan, &nominal, NULL);
  memcpy(plan_mu, r.mu, sizeof plan_mu);
  plan_cost = r.cost;
  if (time == PO_MOMENTUM_TIME_FIXED) return;
  po_ddp_policy_price(price, plan, 0, nominal.m.dt);
  for (int b = 0; b < 2; b++) {
    memcpy(both[b]->price, price, sizeof price);
    both[b]->m.price = both[b]->price;
    both[b]->free_parameters[0] = (unsigned char)free_time;
    both[b]->problem.p_free = both[b]->free_parameters;
  }
  r = solve(&plan, &nominal, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, r.p[0]); /* nothing is gained by another timing */
  for (int k = 0; k < STEP_FRAMES; k++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, po_ddp_frame_of(plan, k).Vp[0]); /* from no frame on; beside costs of 1e5 */
}

/* The law at a phase against the solution `r` that starts there: forces in units of the weight, multipliers in units of the cost,
 * the stretch. */
static double law_error(const po_ddp_result *r, const double *x, const double *goal_shift, double phase, int time, int append) {
  double u[32], dmu[12], dp[4], worst = 0, force[24], law[24];
  unsigned char free_one[4] = {1, 0, 0, 0};
  static const double zero[32];
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  o.lower = zero;
  o.time = time;
  o.append = append;
  o.p_free = time >= 0 ? free_one : NULL;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, phase, x, goal_shift, &o, &scratch));
  TEST_ASSERT_EQUAL_INT((int)phase, out.frame);
  TEST_ASSERT_EQUAL_INT(po_ddp_frame_of(plan, out.frame).nu, out.nu);
  po_momentum_forces(force, NULL, &nominal.m, out.frame, r->u);
  po_momentum_forces(law, NULL, &nominal.m, out.frame, u);
  for (int i = 0; i < 3 * nominal.count[out.frame]; i++) worst = po_max(worst, fabs(force[i] - law[i]) / (78 * 9.81));
  for (int i = 0; i < 12; i++)
    worst = po_max(worst, fabs(r->mu[i] - plan_mu[i] - dmu[i]) * nominal.problem.goal_scale[i] / plan_cost);
  if (time >= 0) worst = po_max(worst, fabs(r->p[0] - dp[0]));
  return worst;
}

static void move_state(double *x, double size) {
  static const double way[12] = {0.3, -0.5, 0.2, 0.4, 0.6, -0.3, 0.1, 0.2, -0.1, 0.3, -0.4, 0.2};
  for (int i = 0; i < 12; i++) x[i] += size * way[i] * nominal.problem.goal_scale[i];
}

static void falls_hundredfold(const double error[3], const char *what) {
  printf("  %s: %.2e %.2e %.2e\n", what, error[0], error[1], error[2]);
  for (int i = 0; i < 2; i++) TEST_ASSERT_TRUE_MESSAGE(error[i + 1] < error[i] / 60 || error[i + 1] < 1e-10, what);
}

static void moved_start(po_momentum_time time, const char *what) {
  double error[3], size = 1e-3;
  make_plan(time, 0, 1);
  for (int i = 0; i < 3; i++, size /= 10) {
    memcpy(moved.m.start, nominal.m.start, sizeof moved.m.start);
    move_state(moved.m.start, size);
    po_ddp_result r = solve(&again, &moved, NULL);
    error[i] = law_error(&r, moved.m.start, NULL, 0, time == PO_MOMENTUM_TIME_FIXED ? -1 : 0, time == PO_MOMENTUM_TIME_APPEND);
  }
  falls_hundredfold(error, what);
}
static void test_moved_start(void) { moved_start(PO_MOMENTUM_TIME_FIXED, "start moved"); }
static void test_moved_start_stretch(void) { moved_start(PO_MOMENTUM_TIME_STRETCH, "start moved, time stretches"); }
static void test_moved_start_append(void) { moved_start(PO_MOMENTUM_TIME_APPEND, "start moved, end moves in time"); }

static void moved_goal(po_momentum_time time, const char *what) {
  double error[3], size = 1e-3;
  make_plan(time, 0, 1);
  for (int i = 0; i < 3; i++, size /= 10) {
    double shift[12] = {0};
    move_state(shift, size);
    for (int j = 0; j < 12; j++) moved.m.goal[j] = nominal.m.goal[j] + shift[j];
    po_ddp_result r = solve(&again, &moved, NULL);
    error[i] = law_error(&r, nominal.m.start, shift, 0, time == PO_MOMENTUM_TIME_FIXED ? -1 : 0, time == PO_MOMENTUM_TIME_APPEND);
  }
  falls_hundredfold(error, what);
}
static void test_moved_goal(void) { moved_goal(PO_MOMENTUM_TIME_FIXED, "goal moved"); }
static void test_moved_goal_stretch(void) { moved_goal(PO_MOMENTUM_TIME_STRETCH, "goal moved, time stretches"); }

/* From the middle on: the rest of the plan, solved as a problem of its own from a moved state of frame 30. */
static void test_from_the_middle(void) {
  enum { AT = 30 };
  double error[3], size = 1e-3;
  make_plan(PO_MOMENTUM_TIME_STRETCH, 0, 1);
  moved.m.frames -= AT;
  moved.m.reference += 12 * AT;
  moved.m.point_count += AT;
  moved.m.point_first += AT;
  moved.m.price += AT;
  TEST_ASSERT_TRUE(step_ready(&moved));
  moved.problem.p_free = moved.free_parameters;
  for (int i = 0; i < 3; i++, size /= 10) {
    memcpy(moved.m.start, po_ddp_frame_of(plan, AT).x, sizeof moved.m.start);
    move_state(moved.m.start, size);
    po_ddp_result r = solve(&again, &moved, NULL);
    error[i] = law_error(&r, moved.m.start, NULL, AT, 0, 0);
  }
  falls_hundredfold(error, "state moved at frame 30");
}

/* Kp: the landing foothold is put elsewhere, with everything else as it was. */
static void test_moved_foothold(void) {
  double error[3], size = 0.01;
  make_plan(PO_MOMENTUM_TIME_FIXED, 1, 0);
  for (int i = 0; i < 3; i++, size /= 10) {
    double shift[3] = {size, -size / 2, 0}, right[12], worst = 0;
    po_ddp_frame f = po_ddp_frame_of(plan, 0);
    po_mat L;
    double l[144];
    moved.problem.p_nominal = shift;
    po_ddp_result r = solve(&again, &moved, NULL);
    /* Vmm δμ = −Vmp δp, by a Cholesky factor of −Vmm */
    L = po_mat_of(l, 12, 12, 12);
    for (int a = 0; a < 12; a++)
      for (int b = 0; b < 12; b++) l[12 * a + b] = -PO_AT(f.Vmm, a, b);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_cholesky(L, NULL, L));
    po_gemv(right, f.Vmp, shift);
    po_cholesky_solve(right, L);
    for (int j = 0; j < f.nu; j++) {
      double u = f.u[j] + po_dot(po_row(f.Kp, j), shift, 3) + po_dot(po_row(f.Km, j), right, 12);
      worst = po_max(worst, fabs(u - r.u[j]) / (78 * 9.81));
    }
    error[i] = worst;
  }
  falls_hundredfold(error, "foothold moved");
}

/* Between frames on the line, up to the very end and no farther. */
static void test_the_plan_between_frames(void) {
  double x[12];
  make_plan(PO_MOMENTUM_TIME_FIXED, 0, 0);
  for (int i = 0; i <= 12; i++) {
    double phase = STEP_FRAMES - 2 + 0.25 * i, s = po_min(phase, STEP_FRAMES);
    int k = po_min((int)s, STEP_FRAMES - 1);
    const double *a = po_ddp_frame_of(plan, k).x, *b = po_ddp_frame_of(plan, k + 1).x;
    po_ddp_policy_state(x, plan, phase);
    for (int j = 0; j < 12; j++) TEST_ASSERT_EQUAL_DOUBLE(a[j] + (s - k) * (b[j] - a[j]), x[j]);
  }
}

/* On the plan the law asks for the plan's own control; at its end and beyond for the last one. */
static void test_the_law_at_the_end(void) {
  double u[32], dmu[12], dp[4], x[12];
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  make_plan(PO_MOMENTUM_TIME_FIXED, 0, 0);
  for (int i = 0; i < 4; i++) {
    double phase = STEP_FRAMES - 1 + 0.5 * i;
    po_ddp_policy_state(x, plan, phase);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, phase, x, NULL, &o, &scratch));
    TEST_ASSERT_EQUAL_INT(STEP_FRAMES - 1, out.frame);
    for (int j = 0; j < out.nu; j++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_ddp_frame_of(plan, STEP_FRAMES - 1).u[j], u[j]);
  }
}

/* A warm solve from another state follows the old law and is done in a few sweeps; from the middle too. */
static void test_warm_solves(void) {
  po_ddp_start warm;
  po_ddp_result r, cold;
  make_plan(PO_MOMENTUM_TIME_FIXED, 0, 0);
  memset(&warm, 0, sizeof warm);
  warm.warm = 1;
  move_state(moved.m.start, 0.02); /* 2 cm, 0.12 m/s */
  cold = solve(&again, &moved, NULL);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, plan, &moved.problem, NULL, &warm));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_DOUBLE_WITHIN(1e-8 * cold.cost, cold.cost, r.cost);
  TEST_ASSERT_TRUE(r.sweeps <= 10);
  /* the same again costs one sweep and moves nothing */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, plan, &moved.problem, NULL, &warm));
  TEST_ASSERT_EQUAL_INT(0, r.iterations);
  TEST_ASSERT_EQUAL_INT(1, r.sweeps);
  /* twenty frames later, on the way: nothing to do either but to look */
  memcpy(moved.m.start, po_ddp_frame_of(plan, 20).x, sizeof moved.m.start);
  moved.m.frames -= 20;
  moved.m.reference += 240;
  moved.m.point_count += 20;
  moved.m.point_first += 20;
  TEST_ASSERT_TRUE(step_ready(&moved));
  warm.skip = 20;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, plan, &moved.problem, NULL, &warm));
  TEST_ASSERT_EQUAL_STRING("optimal", po_ddp_status_string(r.status));
  TEST_ASSERT_TRUE(r.iterations <= 1);
}

/* ---- online
 * ---------------------------------------------------------------------------------------------------------------------- */

/* Runs the model under the law from frame 0 with a push of 100 N for 0.1 s at frame 10; returns the frames it took. x: the end. */
static int run_law(double *x, double push_x, int use_index, double *force_peak) {
  unsigned char free_one[4] = {1, 0, 0, 0};
  static const double zero[32];
  double u[32], dmu[12], dp[4], phase = 0, index = 0, next[12], cost;
  po_momentum_scales scales = po_momentum_scales_of(78, 0.95, 9.81, 0);
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  int t;
  o.time = 0;
  o.append = use_index;
  o.p_free = free_one;
  o.compliance = scales.compliance;
  o.lower = zero;
  memcpy(x, nominal.m.start, 12 * sizeof(double));
  *force_peak = 0;
  moved.m.time = PO_MOMENTUM_TIME_FIXED;
  for (t = 0; phase < STEP_FRAMES - 1e-9 && t < 3 * STEP_FRAMES; t++) {
    po_vec3 sum;
    if (use_index) {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy_index(&index, &out, plan, t, index, 15, x, NULL, &o, &scratch));
      phase = index;
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, phase, x, NULL, &o, &scratch));
    if (use_index && phase >= STEP_FRAMES - 1) break;
    po_momentum_forces(NULL, &sum, &nominal.m, out.frame, u);
    *force_peak = po_max(*force_peak, po_v3_norm(sum));
    for (int k = 0; k < STEP_FRAMES; k++) moved.push[6 * k] = t >= 10 && t < 22 ? push_x : 0;
    moved.m.push = moved.push;
    TEST_ASSERT_EQUAL_INT(PO_OK, moved.problem.step(moved.problem.user, next, &cost, out.frame, x, u, NULL));
    memcpy(x, next, sizeof next);
    phase += out.rate;
  }
  return t;
}

/* Undisturbed it takes its own time; pushed back it takes longer, pushed ahead less, and ends at the goal within what the
 * compliance gives away. */
static void test_phase_runs_with_the_state(void) {
  double x[12], peak, *goal = nominal.m.goal;
  int still, back, ahead;
  make_plan(PO_MOMENTUM_TIME_STRETCH, 0, 1);
  still = run_law(x, 0, 0, &peak);
  TEST_ASSERT_EQUAL_INT(STEP_FRAMES, still);
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6 * nominal.problem.goal_scale[i], goal[i], x[i]);
  back = run_law(x, -100, 0, &peak);
  printf("  pushed back: %d frames, end off by %.4f m and %.3f m/s, peak force %.0f N\n", back, fabs(x[0] - goal[0]),
         fabs(x[3] - goal[3]) / 78, peak);
  TEST_ASSERT_TRUE(back > still && back < still + 20);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, goal[0], x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0.1 * 78, goal[3], x[3]);
  TEST_ASSERT_TRUE(peak < 3 * 78 * 9.81);
  ahead = run_law(x, 100, 0, &peak);
  printf("  pushed ahead: %d frames, end off by %.4f m and %.3f m/s, peak force %.0f N\n", ahead, fabs(x[0] - goal[0]),
         fabs(x[3] - goal[3]) / 78, peak);
  TEST_ASSERT_TRUE(ahead < still);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, goal[0], x[0]);
}

/* The paper's index: undisturbed it is the time itself; a push back makes it fall behind. */
static void test_index_of_the_paper(void) {
  double x[12], peak;
  int still, back;
  make_plan(PO_MOMENTUM_TIME_APPEND, 0, 1);
  still = run_law(x, 0, 1, &peak);
  back = run_law(x, -100, 1, &peak);
  printf("  by index: %d frames, pushed back %d\n", still, back);
  TEST_ASSERT_TRUE(still >= STEP_FRAMES - 2 && still <= STEP_FRAMES);
  TEST_ASSERT_TRUE(back > still);
}

/* A price of changing the rate brings it nearer to the plan's own, the more the higher; none is no price. */
static void test_a_price_of_haste(void) {
  static const unsigned char free_one[1] = {1};
  double x[12], u[32], dmu[12], dp[4], rate[4], weight;
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  po_momentum_scales scales = po_momentum_scales_of(78, 0.95, 9.81, 0);
  make_plan(PO_MOMENTUM_TIME_STRETCH, 0, 1);
  o.time = 0;
  o.p_free = free_one;
  o.compliance = scales.compliance;
  memcpy(x, po_ddp_frame_of(plan, 20).x, sizeof x);
  x[3] -= 78 * 0.05;
  for (int i = 0; i < 4; i++) {
    static const double share[4] = {0, 0, 1, 1e6};
    weight = share[i] * PO_AT(po_ddp_frame_of(plan, 20).Vpp, 0, 0);
    o.p_weight = i ? &weight : NULL;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, 20, x, NULL, &o, &scratch));
    rate[i] = out.rate;
  }
  TEST_ASSERT_TRUE(rate[0] < 0.99 && rate[1] == rate[0]);
  TEST_ASSERT_TRUE(rate[2] > rate[0] && rate[2] < 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, rate[3]);
}

/* A hard end near the end of the plan asks for absurd forces; compliance bounds them. */
static void test_compliance_bounds_the_forces(void) {
  double x[12], u[32], dmu[12], dp[4], hard, soft;
  static const double zero[32];
  po_momentum_scales scales = po_momentum_scales_of(78, 0.95, 9.81, 0);
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  po_vec3 sum;
  make_plan(PO_MOMENTUM_TIME_FIXED, 0, 0);
  o.lower = zero;
  memcpy(x, po_ddp_frame_of(plan, 66).x, sizeof x);
  x[4] += 78 * 0.1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, 66, x, NULL, &o, &scratch));
  po_momentum_forces(NULL, &sum, &nominal.m, 66, u);
  hard = po_v3_norm(sum);
  o.compliance = scales.compliance;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, 66, x, NULL, &o, &scratch));
  po_momentum_forces(NULL, &sum, &nominal.m, 66, u);
  soft = po_v3_norm(sum);
  TEST_ASSERT_TRUE(hard > 4 * 78 * 9.81 && soft < 2 * 78 * 9.81);
}

static void test_misuse_of_the_law(void) {
  double x[12], u[32], dmu[12], dp[4];
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&plan, nominal.problem.size));
  memcpy(x, nominal.m.start, sizeof x);
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_ddp_policy(&out, plan, 0, x, NULL, &o, &scratch));
  solve(&plan, &nominal, NULL);
  x[3] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_policy(&out, plan, 0, x, NULL, &o, &scratch));
  memcpy(x, nominal.m.start, sizeof x);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ddp_policy(&out, plan, PO_NAN, x, NULL, &o, &scratch));
  o.time = 0; /* the plan has no parameters */
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_ddp_policy(&out, plan, 0, x, NULL, &o, &scratch));
}

/* An end whose stiffness is 1/Σ + ρ on the diagonal is one whose compliance is Σ; and H is what the law's own multipliers make of a move. */
static void test_stiffness(void) {
  double u[2][32], dmu[2][12], dp[2][4], S[144] = {0}, H[144], H2[144], x[12], shift[12] = {0.02, -0.01, 0.1};
  po_momentum_scales scales;
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  unsigned char free_one[4] = {1, 0, 0, 0};
  make_plan(PO_MOMENTUM_TIME_STRETCH, 0, 1);
  scales = po_momentum_scales_of(nominal.m.mass, 0.95, 9.81, 0);
  memcpy(x, nominal.m.start, sizeof x);
  move_state(x, 0.02);
  o.time = 0;
  o.p_free = free_one;
  for (int way = 0; way < 2; way++) {
    po_ddp_policy_result out = {u[way], dmu[way], dp[way], 0, 0, 0, NULL};
    o.compliance = way ? NULL : scales.compliance;
    for (int i = 0; i < 12; i++) S[13 * i] = 1 / scales.compliance[i] + nominal.problem.goal_weight[i];
    o.stiffness = way ? S : NULL;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy(&out, plan, 0, x, shift, &o, &scratch));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_policy_hessian(way ? H2 : H, plan, 0, &o, &scratch));
  }
  for (int i = 0; i < 16; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, u[0][i], u[1][i]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, dp[0][0], dp[1][0]);
  for (int i = 0; i < 144; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (sqrt(H[13 * (i / 12)] * H[13 * (i % 12)])), H[i], H2[i]);
  for (int i = 0; i < 12; i++) TEST_ASSERT_TRUE(H[13 * i] > 0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_plan_between_frames);
  RUN_TEST(test_stiffness);
  RUN_TEST(test_moved_start);
  RUN_TEST(test_moved_start_stretch);
  RUN_TEST(test_moved_start_append);
  RUN_TEST(test_moved_goal);
  RUN_TEST(test_moved_goal_stretch);
  RUN_TEST(test_from_the_middle);
  RUN_TEST(test_moved_foothold);
  RUN_TEST(test_the_law_at_the_end);
  RUN_TEST(test_warm_solves);
  RUN_TEST(test_phase_runs_with_the_state);
  RUN_TEST(test_index_of_the_paper);
  RUN_TEST(test_a_price_of_haste);
  RUN_TEST(test_compliance_bounds_the_forces);
  RUN_TEST(test_misuse_of_the_law);
  return UNITY_END() != 0;
}
