/* tree.c: passes over the nodes that several algorithms share. */
#include "tree.h"

void po_tree_sincos(po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i;
  for (i = 0; i < t->turning; i++) s->angle[t->angle_at[i]] = q[t->angle_q[i]];
  po_sincos_n(s->sine, s->cosine, s->angle, t->angles);
}

void po_tree_place(po_data *data, po_place *place, const double *q, int base_axes) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int i = 1;
  po_tree_sincos(data, q);
  place[0].R = po_m3_identity();
  place[0].r = place[0].o = po_v3(0, 0, 0);
  if (data->model->floating) {
    po_node_place(&place[1], &t->node[1], &place[0], q, s->sine, s->cosine);
    if (base_axes) place[1].R = po_m3_identity();
    place[1].r = place[1].o = po_v3(0, 0, 0); /* the base's origin is the tree's */
    i = 2;
  }
  for (; i <= t->n; i++) po_node_place(&place[i], &t->node[i], &place[t->node[i].parent], q, s->sine, s->cosine);
}

po_vec3 po_tree_gravity(const po_data *data, const double *q) {
  if (data->model->floating) {
    const po_node *root = &data->model->fast->node[1];
    po_mat3 R = po_quat_matrix(q + root->q);
    return po_unrot(&R, po_unrot(&root->R, data->gravity));
  }
  return data->gravity;
}

void po_tree_screws(const po_data *data, po_screw *screw, const po_place *place) {
  const struct po_model_fast *t = data->model->fast;
  int i, k;
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_place *x = &place[i];
    po_screw *w = screw + n->v;
    switch (n->kind) {
      case PO_NODE_REVOLUTE: {
        po_vec3 z = po_col_z(&x->R);
        w[0].ang = z;
        w[0].lin = po_v3_cross(x->o, z);
        break;
      }
      case PO_NODE_PRISMATIC:
        w[0].ang = po_v3(0, 0, 0);
        w[0].lin = po_col_z(&x->R);
        break;
      default:
        for (k = 0; k < 3; k++) {
          po_vec3 e = po_m3_col(x->R, k);
          w[k].ang = e;
          w[k].lin = po_v3_cross(x->o, e);
          if (n->kind == PO_NODE_FLOATING) {
            w[3 + k].ang = po_v3(0, 0, 0);
            w[3 + k].lin = e;
          }
        }
    }
  }
}

void po_tree_composite(po_data *data, const po_place *place) {
  const struct po_model_fast *t = data->model->fast;
  po_composite *comp = po_tree_scratch(data)->comp;
  int i;
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    comp[i].m = n->m;
    comp[i].h = po_rot(&place[i].R, n->h);
    comp[i].I = po_s3_rotate(&place[i].R, n->I);
  }
  comp[0].m = 0;
  comp[0].h = po_v3(0, 0, 0);
  comp[0].I = po_s3_zero();
  for (i = t->n; i >= 1; i--) {
    po_composite *c = &comp[i], *p = &comp[t->node[i].parent];
    po_vec3 r = place[i].r;
    p->m += c->m;
    p->I = po_s3_add(p->I, po_s3_shift(c->I, c->m, c->h, r));
    p->h = po_v3_add(p->h, po_v3_addscaled(c->h, c->m, r));
  }
}
