/* skill.c: what skills have in common: the walker inside, postures, hands, the ground ahead; the types. */
#include "skill_internal.h"
#include "ground_line.h"
#include "moves_internal.h"
#include <string.h>

#define SKILL_BOW_LEAN 25.0      /* degrees of the pelvis, */
#define SKILL_BOW_BEND 62.0      /* of the thorax beyond it, */
#define SKILL_BOW_DROP 0.20      /* share of the leg by which the hip sinks: the deepest bow */
#define SKILL_BOW_MOST 2.4       /* beyond 1 the knees bend on, */
#define SKILL_BOW_TIP 8.0       /* degrees that the pelvis tips on per bow beyond 1 */
#define SKILL_ARM_DOWN 0.85      /* of an arm's length: how far below the shoulder a hand is that reaches down and ahead */
#define SKILL_NEAR 0.7           /* m: nearer than this a place is come to by steps ahead, back and to the side, already facing as one is to face there */
#define SKILL_SLOWING 0.9        /* m/s per metre that is left */
#define SKILL_CREEP 0.35         /* m/s */
#define SKILL_STEP_BACK 0.2      /* m/s */
#define SKILL_BOW_RATE 1.2       /* of it per second below bars; PO_SKILL_BOW_STANDING of who stands */
#define SKILL_BOW_LAG 0.25       /* rad: a trunk that is so much lower than it should be is waited for */
#define SKILL_BOW_WALKS 0.1      /* who bows deeper for something first rises, then walks */
#define SKILL_BRACE 0.6          /* of the trunk's m g h: what it is held with per radian, at least (human 0.95, child by its gains 0.29) */
#define SKILL_BOW_AHEAD 0.5      /* of half a sole: who is so far ahead of its middle rises no further, and from half of that on slower */
#define SKILL_EVEN 0.2          /* of the hips' distance: who stands farther to one side than this is not about to bow */
#define SKILL_BOW_NEAR 0.35      /* m from a bar within which all of the bow is there, */
#define SKILL_BOW_FAR 1.1        /* and from which on it begins, for the leg of 0.86 m */
#define SKILL_BOW_HEAD 0.45      /* m: a bowed head is so far before the COM */
#define SKILL_BOW_ROOM 0.08      /* m between head and bar */
#define SKILL_LOOK 1.0           /* m: how far ahead edges count for the time of a step */
#define SKILL_LOOK_STEP 0.04     /* m between looks */
#define SKILL_SLOW 0.6           /* s more of a step per metre that it has to rise */
#define SKILL_SPEED 0.55         /* m/s: faster is not walked where the ground is not level */
#define SKILL_ELBOWS 80.0        /* degrees: of who steps over something high */
#define SKILL_PLANS 0.15         /* m/s: from here on footholds are planned */
#define SKILL_CLEARANCE 0.04     /* m below a sole that passes over something */

static po_skill *skill_own(po_move *m) { return (po_skill *)(void *)m; }

po_skill *po_skill_of(po_move *m) {
  const po_move_type *t = m ? m->type : NULL;
  return t == &po_course_type || t == &po_reach_type || t == &po_crate_type || t == &po_carry_type ? skill_own(m) : NULL;
}

/* ---- what scripts use ---- */

void po_skill_go(po_skill *k, int state) {
  k->now.state = state;
  k->now.state_time = 0;
}

po_skill_task *po_skill_task_of(po_move *m) {
  po_skill *k = po_skill_of(m);
  return k ? &k->task : NULL;
}

po_gbwc *po_skill_walker(const po_move *m) {
  po_skill *k = po_skill_of((po_move *)m);
  return k ? k->walk : NULL;
}

double po_skill_along(const po_move *m, po_vec3 x) { return po_skill_ahead(skill_own((po_move *)m), x); }

double po_skill_ahead(const po_skill *k, po_vec3 x) {
  double s, c;
  po_sincos(&s, &c, k->now.start_heading);
  return c * (x.x - k->now.start.x) + s * (x.y - k->now.start.y);
}

void po_skill_face(po_skill *k, double heading) {
  k->walk->params.heading = PO_DEG(po_wrap(heading - k->walk->now.north));
}

void po_skill_stop(po_skill *k) { k->walk->params.walk = 0; }
int po_skill_rise(po_skill *k) {
  if (k->now.bow > SKILL_BOW_WALKS) po_skill_stop(k);
  return k->now.bow > SKILL_BOW_WALKS;
}

int po_skill_stands(const po_skill *k) { return k->walk->now.mode == PO_GBWC_STAND; }

/* The point of rest c + v/w from the middle of the soles: ahead, to the left. */
static po_vec3 skill_rest(const po_skill *k) {
  const po_gbwc *g = k->walk;
  const po_actor *a = g->move.actor;
  po_vec3 com, velocity, mid = po_v3_scale(0.5, po_v3_add(a->data->pose[a->legs.foot[0]].p, a->data->pose[a->legs.foot[1]].p));
  double s, c;
  po_gbwc_whole(&com, &velocity, g);
  po_sincos(&s, &c, po_heading_total(&a->heading));
  com = po_v3_addscaled(po_v3_sub(com, mid), sqrt(po_max(com.z - mid.z, 0) / po_v3_norm(a->data->gravity)), velocity);
  return po_v3(c * com.x + s * com.y - 0.5 * (g->toe - g->heel), -s * com.x + c * com.y, 0);
}

static int skill_even(const po_skill *k) { return po_abs(skill_rest(k).y) < SKILL_EVEN * k->walk->hip_width; }

int po_skill_ready(po_skill *k, double bow, double seconds) {
  int waited = po_skill_stands(k) && k->now.state_time > seconds;
  if (bow > 0 && k->now.bow <= 0 && waited && !skill_even(k)) {
    k->walk->params.speed = k->walk->params.side_speed = 0;
    return 0;
  }
  po_skill_stop(k);
  return waited || k->now.bow > 0;
}

double po_skill_top(const po_skill *k, double bow) {
  double lean = bow * PO_RAD(SKILL_BOW_LEAN), bend = bow * PO_RAD(SKILL_BOW_BEND), top = k->column[0] - bow * SKILL_BOW_DROP * k->walk->leg;
  top += (k->column[1] - k->column[0]) * po_cos(lean) + (k->column[2] - k->column[1]) * po_cos(lean + 0.5 * bend);
  return top + (k->column[3] - k->column[2]) * po_cos(lean + bend) + (k->column[4] - k->column[3]) * po_cos(0.5 * lean + bend) + k->head_radius;
}

po_skill_heights po_skill_heights_of(const po_move *m) {
  const po_skill *k = skill_own((po_move *)m);
  po_skill_heights h;
  h.bar = po_skill_top(k, 1) + SKILL_BOW_ROOM * k->walk->length;
  h.lift = po_skill_lifts(k);
  h.shoulder = k->shoulder_height;
  h.reach = k->shoulder_height + k->arm_length;
  return h;
}

/* degrees */
static double skill_lean(double bow) { return po_min(bow, 1) * SKILL_BOW_LEAN + po_max(bow - 1, 0) * SKILL_BOW_TIP; }

/* rad: how far the thorax leans beyond what is asked of it. */
static double skill_lag(const po_skill *k) {
  const po_gbwc *g = k->walk;
  if (k->thorax < 0) return 0;
  return po_acos(po_clamp(po_m3_mult(g->move.actor->data->pose[k->thorax].R, g->rest[k->thorax]).m[8], -1, 1)) - PO_RAD(skill_lean(k->now.bow) + po_min(k->now.bow, 1) * SKILL_BOW_BEND);
}

void po_skill_pose(po_skill *k, double bow, double dt) {
  po_gbwc *g = k->walk;
  double most = (po_skill_stands(k) ? PO_SKILL_BOW_STANDING : SKILL_BOW_RATE) / g->time_scale * dt, trunk;
  bow = po_clamp(bow, 0, SKILL_BOW_MOST);
  if (bow < k->now.bow && po_skill_stands(k)) { /* hips that rise before the trunk does leave it ahead of the feet */
    double room = SKILL_BOW_AHEAD * 0.5 * (g->heel + g->toe);
    if (skill_lag(k) > SKILL_BOW_LAG) bow = k->now.bow;
    most *= po_clamp(2 - 2 * skill_rest(k).x / room, 0, 1);
  }
  k->now.bow += po_clamp(bow - k->now.bow, -most, most);
  trunk = po_min(k->now.bow, 1);
  g->params.lean_deg += skill_lean(k->now.bow);
  g->skill.bend = trunk * PO_RAD(SKILL_BOW_BEND);
  g->skill.drop = k->now.bow * SKILL_BOW_DROP * g->leg;
  g->skill.brace = po_skill_stands(k) ? k->brace : 0;
}

double po_skill_ground(const po_skill *k) {
  const po_actor *a = k->move.actor;
  return a->data->pose[a->legs.foot[k->walk->now.stance]].p.z - k->walk->ankle_height;
}

static double skill_shoulder(const po_skill *k, double bow) {
  double trunk = po_min(bow, 1), lean = PO_RAD(skill_lean(bow)), bend = trunk * PO_RAD(SKILL_BOW_BEND);
  return k->column[0] - bow * SKILL_BOW_DROP * k->walk->leg + (k->column[1] - k->column[0]) * po_cos(lean) + (k->column[2] - k->column[1]) * po_cos(lean + 0.5 * bend) +
         (k->shoulder_height - k->column[2]) * po_cos(lean + bend);
}

double po_skill_bow_for(const po_skill *k, double height) {
  double lo = 0, hi = SKILL_BOW_MOST;
  int n;
  if (skill_shoulder(k, 0) - SKILL_ARM_DOWN * k->arm_length <= height) return 0;
  for (n = 0; n < 20; n++) {
    double x = 0.5 * (lo + hi);
    if (skill_shoulder(k, x) - SKILL_ARM_DOWN * k->arm_length > height) lo = x;
    else hi = x;
  }
  return hi;
}

double po_skill_goto(po_skill *k, po_vec3 to, double heading, double most) {
  po_gbwc *g = k->walk;
  const po_actor *a = k->move.actor;
  po_vec3 off = po_v3_sub(to, a->data->pose[0].p);
  double s, c, far = sqrt(off.x * off.x + off.y * off.y), near = SKILL_NEAR * g->length, ahead, side;
  po_skill_face(k, far > near ? po_atan2(off.y, off.x) : heading);
  po_sincos(&s, &c, po_heading_total(&a->heading));
  ahead = c * off.x + s * off.y;
  side = -s * off.x + c * off.y;
  if (far > near) {
    double turned = po_atan2(side, ahead); /* who does not face it yet turns on the spot */
    g->params.speed = po_abs(turned) > 1 ? 0 : po_min(most, SKILL_SLOWING * far / g->time_scale);
    g->params.side_speed = 0;
    return far;
  }
  g->params.speed = po_clamp(SKILL_SLOWING * ahead / g->time_scale, -SKILL_STEP_BACK, po_min(most, SKILL_CREEP));
  g->params.side_speed = po_clamp(SKILL_SLOWING * side / g->time_scale, -SKILL_STEP_BACK, SKILL_STEP_BACK);
  return far;
}

double po_skill_bar(const po_skill *k) {
  const po_gbwc *g = k->walk;
  const po_actor *a = g->move.actor;
  const po_terrain *t = a->patches.terrain;
  double s, c, bow = 0, ground = a->data->pose[a->legs.foot[g->now.stance]].p.z - g->ankle_height;
  po_vec3 here = a->data->com;
  int i;
  po_sincos(&s, &c, g->now.facing);
  for (i = 0; i < t->boxes; i++) {
    const po_terrain_box *b = &t->box[i];
    double mid, half, away, need, lo = 0, hi = 1;
    int n;
    if (b->tag != PO_TAG_BAR) continue;
    mid = c * (0.5 * (b->low.x + b->high.x) - here.x) + s * (0.5 * (b->low.y + b->high.y) - here.y);
    half = 0.5 * po_abs(c) * (b->high.x - b->low.x); /* along the heading, when the bar lies across it */
    away = (mid > 0 ? po_max(mid - SKILL_BOW_HEAD * g->length, 0) : -mid) - half;
    if (away > SKILL_BOW_FAR * g->length) continue;
    need = b->low.z - ground - SKILL_BOW_ROOM * g->length;
    if (po_skill_top(k, 0) <= need) continue;
    for (n = 0; n < 20; n++) {
      double x = 0.5 * (lo + hi);
      if (po_skill_top(k, x) > need) lo = x;
      else hi = x;
    }
    bow = po_max(bow, hi * po_clamp((SKILL_BOW_FAR * g->length - away) / ((SKILL_BOW_FAR - SKILL_BOW_NEAR) * g->length), 0, 1));
  }
  return bow;
}

/* How far what is ahead stands above or below the ground that is stood on, per scale of the body. */
static double skill_edges(const po_skill *k) {
  const po_gbwc *g = k->walk;
  const po_actor *a = g->move.actor;
  po_vec3 foot = a->data->pose[a->legs.foot[1 - g->now.stance]].p, along = po_v3(0, 0, 0);
  double high = 0, ground = po_skill_ground(k), step = SKILL_LOOK_STEP * g->length;
  po_ground_line ahead;
  int i;
  po_sincos(&along.y, &along.x, g->now.facing);
  po_ground_line_look(&ahead, a->patches.terrain, foot, along, po_v3_dot(along, foot) - g->heel, step, (int)((SKILL_LOOK * g->length + g->heel) / step) + 1, a->data->com.z);
  for (i = 0; i < ahead.samples; i++) high = po_max(high, po_min(po_abs(ahead.height[i] - ground), g->leg));
  return high / g->length;
}

void po_skill_tread(po_skill *k, double speed) {
  po_gbwc *g = k->walk;
  if (speed < SKILL_PLANS * g->time_scale) { /* who steps back or on the spot has nothing to plan */
    g->skill.path.on = k->now.step_time = 0;
    k->now.planned = (double)g->now.steps;
    return;
  }
  if (k->now.planned != (double)g->now.steps) {
    double high = skill_edges(k);
    k->now.planned = (double)g->now.steps;
    k->now.step_time = high > 0.01 ? po_max(k->params.step_time, 0.6) + SKILL_SLOW * high : 0;
    if (k->now.step_time > 0) g->params.step_time = k->now.step_time;
    po_gbwc_path_plan(g, po_min(speed, SKILL_SPEED * g->time_scale), SKILL_CLEARANCE * g->length);
  }
  if (k->now.step_time > 0) {
    g->params.step_time = k->now.step_time;
    g->params.speed = po_min(g->params.speed, SKILL_SPEED);
    if (g->skill.path.sight > 0) g->params.elbow_deg = po_max(g->params.elbow_deg, SKILL_ELBOWS); /* hands that hang meet the edge */
  }
}

void po_skill_hand(po_skill *k, int arm, int on, po_vec3 target, po_vec3 velocity, double dt) {
  po_gbwc_hand *h = &k->walk->skill.hand[arm];
  h->weight = po_clamp(h->weight + (on ? dt : -dt) / PO_SKILL_BLEND, 0, 1);
  if (!on) return;
  h->target = target;
  h->velocity = velocity;
}

/* ---- the move ---- */

/* Gains scale with mass times leg. A trunk and head that are heavy for their legs sag by 20 degrees and sway. */
static double skill_brace(const po_skill *k) {
  const po_actor *a = k->move.actor;
  const po_model *m = a->model;
  double moment = 0;
  int i, waist = po_find_body(m, "abdomen");
  if (waist < 0) return 0;
  for (i = waist; i < m->subtree_end[waist]; i++) moment += m->inertia[i].mass * (po_point_position(a->data, i, m->inertia[i].com).z - a->data->pose[waist].p.z);
  return po_max(SKILL_BRACE * moment * po_v3_norm(a->data->gravity) / k->walk->kp[waist] - 1, 0);
}

static void skill_measure(po_skill *k) {
  const po_actor *a = k->move.actor;
  const po_model *m = a->model;
  double sole = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET).z;
  static const char *const part[] = {"pelvis", "abdomen", "thorax", "head"};
  int i, body;
  k->thorax = po_find_body(m, "thorax");
  k->column[0] = a->data->pose[a->legs.thigh[0]].p.z - sole;
  for (i = 1; i < 4; i++) k->column[i] = (body = po_find_body(m, part[i])) >= 0 ? a->data->pose[body].p.z - sole : k->column[i - 1];
  k->column[4] = k->column[3];
  k->head_radius = 0;
  body = po_find_body(m, "head");
  for (i = 0; i < m->shapes && body >= 0; i++)
    if (m->shape[i].body == body) {
      k->column[4] = po_point_position(a->data, body, m->shape[i].pose.p).z - sole;
      k->head_radius = m->shape[i].size[0];
    }
  k->brace = skill_brace(k);
  k->arm_length = k->shoulder_height = 0;
  for (i = 0; i < 2; i++)
    if (a->legs.upper_arm[i] >= 0) {
      k->arm_length = po_max(k->arm_length, k->walk->arms[i].upper + k->walk->arms[i].lower);
      k->shoulder_height = a->data->pose[a->legs.upper_arm[i]].p.z - sole;
    }
}

static po_status skill_make(po_move *move, const po_skill_kind *kind, po_error *err) {
  po_skill *k = skill_own(move);
  po_move *inner;
  int arms;
  po_status s = po_move_new_on(&inner, &po_gbwc_type, &k->params, move->actor, err);
  if (s != PO_OK) return s;
  k->walk = (po_gbwc *)(void *)inner;
  k->kind = kind;
  move->shape = po_move_state_hash(inner->type);
  arms = (k->walk->arms[0].upper > 0) + (k->walk->arms[1].upper > 0);
  if (arms < kind->arms) {
    po_move_free(inner);
    return po_fail(err, PO_ERR_NAME, "%s needs %s of upper arm, forearm and hand; this body has %d", move->type->name, kind->arms == 2 ? "two arms" : "an arm", arms);
  }
  skill_measure(k);
  return PO_OK;
}

static void skill_destroy(po_move *move) { po_move_free(&skill_own(move)->walk->move); }

static po_status skill_set_model(po_move *move) {
  po_skill *k = skill_own(move);
  po_status s = po_gbwc_type.set_model(&k->walk->move);
  if (s == PO_OK) skill_measure(k);
  return s;
}

static void skill_enter(po_move *move, const po_move *from) {
  po_skill *k = skill_own(move);
  po_move_begin(&k->walk->move, from);
  k->task.close[0] = k->task.close[1] = 0;
  k->now.planned = -1;
}

static po_status skill_tick(po_move *move, double *tau, const po_sense *sense) {
  po_skill *k = skill_own(move);
  double north = k->walk->params.heading;
  if (!(k->now.started > 0)) {
    k->now.started = 1;
    k->now.start = move->actor->data->com;
    k->now.start_heading = k->walk->now.facing;
    north = k->params.heading;
  }
  k->walk->params = k->params;
  k->walk->params.heading = north; /* scripts that turn say where to each time; the others go on as they did */
  k->walk->move.leaving = move->leaving;
  k->now.state_time += sense->dt;
  k->kind->script(k, sense);
  return po_move_act(&k->walk->move, tau, sense);
}

/* What it is told may come before it begins: it is no part of the state, which is cleared then. */
static void skill_stream(po_move *move, po_stream *s) {
  po_skill *k = skill_own(move);
  po_move_stream(&k->walk->move, s);
  po_stream_bytes(s, &k->task, sizeof k->task);
}

static void skill_changed(po_move *move) {
  po_skill *k = skill_own(move);
  k->walk->params = k->params;
  if (po_gbwc_type.changed) po_gbwc_type.changed(&k->walk->move);
}

static const po_skill *skill_seen(const po_move *move) { return (const po_skill *)(const void *)move; }
static int skill_released(const po_move *move) { return po_skill_stands(skill_seen(move)); }
static int skill_phase(const po_move *move) { return skill_seen(move)->now.state; }
static const char *skill_phase_string(const po_move *move) { return skill_seen(move)->kind->state[skill_seen(move)->now.state]; }

extern const po_skill_kind po_skill_course, po_skill_reach, po_skill_crate, po_skill_carry;

#define SKILL_TYPE(id, words) \
  static po_status skill_init_##id(po_move *move, po_error *err) { return skill_make(move, &po_skill_##id, err); } \
  const po_move_type po_##id##_type = { \
      .name = #id, .summary = words, .needs = PO_NEEDS_FEET, .bytes = sizeof(po_skill), .state_at = offsetof(po_skill, now), .state_bytes = sizeof(po_skill_state), .params_at = offsetof(po_skill, params), \
      .params_bytes = sizeof(po_gbwc_params), .param = po_gbwc_param, .param_count = &po_gbwc_param_count, .init = skill_init_##id, \
      .enter = skill_enter, .tick = skill_tick, .released = skill_released, .phase = skill_phase, .phase_string = skill_phase_string, .stream = skill_stream, \
      .changed = skill_changed, .set_model = skill_set_model, .destroy = skill_destroy}
SKILL_TYPE(course, "walk over, under, up and down what is ahead");
SKILL_TYPE(reach, "walk to a thing, take it with a hand, walk on");
SKILL_TYPE(crate, "push or pull a crate by its handles");
SKILL_TYPE(carry, "fetch a crate and carry it");
