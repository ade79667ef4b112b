/* lex.h: the pieces of the lexicographic solver, in the order in which a solve meets them. Not for users; docs/lexicographic.md walks through
 * them, docs/prioritized.md has the derivation.
 *
 *   lexicographic.c  the solve from beginning to end: which constraints come and go
 *   rows.c           sorts the rows into equalities of soft levels and constraints, orders the columns; memory
 *   factor.c         level by level: rank, range and null space; the change of variables x = x(v)
 *   sure.c           a level that is plainly of full column rank
 *   stacked.c        the level that holds a multiple of the identity, as a regularization does
 *   normals.c        the constraints in v
 *   compact.c        the optimum and multipliers of a whole working set at once, without J
 *   descend.c        a guess at the working set where many inequalities are in the way: level by level
 *   grade.c          one level of it
 *   start.c          working sets from scratch, with J
 *   choose.c         which constraint comes next, and which go
 *   active.c         the basis J and the triangle R of the constraints in the working set: add, drop, recentre
 *   multipliers.c    multipliers of every level
 *   certificate.c    the answer in the user's rows: multipliers, optimality per level, what blocked what
 *   kernels.c        the row loops under all of them, plain and AVX2
 *
 * Coordinates. The equality rows of the soft levels are factored once, independent of any inequality. That gives a linear map
 * x = x0 + Y L^-1 v in which level g's cost is |v_g|² (+ a constant), one block of coordinates v_g a level, and a last block v_L that
 * no level sees. So v = 0 is the answer when nothing is in the way, and what is left is a problem of least distance with graded cost:
 *     lexmin (|v_0|², |v_1|², … |v_L|²)   subject to   lo <= G v (+ slack) <= up.
 * The rows of the hard level and the inequality rows of soft levels are the constraints. A soft inequality of level g has a
 * slack coordinate of its own that costs in level g; it is added to v when the row first becomes active.
 * "Grade" is the index of a level seen as the price of a coordinate: 0 is dearest, L (the free block) cheapest.
 */
#ifndef PO_LEX_H
#define PO_LEX_H

#include "../hqp_internal.h"
#include "kernels.h"

#define PO_LEX_GRADES (PO_HQP_MAX_LEVELS + 1)

/* ---- tolerances, all relative ---------------------------------------------------------------------------------------------- */
#define PO_LEX_FEASIBLE 1e-12   /* a row counts as violated beyond this times the size of the terms it sums: 50 times the rounding of n = 100 */
#define PO_LEX_MULTIPLIER 1e-11 /* a multiplier is zero below this times the terms it sums: what cancellation leaves of them */
#define PO_LEX_INFEASIBLE 1e-9  /* hard rows may miss by this much before the problem is called infeasible: data come from files and sensors */
#define PO_LEX_HARD 1e-8         /* a point that misses a hard row by more is not called optimal */
#define PO_LEX_NOTHING 1e-12     /* but by less than this times the largest bound is not missed: what cancellation leaves of an x that is zero */
#define PO_LEX_REFINE 1e-13     /* active rows are mended when they miss their bound by more than this times the terms they sum in x */
#define PO_LEX_DRIFT 1e-11      /* v off its working set by more: the basis is made anew; less than that is mended in x at the end */
#define PO_LEX_HEALTH 1e-10     /* free directions off the normals by more: the basis is made anew, well before rank_tol sees it */
#define PO_LEX_PROVEN 1e-10     /* a level whose optimality misses by more has its basis made anew once */
#define PO_LEX_BELIEVED PO_HQP_BELIEVED /* and one that could still gain more than this is not called optimal */
#define PO_LEX_UNMET 1e-4       /* a coordinate of a level's equation that is left by more than this share of its terms is not met */
#define PO_LEX_UNMET_BY PO_HQP_BELIEVED /* unless that share of the violation is less than this */
#define PO_LEX_SMALL 1e-6       /* terms below this times the level's are noise in the data: measured 1e-12 to 2e-9 in recorded ones */

#define PO_LEX_RELAX 10.0       /* factor on the first two each time a budget of iterations is spent, so that rounding cannot make it cycle */

/* ---- one soft level's equality rows, factored ---------------------------------------------------------------------------- */
typedef struct po_lex_level {
  int rows;          /* equality rows; after the factorization those that took part */
  int first;         /* their first row in X */
  int at, rank, end; /* its coordinates are y[at … at+rank−1]; it saw columns at … end−1 */
  double scale;      /* length of its longest equality row */
  double unit;       /* v is measured in it: T y = c + unit·v. The longest of all its rows, so that v is a length in x */

  int right;         /* reflectors from the right: coordinates at … end−1 */
  po_mat V, TV;      /* right × (end−at); Y_k = I − V'(TV) */
  int left;          /* reflectors from the left (rows in `order`) */
  po_mat U;          /* left × rows */
  double *tau;       /* left */
  int *order;        /* rows: pivot order of the level's equality rows; NULL: as they come */
  int *columns;      /* end−at: pivot order of the columns before the right reflectors; NULL: as they come */

  po_mat B;          /* rank × at: what the levels above contribute */
  po_mat S, W, D;    /* S.a not NULL: B is −S^-1 W D and not formed (stacked.c) */
  po_mat T;          /* rank × rank, lower triangle stored */
  po_trans trans;    /* PO_T: the triangle is its transpose */
  double *c;         /* rank: right-hand side */
} po_lex_level;

/* Columns that are neighbours in the problem and stay so: from position `at` on, until the next run's, they are those from `column` on. */
typedef struct po_lex_run { int at, column; } po_lex_run;

/* ---- one constraint --------------------------------------------------------------------------------------------------------- */
typedef struct po_lex_row {
  int row, level, index; /* among all rows; its level; its row there */
  int unit;              /* v coordinate of a row that is a multiple of one coordinate, else −1 */
  double factor;         /* that multiple */
  int equality, soft;    /* soft: it has a slack of grade `level` */
  int slack;             /* coordinate of its slack, −1: none yet */
  int position;          /* in the working set, −1: not there */
  int ignored;           /* 1: hard, dependent on others and missed by less than PO_LEX_INFEASIBLE */
} po_lex_row;

typedef struct po_lex {
  const po_hqp *p;
  const po_hqp_opts *opts;
  const po_lex_kernels *k;
  po_arena *arena;
  po_hqp_solver *solver;
  int n, levels, grades; /* grades = levels + 1 */
  const signed char *start; /* the working set to start from, one entry a row: −1 at lower, +1 at upper, 0 not; NULL: none */
  int relaxed;           /* 1: the hard level is treated as a soft one above all others */
  double flops;

  /* equality rows of soft levels first, then the dense constraints, columns in `perm` order; worked on in place */
  po_mat X;
  double *rhs;           /* of the equality rows */
  int *source;           /* equality row of X: index among all rows */
  unsigned char *fresh;  /* equality row: 1 when it sees a column that no level above sees */
  int *single;           /* equality row: position of its only column, −1: not just one */
  const double *square;  /* row of the problem: its length squared */
  int equality_rows;
  int *perm;             /* position: column of the problem */
  int natural;           /* 1: the columns the levels see keep their order */
  po_lex_run *run;       /* the same in runs of neighbours, and one after the last */
  int runs;
  int touched;           /* columns the soft equalities see; they come first */
  po_lex_level level[PO_HQP_MAX_LEVELS];
  int max_rows;          /* of equality rows in one level */
  po_mat pool_V, pool_TV, pool_U, pool_BT; /* n rows each, handed out to the levels as their ranks become known */
  double *pool_tau, *pool_c;
  int *pool_order, *pool_columns;
  double *x0, *y, *z;    /* the point v = 0; work */
  int impossible;        /* 1: a hard row without coefficients that its bounds exclude */

  /* layout of v */
  int offset[PO_LEX_GRADES + 1]; /* block g is offset[g] … offset[g]+size[g]−1; padded to multiples of 4 */
  int size[PO_LEX_GRADES];
  int nv;                /* offset[grades] */
  int length;            /* nv + slack coordinates, padded */
  int span;              /* all directions but the parked ones are zero from here on; parked coordinates are last, so it is often short */
  int slacks;
  double *v;

  /* constraints: the dense ones first, one row of G each. From a warm start most of them are never needed: then only the first
   * `ready` rows of G are made at once, others when they come in, and are priced in x. */
  int constraints, dense, ready, all_ready;
  unsigned char *fetched; /* of the others: 1 when their row of G is there */
  po_mat fetch_W;        /* PO_LEX_FETCH × (2 n + 1) */
  double *fetch_work;    /* n */
  int *later;            /* of the others: index of the row in its level. Until they are fetched their bounds are those of a·x */
  int unfetched;         /* so many of the others have no row of G */
  double *xv;            /* x(v), when `priced` and `pointed` */
  int priced, pointed;   /* 1: value belongs to the present v; and xv was needed for it */
  po_lex_row *row;
  double *lo, *up;       /* bounds on G v */
  double *norm;          /* length of the row of G */
  double *size0;         /* size of the terms that do not depend on v, for the tolerance */
  po_mat G;
  double *value;         /* G v */

  /* basis: rows of J are directions in v (a direction of grade g is zero in blocks before g) */
  po_mat J;
  int *grade;            /* of each row of J */
  int *slack_grade;      /* of each slack coordinate */
  int *free_rows;        /* rows of J orthogonal to all active normals, dearest grade first */
  int free_start[PO_LEX_GRADES + 1]; /* those of grade g: free_rows[free_start[g] … free_start[g+1]−1] */
  int directions;        /* rows of J in use: n + slacks */

  /* working set, in the order of R */
  int active;
  int parked;            /* the first so many are bounds on directions that nothing else has touched: J_i is still a unit vector */
  int *set;              /* constraint */
  double *sign;          /* +1: at lower, −1: at upper (the normal is multiplied by it) */
  int *bound_row;        /* row of J each one is pivoted on */
  po_mat R;              /* upper triangular: R[i][j] = J row bound_row[i] · normal of set[j] */
  po_mat Lambda;         /* active × grades: multipliers, cleaned of rounding */
  double *normal;        /* work: one normal in v, with its slack */
  double normal_length;
  double *d, *work;      /* work: J·normal in the order free rows, active rows; */
  double *step, *column; /* work: active; 4·active */
  int *todo;             /* work of start.c */
  double *todo_sign;
  signed char *want;     /* one a row of the problem: the next guess */

  /* the working set without J (compact.c) */
  int compact;           /* 1: it stands here */
  po_mat C;              /* its normals, factored; in the memory of J */
  int block[PO_LEX_GRADES + 1]; /* columns of C: block g with the slacks of that grade */
  int *slack_column;     /* column of each slack */
  int pivots, *pivot_row; /* pivot: row of C; its grade is grade[pivot] */
  double *tau_of;        /* pivot: its reflector's */
  double *rhs_of, *length_of; /* row of the set: right-hand side, length of the normal with its slack */
  unsigned char *taken;  /* coordinate of the free block: a bound on it is parked */

  double *terms;         /* n: what the coordinates of a level's equation sum (certificate.c) */
  double rest[PO_HQP_MAX_LEVELS];   /* of each level: length of what its multipliers leave of its equation, a gradient */
  double noise[PO_HQP_MAX_LEVELS];  /* and multipliers whose term in it is no larger than this are not known: taken for zero (multipliers.c) */

  /* descend.c: what is free level by level */
  struct po_lex_descent {
    po_mat Zt, T;        /* n + pads each way: directions that are free; the level's cost in them */
    po_mat Gz, G;        /* constraints × n: all of them in Z; those of the level's problem in its coordinates */
    double *point;       /* nv: where it stands, in v */
    double *base;        /* constraint: its row at the point */
    double *u, *origin, *cost, *reflector, *row; /* n + pads each: a step in Z; the origin of v in the cheap ones; T u + cost is the level's cost; work */
    po_lex_row *rows;    /* of the level's problem */
    double *lo, *up, *norm, *size0, *value;
    int *list, *free, *fixed; /* of the level's problem: constraint; constraints that are not fixed; those that have just been */
    signed char *keep, *here; /* constraint: its side in the set; row of the level's problem: 1 when it is the level's own */
    int open, own;       /* of the level's problem: 1 when its own rows may be violated; how many there are */
  } descent;

  int updates;           /* changes since the basis was made */
  double fresh_health;   /* po_lex_health of the basis when it was last made anew */
  double growth;         /* largest multiple in an elimination since the basis was last looked at */
  double reach;          /* the longest v so far: rounding is relative to it */
  double tol_feasible, tol_multiplier;
  int iterations, factorizations, rebuilds, widened;
  po_hqp_profile *profile; /* one a level; what belongs to no level is in the first */
} po_lex;

static inline double po_lex_clock(const po_lex *w) { return w->opts->clock ? w->opts->clock() : 0; }

/* ---- rows.c -------------------------------------------------------------------------------------------------------------- */
int po_lex_rows(po_lex *w);                           /* 0: out of memory */
void po_lex_copy_row(po_lex *w, int to, const double *a, int columns); /* the first `columns` of a, in `perm` order, to a row of X */
size_t po_lex_bytes(int n, int levels, int rows);     /* of scratch for any problem of up to these sizes */

/* ---- factor.c, sure.c, stacked.c --------------------------------------------------------------------------------------------- */
typedef struct po_lex_scratch {
  po_mat S;      /* n × max rows: a level transposed */
  po_mat W;      /* rows of X × (2 n + 1) */
  po_mat P, R;   /* n × n */
  double *work;  /* 4·(n + max rows) */
  double *tau;   /* n */
  int *list;     /* constraints that are ready */
  int used;      /* rows of the pools handed out */
} po_lex_scratch;
/* Rows D in the coordinates that the levels before k have turned. W: as many rows, n columns; work: n. */
void po_lex_turn(po_lex *w, po_mat D, int k, po_mat W, double *work);
void po_lex_gather(po_lex *w, int k, int from, po_lex_scratch *t);         /* the level's rows from that one on, turned, in X */
const double *po_lex_row_of(const po_lex *w, int k, int source);           /* coefficients of a row of level k, by its index among all */
void po_lex_take_pools(po_lex *w, po_lex_level *f, po_lex_scratch *t);     /* memory of a level whose rank is known */
void po_lex_block(po_lex *w, po_mat S, po_mat V, const double *tau);       /* S: the triangle T^-1' of a block of reflectors */
/* A level with as many rows as coordinates are left, or more, tried without pivoting. 0: its rank is not beyond doubt, it must be pivoted. */
int po_lex_sure(po_lex *w, int k, double threshold, po_lex_scratch *t);
/* out −= B y;  y += alpha B' mu;  Y −= G B. work: rank + rows doubles, or 2 n columns for as many rows as G has. */
void po_lex_b_apply(const po_lex_level *f, double *out, const double *y, double *work);
void po_lex_b_transposed(const po_lex_level *f, double *y, double alpha, const double *mu, double *work);
void po_lex_b_rows(const po_lex_level *f, po_mat Y, po_mat G, po_mat work);
void po_lex_stacked(po_lex *w, int k, po_lex_scratch *t);                  /* a level whose first rows are units, one a coordinate left */
int po_lex_factor(po_lex *w);                        /* 0: out of memory */
void po_lex_point(po_lex *w, double *x, const double *v); /* x(v) */
/* y = Y' g for a gradient g in the problem's columns, and back to the multipliers of the equality rows: see certificate.c */
void po_lex_to_y(const po_lex *w, double *y, const double *g);

/* ---- normals.c ------------------------------------------------------------------------------------------------------------- */
#define PO_LEX_FETCH 12 /* normals made at once: enough for matrix products to pay */
void po_lex_units(po_lex *w);                         /* lengths of the constraints in x (kept in size0 until po_lex_bounds makes a
                                                         tolerance of them), and of the levels' longest rows */
void po_lex_bounds(po_lex *w, int *where);            /* shifts the bounds to G v, turns the columns of unit rows into coordinates */
void po_lex_normals(po_lex *w, const int *list, int m, po_mat W, double *work); /* rows of G; W: m × (2 n + 1), work: n */
void po_lex_fetch(po_lex *w, const int *list, int count); /* normals of constraints that were not ready */
void po_lex_fetch_all(po_lex *w);
void po_lex_fetch_one(po_lex *w, int c);              /* and with it those of others that are violated now: they will be next */

/* ---- active.c ------------------------------------------------------------------------------------------------------------ */
int po_lex_active_layout(po_lex *w);
void po_lex_reset(po_lex *w);                         /* empty working set, J = identity, v = 0 */
/* Right after a reset: takes in bounds of hard rows on free coordinates, which costs nothing. want as in po_lex_build. */
void po_lex_park(po_lex *w, const signed char *want);
void po_lex_load(po_lex *w, int c, double sign);      /* w->normal = the normal of c; makes its slack when it has none */
/* d = J·normal. Returns the grade of the cheapest free direction that moves it, with its length; −1: it depends on the set. */
int po_lex_project(po_lex *w, double *length);
/* Turns the free directions so that one alone of grade g moves the normal, and takes it into the set. w->d must be current. */
void po_lex_append(po_lex *w, int c, double sign, int g);
void po_lex_drop(po_lex *w, int position);
void po_lex_recentre(po_lex *w);                      /* v = the optimum for the working set, given that it satisfies it */
double po_lex_gap(const po_lex *w, int c, double sign); /* how far normal·v is below the bound of c on that side */
/* How far free directions are from being orthogonal to the active normals, in the units in which rank_tol is: rounding, grown. */
double po_lex_health(po_lex *w);
void po_lex_block_dots(const po_lex *w, double *out, const int *rows, int count, int g); /* out[i] = J_rows[i] · v within block g; not for parked rows */

/* ---- choose.c ------------------------------------------------------------------------------------------------------------------ */
void po_lex_price(po_lex *w);                         /* w->value = G v */
int po_lex_most_violated(po_lex *w, double *sign);    /* −1: none */
int po_lex_most_negative(const po_lex *w);            /* in the set; −1: none */
void po_lex_settle(po_lex *w);                        /* drops what has the wrong sign until nothing has: the set is then dual feasible */
int po_lex_blocking(const po_lex *w);                 /* after po_lex_combination: the row of the set that gives way first; −1: none does */

/* ---- descend.c ----------------------------------------------------------------------------------------------------------------- */
/* Every normal must be fetched. Leaves a working set in w->want for po_lex_compact to confirm, in the memory of the basis; 0: it gave up. */
int po_lex_descend(po_lex *w);
int po_lex_grade(po_lex *s);                          /* grade.c: the problem of one level, from a set that is dual feasible; 0: it gave up */

/* ---- start.c --------------------------------------------------------------------------------------------------------------- */
/* The working set of the equalities and the rows named: want[row] −1 at lower, +1 at upper, 0 not. 0: the hard equalities contradict. */
int po_lex_build(po_lex *w, const signed char *want);
/* The same set, its basis anew in the order best for rounding. 0: an equality turned out to depend on the rest and is missing. */
int po_lex_rebuild(po_lex *w);
double po_lex_size(const po_lex *w, int c);           /* the size of the terms that row c sums: its rounding is relative to it */
void po_lex_close_gap(po_lex *w, double gap);         /* v moves along the last bound direction until that gap is closed */

/* ---- compact.c ------------------------------------------------------------------------------------------------------------- */
/* The working set of po_lex_build, its optimum and multipliers, but no J: nothing can be added or dropped afterwards. 0: an equality depends
 * on other rows, or there are too many; po_lex_build then says what that means. */
int po_lex_compact(po_lex *w, const signed char *want);
void po_lex_compact_mend(po_lex *w, double *miss);    /* v takes up what the rows of the set miss; miss is destroyed */

/* ---- multipliers.c ------------------------------------------------------------------------------------------------------- */
void po_lex_multipliers(po_lex *w);                   /* w->Lambda for the optimum of the working set */
void po_lex_solve_multipliers(po_lex *w);             /* w->Lambda = R^-1 w->Lambda, cleaned of rounding */
void po_lex_combination(po_lex *w);                   /* w->step = R^-1 d: the new normal as a combination of the active ones */
int po_lex_clear_noise(po_lex *w);                    /* clears multipliers below w->noise; returns how many */
int po_lex_leading(const po_lex *w, const double *lambda); /* first grade whose multiplier is not zero; grades: none */

/* ---- certificate.c --------------------------------------------------------------------------------------------------------- */
/* Returns the worst that is left of a level's equation, relative to its terms: it shows rounding in the basis. Whether a level is optimal is
 * for its kkt to say, which is in the units of its rows. */
double po_lex_certificate(po_lex *w, po_hqp_result *result);

#endif
