/* model.c: from a po_builder to an immutable po_model in one block of memory. */
#include "mesh_internal.h"
#include "model.h"
#include <string.h>

static int model_angles_of(po_joint_type type) {
  return type == PO_JOINT_UNIVERSAL ? 2 : type == PO_JOINT_REVOLUTE || type == PO_JOINT_PLANAR ? 1 : 0;
}

static int model_alloc_plan(po_model_plan *p, po_arena *arena) {
  size_t n = (size_t)p->b->links + 1;
  p->order = PO_ARENA_ARRAY(arena, int, n);
  p->body = PO_ARENA_ARRAY(arena, int, n);
  p->pose = PO_ARENA_ARRAY(arena, po_pose, n);
  p->first = PO_ARENA_ARRAY(arena, int, n);
  p->sum = PO_ARENA_ARRAY(arena, po_inertia, n);
  p->leaf = PO_ARENA_ARRAY(arena, int, n);
  p->depth = PO_ARENA_ARRAY(arena, int, n);
  p->width = PO_ARENA_ZARRAY(arena, int, 3 * n + 1);
  return !arena->failed;
}

/* Preorder without recursion: a file may hold a chain of any length. `body` and `leaf` serve as child lists meanwhile. */
static void model_sort(po_model_plan *p) {
  const po_builder *b = p->b;
  int *child = p->body, *sibling = p->leaf, i, k = 0, at = b->root;
  for (i = 0; i < b->links; i++) child[i] = sibling[i] = -1;
  for (i = b->links - 1; i >= 0; i--)
    if (b->link[i].parent >= 0) {
      sibling[i] = child[b->link[i].parent];
      child[b->link[i].parent] = i;
    }
  while (at >= 0) {
    p->order[k++] = at;
    if (child[at] >= 0) {
      at = child[at];
      continue;
    }
    while (at >= 0 && sibling[at] < 0) at = b->link[at].parent;
    if (at >= 0) at = sibling[at];
  }
}

/* Numbers the bodies, merges what is fixed. */
static void model_merge(po_model_plan *p) {
  const po_builder *b = p->b;
  int k;
  for (k = 0; k < b->links; k++) {
    int i = p->order[k], up;
    const po_builder_link_entry *e = &b->link[i];
    po_pose at = po_pose_identity();
    up = e->parent < 0 ? -1 : p->body[e->parent];
    if (e->joint.type == PO_JOINT_FIXED) {
      if (e->parent >= 0) at = p->pose[e->parent];
      p->pose[i] = po_pose_mul(at, e->joint.placement);
      p->body[i] = up;
      if (up >= 0) p->sum[up] = po_inertia_merge(p->sum[up], e->inertia, p->pose[i]);
      continue;
    }
    if (up >= 0) p->leaf[up] = 0;
    p->pose[i] = at;
    p->body[i] = p->nb;
    p->first[p->nb] = i;
    p->sum[p->nb] = e->inertia;
    p->leaf[p->nb] = 1;
    p->nb++;
    p->nq += po_joint_nq(e->joint.type);
    p->nv += po_joint_nv(e->joint.type);
    p->nodes += po_model_nodes_of(e->joint.type);
    p->angles += model_angles_of(e->joint.type);
  }
}

/* A body, with all that is fixed to it, must have an inertia that some distribution of mass has. */
static po_status model_check_inertia(const po_model_plan *p, int i, po_error *err) {
  const po_builder_link_entry *e = NULL;
  const double *I;
  int k;
  if (po_inertia_is_physical(&p->sum[i]) || (p->b->lenient && po_inertia_is_positive(&p->sum[i]))) return PO_OK;
  for (k = 0; k < p->b->links; k++) { /* the first link of the body that is wrong in itself */
    e = &p->b->link[p->order[k]];
    if (p->body[p->order[k]] == i && !po_inertia_is_physical(&e->inertia)) break;
  }
  if (k == p->b->links) e = &p->b->link[p->first[i]];
  I = e->inertia.I.m;
  return po_fail_at(
      err, PO_ERR_MODEL, p->b->file, e->line, 0,
      "link '%s': no body has the inertia ixx %g, iyy %g, izz %g, ixy %g, ixz %g, iyz %g: its principal moments break the "
      "triangle inequality or are negative",
      e->name, I[0], I[4], I[8], I[1], I[2], I[5]);
}

/* A moving leaf without inertia along one of its freedoms makes M singular. */
static po_status model_check_leaf(const po_model_plan *p, int i, po_error *err) {
  const po_builder_link_entry *e = &p->b->link[p->first[i]];
  const po_inertia *x = &p->sum[i];
  po_vec3 c = x->com, u = e->joint.axis;
  double about;
  if (!(x->mass > 0)) {
    return po_fail_at(err, PO_ERR_MODEL, p->b->file, e->line, 0,
                      "link '%s': nothing hangs on it, so its mass must be positive (it is %g); joint '%s' could not be driven",
                      e->name, x->mass, e->joint.name);
  }
  if (e->joint.type != PO_JOINT_REVOLUTE) return PO_OK;
  about =
      po_v3_dot(u, po_m3_mul_v(x->I, u)) + x->mass * (po_v3_dot(c, c) - po_v3_dot(c, u) * po_v3_dot(c, u)) + e->joint.armature[0];
  if (!(about > 0))
    return po_fail_at(err, PO_ERR_MODEL, p->b->file, e->line, 0, "link '%s': no inertia about the axis of joint '%s'", e->name,
                      e->joint.name);
  return PO_OK;
}

#define MODEL_CRUMB 1e-3  /* kg, of what hangs on nothing and has no mass: the least that a finger tip weighs, */
#define MODEL_CRUMB_R 0.01 /* m, and its radius of gyration */
#define MODEL_POINT 1e-5  /* m: radius of gyration of a point: of an inertia that is zero but for rounding */
#define MODEL_THIN 1e-3   /* m: radius of gyration of a body that has none about its joint's axis */

/* What would be refused gets the least that is a body, if whoever builds wants to know of it. */
static void model_mend(po_model_plan *p, int i) {
  const po_builder *b = p->b;
  const po_builder_link_entry *e = &b->link[p->first[i]];
  po_inertia *x = &p->sum[i];
  po_error err;
  char what[160];
  double more;
  if (!b->mended) return;
  if (p->leaf[i] && !(x->mass > 0)) {
    *x = po_inertia_sphere(MODEL_CRUMB, 0);
    x->I = po_m3_scale(MODEL_CRUMB * MODEL_CRUMB_R * MODEL_CRUMB_R, po_m3_identity());
    po_format(what, sizeof what, "nothing hangs on it and it has no mass: it is given %g kg, %g m in radius", MODEL_CRUMB, MODEL_CRUMB_R);
    b->mended(b->mended_user, e->name, e->line, what);
  }
  if (!po_inertia_is_physical(x) && !po_inertia_is_positive(x)) {
    more = po_max(po_inertia_lack(x), x->mass * MODEL_POINT * MODEL_POINT);
    x->I = po_m3_add(x->I, po_m3_scale(1.000001 * more, po_m3_identity()));
    po_format(what, sizeof what, "no body has its inertia: %.3e kg m2 is added to it about every axis", more);
    b->mended(b->mended_user, e->name, e->line, what);
  }
  if (p->leaf[i] && x->mass > 0 && model_check_leaf(p, i, &err) != PO_OK) {
    more = x->mass * MODEL_THIN * MODEL_THIN;
    x->I = po_m3_add(x->I, po_m3_scale(more, po_m3_identity()));
    po_format(what, sizeof what, "it has no inertia about its joint's axis: it is given %.3e kg m2, a radius of %g m", more, MODEL_THIN);
    b->mended(b->mended_user, e->name, e->line, what);
  }
}

/* ---- the block ----------------------------------------------------------------------------------------------------------- */

static void model_lay(po_model_parts *m, const po_model_plan *p, po_arena *arena) {
  size_t nb = (size_t)p->nb + 1, nv = (size_t)p->nv + 1, n = (size_t)p->nodes + 1;
  int i;
  m->model = PO_ARENA_ZARRAY(arena, po_model, 1);
  m->fast = PO_ARENA_ZARRAY(arena, struct po_model_fast, 1);
  m->body_name = PO_ARENA_ZARRAY(arena, const char *, nb);
  m->joint = PO_ARENA_ZARRAY(arena, po_joint, nb);
  m->inertia = PO_ARENA_ZARRAY(arena, po_inertia, nb);
  m->subtree_end = PO_ARENA_ZARRAY(arena, int, nb);
  m->dof_body = PO_ARENA_ZARRAY(arena, int, nv);
  m->dof_parent = PO_ARENA_ZARRAY(arena, int, nv);
  m->frame = PO_ARENA_ZARRAY(arena, po_frame, (size_t)p->frames + 1);
  m->shape = PO_ARENA_ZARRAY(arena, po_shape, (size_t)p->shapes + 1);
  m->hull = PO_ARENA_ZARRAY(arena, const po_hull *, (size_t)p->shapes + 1);
  for (i = 0; i < p->shapes; i++) {
    const po_hull *hull = p->b->shape[i].shape.hull, *copy = hull ? po_hull_copy(arena, hull, 1) : NULL;
    if (m->hull) m->hull[i] = copy;
  }
  m->node = PO_ARENA_ZARRAY(arena, po_node, n);
  m->body_node = PO_ARENA_ZARRAY(arena, int, nb);
  m->angle_q = PO_ARENA_ZARRAY(arena, int, (size_t)p->angles + 1);
  m->angle_at = PO_ARENA_ZARRAY(arena, int, (size_t)p->angles + 1);
  m->lanes = PO_ARENA_ZARRAY(arena, struct po_lane_plan, 1);
  m->group = PO_ARENA_ZARRAY(arena, po_lane_group, p->groups);
  m->row = PO_ARENA_ZARRAY(arena, int, nv);
  m->depth = PO_ARENA_ZARRAY(arena, int, nv);
  m->run = PO_ARENA_ZARRAY(arena, int, nv);
  m->end = PO_ARENA_ZARRAY(arena, int, nv);
  m->align = PO_ARENA_ZARRAY(arena, po_mat3, nb);
  m->below = PO_ARENA_ZARRAY(arena, double, n);
  m->home = PO_ARENA_ZARRAY(arena, double, p->b->home && p->b->home_count == p->nq ? p->nq : 0);
  m->text = (char *)po_arena_zalloc(arena, p->text);
}

static const char *model_text(char **at, const char *text) {
  size_t n = strlen(text) + 1;
  const char *copy = *at;
  memcpy(*at, text, n);
  *at += n;
  return copy;
}

static void model_joints(po_model_parts *m, const po_model_plan *p, char **text) {
  const po_builder *b = p->b;
  int i, q = 0, v = 0;
  for (i = 0; i < p->nb; i++) {
    const po_builder_link_entry *e = &b->link[p->first[i]];
    po_joint *j = &m->joint[i];
    int k, last;
    *j = e->joint;
    j->name = model_text(text, e->joint.name);
    m->body_name[i] = model_text(text, e->name);
    j->parent = e->parent < 0 ? -1 : p->body[e->parent];
    if (e->parent >= 0) j->placement = po_pose_mul(p->pose[e->parent], e->joint.placement);
    j->q = q;
    j->v = v;
    j->nq = po_joint_nq(j->type);
    j->nv = po_joint_nv(j->type);
    last = j->parent < 0 ? -1 : m->joint[j->parent].v + m->joint[j->parent].nv - 1;
    for (k = 0; k < j->nv; k++) {
      m->dof_body[v + k] = i;
      m->dof_parent[v + k] = k ? v + k - 1 : last;
    }
    q += j->nq;
    v += j->nv;
    m->inertia[i] = p->sum[i];
    m->model->total_mass += p->sum[i].mass;
  }
  for (i = 0; i < p->nb; i++) m->subtree_end[i] = i + 1;
  for (i = p->nb - 1; i > 0; i--)
    if (m->joint[i].parent >= 0 && m->subtree_end[m->joint[i].parent] < m->subtree_end[i])
      m->subtree_end[m->joint[i].parent] = m->subtree_end[i];
}

/* Frames body by body: the world's, then for each body its own link, the links fixed to it, the named places. */
static void model_frames(po_model_parts *m, const po_model_plan *p, char **text, int *start) {
  const po_builder *b = p->b;
  int i, k;
  for (i = 0; i <= p->nb + 1; i++) start[i] = 0;
  for (i = 0; i < b->links; i++) start[p->body[i] + 2]++;
  for (i = 0; i < b->frames; i++) start[p->body[b->frame[i].link] + 2]++;
  for (i = 0; i <= p->nb; i++) start[i + 1] += start[i];
  for (k = 0; k < b->links; k++) {
    po_frame *f;
    i = p->order[k];
    f = &m->frame[start[p->body[i] + 1]++];
    f->name = model_text(text, b->link[i].name);
    f->body = p->body[i];
    f->pose = p->pose[i];
  }
  for (k = 0; k < b->frames; k++) {
    const po_builder_frame_entry *e = &b->frame[k];
    po_frame *f = &m->frame[start[p->body[e->link] + 1]++];
    f->name = model_text(text, e->name);
    f->body = p->body[e->link];
    f->pose = po_pose_mul(p->pose[e->link], e->pose);
  }
}

static void model_shapes(po_model_parts *m, const po_model_plan *p, int *start) {
  const po_builder *b = p->b;
  int i, k;
  for (i = 0; i <= p->nb + 1; i++) start[i] = 0;
  for (i = 0; i < b->shapes; i++) start[p->body[b->shape[i].link] + 2]++;
  for (i = 0; i <= p->nb; i++) start[i + 1] += start[i];
  for (k = 0; k < b->shapes; k++) {
    const po_builder_shape_entry *e = &b->shape[k];
    po_shape *s = &m->shape[start[p->body[e->link] + 1]++];
    *s = e->shape;
    s->hull = m->hull[k];
    s->body = p->body[e->link];
    s->pose = po_pose_mul(p->pose[e->link], e->shape.pose);
  }
}

/* Whether joint 0 is planar, carries all others and can move up: its axis is not upright. A plane within a thousandth of level has no up. */
static int model_is_planar(const po_model *model) {
  const po_joint *j = &model->joint[0];
  return model->nb > 0 && j->type == PO_JOINT_PLANAR && j->parent < 0 && model->subtree_end[0] == model->nb &&
         po_abs(po_m3_mul_v(j->placement.R, j->axis).z) < 1 - 1e-6;
}

/* A planar base that nobody gave a motor has none: its torque would be a force out of nowhere. */
static void model_rest_planar(po_joint *root) {
  int k;
  for (k = 0; k < 3; k++)
    if (root->effort[k] == PO_INF) root->effort[k] = 0;
}

/* The height at which the lowest sole corner of the zero pose touches the ground. */
static double model_rest_height(const po_model *model, po_pose *pose) {
  double lowest = PO_INF;
  int i;
  if (!model->floating && !model->planar) return 0;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    if (j->parent < 0) pose[i] = model->planar ? j->placement : po_pose_identity();
    else pose[i] = po_pose_mul(pose[j->parent], j->placement);
  }
  for (i = 0; i < model->frames; i++) {
    const po_frame *f = &model->frame[i];
    if (f->body >= 0 && strncmp(f->name, "sole_", 5) == 0) lowest = po_min(lowest, po_pose_mul(pose[f->body], f->pose).p.z);
  }
  return lowest < PO_INF ? -lowest : 0;
}

static po_status model_fill(po_model_parts *m, po_model_plan *p, po_error *err) {
  const po_builder *b = p->b;
  po_model *model = m->model;
  char *text = m->text;
  int *start = (int *)po_alloc(sizeof(int) * 3 * ((size_t)p->nodes + 3));
  po_pose *pose = (po_pose *)po_alloc(sizeof(po_pose) * ((size_t)p->nb + 1));
  if (!start || !pose) {
    po_free(start);
    po_free(pose);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  model->name = model_text(&text, b->name);
  model->nb = p->nb;
  model->nq = p->nq;
  model->nv = p->nv;
  model->frames = p->frames;
  model->shapes = p->shapes;
  model_joints(m, p, &text);
  model_frames(m, p, &text, start);
  model_shapes(m, p, start);
  model->body_name = m->body_name;
  model->joint = m->joint;
  model->inertia = m->inertia;
  model->subtree_end = m->subtree_end;
  model->dof_body = m->dof_body;
  model->dof_parent = m->dof_parent;
  model->frame = m->frame;
  model->shape = m->shape;
  if (b->home && b->home_count == p->nq) {
    memcpy(m->home, b->home, sizeof(double) * (size_t)p->nq);
    model->home = m->home;
  }
  /* a base: all others hang on it */
  model->floating = p->nb > 0 && m->joint[0].type == PO_JOINT_FLOATING && m->subtree_end[0] == p->nb;
  model->planar = model_is_planar(model);
  if (model->planar) model_rest_planar(&m->joint[0]);
  model->rest_height = model_rest_height(model, pose);
  po_model_nodes(m, p, start);
  m->fast->n = p->nodes;
  m->fast->node = m->node;
  m->fast->body_node = m->body_node;
  m->fast->align = m->align;
  m->fast->below = m->below;
  m->fast->angles = m->lanes->angles;
  m->fast->turning = p->angles;
  m->fast->angle_at = m->angle_at;
  m->fast->lanes = m->lanes;
  m->fast->angle_q = m->angle_q;
  m->fast->row = m->row;
  m->fast->depth = m->depth;
  m->fast->run = m->run;
  m->fast->end = m->end;
  m->fast->packed = p->packed;
  model->fast = m->fast;
  po_free(start);
  po_free(pose);
  return PO_OK;
}

static po_status model_assemble(const po_model **out, po_model_plan *p, po_error *err) {
  const po_builder *b = p->b;
  po_model_parts m;
  po_arena arena;
  po_status status;
  size_t bytes;
  void *block;
  int i;
  model_sort(p);
  model_merge(p);
  for (i = 0; i < p->nb; i++) {
    model_mend(p, i);
    if (p->leaf[i] && (status = model_check_leaf(p, i, err)) != PO_OK) return status;
    if ((status = model_check_inertia(p, i, err)) != PO_OK) return status;
  }
  p->groups = po_model_group_count(p);
  p->frames = b->links + b->frames;
  p->shapes = b->shapes;
  p->text = strlen(b->name) + 1;
  for (i = 0; i < b->links; i++) p->text += strlen(b->link[i].name) + 1;
  for (i = 0; i < b->frames; i++) p->text += strlen(b->frame[i].name) + 1;
  for (i = 0; i < p->nb; i++) p->text += strlen(b->link[p->first[i]].name) + strlen(b->link[p->first[i]].joint.name) + 2;
  po_arena_measure(&arena);
  model_lay(&m, p, &arena);
  bytes = po_arena_used(&arena);
  block = po_alloc(bytes);
  if (!block) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, block, bytes);
  model_lay(&m, p, &arena);
  m.model->memory = block;
  if ((status = model_fill(&m, p, err)) != PO_OK) {
    po_free(block);
    return status;
  }
  *out = m.model;
  return PO_OK;
}

po_status po_builder_finish(const po_model **model, po_builder *builder, po_error *err) {
  po_model_plan plan;
  po_arena arena;
  po_status status;
  size_t bytes;
  void *block;
  if (!model || !builder) return po_fail(err, PO_ERR_NULL, "po_builder_finish: model and builder are needed");
  if (builder->root < 0) return po_fail(err, PO_ERR_MODEL, "model '%s' has no links", builder->name);
  memset(&plan, 0, sizeof plan);
  plan.b = builder;
  po_arena_measure(&arena);
  model_alloc_plan(&plan, &arena);
  bytes = po_arena_used(&arena);
  block = po_alloc(bytes);
  if (!block) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, block, bytes);
  status = model_alloc_plan(&plan, &arena) ? model_assemble(model, &plan, err) : po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_free(block);
  return status;
}

void po_model_free(const po_model *model) {
  if (model) po_free(model->memory);
}

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

int po_find_body(const po_model *model, const char *name) {
  int i;
  for (i = 0; i < model->nb; i++)
    if (strcmp(model->body_name[i], name) == 0) return i;
  return -1;
}

int po_find_joint(const po_model *model, const char *name) {
  int i;
  for (i = 0; i < model->nb; i++)
    if (strcmp(model->joint[i].name, name) == 0) return i;
  return -1;
}

int po_find_frame(const po_model *model, const char *name) {
  int i;
  for (i = 0; i < model->frames; i++)
    if (strcmp(model->frame[i].name, name) == 0) return i;
  return -1;
}
