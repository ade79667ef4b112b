/* support.h: the law of balance, for whatever stands on whatever carries it: two feet, one, hands, the tip of a toe.
 *
 * A body of mass m whose COM c is h above what carries it moves by where it presses (p, the centre of pressure), by the force F it presses with, and by how its
 * angular momentum L changes:
 *
 *   m h c̈ = F (c − p) − L̇ × z                          across gravity; z up
 *
 * Left alone, with F = m g, it runs away from p as e^{w t}, w = √(g/h), and only by pressing on the capture point does it come to rest. Angular momentum counts there as
 * the speed that it becomes when horizontal force takes it up, (L × z)/(m h):
 *
 *   ξ = c + (ċ + (L × z)/(m h))/w
 *
 * To stand is to press beyond ξ, within the support, the hull of what touches. A law looks (po_pendulum_over, po_footing_of), says where to press (po_pendulum_press),
 * draws that into the support (po_footing_inside); what COM and angular momentum are to do follows from there (po_pendulum_push), so that neither is bought from the other.
 */
#ifndef PO_SUPPORT_H
#define PO_SUPPORT_H

#include "moves.h"

/* ---- what carries ---- */

typedef struct po_footing {
  po_vec3 hull[PO_HULL_MAX]; /* of what touches, world, counter-clockwise seen from above */
  int corners;
  po_vec3 centre;            /* of all points of the patches */
} po_footing;
/* Of a set of patches. Those in `pressed` count with all their points, whether they touch yet or not: they are being pressed to the ground. */
po_footing po_footing_of(const po_actor *actor, unsigned set, unsigned pressed);
/* How far p is outside, m (negative: inside); ∞ when nothing touches. */
double po_footing_outside(const po_footing *footing, po_vec3 p);
/* p, or when it is nearer to the edge than `margin` or outside, the point that far inside the nearest place of the edge, towards the centre. */
po_vec3 po_footing_inside(const po_footing *footing, po_vec3 p, double margin);
/* A centre of pressure p that lies further outside a hull of n corners than `margin` (negative: inside) is drawn to the margin, along the line
 * through the nearest point of the edge: to nearest + over. Returns 1 when it was. */
int po_cop_clip(po_vec3 *nearest, po_vec3 *over, po_vec3 p, const po_vec3 *hull, int n, double margin);

/* ---- what is carried ---- */

typedef struct po_pendulum {
  double mass, gravity;      /* kg, m/s² */
  double h, w;               /* m, 1/s */
  po_vec3 com;
  po_vec3 spin;              /* m/s: the speed that angular momentum becomes */
  po_vec3 capture;           /* ξ */
} po_pendulum;
/* Over ground of this height (world). The laws are not asked about a COM lower than `lowest` over it. */
po_pendulum po_pendulum_over(const po_actor *actor, double ground, double lowest);
/* Where to press, with the force F, so that the capture point is drawn to the goal at so much a second:  p = c + (m g/F)(ξ − c + (rate/w)(ξ − goal) − (L × z)/(m h w)). */
po_vec3 po_pendulum_press(const po_pendulum *b, po_vec3 goal, double rate, double force);
/* Where it must press for this acceleration and this change of angular momentum; and the acceleration that pressing there gives. */
po_vec3 po_pendulum_pressure(const po_pendulum *b, po_vec3 acceleration, double force, po_vec3 turn);
po_vec3 po_pendulum_push(const po_pendulum *b, po_vec3 pressure, double force, po_vec3 turn);
/* c + ċ/w for the standing height: the capture point of a body that does not turn. */
po_vec3 po_capture_point(const po_actor *actor);

/* ---- turning upright ---- */

/* L̇ that takes up what the body turns with, and turns the line `is` (unit, of the body) to `want` (unit): L comes at `rate` (1/s) to `gain` (kg m²/s) times the angle
 * between them, at most `most`. */
po_vec3 po_turn_to(po_vec3 is, po_vec3 want, double gain, double most, double rate, po_vec3 momentum);
/* v, or as much of it as is no longer than `most`. */
po_vec3 po_at_most(po_vec3 v, double most);

#endif
