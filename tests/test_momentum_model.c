/* test_momentum_model.c: the momentum model: its step against fine integration, its derivatives against differences, its scales,
 * its files. */
#include "momentum_step.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

static step_problem step;

void setUp(void) { TEST_ASSERT_TRUE(step_make(&step)); }
void tearDown(void) { free(step.memory); }

/* A state and controls that are not special in any way. */
static void somewhere(double x[12], double u[32], double lambda[12], uint64_t seed) {
  static const double size[4] = {0.3, 60, 5, 10};
  po_rng r;
  po_rng_init(&r, seed, 5);
  for (int i = 0; i < 12; i++) {
    x[i] = size[i / 3] * po_rng_normal(&r);
    lambda[i] = 10 * po_rng_normal(&r) / size[i / 3];
  }
  for (int i = 0; i < 32; i++) u[i] = po_rng_range(&r, 0, 100);
}

/* The polynomial step is the differential equation's solution: the same by 400 midpoint steps, each of which errs by dt³. */
static void test_step_is_exact(void) {
  double x[12], u[32], lambda[12], next[12], y[12], cost;
  const int parts = 400;
  somewhere(x, u, lambda, 1);
  for (int i = 0; i < STEP_FRAMES; i++)
    for (int j = 0; j < 6; j++) step.push[6 * i + j] = 20 + 3 * j;
  step.m.push = step.push;
  TEST_ASSERT_EQUAL_INT(PO_OK, step.problem.step(step.problem.user, next, &cost, 2, x, u, NULL));
  memcpy(y, x, sizeof y);
  for (int s = 0; s < parts; s++) {
    double h = step.m.dt / parts, mid[12], rate[12];
    for (int half = 0; half < 2; half++) {
      const double *at = half ? mid : y;
      double forces[24];
      po_vec3 S, T = po_v3_of(step.push + 3);
      po_momentum_forces(forces, &S, &step.m, 2, u);
      for (int i = 0; i < 8; i++)
        T = po_v3_add(
            T, po_v3_cross(po_v3_sub(po_v3_of(step.points + 3 * (step.first[2] + i)), po_v3_of(at)), po_v3_of(forces + 3 * i)));
      S = po_v3_add(S, po_v3_of(step.push));
      po_v3_to(rate, po_v3_scale(1 / step.m.mass, po_v3_of(at + 3)));
      po_v3_to(rate + 3, po_v3_addscaled(S, step.m.mass, step.m.gravity));
      po_v3_to(rate + 6, po_v3_of(at + 9));
      po_v3_to(rate + 9, T);
      for (int i = 0; i < 12; i++) mid[i] = y[i] + (half ? h : h / 2) * rate[i];
    }
    memcpy(y, mid, sizeof y);
  }
  /* truncation of the sum: dt³/24 · parts⁻² · S/M · |L| ~ 1e-12 of momenta of size 100; rounding 400 eps 100 */
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-9, next[i], y[i], "exact step against 400 midpoint steps");
}

/* Time and footholds too, and all second derivatives. */
static void test_derivatives_agree_with_differences(void) {
  const double bound =
      10 * PO_EPS * 4e4 / 8e-4; /* gradients of up to 4e4 (the cost by θ), rounded, over the step of the differences */
  for (int kind = 0; kind < 4; kind++) {
    step.m.time = (po_momentum_time)(kind % 3);
    step.m.foothold = kind >= 1 ? step.foothold : NULL;
    step.m.footholds = kind >= 1;
    step.m.push = kind >= 2 ? step.push : NULL;
    for (int i = 0; i < 6 * STEP_FRAMES; i++) step.push[i] = 10 + i % 7;
    TEST_ASSERT_TRUE(step_ready(&step));
    for (int seed = 1; seed <= 3; seed++)
      for (int frame = 0; frame <= STEP_FRAMES; frame += 3) { /* 69: the last but two; 72: the end */
        int at = frame == 69 ? 71 : frame;
        double x[12], u[32], lambda[12], p[4] = {0.1, 0.02, -0.03, 0.01};
        po_ddp_derivatives_report r;
        somewhere(x, u, lambda, (uint64_t)(100 * seed + frame));
        TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_check_derivatives(&r, &step.problem, at, x, u, p, lambda));
        if (!(r.error < bound))
          printf("kind %d frame %d: %s[%d][%d] %.17g, by differences %.17g\n", kind, at, r.block, r.row, r.column, r.given,
                 r.difference);
        TEST_ASSERT_TRUE(r.error < bound);
      }
  }
}

/* A wrong derivative must be found. */
static po_ddp_step_derivatives_fn honest;
static po_status lying(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                       const double *lambda) {
  po_status status = honest(user, d, k, x, u, p, lambda);
  PO_AT(d->Hux, 3, 2) += 0.01;
  return status;
}
static void test_checker_finds_a_wrong_derivative(void) {
  double x[12], u[32], lambda[12];
  po_ddp_derivatives_report r;
  somewhere(x, u, lambda, 3);
  honest = step.problem.step_derivatives;
  step.problem.step_derivatives = lying;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_check_derivatives(&r, &step.problem, 10, x, u, NULL, lambda));
  TEST_ASSERT_EQUAL_STRING("Hux", r.block);
  TEST_ASSERT_EQUAL_INT(3, r.row);
  TEST_ASSERT_EQUAL_INT(2, r.column);
  TEST_ASSERT_TRUE(r.error > 1e-3);
}

/* The scales of a human are the paper's weights; a body twice as tall on the same planet obeys the dimensions. */
static void test_scales_are_the_papers_for_a_human(void) {
  po_momentum_scales s = po_momentum_scales_of(78, 0.95, 9.81, 0), q = po_momentum_scales_of(78, 0.95, 9.81, 1),
                     b = po_momentum_scales_of(8 * 78, 1.9, 9.81, 0);
  TEST_ASSERT_DOUBLE_WITHIN(10, 500, s.w_track[3]);
  TEST_ASSERT_DOUBLE_WITHIN(10, 500, s.w_state[9]);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1, s.w_track[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1, s.w_state[6]);
  TEST_ASSERT_DOUBLE_WITHIN(1, 20, q.w_track[3]);
  TEST_ASSERT_DOUBLE_WITHIN(10, 200, q.w_state[9]);
  /* the same motion, all forces scaled by 8: costs of C, P, L and forces keep their proportions: w_C l², w_P (M l/T)², w_L (M
   * l²/T)² all grow by 64 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 64, b.w_track[0] * b.unit[0] * b.unit[0] / (s.w_track[0] * s.unit[0] * s.unit[0]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 64, b.w_track[3] * b.unit[3] * b.unit[3] / (s.w_track[3] * s.unit[3] * s.unit[3]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 64, b.w_state[9] * b.unit[9] * b.unit[9] / (s.w_state[9] * s.unit[9] * s.unit[9]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 64, b.w_state[6] * b.unit[6] * b.unit[6] / (s.w_state[6] * s.unit[6] * s.unit[6]));
}

/* Inverse dynamics gives the forces of the reference where the soles can: their sum is M (a − g) within the weight of even
 * spreading. */
static void test_guess_carries_the_reference(void) {
  double weight = step.m.mass * 9.81;
  for (int k = 0; k < STEP_FRAMES; k++) {
    const double *ref = step.reference + 12 * k, *next = ref + 12;
    po_vec3 sum;
    po_momentum_forces(NULL, &sum, &step.m, k, step.guess + 32 * k);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * weight, (next[5] - ref[5]) / step.m.dt + weight, sum.z);
    for (int i = 0; i < 32; i++) TEST_ASSERT_TRUE(step.guess[32 * k + i] >= 0);
  }
}

/* ---- files ---------------------------------------------------------------------------------------------------------------------
 * */

static po_buffer written(void) {
  po_buffer text = {0};
  po_momentum_write(&text, &step.m);
  return text;
}

static void test_files_read_back_to_the_same_bits(void) {
  po_buffer text, again = {0};
  po_momentum *m = NULL;
  po_error err;
  step.m.time = PO_MOMENTUM_TIME_APPEND;
  step.m.foothold = step.foothold;
  step.m.footholds = 1;
  step.m.price = step.price;
  step.m.push = step.push;
  for (int i = 0; i < STEP_FRAMES; i++) step.price[i] = 0.1 * i;
  text = written();
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_momentum_read(&m, text.data, text.size, "written", &err), err.message);
  po_momentum_write(&again, m);
  TEST_ASSERT_EQUAL_STRING(text.data, again.data);
  TEST_ASSERT_EQUAL_MEMORY(step.reference, m->reference, sizeof step.reference);
  TEST_ASSERT_EQUAL_INT(1, m->footholds);
  TEST_ASSERT_EQUAL_INT(PO_MOMENTUM_TIME_APPEND, m->time);
  po_momentum_free(m);
  po_buffer_free(&text);
  po_buffer_free(&again);
}

/* Replaces the first `what` of the written file and expects a message with `says` in it, and a line. */
static void refuses(const char *what, const char *with, const char *says) {
  po_buffer text = written(), bad = {0};
  char *at = strstr(text.data, what);
  po_momentum *m = NULL;
  po_error err;
  TEST_ASSERT_NOT_NULL_MESSAGE(at, what);
  po_buffer_add(&bad, text.data, (size_t)(at - text.data));
  po_buffer_puts(&bad, with);
  po_buffer_puts(&bad, at + strlen(what));
  memset(&err, 0, sizeof err);
  TEST_ASSERT_TRUE_MESSAGE(po_momentum_read(&m, bad.data, bad.size, "bad.json", &err) != PO_OK, says);
  TEST_ASSERT_TRUE_MESSAGE(m == NULL, says);
  if (!strstr(err.message, says)) printf("'%s' does not say '%s'\n", err.message, says);
  TEST_ASSERT_TRUE(strstr(err.message, says) != NULL);
  TEST_ASSERT_TRUE_MESSAGE(err.line > 0, says);
  TEST_ASSERT_EQUAL_STRING("bad.json", err.file);
  po_buffer_free(&text);
  po_buffer_free(&bad);
}

static void test_bad_files_are_refused_with_a_place(void) {
  po_buffer text = written();
  po_momentum *m = NULL;
  po_error err;
  refuses("\"momentum\": 1", "\"momentum\": 2", "\"momentum\": 1");
  refuses("\"mass\": 78", "\"mass\": -1", "mass");
  refuses("\"mass\": 78", "\"mass\": \"78\"", "\"mass\" must be a finite number");
  refuses("\"mass\": 78,", "", "\"mass\" is missing");
  refuses("\"w_force\": 1", "\"w_force\": 0", "w_force");
  refuses("\"start\": [", "\"start\": [1, ", "12 numbers");
  refuses("\"goal\": [", "\"goal\": [null, ", "12 numbers");
  refuses("\"reference\": [", "\"reference\": [[0, 0], ", "74 rows where 73");
  refuses("\"contacts\": [", "\"contacts\": [7, ", "list of points");
  refuses("\"contacts\": [[[", "\"contacts\": [[[1e999, ", "");
  refuses("\"rays\": [[", "\"rays\": [[0, 0, 0], [", "no direction");
  refuses("\"w_force\"", "\"time\": \"later\", \"w_force\"", "\"fixed\"");
  refuses("\"w_force\"", "\"push\": [[1]], \"w_force\"", "push");
  for (size_t cut = 0; cut < text.size - 2; cut += 97) { /* any cut is a mistake with a line */
    TEST_ASSERT_TRUE(po_momentum_read(&m, text.data, cut, "cut.json", &err) != PO_OK);
    TEST_ASSERT_TRUE(err.message[0] && m == NULL);
  }
  po_buffer_free(&text);
}

static void test_bad_models_are_refused(void) {
  po_error err;
  po_momentum m = step.m;
  m.dt = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_momentum_check(&m, &err));
  m = step.m;
  m.frames = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_momentum_check(&m, &err));
  m = step.m;
  m.goal[4] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_momentum_check(&m, &err));
  m = step.m;
  m.rays = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_momentum_check(&m, &err));
  step.points[5] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_momentum_check(&step.m, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_step_is_exact);
  RUN_TEST(test_derivatives_agree_with_differences);
  RUN_TEST(test_checker_finds_a_wrong_derivative);
  RUN_TEST(test_scales_are_the_papers_for_a_human);
  RUN_TEST(test_guess_carries_the_reference);
  RUN_TEST(test_files_read_back_to_the_same_bits);
  RUN_TEST(test_bad_files_are_refused_with_a_place);
  RUN_TEST(test_bad_models_are_refused);
  return UNITY_END() != 0;
}
