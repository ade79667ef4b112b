/* qp_generator.h: random quadratic programs whose answer is known because they are built backwards from it.
 *
 *   qpg_make(&problem, family, seed, largest_n)   the problem, its status and, when optimal, its objective
 *   qpg_free(&problem)
 *
 * Solvable families choose x*, the active rows and bounds, and multipliers of the right signs; bounds are then placed around the values
 * at x*, and g = A'y + C'z + w − Hx* makes (x*, y, z, w) satisfy the optimality conditions, which are sufficient because H is
 * positive semidefinite. Unsolvable families start from the ray that proves it. */
#ifndef PO_TESTS_QP_GENERATOR_H
#define PO_TESTS_QP_GENERATOR_H

#include "../qp/qp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum qpg_family {
  QPG_PLAIN,      /* H positive definite, everything generic */
  QPG_SINGULAR,   /* H of low rank */
  QPG_LP,         /* no H */
  QPG_DEGENERATE, /* more active rows than dimensions, zero multipliers, duplicated rows */
  QPG_DEPENDENT,  /* equality rows that repeat each other */
  QPG_SCALED,     /* rows and variables in units a million apart, cost too */
  QPG_FIXED,      /* fixed variables, rows with equal bounds, rows without bounds, zero rows */
  QPG_BOX,        /* bounds only */
  QPG_BLOCKS,     /* H is block-diagonal, and says so */
  QPG_VERTEX,     /* an LP or near-LP with exactly n active */
  QPG_FAR,        /* bounds 1e4 to 1e15 away that stand for none */
  QPG_INFEASIBLE, /* rows that contradict each other */
  QPG_INFEASIBLE_BOUNDS, /* rows that contradict the bounds */
  QPG_UNBOUNDED,
  QPG_NONCONVEX,
  QPG_FAMILIES
} qpg_family;

static const char *const qpg_names[] = {"plain", "singular", "lp", "degenerate", "dependent", "scaled", "fixed", "box", "blocks",
                                        "vertex", "far", "infeasible", "infeasible_bounds", "unbounded", "nonconvex"};

typedef struct qpg_problem {
  po_qp qp;
  po_qp_status status;
  double objective;
  int unique;       /* 1: x is the only solution */
  double *x, *memory;
  double *H, *A, *C, *g, *b, *cl, *cu, *xl, *xu, *y, *z, *w;
  int blocks[4];
} qpg_problem;

static inline void qpg_allocate(qpg_problem *q, int n, int me, int mi) {
  size_t N = (size_t)n, M = (size_t)(me + mi) + 1;
  double *at;
  memset(q, 0, sizeof *q);
  at = q->memory = (double *)calloc(N * N + M * N + 8 * N + 8 * M + 8, sizeof(double));
  q->H = at, at += N * N;
  q->A = at, at += (size_t)me * N;
  q->C = at, at += (size_t)mi * N;
  double **of_n[] = {&q->g, &q->xl, &q->xu, &q->w, &q->x}, **of_m[] = {&q->b, &q->cl, &q->cu, &q->y, &q->z};
  for (int k = 0; k < 5; k++) *of_n[k] = at, at += N;
  for (int k = 0; k < 5; k++) *of_m[k] = at, at += M;
  q->qp.n = n;
  q->qp.me = me;
  q->qp.mi = mi;
  q->qp.H = po_mat_of(q->H, n, n, n);
  q->qp.A = po_mat_of(q->A, me, n, n);
  q->qp.C = po_mat_of(q->C, mi, n, n);
  q->qp.g = q->g;
  q->qp.b = q->b;
  q->qp.cl = q->cl;
  q->qp.cu = q->cu;
  q->qp.xl = q->xl;
  q->qp.xu = q->xu;
}
static inline void qpg_free(qpg_problem *q) { free(q->memory); }

static inline double qpg_value(const double *row, const double *x, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += row[j] * x[j];
  return sum;
}

/* H = B'B with B rank×n (sparse rows now and then), plus shift on the diagonal. */
static inline void qpg_hessian(qpg_problem *q, po_rng *rng, int from, int to, int rank, double shift) {
  int n = q->qp.n;
  double *b = (double *)calloc((size_t)n + 1, sizeof(double));
  for (int k = 0; k < rank; k++) {
    for (int j = from; j < to; j++) b[j] = po_rng_normal(rng);
    for (int i = from; i < to; i++)
      for (int j = from; j < to; j++) q->H[i * n + j] += b[i] * b[j];
  }
  for (int j = from; j < to; j++) q->H[j * n + j] += shift;
  free(b);
}

static inline void qpg_rows(double *rows, int count, int n, po_rng *rng, double density) {
  for (int i = 0; i < count * n; i++) rows[i] = po_rng_uniform(rng) < density ? po_rng_normal(rng) : 0.0;
  for (int i = 0; i < count; i++) rows[i * n + po_rng_below(rng, n)] = 1 + po_rng_uniform(rng); /* no row is empty */
}

/* Places lo and hi around value: active at lower (−1), upper (+1) or inside (0), with a multiplier of the right sign. */
static inline void qpg_place(double *lo, double *hi, double *multiplier, double value, int active, int weak, po_rng *rng) {
  double kind = po_rng_uniform(rng);
  *lo = kind < 0.35 ? -PO_INF : value - 0.1 - 2 * po_rng_uniform(rng);
  *hi = kind > 0.65 ? PO_INF : value + 0.1 + 2 * po_rng_uniform(rng);
  *multiplier = 0;
  if (active < 0) *lo = value;
  if (active > 0) *hi = value;
  if (active && !weak) *multiplier = -active * (0.1 + po_rng_uniform(rng));
}

static inline void qpg_finish_optimal(qpg_problem *q) { /* g from stationarity, then the objective */
  int n = q->qp.n;
  q->status = PO_QP_OPTIMAL;
  q->objective = q->qp.constant;
  for (int j = 0; j < n; j++) {
    double t = q->w[j];
    for (int i = 0; i < q->qp.me; i++) t += q->A[i * n + j] * q->y[i];
    for (int i = 0; i < q->qp.mi; i++) t += q->C[i * n + j] * q->z[i];
    q->g[j] = t - (q->qp.H.a ? qpg_value(q->H + j * n, q->x, n) : 0.0);
  }
  for (int j = 0; j < n; j++) q->objective += q->x[j] * (q->g[j] + 0.5 * (q->qp.H.a ? qpg_value(q->H + j * n, q->x, n) : 0.0));
}

/* Bounds and multipliers around x*, with about `share` of the dimensions taken by active rows and bounds. */
static inline void qpg_activate(qpg_problem *q, po_rng *rng, double share, double weak) {
  int n = q->qp.n, left = (int)(share * n + 0.5) - q->qp.me;
  for (int j = 0; j < n; j++) q->x[j] = po_rng_normal(rng);
  for (int i = 0; i < q->qp.me; i++) {
    q->b[i] = qpg_value(q->A + i * n, q->x, n);
    q->y[i] = po_rng_normal(rng);
  }
  for (int k = 0; k < q->qp.mi + n; k++) {
    int row = k < q->qp.mi, i = row ? k : k - q->qp.mi;
    int active = left > 0 && po_rng_uniform(rng) < 0.5 ? (po_rng_below(rng, 2) ? 1 : -1) : 0, is_weak = po_rng_uniform(rng) < weak;
    if (active) left--;
    if (row) qpg_place(&q->cl[i], &q->cu[i], &q->z[i], qpg_value(q->C + i * n, q->x, n), active, is_weak, rng);
    else qpg_place(&q->xl[i], &q->xu[i], &q->w[i], q->x[i], active, is_weak, rng);
  }
}

static inline void qpg_degenerate(qpg_problem *q, po_rng *rng) { /* duplicates, all rows active */
  int n = q->qp.n;
  for (int i = 1; i < q->qp.mi; i++)
    if (po_rng_below(rng, 3) == 0) memcpy(q->C + i * n, q->C + po_rng_below(rng, i) * n, sizeof(double) * (size_t)n);
  qpg_activate(q, rng, 3.0, 0.5);
}

static inline void qpg_dependent(qpg_problem *q, po_rng *rng) {
  int n = q->qp.n;
  for (int i = 1; i < q->qp.me; i++)
    if (po_rng_below(rng, 2) == 0) {
      int a = po_rng_below(rng, i), b = po_rng_below(rng, i);
      double s = po_rng_normal(rng), t = po_rng_normal(rng);
      for (int j = 0; j < n; j++) q->A[i * n + j] = s * q->A[a * n + j] + t * q->A[b * n + j];
    }
  qpg_activate(q, rng, 0.6, 0.1);
}

/* Changes units: x = d·x', rows times e, cost times c. The solution changes with them. */
static inline void qpg_change_units(qpg_problem *q, po_rng *rng, double decades) {
  int n = q->qp.n;
  double cost = po_pow(10.0, po_rng_range(rng, -decades, decades));
  for (int j = 0; j < n; j++) {
    double d = po_pow(10.0, po_rng_range(rng, -decades, decades));
    for (int i = 0; i < n; i++) q->H[i * n + j] *= d;
    for (int i = 0; i < n; i++) q->H[j * n + i] *= d;
    for (int i = 0; i < q->qp.me; i++) q->A[i * n + j] *= d;
    for (int i = 0; i < q->qp.mi; i++) q->C[i * n + j] *= d;
    q->x[j] /= d;
    q->xl[j] /= d;
    q->xu[j] /= d;
    q->g[j] *= d * cost;
    for (int i = 0; i < n; i++) q->H[j * n + i] *= cost;
  }
  for (int i = 0; i < q->qp.me + q->qp.mi; i++) {
    double e = po_pow(10.0, po_rng_range(rng, -decades, decades)), *row = i < q->qp.me ? q->A + i * n : q->C + (i - q->qp.me) * n;
    for (int j = 0; j < n; j++) row[j] *= e;
    if (i < q->qp.me) q->b[i] *= e;
    else q->cl[i - q->qp.me] *= e, q->cu[i - q->qp.me] *= e;
  }
  q->objective *= cost;
}

static inline void qpg_fixed(qpg_problem *q, po_rng *rng) {
  int n = q->qp.n;
  qpg_activate(q, rng, 0.5, 0.1);
  for (int j = 0; j < n; j++)
    if (po_rng_below(rng, 3) == 0) {
      q->xl[j] = q->xu[j] = q->x[j];
      q->w[j] = po_rng_normal(rng);
    }
  for (int i = 0; i < q->qp.mi; i++) {
    int what = po_rng_below(rng, 5);
    double value = qpg_value(q->C + i * n, q->x, n);
    if (what == 0) q->cl[i] = q->cu[i] = value, q->z[i] = po_rng_normal(rng);
    if (what == 1) q->cl[i] = -PO_INF, q->cu[i] = PO_INF, q->z[i] = 0;
    if (what == 2 && po_rng_below(rng, 3) == 0) {
      for (int j = 0; j < n; j++) q->C[i * n + j] = 0;
      q->cl[i] = 0, q->cu[i] = 1, q->z[i] = 0;
    }
  }
}

/* Adds a contradiction: a sum of rows, each at its bound, forced beyond what the bounds allow. Overwrites the last row of C. */
static inline void qpg_contradict(qpg_problem *q, po_rng *rng, int with_bounds) {
  int n = q->qp.n, last = q->qp.mi - 1, used = 0;
  double *row = q->C + last * n, sum = 0, margin = po_pow(10.0, po_rng_range(rng, -2, 1));
  for (int j = 0; j < n; j++) row[j] = 0;
  for (int i = 0; i < last && used < 6; i++) {
    double m = 0.2 + po_rng_uniform(rng), lo = q->cl[i], hi = q->cu[i];
    if (po_rng_below(rng, 2) || (lo == -PO_INF && hi == PO_INF)) continue;
    if (lo == -PO_INF) m = -m;
    for (int j = 0; j < n; j++) row[j] += m * q->C[i * n + j];
    sum += m * (m > 0 ? lo : hi);
    used++;
  }
  for (int j = 0; j < n && with_bounds; j++) {
    double m = 0.2 + po_rng_uniform(rng);
    if (q->xl[j] == -PO_INF && q->xu[j] == PO_INF) continue;
    if (q->xl[j] == -PO_INF) m = -m;
    row[j] += m;
    sum += m * (m > 0 ? q->xl[j] : q->xu[j]);
    used++;
  }
  if (!used && po_rng_below(rng, 2)) { /* nothing to lean on: a row without coefficients that cannot hold */
    q->cl[last] = margin;
    q->cu[last] = PO_INF;
    return;
  }
  if (!used) { /* ... or two rows that contradict each other directly */
    memcpy(row, q->C, sizeof(double) * (size_t)n);
    q->cl[0] = margin;
    q->cu[0] = PO_INF;
    q->cl[last] = -PO_INF;
    q->cu[last] = 0;
    return;
  }
  q->cl[last] = -PO_INF; /* the sum is at least `sum` */
  q->cu[last] = sum - margin;
}

/* A ray: H ray = 0, A ray = 0, rows and bounds turned so that the ray never meets them, the cost falls along it. */
static inline void qpg_unbounded(qpg_problem *q, po_rng *rng) {
  int n = q->qp.n;
  double *d = (double *)calloc((size_t)n + 1, sizeof(double)), norm = 0, slope = 0;
  for (int j = 0; j < n; j++) d[j] = po_rng_below(rng, 3) ? po_rng_normal(rng) : 0.0;
  d[po_rng_below(rng, n)] = 1;
  for (int j = 0; j < n; j++) norm += d[j] * d[j];
  memset(q->H, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int k = 0; k < n / 2; k++) { /* H from vectors orthogonal to d */
    double *b = (double *)calloc((size_t)n + 1, sizeof(double));
    for (int j = 0; j < n; j++) b[j] = po_rng_normal(rng);
    double s = qpg_value(b, d, n) / norm;
    for (int j = 0; j < n; j++) b[j] -= s * d[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) q->H[i * n + j] += b[i] * b[j];
    free(b);
  }
  for (int i = 0; i < q->qp.me; i++) {
    double s = qpg_value(q->A + i * n, d, n) / norm, left = 0;
    for (int j = 0; j < n; j++) left = fmax(left, fabs(q->A[i * n + j] -= s * d[j]));
    for (int j = 0; j < n && left < 1e-8; j++) q->A[i * n + j] = 0; /* it was parallel to d: what is left is rounding, no row */
  }
  qpg_activate(q, rng, 0.3, 0.1);
  for (int k = 0; k < q->qp.mi + n; k++) {
    int row = k < q->qp.mi, i = row ? k : k - q->qp.mi;
    double rate = row ? qpg_value(q->C + i * n, d, n) : d[i];
    if (rate > 0) *(row ? &q->cu[i] : &q->xu[i]) = PO_INF;
    if (rate < 0) *(row ? &q->cl[i] : &q->xl[i]) = -PO_INF;
  }
  for (int j = 0; j < n; j++) slope += (q->g[j] = po_rng_normal(rng)) * d[j];
  for (int j = 0; j < n; j++) q->g[j] -= (slope + norm) / norm * d[j]; /* g'd = −‖d‖² */
  q->status = PO_QP_UNBOUNDED;
  free(d);
}

/* What modellers write who know of no infinity. */
static inline void qpg_far(qpg_problem *q, po_rng *rng) {
  double far = po_pow(10.0, 4 + po_rng_below(rng, 12));
  for (int k = 0; k < q->qp.mi + q->qp.n; k++) {
    int row = k < q->qp.mi, i = row ? k : k - q->qp.mi;
    double *lo = row ? &q->cl[i] : &q->xl[i], *hi = row ? &q->cu[i] : &q->xu[i];
    if (*lo == -PO_INF && po_rng_below(rng, 2)) *lo = -far;
    if (*hi == PO_INF && po_rng_below(rng, 2)) *hi = far;
  }
}

static inline void qpg_solvable(qpg_problem *q, qpg_family family, po_rng *rng) {
  int n = q->qp.n, rank = n;
  double shift = 0.1, share = 0.6;
  if (family == QPG_SINGULAR) rank = n / 3, shift = 0;
  if (family == QPG_LP || family == QPG_VERTEX) share = 1.0;
  if (family == QPG_LP || (family == QPG_VERTEX && po_rng_below(rng, 2))) q->qp.H = po_mat_of(NULL, n, n, n);
  else if (family == QPG_BLOCKS) {
    int k = 1 + po_rng_below(rng, n);
    qpg_hessian(q, rng, 0, k, k, 0.1);
    for (int j = k; j < n; j++) q->H[j * n + j] = po_rng_uniform(rng) < 0.2 ? 0.0 : po_rng_uniform(rng);
    q->blocks[0] = k;
    q->blocks[1] = -(n - k);
    q->qp.h_blocks = q->blocks;
    q->qp.h_block_count = k < n ? 2 : 1;
  } else if (family == QPG_VERTEX) qpg_hessian(q, rng, 0, n, n / 4, 0);
  else if (family == QPG_BOX && po_rng_below(rng, 2)) qpg_hessian(q, rng, 0, n, n / 2, 0);
  else qpg_hessian(q, rng, 0, n, rank, shift);
  if (family == QPG_DEGENERATE) qpg_degenerate(q, rng);
  else if (family == QPG_DEPENDENT) qpg_dependent(q, rng);
  else if (family == QPG_FIXED) qpg_fixed(q, rng);
  else qpg_activate(q, rng, share, 0.05);
  if (family == QPG_FAR) qpg_far(q, rng);
  q->qp.constant = po_rng_normal(rng);
  qpg_finish_optimal(q);
  q->unique = family == QPG_PLAIN || family == QPG_DEGENERATE || family == QPG_DEPENDENT;
  if (family == QPG_SCALED) {
    q->objective -= q->qp.constant;
    q->qp.constant = 0;
    qpg_change_units(q, rng, 3);
  }
}

static inline void qpg_make(qpg_problem *q, qpg_family family, uint64_t seed, int largest_n) {
  po_rng rng;
  po_rng_init(&rng, seed, 77 + (uint64_t)family);
  int small = po_rng_below(&rng, 3) == 0 && largest_n > 8, n = 1 + po_rng_below(&rng, small ? 8 : largest_n);
  int me = n > 1 ? po_rng_below(&rng, n / 2 + 1) : 0, mi = po_rng_below(&rng, n + 10);
  if (family == QPG_BOX) me = mi = 0;
  if (family == QPG_DEPENDENT && me < 2) me = 2;
  if (family == QPG_DEGENERATE) mi += n, me = me / 2;
  if ((family == QPG_INFEASIBLE || family == QPG_INFEASIBLE_BOUNDS) && mi < 3) mi = 3;
  qpg_allocate(q, n, me, mi);
  double density = po_rng_below(&rng, 2) ? 1.0 : 0.3;
  qpg_rows(q->A, me, n, &rng, density);
  qpg_rows(q->C, mi, n, &rng, density);
  switch (family) {
  case QPG_INFEASIBLE:
  case QPG_INFEASIBLE_BOUNDS:
    qpg_solvable(q, po_rng_below(&rng, 2) ? QPG_PLAIN : QPG_SINGULAR, &rng);
    qpg_contradict(q, &rng, family == QPG_INFEASIBLE_BOUNDS);
    q->status = PO_QP_INFEASIBLE;
    break;
  case QPG_UNBOUNDED: qpg_unbounded(q, &rng); break;
  case QPG_NONCONVEX: {
    double pull = po_pow(10.0, po_rng_range(&rng, -2, 1));
    qpg_solvable(q, QPG_SINGULAR, &rng);
    for (int i = 0; i < n; i++) q->w[i] = po_rng_normal(&rng);
    for (int i = 0; i < n; i++) q->H[i * n + i] -= pull; /* rank n/3 < n: an eigenvalue −pull */
    for (int i = 0; i < n; i++) /* equal bounds do not change what H is */
      if (po_rng_below(&rng, 4) == 0) q->xl[i] = q->xu[i] = q->x[i];
    q->status = PO_QP_NONCONVEX;
    break;
  }
  default: qpg_solvable(q, family, &rng); break;
  }
}

#endif
