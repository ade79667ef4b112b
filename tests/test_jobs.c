/* test_jobs.c: units of work give the same bytes whoever does them, and failures are told. */
#define _POSIX_C_SOURCE 200809L
#include "../cli/args.h"
#include "../cli/jobs.h"
#include "unity.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

void setUp(void) {}
void tearDown(void) {}

#define UNITS 23

/* A work whose units are of many sizes, some longer than a pipe holds. */
typedef struct sums { int prepared, fail_at, die_at, joined; uint64_t hash; } sums;

static po_status sums_prepare(void *user, po_error *err) {
  (void)err;
  ((sums *)user)->prepared++;
  return PO_OK;
}
static po_status sums_unit(void *user, po_buffer *out, int index, po_error *err) {
  const sums *s = (const sums *)user;
  po_rng rng;
  int i, n = index % 7 == 3 ? 40000 : index * 5;
  if (s->prepared != 1) return po_fail(err, PO_ERR_STATE, "prepared %d times", s->prepared);
  if (index == s->fail_at) return po_fail(err, PO_ERR_RANGE, "unit %d has no answer", index);
  if (index == s->die_at) raise(SIGKILL);
  po_rng_init(&rng, 7, (uint64_t)index);
  for (i = 0; i < n; i++) po_buffer_double(out, po_rng_uniform(&rng));
  return PO_OK;
}
static po_status sums_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  sums *s = (sums *)user;
  if (index != s->joined) return po_fail(err, PO_ERR_STATE, "unit %d came after %d", index, s->joined);
  s->joined++;
  s->hash = po_hash(bytes, size, s->hash);
  return PO_OK;
}

static po_work sums_work(sums *s) {
  po_work w;
  memset(s, 0, sizeof *s);
  s->fail_at = s->die_at = -1;
  memset(&w, 0, sizeof w);
  w.units = UNITS;
  w.key = 42;
  w.user = s;
  w.prepare = sums_prepare;
  w.unit = sums_unit;
  w.join = sums_join;
  return w;
}

static const po_option options[] = {PO_OPTION_JOBS, {"json", "FILE", "the result"}, {NULL, NULL, NULL}};
static const po_command command = {"sums", "", "for tests", NULL, options, 0, 0, NULL};

/* Runs the command line; the hash of what was joined. */
static uint64_t run(sums *s, const char *first, const char *second, int expected) {
  const char *words[2];
  po_work work = sums_work(s);
  po_args args;
  po_jobs jobs;
  int n = 0;
  if (first) words[n++] = first;
  if (second) words[n++] = second;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_parse(&args, &command, n, words));
  TEST_ASSERT_EQUAL_INT(expected == PO_EXIT_USAGE ? 0 : 1, po_jobs_read(&jobs, &args, "json"));
  if (expected == PO_EXIT_GOOD) TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_jobs_run(&jobs, &work));
  po_args_free(&args);
  return s->hash;
}

static void test_any_number_of_processes_gives_the_same_bytes(void) {
  static const char *const numbers[] = {"--jobs=2", "--jobs=3", "--jobs=8", "--jobs=200"};
  sums s;
  uint64_t one = run(&s, NULL, NULL, PO_EXIT_GOOD);
  size_t i;
  TEST_ASSERT_EQUAL_INT(UNITS, s.joined);
  for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    TEST_ASSERT_TRUE_MESSAGE(run(&s, numbers[i], NULL, PO_EXIT_GOOD) == one, numbers[i]);
    TEST_ASSERT_EQUAL_INT(UNITS, s.joined);
  }
}

/* Pieces of the pool by themselves, since the command prints its messages. */
static po_status pool(sums *s, const po_work *work, int processes, po_error *err) {
  po_unit unit[UNITS];
  int index[UNITS], i;
  po_status st;
  (void)s;
  memset(unit, 0, sizeof unit);
  for (i = 0; i < UNITS; i++) index[i] = i;
  st = po_jobs_pool(unit, work, index, UNITS, processes, err);
  for (i = 0; i < UNITS; i++) po_buffer_free(&unit[i].bytes);
  return st;
}

static void test_a_failed_unit_is_told_with_its_own_words(void) {
  int processes;
  for (processes = 1; processes <= 3; processes++) {
    sums s;
    po_work work = sums_work(&s);
    po_error err;
    s.fail_at = 11;
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, pool(&s, &work, processes, &err));
    TEST_ASSERT_EQUAL_STRING("unit 11 has no answer", err.message);
  }
}

static void test_a_process_that_dies_is_noticed(void) {
  sums s;
  po_work work = sums_work(&s);
  po_error err;
  s.die_at = 5;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, pool(&s, &work, 2, &err));
  TEST_ASSERT_EQUAL_STRING("the process at unit 5 ended before it was done", err.message);
}

static int stop_at_once(void) { return 1; }
static void test_an_interrupted_work_ends_and_leaves_units_out(void) {
  sums s;
  po_work work = sums_work(&s);
  po_unit unit[UNITS];
  int index[UNITS] = {0}, i;
  memset(unit, 0, sizeof unit);
  for (i = 0; i < UNITS; i++) index[i] = i;
  work.stop = stop_at_once;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_jobs_pool(unit, &work, index, UNITS, 2, NULL));
  for (i = 0; i < UNITS; i++) TEST_ASSERT_FALSE(unit[i].done);
}

static void test_bad_numbers_are_refused(void) {
  sums s;
  run(&s, "--jobs=0", NULL, PO_EXIT_USAGE);
  run(&s, "--jobs=2.5", NULL, PO_EXIT_USAGE);
  run(&s, "--shard=4/4", "--json=x", PO_EXIT_USAGE);
  run(&s, "--shard=-1/4", "--json=x", PO_EXIT_USAGE);
  run(&s, "--shard=1/0", "--json=x", PO_EXIT_USAGE);
  run(&s, "--shard=1", "--json=x", PO_EXIT_USAGE);
  run(&s, "--shard=1/4x", "--json=x", PO_EXIT_USAGE);
  run(&s, "--shard=1/4", NULL, PO_EXIT_USAGE); /* nowhere to write to */
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_any_number_of_processes_gives_the_same_bytes);
  RUN_TEST(test_a_failed_unit_is_told_with_its_own_words);
  RUN_TEST(test_a_process_that_dies_is_noticed);
  RUN_TEST(test_an_interrupted_work_ends_and_leaves_units_out);
  RUN_TEST(test_bad_numbers_are_refused);
  return UNITY_END() != 0;
}
