/* flip_watch.h: what all scenarios of bodies that turn over share: parameters, wind and pushes, and a watcher that measures flights from the world's
 * state alone: the judge shares nothing with the controller but the phase's formula. */
#ifndef PO_FLIP_WATCH_H
#define PO_FLIP_WATCH_H

#include "scenes.h"

typedef struct turn_params { double strength, self_collision, wind, push, push_deg, push_seconds, push_heading; } turn_params;
#define TURN_ROWS(type, member) \
  PO_PARAM_IN(type, member, strength, 1, 0.5, 2, "", "factor on all torque limits"), \
  PO_PARAM_IN(type, member, self_collision, 0, 0, 1, "", "1: limbs collide with each other"), \
  PO_PARAM_IN(type, member, wind, 0, -300, 300, "N", "steady force at the COM along the travel"), \
  PO_PARAM_IN(type, member, push, 0, 0, 2000, "N", "force on the thorax, once"), \
  PO_PARAM_IN(type, member, push_deg, 90, 0, 2000, "deg", "phase at which it begins"), \
  PO_PARAM_IN(type, member, push_seconds, 0.1, 0.01, 1, "s", "how long it lasts"), \
  PO_PARAM_IN(type, member, push_heading, 0, -360, 360, "deg", "where it points: 0 ahead of the body at the start, left positive")
#define TURN_ROW_COUNT 7

#define TURN_SAMPLES 4096    /* steps of a flight whose inertia is kept */
#define TURN_STAND_SECONDS 3.0

typedef struct turn_flight {
  double start, lasted, theta_takeoff, theta_land, momentum, inertia_min, inertia_mean, inertia_land, drift, parabola, tilt;
  po_vec3 com, velocity, L;  /* at take-off, or after the last push, as if there had been none */
  po_vec3 feet_land;
  int feet_first;
} turn_flight;

typedef struct turn_watch { /* numbers only: part of a scenario's state */
  po_phase phase;
  po_vec3 axis_body;         /* the body's own direction that lies along the axis at the start, pelvis axes */
  double standing_inertia, standing_height, ground, theta_start, rise_max;
  double twist, last_twist;  /* rad about the trunk's line, whole turns counted */
  po_vec3 feet_start, ahead; /* middle of the soles; where the body faced */
  double push_began, stood_since; /* s; < 0: not yet */
  int flights, in_air, samples;
  int grounded;              /* 1: who never flew may stand, too */
  turn_flight now, longest;
  double inertia[TURN_SAMPLES];
} turn_watch;

/* The text parameter `phase`, for tables of texts. */
po_status turn_apply_phase(void *move_params, const po_move_type *type, const char *value, po_error *err);
/* One of several words; PO_ERR_NAME with the words when it is none of them. */
po_status turn_choice(double *value, const char *name, const char *text, const char *const *words, int count, po_error *err);
/* The run's model with its torque limits scaled; before the world is made. */
po_status turn_strength(po_run *run, double strength, po_error *err);
/* When the body stands (or falls) where it starts; axis: along the angular velocity to come. */
po_status turn_begin(turn_watch *watch, po_run *run, const turn_params *p, po_vec3 axis, double ground, po_error *err);
/* Before every step: wind along `travel`, and the push when its phase has come. */
po_status turn_forces(turn_watch *watch, po_run *run, const turn_params *p, po_vec3 travel);
/* After every step. */
void turn_observe(turn_watch *watch, po_run *run, const turn_params *p);
/* Ends the flight under way now: for flights that end without contact. */
void turn_end_flight(turn_watch *watch, po_run *run);
int turn_still(const turn_watch *watch, const po_data *data); /* the COM is slow enough for who stands */
int turn_stood(const turn_watch *watch, const po_run *run);
double turn_rotation(const turn_watch *watch); /* rad since the start */
/* The results that every such scenario has. */
void turn_results(const turn_watch *watch, po_run *run, double strength);
/* Momentum and parabola of the longest flight, part of every success. */
void turn_judge_flight(const turn_watch *watch, po_run *run);

#endif
