/* turner.h: what every movement that turns over begins with: a body, a clock, and a table of stages.
 *
 * A stage is what is asked of the body in each tick, until when, and what comes next. Who writes a movement writes such a table; most of what is asked (standing,
 * take-off, landing) and most ends of stages (waited, off the ground, landed, stood) are here. */
#ifndef PO_TURNER_H
#define PO_TURNER_H

#include "airborne_internal.h"

#define PO_TURNER_EXITS 3
typedef struct po_turner_row {
  const char *name;
  void (*ask)(po_move *move); /* sets references; may be called again in a tick, after another stage's */
  struct po_turner_exit { int (*until)(const po_move *move); int next, at_once; } exit[PO_TURNER_EXITS]; /* asked after it, in this order; none: the last stage */
  void (*begin)(po_move *move); /* as it is come to; may be NULL */
} po_turner_row;
/* When the next stage begins. At once, in this very tick: what this one has asked is wrong by now. */
enum { PO_NEXT_TICK, PO_AT_ONCE };

typedef struct po_turner { /* the first member of a movement's struct; what changes of the movement's own follows at once */
  po_move move;
  const po_turner_row *stages;
  const double *wait;        /* s of its first stage, and the parts' parameters: of the movement; NULL: it has none */
  const po_takeoff_params *takeoff_params;
  const po_landing_params *landing_params;
  const po_sense *sense;     /* of this tick */
  po_tumbler body;
  /* plain values from here on */
  int stage;
  int turns;                 /* 1: it has a phase */
  double time;               /* s in the stage */
  po_turning turning;
  po_takeoff takeoff;
  po_airborne air;
  po_landing landing;
} po_turner;
/* Where a movement's state begins; it ends where its parameters do, which stand behind the members of its own that change. */
#define PO_TURNER_STATE offsetof(po_turner, body.split)

/* ---- for its table of functions ---- */

void po_turner_layout(po_move *move, const po_model *model, po_arena *arena);
/* For a movement's init, from the zero pose in the actor's data; _parts for one that does not turn over and needs no line of a trunk. */
po_status po_turner_init(po_move *move, const po_turner_row *stages, const double *wait, const po_takeoff_params *takeoff, const po_landing_params *landing,
                         po_error *err);
void po_turner_parts(po_move *move, const po_turner_row *stages, const double *wait, const po_takeoff_params *takeoff, const po_landing_params *landing);
po_status po_turner_attach(po_move *move, po_error *err);
void po_turner_aim(po_move *move, const po_sense *sense);
po_move_outcome po_turner_done(const po_move *move); /* in its last stage */
int po_turner_stage(const po_move *move);
const char *po_turner_stage_name(const po_move *move);
po_status po_turner_set_model(po_move *move);

/* ---- for its own functions ---- */

/* From y0 at x0 to y1 at x1, constant outside. */
static inline double po_turner_ramp(double x, double x0, double x1, double y0, double y1) { return y0 + (y1 - y0) * po_clamp((x - x0) / (x1 - x0), 0, 1); }
static inline po_turner *po_turner_of(const po_move *move) { return (po_turner *)(void *)(size_t)(const void *)move; }
/* Begins at the angle the body has, turning forwards or backwards, its phase measured by `by`. */
void po_turner_begin(po_turner *t, int forward, double by);
void po_turner_begin_about(po_turner *t, po_vec3 axis, double by); /* the same about any axis, world */
/* Its phase goes by the clock from now on, when it was asked to: so much is to be turned in so many seconds. */
void po_turner_by_clock(po_turner *t, double by, double turn, double seconds);
void po_turner_beyond(po_turner *t, const char *format, double asked, double got);
/* COM over standing that it will rise to, as it flies. */
double po_turner_rise(const po_turner *t);

/* ---- what stages ask ---- */

void po_turner_take_off(po_move *move);
void po_turner_land(po_move *move);
/* `begin` of a landing: a body that could not leave the ground is down already, and that is said. */
void po_turner_catch(po_move *move);

/* ---- until when ---- */

int po_turner_waited(const po_move *move);
int po_turner_thrusts(const po_move *move);
int po_turner_off(const po_move *move);    /* it has left the ground */
int po_turner_stuck(const po_move *move);  /* it could not */
int po_turner_landed(const po_move *move);
int po_turner_flies(const po_move *move);  /* thrown off the ground again */
int po_turner_stood(const po_move *move);  /* for half a second */
int po_turner_feet_touch(const po_move *move);
int po_turner_hands_touch(const po_move *move);

#endif
