/* legs.c: a body's limbs by name, once: every behaviour that bends a knee or swings an arm looks here. */
#include "ctrl.h"

static int leg_body(const po_model *m, const char *part, int side) {
  char name[24];
  po_format(name, sizeof name, "%s_%c", part, side == 0 ? 'l' : 'r');
  return po_find_body(m, name);
}

static double leg_between(const po_data *d, int a, int b) { return po_v3_norm(po_v3_sub(d->pose[b].p, d->pose[a].p)); }

void po_legs_find(po_legs *l, const po_data *d) {
  const po_model *m = d->model;
  int f;
  for (f = 0; f < 2; f++) {
    l->thigh[f] = leg_body(m, "thigh", f);
    l->shank[f] = leg_body(m, "shank", f);
    l->foot[f] = leg_body(m, "foot", f);
    l->toes[f] = leg_body(m, "toes", f);
    l->upper_arm[f] = leg_body(m, "upper_arm", f);
    l->forearm[f] = leg_body(m, "forearm", f);
    l->knee_dof[f] = l->shank[f] >= 0 && m->joint[l->shank[f]].nv == 1 ? m->joint[l->shank[f]].v : -1;
    l->thigh_length[f] = l->shank_length[f] = l->reach[f] = 0;
    if (l->thigh[f] < 0 || l->shank[f] < 0 || l->foot[f] < 0) continue;
    l->thigh_length[f] = leg_between(d, l->thigh[f], l->shank[f]);
    l->shank_length[f] = leg_between(d, l->shank[f], l->foot[f]);
    l->reach[f] = leg_between(d, l->thigh[f], l->foot[f]);
  }
}

void po_legs_bend(double *pose, const po_legs *l, const po_model *m, double bend) {
  int f;
  po_neutral(pose, m);
  for (f = 0; f < 2; f++) {
    int knee = l->shank[f], thigh = l->thigh[f], foot = l->foot[f];
    if (knee < 0 || thigh < 0 || foot < 0) continue;
    if (m->joint[knee].nq == 1) pose[m->joint[knee].q] += bend;
    if (m->joint[thigh].type == PO_JOINT_SPHERICAL) po_q_to(pose + m->joint[thigh].q, po_q_axis_angle(po_v3(0, 1, 0), -0.5 * bend));
    if (m->joint[foot].type == PO_JOINT_UNIVERSAL) pose[m->joint[foot].q] -= 0.5 * bend;
  }
}
