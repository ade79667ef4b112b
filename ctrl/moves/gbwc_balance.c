/* gbwc_balance.c: what holds the body up and on its way: gravity compensation (5.3.4), velocity tuning (5.3.3), stance knees and ankles, the root. */
#include "gbwc_internal.h"

#define BALANCE_FORCE 0.25     /* largest tuning force, share of the weight */
#define BALANCE_ROOT 200.0     /* N m, for the body of 70.4 kg and 0.86 m: most that the root is turned with (CW3D) */
#define BALANCE_ROOT_KP 1000.0
#define BALANCE_ROOT_KD 200.0
#define BALANCE_ROOT_STABLE 2.0 /* largest kd dt / inertia of the pelvis by itself: explicit damping of one freedom diverges there, and what hangs on the
                                 * pelvis makes it heavier still by a third. At 2 kHz no built-in body comes near, at 1 kHz the human does */
#define BALANCE_LEVEL 0.85      /* share of half a step for which a stance leg keeps the hip level; the heel's rise does the rest */
#define BALANCE_LOAD 1.5        /* of the weight: most load that a foot is counted on for; impacts show more, for a tick */
#define BALANCE_LINE 0.5        /* cosine: a leg that leans farther is not carried upright by more of the weight */
#define BALANCE_GRIP 0.6        /* share of a foot's load that friction is trusted with */
#define BALANCE_GRIP_LESS 0.1   /* and less of it by who was thrown off, whose foot also has to bear what the swinging leg does to it */
#define BALANCE_SPIN 0.1        /* m/s, of the body of 0.86 m: a foot whose corners go around this fast holds half */
#define BALANCE_TRUNK 0.7       /* of what friction does not hold: turned against the trunk instead, by who was thrown off */
#define BALANCE_AHEAD 0.55      /* of a planned step: how far before the hip the foot lands, to which the leg has to reach */
#define BALANCE_LOWEST 0.5      /* of the leg: no hip is lowered further over its ankle */
#define BALANCE_NARROW 0.4      /* feet closer than this share of the hips' distance count as so far apart */
#define BALANCE_SHARE_LEAST 0.05 /* of the weight: who stands on both feet counts on each for so much at least */
#define BALANCE_ROLL 0.5        /* of the root's stiffness in roll, on two feet */
#define BALANCE_IDLE 0.2        /* how far the weight is shifted, share of the way from foot to foot */
#define BALANCE_SETTLE 0.4      /* phase by which a hip that landed low is as high as the others */
#define BALANCE_BEND 0.2        /* rad: a knee that is straighter than this counts as bent so far when its rate is asked for, since straight has none */
#define BALANCE_YIELD 5.0       /* rad/s: no knee is asked to yield faster (CW3D's largest rate of a target) */

/* ---- subtrees ---- */

void po_gbwc_subtrees(po_gbwc *g) {
  const po_data *d = g->move.actor->data;
  const po_model *m = d->model;
  int i;
  for (i = 0; i < m->nb; i++) {
    g->subtree_mass[i] = m->inertia[i].mass;
    g->subtree_moment[i] = po_v3_scale(m->inertia[i].mass, po_point_position(d, i, m->inertia[i].com));
  }
  for (i = 0; i < 2; i++) { /* what hangs at a hand is a part of the forearm */
    int fore = g->move.actor->legs.forearm[i];
    if (!(g->skill.hand[i].mass > 0) || fore < 0) continue;
    g->subtree_mass[fore] += g->skill.hand[i].mass;
    g->subtree_moment[fore] = po_v3_addscaled(g->subtree_moment[fore], g->skill.hand[i].mass, po_gbwc_hand_position(g, i));
  }
  for (i = m->nb - 1; i > 0; i--) {
    int p = m->joint[i].parent;
    g->subtree_mass[p] += g->subtree_mass[i];
    g->subtree_moment[p] = po_v3_add(g->subtree_moment[p], g->subtree_moment[i]);
  }
}

/* Adds a moment on the child of a joint (its reaction on the parent) to the joint's freedoms. */
static void balance_turn(const po_gbwc *g, double *tau, int body, po_vec3 moment) {
  const po_data *d = g->move.actor->data;
  const po_joint *j = &d->model->joint[body];
  int k;
  for (k = 0; k < j->nv; k++) tau[j->v + k] += po_v3_dot(po_unit_motion(d, j->v + k).ang, moment);
}

static int balance_in_leg(const po_gbwc *g, int body, int leg) {
  const po_model *m = g->move.actor->model;
  int thigh = g->move.actor->legs.thigh[leg];
  return body >= thigh && body < m->subtree_end[thigh];
}

/* ---- gravity compensation: tau_i = J_i' (−m_i g) for every link outside the stance leg (5.3.4) ---- */

void po_gbwc_gravity(const po_gbwc *g, double *tau, const gbwc_view *w) {
  const po_data *d = g->move.actor->data;
  int i;
  for (i = 1; i < d->model->nb; i++) {
    po_vec3 arm = po_v3_addscaled(g->subtree_moment[i], -g->subtree_mass[i], d->pose[i].p); /* m (c − p) */
    if (balance_in_leg(g, i, w->stance) || (g->now.mode != PO_GBWC_WALK && balance_in_leg(g, i, w->swing))) continue;
    balance_turn(g, tau, i, po_v3_cross(d->gravity, arm)); /* −(c − p) × m g */
  }
}

/* ---- velocity tuning ---- */

/* Standing: the point of rest is drawn to the middle of the feet; idling, towards one of them. */
static po_vec3 balance_standing_goal(const po_gbwc *g, const gbwc_view *w) {
  po_vec3 mid = po_v3_scale(0.5, po_v3_add(w->ankle[0], w->ankle[1]));
  po_vec3 feet = po_patches_centroid(&g->move.actor->patches, g->move.actor->data, PO_BOTH_FEET);
  mid.x = feet.x, mid.y = feet.y;
  return po_v3_addscaled(mid, BALANCE_IDLE * po_gbwc_idle_side(g), po_v3_sub(w->ankle[0], w->ankle[1]));
}

/* The point of rest xi = c + v/w of a pendulum that stands on p moves by xi' = w (xi − p). On a walk of speed V with feet W apart it is at
 * p + (a V, ±b) when a step begins, a = T/(e^{wT} − 1), b = W/(1 + e^{wT}), and e^{wt} times as far later. A centre of pressure that moves
 * along with the error e = xi − xi_wanted, p + (1 + k) e, makes e' = −k w e; the force that moves it there is −m w² (1 + k) e. */
po_vec3 po_gbwc_rest_error(const po_gbwc *g, const gbwc_view *w) {
  po_vec3 foot = po_gbwc_to_frame(w, po_v3_sub(g->now.mode == PO_GBWC_WALK ? w->ankle[w->stance] : balance_standing_goal(g, w), w->com));
  po_vec3 e = po_v3(w->velocity.x / w->omega - foot.x, w->velocity.y / w->omega - foot.y, 0);
  if (g->now.mode == PO_GBWC_WALK) {
    double whole = po_exp(w->omega * w->period), growth = po_exp(w->omega * (w->period - (1 - po_min(g->now.phase, 1)) * w->swing_time)); /* a short step begins later on the same curve */
    e.x -= growth * w->period / (whole - 1) * w->asked;
    e.y -= growth * (w->period / (whole - 1) * w->asked_side + po_gbwc_side(w) * w->width / (1 + whole));
  }
  return e;
}

/* Who stands rests with the COM over the middle of the soles, ahead of the ankles, in C: the ankles bear that all the time. */
static po_vec3 balance_ahead_of_ankles(const po_gbwc *g, const gbwc_view *w) {
  return po_gbwc_to_frame(w, po_v3_sub(balance_standing_goal(g, w), po_v3_scale(0.5, po_v3_add(w->ankle[0], w->ankle[1]))));
}

po_vec3 po_gbwc_tuning_force(const po_gbwc *g, const gbwc_view *w) {
  double m = w->mass, most = BALANCE_FORCE * m * w->omega * w->omega * w->height, size;
  po_vec3 p = po_v3_scale(1 + PO_GBWC_RETURN, po_gbwc_rest_error(g, w)), f; /* of the centre of pressure, from the ankles */
  if (po_gbwc_path_free(g)) p.x = po_min(p.x, 0);
  if (g->now.mode == PO_GBWC_STAND) most *= po_max(g->move.actor->standing_height / w->height, 1); /* a low COM needs more force for the same centre of pressure, p = F h/(m g) */
  if (g->now.mode == PO_GBWC_STAND) p = po_v3_add(p, balance_ahead_of_ankles(g, w));
  f = po_v3_scale(-m * w->omega * w->omega, po_v3(p.x, p.y, 0));
  size = po_v3_norm(f);
  if (size > most) f = po_v3_scale(most / size, f);
  return po_gbwc_to_world(w, f);
}

/* Standing on both feet they are to carry what puts the centre of pressure where it is wanted. A share that followed the load that is felt would let go of a leg
 * that is losing it; halves would have a foot that is bound to lose its load turn its leg away by the torque of its hip. */
void po_gbwc_plan_shares(const po_gbwc *g, gbwc_view *w) {
  double apart = po_max(po_gbwc_to_frame(w, po_v3_sub(w->ankle[0], w->ankle[1])).y, BALANCE_NARROW * g->hip_width);
  double p = g->params.velocity_tuning >= 0.5 ? (1 + PO_GBWC_RETURN) * po_gbwc_rest_error(g, w).y + balance_ahead_of_ankles(g, w).y : 0;
  w->share[0] = po_clamp(0.5 + p / apart, BALANCE_SHARE_LEAST, 1 - BALANCE_SHARE_LEAST);
  w->share[1] = 1 - w->share[0];
}

/* The trunk's part of J_V' F_V. */
static void balance_force_on_trunk(const po_gbwc *g, double *tau, double mass, po_vec3 force) {
  const po_data *d = g->move.actor->data;
  int i;
  for (i = 1; i < d->model->nb; i++) {
    if (g->role[i] != GBWC_TRUNK) continue;
    balance_turn(g, tau, i, po_v3_scale(1 / mass, po_v3_cross(po_v3_addscaled(g->subtree_moment[i], -g->subtree_mass[i], d->pose[i].p), force)));
  }
}

/* What the ankles bear of a body at rest is no push on its trunk, whose weight is compensated already: it bent a child's waist back by 14 degrees, a human's by 5. */
static void balance_spare_trunk(const po_gbwc *g, double *tau, const gbwc_view *w) {
  balance_force_on_trunk(g, tau, w->mass, po_gbwc_to_world(w, po_v3(w->mass * w->omega * w->omega * balance_ahead_of_ankles(g, w).x, 0, 0)));
}

/* tau_V = J_V' F_V for the COM of a chain that is rooted at the ankle of `leg` (5.3.3): ankle, knee, hip, and the trunk up to the head. What is above
 * a joint turns about it: the moment on the upper side is m_above/m (c_above − p) × F. The hip's part is the root's. */
void po_gbwc_force_torques(const po_gbwc *g, double *tau, po_vec3 *root, int leg, po_vec3 force) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  po_vec3 com, velocity;
  double m = po_gbwc_whole(&com, &velocity, g);
  int joints[3], i;
  joints[0] = a->legs.foot[leg], joints[1] = a->legs.shank[leg], joints[2] = a->legs.thigh[leg];
  for (i = 0; i < 3; i++) {
    int body = joints[i];
    po_vec3 above = po_v3_sub(po_v3_scale(m, com), g->subtree_moment[body]);
    po_vec3 moment = po_v3_scale(1 / m, po_v3_cross(po_v3_addscaled(above, -(m - g->subtree_mass[body]), d->pose[body].p), force));
    if (i < 2) balance_turn(g, tau, body, po_v3_neg(moment));
    else *root = po_v3_add(*root, moment);
  }
  balance_force_on_trunk(g, tau, m, force);
}

/* ---- stance legs ---- */

/* How far from the centre of pressure the corners bear, by their loads: what friction has for an arm against a twist. `at` is where the centre of pressure is on
 * a sole of those half sizes, −1 … 1 each way. In the middle that is a corner's distance, at a corner nothing: a foot that stands on its heel's edge spins. */
static double balance_spread(const double half[2], const double at[2]) {
  double sum = 0;
  int i;
  for (i = 0; i < 4; i++) {
    double a = i & 1 ? 1 : -1, b = i & 2 ? 1 : -1, x = (a - at[0]) * half[0], y = (b - at[1]) * half[1];
    sum += 0.25 * (1 + a * at[0]) * (1 + b * at[1]) * sqrt(x * x + y * y);
  }
  return sum;
}

/* The ankle's torques move the centre of pressure; it stays on the sole, and the part of it that is in the air carries nothing. */
double po_gbwc_limit_ankle(const po_gbwc *g, double *tau, int leg, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  const po_joint *j = &a->model->joint[a->legs.foot[leg]];
  const po_patch *p = &a->patches.patch[leg];
  double weight = w->mass * w->omega * w->omega * w->height, load = w->feel[leg].force == w->feel[leg].force ? w->feel[leg].force : weight;
  double low[2] = {PO_INF, PO_INF}, high[2] = {-PO_INF, -PO_INF}, half[2] = {0, 0}, at[2] = {0, 0};
  int i, k;
  load = po_clamp(load, 0, BALANCE_LOAD * weight);
  for (i = 0; i < p->points; i++) {
    po_vec3 corner = po_point_position(a->data, p->point_body[i], p->point[i]), f = po_v3_scale(1 / w->height, po_v3_sub(w->com, corner));
    po_vec3 r = po_v3_cross(po_v3_sub(corner, w->ankle[leg]), po_v3(f.x, f.y, 1)); /* a load of 1 that comes from the COM, as a pendulum's does */
    for (k = 0; k < j->nv && k < 2; k++) { /* the moment on the foot that it balances at this corner */
      double moment = -po_v3_dot(po_unit_motion(a->data, j->v + k).ang, r);
      low[k] = po_min(low[k], moment);
      high[k] = po_max(high[k], moment);
    }
  }
  for (k = 0; k < j->nv && k < 2; k++) {
    tau[j->v + k] = po_clamp(tau[j->v + k], PO_GBWC_SOLE * load * po_min(low[k], 0), PO_GBWC_SOLE * load * po_max(high[k], 0));
    half[k] = 0.5 * (high[k] - low[k]);
    if (load > 0 && half[k] > 0) at[k] = po_clamp((tau[j->v + k] / load - 0.5 * (high[k] + low[k])) / half[k], -1, 1);
  }
  return balance_spread(half, at);
}

/* What the weight bends the knee with, when it acts along the line from ankle to hip. */
static double balance_knee_load(const po_gbwc *g, int leg, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  int thigh = a->legs.thigh[leg], shank = a->legs.shank[leg];
  double weight = w->share[leg] * w->mass * w->omega * w->omega * w->height;
  po_vec3 line = po_v3_unit(po_v3_sub(a->data->pose[thigh].p, w->ankle[leg]));
  po_vec3 moment = po_v3_cross(po_v3_sub(w->ankle[leg], a->data->pose[shank].p), po_v3_scale(weight / po_max(line.z, BALANCE_LINE), line)); /* of the ground on the shank; upwards it is the weight */
  return -po_v3_dot(po_unit_motion(a->data, a->model->joint[shank].v).ang, moment);
}

/* A straight leg vaults: it loses cos 2θ of its speed at every landing of a step of angle 2θ. So the stance knee bends as much as keeps the hip level while
 * the leg passes from ahead to behind: D² = H² + x², with H the height at which the leg is just straight at half a step. */
static double balance_straight2(const po_gbwc *g, int leg) {
  const po_gbwc_limb *l = &g->legs[leg];
  return l->upper * l->upper + l->lower * l->lower + 2 * l->upper * l->lower * po_cos(PO_RAD(g->params.knee_deg) + po_abs(l->bend));
}

/* H: both hips go at the height that the shorter leg reaches. */
static double balance_level(const po_gbwc *g, const gbwc_view *w) {
  double half = BALANCE_LEVEL * 0.5 * sqrt(w->asked * w->asked + w->asked_side * w->asked_side) * w->period, drop = po_gbwc_drop(g), level;
  if (po_gbwc_path_active(g)) half = po_max(half, BALANCE_AHEAD * g->skill.path.longest);
  level = sqrt(po_max(po_min(balance_straight2(g, 0), balance_straight2(g, 1)) - half * half, 0));
  return drop > 0 ? po_max(level - drop, BALANCE_LOWEST * g->leg) : level;
}

double po_gbwc_low_landing(const po_gbwc *g, int leg, const gbwc_view *w) {
  return balance_level(g, w) - (g->move.actor->data->pose[g->move.actor->legs.thigh[leg]].p.z - w->ankle[leg].z);
}

/* The knee's angle beyond its rest, and the rate at which it yields while the hip comes towards the foot. A hip that landed low rises bit by bit: a knee
 * that stretched at once would throw the body up, and the foot that was just put down would lose its hold. */
static double balance_level_knee(const po_gbwc *g, int leg, const gbwc_view *w, double *rate) {
  const po_actor *a = g->move.actor;
  const po_gbwc_limb *l = &g->legs[leg];
  double straight2 = balance_straight2(g, leg), level = balance_level(g, w), bend, D2;
  po_vec3 zero = po_v3(0, 0, 0), x = po_v3_sub(a->data->pose[a->legs.thigh[leg]].p, w->ankle[leg]);
  po_vec3 v = po_v3_sub(po_point_velocity(a->data, a->legs.thigh[leg], zero), po_point_velocity(a->data, a->legs.foot[leg], zero));
  if (leg == w->stance && (!po_gbwc_path_active(g) || po_gbwc_path_high(g))) level -= g->now.landing * po_max(1 - (g->now.mode == PO_GBWC_WALK ? g->now.phase : g->now.mode_time / w->period) / BALANCE_SETTLE, 0); /* other planned steps lower and raise the hip themselves */
  D2 = level * level + x.x * x.x + x.y * x.y;
  bend = po_gbwc_limb_bend(l, po_min(D2, straight2));
  *rate = g->now.mode == PO_GBWC_WALK && D2 < straight2 ? po_clamp(-(x.x * v.x + x.y * v.y) / (l->upper * l->lower * po_max(po_sin(bend), po_sin(BALANCE_BEND))), 0, BALANCE_YIELD / g->time_scale) : 0;
  return bend - po_abs(l->bend);
}

static void balance_stance_leg(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w, int leg) {
  const po_actor *a = g->move.actor;
  int foot = a->legs.foot[leg], shank = a->legs.shank[leg];
  const po_joint *j = &a->model->joint[shank];
  double sign = g->legs[leg].bend < 0 ? -1 : 1, rate, wanted = sign * balance_level_knee(g, leg, w, &rate);
  po_mat3 flat = po_m3_mul(po_m3_axis_angle(po_v3(0, 0, 1), w->heading), po_m3_axis_angle(po_v3(0, 1, 0), PO_RAD(po_gbwc_curve(g->params.stance_ankle, g->now.phase)) + po_gbwc_heel_rise(g, leg)));
  tau[j->v] += g->kp[shank] * (wanted - sense->q[j->q]) + g->kd[shank] * (sign * rate - sense->v[j->v]) + balance_knee_load(g, leg, w);
  po_gbwc_drive(g, tau, foot, po_m3_mul(flat, g->rest[foot]), po_v3(0, 0, 0), 1, w);
}

/* Two legs that stand side by side are a linkage of one freedom: feet d apart, hips b apart, legs L. A sway s of the pelvis turns the legs by −s/L and rolls
 * the pelvis by −s (b − d)/(L b), so that thighs turned by a torque T push it with T d/(L b). It falls over as a pendulum of length L, by m g s/L, where the force
 * was made for one as high as the COM, m g s/h: so h/L times the force, T = h F b/d. (With T = L F b/d a child, whose h is 1.7 L, drifted sideways until it had
 * to step.) The chain of a single leg would roll the pelvis instead. */
static po_vec3 balance_parallel_legs(const po_gbwc *g, po_vec3 root, po_vec3 force, const gbwc_view *w) {
  po_vec3 c = po_gbwc_to_frame(w, root);
  double apart = po_gbwc_to_frame(w, po_v3_sub(w->ankle[0], w->ankle[1])).y;
  c.x = w->height * po_gbwc_to_frame(w, force).y * g->hip_width / po_max(apart, BALANCE_NARROW * g->hip_width);
  return po_gbwc_to_world(w, c);
}

/* On two feet the linkage does what is to be done sideways, by moving loads from foot to foot. Ankles that worked for it too tipped the foot that was losing its load over its edge, by 30 degrees within 60 ms. */
static po_vec3 balance_chain_force(const po_gbwc *g, po_vec3 force, const gbwc_view *w) {
  po_vec3 c = po_gbwc_to_frame(w, force);
  return g->now.mode == PO_GBWC_STAND && w->share[0] > 0 && w->share[1] > 0 ? po_gbwc_to_world(w, po_v3(c.x, 0, 0)) : force;
}

void po_gbwc_stance_legs(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w) {
  po_vec3 force = po_v3(0, 0, 0), root = force, chain;
  double spread = 0; /* of the stance foot's pressure */
  int leg;
  if (g->params.velocity_tuning >= 0.5) force = po_gbwc_tuning_force(g, w);
  chain = balance_chain_force(g, force, w);
  for (leg = 0; leg < 2; leg++) {
    if (g->now.mode == PO_GBWC_WALK && leg != w->stance) continue;
    balance_stance_leg(g, tau, sense, w, leg);
    if (g->now.mode == PO_GBWC_STAND) po_gbwc_keep_foot(g, tau, w, leg);
    po_gbwc_force_torques(g, tau, &root, leg, g->now.mode == PO_GBWC_WALK ? chain : po_v3_scale(w->share[leg], chain));
    spread = po_gbwc_limit_ankle(g, tau, leg, w);
  }
  if (g->now.mode == PO_GBWC_STAND && g->params.velocity_tuning >= 0.5) balance_spare_trunk(g, tau, w);
  if (g->now.mode == PO_GBWC_STAND) root = balance_parallel_legs(g, root, force, w);
  po_gbwc_root(g, tau, root, spread, w);
}

/* ---- the root ---- */

static po_vec3 balance_reaction(const po_gbwc *g, const double *tau, int body) {
  const po_data *d = g->move.actor->data;
  const po_joint *j = &d->model->joint[body];
  po_vec3 sum = po_v3(0, 0, 0);
  int k;
  for (k = 0; k < j->nv; k++) sum = po_v3_addscaled(sum, tau[j->v + k], po_unit_motion(d, j->v + k).ang);
  return sum;
}

/* The hip's torque turns the stance leg about its foot, which pushes on the ground with torque/leg, and twists it about the vertical: no more of it than
 * friction is trusted with. A foot that slides holds nothing, and a body that is pushed needs its foot most then: of one that is seen to spin less is asked,
 * the faster the less. */
static po_vec3 balance_grip(const po_gbwc *g, po_vec3 root, double spread, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  double weight = w->mass * w->omega * w->omega * w->height, load = 0, size = sqrt(root.x * root.x + root.y * root.y), most;
  double spin = po_abs(po_body_angular_velocity(a->data, a->legs.foot[w->stance]).z), holds = 1 / (1 + g->now.unrest * spread * spin / (BALANCE_SPIN * g->time_scale));
  int i;
  for (i = 0; i < 2; i++) load += w->feel[i].force == w->feel[i].force ? w->feel[i].force : w->share[i] * weight;
  load = holds * po_clamp(load, 0, BALANCE_LOAD * weight);
  most = (BALANCE_GRIP - BALANCE_GRIP_LESS * g->now.unrest) * load * g->leg;
  if (size > most) root.x *= most / size, root.y *= most / size;
  root.z = po_clamp(root.z, -load * spread, load * spread);
  return root;
}

/* What the foot does not hold would turn the pelvis alone, which is light: a foot in the air and a leg thrown sideways span it by 15 rad/s within 40 ms.
 * The trunk, ten times as heavy, takes a part of it. */
static void balance_lean_on_trunk(const po_gbwc *g, double *tau, po_vec3 missing) {
  const po_model *m = g->move.actor->model;
  int i;
  for (i = 1; i < m->nb; i++)
    if (m->joint[i].parent == 0 && g->role[i] == GBWC_TRUNK) balance_turn(g, tau, i, po_v3_scale(-BALANCE_TRUNK * g->now.unrest, missing));
}

/* Torque that turns the pelvis upright and to its heading; hips share what is missing of it by the load on their feet. */
void po_gbwc_root(po_gbwc *g, double *tau, po_vec3 feedforward, double spread, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  const po_model *m = a->model;
  double most = BALANCE_ROOT * g->stiffness, scale = g->params.gain_scale;
  double kd = po_min(sqrt(scale) * BALANCE_ROOT_KD * g->damping, BALANCE_ROOT_STABLE * m->inertia[0].I.m[4] / w->dt);
  double roll = PO_RAD(g->params.side_lean_deg) - po_gbwc_side(w) * po_gbwc_hip_drop(g);
  po_mat3 wanted = po_m3_mul(po_m3_axis_angle(po_v3(0, 0, 1), g->now.facing), po_m3_rpy(roll, PO_RAD(g->params.lean_deg), 0));
  po_vec3 e = po_q_log(po_q_from_matrix(po_m3_mult(po_m3_mul(wanted, po_q_matrix(a->rest_orientation)), a->data->pose[0].R))), root;
  int i;
  if (g->now.mode == PO_GBWC_STAND && w->share[0] > 0 && w->share[1] > 0) { /* on two feet the pelvis rolls as it sways: to hold its roll pushes it further; without, it wobbles after a step */
    po_vec3 c = po_gbwc_to_frame(w, e);
    e = po_gbwc_to_world(w, po_v3(BALANCE_ROLL * c.x, c.y, c.z));
  }
  root = po_v3_addscaled(po_v3_scale(scale * BALANCE_ROOT_KP * g->stiffness, e), -kd, po_body_angular_velocity(a->data, 0));
  if (po_v3_norm(root) > most) root = po_v3_scale(most / po_v3_norm(root), root);
  root = po_v3_add(root, feedforward);
  for (i = 1; i < m->nb; i++)
    if (m->joint[i].parent == 0) root = po_v3_add(root, balance_reaction(g, tau, i));
  if (g->now.mode == PO_GBWC_WALK) {
    po_vec3 held = balance_grip(g, root, spread, w);
    if (g->now.unrest > 0) balance_lean_on_trunk(g, tau, po_v3_sub(root, held));
    root = held;
  }
  for (i = 0; i < 2; i++) balance_turn(g, tau, a->legs.thigh[i], po_v3_scale(-w->share[i], root));
}
