/* posture.c: the objectives of a body that stands (paper 1, table 1), which standing, squatting and jumping share, and whether a body could stand. */
#include "support.h"
#include <string.h>

void po_posture_add(po_posture *p, po_actor *a, const po_stand_gains *g) {
  po_wbc *w = a->wbc;
  po_objective o = po_objective_setpoint("com", po_feature_com_across(), 2, g->kp_com);
  p->com = po_wbc_add(w, &o);
  o = po_objective_setpoint("height", po_feature_com_height(), 2, g->kp_height);
  p->height = po_wbc_add(w, &o);
  o = po_objective_momentum("momentum", 3, g->kp_momentum);
  p->momentum = po_wbc_add(w, &o);
  o = po_objective_setpoint("pose", po_feature_pose(a->model, NULL), 3, g->kp_pose);
  o.pose = a->pose;
  o.joint_weight = a->joint_weight;
  p->pose = po_wbc_add(w, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, g->kp_pose);
  p->upright = po_wbc_add(w, &o);
}

void po_posture_aim(const po_posture *p, const po_actor *a, const po_stand_gains *g) {
  double h = a->standing_height;
  p->height->type = PO_SETPOINT;
  p->height->priority = 2;
  p->height->kp = g->kp_height;
  p->momentum->priority = p->pose->priority = p->upright->priority = 3;
  p->momentum->kp = g->kp_momentum;
  p->momentum->weight = g->weight_momentum;
  p->momentum->scale = a->model->total_mass * h * h;
  memset(p->momentum->ref, 0, sizeof p->momentum->ref);
  p->pose->kp = p->upright->kp = g->kp_pose;
  p->upright->weight = g->weight_upright;
  po_actor_upright(p->upright, a);
}

/* Who is tilted further than 45 degrees lies down. */
#define POSTURE_TILT 0.7
/* Corners of a sole that make it flat. */
#define POSTURE_FLAT 3
/* The capture point may be this share of the standing height outside the soles: the body's own rotation makes up for the rest. */
#define POSTURE_CAPTURE 0.02
/* Times √(g h), the speed at which a walk would take off: who is faster than this must step, wherever its capture point is. 0.3 m/s of the human. */
#define POSTURE_SPEED 0.1

po_status po_posture_ready(const po_move *move, const po_move *from, po_error *err) {
  const po_actor *a = move->actor;
  const po_data *d = a->data;
  const char *who = move->name;
  po_footing soles = po_footing_of(a, PO_BOTH_FEET, 0);
  int f;
  double out, speed = po_v3_norm(d->com_velocity);
  (void)from;
  for (f = 0; f < 2; f++)
    if (po_patches_touching(&a->patches, PO_PATCH_BIT(f)) < POSTURE_FLAT)
      return po_fail(err, PO_ERR_STATE, "%s needs both soles on the ground: %s is in the air", who, a->patches.patch[f].name);
  if (po_uprightness(d->pose[0].R, a->rest_orientation, d->gravity) < POSTURE_TILT)
    return po_fail(err, PO_ERR_STATE, "%s needs a body that stands: it lies", who);
  if (speed > POSTURE_SPEED * sqrt(po_v3_norm(d->gravity) * a->standing_height))
    return po_fail(err, PO_ERR_STATE, "%s needs a body that is nearly at rest: it moves at %.2f m/s", who, speed);
  out = po_footing_outside(&soles, po_capture_point(a));
  if (out > POSTURE_CAPTURE * a->standing_height)
    return po_fail(err, PO_ERR_STATE, "%s would fall over: the capture point is %.2f m outside the soles", who, out);
  return PO_OK;
}
