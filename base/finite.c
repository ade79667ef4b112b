/* finite.c: are all of these numbers, and is arithmetic what it should be? */
#include "base/base.h"

/* With such flags a compiler takes NaN for impossible, so that every check at a door is gone, and reorders sums, so that no two builds agree.
 * The library is refused as a whole; a program that is linked with it may be compiled with whatever it likes. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 != 0) || defined(__ASSOCIATIVE_MATH__) || \
    defined(__RECIPROCAL_MATH__)
#error "Poise cannot be compiled with -ffast-math, -Ofast or parts of them: NaN would pass its checks and results would lose their bits. Leave the flag out for these files."
#endif

po_status po_check_arithmetic(void) {
  volatile double one = 1, little = 0x1p-60; /* far below half of the last place of 1 */
  return one + little == one && one - little == one && -one - little == -one ? PO_OK : PO_ERR_UNSUPPORTED;
}

int po_all_finite(const double *x, int n) {
  /* x - x is 0 for a number and NaN for NaN and infinities; a NaN never leaves the sums. Four sums, so that adds overlap. */
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] - x[i];
    s1 += x[i + 1] - x[i + 1];
    s2 += x[i + 2] - x[i + 2];
    s3 += x[i + 3] - x[i + 3];
  }
  for (; i < n; i++) s0 += x[i] - x[i];
  return (s0 + s1) + (s2 + s3) == 0.0;
}
