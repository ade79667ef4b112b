/* push_map.h: the strongest push a body survives from every direction, (docs/control.md). */
#ifndef PO_PUSH_MAP_H
#define PO_PUSH_MAP_H

#include "../base/base.h"

#define PO_PUSH_MAP_METHODS 3
#define PO_PUSH_MAP_FRICTION "0.8" /* of the ground that controllers are compared on */

/* Cell (phase p, direction d, method m) stands at (p·directions + d)·methods + m. Direction d points d·360/directions degrees to the left
 * of straight ahead. */
typedef struct po_push_map {
  const char *gait;                              /* "stand", "walk", "backflip", "frontflip" */
  int turns;                                     /* 1: it turns over, and phases are angles */
  const char *model, *style;
  const char *method[PO_PUSH_MAP_METHODS];       /* "lexicographic", "weighted"; or controllers: "walk", "gbwc", "simbicon" */
  int controllers;                               /* 1: methods are controllers, each of the scenario of its name */
  int methods, phases, directions;
  double duration;                               /* s of a push */
  double mass;                                   /* kg of the body */
  double *survived;                              /* N: largest force survived; NaN: not looked for yet */
  double *fell;                                  /* N: smallest force not survived; NaN: none was found */
  double *time;                                  /* [phases·methods] s after the start at which the push begins; NaN: it fell before */
  long trials;                                   /* simulated so far */
  int done, cells;                               /* cells finished, of all */
} po_push_map;

/* Where a cell stands in survived and fell. */
int po_push_map_cell(const po_push_map *map, int phase, int direction, int method);
/* Of who turns over: the angle at which a phase's pushes begin, deg. */
double po_push_map_angle(const po_push_map *map, int phase);
void po_push_map_phase_text(po_buffer *out, const po_push_map *map, int phase); /* "40 % into the left foot's step", "at 90 degrees" */
/* Newton seconds of a cell; NaN: unknown. */
double po_push_map_impulse(const po_push_map *map, int phase, int direction, int method);

void po_push_map_text(po_buffer *out, const po_push_map *map);  /* a table for a terminal */
void po_push_map_csv(po_buffer *out, const po_push_map *map);   /* a row per direction and phase */
void po_push_map_json(po_jw *w, const po_push_map *map);        /* the member "map" of a report */

#endif
