/* test_tune.c: a search finds what is known, within its bounds, always by the same points, and says when it is at rest. */
#include "ctrl/plan/plan.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

#define MOST 100
#define POINTS 4096

static double cost[POINTS * PO_TUNE_COSTS], violation[POINTS];
static po_error err;

static double sphere(const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += (x[i] - 1) * (x[i] - 1);
  return s;
}
static double ellipsoid(const double *x, int n) { /* condition 1e6, turned: neighbours are mixed */
  double s = 0;
  int i;
  for (i = 0; i < n; i++) {
    double d = x[i] + 0.5 * x[(i + 1) % n] - 1.5;
    s += po_pow(1e6, (double)i / (n - 1)) * d * d;
  }
  return s;
}
static double rosenbrock(const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i + 1 < n; i++) s += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1 - x[i]) * (1 - x[i]);
  return s;
}
static double rastrigin(const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += 10 * (1 - po_cos(2 * PO_PI * (x[i] - 1))) + (x[i] - 1) * (x[i] - 1);
  return s;
}

static void boxes(po_tune_unknown *u, int n, double lower, double upper, double start) {
  int i;
  memset(u, 0, sizeof *u * (size_t)n);
  for (i = 0; i < n; i++) u[i].lower = lower, u[i].upper = upper, u[i].start = start;
}
static po_tune *make(const po_tune_unknown *u, int n, const po_tune_opts *o) {
  po_tune *t;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_tune_new(&t, u, n, o, &err), err.message);
  return t;
}
/* One generation; how many points it had. */
static int generation(po_tune *t, double (*f)(const double *, int), int n) {
  int i, count = po_tune_ask(t);
  TEST_ASSERT_TRUE(count <= POINTS);
  for (i = 0; i < count; i++) cost[i] = f(po_tune_point(t, i), n);
  if (count) TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(t, cost, NULL, &err));
  return count;
}
/* Evaluations until the cost is below 1e-8. */
static long until(po_tune *t, double (*f)(const double *, int), int n, long budget) {
  while (po_tune_state(t).evaluations < budget && generation(t, f, n))
    if (po_tune_best(t, 0)->cost[0] < 1e-8) return po_tune_state(t).evaluations;
  return budget + 1;
}

/* Twice the medians of bench/peers/tune.py: 1450 and 4000 evaluations in ten unknowns. Rastrigin's hollows want restarts: in five unknowns 7000 to 34000. */
static void test_cma_finds_the_optimum_in_the_evaluations_that_it_is_known_for(void) {
  po_tune_unknown u[10];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  boxes(u, 10, -5, 5, -3);
  t = make(u, 10, &o);
  TEST_ASSERT_TRUE(until(t, sphere, 10, 10000) < 2880);
  po_tune_free(t);
  t = make(u, 10, &o);
  TEST_ASSERT_TRUE(until(t, ellipsoid, 10, 20000) < 8000);
  TEST_ASSERT_TRUE(po_tune_state(t).condition > 100); /* it has learnt the shape: 1000 is the whole truth */
  po_tune_free(t);
  t = make(u, 5, &o);
  TEST_ASSERT_TRUE(until(t, rastrigin, 5, 100000) < 60000);
  TEST_ASSERT_TRUE(po_tune_state(t).restarts >= 1);
  po_tune_free(t);
}

static void test_the_diagonal_learns_many_scales(void) {
  static po_tune_unknown u[MOST];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  int i;
  boxes(u, MOST, -5, 5, -3);
  for (i = 0; i < MOST; i++) u[i].scale = i % 2 ? 1 : 0.01; /* wrong by a hundred */
  t = make(u, MOST, &o);
  TEST_ASSERT_TRUE(until(t, sphere, MOST, 100000) < 60000);
  po_tune_free(t);
}

static void test_nelder_mead_and_random_are_what_they_are(void) {
  po_tune_unknown u[2];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  boxes(u, 2, -5, 5, -1.2);
  u[1].start = 1;
  o.method = PO_TUNE_NELDER_MEAD;
  t = make(u, 2, &o);
  TEST_ASSERT_TRUE(until(t, rosenbrock, 2, 2000) < 400); /* Nelder and Mead's own paper: some 150 to a tenth of it */
  po_tune_free(t);
  o.method = PO_TUNE_RANDOM;
  t = make(u, 2, &o);
  TEST_ASSERT_TRUE(until(t, sphere, 2, 2000) > 2000);
  TEST_ASSERT_TRUE(po_tune_best(t, 0)->cost[0] < 0.5); /* of 2000 points in 100 m², one in a circle of 1.6 m² */
  po_tune_free(t);
}

/* ---- bounds, whole numbers, logarithms ---- */

static double far_corner(const double *x, int n) { /* wants to be outside of all bounds */
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s -= x[i];
  return s;
}

static void test_points_stay_within_bounds_and_whole_numbers_are_whole(void) {
  po_tune_unknown u[4];
  po_tune *t;
  int g, i, k, seen[7] = {0};
  boxes(u, 4, 0, 1, 0.5);
  u[1].lower = -3.5, u[1].upper = 3.2, u[1].start = 0, u[1].integer = 1;
  u[2].lower = 0.001, u[2].upper = 10, u[2].start = PO_NAN; /* a logarithm: in the middle is 0.1 */
  u[3].lower = 2, u[3].upper = PO_INF, u[3].start = 3, u[3].scale = 1;
  t = make(u, 4, NULL);
  for (g = 0; g < 100; g++) {
    int count = po_tune_ask(t);
    for (k = 0; k < count; k++) {
      const double *x = po_tune_point(t, k);
      TEST_ASSERT_TRUE(x[0] >= 0 && x[0] <= 1 && x[1] >= -3 && x[1] <= 3 && x[2] >= 0.001 && x[2] <= 10 * (1 + 1e-15) && x[3] >= 2);
      TEST_ASSERT_EQUAL_DOUBLE(floor(x[1]), x[1]);
      seen[(int)x[1] + 3]++;
    }
    if (g == 0) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, po_tune_point(t, count - 1)[2]); /* the start is tried with the first generation */
    TEST_ASSERT_EQUAL_PTR(NULL, po_tune_point(t, count));
    generation(t, far_corner, 3);
  }
  for (i = 3; i < 7; i++) TEST_ASSERT_TRUE(seen[i] > 0);
  TEST_ASSERT_TRUE(po_tune_best(t, 0)->x[0] > 0.99 && po_tune_best(t, 0)->x[1] == 3 && po_tune_best(t, 0)->x[2] > 9);
  po_tune_free(t);
}

static double steps_of_seven(const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += (x[i] - 7) * (x[i] - 7);
  return s;
}
/* Without a least deviation all points would come to be one, and the search would rest beside the optimum. */
static void test_whole_numbers_are_found_from_afar(void) {
  po_tune_unknown u[5];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  int i;
  o.restarts = 0;
  boxes(u, 5, -100, 100, -60);
  for (i = 0; i < 5; i++) u[i].integer = 1;
  t = make(u, 5, &o);
  TEST_ASSERT_TRUE(until(t, steps_of_seven, 5, 5000) <= 5000);
  po_tune_free(t);
}

/* ---- rules ---- */

static void test_what_breaks_a_rule_comes_after_all_that_does_not(void) {
  po_tune_unknown u[3];
  po_tune *t;
  int g, k;
  boxes(u, 3, -5, 5, -4);
  t = make(u, 3, NULL);
  for (g = 0; g < 300; g++) { /* least x1 + x2 + x3 within a ball */
    int count = po_tune_ask(t);
    for (k = 0; k < count; k++) {
      const double *x = po_tune_point(t, k);
      cost[k] = x[0] + x[1] + x[2];
      violation[k] = po_max(0, x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 3);
      if (k == 1) cost[k] = PO_NAN; /* and one that has no cost */
      if (k == 2) violation[k] = PO_NAN;
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(t, cost, violation, &err));
  }
  TEST_ASSERT_EQUAL_DOUBLE(0, po_tune_best(t, 0)->violation);
  TEST_ASSERT_DOUBLE_WITHIN(1e-2, -3, po_tune_best(t, 0)->cost[0]); /* (−1, −1, −1); at a rule half of all points are lost, and steps shrink before they arrive */
  po_tune_free(t);
}

/* ---- the same again ---- */

static void points_are_equal(po_tune *a, po_tune *b, int n) {
  int i, count = po_tune_ask(a);
  TEST_ASSERT_EQUAL_INT(count, po_tune_ask(b));
  for (i = 0; i < count; i++) {
    TEST_ASSERT_EQUAL_MEMORY(po_tune_point(a, i), po_tune_point(b, i), sizeof(double) * (size_t)n);
    TEST_ASSERT_EQUAL_INT(po_tune_draw(a, i), po_tune_draw(b, i));
  }
}

/* Saved after any generation, asked or not, restored into one that was somewhere else: the same points from there on. */
static void resumed(po_tune_method method, int costs, int repeats, int n) {
  static po_tune_unknown u[MOST];
  po_tune_opts o = po_tune_opts_default();
  po_tune *a, *b;
  size_t bytes;
  char *state;
  int g, k, i, before[] = {0, 1, 7, 60};
  boxes(u, n, -5, 5, -3);
  o.method = method;
  o.costs = costs;
  o.repeats = repeats;
  o.restarts = 3;
  for (k = 0; k < 4; k++) {
    int asked = k % 2;
    a = make(u, n, &o);
    b = make(u, n, &o);
    bytes = po_tune_save_bytes(a);
    TEST_ASSERT_NOT_NULL(state = po_alloc(bytes));
    for (g = 0; g < before[k] + 40; g++) {
      int count = po_tune_ask(a);
      if (g == before[k] && !asked) TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_save(state, bytes, a));
      if (g == before[k] && asked) TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_save(state, bytes, a));
      if (g == before[k]) TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_restore(b, state, bytes));
      if (g >= before[k]) points_are_equal(a, b, n);
      for (i = 0; i < count; i++) {
        cost[i * costs] = rastrigin(po_tune_point(a, i), n);
        if (costs > 1) cost[i * costs + 1] = far_corner(po_tune_point(a, i), n);
      }
      TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(a, cost, NULL, &err));
      if (g >= before[k]) TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(b, cost, NULL, &err));
    }
    TEST_ASSERT_EQUAL_DOUBLE(po_tune_best(a, 0)->cost[0], po_tune_best(b, 0)->cost[0]);
    po_free(state);
    po_tune_free(a);
    po_tune_free(b);
  }
}
static void test_a_restored_search_goes_on_by_the_same_points(void) {
  resumed(PO_TUNE_CMA, 1, 1, 3);
  resumed(PO_TUNE_CMA, 1, 20, 3);
  resumed(PO_TUNE_CMA, 1, 1, 70);
  resumed(PO_TUNE_CMA, 2, 1, 3);
  resumed(PO_TUNE_NELDER_MEAD, 1, 1, 3);
  resumed(PO_TUNE_RANDOM, 1, 1, 3);
}

static void test_a_state_of_another_search_is_refused(void) {
  po_tune_unknown u[2];
  po_tune_opts o = po_tune_opts_default();
  po_tune *a, *b;
  size_t bytes;
  char *state;
  boxes(u, 2, -5, 5, 0);
  a = make(u, 2, &o);
  bytes = po_tune_save_bytes(a);
  TEST_ASSERT_NOT_NULL(state = po_alloc(bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_save(state, bytes, a));
  o.seed = 2;
  b = make(u, 2, &o);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_tune_restore(b, state, bytes));
  po_tune_free(b);
  o.seed = 1;
  u[1].upper = 6;
  b = make(u, 2, &o);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_tune_restore(b, state, bytes));
  state[bytes / 2] ^= 1;
  TEST_ASSERT_TRUE(po_tune_restore(a, state, bytes) != PO_OK);
  po_free(state);
  po_tune_free(a);
  po_tune_free(b);
}

static void test_seeds_are_apart_and_asking_changes_nothing(void) {
  po_tune_unknown u[3];
  po_tune_opts o = po_tune_opts_default();
  po_tune *a, *b;
  boxes(u, 3, -5, 5, 0);
  a = make(u, 3, &o);
  b = make(u, 3, &o);
  po_tune_ask(a);
  points_are_equal(a, b, 3);
  TEST_ASSERT_TRUE(memcmp(po_tune_point(a, 0), po_tune_point(a, 1), 3 * sizeof(double)) != 0);
  po_tune_free(b);
  o.seed = 2;
  b = make(u, 3, &o);
  po_tune_ask(b);
  TEST_ASSERT_TRUE(memcmp(po_tune_point(a, 0), po_tune_point(b, 0), 3 * sizeof(double)) != 0);
  po_tune_free(a);
  po_tune_free(b);
}

/* ---- noise ---- */

/* Noise of a size that follows from the draw alone, averaged as asked. */
static long noisy(po_tune *t, double noise, int n, int generations, int *most) {
  long draws = 0;
  int g, i, k;
  for (*most = g = 0; g < generations; g++) {
    int count = po_tune_ask(t), repeats = po_tune_state(t).repeats;
    *most = repeats > *most ? repeats : *most;
    for (i = 0; i < count; i++) {
      double sum = 0;
      for (k = 0; k < repeats; k++) {
        po_rng rng;
        po_rng_init(&rng, 99, (uint64_t)(po_tune_draw(t, i) + k) * 64 + (uint64_t)(i % 64));
        sum += po_rng_normal(&rng);
      }
      cost[i] = sphere(po_tune_point(t, i), n) + noise * sum / repeats;
      draws += repeats;
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(t, cost, NULL, &err));
  }
  return draws;
}

static void test_noise_asks_for_more_draws_and_its_absence_for_none(void) {
  po_tune_unknown u[5];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  int most;
  double with, without;
  boxes(u, 5, -5, 5, -3);
  o.repeats = 100;
  t = make(u, 5, &o);
  noisy(t, 0, 5, 60, &most);
  TEST_ASSERT_EQUAL_INT(1, most);
  po_tune_free(t);
  t = make(u, 5, &o);
  noisy(t, 0.1, 5, 150, &most);
  TEST_ASSERT_TRUE(most > 10);
  with = sphere(po_tune_centre(t), 5);
  po_tune_free(t);
  o.repeats = 1;
  t = make(u, 5, &o);
  noisy(t, 0.1, 5, 150, &most);
  without = sphere(po_tune_centre(t), 5);
  po_tune_free(t);
  TEST_ASSERT_TRUE(with < 0.02);
  TEST_ASSERT_TRUE(with < without);
}

/* ---- several costs ---- */

static void test_hypervolumes_are_those_of_boxes(void) {
  static const double two[] = {1, 3, 2, 2, 3, 1, 2.5, 2.5, 9, 0}, ref2[] = {4, 4};
  static const double three[] = {0, 0, 1, 0, 1, 0, 1, 0, 0}, ref3[] = {2, 2, 2};
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 6, po_tune_hypervolume(two, 5, 2, ref2)); /* 3 + 2 + 1; one is dominated, one lies beyond */
  /* each box is 2·2·1 large; two of them share 2·1·1, all three 1: 12 − 6 + 1 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 7, po_tune_hypervolume(three, 3, 3, ref3));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 3, po_tune_hypervolume(two, 2, 1, ref2));
  TEST_ASSERT_EQUAL_DOUBLE(0, po_tune_hypervolume(two, 0, 2, ref2));
}

/* |x|² and |x − 2e|²: the front is the way between both optima, f2 = (√n·2 − √f1)². */
static void test_a_front_spreads_over_what_is_best(void) {
  po_tune_unknown u[4];
  po_tune_opts o = po_tune_opts_default();
  const po_tune_found *p;
  po_tune *t;
  double told[64][2], ref[2] = {16, 16}, exact = 0, last = -1;
  int g, i, k, n = 0;
  boxes(u, 4, -10, 10, 8);
  o.costs = 2;
  t = make(u, 4, &o);
  TEST_ASSERT_NULL(po_tune_best(t, 0));
  for (g = 0; g < 120; g++) {
    int count = po_tune_ask(t);
    for (i = 0; i < count; i++) {
      const double *x = po_tune_point(t, i);
      for (cost[2 * i] = cost[2 * i + 1] = k = 0; k < 4; k++) {
        cost[2 * i] += x[k] * x[k];
        cost[2 * i + 1] += (x[k] - 2) * (x[k] - 2);
      }
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_tune_tell(t, cost, NULL, &err));
  }
  for (; (p = po_tune_best(t, n)) != NULL; n++) {
    told[n][0] = p->cost[0];
    told[n][1] = p->cost[1];
    TEST_ASSERT_TRUE(p->cost[0] > last); /* in order, none twice */
    last = p->cost[0];
    TEST_ASSERT_DOUBLE_WITHIN(0.3, 4, sqrt(p->cost[0]) + sqrt(p->cost[1]));
  }
  TEST_ASSERT_TRUE(n >= 12);
  for (i = 0; i < 1000; i++) exact += (16 - (4 - 4 * sqrt((i + 0.5) / 1000)) * (4 - 4 * sqrt((i + 0.5) / 1000))) * 16 / 1000;
  /* sixteen steps leave out a sixteenth of the area at the ends' slopes: nine tenths is what a spread front has */
  TEST_ASSERT_TRUE(po_tune_hypervolume(&told[0][0], n, 2, ref) > 0.9 * exact && po_tune_hypervolume(&told[0][0], n, 2, ref) < exact);
  po_tune_free(t);
}

/* ---- rest, and misuse ---- */

static double flat(const double *x, int n) { return 0 * x[0] * n; }
static void test_a_search_that_learns_nothing_comes_to_rest(void) {
  po_tune_unknown u[2];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  boxes(u, 2, -5, 5, 0);
  o.restarts = 1;
  t = make(u, 2, &o);
  while (po_tune_state(t).evaluations < 5000 && generation(t, flat, 2)) {}
  TEST_ASSERT_TRUE(po_tune_state(t).evaluations < 5000);
  TEST_ASSERT_EQUAL_INT(1, po_tune_state(t).restarts);
  TEST_ASSERT_EQUAL_INT(0, po_tune_ask(t));
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_tune_tell(t, cost, NULL, &err));
  po_tune_free(t);
}

static void refused(po_status expected, const char *words, const po_tune_unknown *u, int n, const po_tune_opts *o) {
  po_tune *t;
  TEST_ASSERT_EQUAL_INT(expected, po_tune_new(&t, u, n, o, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, words), err.message);
  TEST_ASSERT_NULL(t);
}

static void test_bad_unknowns_and_options_are_refused(void) {
  po_tune_unknown u[2];
  po_tune_opts o = po_tune_opts_default();
  char small[64];
  po_tune *t;
  boxes(u, 2, -5, 5, 0);
  refused(PO_ERR_SIZE, "1 to 1000 unknowns", u, 0, &o);
  refused(PO_ERR_SIZE, "1 to 1000 unknowns", u, 1001, &o);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_tune_init(&t, u, 2, &o, small, sizeof small, &err));
  o.costs = 5;
  refused(PO_ERR_RANGE, "costs", u, 2, &o);
  o.costs = 2;
  o.method = PO_TUNE_NELDER_MEAD;
  refused(PO_ERR_UNSUPPORTED, "several costs", u, 2, &o);
  o = po_tune_opts_default();
  o.population = 3;
  refused(PO_ERR_RANGE, "4 to", u, 2, &o);
  o = po_tune_opts_default();
  o.spread = PO_NAN;
  refused(PO_ERR_RANGE, "spread", u, 2, &o);
  o = po_tune_opts_default();
  o.repeats = 0;
  refused(PO_ERR_RANGE, "draws", u, 2, &o);
  o = po_tune_opts_default();
  u[1].lower = 6;
  refused(PO_ERR_BOUNDS, "unknown 2", u, 2, &o);
  u[1].lower = PO_NAN;
  refused(PO_ERR_BOUNDS, "unknown 2", u, 2, &o);
  boxes(u, 2, -5, 5, 7);
  refused(PO_ERR_RANGE, "starts at 7", u, 2, &o);
  boxes(u, 2, -5, PO_INF, 0);
  refused(PO_ERR_RANGE, "start and scale", u, 2, &o);
  boxes(u, 2, -5, 5, 0);
  u[0].scaling = PO_TUNE_LOG;
  refused(PO_ERR_RANGE, "logarithm", u, 2, &o);
  boxes(u, 2, 0.2, 0.8, 0.5);
  u[0].integer = 1;
  refused(PO_ERR_BOUNDS, "no whole number", u, 2, &o);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_cma_finds_the_optimum_in_the_evaluations_that_it_is_known_for);
  RUN_TEST(test_the_diagonal_learns_many_scales);
  RUN_TEST(test_nelder_mead_and_random_are_what_they_are);
  RUN_TEST(test_points_stay_within_bounds_and_whole_numbers_are_whole);
  RUN_TEST(test_whole_numbers_are_found_from_afar);
  RUN_TEST(test_what_breaks_a_rule_comes_after_all_that_does_not);
  RUN_TEST(test_a_restored_search_goes_on_by_the_same_points);
  RUN_TEST(test_a_state_of_another_search_is_refused);
  RUN_TEST(test_seeds_are_apart_and_asking_changes_nothing);
  RUN_TEST(test_noise_asks_for_more_draws_and_its_absence_for_none);
  RUN_TEST(test_hypervolumes_are_those_of_boxes);
  RUN_TEST(test_a_front_spreads_over_what_is_best);
  RUN_TEST(test_a_search_that_learns_nothing_comes_to_rest);
  RUN_TEST(test_bad_unknowns_and_options_are_refused);
  return UNITY_END() != 0;
}
