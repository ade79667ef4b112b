/* active.c: the working set and its basis.
 *
 * The rows of J are n (+ slacks) directions in v. Each has a grade: a direction of grade g is exactly zero in the blocks dearer than g
 * and of unit length, orthogonal to the others of its grade, within block g; what it does in cheaper blocks is of no account.
 * Of these directions, as many as there are active constraints are bound, one to each (R is triangular in that pairing), and the
 * free ones are orthogonal to every active normal. This is the basis J of Goldfarb and Idnani (1983) for a cost
 * Σ ε^g |v_g|² with ε → 0: what is a rotation between directions of one grade becomes an elimination between grades, in
 * which multiples of the cheaper direction are added to the dearer one and never the other way round. Zeros in dear blocks stay
 * exact zeros, so a level that nothing disturbs is never touched by rounding either.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

void po_lex_reset(po_lex *w) {
  int g, j, id = 0, c;
  w->compact = 0;
  w->slacks = 0;
  w->length = w->nv;
  w->active = 0;
  for (g = 0; g < w->grades; g++) {
    w->free_start[g] = id;
    for (j = 0; j < w->size[g]; j++, id++) {
      double *row = po_row(w->J, id);
      memset(row, 0, sizeof(double) * (size_t)w->length);
      row[w->offset[g] + j] = 1;
      w->grade[id] = g;
      w->free_rows[id] = id;
    }
  }
  w->free_start[w->grades] = w->directions = id;
  w->reach = w->growth = 0;
  w->updates = 0;
  w->span = w->length;
  w->parked = 0;
  memset(w->v, 0, sizeof(double) * (size_t)w->length);
  for (c = 0; c < w->constraints; c++) {
    w->row[c].position = w->row[c].slack = -1;
    w->row[c].ignored = 0;
  }
}

void po_lex_park(po_lex *w, const signed char *want) {
  int c, at = w->free_start[w->levels], base = w->n - w->size[w->levels], from = w->offset[w->levels], i, last = from;
  for (c = w->dense; c < w->constraints; c++) {
    po_lex_row *r = &w->row[c];
    double sign = r->equality ? 1 : -want[r->row], bound;
    int q = w->active, id = base + r->unit - from;
    if (r->soft || sign == 0 || w->grade[id] < 0) continue;
    bound = sign > 0 ? w->lo[c] : w->up[c];
    if (bound - bound != 0) continue; /* that side has none */
    w->grade[id] = -1;                /* taken; a second bound on it must go the long way */
    for (i = 0; i < q; i++) PO_AT(w->R, i, q) = 0;
    PO_AT(w->R, q, q) = sign * r->factor;
    w->set[q] = c;
    w->sign[q] = sign;
    w->bound_row[q] = id;
    r->position = q;
    w->v[r->unit] = bound / r->factor;
    w->active++;
  }
  w->parked = w->active;
  for (i = 0; i < w->size[w->levels]; i++) {
    int id = base + i;
    if (w->grade[id] < 0) {
      w->grade[id] = w->levels;
    } else {
      w->free_rows[at++] = id;
      last = from + i + 1;
    }
  }
  w->free_start[w->grades] = at;
  w->span = po_pad4(last);
}

/* From now on the parked ones are like any other. */
static void lexa_unpark(po_lex *w) {
  w->parked = 0;
  w->span = w->length;
}

/* ---- the list of free directions, dearest grade first ------------------------------------------------------------------------ */

static void lexa_free_insert(po_lex *w, int id) {
  int g, at = w->free_start[w->grade[id] + 1], end = w->free_start[w->grades];
  memmove(w->free_rows + at + 1, w->free_rows + at, sizeof(int) * (size_t)(end - at));
  w->free_rows[at] = id;
  for (g = w->grade[id] + 1; g <= w->grades; g++) w->free_start[g]++;
}

static void lexa_free_remove(po_lex *w, int at) {
  int g, end = w->free_start[w->grades], grade = w->grade[w->free_rows[at]];
  memmove(w->free_rows + at, w->free_rows + at + 1, sizeof(int) * (size_t)(end - at - 1));
  for (g = grade + 1; g <= w->grades; g++) w->free_start[g]--;
}

/* ---- normals ------------------------------------------------------------------------------------------------------------------- */

/* Room for one more slack coordinate in v and in all directions, and its own direction. */
static void lexa_new_slack(po_lex *w, int c) {
  int at = w->nv + w->slacks, id = w->directions, i, length = w->nv + po_pad4(w->slacks + 1);
  if (length > w->length) {
    for (i = 0; i < w->directions; i++) memset(po_row(w->J, i) + w->length, 0, sizeof(double) * (size_t)(length - w->length));
    memset(w->v + w->length, 0, sizeof(double) * (size_t)(length - w->length));
    w->length = length;
  }
  w->span = w->length;
  memset(po_row(w->J, id), 0, sizeof(double) * (size_t)length);
  PO_AT(w->J, id, at) = 1;
  w->v[at] = 0;
  w->row[c].slack = at;
  w->slack_grade[w->slacks++] = w->row[c].level;
  w->grade[id] = w->row[c].level;
  w->directions++;
  lexa_free_insert(w, id);
}

void po_lex_load(po_lex *w, int c, double sign) {
  const po_lex_row *r = &w->row[c];
  int j;
  if (r->soft && r->slack < 0) lexa_new_slack(w, c);
  if (c >= w->ready && c < w->dense && !w->fetched[c - w->ready]) po_lex_fetch_one(w, c);
  if (r->unit >= 0) {
    memset(w->normal, 0, sizeof(double) * (size_t)w->length);
    w->normal[r->unit] = sign * r->factor;
  } else {
    const double *g = po_row(w->G, c);
    for (j = 0; j < w->nv; j++) w->normal[j] = sign * g[j];
    memset(w->normal + w->nv, 0, sizeof(double) * (size_t)(w->length - w->nv));
  }
  w->normal_length = w->norm[c];
  if (r->soft) {
    double unit = w->level[r->level].unit;
    w->normal[r->slack] = unit;
    w->normal_length = sqrt(unit * unit + w->norm[c] * w->norm[c]);
  }
}

double po_lex_gap(const po_lex *w, int c, double sign) {
  const po_lex_row *r = &w->row[c];
  double at = r->unit >= 0 ? r->factor * w->v[r->unit] : po_dot(po_row(w->G, c), w->v, w->nv);
  double gap = sign > 0 ? w->lo[c] - at : at - w->up[c];
  if (r->soft && r->slack >= 0) gap -= w->level[r->level].unit * w->v[r->slack];
  return gap;
}

/* ---- adding ---------------------------------------------------------------------------------------------------------------------- */

static double lexa_norm(const double *x, int n) {
  int i;
  double s = 0;
  for (i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

int po_lex_project(po_lex *w, double *length) {
  int g, i, frees = w->free_start[w->grades], p = w->parked;
  double threshold;
  w->k->dots(w->d, w->J.a, w->J.ld, w->free_rows, frees, w->normal, 0, w->span);
  for (i = 0; i < p; i++) w->d[frees + i] = w->normal[w->row[w->set[i]].unit];
  w->k->dots(w->d + frees + p, w->J.a, w->J.ld, w->bound_row + p, w->active - p, w->normal, 0, w->span);
  w->flops += 2.0 * (frees + w->active - p) * w->span;
  threshold = w->opts->rank_tol * w->normal_length;
  for (g = w->grades - 1; g >= 0; g--) {
    int at = w->free_start[g], count = w->free_start[g + 1] - at;
    *length = lexa_norm(w->d + at, count);
    if (*length > threshold) return g;
  }
  *length = 0;
  return -1;
}

/* Householder among the free directions of grade g: afterwards only the one at the returned place of the list sees the normal. */
static int lexa_concentrate(po_lex *w, int g, double *delta) {
  int at = w->free_start[g], count = w->free_start[g + 1] - at, i, best = 0, others = 0, from = w->offset[g];
  double *d = w->d + at, length, tau, *z = w->work;
  for (i = 1; i < count; i++)
    if (fabs(d[i]) > fabs(d[best])) best = i;
  for (i = 0; i < count; i++) others += i != best && d[i] != 0;
  *delta = d[best];
  if (!others) return at + best;
  length = lexa_norm(d, count);
  *delta = d[best] > 0 ? -length : length;
  d[best] -= *delta; /* u = d − delta e, u'u = 2 delta (delta − d_best) */
  tau = 1 / (*delta * -d[best]);
  memset(z + from, 0, sizeof(double) * (size_t)(w->span - from));
  w->k->sum(z, w->J.a, w->J.ld, w->free_rows + at, count, d, from, w->span);
  for (i = 0; i < count; i++) d[i] *= -tau;
  w->k->add(w->J.a, w->J.ld, w->free_rows + at, count, d, z, from, w->span);
  w->flops += 4.0 * count * (w->span - from);
  return at + best;
}

void po_lex_append(po_lex *w, int c, double sign, int g) {
  int frees = w->free_start[w->grades], dearer = w->free_start[g], i, q = w->active, place, id;
  double delta, *column = w->d + frees;
  place = lexa_concentrate(w, g, &delta);
  id = w->free_rows[place];
  /* directions of dearer grades let go of the normal by a multiple of this one */
  for (i = 0; i < dearer; i++) {
    w->d[i] *= -1 / delta;
    w->growth = po_max(w->growth, fabs(w->d[i])); /* what the error of this direction is multiplied by in theirs */
  }
  w->k->add(w->J.a, w->J.ld, w->free_rows, dearer, w->d, po_row(w->J, id), w->offset[g], w->span);
  w->flops += 2.0 * dearer * (w->span - w->offset[g]);
  for (i = 0; i < q; i++) PO_AT(w->R, i, q) = column[i];
  PO_AT(w->R, q, q) = delta;
  w->set[q] = c;
  w->sign[q] = sign;
  w->bound_row[q] = id;
  w->row[c].position = q;
  w->active++;
  lexa_free_remove(w, place);
}

/* ---- dropping --------------------------------------------------------------------------------------------------------------------- */

static void lexa_swap_rows(po_lex *w, int i) {
  int id = w->bound_row[i], j;
  double *a = po_row(w->R, i), *b = po_row(w->R, i + 1);
  for (j = i; j < w->active; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
  w->bound_row[i] = w->bound_row[i + 1];
  w->bound_row[i + 1] = id;
}

/* R[i+1][i] = 0 again, by a rotation within a grade or an elimination between two. Column i and those after it take part. */
static void lexa_restore(po_lex *w, int i) {
  double *a = po_row(w->R, i), *b = po_row(w->R, i + 1), *ja = po_row(w->J, w->bound_row[i]), *jb = po_row(w->J, w->bound_row[i + 1]);
  int ga = w->grade[w->bound_row[i]], gb = w->grade[w->bound_row[i + 1]], from;
  double f;
  if (b[i] == 0) return;
  if (ga == gb) {
    double c, s, r;
    from = w->offset[ga];
    po_givens(&c, &s, &r, a[i], b[i]);
    po_givens_apply(ja + from, jb + from, w->span - from, c, s);
    po_givens_apply(a + i, b + i, w->active - i, c, s);
    a[i] = r;
    b[i] = 0;
    w->flops += 6.0 * (w->span - from + w->active - i);
    return;
  }
  /* the cheaper of the two keeps the constraint, unless it hardly sees it */
  if (ga < gb || fabs(a[i]) <= w->opts->rank_tol * w->norm[w->set[i]]) {
    int dropped = ga > gb;
    lexa_swap_rows(w, i);
    if (dropped) {
      b[i] = 0;
      return;
    }
    ja = po_row(w->J, w->bound_row[i]);
    jb = po_row(w->J, w->bound_row[i + 1]);
    ga = gb;
  }
  from = w->offset[ga];
  f = -b[i] / a[i];
  po_axpy(jb + from, f, ja + from, w->span - from);
  po_axpy(b + i, f, a + i, w->active - i);
  b[i] = 0;
  w->flops += 2.0 * (w->span - from + w->active - i);
}

void po_lex_drop(po_lex *w, int position) {
  int i, j, q = w->active - 1, id;
  if (position < w->parked) lexa_unpark(w);
  w->row[w->set[position]].position = -1;
  for (j = position; j < q; j++) {
    w->set[j] = w->set[j + 1];
    w->sign[j] = w->sign[j + 1];
    w->row[w->set[j]].position = j;
    memcpy(po_row(w->Lambda, j), po_row(w->Lambda, j + 1), sizeof(double) * (size_t)w->grades);
  }
  for (i = 0; i <= q; i++) memmove(po_row(w->R, i) + position, po_row(w->R, i) + position + 1, sizeof(double) * (size_t)(q - position));
  w->active = q;
  for (i = position; i < q; i++) lexa_restore(w, i);
  id = w->bound_row[q];
  lexa_free_insert(w, id);
}

/* ---- the optimum of the working set ------------------------------------------------------------------------------------------------- */

/* Inner product of direction `id` and v in block g, slack coordinates included. */
static void lexa_slack_dots(const po_lex *w, double *out, const int *rows, int count, int g) {
  int i, s;
  for (s = 0; s < w->slacks; s++) {
    double v = w->v[w->nv + s];
    if (w->slack_grade[s] != g || v == 0) continue;
    for (i = 0; i < count; i++) out[i] += PO_AT(w->J, rows[i], w->nv + s) * v;
  }
}

void po_lex_block_dots(const po_lex *w, double *out, const int *rows, int count, int g) {
  int end = w->offset[g + 1] < w->span ? w->offset[g + 1] : w->span;
  w->k->dots(out, w->J.a, w->J.ld, rows, count, w->v, w->offset[g], end);
  if (w->slacks) lexa_slack_dots(w, out, rows, count, g);
}

/* Free directions do not disturb the working set; each grade takes out of v what costs in it, dearest first. */
void po_lex_recentre(po_lex *w) {
  int g, i;
  w->priced = 0;
  double *alpha = w->work;
  for (g = 0; g < w->grades; g++) {
    int at = w->free_start[g], count = w->free_start[g + 1] - at;
    if (!count) continue;
    po_lex_block_dots(w, alpha, w->free_rows + at, count, g);
    for (i = 0; i < count; i++) alpha[i] = -alpha[i];
    w->k->sum(w->v, w->J.a, w->J.ld, w->free_rows + at, count, alpha, w->offset[g], w->span);
    w->flops += 2.0 * count * (w->size[g] + w->span - w->offset[g]);
  }
}

/* A sum of all free directions with alternating signs: whatever error the basis has collected shows in its products with the normals. */
double po_lex_health(po_lex *w) {
  int i, frees = w->free_start[w->grades];
  double *probe = w->normal, *alpha = w->work, worst = 0;
  memset(probe, 0, sizeof(double) * (size_t)w->length);
  for (i = 0; i < frees; i++) alpha[i] = i % 2 ? -1 : 1;
  w->k->sum(probe, w->J.a, w->J.ld, w->free_rows, frees, alpha, 0, w->span);
  for (i = w->parked; i < w->active; i++) {
    int c = w->set[i];
    const po_lex_row *r = &w->row[c];
    double along = w->sign[i] * (r->unit >= 0 ? r->factor * probe[r->unit] : po_dot(po_row(w->G, c), probe, w->nv));
    if (r->soft) along += w->level[r->level].unit * probe[r->slack];
    worst = po_max(worst, fabs(along) / w->norm[c]);
  }
  w->flops += 2.0 * (frees + w->active) * w->span;
  return worst;
}
