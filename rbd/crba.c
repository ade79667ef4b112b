/* crba.c: the mass matrix by composite rigid bodies (RBDA table 6.2), in base axes, where M does not depend on the base's pose.
 *
 * Column j of M is what it takes to give freedom j a unit acceleration: the composite inertia of j's subtree times the unit motion,
 * seen by every freedom on the way to the root. The wrench is formed at the joint's own origin, where the motion is (z,0) or (0,z),
 * then carried once to the tree's origin, where every ancestor's unit motion is kept: each entry of M is then one 6-dot.
 * crba_lanes.c is the AVX2 twin.
 */
#include "crba.h"
#include "lanes.h"

void po_crba_columns(po_screw *column, double *diagonal, const po_data *data, const po_place *place) {
  const struct po_model_fast *t = data->model->fast;
  const po_composite *comp = po_tree_scratch(data)->comp;
  int i, k;
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_place *x = &place[i];
    const po_composite *c = &comp[i];
    for (k = 0; k < n->nv; k++) {
      po_screw *F = &column[n->v + k];
      po_vec3 e = n->nv > 1 ? po_m3_col(x->R, k % 3) : po_col_z(&x->R);
      double own;
      if (n->kind == PO_NODE_PRISMATIC || k >= 3) { /* unit linear motion */
        F->lin = po_v3_scale(c->m, e);
        F->ang = po_v3_cross(c->h, e);
        own = c->m;
      } else {
        F->lin = po_v3_cross(e, c->h);
        F->ang = po_s3_mul_v(c->I, e);
        own = po_v3_dot(e, F->ang);
      }
      if (diagonal) diagonal[n->v + k] = own + n->armature[k % 3];
      F->ang = po_v3_add(F->ang, po_v3_cross(x->o, F->lin));
    }
  }
}

void po_crba_fill(po_mat M, const po_data *data, const po_screw *column, const po_screw *screw, const double *diagonal) {
  const po_model *model = data->model;
  int i, j;
  for (i = 0; i < model->nv; i++) {
    po_vec3 n = column[i].ang, f = column[i].lin;
    PO_AT(M, i, i) = diagonal[i];
    for (j = model->dof_parent[i]; j >= 0; j = model->dof_parent[j]) {
      double m = po_v3_dot(screw[j].ang, n) + po_v3_dot(screw[j].lin, f);
      PO_AT(M, i, j) = m;
      PO_AT(M, j, i) = m;
    }
  }
}

void po_crba(po_mat M, po_data *data, const double *q) {
  po_scratch *s = po_tree_scratch(data);
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    po_crba_lanes(M, data, q);
    return;
  }
#endif
  po_tree_place(data, s->place_b, q, 1);
  po_tree_composite(data, s->place_b);
  po_tree_screws(data, s->screw_b, s->place_b);
  po_mat_zero(M);
  po_crba_columns(s->column, s->diagonal, data, s->place_b);
  po_crba_fill(M, data, s->column, s->screw_b, s->diagonal);
}
