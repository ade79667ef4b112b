/* aba.h (room-internal): articulated-body inertias and the steps of a solve with them, shared by po_aba and po_minv_…. */
#ifndef PO_RBD_ABA_H
#define PO_RBD_ABA_H

#include "tree.h"

/* Articulated inertias and factors of all nodes from s->art[i].I, .H, .M that hold each node's own inertia. */
po_status po_aba_factor(po_data *data, const po_place *place);
/* Base axes and origin, so that world forces can be brought into them. */
void po_aba_note_base(po_data *data, const double *q);

/* A node's own inertia in the axes of its place: I, h~ and m 1. */
static inline void po_aba_own_inertia(po_articulated *A, const po_node *n, const po_place *x, po_vec3 *h) {
  *h = po_rot(&x->R, n->h);
  A->I = po_s3_rotate(&x->R, n->I);
  A->H = po_m3_skew(*h);
  A->M.xx = A->M.yy = A->M.zz = n->m;
  A->M.xy = A->M.xz = A->M.yz = 0;
}

/* H' v */
static inline po_vec3 po_aba_tmul(const po_mat3 *H, po_vec3 v) { return po_unrot(H, v); }

/* Leaf to root: from the wrench p and this node's generalized forces, u = tau − S'p, kept in u (a scalar in u[0], or in the axes
 * of the places), and p += U D^-1 u, which is what the parent feels. */
static inline void po_aba_up(double *u, po_wrench *p, const po_articulated *A, const po_node *n, const po_place *x) {
  switch (n->kind) {
  case PO_NODE_REVOLUTE:
  case PO_NODE_PRISMATIC: {
    double k;
    u[0] -= po_v3_dot(po_col_z(&x->R), n->kind == PO_NODE_REVOLUTE ? p->n : p->f);
    k = A->Dinv.xx * u[0];
    p->n = po_v3_addscaled(p->n, k, A->U.n);
    p->f = po_v3_addscaled(p->f, k, A->U.f);
    break;
  }
  case PO_NODE_SPHERICAL: {
    po_vec3 w = po_v3_sub(po_rot(&x->R, po_v3_of(u)), p->n), k = po_s3_mul_v(A->Dinv, w);
    po_v3_to(u, w);
    p->n = po_v3_add(p->n, po_s3_mul_v(A->I, k));
    p->f = po_v3_add(p->f, po_aba_tmul(&A->H, k));
    break;
  }
  default: { /* floating: the parent feels only what the joint is driven with */
    po_vec3 n3 = po_rot(&x->R, po_v3_of(u)), f3 = po_rot(&x->R, po_v3_of(u + 3));
    po_v3_to(u, po_v3_sub(n3, p->n));
    po_v3_to(u + 3, po_v3_sub(f3, p->f));
    p->n = n3;
    p->f = f3;
  }
  }
}

/* Root to leaf: (al, a) ride rigidly on the parent; qdd = D^-1 (u − U'(al, a)) in place of u, and (al, a) gain S qdd. */
static inline void po_aba_down(double *u, po_vec3 *al, po_vec3 *a, const po_articulated *A, const po_block6 *block, const po_node *n,
                               const po_place *x) {
  switch (n->kind) {
  case PO_NODE_REVOLUTE:
    u[0] = A->Dinv.xx * (u[0] - po_v3_dot(A->U.n, *al) - po_v3_dot(A->U.f, *a));
    *al = po_v3_addscaled(*al, u[0], po_col_z(&x->R));
    break;
  case PO_NODE_PRISMATIC:
    u[0] = A->Dinv.xx * (u[0] - po_v3_dot(A->U.n, *al) - po_v3_dot(A->U.f, *a));
    *a = po_v3_addscaled(*a, u[0], po_col_z(&x->R));
    break;
  case PO_NODE_SPHERICAL: {
    po_vec3 w = po_v3_sub(po_v3_of(u), po_v3_add(po_s3_mul_v(A->I, *al), po_rot(&A->H, *a)));
    w = po_s3_mul_v(A->Dinv, w);
    po_v3_to(u, po_unrot(&x->R, w));
    *al = po_v3_add(*al, w);
    break;
  }
  default: { /* IA^-1 u by the Schur complement of M; U' is IA itself, so U'(al, a) need not be formed */
    po_vec3 f3 = po_v3_of(u + 3);
    po_vec3 w = po_s3_mul_v(block->Sinv, po_v3_sub(po_v3_of(u), po_rot(&block->K, f3)));
    po_vec3 l = po_v3_sub(po_s3_mul_v(block->Minv, f3), po_aba_tmul(&block->K, w));
    po_v3_to(u, po_unrot(&x->R, po_v3_sub(w, *al)));
    po_v3_to(u + 3, po_unrot(&x->R, po_v3_sub(l, *a)));
    *al = w;
    *a = l;
  }
  }
}

#endif
