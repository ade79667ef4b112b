/* lcp.c: the door of the LCP solvers: checks, the choice of method, the residual that proves an answer. */
#include "lcp_internal.h"

po_lcp_opts po_lcp_opts_default(void) {
  po_lcp_opts opts;
  opts.method = PO_LCP_NEWTON;
  opts.tolerance = 1e-9;
  opts.max_sweeps = 200;
  opts.max_steps = 30;
  opts.warm = 0;
  return opts;
}

const char *po_lcp_method_string(po_lcp_method method) {
  static const char *const names[] = {"lemke", "dantzig", "pgs", "newton"};
  return (unsigned)method < 4 ? names[method] : "unknown";
}

const char *po_lcp_outcome_string(po_lcp_outcome outcome) {
  static const char *const names[] = {"solved", "iteration_limit", "infeasible", "ray", "numerical"};
  return (unsigned)outcome < 5 ? names[outcome] : "unknown";
}

/* ---- friction shapes -------------------------------------------------------------------------------------------------------- */

void po_friction_shape_init(po_friction_shape *shape, po_friction_law law, int sides) {
  int k;
  shape->law = law;
  shape->sides = law == PO_FRICTION_PYRAMID ? sides : 0;
  shape->reach = 1;
  for (k = 0; k < shape->sides; k++) {
    double angle = 2 * PO_PI * k / sides, half = PO_PI / sides, c, s;
    po_sincos(&s, &c, angle);
    shape->corner[k][0] = c;
    shape->corner[k][1] = s;
    po_sincos(&s, &c, angle + half);
    shape->edge[k][0] = c;
    shape->edge[k][1] = s;
    shape->reach = po_cos(half);
  }
}

static void lcp_project_polygon(const po_friction_shape *shape, double radius, double *y) {
  double best = -PO_INF, along, limit;
  int k, at = 0;
  for (k = 0; k < shape->sides; k++) {
    double out = shape->edge[k][0] * y[0] + shape->edge[k][1] * y[1];
    if (out > best) {
      best = out;
      at = k;
    }
  }
  if (best <= radius * shape->reach) return;
  /* the edge that faces y most is the nearest one of a regular polygon: onto its line, then back to its corners */
  along = -shape->edge[at][1] * y[0] + shape->edge[at][0] * y[1];
  limit = radius * sqrt(po_max(0, 1 - shape->reach * shape->reach));
  along = po_clamp(along, -limit, limit);
  y[0] = radius * shape->reach * shape->edge[at][0] - along * shape->edge[at][1];
  y[1] = radius * shape->reach * shape->edge[at][1] + along * shape->edge[at][0];
}

void po_friction_project(const po_friction_shape *shape, int count, double radius, double *y) {
  if (shape->law == PO_FRICTION_BOX || count == 1) {
    int k;
    for (k = 0; k < count; k++) y[k] = po_clamp(y[k], -radius, radius);
  } else if (shape->law == PO_FRICTION_PYRAMID) {
    lcp_project_polygon(shape, radius, y);
  } else {
    double length2 = y[0] * y[0] + y[1] * y[1];
    if (length2 > radius * radius) {
      double s = radius / sqrt(length2);
      y[0] *= s;
      y[1] *= s;
    }
  }
}

/* ---- checks ----------------------------------------------------------------------------------------------------------------- */

static po_status lcp_check_friction(const po_lcp *p) {
  int i;
  if (!p->mu) return PO_ERR_NULL;
  if ((unsigned)p->law > PO_FRICTION_CONE) return PO_ERR_RANGE;
  if (p->law == PO_FRICTION_PYRAMID && (p->sides < 4 || p->sides > PO_LCP_MAX_SIDES || p->sides % 2)) return PO_ERR_RANGE;
  for (i = 0; i < p->n; i++) {
    int j = p->friction[i];
    if (j < 0) continue;
    if (j >= p->n || p->friction[j] >= 0) return PO_ERR_RANGE; /* friction upon friction */
    if (!po_isfinite(p->mu[i])) return PO_ERR_NOT_FINITE;
    if (p->mu[i] < 0) return PO_ERR_RANGE;
    if (po_lcp_paired(p, i)) i++; /* the second of the pair */
    else if (p->law != PO_FRICTION_BOX && i + 1 < p->n && p->friction[i + 1] == j) return PO_ERR_SIZE; /* a pair has one mu */
  }
  return PO_OK;
}

static po_status lcp_check(const po_lcp *p) {
  po_status status;
  int i;
  if (p->n < 0) return PO_ERR_SIZE;
  if (p->n == 0) return PO_OK;
  if (!p->q) return PO_ERR_NULL;
  if (p->M.rows != p->n || p->M.cols != p->n) return PO_ERR_SIZE;
  if ((status = po_mat_check_finite(p->M)) != PO_OK) return status;
  if (!po_all_finite(p->q, p->n)) return PO_ERR_NOT_FINITE;
  if (p->friction && (status = lcp_check_friction(p)) != PO_OK) return status;
  for (i = 0; i < p->n; i++) {
    if (po_lcp_normal_of(p, i) >= 0) continue;
    if (!(po_lcp_lo(p, i) <= po_lcp_hi(p, i)) || po_lcp_lo(p, i) == PO_INF || po_lcp_hi(p, i) == -PO_INF) return PO_ERR_BOUNDS;
  }
  return PO_OK;
}

/* ---- units ------------------------------------------------------------------------------------------------------------------ */

size_t po_lcp_work_bytes(int n) {
  po_arena arena;
  po_arena_measure(&arena);
  PO_ARENA_ARRAY(&arena, po_lcp_unit, n);
  PO_ARENA_ARRAY(&arena, double, n + 4);
  return po_arena_used(&arena);
}

/* The contact's own block in the order n, t, t+1; a single friction row has a second one beside it that moves nothing. */
void po_lcp_unit_block(double D[9], const po_lcp_unit *u, const po_lcp *p) {
  int rows[3], i, j;
  rows[0] = u->n;
  rows[1] = u->t;
  rows[2] = u->t + 1;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) D[3 * i + j] = i <= u->count && j <= u->count ? PO_AT(p->M, rows[i], rows[j]) : i == j ? D[4] : 0;
}

/* Its inverse; not regular when its conditioning leaves less than half of the digits. */
static void lcp_unit_inverse(po_lcp_unit *u, const po_lcp *p) {
  po_mat3 D, E;
  int i;
  double trace, det;
  po_lcp_unit_block(D.m, u, p);
  trace = D.m[0] + D.m[4] + D.m[8];
  det = po_m3_det(D);
  u->regular = det > 1e-10 * trace * trace * trace / 27;
  if (!u->regular) return;
  E = po_m3_inverse(D);
  for (i = 0; i < 9; i++) u->inverse[i] = E.m[i];
}

static double lcp_scale(const po_lcp *p, int i, double largest) {
  double d = fabs(PO_AT(p->M, i, i));
  return d > PO_LCP_ZERO_DIAGONAL * largest ? d : 1;
}

po_status po_lcp_work_init(po_lcp_work *work, const po_lcp *p, po_arena *arena) {
  double largest = 0;
  int i, n = p->n, *of; /* of[j]: the unit of normal row j */
  size_t mark;
  work->p = p;
  po_friction_shape_init(&work->shape, p->law, p->sides);
  work->units = 0;
  work->radius = NULL;
  work->unit = PO_ARENA_ARRAY(arena, po_lcp_unit, n);
  work->w = PO_ARENA_ARRAY(arena, double, n + 4);
  mark = po_arena_mark(arena);
  of = PO_ARENA_ARRAY(arena, int, n);
  if (arena->failed) return PO_ERR_MEMORY;
  for (i = 0; i < n; i++) largest = po_max(largest, fabs(PO_AT(p->M, i, i)));
  for (i = 0; i < n; i++) {
    po_lcp_unit *u = &work->unit[work->units];
    of[i] = -1;
    if (po_lcp_normal_of(p, i) >= 0) continue;
    of[i] = work->units++;
    u->kind = PO_UNIT_ROW;
    u->n = i;
    u->t = -1;
    u->count = 0;
    u->mu = 0;
    u->d = lcp_scale(p, i, largest);
    u->dt = 1;
    u->regular = 0;
  }
  for (i = 0; p->friction && i < n; i++) {
    int j = p->friction[i], pair;
    po_lcp_unit *u;
    if (j < 0) continue;
    pair = po_lcp_paired(p, i);
    u = &work->unit[of[j]];
    if (u->kind != PO_UNIT_ROW || po_lcp_lo(p, j) != 0 || po_lcp_hi(p, j) != PO_INF) {
      u = &work->unit[work->units++];
      u->kind = PO_UNIT_FRICTION;
      u->n = j;
      u->d = work->unit[of[j]].d;
    } else {
      u->kind = PO_UNIT_CONTACT;
    }
    u->t = i;
    u->count = pair ? 2 : 1;
    u->mu = p->mu[i];
    u->dt = lcp_scale(p, i, largest);
    u->regular = 0;
    if (pair) u->dt = po_max(u->dt, lcp_scale(p, i + 1, largest));
    if (u->kind == PO_UNIT_CONTACT) lcp_unit_inverse(u, p);
    i += pair;
  }
  po_arena_release(arena, mark);
  return PO_OK;
}

void po_lcp_refresh(po_lcp_work *work, const double *z) {
  int i, n = work->p->n;
  po_gemv(work->w, work->p->M, z);
  for (i = 0; i < n; i++) work->w[i] += work->p->q[i];
}

double po_lcp_natural(const po_lcp_work *work, const double *z) {
  const po_lcp *p = work->p;
  double worst = 0;
  int k, c;
  for (k = 0; k < work->units; k++) {
    const po_lcp_unit *u = &work->unit[k];
    if (u->kind != PO_UNIT_FRICTION) {
      double at = po_clamp(z[u->n] - work->w[u->n] / u->d, po_lcp_lo(p, u->n), po_lcp_hi(p, u->n));
      double error = u->d * fabs(z[u->n] - at);
      if (!(error <= worst)) worst = error;
    }
    if (u->count > 0) {
      double y[2] = {0, 0}, error;
      for (c = 0; c < u->count; c++) y[c] = z[u->t + c] - work->w[u->t + c] / u->dt;
      po_friction_project(&work->shape, u->count, u->mu * po_max(0, z[u->n]), y);
      for (c = 0; c < u->count; c++) {
        error = u->dt * fabs(z[u->t + c] - y[c]);
        if (!(error <= worst)) worst = error;
      }
    }
  }
  return worst;
}

/* Without scratch: row by row, w computed where it is needed. */
double po_lcp_residual(const po_lcp *p, const double *z) {
  po_friction_shape shape;
  double worst = 0, largest = 0;
  int i, c, n;
  if (!p || !z || lcp_check(p) != PO_OK) return PO_NAN;
  n = p->n;
  po_friction_shape_init(&shape, p->law, p->sides);
  for (i = 0; i < n; i++) largest = po_max(largest, fabs(PO_AT(p->M, i, i)));
  for (i = 0; i < n; i++) {
    int j = po_lcp_normal_of(p, i), count = j >= 0 && po_lcp_paired(p, i) ? 2 : 1;
    double y[2], scale = lcp_scale(p, i, largest);
    if (count == 2) scale = po_max(scale, lcp_scale(p, i + 1, largest));
    for (c = 0; c < count; c++) y[c] = z[i + c] - (po_dot(po_row(p->M, i + c), z, n) + p->q[i + c]) / scale;
    if (j >= 0)
      po_friction_project(&shape, count, p->mu[i] * po_max(0, z[j]), y);
    else
      y[0] = po_clamp(y[0], po_lcp_lo(p, i), po_lcp_hi(p, i));
    for (c = 0; c < count; c++) {
      double error = scale * fabs(z[i + c] - y[c]);
      if (!(error <= worst)) worst = error;
    }
    i += count - 1;
  }
  return worst;
}

/* Onto the bounds, normals first, then onto the friction shapes. */
static void lcp_admit(double *z, const po_lcp *p) {
  po_friction_shape shape;
  int i;
  po_friction_shape_init(&shape, p->law, p->sides);
  for (i = 0; i < p->n; i++)
    if (po_lcp_normal_of(p, i) < 0) z[i] = po_clamp(z[i], po_lcp_lo(p, i), po_lcp_hi(p, i));
  for (i = 0; i < p->n; i++) {
    int j = po_lcp_normal_of(p, i), pair;
    if (j < 0) continue;
    pair = po_lcp_paired(p, i);
    po_friction_project(&shape, pair ? 2 : 1, p->mu[i] * po_max(0, z[j]), z + i);
    i += pair;
  }
}

/* One judge for all methods, whatever they think of their own answers: the residual is that of the definition, and "solved" is a residual within the
 * tolerance. Pivots that stopped half way, or lost digits, may be outside the bounds and friction shapes: z is a point they allow. (Sweeps and Newton end
 * within their residual of one.) */
static void lcp_judge(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *o) {
  int i;
  if (!po_all_finite(z, p->n)) {
    for (i = 0; i < p->n; i++) z[i] = 0;
    result->outcome = PO_LCP_NUMERICAL;
  }
  if (o->method == PO_LCP_LEMKE || o->method == PO_LCP_DANTZIG) lcp_admit(z, p);
  result->residual = po_lcp_residual(p, z);
  if (result->residual <= o->tolerance) {
    if (result->outcome == PO_LCP_LIMIT || result->outcome == PO_LCP_NUMERICAL) result->outcome = PO_LCP_SOLVED;
  } else if (result->outcome == PO_LCP_SOLVED) {
    result->outcome = PO_LCP_NUMERICAL;
  }
}

/* ---- the door --------------------------------------------------------------------------------------------------------------- */

size_t po_lcp_bytes(const po_lcp *problem, po_lcp_method method) {
  size_t own;
  if (!problem || problem->n < 0) return 0;
  own = po_lcp_work_bytes(problem->n) + sizeof(int) * (size_t)problem->n + 64;
  switch (method) {
    case PO_LCP_LEMKE: return own + po_lcp_lemke_bytes(problem);
    case PO_LCP_DANTZIG: return own + po_lcp_dantzig_bytes(problem->n);
    case PO_LCP_NEWTON: return own + po_lcp_newton_bytes(problem->n);
    default: return own + sizeof(double) * (size_t)problem->n + 64;
  }
}

po_status po_lcp_solve(double *z, po_lcp_result *result, const po_lcp *problem, const po_lcp_opts *opts, po_arena *scratch) {
  po_status status;
  size_t mark;
  int i, has_friction = 0;
  if (!z || !result || !problem || !opts || !scratch) return PO_ERR_NULL;
  if ((unsigned)opts->method > PO_LCP_NEWTON || opts->max_sweeps < 0 || opts->max_steps < 0) return PO_ERR_RANGE;
  if (!(opts->tolerance >= 0)) return po_isfinite(opts->tolerance) ? PO_ERR_RANGE : PO_ERR_NOT_FINITE;
  if ((status = lcp_check(problem)) != PO_OK) return status;
  if (opts->warm && !po_all_finite(z, problem->n)) return PO_ERR_NOT_FINITE;
  for (i = 0; i < problem->n; i++) has_friction |= po_lcp_normal_of(problem, i) >= 0;
  if (has_friction && problem->law == PO_FRICTION_CONE && opts->method == PO_LCP_LEMKE) return PO_ERR_UNSUPPORTED;
  if (has_friction && problem->law != PO_FRICTION_BOX && opts->method == PO_LCP_DANTZIG) return PO_ERR_UNSUPPORTED;
  if (scratch->size - scratch->used < po_lcp_bytes(problem, opts->method) - 32) return PO_ERR_MEMORY;
  mark = po_arena_mark(scratch);
  result->outcome = PO_LCP_NUMERICAL;
  result->residual = 0;
  result->sweeps = result->steps = 0;
  if (!opts->warm)
    for (i = 0; i < problem->n; i++) z[i] = 0;
  switch (opts->method) {
    case PO_LCP_LEMKE: po_lcp_lemke(z, result, problem, opts, scratch); break;
    case PO_LCP_DANTZIG: po_lcp_dantzig(z, result, problem, opts, scratch); break;
    case PO_LCP_PGS: po_lcp_pgs(z, result, problem, opts, scratch); break;
    default: po_lcp_newton(z, result, problem, opts, scratch); break;
  }
  lcp_judge(z, result, problem, opts);
  po_arena_release(scratch, mark);
  return PO_OK;
}
