/* unity.c: runs tests one after the other, each guarded by setjmp so that a failed assertion ends only its own test.
 * POISE_TEST=text in the environment runs only the tests whose name contains it. */
#include "unity.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *file, *test;
  int line, tests, failures, ignored, failed_now, ignored_now;
  jmp_buf out;
} unity;

/* A crash is reported under the name of the test that ran, then takes its course. */
static void unity_died(int number) {
  char text[512];
  int n = snprintf(text, sizeof text, "%s:%d:%s:FAIL: died (signal %d)\n", unity.file, unity.line, unity.test, number);
  signal(number, SIG_DFL);
  fflush(stdout);
  fwrite(text, 1, (size_t)n, stdout);
  fflush(stdout);
  raise(number);
}

static void unity_watch(int number) {
  void (*before)(int) = signal(number, unity_died);
  if (before != SIG_DFL) signal(number, before); /* a sanitizer's own report says more */
}

void UnityBegin(const char *file) {
  memset(&unity, 0, sizeof unity);
  unity.file = file;
  unity.test = "main";
  unity_watch(SIGSEGV);
  unity_watch(SIGFPE);
  unity_watch(SIGILL);
  unity_watch(SIGABRT);
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
  unity.line = line;
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

/* ---- verdicts ---- */

/* Opens the line of a failure; the caller prints expected and actual, then calls unity_stop. A failure in tearDown after one in
 * the test is told too, but on a line that is not counted again. */
static void unity_failure(int line) { printf("%s:%d:%s:%s: ", unity.file, line, unity.test, unity.failed_now ? "also" : "FAIL"); }

static void unity_stop(const char *message) {
  if (message) printf(". %s", message);
  printf("\n");
  unity.failed_now = 1;
  longjmp(unity.out, 1);
}

void unity_pass(void) { longjmp(unity.out, 1); }

void unity_fail(const char *message, int line) {
  unity_failure(line);
  printf("%s", message ? message : "");
  unity_stop(NULL);
}
void unity_ignore(const char *message, int line) {
  if (!unity.failed_now && !unity.ignored_now)
    printf("%s:%d:%s:IGNORE: %s\n", unity.file, line, unity.test, message ? message : "");
  unity.ignored_now = 1;
  longjmp(unity.out, 1);
}
void unity_message(const char *message, int line) { printf("%s:%d:%s:INFO: %s\n", unity.file, line, unity.test, message); }

void unity_check(int condition, const char *text, const char *message, int line) {
  if (condition) return;
  unity_failure(line);
  printf("expected %s", text);
  unity_stop(message);
}

/* ---- integers ---- */

static const char *const unity_words[] = {"less than ", "at most ", "", "anything but ", "at least ", "greater than "};

static int unity_holds(unity_relation relation, int order) { /* order: sign of actual − bound */
  switch (relation) {
    case UNITY_LESS: return order < 0;
    case UNITY_LESS_OR_EQUAL: return order <= 0;
    case UNITY_EQUAL: return order == 0;
    case UNITY_NOT_EQUAL: return order != 0;
    case UNITY_GREATER_OR_EQUAL: return order >= 0;
    case UNITY_GREATER: return order > 0;
  }
  return 0;
}

void unity_int(unity_relation relation, long long bound, long long actual, int hex, const char *message, int line) {
  if (unity_holds(relation, (actual > bound) - (actual < bound))) return;
  unity_failure(line);
  if (hex) printf("expected 0x%016llx was 0x%016llx", (unsigned long long)bound, (unsigned long long)actual);
  else printf("expected %s%lld was %lld", unity_words[relation], bound, actual);
  unity_stop(message);
}
void unity_uint(unity_relation relation, unsigned long long bound, unsigned long long actual, const char *message, int line) {
  if (unity_holds(relation, (actual > bound) - (actual < bound))) return;
  unity_failure(line);
  printf("expected %s%llu was %llu", unity_words[relation], bound, actual);
  unity_stop(message);
}
void unity_int_within(long long delta, long long expected, long long actual, const char *message, int line) {
  unsigned long long off = actual > expected ? (unsigned long long)actual - (unsigned long long)expected
                                             : (unsigned long long)expected - (unsigned long long)actual;
  if (off <= (unsigned long long)delta) return;
  unity_failure(line);
  printf("expected %lld +/- %lld was %lld", expected, delta, actual);
  unity_stop(message);
}
void unity_int_array(const int *expected, const int *actual, size_t n, const char *message, int line) {
  size_t i;
  for (i = 0; i < n && expected[i] == actual[i]; i++) {}
  if (i == n) return;
  unity_failure(line);
  printf("element %zu of %zu: expected %d was %d", i, n, expected[i], actual[i]);
  unity_stop(message);
}

/* ---- doubles ---- */

/* As Unity: equal infinities are within anything, otherwise the difference must be finite. A NaN is never within. */
static int unity_within(double delta, double expected, double actual) {
  double off = actual > expected ? actual - expected : expected - actual;
  return actual == expected || (off - off == 0 && off <= (delta < 0 ? -delta : delta));
}

void unity_double_within(double delta, double expected, double actual, const char *message, int line) {
  if (unity_within(delta, expected, actual)) return;
  unity_failure(line);
  printf("expected %.17g +/- %.3g was %.17g (off by %.3g)", expected, delta, actual, actual - expected);
  unity_stop(message);
}
void unity_double_equal(double expected, double actual, const char *message, int line) {
  unity_double_within(1e-12 * expected, expected, actual, message, line);
}
void unity_double_array(const double *expected, const double *actual, size_t n, const char *message, int line) {
  size_t i;
  for (i = 0; i < n && unity_within(1e-12 * expected[i], expected[i], actual[i]); i++) {}
  if (i == n) return;
  unity_failure(line);
  printf("element %zu of %zu: expected %.17g was %.17g (off by %.3g)", i, n, expected[i], actual[i], actual[i] - expected[i]);
  unity_stop(message);
}
void unity_double(unity_relation relation, double bound, double actual, const char *message, int line) {
  if (actual == actual && bound == bound && unity_holds(relation, (actual > bound) - (actual < bound))) return;
  unity_failure(line);
  printf("expected %s%.17g was %.17g", unity_words[relation], bound, actual);
  unity_stop(message);
}

/* ---- memory ---- */

void unity_string(const char *expected, const char *actual, size_t n, const char *message, int line) {
  if (expected == actual || (expected && actual && (n == (size_t)-1 ? !strcmp(expected, actual) : !strncmp(expected, actual, n))))
    return;
  unity_failure(line);
  printf("expected '%s' was '%s'", expected ? expected : "NULL", actual ? actual : "NULL");
  unity_stop(message);
}
void unity_memory(const void *expected, const void *actual, size_t n, const char *message, int line) {
  size_t i;
  const unsigned char *e = expected, *a = actual;
  for (i = 0; i < n && e[i] == a[i]; i++) {}
  if (i == n) return;
  unity_failure(line);
  printf("byte %zu of %zu: expected 0x%02x was 0x%02x", i, n, e[i], a[i]);
  unity_stop(message);
}
