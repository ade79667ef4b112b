/* dantzig.c: principal pivoting, one row at a time (Dantzig & Cottle; Baraff 1994, "Fast contact force computation").
 *
 * Rows are driven to complementarity in order, bounded rows before friction rows. Driven row d moves its z while the clamped rows C keep
 * w = 0: M_CC Δz_C = −M_Cd. The step ends when w_d vanishes, z_d meets its bound, a clamped row meets its bound (it leaves C), or a bounded
 * row's w vanishes (it joins C). A friction row at its bound keeps z = ±mu z_n, so it moves with its normal row; that makes the
 * system unsymmetric, and it is solved by LU anew for every pivot: n is small here, and this method is the cross-check.
 *
 * With friction that walk can get stuck: a sliding contact that jams turns back the row that is driven, and pivots of length zero repeat
 * themselves. Then the bounds are frozen at mu z_n of the last answer, which makes the problem one that the walk always solves, and that is
 * repeated; as soon as the states it ends in are right, one coupled solve with those states gives the exact answer.
 */
#include "lcp_internal.h"
#include <string.h>

enum { DANTZIG_WAITING, DANTZIG_CLAMPED, DANTZIG_LOW, DANTZIG_HIGH };

/* Relative addition to the diagonal: makes M_CC regular for redundant contacts, changes velocities by a billionth. */
#define PO_DANTZIG_CFM 1e-9

typedef struct dantzig_work {
  const po_lcp *p;
  int *state, *clamped, *perm, *at, count;
  double *K, *x, *dz, *dw, *w, *cfm, *bound;
  int frozen; /* 1: friction bounds are bound[], not mu z_n */
} dantzig_work;

static void dantzig_lay_out(dantzig_work *dw, int n, po_arena *arena) {
  dw->state = PO_ARENA_ARRAY(arena, int, n);
  dw->clamped = PO_ARENA_ARRAY(arena, int, n);
  dw->perm = PO_ARENA_ARRAY(arena, int, n);
  dw->at = PO_ARENA_ARRAY(arena, int, n);
  dw->K = PO_ARENA_ARRAY(arena, double, (size_t)n * (size_t)n);
  dw->x = PO_ARENA_ARRAY(arena, double, n);
  dw->dz = PO_ARENA_ARRAY(arena, double, n);
  dw->dw = PO_ARENA_ARRAY(arena, double, n);
  dw->w = PO_ARENA_ARRAY(arena, double, n);
  dw->cfm = PO_ARENA_ARRAY(arena, double, n);
  dw->bound = PO_ARENA_ARRAY(arena, double, n);
}

size_t po_lcp_dantzig_bytes(int n) {
  po_arena arena;
  dantzig_work dw;
  po_arena_measure(&arena);
  dantzig_lay_out(&dw, n, &arena);
  return po_arena_used(&arena);
}

static double dantzig_row_dot(const dantzig_work *dw, int i, const double *x) {
  return po_dot(po_row(dw->p->M, i), x, dw->p->n) + dw->cfm[i] * x[i];
}

/* Bounds of row i now, and their rates along dz. */
static void dantzig_bounds(const dantzig_work *dw, int i, const double *z, double *lo, double *hi, double *rate) {
  int j = po_lcp_normal_of(dw->p, i);
  *rate = 0;
  if (j < 0) {
    *lo = po_lcp_lo(dw->p, i);
    *hi = po_lcp_hi(dw->p, i);
  } else if (dw->frozen) {
    *hi = dw->bound[i];
    *lo = -*hi;
  } else {
    *hi = dw->p->mu[i] * po_max(0, z[j]);
    *lo = -*hi;
    *rate = dw->p->mu[i] * dw->dz[j];
  }
}

/* Friction rows at their bounds follow their normals. */
static void dantzig_follow(dantzig_work *dw, double *dz) {
  int i;
  for (i = 0; dw->p->friction && !dw->frozen && i < dw->p->n; i++) {
    int j = dw->p->friction[i];
    if (j < 0 || dw->state[i] < DANTZIG_LOW) continue;
    dz[i] = (dw->state[i] == DANTZIG_HIGH ? 1 : -1) * dw->p->mu[i] * dz[j];
  }
}

/* Lists the clamped rows, then x = K⁻¹ x with K their matrix; x is filled by the caller in between. 0 when K is singular. */
static void dantzig_list(dantzig_work *dw) {
  int i;
  dw->count = 0;
  for (i = 0; i < dw->p->n; i++) {
    dw->at[i] = -1;
    if (dw->state[i] != DANTZIG_CLAMPED) continue;
    dw->at[i] = dw->count;
    dw->clamped[dw->count++] = i;
  }
}

static int dantzig_solve(dantzig_work *dw) {
  int i, j, m = dw->count, n = dw->p->n;
  for (i = 0; i < m; i++) {
    const double *row = po_row(dw->p->M, dw->clamped[i]);
    for (j = 0; j < m; j++) dw->K[i * m + j] = row[dw->clamped[j]];
    dw->K[i * m + i] += dw->cfm[dw->clamped[i]];
    for (j = 0; dw->p->friction && !dw->frozen && j < n; j++) { /* columns of normals carry their sliding friction rows along */
      int normal = dw->p->friction[j];
      if (normal >= 0 && dw->at[normal] >= 0 && dw->state[j] >= DANTZIG_LOW)
        dw->K[i * m + dw->at[normal]] += (dw->state[j] == DANTZIG_HIGH ? 1 : -1) * dw->p->mu[j] * row[j];
    }
  }
  if (m > 0) {
    if (!po_lu(dw->K, m, m, dw->perm)) return 0;
    po_lu_solve(dw->K, m, m, dw->perm, dw->x);
  }
  return 1;
}

/* dz and dw for a unit change of z[d] in direction dir. 0 when the system is singular. */
static int dantzig_direction(dantzig_work *dw, int d, double dir) {
  int n = dw->p->n, i;
  dantzig_list(dw);
  memset(dw->dz, 0, sizeof(double) * (size_t)n);
  dw->dz[d] = dir;
  dantzig_follow(dw, dw->dz);
  for (i = 0; i < dw->count; i++) dw->x[i] = -dantzig_row_dot(dw, dw->clamped[i], dw->dz);
  if (!dantzig_solve(dw)) return 0;
  for (i = 0; i < dw->count; i++) dw->dz[dw->clamped[i]] = dw->x[i];
  dantzig_follow(dw, dw->dz);
  for (i = 0; i < n; i++) dw->dw[i] = dantzig_row_dot(dw, i, dw->dz);
  return po_all_finite(dw->dw, n);
}

/* Longest step before something changes; *who and *next say what. */
static double dantzig_step(const dantzig_work *dw, const double *z, int d, double dir, int *who, int *next) {
  double step = PO_INF, lo, hi, rate, s;
  int i;
  *who = -1;
  *next = DANTZIG_WAITING;
#define DANTZIG_TRY(at, row, to) \
  do { \
    s = (at) > 0 ? (at) : 0; \
    if (s < step) { \
      step = s; \
      *who = (row); \
      *next = (to); \
    } \
  } while (0)
  if (dw->dw[d] * dir > 0) DANTZIG_TRY(-dw->w[d] / dw->dw[d], d, DANTZIG_CLAMPED);
  for (i = 0; i < dw->p->n; i++) {
    if (dw->state[i] == DANTZIG_WAITING && i != d) continue;
    if (dw->state[i] == DANTZIG_CLAMPED || i == d) {
      dantzig_bounds(dw, i, z, &lo, &hi, &rate);
      if (dw->dz[i] - rate > 0) DANTZIG_TRY((hi - z[i]) / (dw->dz[i] - rate), i, DANTZIG_HIGH);
      if (dw->dz[i] + rate < 0) DANTZIG_TRY((lo - z[i]) / (dw->dz[i] + rate), i, DANTZIG_LOW);
    } else if (dw->state[i] == DANTZIG_LOW ? dw->dw[i] < 0 : dw->dw[i] > 0) {
      dantzig_bounds(dw, i, z, &lo, &hi, &rate);
      if (lo < hi || rate != 0) DANTZIG_TRY(-dw->w[i] / dw->dw[i], i, DANTZIG_CLAMPED);
    }
  }
#undef DANTZIG_TRY
  return step;
}

static void dantzig_refresh(dantzig_work *dw, const double *z) {
  int i;
  for (i = 0; i < dw->p->n; i++) dw->w[i] = dantzig_row_dot(dw, i, z) + dw->p->q[i];
}

/* Drives row d; the outcome is SOLVED when it got there. */
static po_lcp_outcome dantzig_drive(dantzig_work *dw, double *z, int d, double tol, po_lcp_result *result, int limit) {
  for (;;) {
    double lo, hi, rate, dir, step;
    int who, next, i;
    memset(dw->dz, 0, sizeof(double) * (size_t)dw->p->n);
    dantzig_bounds(dw, d, z, &lo, &hi, &rate);
    dir = dw->w[d] < 0 ? 1 : -1;
    if (fabs(dw->w[d]) <= tol) {
      dw->state[d] = z[d] <= lo ? DANTZIG_LOW : z[d] >= hi ? DANTZIG_HIGH : DANTZIG_CLAMPED;
      return PO_LCP_SOLVED;
    }
    if (dir > 0 ? z[d] >= hi : z[d] <= lo) {
      dw->state[d] = dir > 0 ? DANTZIG_HIGH : DANTZIG_LOW;
      return PO_LCP_SOLVED;
    }
    if (result->steps++ >= limit) return PO_LCP_LIMIT;
    if (!dantzig_direction(dw, d, dir)) return PO_LCP_NUMERICAL;
    step = dantzig_step(dw, z, d, dir, &who, &next);
    if (who < 0) return dw->p->friction ? PO_LCP_NUMERICAL : PO_LCP_RAY;
    for (i = 0; i < dw->p->n; i++) z[i] += step * dw->dz[i];
    dw->state[who] = next;
    if (next >= DANTZIG_LOW) { /* exactly onto the bound */
      dantzig_bounds(dw, who, z, &lo, &hi, &rate);
      z[who] = next == DANTZIG_LOW ? lo : hi;
    }
    dantzig_refresh(dw, z);
    if (who == d) return PO_LCP_SOLVED;
  }
}

static po_lcp_outcome dantzig_walk(dantzig_work *dw, double *z, double tol, po_lcp_result *result, int limit) {
  const po_lcp *p = dw->p;
  po_lcp_outcome outcome = PO_LCP_SOLVED;
  int i, pass;
  for (i = 0; i < p->n; i++) { /* a row already driven stays complementary, so each starts at its bound nearest zero */
    dw->state[i] = DANTZIG_WAITING;
    z[i] = po_lcp_normal_of(p, i) >= 0 ? 0 : po_clamp(0, po_lcp_lo(p, i), po_lcp_hi(p, i));
  }
  dantzig_refresh(dw, z);
  for (pass = 0; pass < 2; pass++)
    for (i = 0; i < p->n && outcome == PO_LCP_SOLVED; i++)
      if ((po_lcp_normal_of(p, i) >= 0) == pass) outcome = dantzig_drive(dw, z, i, tol, result, limit);
  return outcome;
}

/* With the states that the frozen walk ended in, bounds coupled again: z that has w = 0 in all clamped rows. */
static int dantzig_couple(dantzig_work *dw, double *z) {
  const po_lcp *p = dw->p;
  int i;
  for (i = 0; i < p->n; i++)
    if (po_lcp_normal_of(p, i) >= 0 && dw->state[i] >= DANTZIG_LOW) z[i] = (dw->state[i] == DANTZIG_HIGH ? 1 : -1) * p->mu[i] * z[p->friction[i]];
  dantzig_refresh(dw, z);
  dantzig_list(dw);
  for (i = 0; i < dw->count; i++) dw->x[i] = -dw->w[dw->clamped[i]];
  if (!dantzig_solve(dw)) return 0;
  memset(dw->dz, 0, sizeof(double) * (size_t)p->n);
  for (i = 0; i < dw->count; i++) dw->dz[dw->clamped[i]] = dw->x[i];
  dantzig_follow(dw, dw->dz);
  for (i = 0; i < p->n; i++) z[i] += dw->dz[i];
  return po_all_finite(z, p->n);
}

/* The walk's diagonal was raised by cfm, which costs velocities of a billionth. With the states it ended in, K⁻¹ of the raised matrix corrects z by
 * what the true one leaves: each round takes out all that M sees of it but a share of cfm. The best point stays. */
#define DANTZIG_CORRECTIONS 6
static void dantzig_correct(dantzig_work *dw, double *z, double tolerance) {
  const po_lcp *p = dw->p;
  int i, round, n = p->n;
  double best = po_lcp_residual(p, z);
  for (round = 0; round < DANTZIG_CORRECTIONS && best > tolerance; round++) {
    double now;
    dantzig_list(dw);
    for (i = 0; i < dw->count; i++) dw->x[i] = -(po_dot(po_row(p->M, dw->clamped[i]), z, n) + p->q[dw->clamped[i]]);
    if (!dantzig_solve(dw)) return;
    memset(dw->dz, 0, sizeof(double) * (size_t)n);
    for (i = 0; i < dw->count; i++) dw->dz[dw->clamped[i]] = dw->x[i];
    dantzig_follow(dw, dw->dz);
    for (i = 0; i < n; i++) dw->w[i] = z[i] + dw->dz[i];
    now = po_lcp_residual(p, dw->w);
    if (!(now < best)) return;
    best = now;
    memcpy(z, dw->w, sizeof(double) * (size_t)n);
  }
}

#define PO_DANTZIG_ROUNDS 60

static void dantzig_frozen_rounds(dantzig_work *dw, double *z, double tol, double good, double tolerance, po_lcp_result *result) {
  const po_lcp *p = dw->p;
  int i, round;
  memset(dw->bound, 0, sizeof(double) * (size_t)p->n);
  for (round = 0; round < PO_DANTZIG_ROUNDS; round++) {
    dw->frozen = 1;
    result->outcome = dantzig_walk(dw, z, tol, result, result->steps + 20 * p->n + 100);
    dw->frozen = 0;
    if (result->outcome != PO_LCP_SOLVED) return;
    for (i = 0; i < p->n; i++)
      if (po_lcp_normal_of(p, i) >= 0) dw->bound[i] = 0.5 * (dw->bound[i] + p->mu[i] * po_max(0, z[p->friction[i]]));
    if (round < 2) continue; /* the first bounds are zero, and the states say nothing yet */
    if (dantzig_couple(dw, z) && po_lcp_residual(p, z) <= good) {
      dantzig_correct(dw, z, tolerance);
      return;
    }
  }
  result->outcome = PO_LCP_LIMIT;
}

void po_lcp_dantzig(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch) {
  dantzig_work dw;
  double largest = 0, tol, good;
  int i, n = p->n;
  dw.p = p;
  dw.frozen = 0;
  dantzig_lay_out(&dw, n, scratch);
  if (scratch->failed) return;
  for (i = 0; i < n; i++) {
    largest = po_max(largest, fabs(PO_AT(p->M, i, i)));
    dw.cfm[i] = PO_DANTZIG_CFM * fabs(PO_AT(p->M, i, i));
  }
  tol = 1e-14 * (po_norm_inf(p->q, n) + largest);
  good = po_max(opts->tolerance, 1e-7 * po_norm_inf(p->q, n)); /* what cfm may cost */
  result->outcome = dantzig_walk(&dw, z, tol, result, opts->max_steps > 0 ? opts->max_steps : 4 * n + 20);
  if (result->outcome == PO_LCP_SOLVED) dantzig_correct(&dw, z, opts->tolerance);
  if (p->friction && (result->outcome != PO_LCP_SOLVED || !(po_lcp_residual(p, z) <= good)) && opts->max_steps == 0)
    dantzig_frozen_rounds(&dw, z, tol, good, opts->tolerance, result);
  if (result->outcome == PO_LCP_RAY) result->outcome = po_lcp_ray_outcome(p, dw.dz); /* the direction without an end */
  if (result->outcome == PO_LCP_SOLVED && !(po_lcp_residual(p, z) <= good)) result->outcome = po_lcp_away_outcome(p, z, PO_LCP_NUMERICAL, dw.dz);
}
