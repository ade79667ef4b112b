/* bodies_bird.c: bird, bird2 and raptor: Coros' two-legged animals (big bird, its sagittal plane, raptor), from published character files.
 *
 * Rotations about +y lean forward and swing a leg back. The bird's knees bend the other way than a human's: angles below zero. Efforts are
 * ours: the source has none that bind (10 kN m); these are the largest torques of its PD gains times errors of half a radian, rounded up.
 * Rest angles are those of the stance leg in the middle of the published walks, moved until the COM is over the soles. Limits of hips across
 * and in twist are as wide to both sides: which side the source means is not known.
 */
#include "table.h"

#define BIRD_HIP 0.398 /* rest angles: their sum is 0, so that the sole is level */
#define BIRD_KNEE (-0.8)
#define BIRD_ANKLE 0.402

/* clang-format off */
static const po_table_link bird_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   20, {0.39, 0.34, 0.4}, {0, 0, 0}, {{'s', {0, 0, 0}, {0, 0, 0}, 0.18}}},
  {"neck_1", "pelvis", "neck_1", "ball", {0.1, 0, 0.16}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 300,
   10, {0.12, 0.12, 0.08}, {0, 0, 0.04}, {{'c', {0, 0, 0.09}, {0, 0, -0.01}, 0.05}}},
  {"head", "neck_1", "neck", "ball", {0, 0, 0.13}, {-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 300,
   10.7, {0.12, 0.24, 0.24}, {0.06, 0, 0.085}, {{'c', {0.18, 0, 0.085}, {-0.04, 0, 0.085}, 0.1}}},
  {"thigh_", "pelvis", "hip_", "ball", {-0.025, 0.16, -0.055}, {-1, -1.3, -1}, {1, 1.9, 1}, BIRD_HIP, 0, 1000,
   3.7, {0.05, 0.05, 0.008}, {0, 0.02, -0.135}, {{'c', {0, 0.02, -0.015}, {0, -0.01, -0.335}, 0.05}}},
  {"shank_", "thigh_", "knee_", "y", {0, -0.02, -0.355}, {-2.5}, {-0.5}, BIRD_KNEE, 0, 1000,
   2.2, {0.023, 0.023, 0.003}, {0, 0, -0.18}, {{'c', {0, 0, -0.06}, {0, 0.03, -0.3}, 0.05}}},
  {"foot_", "shank_", "ankle_", "yx", {-0.01, 0.04, -0.32}, {-1.5, -0.75}, {1.5, 0.75}, BIRD_ANKLE, 0, 500,
   5.8, {0.046, 0.046, 0.086}, {0.03, 0, -0.06}, {{0}}}};

static const po_table_link bird2_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   20, {0.39, 0.34, 0.4}, {0, 0, 0}, {{'s', {0, 0, 0}, {0, 0, 0}, 0.18}}},
  {"neck_1", "pelvis", "neck_1", "y", {0.1, 0, 0.16}, {-0.6}, {0.6}, 0, 0, 300,
   10, {0.12, 0.12, 0.08}, {0, 0, 0.04}, {{'c', {0, 0, 0.09}, {0, 0, -0.01}, 0.05}}},
  {"head", "neck_1", "neck", "y", {0, 0, 0.13}, {-0.6}, {0.6}, 0, 0, 300,
   10.7, {0.12, 0.24, 0.24}, {0.06, 0, 0.085}, {{'c', {0.18, 0, 0.085}, {-0.04, 0, 0.085}, 0.1}}},
  {"thigh_", "pelvis", "hip_", "y", {-0.025, 0.16, -0.055}, {-1.3}, {1.9}, BIRD_HIP, 0, 1000,
   3.7, {0.05, 0.05, 0.008}, {0, 0.02, -0.135}, {{'c', {0, 0.02, -0.015}, {0, -0.01, -0.335}, 0.05}}},
  {"shank_", "thigh_", "knee_", "y", {0, -0.02, -0.355}, {-2.5}, {-0.5}, BIRD_KNEE, 0, 1000,
   2.2, {0.023, 0.023, 0.003}, {0, 0, -0.18}, {{'c', {0, 0, -0.06}, {0, 0.03, -0.3}, 0.05}}},
  {"foot_", "shank_", "ankle_", "y", {-0.01, 0.04, -0.32}, {-1.5}, {1.5}, BIRD_ANKLE, 0, 500,
   5.8, {0.046, 0.046, 0.086}, {0.03, 0, -0.06}, {{0}}}};

static const po_table_link raptor_link[] = {
  {"pelvis", NULL, "root", "", {0, 0, 0}, {0}, {0}, 0, 0, 0,
   25.7, {0.22, 2.5, 2.35}, {0, 0, 0}, {{'c', {0.2, 0, 0}, {-0.1, 0, 0}, 0.12}}},
  {"neck_1", "pelvis", "neck_1", "ball", {0.35, 0, 0.05}, {-0.6, -0.6, -0.6}, {0.6, 1, 0.6}, 0, 0, 300,
   5, {0.073, 0.074, 0.013}, {-0.02, 0, 0.16}, {{'c', {-0.02, 0, 0.26}, {-0.02, 0, 0.04}, 0.07}}},
  {"head", "neck_1", "neck", "ball", {-0.01, 0, 0.28}, {-0.6, -1, -0.6}, {0.6, 0.6, 0.6}, 0, 0, 300,
   5.4, {0.02, 0.053, 0.04}, {0.12, 0, -0.03}, {{'c', {0.22, 0, -0.03}, {0.07, 0, -0.03}, 0.08}}},
  {"tail_1", "pelvis", "tail_1", "yz", {-0.28, 0, 0.03}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 300,
   3.8, {0.01, 0.02, 0.02}, {-0.08, 0, 0}, {{'c', {0, 0, 0}, {-0.16, 0, 0}, 0.08}}},
  {"tail_2", "tail_1", "tail_2", "yz", {-0.19, 0, 0}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 300,
   3.4, {0.01, 0.018, 0.018}, {-0.09, 0, 0}, {{'c', {-0.03, 0, 0}, {-0.15, 0, 0}, 0.065}}},
  {"tail_3", "tail_2", "tail_3", "yz", {-0.19, 0, 0}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 300,
   3.01, {0.01, 0.016, 0.016}, {-0.1, 0, 0}, {{'c', {-0.04, 0, 0}, {-0.16, 0, 0}, 0.05}}},
  {"tail_4", "tail_3", "tail_4", "yz", {-0.2, 0, 0}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 200,
   1.75, {0.005, 0.01, 0.01}, {-0.1, 0, 0}, {{'c', {-0.04, 0, 0}, {-0.16, 0, 0}, 0.04}}},
  {"tail_5", "tail_4", "tail_5", "yz", {-0.2, 0, 0}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 100,
   1.3, {0.005, 0.01, 0.01}, {-0.09, 0, 0}, {{'c', {-0.01, 0, 0}, {-0.17, 0, 0}, 0.03}}},
  {"tail_6", "tail_5", "tail_6", "yz", {-0.19, 0, 0}, {-0.3, -0.3}, {0.3, 0.3}, 0, 0, 100,
   1, {0.005, 0.01, 0.01}, {-0.22, 0, 0}, {{'c', {-0.02, 0, 0}, {-0.22, 0, 0}, 0.02}}},
  {"upper_arm_", "pelvis", "shoulder_", "y", {0.33, 0.08, 0.04}, {-0.52}, {1.52}, 0, 0, 50,
   0.8, {0.003, 0.003, 0.001}, {0, 0, -0.08}, {{'c', {0, 0, -0.15}, {0, 0, -0.01}, 0.03}}},
  {"forearm_", "upper_arm_", "elbow_", "y", {0, 0, -0.17}, {-1.52}, {0.52}, 0, 0, 50,
   0.7, {0.003, 0.003, 0.001}, {0, 0, -0.12}, {{'c', {0.02, 0, -0.18}, {0, 0, -0.04}, 0.03}, {'c', {0, 0, -0.19}, {-0.08, 0, -0.24}, 0.03}}},
  {"thigh_", "pelvis", "hip_", "ball", {-0.1, 0.07, 0.03}, {-0.75, -1.2, -0.75}, {0.75, 0.8, 0.75}, -0.33, 0, 1000,
   5.12, {0.05, 0.06, 0.02}, {0, 0, -0.06}, {{'s', {0.03, 0, -0.18}, {0, 0, 0}, 0.08}}},
  {"shank_", "thigh_", "knee_", "y", {0.04, 0, -0.26}, {0.3}, {2}, 0.96, 0, 1000,
   3.6, {0.035, 0.04, 0.009}, {-0.03, 0, -0.135}, {{'c', {-0.03, 0, -0.035}, {-0.03, 0, -0.235}, 0.05}}},
  {"metatarsus_", "shank_", "ankle_", "y", {-0.04, 0.005, -0.275}, {-1.75}, {0.52}, -0.73, 0, 500,
   1.92, {0.01, 0.01, 0.003}, {0.01, 0, -0.09}, {{'c', {0.01, 0, -0.03}, {0.01, 0, -0.14}, 0.05}}},
  {"foot_", "metatarsus_", "toes_", "yx", {0.02, 0, -0.19}, {-1.52, -0.52}, {1.75, 0.52}, 0.1, 0, 300,
   1.6, {0.003, 0.007, 0.007}, {0.07, 0, -0.03}, {{0}}}};
/* clang-format on */

#define BIRD_COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

void po_make_bird(po_maker *m) {
  int right;
  po_table_make(m, bird_link, BIRD_COUNT(bird_link), PO_JOINT_FLOATING);
  po_maker_frame(m, "neck_base", "pelvis", po_v3(0.1, 0, 0.16));
  for (right = 0; right < 2; right++)
    po_maker_sole(m, right ? "foot_r" : "foot_l", right ? "r" : "l", po_v3(0.055, 0, -0.065), po_v3(0.095, 0.07, 0.025));
}

/* The bird in its sagittal plane; all masses stay. */
void po_make_bird2(po_maker *m) {
  int right;
  po_table_make(m, bird2_link, BIRD_COUNT(bird2_link), PO_JOINT_PLANAR);
  po_maker_frame(m, "neck_base", "pelvis", po_v3(0.1, 0, 0.16));
  for (right = 0; right < 2; right++) po_table_rocker(m, right ? "r" : "l", -0.04, 0.15, -0.09, 0.02);
}

void po_make_raptor(po_maker *m) {
  int right;
  po_table_make(m, raptor_link, BIRD_COUNT(raptor_link), PO_JOINT_FLOATING);
  po_maker_frame(m, "neck_base", "pelvis", po_v3(0.35, 0, 0.05));
  for (right = 0; right < 2; right++) {
    const char *side = right ? "r" : "l";
    po_maker_sole(m, right ? "foot_r" : "foot_l", side, po_v3(0.06, 0, -0.035), po_v3(0.09, 0.07, 0.035));
    po_maker_frame(m, po_part(m, "hand", side), right ? "forearm_r" : "forearm_l", po_v3(0, 0, -0.19));
  }
}
