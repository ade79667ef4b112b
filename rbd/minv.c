/* minv.c: M^-1 times vectors by the articulated-body factors: what po_aba does with v = 0 and no gravity, for one right side
 * after another. O(n) per vector, and no M. */
#include "aba.h"

po_status po_minv_factor(po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i;
  po_tree_place(data, s->place_b, q, 1);
  po_aba_note_base(data, q);
  for (i = 1; i <= t->n; i++) {
    po_vec3 h;
    po_aba_own_inertia(&s->art[i], &t->node[i], &s->place_b[i], &h);
  }
  return po_aba_factor(data, s->place_b);
}

/* x holds u on entry and qdd on return. */
static void minv_outward(double *x, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  po_motion *m = s->motion_b;
  int i;
  m[0].al = m[0].a = po_v3(0, 0, 0);
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_motion *p = &m[n->parent];
    m[i].al = p->al;
    m[i].a = po_v3_add(p->a, po_v3_cross(p->al, s->place_b[i].r));
    po_aba_down(x + n->v, &m[i].al, &m[i].a, &s->art[i], &s->block[s->slot[i]], n, &s->place_b[i]);
  }
}

void po_minv_mul(po_mat X, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  static const po_wrench nothing;
  int row, i;
  for (row = 0; row < X.rows; row++) {
    double *x = po_row(X, row);
    for (i = 0; i <= t->n; i++) s->force[i] = nothing;
    for (i = t->n; i >= 1; i--) {
      const po_node *n = &t->node[i];
      po_aba_up(x + n->v, &s->force[i], &s->art[i], n, &s->place_b[i]);
      if (n->parent) po_wrench_shift_add(&s->force[n->parent], &s->force[i], s->place_b[i].r);
    }
    minv_outward(x, data);
  }
}

void po_minv_force(double *out, const po_data *data, int body, po_vec3 point_world, po_vec3 force_world) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int i = body < 0 ? 0 : t->body_node[body];
  po_vec3 force = po_unrot(&s->base_R, force_world);
  po_vec3 arm = po_v3_sub(po_unrot(&s->base_R, po_v3_sub(point_world, s->base_o)), s->place_b[i].o);
  po_wrench p;
  p.n = po_v3_neg(po_v3_cross(arm, force));
  p.f = po_v3_neg(force);
  for (int k = 0; k < data->model->nv; k++) out[k] = 0;
  while (i > 0) { /* only the way to the root feels it */
    const po_node *n = &t->node[i];
    po_aba_up(out + n->v, &p, &s->art[i], n, &s->place_b[i]);
    p.n = po_v3_add(p.n, po_v3_cross(s->place_b[i].r, p.f));
    i = n->parent;
  }
  minv_outward(out, data);
}
