/* textbook.h: trajectory problems that everybody's solver is tried on, for `poise ddp`, benches and tests: lqr, pendulum, cart-pole, car.
 *
 *   po_ddp_textbook_new  po_ddp_textbook_free
 *
 * With bounds when u_max is finite. Derivatives are exact.
 */
#ifndef PO_TEXTBOOK_H
#define PO_TEXTBOOK_H

#include "../ctrl/ddp/ddp.h"

typedef struct po_ddp_textbook {
  po_ddp_problem problem;
  const double *guess; /* frames × nu */
  double u_max;
} po_ddp_textbook;
#define PO_DDP_TEXTBOOK_COUNT 4
extern const char *const po_ddp_textbook_names[PO_DDP_TEXTBOOK_COUNT];
/* u_max: bound on every |u|; PO_INF: the problem's own (none, but for the car). Freed as a whole. */
po_status po_ddp_textbook_new(po_ddp_textbook **book, const char *name, double u_max, po_error *err);
void po_ddp_textbook_free(po_ddp_textbook *book);

#endif
