/* active_set_problem.c: a problem in the engine's scaled units, and answers back in the user's. */
#include "active_set.h"

#include <math.h>
#include <string.h>

void po_as_scaled_layout(po_arena *a, po_as_scaled *w, int n, int me, int mi) {
  po_as_layout(a, &w->e, n, me + mi);
  w->e.me = me;
  w->e.H = po_arena_mat(a, n, n);
  w->e.A = po_arena_mat(a, me, n);
  w->e.C = po_arena_mat(a, mi, n);
  w->sc.col = PO_ARENA_ARRAY(a, double, n);
  w->sc.row = PO_ARENA_ARRAY(a, double, me + mi);
  w->g = PO_ARENA_ARRAY(a, double, n);
  w->t1 = PO_ARENA_ARRAY(a, double, n);
  w->t2 = PO_ARENA_ARRAY(a, double, n);
}

void po_as_scaled_build(po_as_scaled *w) {
  po_as *e = &w->e;
  const po_qp *p = w->p;
  int i, j, n = e->n, m = e->m;
  for (i = 0; i < n; i++) {
    double d = w->sc.col[i];
    w->g[i] = p->g ? w->sc.cost * d * p->g[i] : 0;
    e->lo[m + i] = po_qp_lower(p->xl, i) / d;
    e->hi[m + i] = po_qp_upper(p->xu, i) / d;
    if (p->H.a)
      for (j = 0; j < n; j++) PO_AT(e->H, i, j) = w->sc.cost * d * w->sc.col[j] * PO_AT(p->H, i, j);
  }
  w->h_max = p->H.a ? po_norm_max(e->H) : 0;
  if (w->h_max == 0) e->H = po_mat_of(NULL, 0, 0, 0);
  for (i = 0; i < m; i++) {
    const double *from = i < p->me ? po_row(p->A, i) : po_row(p->C, i - p->me);
    double *to = i < p->me ? po_row(e->A, i) : po_row(e->C, i - p->me), r = w->sc.row[i], norm;
    for (j = 0; j < n; j++) to[j] = from[j] * r * w->sc.col[j];
    norm = po_norm2(to, n);
    e->norm[i] = norm > 0 ? 1 / norm : 1;
    e->lo[i] = i < p->me ? r * p->b[i] : r * po_qp_lower(p->cl, i - p->me);
    e->hi[i] = i < p->me ? r * p->b[i] : r * po_qp_upper(p->cu, i - p->me);
  }
}

int po_as_cholesky(po_as_scaled *w, double sigma, int *at) {
  po_as *e = &w->e;
  int i;
  if (e->H.a) po_mat_copy(e->L, e->H);
  else po_mat_zero(e->L);
  for (i = 0; i < e->n; i++) PO_AT(e->L, i, i) += sigma;
  e->sigma = sigma;
  return po_cholesky(e->L, at, e->L) == PO_OK;
}

/* With L the factor of the leading block before row k and h that row's left part, v = (−L^-T L^-1 h, 1, 0) has v'(H + σI)v = pivot <= 0. */
void po_as_export_nonconvex(po_as_scaled *w, int k) {
  po_as *e = &w->e;
  double *v = w->t1;
  po_mat lead = po_block(e->L, 0, 0, k, k);
  int i;
  memset(v, 0, sizeof *v * (size_t)e->n);
  for (i = 0; i < k; i++) v[i] = -PO_AT(e->H, k, i);
  po_trsv(v, lead, PO_LOWER, PO_N, PO_NON_UNIT);
  po_trsv(v, lead, PO_LOWER, PO_T, PO_NON_UNIT);
  v[k] = 1;
  for (i = 0; i < e->n; i++) w->s->ray[i] = v[i] * w->sc.col[i];
  w->s->has_ray = 1;
  w->s->status = PO_QP_NONCONVEX;
}

void po_as_export_multipliers(po_as_scaled *w, const double *u, double extra, int extra_k, int extra_side) {
  po_as *e = &w->e;
  po_qp_solver *s = w->s;
  int i, n = e->n, me = e->me, mi = e->m - e->me;
  memset(s->y, 0, sizeof(double) * (size_t)me);
  memset(s->z, 0, sizeof(double) * (size_t)mi);
  memset(s->w, 0, sizeof(double) * (size_t)n);
  for (i = 0; i <= e->q; i++) {
    int k = i < e->q ? e->work[i] : extra_k, side = i < e->q ? e->side[i] : extra_side;
    double f = i < e->q ? side * (i < e->equalities ? u[i] : po_max(u[i], 0)) : side * extra;
    if (k < 0) continue;
    if (k < me) s->y[k] = f * w->sc.row[k] / w->sc.cost;
    else if (k < e->m) s->z[k - me] = f * w->sc.row[k] / w->sc.cost;
    else s->w[k - e->m] = f / (w->sc.cost * w->sc.col[k - e->m]);
  }
}

void po_as_export(po_as_scaled *w, const double *u) {
  po_as *e = &w->e;
  po_qp_solver *s = w->s;
  const po_qp *p = w->p;
  int i, k, n = e->n, mi = e->m - e->me;
  double *t = w->t1;
  for (i = 0; i < n; i++) s->x[i] = e->x[i] * w->sc.col[i];
  po_as_export_multipliers(w, u, 0, -1, 0);
  for (k = 0; k < mi + n; k++) s->active[k] = (signed char)(e->lo[e->me + k] == e->hi[e->me + k] ? 2 : 0);
  for (i = 0; i < e->q; i++) {
    k = e->work[i];
    if (k >= e->m) s->x[k - e->m] = e->side[i] > 0 ? p->xl[k - e->m] : p->xu[k - e->m];
    if (k >= e->me && s->active[k - e->me] != 2) s->active[k - e->me] = (signed char)-e->side[i];
  }
  if (p->H.a) po_gemv(t, p->H, s->x);
  else memset(t, 0, sizeof *t * (size_t)n);
  if (p->me) po_gemv_t_add(t, -1, p->A, s->y);
  if (mi) po_gemv_t_add(t, -1, p->C, s->z);
  for (i = 0; i < n; i++) {
    double need = t[i] + (p->g ? p->g[i] : 0);
    int a = s->active[mi + i];
    if (a == 2 || (a == -1 && need > 0) || (a == 1 && need < 0)) s->w[i] = need;
  }
}

int po_as_export_infeasible(po_as_scaled *w) {
  po_as *e = &w->e;
  int i, n = e->n;
  double *ray = w->t2, *miss = w->t1;
  /* n_k = N r up to the dependence tolerance: one step of refinement against the rows themselves */
  for (i = 0; i < n; i++) miss[i] = 0;
  for (i = 0; i < e->q; i++) ray[i] = -e->r[i];
  po_as_add_normals(e, miss, ray);
  if (e->conflict < e->m) po_axpy(miss, e->conflict_side, po_as_row(e, e->conflict), n);
  else miss[e->conflict - e->m] += e->conflict_side;
  po_gemv(e->v, po_block(e->JT, 0, 0, e->q, n), miss);
  po_as_solve_r(e, e->v, e->v);
  for (i = 0; i < e->q; i++) ray[i] -= e->v[i];
  for (i = e->equalities; i < e->q; i++) ray[i] = po_max(ray[i], 0);
  po_as_export_multipliers(w, ray, 1, e->conflict, e->conflict_side);
  if (!po_qp_check_infeasible(w->s, w->p, NULL)) return 0;
  w->s->status = PO_QP_INFEASIBLE;
  return 1;
}
