/* choose.c: which constraint comes next, and which go.
 *
 * Prices G v of all constraints; the one violated most; those whose multiplier has the wrong sign at the dearest level that has any; the one whose
 * multiplier reaches zero first when a new one comes in.
 */
#include "lex.h"

#include <math.h>

/* G v for every constraint; a·x for those whose row of G has not been fetched. */
void po_lex_price(po_lex *w) {
  double started = po_lex_clock(w);
  int c, end, known = w->unfetched ? w->ready : w->dense;
  if (w->priced) return;
  w->k->dots(w->value, w->G.a, w->G.ld, NULL, known, w->v, 0, w->nv);
  w->pointed = known < w->dense;
  if (w->pointed) po_lex_point(w, w->xv, w->v);
  for (c = known; c < w->dense; c = end) { /* rows of one level together */
    po_mat A = w->p->levels[w->row[c].level].A;
    for (end = c + 1; end < w->dense && w->row[end].level == w->row[c].level;) end++;
    w->k->dots(w->value + c, A.a, A.ld, w->later + c - w->ready, end - c, w->xv, 0, w->n);
  }
  for (c = known; c < w->dense; c++)
    if (w->fetched[c - w->ready]) w->value[c] = po_dot(po_row(w->G, c), w->v, w->nv);
  for (c = w->dense; c < w->constraints; c++) w->value[c] = w->row[c].factor * w->v[w->row[c].unit];
  w->priced = 1;
  w->flops += 2.0 * w->dense * w->nv;
  w->profile->solve += po_lex_clock(w) - started;
}

/* The constraint that is violated most, as a distance; −1: none. Hard equalities come first, in order. */
int po_lex_most_violated(po_lex *w, double *sign) {
  int c, best = -1;
  double most = 0;
  po_lex_price(w);
  for (c = 0; c < w->constraints; c++) {
    const po_lex_row *r = &w->row[c];
    double below, above, gap;
    if (r->position >= 0 || r->ignored) continue;
    below = w->lo[c] - w->value[c];
    above = w->value[c] - w->up[c];
    gap = po_max(below, above);
    if (gap <= w->tol_feasible * po_lex_size(w, c) || !(w->norm[c] > 0)) continue;
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
int po_lex_most_negative(const po_lex *w) {
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

/* Drops what has the wrong sign until nothing has: the working set is then dual feasible. */
void po_lex_settle(po_lex *w) {
  int i;
  while ((i = po_lex_most_negative(w)) >= 0) {
    double started = po_lex_clock(w);
    po_lex_drop(w, i);
    w->iterations++;
    w->updates++;
    po_lex_recentre(w);
    w->profile->update += po_lex_clock(w) - started;
    po_lex_multipliers(w);
  }
}

/* How far the multipliers let the new constraint go: the row of the set that gives way first, −1 when none does.
 * step holds R^-1 d: what the set loses per unit of the new multiplier. */
int po_lex_blocking(const po_lex *w) {
  int i, g, best = -1;
  for (i = 0; i < w->active; i++) {
    const double *a = po_row(w->Lambda, i), *b;
    double r = w->step[i];
    if (w->row[w->set[i]].equality || r <= 0) continue;
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
