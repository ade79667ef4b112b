/* com.c: the centre of mass, its velocity and drift, its Jacobian; energies. All from what po_kinematics publishes. */
#include "tree.h"

/* Sum of m times velocity and drift of each body's centre. */
static void com_rates(const po_data *data, po_vec3 *velocity, po_vec3 *drift) {
  const po_model *model = data->model;
  po_vec3 p = po_v3(0, 0, 0), f = p;
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    const po_mat3 *R = &data->pose[i].R;
    po_vec3 w = data->vel[i].ang, v = po_v3_add(data->vel[i].lin, po_v3_cross(w, x->com));
    po_vec3 a = po_v3_add(po_v3_add(data->drift[i].lin, po_v3_cross(data->drift[i].ang, x->com)), po_v3_cross(w, v));
    p = po_v3_addscaled(p, x->mass, po_rot(R, v));
    f = po_v3_addscaled(f, x->mass, po_rot(R, a));
  }
  *velocity = p;
  *drift = f;
}

/* Each body's mass and first moment about the tree's origin (far from the world's, this loses no digits), over the total mass. */
static po_vec3 com_moments(const po_data *data) {
  const po_model *model = data->model;
  po_scratch *s = po_tree_scratch(data);
  po_vec3 sum = po_v3(0, 0, 0);
  double k = model->total_mass > 0 ? 1 / model->total_mass : 0;
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_inertia *x = &model->inertia[i];
    po_vec3 at = po_v3_add(po_v3_sub(data->pose[i].p, s->origin), po_rot(&data->pose[i].R, x->com));
    s->comp[i].m = k * x->mass;
    s->comp[i].h = po_v3_scale(k * x->mass, at);
    sum = po_v3_add(sum, s->comp[i].h);
  }
  return sum;
}

void po_com(po_data *data) {
  double k = data->model->total_mass > 0 ? 1 / data->model->total_mass : 0;
  data->com = po_v3_add(po_tree_scratch(data)->origin, com_moments(data));
  data->com_velocity = data->com_drift = po_v3(0, 0, 0);
  if (po_tree_scratch(data)->moving) {
    po_vec3 velocity, drift;
    com_rates(data, &velocity, &drift);
    data->com_velocity = po_v3_scale(k, velocity);
    data->com_drift = po_v3_scale(k, drift);
  }
}

/* A unit rate of a freedom of body i moves the mass below it as one rigid body: column = (m s + w × h) / M, h its first moment. */
void po_com_jacobian(po_data *data) {
  const po_model *model = data->model;
  po_scratch *s = po_tree_scratch(data);
  double *J = data->Jcom.a;
  size_t ld = (size_t)data->Jcom.ld;
  int i, f;
  po_com(data); /* leaves the moments of the bodies in comp */
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
