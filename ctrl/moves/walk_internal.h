/* walk_internal.h: between the parts of walking: the gait (when and where), the swing foot, and the tick (objectives). */
#ifndef PO_WALK_INTERNAL_H
#define PO_WALK_INTERNAL_H

#include "moves.h"

/* rad/s², of head, pelvis and sole: what cannot be had, at a joint's stop, must not be had by moving the body. */
#define WALK_TURN_LIMIT 30.0

/* Whether it could begin in this state, and beginning (walk_start.c). */
po_status po_walk_ready(const po_move *move, const po_move *from, po_error *err);
void po_walk_enter(po_move *move, const po_move *from);
int po_walk_released(const po_move *move);
/* Whether it is to walk: asked to, and nobody else wants the body. */
static inline int po_walk_wanted(const po_walk *walk) { return walk->params.walk >= 0.5 && !walk->move.leaving; }
/* By how much times and speeds of the human are longer and faster on these legs. */
static inline double po_walk_tempo(const po_walk *walk) { return sqrt(walk->size); }
/* Whether there are steps that it knows of. There it walks more carefully: every foot is led all the way, between risers, and the trunk is held. */
static inline int po_walk_on_steps(const po_walk *walk) { return walk->params.known >= 0.5 && walk->move.actor->patches.terrain->boxes > 0; }
/* Where the direction of travel asked for lies, rad. */
static inline double po_walk_way(const po_walk *walk) { return walk->north + PO_RAD(walk->params.heading); }
/* Advances the state machine and the curves by what the feet touch; called once a tick after po_actor_begin. */
void po_walk_gait(po_walk *walk, const po_sense *sense);
/* Direction of travel and the one to its left. */
void po_walk_axes(const po_walk *walk, po_vec3 *along, po_vec3 *left);
/* √(g/h), rad/s. */
double po_walk_omega(const po_walk *walk);
/* The COM's curve (walk_curve.c) begins: a foot has struck, or the first one leaves a stand. */
void po_walk_begin_curve(po_walk *walk, double duration, int from_stand);
/* The COM's reference now: position, velocity, acceleration. */
void po_walk_com(const po_walk *walk, po_vec3 *p, po_vec3 *v, po_vec3 *a);
/* Height of the ground at a place where nothing stands yet, as far as known (walk_ground.c). */
double po_walk_ground(const po_walk *walk, po_vec3 at);
/* The step nearest to one of that length and width, and to the one that was planned and the COM goes by, after which the whole sole stands on one level; the length itself where no edges are known. */
double po_walk_fit(const po_walk *walk, double length, double planned, double width);
/* 0 to 1: how much of a walk to the side it is. */
double po_walk_aside(const po_walk *walk);
/* m between the feet's lines when `foot` lands. */
double po_walk_spread(const po_walk *walk, int foot);
/* What the soles touch (walk_contacts.c), once a tick before the gait: w->sole. Then which corners are held and where the ground may push, and the
 * acceleration of the COM cut back to one whose centre of pressure they allow. */
void po_walk_feel(po_walk *walk);
void po_walk_contacts(po_walk *walk);
void po_walk_limit_com(const po_walk *walk, po_vec3 *accel);
/* Heel of a foot, world. */
po_vec3 po_walk_heel(const po_walk *walk, int foot);
/* Asks heel, toe and sole of the feet in swing and plant for what they should do. */
void po_walk_swing(po_walk *walk, po_vec3 along, po_vec3 left);

/* Down a step (walk_down.c): how much lower than the stance foot the next one is to stand, 0 for less than a step; how high its heel is to be over the ground when its
 * toes land, and how much more its knee is to be bent. */
double po_walk_drop(const po_walk *walk);
double po_walk_next_ground(const po_walk *walk);
int po_walk_above_place(const po_walk *walk, int foot);
void po_walk_down_point(const po_walk *walk, po_objective *o, po_vec3 at, po_vec3 goal, double t);
double po_walk_down_hang(const po_walk *walk, po_vec3 along);
double po_walk_down_speed(const po_walk *walk);
double po_walk_down_lift(const po_walk *walk);
double po_walk_down_bend(const po_walk *walk);
void po_walk_down_strike(po_walk *walk);
void po_walk_down_hips(po_walk *walk, double height, double rate);

/* How high the hips are to be (walk_hips.c); at every strike the height is kept that the next step begins from. */
void po_walk_hips(po_walk *walk);
void po_walk_hips_strike(po_walk *walk);

#endif
