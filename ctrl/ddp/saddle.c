/* saddle.c: multipliers and parameters from the value terms of one frame.
 *
 *   (Vmm − Σ) δμ + Vmp δp = rm,   Vpm δμ + Vpp δp = rp,   lo ≤ δp ≤ hi
 *
 * V is least in p and greatest in μ: Vmm is negative definite where the goal can be steered. δμ is eliminated first, with rows and
 * columns scaled to a unit diagonal; what is left is a small bounded problem in δp. A solve asks with rm = −Vm, rp = −Vp at frame
 * 0 (docs/ddp.md, "Time"), the law online with what the state and the goal ask for (policy.c). Σ is diagonal, or given by its inverse E, a
 * matrix. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* Rows of the goal that no control moves have no curvature: this share of a unit diagonal keeps the factorization alive there. */
#define SADDLE_FLOOR 1e-13
#define SADDLE_MATRIX_MOST 32 /* rows of a goal whose end has a stiffness matrix */

/* L L' = S (Σ − Vmm) S + floor, S = diag(s). */
static po_status saddle_factor(po_mat L, double *s, const ddp_saddle *q) {
  int ng = q->ng, at = q->V.rows - q->ng;
  double largest = 0;
  for (int i = 0; i < ng; i++) {
    s[i] = (q->compliance ? q->compliance[i] : 0) - PO_AT(q->V, at + i, at + i);
    largest = po_max(largest, s[i]);
  }
  for (int i = 0; i < ng; i++) s[i] = s[i] > SADDLE_FLOOR * largest ? 1 / sqrt(s[i]) : 0;
  for (int i = 0; i < ng; i++) {
    for (int j = 0; j < i; j++) PO_AT(L, i, j) = -s[i] * PO_AT(q->V, at + i, at + j) * s[j];
    PO_AT(L, i, i) = s[i] > 0 ? 1 + SADDLE_FLOOR : 1;
  }
  return po_cholesky(L, NULL, L);
}

/* Q R = D⁻¹ (1 − E Vmm) D, D = diag(unit), for (E⁻¹ − Vmm)⁻¹ = (1 − E Vmm)⁻¹ E: E may be singular where the end is free, and indefinite. */
static po_status saddle_factor_matrix(po_mat L, double *s, const ddp_saddle *q) {
  int ng = q->ng, at = q->V.rows - q->ng;
  for (int i = 0; i < ng; i++)
    for (int j = 0; j < ng; j++) {
      double sum = i == j ? 1 : 0;
      for (int k = 0; k < ng; k++) sum -= PO_AT(q->E, i, k) * PO_AT(q->V, at + k, at + j) * q->unit[j] / q->unit[i];
      PO_AT(L, i, j) = sum;
    }
  return po_qr(L, s, NULL);
}

/* x = (E⁻¹ − Vmm)⁻¹ x */
static po_status saddle_back_matrix(po_mat L, const double *s, const ddp_saddle *q, double *x) {
  double b[SADDLE_MATRIX_MOST];
  po_status status;
  for (int i = 0; i < q->ng; i++) b[i] = po_dot(po_row(q->E, i), x, q->ng) / q->unit[i];
  status = po_qr_solve(x, b, L, s, NULL);
  for (int i = 0; i < q->ng; i++) x[i] *= q->unit[i];
  return status;
}

/* x = (Σ − Vmm)⁻¹ x */
static po_status saddle_back(po_mat L, const double *s, const ddp_saddle *q, double *x) {
  if (q->E.rows) return saddle_back_matrix(L, s, q, x);
  for (int i = 0; i < L.rows; i++) x[i] *= s[i];
  po_cholesky_solve(x, L);
  for (int i = 0; i < L.rows; i++) x[i] *= s[i];
  return PO_OK;
}

/* min ½δp'H δp + g'δp within its bounds. H is lifted until it is convex: a parameter then moves downhill, if not by Newton's step.
 * */
#define SADDLE_LIFTS 40
static po_status saddle_parameters(double *dp, po_mat H, const double *g, const ddp_saddle *q, po_arena *scratch) {
  int np = q->np, free_count;
  double *work = PO_ARENA_ARRAY(scratch, double, 3 * np), lift = 0, largest = 0;
  signed char *clamped = (signed char *)po_arena_zalloc(scratch, (size_t)np);
  int *index = PO_ARENA_ARRAY(scratch, int, np);
  po_mat L = po_arena_mat(scratch, np, np);
  po_status status = PO_ERR_SINGULAR;
  if (scratch->failed) return PO_ERR_MEMORY;
  for (int i = 0; i < np; i++) largest = po_max(largest, po_abs(PO_AT(H, i, i)));
  for (int round = 0; round < SADDLE_LIFTS && status == PO_ERR_SINGULAR; round++) {
    memset(dp, 0, sizeof(double) * (size_t)np);
    status = po_ddp_box(dp, clamped, index, &free_count, L, H, g, q->lo, q->hi, work);
    if (status == PO_ERR_SINGULAR) {
      double more = lift > 0 ? 3 * lift : 1e-8 * (largest + 1e-300);
      for (int i = 0; i < np; i++) PO_AT(H, i, i) += more;
      lift += more;
    }
  }
  return status;
}

size_t po_ddp_saddle_bytes(int np, int ng) {
  return po_mat_bytes(ng, ng) + po_mat_bytes(np, ng) + 2 * po_mat_bytes(np, np) + sizeof(double) * (size_t)(ng + 8 * np) + 512;
}

po_status po_ddp_saddle_solve(double *dmu, double *dp, const ddp_saddle *q, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int np = q->np, ng = q->ng, nx = q->V.rows - np - ng, xp = nx + np, any = 0;
  po_mat L = po_arena_mat(scratch, ng, ng), E = po_arena_mat(scratch, np, ng), H = po_arena_mat(scratch, np, np);
  double *s = PO_ARENA_ARRAY(scratch, double, ng), *g = PO_ARENA_ARRAY(scratch, double, np);
  po_status status = PO_OK;
  if (scratch->failed) return PO_ERR_MEMORY;
  if (q->E.rows && ng > SADDLE_MATRIX_MOST) return PO_ERR_SIZE;
  memset(dp, 0, sizeof(double) * (size_t)np);
  for (int i = 0; i < np; i++) any |= q->lo[i] < q->hi[i];
  if (ng) status = q->E.rows ? saddle_factor_matrix(L, s, q) : saddle_factor(L, s, q);
  if (status == PO_OK && any) { /* H = Vpp + Vpm (Σ − Vmm)⁻¹ Vmp, g = −rp − Vpm (Σ − Vmm)⁻¹ rm */
    po_mat_copy(H, po_block(q->V, nx, nx, np, np));
    for (int i = 0; i < np; i++) {
      double *e = po_row(E, i);
      for (int j = 0; j < ng; j++) e[j] = PO_AT(q->V, xp + j, nx + i);
      if (ng && (status = saddle_back(L, s, q, e)) != PO_OK) break;
      g[i] = -q->rp[i] - po_dot(e, q->rm, ng);
      for (int a = 0; a <= i; a++)
        for (int j = 0; j < ng; j++) PO_AT(H, i, a) += e[j] * PO_AT(q->V, xp + j, nx + a);
    }
    if (status == PO_OK) status = saddle_parameters(dp, H, g, q, scratch);
  }
  if (status == PO_OK && ng) { /* δμ = (Σ − Vmm)⁻¹ (Vmp δp − rm) */
    for (int j = 0; j < ng; j++) {
      dmu[j] = -q->rm[j];
      for (int i = 0; i < np; i++) dmu[j] += PO_AT(q->V, xp + j, nx + i) * dp[i];
    }
    status = saddle_back(L, s, q, dmu);
  }
  po_arena_release(scratch, mark);
  return status;
}

po_status po_ddp_saddle(po_ddp *d, double *gain) {
  const po_ddp_problem *p = d->problem;
  size_t mark = po_arena_mark(&d->scratch);
  const double *v = ddp_slope(d, 0);
  int nx = d->nx, np = d->np, ng = d->ng, xp = nx + np;
  double *rm = PO_ARENA_ARRAY(&d->scratch, double, ng), *rp = PO_ARENA_ARRAY(&d->scratch, double, np);
  double *lo = PO_ARENA_ARRAY(&d->scratch, double, np), *hi = PO_ARENA_ARRAY(&d->scratch, double, np);
  ddp_saddle q;
  po_status status;
  if (d->scratch.failed) return PO_ERR_MEMORY;
  for (int i = 0; i < ng; i++) rm[i] = -v[xp + i];
  for (int i = 0; i < np; i++) {
    int held = !p->p_free || !p->p_free[i];
    rp[i] = -v[nx + i];
    lo[i] = held ? 0 : (p->p_lower ? p->p_lower[i] : -PO_INF) - d->now.p[i];
    hi[i] = held ? 0 : (p->p_upper ? p->p_upper[i] : PO_INF) - d->now.p[i];
  }
  q.V = ddp_value(d, 0);
  q.np = np;
  q.ng = ng;
  q.rm = rm;
  q.rp = rp;
  q.lo = lo;
  q.hi = hi;
  q.compliance = NULL;
  memset(&q.E, 0, sizeof q.E);
  q.unit = NULL;
  status = po_ddp_saddle_solve(d->dmu, d->dp, &q, &d->scratch);
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
