/* skill_reach.c: walk to a thing, take it with one hand, walk on with it. Low things need a bow, high ones a raised arm; the way ends where the arm gets there. */
#include "skill_internal.h"

#define REACH_BEFORE 0.36        /* m from the pelvis to the thing, for the leg of 0.86 m, as all lengths, */
#define REACH_BOWED 0.18         /* and so much more for who bows as deep as he can: shoulders are ahead then */
#define REACH_KNEES 0.1          /* m per bow beyond that, and so much less: who bends the knees sits back */
#define REACH_ASIDE 0.16         /* m: it is passed on the side of the hand */
#define REACH_AT 0.06            /* m: near enough to that place */
#define REACH_PATIENCE 3.0       /* s: a hand that does not get there tries from a place nearer by REACH_NEARER */
#define REACH_SETTLE 0.5         /* s that it stands before it bows */
#define REACH_NEARER 0.05
#define REACH_AHEAD 0.3          /* m before the pelvis, */
#define REACH_OUT 0.25           /* to the side of it, */
#define REACH_ABOVE 0.15         /* and above it: where the hand carries it */
#define REACH_HANGS 0.8          /* of the arm's length below its shoulder: where it hangs meanwhile */
#define REACH_RISE 1.0           /* s in which it gets there */
#define REACH_ELBOW 1.2          /* rad outwards, of an arm that is raised by its length: shoulders do not turn as far as an elbow below would need */
#define REACH_HAND 1.2           /* m/s: the hand goes there no faster: thrown up within 0.2 s, a long arm folds the trunk that throws it */
#define REACH_OVER 0.4           /* m above it, per bow that is left to do */
#define REACH_MOVED 0.25         /* m: a thing that has been moved so far is walked to again */

enum { REACH_APPROACH, REACH_TAKE, REACH_WALK };
static const char *const reach_state[] = {"approach", "reach", "walk"};
enum { REACH_STAGE_HAND, REACH_STAGE_NEARER, REACH_STAGE_HEADING, REACH_STAGE_X, REACH_STAGE_Y, REACH_STAGE_Z }; /* of po_skill.stage; hand + 1 */

/* The hand that was asked for, or that on the thing's side. */
static int reach_hand(po_skill *k) {
  po_vec3 p = k->move.actor->data->pose[0].p;
  double s, c;
  if (k->now.stage[REACH_STAGE_HAND] > 0) return (int)k->now.stage[REACH_STAGE_HAND] - 1;
  po_sincos(&s, &c, k->now.start_heading);
  k->now.stage[REACH_STAGE_HAND] = k->task.goal.hand > 0 ? k->task.goal.hand : -s * (k->task.thing.position.x - p.x) + c * (k->task.thing.position.y - p.y) > 0 ? 1 : 2;
  if (!(k->walk->arms[(int)k->now.stage[REACH_STAGE_HAND] - 1].upper > 0)) k->now.stage[REACH_STAGE_HAND] = 3 - k->now.stage[REACH_STAGE_HAND];
  return (int)k->now.stage[REACH_STAGE_HAND] - 1;
}

/* Beside the pelvis; who is still bowed lets the arm hang from its shoulder, where no knees are in its way. */
static void reach_carry(po_skill *k, int arm, double dt) {
  po_gbwc *g = k->walk;
  const po_data *d = g->move.actor->data;
  po_gbwc_hand *h = &g->skill.hand[arm];
  po_vec3 p = d->pose[0].p, hang = d->pose[g->move.actor->legs.upper_arm[arm]].p, place, velocity = po_point_velocity(d, 0, po_v3(0, 0, 0));
  double s, c, y = (arm == 0 ? 1 : -1) * REACH_OUT * g->length, left = REACH_RISE * g->time_scale - k->now.state_time;
  po_sincos(&s, &c, po_heading_total(&g->move.actor->heading));
  place = po_v3(p.x + c * REACH_AHEAD * g->length - s * y, p.y + s * REACH_AHEAD * g->length + c * y, p.z + REACH_ABOVE * g->length);
  hang.z -= REACH_HANGS * k->arm_length;
  place = po_v3_addscaled(place, po_min(k->now.bow, 1), po_v3_sub(hang, place));
  if (k->now.bow > 0) place.z = po_max(place.z, h->target.z); /* fists reach farther down than what they hold */
  if (left > dt) place = po_v3_addscaled(h->target, dt / left, po_v3_sub(place, h->target));
  po_skill_hand(k, arm, 1, place, velocity, dt);
  h->mass = k->task.thing.mass * po_clamp(k->now.state_time / PO_SKILL_BLEND, 0, 1);
}

/* The hand on its way from where it is to the thing; who bows for it takes the hand down with the trunk, over it until the shoulder is low: an arm that is
 * stretched all the way comes down upright, fist first, and fists are long. */
static void reach_out(po_skill *k, int arm, int on, double bow, double dt) {
  po_gbwc *g = k->walk;
  const po_gbwc_hand *h = &g->skill.hand[arm];
  po_vec3 from = h->weight > 0 ? h->target : po_gbwc_hand_position(g, arm), to = k->task.thing.handle[arm], way, velocity = k->task.thing.velocity;
  double far, speed = REACH_HAND * g->length / g->time_scale;
  to.z += REACH_OVER * g->length * po_max(bow - k->now.bow, 0);
  way = po_v3_sub(to, from);
  far = po_v3_norm(way);
  if (!(bow > 0) && far > speed * dt) {
    velocity = po_v3_scale(speed / far, way);
    way = po_v3_scale(dt, velocity);
  }
  po_skill_hand(k, arm, on, po_v3_add(from, way), velocity, dt);
}

/* Where to stand for it, and how deep to bow. */
static double reach_place(po_vec3 *at, const po_skill *k, int arm) {
  const po_gbwc *g = k->walk;
  double s, c, bow = po_skill_bow_for(k, k->task.thing.handle[arm].z - po_skill_ground(k));
  double before = (REACH_BEFORE - REACH_KNEES * po_max(bow - 1, 0) + REACH_BOWED * po_min(bow, 1) - k->now.stage[REACH_STAGE_NEARER]) * g->length, side = (arm == 0 ? 1 : -1) * REACH_ASIDE * g->length;
  po_sincos(&s, &c, k->now.stage[REACH_STAGE_HEADING]);
  *at = po_v3(k->task.thing.handle[arm].x - c * before + s * side, k->task.thing.handle[arm].y - s * before - c * side, 0);
  return bow;
}

static void reach_script(po_skill *k, const po_sense *sense) {
  po_gbwc *g = k->walk;
  int arm = reach_hand(k), ready;
  double far, bow, dt = sense->dt, moved;
  po_vec3 at, thing = k->task.thing.position, to = po_v3_sub(thing, g->move.actor->data->pose[0].p);
  if (k->now.state == REACH_WALK) {
    po_skill_pose(k, 0, dt);
    reach_carry(k, arm, dt);
    if (!po_skill_rise(k)) po_skill_tread(k, g->params.speed * g->time_scale);
    if (!(k->task.thing.held[arm] > 0)) po_skill_go(k, REACH_APPROACH);
    return;
  }
  moved = po_v3_norm(po_v3_sub(thing, po_v3(k->now.stage[REACH_STAGE_X], k->now.stage[REACH_STAGE_Y], k->now.stage[REACH_STAGE_Z])));
  if (moved > REACH_MOVED * g->length || (k->now.state == REACH_APPROACH && to.x * to.x + to.y * to.y > 1)) { /* far away it is faced; near by one keeps one's heading */
    k->now.stage[REACH_STAGE_HEADING] = po_atan2(to.y, to.x);
    k->now.stage[REACH_STAGE_X] = thing.x, k->now.stage[REACH_STAGE_Y] = thing.y, k->now.stage[REACH_STAGE_Z] = thing.z;
    if (k->now.state == REACH_TAKE) po_skill_go(k, REACH_APPROACH);
  }
  bow = reach_place(&at, k, arm);
  far = po_skill_goto(k, at, k->now.stage[REACH_STAGE_HEADING], k->params.speed);
  g->skill.hand[arm].mass = 0;
  if (k->now.state == REACH_APPROACH) {
    po_skill_pose(k, 0, dt);
    po_skill_rise(k);
    po_skill_hand(k, arm, 0, thing, k->task.thing.velocity, dt);
    k->task.close[arm] = 0;
    if (far < REACH_AT * g->length && !(k->now.bow > 0)) po_skill_go(k, REACH_TAKE);
    return;
  }
  ready = po_skill_ready(k, bow, REACH_SETTLE);
  if (!po_skill_stands(k) && k->now.bow <= 0) k->now.state_time = 0;
  po_skill_pose(k, ready ? bow : 0, dt);
  reach_out(k, arm, po_skill_stands(k) || g->skill.hand[arm].weight > 0, bow, dt);
  g->skill.hand[arm].elbow = po_clamp(REACH_ELBOW * (k->task.thing.handle[arm].z - po_skill_ground(k) - k->shoulder_height) / k->arm_length, 0, REACH_ELBOW);
  k->task.close[arm] = 1;
  if (k->task.thing.held[arm] > 0) po_skill_go(k, REACH_WALK);
  else if (k->now.state_time > REACH_PATIENCE + k->now.bow) {
    k->now.stage[REACH_STAGE_NEARER] = k->now.stage[REACH_STAGE_NEARER] > 2.5 * REACH_NEARER ? -REACH_NEARER : k->now.stage[REACH_STAGE_NEARER] + REACH_NEARER;
    po_skill_go(k, REACH_APPROACH);
  }
}

const po_skill_kind po_skill_reach = {reach_state, reach_script, 1};
