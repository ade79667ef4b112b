/* track_store.h (room-internal): a motion with a plan for each of its segments: all that tracking computes ahead of a run.
 *
 *   po_track_store_new  po_track_store_free  po_track_store_opts: what is asked for;  po_track_weights  po_track_value
 *   po_track_soft  po_track_soften  po_track_end_of
 */
#ifndef PO_TRACK_STORE_H
#define PO_TRACK_STORE_H

#include "track_plan.h"

#define PO_TRACK_SEGMENTS 256
#define PO_TRACK_HESSIAN (PO_MOMENTUM_NX * PO_MOMENTUM_NX)

typedef struct po_track_store_opts {
  const char *motion; /* a built-in name or a file */
  double hz;          /* frames of the plan */
  double mu;          /* friction that the plan counts on */
  double w_a, w_b;    /* weights of L and P, the paper's numbers for a human; they scale with the body */
  int overlap;        /* frames before its beginning that a segment's other plan knows too */
  int append;         /* 1: plans for the paper's t_c, whose end moves; 0: all frames grow alike */
  po_clock_fn clock;  /* or NULL */
} po_track_store_opts;

typedef struct po_track_piece { /* a segment and its plan */
  po_segment segment;
  int frames;
  int lead;                                /* frames that its plan begins before it: phase s is frame lead + s of the plan */
  po_momentum *momentum;                   /* of lead + frames frames */
  po_ddp *plan;
  double *price;                           /* lead + frames */
  int lift[PO_CORNERS], land[PO_CORNERS];  /* frames of the piece: a corner is off the ground from … to; `frames` where it ends so; −1: never */
  int arrive[PO_CORNERS];                  /* frame in which the first corner of its foot comes down after the whole foot was off; −1: the foot does not step */
  int iterations;
  double time_weight;                      /* of a change of its rate */
  double mu[PO_MOMENTUM_NX];               /* multipliers of its goal */
  int joined;                              /* 1: its end is not the reference's, and the next segment's plan begins on this one's way */
  double end[2][PO_TRACK_HESSIAN];         /* what missing its end by ψ costs from there on, ½ψ'Sψ: footholds prescribed; free to follow */
  double end_free[PO_TRACK_HESSIAN];       /* the same once the foothold has followed as it is best */
  double follow[2][PO_MOMENTUM_NX];        /* where it goes for ψ: x, y */
  struct po_track_piece *early;            /* the same with a lead, or NULL: segments overlap. With lead 0 plans meet the reference at every cut */
  double *cost[2];                         /* (lead + frames + 1) Hessians: what a deviation costs from a frame on; prescribed, free */
} po_track_piece;

typedef struct po_track_store {
  po_motion *motion;
  double height;               /* of the COM at rest */
  po_vec3 stride;              /* of a cyclic motion */
  int count;
  po_track_piece *piece;
  int steps;                   /* 1: feet leave the ground */
  po_momentum_scales scales;
  po_ddp_sizes largest;
  double seconds;              /* most that a plan took; 0 without a clock */
} po_track_store;

static inline const double *po_track_piece_reference(const po_track_piece *p, int frame) { /* of its frames: may be down to −lead */
  return p->momentum->reference + (size_t)(p->lead + frame) * PO_MOMENTUM_NX;
}

/* PO_ERR_STATE, with the segment and the reason, when a segment cannot be planned. Allocates. */
po_status po_track_store_new(po_track_store **store, const po_model *model, const po_track_store_opts *opts, po_error *err);
void po_track_store_free(po_track_store *store);
/* track_value.c: ends, follow and cost of all pieces, once their plans are solved. Allocates. */
po_status po_track_value(po_track_store *store, po_error *err);
/* Weights of a plan of this body and of a segment like this, Φ and those asked for included. */
void po_track_weights(po_momentum *momentum, const po_track_store *store, const po_track_piece *piece, const po_track_store_opts *opts);

/* track_ends.c: a problem of the momentum model that may miss its goal by ψ, for μ'ψ + ½ψ'Sψ: no multipliers. With μ of a plan that meets the
 * goal, that plan is its answer too. `soft` must outlive it; stiffness and goal are its. */
typedef struct po_track_soft {
  po_ddp_problem hard;
  double goal[PO_MOMENTUM_NX], slope[PO_MOMENTUM_NX], stiffness[PO_TRACK_HESSIAN]; /* ψ = x − goal; μ; S */
  double haste; /* price of the stretch, ½ w θ² */
} po_track_soft;
void po_track_soften(po_ddp_problem *problem, po_track_soft *soft);
/* Where a segment of a capture is to end: where a plan from its start to a later frame of the motion passes. Φ is counted from the reference's there.
 * PO_ERR_STATE: there is no such plan. Allocates. */
po_status po_track_end_of(double *end, po_track_store *store, const po_track_piece *piece, int to, const po_track_store_opts *opts, int *iterations,
                          po_error *err);

#endif
