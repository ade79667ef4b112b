/* iterate.c: sweep, step, search: the iteration that both methods share, and how its steps are judged.
 *
 * A step is judged by the merit  cost + Σ ν_i |ψ_i| (+ β Σ −log distance),  ν ≥ 2|μ|: the multipliers then never tempt it away
 * from the goal. A step that fails is halved; when halving does not help, `reg` is added to Quu's diagonal and the sweep repeated.
 * A step that had to be halved twice, or kept little of its promise, went beyond where the model holds: it raises reg as well. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

#define ITER_HALVINGS 9     /* 1/256: beyond that the direction is at fault, not the length */
#define ITER_ARMIJO 1e-4    /* share of the promised decrease that must come true */
#define ITER_NOISE 1e-12    /* relative: what rounding does to a merit summed over hundreds of frames */
/* Regularization as Tassa et al. (2014) publish it: */
#define ITER_REG_LEAST 1e-6
#define ITER_REG_MOST 1e12
#define ITER_REG_CAUTIOUS 1 /* where a problem begins whose first step did not come true */
#define ITER_REG_FACTOR 1.6 /* grows and shrinks faster the longer it does */
/* A step within these bounds is trusted, and the next may be bolder. Without them the car's parking ends in whichever of six optima
 * the last bold step happens to reach; with them moved guesses agree. On the way to a goal, or between barriers, a short step says
 * nothing about the model: the multipliers and the room to the bounds shorten it. */
#define ITER_TRUSTED_LENGTH 0.5
#define ITER_TRUSTED_SHARE 0.1
#define ITER_TRUE 0.5 /* share of the promise at which the first step counts as come true: the problem is nearly linear–quadratic */
#define ITER_SHORT 0.13 /* steps up to this length count as short */
#define ITER_IDLE                                                                                                                  \
  5 /* steps in a row that changed the merit by no more than rounding does, and the certificate by less than a tenth */
#define ITER_GOAL_PATIENCE 25 /* iterations in which a goal's error must have fallen by a tenth while it is far ... */
#define ITER_GOAL_FAR 1e-3    /* ... in the goal's units; a path along a curved goal hovers below that for long */
#define ITER_GOAL_NEAR_PATIENCE 100

/* ---- regularization
 * ------------------------------------------------------------------------------------------------------------- */

static void iter_stiffen(ddp_run *r) {
  r->reg_factor = po_max(ITER_REG_FACTOR, r->reg_factor * ITER_REG_FACTOR);
  r->d->reg = po_max(ITER_REG_LEAST, r->d->reg * r->reg_factor);
}

static void iter_soften(ddp_run *r) {
  r->reg_factor = po_min(1 / ITER_REG_FACTOR, r->reg_factor / ITER_REG_FACTOR);
  r->d->reg *= r->reg_factor;
  if (r->d->reg < ITER_REG_LEAST) r->d->reg = 0;
}

/* ---- merit
 * ------------------------------------------------------------------------------------------------------------------------ */

static double iter_merit(const po_ddp *d, const ddp_path *t, double barrier) {
  double sum = t->cost + d->beta * barrier;
  for (int i = 0; i < d->ng; i++) sum += d->nu_merit[i] * po_abs(t->psi[i]);
  return sum;
}

/* The decrease of the merit that the model promises for a whole step. With L = cost + μ'ψ + ½ρψ² the model foresees the cost
 *   cost + μ'ψ + ½ρψ² + Σ(k'Qu + ½k'Quu k) + ½(Vm'δμ + Vp'δp)   and ψ = 0. */
static double iter_promise(ddp_run *r) {
  po_ddp *d = r->d;
  double model = -(r->sweep.linear + r->sweep.quadratic) - r->gain, error = 0;
  for (int i = 0; i < d->ng; i++) {
    double psi = d->now.psi[i];
    double wish = 2 * po_max(po_abs(d->now.mu[i] + d->dmu[i]), po_abs(d->now.mu[i]));
    d->nu_merit[i] =
        po_max(wish, 0.5 * (d->nu_merit[i] +
                            wish)); /* falls again, by halves (Powell 1978): multipliers of the first iterations may be huge */
    model -= (d->now.mu[i] + 0.5 * d->rho[i] * psi) * psi;
    error += d->nu_merit[i] * po_abs(psi);
  }
  if (error > 0 && model + error < 0.1 * error) { /* the goal must outweigh what reaching it costs */
    double grow = po_max(1.0, (0.1 * error - model) / error);
    po_scale(d->nu_merit, grow, d->ng);
    error *= grow;
  }
  return model + error;
}

/* Tries steps until one is good enough. r->alpha: its length, 0 when none was; r->ratio: share of the promise that came true. */
static po_status iter_search(ddp_run *r) {
  po_ddp *d = r->d;
  double promise = iter_promise(r), merit = iter_merit(d, &d->now, d->interior ? po_ddp_barrier(d, &d->now) : 0), a = 1;
  double slack = ITER_NOISE * (1 + po_abs(merit));
  r->alpha = r->ratio = 0;
  for (int half = 0; half < ITER_HALVINGS; half++) {
    ddp_rollout out;
    po_status status = po_ddp_roll(d, a, &out);
    if (status != PO_OK) return status;
    if (out.finite && out.room >= 1) {
      double there = iter_merit(d, &d->trial, out.barrier);
      if (there <= merit - ITER_ARMIJO * a * promise + slack) {
        r->alpha = a;
        r->ratio = promise > slack ? (merit - there) / (a * promise) : 1;
        r->idle = merit - there > slack ? 0 : r->idle + 1;
        return PO_OK;
      }
    }
    /* where a bound was in the way, go nearly there; else halve */
    a *= out.finite && out.room < 1 ? po_max(0.1, 0.99 * out.room) : 0.5;
  }
  return PO_OK;
}

/* Copied, not exchanged: d->now lies in the bytes that are saved. */
void po_ddp_copy_path(const po_ddp *d, ddp_path *to, const ddp_path *from) {
  size_t controls = (size_t)d->N * (size_t)d->nu_max * sizeof(double);
  memcpy(to->x, from->x, sizeof(double) * (size_t)(d->N + 1) * (size_t)d->nx);
  memcpy(to->u, from->u, controls);
  memcpy(to->zl, from->zl, controls);
  memcpy(to->zu, from->zu, controls);
  memcpy(to->mu, from->mu, sizeof(double) * (size_t)d->ng);
  memcpy(to->p, from->p, sizeof(double) * (size_t)d->np);
  memcpy(to->value, from->value, sizeof(double) * (size_t)(d->N + 1));
  memcpy(to->psi, from->psi, sizeof(double) * (size_t)d->ng);
  to->cost = from->cost;
}

/* ---- the iteration
 * ------------------------------------------------------------------------------------------------------------------ */

static int iter_within(const ddp_run *r) {
  return po_ddp_goal_error(r->d, &r->d->now) <= r->tol_goal && r->sweep.stationarity <= r->tol_stationarity &&
         r->sweep.complementarity <= r->tol_complementarity;
}

/* 1 when the goal has come no nearer for a long time. */
static int iter_goal_is_lost(ddp_run *r) {
  double error = po_ddp_goal_error(r->d, &r->d->now);
  if (error <= r->tol_goal || error < 0.9 * r->goal_best) {
    r->goal_best = error;
    r->goal_since = r->iterations;
  }
  return r->iterations - r->goal_since > (error > ITER_GOAL_FAR ? ITER_GOAL_PATIENCE : ITER_GOAL_NEAR_PATIENCE);
}

/* Where the merit cannot be seen to fall any more the certificate may still get better. */
static void iter_watch(ddp_run *r) {
  if (r->sweep.failed_at >= 0 || r->sweep.stationarity > 0.9 * r->stationarity_best) return;
  r->stationarity_best = r->sweep.stationarity;
  r->idle = 0;
}

/* One attempt at a step from a sweep that succeeded. 1 when the path moved. */
static po_status iter_step(ddp_run *r, int *moved) {
  po_ddp *d = r->d;
  po_status status = po_ddp_saddle(d, &r->gain);
  *moved = 0;
  r->alpha = r->ratio = 0;
  if (status == PO_ERR_SINGULAR) return PO_OK;
  if (status == PO_OK) status = iter_search(r);
  if (status != PO_OK || r->alpha == 0) return status;
  if (r->first && !(r->alpha == 1 && r->ratio > ITER_TRUE)) return PO_OK; /* begin again, with more caution */
  po_ddp_copy_path(d, &d->now, &d->trial);
  *moved = 1;
  r->iterations++;
  r->short_steps = r->alpha <= ITER_SHORT ? r->short_steps + 1 : 0;
  if (d->interior) po_ddp_next_barrier(d, r->alpha);
  if (d->ng == 0 && !d->interior && (r->alpha < ITER_TRUSTED_LENGTH || r->ratio < ITER_TRUSTED_SHARE)) iter_stiffen(r);
  else iter_soften(r);
  return PO_OK;
}

/* What a sweep's certificate says: DDP_CONVERGED (with gains that no regularization has touched), DDP_GOING otherwise. */
static po_status iter_judge(ddp_run *r, ddp_end *end) {
  po_status status = PO_OK;
  *end = DDP_GOING;
  if (r->sweep.failed_at >= 0 || !iter_within(r)) return PO_OK;
  if (r->d->reg > 0) {
    r->d->reg = 0;
    r->reg_factor = 1;
    status = po_ddp_backward(r->d, &r->sweep);
  }
  *end = r->sweep.failed_at < 0 ? DDP_CONVERGED : DDP_STUCK; /* stationary, but no minimum */
  return status;
}

po_status po_ddp_iterate(ddp_run *r, ddp_end *end) {
  po_ddp *d = r->d;
  r->short_steps = r->idle = 0;
  r->goal_best = r->stationarity_best = PO_INF;
  r->goal_since = r->iterations;
  for (;;) {
    int moved = 0;
    po_status status = po_ddp_backward(d, &r->sweep);
    if (status == PO_OK) status = iter_judge(r, end);
    if (status != PO_OK || *end != DDP_GOING) return status;
    iter_watch(r);
    *end = r->iterations >= d->opts.max_iterations                                         ? DDP_LIMIT
           : r->short_steps >= r->patience || r->idle >= ITER_IDLE || iter_goal_is_lost(r) ? DDP_STUCK
                                                                                           : DDP_GOING;
    if (*end != DDP_GOING) return PO_OK;
    if (r->sweep.failed_at < 0) status = iter_step(r, &moved);
    if (status != PO_OK) return status;
    if (!moved) {
      if (r->first) d->reg = po_max(d->reg, ITER_REG_CAUTIOUS);
      else iter_stiffen(r);
      if (d->reg > (r->yields ? 0 : ITER_REG_MOST)) {
        *end = DDP_STUCK;
        return PO_OK;
      }
    }
    r->first = 0;
  }
}

/* ---- from the interior onto the bounds
 * --------------------------------------------------------------------------------------------------- */

/* Whole steps of the active method, unjudged: each puts more controls exactly on their bounds and throws the goal off by a little,
 * which the next one mends. So the merit cannot judge them one by one; the certificate judges the end. */
#define ITER_POLISH 5
#define ITER_POLISH_FALL 0.3 /* what is left of the stationarity after a step that leads anywhere */

po_status po_ddp_polish(ddp_run *r) {
  po_ddp *d = r->d;
  double beta = d->beta, last = PO_INF;
  po_status status = PO_OK;
  po_ddp_copy_path(d, &d->keep, &d->now);
  d->interior = 0;
  d->beta = d->reg = 0;
  for (int step = 0; step <= ITER_POLISH && status == PO_OK; step++) {
    ddp_rollout out;
    status = po_ddp_backward(d, &r->sweep);
    if (status != PO_OK || r->sweep.failed_at >= 0) break;
    if (iter_within(r)) return PO_OK;
    if (step == ITER_POLISH || (step > 2 && r->sweep.stationarity > ITER_POLISH_FALL * last) || po_ddp_saddle(d, &r->gain) != PO_OK)
      break;
    last = r->sweep.stationarity;
    status = po_ddp_roll(d, 1, &out);
    if (status != PO_OK || !out.finite) break;
    po_ddp_copy_path(d, &d->now, &d->trial);
    r->iterations++;
  }
  if (status != PO_OK) return status;
  po_ddp_copy_path(d, &d->now, &d->keep); /* the interior's own answer stands */
  d->interior = 1;
  d->beta = beta;
  return po_ddp_backward(d, &r->sweep);
}
