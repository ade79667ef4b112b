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

/* A step promises what is left of the residuals. When it left more than that, and more than the iteration is after, linear solves are
 * refined from now on. Where they are already, the regularization holds x or the multipliers back along a direction without
 * curvature of its own: it becomes smaller, as far as factorizations bear it. */
static void ips_judge_solves(ip_core *c, double rd, double rp, double primal_equalities) {
  int broken_rd = c->dual > c->goal_dual && rd - c->promise_rd > IP_BROKEN_PROMISE * (rd + c->was_rd);
  int broken_rp = primal_equalities > c->goal_primal && rp - c->promise_rp > IP_BROKEN_PROMISE * (rp + c->was_rp);
  if (c->promise_rd >= 0.0 && (broken_rd || broken_rp)) {
    if (c->refine >= IP_REFINE && rd > 0.5 * c->was_rd && broken_rd && c->rho > c->rho_min) {
      c->rho = po_max(0.1 * c->rho, c->rho_min);
      c->dense_ready = 0;
    }
    if (c->refine >= IP_REFINE && rp > 0.5 * c->was_rp && broken_rp) c->delta = po_max(0.1 * c->delta, c->delta_min);
    if (c->refine < IP_REFINE) c->refine = IP_REFINE;
  }
  c->was_rd = rd;
  c->was_rp = rp;
}

/* In the caller's units for the caller's problem, in the core's own for the two others. */
static void ips_measure_norms(ip_core *c) {
  double x_norm = c->x_fixed_max, primal = 0, dual = 0, hx = 0, gl = 0, rd = 0, rp = 0, primal_equalities = 0;
  int own = c->kind != IP_MAIN;
  for (int j = 0; j < c->n; j++) x_norm = po_max(x_norm, po_abs(c->x[j]) * (own ? 1.0 : c->col_scale[c->var[j]]));
  for (int i = 0; i < c->ne; i++) rp = po_max(rp, po_abs(c->rp[i]));
  for (int i = 0; i < c->m; i++) {
    double off = i < c->ne ? po_abs(c->rp[i]) : po_max(0.0, po_max(c->lo[i] - c->v[i], c->v[i] - c->hi[i]));
    double e = own ? 1.0 : c->row_scale[c->row[i]];
    primal = po_max(primal, off / (e * (1.0 + (own ? 1.0 : c->row_norm[i]) * x_norm)));
    if (i < c->ne) primal_equalities = primal;
  }
  for (int k = c->ns_rows; k < c->ns; k++) {
    double off = c->beta[k] - c->sign[k] * c->v[c->side[k]];
    if (off > 0) primal = po_max(primal, off * (own ? 1.0 : c->col_scale[c->var[c->side[k] - c->m]]) / (1.0 + x_norm));
  }
  for (int j = 0; j < c->n; j++) {
    double f = own ? 1.0 : 1.0 / (c->cost * c->col_scale[c->var[j]]);
    rd = po_max(rd, po_abs(c->rd[j]));
    dual = po_max(dual, f * po_abs(c->rd[j]));
    hx = po_max(hx, f * po_abs(c->hx[j]));
    gl = po_max(gl, f * po_abs(c->hx[j] + c->g[j] - c->rd[j]));
  }
  c->x_norm = x_norm;
  c->primal = primal;
  c->dual = dual / (1.0 + po_max(po_max(hx, gl), own ? 0.0 : c->g_norm));
  ips_judge_solves(c, rd, rp, primal_equalities);
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
  /* What a row changes by follows from its multiplier, c + D dv = −dlam, or from G dx. For active rows (D large) the first is better: the
   * second is a small difference of large products. For inactive ones the second is, but it only matters where solves are refined. */
  if (c->refine > 0 && m > 0) {
    po_gemv(c->dv, c->G, c->dx);
    if (c->elastic != 0.0) po_axpy(c->dv, c->elastic, c->dlam, m);
  }
  for (int i = c->ne; i < m; i++)
    if (c->refine == 0 || c->D[i] > 1.0) c->dv[i] = -(c->dlam[i] + c->c[i]) / c->D[i];
  for (int k = 0; k < c->ns; k++) {
    c->dt[k] = c->sign[k] * c->dv[c->side[k]] + c->r[k];
    c->dz[k] = -(c->rc[k] + c->z[k] * c->dt[k]) / c->t[k];
  }
}

/* The longest step, at most `limit`, that keeps t + a dt >= 0. */
static double ips_longest(const double *t, const double *dt, int n, double limit) {
  double a = limit;
  for (int k = 0; k < n; k++)
    if (-t[k] > a * dt[k]) a = -t[k] / dt[k];
  return a;
}

static int ips_finite(const ip_core *c) {
  return po_all_finite(c->dx, c->n) && po_all_finite(c->dlam, c->m) && po_all_finite(c->dz, c->ns);
}

static void ips_copy(double *to, const double *from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}

/* Mehrotra (1992): the affine direction tells how far complementarity can fall and what its second-order term is. */
static double ips_predict(ip_core *c) {
  double ap, ad, mu_affine = 0, sigma;
  for (int k = 0; k < c->ns; k++) c->rc[k] = c->t[k] * c->z[k];
  ips_direction(c);
  if (c->ns == 0) return 0.0;
  ap = ips_longest(c->t, c->dt, c->ns, 1.0);
  ad = ips_longest(c->z, c->dz, c->ns, 1.0);
  for (int k = 0; k < c->ns; k++) mu_affine += (c->t[k] + ap * c->dt[k]) * (c->z[k] + ad * c->dz[k]);
  sigma = mu_affine / (c->ns * c->mu);
  sigma = po_clamp(sigma * sigma * sigma, IP_SIGMA_MIN, 1.0);
  return po_max(sigma * c->mu, po_min(c->mu, c->mu_floor));
}

/* Gondzio (1996), as in Colombo and Gondzio (2008): aim at a longer step, see which products t z would leave [0.1, 10]·target
 * there, and correct for those. Kept when the step does become longer. */
static void ips_correct_again(ip_core *c, double target) {
  int all = c->m + c->n;
  for (int round = 0; round < c->correctors; round++) {
    double ap = ips_longest(c->t, c->dt, c->ns, 1.0), ad = ips_longest(c->z, c->dz, c->ns, 1.0);
    double bp = po_min(1.0, 1.08 * ap + IP_LONGER), bd = po_min(1.0, 1.08 * ad + IP_LONGER);
    if (po_min(ap, ad) > IP_STEP_BACK) return;
    ips_copy(c->kept_dv, c->dv, all);
    ips_copy(c->kept_dlam, c->dlam, c->m);
    ips_copy(c->kept_dt, c->dt, c->ns);
    ips_copy(c->kept_dz, c->dz, c->ns);
    for (int k = 0; k < c->ns; k++) {
      double product = (c->t[k] + bp * c->dt[k]) * (c->z[k] + bd * c->dz[k]);
      double move = po_clamp(product, 0.1 * target, 10.0 * target) - product;
      c->rc[k] -= po_max(move, -10.0 * target);
    }
    ips_direction(c);
    if (ips_finite(c) && ips_longest(c->t, c->dt, c->ns, 1.0) + ips_longest(c->z, c->dz, c->ns, 1.0) >= ap + ad + 0.1 * IP_LONGER) continue;
    ips_copy(c->dv, c->kept_dv, all);
    ips_copy(c->dlam, c->kept_dlam, c->m);
    ips_copy(c->dt, c->kept_dt, c->ns);
    ips_copy(c->dz, c->kept_dz, c->ns);
    return;
  }
}

/* ---- the step ------------------------------------------------------------------------------------------------------------ */

/* Different lengths for x, t and for the multipliers leave  rd = (1 − ad) rd + (ap − ad) H dx. They are allowed as long as that
 * still falls; else both take the shorter one. Records what is promised. */
static void ips_choose_lengths(ip_core *c, double *ap, double *ad) {
  double shorter = po_min(*ap, *ad), left = (1.0 - shorter) * c->was_rd;
  if (po_abs(*ap - *ad) > IP_EQUAL_LENGTHS) {
    double norm = 0, *hdx = c->e1;
    po_ip_hessian(hdx, c, c->dx);
    for (int j = 0; j < c->n; j++) norm = po_max(norm, po_abs((1.0 - *ad) * c->rd[j] + (*ap - *ad) * hdx[j]));
    if (norm <= (1.0 - 0.5 * shorter) * c->was_rd) left = norm;
    else *ap = *ad = shorter;
  } else {
    *ap = *ad = shorter;
  }
  c->promise_rd = left;
  c->promise_rp = (1.0 - *ap) * c->was_rp;
}

int po_ip_step(ip_core *c, double *alpha) {
  double ap, ad, back, target;
  ips_weights(c);
  if (!po_ip_factor(c)) return 0;
  target = ips_predict(c);
  if (!ips_finite(c)) return 0;
  if (c->ns > 0) {
    for (int k = 0; k < c->ns; k++) c->rc[k] = c->t[k] * c->z[k] + c->dt[k] * c->dz[k] - target;
    ips_direction(c);
    if (!ips_finite(c)) return 0;
    ips_correct_again(c, target);
  }
  back = po_max(IP_STEP_BACK, 1.0 - c->mu);
  ap = po_min(1.0, back * ips_longest(c->t, c->dt, c->ns, 1.0 / back));
  ad = po_min(1.0, back * ips_longest(c->z, c->dz, c->ns, 1.0 / back));
  ips_choose_lengths(c, &ap, &ad);
  po_axpy(c->x, ap, c->dx, c->n);
  po_axpy(c->t, ap, c->dt, c->ns);
  po_axpy(c->z, ad, c->dz, c->ns);
  po_axpy(c->lam, ad, c->dlam, c->ne);
  *alpha = po_min(ap, ad);
  return 1;
}

/* ---- starting point ------------------------------------------------------------------------------------------------------ */

/* The minimizer of the cost plus ½Σ(sign·v − beta)² over all sides is near every bound it has, and one factorization away. Slacks
 * are shifted from there until all are positive; multipliers are all alike, of the size of the gradient they have to balance. */
int po_ip_start(ip_core *c) {
  int m = c->m;
  double low = PO_INF, gradient = 0;
  for (int i = 0; i < m + c->n; i++) c->D[i] = c->c[i] = 0;
  for (int k = 0; k < c->ns; k++)
    if (po_abs(c->beta[k]) <= IP_START_FAR) {
      c->D[c->side[k]] += 1.0;
      c->c[c->side[k]] += c->sign[k] * c->beta[k];
    }
  for (int i = c->ne; i < m; i++) c->D[i] = po_max(c->D[i], 1.0 / IP_START_FAR); /* a row that nothing pulls */
  if (!po_ip_factor(c)) return 0;
  for (int j = 0; j < c->n; j++) c->r1[j] = c->c[m + j] - c->g[j];
  for (int i = 0; i < m; i++) c->r2[i] = i < c->ne ? c->lo[i] : c->c[i] / c->D[i];
  po_ip_solve(c);
  ips_copy(c->x, c->dx, c->n);
  ips_copy(c->lam, c->dlam, m);
  if (!po_all_finite(c->x, c->n) || !po_all_finite(c->lam, m)) return 0;
  ips_row_values(c);
  po_ip_hessian(c->hx, c, c->x);
  for (int j = 0; j < c->n; j++) gradient = po_max(gradient, po_abs(c->hx[j] + c->g[j]));
  for (int k = 0; k < c->ns; k++) {
    c->t[k] = c->sign[k] * c->v[c->side[k]] - c->beta[k];
    low = po_min(low, c->t[k]);
  }
  for (int k = 0; k < c->ns; k++) {
    if (low < IP_START_SLACK) c->t[k] += 1.0 - low;
    c->z[k] = po_max(IP_START_Z, IP_START_SHARE * gradient) * po_min(1.0, IP_START_FAR / c->t[k]);
  }
  c->promise_rd = -1.0;
  return 1;
}

/* ---- the best iterate ---------------------------------------------------------------------------------------------------- */

void po_ip_keep_best(ip_core *c) {
  if (!(c->merit < c->best_merit)) return;
  c->best_merit = c->merit;
  ips_copy(c->best_x, c->x, c->n);
  ips_copy(c->best_lam, c->lam, c->m);
  ips_copy(c->best_t, c->t, c->ns);
  ips_copy(c->best_z, c->z, c->ns);
}
void po_ip_back_to_best(ip_core *c) {
  if (!(c->best_merit < PO_INF) || c->merit <= c->best_merit) return;
  ips_copy(c->x, c->best_x, c->n);
  ips_copy(c->lam, c->best_lam, c->m);
  ips_copy(c->t, c->best_t, c->ns);
  ips_copy(c->z, c->best_z, c->ns);
  c->promise_rd = -1.0;
  po_ip_measure(c);
}
