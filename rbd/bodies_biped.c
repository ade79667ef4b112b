/* bodies_biped.c: human, child, lopsided and giant: one layout of 35 freedoms in four sizes.
 *
 * root 6 + lumbar 3 + thoracic 3 + neck 3 + shoulders 2×3 + elbows 2×1 + hips 2×3 + knees 2×1 + ankles 2×2 = 35.
 * Segment lengths and mass shares are Winter's for a man of 1.77 m and 78 kg (docs/models.md); inertias are those of uniform boxes
 * (trunk, feet) and cylinders. The pelvis' origin lies midway between the hips. Limbs hang along −z of their own frames.
 *
 * Signs: rotation about +y leans the trunk forward, swings legs and arms back, bends the knee and points the toes. Limits below are
 * written for a body that stands straight; the bends of the zero pose are taken off where a joint is placed bent.
 */
#include "bodies.h"

typedef struct biped_leg {
  double thigh, thigh_radius, thigh_mass; /* length, radius, mass */
  double shank, shank_radius, shank_mass;
  double foot_mass;
} biped_leg;

typedef struct biped_arm {
  double upper, upper_radius, upper_mass;
  double fore, fore_radius, fore_mass;
  double hand, hand_radius, hand_mass;
} biped_arm;

typedef struct biped_plan {
  po_vec3 pelvis, abdomen, thorax; /* extents of the boxes */
  double pelvis_mass, abdomen_mass, thorax_mass;
  double head, head_radius, head_mass; /* with the neck */
  double hip, shoulder;                /* half the distance between the joints */
  po_vec3 foot;                        /* extents */
  double ankle_height, ankle_behind;   /* over the sole; behind its centre */
  double ahead;                        /* the hip in front of the ankle at rest: puts the COM over the soles */
  double strength;                     /* factor on all torque limits */
  biped_leg leg[2];                    /* left, right */
  biped_arm arm[2];
} biped_plan;

#define BIPED_BEND 0.15 /* of knees and elbows at rest, so that rest is not on a limit */

static biped_plan biped_human(void) {
  const double H = 1.77, M = 78;
  biped_plan p;
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
  p.foot = po_v3(0.269, 0.097, 0.0394);
  p.ankle_height = 0.069;
  p.ankle_behind = 0.07;
  p.ahead = 0.045;
  p.strength = 1;
  for (i = 0; i < 2; i++) {
    biped_leg leg = {0.245 * H, 0.074, 0.100 * M, 0.246 * H, 0.049, 0.0465 * M, 0.0145 * M};
    biped_arm arm = {0.186 * H, 0.044, 0.028 * M, 0.146 * H, 0.037, 0.016 * M, 0.108 * H, 0.026, 0.006 * M};
    p.leg[i] = leg;
    p.arm[i] = arm;
  }
  return p;
}

static po_vec3 biped_down(double length) { return po_v3(0, 0, -length); }

static void biped_trunk(po_maker *m, const biped_plan *p) {
  /* flexion −0.5 … 1.2, side ±0.6 and twist ±0.6 of the spine are shared by its two joints */
  static const double lower[3] = {-0.3, -0.25, -0.3}, upper[3] = {0.3, 0.6, 0.3};
  static const double neck_lower[3] = {-0.8, -0.8, -0.8}, neck_upper[3] = {0.8, 0.8, 0.8};
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

static void biped_arm_on(po_maker *m, const biped_plan *p, int right) {
  const biped_arm *a = &p->arm[right];
  const char *side = right ? "r" : "l";
  double s = right ? -1 : 1, k = p->strength, effort[3];
  /* abduction −0.3 … 3.05, flexion −1 … 2.9 (towards −y), rotation ±1.5 */
  double lower[3] = {-0.3, -2.9, -1.5}, upper[3] = {3.05, 1.0, 1.5};
  po_part_name upper_arm = po_part("upper_arm", side), forearm = po_part("forearm", side);
  po_joint elbow;
  if (right) lower[0] = -3.05, upper[0] = 0.3;
  effort[0] = effort[1] = effort[2] = 120 * k;
  po_maker_link(m, upper_arm.text, "thorax",
                po_maker_ball(po_part("shoulder", side).text, po_v3(0, s * p->shoulder, p->thorax.z), lower, upper, effort),
                po_solid_rod(a->upper_mass, a->upper_radius, po_v3(0, 0, 0), biped_down(a->upper)));
  po_maker_capsule(m, upper_arm.text, po_v3(0, 0, 0), biped_down(a->upper), a->upper_radius);
  elbow = po_maker_hinge(po_part("elbow", side).text, biped_down(a->upper), po_v3(0, -1, 0), -BIPED_BEND, 2.6 - BIPED_BEND, 80 * k);
  po_maker_pitch(&elbow, -BIPED_BEND);
  po_maker_link(m, forearm.text, upper_arm.text, elbow,
                po_solid_sum(po_solid_rod(a->fore_mass, a->fore_radius, po_v3(0, 0, 0), biped_down(a->fore)),
                             po_solid_rod(a->hand_mass, a->hand_radius, biped_down(a->fore), biped_down(a->fore + a->hand))));
  po_maker_capsule(m, forearm.text, po_v3(0, 0, 0), biped_down(a->fore), a->fore_radius);
  po_maker_capsule(m, forearm.text, biped_down(a->fore), biped_down(a->fore + a->hand), 1.2 * a->hand_radius);
  po_maker_frame(m, po_part("hand", side).text, forearm.text, biped_down(a->fore + 0.5 * a->hand));
}

static void biped_leg_on(po_maker *m, const biped_plan *p, int right) {
  const biped_leg *g = &p->leg[right];
  const char *side = right ? "r" : "l";
  double s = right ? -1 : 1, k = p->strength, hip_effort[3], ankle_effort[2];
  po_leg_rest rest = po_leg_at_rest(g->thigh, g->shank, BIPED_BEND, p->ahead);
  /* abduction −0.4 … 1.2, flexion −0.5 … 2.3 (towards −y), rotation ±0.8 */
  double lower[3] = {-0.4, -2.3, -0.8}, upper[3] = {1.2, 0.5, 0.8}, ankle_lower[2] = {-0.7, -0.5}, ankle_upper[2] = {0.9, 0.5};
  po_part_name thigh = po_part("thigh", side), shank = po_part("shank", side), foot = po_part("foot", side);
  po_joint j;
  po_vec3 sole;
  if (right) lower[0] = -1.2, upper[0] = 0.4;
  lower[1] += rest.thigh; /* already flexed by that much */
  upper[1] += rest.thigh;
  ankle_lower[0] += rest.shank;
  ankle_upper[0] += rest.shank;
  hip_effort[0] = hip_effort[2] = 150 * k;
  hip_effort[1] = 300 * k;
  ankle_effort[0] = ankle_effort[1] = 200 * k;
  j = po_maker_ball(po_part("hip", side).text, po_v3(0, s * p->hip, 0), lower, upper, hip_effort);
  po_maker_pitch(&j, -rest.thigh);
  po_maker_link(m, thigh.text, "pelvis", j, po_solid_rod(g->thigh_mass, g->thigh_radius, po_v3(0, 0, 0), biped_down(g->thigh)));
  po_maker_capsule(m, thigh.text, po_v3(0, 0, 0), biped_down(g->thigh), g->thigh_radius);
  j = po_maker_hinge(po_part("knee", side).text, biped_down(g->thigh), po_v3(0, 1, 0), -BIPED_BEND, 2.6 - BIPED_BEND, 300 * k);
  po_maker_pitch(&j, BIPED_BEND);
  po_maker_link(m, shank.text, thigh.text, j, po_solid_rod(g->shank_mass, g->shank_radius, po_v3(0, 0, 0), biped_down(g->shank)));
  po_maker_capsule(m, shank.text, po_v3(0, 0, 0), biped_down(g->shank), g->shank_radius);
  j = po_maker_two(po_part("ankle", side).text, biped_down(g->shank), po_v3(0, 1, 0), po_v3(1, 0, 0), ankle_lower, ankle_upper,
                   ankle_effort);
  po_maker_pitch(&j, -rest.shank);
  sole = po_v3(p->ankle_behind, 0, 0.5 * p->foot.z - p->ankle_height);
  po_maker_link(m, foot.text, shank.text, j, po_solid_at(po_inertia_box(g->foot_mass, p->foot.x, p->foot.y, p->foot.z), sole));
  po_maker_sole(m, foot.text, side, sole, po_v3_scale(0.5, p->foot));
}

static void biped_make(po_maker *m, const biped_plan *p) {
  int right;
  biped_trunk(m, p);
  for (right = 0; right < 2; right++) biped_arm_on(m, p, right);
  for (right = 0; right < 2; right++) biped_leg_on(m, p, right);
}

void po_make_human(po_maker *m) {
  biped_plan p = biped_human();
  biped_make(m, &p);
}

static po_vec3 biped_times(po_vec3 a, double x, double y, double z) { return po_v3(x * a.x, y * a.y, z * a.z); }

/* Limbs: lengths a, radii r; masses follow at the same density. */
static void biped_scale_limbs(biped_plan *p, double a, double r) {
  double mass = a * r * r;
  int i;
  for (i = 0; i < 2; i++) {
    biped_leg *g = &p->leg[i];
    biped_arm *h = &p->arm[i];
    g->thigh *= a, g->thigh_radius *= r, g->thigh_mass *= mass;
    g->shank *= a, g->shank_radius *= r, g->shank_mass *= mass;
    h->upper *= a, h->upper_radius *= r, h->upper_mass *= mass;
    h->fore *= a, h->fore_radius *= r, h->fore_mass *= mass;
    h->hand *= a, h->hand_radius *= r, h->hand_mass *= mass;
  }
}

/* 1.0 m tall: the head 1.6 and the limbs 0.7 of their share of the height, the trunk takes the rest. Limbs are chubby. Torque limits
 * scale with weight times height: s⁴ of such short limbs would not carry such a head. */
void po_make_child(po_maker *m) {
  const double limb = 0.7 / 1.77, chubby = 0.5, foot = 0.5;
  biped_plan p = biped_human();
  double head = 1.6 / 1.77, trunk, total;
  int i;
  p.head *= head;
  p.head_radius *= head;
  p.head_mass *= head * head * head;
  biped_scale_limbs(&p, limb, chubby);
  for (i = 0; i < 2; i++) p.leg[i].foot_mass *= foot * foot * foot;
  p.foot = po_v3_scale(foot, p.foot);
  p.ankle_height *= foot;
  p.ankle_behind *= foot;
  p.ahead *= foot;
  trunk = (1.0 - p.head - p.leg[0].thigh - p.leg[0].shank - p.ankle_height) / (p.pelvis.z + p.abdomen.z + p.thorax.z);
  p.pelvis = biped_times(p.pelvis, trunk, trunk, trunk);
  p.abdomen = biped_times(p.abdomen, trunk, trunk, trunk);
  p.thorax = biped_times(p.thorax, trunk, trunk, trunk);
  p.pelvis_mass *= trunk * trunk * trunk;
  p.abdomen_mass *= trunk * trunk * trunk;
  p.thorax_mass *= trunk * trunk * trunk;
  p.hip = 0.05;
  p.shoulder *= trunk;
  total = p.pelvis_mass + p.abdomen_mass + p.thorax_mass + p.head_mass;
  for (i = 0; i < 2; i++)
    total += p.leg[i].thigh_mass + p.leg[i].shank_mass + p.leg[i].foot_mass + p.arm[i].upper_mass + p.arm[i].fore_mass +
             p.arm[i].hand_mass;
  p.strength = total * 1.0 / (78 * 1.77);
  biped_make(m, &p);
}

/* Left arm 40 % longer and heavier; left knee 0.1 m higher than the right, with both hips level. */
void po_make_lopsided(po_maker *m) {
  biped_plan p = biped_human();
  biped_arm *a = &p.arm[0];
  biped_leg *g = &p.leg[0];
  double chord, c = po_cos(BIPED_BEND), shank;
  po_leg_rest right = po_leg_at_rest(p.leg[1].thigh, p.leg[1].shank, BIPED_BEND, 0);
  a->upper *= 1.4, a->upper_mass *= 1.4;
  a->fore *= 1.4, a->fore_mass *= 1.4;
  a->hand *= 1.4, a->hand_mass *= 1.4;
  chord = right.height;
  g->thigh_mass *= (g->thigh - 0.1) / g->thigh;
  g->thigh -= 0.1;
  shank = sqrt(chord * chord - g->thigh * g->thigh * (1 - c * c)) - g->thigh * c; /* the same chord with the knee bent as much */
  g->shank_mass *= shank / g->shank;
  g->shank = shank;
  biped_make(m, &p);
}

/* The human twice as large: masses ×8, inertias ×32, torques ×16. */
void po_make_giant(po_maker *m) {
  biped_plan p = biped_human();
  int i;
  p.pelvis = po_v3_scale(2, p.pelvis);
  p.abdomen = po_v3_scale(2, p.abdomen);
  p.thorax = po_v3_scale(2, p.thorax);
  p.foot = po_v3_scale(2, p.foot);
  p.pelvis_mass *= 8, p.abdomen_mass *= 8, p.thorax_mass *= 8, p.head_mass *= 8;
  p.head *= 2, p.head_radius *= 2, p.hip *= 2, p.shoulder *= 2;
  p.ankle_height *= 2, p.ankle_behind *= 2, p.ahead *= 2;
  p.strength *= 16;
  biped_scale_limbs(&p, 2, 2);
  for (i = 0; i < 2; i++) p.leg[i].foot_mass *= 8;
  biped_make(m, &p);
}
