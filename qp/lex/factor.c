/* factor.c: the soft equalities, level by level, and the variables v in which they are trivial.
 *
 * Level k sees, of the coordinates the levels above left free, a matrix A (rows × width). A complete orthogonal factorization
 *     A = Q [T 0; 0 0] H'
 * decides its rank r, turns the coordinates by H so that only the first r of them matter to the level, and turns its rows by Q so
 * that its cost is |T y_k + B y_<k − c|² plus what no choice of y_k can change. H then goes over the rows of all levels below and
 * over the constraints, as one block reflector: two matrix products. A wide level is pivoted by rows and needs Q only when rows
 * depend on each other; a tall one is pivoted by columns and needs H only when columns do.
 *
 * Rank: a direction counts when what the level's rows still have along it is longer than rank_tol times the level's longest row.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

/* ---- one pivoted LQ ----------------------------------------------------------------------------------------------------------- */

typedef struct lexf_rule { /* when a pivot counts; order NULL: no pivoting, all count */
  int *order;
  double threshold;
  int last_rank;         /* beyond it the threshold is multiplied by `hysteresis` */
  double hysteresis;
} lexf_rule;

/* Reflector that maps the first `s` … end of row to (beta, 0 …): v overwrites V's row with v[s] = 1, zeros before s. */
static double lexf_reflector(double *row, double *v, int s, int cols, double length) {
  double alpha = row[s], beta = alpha > 0 ? -length : length, inverse;
  int j;
  for (j = 0; j < s; j++) v[j] = 0;
  v[s] = 1;
  if (length == 0) {
    for (j = s + 1; j < cols; j++) v[j] = 0;
    return 0;
  }
  inverse = 1 / (alpha - beta);
  for (j = s + 1; j < cols; j++) v[j] = row[j] * inverse;
  row[s] = beta;
  return (beta - alpha) / beta;
}

static int lexf_largest(const double *square, const int *order, int from, int rows) {
  int i, best = from;
  for (i = from + 1; i < rows; i++)
    if (square[order[i]] > square[order[best]]) best = i;
  return best;
}

/* M H_1 … H_r = L, lower trapezoidal in the rows as ordered (elements right of the diagonal are not cleared). V gets the reflectors,
 * one a row. Returns r. work: 2·rows. */
static int lexf_lq(po_lex *w, po_mat M, po_mat V, double *tau, const lexf_rule *rule, double *work) {
  int rows = M.rows, cols = M.cols, most = rows < cols ? rows : cols, s, i, *order = rule->order;
  double *square = work, *exact = work + rows;
  for (i = 0; i < rows && order; i++) square[i] = exact[i] = po_dot(po_row(M, i), po_row(M, i), cols);
  for (s = 0; s < most; s++) {
    int rest = rows - s - 1, row = s;
    double *v = po_row(V, s), length, *r;
    if (order) {
      i = lexf_largest(square, order, s, rows);
      row = order[i];
      order[i] = order[s];
      order[s] = row;
    }
    r = po_row(M, row);
    length = sqrt(po_dot(r + s, r + s, cols - s));
    if (order && !(length > rule->threshold * (s >= rule->last_rank ? rule->hysteresis : 1))) return s;
    tau[s] = lexf_reflector(r, v, s, cols, length);
    if (!rest || tau[s] == 0) continue;
    w->k->reflect(order ? M.a : po_row(M, s + 1), M.ld, order ? order + s + 1 : NULL, rest, tau[s], v, s & ~3, cols); /* v is zero before s */
    w->flops += 4.0 * rest * (cols - s);
    for (i = s + 1; i < rows && order; i++) {
      double e = PO_AT(M, order[i], s), left = square[order[i]] - e * e;
      if (left < 1e-3 * exact[order[i]]) { /* the difference has lost digits: take it again */
        const double *x = po_row(M, order[i]) + s + 1;
        left = exact[order[i]] = po_dot(x, x, cols - s - 1);
      }
      square[order[i]] = left;
    }
  }
  return most;
}

/* The triangle of a block of reflectors (Schreiber & Van Loan 1989, in the inverse form of Puglisi 1992):
 *     H_1 … H_r = I − V' T V   with   T^-1 = upper triangle of V V', 1/tau on its diagonal.
 * S gets its transpose in the lower triangle, so that products with T are triangular solves. A reflector that is the identity
 * (tau = 0) is cut out: its row of V is cleared. */
void po_lex_block(po_lex *w, po_mat S, po_mat V, const double *tau) {
  int r = V.rows, i;
  for (i = 0; i < r; i++)
    if (tau[i] == 0) memset(po_row(V, i), 0, sizeof(double) * (size_t)V.cols);
  po_syrk(S, PO_LOWER, 0, 1, V, PO_N);
  for (i = 0; i < r; i++) PO_AT(S, i, i) = tau[i] == 0 ? 1 : 1 / tau[i];
  w->flops += 1.0 * r * r * V.cols;
}

/* ---- one level ------------------------------------------------------------------------------------------------------------------ */

/* The first `rank` rows of Q' [B rhs]: into f->B, and rhs as a whole into w->z (order as the level's). With Q = I − U' T U they are
 * B_top − U_top' (T' U B): two products and a triangular solve instead of a sweep a reflector. */
static void lexf_left(po_lex *w, po_lex_level *f, po_lex_scratch *t) {
  po_mat rows = po_block(w->X, f->first, 0, f->rows, f->at), S, W, all = rows;
  int i, s, r = f->left;
  for (i = 0; i < f->rows; i++) w->z[i] = w->rhs[f->first + (f->order ? f->order[i] : i)];
  for (s = 0; s < r; s++) po_axpy(w->z, -f->tau[s] * po_dot(po_row(f->U, s), w->z, f->rows), po_row(f->U, s), f->rows);
  if (!r || !f->at) return;
  if (f->order) { /* the rows in the order of U */
    all = po_block(t->W, 0, 0, f->rows, f->at);
    for (i = 0; i < f->rows; i++) memcpy(po_row(all, i), po_row(rows, f->order[i]), sizeof(double) * (size_t)f->at);
  }
  S = po_block(t->R, 0, 0, r, r);
  W = po_block(t->P, 0, 0, r, f->at);
  po_lex_block(w, S, f->U, f->tau);
  po_gemm(W, 0, 1, f->U, PO_N, all, PO_N);
  po_trsm(W, S, PO_LEFT, PO_LOWER, PO_N, PO_NON_UNIT);
  for (i = 0; i < r; i++) memcpy(po_row(f->B, i), po_row(all, i), sizeof(double) * (size_t)f->at);
  po_gemm(f->B, 1, -1, po_block(f->U, 0, 0, r, r), PO_T, W, PO_N);
  w->flops += 2.0 * r * f->at * (f->rows + 1.5 * r);
}

/* T of the level from the triangle L: its row i is `triangle` row order[i]. */
static void lexf_keep(po_lex_level *f, po_mat triangle, const int *order, po_trans trans) {
  int i;
  for (i = 0; i < f->rank; i++) memcpy(po_row(f->T, i), po_row(triangle, order ? order[i] : i), sizeof(double) * (size_t)(i + 1));
  f->trans = trans;
}

void po_lex_take_pools(po_lex *w, po_lex_level *f, po_lex_scratch *t) {
  int width = f->end - f->at;
  f->V = po_block(w->pool_V, t->used, 0, f->right, width);
  f->TV = po_block(w->pool_TV, t->used, 0, f->right, width);
  f->B = po_block(w->pool_BT, t->used, 0, f->rank, f->at);
  f->T = po_block(w->pool_BT, t->used, f->at, f->rank, f->rank);
  if (f->left) f->U = po_block(w->pool_U, t->used, 0, f->left, f->rows);
  f->tau = w->pool_tau + t->used;
  f->c = w->pool_c + t->used;
  t->used += f->rank;
}

/* Pivots by rows. */
static void lexf_wide(po_lex *w, po_lex_level *f, lexf_rule *rule, po_lex_scratch *t) {
  po_mat M = po_block(w->X, f->first, f->at, f->rows, f->end - f->at);
  int i, j;
  f->order = w->pool_order + f->first;
  for (i = 0; i < f->rows; i++) f->order[i] = i;
  rule->order = f->order;
  f->rank = f->right = lexf_lq(w, M, po_block(w->pool_V, t->used, 0, M.rows < M.cols ? M.rows : M.cols, M.cols), t->tau, rule, t->work);
  f->left = f->rank < f->rows ? f->rank : 0;
  po_lex_take_pools(w, f, t);
  if (f->left) { /* dependent rows: bring [L11; L21] to a triangle by Q */
    po_mat S = po_block(t->S, 0, 0, f->rank, f->rows);
    for (j = 0; j < f->rank; j++)
      for (i = 0; i < f->rows; i++) PO_AT(S, j, i) = i < j ? 0 : PO_AT(M, f->order[i], j);
    rule->order = NULL;
    lexf_lq(w, S, f->U, f->tau, rule, t->work);
    lexf_left(w, f, t);
    lexf_keep(f, S, NULL, PO_T);
  } else {
    for (i = 0; i < f->rank; i++) {
      w->z[i] = w->rhs[f->first + f->order[i]];
      memcpy(po_row(f->B, i), po_row(w->X, f->first + f->order[i]), sizeof(double) * (size_t)f->at);
    }
    lexf_keep(f, M, f->order, PO_N);
  }
}

/* Pivots by columns, on the transposed level. */
static void lexf_tall(po_lex *w, po_lex_level *f, lexf_rule *rule, po_lex_scratch *t, int *columns) {
  int width = f->end - f->at, i, j, moved = 0;
  po_mat M = po_block(w->X, f->first, f->at, f->rows, width), S = po_block(t->S, 0, 0, width, f->rows), K;
  po_mat_transpose(S, M);
  for (j = 0; j < width; j++) columns[j] = j;
  rule->order = columns;
  f->rank = f->left = lexf_lq(w, S, po_block(w->pool_U, t->used, 0, width, f->rows), w->pool_tau + t->used, rule, t->work);
  f->right = f->rank < width ? f->rank : 0;
  po_lex_take_pools(w, f, t);
  lexf_left(w, f, t);
  for (j = 0; j < width; j++) moved |= columns[j] != j;
  f->columns = moved ? columns : NULL;
  if (!f->right) {
    lexf_keep(f, S, columns, PO_T);
    return;
  }
  K = po_block(t->W, 0, 0, f->rank, width); /* dependent columns: bring [L11' L21'] to a triangle by H */
  for (i = 0; i < f->rank; i++)
    for (j = 0; j < width; j++) PO_AT(K, i, j) = j < i ? 0 : PO_AT(S, columns[j], i);
  rule->order = NULL;
  lexf_lq(w, K, f->V, t->tau, rule, t->work);
  lexf_keep(f, K, NULL, PO_N);
}

static void lexf_permute(double *x, const int *columns, int width, double *work) {
  int j;
  memcpy(work, x, sizeof(double) * (size_t)width);
  for (j = 0; j < width; j++) x[j] = work[columns[j]];
}

void po_lex_turn(po_lex *w, po_mat D, int k, po_mat W, double *work) {
  int j, i, m = D.rows;
  for (j = 0; j < k && m; j++) {
    const po_lex_level *f = &w->level[j];
    int width = f->end - f->at;
    po_mat rows = po_block(D, 0, f->at, m, width), part = po_block(W, 0, 0, m, f->right);
    for (i = 0; i < m && f->columns; i++) lexf_permute(po_row(rows, i), f->columns, width, work);
    if (!f->right) continue;
    po_gemm(part, 0, 1, rows, PO_N, f->V, PO_T);
    po_gemm(rows, 1, -1, part, PO_N, f->TV, PO_N);
    w->flops += 4.0 * m * width * f->right;
  }
}

static void lexf_swap(po_lex *w, int a, int b) {
  int source = w->source[a], single = w->single[a];
  double rhs = w->rhs[a];
  unsigned char fresh = w->fresh[a];
  w->source[a] = w->source[b], w->source[b] = source;
  w->single[a] = w->single[b], w->single[b] = single;
  w->rhs[a] = w->rhs[b], w->rhs[b] = rhs;
  w->fresh[a] = w->fresh[b], w->fresh[b] = fresh;
}

/* Rows that see none of the coordinates left to the level cannot be helped by it: they take no part. When the levels above have decided
 * all they see, those are the rows without a column of their own. */
static void lexf_choose_rows(po_lex *w, po_lex_level *f, int seen) {
  int i, kept = f->first;
  if (f->at < seen) return;
  for (i = f->first; i < f->first + f->rows; i++)
    if (w->fresh[i]) lexf_swap(w, kept++, i);
  f->rows = kept - f->first;
}

/* When every coordinate left has a row that sees it alone, those rows come first, in the order of the coordinates. 0: it is not so. */
static int lexf_units_first(po_lex *w, po_lex_level *f, double threshold) {
  int width = f->end - f->at, i, j;
  if (f->rows < width) return 0;
  for (j = 0; j < width; j++) {
    for (i = f->first + j; i < f->first + f->rows; i++)
      if (w->single[i] == f->at + j && sqrt(w->square[w->source[i]]) > threshold) break;
    if (i == f->first + f->rows) return 0;
    lexf_swap(w, f->first + j, i);
  }
  return 1;
}

const double *po_lex_row_of(const po_lex *w, int k, int source) { return po_row(w->p->levels[k].A, source - po_hqp_row_offset(w->p, k)); }

/* Copies the level's rows from index `from` on to X and turns them. */
void po_lex_gather(po_lex *w, int k, int from, po_lex_scratch *t) {
  const po_lex_level *f = &w->level[k];
  int i;
  for (i = from; i < f->rows; i++) po_lex_copy_row(w, f->first + i, po_lex_row_of(w, k, w->source[f->first + i]), f->end);
  po_lex_turn(w, po_block(w->X, f->first + from, 0, f->rows - from, f->end), k, t->W, t->work);
}

static void lexf_level(po_lex *w, int k, int at, po_lex_scratch *t) {
  po_lex_level *f = &w->level[k];
  int width = f->end - at, seen = k ? w->level[k - 1].end : 0;
  lexf_rule rule;
  f->at = at;
  f->rank = f->right = f->left = 0;
  f->order = f->columns = NULL;
  f->S.a = NULL;
  if (f->rows && width && f->scale > 0) lexf_choose_rows(w, f, seen);
  if (!f->rows || !width || !(f->scale > 0)) {
    f->rows = 0;
    return;
  }
  rule.threshold = w->opts->rank_tol * f->scale;
  rule.last_rank = w->solver->last_valid ? w->solver->last_rank[k] : -1;
  rule.hysteresis = rule.last_rank >= 0 ? w->opts->hysteresis : 1;
  if (at >= seen && lexf_units_first(w, f, rule.threshold * rule.hysteresis)) {
    po_lex_stacked(w, k, t);
    return;
  }
  po_lex_gather(w, k, 0, t);
  if (f->rows >= width && (rule.last_rank < 0 || rule.last_rank == width) && po_lex_sure(w, k, rule.threshold * rule.hysteresis, t)) return;
  /* Pivoting by columns pays when the level decides all that is left (the last one often does): no turning of the rows below. */
  if (f->rows <= width || (rule.last_rank >= 0 && rule.last_rank < width)) lexf_wide(w, f, &rule, t);
  else lexf_tall(w, f, &rule, t, w->pool_columns + (size_t)k * (size_t)w->n);
  memcpy(f->c, w->z, sizeof(double) * (size_t)f->rank);
  if (f->right) {
    po_mat S = po_block(t->R, 0, 0, f->right, f->right);
    po_lex_block(w, S, f->V, t->tau);
    po_mat_copy(f->TV, f->V);
    po_trsm(f->TV, S, PO_LEFT, PO_LOWER, PO_T, PO_NON_UNIT);
  }
}

/* ---- the map between v, y and x -------------------------------------------------------------------------------------------------- */

static void lexf_v_layout(po_lex *w) {
  int g, at = 0, used = 0;
  for (g = 0; g < w->grades; g++) {
    w->offset[g] = at;
    w->size[g] = g < w->levels ? w->level[g].rank : w->n - used;
    used += w->size[g];
    at = po_pad4(at + w->size[g]);
  }
  w->offset[w->grades] = w->nv = at;
}

void po_lex_point(po_lex *w, double *x, const double *v) {
  double *y = w->y, *z = w->z;
  int k, j, free_at = w->n - w->size[w->levels];
  for (k = 0; k < w->levels; k++) { /* T y_k = c + unit v_k − B y_<k */
    const po_lex_level *f = &w->level[k];
    if (!f->rank) continue;
    for (j = 0; j < f->rank; j++) y[f->at + j] = f->c[j] + (v ? f->unit * v[w->offset[k] + j] : 0);
    po_lex_b_apply(f, y + f->at, y, z);
    po_trsv(y + f->at, f->T, PO_LOWER, f->trans, PO_NON_UNIT);
  }
  for (j = free_at; j < w->n; j++) y[j] = v ? v[w->offset[w->levels] + j - free_at] : 0;
  for (k = w->levels - 1; k >= 0; k--) {
    const po_lex_level *f = &w->level[k];
    double *part = y + f->at;
    if (f->right) {
      po_gemv(z, f->TV, part);
      po_gemv_t_add(part, -1, f->V, z);
    }
    if (f->columns) {
      int width = f->end - f->at;
      memcpy(z, part, sizeof(double) * (size_t)width);
      for (j = 0; j < width; j++) part[f->columns[j]] = z[j];
    }
  }
  for (j = 0; j < w->n; j++) x[w->perm[j]] = y[j];
}

void po_lex_to_y(const po_lex *w, double *y, const double *g) {
  int k, j;
  for (j = 0; j < w->n; j++) y[j] = g[w->perm[j]];
  for (k = 0; k < w->levels; k++) {
    const po_lex_level *f = &w->level[k];
    double *part = y + f->at;
    if (f->columns) lexf_permute(part, f->columns, f->end - f->at, w->z);
    if (f->right) {
      po_gemv(w->z, f->V, part);
      po_gemv_t_add(part, -1, f->TV, w->z);
    }
  }
}

int po_lex_factor(po_lex *w) {
  po_lex_scratch t;
  size_t mark = po_arena_mark(w->arena);
  double now;
  int k, at = 0, *where;
  int most = w->max_rows, n = w->n, small = n < w->equality_rows ? n : w->equality_rows; /* no rank is larger */
  t.S = po_arena_mat_raw(w->arena, small, most);
  t.W = po_arena_mat_raw(w->arena, w->X.rows, 2 * n + 1);
  t.P = po_arena_mat_raw(w->arena, small, n);
  t.R = po_arena_mat_raw(w->arena, small, small);
  t.work = PO_ARENA_ARRAY(w->arena, double, 4 * (n + most));
  t.tau = PO_ARENA_ARRAY(w->arena, double, n);
  where = PO_ARENA_ARRAY(w->arena, int, n);
  t.list = PO_ARENA_ARRAY(w->arena, int, w->ready);
  t.used = 0;
  if (w->arena->failed) return 0;
  po_lex_units(w);
  for (k = 0; k < w->levels; k++) {
    double started = po_lex_clock(w);
    lexf_level(w, k, at, &t);
    at += w->level[k].rank;
    w->profile[k].factor += po_lex_clock(w) - started;
  }
  now = po_lex_clock(w);
  lexf_v_layout(w);
  w->G.cols = w->nv;
  for (k = 0; k < w->ready; k++) t.list[k] = k;
  po_lex_normals(w, t.list, w->ready, t.W, t.work);
  po_lex_point(w, w->x0, NULL);
  po_lex_bounds(w, where);
  w->profile->other += po_lex_clock(w) - now;
  w->factorizations++;
  po_arena_release(w->arena, mark);
  return 1;
}
