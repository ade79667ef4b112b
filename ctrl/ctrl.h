/* ctrl.h: whole-body control by features, objectives and strict priorities (de Lasa, Mordatch, Hertzmann 2010).
 *
 *   features      po_feature_com_across  _com_height  _point  _frame  _orientation  _pose  _momentum  _momentum_about  _torque
 *                 _point_from_com  _custom;  po_feature_eval
 *   turning       po_whole_inertia  po_inertia_about  po_inertia_gradient  po_mean_rotation;  po_phase_...: how far a body has turned over
 *   objectives    po_objective_setpoint  _target  _momentum  _momentum_about  _torque;  po_target_acceleration
 *   control       po_wbc_opts_default  po_wbc_bytes  po_wbc_init  po_wbc_new  po_wbc_free  po_wbc_add  po_wbc_check  po_wbc_clear
 *                 po_wbc_find  po_wbc_solve  po_wbc_set_model  po_formulation_string
 *                 po_wbc_save_bytes  po_wbc_save  po_wbc_restore  po_wbc_stream  po_wbc_layout_hash
 *   patches       po_patches_...: soles and hands, which of their points touch, centroid and hull;  po_patch_find  po_hull_distance
 *   bearings      po_heading_...: where a body faces and how far it has turned;  po_level_heading  po_gravity_axes  po_uprightness  po_tilt_of_axis
 *   legs          po_legs_find  po_legs_bend: thighs, shanks, feet, arms by name, with their lengths
 *   senses        po_sense  po_feet: what a control tick is told
 *   actors        po_actor_...: model data, patches, control, rest pose of one body, which all its behaviours share
 *   parameters    po_param_find  po_param_defaults  po_param_set  po_params_check  po_params_parse
 *
 * A feature is a quantity y of the motion with its rate, Jacobian and drift: ÿ = J q̈ + J̇q̇. An objective wants a certain ÿ.
 * po_wbc stacks the objectives by priority, adds the equations of motion, friction cones, non-penetration, joint and
 * torque limits, has po_hqp solve the stack, and returns joint torques. There is never a wrench on the root.
 */
#ifndef PO_CTRL_H
#define PO_CTRL_H

#include "../contact/terrain.h"
#include "../qp/qp.h"
#include "../rbd/rbd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== features ========================================================================================================= */

#define PO_FEATURE_MAX 6 /* rows of a feature that is not per joint */

typedef enum po_feature_type {
  PO_FEATURE_COM_ACROSS,     /* 2 rows: the COM orthogonal to gravity (x, y when gravity is vertical) */
  PO_FEATURE_COM_HEIGHT,     /* 1 row: the COM against gravity */
  PO_FEATURE_POINT,          /* 3: a point fixed to a body, world axes */
  PO_FEATURE_POINT_FROM_COM, /* 3: the same, relative to the COM */
  PO_FEATURE_ORIENTATION,    /* 3: a body's orientation; y is measured by its error, the rotation vector to the reference */
  PO_FEATURE_FRAME,          /* 6: a named frame: orientation, then position */
  PO_FEATURE_POSE,           /* one row per joint degree of freedom: the joint angles; spherical joints by rotation vector */
  PO_FEATURE_MOMENTUM,       /* 3: angular momentum about the COM, world axes (a rate feature: J = the centroidal matrix) */
  PO_FEATURE_MOMENTUM_ABOUT, /* 1: its component about a world axis */
  PO_FEATURE_TORQUE,         /* one row per joint degree of freedom: the joint torque itself */
  PO_FEATURE_CUSTOM          /* a user's own */
} po_feature_type;

/* A user's feature: writes the value y, the rate ydot, J (rows×nv, zeroed) and drift = dJ/dt v. data holds po_all_terms. */
typedef void (*po_feature_fn)(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *data);

typedef struct po_feature {
  po_feature_type type;
  int rows;
  int body;                  /* point, orientation */
  int frame;                 /* frame */
  po_vec3 point;             /* in body axes; momentum about an axis: the axis, unit, world */
  unsigned axes;             /* point features: bits 1, 2, 4 choose world x, y, z; default 7 */
  const unsigned char *mask; /* pose and torque: [nv] 1 where a row is wanted; NULL: every actuated degree of freedom */
  po_feature_fn custom;
  void *user;
} po_feature;

po_feature po_feature_com_across(void);
po_feature po_feature_com_height(void);
po_feature po_feature_point(int body, po_vec3 point);
po_feature po_feature_point_from_com(int body, po_vec3 point);
po_feature po_feature_orientation(int body);
po_feature po_feature_frame(int frame);
po_feature po_feature_pose(const po_model *model, const unsigned char *mask);
po_feature po_feature_momentum(void);
po_feature po_feature_momentum_about(po_vec3 axis);
po_feature po_feature_torque(const po_model *model, const unsigned char *mask);
po_feature po_feature_custom(int rows, po_feature_fn fn, void *user);

/* What a feature is right now. y and ydot of an orientation hold (0, angular velocity); its error needs the reference. */
void po_feature_eval(double *y, double *ydot, po_mat J, double *drift, const po_feature *feature, const po_data *data,
                     const double *q, const double *v);

/* Orthonormal directions across gravity (e0, e1) and against it (up); world x, y, z when gravity points down. */
void po_gravity_axes(po_vec3 *e0, po_vec3 *e1, po_vec3 *up, po_vec3 gravity);

/* ==== turning: inertia and phase ======================================================================================= */

/* Of the whole body frozen as it is, about its COM, world axes; data holds po_all_terms (or po_kinematics and po_com). */
po_mat3 po_whole_inertia(const po_data *data);
double po_inertia_about(const po_data *data, po_vec3 axis); /* axis unit, world */
/* d(inertia about the axis)/dq over all degrees of freedom (nv), the axis fixed in the world; its product with v is the inertia's rate. */
void po_inertia_gradient(double *gradient, const po_data *data, po_vec3 axis);
/* I⁻¹L: the angular velocity of the mean frame, world. data holds po_all_terms. */
po_vec3 po_mean_rotation(const po_data *data);

/* What measures the phase: the line from pelvis to neck; the mean frame; the pelvis alone; a clock at the nominal rate. */
typedef enum po_phase_by { PO_BY_TRUNK, PO_BY_AVERAGE, PO_BY_PELVIS, PO_BY_TIME } po_phase_by;
const char *po_phase_by_string(po_phase_by by); /* "trunk" "average" "pelvis" "time" */
int po_phase_by_find(const char *name);         /* −1: none of these */

typedef struct po_phase { /* plain values: a copy is a saved state */
  po_phase_by by;
  po_vec3 axis;              /* unit, across gravity, along the angular velocity: the plane of rotation is orthogonal to it */
  double theta, rate;        /* rad, unwrapped, zero when upright; rad/s */
  double nominal;            /* rad/s of the clock */
  int pelvis, neck;          /* bodies */
  po_vec3 neck_point;
} po_phase;

/* PO_ERR_NAME when the body has no pelvis or neck_base. */
po_status po_phase_init(po_phase *phase, const po_model *model, po_phase_by by, po_error *err);
/* Begins at the angle the body has now, within ±π, about the level part of `axis`. data holds po_all_terms. */
void po_phase_start(po_phase *phase, const po_data *data, po_vec3 axis);
void po_phase_update(po_phase *phase, const po_data *data, double dt);
/* Heading (rad) of a body whose own left points along `left` (world): unlike the forward axis it stays level while the body turns over. */
double po_level_heading(po_vec3 left);
/* How far a unit axis is out of level, rad, up positive. */
double po_tilt_of_axis(const po_data *data, po_vec3 axis);

/* ==== objectives ======================================================================================================= */

typedef enum po_objective_type {
  PO_SETPOINT, /* ÿ = ÿr + kp (yr − y) + kv (ẏr − ẏ)                      eq. 4, with the reference's own motion */
  PO_TARGET,   /* reach (yT, ẏT) in `time` along a linear acceleration     eqs. 6-7, solved anew every tick */
  PO_MOMENTUM, /* L̇ = kp (Lr − L)                                          eqs. 8-9 */
  PO_TORQUE    /* τ = 0 on the chosen joints                               eq. 15 */
} po_objective_type;

typedef struct po_objective {
  const char *name;
  po_objective_type type;
  po_feature feature;
  int priority;              /* 1 is the highest; levels are the priorities in use, in order */
  double weight;             /* multiplies the squared norm within its level */
  double scale;              /* rows are divided by it, so that weights carry over between bodies; 1, m h² for momentum */
  int on;
  double kp, kv;             /* kv < 0: 2 sqrt(kp) */
  double limit;              /* largest |ÿ| asked for, over the rows together; 0: none */
  double ref[PO_FEATURE_MAX], ref_rate[PO_FEATURE_MAX], ref_accel[PO_FEATURE_MAX];
  po_quat ref_orientation;   /* orientation and frame */
  double time;               /* target: seconds left */
  double row_time[PO_FEATURE_MAX]; /* target: the same for a single row; 0: time */
  const double *pose;        /* pose: reference configuration [nq]; NULL: the zero pose */
  const double *joint_kp;    /* pose: [nv] gains, or NULL: kp */
  const double *joint_weight; /* weights of single rows, or NULL: 1; pose and torque: [nv], others: [rows] */
  /* written by po_wbc_solve */
  double wanted[PO_FEATURE_MAX], got[PO_FEATURE_MAX]; /* ÿ asked for and obtained (per-joint features: not filled) */
                             /* a row whose joint_weight is 0 is not asked for: got is NaN there, and miss does without it */
  double miss;               /* ‖wanted − got‖ over all rows, in the feature's own units (torques: shares of the limit) */
} po_objective;

po_objective po_objective_setpoint(const char *name, po_feature feature, int priority, double kp);
po_objective po_objective_target(const char *name, po_feature feature, int priority);
po_objective po_objective_momentum(const char *name, int priority, double kp);
po_objective po_objective_momentum_about(const char *name, po_vec3 axis, int priority, double kp);
po_objective po_objective_torque(const char *name, po_feature feature, int priority);

/* The acceleration now that brings (y, ẏ) to (yT, ẏT) in T seconds: a = 6(yT−y)/T² − (4ẏ+2ẏT)/T  (eq. 7 with its sign repaired),
 * by the singularity-robust pseudo-inverse, so that it stays bounded as T → 0. */
double po_target_acceleration(double y, double ydot, double y_target, double ydot_target, double T);

/* ==== whole-body control =============================================================================================== */

typedef enum po_formulation { PO_REDUCED, PO_FULL } po_formulation; /* x = (q̈, λ); x = (τ, q̈, λ) as in eq. 1 */
const char *po_formulation_string(po_formulation formulation);       /* "reduced" "full" */

/* How contact accelerations are kept from going into the ground: not at all, along the normal, or along every
 * direction of the friction basis (eq. 26 as printed, which also forbids sliding). */
typedef enum po_contact_rows { PO_ROWS_NONE, PO_ROWS_NORMAL, PO_ROWS_CONE } po_contact_rows;

typedef struct po_wbc_opts {
  po_formulation formulation;
  po_hqp_opts hqp;
  int cone_sides;            /* of the friction basis; 4 */
  double mu;                 /* friction the controller counts on where the terrain's factor is 1; 0.8 */
  po_contact_rows contact_rows;
  double limit_margin;       /* joints are braked from this far (rad) before their limits */
  int limit_forces;          /* 1: joint stops push in the plan, as in eq. 27. Off by default: without complementarity the plan leans on stops
                              * that it is leaving, and the simulator does not play along */
  double regularize_force;   /* ε of the closing level ‖τ/τ_max‖² + ε‖λ/mg‖² */
  int max_contacts, max_objectives, max_limits;
  po_clock_fn clock;         /* for the profile; never affects a result */
} po_wbc_opts;
po_wbc_opts po_wbc_opts_default(void);

typedef struct po_wbc_contact { /* where the ground may push */
  int body;
  po_vec3 point;             /* in body axes */
  po_vec3 normal;            /* world, unit */
  double mu;                 /* friction that is counted on */
  double ramp;               /* 1: all; 0 … 1 limits the force of a contact that comes or goes to ramp·m·g; ≥ 1 no limit */
  double gap;                /* m over the ground: a point that has lifted a little may come back */
} po_wbc_contact;

typedef struct po_wbc_profile { double dynamics, problem, solve; } po_wbc_profile; /* seconds of the last tick */

typedef struct po_wbc {
  const po_model *model;
  po_wbc_opts opts;
  po_objective *objective;   /* [objectives]; change references, gains and switches between solves */
  int objectives;
  po_status refused;         /* why po_wbc_add said no first; PO_OK: it did not */
  po_wbc_contact *contact;   /* [contacts]; filled by the behaviour before each solve */
  int contacts;
  double slew;               /* most that a torque may differ from the last, as a share of its limit; 0: no bound. Above all objectives, below contacts and
                              * limits: a behaviour takes over another's without a jump */
  /* results of the last solve */
  double *tau;               /* nv; the root's part is zero */
  double *qdd;               /* nv */
  double *force;             /* 3 per contact, world */
  po_hqp_result hqp;
  po_hqp problem;            /* as handed to po_hqp: po_hqp_write makes a file of it */
  int held;                  /* 1: the solve failed and the last good torques were kept */
  long ticks, ticks_held, ticks_infeasible, ticks_iteration_limit, ticks_numerical;
  long ticks_second_opinion; /* answered by reparam: lexicographic got stuck or reached max_iterations (po_hqp_opts.second_opinion) */
  double kkt_max;
  po_wbc_profile profile;
  struct po_wbc_inner *inner;
} po_wbc;

size_t po_wbc_bytes(const po_model *model, const po_wbc_opts *opts);
po_status po_wbc_init(po_wbc *wbc, const po_model *model, const po_wbc_opts *opts, void *mem, size_t bytes);
po_status po_wbc_new(po_wbc **wbc, const po_model *model, const po_wbc_opts *opts);
void po_wbc_free(po_wbc *wbc);
/* Copies the objective in and returns its place, a handle that stays valid until po_wbc_clear. NULL when it does not fit: more than
 * max_objectives, more rows than the problem has room for (6 for each of max_objectives and 3 nv besides), more priorities than PO_HQP_MAX_LEVELS − 3;
 * wbc->refused keeps the reason, so that a behaviour may add all it has and then ask once. */
po_objective *po_wbc_add(po_wbc *wbc, const po_objective *objective);
/* PO_OK when everything added since po_wbc_clear fitted, else PO_ERR_SIZE with a sentence. */
po_status po_wbc_check(const po_wbc *wbc, po_error *err);
/* Drops all objectives and contacts. The warm start stays, and serves levels of the same names and sizes. */
void po_wbc_clear(po_wbc *wbc);
po_objective *po_wbc_find(po_wbc *wbc, const char *name);
/* data must hold po_all_terms at (q, v). Fails with PO_ERR_NOT_FINITE for a bad state, with PO_ERR_SIZE when priorities or rows that were changed since
 * no longer fit or a contact or feature names a body or frame that the model has not, and leaves everything as it was; a failed optimization is not an error: torques are held, `held` and the counters say so. */
po_status po_wbc_solve(po_wbc *wbc, const po_data *data, const double *q, const double *v);
/* Another model of the same topology (limbs that grew) from the next solve on. */
po_status po_wbc_set_model(po_wbc *wbc, const po_model *model);
/* Warm start, held torques, counters, objectives' references and switches. Restored only into a control with the same model, options and objectives. */
size_t po_wbc_save_bytes(const po_wbc *wbc);
po_status po_wbc_save(void *state, size_t bytes, const po_wbc *wbc);
po_status po_wbc_restore(po_wbc *wbc, const void *state, size_t bytes);
/* Options and rows of the objectives as one number: states of two controls fit when it and their models agree. */
uint64_t po_wbc_layout_hash(const po_wbc *wbc);
void po_wbc_stream(po_wbc *wbc, po_stream *stream); /* as part of another state, whose kind must tell the objectives apart */

/* ==== patches: where a body may stand ================================================================================== */

/* Found by name: soles (sole_S_0 … 3; the front two may lie on toes_S) and hands (palm_S_0 … 3, or the ball at the end of the shape that
 * hand_S lies in). Sets of patches are bits. */
enum { PO_FOOT_L, PO_FOOT_R, PO_HAND_L, PO_HAND_R, PO_PATCHES };
#define PO_PATCH_BIT(patch) (1u << (patch))
#define PO_BOTH_FEET 3u
#define PO_BOTH_HANDS 12u

typedef struct po_patch {
  const char *name;          /* "foot_l" "foot_r" "hand_l" "hand_r" */
  int points;                /* 0: the body has none */
  int body;                  /* the foot, or the link of the hand */
  int heel, toe;             /* frames of a foot; −1: none */
  int point_body[4];         /* what each point lies on: the front of a sole may be on the toes */
  po_vec3 point[4];          /* in that body's axes: back-left, back-right, front-right, front-left. Of a ball: where it is nearest to the ground */
  po_vec3 centre;            /* of a ball, */
  double radius;             /* and its radius; 0: corners */
  double wrist;              /* of a ball: what of its link lies nearer to the link's origin is forearm, not hand; m */
  int touching[4];           /* with hysteresis: on below 1 mm, off above 4 mm */
  double gap[4];
  po_vec3 normal;            /* of the terrain below */
  double mu;                 /* friction factor of the terrain below */
} po_patch;

typedef struct po_patches {
  po_patch patch[PO_PATCHES];
  const po_terrain *terrain;
} po_patches;

/* Finds the patches; PO_ERR_NAME with what is missing when one of the set `needed` is not there. terrain must outlive them. */
po_status po_patches_init(po_patches *patches, const po_model *model, const po_terrain *terrain, unsigned needed, po_error *err);
/* Gaps, touching points, normals, friction, from the kinematics in data: never from the simulator's forces. */
void po_patches_update(po_patches *patches, const po_data *data);
int po_patch_find(const po_patches *patches, const char *name);               /* index, or −1 when the body has none of that name */
unsigned po_patches_there(const po_patches *patches);                         /* the set that the body has */
int po_patches_touching(const po_patches *patches, unsigned set);             /* touching points */
/* Average of all points of the set, world. */
po_vec3 po_patches_centroid(const po_patches *patches, const po_data *data, unsigned set);
/* Corners of the convex hull of the set's touching points, counter-clockwise seen from above; returns their number. */
#define PO_HULL_MAX 16
int po_patches_hull(po_vec3 hull[PO_HULL_MAX], const po_patches *patches, const po_data *data, unsigned set);
/* How far p is outside a hull of n corners seen from above (negative: inside), and the nearest point of its edge; ∞ when n is 0. */
double po_hull_distance(po_vec3 *nearest, const po_vec3 *hull, int n, po_vec3 p);

/* ==== bearings ========================================================================================================= */

/* Where the root faces, seen along gravity. Ahead is told by its x axis; when that stands too steeply, in a somersault, by its y axis, which then lies
 * level; upright again, by x. So a flip in a plane turns no one around. Whole turns are counted. */
typedef struct po_heading {
  double angle;              /* rad, −π … π, left positive */
  int turns;                 /* whole turns beyond it */
  int axis;                  /* 0: by x, 1: by y */
  int known;                 /* 0: not yet looked */
} po_heading;
void po_heading_update(po_heading *heading, po_mat3 R, po_vec3 gravity); /* R: root to world */
static inline double po_heading_total(const po_heading *h) { return h->angle + 2 * PO_PI * h->turns; }
/* Cosine of the angle between the body's up (rest: its orientation as it stands) and against gravity: 1 upright, −1 upside down. */
double po_uprightness(po_mat3 R, po_quat rest, po_vec3 gravity);

/* ==== legs and arms, by name =========================================================================================== */

typedef struct po_legs { /* left, right; −1 where the body has none */
  int thigh[2], shank[2], foot[2], toes[2], upper_arm[2], forearm[2]; /* bodies */
  int knee_dof[2];           /* of a knee with one degree of freedom */
  double thigh_length[2], shank_length[2]; /* hip to knee to ankle; 0: no such leg */
  double reach[2];           /* hip to ankle in the zero pose */
} po_legs;
/* data holds the zero pose. */
void po_legs_find(po_legs *legs, const po_data *data);
/* pose (nq): the zero pose with its knees bent by so much more (rad), hips and ankles sharing it. */
void po_legs_bend(double *pose, const po_legs *legs, const po_model *model, double bend);

/* ==== senses =========================================================================================================== */

/* What feet and hands feel, from whoever simulates or measures; a controller never looks into the simulator. */
typedef struct po_feel {
  double force;              /* N, against gravity */
  int heel, toe, palm;       /* 1: it touches */
} po_feel;
typedef struct po_feet { po_feel patch[PO_PATCHES]; } po_feet;

/* What a control tick is told. */
typedef struct po_sense {
  const double *q, *v;       /* the state */
  double dt;                 /* s since the last tick: 0, or 1e-9 … 1 */
  const po_feet *feet;       /* NULL: nobody knows; controllers go by gaps */
  const po_vec3 *push;       /* N, world: what pushes the body besides the ground; NULL: nobody knows */
  int push_body;             /* the link at whose COM it acts; −1: nobody knows */
  int placed;                /* 1: the body will be put where the move says (po_move.placed), not moved by torques */
  const double *external;    /* nv: generalized force of that push, for a body that will be moved by the accelerations solved for: they have it in them; NULL: torques move it */
} po_sense;
static inline po_sense po_sense_of(const double *q, const double *v, double dt) {
  po_sense s;
  s.q = q;
  s.v = v;
  s.dt = dt;
  s.feet = 0;
  s.push = 0;
  s.push_body = -1;
  s.placed = 0;
  s.external = 0;
  return s;
}

/* What a behaviour needs of its actor. */
#define PO_NEEDS_FEET 1u
#define PO_NEEDS_HANDS 2u
#define PO_NEEDS_WBC 4u

/* ==== parameters ======================================================================================================= */

typedef struct po_param {
  const char *name;
  double fallback, lower, upper;
  const char *unit, *meaning;
  size_t offset;             /* of a double within the behaviour's parameter struct */
} po_param;
/* A row of a parameter table for the double `name` of the struct `type`; _IN: of the struct's member `member`. */
#define PO_PARAM(type, name, fallback, lower, upper, unit, meaning) {#name, fallback, lower, upper, unit, meaning, offsetof(type, name)}
#define PO_PARAM_IN(type, member, name, fallback, lower, upper, unit, meaning) {#name, fallback, lower, upper, unit, meaning, offsetof(type, member.name)}
/* NULL when there is no such name. */
const po_param *po_param_find(const po_param *table, int count, const char *name);
/* Sets every member to its default. */
void po_param_defaults(void *params, const po_param *table, int count);
/* PO_ERR_NAME with the nearest name, PO_ERR_RANGE with the range; the member is then untouched. */
po_status po_param_set(void *params, const po_param *table, int count, const char *name, double value, po_error *err);
/* A whole struct at the door: PO_ERR_RANGE naming the first member that is outside its range, or NaN. */
po_status po_params_check(const void *params, const po_param *table, int count, po_error *err);
/* Parameters as data: a flat JSON object of numbers by name; a text "summary" and an object "tune" may be among them. Members that it does not name keep their values; all do
 * when something is wrong. Errors name the file, line and parameter. */
po_status po_params_parse(void *params, const po_param *table, int count, const char *text, size_t size, const char *file, po_error *err);

/* ==== actors: what every behaviour of a body stands on ================================================================= */

typedef struct po_actor {
  const po_model *model;
  po_data *data;             /* of the last tick: po_all_terms; without a wbc po_kinematics and po_com */
  po_wbc *wbc;               /* NULL: its behaviours compute torques themselves */
  po_patches patches;
  po_heading heading;
  po_legs legs;
  double *pose;              /* [nq] rest pose; the zero pose unless changed */
  double *joint_weight;      /* [nv] of the pose's rows: the trunk's weigh more */
  double *tau;               /* [nv] torques of the last tick */
  double standing_height;    /* COM over the soles (over the lowest frame without them) at the zero pose */
  po_quat rest_orientation;  /* of the root at the zero pose */
  double time;               /* seconds of control so far */
  po_vec3 given;             /* m/s²: what a push gives the COM in the accelerations solved for this tick (po_sense.external) */
  po_objective *contact[PO_PATCHES][4]; /* of po_actor_add_contacts; NULL: none */
  const void *owner;         /* whose objectives the control holds */
  uint64_t model_hash;
  po_clock_fn clock;         /* for the profile; never affects a result */
  po_wbc_profile profile;    /* seconds of the last tick */
} po_actor;

/* needs: PO_NEEDS_ bits; feet and hands must then be there (PO_ERR_NAME), and without PO_NEEDS_WBC no control is made. opts NULL: defaults.
 * terrain must outlive it. */
size_t po_actor_bytes(const po_model *model, unsigned needs, const po_wbc_opts *opts);
po_status po_actor_init(po_actor *actor, const po_model *model, const po_terrain *terrain, unsigned needs, const po_wbc_opts *opts, void *mem,
                        size_t bytes, po_error *err);
po_status po_actor_new(po_actor **actor, const po_model *model, const po_terrain *terrain, unsigned needs, const po_wbc_opts *opts, po_error *err);
void po_actor_free(po_actor *actor);
/* What depends on the model alone: standing height, rest orientation, limbs. Leaves the zero pose in data and as rest pose. */
void po_actor_measure(po_actor *actor);
/* Before a behaviour takes over: rest pose and weights as at the beginning, no objectives, no contacts. */
void po_actor_reset(po_actor *actor);
/* A tick is: begin (checks the state; model data, patches, heading), set references, solve (writes tau). */
po_status po_actor_begin(po_actor *actor, const po_sense *sense);
po_status po_actor_solve(po_actor *actor, double *tau, const po_sense *sense);
/* Adds one setpoint objective per point of the set's patches, in their order; handles go to actor->contact. */
void po_actor_add_contacts(po_actor *actor, unsigned set, int priority, double kp);
/* Switches a point's objective and aims it at the point's projection onto the surface below it. */
void po_actor_plant(po_actor *actor, int patch, int point, int on, double kp);
/* Touching points of these patches are where the ground may push. */
void po_actor_stand_on(po_actor *actor, unsigned set);
/* Where the root faces (rad, −π … π); whole turns: po_heading_total(&actor->heading). */
static inline double po_actor_heading(const po_actor *actor) { return actor->heading.angle; }
/* Aims an orientation objective of the root upright; turning about the vertical is left alone. */
void po_actor_upright(po_objective *objective, const po_actor *actor);
/* What a patch feels: from sense->feet, or from its gaps when nobody knows (force is then NaN). */
po_feel po_actor_feel(const po_actor *actor, int patch, const po_sense *sense);
/* Another model of the same topology; the rest pose becomes its zero pose. */
po_status po_actor_set_model(po_actor *actor, const po_model *model);
void po_actor_stream(po_actor *actor, po_stream *stream); /* as part of a move's state */

#ifdef __cplusplus
}
#endif
#endif
