/* motor.c: what a joint's motor can do, by its limits of torque and speed. */
#include "rbd.h"

#define MOTOR_FADE 0.1 /* of the speed limit: a torque that ended at once would chatter about it */

void po_joint_motor_range(double *lower, double *upper, const po_joint *j, int k, double rate) {
  double most = j->type == PO_JOINT_FLOATING ? 0 : k < 3 ? j->effort[k] : PO_INF, limit = k < 3 ? j->velocity[k] : PO_INF, share;
  *lower = -most;
  *upper = most;
  if (!(limit < PO_INF) || !(most < PO_INF) || !(po_abs(rate) > (1 - MOTOR_FADE) * limit)) return;
  share = limit > 0 ? po_max((limit - po_abs(rate)) / (MOTOR_FADE * limit), 0) : 0;
  if (rate > 0) *upper *= share;
  else *lower *= share;
}
