/* walk_down.c: down a step that is known: the knee that carries lets the body down, evenly and until the other foot stands; that foot comes toes first, and its heel
 * follows as the body's weight comes onto it. */
#include "walk_internal.h"

#define WALK_DOWN_EDGE 0.025        /* m of human legs: ground lower by less is no step */
#define WALK_DOWN_LIFT 0.5          /* of the drop: how far the heel is still above the ground when the toes land */
#define WALK_DOWN_STEEP 0.6         /* of the foot's length: and at most, however deep it goes (37 degrees of pitch) */
#define WALK_DOWN_BEND PO_RAD(15.0) /* more bend of the knee that lands than at rest: what is left for the landing to be taken up with */
#define WALK_DOWN_LOOKS 16   /* places on the way that are looked at: every 4 cm */
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

double po_walk_down_lift(const po_walk *w) { return po_min(WALK_DOWN_LIFT * po_walk_drop(w), WALK_DOWN_STEEP * w->foot_length); }
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

/* A foot that is to come down a step and is not yet nearer to its place than to where it comes from: what it touches is the edge that it passes. */
int po_walk_above_place(const po_walk *w, int f) {
  double drop = po_walk_drop(w), low = po_min(po_walk_heel(w, f).z, po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p.z);
  return drop > 0 && low > w->foothold.z + 0.5 * drop;
}

/* How much of the sole is beyond the edge of the tread that it is to stand on: m. */
double po_walk_down_hang(const po_walk *w, po_vec3 along) {
  int k;
  for (k = 0; k < WALK_DOWN_LOOKS; k++)
    if (po_walk_ground(w, po_v3_addscaled(w->foothold, w->foot_length * (1 - (double)k / WALK_DOWN_LOOKS), along)) > w->foothold.z - WALK_DOWN_EDGE * w->size) break;
  return w->foot_length * k / WALK_DOWN_LOOKS;
}

/* A point of the foot on its way down a step: out over the edge soon, and down from there as evenly as its way allows. Until it is past the edge it is to be above it when it
 * comes there, and sinking as it will from there on; then at its place when the foot is due. */
#define WALK_DOWN_OUT 0.8   /* of the swing: it is over its place, */
#define WALK_DOWN_CLEAR 0.03 /* m of human legs, above the edge */
#define WALK_DOWN_OFF 0.1    /* s of the human: so soon a point that stands has left the ground by so much */
#define WALK_DOWN_LEAST 0.05 /* s: the shortest horizon */
#define WALK_DOWN_SEEK 0.4  /* m/s: and those of a foot that is late look for it */
#define WALK_DOWN_SINK 0.1   /* m/s: speed at which toes meet the ground */
void po_walk_down_point(const po_walk *w, po_objective *o, po_vec3 at, po_vec3 goal, double t) {
  po_vec3 way = po_v3_sub(goal, at);
  double out = po_max(WALK_DOWN_OUT * w->swing_time - t, WALK_DOWN_LEAST), due = po_max(w->swing_time - t, WALK_DOWN_LEAST), edge = w->foothold.z + 0.5 * po_walk_drop(w), high = -PO_INF, pass, here;
  int k, last = -1;
  for (k = 0; k < WALK_DOWN_LOOKS; k++) {
    double z = po_walk_ground(w, po_v3_addscaled(at, (double)k / WALK_DOWN_LOOKS, way));
    if (z > edge) last = k, high = z; /* of the last edge: those before it are behind as soon as it has left */
  }
  o->time = out;
  here = po_walk_ground(w, at) + WALK_DOWN_CLEAR * w->size;
  if (here > edge + WALK_DOWN_CLEAR * w->size && at.z < here) { /* off the tread that it leaves first */
    o->ref[2] = here;
    o->ref_rate[2] = 0;
    o->row_time[2] = WALK_DOWN_OFF * po_walk_tempo(w);
    return;
  }
  if (last < 0) {
    int late = w->swing_time - t <= WALK_DOWN_LEAST; /* goes on down */
    o->ref[2] = late ? po_min(goal.z, at.z) - WALK_DOWN_LEAST * WALK_DOWN_SEEK : goal.z;
    o->ref_rate[2] = late ? -WALK_DOWN_SEEK : -WALK_DOWN_SINK;
    o->row_time[2] = due;
    return;
  }
  pass = po_max((last + 1.0) / WALK_DOWN_LOOKS * out, WALK_DOWN_LEAST);
  o->ref[2] = high + WALK_DOWN_CLEAR * w->size;
  o->ref_rate[2] = at.z > o->ref[2] ? (goal.z - o->ref[2]) / po_max(w->swing_time - t - pass, WALK_DOWN_LEAST) : 0;
  o->row_time[2] = pass;
}

/* The fastest that it walks: with care where it goes down within the next steps. */
#define WALK_DOWN_SPEED 0.5 /* m/s of the human: a tread of 0.3 m a step */
#define WALK_DOWN_AHEAD 1.6 /* m of human legs: the three steps that slowing down takes, and a landing between two flights */
#define WALK_DOWN_AHEAD_LOOKS 30 /* every 5 cm */
double po_walk_down_speed(const po_walk *w) {
  po_vec3 along, left, heel = po_walk_heel(w, w->stance);
  double before = walk_ground_of(w, w->stance);
  int k;
  if (!po_walk_on_steps(w)) return PO_INF;
  po_walk_axes(w, &along, &left);
  for (k = 1; k <= WALK_DOWN_AHEAD_LOOKS; k++) {
    double z = po_walk_ground(w, po_v3_addscaled(heel, WALK_DOWN_AHEAD * w->size * k / WALK_DOWN_AHEAD_LOOKS, along));
    if (z < before - WALK_DOWN_EDGE * w->size) return WALK_DOWN_SPEED * po_walk_tempo(w);
    before = z;
  }
  return PO_INF;
}
