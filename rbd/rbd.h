/* rbd.h: rigid-body trees and Featherstone's algorithms on them.
 *
 *   models        po_builder_...  po_model_free  po_model_hash  po_model_load  po_urdf_opts_default  po_urdf_read  po_urdf_write
 *                 po_mjcf_read
 *                 po_model_scale_limb  po_model_scale_strength  po_joint_default  po_inertia_...
 *   bodies        po_body_model  po_body_names  po_body_random  po_thing_model
 *   names         po_find_body  po_find_joint  po_find_frame;  po_joint_motor_range
 *   data          po_data_bytes  po_data_init  po_data_new  po_data_free  po_data_set_model
 *   configuration po_neutral  po_lift  po_integrate  po_difference  po_normalize  po_random_configuration  po_check_state
 *                 po_mirror_state  po_limit_turn
 *   kinematics    po_kinematics  po_frame_pose  po_frame_position  po_point_...  po_jacobian_...  po_body_angular_...  po_unit_motion  po_unit_origin
 *                 po_apply_force  po_apply_moment
 *   dynamics      po_rnea  po_bias  po_gravity  po_crba  po_aba  po_minv_...  po_factor  po_factor_solve
 *   ports         po_ports_...  po_port_...  (what impulses do)
 *   whole body    po_com  po_com_jacobian  po_centroidal  po_..._energy  po_all_terms
 *   contacts      po_contact_dynamics_bytes  po_contact_dynamics (bilateral points)
 *
 * Conventions (docs/conventions.md): SI, z up, x forward, y left; angular before linear, scalar before vector;
 * body velocities in the body's own frame. Notation is Featherstone's (RBDA, 2008).
 * Floating base: q = quaternion wxyz, position in world; v = angular, linear velocity, both in the base frame.
 * Spherical: q = quaternion (child to joint frame), v = angular velocity in the child frame.
 * Universal: q = two angles, R = R(axis, q0) R(axis2, q1), v = their rates. Planar: q = x, y, angle in the joint's own plane, v = rates.
 * A po_model is immutable and may be shared between threads; a po_data is scratch, one per thread. Nothing allocates after
 * po_data_init. Bodies are numbered depth first, so that parent < child and a subtree is a range [i, subtree_end).
 */
#ifndef PO_RBD_H
#define PO_RBD_H

#include "../la/la.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== models =========================================================================================================== */

typedef enum po_joint_type {
  PO_JOINT_FIXED,
  PO_JOINT_REVOLUTE,
  PO_JOINT_PRISMATIC,
  PO_JOINT_UNIVERSAL,
  PO_JOINT_SPHERICAL,
  PO_JOINT_PLANAR,
  PO_JOINT_FLOATING
} po_joint_type;

/* Mass, centre of mass and rotational inertia about that centre, in body axes. */
typedef struct po_inertia {
  double mass;
  po_vec3 com;
  po_mat3 I;
} po_inertia;

typedef struct po_pose { /* child to parent: x_parent = R x_child + p */
  po_mat3 R;
  po_vec3 p;
} po_pose;

/* The joint that moves body i stands at model->joint[i]. Arrays hold one entry per degree of freedom of the joint. */
typedef struct po_joint {
  const char *name;
  po_joint_type type;
  int parent;                    /* body it hangs on; −1: the world */
  int q, v, nq, nv;              /* where its coordinates begin in q and v, and how many */
  po_pose placement;             /* joint frame in the parent body's frame */
  po_vec3 axis, axis2;           /* unit, in the joint frame (revolute, prismatic, universal) */
  double lower[3], upper[3];     /* position limits: rad or m; spherical: components of log(limit_centre⁻¹ q); ±inf: none */
  po_quat limit_centre;          /* spherical: where its limits are measured from; the identity, unless log would come near a half turn */
  double velocity[3], effort[3]; /* limits; inf: none. A floating base has effort 0; so has a planar one unless a finite effort is given */
  double damping[3], armature[3];
} po_joint;

typedef struct po_frame { /* a named place on a body: every URDF link, sole corners, hands, … */
  const char *name;
  int body;     /* −1: fixed to the world */
  po_pose pose; /* in the body's frame */
} po_frame;

typedef enum po_shape_type { PO_SPHERE, PO_CAPSULE, PO_BOX, PO_HULL } po_shape_type;
typedef struct po_shape {
  po_shape_type type;
  int body;
  po_pose pose;   /* in the body's frame; a capsule lies along its z */
  double size[3]; /* sphere: radius; capsule: radius, half length of the straight part; box: half extents; hull: half extents of the box around it */
  const struct po_hull *hull; /* mesh.h: in the axes of `pose`, which stands in the middle of that box; NULL unless it is a hull */
} po_shape;

typedef struct po_model {
  const char *name;
  int nb, nq, nv, frames, shapes; /* bodies, coordinates, degrees of freedom */
  const char *const *body_name;   /* [nb] */
  const po_joint *joint;          /* [nb] */
  const po_inertia *inertia;      /* [nb], fixed children merged in */
  const int *subtree_end;         /* [nb]: descendants of i are i+1 … subtree_end[i]−1 */
  const int *dof_body;            /* [nv]: the body a degree of freedom moves */
  const int *dof_parent;          /* [nv]: the previous degree of freedom on the way to the root, −1 at the end */
  const po_frame *frame;          /* [frames] */
  const po_shape *shape;          /* [shapes] */
  int floating;                   /* 1: joint 0 is floating and carries all other bodies */
  int planar;                     /* 1: joint 0 is planar, in a plane that is not level, and carries all other bodies */
  double rest_height; /* how far up a floating or planar base stands when the sole_… frames of the zero pose touch z = 0; 0 without such frames */
  double total_mass;  /* moving bodies */
  const double *home; /* [nq] the pose that the file draws or names as its home; NULL: it says nothing, so zero */
  void *memory;
  const struct po_model_fast *fast; /* room-internal: what the algorithms read in their inner loops */
} po_model;

/* Building one by hand: add links parent first, then finish. Names must be unique. Errors name the link or joint.
 * A fixed joint merges its child into the parent; the child stays addressable as a frame. */
typedef struct po_builder po_builder;
po_status po_builder_new(po_builder **builder, const char *name);
void po_builder_free(po_builder *builder);
/* Fill a po_joint from po_joint_default and set what differs. parent: a link's name, or NULL for the root. */
po_joint po_joint_default(po_joint_type type, const char *name);
po_status po_builder_link(po_builder *builder, const char *link, const char *parent, const po_joint *joint,
                          const po_inertia *inertia, po_error *err);
po_status po_builder_shape(po_builder *builder, const char *link, po_shape_type type, po_pose pose, const double size[3],
                           po_error *err);
po_status po_builder_frame(po_builder *builder, const char *frame, const char *link, po_pose pose, po_error *err);
po_status po_builder_finish(const po_model **model, po_builder *builder,
                            po_error *err); /* checks everything; the builder may then be freed */
void po_model_free(const po_model *model);

/* Of all that says how the body moves: the tree, joints with limits, efforts and damping, inertias, frames, shapes and their names, but not the
 * model's own. States saved with one body are restored only into one of the same hash. */
uint64_t po_model_hash(const po_model *model);

/* Uniform-density inertias about their centres; capsule and cylinder lie along z. */
po_inertia po_inertia_box(double mass, double x, double y, double z); /* full extents */
po_inertia po_inertia_sphere(double mass, double radius);
po_inertia po_inertia_cylinder(double mass, double radius, double length);
po_inertia po_inertia_capsule(double mass, double radius, double half_length);

/* What motor k of a joint can do at that rate: its effort both ways, but nothing that speeds it up beyond its speed limit; from a tenth below the limit on
 * what speeds it up fades. The world clamps torques to it, and controllers plan with it. */
void po_joint_motor_range(double *lower, double *upper, const po_joint *joint, int k, double rate);

/* Index, or −1. */
int po_find_body(const po_model *model, const char *name);
int po_find_joint(const po_model *model, const char *name); /* the body it moves */
int po_find_frame(const po_model *model, const char *name);

/* What a reader can do without and a user should know: parts that are not used, limits that are missing, inertias that no body has. */
enum { PO_WARNINGS_MAX = 64 };
typedef struct po_warnings {
  int count;                      /* all of them */
  po_error list[PO_WARNINGS_MAX]; /* the first of them, each with file and line */
} po_warnings;

typedef struct po_urdf_opts {
  int fixed_base;        /* 1: the root link is fixed to the world; 0: a floating joint carries it */
  int keep_dynamics;     /* 1: read damping and armature; 0: ignore them */
  int strict;            /* 1: the first warning is an error */
  po_warnings *warnings; /* filled from the start by each reading; NULL: dropped */
  const struct po_paths *paths; /* mesh.h: where meshes and included files are looked for; NULL: beside the file */
} po_urdf_opts;
po_urdf_opts po_urdf_opts_default(void);
po_status po_urdf_read(const po_model **model, const char *text, size_t size, const char *file, const po_urdf_opts *opts,
                       po_error *err);
/* The same from MJCF, MuJoCo's format (docs/mjcf.md). A file with one free body gives a floating base; anything else hangs on a link "world". */
po_status po_mjcf_read(const po_model **model, const char *text, size_t size, const char *file, const po_urdf_opts *opts, po_error *err);
/* What it writes reads back to the same model; with fixed_base unless a floating joint carries all of it. */
po_status po_urdf_write(po_buffer *out, const po_model *model);

/* A built-in body by name; PO_ERR_NAME lists the names. Built from code: needs no files. */
po_status po_body_model(const po_model **model, const char *name, po_error *err);
extern const char *const po_body_names[]; /* NULL-terminated */
/* A human of random proportions: lengths and masses of every segment, left and right apart, within 1 ± spread (0 … 0.4) of the human's; the
 * same body for the same seed. It stands at zero as all bodies do, the knee of its longer leg bent more; torque limits go with weight
 * times leg length. */
po_status po_body_random(const po_model **model, uint64_t seed, double spread, po_error *err);
/* A thing: one solid of even density on a floating joint, its origin at its centre, its link named as it is. */
typedef struct po_thing {
  const char *name;      /* "ball", "crate" */
  po_shape_type type;    /* PO_SPHERE or PO_BOX */
  double size[3];        /* m: radius; half extents */
  double mass;           /* kg */
} po_thing;
po_status po_thing_model(const po_model **model, const po_thing *thing, po_error *err);
/* A built-in body when `name` is one of those, else the file of that path: MJCF when it ends in .xml, else URDF; opts (may be NULL) are for files. */
po_status po_model_load(const po_model **model, const char *name, const po_urdf_opts *opts, po_error *err);

/* A new model of the same topology in which one limb (the subtree of `link`), or all limbs (arms and legs) when `link` is NULL, is scaled:
 * lengths and radii s, mass s³, inertia s⁵, torque limits s⁴. */
po_status po_model_scale_limb(const po_model **scaled, const po_model *model, const char *link, double s, po_error *err);
/* The same with all torque limits times s. */
po_status po_model_scale_strength(const po_model **scaled, const po_model *model, double s, po_error *err);

/* ==== data ============================================================================================================= */

/* Scratch and results of the algorithms for one state of one model. Results stay until the next call that says it writes them. */
typedef struct po_data {
  const po_model *model;
  po_vec3 gravity;     /* (0,0,−9.81); settable */
  const double *added; /* nv, or NULL (the default): what po_aba and po_minv_factor add to M's diagonal beside the armature, such as
                            * dt times the joint damping for a step that treats it implicitly. Ignored for floating joints */
  /* po_kinematics */
  po_pose *pose;  /* [nb] body to world */
  po_vec6 *vel;   /* [nb] body velocity, in body axes, at the body's origin */
  po_vec6 *drift; /* [nb] spatial acceleration at qdd = 0 without gravity, body axes */
  /* po_all_terms */
  po_mat M;                              /* nv×nv, both triangles */
  double *h;                             /* nv: Coriolis, centrifugal and gravity */
  po_vec3 com, com_velocity, com_drift;  /* world; drift = dJcom/dt v */
  po_mat Jcom;                           /* 3×nv */
  po_mat cmm;                            /* 6×nv centroidal momentum matrix: angular about the COM, then linear; world axes */
  double momentum[6], momentum_drift[6]; /* cmm v; d(cmm)/dt v */
  void *scratch;                         /* room-internal */
} po_data;

size_t po_data_bytes(const po_model *model);
po_status po_data_init(po_data *data, const po_model *model, void *mem, size_t bytes);
po_status po_data_new(po_data **data, const po_model *model);
void po_data_free(po_data *data);
/* Another model of the same topology (limbs that grew); results are stale until the next call. */
po_status po_data_set_model(po_data *data, const po_model *model);

/* ==== configurations =================================================================================================== */

void po_neutral(double *q, const po_model *model); /* the zero pose; a floating or planar base is lifted by rest_height */
void po_lift(double *q, const po_model *model, double up); /* moves a floating or planar base up, against z; others stay */
void po_integrate(double *q_out, const po_model *model, const double *q, const double *v, double dt); /* q ⊕ v dt; may alias */
void po_difference(double *dv, const po_model *model, const double *q0, const double *q1);            /* q0 ⊕ dv = q1 */
void po_normalize(double *q, const po_model *model);                                                  /* unit quaternions */
void po_random_configuration(double *q, po_rng *rng, const po_model *model);                          /* within limits */
po_status po_check_state(const po_model *model, const double *q, const double *v); /* finite, quaternions not zero */
/* The state as a mirror at y = 0 shows it: bodies NAME_l and NAME_r change places, the base is reflected. q or v may be NULL. For a body that
 * is its own mirror image this is exact; for others it exchanges the joints' coordinates. PO_ERR_MODEL, and nothing changed, when a body
 * has no partner or a joint's axes are no images of its partner's. v takes accelerations and torques too. */
po_status po_mirror_state(double *q, double *v, const po_model *model);
/* limit_centre⁻¹ q of a spherical joint, q its four numbers: the limits bound the components of its logarithm, whose rate is the inverse
 * right Jacobian of SO(3) times the joint's velocity, wherever the centre is. */
po_quat po_limit_turn(const po_joint *joint, const double *q);

/* ==== kinematics ======================================================================================================= */

/* Poses, velocities and drifts of all bodies; v may be NULL (zero). Every function below that takes no q uses these. */
void po_kinematics(po_data *data, const double *q, const double *v);
po_pose po_frame_pose(const po_data *data, int frame);
po_vec3 po_frame_position(const po_data *data, int frame);
po_vec3 po_point_position(const po_data *data, int body, po_vec3 point); /* point in body axes; result in world */
po_vec3 po_point_velocity(const po_data *data, int body, po_vec3 point); /* world */
po_vec3 po_point_drift(const po_data *data, int body, po_vec3 point);    /* dJ/dt v: classical acceleration at qdd = 0, world */
po_vec3 po_body_angular_velocity(const po_data *data, int body);         /* world */
po_vec3 po_body_angular_drift(const po_data *data, int body);            /* world */
/* J (3×nv) of the point's velocity / the body's angular velocity, world axes; columns that do not move it are zero. */
void po_jacobian_point(po_mat J, const po_data *data, int body, po_vec3 point);
void po_jacobian_angular(po_mat J, const po_data *data, int body);
/* Both at once for a frame: 6×nv, angular then linear of its origin. */
void po_jacobian_frame(po_mat J, const po_data *data, int frame);
/* What a unit rate of one degree of freedom does to all that it carries, world axes: angular velocity, and the velocity of the point at
 * po_unit_origin (the floating base's origin, or the world's). Any Jacobian's column is lin + ang × (point − origin). */
po_vec6 po_unit_motion(const po_data *data, int dof);
po_vec3 po_unit_origin(const po_data *data);
/* y (nv) += J' f for a world force at a world point of the body, without forming J; the same for a world moment. */
void po_apply_force(double *y, const po_data *data, int body, po_vec3 point_world, po_vec3 force_world);
void po_apply_moment(double *y, const po_data *data, int body, po_vec3 moment_world);

/* ==== dynamics ========================================================================================================= */

/* f_ext: one spatial force per body in body axes about the body's origin, or NULL. Armature counts as inertia;
 * joint damping is not applied by these (the world does that). They take q and v themselves, need no po_kinematics before and leave
 * its results (pose, vel, drift, …) alone. The base part of accelerations is spatial: the componentwise derivative of v. */
void po_rnea(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext);
void po_bias(double *h, po_data *data, const double *q, const double *v); /* C(q,v) v + g(q) */
void po_gravity(double *g, po_data *data, const double *q);
void po_crba(po_mat M, po_data *data, const double *q);
po_status po_aba(double *qdd, po_data *data, const double *q, const double *v, const double *tau, const po_vec6 *f_ext);
/* Articulated-body factors at q (po_aba leaves them too), then X = M⁻¹ X for a block of vectors held as rows (count×nv). */
po_status po_minv_factor(po_data *data, const double *q);
void po_minv_mul(po_mat X, const po_data *data);
/* The same for one sparse right side, a world force at a world point of one body: out (nv) = M⁻¹ J' f. */
void po_minv_force(double *out, const po_data *data, int body, po_vec3 point_world, po_vec3 force_world);

/* M = L'L along the tree's sparsity (RBDA 6.5), of po_crba's M; the factor lives in data. */
po_status po_factor(po_data *data, po_mat M);
void po_factor_solve(double *x, const po_data *data); /* x = M⁻¹ x */

/* ==== ports ============================================================================================================
 *
 * What impulses do to a body. A *port* is the six-dimensional velocity (angular; linear at the ports' origin, in the ports' axes) of a link, or of a
 * planar body its three components, or the rate g·v of one joint's degrees of freedom. With P the matrix from v to all port velocities,
 *   y = P v,   Omega = P M⁻¹ P',
 * an impulse pi on the ports changes y by Omega pi and v by M⁻¹ P' pi. P and M⁻¹ are never formed: 12 ports of a human on two feet cost 0.6 µs
 * (AVX2). Contact solvers call Omega the Delassus matrix or the inverse of the operational-space inertia. */

typedef struct po_port_joint { /* the rate g·v of freedoms v … v + nv − 1 of one joint */
  int v, nv;
  double g[3];
} po_port_joint;

typedef struct po_ports {
  const po_model *model;
  const po_data *data;              /* whose articulated-body factors are used (po_ports_frame) */
  int max, count, bodies;           /* bodies: how many blocks of `span` come first; joints follow */
  int span;                         /* of a body's port: 6; 3 when planar: turning about the plane's normal, sliding along its axes */
  int *port_of_body, *body_of_port; /* −1: none */
  po_port_joint *joint;             /* [nv] */
  int joints;
  po_vec3 origin;                   /* of the ports, in the world: the base's */
  po_mat3 axes;                     /* of the ports, to world: the base's */
  po_vec3 plane, plane_x, plane_y;  /* of a planar body: its normal and two axes in it, in the world */
  int ld;                           /* of Omega: max padded to 4 */
  double *Omega;                    /* max × ld */
  /* scratch */
  int *needed, needed_count;        /* nodes of the tree that some port depends on, parents first */
  unsigned char *marked;
  int *dof_node;
  po_vec6 *twist;
  double *x, (*lane)[6][4], (*lane_u)[4];
} po_ports;

/* Memory for up to `max` ports (6 for each link, 1 for each joint) from an arena. */
void po_ports_layout(po_ports *ports, const po_model *model, int max, po_arena *arena);
void po_ports_set_model(po_ports *ports, const po_model *model); /* another of the same shape; clears */
void po_ports_plane(po_ports *ports, po_vec3 normal);            /* all joints move in this plane, of the world */
void po_ports_clear(po_ports *ports);                            /* no ports */
/* Origin and axes, once po_aba or po_minv_factor has left its factors in data. */
void po_ports_frame(po_ports *ports, const po_data *data);
/* The first port of a link, made when there is none; −1: no room. Links come first, joints after them. */
int po_port_body(po_ports *ports, int body);
int po_port_freedoms(po_ports *ports, int v, int nv, const double *g);
/* Omega of all ports; then y = P v and dv = M⁻¹ P' pi. */
void po_ports_build(po_ports *ports);
void po_ports_velocities(double *y, po_ports *ports, const double *v);
void po_ports_apply(double *dv, po_ports *ports, const double *pi);
po_vec6 po_port_unit(const po_ports *ports, int port); /* moment and force of a unit impulse at a link's port */
int po_port_node(const po_ports *ports, int port);     /* the node of the tree that a port is at */

/* ==== whole body ======================================================================================================= */

void po_com(po_data *data);          /* com, com_velocity, com_drift; after po_kinematics */
void po_com_jacobian(po_data *data); /* Jcom too */
void po_centroidal(po_data *data);   /* cmm, momentum, momentum_drift; com and Jcom too */
double po_kinetic_energy(const po_data *data);
double po_potential_energy(const po_data *data); /* −m g·com, zero at the world's origin */
/* Kinematics, M, h, com, Jcom, cmm and drifts in one pass: what a control tick needs. */
void po_all_terms(po_data *data, const double *q, const double *v);

/* M qdd + h = tau + Jc'f, Jc qdd + dJc/dt v = 0 for `count` bilateral point contacts. f: 3 per contact, world. */
typedef struct po_contact_point {
  int body;
  po_vec3 point;
} po_contact_point; /* point in body axes */
po_status po_contact_dynamics(double *qdd, double *f, po_data *data, const double *q, const double *v, const double *tau,
                              const po_contact_point *contacts, int count, po_arena *scratch);
size_t po_contact_dynamics_bytes(const po_model *model, int count); /* what `scratch` must hold */

#ifdef __cplusplus
}
#endif
#endif
