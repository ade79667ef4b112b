/* cascade.c: the rows and the bookkeeping of the methods that solve one QP a level. */
#include "cascade.h"

#include <math.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------------------------ */

static void casc_layout(po_arena *a, po_cascade *c, int n, int rows) {
  c->row = PO_ARENA_ARRAY(a, const double *, rows);
  c->lower = PO_ARENA_ARRAY(a, double, rows);
  c->upper = PO_ARENA_ARRAY(a, double, rows);
  c->length = PO_ARENA_ARRAY(a, double, rows);
  c->level = PO_ARENA_ARRAY(a, int, rows);
  c->plays = PO_ARENA_ARRAY(a, int, rows);
  c->single = PO_ARENA_ARRAY(a, int, rows);
  c->force = PO_ARENA_ARRAY(a, int, rows);
  c->force_lo = PO_ARENA_ARRAY(a, double, rows);
  c->force_up = PO_ARENA_ARRAY(a, double, rows);
  c->objective = PO_ARENA_ARRAY(a, int, rows);
  c->soft = PO_ARENA_ARRAY(a, int, rows);
  c->soft_lo = PO_ARENA_ARRAY(a, double, rows);
  c->soft_up = PO_ARENA_ARRAY(a, double, rows);
  c->side = PO_ARENA_ARRAY(a, signed char, rows);
  c->at = PO_ARENA_ARRAY(a, double, rows);
  c->along = PO_ARENA_ARRAY(a, double, rows);
  c->x = PO_ARENA_ZARRAY(a, double, n);
  c->step = PO_ARENA_ARRAY(a, double, n);
  c->g = PO_ARENA_ARRAY(a, double, n);
  c->cl = PO_ARENA_ARRAY(a, double, rows);
  c->cu = PO_ARENA_ARRAY(a, double, rows);
  c->b = PO_ARENA_ARRAY(a, double, rows);
  c->e = PO_ARENA_ARRAY(a, double, rows);
  c->warm = PO_ARENA_ZARRAY(a, signed char, rows + n);
  c->H = po_arena_mat_raw(a, n, n);
  c->centre = PO_ARENA_ARRAY(a, double, n);
  c->shifted = PO_ARENA_ARRAY(a, double, n);
}

/* Of the QP of a level with so many rows that pull and so many others, and what turns it. */
static size_t casc_qp_bytes(int n, int pulling, int others, int equalities) {
  size_t wide, tall;
  if (!n) return 0;
  wide = po_qp_bytes(n, 0, others);
  tall = equalities ? po_qp_bytes(n, others, 0) : 0;
  return po_cascade_turn_bytes(n, pulling, others) + (wide > tall ? wide : tall);
}

size_t po_cascade_bytes(int n, int rows, int squares, int equalities) {
  po_arena a;
  po_cascade c;
  size_t most = casc_qp_bytes(n, rows, 0, equalities), none = casc_qp_bytes(n, 0, rows, equalities); /* between them it is less */
  size_t null_space = 4 * po_mat_bytes(rows, n) + 6 * po_mat_bytes(n, n); /* a level and its rank, when its QP is done */
  int i;
  if (none > most) most = none;
  if (squares && null_space > most) most = null_space;
  po_arena_measure(&a);
  casc_layout(&a, &c, n, rows);
  po_arena_mat_raw(&a, rows, n); /* A, C and E together: every row is one of the three */
  po_arena_mat_raw(&a, 3, n);
  PO_ARENA_ARRAY(&a, int, rows);
  PO_ARENA_ARRAY(&a, double, n);
  for (i = 0; i < squares; i++) po_arena_mat_raw(&a, n, n);
  return po_arena_used(&a) + most + 1024;
}

static int casc_single(const double *a, int n) {
  int j, at = -1;
  for (j = 0; j < n; j++) {
    if (a[j] == 0) continue;
    if (at >= 0) return -1;
    at = j;
  }
  return at;
}

/* ---- rows --------------------------------------------------------------------------------------------------------------------------- */

po_status po_cascade_start(po_cascade *c, po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  int k, i, at = 0;
  memset(c, 0, sizeof *c);
  c->s = s;
  c->p = p;
  c->opts = opts;
  c->result = result;
  c->n = c->dim = p->n;
  c->judged = po_hqp_judged(opts);
  c->rows = po_hqp_row_offset(p, p->level_count);
  memset(s->held, 0, (size_t)c->rows);
  po_arena_release(&s->scratch, 0);
  casc_layout(&s->scratch, c, p->n, c->rows);
  if (s->scratch.failed) return PO_ERR_MEMORY;
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++, at++) {
      c->row[at] = p->n ? po_row(p->levels[k].A, i) : NULL;
      c->lower[at] = po_hqp_lower(&p->levels[k], i);
      c->upper[at] = po_hqp_upper(&p->levels[k], i);
      c->length[at] = p->n ? sqrt(po_dot(c->row[at], c->row[at], p->n)) : 0;
      c->level[at] = k;
      c->single[at] = casc_single(c->row[at], p->n);
      c->plays[at] = c->length[at] > 0 && (c->lower[at] > -PO_INF || c->upper[at] < PO_INF);
    }
  return PO_OK;
}

static void casc_force(po_cascade *c, int row, double lo, double up) {
  c->force[c->in_force] = row;
  c->force_lo[c->in_force] = lo;
  c->force_up[c->in_force++] = up;
}

void po_cascade_hard(po_cascade *c, int with_equalities) {
  int i;
  c->objectives = c->softs = 0;
  for (i = 0; i < c->rows; i++) {
    if (!c->plays[i] || !c->p->levels[c->level[i]].hard) continue;
    if (c->lower[i] < c->upper[i]) {
      casc_force(c, i, c->lower[i], c->upper[i]);
      if (c->s->last_valid && c->opts->warm) c->warm[c->in_force - 1] = c->s->last_active[i];
    } else if (with_equalities) {
      c->objective[c->objectives++] = i;
    }
  }
}

void po_cascade_level(po_cascade *c, int k) {
  int i;
  c->objectives = c->softs = 0;
  for (i = 0; i < c->rows; i++) {
    if (!c->plays[i] || c->level[i] != k || c->p->levels[k].hard) continue;
    if (c->lower[i] == c->upper[i]) c->objective[c->objectives++] = i;
    else c->soft[c->softs++] = i;
  }
}

void po_cascade_bounds(po_cascade *c) {
  int i;
  for (i = 0; i < c->in_force; i++) {
    double at = po_dot(c->row[c->force[i]], c->x, c->n), rounding = PO_CASCADE_HOLDS * (1 + fabs(at));
    c->cl[i] = c->force_lo[i] - at;
    c->cu[i] = c->force_up[i] - at;
    /* x itself is in: what rounding says against that is not to make the QP infeasible */
    if (c->cl[i] > 0 && c->cl[i] < rounding) c->cl[i] = 0;
    if (c->cu[i] < 0 && c->cu[i] > -rounding) c->cu[i] = 0;
  }
}

int po_cascade_hard_holds(const po_cascade *c) {
  int i;
  for (i = 0; i < c->rows; i++) {
    double at, size;
    if (!c->p->levels[c->level[i]].hard) continue;
    at = c->n ? po_dot(c->row[i], c->x, c->n) : 0;
    size = 1 + fabs(at) + c->length[i] * po_norm_inf(c->x, c->n);
    if (at < c->lower[i] - PO_CASCADE_HARD * size || at > c->upper[i] + PO_CASCADE_HARD * size) return 0;
  }
  return 1;
}

void po_cascade_settle(po_cascade *c) {
  int i;
  for (i = 0; i < c->softs; i++) {
    int row = c->soft[i];
    double at = po_dot(c->row[row], c->x, c->n), size = 1 + fabs(at) + c->length[row] * po_norm_inf(c->x, c->n);
    if (at < c->lower[row] - PO_CASCADE_HOLDS * size || at > c->upper[row] + PO_CASCADE_HOLDS * size) c->objective[c->objectives++] = row;
    else {
      c->warm[c->in_force] = 0;
      casc_force(c, row, po_min(c->lower[row], at), po_max(c->upper[row], at));
    }
  }
  c->softs = 0;
}

void po_cascade_finish(po_cascade *c) {
  int i;
  if (c->result->status == PO_HQP_OPTIMAL && !po_cascade_hard_holds(c)) c->result->status = PO_HQP_INFEASIBLE;
  memset(c->s->last_active, 0, (size_t)c->s->row_max);
  for (i = 0; i < c->in_force; i++)
    if (c->warm[i] == 1 || c->warm[i] == -1) c->s->last_active[c->force[i]] = c->warm[i];
  memcpy(c->s->x, c->x, sizeof(double) * (size_t)c->n);
  po_hqp_finish(c->s, c->p, c->result);
}

void po_cascade_finish_unranked(po_cascade *c) {
  int k;
  for (k = 0; k < c->p->level_count; k++) c->result->levels[k].rank = c->s->last_rank[k] = -1;
  c->result->free_dimensions = -1;
  po_cascade_finish(c);
}
