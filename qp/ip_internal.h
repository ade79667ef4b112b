/* ip_internal.h: what the files of the interior-point method share. docs/interior-point.md has the equations.
 *
 *   interior_point.c  the entry: build, start, iterate, conclude; warm starts and fallbacks
 *   ip_build.c        the core problem: fixed variables and idle rows removed, scaled, coupled variables first; and the way back
 *   ip_kkt.c          the linear system of a step: factor, solve, refine
 *   ip_step.c         residuals, starting points, Mehrotra's predictor and corrector
 *   ip_polish.c       one equality-constrained solve on the active set that was found
 *   ip_rays.c         proofs: Farkas rays, directions of unboundedness, directions of negative curvature
 */
#ifndef PO_IP_INTERNAL_H
#define PO_IP_INTERNAL_H

#include "qp_internal.h"

/* ---- tolerances of the method, in the scaled space ---------------------------------------------------------------------- */

#define IP_RHO 1e-9          /* added to the diagonal of H in the factored matrix; refinement takes its effect out again */
#define IP_DELTA 1e-9        /* the same for the rows: makes dependent equality rows harmless */
#define IP_REG_MIN 1e-13     /* the smallest either becomes when it slows the iteration down */
#define IP_REG_MAX 1e-2      /* the largest either grows to when a factorization fails */
#define IP_CURVATURE 1e-9    /* H + this·diag(H) must have a Cholesky factor, or H is called nonconvex */
#define IP_CURVATURE_FLOOR 1e-13 /* ... + this·(largest entry) */
#define IP_HELD_SLACK 1e-10  /* a row violated by more than this, relative to its bound, is held in the next round of polishing */
#define IP_SCALE_SWEEPS 3    /* passes of the equilibration; more do not save iterations */
#define IP_MU_FLOOR 1e-15    /* complementarity that the auxiliary problems aim for */
#define IP_STEP_BACK 0.995   /* share of the way to the boundary that a step may take, at least */
#define IP_SIGMA_MIN 1e-8    /* Mehrotra's centering is not trusted below this */
#define IP_LONGER 0.1        /* how much longer a step the further correctors aim for */
#define IP_EQUAL_LENGTHS 1e-3 /* step lengths of primal and dual that differ by less are made equal */
#define IP_REFINE 2          /* steps of refinement per linear solve, once needed */
#define IP_REFINE_MAX 4      /* ... where exactness counts: polishing and rays */
#define IP_REFINE_GOAL 1e-11 /* relative residual of a linear solve that needs no further refinement */
#define IP_BROKEN_PROMISE 1e-3 /* share of a residual that a step may leave over what it should have */
#define IP_START_SLACK 1e-3  /* least slack of a starting point that needs no shift */
#define IP_START_Z 0.1       /* multipliers at the start: at least this, */
#define IP_START_SHARE 0.3   /* and this share of the gradient. 0.1 … 1 are within 10 % of each other in iterations */
#define IP_START_FAR 1e4     /* a bound farther away stands for none: it does not pull the start, nor does t z there exceed this times z */

/* The three problems that one engine solves (kind of ip_build). */
typedef enum ip_kind {
  IP_MAIN, /* the caller's */
  IP_FEAS, /* least violation: min ½‖violation of rows‖² within the bounds; its multipliers are a Farkas ray when not zero */
  IP_RAY   /* the projection of −g onto the cone of directions in which nothing ends */
} ip_kind;

/* A side is one finite bound of one row or variable:  t = sign·v − beta > 0  with multiplier z > 0. */
typedef struct ip_core {
  ip_kind kind;
  int n, nd;            /* variables kept; the first nd are coupled by H, the others stand in its diagonal only */
  int m, ne;            /* rows kept; the first ne are equalities */
  int ns, ns_rows;      /* sides; the first ns_rows belong to rows */
  int ms;               /* the first ms rows are eliminated last (Schur complement), the others first (condensed into K) */
  int nk;               /* order of the dense part of K: nd, or n when rows are condensed */
  int dense_constant;   /* 1: nothing in the dense part of K changes between iterations */
  int dense_ready;      /* 1: it is factored */
  int schur_max;        /* rows S has room for */

  /* the core problem: ½ h x'Hx + ½ prox x'x + g'x,  rows G x (+ elastic·lam) in [lo, hi], bounds as sides only */
  po_mat H, G;          /* nd×nd, m×n */
  double *hdiag;        /* n; zero for the first nd */
  double *g, *lo, *hi;  /* n, m, m (equalities: lo = hi) */
  double h_weight, prox, elastic;
  double constant;      /* objective of the caller = core objective / cost + constant */

  /* the way back */
  int *var, *row;       /* n, m: the caller's index (rows: A's first, then C's) */
  double *col_scale, *row_scale; /* of the caller's variables and rows */
  double *row_norm;     /* m: ‖row‖∞ in the caller's units */
  double *x_fixed;      /* the caller's n: value of eliminated variables */
  double cost, x_fixed_max, g_norm;
  int scaled;           /* 1: by equilibration, 0: only the cost */

  /* the iterate */
  double *v, *x;        /* m + n: row values, then x = v + m */
  double *lam, *w;      /* m, n: signed multipliers of rows and of bounds */
  int *side;            /* ns: index into v */
  double *sign, *beta, *t, *z, *r; /* ns: ..., r = sign·v − beta − t */
  double mu, mu_floor;  /* complementarity, and where it need not fall below */

  /* residuals */
  double *hx, *rd, *rp; /* n, n, ne: H x, H x + g − G'lam − w, G x − b */
  double primal, dual, gap, objective, merit; /* in the caller's units, as po_qp_residuals means them */
  double x_norm;
  double goal_primal, goal_dual; /* what the iteration is after */
  double was_rd, was_rp, promise_rd, promise_rp; /* norms of rd and rp, and what the step should have left of them (< 0: unknown) */

  /* the step */
  double *dv, *dx, *dlam;                       /* m + n (dx = dv + m), m */
  double *dt, *dz, *rc;                         /* ns */
  double *D, *c;                                /* m + n: Σ z/t and Σ sign (rc + z r)/t */
  double *r1, *r2, *e1, *e2, *q1, *q2;          /* right sides, residuals of the linear solve, corrections */

  /* factors */
  po_mat K, W, S, S0;   /* nk×nk Cholesky, m×n rows, ms×ms Cholesky, constant part of S */
  double *kdiag;        /* n: 1/sqrt of the diagonal part, for variables from nk on */
  double *E;            /* m */
  double rho, delta;    /* regularization of the next factorization */
  double rho_min, delta_min; /* below which a factorization has failed */
  double delta_factored; /* that of the present one */
  int refine;           /* refinement steps allowed now */
  int correctors;       /* further correctors per step: as many as a factorization pays for */
  double *kept_dv, *kept_dlam, *kept_dt, *kept_dz; /* the direction before a corrector that may be rejected */

  signed char *state, *state_before; /* m + n, for polishing: −1 held at its lower bound, +1 at its upper, 0 free (as po_qp_result.active) */

  /* the best iterate so far, kept for the end and for the auxiliary problems */
  double *best_x, *best_lam, *best_t, *best_z;
  double best_merit;
} ip_core;

/* ip_build.c */
void po_ip_layout(ip_core *c, po_arena *arena, int n, int me, int mi);
/* The scales (col_scale, row_scale, cost) must stand. Returns 0 when a row without variables cannot hold within tol:
 * *row_at is that row (the caller's, A's first), *row_sign the sign of the Farkas ray that it alone is. */
int po_ip_build(ip_core *c, const po_qp *p, ip_kind kind, double tol, int *row_at, double *row_sign);
void po_ip_export_x(const ip_core *c, const po_qp *p, double *x);
void po_ip_export_multipliers(const ip_core *c, const po_qp *p, po_qp_solver *s, int with_cost); /* reads s->x when with_cost */

/* ip_kkt.c */
int po_ip_factor(ip_core *c); /* from D; 0: no factor at any regularization */
void po_ip_solve(ip_core *c); /* r1, r2 to dx, dlam, refined c->refine times at most */
void po_ip_hessian(double *y, const ip_core *c, const double *x); /* y = (h H + prox I) x */

/* ip_step.c */
int po_ip_start(ip_core *c);                  /* a cold starting point; 0: none could be computed */
void po_ip_measure(ip_core *c);               /* residuals of the iterate */
int po_ip_step(ip_core *c, double *alpha);    /* 0: no step could be computed; *alpha: the shorter of the two step lengths */
void po_ip_keep_best(ip_core *c);
void po_ip_back_to_best(ip_core *c);

/* ip_polish.c */
int po_ip_state_from_sides(ip_core *c);       /* held where z > t; 1: the same as at the last call */
void po_ip_state_from_warm(ip_core *c, const po_qp *p, const po_qp_warm *warm); /* and x, lam as far as given */
int po_ip_hold(ip_core *c, int refine);       /* solves with what `state` holds; 0: no factor. Sets x, lam, w */
int po_ip_revise(ip_core *c, int let_go);     /* lets go what pulls (when asked), holds what is violated; the number of changes */
void po_ip_export_active(const ip_core *c, const po_qp *p, po_qp_solver *s, double tol);

/* ip_rays.c: each writes its proof into s and returns 1, or 0 when there is none */
int po_ip_prove_nonconvex(ip_core *c, po_qp_solver *s, const po_qp *p);
int po_ip_prove_infeasible(ip_core *c, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, int *iterations);
int po_ip_prove_unbounded(ip_core *c, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, int *iterations);

#endif
