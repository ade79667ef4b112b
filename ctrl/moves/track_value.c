/* track_value.c: what deviations from a plan cost, the segments after it counted in.
 *
 * A hard end asks for absurd forces, and any compliance picked by hand is wrong for some push. The cost of missing an end is known: it is what the
 * next segment pays for beginning so, H = the Hessian of its own cost-to-go. Where a foot has still to land it may follow: the segments after it
 * are shifted by s and pay ½(ψ − s)'H(ψ − s) + ½ w|s|², which is least for
 *
 *   s = (H_ss + w)⁻¹ H_s ψ,      and then costs ½ψ'(H − H_s'(H_ss + w)⁻¹H_s)ψ          s: the rows of C_x, C_y
 *
 * For a pendulum s is the error of its capture point. From segment to segment backward this is a Riccati recursion; a motion that repeats goes round until
 * nothing changes, one that ends begins with the stiffness of spec section 6.9.
 */
#include "track_store.h"
#include <string.h>

#define VALUE_ROUNDS 12    /* of a cyclic motion: steps forget within two or three */
#define VALUE_SHIFT 1.0    /* w: of a foothold's shift, in units of (M g)² T / l²: as much as force that brings about the same */

#define VALUE_ROOM 16384  /* bytes: of an eigenvalue problem of 12 states */

static const unsigned char value_free[1] = {1};

/* H without its negative curvature, in the units of the states. Moments are products of places and forces, so a cost to go need not be convex; but as the
 * price of an end, or the measure of a fit, a negative one would pay for falling: captured walks have directions of minus a third of the largest. */
static po_status value_convex(double *H, const double *unit, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int i, j, k, n = PO_MOMENTUM_NX;
  po_mat A = po_arena_mat(scratch, n, n), V = po_arena_mat(scratch, n, n);
  double w[PO_MOMENTUM_NX];
  po_status s;
  if (scratch->failed) return PO_ERR_MEMORY;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) PO_AT(A, i, j) = H[i * n + j] * unit[i] * unit[j];
  if ((s = po_eig_sym(w, V, A, scratch)) != PO_OK) return s;
  for (k = 0; k < n; k++)
    for (i = 0; i < n && w[k] < 0; i++)
      for (j = 0; j < n; j++) H[i * n + j] -= w[k] * PO_AT(V, i, k) * PO_AT(V, j, k) / (unit[i] * unit[j]);
  po_arena_release(scratch, mark);
  return PO_OK;
}

static po_status value_at(double *H, const po_track_piece *p, double phase, const double *stiffness, const double *unit, po_arena *scratch) {
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_status s;
  o.time = 0;
  o.p_free = value_free;
  o.stiffness = stiffness;
  s = po_ddp_policy_hessian(H, p->plan, p->lead + phase, &o, scratch);
  return s == PO_OK ? value_convex(H, unit, scratch) : s;
}

/* Of an end that nothing follows, and the vertical part of all ends: stairs are to be met (spec 6.9). */
static void value_plain(double *S, const po_momentum_scales *scales, int vertical_only) {
  int i;
  memset(S, 0, sizeof(double) * PO_TRACK_HESSIAN);
  for (i = 0; i < PO_MOMENTUM_NX; i++)
    if (!vertical_only || i == PO_MOMENTUM_C + 2 || i == PO_MOMENTUM_P + 2)
      S[i * PO_MOMENTUM_NX + i] = 1 / scales->compliance[i] + (vertical_only ? 0 : scales->goal_weight[i]);
}

/* end_free and follow from end[1]. */
static void value_follow(po_track_piece *p, double w) {
  const double *H = p->end[1];
  double a = H[0] + w, b = H[1], d = H[PO_MOMENTUM_NX + 1] + w, det = a * d - b * b;
  int i, j;
  for (i = 0; i < PO_MOMENTUM_NX; i++) {
    double hx = H[i], hy = H[PO_MOMENTUM_NX + i];
    p->follow[0][i] = (d * hx - b * hy) / det;
    p->follow[1][i] = (a * hy - b * hx) / det;
  }
  for (i = 0; i < PO_MOMENTUM_NX; i++)
    for (j = 0; j < PO_MOMENTUM_NX; j++)
      p->end_free[i * PO_MOMENTUM_NX + j] = H[i * PO_MOMENTUM_NX + j] - H[i] * p->follow[0][j] - H[PO_MOMENTUM_NX + i] * p->follow[1][j];
}

static int value_lands(const po_track_piece *p, int frame) { /* 1: a foot of this segment has still to land */
  int c;
  for (c = 0; c < PO_CORNERS; c++)
    if (p->arrive[c] > frame) return 1;
  return 0;
}

static po_status value_ends(po_track_store *t, po_arena *scratch) {
  double vertical[PO_TRACK_HESSIAN], w = VALUE_SHIFT / 30 * t->scales.goal_weight[0];
  po_status s = PO_OK;
  int round, i, k, f;
  value_plain(vertical, &t->scales, 1);
  for (i = 0; i < t->count; i++)
    for (f = 0; f < 2; f++) value_plain(t->piece[i].end[f], &t->scales, 0);
  for (i = 0; i < t->count; i++) value_follow(&t->piece[i], w);
  for (round = 0; round < (t->motion->cyclic ? VALUE_ROUNDS : 1); round++)
    for (k = t->count - 1; k >= 0 && s == PO_OK; k--) {
      const po_track_piece *next = &t->piece[(k + 1) % t->count];
      po_track_piece *p = &t->piece[k];
      if (k == t->count - 1 && !t->motion->cyclic) continue;
      for (f = 0; f < 2 && s == PO_OK; f++) {
        s = value_at(p->end[f], next, 0, f && value_lands(next, 0) ? next->end_free : next->end[f], t->scales.unit, scratch);
        for (i = 0; i < PO_TRACK_HESSIAN; i++) p->end[f][i] += vertical[i];
      }
      value_follow(p, w);
    }
  return s;
}

static po_status value_costs(po_track_piece *p, const double *unit, po_arena *scratch) {
  po_status s = PO_OK;
  int k, f;
  for (f = 0; f < 2; f++)
    if (!(p->cost[f] = po_alloc(sizeof(double) * PO_TRACK_HESSIAN * (size_t)(p->lead + p->frames + 1)))) return PO_ERR_MEMORY;
  for (f = 0; f < 2; f++)
    for (k = -p->lead; k <= p->frames && s == PO_OK; k++)
      s = value_at(p->cost[f] + (size_t)(p->lead + k) * PO_TRACK_HESSIAN, p, k, f && value_lands(p, k) ? p->end_free : p->end[f], unit, scratch);
  return s;
}

po_status po_track_value(po_track_store *t, po_error *err) {
  size_t bytes = po_ddp_policy_bytes(t->largest) + VALUE_ROOM;
  void *mem = po_alloc(bytes);
  po_arena scratch;
  po_status s;
  int i;
  if (!mem) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&scratch, mem, bytes);
  s = value_ends(t, &scratch);
  for (i = 0; i < t->count && s == PO_OK; i++) {
    po_track_piece *p = &t->piece[i], *e = p->early;
    s = value_costs(p, t->scales.unit, &scratch);
    if (s != PO_OK || !e) continue;
    memcpy(e->end, p->end, sizeof e->end);
    memcpy(e->end_free, p->end_free, sizeof e->end_free);
    memcpy(e->follow, p->follow, sizeof e->follow);
    s = value_costs(e, t->scales.unit, &scratch);
  }
  po_free(mem);
  return s == PO_OK ? s : po_fail(err, s, "what deviations cost: %s", po_status_string(s));
}
