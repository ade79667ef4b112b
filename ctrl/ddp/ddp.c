/* ddp.c: the solver object: its memory, the door, views of the answer, save and restore. */
#include "ddp_internal.h"

#include <string.h>

const char *po_ddp_method_string(po_ddp_method method) {
  switch (method) {
    case PO_DDP_AUTO: return "auto";
    case PO_DDP_ACTIVE: return "active";
    case PO_DDP_INTERIOR: return "interior";
  }
  return "unknown";
}

const char *po_ddp_status_string(po_ddp_status status) {
  switch (status) {
    case PO_DDP_OPTIMAL: return "optimal";
    case PO_DDP_GOAL_UNREACHABLE: return "goal_unreachable";
    case PO_DDP_ITERATION_LIMIT: return "iteration_limit";
    case PO_DDP_NUMERICAL: return "numerical";
  }
  return "unknown";
}

po_ddp_opts po_ddp_opts_default(void) {
  po_ddp_opts o;
  o.method = PO_DDP_AUTO;
  o.gauss_newton = 0;
  o.max_iterations = 500;
  o.tol_goal = 1e-8;
  o.tol_stationarity = 1e-8;
  o.tol_complementarity = 1e-9;
  return o;
}

/* ---- the door --------------------------------------------------------------------------------------------------------------- */

#define DDP_MOST 100000 /* of anything: products of sizes then fit where they are computed */

static po_status ddp_check_sizes(po_ddp_sizes s, po_error *err) {
  if (s.frames < 1 || s.nx < 1)
    return po_fail(err, PO_ERR_SIZE, "%d frames and %d states: there must be at least one of each", s.frames, s.nx);
  if (s.nu < 0 || s.ng < 0 || s.np < 0) return po_fail(err, PO_ERR_SIZE, "nu, ng and np must not be negative");
  if (s.frames > DDP_MOST || s.nx > DDP_MOST || s.nu > DDP_MOST || s.ng > DDP_MOST || s.np > DDP_MOST)
    return po_fail(err, PO_ERR_SIZE, "more than %d frames, states, controls, goal rows or parameters", DDP_MOST);
  return PO_OK;
}

static po_status ddp_check_bounds(const double *lower, const double *upper, int n, int row, const char *what, po_error *err) {
  for (int i = 0; i < n; i++) {
    double lo = lower ? lower[i] : -PO_INF, hi = upper ? upper[i] : PO_INF;
    if (lo != lo || hi != hi) return po_fail(err, PO_ERR_NOT_FINITE, "frame %d: a bound of %s %d is NaN", row, what, i);
    if (!(lo <= hi) || lo == PO_INF || hi == -PO_INF)
      return po_fail(err, PO_ERR_BOUNDS, "frame %d: the bounds of %s %d cross: %g above %g", row, what, i, lo, hi);
  }
  return PO_OK;
}

static po_status ddp_check_numbers(const po_ddp_problem *p, po_error *err) {
  po_ddp_sizes s = p->size;
  if (!po_all_finite(p->start, s.nx)) return po_fail(err, PO_ERR_NOT_FINITE, "the start is not finite");
  if (p->p_nominal && !po_all_finite(p->p_nominal, s.np)) return po_fail(err, PO_ERR_NOT_FINITE, "a parameter is not finite");
  for (int i = 0; i < s.ng; i++) {
    if (p->goal_scale && !(p->goal_scale[i] > 0 && po_isfinite(p->goal_scale[i])))
      return po_fail(err, PO_ERR_RANGE, "goal_scale %d must be positive and finite", i);
    if (p->goal_weight && !(p->goal_weight[i] >= 0 && po_isfinite(p->goal_weight[i])))
      return po_fail(err, PO_ERR_RANGE, "goal_weight %d must not be negative, and finite", i);
  }
  return PO_OK;
}

po_status po_ddp_problem_check(const po_ddp_problem *p, po_error *err) {
  po_status status;
  if (!p || !p->step || !p->start) return po_fail(err, PO_ERR_NULL, "a problem needs a step and a start");
  status = ddp_check_sizes(p->size, err);
  if (status != PO_OK) return status;
  if (p->size.ng && !p->end) return po_fail(err, PO_ERR_NULL, "%d goal rows and no `end` to evaluate them", p->size.ng);
  for (int k = 0; k < p->size.frames; k++) {
    size_t at = (size_t)k * (size_t)p->size.nu;
    int nu = po_ddp_controls(p, k);
    if (nu < 0 || nu > p->size.nu)
      return po_fail(err, PO_ERR_SIZE, "frame %d has %d controls where size.nu is %d", k, nu, p->size.nu);
    status = ddp_check_bounds(p->lower ? p->lower + at : NULL, p->upper ? p->upper + at : NULL, nu, k, "control", err);
    if (status != PO_OK) return status;
  }
  status = ddp_check_bounds(p->p_lower, p->p_upper, p->size.np, 0, "parameter", err);
  return status == PO_OK ? ddp_check_numbers(p, err) : status;
}

/* ---- memory ----------------------------------------------------------------------------------------------------------------- */


static void ddp_lay_path(ddp_path *t, po_ddp_sizes s, po_arena *a) {
  size_t controls = (size_t)s.frames * (size_t)s.nu;
  t->x = PO_ARENA_ZARRAY(a, double, ((size_t)s.frames + 1) * (size_t)s.nx);
  t->u = PO_ARENA_ZARRAY(a, double, controls);
  t->zl = PO_ARENA_ZARRAY(a, double, controls);
  t->zu = PO_ARENA_ZARRAY(a, double, controls);
  t->mu = PO_ARENA_ZARRAY(a, double, s.ng);
  t->p = PO_ARENA_ZARRAY(a, double, s.np);
  t->value = PO_ARENA_ZARRAY(a, double, s.frames + 1);
  t->psi = PO_ARENA_ZARRAY(a, double, s.ng);
  t->cost = 0;
}

static void ddp_lay_frame(po_ddp *d, po_ddp_sizes s, po_arena *a) {
  int nz = s.nx + s.np + s.nu, ny = s.nx + s.np + s.ng, rows = s.nx > s.ng ? s.nx : s.ng, most = nz > ny ? nz : ny;
  d->stage.F = po_arena_mat(a, rows, nz);
  d->stage.H = po_arena_mat(a, nz, nz);
  d->stage.l = PO_ARENA_ZARRAY(a, double, nz);
  d->B = po_arena_mat(a, s.nx, nz);
  d->Qm = po_arena_mat(a, s.ng, nz);
  d->R = po_arena_mat(a, s.nu, ny);
  d->L = po_arena_mat(a, s.nu, s.nu);
  d->Y = po_arena_mat(a, s.nu, ny);
  d->g = PO_ARENA_ZARRAY(a, double, s.nu);
  d->work = PO_ARENA_ZARRAY(a, double, 3 * most + rows);
  d->lo = PO_ARENA_ZARRAY(a, double, s.nu);
  d->hi = PO_ARENA_ZARRAY(a, double, s.nu);
  d->index = PO_ARENA_ZARRAY(a, int, s.nu);
  d->costate = PO_ARENA_ZARRAY(a, double, s.nx);
  d->gp = PO_ARENA_ZARRAY(a, double, s.np);
}

static size_t ddp_scratch_bytes(po_ddp_sizes s) {
  size_t saddle = po_ddp_saddle_bytes(s.np, s.ng) + sizeof(double) * (size_t)(s.ng + 3 * s.np) + 256;
  size_t differences = po_ddp_differences_bytes(s);
  return saddle > differences ? saddle : differences;
}

/* Everything in the object, front to back. */
static void ddp_lay_out(po_ddp *d, po_ddp_sizes s, po_arena *a) {
  size_t controls = (size_t)s.frames * (size_t)s.nu, scratch = ddp_scratch_bytes(s);
  int ny = s.nx + s.np + s.ng, ldy = po_pad4(ny);
  d->nu = PO_ARENA_ZARRAY(a, int, s.frames);
  ddp_lay_path(&d->now, s, a);
  d->z = PO_ARENA_ZARRAY(a, double, controls);
  d->rho = PO_ARENA_ZARRAY(a, double, s.ng);
  d->W = PO_ARENA_ZARRAY(a, double, controls *(size_t)ldy);
  d->V = PO_ARENA_ZARRAY(a, double, ((size_t)s.frames + 1) * (size_t)ny * (size_t)ldy);
  d->v = PO_ARENA_ZARRAY(a, double, ((size_t)s.frames + 1) * (size_t)ny);
  ddp_lay_path(&d->trial, s, a);
  ddp_lay_path(&d->keep, s, a);
  ddp_lay_path(&d->start, s, a);
  d->k = PO_ARENA_ZARRAY(a, double, controls);
  d->step = PO_ARENA_ZARRAY(a, double, controls);
  d->clamped = PO_ARENA_ZARRAY(a, signed char, controls);
  d->dmu = PO_ARENA_ZARRAY(a, double, s.ng);
  d->scale = PO_ARENA_ZARRAY(a, double, s.ng);
  d->nu_merit = PO_ARENA_ZARRAY(a, double, s.ng);
  d->dp = PO_ARENA_ZARRAY(a, double, s.np);
  ddp_lay_frame(d, s, a);
  po_arena_init(&d->scratch, po_arena_alloc(a, scratch), scratch);
}

size_t po_ddp_bytes(po_ddp_sizes size) {
  po_arena a;
  po_ddp nothing;
  if (ddp_check_sizes(size, NULL) != PO_OK) return 0;
  memset(&nothing, 0, sizeof nothing);
  po_arena_measure(&a);
  po_arena_alloc(&a, sizeof nothing);
  ddp_lay_out(&nothing, size, &a);
  return po_arena_used(&a);
}

po_status po_ddp_init(po_ddp **ddp, po_ddp_sizes size, void *mem, size_t bytes) {
  po_status status = ddp_check_sizes(size, NULL);
  po_arena a;
  po_ddp *d;
  if (!ddp || !mem) return PO_ERR_NULL;
  if (status != PO_OK) return status;
  if (bytes < po_ddp_bytes(size)) return PO_ERR_MEMORY;
  po_arena_init(&a, mem, bytes);
  d = (po_ddp *)po_arena_zalloc(&a, sizeof *d);
  if (!d) return PO_ERR_MEMORY;
  ddp_lay_out(d, size, &a);
  if (a.failed) return PO_ERR_MEMORY;
  d->head.max = d->head.size = size;
  po_ddp_adopt_sizes(d, size);
  *ddp = d;
  return PO_OK;
}

po_status po_ddp_new(po_ddp **ddp, po_ddp_sizes size) {
  size_t bytes = po_ddp_bytes(size);
  void *mem;
  po_status status;
  if (!ddp) return PO_ERR_NULL;
  if (bytes == 0) return PO_ERR_SIZE;
  mem = po_alloc(bytes);
  if (!mem) return PO_ERR_MEMORY;
  status = po_ddp_init(ddp, size, mem, bytes);
  if (status == PO_OK) (*ddp)->owned = mem;
  else po_free(mem);
  return status;
}

void po_ddp_free(po_ddp *ddp) {
  if (ddp) po_free(ddp->owned);
}

int po_ddp_fits(po_ddp_sizes max, po_ddp_sizes s) {
  return s.frames >= 1 && s.frames <= max.frames && s.nx >= 1 && s.nx <= max.nx && s.nu >= 0 && s.nu <= max.nu && s.ng >= 0 &&
         s.ng <= max.ng && s.np >= 0 && s.np <= max.np;
}

void po_ddp_adopt_sizes(po_ddp *d, po_ddp_sizes s) {
  d->head.size = s;
  d->N = s.frames;
  d->nx = s.nx;
  d->nu_max = s.nu;
  d->np = s.np;
  d->ng = s.ng;
  d->ny = s.nx + s.np + s.ng;
  d->ldy = po_pad4(d->ny);
}

/* ---- the answer ---------------------------------------------------------------------------------------------------------------
 * */

po_ddp_frame po_ddp_frame_of(const po_ddp *d, int frame) {
  po_ddp_frame f;
  int k = frame < 0 ? 0 : frame > d->N ? d->N : frame, nx = d->nx, xp = d->nx + d->np;
  po_mat V = ddp_value(d, k), W = po_mat_of(NULL, 0, d->ny, d->ldy);
  const double *v = ddp_slope(d, k);
  memset(&f, 0, sizeof f);
  f.x = ddp_x(d, &d->now, k);
  if (k < d->N) {
    f.nu = d->nu[k];
    f.u = ddp_u(d, d->now.u, k);
    f.z = ddp_u(d, d->z, k);
    W = ddp_gains(d, k);
  }
  f.K = W.a ? po_block(W, 0, 0, f.nu, nx) : po_mat_of(NULL, 0, nx, nx);
  f.Kp = W.a ? po_block(W, 0, nx, f.nu, d->np) : po_mat_of(NULL, 0, d->np, d->np);
  f.Km = W.a ? po_block(W, 0, xp, f.nu, d->ng) : po_mat_of(NULL, 0, d->ng, d->ng);
  for (int i = k; i <= d->N; i++) f.value += d->now.value[i];
  f.Vx = v;
  f.Vp = v + nx;
  f.Vm = v + xp;
  f.Vxx = po_block(V, 0, 0, nx, nx);
  f.Vpx = po_block(V, nx, 0, d->np, nx);
  f.Vpp = po_block(V, nx, nx, d->np, d->np);
  f.Vmx = po_block(V, xp, 0, d->ng, nx);
  f.Vmp = po_block(V, xp, nx, d->ng, d->np);
  f.Vmm = po_block(V, xp, xp, d->ng, d->ng);
  return f;
}

/* ---- save and restore
 * ----------------------------------------------------------------------------------------------------------- */

static void ddp_stream_sizes(po_ddp_sizes *z, po_stream *s) {
  po_stream_int(s, &z->frames);
  po_stream_int(s, &z->nx);
  po_stream_int(s, &z->nu);
  po_stream_int(s, &z->ng);
  po_stream_int(s, &z->np);
}

/* Arrays go whole, at the sizes the object was made for: the length of a stream then depends on nothing else. */
void po_ddp_stream(po_ddp *d, po_stream *s) {
  po_ddp_sizes m = d->head.max, now = d->head.size;
  int controls = m.frames * m.nu, ny = m.nx + m.np + m.ng, ldy = po_pad4(ny);
  ddp_stream_sizes(&now, s);
  po_stream_int(s, &d->head.valid);
  po_stream_int(s, &d->head.box);
  po_stream_ints(s, d->nu, m.frames);
  po_stream_doubles(s, d->now.x, (m.frames + 1) * m.nx);
  po_stream_doubles(s, d->now.u, controls);
  po_stream_doubles(s, d->now.zl, controls);
  po_stream_doubles(s, d->now.zu, controls);
  po_stream_doubles(s, d->now.mu, m.ng);
  po_stream_doubles(s, d->now.p, m.np);
  po_stream_doubles(s, d->now.value, m.frames + 1);
  po_stream_doubles(s, d->now.psi, m.ng);
  po_stream_double(s, &d->now.cost);
  po_stream_doubles(s, d->z, controls);
  po_stream_doubles(s, d->rho, m.ng);
  po_stream_bytes(s, d->W, sizeof(double) * (size_t)controls * (size_t)ldy);
  po_stream_bytes(s, d->V, sizeof(double) * ((size_t)m.frames + 1) * (size_t)ny * (size_t)ldy);
  po_stream_doubles(s, d->v, (m.frames + 1) * ny);
  if (s->mode != PO_STREAM_READ || s->status != PO_OK) return;
  if (!po_ddp_fits(m, now)) s->status = PO_ERR_SIZE;
  for (int k = 0; k < m.frames && s->status == PO_OK; k++)
    if (d->nu[k] < 0 || d->nu[k] > now.nu) s->status = k < now.frames ? PO_ERR_SIZE : PO_OK;
  if (s->status == PO_OK) po_ddp_adopt_sizes(d, now);
  else d->head.valid = 0;
}

static void ddp_stream_any(void *object, po_stream *s) { po_ddp_stream((po_ddp *)object, s); }

static po_stream_kind ddp_stream_kind(const po_ddp *d) {
  po_stream_kind kind = {"ddp", 1, 0};
  kind.belongs = po_hash(&d->head.max, sizeof d->head.max, 17);
  return kind;
}

size_t po_ddp_save_bytes(const po_ddp *d) {
  po_stream_kind kind = ddp_stream_kind(d);
  return po_stream_save_bytes(&kind, ddp_stream_any, d);
}

po_status po_ddp_save(void *state, size_t bytes, const po_ddp *d) {
  po_stream_kind kind = ddp_stream_kind(d);
  return po_stream_save(state, bytes, &kind, ddp_stream_any, d);
}

po_status po_ddp_restore(po_ddp *d, const void *state, size_t bytes) {
  po_stream_kind kind = ddp_stream_kind(d);
  return po_stream_restore(d, &kind, ddp_stream_any, state, bytes);
}

uint64_t po_ddp_hash(const po_ddp *d) {
  size_t controls = (size_t)d->N * (size_t)d->nu_max;
  uint64_t h = po_hash_doubles(d->now.x, (size_t)(d->N + 1) * (size_t)d->nx, 17);
  h = po_hash_doubles(d->now.u, controls, h);
  h = po_hash_doubles(d->now.mu, (size_t)d->ng, h);
  h = po_hash_doubles(d->now.p, (size_t)d->np, h);
  for (int k = 0; k < d->N; k++)
    for (int i = 0; i < d->nu[k]; i++) h = po_hash_doubles(po_row(ddp_gains(d, k), i), (size_t)d->ny, h);
  return h;
}
