/* active_set_blocks.c: the dual active set, with constraints coming and going in groups.
 *
 * The dual problem  max −½ u'(N'H^-1 N)u + …  over u >= 0  is climbed: the constraints that are violated by a good part of the worst enter
 * together with multipliers zero; then the iterate moves towards the solution of the working set, u ← u + α (u* − u), where multipliers that
 * reach zero on the way leave (those still at zero and pulled below it all at once), until u* itself has the right signs. Every
 * move raises the dual objective: the slopes of all entering constraints are positive and the working set's own are zero, so
 * (u* − u)'slope > 0 and never can all that entered be pulled below zero. So no working set comes back, as in the method of Goldfarb and
 * Idnani, which is the case of one entering at a time; but far fewer working sets are solved on the way.
 */
#include "active_set_schur.h"

#define ASB_GROUP 0.25       /* who enters: violation of at least this part of the worst, each in units of (n'H^-1 n)^½ */
#define ASB_VIOLATED 1e-10   /* relative to 1 + |bound| */
#define ASB_ROUNDS 60        /* of entering; a dozen is much */
#define ASB_MOVES 400        /* working sets solved in all */

/* Violation of constraint i at value v in units of its size; its side in *side. */
static double asb_excess(const po_asc *w, int i, double v, signed char *side) {
  double below = w->lo[i] - v, above = v - w->hi[i];
  if (below > ASB_VIOLATED * (1 + po_abs(w->lo[i]))) { *side = -1; return below * w->size[i]; }
  if (above > ASB_VIOLATED * (1 + po_abs(w->hi[i]))) { *side = 1; return above * w->size[i]; }
  return 0;
}

/* Violated constraints into the working set. Returns how many. */
static int asb_enter(po_asc *w) {
  int k, j, a, count = 0, total = w->nk + w->ne;
  signed char side = 0;
  double worst = 0;
  po_gemv(w->value, w->NE, w->xe); /* c_k'x = base_k + K_kW u + n_kE'x_E */
  po_axpy(w->value, 1, w->base, w->nk);
  for (a = 0; a < w->q; a++) po_axpy(w->value, w->u[a], po_row(w->K, w->work[a]), w->nk);
  for (k = 0; k < w->nk; k++) {
    w->excess[k] = w->state[k] ? 0 : asb_excess(w, k, w->value[k], &side);
    worst = po_max(worst, w->excess[k]);
  }
  for (j = 0; j < w->ne; j++) {
    k = w->nk + j;
    w->excess[k] = w->state[k] ? 0 : asb_excess(w, k, w->xe[j], &side);
    worst = po_max(worst, w->excess[k]);
  }
  if (worst == 0) return 0;
  for (k = 0; k < total; k++) {
    if (!(w->excess[k] >= ASB_GROUP * worst)) continue;
    asb_excess(w, k, k < w->nk ? w->value[k] : w->xe[k - w->nk], &w->state[k]);
    w->mult[k] = 0;
    count++;
  }
  return count;
}

/* One move of the dual iterate towards the target. Returns how many constraints left; 0: it is reached. */
static int asb_move(po_asc *w) {
  int i, total = w->nk + w->ne, left = 0, block = -1;
  double alpha = 1, slack = PO_AS_NEGATIVE * po_norm_inf(w->target, total);
  for (i = 0; i < total; i++) {
    if (!w->state[i] || po_asc_keeps(w->state[i], w->target[i], slack)) continue;
    if (w->mult[i] == 0) {
      w->state[i] = 0;
      left++;
    } else if (w->mult[i] < alpha * (w->mult[i] - w->target[i]) || -w->mult[i] < alpha * (w->target[i] - w->mult[i])) {
      double ratio = w->mult[i] / (w->mult[i] - w->target[i]);
      if (ratio < alpha || block < 0) {
        alpha = ratio;
        block = i;
      }
    }
  }
  if (left) return left;
  for (i = 0; i < total; i++)
    if (w->state[i]) w->mult[i] += alpha * (w->target[i] - w->mult[i]);
  if (block < 0) return 0;
  w->mult[block] = 0;
  w->state[block] = 0;
  return 1;
}

int po_asc_iterate(po_asc *w, int *changes, int limit) {
  int round, moves = 0;
  for (round = 0; round < ASB_ROUNDS; round++) {
    int count;
    do {
      int dependent;
      if (moves++ >= ASB_MOVES || (limit && *changes > limit)) return 0;
      dependent = po_asc_solve(w);
      if (dependent >= 0) { /* one that has just entered may wait; another one is for the engine with orthogonal factors */
        if (w->mult[dependent] != 0 || w->state[dependent] == 2) return 0;
        w->state[dependent] = 0;
        count = 1;
      } else {
        count = asb_move(w);
      }
      *changes += count;
    } while (count);
    count = asb_enter(w);
    *changes += count;
    if (!count) return 1;
  }
  return 0;
}
