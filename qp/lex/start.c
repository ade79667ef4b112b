/* start.c: working sets from scratch: the first one, guesses of many changes at once, and the same set anew when rounding has
 * worn its basis out. */
#include "lex.h"

#include <math.h>
#include <string.h>

double po_lex_size(const po_lex *w, int c) { return w->size0[c] + w->norm[c] * w->reach; }

void po_lex_close_gap(po_lex *w, double gap) {
  int q = w->active - 1, from = w->offset[w->grade[w->bound_row[q]]];
  w->priced = 0;
  po_axpy(w->v + from, gap / PO_AT(w->R, q, q), po_row(w->J, w->bound_row[q]) + from, w->span - from);
}

typedef enum lexs_outcome { LEXS_IN, LEXS_DEPENDENT, LEXS_CONTRADICTS } lexs_outcome;

/* Adds c without asking what gives way, unless it depends on the set. */
static lexs_outcome lexs_put(po_lex *w, int c, double sign) {
  double length, gap;
  int g;
  po_lex_load(w, c, sign);
  g = po_lex_project(w, &length);
  gap = po_lex_gap(w, c, sign);
  if (g < 0) {
    double size = po_lex_size(w, c) + w->norm[c] * po_norm2(w->v, w->length);
    return fabs(gap) <= PO_LEX_INFEASIBLE * size ? LEXS_DEPENDENT : LEXS_CONTRADICTS;
  }
  po_lex_append(w, c, sign, g);
  po_lex_close_gap(w, gap);
  return LEXS_IN;
}

/* One pass over the rows of a kind. 0: an equality did not go in although `strict` asks for it. */
static int lexs_put_kind(po_lex *w, const signed char *want, int unit, int equality, int strict) {
  int c, from = unit ? w->dense : 0, to = unit ? w->constraints : w->dense;
  for (c = from; c < to; c++) {
    const po_lex_row *r = &w->row[c];
    int side = r->equality ? 1 : -want[r->row];
    lexs_outcome outcome;
    if (r->position >= 0 || r->equality != equality || !side || (side > 0 ? w->lo[c] == -PO_INF : w->up[c] == PO_INF)) continue;
    outcome = lexs_put(w, c, side);
    if (outcome == LEXS_IN || !equality) continue;
    if (strict || outcome == LEXS_CONTRADICTS) return 0;
    w->row[c].ignored = 1; /* it depends on other equalities and agrees with them */
  }
  return 1;
}

int po_lex_build(po_lex *w, const signed char *want) {
  /* Bounds first, because they cost nothing as long as J is the identity. If an equality then turns out to depend on what is there,
   * bounds that may be dropped again must not be the reason: equalities first. */
  po_lex_reset(w);
  po_lex_park(w, want);
  lexs_put_kind(w, want, 1, 0, 0);
  if (!lexs_put_kind(w, want, 1, 1, 1) || !lexs_put_kind(w, want, 0, 1, 1)) {
    po_lex_reset(w);
    if (!lexs_put_kind(w, want, 1, 1, 0) || !lexs_put_kind(w, want, 0, 1, 0)) return 0;
    lexs_put_kind(w, want, 1, 0, 0);
  }
  lexs_put_kind(w, want, 0, 0, 0);
  po_lex_recentre(w);
  po_lex_multipliers(w);
  return 1;
}

/* The free direction lengths decide the order: cheapest grade first, and within it the constraint that sees most of it. That keeps
 * the multiples by which dearer directions are corrected small (as column pivoting does for graded rows, Powell & Reid 1969). */
int po_lex_rebuild(po_lex *w) {
  int count = w->active, g, i;
  int *todo = w->todo;
  double *side = w->todo_sign;
  for (i = 0; i < count; i++) {
    todo[i] = w->set[i];
    side[i] = w->sign[i];
  }
  po_lex_reset(w);
  for (i = 0; i < count; i++) po_lex_load(w, todo[i], side[i]); /* makes their slacks */
  for (g = w->grades - 1; g >= 0; g--)
    for (;;) {
      int best = -1;
      double most = w->opts->rank_tol, length;
      for (i = 0; i < count; i++) {
        int at = w->free_start[g], frees = w->free_start[g + 1] - at;
        po_lex_load(w, todo[i], side[i]);
        w->k->dots(w->d, w->J.a, w->J.ld, w->free_rows + at, frees, w->normal, w->offset[g], w->length);
        length = sqrt(po_dot(w->d, w->d, frees)) / w->norm[todo[i]];
        if (length > most) {
          most = length;
          best = i;
        }
      }
      if (best < 0) break;
      po_lex_load(w, todo[best], side[best]);
      po_lex_project(w, &length);
      po_lex_append(w, todo[best], side[best], g);
      po_lex_close_gap(w, po_lex_gap(w, todo[best], side[best]));
      todo[best] = todo[--count];
      side[best] = side[count];
    }
  po_lex_recentre(w);
  po_lex_multipliers(w);
  for (i = 0; i < count; i++) /* it depends on the others after all; an equality must not be lost */
    if (w->row[todo[i]].equality) return 0;
  return 1;
}
