/* walk_start.c: how walking takes over a body: one that stands, one that moves slowly ahead, one that walks already. */
#include "walk_internal.h"
#include <string.h>

/* Who faces within this of the way asked for faces it: rounding is no turn. */
#define WALK_FACING PO_RAD(0.01)

static const po_walk *walk_from(const po_move *from) {
  return from && from->type == &po_walk_type && from->entered ? (const po_walk *)(const void *)from : NULL;
}

po_status po_walk_ready(const po_move *move, const po_move *from, po_error *err) {
  return walk_from(from) ? PO_OK : po_posture_ready(move, from, err);
}

/* It stands, and the foot that landed last has taken its share of the weight. */
int po_walk_released(const po_move *move) {
  const po_walk *w = (const po_walk *)(const void *)move;
  return w->mode == PO_WALK_STAND && w->foot[0] == PO_FOOT_SUPPORT && w->foot[1] == PO_FOOT_SUPPORT && w->state_time[0] > w->pace.T &&
         w->state_time[1] > w->pace.T;
}

/* Everything that is of one walk: from mode on, but for what init found. */
static void walk_forget(po_walk *w) {
  w->mode = PO_WALK_STAND;
  w->foot[0] = w->foot[1] = PO_FOOT_SUPPORT;
  w->state_time[0] = w->state_time[1] = w->mode_time = 0;
  w->stance = 0;
  w->pace.T = w->params.T;
  w->pace.dT = w->params.dT;
  w->pace.l_foot = w->params.l_foot;
  w->pace.l_hip = w->params.l_hip;
  w->pace.l_trunk = w->params.l_trunk;
  w->pace.l_side = w->speed = w->step_length = w->com_time = w->beyond = w->swing_time = w->press_from = w->strike_x = w->hips_from = w->hips_ahead = w->unrest = w->haste = 0;
  w->last_period = w->com_duration = w->pace.T + w->pace.dT;
  w->p0 = w->p1 = w->foothold = w->pressure = po_v3(0, 0, 0);
  w->started_at = w->steps = w->step_count = w->lifts = w->heel_first = 0;
  w->step_length_sum = w->swing_sum = w->period_sum = 0;
  w->heel_left[0] = w->heel_left[1] = w->came_down = w->calm = 0;
}

/* Goes on in another walk's step; the new parameters come in as they do while walking. */
static void walk_go_on(po_walk *w, const po_walk *from) {
  po_walk own = *w;
  *w = *from;
  w->move = own.move;
  w->params = own.params;
  w->o = own.o;
  w->pose_weight = own.pose_weight;
  w->swing_mask = own.swing_mask;
  w->arm_mask = own.arm_mask;
  w->twist_mask = own.twist_mask;
  w->north = from->facing;
}

/* Where the feet point: of a body that stands they say where it will go; after a turn its pelvis still swings. */
static double walk_feet_heading(const po_walk *w) {
  po_vec3 sum = po_v3(0, 0, 0);
  int f;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->move.actor->patches.patch[f];
    sum = po_v3_add(sum, po_v3_sub(po_frame_pose(w->move.actor->data, p->toe).p, po_frame_pose(w->move.actor->data, p->heel).p));
  }
  return po_atan2(sum.y, sum.x);
}

void po_walk_enter(po_move *move, const po_move *from) {
  po_walk *w = (po_walk *)(void *)move;
  double off;
  if (walk_from(from)) {
    walk_go_on(w, walk_from(from));
    return;
  }
  walk_forget(w);
  w->facing = walk_feet_heading(w);
  w->north = from ? w->facing : 0;
  off = po_wrap(w->facing - po_walk_way(w));
  if (po_abs(off) < WALK_FACING) w->facing = po_walk_way(w);
}
