/* learn.h: examples that were learnt ahead, and what to do by them at a foot strike. Nothing here simulates, and nothing allocates in a query or a plan.
 *
 *   strikes       po_strike_own  po_pose2_from: a state at a foot strike, in the character's own frame
 *   metric        po_metric_init  po_metric_features  po_metric_distance  po_metric_nearest: how far two such states are apart
 *                 po_near_new  po_near_free  po_near_find: the same, faster
 *   actions       po_actions_load  po_actions_sequences  po_actions_append  po_actions_find  po_actions_mirror  po_actions_hash  po_actions_check
 *                 po_action_begin  po_action_change: what there is to choose from
 *   walkers       po_walker_type  po_walker_steps  po_walker_stance  po_walker_start: the move that takes a set's steps
 *   tasks         po_task_make  po_task_find  po_task_samples  po_axis_cell  po_task_at  po_task_step  po_task_mirror: goals as the character sees them
 *   policies      po_policy_new  po_policy_add  po_policy_free  po_policy_task  po_policy_choose: an action for every state and goal
 *                 po_policy_write  po_policy_peek  po_policy_read
 *   steps         po_step_kind_of  po_step_kind_bend: how a step can be bent, or told where to end, as a few numbers
 *                 po_step_state_of  po_step_distance: a body at a strike, as five numbers, or nine
 *   step models   po_step_model_new  po_step_model_free  po_step_model_fit  po_step_model_left_out  po_step_model_possible
 *                 po_step_model_write  po_step_model_read: where a step leads, by examples
 *   planning      po_step_planner_...: which action now, looking some steps ahead over ground with gaps, or onto given stones;  po_step_planning_find
 *
 * A policy (Coros 2010, chapter 4; docs/task-policies.md) knows states and goals: the nearest of both give the action. All is seen from the character (root over the
 * origin, facing along x) and, while it stands on its right foot, in a mirror: left and right are learned once.
 * A step model (chapter 3; docs/constrained-walking.md) knows where steps led that began so and were bent so; a planner chooses by it where feet come down. A step goes from a
 * strike to the next. Everything is measured in the sagittal plane, and as if the left foot stood.
 */
#ifndef PO_LEARN_H
#define PO_LEARN_H

#include "../moves/moves.h"

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

/* A built-in set by name (models/actions/NAME.json), or a file whose path ends in .json. Errors name file, line and what is wrong: an unknown key, an action that blends itself or
 * mirrors nothing, too many. */
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

/* ==== steps: actions and states =============================================================================================== */

#define PO_STEP_ACTION 11    /* numbers of an action, at most */
#define PO_STEP_STATE 9      /* of a state, at most: d, v of the COM over the stance foot; pitch of trunk, stance thigh, swing thigh; */
#define PO_STEP_PLANE 5      /* these are all in a plane. In space: d, v sideways; angle and rate of the trunk about the vertical */
#define PO_STEP_SWAY 6       /* which of them is the speed sideways */
#define PO_STEP_NAME PO_TASK_NAME

/* An action is what a step is bent by: trunk at each knot, swing hip at each knot, stance ankle or knee, time (rad, s; zero: the gait as it is).
 * Planar bodies have two knots and one of the leg, 6 numbers in all; others three and two and, before the time, swing leg outwards and trunk about the vertical, 11. */
typedef struct po_step_kind {
  int actions, states, knots, legs, knee;
  int planar;
  int footholds;             /* 1: of generalized walking, and an action is what po_gbwc_step_to is told; none of the above then */
  double weight[PO_STEP_ACTION]; /* what bending costs: W of the thesis */
  double limit[PO_STEP_ACTION];  /* an action stays within ± this */
  double grip;               /* of every step, see po_step_bend; 0: planar */
  double side;               /* m: distance between the feet, sideways, that learning starts from: that of the base gait takes its place; 0: planar */
} po_step_kind;
#define PO_STEP_GBWC "gbwc"  /* the style of these; all others are SIMBICON's gaits */
po_step_kind po_step_kind_of(const po_model *model, const char *style);
void po_step_kind_bend(po_step_bend *bend, const po_step_kind *kind, const double *action);
#define PO_STEP_STAND 0.97   /* of the straight legs' height: how generalized walking stands before it steps off */

/* The state at a strike: data has kinematics and COM, `stance` is the foot that has just struck, `facing` (rad) the heading that is wanted. As if the left foot stood. */
void po_step_state_of(double s[PO_STEP_STATE], const po_data *data, const po_actor *actor, int stance, double facing);
/* sqrt((s − t)' diag(2, 1, 0.5, 0.5, 0.5; 2, 1, 1, 0.04) (s − t)) */
double po_step_distance(const double *s, const double *t);

/* ==== step models ======================================================================================================== */

typedef struct po_step_example {
  double from[PO_STEP_STATE], action[PO_STEP_ACTION], to[PO_STEP_STATE];
  double length, side, seconds; /* heel to heel, forward and sideways outwards; how long it took */
} po_step_example;

#define PO_STEP_NEAR 25      /* K: examples in whose states a prediction looks */
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
  double (*key)[PO_STEP_STATE]; /* [examples] their states, scaled by the metric: the nearest are found among these */
  po_near *near;
  struct po_step_fit *fit;   /* owned; NULL: none, and plans are not refined; see po_step_model_fit */
  int linear;                /* 1: mixtures are corrected by a local linear fit; 0: the thesis */
} po_step_model;

/* Copies the examples, of which there must be at least PO_STEP_NEAR; PO_ERR_SIZE else. */
po_status po_step_model_new(po_step_model **steps, const po_model *model, const char *style, const po_step_example *example, int examples, po_error *err);
void po_step_model_free(po_step_model *steps);

/* What leaving example i out mispredicts: its length (m), and the state after it by po_step_distance. */
void po_step_model_left_out(double *length, double *state, const po_step_model *steps, int i);
/* What is possible from a state: the nearest examples, and bounds of their actions along the two axes. */
void po_step_model_possible(int near[PO_STEP_NEAR], double lower[2], double upper[2], const po_step_model *steps, const double *s);
/* Fits all examples at once, so that plans are refined (po_step_planner_plan). count³/3 multiplications, and count² numbers of memory for the time being. */
po_status po_step_model_fit(po_step_model *steps, po_error *err);

/* Little-endian, hash at the end. Read back only for the same body; `most` examples are kept, 0: all. Errors name the file. */
po_status po_step_model_write(po_buffer *out, const po_step_model *steps);
po_status po_step_model_read(po_step_model **steps, const po_model *model, const void *bytes, size_t size, int most, const char *file, po_error *err);

/* ==== planning steps ========================================================================================================= */

typedef enum po_step_planning { PO_PLAN_REGULAR, PO_PLAN_RANDOM, PO_PLAN_HYBRID, PO_PLANNINGS } po_step_planning;
int po_step_planning_find(const char *name); /* "regular" "random" "hybrid"; −1: none */

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

#ifdef __cplusplus
}
#endif
#endif
