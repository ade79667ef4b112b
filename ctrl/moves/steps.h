/* steps.h: steps that were learnt ahead, and planning with them (Coros 2010, chapter 3; docs/constrained-walking.md).
 *
 *   actions       po_step_kind_of  po_step_kind_bend: how a SIMBICON step of a body can be bent, as a few numbers;  po_step_kind_footholds  po_step_to_foothold: where one of
 *                 generalized walking is to end
 *   states        po_step_state_of  po_step_distance  po_step_scaled: a body at a strike, as five numbers
 *   the model     po_step_model_new  po_step_model_free  po_step_model_set_linear  po_step_model_near  po_step_model_scan  po_step_model_predict
 *                 po_step_model_predict_action  po_step_model_aim  po_step_model_box  po_step_model_reach  po_step_capture  po_step_model_quantile: where a step leads, by examples
 *   a fit         po_step_fit_new  po_step_fit_free  po_step_fit_at  po_step_fit_around: the same, smoothly and with derivatives, of all examples at once
 *   files         po_step_model_write  po_step_model_read
 *   planning      po_step_planner_...: which action now, looking some steps ahead over ground with gaps, or onto given stones;  po_step_planning_string
 *                 po_step_planning_find;  po_step_planner_places: footholds between gaps;  po_step_plan_refine: actions bent until footholds are met
 *
 * A step goes from a strike to the next. Everything is measured in the sagittal plane, and as if the left foot stood: left and right steps are the same.
 * Nothing here simulates, and nothing allocates in a query or a plan.
 */
#ifndef PO_STEPS_H
#define PO_STEPS_H

#include "simbicon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== actions and states =============================================================================================== */

#define PO_STEP_ACTION 11    /* numbers of an action, at most */
#define PO_STEP_STATE 9      /* of a state, at most: d, v of the COM over the stance foot; pitch of trunk, stance thigh, swing thigh; */
#define PO_STEP_PLANE 5      /* these are all in a plane. In space: d, v sideways; angle and rate of the trunk about the vertical */
#define PO_STEP_SWAY 6       /* which of them is the speed sideways */
#define PO_STEP_NAME 32

/* An action is what a step is bent by: trunk at each knot, swing hip at each knot, stance ankle or knee, time (rad, s; zero: the gait as it is).
 * Planar bodies have two knots and one of the leg, 6 numbers in all; others three and two and, before the time, swing leg outwards and trunk about the vertical, 11. */
typedef struct po_step_kind {
  int actions, states, knots, legs, knee;
  int planar;
  int footholds;             /* 1: of generalized walking, and an action is where the step ends, and how long the next one may be; none of the above then */
  double weight[PO_STEP_ACTION]; /* what bending costs: W of the thesis */
  double limit[PO_STEP_ACTION];  /* an action stays within ± this */
  double grip;               /* of every step, see po_step_bend; 0: planar */
  double side;               /* m: distance between the feet, sideways, that learning starts from: that of the base gait takes its place; 0: planar */
} po_step_kind;
#define PO_STEP_GBWC "gbwc"  /* the style of these; all others are SIMBICON's gaits */
po_step_kind po_step_kind_of(const po_model *model, const char *style);
po_step_kind po_step_kind_footholds(void);
void po_step_kind_bend(po_step_bend *bend, const po_step_kind *kind, const double *action);
#define PO_STEP_STAND 0.97   /* of the straight legs' height: how generalized walking stands before it steps off */
/* At a strike: a step of generalized walking begins with that heading (rad); NULL: as it walks by itself. PO_ERR_RANGE, PO_ERR_STATE. */
po_status po_step_to_foothold(po_move *gbwc, int stance, double facing, const double *action);

/* The state at a strike: data has kinematics and COM, `stance` is the foot that has just struck, `facing` (rad) the heading that is wanted. As if the left foot stood. */
void po_step_state_of(double s[PO_STEP_STATE], const po_data *data, const po_actor *actor, int stance, double facing);
/* sqrt((s − t)' diag(2, 1, 0.5, 0.5, 0.5; 2, 1, 1, 0.04) (s − t)) */
double po_step_distance(const double *s, const double *t);
/* The state in units of that metric: the distance of two such is the Euclidean one. */
void po_step_scaled(double *x, const double *s);

/* ==== the model ======================================================================================================== */

typedef struct po_step_example {
  double from[PO_STEP_STATE], action[PO_STEP_ACTION], to[PO_STEP_STATE];
  double length, side, seconds; /* heel to heel, forward and sideways outwards; how long it took */
} po_step_example;

#define PO_STEP_NEAR 25      /* K: examples in whose states a prediction looks */
#define PO_STEP_MIX 3        /* k: examples whose actions it mixes */
#define PO_STEP_FIT 60       /* examples around a state that tell how results change with state and action */
#define PO_STEP_INPUTS (PO_STEP_STATE + PO_STEP_ACTION)
#define PO_STEP_OUTPUTS (1 + PO_STEP_STATE)

typedef struct po_step_model {
  char body[PO_STEP_NAME], style[PO_STEP_NAME], made[PO_STEP_NAME]; /* made: the commit whose program made it */
  uint64_t model_hash, settings_hash;
  po_step_kind kind;
  int examples;
  po_step_example *example;
  double *uncertainty;       /* [examples] what leaving one out mispredicts: state distance + |length|, m */
  double (*low)[2];          /* [examples] actions along the two principal axes */
  double mean[PO_STEP_ACTION], axis[2][PO_STEP_ACTION];
  double pca_share;          /* of the actions' variance along the two axes */
  double (*reach)[2];        /* [examples] m: of the near steps, but the shortest and the longest fifth */
  double (*gain)[PO_STEP_INPUTS][PO_STEP_OUTPUTS]; /* [examples] how length and next state change with state and action around it */
  int *tree;                 /* k-d tree of the states: indices, each half split at its middle, */
  double (*key)[PO_STEP_STATE]; /* and their states, scaled by the metric */
  struct po_step_fit *fit;   /* owned; NULL: none, and plans are not refined; see po_step_fit_new */
  int linear;                /* 1: mixtures are corrected by a local linear fit; 0: the thesis */
} po_step_model;

/* Copies the examples, of which there must be at least PO_STEP_NEAR; PO_ERR_SIZE else. */
po_status po_step_model_new(po_step_model **steps, const po_model *model, const char *style, const po_step_example *example, int examples, po_error *err);
void po_step_model_free(po_step_model *steps);

/* With or without the linear correction (with it at first); uncertainties follow. */
void po_step_model_set_linear(po_step_model *steps, int linear);

/* The nearest examples of a state, nearest first: what all predictions from it need. */
typedef struct po_step_near {
  double s[PO_STEP_STATE];
  int fitted;                /* 1: PO_STEP_FIT examples, and a fit to them; 0: PO_STEP_NEAR, and the fit of the nearest */
  int count, index[PO_STEP_FIT];
  double distance[PO_STEP_FIT];
  double gain[PO_STEP_INPUTS][PO_STEP_OUTPUTS]; /* of length and next state by state and action, by least squares; 0 in a plain model */
} po_step_near;
/* skip: an example that does not count, and a fit is made without it; or −1. */
void po_step_model_near(po_step_near *near, const po_step_model *steps, const double *s, int skip);
void po_step_model_scan(po_step_near *near, const po_step_model *steps, const double *s, int skip); /* the same without the tree */

typedef struct po_step_guess {
  double action[PO_STEP_ACTION], to[PO_STEP_STATE], length, uncertainty;
  int mixed, index[PO_STEP_MIX];
  double weight[PO_STEP_MIX];
} po_step_guess;
/* Where the action at `low` of the two axes leads from there; guess->action is the whole of it: the same mixture of the examples'. */
void po_step_model_predict(po_step_guess *guess, const po_step_model *steps, const po_step_near *near, const double low[2]);
/* Where a whole action leads. */
void po_step_model_predict_action(po_step_guess *guess, const po_step_model *steps, const po_step_near *near, const double *action);
/* Changes the guess's action along the two axes, as little as can be and by at most `most` (rad) a number, so that its length comes to what is wanted or near
 * it. Off the axes no example tells what happens. A plain model leaves it as it is. */
void po_step_model_aim(po_step_guess *guess, const po_step_model *steps, const po_step_near *near, double length, double most);
/* What is possible from there: bounds of the K nearest examples' actions along the two axes. */
void po_step_model_box(double lower[2], double upper[2], const po_step_model *steps, const po_step_near *near);

/* The shortest and the longest step (m) that was often made from about there. Returns how far the nearest example is. */
double po_step_model_reach(double reach[2], const po_step_model *steps, const double *s);

/* d + v sqrt(h/g): where the COM is on its way to, over the stance foot. A body that strikes with more than it has learnt to has no time to bring its leg forward; one with less does
 * not get over its foot. */
double po_step_capture(const double *s);
typedef enum po_step_figure { PO_STEP_FIGURE_LENGTH, PO_STEP_FIGURE_CAPTURE, PO_STEP_FIGURE_DOUBT } po_step_figure; /* of an example: its length, the capture point after it, its uncertainty */
/* What a share of the examples is below, within a millimetre. */
double po_step_model_quantile(const po_step_model *steps, po_step_figure figure, double share);
#define PO_STEP_BALANCED 0.85 /* share of the examples whose capture point afterwards is thought safe; what is beyond costs */
#define PO_STEP_SLOW 0.25     /* and before: who has hardly any speed left makes no long step */

/* ==== a fit of all examples ============================================================================================ */

typedef struct po_step_fit {
  int count, padded, states, inputs, outputs, ld; /* padded: rows in all, those beyond the count being zero */
  double scale[PO_STEP_INPUTS];
  double offset[PO_STEP_OUTPUTS], slope[PO_STEP_INPUTS][PO_STEP_OUTPUTS];
  double *x;                 /* [padded][ld] of an example 1, then state and action, scaled */
  double *c;                 /* [outputs][padded] its coefficients */
  double slow, fast;         /* m: capture points after a step that most examples are between */
  double sway;               /* m/s: of the COM sideways at the strikes of the examples, in the mean; 0 in a plane */
  double *square, *square_state, *length; /* [padded] squared norms of its inputs, of its state; how long it was, m */
} po_step_fit;
/* Solves for the coefficients: count³/3 multiplications and count² numbers of memory for the time being. */
po_status po_step_fit_new(po_step_fit **fit, const po_step_model *steps, po_error *err);
void po_step_fit_free(po_step_fit *fit);

typedef struct po_step_fitted {
  double length, to[PO_STEP_STATE];
  double gain[PO_STEP_OUTPUTS][PO_STEP_INPUTS]; /* derivatives of length and next state by state and action */
  double known;              /* sum of the kernels' eighth powers: how many examples are near */
  double mean[PO_STEP_INPUTS]; /* of state and action of the examples around */
} po_step_fitted;
/* Where an action leads from a state. Its cost is that of looking at every example. */
void po_step_fit_at(po_step_fitted *y, const po_step_fit *fit, const double *s, const double *action);
/* The mean of the states around s from which examples made steps of about that length (m), within the spread; NaN: of any. */
void po_step_fit_around(double mean[PO_STEP_STATE], const po_step_fit *fit, const double *s, double length, double spread);

/* Little-endian, hash at the end. Read back only for the same body; `most` examples are kept, 0: all. Errors name the file. */
po_status po_step_model_write(po_buffer *out, const po_step_model *steps);
po_status po_step_model_read(po_step_model **steps, const po_model *model, const void *bytes, size_t size, int most, const char *file, po_error *err);

/* ==== planning ========================================================================================================= */

typedef enum po_step_planning { PO_PLAN_REGULAR, PO_PLAN_RANDOM, PO_PLAN_HYBRID, PO_PLANNINGS } po_step_planning;
const char *po_step_planning_string(po_step_planning planning); /* "regular" "random" "hybrid" */
int po_step_planning_find(const char *name);                    /* −1: none */

/* The ground ahead, along the path: x is where a heel stands. */
typedef struct po_step_ground {
  void *user;
  double (*good)(void *user, double x);                  /* share of the sole that is on ground, 0 … 1 */
  int (*stone)(double *x, void *user, int ahead);        /* where the heel is wanted in 1, 2, … steps from now; 0: anywhere good. NULL: no stones */
} po_step_ground;

typedef struct po_step_planner_opts {
  po_step_planning planning;
  int horizon, samples;      /* 1 … 3: 2; per step: 500 */
  double u_max;              /* 0.75 */
  double miss;               /* m: a stone missed by more is rejected: 0.06 */
  double weight_u;           /* c_u: 0.1 */
  double base_length;        /* m: of the step that repeats itself; <= 0: from the examples */
  double margin;             /* share of a sole that must be on ground when planned: 0.9 */
  double clear;              /* m: no gap nearer than this, and the base step is taken: 1 */
} po_step_planner_opts;
po_step_planner_opts po_step_planner_opts_default(void);

#define PO_PLAN_TRIED 64     /* samples that are kept for pictures */
#define PO_PLAN_HORIZON 3
typedef struct po_step_plan {
  double action[PO_STEP_ACTION];
  int base;                  /* 1: the base step, no gap being near */
  int found;                 /* 1: everything asked for is met; 0: the best of what was tried */
  int care;                  /* 0: like most of the examples; more: for want of better, the further the less alike */
  int steps;                 /* of the horizon */
  double cost;               /* of po_step_plan_refine, when it was refined */
  double foothold[PO_PLAN_HORIZON], uncertainty[PO_PLAN_HORIZON]; /* heels as predicted */
  double box[4];             /* lower and upper bounds of the first step's actions */
  double low[2];             /* the action along the two axes */
  double to[PO_STEP_STATE];  /* state after the first step, as predicted */
  double actions[PO_PLAN_HORIZON][PO_STEP_ACTION]; /* of all steps */
  int samples;               /* predictions that were made */
  int tried;
  struct { double low[2], x, uncertainty; } sample[PO_PLAN_TRIED]; /* of the first step */
} po_step_plan;

typedef struct po_step_planner {
  const po_step_model *steps; /* borrowed */
  po_step_planner_opts opts;
  double shortest, longest;  /* m: steps that were learnt well; others are chosen only when stones ask for them */
  double base_speed;         /* m/s: of the COM at a strike when base steps repeat themselves */
  double behind;             /* m: with the COM so far behind the foot, the base step is none to take */
  double doubt;              /* uncertainty that is usual */
  double close;              /* m: how near to an edge is dear: heels come down that far off */
  double slow, capture;      /* m: how far ahead of the stance foot the COM should be on its way to after a step, at least and at most */
  po_rng rng;
} po_step_planner;
po_status po_step_planner_init(po_step_planner *planner, const po_step_model *steps, const po_step_planner_opts *opts, uint64_t seed, po_error *err);
/* At a strike: state s, heel at x. */
void po_step_planner_plan(po_step_plan *plan, po_step_planner *planner, const double *s, double x, const po_step_ground *ground);

/* The next footholds on ground with gaps from a heel at x on, by length and edges alone; longer: steps are longer by about so much (m) than they would be. Returns 0 when
 * some of them are not on ground. */
#define PO_STEP_PLACES 4
int po_step_planner_places(double place[PO_STEP_PLACES], const po_step_planner *planner, const double *s, double x, double longer, const po_step_ground *ground);

/* Bends the actions of a plan until the fit, steps->fit, says that the heels come down at wanted[count], in at most so many rounds. beyond: how long the step after
 * them must be (m): the plan ends where such steps were made, and other beginnings than the plan are tried too; NaN: it may be any. */
void po_step_plan_refine(po_step_plan *plan, const po_step_model *steps, const double *s, double x, const double *wanted, int count, double beyond, int rounds);

#ifdef __cplusplus
}
#endif
#endif
