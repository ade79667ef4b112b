/* ctrl_internal.h: what the files of ctrl/ share and users need not see. */
#ifndef PO_CTRL_INTERNAL_H
#define PO_CTRL_INTERNAL_H

#include "ctrl.h"

/* The next freedom after `dof` that a pose or torque feature has a row for; start with −1, ends with −1. */
int po_feature_next_dof(const po_feature *feature, const po_model *model, int dof);

/* 1: the feature can be one of this model's: what it names is there, and it has the rows of its type (per joint: no more than freedoms). */
int po_feature_fits(const po_feature *feature, const po_model *model);

/* ÿ wanted by an objective, given its feature's present value and rate; `rows` numbers. error (nv) is scratch for poses. */
void po_objective_wanted(const po_objective *objective, const po_data *data, const double *q, const double *v, const double *y,
                         const double *ydot, double *wanted, double *error);

/* Points of one body whose setpoints are written as six rows (wbc_points.c). */
#define PO_WBC_POINTS 8
#define PO_WBC_GROUPS 8
typedef struct po_wbc_group {
  int first, count, row;      /* objectives; where the rows begin */
  double L[6];                /* lower triangle by rows */
  po_vec3 arm[PO_WBC_POINTS], drift[PO_WBC_POINTS]; /* of each point: from the centroid, world; J̇q̇ */
} po_wbc_group;

/* One tick's problem: where the parts of x stand and the rows, written into a pool that was laid out once. */
typedef struct po_wbc_inner {
  po_hqp_solver *hqp;
  int nu, nr;                 /* driven and undriven freedoms */
  int *driven, *undriven;     /* their indices */
  double *effort;             /* [nu] */
  double *zero_pose;          /* [nq] */
  double unit_force;          /* m g: λ is counted in it */
  int n, tau_at, acc_at, lam_at, lambdas, sides; /* columns of x */
  po_mat Jc;                  /* 3·contacts × nv */
  double *Jc_drift, *Jc_vel;  /* 3·contacts */
  po_mat JVt;                 /* nv × lambdas: what each friction direction (and limit) does to the freedoms, times unit_force */
  double *V;                  /* 3·sides per contact: the directions */
  double *cone;               /* 2·sides: cosine and sine of each side's direction */
  int limits, stops;          /* joint limits at work; those of them that lean on their stop and so have a λ */
  po_mat limit_row;           /* limits × nv: gradients */
  double *limit_accel;        /* [max_limits] least acceleration along its row */
  po_mat rows;                /* the pool */
  double *lower, *upper;
  int *unit;                  /* [rows] 1 + the column of a row that already holds a single number, `unit_value`; 0: it holds something else */
  double *unit_value;
  int unit_columns;           /* columns of the problem they were written for */
  po_hqp_level level[PO_HQP_MAX_LEVELS];
  int levels, used;           /* rows used */
  const char *refused_name;   /* the objective that did not fit first */
  int *objective_row;         /* where each objective's rows begin in the pool; −1: off, or in a group */
  int groups;
  po_wbc_group group[PO_WBC_GROUPS];
  double *y, *ydot, *drift, *wanted, *error; /* scratch */
} po_wbc_inner;

/* Rows of all objectives together, and priorities: beside them stand the levels of dynamics, limits, slew and regularization. */
#define PO_WBC_OBJECTIVE_ROWS(max_objectives, nv) ((max_objectives) * PO_FEATURE_MAX + 3 * (nv))
#define PO_WBC_PRIORITIES (PO_HQP_MAX_LEVELS - 4)

/* po_wbc_solve for a state that has been checked. */
po_status po_wbc_solve_checked(po_wbc *wbc, const po_data *data, const double *q, const double *v);
/* Builds inner->level for the state in data; wbc->contact and objectives are read. */
void po_wbc_build(po_wbc *wbc, const po_data *data, const double *q, const double *v);
/* A new row that is zero but for its accelerations, which the caller writes. */
double *po_wbc_acc_row(po_wbc_inner *inner, double lower, double upper);
/* How many objectives from `first` on are alike but for their point; they may be written together by po_wbc_points, which returns 0 and
 * writes nothing when they are too few, or on a line. */
int po_wbc_points_run(const po_wbc *wbc, int first);
int po_wbc_points(po_wbc *wbc, const po_data *data, int first, int count, const double *q, const double *v);
void po_wbc_points_account(po_wbc *wbc, const po_wbc_group *group, const double *qdd);
/* Most columns and rows a problem of these options can have. */
void po_wbc_sizes(const po_model *model, const po_wbc_opts *opts, int *columns, int *rows);

/* wbc.c: a solver's warm start as part of a state. */
void po_hqp_solver_stream(po_hqp_solver *solver, po_stream *stream);

#endif
