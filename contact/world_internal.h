/* world_internal.h (room-internal): how a world is built inside.
 *
 * Ports. What constraints see of a character are its *ports*: the six-dimensional velocity (angular; linear at the character's origin)
 * of every body that is touched or pulled (of a planar character: its three components), and the rate of every joint limit that is near. With P the matrix from v to all port velocities,
 *   y = P v,   Omega = P M^-1 P',
 * an impulse pi on the ports changes y by Omega pi and v by M^-1 P' pi. P is never formed (rbd.h). A free body has one port, its own velocity
 * at its centre of mass, in world axes; the ports of an articulated character are in the axes of its base.
 *
 * Constraints. A contact (3 rows: normal and two tangents; 2 where the second tangent has no mobility), a joint limit or a spring (1 row) grips one or two characters; a grip has a port
 * and W, what a unit impulse of each row does there. So u = sum W y, and the Delassus matrix is A = sum W Omega W'.
 */
#ifndef PO_WORLD_INTERNAL_H
#define PO_WORLD_INTERNAL_H

#include "collide.h"
#include "lcp_internal.h"

/* A joint limit becomes a row when it is nearer than this, or will be passed within the step. */
#define PO_LIMIT_NEAR 0.01
/* Penetration (of contacts: beyond the slop; of limits: beyond this) is worked off by this share per step, so that it ends softly. */
#define PO_RECOVERY_SHARE 0.2
#define PO_LIMIT_SLOP 1e-3
/* Rates (rad/s times dt) beyond which velocity terms are taken at the middle of the step (in flight), and the energy that integration makes of a
 * body that is held is watched; and the share of its kinetic energy that it may make before it is taken back. */
#define PO_FAST_RATE 0.005
#define PO_GOVERN_SHARE 0.005
/* Of a body that nothing holds, at most this share of the joints' kinetic energy is given or taken in one step to keep the total. */
#define PO_GOVERN_STEP 0.1
/* Joints that have a smaller share of the kinetic energy than this are at rest: rounding, not motion. */
#define PO_GOVERN_LEAST 1e-12
#define PO_MAX_STEP 0.1
/* A step whose momentum comes out wrong by more than this share of the weight's is tried again. */
#define PO_AGAIN_SHARE 3e-3
/* But not when joints turn farther than this (rad) in it: there the velocity that a try ends with says nothing about a better one. */
#define PO_AGAIN_RATE 0.2
/* Axes that are parallel, or lie in a plane, to this are so but for rounding. */
#define PO_PLANE_TOLERANCE 1e-12

typedef struct po_character_sum {   /* momentum of a character as its data holds it */
  po_vec3 P, L, com;                /* linear; angular about the COM; COM */
  po_mat3 I;                        /* of the whole, frozen, about the COM */
} po_character_sum;

typedef struct po_character {
  const po_model *model;
  po_data data, user_data;          /* the world's own; what po_world_data hands out */
  double *q, *v, *tau;
  double *q1, *v1, *qdd, *work;     /* of the step under way: v1 begins as the unconstrained velocity */
  double *torque;                   /* tau after clamping */
  double *added;                    /* dt × damping */
  double *q_seen, *v_seen;          /* state at which data holds kinematics; q_seen[0] is NaN when it holds none */
  int planar;                       /* all its joints move within one plane, that of its ports */
  po_vec3 *force, *moment;          /* per body: pending external force, and moment about the world's origin */
  po_vec6 *f_ext;
  int forced, damped, rotors, self, free, given, fast; /* rotors: some joint has an armature */
  int parked;                       /* 1: it takes no part in steps */
  int held;                         /* 1: contacts, limits or springs pushed it in the last step */
  int pushed, bounced;              /* the same of this step; an impact changed its velocity in this step */
  int drifts;                       /* this step's dynamics are taken at the middle of the step, where half a step at v leads */
  double *mu, *restitution;         /* per body */
  double *limit_impulse;            /* nv */
  po_solid *solid;                  /* shapes where they are */
  po_bounds *solid_bounds;
  double *solid_reach;              /* how far each can get within the step */
  po_bounds bounds;
  unsigned char *skip;              /* [nb·nb] pairs of links that never collide */
  /* ports */
  po_ports ports;                   /* of a free body: one, its own velocity at its centre of mass, in world axes */
  double *y, *y_move, *pi;          /* port velocities; what acceleration adds to them; impulses of the step */
  double *gather;                   /* [ld] scratch: impulses of a group at the ports */
  int gathers;
  double *y_start;                  /* y before forces act: that of v_start */
  double *v_start;                  /* v after impacts; the base's linear part in the axes of the solve */
  double *v_end;                    /* that of the middle of the step, as far as it is known beforehand; then the one a try ends with */
  int failed, again, was_pushed;    /* a first try went wrong; this is a second one (2: on its way); in the first, something pushed it */
  po_quat turn;                     /* the base's attitude at which the solve takes its axes */
  double *recover;                  /* velocity that works off penetration: nv, or a free body's (w, v_com) */
  int recovers;
  po_vec3 recovered;                /* its momentum, of a body that floats */
  /* a free body */
  double mass;
  po_vec3 com_body, com;            /* in body axes; in the world */
  po_mat3 I_body, Iinv_body, R, I, Iinv;
  int round;                        /* the inertia is the same about every axis */
  /* sums of the step */
  po_vec3 momentum, spin;           /* linear; angular about the COM: at the start */
  po_character_sum goal, sum;       /* P and L that it must have at the end; what it has */
  po_vec3 com_start;
  double booked;                    /* kinetic and potential energy as the last step left it */
  double energy, energy1;           /* the same at the start of this step, and at its end */
  double power;                     /* of external forces, at the start */
  double excess, peak;              /* energy that integration has made and that is not yet taken back; largest kinetic energy while it is watched */
  void *block;                      /* its memory, when the world owns it */
} po_character;

typedef struct po_grip {
  int character, port, width;       /* width: 6 for a body (3 of a planar one), 1 for a limit */
  double W[3][6], G[3][6];          /* G = Omega W, of a free body only */
} po_grip;

typedef enum po_constraint_kind { PO_HOLD_CONTACT, PO_HOLD_LIMIT, PO_HOLD_SPRING } po_constraint_kind;
typedef struct po_constraint {
  po_constraint_kind kind;
  int dim, sides, index, group;     /* index: contact, dof, or spring */
  int part;                         /* which axis of a spring of length zero */
  int level;                        /* distance from the terrain in the contact graph */
  po_grip side[2];
  po_vec3 axis[3];                  /* contact: normal, tangents */
  double D[9], Dinv[9];             /* own block, and G of the grips: only what is swept needs them */
  int regular, prepared, all_free;  /* all_free: a contact that grips free bodies only */
  double mu, cfm, lo, hi;
  double bias;                      /* first row: u + bias (+ cfm p) is what must be complementary */
  double recover;                   /* first row: speed at which penetration is worked off; 0: none */
  double restitution;               /* > 0: bounces in this step */
  double damper;                    /* of a spring: its damping */
  double p[3], impact[3], u0[3];
  double before[3];                 /* u before forces act */
} po_constraint;

typedef struct po_group {
  int first, count;                 /* rows, as listed in world->order */
  int contacts, unknowns, bounces, recovers;
} po_group;

typedef struct po_grasp_entry {
  po_grasp at;
  int spring[2];                    /* of the world; both are off while it is open */
  int closed, torn;
  double force_max, stretch_max;
} po_grasp_entry;

struct po_world {
  po_world_opts opts;
  int owned;                        /* memory comes from po_alloc */
  double time, last_dt;
  uint64_t steps;
  int count, capacity;
  po_character **character;
  /* contacts of this step and of the one before */
  int max_contacts, contacts, old_contacts;
  po_contact *contact, *old_contact;
  po_vec3 *warm, *old_warm;         /* impulses of the contact solve alone, in the world */
  int springs, max_springs;
  po_spring *spring;
  po_vec3 *spring_warm;
  int grasps, max_grasps;
  po_grasp_entry *grasp;
  /* rows */
  int max_rows, rows;
  po_constraint *row;
  int *order, *root;                /* rows by group; union-find over characters */
  int groups, max_groups;
  po_group *group;
  int max_clamps, clamps;
  po_torque_clamp *clamp;
  int (*pair)[2];
  int max_pairs, max_dense, total_ports; /* total_ports: of all characters, at most */
  po_bounds *bounds;
  po_arena scratch;
  po_energy energy, work;           /* sums up to now; those of this step, added when it is committed */
  double stored;                    /* in springs, at the end of the last step */
  po_world_report report;
  po_world_profile profile;
  int most_ports;
  void *shared, *scratch_memory;
  size_t scratch_bytes;
};

/* ---- character.c, free_body.c: one character before and after the solve ------------------------------------------------------- */
int po_character_current(const po_character *c);                  /* 1: data holds the kinematics of (q, v) */
void po_character_seen(po_character *c);                          /* notes that it does */
void po_character_place(po_world *w, po_character *c);            /* poses and solids at q */
po_status po_character_accelerate(po_world *w, int i, const double *qdd, double dt); /* v1 = v + dt qdd; momentum targets */
int po_character_try(po_world *w, po_character *c, const double *dv, double dt); /* v1 += M^-1 P' pi; q1; dv: recovery, or NULL. 1: again */
void po_character_finish(po_world *w, po_character *c, const double *dv, double dt); /* momentum, books, governor */
void po_character_ports(po_character *c);                         /* Omega, y, y_move */
void po_character_set_model(po_character *c, const po_model *model);
int po_free_body_is(const po_model *model);
void po_free_body_setup(po_character *c);
void po_free_body_place(po_world *w, po_character *c);
void po_free_body_ports(po_character *c);
void po_free_body_accelerate(po_world *w, po_character *c, const double *qdd, double dt);
void po_free_body_finish(po_world *w, po_character *c, const double *dy, double dt);

void po_character_momentum(po_character_sum *sum, const po_character *c);
/* Adds the twist (w, v at the base's origin; world) to the base's velocity and to all that data knows of velocities. */
void po_character_shift(po_character *c, po_vec3 w, po_vec3 v);

/* ---- energy.c, govern.c: the books ----------------------------------------------------------------------------------------------- */
double po_character_kinetic(const po_character *c, const double *v); /* of what data holds, rotors included */
double po_character_energy(const po_world *w, const po_character *c, po_vec3 com);
double po_character_power(const po_character *c);                  /* of the pending forces */
double po_character_recovery(po_world *w, const po_character *c, double dt); /* books what recovery lifts, and returns it */
void po_character_placed(po_character *c, double energy);          /* the state was written, and this is its energy */
void po_energy_begin(po_world *w);                                 /* what springs hold at the start of the step */
void po_energy_row(po_world *w, const po_constraint *row, const double u[3], double dt); /* work of the contact stage; u: after it */
double po_character_work(po_world *w, po_character *c, double dt); /* books motors, dampers, pushes; returns all work on it, impulses included */
void po_energy_commit(po_world *w);
double po_character_fastest(const po_character *c, const double *v);  /* greatest rate, rad/s */
int po_character_fast(const po_character *c, const double *v, double dt); /* some joint turns faster than PO_FAST_RATE */
int po_character_govern(const po_world *w, po_character *c, po_character_sum *sum, double work, double dt); /* 1: speeds were corrected */

/* ---- grasp.c ---------------------------------------------------------------------------------------------------------------------------- */
void po_grasps_watch(po_world *w);                                 /* after a step: what they pull; those that pull too hard open */

/* ---- detect.c -------------------------------------------------------------------------------------------------------------------- */
void po_world_detect(po_world *w, double dt);

/* ---- limits.c, springs.c, constraints.c ----------------------------------------------------------------------------------------- */
/* These find the constraints of the step and the ports they need. Bodies' ports come first, so limits are found last. */
void po_contact_constraints(po_world *w, double dt);
void po_spring_constraints(po_world *w, double dt);
int po_spring_is(const po_world *w, const po_spring *s);          /* its ends are bodies of this world, or of the world itself */
int po_spring_works(const po_world *w, const po_spring *s);       /* it is on, and nobody at its ends is parked */
void po_limit_constraints(po_world *w, int i, double dt);
po_constraint *po_constraint_add(po_world *w, po_constraint_kind kind, int dim, int index);
void po_constraint_prepare(po_world *w, po_constraint *row);                    /* G, D, Dinv once Omega is there */
void po_constraint_velocity(const po_world *w, const po_constraint *row, double u[3]);
void po_constraint_push(po_world *w, const po_constraint *row, const double dp[3]); /* y += Omega W dp */
void po_grip_body(po_grip *grip, po_character *c, int character, int port, po_vec3 point, const po_vec3 *axis, int dim, double sign);
void po_groups_make(po_world *w);

/* ---- solving one group: from y to impulses. The same three stages for either engine ------------------------------------------------ */
typedef enum po_stage { PO_STAGE_IMPACT, PO_STAGE_CONTACT, PO_STAGE_RECOVER } po_stage;
/* What must be complementary in the first row of `row` at this stage is u[0] + this. */
double po_stage_bias(const po_constraint *row, po_stage stage);
/* p of the rows is read as a guess and becomes the answer; y is updated. Returns the residual velocity. */
#define PO_SECOND_DENSE 2 /* groups up to so many times dense_contacts, whose sweeps did not converge, are solved with their matrix after all */
double po_solve_dense(po_world *w, const po_group *g, po_stage stage);
double po_solve_sweeps(po_world *w, const po_group *g, po_stage stage, int last); /* last: nobody comes after it, so shock propagation may */
size_t po_solve_dense_bytes(int unknowns, int contacts, const po_world_opts *opts);

void po_world_solve(po_world *w);
void po_solve_again(po_world *w, const po_group *g);               /* from accelerations that have changed; the last impulses are the guess */
void po_solve_publish(po_world *w, double dt);                     /* what users read, what the next step starts from, and the books */
void po_contact_regrip(po_world *w, po_constraint *row);

static inline double po_world_now(const po_world *w) { return w->opts.clock ? w->opts.clock() : 0; }

#endif
