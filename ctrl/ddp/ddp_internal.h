/* ddp_internal.h: what the files of ctrl/ddp/ share among themselves. Not for users.
 *
 *   ddp.c          the object: memory, door, views, save and restore
 *   derivatives.c  differences, and the derivatives of one frame for the sweep
 *   box.c          min ½d'Hd + g'd within bounds, by projected Newton
 *   backward.c     the backward sweep and the certificate's first-order part
 *   saddle.c       the step of multipliers and free parameters
 *   forward.c      rollouts
 *   iterate.c      the iteration that both methods share
 *   barrier.c      the interior method's start and its barrier
 *   solve.c        the call: where to start, which method when
 *   policy.c       the law online
 *
 * Order of the second-order model: y = (x, p, μ), ny = nx + np + ng; within a frame (x, p, u), nz = nx + np + nu, so that the rows
 * of u hold Qux, Qup, Quu side by side. */
#ifndef PO_DDP_INTERNAL_H
#define PO_DDP_INTERNAL_H

#include "ddp.h"

typedef struct ddp_head {
  po_ddp_sizes max, size; /* what the object was made for; of the last solve */
  int valid;              /* 1: the arrays hold the end of a solve */
  int box;                /* 1: the last problem had bounds on controls */
} ddp_head;

/* A trajectory with its multipliers. */
typedef struct ddp_path {
  double *x, *u;   /* (N+1)×nx, N×nu */
  double *zl, *zu; /* N×nu: multipliers of lower and upper bounds, ≥ 0 */
  double *mu, *p;
  double *value;   /* N+1: cost of each frame, and of the end */
  double *psi;     /* ng */
  double cost;
} ddp_path;

/* Derivatives of one frame, and in their place the terms of Q. */
typedef struct ddp_stage {
  po_mat F;      /* nx (or ng) × nz */
  po_mat H;      /* nz × nz */
  double *l;     /* nz: gradient of the cost; then Q's */
  int nu, nz;
} ddp_stage;

/* What a backward sweep found out besides gains and value terms. */
typedef struct ddp_sweep {
  double linear, quadratic;   /* Σ k'Qu and Σ ½k'Quu k */
  double stationarity, complementarity;
  double curvature_min;
  int failed_at;              /* frame where Quu was not positive definite, or −1 */
} ddp_sweep;

struct po_ddp {
  void *owned;
  /* what outlasts a solve and is saved */
  ddp_head head;
  int *nu;                /* N */
  ddp_path now;
  double *rho;            /* ng: weight of the goal in V */
  double *z;              /* N×nu: multipliers of the bounds as users see them, lower less upper */
  double *W;              /* N × (nu × ldy): [K Kp Km] */
  double *V, *v;          /* (N+1) × (ny × ldy), (N+1) × ny */

  /* of one solve */
  const po_ddp_problem *problem;
  po_ddp_opts opts;
  int nx, nu_max, np, ng, ny, ldy, N;
  ddp_path trial, keep, start;
  double *k;              /* N×nu: the step of the controls at the present multipliers */
  double *step;           /* N×nu: with δμ and δp */
  double *dmu, *dp;
  double *scale, *nu_merit; /* ng */
  signed char *clamped;   /* N×nu: −1 at the lower bound, +1 at the upper, 0 free (active); all 0 (interior) */
  int interior;           /* 1: the sweep adds the barrier's terms */
  double beta;            /* the barrier's weight */
  double reg;             /* added to the diagonal of Quu */

  /* of one frame */
  ddp_stage stage;
  po_mat B, Qm, R, L, Y, Quu; /* nx×nz; ng×nz; nu×ny; nu×nu; nu×ny; nu×nu */
  double *g, *work, *lo, *hi; /* nu and more */
  int *index;
  double *costate;        /* nx: of the certificate */
  double *gp;             /* np */
  po_arena scratch;
  int sweeps, rollouts;
};

/* ---- views of the arrays ------------------------------------------------------------------------------------------------- */

static inline po_mat ddp_value(const po_ddp *d, int k) {
  return po_mat_of(d->V + (size_t)k * (size_t)d->ny * (size_t)d->ldy, d->ny, d->ny, d->ldy);
}
static inline double *ddp_slope(const po_ddp *d, int k) { return d->v + (size_t)k * (size_t)d->ny; }
static inline po_mat ddp_gains(const po_ddp *d, int k) {
  return po_mat_of(d->W + (size_t)k * (size_t)d->nu_max * (size_t)d->ldy, d->nu[k], d->ny, d->ldy);
}
static inline double *ddp_x(const po_ddp *d, const ddp_path *t, int k) { return t->x + (size_t)k * (size_t)d->nx; }
static inline double *ddp_u(const po_ddp *d, double *u, int k) { return u + (size_t)k * (size_t)d->nu_max; }
static inline double ddp_lower(const po_ddp *d, int k, int i) {
  return d->problem->lower ? d->problem->lower[(size_t)k * (size_t)d->nu_max + (size_t)i] : -PO_INF;
}
static inline double ddp_upper(const po_ddp *d, int k, int i) {
  return d->problem->upper ? d->problem->upper[(size_t)k * (size_t)d->nu_max + (size_t)i] : PO_INF;
}

/* ---- ddp.c ---------------------------------------------------------------------------------------------------------------- */

/* The sizes of the problem at hand, within those the object was made for. */
void po_ddp_adopt_sizes(po_ddp *d, po_ddp_sizes size);
int po_ddp_fits(po_ddp_sizes max, po_ddp_sizes size);

/* ---- derivatives.c -------------------------------------------------------------------------------------------------------- */

/* Shapes the stage for a frame (frames: the end) and fills it. lambda NULL: Gauss–Newton. */
void po_ddp_stage_shape(ddp_stage *s, po_ddp_sizes size, int frame, int nu);
po_status po_ddp_stage_fill(ddp_stage *s, const po_ddp_problem *problem, int frame, const double *x, const double *u, const double *p,
                            const double *lambda, po_arena *scratch);

/* ---- box.c ---------------------------------------------------------------------------------------------------------------- */

/* min ½d'Hd + g'd, lo ≤ d ≤ hi (lo ≤ 0 ≤ hi), n unknowns. d: start on entry, answer on return. clamped: −1, 0, +1. On return L
 * (its leading block) is the Cholesky factor of H over the free unknowns, index[0 … *free) those. work: 3n. PO_ERR_SINGULAR when H
 * is not positive definite there. */
po_status po_ddp_box(double *d, signed char *clamped, int *index, int *free_count, po_mat L, po_mat H, const double *g, const double *lo,
                     const double *hi, double *work);

/* ---- backward.c ----------------------------------------------------------------------------------------------------------- */

/* Gains, value terms and steps about d->now. PO_OK also when Quu was not positive definite: then failed_at ≥ 0 and nothing else
 * counts. */
po_status po_ddp_backward(po_ddp *d, ddp_sweep *sweep);

/* ---- saddle.c ------------------------------------------------------------------------------------------------------------- */

/* (Vmm − Σ) δμ + Vmp δp = rm,  Vpm δμ + Vpp δp = rp,  lo ≤ δp ≤ hi (0 and 0 for parameters that are not free). */
typedef struct ddp_saddle {
  po_mat V;                    /* ny×ny */
  int np, ng;
  const double *rm, *rp, *lo, *hi;
  const double *compliance;    /* Σ, ng; or NULL */
  po_mat E;                    /* ng×ng: Σ⁻¹ as a matrix, not need be regular; rows 0: not used, compliance counts */
  const double *unit;          /* ng: what multipliers are measured in, with E */
} ddp_saddle;
size_t po_ddp_saddle_bytes(int np, int ng);
po_status po_ddp_saddle_solve(double *dmu, double *dp, const ddp_saddle *q, po_arena *scratch);
/* dmu and dp of a solve, from the value terms of frame 0, and with them d->step. *gain: what they add to the model's value. */
po_status po_ddp_saddle(po_ddp *d, double *gain);

/* ---- forward.c ------------------------------------------------------------------------------------------------------------ */

typedef struct ddp_rollout {
  int finite;     /* 0: a callback gave NaN or infinity */
  double barrier; /* Σ −log of the distances to the bounds; interior */
  double room;    /* the largest share of the change that keeps 0.5 % of each distance to a bound, when below 1; interior */
} ddp_rollout;

/* The path of fixed controls (d->now.u, d->now.p) from the problem's start, in place. */
po_status po_ddp_roll_open(po_ddp *d, int *finite);
/* d->trial from d->now by a step of length alpha. */
po_status po_ddp_roll(po_ddp *d, double alpha, ddp_rollout *r);
double po_ddp_goal_error(const po_ddp *d, const ddp_path *t);
double po_ddp_barrier(const po_ddp *d, const ddp_path *t);

/* ---- iterate.c, barrier.c --------------------------------------------------------------------------------------------------- */

typedef enum ddp_end { DDP_GOING, DDP_CONVERGED, DDP_STUCK, DDP_LIMIT } ddp_end;

/* What the files around the iteration agree on during one call. */
typedef struct ddp_run {
  po_ddp *d;
  po_ddp_method method;   /* which one found the answer */
  int patience;           /* short steps in a row after which it gives up */
  int yields;             /* 1: gives up where a sweep or a search fails, since another method is at hand */
  double tol_goal, tol_stationarity, tol_complementarity;
  ddp_sweep sweep;        /* the last one */
  double gain;            /* of multipliers and parameters (po_ddp_saddle) */
  double alpha, ratio;    /* the last step: its length, and the share of its promise that came true */
  double reg_factor;
  double goal_best, stationarity_best;
  int goal_since, iterations, short_steps, idle;
  int first;              /* 1: the first step of a cold start, which tells how far the model can be trusted */
} ddp_run;

po_status po_ddp_iterate(ddp_run *r, ddp_end *end);
void po_ddp_copy_path(const po_ddp *d, ddp_path *to, const ddp_path *from);
/* From the interior's answer to one exactly on the bounds, when there is one near. */
po_status po_ddp_polish(ddp_run *r);
/* Controls moved away from their bounds, multipliers and β to fit. The path must be rolled out again. */
void po_ddp_enter_barrier(po_ddp *d);
/* β after a step of length alpha. */
void po_ddp_next_barrier(po_ddp *d, double alpha);

#endif
