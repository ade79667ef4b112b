/* saddle.c: the step of the multipliers and the free parameters, from the value terms of frame 0.
 *
 *   V is least in p and greatest in μ:   Vmm δμ + Vmp δp = −Vm,   Vpm δμ + Vpp δp = −Vp        (docs/ddp.md, "Time")
 *
 * Vmm is negative definite where the goal can be steered. δμ is eliminated first, with rows and columns scaled to a unit diagonal; what is left is
 * a small problem in δp within the bounds of p. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* Rows of the goal that no control moves have no curvature: this share of a unit diagonal keeps the factorization alive there. */
#define SADDLE_FLOOR 1e-13

/* L L' = −S Vmm S + floor, S = diag(s). */
static po_status saddle_factor(po_mat L, double *s, po_mat Vmm) {
  int n = Vmm.rows;
  double largest = 0;
  for (int i = 0; i < n; i++) largest = po_max(largest, -PO_AT(Vmm, i, i));
  for (int i = 0; i < n; i++) s[i] = -PO_AT(Vmm, i, i) > SADDLE_FLOOR * largest ? 1 / sqrt(-PO_AT(Vmm, i, i)) : 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) PO_AT(L, i, j) = -s[i] * PO_AT(Vmm, i, j) * s[j];
    PO_AT(L, i, i) = s[i] > 0 ? 1 + SADDLE_FLOOR : 1;
  }
  return po_cholesky(L, L, NULL);
}

/* x = −Vmm⁻¹ x */
static void saddle_solve(po_mat L, const double *s, double *x) {
  for (int i = 0; i < L.rows; i++) x[i] *= s[i];
  po_cholesky_solve(L, x);
  for (int i = 0; i < L.rows; i++) x[i] *= s[i];
}

/* δp within its bounds: min ½δp'H δp + g'δp over the free ones, H = Vpp − Vpm Vmm⁻¹ Vmp. */
static po_status saddle_parameters(po_ddp *d, po_mat H, const double *g) {
  const po_ddp_problem *p = d->problem;
  size_t mark = po_arena_mark(&d->scratch);
  int np = d->np, free_count;
  double *lo = PO_ARENA_ARRAY(&d->scratch, double, np), *hi = PO_ARENA_ARRAY(&d->scratch, double, np);
  double *work = PO_ARENA_ARRAY(&d->scratch, double, 3 * np), lift = 0, largest = 0;
  signed char *clamped = PO_ARENA_ZARRAY(&d->scratch, signed char, np);
  int *index = PO_ARENA_ARRAY(&d->scratch, int, np);
  po_mat L = po_arena_mat(&d->scratch, np, np);
  po_status status = PO_ERR_SINGULAR;
  if (d->scratch.failed) return PO_ERR_MEMORY;
  for (int i = 0; i < np; i++) {
    int held = !p->p_free || !p->p_free[i];
    lo[i] = held ? 0 : (p->p_lower ? p->p_lower[i] : -PO_INF) - d->now.p[i];
    hi[i] = held ? 0 : (p->p_upper ? p->p_upper[i] : PO_INF) - d->now.p[i];
    d->dp[i] = 0;
    largest = po_max(largest, po_abs(PO_AT(H, i, i)));
  }
  /* lifted until it is convex: a parameter then moves downhill, if not by Newton's step */
  for (int round = 0; round < 40 && status == PO_ERR_SINGULAR; round++) {
    status = po_ddp_box(d->dp, clamped, index, &free_count, L, H, g, lo, hi, work);
    if (status != PO_ERR_SINGULAR) break;
    double more = lift > 0 ? 3 * lift : 1e-8 * (largest + 1e-300);
    for (int i = 0; i < np; i++) PO_AT(H, i, i) += more;
    lift += more;
  }
  po_arena_release(&d->scratch, mark);
  return status;
}

po_status po_ddp_saddle(po_ddp *d, double *gain) {
  size_t mark = po_arena_mark(&d->scratch);
  po_mat V = ddp_value(d, 0);
  const double *v = ddp_slope(d, 0);
  int nx = d->nx, np = d->np, ng = d->ng, xp = nx + np, any = 0;
  po_mat L = po_arena_mat(&d->scratch, ng, ng), M = po_arena_mat(&d->scratch, np, ng), H = po_arena_mat(&d->scratch, np, np);
  double *s = PO_ARENA_ARRAY(&d->scratch, double, ng), *g = PO_ARENA_ARRAY(&d->scratch, double, np);
  po_status status = PO_OK;
  if (d->scratch.failed) return PO_ERR_MEMORY;
  for (int i = 0; i < np; i++) any |= d->problem->p_free && d->problem->p_free[i];
  memset(d->dmu, 0, sizeof(double) * (size_t)ng);
  memset(d->dp, 0, sizeof(double) * (size_t)np);
  if (ng) status = saddle_factor(L, s, po_block(V, xp, xp, ng, ng));
  if (status == PO_OK && any) {
    memcpy(g, v + nx, sizeof(double) * (size_t)np);
    po_mat_copy(H, po_block(V, nx, nx, np, np));
    for (int i = 0; i < np && ng; i++) { /* M_i = −Vmm⁻¹ Vm,pi */
      double *m = po_row(M, i);
      for (int j = 0; j < ng; j++) m[j] = PO_AT(V, xp + j, nx + i);
      saddle_solve(L, s, m);
      g[i] += po_dot(m, v + xp, ng);
      for (int a = 0; a <= i; a++)
        for (int j = 0; j < ng; j++) PO_AT(H, i, a) += m[j] * PO_AT(V, xp + j, nx + a);
    }
    status = saddle_parameters(d, H, g);
  }
  if (status == PO_OK && ng) {
    memcpy(d->dmu, v + xp, sizeof(double) * (size_t)ng);
    for (int i = 0; i < np; i++)
      for (int j = 0; j < ng; j++) d->dmu[j] += PO_AT(V, xp + j, nx + i) * d->dp[i];
    saddle_solve(L, s, d->dmu);
  }
  *gain = 0.5 * (po_dot(v + xp, d->dmu, ng) + po_dot(v + nx, d->dp, np));
  for (int k = 0; k < d->N && status == PO_OK; k++) {
    po_mat W = ddp_gains(d, k);
    double *step = ddp_u(d, d->step, k);
    for (int i = 0; i < W.rows; i++) {
      const double *w = po_row(W, i);
      step[i] = ddp_u(d, d->k, k)[i] + po_dot(w + nx, d->dp, np) + po_dot(w + xp, d->dmu, ng);
    }
  }
  po_arena_release(&d->scratch, mark);
  return status;
}
