/* step_places.c: where to put the feet on ground with gaps: steps of about the base length, none into a gap (Coros 2010, section 3.5, the hybrid planner's footholds).
 *
 * The thesis moves footholds of the base length to the nearer edge of a gap. Here the cheapest of all ways over the next four steps is found, on a grid, by dynamic programming:
 * a step costs by how much longer or shorter it is than usual, a foothold by how near to an edge it is. Who is fast steps further at first, which slows it down again.
 */
#include "learn_internal.h"
#include <string.h>

#define PLACES_GRID 0.02       /* m */
#define PLACES_RIM 0.05        /* m: beyond the steps that were learnt well, at either end: given footholds are met better than sampled ones */
#define PLACES_LONG 55         /* of the grid: no step is longer */
#define PLACES_CELLS (PO_STEP_PLACES * PLACES_LONG + 1)
#define PLACES_SPREAD 0.3      /* m: a step so much longer or shorter than the base costs 1 */
#define PLACES_EDGE 2.0        /* how dear it is to be near an edge, by the share of the sole that would be off */
#define PLACES_NONE 1e3        /* a foothold with less of its sole on ground than the margin: for want of better */

static double places_cost(const po_step_planner *p, const po_step_ground *g, double x) {
  double on = g->good(g->user, x), off = 2 - g->good(g->user, x - p->close) - g->good(g->user, x + p->close);
  return PLACES_EDGE * off + (on < p->opts.margin ? PLACES_NONE * (1 - on) : 0);
}

static double places_square(double x) { return x * x; }

int po_step_planner_places(double place[PO_STEP_PLACES], const po_step_planner *p, const double *s, double x, double longer, const po_step_ground *g) {
  double at[PLACES_CELLS], cost[PO_STEP_PLACES + 1][PLACES_CELLS], natural = p->steps->kind.footholds ? p->opts.base_length : p->opts.base_length * s[1] / p->base_speed, least = PO_INF;
  int from[PO_STEP_PLACES + 1][PLACES_CELLS], i, k, l, best = 0;
  int shortest = (int)po_clamp((p->shortest - PLACES_RIM) / PLACES_GRID, 1, PLACES_LONG), longest = (int)po_clamp((p->longest + PLACES_RIM) / PLACES_GRID, shortest, PLACES_LONG);
  for (i = 0; i < PLACES_CELLS; i++) {
    at[i] = places_cost(p, g, x + i * PLACES_GRID);
    cost[0][i] = i ? PO_INF : 0;
  }
  for (k = 1; k <= PO_STEP_PLACES; k++) {
    double step[PLACES_LONG + 1], wanted = longer + p->opts.base_length + (natural - p->opts.base_length) / k;
    for (l = shortest; l <= longest; l++) step[l] = places_square((l * PLACES_GRID - wanted) / PLACES_SPREAD);
    for (i = 0; i < PLACES_CELLS; i++) {
      cost[k][i] = PO_INF;
      from[k][i] = 0;
      for (l = shortest; l <= longest && l <= i; l++)
        if (cost[k - 1][i - l] + step[l] + at[i] < cost[k][i]) cost[k][i] = cost[k - 1][i - l] + step[l] + at[i], from[k][i] = i - l;
    }
  }
  for (i = 0; i < PLACES_CELLS; i++)
    if (cost[PO_STEP_PLACES][i] < least) least = cost[PO_STEP_PLACES][i], best = i;
  for (k = PO_STEP_PLACES; k > 0; k--) {
    place[k - 1] = x + best * PLACES_GRID;
    best = from[k][best];
  }
  return least < PLACES_NONE * (1 - p->opts.margin);
}
