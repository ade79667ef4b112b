/* jump_internal.h: what the parts of the jump share: jump.c decides (plan and stages), jump_motion.c asks (references), jump_pose.c shapes the rest pose. */
#ifndef PO_JUMP_INTERNAL_H
#define PO_JUMP_INTERNAL_H

#include "turner.h"

typedef struct jump {
  po_turner turner;
  po_jump now;
  po_jump_params params;
  po_posture o;              /* the body's objectives, as balance has them */
  double thigh, shank, leg;  /* lengths, of both sides in the mean; leg: hip to ankle in the zero pose */
} jump;
static inline jump *po_jump_self(const po_move *move) { return (jump *)po_turner_of(move); }

/* Landing aims this low (share of standing): the body gives way, then rises. */
#define JUMP_LANDING 0.78

/* COM over the soles. */
double po_jump_over(const jump *j);
/* Angular momentum about the vertical through the COM. */
double po_jump_spin(const jump *j);
/* From the parameters as they are now; made anew until thrust begins, so that they may change. */
void po_jump_plan(jump *j);

/* ---- the rest pose: legs that fold or stretch, a trunk that leans, arms that swing ---- */

typedef struct jump_shape {
  double knee, ankle, lean;  /* rad beyond the zero pose: bent, shank forward, trunk forward */
  double toes;               /* rad: feet that hang; 0: they stand as the shank leans */
  double arms;               /* rad, back positive, before the parameter `arms` */
} jump_shape;
/* Hip to ankle and the bones between, from the zero pose (in actor.data). */
void po_jump_measure(jump *j);
/* Legs and lean of a body whose COM is `over` its soles. */
jump_shape po_jump_shape(const jump *j, double over);
/* Sets the rest pose, its weights and gains, and the trunk's lean; after the objectives' common references. stiff: the trunk is held as in a jump. */
void po_jump_pose(jump *j, const jump_shape *shape, int flying, int stiff);

/* ---- what stages ask ---- */

void po_jump_stand(po_move *move);
void po_jump_compress(po_move *move);
void po_jump_thrust(po_move *move);
void po_jump_ascend(po_move *move);
void po_jump_descend(po_move *move);
void po_jump_give_way(po_move *move);
void po_jump_recover(po_move *move);

#endif
