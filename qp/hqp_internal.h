/* hqp_internal.h: what the files behind po_hqp_solve agree on. Not for users.
 *
 *   hqp.c              the solver object: door checks, dispatch, what every result is finished with, save and restore
 *   lex/               PO_HQP_LEXICOGRAPHIC, behind lex/lex.h; docs/lexicographic.md walks through it
 *   reparam.c linear.c weighted.c    the methods that call po_qp, behind cascade.h
 *   hqp_proof.c        whether their answers are answers to the levels
 *   hqp_scale.c        the unknowns in other units, where a solve in those at hand proved nothing
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

  double *kept_x, *kept_multiplier; /* n; one a row: the answer while it is being proved */
  signed char *kept_active;      /* one a row */
  signed char *held;             /* one a row: −1, +1 where it pushed in some level's QP: what a proof starts from */
  double *unit, *scaled;         /* n: the columns' largest entries, then logarithms of other units; all rows: the problem in those (hqp_scale.c) */
  double *step;                  /* n: the units */
  int apart;                     /* 1: the columns' largest entries are far apart */
  int *label;                    /* n */
  int doubtful;                  /* 1: the proof of the last lexicographic answer has taken terms for noise that in other units are none */
  po_arena scratch;              /* max over the methods */
};

int po_hqp_apart(const double *peak, int n);
/* The problem with x = unit · x', in s->scaled and `levels`; s->unit has the columns' largest entries, and gets the units. */
void po_hqp_scale(po_hqp_solver *s, const po_hqp *p, po_hqp *scaled, po_hqp_level *levels);
void po_hqp_scale_layout(po_hqp_solver *s, po_arena *a, int n, int rows);

/* ---- when a level is called optimal --------------------------------------------------------------------------------------------
 *
 * Let δ be the part of its rows' violations that could be avoided. Where all of it could, its violation is δ, and must be nothing: 1e-6. Beside a
 * violation v that cannot, δ makes √(v² + δ²): 1e-4 v adds 5e-9 v, and long rows that contradict each other leave that much to rounding. */
#define PO_HQP_BELIEVED 1e-6 /* a level's kkt up to which it is called optimal: δ relative to po_hqp_believable */
#define PO_HQP_BESIDE 100.0  /* so 1e-4 of the level's violation, */
#define PO_HQP_TERMS 1e-6    /* and 1e-12 of the terms that a row sums pass for rounding: fifty times that of n = 100 */
#define PO_HQP_AGREE 1e-8    /* two methods that agree in every row to this, in the same units, are both right */
/* max(1, 100 · violation of the level) + 1e-6 · terms of the row: the unit of kkt, in the row's own units. */
double po_hqp_believable(double violation, double terms);
double po_hqp_terms(const double *a, const double *x, int n); /* Σ |a_j x_j|: |a| |x| would let an unknown in small units excuse rows that do not see it */

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
/* 1: the method minimizes what the levels are defined by. */
static inline int po_hqp_judged(const po_hqp_opts *o) { return o->method != PO_HQP_WEIGHTED && o->damping == 0; }
/* After a method other than lexicographic: sets every level's kkt, and its rank when the method knows none; what is not proven optimal is called
 * numerical. Weighted keeps its status, which is about its own cost, and so does damping. */
void po_hqp_prove(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);

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
