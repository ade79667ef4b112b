/* bodies_people.c: human, child, lopsided, giant and gymnast: sizes and shares of the one layout of bodies_biped.c. */
#include "biped.h"

void po_make_human(po_maker *m) {
  po_biped_plan p = po_biped_human();
  po_biped_make(m, &p);
}

static po_vec3 people_times(po_vec3 a, double x, double y, double z) { return po_v3(x * a.x, y * a.y, z * a.z); }

/* Limbs: lengths a, radii r; masses follow at the same density. */
static void people_scale_limbs(po_biped_plan *p, double a, double r) {
  double mass = a * r * r;
  int i;
  for (i = 0; i < 2; i++) {
    po_biped_leg *g = &p->leg[i];
    po_biped_arm *h = &p->arm[i];
    g->thigh *= a, g->thigh_radius *= r, g->thigh_mass *= mass;
    g->shank *= a, g->shank_radius *= r, g->shank_mass *= mass;
    h->upper *= a, h->upper_radius *= r, h->upper_mass *= mass;
    h->fore *= a, h->fore_radius *= r, h->fore_mass *= mass;
    h->hand *= a, h->hand_radius *= r, h->hand_mass *= mass;
  }
}

static void people_scale_feet(po_biped_plan *p, double s) {
  int i;
  for (i = 0; i < 2; i++) {
    po_biped_leg *g = &p->leg[i];
    g->foot = po_v3_scale(s, g->foot);
    g->foot_mass *= s * s * s;
    g->ankle_height *= s;
    g->ankle_behind *= s;
  }
}

/* 1.0 m tall: the head 1.6 and the limbs 0.7 of their share of the height, the trunk takes the rest. Limbs are chubby. Torque limits
 * scale with weight times height: s⁴ of such short limbs would not carry such a head. */
void po_make_child(po_maker *m) {
  const double limb = 0.7 / 1.77, chubby = 0.5, foot = 0.5;
  po_biped_plan p = po_biped_human();
  double head = 1.6 / 1.77, trunk, total;
  int i;
  p.head *= head;
  p.head_radius *= head;
  p.head_mass *= head * head * head;
  people_scale_limbs(&p, limb, chubby);
  people_scale_feet(&p, foot);
  p.ahead *= foot;
  trunk = (1.0 - p.head - p.leg[0].thigh - p.leg[0].shank - p.leg[0].ankle_height) / (p.pelvis.z + p.abdomen.z + p.thorax.z);
  p.pelvis = people_times(p.pelvis, trunk, trunk, trunk);
  p.abdomen = people_times(p.abdomen, trunk, trunk, trunk);
  p.thorax = people_times(p.thorax, trunk, trunk, trunk);
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
  po_biped_make(m, &p);
}

/* The human, half as strong again, more supple, with toes that bend, wrists and palms. A shoulder's limits are measured from the arm
 * raised to the side and ahead: by the human's, which begin with the arm hanging down, the arm overhead is half a turn away, where the
 * logarithm jumps. From here it is 1.6 away, rest is 1.5 away, and no corner of the box is half a turn away. */
void po_make_gymnast(po_maker *m) {
  static const po_biped_range range = {
      {-0.35, -0.45, -0.35}, {0.35, 0.7, 0.35}, {-1.45, -1.95, -1.4},
      {1.65, 2.1, 1.4},      {1, 0, 0, 0},    /* flexion −0.9 … 3.3, abduction −0.5 … 3, rotation ±1 and more */
      {-0.4, -2.5, -0.8},    {1.4, 0.9, 0.8}, /* straddle and split */
      {-0.8, -0.5},          {1.2, 0.5}};
  const double plane = 0.6,
               raised = 1.5; /* the plane of the shoulder blade, ahead of the coronal plane's right angle; elevation in it */
  po_biped_plan p = po_biped_human();
  p.strength = 1.5;
  p.toes = 0.065; /* of the foot's 0.269 m */
  p.palm = 0.085; /* width: with 1160 kg/m³ the hand is 25 mm thick */
  p.range = range;
  p.range.shoulder_centre = po_q_axis_angle(po_v3(po_sin(plane), -po_cos(plane), 0), raised);
  po_biped_make(m, &p);
}

/* Left arm 40 % longer and heavier; left knee 0.1 m higher than the right, with both hips level. */
void po_make_lopsided(po_maker *m) {
  po_biped_plan p = po_biped_human();
  po_biped_arm *a = &p.arm[0];
  po_biped_leg *g = &p.leg[0];
  double chord, c = po_cos(PO_BIPED_BEND), shank;
  po_leg_rest right = po_leg_at_rest(p.leg[1].thigh, p.leg[1].shank, PO_BIPED_BEND, 0);
  a->upper *= 1.4, a->upper_mass *= 1.4;
  a->fore *= 1.4, a->fore_mass *= 1.4;
  a->hand *= 1.4, a->hand_mass *= 1.4;
  chord = right.height;
  g->thigh_mass *= (g->thigh - 0.1) / g->thigh;
  g->thigh -= 0.1;
  shank = sqrt(chord * chord - g->thigh * g->thigh * (1 - c * c)) - g->thigh * c; /* the same chord with the knee bent as much */
  g->shank_mass *= shank / g->shank;
  g->shank = shank;
  po_biped_make(m, &p);
}

/* The human twice as large: masses ×8, inertias ×32, torques ×16. */
void po_make_giant(po_maker *m) {
  po_biped_plan p = po_biped_human();
  p.pelvis = po_v3_scale(2, p.pelvis);
  p.abdomen = po_v3_scale(2, p.abdomen);
  p.thorax = po_v3_scale(2, p.thorax);
  p.pelvis_mass *= 8, p.abdomen_mass *= 8, p.thorax_mass *= 8, p.head_mass *= 8;
  p.head *= 2, p.head_radius *= 2, p.hip *= 2, p.shoulder *= 2;
  p.ahead *= 2;
  p.strength *= 16;
  people_scale_limbs(&p, 2, 2);
  people_scale_feet(&p, 2);
  po_biped_make(m, &p);
}
