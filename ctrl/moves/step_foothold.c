/* step_foothold.c: steps that are told where to end: by generalized walking (gbwc_path.c), whose swinging foot goes to a place by inverse kinematics and whose clock waits for
 * the body to come along. An action is two lengths; the same search, model and planner find which ones bring a heel to a place (docs/constrained-walking.md).
 *
 *   A = (foothold beyond the base step, m;  the step after it beyond the base step, m)
 *
 * The second is what the step is to end with: the point of rest lies the further beyond the new foot, the longer the next step is to be.
 */
#include "gbwc_internal.h"
#include "steps.h"
#include <string.h>

#define FOOTHOLD_FURTHER 0.5    /* m: limits of an action; */
#define FOOTHOLD_NEXT 0.3
#define FOOTHOLD_WEIGHT 0.01    /* places are what is wanted, and cost nearly nothing; */
#define FOOTHOLD_NEXT_WEIGHT 0.05 /* what follows is free, and stays near the base step */
#define FOOTHOLD_SHORTEST 0.05  /* m: feet that hardly pass each other, */
#define FOOTHOLD_LONGEST 0.85   /* and, of the leg, as far as they come apart */
#define FOOTHOLD_CLEARANCE 0.04 /* m, times the body's scale: below the swinging sole */
#define FOOTHOLD_CHANGE 0.36    /* m/s: what a base step changes of the speed, 0.6 s of 0.6 m/s², */

po_step_kind po_step_kind_footholds(void) {
  po_step_kind k;
  memset(&k, 0, sizeof k);
  k.footholds = 1;
  k.actions = 2;
  k.states = PO_STEP_STATE;
  k.weight[0] = FOOTHOLD_WEIGHT;
  k.weight[1] = FOOTHOLD_NEXT_WEIGHT;
  k.limit[0] = FOOTHOLD_FURTHER;
  k.limit[1] = FOOTHOLD_NEXT;
  return k;
}

po_status po_step_to_foothold(po_move *move, int stance, double facing, const double *action) {
  po_gbwc *g = po_gbwc_of(move);
  double base, most;
  po_status st;
  if (!g) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  base = g->params.speed * g->params.step_time * g->time_scale * g->time_scale;
  most = FOOTHOLD_LONGEST * g->leg;
  g->params.heading = PO_DEG(po_wrap(facing - g->now.north));
  if ((st = po_gbwc_begin_step(g, stance, FOOTHOLD_CHANGE)) != PO_OK) return st;
  if (!action) return PO_OK;
  g->now.facing = facing;
  return po_gbwc_path_to(g, po_clamp(base + action[0], FOOTHOLD_SHORTEST, most), po_clamp(base + action[1], FOOTHOLD_SHORTEST, most),
                         FOOTHOLD_CLEARANCE * g->length);
}
