/* test_gait_search.c: a search that finds a better gait, always the same one. */
#include "ctrl/plan/plan.h"
#include "unity.h"
#include <string.h>

static const po_model *biped;
static po_gait_table walk, found, again;

void setUp(void) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&biped, "biped7", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_load(&walk, "biped7", "walk", &err));
}
void tearDown(void) { po_model_free(biped); }

static po_gait_search *search(double speed, int rounds) {
  po_gait_search_opts o = po_gait_search_opts_default();
  po_gait_search *s;
  po_error err;
  o.speed = speed;
  o.seconds = 3;
  o.starts = 2;
  o.rounds = rounds;
  o.population = 6;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_gait_search_new(&s, biped, &o, &err), err.message);
  return s;
}

/* Who falls is dearer than anyone who does not; who walks at the speed asked for costs next to nothing. */
static void test_costs_put_falls_first(void) {
  po_gait_search *s = search(1.06, 0);
  po_gait_cost good, bad;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_judge(&good, s, &walk, &err));
  TEST_ASSERT_EQUAL_DOUBLE(1, good.upright);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.06, good.speed);
  TEST_ASSERT_TRUE(good.cost < 0.5);
  for (i = 0; i < walk.targets; i++) walk.target[i].part[0].c_d = walk.target[i].part[0].c_v = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_judge(&bad, s, &walk, &err));
  TEST_ASSERT_TRUE(bad.upright < 1 && bad.cost > 1 && bad.cost <= 2);
  po_gait_search_free(s);
}

static void test_it_finds_a_slower_walk_and_finds_it_again(void) {
  po_gait_cost before, after, same;
  po_error err;
  po_gait_search *s = search(0.8, 2);
  found = again = walk;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_judge(&before, s, &walk, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_run(&found, &after, s, 1, &err));
  TEST_ASSERT_TRUE(after.cost < before.cost);
  TEST_ASSERT_TRUE(po_abs(after.speed - 0.8) < po_abs(before.speed - 0.8));
  /* what was tried before leaves no trace */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_run(&again, &same, s, 1, &err));
  TEST_ASSERT_EQUAL_MEMORY(&found, &again, sizeof found);
  TEST_ASSERT_EQUAL_MEMORY(&after, &same, sizeof after);
  again = walk;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_run(&again, &same, s, 2, &err));
  TEST_ASSERT_TRUE(memcmp(&found, &again, sizeof found) != 0);
  po_gait_search_free(s);
}

static void test_bad_options_are_refused(void) {
  po_gait_search_opts o = po_gait_search_opts_default();
  po_gait_search *s;
  po_error err;
  o.seconds = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gait_search_new(&s, biped, &o, &err));
  o = po_gait_search_opts_default();
  o.starts = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gait_search_new(&s, biped, &o, &err));
  o = po_gait_search_opts_default();
  o.population = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_gait_search_new(&s, biped, &o, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_costs_put_falls_first);
  RUN_TEST(test_it_finds_a_slower_walk_and_finds_it_again);
  RUN_TEST(test_bad_options_are_refused);
  return UNITY_END() != 0;
}
