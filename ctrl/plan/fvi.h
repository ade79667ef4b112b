/* fvi.h: fitted value iteration over the states of a character and the goals of a task (Coros 2010, section 4.4.3; docs/task-policies.md).
 *
 *   po_fvi_opts_default  po_fvi_new  po_fvi_free
 *   po_fvi_sweep  po_fvi_solve     V(s, w) = max_a (1 − ρ)(R(s, w, a) + γ^ΔT V(s', w')), again and again
 *   po_fvi_value                   one such V(s', w') by its definition
 *
 * A step (s, a) leads to s', which lies among the known states: its value is a weighted mean over the nearest ones (1/d²), and multilinear between the
 * samples of the goals. For one step both the neighbours and the shift of the goal are the same at all samples; so the neighbours' values are blended
 * once, and the blend is resampled once. That is what a sweep does; po_fvi_value is the plain way, and a test holds the two together.
 * A step begins on the left foot and ends on the right one: s' is seen in a mirror (po_strike_own), and so must w' be.
 */
#ifndef PO_FVI_H
#define PO_FVI_H

#include "../moves/task.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PO_FVI_NEIGHBOURS 6
#define PO_FVI_UNTRUSTED -1.0   /* the reward of leaving what is known, once and for all */

/* One action tried from one state. */
typedef struct po_fvi_step {
  int state, action;
  int trusted;                  /* 0: it fell or went astray; nothing below counts */
  double seconds;
  double risk;                  /* 0 … 1: that it goes astray and nothing is gained */
  po_pose2 step;                /* where it led, seen from the state */
  int neighbours, neighbour[PO_FVI_NEIGHBOURS]; /* of where it ended */
  double weight[PO_FVI_NEIGHBOURS];             /* sum 1 */
} po_fvi_step;

/* R(s, w, a), the step being (s, a). */
typedef double (*po_fvi_reward_fn)(void *user, const po_fvi_step *step, const double *w);

typedef struct po_fvi_problem {
  po_task task;
  int states, steps;
  const po_fvi_step *step;      /* [steps], states ascending; a state without any is worth PO_FVI_UNTRUSTED */
  po_fvi_reward_fn reward;
  void *user;
  int ends;                     /* 1: a step that is rewarded ends the task; V = γ^ΔT R then. 0: it goes on, and may be rewarded again */
} po_fvi_problem;

typedef struct po_fvi_opts {
  double alpha;                 /* V moves this share of the way: 0.8 */
  double gamma;                 /* discount per second: 0.9 */
  double tolerance;             /* done when no V moves further: 1e-3 */
  int sweeps;                   /* at most: 100 */
  int in_place;                 /* 1: a sweep reads what it has just written, as the thesis does; 0: what the last sweep wrote */
} po_fvi_opts;
po_fvi_opts po_fvi_opts_default(void);

typedef struct po_fvi {
  po_fvi_problem problem;       /* its arrays are borrowed */
  po_fvi_opts opts;
  int samples;
  double *value, *next;         /* [states][samples] */
  unsigned char *action;        /* [states][samples] the best, of the last sweep; 255: none */
  double change;                /* largest |ΔV| of the last sweep */
  int sweeps;
  void *scratch;
} po_fvi;

/* PO_ERR_RANGE for options or steps that make no sense: weights that do not add up, neighbours that are not there, states out of order. */
po_status po_fvi_new(po_fvi **fvi, const po_fvi_problem *problem, const po_fvi_opts *opts, po_error *err);
void po_fvi_free(po_fvi *fvi);
void po_fvi_sweep(po_fvi *fvi);
/* Sweeps until the change is small or the sweeps are used up; returns 1 when it is small. */
int po_fvi_solve(po_fvi *fvi);
double po_fvi_value(const po_fvi *fvi, const po_fvi_step *step, const double *w);

#ifdef __cplusplus
}
#endif
#endif
