/* tune_noise.c: costs that chance has a part in: some points are tried twice, and how far their ranks move says how many draws a cost is to be the mean of
 * (Hansen, Niederberger, Guzzella and Koumoutsakos 2009, algorithm 2 and section IV). */
#include "tune_room.h"

#define NOISE_SHARE 0.1      /* of the population, at least */
#define NOISE_LEAST 2
#define NOISE_THETA 0.2      /* a move as large as this share of a random one's median is borne */
#define NOISE_MORE 1.5       /* draws are multiplied by it; by its fourth root they come down again */

int po_tune_noise_again(const po_tune *t) {
  int k = (int)(NOISE_SHARE * t->population + 0.5);
  return k < NOISE_LEAST ? NOISE_LEAST : k;
}

/* How many of all values, both of each pair that was tried twice, are better than the i-th; `other` is left out. */
static int noise_rank(const po_tune *t, int i, int other) {
  int k, rank = 1;
  for (k = 0; k < t->ranked + t->again; k++)
    if (k != i && k != other && po_tune_compare(t->cost[k], t->violation[k], t->cost[i], t->violation[i]) < 0) rank++;
  return rank;
}

/* The θ/2 quantile of |r − R| over all ranks r: the move that a value at rank R makes by chance alone. */
static double noise_limit(int rank, int all) {
  int wanted = (int)(NOISE_THETA * 0.5 * all), d = 0, count = 0;
  for (d = 0; d <= all; d++) {
    count += rank - d >= 1;
    if (d) count += rank + d <= all;
    if (count > wanted) break;
  }
  return d;
}

void po_tune_noise_tell(po_tune *t) {
  double s = 0;
  int k, all = t->ranked + t->again - 1;
  for (k = 0; k < t->again; k++) {
    int second = t->ranked + k, a = noise_rank(t, k, second), b = noise_rank(t, second, k), moved = a > b ? a - b : b - a;
    s += (2.0 * moved - noise_limit(a, all) - noise_limit(b, all)) / t->again;
  }
  for (k = 0; k < t->again; k++) {
    int second = t->ranked + k;
    t->cost[k] = t->cost[second] = 0.5 * (t->cost[k] + t->cost[second]);
    t->violation[k] = t->violation[second] = 0.5 * (t->violation[k] + t->violation[second]);
  }
  if (s > 0 && t->level >= t->opts.repeats) t->cma.sigma *= 1 + 2.0 / (t->n + 10); /* draws no longer help: look farther */
  t->level = po_clamp(t->level * (s > 0 ? NOISE_MORE : 1 / sqrt(sqrt(NOISE_MORE))), 1, t->opts.repeats);
}
