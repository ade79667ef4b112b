/* rnea.c: inverse dynamics by the recursive Newton-Euler algorithm (RBDA table 5.1), in base axes at each node's own origin.
 *
 *   root to leaf:  motion of each node, and the wrench it takes:  f = m a + al × h + w × (w × h),  n = I al + w × I w + h × a
 *   leaf to root:  tau = the part of the wrench along the joint's freedoms; the rest is the parent's to bear
 *
 * Gravity enters as an acceleration of the base by −g.
 */
#include "tree.h"

/* The wrench of f_ext (body axes, at the body's origin) is taken away from what the joints must supply. */
static void rnea_external(po_data *data, const po_place *place, const po_vec6 *f_ext) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i;
  for (i = 0; i < model->nb; i++) {
    int k = t->body_node[i];
    po_wrench *f = &s->force[k];
    f->n = po_v3_sub(f->n, po_rot(&place[k].R, po_unrot(&t->align[i], f_ext[i].ang)));
    f->f = po_v3_sub(f->f, po_rot(&place[k].R, po_unrot(&t->align[i], f_ext[i].lin)));
  }
}

static void rnea_run(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_place *x = s->place_b;
  po_motion *m = s->motion_b;
  static const po_motion at_rest;
  int i, k;
  po_tree_place(data, x, q, 1);
  m[0] = at_rest;
  m[0].a = po_v3_neg(po_tree_gravity(data, q));
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    po_node_motion(&m[i], n, &x[i], &m[n->parent], v);
    if (a) po_node_accelerate(&m[i], n, &x[i], a);
    s->force[i] = po_node_wrench(n, &x[i], &m[i]);
  }
  if (f_ext) rnea_external(data, x, f_ext);
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_node_project(tau, n, &x[i], &s->force[i]);
    if (n->parent > 0) po_wrench_shift_add(&s->force[n->parent], &s->force[i], x[i].r);
    if (a && n->kind != PO_NODE_FLOATING)
      for (k = 0; k < n->nv; k++) tau[n->v + k] += n->armature[k] * a[n->v + k];
  }
}

void po_rnea(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext) {
  rnea_run(tau, data, q, v, a, f_ext);
}

void po_bias(double *h, po_data *data, const double *q, const double *v) { rnea_run(h, data, q, v, NULL, NULL); }

/* At rest the wrench of a node is its weight. */
void po_gravity(double *g, po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_place *x = s->place_b;
  po_vec3 up;
  int i;
  po_tree_place(data, x, q, 1);
  up = po_v3_neg(po_tree_gravity(data, q));
  for (i = 1; i <= t->n; i++) {
    s->force[i].n = po_v3_cross(po_rot(&x[i].R, t->node[i].h), up);
    s->force[i].f = po_v3_scale(t->node[i].m, up);
  }
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_node_project(g, n, &x[i], &s->force[i]);
    if (n->parent > 0) po_wrench_shift_add(&s->force[n->parent], &s->force[i], x[i].r);
  }
}
