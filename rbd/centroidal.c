/* centroidal.c: the centroidal momentum matrix and its drift; everything a control tick needs in one pass.
 *
 * Column j of the matrix is the momentum that a unit rate of freedom j gives the mass below it: the composite inertia times the unit
 * motion, the same wrench that CRBA forms, moved to the centre of mass. Rows are angular about the COM, then linear, world axes.
 * This is the full matrix of Orin & Goswami (2008): spin and orbital parts.
 * centroidal_lanes.c is the AVX2 twin.
 */
#include "crba.h"
#include "lanes.h"

static void centroidal_columns(po_data *data, const po_screw *column) {
  po_vec3 c = po_v3_sub(data->com, po_tree_scratch(data)->origin);
  double k = data->model->total_mass > 0 ? 1 / data->model->total_mass : 0;
  double *cmm = data->cmm.a, *J = data->Jcom.a;
  size_t ld = (size_t)data->cmm.ld, lj = (size_t)data->Jcom.ld;
  int j;
  for (j = 0; j < data->model->nv; j++) {
    po_vec3 f = column[j].lin, n = po_v3_sub(column[j].ang, po_v3_cross(c, f));
    cmm[j] = n.x;
    cmm[ld + j] = n.y;
    cmm[2 * ld + j] = n.z;
    cmm[3 * ld + j] = f.x;
    cmm[4 * ld + j] = f.y;
    cmm[5 * ld + j] = f.z;
    J[j] = k * f.x;
    J[lj + j] = k * f.y;
    J[2 * lj + j] = k * f.z;
  }
}

/* The root's share: composite h gives the COM; summed wrenches of all bodies at the tree's origin give the drift. */
static void centroidal_totals(po_data *data, const po_composite *all, const po_wrench *drift, const double *momentum) {
  double k = data->model->total_mass > 0 ? 1 / data->model->total_mass : 0;
  po_vec3 c = po_v3_scale(k, all->h), L = po_v3_of(momentum), p = po_v3_of(momentum + 3);
  data->com = po_v3_add(po_tree_scratch(data)->origin, c);
  data->com_velocity = po_v3_scale(k, p);
  data->com_drift = po_v3_scale(k, drift->f);
  po_v3_to(data->momentum, po_v3_sub(L, po_v3_cross(c, p)));
  po_v3_to(data->momentum + 3, p);
  po_v3_to(data->momentum_drift, po_v3_sub(drift->n, po_v3_cross(c, drift->f)));
  po_v3_to(data->momentum_drift + 3, drift->f);
}

/* Sum over all bodies, at the tree's origin: momentum, and the wrench at qdd = 0 without gravity. Leaves each node's wrench in force. */
static void centroidal_sum(po_data *data, double momentum[6], po_wrench *drift) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_vec3 L = po_v3(0, 0, 0), p = L;
  int i;
  drift->n = drift->f = L;
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_place *x = &s->place[i];
    const po_node_course *m = &s->motion[i];
    po_vec3 h = po_rot(&x->R, n->h), pi = po_v3_addscaled(po_v3_cross(m->w, h), n->m, m->v);
    po_vec3 Li = po_v3_add(po_rot(&x->R, po_s3_mul_v(n->I, po_unrot(&x->R, m->w))), po_v3_cross(h, m->v));
    p = po_v3_add(p, pi);
    L = po_v3_add(L, po_v3_add(Li, po_v3_cross(x->o, pi)));
    s->force[i] = po_node_wrench(n, x, m);
    po_wrench_shift_add(drift, &s->force[i], x->o);
  }
  po_v3_to(momentum, L);
  po_v3_to(momentum + 3, p);
}

void po_centroidal(po_data *data) {
  po_scratch *s = po_tree_scratch(data);
  po_wrench drift;
  double momentum[6];
#if defined(__x86_64__)
  if (s->in_lanes) {
    po_centroidal_lanes(data);
    return;
  }
#endif
  po_tree_composite(data, s->place);
  centroidal_sum(data, momentum, &drift);
  centroidal_totals(data, &s->comp[0], &drift, momentum);
  po_crba_columns(s->column, NULL, data, s->place);
  centroidal_columns(data, s->column);
}

/* h = wrenches at qdd = 0 along the freedoms, and the weight below each freedom: −(its linear momentum per unit rate) · g. */
static void centroidal_bias(po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i;
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    po_node_project(data->h, n, &s->place[i], &s->force[i]);
    if (n->parent > 0) po_wrench_shift_add(&s->force[n->parent], &s->force[i], s->place[i].r);
  }
  for (i = 0; i < data->model->nv; i++) data->h[i] -= po_v3_dot(s->column[i].lin, data->gravity);
}

void po_all_terms(po_data *data, const double *q, const double *v) {
  po_scratch *s = po_tree_scratch(data);
  po_wrench drift;
  double momentum[6];
  po_kinematics(data, q, v);
#if defined(__x86_64__)
  if (s->in_lanes) {
    po_all_terms_lanes(data);
    return;
  }
#endif
  po_tree_composite(data, s->place);
  po_crba_columns(s->column, s->diagonal, data, s->place);
  po_crba_fill(data->M, data, s->column, s->screw, s->diagonal);
  centroidal_sum(data, momentum, &drift);
  centroidal_totals(data, &s->comp[0], &drift, momentum);
  centroidal_columns(data, s->column);
  centroidal_bias(data);
}
