/* moves.h: behaviours: what a character does, each on the language of ctrl/.
 *
 *   what one is   po_move_type  po_move  po_preset  po_sense
 *   making        po_move_find  po_move_new  po_move_new_of  po_move_new_on  po_move_bytes  po_move_init  po_move_free
 *   parameters    po_move_set  po_move_get  po_move_set_params  po_move_params  po_move_preset  po_move_apply
 *   running       po_move_ready  po_move_enter  po_move_tick  po_move_leave  po_move_done  po_move_phase  po_move_phase_string
 *                 po_move_outcome_string
 *   state         po_move_save_bytes  po_move_save  po_move_restore  po_move_layout_hash  po_move_stream  po_move_set_model
 *   for authors   po_move_act  po_move_aim  po_move_after  po_move_attach
 *   sequences     po_sequence_new  po_sequence_of  po_sequence_needs  po_sequence_body
 *   balance       po_balance_...: stand, squat
 *   jumps         po_jump_...
 *   walking       po_walk_...;  po_foot_state_string;  po_gbwc_...: without optimization, for any body;  po_skill_...: scripts over it
 *                 po_gait_...: gaits as data;  po_simbicon_...: by a state machine of target angles
 *   tracking      po_track_...: follows a motion by momentum plans that give way when pushed
 *   turning over  po_land_type  po_flip_type  po_dive_type  po_pirouette_type  po_cartwheel_type  po_handspring_type  po_handstand_type  po_turning_of
 *   shared        po_posture_...  po_builtin_find
 *   styles        po_style_apply: parameters of walking as data
 *   placing       po_stand_pose  po_stand_pose_apart  po_handstand_pose: a body standing on any terrain
 *
 * docs/behaviours.md shows how to write one in 60 lines; examples/06 is one.
 */
#ifndef PO_MOVES_H
#define PO_MOVES_H

#include "../ctrl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== what a behaviour is ============================================================================================== */

/* A named set of values for a behaviour's parameters. A preset is a move too: po_move_find knows it by its name. */
typedef struct po_preset {
  const char *name, *summary;
  const char *values;        /* a flat JSON object: {"height": 0.35, "angle": 90} */
} po_preset;

typedef enum po_move_outcome { PO_MOVE_GOING, PO_MOVE_DONE, PO_MOVE_FAILED } po_move_outcome;
const char *po_move_outcome_string(po_move_outcome outcome); /* "going" "done" "failed" */

typedef struct po_move po_move;

/* One constant table per kind of behaviour. Only name, summary, bytes and one of aim and tick must be there. Torques are of joints alone:
 * po_move_tick zeroes the root's and clips the rest to the model's limits. */
typedef struct po_move_type {
  const char *name, *summary;
  unsigned needs;            /* PO_NEEDS_FEET, _HANDS, _WBC: what po_actor_init must find or make */
  const char *body;          /* built-in body that is strong and supple enough for its defaults; NULL: the human */
  size_t bytes;              /* of the behaviour's own struct, whose first member is a po_move */
  /* parameters: a struct of doubles at params_at within it, described by a table. Ranges are checked at every door. */
  size_t params_at, params_bytes;
  const po_param *param;
  const int *param_count;
  /* What changes while it runs, in one plain struct at state_at within it: numbers, no pointers, in an order that leaves no holes. It is zero when the behaviour
   * begins, before enter; it is saved, restored and copied as it is. Settings, handles, scratch and what is measured of the body stand outside. 0 bytes: none. */
  size_t state_at, state_bytes;
  const char *first;         /* what the first number after a name in a script sets: a parameter's name; NULL: how many seconds it lasts */
  const po_preset *preset;   /* ended by a NULL name; may be NULL */
  const char *preset_folder; /* built-in data files whose names begin so ("styles/") are presets too; NULL: none */
  /* Each of the following may be NULL. */
  void (*layout)(po_move *move, const po_model *model, po_arena *arena); /* places the behaviour's arrays; also with a measuring arena */
  po_status (*init)(po_move *move, po_error *err);        /* once: move->actor holds the zero pose; finds parts of the body */
  po_status (*attach)(po_move *move, po_error *err);      /* adds objectives to the actor's control and keeps their handles; nothing else */
  po_status (*ready)(const po_move *move, const po_move *from, po_error *err); /* PO_ERR_STATE and why, when it cannot take over a body in this state */
  void (*enter)(po_move *move, const po_move *from);      /* begins anew, in whatever state the body is; from: who had it before, or NULL */
  void (*aim)(po_move *move, const po_sense *sense);      /* sets every objective's reference; then the control is solved, */
  void (*after)(po_move *move, const po_sense *sense);    /* and then this looks at what it gave */
  po_status (*tick)(po_move *move, double *tau, const po_sense *sense); /* in place of aim, for who computes torques himself */
  void (*leave)(po_move *move);                           /* someone wants the body: come to a state that others can take over */
  int (*released)(const po_move *move);                   /* 1: it has come to such a state; NULL: it always is */
  po_move_outcome (*done)(const po_move *move);           /* NULL: never done by itself */
  int (*phase)(const po_move *move);
  const char *const *phase_name;
  const char *(*phase_string)(const po_move *move);       /* in place of phase_name, for phases whose names vary */
  void (*stream)(po_move *move, po_stream *stream);       /* what changes besides the state: arrays that depend on the model, inner moves. Parameters, com_target and time are kept by the generic part */
  void (*restored)(po_move *move);                        /* parameters and state were read: what follows from them is computed anew */
  void (*changed)(po_move *move);                         /* a parameter was set */
  po_status (*set_model)(po_move *move);                  /* the actor has another model of the same topology */
  void (*destroy)(po_move *move);                         /* frees what init allocated */
} po_move_type;

struct po_move { /* the first member of every behaviour's struct */
  const po_move_type *type;
  const char *name;          /* the type's, or the preset's that made it */
  po_actor *actor;           /* borrowed when it is shared */
  po_vec3 com_target;        /* world: where it wants the COM, for reports; NaN: nowhere */
  double time;               /* s since it took over */
  int entered;               /* 1: it has the body */
  int leaving;               /* 1: it was asked to come to an end */
  int owns_actor;
  const double *placed_q, *placed_v; /* where it puts the body when it is not moved by torques (--advance optimizer); NULL: by its control's accelerations */
  uint64_t shape;            /* of moves that are made of others, set by init: what they are made of, so that states fit; else 0 */
};

/* Types in the registry, ended by NULL. A new behaviour is a file of its own and one line in registry.c. */
extern const po_move_type *const po_move_types[];
/* A type and the preset of it that this name stands for (preset->name NULL: none). PO_ERR_NAME with the nearest name. */
po_status po_move_find(const po_move_type **type, po_preset *preset, const char *name, po_error *err);
/* Presets of a type, from its table and its folder; name NULL past the last. */
po_preset po_move_preset(const po_move_type *type, int index);

/* ---- making ---- */

/* A move by the name of a type or preset, or by a script (po_sequence_new), with an actor of its own. opts NULL: defaults. terrain must outlive it. */
po_status po_move_new(po_move **move, const char *name, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts, po_error *err);
/* The same of a type that need not be in the registry, with parameters (NULL: defaults) checked against its table. */
po_status po_move_new_of(po_move **move, const po_move_type *type, const void *params, const po_model *model, const po_terrain *terrain,
                         const po_wbc_opts *opts, po_error *err);
/* On an actor that several share, which must outlive it. It touches the body from po_move_enter on. */
po_status po_move_new_on(po_move **move, const po_move_type *type, const void *params, po_actor *actor, po_error *err);
/* In the caller's memory, on an actor. */
size_t po_move_bytes(const po_move_type *type, const po_model *model);
po_status po_move_init(po_move **move, const po_move_type *type, const void *params, po_actor *actor, void *mem, size_t bytes, po_error *err);
void po_move_free(po_move *move); /* of the three _new; NULL is fine */

/* ---- parameters ---- */

void *po_move_params(const po_move *move);
po_status po_move_set(po_move *move, const char *name, double value, po_error *err); /* PO_ERR_NAME, PO_ERR_RANGE: nothing has changed */
po_status po_move_get(double *value, const po_move *move, const char *name);
po_status po_move_set_params(po_move *move, const void *params, po_error *err);      /* the whole struct, checked */
po_status po_move_apply(po_move *move, const po_preset *preset, po_error *err);

/* ---- running ---- */

/* Whether it could take over the body in the state that its actor last saw; err says why not. */
po_status po_move_ready(const po_move *move, const po_move *from, po_error *err);
/* Takes over: PO_ERR_STATE and the reason when it cannot, and nothing has changed. from: who had the body before on the same actor, or NULL. */
po_status po_move_enter(po_move *move, const po_move *from, const po_sense *sense, po_error *err);
/* One control tick: joint torques (nv, the root's are zero). The first one takes over, ready or not, when nobody called po_move_enter. What makes no sense in what
 * it is told is refused before the behaviour sees it: PO_ERR_RANGE, PO_ERR_NOT_FINITE. Whenever it fails, tau holds the torques of the last tick that did not. */
po_status po_move_tick(po_move *move, double *tau, po_sense sense);
void po_move_leave(po_move *move);
po_move_outcome po_move_done(const po_move *move);
int po_move_phase(const po_move *move);
const char *po_move_phase_string(const po_move *move); /* "" without phases */
/* Another model of the same topology (limbs that grew), for the move and its actor. */
po_status po_move_set_model(po_move *move, const po_model *model);

/* ---- state: the move with its actor, flat bytes; restore-then-tick is the same to the bit. Of moves that share an actor, the one that has the body saves the
 * actor too: save all of them, and restore all of them, in any order ---- */

size_t po_move_save_bytes(const po_move *move);
po_status po_move_save(void *state, size_t bytes, const po_move *move);
/* PO_ERR_NAME for another kind of move, PO_ERR_MODEL for another body; nothing has changed then. */
po_status po_move_restore(po_move *move, const void *state, size_t bytes);
/* Body, options and what it is made of as one number: states of two moves of one type fit when it agrees. */
uint64_t po_move_layout_hash(const po_move *move);

/* ---- for behaviours that are made of others (skills, sequences): within a tick, on the same actor ---- */

po_status po_move_attach(po_move *inner, po_error *err);             /* adds the inner one's objectives beside one's own */
void po_move_aim(po_move *inner, const po_sense *sense);             /* its references; change what you like of them, then po_actor_solve, then */
void po_move_after(po_move *inner, const po_sense *sense);
po_status po_move_act(po_move *move, double *tau, const po_sense *sense); /* all of a tick but looking at the body */
void po_move_stream(po_move *move, po_stream *stream);               /* the inner one's part of a state */

/* ==== sequences: a behaviour made of moves ============================================================================= */

#define PO_SEQUENCE_MAX 64
typedef struct po_sequence_step {
  po_move *move;
  double seconds;            /* it is done after so long; 0: by its own condition */
} po_sequence_step;
typedef struct po_sequence_state {
  double since;              /* s of the sequence: when it began to wait */
  double handed;             /* s since the last handover: torques change slowly at first */
  double started[PO_SEQUENCE_MAX], ended[PO_SEQUENCE_MAX]; /* s of the sequence, of each step; < 0: not yet */
  int outcome[PO_SEQUENCE_MAX]; /* a po_move_outcome */
  int at;                    /* the present step; at == steps: all are over */
  int waiting;               /* 1: the present one is over, the next one cannot take over yet */
  char reason[160];          /* why not, or why it failed */
} po_sequence_state;
typedef struct po_sequence {
  po_move move;
  int steps;
  po_sequence_step step[PO_SEQUENCE_MAX];
  po_sequence_state now;
} po_sequence;

/* script: moves separated by commas, each a type's or preset's name, then after colons its first number and name=value:
 * "walk:4,stand:1,jump:0.3:angle=90,walk:3". Without seconds a move goes on until it is done; the last may go on for ever.
 * Each takes over without a jump in torque; walking headings are measured from where the body then faces. */
po_status po_sequence_new(po_move **sequence, const char *script, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                          po_error *err);
extern const po_move_type po_sequence_type; /* made by po_sequence_new alone */
/* NULL when the move is something else. */
po_sequence *po_sequence_of(po_move *move);
/* What the moves of a script need of a body; 0 and err when it is no script. */
unsigned po_sequence_needs(const char *script, po_error *err);
/* The built-in body for all of a script's moves: the first that one of them names, else "human"; also when it is no script. */
const char *po_sequence_body(const char *script);

/* ==== what behaviours share ============================================================================================ */

/* The objectives of a body that stands: com (across gravity) and height at priority 2; momentum, pose and an upright root at 3. */
typedef struct po_stand_gains {
  double com_height;         /* COM height as a share of the zero pose's */
  double kp_contact, kp_com, kp_height, kp_momentum, weight_momentum, kp_pose, weight_upright;
  double com_limit;          /* largest COM acceleration asked for, m/s² */
} po_stand_gains;
typedef struct po_posture { po_objective *com, *height, *momentum, *pose, *upright; } po_posture;
void po_posture_add(po_posture *posture, po_actor *actor, const po_stand_gains *gains);
/* Kinds, gains, weights and priorities as they are when standing; com and height need their references from you. */
void po_posture_aim(const po_posture *posture, const po_actor *actor, const po_stand_gains *gains);
/* Whether the body in its present state could be brought to stand without a step: `ready` of moves that begin so. */
po_status po_posture_ready(const po_move *move, const po_move *from, po_error *err);
/* Rows of a parameter table for a po_stand_gains that is `member` of the struct `type`. */
#define PO_STAND_PARAMS(type, member) \
  PO_PARAM_IN(type, member, com_height, 0.95, 0.4, 1.02, "", "COM height as a share of the zero pose's"), \
  PO_PARAM_IN(type, member, kp_contact, 1000, 0, 2000, "1/s^2", "gain that keeps sole corners on the ground"), \
  PO_PARAM_IN(type, member, kp_com, 20, 0, 400, "1/s^2", "gain of the COM across gravity"), \
  PO_PARAM_IN(type, member, kp_height, 40, 0, 400, "1/s^2", "gain of the COM height"), \
  PO_PARAM_IN(type, member, kp_momentum, 10, 0, 200, "1/s", "rate at which angular momentum is damped"), \
  PO_PARAM_IN(type, member, weight_momentum, 300, 0, 1e6, "", "weight of the angular momentum beside the pose"), \
  PO_PARAM_IN(type, member, kp_pose, 40, 0, 1000, "1/s^2", "gain of the joints towards the rest pose"), \
  PO_PARAM_IN(type, member, weight_upright, 5, 0, 1e4, "", "weight of an upright trunk within the pose"), \
  PO_PARAM_IN(type, member, com_limit, 3, 0, 100, "m/s^2", "largest COM acceleration asked for; 0: no limit")

/* Data files that are compiled in: models/styles and what else tools/builtin_files names. They are read from disk only when a path is given. */
typedef struct po_builtin_file {
  const char *path;          /* "styles/sad.json" */
  const char *name;          /* "sad" */
  const char *summary;       /* its "summary", or "" */
  const char *text;
} po_builtin_file;
extern const po_builtin_file po_builtin_files[]; /* ended by a NULL path */
const po_builtin_file *po_builtin_find(const char *path); /* NULL: none */

/* ==== balance (paper section 4, table 1) =============================================================================== */

typedef struct po_balance_params {
  po_stand_gains stand;
  double cop_margin, cop_reach; /* how far outside the support its centre of pressure may lie */
  double observer;           /* s: time in which an unknown push is noticed; 0: never */
  double squat_low, squat_high, squat_period; /* squat_period 0: stand still */
} po_balance_params;
extern const po_param po_balance_param[];
extern const int po_balance_param_count;
extern const po_move_type po_balance_type; /* presets: stand, squat */

typedef struct po_balance {
  po_move move;
  po_balance_params params;
  po_posture o;
  /* what changes while it runs */
  int cycles;                /* squats done */
  int known;                 /* 1: the COM's velocity and plan of the last tick are */
  int handed;                /* another move was taken over: since when, and how far off the COM's height was then, and its rate (shares of standing) */
  double handed_at, off, off_rate;
  /* of the COM, across gravity: velocity at the last tick, acceleration planned there, acceleration that no plan accounts for */
  po_vec3 last_velocity, planned, push;
} po_balance;

/* po_move_new_of with the struct's own type; opts, params NULL: defaults. Free with po_move_free(&balance->move). */
po_status po_balance_new(po_balance **balance, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                         const po_balance_params *params, po_error *err);

/* ==== jumps (paper section 5) ========================================================================================== */

typedef enum po_jump_phase {
  PO_JUMP_STAND, PO_JUMP_COMPRESS, PO_JUMP_THRUST, PO_JUMP_ASCENT, PO_JUMP_DESCENT, PO_JUMP_IMPACT, PO_JUMP_RECOVER, PO_JUMP_DONE
} po_jump_phase;
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
  po_stand_gains stand;      /* of the other objectives */
} po_jump_params;
extern const po_param po_jump_param[];
extern const int po_jump_param_count;
extern const po_move_type po_jump_type; /* presets: jump-twist, jump-kick, jump-split, jump-forward */

typedef struct po_jump { /* what it plans, and what happened */
  /* the plan, made when compression begins */
  double crouch_height, takeoff_height, takeoff_speed, thrust_seconds, flight_seconds, flight_height;
  double forward_speed, lead; /* of the COM at take-off; of the feet before it at touchdown */
  double spin_inertia;       /* about the vertical, standing */
  int beyond_reach;          /* 1: the torques do not allow the height asked for; it jumps as high as it can */
  int twist_beyond_reach;    /* 1: nor the angle; it turns as far as it can */
  /* what happened */
  int landed[2], flat[2];    /* left, right: the foot has touched, with all of its sole */
  double apex_rise, start_heading, flown;
  double touchdown_speed;    /* m/s, down */
  double turned;             /* rad since compression began, whole turns counted */
  po_vec3 start;             /* centroid of the soles when it began */
  po_vec3 ankle_offset[2];   /* from the COM, in heading axes, while standing */
} po_jump;
const po_jump *po_jump_of(const po_move *move); /* NULL when the move is something else */

/* ==== walking (paper section 6, table 2) =============================================================================== */

typedef enum po_foot_state { PO_FOOT_SUPPORT, PO_FOOT_HEELOFF, PO_FOOT_SWING, PO_FOOT_PLANT } po_foot_state;
typedef enum po_walk_mode { PO_WALK_STAND, PO_WALK_SHIFT, PO_WALK_STEP, PO_WALK_STOP } po_walk_mode;
const char *po_foot_state_string(po_foot_state state); /* "support" "heeloff" "swing" "plant" */
const char *po_walk_mode_string(po_walk_mode mode);    /* "stand" "shift" "step" "stop" */

typedef struct po_walk_params {
  double speed;              /* m/s; T, l_step and dT are then as people's at that speed; 0: they are as they say */
  double T, l_step, l_side, h, l_foot, dT, l_hip, l_trunk; /* swing duration, step length (negative: backwards), way to the side a step, swing height, foot spread, double support, hip shift, lean */
  double head_deg;           /* pitch of the head, forward positive */
  double heading;            /* direction of travel, deg, left positive, 0 along x */
  double walk;               /* 1: walk, 0: come to a stand */
  double known;              /* 1: it may ask the terrain where it has not stood yet */
  double knee_deg;           /* more bend of the stance knee in the middle of a step than at rest */
  double push_deg;           /* how far a heel rises before its toe leaves */
  double hands;              /* weight of hands in the pockets; 0: arms are free */
  double footstep_feedback;  /* how much of the capture point's error the next foothold takes up; 0: the paper */
  double kp_com, kp_trunk, kp_height, weight_trunk, weight_swing, weight_arm_pose; /* gains and weights of the stack (walk_do.c) that change the gait */
  double cop_margin, spin;   /* COM accelerations that need a centre of pressure this far outside the support are not asked for, m; what of it damps rotation */
} po_walk_params;
extern const po_param po_walk_param[];
extern const int po_walk_param_count;
extern const po_move_type po_walk_type; /* presets: the styles */

typedef struct po_walk po_walk; /* its first member is a po_move */

/* What a walk does and has done; to be read. */
typedef struct po_walk_seen {
  po_walk_mode mode;
  int stance;                /* the foot that stays down: 0 left, 1 right */
  po_foot_state foot[2];     /* left, right, */
  double foot_time[2];       /* and s in it */
  double facing, north;      /* rad: heading in force, turns towards params.heading step by step; where heading 0 is: along x, or where the body faced when walking took over */
  double step_length, side, step_seconds, period; /* of the step under way, as planned: m, m, s; s that the last one took */
  double unrest;             /* 0 to 1: how far it is thrown off */
  double size;               /* of the legs, in those of the human */
  long steps;                /* strikes; of those after the second: */
  long step_count, lifts, heel_first; /* their number, feet that left, heels that left before their toes, */
  double length_sum, swing_sum, period_sum; /* m, s, s */
} po_walk_seen;
const po_walk_seen *po_walk_see(const po_move *walk);

po_status po_walk_new(po_walk **walk, const po_model *model, const po_terrain *terrain, const po_wbc_opts *opts,
                      const po_walk_params *params, po_error *err);
/* How long a body's legs are, in those of the human; within 2 % of it 1. legs: of the zero pose. */
double po_walk_size(const po_legs *legs);
/* T, l_step and dT of people who walk as fast, on legs of that size; speed in m/s of that body. */
void po_walk_params_pace(po_walk_params *params, double speed, double size);

/* ==== generalized biped walking control (Coros 2010, chapter 5): no optimization, any body, docs/gbwc.md ================= */

/* For a body of leg length 0.86 m; lengths, times and speeds scale with the leg, gains with mass and leg. Angles in degrees. */
#define PO_GBWC_KNOTS 4 /* of a curve: phases 0, 1/3, 2/3, 1 of a step */
typedef struct po_gbwc_params {
  double speed, side_speed;  /* m/s, forward and to the left */
  double step_time, step_height, step_width; /* s, m, m */
  double heading, walk, idle;
  double lean_deg, side_lean_deg, twist_deg, knee_deg; /* trunk, trunk, plane of the swinging leg, stance knee */
  double alpha;              /* s; < 0: chosen, T/(e^{ωT} − 1) */
  double gain_scale;
  double gravity_compensation, pendulum, velocity_tuning; /* parts, on or off */
  double arms_out_deg, elbow_deg; /* of both arms, constant */
  /* curves over a step: arms and ankles of the stance and the swing side, the trunk's pitch and twist towards the swing side */
  double shoulder[PO_GBWC_KNOTS], stance_ankle[PO_GBWC_KNOTS], swing_ankle[PO_GBWC_KNOTS], sway[PO_GBWC_KNOTS], pitch[PO_GBWC_KNOTS], turn[PO_GBWC_KNOTS];
} po_gbwc_params;
extern const po_param po_gbwc_param[];
extern const int po_gbwc_param_count;
extern const po_move_type po_gbwc_type; /* "gbwc"; presets: the styles in models/gaits/gbwc */

typedef enum po_gbwc_mode { PO_GBWC_STAND, PO_GBWC_WALK } po_gbwc_mode;
typedef struct po_gbwc_state { /* what changes while it walks */
  double mode_time;          /* s */
  double phase;              /* of the step, 0 … 1 */
  double pace;               /* time of this step, share of T */
  double facing;             /* heading in force, rad, whole turns counted */
  double north;              /* rad: where heading 0 is */
  double speed, side_speed;  /* in force, m/s of this body */
  double correction[2];      /* m/s added to what is asked of the next steps, from what the last ones gave */
  po_vec3 swing_start;       /* ankle of the swinging leg when the step began, world */
  po_vec3 swing_target;      /* where it is to be now, world */
  po_vec3 step_from;         /* COM when the step began, world */
  double step_seconds;       /* since it began */
  double unrest;             /* 0 … 1: how thrown off it is, by a push for one */
  double landing;            /* m: how much lower than level the hip was over the foot that landed */
  double swing_error;        /* m, at the last landing */
  double swing_error_sum, step_length_sum, period_sum;
  long steps, crossings;     /* what happened: steps; those that went around the stance leg */
  po_gbwc_mode mode;
  int stance;                /* 0 left, 1 right */
  int crossing;              /* the step under way goes around the stance leg */
} po_gbwc_state;
/* Of this move, or of the walker in a skill; NULL when there is none. */
const po_gbwc_state *po_gbwc_now(const po_move *move);
/* m from heel to toes; kg that the balance counts with at a hand. */
double po_gbwc_sole(const po_move *move);
double po_gbwc_carried(const po_move *move, int arm);
/* How much longer this body's times, and faster its speeds, are than the parameters say. */
double po_gbwc_scale(const po_move *move);
/* A link's orientation in data against the one it has at rest. */
po_mat3 po_gbwc_lean(const po_move *move, const po_data *data, int body);
/* Lets a step begin now, whatever went before: stance 0 left, 1 right. It depends on the body as the last tick (or po_move_enter) saw it and on the parameters alone: what
 * was learned of earlier steps is forgotten, and speeds are what is asked for, at most `change` (m/s, for a body of leg 0.86 m) from the body's own. PO_ERR_RANGE. */
po_status po_gbwc_begin_step(po_move *gbwc, int stance, double change);
/* The same with the heading `facing` (rad), and told where to end: further[0] (m) beyond its usual length, so that the next one may be further[1] longer than usual; NULL: as it
 * walks by itself. PO_ERR_RANGE, PO_ERR_STATE. */
po_status po_gbwc_step_to(po_move *gbwc, int stance, double facing, const double *further);
/* Lets the step that is under way go on with the speeds of the parameters at once. */
po_status po_gbwc_change_step(po_move *gbwc);
/* Applies a style: a built-in name ("plain", "crouch", …) or a path that ends in .json; parameters that it does not name keep their values. */
po_status po_gbwc_style_apply(po_gbwc_params *params, const char *style, po_error *err);

/* ==== skills: scripts over generalized walking (Coros 2010, section 5.5.4): docs/skills.md =============================== */

/* Over, under, up and down what is ahead; reach; push and pull; carry. A skill owns a walker on the same actor. Every tick its script sets speed, heading, lean, bend and drop
 * of the body and targets of the hands, every step the footholds; the walker keeps the balance. What lies on its way it sees in the terrain; things that move are told to it
 * before each tick by whoever simulates or measures (`thing` of its task), and `close` is what it wants its hands to do: whoever simulates closes them when they are near enough. */

/* A thing as it is now; world. Numbers only, as in the next: they are saved as they are. */
typedef struct po_skill_thing {
  double there;              /* 0: there is none */
  po_vec3 position, velocity; /* of its centre */
  double heading;            /* rad: which way its front faces; 0 along x */
  po_vec3 handle[2];         /* where the left and the right hand take it */
  double mass;               /* kg */
  double low;                /* m: height of its lowest point */
  double held[2];            /* 1: the hand holds it */
  po_vec3 pull[2];           /* N: what it pulls the hand with */
} po_skill_thing;

/* What is wanted of it; which of these count depends on the kind. */
typedef struct po_skill_goal {
  double hand;               /* 0: the nearer one, 1: left, 2: right */
  double pull;               /* crate: 1 to pull, 0 to push */
  double tug;                /* rad: how far the trunk goes back and forth while it pushes or pulls */
  double distance;           /* m: how far to push, pull or carry */
  double turn;               /* rad, left: how the way turns while carrying */
  double stop;               /* m along the first heading: stand there; 0: never */
  double hold;               /* s: how long to hold what was reached */
} po_skill_goal;

typedef struct po_skill_task {
  po_skill_thing thing;
  po_skill_goal goal;
  double close[2];           /* it wants: 1: the hand is to hold the thing, 0: to let go */
} po_skill_task;

extern const po_move_type po_course_type, po_reach_type, po_crate_type, po_carry_type; /* parameters: po_gbwc_params, how it walks when nothing is in its way */
/* Of a skill, to be told and to be asked; NULL when the move is something else. The following are of skills alone. */
po_skill_task *po_skill_task_of(po_move *move);
/* m from where it began, along its first heading. */
double po_skill_along(const po_move *skill, po_vec3 x);
typedef struct po_skill_heights { /* m over the ground */
  double bar;                /* the lowest underside of one that it can pass below */
  double lift;               /* how high hands lift a crate */
  double shoulder, reach;    /* of its shoulders; how high a hand gets */
} po_skill_heights;
po_skill_heights po_skill_heights_of(const po_move *skill);

/* ==== walking by a state machine of target angles (Yin, Loken, van de Panne 2007; Coros 2010, section 2.4): docs/simbicon.md ==== */

/* A gait is one or more states per step. A state plays knots of joint angles over its phase 0 … 1; PD motors follow; the swing hip is
 * corrected by c_d d + c_v v of the COM over the stance foot; the stance hip keeps the root upright. It ends on time or when the
 * swing foot strikes; after the last one the legs change roles. Nothing is solved, and nothing but joints is driven. */

#define PO_GAIT_STATES 4
#define PO_GAIT_TARGETS 64     /* of all states together */
#define PO_GAIT_PARTS 3        /* rotations that make a target */
#define PO_GAIT_GAINS 24
#define PO_GAIT_CURVE_KNOTS 16 /* of one curve */
#define PO_GAIT_KNOTS 640      /* of all */
#define PO_GAIT_NAME 32
#define PO_GAIT_PATH 256       /* a gait of a file is known by its path */

typedef struct po_gait_curve { int first, count; } po_gait_curve; /* knots of the pool */

/* A rotation about an axis, by an angle over the phase, corrected by where the COM is. */
typedef struct po_gait_part {
  po_vec3 axis;              /* x, y or z, or one of their opposites */
  int flip;                  /* 1, 2: the angle of the knots changes its sign while the left, the right foot is the stance foot; 0: never */
  po_gait_curve angle;       /* rad */
  double c_d, c_v;           /* rad/m, rad s/m: on d and v along x for a rotation about y, else along y; never flipped */
  double lower, upper;       /* the corrected angle stays within */
} po_gait_part;

typedef enum po_gait_side { PO_GAIT_MIDDLE, PO_GAIT_SWING, PO_GAIT_STANCE } po_gait_side;

typedef struct po_gait_target {
  char joint[PO_GAIT_NAME];  /* "hip" with a side, "neck" without; "root" */
  po_gait_side side;
  int in_heading;            /* 1: relative to the heading frame, 0: to the parent. A swing hip always is */
  int parts;
  int line, column;          /* where it stands in its file; 0: not from one */
  po_gait_part part[PO_GAIT_PARTS]; /* later ones on the left */
  po_gait_curve strength;    /* of its PD torque; no knots: 1 */
} po_gait_target;

typedef struct po_gait_state {
  double seconds;            /* T */
  int on_contact;            /* 1: ends when the swing foot carries weight after phase contact_from, at the latest at phase 1; 0: at phase 1 */
  double contact_from;
  int first, count;          /* targets */
} po_gait_state;

typedef struct po_gait_gain {
  char joint[PO_GAIT_NAME];  /* without its side */
  double kp, kd;
  po_vec3 scale;             /* per axis of the child's frame */
  int line, column;
} po_gait_gain;

typedef struct po_gait_table {
  char name[PO_GAIT_PATH], body[PO_GAIT_NAME], summary[160], made[160]; /* made: the command that searched it, or where it is from */
  int body_line, body_column;      /* where the body is named in its file */
  double start_speed, start_phase; /* m/s forward, phase of the first state: how a run begins */
  double hip_damping, hip_damping_cap; /* N m s²/rad², rad/s: of the pelvis over the stance thigh; 0: none */
  int states, targets, gains, knots;
  po_gait_state state[PO_GAIT_STATES];
  po_gait_target target[PO_GAIT_TARGETS];
  po_gait_gain gain[PO_GAIT_GAINS];
  double phase[PO_GAIT_KNOTS], value[PO_GAIT_KNOTS];
} po_gait_table;

/* Reads one; errors name the file, line and what is wrong: knots out of order, too many, gains below zero, unknown keys. */
po_status po_gait_parse(po_gait_table *gait, const char *text, size_t size, const char *file, po_error *err);
/* A built-in one of a body by name, or a file whose path ends in .json, which must be for that body. */
po_status po_gait_load(po_gait_table *gait, const char *body, const char *name, po_error *err);
/* Writes what po_gait_parse reads back. */
void po_gait_write(po_buffer *out, const po_gait_table *gait);

#define PO_SIMBICON_GAITS 16   /* of a move */

typedef struct po_simbicon_params {
  double heading;            /* deg, left positive */
  double feedback;           /* factor on all c_d, c_v */
  double gain_scale;         /* factor on all PD gains */
  double gait, other, blend; /* indices of its gaits; torques are (1 − blend) of the first and blend of the other, on a common phase */
  double side_deg;           /* side steps to the left: the swing leg is turned this much to the right, so that the body falls to the left */
  double lean_deg;           /* the root leans this much more forward */
} po_simbicon_params;
extern const po_param po_simbicon_param[];
extern const int po_simbicon_param_count;
extern const po_move_type po_simbicon_type;

/* A step that is bent away from its gait (docs/constrained-walking.md): rotations about y of trunk, swing thigh and stance foot or shank, over what the gait
 * wants. A gait of several states takes a knot for each state, one of a single state goes straight from knot to knot, evenly over its phase. */
#define PO_BEND_KNOTS 3
typedef struct po_step_bend {
  int knots;                 /* in use; 0: the gait as it is */
  int knee;                  /* 1: leg is of the stance knee, 0: of the stance ankle */
  double trunk[PO_BEND_KNOTS], hip[PO_BEND_KNOTS], leg[PO_BEND_KNOTS]; /* rad */
  double seconds;            /* that the first state lasts longer */
  double side, twist;        /* rad: swing leg outwards; trunk about the vertical, left positive while the left foot stands, else right */
  double grip;               /* > 0: hips turn the trunk about the vertical with no more than this share of the soles' loads, times the mean distance of the corners that bear, holds */
  double lift;               /* rad: toes of the swing foot up, until it has passed the other: over an edge they would catch */
} po_step_bend;

typedef struct po_simbicon_state { /* what changes while it walks */
  double blend;              /* of the gaits in force, first and second: taken from the parameters at the beginning of a step */
  double phase;              /* 0 … 1 within the state */
  double facing;             /* rad: heading in force, follows params.heading by at most so much a step */
  po_vec3 d, v;              /* COM over the stance foot and its velocity, heading frame, at the last tick */
  po_step_bend bend;         /* of the step under way and those after it */
  long steps;                /* stance changes so far */
  int first, second;
  int state;                 /* of the first */
  int stance;                /* 0 left, 1 right */
} po_simbicon_state;
/* NULL when the move is something else, as the next. The others refuse it: PO_ERR_MODEL. */
const po_simbicon_state *po_simbicon_now(const po_move *move);
po_step_bend *po_simbicon_bend(po_move *move); /* to be set at a strike */

/* Its gaits: those that are built in for the body's name, then those added. Makes a gait known to the move, checked against its body; returns its index in *index. */
po_status po_simbicon_add(int *index, po_move *simbicon, const po_gait_table *gait, po_error *err);
/* Replaces one by another of the same body: a search does. */
po_status po_simbicon_replace(po_move *simbicon, int index, const po_gait_table *gait, po_error *err);
const po_gait_table *po_simbicon_gait_at(const po_move *simbicon, int index); /* NULL: none */
int po_simbicon_find(const po_move *simbicon, const char *name); /* −1: none */
/* What the parameter gait = −1 stands for: "walk", or the first, until something else is chosen. PO_ERR_RANGE. */
po_status po_simbicon_choose(po_move *simbicon, int index);
/* The state in which the gait `index` begins (−1: the chosen one): joints as its targets at start_phase are, the stance (left) leg at rest with its sole level on flat
 * ground at z = 0, moving forward at start_speed. */
po_status po_simbicon_start(double *q, double *v, const po_move *simbicon, int index, po_error *err);
/* Lets a step begin now, whatever went before: stance 0 left, 1 right; facing (rad) is the heading in force at once, phase where the first state begins; gait, other and
 * blend are taken from the parameters. Policies that choose a gait at every strike, and rollouts of single steps, begin theirs so. PO_ERR_RANGE, PO_ERR_STATE: no gait. */
po_status po_simbicon_begin_step(po_move *simbicon, int stance, double facing, double phase);
/* Lets the step that is under way go on in the gaits of the parameters, at its state and phase. PO_ERR_STATE: no gait, or the first of them has no such state; it goes on as it was. */
po_status po_simbicon_change_step(po_move *simbicon);

/* ==== following a motion (Ye & Liu 2010): docs/tracking.md ============================================================== */

typedef struct po_track_params {
  double hz;                 /* frames of the plan, 1/s; with it mu_plan, w_a, w_b, index are read when the move is made */
  double time;               /* 1: the end's time is free */
  double index;              /* 0: the paper's t_c and t_d; 1: one phase */
  double footholds;          /* 1: a swinging foot follows the goal */
  double compliance;         /* of the end; 0: hard */
  double replan;             /* plans a second, or 0; 0 when the move is made: there will be none */
  double overlap;            /* frames; read when the move is made */
  double stair, step_change; /* m: of each segment from change_from on, change_count times */
  double change_from, change_count;
  double anticipate;         /* 0: the goal stays, and the reference is offset linearly to it */
  double w_a, w_b, w1, w2, w3;
  double levels, known_push;
  double mu;                 /* of the ground: read by who lays it */
  double mu_plan;
  char motion[256];          /* a built-in name or a file; "": walk */
} po_track_params;
extern const po_param po_track_param[];
extern const int po_track_param_count;
extern const po_move_type po_track_type; /* "track" */

/* What happened. Momenta are told as shares of m √(g l) and of that times l. */
typedef struct po_track_figures {
  long segments;             /* done */
  double frames_nominal, frames_change, frames_change_sum; /* of all; of the one that differs most; the sum */
  double goal_error, com_error, speed_error; /* largest at ends of segments; of the last one, m and m/s */
  double am_peak, force_peak, force_square, force_seconds; /* kg m²/s; N; N² s and s, for the root mean square */
  double cone_violation;     /* N */
  double momentum_error;     /* momentum of the body less the plan's, relative */
  double foot_slip, joint_error, limit_excess, foothold_shift, com_lag;
  double torque_share;       /* largest of its limit, by torques */
  double late;               /* how long the present segment takes, in units of its own frames */
  long replans, replans_lost; /* plans solved anew; of these not to the end */
  long iterations;           /* most of a plan */
} po_track_figures;

/* NULL when the move is something else. The following are of tracking alone. */
const po_track_figures *po_track_figures_of(const po_move *move);
/* Seconds, with a clock: of a tick in the mean; of the longest plan, made while running (replan > 0) or ahead. NaN: unknown. */
void po_track_seconds(double *tick, double *plan, const po_move *track);
/* What is planned now: segments done and the share of this one; the sum of contact forces and their centre of pressure; where the COM is to be at the segment's end;
 * where the foot that steps in it is to land (its middle; without one below the goal). World. */
void po_track_view(double *phase, po_vec3 *force, po_vec3 *at, po_vec3 *goal, po_vec3 *foothold, const po_move *track);
/* q and v of the motion's first frame: where a body must be to begin. */
void po_track_begin_state(double *q, double *v, const po_move *track);

/* ==== turning over (Al Borno, Fiume, Hertzmann, de Lasa 2014) ============================================================ */

/* Times are in beats, sqrt(h/g) of the standing COM height h (0.32 s for people), lengths in h where no unit is said, so that they hold for any body. */
typedef struct po_takeoff_params {
  double crouch, thrust, extend, crouch_time; /* COM height at the bottom (0: from the thrust's acceleration, in g), at leaving; s */
  double late, heels;        /* share of the thrust that makes the momentum; after which heels may rise */
  double shift, travel, level; /* COM ahead beyond what the formula says; weights of the speed across and of a pelvis that does not roll */
} po_takeoff_params;
typedef struct po_airborne_params { double kp_air, level_air; } po_airborne_params;
typedef struct po_landing_params {
  double touch, lead;        /* COM to soles at touchdown; share of the capture point's offset that the feet take up */
  double brake, lowest, rise_time; /* g; lowest COM height; s */
  double kp_capture, kp_turn, kp_tilt, margin; /* 1/s; the centre of pressure stays so far inside the soles */
  double steps, swing;       /* 1: steps where it has to; time of one */
} po_landing_params;

typedef struct po_land_params { po_landing_params landing; } po_land_params;

typedef struct po_flip_params {
  double apex, distance, inertia; /* m of the COM over standing; m of the landing, forward positive; in the air, share of standing */
  double wait, phase_by, forward; /* s; a po_phase_by; 1: a frontflip */
  double theta_off_deg, theta_land_deg, inertia_land, feet_time; /* trunk at take-off and touchdown; share of standing; beats before touchdown */
  double split_deg;          /* > 0: legs so far apart, the left one ahead, in place of a tuck */
  po_takeoff_params takeoff;
  po_airborne_params air;
  po_landing_params landing;
} po_flip_params;

typedef struct po_dive_params {
  double revolutions, back, shape, hands, twists; /* whole turns before the half to head first; 1: backwards; 0 tuck 1 pike 2 straight; 1: from an armstand; halves */
  double water, wait, phase_by; /* m, world; s; a po_phase_by */
  double rise, away, lean, hold; /* m of the COM over standing; m/s away from the platform, and when the thrust begins; beats before entry in which the body is straight */
  double theta_off_deg, entry_deg;
  po_takeoff_params takeoff;
  po_airborne_params air;
} po_dive_params;

typedef struct po_pirouette_params {
  double momentum, right, wait; /* kg m²/s about the vertical; 1: to the right; s */
  double beats, drive, wound_deg, over; /* sqrt(h/g): it turns as far as the momentum brings it in so many; time of the drive. Trunk turned back before; COM on the toe */
  double kp_tip, k_tip, abort; /* 1/s², 1/s: balance on the toe; capture point off it, in standing heights, at which the other foot comes down */
  po_landing_params landing;
} po_pirouette_params;

typedef struct po_cartwheel_params {
  double right, nu, straddle_deg, hand_distance, stance; /* 1: to the right; speed factor; legs upside down; m between the hands; m between the feet */
  double nominal_rate_deg;   /* what nu = 1 stands for, deg/s */
  double wait, phase_by;     /* s; a po_phase_by */
  double turn, travel, dip, down, top, reach, short_of, bend; /* momentum and speed of nu = 1; COM heights going down, coming up and on the hands; where hand and foot come down; rad */
  po_landing_params landing;
} po_cartwheel_params;

typedef struct po_handspring_params {
  double apex, wait, phase_by; /* m of the COM over standing; s; a po_phase_by */
  double turn, away, lean;   /* to leave with: momentum in m h sqrt(g h), speed backwards in sqrt(g h); toppling speed before */
  double hands_height, short_hands, short_feet; /* COM height as the hands come down; hands and feet short of the capture point */
  po_takeoff_params takeoff;
  po_airborne_params air;
  po_landing_params landing;
} po_handspring_params;

typedef struct po_handstand_params { double hold, kp_capture, kp_turn, kp_tilt; } po_handstand_params; /* s on the hands; 1/beat: rates of balance, see its table */

extern const po_param po_handstand_param[];
extern const int po_handstand_param_count;
extern const po_param po_land_param[], po_flip_param[], po_dive_param[], po_pirouette_param[], po_cartwheel_param[], po_handspring_param[];
extern const int po_land_param_count, po_flip_param_count, po_dive_param_count, po_pirouette_param_count, po_cartwheel_param_count, po_handspring_param_count;
extern const po_move_type po_land_type; /* "land": brings a body that falls, turning, to stand */
extern const po_move_type po_flip_type; /* "backflip"; presets frontflip, front-aerial */
extern const po_move_type po_cartwheel_type; /* "cartwheel": over the hands, to the side */
extern const po_move_type po_handspring_type; /* "back-handspring": over the hands, backwards */
extern const po_move_type po_handstand_type; /* "handstand": stands on the hands it is on */
extern const po_move_type po_dive_type; /* "dive": from a platform, or from an armstand on it, into water */

extern const po_move_type po_pirouette_type; /* "pirouette": turns about the vertical on one toe */

/* What a movement that turns over knows about itself. */
typedef struct po_turning {
  po_phase phase;            /* how far it has turned */
  double momentum_wanted, theta_planned; /* to leave with, kg m²/s; at landing, rad */
  double left;               /* s of flight, while it flies */
  int steps;                 /* taken to come to stand */
  int beyond_reach;          /* 1: torques do not suffice for what was asked */
  char reason[120];          /* why */
} po_turning;
/* NULL when the move is something else. */
const po_turning *po_turning_of(const po_move *move);

/* ==== styles: walking parameters as data, a flat JSON object per style ================================================ */

/* Applies a style to params: a built-in name ("normal", "fast", "slow", "sad"), or a path that ends in .json. Parameters it does not name keep their
 * values. Errors name the file, line and parameter. */
po_status po_style_apply(po_walk_params *params, const char *style, po_error *err);

/* ==== placing ========================================================================================================== */

/* q for a body standing on the terrain at (x, y) turned by heading (rad): soles on the surface, trunk upright, COM over the centroid of
 * its soles at `height` times its zero-pose height, or as much lower as the shorter leg needs. Temporaries come from the allocator. */
po_status po_stand_pose(double *q, const po_model *model, const po_terrain *terrain, double x, double y, double heading, double height,
                        po_error *err);
/* The same with the middles of its soles `stance` (m) apart; 0: as in the zero pose. */
po_status po_stand_pose_apart(double *q, const po_model *model, const po_terrain *terrain, double x, double y, double heading, double height,
                              double stance, po_error *err);
/* q for a body straight on its hands, head down: palms on the terrain below, their middle at (x, y), the COM above it; upright it would face `heading` (rad). */
po_status po_handstand_pose(double *q, const po_model *model, const po_terrain *terrain, double x, double y, double heading, po_error *err);

#ifdef __cplusplus
}
#endif
#endif
