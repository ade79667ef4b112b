/* la_helpers.h: matrices to test la/ with, and comparisons that say what a person needs.
 *
 * Every view that la_mat gives has a leading dimension larger than its columns, starts at an odd offset, and is surrounded by
 * NaN: a kernel that reads or writes outside its view is found by la_padding_intact or by a NaN in its result.
 * Bounds are c · n · eps · ‖A‖ with c stated where it is used. */
#ifndef LA_HELPERS_H
#define LA_HELPERS_H

#include "la/la.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define LA_MAYBE __attribute__((unused)) static
#else
#define LA_MAYBE static
#endif

#if defined(__SANITIZE_ADDRESS__)
#define LA_EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LA_EXACT 1
#endif
#endif
#ifndef LA_EXACT
#define LA_EXACT 0
#endif

/* ---- memory: one arena, started afresh by la_reset (call it in setUp and at the top of each case) --------------------- */

/* Under the address sanitizer each matrix is a block of its own that ends with its last element, so that a vector that is read past
 * the end is found, too. */
static po_arena la_arena;
static void *la_memory;
static void *la_blocks[4096];
static int la_block_count;

LA_MAYBE void *la_block_new(size_t bytes) {
  void *p = malloc(bytes);
  if (!p || la_block_count == 4096) exit(3);
  la_blocks[la_block_count++] = p;
  return p;
}

LA_MAYBE void la_reset(void) {
  size_t bytes = (size_t)48 << 20;
  if (!la_memory) la_memory = malloc(bytes);
  if (!la_memory) exit(3);
  while (la_block_count > 0) free(la_blocks[--la_block_count]);
  po_arena_init(&la_arena, la_memory, bytes);
}

LA_MAYBE int la_full(void) { return getenv("POISE_FULL") != NULL; }

#define LA_GUARD 3

LA_MAYBE po_mat la_mat(int rows, int cols) {
  int ld = cols + LA_GUARD, last = rows > 0 ? (rows - 1) * ld + cols : 0;
  size_t count = LA_EXACT ? (size_t)(last + LA_GUARD) : (size_t)(rows + 1) * (size_t)ld + LA_GUARD, i;
  double *p = LA_EXACT ? (double *)la_block_new(sizeof(double) * count) : PO_ARENA_ARRAY(&la_arena, double, count);
  if (!p) exit(3);
  for (i = 0; i < count; i++) p[i] = PO_NAN;
  return po_mat_of(p + LA_GUARD, rows, cols, ld);
}

LA_MAYBE int la_padding_intact(po_mat A) {
  int i, j;
  for (j = 1; j <= LA_GUARD; j++)
    if (A.a[-j] == A.a[-j]) return 0;
  for (i = 0; i < A.rows - LA_EXACT; i++)
    for (j = A.cols; j < A.ld; j++)
      if (PO_AT(A, i, j) == PO_AT(A, i, j)) return 0;
  for (j = 0; j < A.ld && !LA_EXACT; j++) /* the row after the last */
    if (PO_AT(A, A.rows, j) == PO_AT(A, A.rows, j)) return 0;
  return 1;
}

LA_MAYBE double *la_vec(int n) {
  double *p = LA_EXACT ? (double *)la_block_new(sizeof(double) * (size_t)n) : PO_ARENA_ARRAY(&la_arena, double, n);
  if (!p && n > 0) exit(3);
  if (n > 0) memset(p, 0, sizeof(double) * (size_t)n);
  return p;
}

LA_MAYBE po_mat la_copy(po_mat A) {
  po_mat B = la_mat(A.rows, A.cols);
  po_mat_copy(B, A);
  return B;
}

/* ---- kinds of matrices ------------------------------------------------------------------------------------------------- */

typedef enum la_kind {
  LA_RANDOM,
  LA_GRADED, /* columns scaled from 1e-12 to 1e+12 */
  LA_HILBERT,
  LA_DEFICIENT,  /* rank about half */
  LA_DUPLICATED, /* every row stands twice */
  LA_ZERO,
  LA_HUGE, /* 1e+300 */
  LA_TINY, /* 1e-300 */
  LA_KIND_COUNT
} la_kind;

LA_MAYBE const char *la_kind_name(la_kind kind) {
  static const char *const names[] = {"random", "graded", "hilbert", "rank-deficient", "duplicated rows", "zero", "huge", "tiny"};
  return names[kind];
}

LA_MAYBE void la_random(po_mat A, po_rng *rng) {
  int i, j;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) PO_AT(A, i, j) = po_rng_range(rng, -1, 1);
}

LA_MAYBE void la_random_vec(double *x, int n, po_rng *rng) {
  int i;
  for (i = 0; i < n; i++) x[i] = po_rng_range(rng, -1, 1);
}

LA_MAYBE int la_deficient_rank(int m, int n) { return ((m < n ? m : n) + 1) / 2; }

LA_MAYBE void la_make(po_mat A, la_kind kind, uint64_t seed) {
  int m = A.rows, n = A.cols, i, j, k, r = la_deficient_rank(m, n);
  po_rng rng;
  po_rng_init(&rng, seed, (uint64_t)kind);
  la_random(A, &rng);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      double *a = &PO_AT(A, i, j);
      switch (kind) {
        case LA_GRADED: *a *= po_exp((n > 1 ? 2.0 * j / (n - 1) - 1 : 1) * 27.631021115928547); break; /* ln 1e12 */
        case LA_HILBERT: *a = 1.0 / (i + j + 1); break;
        case LA_DUPLICATED:
          if (i % 2) *a = PO_AT(A, i - 1, j);
          break;
        case LA_ZERO: *a = 0; break;
        case LA_HUGE: *a *= 1e300; break;
        case LA_TINY: *a *= 1e-300; break;
        default: break;
      }
    }
  if (kind == LA_DEFICIENT) { /* product of m×r and r×n */
    po_mat X = la_mat(m, r), Y = la_mat(r, n);
    la_random(X, &rng);
    la_random(Y, &rng);
    for (i = 0; i < m; i++)
      for (j = 0; j < n; j++) {
        double s = 0;
        for (k = 0; k < r; k++) s += PO_AT(X, i, k) * PO_AT(Y, k, j);
        PO_AT(A, i, j) = s;
      }
  }
}

/* Symmetric positive definite: X X' + n I, or 10^(±6)-scaled rows and columns of it when graded. */
LA_MAYBE void la_make_spd(po_mat A, la_kind kind, uint64_t seed) {
  int n = A.rows, i, j, k;
  po_mat X = la_mat(n, n);
  la_make(X, LA_RANDOM, seed);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double s = i == j ? 0.1 * n : 0;
      for (k = 0; k < n; k++) s += PO_AT(X, i, k) * PO_AT(X, j, k);
      if (kind == LA_GRADED && n > 1) s *= po_exp((1.0 * (i + j) / (n - 1) - 1) * 13.815510557964274);
      if (kind == LA_HILBERT) s = 1.0 / (i + j + 1) + (i == j ? 1e-9 : 0);
      if (kind == LA_HUGE) s *= 1e200;
      if (kind == LA_TINY) s *= 1e-200;
      PO_AT(A, i, j) = s;
    }
}

/* ---- reference results, in long double --------------------------------------------------------------------------------- */

LA_MAYBE double la_at(po_mat A, po_trans t, int i, int j) { return t == PO_T ? PO_AT(A, j, i) : PO_AT(A, i, j); }

/* op(A) op(B), each element summed in long double. */
LA_MAYBE po_mat la_product(po_mat A, po_trans ta, po_mat B, po_trans tb) {
  int m = ta == PO_T ? A.cols : A.rows, depth = ta == PO_T ? A.rows : A.cols, n = tb == PO_T ? B.rows : B.cols, i, j, k;
  po_mat C = la_mat(m, n);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      long double s = 0;
      for (k = 0; k < depth; k++) s += (long double)la_at(A, ta, i, k) * (long double)la_at(B, tb, k, j);
      PO_AT(C, i, j) = (double)s;
    }
  return C;
}

/* The triangle of A, the rest zero; unit: ones on the diagonal. */
LA_MAYBE po_mat la_triangle(po_mat A, po_uplo uplo, int unit) {
  po_mat T = la_mat(A.rows, A.cols);
  int i, j;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) {
      int in = uplo == PO_LOWER ? j <= i : j >= i;
      PO_AT(T, i, j) = unit && i == j ? 1 : in ? PO_AT(A, i, j) : 0;
    }
  return T;
}

LA_MAYBE double la_frobenius(po_mat A) { /* scaled by hand: independent of the library */
  double top = 0;
  long double s = 0;
  int i, j;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) top = fabs(PO_AT(A, i, j)) > top ? fabs(PO_AT(A, i, j)) : top;
  if (top == 0) return 0;
  for (i = 0; i < A.rows; i++)
    for (j = 0; j < A.cols; j++) s += (long double)(PO_AT(A, i, j) / top) * (long double)(PO_AT(A, i, j) / top);
  return top * sqrt((double)s);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------------- */

/* c · max(1,n) · eps · scale */
LA_MAYBE double la_bound(double c, int n, double scale) { return c * (n > 1 ? n : 1) * PO_EPS * scale; }

LA_MAYBE void la_fail(const char *what, int line) {
  static char text[600];
  snprintf(text, sizeof text, "called from line %d: %s", line, what);
  TEST_FAIL_MESSAGE(text);
}

/* Every |expected − actual| ≤ bound; the message names the worst element. NaN fails. */
LA_MAYBE void la_assert_near(po_mat expected, po_mat actual, double bound, const char *what, uint64_t seed, int line) {
  char text[512];
  double worst = -1;
  int i, j, wi = 0, wj = 0;
  if (expected.rows != actual.rows || expected.cols != actual.cols) la_fail("shapes differ", line);
  for (i = 0; i < expected.rows; i++)
    for (j = 0; j < expected.cols; j++) {
      double e = fabs(PO_AT(expected, i, j) - PO_AT(actual, i, j));
      if (!(e <= worst)) {
        worst = e;
        wi = i;
        wj = j;
        if (e != e) goto done;
      }
    }
done:
  if (worst <= bound) return;
  snprintf(text, sizeof text,
           "%s: seed %llu, %d x %d, element (%d,%d): expected %.17g, actual %.17g, largest error %.3g, bound %.3g", what,
           (unsigned long long)seed, expected.rows, expected.cols, wi, wj, PO_AT(expected, wi, wj), PO_AT(actual, wi, wj), worst,
           bound);
  la_fail(text, line);
}
#define LA_ASSERT_NEAR(expected, actual, bound, what, seed) la_assert_near(expected, actual, bound, what, seed, __LINE__)

/* Q'Q = I for the columns of Q. */
LA_MAYBE void la_assert_orthonormal(po_mat Q, double bound, const char *what, uint64_t seed, int line) {
  po_mat I = la_mat(Q.cols, Q.cols);
  po_mat_identity(I);
  la_assert_near(I, la_product(Q, PO_T, Q, PO_N), bound, what, seed, line);
}
#define LA_ASSERT_ORTHONORMAL(Q, bound, what, seed) la_assert_orthonormal(Q, bound, what, seed, __LINE__)

LA_MAYBE void la_assert_same_bits(po_mat expected, po_mat actual, const char *what, int line) {
  int i;
  for (i = 0; i < expected.rows; i++)
    if (expected.cols > 0 && memcmp(po_row(expected, i), po_row(actual, i), sizeof(double) * (size_t)expected.cols) != 0)
      la_fail(what, line);
}
#define LA_ASSERT_SAME_BITS(expected, actual, what) la_assert_same_bits(expected, actual, what, __LINE__)

/* ---- both paths -------------------------------------------------------------------------------------------------------- */

/* Runs the case once per SIMD path that this machine has, and leaves the automatic choice in force. */
LA_MAYBE void la_both(void (*body)(void)) {
  po_simd path;
  for (path = PO_SIMD_SCALAR; path <= PO_SIMD_AVX2; path = (po_simd)(path + 1)) {
    if (po_set_simd(path) != PO_OK) continue;
    la_reset();
    body();
  }
  po_set_simd(PO_SIMD_AUTO);
}

#endif
