/* active_set_gram.c: the Schur complement of one working set. It is formed anew some twenty times in a solve, from rows of 32 numbers, eight
 * or so of them: too small for general products, whose overhead was a sixth of a solve. */
#include "active_set_schur.h"

static void asg_plain(po_mat S, po_mat K, po_mat NE, const double *weight, const int *work, int q) {
  int a, b, j, ne = NE.cols;
  for (a = 0; a < q; a++) {
    const double *ra = po_row(NE, work[a]), *k = po_row(K, work[a]);
    double *s = po_row(S, a);
    for (b = 0; b <= a; b++) {
      const double *rb = po_row(NE, work[b]);
      double sum = 0;
      for (j = 0; j < ne; j++) sum += ra[j] * weight[j] * rb[j];
      s[b] = k[work[b]] + sum;
    }
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Four rows b at a time against row a: one weighted load of a serves four products. */
__attribute__((target("avx2,fma"))) static void asg_avx2(po_mat S, po_mat K, po_mat NE, const double *weight, const int *work, int q) {
  int a, b, j, ne = po_pad4(NE.cols);
  for (a = 0; a < q; a++) {
    const double *ra = po_row(NE, work[a]), *k = po_row(K, work[a]);
    double *s = po_row(S, a);
    for (b = 0; b <= a; b += 4) {
      const double *r0 = po_row(NE, work[b]), *r1 = po_row(NE, work[b + 1 <= a ? b + 1 : b]), *r2 = po_row(NE, work[b + 2 <= a ? b + 2 : b]),
                   *r3 = po_row(NE, work[b + 3 <= a ? b + 3 : b]);
      __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
      double out[4];
      int c;
      for (j = 0; j < ne; j += 4) {
        __m256d v = _mm256_mul_pd(_mm256_loadu_pd(ra + j), _mm256_loadu_pd(weight + j));
        s0 = _mm256_fmadd_pd(v, _mm256_loadu_pd(r0 + j), s0);
        s1 = _mm256_fmadd_pd(v, _mm256_loadu_pd(r1 + j), s1);
        s2 = _mm256_fmadd_pd(v, _mm256_loadu_pd(r2 + j), s2);
        s3 = _mm256_fmadd_pd(v, _mm256_loadu_pd(r3 + j), s3);
      }
      s0 = _mm256_hadd_pd(s0, s1); /* (s0₀+s0₁, s1₀+s1₁, s0₂+s0₃, s1₂+s1₃) */
      s2 = _mm256_hadd_pd(s2, s3);
      s1 = _mm256_add_pd(_mm256_permute2f128_pd(s0, s2, 0x20), _mm256_permute2f128_pd(s0, s2, 0x31));
      _mm256_storeu_pd(out, s1);
      for (c = 0; c < 4 && b + c <= a; c++) s[b + c] = k[work[b + c]] + out[c];
    }
  }
}
#endif

void po_asc_gram(po_mat S, po_mat K, po_mat NE, const double *weight, const int *work, int q) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    asg_avx2(S, K, NE, weight, work, q);
    return;
  }
#endif
  asg_plain(S, K, NE, weight, work, q);
}
