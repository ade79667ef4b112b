/* proportions.h: bodies of random proportions, and limbs that grow while a run goes on.
 *
 * A scenario has them by parameters in its table (PO_RANDOM_PARAMS, PO_GROWTH_PARAMS), PO_GROWTH_TEXT among its texts, and three calls: po_run_random_body
 * first of all, po_run_prepare_growth after it, po_run_grow before every step.
 */
#ifndef PO_PROPORTIONS_H
#define PO_PROPORTIONS_H

#include "scenes.h"

typedef struct po_random_params { double body_seed, body_spread; } po_random_params;
typedef struct po_growth_params { double grow, grow_start, grow_seconds; } po_growth_params;

#define PO_RANDOM_PARAMS(type, member, spread) \
  PO_PARAM_IN(type, member, body_seed, 0, 0, 1e6, "", "> 0: a body of random proportions, left and right apart"), \
  PO_PARAM_IN(type, member, body_spread, spread, 0, 0.4, "", "how far its lengths and masses may be off the human's, as a share")
#define PO_GROWTH_PARAMS(type, member) \
  PO_PARAM_IN(type, member, grow, 1, 0.5, 3, "", "limbs end up this many times as long"), \
  PO_PARAM_IN(type, member, grow_start, 5, 0, 1e4, "s", "when growing begins"), \
  PO_PARAM_IN(type, member, grow_seconds, 10, 0.1, 1e4, "s", "how long it takes")
#define PO_GROWTH_TEXT {"limbs", "all", "what grows: all, arms, legs, or the link that a limb begins with", NULL}

/* The run's model becomes a random one when body_seed says so; a model that was asked for by name is refused then. */
po_status po_run_random_body(po_run *run, const po_random_params *params, po_error *err);
/* The bodies on the way from small to large, made before the run: nothing allocates while it goes on. */
po_status po_run_prepare_growth(po_run *run, const po_growth_params *params, po_error *err);
/* Puts the next size on when it is time: the world keeps the lowest foot where it is, the behaviour learns of the new body. *grown: sizes so far, 0 at
 * first; it tells whether something changed. */
po_status po_run_grow(int *grown, po_run *run, const po_growth_params *params);

#endif
