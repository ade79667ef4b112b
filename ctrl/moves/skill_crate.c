/* skill_crate.c: push or pull a crate by its handles: walk up to it, take both, walk on or back; a changing lean gives tugs.
 *
 * What pulls at the hands is felt. Arms and trunk hold against it, and in the balance it counts as a shift of the COM (gbwc_arms.c): who pushes leans into the
 * crate, who pulls leans back, as far as the force asks for.
 */
#include "skill_internal.h"

#define CRATE_BEFORE 0.42        /* m from the pelvis to the handles, for the leg of 0.86 m, as all lengths */
#define CRATE_AT 0.06            /* m: near enough to that place */
#define CRATE_SPEED 0.3          /* m/s, at most */
#define CRATE_STEP 0.55          /* s: short steps, since the load is carried on one foot */
#define CRATE_FEEL 0.08          /* s: time constant of what is felt */
#define CRATE_ELBOW 0.5          /* rad outwards */
#define CRATE_SETTLE 0.4         /* s that it stands before it takes hold */
#define CRATE_PATIENCE 4.0       /* s: hands that do not get there try from a place nearer by CRATE_NEARER */
#define CRATE_NEARER 0.04
#define CRATE_TUG 1.0            /* tugs per second */
#define CRATE_MOST 0.45          /* of the weight, on each hand: what is felt beyond that is a blow, and not leant against */

enum { CRATE_APPROACH, CRATE_TAKE, CRATE_PUSH, CRATE_STOP };
static const char *const crate_state[] = {"approach", "take", "push", "stop"};
enum { CRATE_STAGE_NEARER, CRATE_STAGE_HEADING, CRATE_STAGE_X, CRATE_STAGE_Y, CRATE_STAGE_AHEAD }; /* of po_skill.stage */

static int crate_both(const po_skill *k) { return k->thing.held[0] > 0 && k->thing.held[1] > 0; }

static void crate_hands(po_skill *k, int on, double dt) {
  int arm;
  for (arm = 0; arm < 2; arm++) {
    po_skill_hand(k, arm, on, k->thing.handle[arm], k->thing.velocity, dt);
    k->walk->skill.hand[arm].elbow = CRATE_ELBOW;
    k->close[arm] = on;
  }
}

static void crate_feel(po_skill *k, double dt) {
  const po_gbwc *g = k->walk;
  double most = CRATE_MOST * g->move.actor->model->total_mass * po_v3_norm(g->move.actor->data->gravity);
  int arm;
  for (arm = 0; arm < 2; arm++) {
    po_vec3 *load = &k->walk->skill.hand[arm].load, felt = k->thing.held[arm] > 0 ? k->thing.pull[arm] : po_v3(0, 0, 0);
    double size = po_v3_norm(felt);
    if (size > most) felt = po_v3_scale(most / size, felt);
    *load = po_v3_addscaled(*load, po_min(dt / CRATE_FEEL, 1), po_v3_sub(felt, *load));
  }
}

/* Hands that hold keep their place before the body. */
static void crate_push(po_skill *k, double dt) {
  po_gbwc *g = k->walk;
  po_vec3 p = g->move.actor->data->pose[0].p, velocity = po_point_velocity(g->move.actor->data, 0, po_v3(0, 0, 0));
  double s, c, si;
  int arm;
  po_sincos(&s, &c, k->stage[CRATE_STAGE_HEADING]);
  po_skill_face(k, k->stage[CRATE_STAGE_HEADING]);
  for (arm = 0; arm < 2; arm++) {
    po_vec3 handle = k->thing.handle[arm];
    double side = -s * (handle.x - p.x) + c * (handle.y - p.y), ahead = k->stage[CRATE_STAGE_AHEAD];
    po_skill_hand(k, arm, 1, po_v3(p.x + c * ahead - s * side, p.y + s * ahead + c * side, handle.z), velocity, dt);
    g->skill.hand[arm].elbow = CRATE_ELBOW;
  }
  po_sincos(&si, &c, 2 * PO_PI * CRATE_TUG * k->state_time);
  g->params.lean_deg += PO_DEG(k->goal.tug) * si;
  g->params.speed = (k->goal.pull > 0 ? -1 : 1) * po_min(k->params.speed, CRATE_SPEED);
  g->params.step_time = po_min(k->params.step_time, CRATE_STEP);
}

static void crate_script(po_skill *k, const po_sense *sense) {
  po_gbwc *g = k->walk;
  double si, co, far, dt = sense->dt, before = (CRATE_BEFORE - k->stage[CRATE_STAGE_NEARER]) * g->length;
  po_vec3 mid = po_v3_scale(0.5, po_v3_add(k->thing.handle[0], k->thing.handle[1])), at;
  crate_feel(k, dt);
  po_skill_pose(k, 0, dt);
  if (k->state >= CRATE_PUSH) {
    crate_push(k, dt);
    si = (k->thing.position.x - k->stage[CRATE_STAGE_X]) * (k->thing.position.x - k->stage[CRATE_STAGE_X]) + (k->thing.position.y - k->stage[CRATE_STAGE_Y]) * (k->thing.position.y - k->stage[CRATE_STAGE_Y]);
    if (k->state == CRATE_PUSH && si > k->goal.distance * k->goal.distance) po_skill_go(k, CRATE_STOP);
    if (k->state == CRATE_STOP) po_skill_stop(k);
    return;
  }
  po_sincos(&si, &co, k->thing.heading);
  at = po_v3_addscaled(mid, -before, po_v3(co, si, 0));
  far = po_skill_goto(k, at, k->thing.heading, k->params.speed);
  if (k->state == CRATE_APPROACH) {
    crate_hands(k, 0, dt);
    if (far < CRATE_AT * g->length) po_skill_go(k, CRATE_TAKE);
    return;
  }
  po_skill_stop(k);
  if (!po_skill_stands(k)) k->state_time = 0;
  crate_hands(k, po_skill_stands(k) && k->state_time > CRATE_SETTLE, dt);
  if (crate_both(k)) {
    po_vec3 p = g->move.actor->data->pose[0].p;
    k->stage[CRATE_STAGE_HEADING] = g->facing;
    k->stage[CRATE_STAGE_X] = k->thing.position.x, k->stage[CRATE_STAGE_Y] = k->thing.position.y;
    po_sincos(&si, &co, g->facing);
    k->stage[CRATE_STAGE_AHEAD] = co * (mid.x - p.x) + si * (mid.y - p.y);
    po_skill_go(k, CRATE_PUSH);
  } else if (k->state_time > CRATE_PATIENCE) {
    k->stage[CRATE_STAGE_NEARER] = po_min(k->stage[CRATE_STAGE_NEARER] + CRATE_NEARER, 3 * CRATE_NEARER);
    po_skill_go(k, CRATE_APPROACH);
  }
}

const po_skill_kind po_skill_crate = {crate_state, crate_script, 2};
