/* lexicographic.c: which constraints come and go.
 *
 * A dual active-set method (Goldfarb & Idnani 1983) for a cost with grades. Every working set it stops at is a solution of the problem
 * with the constraints of that set alone, with multipliers whose first non-zero level is positive. Taking in a violated constraint and
 * dropping those that give way raises the cost vector (|v_0|², |v_1|², …) in the lexicographic order, so no set comes twice and it
 * ends. Rounding is the only thing that could make it cycle; a budget of iterations guards against that by widening the tolerances.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* ---- choosing -------------------------------------------------------------------------------------------------------------------- */

/* The size of the terms that row c sums: its rounding is relative to it. */
static double lexl_size(const po_lex *w, int c) { return w->size0[c] + w->norm[c] * w->reach; }

/* G v for every constraint. */
static void lexl_price(po_lex *w) {
  int c;
  w->k->dots(w->value, w->G.a, w->G.ld, NULL, w->dense, w->v, 0, w->nv);
  for (c = w->dense; c < w->constraints; c++) w->value[c] = w->row[c].factor * w->v[w->row[c].unit];
  w->flops += 2.0 * w->dense * w->nv;
}

/* The constraint that is violated most, as a distance; −1: none. Hard equalities come first, in order. */
static int lexl_most_violated(po_lex *w, double *sign) {
  int c, best = -1;
  double most = 0;
  lexl_price(w);
  w->reach = po_max(w->reach, sqrt(po_dot(w->v, w->v, w->length)));
  for (c = 0; c < w->constraints; c++) {
    const po_lex_row *r = &w->row[c];
    double below, above, gap;
    if (r->position >= 0 || r->ignored) continue;
    below = w->lo[c] - w->value[c];
    above = w->value[c] - w->up[c];
    gap = po_max(below, above);
    if (gap <= w->tol_feasible * lexl_size(w, c) || !(w->norm[c] > 0)) continue;
    gap /= w->norm[c];
    if (gap > most) {
      most = gap;
      best = c;
      *sign = below >= above ? 1 : -1;
    }
  }
  return best;
}

/* The constraint of the set whose multipliers have the wrong sign at the dearest level, most wrong there; −1: none. */
static int lexl_most_negative(const po_lex *w) {
  int i, best = -1, best_grade = w->grades;
  double most = 0;
  for (i = 0; i < w->active; i++) {
    const double *lambda = po_row(w->Lambda, i);
    int g = po_lex_leading(w, lambda);
    double size;
    if (g == w->grades || w->row[w->set[i]].equality || lambda[g] >= 0 || g > best_grade) continue;
    size = -lambda[g] * w->norm[w->set[i]];
    if (g < best_grade || size > most) {
      best = i;
      best_grade = g;
      most = size;
    }
  }
  return best;
}

/* ---- changing the set --------------------------------------------------------------------------------------------------------------- */

/* v moves along bound direction i until the gap of that constraint is closed. */
static void lexl_close_gap(po_lex *w, double gap) {
  int q = w->active - 1, from = w->offset[w->grade[w->bound_row[q]]];
  po_axpy(w->v + from, gap / PO_AT(w->R, q, q), po_row(w->J, w->bound_row[q]) + from, w->length - from);
}

/* Drops what has the wrong sign until nothing has: the working set is then dual feasible. */
static void lexl_settle(po_lex *w) {
  int i;
  po_lex_recentre(w);
  po_lex_multipliers(w);
  while ((i = lexl_most_negative(w)) >= 0) {
    po_lex_drop(w, i);
    w->iterations++;
    po_lex_recentre(w);
    po_lex_multipliers(w);
  }
}

/* How far the multipliers let the new constraint go: the row of the set that gives way first, −1 when none does.
 * step holds R^-1 d: what the set loses per unit of the new multiplier. */
static int lexl_blocking(const po_lex *w, double norm) {
  int i, g, best = -1;
  for (i = 0; i < w->active; i++) {
    const double *a = po_row(w->Lambda, i), *b;
    double r = w->step[i];
    if (w->row[w->set[i]].equality || r * w->norm[w->set[i]] <= 1e-11 * norm) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    b = po_row(w->Lambda, best);
    for (g = 0; g < w->grades; g++) { /* a/r < b/r_best, first level that differs */
      double left = a[g] * w->step[best], right = b[g] * r;
      if (left == right) continue;
      if (left < right) best = i;
      break;
    }
  }
  return best;
}

/* Takes constraint c into the set on the given side, dropping those whose multipliers reach zero on the way. 0: it cannot be met. */
static int lexl_bring_in(po_lex *w, int c, double sign) {
  int g, b, lead, i, k;
  for (;;) {
    double length, gap, t;
    int frees;
    po_lex_load(w, c, sign);
    g = po_lex_project(w, &length);
    frees = w->free_start[w->grades];
    gap = po_lex_gap(w, c, sign);
    if (w->row[c].equality && gap < 0) { /* an equality is met from the side it is missed on */
      sign = -sign;
      continue;
    }
    memcpy(w->step, w->d + frees, sizeof(double) * (size_t)w->active);
    po_lex_solve_R(w, w->step);
    b = lexl_blocking(w, w->norm[c]);
    lead = b >= 0 ? po_lex_leading(w, po_row(w->Lambda, b)) : w->grades;
    w->iterations++;
    if (g < 0 && b < 0) return 0;
    t = g >= 0 ? gap / (length * length) : 0;
    if (g >= 0 && (b < 0 || lead < g || (lead == g && PO_AT(w->Lambda, b, g) >= t * w->step[b]))) {
      po_lex_append(w, c, sign, g);
      lexl_close_gap(w, gap);
      return 1;
    }
    for (k = 0; k < w->grades; k++) {
      t = PO_AT(w->Lambda, b, k) / w->step[b];
      if (t == 0) continue;
      for (i = 0; i < w->active; i++) PO_AT(w->Lambda, i, k) -= t * w->step[i];
      if (k == g) { /* move as far as this multiplier goes */
        int at = w->free_start[g], count = w->free_start[g + 1] - at;
        for (i = 0; i < count; i++) w->work[i] = t * w->d[at + i];
        w->k->sum(w->v, w->J.a, w->J.ld, w->free_rows + at, count, w->work, w->offset[g], w->length);
      }
    }
    po_lex_drop(w, b);
  }
}

/* ---- starting ------------------------------------------------------------------------------------------------------------------------ */

/* Adds c without asking what gives way. A row that depends on the set is left out; 0 when it is an equality that cannot be met. */
static int lexl_put(po_lex *w, int c, double sign) {
  double length, gap;
  int g;
  po_lex_load(w, c, sign);
  g = po_lex_project(w, &length);
  gap = po_lex_gap(w, c, sign);
  if (g < 0) {
    if (!w->row[c].equality) return 1;
    w->row[c].ignored = 1;
    return fabs(gap) <= PO_LEX_INFEASIBLE * lexl_size(w, c);
  }
  po_lex_append(w, c, sign, g);
  lexl_close_gap(w, gap);
  return 1;
}

/* The working set from scratch: bounds first (they cost nothing), then equalities, then the rest. want[row]: −1, 0, +1. */
static int lexl_build(po_lex *w, const signed char *want) {
  int c, pass;
  po_lex_reset(w);
  for (pass = 0; pass < 3; pass++)
    for (c = 0; c < w->constraints; c++) {
      const po_lex_row *r = &w->row[c];
      int side = r->equality ? 1 : want ? -want[r->row] : 0;
      int turn = r->unit >= 0 ? 0 : r->equality ? 1 : 2;
      if (!side || turn != pass || (side > 0 ? w->lo[c] == -PO_INF : w->up[c] == PO_INF)) continue;
      if (!lexl_put(w, c, side)) return 0;
    }
  return 1;
}

/* ---- the solve ------------------------------------------------------------------------------------------------------------------------ */

static po_hqp_status lexl_run(po_lex *w, const signed char *want) {
  int budget = 2 * (w->n + w->constraints) + 20, most = w->opts->max_iterations > 0 ? w->opts->max_iterations : 8 * budget, next = budget;
  double sign = 1;
  int c;
  w->tol_feasible = PO_LEX_FEASIBLE;
  w->tol_multiplier = PO_LEX_MULTIPLIER;
  w->reach = 0;
  if (!lexl_build(w, want)) return PO_HQP_INFEASIBLE;
  lexl_settle(w);
  while ((c = lexl_most_violated(w, &sign)) >= 0) {
    if (w->iterations >= most) return PO_HQP_ITERATION_LIMIT;
    if (w->iterations >= next) {
      next += budget;
      w->tol_feasible *= PO_LEX_RELAX;
      w->tol_multiplier *= PO_LEX_RELAX;
    }
    if (!lexl_bring_in(w, c, sign)) {
      if (po_lex_gap(w, c, sign) > PO_LEX_INFEASIBLE * lexl_size(w, c)) return PO_HQP_INFEASIBLE;
      w->row[c].ignored = 1;
    }
    lexl_settle(w);
  }
  return PO_HQP_OPTIMAL;
}

/* What the levels ended up deciding: level g decides as many directions as are free in its grade (lex.h, docs/prioritized.md). */
static void lexl_ranks(const po_lex *w, po_hqp_result *result) {
  int g, c, used = 0;
  for (g = 0; g < w->grades; g++) {
    int rank = w->free_start[g + 1] - w->free_start[g];
    for (c = 0; c < w->constraints; c++) rank -= w->row[c].slack >= 0 && w->row[c].position < 0 && w->row[c].level == g;
    if (g < w->levels) result->levels[g].rank = rank;
    else result->free_dimensions = rank;
    used += rank;
  }
  if (w->levels && w->p->levels[0].hard && !w->relaxed) result->levels[0].rank = w->n - used;
}

static void lexl_keep_set(const po_lex *w, po_hqp_solver *s) {
  int i, k;
  memset(s->last_active, 0, (size_t)s->row_max);
  for (i = 0; i < w->active; i++) s->last_active[w->row[w->set[i]].row] = w->sign[i] > 0 ? -1 : 1;
  for (k = 0; k < PO_HQP_MAX_LEVELS; k++) s->last_rank[k] = k < w->levels ? w->level[k].rank : -1;
}

static po_status lexl_attempt(po_lex *w, const signed char *want, po_hqp_status *status) {
  po_arena_release(w->arena, 0);
  w->dense = w->impossible = 0;
  if (!po_lex_rows(w) || !po_lex_factor(w) || !po_lex_active_layout(w)) return PO_ERR_MEMORY;
  if (w->impossible && !w->relaxed) {
    *status = PO_HQP_INFEASIBLE;
    return PO_OK;
  }
  *status = lexl_run(w, want);
  return PO_OK;
}

po_status po_hqp_lexicographic_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  po_lex w;
  po_status failed;
  memset(&w, 0, sizeof w);
  w.p = p;
  w.opts = opts;
  w.k = po_lex_kernels_get();
  w.arena = &s->scratch;
  w.solver = s;
  w.n = p->n;
  w.levels = p->level_count;
  w.grades = p->level_count + 1;
  result->warm = opts->warm && s->last_valid;
  failed = lexl_attempt(&w, result->warm ? s->last_active : NULL, &result->status);
  if (failed == PO_OK && result->status == PO_HQP_INFEASIBLE) { /* the hard rows as near to their bounds as they go */
    w.relaxed = 1;
    failed = lexl_attempt(&w, NULL, &result->status);
    if (result->status == PO_HQP_OPTIMAL) result->status = PO_HQP_INFEASIBLE;
  }
  if (failed != PO_OK) return failed;
  po_lex_point(&w, s->x, w.v);
  result->iterations = w.iterations;
  result->factorizations = w.factorizations;
  result->flops = w.flops;
  lexl_ranks(&w, result);
  lexl_keep_set(&w, s);
  return PO_OK;
}

size_t po_hqp_lexicographic_bytes(int n, int levels, int rows) { return po_lex_bytes(n, levels, rows); }
