/* alone.h: one body with one behaviour on empty, flat ground, which is put somewhere and let go, again and again. Not for users.
 *
 * Before each time a simulation in which nothing has happened is restored: old contacts would leave their warm starts behind. It is saved at the first of them,
 * so that a behaviour may be given gaits or parameters until then.
 */
#ifndef PO_ALONE_H
#define PO_ALONE_H

#include "plan.h"

typedef struct po_alone {
  po_world *world;
  po_sim *sim;
  po_move *move;
  void *blank;
  size_t bytes;
} po_alone;

/* dt: s of world and control; friction: the ground's. `whose` begins the messages. What has been made of one that fails is freed by po_alone_free. */
po_status po_alone_make(po_alone *alone, const po_model *model, const po_move_type *type, double dt, double friction, const char *whose, po_error *err);
void po_alone_free(po_alone *alone);
po_status po_alone_restart(po_alone *alone);

#endif
