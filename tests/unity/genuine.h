/* genuine.h: included before every test when they are built against the genuine Unity (make UNITY=DIR).
 * Adds the comparisons of doubles that releases before 2.5.3 lack, and the filter by name (POISE_TEST) that our runner has. */
#ifndef PO_UNITY_GENUINE_H
#define PO_UNITY_GENUINE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* tests that need it define it too, but after this file */
#endif
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#ifndef TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE
#define TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(t, a, m) TEST_ASSERT_TRUE_MESSAGE((a) < (t), m)
#define TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(t, a, m) TEST_ASSERT_TRUE_MESSAGE((a) > (t), m)
#define TEST_ASSERT_LESS_THAN_DOUBLE(t, a) TEST_ASSERT_TRUE_MESSAGE((a) < (t), #a " < " #t)
#define TEST_ASSERT_GREATER_THAN_DOUBLE(t, a) TEST_ASSERT_TRUE_MESSAGE((a) > (t), #a " > " #t)
#endif

static inline int unity_wanted(const char *name) {
  const char *filter = getenv("POISE_TEST");
  return !filter || !*filter || strstr(name, filter) != NULL;
}
#undef RUN_TEST
#define RUN_TEST(test) \
  do { \
    if (unity_wanted(#test)) UnityDefaultTestRun(test, #test, __LINE__); \
  } while (0)

#endif
