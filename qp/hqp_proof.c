/* hqp_proof.c: whether the answer of a method that solves QPs (reparam, linear, weighted) is the answer to the levels.
 *
 * A QP inside can be solved to all its tolerances and its level be missed: H = A'A squares the scales of the rows, and a row that is a
 * million times shorter than another weighs nothing in its residuals. So the answer is held against the definition. At a lexicographic optimum
 * the violations are unique, row by row: those of a level are the point nearest to zero of a convex set. They are computed once more by the
 * lexicographic method, which shares neither the QPs nor their scaling, starts from the working set at hand, so that it has little to do but to
 * prove it, and has to prove its own answer (lex/certificate.c). A level's kkt is how far the violations of its rows are from these.
 */
#include "hqp_internal.h"

#include <math.h>
#include <string.h>

double po_hqp_believable(double violation, double terms) { return po_max(1, PO_HQP_BESIDE * violation) + PO_HQP_TERMS * terms; }

double po_hqp_terms(const double *a, const double *x, int n) {
  double sum = 0;
  int j;
  for (j = 0; j < n; j++) sum += fabs(a[j] * x[j]);
  return sum;
}

/* The largest difference of a row's violation at hand from the one that was proven. Its terms are those of the proven point: an x far away does
 * not excuse itself. */
static double hqpp_apart(po_hqp_solver *s, const po_hqp *p, int k, double violation) {
  const po_hqp_level *level = &p->levels[k];
  double worst = 0, length = po_norm2(s->x, p->n);
  int i, row = po_hqp_row_offset(p, k);
  for (i = 0; i < level->rows; i++) {
    double mine = s->kept_multiplier[row + i], bound = fabs(mine < 0 ? level->lower[i] : level->upper[i]);
    double terms = sqrt(s->square[row + i]) * length + (bound < PO_QP_INFINITY ? bound : 0), apart = fabs(mine - s->multiplier[row + i]);
    worst = po_max(worst, apart / po_hqp_believable(violation, terms));
    s->doubtful |= apart > PO_HQP_BELIEVED * po_max(1, PO_HQP_BESIDE * violation);
  }
  return worst;
}

void po_hqp_prove(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result) {
  po_hqp_opts o = *opts;
  po_hqp_result proof;
  double started = opts->clock ? opts->clock() : 0, worst = 0;
  int k, rows = po_hqp_row_offset(p, p->level_count), rank[PO_HQP_MAX_LEVELS], valid = s->last_valid, numbers = 1, sure, proven;
  if (!p->n || (result->status != PO_HQP_OPTIMAL && result->status != PO_HQP_INFEASIBLE)) return; /* there is no claim */
  memcpy(rank, s->last_rank, sizeof rank);
  memcpy(s->kept_x, s->x, sizeof(double) * (size_t)p->n);
  memcpy(s->kept_multiplier, s->multiplier, sizeof(double) * (size_t)rows);
  memcpy(s->kept_active, s->last_active, (size_t)rows);
  for (k = 0; k < rows; k++)
    if (s->held[k]) s->last_active[k] = s->held[k];
  o.method = PO_HQP_LEXICOGRAPHIC;
  o.clock = NULL;
  o.warm = s->last_valid = 1;
  memset(&proof, 0, sizeof proof);
  sure = po_hqp_lexicographic_solve(s, p, &o, &proof) == PO_OK && (proof.status == PO_HQP_OPTIMAL || proof.status == PO_HQP_INFEASIBLE);
  proven = sure && proof.status == result->status;
  for (k = 0; k < p->level_count; k++) {
    po_hqp_level_result *r = &result->levels[k];
    r->kkt = hqpp_apart(s, p, k, proof.levels[k].violation);
    worst = po_max(worst, r->kkt);
    numbers &= r->kkt == r->kkt;
    if (proven && r->rank < 0) r->rank = proof.levels[k].rank;
  }
  if (proven && result->free_dimensions < 0) result->free_dimensions = proof.free_dimensions;
  if (result->status == PO_HQP_OPTIMAL && po_hqp_judged(opts)) proven = proven && numbers && worst <= PO_HQP_AGREE;
  if (!proven && (sure || po_hqp_judged(opts))) result->status = PO_HQP_NUMERICAL;
  result->flops += proof.flops;
  s->last_valid = valid;
  memcpy(s->last_rank, rank, sizeof rank);
  memcpy(s->x, s->kept_x, sizeof(double) * (size_t)p->n);
  memcpy(s->last_active, s->kept_active, (size_t)rows);
  po_hqp_finish(s, p, result);
  if (opts->clock && p->level_count) result->profile->multipliers += opts->clock() - started;
}
