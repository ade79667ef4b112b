/* hqp_checker.h: is this the lexicographic optimum? Decided from x and the multipliers alone, with no code of the solvers.
 *
 * x is optimal at level k, without hurting a level above, when
 *   stationarity   A_k' r_k + Σ_{j<k} A_j' λ_jk = 0                     (no direction that is free above improves level k)
 *   signs          λ of a row that may still move away from its bound pushes it towards the bound: <= 0 at lower, >= 0 at upper
 *   activity       λ = 0 for a row strictly between its bounds.
 * A row may no longer move at all when it is an equality, when it is violated (its violation is already as small as the levels above
 * allow, and fixed), or when an earlier level needed it (a multiplier that is not zero): then any sign is right.
 */
#ifndef HQP_CHECKER_H
#define HQP_CHECKER_H

#include "qp/qp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HC_ROWS 512
#define HC_N 256

typedef struct hc_report {
  double stationarity, sign, activity, hard; /* the worst of each, relative */
  int level, row;
  const char *what;
} hc_report;

static double hc_dot(const double *a, const double *x, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += a[i] * x[i];
  return s;
}

static void hc_worse(hc_report *r, double *worst, double value, int level, int row, const char *what, double tol) {
  if (!(value > *worst)) return;
  *worst = value;
  if (value > tol) {
    r->level = level;
    r->row = row;
    r->what = what;
  }
}

/* Residual of the row at x, 0 within its bounds; *at = a·x, *size = the size of the terms it sums. */
static double hc_residual(const po_hqp_level *level, int i, int n, const double *x, double *at, double *size) {
  int j;
  *at = *size = 0;
  for (j = 0; j < n; j++) {
    *at += PO_AT(level->A, i, j) * x[j];
    *size += fabs(PO_AT(level->A, i, j) * x[j]);
  }
  if (po_isfinite(level->lower[i])) *size += fabs(level->lower[i]);
  if (po_isfinite(level->upper[i])) *size += fabs(level->upper[i]);
  return *at < level->lower[i] ? *at - level->lower[i] : *at > level->upper[i] ? *at - level->upper[i] : 0;
}

/* 1 when all of it holds to tol. The largest multiplier of a level is the unit in which "not zero" is judged. */
static int hc_check(hc_report *rep, const po_hqp *p, const po_hqp_result *r, double tol) {
  static double residual[HC_ROWS], at[HC_ROWS], size[HC_ROWS];
  static int fixed[HC_ROWS];
  int k, j, i, l, n = p->n, row = 0;
  memset(rep, 0, sizeof *rep);
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++, row++) {
      residual[row] = hc_residual(&p->levels[k], i, n, r->x, &at[row], &size[row]);
      fixed[row] = p->levels[k].lower[i] == p->levels[k].upper[i] || fabs(residual[row]) > tol * (1 + size[row]);
      if (p->levels[k].hard && r->status == PO_HQP_OPTIMAL) hc_worse(rep, &rep->hard, fabs(residual[row]) / (1 + size[row]), k, i, "hard row", tol);
    }
  for (k = row = 0; k < p->level_count; row += p->levels[k++].rows) {
    const double *lambda = r->levels[k].lambda;
    double g[HC_N] = {0}, most = 0, own, largest = 0, terms = 0;
    int above = 0;
    if (k > 0 && !lambda) { /* another method answered */
      rep->what = "no multipliers";
      return 0;
    }
    if (p->levels[k].hard && r->status == PO_HQP_OPTIMAL) continue;
    for (i = 0; i < p->levels[k].rows; i++)
      for (l = 0, terms = fmax(terms, size[row + i]); l < n; l++) g[l] += residual[row + i] * PO_AT(p->levels[k].A, i, l);
    for (l = 0; l < n; l++) most = fmax(most, fabs(g[l]));
    own = most;
    for (j = 0; j < k; above += p->levels[j++].rows)
      for (i = 0; i < p->levels[j].rows; i++) {
        const double *a = po_row(p->levels[j].A, i);
        double length = sqrt(hc_dot(a, a, n));
        largest = fmax(largest, fabs(lambda[above + i]) * length);
        for (l = 0; l < n; l++) g[l] += lambda[above + i] * a[l];
      }
    most = 1 + fmax(fmax(most, largest), 1e-6 * terms); /* the residuals themselves are differences of such terms */
    for (l = 0; l < n; l++) hc_worse(rep, &rep->stationarity, fabs(g[l]) / most, k, l, "stationarity (row is a column)", tol);
    for (j = above = 0; j < k; above += p->levels[j++].rows)
      for (i = 0; i < p->levels[j].rows; i++) {
        const po_hqp_level *level = &p->levels[j];
        const double *a = po_row(level->A, i);
        double push = lambda[above + i] * sqrt(hc_dot(a, a, n)) / most, slack;
        if (fixed[above + i]) continue;
        slack = push < 0 ? at[above + i] - level->lower[i] : level->upper[i] - at[above + i];
        slack /= 1 + size[above + i];
        if (!(slack <= tol)) {
          /* away from the bound it pushes against: wrong sign when it stands at the other one, else active without reason */
          double other = push < 0 ? level->upper[i] - at[above + i] : at[above + i] - level->lower[i];
          if (other <= tol * (1 + size[above + i])) hc_worse(rep, &rep->sign, fabs(push), k, above + i, "sign of a multiplier", tol);
          else hc_worse(rep, &rep->activity, fabs(push), k, above + i, "multiplier of an inactive row", tol);
        }
      }
    own = fmax(own, largest); /* the level's own scale; a level that is met has none, and what rounding leaves of it fixes nothing */
    for (i = 0; i < above; i++)
      if (own > 1e-9 && fabs(lambda[i]) > 1e-10 * own) fixed[i] = 1;
  }
  return rep->stationarity <= tol && rep->sign <= tol && rep->activity <= tol && rep->hard <= tol;
}

static void hc_describe(char *text, size_t bytes, const hc_report *r) {
  snprintf(text, bytes, "level %d row %d: %s; stationarity %.3g sign %.3g activity %.3g hard %.3g", r->level, r->row, r->what ? r->what : "good",
           r->stationarity, r->sign, r->activity, r->hard);
}

#endif
