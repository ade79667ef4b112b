/* aba.h (room-internal): the factors that an articulated-body pass leaves, and one node's part of a solve with them.
 *
 * Freedoms are eliminated one after another, those of one joint too: for freedom d with unit motion S, U = IA S, D = S'U + rotor,
 * IA -= U D^-1 U'. So a spherical or floating joint is three or six steps at one origin, in the order of po_node_step.
 */
#ifndef PO_RBD_ABA_H
#define PO_RBD_ABA_H

#include "tree.h"

/* Step k of a node is which of its freedoms, counted within v; turning about z, y, x comes first, then sliding along z, y, x. */
static inline int po_node_step(const po_node *n, int k) { return n->nv == 1 ? n->v : n->v + (k < 3 ? 2 - k : 8 - k); }
static inline int po_node_slides(const po_node *n, int k) { return n->kind == PO_NODE_PRISMATIC || k >= 3; }
static inline po_vec3 po_node_axis(const po_place *x, int k) { return po_m3_col(x->R, 2 - k % 3); }

/* Leaf to root: u = tau − S'p in place of tau, and p += U D^-1 u, which is what the parent feels. */
static inline void po_aba_up(double *u, po_wrench *p, const po_scratch *s, const po_node *n) {
  int k;
  for (k = 0; k < n->nv; k++) {
    int d = po_node_step(n, k);
    const po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
    double t = u[d] - po_v3_dot(S->ang, po_node_slides(n, k) ? p->f : p->n), e = S->lin.x * t;
    u[d] = t;
    p->n = po_v3_addscaled(p->n, e, U->ang);
    p->f = po_v3_addscaled(p->f, e, U->lin);
  }
}

/* Root to leaf: (al, a) ride rigidly on the parent; qdd = D^-1 (u − U'(al, a)) in place of u, and (al, a) gain S qdd. */
static inline void po_aba_down(double *u, po_vec3 *al, po_vec3 *a, const po_scratch *s, const po_node *n) {
  int k;
  for (k = n->nv - 1; k >= 0; k--) {
    int d = po_node_step(n, k);
    const po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
    double qdd = S->lin.x * (u[d] - po_v3_dot(U->ang, *al) - po_v3_dot(U->lin, *a));
    u[d] = qdd;
    if (po_node_slides(n, k)) *a = po_v3_addscaled(*a, qdd, S->ang);
    else *al = po_v3_addscaled(*al, qdd, S->ang);
  }
}

/* Base axes and origin, so that world forces can be brought into them. */
void po_aba_note_base(po_data *data, const double *q);
/* A node's own inertia in the axes of its place; *h its mass times com there. */
void po_aba_own_inertia(po_articulated *A, const po_node *n, const po_place *x, po_vec3 *h);
/* Eliminates the freedoms of node i from A in place and keeps the factors. added: of po_data. 0: not positive definite. */
int po_aba_eliminate(po_articulated *A, po_scratch *s, const po_node *n, const po_place *x, const double *added);
/* A, taken at the parent's origin and added to P. */
void po_aba_shift_add(po_articulated *P, const po_articulated *A, po_vec3 r);
/* The factors of the last po_aba or po_minv_factor are in factor_U, factor_S and reach, wherever they were made. */
void po_minv_ready(const po_data *data);
/* Omega of ports.c, four columns at a time (AVX2). */
void po_ports_lanes(po_ports *ports);

#endif
