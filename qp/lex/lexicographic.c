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

#define LEXL_ROUNDS 6    /* guesses of many changes at once */
#define LEXL_FEW 4       /* from the second on they are believed only when they change so few rows: more is overshooting */
#define LEXL_MANY 8      /* and eight times them more than the unknowns: level by level (at less, control ticks take up to three times as long) */
#define LEXL_REBUILDS 12 /* bases made anew in one solve, at most */
#define LEXL_FAR 1e4     /* v was that much longer before */
#define LEXL_MENDS 3     /* steps of refinement, at most: one is mostly enough, more when the set is nearly dependent */
#define LEXL_OFTEN 8     /* changes between two looks at the basis */
#define LEXL_WORSE 10.0  /* normals that are nearly dependent leave even a fresh basis with errors: worn is what is so much worse */
#define LEXL_GROWTH 1e4  /* or a multiple as large as this */
#define LEXL_ALIKE 1e-6  /* a combination of rows is another row when it differs by less */
#define LEXL_SEEN 64     /* working sets remembered */
#define LEXL_RELAXED 4   /* times they are widened: beyond that the answer would not be one */
#define LEXL_DOUBTS 2    /* rounds of taking noise for zero */
#define LEXL_NOISE 10.0  /* what is left of an equation is noise, and ten times that may be: 1 misses a case, 100 takes what is known */
#define LEXL_SAME 1e-8   /* violations that differ by less are the same */
#define LEXL_BUDGETS 8   /* a solve that takes more is better asked of another method: a controller waits for it */

/* Takes constraint c into the set on the given side, dropping those whose multipliers reach zero on the way. 0: it cannot be met. */
static int lexl_bring_in(po_lex *w, int c, double sign) {
  int g, b, lead, i, k;
  for (;;) {
    double length, gap, t;
    po_lex_load(w, c, sign);
    g = po_lex_project(w, &length);
    gap = po_lex_gap(w, c, sign);
    if (w->row[c].equality && gap < 0) { /* an equality is met from the side it is missed on */
      sign = -sign;
      continue;
    }
    po_lex_combination(w);
    b = po_lex_blocking(w);
    lead = b >= 0 ? po_lex_leading(w, po_row(w->Lambda, b)) : w->grades;
    w->iterations++;
    if (g < 0 && b < 0) return 0;
    t = g >= 0 ? gap / (length * length) : 0;
    if (g >= 0 && (b < 0 || lead < g || (lead == g && PO_AT(w->Lambda, b, g) >= t * w->step[b]))) {
      po_lex_append(w, c, sign, g);
      w->updates++;
      po_lex_close_gap(w, gap);
      return 1;
    }
    for (k = 0; k < w->grades; k++) {
      t = PO_AT(w->Lambda, b, k) / w->step[b];
      if (t == 0) continue;
      for (i = 0; i < w->active; i++) PO_AT(w->Lambda, i, k) -= t * w->step[i];
      if (k == g) { /* move as far as this multiplier goes */
        w->priced = 0;
        int at = w->free_start[g], count = w->free_start[g + 1] - at;
        for (i = 0; i < count; i++) w->work[i] = t * w->d[at + i];
        w->k->sum(w->v, w->J.a, w->J.ld, w->free_rows + at, count, w->work, w->offset[g], w->span);
      }
    }
    po_lex_drop(w, b);
    w->updates++;
  }
}

/* ---- the solve ------------------------------------------------------------------------------------------------------------------------ */

/* What the present working set gets wrong: everything violated is to come in, everything of the wrong sign to go. Rows and their new
 * sides are left in todo and todo_sign. */
static int lexl_wrong(po_lex *w) {
  int c, i, changes = 0;
  po_lex_price(w);
  for (i = 0; i < w->active; i++) {
    const double *lambda = po_row(w->Lambda, i);
    int g = po_lex_leading(w, lambda);
    if (g == w->grades || w->row[w->set[i]].equality || lambda[g] >= 0) continue;
    w->todo[changes] = w->row[w->set[i]].row;
    w->todo_sign[changes++] = 0;
  }
  for (c = 0; c < w->constraints; c++) {
    double below = w->lo[c] - w->value[c], above = w->value[c] - w->up[c];
    if (w->row[c].position >= 0 || w->row[c].ignored || po_max(below, above) <= w->tol_feasible * po_lex_size(w, c)) continue;
    w->todo[changes] = w->row[c].row;
    w->todo_sign[changes++] = below >= above ? -1 : 1;
  }
  return changes;
}

static int lexl_budget(const po_lex *w) { return 2 * (w->n + w->constraints) + 20; }
static int lexl_most_iterations(const po_lex *w) { return w->opts->max_iterations > 0 ? w->opts->max_iterations : LEXL_BUDGETS * lexl_budget(w); }

/* 1: so many soft inequalities want to change that it pays to go level by level first. A controller, whose ranks have hysteresis, has few: its ticks are
 * near each other, and would only come to the same answer in other bits. */
static int lexl_many(const po_lex *w, int changes) {
  int i, soft = 0, hard = w->levels && w->p->levels[0].hard ? w->p->levels[0].rows : 0;
  for (i = 0; i < changes; i++) soft += w->todo[i] >= hard;
  return !(w->opts->hysteresis > 1) && ((soft > LEXL_FEW && LEXL_MANY * soft > w->n) || 2 * changes > w->n);
}

/* Level by level, then the whole set at a glance. 0: not confirmed. */
static int lexl_descended(po_lex *w) {
  int round, i, changes, before = po_hqp_row_offset(w->p, w->levels) + 1;
  po_lex_fetch_all(w);
  if (!po_lex_descend(w)) return 0;
  for (round = 0; round < LEXL_ROUNDS && po_lex_compact(w, w->want); round++, before = changes) {
    changes = lexl_wrong(w);
    if (!changes) return 1;
    if (round && changes >= before) return 0;
    for (i = 0; i < changes; i++) w->want[w->todo[i]] = (signed char)w->todo_sign[i];
    w->iterations += changes;
  }
  return 0;
}

static void lexl_begin_at(po_lex *w, const signed char *start) {
  int rows = po_hqp_row_offset(w->p, w->levels);
  if (start) memcpy(w->want, start, (size_t)rows);
  else memset(w->want, 0, (size_t)rows);
}

/* The first working set. Many changes at once: nothing guarantees that this ends, but when it does, it does so in a few rounds, and none
 * of them needs J; what it leaves is as good a start as any. 0: the hard equalities contradict each other. */
static int lexl_guess(po_lex *w, const signed char *start) {
  int round, i, changes = 0, before = po_hqp_row_offset(w->p, w->levels) + 1, descended = 0;
  lexl_begin_at(w, start);
  for (round = 0; round < LEXL_ROUNDS && w->iterations < lexl_most_iterations(w) && po_lex_compact(w, w->want); round++, before = changes) {
    changes = lexl_wrong(w);
    if (!changes) return 1;
    if (!round && !descended && lexl_many(w, changes)) {
      if (lexl_descended(w)) return 1;
      descended = 1; /* as if it had not been tried */
      lexl_begin_at(w, start);
      if (!po_lex_compact(w, w->want)) break;
      changes = lexl_wrong(w);
    }
    if (round && (changes > LEXL_FEW || changes >= before)) break;
    for (i = 0; i < changes; i++) w->want[w->todo[i]] = (signed char)w->todo_sign[i];
    w->iterations += changes;
  }
  if (changes > LEXL_FEW) po_lex_fetch_all(w); /* there is a way to go: prices are cheaper with every normal at hand */
  return po_lex_build(w, w->want);
}

/* How far v has drifted off the working set, relative to the rounding it may have; prices must be current. */
static double lexl_drift(const po_lex *w) {
  double worst = 0, length = sqrt(po_dot(w->v, w->v, w->length));
  int i;
  for (i = w->parked; i < w->active; i++) {
    int c = w->set[i];
    const po_lex_row *r = &w->row[c];
    double gap = w->sign[i] > 0 ? w->lo[c] - w->value[c] : w->value[c] - w->up[c];
    if (r->soft) gap -= w->level[r->level].unit * w->v[r->slack];
    worst = po_max(worst, fabs(gap) / (w->size0[c] + w->norm[c] * length));
  }
  return worst;
}

/* Whether rounding has worn the basis out: v is off its set, v has come from much farther away than it is now, or (asked every few
 * changes, as it costs a product) the directions themselves have suffered. */
static int lexl_worn(po_lex *w) {
  if (!w->updates || w->rebuilds >= LEXL_REBUILDS) return 0;
  if (lexl_drift(w) > PO_LEX_DRIFT || w->reach > LEXL_FAR * sqrt(po_dot(w->v, w->v, w->length))) return 1;
  if (w->updates % LEXL_OFTEN && w->growth < LEXL_GROWTH) return 0;
  w->growth = 0;
  return po_lex_health(w) > po_max(PO_LEX_HEALTH, LEXL_WORSE * w->fresh_health);
}

/* The basis anew for the same working set, which is then settled again. 0: the hard equalities contradict each other. */
static int lexl_renew(po_lex *w) {
  double started = po_lex_clock(w);
  int i, good = w->rebuilds > 0 && po_lex_rebuild(w); /* the first time the quick way will do */
  if (!good) {
    memset(w->want, 0, (size_t)po_hqp_row_offset(w->p, w->levels));
    for (i = 0; i < w->active; i++) w->want[w->row[w->set[i]].row] = w->sign[i] > 0 ? -1 : 1;
    good = po_lex_build(w, w->want);
  }
  w->rebuilds++;
  w->fresh_health = po_lex_health(w);
  w->profile->update += po_lex_clock(w) - started;
  if (good) po_lex_settle(w);
  return good;
}

/* After lexl_bring_in has failed: whether row c is, in x itself, the combination of the set that says it cannot be met (Farkas). In v a
 * level that is nearly singular can make rows look alike that are not. */
static int lexl_contradicts(po_lex *w, int c, double sign) {
  const po_lex_row *r = &w->row[c];
  double *rest = w->work, size = sqrt(w->square[r->row]);
  int i;
  memset(rest, 0, sizeof(double) * (size_t)w->n);
  po_axpy(rest, sign, po_row(w->p->levels[r->level].A, r->index), w->n);
  for (i = 0; i < w->active; i++) {
    const po_lex_row *by = &w->row[w->set[i]];
    if (w->step[i] == 0) continue;
    po_axpy(rest, -w->step[i] * w->sign[i], po_row(w->p->levels[by->level].A, by->index), w->n);
    size = po_max(size, fabs(w->step[i]) * sqrt(w->square[by->row]));
  }
  return sqrt(po_dot(rest, rest, w->n)) <= LEXL_ALIKE * size;
}

/* A number for the working set, whatever its order. */
static uint64_t lexl_set_key(const po_lex *w) {
  uint64_t key = 0;
  int i;
  for (i = 0; i < w->active; i++) {
    uint64_t h = (uint64_t)(2 * w->row[w->set[i]].row + (w->sign[i] > 0)) * 0x9e3779b97f4a7c15u;
    key += (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  }
  return key;
}

/* From a dual feasible working set to the optimum. No set comes twice but by rounding: when one does, the tolerances are widened at
 * once, and when a budget of iterations is spent, as cycles may be longer than the memory. */
static po_hqp_status lexl_run(po_lex *w) {
  int budget = lexl_budget(w), most = lexl_most_iterations(w), c;
  int next = w->iterations + budget, again = 0, relaxed = 0, seen = 0, i;
  uint64_t set[LEXL_SEEN] = {0}, key;
  double sign = 1, now;
  for (;;) {
    c = po_lex_most_violated(w, &sign);
    if (lexl_worn(w)) {
      if (!lexl_renew(w)) return PO_HQP_INFEASIBLE;
      continue;
    }
    if (c < 0) return PO_HQP_OPTIMAL;
    if (w->iterations >= most) return PO_HQP_ITERATION_LIMIT;
    if (w->iterations >= next || again) {
      if (relaxed++ == LEXL_RELAXED) return PO_HQP_ITERATION_LIMIT;
      next = w->iterations + budget;
      again = seen = 0;
      memset(set, 0, sizeof set);
      w->widened++;
      w->tol_feasible *= PO_LEX_RELAX;
      w->tol_multiplier *= PO_LEX_RELAX;
    }
    now = po_lex_clock(w);
    if (!lexl_bring_in(w, c, sign)) {
      if (w->updates && w->rebuilds < LEXL_REBUILDS) { /* before that is believed, with a fresh basis */
        if (!lexl_renew(w)) return PO_HQP_INFEASIBLE;
        continue;
      }
      if (po_lex_gap(w, c, sign) > PO_LEX_INFEASIBLE * po_lex_size(w, c)) return lexl_contradicts(w, c, sign) ? PO_HQP_INFEASIBLE : PO_HQP_NUMERICAL;
      w->row[c].ignored = 1;
    }
    po_lex_recentre(w);
    w->profile->update += po_lex_clock(w) - now;
    po_lex_multipliers(w);
    po_lex_settle(w);
    key = lexl_set_key(w);
    for (i = 0; i < LEXL_SEEN; i++) again |= set[i] == key && !w->row[c].ignored;
    set[seen++ % LEXL_SEEN] = key;
  }
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

/* Brings the rows of the working set to their bounds in x itself: v has come a long way by small steps, and what they lost shows
 * here. Moves v by J_bound R^-T of what is missing. 0: nothing to mend. */
static int lexl_refine(po_lex *w) {
  int i, q = w->active, bad = 0;
  double *miss = w->step, length = po_norm2(w->solver->x, w->n);
  for (i = 0; i < w->parked; i++) miss[i] = 0; /* x is their bound */
  for (; i < q; i++) {
    const po_lex_row *r = &w->row[w->set[i]];
    const po_hqp_level *level = &w->p->levels[r->level];
    double at = po_dot(po_row(level->A, r->index), w->solver->x, w->n), bound = w->sign[i] > 0 ? level->lower[r->index] : level->upper[r->index];
    miss[i] = w->sign[i] * (bound - at);
    if (r->soft) miss[i] -= w->level[r->level].unit * w->v[r->slack];
    bad |= fabs(miss[i]) > PO_LEX_REFINE * (fabs(bound) + sqrt(w->square[r->row]) * length);
  }
  if (!bad) return 0;
  if (w->compact) {
    po_lex_compact_mend(w, miss);
    return 1;
  }
  po_trsv(miss, po_block(w->R, 0, 0, q, q), PO_UPPER, PO_T, PO_NON_UNIT);
  w->k->sum(w->v, w->J.a, w->J.ld, w->bound_row, q, miss, 0, w->length);
  return 1;
}

/* Contradictions of the size of rounding are none. */
static int lexl_hard_holds(const po_lex *w, const po_hqp_result *result) {
  if (!(result->levels[0].violation <= PO_LEX_INFEASIBLE * (w->level[0].unit * po_norm2(w->solver->x, w->n)))) return 0;
  w->solver->doubtful = 1;
  return 1;
}

/* The largest number among the bounds: the scale of the problem. */
static double lexl_scale(const po_lex *w) {
  double most = 0;
  int k, i;
  for (k = 0; k < w->levels; k++)
    for (i = 0; i < w->p->levels[k].rows; i++) {
      double l = fabs(w->p->levels[k].lower[i]), u = fabs(w->p->levels[k].upper[i]);
      if (l < PO_QP_INFINITY) most = po_max(most, l);
      if (u < PO_QP_INFINITY) most = po_max(most, u);
    }
  return most;
}

/* 1: no row of a hard level misses its bound by more than PO_LEX_HARD times the terms it sums, in x itself. Prices may have hidden it when
 * v was long on the way: they are relative to that. */
static int lexl_hard_kept(const po_lex *w, const po_hqp_result *result) {
  const po_hqp_level *level = w->p->levels;
  double length = po_norm2(w->solver->x, w->n);
  int i;
  if (!w->levels || !level->hard || w->relaxed) return 1;
  for (i = 0; i < level->rows; i++) {
    double miss = result->levels[0].multiplier[i], bound = miss < 0 ? level->lower[i] : level->upper[i];
    if (miss == 0) continue;
    if (fabs(miss) <= PO_LEX_HARD * (fabs(bound) + sqrt(w->square[i]) * length)) { /* an unknown in small units excuses rows that do not see it */
      w->solver->doubtful |= w->solver->apart && fabs(miss) > PO_LEX_HARD * (fabs(bound) + po_hqp_terms(po_row(level->A, i), w->solver->x, w->n));
      continue;
    }
    if (!(fabs(miss) <= PO_LEX_NOTHING * lexl_scale(w))) return 0;
  }
  return 1;
}

/* One solve of the problem, hard level as w->relaxed says; the point ends up in v. */
static po_status lexl_attempt(po_lex *w, const signed char *start, po_hqp_status *status) {
  double now = po_lex_clock(w), then;
  int good;
  po_arena_release(w->arena, 0);
  w->start = start;
  w->tol_feasible = PO_LEX_FEASIBLE;
  w->tol_multiplier = PO_LEX_MULTIPLIER;
  good = po_lex_rows(w);
  then = po_lex_clock(w);
  w->profile->other += then - now;
  if (!good || !po_lex_factor(w) || !po_lex_active_layout(w)) return PO_ERR_MEMORY;
  *status = PO_HQP_INFEASIBLE;
  if (w->impossible && !w->relaxed) return PO_OK;
  now = po_lex_clock(w) - w->profile->multipliers - w->profile->solve; /* what these two get meanwhile is not to count twice */
  good = lexl_guess(w, start);
  w->profile->update += po_lex_clock(w) - w->profile->multipliers - w->profile->solve - now;
  if (!good) return PO_OK;
  if (w->compact) { /* nothing was wrong with it */
    *status = PO_HQP_OPTIMAL;
    return PO_OK;
  }
  po_lex_settle(w);
  *status = lexl_run(w);
  return PO_OK;
}

/* x and all that the result tells about it. Returns the worst that is left of a level's equation. */
static double lexl_report(po_lex *w, po_hqp_result *result) {
  po_hqp_solver *s = w->solver;
  double worst, now = po_lex_clock(w), then;
  int mends = 0;
  if (w->priced && w->pointed) memcpy(s->x, w->xv, sizeof(double) * (size_t)w->n);
  else po_lex_point(w, s->x, w->v);
  while (mends++ < LEXL_MENDS && lexl_refine(w)) po_lex_point(w, s->x, w->v);
  lexl_keep_set(w, s);
  po_hqp_finish(s, w->p, result);
  then = po_lex_clock(w);
  w->profile->solve += then - now;
  worst = po_lex_certificate(w, result);
  w->profile->multipliers += po_lex_clock(w) - then;
  return worst;
}

/* 1: no level that is optimized could gain anything worth the name. */
static int lexl_proven(const po_lex *w, const po_hqp_result *result) {
  int k;
  for (k = w->levels && w->p->levels[0].hard && !w->relaxed; k < w->levels; k++)
    if (!(result->levels[k].kkt <= PO_LEX_BELIEVED) || !(w->level[k].unit < PO_INF)) return 0; /* lengths beyond what doubles hold prove nothing */
  return 1;
}

/* 1: some level above which all is the same is missed by more than it was. */
static int lexl_worse(const po_hqp_result *now, const double *before) {
  int k;
  for (k = 0; k < now->level_count; k++) {
    double more = now->levels[k].violation - before[k];
    if (fabs(more) > LEXL_SAME * po_max(1, before[k])) return more > 0;
  }
  return 0;
}

/* A multiplier is known to what is left of its level's equation, and no better: a row that only noise holds in the set, at a level above the one at which
 * it has the wrong sign, is not held. With what is noise taken for zero the set is settled again; an answer that is worse is not taken. */
static void lexl_doubt(po_lex *w, po_hqp_result *result) {
  double before[PO_HQP_MAX_LEVELS];
  int round, k, i, rows = po_hqp_row_offset(w->p, w->levels);
  signed char *held = w->solver->kept_active;
  for (round = 0; round < LEXL_DOUBTS && result->status == PO_HQP_OPTIMAL; round++) {
    for (k = 0; k < w->levels; k++) w->noise[k] = po_max(w->noise[k], LEXL_NOISE * w->rest[k]);
    if (!po_lex_clear_noise(w) || po_lex_most_negative(w) < 0) break;
    for (k = 0; k < w->levels; k++) before[k] = result->levels[k].violation;
    memset(held, 0, (size_t)rows);
    for (i = 0; i < w->active; i++) held[w->row[w->set[i]].row] = w->sign[i] > 0 ? -1 : 1;
    w->rebuilds = 0;
    if (lexl_renew(w)) result->status = lexl_run(w);
    else result->status = PO_HQP_NUMERICAL;
    lexl_report(w, result);
    if (result->status == PO_HQP_OPTIMAL && !lexl_worse(result, before)) continue;
    memset(w->noise, 0, sizeof w->noise);
    result->status = po_lex_build(w, held) ? PO_HQP_OPTIMAL : PO_HQP_NUMERICAL;
    lexl_report(w, result);
    break;
  }
  memset(w->noise, 0, sizeof w->noise);
}

po_status po_hqp_lexicographic_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  po_lex w;
  po_status failed;
  double worst;
  memset(&w, 0, sizeof w);
  w.p = p;
  w.opts = opts;
  w.k = po_lex_kernels_get();
  w.arena = &s->scratch;
  w.solver = s;
  w.n = p->n;
  w.levels = p->level_count;
  w.grades = p->level_count + 1;
  w.profile = result->profile;
  result->warm = opts->warm && s->last_valid;
  failed = lexl_attempt(&w, result->warm ? s->last_active : NULL, &result->status);
  if (failed == PO_OK && result->status == PO_HQP_INFEASIBLE) { /* the hard rows as near to their bounds as they go */
    w.relaxed = 1;
    failed = lexl_attempt(&w, NULL, &result->status);
    result->fell_back = result->warm;
  }
  if (failed != PO_OK) return failed;
  worst = lexl_report(&w, result);
  /* Rounding in the basis shows: once more with a fresh one. A set that was looked at as a whole has none; what it misses is what rank_tol
   * takes for zero, and a basis would miss it too. */
  if (worst > (w.compact ? PO_LEX_BELIEVED : PO_LEX_PROVEN) && (w.updates || w.compact) && lexl_renew(&w)) {
    result->status = lexl_run(&w);
    lexl_report(&w, result);
  }
  lexl_doubt(&w, result);
  /* that the hard rows contradict each other was seen in x before they were relaxed (lexl_contradicts), however well the rest is known */
  if (result->status == PO_HQP_OPTIMAL && w.relaxed && !lexl_hard_holds(&w, result)) result->status = PO_HQP_INFEASIBLE;
  if (result->status == PO_HQP_OPTIMAL && (!lexl_proven(&w, result) || !lexl_hard_kept(&w, result))) result->status = PO_HQP_NUMERICAL;
  result->iterations = w.iterations;
  result->factorizations = w.factorizations + w.rebuilds;
  result->widened = w.widened;
  result->flops = w.flops;
  lexl_ranks(&w, result);
  return PO_OK;
}

size_t po_hqp_lexicographic_bytes(int n, int levels, int rows) { return po_lex_bytes(n, levels, rows); }
