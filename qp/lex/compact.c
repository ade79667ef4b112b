/* compact.c: a whole working set at once, without the basis J.
 *
 * From a warm start most ticks need one look at one working set: its optimum, its multipliers. J (active.c) is made for changing a
 * set row by row and costs as many reflections of n directions as there are rows; here the normals alone are factored, q rows instead
 * of n, and J is only made when the set has to change by small steps.
 *
 * Row operations and reflections within the blocks of v bring the normals to
 *     N = F Ñ,   Ñ_i = (D_i | beta_i e_s | 0)
 * dearer blocks, its own block in turned coordinates, cheaper blocks: the cheapest block that still sees a row takes it (the rule of
 * po_lex_append), F is lower triangular in the order of the pivots, cheapest grade first. Then, with b the bounds and b̃ = F^-1 b:
 *     optimum      dearest grade first:  u_s = (b̃_i − D_i v) / beta_i, other coordinates of the block 0, v_g = H u_g
 *     multipliers  F' Λ_g = M, M_i = u_s / beta_i for the rows of grade g and 0 else: N' Λ_g is then v_g in block g and 0 in cheaper ones.
 * R of active.c is (F diag beta)', and u its right-hand side, so that po_lex_solve_multipliers serves both.
 *
 * A row of C, in place: per block, dearest first, its block of v and the slacks of that grade. Where a block has been passed, its
 * first elements are the row's part of F diag beta; in the block where the row is pivot, the reflector stands behind beta.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* ---- the rows ------------------------------------------------------------------------------------------------------------------ */

static double lexq_side(const po_lex *w, const signed char *want, int c) {
  const po_lex_row *r = &w->row[c];
  double sign = r->equality ? 1 : -want[r->row];
  return sign == 0 || (sign > 0 ? w->lo[c] == -PO_INF : w->up[c] == PO_INF) ? 0 : sign;
}

static void lexq_member(po_lex *w, int c, double sign) {
  w->set[w->active] = c;
  w->sign[w->active] = sign;
  w->active++;
}

/* Which rows are in, and where a slack stands. Bounds of hard rows on free coordinates come first, parked as by po_lex_park. */
static int lexq_members(po_lex *w, const signed char *want) {
  int c, g, s, at = 0, last = w->levels;
  w->active = w->slacks = 0;
  memset(w->taken, 0, (size_t)w->size[last]);
  for (c = 0; c < w->constraints; c++) {
    w->row[c].position = w->row[c].slack = -1;
    w->row[c].ignored = 0;
  }
  for (c = w->dense; c < w->constraints; c++) {
    const po_lex_row *r = &w->row[c];
    double sign = r->soft ? 0 : lexq_side(w, want, c);
    if (sign == 0 || w->taken[r->unit - w->offset[last]]) continue;
    w->taken[r->unit - w->offset[last]] = 1;
    lexq_member(w, c, sign);
  }
  w->parked = w->active;
  for (c = 0; c < w->constraints; c++) {
    po_lex_row *r = &w->row[c];
    double sign = lexq_side(w, want, c);
    if (sign == 0 || (r->unit >= 0 && !r->soft && w->taken[r->unit - w->offset[last]])) continue;
    if (r->soft) {
      w->slack_grade[w->slacks] = r->level;
      r->slack = w->nv + w->slacks++;
    }
    lexq_member(w, c, sign);
    if (w->active - w->parked > w->n + w->slacks) return 0; /* more than can be independent */
  }
  for (g = 0; g < w->grades; g++) {
    w->block[g] = at;
    at += w->size[g];
    for (s = 0; s < w->slacks; s++)
      if (w->slack_grade[s] == g) w->slack_column[s] = at++;
    at = po_pad4(at);
  }
  w->block[w->grades] = at;
  w->C = po_mat_of(w->J.a, w->active - w->parked, at, w->J.ld);
  return 1;
}

/* The normal of the set's row i at a coordinate of the free block. */
static double lexq_element(const po_lex *w, int i, int coordinate) {
  const po_lex_row *r = &w->row[w->set[i]];
  return w->sign[i] * (r->unit < 0 ? PO_AT(w->G, w->set[i], coordinate) : r->unit == coordinate ? r->factor : 0);
}

/* Row i of C and the right-hand side; what parked bounds fix moves there. */
static void lexq_load(po_lex *w, int i) {
  int c = w->set[i], g, j;
  const po_lex_row *r = &w->row[c];
  double *to = po_row(w->C, i - w->parked), sign = w->sign[i], rhs = sign > 0 ? w->lo[c] : -w->up[c];
  memset(to, 0, sizeof(double) * (size_t)w->C.cols);
  if (r->unit >= 0) {
    to[w->block[w->levels] + r->unit - w->offset[w->levels]] = sign * r->factor;
  } else {
    const double *from = po_row(w->G, c);
    for (g = 0; g < w->grades; g++) {
      double *block = to + w->block[g];
      const double *given = from + w->offset[g];
      for (j = 0; j < w->size[g]; j++) block[j] = sign * given[j];
    }
  }
  w->length_of[i] = w->norm[c];
  if (r->soft) {
    double unit = w->level[r->level].unit;
    to[w->slack_column[r->slack - w->nv]] = unit;
    w->length_of[i] = sqrt(unit * unit + w->norm[c] * w->norm[c]);
  }
  for (j = 0; j < w->parked; j++) {
    int at = w->row[w->set[j]].unit;
    double *element = to + w->block[w->levels] + at - w->offset[w->levels];
    rhs -= *element * w->v[at];
    *element = 0;
  }
  w->rhs_of[i] = rhs;
}

/* ---- the factorization ----------------------------------------------------------------------------------------------------------- */

/* Reflector for pivot row x in the block from `from` to `to`, pivot coordinate s: its tail stays in x, a copy with v_s = 1 goes to v
 * (zero from the multiple of 4 before s). Returns tau; beta replaces x[s]. */
static double lexq_reflector(double *x, double *v, int s, int to) {
  double alpha = x[s], length = sqrt(po_dot(x + s, x + s, to - s)), beta = alpha > 0 ? -length : length, inverse;
  int j;
  for (j = s & ~3; j < s; j++) v[j] = 0;
  v[s] = 1;
  if (length == fabs(alpha)) { /* nothing to reflect: units, slacks */
    for (j = s + 1; j < to; j++) x[j] = v[j] = 0;
    return 0;
  }
  inverse = 1 / (alpha - beta);
  for (j = s + 1; j < to; j++) v[j] = x[j] *= inverse;
  x[s] = beta;
  return (beta - alpha) / beta;
}

/* The row of the list that sees most of the block from s on, relative to its own length; −1: none sees it. */
static int lexq_choose(const po_lex *w, const int *list, int count, const double *square) {
  int i, best = -1;
  double most = w->opts->rank_tol * w->opts->rank_tol;
  for (i = 0; i < count; i++) {
    double length = w->length_of[w->parked + list[i]], part = square[list[i]] / (length * length);
    if (part > most) {
      most = part;
      best = i;
    }
  }
  return best;
}

/* Takes pivots in block g out of the rows in list (rows of C), which shrinks to those that no longer see it. */
static int lexq_block(po_lex *w, int g, int *list, int count, double *square, double *exact) {
  int from = w->block[g], to = w->block[g + 1], s, i, at;
  double *v = w->work, *alpha = w->d;
  for (i = 0; i < count; i++) {
    const double *x = po_row(w->C, list[i]) + from;
    square[list[i]] = exact[list[i]] = po_dot(x, x, to - from);
  }
  for (s = from; s < to && (at = lexq_choose(w, list, count, square)) >= 0; s++) {
    int row = list[at], position = w->pivots++;
    double *x = po_row(w->C, row);
    list[at] = list[--count];
    w->pivot_row[position] = row;
    w->grade[position] = g;
    w->tau_of[position] = lexq_reflector(x, v, s, to);
    if (w->tau_of[position] != 0) w->k->reflect(w->C.a, w->C.ld, list, count, w->tau_of[position], v, s & ~3, to);
    for (i = 0; i < count; i++) {
      double e = PO_AT(w->C, list[i], s), left = square[list[i]] - e * e;
      alpha[i] = -e / x[s];
      w->rhs_of[w->parked + list[i]] += alpha[i] * w->rhs_of[w->parked + row];
      if (left < 1e-3 * exact[list[i]]) { /* the difference has lost digits: take it again */
        const double *y = po_row(w->C, list[i]) + s + 1;
        left = exact[list[i]] = po_dot(y, y, to - s - 1);
      }
      square[list[i]] = left;
    }
    w->k->add(w->C.a, w->C.ld, list, count, alpha, x, 0, from);
    w->flops += count * (4.0 * (to - s) + 2.0 * from);
  }
  return count;
}

/* Orders the set as the pivots came, leaves dependent inequalities out and writes R. 0: an equality depends on the rest. */
static int lexq_order(po_lex *w, const int *list, int left) {
  int i, j, p = w->parked, q = p + w->pivots, *set = w->todo;
  double *sign = w->todo_sign, *rhs = w->column;
  for (i = 0; i < left; i++)
    if (w->row[w->set[p + list[i]]].equality) return 0;
  for (i = p; i < q; i++) {
    set[i] = w->set[p + w->pivot_row[i - p]];
    sign[i] = w->sign[p + w->pivot_row[i - p]];
    rhs[i] = w->rhs_of[p + w->pivot_row[i - p]];
  }
  memcpy(w->set + p, set + p, sizeof *set * (size_t)w->pivots);
  memcpy(w->sign + p, sign + p, sizeof *sign * (size_t)w->pivots);
  memcpy(w->rhs_of + p, rhs + p, sizeof *rhs * (size_t)w->pivots);
  w->active = q;
  for (i = 0; i < q; i++) w->row[w->set[i]].position = i;
  for (j = 0; j < p; j++) {
    memset(po_row(w->R, j), 0, sizeof(double) * (size_t)p);
    PO_AT(w->R, j, j) = w->sign[j] * w->row[w->set[j]].factor;
  }
  for (i = p; i < q; i++) {
    const double *x = po_row(w->C, w->pivot_row[i - p]);
    int g = -1, s = 0;
    for (j = 0; j < p; j++) PO_AT(w->R, j, i) = lexq_element(w, i, w->row[w->set[j]].unit); /* J_j is a unit vector */
    for (j = p; j <= i; j++, s++) {
      if (w->grade[j - p] != g) g = w->grade[j - p], s = w->block[g];
      PO_AT(w->R, j, i) = x[s];
    }
  }
  return 1;
}

/* ---- what it is for ---------------------------------------------------------------------------------------------------------------- */

/* Adds to v what makes the rows of the set take up rhs (in the order of pivots, after F^-1), at least cost; u: the turned coordinates
 * of the pivots. */
static void lexq_move(po_lex *w, const double *rhs, double *u) {
  double *y = w->normal;
  int g, i, s, first, end = w->pivots;
  memset(y, 0, sizeof(double) * (size_t)w->C.cols);
  for (g = 0; g < w->grades; g++, end = first) {
    for (first = end; first > 0 && w->grade[first - 1] == g;) first--;
    for (i = first; i < end; i++) {
      const double *x = po_row(w->C, w->pivot_row[i]);
      s = w->block[g] + i - first;
      y[s] = u[i] = (rhs[i] - po_dot(x, y, w->block[g])) / x[s];
    }
    for (i = end - 1; i >= first; i--) {
      const double *x = po_row(w->C, w->pivot_row[i]);
      int to = w->block[g + 1];
      double t;
      if (w->tau_of[i] == 0) continue;
      s = w->block[g] + i - first;
      t = -w->tau_of[i] * (y[s] + po_dot(x + s + 1, y + s + 1, to - s - 1));
      y[s] += t;
      po_axpy(y + s + 1, t, x + s + 1, to - s - 1);
    }
    for (i = 0; i < w->size[g]; i++) w->v[w->offset[g] + i] += y[w->block[g] + i];
  }
  for (i = 0; i < w->slacks; i++) w->v[w->nv + i] += y[w->slack_column[i]];
  w->priced = 0;
}

/* Levels' lengths and right-hand sides for the multipliers: ρ_g[i] = u_i for the rows of grade g. */
static void lexq_multipliers(po_lex *w, const double *u) {
  int i, p = w->parked;
  double started = po_lex_clock(w);
  for (i = 0; i < w->active; i++) memset(po_row(w->Lambda, i), 0, sizeof(double) * (size_t)w->Lambda.ld);
  for (i = 0; i < p; i++) PO_AT(w->Lambda, i, w->levels) = w->v[w->row[w->set[i]].unit];
  for (i = p; i < w->active; i++) PO_AT(w->Lambda, i, w->grade[i - p]) = u[i - p];
  po_lex_solve_multipliers(w);
  w->profile->multipliers += po_lex_clock(w) - started;
}

int po_lex_compact(po_lex *w, const signed char *want) {
  int i, g, count, p, *list = w->free_rows;
  w->compact = 0;
  if (!lexq_members(w, want)) return 0;
  p = w->parked;
  w->length = w->nv + po_pad4(w->slacks);
  w->span = w->length;
  w->reach = 0;
  w->updates = w->pivots = 0;
  memset(w->v, 0, sizeof(double) * (size_t)w->length);
  for (i = 0; i < p; i++) {
    int c = w->set[i];
    w->v[w->row[c].unit] = (w->sign[i] > 0 ? w->lo[c] : w->up[c]) / w->row[c].factor;
  }
  for (i = p, count = 0; i < w->active; i++)
    if (w->set[i] >= w->ready && w->set[i] < w->dense && !w->fetched[w->set[i] - w->ready]) list[count++] = w->set[i];
  po_lex_fetch(w, list, count);
  for (i = p; i < w->active; i++) lexq_load(w, i);
  count = w->active - p;
  for (i = 0; i < count; i++) list[i] = i;
  for (g = w->grades - 1; g >= 0 && count; g--) count = lexq_block(w, g, list, count, w->step, w->column);
  if (!lexq_order(w, list, count)) return 0;
  lexq_move(w, w->rhs_of + p, w->step);
  lexq_multipliers(w, w->step);
  for (g = 0, i = 0; g < w->grades; g++) { /* what is left free in each grade: po_hqp_result's ranks */
    int j, taken = 0;
    for (j = 0; j < w->pivots; j++) taken += w->grade[j] == g;
    for (j = 0; j < w->slacks; j++) taken -= w->slack_grade[j] == g;
    w->free_start[g] = i;
    i += w->size[g] - taken - (g == w->levels ? p : 0);
  }
  w->free_start[g] = i;
  return w->compact = 1;
}

/* v takes up what the rows of the set miss (in the order of the set; destroyed). Parked rows miss nothing. */
void po_lex_compact_mend(po_lex *w, double *miss) {
  int i, j, p = w->parked;
  for (i = p; i < w->active; i++) /* F^-1, with F diag beta = R' */
    for (j = p; j < i; j++) miss[i] -= PO_AT(w->R, j, i) / PO_AT(w->R, j, j) * miss[j];
  lexq_move(w, miss + p, w->column);
}
