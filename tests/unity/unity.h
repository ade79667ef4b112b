/* unity.h: a small test runner, source-compatible with the part of ThrowTheSwitch's Unity that Poise uses.
 *
 *   running        UNITY_BEGIN  RUN_TEST  UNITY_END  setUp  tearDown
 *   verdicts       TEST_PASS  TEST_FAIL  TEST_IGNORE  TEST_MESSAGE
 *   truth          TEST_ASSERT  TEST_ASSERT_TRUE  _FALSE  _NULL  _NOT_NULL
 *   integers       TEST_ASSERT_EQUAL_INT  _UINT  _INT64  _UINT64  _HEX64  _size_t  _NOT_EQUAL  _LESS_THAN …  _INT_WITHIN  _EQUAL_INT_ARRAY
 *   doubles        TEST_ASSERT_DOUBLE_WITHIN  _EQUAL_DOUBLE  _EQUAL_DOUBLE_ARRAY  _LESS_THAN_DOUBLE  _GREATER_THAN_DOUBLE  _DOUBLE_IS_NAN …
 *   memory         TEST_ASSERT_EQUAL_STRING  _STRING_LEN  _MEMORY  _PTR
 *
 * Every assertion has a form …_MESSAGE with a further argument, printed when it fails: put the seed there. A failed assertion ends
 * its test. Tests keep to what the genuine Unity 2.5 offers (genuine.h adds the two comparisons of doubles), so that
 * `make test UNITY=DIR` builds the very same files against it.
 */
#ifndef PO_UNITY_H
#define PO_UNITY_H

#include <setjmp.h>
#include <stddef.h>

typedef void (*UnityTestFunction)(void);

void setUp(void);    /* before each test; every program defines it */
void tearDown(void); /* after each test, also a failed one */

void UnityBegin(const char *file);
int UnityEnd(void); /* number of failures: `return UNITY_END() != 0;` */
void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line);

typedef enum { UNITY_LESS, UNITY_LESS_OR_EQUAL, UNITY_EQUAL, UNITY_NOT_EQUAL, UNITY_GREATER_OR_EQUAL, UNITY_GREATER } unity_relation;
void unity_pass(void);
void unity_fail(const char *message, int line);
void unity_ignore(const char *message, int line);
void unity_message(const char *message, int line);
void unity_check(int condition, const char *text, const char *message, int line);
void unity_int(unity_relation relation, long long bound, long long actual, int hex, const char *message, int line);
void unity_uint(unity_relation relation, unsigned long long bound, unsigned long long actual, const char *message, int line);
void unity_int_within(long long delta, long long expected, long long actual, const char *message, int line);
void unity_int_array(const int *expected, const int *actual, size_t n, const char *message, int line);
void unity_double(unity_relation relation, double bound, double actual, const char *message, int line);
void unity_double_within(double delta, double expected, double actual, const char *message, int line);
void unity_double_equal(double expected, double actual, const char *message, int line);
void unity_double_array(const double *expected, const double *actual, size_t n, const char *message, int line);
void unity_string(const char *expected, const char *actual, size_t n, const char *message, int line);
void unity_memory(const void *expected, const void *actual, size_t n, const char *message, int line);

#define UNITY_BEGIN() UnityBegin(__FILE__)
#define UNITY_END() UnityEnd()
#define RUN_TEST(test) UnityDefaultTestRun(test, #test, __LINE__)

/* ---- verdicts ---- */
#define TEST_PASS() unity_pass()
#define TEST_FAIL_MESSAGE(m) unity_fail((m), __LINE__)
#define TEST_FAIL() unity_fail(NULL, __LINE__)
#define TEST_IGNORE_MESSAGE(m) unity_ignore((m), __LINE__)
#define TEST_IGNORE() unity_ignore(NULL, __LINE__)
#define TEST_MESSAGE(m) unity_message((m), __LINE__)

/* ---- truth ---- */
#define TEST_ASSERT_MESSAGE(c, m) unity_check(!!(c), #c, (m), __LINE__)
#define TEST_ASSERT(c) TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_TRUE_MESSAGE(c, m) TEST_ASSERT_MESSAGE(c, m)
#define TEST_ASSERT_TRUE(c) TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_UNLESS(c) TEST_ASSERT_MESSAGE(!(c), NULL)
#define TEST_ASSERT_FALSE_MESSAGE(c, m) TEST_ASSERT_MESSAGE(!(c), m)
#define TEST_ASSERT_FALSE(c) TEST_ASSERT_MESSAGE(!(c), NULL)
#define TEST_ASSERT_NULL_MESSAGE(p, m) TEST_ASSERT_MESSAGE((p) == NULL, m)
#define TEST_ASSERT_NULL(p) TEST_ASSERT_MESSAGE((p) == NULL, NULL)
#define TEST_ASSERT_NOT_NULL_MESSAGE(p, m) TEST_ASSERT_MESSAGE((p) != NULL, m)
#define TEST_ASSERT_NOT_NULL(p) TEST_ASSERT_MESSAGE((p) != NULL, NULL)

/* ---- integers ---- */
#define UNITY_INT_(r, e, a, m) unity_int((r), (long long)(e), (long long)(a), 0, (m), __LINE__)
#define UNITY_HEX_(e, a, m) unity_int(UNITY_EQUAL, (long long)(e), (long long)(a), 1, (m), __LINE__)
#define UNITY_UINT_(r, e, a, m) unity_uint((r), (unsigned long long)(e), (unsigned long long)(a), (m), __LINE__)
#define TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m) UNITY_INT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_INT(e, a) UNITY_INT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_MESSAGE(e, a, m) UNITY_INT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL(e, a) UNITY_INT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_NOT_EQUAL_MESSAGE(e, a, m) UNITY_INT_(UNITY_NOT_EQUAL, e, a, m)
#define TEST_ASSERT_NOT_EQUAL(e, a) UNITY_INT_(UNITY_NOT_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_INT64_MESSAGE(e, a, m) UNITY_INT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_INT64(e, a) UNITY_INT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT_MESSAGE(e, a, m) UNITY_UINT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_UINT(e, a) UNITY_UINT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT64_MESSAGE(e, a, m) UNITY_UINT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_UINT64(e, a) UNITY_UINT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_size_t_MESSAGE(e, a, m) UNITY_UINT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_size_t(e, a) UNITY_UINT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_CHAR_MESSAGE(e, a, m) UNITY_INT_(UNITY_EQUAL, e, a, m)
#define TEST_ASSERT_EQUAL_CHAR(e, a) UNITY_INT_(UNITY_EQUAL, e, a, NULL)
#define TEST_ASSERT_EQUAL_HEX_MESSAGE(e, a, m) UNITY_HEX_(e, a, m)
#define TEST_ASSERT_EQUAL_HEX(e, a) UNITY_HEX_(e, a, NULL)
#define TEST_ASSERT_EQUAL_HEX32_MESSAGE(e, a, m) UNITY_HEX_(e, a, m)
#define TEST_ASSERT_EQUAL_HEX32(e, a) UNITY_HEX_(e, a, NULL)
#define TEST_ASSERT_EQUAL_HEX64_MESSAGE(e, a, m) UNITY_HEX_(e, a, m)
#define TEST_ASSERT_EQUAL_HEX64(e, a) UNITY_HEX_(e, a, NULL)
#define TEST_ASSERT_LESS_THAN_INT_MESSAGE(t, a, m) UNITY_INT_(UNITY_LESS, t, a, m)
#define TEST_ASSERT_LESS_THAN_INT(t, a) UNITY_INT_(UNITY_LESS, t, a, NULL)
#define TEST_ASSERT_GREATER_THAN_INT_MESSAGE(t, a, m) UNITY_INT_(UNITY_GREATER, t, a, m)
#define TEST_ASSERT_GREATER_THAN_INT(t, a) UNITY_INT_(UNITY_GREATER, t, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(t, a, m) UNITY_INT_(UNITY_LESS_OR_EQUAL, t, a, m)
#define TEST_ASSERT_LESS_OR_EQUAL_INT(t, a) UNITY_INT_(UNITY_LESS_OR_EQUAL, t, a, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(t, a, m) UNITY_INT_(UNITY_GREATER_OR_EQUAL, t, a, m)
#define TEST_ASSERT_GREATER_OR_EQUAL_INT(t, a) UNITY_INT_(UNITY_GREATER_OR_EQUAL, t, a, NULL)
#define TEST_ASSERT_LESS_THAN_MESSAGE(t, a, m) UNITY_INT_(UNITY_LESS, t, a, m)
#define TEST_ASSERT_LESS_THAN(t, a) UNITY_INT_(UNITY_LESS, t, a, NULL)
#define TEST_ASSERT_GREATER_THAN_MESSAGE(t, a, m) UNITY_INT_(UNITY_GREATER, t, a, m)
#define TEST_ASSERT_GREATER_THAN(t, a) UNITY_INT_(UNITY_GREATER, t, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL(t, a) UNITY_INT_(UNITY_LESS_OR_EQUAL, t, a, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL(t, a) UNITY_INT_(UNITY_GREATER_OR_EQUAL, t, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_size_t_MESSAGE(t, a, m) UNITY_UINT_(UNITY_LESS_OR_EQUAL, t, a, m)
#define TEST_ASSERT_LESS_OR_EQUAL_size_t(t, a) UNITY_UINT_(UNITY_LESS_OR_EQUAL, t, a, NULL)
#define TEST_ASSERT_INT_WITHIN_MESSAGE(d, e, a, m) unity_int_within((long long)(d), (long long)(e), (long long)(a), (m), __LINE__)
#define TEST_ASSERT_INT_WITHIN(d, e, a) TEST_ASSERT_INT_WITHIN_MESSAGE(d, e, a, NULL)
#define TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, m) unity_int_array((e), (a), (size_t)(n), (m), __LINE__)
#define TEST_ASSERT_EQUAL_INT_ARRAY(e, a, n) TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, NULL)

/* ---- doubles: EQUAL means within 1e-12 of the expected value, relatively; a NaN equals nothing ---- */
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(d, e, a, m) unity_double_within((d), (e), (a), (m), __LINE__)
#define TEST_ASSERT_DOUBLE_WITHIN(d, e, a) unity_double_within((d), (e), (a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(e, a, m) unity_double_equal((e), (a), (m), __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE(e, a) unity_double_equal((e), (a), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(e, a, n, m) unity_double_array((e), (a), (size_t)(n), (m), __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY(e, a, n) unity_double_array((e), (a), (size_t)(n), NULL, __LINE__)
#define TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(t, a, m) unity_double(UNITY_LESS, (t), (a), (m), __LINE__)
#define TEST_ASSERT_LESS_THAN_DOUBLE(t, a) unity_double(UNITY_LESS, (t), (a), NULL, __LINE__)
#define TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(t, a, m) unity_double(UNITY_GREATER, (t), (a), (m), __LINE__)
#define TEST_ASSERT_GREATER_THAN_DOUBLE(t, a) unity_double(UNITY_GREATER, (t), (a), NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NAN_MESSAGE(a, m) unity_check((a) != (a), #a " is NaN", (m), __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NAN(a) TEST_ASSERT_DOUBLE_IS_NAN_MESSAGE(a, NULL)
#define TEST_ASSERT_DOUBLE_IS_INF_MESSAGE(a, m) unity_check((a) == __builtin_inf(), #a " is +inf", (m), __LINE__)
#define TEST_ASSERT_DOUBLE_IS_INF(a) TEST_ASSERT_DOUBLE_IS_INF_MESSAGE(a, NULL)
#define TEST_ASSERT_DOUBLE_IS_NEG_INF_MESSAGE(a, m) unity_check((a) == -__builtin_inf(), #a " is -inf", (m), __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NEG_INF(a) TEST_ASSERT_DOUBLE_IS_NEG_INF_MESSAGE(a, NULL)
#define TEST_ASSERT_DOUBLE_IS_DETERMINATE(a) unity_check((a) - (a) == 0, #a " is finite", NULL, __LINE__)

/* ---- memory ---- */
#define TEST_ASSERT_EQUAL_STRING_MESSAGE(e, a, m) unity_string((e), (a), (size_t)-1, (m), __LINE__)
#define TEST_ASSERT_EQUAL_STRING(e, a) unity_string((e), (a), (size_t)-1, NULL, __LINE__)
#define TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(e, a, n, m) unity_string((e), (a), (size_t)(n), (m), __LINE__)
#define TEST_ASSERT_EQUAL_STRING_LEN(e, a, n) unity_string((e), (a), (size_t)(n), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_MEMORY_MESSAGE(e, a, n, m) unity_memory((e), (a), (size_t)(n), (m), __LINE__)
#define TEST_ASSERT_EQUAL_MEMORY(e, a, n) unity_memory((e), (a), (size_t)(n), NULL, __LINE__)
#define TEST_ASSERT_EQUAL_PTR_MESSAGE(e, a, m) unity_check((const void *)(e) == (const void *)(a), #a " == " #e, (m), __LINE__)
#define TEST_ASSERT_EQUAL_PTR(e, a) TEST_ASSERT_EQUAL_PTR_MESSAGE(e, a, NULL)

#endif
