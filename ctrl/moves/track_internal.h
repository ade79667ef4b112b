/* track_internal.h: what the files of tracking share. */
#ifndef PO_TRACK_INTERNAL_H
#define PO_TRACK_INTERNAL_H

#include "../ddp/ddp.h"
#include "moves.h"
#include "track_pose.h"
#include "track_store.h"

typedef struct po_track_state {
  double phase;              /* frames into the segment */
  double frames;             /* that it has taken */
  double rate;               /* frames of the plan per frame of time */
  po_vec3 offset;            /* of this segment from the motion's own place */
  po_vec3 goal;              /* by how much its foot and the next segment are moved: asked for, and the foothold's shift */
  po_vec3 began;             /* P where the run began */
  po_vec3 behind;            /* of the COM where this segment begins, on stairs: it has half a step to rise */
  po_vec3 shift;             /* the foothold's part */
  po_vec3 force;             /* sum of the contact forces now */
  double beyond;             /* of the reach to the side: how far the foothold would have to go */
  double gains;              /* with index 0: t_c, frames into the segment; the phase is t_d */
  double x[PO_MOMENTUM_NX];  /* C, P, Φ, L of the body */
  po_vec3 anchor[PO_CORNERS]; /* of corners: where they stand */
  po_vec3 lifted[PO_CORNERS]; /* offsets from the motion's own path that corners lifted with */
  po_track_figures figures;
  long segment;              /* how many were done */
  int index;                 /* which segment of the motion */
  int landed;                /* 1: the swinging foot stands, and the shift with it */
  int ahead;                 /* 1: the next segment's law is at work already */
  int over;                  /* 1: the motion has ended */
  uint32_t planted;          /* corners that the plan has stand */
  uint32_t standing;         /* corners that do */
} po_track_state;

typedef struct po_track {
  po_move move;
  po_track_params params;
  po_track_state now;
  struct po_track_store *store;
  struct po_track_pose *pose;
  struct po_qp_solver *fit;  /* of forces to contacts */
  struct po_track_again *again; /* plans made anew, or NULL */
  const po_data *data;       /* of the body: the actor's */
  po_data *ref_data;         /* of the reference */
  void *scratch;             /* of the law */
  size_t scratch_bytes;
  double *q, *v;             /* where the body is put, and how fast it is there */
  double *ref_q, *ref_v;     /* the reference now */
  double *u, *dmu, *dp;      /* of the law */
  double *lead_q;            /* by torques: the pose that joints are drawn to */
  int trunk;                 /* body that is kept as upright as the reference's, or −1 */
  po_objective *com, *up, *momentum, *upright, *joints, *swing[PO_CORNERS]; /* by torques: handles of objectives */
  double tick_seconds, plan_seconds, store_seconds; /* that ticks took; the longest plan made while running, and ahead; of a profile */
  long ticks;
} po_track;

static inline po_track_piece *po_track_piece_now(const po_track *t) { return &t->store->piece[t->now.index]; }

static inline void po_track_planned(double *x, const po_track_piece *p, double phase) { po_ddp_policy_state(x, p->plan, p->lead + phase); }

typedef struct po_track_contacts { /* rays that push in this tick */
  int rays;
  po_vec3 ray[PO_TRACK_RAYS];     /* per unit of weight */
  po_vec3 point[PO_TRACK_RAYS];   /* where it acts, world */
} po_track_contacts;

/* track_law.c: what the plan says for the body's momenta now. */
void po_track_contacts_now(po_track_contacts *contacts, const po_track *track); /* of the corners that stand, where they stand */
void po_track_wrench(po_vec3 *force, po_vec3 *moment, const po_track *track, const po_track_contacts *contacts); /* of the forces u; about the COM */
size_t po_track_fit_bytes(void);
po_status po_track_law(po_track *track, double dt); /* forces into u, rate, goal */

/* What u does to P and L in a tick, at the places where a plan has its contacts. */
void po_track_asked(double wish[6], const po_track *track, const po_momentum *plan, int frame, po_vec3 offset, double dt);

/* track_replan.c: what is left of a segment solved anew from the body's state. */
po_status po_track_replan_new(po_track *track);
void po_track_replan_free(po_track *track);
void po_track_replan_stream(po_track *track, po_stream *stream);
po_status po_track_replan(po_track *track, const double *shift, double dt);  /* when it is due; shift (PO_MOMENTUM_NX): of the end */
int po_track_replanned_foothold(po_vec3 *miss, const po_track *track); /* where the foothold follows to; 0: there is no such plan */
int po_track_replanned(po_ddp_policy_result *result, double wish[6], po_track *track, const po_ddp_policy_opts *opts, double dt); /* 0: there is no such plan */

/* track_follow.c: segments, goals, footholds, and what corners are to do. */
void po_track_enter_body(po_track *track, const po_actor *actor);      /* momenta and place of the body that is taken over */
void po_track_touch(po_track *track);                                  /* corners that stand in the phase's frame; anchors of new ones */
po_vec3 po_track_end_move(po_vec3 goal);                               /* of the COM, when the foot that lands moves so */
int po_track_stands(const po_track *track);                            /* 1: the foot that steps in this segment has arrived, or none does */
po_vec3 po_track_goal_asked(const po_track *track, int ahead);         /* by how much stairs and longer steps move the foot of this segment, or of the next */
double po_track_rise(const po_track *track, int ahead);                /* m/s: vertical speed of the COM that stairs ask for at the end of this segment, or of the next */
void po_track_move_foothold(po_track *track, po_vec3 miss);            /* the end gives way by so much: the foot follows as far as it may */
void po_track_reference(po_track *track, po_vec3 *place, po_vec3 *velocity, double dt); /* pose into ref_q, ref_v; corners */
void po_track_advance(po_track *track, double dt);                     /* the phase, and the next segment */

/* track_torque.c: the same by joint torques. */
po_status po_track_attach(po_track *track);
po_status po_track_torques(po_track *track, double *tau, const po_sense *sense); /* state, corners and law are up to date */
void po_track_stand(po_track *track);                                  /* which corners stand, and where they came down */

/* track_figures.c: what is measured. */
void po_track_measure_tick(po_track *track, const po_track_pose_result *result, const po_vec3 *ray, int rays, double dt);
void po_track_measure_end(po_track *track, double dt);                 /* a segment is done */

#endif
