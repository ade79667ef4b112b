/* cascade.c: the rows, the QP and the bookkeeping of the methods that solve one QP a level. */
#include "cascade.h"

#include <math.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------------------------ */

static po_mat casc_mat(po_arena *a, int rows, int cols) {
  int ld = (cols + 3) & ~3;
  return po_mat_of(PO_ARENA_ARRAY(a, double, (size_t)rows * (size_t)ld), rows, cols, ld);
}

static void casc_layout(po_arena *a, po_cascade *c, int n, int rows, int slacks) {
  int nv = n + slacks;
  c->row = PO_ARENA_ARRAY(a, const double *, rows);
  c->lower = PO_ARENA_ARRAY(a, double, rows);
  c->upper = PO_ARENA_ARRAY(a, double, rows);
  c->length = PO_ARENA_ARRAY(a, double, rows);
  c->level = PO_ARENA_ARRAY(a, int, rows);
  c->plays = PO_ARENA_ARRAY(a, int, rows);
  c->single = PO_ARENA_ARRAY(a, int, rows);
  c->force = PO_ARENA_ARRAY(a, int, rows);
  c->force_lo = PO_ARENA_ARRAY(a, double, rows);
  c->force_up = PO_ARENA_ARRAY(a, double, rows);
  c->objective = PO_ARENA_ARRAY(a, int, rows);
  c->slack = PO_ARENA_ARRAY(a, int, rows);
  c->x = PO_ARENA_ZARRAY(a, double, n);
  c->g = PO_ARENA_ARRAY(a, double, nv);
  c->cl = PO_ARENA_ARRAY(a, double, rows);
  c->cu = PO_ARENA_ARRAY(a, double, rows);
  c->b = PO_ARENA_ARRAY(a, double, rows);
  c->e = PO_ARENA_ARRAY(a, double, rows);
  c->warm = PO_ARENA_ZARRAY(a, signed char, rows + nv);
  c->H = casc_mat(a, nv, nv);
  c->centre = PO_ARENA_ARRAY(a, double, nv);
  c->pulled = PO_ARENA_ARRAY(a, double, nv);
}

size_t po_cascade_bytes(int n, int rows, int squares, int equalities) {
  po_arena a;
  po_cascade c;
  size_t wide = n ? po_qp_bytes(n, 0, rows) : 0, tall = n && equalities ? po_qp_bytes(n, rows, 0) : 0;
  int i;
  po_arena_measure(&a);
  casc_layout(&a, &c, n, rows, 0);
  casc_mat(&a, rows, n); /* A, C and E together: every row is one of the three */
  casc_mat(&a, 3, n);
  for (i = 0; i < squares; i++) casc_mat(&a, n, n);
  return po_arena_used(&a) + (wide > tall ? wide : tall) + 1024;
}

static int casc_single(const double *a, int n) {
  int j, at = -1;
  for (j = 0; j < n; j++) {
    if (a[j] == 0) continue;
    if (at >= 0) return -1;
    at = j;
  }
  return at;
}

/* ---- rows --------------------------------------------------------------------------------------------------------------------------- */

po_status po_cascade_start(po_cascade *c, po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  int k, i, at = 0, slacks = 0, most = 0;
  memset(c, 0, sizeof *c);
  c->s = s;
  c->p = p;
  c->opts = opts;
  c->result = result;
  c->n = c->dim = p->n;
  c->rows = po_hqp_row_offset(p, p->level_count);
  for (k = 0; k < p->level_count; k++) {
    int count = 0;
    for (i = 0; i < p->levels[k].rows; i++) count += !p->levels[k].hard && p->levels[k].lower[i] != p->levels[k].upper[i];
    slacks += count;
    if (count > most) most = count;
  }
  po_arena_release(&s->scratch, 0);
  casc_layout(&s->scratch, c, p->n, c->rows, opts->method == PO_HQP_WEIGHTED ? slacks : most);
  if (s->scratch.failed) return PO_ERR_MEMORY;
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++, at++) {
      c->row[at] = p->n ? po_row(p->levels[k].A, i) : NULL;
      c->lower[at] = po_hqp_lower(&p->levels[k], i);
      c->upper[at] = po_hqp_upper(&p->levels[k], i);
      c->length[at] = p->n ? sqrt(po_dot(c->row[at], c->row[at], p->n)) : 0;
      c->level[at] = k;
      c->single[at] = casc_single(c->row[at], p->n);
      c->plays[at] = c->length[at] > 0 && (c->lower[at] > -PO_INF || c->upper[at] < PO_INF);
    }
  return PO_OK;
}

static void casc_force(po_cascade *c, int row, double lo, double up) {
  c->force[c->in_force] = row;
  c->force_lo[c->in_force] = lo;
  c->force_up[c->in_force++] = up;
}

void po_cascade_hard(po_cascade *c, int with_equalities) {
  int i;
  c->objectives = c->slacks = 0;
  for (i = 0; i < c->rows; i++) {
    if (!c->plays[i] || !c->p->levels[c->level[i]].hard) continue;
    if (c->lower[i] < c->upper[i]) {
      casc_force(c, i, c->lower[i], c->upper[i]);
      if (c->s->last_valid && c->opts->warm) c->warm[c->in_force - 1] = c->s->last_active[i];
    } else if (with_equalities) {
      c->objective[c->objectives++] = i;
    }
  }
}

void po_cascade_level(po_cascade *c, int k) {
  int i;
  c->objectives = c->slacks = 0;
  for (i = 0; i < c->rows; i++) {
    if (!c->plays[i] || c->level[i] != k || c->p->levels[k].hard) continue;
    if (c->lower[i] == c->upper[i]) c->objective[c->objectives++] = i;
    else c->slack[c->slacks++] = i;
  }
}

void po_cascade_bounds(po_cascade *c) {
  int i;
  for (i = 0; i < c->in_force + c->slacks; i++) {
    int forced = i < c->in_force, row = forced ? c->force[i] : c->slack[i - c->in_force];
    double at = po_dot(c->row[row], c->x, c->n);
    c->cl[i] = (forced ? c->force_lo[i] : c->lower[row]) - at;
    c->cu[i] = (forced ? c->force_up[i] : c->upper[row]) - at;
    if (forced) { /* x itself is in: what rounding says against that is not to make the QP infeasible */
      double rounding = PO_CASCADE_HOLDS * (1 + fabs(at));
      if (c->cl[i] > 0 && c->cl[i] < rounding) c->cl[i] = 0;
      if (c->cu[i] < 0 && c->cu[i] > -rounding) c->cu[i] = 0;
    }
  }
}

/* ---- the QP ------------------------------------------------------------------------------------------------------------------------- */

void po_cascade_cost(po_cascade *c) {
  int nv = c->dim + c->slacks, i;
  po_mat W;
  c->H.rows = c->H.cols = nv;
  po_mat_zero(c->H);
  W = po_block(c->H, 0, 0, c->dim, c->dim);
  if (c->objectives && c->dim) {
    po_syrk(W, PO_LOWER, 0, 1, c->A, PO_T);
    po_mat_symmetrize(W, PO_LOWER);
    po_gemv_t(c->g, c->A, c->b);
  } else {
    memset(c->g, 0, sizeof(double) * (size_t)c->dim);
  }
  if (c->opts->damping > 0) {
    double trace = 0;
    for (i = 0; i < c->dim; i++) trace += PO_AT(W, i, i);
    for (i = 0; i < c->dim; i++) PO_AT(W, i, i) += c->opts->damping * trace / c->dim;
  }
  for (i = 0; i < c->dim; i++) c->g[i] = -c->g[i];
  for (i = c->dim; i < nv; i++) {
    PO_AT(c->H, i, i) = 1;
    c->g[i] = 0;
  }
  c->result->flops += (double)c->objectives * c->dim * c->dim;
}

/* Best we can say of a level from its QP: the worst of the residuals that po_qp has checked. */
static double casc_kkt(const po_qp_result *r) { return po_max(r->primal_residual, po_max(r->dual_residual, r->gap)); }

/* Above the last level H is singular by nature: what it does not see is for the levels below. Proximal steps
 *     w <- argmin ½ w'Hw + g'w + ½ sigma |w − centre|²,  centre <- w
 * make every QP strictly convex, which po_qp solves by whole working sets, and their fixed point is a minimizer of the level itself: the
 * term is not damping. An error along a direction of curvature h shrinks by sigma / (h + sigma) a step, so two or three do, and all but the
 * first start from the same factors and the same active set. */
static po_status casc_proximal(po_cascade *c, po_qp_solver *solver, po_qp *qp, const po_qp_opts *opts, const po_qp_warm *warm, po_qp_result *r) {
  double trace = 0, sigma, moved = 0;
  int i, round;
  po_status failed = PO_OK;
  po_qp_warm start = *warm;
  for (i = 0; i < c->dim; i++) trace += PO_AT(c->H, i, i);
  sigma = PO_CASCADE_SIGMA * trace / c->dim;
  for (i = 0; i < c->dim; i++) PO_AT(c->H, i, i) += sigma;
  memset(c->centre, 0, sizeof(double) * (size_t)qp->n);
  for (round = 0; round < PO_CASCADE_STEPS; round++) {
    for (i = 0; i < qp->n; i++) c->pulled[i] = c->g[i] - (i < c->dim ? sigma * c->centre[i] : 0);
    qp->g = c->pulled;
    qp->same_H = qp->same_rows = round > 0;
    failed = po_qp_solve(solver, qp, opts, &start, r);
    if (failed != PO_OK || r->status != PO_QP_OPTIMAL) break;
    for (i = 0, moved = 0; i < c->dim; i++) moved = po_max(moved, sigma * fabs(r->x[i] - c->centre[i]));
    memcpy(c->centre, r->x, sizeof(double) * (size_t)qp->n);
    moved /= 1 + po_norm_inf(c->g, c->dim); /* what is left of the gradient of the level itself */
    if (moved <= 0.1 * PO_CASCADE_QP_TOL) break;
    start = po_qp_last(solver);
  }
  for (i = 0; i < c->dim; i++) PO_AT(c->H, i, i) -= sigma;
  qp->g = c->g;
  qp->same_H = qp->same_rows = 0;
  r->dual_residual = po_max(r->dual_residual, moved);
  if (failed == PO_OK && r->status == PO_QP_OPTIMAL && moved > PO_CASCADE_QP_TOL) r->status = PO_QP_NUMERICAL;
  return failed;
}

po_status po_cascade_solve(po_cascade *c, int k, double *w, po_hqp_status *status) {
  po_qp qp;
  po_qp_opts opts = po_qp_opts_preset(c->opts->qp, PO_QP_FAST);
  po_qp_warm warm;
  po_qp_result r;
  po_qp_solver *solver = NULL;
  po_status failed;
  int nv = c->dim + c->slacks, mi = c->in_force + c->slacks;
  double started = po_cascade_clock(c);
  memset(&qp, 0, sizeof qp);
  memset(&warm, 0, sizeof warm);
  qp.n = nv;
  qp.me = c->equalities;
  qp.mi = mi;
  qp.H = c->H;
  qp.g = c->g;
  qp.A = c->E;
  qp.b = c->e;
  qp.C = c->C;
  qp.cl = c->cl;
  qp.cu = c->cu;
  opts.tol_primal = opts.tol_dual = PO_CASCADE_QP_TOL;
  opts.tol_gap = 10 * PO_CASCADE_QP_TOL;
  if (c->opts->max_iterations > 0) opts.max_iterations = c->opts->max_iterations;
  failed = po_qp_init(&solver, nv, qp.me, mi, c->qp.base, c->qp.size);
  if (failed != PO_OK) return failed;
  warm.active = c->warm;
  memset(c->warm + c->in_force, 0, (size_t)(c->slacks + nv));
  if (k >= 0 && k < c->p->level_count - 1 && c->opts->qp == PO_QP_ACTIVE_SET && c->objectives) failed = casc_proximal(c, solver, &qp, &opts, &warm, &r);
  else failed = po_qp_solve(solver, &qp, &opts, &warm, &r);
  if (failed == PO_OK && r.status != PO_QP_OPTIMAL) { /* once more with all care: scaled, refined, from nothing */
    c->result->iterations += r.iterations;
    c->result->fell_back = 1;
    opts.scale = 1;
    opts.refine = 10;
    opts.tol_primal = opts.tol_dual = 10 * PO_CASCADE_QP_TOL;
    opts.tol_gap = 100 * PO_CASCADE_QP_TOL;
    failed = po_qp_solve(solver, &qp, &opts, NULL, &r);
  }
  if (failed != PO_OK) return failed;
  c->result->profile[k < 0 ? 0 : k].qp += po_cascade_clock(c) - started;
  c->result->iterations += r.iterations;
  c->result->factorizations++;
  *status = r.status == PO_QP_OPTIMAL ? PO_HQP_OPTIMAL
            : r.status == PO_QP_INFEASIBLE ? PO_HQP_INFEASIBLE
            : r.status == PO_QP_ITERATION_LIMIT ? PO_HQP_ITERATION_LIMIT : PO_HQP_NUMERICAL;
  if (k >= 0) c->result->levels[k].kkt = po_max(c->result->levels[k].kkt, casc_kkt(&r));
  if (r.status == PO_QP_INFEASIBLE || r.status == PO_QP_UNBOUNDED || r.status == PO_QP_NONCONVEX) return PO_OK;
  memcpy(w, r.x, sizeof(double) * (size_t)nv);
  memcpy(c->warm, r.active, (size_t)c->in_force);
  return PO_OK;
}

int po_cascade_hard_holds(const po_cascade *c) {
  int i;
  for (i = 0; i < c->rows; i++) {
    double at, size;
    if (!c->p->levels[c->level[i]].hard) continue;
    at = c->n ? po_dot(c->row[i], c->x, c->n) : 0;
    size = 1 + fabs(at) + c->length[i] * po_norm_inf(c->x, c->n);
    if (at < c->lower[i] - PO_CASCADE_HARD * size || at > c->upper[i] + PO_CASCADE_HARD * size) return 0;
  }
  return 1;
}

void po_cascade_settle(po_cascade *c) {
  int i;
  for (i = 0; i < c->slacks; i++) {
    int row = c->slack[i];
    double at = po_dot(c->row[row], c->x, c->n), size = 1 + fabs(at) + c->length[row] * po_norm_inf(c->x, c->n);
    if (at < c->lower[row] - PO_CASCADE_HOLDS * size || at > c->upper[row] + PO_CASCADE_HOLDS * size) c->objective[c->objectives++] = row;
    else {
      c->warm[c->in_force] = 0;
      casc_force(c, row, po_min(c->lower[row], at), po_max(c->upper[row], at));
    }
  }
  c->slacks = 0;
}

void po_cascade_finish(po_cascade *c) {
  int i;
  memset(c->s->last_active, 0, (size_t)c->s->row_max);
  for (i = 0; i < c->in_force; i++)
    if (c->warm[i] == 1 || c->warm[i] == -1) c->s->last_active[c->force[i]] = c->warm[i];
  memcpy(c->s->x, c->x, sizeof(double) * (size_t)c->n);
  po_hqp_finish(c->s, c->p, c->result);
}
