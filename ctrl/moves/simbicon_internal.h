/* simbicon_internal.h: between the files of SIMBICON. */
#ifndef PO_SIMBICON_INTERNAL_H
#define PO_SIMBICON_INTERNAL_H

#include "moves.h"

/* A gait with its joints found on a body. */
struct po_simbicon_gait {
  po_gait_table table;
  int *target;               /* [states][2][nb]: of the table, by state, stance and body; −1: none, which stands for no rotation */
  double *kp, *kd;           /* [nb] */
  po_vec3 *scale;            /* [nb] */
};

typedef struct po_simbicon {
  po_move move;
  po_simbicon_params params;
  po_simbicon_state now;
  struct po_simbicon_gait *gait[PO_SIMBICON_GAITS]; /* owned */
  int gaits;
  int chosen;                /* what gait −1 stands for */
  double *tau_other;         /* [nv] */
  po_vec3 *moment;           /* [nb] on each body by its joint, world */
} po_simbicon;
po_simbicon *po_simbicon_of(const po_move *move); /* NULL when the move is something else */

/* A curve at a phase: Catmull-Rom through uneven knots, one-sided at the ends, constant outside. No knots: `none`. */
double po_gait_value(const po_gait_table *gait, po_gait_curve curve, double phase, double none);
/* Finds the joints; po_free frees it. */
po_status po_simbicon_resolve(struct po_simbicon_gait **gait, const po_gait_table *table, const po_model *model, po_error *err);
/* What the table wants of body b, or NULL. */
const po_gait_target *po_simbicon_target(const struct po_simbicon_gait *gait, int bodies, int state, int stance, int b);
/* Its rotation; d, v NULL: without feedback. */
po_quat po_simbicon_rotation(const po_gait_table *table, const po_gait_target *target, double phase, int stance, const po_vec3 *d, const po_vec3 *v,
                             double feedback);

#endif
