/* active_set_dual.c: Goldfarb and Idnani's dual method (Math. Programming 27, 1983) on the factors of active_set_factor.c.
 *
 * Every iterate is optimal for the constraints of its working set, with multipliers >= 0; constraints are added one at a time
 * until none is violated. A full step raises the dual objective, so no working set comes back and nothing cycles; a constraint that
 * depends on the working set either pushes another out or, when nothing can give way, proves that the problem is infeasible.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

/* The most violated constraint, each in units of its own norm; −1: none. Its side in *side. */
static int asd_most_violated(po_as *e, int *side) {
  int k, best = -1, n = e->n, m = e->m;
  double worst, x_norm = po_norm_inf(e->x, n);
  worst = e->feasible * (1 + x_norm);
  if (e->me) po_gemv(e->value, e->A, e->x);
  if (m > e->me) po_gemv(e->value + e->me, e->C, e->x);
  for (k = 0; k < m; k++) {
    double below, above;
    if (e->state[k]) continue;
    below = (e->lo[k] - e->value[k]) * e->norm[k]; /* norm holds the reciprocal */
    above = (e->value[k] - e->hi[k]) * e->norm[k];
    if (below > worst) { worst = below; best = k; *side = 1; }
    if (above > worst) { worst = above; best = k; *side = -1; }
  }
  for (k = 0; k < n; k++) {
    double below = e->lo[m + k] - e->x[k], above = e->x[k] - e->hi[m + k];
    if (e->state[m + k]) continue;
    if (below > worst) { worst = below; best = m + k; *side = 1; }
    if (above > worst) { worst = above; best = m + k; *side = -1; }
  }
  return best;
}

/* The member of W that blocks first as its multipliers move by −t r; −1: none. Of equals, the one with the largest r. */
static int asd_blocking(const po_as *e, double *t) {
  int i, at = -1;
  double r_max = po_norm_inf(e->r, e->q), best = PO_INF;
  for (i = e->equalities; i < e->q; i++) {
    double ratio;
    if (!(e->r[i] > PO_AS_NEGATIVE * r_max)) continue;
    ratio = po_max(e->u[i], 0) / e->r[i];
    if (ratio < best || (ratio == best && e->r[i] > e->r[at])) {
      best = ratio;
      at = i;
    }
  }
  *t = best;
  return at;
}

/* Makes constraint k active on its side, dropping what has to give way. */
static po_as_outcome asd_insert(po_as *e, int k, int side) {
  int i, n = e->n;
  double uk = 0, bound = po_as_bound(e, k, side);
  po_as_project(e, k, side);
  while (e->changes < e->limit) {
    double left = 0, t1, t2 = PO_INF, t;
    int block;
    po_as_solve_r(e, e->r, e->d);
    for (i = e->q; i < n; i++) left += e->d[i] * e->d[i];
    block = asd_blocking(e, &t1);
    if (left > e->dependent * e->dependent * e->size[k] * e->size[k]) t2 = po_max(bound - side * po_as_value(e, k, e->x), 0) / left;
    t = po_min(t1, t2);
    if (!(t < PO_INF)) {
      e->conflict = k;
      e->conflict_side = side;
      return PO_AS_INFEASIBLE;
    }
    e->changes++;
    if (t2 < PO_INF) po_axpy(e->x, t, e->z, n);
    for (i = 0; i < e->q; i++) e->u[i] -= t * e->r[i];
    uk += t;
    if (t2 <= t1) {
      po_as_add(e, k, side, uk);
      return PO_AS_DONE;
    }
    po_as_drop(e, block, 1);
  }
  return PO_AS_LIMIT;
}

po_as_outcome po_as_equalities(po_as *e) {
  int k, pass, i;
  /* fixed variables first: while J is as sparse as L^-T their normals cost nothing */
  for (pass = 0; pass < 2; pass++)
    for (k = pass ? 0 : e->m; k < (pass ? e->m : e->m + e->n); k++) {
      double left, miss;
      if (e->lo[k] != e->hi[k] || e->state[k]) continue;
      po_as_project(e, k, 1);
      left = po_norm2(e->d + e->q, e->n - e->q);
      miss = e->lo[k] - po_as_value(e, k, e->x);
      if (po_as_independent(e, k)) {
        po_as_solve_r(e, e->r, e->d);
        po_axpy(e->x, miss / (left * left), e->z, e->n);
        for (i = 0; i < e->q; i++) e->u[i] -= miss / (left * left) * e->r[i];
        po_as_add(e, k, 1, miss / (left * left));
        e->equalities = e->q;
        e->changes++;
      } else if (po_abs(miss) * (k < e->m ? e->norm[k] : 1) > 1e3 * e->feasible * (1 + po_norm_inf(e->x, e->n))) {
        e->conflict = k;
        e->conflict_side = miss > 0 ? 1 : -1;
        po_as_project(e, k, e->conflict_side);
        po_as_solve_r(e, e->r, e->d);
        return PO_AS_INFEASIBLE;
      } else {
        e->state[k] = 2; /* says what the others say already */
      }
    }
  return PO_AS_DONE;
}

static void asd_solve_working_set(po_as *e, double *u) {
  int i;
  for (i = 0; i < e->q; i++) e->d[i] = po_as_bound(e, e->work[i], e->side[i]);
  po_as_solve_kkt(e, e->x, u, e->g, e->d);
}

void po_as_restart(po_as *e, int u_valid) {
  double *target = e->z; /* n long, free between steps */
  for (;;) {
    int i, at = -1;
    double worst, alpha = 1;
    asd_solve_working_set(e, target);
    worst = -PO_AS_NEGATIVE * (1 + po_norm_inf(target, e->q));
    for (i = e->equalities; i < e->q; i++) {
      if (!(target[i] < 0)) continue;
      if (u_valid) { /* along u → target, who reaches zero first */
        double a = e->u[i] <= 0 ? 0 : e->u[i] / (e->u[i] - target[i]);
        if (target[i] < worst && (a < alpha || at < 0)) { alpha = a; at = i; }
      } else if (target[i] < worst) {
        worst = target[i];
        at = i;
      }
    }
    for (i = 0; i < e->q; i++) {
      if (at < 0) e->u[i] = i < e->equalities ? target[i] : po_max(target[i], 0);
      else if (u_valid) e->u[i] += alpha * (target[i] - e->u[i]);
    }
    if (at < 0) return;
    po_as_drop(e, at, 0);
    e->changes++;
  }
}

po_as_outcome po_as_dual(po_as *e) {
  while (e->changes < e->limit) {
    int side = 0, k = asd_most_violated(e, &side);
    po_as_outcome outcome;
    if (k < 0) return PO_AS_DONE;
    outcome = asd_insert(e, k, side);
    if (outcome != PO_AS_DONE) return outcome;
  }
  return PO_AS_LIMIT;
}

double po_as_refine(po_as *e, int steps) {
  int i, n = e->n, q = e->q, step;
  double *rd = e->value_n, *rp = e->d, *dx = e->z, *du = e->rot, residual = PO_INF;
  for (step = 0;; step++) {
    double dual = 0, primal = 0, size = 0, x_norm = po_norm_inf(e->x, n), before = residual;
    if (e->H.a) po_gemv(rd, e->H, e->x);
    else memset(rd, 0, sizeof *rd * (size_t)n);
    for (i = 0; i < n; i++) {
      double h = rd[i] + e->sigma * e->x[i];
      size = po_max(size, po_max(po_abs(h), po_abs(e->g[i])));
      rd[i] = -(h + e->g[i]);
    }
    po_as_add_normals(e, rd, e->u);
    for (i = 0; i < n; i++) {
      rd[i] = -rd[i];
      dual = po_max(dual, po_abs(rd[i]));
    }
    for (i = 0; i < q; i++) {
      int k = e->work[i];
      rp[i] = po_as_bound(e, k, e->side[i]) - e->side[i] * po_as_value(e, k, e->x);
      primal = po_max(primal, po_abs(rp[i]) * (k < e->m ? e->norm[k] : 1));
    }
    residual = po_max(dual / (1e-300 + size), primal / (1 + x_norm));
    if (!(residual == residual)) return PO_INF;
    if (step == steps || residual <= 4 * PO_EPS || residual > 0.5 * before) return residual;
    po_as_solve_kkt(e, dx, du, rd, rp);
    po_axpy(e->x, 1, dx, n);
    po_axpy(e->u, 1, du, q);
  }
}
