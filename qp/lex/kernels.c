/* kernels.c: the row loops of the lexicographic solver, plain and AVX2. */
#include "kernels.h"

#include "../../base/base.h"

#include <stddef.h>

static const double *lexk_row(const double *m, int ld, const int *rows, int i) { return m + (ptrdiff_t)(rows ? rows[i] : i) * ld; }

/* ---- plain ------------------------------------------------------------------------------------------------------------------ */

static void lexk_dots_plain(double *out, const double *m, int ld, const int *rows, int count, const double *x, int a, int b) {
  int i, j;
  for (i = 0; i < count; i++) {
    const double *row = lexk_row(m, ld, rows, i);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (j = a; j + 4 <= b; j += 4) {
      s0 += row[j] * x[j];
      s1 += row[j + 1] * x[j + 1];
      s2 += row[j + 2] * x[j + 2];
      s3 += row[j + 3] * x[j + 3];
    }
    s0 = (s0 + s2) + (s1 + s3);
    for (; j < b; j++) s0 += row[j] * x[j];
    out[i] = s0;
  }
}

static void lexk_sum_plain(double *out, const double *m, int ld, const int *rows, int count, const double *alpha, int a, int b) {
  int i, j;
  for (i = 0; i < count; i++) {
    const double *row = lexk_row(m, ld, rows, i);
    double f = alpha[i];
    if (f == 0) continue;
    for (j = a; j < b; j++) out[j] += f * row[j];
  }
}

static void lexk_terms_plain(double *out, double *size, const double *m, int ld, const int *rows, int count, const double *alpha, int n) {
  int i, j;
  for (i = 0; i < count; i++) {
    const double *row = lexk_row(m, ld, rows, i);
    for (j = 0; j < n; j++) {
      double term = alpha[i] * row[j];
      out[j] += term;
      size[j] += po_abs(term);
    }
  }
}

static void lexk_add_plain(double *m, int ld, const int *rows, int count, const double *alpha, const double *x, int a, int b) {
  int i, j;
  for (i = 0; i < count; i++) {
    double *row = m + (ptrdiff_t)(rows ? rows[i] : i) * ld;
    double f = alpha[i];
    if (f == 0) continue;
    for (j = a; j < b; j++) row[j] += f * x[j];
  }
}

static double lexk_scan_plain(uint64_t *mask, double *peak, const double *m, int n) {
  int i, j;
  double s[4] = {0, 0, 0, 0};
  for (i = 0; i < n; i += 64) {
    uint64_t bits = 0;
    for (j = i; j < n && j < i + 64; j++) {
      bits |= (uint64_t)(m[j] != 0) << (j - i);
      peak[j] = po_max(peak[j], po_abs(m[j]));
      s[j & 3] += m[j] * m[j];
    }
    *mask++ = bits;
  }
  return (s[0] + s[2]) + (s[1] + s[3]);
}

static void lexk_reflect_plain(double *m, int ld, const int *rows, int count, double tau, const double *v, int a, int b) {
  int i;
  for (i = 0; i < count; i++) {
    double *row = m + (ptrdiff_t)(rows ? rows[i] : i) * ld, t;
    lexk_dots_plain(&t, row, 0, NULL, 1, v, a, b);
    t *= -tau;
    lexk_add_plain(row, 0, NULL, 1, &t, v, a, b);
  }
}

static void lexk_backsolve_plain(double *m, int ld, const double *r, int ldr, int q, int apart, int a, int b, double tol, const double *floor) {
  int i, j, k;
  for (i = q - 1; i >= 0; i--) {
    const double *row = r + (ptrdiff_t)i * ldr;
    double *x = m + (ptrdiff_t)i * ld;
    for (k = a; k < b; k++) {
      double sum = x[k], size = sum == 0 ? 0 : po_max(po_abs(sum), floor[k]);
      for (j = i + 1 > apart ? i + 1 : apart; j < q; j++) {
        double term = row[j] * m[(ptrdiff_t)j * ld + k];
        sum -= term;
        size += po_abs(term);
      }
      x[k] = po_abs(sum) > tol * size ? sum / row[i] : 0;
    }
  }
}

static const po_lex_kernels lexk_plain = {lexk_dots_plain, lexk_sum_plain, lexk_terms_plain, lexk_add_plain, lexk_reflect_plain, lexk_scan_plain, lexk_backsolve_plain};

/* ---- AVX2 and FMA ------------------------------------------------------------------------------------------------------------ */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LEXK_TARGET __attribute__((target("avx2,fma")))

LEXK_TARGET static inline double lexk_total(__m256d v) {
  __m128d lo = _mm256_castpd256_pd128(v), hi = _mm256_extractf128_pd(v, 1);
  lo = _mm_add_pd(lo, hi);
  return _mm_cvtsd_f64(_mm_add_sd(lo, _mm_unpackhi_pd(lo, lo)));
}

/* Four rows at a time: each element of x is loaded once for the four, and four independent sums hide the latency of the FMA. */
LEXK_TARGET static void lexk_dots_avx2(double *out, const double *m, int ld, const int *rows, int count, const double *x, int a, int b) {
  int i = 0, j;
  for (; i + 4 <= count; i += 4) {
    const double *r0 = lexk_row(m, ld, rows, i), *r1 = lexk_row(m, ld, rows, i + 1);
    const double *r2 = lexk_row(m, ld, rows, i + 2), *r3 = lexk_row(m, ld, rows, i + 3);
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0, t0, t1;
    double t[4];
    for (j = a; j + 4 <= b; j += 4) {
      __m256d v = _mm256_loadu_pd(x + j);
      s0 = _mm256_fmadd_pd(_mm256_loadu_pd(r0 + j), v, s0);
      s1 = _mm256_fmadd_pd(_mm256_loadu_pd(r1 + j), v, s1);
      s2 = _mm256_fmadd_pd(_mm256_loadu_pd(r2 + j), v, s2);
      s3 = _mm256_fmadd_pd(_mm256_loadu_pd(r3 + j), v, s3);
    }
    t0 = _mm256_hadd_pd(s0, s1);
    t1 = _mm256_hadd_pd(s2, s3);
    _mm256_storeu_pd(t, _mm256_add_pd(_mm256_permute2f128_pd(t0, t1, 0x20), _mm256_permute2f128_pd(t0, t1, 0x31)));
    for (; j < b; j++) {
      t[0] += r0[j] * x[j];
      t[1] += r1[j] * x[j];
      t[2] += r2[j] * x[j];
      t[3] += r3[j] * x[j];
    }
    out[i] = t[0];
    out[i + 1] = t[1];
    out[i + 2] = t[2];
    out[i + 3] = t[3];
  }
  for (; i < count; i++) {
    const double *r0 = lexk_row(m, ld, rows, i);
    __m256d s0 = _mm256_setzero_pd(), s1 = s0;
    double t;
    for (j = a; j + 8 <= b; j += 8) {
      s0 = _mm256_fmadd_pd(_mm256_loadu_pd(r0 + j), _mm256_loadu_pd(x + j), s0);
      s1 = _mm256_fmadd_pd(_mm256_loadu_pd(r0 + j + 4), _mm256_loadu_pd(x + j + 4), s1);
    }
    if (j + 4 <= b) {
      s0 = _mm256_fmadd_pd(_mm256_loadu_pd(r0 + j), _mm256_loadu_pd(x + j), s0);
      j += 4;
    }
    t = lexk_total(_mm256_add_pd(s0, s1));
    for (; j < b; j++) t += r0[j] * x[j];
    out[i] = t;
  }
}

LEXK_TARGET static void lexk_sum_avx2(double *out, const double *m, int ld, const int *rows, int count, const double *alpha, int a, int b) {
  int i = 0, j;
  for (; i + 4 <= count; i += 4) {
    const double *r0 = lexk_row(m, ld, rows, i), *r1 = lexk_row(m, ld, rows, i + 1);
    const double *r2 = lexk_row(m, ld, rows, i + 2), *r3 = lexk_row(m, ld, rows, i + 3);
    __m256d f0 = _mm256_set1_pd(alpha[i]), f1 = _mm256_set1_pd(alpha[i + 1]);
    __m256d f2 = _mm256_set1_pd(alpha[i + 2]), f3 = _mm256_set1_pd(alpha[i + 3]);
    for (j = a; j + 4 <= b; j += 4) {
      __m256d s = _mm256_fmadd_pd(f0, _mm256_loadu_pd(r0 + j), _mm256_loadu_pd(out + j));
      __m256d t = _mm256_mul_pd(f2, _mm256_loadu_pd(r2 + j));
      s = _mm256_fmadd_pd(f1, _mm256_loadu_pd(r1 + j), s);
      t = _mm256_fmadd_pd(f3, _mm256_loadu_pd(r3 + j), t);
      _mm256_storeu_pd(out + j, _mm256_add_pd(s, t));
    }
    for (; j < b; j++) out[j] += (alpha[i] * r0[j] + alpha[i + 1] * r1[j]) + (alpha[i + 2] * r2[j] + alpha[i + 3] * r3[j]);
  }
  for (; i < count; i++) {
    const double *r0 = lexk_row(m, ld, rows, i);
    __m256d f0 = _mm256_set1_pd(alpha[i]);
    for (j = a; j + 4 <= b; j += 4) _mm256_storeu_pd(out + j, _mm256_fmadd_pd(f0, _mm256_loadu_pd(r0 + j), _mm256_loadu_pd(out + j)));
    for (; j < b; j++) out[j] += alpha[i] * r0[j];
  }
}

LEXK_TARGET static void lexk_terms_avx2(double *out, double *size, const double *m, int ld, const int *rows, int count, const double *alpha, int n) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  int i = 0, j;
  for (; i + 4 <= count; i += 4) {
    const double *r0 = lexk_row(m, ld, rows, i), *r1 = lexk_row(m, ld, rows, i + 1);
    const double *r2 = lexk_row(m, ld, rows, i + 2), *r3 = lexk_row(m, ld, rows, i + 3);
    __m256d f0 = _mm256_set1_pd(alpha[i]), f1 = _mm256_set1_pd(alpha[i + 1]);
    __m256d f2 = _mm256_set1_pd(alpha[i + 2]), f3 = _mm256_set1_pd(alpha[i + 3]);
    for (j = 0; j + 4 <= n; j += 4) {
      __m256d t0 = _mm256_mul_pd(f0, _mm256_loadu_pd(r0 + j)), t1 = _mm256_mul_pd(f1, _mm256_loadu_pd(r1 + j));
      __m256d t2 = _mm256_mul_pd(f2, _mm256_loadu_pd(r2 + j)), t3 = _mm256_mul_pd(f3, _mm256_loadu_pd(r3 + j));
      _mm256_storeu_pd(out + j, _mm256_add_pd(_mm256_loadu_pd(out + j), _mm256_add_pd(_mm256_add_pd(t0, t1), _mm256_add_pd(t2, t3))));
      t0 = _mm256_add_pd(_mm256_andnot_pd(sign, t0), _mm256_andnot_pd(sign, t1));
      t2 = _mm256_add_pd(_mm256_andnot_pd(sign, t2), _mm256_andnot_pd(sign, t3));
      _mm256_storeu_pd(size + j, _mm256_add_pd(_mm256_loadu_pd(size + j), _mm256_add_pd(t0, t2)));
    }
    for (; j < n; j++) {
      double t0 = alpha[i] * r0[j], t1 = alpha[i + 1] * r1[j], t2 = alpha[i + 2] * r2[j], t3 = alpha[i + 3] * r3[j];
      out[j] += (t0 + t1) + (t2 + t3);
      size[j] += (po_abs(t0) + po_abs(t1)) + (po_abs(t2) + po_abs(t3));
    }
  }
  for (; i < count; i++) {
    const double *r0 = lexk_row(m, ld, rows, i);
    __m256d f0 = _mm256_set1_pd(alpha[i]);
    for (j = 0; j + 4 <= n; j += 4) {
      __m256d t0 = _mm256_mul_pd(f0, _mm256_loadu_pd(r0 + j));
      _mm256_storeu_pd(out + j, _mm256_add_pd(_mm256_loadu_pd(out + j), t0));
      _mm256_storeu_pd(size + j, _mm256_add_pd(_mm256_loadu_pd(size + j), _mm256_andnot_pd(sign, t0)));
    }
    for (; j < n; j++) {
      double t0 = alpha[i] * r0[j];
      out[j] += t0;
      size[j] += po_abs(t0);
    }
  }
}

LEXK_TARGET static void lexk_add_avx2(double *m, int ld, const int *rows, int count, const double *alpha, const double *x, int a, int b) {
  int i, j;
  for (i = 0; i < count; i++) {
    double *row = m + (ptrdiff_t)(rows ? rows[i] : i) * ld;
    __m256d f;
    if (alpha[i] == 0) continue;
    f = _mm256_set1_pd(alpha[i]);
    for (j = a; j + 8 <= b; j += 8) {
      _mm256_storeu_pd(row + j, _mm256_fmadd_pd(f, _mm256_loadu_pd(x + j), _mm256_loadu_pd(row + j)));
      _mm256_storeu_pd(row + j + 4, _mm256_fmadd_pd(f, _mm256_loadu_pd(x + j + 4), _mm256_loadu_pd(row + j + 4)));
    }
    if (j + 4 <= b) {
      _mm256_storeu_pd(row + j, _mm256_fmadd_pd(f, _mm256_loadu_pd(x + j), _mm256_loadu_pd(row + j)));
      j += 4;
    }
    for (; j < b; j++) row[j] += alpha[i] * x[j];
  }
}

LEXK_TARGET static double lexk_scan_avx2(uint64_t *mask, double *peak, const double *m, int n) {
  const __m256d zero = _mm256_setzero_pd(), sign = _mm256_set1_pd(-0.0);
  __m256d s0 = zero, s1 = zero;
  double rest = 0;
  int i, j;
  for (i = 0; i < n; i += 64) {
    uint64_t bits = 0;
    int end = i + 64 < n ? i + 64 : n;
    for (j = i; j + 8 <= end; j += 8) {
      __m256d a = _mm256_loadu_pd(m + j), b = _mm256_loadu_pd(m + j + 4);
      unsigned both = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, zero, _CMP_NEQ_UQ)) |
                      (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(b, zero, _CMP_NEQ_UQ)) << 4;
      bits |= (uint64_t)both << (j - i);
      _mm256_storeu_pd(peak + j, _mm256_max_pd(_mm256_andnot_pd(sign, a), _mm256_loadu_pd(peak + j)));
      _mm256_storeu_pd(peak + j + 4, _mm256_max_pd(_mm256_andnot_pd(sign, b), _mm256_loadu_pd(peak + j + 4)));
      s0 = _mm256_fmadd_pd(a, a, s0);
      s1 = _mm256_fmadd_pd(b, b, s1);
    }
    for (; j < end; j++) {
      bits |= (uint64_t)(m[j] != 0) << (j - i);
      peak[j] = po_max(peak[j], po_abs(m[j]));
      rest += m[j] * m[j];
    }
    *mask++ = bits;
  }
  return lexk_total(_mm256_add_pd(s0, s1)) + rest;
}

/* One row, or four at a time: v is loaded once for the four, and the rows are still in the first-level cache for the update. */
LEXK_TARGET static void lexk_reflect_one(double *row, double tau, const double *v, int a, int b) {
  double t;
  lexk_dots_avx2(&t, row, 0, NULL, 1, v, a, b);
  t *= -tau;
  lexk_add_avx2(row, 0, NULL, 1, &t, v, a, b);
}

LEXK_TARGET static void lexk_reflect_avx2(double *m, int ld, const int *rows, int count, double tau, const double *v, int a, int b) {
  int i, j, body = a + ((b - a) & ~3);
  for (i = 0; i + 4 <= count; i += 4) {
    double *r0 = m + (ptrdiff_t)(rows ? rows[i] : i) * ld, *r1 = m + (ptrdiff_t)(rows ? rows[i + 1] : i + 1) * ld;
    double *r2 = m + (ptrdiff_t)(rows ? rows[i + 2] : i + 2) * ld, *r3 = m + (ptrdiff_t)(rows ? rows[i + 3] : i + 3) * ld, t[4];
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0, sum;
    for (j = a; j < body; j += 4) {
      __m256d x = _mm256_loadu_pd(v + j);
      s0 = _mm256_fmadd_pd(_mm256_loadu_pd(r0 + j), x, s0);
      s1 = _mm256_fmadd_pd(_mm256_loadu_pd(r1 + j), x, s1);
      s2 = _mm256_fmadd_pd(_mm256_loadu_pd(r2 + j), x, s2);
      s3 = _mm256_fmadd_pd(_mm256_loadu_pd(r3 + j), x, s3);
    }
    s0 = _mm256_hadd_pd(s0, s1);
    s2 = _mm256_hadd_pd(s2, s3);
    sum = _mm256_add_pd(_mm256_permute2f128_pd(s0, s2, 0x20), _mm256_permute2f128_pd(s0, s2, 0x31));
    for (j = body; j < b; j++) sum = _mm256_fmadd_pd(_mm256_set_pd(r3[j], r2[j], r1[j], r0[j]), _mm256_set1_pd(v[j]), sum);
    _mm256_storeu_pd(t, _mm256_mul_pd(sum, _mm256_set1_pd(-tau)));
    s0 = _mm256_set1_pd(t[0]);
    s1 = _mm256_set1_pd(t[1]);
    s2 = _mm256_set1_pd(t[2]);
    s3 = _mm256_set1_pd(t[3]);
    for (j = a; j < body; j += 4) {
      __m256d x = _mm256_loadu_pd(v + j);
      _mm256_storeu_pd(r0 + j, _mm256_fmadd_pd(s0, x, _mm256_loadu_pd(r0 + j)));
      _mm256_storeu_pd(r1 + j, _mm256_fmadd_pd(s1, x, _mm256_loadu_pd(r1 + j)));
      _mm256_storeu_pd(r2 + j, _mm256_fmadd_pd(s2, x, _mm256_loadu_pd(r2 + j)));
      _mm256_storeu_pd(r3 + j, _mm256_fmadd_pd(s3, x, _mm256_loadu_pd(r3 + j)));
    }
    for (j = body; j < b; j++) {
      r0[j] += t[0] * v[j];
      r1[j] += t[1] * v[j];
      r2[j] += t[2] * v[j];
      r3[j] += t[3] * v[j];
    }
  }
  for (; i < count; i++) lexk_reflect_one(m + (ptrdiff_t)(rows ? rows[i] : i) * ld, tau, v, a, b);
}

/* Four right-hand sides in a register. */
LEXK_TARGET static void lexk_backsolve_avx2(double *m, int ld, const double *r, int ldr, int q, int apart, int a, int b, double tol, const double *floor) {
  const __m256d sign = _mm256_set1_pd(-0.0), zero = _mm256_setzero_pd();
  int i, j, k;
  for (k = a; k < b; k += 4) {
    __m256d least = _mm256_loadu_pd(floor + k);
    for (i = q - 1; i >= 0; i--) {
      const double *row = r + (ptrdiff_t)i * ldr, *below;
      double *x = m + (ptrdiff_t)i * ld + k;
      __m256d sum = _mm256_loadu_pd(x), size = _mm256_max_pd(_mm256_andnot_pd(sign, sum), least), keep;
      size = _mm256_and_pd(size, _mm256_cmp_pd(sum, zero, _CMP_NEQ_UQ));
      j = i + 1 > apart ? i + 1 : apart;
      for (below = m + (ptrdiff_t)j * ld + k; j < q; j++, below += ld) {
        __m256d term = _mm256_mul_pd(_mm256_broadcast_sd(row + j), _mm256_loadu_pd(below));
        sum = _mm256_sub_pd(sum, term);
        size = _mm256_add_pd(size, _mm256_andnot_pd(sign, term));
      }
      keep = _mm256_cmp_pd(_mm256_andnot_pd(sign, sum), _mm256_mul_pd(_mm256_set1_pd(tol), size), _CMP_GT_OQ);
      _mm256_storeu_pd(x, _mm256_and_pd(keep, _mm256_div_pd(sum, _mm256_broadcast_sd(row + i))));
    }
  }
}

static const po_lex_kernels lexk_avx2 = {lexk_dots_avx2, lexk_sum_avx2, lexk_terms_avx2, lexk_add_avx2, lexk_reflect_avx2, lexk_scan_avx2, lexk_backsolve_avx2};
#endif

const po_lex_kernels *po_lex_kernels_get(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (po_get_simd() == PO_SIMD_AVX2) return &lexk_avx2;
#endif
  return &lexk_plain;
}
