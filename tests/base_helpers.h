/* base_helpers.h: what the tests of base/ share: an allocator that fails on demand, errors in units of the last place. */
#ifndef BASE_HELPERS_H
#define BASE_HELPERS_H

#include "base/base.h"
#include "unity.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define BASE_MAYBE __attribute__((unused)) static
#else
#define BASE_MAYBE static
#endif

BASE_MAYBE int base_full(void) { return getenv("POISE_FULL") != NULL; }

/* ---- an allocator that fails the k-th request, once or from then on ---------------------------------------------------- */

typedef struct failing {
  long requests, fail_at, live;
  int sticky, failures;
} failing;

BASE_MAYBE void *failing_resize(void *user, void *block, size_t bytes) {
  failing *f = user;
  if (bytes == 0) {
    if (block) f->live--;
    free(block);
    return NULL;
  }
  f->requests++;
  if (f->fail_at && (f->requests == f->fail_at || (f->sticky && f->requests > f->fail_at))) {
    f->failures++;
    return NULL;
  }
  if (!block) f->live++;
  return realloc(block, bytes);
}

/* Runs `call` with the k-th request failing for k = 1, 2, ... until one run has no failure: every failed run must return
 * PO_ERR_MEMORY and leave nothing allocated, the last must return PO_OK. `call` frees what it made. Returns how many k there were. */
BASE_MAYBE int failing_sweep(po_status (*call)(void *), void *context) {
  int count = 0;
  for (int sticky = 0; sticky < 2; sticky++) {
    count = 0;
    for (long k = 1;; k++, count++) {
      failing f = {0, k, 0, sticky, 0};
      char message[96];
      po_set_allocator(failing_resize, &f);
      po_status status = call(context);
      po_set_allocator(NULL, NULL);
      snprintf(message, sizeof message, "request %ld fails%s", k, sticky ? " and all after it" : "");
      TEST_ASSERT_EQUAL_INT_MESSAGE(f.failures ? PO_ERR_MEMORY : PO_OK, status, message);
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, f.live, message);
      if (!f.failures) break;
    }
  }
  return count;
}

/* ---- errors in units of the last place ------------------------------------------------------------------------------- */

BASE_MAYBE double base_ulp(double x) {
  int e;
  x = fabs(x);
  if (x < DBL_MIN) return 0x1p-1074;
  frexp(x, &e);
  return ldexp(1.0, e - 53);
}

/* The bits of x are those of y (so -0 is not 0, and NaN is NaN). */
BASE_MAYBE int base_same(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

/* Reference values computed with 1000 digits: f(x, y) = hi + lo. */
typedef struct golden_row {
  double x, y, hi, lo;
} golden_row;

BASE_MAYBE double golden_error(double got, const golden_row *row) { return fabs((got - row->hi) - row->lo) / base_ulp(row->hi); }

#define GOLDEN_CHECK(table, call, bound)                                                                                           \
  for (size_t i_ = 0; i_ < sizeof table / sizeof table[0]; i_++) {                                                                 \
    const golden_row *row = &table[i_];                                                                                            \
    double got_ = (call), error_ = golden_error(got_, row);                                                                        \
    char message_[160];                                                                                                            \
    snprintf(message_, sizeof message_, "at (%a, %a): expected %.17g, got %.17g, %.3f units in the last place", row->x, row->y,    \
             row->hi, got_, error_);                                                                                               \
    TEST_ASSERT_TRUE_MESSAGE(error_ <= (bound), message_);                                                                         \
  }

/* Is long double really longer here? (Not everywhere, and not under valgrind.) */
BASE_MAYBE int base_long_double(void) {
  volatile long double one = 1.0L, little = 0x1p-60L, sum = one + little;
  return sum != one;
}

typedef double (*base_function)(double);
typedef long double (*base_reference)(long double);
typedef double (*base_sampler)(po_rng *);

/* The largest error of f over random arguments against a long double reference must not exceed `bound` units. */
BASE_MAYBE void base_check_error(const char *name, base_function f, base_reference reference, base_sampler sample, double bound) {
  if (!base_long_double()) return;
  const uint64_t seed = 20240;
  int n = base_full() ? 2000000 : 60000;
  double worst = 0.0, at = 0.0;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < n; i++) {
    double x = sample(&rng), got = f(x);
    long double exact = reference((long double)x);
    double error = (double)exact == got ? 0.0 : (double)(fabsl((long double)got - exact) / (long double)base_ulp((double)exact));
    if (!(error <= worst)) worst = error, at = x; /* NaN counts as worst */
  }
  char message[160];
  snprintf(message, sizeof message, "%s: %.4f units in the last place at %a (seed %llu), bound %.2f", name, worst, at,
           (unsigned long long)seed, bound);
  TEST_ASSERT_TRUE_MESSAGE(worst <= bound, message);
}

#endif
