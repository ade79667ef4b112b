/* backward.c: one sweep from the goal to the start.
 *
 * The cost to go about the present path is kept to second order in y = (x, p, μ); p and μ do not change along the way, so with z =
 * (x, p, u) and F = [fx fp fu], ' marking the next frame:
 *
 *   Q_z = l_z + F'V_x' (+ V_p')     Q_zz = H_zz + F'V_xx'F + cross terms of p     Q_mz = V_mx'F (+ V_mp')
 *   k = −Quu⁻¹Qu    [K Kp Km] = −Quu⁻¹[Qux Qup Qum]      over the controls that are free
 *   V_y = Q_y + R'k + W'(Qu + Quu k)     V_yy = Q_yy + R'W + W'R + W'Quu W,   R = [Qux Qup Qum],  W = [K Kp Km]
 *
 * With Quu = LL' and Y = L⁻¹R that is V_yy = Q_yy − Y'Y. Interior: Quu and Qu have the barrier in them.
 *
 * When `reg` was added to Quu: without a goal the formulas above hold with the true Quu (Tassa et al. 2012), V being what the
 * controls found will really cost: −Y'Y − reg W'W. With a goal they hold with reg as part of Quu, a proximal problem: only of a
 * problem that is minimized is V_μ the goal error of the step, and V_μμ how it changes with μ; else the multipliers pull the step
 * off the goal, the more the larger reg is. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* ---- the end ---------------------------------------------------------------------------------------------------------------- */

/* V(x_N) = φ + μ'ψ + ½ρ|ψ|²;  V_μ = ψ, V_μx = ψ_x, V_μμ = 0. */
static po_status ddpb_end(po_ddp *d, double *scale) {
  const ddp_path *t = &d->now;
  ddp_stage *s = &d->stage;
  po_mat V = ddp_value(d, d->N);
  double *v = ddp_slope(d, d->N), *force = d->work;
  int nz = d->nx + d->np;
  po_status status;
  for (int i = 0; i < d->ng; i++) force[i] = t->mu[i] + d->rho[i] * t->psi[i];
  po_ddp_stage_shape(s, d->problem->size, d->N, 0);
  status = po_ddp_stage_fill(s, d->problem, d->N, ddp_x(d, t, d->N), NULL, t->p, d->opts.gauss_newton ? NULL : force, &d->scratch);
  if (status != PO_OK) return status;
  /* the certificate's costate has μ alone: ρψ is no part of the problem */
  memcpy(d->costate, s->l, sizeof(double) * (size_t)d->nx);
  if (d->np) memcpy(d->gp, s->l + d->nx, sizeof(double) * (size_t)d->np);
  for (int i = 0; i < d->ng; i++) {
    po_axpy(d->costate, t->mu[i], po_row(s->F, i), d->nx);
    if (d->np) po_axpy(d->gp, t->mu[i], po_row(s->F, i) + d->nx, d->np);
    po_axpy(s->l, force[i], po_row(s->F, i), nz);
    for (int a = 0; a < nz; a++) po_axpy(po_row(s->H, a), d->rho[i] * PO_AT(s->F, i, a), po_row(s->F, i), a + 1);
  }
  *scale = po_max(*scale, po_norm_inf(d->gp, d->np));
  po_mat_zero(V);
  memcpy(v, s->l, sizeof(double) * (size_t)nz);
  if (d->ng) memcpy(v + nz, t->psi, sizeof(double) * (size_t)d->ng);
  for (int a = 0; a < nz; a++) memcpy(po_row(V, a), po_row(s->H, a), sizeof(double) * (size_t)(a + 1));
  for (int i = 0; i < d->ng; i++) memcpy(po_row(V, nz + i), po_row(s->F, i), sizeof(double) * (size_t)nz);
  po_mat_symmetrize(V, PO_LOWER);
  return PO_OK;
}

/* ---- one frame ----------------------------------------------------------------------------------------------------------------
 * */

/* The certificate, from the costate and nothing of the sweep's second-order model: ∂/∂u less the multipliers of the bounds. */
static void ddpb_certify(po_ddp *d, int k, ddp_sweep *sweep, double *scale) {
  ddp_stage *s = &d->stage;
  ddp_path *t = &d->now;
  int nx = d->nx, np = d->np, nu = s->nu;
  double *u = ddp_u(d, t->u, k), *zl = ddp_u(d, t->zl, k), *zu = ddp_u(d, t->zu, k), *sum = d->work;
  po_gemv_t(sum, s->F, d->costate);
  for (int i = 0; i < nu; i++) {
    double part = sum[nx + np + i], slope = s->l[nx + np + i] + part, lo = u[i] - ddp_lower(d, k, i),
           hi = ddp_upper(d, k, i) - u[i];
    *scale = po_max(*scale, po_max(po_abs(part), po_abs(s->l[nx + np + i])));
    if (!d->interior) { /* a control at its bound is held there by whatever slope presses it */
      zl[i] = lo <= 0 && slope > 0 ? slope : 0;
      zu[i] = hi <= 0 && slope < 0 ? -slope : 0;
    }
    sweep->stationarity = po_max(sweep->stationarity, po_abs(slope - zl[i] + zu[i]));
    if (zl[i] > 0) sweep->complementarity = po_max(sweep->complementarity, zl[i] * lo);
    if (zu[i] > 0) sweep->complementarity = po_max(sweep->complementarity, zu[i] * hi);
  }
  for (int i = 0; i < np; i++) {
    d->gp[i] += s->l[nx + i] + sum[nx + i];
    *scale = po_max(*scale, po_abs(d->gp[i]));
  }
  for (int i = 0; i < nx; i++) d->costate[i] = s->l[i] + sum[i];
}

/* In place: F, H, l become the terms of Q; d->Qm and d->R are filled. */
static void ddpb_expand(po_ddp *d, int k) {
  ddp_stage *s = &d->stage;
  po_mat V = ddp_value(d, k + 1), Vxx = po_block(V, 0, 0, d->nx, d->nx);
  const double *v = ddp_slope(d, k + 1);
  int nx = d->nx, np = d->np, nu = s->nu, nz = s->nz, xp = nx + np;
  po_mat B = po_mat_of(d->B.a, nx, nz, d->B.ld), Qm = po_mat_of(d->Qm.a, d->ng, nz, d->Qm.ld);
  po_mat R = po_mat_of(d->R.a, nu, d->ny, d->R.ld);
  po_gemm(B, 0, 1, Vxx, PO_N, s->F, PO_N);
  for (int i = 0; i < nx && np; i++) po_axpy(po_row(B, i) + nx, 1, po_row(V, i) + nx, np);
  po_gemm(s->H, 1, 1, s->F, PO_T, B, PO_N);
  po_gemv_t_add(s->l, 1, s->F, v);
  if (np) {
    po_gemm(po_block(s->H, nx, 0, np, xp), 1, 1, po_block(V, nx, 0, np, nx), PO_N, po_block(s->F, 0, 0, nx, xp), PO_N);
    for (int i = 0; i < np; i++) {
      po_axpy(po_row(s->H, nx + i) + nx, 1, po_row(V, nx + i) + nx, i + 1);
      s->l[nx + i] += v[nx + i];
    }
  }
  if (d->ng) {
    po_gemm(Qm, 0, 1, po_block(V, xp, 0, d->ng, nx), PO_N, s->F, PO_N);
    for (int i = 0; i < d->ng && np; i++) po_axpy(po_row(Qm, i) + nx, 1, po_row(V, xp + i) + nx, np);
  }
  for (int i = 0; i < nu; i++) {
    memcpy(po_row(R, i), po_row(s->H, xp + i), sizeof(double) * (size_t)xp);
    for (int j = 0; j < d->ng; j++) PO_AT(R, i, xp + j) = PO_AT(Qm, j, xp + i);
  }
}

/* Quu and Qu with the barrier of the interior method: Quu + diag(z/s), Qu − β/s. */
static void ddpb_barrier(po_ddp *d, int k, po_mat Quu, double *Qu) {
  double *u = ddp_u(d, d->now.u, k), *zl = ddp_u(d, d->now.zl, k), *zu = ddp_u(d, d->now.zu, k);
  for (int i = 0; i < Quu.rows; i++) {
    double lo = u[i] - ddp_lower(d, k, i), hi = ddp_upper(d, k, i) - u[i];
    if (lo < PO_INF) {
      PO_AT(Quu, i, i) += zl[i] / lo;
      Qu[i] -= d->beta / lo;
    }
    if (hi < PO_INF) {
      PO_AT(Quu, i, i) += zu[i] / hi;
      Qu[i] += d->beta / hi;
    }
  }
}

/* k of this frame, who is free (d->index), and the factor of the free block in d->L. */
static po_status ddpb_controls(po_ddp *d, int k, po_mat Quu, const double *Qu, int *free_count) {
  int nu = Quu.rows;
  double *kk = ddp_u(d, d->k, k), *u = ddp_u(d, d->now.u, k);
  signed char *clamped = d->clamped + (size_t)k * (size_t)d->nu_max;
  po_status status;
  for (int i = 0; i < nu; i++) PO_AT(Quu, i, i) += d->reg;
  if (d->head.box && !d->interior) {
    for (int i = 0; i < nu; i++) {
      d->lo[i] = ddp_lower(d, k, i) - u[i];
      d->hi[i] = ddp_upper(d, k, i) - u[i];
      kk[i] = 0;
    }
    status = po_ddp_box(kk, clamped, d->index, free_count, d->L, Quu, Qu, d->lo, d->hi, d->work);
  } else {
    po_mat L = po_block(d->L, 0, 0, nu, nu);
    status = po_cholesky(L, NULL, Quu);
    for (int i = 0; i < nu; i++) {
      d->index[i] = i;
      kk[i] = -Qu[i];
    }
    *free_count = nu;
    if (status == PO_OK) po_cholesky_solve(kk, L);
  }
  for (int i = 0; i < nu; i++) PO_AT(Quu, i, i) -= d->reg;
  return status;
}

/* Least eigenvalue of L L' by inverse iteration: Rayleigh quotients of (LL')⁻¹ only grow, so a few steps from a vector that leans
 * on every axis suffice for the digits anyone reads. */
#define DDPB_INVERSE_STEPS 12
static double ddpb_least(po_mat L, double *y) {
  int n = L.rows;
  double least = PO_INF, norm;
  for (int i = 0; i < n; i++) y[i] = i & 1 ? -1 - 0.01 * i : 1 + 0.02 * i;
  for (int s = 0; s < DDPB_INVERSE_STEPS; s++) {
    norm = po_norm2(y, n);
    if (!(norm > 0)) return 0;
    po_scale(y, 1 / norm, n);
    po_trsv(y, L, PO_LOWER, PO_N, PO_NON_UNIT);
    norm = po_dot(y, y, n); /* y0'(LL')⁻¹y0 */
    po_trsv(y, L, PO_LOWER, PO_T, PO_NON_UNIT);
    if (1 / norm > least * (1 - 1e-3)) return po_min(least, 1 / norm);
    least = po_min(least, 1 / norm);
  }
  return least;
}

/* Gains of the free controls and V of this frame. */
static void ddpb_update(po_ddp *d, int k, po_mat Quu, const double *Qu, int free_count, ddp_sweep *sweep) {
  ddp_stage *s = &d->stage;
  int nx = d->nx, np = d->np, nu = s->nu, xp = nx + np, ny = d->ny;
  po_mat V = ddp_value(d, k), W = ddp_gains(d, k), R = po_mat_of(d->R.a, nu, ny, d->R.ld), next = ddp_value(d, k + 1);
  po_mat L = po_block(d->L, 0, 0, free_count, free_count), Y = po_mat_of(d->Y.a, free_count, ny, d->Y.ld);
  double *v = ddp_slope(d, k), *kk = ddp_u(d, d->k, k), quadratic = 0;
  /* Q over y: (x, p) from H, μ from Qm and V_mm' */
  for (int i = 0; i < xp; i++) memcpy(po_row(V, i), po_row(s->H, i), sizeof(double) * (size_t)(i + 1));
  for (int i = 0; i < d->ng; i++) {
    memcpy(po_row(V, xp + i), d->Qm.a + (size_t)i * (size_t)d->Qm.ld, sizeof(double) * (size_t)xp);
    memcpy(po_row(V, xp + i) + xp, po_row(next, xp + i) + xp, sizeof(double) * (size_t)(i + 1));
  }
  memcpy(v, s->l, sizeof(double) * (size_t)xp);
  if (d->ng) memcpy(v + xp, ddp_slope(d, k + 1) + xp, sizeof(double) * (size_t)d->ng);
  po_mat_zero(W);
  for (int a = 0; a < free_count; a++) memcpy(po_row(Y, a), po_row(R, d->index[a]), sizeof(double) * (size_t)ny);
  if (free_count) {
    po_trsm(Y, L, PO_LEFT, PO_LOWER, PO_N, PO_NON_UNIT);
    po_syrk(V, PO_LOWER, 1, -1, Y, PO_T);
    po_trsm(Y, L, PO_LEFT, PO_LOWER, PO_T, PO_NON_UNIT);
    for (int a = 0; a < free_count; a++) {
      double *w = po_row(W, d->index[a]);
      for (int j = 0; j < ny; j++) w[j] = -PO_AT(Y, a, j);
      if (d->reg > 0 && d->ng == 0)
        for (int j = 0; j < ny; j++) po_axpy(po_row(V, j), -d->reg * w[j], w, j + 1);
    }
  }
  po_mat_symmetrize(V, PO_LOWER);
  /* slopes: R'k over all controls, W'(Qu + Quu k) over the free ones */
  for (int i = 0; i < nu; i++) {
    double sum = d->ng > 0 ? d->reg * kk[i] : 0;
    for (int j = 0; j < nu; j++) sum += (j <= i ? PO_AT(Quu, i, j) : PO_AT(Quu, j, i)) * kk[j];
    sweep->linear += kk[i] * Qu[i];
    quadratic += 0.5 * kk[i] * sum;
    d->g[i] = Qu[i] + sum;
    po_axpy(v, kk[i], po_row(R, i), ny);
  }
  sweep->quadratic += quadratic;
  for (int a = 0; a < free_count; a++) po_axpy(v, d->g[d->index[a]], po_row(W, d->index[a]), ny);
}

po_status po_ddp_backward(po_ddp *d, ddp_sweep *sweep) {
  double scale = 0;
  po_status status;
  memset(sweep, 0, sizeof *sweep);
  sweep->failed_at = -1;
  sweep->curvature_min = PO_INF;
  d->sweeps++;
  status = ddpb_end(d, &scale);
  for (int k = d->N - 1; k >= 0 && status == PO_OK; k--) {
    ddp_stage *s = &d->stage;
    int nu = d->nu[k], xp = d->nx + d->np, free_count = 0;
    po_mat Quu;
    po_ddp_stage_shape(s, d->problem->size, k, nu);
    status = po_ddp_stage_fill(s, d->problem, k, ddp_x(d, &d->now, k), ddp_u(d, d->now.u, k), d->now.p,
                               d->opts.gauss_newton ? NULL : ddp_slope(d, k + 1), &d->scratch);
    if (status != PO_OK) break;
    ddpb_certify(d, k, sweep, &scale);
    ddpb_expand(d, k);
    Quu = po_block(s->H, xp, xp, nu, nu);
    if (d->interior) ddpb_barrier(d, k, Quu, s->l + xp);
    if (ddpb_controls(d, k, Quu, s->l + xp, &free_count) != PO_OK) {
      sweep->failed_at = k;
      return PO_OK;
    }
    if (free_count && d->reg == 0)
      sweep->curvature_min = po_min(sweep->curvature_min, ddpb_least(po_block(d->L, 0, 0, free_count, free_count), d->work));
    ddpb_update(d, k, Quu, s->l + xp, free_count, sweep);
  }
  for (int i = 0; i < d->np; i++) {
    const po_ddp_problem *p = d->problem;
    double slope = d->gp[i];
    if (!p->p_free || !p->p_free[i]) continue;
    if (p->p_lower && d->now.p[i] <= p->p_lower[i]) slope = po_min(slope, 0);
    if (p->p_upper && d->now.p[i] >= p->p_upper[i]) slope = po_max(slope, 0);
    sweep->stationarity = po_max(sweep->stationarity, po_abs(slope));
  }
  sweep->stationarity /= 1 + scale;
  sweep->complementarity /= 1 + po_abs(d->now.cost);
  return status;
}
