/* step_search.h: actions that meet given step lengths (Coros 2010, section 3.3.2; docs/constrained-walking.md). Not for users.
 *
 *   po_step_search_opts_default  po_step_search_new  po_step_search_free
 *   po_step_search_begin  po_step_search_solve  po_step_search_shift     one window, and on to the next
 *
 * Lengths l_1 … l_n are wanted. A window of some steps is optimized together, min Σ (l_k(A) − l_k)² + γ A'WA; then its first step is final and the window moves on
 * by one. A step is a black box: a state and an action give a state and a length.
 */
#ifndef PO_STEP_SEARCH_H
#define PO_STEP_SEARCH_H

#include "one_step.h"

po_step_search_opts po_step_search_opts_default(void);

/* One step: the state after it, its length forward and its errors aside and in turning (m); *struck 0: it fell. Must depend on start and action alone. */
#define PO_STEP_MISSES 3
typedef struct po_step_task {
  void *user;
  int states, actions, sides; /* numbers of a state, of an action; 0, 1, 2: so many of the errors count besides the length */
  const double *weight;      /* [actions] W */
  const double *limit;       /* [actions] an action stays within ± this; NULL: anywhere */
  po_status (*step)(double *end, double length[PO_STEP_MISSES], int *struck, void *user, const double *start, const double *action, po_error *err);
} po_step_task;

typedef struct po_step_search {
  po_step_task task;
  po_step_search_opts opts;
  int columns;               /* of the Jacobian: window times actions */
  double *action, *state, *length;       /* [window][actions], [window + 1][states], [window][PO_STEP_MISSES] as they are */
  double *try_action, *try_state, *try_length;
  double *jacobian;          /* [PO_STEP_MISSES window][columns] of the lengths by the actions */
  double *drift;             /* [columns][states] how the last state moves when an action moves by its difference */
  double *spare, *spare_end; /* [states] */
  double *H, *g, *step;      /* [columns]² , [columns], [columns] */
  double target[PO_STEP_WINDOW]; /* m: lengths wanted */
  double cost;               /* infinite: it falls */
  double damping;
  po_rng rng;                /* of what is tried when it is stuck; seed it before the first window */
  long steps_run, rounds_run, windows;
} po_step_search;

po_status po_step_search_new(po_step_search **search, const po_step_task *task, const po_step_search_opts *opts, po_error *err);
void po_step_search_free(po_step_search *search);

/* A new window from a state, all actions zero; lengths that are wanted. *fell: the base steps do. */
po_status po_step_search_begin(int *fell, po_step_search *search, const double *start, const double *target, po_error *err);
/* Improves its actions, at most opts.rounds times. */
po_status po_step_search_solve(po_step_search *search, po_error *err);
/* The first step is done: the window begins after it, with one more step of length `target` at its end. guess: actions that it may begin with, the best of
 * which is taken if it is better than zero. */
po_status po_step_search_shift(int *fell, po_step_search *search, double target, const double *const *guess, int guesses, po_error *err);

#endif
