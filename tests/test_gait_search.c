/* test_gait_search.c: a search that finds a better gait, always the same one. */
#include "ctrl/plan/plan.h"
#include "unity.h"
#include <stdio.h>
#include <stdlib.h>
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

/* ---- bodies of other proportions ---- */

#define STRANGE_BODIES 10
#define STRANGE_BODY 10 /* on which it falls, and two rounds are enough */

/* Thighs and shanks between two thirds and three halves of biped7's, masses with them by the cube; the trunk and the gait's gains stay. */
static const po_model *strange(uint64_t seed) {
  static const char *const limb[] = {"thigh_l", "thigh_r", "shank_l", "shank_r"};
  const po_model *m = biped, *next;
  po_error err;
  po_rng rng;
  double s[2];
  int i;
  po_rng_init(&rng, seed, 7);
  for (i = 0; i < 2; i++) s[i] = po_exp(po_rng_range(&rng, -po_log(1.5), po_log(1.5)));
  for (i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_scale_limb(&next, m, limb[i], s[i / 2], &err), err.message);
    if (m != biped) po_model_free(m);
    m = next;
  }
  return m;
}

/* Whether it walks 20 s: from the gait's own start, and with noise. */
static int walks(const po_model *m, const po_gait_table *gait) {
  po_gait_search_opts o = po_gait_search_opts_default();
  po_gait_search *s;
  po_gait_cost cost;
  po_error err;
  o.seconds = 20;
  o.starts = 3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_new(&s, m, &o, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_judge(&cost, s, gait, &err));
  po_gait_search_free(s);
  return cost.upright == 1 && cost.speed > 0.2;
}

static int learns_to_walk(uint64_t seed, int rounds, int *before) {
  const po_model *m = strange(seed);
  po_gait_search_opts o = po_gait_search_opts_default();
  po_gait_search *s;
  po_gait_cost cost;
  po_error err;
  int after;
  found = walk;
  *before = walks(m, &found);
  o.speed = 0.9;
  o.seconds = 6;
  o.starts = 2;
  o.rounds = rounds;
  o.spread = 1.5;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_new(&s, m, &o, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gait_search_run(&found, &cost, s, 1, &err));
  po_gait_search_free(s);
  after = walks(m, &found);
  if (getenv("POISE_FULL")) printf("body %d: before %s, after %s (cost %.3f, %.2f m/s)\n", (int)seed, *before ? "walks" : "falls", after ? "walks" : "falls", cost.cost, cost.speed);
  po_model_free(m);
  return after;
}

/* From one gait of ours, which walks on some of them as it is: at least eight bodies of ten. By default one alone; POISE_BODY=N: that one. */
static void test_bodies_of_other_proportions_learn_to_walk(void) {
  const char *one = getenv("POISE_BODY");
  int full = getenv("POISE_FULL") != NULL && !one, first = one ? atoi(one) : full ? 1 : STRANGE_BODY, last = full ? STRANGE_BODIES : first, before, had = 0, got = 0, i;
  for (i = first; i <= last; i++) {
    got += learns_to_walk((uint64_t)i, full || one ? 8 : 2, &before);
    had += before;
  }
  if (!one) TEST_ASSERT_TRUE(got >= (full ? 8 : 1) && had < got);
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
  RUN_TEST(test_bodies_of_other_proportions_learn_to_walk);
  RUN_TEST(test_bad_options_are_refused);
  return UNITY_END() != 0;
}
