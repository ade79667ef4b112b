/* hqp_internal.h: what the files behind po_hqp_solve agree on. Not for users.
 *
 *   hqp.c              the solver object: door checks, dispatch, what every result is finished with, save and restore
 *   lexicographic.c    PO_HQP_LEXICOGRAPHIC; its pieces are lex_*.c behind lex.h
 *   reparam.c linear.c weighted.c    the methods that call po_qp
 *   hqp_file.c         .hqp text
 *
 * A method is called with a problem that has passed the door. It lays its scratch out in s->scratch, writes s->x and s->last_active,
 * calls po_hqp_finish for what follows from them (violation, multiplier and active of each level), and sets status, iterations,
 * factorizations, warm, fell_back, free_dimensions and flops of the result and rank, kkt and blocked_by of each level.
 */
#ifndef PO_HQP_INTERNAL_H
#define PO_HQP_INTERNAL_H

#include "qp.h"

struct po_hqp_solver {
  int n_max, level_max, row_max; /* the sizes it was made for */
  void *owned;                   /* block of po_hqp_new, or NULL */

  /* what a result points to */
  double *x;                     /* n */
  double *multiplier;            /* one a row, all levels one after the other */
  double *lambda;                /* level_max × row_max: multipliers of all rows at each level */
  signed char *active;           /* one a row */

  /* the last solve, for warm starts and hysteresis; what po_hqp_save keeps */
  int last_valid;
  int last_n, last_levels;
  int last_rows[PO_HQP_MAX_LEVELS];
  int last_rank[PO_HQP_MAX_LEVELS]; /* −1: unknown */
  uint64_t last_key[PO_HQP_MAX_LEVELS]; /* name and size of each level */
  signed char *last_active;      /* one a row: −1, 0, +1 as the method's working set */

  /* what the look at the door has found */
  double *square;                /* one a row: its length squared */
  uint64_t *mask;                /* rows × po_hqp_words(n): which coefficients are not zero */

  po_arena scratch;              /* max over the methods */
};

static inline int po_hqp_words(int n) { return (n + 63) / 64; }

/* Row `i` of level `k` in arrays over all rows. */
static inline int po_hqp_row_offset(const po_hqp *p, int k) {
  int i, at = 0;
  for (i = 0; i < k; i++) at += p->levels[i].rows;
  return at;
}

/* Bounds as the problem means them. */
static inline double po_hqp_lower(const po_hqp_level *level, int i) { return level->lower[i] > -PO_QP_INFINITY ? level->lower[i] : -PO_INF; }
static inline double po_hqp_upper(const po_hqp_level *level, int i) { return level->upper[i] < PO_QP_INFINITY ? level->upper[i] : PO_INF; }

void po_hqp_finish(po_hqp_solver *s, const po_hqp *p, po_hqp_result *result);

/* Each method: the scratch it needs for problems of up to these sizes, and the solve. A returned status other than PO_OK is misuse
 * (sizes); outcomes go to result->status. opts has been checked and filled in. */
size_t po_hqp_lexicographic_bytes(int n, int levels, int rows);
po_status po_hqp_lexicographic_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);

size_t po_hqp_reparam_bytes(int n, int levels, int rows);
po_status po_hqp_reparam_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);
size_t po_hqp_linear_bytes(int n, int levels, int rows);
po_status po_hqp_linear_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);
size_t po_hqp_weighted_bytes(int n, int levels, int rows);
po_status po_hqp_weighted_solve(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);

#endif
