/* retarget.c: a captured motion on one of our bodies.
 *
 * Every part that skeleton and body share (retarget_names.c) is to be turned as in the capture. With the zero pose of both known, the body's link is
 * wanted at
 *   R = Rs A R0,     Rs: turn of the file's joint from its rest pose;  R0: of the link at its zero pose;  A: the least turn from the body's bone
 *                    to the file's, both at rest (arms may be stretched out there and hang here). Trunk and head stand upright in both: A = 1.
 * The hips' middle follows the file's, scaled by the length of the legs. Damped least squares within joint limits finds q (ik.c); a twist about a
 * bone counts less than its direction. Then the motion is smoothed, its floor levelled, its planted corners found and pinned (motion_floor.c,
 * motion_pin.c).
 */
#include "motion_internal.h"
#include "retarget.h"
#include <string.h>

/* Weights: a millimetre of the root's path counts as much as half a degree of a link; feet come first. */
#define RETARGET_WEIGHT_ROOT 10.0
#define RETARGET_WEIGHT_FOOT 40.0
#define RETARGET_WEIGHT_TURN 1.0
#define RETARGET_WEIGHT_TWIST 0.3
#define RETARGET_STIFFNESS 0.03   /* where nothing else is asked for, joints stay at their zero pose */
#define RETARGET_PERSON_LEG 0.869 /* m: leg of the one who was captured, hip to ankle: the size that keeps its timing */
/* Captured feet never rest quite: a human's toe slower than 0.6 m/s stands (0.2 sqrt(g l)), within 4 cm of the floor once that is level. */
#define RETARGET_SPEED 0.2
#define RETARGET_HEIGHT 0.04
#define RETARGET_GRAVITY 9.81
#define RETARGET_JUMP 50.0 /* rad/s from the first frame to the second, */
#define RETARGET_JUMP_MORE 5.0 /* and so many times as fast as from there to the third: the first is no part of the motion */

typedef struct retarget_work {
  const po_model *model;
  const po_bvh *bvh;
  po_retarget_map map;
  int body[PO_PARTS];       /* the link of a part, or −1 */
  po_vec3 bone[PO_PARTS];   /* of the body's bones in link axes, unit; zero: none */
  po_mat3 adjust[PO_PARTS]; /* A R0 */
  po_pose *rest, *pose;     /* joints of the file */
  po_ik *ik;
  double *zero, *stiffness;
  double scale;
} retarget_work;

po_retarget_opts po_retarget_opts_default(void) {
  po_retarget_opts o;
  memset(&o, 0, sizeof o);
  o.smooth = 0.125; /* 15 frames at 120 Hz */
  o.similar = 1;
  o.drop = -1;
  return o;
}

static po_mat3 retarget_turn(const retarget_work *w, const po_pose *pose, int joint) { /* of a joint of the file, in our axes */
  return po_m3_mult(po_m3_mul(w->map.axes, pose[joint].R), w->map.axes);
}

static po_vec3 retarget_place(const retarget_work *w, const po_pose *pose, int joint) {
  return po_v3_scale(w->scale, po_m3_mul_v(w->map.axes, pose[joint].p));
}

/* The least turn that brings unit a to unit b. */
static po_mat3 retarget_least_turn(po_vec3 a, po_vec3 b) {
  po_vec3 axis = po_v3_cross(a, b), other, unused;
  double s = po_v3_norm(axis), c = po_v3_dot(a, b);
  if (s < 1e-9) {
    if (c > 0) return po_m3_identity();
    po_v3_tangents(&other, &unused, a); /* opposite: any axis square to it */
    return po_m3_axis_angle(other, PO_PI);
  }
  return po_m3_axis_angle(po_v3_scale(1 / s, axis), po_atan2(s, c));
}

/* Where the body's bone of a part ends, world axes of the zero pose; 0: it has no such bone. */
static int retarget_bone_end(const retarget_work *w, const po_data *d, int part, po_vec3 *end) {
  static const int next[PO_PARTS] = {
      [PO_PART_THIGH] = PO_PART_SHANK, [PO_PART_SHANK] = PO_PART_FOOT, [PO_PART_UPPER_ARM] = PO_PART_FOREARM};
  int left = part & ~1, side = part & 1, frame = -1; /* the left part of a pair has an even number */
  if (left == PO_PART_THIGH || left == PO_PART_SHANK || left == PO_PART_UPPER_ARM) {
    int follows = w->body[next[left] + side];
    if (follows < 0) return 0;
    while (w->model->joint[follows].parent != w->body[part]) { /* a metatarsus may lie between */
      follows = w->model->joint[follows].parent;
      if (follows < 0) return 0;
    }
    *end = d->pose[follows].p;
    return 1;
  }
  if (left == PO_PART_FOREARM) frame = po_find_frame(w->model, side ? "hand_r" : "hand_l");
  if (left == PO_PART_FOOT) frame = po_find_frame(w->model, side ? "toe_r" : "toe_l");
  if (frame < 0) return 0;
  *end = po_frame_position(d, frame);
  return 1;
}

/* A of a foot. The sole is square to the leg at rest: flat where the legs are straight down, rolled with them where they are spread. So A is the
 * leg's lean to the side, then the foot's heading; how high the ankle stands over the toes says nothing. */
static po_mat3 retarget_sole(const retarget_work *w, int part, po_vec3 ours, po_vec3 theirs) {
  int knee = w->map.joint[PO_PART_SHANK + (part & 1)], ankle = w->map.joint[part];
  po_vec3 leg = po_v3_sub(retarget_place(w, w->rest, ankle), retarget_place(w, w->rest, knee));
  po_mat3 roll = po_m3_axis_angle(po_v3(1, 0, 0), po_atan2(leg.y, -leg.z));
  po_vec3 ahead = po_m3_tmul_v(roll, theirs);
  double heading = po_atan2(ahead.y, ahead.x) - po_atan2(ours.y, ours.x);
  return po_m3_mul(roll, po_m3_axis_angle(po_v3(0, 0, 1), heading));
}

static void retarget_part(retarget_work *w, const po_data *d, int part) {
  po_vec3 end, ours, theirs;
  po_mat3 R0;
  w->body[part] = po_find_body(w->model, po_retarget_links[part]);
  w->bone[part] = po_v3(0, 0, 0);
  if (w->body[part] < 0) return;
  R0 = d->pose[w->body[part]].R;
  w->adjust[part] = R0;
  if (part < PO_PART_THIGH || w->map.joint[part] < 0) return;
  if (!retarget_bone_end(w, d, part, &end)) return;
  ours = po_v3_sub(end, d->pose[w->body[part]].p);
  w->bone[part] = po_v3_unit(po_m3_tmul_v(R0, ours));
  if (w->map.tip[part] < 0) return;
  theirs = po_v3_sub(retarget_place(w, w->rest, w->map.tip[part]), retarget_place(w, w->rest, w->map.joint[part]));
  if ((part & ~1) == PO_PART_FOOT) {
    w->adjust[part] = po_m3_mul(retarget_sole(w, part, ours, theirs), R0);
    return;
  }
  if (!(po_v3_norm(theirs) > 0 && po_v3_norm(ours) > 0)) return;
  w->adjust[part] = po_m3_mul(retarget_least_turn(po_v3_unit(ours), po_v3_unit(theirs)), R0);
}

static double retarget_leg_of_body(const retarget_work *w, const po_data *d) {
  double length = 0;
  int side, i;
  for (side = 0; side < 2; side++)
    for (i = w->body[PO_PART_FOOT + side]; i > 0 && i != w->body[PO_PART_THIGH + side]; i = w->model->joint[i].parent)
      length += 0.5 * po_v3_norm(po_v3_sub(d->pose[i].p, d->pose[w->model->joint[i].parent].p));
  return length;
}

static double retarget_leg_of_file(const retarget_work *w) {
  const int *j = w->map.joint;
  double length = 0;
  int side;
  for (side = 0; side < 2; side++)
    length += 0.5 * (po_v3_norm(po_v3_sub(w->rest[j[PO_PART_SHANK + side]].p, w->rest[j[PO_PART_THIGH + side]].p)) +
                     po_v3_norm(po_v3_sub(w->rest[j[PO_PART_FOOT + side]].p, w->rest[j[PO_PART_SHANK + side]].p)));
  return length;
}

/* Parts, bones and sizes; *leg is the body's. */
static po_status retarget_prepare(retarget_work *w, double scale, double *leg, const char *file, po_error *err) {
  po_data *d;
  double theirs;
  po_status s;
  int i;
  po_bvh_pose(w->rest, w->bvh, -1);
  if ((s = po_retarget_recognize(&w->map, w->bvh, w->rest, file, err)) != PO_OK) return s;
  if ((s = po_data_new(&d, w->model)) != PO_OK) return po_fail(err, s, "out of memory");
  po_neutral(w->zero, w->model);
  po_kinematics(d, w->zero, NULL);
  w->scale = 1;
  for (i = PO_PARTS - 1; i >= 0; i--) retarget_part(w, d, i); /* from the far ends: a bone asks for the link that follows */
  *leg = retarget_leg_of_body(w, d);
  po_data_free(d);
  for (i = PO_PART_THIGH; i < PO_PART_TOES; i++)
    if (w->body[i] < 0)
      return po_fail(err, PO_ERR_MODEL, "the body '%s' has no link '%s': captured motions need legs", w->model->name,
                     po_retarget_links[i]);
  theirs = retarget_leg_of_file(w);
  if (!(theirs > 0 && *leg > 0))
    return po_fail_at(err, PO_ERR_RANGE, file, 0, 0, "the legs of the skeleton have no length: its OFFSETs are wrong");
  w->scale = scale > 0 ? scale : *leg / theirs;
  for (i = 0; i < w->model->nv; i++) w->stiffness[i] = RETARGET_STIFFNESS;
  return PO_OK;
}

/* ---- one frame ---- */

static int retarget_goals(const retarget_work *w, po_ik_goal *goal) {
  int i, n = 0;
  po_vec3 t1, t2, bone;
  memset(goal, 0, sizeof *goal * (PO_PARTS + 3));
  goal[n].kind = PO_IK_POINT;
  goal[n].body = 0;
  goal[n].place = po_v3_scale(0.5, po_v3_add(retarget_place(w, w->pose, w->map.joint[PO_PART_THIGH]),
                                             retarget_place(w, w->pose, w->map.joint[PO_PART_THIGH + 1])));
  goal[n].weight[0] = goal[n].weight[1] = goal[n].weight[2] = RETARGET_WEIGHT_ROOT;
  n++;
  for (i = PO_PART_FOOT; i < PO_PART_FOOT + 2; i++, n++) { /* legs as long as the file's, hips wider or narrower: feet keep their places, or balance is lost sideways */
    goal[n].kind = PO_IK_POINT;
    goal[n].body = w->body[i];
    goal[n].place = retarget_place(w, w->pose, w->map.joint[i]);
    goal[n].weight[0] = goal[n].weight[1] = goal[n].weight[2] = RETARGET_WEIGHT_FOOT;
  }
  for (i = 0; i < PO_PARTS; i++) {
    po_ik_goal *g = &goal[n];
    if (w->body[i] < 0 || w->map.joint[i] < 0) continue;
    n++;
    g->kind = PO_IK_TURN;
    g->body = w->body[i];
    g->orientation = po_m3_mul(retarget_turn(w, w->pose, w->map.joint[i]), w->adjust[i]);
    g->frame = po_m3_identity();
    g->weight[0] = g->weight[1] = g->weight[2] = RETARGET_WEIGHT_TURN;
    if (!(po_v3_norm(w->bone[i]) > 0) || (i & ~1) == PO_PART_FOOT) continue;
    bone = po_m3_mul_v(g->orientation, w->bone[i]);
    po_v3_tangents(&t1, &t2, bone);
    g->frame = po_m3(bone.x, t1.x, t2.x, bone.y, t1.y, t2.y, bone.z, t1.z, t2.z);
    g->weight[0] = RETARGET_WEIGHT_TWIST;
  }
  return n;
}

static po_status retarget_frames(retarget_work *w, po_motion *m, int drop) {
  po_ik_goal goal[PO_PARTS + 3];
  po_ik_opts o = po_ik_opts_default();
  double *q = po_motion_q(m, 0);
  po_status s;
  int k, i, n;
  o.posture = w->zero;
  o.stiffness = w->stiffness;
  for (k = 0; k < m->capacity; k++) {
    double *next = po_motion_q(m, k);
    if (k) memcpy(next, q, sizeof(double) * (size_t)w->model->nq); /* from where the last frame ended */
    else memcpy(next, w->zero, sizeof(double) * (size_t)w->model->nq);
    q = next;
    po_bvh_pose(w->pose, w->bvh, k + drop);
    n = retarget_goals(w, goal);
    if (k == 0) { /* the root first, so that the limbs start from near */
      double *root = q + w->model->joint[0].q;
      po_v3_to(root + 4, goal[0].place);
      for (i = 1; i < n; i++)
        if (goal[i].body == 0) po_q_to(root, po_q_from_matrix(goal[i].orientation));
    }
    s = po_ik_solve(q, NULL, w->ik, goal, n, &o);
    if (s != PO_OK && s != PO_ERR_ITERATIONS) return s; /* a slow last digit is no harm */
    memset(po_motion_v(m, k), 0, sizeof(double) * (size_t)w->model->nv);
    m->planted[k] = 0;
    m->frames = k + 1;
  }
  return PO_OK;
}

/* Largest angle between the bones of file and body. */
static po_status retarget_error(double *error, retarget_work *w, const po_motion *m, int drop) {
  po_data *d;
  po_status s = po_data_new(&d, w->model);
  int k, i;
  *error = 0;
  if (s != PO_OK) return s;
  for (k = 0; k < m->frames; k++) {
    po_kinematics(d, po_motion_q(m, k), NULL);
    po_bvh_pose(w->pose, w->bvh, k + drop);
    for (i = PO_PART_THIGH; i < PO_PARTS; i++) {
      po_vec3 ours, theirs;
      if (w->body[i] < 0 || w->map.joint[i] < 0 || !(po_v3_norm(w->bone[i]) > 0) || (i & ~1) == PO_PART_FOOT) continue;
      ours = po_m3_mul_v(d->pose[w->body[i]].R, w->bone[i]);
      theirs = po_m3_mul_v(po_m3_mul(retarget_turn(w, w->pose, w->map.joint[i]), w->adjust[i]), w->bone[i]);
      *error = po_max(*error, po_v3_angle(ours, theirs));
    }
  }
  po_data_free(d);
  return PO_OK;
}

/* ---- the whole ---- */

static void retarget_names_report(po_retarget_report *r, const retarget_work *w) {
  int i, k;
  for (i = 0; i < w->bvh->joints; i++) {
    if (!w->bvh->joint[i].name[0]) continue;
    r->joints++;
    for (k = 0; k < PO_PARTS && !(w->map.joint[k] == i && w->body[k] >= 0); k++) {}
    if (k < PO_PARTS) r->mapped++;
    else if (r->unmapped_count < (int)(sizeof r->unmapped / sizeof *r->unmapped))
      r->unmapped[r->unmapped_count++] = w->bvh->joint[i].name;
  }
}

/* Frames a second; a rounded frame time such as .0083333 means the whole number that it comes from. */
static double retarget_rate(double frame_time) {
  double hz = 1 / frame_time, whole = floor(hz + 0.5);
  return whole > 0 && po_abs(whole * frame_time - 1) < 1e-4 ? whole : hz;
}

/* Largest turn of a joint from a frame to the next, rad. */
static double retarget_change(retarget_work *w, int frame) {
  double most = 0;
  int i;
  po_bvh_pose(w->rest, w->bvh, frame);
  po_bvh_pose(w->pose, w->bvh, frame + 1);
  for (i = 0; i < w->bvh->joints; i++) most = po_max(most, po_v3_norm(po_q_log(po_q_from_matrix(po_m3_tmul(w->rest[i].R, w->pose[i].R)))));
  return most;
}

/* 1: the capture begins with a pose of its own (arms stretched out, to tell the skeleton) from which it jumps into the motion. */
static int retarget_begins_posed(retarget_work *w) {
  double first, second;
  if (w->bvh->frames < 4) return 0;
  first = retarget_change(w, 0);
  second = retarget_change(w, 1);
  return first > RETARGET_JUMP * w->bvh->frame_time && first > RETARGET_JUMP_MORE * second;
}

static po_status retarget_ground(po_motion *m, double smooth, double *slope) {
  double l = po_motion_length(m->model);
  po_planted_opts o = po_planted_opts_default(m->model);
  po_status s = po_motion_smooth(m, smooth);
  o.speed = RETARGET_SPEED * sqrt(RETARGET_GRAVITY * l);
  o.height = PO_INF; /* the floor is not known yet */
  if (s == PO_OK) s = po_motion_find_planted(m, &o);
  if (s == PO_OK) s = po_motion_level(m, slope);
  o.height = RETARGET_HEIGHT * l;
  if (s == PO_OK) s = po_motion_find_planted(m, &o);
  if (s == PO_OK) s = po_motion_pin(m, smooth);
  return s;
}

static po_status retarget_work_new(retarget_work *w, const po_model *model, const po_bvh *bvh) {
  size_t joints = (size_t)bvh->joints;
  memset(w, 0, sizeof *w);
  w->model = model;
  w->bvh = bvh;
  w->rest = (po_pose *)po_alloc(2 * sizeof(po_pose) * joints);
  w->zero = (double *)po_alloc(sizeof(double) * (size_t)(model->nq + model->nv));
  if (!w->rest || !w->zero) return PO_ERR_MEMORY;
  w->pose = w->rest + joints;
  w->stiffness = w->zero + model->nq;
  return po_ik_new(&w->ik, model, 3 * (PO_PARTS + 3));
}

static void retarget_work_free(retarget_work *w) {
  po_free(w->rest);
  po_free(w->zero);
  po_ik_free(w->ik);
}

po_status po_retarget(po_motion **motion, po_retarget_report *report, const po_model *model, const po_bvh *bvh,
                      const po_retarget_opts *opts, const char *file, po_error *err) {
  po_retarget_opts o = opts ? *opts : po_retarget_opts_default();
  po_retarget_report r;
  retarget_work w;
  double leg = 1, hz;
  po_status s;
  memset(&r, 0, sizeof r);
  if (!motion || !model || !bvh) return po_fail(err, PO_ERR_NULL, "po_retarget: a model and a captured motion are needed");
  *motion = NULL;
  if (!(o.scale >= 0 && po_isfinite(o.scale)) || !(o.smooth >= 0 && o.smooth < 10))
    return po_fail(err, PO_ERR_RANGE, "po_retarget: scale and smooth must not be negative");
  if (o.drop < -1 || o.drop > bvh->frames - 2)
    return po_fail_at(err, PO_ERR_RANGE, file, 0, 0, "%d frames are to be dropped of %d: at least two must be left", o.drop,
                      bvh->frames);
  if (!model->floating) return po_fail(err, PO_ERR_MODEL, "the body '%s' has no floating base: it cannot move about", model->name);
  s = retarget_work_new(&w, model, bvh);
  if (s != PO_OK) po_fail(err, s, "out of memory");
  if (s == PO_OK && o.drop < 0) o.drop = retarget_begins_posed(&w);
  if (s == PO_OK) s = retarget_prepare(&w, o.scale, &leg, file, err);
  if (s == PO_OK) {
    hz = retarget_rate(bvh->frame_time);
    if (o.similar && po_abs(leg / RETARGET_PERSON_LEG - 1) > 0.01) hz /= sqrt(leg / RETARGET_PERSON_LEG);
    retarget_names_report(&r, &w);
    s = po_motion_new(motion, model, hz, bvh->frames - o.drop);
    if (s == PO_OK) s = retarget_frames(&w, *motion, o.drop);
    if (s == PO_OK) s = retarget_ground(*motion, o.smooth, &r.slope);
    if (s == PO_OK) s = retarget_error(&r.error_max, &w, *motion, o.drop);
    if (s != PO_OK) po_fail_at(err, s, file, 0, 0, "the motion cannot be laid on '%s': %s", model->name, po_status_string(s));
  }
  r.scale = w.scale;
  retarget_work_free(&w);
  if (s != PO_OK) {
    po_motion_free(*motion);
    *motion = NULL;
  } else if (report) *report = r;
  return s;
}
