/* test_rollout.c: many futures of one moment: the same bits in any order, nothing allocated, each as a run of its own would be. */
#include "ctrl/plan/plan.h"
#include "counting.h"
#include "unity.h"
#include <string.h>

#define TRIALS 10

static const po_model *human;
static po_world *world;
static po_sim *sim;
static po_move *stand;
static void *moment;
static size_t bytes;

static void begin(void) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), human, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&stand, "stand", human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, po_terrain_flat(), NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, stand));
}
static void steps(int n) {
  po_error err;
  while (n-- > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_sim_step(sim, &err), err.message);
}
void setUp(void) {
  begin();
  steps(100);
  bytes = po_sim_save_bytes(sim);
  moment = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(moment, bytes, sim));
}
static void end(void) {
  po_sim_free(sim);
  po_move_free(stand);
  po_world_free(world);
  po_model_free(human);
}
void tearDown(void) {
  end();
  po_free(moment);
}

/* Pushes of many sizes and directions, some with another stance. */
static po_push push[TRIALS];
static po_trial_setting low = {0, "com_height", 0.85};
static void make_trials(po_trial *t) {
  int i;
  memset(t, 0, TRIALS * sizeof *t);
  memset(push, 0, sizeof push);
  for (i = 0; i < TRIALS; i++) {
    push[i].time = 0.01 * i;
    push[i].duration = 0.1;
    push[i].force = po_v3(40.0 * i - 150, 30.0 * (i % 3), 0);
    t[i].start = moment;
    t[i].bytes = bytes;
    t[i].seconds = 0.3;
    t[i].push = &push[i];
    t[i].pushes = 1;
    t[i].set = &low;
    t[i].sets = i % 4 == 1;
  }
}

static void test_the_same_bits_in_any_order(void) {
  po_trial trial[TRIALS], shuffled[TRIALS];
  po_trial_result in_order[TRIALS], result[TRIALS];
  int place[TRIALS], i, round, different = 0;
  long before;
  po_error err;
  po_rng rng;
  make_trials(trial);
  before = allocations;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_rollouts(in_order, sim, trial, TRIALS, NULL, NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, allocations - before, "a rollout allocated");
  for (i = 1; i < TRIALS; i++) different += in_order[i].hash != in_order[0].hash;
  TEST_ASSERT_EQUAL_INT(TRIALS - 1, different); /* they are not all the same future */
  po_rng_init(&rng, 5, 0);
  for (round = 0; round < 2; round++) {
    for (i = 0; i < TRIALS; i++) place[i] = i;
    for (i = TRIALS - 1; i > 0; i--) {
      int k = po_rng_below(&rng, i + 1), keep = place[i];
      place[i] = place[k];
      place[k] = keep;
    }
    for (i = 0; i < TRIALS; i++) shuffled[i] = trial[place[i]];
    TEST_ASSERT_EQUAL_INT(PO_OK, po_rollouts(result, sim, shuffled, TRIALS, NULL, NULL, &err));
    for (i = 0; i < TRIALS; i++) {
      TEST_ASSERT_EQUAL_HEX64(in_order[place[i]].hash, result[i].hash);
      TEST_ASSERT_EQUAL_INT(in_order[place[i]].steps, result[i].steps);
    }
  }
}

/* A rollout is what the sim itself would have done, in a world that was never saved. */
static void test_a_rollout_is_a_plain_run(void) {
  po_trial trial[TRIALS];
  po_trial_result result;
  po_push p;
  make_trials(trial);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_rollout(&result, sim, &trial[1], NULL, NULL, NULL));
  end();
  begin();
  steps(100);
  p = push[1];
  p.time += 0.1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(stand, low.name, low.value, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_push(sim, &p, NULL));
  steps(300);
  TEST_ASSERT_EQUAL_HEX64(po_world_hash(world), result.hash);
}

static int after_a_while(void *user, const po_sim *s, const po_trial *t, double time) {
  (void)s;
  (void)t;
  return time >= *(const double *)user - 1e-9 ? 7 : 0;
}

static void test_the_judge_ends_it(void) {
  po_trial trial[TRIALS];
  po_trial_result result;
  double when = 0.05;
  make_trials(trial);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_rollout(&result, sim, &trial[0], after_a_while, &when, NULL));
  TEST_ASSERT_EQUAL_INT(7, result.verdict);
  TEST_ASSERT_EQUAL_INT(50, result.steps);
  TEST_ASSERT_FALSE(result.fell);
  trial[0].seconds = 3; /* without a judge a fall ends it */
  push[0].force.x = 700;
  push[0].duration = 0.3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_rollout(&result, sim, &trial[0], NULL, NULL, NULL));
  TEST_ASSERT_TRUE(result.fell && result.verdict == 1 && result.time < 2);
}

static void test_bad_trials_are_refused(void) {
  po_trial trial[TRIALS];
  po_trial_result result;
  po_trial_setting wrong = {0, "com_hight", 0.8};
  po_error err;
  make_trials(trial);
  trial[1].set = &wrong;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_rollout(&result, sim, &trial[1], NULL, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "com_height"));
  wrong.name = "com_height";
  wrong.value = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_rollout(&result, sim, &trial[1], NULL, NULL, &err));
  wrong.character = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_rollout(&result, sim, &trial[1], NULL, NULL, &err));
  trial[0].bytes = 100;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_rollout(&result, sim, &trial[0], NULL, NULL, &err));
  trial[2].seconds = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_rollout(&result, sim, &trial[2], NULL, NULL, &err));
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_the_same_bits_in_any_order);
  RUN_TEST(test_a_rollout_is_a_plain_run);
  RUN_TEST(test_the_judge_ends_it);
  RUN_TEST(test_bad_trials_are_refused);
  return UNITY_END() != 0;
}
