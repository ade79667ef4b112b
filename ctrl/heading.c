/* heading.c: where a body faces, also while it turns over.
 *
 * Seen along gravity, the heading is the direction of the body's x axis. In a somersault that axis stands upright twice and points back in between,
 * which would count as half a turn and back, or as a whole one when the body wobbles. Its y axis stays level all the while: once x stands
 * too steeply, y tells, until the body is upright again, where the two agree.
 */
#include "ctrl.h"

#define HEADING_LOST 0.5     /* length of x seen along gravity below which y tells: 60 degrees from level */
#define HEADING_UPRIGHT 0.9  /* cosine of the tilt from which x tells again */

void po_heading_update(po_heading *h, po_mat3 R, po_vec3 gravity) {
  po_vec3 e0, e1, up, x = po_m3_col(R, 0), y = po_m3_col(R, 1);
  double xa, xb, ya, yb, angle;
  po_gravity_axes(&e0, &e1, &up, gravity);
  xa = po_v3_dot(x, e0);
  xb = po_v3_dot(x, e1);
  ya = po_v3_dot(y, e0);
  yb = po_v3_dot(y, e1);
  if (!h->known) h->axis = 0;
  if (h->axis == 0 && xa * xa + xb * xb < HEADING_LOST * HEADING_LOST) h->axis = 1;
  else if (h->axis == 1 && (po_v3_dot(up, po_m3_col(R, 2)) > HEADING_UPRIGHT || ya * ya + yb * yb < HEADING_LOST * HEADING_LOST))
    h->axis = 0;
  angle = h->axis == 0 ? po_atan2(xb, xa) : po_atan2(-ya, yb);
  if (h->known) { /* the nearest of all angles that look the same */
    double total = po_heading_total(h) + po_wrap(angle - h->angle);
    h->turns = (int)floor((total - angle) / (2 * PO_PI) + 0.5);
  }
  h->angle = angle;
  h->known = 1;
}

double po_uprightness(po_mat3 R, po_quat rest, po_vec3 gravity) {
  po_vec3 e0, e1, up, own;
  po_gravity_axes(&e0, &e1, &up, gravity);
  own = po_q_rotate(po_q_conj(rest), po_v3(0, 0, 1)); /* in body axes: what points up in the zero pose */
  return po_v3_dot(up, po_m3_mul_v(R, own));
}
