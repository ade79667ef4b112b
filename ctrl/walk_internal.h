/* walk_internal.h: between the two halves of walking: the gait (when and where) and the tick (objectives). */
#ifndef PO_WALK_INTERNAL_H
#define PO_WALK_INTERNAL_H

#include "ctrl_internal.h"

/* Advances the state machine and the curves by what the feet touch; called once a tick after po_actor_begin. */
void po_walk_gait(po_walk *walk, double dt);
/* Direction of travel and the one to its left. */
void po_walk_axes(const po_walk *walk, po_vec3 *along, po_vec3 *left);
/* The COM's reference now: position, velocity, acceleration. */
void po_walk_com(const po_walk *walk, po_vec3 *p, po_vec3 *v, po_vec3 *a);
/* Heel of a foot, world. */
po_vec3 po_walk_heel(const po_walk *walk, int foot);

#endif
