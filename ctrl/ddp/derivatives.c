/* derivatives.c: derivatives of the user's callbacks, given or by differences.
 *
 * The end of the trajectory is one more frame: its f is the goal ψ, its l the end cost φ, and it has no controls. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* ---- the callbacks as functions of one vector z = (x, p, u) ----------------------------------------------------------------- */

typedef struct ddpd_point {
  const po_ddp_problem *problem;
  int frame, nx, np, nu, rows;
  const double *lambda;
  double *z;      /* nx + np + nu */
  double *f;      /* rows */
  ddp_stage near; /* of differences of first derivatives */
} ddpd_point;

/* f and l at a->z; NaN where a callback refuses, so that whoever sums notices. */
static po_status ddpd_eval(ddpd_point *a, double *f, double *cost) {
  const po_ddp_problem *p = a->problem;
  const double *x = a->z, *par = a->z + a->nx, *u = par + a->np;
  po_status status = PO_OK;
  *cost = 0;
  if (a->frame < p->size.frames) status = p->step(p->user, f, cost, a->frame, x, u, par);
  else if (p->end) status = p->end(p->user, f, cost, x, par);
  if (status != PO_OK) return status;
  return po_all_finite(f, a->rows) && po_isfinite(*cost) ? PO_OK : PO_ERR_NOT_FINITE;
}

/* The Hamiltonian l + λ'f, or l. */
static po_status ddpd_hamiltonian(ddpd_point *a, double *value) {
  po_status status = ddpd_eval(a, a->f, value);
  if (status == PO_OK && a->lambda) *value += po_dot(a->lambda, a->f, a->rows);
  return status;
}

static void ddpd_views(po_ddp_derivatives *d, const ddp_stage *s, int nx, int np, int nu) {
  int rows = s->F.rows;
  d->fx = po_block(s->F, 0, 0, rows, nx);
  d->fp = po_block(s->F, 0, nx, rows, np);
  d->fu = po_block(s->F, 0, nx + np, rows, nu);
  d->lx = s->l;
  d->lp = s->l + nx;
  d->lu = s->l + nx + np;
  d->Hxx = po_block(s->H, 0, 0, nx, nx);
  d->Hpx = po_block(s->H, nx, 0, np, nx);
  d->Hpp = po_block(s->H, nx, nx, np, np);
  d->Hux = po_block(s->H, nx + np, 0, nu, nx);
  d->Hup = po_block(s->H, nx + np, nx, nu, np);
  d->Huu = po_block(s->H, nx + np, nx + np, nu, nu);
  d->given = 0;
}

/* What the user's callback gives, in a zeroed stage. */
static po_status ddpd_given(ddp_stage *s, unsigned *given, const po_ddp_problem *p, int frame, const double *x, const double *u,
                            const double *par, const double *lambda) {
  po_ddp_derivatives d;
  po_status status = PO_OK;
  po_mat_zero(s->F);
  po_mat_zero(s->H);
  memset(s->l, 0, sizeof(double) * (size_t)s->nz);
  ddpd_views(&d, s, p->size.nx, p->size.np, s->nu);
  if (frame < p->size.frames) {
    if (p->step_derivatives) status = p->step_derivatives(p->user, &d, frame, x, u, par, lambda);
  } else if (!p->end) {
    d.given = PO_DDP_GIVEN_ALL;
  } else if (p->end_derivatives) {
    status = p->end_derivatives(p->user, &d, x, par, lambda);
  }
  *given = d.given;
  return status;
}

/* ---- differences ----------------------------------------------------------------------------------------------------------- */

#define DDPD_STEP_FIRST 8e-4  /* eps^(1/5): a fourth-order formula loses h⁴ to truncation and eps/h to rounding */
#define DDPD_STEP_SECOND 1e-4 /* eps^(1/4): of values, twice */

static double ddpd_step(double at, double relative) {
  volatile double there = at + relative * po_max(1.0, po_abs(at)); /* so that the step is one the numbers can take */
  return there - at;
}

/* d/dz_j by (8 (f(+h) − f(−h)) − (f(+2h) − f(−2h))) / 12h: column j of F and l_j. */
static po_status ddpd_first(ddpd_point *a, po_mat F, double *l, unsigned given) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  int nz = a->nx + a->np + a->nu;
  for (int j = 0; j < nz; j++) {
    double keep = a->z[j], h = ddpd_step(keep, DDPD_STEP_FIRST), slope = 0, cost;
    if (!(given & PO_DDP_GIVEN_F))
      for (int i = 0; i < a->rows; i++) PO_AT(F, i, j) = 0;
    for (int s = 0; s < 4; s++) {
      po_status status;
      a->z[j] = keep + at[s] * h;
      status = ddpd_eval(a, a->f, &cost);
      if (status != PO_OK) {
        a->z[j] = keep;
        return status;
      }
      slope += weight[s] * cost;
      if (!(given & PO_DDP_GIVEN_F))
        for (int i = 0; i < a->rows; i++) PO_AT(F, i, j) += weight[s] * a->f[i] / (12 * h);
    }
    a->z[j] = keep;
    if (!(given & PO_DDP_GIVEN_L)) l[j] = slope / (12 * h);
  }
  return PO_OK;
}

/* Second derivatives of the Hamiltonian from values. */
static po_status ddpd_second_of_values(ddpd_point *a, po_mat H) {
  int nz = a->nx + a->np + a->nu;
  double middle, value;
  po_status status = ddpd_hamiltonian(a, &middle);
  for (int i = 0; i < nz && status == PO_OK; i++) {
    double zi = a->z[i], hi = ddpd_step(zi, DDPD_STEP_SECOND);
    for (int j = 0; j <= i && status == PO_OK; j++) {
      double zj = a->z[j], hj = i == j ? hi : ddpd_step(zj, DDPD_STEP_SECOND), sum = 0;
      for (int s = 0; s < 4 && status == PO_OK; s++) {
        double si = s & 1 ? -hi : hi, sj = s & 2 ? -hj : hj;
        if (i == j && (s == 1 || s == 2)) {
          sum -= middle;
          continue;
        } /* (f(2h) − 2f(0) + f(−2h)) / 4h² */
        a->z[i] = zi + si;
        a->z[j] = (i == j ? a->z[j] : zj) + sj;
        status = ddpd_hamiltonian(a, &value);
        sum += s == 0 || s == 3 ? value : -value;
        a->z[i] = zi;
        a->z[j] = zj;
      }
      PO_AT(H, i, j) = sum / (4 * hi * hj);
    }
  }
  return status;
}

/* Second derivatives of the Hamiltonian from the first ones that the callback gives. */
static po_status ddpd_second_of_first(ddpd_point *a, po_mat H) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  int nz = a->nx + a->np + a->nu;
  for (int i = 0; i < nz; i++) {
    double keep = a->z[i], h = ddpd_step(keep, DDPD_STEP_FIRST);
    for (int j = 0; j < nz; j++) PO_AT(H, i, j) = 0;
    for (int s = 0; s < 4; s++) {
      unsigned given;
      po_status status;
      a->z[i] = keep + at[s] * h;
      status = ddpd_given(&a->near, &given, a->problem, a->frame, a->z, a->z + a->nx + a->np, a->z + a->nx, NULL);
      if (status == PO_OK && a->lambda) po_gemv_t_add(a->near.l, 1, a->near.F, a->lambda);
      if (status == PO_OK && !po_all_finite(a->near.l, nz)) status = PO_ERR_NOT_FINITE;
      if (status != PO_OK) {
        a->z[i] = keep;
        return status;
      }
      for (int j = 0; j < nz; j++) PO_AT(H, i, j) += weight[s] * a->near.l[j] / (12 * h);
    }
    a->z[i] = keep;
  }
  for (int i = 0; i < nz; i++) /* symmetric, and the lower triangle is what counts */
    for (int j = 0; j < i; j++) PO_AT(H, i, j) = 0.5 * (PO_AT(H, i, j) + PO_AT(H, j, i));
  return PO_OK;
}

static po_status ddpd_fill(ddp_stage *s, unsigned given, const po_ddp_problem *problem, int frame, const double *x, const double *u,
                           const double *p, const double *lambda, po_arena *scratch) {
  const unsigned first = PO_DDP_GIVEN_F | PO_DDP_GIVEN_L;
  size_t mark = po_arena_mark(scratch);
  int nz = s->nz;
  ddpd_point a;
  po_status status = PO_OK;
  a.problem = problem;
  a.frame = frame;
  a.nx = problem->size.nx;
  a.np = problem->size.np;
  a.nu = s->nu;
  a.rows = s->F.rows;
  a.lambda = lambda;
  a.z = PO_ARENA_ARRAY(scratch, double, nz);
  a.f = PO_ARENA_ARRAY(scratch, double, a.rows);
  a.near = *s;
  a.near.F = po_arena_mat(scratch, a.rows, nz);
  a.near.H = po_arena_mat(scratch, nz, nz);
  a.near.l = PO_ARENA_ARRAY(scratch, double, nz);
  if (scratch->failed) return PO_ERR_MEMORY;
  memcpy(a.z, x, sizeof(double) * (size_t)a.nx);
  if (a.np) memcpy(a.z + a.nx, p, sizeof(double) * (size_t)a.np);
  if (a.nu) memcpy(a.z + a.nx + a.np, u, sizeof(double) * (size_t)a.nu);
  if ((given & first) != first) status = ddpd_first(&a, s->F, s->l, given);
  if (status == PO_OK && !(given & PO_DDP_GIVEN_H)) { /* of first derivatives, if there is a callback that gives all of them */
    unsigned offered;
    status = ddpd_given(&a.near, &offered, problem, frame, x, u, p, NULL);
    if (status == PO_OK) status = (offered & first) == first ? ddpd_second_of_first(&a, s->H) : ddpd_second_of_values(&a, s->H);
  }
  po_arena_release(scratch, mark);
  return status;
}

/* ---- for the sweep and for users -------------------------------------------------------------------------------------------- */

void po_ddp_stage_shape(ddp_stage *s, po_ddp_sizes size, int frame, int nu) {
  s->nu = nu;
  s->nz = size.nx + size.np + nu;
  s->F = po_mat_of(s->F.a, frame < size.frames ? size.nx : size.ng, s->nz, s->F.ld);
  s->H = po_mat_of(s->H.a, s->nz, s->nz, s->H.ld);
}

po_status po_ddp_stage_fill(ddp_stage *s, const po_ddp_problem *problem, int frame, const double *x, const double *u,
                            const double *p, const double *lambda, po_arena *scratch) {
  unsigned given;
  po_status status = ddpd_given(s, &given, problem, frame, x, u, p, lambda);
  if (status == PO_OK && (given & PO_DDP_GIVEN_ALL) != PO_DDP_GIVEN_ALL)
    status = ddpd_fill(s, given, problem, frame, x, u, p, lambda, scratch);
  if (status != PO_OK) return status;
  if (po_mat_check_finite(s->F) != PO_OK || !po_all_finite(s->l, s->nz)) return PO_ERR_NOT_FINITE;
  for (int i = 0; i < s->nz; i++)
    if (!po_all_finite(po_row(s->H, i), i + 1)) return PO_ERR_NOT_FINITE;
  return PO_OK;
}

size_t po_ddp_differences_bytes(po_ddp_sizes size) {
  int nz = size.nx + size.np + size.nu, rows = size.nx > size.ng ? size.nx : size.ng;
  return 2 * (po_mat_bytes(rows, nz) + po_mat_bytes(nz, nz)) + sizeof(double) * (size_t)(4 * nz + 2 * rows) + 512;
}

/* Blocks without rows or columns need not be there at all. */
static void ddpd_copy(po_mat to, po_mat from) {
  if (from.rows && from.cols) po_mat_copy(to, from);
}

po_status po_ddp_differences(po_ddp_derivatives *d, const po_ddp_problem *problem, int frame, const double *x, const double *u,
                             const double *p, const double *lambda, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int nu = po_ddp_controls(problem, frame), nx = problem->size.nx, np = problem->size.np, nz = nx + np + nu;
  int rows = frame < problem->size.frames ? nx : problem->size.ng;
  ddp_stage s;
  po_ddp_derivatives from;
  po_status status;
  s.nu = nu;
  s.nz = nz;
  s.F = po_arena_mat(scratch, rows, nz);
  s.H = po_arena_mat(scratch, nz, nz);
  s.l = PO_ARENA_ZARRAY(scratch, double, nz);
  if (scratch->failed) return PO_ERR_MEMORY;
  ddpd_views(&from, &s, nx, np, nu);
  status = ddpd_fill(&s, d->given, problem, frame, x, u, p, lambda, scratch);
  if (status == PO_OK) {
    if (!(d->given & PO_DDP_GIVEN_F)) {
      ddpd_copy(d->fx, from.fx);
      ddpd_copy(d->fp, from.fp);
      ddpd_copy(d->fu, from.fu);
    }
    if (!(d->given & PO_DDP_GIVEN_L)) {
      memcpy(d->lx, from.lx, sizeof(double) * (size_t)nx);
      if (np) memcpy(d->lp, from.lp, sizeof(double) * (size_t)np);
      if (nu) memcpy(d->lu, from.lu, sizeof(double) * (size_t)nu);
    }
    if (!(d->given & PO_DDP_GIVEN_H)) {
      ddpd_copy(d->Hxx, from.Hxx);
      ddpd_copy(d->Hpx, from.Hpx);
      ddpd_copy(d->Hpp, from.Hpp);
      ddpd_copy(d->Hux, from.Hux);
      ddpd_copy(d->Hup, from.Hup);
      ddpd_copy(d->Huu, from.Huu);
    }
    d->given = PO_DDP_GIVEN_ALL;
  }
  po_arena_release(scratch, mark);
  return status;
}
