/* trace.h: what a run looked like, frame by frame, for replay pages and filmstrips.
 *
 *   recording     po_trace_new  po_trace_step  po_trace_free
 *   files         po_trace_write  po_trace_read  po_trace_csv   (JSON, `poise run --trace`, `poise replay`)
 *   pages         po_trace_html  po_trace_svg
 *
 * Memory for all frames is taken at the start: recording allocates nothing.
 */
#ifndef PO_TRACE_H
#define PO_TRACE_H

#include "../base/base.h"

struct po_run;

typedef struct po_trace_shape { int body, type; double position[3], quaternion[4], size[3]; } po_trace_shape; /* as po_shape; body counts over all characters */

/* What one frame holds besides body poses. */
enum {
  PO_CHANNEL_TIME, PO_CHANNEL_COM, PO_CHANNEL_TARGET = PO_CHANNEL_COM + 3, PO_CHANNEL_MOMENTUM = PO_CHANNEL_TARGET + 3,
  PO_CHANNEL_FORCE = PO_CHANNEL_MOMENTUM + 3, /* sum of contact forces */
  PO_CHANNEL_PUSH = PO_CHANNEL_FORCE + 3,     /* the push at work */
  PO_CHANNEL_HEADING = PO_CHANNEL_PUSH + 3,   /* rad, of the root */
  PO_CHANNEL_TORQUE,                          /* largest |tau|/limit */
  PO_CHANNEL_SOLVE,                           /* µs of the last control solve */
  PO_CHANNELS
};
#define PO_TRACE_CONTACTS 24 /* kept per frame: point, force */

typedef struct po_trace {
  char scenario[32], model[64], command[512], hash[20], outcome[16];
  double hz, dt, wall_seconds;
  uint64_t seed;
  int bodies, shapes, frames, capacity;
  char (*body_name)[32];
  po_trace_shape *shape;
  const struct po_terrain *terrain;  /* of the run; NULL when read from a file */
  char *terrain_json;                /* the same as text, for files and pages */
  float *pose;                       /* frames × bodies × 7: position, quaternion wxyz */
  float *channel;                    /* frames × PO_CHANNELS */
  float *contact;                    /* frames × PO_TRACE_CONTACTS × 6 */
  int *contacts;                     /* frames */
  long next_step, every;             /* steps between frames */
} po_trace;

/* Room for the whole run at `hz` frames per second (at most that of its steps). */
po_status po_trace_new(po_trace **trace, const struct po_run *run, double hz, po_error *err);
void po_trace_free(po_trace *trace);
/* Called after every step; keeps a frame when one is due. */
void po_trace_step(po_trace *trace, struct po_run *run);

void po_trace_write(po_buffer *out, const po_trace *trace);
po_status po_trace_read(po_trace **trace, const char *text, size_t size, const char *file, po_error *err);
/* One row per frame, a header first. */
void po_trace_csv(po_buffer *out, const po_trace *trace);
/* One self-contained page with one or several runs side by side. */
void po_trace_html(po_buffer *out, const po_trace *const *traces, int count);
/* A filmstrip: `frames` moments between two times, drawn side by side. */
void po_trace_svg(po_buffer *out, const po_trace *trace, int frames, double from, double to);

#endif
