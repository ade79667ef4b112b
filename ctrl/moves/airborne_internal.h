/* airborne_internal.h: the parts of a movement that turns over. takeoff.c, airborne.c and landing*.c ask (references of a tick); airborne_body.c holds the body:
 * its measures, objectives and poses. The movements themselves (flip.c, dive.c, …) put them together by their tables of stages (turner.h). */
#ifndef PO_AIRBORNE_INTERNAL_H
#define PO_AIRBORNE_INTERNAL_H

#include "support.h"

/* ---- rows of parameter tables for the parts that are `member` of the struct `type` ---- */

#define PO_TAKEOFF_ROWS(type, member) \
  PO_PARAM_IN(type, member, crouch, 0, 0, 0.95, "", "COM height at the bottom of the crouch, share of standing; 0: from the thrust"), \
  PO_PARAM_IN(type, member, thrust, 1.7, 0.3, 5, "g", "mean acceleration of the thrust, which sets the depth of the crouch"), \
  PO_PARAM_IN(type, member, extend, 1.03, 0.8, 1.15, "", "COM height at which the feet leave the ground, share of standing"), \
  PO_PARAM_IN(type, member, crouch_time, 0.5, 0.1, 5, "s", "time of the crouch"), \
  PO_PARAM_IN(type, member, late, 0.75, 0.05, 1, "", "share of the thrust in which the angular momentum is made"), \
  PO_PARAM_IN(type, member, heels, 0.5, 0, 1, "", "share of the thrust after which heels may rise"), \
  PO_PARAM_IN(type, member, shift, 0, -0.2, 0.2, "", "COM ahead in the crouch beyond what the momentum asks for, in standing heights"), \
  PO_PARAM_IN(type, member, travel, 1, 0, 1000, "", "weight of the speed across beside the speed upwards"), \
  PO_PARAM_IN(type, member, level, 100, 0, 10000, "", "weight of a pelvis that does not roll in the thrust")
#define PO_AIRBORNE_ROWS(type, member) \
  PO_PARAM_IN(type, member, kp_air, 1200, 50, 5000, "1/s^2", "gain of the pose in flight"), \
  PO_PARAM_IN(type, member, level_air, 10, 0, 10000, "", "weight of a body that does not tip sideways in flight")
#define PO_LANDING_ROWS(type, member) \
  PO_PARAM_IN(type, member, touch, 0.95, 0.6, 1, "", "distance from the COM to the soles at touchdown, share of standing"), \
  PO_PARAM_IN(type, member, lead, 1.1, 0, 2, "", "where the feet come down: share of the capture point's offset that the blow leaves"), \
  PO_PARAM_IN(type, member, brake, 3, 0.5, 10, "g", "acceleration at which the fall is braked"), \
  PO_PARAM_IN(type, member, lowest, 0.6, 0.4, 0.95, "", "lowest COM height the fall may end at, share of standing"), \
  PO_PARAM_IN(type, member, rise_time, 1, 0.2, 5, "s", "time from a deep landing to standing"), \
  PO_PARAM_IN(type, member, kp_capture, 4, 0, 50, "1/s", "rate at which the capture point is drawn to the middle of the soles"), \
  PO_PARAM_IN(type, member, kp_turn, 12, 0, 100, "1/s", "rate at which angular momentum comes to what the trunk's tilt asks for"), \
  PO_PARAM_IN(type, member, kp_tilt, 2.5, 0, 20, "1/s", "rate at which the trunk is turned upright"), \
  PO_PARAM_IN(type, member, margin, 0.015, 0, 0.1, "", "the centre of pressure stays so far inside the soles, in standing heights"), \
  PO_PARAM_IN(type, member, steps, 1, 0, 1, "", "1: steps where it has to; 0: never"), \
  PO_PARAM_IN(type, member, swing, 0.6, 0.3, 3, "beats", "time of a step, in sqrt(h/g)")

/* ---- the body (airborne_body.c) ---- */

/* A pose: flexions beyond standing straight, rad; abduct raises the arms sideways, cross the left one more and the right one less. */
typedef struct po_tumble_pose { double hip, knee, ankle, spine, shoulder, abduct, elbow, head, cross; } po_tumble_pose;

/* What folding does, measured in steps from open to a shape (airborne.c). */
#define PO_FOLD_STEPS 17
typedef struct po_fold {
  po_tumble_pose open, shape;
  double inertia[PO_FOLD_STEPS]; /* kg m² */
  double angle[PO_FOLD_STEPS]; /* trunk against the mean frame, rad about the body's left */
} po_fold;

typedef struct po_tumbler {
  po_actor *actor;
  double *joint_kp, *zero;   /* [nv] gains of the pose; zeros */
  double *step, *last, *tried; /* [nv], [nq], [nq] scratch */
  po_objective *com, *height, *turn, *pose, *trunk, *level, *ankle[2], *foot[2];
  int neck;                  /* frame; −1: none, and nothing turns over */
  int spine[2], head;        /* bodies; −1: none */
  int follow;                /* 1: rest poses go by where the arms are */
  double mass, gravity, h;   /* kg, m/s², COM over the soles standing */
  double inertia;            /* standing, about the body's left */
  double beat, fast;         /* sqrt(h/g), sqrt(g h): the body's own units of time and speed */
  double toes, heels;        /* of the soles, ahead of and behind their middle */
  double stance;             /* half the distance between the soles, standing */
  po_vec3 sole[2];           /* middle of each sole in foot axes */
  po_fold fold;
  /* plain values from here on: what changes while it moves */
  double split;              /* rad between the thighs of rest poses, the left one ahead */
  po_vec3 across;            /* level, world: the body's left is to have no part along it */
  po_vec3 wind, felt, was;   /* N, level: a steady force that is reckoned with; its running estimate; the COM's velocity a tick ago */
  double blowing;            /* s that the estimate has been that of a wind */
} po_tumbler;

/* From the zero pose in the actor's data. */
void po_tumbler_measure(po_tumbler *t, po_actor *actor);
/* Adds the objectives, contacts of the feet first; those of the hands it has, all off. */
void po_tumbler_attach(po_tumbler *t);
void po_tumbler_attach_hands(po_tumbler *t);
/* One more, off until it is wanted; NULL when there is no room. */
po_objective *po_tumbler_add(po_tumbler *t, const char *name, po_feature feature, int priority, double kp);
/* A feature of two rows: how far a unit axis of a body points up, and along a level direction. */
void po_tumbler_axis(po_vec3 along, int body, int axis, double *y, double *ydot, po_mat J, double *drift, const po_data *data);
void po_tumbler_layout(po_tumbler *t, const po_model *model, po_arena *arena);

po_tumble_pose po_tumble_mix(po_tumble_pose a, po_tumble_pose b, double s);
/* Makes it the rest pose, with one gain for all joints and weights for legs and arms beside the trunk's 1. */
void po_tumbler_pose(po_tumbler *t, const po_tumble_pose *pose, double kp, double legs, double arms);
/* Turns a joint of the rest pose about its own y (a hinge: about its axis), within its limits where these are measured from rest. */
void po_tumbler_bend(po_tumbler *t, int body, double angle);
/* The joint of a hand, bending back about its first of two axes; NULL when hand and forearm are one. */
const po_joint *po_tumbler_wrist(const po_tumbler *t, int hand);
/* x (nv) of a body's freedoms and of all that hangs on it; body −1: nothing. */
void po_tumbler_limb(const po_tumbler *t, double *x, int body, double value);
/* How the body would be in this pose, standing as at rest: t->tried, and the actor's data. */
void po_tumbler_try(po_tumbler *t, const po_tumble_pose *pose);
/* Legs whose ankles are led elsewhere keep to their plane: turning out and spreading hold their rest pose. */
void po_tumbler_keep_plane(po_tumbler *t, double weight);
/* The body's left stays along ±axis, level; weight 0: off. */
void po_tumbler_level(po_tumbler *t, po_vec3 axis, int priority, double weight);
/* Upright but for a lean ahead, rad. */
void po_tumbler_upright(po_tumbler *t, double lean, double kp);
/* All points of the feet in `set` are held to the ground below them, others are let go; toes_only: their front points alone. */
void po_tumbler_plant(po_tumbler *t, unsigned set, int toes_only);
/* The same for hands; touching_only: points that touch alone. */
void po_tumbler_plant_hands(po_tumbler *t, unsigned set, int touching_only);
/* Asks for it: on, at a priority, with a weight beside others there and a gain, critically damped; nothing moves on its own, and there is no limit. */
void po_ask(po_objective *objective, int priority, double weight, double kp);
/* Asks for it within so many seconds, where it is to be at rest. */
void po_ask_within(po_objective *objective, int priority, double weight, double seconds);
/* What a law of balance gave: COM, height and angular momentum are asked for together, so that none is bought from another. */
void po_tumbler_ask(po_tumbler *t, int priority, po_vec3 acceleration, double rise, po_vec3 turn);
/* The trunk's line, from pelvis to neck, unit. */
po_vec3 po_tumbler_trunk(const po_tumbler *t);
/* Nothing holds the body: objectives of the ground are off. */
void po_tumbler_let_go(po_tumbler *t);
/* While it stands: a steady force shows in what the COM does beside what was asked of it. */
void po_tumbler_feel_begin(po_tumbler *t);
void po_tumbler_feel(po_tumbler *t, double dt);
/* How far the centre of pressure lies from under the COM when a body of this height holds against the wind, m. */
po_vec3 po_tumbler_braced(const po_tumbler *t, double over);
/* COM over the lowest point of the soles, or over their middle. */
double po_tumbler_over(const po_tumbler *t);
/* How far a crouch leans ahead. */
double po_tumbler_lean(const po_tumbler *t, double over);
/* Speed across that the angular momentum becomes when horizontal force takes it up: (L × z)/(m h). */
po_vec3 po_tumbler_turning_speed(const po_tumbler *t, double h);
/* Time until the COM has come down to this height, world. */
double po_tumbler_time_to(const po_tumbler *t, double height);
po_vec3 po_tumbler_left(const po_tumbler *t); /* the body's own left, level, unit */
po_vec3 po_tumbler_ahead(const po_tumbler *t);

/* ---- leaving the ground (takeoff.c) ---- */

typedef enum po_takeoff_stage { PO_TAKEOFF_CROUCH, PO_TAKEOFF_LEAN, PO_TAKEOFF_THRUST, PO_TAKEOFF_OFF, PO_TAKEOFF_STUCK } po_takeoff_stage;
typedef struct po_takeoff { /* plain values */
  int stage;
  int forward;               /* 1: it turns forwards */
  double time;               /* s in the stage */
  double speed, rise;        /* m/s upwards, to leave with; m of the COM over standing that this is for */
  po_vec3 velocity;          /* across, to leave with */
  po_vec3 momentum;          /* to leave with */
  double crouch, seconds, shift; /* share of standing; of the thrust; m of the COM ahead of the soles' middle */
  double lean;               /* m/s: it topples until it is so fast, then thrusts; 0: it does not */
  double share;              /* of the thrust that is done */
} po_takeoff;

/* What to leave with: rise (m), the speed ahead that it must have, momentum about the axis. */
void po_takeoff_plan(po_takeoff *k, const po_tumbler *t, const po_takeoff_params *p, double rise, double ahead, double momentum, po_vec3 axis);
void po_takeoff_stand(po_tumbler *t, double height);
void po_takeoff_aim(po_takeoff *k, po_tumbler *t, const po_takeoff_params *p, double dt);

/* ---- in the air (airborne.c) ---- */

typedef struct po_airborne { /* plain values */
  double theta_land, inertia_land; /* rad, kg m²: what to arrive with */
  double arrive, hold;       /* s at the end in which the body opens for a landing; in which it is open already */
  double share, wanted;      /* of the way to the shape; inertia asked for */
} po_airborne;

/* Eq. 15: the inertia half way so that momentum turns the body by `rest` in the time left, within least … most. */
double po_airborne_inertia(double momentum, double inertia, double inertia_land, double rest, double left, double least, double most);
/* Measures the body's fold; uses the actor's data. */
void po_airborne_prepare(po_tumbler *t, po_tumble_pose open, po_tumble_pose shape);
/* What the mean frame has to turn yet so that the trunk arrives at theta_land. */
double po_airborne_rest(const po_airborne *a, const po_tumbler *t, const po_phase *phase);
void po_airborne_aim(po_airborne *a, po_tumbler *t, const po_airborne_params *p, const po_phase *phase, double left);

/* ---- coming down (landing.c, landing_step.c) ---- */

typedef enum po_landing_stage { PO_LANDING_AIR, PO_LANDING_DOWN } po_landing_stage;
typedef struct po_landing { /* plain values */
  int stage;
  int caught, down[2];       /* the fall is over; the feet have touched */
  int swing, steps;          /* foot in the air: 0 none, 1 left, 2 right; steps taken */
  double time, since_step;   /* s since touchdown; since the last step */
  double low, height;        /* COM over the soles: where the fall is to end; where the body is to be */
  double swing_left, swing_from; /* s; height */
  double still;              /* s that it has stood still */
  double twist_most;         /* N m about the vertical that is asked for; 0: as much as it takes */
  po_vec3 capture;           /* world */
} po_landing;

void po_landing_aim(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt);
/* 1: it has stood still for so long. */
int po_landing_stood(const po_landing *l, double seconds);
/* In the air, with nothing touching whatever the patches say: what po_landing_aim does until touchdown. */
void po_landing_open(const po_landing *l, po_tumbler *t, const po_landing_params *p);
/* In the air: the feet go where speed and angular momentum can be stopped. */
void po_landing_lead_feet(const po_landing *l, po_tumbler *t, const po_landing_params *p);
/* Angular momentum, counted as speed, counts so many times in where the feet come down: the trunk is still turning upright, and goes on. */
#define PO_LANDING_TURN 1.36
/* Seconds by which the feet are put ahead of the COM's speed, when it falls so fast at touchdown. */
double po_landing_lead(const po_tumbler *t, const po_landing_params *p, double fall);
/* Where the middle of the soles is to be at touchdown, from the COM; z: so far below it. */
po_vec3 po_landing_offset(const po_tumbler *t, const po_landing_params *p, po_vec3 velocity);
/* Ankle of a level foot with the middle of its sole there. */
po_vec3 po_landing_ankle(const po_tumbler *t, int foot, po_vec3 sole);
void po_landing_level_foot(po_tumbler *t, int foot);
int po_landing_touches(const po_tumbler *t, int foot);
void po_landing_step(po_landing *l, po_tumbler *t, const po_landing_params *p, double dt);

#endif
