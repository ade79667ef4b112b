/* rnea_lanes.c: po_rnea four nodes at a time (lanes.h); equations and order of passes as in rnea.c. */
#include "lanes.h"

#if defined(__x86_64__)
#include <string.h>

enum { RNEA_STRIDE = PO_STRIDE(po_lane_link) };

/* The root: its own motion in all lanes of group 0, and what it takes by itself. A fixed base only passes −g on. */
static void rnea_lanes_root(po_wrench *own, po_data *data, const double *q, const double *v, const double *a) {
  const po_node *n = &data->model->fast->node[1];
  po_lane_link *x = po_tree_scratch(data)->lane_link;
  po_vec3 w = po_v3(0, 0, 0), al = w, acc = po_v3_neg(data->gravity);
  const double *parts[3];
  int i, l;
  own->n = own->f = po_v3(0, 0, 0);
  if (data->model->floating) {
    po_mat3 Q = po_quat_matrix(q + n->q);
    w = po_v3_of(v);
    acc = po_unrot(&Q, po_unrot(&n->R, acc));
    acc = po_v3_add(acc, po_v3_cross(w, po_v3_of(v + 3)));
    if (a) al = po_v3_of(a), acc = po_v3_add(acc, po_v3_of(a + 3));
    own->n = po_v3_add(po_v3_add(po_s3_mul_v(n->I, al), po_v3_cross(w, po_s3_mul_v(n->I, w))), po_v3_cross(n->h, acc));
    own->f = po_v3_addscaled(po_swing(w, al, n->h), n->m, acc);
  }
  parts[0] = &w.x, parts[1] = &al.x, parts[2] = &acc.x;
  for (i = 0; i < 3; i++)
    for (l = 0; l < 4; l++) {
      x->w[i][l] = parts[0][i];
      x->al[i][l] = parts[1][i];
      x->a[i][l] = parts[2][i];
      x->n[i][l] = x->f[i][l] = 0;
    }
}

/* Root to leaf: E, motion and wrench of one group. */
PO_LANE_INLINE void rnea_lanes_out(po_data *data, const po_lane_group *g, po_lane_link *x, const double *q, const double *v,
                                   const double *qdd) {
  po_scratch *s = po_tree_scratch(data);
  po_lane_link *root = s->lane_link;
  po_l3 wp = po_l3_up(root->w[0], RNEA_STRIDE, g), alp = po_l3_up(root->al[0], RNEA_STRIDE, g),
        ap = po_l3_up(root->a[0], RNEA_STRIDE, g);
  po_l3 w, al, a, h, p, N;
  po_ls3 I;
  po_l33 E;
  if (g->revolute) {
    E = po_l33_turn(po_l33_load(g->R[0]), po_l_load(s->sine + g->angle), po_l_load(s->cosine + g->angle));
    p = po_l3_load(g->p[0]);
    po_l33_store(x->E[0], E);
  } else {
    po_lanes_relative(x->E, x->p, data, g, q);
    E = po_l33_load(x->E[0]);
    p = po_l3_load(x->p[0]);
  }
  a = po_l33_tmul(E, po_l3_addswing(ap, wp, alp, p));
  w = po_l33_tmul(E, wp);
  al = po_l33_tmul(E, alp);
  if (g->revolute) {
    po_v4 r = po_l_gather(v, g->v[0]);
    al.x = po_l_fma(w.y, r, al.x);
    al.y = po_l_fnma(w.x, r, al.y);
    if (qdd) al.z = po_l_add(al.z, po_l_gather(qdd, g->v[0]));
    w.z = po_l_add(w.z, r);
  } else {
    po_l3 turn, slide;
    po_lanes_rates(&turn, &slide, g, v);
    al = po_l3_addcross(al, w, turn);
    a = po_l3_addcross(a, po_l3_addscaled(turn, po_l_all(2), w), slide);
    w = po_l3_add(w, turn);
    if (qdd) {
      po_lanes_rates(&turn, &slide, g, qdd);
      al = po_l3_add(al, turn);
      a = po_l3_add(a, slide);
    }
  }
  po_l3_store(x->w[0], w);
  po_l3_store(x->al[0], al);
  po_l3_store(x->a[0], a);
  h = po_l3_load(g->h[0]);
  I = po_ls3_load(g->I[0]);
  N = po_l3_addcross(po_ls3_mul(I, al), w, po_ls3_mul(I, w));
  po_l3_store(x->n[0], po_l3_addcross(N, h, a));
  po_l3_store(x->f[0], po_l3_addswing(po_l3_scale(po_l_load(g->m), a), w, al, h));
}

/* Leaf to root: tau of one group, and its wrenches to the parents. */
PO_LANE_INLINE void rnea_lanes_in(double *tau, po_data *data, const po_lane_group *g, po_lane_link *x, const double *qdd) {
  po_lane_link *root = po_tree_scratch(data)->lane_link;
  po_l3 n = po_l3_load(x->n[0]), f = po_l3_load(x->f[0]), p = g->revolute ? po_l3_load(g->p[0]) : po_l3_load(x->p[0]), F;
  po_l33 E = po_l33_load(x->E[0]);
  if (g->revolute) {
    po_v4 t = n.z;
    if (qdd) t = po_l_fma(po_l_load(g->rotor[0]), po_l_gather(qdd, g->v[0]), t);
    po_l_scatter(tau, g->out[0], t);
  } else {
    int k;
    for (k = 0; k < g->steps; k++) {
      const double *nk = x->n[2 - k % 3], *fk = x->f[2 - k % 3];
      po_v4 t = po_l_fma(po_l_load(g->turns[k]), po_l_load(nk), po_l_mul(po_l_load(g->slides[k]), po_l_load(fk)));
      if (qdd) t = po_l_fma(po_l_load(g->rotor[k]), po_l_gather(qdd, g->v[k]), t);
      po_l_scatter(tau, g->out[k], t);
    }
  }
  F = po_l33_mul(E, f);
  po_l3_add_up(root->f[0], RNEA_STRIDE, g, F);
  po_l3_add_up(root->n[0], RNEA_STRIDE, g, po_l3_addcross(po_l33_mul(E, n), p, F));
}

/* What acts from outside the joints need not supply. */
static void rnea_lanes_external(po_data *data, const po_vec6 *f_ext, po_wrench *own) {
  const struct po_model_fast *t = data->model->fast;
  po_lane_link *x = po_tree_scratch(data)->lane_link;
  int i, k;
  for (i = 0; i < data->model->nb; i++) {
    int slot = t->node[t->body_node[i]].slot;
    po_vec3 n = po_unrot(&t->align[i], f_ext[i].ang), f = po_unrot(&t->align[i], f_ext[i].lin);
    if (slot < 4) { /* the root */
      own->n = po_v3_sub(own->n, n);
      own->f = po_v3_sub(own->f, f);
      continue;
    }
    for (k = 0; k < 3; k++) {
      x[slot / 4].n[k][slot % 4] -= (&n.x)[k];
      x[slot / 4].f[k][slot % 4] -= (&f.x)[k];
    }
  }
}

PO_LANE void po_rnea_lanes(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext) {
  const struct po_lane_plan *plan = data->model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  po_wrench own;
  int g, k;
  po_tree_sincos(data, q);
  rnea_lanes_root(&own, data, q, v, a);
  for (g = 1; g < plan->groups; g++) rnea_lanes_out(data, &plan->group[g], &s->lane_link[g], q, v, a);
  if (f_ext) rnea_lanes_external(data, f_ext, &own);
  for (g = plan->groups - 1; g >= 1; g--) rnea_lanes_in(s->work, data, &plan->group[g], &s->lane_link[g], a);
  if (data->model->floating)
    for (k = 0; k < 3; k++) {
      s->work[k] = (&own.n.x)[k] + po_l_sum(po_l_load(s->lane_link[0].n[k]));
      s->work[3 + k] = (&own.f.x)[k] + po_l_sum(po_l_load(s->lane_link[0].f[k]));
    }
  memcpy(tau, s->work, sizeof(double) * (size_t)data->model->nv);
}
#endif
