/* active_set_prox.c: singular H, linear programs and everything badly scaled.
 *
 * Proximal steps  x⁺ = argmin f(x) + σ/2 ‖x − c‖²  over the constraints (Rockafellar 1976) keep the engine's G = H + σI positive definite
 * whatever H is; they end after finitely many for a linear program. What they would need many of, directions of small
 * curvature, is done at once: between two of them f itself is minimized on the working set (conjugate gradients in the basis J2 of its
 * null space, where almost all curvatures are one), up to the first constraint in the way. A direction without curvature that nothing
 * stops is the ray that proves the problem unbounded.
 *
 * σ is a compromise: small, and few steps are needed; large, and J is well conditioned. It starts in the middle, falls when the
 * steps get long-winded and rises when the engine cannot solve its own system to a few digits.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

#define ASP_CONVEX 1e-9      /* curvatures above minus this times the largest count as zero: data have rounded digits */
#define ASP_SIGMA 1e-5       /* σ at first, relative to the largest entry of H: condition of J 300 */
#define ASP_SIGMA_LP 1e-3    /* the same when H = 0; the largest entry of g is one then */
#define ASP_FALL 0.03        /* σ times this when ASP_PATIENCE steps have not been enough */
#define ASP_RISE 100         /* σ times this after trouble */
#define ASP_PATIENCE 10
#define ASP_RUNAWAY 1e3      /* x has grown by this since the first step: a ray may be near */
#define ASP_OUTER 250
#define ASP_CG 60
#define ASP_FLAT 1e-13       /* a curvature below this times the largest one is none */
#define ASP_SLIDE 1e-10      /* a direction counts as lying in a constraint below this slope */
#define ASP_ROOM 1e-9        /* by this times ‖x‖ a step may pass a constraint: the centre need not be feasible */
#define ASP_STUCK 1e-8       /* a blocked step below this times ‖x‖ is none */
#define ASP_TARGET 1e-11     /* residuals below this need no more work */
#define ASP_TROUBLE 1e-6     /* the engine's residual beyond which its factors are useless */
#define ASP_GIVE_UP 1e-8     /* a violation below this that cannot be mended is rounding */
#define ASP_KEEP 1e-6        /* how independent a constraint must be to be taken over into a new working set */

typedef struct asp {
  po_as_scaled p;
  double *centre, *best;     /* proximal centre; the best x, w, y, z so far (original units) */
  double *cg_r, *cg_p, *cg_s, *cg_m;
  double worst;              /* residuals of the best, relative to the tolerances */
  signed char *best_active;  /* mi + n */
  signed char *keep;         /* m + n: the working set to start from, as in po_qp_result.active */
  double runaway;            /* ‖x‖ beyond which a ray is looked for */
  int falls, rises;
} asp;

static void asp_layout(po_arena *a, asp *w, int n, int me, int mi) {
  po_as_scaled_layout(a, &w->p, n, me, mi);
  w->centre = PO_ARENA_ARRAY(a, double, n);
  w->best = PO_ARENA_ARRAY(a, double, 2 * n + me + mi);
  w->cg_r = PO_ARENA_ARRAY(a, double, n);
  w->cg_p = PO_ARENA_ARRAY(a, double, n);
  w->cg_s = PO_ARENA_ARRAY(a, double, n);
  w->cg_m = PO_ARENA_ARRAY(a, double, n);
  w->best_active = PO_ARENA_ARRAY(a, signed char, n + mi);
  w->keep = PO_ARENA_ARRAY(a, signed char, n + me + mi);
}

size_t po_as_general_bytes(int n, int me, int mi) {
  po_arena a;
  asp w;
  po_arena_measure(&a);
  asp_layout(&a, &w, n, me, mi);
  return po_arena_used(&a);
}

/* ---- on the working set ---------------------------------------------------------------------------------------------------- */

/* grad = H x + g */
static void asp_gradient(asp *w, double *grad, const double *x) {
  if (w->p.e.H.a) po_gemv(grad, w->p.e.H, x);
  else memset(grad, 0, sizeof *grad * (size_t)w->p.e.n);
  po_axpy(grad, 1, w->p.g, w->p.e.n);
}

/* x += the smallest correction (in G) that puts it onto the working set's constraints. */
static void asp_onto_working_set(asp *w) {
  po_as *e = &w->p.e;
  int i;
  double *c = w->p.t1;
  for (i = 0; i < e->q; i++)
    c[i] = po_as_bound(e, e->work[i], e->side[i]) - e->side[i] * po_as_value(e, e->work[i], e->x);
  po_as_solve_rt(e, c);
  po_gemv_t_add(e->x, 1, po_block(e->JT, 0, 0, e->q, e->n), c);
}

/* u = R^-1 J1'(Hx + g): the multipliers that come nearest to stationarity for f itself. */
static void asp_multipliers_of_f(asp *w, double *u) {
  po_as *e = &w->p.e;
  asp_gradient(w, w->p.t1, e->x);
  po_gemv(u, po_block(e->JT, 0, 0, e->q, e->n), w->p.t1);
  po_as_solve_r(e, u, u);
}

/* Conjugate gradients for  min f(x + J2 s):  direction = J2 s into t2. Returns 1 when it is instead a direction of no curvature. */
static int asp_subspace_step(asp *w) {
  po_as *e = &w->p.e;
  int i, n = e->n, f = n - e->q, it;
  po_mat J2 = po_block(e->JT, e->q, 0, f, n); /* rows: columns of J2 */
  double rr, rr0, *t1 = w->p.t1, *t2 = w->p.t2;
  asp_gradient(w, t1, e->x);
  po_gemv(w->cg_r, J2, t1);
  for (i = 0; i < f; i++) {
    w->cg_r[i] = -w->cg_r[i];
    w->cg_p[i] = w->cg_r[i];
    w->cg_s[i] = 0;
  }
  rr = rr0 = po_dot(w->cg_r, w->cg_r, f);
  for (it = 0; it < ASP_CG && rr > 1e-30 * rr0 && rr > 0; it++) {
    double curvature = 0, size, alpha, next;
    po_gemv_t(t2, J2, w->cg_p);
    size = po_dot(t2, t2, n);
    if (e->H.a) {
      po_gemv(t1, e->H, t2);
      curvature = po_dot(t1, t2, n);
    }
    if (curvature <= ASP_FLAT * w->p.h_max * size) {
      if (it == 0) return 1;
      break; /* what was gained so far first; a slope along flat directions is then found alone */
    }
    po_gemv(w->cg_m, J2, t1);
    alpha = rr / curvature;
    po_axpy(w->cg_s, alpha, w->cg_p, f);
    po_axpy(w->cg_r, -alpha, w->cg_m, f);
    next = po_dot(w->cg_r, w->cg_r, f);
    for (i = 0; i < f; i++) w->cg_p[i] = w->cg_r[i] + next / rr * w->cg_p[i];
    rr = next;
  }
  po_gemv_t(t2, J2, w->cg_s);
  return 0;
}

/* How far x may go along t2 before a constraint outside W is met, at most `longest`. */
static double asp_step_length(asp *w, double longest) {
  po_as *e = &w->p.e;
  int k;
  double norm = po_norm_inf(w->p.t2, e->n), x_norm = po_norm_inf(e->x, e->n), t = longest;
  for (k = 0; k < e->m + e->n; k++) {
    double rate, room, size;
    if (e->state[k] == 1) continue;
    rate = po_as_value(e, k, w->p.t2);
    size = k < e->m ? 1 / e->norm[k] : 1;
    if (po_abs(rate) <= ASP_SLIDE * norm * size) continue;
    room = rate > 0 ? e->hi[k] - po_as_value(e, k, e->x) : po_as_value(e, k, e->x) - e->lo[k];
    room += ASP_ROOM * size * (1 + x_norm); /* what depends on W is off by rounding: it must not shut the way */
    if (room < t * po_abs(rate)) t = po_max(room, 0) / po_abs(rate);
  }
  return t;
}

/* ---- keeping the best ------------------------------------------------------------------------------------------------------- */

/* Exports (x, u) and keeps it when it is the best so far. 1: good enough to stop. */
static int asp_record(asp *w, const double *u) {
  po_qp_residual r;
  const po_qp_opts *o = w->p.opts;
  po_qp_solver *s = w->p.s;
  double worst;
  int n = w->p.e.n, me = w->p.e.me, mi = w->p.e.m - me;
  po_as_export(&w->p, u);
  po_qp_check_optimal(&r, s, w->p.p, o);
  worst = po_max(r.primal / o->tol_primal, po_max(r.dual / o->tol_dual, r.gap / o->tol_gap));
  if (worst < w->worst) {
    w->worst = worst;
    memcpy(w->best, s->x, sizeof(double) * (size_t)n);
    memcpy(w->best + n, s->w, sizeof(double) * (size_t)n);
    memcpy(w->best + 2 * n, s->y, sizeof(double) * (size_t)me);
    memcpy(w->best + 2 * n + me, s->z, sizeof(double) * (size_t)mi);
    memcpy(w->best_active, s->active, (size_t)(mi + n));
  }
  return r.primal <= ASP_TARGET && r.dual <= ASP_TARGET && r.gap <= ASP_TARGET * 10;
}

static void asp_restore(asp *w) {
  po_qp_solver *s = w->p.s;
  int n = w->p.e.n, me = w->p.e.me, mi = w->p.e.m - me;
  memcpy(s->x, w->best, sizeof(double) * (size_t)n);
  memcpy(s->w, w->best + n, sizeof(double) * (size_t)n);
  memcpy(s->y, w->best + 2 * n, sizeof(double) * (size_t)me);
  memcpy(s->z, w->best + 2 * n + me, sizeof(double) * (size_t)mi);
  memcpy(s->active, w->best_active, (size_t)(mi + n));
}

/* ---- the outer loop --------------------------------------------------------------------------------------------------------- */

static void asp_move_centre(asp *w, const double *x) {
  int i;
  if (x != w->centre) memcpy(w->centre, x, sizeof *x * (size_t)w->p.e.n);
  for (i = 0; i < w->p.e.n; i++) w->p.e.g[i] = w->p.g[i] - w->p.e.sigma * w->centre[i];
}

/* Factors G with this σ and builds the working set anew: equalities, then those of `keep` (by constraint: −1 at lower, +1 at upper) that
 * are well independent. 0: over, status set. */
static int asp_start(asp *w, double sigma) {
  po_as *e = &w->p.e;
  int k, at;
  if (!po_as_cholesky(&w->p, sigma, &at)) return 0;
  asp_move_centre(w, w->centre);
  memset(e->state, 0, (size_t)(e->m + e->n));
  e->q = e->equalities = 0;
  po_as_reset(e);
  po_as_sizes(e);
  po_as_solve_kkt(e, e->x, e->u, e->g, e->d);
  while (po_as_equalities(e) == PO_AS_INFEASIBLE) {
    if (po_as_export_infeasible(&w->p)) return 0;
    e->state[e->conflict] = 2; /* off by no more than rounding */
  }
  for (k = e->m + e->n - 1; k >= e->me && e->q < e->n; k--) { /* bounds first: they cost least while J is sparse */
    int side = w->keep[k] < 0 ? 1 : -1;
    if (e->state[k] || (w->keep[k] != -1 && w->keep[k] != 1) || !po_isfinite(side > 0 ? e->lo[k] : e->hi[k])) continue;
    po_as_project(e, k, side);
    if (po_norm2(e->d + e->q, e->n - e->q) > ASP_KEEP * e->size[k]) po_as_add(e, k, side, 0);
  }
  return 1;
}

/* The working set at hand into `keep`. */
static void asp_keep(asp *w) {
  po_as *e = &w->p.e;
  int i;
  memset(w->keep, 0, (size_t)(e->m + e->n));
  for (i = 0; i < e->q; i++) w->keep[e->work[i]] = (signed char)-e->side[i];
}

/* The same with σ times `factor`, keeping the working set at hand. */
static int asp_change_sigma(asp *w, double factor) {
  asp_keep(w);
  return asp_start(w, w->p.e.sigma * factor);
}

typedef enum asp_next { ASP_SOLVED, ASP_AGAIN, ASP_OVER } asp_next;

/* The dual iteration to its end; a conflict that no ray proves is rounding when it is small, and trouble when not. */
static po_as_outcome asp_dual(asp *w) {
  po_as *e = &w->p.e;
  po_as_outcome outcome;
  while ((outcome = po_as_dual(e)) == PO_AS_INFEASIBLE) {
    int k = e->conflict;
    double miss = po_as_bound(e, k, e->conflict_side) - e->conflict_side * po_as_value(e, k, e->x);
    if (po_as_export_infeasible(&w->p)) return PO_AS_INFEASIBLE;
    if (miss * (k < e->m ? e->norm[k] : 1) > ASP_GIVE_UP * (1 + po_norm_inf(e->x, e->n))) return PO_AS_TROUBLE;
    e->state[k] = 2;
  }
  return outcome;
}

/* One proximal subproblem from the working set at hand. ASP_AGAIN: σ was raised, try again; ASP_OVER: status set. */
static asp_next asp_subproblem(asp *w, int u_valid) {
  po_as *e = &w->p.e;
  int attempt;
  for (attempt = 0; attempt < 2; attempt++) {
    po_as_outcome outcome;
    po_as_restart(e, u_valid);
    outcome = asp_dual(w);
    if (outcome == PO_AS_INFEASIBLE) return ASP_OVER;
    if (outcome == PO_AS_LIMIT) {
      w->p.s->status = PO_QP_ITERATION_LIMIT;
      return ASP_OVER;
    }
    if (outcome == PO_AS_DONE && po_as_refine(e, 2) <= ASP_TROUBLE) return ASP_SOLVED;
    if (attempt == 0) po_as_refactor(e);
    u_valid = 0;
  }
  if (w->rises++ >= 3) return ASP_OVER;
  e->dependent *= 10;
  return asp_change_sigma(w, ASP_RISE) ? ASP_AGAIN : ASP_OVER;
}

/* Along the proximal step itself, t2 = x − centre: at a degenerate point the steepest way down on W is shut at once while this one, which
 * took every constraint into account, goes on. Returns the exact step for f, cut at the first constraint. */
static double asp_slide(asp *w) {
  po_as *e = &w->p.e;
  int i;
  double slope, curvature = 0, length;
  for (i = 0; i < e->n; i++) w->p.t2[i] = e->x[i] - w->centre[i];
  asp_gradient(w, w->p.t1, e->x);
  slope = po_dot(w->p.t1, w->p.t2, e->n);
  if (!(slope < 0)) return 0;
  if (e->H.a) {
    po_gemv(w->p.t1, e->H, w->p.t2);
    curvature = po_dot(w->p.t1, w->p.t2, e->n);
  }
  length = curvature > ASP_FLAT * w->p.h_max * po_dot(w->p.t2, w->p.t2, e->n) ? -slope / curvature : PO_INF;
  for (i = 0; i < e->q; i++) { /* W must not be left */
    int k = e->work[i];
    if (po_abs(po_as_value(e, k, w->p.t2)) > ASP_SLIDE * (k < e->m ? 1 / e->norm[k] : 1) * po_norm_inf(w->p.t2, e->n)) return 0;
  }
  return asp_step_length(w, length);
}

/* A direction t2 that goes on for ever: 1 when it proves the problem unbounded. */
static int asp_unbounded(asp *w) {
  po_as *e = &w->p.e;
  po_qp_solver *s = w->p.s;
  int i;
  for (i = 0; i < e->n; i++) s->ray[i] = w->p.t2[i] * w->p.sc.col[i];
  if (!po_qp_check_unbounded(s, w->p.p)) return 0;
  po_as_export(&w->p, e->u);
  s->has_ray = 1;
  s->status = PO_QP_UNBOUNDED;
  return 1;
}

/* x has run away: looks for the ray it runs along. 1: found. 0: the working set has been built anew. */
static int asp_runaway(asp *w) {
  w->runaway *= ASP_RUNAWAY;
  po_as_export(&w->p, w->p.e.u); /* a feasible point, should this be it */
  asp_keep(w);
  if (po_as_ray(&w->p)) return 1;
  asp_start(w, w->p.e.sigma);
  return 0;
}

/* Minimizes f on the working set as far as the constraints allow, and moves the centre there. 1: the solve is over. */
static int asp_accelerate(asp *w) {
  po_as *e = &w->p.e;
  po_qp_solver *s = w->p.s;
  int i, flat = asp_subspace_step(w);
  double length = asp_step_length(w, flat ? PO_INF : 1), *u = w->cg_s;
  if (!(length < PO_INF)) {
    if (asp_unbounded(w)) return 1;
    length = 0; /* a slope of rounding size */
  }
  if ((flat || length < 1) && length * po_norm_inf(w->p.t2, e->n) <= ASP_STUCK * (1 + po_norm_inf(e->x, e->n))) {
    length = asp_slide(w);
    flat = 1;
    if (!(length < PO_INF)) {
      if (asp_unbounded(w)) return 1;
      length = 0;
    }
  }
  po_axpy(e->x, length, w->p.t2, e->n);
  asp_move_centre(w, e->x);
  if (flat || length < 1) return 0;
  asp_onto_working_set(w);
  asp_multipliers_of_f(w, u);
  for (i = e->equalities; i < e->q; i++)
    if (u[i] < 0) return 0;
  if (!asp_record(w, u)) return 0;
  s->status = PO_QP_OPTIMAL;
  return 1;
}

static void asp_loop(asp *w) {
  po_as *e = &w->p.e;
  po_qp_solver *s = w->p.s;
  int it, since = 0, u_valid = 0, stale = 0;
  w->worst = PO_INF;
  for (it = 0; it < ASP_OUTER; it++) {
    asp_next next = asp_subproblem(w, u_valid);
    double moved = 0, before = w->worst;
    int i;
    if (next == ASP_OVER) break;
    u_valid = next == ASP_SOLVED;
    if (next == ASP_AGAIN) { since = 0; continue; }
    asp_onto_working_set(w);
    for (i = 0; i < e->n; i++) moved = po_max(moved, po_abs(e->x[i] - w->centre[i]));
    if (asp_record(w, e->u) || moved <= PO_EPS * po_norm_inf(e->x, e->n)) {
      s->status = PO_QP_OPTIMAL;
      break;
    }
    stale = w->worst < 0.5 * before ? 0 : stale + 1;
    if (w->worst <= 1 && stale > ASP_PATIENCE) break; /* good enough, and getting no better */
    if (it == 0) w->runaway = ASP_RUNAWAY * (1 + po_norm_inf(e->x, e->n));
    if (po_norm_inf(e->x, e->n) > w->runaway) {
      if (asp_runaway(w)) break;
      u_valid = 0;
      continue;
    }
    if (e->q == e->n) asp_move_centre(w, e->x); /* a vertex: nothing to minimize on */
    else if (asp_accelerate(w)) break;
    if (++since >= ASP_PATIENCE && w->falls < 4 && w->rises == 0) {
      w->falls++;
      since = u_valid = 0;
      if (!asp_change_sigma(w, ASP_FALL)) break;
    }
  }
  s->iterations = e->changes;
  if (s->status == PO_QP_OPTIMAL || s->status == PO_QP_NUMERICAL || s->status == PO_QP_ITERATION_LIMIT) {
    if (w->worst < PO_INF) asp_restore(w);
    if (w->worst <= 1) s->status = PO_QP_OPTIMAL;
  }
}

void po_as_general(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  asp work, *w = &work;
  po_as *e = &w->p.e;
  int i, at = 0;
  memset(w, 0, sizeof *w);
  po_arena_release(&s->work, 0);
  w->p.s = s;
  w->p.p = p;
  w->p.opts = opts;
  asp_layout(&s->work, w, p->n, p->me, p->mi);
  po_qp_equilibrate(&w->p.sc, p, opts->scale ? 10 : 0, &s->scratch);
  po_as_scaled_build(&w->p);
  if (e->H.a && !po_as_cholesky(&w->p, ASP_CONVEX * w->p.h_max, &at)) {
    po_as_export_nonconvex(&w->p, at);
    if (po_qp_check_nonconvex(s, p)) return;
    s->status = PO_QP_NUMERICAL;
  }
  e->feasible = PO_AS_FEASIBLE;
  e->dependent = PO_AS_DEPENDENT;
  e->limit = opts->max_iterations ? opts->max_iterations : 20 * (e->m + e->n) + 200;
  memset(w->keep, 0, (size_t)(e->m + e->n));
  if (warm && warm->active) {
    memcpy(w->keep + e->me, warm->active, (size_t)(p->mi + p->n));
  }
  for (i = 0; i < e->n; i++) w->centre[i] = warm && warm->x ? warm->x[i] / w->p.sc.col[i] : po_clamp(0, e->lo[e->m + i], e->hi[e->m + i]);
  if (!asp_start(w, e->H.a ? ASP_SIGMA * w->p.h_max : ASP_SIGMA_LP)) return;
  asp_loop(w);
}
