/* minv.c: M^-1 times vectors by the articulated-body factors: what po_aba does with v = 0 and no gravity, for one right side
 * after another. O(n) per vector, and no M. minv_lanes.c takes four right sides at a time. */
#include "aba.h"
#include "lanes.h"

static po_status minv_factor_plain(po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i, good = 1;
  po_tree_place(data, s->place_b, q, 1);
  po_aba_note_base(data, q);
  s->factors_in_lanes = 0;
  for (i = 1; i <= t->n; i++) {
    po_vec3 h;
    po_aba_own_inertia(&s->art[i], &t->node[i], &s->place_b[i], &h);
    s->reach[i].ang = s->place_b[i].r;
    s->reach[i].lin = s->place_b[i].o;
  }
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    good &= po_aba_eliminate(&s->art[i], s, n, &s->place_b[i], data->added);
    if (n->parent) po_aba_shift_add(&s->art[n->parent], &s->art[i], s->place_b[i].r);
  }
  return good ? PO_OK : PO_ERR_SINGULAR;
}

po_status po_minv_factor(po_data *data, const double *q) {
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) return po_minv_factor_lanes(data, q);
#endif
  return minv_factor_plain(data, q);
}

void po_minv_ready(const po_data *data) {
#if defined(__x86_64__)
  if (po_tree_scratch(data)->factors_in_lanes) po_aba_lanes_export(data);
#endif
  (void)data;
}

/* x holds u on entry and qdd on return. */
static void minv_outward(double *x, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  po_node_course *m = s->motion_b;
  int i;
  m[0].al = m[0].a = po_v3(0, 0, 0);
  for (i = 1; i <= t->n; i++) {
    const po_node_course *p = &m[t->node[i].parent];
    m[i].al = p->al;
    m[i].a = po_v3_add(p->a, po_v3_cross(p->al, s->reach[i].ang));
    po_aba_down(x, &m[i].al, &m[i].a, s, &t->node[i]);
  }
}

static void minv_mul_row(double *x, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  static const po_wrench nothing;
  int i;
  for (i = 0; i <= t->n; i++) s->force[i] = nothing;
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_aba_up(x, &s->force[i], s, n);
    if (n->parent) po_wrench_shift_add(&s->force[n->parent], &s->force[i], s->reach[i].ang);
  }
  minv_outward(x, data);
}

void po_minv_mul(po_mat X, const po_data *data) {
  int row = 0;
  po_minv_ready(data);
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2)
    for (; row + 1 < X.rows; row += 4) po_minv_mul_lanes(po_block(X, row, 0, X.rows - row < 4 ? X.rows - row : 4, X.cols), data);
#endif
  for (; row < X.rows; row++) minv_mul_row(po_row(X, row), data);
}

void po_minv_force(double *out, const po_data *data, int body, po_vec3 point_world, po_vec3 force_world) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  po_vec3 force = po_unrot(&s->base_R, force_world), arm;
  po_wrench p;
  int i = body < 0 ? 0 : t->body_node[body], k;
  po_minv_ready(data);
  arm = po_v3_sub(po_unrot(&s->base_R, po_v3_sub(point_world, s->base_o)), s->reach[i].lin);
  p.n = po_v3_neg(po_v3_cross(arm, force));
  p.f = po_v3_neg(force);
  for (k = 0; k < data->model->nv; k++) out[k] = 0;
  for (; i > 0; i = t->node[i].parent) { /* only the way to the root feels it */
    po_aba_up(out, &p, s, &t->node[i]);
    p.n = po_v3_add(p.n, po_v3_cross(s->reach[i].ang, p.f));
  }
  minv_outward(out, data);
}
