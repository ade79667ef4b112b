/* jump_internal.h: what the parts of the jump share: jump.c decides (plan and state machine), jump_motion.c asks (references),
 * jump_pose.c shapes the rest pose. */
#ifndef PO_JUMP_INTERNAL_H
#define PO_JUMP_INTERNAL_H

#include "moves.h"

/* Landing aims this low (share of standing): the body gives way, then rises. */
#define JUMP_LANDING 0.78

static inline int po_jump_flying(const po_jump *j) { return j->phase == PO_JUMP_ASCENT || j->phase == PO_JUMP_DESCENT; }
/* COM over the soles. */
static inline double po_jump_over(const po_jump *j) {
  return j->move.actor->data->com.z - po_patches_centroid(&j->move.actor->patches, j->move.actor->data, PO_BOTH_FEET).z;
}
/* Angular momentum about the vertical through the COM. */
double po_jump_spin(const po_jump *j, const double *v);
/* Hip to ankle and the bones between, from the zero pose (in actor.data). */
void po_jump_measure(po_jump *j);
/* The rest pose, its weights and gains, and the trunk's lean for this tick; after the objectives' common references are set. */
void po_jump_rest_pose(po_jump *j);
/* Every objective's reference, gain and switch for this tick. */
void po_jump_references(po_jump *j, const double *v);

#endif
