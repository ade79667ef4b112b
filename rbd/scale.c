/* scale.c: a model with limbs of another size, for changes while running (de Lasa et al. 2010, section 9).
 *
 * Geometric similarity at constant density: lengths and radii s, mass s³, inertia s⁵; strength goes with the cross-section of muscle
 * times its lever: forces s², torques s³ by that rule alone, but weights times levers grow with s⁴, and torque limits follow those, so
 * that the scaled limb can still do what it did. A leg that becomes shorter carries a trunk that did not: its torque limits go as the whole body's weight times s.
 */
#include "builder.h"
#include "mesh_internal.h"
#include <string.h>

/* Whether body i belongs to a limb that is scaled. */
static int scale_takes(const po_model *m, int limb, int i) {
  static const char *const roots[] = {"upper_arm_", "thigh_"};
  int k;
  if (limb >= 0) return i >= limb && i < m->subtree_end[limb];
  for (; i >= 0; i = m->joint[i].parent)
    for (k = 0; k < 2; k++)
      if (strncmp(m->body_name[i], roots[k], strlen(roots[k])) == 0) return 1;
  return 0;
}

/* The whole body's mass after scaling, as a share of what it was. */
static double scale_mass(const po_model *m, int limb, double s) {
  double mass = 0;
  int i;
  for (i = 0; i < m->nb; i++) mass += m->inertia[i].mass * (scale_takes(m, limb, i) ? s * s * s : 1);
  return mass / m->total_mass;
}

static int scale_is_leg(const po_model *m, int i) {
  for (; i >= 0; i = m->joint[i].parent)
    if (strncmp(m->body_name[i], "thigh_", 6) == 0) return 1;
  return 0;
}

static void scale_joint(po_joint *j, double s, double torque, int parent_too) {
  int k;
  if (parent_too) j->placement.p = po_v3_scale(s, j->placement.p);
  for (k = 0; k < j->nv && k < 3; k++) {
    int slides = j->type == PO_JOINT_PRISMATIC || (j->type == PO_JOINT_PLANAR && k < 2);
    double s3 = s * s * s;
    if (slides) {
      j->lower[k] *= s;
      j->upper[k] *= s;
      j->velocity[k] *= s;
    }
    j->effort[k] *= slides ? s3 : torque;
    j->armature[k] *= slides ? s3 : s3 * s * s;
  }
}

static po_inertia scale_inertia(po_inertia x, double s) {
  double s3 = s * s * s;
  x.mass *= s3;
  x.com = po_v3_scale(s, x.com);
  x.I = po_m3_scale(s3 * s * s, x.I);
  return x;
}

/* The root link of a fixed base, and how poses in the world look from it. */
typedef struct scale_world {
  const char *link; /* NULL: the base is not fixed */
  po_pose from;
} scale_world;

static po_status scale_links(po_builder *b, const po_model *m, int limb, double s, double strength, const scale_world *w, po_error *err) {
  po_status status = PO_OK;
  double s4 = s * s * s * s, carries = po_max(s4, s * scale_mass(m, limb, s));
  int i, k;
  for (i = 0; i < m->nb && status == PO_OK; i++) {
    po_joint j = m->joint[i];
    po_inertia x = m->inertia[i];
    int up = j.parent;
    for (k = 0; k < j.nv && k < 3; k++) j.effort[k] *= strength;
    if (scale_takes(m, limb, i)) {
      scale_joint(&j, s, scale_is_leg(m, i) ? carries : s4, up >= 0 && scale_takes(m, limb, up));
      x = scale_inertia(x, s);
    }
    if (up < 0 && w->link) j.placement = po_pose_mul(w->from, j.placement);
    status = po_builder_link(b, m->body_name[i], up >= 0 ? m->body_name[up] : w->link, &j, &x, err);
  }
  return status;
}

static po_status scale_hull(po_builder *b, const char *link, const po_shape *x, double s, po_error *err) {
  po_hull *hull;
  po_arena arena;
  size_t bytes;
  void *block;
  po_arena_measure(&arena);
  po_hull_copy(&arena, x->hull, s);
  bytes = po_arena_used(&arena);
  block = po_alloc(bytes);
  if (!block) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, block, bytes);
  hull = po_hull_copy(&arena, x->hull, s);
  return po_builder_own_hull(b, link, x->pose, hull, err);
}

static po_status scale_parts(po_builder *b, const po_model *m, int limb, double s, const scale_world *w, po_error *err) {
  po_status status = PO_OK;
  int i, k;
  for (i = 0; i < m->frames && status == PO_OK; i++) {
    const po_frame *f = &m->frame[i];
    const char *link = f->body >= 0 ? m->body_name[f->body] : w->link;
    po_pose pose = f->pose;
    if (strcmp(f->name, link) == 0) continue;
    if (f->body < 0) pose = po_pose_mul(w->from, pose);
    else if (scale_takes(m, limb, f->body)) pose.p = po_v3_scale(s, pose.p);
    status = po_builder_frame(b, f->name, link, pose, err);
  }
  for (i = 0; i < m->shapes && status == PO_OK; i++) {
    po_shape x = m->shape[i];
    const char *link = x.body >= 0 ? m->body_name[x.body] : w->link;
    double grows = x.body >= 0 && scale_takes(m, limb, x.body) ? s : 1;
    if (x.body < 0) x.pose = po_pose_mul(w->from, x.pose);
    else if (scale_takes(m, limb, x.body)) {
      x.pose.p = po_v3_scale(s, x.pose.p);
      for (k = 0; k < 3; k++) x.size[k] *= s;
    }
    status = x.hull ? scale_hull(b, link, &x, grows, err) : po_builder_shape(b, link, x.type, x.pose, x.size, err);
  }
  return status;
}

/* The same body with a limb scaled by s and all torque limits by `strength`. */
static po_status scale_rebuild(const po_model **scaled, const po_model *model, int limb, double s, double strength, po_error *err) {
  po_builder *b = NULL;
  po_status status;
  scale_world w;
  if ((status = po_builder_new(&b, model->name)) != PO_OK) return po_fail(err, status, "out of memory");
  b->lenient = 1; /* the model was accepted as it stands */
  w.link = NULL;
  w.from = po_pose_identity();
  if (model->frames > 0 && model->frame[0].body < 0) { /* a fixed base: its root link comes first */
    char name[64] = "root";
    po_joint fixed = po_joint_default(PO_JOINT_FIXED, name);
    while (po_find_joint(model, name) >= 0 && strlen(name) + 2 < sizeof name) memcpy(name + strlen(name), "_", 2);
    w.link = model->frame[0].name;
    fixed.placement = model->frame[0].pose;
    w.from.R = po_m3_t(fixed.placement.R);
    w.from.p = po_v3_neg(po_m3_mul_v(w.from.R, fixed.placement.p));
    status = po_builder_link(b, w.link, NULL, &fixed, NULL, err);
  }
  if (status == PO_OK) status = scale_links(b, model, limb, s, strength, &w, err);
  if (status == PO_OK) status = scale_parts(b, model, limb, s, &w, err);
  if (status == PO_OK) status = po_builder_finish(scaled, b, err);
  po_builder_free(b);
  return status;
}

po_status po_model_scale_limb(const po_model **scaled, const po_model *model, const char *link, double s, po_error *err) {
  int limb = -1, i, any = 0;
  if (!scaled || !model) return po_fail(err, PO_ERR_NULL, "po_model_scale_limb: both models are needed");
  if (!(s > 0) || !po_isfinite(s)) return po_fail(err, PO_ERR_RANGE, "a limb's scale must be positive and finite, not %g", s);
  if (link && (limb = po_find_body(model, link)) < 0)
    return po_fail(err, PO_ERR_NAME, "model '%s' has no moving link '%s'", model->name, link);
  for (i = 0; i < model->nb; i++) any |= scale_takes(model, limb, i);
  if (!any) return po_fail(err, PO_ERR_NAME, "model '%s' has no arms or legs (links upper_arm_…, thigh_…)", model->name);
  return scale_rebuild(scaled, model, limb, s, 1, err);
}

po_status po_model_scale_strength(const po_model **scaled, const po_model *model, double s, po_error *err) {
  if (!scaled || !model) return po_fail(err, PO_ERR_NULL, "po_model_scale_strength: both models are needed");
  if (!(s > 0) || !po_isfinite(s)) return po_fail(err, PO_ERR_RANGE, "strength must be positive and finite, not %g", s);
  return scale_rebuild(scaled, model, -1, 1, s, err);
}
