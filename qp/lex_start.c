/* lex_start.c: working sets from scratch: the first one, guesses of many changes at once, and the same set anew when rounding has
 * worn its basis out. */
#include "lex.h"

#include <math.h>
#include <string.h>

double po_lex_size(const po_lex *w, int c) { return w->size0[c] + w->norm[c] * w->reach; }

void po_lex_close_gap(po_lex *w, double gap) {
  int q = w->active - 1, from = w->offset[w->grade[w->bound_row[q]]];
  po_axpy(w->v + from, gap / PO_AT(w->R, q, q), po_row(w->J, w->bound_row[q]) + from, w->length - from);
}

/* Adds c without asking what gives way. A row that depends on the set is left out; 0 when it is an equality that cannot be met. */
static int lexs_put(po_lex *w, int c, double sign) {
  double length, gap;
  int g;
  po_lex_load(w, c, sign);
  g = po_lex_project(w, &length);
  gap = po_lex_gap(w, c, sign);
  if (g < 0) {
    if (!w->row[c].equality) return 1;
    w->row[c].ignored = 1;
    return fabs(gap) <= PO_LEX_INFEASIBLE * (po_lex_size(w, c) + w->norm[c] * po_norm2(w->v, w->length));
  }
  po_lex_append(w, c, sign, g);
  po_lex_close_gap(w, gap);
  return 1;
}

/* Bounds first, because they cost nothing as long as J is the identity, then equalities, then the rest. */
int po_lex_build(po_lex *w, const signed char *want) {
  int c, pass;
  po_lex_reset(w);
  for (pass = 0; pass < 3; pass++)
    for (c = 0; c < w->constraints; c++) {
      const po_lex_row *r = &w->row[c];
      int side = r->equality ? 1 : -want[r->row];
      int turn = r->unit >= 0 ? 0 : r->equality ? 1 : 2;
      if (!side || turn != pass || (side > 0 ? w->lo[c] == -PO_INF : w->up[c] == PO_INF)) continue;
      if (!lexs_put(w, c, side)) return 0;
    }
  po_lex_recentre(w);
  po_lex_multipliers(w);
  return 1;
}

/* The free direction lengths decide the order: cheapest grade first, and within it the constraint that sees most of it. That keeps
 * the multiples by which dearer directions are corrected small (as column pivoting does for graded rows, Powell & Reid 1969). */
void po_lex_rebuild(po_lex *w) {
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
  for (i = 0; i < count; i++) /* depends on the others after all */
    if (w->row[todo[i]].equality) w->row[todo[i]].ignored = 1;
  w->reach = 0;
  po_lex_recentre(w);
  po_lex_multipliers(w);
  w->updates = 0;
}
