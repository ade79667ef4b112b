/* walk_down.c: down a step that is known: the knee that carries lets the body down, evenly and until the other foot stands; that foot comes toes first, and its heel
 * follows as the body's weight comes onto it. */
#include "walk_internal.h"

#define WALK_DOWN_EDGE 0.025        /* m of human legs: ground lower by less is no step */
#define WALK_DOWN_LIFT 0.5          /* of the drop: how far the heel is still above the ground when the toes land */
#define WALK_DOWN_BEND PO_RAD(15.0) /* more bend of the knee that lands than at rest: what is left for the landing to be taken up with */
#define WALK_DOWN_SOON 0.1          /* s of the human: the shortest time in which the hips are brought to a height */

/* Height of the ground below the middle of a foot. */
static double walk_ground_of(const po_walk *w, int f) {
  return po_walk_ground(w, po_v3_scale(0.5, po_v3_add(po_walk_heel(w, f), po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p)));
}

/* Height of the ground where the next foot is to stand. */
double po_walk_next_ground(const po_walk *w) {
  po_vec3 along, left;
  if (w->foot[1 - w->stance] == PO_FOOT_SWING) return w->foothold.z;
  po_walk_axes(w, &along, &left);
  return po_walk_ground(w, po_v3_addscaled(po_v3_addscaled(po_walk_heel(w, w->stance), w->step_length, along), (w->stance == 0 ? -1 : 1) * po_walk_spread(w, 1 - w->stance), left));
}

/* How much lower than the stance foot the next one is to stand; 0: not, or on grounds without edges. */
double po_walk_drop(const po_walk *w) {
  double drop;
  if (!po_walk_on_steps(w) || w->step_length < 0) return 0;
  drop = walk_ground_of(w, w->stance) - po_walk_next_ground(w);
  return drop > WALK_DOWN_EDGE * w->size ? drop : 0;
}

/* A foot has struck: whether it came down a step. */
void po_walk_down_strike(po_walk *w) {
  w->came_down = po_walk_on_steps(w) && walk_ground_of(w, 1 - w->stance) - walk_ground_of(w, w->stance) > WALK_DOWN_EDGE * w->size;
}

double po_walk_down_lift(const po_walk *w) { return WALK_DOWN_LIFT * po_walk_drop(w); }
double po_walk_down_bend(const po_walk *w) { return po_walk_drop(w) > 0 ? WALK_DOWN_BEND : 0; }

/* Hips brought to the height of the next strike, at rest, by when it is due. */
void po_walk_down_hips(po_walk *w, double height, double rate) {
  po_objective *o = w->o.height;
  const po_data *d = w->move.actor->data;
  int other = 1 - w->stance;
  double left = w->foot[other] == PO_FOOT_SWING ? w->swing_time - w->state_time[other] : w->com_duration - w->com_time;
  double z = po_point_position(d, 0, w->hips).z, v = po_point_velocity(d, 0, w->hips).z;
  o->kp = o->kv = 0;
  o->ref[0] = z;
  o->ref_rate[0] = v;
  o->ref_accel[0] = po_target_acceleration(z, v, height, rate, po_max(left, WALK_DOWN_SOON * po_walk_tempo(w)));
}
