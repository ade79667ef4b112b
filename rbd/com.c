/* com.c: the centre of mass, its velocity and drift, its Jacobian; energies. */
#include "tree.h"

void po_com(po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  po_vec3 c = po_v3(0, 0, 0), v = c, a = c;
  double k;
  int i;
  for (i = 1; i <= t->n; i++) {
    const po_motion *m = &s->motion[i];
    double mass = t->node[i].m;
    po_vec3 h;
    if (!(mass > 0)) continue;
    h = po_rot(&s->place[i].R, t->node[i].h);
    c = po_v3_add(c, po_v3_addscaled(h, mass, s->place[i].o));
    v = po_v3_add(v, po_v3_addscaled(po_v3_cross(m->w, h), mass, m->v));
    a = po_v3_add(a, po_v3_addscaled(po_swing(m->w, m->al, h), mass, m->a));
  }
  k = data->model->total_mass > 0 ? 1 / data->model->total_mass : 0;
  data->com = po_v3_addscaled(s->origin, k, c);
  data->com_velocity = po_v3_scale(k, v);
  data->com_drift = po_v3_scale(k, a);
}

/* A unit rate of freedom j moves the mass below it as one rigid body: column = (m s + w × h) / M, h its first moment. */
void po_com_jacobian(po_data *data) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  po_scratch *s = po_tree_scratch(data);
  po_composite *c = s->comp;
  double k = model->total_mass > 0 ? 1 / model->total_mass : 0;
  int i, f;
  po_com(data);
  for (i = 0; i <= t->n; i++) c[i].h = po_v3(0, 0, 0);
  for (i = t->n; i >= 1; i--) {
    const po_node *n = &t->node[i];
    c[i].h = po_v3_add(c[i].h, po_v3_addscaled(po_rot(&s->place[i].R, n->h), n->m, s->place[i].o)); /* about the tree's origin */
    c[n->parent].h = po_v3_add(c[n->parent].h, c[i].h);
    for (f = n->v; f < n->v + n->nv; f++) {
      po_vec3 x = po_v3_addscaled(po_v3_cross(s->screw[f].ang, c[i].h), t->below[i], s->screw[f].lin);
      PO_AT(data->Jcom, 0, f) = k * x.x;
      PO_AT(data->Jcom, 1, f) = k * x.y;
      PO_AT(data->Jcom, 2, f) = k * x.z;
    }
  }
}

double po_kinetic_energy(const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  double twice = 0;
  int i;
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    const po_motion *m = &s->motion[i];
    po_vec3 w = po_unrot(&s->place[i].R, m->w), v = po_unrot(&s->place[i].R, m->v);
    twice += po_v3_dot(w, po_s3_mul_v(n->I, w)) + n->m * po_v3_dot(v, v) + 2 * po_v3_dot(v, po_v3_cross(w, n->h));
  }
  return 0.5 * twice;
}

double po_potential_energy(const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  po_vec3 h = po_v3_scale(data->model->total_mass, s->origin);
  int i;
  for (i = 1; i <= t->n; i++) h = po_v3_add(h, po_v3_addscaled(po_rot(&s->place[i].R, t->node[i].h), t->node[i].m, s->place[i].o));
  return -po_v3_dot(data->gravity, h);
}
