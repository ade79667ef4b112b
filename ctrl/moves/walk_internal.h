/* walk_internal.h: between the parts of walking: the gait (when and where), the swing foot, and the tick (objectives). */
#ifndef PO_WALK_INTERNAL_H
#define PO_WALK_INTERNAL_H

#include "moves.h"

/* Places in wbc->objective. */
enum {
  WALK_CONTACT = 0, WALK_COM = 8, WALK_TRUNK, WALK_HEEL, WALK_TOE = WALK_HEEL + 2, WALK_MOMENTUM = WALK_TOE + 2, WALK_POSE, WALK_ARMS,
  WALK_HEAD, WALK_HANDS, WALK_HEIGHT = WALK_HANDS + 2, WALK_UPRIGHT, WALK_PELVIS, WALK_ROLL, WALK_OBJECTIVES = WALK_ROLL + 2
};

/* rad/s², of head, pelvis and sole: what cannot be had, at a joint's stop, must not be had by moving the body. */
#define WALK_TURN_LIMIT 30.0

/* Advances the state machine and the curves by what the feet touch; called once a tick after po_actor_begin. */
void po_walk_gait(po_walk *walk, double dt);
/* Direction of travel and the one to its left. */
void po_walk_axes(const po_walk *walk, po_vec3 *along, po_vec3 *left);
/* The COM's reference now: position, velocity, acceleration. */
void po_walk_com(const po_walk *walk, po_vec3 *p, po_vec3 *v, po_vec3 *a);
/* Heel of a foot, world. */
po_vec3 po_walk_heel(const po_walk *walk, int foot);
/* Asks heel, toe and sole of the feet in swing and plant for what they should do. */
void po_walk_swing(po_walk *walk, po_vec3 along, po_vec3 left);

#endif
