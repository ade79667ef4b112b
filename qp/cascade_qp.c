/* cascade_qp.c: one level of the methods that call po_qp:  min ½ |A w − b|² + ½ |violation of the soft rows|²   s.t. the rows in force.
 *
 * The cost is convex and once differentiable, and quadratic while the same soft rows are violated. So: pull those that are violated at w
 * towards the bounds they miss, as objectives, solve that QP, and go there, or on the way there to where the true cost is least; then look
 * again who is violated. Every round lowers the cost, and when the rows that pull are those that are violated at the QP's answer, that
 * is the minimum. (Newton's method for a piecewise quadratic function, with an exact line search; Madsen and Nielsen 1990 for Huber's.)
 */
#include "cascade.h"

#include <math.h>
#include <string.h>

#define CQP_NEAR 1e-6  /* dual residual of a QP that missed its tolerances, up to which its answer may still be one */
#define CQP_HELD 1e-10 /* a row that pushes less than this, beside what the level misses, does not */
#define CQP_FIRM 1e-9  /* and the primal one: rows in force are kept whatever the cost */

/* ---- who pulls --------------------------------------------------------------------------------------------------------------------- */

/* How far `at` misses the bounds of soft row i: negative below, positive above. */
static double cqp_miss(const po_cascade *c, int i, double at) {
  return at < c->soft_lo[i] ? at - c->soft_lo[i] : at > c->soft_up[i] ? at - c->soft_up[i] : 0;
}

static void cqp_swap(po_cascade *c, int i, int j) {
  double *a = po_row(c->A, c->objectives + i), *b = po_row(c->A, c->objectives + j), lo = c->soft_lo[i], up = c->soft_up[i], at = c->at[c->objectives + i];
  signed char side = c->side[i];
  int row = c->soft[i], l;
  for (l = 0; l < c->dim; l++) {
    double t = a[l];
    a[l] = b[l];
    b[l] = t;
  }
  c->soft[i] = c->soft[j], c->soft[j] = row;
  c->side[i] = c->side[j], c->side[j] = side;
  c->soft_lo[i] = c->soft_lo[j], c->soft_lo[j] = lo;
  c->soft_up[i] = c->soft_up[j], c->soft_up[j] = up;
  c->at[c->objectives + i] = c->at[c->objectives + j], c->at[c->objectives + j] = at;
}

/* The soft rows that are violated at c->at pull from now on, and stand first. */
static void cqp_pull(po_cascade *c) {
  int i;
  c->pulled = 0;
  for (i = 0; i < c->softs; i++) {
    double miss = cqp_miss(c, i, c->at[c->objectives + i]);
    c->side[i] = (signed char)(miss < 0 ? -1 : miss > 0);
  }
  for (i = 0; i < c->softs; i++)
    if (c->side[i]) cqp_swap(c, i, c->pulled++);
  for (i = 0; i < c->pulled; i++) c->b[c->objectives + i] = c->side[i] < 0 ? c->soft_lo[i] : c->soft_up[i];
}

/* 1: at the end of the step the rows that pull are those that are violated there, but for rounding. */
static int cqp_settled(const po_cascade *c) {
  int i;
  for (i = 0; i < c->softs; i++) {
    double at = c->at[c->objectives + i] + c->along[c->objectives + i], bound = c->side[i] < 0 ? c->soft_lo[i] : c->soft_up[i];
    double wrong = c->side[i] < 0 ? at - bound : c->side[i] > 0 ? bound - at : fabs(cqp_miss(c, i, at)); /* inside, or missed though it does not pull */
    if (wrong > 0.01 * PO_CASCADE_HOLDS * (1 + fabs(at))) return 0;
  }
  return 1;
}

/* Derivative of the true cost at A w = at + t along, in the direction of `along`. */
static double cqp_slope(const po_cascade *c, double t) {
  double sum = 0;
  int i;
  for (i = 0; i < c->objectives; i++) sum += (c->at[i] + t * c->along[i] - c->b[i]) * c->along[i];
  for (; i < c->objectives + c->softs; i++) sum += cqp_miss(c, i - c->objectives, c->at[i] + t * c->along[i]) * c->along[i];
  return sum;
}

/* Where in (0, 1] the true cost is least: its slope grows with t. */
static double cqp_line(const po_cascade *c) {
  double from = 0, to = 1;
  int i;
  if (cqp_slope(c, 1) <= 0) return 1;
  for (i = 0; i < 52; i++) {
    double t = 0.5 * (from + to);
    if (cqp_slope(c, t) <= 0) from = t;
    else to = t;
  }
  return to;
}

/* ---- one QP ------------------------------------------------------------------------------------------------------------------------- */

/* With damping, which is a cost on w itself: H = A'A + damping, g = −A'b, over the objectives and the soft rows that pull. */
static void cqp_damped(po_cascade *c) {
  int rows = c->objectives + c->pulled, i;
  double trace = 0;
  c->H.rows = c->H.cols = c->dim;
  po_mat_zero(c->H);
  if (rows) {
    po_mat A = po_block(c->A, 0, 0, rows, c->dim);
    po_syrk(c->H, PO_LOWER, 0, 1, A, PO_T);
    po_mat_symmetrize(c->H, PO_LOWER);
    po_gemv_t(c->g, A, c->b);
  } else {
    memset(c->g, 0, sizeof(double) * (size_t)c->dim);
  }
  for (i = 0; i < c->dim; i++) trace += PO_AT(c->H, i, i);
  for (i = 0; i < c->dim; i++) PO_AT(c->H, i, i) += c->opts->damping * trace / c->dim;
  for (i = 0; i < c->dim; i++) c->g[i] = -c->g[i];
  c->result->flops += (double)rows * c->dim * c->dim;
}

/* H is singular where the level does not see: that is for the levels below. Proximal steps
 *     w <- argmin ½ w'Hw + g'w + ½ sigma |w − centre|²  (from coordinate `first` on),   centre <- w
 * make every QP strictly convex, which po_qp solves by whole working sets, and their fixed point is a minimizer of the level itself: the
 * term is not damping. Two or three do, and all but the first start from the same factors and the same active set. */
static po_status cqp_proximal(po_cascade *c, po_qp_solver *solver, po_qp *qp, const po_qp_opts *opts, const po_qp_warm *warm, int first, po_qp_result *r) {
  double trace = 0, sigma, moved = 0;
  int i, round;
  po_status failed = PO_OK;
  po_qp_warm start = *warm;
  for (i = 0; i < c->dim; i++) trace += PO_AT(c->H, i, i);
  sigma = trace > 0 ? PO_CASCADE_SIGMA * trace / c->dim : 1;
  for (i = first; i < c->dim; i++) PO_AT(c->H, i, i) += sigma;
  memset(c->centre, 0, sizeof(double) * (size_t)qp->n);
  for (round = 0; round < PO_CASCADE_STEPS; round++) {
    for (i = 0; i < qp->n; i++) c->shifted[i] = c->g[i] - (i < first ? 0 : sigma * c->centre[i]);
    qp->g = c->shifted;
    qp->same_H = qp->same_rows = round > 0;
    failed = po_qp_solve(r, solver, qp, opts, &start);
    if (failed != PO_OK || r->status != PO_QP_OPTIMAL) break;
    for (i = first, moved = 0; i < c->dim; i++) moved = po_max(moved, sigma * fabs(r->x[i] - c->centre[i]));
    memcpy(c->centre, r->x, sizeof(double) * (size_t)qp->n);
    moved /= 1 + po_norm_inf(c->g, c->dim); /* what is left of the gradient of the level itself */
    if (moved <= 0.1 * PO_CASCADE_QP_TOL || !(trace > 0)) break;
    start = po_qp_last(solver);
  }
  for (i = first; i < c->dim; i++) PO_AT(c->H, i, i) -= sigma;
  qp->g = c->g;
  qp->same_H = qp->same_rows = 0;
  if (!(trace > 0)) return failed;
  r->dual_residual = po_max(r->dual_residual, moved);
  if (failed == PO_OK && r->status == PO_QP_OPTIMAL && moved > PO_CASCADE_QP_TOL) r->status = PO_QP_NUMERICAL;
  return failed;
}

/* An answer that may be one. */
static int cqp_near(const po_qp_result *r) { return r->status == PO_QP_NUMERICAL && r->primal_residual <= CQP_FIRM && r->dual_residual <= CQP_NEAR; }

/* The QP for the rows that pull now, laid out in *qp and solved; turned: in the variables of cascade_turn.c. */
static po_status cqp_call(po_cascade *c, po_qp_solver *solver, int last, int turned, po_qp_result *r) {
  po_qp qp;
  po_qp_opts opts = po_qp_opts_preset(c->opts->qp, PO_QP_FAST);
  po_qp_warm warm;
  po_status failed;
  int diagonal = -c->dim, first = turned ? c->rank : 0;
  memset(&qp, 0, sizeof qp);
  memset(&warm, 0, sizeof warm);
  qp.n = c->dim;
  qp.me = c->equalities;
  qp.mi = c->in_force;
  qp.H = c->H;
  qp.g = c->g;
  qp.A = turned ? c->TE : c->E;
  qp.b = turned ? c->te : c->e;
  qp.C = turned ? c->TC : c->C;
  qp.cl = turned ? c->tl : c->cl;
  qp.cu = turned ? c->tu : c->cu;
  if (turned) {
    qp.h_blocks = &diagonal;
    qp.h_block_count = 1;
  }
  opts.tol_primal = opts.tol_dual = PO_CASCADE_QP_TOL;
  opts.tol_gap = 10 * PO_CASCADE_QP_TOL;
  if (c->opts->max_iterations > 0) opts.max_iterations = c->opts->max_iterations;
  warm.active = c->warm;
  memset(c->warm + c->in_force, 0, (size_t)c->dim);
  if (!last && c->opts->qp == PO_QP_ACTIVE_SET && first < c->dim) failed = cqp_proximal(c, solver, &qp, &opts, &warm, first, r);
  else failed = po_qp_solve(r, solver, &qp, &opts, &warm);
  if (failed == PO_OK && r->status != PO_QP_OPTIMAL && !(c->judged && cqp_near(r))) { /* once more with all care: scaled, refined, from nothing */
    c->result->iterations += r->iterations;
    c->result->fell_back = 1;
    opts.scale = 1;
    opts.refine = 10;
    opts.tol_primal = opts.tol_dual = 10 * PO_CASCADE_QP_TOL;
    opts.tol_gap = 100 * PO_CASCADE_QP_TOL;
    failed = po_qp_solve(r, solver, &qp, &opts, NULL);
  }
  return failed;
}

static po_hqp_status cqp_status(po_qp_status status) {
  switch (status) {
  case PO_QP_OPTIMAL: return PO_HQP_OPTIMAL;
  case PO_QP_INFEASIBLE: return PO_HQP_INFEASIBLE;
  case PO_QP_ITERATION_LIMIT: return PO_HQP_ITERATION_LIMIT;
  default: return PO_HQP_NUMERICAL; /* nor can a cost |u|² be unbounded or not convex */
  }
}

/* The step for the rows that pull now: c->step. */
static po_status cqp_step(po_cascade *c, int last, po_hqp_status *status) {
  po_arena a = c->qp;
  po_qp_solver *solver = NULL;
  po_qp_result r;
  int turned = c->opts->damping == 0, i;
  po_status failed = PO_OK;
  if (turned) failed = po_cascade_turn(c, &a);
  else cqp_damped(c);
  if (failed == PO_OK) failed = po_qp_init(&solver, c->dim, c->equalities, c->in_force, a.base + a.used, a.size - a.used);
  if (failed == PO_OK) failed = cqp_call(c, solver, last, turned, &r);
  if (failed != PO_OK) return failed;
  c->result->iterations += r.iterations;
  c->result->factorizations++;
  *status = cqp_status(r.status);
  if (c->judged && cqp_near(&r)) *status = PO_HQP_OPTIMAL;
  memcpy(c->warm, r.active, (size_t)c->in_force);
  for (i = 0; i < c->in_force; i++)
    if (fabs(r.z[i]) * po_norm_inf(po_row(turned ? c->TC : c->C, i), c->dim) > CQP_HELD * (1 + po_norm_inf(r.x, turned ? c->rank : 0)))
      c->s->held[c->force[i]] = (signed char)(r.z[i] > 0 ? -1 : 1);
  if (turned) po_cascade_turn_back(c, c->step, r.x, &a);
  else memcpy(c->step, r.x, sizeof(double) * (size_t)c->dim);
  return PO_OK;
}

/* ---- the level ---------------------------------------------------------------------------------------------------------------------- */

/* 1: w = 0 keeps the rows in force. */
static int cqp_stays(const po_cascade *c) {
  int i;
  for (i = 0; i < c->in_force; i++)
    if (c->cl[i] > 0 || c->cu[i] < 0) return 0;
  for (i = 0; i < c->equalities; i++)
    if (c->e[i] != 0) return 0;
  return 1;
}

/* The rounds. `inside`: w keeps the rows in force, and a step may be cut short. */
static po_status cqp_rounds(po_cascade *c, int last, int inside, double *w, po_hqp_status *status) {
  int rows = c->objectives + c->softs, round, i;
  memset(c->side, 0, (size_t)c->softs);
  memset(c->at, 0, sizeof(double) * (size_t)rows);
  cqp_pull(c);
  if (inside && !c->objectives && !c->pulled) return PO_OK; /* nothing is missed where it stands */
  for (round = 0; round < PO_CASCADE_ROUNDS; round++) {
    double t = 1;
    po_status failed = cqp_step(c, last, status);
    if (failed != PO_OK || *status == PO_HQP_INFEASIBLE) return failed;
    if (rows) po_gemv(c->along, c->A, c->step);
    for (i = 0; i < rows; i++) c->along[i] -= c->at[i];
    if (*status != PO_HQP_OPTIMAL || cqp_settled(c)) {
      memcpy(w, c->step, sizeof(double) * (size_t)c->dim);
      return PO_OK;
    }
    if (inside) t = cqp_line(c);
    for (i = 0; i < c->dim; i++) w[i] += t * (c->step[i] - w[i]);
    for (i = 0; i < rows; i++) c->at[i] += t * c->along[i];
    cqp_pull(c);
    inside = 1;
  }
  if (!c->judged) *status = PO_HQP_NUMERICAL;
  return PO_OK;
}

po_status po_cascade_solve(po_cascade *c, int k, double *w, po_hqp_status *status) {
  double started = po_cascade_clock(c);
  po_status failed;
  *status = PO_HQP_OPTIMAL;
  c->turned_rows = -1;
  memset(w, 0, sizeof(double) * (size_t)c->dim);
  failed = cqp_rounds(c, k == c->p->level_count - 1, cqp_stays(c), w, status);
  c->result->profile[k].qp += po_cascade_clock(c) - started;
  return failed;
}
