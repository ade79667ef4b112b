/* active_set.h: the dual active-set engine behind po_qp_active_set_solve. Not for users; docs/active-set.md has the equations.
 *
 *   active_set.c         the entry: strictly convex problems straight to the engine, the rest through active_set_prox.c
 *   active_set_factor.c  J and R: start, add a constraint, drop one, solve on the working set
 *   active_set_dual.c    Goldfarb and Idnani's iteration on them
 *   active_set_schur.c   strictly convex problems of control size: a first try that guesses whole working sets
 *   active_set_ray.c     the direction that proves a problem unbounded
 *   active_set_prox.c    singular H and linear programs: proximal steps around the engine, exact steps on the working set
 *
 * The engine solves   min ½ x'Gx + g'x   s.t.  lo[k] <= c_k'x <= hi[k],  G = L L' positive definite, where constraints k < m are rows
 * and k = m + j is the bound on variable j. For the working set W with normals N (upper sides turned round, so that every
 * constraint reads n'x >= b) it keeps   J'G J = I,   J'N = [R; 0],   R upper triangular.
 */
#ifndef PO_ACTIVE_SET_H
#define PO_ACTIVE_SET_H

#include "qp_internal.h"

/* A normal counts as dependent on the working set when what is left of it, in the metric of G, is below this part of the size
 * (Σ n_j² (G^-1)_jj)^½ of the terms that were summed: rounding is 1e-16 of that size, times some growth over the updates. */
#define PO_AS_DEPENDENT 1e-9
/* A row counts as violated beyond this times (norm · (1 + ‖x‖∞)). */
#define PO_AS_FEASIBLE 1e-11
/* A multiplier counts as negative below minus this times the largest multiplier. */
#define PO_AS_NEGATIVE 1e-12

typedef enum po_as_outcome { PO_AS_DONE, PO_AS_INFEASIBLE, PO_AS_LIMIT, PO_AS_TROUBLE } po_as_outcome;

typedef struct po_as {
  int n, me, m;               /* variables; rows of A; rows of A and C together */
  po_mat H, A, C;             /* in the engine's units; H.a NULL: zero */
  double *g;                  /* n: the linear term (moved by the proximal centre) */
  double *lo, *hi;            /* m + n: the sides */
  double *norm;               /* m: 1 / 2-norm of each row */
  double *size;               /* m + n: (Σ n_j² (G^-1)_jj)^½ */
  double sigma;               /* G = H + σI */
  po_mat L;                   /* G = L L' */
  po_mat JT;                  /* row i is column i of J */
  po_mat R;                   /* q×q upper triangle */
  int q, equalities;          /* size of W; its first `equalities` members are l = u and never leave */
  int *work;                  /* W: constraint of each position */
  signed char *side;          /* by position: +1 at lo, −1 at hi */
  double *u;                  /* by position: multiplier, >= 0 but for equalities */
  signed char *state;         /* m + n + 1, by constraint: 0 out, 1 in W, 2 left out on purpose (redundant, or given up for this solve) */
  double *x;                  /* n */
  double *d, *z, *r, *v;      /* n each: J'n, J2 d2, R^-1 d1, scratch */
  double *value;              /* m: rows times x */
  double *value_n;            /* n: scratch */
  double *rot;                /* 2n: the rotations of one drop */
  double feasible, dependent; /* the tolerances in force, >= PO_AS_FEASIBLE and PO_AS_DEPENDENT */
  int changes, limit;         /* of the working set so far; at most */
  int conflict;               /* PO_AS_INFEASIBLE: the constraint that cannot be met, */
  int conflict_side;          /* its side; r holds its combination of W */
} po_as;

static inline const double *po_as_row(const po_as *e, int k) { return k < e->me ? po_row(e->A, k) : po_row(e->C, k - e->me); }
static inline double po_as_bound(const po_as *e, int k, int side) { return side > 0 ? e->lo[k] : -e->hi[k]; }
/* c_k'x */
static inline double po_as_value(const po_as *e, int k, const double *x) {
  return k < e->m ? po_dot(po_as_row(e, k), x, e->n) : x[k - e->m];
}

/* ---- active_set_factor.c --- */
void po_as_layout(po_arena *a, po_as *e, int n, int m);
void po_as_reset(po_as *e);                          /* W empty, J = L^-T */
void po_as_sizes(po_as *e);                          /* e->size, right after po_as_reset */
void po_as_project(po_as *e, int k, int side);       /* d = J'n_k, z = J2 d2 */
void po_as_project_row(po_as *e, const double *normal); /* the same for any normal; it is added as constraint m + n */
int po_as_independent(const po_as *e, int k);        /* after it: whether n_k is independent of W */
void po_as_add(po_as *e, int k, int side, double u); /* appends to W; d and z as po_as_project left them */
void po_as_drop(po_as *e, int position, int keep_d); /* keep_d: rotates d too and brings z up to date */
void po_as_solve_r(po_as *e, double *r, const double *d); /* r = R^-1 d, first q elements; r may be d */
void po_as_solve_rt(po_as *e, double *r);            /* r = R^-T r, in place */
/* x (n) and u (q) of  min ½x'Gx + g'x  on  N'x = b:  v1 = R^-T b, v2 = −J2'g, x = J v, u = R^-1 (v1 + J1'g). */
void po_as_solve_kkt(po_as *e, double *x, double *u, const double *g, const double *b);
/* J and R from scratch for the same W; 0 when some member had become dependent and was left out. */
int po_as_refactor(po_as *e);
/* t += sum of u_i n_i over W. */
void po_as_add_normals(const po_as *e, double *t, const double *u);

/* ---- active_set_dual.c --- */
/* Puts every l = u constraint into W. */
po_as_outcome po_as_equalities(po_as *e);
/* x and u anew from W and g, then drops members until u >= 0. u_valid: the u of before is dual feasible and guides the way. */
void po_as_restart(po_as *e, int u_valid);
/* From dual feasible u to the solution. */
po_as_outcome po_as_dual(po_as *e);

/* Refines (x, u) on W against H, A and C themselves, at most `steps` times. Returns the larger of the two residuals left,
 * Gx + g − Nu and N'x − b, relative to the terms they sum. */
double po_as_refine(po_as *e, int steps);

/* ---- active_set_problem.c --- */
typedef struct po_as_scaled { /* a problem in the engine's units, and the way back */
  po_as e;
  po_qp_scaling sc;
  po_qp_solver *s;
  const po_qp *p;
  const po_qp_opts *opts;
  double *g;                  /* n: the scaled cost without the proximal centre */
  double *t1, *t2;            /* n: scratch */
  double h_max;               /* largest entry of the scaled H */
} po_as_scaled;
void po_as_scaled_layout(po_arena *a, po_as_scaled *w, int n, int me, int mi);
void po_as_scaled_build(po_as_scaled *w);
/* Signed multipliers of W (by position) and of one more constraint (extra_k < 0: none) into the solver's y, z, w. */
void po_as_export_multipliers(po_as_scaled *w, const double *u, double extra, int extra_k, int extra_side);
/* x, y, z, w and the active set into the solver; bounds of W are met to the bit, and their multipliers take what stationarity asks. */
void po_as_export(po_as_scaled *w, const double *u);
/* The engine says its conflict cannot be met: 1 and PO_QP_INFEASIBLE when the ray checks. */
int po_as_export_infeasible(po_as_scaled *w);
/* G = H + sigma I factored into L; 0 when it is not positive definite, with the failing pivot in *at. */
int po_as_cholesky(po_as_scaled *w, double sigma, int *at);
/* After that: the ray of negative curvature, and PO_QP_NONCONVEX. */
void po_as_export_nonconvex(po_as_scaled *w, int at);

/* ---- active_set_schur.c: strictly convex problems of control size, by guessing whole working sets ---- */
size_t po_as_schur_bytes(int n, int me, int mi);
/* 1: solved and checked, the answer is in the solver. 0: not for this way, or no luck; s->active is then the last working set
 * when *guessed is 1, worth a warm start. */
int po_as_schur(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm, int *guessed);

/* ---- active_set_ray.c --- */
/* From W at hand: the steepest direction on W that H does not see, exactly. 1: it proves the problem unbounded, status and ray are set.
 * Destroys J, R and W. */
int po_as_ray(po_as_scaled *w);

/* ---- active_set_prox.c --- */
size_t po_as_general_bytes(int n, int me, int mi);
void po_as_general(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm);

#endif
