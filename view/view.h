/* view.h: what a run looked like, frame by frame, for replay pages and filmstrips (docs/replay.md); maps as pictures.
 *
 *   recording     po_trace_attach  po_run_trace  po_trace_free  po_motion_trace  po_motion_record_...
 *   files         po_trace_write  po_trace_read  po_trace_csv   (JSON, `poise run --trace`, `poise replay`)
 *   pages         po_trace_html
 *   filmstrips    po_filmstrip_opts_default  po_trace_svg
 *   maps          po_push_map_svg  po_push_map_html  po_reach_map_svg  po_reach_map_html
 *
 * Memory for all frames is taken at the start: recording allocates nothing. A trace owns all it shows and may outlive its run.
 */
#ifndef PO_VIEW_H
#define PO_VIEW_H

#include "../motion/motion.h"
#include "../scenes/scenes.h"

typedef struct po_trace_shape { int body, type; double position[3], quaternion[4], size[3]; } po_trace_shape; /* as po_shape; body counts over all characters */
typedef struct po_trace_body { char name[32]; int character; double mass, com[3]; } po_trace_body; /* kg; in body axes, of the model that it began with */
typedef struct po_trace_push { double time, duration, force[3]; int body; } po_trace_push;

/* Words for the page's header: a parameter with its value, a change while running, a figure of the report's result; and stages of a movement that turns
 * over, or the actions of a task, with the time at which each began. */
typedef enum po_trace_note_kind { PO_NOTE_PARAMETER, PO_NOTE_CHANGE, PO_NOTE_RESULT, PO_NOTE_OPTION, PO_NOTE_STAGE } po_trace_note_kind;
typedef struct po_trace_note {
  po_trace_note_kind kind;
  int given;                                /* parameters: differs from its default */
  char name[40], value[64], unit[16];
} po_trace_note;

/* What one frame holds besides body poses. */
enum {
  PO_CHANNEL_TIME, PO_CHANNEL_COM, PO_CHANNEL_TARGET = PO_CHANNEL_COM + 3, PO_CHANNEL_MOMENTUM = PO_CHANNEL_TARGET + 3,
  PO_CHANNEL_FORCE = PO_CHANNEL_MOMENTUM + 3, /* sum of contact forces */
  PO_CHANNEL_PUSH = PO_CHANNEL_FORCE + 3,     /* the push at work */
  PO_CHANNEL_HEADING = PO_CHANNEL_PUSH + 3,   /* rad, of the root */
  PO_CHANNEL_TORQUE,                          /* largest |tau|/limit */
  PO_CHANNEL_SOLVE,                           /* µs of the last control solve */
  PO_CHANNEL_THETA,                           /* turning over: phase angle, rad; from here on files may lack channels: zeros */
  PO_CHANNEL_INERTIA,                         /* about the axis, kg m² */
  PO_CHANNEL_SPIN,                            /* angular momentum about the axis */
  PO_CHANNEL_GOAL,                            /* a task's goal: kind (po_goal_mark), x, y, heading (100: none) */
  PO_CHANNEL_PHASE = PO_CHANNEL_GOAL + 4,     /* who follows a plan (po_follow_mark): phase, */
  PO_CHANNEL_PLAN,                            /* force, where it acts, goal of the COM, foothold: 3 each */
  PO_CHANNELS = PO_CHANNEL_PLAN + 12
};
extern const char *const po_channel_name[PO_CHANNELS]; /* "time" "com_x" … */

#define PO_TRACE_CONTACTS 254 /* kept per frame: a byte counts them */
#define PO_TRACE_STAGES 256    /* kept of a run */
#define PO_TRACE_SPRINGS 254   /* of grasps, kept per frame: a byte counts them */
#define PO_TRACE_SETS 64     /* times the shapes may change (a growing body) */
typedef struct po_trace_contact { float point[3], force[3]; short a, b; } po_trace_contact; /* bodies; b = −1: terrain. Force on a, N */

typedef struct po_trace_mark { float time, kind, at[3], length, doubt, low[2], high[2]; } po_trace_mark; /* as po_plan_mark */
#define PO_TRACE_MARK_FLOATS 11
#define PO_TRACE_MARKS 40000 /* kept of a run */
typedef struct po_trace_spring { float hand[3], held[3], force; } po_trace_spring; /* one of a grasp's springs while it is closed: its ends, N */

typedef struct po_trace {
  char scenario[32], model[64], command[1024], reason[200], hash[20], outcome[16];
  double hz, dt, control_hz, sim_seconds, wall_seconds, mass; /* mass: of character 0 */
  uint64_t seed;
  int bodies, shapes, frames, capacity, sets, pushes, notes, max_notes;
  po_trace_body *body;
  po_trace_shape *shape;             /* sets × shapes: how the shapes are from frame set_frame[i] on */
  int set_frame[PO_TRACE_SETS];
  po_trace_push *push;
  po_trace_note *note;
  po_terrain *terrain;
  float *pose;                       /* frames × bodies × 7: position, quaternion wxyz, of the link's frame in the world */
  float *channel;                    /* frames × PO_CHANNELS */
  po_trace_contact *contact;         /* frames × PO_TRACE_CONTACTS */
  int *contacts;                     /* frames */
  int max_springs;                   /* 0: the run has no grasps, and what follows is NULL */
  po_trace_spring *spring;           /* frames × max_springs */
  int *springs;                      /* frames: those of closed grasps */
  long every, last_step;             /* steps between frames; step of the last frame */
  int stages;                        /* noted so far */
  const char *stage;                 /* the last one, while recording */
  int marks, max_marks;
  po_trace_mark *mark;               /* by time: what plans looked at; NULL: none */
  long plan;                         /* that was marked last, while recording */
} po_trace;

/* Records the run from now on at `hz` frames per second (at most that of its steps). The recording belongs to the run and is freed with it. */
po_status po_trace_attach(po_run *run, double hz, po_error *err);
/* A run's recording; NULL: it is not recorded. */
po_trace *po_run_trace(const po_run *run);
/* For recordings that were read from a file, or made from a motion. */
void po_trace_free(po_trace *trace);

/* A motion shown as it is, on flat ground, without a simulation; seconds: how much of it (0: all, one cycle of a cyclic one). */
po_status po_motion_trace(po_trace **trace, const po_motion *motion, double seconds, double hz, const char *title, po_error *err);

/* Character 0 of a run as a motion, at the rate nearest to hz that its steps allow: call the second before the first step and after every one, the
 * third when the run is over. The run's model must outlive it. Nothing allocates after the first. */
po_status po_motion_record_new(po_motion **motion, const po_run *run, double hz, po_error *err);
void po_motion_record_step(po_motion *motion, po_run *run);
void po_motion_record_finish(po_motion *motion);

/* ---- for those that fill recordings ---- */
void po_trace_put3(float *out, po_vec3 v);
void po_trace_put_poses(float *out, const po_data *data); /* 7 numbers a body, after po_kinematics */
void po_trace_set_shape(po_trace_shape *out, const po_shape *shape, int first_body);

/* One JSON object; poses, signals and contacts are base64 (docs/replay.md). Positions are kept as float, quaternions to 3e-5. */
void po_trace_write(po_buffer *out, const po_trace *trace);
po_status po_trace_read(po_trace **trace, const char *text, size_t size, const char *file, po_error *err);
/* One row per frame, a header first. */
void po_trace_csv(po_buffer *out, const po_trace *trace);

/* One self-contained page with one or several runs side by side. */
void po_trace_html(po_buffer *out, const po_trace *const *traces, int count);

/* A filmstrip: moments between two times, seen from the side, drawn next to each other. */
typedef struct po_filmstrip_opts {
  int frames;            /* 8 */
  int even;              /* 1: at equal times; 0: more of them where more happens */
  int front;             /* 1: seen as it comes towards the eye, not from its right */
  double from, to;       /* seconds; to < from: until the end */
  double overlap;        /* 0 … 1: share of its width by which each figure stands in its neighbour's */
  double height;         /* of the picture in px: 220 */
} po_filmstrip_opts;
po_filmstrip_opts po_filmstrip_opts_default(void);
void po_trace_svg(po_buffer *out, const po_trace *trace, const po_filmstrip_opts *opts); /* opts NULL: the default */

/* ---- maps ---- */

void po_push_map_svg(po_buffer *out, const po_push_map *map);   /* polar plots, one per phase */
void po_push_map_escape(po_buffer *out, const char *text);      /* text inside markup */
/* A page: the plots and the table, and below them replays of the push at which the methods differ most. Runs it anew, so it takes a moment. */
void po_push_map_html(po_buffer *out, const po_run *run);
void po_reach_map_svg(po_buffer *out, const po_reach_map *map); /* a grid of cells */
void po_reach_map_html(po_buffer *out, const po_reach_map *map); /* the grid, and why cells failed */

#endif
