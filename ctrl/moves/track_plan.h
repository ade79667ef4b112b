/* track_plan.h (room-internal): a segment of a motion as a problem for the momentum model (Ye & Liu 2010, eqs. 1 to 3). */
#ifndef PO_TRACK_PLAN_H
#define PO_TRACK_PLAN_H

#include "../../motion/motion.h"
#include "../ddp/ddp.h"

/* Frames from … to of the motion, at its rate: COM, momenta and the integral of the angular momentum from zero as the reference, planted corners as contacts, rays of a
 * friction pyramid of four at mu, weights of the body's size; start and goal are the reference's own. height: of the body's COM at rest; squat: the
 * weights for motions without steps. Frames of a cyclic motion may be negative: those of the round before. Free with po_momentum_free. PO_ERR_RANGE for frames that are not there. */
po_status po_track_plan(po_momentum **plan, const po_motion *motion, int from, int to, double mu, double height, int squat,
                        po_error *err);

#endif
