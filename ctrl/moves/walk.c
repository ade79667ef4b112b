/* walk.c: the behaviour: its settings, what it measures of a body, how it takes one over, its tick. Its parts: walk_internal.h; docs/walking.md. */
#include "walk_internal.h"
#include <string.h>

#define WALK_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_walk_params, name) }
const po_param po_walk_param[] = {
  WALK_PARAM(speed, 0, 0, 1.7, "m/s", "T, l_step and dT as people's at that speed; 0: as they say"),
  WALK_PARAM(T, 0.5, 0.2, 1.3, "s", "swing duration"),
  WALK_PARAM(l_step, 0.45, -1, 2, "m", "step length; negative: backwards"),
  WALK_PARAM(l_side, 0, -0.5, 0.5, "m", "way to the side, a step; left positive"),
  WALK_PARAM(h, 0.05, 0, 0.3, "m", "swing height"),
  WALK_PARAM(l_foot, 0.08, 0, 0.4, "m", "foot spread: half the distance between the feet's lines"),
  WALK_PARAM(dT, 0.1, 0, 0.6, "s", "double support"),
  WALK_PARAM(l_hip, 0.025, 0, 0.3, "m", "hip shift: sway of the COM towards the stance foot"),
  WALK_PARAM(l_trunk, 0, -0.3, 0.3, "m", "neck ahead of the COM: lean"),
  WALK_PARAM(head_deg, 0, -180, 180, "deg", "pitch of the head, down positive"),
  WALK_PARAM(heading, 0, -1e6, 1e6, "deg", "direction of travel, left positive"),
  WALK_PARAM(walk, 1, 0, 1, "", "1: walk, 0: stop and stand"),
  WALK_PARAM(known, 1, 0, 1, "", "1: it may ask the terrain where it has not stood yet, 0: it takes the ground to go on as high as where it stands"),
  WALK_PARAM(knee_deg, 12, -10, 60, "deg", "more bend of the knee than at rest, in the middle of a step"),
  WALK_PARAM(push_deg, 50, 0, 80, "deg", "how far a heel rises before its toe leaves; 0: it is not asked to"),
  WALK_PARAM(hands, 0, 0, 100, "", "weight of hands held at the pockets; 0: arms hang free"),
  WALK_PARAM(footstep_feedback, 1.2, 0, 3, "", "share of the capture point's error that the next foothold takes up; 0: the paper's version"),
  WALK_PARAM(kp_com, 20, 0, 400, "1/s^2", "gain of the COM along its curve"),
  WALK_PARAM(kp_trunk, 40, 0, 400, "1/s^2", "gain of the neck over the COM, and of the pelvis under it"),
  WALK_PARAM(kp_height, 250, 0, 400, "1/s^2", "gain of the hips' height"),
  WALK_PARAM(weight_trunk, 1000, 0, 1e6, "", "weight of the neck over the COM"),
  WALK_PARAM(weight_swing, 300, 0, 1e4, "", "weight of the swing foot"),
  WALK_PARAM(weight_arm_pose, 0.25, 0, 100, "", "weight of the arms in the pose"),
  WALK_PARAM(cop_margin, 0, -0.1, 10, "m", "COM accelerations that need a centre of pressure further outside the support are not asked for"),
  WALK_PARAM(spin, 0.05, 0, 1, "m", "of human legs: way of the centre of pressure that is kept for damping the body's rotation"),
};
const int po_walk_param_count = (int)(sizeof po_walk_param / sizeof po_walk_param[0]);

static const char *const walk_foot_names[] = {"support", "heeloff", "swing", "plant"}, *const walk_mode_names[] = {"stand", "shift", "step", "stop"};
const char *po_foot_state_string(po_foot_state s) { return walk_foot_names[s >= PO_FOOT_SUPPORT && s <= PO_FOOT_PLANT ? s : PO_FOOT_SUPPORT]; }
const char *po_walk_mode_string(po_walk_mode m) { return walk_mode_names[m >= PO_WALK_STAND && m <= PO_WALK_STOP ? m : PO_WALK_STAND]; }

/* ---- the body ---- */

static void walk_mark(unsigned char *part, const po_model *m, const char *link, int value) {
  int i, k, body = po_find_body(m, link);
  if (body < 0) return;
  for (i = body; i < m->subtree_end[body]; i++)
    for (k = 0; k < m->joint[i].nv; k++) part[m->joint[i].v + k] = (unsigned char)value;
}
static void walk_parts(po_walk *w, const po_model *m) {
  int i;
  walk_mark(w->part, m, "thigh_l", 1);
  walk_mark(w->part, m, "thigh_r", 2);
  walk_mark(w->part, m, "upper_arm_l", 4);
  walk_mark(w->part, m, "upper_arm_r", 4);
  for (i = 0; i < m->nv; i++) w->arm_mask[i] = w->part[i] == 4;
  for (i = 1; i < m->nb; i++)
    if (m->joint[i].type == PO_JOINT_SPHERICAL && !w->part[m->joint[i].v]) w->part[m->joint[i].v + 2] = 8;
}

#define WALK_ANKLE_SHARE 0.8 /* of the ankle's torque carries: the rest is for what balances */
static double walk_farthest(const po_walk *w, const po_model *m) {
  const po_joint *ankle = &m->joint[w->move.actor->patches.patch[0].body];
  double lever = WALK_ANKLE_SHARE * ankle->effort[0] / (m->total_mass * po_v3_norm(w->move.actor->data->gravity));
  return ankle->nv > 0 ? po_min(w->body.foot_length, w->body.ankle_offset + lever) : w->body.foot_length;
}

/* Pockets, from the hip joints, m of the human: on the front of the thigh, outside of it, a hand's breadth wide. */
static const po_vec3 walk_pocket = {0.06, 0.08, -0.02};

/* The actor has just been measured: data holds the zero pose. */
static void walk_measure(po_walk *w) {
  static const char *const hand[2] = {"hand_l", "hand_r"};
  const po_actor *a = w->move.actor;
  const po_model *m = a->model;
  const po_legs *l = &a->legs;
  po_data *d = a->data;
  walk_body *b = &w->body;
  const po_patch *patch = a->patches.patch;
  int f, neck = po_find_frame(m, "neck_base");
  b->size = po_walk_size(l);
  b->tempo = sqrt(b->size);
  b->reach = po_min(l->reach[0], l->reach[1]);
  b->hinged = patch[0].point_body[0] != patch[0].point_body[2];
  b->head_body = po_find_body(m, "head");
  b->neck_body = neck >= 0 ? m->frame[neck].body : -1;
  if (neck >= 0) b->neck = m->frame[neck].pose.p;
  if (neck >= 0) b->neck_ahead = po_frame_pose(d, neck).p.x - d->com.x;
  b->pelvis_ahead = d->pose[0].p.x - d->com.x;
  b->foot_length = po_v3_norm(po_v3_sub(po_frame_pose(d, patch[0].toe).p, po_frame_pose(d, patch[0].heel).p));
  b->foot_width = po_v3_norm(po_v3_sub(patch[0].point[2], patch[0].point[3]));
  b->ankle_offset = d->pose[patch[0].body].p.x - po_frame_pose(d, patch[0].heel).p.x;
  b->farthest = walk_farthest(w, m);
  b->hips = po_v3(0, 0, 0);
  for (f = 0; f < 2; f++) {
    double t = l->thigh_length[f], s = l->shank_length[f];
    int frame = po_find_frame(m, hand[f]);
    po_vec3 pocket = walk_pocket, hip;
    b->hand[f] = frame >= 0 ? m->frame[frame].body : -1;
    if (l->thigh[f] < 0) continue;
    hip = po_m3_tmul_v(d->pose[0].R, po_v3_sub(d->pose[l->thigh[f]].p, d->pose[0].p));
    b->hips = po_v3_addscaled(b->hips, 0.5, hip);
    b->rest_bend[f] = po_acos(po_clamp((l->reach[f] * l->reach[f] - t * t - s * s) / (2 * t * s), -1, 1));
    b->ankle_height[f] = d->pose[l->foot[f]].p.z - po_frame_pose(d, patch[f].heel).p.z;
    if (frame < 0) continue;
    b->hand_point[f] = m->frame[frame].pose.p;
    if (f == 1) pocket.y = -pocket.y;
    b->pocket[f] = po_v3_add(hip, po_v3_scale(b->size, pocket));
  }
}

static void walk_layout(po_move *move, const po_model *m, po_arena *a) {
  po_walk *w = po_walk_of(move);
  w->pose_weight = PO_ARENA_ZARRAY(a, double, m->nv);
  w->part = PO_ARENA_ZARRAY(a, unsigned char, m->nv);
  w->arm_mask = PO_ARENA_ZARRAY(a, unsigned char, m->nv);
}

/* A speed chooses T, l_step and dT, but for those that were set along with it. */
static void walk_changed(po_move *move) {
  po_walk *w = po_walk_of(move);
  po_walk_params *p = &w->params, by = *p;
  if (p->speed > 0 && p->speed != w->told.speed) {
    po_walk_params_pace(&by, p->speed, w->body.size);
    if (p->T == w->told.T) p->T = by.T;
    if (p->l_step == w->told.l_step) p->l_step = by.l_step;
    if (p->dT == w->told.dT) p->dT = by.dT;
  }
  w->told = *p;
}

static po_status walk_init(po_move *move, po_error *err) {
  po_walk *w = po_walk_of(move);
  (void)err;
  walk_parts(w, move->actor->model);
  walk_measure(w);
  po_param_defaults(&w->told, po_walk_param, po_walk_param_count);
  walk_changed(move);
  return PO_OK;
}

/* Another body of the same make: its points are elsewhere. It walks as one that starts, on quick feet. */
static po_status walk_set_model(po_move *move) {
  po_walk *w = po_walk_of(move);
  double before = w->body.reach;
  walk_measure(w);
  w->s.plan.hips_from += w->body.reach - before;
  w->s.seen.size = w->body.size;
  w->s.started_at = w->s.seen.steps;
  if (move->actor->owner == move) po_walk_aim_points(w);
  return PO_OK;
}

/* ---- taking over: a body that stands, one that moves slowly ahead, one that walks already ---- */

#define WALK_FACING PO_RAD(0.01) /* who faces within this of the way asked for faces it: rounding is no turn */

static po_walk *walk_from(const po_move *from) { return from && from->type == &po_walk_type && from->entered ? (po_walk *)(size_t)(const void *)from : NULL; }

static po_status walk_ready(const po_move *move, const po_move *from, po_error *err) {
  return walk_from(from) ? PO_OK : po_posture_ready(move, from, err);
}

/* It stands, and the foot that landed last has taken its share of the weight. */
static int walk_released(const po_move *move) {
  const po_walk_seen *s = po_walk_see(move);
  double T = ((const po_walk *)(const void *)move)->s.plan.T;
  return s->mode == PO_WALK_STAND && s->foot[0] == PO_FOOT_SUPPORT && s->foot[1] == PO_FOOT_SUPPORT && s->foot_time[0] > T && s->foot_time[1] > T;
}

/* Where the feet point: of a body that stands they say where it will go; after a turn its pelvis still swings. */
static double walk_feet_heading(const po_walk *w) {
  po_vec3 sum = po_v3(0, 0, 0);
  int f;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->move.actor->patches.patch[f];
    sum = po_v3_add(sum, po_v3_sub(po_frame_pose(w->move.actor->data, p->toe).p, po_frame_pose(w->move.actor->data, p->heel).p));
  }
  return po_atan2(sum.y, sum.x);
}

static void walk_enter(po_move *move, const po_move *from) {
  po_walk *w = po_walk_of(move), *other = walk_from(from);
  walk_plan *n = &w->s.plan;
  const po_walk_params *p = &w->params;
  if (other) { /* goes on in its step; what is asked comes as it does while walking */
    w->s = other->s;
    w->s.seen.north = other->s.seen.facing;
    return;
  }
  memset(&w->s, 0, sizeof w->s);
  w->s.line.even = 1;
  w->s.seen.size = w->body.size;
  n->T = p->T;
  n->dT = p->dT;
  n->l_foot = p->l_foot;
  n->l_hip = p->l_hip;
  n->l_trunk = p->l_trunk;
  n->curve_T = w->s.seen.period = p->T + p->dT;
  w->s.seen.facing = walk_feet_heading(w);
  w->s.seen.north = from ? w->s.seen.facing : 0;
  if (po_abs(po_wrap(w->s.seen.facing - po_walk_way(w))) < WALK_FACING) w->s.seen.facing = po_walk_way(w);
}

/* ---- the tick ---- */

static void walk_aim(po_move *move, const po_sense *sense) {
  po_walk *w = po_walk_of(move);
  po_walk_look_around(w);
  po_walk_gait(w, sense);
  po_walk_do(w);
}

static int walk_phase(const po_move *move) { return (int)po_walk_see(move)->mode; }
const po_walk_seen *po_walk_see(const po_move *move) { return &((const po_walk *)(const void *)move)->s.seen; }

const po_move_type po_walk_type = {
  .name = "walk",
  .summary = "walk in a style, turn, stop and start, take pushes",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .bytes = sizeof(po_walk),
  .params_at = offsetof(po_walk, params),
  .params_bytes = sizeof(po_walk_params),
  .param = po_walk_param,
  .param_count = &po_walk_param_count,
  .preset_folder = "styles/",
  .layout = walk_layout,
  .init = walk_init,
  .changed = walk_changed,
  .attach = po_walk_attach,
  .ready = walk_ready,
  .enter = walk_enter,
  .aim = walk_aim,
  .released = walk_released,
  .phase = walk_phase,
  .phase_name = walk_mode_names,
  .state_at = offsetof(po_walk, s),
  .state_bytes = sizeof(walk_state),
  .set_model = walk_set_model,
};

po_status po_walk_new(po_walk **walk, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_walk_params *params,
                      po_error *err) {
  po_move *move = NULL;
  po_status s = po_move_new_of(&move, &po_walk_type, params, m, terrain, opts, err);
  if (walk) *walk = (po_walk *)(void *)move;
  return walk ? s : po_fail(err, PO_ERR_NULL, "a place for the walk is needed");
}
