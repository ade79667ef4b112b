/* walk.c: walking as a stack of objectives (paper 1, section 6, table 2); when and where the feet go is in walk_gait.c.
 *
 *   priority 1   contact    the corners that the foot's state says: back (plant), all (support), front (heel-off)
 *            2   com        along eqs. 19-20
 *            3   trunk      the base of the neck over the COM (eq. 21; at 2 in the paper: a trunk that a push has thrown off was then put back at any price, and that
 *                           price was the height: the body sank);  swing: heel and toe to the foothold (walk_swing.c);  momentum, pose, arms (minimum torque), head, hands
 *
 * Beyond the paper, at priority 3: the pelvis under the COM, upright and turned along with the legs, and the COM's height. With the feet
 * they say where the legs are, so that no rest pose of a stance leg pulls the body back over the foot.
 */
#include "walk_internal.h"
#include <string.h>

#define WALK_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_walk_params, name) }
const po_param po_walk_param[] = {
  WALK_PARAM(T, 0.5, 0.2, 1.3, "s", "swing duration"),
  WALK_PARAM(l_step, 0.45, -1, 2, "m", "step length; negative: backwards"),
  WALK_PARAM(l_side, 0, -0.5, 0.5, "m", "way to the side, a step; left positive"),
  WALK_PARAM(h, 0.05, 0, 0.3, "m", "swing height"),
  WALK_PARAM(l_foot, 0.08, 0, 0.4, "m", "foot spread: half the distance between the feet's lines"),
  WALK_PARAM(dT, 0.1, 0, 0.6, "s", "the toe follows the heel by so much"),
  WALK_PARAM(l_hip, 0.025, 0, 0.3, "m", "hip shift: sway of the COM towards the stance foot"),
  WALK_PARAM(l_trunk, 0, -0.3, 0.3, "m", "neck ahead of the COM: lean"),
  WALK_PARAM(head_deg, 0, -180, 180, "deg", "pitch of the head, down positive"),
  WALK_PARAM(heading, 0, -1e6, 1e6, "deg", "direction of travel, left positive"),
  WALK_PARAM(walk, 1, 0, 1, "", "1: walk, 0: stop and stand"),
  WALK_PARAM(known, 1, 0, 1, "", "1: it may ask the terrain where it has not stood yet, 0: it takes the ground to go on as high as where it stands"),
  WALK_PARAM(knee_deg, 0, -10, 60, "deg", "more bend of the knee than at rest, in the middle of a step"),
  WALK_PARAM(hands, 0, 0, 100, "", "weight of hands held at the pockets; 0: arms hang free"),
  WALK_PARAM(footstep_feedback, 1.2, 0, 3, "", "share of the capture point's error that the next foothold takes up; 0: the paper's version"),
  WALK_PARAM(kp_contact, 1000, 0, 2000, "1/s^2", "gain that keeps planted corners on the ground"),
  WALK_PARAM(kp_com, 20, 0, 400, "1/s^2", "gain of the COM along its curve"),
  WALK_PARAM(kp_trunk, 40, 0, 400, "1/s^2", "gain of the neck over the COM"),
  WALK_PARAM(weight_trunk, 1000, 0, 1e6, "", "weight of the neck over the COM"),
  WALK_PARAM(kp_momentum, 20, 0, 200, "1/s", "rate at which angular momentum is damped"),
  WALK_PARAM(weight_momentum, 2000, 0, 1e6, "", "weight of the angular momentum"),
  WALK_PARAM(weight_yaw, 5, 0, 1e6, "", "weight of the angular momentum about the vertical, beside that of the other two"),
  WALK_PARAM(weight_pelvis, 1, 0, 1e6, "", "weight of the pelvis' heading, beside that of its uprightness"),
  WALK_PARAM(pelvis_turn, 0.1, 0, 1, "", "share of the angle between the feet's line and the way that the pelvis turns along"),
  WALK_PARAM(weight_swing, 300, 0, 1e4, "", "weight of the swing foot"),
  WALK_PARAM(weight_roll, 1, 0, 1e4, "", "weight of a level sole of the swing foot"),
  WALK_PARAM(kp_roll, 100, 0, 1e4, "1/s^2", "gain of a level sole of the swing foot"),
  WALK_PARAM(kp_pose, 60, 0, 1000, "1/s^2", "gain of the joints towards the rest pose, of pelvis and head, of hands at the pockets"),
  WALK_PARAM(weight_arms, 1000, 0, 1e4, "", "weight of small arm torques"),
  WALK_PARAM(weight_arm_pose, 0.25, 0, 100, "", "weight of the arms in the pose"),
  WALK_PARAM(kp_height, 250, 0, 400, "1/s^2", "gain of the hips' height"),
  WALK_PARAM(weight_height, 2000, 0, 1e4, "", "weight of the hips' height; 0: free, as in the paper"),
  WALK_PARAM(push_deg, 30, 0, 80, "deg", "how far a heel rises before its toe leaves"),
  WALK_PARAM(weight_push, 30, 0, 1e4, "", "weight of that heel"),
  WALK_PARAM(ball, 0.97, 0, 2, "", "of the sole: a centre of pressure wanted ahead of it lets the heel rise"),
  WALK_PARAM(weight_upright, 30, 0, 1e4, "", "weight of an upright pelvis within the pose; its heading is free"),
  WALK_PARAM(weight_under, 10, 0, 1e4, "", "weight of the pelvis under the COM"),
  WALK_PARAM(weight_trunk_pose, 0.3, 0, 100, "", "weight of the trunk in the pose"),
  WALK_PARAM(weight_twist, 5, 0, 100, "", "weight of the trunk's twist beside that of its bending"),
  WALK_PARAM(weight_stance_pose, 0.1, 0, 1e3, "", "weight of the stance leg in the pose: what carries the body's height"),
  WALK_PARAM(weight_swing_pose, 0.05, 0, 100, "", "weight of the swing leg in the pose"),
  WALK_PARAM(weight_head, 1, 0, 1e4, "", "weight of the head's orientation"),
  WALK_PARAM(spin, 0.05, 0, 1, "m", "of human legs: way of the centre of pressure that is kept for damping the body's rotation"),
  WALK_PARAM(cop_margin, 0, -0.1, 10, "m", "COM accelerations that need a centre of pressure further outside the support are not asked for"),
};
const int po_walk_param_count = (int)(sizeof po_walk_param / sizeof po_walk_param[0]);

const char *po_foot_state_string(po_foot_state s) {
  static const char *const names[] = {"support", "heeloff", "swing", "plant"};
  return s >= PO_FOOT_SUPPORT && s <= PO_FOOT_PLANT ? names[s] : "support";
}

/* The set in which the parameters work together, in metres and seconds of the human; other legs have lengths as theirs, times as the root of it:
 * l_step/(T + dT) of at most 1.4 m/s, feet that miss each other, sway no wider than the feet. */
static int walk_clamp(double *x, double lo, double hi) {
  double kept = *x;
  *x = po_clamp(*x, lo, hi);
  return *x != kept;
}
#define WALK_LIFT 0.4 /* m/s²: a foot that is lifted higher than this times T² throws the body about */
#define WALK_FOOT_ACCEL 41.0 /* m/s²: a foot that goes by two steps in T as half a wave does is accelerated by l (π/T)²; a leg that is asked for more comes late */
int po_walk_params_clamp(po_walk_params *p, double size) {
  double tempo = sqrt(size), quick;
  int n = walk_clamp(&p->T, 0.35 * tempo, 0.7 * tempo);
  quick = WALK_FOOT_ACCEL * p->T * p->T / (PO_PI * PO_PI); /* as T² grows */
  n += walk_clamp(&p->l_step, -po_min(po_min(0.4 * size, quick), 0.7 * tempo * (p->T + p->dT)), po_min(po_min(0.7 * size, quick), 1.4 * tempo * (p->T + p->dT)));
  n += walk_clamp(&p->l_side, -0.2 * size, 0.2 * size);
  n += walk_clamp(&p->l_foot, 0.05 * size, 0.12 * size);
  n += walk_clamp(&p->l_hip, 0, p->l_foot + 0.03 * size);
  n += walk_clamp(&p->h, 0.02 * size, po_min(0.1 * size, WALK_LIFT * p->T * p->T)); /* T² grows as the size does */
  return n;
}

#define WALK_HUMAN_LEG 0.8666 /* m: hip to ankle at rest */
#define WALK_SAME_SIZE 0.02   /* legs that differ by less are the human's */
double po_walk_size(const po_legs *l) {
  double s = 0.5 * (l->reach[0] + l->reach[1]) / WALK_HUMAN_LEG;
  return !(s > 0) || po_abs(s - 1) < WALK_SAME_SIZE ? 1 : s;
}

/* ---- making ---- */

static int walk_mark(const po_model *m, unsigned char *mask, const char *link, int value) {
  int i, k, body = po_find_body(m, link);
  if (body < 0) return 0;
  for (i = body; i < m->subtree_end[body]; i++)
    for (k = 0; k < m->joint[i].nv; k++) mask[m->joint[i].v + k] = (unsigned char)value;
  return 1;
}

/* Bits: 1 left leg, 2 right leg, 4 arms. */
static void walk_masks(po_walk *w, const po_model *m) {
  int i;
  walk_mark(m, w->swing_mask, "thigh_l", 1);
  walk_mark(m, w->swing_mask, "thigh_r", 2);
  walk_mark(m, w->swing_mask, "upper_arm_l", 4);
  walk_mark(m, w->swing_mask, "upper_arm_r", 4);
  for (i = 0; i < m->nv; i++) w->arm_mask[i] = w->swing_mask[i] == 4;
  for (i = 1; i < m->nb; i++)
    if (m->joint[i].type == PO_JOINT_SPHERICAL && !w->swing_mask[m->joint[i].v]) w->twist_mask[m->joint[i].v + 2] = 1;
}

/* Pockets, from the hip joints, m of the human: on the front of the thigh, outside of it, a hand's breadth wide. */
#define WALK_POCKET_AHEAD 0.06
#define WALK_POCKET_OUT 0.08
#define WALK_POCKET_BELOW 0.02

/* How far ahead of its heel a foot can carry the body: to its toes, or as far as its ankle is strong. */
#define WALK_ANKLE_SHARE 0.8 /* of the ankle's torque: the rest is for what balances */
static double walk_farthest(const po_walk *w, const po_model *m) {
  const po_joint *ankle = &m->joint[w->move.actor->patches.patch[0].body];
  double lever = WALK_ANKLE_SHARE * ankle->effort[0] / (m->total_mass * po_v3_norm(w->move.actor->data->gravity));
  return ankle->nv > 0 ? po_min(w->foot_length, w->ankle_offset + lever) : w->foot_length;
}

static void walk_find(po_walk *w, const po_model *m) {
  static const char *const hand[2] = {"hand_l", "hand_r"};
  po_data *d = w->move.actor->data;
  int f, neck = po_find_frame(m, "neck_base");
  w->pelvis = 0;
  w->size = po_walk_size(&w->move.actor->legs);
  w->reach = po_min(w->move.actor->legs.reach[0], w->move.actor->legs.reach[1]);
  w->head_body = po_find_body(m, "head");
  w->neck_body = neck >= 0 ? m->frame[neck].body : -1;
  if (neck >= 0) w->neck_point = m->frame[neck].pose.p;
  /* the actor has just been measured: data holds the zero pose */
  w->pelvis_offset = d->pose[w->pelvis].p.x - d->com.x;
  if (neck >= 0) w->neck_offset = po_frame_pose(d, neck).p.x - d->com.x;
  w->foot_length = po_v3_norm(po_v3_sub(po_frame_pose(d, w->move.actor->patches.patch[0].toe).p, po_frame_pose(d, w->move.actor->patches.patch[0].heel).p));
  w->foot_width = po_v3_norm(po_v3_sub(w->move.actor->patches.patch[0].point[2], w->move.actor->patches.patch[0].point[3]));
  w->hips = po_v3(0, 0, 0);
  for (f = 0; f < 2; f++) {
    const po_legs *l = &w->move.actor->legs;
    double a = l->thigh_length[f], b = l->shank_length[f];
    if (l->thigh[f] < 0) continue;
    w->hips = po_v3_addscaled(w->hips, 0.5, po_m3_tmul_v(d->pose[0].R, po_v3_sub(d->pose[l->thigh[f]].p, d->pose[0].p)));
    w->rest_bend[f] = po_acos(po_clamp((l->reach[f] * l->reach[f] - a * a - b * b) / (2 * a * b), -1, 1));
    w->ankle_height[f] = d->pose[l->foot[f]].p.z - po_frame_pose(d, w->move.actor->patches.patch[f].heel).p.z;
  }
  w->ankle_offset = d->pose[w->move.actor->patches.patch[0].body].p.x - po_frame_pose(d, w->move.actor->patches.patch[0].heel).p.x;
  w->farthest = walk_farthest(w, m);
  for (f = 0; f < 2; f++) {
    int frame = po_find_frame(m, hand[f]), thigh = w->move.actor->legs.thigh[f];
    w->hand[f] = frame >= 0 ? m->frame[frame].body : -1;
    if (frame < 0 || thigh < 0) continue;
    w->hand_point[f] = m->frame[frame].pose.p;
    w->pocket[f] = po_m3_tmul_v(d->pose[0].R, po_v3_sub(d->pose[thigh].p, d->pose[0].p));
    w->pocket[f] = po_v3_add(w->pocket[f], po_v3_scale(w->size, po_v3(WALK_POCKET_AHEAD, f == 0 ? WALK_POCKET_OUT : -WALK_POCKET_OUT, -WALK_POCKET_BELOW)));
  }
}

static po_walk *walk_of(po_move *move) { return (po_walk *)(void *)move; }

static po_status walk_attach(po_move *move, po_error *err) {
  static const char *const names[4][2] = {{"heel_l", "heel_r"}, {"toe_l", "toe_r"}, {"hand_l", "hand_r"}, {"roll_l", "roll_r"}};
  po_walk *w = walk_of(move);
  const po_walk_params *p = &w->params;
  const po_model *m = move->actor->model;
  const po_patch *patch = move->actor->patches.patch;
  po_wbc *c = move->actor->wbc;
  po_objective o;
  int f;
  (void)err;
  po_actor_add_contacts(move->actor, PO_BOTH_FEET, 1, p->kp_contact);
  o = po_objective_setpoint("com", po_feature_com_across(), 2, p->kp_com);
  w->o.com = po_wbc_add(c, &o);
  o = po_objective_setpoint("trunk", po_feature_point_from_com(po_max(w->neck_body, 0), w->neck_point), 3, p->kp_trunk);
  o.feature.axes = 3;
  o.feature.rows = 2;
  w->o.trunk = po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_target(names[0][f], po_feature_point(m->frame[patch[f].heel].body, m->frame[patch[f].heel].pose.p), 3);
    w->o.heel[f] = po_wbc_add(c, &o);
  }
  for (f = 0; f < 2; f++) {
    o = po_objective_target(names[1][f], po_feature_point(m->frame[patch[f].toe].body, m->frame[patch[f].toe].pose.p), 3);
    w->o.toe[f] = po_wbc_add(c, &o);
  }
  o = po_objective_momentum("momentum", 3, p->kp_momentum);
  o.joint_weight = w->momentum_weight;
  w->o.momentum = po_wbc_add(c, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, p->kp_pose);
  o.pose = move->actor->pose;
  o.joint_weight = w->pose_weight;
  w->o.pose = po_wbc_add(c, &o);
  o = po_objective_torque("arms", po_feature_torque(m, w->arm_mask), 3);
  w->o.arms = po_wbc_add(c, &o);
  o = po_objective_setpoint("head", po_feature_orientation(po_max(w->head_body, 0)), 3, p->kp_pose);
  w->o.head = po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(names[2][f], po_feature_point(po_max(w->hand[f], 0), w->hand_point[f]), 3, p->kp_pose);
    w->o.hand[f] = po_wbc_add(c, &o);
  }
  o = po_objective_setpoint("height", po_feature_point(0, w->hips), 3, p->kp_height);
  o.feature.axes = 4;
  o.feature.rows = 1;
  w->o.height = po_wbc_add(c, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, p->kp_pose);
  o.joint_weight = w->upright_weight;
  w->o.upright = po_wbc_add(c, &o);
  o = po_objective_setpoint("pelvis", po_feature_point_from_com(w->pelvis, po_v3(0, 0, 0)), 3, p->kp_trunk);
  o.feature.axes = 3;
  o.feature.rows = 2;
  w->o.pelvis = po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(names[3][f], po_feature_orientation(patch[f].body), 3, p->kp_roll);
    w->o.roll[f] = po_wbc_add(c, &o);
  }
  return PO_OK;
}

/* Another body of the same make: its points are elsewhere. What the legs measure comes to the gait with the next tick. */
static po_status walk_set_model(po_move *move) {
  po_walk *w = walk_of(move);
  const po_model *m = move->actor->model;
  double before = w->reach;
  int f;
  walk_find(w, m);
  w->hips_from += w->reach - before;
  if (move->actor->owner != move) return PO_OK; /* what it asks is not there yet */
  w->o.trunk->feature.point = w->neck_point;
  w->o.height->feature.point = w->hips;
  for (f = 0; f < 2; f++) {
    w->o.heel[f]->feature.point = m->frame[move->actor->patches.patch[f].heel].pose.p;
    w->o.toe[f]->feature.point = m->frame[move->actor->patches.patch[f].toe].pose.p;
    w->o.hand[f]->feature.point = w->hand_point[f];
  }
  return PO_OK;
}

static void walk_layout(po_move *move, const po_model *m, po_arena *a) {
  po_walk *w = walk_of(move);
  w->pose_weight = PO_ARENA_ZARRAY(a, double, m->nv);
  w->swing_mask = PO_ARENA_ZARRAY(a, unsigned char, m->nv);
  w->arm_mask = PO_ARENA_ZARRAY(a, unsigned char, m->nv);
  w->twist_mask = PO_ARENA_ZARRAY(a, unsigned char, m->nv);
}

static po_status walk_init(po_move *move, po_error *err) {
  (void)err;
  walk_masks(walk_of(move), move->actor->model);
  walk_find(walk_of(move), move->actor->model);
  return PO_OK;
}

/* ---- references ---- */

#define WALK_LIMIT 6.0 /* m/s²: what is asked of COM, hips and pelvis at most; more than μ g/2 no sole gives */

static void walk_com_reference(po_walk *w) {
  po_objective *o = w->o.com;
  const po_data *d = w->move.actor->data;
  po_vec3 p = w->p1, v = po_v3(0, 0, 0), a = v, want;
  double kp = w->params.kp_com, kv = 2 * sqrt(kp);
  if (w->mode == PO_WALK_STEP || w->mode == PO_WALK_STOP) po_walk_com(w, &p, &v, &a);
  w->move.com_target = po_v3(p.x, p.y, d->com.z);
  want = po_v3_add(a, po_v3_add(po_v3_scale(kp, po_v3_sub(p, d->com)), po_v3_scale(kv, po_v3_sub(v, d->com_velocity))));
  want.z = 0;
  w->pressure = po_v3_addscaled(d->com, -w->move.actor->standing_height / po_v3_norm(d->gravity), want);
  po_walk_limit_com(w, &want);
  want = po_v3_add(want, w->move.actor->given); /* the soles answer as if nobody knew of the push; it moves the COM besides */
  o->kp = o->kv = 0; /* the whole answer stands in the reference's acceleration */
  o->limit = WALK_LIMIT;
  o->ref_accel[0] = want.x;
  o->ref_accel[1] = want.y;
}

/* Trunk, twist and arms are held in a calm walk, and left to balance in a wild one: what is left of their weights then. */
#define WALK_FREE 0.1
#define WALK_FREE_TWIST 0.003

static void walk_trunk_reference(po_walk *w, po_vec3 along) {
  po_vec3 at = po_v3_scale(w->neck_offset + w->pace.l_trunk, along);
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), w->facing);
  w->o.trunk->on = w->neck_body >= 0;
  w->o.trunk->kp = w->params.kp_trunk;
  w->o.trunk->priority = po_walk_on_steps(w) ? 2 : 3; /* who climbs is always off his curve, and a free trunk would fall forward */
  w->o.trunk->weight = po_walk_on_steps(w) ? 1 : w->params.weight_trunk * po_pow(WALK_FREE, w->unrest);
  w->o.trunk->ref[0] = at.x;
  w->o.trunk->ref[1] = at.y;
  w->o.pelvis->on = w->params.weight_under > 0;
  w->o.pelvis->weight = w->params.weight_under;
  w->o.pelvis->kp = w->params.kp_trunk;
  w->o.pelvis->limit = WALK_LIMIT;
  w->o.pelvis->ref[0] = (w->pelvis_offset - w->pace.l_trunk) * along.x;
  w->o.pelvis->ref[1] = (w->pelvis_offset - w->pace.l_trunk) * along.y;
  w->o.head->on = w->head_body >= 0;
  w->o.head->kp = w->params.kp_pose;
  w->o.head->weight = w->params.weight_head;
  w->o.head->limit = WALK_TURN_LIMIT;
  w->o.head->ref_orientation = po_q_mul(face, po_q_axis_angle(po_v3(0, 1, 0), PO_RAD(w->params.head_deg)));
}

static po_vec3 walk_heel_velocity(const po_walk *w, int f) {
  const po_frame *heel = &w->move.actor->model->frame[w->move.actor->patches.patch[f].heel];
  return po_point_velocity(w->move.actor->data, heel->body, heel->pose.p);
}

/* Upright, and turned along with the legs a little, as a pelvis lengthens the step. */
static void walk_pelvis_reference(po_walk *w, po_objective *o) {
  po_vec3 along, left, l = po_walk_heel(w, 0), r = po_walk_heel(w, 1);
  double ahead, turn, rate, h = w->move.actor->standing_height;
  po_walk_axes(w, &along, &left);
  ahead = po_v3_dot(along, po_v3_sub(r, l));
  rate = po_v3_dot(along, po_v3_sub(walk_heel_velocity(w, 1), walk_heel_velocity(w, 0)));
  turn = w->params.pelvis_turn * po_atan2(ahead, h);
  rate *= w->params.pelvis_turn * h / (h * h + ahead * ahead);
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->facing + turn), w->move.actor->rest_orientation);
  o->ref_rate[0] = o->ref_rate[1] = 0;
  o->ref_rate[2] = rate;
  w->upright_weight[0] = w->upright_weight[1] = 1;
  w->upright_weight[2] = w->params.weight_pelvis;
}

static void walk_pose_reference(po_walk *w) {
  const po_model *m = w->move.actor->data->model;
  double h = w->move.actor->standing_height;
  double twist = w->params.weight_twist * po_pow(WALK_FREE_TWIST, w->unrest), arms = w->params.weight_arm_pose * po_pow(WALK_FREE, w->unrest);
  int f, i;
  po_legs_bend(w->move.actor->pose, &w->move.actor->legs, m, PO_RAD(w->params.knee_deg));
  for (i = 0; i < m->nv; i++) {
    int part = w->swing_mask[i], leg = part == 1 ? 0 : part == 2 ? 1 : -1;
    w->pose_weight[i] = part ? 1 : w->params.weight_trunk_pose * (w->twist_mask[i] ? twist : 1);
    if (leg >= 0)
      w->pose_weight[i] = w->foot[leg] == PO_FOOT_SWING     ? w->params.weight_swing_pose
                                                            : w->params.weight_stance_pose;
    if (part == 4) w->pose_weight[i] = arms;
  }
  w->o.pose->kp = w->params.kp_pose;
  w->o.arms->weight = w->params.weight_arms;
  w->o.arms->on = w->o.arms->feature.rows > 0;
  w->o.upright->on = w->params.weight_upright > 0;
  w->o.upright->kp = w->params.kp_pose;
  w->o.upright->limit = WALK_TURN_LIMIT;
  w->o.upright->weight = w->params.weight_upright;
  walk_pelvis_reference(w, w->o.upright);
  w->o.height->on = w->params.weight_height > 0;
  w->o.height->weight = w->params.weight_height;
  w->o.height->kp = w->params.kp_height;
  w->o.height->limit = WALK_LIMIT;
  po_walk_hips(w);
  w->o.momentum->kp = w->params.kp_momentum;
  w->o.momentum->weight = w->params.weight_momentum;
  w->momentum_weight[0] = w->momentum_weight[1] = 1;
  w->momentum_weight[2] = w->params.weight_yaw;
  w->o.momentum->scale = m->total_mass * h * h;
  for (f = 0; f < 2; f++) {
    po_pose pelvis = w->move.actor->data->pose[w->pelvis];
    po_vec3 at = po_v3_add(pelvis.p, po_m3_mul_v(pelvis.R, w->pocket[f]));
    w->o.hand[f]->on = w->hand[f] >= 0 && w->params.hands > 0;
    w->o.hand[f]->weight = w->params.hands;
    w->o.hand[f]->kp = w->params.kp_pose;
    po_v3_to(w->o.hand[f]->ref, at);
    po_v3_to(w->o.hand[f]->ref_rate, po_point_velocity(w->move.actor->data, w->pelvis, w->pocket[f]));
  }
}

/* Whether heels leave before toes, as they should. */
static void walk_watch(po_walk *w) {
  int f;
  for (f = 0; f < 2; f++) {
    const int *on = w->sole[f].touching;
    int back = on[0] || on[1], front = on[2] || on[3];
    if (!back && front && (w->foot[f] == PO_FOOT_HEELOFF || w->foot[f] == PO_FOOT_SWING)) w->heel_left[f] = 1;
    if (!back && !front && w->heel_left[f] != 2 && w->foot[f] == PO_FOOT_SWING) {
      if (w->steps > 2) {
        w->lifts++;
        w->heel_first += w->heel_left[f] == 1;
      }
      w->heel_left[f] = 2;
    }
    if (back && front) w->heel_left[f] = 0;
  }
}

static void walk_aim(po_move *move, const po_sense *sense) {
  po_walk *w = walk_of(move);
  po_vec3 along, left;
  po_walk_feel(w);
  po_walk_gait(w, sense);
  po_walk_axes(w, &along, &left);
  walk_watch(w);
  po_walk_contacts(w);
  walk_com_reference(w);
  walk_trunk_reference(w, along);
  po_walk_swing(w, along, left);
  walk_pose_reference(w);
}

static int walk_phase(const po_move *move) { return (int)((const po_walk *)(const void *)move)->mode; }

static void walk_stream(po_move *move, po_stream *s) {
  po_walk *w = walk_of(move);
  int state[3] = {(int)w->mode, (int)w->foot[0], (int)w->foot[1]};
  po_stream_ints(s, state, 3);
  w->mode = (po_walk_mode)state[0];
  w->foot[0] = (po_foot_state)state[1];
  w->foot[1] = (po_foot_state)state[2];
  po_stream_doubles(s, w->state_time, 2);
  po_stream_int(s, &w->stance);
  po_stream_double(s, &w->mode_time);
  po_stream_double(s, &w->pace.T);
  po_stream_double(s, &w->pace.dT);
  po_stream_double(s, &w->pace.l_foot);
  po_stream_double(s, &w->pace.l_hip);
  po_stream_double(s, &w->pace.l_trunk);
  po_stream_double(s, &w->pace.l_side);
  po_stream_double(s, &w->speed);
  po_stream_double(s, &w->step_length);
  po_stream_double(s, &w->facing);
  po_stream_double(s, &w->north);
  po_stream_doubles(s, &w->p0.x, 3);
  po_stream_doubles(s, &w->p1.x, 3);
  po_stream_double(s, &w->com_time);
  po_stream_double(s, &w->com_duration);
  po_stream_double(s, &w->last_period);
  po_stream_doubles(s, &w->foothold.x, 3);
  po_stream_double(s, &w->beyond);
  po_stream_double(s, &w->swing_time);
  po_stream_double(s, &w->press_from);
  po_stream_double(s, &w->strike_x);
  po_stream_double(s, &w->hips_from);
  po_stream_double(s, &w->hips_ahead);
  po_stream_double(s, &w->unrest);
  po_stream_double(s, &w->haste);
  po_stream_doubles(s, &w->pressure.x, 3);
  po_stream_long(s, &w->steps);
  po_stream_long(s, &w->started_at);
  po_stream_long(s, &w->step_count);
  po_stream_long(s, &w->lifts);
  po_stream_long(s, &w->heel_first);
  po_stream_double(s, &w->step_length_sum);
  po_stream_double(s, &w->swing_sum);
  po_stream_double(s, &w->period_sum);
  po_stream_ints(s, w->heel_left, 2);
  po_stream_int(s, &w->came_down);
  po_stream_int(s, &w->calm);
}

static const char *const walk_mode_names[] = {"stand", "shift", "step", "stop"};
const char *po_walk_mode_string(po_walk_mode m) { return m >= PO_WALK_STAND && m <= PO_WALK_STOP ? walk_mode_names[m] : "stand"; }

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
  .attach = walk_attach,
  .ready = po_walk_ready,
  .enter = po_walk_enter,
  .aim = walk_aim,
  .released = po_walk_released,
  .phase = walk_phase,
  .phase_name = walk_mode_names,
  .stream = walk_stream,
  .set_model = walk_set_model,
};

po_status po_walk_new(po_walk **walk, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_walk_params *params,
                      po_error *err) {
  po_move *move = NULL;
  po_status s = po_move_new_of(&move, &po_walk_type, params, m, terrain, opts, err);
  if (walk) *walk = walk_of(move);
  return walk ? s : po_fail(err, PO_ERR_NULL, "a place for the walk is needed");
}
