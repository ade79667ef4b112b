/* aba.c: forward dynamics by the articulated-body algorithm (RBDA table 7.1), in base axes at each node's own origin.
 *
 *   root to leaf:  w and c (what al and a are when all qdd and the parent's accelerations are zero), own inertia and bias wrench
 *   leaf to root:  for each freedom U = IA S, D = S'U, u = tau − S'p with p = pA + IA c;  IA −= U D^-1 U',  p += U D^-1 u;
 *                  IA and p are then shifted to the parent and added
 *   root to leaf:  qdd = D^-1 (u − U'a),  a = a_parent + c + S qdd
 *
 * Accelerations are classical ones of the node's origin, so the bias wrench is only (w × I w, w × (w × h)). IA is three 3×3 blocks,
 * [I H; H' M] with I and M symmetric: 21 numbers, and moving it to the parent is a shift without any rotation. aba_lanes.c is the AVX2
 * twin.
 */
#include "aba.h"
#include "lanes.h"

/* A −= k a a' */
static inline po_sym3 aba_rank1(po_sym3 A, double k, po_vec3 a) {
  po_vec3 b = po_v3_scale(k, a);
  A.xx -= a.x * b.x;
  A.xy -= a.x * b.y;
  A.xz -= a.x * b.z;
  A.yy -= a.y * b.y;
  A.yz -= a.y * b.z;
  A.zz -= a.z * b.z;
  return A;
}

/* H −= k a b' */
static inline void aba_rank1_full(po_mat3 *H, double k, po_vec3 a, po_vec3 b) {
  po_vec3 c = po_v3_scale(k, a);
  H->m[0] -= c.x * b.x;
  H->m[1] -= c.x * b.y;
  H->m[2] -= c.x * b.z;
  H->m[3] -= c.y * b.x;
  H->m[4] -= c.y * b.y;
  H->m[5] -= c.y * b.z;
  H->m[6] -= c.z * b.x;
  H->m[7] -= c.z * b.y;
  H->m[8] -= c.z * b.z;
}

/* K = r~ M, H += K, I += B + B' with B = −(H + K/2) r~. */
static inline void aba_shift_add(po_articulated *P, const po_articulated *A, po_vec3 r) {
  const po_sym3 *I = &A->I, *M = &A->M;
  const po_mat3 *H = &A->H;
  double k[9], g[9], b[9];
  int i;
  k[0] = r.y * M->xz - r.z * M->xy;
  k[1] = r.y * M->yz - r.z * M->yy;
  k[2] = r.y * M->zz - r.z * M->yz;
  k[3] = r.z * M->xx - r.x * M->xz;
  k[4] = r.z * M->xy - r.x * M->yz;
  k[5] = r.z * M->xz - r.x * M->zz;
  k[6] = r.x * M->xy - r.y * M->xx;
  k[7] = r.x * M->yy - r.y * M->xy;
  k[8] = r.x * M->yz - r.y * M->xz;
  for (i = 0; i < 9; i++) {
    g[i] = H->m[i] + 0.5 * k[i];
    P->H.m[i] += H->m[i] + k[i];
  }
  for (i = 0; i < 9; i += 3) { /* rows of −G r~ = (r × g')' */
    b[i] = r.y * g[i + 2] - r.z * g[i + 1];
    b[i + 1] = r.z * g[i] - r.x * g[i + 2];
    b[i + 2] = r.x * g[i + 1] - r.y * g[i];
  }
  P->I.xx += I->xx + 2 * b[0];
  P->I.xy += I->xy + b[1] + b[3];
  P->I.xz += I->xz + b[2] + b[6];
  P->I.yy += I->yy + 2 * b[4];
  P->I.yz += I->yz + b[5] + b[7];
  P->I.zz += I->zz + 2 * b[8];
  P->M = po_s3_add(P->M, *M);
}

static inline int aba_eliminate(po_articulated *A, po_scratch *s, const po_node *n, const po_place *x, const double *added) {
  int k, good = 1;
  for (k = 0; k < n->nv; k++) {
    int d = po_node_step(n, k);
    po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
    po_vec3 e = po_node_axis(x, k);
    double D, inverse;
    if (po_node_slides(n, k)) {
      U->ang = po_rot(&A->H, e);
      U->lin = po_s3_mul_v(A->M, e);
      D = po_v3_dot(e, U->lin);
    } else {
      U->ang = po_s3_mul_v(A->I, e);
      U->lin = po_unrot(&A->H, e);
      D = po_v3_dot(e, U->ang);
    }
    D += n->armature[(d - n->v) % 3];
    if (added && n->kind != PO_NODE_FLOATING) D += added[d];
    if (!(D > 0)) good = 0;
    inverse = 1 / D;
    S->ang = e;
    S->lin.x = inverse;
    if (!n->parent && k == n->nv - 1) break; /* nobody feels what is left */
    A->I = aba_rank1(A->I, inverse, U->ang);
    A->M = aba_rank1(A->M, inverse, U->lin);
    aba_rank1_full(&A->H, inverse, U->ang, U->lin);
  }
  return good;
}

int po_aba_eliminate(po_articulated *A, po_scratch *s, const po_node *n, const po_place *x, const double *added) {
  return aba_eliminate(A, s, n, x, added);
}
void po_aba_shift_add(po_articulated *P, const po_articulated *A, po_vec3 r) { aba_shift_add(P, A, r); }

void po_aba_own_inertia(po_articulated *A, const po_node *n, const po_place *x, po_vec3 *h) {
  *h = po_rot(&x->R, n->h);
  A->I = po_s3_rotate(&x->R, n->I);
  A->H = po_m3_skew(*h);
  A->M.xx = A->M.yy = A->M.zz = n->m;
  A->M.xy = A->M.xz = A->M.yz = 0;
}

void po_aba_note_base(po_data *data, const double *q) {
  po_scratch *s = po_tree_scratch(data);
  s->base_R = po_m3_identity();
  s->base_o = po_v3(0, 0, 0);
  if (data->model->floating) {
    const po_node *root = &data->model->fast->node[1];
    po_mat3 Q = po_quat_matrix(q + root->q);
    po_rot_mul(&s->base_R, &root->R, &Q);
    s->base_o = po_v3_add(root->p, po_rot(&root->R, po_v3_of(q + root->q + 4)));
  }
}

/* First pass: inertias, velocities, c (in motion.al and .a) and bias wrenches (in force). */
static void aba_outward(po_data *data, const double *v) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_node_course *m = s->motion_b;
  int i;
  m[0].w = po_v3(0, 0, 0);
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_place *x = &s->place_b[i];
    po_vec3 wp = m[n->parent].w, h;
    po_node_rates(&m[i], n, x, wp, v);
    m[i].a = po_v3_add(m[i].a, po_v3_cross(wp, po_v3_cross(wp, x->r)));
    po_aba_own_inertia(&s->art[i], n, x, &h);
    s->force[i].n = po_v3_cross(m[i].w, po_s3_mul_v(s->art[i].I, m[i].w));
    s->force[i].f = po_v3_cross(m[i].w, po_v3_cross(m[i].w, h));
  }
}

static void aba_external(po_data *data, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i;
  for (i = 0; i < data->model->nb; i++) {
    int k = t->body_node[i];
    po_wrench *p = &s->force[k];
    p->n = po_v3_sub(p->n, po_rot(&s->place_b[k].R, po_unrot(&t->align[i], f_ext[i].ang)));
    p->f = po_v3_sub(p->f, po_rot(&s->place_b[k].R, po_unrot(&t->align[i], f_ext[i].lin)));
  }
}

static int aba_inward(po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i, good = 1;
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    const po_node_course *c = &s->motion_b[i];
    po_articulated *A = &s->art[i];
    po_wrench *p = &s->force[i];
    p->n = po_v3_add(p->n, po_v3_add(po_s3_mul_v(A->I, c->al), po_rot(&A->H, c->a)));
    p->f = po_v3_add(p->f, po_v3_add(po_unrot(&A->H, c->al), po_s3_mul_v(A->M, c->a)));
    good &= aba_eliminate(A, s, n, &s->place_b[i], data->added);
    po_aba_up(s->work, p, s, n);
    if (!n->parent) continue;
    aba_shift_add(&s->art[n->parent], A, s->place_b[i].r);
    po_wrench_shift_add(&s->force[n->parent], p, s->place_b[i].r);
  }
  return good;
}

static po_status aba_plain(double *qdd, po_data *data, const double *q, const double *v, const double *tau, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_place *x = s->place_b;
  po_node_course *m = s->motion_b;
  int i;
  po_tree_place(data, x, q, 1);
  for (i = 1; i <= t->n; i++) s->reach[i].ang = x[i].r, s->reach[i].lin = x[i].o;
  po_aba_note_base(data, q);
  aba_outward(data, v);
  if (f_ext) aba_external(data, f_ext);
  for (i = 0; i < data->model->nv; i++) s->work[i] = tau[i];
  s->factors_in_lanes = 0;
  if (!aba_inward(data)) return PO_ERR_SINGULAR;
  m[0].al = po_v3(0, 0, 0);
  m[0].a = po_v3_neg(po_tree_gravity(data, q));
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_node_course *p = &m[n->parent];
    /* riding on the parent, with c, before the joint's own qdd; u had IA c taken off already */
    po_vec3 al = p->al, a = po_v3_add(p->a, po_v3_cross(p->al, x[i].r));
    po_aba_down(s->work, &al, &a, s, n);
    m[i].al = po_v3_add(al, m[i].al);
    m[i].a = po_v3_add(a, m[i].a);
  }
  for (i = 0; i < data->model->nv; i++) qdd[i] = s->work[i];
  return PO_OK;
}

po_status po_aba(double *qdd, po_data *data, const double *q, const double *v, const double *tau, const po_vec6 *f_ext) {
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) return po_aba_lanes(qdd, data, q, v, tau, f_ext);
#endif
  return aba_plain(qdd, data, q, v, tau, f_ext);
}
