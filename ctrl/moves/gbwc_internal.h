/* gbwc_internal.h: what the files of generalized walking control share. Section and equation numbers are Coros 2010, chapter 5. */
#ifndef PO_GBWC_INTERNAL_H
#define PO_GBWC_INTERNAL_H

#include "moves.h"

/* What a joint is to the controller: how it is driven and how stiffly. */
typedef enum gbwc_role {
  GBWC_ROOT, GBWC_TRUNK, GBWC_HEAD, GBWC_SHOULDER, GBWC_ELBOW, GBWC_HIP, GBWC_KNEE, GBWC_ANKLE, GBWC_TOE, GBWC_OTHER, GBWC_ROLES
} gbwc_role;

/* What a skill asks of the walk beyond its parameters, set before each tick (docs/skills.md). All zero: nothing. Numbers only, since it is saved as they are. */
typedef struct po_gbwc_hand {
  double weight;             /* 0: the arm swings as the style says … 1: the hand goes to its target */
  po_vec3 target, velocity;  /* world */
  double elbow;              /* rad: how far the elbow is turned outwards from below the line from shoulder to hand */
  double mass;               /* kg that hangs at the hand: it counts in the COM, and arm, trunk and legs carry it */
  po_vec3 load;              /* N, world: what else is to pull at the hand: arm and trunk hold against it; */
  po_vec3 felt;              /* and what does: the balance counts with it */
} po_gbwc_hand;

#define PO_GBWC_PATH 5 /* knots of a swing over an edge: four Catmull-Rom segments */
typedef struct po_gbwc_path {
  double on, step;           /* 1: it is for the step of this number (po_gbwc.steps) */
  po_vec3 along;             /* unit: the way that places are measured on */
  double foothold;           /* m along it: where the ankle is to land, */
  double low, high;          /* and where it may */
  double ground;             /* m: height of the ground there */
  double speed, next;        /* m/s that this step and the next one are planned with */
  double place[PO_GBWC_PATH], height[PO_GBWC_PATH], phase[PO_GBWC_PATH]; /* the ankle's knots; the last place is where it lands */
  double sight;              /* 1: something high is ahead */
  double over, aside;        /* 1: this step goes over something high; with the leg that was left behind it, which is lifted sideways */
  double longest;            /* m: of the steps before, now and next: the hip keeps the height that this one asks for */
  double drop[2];            /* m: how much lower than level the hip is at the beginning and at the end of the step */
  double behind;             /* m: how much higher than the stance foot the one stands that leaves now */
} po_gbwc_path;

typedef struct po_gbwc_skill {
  po_gbwc_hand hand[2];
  double bend;               /* rad: how far the thorax is bent forward beyond the pelvis */
  double drop;               /* m: how much lower than usual the hip is */
  double brace;              /* how much stiffer than usual the trunk is held, share of it */
  po_gbwc_path path;
} po_gbwc_skill;

/* Two links joined by a hinge: thigh and shank, upper arm and forearm. */
typedef struct po_gbwc_limb {
  po_vec3 line, axis;        /* of the upper link, of the hinge, in the upper link's axes */
  double upper, lower;       /* m: lengths, seen along the hinge: what lies along it does not change as it bends */
  double bend;               /* rad: at the zero pose, about the axis */
} po_gbwc_limb;

typedef struct po_gbwc {
  po_move move;
  po_gbwc_params params;
  po_gbwc_state now;         /* with what a skill asks for one block: */
  po_gbwc_skill skill;
  /* the body: scales over the body of 0.86 m and 70.4 kg, parts, gains per joint, subtrees */
  double leg, length, time_scale, stiffness, damping, mass_share;
  double ankle_height, hip_width;
  po_gbwc_limb legs[2], arms[2]; /* an arm's upper 0: there is none */
  po_vec3 hand[2];           /* in forearm axes */
  double *kp, *kd;           /* [nb] */
  double *inertia;           /* [nv] of what a freedom moves, at the zero pose */
  po_mat3 *rest;             /* [nb] orientations at the zero pose */
  double *subtree_mass;      /* [nb] */
  po_vec3 *subtree_moment;   /* [nb] mass times COM, world */
  unsigned char *role;       /* [nb] */
  double heel, toe;          /* m: how far the sole reaches behind and before the ankle */
  double sole_half;          /* m: and to its sides */
  double tilt_most;          /* rad: a shank that leans farther forward takes the toes down, since the ankle bends no more */
} po_gbwc;
_Static_assert(offsetof(po_gbwc, skill) == offsetof(po_gbwc, now) + sizeof(po_gbwc_state), "a state is one block");

/* The centre of pressure goes where it draws errors of the point of rest back, e' = -k w e, on so much of the sole. */
#define PO_GBWC_RETURN 0.5 /* k: how much faster than the pendulum grows, per unit of its own rate */
#define PO_GBWC_SOLE 0.8   /* share of the sole that the centre of pressure may use */

/* What a tick sees. The character's frame C has z up and x along the pelvis' heading (5.3.1). */
typedef struct gbwc_view {
  double dt;
  double heading, co, si;
  double asked, asked_side;  /* m/s of this body: V_d and its side part, with the steps' corrections */
  double height, omega;      /* of the COM over the sole it stands on; sqrt(g/height) */
  double ground;             /* height of the terrain below the stance foot */
  double period, swing_time; /* T of this body; of the step under way */
  double width;              /* between the feet of the steps to come: whoever is to stand puts them below the hips */
  double mass;               /* with what is carried */
  po_vec3 com, velocity;     /* of all that; world; in C */
  po_vec3 ankle[2];          /* world */
  po_feel feel[2];
  double share[2];           /* of the weight that each foot carries; 0, 0: none touches */
  int stance, swing;
} gbwc_view;

static inline po_vec3 po_gbwc_to_world(const gbwc_view *w, po_vec3 c) { return po_v3(w->co * c.x - w->si * c.y, w->si * c.x + w->co * c.y, c.z); }
static inline po_vec3 po_gbwc_to_frame(const gbwc_view *w, po_vec3 x) { return po_v3(w->co * x.x + w->si * x.y, -w->si * x.x + w->co * x.y, x.z); }
/* +1 when the swinging foot is the left one: the direction of its side along C's y. */
static inline double po_gbwc_side(const gbwc_view *w) { return w->swing == 0 ? 1.0 : -1.0; }

po_gbwc *po_skill_walker(const po_move *move);                                /* skill.c: of a skill, or NULL */

/* gbwc.c */
po_gbwc *po_gbwc_of(const po_move *move); /* NULL when the move is something else */
/* Tells the step that has just begun where to end, on level ground: its ankle lands `length` (m) ahead of the stance ankle, along the heading in force, when the body comes along so
 * that the next step may be `next` (m) long; the sole swings over `clearance` (m). PO_ERR_STATE: it stands. PO_ERR_RANGE: longer than the leg. */
po_status po_gbwc_path_to(po_gbwc *gbwc, double length, double next, double clearance);
/* Torque kp e + kd (rate − w) of a body's joint towards an orientation in the world, added to tau; strength scales both gains. */
void po_gbwc_drive(po_gbwc *g, double *tau, int body, po_mat3 wanted, po_vec3 rate, double strength, const gbwc_view *w);
double po_gbwc_curve(const double knot[PO_GBWC_KNOTS], double phase);
double po_gbwc_hurry(const po_gbwc *g, const gbwc_view *w); /* how many times faster than planned the step under way goes */

#define PO_GBWC_IDLE_SHIFT 2.5 /* s, for the body of 0.86 m: between shifts of the weight of who idles */
double po_gbwc_idle_side(const po_gbwc *g); /* −1 … 1: on which leg the weight of who idles is to be, left positive */

/* gbwc_limb.c: two-link inverse kinematics, of legs and arms. */
/* R: the upper link's orientation; axis, upper, lower: hinge, and from end to end of the links, world. */
void po_gbwc_limb_measure(po_gbwc_limb *limb, po_mat3 R, po_vec3 axis, po_vec3 upper, po_vec3 lower);
double po_gbwc_limb_bend(const po_gbwc_limb *limb, double D2);                /* rad: of the hinge, when the ends are sqrt(D2) apart */
double po_gbwc_limb_lead(const po_gbwc_limb *limb, double D);                 /* rad: between the upper link and the line from end to end, when they are D apart */
po_mat3 po_gbwc_limb_pose(const po_gbwc_limb *limb, po_vec3 line, po_vec3 axis); /* of the upper link, when it lies along `line` and the hinge along `axis` */

/* gbwc_swing.c: the swinging leg. */
po_vec3 po_gbwc_pendulum(const po_gbwc *g, const gbwc_view *w); /* 5.3.2: where the next foot belongs, in C, from the stance ankle */
double po_gbwc_alpha(const po_gbwc *g, const gbwc_view *w);
void po_gbwc_swing_leg(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w);
void po_gbwc_keep_foot(po_gbwc *g, double *tau, const gbwc_view *w, int leg); /* of who stands */
/* Two-link IK: the thigh's orientation in the world and the knee's angle that bring the ankle from hip to target; normal: of the leg's plane, to the left. */
void po_gbwc_leg_ik(const po_gbwc *g, int leg, po_vec3 hip, po_vec3 target, po_vec3 normal, po_mat3 *thigh, double *knee);

/* gbwc_arms.c: hands that go somewhere and hold something. */
void po_gbwc_measure_arm(po_gbwc *g, int arm);                                /* data holds the zero pose */
po_vec3 po_gbwc_hand_position(const po_gbwc *g, int arm);
po_vec3 po_gbwc_hand_velocity(const po_gbwc *g, int arm);
/* The upper arm's orientation in the world and the elbow's angle that bring the hand from the shoulder to the target. */
void po_gbwc_arm_ik(const po_gbwc *g, int arm, po_vec3 shoulder, po_vec3 target, double elbow, const gbwc_view *w, po_mat3 *upper, double *bend);
void po_gbwc_reach(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w, int arm); /* drives the arm to its hand's target, with the hand's weight */
void po_gbwc_hold(const po_gbwc *g, double *tau);                             /* arms and trunk against what pulls at the hands */
double po_gbwc_whole(po_vec3 *com, po_vec3 *velocity, const po_gbwc *g);      /* mass, COM and its velocity, world, with what hangs at the hands */
void po_gbwc_carry(const po_gbwc *g, gbwc_view *w);                           /* the same as a tick sees it, with what pulls at the hands */

/* gbwc_path.c: footholds and swings over edges. */
void po_gbwc_measure_sole(po_gbwc *g);                                        /* data holds the zero pose */
int po_gbwc_path_active(const po_gbwc *g);                                    /* the step under way has one */
po_vec3 po_gbwc_path_goal(const po_gbwc *g, po_vec3 goal);                    /* the pendulum's goal, moved to where the foot may stand */
po_vec3 po_gbwc_path_at(const po_gbwc *g, const gbwc_view *w, po_vec3 goal, double phase);
po_vec3 po_gbwc_path_normal(const po_gbwc *g, po_vec3 normal, po_vec3 hip, po_vec3 ankle); /* of the leg's plane: the knee goes out sideways where it has to */
int po_gbwc_path_high(const po_gbwc *g);                                      /* the step under way goes over something high */
int po_gbwc_path_free(const po_gbwc *g);                                      /* and the body is not to be held back any more */
double po_gbwc_path_pace(const po_gbwc *g, const gbwc_view *w);               /* how much faster the step's clock goes so that the body comes along */
double po_gbwc_path_rate(const po_gbwc *g, const gbwc_view *w);               /* by which clock the ankle is driven ahead of where it is to be */
double po_gbwc_drop(const po_gbwc *g);                                        /* m: of the hip, now */
double po_gbwc_hip_drop(const po_gbwc *g);                                    /* rad: of the pelvis, on the side of a foot that steps down */
double po_gbwc_heel_rise(const po_gbwc *g, int leg);                          /* rad: of a stance foot whose shank leans farther than the ankle bends */
/* Plans the step under way: looks at the ground ahead along the heading and chooses footholds. speed: m/s; 0 steps are planned where all is level. */
void po_gbwc_path_plan(po_gbwc *g, double speed, double clearance);

/* gbwc_balance.c: what the stance legs do. */
void po_gbwc_subtrees(po_gbwc *g);                                            /* masses and moments of all subtrees, as the body is now */
void po_gbwc_gravity(const po_gbwc *g, double *tau, const gbwc_view *w);      /* 5.3.4 */
po_vec3 po_gbwc_rest_error(const po_gbwc *g, const gbwc_view *w);             /* m, in C: of the point of rest, against where it should be now */
void po_gbwc_plan_shares(const po_gbwc *g, gbwc_view *w);                     /* of who stands on both feet */
po_vec3 po_gbwc_tuning_force(const po_gbwc *g, const gbwc_view *w);           /* 5.3.3: F_V, world */
void po_gbwc_force_torques(const po_gbwc *g, double *tau, po_vec3 *root, int leg, po_vec3 force); /* tau_V = J_V' F_V; the hip's part goes to the root */
double po_gbwc_limit_ankle(const po_gbwc *g, double *tau, int leg, const gbwc_view *w); /* m: how far from the centre of pressure the sole bears, in the mean */
double po_gbwc_low_landing(const po_gbwc *g, int leg, const gbwc_view *w);    /* m: how much lower than level the hip is over that foot */
void po_gbwc_stance_legs(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w);
void po_gbwc_root(po_gbwc *g, double *tau, po_vec3 feedforward, double spread, const gbwc_view *w); /* 2.4: stance hips make up the torque that the pelvis is to have */

#endif
