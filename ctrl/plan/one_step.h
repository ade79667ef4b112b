/* one_step.h: one step of a character that walks by SIMBICON or by generalized walking, from a strike to the next. Not for users.
 *
 *   po_stepper_opts_default  po_stepper_new  po_stepper_move  po_stepper_sim  po_stepper_run
 *
 * The result depends on the state, the stance foot and the step that is begun, and on nothing else: an empty simulation is restored first, since
 * old contacts would leave their warm starts behind. To fall or to take too long is an outcome, not an error. Nothing allocates in a step.
 */
#ifndef PO_ONE_STEP_H
#define PO_ONE_STEP_H

#include "plan.h"

typedef enum po_step_end { PO_STEP_STRUCK, PO_STEP_FELL, PO_STEP_LATE } po_step_end;

typedef struct po_stepper_opts {
  double dt;                 /* s, of world and control: 0.0005 */
  double friction;           /* of the ground: 0.8 */
  double seconds;            /* a step that takes longer is late: 2 */
  const po_move_type *type;  /* po_simbicon_type or po_gbwc_type */
} po_stepper_opts;
po_stepper_opts po_stepper_opts_default(void);

/* On flat ground. */
po_status po_stepper_new(po_stepper **stepper, const po_model *model, const po_stepper_opts *opts, po_error *err);
/* Its controller: gaits may be added to it before the first step. What a step sets, the next one finds as it was at the first. */
po_move *po_stepper_move(po_stepper *stepper);
po_sim *po_stepper_sim(po_stepper *stepper); /* for a look at the end of a step, or to go on from there */

/* Sets up the step at its beginning: parameters, then po_simbicon_begin_step or po_gbwc_begin_step. */
typedef po_status (*po_step_begin_fn)(void *user, po_move *move);

/* q, v: at a strike; when the next foot has struck, there; else as the step ended. seconds: it took. */
po_status po_stepper_run(po_step_end *end, double *seconds, double *q, double *v, po_stepper *stepper, po_step_begin_fn begin, void *user, po_error *err);
#endif
