/* learn_internal.h: between the files of what was learnt ahead. */
#ifndef PO_LEARN_INTERNAL_H
#define PO_LEARN_INTERNAL_H

#include "learn.h"

/* ==== the nearest of many ============================================================================================== */

#define PO_NEAR_MOST 64       /* that anyone asks for */
/* How far two rows are apart; beyond `enough` any number that is as large. A metric: the triangle inequality holds, but for a slack of rounding. */
typedef double (*po_near_fn)(const void *metric, const void *a, const void *b, double enough);
/* Rows, `stride` bytes apart, are borrowed, as the metric is. */
po_status po_near_make(po_near **near, po_near_fn distance, const void *metric, const void *rows, size_t stride, int n, double slack);
/* The k nearest, nearest first, equal ones by index; skip: a row that does not count, or −1. distance may be NULL. Returns how many. */
int po_near_query(int *nearest, double *distance, int k, const po_near *near, const void *query, int skip);
/* The same by looking at all of them. */
int po_near_among(int *nearest, double *distance, int k, po_near_fn fn, const void *metric, const void *rows, size_t stride, int n, const void *query);

/* ==== files ============================================================================================================ */

void po_store_put(po_buffer *out, uint64_t x, int bytes);
void po_store_put_double(po_buffer *out, double x);
void po_store_put_float(po_buffer *out, float x);
/* A magic word of 8 letters and a version; returns where the file begins, for po_store_end, which puts the hash of it all behind it. */
size_t po_store_begin(po_buffer *out, const char *magic, unsigned version);
po_status po_store_end(po_buffer *out, size_t from); /* PO_ERR_MEMORY */

typedef struct po_store { /* what is left to read */
  const unsigned char *at;
  size_t left;
  int cut;                     /* more was asked for than there is; what was got then is 0 */
} po_store;
/* Behind the version of a file that has magic, version and hash and is not smaller than `least` bytes and its hash; `what` it is, for messages. */
po_status po_store_open(po_store *store, const void *bytes, size_t size, size_t least, const char *magic, unsigned version, const char *what, const char *file, po_error *err);
uint64_t po_store_get(po_store *store, int bytes);
double po_store_get_double(po_store *store);
float po_store_get_float(po_store *store);
void po_store_get_name(char name[PO_TASK_NAME], po_store *store);

/* ==== actions and goals ================================================================================================ */

/* Errors name file, line and what is wrong: an unknown key, an action that blends itself or mirrors nothing, too many. */
po_status po_actions_parse(po_actions *actions, const char *text, size_t size, const char *file, po_error *err);
/* The sample nearest to a goal along each axis; goals beyond the samples are drawn back along their bearing. */
int po_task_nearest(const po_task *task, const double *w);

/* ==== steps ============================================================================================================ */

po_step_kind po_step_kind_footholds(void);
/* The state in units of that metric: the distance of two such is the Euclidean one. */
void po_step_scaled(double *x, const double *s);

#define PO_STEP_MIX 3        /* k: examples whose actions a prediction mixes */
#define PO_STEP_FIT 60       /* examples around a state that tell how results change with state and action */

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

/* ==== planning ========================================================================================================= */

/* The next footholds on ground with gaps from a heel at x on, by length and edges alone; longer: steps are longer by about so much (m) than they would be. Returns 0 when
 * some of them are not on ground. */
#define PO_STEP_PLACES 4
int po_step_planner_places(double place[PO_STEP_PLACES], const po_step_planner *planner, const double *s, double x, double longer, const po_step_ground *ground);

/* Bends the actions of a plan until the fit, steps->fit, says that the heels come down at wanted[count], in at most so many rounds. beyond: how long the step after
 * them must be (m): the plan ends where such steps were made, and other beginnings than the plan are tried too; NaN: it may be any. */
void po_step_plan_refine(po_step_plan *plan, const po_step_model *steps, const double *s, double x, const double *wanted, int count, double beyond, int rounds);

#endif
