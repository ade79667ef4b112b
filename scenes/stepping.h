/* stepping.h: what scenarios of planned steps share: the step model, the planner at every strike, what became of its plans.
 *
 * A scenario has STEPPING_TEXTS among its texts, a stepping_params first in its parameters with STEPPING_PARAMS in its table, a stepping_state first in its
 * state; it lays its ground, calls stepping_init and then stepping_observe after every step.
 */
#ifndef PO_STEPPING_H
#define PO_STEPPING_H

#include "../ctrl/learn/learn.h"
#include "step_ground.h"

typedef struct stepping_params { double horizon, samples, examples, u_max, depth, refine; } stepping_params;
#define STEPPING_TEXTS(planner) \
  {"planner", planner, "regular, random or hybrid", NULL}, {"style", "", "the gait that is bent, and whose steps were learnt; gbwc: generalized walking; none: the body's own", NULL}, \
  {"policy", "", "a .steps file; none: the body's own; base: no planning", NULL}
#define STEPPING_PARAMS(type, samples_) \
  PO_PARAM_IN(type, stepping, horizon, 2, 1, 3, "", "steps that are looked ahead"), \
  PO_PARAM_IN(type, stepping, samples, samples_, 1, 20000, "", "actions that are tried per step of the horizon"), \
  PO_PARAM_IN(type, stepping, examples, 0, 0, 1e5, "", "of the policy so many are used, the first; 0: all"), \
  PO_PARAM_IN(type, stepping, u_max, 0.75, 0.1, 5, "", "predictions that are less certain are not used"), \
  PO_PARAM_IN(type, stepping, depth, 0.4, 0, 1, "m", "of gaps; 0: they are only marked on level ground, and steps into them are counted"), \
  PO_PARAM_IN(type, stepping, refine, 1, 0, 1, "", "1: a plan is refined by a fit of all examples; 0: it is what sampling found, as the thesis has it")
#define STEPPING_PARAM_COUNT 6

#define STEPPING_TIMES 512

/* Allocated; in run->kept. */
typedef struct stepping {
  po_step_model *model;      /* NULL: no planning */
  po_step_kind kind;         /* how steps of the body are bent */
  po_step_planner planner;
  po_step_ground ground;
  po_step_plan plan;         /* of the step under way */
  po_pieces pieces;
  double *stone;             /* [stones] heels wanted, ascending */
  int stones, runup;         /* the first `runup` of them are steps to get going, and do not count */
  double sole;               /* m, heel to toe */
  double along;              /* that of the state, for the planner */
  double askew;              /* m: by how much a right foot is further along x than the middle between the feet */
  float plan_us[STEPPING_TIMES];
} stepping;

/* Numbers only: saved with the run. */
typedef struct stepping_state {
  po_rng rng;
  long strikes;              /* of the move, last seen */
  int on;                    /* stones reached so far */
  double x, y, predicted;    /* the last heel that struck; where the plan puts the next; NaN: no plan */
  double expected[PO_STEP_STATE]; /* the state then, by the plan */
  double along;              /* of a metre walked so much is along x: 1 but for bodies in space */
  double steer;              /* rad: bodies in space: swing legs are turned so much to the right, which moves the body to the left */
  long good, bad, counted, rejected, replans, fallbacks, plans; /* replans: a foot came down elsewhere, or in another state, than planned */
  double error_sum, error_max, below, above, length_min, length_max;
} stepping_state;

/* Loads the policy, makes run->kept; before the ground is laid. */
po_status stepping_load(po_run *run, po_error *err);
/* The world and the character at its start, over ground that has been laid. */
po_status stepping_init(po_run *run, po_error *err);
/* Looks for a strike; judges where the foot came down and plans the next step. Returns 1 at a strike. */
int stepping_observe(po_run *run);
void stepping_judge(po_run *run); /* plan_us_mean, plan_us_p99 */
void stepping_destroy(po_run *run);
const char *stepping_style(const po_run *run);     /* that was asked for; or gbwc where the body has such steps, else walk */
const char *stepping_behaviour(const po_run *run); /* po_scenario.behaviour */
double stepping_facing(const po_run *run);         /* rad: the heading that is wanted */
void stepping_turn(po_run *run, double facing);
/* po_scenario.marks: the plan of the step under way. */
int stepping_marks(po_mark *mark, long *serial, const po_run *run);
/* po_step_ground.good over the pieces; user: the stepping. */
double stepping_good(void *user, double x);

#endif
