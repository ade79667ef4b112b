/* cop.c: the centre of pressure that an acceleration of the COM needs, kept near what the body stands on.
 *
 * A body whose COM at height h accelerates by ÿ across gravity presses on the ground at p = c − ÿ h/g. Beyond the hull of its patches only spinning the
 * body could deliver ÿ, and since angular momentum stands lower in the stack, it would, until joints run into their limits.
 */
#include "moves.h"

int po_cop_clip(po_vec3 *nearest, po_vec3 *over, po_vec3 p, const po_vec3 *hull, int n, double margin) {
  double out = po_hull_distance(nearest, hull, n, p);
  if (n < 3) margin = po_max(margin, 0); /* a line has no inside */
  if (n < 1 || out <= margin || out == 0) return 0;
  *over = po_v3((p.x - nearest->x) * margin / out, (p.y - nearest->y) * margin / out, 0);
  return 1;
}

/* Koolen et al. 2012: where the body must step, or press, to come to rest. */
po_vec3 po_capture_point(const po_actor *a) {
  double g = po_v3_norm(a->data->gravity);
  return po_v3_addscaled(a->data->com, g > 0 ? sqrt(a->standing_height / g) : 0, a->data->com_velocity);
}
