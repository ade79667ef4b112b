/* test_timing.c: medians of repeated runs, each from the state that `before` restores. */
#include "../cli/cli.h"
#include "unity.h"

typedef struct counted {
  int before, runs, fail_at, dirty, clean;
} counted;
static counted c;

void setUp(void) { c = (counted){0, 0, 0, 0, 1}; }
void tearDown(void) {}

static po_status restore(void *user) {
  counted *k = user;
  k->before++;
  k->clean = 1;
  return PO_OK;
}
static po_status once(void *user) {
  counted *k = user;
  double start = po_cli_clock();
  k->dirty += !k->clean;
  k->clean = 0;
  if (++k->runs == k->fail_at) return PO_ERR_RANGE;
  while (po_cli_clock() - start < (k->runs % 10 == 0 ? 2e-3 : 1e-4)) {} /* every tenth is an outlier */
  return PO_OK;
}

static void test_median_and_restored_state(void) {
  double micros = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_cli_time(&micros, restore, once, &c));
  TEST_ASSERT_TRUE(c.runs >= 3 && c.runs <= 101);
  TEST_ASSERT_EQUAL_INT(c.runs, c.before);
  TEST_ASSERT_EQUAL_INT(0, c.dirty);
  TEST_ASSERT_TRUE(micros >= 100);
  TEST_ASSERT_TRUE_MESSAGE(micros < 2000, "the median is no outlier");
}

static void test_failure_ends_it(void) {
  double micros = -1;
  c.fail_at = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_cli_time(&micros, NULL, once, &c));
  TEST_ASSERT_EQUAL_INT(2, c.runs);
  TEST_ASSERT_TRUE(micros == -1);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_median_and_restored_state);
  RUN_TEST(test_failure_ends_it);
  return UNITY_END() != 0;
}
