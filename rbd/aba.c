/* aba.c: forward dynamics by the articulated-body algorithm (RBDA table 7.1), in base axes at each node's own origin.
 *
 *   root to leaf:  w and c (what al and a are when all qdd and the parent's accelerations are zero), own inertia and bias wrench
 *   leaf to root:  U = IA S, D = S'U, u = tau − S'(pA + IA c);  Ia = IA − U D^-1 U',  pa = pA + IA c + U D^-1 u, shifted to the parent
 *   root to leaf:  qdd = D^-1 (u − U'a),  a = a_parent + c + S qdd
 *
 * Accelerations are classical ones of the node's origin, so the bias wrench is only (w × I w, w × (w × h)). IA is three 3×3 blocks,
 * [I H; H' M] with I and M symmetric: 21 numbers, and moving it to the parent is a shift without any rotation.
 */
#include "aba.h"

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
  H->m[0] -= c.x * b.x; H->m[1] -= c.x * b.y; H->m[2] -= c.x * b.z;
  H->m[3] -= c.y * b.x; H->m[4] -= c.y * b.y; H->m[5] -= c.y * b.z;
  H->m[6] -= c.z * b.x; H->m[7] -= c.z * b.y; H->m[8] -= c.z * b.z;
}

/* [I H; H' M] of the child, taken at the parent's origin and added: K = r~ M, H += K, I += B + B' with B = −(H + K/2) r~. */
static inline void aba_shift_add(po_articulated *P, const po_sym3 *I, const po_mat3 *H, const po_sym3 *M, po_vec3 r) {
  double k[9], g[9], b[9];
  int i;
  k[0] = r.y * M->xz - r.z * M->xy; k[1] = r.y * M->yz - r.z * M->yy; k[2] = r.y * M->zz - r.z * M->yz;
  k[3] = r.z * M->xx - r.x * M->xz; k[4] = r.z * M->xy - r.x * M->yz; k[5] = r.z * M->xz - r.x * M->zz;
  k[6] = r.x * M->xy - r.y * M->xx; k[7] = r.x * M->yy - r.y * M->xy; k[8] = r.x * M->yz - r.y * M->xz;
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

/* A − B D B' for symmetric D and A; B by its rows. */
static po_sym3 aba_congruence(po_sym3 A, po_vec3 b0, po_vec3 b1, po_vec3 b2, po_sym3 D) {
  po_vec3 d0 = po_s3_mul_v(D, b0), d1 = po_s3_mul_v(D, b1), d2 = po_s3_mul_v(D, b2);
  A.xx -= po_v3_dot(d0, b0);
  A.xy -= po_v3_dot(d0, b1);
  A.xz -= po_v3_dot(d0, b2);
  A.yy -= po_v3_dot(d1, b1);
  A.yz -= po_v3_dot(d1, b2);
  A.zz -= po_v3_dot(d2, b2);
  return A;
}

/* A spherical joint: U = (I, H'), D = I + rotor inertia. Without one, nothing of I and H is left. */
static int aba_spherical(po_articulated *A, po_sym3 *I, po_mat3 *H, po_sym3 *M, const po_node *n, const po_place *x, const double *added) {
  po_sym3 D = A->I;
  const double *h = A->H.m;
  po_vec3 extra = added ? po_v3_of(added + n->v) : po_v3(0, 0, 0);
  po_sym3 rotor = {n->armature[0] + extra.x, 0, 0, n->armature[1] + extra.y, 0, n->armature[2] + extra.z};
  int good, armed = rotor.xx > 0 || rotor.yy > 0 || rotor.zz > 0;
  if (armed) {
    D = po_s3_add(D, po_s3_rotate(&x->R, rotor));
  }
  good = po_s3_inverse(&A->Dinv, D);
  *M = aba_congruence(A->M, po_v3(h[0], h[3], h[6]), po_v3(h[1], h[4], h[7]), po_v3(h[2], h[5], h[8]), A->Dinv);
  *I = po_s3_zero();
  *H = po_m3_diag(0, 0, 0);
  if (armed) {
    po_vec3 i0 = po_v3(A->I.xx, A->I.xy, A->I.xz), i1 = po_v3(A->I.xy, A->I.yy, A->I.yz), i2 = po_v3(A->I.xz, A->I.yz, A->I.zz);
    po_vec3 d0 = po_s3_mul_v(A->Dinv, i0), d1 = po_s3_mul_v(A->Dinv, i1), d2 = po_s3_mul_v(A->Dinv, i2);
    po_mat3 ID = po_m3(d0.x, d0.y, d0.z, d1.x, d1.y, d1.z, d2.x, d2.y, d2.z);
    *I = aba_congruence(A->I, i0, i1, i2, A->Dinv);
    *H = po_m3_sub(A->H, po_m3_mul(ID, A->H));
  }
  return good;
}

static int aba_floating(po_block6 *b, const po_articulated *A) {
  po_sym3 S;
  const double *h = A->H.m;
  int good = po_s3_inverse(&b->Minv, A->M), i;
  for (i = 0; i < 9; i += 3) {
    po_vec3 k = po_s3_mul_v(b->Minv, po_v3(h[i], h[i + 1], h[i + 2]));
    po_v3_to(&b->K.m[i], k);
  }
  S = aba_congruence(A->I, po_v3(h[0], h[1], h[2]), po_v3(h[3], h[4], h[5]), po_v3(h[6], h[7], h[8]), b->Minv);
  return po_s3_inverse(&b->Sinv, S) && good;
}

po_status po_aba_factor(po_data *data, const po_place *place) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i, good = 1;
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_articulated *A = &s->art[i];
    po_sym3 I, M;
    po_mat3 H;
    po_vec3 z;
    double D, k;
    switch (n->kind) {
    case PO_NODE_REVOLUTE:
    case PO_NODE_PRISMATIC:
      z = po_col_z(&place[i].R);
      if (n->kind == PO_NODE_REVOLUTE) {
        A->U.n = po_s3_mul_v(A->I, z);
        A->U.f = po_aba_tmul(&A->H, z);
        D = po_v3_dot(z, A->U.n) + n->armature[0] + (data->added ? data->added[n->v] : 0);
      } else {
        A->U.n = po_rot(&A->H, z);
        A->U.f = po_s3_mul_v(A->M, z);
        D = po_v3_dot(z, A->U.f) + n->armature[0] + (data->added ? data->added[n->v] : 0);
      }
      if (!(D > 0)) good = 0;
      A->Dinv.xx = k = 1 / D;
      if (!n->parent) continue;
      I = aba_rank1(A->I, k, A->U.n);
      M = aba_rank1(A->M, k, A->U.f);
      H = A->H;
      aba_rank1_full(&H, k, A->U.n, A->U.f);
      break;
    case PO_NODE_SPHERICAL:
      if (!aba_spherical(A, &I, &H, &M, n, &place[i], data->added)) good = 0;
      if (!n->parent) continue;
      break;
    default:
      if (!aba_floating(&s->block[s->slot[i]], A)) good = 0;
      continue; /* nothing of what floats weighs on the parent */
    }
    aba_shift_add(&s->art[n->parent], &I, &H, &M, place[i].r);
  }
  return good ? PO_OK : PO_ERR_SINGULAR;
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

/* First pass: inertias, velocities, c (in motion.al and .a) and bias wrenches (in force). */
static void aba_outward(po_data *data, const double *v) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_motion *m = s->motion_b;
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

po_status po_aba(double *qdd, po_data *data, const double *q, const double *v, const double *tau, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_place *x = s->place_b;
  po_motion *m = s->motion_b;
  po_status status;
  int i;
  po_tree_place(data, x, q, 1);
  po_aba_note_base(data, q);
  aba_outward(data, v);
  if (f_ext) aba_external(data, f_ext);
  status = po_aba_factor(data, x);
  if (status != PO_OK) return status;
  for (i = 0; i < data->model->nv; i++) s->work[i] = tau[i];
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    const po_articulated *A = &s->art[i];
    po_wrench *p = &s->force[i];
    /* pA + IA c */
    p->n = po_v3_add(p->n, po_v3_add(po_s3_mul_v(A->I, m[i].al), po_rot(&A->H, m[i].a)));
    p->f = po_v3_add(p->f, po_v3_add(po_aba_tmul(&A->H, m[i].al), po_s3_mul_v(A->M, m[i].a)));
    po_aba_up(s->work + n->v, p, A, n, &x[i]);
    if (n->parent) po_wrench_shift_add(&s->force[n->parent], p, x[i].r);
  }
  m[0].al = po_v3(0, 0, 0);
  m[0].a = po_v3_neg(po_tree_gravity(data, q));
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_motion *p = &m[n->parent];
    po_vec3 al = p->al, a = po_v3_add(p->a, po_v3_cross(p->al, x[i].r));
    po_aba_down(s->work + n->v, &al, &a, &s->art[i], &s->block[s->slot[i]], n, &x[i]);
    m[i].al = po_v3_add(al, m[i].al);
    m[i].a = po_v3_add(a, m[i].a);
  }
  for (i = 0; i < data->model->nv; i++) qdd[i] = s->work[i];
  return PO_OK;
}
