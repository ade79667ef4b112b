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

#include <math.h>
#include <string.h>

#define ASB_GROUP 0.1        /* who enters in round k: violations of at least (k + 1) times this part of the worst, each in units of */
                             /* (n'H^-1 n)^½; many at first, later the worst alone, which is the method that settles soonest near the end */
#define ASB_ROUNDS 200       /* of entering; a dozen is usual */
#define ASB_MOVES 400        /* working sets solved in all */

/* (n'H^-1 n)^-½ of constraint i, worked out when it is first asked for. */
static double asb_size(po_asc *w, int i) {
  if (w->size[i] == 0) {
    double sum = i < w->nk ? PO_AT(w->K, i, i) : w->inverse[i - w->nk];
    int j;
    if (i < w->nk) {
      const double *row = po_row(w->NE, i);
      for (j = 0; j < w->ne; j++) sum += row[j] * row[j] * w->inverse[j];
    }
    w->size[i] = sum > 0 ? 1 / sqrt(sum) : 1;
  }
  return w->size[i];
}

/* Violated constraints into the working set. Returns how many. */
static int asb_enter(po_asc *w, int round) {
  int k, a, count = 0, violated = 0, total = w->nk + w->ne, *list = w->list;
  double worst = 0, *value = w->value, share = po_min(1, ASB_GROUP * (round + 1));
  po_gemv(value, w->NE, w->xe); /* c_k'x = base_k + K_kW u + n_kE'x_E */
  po_axpy(value, 1, w->base, w->nk);
  for (a = 0; a < w->q; a++) po_axpy(value, w->u[a], po_row(w->K, w->work[a]), w->nk);
  memcpy(value + w->nk, w->xe, sizeof *value * (size_t)w->ne);
  for (k = 0; k < total; k++)
    if ((value[k] < w->low[k] || value[k] > w->high[k]) && !w->state[k]) list[violated++] = k;
  for (a = 0; a < violated; a++) {
    k = list[a];
    w->excess[a] = po_max(w->lo[k] - value[k], value[k] - w->hi[k]) * asb_size(w, k);
    worst = po_max(worst, w->excess[a]);
  }
  for (a = 0; a < violated; a++) {
    if (w->excess[a] < share * worst) continue;
    k = list[a];
    w->state[k] = (signed char)(value[k] < w->lo[k] ? -1 : 1);
    w->mult[k] = 0;
    count++;
  }
  return count;
}

/* One move of the dual iterate towards the target. Returns how many constraints left; 0: it is reached. */
static int asb_move(po_asc *w) {
  int a, i, active = 0, left = 0, block = -1, *list = w->list;
  double alpha = 1, largest = 0, slack;
  for (a = 0; a < w->q; a++) list[active++] = w->work[a];
  for (a = 0; a < w->f; a++) list[active++] = w->nk + w->fixed[a];
  for (a = 0; a < active; a++) largest = po_max(largest, po_abs(w->target[list[a]]));
  slack = PO_AS_NEGATIVE * largest;
  for (a = 0; a < active; a++) {
    i = list[a];
    if (po_asc_keeps(w->state[i], w->target[i], slack)) continue;
    if (w->mult[i] == 0) {
      w->state[i] = 0;
      left++;
    } else {
      double ratio = w->mult[i] / (w->mult[i] - w->target[i]);
      if (ratio < alpha || block < 0) {
        alpha = ratio;
        block = i;
      }
    }
  }
  if (left) return left;
  for (a = 0; a < active; a++) w->mult[list[a]] += alpha * (w->target[list[a]] - w->mult[list[a]]);
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
    count = asb_enter(w, round);
    *changes += count;
    if (!count) return 1;
  }
  return 0;
}
