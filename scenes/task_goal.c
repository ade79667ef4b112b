/* task_goal.c: goals of the scenario `task`. */
#include "task_scene.h"

#define GOAL_NEAR 0.1            /* m: at a line or a point */
#define GOAL_AT_REST 0.2         /* m/s over the last step */
#define GOAL_AIMED PO_RAD(5.0)
#define GOAL_SPEED 0.06          /* m/s over the last step */
#define GOAL_THROUGH 0.25        /* m: as the reward's; half a step of the walk */
#define GOAL_THROUGH_AIMED PO_RAD(15.0)
#define GOAL_BEHIND 2.5          /* m: where lines are drawn */
#define GOAL_AHEAD 6.0
#define GOAL_BACK PO_RAD(135.0)  /* headings farther than this are behind its back */
#define GOAL_HALF 3.0            /* m: half the square of points */
#define GOAL_AWAY 0.5            /* m: no nearer than this */
#define GOAL_POST_SIDE 1.0       /* m beside a post: half a body (0.3), what a goal is met within (0.25), and 0.45 by which the way there may miss it on the inner side */

/* Speeds that the actions have, straight on. */
static void goal_speeds(double *least, double *most, const po_run *r) {
  const task_kept *k = po_task_kept(r);
  int i;
  *least = PO_INF;
  *most = -PO_INF;
  for (i = 0; k->policy && i < k->actions.actions; i++)
    if (k->actions.action[i].turn_deg == 0 && k->policy->usual[i].seconds > 0) {
      double v = k->policy->usual[i].step.x / k->policy->usual[i].seconds;
      *least = po_min(*least, v);
      *most = po_max(*most, v);
    }
  if (!(*least <= *most)) *least = *most = 0.5;
}

/* Draws all numbers, whatever the task: goals of one seed stay the same when a task is changed. */
static task_goal goal_draw(po_run *r, po_pose2 place) {
  task_scene_state *s = r->state;
  double line, x, y, si, co, least, most;
  task_goal g;
  do line = po_rng_range(&s->rng, -GOAL_BEHIND, GOAL_AHEAD); while (po_abs(line) < GOAL_AWAY);
  do {
    x = po_rng_range(&s->rng, -GOAL_HALF, GOAL_HALF);
    y = po_rng_range(&s->rng, -GOAL_HALF, GOAL_HALF);
  } while (x * x + y * y < GOAL_AWAY * GOAL_AWAY);
  po_sincos(&si, &co, place.heading);
  g.x = place.x + co * x - si * y;
  g.y = place.y + si * x + co * y;
  if (s->task == PO_TASK_LINE) g.x = place.x + line;
  g.heading = po_rng_range(&s->rng, -PO_PI, PO_PI);
  goal_speeds(&least, &most, r);
  g.speed = least + (most - least) * po_rng_uniform(&s->rng);
  return g;
}

/* Beside the posts in turns, along the row of them. */
static task_goal goal_slalom(int index) {
  task_goal g = {PO_TASK_POST_EVERY * (index + 1), index % 2 ? -GOAL_POST_SIDE : GOAL_POST_SIDE, 0, 0};
  return g;
}

void po_task_goal_next(po_run *r, po_pose2 place) {
  task_scene_state *s = r->state;
  const task_scene_params *p = r->params;
  s->goal = goal_draw(r, place);
  if (s->task == PO_TASK_POINT_HEADING && p->posts > 0) s->goal = goal_slalom(s->given);
  if (po_run_was_set(r, "goal_x")) s->goal.x = p->goal_x;
  if (po_run_was_set(r, "goal_y")) s->goal.y = p->goal_y;
  if (po_run_was_set(r, "goal_deg")) s->goal.heading = PO_RAD(p->goal_deg);
  if (po_run_was_set(r, "goal_speed")) s->goal.speed = p->goal_speed;
  s->given++;
  s->given_at = r->time;
  s->to_turn = 0;
}

/* Once it turns to one side it goes on so: what is behind its back is seen at the edge of that, on the side where it was. */
static double goal_turn(double *to_turn, double seen) {
  double side = *to_turn * seen < 0 && po_abs(*to_turn) > PO_PI / 2 ? *to_turn : seen;
  if (po_abs(seen) > GOAL_BACK) seen = side > 0 ? GOAL_BACK : -GOAL_BACK;
  return *to_turn = seen;
}

void po_task_goal_seen(double *w, task_scene_state *s, po_pose2 place, int mirrored) {
  po_pose2 goal, seen;
  goal.x = s->goal.x;
  goal.y = s->goal.y;
  goal.heading = s->goal.heading;
  seen = po_pose2_from(place, goal, 0);
  if (s->task == PO_TASK_HEADING || s->task == PO_TASK_HEADING_SPEED) seen.heading = goal_turn(&s->to_turn, seen.heading);
  if (mirrored) {
    seen.y = -seen.y;
    seen.heading = -seen.heading;
  }
  w[0] = seen.x;
  w[1] = seen.y;
  w[2] = seen.heading;
  if (s->task == PO_TASK_LINE) w[0] = s->goal.x - place.x;
  if (s->task == PO_TASK_HEADING) w[0] = seen.heading;
  if (s->task == PO_TASK_HEADING_SPEED) {
    w[0] = s->goal.speed;
    w[1] = seen.heading;
  }
}

int po_task_goal_met(double *distance, double *angle, const po_run *r, po_pose2 place, po_pose2 step, double seconds) {
  const task_scene_state *s = r->state;
  double away = sqrt((s->goal.x - place.x) * (s->goal.x - place.x) + (s->goal.y - place.y) * (s->goal.y - place.y));
  double speed = seconds > 0 ? sqrt(step.x * step.x + step.y * step.y) / seconds : PO_INF;
  *angle = po_abs(po_wrap(s->goal.heading - place.heading));
  *distance = 0;
  switch (s->task) {
  case PO_TASK_LINE:
    *distance = po_abs(s->goal.x - place.x);
    *angle = 0;
    return *distance < GOAL_NEAR && seconds > 0 && po_abs(step.x) / seconds < GOAL_AT_REST;
  case PO_TASK_HEADING: return *angle < GOAL_AIMED && step.x > 0;
  case PO_TASK_POINT:
    *distance = away;
    *angle = 0;
    return away < GOAL_NEAR && speed < GOAL_AT_REST;
  case PO_TASK_POINT_HEADING:
    *distance = away;
    return away < GOAL_THROUGH && *angle < GOAL_THROUGH_AIMED && step.x > 0;
  case PO_TASK_HEADING_SPEED:
    *distance = seconds > 0 ? po_abs(step.x / seconds - s->goal.speed) : PO_INF;
    return *angle < GOAL_AIMED && *distance < GOAL_SPEED;
  default: return 0;
  }
}

/* ---- by hand ---- */

#define HAND_TURN PO_RAD(20.0)   /* turns beyond this are not asked of a step */
#define HAND_BRAKES 1.0          /* m/s of speed for each metre that is left */
#define HAND_TURN_FIRST PO_RAD(40.0) /* a point farther to the side is turned to at rest */

/* The action whose usual step is nearest to a turn and a speed. */
static int hand_nearest(const po_policy *p, const po_actions *set, double turn, double speed) {
  double best = PO_INF;
  int i, at = 0;
  for (i = 0; i < set->actions; i++) {
    double t = p->usual[i].seconds, off;
    if (!(t > 0) || set->action[i].side_deg != 0) continue;
    off = po_abs(p->usual[i].step.heading - turn) / PO_RAD(10.0) + po_abs(p->usual[i].step.x / t - speed) / 0.3;
    if (off < best) best = off, at = i;
  }
  return at;
}

int po_task_by_hand(const po_policy *p, const po_actions *set, po_task_kind kind, const double *w) {
  double away, bearing;
  switch (kind) {
  case PO_TASK_LINE: return hand_nearest(p, set, 0, HAND_BRAKES * w[0]);
  case PO_TASK_HEADING: return hand_nearest(p, set, po_clamp(w[0], -HAND_TURN, HAND_TURN), 1);
  case PO_TASK_HEADING_SPEED: return hand_nearest(p, set, po_clamp(w[1], -HAND_TURN, HAND_TURN), w[0]);
  case PO_TASK_POINT:
  case PO_TASK_POINT_HEADING:
    away = sqrt(w[0] * w[0] + w[1] * w[1]);
    bearing = po_atan2(w[1], w[0]);
    if (kind == PO_TASK_POINT && away < 0.3) return hand_nearest(p, set, 0, HAND_BRAKES * w[0]);
    return hand_nearest(p, set, po_clamp(bearing, -HAND_TURN, HAND_TURN), po_abs(bearing) > HAND_TURN_FIRST ? 0 : kind == PO_TASK_POINT ? po_min(away * HAND_BRAKES, 1) : 1);
  default: return hand_nearest(p, set, 0, 1);
  }
}
