/* rotation.h (room-internal): the rate of a rotation vector and the angular velocity that goes with it.
 *
 * For R = exp(r~), w in the rotated body's own axes: w = Jr(r) dr/dt, with the right Jacobian of SO(3) and its inverse
 *   Jr(r)   = 1 − (1 − cos t)/t² r~ + (t − sin t)/t³ r~²,          t = |r|
 *   Jr(r)⁻¹ = 1 + r~/2 + (1 − (t/2) cot(t/2))/t² r~².
 */
#ifndef PO_RBD_ROTATION_H
#define PO_RBD_ROTATION_H

#include "rbd.h"

/* a x + b r×x + c r×(r×x) */
static inline po_vec3 po_rotation_mix(po_vec3 r, po_vec3 x, double b, double c) {
  po_vec3 rx = po_v3_cross(r, x);
  return po_v3_add(po_v3_addscaled(x, b, rx), po_v3_scale(c, po_v3_cross(r, rx)));
}

static inline po_vec3 po_rotation_velocity(po_vec3 r, po_vec3 rate) { /* Jr(r) rate */
  double t2 = po_v3_dot(r, r), t, s, half;
  if (t2 < 1e-4) /* series: the next terms are below 1e-17 */
    return po_rotation_mix(r, rate, -(0.5 - t2 / 24 + t2 * t2 / 720), 1.0 / 6 - t2 / 120 + t2 * t2 / 5040);
  t = sqrt(t2);
  s = po_sin(t);
  half = po_sin(0.5 * t);
  return po_rotation_mix(r, rate, -2 * half * half / t2, (t - s) / (t2 * t));
}

static inline po_vec3 po_rotation_rate(po_vec3 r, po_vec3 w) { /* Jr(r)⁻¹ w */
  double t2 = po_v3_dot(r, r), t, s, k;
  if (t2 < 1e-4) return po_rotation_mix(r, w, 0.5, 1.0 / 12 + t2 / 720 + t2 * t2 / 30240);
  t = sqrt(t2);
  po_sincos(0.5 * t, &s, &k);
  return po_rotation_mix(r, w, 0.5, (1 - 0.5 * t * k / s) / t2);
}

#endif
