/* com.c: the centre of mass, its velocity and drift, its Jacobian; energies. All from what po_kinematics publishes. */
#include "tree.h"

void po_com(po_data *data) {
  const po_model *model = data->model;
  po_vec3 origin = po_tree_scratch(data)->origin, c = po_v3(0, 0, 0), v = c, a = c;
  double k = model->total_mass > 0 ? 1 / model->total_mass : 0;
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    const po_mat3 *R = &data->pose[i].R;
    po_vec3 w = data->vel[i].ang, velocity = po_v3_add(data->vel[i].lin, po_v3_cross(w, x->com));
    po_vec3 drift = po_v3_add(po_v3_add(data->drift[i].lin, po_v3_cross(data->drift[i].ang, x->com)), po_v3_cross(w, velocity));
    po_vec3 at =
        po_v3_add(po_v3_sub(data->pose[i].p, origin), po_rot(R, x->com)); /* from the tree's origin: far away loses no digits */
    c = po_v3_addscaled(c, x->mass, at);
    v = po_v3_addscaled(v, x->mass, po_rot(R, velocity));
    a = po_v3_addscaled(a, x->mass, po_rot(R, drift));
  }
  data->com = po_v3_addscaled(origin, k, c);
  data->com_velocity = po_v3_scale(k, v);
  data->com_drift = po_v3_scale(k, a);
}

/* A unit rate of a freedom of body i moves the mass below it as one rigid body: column = (m s + w × h) / M, h its first moment. */
void po_com_jacobian(po_data *data) {
  const po_model *model = data->model;
  po_scratch *s = po_tree_scratch(data);
  double k = model->total_mass > 0 ? 1 / model->total_mass : 0, *J = data->Jcom.a;
  size_t ld = (size_t)data->Jcom.ld;
  int i, f;
  po_com(data);
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    po_vec3 at = po_v3_add(po_v3_sub(data->pose[i].p, s->origin), po_rot(&data->pose[i].R, x->com));
    s->comp[i].m = k * x->mass;
    s->comp[i].h = po_v3_scale(k * x->mass, at);
  }
  for (i = model->nb - 1; i >= 0; i--) {
    const po_joint *j = &model->joint[i];
    const po_composite *c = &s->comp[i];
    for (f = j->v; f < j->v + j->nv; f++) {
      po_vec3 x = po_v3_addscaled(po_v3_cross(s->screw[f].ang, c->h), c->m, s->screw[f].lin);
      J[f] = x.x;
      J[ld + (size_t)f] = x.y;
      J[2 * ld + (size_t)f] = x.z;
    }
    if (j->parent >= 0) {
      s->comp[j->parent].m += c->m;
      s->comp[j->parent].h = po_v3_add(s->comp[j->parent].h, c->h);
    }
  }
}

double po_kinetic_energy(const po_data *data) {
  const po_model *model = data->model;
  double twice = 0;
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    po_vec3 w = data->vel[i].ang, v = po_v3_add(data->vel[i].lin, po_v3_cross(w, x->com));
    twice += po_v3_dot(w, po_rot(&x->I, w)) + x->mass * po_v3_dot(v, v);
  }
  return 0.5 * twice;
}

double po_potential_energy(const po_data *data) {
  const po_model *model = data->model;
  po_vec3 h = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < model->nb; i++) h = po_v3_addscaled(h, model->inertia[i].mass, po_point_position(data, i, model->inertia[i].com));
  return -po_v3_dot(data->gravity, h);
}
