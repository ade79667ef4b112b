/* gbwc_limb.c: two links joined by a hinge, and the triangle that they make with the line from end to end. */
#include "gbwc_internal.h"

void po_gbwc_limb_measure(po_gbwc_limb *l, po_mat3 R, po_vec3 axis, po_vec3 upper, po_vec3 lower) {
  upper = po_v3_addscaled(upper, -po_v3_dot(axis, upper), axis);
  lower = po_v3_addscaled(lower, -po_v3_dot(axis, lower), axis);
  l->upper = po_v3_norm(upper);
  l->lower = po_v3_norm(lower);
  l->bend = po_atan2(po_v3_dot(axis, po_v3_cross(upper, lower)), po_v3_dot(upper, lower));
  l->line = po_m3_tmul_v(R, po_v3_unit(upper));
  l->axis = po_m3_tmul_v(R, axis);
}

double po_gbwc_limb_bend(const po_gbwc_limb *l, double D2) {
  double L1 = l->upper, L2 = l->lower;
  return po_acos(po_clamp((D2 - L1 * L1 - L2 * L2) / (2 * L1 * L2), -1, 1));
}

double po_gbwc_limb_lead(const po_gbwc_limb *l, double D) {
  double L1 = l->upper, L2 = l->lower;
  return po_acos(po_clamp((L1 * L1 + D * D - L2 * L2) / (2 * L1 * D), -1, 1));
}

po_mat3 po_gbwc_limb_pose(const po_gbwc_limb *l, po_vec3 line, po_vec3 axis) {
  po_mat3 side = po_m3_outer(po_v3_cross(axis, line), po_v3_cross(l->axis, l->line));
  return po_m3_add(po_m3_add(po_m3_outer(line, l->line), po_m3_outer(axis, l->axis)), side);
}
