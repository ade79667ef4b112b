/* nodes.c: the tree as the algorithms see it (tree.h), made from a model's joints and inertias. */
#include "model.h"
#include <string.h>

int po_model_nodes_of(po_joint_type type) { return type == PO_JOINT_UNIVERSAL ? 2 : type == PO_JOINT_PLANAR ? 3 : 1; }

/* Nodes of equal depth share groups (lanes.c). A floating base is the root itself. */
int po_model_group_count(const po_model_plan *p) {
  const po_builder *b = p->b;
  int i, k, groups = 1, floating = p->nb > 0 && b->link[p->first[0]].joint.type == PO_JOINT_FLOATING;
  for (i = 1; i < p->nb; i++) floating &= b->link[p->first[i]].parent >= 0 && p->body[b->link[p->first[i]].parent] >= 0;
  for (i = 0; i < p->nb; i++) {
    const po_builder_link_entry *e = &b->link[p->first[i]];
    int up = e->parent < 0 ? -1 : p->body[e->parent], depth = up < 0 ? 0 : p->depth[up];
    for (k = 0; k < po_model_nodes_of(e->joint.type) && !(i == 0 && floating); k++) p->width[++depth]++;
    p->depth[i] = depth;
  }
  for (i = 1; i <= p->nodes; i++) groups += (p->width[i] + 3) / 4;
  return groups;
}

/* A rotation whose third column is u; exact for u along a coordinate axis, the identity for u = z. */
static po_mat3 nodes_align(po_vec3 u) {
  po_vec3 t1, t2;
  if (u.z == 1) return po_m3_identity();
  po_v3_tangents(&t1, &t2, u);
  return po_m3(t1.x, t2.x, u.x, t1.y, t2.y, u.y, t1.z, t2.z, u.z);
}

/* The single-axis steps of joint j: axis and kind of each, and which of its coordinates. */
static int nodes_steps(const po_joint *j, po_vec3 axis[3], int kind[3]) {
  switch (j->type) {
    case PO_JOINT_REVOLUTE:
      axis[0] = j->axis;
      kind[0] = PO_NODE_REVOLUTE;
      return 1;
    case PO_JOINT_PRISMATIC:
      axis[0] = j->axis;
      kind[0] = PO_NODE_PRISMATIC;
      return 1;
    case PO_JOINT_UNIVERSAL:
      axis[0] = j->axis;
      axis[1] = j->axis2;
      kind[0] = kind[1] = PO_NODE_REVOLUTE;
      return 2;
    case PO_JOINT_PLANAR:
      po_v3_tangents(&axis[0], &axis[1], j->axis);
      axis[2] = j->axis;
      kind[0] = kind[1] = PO_NODE_PRISMATIC;
      kind[2] = PO_NODE_REVOLUTE;
      return 3;
    case PO_JOINT_SPHERICAL:
      axis[0] = po_v3(0, 0, 1);
      kind[0] = PO_NODE_SPHERICAL;
      return 1;
    default:
      axis[0] = po_v3(0, 0, 1);
      kind[0] = PO_NODE_FLOATING;
      return 1;
  }
}

static void nodes_inertia(po_node *n, const po_inertia *x, const po_mat3 *A) {
  po_vec3 c = po_unrot(A, x->com), h = po_v3_scale(x->mass, c);
  po_mat3 B = po_m3_mul(po_m3_tmul(*A, x->I), *A);
  po_sym3 I;
  I.xx = B.m[0];
  I.xy = 0.5 * (B.m[1] + B.m[3]);
  I.xz = 0.5 * (B.m[2] + B.m[6]);
  I.yy = B.m[4];
  I.yz = 0.5 * (B.m[5] + B.m[7]);
  I.zz = B.m[8];
  n->m = x->mass;
  n->h = h;
  n->I = po_s3_shift(I, x->mass, po_v3(0, 0, 0), c);
}

static void nodes_fill(po_model_parts *m, const po_model_plan *p) {
  int i, k, at = 1;
  m->node[0].parent = -1;
  m->node[0].body = -1;
  m->node[0].angle = -1;
  m->node[0].R = po_m3_identity();
  for (i = 0; i < p->nb; i++) {
    const po_joint *j = &m->joint[i];
    po_vec3 axis[3];
    int kind[3], steps = nodes_steps(j, axis, kind);
    po_mat3 before = j->placement.R; /* axes of the step before, as seen in this joint's frame, undone */
    po_vec3 p0 = j->placement.p;
    int parent = 0;
    if (j->parent >= 0) {
      const po_mat3 *A = &m->align[j->parent];
      parent = m->body_node[j->parent];
      before = po_m3_tmul(*A, before);
      p0 = po_unrot(A, p0);
    }
    for (k = 0; k < steps; k++) {
      po_node *n = &m->node[at];
      po_mat3 B = nodes_align(axis[k]);
      n->kind = kind[k];
      n->parent = parent;
      n->q = j->q + k;
      n->v = j->v + k;
      n->nv = steps > 1 ? 1 : j->nv;
      n->angle = -1; /* nodes_lanes */
      n->R = po_m3_mul(before, B);
      n->p = p0;
      n->body = k == steps - 1 ? i : -1;
      memcpy(n->armature, j->armature, sizeof n->armature);
      if (steps > 1) n->armature[0] = j->armature[k];
      before = po_m3_t(B);
      p0 = po_v3(0, 0, 0);
      parent = at++;
      m->align[i] = B;
    }
    m->body_node[i] = at - 1;
    nodes_inertia(&m->node[at - 1], &m->inertia[i], &m->align[i]);
  }
  for (i = p->nodes; i > 0; i--) {
    m->below[i] += m->node[i].m;
    m->below[m->node[i].parent] += m->below[i];
  }
}

/* Groups of four, and the places of the angles that they fix. */
static void nodes_lanes(po_model_parts *m, const po_model_plan *p, int *work) {
  int i, k = 0;
  m->lanes->group = m->group;
  po_lanes_plan(m->lanes, m->node, p->nodes, m->model->floating, m->below, m->align, p->nv, p->nb, work);
  for (i = 1; i <= p->nodes; i++)
    if (m->node[i].kind == PO_NODE_REVOLUTE) {
      m->angle_at[k] = m->node[i].angle;
      m->angle_q[k++] = m->node[i].q;
    }
}

static void nodes_rows(po_model_parts *m, po_model_plan *p) {
  int i;
  for (i = 0; i < p->nv; i++) {
    int up = m->dof_parent[i];
    m->depth[i] = up < 0 ? 0 : m->depth[up] + 1;
    m->row[i] = p->packed;
    m->run[i] = up >= 0 && up == i - 1 ? m->run[up] : i;
    m->end[i] = m->joint[m->subtree_end[m->dof_body[i]] - 1].v + m->joint[m->subtree_end[m->dof_body[i]] - 1].nv;
    p->packed += (m->depth[i] + 4) / 4 * 4;
  }
}

void po_model_nodes(po_model_parts *m, po_model_plan *p, int *work) {
  nodes_fill(m, p);
  nodes_lanes(m, p, work);
  nodes_rows(m, p);
}
