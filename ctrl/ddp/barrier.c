/* barrier.c: the interior method's part: where it starts, and how its barrier falls.
 *
 * Every finite bound has a distance s > 0 and a multiplier z > 0; sweeps aim at s z = β for all of them, with Quu + z/s and Qu −
 * β/s (backward.c), rollouts keep 0.5 % of every s (forward.c). β falls only after steps that were nearly whole: falling β with
 * tiny steps ends nowhere. */
#include "ddp_internal.h"

#define BAR_FALL 0.1   /* of the mean of s z */
#define BAR_WHOLE 0.4  /* steps that count as nearly whole */
#define BAR_TINY 0.1   /* steps after which β rises again */
#define BAR_MARGIN 0.2 /* distance to a bound at the start, in units of the mean |u| and of the distance of the two bounds */
#define BAR_START 0.1  /* first β, in units of the mean cost of a frame */

/* Calls for every finite bound of every control would hide the loop; so it is written where it is needed. */
static double bar_mean_product(const po_ddp *d) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < d->N; k++)
    for (int i = 0; i < d->nu[k]; i++) {
      double u = ddp_u(d, d->now.u, k)[i], lo = u - ddp_lower(d, k, i), hi = ddp_upper(d, k, i) - u;
      if (lo < PO_INF) sum += lo * ddp_u(d, d->now.zl, k)[i], count++;
      if (hi < PO_INF) sum += hi * ddp_u(d, d->now.zu, k)[i], count++;
    }
  return count ? sum / count : 0;
}

void po_ddp_next_barrier(po_ddp *d, double alpha) {
  double floor = 0.1 * d->opts.tol_complementarity * (1 + po_abs(d->now.cost)); /* lower brings nothing but bad numbers */
  if (alpha > BAR_WHOLE) d->beta = po_max(po_min(d->beta, BAR_FALL * bar_mean_product(d)), floor);
  else if (alpha < BAR_TINY) d->beta *= 2;
}

void po_ddp_enter_barrier(po_ddp *d) {
  double sum = 0, size;
  int count = 0;
  for (int k = 0; k < d->N; k++)
    for (int i = 0; i < d->nu[k]; i++) sum += po_abs(ddp_u(d, d->now.u, k)[i]), count++;
  size = sum > 0 ? sum / count : 1;
  d->beta = BAR_START * po_max(po_abs(d->now.cost) / d->N, 1e-12);
  for (int k = 0; k < d->N; k++)
    for (int i = 0; i < d->nu[k]; i++) {
      double *u = ddp_u(d, d->now.u, k) + i, lower = ddp_lower(d, k, i), upper = ddp_upper(d, k, i);
      double margin = BAR_MARGIN * po_min(size, upper - lower);
      *u = po_max(po_min(*u, upper - margin), lower + margin);
      ddp_u(d, d->now.zl, k)[i] = lower > -PO_INF ? d->beta / (*u - lower) : 0;
      ddp_u(d, d->now.zu, k)[i] = upper < PO_INF ? d->beta / (upper - *u) : 0;
    }
}
