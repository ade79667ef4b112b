/* active_set_ray.c: the direction that proves a problem unbounded, to the last digits.
 *
 * Proximal steps along a ray come near its direction but never quite reach it, and a certificate asks for H ray = 0. So the rows of H join the
 * working set as equalities: with J and R of both, d = −J2 J2'g is the steepest descent that neither H nor W sees. Constraints outside
 * W that d would meet join in turn.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

#define ASR_INDEPENDENT 1e-11 /* of a row of H beside the working set: what is nearer is taken to lie in it */
#define ASR_JOINING 100      /* constraints that may join */
#define ASR_MEETS 1e-10      /* a rate towards a constraint above this part of the direction's size meets it */

/* The constraint outside W that d runs into most directly; −1: none. */
static int asr_meets(const po_as *e, const double *d, int *side) {
  int k, worst = -1;
  double most = ASR_MEETS * po_norm_inf(d, e->n);
  for (k = 0; k < e->m + e->n; k++) {
    double rate;
    if (e->state[k] == 1) continue;
    rate = po_as_value(e, k, d) * (k < e->m ? e->norm[k] : 1);
    if (-rate > most && e->lo[k] > -PO_INF) { most = -rate; worst = k; *side = 1; }
    if (rate > most && e->hi[k] < PO_INF) { most = rate; worst = k; *side = -1; }
  }
  return worst;
}

static void asr_direction(po_as_scaled *w, double *d) {
  po_as *e = &w->e;
  po_mat J2 = po_block(e->JT, e->q, 0, e->n - e->q, e->n);
  po_gemv(w->t1, J2, w->g);
  po_scale(w->t1, -1, e->n - e->q);
  po_gemv_t(d, J2, w->t1);
}

int po_as_ray(po_as_scaled *w) {
  po_as *e = &w->e;
  int i, j, joined, side = 0, k;
  double *inverse = e->size + e->m;
  po_as_refactor(e);
  for (i = 0; e->H.a && i < e->n && e->q < e->n; i++) {
    const double *row = po_row(e->H, i);
    double size = 0;
    for (j = 0; j < e->n; j++) size += row[j] * row[j] * inverse[j] * inverse[j];
    po_as_project_row(e, row);
    if (po_norm2(e->d + e->q, e->n - e->q) > ASR_INDEPENDENT * sqrt(size)) po_as_add(e, e->m + e->n, 1, 0);
  }
  for (joined = 0; joined < ASR_JOINING && e->q < e->n; joined++) {
    asr_direction(w, w->t2);
    k = asr_meets(e, w->t2, &side);
    if (k < 0) break;
    po_as_project(e, k, side);
    if (!po_as_independent(e, k)) return 0;
    po_as_add(e, k, side, 0);
  }
  if (e->q == e->n) return 0;
  asr_direction(w, w->t2);
  for (i = 0; i < e->n; i++) w->s->ray[i] = w->t2[i] * w->sc.col[i];
  for (i = 0; i < e->q; i++) /* bounds of W to the bit */
    if (e->work[i] >= e->m && e->work[i] < e->m + e->n) w->s->ray[e->work[i] - e->m] = 0;
  if (!po_qp_check_unbounded(w->s, w->p)) return 0;
  w->s->has_ray = 1;
  w->s->status = PO_QP_UNBOUNDED;
  return 1;
}
