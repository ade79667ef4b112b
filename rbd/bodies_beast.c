/* bodies_beast.c: ostrich and dinosaur: two legs with high ankles under a horizontal trunk.
 *
 * The thigh points forward, the shank back, and the foot stands upright on its toes: the ankle is high over the sole. The trunk lies
 * along x; what hangs out in front (neck, head) is balanced by what lies behind the hips. Zero is the crouched rest pose, and the
 * numbers put the COM over the soles there.
 */
#include "bodies.h"

typedef struct beast_leg {
  double hip;                                          /* half the distance between the hips */
  double thigh, thigh_radius, thigh_mass, thigh_swing; /* swing: forward of straight down */
  double shank, shank_radius, shank_mass, shank_lean;  /* lean: the ankle is behind the knee by that angle */
  double ankle_height, foot_mass;                      /* of the upright part and the toes */
  double metatarsus_radius;
  po_vec3 toes; /* extents of the flat box; the upright part rises from its middle plus behind */
  double behind;
  double hip_effort, knee_effort, ankle_effort;
} beast_leg;

static void beast_leg_on(po_maker *m, const beast_leg *g, const char *parent, int right) {
  const char *side = right ? "r" : "l";
  double s = right ? -1 : 1, hip_effort[3], ankle_effort[2];
  double lower[3] = {-0.4, -1.2, -0.6}, upper[3] = {0.8, 1.2, 0.6}, ankle_lower[2] = {-1.0, -0.5}, ankle_upper[2] = {1.2, 0.5};
  double bend = g->thigh_swing + g->shank_lean;
  const char *thigh = po_part(m, "thigh", side), *shank = po_part(m, "shank", side), *foot = po_part(m, "foot", side);
  po_joint j;
  po_vec3 toes = po_v3(g->behind, 0, 0.5 * g->toes.z - g->ankle_height), top = po_v3(0, 0, 0),
          end = po_v3(0, 0, g->toes.z - g->ankle_height);
  double toe_share = 0.4;
  if (right) lower[0] = -0.8, upper[0] = 0.4;
  hip_effort[0] = hip_effort[2] = 0.6 * g->hip_effort;
  hip_effort[1] = g->hip_effort;
  ankle_effort[0] = g->ankle_effort;
  ankle_effort[1] = 0.5 * g->ankle_effort;
  j = po_maker_ball(po_part(m, "hip", side), po_v3(0, s * g->hip, 0), lower, upper, hip_effort);
  po_maker_pitch(&j, -g->thigh_swing);
  po_maker_link(m, thigh, parent, j, po_solid_rod(g->thigh_mass, g->thigh_radius, top, po_v3(0, 0, -g->thigh)));
  po_maker_capsule(m, thigh, top, po_v3(0, 0, -g->thigh), g->thigh_radius);
  j = po_maker_hinge(po_part(m, "knee", side), po_v3(0, 0, -g->thigh), po_v3(0, 1, 0), 0.1 - bend, 2.6 - bend, g->knee_effort);
  po_maker_pitch(&j, bend);
  po_maker_link(m, shank, thigh, j, po_solid_rod(g->shank_mass, g->shank_radius, top, po_v3(0, 0, -g->shank)));
  po_maker_capsule(m, shank, top, po_v3(0, 0, -g->shank), g->shank_radius);
  j = po_maker_two(po_part(m, "ankle", side), po_v3(0, 0, -g->shank), po_v3(0, 1, 0), po_v3(1, 0, 0), ankle_lower, ankle_upper,
                   ankle_effort);
  po_maker_pitch(&j, -g->shank_lean);
  po_maker_link(m, foot, shank, j,
                po_solid_sum(po_solid_at(po_inertia_box(toe_share * g->foot_mass, g->toes.x, g->toes.y, g->toes.z), toes),
                             po_solid_rod((1 - toe_share) * g->foot_mass, g->metatarsus_radius, top, end)));
  po_maker_sole(m, foot, side, toes, po_v3_scale(0.5, g->toes));
  po_maker_capsule(m, foot, top, end, g->metatarsus_radius);
}

/* A ball joint with the same limit and effort all round. */
static po_joint beast_ball(const char *name, po_vec3 at, double limit, double effort) {
  double lower[3], upper[3], efforts[3];
  int i;
  for (i = 0; i < 3; i++) lower[i] = -limit, upper[i] = limit, efforts[i] = effort;
  return po_maker_ball(name, at, lower, upper, efforts);
}

/* A box link that begins at its joint and reaches `ahead` along x (negative: behind). */
static void beast_block(po_maker *m, const char *link, const char *parent, po_joint j, double mass, double ahead, double width,
                        double height, double drop) {
  double length = po_abs(ahead);
  po_vec3 c = po_v3(0.5 * ahead, 0, -drop);
  po_maker_link(m, link, parent, j, po_solid_at(po_inertia_box(mass, length, width, height), c));
  po_maker_box(m, link, c, po_v3(0.5 * length, 0.5 * width, 0.5 * height));
}

static void beast_rod(po_maker *m, const char *link, const char *parent, po_joint j, double mass, double radius, po_vec3 to) {
  po_vec3 from = po_v3(0, 0, 0);
  po_maker_link(m, link, parent, j, po_solid_rod(mass, radius, from, to));
  po_maker_capsule(m, link, from, to, radius);
}

void po_make_ostrich(po_maker *m) {
  static const beast_leg leg = {0.14, 0.35, 0.085, 9.0, 1.1, 0.52, 0.06, 4.5, 0.45, 0.44, 2.4, 0.03, {0.24, 0.12, 0.05},
                                0.05, 400,  400,   300};
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  int right;
  po_maker_link(m, "pelvis", NULL, root, po_solid_at(po_inertia_box(34, 0.62, 0.34, 0.36), po_v3(-0.12, 0, 0.02)));
  po_maker_box(m, "pelvis", po_v3(-0.12, 0, 0.02), po_v3(0.31, 0.13, 0.18));
  beast_block(m, "thorax", "pelvis", beast_ball("thoracic", po_v3(0.21, 0, 0.04), 0.3, 300), 24, 0.40, 0.32, 0.34, 0.02);
  po_maker_frame(m, "neck_base", "thorax", po_v3(0.36, 0, 0.10));
  beast_rod(m, "neck_1", "thorax", beast_ball("neck_1", po_v3(0.36, 0, 0.10), 0.8, 80), 2.6, 0.055, po_v3(0.14, 0, 0.36));
  beast_rod(m, "neck_2", "neck_1", beast_ball("neck_2", po_v3(0.14, 0, 0.36), 0.8, 50), 1.9, 0.045, po_v3(0.02, 0, 0.40));
  beast_rod(m, "head", "neck_2", beast_ball("neck", po_v3(0.02, 0, 0.40), 0.8, 20), 0.9, 0.055, po_v3(0.20, 0, 0));
  for (right = 0; right < 2; right++) beast_leg_on(m, &leg, "pelvis", right);
}

/* A tail of four links, each bending up and down and sideways. */
static void dinosaur_tail(po_maker *m) {
  static const double mass[4] = {9.0, 5.5, 3.2, 1.6}, length[4] = {0.36, 0.36, 0.36, 0.34}, size[4] = {0.20, 0.15, 0.11, 0.07};
  static const char *const link[4] = {"tail_1", "tail_2", "tail_3", "tail_4"};
  static const double lower[2] = {-0.6, -0.6}, upper[2] = {0.6, 0.6};
  po_vec3 at = po_v3(-0.34, 0, 0.08);
  const char *parent = "pelvis";
  double effort[2];
  int i;
  for (i = 0; i < 4; i++) {
    effort[0] = effort[1] = 300 * size[i] / size[0];
    beast_block(m, link[i], parent, po_maker_two(link[i], at, po_v3(0, 1, 0), po_v3(0, 0, 1), lower, upper, effort), mass[i],
                -length[i], size[i], size[i], 0);
    at = po_v3(-length[i], 0, 0);
    parent = link[i];
  }
}

void po_make_dinosaur(po_maker *m) {
  static const beast_leg leg = {0.15, 0.45, 0.10, 13.0, 0.75, 0.48, 0.065, 6.0, 0.65, 0.32, 3.4, 0.04, {0.30, 0.16, 0.06},
                                0.05, 600,  600,  450};
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  int right;
  po_maker_link(m, "pelvis", NULL, root, po_solid_at(po_inertia_box(32, 0.55, 0.34, 0.38), po_v3(-0.08, 0, 0.02)));
  po_maker_box(m, "pelvis", po_v3(-0.08, 0, 0.02), po_v3(0.275, 0.14, 0.19));
  dinosaur_tail(m);
  beast_block(m, "thorax", "pelvis", beast_ball("thoracic", po_v3(0.20, 0, 0.05), 0.3, 500), 26, 0.45, 0.34, 0.36, 0.02);
  po_maker_frame(m, "neck_base", "thorax", po_v3(0.42, 0, 0.10));
  beast_rod(m, "neck_1", "thorax", beast_ball("neck_1", po_v3(0.42, 0, 0.10), 0.6, 150), 4.5, 0.085, po_v3(0.20, 0, 0.24));
  beast_block(m, "head", "neck_1", beast_ball("neck", po_v3(0.20, 0, 0.24), 0.6, 80), 6.0, 0.38, 0.16, 0.18, -0.02);
  for (right = 0; right < 2; right++) {
    const char *side = right ? "r" : "l";
    const char *upper_arm = po_part(m, "upper_arm", side), *forearm = po_part(m, "forearm", side);
    po_joint elbow = po_maker_hinge(po_part(m, "elbow", side), po_v3(-0.04, 0, -0.16), po_v3(0, -1, 0), -0.5, 1.5, 15);
    beast_rod(m, upper_arm, "thorax", beast_ball(po_part(m, "shoulder", side), po_v3(0.34, right ? -0.17 : 0.17, -0.10), 1.0, 30),
              0.9, 0.03, po_v3(-0.04, 0, -0.16));
    beast_rod(m, forearm, upper_arm, elbow, 0.6, 0.025, po_v3(0.12, 0, -0.08));
    po_maker_frame(m, po_part(m, "hand", side), forearm, po_v3(0.12, 0, -0.08));
  }
  for (right = 0; right < 2; right++) beast_leg_on(m, &leg, "pelvis", right);
}
