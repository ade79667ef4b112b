/* cartwheel_step.c: who stands too narrow for a cartwheel hops apart: a small take-off without momentum, both feet led out, a landing. */
#include "cartwheel.h"
#include <string.h>

#define HOP_RISE 0.07  /* standing heights: time enough for the legs to open */
#define HOP_STOOD 0.15 /* s of standing still: it has landed */

/* As in a flip, but flat-footed: there is no momentum to make. */
static const po_takeoff_params hop_takeoff = {0, 1.7, 1.0, 0.4, 0.75, 1, 0, 1, 100};

double po_cartwheel_width(const cartwheel *c) {
  return po_cartwheel_along(c, po_cartwheel_middle(c, po_cartwheel_foot(c, 0))) - po_cartwheel_along(c, po_cartwheel_middle(c, po_cartwheel_foot(c, 1)));
}

void po_cartwheel_hop_begin(cartwheel *c) {
  const po_tumbler *t = &c->turner.body;
  memset(&c->turner.takeoff, 0, sizeof c->turner.takeoff);
  memset(&c->turner.landing, 0, sizeof c->turner.landing);
  po_takeoff_plan(&c->turner.takeoff, t, &hop_takeoff, HOP_RISE * t->h, 0, 0, c->turner.turning.phase.axis);
  c->turner.takeoff.shift = 0;
}

void po_cartwheel_hop(cartwheel *c) {
  po_tumbler *t = &c->turner.body;
  double own = t->stance;
  if (c->turner.takeoff.stage < PO_TAKEOFF_OFF) {
    po_takeoff_aim(&c->turner.takeoff, t, &hop_takeoff, c->turner.sense->dt);
    if (c->turner.takeoff.stage < PO_TAKEOFF_OFF) return;
    if (c->turner.takeoff.stage == PO_TAKEOFF_STUCK) c->turner.landing.stage = PO_LANDING_DOWN;
  }
  t->stance = 0.5 * c->params.stance;
  if (t->actor->data->com_velocity.z > 0 && c->turner.landing.stage == PO_LANDING_AIR) po_landing_open(&c->turner.landing, t, &c->params.landing); /* soles may still touch */
  else po_landing_aim(&c->turner.landing, t, &c->params.landing, c->turner.sense->dt);
  t->stance = own;
}

int po_cartwheel_hopped(const cartwheel *c) { return po_landing_stood(&c->turner.landing, HOP_STOOD); }
