/* tree.h (room-internal): the tree as the algorithms see it, and the algebra of their inner loops.
 *
 * A public body is carried by one or more *nodes*. A node is a frame that moves by one of four joints only: a revolute or
 * prismatic joint about its own z axis, a spherical or a floating one. Universal joints become two revolute nodes, planar joints
 * two prismatic and one revolute, with massless frames between them. Frames of revolute and prismatic nodes are turned so that
 * the axis is z: x_body = align x_node. So inner loops meet no general axis, no joint matrix S and few branches.
 *
 * Node 0 is the world; moving nodes are 1 … n, parents first, subtrees contiguous.
 *
 * World-axes form ("W"): vectors of a node are written in the axes of the world (or of the base, when an algorithm does not
 * depend on the base's pose) and taken at the node's own origin. Then moving from child to parent is a shift by r and no rotation,
 * and the motion subspace is (z, 0) or (0, z). Accelerations are the classical ones of the node's origin.
 */
#ifndef PO_RBD_TREE_H
#define PO_RBD_TREE_H

#include "rbd.h"

typedef struct po_sym3 {
  double xx, xy, xz, yy, yz, zz;
} po_sym3;

typedef enum po_node_kind { PO_NODE_REVOLUTE, PO_NODE_PRISMATIC, PO_NODE_SPHERICAL, PO_NODE_FLOATING } po_node_kind;

typedef struct po_node {
  int kind, parent;
  int q, v, nv; /* where its coordinates begin, and how many rates */
  int angle;    /* revolute: index into the sines and cosines of a state; else −1 */
  int body;     /* the public body it carries, or −1 for a massless frame between two axes */
  int slot;     /* 4 group + lane in the plan for four at a time (lanes.h); the root's is 0 */
  po_mat3 R;    /* joint frame in the parent node's frame */
  po_vec3 p;
  double m; /* ten-parameter inertia in node axes: mass, mass × com, moments about the node's origin */
  po_vec3 h;
  po_sym3 I;
  double armature[3];
} po_node;

struct po_model_fast {
  int n;                         /* moving nodes */
  const po_node *node;           /* [n+1] */
  const int *body_node;          /* [nb]: the node that carries a body */
  const po_mat3 *align;          /* [nb]: node axes to body axes */
  const double *below;           /* [n+1]: mass of the node's subtree */
  int angles, turning;           /* places for sines and cosines (a multiple of four, lanes.h); how many of them are used */
  const int *angle_q, *angle_at; /* [turning]: which coordinates are angles, and their places */
  const struct po_lane_plan *lanes;
  /* rows of the factor of M, packed root to leaf along the ancestors: row i begins at row[i], a multiple of 4, and holds depth[i]+1
   * numbers. The way to the root is made of runs of consecutive freedoms, run[i] … i being the first of them. */
  const int *row, *depth, *run;
  const int *end; /* [nv]: freedoms below i are i+1 … end[i]−1 */
  int packed;
};

typedef struct po_place { /* where a node is */
  po_mat3 R;
  po_vec3 r; /* from the parent node's origin to its own */
  po_vec3 o; /* from the tree's origin (the floating base's, or the world's) to its own */
} po_place;

typedef struct po_node_course { /* how it moves */
  po_vec3 w, v;            /* angular velocity, velocity of its origin */
  po_vec3 al, a;           /* angular acceleration, classical acceleration of its origin */
} po_node_course;

typedef struct po_wrench {
  po_vec3 n, f;
} po_wrench; /* moment about the node's origin, force */

/* A unit motion (angular, and linear at the tree's origin) or a wrench there (moment, force), in a row of 64 bytes. */
typedef struct po_screw {
  po_vec3 ang, lin;
  double pad[2];
} po_screw;

typedef struct po_link_motion { /* RNEA's view of a node, in its own axes */
  po_mat3 E;                    /* node axes to the parent's */
  po_vec3 p;                    /* origin in the parent's axes */
  po_vec3 w, al, a;
  po_wrench f;
} po_link_motion;

typedef struct po_composite {
  double m;
  po_vec3 h;
  po_sym3 I;
} po_composite; /* ten parameters, world axes, own origin */

typedef struct po_articulated { /* IA = [I H; H' M] */
  po_sym3 I, M;
  po_mat3 H;
} po_articulated;

typedef struct po_scratch {
  double *angle, *sine, *cosine; /* [angles]; unused places stay 0, 0 and 1 */
  po_place *place;               /* [n+1], as po_kinematics left them (world axes) */
  po_node_course *motion;             /* [n+1], accelerations at qdd = 0 without gravity */
  po_screw *screw;               /* [rows]: unit motion of each freedom, world axes; rows = nv rounded up to 4, and a spare one */
  po_vec3 origin;                /* of the tree, in the world */
  po_link_motion *link;          /* [n+1] */
  po_place *place_b;             /* [n+1], as a dynamics algorithm left them (base axes when the base floats) */
  po_node_course *motion_b;
  po_wrench *force;    /* [n+1] */
  po_composite *comp;  /* [n+1] */
  po_screw *column;    /* [rows] what a unit acceleration of a freedom takes */
  po_screw *base_rows; /* [rows] columns in the base's own axes */
  double *rates;       /* [nv] v of the last po_kinematics */
  po_screw *screw_b;   /* [rows] unit motions in the axes of place_b */
  po_articulated *art; /* [n+1] */
  po_screw *factor_U;  /* [rows] of an articulated-body pass, per freedom: U */
  po_screw *factor_S;  /* [rows] the axis in ang, D^-1 in lin.x */
  po_screw *reach;     /* [n+1] r in ang, o in lin */
  po_mat3 base_R;      /* axes of place_b to world at the last po_minv_factor or po_aba, and the tree's origin */
  po_vec3 base_o;
  double *factor, *inverse; /* packed D L, 1/D */
  double *work;             /* [rows] */
  double *diagonal;         /* [rows] of M */
  /* of the twins that take four nodes at a time, [groups] each */
  struct po_lane_link *lane_link;
  struct po_lane_place *lane_place, *lane_place_b; /* world axes; base axes */
  struct po_lane_motion *lane_motion, *lane_motion_b;
  struct po_lane_composite *lane_composite;
  struct po_lane_articulated *lane_art;
  double (*four)[6][4]; /* [n+1] of po_minv_mul_lanes */
  double (*four_u)[4];  /* [nv] */
  int factors_in_lanes; /* 1: po_minv_ready must copy them to factor_U, factor_S and reach */
  int moving;                    /* 0: the last po_kinematics had no v */
  int in_lanes;         /* 1: the last po_kinematics left its places and motions there */
} po_scratch;

/* ---- algebra -------------------------------------------------------------------------------------------------------------- */

static inline po_vec3 po_s3_mul_v(po_sym3 A, po_vec3 v) {
  return po_v3(A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z, A.xz * v.x + A.yz * v.y + A.zz * v.z);
}

static inline po_sym3 po_s3_add(po_sym3 A, po_sym3 B) {
  po_sym3 C = {A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yy + B.yy, A.yz + B.yz, A.zz + B.zz};
  return C;
}

static inline po_sym3 po_s3_zero(void) {
  po_sym3 Z = {0, 0, 0, 0, 0, 0};
  return Z;
}

/* R A R' */
static inline po_sym3 po_s3_rotate(const po_mat3 *R, po_sym3 A) {
  const double *m = R->m;
  po_vec3 b0 = po_s3_mul_v(A, po_v3(m[0], m[1], m[2])); /* rows of R A */
  po_vec3 b1 = po_s3_mul_v(A, po_v3(m[3], m[4], m[5]));
  po_vec3 b2 = po_s3_mul_v(A, po_v3(m[6], m[7], m[8]));
  po_sym3 C;
  C.xx = b0.x * m[0] + b0.y * m[1] + b0.z * m[2];
  C.xy = b0.x * m[3] + b0.y * m[4] + b0.z * m[5];
  C.xz = b0.x * m[6] + b0.y * m[7] + b0.z * m[8];
  C.yy = b1.x * m[3] + b1.y * m[4] + b1.z * m[5];
  C.yz = b1.x * m[6] + b1.y * m[7] + b1.z * m[8];
  C.zz = b2.x * m[6] + b2.y * m[7] + b2.z * m[8];
  return C;
}

/* Moments about a point from which the old reference point is at r, for ten parameters (m, h): I − r~h~ − h~r~ − m r~r~. */
static inline po_sym3 po_s3_shift(po_sym3 I, double m, po_vec3 h, po_vec3 r) {
  po_vec3 k = po_v3(h.x + 0.5 * m * r.x, h.y + 0.5 * m * r.y, h.z + 0.5 * m * r.z);
  double x = 2 * k.x * r.x, y = 2 * k.y * r.y, z = 2 * k.z * r.z;
  po_sym3 C;
  C.xx = I.xx + y + z;
  C.yy = I.yy + x + z;
  C.zz = I.zz + x + y;
  C.xy = I.xy - (k.x * r.y + k.y * r.x);
  C.xz = I.xz - (k.x * r.z + k.z * r.x);
  C.yz = I.yz - (k.y * r.z + k.z * r.y);
  return C;
}

static inline po_vec3 po_col_z(const po_mat3 *R) { return po_v3(R->m[2], R->m[5], R->m[8]); }

/* R by value costs moves in hot loops; these take pointers. */
static inline po_vec3 po_rot(const po_mat3 *R, po_vec3 v) {
  const double *m = R->m;
  return po_v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z, m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
static inline po_vec3 po_unrot(const po_mat3 *R, po_vec3 v) {
  const double *m = R->m;
  return po_v3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z, m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
static inline void po_rot_mul(po_mat3 *C, const po_mat3 *A, const po_mat3 *B) {
  const double *a = A->m, *b = B->m;
  po_mat3 c;
  c.m[0] = a[0] * b[0] + a[1] * b[3] + a[2] * b[6];
  c.m[1] = a[0] * b[1] + a[1] * b[4] + a[2] * b[7];
  c.m[2] = a[0] * b[2] + a[1] * b[5] + a[2] * b[8];
  c.m[3] = a[3] * b[0] + a[4] * b[3] + a[5] * b[6];
  c.m[4] = a[3] * b[1] + a[4] * b[4] + a[5] * b[7];
  c.m[5] = a[3] * b[2] + a[4] * b[5] + a[5] * b[8];
  c.m[6] = a[6] * b[0] + a[7] * b[3] + a[8] * b[6];
  c.m[7] = a[6] * b[1] + a[7] * b[4] + a[8] * b[7];
  c.m[8] = a[6] * b[2] + a[7] * b[5] + a[8] * b[8];
  *C = c;
}

/* R(q) of a quaternion of any length but zero. */
static inline po_mat3 po_quat_matrix(const double *q) {
  double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
  double xs = x * s, ys = y * s, zs = z * s;
  return po_m3(1 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys, x * ys + w * zs, 1 - (x * xs + z * zs), y * zs - w * xs,
               x * zs - w * ys, y * zs + w * xs, 1 - (x * xs + y * ys));
}

/* ---- one node -------------------------------------------------------------------------------------------------------------- */

/* Node axes to the parent's (E), and the node's origin there, at q. */
static inline void po_node_relative(po_mat3 *E, po_vec3 *p, const po_node *n, const double *q, const double *sine,
                                    const double *cosine) {
  *p = n->p;
  switch (n->kind) {
    case PO_NODE_REVOLUTE: { /* turning about z mixes two columns and leaves the third */
      double s = sine[n->angle], c = cosine[n->angle];
      int i;
      for (i = 0; i < 9; i += 3) {
        double a = n->R.m[i], b = n->R.m[i + 1];
        E->m[i] = c * a + s * b;
        E->m[i + 1] = c * b - s * a;
        E->m[i + 2] = n->R.m[i + 2];
      }
      break;
    }
    case PO_NODE_PRISMATIC:
      *E = n->R;
      *p = po_v3_addscaled(n->p, q[n->q], po_col_z(&n->R));
      break;
    case PO_NODE_FLOATING:
      *p = po_v3_add(n->p, po_rot(&n->R, po_v3_of(q + n->q + 4)));
      /* fall through */
    default: {
      po_mat3 Q = po_quat_matrix(q + n->q);
      po_rot_mul(E, &n->R, &Q);
    }
  }
}

/* x = place of the node, from its parent's place p. */
static inline void po_node_place(po_place *x, const po_node *n, const po_place *p, const double *q, const double *sine,
                                 const double *cosine) {
  po_mat3 E;
  po_vec3 at;
  po_node_relative(&E, &at, n, q, sine, cosine);
  po_rot_mul(&x->R, &p->R, &E);
  x->r = po_rot(&p->R, at);
  x->o = po_v3_add(p->o, x->r);
}

/* w × (w × r) + al × r */
static inline po_vec3 po_swing(po_vec3 w, po_vec3 al, po_vec3 r) {
  return po_v3_add(po_v3_cross(w, po_v3_cross(w, r)), po_v3_cross(al, r));
}

/* Velocity of the node's origin; m->w, the parent's motion p and the place are known. */
static inline void po_node_velocity(po_node_course *m, const po_node *n, const po_place *x, const po_node_course *p, const double *qd) {
  m->v = po_v3_add(p->v, po_v3_cross(p->w, x->r));
  if (n->kind == PO_NODE_PRISMATIC) m->v = po_v3_addscaled(m->v, qd[n->v], po_col_z(&x->R));
  else if (n->kind == PO_NODE_FLOATING) m->v = po_v3_add(m->v, po_rot(&x->R, po_v3_of(qd + n->v + 3)));
}

/* w, and the part of al and a that the joint's own rates make beyond a rigid ride on the parent: (w_p × z qd, …). Adding
 * w_p × (w_p × r) gives Featherstone's c. */
static inline void po_node_rates(po_node_course *m, const po_node *n, const po_place *x, po_vec3 wp, const double *qd) {
  m->w = wp;
  m->al = m->a = po_v3(0, 0, 0);
  switch (n->kind) {
    case PO_NODE_REVOLUTE: {
      po_vec3 zq = po_v3_scale(qd[n->v], po_col_z(&x->R));
      m->w = po_v3_add(wp, zq);
      m->al = po_v3_cross(wp, zq);
      break;
    }
    case PO_NODE_PRISMATIC: m->a = po_v3_cross(wp, po_v3_scale(2 * qd[n->v], po_col_z(&x->R))); break;
    default: { /* spherical, floating: rates are in the node's own axes */
      po_vec3 Rw = po_rot(&x->R, po_v3_of(qd + n->v));
      m->w = po_v3_add(wp, Rw);
      m->al = po_v3_cross(wp, Rw);
      if (n->kind == PO_NODE_FLOATING) /* R u seen from the parent changes by Rw × R u, and Coriolis adds 2 w × R u */
        m->a = po_v3_cross(po_v3_addscaled(Rw, 2, wp), po_rot(&x->R, po_v3_of(qd + n->v + 3)));
    }
  }
}

/* m = w, al, a of the node from its parent's p, at qdd = 0. */
static inline void po_node_motion(po_node_course *m, const po_node *n, const po_place *x, const po_node_course *p, const double *qd) {
  po_node_rates(m, n, x, p->w, qd);
  m->al = po_v3_add(m->al, p->al);
  m->a = po_v3_add(m->a, po_v3_add(p->a, po_swing(p->w, p->al, x->r)));
}

/* What it takes to move the node so: force and moment about its origin, world axes. */
static inline po_wrench po_node_wrench(const po_node *n, const po_place *x, const po_node_course *m) {
  po_wrench f;
  po_vec3 h = po_rot(&x->R, n->h), wl = po_unrot(&x->R, m->w), al = po_unrot(&x->R, m->al);
  po_vec3 N = po_v3_add(po_s3_mul_v(n->I, al), po_v3_cross(wl, po_s3_mul_v(n->I, wl)));
  f.n = po_v3_add(po_rot(&x->R, N), po_v3_cross(h, m->a));
  f.f = po_v3_addscaled(po_swing(m->w, m->al, h), n->m, m->a);
  return f;
}

/* tau of the node's own freedoms from the wrench through its joint. */
static inline void po_node_project(double *tau, const po_node *n, const po_place *x, const po_wrench *f) {
  switch (n->kind) {
    case PO_NODE_REVOLUTE: tau[n->v] = po_v3_dot(po_col_z(&x->R), f->n); break;
    case PO_NODE_PRISMATIC: tau[n->v] = po_v3_dot(po_col_z(&x->R), f->f); break;
    default:
      po_v3_to(tau + n->v, po_unrot(&x->R, f->n));
      if (n->kind == PO_NODE_FLOATING) po_v3_to(tau + n->v + 3, po_unrot(&x->R, f->f));
  }
}

/* parent's wrench += this one, taken at the parent's origin */
static inline void po_wrench_shift_add(po_wrench *parent, const po_wrench *f, po_vec3 r) {
  parent->n = po_v3_add(parent->n, po_v3_add(f->n, po_v3_cross(r, f->f)));
  parent->f = po_v3_add(parent->f, f->f);
}

/* ---- shared passes (tree.c) ------------------------------------------------------------------------------------------------ */

/* Sines and cosines of all angles of q, into the scratch. */
void po_tree_sincos(po_data *data, const double *q);
/* Places of all nodes. base_axes: a floating root is put at the origin with R = 1, so that nothing depends on its pose. */
void po_tree_place(po_data *data, po_place *place, const double *q, int base_axes);
/* Gravity as a dynamics algorithm in base axes sees it. */
po_vec3 po_tree_gravity(const po_data *data, const double *q);
/* Unit motion of each freedom: angular velocity, and the velocity of the body's point at the tree's origin; axes of the places. */
void po_tree_screws(const po_data *data, po_screw *screw, const po_place *place);
/* Ten-parameter composite inertias of all subtrees at their own origins, from places. */
void po_tree_composite(po_data *data, const po_place *place);
static inline po_scratch *po_tree_scratch(const po_data *data) { return (po_scratch *)data->scratch; }

#endif
