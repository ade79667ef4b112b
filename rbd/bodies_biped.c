/* bodies_biped.c: one layout of 35 freedoms for human, child, lopsided, giant, gymnast and random bodies.
 *
 * root 6 + lumbar 3 + thoracic 3 + neck 3 + shoulders 2×3 + elbows 2×1 + hips 2×3 + knees 2×1 + ankles 2×2 = 35; wrists 2×2 and toes 2×1 where the plan
 * has palms and toes.
 * Segment lengths and mass shares are Winter's for a man of 1.77 m and 78 kg (docs/models.md); inertias are those of uniform boxes
 * (trunk, feet) and cylinders. The pelvis' origin lies midway between the hips. Limbs hang along −z of their own frames.
 *
 * Signs: rotation about +y leans the trunk forward, swings legs and arms back, bends the knee and points the toes. Limits below are
 * written for a body that stands straight; the bends of the zero pose are taken off where a joint is placed bent.
 */
#include "biped.h"

static po_biped_range biped_range(void) {
  static const po_biped_range range = {
      {-0.3, -0.25, -0.3}, {0.3, 0.6, 0.3}, /* flexion −0.5 … 1.2, side ±0.6 and twist ±0.6 are shared by the spine's two joints */
      {-0.3, -2.9, -1.5},  {3.05, 1.0, 1.5}, {1, 0, 0, 0}, /* abduction −0.3 … 3.05, flexion −1 … 2.9 (towards −y), rotation ±1.5 */
      {-0.4, -2.3, -0.8},  {1.2, 0.5, 0.8}, /* abduction −0.4 … 1.2, flexion −0.5 … 2.3 (towards −y), rotation ±0.8 */
      {-0.7, -0.5},        {0.9, 0.5}};
  return range;
}

po_biped_plan po_biped_human(void) {
  const double H = 1.77, M = 78;
  po_biped_plan p;
  int i;
  /* widths are chosen, depths follow from a density of 1030 kg/m³ */
  p.pelvis = po_v3(0.2296, 0.33, 0.080 * H);
  p.abdomen = po_v3(0.2206, 0.30, 0.090 * H);
  p.thorax = po_v3(0.2174, 0.36, 0.118 * H);
  p.pelvis_mass = 0.142 * M;
  p.abdomen_mass = 0.139 * M;
  p.thorax_mass = 0.216 * M;
  p.head = 0.182 * H;
  p.head_radius = 0.075;
  p.head_mass = 0.081 * M;
  p.hip = 0.05 * H;
  p.shoulder = 0.1 * H;
  p.ahead = 0.045;
  p.strength = 1;
  p.toes = p.palm = 0;
  p.range = biped_range();
  for (i = 0; i < 2; i++) {
    po_biped_leg leg = {0.245 * H,  0.074, 0.100 * M, 0.246 * H,    0.049, 0.0465 * M, {0.269, 0.097, 0.0394},
                        0.0145 * M, 0.069, 0.07,      PO_BIPED_BEND};
    po_biped_arm arm = {0.186 * H, 0.044, 0.028 * M, 0.146 * H, 0.037, 0.016 * M, 0.108 * H, 0.026, 0.006 * M};
    p.leg[i] = leg;
    p.arm[i] = arm;
  }
  return p;
}

static po_vec3 biped_down(double length) { return po_v3(0, 0, -length); }

static void biped_trunk(po_maker *m, const po_biped_plan *p) {
  static const double neck_lower[3] = {-0.8, -0.8, -0.8}, neck_upper[3] = {0.8, 0.8, 0.8};
  const double *lower = p->range.spine_lower, *upper = p->range.spine_upper;
  double k = p->strength, spine[3], neck[3];
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  double r = p->head_radius * 1.35; /* the skull is wider than a cylinder of head and neck */
  spine[0] = spine[1] = spine[2] = 250 * k;
  neck[0] = neck[1] = neck[2] = 50 * k;
  po_maker_link(m, "pelvis", NULL, root,
                po_solid_at(po_inertia_box(p->pelvis_mass, p->pelvis.x, p->pelvis.y, p->pelvis.z), po_v3(0, 0, 0.5 * p->pelvis.z)));
  po_maker_box(m, "pelvis", po_v3(0, 0, 0.5 * p->pelvis.z), po_v3(0.45 * p->pelvis.x, 0.5 * p->pelvis.y, 0.5 * p->pelvis.z));
  po_maker_link(
      m, "abdomen", "pelvis", po_maker_ball("lumbar", po_v3(0, 0, p->pelvis.z), lower, upper, spine),
      po_solid_at(po_inertia_box(p->abdomen_mass, p->abdomen.x, p->abdomen.y, p->abdomen.z), po_v3(0, 0, 0.5 * p->abdomen.z)));
  po_maker_box(m, "abdomen", po_v3(0, 0, 0.5 * p->abdomen.z), po_v3(0.45 * p->abdomen.x, 0.5 * p->abdomen.y, 0.5 * p->abdomen.z));
  po_maker_link(m, "thorax", "abdomen", po_maker_ball("thoracic", po_v3(0, 0, p->abdomen.z), lower, upper, spine),
                po_solid_at(po_inertia_box(p->thorax_mass, p->thorax.x, p->thorax.y, p->thorax.z), po_v3(0, 0, 0.5 * p->thorax.z)));
  /* narrower than the mass: shoulders and arms are in its corners */
  po_maker_box(m, "thorax", po_v3(0, 0, 0.5 * p->thorax.z), po_v3(0.45 * p->thorax.x, 0.36 * p->thorax.y, 0.5 * p->thorax.z));
  po_maker_frame(m, "neck_base", "thorax", po_v3(0, 0, p->thorax.z));
  po_maker_link(m, "head", "thorax", po_maker_ball("neck", po_v3(0, 0, p->thorax.z), neck_lower, neck_upper, neck),
                po_solid_rod(p->head_mass, p->head_radius, po_v3(0, 0, 0), po_v3(0, 0, p->head)));
  po_maker_sphere(m, "head", po_v3(0, 0, p->head - r), r);
}

/* The mirror image of a ball joint's limits and of where they are measured from: rotations about x and z change their sign. */
static void biped_mirror(po_joint *j) {
  int k;
  for (k = 0; k < 3; k += 2) {
    double lower = j->lower[k];
    j->lower[k] = -j->upper[k];
    j->upper[k] = -lower;
  }
  j->limit_centre.x = -j->limit_centre.x;
  j->limit_centre.z = -j->limit_centre.z;
}

static void biped_arm_on(po_maker *m, const po_biped_plan *p, int right) {
  const po_biped_arm *a = &p->arm[right];
  const char *side = right ? "r" : "l";
  double s = right ? -1 : 1, k = p->strength, effort[3];
  const char *upper_arm = po_part(m, "upper_arm", side), *forearm = po_part(m, "forearm", side);
  po_inertia fore = po_solid_rod(a->fore_mass, a->fore_radius, po_v3(0, 0, 0), biped_down(a->fore));
  po_joint shoulder, elbow;
  effort[0] = effort[1] = effort[2] = 120 * k;
  shoulder = po_maker_ball(po_part(m, "shoulder", side), po_v3(0, s * p->shoulder, p->thorax.z), p->range.shoulder_lower,
                           p->range.shoulder_upper, effort);
  shoulder.limit_centre = p->range.shoulder_centre;
  if (right) biped_mirror(&shoulder);
  po_maker_link(m, upper_arm, "thorax", shoulder,
                po_solid_rod(a->upper_mass, a->upper_radius, po_v3(0, 0, 0), biped_down(a->upper)));
  po_maker_capsule(m, upper_arm, po_v3(0, 0, 0), biped_down(a->upper), a->upper_radius);
  elbow =
      po_maker_hinge(po_part(m, "elbow", side), biped_down(a->upper), po_v3(0, -1, 0), -PO_BIPED_BEND, 2.6 - PO_BIPED_BEND, 80 * k);
  po_maker_pitch(&elbow, -PO_BIPED_BEND);
  if (p->palm == 0) /* the hand is one with the forearm */
    fore = po_solid_sum(fore, po_solid_rod(a->hand_mass, a->hand_radius, biped_down(a->fore), biped_down(a->fore + a->hand)));
  po_maker_link(m, forearm, upper_arm, elbow, fore);
  po_maker_capsule(m, forearm, po_v3(0, 0, 0), biped_down(a->fore), a->fore_radius);
  if (p->palm > 0) {
    po_biped_palm(m, p, right);
    return;
  }
  po_maker_capsule(m, forearm, biped_down(a->fore), biped_down(a->fore + a->hand), 1.2 * a->hand_radius);
  po_maker_frame(m, po_part(m, "hand", side), forearm, biped_down(a->fore + 0.5 * a->hand));
}

static void biped_foot_on(po_maker *m, const po_biped_plan *p, int right, double shank_lean) {
  const po_biped_leg *g = &p->leg[right];
  const char *side = right ? "r" : "l";
  const char *foot = po_part(m, "foot", side);
  double lower[2], upper[2], effort[2];
  po_vec3 sole = po_v3(g->ankle_behind, 0, 0.5 * g->foot.z - g->ankle_height), half = po_v3_scale(0.5, g->foot);
  po_joint j;
  lower[0] = po_min(p->range.ankle_lower[0] + shank_lean,
                    -PO_BIPED_BEND); /* already bent by that much; a deep crouch is still not on a limit */
  upper[0] = p->range.ankle_upper[0] + shank_lean;
  lower[1] = p->range.ankle_lower[1];
  upper[1] = p->range.ankle_upper[1];
  effort[0] = effort[1] = 200 * p->strength;
  j = po_maker_two(po_part(m, "ankle", side), biped_down(g->shank), po_v3(0, 1, 0), po_v3(1, 0, 0), lower, upper, effort);
  po_maker_pitch(&j, -shank_lean);
  if (p->toes > 0) { /* the foot keeps what lies behind them */
    double share = p->toes / g->foot.x;
    po_vec3 back = po_v3(sole.x - 0.5 * p->toes, 0, sole.z);
    po_maker_link(m, foot, po_part(m, "shank", side), j,
                  po_solid_at(po_inertia_box((1 - share) * g->foot_mass, g->foot.x - p->toes, g->foot.y, g->foot.z), back));
    po_biped_toes(m, p, right, sole, half);
    return;
  }
  po_maker_link(m, foot, po_part(m, "shank", side), j,
                po_solid_at(po_inertia_box(g->foot_mass, g->foot.x, g->foot.y, g->foot.z), sole));
  po_maker_sole(m, foot, side, sole, half);
}

static void biped_leg_on(po_maker *m, const po_biped_plan *p, int right) {
  const po_biped_leg *g = &p->leg[right];
  const char *side = right ? "r" : "l";
  double s = right ? -1 : 1, k = p->strength, hip_effort[3];
  po_leg_rest rest = po_leg_at_rest(g->thigh, g->shank, g->bend, p->ahead);
  const char *thigh = po_part(m, "thigh", side), *shank = po_part(m, "shank", side);
  po_joint j;
  hip_effort[0] = hip_effort[2] = 150 * k;
  hip_effort[1] = 300 * k;
  j = po_maker_ball(po_part(m, "hip", side), po_v3(0, s * p->hip, 0), p->range.hip_lower, p->range.hip_upper, hip_effort);
  if (right) biped_mirror(&j);
  j.lower[1] += rest.thigh; /* already flexed by that much */
  j.upper[1] += rest.thigh;
  po_maker_pitch(&j, -rest.thigh);
  po_maker_link(m, thigh, "pelvis", j, po_solid_rod(g->thigh_mass, g->thigh_radius, po_v3(0, 0, 0), biped_down(g->thigh)));
  po_maker_capsule(m, thigh, po_v3(0, 0, 0), biped_down(g->thigh), g->thigh_radius);
  j = po_maker_hinge(po_part(m, "knee", side), biped_down(g->thigh), po_v3(0, 1, 0), -g->bend, 2.6 - g->bend, 300 * k);
  po_maker_pitch(&j, g->bend);
  po_maker_link(m, shank, thigh, j, po_solid_rod(g->shank_mass, g->shank_radius, po_v3(0, 0, 0), biped_down(g->shank)));
  po_maker_capsule(m, shank, po_v3(0, 0, 0), biped_down(g->shank), g->shank_radius);
  biped_foot_on(m, p, right, rest.shank);
}

void po_biped_make(po_maker *m, const po_biped_plan *p) {
  int right;
  biped_trunk(m, p);
  for (right = 0; right < 2; right++) biped_arm_on(m, p, right);
  for (right = 0; right < 2; right++) biped_leg_on(m, p, right);
}
