/* step_ground.h: pieces of ground with gaps between them, along x: what gaps, stones and crevasses are made of.
 *
 * Pieces are boxes with their tops at given heights, across the whole way, over a floor some way down: who steps beside falls.
 */
#ifndef PO_STEP_GROUND_H
#define PO_STEP_GROUND_H

#include "scenes.h"

#define PO_PIECES 1024

typedef struct po_piece { double from, to, height; } po_piece; /* x from … to, m */

typedef struct po_pieces {
  int count;
  po_piece piece[PO_PIECES]; /* by where they begin */
} po_pieces;

/* One more, behind or overlapping the last; overlapping ones of the same height become one. PO_ERR_SIZE when there are too many. */
po_status po_pieces_add(po_pieces *pieces, double from, double to, double height);
/* Share of from … to that is on a piece. */
double po_pieces_cover(const po_pieces *pieces, double from, double to);
/* The run's terrain: a box for each, and the floor `depth` (m) down; 0: level ground. */
po_status po_run_lay_pieces(po_run *run, const po_pieces *pieces, double depth, po_error *err);

/* width-wide gaps, `spacing` of ground between them, the first at `start`; heights drawn from 0 … bumps. */
po_status po_pieces_gaps(po_pieces *pieces, double start, double width, double spacing, int count, double bumps, uint64_t seed);

#endif
