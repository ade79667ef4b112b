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

static const unsigned char value_free[1] = {1};

static po_status value_at(double *H, const po_track_piece *p, double phase, const double *stiffness, po_arena *scratch) {
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  o.time = 0;
  o.p_free = value_free;
  o.stiffness = stiffness;
  return po_ddp_policy_hessian(H, p->plan, phase, &o, scratch);
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
        s = value_at(p->end[f], next, 0, f && value_lands(next, 0) ? next->end_free : next->end[f], scratch);
        for (i = 0; i < PO_TRACK_HESSIAN; i++) p->end[f][i] += vertical[i];
      }
      value_follow(p, w);
    }
  return s;
}

static po_status value_costs(po_track_piece *p, po_arena *scratch) {
  po_status s = PO_OK;
  int k, f;
  for (f = 0; f < 2; f++)
    if (!(p->cost[f] = po_alloc(sizeof(double) * PO_TRACK_HESSIAN * (size_t)(p->frames + 1)))) return PO_ERR_MEMORY;
  for (f = 0; f < 2; f++)
    for (k = 0; k <= p->frames && s == PO_OK; k++)
      s = value_at(p->cost[f] + (size_t)k * PO_TRACK_HESSIAN, p, k, f && value_lands(p, k) ? p->end_free : p->end[f], scratch);
  return s;
}

po_status po_track_value(po_track_store *t, po_error *err) {
  size_t bytes = po_ddp_policy_bytes(t->largest);
  void *mem = po_alloc(bytes);
  po_arena scratch;
  po_status s;
  int i;
  if (!mem) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&scratch, mem, bytes);
  s = value_ends(t, &scratch);
  for (i = 0; i < t->count && s == PO_OK; i++) s = value_costs(&t->piece[i], &scratch);
  po_free(mem);
  return s == PO_OK ? s : po_fail(err, s, "what deviations cost: %s", po_status_string(s));
}
