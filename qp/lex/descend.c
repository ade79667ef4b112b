/* descend.c: a guess at the working set where many inequalities are in the way: level by level, from the dearest.
 *
 * To prove a working set costs one factorization; to find it by steps of the whole hierarchy costs a factorization's worth of updates for each of hundreds of
 * steps. A level alone is small. So: at each level a problem in the coordinates that the levels above have left, whose solution fixes those of its rows, and of
 * rows above, that have a multiplier there; what they see is taken out of the space, and the next level begins where this one ended. Nothing here is believed:
 * po_lex_compact confirms the set, or the way from scratch is taken.
 *
 *   Z      orthonormal directions in v that are free (Zt: as rows); a step is Z u, and Gz = G Z
 *   level  |T u_1…r + cost|²  after a pivoted LQ of the level's rows of Z: u_1…r is dear, the rest cheap, least from v's own origin, which is the same at every
 *          level: from level to level the set then hardly changes (151 changes in all where starting anew at each level took 208)
 *   rows   those of levels above that are not fixed are hard; those of the level soft; those below absent
 *
 * n = 50, ten levels of ten inequalities: 749 changes of the whole hierarchy, 8.6 ms; 151 here, and 0.45 ms with proof.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

#define LEXD_FEASIBLE 1e-11   /* as PO_LEX_FEASIBLE, of coordinates that have been turned once more */
#define LEXD_MULTIPLIER 1e-11
#define LEXD_RANK 1e-8        /* Z is orthonormal: what a level's rows have left in it, below this, is rounding */
#define LEXD_VIOLATED 1e-9    /* rows of levels that no freedom is left for */

static double lexd_reflector(const double *x, double *v, int m, double *beta) {
  double s = 0, length;
  int i;
  *beta = x[0];
  for (i = 1; i < m; i++) s += x[i] * x[i];
  if (s == 0) return 0;
  length = sqrt(s + x[0] * x[0]);
  *beta = x[0] > 0 ? -length : length;
  for (i = 1; i < m; i++) v[i] = x[i] / (x[0] - *beta);
  v[0] = 1;
  return (*beta - x[0]) / *beta;
}

/* `count` rows of M, `columns` long: M −= tau v (v'M). */
static void lexd_left(po_lex *w, double *M, int ld, const double *v, int count, double tau, int columns) {
  double *sum = w->descent.row, *alpha = w->normal;
  int i;
  if (columns <= 0) return;
  memset(sum, 0, sizeof *sum * (size_t)columns);
  w->k->sum(sum, M, ld, NULL, count, v, 0, columns);
  for (i = 0; i < count; i++) alpha[i] = -tau * v[i];
  w->k->add(M, ld, NULL, count, alpha, sum, 0, columns);
}

/* Everything is free: Z the coordinates of v, without the padding between its blocks. Returns how many. */
static int lexd_begin(po_lex *w, int *count) {
  struct po_lex_descent *d = &w->descent;
  int m = 0, k, j, c;
  for (k = 0; k < w->grades; k++)
    for (j = 0; j < w->size[k]; j++, m++) {
      memset(po_row(d->Zt, m), 0, sizeof(double) * (size_t)w->nv);
      PO_AT(d->Zt, m, w->offset[k] + j) = 1;
    }
  for (c = 0; c < w->constraints; c++) {
    double *to = po_row(d->Gz, c);
    int at = 0, unit = w->row[c].unit;
    d->free[c] = c;
    if (unit >= 0) memset(to, 0, sizeof(double) * (size_t)m);
    for (k = 0; k < w->grades; at += w->size[k++]) {
      if (unit < 0) memcpy(to + at, po_row(w->G, c) + w->offset[k], sizeof(double) * (size_t)w->size[k]);
      else if (unit >= w->offset[k] && unit < w->offset[k] + w->size[k]) to[at + unit - w->offset[k]] = w->row[c].factor;
    }
  }
  memset(d->point, 0, sizeof(double) * (size_t)w->nv);
  memset(d->base, 0, sizeof(double) * (size_t)w->constraints);
  memset(d->keep, 0, (size_t)w->constraints);
  *count = w->constraints;
  return m;
}

/* The level's problem uses the memory of the whole one's basis, which is not in use. */
static void lexd_borrow(po_lex *s, const po_lex *w, po_hqp_profile *profile) {
  *s = *w;
  s->levels = 1;
  s->grades = 2;
  s->profile = profile;
  s->Lambda = po_mat_of(w->Lambda.a, w->constraints, 2, 4);
  s->G = w->descent.G;
  s->row = w->descent.rows;
  s->lo = w->descent.lo;
  s->up = w->descent.up;
  s->norm = w->descent.norm;
  s->size0 = w->descent.size0;
  s->value = w->descent.value;
  s->unfetched = s->relaxed = s->parked = 0;
  memset(s->noise, 0, sizeof s->noise);
  s->tol_feasible = LEXD_FEASIBLE;
  s->tol_multiplier = LEXD_MULTIPLIER;
}

/* Where the level's problem stands, in v; its set is kept. u = its coordinates in Z. */
static void lexd_arrive(po_lex *w, const po_lex *s, int m, int count) {
  struct po_lex_descent *d = &w->descent;
  int i;
  w->k->sum(d->point, d->Zt.a, d->Zt.ld, NULL, m, d->u, 0, w->nv);
  for (i = 0; i < count; i++) d->base[d->free[i]] += po_dot(po_row(d->Gz, d->free[i]), d->u, m);
  memset(d->keep, 0, (size_t)w->constraints);
  for (i = 0; i < s->active; i++) d->keep[d->list[s->set[i]]] = s->sign[i] > 0 ? 1 : -1;
}

/* Turns Z so that level k sees its first r directions alone, and leaves T (upper triangular) and the cost where it stands. */
static int lexd_turn(po_lex *w, int k, int m, int count) {
  struct po_lex_descent *d = &w->descent;
  int rows = w->size[k], r, i, j, *order = d->fixed;
  double *v = d->reflector, beta, tau;
  for (j = 0; j < rows; j++) {
    order[j] = j;
    for (i = 0; i < m; i++) PO_AT(d->T, j, i) = PO_AT(d->Zt, i, w->offset[k] + j);
    d->cost[j] = d->point[w->offset[k] + j];
  }
  for (r = 0; r < rows && r < m; r++) {
    double most = LEXD_RANK * LEXD_RANK;
    int best = -1;
    for (j = r; j < rows; j++) {
      double left = po_dot(po_row(d->T, order[j]) + r, po_row(d->T, order[j]) + r, m - r);
      if (left > most) most = left, best = j;
    }
    if (best < 0) break;
    j = order[r], order[r] = order[best], order[best] = j;
    tau = lexd_reflector(po_row(d->T, order[r]) + r, v, m - r, &beta);
    if (tau == 0) continue;
    w->k->reflect(d->T.a + r, d->T.ld, NULL, rows, tau, v, 0, m - r);
    w->k->reflect(d->Gz.a + r, d->Gz.ld, d->free, count, tau, v, 0, m - r);
    lexd_left(w, po_row(d->Zt, r), d->Zt.ld, v, m - r, tau, w->nv);
  }
  for (i = 0; i < r; i++) { /* rows × r, of which r independent: to a triangle */
    double *column = d->u, dot;
    for (j = i; j < rows; j++) column[j - i] = PO_AT(d->T, j, i);
    tau = lexd_reflector(column, v, rows - i, &beta);
    if (tau == 0) continue;
    lexd_left(w, po_row(d->T, i) + i, d->T.ld, v, rows - i, tau, r - i);
    dot = tau * po_dot(d->cost + i, v, rows - i);
    for (j = i; j < rows; j++) d->cost[j] -= dot * v[j - i];
  }
  return r;
}

/* Constraint c as a row of the level's problem. */
static void lexd_take(po_lex *w, po_lex *s, int c, int own, int m) {
  struct po_lex_descent *d = &w->descent;
  int e = s->constraints++, r = s->size[0], i, j;
  double *g = po_row(s->G, e), shift = d->base[c];
  const double *gz = po_row(d->Gz, c);
  for (i = 0; i < r; i++) g[i] = gz[i];
  for (i = r; i < s->offset[1]; i++) g[i] = 0;
  for (i = 0; i < r; i++) { /* g_1…r T^-1, T by rows */
    g[i] /= PO_AT(d->T, i, i);
    po_axpy(g + i + 1, -g[i], po_row(d->T, i) + i + 1, r - i - 1);
    shift -= g[i] * d->cost[i];
  }
  memcpy(g + s->offset[1], gz + r, sizeof *g * (size_t)(m - r));
  for (j = s->offset[1] + m - r; j < s->nv; j++) g[j] = 0;
  d->list[e] = c;
  d->here[e] = (signed char)own;
  s->row[e] = w->row[c];
  s->row[e].unit = s->row[e].slack = s->row[e].position = -1;
  s->row[e].level = s->row[e].ignored = 0;
  s->row[e].soft = own && s->descent.open;
  s->norm[e] = w->norm[c];
  s->size0[e] = w->size0[c] + fabs(d->base[c]);
  shift += po_dot(g + s->offset[1], d->origin, m - r);
  s->lo[e] = w->lo[c] - shift;
  s->up[e] = w->up[c] - shift;
  s->descent.own += own;
  s->dense = s->ready = s->constraints;
  s->priced = 0;
}

/* The rows from above, and those of them that were in the set. */
static void lexd_from_above(po_lex *w, po_lex *s, int k, int m, int count) {
  struct po_lex_descent *d = &w->descent;
  int i, some = 0;
  for (i = 0; i < count; i++)
    if (!w->row[d->free[i]].soft || w->row[d->free[i]].level < k) lexd_take(w, s, d->free[i], 0, m);
  po_lex_reset(s);
  for (i = 0; i < s->constraints; i++) {
    double length, sign = d->keep[d->list[i]];
    int g;
    if (sign == 0) continue;
    po_lex_load(s, i, sign);
    g = po_lex_project(s, &length);
    if (g < 1) continue;
    po_lex_append(s, i, sign, g);
    po_lex_close_gap(s, po_lex_gap(s, i, sign));
    some = 1;
  }
  if (!some) return;
  po_lex_recentre(s);
  po_lex_multipliers(s);
  po_lex_settle(s);
}

/* Where the level's problem begins: its coordinates and the rows from above. */
static void lexd_frame(po_lex *w, po_lex *s, int k, int m, int count) {
  struct po_lex_descent *d = &w->descent;
  int r = w->size[k] ? lexd_turn(w, k, m, count) : 0, i;
  s->n = m;
  s->offset[0] = 0;
  s->size[0] = r;
  s->offset[1] = po_pad4(r);
  s->size[1] = m - r;
  s->offset[2] = s->nv = po_pad4(r) + po_pad4(m - r);
  s->constraints = s->descent.open = s->descent.own = 0;
  for (i = r; i < m; i++) d->origin[i - r] = -po_dot(po_row(d->Zt, i), d->point, w->nv);
  lexd_from_above(w, s, k, m, count);
}

/* u of the level's solution: T u_1…r = v_0 − cost. */
static void lexd_solution(const po_lex *w, const po_lex *s, int m) {
  const struct po_lex_descent *d = &w->descent;
  int r = s->size[0], i, j;
  for (i = r - 1; i >= 0; i--) {
    double t = s->v[i] - d->cost[i];
    for (j = i + 1; j < r; j++) t -= PO_AT(d->T, i, j) * d->u[j];
    d->u[i] = t / PO_AT(d->T, i, i);
  }
  for (i = r; i < m; i++) d->u[i] = s->v[s->offset[1] + i - r] + d->origin[i - r];
}

/* What the level has decided: rows with a multiplier there, and all that they see, leave. Returns how many directions stay. */
static int lexd_close(po_lex *w, const po_lex *s, int m, int *count) {
  struct po_lex_descent *d = &w->descent;
  int at = s->size[0], fixed = 0, left = 0, i, j;
  double *v = d->reflector, beta;
  for (i = 0; i < s->active; i++) {
    int c = d->list[s->set[i]];
    if (PO_AT(s->Lambda, i, 0) == 0 && !w->row[c].equality) continue;
    w->want[w->row[c].row] = s->sign[i] > 0 ? -1 : 1;
    d->fixed[fixed++] = c;
  }
  for (i = 0; i < *count; i++)
    if (!w->want[w->row[d->free[i]].row]) d->free[left++] = d->free[i];
  *count = left;
  while (fixed && at < m) {
    double most = LEXD_RANK * LEXD_RANK, tau;
    int best = -1, c;
    for (j = 0; j < fixed; j++) {
      const double *a = po_row(d->Gz, d->fixed[j]) + at;
      double share = po_dot(a, a, m - at) / (w->norm[d->fixed[j]] * w->norm[d->fixed[j]]);
      if (share > most) most = share, best = j;
    }
    if (best < 0) break;
    c = d->fixed[best];
    d->fixed[best] = d->fixed[--fixed];
    tau = lexd_reflector(po_row(d->Gz, c) + at, v, m - at, &beta);
    if (tau != 0) {
      w->k->reflect(d->Gz.a + at, d->Gz.ld, d->fixed, fixed, tau, v, 0, m - at);
      w->k->reflect(d->Gz.a + at, d->Gz.ld, d->free, left, tau, v, 0, m - at);
      lexd_left(w, po_row(d->Zt, at), d->Zt.ld, v, m - at, tau, w->nv);
    }
    at++;
  }
  for (i = at; i < m && at; i++) memcpy(po_row(d->Zt, i - at), po_row(d->Zt, i), sizeof(double) * (size_t)w->nv);
  for (i = 0; i < left && at; i++) memmove(po_row(d->Gz, d->free[i]), po_row(d->Gz, d->free[i]) + at, sizeof(double) * (size_t)(m - at));
  return m - at;
}

static int lexd_own_rows(const po_lex *w, int k, int count) {
  int i, own = 0;
  for (i = 0; i < count; i++) own += w->row[w->descent.free[i]].soft && w->row[w->descent.free[i]].level == k;
  return own;
}

/* Rows of the levels that have no say any more enter the set where they are violated. */
static void lexd_rest(po_lex *w, int count) {
  const struct po_lex_descent *d = &w->descent;
  int i;
  for (i = 0; i < count; i++) {
    int c = d->free[i];
    const po_lex_row *r = &w->row[c];
    double below = w->lo[c] - d->base[c], above = d->base[c] - w->up[c];
    if (!r->soft || w->want[r->row] || po_max(below, above) <= LEXD_VIOLATED * (w->size0[c] + w->norm[c])) continue;
    w->want[r->row] = below > above ? -1 : 1;
  }
}

int po_lex_descend(po_lex *w) {
  struct po_lex_descent *d = &w->descent;
  po_hqp_profile profile = {0};
  po_lex s;
  int hard = w->levels && w->p->levels[0].hard && !w->relaxed, going = 0, last = w->levels, k, i, count, m = lexd_begin(w, &count);
  memset(w->want, 0, (size_t)po_hqp_row_offset(w->p, w->levels));
  lexd_borrow(&s, w, &profile);
  for (k = 0; k <= last && m > 0; k++) {
    int cost = w->size[k], top = k == 0 && hard;
    if (!cost && (k == last || (!top && !lexd_own_rows(w, k, count)))) continue;
    if (!going || cost) {
      if (going) {
        lexd_solution(w, &s, m);
        lexd_arrive(w, &s, m, count);
      }
      lexd_frame(w, &s, k, m, count);
    }
    s.level[0].unit = k < last && w->level[k].unit > 0 ? w->level[k].unit : 1;
    s.iterations = w->iterations;
    s.descent.own = 0;
    memset(d->here, 0, (size_t)s.constraints);
    for (i = 0; i < count; i++)
      if (w->row[d->free[i]].soft && w->row[d->free[i]].level == k) lexd_take(w, &s, d->free[i], 1, m);
    if (!po_lex_grade(&s)) {
      w->iterations = s.iterations;
      return 0;
    }
    w->iterations = s.iterations;
    going = !s.size[0] && !s.descent.open && !top;
    if (going) continue;
    lexd_solution(w, &s, m);
    lexd_arrive(w, &s, m, count);
    m = lexd_close(w, &s, m, &count);
  }
  if (going) {
    lexd_solution(w, &s, m);
    lexd_arrive(w, &s, m, count);
    for (i = 0; i < s.active; i++) w->want[w->row[d->list[s.set[i]]].row] = s.sign[i] > 0 ? -1 : 1;
  }
  lexd_rest(w, count);
  return 1;
}
