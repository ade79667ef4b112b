/* qp.c: the solver object of po_qp, and po_qp_solve: check at the door, call a method, believe its claim only when it checks. */
#include "qp_internal.h"

#include <string.h>

/* ---- words and options -------------------------------------------------------------------------------------------------- */

const char *po_qp_status_string(po_qp_status status) {
  static const char *const words[] = {"optimal", "infeasible", "unbounded", "nonconvex", "iteration_limit", "numerical"};
  return (unsigned)status < sizeof words / sizeof *words ? words[status] : "unknown";
}

const char *po_qp_method_string(po_qp_method method) {
  static const char *const words[] = {"active_set", "interior_point"};
  return (unsigned)method < sizeof words / sizeof *words ? words[method] : "unknown";
}

po_qp_opts po_qp_opts_preset(po_qp_method method, po_qp_preset preset) {
  po_qp_opts o;
  memset(&o, 0, sizeof o);
  o.method = method;
  o.max_iterations = 0;
  o.polish = method == PO_QP_INTERIOR_POINT;
  switch (preset) {
  case PO_QP_FAST: /* what a control loop needs; unscaled, so no sweep over the matrices before the first factorization */
    o.tol_primal = o.tol_dual = 1e-6;
    o.tol_gap = 1e-5;
    o.scale = 0;
    o.refine = 1;
    break;
  case PO_QP_ROBUST:
    o.tol_primal = o.tol_dual = 1e-8;
    o.tol_gap = 1e-7;
    o.scale = 1;
    o.refine = 10;
    break;
  case PO_QP_BALANCED:
  default:
    o.tol_primal = o.tol_dual = 1e-7;
    o.tol_gap = 1e-6;
    o.scale = 1;
    o.refine = 3;
    break;
  }
  return o;
}

po_qp_opts po_qp_opts_default(void) { return po_qp_opts_preset(PO_QP_ACTIVE_SET, PO_QP_BALANCED); }

/* ---- the object ---------------------------------------------------------------------------------------------------------- */

#define QPC_MAX_DIMENSION 30000 /* n² doubles are 7 GB here; keeps every size_t product far from overflow */

static int qpc_sizes_bad(int n, int me, int mi) {
  return n < 1 || me < 0 || mi < 0 || n > QPC_MAX_DIMENSION || me > 1000000 || mi > 1000000;
}

static void qpc_layout(po_arena *a, po_qp_solver *s, int n, int me, int mi) {
  size_t as = po_qp_active_set_bytes(n, me, mi), ip = po_qp_interior_point_bytes(n, me, mi);
  size_t work = as > ip ? as : ip, scratch = sizeof(double) * 4 * ((size_t)n + (size_t)me + (size_t)mi + 16) + 64;
  void *block;
  s->x = PO_ARENA_ZARRAY(a, double, n);
  s->y = PO_ARENA_ZARRAY(a, double, me);
  s->z = PO_ARENA_ZARRAY(a, double, mi);
  s->w = PO_ARENA_ZARRAY(a, double, n);
  s->ray = PO_ARENA_ZARRAY(a, double, n);
  s->active = PO_ARENA_ZARRAY(a, signed char, mi + n);
  s->conflict = PO_ARENA_ZARRAY(a, int, me + mi + n);
  s->warm_x = PO_ARENA_ARRAY(a, double, n);
  s->warm_y = PO_ARENA_ARRAY(a, double, me);
  s->warm_z = PO_ARENA_ARRAY(a, double, mi);
  s->warm_w = PO_ARENA_ARRAY(a, double, n);
  s->warm_active = PO_ARENA_ARRAY(a, signed char, mi + n);
  block = po_arena_alloc(a, scratch);
  if (block) po_arena_init(&s->scratch, block, scratch);
  block = po_arena_alloc(a, work);
  if (block) po_arena_init(&s->work, block, work);
}

size_t po_qp_bytes(int n, int me, int mi) {
  po_arena a;
  po_qp_solver s;
  if (qpc_sizes_bad(n, me, mi)) return 0;
  po_arena_measure(&a);
  po_arena_alloc(&a, sizeof s);
  qpc_layout(&a, &s, n, me, mi);
  return po_arena_used(&a);
}

po_status po_qp_init(po_qp_solver **solver, int n, int me, int mi, void *mem, size_t bytes) {
  po_arena a;
  po_qp_solver *s;
  if (!solver || !mem) return PO_ERR_NULL;
  if (qpc_sizes_bad(n, me, mi)) return PO_ERR_SIZE;
  if (bytes < po_qp_bytes(n, me, mi)) return PO_ERR_MEMORY;
  po_arena_init(&a, mem, bytes);
  s = (po_qp_solver *)po_arena_zalloc(&a, sizeof *s);
  if (!s) return PO_ERR_MEMORY;
  qpc_layout(&a, s, n, me, mi);
  if (a.failed) return PO_ERR_MEMORY;
  s->n_max = n;
  s->me_max = me;
  s->mi_max = mi;
  *solver = s;
  return PO_OK;
}

po_status po_qp_new(po_qp_solver **solver, int n, int me, int mi) {
  size_t bytes;
  void *block;
  po_status status;
  if (!solver) return PO_ERR_NULL;
  bytes = po_qp_bytes(n, me, mi);
  if (!bytes) return PO_ERR_SIZE;
  block = po_alloc(bytes);
  if (!block) return PO_ERR_MEMORY;
  status = po_qp_init(solver, n, me, mi, block, bytes);
  if (status != PO_OK) {
    po_free(block);
    return status;
  }
  (*solver)->owned = block;
  return PO_OK;
}

void po_qp_free(po_qp_solver *solver) {
  if (solver && solver->owned) po_free(solver->owned);
}

po_qp_warm po_qp_last(const po_qp_solver *s) {
  po_qp_warm w;
  memset(&w, 0, sizeof w);
  if (!s || !s->last_valid) return w;
  w.active = s->active;
  w.x = s->x;
  w.y = s->y;
  w.z = s->z;
  w.w = s->w;
  return w;
}

/* ---- the door ------------------------------------------------------------------------------------------------------------ */

static po_status qpc_check_matrix(po_mat M, int rows, int cols) {
  if (rows == 0) return PO_OK;
  if (!M.a) return PO_ERR_NULL;
  if (M.rows != rows || M.cols != cols) return PO_ERR_SIZE;
  return po_mat_check_finite(M);
}

/* l <= u with no NaN, l not +inf, u not −inf. */
static po_status qpc_check_bounds(const double *l, const double *u, int count) {
  int i;
  for (i = 0; i < count; i++) {
    double lo = l ? l[i] : -PO_INF, hi = u ? u[i] : PO_INF;
    if (lo != lo || hi != hi) return PO_ERR_NOT_FINITE;
    if (!(lo <= hi) || !(lo < PO_QP_INFINITY) || !(hi > -PO_QP_INFINITY)) return PO_ERR_BOUNDS;
  }
  return PO_OK;
}

static po_status qpc_check_blocks(const po_qp *p) {
  long long sum = 0;
  int i;
  if (!p->h_blocks) return p->h_block_count == 0 ? PO_OK : PO_ERR_NULL;
  if (p->h_block_count < 0 || p->h_block_count > p->n) return PO_ERR_SIZE;
  for (i = 0; i < p->h_block_count; i++) {
    if (p->h_blocks[i] == 0) return PO_ERR_SIZE;
    sum += p->h_blocks[i] > 0 ? p->h_blocks[i] : -(long long)p->h_blocks[i];
  }
  return p->h_block_count == 0 || sum == p->n ? PO_OK : PO_ERR_SIZE;
}

static po_status qpc_check_problem(const po_qp_solver *s, const po_qp *p) {
  po_status status;
  if (p->n < 1 || p->me < 0 || p->mi < 0 || p->n > s->n_max || p->me > s->me_max || p->mi > s->mi_max) return PO_ERR_SIZE;
  if (p->H.a && (status = qpc_check_matrix(p->H, p->n, p->n)) != PO_OK) return status;
  if ((status = qpc_check_matrix(p->A, p->me, p->n)) != PO_OK) return status;
  if ((status = qpc_check_matrix(p->C, p->mi, p->n)) != PO_OK) return status;
  if ((p->me && !p->b) || (p->mi && (!p->cl || !p->cu))) return PO_ERR_NULL;
  if (!po_isfinite(p->constant) || (p->g && !po_all_finite(p->g, p->n)) || (p->me && !po_all_finite(p->b, p->me))) return PO_ERR_NOT_FINITE;
  if ((status = qpc_check_bounds(p->cl, p->cu, p->mi)) != PO_OK) return status;
  if ((status = qpc_check_bounds(p->xl, p->xu, p->n)) != PO_OK) return status;
  return qpc_check_blocks(p);
}

static po_status qpc_check_opts(const po_qp_opts *o) {
  if (o->method != PO_QP_ACTIVE_SET && o->method != PO_QP_INTERIOR_POINT) return PO_ERR_RANGE;
  if (!(o->tol_primal > 0) || !(o->tol_dual > 0) || !(o->tol_gap > 0) || o->max_iterations < 0 || o->refine < 0) return PO_ERR_RANGE;
  if (!(o->tol_primal < 1) || !(o->tol_dual < 1) || !(o->tol_gap < 1)) return PO_ERR_RANGE;
  return PO_OK;
}

/* Copies the warm start out of harm's way; a member that is not finite is dropped: it cannot help. */
static const double *qpc_copy(double *to, const double *from, int n) {
  if (!from || n == 0 || !po_all_finite(from, n)) return NULL;
  memcpy(to, from, sizeof *to * (size_t)n);
  return to;
}

static po_qp_warm qpc_warm(po_qp_solver *s, const po_qp *p, const po_qp_warm *warm) {
  po_qp_warm c;
  c.x = qpc_copy(s->warm_x, warm->x, p->n);
  c.y = qpc_copy(s->warm_y, warm->y, p->me);
  c.z = qpc_copy(s->warm_z, warm->z, p->mi);
  c.w = qpc_copy(s->warm_w, warm->w, p->n);
  c.active = NULL;
  if (warm->active) {
    memcpy(s->warm_active, warm->active, (size_t)(p->mi + p->n));
    c.active = s->warm_active;
  }
  return c;
}

/* ---- solve --------------------------------------------------------------------------------------------------------------- */

/* Believes the method's claim only when it checks, and fills the result. */
static void qpc_finish(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, po_qp_result *r) {
  po_qp_residual residual;
  int optimal;
  memset(r, 0, sizeof *r);
  switch (s->status) {
  case PO_QP_INFEASIBLE:
    if (!po_qp_check_infeasible(s, p, &r->conflict_count)) s->status = PO_QP_NUMERICAL;
    break;
  case PO_QP_NONCONVEX:
    if (!po_qp_check_nonconvex(s, p)) s->status = PO_QP_NUMERICAL;
    break;
  default: break;
  }
  optimal = s->checked;
  if (s->checked) residual = s->residual;
  else optimal = po_qp_check_optimal(&residual, s, p, opts);
  if (s->status == PO_QP_OPTIMAL && !optimal) s->status = PO_QP_NUMERICAL;
  /* a ray alone proves no more than that the problem has no solution: it may have no feasible point either */
  if (s->status == PO_QP_UNBOUNDED && !(po_qp_check_unbounded(s, p) && residual.primal <= opts->tol_primal)) s->status = PO_QP_NUMERICAL;
  r->status = s->status;
  r->objective = residual.objective;
  r->primal_residual = residual.primal;
  r->dual_residual = residual.dual;
  r->gap = residual.gap;
  r->iterations = s->iterations;
  r->warm = s->warm;
  r->fell_back = s->fell_back;
  r->x = s->x;
  r->y = s->y;
  r->z = s->z;
  r->w = s->w;
  r->active = s->active;
  r->ray = s->status == PO_QP_UNBOUNDED || s->status == PO_QP_NONCONVEX ? s->ray : NULL;
  r->conflict = r->status == PO_QP_INFEASIBLE ? s->conflict : NULL;
  if (!r->conflict) r->conflict_count = 0;
}

po_status po_qp_solve(po_qp_result *result, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  po_qp_opts o;
  po_qp_warm copy;
  const po_qp_warm *start = NULL;
  po_status status;
  if (!s || !p || !result) return PO_ERR_NULL;
  o = opts ? *opts : po_qp_opts_default();
  if ((status = qpc_check_opts(&o)) != PO_OK || (status = qpc_check_problem(s, p)) != PO_OK) return status;
  if (warm) {
    copy = qpc_warm(s, p, warm);
    if (copy.active || copy.x) start = &copy;
  }
  if (s->last_method != o.method || s->n != p->n || s->me != p->me || s->mi != p->mi) s->work_valid = 0;
  s->last_valid = 0;
  s->n = p->n;
  s->me = p->me;
  s->mi = p->mi;
  s->last_method = o.method;
  s->status = PO_QP_NUMERICAL;
  s->iterations = s->warm = s->fell_back = s->has_ray = s->checked = 0;
  if (!s->work_valid) s->schur_valid = 0;
  if (o.method == PO_QP_INTERIOR_POINT) po_qp_interior_point_solve(s, p, &o, start);
  else po_qp_active_set_solve(s, p, &o, start);
  qpc_finish(s, p, &o, result);
  s->work_valid = 1;
  s->last_valid = result->status == PO_QP_OPTIMAL;
  return PO_OK;
}
