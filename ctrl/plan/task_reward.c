/* task_reward.c: what a task rewards (Coros 2010, sections 4.5.1 to 4.5.6).
 *
 * "At rest" and "at that speed" are told by the step that the action makes: a character that steps in place sways, and its speed at the moment of a strike
 * says little.
 */
#include "plan.h"

#define REWARD_NEAR 0.1        /* m: at a line or point */
#define REWARD_AT_REST 0.2     /* m/s */
#define REWARD_AIMED PO_RAD(5.0) /* a heading is met */
#define REWARD_SPEED 0.06      /* m/s: a speed is met */
#define REWARD_SPEED_LEAST 0.02 /* m/s: asked for at least, where samples of speeds are far apart */
#define REWARD_THROUGH 0.25    /* m: a point is passed. Strikes are half a metre apart when it walks; nearer than half of that cannot be asked */
#define REWARD_THROUGH_AIMED PO_RAD(15.0)
#define REWARD_STEADY 0.5      /* of eps_trust: so near to the cycle of the forward walk is walking */
#define REWARD_TURNS 1.5       /* m: within so much of a point, turning costs */
#define REWARD_TURN_COST 0.2   /* per rad */

po_task_reward po_task_reward_of(const po_exploration *x, const po_task *task) {
  po_task_reward r;
  int a = po_actions_find(&x->actions, "walk");
  r.exploration = x;
  r.kind = task->kind;
  r.walk = a < 0 ? -1 : x->cycle[a];
  r.speed_band = task->kind == PO_TASK_HEADING_SPEED ? po_max(REWARD_SPEED - (task->axis[0].at[1] - task->axis[0].at[0]) / 2, REWARD_SPEED_LEAST) : 0;
  return r;
}

/* Goals that are passed are met once, at a strike, and the next one is another; were one paid for every strike near it, a body would stop there and stay. */
int po_task_ends(po_task_kind kind) { return kind == PO_TASK_POINT_HEADING; }

/* 1: after this step the goal has been walked through. Asked where the step ends, not where it begins: between the samples of the goals values are smooth, and this is not.
 * (How far the goal is then does not depend on the frame: po_task_step is not needed.) */
static int reward_passed(const po_fvi_step *s, const double *w) {
  double x = w[0] - s->step.x, y = w[1] - s->step.y;
  return x * x + y * y < REWARD_THROUGH * REWARD_THROUGH && po_abs(po_wrap(w[2] - s->step.heading)) < REWARD_THROUGH_AIMED && s->step.x > 0;
}

static double reward_speed(const po_fvi_step *s) { return sqrt(s->step.x * s->step.x + s->step.y * s->step.y) / s->seconds; }

/* How near a state is to the cycle of the forward walk: 1 in it, 0 where walking ends. Were all of walking worth the same, the robust walk would stroll from gait to gait,
 * and every change is a risk. */
static double reward_walking(const po_task_reward *r, int state) {
  const po_exploration *x = r->exploration;
  const float *f = x->feature;
  double d;
  if (r->walk < 0) return 0;
  d = po_metric_distance(&x->metric, f + (size_t)state * (size_t)x->metric.features, f + (size_t)r->walk * (size_t)x->metric.features);
  return po_max(1 - d / (REWARD_STEADY * x->opts.eps_trust), 0);
}

double po_task_reward_at(void *user, const po_fvi_step *s, const double *w) {
  const po_task_reward *r = user;
  double away;
  switch (r->kind) {
  case PO_TASK_LINE: return po_abs(w[0]) < REWARD_NEAR && po_abs(s->step.x) / s->seconds < REWARD_AT_REST;
  case PO_TASK_HEADING: return po_abs(w[0]) < REWARD_AIMED && s->step.x > 0 && reward_walking(r, s->state) > 0;
  case PO_TASK_POINT:
    away = sqrt(w[0] * w[0] + w[1] * w[1]);
    return (away < REWARD_NEAR && reward_speed(s) < REWARD_AT_REST) - (away < REWARD_TURNS ? REWARD_TURN_COST * po_abs(s->step.heading) : 0);
  case PO_TASK_POINT_HEADING: return reward_passed(s, w);
  case PO_TASK_HEADING_SPEED: return po_abs(w[1]) < REWARD_AIMED && po_abs(s->step.x / s->seconds - w[0]) < r->speed_band;
  default: return reward_walking(r, s->state) * s->seconds; /* per second: counted by steps, short ones would pay most */
  }
}
