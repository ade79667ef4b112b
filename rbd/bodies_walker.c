/* bodies_walker.c: biped7, biped34, biped37, beast1 and beast2: the people of SIMBICON and of generalized biped walking, from published
 * character files.
 *
 * biped7 is the planar biped of 90 kg (Yin et al. 2007); its joints turn about −y, as its tables do: a hip above zero is swung ahead, a knee below
 * zero is bent. biped34 and biped37 turn about +y: a hip below zero is swung ahead, a knee above zero is bent. Their arms point
 * sideways in the source and hang down at rest here. Twist limits of hips are as wide to both sides: which side the source means is not known.
 *
 * biped37 walks under torque limits of 200 N m at hips and knees and 100 N m elsewhere (Coros 2010, section 5.6); biped34's gains need more.
 */
#include "table.h"

#define WALKER_COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define WALKER_DOWN (-0.5 * PO_PI) /* about x: a left arm that points sideways hangs down */

/* clang-format off */
static const po_table_link biped7_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   70, {1.475, 1.475, 0.5}, {0, 0, 0.24}, {{'c', {0, 0, 0.08}, {0, 0, 0.46}, 0.1}}},
  {"thigh_", "pelvis", "hip_", "-y", {0, 0.08, 0}, {-1}, {3}, 0.06, 0, 1000,
   5, {0.0885, 0.0885, 0.01}, {0, 0, -0.225}, {{'c', {0, 0, -0.06}, {0, 0, -0.39}, 0.05}}},
  {"shank_", "thigh_", "knee_", "-y", {0, 0, -0.45}, {-3}, {-0.02}, -0.15, 0, 1000,
   4, {0.0696, 0.0696, 0.005}, {0, 0, -0.225}, {{'c', {0, 0, -0.05}, {0, 0, -0.39}, 0.04}}},
  {"foot_", "shank_", "ankle_", "-y", {0, 0, -0.45}, {-1.2}, {1.2}, 0.09, 0, 1000,
   1, {0.01, 0.01, 0.01}, {0.04, 0, -0.02}, {{0}}}};

static const po_table_link biped34_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   12.9, {0.13, 0.0705, 0.11}, {0, 0, 0}, {{'s', {0, 0, -0.075}, {0, 0, 0}, 0.12}}},
  {"thorax", "pelvis", "thoracic", "ball", {-0.035, 0, 0.17}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 600,
   22.5, {0.46, 0.34, 0.21}, {0.01, 0, 0.23}, {{'s', {0.02, 0, 0.23}, {0, 0, 0}, 0.11}}},
  {"head", "thorax", "neck", "ball", {0.01, 0, 0.33}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 100,
   5.2, {0.042, 0.04, 0.02}, {0.025, 0, 0.16}, {{'s', {0.025, 0, 0.2}, {0, 0, 0}, 0.11}}},
  {"upper_arm_", "thorax", "shoulder_", "ball", {0.03, 0.2, 0.3}, {-2.1, -1.7, -1.5}, {2.1, 1.7, 1.5}, WALKER_DOWN, 1, 200,
   2.2, {0.02, 0.005, 0.02}, {0, 0.17, 0}, {{'c', {0, 0.02, 0}, {0, 0.32, 0}, 0.05}}},
  {"forearm_", "upper_arm_", "elbow_", "z", {0.006, 0.345, 0}, {-2.7}, {0}, -0.15, 0, 100,
   1.7, {0.025, 0.0024, 0.025}, {0, 0.215, 0}, {{'c', {0, 0.065, 0}, {0, 0.365, 0}, 0.05}}},
  {"thigh_", "pelvis", "hip_", "ball", {0, 0.1, -0.05}, {-1, -1.9, -1}, {1, 1.9, 1}, -0.055, 0, 1000,
   6.6, {0.15, 0.15, 0.022}, {0, 0, -0.21}, {{'c', {0, 0, -0.09}, {0, 0, -0.47}, 0.05}}},
  {"shank_", "thigh_", "knee_", "y", {0, 0, -0.47}, {0}, {2.5}, 0.15, 0, 1000,
   3.2, {0.055, 0.055, 0.007}, {0, 0, -0.21}, {{'c', {0, 0, -0.09}, {0, 0, -0.41}, 0.05}}},
  {"foot_", "shank_", "ankle_", "yx", {0.01, 0, -0.46}, {-0.75, -0.75}, {0.75, 0.75}, -0.095, 0, 500,
   1, {0.002, 0.007, 0.008}, {0.04, 0, -0.02}, {{0}}},
  {"toes_", "foot_", "toes_", "y", {0.09, 0, -0.04}, {-0.52}, {0.06}, 0, 0, 100,
   0.2, {0.0005, 0.002, 0.002}, {0.025, 0, 0}, {{'s', {0.05, 0, -0.003}, {0, 0, 0}, 0.01}}}};

static const po_table_link biped37_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   12.9, {0.13, 0.0705, 0.11}, {0, 0, 0}, {{'c', {0, -0.06, 0}, {0, 0.06, 0}, 0.1}}},
  {"abdomen", "pelvis", "lumbar", "ball", {-0.015, 0, 0.07}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 100,
   7, {0.15, 0.1, 0.08}, {0.015, 0, 0.09}, {{'c', {0.01, -0.05, 0.07}, {0.01, 0.05, 0.07}, 0.08}}},
  {"thorax", "abdomen", "thoracic", "ball", {0, 0, 0.14}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 100,
   15.5, {0.31, 0.21, 0.14}, {-0.012, 0, 0.138}, {{'c', {-0.01, -0.06, 0.16}, {-0.01, 0.06, 0.16}, 0.11}}},
  {"head", "thorax", "neck", "ball", {-0.012, 0, 0.298}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 100,
   5.2, {0.042, 0.04, 0.02}, {0.03, 0, 0.08}, {{'s', {0.03, 0, 0.1}, {0, 0, 0}, 0.1}}},
  {"upper_arm_", "thorax", "shoulder_", "ball", {0.008, 0.16, 0.233}, {-2.1, -1.7, -1.5}, {2.1, 1.7, 1.5}, WALKER_DOWN, 1, 100,
   2.2, {0.02, 0.005, 0.02}, {0, 0.13, 0}, {{'c', {0, 0.03, 0}, {0, 0.22, 0}, 0.04}}},
  {"forearm_", "upper_arm_", "elbow_", "z", {0, 0.24, 0}, {-2.7}, {0}, -0.15, 0, 100,
   1.7, {0.025, 0.0024, 0.025}, {0, 0.24, 0}, {{'c', {0, 0.05, 0}, {0, 0.38, 0}, 0.035}}},
  {"thigh_", "pelvis", "hip_", "ball", {-0.01, 0.08, -0.03}, {-1, -1.9, -1}, {1, 1.9, 1}, -0.06, 0, 200,
   6.6, {0.15, 0.15, 0.022}, {0, 0, -0.17}, {{'c', {0, 0, -0.06}, {0, 0, -0.36}, 0.06}}},
  {"shank_", "thigh_", "knee_", "y", {0, 0, -0.4}, {0}, {2.5}, 0.15, 0, 200,
   3.2, {0.055, 0.055, 0.007}, {0, 0, -0.22}, {{'c', {0, 0, -0.06}, {0, 0, -0.42}, 0.045}}},
  {"foot_", "shank_", "ankle_", "yx", {0, 0.01, -0.46}, {-0.75, -0.75}, {0.75, 0.75}, -0.09, 0, 100,
   1, {0.002, 0.007, 0.008}, {0.03, 0, -0.02}, {{'b', {-0.06, -0.05, -0.06}, {0.095, 0.05, -0.015}, 0}}},
  {"toes_", "foot_", "toes_", "y", {0.085, 0, -0.04}, {-0.52}, {0.1}, 0, 0, 100,
   0.2, {0.0005, 0.002, 0.002}, {0.045, 0, 0}, {{'b', {0.01, -0.03, -0.02}, {0.065, 0.03, 0.015}, 0}}}};
/* clang-format on */

void po_make_biped7(po_maker *m) {
  int right;
  po_table_make(m, biped7_link, WALKER_COUNT(biped7_link), PO_JOINT_PLANAR);
  po_maker_frame(m, "neck_base", "pelvis", po_v3(0, 0, 0.5));
  for (right = 0; right < 2; right++) po_table_rocker(m, right ? "r" : "l", -0.04, 0.12, -0.04, 0.01);
}

static void walker_hands(po_maker *m, po_vec3 neck, double reach) {
  int right;
  po_maker_frame(m, "neck_base", "thorax", neck);
  for (right = 0; right < 2; right++) {
    const char *side = right ? "r" : "l";
    po_maker_frame(m, po_part(m, "hand", side), po_part(m, "forearm", side), po_v3(0, right ? -reach : reach, 0));
  }
}

/* The toes are a ball in the middle of the foot's width: the sole ends where the box does, the toe where the ball touches. */
void po_make_biped34(po_maker *m) {
  int right, k;
  po_table_make(m, biped34_link, WALKER_COUNT(biped34_link), PO_JOINT_FLOATING);
  walker_hands(m, po_v3(0.01, 0, 0.33), 0.38);
  for (right = 0; right < 2; right++) {
    const char *side = right ? "r" : "l";
    const char *foot = po_part(m, "foot", side);
    po_maker_box(m, foot, po_v3(0.0225, 0, -0.034), po_v3(0.0725, 0.025, 0.019));
    po_maker_frame(m, po_part(m, "heel", side), foot, po_v3(-0.05, 0, -0.053));
    po_maker_frame(m, po_part(m, "toe", side), po_part(m, "toes", side), po_v3(0.05, 0, -0.013));
    for (k = 0; k < 4; k++)
      po_maker_corner(m, "sole", side, k, foot, po_v3(k < 2 ? -0.05 : 0.095, k == 0 || k == 3 ? 0.025 : -0.025, -0.053));
  }
}

/* Factors on the parts of biped37. */
typedef struct walker_size {
  double leg, arm, trunk;     /* lengths */
  double width, foot;         /* distance between the hips; size of the feet */
  double pelvis, torso, head; /* masses: pelvis, abdomen and thorax, head */
  double leg_mass, arm_mass, strength;
  double girth; /* of the pelvis' shape: about the cube root of its mass */
} walker_size;

static void walker_stretch(po_table_link *l, double length, double mass) {
  int k;
  l->com = po_v3_scale(length, l->com);
  l->mass *= mass;
  l->I = po_v3_scale(mass * length * length, l->I);
  for (k = 0; k < PO_TABLE_SHAPES; k++) {
    l->shape[k].a = po_v3_scale(length, l->shape[k].a);
    l->shape[k].b = po_v3_scale(length, l->shape[k].b);
    l->shape[k].radius *= length;
  }
}

enum {
  WALKER_PELVIS,
  WALKER_ABDOMEN,
  WALKER_THORAX,
  WALKER_HEAD,
  WALKER_UPPER_ARM,
  WALKER_FOREARM,
  WALKER_THIGH,
  WALKER_SHANK,
  WALKER_FOOT,
  WALKER_TOES,
  WALKER_LINKS
};

static void walker_make(po_maker *m, const walker_size *s) {
  po_table_link l[WALKER_LINKS];
  int right, i;
  for (i = 0; i < WALKER_LINKS; i++) {
    l[i] = biped37_link[i];
    l[i].effort *= s->strength;
    l[i].at = po_v3_scale(i <= WALKER_UPPER_ARM ? s->trunk
                          : i == WALKER_FOREARM ? s->arm
                          : i == WALKER_TOES    ? s->foot
                                                : s->leg,
                          l[i].at);
  }
  l[WALKER_THIGH].at = po_v3(s->trunk * biped37_link[WALKER_THIGH].at.x, s->width * biped37_link[WALKER_THIGH].at.y,
                             s->trunk * biped37_link[WALKER_THIGH].at.z);
  walker_stretch(&l[WALKER_PELVIS], s->trunk, s->pelvis);
  l[WALKER_PELVIS].shape[0].radius *= s->girth;
  walker_stretch(&l[WALKER_ABDOMEN], s->trunk, s->torso);
  walker_stretch(&l[WALKER_THORAX], s->trunk, s->torso);
  walker_stretch(&l[WALKER_HEAD], s->trunk, s->head);
  walker_stretch(&l[WALKER_UPPER_ARM], s->arm, s->arm_mass);
  walker_stretch(&l[WALKER_FOREARM], s->arm, s->arm_mass);
  walker_stretch(&l[WALKER_THIGH], s->leg, s->leg_mass);
  walker_stretch(&l[WALKER_SHANK], s->leg, s->leg_mass);
  walker_stretch(&l[WALKER_FOOT], s->foot, s->leg_mass);
  walker_stretch(&l[WALKER_TOES], s->foot, s->leg_mass);
  po_table_make(m, l, WALKER_LINKS, PO_JOINT_FLOATING);
  walker_hands(m, po_v3(-0.012 * s->trunk, 0, 0.298 * s->trunk), 0.36 * s->arm);
  for (right = 0; right < 2; right++) { /* the sole ends at the toes' front */
    const char *side = right ? "r" : "l";
    const char *foot = po_part(m, "foot", side), *toes = po_part(m, "toes", side);
    double f = s->foot;
    po_maker_frame(m, po_part(m, "heel", side), foot, po_v3(-0.06 * f, 0, -0.06 * f));
    po_maker_frame(m, po_part(m, "toe", side), toes, po_v3(0.065 * f, 0, -0.02 * f));
    po_maker_corner(m, "sole", side, 0, foot, po_v3(-0.06 * f, 0.05 * f, -0.06 * f));
    po_maker_corner(m, "sole", side, 1, foot, po_v3(-0.06 * f, -0.05 * f, -0.06 * f));
    po_maker_corner(m, "sole", side, 2, toes, po_v3(0.065 * f, -0.03 * f, -0.02 * f));
    po_maker_corner(m, "sole", side, 3, toes, po_v3(0.065 * f, 0.03 * f, -0.02 * f));
  }
}

void po_make_biped37(po_maker *m) {
  static const walker_size size = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  walker_make(m, &size);
}

/* The thesis says of both only that much of their mass is in the pelvis; the rest is ours. Strength goes with weight times leg length. */
void po_make_beast1(po_maker *m) { /* squat: 98 kg, 55 of them in the pelvis, short legs, broad hips, large feet */
  static const walker_size size = {0.75, 0.9, 0.85, 1.5, 1.15, 4.3, 0.55, 0.7, 1.0, 0.6, 1.3, 1.6};
  walker_make(m, &size);
}

void po_make_beast2(po_maker *m) { /* lanky: 88 kg, 43 of them in the pelvis, long legs and arms */
  static const walker_size size = {1.15, 1.35, 0.9, 1.2, 1.1, 3.3, 0.5, 0.6, 1.1, 0.9, 1.5, 1.5};
  walker_make(m, &size);
}
