/* linear.c: the method of Kanoun, Lamiraux and Wieber (2009) as section 8.1 of de Lasa et al. (2010) sums it up: one QP a level in the
 * full x, with every level done added as linear equalities.
 *
 *     x_i = argmin |A_i x − b_i|²   s.t.   A_k (x − x_k) = 0 for k < i,   C(x) = 0,   D x + f >= 0          (eq. 30)
 *
 * Inequality rows of soft levels: violated ones are fixed like equalities, those that hold stay as inequalities. The equalities pile
 * up, and rows that depend on each other stay in: with rank-deficient levels this leans on the QP solver, which is why it is here to
 * compare with and not the default.
 */
#include "cascade.h"

#include <string.h>

size_t po_hqp_linear_bytes(int n, int levels, int rows) {
  (void)levels;
  return po_cascade_bytes(n, rows, 0, 1);
}

static void lin_copy(po_mat M, int at, const po_cascade *c, const int *rows, int count) {
  int i;
  for (i = 0; i < count; i++) memcpy(po_row(M, at + i), c->row[rows[i]], sizeof(double) * (size_t)c->n);
}

/* The QP of one level, in the step w = x_i − x_{i−1}: fixed rows may not move. */
static po_status lin_problem(po_cascade *c, const int *fixed, int fixed_count, int k, double **w) {
  po_arena *a = &c->s->scratch;
  int i;
  c->A = po_arena_mat_raw(a, c->objectives + c->softs, c->n);
  c->E = po_arena_mat_raw(a, fixed_count, c->n);
  c->C = po_arena_mat_raw(a, c->in_force, c->n);
  *w = PO_ARENA_ARRAY(a, double, c->n);
  if (a->failed) return PO_ERR_MEMORY;
  lin_copy(c->A, 0, c, c->objective, c->objectives);
  lin_copy(c->A, c->objectives, c, c->soft, c->softs);
  lin_copy(c->E, 0, c, fixed, fixed_count);
  lin_copy(c->C, 0, c, c->force, c->in_force);
  for (i = 0; i < c->objectives; i++) c->b[i] = c->lower[c->objective[i]] - po_dot(c->row[c->objective[i]], c->x, c->n);
  for (i = 0; i < c->softs; i++) {
    double at = po_dot(c->row[c->soft[i]], c->x, c->n);
    c->soft_lo[i] = c->lower[c->soft[i]] - at;
    c->soft_up[i] = c->upper[c->soft[i]] - at;
  }
  for (i = 0; i < fixed_count; i++) /* C(x) = 0 is not met yet when the first level is solved; the others are where they are */
    c->e[i] = k == 0 || c->p->levels[c->level[fixed[i]]].hard ? c->lower[fixed[i]] - po_dot(c->row[fixed[i]], c->x, c->n) : 0;
  c->equalities = fixed_count;
  for (i = 0, c->floor = 0; i < c->objectives + c->softs; i++)
    c->floor = po_max(c->floor, c->opts->rank_tol * c->length[i < c->objectives ? c->objective[i] : c->soft[i - c->objectives]]);
  po_cascade_bounds(c);
  po_arena_init(&c->qp, a->base + a->used, a->size - a->used);
  return PO_OK;
}

static po_status lin_level(po_cascade *c, int *fixed, int *fixed_count, int k, int *go) {
  po_arena *a = &c->s->scratch;
  size_t mark = po_arena_mark(a);
  po_hqp_status outcome = PO_HQP_OPTIMAL;
  double *w = NULL;
  int i;
  po_status status = lin_problem(c, fixed, *fixed_count, k, &w);
  if (status == PO_OK) status = po_cascade_solve(c, k, w, &outcome);
  if (status != PO_OK) return status;
  if (outcome != PO_HQP_OPTIMAL) {
    c->result->status = outcome;
    *go = 0;
    return PO_OK;
  }
  po_axpy(c->x, 1, w, c->n);
  po_cascade_settle(c);
  for (i = 0; i < c->objectives; i++) fixed[(*fixed_count)++] = c->objective[i];
  po_arena_release(a, mark);
  return PO_OK;
}

po_status po_hqp_linear_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  po_cascade c;
  int k, i, go = p->n > 0, *fixed, fixed_count = 0;
  po_status status = po_cascade_start(&c, s, p, opts, result);
  if (status != PO_OK) return status;
  fixed = PO_ARENA_ARRAY(&s->scratch, int, c.rows);
  if (s->scratch.failed) return PO_ERR_MEMORY;
  result->warm = opts->warm && s->last_valid;
  po_cascade_hard(&c, 1);
  for (i = 0; i < c.objectives; i++) fixed[fixed_count++] = c.objective[i];
  c.objectives = 0;
  for (k = 0; k < p->level_count && go; k++) {
    if (!p->levels[k].hard) po_cascade_level(&c, k);
    if (c.objectives || c.softs || (p->levels[k].hard && (fixed_count || c.in_force))) status = lin_level(&c, fixed, &fixed_count, k, &go);
    if (status != PO_OK) return status;
  }
  po_cascade_finish_unranked(&c);
  return PO_OK;
}
