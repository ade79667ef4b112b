/* unity.h: a small test runner, source-compatible with the part of ThrowTheSwitch's Unity that Poise uses. */
#ifndef PO_UNITY_H
#define PO_UNITY_H

#include <setjmp.h>
#include <stddef.h>

typedef void (*UnityTestFunction)(void);

void setUp(void);
void tearDown(void);

void UnityBegin(const char *file);
int UnityEnd(void);
void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line);
void unity_fail(const char *message, int line);
void unity_ignore(const char *message, int line);
void unity_check(int condition, const char *text, const char *message, int line);
void unity_equal_int(long long expected, long long actual, const char *message, int line);
void unity_compare_int(long long bound, long long actual, int relation, const char *message, int line);
void unity_double_within(double delta, double expected, double actual, const char *message, int line);
void unity_compare_double(double bound, double actual, int greater, const char *message, int line);
void unity_equal_string(const char *expected, const char *actual, const char *message, int line);
void unity_equal_memory(const void *expected, const void *actual, size_t n, const char *message, int line);

#define UNITY_BEGIN() UnityBegin(__FILE__)
#define UNITY_END() UnityEnd()
#define RUN_TEST(test) UnityDefaultTestRun(test, #test, __LINE__)

#define TEST_FAIL_MESSAGE(m) unity_fail((m), __LINE__)
#define TEST_FAIL() unity_fail(NULL, __LINE__)
#define TEST_IGNORE_MESSAGE(m) unity_ignore((m), __LINE__)
#define TEST_IGNORE() unity_ignore(NULL, __LINE__)
#define TEST_PASS() return

#define TEST_ASSERT_MESSAGE(c, m) unity_check(!!(c), #c, (m), __LINE__)
#define TEST_ASSERT(c) TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_TRUE(c) TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_TRUE_MESSAGE(c, m) TEST_ASSERT_MESSAGE(c, m)
#define TEST_ASSERT_FALSE(c) TEST_ASSERT_MESSAGE(!(c), NULL)
#define TEST_ASSERT_FALSE_MESSAGE(c, m) TEST_ASSERT_MESSAGE(!(c), m)
#define TEST_ASSERT_NULL(p) TEST_ASSERT_MESSAGE((p) == NULL, NULL)
#define TEST_ASSERT_NOT_NULL(p) TEST_ASSERT_MESSAGE((p) != NULL, NULL)
#define TEST_ASSERT_NOT_NULL_MESSAGE(p, m) TEST_ASSERT_MESSAGE((p) != NULL, m)
#define TEST_ASSERT_EQUAL_INT(e, a) unity_equal_int((long long)(e), (long long)(a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m) unity_equal_int((long long)(e), (long long)(a), (m), __LINE__)
#define TEST_ASSERT_EQUAL(e, a) TEST_ASSERT_EQUAL_INT(e, a)
#define TEST_ASSERT_EQUAL_UINT64(e, a) unity_equal_int((long long)(e), (long long)(a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_HEX64(e, a) unity_equal_int((long long)(e), (long long)(a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_HEX64_MESSAGE(e, a, m) unity_equal_int((long long)(e), (long long)(a), (m), __LINE__)
#define TEST_ASSERT_LESS_THAN_INT(t, a) unity_compare_int((long long)(t), (long long)(a), -1, NULL, __LINE__)
#define TEST_ASSERT_GREATER_THAN_INT(t, a) unity_compare_int((long long)(t), (long long)(a), 1, NULL, __LINE__)
#define TEST_ASSERT_LESS_OR_EQUAL_INT(t, a) unity_compare_int((long long)(t), (long long)(a), -2, NULL, __LINE__)
#define TEST_ASSERT_GREATER_OR_EQUAL_INT(t, a) unity_compare_int((long long)(t), (long long)(a), 2, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_WITHIN(d, e, a) unity_double_within((d), (e), (a), NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(d, e, a, m) unity_double_within((d), (e), (a), (m), __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE(e, a) unity_double_within(0.00000000001 * ((e) < 0 ? -(e) : (e)), (e), (a), NULL, __LINE__)
#define TEST_ASSERT_LESS_THAN_DOUBLE(t, a) unity_compare_double((t), (a), 0, NULL, __LINE__)
#define TEST_ASSERT_GREATER_THAN_DOUBLE(t, a) unity_compare_double((t), (a), 1, NULL, __LINE__)
#define TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(t, a, m) unity_compare_double((t), (a), 0, (m), __LINE__)
#define TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(t, a, m) unity_compare_double((t), (a), 1, (m), __LINE__)
#define TEST_ASSERT_EQUAL_STRING(e, a) unity_equal_string((e), (a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_STRING_MESSAGE(e, a, m) unity_equal_string((e), (a), (m), __LINE__)
#define TEST_ASSERT_EQUAL_MEMORY(e, a, n) unity_equal_memory((e), (a), (n), NULL, __LINE__)

#endif
