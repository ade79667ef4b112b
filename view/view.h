/* view.h: what a simulation looked like: recordings of any world, and what is made of them: pages, filmstrips, tables (docs/replay.md).
 *
 *   recording     po_record_opts_default  po_record_new  po_record_watch  po_record_frame  po_record_due  po_record_last  po_record_free
 *   what is said  po_record_describe  po_record_note  po_record_stage  po_record_push  po_record_curve  po_record_set  po_record_mark
 *   outputs       po_record_write (by the file's ending)  po_record_trace, and of traces:
 *   traces        po_trace_html  po_trace_html_with  po_filmstrip_opts_default  po_trace_svg
 *                 po_video_opts_default  po_trace_gif  po_trace_png  po_trace_csv  po_trace_write  po_trace_read
 *                 po_trace_free  po_trace_frames  po_trace_seconds  po_trace_value
 *   motions       po_motion_trace
 *   what is learnt  po_step_model_html  po_policy_page_begin  po_policy_page_task  po_policy_page_end
 *   models        po_model_html
 *   searches      po_tune_page_point  po_tune_page_write  po_tune_page_free_points
 *
 *     po_record *film;
 *     po_record_new(&film, world, NULL, &err);
 *     for (...) po_world_step(world, 0.001), po_record_frame(film);
 *     po_record_write(film, "run.html", &err);
 *
 * Memory for all frames is taken at the start: recording allocates nothing and changes nothing. A trace owns all it shows and may outlive its world.
 */
#ifndef PO_VIEW_H
#define PO_VIEW_H

#include "../ctrl/plan/plan.h"
#include "../motion/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== recording ======================================================================================================== */

typedef struct po_record po_record; /* a recording that is being made */
typedef struct po_trace po_trace;   /* a recording */

typedef struct po_record_opts {
  double hz;              /* frames a second of simulated time: 60 */
  double seconds;         /* how long it will last, when that is known: room for just that is taken; 0: unknown */
  size_t bytes;           /* of memory at most. When it is full every other frame goes, and half as many are kept from then on: 64 MB */
} po_record_opts;
po_record_opts po_record_opts_default(void);

/* Of a world that has all its characters and things; it, and the terrain it has, must outlive the recording. opts NULL: the default. PO_ERR_RANGE, PO_ERR_MEMORY. */
po_status po_record_new(po_record **record, po_world *world, const po_record_opts *opts, po_error *err);
void po_record_free(po_record *record); /* its trace as well; NULL is fine */
/* What a simulation over that world knows is recorded too, before the first frame is: pushes, targets and stages of movements, torques as shares of limits,
 * times of solves, phase angles of who turns over. */
po_status po_record_watch(po_record *record, const po_sim *sim, po_error *err);
/* After every step; a frame is kept when one is due. The first call keeps one. */
void po_record_frame(po_record *record);
int po_record_due(const po_record *record); /* 1: the next call of it keeps one; for curves that cost something */
/* The last moment of a run is worth a frame, due or not. */
void po_record_last(po_record *record);

/* ---- what is said ---- */

/* The page's header. Texts are copied; what is NULL, 0 or NaN stays as it was. */
typedef struct po_record_about {
  const char *title, *model;    /* "walk", "human" */
  const char *command;          /* what repeats the run */
  const char *outcome, *reason; /* "success" "fell" "failed" are coloured */
  uint64_t seed, hash;
  double dt, control_hz;        /* s, 1/s */
  double wall_seconds;
} po_record_about;
void po_record_describe(po_record *record, const po_record_about *about);

typedef enum po_note_kind { PO_NOTE_PARAMETER, PO_NOTE_CHANGE, PO_NOTE_RESULT, PO_NOTE_OPTION, PO_NOTE_STAGE } po_note_kind;
#define PO_RECORD_NOTES 512 /* kept of a run, stages included */
/* A row of the page's tables: a parameter (given: not by its default), a change while running, a figure that came out, an option of the solver. unit may be NULL. */
void po_record_note(po_record *record, po_note_kind kind, const char *name, const char *value, const char *unit, int given);
/* What is being done from now on, written below the slider; the same name again is the same stage. */
void po_record_stage(po_record *record, const char *name);
/* A push to be drawn while it acts; link NULL: the thorax, or the root of a body without one. PO_ERR_NAME, PO_ERR_SIZE beyond PO_SIM_PUSHES. */
po_status po_record_push(po_record *record, const po_push *push, po_error *err);

#define PO_RECORD_CURVES 64
/* A curve of one's own, to be added before the first frame: a plot with that name and unit. Curves of one unit whose names end in _x, _y, _z share one. The id
 * of a curve that is there already (com_x, target_x, solve_us, ...: docs/replay.md) lets it be set as well. PO_ERR_SIZE, PO_ERR_STATE, PO_ERR_NAME (too long). */
po_status po_record_curve(int *curve, po_record *record, const char *name, const char *unit, po_error *err);
void po_record_set(po_record *record, int curve, double value); /* from the next frame on, until it is set again */

/* Something on the ground that a plan looked at, shown until the next plan's marks. */
typedef enum po_mark_kind { PO_MARK_FOOTHOLD = 1, PO_MARK_TRIED, PO_MARK_BOX } po_mark_kind; /* planned; only tried; bounds of the actions */
typedef struct po_mark {
  po_mark_kind kind;
  double x, y, z;         /* m, world: the heel there */
  double length;          /* m: of the sole */
  double doubt;           /* 0: sure; 1: as uncertain as most examples are at most */
  double low[2], high[2]; /* the action along the step model's two axes; high: of a box, its upper corner */
} po_mark;
#define PO_RECORD_MARKS 40000 /* kept of a run */
/* All marks of one plan, at the world's time. PO_ERR_SIZE: there is no room for them, and none is kept. */
po_status po_record_mark(po_record *record, const po_mark *mark, int count);

/* ---- outputs ---- */

/* To a file by its ending: .html a page, .svg a filmstrip, .gif a moving picture, .csv a table, .trace the recording itself. PO_ERR_NAME for another ending, PO_ERR_FILE. */
po_status po_record_write(const po_record *record, const char *path, po_error *err);
/* What has been recorded so far, to be read and written; it lives as long as its record. */
const po_trace *po_record_trace(const po_record *record);

/* ==== traces =========================================================================================================== */

/* One JSON object; poses, signals and contacts are base64 (docs/replay.md). Positions are kept as float, quaternions to 3e-5. */
void po_trace_write(po_buffer *out, const po_trace *trace);
po_status po_trace_read(po_trace **trace, const char *text, size_t size, const char *file, po_error *err);
void po_trace_free(po_trace *trace); /* of po_trace_read and po_motion_trace */
int po_trace_frames(const po_trace *trace);
double po_trace_seconds(const po_trace *trace); /* time of the last frame */
/* One of a frame's curves by its name (time, com_z, force_x, …: docs/replay.md); NaN when there is no such frame or curve. */
double po_trace_value(const po_trace *trace, int frame, const char *curve);

/* A motion shown as it is, on flat ground, without a simulation; seconds: how much of it (0: all, one cycle of a cyclic one). */
po_status po_motion_trace(po_trace **trace, const po_motion *motion, double seconds, double hz, const char *title, po_error *err);

/* One self-contained page with one or several runs side by side. */
void po_trace_html(po_buffer *out, const po_trace *const *traces, int count);
/* The same with markup of one's own before the views. */
void po_trace_html_with(po_buffer *out, const char *markup, const po_trace *const *traces, int count);
/* One row per frame, a header first. */
void po_trace_csv(po_buffer *out, const po_trace *trace);

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

/* Pictures without a browser: PNG of one moment, GIF of many. */
typedef struct po_video_opts {
  int width, height;     /* px: 480 x 300 */
  double fps;            /* frames a second of the film: 25, at most 50 */
  double speed;          /* of the film against what happened: 1; 0.25 is slow motion */
  double from, to;       /* seconds; to < from: until the end */
  double azimuth_deg;    /* where the eye is, seen from the subject and counted from where it looks at the start: -60; -90 is its right side, 0 ahead */
  double elevation_deg;  /* 8 */
  int follow;            /* 1: the eye moves with the subject; 0: it stands where it sees the whole way */
  int forces;            /* 1: contact forces and pushes as arrows */
} po_video_opts;
po_video_opts po_video_opts_default(void);
po_status po_trace_png(po_buffer *out, const po_trace *trace, double time, const po_video_opts *opts, po_error *err); /* opts NULL: the default */
po_status po_trace_gif(po_buffer *out, const po_trace *trace, const po_video_opts *opts, po_error *err);

/* ==== what was learnt ================================================================================================== */

/* A step model as a page: what leaving examples out mispredicts, and the plane of its actions with the box at a strike (docs/constrained-walking.md). */
void po_step_model_html(po_buffer *out, const po_step_model *steps);

/* A policy as a page (docs/task-policies.md): begin, every task as soon as it is solved, end, which writes it and frees what it held. */
typedef struct po_policy_page {
  const po_exploration *exploration;
  po_buffer json;
  po_jw w;
} po_policy_page;
void po_policy_page_begin(po_policy_page *page, const po_exploration *exploration);
void po_policy_page_task(po_policy_page *page, const po_fvi *fvi);
void po_policy_page_end(po_buffer *out, po_policy_page *page);

/* ==== what was searched =============================================================================================== */

/* A search as a page (docs/tune.md): how costs came down, where every parameter went, the front, and what judging said. Fill it in, then tell its points. */
#define PO_TUNE_PAGE_FREE 200

typedef struct po_tune_page_free { const char *name; double lower, upper, start, found; int logarithm; } po_tune_page_free;

typedef struct po_tune_page {
  const char *title, *command, *searched_on, *judged_on;
  int frees, costs;
  long evaluations;
  po_tune_page_free free[PO_TUNE_PAGE_FREE];
  const char *cost[PO_TUNE_COSTS];
  struct { double searched[PO_TUNE_COSTS], judged[PO_TUNE_COSTS], falls[2], success[2]; } row[2]; /* the start, what was found */
  /* filled by po_tune_page_point */
  double *point;             /* [points][frees + costs + 2]: values, costs, violation, generation */
  int points, capacity;
  int failed;                /* out of memory */
} po_tune_page;

/* told [costs + 1]: costs, then the violation. In the order they were tried. */
void po_tune_page_point(po_tune_page *page, int generation, const double *x, const double *told);
void po_tune_page_write(po_buffer *out, const po_tune_page *page);
void po_tune_page_free_points(po_tune_page *page);

/* ==== models =========================================================================================================== */

/* A model as a page: the robot to turn, its joints as sliders, its shapes, frames and soles. map (may be NULL) says which its parts are; warnings (may be
 * NULL) are what its reader said. */
struct po_map;
void po_model_html(po_buffer *out, const po_model *model, const struct po_map *map, const po_warnings *warnings);

#ifdef __cplusplus
}
#endif
#endif
