/* dd.h: unevaluated sums of two doubles (about 106 bits), for base/ itself.
 *
 * Built from the exact transformations of Knuth (two-sum) and Dekker (split, two-product), which need IEEE double arithmetic without
 * contraction and nothing else: no FMA, so the bits are the same on every CPU. Operands must stay within about 1e-140 ... 1e290,
 * where neither the split overflows nor the error term underflows; the callers scale first.
 */
#ifndef PO_BASE_DD_H
#define PO_BASE_DD_H

typedef struct po_dd {
  double hi, lo;
} po_dd;

/* a + b exactly. */
static inline po_dd po_dd_two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (po_dd){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly when |a| >= |b| or a = 0. */
static inline po_dd po_dd_fast_sum(double a, double b) {
  double s = a + b;
  return (po_dd){s, b - (s - a)};
}

/* a * b exactly. */
static inline po_dd po_dd_two_product(double a, double b) {
  const double splitter = 134217729.0; /* 2^27 + 1 */
  double p = a * b;
  double ta = splitter * a, a1 = ta - (ta - a), a2 = a - a1;
  double tb = splitter * b, b1 = tb - (tb - b), b2 = b - b1;
  return (po_dd){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline po_dd po_dd_add(po_dd a, po_dd b) {
  po_dd s = po_dd_two_sum(a.hi, b.hi), t = po_dd_two_sum(a.lo, b.lo);
  s = po_dd_fast_sum(s.hi, s.lo + t.hi);
  return po_dd_fast_sum(s.hi, s.lo + t.lo);
}

static inline po_dd po_dd_neg(po_dd a) { return (po_dd){-a.hi, -a.lo}; }

static inline po_dd po_dd_mul(po_dd a, po_dd b) {
  po_dd p = po_dd_two_product(a.hi, b.hi);
  return po_dd_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* a / b: the quotient of the leading parts, then one correction by the exact remainder. */
static inline po_dd po_dd_div(po_dd a, po_dd b) {
  double q = a.hi / b.hi;
  po_dd p = po_dd_two_product(q, b.hi);
  double r = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
  return po_dd_fast_sum(q, r / b.hi);
}

#endif
