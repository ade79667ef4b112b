/* qp.h: quadratic programs, and stacks of least-squares levels in strict priority, with answers that carry their proof.
 *
 *   one QP       po_qp (the problem)  po_qp_opts_default  po_qp_opts_preset  po_qp_bytes  po_qp_init  po_qp_new  po_qp_free
 *                po_qp_solve  po_qp_last  po_qp_result (the answer and its certificate)  po_qp_explain  po_qp_status_string  po_qp_method_string
 *   checking     po_qp_residuals: the residuals of any (x, y, z, w), as the solvers themselves check them
 *   priorities   po_hqp (the problem)  po_hqp_opts_default  po_hqp_bytes  po_hqp_init  po_hqp_new  po_hqp_free
 *                po_hqp_solve  po_hqp_result  po_hqp_violation  po_hqp_status_string  po_hqp_method_string
 *                po_hqp_save_bytes  po_hqp_save  po_hqp_restore
 *   files        po_qps_read  po_qps_write  po_qp_file_free  po_hqp_read  po_hqp_write_header  po_hqp_write  po_hqp_file_free
 *
 * Matrices are row-major po_mat views that stay the caller's; nothing allocates in a solve. A solver object owns its scratch,
 * its warm start and the arrays a result points to (valid until its next solve). One object per thread.
 * Infinite bounds are ±PO_INF (anything beyond ±PO_QP_INFINITY counts as infinite).
 */
#ifndef PO_QP_H
#define PO_QP_H

#include "../la/la.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PO_QP_INFINITY 1e20

/* ==== one quadratic program ============================================================================================
 *
 *   min  ½ x'Hx + g'x + constant    s.t.   A x = b,   cl <= C x <= cu,   xl <= x <= xu
 *
 * At a solution  Hx + g = A'y + C'z + w  with z, w positive at a lower bound, negative at an upper one, zero between. */

typedef struct po_qp {
  int n, me, mi;               /* variables, equality rows, two-sided rows */
  po_mat H;                    /* n×n symmetric positive semidefinite, both triangles filled; H.a NULL: zero (an LP) */
  const double *g;             /* n; NULL: zero */
  double constant;
  po_mat A;                    /* me×n */
  const double *b;             /* me */
  po_mat C;                    /* mi×n */
  const double *cl, *cu;       /* mi each; a row with cl = cu is an equality too */
  const double *xl, *xu;       /* n each; NULL: free. xl = xu fixes a variable */

  /* Structure the caller can promise, so that a control tick does not pay for zeros. All optional (0 / NULL). */
  const int *h_blocks;         /* sizes of H's diagonal blocks in order, adding up to n; −k: k variables with a diagonal block */
  int h_block_count;
  int same_H;                  /* 1: H equals that of this solver's previous solve, its factors may be used again */
  int same_rows;               /* 1: A and C equal those of the previous solve */

  const char *const *row_names; /* me + mi names (A's rows first), or NULL; used to tell which constraints conflict */
  const char *const *var_names; /* n names or NULL */
} po_qp;

typedef enum po_qp_method { PO_QP_ACTIVE_SET, PO_QP_INTERIOR_POINT } po_qp_method;
typedef enum po_qp_status {
  PO_QP_OPTIMAL,         /* all residuals were checked against the tolerances */
  PO_QP_INFEASIBLE,      /* y, z, w hold a Farkas ray that proves it; `conflict` lists its rows */
  PO_QP_UNBOUNDED,       /* x holds a feasible point, `ray` a direction in which nothing ends: H ray = 0, g'ray < 0 */
  PO_QP_NONCONVEX,       /* `ray` holds a direction of negative curvature: ray'H ray < 0 */
  PO_QP_ITERATION_LIMIT, /* x is the last iterate */
  PO_QP_NUMERICAL        /* residuals could not be brought below the tolerances; x is the best iterate */
} po_qp_status;
const char *po_qp_status_string(po_qp_status status); /* "optimal" "infeasible" "unbounded" "nonconvex" "iteration_limit" "numerical" */
const char *po_qp_method_string(po_qp_method method); /* "active_set" "interior_point" */

typedef enum po_qp_preset { PO_QP_FAST, PO_QP_BALANCED, PO_QP_ROBUST } po_qp_preset;
typedef struct po_qp_opts {
  po_qp_method method;
  double tol_primal, tol_dual, tol_gap; /* relative, in the sense of po_qp_residuals */
  int max_iterations;                   /* 0: chosen from the size */
  int scale;                            /* equilibrate rows and columns first */
  int polish;                           /* interior point: solve once more on the active set it found */
  int refine;                           /* steps of iterative refinement at the end, at most */
} po_qp_opts;
po_qp_opts po_qp_opts_default(void);             /* active_set, PO_QP_BALANCED */
po_qp_opts po_qp_opts_preset(po_qp_method method, po_qp_preset preset);

/* Where to start. NULL members are unknown. A warm start that fails falls back to cold, and the result says so. */
typedef struct po_qp_warm {
  const signed char *active;       /* mi + n entries as in po_qp_result.active */
  const double *x, *y, *z, *w;
} po_qp_warm;

typedef struct po_qp_result {
  po_qp_status status;
  double objective;
  double primal_residual, dual_residual, gap; /* as po_qp_residuals defines them */
  int iterations;                  /* changes of the working set, or interior-point steps */
  int warm;                        /* 1: the warm start was used */
  int fell_back;                   /* 1: it was tried and given up for a cold start */
  const double *x;                 /* n */
  const double *y, *z, *w;         /* me, mi, n */
  const signed char *active;       /* mi rows then n bounds: −1 at lower, +1 at upper, 0 inactive, 2 equality (l = u) */
  const double *ray;               /* n, when unbounded or nonconvex; else NULL */
  const int *conflict;             /* when infeasible: indices into A's rows, C's rows (+me), bounds (+me+mi) */
  int conflict_count;
} po_qp_result;

typedef struct po_qp_solver po_qp_solver;
/* Bytes for problems of up to these sizes, whatever the method and options. */
size_t po_qp_bytes(int n, int me, int mi);
po_status po_qp_init(po_qp_solver **solver, int n, int me, int mi, void *mem, size_t bytes);
po_status po_qp_new(po_qp_solver **solver, int n, int me, int mi);
void po_qp_free(po_qp_solver *solver);
/* Misuse (sizes, NaN, lower > upper) is the returned status; the outcome of a well-posed call is result->status.
 * opts NULL: default. warm NULL: cold. po_qp_last(solver) gives the warm start from this object's last solution. */
po_status po_qp_solve(po_qp_result *result, po_qp_solver *solver, const po_qp *problem, const po_qp_opts *opts,
                      const po_qp_warm *warm);
po_qp_warm po_qp_last(const po_qp_solver *solver);
/* One sentence about a result, with the problem's own names: "infeasible: knee_torque, contact_3 and the bounds of x12 cannot hold together".
 * Written as by po_format; returns the length that was needed. */
int po_qp_explain(char *out, size_t capacity, const po_qp *problem, const po_qp_result *result);

/* primal = max row violation / (1+‖row‖∞‖x‖∞) over rows and bounds; dual = ‖Hx+g−A'y−C'z−w‖∞ / (1+max(‖Hx‖∞,‖g‖∞,‖A'y+C'z+w‖∞));
 * gap = |primal−dual objective| / (1+|primal objective|), where multipliers of the wrong sign count against the gap as ∞·0 rules say:
 * a multiplier on an infinite bound is a dual residual. */
typedef struct po_qp_residual {
  double primal, dual, gap, objective;
} po_qp_residual;
po_status po_qp_residuals(po_qp_residual *out, const po_qp *problem, const double *x, const double *y, const double *z,
                          const double *w, po_arena *scratch);

/* ==== levels in strict priority ========================================================================================
 *
 * Level k asks for  lower <= A x <= upper  in the least-squares sense: minimize the 2-norm of its violation
 * max(lower − A x, 0, A x − upper), without making any level above it worse. A hard level must hold exactly.
 * lower = upper makes a row an equality. Weights are multiplied into rows. */

typedef struct po_hqp_level {
  const char *name;            /* may be NULL */
  int rows;                    /* may be 0 */
  po_mat A;                    /* rows×n */
  const double *lower, *upper; /* rows each, ±inf allowed */
  int hard;                    /* only the first level may be hard */
} po_hqp_level;

typedef struct po_hqp {
  const char *name;
  int n, level_count;
  const po_hqp_level *levels;
} po_hqp;

typedef enum po_hqp_method { PO_HQP_REPARAM, PO_HQP_LINEAR, PO_HQP_WEIGHTED, PO_HQP_LEXICOGRAPHIC } po_hqp_method;
const char *po_hqp_method_string(po_hqp_method method); /* "reparam" "linear" "weighted" "lexicographic" */

typedef enum po_hqp_status {
  PO_HQP_OPTIMAL,         /* proven, whatever the method: every level's violation is the least that the levels above allow, to 1e-6 of max(1, it)
                             (kkt tells how well), and the hard level holds. weighted, and reparam and linear with damping: their own cost is
                             least; kkt tells how far that is from the levels */
  PO_HQP_INFEASIBLE,      /* the hard level cannot hold: its rows contradict each other. x: lexicographic: misses it least; others: the last good one */
  PO_HQP_ITERATION_LIMIT, /* x is the last iterate */
  PO_HQP_NUMERICAL        /* an answer that could not be proven; it may be right */
} po_hqp_status;
const char *po_hqp_status_string(po_hqp_status status);

typedef struct po_hqp_opts {
  po_hqp_method method;        /* lexicographic */
  po_qp_method qp;             /* used inside reparam, linear, weighted */
  po_basis basis;              /* null spaces of reparam: PO_BASIS_SVD or PO_BASIS_ORTHOGONAL */
  double rank_tol;             /* relative; < 0: PO_HQP_RANK_TOL */
  double hysteresis;           /* ratio ≥ 1 by which a row dropped from a rank at the last solve must exceed rank_tol to come back; 1: off */
  double damping;              /* of the cost, relative to its trace; never of a null-space basis. 0: none */
  double weight_ratio;         /* weighted: each level weighs this many times the next (squared norms) */
  int max_iterations;          /* 0: chosen from the size */
  int second_opinion;          /* lexicographic: 1: where it got stuck or reached max_iterations, reparam (active set) answers in its place, which
                                  costs several times a solve; 0: x is the last iterate, which need not keep the hard level, and the status says why.
                                  With a deadline: 0 */
  int warm;                    /* 1: start from this object's last active set, level by level: those of the same name and number of rows */
  po_clock_fn clock;           /* NULL: no profile */
} po_hqp_opts;
#define PO_HQP_RANK_TOL 1e-8
po_hqp_opts po_hqp_opts_default(void);

typedef struct po_hqp_level_result {
  double violation;            /* 2-norm of max(l−Ax, 0, Ax−u) over the level's rows */
  int rank;                    /* of the level's rows in what the levels above leave free; −1: not known (linear, weighted: when nothing was proven) */
  double kkt;                  /* how much of a row's violation could be avoided without hurting a level above, in units of
                                  max(1, 100 · violation of the level) + 1e-6 · (terms of the row). Of a hard level: its violation.
                                  lexicographic: from its multipliers; the others: the distance from the violations that it proves */
  int blocked_by;              /* the higher level whose rows take most from this one's optimum; −1: none */
  const signed char *active;   /* rows: −1 at or below lower, +1 at or above upper, 0 inactive, 2 equality */
  const double *multiplier;    /* rows: this level's own residual A x − clamp(A x) for its rows (see docs/prioritized.md) */
  const double *lambda;        /* the proof, lexicographic only (else NULL): multipliers at this level of all rows of the levels 0 … k−1, one
                                  after the other, so that A_k' multiplier_k + Σ_j A_j' lambda_j = 0. Negative at a lower bound. */
} po_hqp_level_result;

typedef struct po_hqp_profile { /* seconds; only when opts.clock is set */
  double factor, solve, multipliers, update, null_space, qp, other;
} po_hqp_profile;

#define PO_HQP_MAX_LEVELS 16
typedef struct po_hqp_result {
  po_hqp_status status;
  const double *x;             /* n */
  int level_count;
  po_hqp_level_result levels[PO_HQP_MAX_LEVELS];
  int proof;                   /* 1: what the status says was proven of every level (or that the hard rows contradict each other), from multipliers, row by
                                  row and unknown by unknown; weighted and damping: only when the levels got what they could have */
  int iterations;              /* changes of the working set over all levels */
  int factorizations;          /* from scratch */
  int warm;
  int fell_back;               /* a warm start was given up for a cold one, or a QP inside was solved again with all care */
  int widened;                 /* times lexicographic made its tolerances ten times wider, because it had come around in a circle or run out of budget */
  int second_opinion;          /* 1: lexicographic got stuck or reached max_iterations, and this is reparam's answer (iterations: of both) */
  int rescaled;                /* 1: nothing was proven in the units of the unknowns, which are far apart; the answer is from units that are near each other
                                  (powers of two), and where x is not unique it is the shortest in those */
  int free_dimensions;         /* of x left after the last level: 0 means x is unique; −1: not known, as ranks */
  double flops;                /* an estimate of the work done */
  po_hqp_profile profile[PO_HQP_MAX_LEVELS]; /* by level */
} po_hqp_result;

typedef struct po_hqp_solver po_hqp_solver;
/* Sizes are upper limits: n variables, `levels` levels, `rows` rows in all levels together. There is room for every such problem, by every method
 * and with every option: soft inequalities need no variables of their own. */
size_t po_hqp_bytes(int n, int levels, int rows);
po_status po_hqp_init(po_hqp_solver **solver, int n, int levels, int rows, void *mem, size_t bytes);
po_status po_hqp_new(po_hqp_solver **solver, int n, int levels, int rows);
void po_hqp_free(po_hqp_solver *solver);
po_status po_hqp_solve(po_hqp_result *result, po_hqp_solver *solver, const po_hqp *problem, const po_hqp_opts *opts);
/* 2-norm of the violation of one level at x. */
double po_hqp_violation(const po_hqp_level *level, int n, const double *x);
/* Warm-start state (active sets, rank hysteresis) as a stream (base.h), so that restore-then-solve is bit-identical; into a solver made for the same
 * sizes. An altered state is refused as po_stream_restore says, and changes nothing. */
size_t po_hqp_save_bytes(const po_hqp_solver *solver);
po_status po_hqp_save(void *state, size_t bytes, const po_hqp_solver *solver); /* PO_ERR_MEMORY when `bytes` are too few */
po_status po_hqp_restore(po_hqp_solver *solver, const void *state, size_t bytes);

/* ==== files ============================================================================================================ */

/* A problem with the memory it stands in; freed as a whole. */
typedef struct po_qp_file {
  po_qp qp;
  char name[64];
  int maximize;                /* OBJSENSE MAX: the objective was negated on reading */
  const int *row_order;        /* me + mi: the file's k-th constraint row is row row_order[k] of (A; C) */
  void *memory;
} po_qp_file;
/* QPS: free and fixed columns, RANGES, BOUNDS of every kind, QUADOBJ and QMATRIX, OBJSENSE. */
po_status po_qps_read(po_qp_file **file, const char *text, size_t size, const char *path, po_error *err);
/* Names that cannot stand in a file (blanks, two alike) are replaced by R1 R2 … and X1 X2 …. Out of memory: PO_ERR_MEMORY, `out` holds a part. */
po_status po_qps_write(po_buffer *out, const po_qp *problem, const char *name);
void po_qp_file_free(po_qp_file *file);

typedef struct po_hqp_file {
  int count;
  po_hqp *problems;
  void *memory;
} po_hqp_file;
po_status po_hqp_read(po_hqp_file **file, const char *text, size_t size, const char *path, po_error *err);
void po_hqp_write_header(po_buffer *out);                     /* "hqp 1" */
void po_hqp_write(po_buffer *out, const po_hqp *problem);     /* one problem … end */
void po_hqp_file_free(po_hqp_file *file);

#ifdef __cplusplus
}
#endif
#endif
