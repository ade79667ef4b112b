/* scenes.h: the worlds and scenarios that tests, benches, examples and the program share.
 *
 *   scenarios     po_scenarios  po_scenario_find  po_scenario_param
 *   a run         po_run_opts_default  po_run_new  po_run_step  po_run_finish  po_run_free
 *   its state     po_run_save_bytes  po_run_save  po_run_restore
 *   reading it    po_run_report (JSON)  po_run_result  po_run_hash  po_run_key  po_run_move  po_run_wbc  po_run_was_set
 *   recording it  po_run_record  po_run_trace  po_run_motion_new  po_run_motion_step  po_run_motion_finish
 *   maps          of pushes and of reach: push_map.h, reach_map.h;  po_push_map_svg  po_push_map_html  po_reach_map_svg  po_reach_map_html
 *
 * A scenario sets a world up, has behaviours drive its characters, and judges. A run is one scenario with its options: model, seed, parameters,
 * changes while running, pushes. Nothing allocates between po_run_new and po_run_finish (a reach-map: each of its
 * cells is a run of its own).
 */
#ifndef PO_SCENES_H
#define PO_SCENES_H

#include "../ctrl/plan/plan.h"
#include "../view/view.h"
#include "push_map.h"
#include "reach_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct po_run po_run;

/* ==== scenarios ======================================================================================================== */

typedef struct po_text_param {
  const char *name, *fallback, *meaning;
  /* The text is a set of values for the behaviour's parameters (a style): puts them there. NULL: the scene reads it itself. */
  po_status (*apply)(void *move_params, const po_move_type *type, const char *value, po_error *err);
} po_text_param;

/* Work of independent units (a map): each an index that becomes bytes, by whoever does it; joined in order (cli/jobs.h). */
typedef struct po_study {
  int (*units)(const po_run *run);
  po_status (*prepare)(po_run *run, po_error *err);      /* before the first unit: what all of them begin from */
  po_status (*unit)(po_run *run, po_buffer *out, int index, po_error *err);
  po_status (*join)(po_run *run, int index, const char *bytes, size_t size, po_error *err);
} po_study;

/* A goal as recordings show it. */
typedef struct po_goal_mark {
  int kind;                  /* 0: none, 1: a point on the ground, 2: a line across x, 3: a heading alone */
  double x, y, heading;      /* m, rad, world; heading NaN: none */
} po_goal_mark;

/* The plan that is followed, as recordings show it beside the body. */
typedef struct po_follow_mark {
  double phase;              /* segments done, and the share of this one */
  po_vec3 force, at;         /* sum of the planned contact forces, N, and their centre of pressure */
  po_vec3 goal, foothold;    /* where the COM is to be at the segment's end, and the foot that steps (else under the goal) */
} po_follow_mark;

#define PO_PLAN_MARKS 80     /* of one plan, at most */

/* Fill one in by name (.judge = ...): what is left out is not needed. */
typedef struct po_scenario {
  const char *name, *summary;
  const char *success;       /* when it counts as done, in words */
  const char *model;         /* default body; NULL: the scene brings its own things */
  const char *move;          /* what character 0 does: the name of a behaviour or of a preset; its parameters are the scenario's. NULL: nothing, or init sees to it */
  double seconds, dt, control_hz;
  double optimizer_hz;       /* > 0: with --advance optimizer the behaviour puts the body where it should be, pushes included, so many times a second */
  unsigned may_touch;        /* patches that may touch the ground without it being a fall; 0: both feet */
  /* the scene's own parameters, beside the behaviour's: a struct of doubles */
  const po_param *param;
  int params, params_bytes;
  int live;                  /* 1: they may change while running */
  const po_text_param *text; /* ended by a NULL name */
  int state_bytes;           /* of the scene's own state: numbers only, since it is saved as bytes */
  const char *(*body)(const po_run *run);  /* the default body, when it depends on text parameters */
  const char *(*behaviour)(const po_run *run); /* `move`, when it depends on text parameters */
  po_status (*init)(po_run *run, po_error *err);
  po_status (*before)(po_run *run);        /* before every step */
  void (*observe)(po_run *run);            /* after every step */
  int (*finished)(const po_run *run);      /* ends the run early */
  void (*judge)(po_run *run);              /* writes results, sets the outcome */
  void (*destroy)(po_run *run);            /* of what init allocated besides world, terrain, models and moves */
  const char *(*stage)(const po_run *run); /* what is being done, for recordings: names that last as long as the run; NULL: nothing to say */
  void (*goal)(po_goal_mark *mark, const po_run *run); /* likewise, where to */
  void (*follow)(po_follow_mark *mark, const po_run *run); /* likewise, the plan that is followed */
  /* The marks [PO_PLAN_MARKS] of the plan under way; returns how many. *serial counts plans. */
  int (*marks)(po_mark *mark, long *serial, const po_run *run);
  void (*changed)(po_run *run, const char *name); /* a parameter was changed while running; the behaviour knows already */
  const po_study *study;     /* the run is made of units, not of steps */
} po_scenario;

extern const po_scenario *const po_scenarios[]; /* ended by NULL */
const po_scenario *po_scenario_find(const char *name);
/* The index-th parameter that is a number, the behaviour's first; NULL past the last. *fallback: the default that runs, presets and styles included. */
const po_param *po_scenario_param(double *fallback, const po_scenario *scenario, int index);

/* ==== a run ============================================================================================================ */

typedef enum po_outcome { PO_RUNNING, PO_SUCCESS, PO_FELL, PO_FAILED } po_outcome;
const char *po_outcome_string(po_outcome outcome); /* "running" "success" "fell" "failed" */

typedef struct po_setting { const char *name, *value; } po_setting;
typedef struct po_change { double time; const char *name, *value; } po_change;

typedef struct po_run_opts {
  double seconds, dt, control_hz; /* 0: the scenario's own */
  uint64_t seed;                  /* 0: no noise; else uniform ±0.05 on every initial velocity */
  const char *model;              /* a built-in body's name or a .urdf file; NULL: the scenario's own */
  const char *map;                /* file that says what the model's parts are; NULL: they are found (rbd/map.h) */
  const struct po_paths *paths;   /* where the meshes of a model's file are looked for; NULL: beside it */
  const char *models;             /* folder of data that is not compiled in (policies/NAME.policy); NULL: "models" */
  const po_setting *set; int sets;
  const po_change *at; int ats;
  const po_push *push; int pushes;
  int optimizer;                  /* 1: advance by the optimizer's accelerations (paper 1, section 9) */
  po_wbc_opts wbc;
  po_clock_fn clock;              /* NULL: no times in the report */
  const char *command;            /* what repeats the run, for recordings; NULL: unknown */
  po_buffer *dump;                /* control problems are written here as .hqp; NULL: none */
} po_run_opts;
po_run_opts po_run_opts_default(void);

enum { PO_PHASE_KINEMATICS, PO_PHASE_DYNAMICS, PO_PHASE_PROBLEM, PO_PHASE_SOLVE, PO_PHASE_CONTACT, PO_PHASE_INTEGRATE, PO_PHASES };
#define PO_RUN_RESULTS 48
#define PO_RUN_TEXTS 8
#define PO_RUN_MODELS 96
#define PO_RUN_MOVES 64

/* Someone who looks on: a recording (view/). Every member may be NULL. */
typedef struct po_watcher {
  void *user;
  void (*step)(void *user, po_run *run);   /* after every step */
  void (*finish)(void *user, po_run *run); /* when the run has been judged */
  void (*free)(void *user);                /* with the run */
} po_watcher;

typedef struct po_verdict {
  po_outcome outcome;
  double fell_at;                 /* < 0: not */
  char reason[200];
} po_verdict;

struct po_run {
  const po_scenario *scenario;
  po_run_opts opts;
  const po_model *model;          /* of character 0; owned */
  const po_model *spare[PO_RUN_MODELS]; /* models a scene made; owned */
  po_terrain *terrain;            /* owned; NULL: flat */
  po_world *world;                /* owned */
  po_sim *sim;                /* owned; NULL: a study, which has its own */
  po_move *move[PO_RUN_MOVES];    /* owned; the first is the scenario's `move` */
  const po_move_type *type;       /* of the scenario's `move`; NULL: none */
  po_preset preset;               /* of that */
  void *params, *move_params, *state;
  void *kept;                     /* what a scene's init made besides its state: not saved, freed by its destroy */
  po_setting text[PO_RUN_TEXTS];  /* text parameters in force */
  int texts;
  /* clockwork */
  long steps, total_steps;
  int next_change, units_done;
  double time, sim_seconds, wall_seconds;
  /* verdict */
  po_outcome outcome;
  double fell_at;                 /* < 0: not */
  po_buffer note;                 /* what was done about the model's parts; empty: nothing */
  char reason[200];
  po_verdict *verdict;            /* [characters]; those of things stay running */
  int result_count;
  struct { const char *name; double value; int is_null; } result[PO_RUN_RESULTS];
  double complementarity;         /* largest residual of the contact solves, m/s */
  long unconverged;               /* steps in which a contact solve stayed above the world's tolerance */
  double force_correction, moment_correction; /* largest of po_world_report */
  float *profile[PO_PHASES];      /* µs per step */
  po_watcher watcher;
  const po_push_map *map;         /* of a push-map; NULL: none */
  const po_reach_map *reach;      /* of a reach-map; NULL: none */
  uint64_t study_hash;
  po_buffer unit;                 /* of a study: the bytes of the unit under way */
};

/* Makes everything ready. On failure *run is NULL and err tells why. */
po_status po_run_new(po_run **run, const po_scenario *scenario, const po_run_opts *opts, po_error *err);
/* One simulation step with what control is due, or one unit of a study; 0 when the run is over. */
int po_run_step(po_run *run);
/* Judges and fills the outcome; may be called early (an interrupted run). */
void po_run_finish(po_run *run);
void po_run_free(po_run *run);

/* The whole run, but for its recording and profile: what follows is the same to the bit. Restored into a run made the same way. */
size_t po_run_save_bytes(const po_run *run);
po_status po_run_save(void *state, size_t bytes, const po_run *run);
po_status po_run_restore(po_run *run, const void *state, size_t bytes);

/* The report (README): one JSON object. */
void po_run_report(po_buffer *out, const po_run *run);
uint64_t po_run_hash(const po_run *run);
/* Hash of all that decides what happens: scenario, model, parameters, options. */
uint64_t po_run_key(const po_run *run);
/* One figure of the report's `result`; NaN when there is none of that name. */
double po_run_result(const po_run *run, const char *name);
/* The behaviour of a character, and its whole-body control; NULL: none. */
po_move *po_run_move(const po_run *run, int character);
po_wbc *po_run_wbc(const po_run *run, int character);
/* The run's index-th parameter that is a number, the behaviour's first (NULL past the last), and its value; whether the options have set one by its name. */
const po_param *po_run_param_at(const po_run *run, int index);
double po_run_param(const po_run *run, int index);
int po_run_was_set(const po_run *run, const char *name);

/* ---- recording it ---- */

/* From now on at `hz` frames per second (at most that of its steps). The recording belongs to the run and is freed with it. */
po_status po_run_record(po_run *run, double hz, po_error *err);
const po_trace *po_run_trace(const po_run *run); /* NULL: it is not recorded */

/* Character 0 of a run as a motion, at the rate nearest to hz that its steps allow: call the second before the first step and after every one, the
 * third when the run is over. The run's model must outlive it. Nothing allocates after the first. */
po_status po_run_motion_new(po_motion **motion, const po_run *run, double hz, po_error *err);
void po_run_motion_step(po_motion *motion, po_run *run);
void po_run_motion_finish(po_motion *motion);

/* ---- maps as pictures ---- */

void po_push_map_svg(po_buffer *out, const po_push_map *map);   /* polar plots, one per phase */
/* A page: the plots and the table, and below them replays of the push at which the methods differ most. Runs it anew, so it takes a moment. */
void po_push_map_html(po_buffer *out, const po_run *run);
void po_reach_map_svg(po_buffer *out, const po_reach_map *map); /* a grid of cells */
void po_reach_map_html(po_buffer *out, const po_reach_map *map); /* the grid, and why cells failed */

/* ==== for scenarios ==================================================================================================== */

const po_terrain *po_run_ground(const po_run *run);
/* The `apply` of a text that is a style of walking; other behaviours have none and stay as they are. */
po_status po_scene_style(void *move_params, const po_move_type *type, const char *style, po_error *err);
/* A plane that rises along x by so much (rad), in place of flat ground. */
po_status po_run_tilt(po_run *run, double slope, po_error *err);
/* (Other grounds: ground.h.) The world over that ground; with_model: character 0 is the run's model. opts NULL: defaults. */
po_status po_run_world(po_run *run, const po_world_opts *opts, int with_model, po_error *err);
/* After all characters are there: the simulation, with pushes; the scenario's behaviour made and given to character 0. */
po_status po_run_sim(po_run *run, po_error *err);
/* Gives a character a behaviour, which the run frees. */
po_status po_run_add_move(po_run *run, int character, po_move *move, po_error *err);
/* Seeded noise on a character's velocities. */
void po_run_add_noise(po_run *run, int character);
void po_run_set_result(po_run *run, const char *name, double value); /* NaN is written as null; too many results fail the run */
void po_run_fail(po_run *run, po_outcome outcome, const char *format, ...) PO_PRINTF(3, 4);
void po_run_fail_character(po_run *run, int character, po_outcome outcome, const char *format, ...) PO_PRINTF(4, 5);
const char *po_run_text(const po_run *run, const char *name);

#ifdef __cplusplus
}
#endif
#endif
