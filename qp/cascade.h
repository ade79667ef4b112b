/* cascade.h: what the methods that call a QP per level share (reparam.c, linear.c, weighted.c). Not for users.
 *
 *
 *   cascade.c       the rows: which kind each is, when it changes kind; memory; the result
 *   cascade_qp.c    one level: which soft rows pull, the QP for them
 *   cascade_turn.c  variables in which that QP has no scales
 *
 * Rows are of three kinds at any moment: objectives of the level at hand, fixed rows (equalities and violated inequalities of the
 * levels done, whose value may not change), and inequalities in force (the hard ones, and those of done levels that hold). A soft
 * inequality row of the level at hand is an objective while it is violated (it pulls towards the bound it misses) and nothing while it is
 * not: cascade_qp.c goes from one set of pulling rows to the next. A slack variable each would do the same in one QP with many more variables,
 * and a solver made for n variables has no room for them.
 */
#ifndef PO_CASCADE_H
#define PO_CASCADE_H

#include "hqp_internal.h"

#define PO_CASCADE_HOLDS 1e-9    /* a slack below this times the row's size: the inequality holds and stays in force */
#define PO_CASCADE_HARD 1e-7     /* hard rows may miss by this much, relative, before the problem is called infeasible */
#define PO_CASCADE_QP_TOL 1e-10  /* what is asked of the QPs inside, relative */

#define PO_CASCADE_SIGMA 1e-6    /* proximal term, relative to the mean curvature: small enough that steps converge at once */
#define PO_CASCADE_STEPS 6       /* proximal steps, at most */
#define PO_CASCADE_ROUNDS 60     /* sets of pulling rows, at most: random stacks need up to a dozen */

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
  int objectives, softs;     /* rows of the level at hand: equalities; inequalities */
  int *objective, *soft;     /* which */
  double *x;                 /* the point so far */

  /* the QP of the level at hand, in the step w */
  int dim;                   /* of w */
  po_mat H, C;               /* dim²; in_force × dim */
  double *g, *cl, *cu;
  double *centre, *shifted;  /* of the proximal steps: where they start, g seen from there */
  po_mat A;                  /* (objectives+softs) × dim, in the order of `objective`, then of `soft` */
  double *b;                 /* as many: what A w should be; of a soft row the bound it is pulled to */
  double *soft_lo, *soft_up; /* softs: bounds on its row of A w */
  signed char *side;         /* softs: −1 pulled to its lower bound, +1 to its upper, 0 not pulled */
  int pulled;                /* the first so many of `soft` are */
  double *at, *along;        /* objectives + softs: A w, and what it changes by along a step */
  double *step;              /* dim: where the QP says to go */
  int judged;                /* 1: the levels are held against their definition at the end (hqp_proof.c); 0: they have damping or weights, and
                                what a QP says of itself is all there is */
  po_mat E;                  /* equality rows of linear */
  double *e;
  int equalities;

  /* the same QP turned (cascade_turn.c): in u = A w − b and what A does not see */
  double floor;              /* directions along which the rows of A have less than this do not count */
  int turned_rows;           /* so many rows of A pulled in the last QP of this level, and V is theirs; −1: there was none */
  double unit;               /* u is measured in it */
  int rank;                  /* of the rows that pull: so many coordinates u come first */
  po_mat QRP, Z;             /* A' P = V R; R' = Q (S; 0) when the rank is not full */
  double *tau, *ztau, *shift; /* shift: u + shift = S y */
  int *perm;
  po_mat TC, TE;             /* C and E in these variables */
  double *tl, *tu, *te;      /* and their bounds */

  signed char *warm;         /* mi + n: the active set to start from, as po_qp_warm has it */
  po_arena qp;               /* memory of the QP solver, and of whatever is needed between two QPs */
} po_cascade;

static inline double po_cascade_clock(const po_cascade *c) { return c->opts->clock ? c->opts->clock() : 0; }

/* Lays out for this problem in s->scratch. */
po_status po_cascade_start(po_cascade *c, po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);
/* What a method needs that keeps `squares` n×n matrices besides, and has the rows as equalities of its QP (1) or not (0). */
size_t po_cascade_bytes(int n, int rows, int squares, int equalities);

/* The hard level's inequality rows come into force; its equalities become objectives (with them = 1) or are left out. */
void po_cascade_hard(po_cascade *c, int with_equalities);
/* The rows of soft level k become objectives and softs. */
void po_cascade_level(po_cascade *c, int k);
/* Bounds of the rows in force, seen from x: cl, cu. */
void po_cascade_bounds(po_cascade *c);
/* Solves the level whose A, b, soft_lo, soft_up, C, cl, cu (and E, e) stand. PO_OK with *status and, unless it is infeasible, w in `w` (dim);
 * updates c->warm. k: the level, for the profile. */
po_status po_cascade_solve(po_cascade *c, int k, double *w, po_hqp_status *status);
/* ---- cascade_turn.c: cost ½|u|² instead of ½ w'A'A w ------------------------------------------------------------------------------- */
/* Turns C, E and their bounds for the objectives and the first c->pulled soft rows; memory from `a`. Fills H (I for u, 0 for the rest) and g. */
po_status po_cascade_turn(po_cascade *c, po_arena *a);
void po_cascade_turn_back(const po_cascade *c, double *w, const double *turned, po_arena *scratch);
size_t po_cascade_turn_bytes(int n, int pulling, int others);

/* After x has moved: soft inequalities that hold come into force, the violated ones are appended to `objective`. */
void po_cascade_settle(po_cascade *c);
/* Whether x keeps the hard level. */
int po_cascade_hard_holds(const po_cascade *c);
/* Holds hard rows against the answer once more; leaves the active rows in force for the result and the next warm start. */
void po_cascade_finish(po_cascade *c);
/* The same for methods that learn no ranks. */
void po_cascade_finish_unranked(po_cascade *c);

#endif
