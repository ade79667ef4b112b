/* rnea.c: inverse dynamics by the recursive Newton-Euler algorithm (Luh, Walker & Paul 1980; RBDA table 5.1), in link axes.
 *
 *   root to leaf:  w = E'w_p + S qd,  al = E'al_p + E'w_p × S qd + S qdd,  a = E'(a_p + al_p × p + w_p × (w_p × p)) + …
 *                  what it takes:  f = m a + al × h + w × (w × h),  n = I al + w × I w + h × a
 *   leaf to root:  tau = the part of (n, f) along the joint's freedoms; the parent bears E n + p × E f and E f
 *
 * E turns node axes into the parent's, p is the node's origin there; a is the classical acceleration of the origin, so linear
 * velocities are needed only by joints that slide. Gravity enters as an acceleration of the root by −g. rnea_lanes.c is the AVX2 twin.
 */
#include "lanes.h"
#include "tree.h"

/* w, al, a from the parent's; qdd may be NULL (zero). */
static inline void rnea_motion(po_link_motion *x, const po_node *n, const po_link_motion *up, const double *qd, const double *qdd) {
  po_vec3 w = po_unrot(&x->E, up->w), al = po_unrot(&x->E, up->al);
  x->a = po_unrot(&x->E, po_v3_add(up->a, po_swing(up->w, up->al, x->p)));
  switch (n->kind) {
    case PO_NODE_REVOLUTE: { /* w' × z qd = (w_y, −w_x, 0) qd */
      double r = qd[n->v];
      x->al = po_v3(al.x + w.y * r, al.y - w.x * r, qdd ? al.z + qdd[n->v] : al.z);
      x->w = po_v3(w.x, w.y, w.z + r);
      break;
    }
    case PO_NODE_PRISMATIC: { /* Coriolis 2 w' × z qd */
      double r = 2 * qd[n->v];
      x->w = w;
      x->al = al;
      x->a = po_v3(x->a.x + w.y * r, x->a.y - w.x * r, qdd ? x->a.z + qdd[n->v] : x->a.z);
      break;
    }
    default: {
      po_vec3 r = po_v3_of(qd + n->v);
      x->al = po_v3_add(al, po_v3_cross(w, r));
      x->w = po_v3_add(w, r);
      if (qdd) x->al = po_v3_add(x->al, po_v3_of(qdd + n->v));
      if (n->kind == PO_NODE_FLOATING) { /* the relative velocity u turns with the node, and Coriolis adds 2 w' × u */
        x->a = po_v3_add(x->a, po_v3_cross(po_v3_addscaled(r, 2, w), po_v3_of(qd + n->v + 3)));
        if (qdd) x->a = po_v3_add(x->a, po_v3_of(qdd + n->v + 3));
      }
    }
  }
}

static inline void rnea_wrench(po_link_motion *x, const po_node *n) {
  po_vec3 N = po_v3_add(po_s3_mul_v(n->I, x->al), po_v3_cross(x->w, po_s3_mul_v(n->I, x->w)));
  x->f.n = po_v3_add(N, po_v3_cross(n->h, x->a));
  x->f.f = po_v3_addscaled(po_swing(x->w, x->al, n->h), n->m, x->a);
}

/* tau along the node's own freedoms. */
static inline void rnea_project(double *tau, const po_node *n, const po_link_motion *x, const double *qdd) {
  int k;
  switch (n->kind) {
    case PO_NODE_REVOLUTE: tau[n->v] = x->f.n.z; break;
    case PO_NODE_PRISMATIC: tau[n->v] = x->f.f.z; break;
    default:
      po_v3_to(tau + n->v, x->f.n);
      if (n->kind == PO_NODE_FLOATING) {
        po_v3_to(tau + n->v + 3, x->f.f);
        return; /* no rotors */
      }
  }
  for (k = 0; qdd && k < n->nv; k++) tau[n->v + k] += n->armature[k] * qdd[n->v + k];
}

static void rnea_plain(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_link_motion *x = s->link;
  int i;
  po_tree_sincos(data, q);
  x[0].w = x[0].al = po_v3(0, 0, 0);
  x[0].a = po_v3_neg(data->gravity);
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    po_node_relative(&x[i].E, &x[i].p, n, q, s->sine, s->cosine);
    rnea_motion(&x[i], n, &x[n->parent], v, a);
    rnea_wrench(&x[i], n);
  }
  for (i = 0; f_ext && i < data->model->nb; i++) { /* what acts from outside the joints need not supply */
    po_wrench *f = &x[t->body_node[i]].f;
    f->n = po_v3_sub(f->n, po_unrot(&t->align[i], f_ext[i].ang));
    f->f = po_v3_sub(f->f, po_unrot(&t->align[i], f_ext[i].lin));
  }
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_wrench *up = &x[n->parent].f;
    rnea_project(tau, n, &x[i], a);
    if (n->parent > 0) {
      po_vec3 f = po_rot(&x[i].E, x[i].f.f);
      up->n = po_v3_add(up->n, po_v3_add(po_rot(&x[i].E, x[i].f.n), po_v3_cross(x[i].p, f)));
      up->f = po_v3_add(up->f, f);
    }
  }
}

void po_rnea(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext) {
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    po_rnea_lanes(tau, data, q, v, a, f_ext);
    return;
  }
#endif
  rnea_plain(tau, data, q, v, a, f_ext);
}

void po_bias(double *h, po_data *data, const double *q, const double *v) { po_rnea(h, data, q, v, NULL, NULL); }

/* At rest the wrench of a node is its weight: only the direction of gravity travels outwards. */
void po_gravity(double *g, po_data *data, const double *q) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_link_motion *x = s->link;
  int i;
  po_tree_sincos(data, q);
  x[0].a = po_v3_neg(data->gravity);
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    po_node_relative(&x[i].E, &x[i].p, n, q, s->sine, s->cosine);
    x[i].a = po_unrot(&x[i].E, x[n->parent].a);
    x[i].f.n = po_v3_cross(n->h, x[i].a);
    x[i].f.f = po_v3_scale(n->m, x[i].a);
  }
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_wrench *up = &x[n->parent].f;
    rnea_project(g, n, &x[i], NULL);
    if (n->parent > 0) {
      po_vec3 f = po_rot(&x[i].E, x[i].f.f);
      up->n = po_v3_add(up->n, po_v3_add(po_rot(&x[i].E, x[i].f.n), po_v3_cross(x[i].p, f)));
      up->f = po_v3_add(up->f, f);
    }
  }
}
