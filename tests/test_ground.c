/* test_ground.c: the grounds are what their names and numbers say, and what makes no sense is refused with a word that helps. */
#include "scenes/scenes.h"
#include "unity.h"
#include <stdio.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_status laid(po_run **r, const po_setting *set, int n, po_error *err) {
  po_run_opts o = po_run_opts_default();
  o.seconds = 1;
  o.set = set;
  o.sets = n;
  return po_run_new(r, po_scenario_find("walk"), &o, err);
}
static double height(const po_run *r, double x, double y) { return po_terrain_height(po_run_ground(r), x, y); }

static void test_slopes(void) {
  po_setting set[2] = {{"slope_deg", "10"}, {"cross_deg", "-5"}};
  po_run *r;
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 2, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * 0.17632698070846498 - 3 * 0.08748866352592401, height(r, 2, 3)); /* tangents of 10 and 5 degrees */
  po_run_free(r);
}

static void test_rough_ground_keeps_its_amplitude_and_its_seed(void) {
  po_setting set[3] = {{"terrain", "rough"}, {"step_height", "0.03"}, {"terrain_seed", "4"}};
  po_run *r, *again;
  double low = 0, high = 0;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 3, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&again, set, 3, NULL));
  for (i = 0; i < 3000; i++) {
    double z = height(r, 2 + 0.02 * i, 0.4);
    low = po_min(low, z);
    high = po_max(high, z);
    TEST_ASSERT_TRUE(z == height(again, 2 + 0.02 * i, 0.4));
  }
  TEST_ASSERT_TRUE(low < -0.015 && low >= -0.03 && high > 0.015 && high <= 0.03);
  TEST_ASSERT_TRUE(height(r, 0.3, 0.2) == 0);
  po_run_free(again);
  set[2].value = "5";
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&again, set, 3, NULL));
  TEST_ASSERT_TRUE(height(r, 5, 0.4) != height(again, 5, 0.4));
  po_run_free(again);
  po_run_free(r);
}

static void test_steps_and_stairs_rise_by_what_is_asked(void) {
  po_setting set[3] = {{"terrain", "steps"}, {"step_height", "-0.08"}, {"spacing", "0.9"}};
  po_run *r;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 3, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.08, height(r, 1.4, 0));
  for (i = 0; i < 30; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.08, po_abs(height(r, 2.35 + 0.9 * i, 0) - height(r, 1.45 + 0.9 * i, 0)));
  po_run_free(r);
  set[0].value = "stairs";
  set[1].value = "0.15";
  set[2].value = "0.3";
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 3, NULL));
  for (i = 0; i < 7; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.15 * (i + 1), height(r, 1.15 + 0.3 * i, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, height(r, 3.2, 0), height(r, 4.5, 0)); /* a landing */
  po_run_free(r);
}

static void test_stones_have_gaps(void) {
  po_setting set[1] = {{"terrain", "stones"}};
  po_run *r;
  int i, gaps = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 1, NULL));
  for (i = 0; i < 500; i++) gaps += height(r, 1 + 0.01 * i, 0) < -0.4;
  TEST_ASSERT_TRUE(gaps > 50 && gaps < 200); /* a quarter of 1.25 */
  po_run_free(r);
}

static void test_friction_is_the_grounds(void) {
  po_setting set[1] = {{"friction", "0.2"}};
  po_run *r;
  TEST_ASSERT_EQUAL_INT(PO_OK, laid(&r, set, 1, NULL));
  TEST_ASSERT_TRUE(po_terrain_surface_at(po_run_ground(r), 0, 0).mu == 0.2);
  po_run_free(r);
}

static void written(const char *text) {
  FILE *f = fopen("build/test_ground.json", "w");
  TEST_ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
}

static void test_a_file(void) {
  po_setting set[1] = {{"terrain", "build/test_ground.json"}};
  po_run *r;
  po_error err;
  written("{\"planes\": [{\"normal\": [0, 0, 1], \"offset\": 0}], \"boxes\": [{\"low\": [1, -1, -1], \"high\": [2, 1, 0.1]}], "
          "\"field\": {\"nx\": 2, \"ny\": 2, \"x0\": 3, \"y0\": 0, \"dx\": 1, \"dy\": 1, \"z\": [0.2, 0.2, 0.2, 0.2]}}");
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, laid(&r, set, 1, &err), err.message);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, height(r, 1.5, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, height(r, 3.5, 0.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, height(r, 0, 0));
  po_run_free(r);
}

static void test_what_makes_no_sense_is_refused(void) {
  static const char *const bad[][2] = {{"{}", "needs 'planes'"},
                                       {"{\"planes\": [{\"normal\": [0, 0, 0]}]}", "normal"},
                                       {"{\"boxes\": [{\"low\": [1, 1, 1], \"high\": [0, 0, 0]}]}", "higher"},
                                       {"{\"boxes\": [{\"low\": [1, 1]}]}", "'low' and 'high'"},
                                       {"{\"field\": {\"nx\": 2, \"ny\": 2, \"z\": [1, 2, 3]}}", "nx * ny"},
                                       {"{\"field\": {\"nx\": 2, \"ny\": 2, \"dx\": 0, \"dy\": 1, \"z\": [1, 2, 3, 4]}}", "dx"},
                                       {"{\"boxes\": 3}", "arrays"}};
  po_setting set[2] = {{"terrain", "stiars"}, {"spacing", "0.1"}};
  po_run *r;
  po_error err;
  size_t i;
  TEST_ASSERT_TRUE(laid(&r, set, 1, &err) != PO_OK);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "did you mean 'stairs'"), err.message);
  set[0].value = "stairs";
  TEST_ASSERT_TRUE(laid(&r, set, 2, &err) != PO_OK);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "at least 0.2"), err.message);
  set[0].value = "build/test_ground.json";
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    written(bad[i][0]);
    TEST_ASSERT_TRUE(laid(&r, set, 1, &err) != PO_OK);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, bad[i][1]), err.message);
  }
  set[0].value = "build/none_such.json";
  TEST_ASSERT_TRUE(laid(&r, set, 1, &err) != PO_OK);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_slopes);
  RUN_TEST(test_rough_ground_keeps_its_amplitude_and_its_seed);
  RUN_TEST(test_steps_and_stairs_rise_by_what_is_asked);
  RUN_TEST(test_stones_have_gaps);
  RUN_TEST(test_friction_is_the_grounds);
  RUN_TEST(test_a_file);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  return UNITY_END() != 0;
}
