/* biped_ends.c: toes and palms: where a gymnast stands.
 *
 * Toes are the front of the foot's box on a hinge at half its height, so that the heel can rise while they lie flat. Their tip is round: a
 * sphere between the two front corners, which stands alone on the ground as soon as the toes are pointed, so that nothing brakes a spin.
 *
 * A palm is a box on a wrist of two freedoms, as a foot is on an ankle. At rest it hangs in line with the forearm and looks backwards, as a
 * forearm turned in does: with the arm overhead and the wrist bent back it lies flat under the arm, fingers behind the head.
 */
#include "biped.h"

#define ENDS_TOE_EFFORT 100.0   /* N m for the human's weight: twice the weight over the middle of the toes, with some to spare */
#define ENDS_WRIST_EFFORT 60.0  /* N m: half the weight on a hand, its centre of pressure at the fingers */
#define ENDS_TIP_CLEARANCE 5e-4 /* m: the round tip does not touch while the toes lie flat */

void po_biped_toes(po_maker *m, const po_biped_plan *p, int right, po_vec3 sole, po_vec3 half) {
  const po_biped_leg *g = &p->leg[right];
  const char *side = right ? "r" : "l";
  const char *foot = po_part(m, "foot", side), *toes = po_part(m, "toes", side);
  double length = p->toes, share = length / g->foot.x, bottom = -half.z;
  po_vec3 middle = po_v3(0.5 * length, 0, 0), at = po_v3(sole.x + half.x - length, 0, sole.z);
  po_joint j = po_maker_hinge(toes, at, po_v3(0, 1, 0), -1.2, 0.5, ENDS_TOE_EFFORT * p->strength / 1.5);
  po_maker_box(m, foot, po_v3(sole.x - 0.5 * length, 0, sole.z), po_v3(half.x - 0.5 * length, half.y, half.z));
  po_maker_frame(m, po_part(m, "heel", side), foot, po_v3(sole.x - half.x, 0, sole.z - half.z));
  po_maker_corner(m, "sole", side, 0, foot, po_v3(sole.x - half.x, half.y, sole.z - half.z));
  po_maker_corner(m, "sole", side, 1, foot, po_v3(sole.x - half.x, -half.y, sole.z - half.z));
  po_maker_link(m, toes, foot, j, po_solid_at(po_inertia_box(share * g->foot_mass, length, g->foot.y, g->foot.z), middle));
  po_maker_box(m, toes, middle, po_v3(0.5 * length, half.y, half.z));
  po_maker_sphere(m, toes, po_v3(length, 0, ENDS_TIP_CLEARANCE), half.z);
  po_maker_frame(m, po_part(m, "toe", side), toes, po_v3(length, 0, bottom));
  po_maker_corner(m, "sole", side, 2, toes, po_v3(length, -half.y, bottom));
  po_maker_corner(m, "sole", side, 3, toes, po_v3(length, half.y, bottom));
}

void po_biped_palm(po_maker *m, const po_biped_plan *p, int right) {
  static const double lower[2] = {-1.9, -0.6},
                      upper[2] = {1.4, 0.6}; /* bent back (towards −y) so far that the arm may lean over the hand */
  const double density = 1160;               /* kg/m³ of a hand (Winter) */
  const po_biped_arm *a = &p->arm[right];
  const char *side = right ? "r" : "l";
  const char *palm = po_part(m, "palm", side);
  double thick = a->hand_mass / (density * a->hand * p->palm), effort[2];
  po_vec3 middle = po_v3(-0.5 * thick, 0, -0.5 * a->hand), half = po_v3(0.5 * thick, 0.5 * p->palm, 0.5 * a->hand);
  effort[0] = effort[1] = ENDS_WRIST_EFFORT * p->strength / 1.5;
  po_maker_link(
      m, palm, po_part(m, "forearm", side),
      po_maker_two(po_part(m, "wrist", side), po_v3(0, 0, -a->fore), po_v3(0, 1, 0), po_v3(1, 0, 0), lower, upper, effort),
      po_solid_at(po_inertia_box(a->hand_mass, thick, p->palm, a->hand), middle));
  po_maker_box(m, palm, middle, half);
  po_maker_frame(m, po_part(m, "hand", side), palm, po_v3(-0.5 * thick, 0, -0.5 * a->hand));
  /* lying flat, fingers ahead: back-left, back-right, front-right, front-left */
  po_maker_corner(m, "palm", side, 0, palm, po_v3(-thick, half.y, 0));
  po_maker_corner(m, "palm", side, 1, palm, po_v3(-thick, -half.y, 0));
  po_maker_corner(m, "palm", side, 2, palm, po_v3(-thick, -half.y, -a->hand));
  po_maker_corner(m, "palm", side, 3, palm, po_v3(-thick, half.y, -a->hand));
}
