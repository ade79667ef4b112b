/* atan.c: inverse trigonometric functions.
 *
 * The angle of (x, y) with 0 <= y <= x: c = i/8 nearest to y/x, and atan(y/x) = atan(c) + atan(q), q = (y - c x)/(x + c y), |q| <= 1/16,
 * atan(q) = q + q^3 P(q^2). Numerator, denominator and quotient are double-double and the table holds atan(i/8) as two doubles, so
 * the sum is right to about 2^-61 before its last rounding. asin and acos are angles of (sqrt(1 - x^2), x).
 */
#include "base/base.h"
#include "base/dd.h"
#include "base/wide.h"

#include <math.h>

static const po_dd atan_table[9] = {{0.0, 0.0},
                                    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
static const po_dd atan_half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const po_dd atan_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* Leading 26 bits; what is left has at most 27, so c = i/8 times either part is exact. */
static double atan_head(double x) { return po_wide_double(po_wide_bits(x) & ~(uint64_t)0x7ffffff); }

/* atan(y/x) for 0 <= y <= x (about), x > 0. The differences y - c x and x + c y keep their rounding errors; one reciprocal serves the
 * quotient and its correction by the exact remainder. */
static po_dd atan_octant(po_dd y, po_dd x) {
  int i = (int)(8.0f * ((float)y.hi / (float)x.hi) + 0.5f);
  double c = 0.125 * i;
  double x1 = atan_head(x.hi), x2 = x.hi - x1, y1 = atan_head(y.hi), y2 = y.hi - y1;
  po_dd n = po_dd_two_sum(y.hi - c * x1, -c * x2), d = {x.hi + c * y.hi, 0.0};
  n.lo += y.lo - c * x.lo;
  d.lo = (((x.hi - d.hi) + c * y1) + c * y2) + (x.lo + c * y.lo);
  double inverse = 1.0 / d.hi, q = n.hi * inverse;
  po_dd p = po_dd_two_product(q, d.hi);
  double rest = (((n.hi - p.hi) - p.lo) + (n.lo - q * d.lo)) * inverse;
  double v = q * q, vv = v * v;
  double series =
      (-0x1.5555555555555p-2 + v * 0x1.999999999994dp-3) +
      vv * ((-0x1.249249245a694p-3 + v * 0x1.c71c6feafff7ep-4) + vv * (-0x1.745981f30eb71p-4 + v * 0x1.37e42da9261d3p-4));
  po_dd a = po_dd_fast_sum(atan_table[i].hi, q);
  a.lo += atan_table[i].lo + (rest + q * v * series);
  return a;
}

/* The angle of (x, y), y >= 0, not both 0, magnitudes within the range of dd.h. */
static double atan_angle(po_dd y, po_dd x) {
  int left = x.hi < 0.0, steep;
  if (left) x = po_dd_neg(x);
  steep = y.hi > x.hi;
  po_dd a = steep ? atan_octant(x, y) : atan_octant(y, x);
  if (steep != left) { /* pi/2 - a, and its mirror image pi - a */
    po_dd from = steep ? atan_half_pi : atan_pi, b = po_dd_fast_sum(from.hi, -a.hi);
    return b.hi + (b.lo + (from.lo - a.lo));
  }
  if (steep) { /* pi - (pi/2 - a) */
    po_dd b = po_dd_fast_sum(atan_half_pi.hi, a.hi);
    return b.hi + (b.lo + (atan_half_pi.lo + a.lo));
  }
  return a.hi + a.lo;
}

static double atan_sign(double magnitude, double y) {
  return po_wide_double((po_wide_bits(magnitude) & ~(1ull << 63)) | (po_wide_bits(y) & (1ull << 63)));
}

double po_atan2(double y, double x) {
  if (x != x || y != y) return PO_NAN;
  int left = (int)(po_wide_bits(x) >> 63);
  double ax = po_abs(x), ay = po_abs(y);
  if (ay == 0.0) return atan_sign(left ? PO_PI : 0.0, y);
  if (ay == PO_INF) return atan_sign(ax == PO_INF ? (left ? 3.0 * atan_table[8].hi : atan_table[8].hi) : atan_half_pi.hi, y);
  if (ax == PO_INF) return atan_sign(left ? PO_PI : 0.0, y);
  if (ax == 0.0) return atan_sign(atan_half_pi.hi, y);

  /* both into the normal range, then the exponents tell whether one of them decides alone */
  int ex = 0, ey = 0;
  double mx = ax, my = ay;
  if (mx < 0x1p-1022) mx *= 0x1p54, ex = -54;
  if (my < 0x1p-1022) my *= 0x1p54, ey = -54;
  ex += (int)(po_wide_bits(mx) >> 52) - 1023;
  ey += (int)(po_wide_bits(my) >> 52) - 1023;
  if (ey - ex > 64) return atan_sign(atan_half_pi.hi, y);
  if (ex - ey > 64) return atan_sign(left ? PO_PI : ay / ax, y);

  /* scaled to [1, 2) and 2^(ey - ex) [1, 2) */
  const uint64_t mantissa = 0x000fffffffffffffu;
  mx = po_wide_double((po_wide_bits(mx) & mantissa) | 1023ull << 52);
  my = po_wide_double((po_wide_bits(my) & mantissa) | (uint64_t)(1023 + ey - ex) << 52);
  return atan_sign(atan_angle((po_dd){my, 0.0}, (po_dd){left ? -mx : mx, 0.0}), y);
}

/* sqrt((1 - a)(1 + a)) for 0 <= a < 1. */
static po_dd atan_complement(double a) {
  po_dd p = po_dd_mul(po_dd_two_sum(1.0, -a), po_dd_two_sum(1.0, a));
  double s = sqrt(p.hi);
  po_dd square = po_dd_two_product(s, s);
  return po_dd_fast_sum(s, (((p.hi - square.hi) - square.lo) + p.lo) / (2.0 * s));
}

double po_asin(double x) {
  double a = po_abs(x);
  if (!(a <= 1.0)) return PO_NAN;
  if (a == 1.0) return atan_sign(atan_half_pi.hi, x);
  if (a < 0x1p-28) return x; /* x^3/6 is below half of the last place */
  return atan_sign(atan_angle((po_dd){a, 0.0}, atan_complement(a)), x);
}

double po_acos(double x) {
  double a = po_abs(x);
  if (!(a <= 1.0)) return PO_NAN;
  if (a == 1.0) return x > 0.0 ? 0.0 : PO_PI;
  if (a < 0x1p-60) return atan_half_pi.hi;
  return atan_angle(atan_complement(a), (po_dd){x, 0.0});
}

double po_wrap(double angle) {
  double turn = 2 * PO_PI;
  return po_abs(angle) <= PO_PI ? angle : angle - turn * floor(angle / turn + 0.5);
}
