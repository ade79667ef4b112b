/* explog.c: exponential, logarithm and power.
 *
 * exp: x = k ln 2 + r, |r| <= ln(2)/2; exp(r) = 1 + r + r^2 P(r) with the rounding errors of x - k ln 2 and of 1 + r put back.
 * log: x = 2^k m, sqrt(1/2) <= m < sqrt(2); log m = 2 atanh(s), s = (m - 1)/(m + 1), in double-double, so that pow can multiply it by
 * an exponent of 700 and still be right in the last place; the last rounding is the only one that po_log sees.
 */
#include "base/base.h"
#include "base/dd.h"
#include "base/wide.h"

#include <math.h>

#define EXPLOG_LN2_HI 0x1.62e42fefa3800p-1 /* 42 bits: times k (11 bits) is exact */
#define EXPLOG_LN2_LO 0x1.ef35793c76730p-45
#define EXPLOG_1_OVER_LN2 0x1.71547652b82fep+0

/* exp(x + t) for |x| <= 746 and |t| far below the last place of x; ends rounded, subnormal results rounded a second time. */
static double explog_exp(double x, double t) {
  double shifted = x * EXPLOG_1_OVER_LN2 + 0x1.8p52, n = shifted - 0x1.8p52;
  int k = (int)n;
  po_dd r = po_dd_fast_sum(x - n * EXPLOG_LN2_HI, t - n * EXPLOG_LN2_LO);
  double z = r.hi, zz = z * z, z4 = zz * zz;
  double p = (0.5 + z * 0x1.5555555555557p-3) + zz * (0x1.5555555555556p-5 + z * 0x1.11111111100dfp-7) +
             z4 * ((0x1.6c16c16c162d6p-10 + z * 0x1.a01a01abe6323p-13) + zz * (0x1.a01a01a6d7831p-16 + z * 0x1.71de0237484cdp-19) +
                   z4 * (0x1.27e4db67ac2b0p-22 + z * 0x1.af4ddda1c08cdp-26 + zz * 0x1.1f72fc83bcbc7p-29));
  po_dd one = po_dd_fast_sum(1.0, z);
  double y = one.hi + (one.lo + (r.lo + (zz * p + z * r.lo)));
  if (k > 1000) return y * po_wide_pow2(k - 100) * 0x1p100;
  if (k < -1000) return y * po_wide_pow2(k + 100) * 0x1p-100;
  return y * po_wide_pow2(k);
}

double po_exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return PO_INF; /* overflows from 709.7827 on; the last step gives that infinity itself */
  if (x < -745.2) return 0.0;
  return explog_exp(x, 0.0);
}

/* log x in double-double for finite x > 0; relative error about 2^-65. */
static po_dd explog_log(double x) {
  int k = 0;
  if (x < 0x1p-1022) x *= 0x1p54, k = -54;
  uint64_t bits = po_wide_bits(x), fraction = bits & 0x000fffffffffffffu;
  k += (int)(bits >> 52) - 1023;
  int up = fraction >= 0x6a09e667f3bcdu; /* m >= sqrt(2): halve it */
  k += up;
  double m = po_wide_double(fraction | (uint64_t)(1023 - up) << 52), f = m - 1.0; /* exact */
  if (f == 0.0 && k == 0) return (po_dd){0.0, 0.0};

  po_dd s = po_dd_div((po_dd){f, 0.0}, po_dd_two_sum(m, 1.0));
  po_dd z = po_dd_mul(s, s);
  double v = z.hi, vv = v * v, v4 = vv * vv;
  double p = (0x1.999999999999ap-3 + v * 0x1.2492492492491p-3) + vv * (0x1.c71c71c71cfd7p-4 + v * 0x1.745d17451376bp-4) +
             v4 * ((0x1.3b13b1bc65033p-4 + v * 0x1.1110dfb236897p-4) + vv * (0x1.e1f7f8b78321ap-5 + v * 0x1.ac4ab0ce72c6dp-5) +
                   v4 * 0x1.b8d2d173504e5p-5);
  /* 2 s (1 + z/3 + z^2 p): z/3 in double-double, z^2 p < 2^-12 of it in double */
  po_dd third = po_dd_mul(z, (po_dd){0x1.5555555555555p-2, 0x1.5555555555555p-56});
  third = po_dd_fast_sum(third.hi, third.lo + vv * p);
  po_dd series = po_dd_mul(s, third);
  po_dd log_m = po_dd_add(s, series);
  log_m.hi *= 2.0;
  log_m.lo *= 2.0;
  if (k == 0) return log_m;
  /* k ln 2: the 42-bit part times k is exact */
  po_dd k_ln2 = po_dd_fast_sum(k * EXPLOG_LN2_HI, k * EXPLOG_LN2_LO);
  return po_dd_add(k_ln2, log_m);
}

double po_log(double x) {
  if (x != x) return x;
  if (x < 0.0) return PO_NAN;
  if (x == 0.0) return -PO_INF;
  if (x == PO_INF) return x;
  return explog_log(x).hi;
}

/* 0: y is no integer; 1: odd; 2: even. */
static int explog_integer(double y) {
  double a = po_abs(y);
  if (a >= 0x1p53) return 2;
  if (floor(a) != a) return 0;
  return (uint64_t)a & 1 ? 1 : 2;
}

/* x^y for x = +-0, +-inf or y = +-inf. */
static double explog_pow_special(double x, double y) {
  double a = po_abs(x);
  if (y == PO_INF || y == -PO_INF) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? PO_INF : 0.0;
  double magnitude = (a == 0.0) == (y > 0.0) ? 0.0 : PO_INF;
  return po_wide_bits(x) >> 63 && explog_integer(y) == 1 ? -magnitude : magnitude;
}

double po_pow(double x, double y) {
  if (x == 1.0 || y == 0.0) return 1.0;
  if (x != x || y != y) return PO_NAN;
  double a = po_abs(x), sign = 1.0;
  if (x == 0.0 || a == PO_INF || po_abs(y) == PO_INF) return explog_pow_special(x, y);
  if (x < 0.0) {
    int kind = explog_integer(y);
    if (!kind) return PO_NAN;
    if (kind == 1) sign = -1.0;
  }
  po_dd l = explog_log(a);
  if (po_abs(y) > 0x1p70) y = y > 0.0 ? 0x1p70 : -0x1p70; /* |log a| >= 2^-53 or 0: far beyond overflow already */
  if (po_abs(y) < 0x1p-70) return sign;                   /* |y log a| < 2^-60 */
  if (l.hi == 0.0) return sign;
  po_dd p = po_dd_mul(l, (po_dd){y, 0.0});
  if (p.hi > 709.79) return sign * PO_INF;
  if (p.hi < -745.2) return sign * 0.0;
  return sign * explog_exp(p.hi, p.lo);
}
