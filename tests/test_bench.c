/* test_bench.c: the harness counts right, runs cases in turn, keeps bad statuses, and compares with earlier reports. */
#define _POSIX_C_SOURCE 200809L
#include "../bench/bench.h"
#include "unity.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static po_bench bench;
static char order[64];
static char path[] = "/tmp/poise_test_bench_XXXXXX"; /* a file of our own */
static int turns, setups, runs, dirty;

void setUp(void) {
  po_bench_options o = po_bench_options_default();
  o.seconds_per_case = 1e-4;
  po_bench_init(&bench, &o);
  bench.room = "test";
  memset(order, 0, sizeof order);
  turns = setups = runs = dirty = 0;
}
void tearDown(void) { po_bench_free(&bench); }

static const char *noted(void *user, int slot) { /* long enough that one run is a sample */
  double start = po_bench_clock();
  (void)slot;
  if (turns < (int)sizeof order - 1) order[turns] = *(const char *)user;
  turns++;
  while (po_bench_clock() - start < 1e-5) {}
  return "ok";
}

static void test_cases_run_in_turn(void) {
  po_bench_case cases[2];
  int i;
  cases[0] = po_bench_case_of("job", "a", 3, noted, "a");
  cases[1] = po_bench_case_of("job", "b", 3, noted, "b");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, cases, 2, NULL));
  TEST_ASSERT_EQUAL_INT(2, bench.count);
  for (i = 10; i + 1 < turns && i < 60; i++) TEST_ASSERT_TRUE_MESSAGE(order[i] != order[i + 1], order); /* after the warm-up */
}

static void test_times_are_plausible(void) {
  po_bench_case c = po_bench_case_of("job", "a", 3, noted, "a");
  const po_bench_result *r;
  c.flops = 1e4;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  r = &bench.results[0];
  TEST_ASSERT_TRUE(r->min_ns > 9e3 && r->min_ns <= r->median_ns && r->median_ns <= r->p99_ns);
  TEST_ASSERT_TRUE(r->median_ns < 1e6);
  TEST_ASSERT_TRUE(bench.machine.peak_gflops > 0 && bench.machine.peak_gflops < 1e4);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1e4 / r->median_ns / bench.machine.peak_gflops, po_bench_share_of_peak(&bench, r));
}

static void restore(void *user, int slot) {
  int *slots = user;
  slots[slot] = 1;
  setups++;
}
static const char *destroy(void *user, int slot) {
  int *slots = user;
  if (!slots[slot]) dirty++;
  slots[slot] = 0;
  runs++;
  return "ok";
}

static void test_setup_before_every_run(void) {
  int slots[8] = {0};
  po_bench_case c = po_bench_case_of("job", "a", 3, destroy, slots);
  c.setup = restore;
  c.slots = 8;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  TEST_ASSERT_EQUAL_INT(0, dirty);
  TEST_ASSERT_EQUAL_INT(setups, runs);
  TEST_ASSERT_GREATER_THAN_INT(8, runs);
}

static const char *fails_once(void *user, int slot) {
  int *count = user;
  (void)slot;
  return ++*count == 5 ? "infeasible" : "ok";
}

static void test_bad_status_sticks(void) {
  int count = 0;
  po_bench_case c = po_bench_case_of("job", "a", 3, fails_once, &count);
  c.setup = NULL;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  TEST_ASSERT_EQUAL_STRING("infeasible", bench.results[0].status);
}

static const char *simd_now(void *user, int slot) {
  (void)slot;
  *(po_simd *)user = po_get_simd();
  return "ok";
}

static void test_simd_is_set_and_restored(void) {
  po_simd seen = PO_SIMD_AUTO, before;
  po_bench_case c = po_bench_case_of("job", "scalar", 3, simd_now, &seen);
  po_set_simd(PO_SIMD_AUTO);
  before = po_get_simd();
  c.simd = PO_SIMD_SCALAR;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  TEST_ASSERT_EQUAL_INT(PO_SIMD_SCALAR, seen);
  TEST_ASSERT_EQUAL_INT(before, po_get_simd());
}

static const char *lazy(void *user, int slot) { /* much slower than `noted` */
  double start = po_bench_cpu();
  (void)user;
  (void)slot;
  while (po_bench_cpu() - start < 1e-3) {}
  return "ok";
}

static void test_slow_cases_leave_early(void) {
  po_bench_case cases[2];
  cases[0] = po_bench_case_of("job", "quick", 3, noted, "a");
  cases[1] = po_bench_case_of("job", "slow", 3, lazy, NULL);
  cases[0].min_rounds = cases[1].min_rounds = 40; /* 40 ms for the slow one, and 2.5 ms is its patience */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, cases, 2, NULL));
  /* the quick one goes on; on a machine that others use too, it may run out of patience as well, later */
  TEST_ASSERT_TRUE(bench.results[1].samples >= 1 && bench.results[1].samples < 10);
  TEST_ASSERT_TRUE(bench.results[0].samples > 2 * bench.results[1].samples && bench.results[0].samples <= 40);
}

static int told;
static double least, most;
static void hear(void *user, double seconds) {
  (void)user;
  least = told++ ? po_min(least, seconds) : seconds;
  most = po_max(most, seconds);
}

static void test_every_sample_is_told(void) {
  po_bench_case c = po_bench_case_of("job", "a", 3, noted, "a");
  const po_bench_result *r;
  told = 0;
  most = 0;
  c.single = 1;
  c.min_rounds = 30;
  c.sampled = hear;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  r = &bench.results[0];
  TEST_ASSERT_EQUAL_INT(r->samples, told);
  TEST_ASSERT_TRUE(told >= 30);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1e9 * most, r->max_ns);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1e9 * least, r->min_ns);
}

static void with_detail(void *user, po_bench_result *r) {
  po_buffer text = {0};
  (void)user;
  po_buffer_puts(&text, "{\"levels\":[1,2],\"kind\":\"x\"}");
  po_bench_detail(r, &text);
}

static void test_detail_joins_the_object(void) {
  po_bench_case c = po_bench_case_of("job", "a", 3, noted, "a");
  po_buffer text = {0};
  po_json *root;
  const po_json *row;
  c.report = with_detail;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  po_bench_json(&text, &bench);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_json_parse(&root, text.data, text.size, "report", NULL));
  row = po_json_get(root, "results")->first;
  TEST_ASSERT_EQUAL_STRING("x", po_json_string(po_json_get(row, "kind"), ""));
  TEST_ASSERT_EQUAL_INT(PO_JSON_ARRAY, po_json_get(row, "levels")->type);
  po_json_free(root);
  po_buffer_free(&text);
}

static int stop_now;
static const char *stopping(void *user, int slot) {
  (void)user;
  (void)slot;
  if (++runs == 20) stop_now = 1;
  return noted("a", 0);
}

static void test_an_interrupted_bench_keeps_what_it_has(void) {
  po_bench_case c = po_bench_case_of("job", "a", 3, stopping, NULL);
  stop_now = 0;
  c.single = 1;
  c.min_rounds = 1000;
  bench.options.stop = &stop_now;
  bench.options.seconds_per_case = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  TEST_ASSERT_EQUAL_INT(1, bench.interrupted);
  TEST_ASSERT_EQUAL_INT(1, bench.count);
  TEST_ASSERT_TRUE(bench.results[0].samples > 0 && bench.results[0].samples < 20);
}

static void test_filter(void) {
  po_bench_case c = po_bench_case_of("job", "a", 3, noted, "a");
  bench.options.filter = "other";
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_measure(&bench, &c, 1, NULL));
  TEST_ASSERT_EQUAL_INT(0, bench.count);
}

/* A result made by hand: the comparison needs no clock. */
static po_bench_result result_of(const char *name, const char *status, double ns, double iterations) {
  po_bench_result r;
  memset(&r, 0, sizeof r);
  strcpy(r.room, "test");
  strcpy(r.name, name);
  strcpy(r.variant, "v");
  strcpy(r.status, status);
  r.simd = PO_SIMD_SCALAR;
  r.size = 4;
  r.median_ns = ns;
  if (iterations >= 0) po_bench_extra(&r, "iterations", iterations);
  return r;
}

static void compare(po_bench_comparison *found, po_bench_result *old, int old_count, po_bench_result *now, int count) {
  po_bench a = bench, b = bench;
  po_buffer text = {0};
  po_error err;
  a.results = old;
  a.count = old_count;
  po_bench_json(&text, &a);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, text.data, text.size, &err));
  text.size = 0;
  b.results = now;
  b.count = count;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_bench_against(&text, found, &b, path, &err), err.message);
  po_buffer_free(&text);
}

static void test_against(void) {
  po_bench_comparison found;
  po_bench_result old[] = {result_of("same", "ok", 100, -1),      result_of("slow", "ok", 100, -1),
                           result_of("lost", "optimal", 100, -1), result_of("gone", "ok", 100, -1),
                           result_of("steps", "ok", 100, 100),    result_of("bad", "infeasible", 100, -1)};
  po_bench_result now[] = {
      result_of("same", "ok", 120, -1),   result_of("slow", "ok", 130, -1), result_of("lost", "iteration_limit", 100, -1),
      result_of("steps", "ok", 100, 106), result_of("new", "ok", 1, -1),    result_of("bad", "infeasible", 100, -1)};
  compare(&found, old, 6, now, 6);
  TEST_ASSERT_EQUAL_INT(5, found.compared);
  TEST_ASSERT_EQUAL_INT(2, found.lost); /* `lost` by its status, `gone` by its absence */
  TEST_ASSERT_EQUAL_INT(1, found.slower);
  TEST_ASSERT_EQUAL_INT(1, found.more_iterations);
}

static po_status put(const char *text) { return po_write_file(path, text, strlen(text), NULL); }

static void test_against_bad_files(void) {
  po_bench_comparison found;
  po_buffer text = {0};
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_bench_against(&text, &found, &bench, "/no/such/file", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, put("{\"a\":1}"));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_bench_against(&text, &found, &bench, path, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, put("{\"results\":["));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_bench_against(&text, &found, &bench, path, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, put("{\"results\":[1,{},null]}"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bench_against(&text, &found, &bench, path, &err));
  TEST_ASSERT_EQUAL_INT(0, found.compared);
  po_buffer_free(&text);
}

static void test_html_holds_names_safely(void) {
  po_bench_result r = result_of("</script>", "ok", 1, -1);
  po_bench b = bench;
  po_buffer text = {0};
  const char *end;
  b.results = &r;
  b.count = 1;
  po_bench_html(&text, &b);
  TEST_ASSERT_FALSE(text.failed);
  TEST_ASSERT_NOT_NULL(strstr(text.data, "\"case\":\"\\u003c/script>\""));
  end = strstr(text.data, "</script>"); /* of the report, then of the code, and no other */
  TEST_ASSERT_NOT_NULL(end);
  end = strstr(end + 1, "</script>");
  TEST_ASSERT_NOT_NULL(end);
  TEST_ASSERT_NULL(strstr(end + 1, "</script>"));
  TEST_ASSERT_EQUAL_STRING("</script>\n</body>\n</html>\n", end);
  po_buffer_free(&text);
}

int main(void) {
  int failed, file = mkstemp(path);
  if (file < 0) return 2;
  close(file);
  UNITY_BEGIN();
  RUN_TEST(test_cases_run_in_turn);
  RUN_TEST(test_times_are_plausible);
  RUN_TEST(test_setup_before_every_run);
  RUN_TEST(test_bad_status_sticks);
  RUN_TEST(test_simd_is_set_and_restored);
  RUN_TEST(test_slow_cases_leave_early);
  RUN_TEST(test_every_sample_is_told);
  RUN_TEST(test_detail_joins_the_object);
  RUN_TEST(test_an_interrupted_bench_keeps_what_it_has);
  RUN_TEST(test_filter);
  RUN_TEST(test_against);
  RUN_TEST(test_against_bad_files);
  RUN_TEST(test_html_holds_names_safely);
  failed = UNITY_END() != 0;
  remove(path);
  return failed;
}
