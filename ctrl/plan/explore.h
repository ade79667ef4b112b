/* explore.h: every action tried from every state that can be reached (Coros 2010, section 4.4.1; docs/task-policies.md).
 *
 *   po_explore_opts_default  po_explore_new  po_explore_empty  po_explore_free
 *   po_explore_stepper  po_explore_frontier  po_explore_try  po_explore_take     one round: try all of the frontier, then take the results in order
 *   po_explore_save_bytes  po_explore_save  po_explore_read  an exploration as bytes, complete or not
 *   po_task_reward_of  po_task_reward_at  po_task_ends       what a task pays
 *   po_explore_steps                                         what it found, for fitted value iteration
 *
 * Trusted states are known to be good: where the actions' own cycles settle, and what scripted sequences of actions pass through. A step from a known state
 * is kept when it ends within eps_trust of a trusted state; where it ends becomes a state of its own when it is farther than eps_new from all that are
 * known. Within a round every (state, action) is simulated from its state alone, and results are taken in the order (state, action): any number of
 * processes finds the same.
 */
#ifndef PO_EXPLORE_H
#define PO_EXPLORE_H

#include "fvi.h"
#include "one_step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct po_explore_opts {
  double eps_trust, eps_new;    /* 0: as the actions say */
  int max_states;               /* 5000 */
  double ball_mass;             /* kg: strikes after hits by such a ball are trusted as well; < 0: as the actions say, 0: none */
} po_explore_opts;
po_explore_opts po_explore_opts_default(void);

typedef enum po_tried_end { PO_TRIED_TRUSTED, PO_TRIED_UNTRUSTED, PO_TRIED_FELL, PO_TRIED_LATE } po_tried_end;

/* What came of one action from one state. */
typedef struct po_tried {
  int state, action;
  po_tried_end end;
  double seconds;
  po_pose2 step;                /* seen from the state's own frame */
} po_tried;

typedef struct po_exploration {
  const po_model *model;        /* borrowed */
  po_actions actions;
  po_explore_opts opts;
  po_metric metric;
  int states, trusted;          /* the first of the states are the trusted ones */
  int expanded;                 /* states that have been tried; those after them are the frontier */
  int rounds, full;             /* full: a new state found no room */
  int tried;
  int cycle[PO_ACTIONS_MAX];    /* the state in which an action, repeated, settles; −1: it falls */
  double *q, *v;                /* [max_states][nq], [nv], own frame */
  float *feature;               /* [max_states][features] */
  int *depth;                   /* [max_states] actions from a trusted state */
  po_tried *result;             /* [max_states times actions] */
  float *end;                   /* [max_states times actions][features] where they ended */
} po_exploration;

/* Finds the trusted states by simulation. PO_ERR_STATE, naming the action, when not one of the cycles holds. */
po_status po_explore_new(po_exploration **exploration, const po_model *model, const po_actions *actions, const po_explore_opts *opts, po_error *err);
/* One without states, to be read into. */
po_status po_explore_empty(po_exploration **exploration, const po_model *model, const po_actions *actions, const po_explore_opts *opts, po_error *err);
void po_explore_free(po_exploration *exploration);

static inline int po_explore_frontier(const po_exploration *x) { return x->states - x->expanded; }
/* A stepper for the steps of a set of actions. */
po_status po_explore_stepper(po_stepper **stepper, const po_model *model, const po_actions *actions, po_error *err);
/* One action from one state, by such a stepper of the same model: what came of it, and where it ended, own frame. */
po_status po_explore_try(po_tried *tried, double *q, double *v, const po_exploration *exploration, po_stepper *stepper, int state, int action, po_error *err);
/* Results of all actions of the first state of the frontier, q [actions][nq], v [actions][nv]. Its new states join the frontier's end. */
void po_explore_take(po_exploration *exploration, const po_tried *tried, const double *q, const double *v);

/* A whole exploration as bytes: save_bytes is what this one takes. Read back only for the same model and actions. */
size_t po_explore_save_bytes(const po_exploration *exploration);
po_status po_explore_save(void *state, size_t bytes, const po_exploration *exploration);
po_status po_explore_read(po_exploration **exploration, const po_model *model, const po_actions *actions, const void *state, size_t bytes, const char *file, po_error *err);

/* The steps of all states that have been tried, with the neighbours of where they ended among these. risk 0 … 1: an action's is this share of the share of its state's
 * neighbours that it led astray. Freed with po_free. */
po_status po_explore_steps(po_fvi_step **steps, int *count, const po_exploration *exploration, double risk);

/* ==== what tasks reward ================================================================================================= */

/* R of a task's kind over an exploration; user of po_fvi_problem is the po_task_reward. */
typedef struct po_task_reward {
  const po_exploration *exploration;
  po_task_kind kind;
  int walk;                     /* state of the forward walk's cycle; −1: none */
  double speed_band;            /* m/s: speeds that are so near to a sample of heading-speed are met wherever in its cell the goal lies */
} po_task_reward;
int po_task_ends(po_task_kind kind); /* 1: po_fvi_problem.ends */
po_task_reward po_task_reward_of(const po_exploration *exploration, const po_task *task);
double po_task_reward_at(void *user, const po_fvi_step *step, const double *w);

#ifdef __cplusplus
}
#endif
#endif
