/* airborne_body.c: the body of who turns over: its measures, the objectives of take-off, flight and landing, poses from open to tucked. */
#include "airborne_internal.h"
#include <string.h>

#define TUMBLER_CONTACT_KP 1000.0 /* 1/s², as in standing */
#define TUMBLER_LEVEL_KP 300.0    /* 1/s²: a tilt is gone within the flight */
#define TUMBLER_LIMIT_ROOM 0.05   /* rad: rest poses stay so far inside joint limits */
/* A crouch moves the hips back, and the trunk leans forward to keep the COM over the soles: rad per share of the standing height that is missing. */
#define TUMBLER_LEAN 1.5
#define TUMBLER_LEAN_MOST 0.9

/* ---- measures ---- */

void po_tumbler_layout(po_tumbler *t, const po_model *m, po_arena *arena) {
  t->joint_kp = PO_ARENA_ZARRAY(arena, double, m->nv);
  t->zero = PO_ARENA_ZARRAY(arena, double, m->nv);
  t->step = PO_ARENA_ZARRAY(arena, double, m->nv);
  t->last = PO_ARENA_ZARRAY(arena, double, m->nq);
  t->tried = PO_ARENA_ZARRAY(arena, double, m->nq);
}

void po_tumbler_measure(po_tumbler *t, po_actor *actor) {
  po_data *d = actor->data;
  po_vec3 middle = po_patches_centroid(&actor->patches, d, PO_BOTH_FEET), centre[2];
  int f, k;
  t->actor = actor;
  t->neck = po_find_frame(actor->model, "neck_base");
  t->spine[0] = po_find_body(actor->model, "abdomen");
  t->spine[1] = po_find_body(actor->model, "thorax");
  t->head = po_find_body(actor->model, "head");
  t->toes = t->heels = 0;
  for (f = 0; f < 2; f++) {
    const po_patch *p = &actor->patches.patch[f];
    centre[f] = po_patches_centroid(&actor->patches, d, PO_PATCH_BIT(f));
    t->sole[f] = po_m3_tmul_v(d->pose[p->body].R, po_v3_sub(centre[f], d->pose[p->body].p));
    for (k = 0; k < p->points; k++) {
      double x = po_point_position(d, p->point_body[k], p->point[k]).x - middle.x;
      t->toes = po_max(t->toes, x);
      t->heels = po_max(t->heels, -x);
    }
  }
  t->mass = actor->model->total_mass;
  t->gravity = po_v3_norm(d->gravity);
  t->h = actor->standing_height;
  t->beat = sqrt(t->h / t->gravity);
  t->fast = sqrt(t->gravity * t->h);
  t->inertia = po_inertia_about(d, po_v3(0, 1, 0));
  t->stance = 0.5 * po_abs(centre[0].y - centre[1].y);
  t->across = po_v3(1, 0, 0);
  t->follow = 1;
}

double po_tumbler_over(const po_tumbler *t) {
  const po_patches *s = &t->actor->patches;
  double low = PO_INF;
  int i;
  for (i = 0; i < 8; i++)
    if (i % 4 < s->patch[i / 4].points) low = po_min(low, po_point_position(t->actor->data, s->patch[i / 4].point_body[i % 4], s->patch[i / 4].point[i % 4]).z);
  return t->actor->data->com.z - low;
}

double po_tumbler_lean(const po_tumbler *t, double over) { return po_clamp(TUMBLER_LEAN * (0.97 - over / t->h), 0, TUMBLER_LEAN_MOST); }

po_vec3 po_tumbler_left(const po_tumbler *t) {
  po_vec3 l = po_m3_col(t->actor->data->pose[0].R, 1);
  l.z = 0;
  return po_v3_norm(l) > 0 ? po_v3_unit(l) : po_v3(0, 1, 0);
}
po_vec3 po_tumbler_ahead(const po_tumbler *t) { return po_v3_cross(po_tumbler_left(t), po_v3(0, 0, 1)); }

po_vec3 po_tumbler_trunk(const po_tumbler *t) { return po_v3_unit(po_v3_sub(po_frame_position(t->actor->data, t->neck), t->actor->data->pose[0].p)); }

po_vec3 po_tumbler_turning_speed(const po_tumbler *t, double h) {
  const double *L = t->actor->data->momentum;
  return po_v3_scale(1 / (t->mass * h), po_v3(L[1], -L[0], 0));
}

double po_tumbler_time_to(const po_tumbler *t, double height) {
  const po_data *d = t->actor->data;
  double v = d->com_velocity.z, drop = po_max(d->com.z - height, 0);
  return (v + sqrt(v * v + 2 * t->gravity * drop)) / t->gravity;
}

/* ---- objectives ---- */

/* y = e·i,  ẏ = e·(ω × i) = (i × e)·ω. */
void po_tumbler_axis(po_vec3 along, int body, int axis, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  po_vec3 i = po_m3_col(d->pose[body].R, axis), w = po_body_angular_velocity(d, body), e[2];
  po_vec3 turn = po_v3_add(po_v3_cross(po_body_angular_drift(d, body), i), po_v3_cross(w, po_v3_cross(w, i)));
  int k;
  e[0] = po_v3_neg(po_v3_unit(d->gravity));
  e[1] = along;
  for (k = 0; k < 2; k++) {
    y[k] = po_v3_dot(e[k], i);
    ydot[k] = po_v3_dot(e[k], po_v3_cross(w, i));
    drift[k] = po_v3_dot(e[k], turn);
    po_apply_moment(po_row(J, k), d, body, po_v3_cross(i, e[k]));
  }
}
static void tumbler_level_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  po_tumbler_axis(((const po_tumbler *)user)->across, 0, 1, y, ydot, J, drift, d);
}

void po_ask(po_objective *o, int priority, double weight, double kp) {
  o->on = 1;
  if (o->type == PO_TARGET) o->type = PO_SETPOINT;
  o->priority = priority;
  o->weight = weight;
  o->kp = kp;
  o->kv = -1;
  o->limit = 0;
  memset(o->ref_rate, 0, sizeof o->ref_rate);
  memset(o->ref_accel, 0, sizeof o->ref_accel);
}

void po_ask_within(po_objective *o, int priority, double weight, double seconds) {
  po_ask(o, priority, weight, 0);
  o->type = PO_TARGET;
  o->time = seconds;
  memset(o->row_time, 0, sizeof o->row_time);
}

po_objective *po_tumbler_add(po_tumbler *t, const char *name, po_feature feature, int priority, double kp) {
  po_objective o = po_objective_setpoint(name, feature, priority, kp);
  o.on = 0;
  return po_wbc_add(t->actor->wbc, &o);
}

void po_tumbler_attach(po_tumbler *t) {
  static const char *const ankle[2] = {"ankle_l", "ankle_r"}, *const foot[2] = {"foot_l", "foot_r"};
  po_actor *a = t->actor;
  po_objective momentum = po_objective_momentum("momentum", 2, 0);
  int f;
  po_actor_add_contacts(a, PO_BOTH_FEET, 1, TUMBLER_CONTACT_KP);
  t->com = po_tumbler_add(t, "com", po_feature_com_across(), 2, 0);
  t->height = po_tumbler_add(t, "height", po_feature_com_height(), 2, 0);
  t->turn = po_wbc_add(a->wbc, &momentum);
  t->pose = po_tumbler_add(t, "pose", po_feature_pose(a->model, NULL), 3, 0);
  t->trunk = po_tumbler_add(t, "trunk", po_feature_orientation(0), 3, 0);
  t->level = po_tumbler_add(t, "level", po_feature_custom(2, tumbler_level_eval, t), 3, TUMBLER_LEVEL_KP);
  for (f = 0; f < 2; f++) t->ankle[f] = po_tumbler_add(t, ankle[f], po_feature_point_from_com(a->patches.patch[f].body, po_v3(0, 0, 0)), 2, 0);
  for (f = 0; f < 2; f++) t->foot[f] = po_tumbler_add(t, foot[f], po_feature_orientation(a->patches.patch[f].body), 2, 0);
  if (!t->pose) return; /* too few objectives were allowed: the control says so when it is checked */
  t->pose->on = 1;
  t->pose->pose = a->pose;
  t->pose->joint_weight = a->joint_weight;
  t->pose->joint_kp = t->joint_kp;
}

void po_tumbler_attach_hands(po_tumbler *t) {
  po_actor_add_contacts(t->actor, PO_BOTH_HANDS & po_patches_there(&t->actor->patches), 1, TUMBLER_CONTACT_KP);
  po_tumbler_plant_hands(t, 0, 0);
}

void po_tumbler_level(po_tumbler *t, po_vec3 axis, int priority, double weight) {
  t->across = po_v3_unit(po_v3_cross(axis, po_v3_neg(po_v3_unit(t->actor->data->gravity))));
  t->level->on = weight > 0;
  t->level->priority = priority;
  t->level->weight = weight;
}

void po_tumbler_upright(po_tumbler *t, double lean, double kp) {
  double heading = po_level_heading(po_tumbler_left(t));
  po_ask(t->trunk, 3, 5, kp); /* beside the pose, as in standing */
  t->trunk->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), heading), po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), lean), t->actor->rest_orientation));
}

void po_tumbler_plant(po_tumbler *t, unsigned set, int toes_only) {
  int i;
  for (i = 0; i < 8; i++) po_actor_plant(t->actor, i / 4, i % 4, (set & PO_PATCH_BIT(i / 4)) && (i % 4 >= 2 || !toes_only), TUMBLER_CONTACT_KP);
  for (i = 0; i < 2; i++)
    if (set & PO_PATCH_BIT(i)) t->ankle[i]->on = t->foot[i]->on = 0;
  po_actor_stand_on(t->actor, set);
}

void po_tumbler_plant_hands(po_tumbler *t, unsigned set, int touching_only) {
  int i;
  for (i = 8; i < 16; i++) {
    const po_patch *p = &t->actor->patches.patch[i / 4];
    int on = (set & PO_PATCH_BIT(i / 4)) && i % 4 < p->points && (p->touching[i % 4] || !touching_only);
    po_actor_plant(t->actor, i / 4, i % 4, on, TUMBLER_CONTACT_KP);
  }
  if (set) po_actor_stand_on(t->actor, set);
}

void po_tumbler_ask(po_tumbler *t, int priority, po_vec3 acceleration, double rise, po_vec3 turn) {
  po_ask(t->com, priority, 1, 0);
  po_ask(t->height, priority, 1, 0);
  po_ask(t->turn, priority, 1, 0);
  t->turn->scale = t->mass * t->h;
  t->com->ref_accel[0] = acceleration.x;
  t->com->ref_accel[1] = acceleration.y;
  t->height->ref_accel[0] = rise;
  po_v3_to(t->turn->ref_accel, turn);
}

/* Wind. The solver promises the COM's acceleration; what it does beside that is what nobody told it of. */
#define TUMBLER_FEEL 0.3  /* beats: time constant of the estimate */
#define TUMBLER_CALM 0.015 /* m g: below it there is no wind, there are rounding, soles that settle and joints at their stops */
#define TUMBLER_STEADY 0.4 /* beats: what lasts shorter is a push */
#define TUMBLER_STORM 0.2  /* m g: more, and soles could not hold against it; a tick that says so has met a joint's stop */

void po_tumbler_feel_begin(po_tumbler *t) {
  t->was = po_v3(t->actor->data->com_velocity.x, t->actor->data->com_velocity.y, 0);
  t->wind = t->felt = po_v3(0, 0, 0);
  t->blowing = 0;
}

void po_tumbler_feel(po_tumbler *t, double dt) {
  const po_data *d = t->actor->data;
  po_vec3 v = po_v3(d->com_velocity.x, d->com_velocity.y, 0), f;
  const double *qdd = t->actor->wbc->qdd;
  double most = TUMBLER_STORM * t->mass * t->gravity;
  f.x = po_dot(po_row(d->Jcom, 0), qdd, d->model->nv) + d->com_drift.x;
  f.y = po_dot(po_row(d->Jcom, 1), qdd, d->model->nv) + d->com_drift.y;
  f.z = 0;
  f = po_v3_scale(t->mass, po_v3_sub(po_v3_scale(1 / dt, po_v3_sub(v, t->was)), f));
  if (po_v3_norm(f) > most) f = po_v3_scale(most / po_v3_norm(f), f);
  t->felt = po_v3_addscaled(t->felt, po_min(dt / (TUMBLER_FEEL * t->beat), 1), po_v3_sub(f, t->felt));
  t->blowing = po_v3_norm(t->felt) > TUMBLER_CALM * t->mass * t->gravity ? t->blowing + dt : 0;
  t->wind = t->blowing > TUMBLER_STEADY * t->beat ? t->felt : po_v3(0, 0, 0);
  t->was = v;
}

po_vec3 po_tumbler_braced(const po_tumbler *t, double over) { return po_v3_scale(over / (t->mass * t->gravity), t->wind); }

void po_tumbler_let_go(po_tumbler *t) {
  po_tumbler_plant(t, 0, 0);
  t->com->on = t->height->on = t->turn->on = t->trunk->on = 0;
  t->ankle[0]->on = t->ankle[1]->on = t->foot[0]->on = t->foot[1]->on = 0;
}

/* ---- poses ---- */

po_tumble_pose po_tumble_mix(po_tumble_pose a, po_tumble_pose b, double s) {
  a.hip += s * (b.hip - a.hip);
  a.knee += s * (b.knee - a.knee);
  a.ankle += s * (b.ankle - a.ankle);
  a.spine += s * (b.spine - a.spine);
  a.shoulder += s * (b.shoulder - a.shoulder);
  a.abduct += s * (b.abduct - a.abduct);
  a.elbow += s * (b.elbow - a.elbow);
  a.head += s * (b.head - a.head);
  a.cross += s * (b.cross - a.cross);
  return a;
}

void po_tumbler_bend(po_tumbler *t, int body, double angle) {
  const po_joint *j = body >= 0 ? &t->actor->model->joint[body] : NULL;
  double *q;
  if (!j) return;
  q = t->actor->pose + j->q;
  if (j->type == PO_JOINT_SPHERICAL) {
    if (j->limit_centre.w > 0.999) angle = po_clamp(angle, j->lower[1] + TUMBLER_LIMIT_ROOM, j->upper[1] - TUMBLER_LIMIT_ROOM);
    po_q_to(q, po_q_mul(po_q_of(q), po_q_axis_angle(po_v3(0, 1, 0), angle)));
  } else if (j->nq >= 1)
    q[0] = po_clamp(q[0] + angle, j->lower[0] + TUMBLER_LIMIT_ROOM, j->upper[0] - TUMBLER_LIMIT_ROOM);
}

const po_joint *po_tumbler_wrist(const po_tumbler *t, int hand) {
  int palm = t->actor->patches.patch[PO_HAND_L + hand].body, fore = t->actor->legs.forearm[hand];
  return palm >= 0 && fore >= 0 && palm != fore && t->actor->model->joint[palm].nq == 2 ? &t->actor->model->joint[palm] : NULL;
}

void po_tumbler_limb(const po_tumbler *t, double *x, int body, double value) {
  const po_model *m = t->actor->model;
  int i;
  for (i = 0; body >= 0 && i < m->nv; i++)
    if (m->dof_body[i] >= body && m->dof_body[i] < m->subtree_end[body]) x[i] = value;
}

/* An arm may have more than half a turn to go from behind the back to overhead, and a pose knows only the shorter way, through the body's stop: its
 * rest runs ahead of where it is by no more than this (rad). */
#define TUMBLER_ARM_AHEAD 2.0
#define TUMBLER_ARM_BACK -1.4 /* rad: no arm is further behind; beyond, it has come there over the head */

static double tumbler_shoulder(const po_tumbler *t, int arm, double want) {
  const po_data *d = t->actor->data;
  po_mat3 R = po_m3_tmul(d->pose[t->actor->model->joint[arm].parent].R, d->pose[arm].R);
  double now = -po_atan2(R.m[2] - R.m[6], R.m[0] + R.m[8]); /* flexion: about −y */
  if (now < TUMBLER_ARM_BACK) now += 2 * PO_PI;
  return t->follow ? po_clamp(want, now - TUMBLER_ARM_AHEAD, now + TUMBLER_ARM_AHEAD) : want;
}

/* Legs apart, one ahead and one behind, beside each other, have a product of inertia about the axis and tip it: they come into one plane, and the arms go against
 * them. With these shares of the split it is within 0.1 kg m² for people in every shape from open to bowed. */
#define TUMBLER_SPLIT_IN 0.07
#define TUMBLER_SPLIT_ARMS 0.7

static void tumbler_split(po_tumbler *t, int thigh, double inwards) {
  const po_joint *j = thigh >= 0 ? &t->actor->model->joint[thigh] : NULL;
  if (j && j->type == PO_JOINT_SPHERICAL && t->split != 0)
    po_q_to(t->actor->pose + j->q, po_q_axis_angle(po_v3(1, 0, 0), inwards * TUMBLER_SPLIT_IN * t->split));
}

void po_tumbler_pose(po_tumbler *t, const po_tumble_pose *p, double kp, double legs, double arms) {
  const po_model *m = t->actor->model;
  const po_legs *l = &t->actor->legs;
  int f, i;
  po_neutral(t->actor->pose, m);
  for (i = 0; i < m->nv; i++) {
    t->joint_kp[i] = kp;
    t->actor->joint_weight[i] = 1;
  }
  for (f = 0; f < 2; f++) {
    int arm = l->upper_arm[f];
    tumbler_split(t, l->thigh[f], f == 0 ? -1 : 1);
    po_tumbler_bend(t, l->thigh[f], -p->hip - (f == 0 ? 0.5 : -0.5) * t->split);
    po_tumbler_bend(t, l->shank[f], p->knee);
    po_tumbler_bend(t, l->foot[f], -p->ankle);
    if (arm >= 0 && m->joint[arm].type == PO_JOINT_SPHERICAL) {
      po_q_to(t->actor->pose + m->joint[arm].q, po_q_axis_angle(po_v3(1, 0, 0), p->cross + (f == 0 ? p->abduct : -p->abduct)));
      po_tumbler_bend(t, arm, -tumbler_shoulder(t, arm, p->shoulder - (f == 0 ? 0.5 : -0.5) * TUMBLER_SPLIT_ARMS * t->split));
    }
    po_tumbler_bend(t, l->forearm[f], p->elbow);
    po_tumbler_bend(t, t->spine[f], 0.5 * p->spine);
    po_tumbler_limb(t, t->actor->joint_weight, l->thigh[f], legs);
    po_tumbler_limb(t, t->actor->joint_weight, arm, arms);
  }
  po_tumbler_bend(t, t->head, p->head);
  if (!t->pose) return;
  t->pose->priority = 3;
  t->pose->weight = 1;
}

/* Nothing of it stays: another move may have the body now. */
void po_tumbler_try(po_tumbler *t, const po_tumble_pose *p) {
  po_tumbler trial = *t;
  po_actor actor = *t->actor;
  trial.actor = &actor;
  trial.pose = NULL;
  trial.follow = 0;
  actor.pose = t->tried;
  actor.joint_weight = trial.joint_kp = t->step;
  po_tumbler_pose(&trial, p, 1, 1, 1);
  po_all_terms(actor.data, actor.pose, t->zero);
}

void po_tumbler_keep_plane(po_tumbler *t, double weight) {
  const po_model *m = t->actor->model;
  int f;
  for (f = 0; f < 2; f++) {
    const po_joint *hip = t->actor->legs.thigh[f] >= 0 ? &m->joint[t->actor->legs.thigh[f]] : NULL, *foot = &m->joint[t->actor->patches.patch[f].body];
    if (hip && hip->type == PO_JOINT_SPHERICAL) t->actor->joint_weight[hip->v] = t->actor->joint_weight[hip->v + 2] = weight;
    if (foot->nv == 2) t->actor->joint_weight[foot->v + 1] = weight;
    if (t->actor->legs.toes[f] >= 0) t->actor->joint_weight[m->joint[t->actor->legs.toes[f]].v] = weight;
  }
}
