/* cascade.h: what the methods that call a QP per level share (reparam.c, linear.c, weighted.c). Not for users.
 *
 * Rows are of three kinds at any moment: objectives of the level at hand, fixed rows (equalities and violated inequalities of the
 * levels done, whose value may not change), and inequalities in force (the hard ones, and those of done levels that hold). A soft
 * inequality row of the level at hand has a slack variable s in its QP, lower <= a x + s <= upper, which costs ½s².
 */
#ifndef PO_CASCADE_H
#define PO_CASCADE_H

#include "hqp_internal.h"

#define PO_CASCADE_HOLDS 1e-9    /* a slack below this times the row's size: the inequality holds and stays in force */
#define PO_CASCADE_HARD 1e-7     /* hard rows may miss by this much, relative, before the problem is called infeasible */
#define PO_CASCADE_QP_TOL 1e-10  /* what is asked of the QPs inside, relative */

#define PO_CASCADE_SIGMA 1e-7    /* proximal term, relative to the mean curvature: small enough that steps converge at once */
#define PO_CASCADE_STEPS 6       /* proximal steps, at most; then the QP is solved as it is */

typedef struct po_cascade {
  po_hqp_solver *s;
  const po_hqp *p;
  const po_hqp_opts *opts;
  po_hqp_result *result;
  int n, rows;
  const double **row;        /* coefficients of every row of the problem */
  double *lower, *upper;     /* its bounds */
  double *length;            /* 2-norm of its coefficients */
  int *level;                /* the level it belongs to */
  int *single;               /* its only column, −1 when it has several: bounds need no product */
  int *plays;                /* 0: it has no bounds, or no coefficients, and can be neither helped nor hurt */

  int in_force;              /* inequality rows in force */
  int *force;                /* which */
  double *force_lo, *force_up;
  int objectives, slacks;    /* rows of the level at hand: equalities; inequalities with a slack */
  int *objective, *slack;    /* which */
  double *x;                 /* the point so far */

  /* the QP of the level at hand, in variables (w, s) */
  int dim;                   /* of w */
  po_mat H, C;               /* (dim+slacks)²; (in_force+slacks) × (dim+slacks) */
  double *g, *cl, *cu;
  double *centre, *pulled;   /* of the proximal steps: where they start, g seen from there */
  po_mat A;                  /* objectives × dim */
  double *b;                 /* objectives */
  po_mat E;                  /* equality rows of linear */
  double *e;
  int equalities;
  signed char *warm;         /* mi + n: the active set to start from, as po_qp_warm has it */
  po_arena qp;               /* memory of the QP solver, and of whatever is needed between two QPs */
} po_cascade;

static inline double po_cascade_clock(const po_cascade *c) { return c->opts->clock ? c->opts->clock() : 0; }

/* Lays out for this problem in s->scratch; PO_ERR_MEMORY when it does not fit: each soft inequality of a level counts as a variable. */
po_status po_cascade_start(po_cascade *c, po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);
/* What a method needs that keeps `squares` n×n matrices besides, and has the rows as equalities of its QP (1) or not (0). */
size_t po_cascade_bytes(int n, int rows, int squares, int equalities);

/* The hard level's inequality rows come into force; its equalities become objectives (with them = 1) or are left out. */
void po_cascade_hard(po_cascade *c, int with_equalities);
/* The rows of soft level k become objectives and slacks. */
void po_cascade_level(po_cascade *c, int k);
/* Bounds of the rows in force and of the slack rows, seen from x: cl, cu. */
void po_cascade_bounds(po_cascade *c);
/* H = A'A (+ damping), I for the slacks; g = −A'b. A and b must be set. */
void po_cascade_cost(po_cascade *c);
/* Solves it. PO_OK with *status and, when optimal, w in `w` (dim + slacks); updates c->warm and the level's kkt (k < 0: none). */
po_status po_cascade_solve(po_cascade *c, int k, double *w, po_hqp_status *status);
/* After x has moved: soft inequalities that hold come into force, the violated ones are appended to `objective`. */
void po_cascade_settle(po_cascade *c);
/* Whether x keeps the hard level. */
int po_cascade_hard_holds(const po_cascade *c);
/* The active rows in force, for the result and the next warm start. */
void po_cascade_finish(po_cascade *c);

#endif
