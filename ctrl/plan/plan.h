/* plan.h: what is computed ahead, or by many simulations.
 *
 *   simulations po_sim_...: a world whose characters have behaviours: their clock, what they feel, what pushes them, who fell
 *   rollouts    po_rollout  po_rollouts: what would happen if, from one saved moment, many times
 *   tuning      po_tune_...: which numbers? asks for points to be tried, is told what they cost
 *   policies    po_explore_...: every action tried from every state that can be reached;  po_task_reward_...  po_task_ends: what a task pays
 *               po_fvi_...: fitted value iteration over them;  po_stepper_free
 *   gaits       po_gait_search_...: a SIMBICON gait's numbers, found by trying
 *   steps       po_step_learn_...: random steps of a body, as examples
 *
 * A planner asks "what if": it takes a simulation to a moment, saves it, and lets it run on from there with other parameters and pushes. Each rollout
 * begins by restoring, so its bits depend on the moment and on the trial and on nothing else; any order gives the same (docs/rollouts.md).
 */
#ifndef PO_PLAN_H
#define PO_PLAN_H

#include "../../contact/contact.h"
#include "../learn/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== simulations ========================================================================================================== */

/* A fall (the scenes' rule as well): a link that may not touches terrain that is ground, or for so long the COM is lower than this share of standing above the
 * ground below it. Touching what is tagged an obstacle or a bar is counted, and no fall; nor is touching other characters and things. */
#define PO_FALL_SHARE 0.45
#define PO_FALL_SECONDS 0.1

#define PO_SIM_PUSHES 32

typedef struct po_push {
  double time, duration;     /* s */
  po_vec3 force;             /* N, world */
  const char *link;          /* pushed at its COM; NULL: the thorax, or the root of a body without one */
  int character;
} po_push;

#define PO_SIM_THROWS 64

/* A thing that is put somewhere and let go. Until its first throw it is parked (po_world_set_active): it costs nothing and touches nothing. */
typedef struct po_throw {
  double time;               /* s */
  int thing;                 /* a character that has no move and floats */
  int target;                /* −1: position and velocity are the world's; else relative to the COM of this character and its motion, x along its heading */
  po_vec3 position, velocity; /* m, m/s of its origin; level and without spin */
} po_throw;

typedef struct po_fall {
  double at;                 /* s; < 0: it has not fallen */
  int body;                  /* what touched the ground; −1: the COM sank */
  double height;             /* of the COM over the ground then */
} po_fall;

typedef struct po_sim_opts {
  double dt;                 /* s of a step: 0.001 */
  double control_hz;         /* ticks per second, rounded to a whole number of steps; torques are held in between: 1000 */
  int optimizer;             /* 1: bodies move by their control's own accelerations (paper 1, section 9), where they have one; or go where their move puts them (po_move.placed_q) */
} po_sim_opts;
po_sim_opts po_sim_opts_default(void);

typedef struct po_sim_character { /* one per character of the world */
  po_move *move;             /* NULL: a thing; it does not fall */
  unsigned may_touch;        /* patches that may touch the ground: PO_BOTH_FEET. Feet are the links foot… and toes… */
  double *tau;               /* [nv] of the last tick, held until the next */
  double *peak;              /* [nv] largest |tau| so far */
  po_feet feet;              /* what it felt in the last step */
  po_vec3 push;              /* N: what pushed it in the last step */
  int pushed;                /* 1: something did */
  double *external;          /* [nv] the generalized force of it */
  int push_body;             /* the link that was pushed last; several at once count as one push on the last of them */
  po_fall fall;
  double low_since;          /* s since when the COM has been too low; < 0: it is not */
  long touched;              /* how often it began to touch an obstacle or a bar */
  int touching;              /* 1: it did in the last step */
  int touch_body, touch_box; /* the link and the terrain's box of the last touch; −1: none yet */
} po_sim_character;

typedef struct po_sim {
  po_world *world;           /* borrowed, as the moves are */
  const po_terrain *terrain;
  po_sim_opts opts;
  int control_every;         /* steps between ticks */
  long steps, ticks;
  double time;               /* s: steps times dt */
  int controlled;            /* 1: the last step began with a tick */
  int characters;
  po_sim_character *character;
  po_push push[PO_SIM_PUSHES];
  int push_body[PO_SIM_PUSHES], pushes;
  po_throw thrown[PO_SIM_THROWS]; /* in the order they were asked for */
  int throws;
  const double **qdd;        /* [characters] scratch of a step */
} po_sim;

/* Over a world that has all its characters, each still without a move. The terrain is what falls are measured against; NULL: none, nobody falls. */
size_t po_sim_bytes(const po_world *world);
po_status po_sim_init(po_sim *sim, po_world *world, const po_terrain *terrain, const po_sim_opts *opts, void *mem, size_t bytes);
po_status po_sim_new(po_sim **sim, po_world *world, const po_terrain *terrain, const po_sim_opts *opts);
void po_sim_free(po_sim *sim); /* world and moves are not its own; NULL is fine */

/* The behaviour of a character from the next step on. PO_ERR_MODEL when it was made for another body. */
po_status po_sim_set_move(po_sim *sim, int character, po_move *move);
/* One more push, at a time of the simulation. PO_ERR_NAME when there is no such link, PO_ERR_RANGE, PO_ERR_SIZE when there are too many. */
po_status po_sim_push(po_sim *sim, const po_push *push, po_error *err);
void po_sim_clear_pushes(po_sim *sim);
/* One more throw. PO_ERR_RANGE when there is no such thing or target or its time has passed, PO_ERR_MODEL when it has a move or does not float. */
po_status po_sim_throw(po_sim *sim, const po_throw *wanted, po_error *err);
void po_sim_clear_throws(po_sim *sim); /* things stay where they are */
/* One step: throws, pushes, ticks that are due, held torques, the world, then who fell. po_world_data then holds kinematics and COM of every character with
 * a move. err says what failed, the world or whose control. */
po_status po_sim_step(po_sim *sim, po_error *err);

/* World, moves, held torques, clock, falls; not the pushes and throws. Restored only into one of the same bodies, kinds of moves, dt and control_hz: PO_ERR_MODEL,
 * and nothing has changed, for another. */
size_t po_sim_save_bytes(const po_sim *sim);
po_status po_sim_save(void *state, size_t bytes, const po_sim *sim);
po_status po_sim_restore(po_sim *sim, const void *state, size_t bytes);

/* ==== rollouts ========================================================================================================= */

typedef struct po_trial_setting { int character; const char *name; double value; } po_trial_setting;

/* What one rollout does differently. */
typedef struct po_trial {
  const void *start;         /* a saved simulation to begin from; NULL: go on from where it is */
  size_t bytes;
  double seconds;            /* at most */
  const po_trial_setting *set; int sets; /* parameters of moves */
  const po_push *push; int pushes;       /* times are counted from the beginning of the rollout */
} po_trial;

/* After every step: 0 goes on, anything else ends the rollout and is its verdict. time: s since it began. */
typedef int (*po_trial_fn)(void *user, const po_sim *sim, const po_trial *trial, double time);

typedef struct po_trial_result {
  int verdict;               /* the callback's; 0: time ran out */
  double time;               /* s it took */
  long steps;
  int fell;                  /* somebody fell in it */
  uint64_t hash;             /* of the world at its end */
} po_trial_result;

/* judge NULL: ends when somebody falls (verdict 1) or time runs out (0). */
po_status po_rollout(po_trial_result *result, po_sim *sim, const po_trial *trial, po_trial_fn judge, void *user, po_error *err);
/* n of them, one after the other. Nothing allocates. The first that fails ends it; err says which. */
po_status po_rollouts(po_trial_result *result, po_sim *sim, const po_trial *trial, int n, po_trial_fn judge, void *user, po_error *err);

/* ==== tuning: which numbers? (docs/tune.md) =============================================================================== */

/* A search over numbers. It says which points are to be tried next and is told what each cost; who tries them, where and in which order is the caller's
 * business. No clock, no threads, no files: same seed and costs, same points, to the bit.
 *
 *   po_tune_new(&t, unknown, n, NULL, &err);
 *   while (evaluations < budget && (count = po_tune_ask(t)) > 0) {
 *     for (i = 0; i < count; i++) cost[i] = what(po_tune_point(t, i));
 *     po_tune_tell(t, cost, NULL, &err);
 *   }
 *   po_tune_best(t, 0)->x
 *
 * Only the order of costs counts, so any scale will do. A point that breaks a rule has a violation > 0: it comes after all that break none, whatever it costs,
 * and the less it breaks them the better. A cost or violation that is not finite is worse than any that is. */

#define PO_TUNE_UNKNOWNS 1000    /* at most */
#define PO_TUNE_POPULATION 16384 /* points of a generation, at most, restarts included */
#define PO_TUNE_COSTS 4

typedef enum po_tune_method {
  PO_TUNE_CMA,               /* evolution strategy that adapts a covariance (Hansen 2016); several costs: a population of them (Igel, Hansen and Roth 2007) */
  PO_TUNE_NELDER_MEAD,       /* a simplex that creeps downhill (Nelder and Mead 1965): for comparison, and for few unknowns */
  PO_TUNE_RANDOM,            /* points anywhere between the bounds: for comparison */
  PO_TUNE_METHODS
} po_tune_method;
extern const char *const po_tune_method_names[PO_TUNE_METHODS]; /* "cma" "nelder-mead" "random" */

typedef enum po_tune_scaling { PO_TUNE_AUTO, PO_TUNE_LINEAR, PO_TUNE_LOG } po_tune_scaling; /* AUTO: LOG when 0 < 20 lower < upper */

typedef struct po_tune_unknown {
  double lower, upper;       /* searched between, by mirroring; ±infinity: no bound */
  double start;              /* where the search begins; NaN: in the middle. Needed when there is no bound */
  double scale;              /* first standard deviation, in the unknown's unit; 0: opts.spread of the range. Needed when there is no bound */
  int integer;               /* 1: whole numbers only */
  po_tune_scaling scaling;   /* LOG: its logarithm is searched; bounds and start must be positive */
} po_tune_unknown;

typedef struct po_tune_opts {
  po_tune_method method;
  int costs;                 /* 1; 2 ... PO_TUNE_COSTS: a front, of points of which none is better than another in every cost */
  int population;            /* points of a generation; 0: 4 + 3 ln n, of a front 16 */
  double spread;             /* first standard deviation as a share of the range, or of its logarithm's: 0.2 */
  int diagonal;              /* 1: of the covariance only the diagonal, which few evaluations can learn; 0: all of it up to 60 unknowns */
  int restarts;              /* how often a search that has come to rest begins again, with twice the population: 5 */
  double tol_cost, tol_x;    /* at rest: recent best costs differ by less; steps are below this share of the first: 1e-11, 1e-11 */
  int repeats;               /* 1: a point costs what it costs. More: costs are noisy, and are means of as many draws as the order needs, at most so many */
  uint64_t seed;
} po_tune_opts;
po_tune_opts po_tune_opts_default(void);

typedef struct po_tune_found { /* a point that was told */
  const double *x;           /* [unknowns] */
  double cost[PO_TUNE_COSTS], violation;
  long generation;           /* in which it was tried */
} po_tune_found;

typedef struct po_tune_status {
  long generation;           /* told so far */
  long evaluations;          /* points told so far */
  int restarts;              /* so far */
  int population;            /* of the generation under way */
  int repeats;               /* draws that a cost is to be the mean of; 1 without noise */
  double step;               /* the standard deviations now, as shares of the first: their geometric mean */
  double condition;          /* of the covariance: the largest standard deviation over the smallest */
} po_tune_status;

typedef struct po_tune po_tune;

/* Lives in the block it is given. PO_ERR_BOUNDS, PO_ERR_RANGE, PO_ERR_SIZE: err says which unknown or option is wrong. opts NULL: defaults. */
size_t po_tune_bytes(int unknowns, const po_tune_opts *opts);
po_status po_tune_init(po_tune **tune, const po_tune_unknown *unknown, int unknowns, const po_tune_opts *opts, void *mem, size_t bytes, po_error *err);
po_status po_tune_new(po_tune **tune, const po_tune_unknown *unknown, int unknowns, const po_tune_opts *opts, po_error *err);
void po_tune_free(po_tune *tune); /* of po_tune_new; NULL is fine */

/* How many points are to be tried now: a generation. The same ones until they are told. 0: at rest, with no restart left. */
int po_tune_ask(po_tune *tune);
const double *po_tune_point(const po_tune *tune, int i); /* [unknowns], within bounds, whole where it must be */
/* With noise: which draw the i-th point's first is; it has po_tune_status.repeats of them. Chance (seeds of noise, starts) is to follow from it alone. */
long po_tune_draw(const po_tune *tune, int i);
/* What the points cost: cost [points][costs]; violation [points], NULL: none breaks a rule. PO_ERR_STATE when nothing was asked. */
po_status po_tune_tell(po_tune *tune, const double *cost, const double *violation, po_error *err);

/* The best point so far (the first of equals; with noise the centre of the search is what to trust, po_tune_centre); of a front the i-th of its points, by
 * the first cost. NULL past the last, or before anything was told. Lasts until the next tell. */
const po_tune_found *po_tune_best(const po_tune *tune, int i);
const double *po_tune_centre(const po_tune *tune); /* [unknowns]: where the search is, in the unknowns' units; of a front its first point's place */
po_tune_status po_tune_state(const po_tune *tune);
po_tune_opts po_tune_options(const po_tune *tune); /* it was made with */

/* As of every other object: flat bytes, refused when they are not of a search with the same unknowns and options. */
size_t po_tune_save_bytes(const po_tune *tune);
po_status po_tune_save(void *state, size_t bytes, const po_tune *tune);
po_status po_tune_restore(po_tune *tune, const void *state, size_t bytes);

/* Hypervolume that n points [n][costs] dominate below `reference`: how good a front is. Points not below it in every cost count for nothing. n at most 256; one
 * cost: the gap to the best. */
double po_tune_hypervolume(const double *cost, int n, int costs, const double *reference);

/* ==== policies: every action from every state that can be reached (Coros 2010, section 4.4.1): docs/task-policies.md ===== */

/* A step (s, a) leads to s', which lies among the known states: its value is a weighted mean over the nearest ones (1/d²), and multilinear between the
 * samples of the goals. For one step both the neighbours and the shift of the goal are the same at all samples; so the neighbours' values are blended
 * once, and the blend is resampled once. That is what a sweep does; po_fvi_value is the plain way, and a test holds the two together.
 * A step begins on the left foot and ends on the right one: s' is seen in a mirror (po_strike_own), and so must w' be.
 *
 *   V(s, w) = max_a (1 − ρ)(R(s, w, a) + γ^ΔT V(s', w')), again and again (section 4.4.3) */
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

/* Trusted states are known to be good: where the actions' own cycles settle, and what scripted sequences of actions pass through. A step from a known state
 * is kept when it ends within eps_trust of a trusted state; where it ends becomes a state of its own when it is farther than eps_new from all that are
 * known. Within a round every (state, action) is simulated from its state alone, and results are taken in the order (state, action): any number of
 * processes finds the same. */
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
/* What takes the steps of a set of actions, one at a time. */
typedef struct po_stepper po_stepper;
void po_stepper_free(po_stepper *stepper);
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

/* What a task pays: R of its kind over an exploration; user of po_fvi_problem is the po_task_reward. */
typedef struct po_task_reward {
  const po_exploration *exploration;
  po_task_kind kind;
  int walk;                     /* state of the forward walk's cycle; −1: none */
  double speed_band;            /* m/s: speeds that are so near to a sample of heading-speed are met wherever in its cell the goal lies */
} po_task_reward;
int po_task_ends(po_task_kind kind); /* 1: po_fvi_problem.ends */
po_task_reward po_task_reward_of(const po_exploration *exploration, const po_task *task);
double po_task_reward_at(void *user, const po_fvi_step *step, const double *w);

/* ==== gaits: a SIMBICON gait's numbers, found by trying: docs/simbicon.md ================================================ */

/* A gait is judged by rollouts from several starts, each with its own noise and push: by how long it stays up, then by how far its speed is from
 * what is asked, then by effort. The search is po_tune's, of its covariance the diagonal: knots of the legs and the root, feedback gains and the duration of
 * states vary. Same options, same bits. */
#define PO_GAIT_SEARCH_STARTS 16

typedef struct po_gait_search_opts {
  double speed;              /* m/s wanted, forward; NaN: any */
  double seconds;            /* of a rollout */
  double push;               /* N, for 0.1 s, once in each rollout but the first, from another side each; 0: none */
  double spread;             /* how far numbers vary at first, as a share of their scales: 0.05 rad, a tenth of gains and durations */
  int starts;                /* rollouts of a gait */
  int rounds, population;    /* generations, gaits in one */
  uint64_t seed;
} po_gait_search_opts;
po_gait_search_opts po_gait_search_opts_default(void);

typedef struct po_gait_cost {
  double cost;               /* below 1: never fell; 1 … 2: by how much of the time it was down */
  double upright;            /* share of the time asked for that it stayed up */
  double speed;              /* m/s, mean of those that did not fall */
  double effort;             /* mean of the torques' squares, as shares of weight times standing height */
} po_gait_cost;

typedef struct po_gait_search po_gait_search;
po_status po_gait_search_new(po_gait_search **search, const po_model *model, const po_gait_search_opts *opts, po_error *err);
void po_gait_search_free(po_gait_search *search);
po_status po_gait_search_judge(po_gait_cost *cost, po_gait_search *search, const po_gait_table *gait, po_error *err);
/* Starts from `gait` and leaves the best there. seed counts beside opts' own: independent searches differ by it alone. */
po_status po_gait_search_run(po_gait_table *gait, po_gait_cost *cost, po_gait_search *search, uint64_t seed, po_error *err);

/* ==== steps: random ones of a body, as examples (Coros 2010, section 3.3.2): docs/constrained-walking.md ================= */

/* Lengths l_1 … l_n are wanted. A window of some steps is optimized together, min Σ (l_k(A) − l_k)² + γ A'WA; then its first step is final and the window moves on
 * by one. */
#define PO_STEP_WINDOW 5
typedef enum po_step_method { PO_STEPS_GAUSS_NEWTON, PO_STEPS_GRADIENT } po_step_method;

typedef struct po_step_search_opts {
  po_step_method method;
  int window, rounds;        /* 3; 4 (gradient: 15): steps that are tried per window */
  double gamma;              /* 0.1: weight of staying near the base action */
  double difference;         /* rad, of finite differences: 0.01 */
} po_step_search_opts;
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
