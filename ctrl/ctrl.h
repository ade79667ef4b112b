/* ctrl.h: whole-body control by features, objectives and strict priorities (de Lasa, Mordatch, Hertzmann 2010).
 *
 *   features      po_feature_com_across  _com_height  _point  _frame  _orientation  _pose  _momentum  _torque  _point_from_com
 *                 _custom;  po_feature_eval
 *   objectives    po_objective_setpoint  _target  _momentum  _torque;  po_target_acceleration
 *   control       po_wbc_opts_default  po_wbc_bytes  po_wbc_init  po_wbc_new  po_wbc_free  po_wbc_add  po_wbc_solve
 *                 po_wbc_save  po_wbc_restore
 *   support       po_support_...: which sole points stand on the ground, their centroid and hull
 *   actors        po_actor_...: model data, feet, control and rest pose of one body, the ground of every behaviour
 *   behaviours    po_balance_...  po_jump_...  po_walk_...
 *   parameters    po_param_find  po_param_set: every behaviour's parameters by name, with range, unit and meaning
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
  PO_FEATURE_POSE,           /* one row per joint freedom: the joint angles; spherical joints by rotation vector */
  PO_FEATURE_MOMENTUM,       /* 3: angular momentum about the COM, world axes (a rate feature: J = the centroidal matrix) */
  PO_FEATURE_TORQUE,         /* one row per joint freedom: the joint torque itself */
  PO_FEATURE_CUSTOM          /* a user's own */
} po_feature_type;

/* A user's feature: writes the value y, the rate ydot, J (rows×nv, zeroed) and drift = dJ/dt v. data holds po_all_terms. */
typedef void (*po_feature_fn)(void *user, const po_data *data, double *y, double *ydot, po_mat J, double *drift);

typedef struct po_feature {
  po_feature_type type;
  int rows;
  int body;                  /* point, orientation */
  int frame;                 /* frame */
  po_vec3 point;             /* in body axes */
  unsigned axes;             /* point features: bits 1, 2, 4 choose world x, y, z; default 7 */
  const unsigned char *mask; /* pose and torque: [nv] 1 where a row is wanted; NULL: every actuated freedom */
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
po_feature po_feature_torque(const po_model *model, const unsigned char *mask);
po_feature po_feature_custom(int rows, po_feature_fn fn, void *user);

/* What a feature is right now. y and ydot of an orientation hold (0, angular velocity); its error needs the reference. */
void po_feature_eval(const po_feature *feature, const po_data *data, const double *q, const double *v, double *y, double *ydot,
                     po_mat J, double *drift);

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
  double miss;               /* ‖wanted − got‖ over all rows, unscaled */
} po_objective;

po_objective po_objective_setpoint(const char *name, po_feature feature, int priority, double kp);
po_objective po_objective_target(const char *name, po_feature feature, int priority);
po_objective po_objective_momentum(const char *name, int priority, double kp);
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
  double mu;                 /* friction the controller counts on; 0.8 */
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
  double ramp;               /* 1: all; 0 … 1 limits the force of a contact that comes or goes to ramp·m·g; ≥ 1 no limit */
  double gap;                /* m over the ground: a point that has lifted a little may come back */
} po_wbc_contact;

typedef struct po_wbc_profile { double dynamics, problem, solve; } po_wbc_profile; /* seconds of the last tick */

typedef struct po_wbc {
  const po_model *model;
  po_wbc_opts opts;
  po_objective *objective;   /* [objectives]; change references, gains and switches between solves */
  int objectives;
  po_wbc_contact *contact;   /* [contacts]; filled by the behaviour before each solve */
  int contacts;
  /* results of the last solve */
  double *tau;               /* nv; the root's part is zero */
  double *qdd;               /* nv */
  double *force;             /* 3 per contact, world */
  po_hqp_result hqp;
  po_hqp problem;            /* as handed to po_hqp: po_hqp_write makes a file of it */
  int held;                  /* 1: the solve failed and the last good torques were kept */
  long ticks, ticks_held, ticks_infeasible, ticks_iteration_limit, ticks_numerical;
  double kkt_max;
  po_wbc_profile profile;
  struct po_wbc_inner *inner;
} po_wbc;

size_t po_wbc_bytes(const po_model *model, const po_wbc_opts *opts);
po_status po_wbc_init(po_wbc *wbc, const po_model *model, const po_wbc_opts *opts, void *mem, size_t bytes);
po_status po_wbc_new(po_wbc **wbc, const po_model *model, const po_wbc_opts *opts);
void po_wbc_free(po_wbc *wbc);
/* Copies the objective in and returns its place; NULL when max_objectives is reached. */
po_objective *po_wbc_add(po_wbc *wbc, const po_objective *objective);
po_objective *po_wbc_find(po_wbc *wbc, const char *name);
/* data must hold po_all_terms at (q, v). Fails with PO_ERR_NOT_FINITE for a bad state and leaves everything as it was;
 * a failed optimization is not an error: torques are held, `held` and the counters say so. */
po_status po_wbc_solve(po_wbc *wbc, const po_data *data, const double *q, const double *v);
/* Another model of the same topology (limbs that grew) from the next solve on. */
po_status po_wbc_set_model(po_wbc *wbc, const po_model *model);
/* Flat bytes: warm start, held torques, counters, objectives' references and switches. */
size_t po_wbc_state_bytes(const po_wbc *wbc);
void po_wbc_save(const po_wbc *wbc, void *state);
po_status po_wbc_restore(po_wbc *wbc, const void *state, size_t bytes);

/* ==== support: sole points on the terrain ============================================================================== */

#define PO_SUPPORT_MAX 16
typedef struct po_sole { /* one foot: link foot_S, frames heel_S, toe_S, sole_S_0…3 */
  const char *name;          /* "foot_l" */
  int body, heel, toe;       /* body and frame indices */
  int corner[4];             /* frames: back-left, back-right, front-right, front-left */
  po_vec3 corner_point[4];   /* in body axes */
  int touching[4];           /* with hysteresis: on below 1 mm, off above 4 mm */
  double gap[4];
  po_vec3 normal;            /* of the terrain under the sole */
} po_sole;

typedef struct po_support {
  int feet;                  /* 0, 1 or 2 */
  po_sole foot[2];           /* left, right */
  const po_terrain *terrain;
} po_support;

/* Finds the feet by name; PO_ERR_NAME when the body has none. */
po_status po_support_init(po_support *support, const po_model *model, const po_terrain *terrain, po_error *err);
void po_support_update(po_support *support, const po_data *data);
int po_support_count(const po_support *support);                               /* touching corners */
/* Average of the given feet's sole corners (bit 1 left, 2 right), world. */
po_vec3 po_support_centroid(const po_support *support, const po_data *data, unsigned feet);
/* Corners of the convex hull of touching points, counter-clockwise seen from above; returns their number (≤ 8). */
int po_support_hull(const po_support *support, const po_data *data, po_vec3 hull[8]);
/* How far p is outside a hull of n corners seen from above (negative: inside), and the nearest point of its edge; ∞ when n is 0. */
double po_support_distance(const po_vec3 *hull, int n, po_vec3 p, po_vec3 *nearest);

/* ==== parameters ======================================================================================================= */

typedef struct po_param {
  const char *name;
  double fallback, lower, upper;
  const char *unit, *meaning;
  size_t offset;             /* of a double within the behaviour's parameter struct */
} po_param;
/* NULL when there is no such name. */
const po_param *po_param_find(const po_param *table, int count, const char *name);
/* Sets every member to its default. */
void po_param_defaults(void *params, const po_param *table, int count);
/* PO_ERR_NAME with the nearest name, PO_ERR_RANGE with the range; the member is then untouched. */
po_status po_param_set(void *params, const po_param *table, int count, const char *name, double value, po_error *err);

/* ==== actors: what every behaviour stands on =========================================================================== */

typedef struct po_actor {
  po_wbc *wbc;
  po_data *data;             /* po_all_terms of the last tick */
  po_support support;
  double *pose;              /* [nq] rest pose; the zero pose unless changed */
  double *joint_weight;      /* [nv] of the pose's rows: the trunk's weigh more */
  double standing_height;    /* COM over the soles at the zero pose */
  po_quat rest_orientation;  /* of the root at the zero pose */
  double time;               /* seconds of control so far */
  int contact_at;            /* place of the first of the eight corner objectives in wbc->objective */
} po_actor;

size_t po_actor_bytes(const po_model *model, const po_wbc_opts *opts);
/* PO_ERR_NAME when the body has no feet. terrain must outlive it. */
po_status po_actor_init(po_actor *actor, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts, void *mem, size_t bytes,
                        po_error *err);
/* Adds one setpoint objective per sole corner, left foot first. */
po_status po_actor_add_contacts(po_actor *actor, int priority, double kp);
/* A tick is: begin (checks the state, po_all_terms, support), set references, end (solves, writes tau). */
po_status po_actor_begin(po_actor *actor, const double *q, const double *v, double dt);
po_status po_actor_end(po_actor *actor, double *tau, const double *q, const double *v, double dt);
/* Switches a corner's objective and aims it at the corner's projection onto the surface below it. */
void po_actor_plant(po_actor *actor, int foot, int corner, int on, double kp);
/* Touching corners of these feet (bit 1 left, 2 right) are where the ground may push. */
void po_actor_stand_on(po_actor *actor, unsigned feet);
/* Makes the rest pose the zero pose with its knees bent by so much more (rad), hips and ankles sharing it. */
void po_actor_bend_knees(po_actor *actor, double bend);
/* Heading of the root (rad), and its orientation with all tilt taken out. */
double po_actor_heading(const po_actor *actor);
/* Aims an orientation objective of the root upright; turning about the vertical is left alone. */
void po_actor_upright(const po_actor *actor, po_objective *objective);
/* Another model of the same topology; the rest pose becomes its zero pose. */
po_status po_actor_set_model(po_actor *actor, const po_model *model);
size_t po_actor_state_bytes(const po_actor *actor);
void po_actor_save(const po_actor *actor, void *state);
po_status po_actor_restore(po_actor *actor, const void *state, size_t bytes);

/* ==== balance (paper section 4, table 1) =============================================================================== */

typedef struct po_balance_params {
  double com_height;         /* COM height as a share of the zero pose's */
  double kp_contact, kp_com, kp_height, kp_momentum, weight_momentum, kp_pose, weight_upright;
  double com_limit;          /* largest COM acceleration asked for, m/s² */
  double cop_margin, cop_reach; /* how far outside the support its pressure point may lie */
  double observer;           /* s: time in which an unknown push is noticed; 0: never */
  double squat_low, squat_high, squat_period; /* squat_period 0: stand still */
} po_balance_params;
extern const po_param po_balance_param[];
extern const int po_balance_param_count;

typedef struct po_balance {
  po_actor actor;
  po_balance_params params;
  po_vec3 com_target;        /* world */
  int cycles;                /* squats done */
  /* of the COM, across gravity: velocity at the last tick, acceleration planned there (known: 1), acceleration that no plan accounts for */
  po_vec3 last_velocity, planned, push;
  int known;
} po_balance;

size_t po_balance_bytes(const po_model *model, const po_wbc_opts *opts);
/* terrain must outlive it. opts, params NULL: defaults. */
po_status po_balance_init(po_balance *balance, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                          const po_balance_params *params, void *mem, size_t bytes, po_error *err);
po_status po_balance_new(po_balance **balance, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                         const po_balance_params *params, po_error *err);
void po_balance_free(po_balance *balance);
/* One control tick: joint torques (nv, root part zero) for the state (q, v); dt is the time since the last tick. */
po_status po_balance_tick(po_balance *balance, double *tau, const double *q, const double *v, double dt);
po_status po_balance_set_model(po_balance *balance, const po_model *model);
size_t po_balance_state_bytes(const po_balance *balance);
void po_balance_save(const po_balance *balance, void *state);
po_status po_balance_restore(po_balance *balance, const void *state, size_t bytes);

/* ==== jumps (paper section 5) ========================================================================================== */

typedef enum po_jump_phase {
  PO_JUMP_STAND, PO_JUMP_COMPRESS, PO_JUMP_THRUST, PO_JUMP_ASCENT, PO_JUMP_DESCENT, PO_JUMP_IMPACT, PO_JUMP_RECOVER, PO_JUMP_DONE
} po_jump_phase;
const char *po_jump_phase_string(po_jump_phase phase); /* "stand" "compress" … "done" */

typedef struct po_jump_params {
  double height;             /* COM rise over standing, m */
  double crouch;             /* COM height at the bottom, share of standing; 0: from the height */
  double takeoff;            /* COM height at which thrust ends, share of standing */
  double wait, compress_time, recover_time; /* s */
  double thrust_time;        /* s; 0: constant acceleration from crouch to takeoff */
  double angle;              /* twist, deg, left positive */
  double distance;           /* forward, m */
  double swing_deg;          /* how far the ankles swing about the COM in flight */
  double swing_axis;         /* 0: scissor kick (fore and aft), 1: air split (sideways) */
  double weight_ankle;       /* 10 in flight */
  double kp_ankle, kp_land, kp_foot;
  double arms, kp_arms;      /* how far arms swing, 1: as people do, 0: not; their gain */
  po_balance_params balance; /* gains of the other objectives */
} po_jump_params;
extern const po_param po_jump_param[];
extern const int po_jump_param_count;
void po_jump_params_default(po_jump_params *params);

typedef struct po_jump {
  po_actor actor;
  double *joint_kp;          /* [nv] of the pose */
  po_jump_params params;
  po_jump_phase phase;
  double phase_time;         /* seconds in it */
  po_vec3 com_target;
  /* the plan, made when compression begins */
  double crouch_height, takeoff_height, takeoff_speed, thrust_seconds, flight_seconds, flight_height;
  double forward_speed, lead; /* of the COM at take-off; of the feet before it at touchdown */
  double spin_inertia;       /* about the vertical, standing */
  int beyond_reach;          /* 1: the torques do not allow the height asked for; it jumps as high as it can */
  int twist_beyond_reach;    /* 1: nor the angle; it turns as far as it can */
  double thigh, shank, leg;  /* lengths; leg: hip to ankle in the zero pose */
  int leg_body[2], arm_body[2], knee_dof[2]; /* thighs, upper arms, freedoms of the knees; < 0: none */
  /* what happened */
  int landed[2], flat[2];    /* left, right: the foot has touched, with all of its sole */
  double apex_rise, start_heading, flown;
  double touchdown_speed;    /* m/s, down */
  double turned;             /* rad since compression began, whole turns counted */
  po_vec3 start;             /* centroid of the soles when it began */
  po_vec3 ankle_offset[2];   /* from the COM, in heading axes, while standing */
} po_jump;

size_t po_jump_bytes(const po_model *model, const po_wbc_opts *opts);
po_status po_jump_init(po_jump *jump, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts, const po_jump_params *params,
                       void *mem, size_t bytes, po_error *err);
po_status po_jump_new(po_jump **jump, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                      const po_jump_params *params, po_error *err);
void po_jump_free(po_jump *jump);
po_status po_jump_tick(po_jump *jump, double *tau, const double *q, const double *v, double dt);
size_t po_jump_state_bytes(const po_jump *jump);
void po_jump_save(const po_jump *jump, void *state);
po_status po_jump_restore(po_jump *jump, const void *state, size_t bytes);

/* ==== walking (paper section 6, table 2) =============================================================================== */

typedef enum po_foot_state { PO_FOOT_SUPPORT, PO_FOOT_HEELOFF, PO_FOOT_SWING, PO_FOOT_PLANT } po_foot_state;
typedef enum po_walk_mode { PO_WALK_STAND, PO_WALK_SHIFT, PO_WALK_STEP, PO_WALK_STOP } po_walk_mode;
const char *po_foot_state_string(po_foot_state state); /* "support" "heeloff" "swing" "plant" */
const char *po_walk_mode_string(po_walk_mode mode);    /* "stand" "shift" "step" "stop" */

typedef struct po_walk_params {
  /* the paper's */
  double T, l_step, h, l_foot, dT, l_hip, l_trunk; /* swing duration, step length, swing height, foot spread, toe delay, hip shift, COM offset */
  double head_deg;           /* pitch of the head, forward positive */
  double heading;            /* direction of travel, deg, left positive, 0 along x */
  double walk;               /* 1: walk, 0: come to a stand */
  double knee_deg;           /* more bend of the knees in the rest pose */
  double hands;              /* weight of hands in the pockets; 0: arms are free */
  double footstep_feedback;  /* how much of the capture point's error the next foothold takes up; 0: the paper */
  /* gains and weights */
  double kp_contact, kp_com, com_limit, kp_trunk, kp_momentum, weight_momentum, weight_yaw;
  double weight_under, weight_upright, weight_pelvis, pelvis_turn; /* the pelvis: under the COM, upright, turned along with the legs */
  double weight_swing, weight_roll, kp_roll;
  double kp_pose, weight_stance_pose, weight_heeloff_pose, weight_swing_pose, weight_trunk_pose, weight_twist, weight_arm_pose, weight_arms;
  double stretch, pivot; /* when a heel rises, where the COM passes over a foot */
  double kp_head, weight_head, kp_hands;
  double com_height, weight_height; /* a soft COM height; weight 0: free, as in the paper */
  double pendulum;           /* 0: the COM moves evenly (eq. 19); 1: as an inverted pendulum over the stance foot */
  double cop_margin, spin;   /* COM accelerations that need a pressure point this far outside the support are not asked for, m; what of it damps rotation */
} po_walk_params;
extern const po_param po_walk_param[];
extern const int po_walk_param_count;

typedef struct po_walk {
  po_actor actor;
  po_walk_params params;
  po_walk_mode mode;
  po_foot_state foot[2];     /* left, right */
  double state_time[2];      /* seconds in it */
  int stance;                /* the foot that stays down: 0 left, 1 right */
  double mode_time;
  po_vec3 com_target;
  struct { double T, dT, l_foot, l_hip, l_trunk; } pace; /* of the step under way, as the next two */
  double speed, step_length; /* of the step under way: come to what is asked bit by bit */
  double facing;             /* heading in force, rad: turns towards params.heading step by step */
  /* the COM's curve, eqs. 19-20 */
  po_vec3 p0, p1;
  double com_time, com_duration, last_period;
  /* the swing foot */
  po_vec3 foothold;          /* where its heel is to land, with feedback */
  double beyond;             /* how far the last landing was beyond the capture point, to the side */
  /* what happened */
  long steps;
  double step_length_sum, swing_sum, period_sum;
  long step_count, lifts, heel_first;
  int heel_left[2];          /* the heel has left the ground and the toe has not */
  unsigned char *swing_mask, *arm_mask, *twist_mask; /* [nv] */
  double *pose_weight;       /* [nv] */
  double foot_length, foot_width, leg_length, ankle_offset, neck_offset, pelvis_offset; /* heel to toe; neck base ahead of the COM in the zero pose */
  int thigh[2];
  double swing_time; /* of the present step */
  double momentum_weight[3], upright_weight[3];
  int pelvis, neck_body, head_body, hand[2];
  po_vec3 neck_point, hand_point[2], pocket[2];
} po_walk;

size_t po_walk_bytes(const po_model *model, const po_wbc_opts *opts);
po_status po_walk_init(po_walk *walk, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts, const po_walk_params *params,
                       void *mem, size_t bytes, po_error *err);
po_status po_walk_new(po_walk **walk, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                      const po_walk_params *params, po_error *err);
void po_walk_free(po_walk *walk);
po_status po_walk_tick(po_walk *walk, double *tau, const double *q, const double *v, double dt);
/* Brings parameters into the set that works together (docs/walking.md); returns the number of them that were changed. */
int po_walk_params_clamp(po_walk_params *params);
size_t po_walk_state_bytes(const po_walk *walk);
void po_walk_save(const po_walk *walk, void *state);
po_status po_walk_restore(po_walk *walk, const void *state, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
