/* trig.c: sine and cosine, one at a time and over arrays, with the same bits either way.
 *
 * 1. n = round(x 2/pi), r = x - n pi/2 as an unevaluated sum r + t with |r| <= pi/4 (a little more at the seams).
 *    |x| < 2^20 pi/2: pi/2 is cut into three parts of 33 bits, whose products with n are exact, and a rest (Cody and Waite).
 *    Above: n and r come from the bits of 2/pi that matter for x, in integers (Payne and Hanek).
 * 2. sin(r + t) and cos(r + t) by polynomials in z = r^2 (coefficients fitted at Chebyshev nodes on 0 <= z <= (pi/4)^2,
 *    relative error below 2^-59), with t entering to first order.
 * 3. n mod 4 swaps and negates.
 *
 * Step 1 and 2 use only + - * in one fixed order, without branches and without FMA, so the AVX2 twin does the very same operations
 * on four lanes. A lane with a large argument, an infinity or NaN is done again by po_sincos.
 */
#include "base/base.h"
#include "base/dd.h"
#include "base/wide.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define TRIG_LIMIT 1.6e6 /* below 2^20 pi/2 */
#define TRIG_2_OVER_PI 0x1.45f306dc9c883p-1
#define TRIG_MAGIC 0x1.8p52 /* adding it leaves the rounded integer in the low bits */
#define TRIG_P1 0x1.921fb544p+0
#define TRIG_P2 0x1.0b4611a6p-34
#define TRIG_P3 0x1.3198a2ep-69
#define TRIG_P4 0x1.b839a252049c1p-104

#define TRIG_S1 -0x1.5555555555555p-3
#define TRIG_S2 0x1.1111111111111p-7
#define TRIG_S3 -0x1.a01a01a019ed6p-13
#define TRIG_S4 0x1.71de3a550cb5fp-19
#define TRIG_S5 -0x1.ae6455342226dp-26
#define TRIG_S6 0x1.61225b39932c3p-33
#define TRIG_S7 -0x1.ab93fa646995ap-41

#define TRIG_C1 0x1.5555555555555p-5
#define TRIG_C2 -0x1.6c16c16c16967p-10
#define TRIG_C3 0x1.a01a019f4eafap-16
#define TRIG_C4 -0x1.27e4fa17d9864p-22
#define TRIG_C5 0x1.1eeb68e8b2372p-29
#define TRIG_C6 -0x1.907da304ce77bp-37

/* 2/pi = 0.b0 b1 b2 ... : 1280 binary digits, enough for the largest double. */
static const uint64_t trig_2_over_pi[20] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* Step 1 for |x| < TRIG_LIMIT. x - n P1 is exact (both are multiples of the smaller one's last place and the result is no longer than 53
 * bits); the next two differences keep their rounding errors by two-sum. */
static unsigned trig_reduce_small(double x, double *r, double *t) {
  double shifted = x * TRIG_2_OVER_PI + TRIG_MAGIC, n = shifted - TRIG_MAGIC;
  double a = x - n * TRIG_P1;
  double w = n * TRIG_P2, b = a - w, v = b - a, lo1 = (a - (b - v)) - (w + v);
  w = n * TRIG_P3;
  double c = b - w;
  v = c - b;
  double lo2 = (b - (c - v)) - (w + v);
  double lo = (lo1 + lo2) - n * TRIG_P4;
  *r = c + lo;
  *t = (c - *r) + lo;
  return (unsigned)po_wide_bits(shifted);
}

/* Step 1 for large finite x = m 2^e. Digits of 2/pi above the one of weight 2^(2-e) give multiples of 4 and are dropped; the next 192, as an
 * integer times m, leave 2 integer bits and 190 fraction bits, of which 128 are kept. The smallest distance of a double from a
 * multiple of pi/2 is above 2^-62 quarter turns, so at the very worst 64 bits of r are right. */
static unsigned trig_reduce_large(double x, double *r, double *t) {
  uint64_t bits = po_wide_bits(x), m = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  int e = (int)(bits >> 52 & 0x7ff) - 1075, start = e - 2; /* first digit used; e >= -32, and digits before the point are 0 */
  int index = start < 0 ? -1 : start / 64, shift = start - 64 * index;
  uint64_t word[4];
  for (int i = 0; i < 4; i++) word[i] = index + i < 0 || index + i > 19 ? 0 : trig_2_over_pi[index + i];
  if (shift)
    for (int i = 0; i < 3; i++) word[i] = word[i] << shift | word[i + 1] >> (64 - shift);

  /* (p0 : p1 : p2) = m * window mod 2^192 */
  uint64_t h0, h1, h2;
  uint64_t p2 = po_wide_mul(m, word[2], &h2), p1 = po_wide_mul(m, word[1], &h1), p0 = po_wide_mul(m, word[0], &h0);
  p1 += h2;
  p0 += h1 + (p1 < h2);

  /* the two integer bits, the fraction, and to the nearest: a fraction in [1/2, 1) becomes n + 1 and a negative rest */
  unsigned n = (unsigned)(p0 >> 62);
  uint64_t f1 = p0 << 2 | p1 >> 62, f0 = p1 << 2 | p2 >> 62;
  int negative = (int)(f1 >> 63);
  if (negative) {
    n++;
    f0 = 0 - f0;
    f1 = ~f1 + (f0 == 0);
  }

  /* (c1 : c0) = fraction * pi/2 in units of 2^-127 */
  const uint64_t q1 = 0xc90fdaa22168c234, q0 = 0xc4c6628b80dc1cd1;
  uint64_t a1, b1, c1, c0 = po_wide_mul(f1, q1, &c1), a0 = po_wide_mul(f1, q0, &a1), b0 = po_wide_mul(f0, q1, &b1);
  uint64_t carry = (a0 + b0) < a0;
  c0 += a1;
  c1 += c0 < a1;
  c0 += b1 + carry;
  c1 += c0 < b1 + carry;

  /* the leading 53 bits and the next 53, exactly */
  int zeros = c1 ? po_wide_clz(c1) : 64;
  if (zeros == 64) c1 = c0, c0 = 0;
  else if (zeros) c1 = c1 << zeros | c0 >> (64 - zeros), c0 <<= zeros;
  double hi = (double)(c1 >> 11) * po_wide_pow2(-52 - zeros);
  double lo = (double)((c1 & 0x7ff) << 42 | c0 >> 22) * po_wide_pow2(-105 - zeros);
  int flip = negative != (x < 0.0);
  *r = flip ? -hi : hi;
  *t = flip ? -lo : lo;
  return x < 0.0 ? 0u - n : n;
}

/* Step 2. sin(r + t) = r + r z S1 + z (r z q(z) - t/2) + t, as the leading term r and a correction of at most 0.09. */
static po_dd trig_sin_kernel(double r, double t) {
  double z = r * r, zz = z * z, v = z * r;
  double q = (TRIG_S2 + z * TRIG_S3) + zz * ((TRIG_S4 + z * TRIG_S5) + zz * (TRIG_S6 + z * TRIG_S7));
  return (po_dd){r, (z * (v * q - 0.5 * t) + t) + v * TRIG_S1};
}

/* cos(r + t) = w + ((1 - w) - z/2) + z^2 C(z) - r t with w = fl(1 - z/2), whose rounding error is put back exactly. */
static po_dd trig_cos_kernel(double r, double t) {
  double z = r * r, zz = z * z, half = 0.5 * z, w = 1.0 - half;
  double q = (TRIG_C1 + z * TRIG_C2) + zz * ((TRIG_C3 + z * TRIG_C4) + zz * (TRIG_C5 + z * TRIG_C6));
  return (po_dd){w, ((1.0 - w) - half) + (zz * q - r * t)};
}

static unsigned trig_reduce(double x, double *r, double *t) {
  if (po_abs(x) < TRIG_LIMIT) return trig_reduce_small(x, r, t);
  if (po_isfinite(x)) return trig_reduce_large(x, r, t);
  *r = PO_NAN;
  *t = 0.0;
  return 0;
}

void po_sincos(double *sine, double *cosine, double x) {
  double r, t;
  unsigned n = trig_reduce(x, &r, &t);
  po_dd a = trig_sin_kernel(r, t), b = trig_cos_kernel(r, t);
  double s = a.hi + a.lo, c = b.hi + b.lo;
  double u = n & 1 ? c : s, v = n & 1 ? s : c;
  *sine = x == 0.0 ? x : n & 2 ? -u : u; /* the reduction loses the sign of -0 */
  *cosine = (n + 1) & 2 ? -v : v;
}

double po_sin(double x) {
  double r, t;
  unsigned n = trig_reduce(x, &r, &t);
  po_dd a = n & 1 ? trig_cos_kernel(r, t) : trig_sin_kernel(r, t);
  double s = a.hi + a.lo;
  return x == 0.0 ? x : n & 2 ? -s : s;
}

double po_cos(double x) {
  double r, t;
  unsigned n = trig_reduce(x, &r, &t);
  po_dd a = n & 1 ? trig_sin_kernel(r, t) : trig_cos_kernel(r, t);
  double c = a.hi + a.lo;
  return (n + 1) & 2 ? -c : c;
}

/* The quotient of sine and cosine in double-double. The kernels' own rounding errors would cost more than half a unit in the
 * last place here, so the two large terms, r^2/2 and r^3/6, are taken again in double-double. */
double po_tan(double x) {
  double r, t;
  unsigned n = trig_reduce(x, &r, &t);
  if (po_abs(r) < 0x1p-400) return x; /* too small for the split; only x itself can be so small (with n = 0) */
  po_dd z = po_dd_two_product(r, r), cube = po_dd_mul(z, (po_dd){r, 0.0});
  double v = z.hi, vv = v * v;
  double q = (TRIG_S2 + v * TRIG_S3) + vv * ((TRIG_S4 + v * TRIG_S5) + vv * (TRIG_S6 + v * TRIG_S7));
  double p = (TRIG_C1 + v * TRIG_C2) + vv * ((TRIG_C3 + v * TRIG_C4) + vv * (TRIG_C5 + v * TRIG_C6));
  po_dd sixth = po_dd_mul(cube, (po_dd){TRIG_S1, -0x1.5555555555555p-57}), s = po_dd_fast_sum(r, sixth.hi);
  s = po_dd_fast_sum(s.hi, s.lo + (sixth.lo + (v * (cube.hi * q - 0.5 * t) + t)));
  po_dd c = po_dd_fast_sum(1.0, -0.5 * v);
  c = po_dd_fast_sum(c.hi, c.lo + (vv * p - 0.5 * z.lo - r * t));
  po_dd quotient = n & 1 ? po_dd_div(c, s) : po_dd_div(s, c);
  return n & 1 ? -quotient.hi : quotient.hi;
}

#if defined(__x86_64__)

/* Four lanes of po_sincos without the large arguments. target("avx2") without fma: nothing can be contracted. */
__attribute__((target("avx2"), always_inline)) static inline void trig_sincos_4(__m256d *sine, __m256d *cosine, __m256d x) {
#define TRIG_SET(value) _mm256_set1_pd(value)
#define TRIG_ADD(a, b) _mm256_add_pd(a, b)
#define TRIG_SUB(a, b) _mm256_sub_pd(a, b)
#define TRIG_MUL(a, b) _mm256_mul_pd(a, b)
  __m256d shifted = TRIG_ADD(TRIG_MUL(x, TRIG_SET(TRIG_2_OVER_PI)), TRIG_SET(TRIG_MAGIC)),
          n = TRIG_SUB(shifted, TRIG_SET(TRIG_MAGIC));
  __m256d a = TRIG_SUB(x, TRIG_MUL(n, TRIG_SET(TRIG_P1)));
  __m256d w = TRIG_MUL(n, TRIG_SET(TRIG_P2)), b = TRIG_SUB(a, w), v = TRIG_SUB(b, a);
  __m256d lo1 = TRIG_SUB(TRIG_SUB(a, TRIG_SUB(b, v)), TRIG_ADD(w, v));
  w = TRIG_MUL(n, TRIG_SET(TRIG_P3));
  __m256d c = TRIG_SUB(b, w);
  v = TRIG_SUB(c, b);
  __m256d lo2 = TRIG_SUB(TRIG_SUB(b, TRIG_SUB(c, v)), TRIG_ADD(w, v));
  __m256d lo = TRIG_SUB(TRIG_ADD(lo1, lo2), TRIG_MUL(n, TRIG_SET(TRIG_P4)));
  __m256d r = TRIG_ADD(c, lo), t = TRIG_ADD(TRIG_SUB(c, r), lo);

  __m256d z = TRIG_MUL(r, r), zz = TRIG_MUL(z, z), zr = TRIG_MUL(z, r), half = TRIG_SET(0.5), one = TRIG_SET(1.0);
  __m256d q = TRIG_ADD(TRIG_ADD(TRIG_SET(TRIG_S2), TRIG_MUL(z, TRIG_SET(TRIG_S3))),
                       TRIG_MUL(zz, TRIG_ADD(TRIG_ADD(TRIG_SET(TRIG_S4), TRIG_MUL(z, TRIG_SET(TRIG_S5))),
                                             TRIG_MUL(zz, TRIG_ADD(TRIG_SET(TRIG_S6), TRIG_MUL(z, TRIG_SET(TRIG_S7)))))));
  __m256d s = TRIG_ADD(TRIG_MUL(z, TRIG_SUB(TRIG_MUL(zr, q), TRIG_MUL(half, t))), t);
  s = TRIG_ADD(r, TRIG_ADD(s, TRIG_MUL(zr, TRIG_SET(TRIG_S1))));

  __m256d hz = TRIG_MUL(half, z), w1 = TRIG_SUB(one, hz);
  q = TRIG_ADD(TRIG_ADD(TRIG_SET(TRIG_C1), TRIG_MUL(z, TRIG_SET(TRIG_C2))),
               TRIG_MUL(zz, TRIG_ADD(TRIG_ADD(TRIG_SET(TRIG_C3), TRIG_MUL(z, TRIG_SET(TRIG_C4))),
                                     TRIG_MUL(zz, TRIG_ADD(TRIG_SET(TRIG_C5), TRIG_MUL(z, TRIG_SET(TRIG_C6)))))));
  __m256d k = TRIG_ADD(TRIG_SUB(TRIG_SUB(one, w1), hz), TRIG_SUB(TRIG_MUL(zz, q), TRIG_MUL(r, t)));
  k = TRIG_ADD(w1, k);

  __m256i quadrant = _mm256_castpd_si256(shifted), sign = _mm256_set1_epi64x(INT64_MIN);
  __m256d swap = _mm256_castsi256_pd(_mm256_slli_epi64(quadrant, 63));
  __m256i flip_s = _mm256_and_si256(_mm256_slli_epi64(quadrant, 62), sign);
  __m256i flip_c = _mm256_and_si256(_mm256_slli_epi64(_mm256_add_epi64(quadrant, _mm256_set1_epi64x(1)), 62), sign);
  __m256d vs = _mm256_xor_pd(_mm256_blendv_pd(s, k, swap), _mm256_castsi256_pd(flip_s));
  __m256d vc = _mm256_xor_pd(_mm256_blendv_pd(k, s, swap), _mm256_castsi256_pd(flip_c));
  *sine = _mm256_blendv_pd(vs, x, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_EQ_OQ));
  *cosine = vc;
#undef TRIG_SET
#undef TRIG_ADD
#undef TRIG_SUB
#undef TRIG_MUL
}

/* The lanes of x that are too large, infinite or NaN, one by one. */
static void trig_sincos_rest(double *sine, double *cosine, const double x[4], int done, int count) {
  for (int j = 0; j < count; j++)
    if (!(done >> j & 1)) po_sincos(&sine[j], &cosine[j], x[j]);
}

__attribute__((target("avx2"))) static void trig_sincos_avx2(double *sine, double *cosine, const double *x, int n) {
  const __m256d limit = _mm256_set1_pd(TRIG_LIMIT), sign = _mm256_set1_pd(-0.0);
  __m256d s, c;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    __m256d lanes = _mm256_loadu_pd(x + i);
    int done = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, lanes), limit, _CMP_LT_OQ));
    trig_sincos_4(&s, &c, lanes);
    _mm256_storeu_pd(sine + i, s);
    _mm256_storeu_pd(cosine + i, c);
    if (done != 15) { /* from the register: sine may be x */
      double in[4];
      _mm256_storeu_pd(in, lanes);
      trig_sincos_rest(sine + i, cosine + i, in, done, 4);
    }
  }
  if (i < n) { /* the last one to three, with zeros beside them */
    double in[4] = {0.0, 0.0, 0.0, 0.0}, out_s[4], out_c[4];
    for (int j = 0; i + j < n; j++) in[j] = x[i + j];
    __m256d lanes = _mm256_loadu_pd(in);
    int done = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, lanes), limit, _CMP_LT_OQ));
    trig_sincos_4(&s, &c, lanes);
    _mm256_storeu_pd(out_s, s);
    _mm256_storeu_pd(out_c, c);
    trig_sincos_rest(out_s, out_c, in, done, n - i);
    for (int j = 0; i + j < n; j++) sine[i + j] = out_s[j], cosine[i + j] = out_c[j];
  }
}

#endif

void po_sincos_n(double *sine, double *cosine, const double *x, int n) {
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    trig_sincos_avx2(sine, cosine, x, n);
    return;
  }
#endif
  for (int i = 0; i < n; i++) po_sincos(&sine[i], &cosine[i], x[i]);
}
