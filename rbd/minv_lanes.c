/* minv_lanes.c: M^-1 times four vectors at a time: one right side in each lane, the factors the same for all. */
#include "aba.h"
#include "lanes.h"

#if defined(__x86_64__)

/* Column d of up to four rows. */
PO_LANE_INLINE po_v4 minv_lanes_get(po_mat X, int d) {
  const double *x = X.a + d;
  size_t ld = (size_t)X.ld, last = (size_t)(X.rows - 1) * ld;
  return _mm256_set_pd(x[X.rows > 3 ? 3 * ld : last], x[X.rows > 2 ? 2 * ld : last], x[X.rows > 1 ? ld : 0], x[0]);
}

PO_LANE_INLINE void minv_lanes_up(po_v4 *u, po_l3 *pn, po_l3 *pf, const po_scratch *s, const po_node *n, po_mat X) {
  int k;
  for (k = 0; k < n->nv; k++) {
    int d = po_node_step(n, k);
    const po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
    po_v4 t = po_l_sub(minv_lanes_get(X, d), po_l3_dot(po_l3_all(S->ang), po_node_slides(n, k) ? *pf : *pn));
    po_v4 e = po_l_mul(po_l_all(S->lin.x), t);
    po_l_store((double *)&u[d], t);
    *pn = po_l3_addscaled(*pn, e, po_l3_all(U->ang));
    *pf = po_l3_addscaled(*pf, e, po_l3_all(U->lin));
  }
}

PO_LANE_INLINE void minv_lanes_down(po_v4 *u, po_l3 *al, po_l3 *a, const po_scratch *s, const po_node *n, po_mat X) {
  int k, r;
  for (k = n->nv - 1; k >= 0; k--) {
    int d = po_node_step(n, k);
    const po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
    po_v4 t = po_l_sub(po_l_load((double *)&u[d]), po_l_add(po_l3_dot(po_l3_all(U->ang), *al), po_l3_dot(po_l3_all(U->lin), *a)));
    double out[4];
    t = po_l_mul(po_l_all(S->lin.x), t);
    if (po_node_slides(n, k)) *a = po_l3_addscaled(*a, t, po_l3_all(S->ang));
    else *al = po_l3_addscaled(*al, t, po_l3_all(S->ang));
    _mm256_storeu_pd(out, t);
    for (r = 0; r < X.rows; r++) PO_AT(X, r, d) = out[r];
  }
}

PO_LANE void po_minv_mul_lanes(po_mat X, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  double(*w)[6][4] = s->four; /* wrenches on the way in, accelerations on the way out */
  po_v4 *u = (po_v4 *)s->four_u;
  int i, k;
  for (i = 0; i <= t->n; i++)
    for (k = 0; k < 6; k++) po_l_store(w[i][k], _mm256_setzero_pd());
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_l3 pn = po_l3_load(w[i][0]), pf = po_l3_load(w[i][3]);
    double(*up)[4] = w[n->parent];
    minv_lanes_up(u, &pn, &pf, s, n, X);
    po_l3_store(up[0], po_l3_add(po_l3_load(up[0]), po_l3_addcross(pn, po_l3_all(s->reach[i].ang), pf)));
    po_l3_store(up[3], po_l3_add(po_l3_load(up[3]), pf));
  }
  for (k = 0; k < 6; k++) po_l_store(w[0][k], _mm256_setzero_pd());
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    double(*up)[4] = w[n->parent];
    po_l3 al = po_l3_load(up[0]), a = po_l3_addcross(po_l3_load(up[3]), al, po_l3_all(s->reach[i].ang));
    minv_lanes_down(u, &al, &a, s, n, X);
    po_l3_store(w[i][0], al);
    po_l3_store(w[i][3], a);
  }
}
#endif
