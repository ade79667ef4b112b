/* interior_point.c: Mehrotra's predictor–corrector for dense convex QPs. docs/interior-point.md explains it.
 *
 * Order of events: scale and build the core problem; look for negative curvature; try the warm start, if any, as a guess of the
 * active set; iterate; hold the active set exactly (polish); check the answer on the caller's own data. When the iteration does
 * not converge, or its multipliers or variables run away, the two auxiliary problems of ip_rays.c decide why. */
#include "ip_internal.h"

typedef enum ipm_end { IPM_CONVERGED, IPM_LIMIT, IPM_STALLED, IPM_GUESSED, IPM_DIVERGING_DUAL, IPM_DIVERGING_PRIMAL } ipm_end;

#define IPM_ITERATIONS 150    /* when the caller leaves the limit to us: four times what hard problems take */
#define IPM_STALL 25          /* iterations without halving the merit after which there is no hope */
#define IPM_MARGIN 0.1        /* the iteration aims this much below the caller's tolerances, so that the final check agrees */
#define IPM_ALARMS 3          /* runs, of which all but one end in a wrong suspicion of divergence */
#define IPM_RUNAWAY 1e4       /* size, in the scaled space, at which multipliers or variables are suspected to diverge */
#define IPM_EXACT 1e-3        /* share of the tolerances within which an answer counts as polished */
#define IPM_EARLY_GUESSES 1   /* tries of the active set before convergence */
#define IPM_EARLY_GAP 1e-4    /* ... once the gap is below this, and the residuals below the next */
#define IPM_EARLY_RESIDUAL 1e-4
#define IPM_POLISH_ROUNDS 3   /* guesses of the active set, each revised from the one before */
#define IPM_SETTLE_ROUNDS 3   /* how often the iteration goes on when polishing fails */
#define IPM_SETTLE_STEPS 6    /* ... for at most so many steps */
#define IPM_ROUNDING 1e-12    /* residuals that are not asked to become smaller */
#define IPM_TIGHTEN 0.01      /* ... with goals smaller by this */

/* ---- divergence ---------------------------------------------------------------------------------------------------------- */

/* lam'b + ... > 0 while G'lam + w is small beside it: any feasible x would have to be larger than their ratio. */
static int ipm_dual_runs_away(const ip_core *c, double ratio) {
  double value = 0, left = 0;
  for (int i = 0; i < c->ne; i++) value += c->lo[i] * c->lam[i];
  for (int k = 0; k < c->ns; k++) value += c->beta[k] * c->z[k];
  for (int j = 0; j < c->n; j++) left = po_max(left, po_abs(c->hx[j] + c->g[j] - c->rd[j]));
  return value > 0 && value > ratio * left * (1.0 + po_norm_inf(c->x, c->n));
}

/* −g'x > 0 and large, while Hx is small beside it: x is on its way along a ray. */
static int ipm_primal_runs_away(const ip_core *c, double ratio) {
  double size = po_norm_inf(c->x, c->n), slope = -po_dot(c->g, c->x, c->n);
  return size > ratio && slope > 0 && po_norm_inf(c->hx, c->n) * size < slope;
}

/* ---- the iteration ------------------------------------------------------------------------------------------------------- */

typedef struct ipm_goal {
  double primal, dual, gap, ratio;
  int limit;
} ipm_goal;

/* What all functions here work on. */
typedef struct ipm_run {
  ip_core *c;
  po_qp_solver *s;
  const po_qp *p;
  const po_qp_opts *opts;
  ipm_goal goal;
  int guesses; /* early guesses of the active set that are left */
} ipm_run;

static void ipm_export(const ipm_run *r) {
  po_ip_export_x(r->c, r->p, r->s->x);
  po_ip_export_multipliers(r->c, r->p, r->s, 1);
  po_ip_export_active(r->c, r->p, r->s, r->opts->tol_primal);
}

static double ipm_worst(const po_qp_residual *r, const po_qp_opts *o) {
  return po_max(r->primal / o->tol_primal, po_max(r->dual / o->tol_dual, r->gap / o->tol_gap));
}

/* Holds what `state` says; 1 when that solves the problem with `share` of the tolerances. The answer then stands in the solver. */
static int ipm_hold(const ipm_run *r, double share) {
  po_qp_residual residual;
  if (!po_ip_hold(r->c, IP_REFINE_MAX)) return 0;
  ipm_export(r);
  return po_qp_check_optimal(&residual, r->s, r->p, r->opts) && ipm_worst(&residual, r->opts) <= share;
}

/* Long before the iteration converges it often knows the active set up to one or two mistakes, which revising repairs. */
static int ipm_early_guess(ipm_run *r) {
  ip_core *c = r->c;
  if (r->guesses <= 0 || !(c->gap < IPM_EARLY_GAP && c->primal < IPM_EARLY_RESIDUAL && c->dual < IPM_EARLY_RESIDUAL)) return 0;
  if (c->merit > c->best_merit) return 0;
  po_ip_state_from_sides(c);
  r->guesses--;
  for (int round = 0; round < 2; round++) {
    if (ipm_hold(r, IPM_EXACT)) return 1;
    if (po_ip_revise(c, 1) == 0) break;
  }
  po_ip_back_to_best(c);
  return 0;
}

static ipm_end ipm_iterate(ipm_run *r) {
  ip_core *c = r->c;
  const ipm_goal *goal = &r->goal;
  double mark = PO_INF, alpha;
  int since = 0, short_steps = 0;
  c->goal_primal = goal->primal;
  c->goal_dual = goal->dual;
  for (;;) {
    po_ip_measure(c);
    po_ip_keep_best(c);
    if (c->primal <= goal->primal && c->dual <= goal->dual && c->gap <= goal->gap) return IPM_CONVERGED;
    if (c->primal > goal->primal && ipm_dual_runs_away(c, goal->ratio)) return IPM_DIVERGING_DUAL;
    if (c->dual > goal->dual && ipm_primal_runs_away(c, goal->ratio)) return IPM_DIVERGING_PRIMAL;
    if (r->s->iterations >= goal->limit) return IPM_LIMIT;
    if (ipm_early_guess(r)) return IPM_GUESSED;
    if (c->best_merit < 0.5 * mark) {
      mark = c->best_merit;
      since = 0;
    } else if (++since > IPM_STALL) {
      return IPM_STALLED;
    }
    /* far below the goal for the gap nothing is gained, and slacks that small only spoil the linear systems */
    if (c->ns > 0) c->mu_floor = 1e-3 * goal->gap * c->cost * (1.0 + po_abs(c->objective)) / c->ns;
    if (!po_ip_step(c, &alpha)) return IPM_STALLED;
    r->s->iterations++;
    short_steps = alpha < 1e-8 ? short_steps + 1 : 0;
    if (short_steps > 3) return IPM_STALLED;
  }
}

/* ---- the end ------------------------------------------------------------------------------------------------------------- */

typedef enum ipm_quality { IPM_BAD, IPM_GOOD, IPM_POLISHED } ipm_quality; /* of what stands in the solver: fails the check; passes; is exact */

/* Exports the best iterate, polished when that is wanted (or the only hope) and exact. */
static ipm_quality ipm_conclude(const ipm_run *r) {
  if (!r->opts->polish) {
    po_ip_state_from_sides(r->c);
    ipm_export(r);
    if (po_qp_check_optimal(NULL, r->s, r->p, r->opts)) return IPM_GOOD;
  }
  po_ip_state_from_sides(r->c);
  for (int round = 0; round < IPM_POLISH_ROUNDS; round++) {
    if (ipm_hold(r, IPM_EXACT)) return IPM_POLISHED;
    if (po_ip_revise(r->c, 1) == 0) break;
  }
  po_ip_back_to_best(r->c);
  po_ip_state_from_sides(r->c);
  ipm_export(r);
  return po_qp_check_optimal(NULL, r->s, r->p, r->opts) ? IPM_GOOD : IPM_BAD;
}

/* The core in the solver's memory, with its scales. When the caller promises that H and the rows are those of the last solve, the
 * scales still stand there: a good part of the cost of a small warm solve. */
static ip_core *ipm_prepare(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts) {
  po_qp_scaling sc;
  ip_core *c;
  po_arena_release(&s->work, 0);
  c = (ip_core *)po_arena_alloc(&s->work, sizeof *c);
  if (!c || (s->work_valid && p->same_H && p->same_rows && c->scaled == !!opts->scale)) return c;
  po_ip_layout(c, &s->work, p->n, p->me, p->mi);
  if (s->work.failed) return NULL;
  sc.col = c->col_scale;
  sc.row = c->row_scale;
  po_qp_equilibrate(&sc, p, opts->scale ? IP_SCALE_SWEEPS : 0, &s->scratch);
  c->cost = sc.cost;
  c->scaled = !!opts->scale;
  return c;
}

static void ipm_tighten(ipm_goal *goal, double factor) {
  goal->primal = po_max(factor * goal->primal, po_min(goal->primal, IPM_ROUNDING));
  goal->dual = po_max(factor * goal->dual, po_min(goal->dual, IPM_ROUNDING));
  goal->gap = po_max(factor * goal->gap, po_min(goal->gap, IPM_ROUNDING));
}

/* After convergence: conclude, and go on iterating when the check or the polish asks for more. 1: solved. */
static int ipm_settle(ipm_run *r, ipm_end end) {
  int solved = 0;
  if (end == IPM_GUESSED) return 1;
  r->guesses = 0;
  for (int round = 0; round < IPM_SETTLE_ROUNDS; round++) {
    ipm_quality quality;
    po_ip_back_to_best(r->c);
    quality = ipm_conclude(r);
    if (quality != IPM_BAD) solved = 1;
    if (quality == IPM_POLISHED || (solved && !r->opts->polish) || end != IPM_CONVERGED || round == IPM_SETTLE_ROUNDS - 1) return solved;
    ipm_tighten(&r->goal, IPM_TIGHTEN);
    r->goal.limit = r->s->iterations + IPM_SETTLE_STEPS;
    r->c->refine = IP_REFINE_MAX;
    end = ipm_iterate(r);
  }
  return solved;
}

/* The proofs write over the answer: where they fail, the best iterate is told. The copy of the warm start is not needed any more. */
static void ipm_keep_answer(const ipm_run *r, int back) {
  po_qp_solver *s = r->s;
  double *now[] = {s->x, s->y, s->z, s->w}, *kept[] = {s->warm_x, s->warm_y, s->warm_z, s->warm_w};
  int count[] = {r->p->n, r->p->me, r->p->mi, r->p->n};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < count[k]; i++) {
      if (back) now[k][i] = kept[k][i];
      else kept[k][i] = now[k][i];
    }
}

/* Cold: iterate, and find out what is wrong when that does not converge. */
static po_qp_status ipm_cold(ipm_run *r) {
  ip_core *c = r->c;
  const po_qp_opts *opts = r->opts;
  int row_at;
  double row_sign;
  ipm_end end = IPM_STALLED;
  r->goal.primal = opts->tol_primal;
  r->goal.dual = opts->tol_dual;
  r->goal.gap = opts->tol_gap;
  ipm_tighten(&r->goal, IPM_MARGIN);
  r->goal.ratio = IPM_RUNAWAY;
  r->goal.limit = r->s->iterations + (opts->max_iterations > 0 ? opts->max_iterations : IPM_ITERATIONS);
  r->guesses = opts->polish ? IPM_EARLY_GUESSES : 0;
  for (int alarm = 0; alarm < IPM_ALARMS; alarm++) {
    int diverging;
    end = po_ip_start(c) ? ipm_iterate(r) : IPM_STALLED;
    diverging = end == IPM_DIVERGING_DUAL || end == IPM_DIVERGING_PRIMAL;
    if (!diverging && ipm_settle(r, end)) return PO_QP_OPTIMAL;
    if (diverging) {
      po_ip_back_to_best(c);
      po_ip_state_from_sides(c);
      ipm_export(r);
    }
    ipm_keep_answer(r, 0);
    if (end == IPM_LIMIT && opts->max_iterations > 0) break; /* the caller wants no more work than that */
    if (po_ip_prove_infeasible(c, r->s, r->p, opts, &r->s->iterations)) return PO_QP_INFEASIBLE;
    if (po_ip_prove_unbounded(c, r->s, r->p, opts, &r->s->iterations)) return PO_QP_UNBOUNDED;
    if (!diverging || !po_ip_build(c, r->p, IP_MAIN, opts->tol_primal, &row_at, &row_sign)) break;
    r->goal.ratio *= 1e3; /* a false alarm: once more from the start, less nervous */
    r->goal.limit = r->s->iterations + IPM_ITERATIONS;
    c->refine = IP_REFINE_MAX;
  }
  ipm_keep_answer(r, 1);
  return end == IPM_LIMIT ? PO_QP_ITERATION_LIMIT : PO_QP_NUMERICAL;
}

/* ---- warm start ---------------------------------------------------------------------------------------------------------- */

#define IPM_WARM_ROUNDS 2 /* solves on a guessed active set; each costs what an iteration costs, and no more may be lost on them */

static int ipm_warm(const ipm_run *r, const po_qp_warm *warm) {
  po_ip_state_from_warm(r->c, r->p, warm);
  for (int round = 0; round < IPM_WARM_ROUNDS; round++) {
    r->s->iterations++;
    if (ipm_hold(r, IPM_MARGIN)) return 1;
    if (po_ip_revise(r->c, 1) == 0) return 0;
  }
  return 0;
}

/* ---- the entry ----------------------------------------------------------------------------------------------------------- */

static void ipm_row_conflict(po_qp_solver *s, const po_qp *p, int row, double sign) {
  for (int i = 0; i < p->me; i++) s->y[i] = i == row ? sign : 0.0;
  for (int i = 0; i < p->mi; i++) s->z[i] = p->me + i == row ? sign : 0.0;
  for (int j = 0; j < p->n; j++) s->w[j] = 0; /* the check fills it in */
  s->status = po_qp_check_infeasible(s, p, NULL) ? PO_QP_INFEASIBLE : PO_QP_NUMERICAL;
}

void po_qp_interior_point_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  ipm_run run;
  ip_core *c;
  int row_at;
  double row_sign;
  c = ipm_prepare(s, p, opts);
  if (!c) return;
  run.c = c;
  run.s = s;
  run.p = p;
  run.opts = opts;
  for (int j = 0; j < p->n; j++) s->x[j] = po_clamp(0.0, po_qp_lower(p->xl, j), po_qp_upper(p->xu, j));
  if (!po_ip_build(c, p, IP_MAIN, opts->tol_primal, &row_at, &row_sign)) {
    ipm_row_conflict(s, p, row_at, row_sign);
    return;
  }
  if (po_ip_prove_nonconvex(c, s, p)) {
    s->status = PO_QP_NONCONVEX;
  } else {
    s->warm = warm && ipm_warm(&run, warm);
    s->fell_back = warm && !s->warm;
    s->status = s->warm ? PO_QP_OPTIMAL : ipm_cold(&run);
  }
  s->has_ray = s->status == PO_QP_NONCONVEX || s->status == PO_QP_UNBOUNDED;
}
