/* biped.h (room-internal): the layout that human, child, lopsided, giant, gymnast and random bodies share, as a plan of lengths and masses. */
#ifndef PO_RBD_BIPED_H
#define PO_RBD_BIPED_H

#include "bodies.h"

#define PO_BIPED_BEND 0.15 /* of knees and elbows at rest, so that rest is not on a limit */

typedef struct po_biped_leg {
  double thigh, thigh_radius, thigh_mass; /* length, radius, mass */
  double shank, shank_radius, shank_mass;
  po_vec3 foot; /* extents, toes included */
  double foot_mass;
  double ankle_height, ankle_behind; /* over the sole; behind its centre */
  double bend;                       /* of the knee at rest */
} po_biped_leg;

typedef struct po_biped_arm {
  double upper, upper_radius, upper_mass;
  double fore, fore_radius, fore_mass;
  double hand, hand_radius, hand_mass;
} po_biped_arm;

/* Limits of the left side's joints (rad) for a body that stands straight; the right side has the mirror image. Components x, y, z of a ball
 * joint are abduction, extension, rotation inwards; of the spine bend to the right, flexion, twist to the left. */
typedef struct po_biped_range {
  double spine_lower[3], spine_upper[3]; /* of each of its two joints */
  double shoulder_lower[3], shoulder_upper[3];
  po_quat shoulder_centre; /* where they are measured from */
  double hip_lower[3], hip_upper[3];
  double ankle_lower[2], ankle_upper[2]; /* plantar flexion, roll */
} po_biped_range;

typedef struct po_biped_plan {
  po_vec3 pelvis, abdomen, thorax; /* extents of the boxes */
  double pelvis_mass, abdomen_mass, thorax_mass;
  double head, head_radius, head_mass; /* with the neck */
  double hip, shoulder;                /* half the distance between the joints */
  double ahead;                        /* the hip in front of the ankle at rest: puts the COM over the soles */
  double strength;                     /* factor on all torque limits */
  double toes;                         /* length of the toes, which then have a joint of their own; 0: none */
  double palm;                         /* width of the hands, which then have wrists and palms; 0: none */
  po_biped_range range;
  po_biped_leg leg[2]; /* left, right */
  po_biped_arm arm[2];
} po_biped_plan;

po_biped_plan po_biped_human(void);
void po_biped_make(po_maker *m, const po_biped_plan *plan);
/* Toes and palms (biped_ends.c). The sole's middle is `sole` and its half extents `half`, in the foot's frame. */
void po_biped_toes(po_maker *m, const po_biped_plan *plan, int right, po_vec3 sole, po_vec3 half);
void po_biped_palm(po_maker *m, const po_biped_plan *plan, int right);

#endif
