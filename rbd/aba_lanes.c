/* aba_lanes.c: po_aba and po_minv_factor four nodes at a time (lanes.h); equations as in aba.c. The floating base, which stands alone,
 * is done by the plain code. */
#include "aba.h"
#include "lanes.h"
#include <string.h>

#if defined(__x86_64__)

enum { ABA_STRIDE = PO_STRIDE(po_lane_articulated) };

typedef struct aba_lanes_inertia {
  po_ls3 I, M;
  po_l33 H;
} aba_lanes_inertia;

/* ---- root to leaf: place and own inertia; with v also velocity, c and bias wrench ---- */

PO_LANE_INLINE void aba_lanes_own(po_data *data, int index, const double *q, const double *v) {
  po_scratch *s = po_tree_scratch(data);
  const po_lane_group *g = &data->model->fast->lanes->group[index];
  po_lane_place *x = &s->lane_place_b[index];
  po_lane_motion *all = s->lane_motion_b, *m = &all[index];
  po_lane_articulated *A = &s->lane_art[index];
  po_v4 zero = _mm256_setzero_pd(), mass = po_l_load(g->m);
  po_l33 R;
  po_l3 h, w, wp, cal, ca, r;
  po_ls3 I;
  po_lanes_place(data, s->lane_place_b, index, q);
  R = po_l33_load(x->R[0]);
  h = po_l33_mul(R, po_l3_load(g->h[0]));
  I = po_ls3_rotate(R, po_ls3_load(g->I[0]));
  po_ls3_store(A->I[0], I);
  po_l33_store(A->H[0], po_l33_of(po_l3_of(zero, po_l_sub(zero, h.z), h.y), po_l3_of(h.z, zero, po_l_sub(zero, h.x)),
                                  po_l3_of(po_l_sub(zero, h.y), h.x, zero)));
  po_l3_store(A->M[0], po_l3_of(mass, zero, zero));
  po_l3_store(A->M[3], po_l3_of(mass, zero, mass));
  if (!v) return;
  wp = po_l3_up(all->w[0], PO_STRIDE(po_lane_motion), g);
  r = po_l3_load(x->r[0]);
  if (g->revolute) {
    po_l3 zq = po_l3_scale(po_l_gather(v, g->v[0]), po_l33_col(R, 2));
    w = po_l3_add(wp, zq);
    cal = po_l3_cross(wp, zq);
    ca = po_l3_cross(wp, po_l3_cross(wp, r));
  } else {
    po_l3 turn, slide;
    po_lanes_rates(&turn, &slide, g, v);
    turn = po_l33_mul(R, turn);
    slide = po_l33_mul(R, slide);
    w = po_l3_add(wp, turn);
    cal = po_l3_cross(wp, turn);
    ca = po_l3_addcross(po_l3_cross(po_l3_addscaled(turn, po_l_all(2), wp), slide), wp, po_l3_cross(wp, r));
  }
  po_l3_store(m->w[0], w);
  po_l3_store(A->c[0], cal);
  po_l3_store(A->c[3], ca);
  po_l3_store(A->p[0], po_l3_cross(w, po_ls3_mul(I, w)));
  po_l3_store(A->p[3], po_l3_cross(w, po_l3_cross(w, h)));
}

/* ---- leaf to root ---- */

PO_LANE_INLINE po_ls3 aba_lanes_rank1(po_ls3 A, po_v4 k, po_l3 a) {
  po_l3 b = po_l3_scale(k, a);
  A.xx = po_l_fnma(a.x, b.x, A.xx);
  A.xy = po_l_fnma(a.x, b.y, A.xy);
  A.xz = po_l_fnma(a.x, b.z, A.xz);
  A.yy = po_l_fnma(a.y, b.y, A.yy);
  A.yz = po_l_fnma(a.y, b.z, A.yz);
  A.zz = po_l_fnma(a.z, b.z, A.zz);
  return A;
}

/* U, D and what is left of IA, for one step; e the axis. */
PO_LANE_INLINE void aba_lanes_step(aba_lanes_inertia *J, po_lane_articulated *A, const po_lane_group *g, int k, po_l3 e,
                                   const double *added, int *good) {
  po_l3 Un, Uf, c;
  po_v4 D, inverse;
  if (g->revolute) {
    Un = po_ls3_mul(J->I, e);
    Uf = po_l33_tmul(J->H, e);
    D = po_l3_dot(e, Un);
  } else {
    po_l3 t = po_l3_scale(po_l_load(g->turns[k]), e), d = po_l3_scale(po_l_load(g->slides[k]), e);
    Un = po_l3_add(po_ls3_mul(J->I, t), po_l33_mul(J->H, d));
    Uf = po_l3_add(po_l33_tmul(J->H, t), po_ls3_mul(J->M, d));
    D = po_l_add(po_l3_dot(t, Un), po_l3_dot(d, Uf));
  }
  D = po_l_add(D, po_l_load(g->rotor[k]));
  if (added) D = po_l_add(D, po_l_mul(po_l_load(g->damps[k]), po_l_gather(added, g->v[k])));
  inverse = _mm256_div_pd(po_l_all(1), D);
  *good &= _mm256_movemask_pd(_mm256_cmp_pd(D, _mm256_setzero_pd(), _CMP_GT_OQ)) == 15;
  po_l3_store(A->U[k][0], Un);
  po_l3_store(A->U[k][3], Uf);
  po_l_store(A->Dinv[k], inverse);
  J->I = aba_lanes_rank1(J->I, inverse, Un);
  J->M = aba_lanes_rank1(J->M, inverse, Uf);
  c = po_l3_scale(inverse, Un);
  J->H = po_l33_of(po_l3_of(po_l_fnma(c.x, Uf.x, J->H.m[0]), po_l_fnma(c.x, Uf.y, J->H.m[1]), po_l_fnma(c.x, Uf.z, J->H.m[2])),
                   po_l3_of(po_l_fnma(c.y, Uf.x, J->H.m[3]), po_l_fnma(c.y, Uf.y, J->H.m[4]), po_l_fnma(c.y, Uf.z, J->H.m[5])),
                   po_l3_of(po_l_fnma(c.z, Uf.x, J->H.m[6]), po_l_fnma(c.z, Uf.y, J->H.m[7]), po_l_fnma(c.z, Uf.z, J->H.m[8])));
}

/* One row of K = r~ M, of H + K and of −(H + K/2) r~; row = r_a (row c of M) − r_b (row d of M). */
PO_LANE_INLINE void aba_lanes_row(po_l3 *H, po_l3 *B, po_l3 h, po_v4 ra, po_l3 ma, po_v4 rb, po_l3 mb, po_l3 r) {
  po_v4 half = po_l_all(0.5);
  po_l3 k = po_l3_of(po_l_fms(ra, ma.x, po_l_mul(rb, mb.x)), po_l_fms(ra, ma.y, po_l_mul(rb, mb.y)),
                     po_l_fms(ra, ma.z, po_l_mul(rb, mb.z)));
  *B = po_l3_cross(r, po_l3_addscaled(h, half, k));
  *H = po_l3_add(h, k);
}

PO_LANE_INLINE void aba_lanes_shift(po_lane_articulated *all, const po_lane_group *g, const aba_lanes_inertia *J, po_l3 r) {
  po_l3 m0 = po_l3_of(J->M.xx, J->M.xy, J->M.xz), m1 = po_l3_of(J->M.xy, J->M.yy, J->M.yz),
        m2 = po_l3_of(J->M.xz, J->M.yz, J->M.zz);
  po_l3 h0, h1, h2, b0, b1, b2;
  double *to;
  aba_lanes_row(&h0, &b0, po_l33_row(J->H, 0), r.y, m2, r.z, m1, r);
  aba_lanes_row(&h1, &b1, po_l33_row(J->H, 1), r.z, m0, r.x, m2, r);
  aba_lanes_row(&h2, &b2, po_l33_row(J->H, 2), r.x, m1, r.y, m0, r);
  to = all->H[0];
  po_l3_add_up(to, ABA_STRIDE, g, h0);
  po_l3_add_up(to + 12, ABA_STRIDE, g, h1);
  po_l3_add_up(to + 24, ABA_STRIDE, g, h2);
  to = all->M[0];
  po_l3_add_up(to, ABA_STRIDE, g, m0);
  po_l3_add_up(to + 12, ABA_STRIDE, g, po_l3_of(J->M.yy, J->M.yz, J->M.zz));
  to = all->I[0];
  po_l3_add_up(to, ABA_STRIDE, g,
               po_l3_of(po_l_add(J->I.xx, po_l_add(b0.x, b0.x)), po_l_add(J->I.xy, po_l_add(b0.y, b1.x)),
                        po_l_add(J->I.xz, po_l_add(b0.z, b2.x))));
  po_l3_add_up(to + 12, ABA_STRIDE, g,
               po_l3_of(po_l_add(J->I.yy, po_l_add(b1.y, b1.y)), po_l_add(J->I.yz, po_l_add(b1.z, b2.y)),
                        po_l_add(J->I.zz, po_l_add(b2.z, b2.z))));
}

/* tau NULL: only the factors. */
PO_LANE_INLINE void aba_lanes_in(po_data *data, int index, const double *tau, int *good) {
  po_scratch *s = po_tree_scratch(data);
  const po_lane_group *g = &data->model->fast->lanes->group[index];
  const po_lane_place *x = &s->lane_place_b[index];
  po_lane_articulated *A = &s->lane_art[index];
  aba_lanes_inertia J;
  po_l3 n = po_l3_zero(), f = n, r = po_l3_load(x->r[0]);
  int k, steps = g->revolute ? 1 : g->steps;
  J.I = po_ls3_load(A->I[0]);
  J.H = po_l33_load(A->H[0]);
  J.M = po_ls3_load(A->M[0]);
  if (tau) { /* pA + IA c */
    po_l3 cal = po_l3_load(A->c[0]), ca = po_l3_load(A->c[3]);
    n = po_l3_add(po_l3_load(A->p[0]), po_l3_add(po_ls3_mul(J.I, cal), po_l33_mul(J.H, ca)));
    f = po_l3_add(po_l3_load(A->p[3]), po_l3_add(po_l33_tmul(J.H, cal), po_ls3_mul(J.M, ca)));
  }
  for (k = 0; k < steps; k++) {
    const double *R = x->R[2 - k % 3];
    po_l3 e = po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24));
    aba_lanes_step(&J, A, g, k, e, data->added, good);
    if (tau) {
      po_v4 u = po_l_gather(tau, g->v[k]), y;
      if (g->revolute) u = po_l_sub(u, po_l3_dot(e, n));
      else u = po_l_sub(u, po_l_fma(po_l_load(g->turns[k]), po_l3_dot(e, n), po_l_mul(po_l_load(g->slides[k]), po_l3_dot(e, f))));
      y = po_l_mul(po_l_load(A->Dinv[k]), u);
      n = po_l3_addscaled(n, y, po_l3_load(A->U[k][0]));
      f = po_l3_addscaled(f, y, po_l3_load(A->U[k][3]));
      po_l_store(A->u[k], u);
    }
  }
  aba_lanes_shift(s->lane_art, g, &J, r);
  if (tau) {
    po_l3_add_up(s->lane_art->p[0], ABA_STRIDE, g, po_l3_addcross(n, r, f));
    po_l3_add_up(s->lane_art->p[3], ABA_STRIDE, g, f);
  }
}

/* ---- root to leaf again ---- */

PO_LANE_INLINE void aba_lanes_out(po_data *data, int index) {
  po_scratch *s = po_tree_scratch(data);
  const po_lane_group *g = &data->model->fast->lanes->group[index];
  const po_lane_place *x = &s->lane_place_b[index];
  po_lane_articulated *A = &s->lane_art[index];
  po_lane_motion *all = s->lane_motion_b, *m = &all[index];
  po_l3 al = po_l3_up(all->al[0], PO_STRIDE(po_lane_motion), g);
  po_l3 a = po_l3_addcross(po_l3_up(all->a[0], PO_STRIDE(po_lane_motion), g), al, po_l3_load(x->r[0]));
  int k;
  for (k = (g->revolute ? 1 : g->steps) - 1; k >= 0; k--) {
    const double *R = x->R[2 - k % 3];
    po_l3 e = po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24));
    po_v4 dot = po_l_add(po_l3_dot(po_l3_load(A->U[k][0]), al), po_l3_dot(po_l3_load(A->U[k][3]), a));
    po_v4 qdd = po_l_mul(po_l_load(A->Dinv[k]), po_l_sub(po_l_load(A->u[k]), dot));
    po_l_scatter(s->work, g->out[k], qdd);
    if (g->revolute) {
      al = po_l3_addscaled(al, qdd, e);
    } else {
      al = po_l3_addscaled(al, po_l_mul(po_l_load(g->turns[k]), qdd), e);
      a = po_l3_addscaled(a, po_l_mul(po_l_load(g->slides[k]), qdd), e);
    }
  }
  po_l3_store(m->al[0], po_l3_add(al, po_l3_load(A->c[0])));
  po_l3_store(m->a[0], po_l3_add(a, po_l3_load(A->c[3])));
}

/* ---- the root ---- */

/* Sums of all lanes of group 0 and the floating base's own inertia. */
PO_LANE static void aba_lanes_root_inertia(po_data *data, po_articulated *A) {
  po_scratch *s = po_tree_scratch(data);
  po_lane_articulated *L = s->lane_art;
  double *I = &A->I.xx, *M = &A->M.xx;
  po_vec3 h;
  po_place one;
  int i;
  one.R = po_m3_identity();
  po_aba_own_inertia(A, &data->model->fast->node[1], &one, &h);
  for (i = 0; i < 6; i++) {
    I[i] += po_l_sum(po_l_load(L->I[i]));
    M[i] += po_l_sum(po_l_load(L->M[i]));
  }
  for (i = 0; i < 9; i++) A->H.m[i] += po_l_sum(po_l_load(L->H[i]));
}

/* Group 0 before the first pass: nothing added up yet, the base's velocity in all lanes. */
PO_LANE static void aba_lanes_begin(po_data *data, const double *q, const double *v) {
  po_scratch *s = po_tree_scratch(data);
  po_mat3 one = po_m3_identity();
  int i;
  po_tree_sincos(data, q);
  po_aba_note_base(data, q);
  po_lanes_place_root(s->lane_place_b, &one);
  memset(s->lane_art->I, 0, sizeof s->lane_art->I);
  memset(s->lane_art->H, 0, sizeof s->lane_art->H);
  memset(s->lane_art->M, 0, sizeof s->lane_art->M);
  memset(s->lane_art->p, 0, sizeof s->lane_art->p);
  for (i = 0; i < 3; i++) po_l_store(s->lane_motion_b->w[i], po_l_all(v && data->model->floating ? v[i] : 0));
  s->factors_in_lanes = 1;
}

/* Base in its own axes: eliminates its six freedoms from what all others have left, and solves for them. */
PO_LANE static int aba_lanes_root(po_data *data, const double *v, const double *tau, const po_vec6 *f_ext, po_vec3 gravity) {
  const po_model *model = data->model;
  const po_node *n = &model->fast->node[1];
  po_scratch *s = po_tree_scratch(data);
  po_vec3 al = po_v3(0, 0, 0), a = po_v3_neg(gravity);
  po_lane_motion *m = s->lane_motion_b;
  int good = 1, i;
  if (model->floating) {
    po_articulated A;
    po_wrench p;
    po_place one;
    po_vec3 w = po_v3_of(v), c = po_v3_cross(w, po_v3_of(v + 3));
    double sum[6];
    one.R = po_m3_identity();
    for (i = 0; i < 6; i++) sum[i] = po_l_sum(po_l_load(s->lane_art->p[i]));
    p.n = po_v3_add(po_v3_of(sum), po_v3_cross(w, po_s3_mul_v(n->I, w)));
    p.f = po_v3_add(po_v3_of(sum + 3), po_v3_cross(w, po_v3_cross(w, n->h)));
    if (f_ext) {
      p.n = po_v3_sub(p.n, f_ext[0].ang);
      p.f = po_v3_sub(p.f, f_ext[0].lin);
    }
    aba_lanes_root_inertia(data, &A);
    p.n = po_v3_add(p.n, po_rot(&A.H, c));
    p.f = po_v3_add(p.f, po_s3_mul_v(A.M, c));
    good = po_aba_eliminate(&A, s, n, &one, NULL);
    for (i = 0; i < 6; i++) s->work[i] = tau[i];
    po_aba_up(s->work, &p, s, n);
    po_aba_down(s->work, &al, &a, s, n);
    a = po_v3_add(a, c);
  }
  for (i = 0; i < 3; i++) {
    po_l_store(m->al[i], po_l_all((&al.x)[i]));
    po_l_store(m->a[i], po_l_all((&a.x)[i]));
  }
  return good;
}

static void aba_lanes_external(po_data *data, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int b, k, i;
  for (b = data->model->floating ? 1 : 0; b < data->model->nb; b++) {
    int slot = t->node[t->body_node[b]].slot, l = slot % 4;
    po_mat3 R;
    po_vec3 n, f;
    for (i = 0; i < 9; i++) R.m[i] = s->lane_place_b[slot / 4].R[i][l];
    n = po_rot(&R, po_unrot(&t->align[b], f_ext[b].ang));
    f = po_rot(&R, po_unrot(&t->align[b], f_ext[b].lin));
    for (k = 0; k < 3; k++) {
      s->lane_art[slot / 4].p[k][l] -= (&n.x)[k];
      s->lane_art[slot / 4].p[3 + k][l] -= (&f.x)[k];
    }
  }
}

PO_LANE po_status po_aba_lanes(double *qdd, po_data *data, const double *q, const double *v, const double *tau,
                               const po_vec6 *f_ext) {
  po_scratch *s = po_tree_scratch(data);
  int groups = data->model->fast->lanes->groups, i, good = 1;
  aba_lanes_begin(data, q, v);
  for (i = 1; i < groups; i++) aba_lanes_own(data, i, q, v);
  if (f_ext) aba_lanes_external(data, f_ext);
  for (i = groups - 1; i >= 1; i--) aba_lanes_in(data, i, tau, &good);
  if (!aba_lanes_root(data, v, tau, f_ext, po_unrot(&s->base_R, data->gravity)) || !good) return PO_ERR_SINGULAR;
  for (i = 1; i < groups; i++) aba_lanes_out(data, i);
  memcpy(qdd, s->work, sizeof(double) * (size_t)data->model->nv);
  return PO_OK;
}

PO_LANE po_status po_minv_factor_lanes(po_data *data, const double *q) {
  po_scratch *s = po_tree_scratch(data);
  int groups = data->model->fast->lanes->groups, i, good = 1;
  aba_lanes_begin(data, q, NULL);
  for (i = 1; i < groups; i++) aba_lanes_own(data, i, q, NULL);
  for (i = groups - 1; i >= 1; i--) aba_lanes_in(data, i, NULL, &good);
  if (data->model->floating) {
    po_articulated A;
    po_place one;
    one.R = po_m3_identity();
    aba_lanes_root_inertia(data, &A);
    good &= po_aba_eliminate(&A, s, &data->model->fast->node[1], &one, NULL);
  }
  return good ? PO_OK : PO_ERR_SINGULAR;
}

/* The factors node by node, as the plain code leaves them. Those of the base are there already. */
PO_LANE void po_aba_lanes_export(const po_data *data) {
  const struct po_lane_plan *plan = data->model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  po_v4 zero = _mm256_setzero_pd();
  int i, k;
  for (i = 1; i < plan->groups; i++) {
    const po_lane_group *g = &plan->group[i];
    const po_lane_place *x = &s->lane_place_b[i];
    const po_lane_articulated *A = &s->lane_art[i];
    po_lanes_rows(s->reach, g->node, po_l3_load(x->r[0]), po_l3_load(x->o[0]));
    for (k = 0; k < g->steps; k++) {
      const double *R = x->R[2 - k % 3];
      po_lanes_rows(s->factor_U, g->out[k], po_l3_load(A->U[k][0]), po_l3_load(A->U[k][3]));
      po_lanes_rows(s->factor_S, g->out[k], po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24)),
                    po_l3_of(po_l_load(A->Dinv[k]), zero, zero));
    }
  }
  s->reach[0].ang = s->reach[0].lin = po_v3(0, 0, 0);
  if (data->model->floating) s->reach[1] = s->reach[0];
  s->factors_in_lanes = 0;
}
#endif
