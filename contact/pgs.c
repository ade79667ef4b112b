/* pgs.c: projected Gauss–Seidel, one contact (normal and friction pair) at a time.
 *
 * Each unit is solved with all others held, and w = M z + q is kept up to date, so that a sweep costs 2n² operations. A contact under
 * the cone law is solved exactly (coulomb.c); under the other laws it is exact while it sticks, and one projected step otherwise. All of
 * these have the solutions of the whole problem as their only fixed points.
 */
#include "lcp_internal.h"

static void pgs_shift(po_lcp_work *work, int row, double dz) {
  if (dz != 0) po_axpy(work->w, dz, po_row(work->p->M, row), work->p->n);
}

static double pgs_row(po_lcp_work *work, double *z, const po_lcp_unit *u) {
  const po_lcp *p = work->p;
  double d = PO_AT(p->M, u->n, u->n), at, dz;
  if (!(d > 0)) { /* a zero row moves nothing: a finite bound is as good as any other point, an infinite one is infeasible */
    double bound = work->w[u->n] < 0 ? po_lcp_hi(p, u->n) : po_lcp_lo(p, u->n);
    at = po_isfinite(bound) && work->w[u->n] != 0 ? bound : po_clamp(z[u->n], po_lcp_lo(p, u->n), po_lcp_hi(p, u->n));
  } else {
    at = po_clamp(z[u->n] - work->w[u->n] / d, po_lcp_lo(p, u->n), po_lcp_hi(p, u->n));
  }
  dz = at - z[u->n];
  z[u->n] = at;
  pgs_shift(work, u->n, dz);
  return u->d * fabs(dz);
}

/* Largest eigenvalue of the friction pair's 2×2 block: the step that is safe for the projection. */
static double pgs_pair_scale(po_mat M, int t) {
  double a = PO_AT(M, t, t), b = PO_AT(M, t, t + 1), c = PO_AT(M, t + 1, t + 1), h = 0.5 * (a - c);
  double largest = 0.5 * (a + c) + sqrt(h * h + b * b);
  return largest > 0 ? largest : 1;
}

static double pgs_friction(po_lcp_work *work, double *z, const po_lcp_unit *u) {
  double radius = work->radius ? work->radius[u - work->unit] : u->mu * po_max(0, z[u->n]), y[2] = {0, 0}, change = 0;
  int c, box = work->shape.law == PO_FRICTION_BOX || u->count == 1;
  if (box) {
    for (c = 0; c < u->count; c++) {
      int i = u->t + c;
      double d = PO_AT(work->p->M, i, i), at = po_clamp(d > 0 ? z[i] - work->w[i] / d : z[i], -radius, radius), dz = at - z[i];
      z[i] = at;
      pgs_shift(work, i, dz);
      change = po_max(change, u->dt * fabs(dz));
    }
    return change;
  }
  {
    double scale = pgs_pair_scale(work->p->M, u->t);
    for (c = 0; c < 2; c++) y[c] = z[u->t + c] - work->w[u->t + c] / scale;
  }
  po_friction_project(&work->shape, 2, radius, y);
  for (c = 0; c < 2; c++) {
    double dz = y[c] - z[u->t + c];
    z[u->t + c] = y[c];
    pgs_shift(work, u->t + c, dz);
    change = po_max(change, u->dt * fabs(dz));
  }
  return change;
}

static double pgs_contact(po_lcp_work *work, double *z, const po_lcp_unit *u) {
  double D[9], b[3] = {0, 0, 0}, p[3] = {0, 0, 0}, change = 0;
  int rows[3], i;
  if (work->radius) {
    change = pgs_row(work, z, u);
    return po_max(change, pgs_friction(work, z, u));
  }
  rows[0] = u->n;
  rows[1] = u->t;
  rows[2] = u->t + 1;
  po_lcp_unit_block(D, u, work->p);
  for (i = 0; i <= u->count; i++) p[i] = z[rows[i]];
  for (i = 0; i <= u->count; i++) b[i] = work->w[rows[i]] - (D[3 * i] * p[0] + D[3 * i + 1] * p[1] + D[3 * i + 2] * p[2]);
  po_contact_block(p, b, D, u->inverse, u->regular, u->mu, &work->shape);
  for (i = 0; i <= u->count; i++) {
    double dz = p[i] - z[rows[i]];
    z[rows[i]] = p[i];
    pgs_shift(work, rows[i], dz);
    change = po_max(change, (i == 0 ? u->d : u->dt) * fabs(dz));
  }
  return change;
}

double po_lcp_sweep(po_lcp_work *work, double *z, int backward) {
  double worst = 0;
  int k;
  for (k = 0; k < work->units; k++) {
    const po_lcp_unit *u = &work->unit[backward ? work->units - 1 - k : k];
    double change = u->kind == PO_UNIT_ROW ? pgs_row(work, z, u) : u->kind == PO_UNIT_CONTACT ? pgs_contact(work, z, u) : pgs_friction(work, z, u);
    if (!(change <= worst)) worst = change;
  }
  return worst;
}

void po_lcp_pgs(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch) {
  po_lcp_work work;
  double change;
  if (po_lcp_work_init(&work, p, scratch) != PO_OK) return;
  result->outcome = PO_LCP_LIMIT;
  po_lcp_refresh(&work, z);
  while ((result->residual = po_lcp_natural(&work, z)) > opts->tolerance && result->sweeps < opts->max_sweeps) {
    /* the residual costs as little as the changes, but only the changes come for free: look at it when they are small */
    do {
      change = po_lcp_sweep(&work, z, result->sweeps & 1);
      result->sweeps++;
      if (result->sweeps % 50 == 0) po_lcp_refresh(&work, z);
    } while (change > opts->tolerance && result->sweeps < opts->max_sweeps);
    po_lcp_refresh(&work, z);
  }
  if (!po_isfinite(result->residual))
    result->outcome = PO_LCP_NUMERICAL;
  else if (result->residual <= opts->tolerance)
    result->outcome = PO_LCP_SOLVED;
  else
    result->outcome = po_lcp_away_outcome(p, z, PO_LCP_LIMIT, work.w);
}
