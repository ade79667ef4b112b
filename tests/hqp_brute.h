/* hqp_brute.h: the lexicographic optimum of a tiny problem by trying everything, in long double.
 *
 * Level by level. Levels above have left equalities and one-sided inequalities. For level k every inequality from above is tried as
 * active or not, and every inequality row of its own as pulled to its lower bound, to its upper, or to neither; each choice is an
 * equality-constrained least-squares problem. The set of optima is a polyhedron whose smallest faces are affine and are among the
 * solution sets tried, so the least-norm point of that choice is feasible and optimal. No code is shared with the solvers.
 */
#ifndef HQP_BRUTE_H
#define HQP_BRUTE_H

#include "qp/qp.h"

#include <math.h>
#include <string.h>

#define HB_N 8
#define HB_ROWS 64
typedef long double hb_real;
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion" /* double to long double is what this file is for; gcc does not warn of it */
#endif

typedef struct hb_system { /* rows a x = b */
  int rows;
  hb_real a[HB_ROWS][HB_N], b[HB_ROWS];
} hb_system;

static hb_real hb_dot(const hb_real *x, const hb_real *y, int n) {
  hb_real s = 0;
  int i;
  for (i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* An orthonormal basis of the rows and the right-hand sides in it; 0 when the rows contradict each other. */
static int hb_orthonormal(hb_system *q, const hb_system *s, int n) {
  int i, j, l, pass;
  q->rows = 0;
  for (i = 0; i < s->rows; i++) {
    hb_real v[HB_N], r = s->b[i], length, before = sqrtl(hb_dot(s->a[i], s->a[i], n));
    memcpy(v, s->a[i], sizeof v);
    for (pass = 0; pass < 2; pass++)
      for (j = 0; j < q->rows; j++) {
        hb_real d = hb_dot(v, q->a[j], n);
        for (l = 0; l < n; l++) v[l] -= d * q->a[j][l];
        r -= d * q->b[j];
      }
    length = sqrtl(hb_dot(v, v, n));
    if (length <= 1e-9L * (before + 1e-30L)) {
      if (fabsl(r) > 1e-9L) return 0;
      continue;
    }
    for (l = 0; l < n; l++) q->a[q->rows][l] = v[l] / length;
    q->b[q->rows++] = r / length;
  }
  return 1;
}

/* y = least-norm least-squares solution of s, by one-sided Jacobi on the columns: A V = W with orthogonal columns. What is below
 * 1e-9 of `scale` is rounding. */
static void hb_least_squares(hb_real *y, const hb_system *s, int n, hb_real scale) {
  hb_real w[HB_N][HB_ROWS], v[HB_N][HB_N];
  int i, j, l, sweep;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) v[i][j] = i == j;
  for (j = 0; j < n; j++)
    for (i = 0; i < s->rows; i++) w[j][i] = s->a[i][j];
  for (sweep = 0; sweep < 40; sweep++) {
    int turned = 0;
    for (i = 0; i < n; i++)
      for (j = i + 1; j < n; j++) {
        hb_real a = hb_dot(w[i], w[i], s->rows), b = hb_dot(w[j], w[j], s->rows), c = hb_dot(w[i], w[j], s->rows), z, t, cs, sn;
        if (fabsl(c) <= 1e-18L * sqrtl(a * b) || c == 0) continue;
        turned = 1;
        z = (b - a) / (2 * c);
        t = (z >= 0 ? 1 : -1) / (fabsl(z) + sqrtl(1 + z * z));
        cs = 1 / sqrtl(1 + t * t);
        sn = cs * t;
        for (l = 0; l < s->rows; l++) {
          hb_real p = w[i][l], q = w[j][l];
          w[i][l] = cs * p - sn * q;
          w[j][l] = sn * p + cs * q;
        }
        for (l = 0; l < n; l++) {
          hb_real p = v[i][l], q = v[j][l];
          v[i][l] = cs * p - sn * q;
          v[j][l] = sn * p + cs * q;
        }
      }
    if (!turned) break;
  }
  memset(y, 0, sizeof(hb_real) * HB_N);
  for (i = 0; i < n; i++) {
    hb_real square = hb_dot(w[i], w[i], s->rows);
    if (square <= 1e-18L * scale * scale || square == 0) continue;
    for (l = 0; l < n; l++) y[l] += hb_dot(w[i], s->b, s->rows) / square * v[i][l];
  }
}

/* x = least-norm minimizer of |cost| subject to fixed; 0 when fixed contradicts itself. */
static int hb_solve(hb_real *x, const hb_system *fixed, const hb_system *cost, int n) {
  hb_system q, reduced;
  hb_real y[HB_N], scale = 0;
  int i, j, l;
  if (!hb_orthonormal(&q, fixed, n)) return 0;
  for (l = 0; l < n; l++) x[l] = 0;
  for (j = 0; j < q.rows; j++)
    for (l = 0; l < n; l++) x[l] += q.b[j] * q.a[j][l];
  reduced.rows = cost->rows;
  for (i = 0; i < cost->rows; i++) {
    memcpy(reduced.a[i], cost->a[i], sizeof reduced.a[i]);
    scale = fmaxl(scale, sqrtl(hb_dot(cost->a[i], cost->a[i], n)));
    reduced.b[i] = cost->b[i] - hb_dot(cost->a[i], x, n);
    for (j = 0; j < q.rows; j++) {
      hb_real d = hb_dot(cost->a[i], q.a[j], n);
      for (l = 0; l < n; l++) reduced.a[i][l] -= d * q.a[j][l];
    }
  }
  hb_least_squares(y, &reduced, n, scale);
  for (l = 0; l < n; l++) x[l] += y[l];
  return 1;
}

typedef struct hb_state {
  int n;
  hb_system fixed; /* equalities the levels above have left */
  hb_system over;  /* a x >= b */
} hb_state;

static void hb_add(hb_system *s, const double *a, int n, hb_real sign, hb_real b) {
  int l;
  for (l = 0; l < n; l++) s->a[s->rows][l] = sign * a[l];
  s->b[s->rows++] = b;
}

static hb_real hb_cost(const po_hqp_level *level, int n, const hb_real *x) {
  hb_real sum = 0;
  int i, l;
  for (i = 0; i < level->rows; i++) {
    hb_real at = 0, miss = 0;
    for (l = 0; l < n; l++) at += (hb_real)PO_AT(level->A, i, l) * x[l];
    if (at < level->lower[i]) miss = level->lower[i] - at;
    if (at > level->upper[i]) miss = at - level->upper[i];
    sum += miss * miss;
  }
  return sum;
}

static int hb_feasible(const hb_state *s, const hb_real *x) {
  int i;
  for (i = 0; i < s->over.rows; i++)
    if (hb_dot(s->over.a[i], x, s->n) < s->over.b[i] - 1e-10L) return 0;
  return 1;
}

/* Best feasible point of the level; 0 when no choice gives a feasible point. */
static int hb_level(const hb_state *s, const po_hqp_level *level, hb_real *best_x, hb_real *best) {
  int i, free_rows = 0, found = 0, row[HB_ROWS];
  long choice, choices = 1;
  hb_system base;
  base.rows = 0;
  for (i = 0; i < level->rows && !level->hard; i++) {
    if (level->lower[i] == level->upper[i]) hb_add(&base, po_row(level->A, i), s->n, 1, level->lower[i]);
    else row[free_rows++] = i, choices *= 3;
  }
  for (i = 0; i < s->over.rows; i++) choices *= 2;
  for (choice = 0; choice < choices; choice++) {
    hb_system cost = base, fixed = s->fixed;
    hb_real x[HB_N], value;
    long rest = choice;
    int legal = 1;
    for (i = 0; i < s->over.rows; i++, rest /= 2)
      if (rest % 2) {
        memcpy(fixed.a[fixed.rows], s->over.a[i], sizeof fixed.a[0]);
        fixed.b[fixed.rows++] = s->over.b[i];
      }
    for (i = 0; i < free_rows && legal; i++, rest /= 3) {
      double b = rest % 3 == 1 ? level->lower[row[i]] : level->upper[row[i]];
      if (rest % 3 == 0) continue;
      legal = po_isfinite(b);
      hb_add(&cost, po_row(level->A, row[i]), s->n, 1, b);
    }
    if (!legal || !hb_solve(x, &fixed, &cost, s->n) || !hb_feasible(s, x)) continue;
    value = level->hard ? 0 : hb_cost(level, s->n, x);
    if (!found || value < *best) {
      found = 1;
      *best = value;
      memcpy(best_x, x, sizeof x);
    }
  }
  return found;
}

/* What level k at x leaves for those below. */
static void hb_leave(hb_state *s, const po_hqp_level *level, const hb_real *x) {
  int i, l;
  for (i = 0; i < level->rows; i++) {
    const double *a = po_row(level->A, i);
    hb_real at = 0;
    for (l = 0; l < s->n; l++) at += (hb_real)a[l] * x[l];
    if (level->lower[i] == level->upper[i] || at < level->lower[i] - 1e-10L || at > level->upper[i] + 1e-10L) {
      hb_add(&s->fixed, a, s->n, 1, at);
      continue;
    }
    if (level->lower[i] > -PO_INF) hb_add(&s->over, a, s->n, 1, level->lower[i]);
    if (level->upper[i] < PO_INF) hb_add(&s->over, a, s->n, -1, -(hb_real)level->upper[i]);
  }
}

/* violation[k] of the lexicographic optimum. Returns 0 when the hard level cannot hold; it is then taken as a soft one. */
static int hb_optimum(double *violation, const po_hqp *p) {
  hb_state s;
  int k, i, feasible = 1;
  memset(&s, 0, sizeof s);
  s.n = p->n;
  for (k = 0; k < p->level_count; k++) {
    po_hqp_level level = p->levels[k];
    hb_real x[HB_N] = {0}, best = 0;
    if (level.hard) {
      hb_state hard = s;
      for (i = 0; i < level.rows; i++) {
        const double *a = po_row(level.A, i);
        if (level.lower[i] == level.upper[i]) hb_add(&hard.fixed, a, s.n, 1, level.lower[i]);
        else if (level.lower[i] > -PO_INF) hb_add(&hard.over, a, s.n, 1, level.lower[i]);
        if (level.lower[i] != level.upper[i] && level.upper[i] < PO_INF) hb_add(&hard.over, a, s.n, -1, -(hb_real)level.upper[i]);
      }
      if (hb_level(&hard, &level, x, &best)) {
        violation[k] = 0;
        s = hard;
        continue;
      }
      feasible = 0;
      level.hard = 0;
    }
    if (!hb_level(&s, &level, x, &best)) return -1; /* cannot happen: soft levels have an optimum */
    violation[k] = (double)sqrtl(best);
    hb_leave(&s, &level, x);
  }
  return feasible;
}

#endif
