/* active_set.c: the entry of the active-set method.
 *
 * A strictly convex problem of control size is tried by whole working sets first (active_set_schur.c); what that leaves, and everything
 * singular, linear or large, goes to the engine with updated orthogonal factors (active_set_prox.c), from the working set found so far.
 * A warm start that leads nowhere is given up for a cold one.
 */
#include "active_set.h"

#include <string.h>

size_t po_qp_active_set_bytes(int n, int me, int mi) {
  size_t schur = po_as_schur_bytes(n, me, mi), general = po_as_general_bytes(n, me, mi);
  return schur > general ? schur : general;
}

static int as_settled(const po_qp_solver *s) { return s->status != PO_QP_NUMERICAL && s->status != PO_QP_ITERATION_LIMIT; }

void po_qp_active_set_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) {
  po_qp_warm start;
  po_qp_opts robust;
  int guessed = 0;
  if (po_as_schur(s, p, opts, warm, &guessed)) return;
  if (warm && s->schur_valid) { /* H is good, the warm start was not */
    s->iterations = 0;
    if (po_as_schur(s, p, opts, NULL, &guessed)) {
      s->fell_back = 1;
      return;
    }
  }
  s->schur_valid = 0; /* its memory is the engine's from here on */
  memset(&start, 0, sizeof start);
  if (guessed) {
    memcpy(s->warm_active, s->active, (size_t)(p->mi + p->n));
    start.active = s->warm_active;
  } else if (warm) {
    start = *warm;
  }
  po_as_general(s, p, opts, start.active || start.x ? &start : NULL);
  s->warm = warm && !s->fell_back && !guessed;
  if (as_settled(s) || (!guessed && !warm && opts->scale)) return;
  s->status = PO_QP_NUMERICAL;
  s->has_ray = s->warm = 0;
  s->fell_back = warm != NULL;
  robust = *opts;
  robust.scale = 1; /* units are the commonest trouble */
  po_as_general(s, p, &robust, NULL);
}
