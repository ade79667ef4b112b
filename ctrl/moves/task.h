/* task.h: which action now, to be at the goal soon and not to fall? (Coros 2010, chapter 4; docs/task-policies.md)
 *
 *   strikes       po_strike_own  po_pose2_from: a state at a foot strike, in the character's own frame
 *   metric        po_metric_init  po_metric_features  po_metric_distance  po_metric_nearest: how far two such states are apart
 *                 po_near_new  po_near_free  po_near_find: the same, faster
 *   actions       po_actions_parse  po_actions_load  po_actions_sequences  po_actions_append  po_actions_find  po_actions_mirror  po_actions_hash  po_actions_check
 *                 po_action_begin  po_action_change: what there is to choose from
 *   walkers       po_walker_type  po_walker_steps  po_walker_stance  po_walker_start: the move that takes a set's steps
 *   tasks         po_task_make  po_task_find  po_task_samples  po_axis_cell  po_task_at  po_task_nearest  po_task_step  po_task_mirror: goals as the character sees them
 *   policies      po_policy_new  po_policy_add  po_policy_free  po_policy_task  po_policy_choose: an action for every state and goal
 *                 po_policy_write  po_policy_peek  po_policy_read
 *
 * A policy looks once per step, when a foot strikes: the nearest state and the nearest goal that it knows give the action. All is seen from
 * the character (root over the origin, facing along x) and, while it stands on its right foot, in a mirror: left and right are learned once.
 */
#ifndef PO_TASK_H
#define PO_TASK_H

#include "simbicon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== strikes ========================================================================================================== */

typedef struct po_pose2 { double x, y, heading; } po_pose2; /* m, m, rad */

/* The state (in place) as its own frame shows it: root over the origin facing along x, and mirrored when stance is 1, the right foot. place: where the
 * root was in the world. PO_ERR_MODEL when the base is not floating or the body has no mirror image; nothing is changed then. */
po_status po_strike_own(double *q, double *v, po_pose2 *place, const po_model *model, int stance);
/* Where `to` is, seen from `from`; mirrored: in a mirror. */
po_pose2 po_pose2_from(po_pose2 from, po_pose2 to, int mirrored);

/* ==== metric =========================================================================================================== */

#define PO_METRIC_JOINTS 32
#define PO_METRIC_FEATURES 160
#define PO_TASK_NAME 32

/* d = velocity |Δv| + spin |Δω| + tilt angle(root) + Σ joints: spin |Δω_i| + turn angle(q_i) (section 4.4.1; the root's tilt is an option). */
typedef struct po_metric_weights {
  double velocity, spin, tilt;  /* of the root: per m/s, per rad/s, per rad */
  int joints;
  struct { char joint[PO_TASK_NAME]; double spin, turn; } joint[PO_METRIC_JOINTS]; /* names without their side stand for both */
} po_metric_weights;

typedef struct po_metric {
  const po_model *model;
  int features;
  int groups;                   /* numbers that count together */
  struct { int first, size, rotation; double weight; } group[2 * PO_METRIC_JOINTS + 3];
  int bodies, body[PO_METRIC_JOINTS];
} po_metric;

/* PO_ERR_NAME when the body lacks a joint that is named, PO_ERR_RANGE when a weight is negative or NaN. */
po_status po_metric_init(po_metric *metric, const po_model *model, const po_metric_weights *weights, po_error *err);
/* What of a state in its own frame counts: `features` numbers. */
void po_metric_features(float *features, const po_metric *metric, const double *q, const double *v);
double po_metric_distance(const po_metric *metric, const float *a, const float *b);
/* The k nearest of n states (rows of `states`), nearest first, equal ones by index; returns how many there are. distance may be NULL. */
int po_metric_nearest(int *nearest, double *distance, int k, const po_metric *metric, const float *states, int n, const float *query);

/* The same answer without looking at every state: the triangle inequality against a few landmarks rules most out. States are borrowed. */
typedef struct po_near po_near;
po_status po_near_new(po_near **near, const po_metric *metric, const float *states, int n);
void po_near_free(po_near *near);
int po_near_find(int *nearest, double *distance, int k, const po_near *near, const float *query);

/* ==== actions ========================================================================================================== */

#define PO_ACTIONS_MAX 64
#define PO_ACTION_SEQUENCES 16
#define PO_ACTION_BALLS 4
#define PO_BALL_SPEED 20.0    /* m/s of balls against the character: five kilograms then lay biped34's bare walk down in a fifth of the throws */

/* One step of a gait, or of two of them blended; turned, sideways, leaning. Given for the left stance; the right stance has its mirror image. In a set of steps of
 * generalized walking (po_actions.gbwc) gaits are "", and po_actions.step says how it walks. */
typedef struct po_action {
  char name[PO_TASK_NAME];
  char gait[PO_TASK_NAME], other[PO_TASK_NAME]; /* other "": none */
  double blend;                 /* share of the other */
  double turn_deg;              /* of the heading in this step, left positive */
  double side_deg, lean_deg;    /* po_simbicon_params */
} po_action;

typedef struct po_gbwc_step { double speed, side_speed, step_time; } po_gbwc_step; /* po_gbwc_params: m/s, m/s, s */

typedef struct po_actions {
  char name[PO_TASK_NAME], body[PO_TASK_NAME], summary[160];
  po_metric_weights weights;
  double eps_trust, eps_new;    /* region and spacing of an exploration */
  int actions;
  po_action action[PO_ACTIONS_MAX];
  int gbwc;                     /* 1: all of them are steps of generalized walking */
  po_gbwc_step step[PO_ACTIONS_MAX];
  double speed_change;          /* m/s: most that the speed asked of a step differs from the body's own when it begins */
  int balls;                    /* kg: strikes after hits by such balls are trusted */
  double ball[PO_ACTION_BALLS];
  int sequences;                /* of actions, whose states are trusted */
  struct { int length; unsigned char action[PO_ACTION_SEQUENCES]; } sequence[PO_ACTION_SEQUENCES];
} po_actions;

/* Errors name file, line and what is wrong: an unknown key, an action that blends itself or mirrors nothing, too many. */
po_status po_actions_parse(po_actions *actions, const char *text, size_t size, const char *file, po_error *err);
/* A built-in set by name (models/actions/NAME.json), or a file whose path ends in .json. */
po_status po_actions_load(po_actions *actions, const char *name, po_error *err);
/* Puts other trusted sequences in the place of the set's own: "walk,walk,left;rest,left,rest", or "none". PO_ERR_NAME, PO_ERR_SIZE; the set is as it was then. */
po_status po_actions_sequences(po_actions *actions, const char *text, po_error *err);
/* Adds the actions of another set of the same body and kind, behind its own. PO_ERR_MODEL, PO_ERR_SIZE; the set is as it was then. */
po_status po_actions_append(po_actions *actions, const po_actions *more);
int po_actions_find(const po_actions *actions, const char *name); /* −1: none */
/* The action that is this one's mirror image; itself when it goes straight on, or when the set has none. */
int po_actions_mirror(const po_actions *actions, int action);
uint64_t po_actions_hash(const po_actions *actions);
/* Whether the move (of po_walker_type) has the set's body and every gait that is named. PO_ERR_NAME, PO_ERR_MODEL. */
po_status po_actions_check(const po_actions *actions, po_move *move, po_error *err);
/* Lets a step of the action begin now on that stance foot; its turn is counted from `heading` (rad). Steps of generalized walking begin from the body as the move's last
 * tick or po_move_enter saw it. */
po_status po_action_begin(po_move *move, const po_actions *actions, int action, int stance, double heading);
/* Lets the step that is under way go on as one of this action: its speeds and its time, or its gaits and its side step, are in force at once; foot, phase and heading stay as they are.
 * PO_ERR_MODEL when steps are taken by something else, PO_ERR_STATE when the action's gait has no such state: the gait goes on as it was. */
po_status po_action_change(po_move *move, const po_actions *actions, int action);

/* ==== walkers ========================================================================================================== */

/* Either po_simbicon_type or po_gbwc_type: what the steps of a set are taken by. */
const po_move_type *po_walker_type(const po_actions *actions);
long po_walker_steps(const po_move *move);                   /* strikes so far */
int po_walker_stance(const po_move *move);                   /* 0 left, 1 right */
/* A state that the action can be begun from: the start of its gait on the left foot, or, for generalized walking, standing, from where the move steps off by itself. */
po_status po_walker_start(double *q, double *v, po_move *move, const po_actions *actions, int action, po_error *err);

/* ==== tasks ============================================================================================================ */

typedef enum po_task_kind { PO_TASK_LINE, PO_TASK_HEADING, PO_TASK_POINT, PO_TASK_POINT_HEADING, PO_TASK_HEADING_SPEED, PO_TASK_ROBUST, PO_TASK_KINDS } po_task_kind;
extern const char *const po_task_names[PO_TASK_KINDS]; /* "line", "heading", … */

#define PO_TASK_AXES 3
#define PO_AXIS_SAMPLES 200

typedef struct po_axis {
  int samples, wraps;           /* wraps: an angle, the last sample has the first for its neighbour */
  double at[PO_AXIS_SAMPLES];   /* ascending, denser near 0 */
} po_axis;

/* Goals w as seen from the character, and the samples at which their values are kept, the last axis fastest:
 *   line (x)   heading (θ)   point (x, y)   point-heading (x, y, θ)   heading-speed (speed, θ)   robust () */
typedef struct po_task {
  po_task_kind kind;
  int axes;
  po_axis axis[PO_TASK_AXES];
} po_task;

/* samples [axes], or NULL for the thesis' 35, 25, 27 x 27, 16 x 16 x 8, 5 x 25. top_speed: the largest of heading-speed, m/s. PO_ERR_RANGE. */
po_status po_task_make(po_task *task, po_task_kind kind, const int *samples, double top_speed);
int po_task_find(const char *name);              /* a kind; −1: none */
int po_task_samples(const po_task *task);        /* in all */
void po_task_at(double *w, const po_task *task, int sample);
/* The sample nearest to a goal along each axis; goals beyond the samples are drawn back along their bearing. */
int po_task_nearest(const po_task *task, const double *w);
/* The goal as seen after a step that led there. */
void po_task_step(double *w, po_task_kind kind, po_pose2 step);
void po_task_mirror(double *w, po_task_kind kind);
/* Where a coordinate lies between the samples of an axis: the lower of its two and the share of the upper; beyond the ends it is the end. */
void po_axis_cell(int *lower, int *upper, double *share, const po_axis *axis, double w);

/* ==== policies ========================================================================================================= */

/* What an action does on the average of all states from which it can be taken, in the frame before it. seconds 0: it never can. */
typedef struct po_usual_step { po_pose2 step; double seconds; } po_usual_step;

/* One per set of actions: the states are kept once, and an action for each of them and each goal of every task it was made for. */
typedef struct po_policy {
  char actions_name[PO_TASK_NAME], body[PO_TASK_NAME];
  uint64_t actions_hash, model_hash;
  po_metric metric;
  int states, actions;
  po_usual_step usual[PO_ACTIONS_MAX];
  float *feature;               /* [states][metric.features] */
  int tasks;
  struct { po_task task; unsigned char *action; } table[PO_TASK_KINDS]; /* action: [states][samples] */
  po_near *near;
} po_policy;

/* A policy without tasks; features [states][those of the set's metric] are copied. */
po_status po_policy_new(po_policy **policy, const po_model *model, const po_actions *actions, const float *features, int states, po_error *err);
/* Adds a task, or puts it in the place of the one of its kind; action [states][samples] is copied. PO_ERR_RANGE: an action that there is not. */
po_status po_policy_add(po_policy *policy, const po_task *task, const unsigned char *action, po_error *err);
void po_policy_free(po_policy *policy);
const po_task *po_policy_task(const po_policy *policy, po_task_kind kind); /* NULL: not made for it */
/* The action for a state's features and a goal, both as the (left) stance foot sees them. −1: not made for this task. distance (may be NULL): how far
 * the nearest known state is. */
int po_policy_choose(double *distance, const po_policy *policy, po_task_kind kind, const float *features, const double *w);

/* Files (models/policies/NAME.policy): what is not for this model and these actions, cut short or altered is refused. Numbers are little-endian. */
/* The name of the set of actions that a file is for. */
po_status po_policy_peek(char name[PO_TASK_NAME], const void *bytes, size_t size, const char *file, po_error *err);
po_status po_policy_write(po_buffer *out, const po_policy *policy);
po_status po_policy_read(po_policy **policy, const po_model *model, const po_actions *actions, const void *bytes, size_t size, const char *file, po_error *err);

#ifdef __cplusplus
}
#endif
#endif
