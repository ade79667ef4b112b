/* skill_crate.c: push or pull a crate by its handles: walk up to it, take both, walk on or back; a changing lean gives tugs.
 *
 * A virtual force at the hands moves the crate. Arms and trunk bring it about (J'F), and what is felt of it counts in the balance as a shift of the COM
 * (gbwc_arms.c): who pushes leans into the crate, who pulls leans back, as far as the force asks for. Arms become straight and stay so: struts, or ropes. The body
 * is asked to walk as fast as the crate goes and hardly faster: asked for more than it can do, it would put its feet ahead of a COM that stays behind.
 */
#include "skill_internal.h"

#define CRATE_BEFORE 0.42        /* m from the pelvis to the handles, for the leg of 0.86 m, as all lengths */
#define CRATE_ARMS 0.6           /* m from shoulders to handles while it is moved: arms that are nearly straight are struts, or ropes, */
#define CRATE_LEAD 0.05          /* m: and the body is asked to be so much nearer (who pulls: farther), so that it walks ahead of its load */
#define CRATE_AT 0.06            /* m: near enough to that place */
#define CRATE_SPEED 0.3          /* m/s, at most */
#define CRATE_STEP 0.55          /* s: short steps, since the load is carried on one foot */
#define CRATE_GROWS 0.3          /* of the weight, per second and m/s that the crate is too slow: how fast the force grows, */
#define CRATE_ANSWERS 0.4        /* and what is added at once; */
#define CRATE_SPRING 0.9         /* of the weight per metre that arms are stretched beyond that: who pushes pushes less, who pulls pulls more */
#define CRATE_FEEL 0.15          /* s: over which the pull at the hands is smoothed that the balance counts with */
#define CRATE_TRUST 0.9          /* share of what that is off by: with the rest the body leans towards the force it is asked for, when arms are straight and only leaning makes it */
#define CRATE_SMOOTH 0.3         /* s: over which the crate's speed is smoothed that the body walks with */
#define CRATE_EASE 1.0           /* s in which the push begins and ends */
#define CRATE_STRAIGHT 2.0       /* of the force, per rad: one hand pushes more when the crate turns */
#define CRATE_FOLLOW 0.5         /* m/s per metre that the body is too far from its hands, */
#define CRATE_CATCH 0.1          /* m/s at most: asked for much more than it can go, it would put its feet ahead of a body that hangs back */
#define CRATE_ASIDE 0.15         /* m/s */
#define CRATE_FASTEST 0.5        /* m/s */
#define CRATE_ELBOW 0.5          /* rad outwards */
#define CRATE_SETTLE 0.4         /* s that it stands before it takes hold */
#define CRATE_PATIENCE 4.0       /* s: hands that do not get there try from a place nearer by CRATE_NEARER */
#define CRATE_NEARER 0.04
#define CRATE_TUG 1.0            /* tugs per second */
#define CRATE_CROUCH 0.12        /* of the leg: legs that lean have to be able to stretch, */
#define CRATE_LEAN 15.0          /* degrees: and the trunk leans with them, at a quarter of the weight */
#define CRATE_MOST 0.45          /* of the weight: the largest force that is asked for; an eighth of it does not arrive, since the lean follows what is felt */

enum { CRATE_APPROACH, CRATE_TAKE, CRATE_PUSH, CRATE_STOP };
static const char *const crate_state[] = {"approach", "take", "push", "stop"};
enum { CRATE_STAGE_NEARER, CRATE_STAGE_HEADING, CRATE_STAGE_X, CRATE_STAGE_Y, CRATE_STAGE_FORCE, CRATE_STAGE_SPEED }; /* of po_skill.stage */

static double crate_speed(const po_skill *k) { return k->now.ease * po_min(k->params.speed, CRATE_SPEED) * k->walk->time_scale; }
static int crate_both(const po_skill *k) { return k->task.thing.held[0] > 0 && k->task.thing.held[1] > 0; }

static void crate_hands(po_skill *k, int on, double dt) {
  int arm;
  for (arm = 0; arm < 2; arm++) {
    /* a hand that holds is where it is to be: drawn on to the handle's middle, 3 cm off at most, it would push or pull with a force that nobody asked for */
    po_skill_hand(k, arm, on, k->task.thing.held[arm] > 0 ? po_gbwc_hand_position(k->walk, arm) : k->task.thing.handle[arm], k->task.thing.velocity, dt);
    k->walk->skill.hand[arm].elbow = CRATE_ELBOW;
    k->task.close[arm] = on;
  }
}

/* m along the heading from the shoulders to the hands: how far the arms are stretched. */
static double crate_ahead(const po_skill *k, double c, double s) {
  const po_actor *a = k->move.actor;
  po_vec3 mid = po_v3_add(k->task.thing.handle[0], k->task.thing.handle[1]), from = po_v3_add(a->data->pose[a->legs.upper_arm[0]].p, a->data->pose[a->legs.upper_arm[1]].p);
  return 0.5 * (c * (mid.x - from.x) + s * (mid.y - from.y));
}

/* The force along the heading that the crate is moved with: it grows until the crate goes as fast as it should, and who pushes pushes less when the arms are
 * stretched. What is measured at the hands is not used for it: arms that answered to it would push against their own push. It is used in the balance, where a
 * force that is not as it was asked for would push the body over: straight arms pass on what the body leans with, not what their joints are asked for. */
static void crate_force(po_skill *k, double way, double dt) {
  const po_gbwc *g = k->walk;
  double weight = g->move.actor->model->total_mass * po_v3_norm(g->move.actor->data->gravity), s, c, near, late, turn, now, force;
  int arm;
  po_sincos(&s, &c, k->now.stage[CRATE_STAGE_HEADING]);
  near = po_min(CRATE_ARMS - way * CRATE_LEAD - crate_ahead(k, c, s) / g->length, 0);
  late = (k->now.state == CRATE_PUSH ? way * crate_speed(k) : 0) - (c * k->task.thing.velocity.x + s * k->task.thing.velocity.y);
  k->now.stage[CRATE_STAGE_FORCE] += CRATE_GROWS * weight * late * dt;
  if (k->now.state == CRATE_STOP) k->now.stage[CRATE_STAGE_FORCE] -= k->now.stage[CRATE_STAGE_FORCE] * po_min(dt / (CRATE_EASE * g->time_scale), 1);
  k->now.stage[CRATE_STAGE_FORCE] = way * po_clamp(way * k->now.stage[CRATE_STAGE_FORCE], 0, CRATE_MOST * weight);
  force = k->now.stage[CRATE_STAGE_FORCE] + weight * (CRATE_SPRING * near + CRATE_ANSWERS * po_clamp(late, -0.3, 0.3));
  force = way * po_clamp(way * force, 0, CRATE_MOST * weight);
  turn = po_wrap(k->task.thing.heading - k->now.stage[CRATE_STAGE_HEADING]);
  for (arm = 0; arm < 2; arm++) {
    po_vec3 *load = &k->walk->skill.hand[arm].load, *missed = &k->now.missed[arm];
    now = 0.5 * force + (arm == 0 ? 1 : -1) * po_clamp(CRATE_STRAIGHT * turn, -0.5, 0.5) * po_abs(force);
    *load = po_v3(-now * c, -now * s, 0);
    /* felt: the force asked for, and what it was off by so far */
    *missed = po_v3_addscaled(*missed, po_min(dt / (CRATE_FEEL * g->time_scale), 1), po_v3_sub(po_v3_sub(k->task.thing.pull[arm], *load), *missed));
    k->walk->skill.hand[arm].felt = po_v3(load->x + CRATE_TRUST * missed->x, load->y + CRATE_TRUST * missed->y, 0);
  }
}

/* The body goes with the crate, a little nearer to it than straight arms (who pulls: farther away), and follows it to the side. */
static void crate_push(po_skill *k, double dt) {
  po_gbwc *g = k->walk;
  po_vec3 p = g->move.actor->data->pose[0].p, mid = po_v3_scale(0.5, po_v3_add(k->task.thing.handle[0], k->task.thing.handle[1]));
  double s, c, c0, si, ahead, side, speed, way = k->task.goal.pull > 0 ? -1 : 1;
  po_sincos(&s, &c, k->now.stage[CRATE_STAGE_HEADING]);
  po_skill_face(k, k->now.stage[CRATE_STAGE_HEADING]);
  crate_hands(k, 1, dt);
  crate_force(k, way, dt);
  c0 = c;
  ahead = crate_ahead(k, c, s);
  k->now.stage[CRATE_STAGE_SPEED] += (c * k->task.thing.velocity.x + s * k->task.thing.velocity.y - k->now.stage[CRATE_STAGE_SPEED]) * po_min(dt / (CRATE_SMOOTH * g->time_scale), 1);
  speed = k->now.stage[CRATE_STAGE_SPEED] / g->time_scale;
  po_sincos(&si, &c, 2 * PO_PI * CRATE_TUG * k->now.state_time);
  g->params.lean_deg += PO_DEG(k->task.goal.tug) * si;
  ahead = po_clamp(CRATE_FOLLOW * (ahead - (CRATE_ARMS - way * CRATE_LEAD) * g->length), -CRATE_CATCH, CRATE_CATCH);
  g->params.speed = po_clamp(speed + ahead / g->time_scale, -CRATE_FASTEST, CRATE_FASTEST);
  side = -s * (mid.x - p.x) + c0 * (mid.y - p.y);
  g->params.side_speed = po_clamp(CRATE_FOLLOW * side / g->time_scale, -CRATE_ASIDE, CRATE_ASIDE);
  g->params.step_time = po_min(k->params.step_time, CRATE_STEP);
  k->now.ease = po_min(k->now.ease + dt / (CRATE_EASE * g->time_scale), 1);
  g->skill.drop += k->now.ease * CRATE_CROUCH * g->leg;
  g->params.lean_deg += k->now.ease * CRATE_LEAN * way * po_min(po_abs(k->now.stage[CRATE_STAGE_FORCE]) / (0.25 * g->move.actor->model->total_mass * po_v3_norm(g->move.actor->data->gravity)), 1);
}

static void crate_script(po_skill *k, const po_sense *sense) {
  po_gbwc *g = k->walk;
  double si, co, far, dt = sense->dt, before = (CRATE_BEFORE - k->now.stage[CRATE_STAGE_NEARER]) * g->length;
  po_vec3 mid = po_v3_scale(0.5, po_v3_add(k->task.thing.handle[0], k->task.thing.handle[1])), at;
  po_skill_pose(k, k->now.state >= CRATE_PUSH || (k->now.state == CRATE_TAKE && (po_skill_stands(k) || k->now.bow > 0)) ? po_skill_bow_for(k, mid.z - po_skill_ground(k)) : 0, dt);
  if (k->now.state >= CRATE_PUSH) {
    crate_push(k, dt);
    si = (k->task.thing.position.x - k->now.stage[CRATE_STAGE_X]) * (k->task.thing.position.x - k->now.stage[CRATE_STAGE_X]) + (k->task.thing.position.y - k->now.stage[CRATE_STAGE_Y]) * (k->task.thing.position.y - k->now.stage[CRATE_STAGE_Y]);
    if (k->now.state == CRATE_PUSH && si > k->task.goal.distance * k->task.goal.distance) po_skill_go(k, CRATE_STOP);
    if (k->now.state == CRATE_STOP) po_skill_stop(k);
    return;
  }
  po_sincos(&si, &co, k->task.thing.heading);
  at = po_v3_addscaled(mid, -before, po_v3(co, si, 0));
  far = po_skill_goto(k, at, k->task.thing.heading, k->params.speed);
  if (k->now.state == CRATE_APPROACH) {
    crate_hands(k, 0, dt);
    if (far < CRATE_AT * g->length) po_skill_go(k, CRATE_TAKE);
    return;
  }
  po_skill_stop(k);
  if (!po_skill_stands(k)) k->now.state_time = 0;
  crate_hands(k, po_skill_stands(k) && k->now.state_time > CRATE_SETTLE, dt);
  if (crate_both(k)) {
    k->now.stage[CRATE_STAGE_HEADING] = g->now.facing;
    k->now.stage[CRATE_STAGE_X] = k->task.thing.position.x, k->now.stage[CRATE_STAGE_Y] = k->task.thing.position.y;
    po_skill_go(k, CRATE_PUSH);
  } else if (k->now.state_time > CRATE_PATIENCE) {
    k->now.stage[CRATE_STAGE_NEARER] = po_min(k->now.stage[CRATE_STAGE_NEARER] + CRATE_NEARER, 3 * CRATE_NEARER);
    po_skill_go(k, CRATE_APPROACH);
  }
}

const po_skill_kind po_skill_crate = {crate_state, crate_script, 2};
