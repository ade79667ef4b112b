/* motion_gait.h (room-internal): what the feet and the COM of a built-in motion do. */
#ifndef PO_MOTION_GAIT_H
#define PO_MOTION_GAIT_H

#include "motion_internal.h"

/* Heights of the COM in units of h, its height over the soles at rest; times in units of sqrt(h/g); what legs do in units of the root's height l at rest. */
typedef struct po_gait_kind {
  const char *name;
  double step;       /* length of a step; 0: the feet stay */
  double period;     /* of a step, or of the whole when the feet stay */
  double both;       /* share of a step in double support */
  double off;        /* how long before the other foot lands a heel begins to lift, as a share of a step */
  double height;     /* of the COM */
  double bob;        /* the COM is that much higher at the middle of a step; lower, when the feet stay */
  double clearance;  /* of a swing foot */
  double land, push; /* rad: how far toes are up at landing, the heel at lift-off */
  double arms;       /* rad: swing of the arms; with feet that stay, how far they are raised ahead */
  double lean;       /* rad: of the trunk, forward; with feet that stay, at the lowest point */
} po_gait_kind;

typedef struct po_gait { /* one cycle: two steps */
  const po_gait_kind *kind;
  const po_model *model;
  po_corners corners;
  double h, l, g, hz;
  int steps, step, both, off; /* frames: of the cycle, of a step, of a double support (even), as above */
  double length;              /* of a step, m */
  int foot[2];                /* left and right, of the corners */
  po_vec3 middle[2];          /* of the sole at rest, from the point midway between the feet */
  po_vec3 flat[PO_CORNERS];   /* corners from the middle of their sole */
  double heel[2], toe[2];     /* where heel and toe edge are, from the middle, along x */
} po_gait;

/* PO_ERR_MODEL, with a message, when the body has not two feet l and r. */
po_status po_gait_init(po_gait *gait, const po_gait_kind *kind, const po_model *model, po_data *data, double hz, po_error *err);
/* Corners that are planted from frame k on, and where all corners are at frame k. */
uint32_t po_gait_corners(po_vec3 corner[PO_CORNERS], const po_gait *gait, int k);
po_vec3 po_gait_pressure(const po_gait *gait, int k); /* where the centre of pressure should be */
double po_gait_height(const po_gait *gait, int k);    /* of the COM */
double po_gait_phase(const po_gait *gait, int k);     /* 0 … 1 of the cycle */

/* c (steps) from pressure p: c − (z / (g + z'')) c'' = p, with c growing by `along` each cycle; z: heights. work: 5 × steps. */
void po_gait_com(double *c, const double *p, const double *z, double along, double hz, double g, int steps, double *work);

#endif
