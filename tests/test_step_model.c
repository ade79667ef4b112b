/* test_step_model.c: the nearest are those of the metric; predictions and leaving one out as by hand; files that are altered are refused. */
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const po_model *body(void) {
  static const po_model *m;
  po_error err;
  if (!m) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "biped7", &err));
  return m;
}

#define MANY 400
static po_step_example example[MANY];

static po_step_model *random_model(int n, uint64_t seed) {
  po_step_model *m;
  po_rng rng;
  po_error err;
  int i, k;
  po_rng_init(&rng, seed, 0);
  memset(example, 0, sizeof example);
  for (i = 0; i < n; i++) {
    for (k = 0; k < PO_STEP_PLANE; k++) example[i].from[k] = (double)(float)po_rng_range(&rng, -1, 1);
    for (k = 0; k < 6; k++) example[i].action[k] = (double)(float)(po_rng_range(&rng, -1, 1) * (k < 2 ? 1 : 0.1));
    for (k = 0; k < PO_STEP_PLANE; k++) example[i].to[k] = (double)(float)po_rng_range(&rng, -1, 1);
    example[i].length = (double)(float)po_rng_range(&rng, 0.1, 0.9);
    example[i].seconds = 0.5;
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_model_new(&m, body(), "walk", example, n, &err), err.message);
  return m;
}

/* By the definition of the metric, looking at every example: each found one has as many examples nearer to the state as stand before it. */
static void test_the_nearest_are_those_of_the_metric(void) {
  po_step_model *m = random_model(MANY, 7);
  po_step_near near;
  po_rng rng;
  int i, j, k;
  po_rng_init(&rng, 11, 0);
  for (i = 0; i < 300; i++) {
    double s[PO_STEP_STATE] = {0};
    int skip = i % 3 ? -1 : i;
    for (k = 0; k < PO_STEP_PLANE; k++) s[k] = i % 3 ? po_rng_range(&rng, -1.5, 1.5) : example[i].from[k];
    po_step_model_near(&near, m, s, skip);
    TEST_ASSERT_EQUAL_INT(skip < 0 ? PO_STEP_NEAR : PO_STEP_FIT, near.count);
    for (k = 0; k < near.count; k++) {
      double d = po_step_distance(example[near.index[k]].from, s);
      int nearer = 0;
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, d, near.distance[k]);
      TEST_ASSERT_TRUE(near.index[k] != skip);
      for (j = 0; j < MANY; j++) nearer += j != skip && po_step_distance(example[j].from, s) < d - 1e-12;
      TEST_ASSERT_EQUAL_INT(k, nearer);
    }
  }
  po_step_model_free(m);
}

/* Five clusters of five equal examples: of each query the three mixed are of one cluster, so the prediction is that cluster's. */
static void test_a_prediction_by_hand(void) {
  po_step_model *m;
  po_step_near near;
  po_step_guess g;
  po_error err;
  double lower[2], upper[2];
  int i, best = 0;
  memset(example, 0, sizeof example);
  for (i = 0; i < 25; i++) {
    int c = i / 5;
    example[i].from[1] = 1;
    example[i].action[0] = 0.1 * c;
    example[i].action[5] = c == 4 ? 0.05 : 0;
    example[i].to[1] = 1 + 0.1 * c;
    example[i].length = 0.2 + 0.1 * c;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_new(&m, body(), "walk", example, 25, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, m->pca_share); /* two numbers vary */
  po_step_model_near(&near, m, example[0].from, -1);
  po_step_model_box(lower, upper, m, &near);
  for (i = 0; i < 25; i++) best = m->low[i][0] > m->low[best][0] ? i : best;
  TEST_ASSERT_EQUAL_DOUBLE(m->low[best][0], upper[0]);
  for (i = 0; i < 25; i += 5) {
    po_step_model_predict(&g, m, &near, m->low[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, example[i].length, g.length);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, example[i].to[1], g.to[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, example[i].action[0], g.action[0]);
  }
  for (i = 0; i < 25; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, m->uncertainty[i]); /* four others say the same */
  po_step_model_free(m);
}

/* 25 examples are needed, so five distinct points carry weight by being alone in action: 20 others lie far off in action. */
static void test_leaving_one_out_by_hand(void) {
  po_step_model *m;
  po_error err;
  double w[3], sum, l, to;
  int i;
  memset(example, 0, sizeof example);
  for (i = 0; i < 25; i++) {
    example[i].action[0] = i < 5 ? 0.1 * i : 100;
    example[i].action[1] = i < 5 ? 0 : i;
    example[i].length = i < 5 ? 0.1 * i * i : 5;
    example[i].to[1] = i;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_new(&m, body(), "walk", example, 25, &err));
  po_step_model_set_linear(m, 0); /* the thesis' own */
  /* example 0 without itself: 1, 2, 3 in distances of 0.1, 0.2, 0.3 along their line; states are all the same */
  w[0] = 1 / 0.1, w[1] = 1 / 0.2, w[2] = 1 / 0.3;
  sum = w[0] + w[1] + w[2];
  l = (w[0] * 0.1 + w[1] * 0.4 + w[2] * 0.9) / sum;
  to = (w[0] * 1 + w[1] * 2 + w[2] * 3) / sum;
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, to + l, m->uncertainty[0]); /* weight 1 of the second number of a state */
  /* example 2: 1 and 3 at 0.1, then 0 (the lower index of two at 0.2) */
  w[0] = w[1] = 1 / 0.1, w[2] = 1 / 0.2;
  sum = w[0] + w[1] + w[2];
  l = (w[0] * 0.1 + w[1] * 0.9 + w[2] * 0) / sum;
  to = (w[0] * 1 + w[1] * 3 + w[2] * 0) / sum;
  if (po_abs(m->uncertainty[2] - (po_abs(to - 2) + po_abs(l - 0.4))) > 1e-3) { /* or 4, by rounding */
    l = (w[0] * 0.1 + w[1] * 0.9 + w[2] * 1.6) / sum;
    to = (w[0] * 1 + w[1] * 3 + w[2] * 4) / sum;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_abs(to - 2) + po_abs(l - 0.4), m->uncertainty[2]);
  po_step_model_free(m);
}

/* Results that are linear in state and action: the fit knows them where the plain mixture does not, and an action can be aimed. */
static void test_the_fit_extends_the_mixture(void) {
  po_step_model *m = random_model(MANY, 9);
  po_step_near near;
  po_step_guess plain, fitted;
  po_error err;
  double s[PO_STEP_STATE] = {0.1, -0.2, 0.1, 0, 0.2}, wanted, before = 0, after = 0;
  int i, k;
  po_step_model_free(m);
  for (i = 0; i < MANY; i++) {
    example[i].length = 0.4 + 0.3 * example[i].from[0] + 0.2 * example[i].from[1] + 0.25 * example[i].action[0];
    for (k = 0; k < PO_STEP_PLANE; k++) example[i].to[k] = 0.5 * example[i].from[k];
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_new(&m, body(), "walk", example, MANY, &err));
  for (i = 0; i < MANY; i++) after += m->uncertainty[i] / MANY;
  po_step_model_near(&near, m, s, -1);
  po_step_model_predict(&fitted, m, &near, m->low[near.index[0]]);
  wanted = 0.4 + 0.3 * s[0] + 0.2 * s[1] + 0.25 * fitted.action[0];
  TEST_ASSERT_DOUBLE_WITHIN(0.01, wanted, fitted.length);
  po_step_model_aim(&fitted, m, &near, wanted + 0.05, 0.5);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, wanted + 0.05, 0.4 + 0.3 * s[0] + 0.2 * s[1] + 0.25 * fitted.action[0]);
  po_step_model_set_linear(m, 0);
  for (i = 0; i < MANY; i++) before += m->uncertainty[i] / MANY;
  po_step_model_near(&near, m, s, -1);
  po_step_model_predict(&plain, m, &near, m->low[near.index[0]]);
  TEST_ASSERT_TRUE(after < 0.5 * before);
  po_step_model_free(m);
}

/* Quantiles against counting; a capture point is linear in position and speed. */
static void test_quantiles_of_examples(void) {
  po_step_model *m = random_model(MANY, 5);
  static const double ahead[PO_STEP_STATE] = {0.1, 0}, fast[PO_STEP_STATE] = {0, 1}, both[PO_STEP_STATE] = {0.1, 1};
  double share, median = po_step_model_quantile(m, PO_STEP_FIGURE_CAPTURE, 0.5);
  int i, below = 0;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_step_capture(ahead) + po_step_capture(fast), po_step_capture(both));
  for (i = 0; i < MANY; i++) below += po_step_capture(example[i].to) < median;
  TEST_ASSERT_INT_WITHIN(MANY / 100, MANY / 2, below);
  for (share = 0.1; share < 0.9; share += 0.1)
    TEST_ASSERT_TRUE(po_step_model_quantile(m, PO_STEP_FIGURE_LENGTH, share) <= po_step_model_quantile(m, PO_STEP_FIGURE_LENGTH, share + 0.1));
  po_step_model_free(m);
}

static void test_a_file_reads_as_written(void) {
  po_step_model *m = random_model(60, 3), *back;
  po_buffer file = {0}, again = {0};
  po_error err;
  m->settings_hash = 0x1234;
  po_format(m->made, sizeof m->made, "abc");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_write(&file, m));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_step_model_read(&back, body(), file.data, file.size, 0, "x.steps", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_write(&again, back));
  TEST_ASSERT_EQUAL_INT((int)file.size, (int)again.size);
  TEST_ASSERT_EQUAL_MEMORY(file.data, again.data, file.size);
  TEST_ASSERT_EQUAL_MEMORY(m->uncertainty, back->uncertainty, sizeof(double) * 60);
  po_step_model_free(back);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_read(&back, body(), file.data, file.size, 30, "x.steps", &err));
  TEST_ASSERT_EQUAL_INT(30, back->examples);
  po_step_model_free(back);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_step_model_read(&back, body(), file.data, file.size, 24, "x.steps", &err));
  po_step_model_free(m);
  po_buffer_free(&file);
  po_buffer_free(&again);
}

static void test_altered_files_are_refused(void) {
  po_step_model *m = random_model(30, 5), *back;
  const po_model *bird;
  po_buffer file = {0};
  po_error err;
  size_t i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&bird, "bird2", &err));
  po_step_model_write(&file, m);
  for (i = 0; i < file.size; i += i < 200 ? 1 : 37) {
    file.data[i] ^= 0x10;
    TEST_ASSERT_NOT_EQUAL(PO_OK, po_step_model_read(&back, body(), file.data, file.size, 0, "x.steps", &err));
    TEST_ASSERT_NULL(back);
    file.data[i] ^= 0x10;
  }
  for (i = 0; i < file.size; i += 11) TEST_ASSERT_NOT_EQUAL(PO_OK, po_step_model_read(&back, body(), file.data, i, 0, "x.steps", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_step_model_read(&back, bird, file.data, file.size, 0, "x.steps", &err));
  m->example[3].length = PO_NAN; /* with a right hash */
  file.size = 0;
  po_step_model_write(&file, m);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_step_model_read(&back, body(), file.data, file.size, 0, "x.steps", &err));
  po_step_model_free(m);
  po_model_free(bird);
  po_buffer_free(&file);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_nearest_are_those_of_the_metric);
  RUN_TEST(test_a_prediction_by_hand);
  RUN_TEST(test_leaving_one_out_by_hand);
  RUN_TEST(test_the_fit_extends_the_mixture);
  RUN_TEST(test_quantiles_of_examples);
  RUN_TEST(test_a_file_reads_as_written);
  RUN_TEST(test_altered_files_are_refused);
  return UNITY_END() != 0;
}
