/* ip_kkt.c: the linear system of an interior-point step.
 *
 *   [ h H + prox + Theta   −G' ] [ dx   ]   [ r1 ]        Theta: Σ z/t of the bounds of each variable
 *   [ G                     E  ] [ dlam ] = [ r2 ]        E: elastic for equalities, elastic + 1/Σ(z/t) for inequalities
 *
 * Rows from ms on are condensed, K = hH + prox + Theta + rho + Gc' Ec^-1 Gc; the first ms rows are left for the Schur
 * complement S = W W' + E + delta with W = G L^-T, K = L L'. What is factored carries rho and delta, so that neither a
 * singular H nor dependent rows matter; refinement against the matrix without them takes their effect out again.
 *
 * Variables that only have a diagonal entry never enter L (kdiag holds their 1/sqrt(k)). When no coupled variable has a
 * bound, L, the coupled columns of W and their part S0 of S are the same in every iteration and are computed once: on
 * whole-body control problems that leaves a 35×35×32 product and a 35×35 factor of what was a 67×67 one. */
#include "ip_internal.h"
#include <math.h>

void po_ip_hessian(double *y, const ip_core *c, const double *x) {
  for (int j = c->nd; j < c->n; j++) y[j] = (c->h_weight * c->hdiag[j] + c->prox) * x[j];
  if (c->nd == 0) return;
  if (c->h_weight == 0.0) {
    for (int j = 0; j < c->nd; j++) y[j] = c->prox * x[j];
    return;
  }
  po_gemv(y, c->H, x);
  if (c->h_weight != 1.0 || c->prox != 0.0)
    for (int j = 0; j < c->nd; j++) y[j] = c->h_weight * y[j] + c->prox * x[j];
}

/* ---- factor -------------------------------------------------------------------------------------------------------------- */

static void ipk_build_k(ip_core *c) {
  int nk = c->nk, nd = c->nd, nc = c->m - c->ms;
  for (int i = 0; i < nk; i++) {
    double *k = po_row(c->K, i);
    const double *h = po_row(c->H, i < nd ? i : 0);
    for (int j = 0; j <= i; j++) k[j] = i < nd && j < nd ? c->h_weight * h[j] : 0.0;
    k[i] += c->h_weight * c->hdiag[i] + c->prox + c->rho + c->D[c->m + i];
  }
  if (nc > 0) { /* K += Gc' Ec^-1 Gc */
    po_mat Wc = po_block(c->W, c->ms, 0, nc, nk);
    for (int i = 0; i < nc; i++) {
      const double *g = po_row(c->G, c->ms + i);
      double *to = po_row(Wc, i), f = 1.0 / sqrt(c->E[c->ms + i]);
      for (int j = 0; j < nk; j++) to[j] = f * g[j];
    }
    po_syrk(c->K, PO_LOWER, 1.0, 1.0, Wc, PO_T);
  }
}

/* W = G L^-T for the coupled columns, and its part of S when that is constant. */
static void ipk_dense_columns(ip_core *c) {
  po_mat Wd = po_block(c->W, 0, 0, c->ms, c->nk);
  if (c->ms == 0 || c->nk == 0) {
    if (c->dense_constant) po_mat_zero(c->S0);
    return;
  }
  po_mat_copy(Wd, po_block(c->G, 0, 0, c->ms, c->nk));
  po_trsm(Wd, c->K, PO_RIGHT, PO_LOWER, PO_T, PO_NON_UNIT);
  if (c->dense_constant) po_syrk(c->S0, PO_LOWER, 0.0, 1.0, Wd, PO_N);
}

static int ipk_factor_k(ip_core *c) {
  if (c->dense_constant && c->dense_ready) return 1;
  ipk_build_k(c);
  if (c->nk > 0 && po_cholesky(c->K, NULL, c->K) != PO_OK) return 0;
  ipk_dense_columns(c);
  c->dense_ready = 1;
  return 1;
}

static int ipk_factor_s(ip_core *c) {
  int ng = c->n - c->nk;
  for (int j = c->nk; j < c->n; j++) c->kdiag[j] = 1.0 / sqrt(c->h_weight * c->hdiag[j] + c->prox + c->rho + c->D[c->m + j]);
  if (c->ms == 0) return 1;
  for (int i = 0; i < c->ms && ng > 0; i++) {
    const double *g = po_row(c->G, i);
    double *w = po_row(c->W, i);
    for (int j = c->nk; j < c->n; j++) w[j] = g[j] * c->kdiag[j];
  }
  if (c->dense_constant) {
    po_mat_copy(c->S, c->S0);
    if (ng > 0) po_syrk(c->S, PO_LOWER, 1.0, 1.0, po_block(c->W, 0, c->nk, c->ms, ng), PO_N);
  } else {
    po_syrk(c->S, PO_LOWER, 0.0, 1.0, po_block(c->W, 0, 0, c->ms, c->n), PO_N);
  }
  for (int i = 0; i < c->ms; i++) PO_AT(c->S, i, i) += c->E[i];
  return po_cholesky(c->S, NULL, c->S) == PO_OK;
}

int po_ip_factor(ip_core *c) {
  while (c->rho <= IP_REG_MAX && c->delta <= IP_REG_MAX) {
    for (int i = 0; i < c->m; i++) c->E[i] = c->elastic + c->delta + (i < c->ne ? 0.0 : 1.0 / c->D[i]);
    if (!ipk_factor_k(c)) {
      c->rho = c->rho_min = 100.0 * c->rho;
    } else if (!ipk_factor_s(c)) {
      c->delta = c->delta_min = 100.0 * c->delta;
    } else {
      c->delta_factored = c->delta;
      return 1;
    }
    c->dense_ready = 0;
  }
  return 0;
}

/* ---- solve --------------------------------------------------------------------------------------------------------------- */

/* One pass with the factors: (a, b) to (dx, dlam) in place. */
static void ipk_pass(ip_core *c, double *a, double *b) {
  int nk = c->nk, ms = c->ms, nc = c->m - c->ms;
  po_mat Gc = po_block(c->G, ms, 0, nc, c->n), Ws = po_block(c->W, 0, 0, ms, c->n);
  double *bc = b + ms;
  for (int i = 0; i < nc; i++) bc[i] /= c->E[ms + i];
  if (nc > 0) po_gemv_t_add(a, 1.0, Gc, bc);
  if (nk > 0) po_trsv(a, c->K, PO_LOWER, PO_N, PO_NON_UNIT);
  for (int j = nk; j < c->n; j++) a[j] *= c->kdiag[j];
  if (ms > 0) {
    po_gemv_add(b, -1.0, Ws, a);
    po_cholesky_solve(b, c->S);
    po_gemv_t_add(a, 1.0, Ws, b);
  }
  if (nk > 0) po_trsv(a, c->K, PO_LOWER, PO_T, PO_NON_UNIT);
  for (int j = nk; j < c->n; j++) a[j] *= c->kdiag[j];
  for (int i = 0; i < nc; i++) bc[i] -= po_dot(po_row(Gc, i), a, c->n) / c->E[ms + i];
}

/* e = r − M (dx, dlam) with the matrix that has no rho and delta; returns the larger of the two relative norms. */
static double ipk_residual(ip_core *c) {
  double n1 = po_norm_inf(c->r1, c->n), n2 = po_norm_inf(c->r2, c->m), s1, s2;
  po_ip_hessian(c->e1, c, c->dx);
  for (int j = 0; j < c->n; j++) c->e1[j] = c->r1[j] - c->e1[j] - c->D[c->m + j] * c->dx[j];
  if (c->m > 0) {
    po_gemv_t_add(c->e1, 1.0, c->G, c->dlam);
    po_gemv(c->e2, c->G, c->dx);
  }
  for (int i = 0; i < c->m; i++) c->e2[i] = c->r2[i] - c->e2[i] - (c->E[i] - c->delta_factored) * c->dlam[i];
  s1 = po_norm_inf(c->e1, c->n);
  s2 = po_norm_inf(c->e2, c->m);
  return po_max(s1 / (n1 > 0 ? n1 : 1.0), s2 / (n2 > 0 ? n2 : 1.0));
}

void po_ip_solve(ip_core *c) {
  double before = PO_INF;
  for (int j = 0; j < c->n; j++) c->dx[j] = c->r1[j];
  for (int i = 0; i < c->m; i++) c->dlam[i] = c->r2[i];
  ipk_pass(c, c->dx, c->dlam);
  for (int k = 0; k < c->refine; k++) {
    double now = ipk_residual(c);
    if (!(now < before)) { /* the last correction made it worse: take it back */
      po_axpy(c->dx, -1.0, c->q1, k > 0 ? c->n : 0);
      po_axpy(c->dlam, -1.0, c->q2, k > 0 ? c->m : 0);
      return;
    }
    if (now <= IP_REFINE_GOAL) return;
    before = now;
    for (int j = 0; j < c->n; j++) c->q1[j] = c->e1[j];
    for (int i = 0; i < c->m; i++) c->q2[i] = c->e2[i];
    ipk_pass(c, c->q1, c->q2);
    po_axpy(c->dx, 1.0, c->q1, c->n);
    po_axpy(c->dlam, 1.0, c->q2, c->m);
  }
}
