/* test_parts.c: a complete set of parts is what one process would have had; anything else is refused by name. */
#define _POSIX_C_SOURCE 200809L
#include "../cli/args.h"
#include "../cli/jobs.h"
#include "unity.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/poise_test_parts_XXXXXX"; /* a folder of our own */

#define UNITS 10
#define SHARDS 4
static char path[SHARDS][64];

void setUp(void) {}
void tearDown(void) {}

/* Files are removed as soon as the test is over. */
static void remove_files(void) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "bad"};
  char file[64];
  size_t n;
  int i;
  for (n = 0; n < sizeof names / sizeof *names; n++)
    for (i = 0; i < SHARDS; i++) {
      po_format(file, sizeof file, "%s/%s%d", folder, names[n], i);
      remove(file);
    }
  rmdir(folder);
}

static po_status unit(void *user, po_buffer *out, int index, po_error *err) {
  (void)user;
  (void)err;
  po_buffer_printf(out, "unit %d\nend of %d", index, index); /* lines that look like those of a part */
  po_buffer_add(out, "\0\n\xff", 3);
  return PO_OK;
}
static po_status join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  (void)index;
  (void)err;
  po_buffer_add((po_buffer *)user, bytes, size);
  return PO_OK;
}

static const po_option options[] = {PO_OPTION_JOBS, PO_OPTION_SIMD, {"set", "NAME=VALUE", "repeated"}, {"json", "FILE", "the result"}, {NULL, NULL, NULL}};
static const po_command command = {"sums", "", "for tests", NULL, options, 0, 3, NULL};

/* One command line over the work, with parts or without. */
static int run(po_buffer *joined, const char *const *words, const po_parts *parts, uint64_t key) {
  po_args args;
  po_jobs jobs;
  po_work work;
  int n = 0, code;
  memset(&work, 0, sizeof work);
  work.units = UNITS;
  work.key = key;
  work.user = joined;
  work.unit = unit;
  work.join = join;
  while (words[n]) n++;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_parse(&args, &command, n, words));
  args.parts = parts;
  TEST_ASSERT_TRUE(po_jobs_read(&jobs, &args, "json"));
  code = po_jobs_run(&jobs, &work);
  po_args_free(&args);
  return code;
}

static void write_parts(int shards, const char *name, const char *setting, uint64_t key) {
  int i;
  for (i = 0; i < shards; i++) {
    char shard[32];
    const char *words[8];
    po_buffer none = {0};
    po_format(path[i], sizeof path[i], "%s/%s%d", folder, name, i);
    po_format(shard, sizeof shard, "%d/%d", i, shards);
    words[0] = "--shard", words[1] = shard, words[2] = "--json", words[3] = path[i], words[4] = "--set", words[5] = setting, words[6] = "walk", words[7] = NULL;
    TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, run(&none, words, NULL, key));
    TEST_ASSERT_EQUAL_INT(0, none.size); /* a share is not joined */
  }
}

static po_status read_parts(po_parts **parts, int a, int b, int c, int d, po_error *err) {
  const char *paths[4];
  int n = 0;
  if (a >= 0) paths[n++] = path[a];
  if (b >= 0) paths[n++] = path[b];
  if (c >= 0) paths[n++] = path[c];
  if (d >= 0) paths[n++] = path[d];
  return po_parts_read(parts, paths, n, err);
}

static void test_parts_join_into_the_whole(void) {
  const char *words[] = {"--set", "a=1", "walk", NULL};
  po_buffer whole = {0}, joined = {0};
  po_parts *parts;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, run(&whole, words, NULL, 42));
  write_parts(SHARDS, "a", "a=1", 42);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, read_parts(&parts, 2, 0, 3, 1, &err), err.message); /* in any order */
  TEST_ASSERT_EQUAL_STRING("sums", parts->argv[0]);
  TEST_ASSERT_EQUAL_STRING("--set=a=1", parts->argv[1]);
  TEST_ASSERT_EQUAL_STRING("json", parts->result);
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, run(&joined, words, parts, 42));
  TEST_ASSERT_EQUAL_INT((int)whole.size, (int)joined.size);
  TEST_ASSERT_EQUAL_MEMORY(whole.data, joined.data, whole.size);
  po_buffer_free(&joined);
  /* a model file has changed in between: the work has another key */
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, run(&joined, words, parts, 43));
  TEST_ASSERT_EQUAL_INT(0, joined.size);
  po_parts_free(parts);
  po_buffer_free(&whole);
}

static void refused(po_status status, const char *words, int a, int b, int c, int d) {
  po_parts *parts;
  po_error err;
  TEST_ASSERT_EQUAL_INT(status, read_parts(&parts, a, b, c, d, &err));
  TEST_ASSERT_NULL(parts);
  TEST_ASSERT_TRUE_MESSAGE(strstr(err.message, words) != NULL, err.message);
}

static void test_incomplete_sets_are_refused_by_name(void) {
  char other[64];
  write_parts(SHARDS, "b", "a=1", 42);
  refused(PO_ERR_STATE, "part 2/4 is missing", 0, 1, 3, -1);
  refused(PO_ERR_STATE, "2 of 4 parts are missing, the first of them 1/4", 0, 3, -1, -1);
  refused(PO_ERR_STATE, "/b1 are both part 1/4", 0, 1, 1, 3);
  strcpy(other, path[3]);
  write_parts(SHARDS, "c", "a=2", 42);
  strcpy(path[0], other);
  refused(PO_ERR_STATE, "/b3 does not belong to ", 1, 2, 3, 0); /* another command */
  write_parts(SHARDS, "d", "a=1", 43);
  strcpy(path[0], other);
  refused(PO_ERR_STATE, "/b3 does not belong to ", 1, 2, 3, 0); /* another model */
  write_parts(2, "e", "a=1", 42);
  strcpy(path[1], other);
  refused(PO_ERR_STATE, "one of 2 parts", 0, 1, -1, -1);
}

/* Any byte changed, and any end cut off, is noticed. */
static void test_damaged_parts_are_refused(void) {
  char *text;
  size_t size, i;
  po_error err;
  po_parts *parts;
  char file[64];
  const char *bad = file;
  po_format(file, sizeof file, "%s/bad0", folder);
  write_parts(1, "f", "a=1", 42);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_read_file(&text, &size, path[0], 0, &err));
  for (i = 0; i < size; i += 7) {
    text[i] ^= 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(bad, text, size, &err));
    TEST_ASSERT_TRUE(po_parts_read(&parts, &bad, 1, &err) != PO_OK);
    text[i] ^= 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(bad, text, i, &err));
    TEST_ASSERT_TRUE(po_parts_read(&parts, &bad, 1, &err) != PO_OK);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(bad, "{\"outcome\": \"success\"}\n", 23, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_parts_read(&parts, &bad, 1, &err));
  TEST_ASSERT_TRUE_MESSAGE(strstr(err.message, "not a part") != NULL, err.message);
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_parts_read(&parts, (const char *const[]){"/no/such.part"}, 1, &err));
  po_free(text);
}

static int asked;
static int stop_after_four(void) { return asked++ >= 4; }

/* An interrupted command leaves what is done, and goes on from there to the same bytes; one that differs is refused. */
static void test_what_was_interrupted_goes_on(void) {
  static const po_option resumable[] = {PO_OPTION_JOBS, PO_OPTION_RESUME, PO_OPTION_SIMD, {"set", "NAME=VALUE", "repeated"}, {"json", "FILE", "the result"}, {NULL, NULL, NULL}};
  static const po_command long_command = {"sums", "", "for tests", NULL, resumable, 0, 3, NULL};
  char out[64], part[80];
  const char *first[] = {"--json", out, "--set", "a=1", "walk"}, *again[] = {"--json", out, "--set", "a=1", "--resume", part, "walk"}, *other[] = {"--json", out, "--set", "a=2", "--resume", part, "walk"};
  po_buffer whole = {0}, joined = {0};
  po_work work;
  po_jobs jobs;
  po_args args;
  po_format(out, sizeof out, "%s/bad1", folder);
  po_format(part, sizeof part, "%s.part", out);
  memset(&work, 0, sizeof work);
  work.units = UNITS;
  work.key = 42;
  work.unit = unit;
  work.join = join;
  work.user = &whole;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_parse(&args, &long_command, 5, first));
  TEST_ASSERT_TRUE(po_jobs_read(&jobs, &args, "json"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_jobs_run(&jobs, &work));
  work.user = &joined;
  work.stop = stop_after_four;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_FAILED, po_jobs_run(&jobs, &work));
  TEST_ASSERT_EQUAL_INT(0, joined.size); /* nothing is joined yet */
  po_args_free(&args);
  work.stop = NULL;
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_parse(&args, &long_command, 7, other));
  TEST_ASSERT_TRUE(po_jobs_read(&jobs, &args, "json"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_USAGE, po_jobs_run(&jobs, &work));
  po_args_free(&args);
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_args_parse(&args, &long_command, 7, again));
  TEST_ASSERT_TRUE(po_jobs_read(&jobs, &args, "json"));
  TEST_ASSERT_EQUAL_INT(PO_EXIT_GOOD, po_jobs_run(&jobs, &work));
  TEST_ASSERT_EQUAL_INT((int)whole.size, (int)joined.size);
  TEST_ASSERT_EQUAL_MEMORY(whole.data, joined.data, whole.size);
  po_args_free(&args);
  remove(part);
  po_buffer_free(&whole);
  po_buffer_free(&joined);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  UNITY_BEGIN();
  RUN_TEST(test_parts_join_into_the_whole);
  RUN_TEST(test_incomplete_sets_are_refused_by_name);
  RUN_TEST(test_damaged_parts_are_refused);
  RUN_TEST(test_what_was_interrupted_goes_on);
  remove_files();
  return UNITY_END() != 0;
}
