/* simbicon.h: walking by a state machine of target angles (Yin, Loken, van de Panne 2007; Coros 2010, section 2.4).
 *
 *   gaits         po_gait_table  po_gait_value  po_gait_parse  po_gait_write  po_gait_load: controllers as data, models/gaits/BODY/NAME.json
 *   the move      po_simbicon_type  po_simbicon_now  po_simbicon_bend  po_simbicon_add  po_simbicon_replace  po_simbicon_gait_at  po_simbicon_find
 *                 po_simbicon_choose  po_simbicon_start  po_simbicon_begin_step
 *
 * A gait is one or more states per step. A state plays knots of joint angles over its phase 0 … 1; PD motors follow; the swing hip is
 * corrected by c_d d + c_v v of the COM over the stance foot; the stance hip keeps the root upright. It ends on time or when the
 * swing foot strikes; after the last one the legs change roles. Nothing is solved, and nothing but joints is driven (docs/simbicon.md).
 */
#ifndef PO_SIMBICON_H
#define PO_SIMBICON_H

#include "../ctrl.h"
#include "moves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== gaits ============================================================================================================ */

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
/* A curve at a phase: Catmull-Rom through uneven knots, one-sided at the ends, constant outside. No knots: `none`. */
double po_gait_value(const po_gait_table *gait, po_gait_curve curve, double phase, double none);

/* ==== the move ========================================================================================================= */

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

#ifdef __cplusplus
}
#endif
#endif
