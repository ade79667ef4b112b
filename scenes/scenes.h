/* scenes.h: the worlds and scenarios that tests, benches, examples and the program share.
 *
 *   scenarios     po_scenarios  po_scenario_find
 *   a run         po_run_opts_default  po_run_new  po_run_step  po_run_finish  po_run_free
 *   reading it    po_run_report (JSON)  po_run_result  po_run_hash
 *   a map of pushes: push_map.h;  recordings and pictures of a run: view/view.h
 *
 * A scenario sets a world up, drives it tick by tick and judges it. A run is one scenario with its options: model, seed, parameters,
 * changes while running, pushes. Nothing allocates between po_run_new and po_run_finish.
 */
#ifndef PO_SCENES_H
#define PO_SCENES_H

#include "../contact/contact.h"
#include "../ctrl/moves/moves.h"
#include "push_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct po_run po_run;

/* Parameters of a scenario: several tables over one block (a controller's own, and the scene's). */
typedef struct po_param_group {
  const po_param *table;
  const int *count;          /* by address, so that tables of other files can be named in a constant */
  size_t offset;             /* of the group's struct within the block */
} po_param_group;
typedef struct po_text_param { const char *name, *fallback, *meaning; } po_text_param;

typedef struct po_scenario {
  const char *name, *summary;
  const char *success;       /* when it counts as done, in words */
  const char *model;         /* default body; NULL: the scene brings its own things */
  double seconds, dt, control_hz;
  po_param_group group[3];   /* unused ones are zero */
  const po_text_param *text; /* ended by a NULL name; may be NULL */
  size_t params_bytes, state_bytes;
  po_status (*init)(po_run *run, po_error *err);
  po_status (*control)(po_run *run);       /* at the control rate: writes torques; may be NULL */
  void (*observe)(po_run *run);            /* after every step; may be NULL */
  int (*finished)(po_run *run);            /* ends the run early; may be NULL */
  void (*judge)(po_run *run);              /* writes results, sets the outcome */
  void (*destroy)(po_run *run);            /* may be NULL */
  void (*changed)(po_run *run);            /* a parameter was changed while running; may be NULL */
} po_scenario;

extern const po_scenario *const po_scenarios[]; /* ended by NULL */
const po_scenario *po_scenario_find(const char *name);

typedef enum po_outcome { PO_RUNNING, PO_SUCCESS, PO_FELL, PO_FAILED } po_outcome;
const char *po_outcome_string(po_outcome outcome); /* "running" "success" "fell" "failed" */

typedef struct po_setting { const char *name, *value; } po_setting;
typedef struct po_change { double time; const char *name, *value; } po_change;
typedef struct po_push { double time, duration; po_vec3 force; const char *link; } po_push; /* link NULL: thorax, else the root */

typedef struct po_run_opts {
  double seconds, dt, control_hz; /* 0: the scenario's own */
  uint64_t seed;                  /* 0: no noise; else uniform ±0.05 on every initial velocity */
  const char *model;              /* a built-in body's name or a .urdf file; NULL: the scenario's own */
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
#define PO_RUN_RESULTS 24
#define PO_RUN_PUSHES 32

/* Someone who looks on: a recording (view/). Every member may be NULL. */
typedef struct po_watcher {
  void *user;
  void (*step)(void *user, po_run *run);   /* after every step */
  void (*finish)(void *user, po_run *run); /* when the run has been judged */
  void (*free)(void *user);                /* with the run */
} po_watcher;

struct po_run {
  const po_scenario *scenario;
  po_run_opts opts;
  const po_model *model;          /* of character 0; owned */
  const po_model *spare[2];       /* models a scene made; owned */
  po_terrain *terrain;            /* owned; NULL: flat */
  po_world *world;
  void *params, *state;
  po_setting text[8];             /* text parameters in force */
  /* clockwork */
  long steps, total_steps;
  int control_every;              /* steps between control ticks */
  long control_ticks;
  int next_change;
  double time, sim_seconds, wall_seconds;
  /* verdict */
  po_outcome outcome;
  double fell_at;                 /* < 0: not */
  char reason[200];
  int result_count;
  struct { const char *name; double value; int is_null; } result[PO_RUN_RESULTS];
  /* what the present tick looks like to reports and recordings */
  po_wbc *wbc;                    /* of the controller at work; NULL: none */
  const po_vec3 *com_target;      /* NULL: none */
  double standing_height;         /* of character 0 */
  double *peak_torque;            /* nv of character 0 */
  double low_since;               /* time since which the COM has been too low; < 0: it is not */
  double complementarity;         /* largest residual of the contact solves, m/s */
  long unconverged;               /* steps in which a contact solve stayed above the world's tolerance */
  double force_correction, moment_correction; /* largest of po_world_report */
  float *profile[PO_PHASES];      /* µs per step */
  po_watcher watcher;
  const po_push_map *map;         /* of a push-map; NULL: none */
  double *noise;                  /* scratch, nv */
};

/* Makes everything ready. On failure *run is NULL and err tells why. */
po_status po_run_new(po_run **run, const po_scenario *scenario, const po_run_opts *opts, po_error *err);
/* One simulation step with what control is due; 0 when the run is over. */
int po_run_step(po_run *run);
/* Judges and fills the outcome; may be called early (an interrupted run). */
void po_run_finish(po_run *run);
void po_run_free(po_run *run);
/* The report of DESIGN section 4. */
void po_run_report(po_buffer *out, const po_run *run);
uint64_t po_run_hash(const po_run *run);
/* One figure of the report's `result`; NaN when there is none of that name. */
double po_run_result(const po_run *run, const char *name);

/* ---- for scenarios ---- */
void po_run_set_result(po_run *run, const char *name, double value); /* NaN is written as null */
void po_run_fail(po_run *run, po_outcome outcome, const char *format, ...) PO_PRINTF(3, 4);
const char *po_run_text(const po_run *run, const char *name);
/* Adds the run's model to the world as character 0 in its zero pose with seeded noise on the velocities. */
po_status po_run_add_noise(po_run *run, int character);

#ifdef __cplusplus
}
#endif
#endif
