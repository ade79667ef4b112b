/* weighted.c: all levels in one QP, each weighing opts.weight_ratio times the next.
 *
 *     min Σ_k ratio^(K−k) |A_k x − b_k|²   s.t. the hard level                            (eqs. 16 and 37 of de Lasa et al. 2010)
 *
 * Not a prioritized method: as the ratio grows its answer tends to the lexicographic one, and its condition to ratio^K. It is here
 * because it is what most controllers use, and to measure what strict priority costs. Soft inequalities pull with their level's weight while
 * they are violated (cascade_qp.c).
 */
#include "cascade.h"

#include <math.h>
#include <string.h>

size_t po_hqp_weighted_bytes(int n, int levels, int rows) {
  (void)levels;
  return po_cascade_bytes(n, rows, 0, 1);
}

/* Rows of all soft levels. */
static void wei_rows(po_cascade *c) {
  int i;
  c->objectives = c->softs = 0;
  for (i = 0; i < c->rows; i++) {
    if (!c->plays[i] || c->p->levels[c->level[i]].hard) continue;
    if (c->lower[i] == c->upper[i]) c->objective[c->objectives++] = i;
    else c->soft[c->softs++] = i;
  }
}

/* Square root of the weight of level k; the last level weighs 1. */
static double wei_weight(const po_cascade *c, int k) {
  double weight = 1;
  int j;
  for (j = k; j < c->p->level_count - 1; j++) weight *= c->opts->weight_ratio;
  return sqrt(weight);
}

static void wei_row(const po_cascade *c, int to, int row, double weight) {
  int j;
  for (j = 0; j < c->n; j++) PO_AT(c->A, to, j) = weight * c->row[row][j];
}

static po_status wei_problem(po_cascade *c, const int *hard, int hard_count, double **w) {
  po_arena *a = &c->s->scratch;
  int i;
  c->A = po_arena_mat_raw(a, c->objectives + c->softs, c->n);
  c->E = po_arena_mat_raw(a, hard_count, c->n);
  c->C = po_arena_mat_raw(a, c->in_force, c->n);
  *w = PO_ARENA_ARRAY(a, double, c->n);
  if (a->failed) return PO_ERR_MEMORY;
  for (i = 0; i < c->objectives; i++) {
    double weight = wei_weight(c, c->level[c->objective[i]]);
    wei_row(c, i, c->objective[i], weight);
    c->b[i] = weight * c->lower[c->objective[i]];
  }
  for (i = 0; i < c->softs; i++) {
    double weight = wei_weight(c, c->level[c->soft[i]]);
    wei_row(c, c->objectives + i, c->soft[i], weight);
    c->soft_lo[i] = weight * c->lower[c->soft[i]];
    c->soft_up[i] = weight * c->upper[c->soft[i]];
  }
  for (i = 0; i < hard_count; i++) {
    memcpy(po_row(c->E, i), c->row[hard[i]], sizeof(double) * (size_t)c->n);
    c->e[i] = c->lower[hard[i]];
  }
  for (i = 0; i < c->in_force; i++) memcpy(po_row(c->C, i), c->row[c->force[i]], sizeof(double) * (size_t)c->n);
  c->equalities = hard_count;
  c->floor = 0; /* what the last level weighs is small, not nothing: only rounding does not count */
  for (i = 0; i < c->objectives + c->softs; i++) c->floor = po_max(c->floor, c->n * PO_EPS * po_norm2(po_row(c->A, i), c->n));
  po_cascade_bounds(c);
  po_arena_init(&c->qp, a->base + a->used, a->size - a->used);
  return PO_OK;
}

po_status po_hqp_weighted_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  po_cascade c;
  int i, *hard, hard_count;
  double *w = NULL;
  po_status status = po_cascade_start(&c, s, p, opts, result);
  if (status != PO_OK) return status;
  hard = PO_ARENA_ARRAY(&s->scratch, int, c.rows);
  if (s->scratch.failed) return PO_ERR_MEMORY;
  result->warm = opts->warm && s->last_valid;
  po_cascade_hard(&c, 1);
  hard_count = c.objectives;
  for (i = 0; i < hard_count; i++) hard[i] = c.objective[i];
  wei_rows(&c);
  if (p->n > 0 && p->level_count > 0) {
    status = wei_problem(&c, hard, hard_count, &w);
    if (status == PO_OK) status = po_cascade_solve(&c, 0, w, &result->status);
    if (status != PO_OK) return status;
    if (result->status == PO_HQP_OPTIMAL) memcpy(c.x, w, sizeof(double) * (size_t)p->n);
  }
  po_cascade_finish_unranked(&c);
  return PO_OK;
}
