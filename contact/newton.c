/* newton.c: semismooth Newton on the natural map of the contact problem, with Gauss–Seidel sweeps where Newton goes astray.
 *
 * At the current z every unit is read off y = z − w/d: a row is at a bound or free (w = 0), a contact is open (z = 0), sticks (w = 0) or
 * slides. Sliding under the cone law, with ŷ = y_t/|y_t|, t ⊥ ŷ and k = mu z_n/|y_t| (Alart & Curnier 1991), gives the two equations
 *   ŷ·z_t − mu z_n = 0,      (1 − k) d t·z_t + k t·w_t = 0;
 * under the pyramid or box laws z_t lies on an edge (w along it zero) or in a corner. Together: one linear system, solved by Cholesky when
 * nothing slides and by LU otherwise. Redundant contacts make it singular, so it carries a proximal term eps d (z − z_now), which
 * leaves the undetermined part of z where it was: forces do not jitter from step to step.
 * A step that does not lessen the residual is followed by sweeps, which find out better who sticks and who slides. When all of that fails, easier
 * problems lead the way.
 */
#include "lcp_internal.h"
#include <string.h>

enum { NEWTON_FIXED, NEWTON_FREE, NEWTON_OPEN, NEWTON_STICK, NEWTON_SLIDE };

typedef struct newton_work {
  po_lcp_work *lcp;
  const po_lcp *p;
  int *state;        /* per unit */
  int *active, *at;  /* rows that are unknown; where each row stands among them, −1 when fixed */
  int m, slides;
  double prox;       /* proximal weight, relative to the diagonal */
  double *fixed;     /* values of the fixed rows */
  double *x, *trial, *at_now, *best;
  int *perm;
  po_mat K;
} newton_work;

static void newton_lay_out(newton_work *nw, int n, po_arena *arena) {
  nw->state = PO_ARENA_ARRAY(arena, int, n);
  nw->active = PO_ARENA_ARRAY(arena, int, n);
  nw->at = PO_ARENA_ARRAY(arena, int, n);
  nw->perm = PO_ARENA_ARRAY(arena, int, n);
  nw->fixed = PO_ARENA_ARRAY(arena, double, n);
  nw->x = PO_ARENA_ARRAY(arena, double, n + 4);
  nw->trial = PO_ARENA_ARRAY(arena, double, n);
  nw->at_now = PO_ARENA_ARRAY(arena, double, n);
  nw->best = PO_ARENA_ARRAY(arena, double, n);
  nw->K = po_arena_mat_raw(arena, n, n);
}

typedef struct newton_path {
  po_lcp easy;  /* with M and mu of its own */
  double *mu;
  int which, at; /* path, and stage on it */
  double soft;
} newton_path;

static void newton_path_lay_out(newton_path *path, int n, po_arena *arena) {
  path->easy.M = po_arena_mat(arena, n, n);
  path->mu = PO_ARENA_ARRAY(arena, double, n);
}

size_t po_lcp_newton_bytes(int n) {
  po_arena arena;
  newton_work nw;
  newton_path path;
  po_arena_measure(&arena);
  newton_lay_out(&nw, n, &arena);
  PO_ARENA_ARRAY(&arena, double, n); /* the last resort: a second answer, and an easier problem */
  newton_path_lay_out(&path, n, &arena);
  return po_arena_used(&arena);
}

static void newton_activate(newton_work *nw, int row) {
  nw->at[row] = nw->m;
  nw->active[nw->m++] = row;
}

static void newton_fix(newton_work *nw, int row, double value) {
  nw->at[row] = -1;
  nw->fixed[row] = value;
}

/* Reads every unit's state off z and w, and lists the unknown rows. */
static void newton_classify(newton_work *nw, const double *z) {
  const po_lcp_work *lcp = nw->lcp;
  int k, c;
  nw->m = nw->slides = 0;
  for (k = 0; k < lcp->units; k++) {
    const po_lcp_unit *u = &lcp->unit[k];
    double yn = z[u->n] - lcp->w[u->n] / u->d, lo = po_lcp_lo(nw->p, u->n), hi = po_lcp_hi(nw->p, u->n), yt[2], at[2];
    if (u->kind == PO_UNIT_ROW) {
      nw->state[k] = yn > lo && yn < hi ? NEWTON_FREE : NEWTON_FIXED;
      if (nw->state[k] == NEWTON_FREE)
        newton_activate(nw, u->n);
      else
        newton_fix(nw, u->n, yn <= lo ? lo : hi);
      continue;
    }
    yn = po_clamp(yn, lo, hi);
    if (u->kind == PO_UNIT_CONTACT) {
      if (!(yn > 0))
        newton_fix(nw, u->n, 0);
      else
        newton_activate(nw, u->n);
    }
    if (!(yn > 0) || u->mu == 0) {
      nw->state[k] = yn > 0 ? NEWTON_STICK : NEWTON_OPEN; /* a frictionless contact sticks with nothing to stick by */
      for (c = 0; c < u->count; c++) newton_fix(nw, u->t + c, 0);
      continue;
    }
    for (c = 0; c < u->count; c++) at[c] = yt[c] = z[u->t + c] - lcp->w[u->t + c] / u->dt;
    po_friction_project(&lcp->shape, u->count, u->mu * yn, at);
    nw->state[k] = NEWTON_STICK;
    for (c = 0; c < u->count; c++) {
      newton_activate(nw, u->t + c);
      if (at[c] != yt[c]) nw->state[k] = NEWTON_SLIDE;
    }
    nw->slides += nw->state[k] == NEWTON_SLIDE;
  }
}

/* Adds s·(row r of w = M z + q + eps d (z − z_now) = 0) to equation e. */
static void newton_add_row(newton_work *nw, int e, int r, double s, double d, const double *z) {
  const double *M = po_row(nw->p->M, r);
  double *K = po_row(nw->K, e), prox = nw->prox * d;
  int j;
  for (j = 0; j < nw->m; j++) K[j] += s * M[nw->active[j]];
  K[nw->at[r]] += s * prox;
  nw->x[e] += s * (prox * z[r] - nw->p->q[r]);
  for (j = 0; j < nw->p->n; j++)
    if (nw->at[j] < 0 && nw->fixed[j] != 0) nw->x[e] -= s * M[j] * nw->fixed[j];
}

/* Adds s·z[row] to equation e, whether z[row] is known or not. */
static void newton_add_z(newton_work *nw, int e, int row, double s) {
  if (nw->at[row] >= 0)
    po_row(nw->K, e)[nw->at[row]] += s;
  else
    nw->x[e] -= s * nw->fixed[row];
}

/* z_t·a = mu z_n·f as equation e, in the units of w. */
static void newton_on_edge(newton_work *nw, const po_lcp_unit *u, int e, double ax, double ay, double f) {
  newton_add_z(nw, e, u->t, u->dt * ax);
  newton_add_z(nw, e, u->t + 1, u->dt * ay);
  newton_add_z(nw, e, u->n, -u->dt * u->mu * f);
}

static void newton_slide_cone(newton_work *nw, const po_lcp_unit *u, const double *z) {
  int e = nw->at[u->t];
  double y0 = z[u->t] - nw->lcp->w[u->t] / u->dt, y1 = z[u->t + 1] - nw->lcp->w[u->t + 1] / u->dt, length = sqrt(y0 * y0 + y1 * y1);
  double k = po_min(1, u->mu * po_max(0, z[u->n]) / length);
  y0 /= length;
  y1 /= length;
  newton_on_edge(nw, u, e, y0, y1, 1);
  newton_add_row(nw, e + 1, u->t, -k * y1, u->dt, z);
  newton_add_row(nw, e + 1, u->t + 1, k * y0, u->dt, z);
  newton_add_z(nw, e + 1, u->t, -(1 - k) * u->dt * y1);
  newton_add_z(nw, e + 1, u->t + 1, (1 - k) * u->dt * y0);
}

static void newton_slide_polygon(newton_work *nw, const po_lcp_unit *u, const double *z, double radius) {
  const po_friction_shape *shape = &nw->lcp->shape;
  int e = nw->at[u->t], k, at = 0;
  double y[2], best = -PO_INF, along, limit = radius * sqrt(po_max(0, 1 - shape->reach * shape->reach));
  y[0] = z[u->t] - nw->lcp->w[u->t] / u->dt;
  y[1] = z[u->t + 1] - nw->lcp->w[u->t + 1] / u->dt;
  for (k = 0; k < shape->sides; k++) {
    double out = shape->edge[k][0] * y[0] + shape->edge[k][1] * y[1];
    if (out > best) {
      best = out;
      at = k;
    }
  }
  along = -shape->edge[at][1] * y[0] + shape->edge[at][0] * y[1];
  newton_on_edge(nw, u, e, shape->edge[at][0], shape->edge[at][1], shape->reach);
  if (fabs(along) < limit) { /* on the edge: free along it */
    newton_add_row(nw, e + 1, u->t, -shape->edge[at][1], u->dt, z);
    newton_add_row(nw, e + 1, u->t + 1, shape->edge[at][0], u->dt, z);
  } else { /* in a corner: on the neighbouring edge too */
    int next = along > 0 ? (at + 1) % shape->sides : (at + shape->sides - 1) % shape->sides;
    newton_on_edge(nw, u, e + 1, shape->edge[next][0], shape->edge[next][1], shape->reach);
  }
}

static void newton_slide_box(newton_work *nw, const po_lcp_unit *u, const double *z, double radius) {
  int c;
  for (c = 0; c < u->count; c++) {
    int r = u->t + c, e = nw->at[r];
    double y = z[r] - nw->lcp->w[r] / u->dt;
    if (fabs(y) <= radius) {
      newton_add_row(nw, e, r, 1, u->dt, z);
    } else {
      newton_add_z(nw, e, r, u->dt);
      newton_add_z(nw, e, u->n, y > 0 ? -u->dt * u->mu : u->dt * u->mu);
    }
  }
}

static void newton_assemble(newton_work *nw, const double *z) {
  int k, c;
  nw->K.rows = nw->K.cols = nw->m;
  po_mat_zero(nw->K);
  memset(nw->x, 0, sizeof(double) * (size_t)nw->m);
  for (k = 0; k < nw->lcp->units; k++) {
    const po_lcp_unit *u = &nw->lcp->unit[k];
    double radius;
    if (nw->state[k] == NEWTON_FIXED || nw->state[k] == NEWTON_OPEN) continue;
    if (u->kind != PO_UNIT_FRICTION) newton_add_row(nw, nw->at[u->n], u->n, 1, u->d, z);
    if (nw->state[k] == NEWTON_STICK)
      for (c = 0; c < u->count; c++)
        if (nw->at[u->t + c] >= 0) newton_add_row(nw, nw->at[u->t + c], u->t + c, 1, u->dt, z);
    if (nw->state[k] != NEWTON_SLIDE) continue;
    radius = u->mu * po_clamp(z[u->n] - nw->lcp->w[u->n] / u->d, po_lcp_lo(nw->p, u->n), po_lcp_hi(nw->p, u->n));
    if (nw->lcp->shape.law == PO_FRICTION_BOX || u->count == 1)
      newton_slide_box(nw, u, z, radius);
    else if (nw->lcp->shape.law == PO_FRICTION_PYRAMID)
      newton_slide_polygon(nw, u, z, radius);
    else
      newton_slide_cone(nw, u, z);
  }
}

/* One Newton step from z to nw->trial; 0 when the system could not be solved. */
static int newton_step(newton_work *nw, const double *z) {
  int i;
  newton_classify(nw, z);
  newton_assemble(nw, z);
  if (nw->m > 0) {
    if (nw->slides == 0) {
      if (po_cholesky(nw->K, NULL, nw->K) != PO_OK) return 0;
      po_cholesky_solve(nw->x, nw->K);
    } else {
      if (!po_lu(nw->K.a, nw->m, nw->K.ld, nw->perm)) return 0;
      po_lu_solve(nw->K.a, nw->m, nw->K.ld, nw->perm, nw->x);
    }
  }
  for (i = 0; i < nw->p->n; i++) nw->trial[i] = nw->at[i] >= 0 ? nw->x[nw->at[i]] : nw->fixed[i];
  return po_all_finite(nw->trial, nw->p->n);
}

/* How many sweeps after a cold start, and after a step that did not help: enough to sort out the states, fewer than a factorization costs. */
#define PO_NEWTON_COLD_SWEEPS 8
#define PO_NEWTON_ASTRAY_SWEEPS 4
#define PO_NEWTON_MOST_SWEEPS 32
#define PO_NEWTON_PLAIN_ROUNDS 3
#define PO_NEWTON_FROZEN_ROUNDS 8
#define PO_NEWTON_UPHILL 3
#define PO_NEWTON_MOST_PROXIMAL 1e-2
/* The last resort is for answers that are not even good enough. Of 182,000 problems of bodies that fall and strike the ground with their feet, Newton
 * and sweeps leave about 1,000 of those, and the last resort 18. */
#define PO_NEWTON_SOFT_LEAST 1e-7
#define PO_NEWTON_PATH_TOLERANCE 10

static void newton_sweeps(newton_work *nw, double *z, po_lcp_result *result, int count, int limit) {
  while (count-- > 0 && result->sweeps < limit) po_lcp_sweep(nw->lcp, z, result->sweeps++ & 1);
}

/* Sweeps with the friction bounds held at what they were, which cannot go round in circles; then the bounds move half way to mu z_n, and so on
 * (Haslinger's fixed point). */
static void newton_frozen(newton_work *nw, double *z, po_lcp_result *result, int count, int limit) {
  po_lcp_work *lcp = nw->lcp;
  int k, round;
  for (k = 0; k < lcp->units; k++) nw->x[k] = lcp->unit[k].count ? lcp->unit[k].mu * po_max(0, z[lcp->unit[k].n]) : 0;
  lcp->radius = nw->x;
  for (round = 0; round < PO_NEWTON_FROZEN_ROUNDS; round++) {
    newton_sweeps(nw, z, result, count, limit);
    for (k = 0; k < lcp->units; k++)
      if (lcp->unit[k].count) nw->x[k] = 0.5 * (nw->x[k] + lcp->unit[k].mu * po_max(0, z[lcp->unit[k].n]));
  }
  lcp->radius = NULL;
}

/* Newton steps from z, as long as they lead somewhere: a wrong guess of the states often mends itself in the next step, so a few may go
 * uphill. z ends at the best point seen (unchanged when there is none), work.w belongs to it, and its residual is returned. */
static double newton_run(newton_work *nw, double *z, double now, po_lcp_result *result, const po_lcp_opts *opts) {
  size_t bytes = sizeof(double) * (size_t)nw->p->n;
  double best = now;
  int uphill = 0, moved = 0;
  memcpy(nw->at_now, z, bytes);
  while (best > opts->tolerance && uphill < PO_NEWTON_UPHILL && result->steps < opts->max_steps) {
    double then;
    result->steps++;
    if (!newton_step(nw, nw->at_now)) break;
    memcpy(nw->at_now, nw->trial, bytes);
    po_lcp_refresh(nw->lcp, nw->at_now);
    then = po_lcp_natural(nw->lcp, nw->at_now);
    moved = 1;
    if (then < 0.9 * best) {
      nw->prox = po_max(PO_LCP_PROXIMAL, 0.01 * nw->prox);
      best = then;
      memcpy(z, nw->at_now, bytes);
      uphill = moved = 0;
    } else {
      uphill++;
    }
  }
  if (moved) po_lcp_refresh(nw->lcp, z);
  return best;
}

/* Newton and sweeps in turn from z, within the budget; z ends at the best point seen, whose residual is returned. */
static double newton_attempt(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch) {
  po_lcp_work lcp;
  newton_work nw;
  double now, best;
  int astray = PO_NEWTON_ASTRAY_SWEEPS, rounds = 0;
  size_t bytes = sizeof(double) * (size_t)p->n;
  if (po_lcp_work_init(&lcp, p, scratch) != PO_OK) return PO_INF;
  newton_lay_out(&nw, p->n, scratch);
  if (scratch->failed) return PO_INF;
  nw.lcp = &lcp;
  nw.p = p;
  po_lcp_refresh(&lcp, z);
  if (!opts->warm) newton_sweeps(&nw, z, result, PO_NEWTON_COLD_SWEEPS, opts->max_sweeps);
  now = po_lcp_natural(&lcp, z);
  best = PO_INF;
  nw.prox = PO_LCP_PROXIMAL;
  for (;;) {
    now = newton_run(&nw, z, now, result, opts);
    if (now < best || best == PO_INF) {
      best = now;
      memcpy(nw.best, z, bytes);
    }
    if (!(best > opts->tolerance) || result->sweeps >= opts->max_sweeps || !po_isfinite(now)) break;
    if (rounds++ < PO_NEWTON_PLAIN_ROUNDS) newton_sweeps(&nw, z, result, astray, opts->max_sweeps); /* more of them each time */
    else newton_frozen(&nw, z, result, astray, opts->max_sweeps);
    nw.prox = po_min(PO_NEWTON_MOST_PROXIMAL, 100 * nw.prox);
    astray = astray < PO_NEWTON_MOST_SWEEPS ? 2 * astray : astray;
    po_lcp_refresh(&lcp, z);
    now = po_lcp_natural(&lcp, z);
  }
  memcpy(z, nw.best, bytes);
  return best;
}

/* The last resort: an easier problem, whose answer is the guess for one that is less easy, and so on to the given one. Contacts may grip better than
 * they do, so that all that can stick sticks; or they may give: M + s diag(M) puts a spring under each, and near s = 1 any problem is easy. What
 * still fails is shaken: friction of each contact, or the best point so far, by random factors (always the same ones). Two feet that land flat
 * and push against each other have many answers near by and need it. */
static const double newton_grips[] = {1.3, 1.2, 1.1, 1.05, 1.02, 1.01, 1.003};
static const double newton_ratios[] = {0.3, 0.5};
#define PO_NEWTON_PATHS 3
#define PO_NEWTON_SHAKES 24
#define PO_NEWTON_GRIPS 7

/* Every other shake is of the friction: the first stage has each contact's mu by a factor of its own. */
static void newton_shake_friction(newton_path *path, const po_lcp *p) {
  po_rng rng;
  int i, j;
  po_rng_init(&rng, (uint64_t)path->which, 0);
  for (j = 0; j < p->n; j++) {
    double factor = po_rng_range(&rng, 0.8, 1.2);
    for (i = 0; p->mu && i < p->n; i++)
      if (po_lcp_normal_of(p, i) == j) path->mu[i] = factor * p->mu[i];
  }
}

/* Sets the next stage up; 0: it is the given problem. */
static int newton_path_next(newton_path *path, const po_lcp *p) {
  double grip = 1;
  int i, more;
  if (path->which >= PO_NEWTON_PATHS) {
    more = path->which % 2 && path->at == 0;
    path->soft = 0;
  } else if (path->which == 0) {
    more = path->at < PO_NEWTON_GRIPS;
    if (more) grip = newton_grips[path->at];
    path->soft = 0;
  } else {
    path->soft = path->at == 0 ? 1 : newton_ratios[path->which - 1] * path->soft;
    more = path->soft > PO_NEWTON_SOFT_LEAST;
    if (!more) path->soft = 0;
  }
  path->at++;
  po_mat_copy(path->easy.M, p->M);
  for (i = 0; i < p->n; i++) {
    PO_AT(path->easy.M, i, i) += path->soft * PO_AT(p->M, i, i);
    path->mu[i] = p->mu ? grip * p->mu[i] : 0;
  }
  if (more && path->which >= PO_NEWTON_PATHS) newton_shake_friction(path, p);
  return more;
}

/* Where a path begins: at rest, or around the best point so far. */
static void newton_path_start(double *z, const po_lcp *p, const double *best, int which) {
  po_rng rng;
  int i;
  po_rng_init(&rng, (uint64_t)which, 1);
  for (i = 0; i < p->n; i++)
    z[i] = which >= PO_NEWTON_PATHS && which % 2 == 0 ? best[i] * po_rng_range(&rng, 0.3, 1.7)
           : po_lcp_normal_of(p, i) < 0               ? po_clamp(0, po_lcp_lo(p, i), po_lcp_hi(p, i))
                                                      : 0;
}

/* Along one path; the residual of its end. Every stage has the budget of the whole. */
static double newton_follow(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, const double *best, int which, po_arena *scratch) {
  po_lcp_opts o = *opts;
  newton_path path;
  double residual = PO_INF;
  int more = 1;
  path.easy = *p;
  newton_path_lay_out(&path, p->n, scratch);
  if (scratch->failed) return PO_INF;
  if (p->mu) path.easy.mu = path.mu;
  path.which = which;
  path.at = 0;
  newton_path_start(z, p, best, which);
  o.warm = which >= PO_NEWTON_PATHS && which % 2 == 0;
  while (more) {
    po_lcp_result stage = {PO_LCP_LIMIT, 0, 0, 0};
    size_t mark = po_arena_mark(scratch);
    more = newton_path_next(&path, p);
    o.tolerance = more ? PO_NEWTON_PATH_TOLERANCE * opts->tolerance : opts->tolerance;
    o.max_sweeps = more || which >= PO_NEWTON_PATHS ? PO_NEWTON_MOST_SWEEPS : opts->max_sweeps;
    residual = newton_attempt(z, &stage, &path.easy, &o, scratch);
    po_arena_release(scratch, mark);
    result->sweeps += stage.sweeps;
    result->steps += stage.steps;
    o.warm = 1;
  }
  return residual;
}

void po_lcp_newton(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch) {
  size_t bytes = sizeof(double) * (size_t)p->n, mark = po_arena_mark(scratch);
  double best = newton_attempt(z, result, p, opts, scratch);
  int k;
  po_arena_release(scratch, mark);
  for (k = 0; k < PO_NEWTON_PATHS + PO_NEWTON_SHAKES && best > PO_GOOD_TOLERANCES * opts->tolerance && opts->max_sweeps >= PO_NEWTON_MOST_SWEEPS; k++) {
    double *other = PO_ARENA_ARRAY(scratch, double, p->n), residual;
    if (!other) break;
    residual = newton_follow(other, result, p, opts, z, k, scratch);
    if (residual < best) {
      best = residual;
      memcpy(z, other, bytes);
    }
    po_arena_release(scratch, mark);
  }
  result->residual = best;
  if (!po_isfinite(best))
    result->outcome = PO_LCP_NUMERICAL;
  else if (best <= opts->tolerance)
    result->outcome = PO_LCP_SOLVED;
  else {
    double *v = PO_ARENA_ARRAY(scratch, double, p->n);
    result->outcome = v ? po_lcp_away_outcome(p, z, PO_LCP_LIMIT, v) : PO_LCP_LIMIT;
    po_arena_release(scratch, mark);
  }
}
