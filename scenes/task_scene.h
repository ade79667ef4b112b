/* task_scene.h: what the files of the scenario `task` share.
 *
 *   goals    po_task_goal_next  po_task_goal_seen  po_task_goal_met: where they are, how the character sees them, when one is reached
 *   things   po_task_things_terrain  po_task_things_add  po_task_things_place  po_task_things_throw  po_task_things_watch: balls, boxes, posts, others
 *   choice   po_task_by_hand: the hand-made policy;  po_task_ahead_new  po_task_ahead_free  po_task_ahead: by trying, in a simulation
 *            po_task_again  po_task_afresh  po_task_heading: how a chosen step begins
 */
#ifndef PO_TASK_SCENE_H
#define PO_TASK_SCENE_H

#include "../ctrl/learn/learn.h"
#include "scenes.h"

#define PO_TASK_BALLS 6     /* that are thrown in turns */
#define PO_TASK_BOXES 40
#define PO_TASK_OTHERS 8
#define PO_TASK_POST_EVERY 4.0 /* m between the posts of a slalom: four times what is kept to their side, so that the way across is no steeper than 1 in 2 */
#define PO_TASK_FRICTION 0.8   /* of the ground, as explored */
#define PO_TASK_CALM 2         /* strikes in a row in known states after which a body is as if nothing had hit it */
#define PO_TASK_HEADING_KEPT PO_RAD(5.0) /* line and robust have no heading among their goals: so much of an error is taken back in a step */

typedef struct task_scene_params {
  double goals, goal_x, goal_y, goal_deg, goal_speed, change_every;
  double balls_per_s, balls, ball_mass, ball_speed, boxes, posts, characters, enough, look_ahead, limit;
} task_scene_params;

typedef struct task_goal { double x, y, heading, speed; } task_goal; /* world: m, rad; m/s */

/* What is to come after an action that was chosen by looking ahead: another one (−1: what the policy chooses), kept up or for a step; failed: so many looks in a row have found nothing that stays up. */
typedef struct task_plan { int next, kept, failed; } task_plan;

typedef struct task_scene_state {
  po_rng rng;
  int task;                   /* po_task_kind */
  int goals;                  /* in all; 0: no end of them, or none */
  int given, reached;
  task_goal goal;
  double given_at;            /* s */
  double to_turn;             /* rad, left positive: to the goal's heading as it was last seen; 0: not yet */
  double seconds_sum, error_sum, heading_sum; /* of those reached: s, m (m/s), rad */
  int seen;                   /* 1: the policy has seen a strike */
  int begun, waited;          /* it has taken over; a strike was left to the walk */
  long steps;                 /* of the move, last seen */
  double struck_at;
  po_pose2 place;             /* at the last strike */
  int action;
  int touching_now;           /* 1: it touches something that is not the ground */
  double touched_at;          /* s: last */
  double choose_at;           /* s: when it chooses anew in the middle of a step; infinite: not */
  task_plan plan;
  double good_until;          /* s: so long it is kept to */
  int disturbed, calm;        /* 1: what is chosen is tried first; strikes in a row that were calm */
  long used[PO_ACTIONS_MAX];  /* how often each action */
  long strikes, untrusted;
  double choose_seconds, ahead_seconds;
  long chosen, ahead_choices;
  long changed;               /* choices of the policy that looking ahead changed */
  double next_ball;
  int balls_thrown;
  long hits;
  int touching[PO_TASK_BALLS]; /* 1: it has touched since it was thrown */
  int first_ball, first_box, first_other; /* characters of the world */
} task_scene_state;

typedef struct task_ahead task_ahead;

/* What is not state: the policy and its actions. */
typedef struct task_kept {
  po_actions actions;
  po_policy *policy;          /* NULL: one action for good */
  int by_hand;
  task_ahead *ahead;          /* NULL: nothing is tried before it is chosen */
  int only;                   /* ≥ 0: always this action */
  double *q, *v;              /* room for a state */
  float *features;
} task_kept;

static inline task_kept *po_task_kept(const po_run *r) { return r->kept; }
static inline po_move *po_task_walker(const po_run *r) { return po_run_move(r, 0); }

/* The next goal: a single one from the parameters, else drawn, seen from where the character is. */
void po_task_goal_next(po_run *run, po_pose2 place);
/* A goal as the character at `place` sees it; mirrored: on its right foot. A heading behind its back stays on the side where it was: a body that sways would turn to and fro
 * in front of it. */
void po_task_goal_seen(double *w, task_scene_state *s, po_pose2 place, int mirrored);
/* 1: at this strike the goal is met. step: the last one, in the frame before it; its duration. Errors of the kind that the task has, else 0. */
int po_task_goal_met(double *distance, double *angle, const po_run *run, po_pose2 place, po_pose2 step, double seconds);

po_status po_task_things_terrain(po_run *run, po_error *err);  /* posts; before the world */
po_status po_task_things_add(po_run *run, po_error *err);      /* balls, boxes, others; before the simulation */
po_status po_task_things_place(po_run *run, po_error *err);    /* where they begin; after it */
po_status po_task_things_throw(po_run *run);                   /* a ball, when one is due */
void po_task_things_watch(po_run *run);                        /* counts hits */

/* What a careful hand would write down: the action whose usual step brings the goal nearest. */
int po_task_by_hand(const po_policy *policy, const po_actions *actions, po_task_kind kind, const double *w);

/* What the policy does at a strike, in a state of its own frame (q, v) and with the goal w; distance: of the nearest known state, 0 where none is needed. −1: it cannot be told. */
int po_task_table(double *distance, const po_run *run, const double *q, const double *v, const double *w);
/* 1: at this strike the body is as if nothing had hit it: near a state that is known, or, where there is no table, walking without unrest. */
int po_task_calm(const po_run *run, po_move *walker, double distance);

/* Looking ahead: the action `usual` if the body comes to calm with it, or stays up long enough, in a simulation of its own on flat ground without anything else, where the policy chooses
 * the steps after it. Or else the one that was planned for now, or the first other one with which it does, for a step, kept up, or followed by another; if there is none, the one that
 * lasts longest. last: the action of the step before, −1: none; midway: a step of it is under way, and goes on as one of what is chosen. plan: of the last look; then of this one.
 * −1: it cannot be told. */
po_status po_task_ahead_new(task_ahead **ahead, const po_run *run, po_error *err);
void po_task_ahead_free(task_ahead *ahead);
int po_task_ahead(task_ahead *ahead, const po_run *run, int usual, int last, int midway, task_plan *plan);

/* 1: a step of generalized walking that is the last action again, and goes on undisturbed where steps are not begun afresh. last −1: none. */
static inline int po_task_again(const po_actions *actions, int action, int last) {
  return actions->gbwc && last >= 0 && action == last && po_actions_mirror(actions, last) == last;
}
/* 1: steps begin as the exploration began them, with nothing left of the steps before; 0: for whoever only has to stay up, who keeps what he knows of hits. */
static inline int po_task_afresh(const po_run *r) { return po_task_kept(r)->actions.gbwc && ((const task_scene_state *)r->state)->task != PO_TASK_ROBUST; }
/* Heading of a step, rad: where no goal has one, back towards that of the start, bit by bit. */
static inline double po_task_heading(const po_run *r, double heading) {
  int task = ((const task_scene_state *)r->state)->task, kept = task == PO_TASK_LINE || task == PO_TASK_ROBUST;
  return kept ? heading + po_clamp(po_wrap(-heading), -PO_TASK_HEADING_KEPT, PO_TASK_HEADING_KEPT) : heading;
}

#endif
