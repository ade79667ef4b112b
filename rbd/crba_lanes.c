/* crba_lanes.c: po_crba four nodes at a time (lanes.h); equations as in crba.c. */
#include "lanes.h"

#if defined(__x86_64__)

enum { CRBA_STRIDE = PO_STRIDE(po_lane_composite) };

/* Ten parameters about the parents' origins, added to theirs. */
PO_LANE_INLINE void crba_lanes_up(po_lane_composite *all, const po_lane_group *g, po_l3 h, po_ls3 I, po_l3 r) {
  po_v4 m = po_l_load(g->below), half = po_l_all(0.5);
  po_l3 hr = po_l3_addscaled(h, m, r), k = po_l3_addscaled(h, po_l_mul(half, m), r);
  po_v4 x = po_l_mul(k.x, r.x), y = po_l_mul(k.y, r.y), z = po_l_mul(k.z, r.z);
  double *to = all->I[0];
  x = po_l_add(x, x);
  y = po_l_add(y, y);
  z = po_l_add(z, z);
  po_l_add_up(to, CRBA_STRIDE, g, po_l_add(I.xx, po_l_add(y, z)));
  po_l_add_up(to + 4, CRBA_STRIDE, g, po_l_fnma(k.y, r.x, po_l_fnma(k.x, r.y, I.xy)));
  po_l_add_up(to + 8, CRBA_STRIDE, g, po_l_fnma(k.z, r.x, po_l_fnma(k.x, r.z, I.xz)));
  po_l_add_up(to + 12, CRBA_STRIDE, g, po_l_add(I.yy, po_l_add(x, z)));
  po_l_add_up(to + 16, CRBA_STRIDE, g, po_l_fnma(k.z, r.y, po_l_fnma(k.y, r.z, I.yz)));
  po_l_add_up(to + 20, CRBA_STRIDE, g, po_l_add(I.zz, po_l_add(x, y)));
  po_l3_add_up(all->h[0], CRBA_STRIDE, g, hr);
}

/* One step of a group: column, unit motion, diagonal, and the column in the root's axes. */
PO_LANE_INLINE void crba_lanes_step(po_scratch *s, const po_lane_group *g, const po_lane_place *x, int k, po_l3 h, po_ls3 I,
                                    po_screw *column, po_screw *screw, po_screw *base, const po_lane_place *root) {
  const double *R = x->R[2 - k % 3];
  po_l3 e = po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24)), o = po_l3_load(x->o[0]);
  po_l3 n = po_ls3_mul(I, e), f = po_l3_cross(e, h), w = e, lin = po_l3_cross(o, e);
  po_v4 own = po_l_add(po_l3_dot(e, n), po_l_load(g->rotor[k]));
  if (!g->revolute) {
    po_v4 t = po_l_load(g->turns[k]), d = po_l_load(g->slides[k]), m = po_l_load(g->below);
    n = po_l3_sub(po_l3_scale(t, n), po_l3_scale(d, f));
    f = po_l3_addscaled(po_l3_scale(t, f), po_l_mul(d, m), e);
    w = po_l3_scale(t, e);
    lin = po_l3_addscaled(po_l3_scale(t, lin), d, e);
    own = po_l_add(po_l_fma(t, po_l3_dot(e, n), po_l_mul(d, m)), po_l_load(g->rotor[k]));
  }
  n = po_l3_addcross(n, o, f);
  po_lanes_rows(column, g->out[k], n, f);
  if (screw) po_lanes_rows(screw, g->out[k], w, lin);
  po_l_scatter(s->diagonal, g->out[k], own);
  if (base) {
    po_l33 R0 = po_l33_load(root->R[0]);
    po_lanes_rows(base, g->out[k], po_l33_tmul(R0, n), po_l33_tmul(R0, f));
  }
}

PO_LANE po_composite po_lanes_columns(po_data *data, const po_lane_place *place, po_screw *column, po_screw *screw,
                                      po_screw *base) {
  const struct po_lane_plan *plan = data->model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  po_lane_composite *c = s->lane_composite;
  po_composite root;
  int i, k;
  for (i = 0; i < 3; i++) po_l_store(c->h[i], _mm256_setzero_pd());
  for (i = 0; i < 6; i++) po_l_store(c->I[i], _mm256_setzero_pd());
  for (i = plan->groups - 1; i >= 1; i--) {
    const po_lane_group *g = &plan->group[i];
    po_l3 h = po_l3_load(c[i].h[0]);
    po_ls3 I = po_ls3_load(c[i].I[0]);
    if (g->revolute) crba_lanes_step(s, g, &place[i], 0, h, I, column, screw, base, place);
    else
      for (k = 0; k < g->steps; k++) crba_lanes_step(s, g, &place[i], k, h, I, column, screw, base, place);
    crba_lanes_up(c, g, h, I, po_l3_load(place[i].r[0]));
  }
  root.m = data->model->total_mass;
  root.h = po_v3(po_l_sum(po_l_load(c->h[0])), po_l_sum(po_l_load(c->h[1])), po_l_sum(po_l_load(c->h[2])));
  root.I.xx = po_l_sum(po_l_load(c->I[0]));
  root.I.xy = po_l_sum(po_l_load(c->I[1]));
  root.I.xz = po_l_sum(po_l_load(c->I[2]));
  root.I.yy = po_l_sum(po_l_load(c->I[3]));
  root.I.yz = po_l_sum(po_l_load(c->I[4]));
  root.I.zz = po_l_sum(po_l_load(c->I[5]));
  return root;
}

/* The floating base's own block: [I h~; −h~ m], in its own axes. All is written: M need not be zero before. */
static void crba_lanes_base(po_mat M, const po_composite *c) {
  double *r0 = po_row(M, 0), *r1 = po_row(M, 1), *r2 = po_row(M, 2), *r3 = po_row(M, 3), *r4 = po_row(M, 4), *r5 = po_row(M, 5);
  r0[0] = c->I.xx, r0[1] = r1[0] = c->I.xy, r0[2] = r2[0] = c->I.xz;
  r1[1] = c->I.yy, r1[2] = r2[1] = c->I.yz, r2[2] = c->I.zz;
  r0[3] = r3[0] = r1[4] = r4[1] = r2[5] = r5[2] = 0;
  r0[4] = r4[0] = -c->h.z, r0[5] = r5[0] = c->h.y;
  r1[3] = r3[1] = c->h.z, r1[5] = r5[1] = -c->h.x;
  r2[3] = r3[2] = -c->h.y, r2[4] = r4[2] = c->h.x;
  r3[3] = r4[4] = r5[5] = c->m;
  r3[4] = r4[3] = r3[5] = r5[3] = r4[5] = r5[4] = 0;
}

PO_LANE_INLINE po_v4 crba_lanes_product(po_v4 c0, po_v4 c1, const po_screw *screw) {
  const double *x = &screw->ang.x;
  return po_l_fma(c1, po_l_load(x + 4), po_l_mul(c0, po_l_load(x)));
}

/* Row i of M between `first` and the diagonal, and the column that mirrors it: two 6-dots at a time, since what costs is adding up. */
PO_LANE_INLINE void crba_lanes_row(po_mat M, const po_model *model, int i, int first, const po_screw *column,
                                   const po_screw *screw) {
  const double *c = &column[i].ang.x;
  po_v4 c0 = po_l_load(c), c1 = po_l_load(c + 4);
  double *row = po_row(M, i), *mirror = M.a + i;
  const int *parent = model->dof_parent;
  size_t ld = (size_t)M.ld;
  int j = parent[i];
  while (j >= first) {
    int k = parent[j];
    po_v4 a = crba_lanes_product(c0, c1, &screw[j]), b = crba_lanes_product(c0, c1, &screw[k >= first ? k : j]),
          s = _mm256_hadd_pd(a, b);
    __m128d m = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
    _mm_storel_pd(row + j, m);
    _mm_storel_pd(mirror + (size_t)j * ld, m);
    if (k < first) break;
    _mm_storeh_pd(row + k, m);
    _mm_storeh_pd(mirror + (size_t)k * ld, m);
    j = parent[k];
  }
}

PO_LANE void po_lanes_fill(po_mat M, const po_data *data, const po_screw *column, const po_screw *screw, const po_screw *base,
                           const po_composite *root) {
  const po_model *model = data->model;
  const po_scratch *s = po_tree_scratch(data);
  int i, j, first = model->floating ? 6 : 0;
  if (model->floating) crba_lanes_base(M, root);
  for (i = first; i < model->nv; i++) {
    double *row = po_row(M, i);
    for (j = first; j + 4 <= model->nv; j += 4) _mm256_storeu_pd(row + j, _mm256_setzero_pd()); /* what is related comes later */
    for (; j < model->nv; j++) row[j] = 0;
    if (first) { /* the base's unit motions are the axes themselves */
      const double *b = &base[i].ang.x;
      double *up = M.a + i;
      _mm256_storeu_pd(row, po_l_load(b));
      _mm_storeu_pd(row + 4, _mm_load_pd(b + 4));
      up[0] = b[0];
      up[(size_t)M.ld] = b[1];
      up[2 * (size_t)M.ld] = b[2];
      up[3 * (size_t)M.ld] = b[3];
      up[4 * (size_t)M.ld] = b[4];
      up[5 * (size_t)M.ld] = b[5];
    }
    row[i] = s->diagonal[i];
    crba_lanes_row(M, model, i, first, column, screw);
  }
}

PO_LANE void po_crba_lanes(po_mat M, po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_mat3 one = po_m3_identity();
  po_composite root;
  int i;
  po_tree_sincos(data, q);
  po_lanes_place_root(s->lane_place_b, &one);
  for (i = 1; i < t->lanes->groups; i++) {
    po_lanes_place(data, s->lane_place_b, i, q);
    po_lanes_inertia(&s->lane_composite[i], &t->lanes->group[i], &s->lane_place_b[i]);
  }
  root = po_lanes_columns(data, s->lane_place_b, s->column, s->screw_b, NULL);
  if (data->model->floating) { /* places are in base axes, so its own inertia needs no turning */
    const po_node *n = &t->node[1];
    root.h = po_v3_add(root.h, n->h);
    root.I = po_s3_add(root.I, n->I);
  }
  po_lanes_fill(M, data, s->column, s->screw_b, s->column, &root);
}
#endif
