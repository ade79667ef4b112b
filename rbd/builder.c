/* builder.c: collecting links, shapes and frames, each checked as it comes. model.c turns them into a po_model. */
#include "builder.h"
#include <string.h>

static char *builder_copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = (char *)po_alloc(n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

/* Room for one more of `count` items; po_alloc has no resize, and doubling keeps the copies cheap. */
static int builder_reserve(void **items, int *capacity, int count, size_t size) {
  int bigger = *capacity ? 2 * *capacity : 32;
  void *block;
  if (count < *capacity) return 1;
  block = po_alloc(size * (size_t)bigger);
  if (!block) return 0;
  if (*items) memcpy(block, *items, size * (size_t)count);
  po_free(*items);
  *items = block;
  *capacity = bigger;
  return 1;
}

po_status po_builder_new(po_builder **out, const char *name) {
  po_builder *b;
  if (!out || !name) return PO_ERR_NULL;
  b = (po_builder *)po_alloc(sizeof *b);
  if (!b) return PO_ERR_MEMORY;
  b->root = -1;
  b->name = builder_copy_text(name);
  if (!b->name) {
    po_free(b);
    return PO_ERR_MEMORY;
  }
  *out = b;
  return PO_OK;
}

void po_builder_free(po_builder *b) {
  int i;
  if (!b) return;
  for (i = 0; i < b->links; i++) {
    po_free(b->link[i].name);
    po_free((void *)b->link[i].joint.name);
  }
  for (i = 0; i < b->frames; i++) po_free(b->frame[i].name);
  for (i = 0; i < b->shapes; i++) po_hull_free((po_hull *)b->shape[i].shape.hull);
  po_free(b->link);
  po_free(b->frame);
  po_free(b->shape);
  po_free(b->home);
  po_names_free(&b->places);
  po_names_free(&b->joints);
  po_free(b->name);
  po_free(b);
}

int po_joint_nq(po_joint_type type) {
  static const int nq[] = {0, 1, 1, 2, 4, 3, 7};
  return nq[type];
}

int po_joint_nv(po_joint_type type) {
  static const int nv[] = {0, 1, 1, 2, 3, 3, 6};
  return nv[type];
}

po_joint po_joint_default(po_joint_type type, const char *name) {
  po_joint j;
  int i;
  memset(&j, 0, sizeof j);
  j.name = name;
  j.type = type;
  j.parent = -1;
  j.placement = po_pose_identity();
  j.axis = type == PO_JOINT_PLANAR ? po_v3(0, 0, 1) : po_v3(1, 0, 0);
  j.axis2 = po_v3(0, 1, 0);
  j.limit_centre = po_q_identity();
  for (i = 0; i < 3; i++) {
    j.lower[i] = -PO_INF;
    j.upper[i] = j.velocity[i] = j.effort[i] = PO_INF;
  }
  return j;
}

static int builder_pose_is_rigid(po_pose p) {
  po_mat3 E = po_m3_sub(po_m3_mult(p.R, p.R), po_m3_identity());
  int i;
  for (i = 0; i < 9; i++)
    if (!(po_abs(E.m[i]) < 1e-6)) return 0;
  return po_m3_det(p.R) > 0 && po_all_finite(&p.p.x, 3);
}

/* Spherical limits bound log(q), which jumps at π. */
#define BUILDER_SPHERICAL_LIMIT (PO_PI - 0.05 + 1e-9)

po_status po_joint_check(const po_joint *j, const char *link, po_error *err) {
  const char *name = j->name;
  int i, nv, has_axis, limited;
  if ((int)j->type < PO_JOINT_FIXED || (int)j->type > PO_JOINT_FLOATING)
    return po_fail(err, PO_ERR_RANGE, "joint '%s' of link '%s': unknown type %d", name, link, (int)j->type);
  nv = po_joint_nv(j->type);
  has_axis = nv > 0 && j->type != PO_JOINT_SPHERICAL && j->type != PO_JOINT_FLOATING;
  limited = nv > 0 && j->type != PO_JOINT_FLOATING;
  if (!builder_pose_is_rigid(j->placement))
    return po_fail(err, PO_ERR_MODEL, "joint '%s': its placement is not a rotation and a finite position", name);
  if (has_axis && !(po_v3_norm(j->axis) > 1e-9 && po_isfinite(po_v3_norm(j->axis))))
    return po_fail(err, PO_ERR_MODEL, "joint '%s': its axis is zero or not finite", name);
  if (j->type == PO_JOINT_UNIVERSAL) {
    double n = po_v3_norm(j->axis2);
    if (!(n > 1e-9 && po_isfinite(n))) return po_fail(err, PO_ERR_MODEL, "joint '%s': its second axis is zero or not finite", name);
    if (!(po_v3_norm(po_v3_cross(po_v3_unit(j->axis), po_v3_unit(j->axis2))) > 1e-6))
      return po_fail(err, PO_ERR_MODEL, "joint '%s': its two axes are parallel", name);
  }
  if (j->type == PO_JOINT_SPHERICAL && !(po_abs(po_q_norm(j->limit_centre) - 1) < 1e-6))
    return po_fail(err, PO_ERR_MODEL, "joint '%s': the centre of its limits is not a unit quaternion", name);
  for (i = 0; limited && i < nv; i++) {
    if (!(j->lower[i] <= j->upper[i]))
      return po_fail(err, PO_ERR_BOUNDS, "joint '%s': lower limit %g is above upper limit %g", name, j->lower[i], j->upper[i]);
    if (j->type == PO_JOINT_SPHERICAL && ((po_isfinite(j->lower[i]) && j->lower[i] < -BUILDER_SPHERICAL_LIMIT) ||
                                          (po_isfinite(j->upper[i]) && j->upper[i] > BUILDER_SPHERICAL_LIMIT)))
      return po_fail(err, PO_ERR_RANGE, "joint '%s': limits of a spherical joint must lie within ±(π − 0.05)", name);
    if (!(j->velocity[i] >= 0) || !(j->effort[i] >= 0))
      return po_fail(err, PO_ERR_RANGE, "joint '%s': velocity and effort limits must not be negative", name);
    if (!(j->damping[i] >= 0 && po_isfinite(j->damping[i])) || !(j->armature[i] >= 0 && po_isfinite(j->armature[i])))
      return po_fail(err, PO_ERR_RANGE, "joint '%s': damping and armature must be finite and not negative", name);
  }
  return PO_OK;
}

static void builder_tidy_joint(po_joint *j, int nv) {
  int i;
  j->axis = po_v3_unit(j->axis);
  j->axis2 = po_v3_unit(j->axis2);
  if (j->type != PO_JOINT_SPHERICAL) j->limit_centre = po_q_identity();
  if (j->type == PO_JOINT_FLOATING) {
    for (i = 0; i < 3; i++) { /* moves freely and nothing drives it */
      j->lower[i] = -PO_INF;
      j->upper[i] = j->velocity[i] = PO_INF;
      j->effort[i] = j->damping[i] = j->armature[i] = 0;
    }
    return;
  }
  for (i = nv; i < 3; i++) j->lower[i] = j->upper[i] = j->velocity[i] = j->effort[i] = j->damping[i] = j->armature[i] = 0;
}

po_status po_builder_link(po_builder *b, const char *link, const char *parent, const po_joint *joint, const po_inertia *inertia,
                          po_error *err) {
  po_builder_link_entry *e;
  po_inertia massless = po_inertia_box(0, 0, 0, 0);
  po_status s;
  int at = -1;
  if (!b || !link || !joint || !joint->name)
    return po_fail(err, PO_ERR_NULL, "po_builder_link: builder, link and joint are needed");
  if (!*link || !*joint->name)
    return po_fail(err, PO_ERR_NAME, "a link or joint has an empty name (link '%s', joint '%s')", link, joint->name);
  if (po_names_find(&b->places, link) != -1)
    return po_fail(err, PO_ERR_NAME, "link '%s': there is already a link or frame of that name", link);
  if (po_names_find(&b->joints, joint->name) != -1)
    return po_fail(err, PO_ERR_NAME, "joint '%s': there is already a joint of that name", joint->name);
  if (parent) {
    at = po_names_find(&b->places, parent);
    if (at < 0) return po_fail(err, PO_ERR_NAME, "joint '%s': parent link '%s' does not exist", joint->name, parent);
  } else if (b->root >= 0) {
    return po_fail(err, PO_ERR_MODEL, "link '%s' would be a second root beside '%s'", link, b->link[b->root].name);
  }
  if (!inertia) inertia = &massless;
  if ((s = po_joint_check(joint, link, err)) != PO_OK || (s = po_inertia_check(inertia, link, err)) != PO_OK) return s;
  if (!builder_reserve((void **)&b->link, &b->link_capacity, b->links, sizeof *b->link))
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  e = &b->link[b->links];
  memset(e, 0, sizeof *e);
  e->joint = *joint;
  e->name = builder_copy_text(link);
  e->joint.name = builder_copy_text(joint->name);
  e->inertia = *inertia;
  e->parent = at;
  e->line = b->line;
  builder_tidy_joint(&e->joint, po_joint_nv(joint->type));
  if (!e->name || !e->joint.name || po_names_add(&b->places, e->name, b->links) != PO_OK ||
      po_names_add(&b->joints, e->joint.name, b->links) != PO_OK) {
    b->links++; /* po_builder_free then frees the names */
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  if (at < 0) b->root = b->links;
  b->links++;
  return PO_OK;
}

po_status po_builder_shape(po_builder *b, const char *link, po_shape_type type, po_pose pose, const double size[3], po_error *err) {
  static const int numbers[] = {1, 2, 3};
  po_builder_shape_entry *e;
  int at, i;
  if (!b || !link || !size) return po_fail(err, PO_ERR_NULL, "po_builder_shape: builder, link and size are needed");
  at = po_names_find(&b->places, link);
  if (at < 0) return po_fail(err, PO_ERR_NAME, "shape: link '%s' does not exist", link);
  if ((int)type < PO_SPHERE || (int)type > PO_BOX)
    return po_fail(err, PO_ERR_RANGE, "link '%s': unknown shape %d", link, (int)type);
  for (i = 0; i < numbers[type]; i++)
    if (!(size[i] > 0 || (type == PO_CAPSULE && i == 1 && size[i] == 0)) || !po_isfinite(size[i]))
      return po_fail(err, PO_ERR_RANGE, "link '%s': a shape's size %g is not positive", link, size[i]);
  if (!builder_pose_is_rigid(pose)) return po_fail(err, PO_ERR_MODEL, "link '%s': a shape's pose is not rigid", link);
  if (!builder_reserve((void **)&b->shape, &b->shape_capacity, b->shapes, sizeof *b->shape))
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  e = &b->shape[b->shapes++];
  e->link = at;
  e->shape.type = type;
  e->shape.body = -1;
  e->shape.pose = pose;
  e->shape.hull = NULL;
  for (i = 0; i < 3; i++) e->shape.size[i] = i < numbers[type] ? size[i] : 0;
  return PO_OK;
}

po_status po_builder_frame(po_builder *b, const char *frame, const char *link, po_pose pose, po_error *err) {
  po_builder_frame_entry *e;
  int at;
  if (!b || !frame || !link) return po_fail(err, PO_ERR_NULL, "po_builder_frame: builder, frame and link are needed");
  if (!*frame) return po_fail(err, PO_ERR_NAME, "a frame of link '%s' has an empty name", link);
  at = po_names_find(&b->places, link);
  if (at < 0) return po_fail(err, PO_ERR_NAME, "frame '%s': link '%s' does not exist", frame, link);
  if (po_names_find(&b->places, frame) != -1)
    return po_fail(err, PO_ERR_NAME, "frame '%s': there is already a link or frame of that name", frame);
  if (!builder_pose_is_rigid(pose)) return po_fail(err, PO_ERR_MODEL, "frame '%s': its pose is not rigid", frame);
  if (!builder_reserve((void **)&b->frame, &b->frame_capacity, b->frames, sizeof *b->frame))
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  e = &b->frame[b->frames];
  e->name = builder_copy_text(frame);
  e->link = at;
  e->pose = pose;
  if (!e->name) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  b->frames++;
  if (po_names_add(&b->places, e->name, -1 - b->frames) != PO_OK) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  return PO_OK;
}
