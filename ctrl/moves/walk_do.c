/* walk_do.c: what a step asks of the body: a stack of objectives (paper 1, section 6, table 2) that follow the plan.
 *
 *   priority 1   contact    the corners that the foot's state says: back (plant), all (support), front (heel-off)
 *            2   com        along eqs. 19-20
 *            3   trunk      the base of the neck over the COM (eq. 21; at 2 in the paper: a trunk that a push has thrown off was then put back at any price, and that
 *                           price was the height: the body sank);  feet (walk_foot.c);  momentum, pose, arms (minimum torque), head, hands
 *
 * Beyond the paper, at priority 3: the pelvis under the COM, upright and turned along with the legs, and the hips' height. With the feet they say where the legs are,
 * so that no rest pose of a stance leg pulls the body back over the foot.
 */
#include "walk_internal.h"

/* Gains and weights that no setting turns: 1/s² (momentum 1/s), and within priority 3. */
static const struct { double kp, weight, limit; } walk_momentum = {20, 2000, 0}, walk_pose = {60, 1, 0}, walk_upright_ask = {60, 30, 30}, walk_head = {60, 1, 30}, walk_arms = {0, 1000, 0},
  walk_height = {0, 2000, 6}, walk_pelvis = {0, 10, 6}; /* limits: m/s², more than μ g/2 no sole gives; rad/s²: what a joint's stop denies must not be had by moving the body */
static const struct { double yaw, trunk, twist, stance, swing, turn; } walk_share = {5, 0.3, 1.5, 0.1, 0.05, 0.1}; /* of the momentum about the vertical; of the pose, trunk, its twist, legs; of the pelvis' turn along with the feet */

po_status po_walk_attach(po_move *move, po_error *err) {
  static const char *const names[2][5] = {{"heel_l", "heel_up_l", "toe_l", "hand_l", "roll_l"}, {"heel_r", "heel_up_r", "toe_r", "hand_r", "roll_r"}};
  po_walk *w = po_walk_of(move);
  const po_model *m = move->actor->model;
  const po_patch *patch = move->actor->patches.patch;
  const po_vec3 none = po_v3(0, 0, 0);
  po_wbc *c = move->actor->wbc;
  po_objective o;
  int f;
  (void)err;
  po_actor_add_contacts(move->actor, PO_BOTH_FEET, 1, 0);
  o = po_objective_setpoint("com", po_feature_com_across(), 2, 0);
  w->o.com = po_wbc_add(c, &o);
  o = po_objective_setpoint("trunk", po_feature_point_from_com(po_max(w->body.neck_body, 0), none), 3, 0);
  o.feature.axes = 3, o.feature.rows = 2;
  w->o.trunk = po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_target(names[f][0], po_feature_point(m->frame[patch[f].heel].body, none), 3);
    w->o.foot[f] = po_wbc_add(c, &o);
    o = po_objective_setpoint(names[f][1], po_feature_point(m->frame[patch[f].heel].body, none), 3, 0);
    o.feature.axes = 4, o.feature.rows = 1;
    w->o.heel[f] = po_wbc_add(c, &o);
    o = po_objective_setpoint(names[f][2], po_feature_point(m->frame[patch[f].toe].body, none), 3, 0);
    o.feature.axes = 4, o.feature.rows = 1;
    w->o.toe[f] = po_wbc_add(c, &o);
  }
  o = po_objective_momentum("momentum", 3, walk_momentum.kp);
  o.joint_weight = w->momentum_weight;
  w->o.momentum = po_wbc_add(c, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, walk_pose.kp);
  o.pose = move->actor->pose;
  o.joint_weight = w->pose_weight;
  w->o.pose = po_wbc_add(c, &o);
  o = po_objective_torque("arms", po_feature_torque(m, w->arm_mask), 3);
  w->o.arms = po_wbc_add(c, &o);
  o = po_objective_setpoint("head", po_feature_orientation(po_max(w->body.head_body, 0)), 3, walk_head.kp);
  w->o.head = po_wbc_add(c, &o);
  o = po_objective_setpoint("height", po_feature_point(0, none), 3, 0);
  o.feature.axes = 4, o.feature.rows = 1;
  w->o.height = po_wbc_add(c, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, walk_upright_ask.kp);
  o.joint_weight = w->upright_weight;
  w->o.upright = po_wbc_add(c, &o);
  o = po_objective_setpoint("pelvis", po_feature_point_from_com(0, none), 3, 0);
  o.feature.axes = 3, o.feature.rows = 2;
  w->o.pelvis = po_wbc_add(c, &o);
  for (f = 0; f < 2; f++) {
    o = po_objective_setpoint(names[f][3], po_feature_point(po_max(w->body.hand[f], 0), none), 3, walk_pose.kp);
    w->o.hand[f] = po_wbc_add(c, &o);
    o = po_objective_setpoint(names[f][4], po_feature_orientation(patch[f].body), 3, 0);
    w->o.roll[f] = po_wbc_add(c, &o);
  }
  po_walk_aim_points(w);
  return PO_OK;
}

void po_walk_aim_points(po_walk *w) {
  const po_model *m = w->move.actor->model;
  int f;
  w->o.trunk->feature.point = w->body.neck;
  w->o.height->feature.point = w->body.hips;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &w->move.actor->patches.patch[f];
    w->o.foot[f]->feature.point = w->o.heel[f]->feature.point = m->frame[p->heel].pose.p;
    w->o.toe[f]->feature.point = m->frame[p->toe].pose.p;
    w->o.hand[f]->feature.point = w->body.hand_point[f];
  }
}

/* Trunk, twist and arms are held in a calm walk, and left to balance in a wild one: what is left of their weights then. */
#define WALK_FREE 0.1
#define WALK_FREE_TWIST 0.003

static void walk_do_com(po_walk *w) {
  po_objective *o = w->o.com;
  const walk_view *s = &w->view;
  double kp = w->params.kp_com, kv = 2 * sqrt(kp);
  po_vec3 want = po_v3_add(s->want_a, po_v3_add(po_v3_scale(kp, po_v3_sub(s->want, s->com)), po_v3_scale(kv, po_v3_sub(s->want_v, s->com_v))));
  want.z = 0;
  w->move.com_target = po_v3(s->want.x, s->want.y, s->com.z);
  w->s.pressure = po_v3_addscaled(s->com, -1 / (s->omega * s->omega), want);
  po_walk_limit_com(w, &want);
  want = po_v3_add(want, w->move.actor->given); /* the soles answer as if nobody knew of the push; it moves the COM besides */
  o->kp = o->kv = 0; /* the whole answer stands in the reference's acceleration */
  o->limit = walk_height.limit;
  o->ref_accel[0] = want.x;
  o->ref_accel[1] = want.y;
}

static void walk_do_trunk(po_walk *w) {
  po_vec3 along = w->view.along, at = po_v3_scale(w->body.neck_ahead + w->s.plan.l_trunk, along), pelvis = po_v3_scale(w->body.pelvis_ahead - w->s.plan.l_trunk, along);
  w->o.trunk->on = w->body.neck_body >= 0;
  w->o.trunk->kp = w->params.kp_trunk;
  w->o.trunk->weight = w->params.weight_trunk * po_pow(WALK_FREE, w->s.seen.unrest);
  w->o.trunk->ref[0] = at.x;
  w->o.trunk->ref[1] = at.y;
  w->o.pelvis->weight = walk_pelvis.weight;
  w->o.pelvis->kp = w->params.kp_trunk;
  w->o.pelvis->limit = walk_pelvis.limit;
  w->o.pelvis->ref[0] = pelvis.x;
  w->o.pelvis->ref[1] = pelvis.y;
  w->o.head->on = w->body.head_body >= 0;
  w->o.head->weight = walk_head.weight;
  w->o.head->limit = walk_head.limit;
  w->o.head->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->s.seen.facing), po_q_axis_angle(po_v3(0, 1, 0), PO_RAD(w->params.head_deg)));
}

/* Upright, and turned along with the legs a little, as a pelvis lengthens the step. */
static void walk_do_pelvis(po_walk *w) {
  const walk_view *s = &w->view;
  po_objective *o = w->o.upright;
  double h = w->move.actor->standing_height, ahead = po_v3_dot(s->along, po_v3_sub(s->heel[1], s->heel[0])), rate = po_v3_dot(s->along, po_v3_sub(s->heel_v[1], s->heel_v[0]));
  o->weight = walk_upright_ask.weight;
  o->limit = walk_upright_ask.limit;
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), w->s.seen.facing + walk_share.turn * po_atan2(ahead, h)), w->move.actor->rest_orientation);
  o->ref_rate[2] = rate * walk_share.turn * h / (h * h + ahead * ahead);
  w->upright_weight[0] = w->upright_weight[1] = w->upright_weight[2] = 1;
}

static void walk_do_pose(po_walk *w) {
  const po_model *m = w->move.actor->model;
  double h = w->move.actor->standing_height, unrest = w->s.seen.unrest, twist = walk_share.twist * po_pow(WALK_FREE_TWIST, unrest), arms = w->params.weight_arm_pose * po_pow(WALK_FREE, po_walk_starting(w) ? 0 : unrest);
  int f, i;
  po_legs_bend(w->move.actor->pose, &w->move.actor->legs, m, PO_RAD(w->params.knee_deg));
  for (i = 0; i < m->nv; i++) {
    int part = w->part[i], swings = part && w->s.seen.foot[part == 2] == PO_FOOT_SWING;
    w->pose_weight[i] = part == 0 ? walk_share.trunk : part == 8 ? twist : part == 4 ? arms : swings ? walk_share.swing : walk_share.stance;
  }
  w->o.arms->weight = walk_arms.weight;
  w->o.arms->on = w->o.arms->feature.rows > 0;
  w->o.momentum->weight = walk_momentum.weight;
  w->o.momentum->scale = m->total_mass * h * h;
  w->momentum_weight[0] = w->momentum_weight[1] = 1;
  w->momentum_weight[2] = walk_share.yaw;
  for (f = 0; f < 2; f++) {
    po_objective *o = w->o.hand[f];
    o->on = w->body.hand[f] >= 0 && w->params.hands > 0;
    o->weight = w->params.hands;
    po_v3_to(o->ref, po_point_position(w->move.actor->data, 0, w->body.pocket[f]));
    po_v3_to(o->ref_rate, po_point_velocity(w->move.actor->data, 0, w->body.pocket[f]));
  }
}

/* ---- the hips: heights are theirs, not the COM's: arms and head may move without bending a knee ---- */

#define WALK_STAND_BEND PO_RAD(20.0) /* of the knees, more than at rest, of who stands */
#define WALK_STAND_KP 40.0           /* 1/s²: gently, since nothing is in a hurry */
#define WALK_BOUNCE 0.4      /* of g: what going up and down asks for at most; quick long steps bend the knee in their middle instead of throwing the body about, */
#define WALK_BOUNCE_LEAST 0.15
#define WALK_UNHURRIED 1.51  /* ωT of a step (0.48 s of the human): quicker ones ask for less, */
#define WALK_QUICKER 3.0     /* by so much of g for each 1 less */
#define WALK_LOW 0.7         /* less by this share for who is thrown off his curve: knees that bend take up what comes */
#define WALK_SOON 0.1        /* s: the shortest time in which hips are brought to a height */

/* A wave of half height H asks for  H (2π/T)²  at its ends. */
static double walk_most_rise(const po_walk *w) {
  double T = w->s.plan.curve_T, rate = 2 * PO_PI / T, quick = WALK_UNHURRIED - w->view.omega * T;
  return 2 * po_clamp(WALK_BOUNCE - WALK_QUICKER * quick, WALK_BOUNCE_LEAST, WALK_BOUNCE) * (1 - WALK_LOW * w->s.seen.unrest) * w->view.g / (rate * rate);
}

/* Standing: both legs reach the ground. */
static double walk_stand_height(const po_walk *w) {
  const po_data *d = w->move.actor->data;
  double low = PO_INF;
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 leg = po_v3_sub(d->pose[w->move.actor->legs.thigh[f]].p, d->pose[w->move.actor->patches.patch[f].body].p);
    double across2 = leg.x * leg.x + leg.y * leg.y, l = po_walk_leg(w, f, WALK_STAND_BEND);
    low = po_min(low, w->view.heel[f].z + w->body.ankle_height[f] + sqrt(po_max(l * l - across2, 0.25 * l * l)));
  }
  return low;
}

/* From the height at one strike to that at the next by half a cosine wave, and on top of it up and down by a whole one: at a strike the leg that lands is as straight
 * as at rest, in the middle of a step the stance leg is bent by knee_deg more. */
static void walk_hips_wave(const po_walk *w, po_objective *o, double to) {
  const walk_plan *n = &w->s.plan;
  const po_data *d = w->move.actor->data;
  int stance = w->s.seen.stance;
  double late = po_min(0.2 * n->dT / n->curve_T, 0.2), phi = po_min(w->s.curve_time / n->curve_T - late, 1), rate = PO_PI / n->curve_T; /* the hips are lowest in the middle of double support */
  double step = 0.5 * (to - n->hips_from), rise, half, s, c, s2, c2;
  rise = w->view.heel[stance].z + w->body.ankle_height[stance] + po_walk_leg(w, stance, PO_RAD(w->params.knee_deg)) - n->hips_from - step;
  rise += w->view.hips - d->pose[w->move.actor->legs.thigh[stance]].p.z; /* a pelvis that rolls has its middle below the hip that carries it */
  rise = po_min(rise, walk_most_rise(w));
  po_sincos(&s, &c, 2 * PO_PI * late);
  half = rise / (1 + c);
  po_sincos(&s, &c, 2 * PO_PI * phi);
  po_sincos(&s2, &c2, PO_PI * po_max(phi, 0));
  o->ref[0] = n->hips_from + step * (1 - c2) + rise - half * (1 + c);
  if (phi >= 1) return;
  o->ref_rate[0] = (step * s2 + 2 * half * s) * rate;
  o->ref_accel[0] = ((phi > 0 ? step * c2 : 0) + 4 * half * c) * rate * rate;
}

/* Down an edge: the knee that carries lets the body down, evenly and until the other foot stands. */
static void walk_hips_down(const po_walk *w, po_objective *o, double to) {
  const walk_plan *n = &w->s.plan;
  int other = 1 - w->s.seen.stance;
  double left = w->s.seen.foot[other] == PO_FOOT_SWING ? n->swing_T - w->s.seen.foot_time[other] : n->curve_T - w->s.curve_time;
  o->kp = o->kv = 0;
  o->ref_accel[0] = po_target_acceleration(w->view.hips, w->view.hips_v, to, 0, po_max(left, WALK_SOON * w->body.tempo));
}

static void walk_do_hips(po_walk *w) {
  walk_plan *n = &w->s.plan;
  po_objective *o = w->o.height;
  int stance = w->s.seen.stance, swings = w->s.seen.foot[1 - stance] == PO_FOOT_SWING;
  double to;
  o->weight = walk_height.weight;
  o->kp = w->params.kp_height;
  o->kv = -1;
  o->limit = walk_height.limit;
  o->ref_rate[0] = o->ref_accel[0] = 0;
  if (w->s.seen.mode != PO_WALK_STEP && w->s.seen.mode != PO_WALK_STOP) {
    o->kp = po_min(o->kp, WALK_STAND_KP);
    o->ref[0] = n->hips_from = walk_stand_height(w);
    n->hips_ahead = w->view.hips_ahead;
    return;
  }
  to = po_walk_hips_at_strike(w, 1 - stance, n->to.z, w->view.heel[stance].z);
  if (n->drop > 0 || n->came_down) walk_hips_down(w, o, to);
  else walk_hips_wave(w, o, swings ? to : n->hips_from);
}

void po_walk_do(po_walk *w) {
  po_walk_contacts(w);
  walk_do_com(w);
  walk_do_trunk(w);
  po_walk_feet(w);
  walk_do_pelvis(w);
  walk_do_pose(w);
  walk_do_hips(w);
}
