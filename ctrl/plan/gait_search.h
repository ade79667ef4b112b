/* gait_search.h: finds the numbers of a SIMBICON gait by trying (docs/simbicon.md).
 *
 *   po_gait_search_opts_default  po_gait_search_new  po_gait_search_free  po_gait_search_judge  po_gait_search_run
 *
 * A gait is judged by rollouts from several starts, each with its own noise and push: by how long it stays up, then by how far its speed is from
 * what is asked, then by effort. The search is a covariance-adapting evolution strategy with a diagonal covariance (Ros and Hansen 2008): knots of the
 * legs and the root, feedback gains and the duration of states vary. Same options, same bits.
 */
#ifndef PO_GAIT_SEARCH_H
#define PO_GAIT_SEARCH_H

#include "../moves/simbicon.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PO_GAIT_SEARCH_STARTS 16

typedef struct po_gait_search_opts {
  double speed;              /* m/s wanted, forward; NaN: any */
  double seconds;            /* of a rollout */
  double push;               /* N, for 0.1 s, once in each rollout but the first, from another side each; 0: none */
  double spread;             /* how far numbers vary at first, as a share of their scales: 0.05 rad, a tenth of gains and durations */
  int starts;                /* rollouts of a gait */
  int rounds, population;    /* generations, gaits in one */
  uint64_t seed;
} po_gait_search_opts;
po_gait_search_opts po_gait_search_opts_default(void);

typedef struct po_gait_cost {
  double cost;               /* below 1: never fell; 1 … 2: by how much of the time it was down */
  double upright;            /* share of the time asked for that it stayed up */
  double speed;              /* m/s, mean of those that did not fall */
  double effort;             /* mean of the torques' squares, as shares of weight times standing height */
} po_gait_cost;

typedef struct po_gait_search po_gait_search;
po_status po_gait_search_new(po_gait_search **search, const po_model *model, const po_gait_search_opts *opts, po_error *err);
void po_gait_search_free(po_gait_search *search);
po_status po_gait_search_judge(po_gait_cost *cost, po_gait_search *search, const po_gait_table *gait, po_error *err);
/* Starts from `gait` and leaves the best there. seed counts beside opts' own: independent searches differ by it alone. */
po_status po_gait_search_run(po_gait_table *gait, po_gait_cost *cost, po_gait_search *search, uint64_t seed, po_error *err);

#ifdef __cplusplus
}
#endif
#endif
