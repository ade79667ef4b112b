/* active_set_schur.h: the working sets of active_set_schur.c and the iteration over them in active_set_blocks.c. Not for users.
 *
 * H is split into a dense part D and the variables E with a diagonal row of their own (friction weights in whole-body control). An E
 * variable at its bound leaves the problem; what remains on a working set of rows is the Schur complement
 *     S u = b − N'x0,   S = N_D' H_D^-1 N_D + Σ_{j in E, free} n_j n_j' / h_j,
 * as large as the number of working rows. N_D' H_D^-1 N_D is formed once for all rows, so a working set, whatever it is, costs one small
 * Cholesky factorization: no factors need to be carried from one to the next, and constraints may come and go in whole groups.
 */
#ifndef PO_ACTIVE_SET_SCHUR_H
#define PO_ACTIVE_SET_SCHUR_H

#include "active_set.h"

#define PO_ASC_ROWS_MAX 160     /* rows and bounds on D; beyond, S is no longer small */

typedef struct po_asc {
  int n, me, m;              /* variables, rows of A, rows of A and C */
  int nd, ne, nk;            /* variables of D and of E; rows of K: those of A and C, then the bounds on D */
  int *d, *e;                /* the variables of D and E */
  int *kd;                   /* nk − m: which of D each further row of K bounds */
  po_mat L, V, K;            /* H_D = L L'; V: rows L^-1 n_D; K = V V' */
  po_mat NE;                 /* nk×ne: the rows' E part; its padding is zero */
  double *h, *inverse;       /* ne: the diagonal; 1 over it */
  double *c, *x0e;           /* L^-1 g_D; −g_E/h */
  double *base;              /* nk: n_D'x0_D = −V c */
  double *size;              /* nk + ne: (n'H^-1 n)^-½, the unit in which violations are compared; 0: not yet known */
  double *lo, *hi;           /* nk + ne: sides of the rows, then of E's bounds */
  double *low, *high;        /* nk + ne: the same with the tolerance: beyond them a constraint is violated */
  signed char *state;        /* nk + ne: the working set: −1 at lo, +1 at hi, 2 l = u, 0 out */
  double *mult;              /* nk + ne: multipliers of the dual iterate, of the sign the state asks for */
  double *target;            /* nk + ne: multipliers that solve the working set */
  double *excess;            /* nk + ne: scratch */
  int *list;                 /* nk + ne: scratch */
  int *work, q;              /* its rows */
  int *fixed, f;             /* the E variables at a bound */
  po_mat S;                  /* Cholesky factor of S */
  double *u;                 /* q: multipliers of the rows */
  double *xe;                /* ne */
  double *ne_u;              /* ne: N_E'u */
  double *weight;            /* ne: 1/h where free, 0 at a bound; padding zero */
  double *value, *t1, *t2, *t3;
} po_asc;

/* ---- active_set_schur.c --- */
/* u, x_E and target of the working set. Returns −1, or the constraint (row of K) that depends on the rows before it. */
int po_asc_solve(po_asc *w);
static inline double po_asc_side(const po_asc *w, int i) { return w->state[i] == 1 ? w->hi[i] : w->lo[i]; }
/* Whether the multiplier m (positive at a lower side) has the sign its state asks for. */
static inline int po_asc_keeps(int state, double m, double slack) { return state == 2 || (state == -1 ? m >= -slack : m <= slack); }

/* ---- active_set_gram.c --- */
/* The lower triangle of S = K_WW + NE_W diag(weight) NE_W'. Rows of NE and weight are read up to a multiple of 4. */
void po_asc_gram(po_mat S, po_mat K, po_mat NE, const double *weight, const int *work, int q);

/* ---- active_set_blocks.c --- */
/* From the state and mult at hand to the working set of the solution. 1: found, u and x_E solve it. *changes counts, up to
 * `limit` (0: its own). */
int po_asc_iterate(po_asc *w, int *changes, int limit);

#endif
