/* walk_swing.c: what the foot in the air is asked to do: heel and toe by target objectives (paper 1, section 6.1, eq. 18), the sole level. */
#include "walk_internal.h"

#define WALK_LAST 0.03 /* s: the shortest horizon of a target */
#define WALK_SWING_LIMIT 40.0 /* m/s²: what is asked of a foot; a late target must not tear the body along */
#define WALK_STEEP 0.5 /* rise over the sole's length: steeper is a step, which the toes hang over */
#define WALK_SINK 0.15 /* m/s: speed at which a foot meets the ground, */
#define WALK_APPROACH 0.02 /* s: and so long before it is to strike it comes down no faster: one that strikes sooner than planned strikes as softly */
#define WALK_SINK_STEPS 0.1 /* m/s: on steps, whose edges leave no room for an early foot: it keeps its height until it is there */
#define WALK_TOE_DOWN 0.045 /* s: so long a toe takes to come down after its heel, as people's; over 0.1 s, 0.7 of a slow walk's dT, `fast` to `slow` fell */
#define WALK_TOE_LIMIT 150.0 /* m/s²: what is asked of a toe that comes down after its heel: one of 1.5 m/s is stopped within a sole's thickness, 8 mm */

#define WALK_EARLY 0.02 /* m: on unknown ground a foot aims so much below where the ground should be */
#define WALK_POINTED 0.6 /* of the foot's length: a heel that is higher than its toe by more comes down while the toe rises */
#define WALK_SEEK 0.3  /* m/s: and at which it goes on down where there is none yet */

/* One point of the swing foot: forwards to its place on time T, up to `top` in the first half of the swing, then down, but not before it is past an edge
 * that is still ahead of it (top then, too); late ones keep sinking. Its height runs `delay` behind. */
static void walk_swing_point(po_objective *o, po_vec3 at, po_vec3 goal, double top, double t, double T, double delay, double weight, int steps) {
  double left = po_max(T - t, WALK_LAST);
  int k;
  o->on = 1;
  o->weight = weight;
  o->limit = WALK_SWING_LIMIT;
  for (k = 0; k < 3; k++) o->ref_rate[k] = 0;
  o->ref[0] = goal.x;
  o->ref[1] = goal.y;
  o->time = left;
  if (t < 0.5 * T) {
    o->ref[2] = top;
    o->row_time[2] = po_max(0.5 * T - t, WALK_LAST);
  } else if (top > goal.z) {
    o->ref[2] = top;
    o->row_time[2] = po_max(0.5 * left, WALK_LAST);
  } else {
    double slow = steps ? WALK_SINK_STEPS : WALK_SINK, sink = at.z < goal.z ? WALK_SEEK : slow; /* below its place: the ground is lower than it was taken to be */
    double approach = steps ? WALK_LAST : WALK_APPROACH, above = steps ? goal.z : goal.z + WALK_APPROACH * WALK_SINK;
    int near = T + delay - t <= approach;
    o->ref[2] = near ? po_min(above, at.z) - WALK_LAST * sink : above;
    o->ref_rate[2] = near ? -sink : -slow;
    o->row_time[2] = near ? WALK_LAST : po_max(T + delay - t - (steps ? 0 : WALK_APPROACH), WALK_LAST);
  }
}

/* The ground below a point of the foot, unless it is nothing that a sole whose other end stands at z could meet. */
static double walk_ground(const po_walk *w, po_vec3 at, double z) {
  double height = po_walk_ground(w, at);
  return po_abs(height - z) < WALK_STEEP * w->foot_length ? height : z;
}

/* The highest ground on the way of a point of the foot to its place: what it has to clear. */
#define WALK_LOOKS 8 /* places that are looked at: every 6 cm of a step of the human */
static double walk_highest(const po_walk *w, po_vec3 from, po_vec3 to) {
  double high = po_max(to.z, po_walk_ground(w, from));
  int k;
  for (k = 1; k < WALK_LOOKS; k++) high = po_max(high, po_walk_ground(w, po_v3_add(from, po_v3_scale((double)k / WALK_LOOKS, po_v3_sub(to, from)))));
  return high;
}

/* The height to keep while there is an edge ahead of a point that would come down; its place's where there is none. */
#define WALK_OVER_EDGE 0.025 /* m of human legs: higher ground than its place by so much is an edge, */
#define WALK_CLEAR 0.4       /* of h: and cleared by so much; */
#define WALK_NEAR_PLACE 0.12 /* m of human legs: a foot that came down further from its place, unless down a step, would drag over a tread */
static double walk_edge_ahead(const po_walk *w, po_vec3 from, po_vec3 to) {
  po_vec3 way = po_v3_sub(to, from);
  double high;
  if (!po_walk_on_steps(w)) return to.z;
  high = walk_highest(w, from, to);
  if (to.z > po_walk_heel(w, w->stance).z - WALK_OVER_EDGE * w->size && sqrt(way.x * way.x + way.y * way.y) > WALK_NEAR_PLACE * w->size) return high + w->params.h;
  return high > to.z + WALK_OVER_EDGE * w->size ? high + WALK_CLEAR * w->params.h : to.z;
}

/* Whether the toe is about to strike a riser: it is lower than the ground just ahead of it. */
#define WALK_JUST_AHEAD 0.09 /* m of human legs: what a toe covers while it rises by a step */
#define WALK_RISE 0.12       /* s of the human: so quickly it is lifted then */
static int walk_blocked(const po_walk *w, po_vec3 tip, po_vec3 goal, po_vec3 along) {
  double far = po_min(WALK_JUST_AHEAD * w->size, po_v3_dot(along, po_v3_sub(goal, tip)));
  int k;
  if (w->params.known < 0.5 || far <= 0) return 0;
  for (k = 1; k <= 3; k++)
    if (po_walk_ground(w, po_v3_addscaled(tip, k / 3.0 * far, along)) > tip.z) return 1;
  return 0;
}

/* Straight up, where it is. */
static void walk_lift(po_objective *o, po_vec3 at, double top, double seconds) {
  o->ref[0] = at.x;
  o->ref[1] = at.y;
  o->ref[2] = po_max(top, at.z);
  o->ref_rate[2] = 0;
  o->time = o->row_time[2] = seconds;
}

/* Heel and toe leave the foot's roll free: it is held level, its pitch left as it is. */
static void walk_roll_reference(po_walk *w, int f, po_vec3 along, po_vec3 left) {
  po_objective *o = w->o.roll[f];
  const po_data *d = w->move.actor->data;
  int body = w->move.actor->patches.patch[f].body;
  const po_mat3 *R = &d->pose[body].R;
  po_vec3 x = po_v3(R->m[0], R->m[3], R->m[6]);
  double pitch = po_atan2(-x.z, po_v3_dot(x, along));
  o->on = w->foot[f] == PO_FOOT_SWING && w->params.weight_roll > 0;
  o->weight = w->params.weight_roll;
  o->kp = w->params.kp_roll;
  o->limit = WALK_TURN_LIMIT;
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->facing), po_q_axis_angle(po_v3(0, 1, 0), pitch));
  po_v3_to(o->ref_rate, po_v3_scale(po_v3_dot(left, po_body_angular_velocity(d, body)), left));
}

/* Toes that bend: the front of the sole lies on them. */
static int walk_hinged(const po_walk *w, int f) {
  const po_patch *sole = &w->move.actor->patches.patch[f];
  return sole->point_body[0] != sole->point_body[2];
}

/* The foot turns over its toes until the other one carries the body. */
static void walk_push_off(po_walk *w, int f) {
  po_objective *o = w->o.heel[f];
  double s, c, left;
  po_vec3 toe = po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p, at = po_walk_heel(w, f), heel, back = po_v3_sub(at, toe);
  int k;
  left = w->foot[1 - f] == PO_FOOT_SWING ? w->swing_time - w->state_time[1 - f] + w->pace.dT : w->pace.dT - w->state_time[1 - f];
  po_sincos(&s, &c, PO_RAD(w->params.push_deg));
  back.z = 0;
  heel = po_v3_addscaled(toe, c * w->foot_length / po_v3_norm(back), back);
  o->weight = w->params.weight_push;
  o->limit = WALK_SWING_LIMIT;
  for (k = 0; k < 3; k++) o->row_time[k] = 0;
  o->ref[0] = heel.x;
  o->ref[1] = heel.y;
  o->ref[2] = toe.z + s * w->foot_length;
  o->time = po_max(left, WALK_LAST);
  o->on = 1;
  for (k = 0; k < 3; k++) o->ref_rate[k] = 0;
  if (po_walk_on_steps(w)) return;
  for (k = 0; k < 3; k++) o->ref_rate[k] = (o->ref[k] - (&at.x)[k]) / o->time; /* on its way, not to stop there: a leg that is braked before it swings pitches the body */
  if (w->unrest > 0 || walk_hinged(w, f)) return;
  o->on = po_point_velocity(w->move.actor->data, o->feature.body, o->feature.point).z < o->ref_rate[2]; /* and of a calm walk one that rises fast enough, unless it has toes that would whip, swings by itself */
}

/* By how much the goals of a step that crosses over are moved for now. It goes around the leg that stands: ahead of its ankle before it goes across, and back across
 * behind it before it goes ahead. */
static po_vec3 walk_around(const po_walk *w, int f, po_vec3 along, po_vec3 left) {
  po_vec3 stance = po_walk_heel(w, w->stance), at = po_v3_sub(po_walk_heel(w, f), stance), to = po_v3_sub(w->foothold, stance);
  double side = f == 0 ? 1 : -1, y = side * po_v3_dot(left, at), goal = side * po_v3_dot(left, to), clear = 0.5 * w->foot_width;
  double x = po_v3_dot(along, at), ahead = po_v3_dot(along, to);
  if (f == w->stance || w->step_length < 0) return po_v3(0, 0, 0);
  if (goal < clear && y > 0 && x < w->ankle_offset && ahead > w->ankle_offset) return po_v3_scale(side * (clear - goal), left);
  if (goal > 0 && y < -clear && x < 0) return po_v3_scale(po_min(-w->foot_length - ahead, 0), along);
  return po_v3(0, 0, 0);
}

void po_walk_swing(po_walk *w, po_vec3 along, po_vec3 left) {
  int f;
  for (f = 0; f < 2; f++) {
    double t = w->state_time[f], down = 0;
    po_vec3 heel = po_v3_add(w->foothold, walk_around(w, f, along, left)), toe = po_v3_addscaled(heel, w->foot_length, along);
    toe.z = walk_ground(w, toe, heel.z);
    if (f != w->stance && w->foot[f] == PO_FOOT_SWING) down = po_walk_down_lift(w);
    if (down > 0) toe.z -= po_walk_down_hang(w, along) * down / w->foot_length;
    if (down > 0) heel = po_v3_addscaled(po_v3_addscaled(toe, -sqrt(w->foot_length * w->foot_length - down * down), along), down, po_v3(0, 0, 1)); /* toes first */
    if (w->params.known < 0.5) { /* a foot that comes a little early is better than one that is late */
      heel.z -= WALK_EARLY * w->size;
      toe.z -= WALK_EARLY * w->size;
    }
    w->o.heel[f]->on = w->o.toe[f]->on = 0;
    walk_roll_reference(w, f, along, left);
    if (w->foot[f] == PO_FOOT_SWING) {
      /* a heel that is high already is not pushed down before the toe has left */
      po_vec3 at = po_walk_heel(w, f), tip = po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p;
      int rises = t < 0.5 * w->swing_time;
      double toe_top = rises ? walk_highest(w, tip, toe) + w->params.h : walk_edge_ahead(w, tip, toe);
      double heel_top = rises ? po_max(walk_highest(w, at, heel) + w->params.h, po_min(at.z, toe_top + WALK_POINTED * w->foot_length)) : walk_edge_ahead(w, at, heel);
      walk_swing_point(w->o.heel[f], at, heel, heel_top, t, w->swing_time, 0, w->params.weight_swing, po_walk_on_steps(w));
      walk_swing_point(w->o.toe[f], tip, toe, toe_top, t, w->swing_time, w->step_length < 0 || down > 0 ? 0 : w->pace.dT, w->params.weight_swing, po_walk_on_steps(w));
      if (down > 0) {
        po_walk_down_point(w, w->o.heel[f], at, heel, t);
        po_walk_down_point(w, w->o.toe[f], tip, toe, t);
      }
      if (walk_blocked(w, tip, toe, along)) {
        walk_lift(w->o.heel[f], at, walk_highest(w, at, heel) + w->params.h, WALK_RISE * po_walk_tempo(w));
        walk_lift(w->o.toe[f], tip, walk_highest(w, tip, toe) + w->params.h, WALK_RISE * po_walk_tempo(w));
      }
    } else if (w->foot[f] == PO_FOOT_HEELOFF && w->params.weight_push > 0 && w->mode == PO_WALK_STEP && w->step_length >= 0) walk_push_off(w, f);
    else if (w->foot[f] == PO_FOOT_PLANT && po_walk_on_steps(w) && !w->sole[f].touching[0] && !w->sole[f].touching[1]) { /* the toes stand; the heel comes down */
      po_vec3 at = po_walk_heel(w, f);
      heel = at;
      heel.z = walk_ground(w, at, po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p.z);
      walk_swing_point(w->o.heel[f], at, heel, heel.z, t, w->pace.dT, 0, w->params.weight_swing, 1);
    } else if (w->foot[f] == PO_FOOT_PLANT) { /* the heel stands; the toe comes down */
      po_vec3 tip = po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p;
      toe = tip;
      toe.z = walk_ground(w, toe, po_walk_heel(w, f).z);
      if (po_walk_on_steps(w) || walk_hinged(w, f)) walk_swing_point(w->o.toe[f], tip, toe, toe.z, t, w->pace.dT, 0, w->params.weight_swing, po_walk_on_steps(w));
      else { /* as in the second half of a swing of twice that time */
        double after = WALK_TOE_DOWN * po_walk_tempo(w);
        walk_swing_point(w->o.toe[f], tip, toe, toe.z, t + after, 2 * after, 0, w->params.weight_swing, 0);
      }
      if (!po_walk_on_steps(w)) w->o.toe[f]->limit = WALK_TOE_LIMIT;
    }
  }
}
