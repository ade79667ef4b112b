/* motion_internal.h (room-internal): what the files of motions share. */
#ifndef PO_MOTION_INTERNAL_H
#define PO_MOTION_INTERNAL_H

#include "motion.h"

/* q moved along; nothing without a floating base. */
void po_planar_apply(const po_model *model, double *q, po_planar_move move);
/* The move made n times; n < 0: backwards. */
po_planar_move po_planar_power(po_planar_move move, int n);

/* The length a motion's numbers scale with: the root's height at rest, m. */
double po_motion_length(const po_model *model);
po_vec3 po_corner_position(const po_data *data, const po_motion *motion, int corner);

#endif
