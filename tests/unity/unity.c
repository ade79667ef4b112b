/* unity.c: runs tests, one after the other, each guarded by setjmp so that a failed assertion ends only its own test.
 * POISE_TEST=text in the environment runs only the tests whose name contains it. */
#include "unity.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *file, *test;
  int tests, failures, ignored, failed_now, ignored_now;
  jmp_buf out;
} unity;

void UnityBegin(const char *file) {
  memset(&unity, 0, sizeof unity);
  unity.file = file;
}

int UnityEnd(void) {
  printf("-----------------------\n%d Tests %d Failures %d Ignored\n%s\n", unity.tests, unity.failures, unity.ignored,
         unity.failures ? "FAIL" : "OK");
  return unity.failures;
}

void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line) {
  const char *filter = getenv("POISE_TEST");
  if (filter && *filter && !strstr(name, filter)) return;
  unity.test = name;
  unity.failed_now = unity.ignored_now = 0;
  unity.tests++;
  if (!setjmp(unity.out)) {
    setUp();
    test();
  }
  if (!setjmp(unity.out)) tearDown();
  if (unity.failed_now) unity.failures++;
  else if (unity.ignored_now) unity.ignored++;
  else printf("%s:%d:%s:PASS\n", unity.file, line, name);
  fflush(stdout);
}

static void verdict(const char *what, const char *message, int line) {
  printf("%s:%d:%s:%s", unity.file, line, unity.test, what);
  if (message) printf(": %s", message);
}
static void stop_failed(const char *message) {
  if (message) printf(" (%s)", message);
  printf("\n");
  unity.failed_now = 1;
  longjmp(unity.out, 1);
}

void unity_fail(const char *message, int line) {
  verdict("FAIL", message, line);
  stop_failed(NULL);
}
void unity_ignore(const char *message, int line) {
  verdict("IGNORE", message, line);
  printf("\n");
  unity.ignored_now = 1;
  longjmp(unity.out, 1);
}
void unity_check(int condition, const char *text, const char *message, int line) {
  if (condition) return;
  verdict("FAIL", NULL, line);
  printf(": expected %s", text);
  stop_failed(message);
}
void unity_equal_int(long long expected, long long actual, const char *message, int line) {
  if (expected == actual) return;
  verdict("FAIL", NULL, line);
  printf(": expected %lld was %lld", expected, actual);
  stop_failed(message);
}
void unity_compare_int(long long bound, long long actual, int relation, const char *message, int line) {
  static const char *const words[] = {"at most", "less than", "", "greater than", "at least"};
  int good = relation == -2 ? actual <= bound : relation == -1 ? actual < bound : relation == 1 ? actual > bound : actual >= bound;
  if (good) return;
  verdict("FAIL", NULL, line);
  printf(": expected %s %lld was %lld", words[relation + 2], bound, actual);
  stop_failed(message);
}
void unity_double_within(double delta, double expected, double actual, const char *message, int line) {
  double off = actual - expected;
  if (actual == expected || (off <= delta && -off <= delta)) return; /* NaN fails */
  verdict("FAIL", NULL, line);
  printf(": expected %.17g +/- %.3g was %.17g (off by %.3g)", expected, delta, actual, off);
  stop_failed(message);
}
void unity_compare_double(double bound, double actual, int greater, const char *message, int line) {
  if (greater ? actual > bound : actual < bound) return;
  verdict("FAIL", NULL, line);
  printf(": expected %s than %.17g was %.17g", greater ? "greater" : "less", bound, actual);
  stop_failed(message);
}
void unity_equal_string(const char *expected, const char *actual, const char *message, int line) {
  if (expected == actual || (expected && actual && !strcmp(expected, actual))) return;
  verdict("FAIL", NULL, line);
  printf(": expected '%s' was '%s'", expected ? expected : "NULL", actual ? actual : "NULL");
  stop_failed(message);
}
void unity_equal_memory(const void *expected, const void *actual, size_t n, const char *message, int line) {
  size_t i;
  const unsigned char *e = expected, *a = actual;
  for (i = 0; i < n && e[i] == a[i]; i++) {}
  if (i == n) return;
  verdict("FAIL", NULL, line);
  printf(": byte %zu of %zu: expected 0x%02x was 0x%02x", i, n, e[i], a[i]);
  stop_failed(message);
}
