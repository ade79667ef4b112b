/* skill_carry.c: fetch a crate and carry it: walk up to it, bow, take it by both handles, rise, walk, stand.
 *
 * From the moment that both hands hold it, half its weight hangs at each hand: gravity compensation carries it, and the COM that the walk balances is that
 * of body and crate (5.5.4).
 */
#include "skill_internal.h"

#define CARRY_BEFORE 0.47        /* m from the pelvis to the crate's middle, where it is taken; for the leg of 0.86 m, as all lengths */
#define CARRY_AT 0.05            /* m: near enough to that place */
#define CARRY_AHEAD 0.36         /* m before the pelvis, */
#define CARRY_ABOVE 0.16         /* and above it: where hands carry */
#define CARRY_LIFTS 0.25         /* m that it is lifted by at least, */
#define CARRY_HIGHEST 0.45       /* m above the pelvis at most */
#define CARRY_BACKWARDS 0.25     /* m/s, */
#define CARRY_AWAY 0.5           /* m: away from what the crate stood on, */
#define CARRY_ASIDE 0.9          /* m: and past it at the side that the way turns to */
#define CARRY_SPEED 0.4          /* m/s with a crate, at most */
#define CARRY_LOAD 1.2           /* s in which its weight comes to the hands, while the body moves back for it, */
#define CARRY_RISE 1.5           /* and then for lifting */
#define CARRY_SETTLE 0.4         /* s that it stands before it takes or lifts */
#define CARRY_ELBOW 0.6          /* rad outwards */
#define CARRY_PATIENCE 4.0       /* s: hands that do not get there try from a place nearer by CARRY_NEARER */
#define CARRY_NEARER 0.05
#define CARRY_OUTSIDE 0.12       /* m beside the handles that hands come from, */
#define CARRY_IN 1.0             /* s: within which they come in */
#define CARRY_ROUND_OFF 0.3      /* m beyond the shelf, where the way round it leads */
#define CARRY_PASSED 0.3         /* m ahead of where it was lifted: then the way is free */
#define CARRY_FLOOR 0.03         /* m: who took it from the floor may go straight on */
#define CARRY_TURN 0.5           /* rad/s */

enum { CARRY_APPROACH, CARRY_TAKE, CARRY_LIFT, CARRY_BACK, CARRY_ROUND, CARRY_WALK, CARRY_STOP, CARRY_STAND };
static const char *const carry_state[] = {"approach", "take", "lift", "back", "round", "walk", "stop", "stand"};
enum { STAGE_NEARER, STAGE_RISEN, STAGE_HEADING, STAGE_FROM_X, STAGE_FROM_Y, STAGE_WIDTH, STAGE_HEIGHT, STAGE_LOW }; /* of po_skill.stage */

static int carry_both(const po_skill *k) { return k->task.thing.there > 0 && k->task.thing.held[0] > 0 && k->task.thing.held[1] > 0; }

double po_skill_lifts(const po_skill *k) { return k->column[0] + CARRY_HIGHEST * k->walk->length; }

/* Where a hand is that carries: before the pelvis, as far to its side as the handle is. */
static po_vec3 carry_place(const po_skill *k, int arm) {
  const po_gbwc *g = k->walk;
  po_vec3 p = g->move.actor->data->pose[0].p;
  double s, c, y = (arm == 0 ? 0.5 : -0.5) * k->now.stage[STAGE_WIDTH];
  po_sincos(&s, &c, po_heading_total(&g->move.actor->heading));
  return po_v3(p.x + c * CARRY_AHEAD * g->length - s * y, p.y + s * CARRY_AHEAD * g->length + c * y, po_max(p.z + CARRY_ABOVE * g->length, po_min(k->now.stage[STAGE_HEIGHT] + CARRY_LIFTS * g->length, p.z + CARRY_HIGHEST * g->length)));
}

void po_skill_hold(po_skill *k, double dt) {
  po_gbwc *g = k->walk;
  po_vec3 velocity;
  double rising;
  int arm, both = carry_both(k);
  if (both && !(k->now.stage[STAGE_WIDTH] > 0)) {
    po_vec3 apart = po_v3_sub(k->task.thing.handle[0], k->task.thing.handle[1]);
    k->now.stage[STAGE_WIDTH] = sqrt(apart.x * apart.x + apart.y * apart.y);
    k->now.stage[STAGE_HEIGHT] = k->now.state > CARRY_APPROACH ? 0.5 * (k->task.thing.handle[0].z + k->task.thing.handle[1].z) : 0;
  }
  rising = k->now.state == CARRY_LIFT ? k->now.bow / PO_SKILL_BOW_STANDING : 0; /* s: the crate comes up with the trunk, not before it into the lap */
  if (!both) k->now.stage[STAGE_RISEN] = 0;
  else if (!(k->now.stage[STAGE_RISEN] > CARRY_LOAD && CARRY_LOAD + CARRY_RISE - k->now.stage[STAGE_RISEN] < rising))
    k->now.stage[STAGE_RISEN] = po_min(k->now.stage[STAGE_RISEN] + dt / g->time_scale, CARRY_LOAD + CARRY_RISE); /* s since it is held */
  for (arm = 0; arm < 2; arm++) {
    po_gbwc_hand *h = &g->skill.hand[arm];
    double x = k->now.stage[STAGE_RISEN], left = po_max(CARRY_LOAD + CARRY_RISE - x, rising) * g->time_scale;
    h->mass = both ? 0.5 * k->task.thing.mass * po_clamp(x / CARRY_LOAD, 0, 1) : 0;
    if (!both) continue;
    velocity = po_point_velocity(g->move.actor->data, 0, po_v3(0, 0, 0));
    if (left <= dt) h->target = carry_place(k, arm); /* from where it is to where it belongs, in the time that is left */
    else if (x > CARRY_LOAD || k->now.state == CARRY_APPROACH) h->target = po_v3_addscaled(h->target, dt / left, po_v3_sub(carry_place(k, arm), h->target));
    po_skill_hand(k, arm, 1, h->target, velocity, dt);
    h->elbow = CARRY_ELBOW;
  }
}

/* Hands come from outside: first beside the handles, then in. */
static void carry_reach(po_skill *k, int on, double dt) {
  po_vec3 across = po_v3_sub(k->task.thing.handle[0], k->task.thing.handle[1]);
  int arm;
  across = po_v3_norm(across) > 1e-6 ? po_v3_unit(across) : po_v3(0, 0, 0);
  for (arm = 0; arm < 2; arm++) {
    double out = CARRY_OUTSIDE * k->walk->length * po_clamp((CARRY_SETTLE + CARRY_IN - k->now.state_time) / CARRY_IN, 0, 1);
    po_skill_hand(k, arm, on, po_v3_addscaled(k->task.thing.handle[arm], (arm == 0 ? 1 : -1) * out, across), k->task.thing.velocity, dt);
    k->walk->skill.hand[arm].elbow = CARRY_ELBOW;
    k->task.close[arm] = on;
  }
}

static void carry_take(po_skill *k, double dt) {
  po_gbwc *g = k->walk;
  double si, co, before = (CARRY_BEFORE - k->now.stage[STAGE_NEARER]) * g->length, far, bow, low = 0.5 * (k->task.thing.handle[0].z + k->task.thing.handle[1].z) - po_skill_ground(k);
  po_vec3 at;
  int ready;
  po_sincos(&si, &co, k->task.thing.heading);
  at = po_v3_addscaled(k->task.thing.position, -before, po_v3(co, si, 0));
  far = po_skill_goto(k, at, k->task.thing.heading, k->params.speed);
  po_skill_tread(k, g->params.speed * g->time_scale);
  if (k->now.state == CARRY_APPROACH) {
    carry_reach(k, 0, dt);
    po_skill_pose(k, 0, dt);
    po_skill_rise(k);
    if (far < CARRY_AT * g->length && !(k->now.bow > 0)) po_skill_go(k, CARRY_TAKE);
    return;
  }
  bow = po_skill_bow_for(k, low);
  ready = po_skill_ready(k, bow, CARRY_SETTLE);
  if (!po_skill_stands(k)) k->now.state_time = 0;
  po_skill_pose(k, ready ? bow : 0, dt);
  carry_reach(k, po_skill_stands(k) && k->now.state_time > CARRY_SETTLE, dt);
  if (carry_both(k)) po_skill_go(k, CARRY_LIFT);
  else if (k->now.state_time > CARRY_PATIENCE + k->now.bow) {
    k->now.stage[STAGE_NEARER] = po_min(k->now.stage[STAGE_NEARER] + CARRY_NEARER, 3 * CARRY_NEARER);
    po_skill_go(k, CARRY_APPROACH);
  }
}

/* Away from the shelf and around it, when it stood on one. */
static void carry_leave(po_skill *k, double off, double dt) {
  double si, co, side = k->task.goal.turn < 0 ? -1 : 1, ahead = (CARRY_BEFORE + CARRY_ROUND_OFF) * k->walk->length;
  po_sincos(&si, &co, k->now.stage[STAGE_HEADING]);
  po_skill_pose(k, 0, dt);
  if (k->now.state == CARRY_BACK) {
    po_skill_face(k, k->now.stage[STAGE_HEADING]);
    k->walk->params.speed = -CARRY_BACKWARDS;
    po_skill_tread(k, 0);
    if (off > CARRY_AWAY * k->walk->length) po_skill_go(k, CARRY_ROUND);
    return;
  }
  po_skill_goto(k, po_v3(k->now.stage[STAGE_FROM_X] + co * ahead - si * side * CARRY_ASIDE, k->now.stage[STAGE_FROM_Y] + si * ahead + co * side * CARRY_ASIDE, 0), k->now.stage[STAGE_HEADING],
               po_min(k->params.speed, CARRY_SPEED));
  k->walk->params.speed = po_max(k->walk->params.speed, CARRY_BACKWARDS);
  po_skill_tread(k, 0);
  {
    po_vec3 p = k->move.actor->data->pose[0].p;
    if (co * (p.x - k->now.stage[STAGE_FROM_X]) + si * (p.y - k->now.stage[STAGE_FROM_Y]) > CARRY_PASSED * k->walk->length) po_skill_go(k, CARRY_WALK);
  }
}

static void carry_script(po_skill *k, const po_sense *sense) {
  double dt = sense->dt, off;
  po_vec3 com = k->move.actor->data->com;
  if (k->now.state <= CARRY_TAKE) {
    k->now.stage[STAGE_LOW] = k->task.thing.low - po_skill_ground(k);
    carry_take(k, dt);
    return;
  }
  po_skill_hold(k, dt);
  if (k->now.state == CARRY_LIFT) {
    po_skill_stop(k);
    po_skill_pose(k, k->now.stage[STAGE_RISEN] > CARRY_LOAD ? 0 : k->now.bow, dt);
    if (k->now.stage[STAGE_RISEN] >= CARRY_LOAD + CARRY_RISE && k->now.bow <= 0 && po_skill_stands(k) && k->now.state_time > CARRY_LOAD + CARRY_RISE + CARRY_SETTLE) {
      k->now.stage[STAGE_HEADING] = k->walk->now.facing;
      k->now.stage[STAGE_FROM_X] = com.x, k->now.stage[STAGE_FROM_Y] = com.y;
      po_skill_go(k, k->now.stage[STAGE_LOW] > CARRY_FLOOR ? CARRY_BACK : CARRY_WALK);
    }
    return;
  }
  off = sqrt((com.x - k->now.stage[STAGE_FROM_X]) * (com.x - k->now.stage[STAGE_FROM_X]) + (com.y - k->now.stage[STAGE_FROM_Y]) * (com.y - k->now.stage[STAGE_FROM_Y]));
  if (k->now.state < CARRY_WALK) {
    carry_leave(k, off, dt);
    return;
  }
  po_skill_face(k, k->now.stage[STAGE_HEADING] + (k->now.state > CARRY_WALK ? k->task.goal.turn : po_clamp(k->task.goal.turn, -CARRY_TURN * k->now.state_time, CARRY_TURN * k->now.state_time)));
  po_skill_walk(k, po_min(k->params.speed, CARRY_SPEED), dt);
  if (k->now.state == CARRY_WALK && (k->task.goal.stop > 0 ? po_skill_ahead(k, com) > k->task.goal.stop : off > k->task.goal.distance)) po_skill_go(k, CARRY_STOP);
  if (k->now.state > CARRY_WALK) {
    if (k->now.state == CARRY_STOP) po_skill_halt(k);
    else po_skill_stop(k);
    if (k->now.state == CARRY_STOP && po_skill_stands(k)) po_skill_go(k, CARRY_STAND);
    else if (k->now.state == CARRY_STAND && !po_skill_stands(k)) po_skill_go(k, CARRY_STOP);
  }
}

const po_skill_kind po_skill_carry = {carry_state, carry_script, 2};
