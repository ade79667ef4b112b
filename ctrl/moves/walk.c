/* walk.c: walking as a stack of objectives (paper 1, section 6, table 2); when and where the feet go is in walk_gait.c.
 *
 *   priority 1   contact    the corners that the foot's state says: back (plant), all (support), front (heel-off)
 *            2   com        along eqs. 19-20;  trunk: the base of the neck over the COM (eq. 21)
 *            3   swing      heel and toe to the foothold (walk_swing.c);  momentum, pose, arms (minimum torque), head, hands
 *
 * Beyond the paper, at priority 3: the pelvis under the COM, upright and turned along with the legs, and the COM's height. With the feet
 * they say where the legs are, so that no rest pose of a stance leg pulls the body back over the foot.
 */
#include "walk_internal.h"
#include <string.h>

#define WALK_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_walk_params, name) }
const po_param po_walk_param[] = {
  WALK_PARAM(T, 0.5, 0.3, 0.7, "s", "swing duration"),
  WALK_PARAM(l_step, 0.45, 0, 0.7, "m", "step length"),
  WALK_PARAM(h, 0.05, 0, 0.1, "m", "swing height"),
  WALK_PARAM(l_foot, 0.08, 0, 0.2, "m", "foot spread: half the distance between the feet's lines"),
  WALK_PARAM(dT, 0.1, 0, 0.3, "s", "the toe follows the heel by so much"),
  WALK_PARAM(l_hip, 0.025, 0, 0.3, "m", "hip shift: sway of the COM towards the stance foot"),
  WALK_PARAM(l_trunk, 0, -0.3, 0.3, "m", "neck ahead of the COM: lean"),
  WALK_PARAM(head_deg, 0, -180, 180, "deg", "pitch of the head, down positive"),
  WALK_PARAM(heading, 0, -1e6, 1e6, "deg", "direction of travel, left positive"),
  WALK_PARAM(walk, 1, 0, 1, "", "1: walk, 0: stop and stand"),
  WALK_PARAM(knee_deg, 30, -10, 60, "deg", "more bend of the knees in the rest pose"),
  WALK_PARAM(hands, 0, 0, 100, "", "weight of hands held at the pockets; 0: arms hang free"),
  WALK_PARAM(footstep_feedback, 1.2, 0, 3, "", "share of the capture point's error that the next foothold takes up; 0: the paper's version"),
  WALK_PARAM(kp_contact, 1000, 0, 2000, "1/s^2", "gain that keeps planted corners on the ground"),
  WALK_PARAM(kp_com, 20, 0, 400, "1/s^2", "gain of the COM along its curve"),
  WALK_PARAM(com_limit, 6, 0, 100, "m/s^2", "largest COM acceleration asked for"),
  WALK_PARAM(kp_trunk, 40, 0, 400, "1/s^2", "gain of the neck over the COM"),
  WALK_PARAM(kp_momentum, 20, 0, 200, "1/s", "rate at which angular momentum is damped"),
  WALK_PARAM(weight_momentum, 1000, 0, 1e6, "", "weight of the angular momentum"),
  WALK_PARAM(weight_yaw, 3, 0, 1e6, "", "weight of the angular momentum about the vertical, beside that of the other two"),
  WALK_PARAM(weight_pelvis, 1, 0, 1e6, "", "weight of the pelvis' heading, beside that of its uprightness"),
  WALK_PARAM(pelvis_turn, 0.3, 0, 1, "", "share of the angle between the feet's line and the way that the pelvis turns along"),
  WALK_PARAM(weight_swing, 300, 0, 1e4, "", "weight of the swing foot"),
  WALK_PARAM(weight_roll, 1, 0, 1e4, "", "weight of a level sole of the swing foot"),
  WALK_PARAM(kp_roll, 100, 0, 1e4, "1/s^2", "gain of a level sole of the swing foot"),
  WALK_PARAM(kp_pose, 60, 0, 1000, "1/s^2", "gain of the joints towards the rest pose"),
  WALK_PARAM(weight_arms, 1000, 0, 1e4, "", "weight of small arm torques"),
  WALK_PARAM(weight_arm_pose, 0.03, 0, 100, "", "weight of the arms in the pose"),
  WALK_PARAM(com_height, 0.965, 0.5, 1.02, "", "COM height drawn to, as a share of the zero pose's"),
  WALK_PARAM(weight_height, 200, 0, 1e4, "", "weight of the COM height; 0: free, as in the paper"),
  WALK_PARAM(stretch, 0.96, 0.5, 2, "", "share of its length from which a leg behind the body lifts its heel"),
  WALK_PARAM(weight_upright, 30, 0, 1e4, "", "weight of an upright pelvis within the pose; its heading is free"),
  WALK_PARAM(weight_under, 30, 0, 1e4, "", "weight of the pelvis under the COM"),
  WALK_PARAM(pivot, 0.45, 0, 1, "", "where on the sole, from heel to toe, the COM passes over in the middle of a step"),
  WALK_PARAM(weight_trunk_pose, 0.3, 0, 100, "", "weight of the trunk in the pose"),
  WALK_PARAM(weight_twist, 0.01, 0, 100, "", "weight of the trunk's twist beside that of its bending"),
  WALK_PARAM(weight_stance_pose, 0.1, 0, 1e3, "", "weight of the stance leg in the pose: what carries the body's height"),
  WALK_PARAM(weight_heeloff_pose, 3, 0, 1e3, "", "weight of the leg on its toes in the pose: how far its heel rises"),
  WALK_PARAM(weight_swing_pose, 0.05, 0, 100, "", "weight of the swing leg in the pose"),
  WALK_PARAM(kp_head, 60, 0, 1000, "1/s^2", "gain of the head's orientation"),
  WALK_PARAM(weight_head, 1, 0, 1e4, "", "weight of the head's orientation"),
  WALK_PARAM(kp_hands, 60, 0, 1000, "1/s^2", "gain of the hands at the pockets"),
  WALK_PARAM(pendulum, 0.5, 0, 1, "", "0: the COM moves evenly, 1: as an inverted pendulum over the stance foot"),
  WALK_PARAM(spin, 0.05, 0, 1, "m", "way of the pressure point that is kept for damping the body's rotation"),
  WALK_PARAM(cop_margin, 0, -0.1, 10, "m", "COM accelerations that need a pressure point further outside the support are not asked for"),
};
const int po_walk_param_count = (int)(sizeof po_walk_param / sizeof po_walk_param[0]);

const char *po_foot_state_string(po_foot_state s) {
  static const char *const names[] = {"support", "heeloff", "swing", "plant"};
  return s >= PO_FOOT_SUPPORT && s <= PO_FOOT_PLANT ? names[s] : "support";
}
const char *po_walk_mode_string(po_walk_mode m) {
  static const char *const names[] = {"stand", "shift", "step", "stop"};
  return m >= PO_WALK_STAND && m <= PO_WALK_STOP ? names[m] : "stand";
}

/* The set in which the parameters work together: l_step/(T + dT) of at most 1.4 m/s, feet that miss each other, sway no wider
 * than the feet. */
static int walk_clamp(double *x, double lo, double hi) {
  double kept = *x;
  *x = po_clamp(*x, lo, hi);
  return *x != kept;
}
int po_walk_params_clamp(po_walk_params *p) {
  int n = walk_clamp(&p->T, 0.35, 0.7);
  n += walk_clamp(&p->l_step, 0, po_min(0.7, 1.4 * (p->T + p->dT)));
  n += walk_clamp(&p->l_foot, 0.05, 0.12);
  n += walk_clamp(&p->l_hip, 0, p->l_foot + 0.03);
  n += walk_clamp(&p->h, 0.02, 0.1);
  return n;
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

/* Hip to knee to ankle. */
static double walk_leg(const po_model *m, const po_data *d, const char *thigh, const char *shank, const char *foot) {
  int a = po_find_body(m, thigh), b = po_find_body(m, shank), c = po_find_body(m, foot);
  if (a < 0 || b < 0 || c < 0) return 0;
  return po_v3_norm(po_v3_sub(d->pose[a].p, d->pose[b].p)) + po_v3_norm(po_v3_sub(d->pose[b].p, d->pose[c].p));
}

static void walk_find(po_walk *w, const po_model *m) {
  static const char *const hand[2] = {"hand_l", "hand_r"};
  po_data *d = w->actor.data;
  int f, neck = po_find_frame(m, "neck_base");
  w->pelvis = 0;
  w->head_body = po_find_body(m, "head");
  w->neck_body = neck >= 0 ? m->frame[neck].body : -1;
  if (neck >= 0) w->neck_point = m->frame[neck].pose.p;
  /* the actor has just been measured: data holds the zero pose */
  w->pelvis_offset = d->pose[w->pelvis].p.x - d->com.x;
  if (neck >= 0) w->neck_offset = po_frame_pose(d, neck).p.x - d->com.x;
  w->foot_length = po_v3_norm(po_v3_sub(po_frame_pose(d, w->actor.support.foot[0].toe).p, po_frame_pose(d, w->actor.support.foot[0].heel).p));
  w->foot_width = po_v3_norm(po_v3_sub(w->actor.support.foot[0].corner_point[2], w->actor.support.foot[0].corner_point[3]));
  w->leg_length = walk_leg(m, d, "thigh_l", "shank_l", "foot_l");
  w->ankle_offset = d->pose[w->actor.support.foot[0].body].p.x - po_frame_pose(d, w->actor.support.foot[0].heel).p.x;
  for (f = 0; f < 2; f++) {
    int frame = po_find_frame(m, hand[f]), thigh = po_find_body(m, f == 0 ? "thigh_l" : "thigh_r");
    w->thigh[f] = thigh;
    w->hand[f] = frame >= 0 ? m->frame[frame].body : -1;
    if (frame < 0 || thigh < 0) continue;
    w->hand_point[f] = m->frame[frame].pose.p;
    /* pockets: beside the hip joints, a little ahead, seen from the pelvis */
    w->pocket[f] = po_m3_tmul_v(d->pose[0].R, po_v3_sub(d->pose[thigh].p, d->pose[0].p));
    w->pocket[f] = po_v3_add(w->pocket[f], po_v3(0.06, f == 0 ? 0.08 : -0.08, -0.02));
  }
}

static po_status walk_objectives(po_walk *w, const po_model *m) {
  static const char *const names[4][2] = {{"heel_l", "heel_r"}, {"toe_l", "toe_r"}, {"hand_l", "hand_r"}, {"roll_l", "roll_r"}};
  po_wbc *c = w->actor.wbc;
  po_objective o;
  int f;
  if (po_actor_add_contacts(&w->actor, 1, 100) != PO_OK) return PO_ERR_SIZE;
  o = po_objective_setpoint("com", po_feature_com_across(), 2, 20);
  po_wbc_add(c, &o);
  o = po_objective_setpoint("trunk", po_feature_point_from_com(po_max(w->neck_body, 0), w->neck_point), 2, 40);
  o.feature.axes = 3;
  o.feature.rows = 2;
  po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_target(names[0][f], po_feature_point(w->actor.support.foot[f].body, m->frame[w->actor.support.foot[f].heel].pose.p), 3);
    po_wbc_add(c, &o);
  }
  for (f = 0; f < 2; f++) {
    o = po_objective_target(names[1][f], po_feature_point(w->actor.support.foot[f].body, m->frame[w->actor.support.foot[f].toe].pose.p), 3);
    po_wbc_add(c, &o);
  }
  o = po_objective_momentum("momentum", 3, 10);
  po_wbc_add(c, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, 40);
  o.pose = w->actor.pose;
  o.joint_weight = w->pose_weight;
  po_wbc_add(c, &o);
  o = po_objective_torque("arms", po_feature_torque(m, w->arm_mask), 3);
  po_wbc_add(c, &o);
  o = po_objective_setpoint("head", po_feature_orientation(po_max(w->head_body, 0)), 3, 60);
  po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(names[2][f], po_feature_point(po_max(w->hand[f], 0), w->hand_point[f]), 3, 60);
    po_wbc_add(c, &o);
  }
  o = po_objective_setpoint("height", po_feature_com_height(), 3, 40);
  po_wbc_add(c, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, 40);
  po_wbc_add(c, &o);
  o = po_objective_setpoint("pelvis", po_feature_point_from_com(w->pelvis, po_v3(0, 0, 0)), 3, 40);
  o.feature.axes = 3;
  o.feature.rows = 2;
  po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(names[3][f], po_feature_orientation(w->actor.support.foot[f].body), 3, 40);
    po_wbc_add(c, &o);
  }
  return c->objectives == WALK_OBJECTIVES ? PO_OK : PO_ERR_SIZE;
}

/* The actor's memory, then what walking needs besides. */
static size_t walk_own_bytes(const po_model *m) { return (size_t)m->nv * (3 + sizeof(double)) + 64; }
size_t po_walk_bytes(const po_model *m, const po_wbc_opts *opts) { return m ? po_actor_bytes(m, opts) + walk_own_bytes(m) : 0; }

po_status po_walk_init(po_walk *w, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_walk_params *params,
                       void *mem, size_t bytes, po_error *err) {
  size_t actor;
  double *own;
  po_status s;
  if (!w || !m || !mem) return po_fail(err, PO_ERR_NULL, "walking needs a model and memory");
  memset(w, 0, sizeof *w);
  if (params) w->params = *params;
  else po_param_defaults(&w->params, po_walk_param, po_walk_param_count);
  actor = po_actor_bytes(m, opts);
  if (bytes < actor + walk_own_bytes(m)) return po_fail(err, PO_ERR_MEMORY, "walking needs %zu bytes", po_walk_bytes(m, opts));
  if ((s = po_actor_init(&w->actor, m, terrain, opts, mem, actor, err)) != PO_OK) return s;
  own = (double *)(void *)((char *)mem + ((actor + 31) & ~(size_t)31));
  memset(own, 0, (size_t)m->nv * (3 + sizeof(double)));
  w->pose_weight = own;
  w->swing_mask = (unsigned char *)(own + m->nv);
  w->arm_mask = w->swing_mask + m->nv;
  w->twist_mask = w->arm_mask + m->nv;
  walk_masks(w, m);
  walk_find(w, m);
  if (walk_objectives(w, m) != PO_OK) return po_fail(err, PO_ERR_SIZE, "walking needs max_objectives of at least %d", WALK_OBJECTIVES);
  w->pace.T = w->params.T;
  w->pace.dT = w->params.dT;
  w->pace.l_foot = w->params.l_foot;
  w->pace.l_hip = w->params.l_hip;
  w->pace.l_trunk = w->params.l_trunk;
  w->last_period = w->pace.T + w->pace.dT;
  w->com_duration = w->last_period;
  return PO_OK;
}

po_status po_walk_new(po_walk **walk, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_walk_params *params,
                      po_error *err) {
  size_t bytes = po_walk_bytes(m, opts);
  po_walk *w;
  po_status s;
  if (!walk || !m) return po_fail(err, PO_ERR_NULL, "walking needs a model");
  *walk = NULL;
  w = po_alloc(((sizeof *w + 31) & ~(size_t)31) + bytes);
  if (!w) return po_fail(err, PO_ERR_MEMORY, "walking: out of memory");
  s = po_walk_init(w, m, terrain, opts, params, (char *)w + ((sizeof *w + 31) & ~(size_t)31), bytes, err);
  if (s != PO_OK) po_free(w);
  else *walk = w;
  return s;
}
void po_walk_free(po_walk *w) { po_free(w); }

/* ---- references ---- */

/* Corners held by each state, as bits: back 1 and 2, front 4 and 8. */
static unsigned walk_corners(po_foot_state s) {
  switch (s) {
  case PO_FOOT_SUPPORT: return 15;
  case PO_FOOT_HEELOFF: return 12;
  case PO_FOOT_PLANT: return 3;
  case PO_FOOT_SWING: break;
  }
  return 0;
}

static void walk_contacts(po_walk *w) {
  po_wbc *c = w->actor.wbc;
  int f, k, i, n = 0;
  po_actor_stand_on(&w->actor, 3);
  for (f = 0; f < 2; f++) {
    unsigned held = walk_corners(w->foot[f]);
    for (k = 0; k < 4; k++) po_actor_plant(&w->actor, f, k, (held >> k) & 1, w->params.kp_contact);
  }
  /* the ground may push where it touches, but not under a foot that is on its way up */
  for (i = 0; i < c->contacts; i++) {
    f = c->contact[i].body == w->actor.support.foot[1].body;
    if (w->foot[f] != PO_FOOT_SWING) c->contact[n++] = c->contact[i];
  }
  c->contacts = n;
}

/* The acceleration asked of the COM is cut back to one whose pressure point lies within cop_margin of the support, with `spin` of it left to
 * damp the body's rotation: p = c − (ÿ h − ẑ × L̇/m)/g. Beyond it, only spinning the body could deliver, since angular momentum stands lower. */
static void walk_limit_com(po_walk *w, po_vec3 *accel) {
  const po_data *d = w->actor.data;
  po_support stands = w->actor.support;
  po_vec3 hull[8], p, near, spin = po_v3(0, 0, 0);
  double k = po_v3_norm(d->gravity) / w->actor.standing_height, out, margin = w->params.cop_margin;
  int i, n;
  for (i = 0; i < 8; i++) /* what is about to leave does not count; the toe of a foot that plants does once it touches */
    if (!(walk_corners(w->foot[i / 4]) >> i % 4 & 1) && w->foot[i / 4] != PO_FOOT_PLANT) stands.foot[i / 4].touching[i % 4] = 0;
  n = po_support_hull(&stands, d, hull);
  if (w->mode == PO_WALK_STEP) {
    double kp = w->params.kp_momentum, mg = d->model->total_mass * po_v3_norm(d->gravity), s;
    spin = po_v3(kp * d->momentum[1] / mg, -kp * d->momentum[0] / mg, 0);
    s = po_v3_norm(spin);
    if (s > w->params.spin) spin = po_v3_scale(w->params.spin / s, spin);
  }
  p = po_v3_add(po_v3_addscaled(d->com, -1 / k, *accel), spin);
  out = po_support_distance(hull, n, p, &near);
  if (n < 3) margin = po_max(margin, 0); /* a line has no inside */
  if (n < 1 || out <= margin || out == 0) return;
  /* to the margin, along the line through the nearest point of the edge */
  accel->x = k * (d->com.x + spin.x - near.x - (p.x - near.x) * margin / out);
  accel->y = k * (d->com.y + spin.y - near.y - (p.y - near.y) * margin / out);
}

static void walk_com_reference(po_walk *w) {
  po_objective *o = &w->actor.wbc->objective[WALK_COM];
  const po_data *d = w->actor.data;
  po_vec3 p = w->p1, v = po_v3(0, 0, 0), a = v, want;
  double kp = w->params.kp_com, kv = 2 * sqrt(kp);
  if (w->mode == PO_WALK_STEP || w->mode == PO_WALK_STOP) po_walk_com(w, &p, &v, &a);
  w->com_target = po_v3(p.x, p.y, d->com.z);
  want = po_v3_add(a, po_v3_add(po_v3_scale(kp, po_v3_sub(p, d->com)), po_v3_scale(kv, po_v3_sub(v, d->com_velocity))));
  want.z = 0;
  walk_limit_com(w, &want);
  o->kp = o->kv = 0; /* the whole answer stands in the reference's acceleration */
  o->limit = w->params.com_limit;
  o->ref_accel[0] = want.x;
  o->ref_accel[1] = want.y;
}

static void walk_trunk_reference(po_walk *w, po_vec3 along) {
  po_objective *o = w->actor.wbc->objective;
  po_vec3 at = po_v3_scale(w->neck_offset + w->pace.l_trunk, along);
  po_quat face = po_q_axis_angle(po_v3(0, 0, 1), w->facing);
  o[WALK_TRUNK].on = w->neck_body >= 0;
  o[WALK_TRUNK].kp = w->params.kp_trunk;
  o[WALK_TRUNK].ref[0] = at.x;
  o[WALK_TRUNK].ref[1] = at.y;
  o[WALK_PELVIS].on = w->params.weight_under > 0;
  o[WALK_PELVIS].weight = w->params.weight_under;
  o[WALK_PELVIS].kp = w->params.kp_trunk;
  o[WALK_PELVIS].limit = w->params.com_limit;
  o[WALK_PELVIS].ref[0] = (w->pelvis_offset - w->pace.l_trunk) * along.x;
  o[WALK_PELVIS].ref[1] = (w->pelvis_offset - w->pace.l_trunk) * along.y;
  o[WALK_HEAD].on = w->head_body >= 0;
  o[WALK_HEAD].kp = w->params.kp_head;
  o[WALK_HEAD].weight = w->params.weight_head;
  o[WALK_HEAD].limit = WALK_TURN_LIMIT;
  o[WALK_HEAD].ref_orientation = po_q_mul(face, po_q_axis_angle(po_v3(0, 1, 0), PO_RAD(w->params.head_deg)));
}

/* The height at which the leg that comes down still reaches its foothold, with a knee that is not quite straight. */
#define WALK_STRAIGHT 0.97
static double walk_reach(const po_walk *w) {
  double leg = WALK_STRAIGHT * w->leg_length, ahead = 0.5 * w->step_length + w->ankle_offset - w->params.pivot * w->foot_length;
  return w->actor.standing_height - w->leg_length + sqrt(po_max(0.25 * leg * leg, leg * leg - ahead * ahead));
}

/* Upright, and turned along with the legs a little, as a pelvis lengthens the step. */
static void walk_pelvis_reference(po_walk *w, po_objective *o) {
  po_vec3 along, left, l = po_walk_heel(w, 0), r = po_walk_heel(w, 1);
  double ahead, turn;
  po_walk_axes(w, &along, &left);
  ahead = po_v3_dot(along, po_v3_sub(r, l));
  turn = w->params.pelvis_turn * po_atan2(ahead, w->actor.standing_height);
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->facing + turn), w->actor.rest_orientation);
  o->ref_rate[0] = o->ref_rate[1] = o->ref_rate[2] = 0;
  w->upright_weight[0] = w->upright_weight[1] = 1;
  w->upright_weight[2] = w->params.weight_pelvis;
  o->joint_weight = w->upright_weight;
}

static void walk_pose_reference(po_walk *w) {
  const po_model *m = w->actor.data->model;
  po_objective *o = w->actor.wbc->objective;
  double h = w->actor.standing_height;
  int f, i;
  po_actor_bend_knees(&w->actor, PO_RAD(w->params.knee_deg));
  for (i = 0; i < m->nv; i++) {
    int part = w->swing_mask[i], leg = part == 1 ? 0 : part == 2 ? 1 : -1;
    w->pose_weight[i] = part ? 1 : w->params.weight_trunk_pose * (w->twist_mask[i] ? w->params.weight_twist : 1);
    if (leg >= 0)
      w->pose_weight[i] = w->foot[leg] == PO_FOOT_SWING     ? w->params.weight_swing_pose
                          : w->foot[leg] == PO_FOOT_HEELOFF ? w->params.weight_heeloff_pose
                                                            : w->params.weight_stance_pose;
    if (part == 4) w->pose_weight[i] = w->params.weight_arm_pose;
  }
  o[WALK_POSE].kp = w->params.kp_pose;
  o[WALK_ARMS].weight = w->params.weight_arms;
  o[WALK_ARMS].on = o[WALK_ARMS].feature.rows > 0;
  o[WALK_UPRIGHT].on = w->params.weight_upright > 0;
  o[WALK_UPRIGHT].kp = w->params.kp_pose;
  o[WALK_UPRIGHT].limit = WALK_TURN_LIMIT;
  o[WALK_UPRIGHT].weight = w->params.weight_upright;
  walk_pelvis_reference(w, &o[WALK_UPRIGHT]);
  o[WALK_HEIGHT].on = w->params.weight_height > 0;
  o[WALK_HEIGHT].weight = w->params.weight_height;
  o[WALK_HEIGHT].limit = w->params.com_limit;
  o[WALK_HEIGHT].ref[0] = po_walk_heel(w, w->stance).z + po_min(w->params.com_height * h, walk_reach(w));
  o[WALK_MOMENTUM].kp = w->params.kp_momentum;
  o[WALK_MOMENTUM].weight = w->params.weight_momentum;
  w->momentum_weight[0] = w->momentum_weight[1] = 1;
  w->momentum_weight[2] = w->params.weight_yaw;
  o[WALK_MOMENTUM].joint_weight = w->momentum_weight;
  o[WALK_MOMENTUM].scale = m->total_mass * h * h;
  for (f = 0; f < 2; f++) {
    po_pose pelvis = w->actor.data->pose[w->pelvis];
    po_vec3 at = po_v3_add(pelvis.p, po_m3_mul_v(pelvis.R, w->pocket[f]));
    o[WALK_HANDS + f].on = w->hand[f] >= 0 && w->params.hands > 0;
    o[WALK_HANDS + f].weight = w->params.hands;
    o[WALK_HANDS + f].kp = w->params.kp_hands;
    po_v3_to(o[WALK_HANDS + f].ref, at);
    po_v3_to(o[WALK_HANDS + f].ref_rate, po_point_velocity(w->actor.data, w->pelvis, w->pocket[f]));
  }
}

/* Whether heels leave before toes, as they should. */
static void walk_watch(po_walk *w) {
  int f;
  for (f = 0; f < 2; f++) {
    const int *on = w->actor.support.foot[f].touching;
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

po_status po_walk_tick(po_walk *w, double *tau, const double *q, const double *v, double dt) {
  po_vec3 along, left;
  po_status s;
  if (!w || !tau) return PO_ERR_NULL;
  if ((s = po_actor_begin(&w->actor, q, v, dt)) != PO_OK) return s;
  po_walk_gait(w, dt);
  po_walk_axes(w, &along, &left);
  walk_watch(w);
  walk_contacts(w);
  walk_com_reference(w);
  walk_trunk_reference(w, along);
  po_walk_swing(w, along, left);
  walk_pose_reference(w);
  return po_actor_end(&w->actor, tau, q, v, dt);
}

/* ---- state: everything but the actor and the pointers is plain values ---- */

size_t po_walk_state_bytes(const po_walk *w) { return sizeof(po_walk) - sizeof(po_actor) + po_actor_state_bytes(&w->actor); }

void po_walk_save(const po_walk *w, void *state) {
  size_t own = sizeof(po_walk) - sizeof(po_actor);
  po_walk copy;
  memcpy(&copy, w, sizeof copy);
  copy.swing_mask = copy.arm_mask = copy.twist_mask = NULL;
  copy.pose_weight = NULL;
  memcpy(state, (const char *)&copy + sizeof(po_actor), own);
  po_actor_save(&w->actor, (char *)state + own);
}

po_status po_walk_restore(po_walk *w, const void *state, size_t bytes) {
  size_t own = sizeof(po_walk) - sizeof(po_actor);
  unsigned char *swing, *arm, *twist;
  double *weight;
  if (!w || !state) return PO_ERR_NULL;
  if (bytes != po_walk_state_bytes(w)) return PO_ERR_SIZE;
  swing = w->swing_mask;
  arm = w->arm_mask;
  twist = w->twist_mask;
  weight = w->pose_weight;
  memcpy((char *)w + sizeof(po_actor), state, own);
  w->swing_mask = swing;
  w->arm_mask = arm;
  w->twist_mask = twist;
  w->pose_weight = weight;
  return po_actor_restore(&w->actor, (const char *)state + own, bytes - own);
}
