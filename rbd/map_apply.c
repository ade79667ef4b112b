/* map_apply.c: a mapped robot made once more, as controllers want a body: parts called by our names, all axes along the world's at rest, zero the rest
 * pose, hips, knees and ankles at the middle of their joints.
 *
 * Where a body's frame lies is a convention; the motion is the same. With X the old frame at rest and Y the new one, parallel to the world's, D = Y⁻¹X
 * carries everything on the body over. A hinge's axis is X's, its angle counts from rest, so limits move by as much. Y's origin may be anywhere on the
 * joint's own axis: for a thigh it is where the axes of the hip come nearest, not where the file has its last link.
 */
#include "map_internal.h"
#include "mesh.h"
#include <string.h>

typedef struct apply_work {
  const po_map *map;
  const po_model *m;
  po_data *data;
  po_pose *old, *now; /* [nb] at rest: the file's frames, ours */
  po_builder *b;
  po_error *err;
} apply_work;

static const char *apply_name(const apply_work *w, int body) {
  int k;
  for (k = 0; k < PO_ROLE_HAND_L; k++)
    if (w->map->body[k] == body) return po_role_names[k];
  return w->m->body_name[body];
}

/* A role's name goes before a link's: a link of the file that is called as another's role becomes NAME_link. */
static void apply_free_name(const apply_work *w, const char *name, char out[256]) {
  int i;
  po_format(out, 256, "%s", name);
  for (i = 0; i < 100 && po_names_find(&w->b->places, out) != -1; i++) po_format(out, 256, i ? "%.200s_link_%d" : "%.200s_link", name, i);
}

static int apply_is_role(const char *name) {
  int k;
  for (k = 0; k < PO_ROLE_HAND_L; k++)
    if (!strcmp(po_role_names[k], name)) return 1;
  return 0;
}

/* ---- where frames lie ---- */

/* The point of the line (p, a) that is nearest to the axes of these bodies, in the mean of squares. */
static po_vec3 apply_nearest(const apply_work *w, po_vec3 p, po_vec3 a, const int *body, int n) {
  double num = 0, den = 0;
  int i;
  for (i = 0; i < n; i++) {
    po_vec3 b = po_chain_axis(w->data, body[i], po_v3(0, 0, 0)), across = po_v3_addscaled(a, -po_v3_dot(a, b), b), to = po_v3_sub(w->data->pose[body[i]].p, p);
    if (!(po_v3_norm(b) > 0.5)) continue;
    num += po_v3_dot(across, to);
    den += po_v3_dot(across, a);
  }
  return den > 0.05 ? po_v3_addscaled(p, num / den, a) : p;
}

/* The joint's origin slid along its own axis to the other axes of its joint complex, or sideways to `beside`. */
static void apply_slide(apply_work *w, int body, const int *others, int n, po_vec3 beside) {
  po_vec3 a = po_chain_axis(w->data, body, po_v3(0, 0, 0)), p = w->now[body].p;
  if (!(po_v3_norm(a) > 0.5)) return;
  if (po_abs(a.y) > 0.7) w->now[body].p = po_v3_addscaled(p, po_v3_dot(a, po_v3_sub(beside, p)), a);
  else if (n) w->now[body].p = apply_nearest(w, p, a, others, n);
}

static void apply_leg(apply_work *w, int f) {
  const po_map *map = w->map;
  int thigh = map->body[PO_ROLE_THIGH_L + f], shank = map->body[PO_ROLE_SHANK_L + f], foot = map->body[PO_ROLE_FOOT_L + f];
  int hip[PO_CHAIN_MAX], ankle[PO_CHAIN_MAX], i, hips = 0, ankles = 0;
  for (i = w->m->joint[thigh].parent; i > map->body[PO_ROLE_PELVIS] && hips < 3; i = w->m->joint[i].parent) hip[hips++] = i;
  for (i = w->m->joint[foot].parent; i > shank && ankles < 3; i = w->m->joint[i].parent) ankle[ankles++] = i;
  if (w->m->joint[foot].type == PO_JOINT_REVOLUTE && po_abs(po_chain_axis(w->data, foot, po_v3(0, 1, 0)).y) <= 0.7) apply_slide(w, foot, ankle, ankles, w->now[foot].p);
  apply_slide(w, thigh, hip, hips, w->now[foot].p);
  apply_slide(w, shank, NULL, 0, po_v3_scale(0.5, po_v3_add(w->now[thigh].p, w->now[foot].p)));
}

/* ---- what is carried over ---- */

static po_joint apply_joint(const apply_work *w, int i) {
  const po_joint *old = &w->m->joint[i];
  const double *q = w->map->rest + old->q;
  po_joint j = *old;
  po_pose up = old->parent >= 0 ? w->now[old->parent] : po_pose_identity(), at;
  po_mat3 R = old->parent >= 0 ? po_m3_mul(w->old[old->parent].R, old->placement.R) : old->placement.R; /* the joint's frame, world */
  int k;
  at.R = po_m3_tmul(up.R, w->now[i].R);
  at.p = po_m3_tmul_v(up.R, po_v3_sub(w->now[i].p, up.p));
  j.placement = at;
  if (old->type == PO_JOINT_FLOATING) {
    j.placement = po_pose_identity();
    return j;
  }
  if (old->type == PO_JOINT_SPHERICAL) { /* stays in the file's axes: its limits are a box in them */
    j.limit_centre = po_q_unit(po_q_mul(po_q_conj(po_q_of(q)), old->limit_centre));
    return j;
  }
  j.axis = po_m3_tmul_v(w->now[i].R, po_m3_mul_v(R, old->axis));
  if (old->type == PO_JOINT_UNIVERSAL) j.axis2 = po_m3_tmul_v(w->now[i].R, po_m3_mul_v(R, po_m3_mul_v(po_m3_axis_angle(old->axis, q[0]), old->axis2)));
  for (k = 0; k < old->nv && old->type != PO_JOINT_PLANAR; k++) {
    j.lower[k] = po_min(old->lower[k] - q[k], 0);
    j.upper[k] = po_max(old->upper[k] - q[k], 0);
  }
  return j;
}

static po_pose apply_shift(const apply_work *w, int i) { /* D */
  po_pose D;
  D.R = po_m3_tmul(w->now[i].R, w->old[i].R);
  D.p = po_m3_tmul_v(w->now[i].R, po_v3_sub(w->old[i].p, w->now[i].p));
  return D;
}

static po_status apply_body(apply_work *w, int i) {
  const char *parent = w->m->joint[i].parent >= 0 ? apply_name(w, w->m->joint[i].parent) : NULL;
  po_joint j = apply_joint(w, i);
  po_pose D = apply_shift(w, i);
  po_inertia I = w->m->inertia[i];
  po_mat3 turned = po_m3_mult(po_m3_mul(D.R, I.I), D.R);
  I.I = po_m3_scale(0.5, po_m3_add(turned, po_m3_t(turned)));
  I.com = po_v3_add(D.p, po_m3_mul_v(D.R, I.com));
  return po_builder_link(w->b, apply_name(w, i), parent, &j, &I, w->err);
}

/* A shape that lies in the ground while the robot stands on its soles is none of its: a box of an inertia that no part of that size has, or a
 * placeholder. */
#define APPLY_SUNK 0.02 /* m */
static int apply_is_sunk(const apply_work *w, const po_shape *s) {
  const po_map *map = w->map;
  double ground = PO_INF;
  int f, k;
  for (f = 0; f < 2; f++) {
    int foot = map->body[PO_ROLE_FOOT_L + f];
    if (s->body == foot && !map->made_up) return 0;
    for (k = 0; k < 4; k++) ground = po_min(ground, po_v3_add(w->old[foot].p, po_m3_mul_v(w->old[foot].R, map->corner[f][k])).z);
  }
  return po_shape_low(s, po_pose_mul(w->old[s->body], s->pose), po_v3(0, 0, 1)) < ground - APPLY_SUNK;
}

static po_status apply_shapes(apply_work *w) {
  po_status s = PO_OK;
  int i;
  for (i = 0; i < w->m->shapes && s == PO_OK; i++) {
    const po_shape *old = &w->m->shape[i];
    po_pose pose;
    if (old->body < 0 || (w->map->height > 0 && po_shape_is_absurd(old, w->map->height)) || apply_is_sunk(w, old)) continue;
    pose = po_pose_mul(apply_shift(w, old->body), old->pose);
    if (old->type == PO_HULL && old->hull) s = po_builder_hull(w->b, apply_name(w, old->body), pose, old->hull->vertex, old->hull->vertices, w->err);
    else s = po_builder_shape(w->b, apply_name(w, old->body), old->type, pose, old->size, w->err);
  }
  return s;
}

/* A flat box above soles that were guessed. */
static po_status apply_guessed_foot(apply_work *w, int f) {
  const po_vec3 *c = w->map->corner[f];
  int foot = w->map->body[PO_ROLE_FOOT_L + f];
  po_pose D = apply_shift(w, foot), pose = po_pose_identity();
  double size[3];
  po_vec3 sum = po_v3_add(po_v3_add(c[0], c[1]), po_v3_add(c[2], c[3]));
  size[0] = 0.5 * po_v3_norm(po_v3_sub(c[3], c[0]));
  size[1] = 0.5 * po_v3_norm(po_v3_sub(c[1], c[0]));
  size[2] = 0.1 * size[0];
  pose.p = po_v3_add(D.p, po_m3_mul_v(D.R, po_v3_scale(0.25, sum)));
  pose.p.z += size[2];
  return po_builder_shape(w->b, apply_name(w, foot), PO_BOX, pose, size, w->err);
}

static po_status apply_frame_on(apply_work *w, const char *name, int body, po_vec3 point) {
  po_pose pose = po_pose_identity();
  po_pose D = apply_shift(w, body);
  char own[256];
  pose.p = po_v3_add(D.p, po_m3_mul_v(D.R, point));
  apply_free_name(w, name, own);
  return po_builder_frame(w->b, own, apply_name(w, body), pose, w->err);
}

/* Ours first, so that they have their names. */
static po_status apply_frames(apply_work *w) {
  const po_map *map = w->map;
  char name[256];
  po_status s = PO_OK;
  int f, k, i;
  for (f = 0; f < 2 && s == PO_OK; f++) {
    const po_vec3 *c = map->corner[f];
    int foot = map->body[PO_ROLE_FOOT_L + f];
    char side = f ? 'r' : 'l';
    for (k = 0; k < 4 && s == PO_OK; k++) {
      po_format(name, sizeof name, "sole_%c_%d", side, k);
      s = apply_frame_on(w, name, foot, c[k]);
    }
    po_format(name, sizeof name, "heel_%c", side);
    if (s == PO_OK) s = apply_frame_on(w, name, foot, po_v3_scale(0.5, po_v3_add(c[0], c[1])));
    po_format(name, sizeof name, "toe_%c", side);
    if (s == PO_OK) s = apply_frame_on(w, name, foot, po_v3_scale(0.5, po_v3_add(c[2], c[3])));
    if (s == PO_OK && map->body[PO_ROLE_HAND_L + f] >= 0) s = apply_frame_on(w, po_role_names[PO_ROLE_HAND_L + f], map->body[PO_ROLE_HAND_L + f], map->hand[f]);
  }
  if (s == PO_OK && map->body[PO_ROLE_THORAX] >= 0 && map->body[PO_ROLE_UPPER_ARM_L] >= 0) s = apply_frame_on(w, "neck_base", map->body[PO_ROLE_THORAX], map->neck);
  for (i = 0; i < w->m->frames && s == PO_OK; i++) {
    const po_frame *old = &w->m->frame[i];
    if (old->body < 0 || (!apply_is_role(old->name) && !strcmp(old->name, apply_name(w, old->body)))) continue;
    apply_free_name(w, old->name, name);
    s = po_builder_frame(w->b, name, apply_name(w, old->body), po_pose_mul(apply_shift(w, old->body), old->pose), w->err);
  }
  return s;
}

static po_status apply_build(const po_model **out, apply_work *w) {
  po_status s = PO_OK;
  int i, f;
  po_kinematics(w->data, w->map->rest, NULL);
  for (i = 0; i < w->m->nb; i++) {
    w->old[i] = w->now[i] = w->data->pose[i];
    if (w->m->joint[i].type != PO_JOINT_SPHERICAL) w->now[i].R = po_m3_identity();
  }
  for (f = 0; f < 2; f++) apply_leg(w, f);
  for (i = 0; i < w->m->nb && s == PO_OK; i++) s = apply_body(w, i);
  if (s == PO_OK) s = apply_shapes(w);
  for (f = 0; f < 2 && s == PO_OK && w->map->made_up; f++) s = apply_guessed_foot(w, f);
  if (s == PO_OK) s = apply_frames(w);
  return s == PO_OK ? po_builder_finish(out, w->b, w->err) : s;
}

po_status po_map_apply(const po_model **out, const po_map *map, po_error *err) {
  apply_work w;
  po_status s;
  if (!out || !map) return po_fail(err, PO_ERR_NULL, "po_map_apply: model and map are needed");
  memset(&w, 0, sizeof w);
  w.map = map;
  w.m = map->model;
  w.err = err;
  w.old = po_alloc(sizeof(po_pose) * 2 * (size_t)(w.m->nb + 1));
  w.now = w.old ? w.old + w.m->nb + 1 : NULL;
  s = w.old ? po_data_new(&w.data, w.m) : PO_ERR_MEMORY;
  if (s == PO_OK) s = po_builder_new(&w.b, w.m->name);
  if (s != PO_OK) s = po_fail(err, s, "out of memory");
  else {
    w.b->lenient = 1;
    s = apply_build(out, &w);
  }
  po_builder_free(w.b);
  po_data_free(w.data);
  po_free(w.old);
  return s;
}
