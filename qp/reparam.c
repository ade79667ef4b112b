/* reparam.c: Algorithm 1 of de Lasa, Mordatch and Hertzmann (2010), "Feature-based locomotion controllers".
 *
 *   1  C̄ <- I, d̄ <- 0
 *   2  for i = 1 … N
 *   3-4    Ā <- A_i C̄,  b̄ <- b_i − A_i d̄
 *   5-6    d_i <- argmin_w |Ā w − b̄|²   subject to  D₀ C̄ w + D₀ d̄ + f₀ >= 0
 *   7-9    infeasible: return d̄
 *   10     d̄ <- d̄ + C̄ d_i
 *   11-13  Ā has full column rank: return d̄
 *   14     C̄ <- C̄ null(Ā)
 *
 * The hard level's equalities are the first objective (section 8.2: as constraints of the QP they make it infeasible when contacts
 * change) and its inequalities are D₀. "Full rank" can only mean full column rank: nothing is left for the levels below. Beyond the
 * paper, inequality rows may stand in any level: they pull while they are violated (cascade_qp.c); afterwards the violated ones belong to Ā
 * and the others to D₀. The rank of Ā is judged against the length of A_i's rows, not its own: what C̄ has made of a row that the levels
 * above fix entirely is rounding, and would pass for a matrix of full rank.
 */
#include "cascade.h"

#include <math.h>
#include <string.h>

typedef struct rep_state {
  po_cascade c;
  po_mat Cbar;   /* n × dim */
  po_mat N;      /* dim × dim: null(Ā) */
  po_mat T;      /* n × dim: C̄ null(Ā) */
  po_mat D;      /* rows × dim: D₀ C̄, the rows in force in the order of c.force */
  int reduced;   /* so many of them are there for this C̄ */
  double *w;     /* dim */
  int identity;  /* 1: C̄ is still the identity */
} rep_state;

size_t po_hqp_reparam_bytes(int n, int levels, int rows) {
  (void)levels;
  return po_cascade_bytes(n, rows, 3, 0) + po_mat_bytes(rows, n); /* D */
}

/* M (count × cols) = rows of the problem times C̄. Rows with one coefficient are a multiple of a row of C̄; the others are gathered in T,
 * multiplied into N (neither is in use here) and put in their places. */
static void rep_reduce(const rep_state *t, po_mat M, const int *rows, int count) {
  const po_cascade *c = &t->c;
  int i, j, from, to, some;
  for (from = 0; from < count; from = to) {
    po_mat gathered = t->T, product = t->N;
    for (to = from, some = 0; to < count && some < c->n; to++) {
      const double *a = c->row[rows[to]];
      double *m = po_row(M, to);
      int at = c->single[rows[to]];
      if (t->identity) memcpy(m, a, sizeof(double) * (size_t)c->n);
      else if (at >= 0)
        for (j = 0; j < c->dim; j++) m[j] = a[at] * PO_AT(t->Cbar, at, j);
      else memcpy(po_row(gathered, some++), a, sizeof(double) * (size_t)c->n);
    }
    if (!some) continue;
    gathered.rows = product.rows = some;
    gathered.cols = c->n;
    product.cols = c->dim;
    po_gemm(product, 0, 1, gathered, PO_N, t->Cbar, PO_N);
    t->c.result->flops += 2.0 * some * c->n * c->dim;
    for (i = from, j = 0; i < to; i++)
      if (c->single[rows[i]] < 0) memcpy(po_row(M, i), po_row(product, j++), sizeof(double) * (size_t)c->dim);
  }
}

/* A row that the levels above have fixed: what C̄ left of it is rounding, which w would follow far. It is cleared. */
static int rep_fixed(const po_cascade *c, int row, double *reduced) {
  double limit = c->opts->rank_tol * c->length[row];
  if (po_dot(reduced, reduced, c->dim) > limit * limit) return 0;
  memset(reduced, 0, sizeof(double) * (size_t)c->dim);
  return 1;
}

static double rep_longest(const po_cascade *c) {
  double most = 0;
  int i;
  for (i = 0; i < c->objectives; i++) most = po_max(most, c->length[c->objective[i]]);
  for (i = 0; i < c->softs; i++) most = po_max(most, c->length[c->soft[i]]);
  return most;
}

/* Lines 3-6 laid out in the arena behind the mark; the QP's memory is what is left. */
static po_status rep_problem(rep_state *t) {
  po_cascade *c = &t->c;
  po_arena *a = &c->s->scratch;
  po_mat soft;
  int i;
  c->A = po_arena_mat_raw(a, c->objectives + c->softs, c->dim);
  c->C = po_block(t->D, 0, 0, c->in_force, c->dim);
  t->w = PO_ARENA_ARRAY(a, double, c->dim);
  if (a->failed) return PO_ERR_MEMORY;
  soft = po_block(c->A, c->objectives, 0, c->softs, c->dim);
  rep_reduce(t, c->A, c->objective, c->objectives);
  rep_reduce(t, soft, c->soft, c->softs);
  rep_reduce(t, po_block(c->C, t->reduced, 0, c->in_force - t->reduced, c->dim), c->force + t->reduced, c->in_force - t->reduced);
  t->reduced = c->in_force;
  for (i = 0; i < c->objectives; i++) {
    int row = c->objective[i];
    c->b[i] = c->lower[row] - po_dot(c->row[row], c->x, c->n);
    if (rep_fixed(c, row, po_row(c->A, i))) c->b[i] = 0;
  }
  for (i = 0; i < c->softs; i++) {
    double at = po_dot(c->row[c->soft[i]], c->x, c->n);
    c->soft_lo[i] = c->lower[c->soft[i]] - at;
    c->soft_up[i] = c->upper[c->soft[i]] - at;
    rep_fixed(c, c->soft[i], po_row(soft, i));
  }
  c->floor = c->opts->rank_tol * rep_longest(c);
  po_cascade_bounds(c);
  for (i = 0; i < c->in_force; i++) {
    if (!rep_fixed(c, c->force[i], po_row(c->C, i)) || t->identity) continue;
    c->cl[i] = -PO_INF;
    c->cu[i] = PO_INF;
  }
  po_arena_init(&c->qp, a->base + a->used, a->size - a->used);
  return PO_OK;
}

/* C̄ <- T, which has `left` columns. */
static void rep_take(rep_state *t, int left) {
  po_mat swap = t->Cbar;
  t->T.cols = left;
  t->Cbar = t->T;
  t->T = swap;
  t->identity = 0;
  t->reduced = 0;
  t->c.dim = left;
}

/* Line 14 with what the QP has left: V of cascade_turn.c spans the rows that pulled and, behind them, their null space. 0: it must be computed: it
 * was another set of rows, or the user wants another basis or hysteresis. */
static int rep_turned_null(rep_state *t, int k) {
  po_cascade *c = &t->c;
  po_mat B = t->T;
  int rank = c->rank, i;
  if (c->turned_rows != c->objectives || c->opts->basis != PO_BASIS_ORTHOGONAL || c->opts->hysteresis > 1) return 0;
  if (!rank) return 1; /* C̄ stays */
  if (k == c->p->level_count - 1) { /* nothing below will ask for C̄: the rank is enough */
    c->dim -= rank;
    return 1;
  }
  B.cols = c->dim;
  po_mat_copy(B, t->Cbar);
  po_qr_apply(B, c->QRP, c->tau, rank, PO_RIGHT, PO_N, NULL);
  c->result->flops += 4.0 * c->n * c->dim * rank;
  for (i = 0; i < c->n; i++) memmove(po_row(B, i), po_row(B, i) + rank, sizeof(double) * (size_t)(c->dim - rank));
  rep_take(t, c->dim - rank);
  for (i = 0; i < c->TC.rows; i++) memcpy(po_row(t->D, i), po_row(c->TC, i) + rank, sizeof(double) * (size_t)c->dim);
  t->reduced = c->TC.rows;
  return 1;
}

/* Line 14, with line 11 as its outcome: the dimension left. Ā here has the violated inequalities of the level too. */
static po_status rep_null(rep_state *t, int k) {
  po_cascade *c = &t->c;
  const po_hqp_opts *o = c->opts;
  po_mat A = po_arena_mat_raw(&c->qp, c->objectives, c->dim);
  double largest = 0, tol;
  int i, left = c->dim, last = k >= 0 && c->s->last_valid && o->hysteresis > 1 ? c->s->last_rank[k] : -1;
  po_status status;
  if (!c->objectives) return PO_OK;
  if (c->qp.failed) return PO_ERR_MEMORY;
  rep_reduce(t, A, c->objective, c->objectives);
  for (i = 0; i < c->objectives; i++) largest = po_max(largest, sqrt(po_dot(po_row(A, i), po_row(A, i), c->dim)));
  if (!(largest > o->rank_tol * rep_longest(c))) return PO_OK; /* rank 0: C̄ stays */
  tol = o->rank_tol * rep_longest(c) / largest;
  t->N.rows = t->N.cols = c->dim;
  if (k == c->p->level_count - 1 && last < 0) { /* nothing below will ask for C̄: the rank is enough */
    int rank = 0;
    status = po_rank(&rank, A, tol, o->basis, &c->qp);
    c->dim -= rank;
    return status;
  }
  status = po_null(t->N, &left, A, tol, o->basis, &c->qp);
  if (status == PO_OK && last >= 0 && c->dim - left > last && tol * o->hysteresis < 1) { /* a rank grows only when it is clear */
    int strict = left;
    status = po_null(t->N, &strict, A, tol * o->hysteresis, o->basis, &c->qp);
    if (status == PO_OK && c->dim - strict < last) status = po_null(t->N, &strict, A, tol, o->basis, &c->qp);
    left = strict;
  }
  if (status != PO_OK) return status;
  t->T.cols = left;
  if (t->identity) po_mat_copy(t->T, po_block(t->N, 0, 0, c->dim, left));
  else po_gemm(t->T, 0, 1, t->Cbar, PO_N, po_block(t->N, 0, 0, c->dim, left), PO_N);
  c->result->flops += t->identity ? 0 : 2.0 * c->n * c->dim * left;
  rep_take(t, left);
  return PO_OK;
}

/* One pass of the loop. *go is 0 when the algorithm returns. k: the level of the problem. */
static po_status rep_pass(rep_state *t, int k, int *go) {
  po_cascade *c = &t->c;
  po_arena *a = &c->s->scratch;
  size_t mark = po_arena_mark(a);
  po_hqp_status outcome = PO_HQP_OPTIMAL;
  double now = po_cascade_clock(c);
  int before = c->dim, held;
  po_status status = rep_problem(t);
  c->result->profile[k].other += po_cascade_clock(c) - now;
  if (status == PO_OK) status = po_cascade_solve(c, k, t->w, &outcome);
  if (status != PO_OK) return status;
  if (outcome != PO_HQP_OPTIMAL) { /* line 8; a QP that only ran out of iterations has moved to a better point all the same */
    c->result->status = outcome;
    *go = 0;
    return PO_OK;
  }
  held = k > 0 && po_cascade_hard_holds(c);
  po_gemv_add(c->x, 1, t->Cbar, t->w);
  if (held && !po_cascade_hard_holds(c)) { /* rows that depend on each other but for rounding: what the level gained is not worth it */
    po_gemv_add(c->x, -1, t->Cbar, t->w);
    c->result->status = PO_HQP_NUMERICAL;
    *go = 0;
    return PO_OK;
  }
  po_cascade_settle(c);
  po_arena_init(&c->qp, a->base + a->used, a->size - a->used);
  now = po_cascade_clock(c);
  if (!rep_turned_null(t, k)) status = rep_null(t, k);
  c->result->profile[k].null_space += po_cascade_clock(c) - now;
  c->result->levels[k].rank += before - c->dim;
  c->s->last_rank[k] = c->result->levels[k].rank;
  *go = c->dim > 0;
  po_arena_release(a, mark);
  return status;
}

po_status po_hqp_reparam_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  rep_state t;
  po_cascade *c = &t.c;
  int k, go = p->n > 0;
  po_status status;
  memset(&t, 0, sizeof t);
  status = po_cascade_start(c, s, p, opts, result);
  if (status != PO_OK) return status;
  t.Cbar = po_arena_mat_raw(&s->scratch, p->n, p->n);
  t.D = po_arena_mat_raw(&s->scratch, c->rows, p->n);
  t.N = po_arena_mat_raw(&s->scratch, p->n, p->n);
  t.T = po_arena_mat_raw(&s->scratch, p->n, p->n);
  if (s->scratch.failed) return PO_ERR_MEMORY;
  po_mat_identity(t.Cbar); /* line 1 */
  t.identity = 1;
  result->warm = opts->warm && s->last_valid;
  po_cascade_hard(c, 1);
  for (k = 0; k < p->level_count && go; k++) {
    if (!p->levels[k].hard) po_cascade_level(c, k);
    if (c->objectives || c->softs || (c->in_force && k == 0)) status = rep_pass(&t, k, &go);
    if (status != PO_OK) return status;
  }
  result->free_dimensions = c->dim;
  po_cascade_finish(c);
  return PO_OK;
}
