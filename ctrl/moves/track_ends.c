/* track_ends.c: ends that are not hard: a plan that pays for missing its goal, and the ends of captured segments.
 *
 * The momenta that a captured frame happens to have are noise by as much as a step changes them, and a plan that must meet them hits the ground in its last
 * frames (1 kN sideways at the end of a walking step). So a segment of a capture ends where a plan over it and its successor passes, begun where the last
 * one ended: by Bellman's principle each segment's own plan then is a part of one that knows what comes.
 */
#include "track_store.h"
#include <string.h>

static po_status soft_step(void *user, double *next, double *cost, int frame, const double *x, const double *u, const double *p) {
  const po_track_soft *s = user;
  return s->hard.step(s->hard.user, next, cost, frame, x, u, p);
}

static po_status soft_step_derivatives(void *user, po_ddp_derivatives *d, int frame, const double *x, const double *u, const double *p, const double *lambda) {
  const po_track_soft *s = user;
  return s->hard.step_derivatives(s->hard.user, d, frame, x, u, p, lambda);
}

static po_status soft_end(void *user, double *psi, double *cost, const double *x, const double *p) {
  const po_track_soft *s = user;
  int i, j;
  (void)psi;
  *cost = s->hard.size.np > 0 ? 0.5 * s->haste * p[0] * p[0] : 0;
  for (i = 0; i < PO_MOMENTUM_NX; i++) *cost += s->slope[i] * (x[i] - s->goal[i]);
  for (i = 0; i < PO_MOMENTUM_NX; i++)
    for (j = 0; j < PO_MOMENTUM_NX; j++)
      *cost += 0.5 * (x[i] - s->goal[i]) * s->stiffness[i * PO_MOMENTUM_NX + j] * (x[j] - s->goal[j]);
  return PO_OK;
}

static po_status soft_end_derivatives(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu) {
  const po_track_soft *s = user;
  int i, j;
  (void)mu;
  if (s->hard.size.np > 0) {
    d->lp[0] += s->haste * p[0];
    PO_AT(d->Hpp, 0, 0) = s->haste;
  }
  for (i = 0; i < PO_MOMENTUM_NX; i++) d->lx[i] += s->slope[i];
  for (i = 0; i < PO_MOMENTUM_NX; i++)
    for (j = 0; j < PO_MOMENTUM_NX; j++) {
      d->lx[i] += s->stiffness[i * PO_MOMENTUM_NX + j] * (x[j] - s->goal[j]);
      if (j <= i) PO_AT(d->Hxx, i, j) = s->stiffness[i * PO_MOMENTUM_NX + j];
    }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

void po_track_soften(po_ddp_problem *problem, po_track_soft *soft) {
  soft->hard = *problem;
  problem->size.ng = 0;
  problem->goal_scale = problem->goal_weight = NULL;
  problem->user = soft;
  problem->step = soft_step;
  problem->end = soft_end;
  problem->step_derivatives = problem->step_derivatives ? soft_step_derivatives : NULL;
  problem->end_derivatives = soft_end_derivatives;
}

/* The state at a frame of a plan whose end is the reference's, at the price of the goal's weight. */
static po_status ends_pass(double *state, const po_momentum *m, int frame, const po_momentum_scales *scales, int *iterations, po_error *err) {
  size_t bytes = po_momentum_problem_bytes(m);
  void *mem = po_alloc(bytes);
  po_track_soft soft;
  po_ddp_problem problem;
  po_ddp_start start;
  po_ddp_result r;
  po_ddp *plan = NULL;
  double *u = NULL;
  po_status s = mem ? po_momentum_problem(&problem, m, mem, bytes, err) : PO_ERR_MEMORY;
  int i;
  memset(&start, 0, sizeof start);
  memset(&soft, 0, sizeof soft);
  if (s == PO_OK) {
    memcpy(soft.goal, m->goal, sizeof soft.goal);
    for (i = 0; i < PO_MOMENTUM_NX; i++) soft.stiffness[i * PO_MOMENTUM_NX + i] = scales->goal_weight[i];
    po_track_soften(&problem, &soft);
    u = po_alloc(sizeof(double) * (size_t)m->frames * (size_t)problem.size.nu);
    s = u ? po_ddp_new(&plan, problem.size) : PO_ERR_MEMORY;
  }
  if (s == PO_OK) s = po_momentum_guess(u, &problem, m);
  start.u = u;
  if (s == PO_OK) s = po_ddp_solve(&r, plan, &problem, NULL, &start);
  if (s == PO_OK && r.status != PO_DDP_OPTIMAL) s = PO_ERR_STATE;
  if (s == PO_OK) memcpy(state, r.x + (size_t)frame * PO_MOMENTUM_NX, sizeof(double) * PO_MOMENTUM_NX);
  if (s == PO_OK && r.iterations > *iterations) *iterations = r.iterations;
  po_ddp_free(plan);
  po_free(u);
  po_free(mem);
  return s;
}

po_status po_track_end_of(double *end, po_track_store *t, const po_track_piece *p, int to, const po_track_store_opts *o, int *iterations, po_error *err) {
  const double *reference;
  po_momentum *both;
  po_status s = po_track_plan(&both, t->motion, p->segment.from - p->lead, to, o->mu, t->height, 0, err);
  int i;
  if (s != PO_OK) return s;
  po_track_weights(both, t, p, o);
  memcpy(both->start, p->momentum->start, sizeof both->start);
  s = ends_pass(end, both, p->lead + p->frames, &t->scales, iterations, err);
  reference = both->reference + (size_t)(p->lead + p->frames) * PO_MOMENTUM_NX;
  for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3 && s == PO_OK; i++) end[i] -= reference[i]; /* from there on the reference turns anew */
  po_momentum_free(both);
  return s;
}
