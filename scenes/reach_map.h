/* reach_map.h: which pairs of two parameters a movement succeeds with (docs/rotation.md). */
#ifndef PO_REACH_MAP_H
#define PO_REACH_MAP_H

#include "../base/base.h"

#define PO_REACH_STEPS 32 /* values of a parameter, at most */

typedef struct po_reach_cell {
  int done;                  /* 1: it was run */
  int success;
  char reason[120];          /* why not */
} po_reach_cell;

/* Cell (ix, iy) stands at iy·x_steps + ix. */
typedef struct po_reach_map {
  const char *move, *model;
  const char *x, *y;         /* names of the parameters */
  int x_steps, y_steps, cells, done, reached;
  double x_value[PO_REACH_STEPS], y_value[PO_REACH_STEPS];
  po_reach_cell cell[PO_REACH_STEPS * PO_REACH_STEPS];
} po_reach_map;

void po_reach_map_text(po_buffer *out, const po_reach_map *map); /* a table for a terminal */
void po_reach_map_csv(po_buffer *out, const po_reach_map *map);  /* a row per cell */
void po_reach_map_json(po_jw *w, const po_reach_map *map);       /* the members "reach" and "cells" of a report */

#endif
