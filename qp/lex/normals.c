/* normals.c: the constraints in v: rows of G, bounds on G v, lengths.
 *
 * With x = x0 + Y T^-1 (unit v) a row a of the problem is a·x = a·x0 + g·v. Block by block from the cheapest, G_k = D_k T_k^-1, and
 * D_<k −= G_k B_k takes y_k out of the others. Most rows are never active: their normals are made when they come in, several at once.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* Row c of G from the row D T^-1 in y. */
static void lexn_normal(po_lex *w, int c, const double *d) {
  double *g = po_row(w->G, c);
  int k, j;
  for (k = 0; k < w->levels; k++) {
    const po_lex_level *f = &w->level[k];
    double *block = g + w->offset[k];
    for (j = 0; j < f->rank; j++) block[j] = f->unit * d[f->at + j];
    for (; j < w->offset[k + 1] - w->offset[k]; j++) block[j] = 0;
  }
  k = w->n - w->size[w->levels];
  memcpy(g + w->offset[w->levels], d + k, sizeof(double) * (size_t)w->size[w->levels]);
  for (j = w->offset[w->levels] + w->size[w->levels]; j < w->nv; j++) g[j] = 0;
  w->norm[c] = sqrt(po_dot(g, g, w->nv));
}

void po_lex_normals(po_lex *w, const int *list, int m, po_mat W, double *work) {
  po_mat D = po_mat_of(po_row(w->X, w->equality_rows), m, w->n, w->X.ld);
  int k, i;
  for (i = 0; i < m; i++) {
    const po_lex_row *r = &w->row[list[i]];
    po_lex_copy_row(w, w->equality_rows + i, po_row(w->p->levels[r->level].A, r->index), w->n);
  }
  po_lex_turn(w, D, w->levels, W, work);
  for (k = w->levels - 1; k >= 0 && m; k--) {
    po_lex_level *f = &w->level[k];
    po_mat block = po_block(D, 0, f->at, m, f->rank);
    if (!f->rank) continue;
    po_trsm(block, f->T, PO_RIGHT, PO_LOWER, f->trans, PO_NON_UNIT);
    po_lex_b_rows(f, po_block(D, 0, 0, m, f->at), block, W);
    w->flops += (double)m * f->rank * (f->rank + 2.0 * f->at);
  }
  for (i = 0; i < m; i++) lexn_normal(w, list[i], po_row(D, i));
}

void po_lex_fetch(po_lex *w, const int *list, int count) {
  int from, i;
  for (from = 0; from < count; from += PO_LEX_FETCH) {
    int m = count - from < PO_LEX_FETCH ? count - from : PO_LEX_FETCH;
    po_lex_normals(w, list + from, m, w->fetch_W, w->fetch_work);
  }
  for (i = 0; i < count; i++) {
    const po_lex_row *r = &w->row[list[i]];
    double at = po_dot(po_row(w->p->levels[r->level].A, r->index), w->x0, w->n);
    w->lo[list[i]] -= at;
    w->up[list[i]] -= at;
    w->fetched[list[i] - w->ready] = 1;
  }
  w->unfetched -= count;
  if (count) w->priced = 0;
}

void po_lex_fetch_all(po_lex *w) {
  int c, count = 0;
  for (c = w->ready; c < w->dense; c++)
    if (!w->fetched[c - w->ready]) w->todo[count++] = c;
  po_lex_fetch(w, w->todo, count);
}

void po_lex_fetch_one(po_lex *w, int c) {
  int list[PO_LEX_FETCH], count = 1, i;
  list[0] = c;
  for (i = w->ready; i < w->dense && w->priced && count < PO_LEX_FETCH; i++) {
    if (i == c || w->fetched[i - w->ready] || po_max(w->lo[i] - w->value[i], w->value[i] - w->up[i]) <= 0) continue;
    list[count++] = i;
  }
  po_lex_fetch(w, list, count);
}

void po_lex_bounds(po_lex *w, int *where) {
  int c, j, free_at = w->n - w->size[w->levels];
  double reach = po_norm2(w->x0, w->n);
  w->unfetched = w->dense - w->ready;
  for (j = 0; j < w->n; j++) where[w->perm[j]] = w->offset[w->levels] + j - free_at;
  for (c = 0; c < w->constraints; c++) {
    po_lex_row *r = &w->row[c];
    double at = 0, size = 0;
    if (r->unit >= 0) {
      at = r->factor * w->x0[r->unit];
      r->unit = where[r->unit];
    } else if (c < w->ready) {
      at = po_dot(po_row(w->p->levels[r->level].A, r->index), w->x0, w->n);
    } else {
      w->norm[c] = w->size0[c]; /* until it is fetched */
      w->fetched[c - w->ready] = 0;
    }
    if (w->lo[c] > -PO_INF) size = fabs(w->lo[c]);
    if (w->up[c] < PO_INF) size = po_max(size, fabs(w->up[c]));
    w->size0[c] = size + reach * w->size0[c];
    w->lo[c] -= at;
    w->up[c] -= at;
  }
}

void po_lex_units(po_lex *w) {
  int c, k;
  for (k = 0; k < w->levels; k++) w->level[k].unit = w->level[k].scale;
  for (c = 0; c < w->constraints; c++) {
    const po_lex_row *r = &w->row[c];
    po_lex_level *f = &w->level[r->level];
    w->size0[c] = sqrt(w->square[r->row]);
    if (w->row[c].soft) f->unit = po_max(f->unit, w->size0[c]);
  }
}

