/* qp_internal.h: what the files behind po_qp_solve agree on. Not for users.
 *
 *   qp.c              owns the solver object: door checks, the copy of the warm start, the call of one method, the finish
 *   residuals.c       po_qp_residuals, and po_qp_check_*: what must hold before a status is believed
 *   scaling.c         po_qp_equilibrate: row and column factors for a problem
 *   active_set*.c     po_qp_active_set_bytes / _solve
 *   interior_point*.c po_qp_interior_point_bytes / _solve
 *
 * A method is called with a problem that has passed the door (sizes fit, all finite, lower <= upper, n >= 1) and a warm
 * start that aliases nothing of the solver. It writes the answer into the solver's arrays and sets status, iterations, warm,
 * fell_back and has_ray. po_qp_solve then checks the claim with the functions of residuals.c: what does not pass is
 * demoted to PO_QP_NUMERICAL, so a method should call the same checks itself while it can still do something about it.
 */
#ifndef PO_QP_INTERNAL_H
#define PO_QP_INTERNAL_H

#include "qp.h"

/* ---- tolerances of the checks, all relative to the size of the terms they sum ------------------------------------------- */
#define PO_QP_TOL_RAY 1e-9        /* how near zero "H ray = 0", "A ray = 0", "A'y + C'z + w = 0" must be: a thousand roundings of a */
                                  /* matrix with condition 1e4, and far below any slope a user would call one */
#define PO_QP_TOL_FARKAS 1e-9     /* how far above zero the value of a Farkas ray must be */
#define PO_QP_TOL_CURVATURE 1e-13 /* how far below zero ray'H ray must be, relative to |ray|'|H||ray|, to be negative; how far above it may be, */
                                  /* relative to ‖ray‖²‖H‖, to be none */

struct po_qp_solver {
  int n_max, me_max, mi_max;    /* the sizes it was made for */
  void *owned;                  /* block of po_qp_new, or NULL */

  /* the answer; po_qp_result points here */
  double *x, *y, *z, *w, *ray;  /* n, me, mi, n, n */
  signed char *active;          /* mi + n */
  int *conflict;                /* me + mi + n */

  /* what the method reports */
  po_qp_status status;
  int iterations, warm, fell_back, has_ray;

  /* the last solve, for po_qp_last, same_H and same_rows */
  int n, me, mi;
  int last_valid;               /* 1: x, y, z, w, active hold a solution of sizes n, me, mi */
  po_qp_method last_method;     /* whose data stand in `work` */
  int work_valid;               /* 1: they do */
  int schur_valid;              /* 1: and among them the factors of active_set_schur.c */

  /* set by a method that has called po_qp_check_optimal on the very answer it leaves: the finish need not do it again */
  po_qp_residual residual;
  int checked;                  /* 0: not; 1: checked and within the tolerances */

  /* copies of the caller's warm start (it may point at the arrays above) */
  double *warm_x, *warm_y, *warm_z, *warm_w;
  signed char *warm_active;

  po_arena work;                /* the method's memory: max of the two _bytes(n_max, me_max, mi_max). Contents survive between
                                   solves when the method stays the same; a method releases to mark 0 and lays out anew. */
  po_arena scratch;             /* for the checks of residuals.c: 4 (n + me + mi) doubles; also free for a method between checks */
};

/* Bytes of `work` a method needs for problems of up to these sizes. */
size_t po_qp_active_set_bytes(int n, int me, int mi);
size_t po_qp_interior_point_bytes(int n, int me, int mi);
/* warm NULL: cold. Members of *warm may be NULL. opts has been filled in (max_iterations 0 still means "from the size"). */
void po_qp_active_set_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm);
void po_qp_interior_point_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm);

/* ---- bounds as the problem means them: NULL arrays and |v| >= PO_QP_INFINITY are infinite ------------------------------ */

static inline double po_qp_lower(const double *l, int i) { return l && l[i] > -PO_QP_INFINITY ? l[i] : -PO_INF; }
static inline double po_qp_upper(const double *u, int i) { return u && u[i] < PO_QP_INFINITY ? u[i] : PO_INF; }

/* ---- checks (residuals.c) ----------------------------------------------------------------------------------------------- */

/* 1 when s->x, y, z, w meet the tolerances; *r (may be NULL) receives the residuals. */
int po_qp_check_optimal(po_qp_residual *r, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts);
/* 1 when (y, z, w) is a Farkas ray: A'y + C'z + w = 0 to rounding and  b'y + Σ cl z⁺ − cu z⁻ + Σ xl w⁺ − xu w⁻ > 0  by more than
 * rounding (so no x can satisfy all rows). Fills s->conflict when conflict_count is given. */
int po_qp_check_infeasible(po_qp_solver *s, const po_qp *p, int *conflict_count);
/* 1 when s->ray is a direction along which no row or bound is ever reached, H ray = 0, ray'H ray = 0 and g'ray < 0. */
int po_qp_check_unbounded(po_qp_solver *s, const po_qp *p);
/* 1 when ray'H ray < 0 by more than rounding. */
int po_qp_check_nonconvex(po_qp_solver *s, const po_qp *p);

/* ---- scaling (scaling.c) ------------------------------------------------------------------------------------------------ */

/* Powers of two. x = col .* x_scaled, row i of A and C is multiplied by row[i] (A's rows first), the cost by `cost`. So
 * H_s = cost·D H D, g_s = cost·D g, A_s = E A D, b_s = E b, xl_s = xl / D, and
 * y = E y_s / cost, z = E z_s / cost, w = w_s / (cost·D). */
typedef struct po_qp_scaling {
  double *col;   /* n */
  double *row;   /* me + mi */
  double cost;
} po_qp_scaling;
/* Ruiz equilibration of the KKT matrix, a bounded number of sweeps, in place in sc->col and sc->row (the caller's arrays). */
void po_qp_equilibrate(po_qp_scaling *sc, const po_qp *p, int sweeps, po_arena *scratch);

#endif
