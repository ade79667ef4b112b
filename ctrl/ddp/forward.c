/* forward.c: the true dynamics along a step of the controls, with the sweep's feedback. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* Of its distance to a bound a control keeps at least this share in one step of the interior method. */
#define DDPF_KEEP 0.005

static po_status ddpf_step(const po_ddp *d, ddp_path *t, int k, int *finite) {
  const po_ddp_problem *p = d->problem;
  double *next = ddp_x(d, t, k + 1);
  po_status status = p->step(p->user, next, &t->value[k], k, ddp_x(d, t, k), ddp_u(d, t->u, k), t->p);
  if (status == PO_OK && !(po_all_finite(next, d->nx) && po_isfinite(t->value[k]))) *finite = 0;
  return status;
}

/* The end, and the sum of all costs. */
static po_status ddpf_end(const po_ddp *d, ddp_path *t, int *finite) {
  const po_ddp_problem *p = d->problem;
  po_status status = PO_OK;
  t->value[d->N] = 0;
  if (p->end) status = p->end(p->user, t->psi, &t->value[d->N], ddp_x(d, t, d->N), t->p);
  t->cost = 0;
  for (int k = 0; k <= d->N; k++) t->cost += t->value[k];
  if (status == PO_OK && !(po_isfinite(t->cost) && po_all_finite(t->psi, d->ng))) *finite = 0;
  return status;
}

po_status po_ddp_roll_open(po_ddp *d, int *finite) {
  ddp_path *t = &d->now;
  po_status status = PO_OK;
  d->rollouts++;
  *finite = 1;
  memcpy(t->x, d->problem->start, sizeof(double) * (size_t)d->nx);
  for (int k = 0; k < d->N && status == PO_OK && *finite; k++) status = ddpf_step(d, t, k, finite);
  if (status == PO_OK && *finite) status = ddpf_end(d, t, finite);
  return status;
}

/* How much of the change du keeps DDPF_KEEP of the distance s when s shrinks by `less`. */
static double ddpf_room(double s, double less) { return less > 0 && less > (1 - DDPF_KEEP) * s ? (1 - DDPF_KEEP) * s / less : 1; }

/* Multipliers of the bounds of one control after it has moved by du: z + α(β/s − z) − z/s ds, kept positive and near β/s of the
 * new s. */
#define DDPF_DUAL_SPREAD 1e8
static double ddpf_dual(double z, double s, double ds, double alpha, double beta) {
  double there = z + alpha * (beta / s - z) - z / s * ds, new_s = s + ds;
  there = po_max(there, DDPF_KEEP * z);
  return po_clamp(there, beta / (DDPF_DUAL_SPREAD * new_s), DDPF_DUAL_SPREAD * beta / new_s);
}

/* The controls of one frame of the trial, from the deviation dx of its state. */
static void ddpf_controls(po_ddp *d, int k, double alpha, const double *dx, ddp_rollout *r) {
  po_mat W = ddp_gains(d, k);
  const double *u0 = ddp_u(d, d->now.u, k), *step = ddp_u(d, d->step, k);
  double *u = ddp_u(d, d->trial.u, k);
  size_t at = (size_t)k * (size_t)d->nu_max;
  for (int i = 0; i < W.rows; i++) {
    double du = alpha * step[i] + po_dot(po_row(W, i), dx, d->nx), lower = ddp_lower(d, k, i), upper = ddp_upper(d, k, i);
    if (d->interior) {
      double lo = u0[i] - lower, hi = upper - u0[i];
      r->room = po_min(r->room, po_min(ddpf_room(lo, -du), ddpf_room(hi, du)));
      u[i] = u0[i] + du;
      if (lo < PO_INF) {
        d->trial.zl[at + (size_t)i] = ddpf_dual(d->now.zl[at + (size_t)i], lo, du, alpha, d->beta);
        if (u[i] > lower) r->barrier -= po_log(u[i] - lower);
      }
      if (hi < PO_INF) {
        d->trial.zu[at + (size_t)i] = ddpf_dual(d->now.zu[at + (size_t)i], hi, -du, alpha, d->beta);
        if (u[i] < upper) r->barrier -= po_log(upper - u[i]);
      }
    } else {
      u[i] = po_clamp(u0[i] + du, lower, upper);
    }
  }
}

po_status po_ddp_roll(po_ddp *d, double alpha, ddp_rollout *r) {
  const po_ddp_problem *p = d->problem;
  ddp_path *t = &d->trial;
  double *dx = d->work;
  po_status status = PO_OK;
  d->rollouts++;
  r->finite = 1;
  r->barrier = 0;
  r->room = 1;
  for (int i = 0; i < d->ng; i++) t->mu[i] = d->now.mu[i] + alpha * d->dmu[i];
  for (int i = 0; i < d->np; i++) {
    t->p[i] = d->now.p[i] + alpha * d->dp[i];
    if (p->p_lower && p->p_free && p->p_free[i]) t->p[i] = po_max(t->p[i], p->p_lower[i]);
    if (p->p_upper && p->p_free && p->p_free[i]) t->p[i] = po_min(t->p[i], p->p_upper[i]);
  }
  memcpy(t->x, p->start, sizeof(double) * (size_t)d->nx);
  for (int k = 0; k < d->N && status == PO_OK && r->finite; k++) {
    const double *x = ddp_x(d, t, k), *x0 = ddp_x(d, &d->now, k);
    for (int i = 0; i < d->nx; i++) dx[i] = x[i] - x0[i];
    ddpf_controls(d, k, alpha, dx, r);
    status = ddpf_step(d, t, k, &r->finite);
  }
  if (status == PO_OK && r->finite) status = ddpf_end(d, t, &r->finite);
  return status;
}

double po_ddp_goal_error(const po_ddp *d, const ddp_path *t) {
  double worst = 0;
  for (int i = 0; i < d->ng; i++) worst = po_max(worst, po_abs(t->psi[i]) / d->scale[i]);
  return worst;
}

double po_ddp_barrier(const po_ddp *d, const ddp_path *t) {
  double sum = 0;
  for (int k = 0; k < d->N; k++)
    for (int i = 0; i < d->nu[k]; i++) {
      double u = ddp_u(d, t->u, k)[i], lo = u - ddp_lower(d, k, i), hi = ddp_upper(d, k, i) - u;
      if (lo < PO_INF) sum -= po_log(lo);
      if (hi < PO_INF) sum -= po_log(hi);
    }
  return sum;
}
