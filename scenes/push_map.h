/* push_map.h: the strongest push a body survives from every direction, and how to show it (docs/control.md). */
#ifndef PO_PUSH_MAP_H
#define PO_PUSH_MAP_H

#include "../base/base.h"

#define PO_PUSH_MAP_METHODS 2

struct po_run;

/* Cell (phase p, direction d, method m) stands at (p·directions + d)·methods + m. Direction d points d·360/directions degrees to the left
 * of straight ahead. */
typedef struct po_push_map {
  const char *gait;                              /* "stand" or "walk" */
  const char *model, *style;
  const char *method[PO_PUSH_MAP_METHODS];       /* "lexicographic", "weighted" */
  int methods, phases, directions;
  double duration;                               /* s of a push */
  double mass;                                   /* kg of the body */
  double *survived;                              /* N: largest force survived; NaN: not looked for yet */
  double *fell;                                  /* N: smallest force not survived; NaN: none was found */
  double *time;                                  /* [phases·methods] s after the start at which the push begins; NaN: it fell before */
  long trials;                                   /* simulated so far */
  int done, cells;                               /* cells finished, of all */
} po_push_map;

/* Newton seconds of a cell; NaN: unknown. */
double po_push_map_impulse(const po_push_map *map, int phase, int direction, int method);

void po_push_map_text(po_buffer *out, const po_push_map *map);  /* a table for a terminal */
void po_push_map_csv(po_buffer *out, const po_push_map *map);   /* a row per direction and phase */
void po_push_map_json(po_jw *w, const po_push_map *map);        /* the member "map" of a report */
void po_push_map_svg(po_buffer *out, const po_push_map *map);   /* polar plots, one per phase */
void po_push_map_escape(po_buffer *out, const char *text);      /* text inside markup */
/* A page: the plots and the table, and below them replays of the push at which the methods differ most. Runs it anew, so it takes a moment. */
void po_push_map_html(po_buffer *out, const struct po_run *run);

#endif
