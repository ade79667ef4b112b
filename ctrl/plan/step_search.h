/* step_search.h: actions that meet given step lengths (Coros 2010, section 3.3.2; docs/constrained-walking.md).
 *
 *   po_step_search_opts_default  po_step_search_new  po_step_search_free
 *   po_step_search_begin  po_step_search_solve  po_step_search_shift     one window, and on to the next
 *   po_step_learn_opts_default  po_step_learn_new  po_step_learn_free  po_step_learn_sequence  po_step_learn_key    random steps of a body, as examples
 *
 * Lengths l_1 … l_n are wanted. A window of some steps is optimized together, min Σ (l_k(A) − l_k)² + γ A'WA; then its first step is final and the window moves on
 * by one. A step is a black box: a state and an action give a state and a length.
 */
#ifndef PO_STEP_SEARCH_H
#define PO_STEP_SEARCH_H

#include "../moves/steps.h"
#include "one_step.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PO_STEP_WINDOW 5

typedef enum po_step_method { PO_STEPS_GAUSS_NEWTON, PO_STEPS_GRADIENT } po_step_method;

typedef struct po_step_search_opts {
  po_step_method method;
  int window, rounds;        /* 3; 4 (gradient: 15): steps that are tried per window */
  double gamma;              /* 0.1: weight of staying near the base action */
  double difference;         /* rad, of finite differences: 0.01 */
} po_step_search_opts;
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

/* ==== random steps of a body =========================================================================================== */

typedef struct po_step_learn_opts {
  po_step_search_opts search;
  char style[PO_STEP_NAME];  /* a gait of the body: "walk" */
  int sequence;              /* steps in a row: 100 */
  int warm;                  /* base steps before them: 10, when the gait has settled; fewer: what to do soon after the beginning */
  double length_min, length_max; /* m, drawn evenly: 0.1, 0.9 */
  int tried;                 /* of the steps that a window tried on its way so many are examples too, the most unlike: 0 */
  double turn;               /* rad: in space every step turns by up to so much, drawn evenly: 0.1 */
  uint64_t seed;
} po_step_learn_opts;
po_step_learn_opts po_step_learn_opts_default(const po_model *model);

typedef struct po_step_learn po_step_learn;
po_status po_step_learn_new(po_step_learn **learn, const po_model *model, const po_step_learn_opts *opts, po_error *err);
void po_step_learn_free(po_step_learn *learn);

typedef struct po_step_record { po_step_example example; double error; } po_step_record; /* error: |length − wanted|, m; NaN: nothing was wanted of it, it was tried */
typedef struct po_step_tally {
  int examples, fell, dropped; /* fell 1: the sequence ended in a fall, and the steps before it were dropped */
  long rounds, windows, steps_run;
  double sim_seconds;
} po_step_tally;
/* Sequence k: at most opts.sequence records, and opts.tried for each of them behind them all. It depends on k and the options alone. most: stops after so many steps; 0: at its end. */
po_status po_step_learn_sequence(po_step_record *record, po_step_tally *tally, po_step_learn *learn, int k, int most, po_error *err);
/* Hash of body, gait and options: what decides the examples. */
uint64_t po_step_learn_key(const po_step_learn *learn);

#ifdef __cplusplus
}
#endif
#endif
