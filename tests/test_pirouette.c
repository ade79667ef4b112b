/* Pirouettes: whole turns on one toe, more with more momentum; left and right alike; saved on the toe to the bit; nothing allocates; the judge says no. */
#include "counting.h"
#include "scenes/scenes.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *make(const char *name, const char *value) {
  po_setting set[2] = {{"wait", "0"}, {name, value}};
  po_run_opts o = po_run_opts_default();
  po_run *run = NULL;
  po_error err;
  o.set = set;
  o.sets = 2;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&run, po_scenario_find("pirouette"), &o, &err), err.message);
  return run;
}

static void until(po_run *run, const char *stage) {
  while (strcmp(po_move_phase_string(po_run_move(run, 0)), stage))
    if (!po_run_step(run)) TEST_FAIL_MESSAGE(stage);
}

static void finish(po_run *run) {
  while (po_run_step(run)) {}
  po_run_finish(run);
}

static double turns_with(const char *name, const char *value) {
  po_run *run = make(name, value);
  double turns;
  finish(run);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, run->outcome, run->reason);
  turns = po_run_result(run, "turns");
  po_run_free(run);
  return turns;
}

static void test_more_momentum_more_turns(void) {
  double few = turns_with("momentum", "14"), many = turns_with("momentum", "22");
  TEST_ASSERT_TRUE(few >= 1);
  TEST_ASSERT_TRUE(many > few + 0.3);
}

/* The toes' friction acts at a point below the tip: what the turn keeps of its momentum is all but what the contacts of the drive's end take. */
static void test_the_tip_does_not_brake(void) {
  po_run *run = make("side", "left");
  double before;
  until(run, "turn");
  while (po_run_move(run, 0)->actor->patches.patch[PO_FOOT_R].gap[0] < 0.1) TEST_ASSERT_TRUE(po_run_step(run));
  before = po_run_move(run, 0)->actor->data->momentum[2];
  until(run, "open");
  TEST_ASSERT_TRUE(before > 14);
  TEST_ASSERT_DOUBLE_WITHIN(0.03 * before, before, po_run_move(run, 0)->actor->data->momentum[2]);
  po_run_free(run);
}

/* Left and right: the world is not symmetric to the bit, so nearly the same time on the toe and momentum. */
static void test_left_and_right(void) {
  static const char *const side[2] = {"left", "right"};
  double time[2], momentum[2];
  int k;
  for (k = 0; k < 2; k++) {
    po_run *run = make("side", side[k]);
    until(run, "open");
    time[k] = run->time;
    momentum[k] = po_run_move(run, 0)->actor->data->momentum[2];
    po_run_free(run);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.05, time[0], time[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.3, momentum[0], -momentum[1]);
}

static void test_saved_on_one_toe(void) {
  po_run *run = make("side", "right");
  uint64_t hash;
  long i, before;
  size_t bytes;
  void *state;
  until(run, "turn");
  before = allocations;
  for (i = 0; i < 300; i++) po_run_step(run);
  TEST_ASSERT_EQUAL_INT(0, (int)(allocations - before));
  bytes = po_sim_save_bytes(run->sim);
  state = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(state, bytes, run->sim));
  for (i = 0; i < 200; i++) TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_step(run->sim, NULL));
  hash = po_world_hash(run->world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_restore(run->sim, state, bytes));
  for (i = 0; i < 200; i++) TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_step(run->sim, NULL));
  TEST_ASSERT_TRUE(hash == po_world_hash(run->world));
  po_free(state);
  po_run_free(run);
}

/* Told to put its foot down at once, it does not turn, and the judge says so. */
static void test_who_does_not_turn_has_not_done_it(void) {
  po_run *run = make("abort", "0.005");
  finish(run);
  TEST_ASSERT_EQUAL_INT(PO_FAILED, run->outcome);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(run->reason, "turns"), run->reason);
  po_run_free(run);
}

static void test_what_makes_no_sense_is_refused(void) {
  static const char *const bad[][3] = {{"side", "up", "left, right"}, {"toe_mu", "0", "toe_mu"}, {"momentum", "40", "momentum"}, {"phase", "clock", "trunk"}};
  int i;
  for (i = 0; i < 4; i++) {
    po_setting set;
    po_run_opts o = po_run_opts_default();
    po_run *run = NULL;
    po_error err;
    set.name = bad[i][0];
    set.value = bad[i][1];
    o.set = &set;
    o.sets = 1;
    TEST_ASSERT_NOT_EQUAL(PO_OK, po_run_new(&run, po_scenario_find("pirouette"), &o, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, bad[i][2]), err.message);
  }
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_more_momentum_more_turns);
  RUN_TEST(test_the_tip_does_not_brake);
  RUN_TEST(test_left_and_right);
  RUN_TEST(test_saved_on_one_toe);
  RUN_TEST(test_who_does_not_turn_has_not_done_it);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  return UNITY_END() != 0;
}
