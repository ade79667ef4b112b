/* lanes.c: putting the nodes of a tree into groups of four. */
#include "lanes.h"
#include <string.h>

static void lanes_empty(po_lane_group *g, int nv, int nb) {
  int l, k;
  memset(g, 0, sizeof *g);
  for (l = 0; l < 4; l++) {
    g->R[0][l] = g->R[4][l] = g->R[8][l] = 1;
    g->align[0][l] = g->align[4][l] = g->align[8][l] = 1;
    g->body[l] = nb;
    for (k = 0; k < PO_LANE_STEPS; k++) {
      g->rotor[k][l] = 1;
      g->out[k][l] = po_pad4(nv);
    }
  }
}

/* Which freedom of the node a step is, and whether it turns or slides; −1: the node has no such step. */
static int lanes_step(const po_node *n, int k, int *slides) {
  *slides = n->kind == PO_NODE_PRISMATIC || k >= 3;
  switch (n->kind) {
    case PO_NODE_REVOLUTE:
    case PO_NODE_PRISMATIC: return k == 0 ? 0 : -1;
    case PO_NODE_SPHERICAL: return k < 3 ? 2 - k : -1;
    default: return k < 3 ? 2 - k : 8 - k;
  }
}

static void lanes_fill(po_lane_group *g, int lane, const po_node *n, int node, double below, const po_mat3 *align) {
  const double I[6] = {n->I.xx, n->I.xy, n->I.xz, n->I.yy, n->I.yz, n->I.zz}, h[3] = {n->h.x, n->h.y, n->h.z},
               p[3] = {n->p.x, n->p.y, n->p.z};
  int i, k;
  g->node[lane] = node;
  if (n->body >= 0) g->body[lane] = n->body;
  for (i = 0; i < 9; i++) g->R[i][lane] = n->R.m[i];
  for (i = 0; i < 9 && n->body >= 0; i++) g->align[i][lane] = align[n->body].m[i];
  for (i = 0; i < 6; i++) g->I[i][lane] = I[i];
  for (i = 0; i < 3; i++) g->h[i][lane] = h[i];
  for (i = 0; i < 3; i++) g->p[i][lane] = p[i];
  g->m[lane] = n->m;
  g->below[lane] = below;
  for (k = 0; k < PO_LANE_STEPS; k++) {
    int slides, freedom = lanes_step(n, k, &slides);
    if (freedom < 0) continue;
    g->v[k][lane] = g->out[k][lane] = n->v + freedom;
    g->turns[k][lane] = !slides;
    g->slides[k][lane] = slides;
    g->rotor[k][lane] = n->kind == PO_NODE_FLOATING ? 0 : n->armature[freedom];
    g->damps[k][lane] = n->kind != PO_NODE_FLOATING;
    if (k + 1 > g->steps) g->steps = k + 1;
  }
}

/* Where a node stands: 4 group + lane. */
static int lanes_free(const po_lane_group *g, int prefer) {
  int l;
  if (!g->node[prefer]) return prefer;
  for (l = 0; l < 4; l++)
    if (!g->node[l]) return l;
  return -1;
}

static void lanes_finish(po_lane_group *g, const po_node *node) {
  int l, first = -1;
  g->straight = g->revolute = 1;
  for (l = 0; l < 4; l++) {
    const po_node *n = &node[g->node[l]];
    int up = g->node[l] && n->parent > 0 ? node[n->parent].slot : 0; /* slot 0: the root */
    g->up_group[l] = up / 4;
    g->up_lane[l] = up % 4;
    if (!g->node[l]) continue;
    if (first < 0) first = up / 4;
    if (up / 4 != first || (up / 4 > 0 && up % 4 != l)) g->straight = 0;
    if (n->kind != PO_NODE_REVOLUTE) g->revolute = 0;
  }
  if (g->straight)
    for (l = 0; l < 4; l++) g->up_group[l] = first, g->up_lane[l] = l; /* empty lanes too */
}

/* Nodes sorted by depth (stable), and where each depth begins: counting sort, so that long chains cost no more than wide trees. */
static int lanes_by_depth(const po_node *node, int nodes, int first, int *depth, int *order, int *start) {
  int i, deepest = 0;
  for (i = 0; i <= nodes + 1; i++) start[i] = 0;
  for (i = first; i <= nodes; i++) {
    depth[i] = depth[node[i].parent] + 1;
    start[depth[i] + 1]++;
    if (depth[i] > deepest) deepest = depth[i];
  }
  for (i = 0; i <= deepest; i++) start[i + 1] += start[i];
  for (i = first; i <= nodes; i++) order[start[depth[i]]++] = i;
  for (i = deepest + 1; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  return deepest;
}

static void lanes_put(struct po_lane_plan *plan, po_node *node, int i, int g, int lane, const double *below, const po_mat3 *align) {
  int up = node[node[i].parent].slot;
  lanes_fill(&plan->group[g], lane, &node[i], i, below[i], align);
  if (!plan->group[g].up_group[0]) plan->group[g].up_group[0] = 1 + up / 4; /* meanwhile: 1 + the group it follows */
  node[i].slot = 4 * g + lane;
}

/* One depth: nodes order[0 … width) into groups from … to. First those that can follow their parents straight in one of the next few
 * groups, then the rest wherever there is room. */
static void lanes_level(struct po_lane_plan *plan, po_node *node, const int *order, int width, int from, int to,
                        const double *below, const po_mat3 *align) {
  int k, g, l;
  for (k = 0; k < width; k++) {
    po_node *n = &node[order[k]];
    int up = node[n->parent].slot;
    n->slot = -1;
    for (g = from + k / 4; g < to && g < from + k / 4 + 4 && n->slot < 0; g++) {
      int follows = plan->group[g].up_group[0];
      l = lanes_free(&plan->group[g], up < 4 ? 0 : up % 4);
      if (l < 0 || (up >= 4 && (l != up % 4 || (follows && follows != 1 + up / 4)))) continue;
      lanes_put(plan, node, order[k], g, l, below, align);
    }
  }
  for (k = 0, g = from; k < width; k++) {
    if (node[order[k]].slot >= 0) continue;
    while ((l = lanes_free(&plan->group[g], 0)) < 0) g++; /* there are as many lanes as nodes */
    lanes_put(plan, node, order[k], g, l, below, align);
  }
  for (g = from; g < to; g++) lanes_finish(&plan->group[g], node);
}

void po_lanes_plan(struct po_lane_plan *plan, po_node *node, int nodes, int floating, const double *below, const po_mat3 *align,
                   int nv, int nb, int *work) {
  int *depth = work, *order = work + nodes + 2, *start = order + nodes + 2;
  int i, d, g, deepest, count = 1, first = floating ? 2 : 1;
  lanes_empty(&plan->group[0], nv, nb);
  plan->group[0].angle = -1;
  depth[0] = 0;
  node[0].slot = 0;
  if (floating) {
    depth[1] = 0;
    node[1].slot = 0;
    for (i = 0; i < 4; i++) lanes_fill(&plan->group[0], i, &node[1], 1, below[1], align);
  }
  deepest = lanes_by_depth(node, nodes, first, depth, order, start);
  for (d = 1; d <= deepest; d++) {
    int width = start[d + 1] - start[d], from = count;
    count += (width + 3) / 4;
    for (g = from; g < count; g++) lanes_empty(&plan->group[g], nv, nb);
    lanes_level(plan, node, order + start[d], width, from, count, below, align);
  }
  plan->groups = count;
  plan->angles = 0;
  for (g = 1; g < count; g++) { /* four places for sines and cosines of each group that turns */
    po_lane_group *x = &plan->group[g];
    x->angle = -1;
    for (i = 0; i < 4; i++) {
      if (!x->node[i] || node[x->node[i]].kind != PO_NODE_REVOLUTE) continue;
      if (x->angle < 0) x->angle = plan->angles, plan->angles += 4;
      node[x->node[i]].angle = x->angle + i;
    }
  }
}

#if defined(__x86_64__)
void po_lanes_relative(double (*E)[4], double (*p)[4], const po_data *data, const po_lane_group *g, const double *q) {
  const po_scratch *s = po_tree_scratch(data);
  int l, i;
  for (l = 0; l < 4; l++) {
    po_mat3 R = po_m3_identity();
    po_vec3 at = po_v3(0, 0, 0);
    if (g->node[l]) po_node_relative(&R, &at, &data->model->fast->node[g->node[l]], q, s->sine, s->cosine);
    for (i = 0; i < 9; i++) E[i][l] = R.m[i];
    p[0][l] = at.x;
    p[1][l] = at.y;
    p[2][l] = at.z;
  }
}
#endif
