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
typedef struct po_trace po_trace;

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
