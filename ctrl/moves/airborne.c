/* airborne.c: turning over in the air (Al Borno et al. 2014, section 5.2.2).
 *
 * The momentum is what it is: how far the body turns is decided by its inertia. Half way through the time left it should be (eq. 15, the signed rest
 * angle in place of a clockwise distance)
 *
 *   w_m = (4 rest/left − L/I − L/I_land)/2,   I_m = L/w_m
 *
 * Eq. 16 bends joints until the inertia is that; here a table of the body's inertia from open to its shape (tuck, pike, straight) says how far to bend.
 * The trunk is not the mean frame: folding turns trunk and legs against each other. The table also has that angle, from the condition that at no
 * momentum each small change of the joints turns the root by −(A Δq)/I; so the rest angle counts what opening will bring.
 */
#include "airborne_internal.h"
#include <string.h>

#define AIRBORNE_SHORTEST 0.1 /* of the body's beat: w̄ = rest/left is not trusted below */

double po_airborne_inertia(double momentum, double inertia, double inertia_land, double rest, double left, double least, double most) {
  double middle = 0.5 * (4 * rest / left - momentum / inertia - momentum / inertia_land);
  if (!(momentum > 0) || !(middle > momentum / most)) return most;
  return po_max(momentum / middle, least);
}

void po_airborne_prepare(po_tumbler *t, po_tumble_pose open, po_tumble_pose shape) {
  po_data *d = t->actor->data;
  po_fold *fold = &t->fold;
  const po_model *m = d->model;
  double turned = 0, first = 0, *q = t->tried;
  po_vec3 y = po_v3(0, 1, 0), u;
  int k;
  fold->open = open;
  fold->shape = shape;
  for (k = 0; k < PO_FOLD_STEPS; k++) {
    po_tumble_pose pose = po_tumble_mix(open, shape, (double)k / (PO_FOLD_STEPS - 1));
    po_tumbler_try(t, &pose);
    fold->inertia[k] = po_inertia_about(d, y);
    if (k > 0) {
      po_difference(t->step, m, t->last, q);
      memset(t->step, 0, 6 * sizeof(double));
      turned -= po_dot(po_row(d->cmm, 1), t->step, m->nv) / fold->inertia[k];
    }
    memcpy(t->last, q, sizeof(double) * (size_t)m->nq);
    u = po_v3_sub(po_frame_position(d, t->neck), d->pose[0].p);
    fold->angle[k] = turned + po_atan2(u.x, u.z);
    if (k == 0) first = fold->angle[0];
    fold->angle[k] -= first;
  }
}

/* Where on the table an inertia lies: 0 open, 1 in the shape. */
static double airborne_share(const po_fold *fold, double I) {
  int k;
  if (I >= fold->inertia[0]) return 0;
  for (k = 1; k < PO_FOLD_STEPS; k++)
    if (I >= fold->inertia[k] && fold->inertia[k - 1] > fold->inertia[k]) return (k - (I - fold->inertia[k]) / (fold->inertia[k - 1] - fold->inertia[k])) / (PO_FOLD_STEPS - 1);
  return 1;
}

static double airborne_angle(const po_fold *fold, double share) {
  double x = share * (PO_FOLD_STEPS - 1);
  int k = (int)po_clamp(floor(x), 0, PO_FOLD_STEPS - 2);
  return fold->angle[k] + (x - k) * (fold->angle[k + 1] - fold->angle[k]);
}

double po_airborne_rest(const po_airborne *a, const po_tumbler *t, const po_phase *phase) {
  const po_data *d = t->actor->data;
  double sign = po_v3_dot(phase->axis, po_m3_col(d->pose[0].R, 1)) > 0 ? 1 : -1;
  double folded = phase->by == PO_BY_AVERAGE ? 0 : airborne_angle(&t->fold, airborne_share(&t->fold, po_inertia_about(d, phase->axis)));
  return a->theta_land - phase->theta + sign * (folded - (phase->by == PO_BY_AVERAGE ? 0 : airborne_angle(&t->fold, airborne_share(&t->fold, a->inertia_land))));
}

/* The end of the flight is not this law's: the body opens for the landing (arrive), its rate going evenly from L/I to L/I_land, or has opened (hold). */
static double airborne_end(const po_airborne *a, double L, double I) {
  return a->arrive * 0.5 * (L / I + L / a->inertia_land) + a->hold * L / a->inertia_land;
}

void po_airborne_aim(po_airborne *a, po_tumbler *t, const po_airborne_params *p, const po_phase *phase, double left) {
  const po_data *d = t->actor->data;
  const po_fold *fold = &t->fold;
  double L = po_v3_dot(phase->axis, po_v3_of(d->momentum)), I = po_inertia_about(d, phase->axis), over = left - a->arrive - a->hold;
  po_tumble_pose pose;
  po_tumbler_let_go(t);
  if (over > AIRBORNE_SHORTEST * t->beat) {
    a->wanted = po_airborne_inertia(L, I, a->arrive > 0 ? I : a->inertia_land, po_airborne_rest(a, t, phase) - airborne_end(a, L, I), over, fold->inertia[PO_FOLD_STEPS - 1], fold->inertia[0]);
    a->share = airborne_share(fold, a->wanted);
  } else if (a->hold > 0)
    a->share = 0;
  pose = po_tumble_mix(fold->open, fold->shape, a->share);
  po_tumbler_pose(t, &pose, p->kp_air, 1, 1);
  po_tumbler_level(t, phase->axis, 3, p->level_air);
}
