/* test_hqp_recorded.c: control ticks of our own behaviours (bench/problems): cold and warm answers are one answer, proven, and the judge agrees. A tick of a flip was
 * called optimal at 0.55539 of its last level where 0.55523 is possible, warm only: noise of 5e-11 held a row. */
#include "../bench/judge.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

static void recorded(const char *name, int judged) {
  po_hqp_file *file = NULL;
  po_hqp_solver *cold = NULL, *warm = NULL;
  char *text = NULL, path[200];
  size_t size;
  po_error err;
  int i, k;
  po_format(path, sizeof path, "bench/problems/%s", name);
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) TEST_IGNORE_MESSAGE("bench/problems is not here");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_read(&file, text, size, path, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&cold, 128, PO_HQP_MAX_LEVELS, 700));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&warm, 128, PO_HQP_MAX_LEVELS, 700));
  for (i = 0; i < file->count; i++) {
    const po_hqp *p = &file->problems[i];
    double violation[PO_HQP_MAX_LEVELS], avoidable[PO_HQP_MAX_LEVELS];
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result a, b;
    char line[300];
    o.warm = 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&a, cold, p, &o));
    o.warm = 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&b, warm, p, &o));
    po_format(line, sizeof line, "%s %s", name, p->name);
    TEST_ASSERT_TRUE_MESSAGE(a.status == PO_HQP_OPTIMAL && a.proof && b.status == PO_HQP_OPTIMAL && b.proof, line);
    for (k = 0; k < p->level_count; k++) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8 * po_max(1, a.levels[k].violation), a.levels[k].violation, b.levels[k].violation, line);
    if (!judged) continue;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_judge(violation, avoidable, p, b.x));
    for (k = 0; k < p->level_count; k++) TEST_ASSERT_TRUE_MESSAGE(avoidable[k] <= 1e-6 * po_max(1, violation[k]), line);
  }
  po_hqp_free(cold);
  po_hqp_free(warm);
  po_hqp_file_free(file);
  po_free(text);
}

static void test_reduced(void) {
  static const char *const names[] = {"balance_reduced.hqp", "jump_reduced.hqp", "walk_reduced.hqp", "flip_reduced.hqp", "cartwheel_reduced.hqp"};
  int i;
  for (i = 0; i < 5; i++) recorded(names[i], 1);
}
static void test_full(void) {
  static const char *const names[] = {"balance_full.hqp", "jump_full.hqp", "walk_full.hqp", "flip_full.hqp", "cartwheel_full.hqp"};
  int i;
  for (i = 0; i < 5; i++) recorded(names[i], 0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reduced);
  RUN_TEST(test_full);
  return UNITY_END() != 0;
}
