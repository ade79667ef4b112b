/* ip_step.c: one iteration of Mehrotra's predictor–corrector on the core problem, its residuals and its starting point. */
#include "ip_internal.h"
#include <math.h>

/* ---- residuals ----------------------------------------------------------------------------------------------------------- */

static void ips_sums(ip_core *c) { /* signed multipliers of rows and bounds from those of the sides */
  for (int i = c->ne; i < c->m; i++) c->lam[i] = 0;
  for (int j = 0; j < c->n; j++) c->w[j] = 0;
  for (int k = 0; k < c->ns_rows; k++) c->lam[c->side[k]] += c->sign[k] * c->z[k];
  for (int k = c->ns_rows; k < c->ns; k++) c->w[c->side[k] - c->m] += c->sign[k] * c->z[k];
}

static void ips_row_values(ip_core *c) {
  if (c->m > 0) po_gemv(c->v, c->G, c->x);
  if (c->elastic != 0.0) po_axpy(c->v, c->elastic, c->lam, c->m);
}

/* In the caller's units for the caller's problem, in the core's own for the two others. */
static void ips_measure_norms(ip_core *c) {
  double x_norm = c->x_fixed_max, primal = 0, dual = 0, hx = 0, gl = 0;
  int own = c->kind != IP_MAIN;
  for (int j = 0; j < c->n; j++) x_norm = po_max(x_norm, po_abs(c->x[j]) * (own ? 1.0 : c->col_scale[c->var[j]]));
  for (int i = 0; i < c->m; i++) {
    double off = i < c->ne ? po_abs(c->rp[i]) : po_max(0.0, po_max(c->lo[i] - c->v[i], c->v[i] - c->hi[i]));
    double e = own ? 1.0 : c->row_scale[c->row[i]];
    primal = po_max(primal, off / (e * (1.0 + (own ? 1.0 : c->row_norm[i]) * x_norm)));
  }
  for (int k = c->ns_rows; k < c->ns; k++) {
    double off = c->beta[k] - c->sign[k] * c->v[c->side[k]];
    if (off > 0) primal = po_max(primal, off * (own ? 1.0 : c->col_scale[c->var[c->side[k] - c->m]]) / (1.0 + x_norm));
  }
  for (int j = 0; j < c->n; j++) {
    double f = own ? 1.0 : 1.0 / (c->cost * c->col_scale[c->var[j]]);
    dual = po_max(dual, f * po_abs(c->rd[j]));
    hx = po_max(hx, f * po_abs(c->hx[j]));
    gl = po_max(gl, f * po_abs(c->hx[j] + c->g[j] - c->rd[j]));
  }
  c->x_norm = x_norm;
  c->primal = primal;
  c->dual = dual / (1.0 + po_max(po_max(hx, gl), own ? 0.0 : c->g_norm));
}

void po_ip_measure(ip_core *c) {
  double xhx, gx, bounds = 0, mu = 0, f;
  ips_sums(c);
  ips_row_values(c);
  po_ip_hessian(c->hx, c, c->x);
  for (int j = 0; j < c->n; j++) c->rd[j] = c->hx[j] + c->g[j] - c->w[j];
  if (c->m > 0) po_gemv_t_add(c->rd, -1.0, c->G, c->lam);
  for (int i = 0; i < c->ne; i++) {
    c->rp[i] = c->v[i] - c->lo[i];
    bounds += c->lo[i] * c->lam[i];
  }
  for (int k = 0; k < c->ns; k++) {
    c->r[k] = c->sign[k] * c->v[c->side[k]] - c->beta[k] - c->t[k];
    mu += c->t[k] * c->z[k];
    bounds += c->z[k] * c->beta[k];
  }
  c->mu = c->ns > 0 ? mu / c->ns : 0.0;
  ips_measure_norms(c);
  xhx = po_dot(c->x, c->hx, c->n);
  gx = po_dot(c->g, c->x, c->n);
  f = 1.0 / c->cost;
  c->objective = f * (0.5 * xhx + gx) + c->constant;
  c->gap = po_abs(f * (xhx + gx - bounds + c->elastic * po_dot(c->lam, c->lam, c->m))) / (1.0 + po_abs(c->objective));
  c->lam_norm = po_max(po_norm_inf(c->lam, c->m), po_norm_inf(c->z, c->ns));
  c->merit = po_max(c->primal, po_max(c->dual, c->gap));
}

/* ---- a direction --------------------------------------------------------------------------------------------------------- */

static void ips_weights(ip_core *c) {
  for (int i = 0; i < c->m + c->n; i++) c->D[i] = 0;
  for (int k = 0; k < c->ns; k++) c->D[c->side[k]] += c->z[k] / c->t[k];
}

/* Newton's direction for  t z = the target that rc was computed from:  rc = t z − target. */
static void ips_direction(ip_core *c) {
  int m = c->m;
  for (int i = 0; i < m + c->n; i++) c->c[i] = 0;
  for (int k = 0; k < c->ns; k++) c->c[c->side[k]] += c->sign[k] * (c->rc[k] + c->z[k] * c->r[k]) / c->t[k];
  for (int j = 0; j < c->n; j++) c->r1[j] = -c->rd[j] - c->c[m + j];
  for (int i = 0; i < c->ne; i++) c->r2[i] = -c->rp[i];
  for (int i = c->ne; i < m; i++) c->r2[i] = -c->c[i] / c->D[i];
  po_ip_solve(c);
  if (m > 0) po_gemv(c->dv, c->G, c->dx);
  if (c->elastic != 0.0) po_axpy(c->dv, c->elastic, c->dlam, m);
  /* For active rows the change of the row is a small difference of large products; the multiplier knows it better. */
  for (int i = c->ne; i < m; i++)
    if (c->D[i] > 1.0) c->dv[i] = -(c->dlam[i] + c->c[i]) / c->D[i];
  for (int k = 0; k < c->ns; k++) {
    c->dt[k] = c->sign[k] * c->dv[c->side[k]] + c->r[k];
    c->dz[k] = -(c->rc[k] + c->z[k] * c->dt[k]) / c->t[k];
  }
}

static double ips_longest(const double *t, const double *dt, int n) {
  double a = 1e300;
  for (int k = 0; k < n; k++)
    if (dt[k] < 0 && -t[k] > a * dt[k]) a = -t[k] / dt[k];
  return a;
}

static int ips_finite(const ip_core *c) { return po_all_finite(c->dx, c->n) && po_all_finite(c->dlam, c->m) && po_all_finite(c->dz, c->ns); }

#ifdef IP_TRACE
#include <stdio.h>
#define IP_SAY(...) printf(__VA_ARGS__)
#else
#define IP_SAY(...) ((void)0)
#endif
int po_ip_step(ip_core *c, double *alpha) {
  IP_SAY("kind %d p %.2e d %.2e g %.2e mu %.2e obj %.8g x %.1e l %.1e rd %.1e rho %.0e del %.0e\n", c->kind, c->primal, c->dual, c->gap, c->mu, c->objective, c->x_norm, c->lam_norm, po_norm_inf(c->rd, c->n), c->rho, c->delta);
  double ap, ad, back, mu_affine = 0, sigma;
  ips_weights(c);
  if (!po_ip_factor(c)) return 0;
  for (int k = 0; k < c->ns; k++) c->rc[k] = c->t[k] * c->z[k];
  ips_direction(c);
  if (!ips_finite(c)) return 0;
  if (c->ns > 0) {
    ap = po_min(1.0, ips_longest(c->t, c->dt, c->ns));
    ad = po_min(1.0, ips_longest(c->z, c->dz, c->ns));
    for (int k = 0; k < c->ns; k++) mu_affine += (c->t[k] + ap * c->dt[k]) * (c->z[k] + ad * c->dz[k]);
    mu_affine /= c->ns;
    sigma = mu_affine / c->mu;
    sigma = po_clamp(sigma * sigma * sigma, 1e-8, 1.0);
    sigma = po_max(sigma, po_min(1.0, c->mu_floor / c->mu));
    for (int k = 0; k < c->ns; k++) c->rc[k] = c->t[k] * c->z[k] + c->dt[k] * c->dz[k] - sigma * c->mu;
    ips_direction(c);
    if (!ips_finite(c)) return 0;
  }
  back = po_max(IP_STEP_BACK, 1.0 - c->mu);
  ap = po_min(1.0, back * ips_longest(c->t, c->dt, c->ns));
  ad = po_min(1.0, back * ips_longest(c->z, c->dz, c->ns));
  if (c->nd > 0 || po_norm_inf(c->hdiag, c->n) > 0.0) ap = ad = po_min(ap, ad);
  po_axpy(c->x, ap, c->dx, c->n);
  po_axpy(c->t, ap, c->dt, c->ns);
  po_axpy(c->z, ad, c->dz, c->ns);
  po_axpy(c->lam, ad, c->dlam, c->ne);
  *alpha = po_min(ap, ad);
  return 1;
}

/* ---- starting point ------------------------------------------------------------------------------------------------------ */

/* The minimizer of the cost plus ½Σ(sign·v − beta)² over all sides: near every bound it has, and one factorization away.
 * What it says of slacks and multipliers (z = −t) is then shifted until all are positive. */
int po_ip_start(ip_core *c) {
  int m = c->m;
  double low_t = PO_INF, low_z = PO_INF;
  for (int i = 0; i < m + c->n; i++) c->D[i] = c->c[i] = 0;
  for (int k = 0; k < c->ns; k++) {
    c->D[c->side[k]] += 1.0;
    c->c[c->side[k]] += c->sign[k] * c->beta[k];
  }
  if (!po_ip_factor(c)) return 0;
  for (int j = 0; j < c->n; j++) c->r1[j] = c->c[m + j] - c->g[j];
  for (int i = 0; i < m; i++) c->r2[i] = i < c->ne ? c->lo[i] : c->c[i] / c->D[i];
  po_ip_solve(c);
  for (int j = 0; j < c->n; j++) c->x[j] = c->dx[j];
  for (int i = 0; i < m; i++) c->lam[i] = c->dlam[i];
  if (!po_all_finite(c->x, c->n) || !po_all_finite(c->lam, m)) return 0;
  ips_row_values(c);
  for (int k = 0; k < c->ns; k++) {
    c->t[k] = c->sign[k] * c->v[c->side[k]] - c->beta[k];
    c->z[k] = -c->t[k];
    low_t = po_min(low_t, c->t[k]);
    low_z = po_min(low_z, c->z[k]);
  }
  for (int k = 0; k < c->ns; k++) {
    if (low_t < 1e-3) c->t[k] += 1.0 - low_t;
    if (low_z < 1e-3) c->z[k] += 1.0 - low_z;
  }
  return 1;
}

/* ---- the best iterate ---------------------------------------------------------------------------------------------------- */

static void ips_copy(double *to, const double *from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}
void po_ip_keep_best(ip_core *c) {
  if (!(c->merit < c->best_merit)) return;
  c->best_merit = c->merit;
  ips_copy(c->best_x, c->x, c->n);
  ips_copy(c->best_lam, c->lam, c->m);
  ips_copy(c->best_t, c->t, c->ns);
  ips_copy(c->best_z, c->z, c->ns);
}
void po_ip_back_to_best(ip_core *c) {
  if (!(c->best_merit < PO_INF)) return;
  ips_copy(c->x, c->best_x, c->n);
  ips_copy(c->lam, c->best_lam, c->m);
  ips_copy(c->t, c->best_t, c->ns);
  ips_copy(c->z, c->best_z, c->ns);
  po_ip_measure(c);
}
