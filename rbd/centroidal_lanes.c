/* centroidal_lanes.c: po_centroidal and po_all_terms four nodes at a time (lanes.h); equations as in centroidal.c. */
#include "lanes.h"

#if defined(__x86_64__)

enum { CEN_STRIDE = PO_STRIDE(po_lane_link) };

/* Own inertias in world axes, and the wrench that each node takes at qdd = 0 without gravity. */
PO_LANE_INLINE void cen_lanes_own(po_scratch *s, int i, const po_lane_group *g) {
  const po_lane_motion *m = &s->lane_motion[i];
  po_lane_composite *c = &s->lane_composite[i];
  po_l3 w = po_l3_load(m->w[0]), al = po_l3_load(m->al[0]), a = po_l3_load(m->a[0]), h;
  po_ls3 I;
  po_lanes_inertia(c, g, &s->lane_place[i]);
  h = po_l3_load(c->h[0]);
  I = po_ls3_load(c->I[0]);
  po_l3_store(s->lane_link[i].n[0], po_l3_addcross(po_l3_addcross(po_ls3_mul(I, al), w, po_ls3_mul(I, w)), h, a));
  po_l3_store(s->lane_link[i].f[0], po_l3_addswing(po_l3_scale(po_l_load(g->m), a), w, al, h));
}

/* The floating base's own share of composite and wrench, world axes. */
static void cen_lanes_base(const po_data *data, po_composite *c, po_wrench *f) {
  const po_node *n = &data->model->fast->node[1];
  po_vec6 v = data->vel[0];
  po_node_course m;
  po_place x;
  if (!data->model->floating) return;
  x.R = data->pose[0].R;
  m.w = po_rot(&x.R, v.ang);
  m.al = po_v3(0, 0, 0);
  m.a = po_v3_cross(m.w, po_rot(&x.R, v.lin));
  c->h = po_v3_add(c->h, po_rot(&x.R, n->h));
  c->I = po_s3_add(c->I, po_s3_rotate(&x.R, n->I));
  if (f) {
    po_wrench own = po_node_wrench(n, &x, &m);
    f->n = po_v3_add(f->n, own.n);
    f->f = po_v3_add(f->f, own.f);
  }
}

/* Columns of the base itself: composite times unit motion. */
static void cen_lanes_base_columns(const po_data *data, po_screw *column, const po_composite *c) {
  int k;
  for (k = 0; data->model->floating && k < 3; k++) {
    po_vec3 e = po_m3_col(data->pose[0].R, k);
    column[k].ang = po_s3_mul_v(c->I, e);
    column[k].lin = po_v3_cross(e, c->h);
    column[3 + k].ang = po_v3_cross(c->h, e);
    column[3 + k].lin = po_v3_scale(c->m, e);
  }
}

/* cmm and Jcom from the columns, four freedoms at a time; rows of columns beyond nv are zero, as the padding must be. */
PO_LANE static void cen_lanes_matrix(po_data *data, const po_screw *column, po_vec3 com) {
  po_v4 k = po_l_all(data->model->total_mass > 0 ? 1 / data->model->total_mass : 0);
  po_l3 c = po_l3_all(com);
  double *cmm = data->cmm.a, *J = data->Jcom.a;
  size_t ld = (size_t)data->cmm.ld, lj = (size_t)data->Jcom.ld;
  int j;
  for (j = 0; j < data->model->nv; j += 4) {
    const double *r0 = &column[j].ang.x, *r1 = r0 + 8, *r2 = r0 + 16, *r3 = r0 + 24;
    po_v4 a = po_l_load(r0), b = po_l_load(r1), d = po_l_load(r2), e = po_l_load(r3);
    po_v4 y = po_l_load(r0 + 4), z = po_l_load(r1 + 4), s = po_l_load(r2 + 4), t = po_l_load(r3 + 4);
    po_l3 n, f;
    po_l_transpose(&a, &b, &d, &e);
    po_l_transpose(&y, &z, &s, &t);
    f = po_l3_of(e, y, z);
    n = po_l3_sub(po_l3_of(a, b, d), po_l3_cross(c, f));
    po_l_store(cmm + j, n.x);
    po_l_store(cmm + ld + j, n.y);
    po_l_store(cmm + 2 * ld + j, n.z);
    po_l_store(cmm + 3 * ld + j, f.x);
    po_l_store(cmm + 4 * ld + j, f.y);
    po_l_store(cmm + 5 * ld + j, f.z);
    po_l_store(J + j, po_l_mul(k, f.x));
    po_l_store(J + lj + j, po_l_mul(k, f.y));
    po_l_store(J + 2 * lj + j, po_l_mul(k, f.z));
  }
}

/* COM, momentum and drifts, from the whole's composite and the sum of all wrenches at the tree's origin. */
static void cen_lanes_totals(po_data *data, const po_composite *all, const po_wrench *drift, const double *v) {
  double k = data->model->total_mass > 0 ? 1 / data->model->total_mass : 0;
  po_vec3 c = po_v3_scale(k, all->h);
  data->com = po_v3_add(po_tree_scratch(data)->origin, c);
  cen_lanes_matrix(data, po_tree_scratch(data)->column, c);
  po_gemv(data->momentum, data->cmm, v);
  data->com_velocity = po_v3_scale(k, po_v3_of(data->momentum + 3));
  data->com_drift = po_v3_scale(k, drift->f);
  po_v3_to(data->momentum_drift, po_v3_sub(drift->n, po_v3_cross(c, drift->f)));
  po_v3_to(data->momentum_drift + 3, drift->f);
}

PO_LANE_INLINE po_vec3 cen_lanes_sum3(const double *x) {
  return po_v3(po_l_sum(po_l_load(x)), po_l_sum(po_l_load(x + 4)), po_l_sum(po_l_load(x + 8)));
}

PO_LANE void po_centroidal_lanes(po_data *data) {
  const struct po_lane_plan *plan = data->model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  po_lane_link *total = &s->lane_link[0];
  po_l3 N = po_l3_zero(), F = N;
  po_wrench drift;
  po_composite all;
  int i;
  for (i = 1; i < plan->groups; i++) {
    po_l3 f;
    cen_lanes_own(s, i, &plan->group[i]);
    f = po_l3_load(s->lane_link[i].f[0]);
    F = po_l3_add(F, f);
    N = po_l3_addcross(po_l3_add(N, po_l3_load(s->lane_link[i].n[0])), po_l3_load(s->lane_place[i].o[0]), f);
  }
  po_l3_store(total->n[0], N);
  po_l3_store(total->f[0], F);
  drift.n = cen_lanes_sum3(total->n[0]);
  drift.f = cen_lanes_sum3(total->f[0]);
  all = po_lanes_columns(data, s->lane_place, s->column, NULL, NULL);
  cen_lanes_base(data, &all, &drift);
  cen_lanes_base_columns(data, s->column, &all);
  cen_lanes_totals(data, &all, &drift, s->rates);
}

/* Wrenches to the parents, and their parts along the freedoms. */
PO_LANE_INLINE void cen_lanes_bias(double *h, po_scratch *s, int i, const po_lane_group *g) {
  const po_lane_place *x = &s->lane_place[i];
  po_l3 n = po_l3_load(s->lane_link[i].n[0]), f = po_l3_load(s->lane_link[i].f[0]);
  int k;
  for (k = 0; k < g->steps; k++) {
    const double *R = x->R[2 - k % 3];
    po_l3 e = po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24));
    po_v4 t = po_l3_dot(e, n);
    if (!g->revolute) t = po_l_fma(po_l_load(g->turns[k]), t, po_l_mul(po_l_load(g->slides[k]), po_l3_dot(e, f)));
    po_l_scatter(h, g->out[k], t);
  }
  po_l3_add_up(s->lane_link->n[0], CEN_STRIDE, g, po_l3_addcross(n, po_l3_load(x->r[0]), f));
  po_l3_add_up(s->lane_link->f[0], CEN_STRIDE, g, f);
}

PO_LANE void po_all_terms_lanes(po_data *data) {
  const po_model *model = data->model;
  const struct po_lane_plan *plan = model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  po_lane_link *total = &s->lane_link[0];
  const po_mat3 *R = &data->pose[0].R;
  po_wrench drift;
  po_composite all, base;
  int i;
  po_l3_store(total->n[0], po_l3_zero());
  po_l3_store(total->f[0], po_l3_zero());
  for (i = 1; i < plan->groups; i++) cen_lanes_own(s, i, &plan->group[i]);
  for (i = plan->groups - 1; i >= 1; i--) cen_lanes_bias(s->work, s, i, &plan->group[i]);
  drift.n = cen_lanes_sum3(total->n[0]);
  drift.f = cen_lanes_sum3(total->f[0]);
  all = po_lanes_columns(data, s->lane_place, s->column, NULL, model->floating ? s->base_rows : NULL);
  cen_lanes_base(data, &all, &drift);
  cen_lanes_base_columns(data, s->column, &all);
  base = all;
  if (model->floating) {
    po_mat3 T = po_m3_t(*R);
    base.h = po_unrot(R, all.h);
    base.I = po_s3_rotate(&T, all.I);
    po_v3_to(s->work, po_unrot(R, drift.n));
    po_v3_to(s->work + 3, po_unrot(R, drift.f));
  }
  po_lanes_fill(data->M, data, s->column, s->screw, s->base_rows, &base);
  cen_lanes_totals(data, &all, &drift, s->rates);
  for (i = 0; i < model->nv; i++) data->h[i] = s->work[i] - po_v3_dot(s->column[i].lin, data->gravity);
}
#endif
