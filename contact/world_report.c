/* world_report.c: what can be read after a step: contacts, sums of impulses, clamps. */
#include "world_internal.h"

const po_contact *po_world_contacts(int *count, const po_world *world) {
  if (count) *count = world ? world->contacts : 0;
  return world ? world->contact : NULL;
}

po_vec3 po_world_body_impulse(po_vec3 *moment, const po_world *world, int i, int body, po_vec3 about) {
  po_vec3 sum = po_v3(0, 0, 0), turn = sum;
  int k;
  for (k = 0; world && k < world->contacts; k++) {
    const po_contact *c = &world->contact[k];
    double sign = 0;
    if (c->a == i && (body < 0 || c->body_a == body)) sign += 1;
    if (c->b == i && (body < 0 || c->body_b == body)) sign -= 1;
    if (sign == 0) continue;
    sum = po_v3_addscaled(sum, sign, c->impulse);
    turn = po_v3_addscaled(turn, sign, po_v3_cross(po_v3_sub(c->point, about), c->impulse));
  }
  if (moment) *moment = turn;
  return sum;
}

const double *po_world_limit_impulse(const po_world *world, int i) {
  return world && i >= 0 && i < world->count ? world->character[i]->limit_impulse : NULL;
}

const po_torque_clamp *po_world_clamps(int *count, const po_world *world) {
  if (count) *count = world ? world->clamps : 0;
  return world ? world->clamp : NULL;
}

po_world_report po_world_last_report(const po_world *world) {
  static const po_world_report none;
  return world ? world->report : none;
}

po_world_profile po_world_last_profile(const po_world *world) {
  static const po_world_profile none;
  return world ? world->profile : none;
}
