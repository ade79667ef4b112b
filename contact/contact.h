/* contact.h: collision, complementarity problems, and the world with its time step.
 *
 *   LCP           po_lcp  po_lcp_opts_default  po_lcp_bytes  po_lcp_solve  po_lcp_residual  po_lcp_method_string  po_lcp_outcome_string
 *   world         po_world_opts_default  po_world_bytes  po_world_init  po_world_new  po_world_free
 *   characters    po_world_add  po_world_count  po_world_model  po_world_set_model  po_world_set_material  po_world_set_self_collision
 *                 po_world_set_active  po_world_active
 *   state         po_world_q  po_world_v  po_world_tau  po_world_data  po_world_kinematics
 *                 po_world_time  po_world_last_dt  po_world_terrain  po_world_set_time
 *   forces        po_world_force  po_world_moment  po_world_add_spring  po_world_spring
 *   grasps        po_grasp_default  po_world_add_grasp  po_world_close_grasp  po_world_open_grasp  po_world_grasp
 *   time          po_world_step  po_world_advance
 *   reading       po_world_contacts  po_world_body_impulse  po_world_limit_impulse  po_world_clamps  po_world_energy
 *                 po_world_last_report  po_world_last_profile
 *   crowds        po_broad_bytes  po_broad_pairs
 *   whole state   po_world_save_bytes  po_world_save  po_world_restore  po_world_hash
 *   terrain       terrain.h
 *
 * A world holds characters (any po_model: a human, a door, a crate; a free body is a model of one link on a floating joint) and a const
 * terrain. Shapes are those of the models (po_model.shape). One step (docs/world.md): unconstrained velocities by the articulated-body
 * algorithm, impacts with restitution, then contacts with Coulomb friction, joint limits and springs solved together at velocity
 * level, positions advanced with the new velocities. Nothing allocates in a step; equal worlds stepped equally are equal in every bit.
 */
#ifndef PO_CONTACT_H
#define PO_CONTACT_H

#include "terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== linear complementarity problems ====================================================================================== */

/* Find z and w = M z + q so that, row by row,  z = lo and w ≥ 0,  or  lo < z < hi and w = 0,  or  z = hi and w ≤ 0.
 * A friction row i belongs to a normal row j = friction[i]: its bound is mu[i]·z[j], and which shape that bound has is the `law`.
 * Friction rows come in pairs (i, i+1) of one contact with equal friction[] and mu[]; a single one is bounded by |z_i| ≤ mu z_j under every
 * law (a contact that can slide in one direction only). */
typedef enum po_friction_law {
  PO_FRICTION_BOX,     /* |z_i| ≤ mu z_j and |z_i+1| ≤ mu z_j, each on its own */
  PO_FRICTION_PYRAMID, /* (z_i, z_i+1) in the regular polygon with `sides` corners on the circle of radius mu z_j, the first on +i */
  PO_FRICTION_CONE     /* |(z_i, z_i+1)| ≤ mu z_j; the pair opposes the sliding velocity (w_i, w_i+1) */
} po_friction_law;

typedef struct po_lcp {
  int n;
  po_mat M;             /* n×n */
  const double *q;      /* n */
  const double *lo, *hi; /* n each; NULL: 0 and +inf. Ignored in friction rows */
  const int *friction;  /* n: the normal row, or −1; NULL: no friction */
  const double *mu;     /* n; needed with friction */
  po_friction_law law;
  int sides;            /* of the pyramid: an even number, 4 … 32 */
} po_lcp;

typedef enum po_lcp_method {
  PO_LCP_LEMKE,   /* complementary pivoting; box and pyramid; the reference. Any M; may end in a ray */
  PO_LCP_DANTZIG, /* principal pivoting, one row at a time (Baraff 1994); box friction; M symmetric positive semidefinite */
  PO_LCP_PGS,     /* projected Gauss–Seidel, blocked per contact; every law; M symmetric positive semidefinite */
  PO_LCP_NEWTON   /* sweeps to find who sticks and who slides, then semismooth Newton steps; every law; the world's default */
} po_lcp_method;
const char *po_lcp_method_string(po_lcp_method method); /* "lemke" "dantzig" "pgs" "newton" */

typedef struct po_lcp_opts {
  po_lcp_method method;
  double tolerance;  /* on the residual, in units of w: "solved" is a residual of at most this, under every method */
  int max_sweeps;    /* PGS, and in all for Newton's sweeps */
  int max_steps;     /* pivots of Lemke and Dantzig (0: 20 n + 100), Newton steps */
  int warm;          /* 1: z holds a guess (PGS, Newton, Dantzig); 0: start from zero */
} po_lcp_opts;
po_lcp_opts po_lcp_opts_default(void); /* Newton, 1e-9, 200 sweeps, 30 steps, cold */

typedef enum po_lcp_outcome {
  PO_LCP_SOLVED,
  PO_LCP_LIMIT,
  PO_LCP_INFEASIBLE, /* no solution exists: a proof (Farkas) was found and checked, whatever M is */
  PO_LCP_RAY,        /* the method ran away along a ray and found no proof: there may be a solution. Where M is positive semidefinite
                        Lemke's rays are proofs, up to rounding; where M is not even copositive they say nothing */
  PO_LCP_NUMERICAL
} po_lcp_outcome;
const char *po_lcp_outcome_string(po_lcp_outcome outcome); /* "solved" "iteration_limit" "infeasible" "ray" "numerical" */

typedef struct po_lcp_result {
  po_lcp_outcome outcome;
  double residual;   /* po_lcp_residual of the z returned, whatever the outcome */
  int sweeps, steps; /* Gauss–Seidel sweeps; pivots or Newton steps */
} po_lcp_result;

size_t po_lcp_bytes(const po_lcp *problem, po_lcp_method method); /* scratch that po_lcp_solve needs */
/* Misuse is a status (sizes, NaN, crossed bounds, a law the method does not offer: PO_ERR_UNSUPPORTED), z then untouched. Otherwise PO_OK,
 * result->outcome says how it went, and z is the best point found. */
po_status po_lcp_solve(double *z, po_lcp_result *result, const po_lcp *problem, const po_lcp_opts *opts, po_arena *scratch);
/* The proof: largest over all rows of d_i |z_i − P(z_i − w_i / d_i)|, where P projects onto the bounds (of a contact: onto its
 * friction shape) and d_i is the diagonal of M (its largest within a friction pair; 1 where it is zero). Zero exactly at solutions. */
double po_lcp_residual(const po_lcp *problem, const double *z);

/* ==== the world ============================================================================================================== */

typedef struct po_world po_world;

typedef struct po_contact {
  int a, body_a, shape_a; /* a character, its body, its shape */
  int b, body_b, shape_b; /* b = −1: terrain, body_b its po_terrain_kind, shape_b the plane, box, or field cell */
  uint64_t id;            /* the same from step to step while the same features touch */
  po_vec3 point;          /* world, half way between the two surfaces, at the start of the step */
  po_vec3 normal;         /* unit, from b to a */
  double gap;             /* along the normal at the start of the step; negative: penetration */
  double mu, restitution;
  po_vec3 impulse;        /* on a (−impulse on b), world, N s, of the last step, impacts included: divide by dt for the mean force */
  po_vec3 velocity;       /* of a's point relative to b's at the end of the step's solve, world */
} po_contact;

/* Asked once per contact when set: change *mu (coefficient) and *restitution as you like. Must be a pure function. */
typedef void (*po_pair_fn)(void *user, const po_contact *contact, double *mu, double *restitution);

/* Problems of real motions make the benchmark set of the LCP solvers: copy what you want to keep. */
typedef void (*po_lcp_fn)(void *user, const po_lcp *problem, const double *guess);

typedef struct po_world_opts {
  po_vec3 gravity;            /* (0, 0, −9.81) */
  const po_terrain *terrain;  /* po_terrain_flat(); NULL: empty space. Must outlive the world */
  /* capacity; 0: whatever the characters need, grown by po_world_add (worlds of po_world_new only) */
  int max_characters, max_contacts, max_springs;
  /* contact */
  double mu, restitution;     /* factor of friction and restitution of bodies that have no own: 1 and 0. A pair has the product of the
                               * frictions and the greater restitution */
  double bounce_speed;        /* impacts slower than this do not bounce: 0.01 m/s */
  double margin;              /* pairs nearer than this (and those that will meet within the step) become contacts: 2 mm */
  double slop;                /* penetration that is left alone: 0.1 mm */
  double recovery_speed;      /* deeper ones are pushed out at most this fast, without leaving velocity behind: 0.2 m/s */
  po_pair_fn pair;
  void *pair_user;
  /* solving */
  po_lcp_method solver;       /* for groups of up to dense_contacts contacts: Newton */
  po_friction_law friction;   /* cone */
  int sides;                  /* of the pyramid: 8 */
  int dense_contacts;         /* larger groups are solved by blocked sweeps without a matrix: 24; up to twice as large ones by both, when sweeps fail */
  double tolerance;           /* residual velocity that the solve aims at: 1e-8 m/s. Up to a hundred times as much is good enough */
  int max_sweeps, max_steps;  /* 100, 30 */
  int shock;                  /* 1: when sweeps do not converge, one pass up the contact graph with the lower bodies held (stacks) */
  int conserve_momentum;      /* 1: the base's velocity is corrected so that momentum changes by the applied impulses exactly */
  double joint_damping;       /* N m s/rad (or N s/m) added to every joint's own damping: 0. Bodies that are limp come to rest with 0.1 or so */
  po_clock_fn clock;          /* NULL: no profile */
  po_lcp_fn record;           /* shown every problem that is solved with a matrix, and the guess it starts from; NULL: none */
  void *record_user;
} po_world_opts;
po_world_opts po_world_opts_default(void);

/* ---- making ------------------------------------------------------------------------------------------------------------ */

/* Memory for a world with room for exactly these characters (and opts' contacts and springs), added by po_world_init in this order. */
size_t po_world_bytes(const po_world_opts *opts, const po_model *const *models, int count);
po_status po_world_init(po_world **world, const po_world_opts *opts, const po_model *const *models, int count, void *mem, size_t bytes);
/* An empty world over the settable allocator; po_world_add makes room as it goes. opts NULL: the default. Either way of making one asks
 * po_check_arithmetic. */
po_status po_world_new(po_world **world, const po_world_opts *opts);
void po_world_free(po_world *world); /* of po_world_new; NULL is fine */

/* ---- characters --------------------------------------------------------------------------------------------------------- */

/* Adds a character in its zero pose at the origin, at rest; *index (may be NULL) counts from 0. The model must outlive the world. */
po_status po_world_add(int *index, po_world *world, const po_model *model);
int po_world_count(const po_world *world);
const po_model *po_world_model(const po_world *world, int i);
/* Swaps in a model of the same topology (po_model_scale_limb) between steps. q and v are kept, but the base is moved so that the lowest
 * foot (link named foot…; without one, the lowest body with a shape) keeps its world pose. PO_ERR_MODEL when the topology differs. */
po_status po_world_set_model(po_world *world, int i, const po_model *model);
/* Friction factor and restitution of one body, or of all when body = −1. */
po_status po_world_set_material(po_world *world, int i, int body, double mu, double restitution);
/* Whether i's links collide with each other (off by default). Links joined directly, with only one link between them, or that overlap in
 * the zero pose never do. */
po_status po_world_set_self_collision(po_world *world, int i, int on);

/* off (0): the character is parked: it stays where it is, costs nothing, and nothing touches it or pulls at it; its contacts are forgotten. On again it goes
 * on from its q and v, which may have been written meanwhile: that is how a thing is thrown. Everybody is active at first. */
po_status po_world_set_active(po_world *world, int i, int on);
int po_world_active(const po_world *world, int i);

/* ---- state: arrays to read and write between steps -------------------------------------------------------------------------- */

double *po_world_q(po_world *world, int i);    /* nq */
double *po_world_v(po_world *world, int i);    /* nv */
double *po_world_tau(po_world *world, int i);  /* nv: motor torques of the next step; zeroed by it. Clamped to the joints' effort */
/* The world's own scratch for character i. It holds whatever was computed last: call po_kinematics or po_all_terms first, or
 * po_world_kinematics, which does so at the present state. */
po_data *po_world_data(po_world *world, int i);
void po_world_kinematics(po_world *world, int i);
double po_world_time(const po_world *world);
double po_world_last_dt(const po_world *world); /* s, of the last step; 0: none yet */
const po_terrain *po_world_terrain(const po_world *world); /* NULL: empty space */
void po_world_set_time(po_world *world, double time);

/* ---- forces ------------------------------------------------------------------------------------------------------------- */

/* Adds a force (N, world) at a world point of the body, or a moment (N m, world), for the next step only. */
po_status po_world_force(po_world *world, int i, int body, po_vec3 force, po_vec3 point);
po_status po_world_moment(po_world *world, int i, int body, po_vec3 moment);

/* A spring and damper between two points, integrated implicitly: any stiffness is stable. */
typedef struct po_spring {
  int a, body_a;          /* character and body */
  po_vec3 point_a;        /* in body axes */
  int b, body_b;          /* b = −1: the world */
  po_vec3 point_b;        /* in body axes, or in the world */
  double length;          /* at rest; 0: pulls the points together along all three axes */
  double stiffness, damping; /* N/m, N s/m along the spring */
  int pull_only;          /* 1: a rope; needs length > 0 */
} po_spring;
po_status po_world_add_spring(int *index, po_world *world, const po_spring *spring);
po_spring *po_world_spring(po_world *world, int index); /* to move or weaken it; stiffness = damping = 0 switches it off. NULL: none such */

/* ---- grasps: a hand that holds something ---------------------------------------------------------------------------------- */

/* Two springs of length 0: one at the hand's point, one `apart` from it along the hand's own axis, so that what is held can neither slip nor (but about that
 * axis) turn in the hand. A grasp closes only when the hand is near enough, and holds what it then meets where it meets it: nothing is drawn through the air. */
typedef struct po_grasp {
  int a, body_a;          /* the hand: character and body, */
  po_vec3 point_a;        /* where it holds, in body axes */
  int b, body_b;          /* what is held; b = −1: the world */
  po_vec3 point_b;        /* its handle, in body axes, or in the world */
  double stiffness, damping; /* N/m, N s/m of each spring: 20000 and 200 */
  double apart;           /* m between the springs, along the way from the body's origin to point_a: 0.05. Turning by x rad stretches one by x times this */
  double reach;           /* m from point_a to the handle, at most, for it to close: 0.03 */
  double strength;        /* N: pulled harder it opens; 0: it never does */
} po_grasp;
po_grasp po_grasp_default(void); /* of body 0 of characters 0 and 1; stiffness and so on as said above, strength 0 */

typedef struct po_grasp_state {
  int closed;
  int torn;                /* 1: it was opened by its strength, since it was last closed */
  double distance;         /* m from the hand's point to the handle, now, open or closed */
  double stretch, force;   /* of the last step: the longer of its springs, m; what both pull the hand with, N. 0 while open */
  double stretch_max, force_max; /* since it was added */
  po_vec3 pull;            /* N, world, on the hand */
  po_vec3 hand[2], held[2]; /* ends of its springs, world, at the hand and at what is held; */
  double tension[2];       /* and what each pulls with, N: 0 while open */
} po_grasp_state;

/* Adds a grasp, open; it takes two of the world's springs (PO_ERR_MEMORY when there are none left: raise max_springs). */
po_status po_world_add_grasp(int *index, po_world *world, const po_grasp *grasp);
/* PO_ERR_STATE when the hand is farther away than its reach; nothing has changed then. Closing a closed one changes nothing. */
po_status po_world_close_grasp(po_world *world, int index);
po_status po_world_open_grasp(po_world *world, int index);
po_status po_world_grasp(po_grasp_state *state, po_world *world, int index);

/* ---- time --------------------------------------------------------------------------------------------------------------- */

/* Advances by dt seconds. A failed step changes nothing: PO_ERR_RANGE (dt ≤ 0 or > 0.1), PO_ERR_NOT_FINITE (dt, a state, torque, force),
 * PO_ERR_STATE (a zero quaternion). An unconverged solve is no failure: see po_world_report. */
po_status po_world_step(po_world *world, double dt);
/* The second way (paper 1 section 9): character i gets the accelerations qdd[i] (nv) instead of those of forward dynamics; its torques and
 * forces are ignored. Contact impulses act only as far as needed to stop penetration and sliding impacts. qdd[i] = NULL: as in po_world_step. */
po_status po_world_advance(po_world *world, const double *const *qdd, double dt);

/* ---- reading: all of the last step ------------------------------------------------------------------------------------------ */

const po_contact *po_world_contacts(int *count, const po_world *world); /* valid until the next step */
/* Sum of the contact impulses on one body (all bodies: −1), world; *moment (may be NULL) about `about`. */
po_vec3 po_world_body_impulse(po_vec3 *moment, const po_world *world, int i, int body, po_vec3 about);
/* Generalized impulse of the joint limits, nv. */
const double *po_world_limit_impulse(const po_world *world, int i);

typedef struct po_torque_clamp {
  int character, body, dof; /* dof: index into v and tau; body: the one that joint moves */
  double asked, applied;
} po_torque_clamp;
const po_torque_clamp *po_world_clamps(int *count, const po_world *world);

/* Joules. Present amounts, and sums since the world was made. The books balance, after every step and whatever happens in it:
 *   kinetic + potential + spring = placed + motors + external + impacts + contacts + limits + springs + damping + recovery + integration
 * Forces and impulses are booked by the mean of the velocities before and after they act; what is then missing is what finite steps make
 * or lose, and stands under its own name. */
typedef struct po_energy {
  double kinetic, potential, spring; /* now; kinetic: of bodies and rotors (armature); spring: stored in springs */
  double placed;                     /* what was there at the start, and what writing q, v or springs, or given accelerations, changed */
  double motors, external;           /* work of torques; of po_world_force and moments */
  double impacts, contacts, limits;  /* work of restitution, contact and limit impulses. Impacts take; contacts and limits take what moves into
                                      * them, and are off by what the velocity at a touched point changes as the body turns (of order dt) */
  double springs, damping;           /* work of the dampers of springs, and of joints: never positive */
  double recovery;                   /* lifting what had sunk in */
  double integration;                /* the error of finite steps, after what was taken back or given back (docs/world.md) */
  double clamped;                    /* not in the sum: what unconverged or simultaneous impacts would have added, and did not */
} po_energy;
po_energy po_world_energy(po_world *world);

typedef struct po_world_report {
  int contacts, limits, springs, groups;  /* groups: independent problems */
  int sweeps, steps;                      /* largest of any group */
  int unconverged;                        /* groups whose residual stayed above a hundred times the tolerance (1e-6 m/s); impulses keep within
                                           * their friction cones all the same */
  int shocked;                            /* groups that took the pass for stacks */
  int dropped;                            /* contacts for which there was no room: raise max_contacts */
  int retried;                            /* groups that were tried again because momentum came out wrong, or a body met something unexpectedly */
  int governed;                           /* characters whose joints were slowed or sped up because integration had made or lost energy */
  double residual;                        /* m/s, largest of any group */
  double penetration;                     /* m, deepest at the start of the step */
  double force_correction;                /* N, N m: conserve_momentum changed the momentum of a character as these would have over the step; */
  double moment_correction;               /* largest of any character */
} po_world_report;
po_world_report po_world_last_report(const po_world *world);

typedef struct po_world_profile { /* seconds; zeros without a clock */
  double dynamics, collision, assemble, solve, integrate;
} po_world_profile;
po_world_profile po_world_last_profile(const po_world *world);

/* ---- crowds: who may meet whom ----------------------------------------------------------------------------------------------- */

typedef struct po_bounds { /* an axis-aligned box */
  po_vec3 low, high;
} po_bounds;
/* Pairs of bounds that overlap, by a grid (docs/contact.md). pairs: capacity of `max` pairs (i < j), in any order.
 * Returns how many there are, even beyond max (then only max are written). scratch: po_broad_bytes(count). */
size_t po_broad_bytes(int count);
int po_broad_pairs(int (*pairs)[2], int max, const po_bounds *bounds, int count, po_arena *scratch);

/* ---- the whole state as flat bytes ------------------------------------------------------------------------------------------ */

/* q, v, tau, pending forces, springs, grasps, who is parked, materials, contact ids and warm starts, sums, time, as a stream (base.h). Models, terrain and options are
 * not in it: restore needs a world of the same models, and refuses another without changing it (PO_ERR_MODEL; PO_ERR_SIZE, PO_ERR_PARSE: cut or
 * damaged). Restore-then-step is bit-identical. po_world_save_bytes is an upper bound that changes only when a character or spring is added. */
size_t po_world_save_bytes(const po_world *world);
po_status po_world_save(void *state, size_t bytes, const po_world *world);
po_status po_world_restore(po_world *world, const void *state, size_t bytes);
uint64_t po_world_hash(const po_world *world); /* of q, v and time of all characters */

#ifdef __cplusplus
}
#endif
#endif
