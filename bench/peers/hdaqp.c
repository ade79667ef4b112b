/* hdaqp.c: hDAQP, the hierarchical mode of DAQP, behind bench/solver.h. Built by bench/peers/hqp with the C sources of PyPI's sdist of daqp. Its defaults; what it
 * makes anew for a problem (its workspace and the normalized rows) counts, as ours does. */
#include "../solver.h"

#include "api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hdaqp {
  int breaks[64], *sense;
  double *A, *lower, *upper, *lam;
} hdaqp;

const char *po_solver_name(int *abi) {
  *abi = PO_SOLVER_ABI;
  return "hDAQP 0.11";
}

void *po_solver_make(int n, int levels, int rows, int warm) {
  hdaqp *d = calloc(1, sizeof *d);
  (void)levels;
  if (!d || warm) { /* it has no warm start for hierarchies that change */
    free(d);
    return NULL;
  }
  d->sense = calloc((size_t)rows + 1, sizeof(int));
  d->A = malloc(sizeof(double) * (size_t)(rows + 1) * (size_t)n);
  d->lower = malloc(sizeof(double) * (size_t)(rows + 1));
  d->upper = malloc(sizeof(double) * (size_t)(rows + 1));
  d->lam = malloc(sizeof(double) * (size_t)(rows + n + 1));
  return d;
}

void po_solver_free(void *self) {
  hdaqp *d = self;
  free(d->sense), free(d->A), free(d->lower), free(d->upper), free(d->lam), free(d);
}

int po_solver_solve(void *self, const po_solver_problem *p, const double *start, po_solver_answer *answer) {
  hdaqp *d = self;
  DAQPProblem q;
  DAQPResult r;
  int k, at = 0, count = 0;
  (void)start;
  memset(&q, 0, sizeof q);
  memset(&r, 0, sizeof r);
  if (!p->hard) d->breaks[count++] = 0; /* its first level is hard */
  for (k = 0; k < p->levels; k++) d->breaks[count++] = at += p->level_rows[k];
  memcpy(d->A, p->A, sizeof(double) * (size_t)p->rows * (size_t)p->n);
  memcpy(d->lower, p->lower, sizeof(double) * (size_t)p->rows);
  memcpy(d->upper, p->upper, sizeof(double) * (size_t)p->rows);
  for (k = 0; k < p->rows; k++) d->sense[k] = p->lower[k] == p->upper[k] && p->hard && k < p->level_rows[0] ? DAQP_ACTIVE + DAQP_IMMUTABLE : 0;
  q.n = p->n;
  q.m = p->rows;
  q.A = d->A;
  q.blower = d->lower;
  q.bupper = d->upper;
  q.sense = d->sense;
  q.break_points = d->breaks;
  q.nh = count;
  r.x = answer->x;
  r.lam = d->lam;
  daqp_quadprog(&r, &q, NULL);
  answer->iterations = r.iter;
  answer->solved = r.exitflag > 0 ? 1 : r.exitflag == DAQP_EXIT_INFEASIBLE ? 2 : 0;
  return 0;
}
