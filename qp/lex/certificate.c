/* certificate.c: the multipliers of the working set as multipliers of the user's rows, and how well they prove each level optimal.
 *
 * Level k is optimal when the gradient of its cost is held by the rows of the levels above:
 *     A_k' r_k + Σ_{j<k} A_j' λ_jk = 0,
 * r_k its own residual. The constraints' λ come from Λ_k; those of the soft equalities follow from the factorization: with
 * λ_jk = Q_j (μ_j; 0) the equation reads, block by block of y from the last,  T_j' μ_j = −(Y' rest)_j − Σ_{i>j} B_ij' μ_i.
 *
 * What is left of the equation is a gradient: rows that differ in length by 1e6 enter it squared, and a short row that is missed by a
 * hundredth does not show beside the rounding of a long one. So a level is judged in its rows: the part of r_k that could be avoided,
 *     ρ = Q_k ((Q_k' r_k)_1…rank + T_k'^-1 (Y' Σ constraints A' λ)_k; 0),
 * is a violation, in the units of the rows, and is held against the level's own (po_hqp_believable).
 *
 * ρ sees what the factorization sees: a direction that rank_tol has dropped is in nobody's T. So the equation is read once more coordinate by coordinate,
 * in no unit of the unknowns at all: what is left in coordinate j, beside t_j = Σ |a_ij λ_i|, is the share of the level's violation that x_j alone could
 * still take away. Where all terms are small beside those of other coordinates they are noise in the data, unless the unknowns are in units far apart: that
 * is for hqp_scale.c to see.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* lambda[row] of the constraints at level k, of levels above it. 0: none has any. */
static int lexc_constraints(const po_lex *w, double *lambda, int k) {
  double unit = w->level[k].unit;
  int i, some = 0;
  for (i = 0; i < w->active; i++) {
    const po_lex_row *r = &w->row[w->set[i]];
    double held = PO_AT(w->Lambda, i, k);
    if (r->level >= k || held == 0) continue;
    lambda[r->row] = -w->sign[i] * unit * unit * held;
    some = 1;
  }
  return some;
}

/* lambda[row] of the equality rows of levels above k, given y = Y' of what is to be cancelled (destroyed). */
static void lexc_equalities(const po_lex *w, double *lambda, double *y, int k) {
  int j, i, s;
  for (j = k - 1; j >= 0; j--) {
    const po_lex_level *f = &w->level[j];
    double *mu = y + f->at, *z = w->z;
    if (!f->rank) continue;
    for (i = 0; i < f->rank; i++) mu[i] = -mu[i];
    po_trsv(mu, f->T, PO_LOWER, f->trans == PO_N ? PO_T : PO_N, PO_NON_UNIT);
    po_lex_b_transposed(f, y, 1, mu, z);
    memset(z, 0, sizeof(double) * (size_t)f->rows);
    memcpy(z, mu, sizeof(double) * (size_t)f->rank);
    for (s = f->left - 1; s >= 0; s--) po_axpy(z, -f->tau[s] * po_dot(po_row(f->U, s), z, f->rows), po_row(f->U, s), f->rows);
    for (i = 0; i < f->rows; i++) lambda[w->source[f->first + (f->order ? f->order[i] : i)]] = z[i];
  }
}

/* g += A' lambda, and its terms to w->terms where `terms` are asked for. Few rows of a hard level have a multiplier: they are picked out first. */
static void lexc_gradient(po_lex *w, double *g, const po_hqp_level *level, const double *lambda, int terms) {
  int i, count = 0, *rows = w->todo;
  double *alpha = w->d;
  for (i = 0; i < level->rows; i++)
    if (lambda[i] != 0) {
      rows[count] = i;
      alpha[count++] = lambda[i];
    }
  if (terms) w->k->terms(g, w->terms, level->A.a, level->A.ld, rows, count, alpha, w->n);
  else w->k->sum(g, level->A.a, level->A.ld, rows, count, alpha, 0, w->n);
}

/* w->terms of level k's equation. */
static void lexc_terms(po_lex *w, int k, const po_hqp_level_result *r) {
  double *sum = w->xv; /* of no use here */
  int j, at;
  memset(w->terms, 0, sizeof(double) * (size_t)w->n);
  w->priced = 0;
  lexc_gradient(w, sum, &w->p->levels[k], r->multiplier, 1);
  for (j = at = 0; j < k; at += w->p->levels[j++].rows) lexc_gradient(w, sum, &w->p->levels[j], r->lambda + at, 1);
}

/* From what is left, g, of level k's equation and its terms: the worst share of a coordinate, in units of kkt. */
static double lexc_unmet(po_lex *w, int k, const double *g, double violation) {
  const double *t = w->terms;
  double unit = w->level[k].unit, worst = 0;
  double rounding = unit * (PO_LEX_FEASIBLE * unit * po_norm2(w->solver->x, w->n) + PO_LEX_PROVEN * violation); /* what rows that are met leave */
  double small = po_max(PO_LEX_SMALL * po_norm2(t, w->n), rounding);
  int j;
  for (j = 0; j < w->n; j++) {
    double left = fabs(g[j]), share;
    if (!(left > PO_LEX_UNMET * t[j]) || !(left * violation > PO_LEX_UNMET_BY * t[j])) continue;
    if (t[j] <= small) {
      w->solver->doubtful = 1;
      continue;
    }
    share = left / t[j];
    worst = po_max(worst, po_min(share / PO_LEX_UNMET, share * violation / PO_LEX_UNMET_BY));
  }
  return worst * PO_LEX_BELIEVED;
}

/* g = A' alpha over the rows of a level that are constraints in v: all but the equalities of a soft level. */
static void lexc_pushes(po_lex *w, double *g, int k, const double *alpha) {
  const po_hqp_level *level = &w->p->levels[k];
  int i, count = 0, *rows = w->todo, all = level->hard && !w->relaxed;
  double *picked = w->d;
  for (i = 0; i < level->rows; i++)
    if (alpha[i] != 0 && (all || level->lower[i] != level->upper[i])) {
      rows[count] = i;
      picked[count++] = alpha[i];
    }
  w->k->sum(g, level->A.a, level->A.ld, rows, count, picked, 0, w->n);
}

/* In `worst`: what is left of the pushes beyond the coordinates of level k, where no equality row of it looks, in units of its longest row. Its own
 * block of y becomes T_k'^-1 y. */
static double *lexc_own(const po_lex *w, int k, double *y, double *worst) {
  const po_lex_level *f = &w->level[k];
  double most = 0;
  int i;
  for (i = f->at + f->rank; i < w->n; i++) most = po_max(most, fabs(y[i]));
  *worst = most == 0 ? 0 : most / f->unit;
  po_trsv(y + f->at, f->T, PO_LOWER, f->trans == PO_N ? PO_T : PO_N, PO_NON_UNIT);
  return y + f->at;
}

/* What level k could still gain, from y = Y' of its whole gradient with the constraints: quick, but a T that is nearly singular blows up the
 * rounding of the gradient. */
static double lexc_gain(const po_lex *w, int k, double *y, double violation) {
  double worst, *rho = lexc_own(w, k, y, &worst);
  return po_max(worst, po_norm2(rho, w->level[k].rank)) / po_hqp_believable(violation, 0);
}

/* The same with care: ρ, row by row. g: work. */
static double lexc_avoidable(po_lex *w, int k, double *g, const po_hqp_level_result *r) {
  const po_lex_level *f = &w->level[k];
  const po_hqp_level *level = &w->p->levels[k];
  double worst, *z = w->z, *y = w->y, *rho, length = po_norm2(w->solver->x, w->n);
  int i, j, s, at;
  memset(g, 0, sizeof(double) * (size_t)w->n);
  for (j = at = 0; j < k; at += w->p->levels[j++].rows) lexc_pushes(w, g, j, r->lambda + at);
  lexc_pushes(w, g, k, r->multiplier);
  po_lex_to_y(w, y, g);
  rho = lexc_own(w, k, y, &worst);
  worst /= po_hqp_believable(r->violation, f->unit * length);
  for (i = 0; i < f->rows; i++) z[i] = r->multiplier[w->source[f->first + (f->order ? f->order[i] : i)] - at];
  for (s = 0; s < f->left; s++) po_axpy(z, -f->tau[s] * po_dot(po_row(f->U, s), z, f->rows), po_row(f->U, s), f->rows);
  for (i = 0; i < f->rows; i++) z[i] = i < f->rank ? z[i] + rho[i] : 0;
  for (s = f->left - 1; s >= 0; s--) po_axpy(z, -f->tau[s] * po_dot(po_row(f->U, s), z, f->rows), po_row(f->U, s), f->rows);
  for (i = 0; i < f->rows; i++) {
    int row = w->source[f->first + (f->order ? f->order[i] : i)];
    double terms = fabs(level->lower[row - at]) + sqrt(w->square[row]) * length, missed = fabs(z[i]);
    worst = po_max(worst, missed / po_hqp_believable(r->violation, terms));
    if (missed > PO_LEX_BELIEVED * po_max(1, PO_HQP_BESIDE * r->violation)) w->solver->doubtful = 1;
  }
  return worst;
}

/* Fills level k's lambda, kkt and blocked_by. Returns what is left of the equation itself, relative. */
static double lexc_level(po_lex *w, int k, double *g, double *part, po_hqp_level_result *r) {
  const po_hqp *p = w->p;
  double *lambda = w->solver->lambda + (size_t)k * (size_t)w->solver->row_max, most = 0, size, gain = PO_INF;
  int n = w->n, j, at, above = po_hqp_row_offset(p, k), terms = r->violation > PO_LEX_UNMET_BY, quick = terms && !w->solver->apart;
  r->lambda = lambda;
  w->rest[k] = 0;
  memset(lambda, 0, sizeof(double) * (size_t)above);
  r->kkt = 0;
  if (p->levels[k].hard && !w->relaxed) { /* nothing to minimize: it holds or it does not */
    r->kkt = r->violation / (1 + w->level[k].unit);
    return 0;
  }
  /* |A' r| <= rows^½ · longest row · |r|: a level that is met as well as that needs no multipliers as a proof */
  r->kkt = r->violation * w->level[k].unit * sqrt((double)p->levels[k].rows);
  if ((r->kkt <= 0.1 * PO_LEX_PROVEN && !terms) || !n) return r->kkt;
  memset(g, 0, sizeof(double) * (size_t)n);
  if (terms) memset(w->terms, 0, sizeof(double) * (size_t)n);
  lexc_gradient(w, g, &p->levels[k], r->multiplier, terms && !quick);
  size = po_norm_inf(g, n);
  if (k > 0) {
    if (lexc_constraints(w, lambda, k)) {
      memcpy(part, g, sizeof(double) * (size_t)n);
      for (j = at = 0; j < k; at += p->levels[j++].rows) lexc_gradient(w, part, &p->levels[j], lambda + at, 0);
      po_lex_to_y(w, w->y, part);
    } else {
      po_lex_to_y(w, w->y, g);
    }
    gain = lexc_gain(w, k, w->y, r->violation);
    lexc_equalities(w, lambda, w->y, k);
  }
  for (j = at = 0; j < k; at += p->levels[j++].rows) {
    double taken;
    memset(part, 0, sizeof(double) * (size_t)n);
    lexc_gradient(w, part, &p->levels[j], lambda + at, terms && !quick);
    taken = sqrt(po_dot(part, part, n));
    if (taken > most && taken > 1e-9 * size) {
      most = taken;
      r->blocked_by = j;
    }
    po_axpy(g, 1, part, n);
  }
  r->kkt = gain <= 0.1 * PO_LEX_BELIEVED ? gain : lexc_avoidable(w, k, part, r);
  /* its terms are no smaller than the level's own gradient: where columns are near each other, what is less than 1e-10 of that leaves no coordinate unmet */
  if (quick && po_norm_inf(g, n) <= PO_LEX_UNMET * PO_LEX_SMALL * size) terms = 0;
  if (terms && quick) lexc_terms(w, k, r);
  if (terms) r->kkt = po_max(r->kkt, lexc_unmet(w, k, g, r->violation));
  w->rest[k] = po_norm2(g, n);
  return po_norm_inf(g, n) / (1 + po_max(size, most));
}

double po_lex_certificate(po_lex *w, po_hqp_result *result) {
  double worst = 0;
  int k;
  w->solver->doubtful = 0;
  for (k = 0; k < w->levels; k++) worst = po_max(worst, lexc_level(w, k, w->work, w->normal, &result->levels[k]));
  return worst;
}
