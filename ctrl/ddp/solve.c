/* solve.c: the call: the door, the start, which method when, the finish. docs/ddp.md tells the whole. */
#include "ddp_internal.h"

#include <string.h>

#define DDPS_HEADWAY 12          /* short steps in a row after which `auto` changes the method ... */
#define DDPS_HEADWAY_TO_A_GOAL 2 /* ... and when there is a goal: with 40 random pushes a mean of 14.7 sweeps, 28 at most */
#define DDPS_NO_LIMIT 100000

/* ---- where to start
 * ------------------------------------------------------------------------------------------------------------------ */

/* The last solution followed by its own feedback law from this problem's start, frame 0 being its frame `skip`: controls in
 * d->trial.u. The old sizes are still in force. Where the old solution has ended, or had another number of controls, these are
 * zero. */
static po_status ddps_follow(po_ddp *d, const po_ddp_problem *p, int skip, const double *par) {
  double *x = d->trial.x, *dx = d->work;
  size_t stride = (size_t)p->size.nu;
  po_status status = PO_OK;
  memset(d->trial.u, 0, sizeof(double) * (size_t)p->size.frames * stride);
  memcpy(x, p->start, sizeof(double) * (size_t)d->nx);
  for (int k = 0; k < p->size.frames && status == PO_OK; k++) {
    double *u = d->trial.u + (size_t)k * stride, *here = x + (size_t)k * (size_t)d->nx, cost;
    int old = k + skip, nu = po_ddp_controls(p, k);
    if (old < d->N && d->nu[old] == nu) {
      po_mat W = ddp_gains(d, old);
      for (int i = 0; i < d->nx; i++) dx[i] = here[i] - ddp_x(d, &d->now, old)[i];
      for (int i = 0; i < nu; i++) {
        double lower = p->lower ? p->lower[(size_t)k * stride + (size_t)i] : -PO_INF;
        double upper = p->upper ? p->upper[(size_t)k * stride + (size_t)i] : PO_INF;
        u[i] = po_clamp(ddp_u(d, d->now.u, old)[i] + po_dot(po_row(W, i), dx, d->nx), lower, upper);
      }
    }
    status = p->step(p->user, here + d->nx, &cost, k, here, u, par);
    if (status == PO_OK && !po_all_finite(here + d->nx, d->nx)) status = PO_ERR_NOT_FINITE;
  }
  return status;
}

/* Parameters, multipliers and controls to start from, in the memory of the path. */
static po_status ddps_start(po_ddp *d, const po_ddp_problem *p, const po_ddp_start *start) {
  po_ddp_sizes s = p->size;
  size_t controls = (size_t)s.frames * (size_t)s.nu;
  int warm = start && start->warm && d->head.valid && d->nx == s.nx && d->np == s.np && d->ng == s.ng;
  po_status status = PO_OK;
  for (int i = 0; i < s.ng; i++) d->now.mu[i] = start && start->mu ? start->mu[i] : warm ? d->now.mu[i] : 0;
  for (int i = 0; i < s.np; i++) {
    int kept = warm && p->p_free && p->p_free[i];
    d->now.p[i] = start && start->p ? start->p[i] : kept ? d->now.p[i] : p->p_nominal ? p->p_nominal[i] : 0;
    if (p->p_free && p->p_free[i])
      d->now.p[i] = po_clamp(d->now.p[i], p->p_lower ? p->p_lower[i] : -PO_INF, p->p_upper ? p->p_upper[i] : PO_INF);
  }
  if (!po_all_finite(d->now.p, s.np) || !po_all_finite(d->now.mu, s.ng)) return PO_ERR_NOT_FINITE;
  if (start && start->u && !po_all_finite(start->u, (int)controls)) return PO_ERR_NOT_FINITE;
  /* by way of d->trial: what the caller gives may be this very object's last result */
  if (start && start->u) memcpy(d->trial.u, start->u, sizeof(double) * controls);
  else if (warm) status = ddps_follow(d, p, start->skip > 0 ? start->skip : 0, d->now.p);
  if ((!warm && !(start && start->u)) || status == PO_ERR_NOT_FINITE) memset(d->trial.u, 0, sizeof(double) * controls);
  if (status == PO_ERR_NOT_FINITE) status = PO_OK; /* a feedback law that ran away is no start; zero is */
  po_ddp_adopt_sizes(d, s);
  for (int k = 0; k < s.frames; k++) d->nu[k] = po_ddp_controls(p, k);
  memset(d->now.u, 0, sizeof(double) * controls);
  memset(d->now.zl, 0, sizeof(double) * controls);
  memset(d->now.zu, 0, sizeof(double) * controls);
  memset(d->clamped, 0, controls);
  d->head.box = 0;
  for (int k = 0; k < s.frames; k++)
    for (int i = 0; i < d->nu[k]; i++) {
      size_t at = (size_t)k * (size_t)s.nu + (size_t)i;
      double lower = ddp_lower(d, k, i), upper = ddp_upper(d, k, i);
      d->now.u[at] = po_clamp(d->trial.u[at], lower, upper);
      d->head.box |= lower > -PO_INF || upper < PO_INF;
    }
  return status;
}

/* The path of the controls, and the units of the goal. */
static po_status ddps_roll(po_ddp *d) {
  const po_ddp_problem *p = d->problem;
  int finite;
  po_status status = po_ddp_roll_open(d, &finite);
  if (status == PO_OK && !finite) status = PO_ERR_NOT_FINITE;
  for (int i = 0; i < d->ng; i++) {
    d->scale[i] = p->goal_scale ? p->goal_scale[i] : 1;
    d->rho[i] = p->goal_weight ? p->goal_weight[i] : (1 + po_abs(d->now.cost)) / (d->scale[i] * d->scale[i]);
    d->nu_merit[i] = 0;
  }
  return status;
}

/* ---- which method when
 * -------------------------------------------------------------------------------------------------------------------- */

static po_status ddps_active(ddp_run *r, int patience, ddp_end *end) {
  po_ddp *d = r->d;
  d->interior = 0;
  d->reg = d->beta = 0;
  r->reg_factor = 1;
  r->patience = patience;
  return po_ddp_iterate(r, end);
}

static po_status ddps_interior(ddp_run *r, ddp_end *end) {
  po_ddp *d = r->d;
  po_status status;
  d->interior = 1;
  d->reg = 0;
  r->reg_factor = 1;
  r->patience = DDPS_NO_LIMIT;
  r->first = r->yields = 0;
  r->method = PO_DDP_INTERIOR;
  po_ddp_enter_barrier(d);
  status = ddps_roll(d);
  if (status == PO_OK) status = po_ddp_iterate(r, end);
  return status == PO_OK && *end == DDP_CONVERGED ? po_ddp_polish(r) : status;
}

static po_status ddps_methods(ddp_run *r, ddp_end *end) {
  po_ddp *d = r->d;
  po_status status;
  r->method = PO_DDP_ACTIVE;
  if (!d->head.box) return ddps_active(r, DDPS_NO_LIMIT, end);
  if (d->opts.method == PO_DDP_INTERIOR) return ddps_interior(r, end);
  if (d->opts.method == PO_DDP_ACTIVE) return ddps_active(r, DDPS_NO_LIMIT, end);
  /* With a goal, active either gets there in a few whole steps or has its controls on the wrong bounds for the multipliers it is
   * heading for, which no regularization mends: give up at once, and start anew. */
  r->yields = d->ng > 0;
  r->first = d->ng == 0;
  po_ddp_copy_path(d, &d->start, &d->now);
  status = ddps_active(r, d->ng > 0 ? DDPS_HEADWAY_TO_A_GOAL : DDPS_HEADWAY, end);
  if (status != PO_OK || *end != DDP_STUCK) return status;
  po_ddp_copy_path(d, &d->now, &d->start);
  return ddps_interior(r, end);
}

/* ---- the call
 * --------------------------------------------------------------------------------------------------------------------------------
 * */

static void ddps_report(ddp_run *r, ddp_end end, po_ddp_result *result) {
  po_ddp *d = r->d;
  double error = po_ddp_goal_error(d, &d->now);
  for (int i = 0; i < d->N * d->nu_max; i++) d->z[i] = d->now.zl[i] - d->now.zu[i];
  memset(result, 0, sizeof *result);
  result->status = end == DDP_CONVERGED ? PO_DDP_OPTIMAL : end == DDP_LIMIT ? PO_DDP_ITERATION_LIMIT : PO_DDP_NUMERICAL;
  if (end == DDP_STUCK && error > d->opts.tol_goal) result->status = PO_DDP_GOAL_UNREACHABLE;
  result->method = r->method;
  result->iterations = r->iterations;
  result->sweeps = d->sweeps;
  result->rollouts = d->rollouts;
  result->cost = d->now.cost;
  result->goal_error = error;
  result->stationarity = r->sweep.stationarity;
  result->complementarity = r->sweep.complementarity;
  result->curvature_min = r->sweep.failed_at < 0 ? r->sweep.curvature_min : 0;
  result->x = d->now.x;
  result->u = d->now.u;
  result->mu = d->now.mu;
  result->p = d->now.p;
}

po_status po_ddp_solve(po_ddp_result *result, po_ddp *d, const po_ddp_problem *p, const po_ddp_opts *opts,
                       const po_ddp_start *start) {
  ddp_run r;
  ddp_end end = DDP_LIMIT;
  po_status status;
  if (!d || !p || !result) return PO_ERR_NULL;
  status = po_ddp_problem_check(p, NULL);
  if (status != PO_OK) return status;
  if (!po_ddp_fits(d->head.max, p->size)) return PO_ERR_SIZE;
  memset(&r, 0, sizeof r);
  r.d = d;
  r.first = 1;
  d->problem = p;
  d->opts = opts ? *opts : po_ddp_opts_default();
  if (!(d->opts.tol_goal > 0) || !(d->opts.tol_stationarity > 0) || !(d->opts.tol_complementarity > 0) ||
      d->opts.max_iterations < 0)
    return PO_ERR_RANGE;
  r.tol_goal = d->opts.tol_goal;
  r.tol_stationarity = d->opts.tol_stationarity;
  r.tol_complementarity = d->opts.tol_complementarity;
  d->sweeps = d->rollouts = 0;
  d->interior = 0;
  status = ddps_start(d, p, start);
  d->head.valid = 0;
  if (status == PO_OK) status = ddps_roll(d);
  if (status == PO_OK) status = ddps_methods(&r, &end);
  if (status != PO_OK) return status;
  d->head.valid = end == DDP_CONVERGED || end == DDP_LIMIT;
  ddps_report(&r, end, result);
  return PO_OK;
}
