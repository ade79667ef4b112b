/* judge.c: bounded least squares for the multipliers of each level, in long double, and references made with it.
 *
 * Columns are measured by their largest entry, rows by nothing. Rows that hold whatever the sign are swept out by Gram and Schmidt, twice; the others go to Lawson
 * and Hanson's active set (1974, chapter 23).
 */
/* Everything here is promoted to long double, on purpose: clang warns of it, gcc does not. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion"
#endif
#include "judge.h"

#include <math.h>
#include <string.h>

typedef long double judge_real;
#define JUDGE_ACTIVE 1e-9L   /* a row is at its bound, or violated, to this times the terms it sums */
#define JUDGE_ROUNDED 1e-12L /* and to this times |row| |x|, columns measured by their largest entry: an unknown that should be zero is not quite */
#define JUDGE_SHORT 1e-8L    /* a row that much shorter than the level's longest cannot be told from what rows that are met leave */
#define JUDGE_NOTHING 1e-15L /* what Gram and Schmidt leave of a vector that depends on others, relative */
#define JUDGE_GAINS 1e-12L   /* a multiplier comes in when the residual along its row is larger, relative */

typedef struct judge {
  int n, rows;
  judge_real *unit;          /* n: of each column */
  judge_real *basis;         /* n vectors: what rows of either sign span, orthonormal */
  int spanned;
  judge_real *cone;          /* rows × n: rows of one sign, in the direction they may push, swept of the basis */
  judge_real *size;          /* of each, before */
  int count;
  judge_real *g, *rest, *q, *r, *rhs, *z, *t; /* n; work of the least squares: rows × n, rows², … */
  judge_real *weight;        /* multiplier of each cone row */
  int *passive, *in;
} judge;

static judge_real judge_dot(const judge_real *a, const judge_real *b, int n) {
  judge_real s = 0;
  int i;
  for (i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
static judge_real judge_norm(const judge_real *a, int n) { return sqrtl(judge_dot(a, a, n)); }
static void judge_add(judge_real *y, judge_real f, const judge_real *x, int n) {
  int i;
  for (i = 0; i < n; i++) y[i] += f * x[i];
}

/* The residual of a row at x; *at = a·x, *terms = the size of what it sums. */
static judge_real judge_row(const po_hqp_level *level, int i, int n, const double *x, judge_real *at, judge_real *terms) {
  const double *a = po_row(level->A, i);
  int j;
  *at = *terms = 0;
  for (j = 0; j < n; j++) {
    judge_real term = (judge_real)a[j] * x[j];
    *at += term;
    *terms += fabsl(term);
  }
  if (fabs(level->lower[i]) < PO_QP_INFINITY) *terms += fabs(level->lower[i]);
  if (fabs(level->upper[i]) < PO_QP_INFINITY) *terms += fabs(level->upper[i]);
  return *at < level->lower[i] ? *at - level->lower[i] : *at > level->upper[i] ? *at - level->upper[i] : 0;
}

static void judge_sweep(const judge *w, judge_real *v) {
  int pass, i;
  for (pass = 0; pass < 2; pass++)
    for (i = 0; i < w->spanned; i++) judge_add(v, -judge_dot(w->basis + (size_t)i * (size_t)w->n, v, w->n), w->basis + (size_t)i * (size_t)w->n, w->n);
}

/* A row that holds whatever the sign joins the basis; the cone is swept of it. */
static void judge_span(judge *w, const double *a) {
  judge_real *v = w->basis + (size_t)w->spanned * (size_t)w->n, before, after;
  int j, i;
  if (w->spanned == w->n) return;
  for (j = 0; j < w->n; j++) v[j] = a[j] * w->unit[j];
  before = judge_norm(v, w->n);
  judge_sweep(w, v);
  after = judge_norm(v, w->n);
  if (!(after > JUDGE_NOTHING * before)) return;
  for (j = 0; j < w->n; j++) v[j] /= after;
  for (i = 0; i < w->count; i++) judge_add(w->cone + (size_t)i * (size_t)w->n, -judge_dot(v, w->cone + (size_t)i * (size_t)w->n, w->n), v, w->n);
  w->spanned++;
}

static void judge_push(judge *w, const double *a, int sign) {
  judge_real *v = w->cone + (size_t)w->count * (size_t)w->n;
  int j;
  for (j = 0; j < w->n; j++) v[j] = sign * a[j] * w->unit[j];
  w->size[w->count] = judge_norm(v, w->n);
  judge_sweep(w, v);
  if (judge_norm(v, w->n) > JUDGE_NOTHING * w->size[w->count]) w->count++;
}

/* z = the least squares weights of the passive rows for −g: modified Gram–Schmidt. */
static void judge_least_squares(judge *w, int p) {
  int n = w->n, i, j, pass;
  for (i = 0; i < p; i++) {
    judge_real *q = w->q + (size_t)i * (size_t)n, before, length;
    memcpy(q, w->cone + (size_t)w->passive[i] * (size_t)n, sizeof *q * (size_t)n);
    for (j = 0; j <= i; j++) w->r[j * w->rows + i] = 0;
    before = judge_norm(q, n);
    for (pass = 0; pass < 2; pass++)
      for (j = 0; j < i; j++) {
        judge_real d = judge_dot(w->q + (size_t)j * (size_t)n, q, n);
        w->r[j * w->rows + i] += d;
        judge_add(q, -d, w->q + (size_t)j * (size_t)n, n);
      }
    length = judge_norm(q, n);
    if (!(length > JUDGE_NOTHING * before)) length = 0; /* it depends on the others */
    for (j = 0; j < n; j++) q[j] = length > 0 ? q[j] / length : 0;
    w->r[i * w->rows + i] = length;
    w->rhs[i] = -judge_dot(q, w->g, n);
  }
  for (i = p - 1; i >= 0; i--) {
    judge_real s = w->rhs[i];
    for (j = i + 1; j < p; j++) s -= w->r[i * w->rows + j] * w->z[j];
    w->z[i] = w->r[i * w->rows + i] > 0 ? s / w->r[i * w->rows + i] : 0;
  }
}

/* rest = g + cone' weight, weight >= 0, as short as it can be. */
static void judge_cone(judge *w) {
  int n = w->n, p = 0, round, i, best;
  judge_real whole = judge_norm(w->g, n);
  memset(w->weight, 0, sizeof *w->weight * (size_t)w->count);
  memset(w->in, 0, sizeof *w->in * (size_t)w->count);
  memcpy(w->rest, w->g, sizeof *w->rest * (size_t)n);
  for (round = 0; round < 6 * w->count + 10; round++) {
    judge_real most = JUDGE_GAINS * whole;
    for (best = -1, i = 0; i < w->count; i++) {
      judge_real gain = -judge_dot(w->cone + (size_t)i * (size_t)n, w->rest, n) / w->size[i];
      if (!w->in[i] && gain > most) most = gain, best = i;
    }
    if (best < 0) return;
    w->in[best] = 1;
    w->passive[p++] = best;
    for (;;) {
      judge_real step = 1;
      int out = -1, kept;
      judge_least_squares(w, p);
      for (i = 0; i < p; i++)
        if (w->z[i] <= 0 && w->weight[w->passive[i]] / (w->weight[w->passive[i]] - w->z[i]) <= step && w->weight[w->passive[i]] != w->z[i])
          step = w->weight[w->passive[i]] / (w->weight[w->passive[i]] - w->z[i]), out = i;
      for (i = 0; i < p; i++) w->weight[w->passive[i]] += step * (w->z[i] - w->weight[w->passive[i]]);
      if (out < 0) break;
      w->weight[w->passive[out]] = 0;
      for (i = kept = 0; i < p; i++) {
        if (w->weight[w->passive[i]] > 0) w->passive[kept++] = w->passive[i];
        else w->in[w->passive[i]] = w->passive[i] == best ? 2 : 0; /* what has just come in and does not pay stays out for now */
      }
      p = kept;
    }
    for (i = 0; i < w->count && w->in[best] == 1; i++)
      if (w->in[i] == 2) w->in[i] = 0; /* it may, now that something has moved */
    memcpy(w->rest, w->g, sizeof *w->rest * (size_t)n);
    for (i = 0; i < p; i++) judge_add(w->rest, w->weight[w->passive[i]], w->cone + (size_t)w->passive[i] * (size_t)n, n);
  }
}

/* Of level k: its violation, and the share of it that nothing holds. */
static void judge_level(judge *w, const po_hqp_level *level, const double *x, double *violation, double *avoidable) {
  judge_real sum = 0, at, terms, all, longest = 0, share;
  int i, j, n = w->n;
  memset(w->g, 0, sizeof *w->g * (size_t)n);
  memset(w->t, 0, sizeof *w->t * (size_t)n);
  for (i = 0; i < level->rows; i++) {
    judge_real r = judge_row(level, i, n, x, &at, &terms), square = 0;
    sum += r * r;
    for (j = 0; j < n; j++) {
      judge_real entry = po_row(level->A, i)[j] * w->unit[j];
      w->g[j] += r * entry;
      w->t[j] += fabsl(r * entry);
      square += entry * entry;
    }
    longest = square > longest ? square : longest;
  }
  *violation = (double)sqrtl(sum);
  *avoidable = *violation;
  if (level->hard) return;
  all = judge_norm(w->t, n);
  if (all < JUDGE_SHORT * sqrtl(longest * sum)) all = JUDGE_SHORT * sqrtl(longest * sum);
  judge_sweep(w, w->g);
  judge_cone(w);
  share = all > 0 ? judge_norm(w->rest, n) / all : 0;
  *avoidable = *violation - (double)sqrtl(sum * (share < 1 ? 1 - share * share : 0));
}

/* What level k leaves for those below: which of its rows hold, and how. */
static void judge_leave(judge *w, const po_hqp_level *level, const double *x) {
  judge_real at, terms, length = 0;
  int i, j;
  for (j = 0; j < w->n; j++) length += w->unit[j] > 0 ? x[j] / w->unit[j] * (x[j] / w->unit[j]) : 0;
  for (i = 0; i < level->rows; i++) {
    const double *a = po_row(level->A, i);
    judge_real r = judge_row(level, i, w->n, x, &at, &terms), square = 0, near;
    for (j = 0; j < w->n; j++) square += a[j] * w->unit[j] * (a[j] * w->unit[j]);
    near = JUDGE_ACTIVE * terms + JUDGE_ROUNDED * sqrtl(square * length);
    if (level->lower[i] == level->upper[i] || fabsl(r) > near) {
      judge_span(w, a);
      continue;
    }
    /* multiplying x's move: a row at its lower bound may only go up. With g + Σ λ a = 0, λ <= 0 there */
    if (at - level->lower[i] <= near) judge_push(w, a, -1);
    else if (level->upper[i] - at <= near) judge_push(w, a, 1);
  }
}

static judge *judge_new(const po_hqp *p) {
  size_t n = (size_t)p->n, rows = 1, bytes;
  int k;
  judge *w;
  judge_real *at;
  for (k = 0; k < p->level_count; k++) rows += (size_t)p->levels[k].rows;
  bytes = sizeof *w + sizeof(judge_real) * (n * n + 2 * rows * n + rows * rows + 4 * rows + 5 * n + 8) + sizeof(int) * 2 * rows;
  w = (judge *)po_alloc(bytes);
  if (!w) return NULL;
  memset(w, 0, bytes);
  w->n = p->n;
  w->rows = (int)rows;
  at = (judge_real *)(void *)((char *)w + (sizeof *w + 63) / 64 * 64);
  w->unit = at, at += n;
  w->g = at, at += n;
  w->t = at, at += n;
  w->rest = at, at += n;
  w->basis = at, at += n * n;
  w->cone = at, at += rows * n;
  w->q = at, at += rows * n;
  w->r = at, at += rows * rows;
  w->size = at, at += rows;
  w->weight = at, at += rows;
  w->rhs = at, at += rows;
  w->z = at, at += rows;
  w->in = (int *)(void *)at;
  w->passive = w->in + rows;
  return w;
}

po_status po_hqp_judge(double *violation, double *avoidable, const po_hqp *p, const double *x) {
  judge *w = judge_new(p);
  int k, i, j;
  if (!w) return PO_ERR_MEMORY;
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++)
      for (j = 0; j < p->n; j++) w->unit[j] = po_max((double)w->unit[j], fabs(po_row(p->levels[k].A, i)[j]));
  for (j = 0; j < p->n; j++) w->unit[j] = w->unit[j] > 0 ? 1 / w->unit[j] : 0;
  for (k = 0; k < p->level_count; k++) {
    judge_level(w, &p->levels[k], x, &violation[k], &avoidable[k]);
    judge_leave(w, &p->levels[k], x);
  }
  po_free(w);
  return PO_OK;
}

int po_hqp_right(const po_hqp *p, const double *x, const double *reference, double tol) {
  int k;
  for (k = 0; k < p->level_count; k++)
    if (!(fabs(po_hqp_violation(&p->levels[k], p->n, x) - reference[k]) <= tol * po_max(1, reference[k]))) return 0;
  return 1;
}

/* 1: a is lower than b at some level by what is no rounding, and gives up nothing above: what a level gives up, however little, levels below can make much of. */
static int judge_better(const double *a, const double *b, int levels) {
  int k;
  for (k = 0; k < levels; k++) {
    double size = po_max(1, b[k]);
    if (a[k] < b[k] - 1e-8 * size) return 1;
    if (a[k] > b[k] + 1e-11 * size) return 0;
  }
  return 0;
}

po_status po_hqp_reference(double *levels, int *certified, int *feasible, const po_hqp *p) {
  static const struct { po_hqp_method method; po_qp_method qp; } asked[] = {
      {PO_HQP_LEXICOGRAPHIC, PO_QP_ACTIVE_SET}, {PO_HQP_REPARAM, PO_QP_ACTIVE_SET}, {PO_HQP_REPARAM, PO_QP_INTERIOR_POINT}, {PO_HQP_LINEAR, PO_QP_ACTIVE_SET}};
  po_hqp_solver *s = NULL;
  po_status status;
  int rows = 0, k, i, found = 0;
  for (k = 0; k < p->level_count; k++) rows += p->levels[k].rows;
  status = po_hqp_new(&s, p->n, p->level_count, rows);
  *certified = 0;
  *feasible = 1;
  for (i = 0; i < 4 && status == PO_OK; i++) {
    double violation[PO_HQP_MAX_LEVELS], avoidable[PO_HQP_MAX_LEVELS];
    po_hqp_opts o = po_hqp_opts_default();
    po_hqp_result r;
    int good = 1;
    o.method = asked[i].method;
    o.qp = asked[i].qp;
    o.warm = 0;
    status = po_hqp_solve(&r, s, p, &o);
    if (status == PO_OK) status = po_hqp_judge(violation, avoidable, p, r.x);
    if (status != PO_OK || (i && r.status == PO_HQP_INFEASIBLE)) continue; /* only the first promises a point then */
    if (!i) *feasible = r.status != PO_HQP_INFEASIBLE;
    for (k = 0; k < p->level_count; k++) good &= (p->levels[k].hard && !*feasible) || avoidable[k] <= 1e-6 * po_max(1, violation[k]);
    if (found && (good < *certified || (good == *certified && !judge_better(violation, levels, p->level_count)))) continue;
    memcpy(levels, violation, sizeof *levels * (size_t)p->level_count);
    *certified = good;
    found = 1;
  }
  po_hqp_free(s);
  return status;
}
