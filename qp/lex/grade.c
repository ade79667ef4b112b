/* grade.c: one level of the descent: two grades, the level's cost and what it leaves.
 *
 * A dual method (Goldfarb & Idnani 1983) on the level's problem (descend.c): block 0 of v is the level's cost, dear; block 1 is free, and cheap. The level's own
 * inequalities are as hard as those from above until one cannot be met along a cheap direction. Then all of them get slacks: for a row of the set that is one
 * more column of J, e_s + Σ β_j J_j with R'β = −unit e_i, which leaves every normal as it was. What comes in along cheap directions changes multipliers by
 * −t r and they are made anew only now and then; a dear pivot makes them anew at once.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

#define LEXG_SINCE 10          /* changes between two looks at the multipliers as a whole */
#define LEXG_MULTIPLIER 1e-11  /* as PO_LEX_MULTIPLIER: what cancellation leaves */
#define LEXG_DEPENDENT 1e-7    /* a row that cannot be met, but is missed by no more than this of its terms, depends on others */

typedef enum lexg_outcome { LEXG_STUCK, LEXG_CHEAP, LEXG_DEAR, LEXG_OPEN } lexg_outcome;

/* step = R^-1 d, for one right-hand side. */
static void lexg_combination(po_lex *s) {
  int i, q = s->active;
  double least = s->normal_length * LEXG_MULTIPLIER;
  memcpy(s->step, s->d + s->free_start[s->grades], sizeof *s->step * (size_t)q);
  po_trsv(s->step, po_block(s->R, 0, 0, q, q), PO_UPPER, PO_N, PO_NON_UNIT);
  for (i = 0; i < q; i++)
    if (fabs(s->step[i]) * s->norm[s->set[i]] <= least) s->step[i] = 0;
}

/* Row b of the set gives way: all multipliers move until its is zero, and v with them along grade g. */
static void lexg_give_way(po_lex *s, int b, int g, double own[2]) {
  int i, k;
  for (k = 0; k < s->grades; k++) {
    double t = PO_AT(s->Lambda, b, k) / s->step[b];
    if (t == 0) continue;
    for (i = 0; i < s->active; i++) PO_AT(s->Lambda, i, k) -= t * s->step[i];
    own[k] += t;
    if (k == g) {
      int at = s->free_start[g], count = s->free_start[g + 1] - at;
      s->priced = 0;
      for (i = 0; i < count; i++) s->work[i] = t * s->d[at + i];
      s->k->sum(s->v, s->J.a, s->J.ld, s->free_rows + at, count, s->work, s->offset[g], s->span);
    }
  }
  po_lex_drop(s, b);
  s->updates++;
}

/* Takes constraint c in. LEXG_OPEN: it costs, and the level's rows have no slacks yet. */
static lexg_outcome lexg_bring_in(po_lex *s, int c, double sign) {
  double own[2] = {0, 0}; /* the new row's multipliers so far */
  int closed = !s->descent.open && s->descent.own > 0, dear = 0;
  for (;;) {
    double length, gap, t;
    int g, b, lead, i, q = s->active;
    po_lex_load(s, c, sign);
    g = po_lex_project(s, &length);
    gap = po_lex_gap(s, c, sign);
    if (s->row[c].equality && gap < 0) {
      sign = -sign;
      continue;
    }
    lexg_combination(s);
    b = po_lex_blocking(s);
    lead = b >= 0 ? po_lex_leading(s, po_row(s->Lambda, b)) : s->grades;
    s->iterations++;
    if (g < 1 && b < 0 && closed) return LEXG_OPEN;
    if (g < 0 && b < 0) return LEXG_STUCK;
    t = g >= 0 ? gap / (length * length) : 0;
    if (g < 0 || (b >= 0 && (lead > g ? 0 : lead < g ? 0 : PO_AT(s->Lambda, b, g) < t * s->step[b])) || (b >= 0 && lead > g)) {
      lexg_give_way(s, b, g, own);
      dear |= lead == 0;
      continue;
    }
    if (g < 1 && closed) return LEXG_OPEN;
    for (i = 0; i < q && g == 1; i++) PO_AT(s->Lambda, i, 1) -= t * s->step[i];
    po_lex_append(s, c, sign, g);
    memset(po_row(s->Lambda, q), 0, sizeof(double) * 4);
    PO_AT(s->Lambda, q, 0) = own[0];
    PO_AT(s->Lambda, q, 1) = own[1] + t;
    s->updates++;
    po_lex_close_gap(s, gap);
    return g == 1 && !dear ? LEXG_CHEAP : LEXG_DEAR;
  }
}

/* The slack of row i of the set, until now at its bound. */
static void lexg_slack(po_lex *s, int i) {
  int c = s->set[i], q = s->active, at = s->nv + s->slacks, id = s->directions, place = s->free_start[1], end = s->free_start[s->grades], j, e, g;
  double *row = po_row(s->J, id), *beta = s->step;
  memset(beta, 0, sizeof *beta * (size_t)q);
  for (j = i; j < q; j++) {
    double t = j == i ? -s->level[0].unit : 0;
    for (e = i; e < j; e++) t -= PO_AT(s->R, e, j) * beta[e];
    beta[j] = t / PO_AT(s->R, j, j);
  }
  memset(row, 0, sizeof *row * (size_t)s->length);
  s->k->sum(row, s->J.a, s->J.ld, s->bound_row, q, beta, 0, s->nv);
  row[at] = 1;
  s->v[at] = 0;
  s->row[c].slack = at;
  s->slack_grade[s->slacks++] = 0;
  s->grade[id] = 0;
  s->directions++;
  memmove(s->free_rows + place + 1, s->free_rows + place, sizeof *s->free_rows * (size_t)(end - place));
  s->free_rows[place] = id;
  for (g = 1; g <= s->grades; g++) s->free_start[g]++;
}

/* The level's own rows may be violated from now on. */
static void lexg_open(po_lex *s) {
  int i, c, count = 0, length;
  s->descent.open = 1;
  for (c = 0; c < s->constraints; c++) s->row[c].soft = s->descent.here[c];
  for (i = 0; i < s->active; i++) count += s->row[s->set[i]].soft;
  length = s->nv + po_pad4(count);
  for (i = 0; i < s->directions && length > s->length; i++) memset(po_row(s->J, i) + s->length, 0, sizeof(double) * (size_t)(length - s->length));
  if (length > s->length) {
    memset(s->v + s->length, 0, sizeof(double) * (size_t)(length - s->length));
    s->length = length;
  }
  s->span = s->length;
  for (i = 0; i < s->active; i++)
    if (s->row[s->set[i]].soft) lexg_slack(s, i);
}

static void lexg_renew(po_lex *s) {
  po_lex_recentre(s);
  po_lex_multipliers(s);
  po_lex_settle(s);
}

int po_lex_grade(po_lex *s) {
  int most = s->iterations + 4 * (s->n + s->constraints) + 20, since = 0;
  if (s->opts->max_iterations > 0 && s->opts->max_iterations < most) most = s->opts->max_iterations;
  for (;;) {
    double sign;
    int c = po_lex_most_violated(s, &sign);
    lexg_outcome outcome;
    if (s->iterations > most) return 0;
    if (c < 0) {
      if (!since) return 1;
      lexg_renew(s);
      since = 0;
      continue;
    }
    outcome = lexg_bring_in(s, c, sign);
    if (outcome == LEXG_OPEN) {
      lexg_open(s);
      since = 0;
      continue;
    }
    if (outcome == LEXG_STUCK) {
      if (po_lex_gap(s, c, sign) > LEXG_DEPENDENT * po_lex_size(s, c)) return 0;
      s->row[c].ignored = 1;
    }
    if (outcome == LEXG_CHEAP && ++since < LEXG_SINCE) continue;
    since = 0;
    lexg_renew(s);
  }
}
