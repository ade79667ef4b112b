/* replay.c: runs a fuzz target over its corpus, tests/fuzz/corpus/NAME for the program fuzz_NAME, with any compiler.
 * Each file is given whole and cut short at up to 40 places, since truncated input is the commonest bad input. What is being replayed
 * stands last in the output if the target dies. */
#define _POSIX_C_SOURCE 200809L
#include "unity.h"
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No input may take longer, on a busy machine and under sanitizers. The fuzzer itself has -timeout=10 (tests/fuzz/run). */
#define REPLAY_SECONDS 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *replay_name;

void setUp(void) {}
void tearDown(void) {}

static void replay_cut(const uint8_t *data,
                       size_t size) { /* a block of its exact size, so that a sanitizer sees reads past the end */
  uint8_t *copy = malloc(size ? size : 1);
  TEST_ASSERT_NOT_NULL(copy);
  if (size) memcpy(copy, data, size);
  alarm(REPLAY_SECONDS); /* who takes longer is ended by the signal, its name the last that was printed */
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, LLVMFuzzerTestOneInput(copy, size), "a fuzz target returns 0");
  alarm(0);
  free(copy);
}

static void replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data;
  long size;
  int i;
  TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  data = malloc(size > 0 ? (size_t)size : 1);
  TEST_ASSERT_NOT_NULL(data);
  TEST_ASSERT_EQUAL_INT_MESSAGE(size, (long)fread(data, 1, (size_t)size, file), path);
  fclose(file);
  printf("replaying %s\n", path);
  fflush(stdout);
  replay_cut(data, (size_t)size);
  for (i = 0; i < 40; i++) replay_cut(data, (size_t)(size * i / 40));
  free(data);
}

static void test_corpus(void) {
  char folder[512], path[1024];
  struct dirent *entry;
  int files = 0;
  DIR *dir;
  snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", replay_name);
  dir = opendir(folder);
  TEST_ASSERT_NOT_NULL_MESSAGE(dir, folder);
  while ((entry = readdir(dir)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    replay_file(path);
    files++;
  }
  closedir(dir);
  TEST_ASSERT_GREATER_THAN_INT_MESSAGE(0, files, "the corpus is empty");
}

int main(int argc, char **argv) {
  const char *name = strstr(argc > 0 ? argv[0] : "", "fuzz_");
  while (name && strstr(name + 1, "fuzz_")) name = strstr(name + 1, "fuzz_");
  replay_name = name ? name + 5 : "";
  UNITY_BEGIN();
  RUN_TEST(test_corpus);
  return UNITY_END() != 0;
}
