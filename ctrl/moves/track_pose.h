/* track_pose.h (room-internal): the pose that goes with planned momenta (Ye & Liu 2010, eqs. 13 and 14).
 *
 *   po_track_pose_new  po_track_pose_free  po_track_pose_opts_default  po_track_pose_solve  po_track_pose_stream
 *
 * For a body at q, velocities v are found that bring about the momenta a plan asks for, keep joints within limits over the next frame, hold planted corners at
 * their anchors, and follow a reference with the rest: strictly in that order (levels), or as one weighted problem, as the paper does. The body then moves
 * by q ⊕ h v. With a push (eq. 14) contact forces become unknowns too: the momenta are those that gravity, push and contact forces bring about in the frame,
 * and forces stay near the planned ones.
 */
#ifndef PO_TRACK_POSE_H
#define PO_TRACK_POSE_H

#include "../../qp/qp.h"
#include "../../motion/motion.h"

#define PO_TRACK_RAYS (4 * PO_CORNERS) /* most rays of friction pyramids */

typedef struct po_track_pose_opts {
  double frame;       /* h, s */
  int levels;         /* 1: by priorities; 0: one problem with the weights below */
  double w1, w2, w3;  /* of joints, of corners, of forces (1, 5, 0.01) */
  double joint_gain;  /* share of a joint's error that is made up in a frame: 0.1 */
  double corner_gain; /* likewise of a corner's: 0.3 */
  double
      com_gain; /* likewise of the COM's, by linear momentum: 0.2. Without it the COM drifts, since velocities alone are planned */
} po_track_pose_opts;
po_track_pose_opts po_track_pose_opts_default(void); /* 120 frames a second, levels */

/* Contact forces as unknowns while a push acts. Force = Σ weight ray, weight ≥ 0, at the point of each ray. */
typedef struct po_track_push {
  int rays;
  const po_vec3 *ray, *point; /* world */
  const double *planned;      /* weights */
  po_vec3 force, place;       /* the push, world, N and m */
  int body;                   /* the link that is pushed */
  double momentum[6];         /* of the body now: angular about its COM, then linear */
} po_track_push;

typedef struct po_track_wish {
  const double *q, *v;       /* the reference's pose and velocities, those of the root not used; v is times its rate already */
  po_vec3 com;               /* where the plan has the COM now */
  double momentum[6];        /* at the end of the frame: angular about the COM, then linear, world. Not used with a push */
  uint32_t planted;          /* corners that hold their anchors; the others follow place and velocity */
  const po_vec3 *place;      /* corners: anchor, or where a swing corner should be now */
  const po_vec3 *velocity;   /* corners: of swing ones */
  int trunk;                 /* a body that is to be turned as the reference's, or −1; by levels only */
  po_mat3 trunk_pose;        /* its axes there, to world */
  po_vec3 trunk_velocity;    /* angular, world, times the rate */
  const po_track_push *push; /* NULL: none */
} po_track_wish;

typedef struct po_track_pose_result {
  po_hqp_status status;    /* of the stack; the single problem's is told in the same words */
  double momentum_miss[6]; /* momentum of v minus what was asked for: rounding, since a free root can always turn the whole body */
  double
      corner_miss; /* m/s: largest of a planted corner's velocity from what was asked for: what joints within limits could not give */
  double joint_miss; /* rad: largest distance of a joint from the reference, before the frame */
  int limits;        /* limits that bind */
  int iterations;
} po_track_pose_result;

typedef struct po_track_pose po_track_pose;
po_status po_track_pose_new(po_track_pose **track, const po_model *model);
void po_track_pose_free(po_track_pose *track);
/* v (nv) for the body at q; weights (push->rays; may be NULL): the contact forces found with a push. Nothing allocates.
 * PO_ERR_NOT_FINITE, PO_ERR_RANGE and PO_ERR_SIZE for bad input. */
po_status po_track_pose_solve(double *v, double *weights, po_track_pose *track, const double *q, const po_track_wish *wish,
                              const po_track_pose_opts *opts, po_track_pose_result *result);
/* What outlasts a solve: its warm start. */
void po_track_pose_stream(po_track_pose *track, po_stream *stream);

#endif
