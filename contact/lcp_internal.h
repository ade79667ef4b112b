/* lcp_internal.h: what the LCP methods share: friction shapes, the split of rows into units, the natural residual. */
#ifndef PO_LCP_INTERNAL_H
#define PO_LCP_INTERNAL_H

#include "contact.h"

#define PO_LCP_MAX_SIDES 32
/* A diagonal below this share of the largest one is a zero row: nothing can be said about its z. */
#define PO_LCP_ZERO_DIAGONAL 1e-13
/* Proximal term of Newton's direct solves, relative to the diagonal: redundant contacts make M singular, and this leaves their z where it
 * was. The velocities it costs are repaired by the next step; below 1e-8 a wrong guess of who sticks throws z far away. */
#define PO_LCP_PROXIMAL 1e-6

/* What is at most this many tolerances off is good enough: redundant contacts at the edge of sticking may stay there whatever the method. */
#define PO_GOOD_TOLERANCES 100

typedef struct po_friction_shape {
  po_friction_law law;
  int sides;
  double corner[PO_LCP_MAX_SIDES][2]; /* unit circle; corner 0 on the first axis */
  double edge[PO_LCP_MAX_SIDES][2];   /* outward normal of the edge from corner k to k+1 */
  double reach;                       /* distance of the edges for a unit polygon */
} po_friction_shape;
void po_friction_shape_init(po_friction_shape *shape, po_friction_law law, int sides);
/* Nearest point to y (count coordinates) within the shape of the given radius ≥ 0, in place. */
void po_friction_project(const po_friction_shape *shape, int count, double radius, double *y);

/* What is solved together: a bounded row; a contact (normal row n with 0 ≤ z < inf, its friction row t or pair t, t+1); or friction rows
 * whose normal is no contact of that form. */
typedef enum po_lcp_unit_kind { PO_UNIT_ROW, PO_UNIT_CONTACT, PO_UNIT_FRICTION } po_lcp_unit_kind;
typedef struct po_lcp_unit {
  po_lcp_unit_kind kind;
  int n, t, count;   /* normal or bounded row; first friction row; how many friction rows (0, 1, 2) */
  double mu;
  double d, dt;      /* diagonal of row n; largest diagonal of the friction rows; 1 where zero */
  double inverse[9]; /* of the contact's own 3×3 block, in the order n, t, t+1; usable when `regular` */
  int regular;
} po_lcp_unit;

typedef struct po_lcp_work {
  const po_lcp *p;
  po_friction_shape shape;
  int units;
  po_lcp_unit *unit;
  double *w; /* M z + q, kept up to date by the sweeps */
  const double *radius; /* per unit: friction bounds to use instead of mu z_n; NULL: none. Makes the sweeps those of a convex problem */
} po_lcp_work;

size_t po_lcp_work_bytes(int n);
po_status po_lcp_work_init(po_lcp_work *work, const po_lcp *p, po_arena *arena);
void po_lcp_unit_block(double D[9], const po_lcp_unit *u, const po_lcp *p); /* of a contact, in the order n, t, t+1 */
void po_lcp_refresh(po_lcp_work *work, const double *z); /* w = M z + q */
/* The natural residual for z and work->w. */
double po_lcp_natural(const po_lcp_work *work, const double *z);
/* One blocked Gauss–Seidel sweep over all units, forward or backward; z and work->w are updated. Returns the largest d|Δz|. */
double po_lcp_sweep(po_lcp_work *work, double *z, int backward);

/* ---- lcp_ray.c ---------------------------------------------------------------------------------------------------------------- */
/* 1 when v proves that no solution exists, for any M: v·w = v·q + (M'v)·z < 0 for every z within its bounds, though every solution has
 * v·w ≥ 0. Up to rounding. */
int po_lcp_infeasible(const po_lcp *p, const double *v);
/* INFEASIBLE when v, or what is left of it when M has worked on it, is such a proof; else RAY. v is destroyed. */
po_lcp_outcome po_lcp_ray_outcome(const po_lcp *p, double *v);
/* The same for a z that went away for ever; `otherwise` when it did not. v: n, work. */
po_lcp_outcome po_lcp_away_outcome(const po_lcp *p, const double *z, po_lcp_outcome otherwise, double *v);

static inline double po_lcp_lo(const po_lcp *p, int i) { return p->lo ? p->lo[i] : 0; }
static inline double po_lcp_hi(const po_lcp *p, int i) { return p->hi ? p->hi[i] : PO_INF; }
static inline int po_lcp_normal_of(const po_lcp *p, int i) { return p->friction ? p->friction[i] : -1; }
/* Whether friction row i is the first of a pair. */
static inline int po_lcp_paired(const po_lcp *p, int i) { return i + 1 < p->n && p->friction[i + 1] == p->friction[i] && p->mu[i + 1] == p->mu[i]; }

void po_lcp_pgs(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch);
void po_lcp_newton(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch);
void po_lcp_lemke(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch);
void po_lcp_dantzig(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch);
size_t po_lcp_newton_bytes(int n);
size_t po_lcp_lemke_bytes(const po_lcp *p);
size_t po_lcp_dantzig_bytes(int n);

/* One contact on its own: b = velocity (n, t1, t2) without its impulse, D its 3×3 block (row-major, symmetric), Dinv the inverse.
 * p (in: a guess of the sliding direction in p[1], p[2]; out: the impulse) obeys Coulomb's law exactly when the local solve finds it.
 * Returns 0 when it does not and p is left alone (a friction cone so steep that sliding would jam). */
int po_coulomb_point(double p[3], const double b[3], const double D[9], const double Dinv[9], double mu);

/* One contact under any law: the exact solution where there is one, else one projected step from p. Never fails. */
void po_contact_block(double p[3], const double b[3], const double D[9], const double Dinv[9], int regular, double mu, const po_friction_shape *shape);

/* A = P L U in place with partial pivoting; 0 when a pivot is exactly zero. perm: n. */
int po_lu(double *A, int n, int ld, int *perm);
void po_lu_solve(const double *A, int n, int ld, const int *perm, double *x);

#endif
