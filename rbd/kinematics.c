/* kinematics.c: where everything is and how it moves. */
#include "lanes.h"
#include "tree.h"

/* Poses, velocities and drifts of the public bodies, in their own axes. */
static void kinematics_publish(po_data *data) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_place *x = &s->place[t->body_node[i]];
    const po_node_course *m = &s->motion[t->body_node[i]];
    po_pose *pose = &data->pose[i];
    pose->R = po_m3_mult(x->R, t->align[i]);
    pose->p = po_v3_add(s->origin, x->o);
    data->vel[i] = po_v6(po_unrot(&pose->R, m->w), po_unrot(&pose->R, m->v));
    /* spatial = classical − w × v (RBDA eq. 2.47) */
    data->drift[i] = po_v6(po_unrot(&pose->R, m->al), po_unrot(&pose->R, po_v3_sub(m->a, po_v3_cross(m->w, m->v))));
  }
}

static void kinematics_plain(po_data *data, const double *q, const double *v) {
  const struct po_model_fast *t = data->model->fast;
  po_scratch *s = po_tree_scratch(data);
  static const po_node_course at_rest;
  int i;
  po_tree_place(data, s->place, q, 0);
  if (v) {
    s->motion[0] = at_rest;
    for (i = 1; i <= t->n; i++) {
      const po_node *n = &t->node[i];
      po_node_motion(&s->motion[i], n, &s->place[i], &s->motion[n->parent], v);
      po_node_velocity(&s->motion[i], n, &s->place[i], &s->motion[n->parent], v);
    }
  } else {
    for (i = 0; i <= t->n; i++) s->motion[i] = at_rest;
  }
  po_tree_screws(data, s->screw, s->place);
  kinematics_publish(data);
}

void po_kinematics(po_data *data, const double *q, const double *v) {
  po_scratch *s = po_tree_scratch(data);
  s->origin = po_v3(0, 0, 0);
  if (data->model->floating) {
    const po_node *root = &data->model->fast->node[1];
    s->origin = po_v3_add(root->p, po_rot(&root->R, po_v3_of(q + root->q + 4)));
  }
  s->moving = v != NULL;
  s->in_lanes = po_get_simd() == PO_SIMD_AVX2;
#if defined(__x86_64__)
  if (s->in_lanes) {
    po_kinematics_lanes(data, q, v);
    return;
  }
#endif
  kinematics_plain(data, q, v);
}

po_pose po_frame_pose(const po_data *data, int frame) {
  const po_frame *f = &data->model->frame[frame];
  po_pose p = f->pose;
  if (f->body >= 0) {
    const po_pose *b = &data->pose[f->body];
    p.R = po_m3_mul(b->R, f->pose.R);
    p.p = po_v3_add(po_m3_mul_v(b->R, f->pose.p), b->p);
  }
  return p;
}

po_vec3 po_frame_position(const po_data *data, int frame) {
  const po_frame *f = &data->model->frame[frame];
  return po_point_position(data, f->body, f->pose.p);
}

po_vec3 po_point_position(const po_data *data, int body, po_vec3 point) {
  if (body < 0) return point;
  return po_v3_add(po_rot(&data->pose[body].R, point), data->pose[body].p);
}

po_vec3 po_point_velocity(const po_data *data, int body, po_vec3 point) {
  const po_vec6 *v;
  if (body < 0) return po_v3(0, 0, 0);
  v = &data->vel[body];
  return po_rot(&data->pose[body].R, po_v3_add(v->lin, po_v3_cross(v->ang, point)));
}

/* Classical acceleration of the point: the drift is spatial, so w × (velocity of the point) is added. */
po_vec3 po_point_drift(const po_data *data, int body, po_vec3 point) {
  const po_vec6 *v, *a;
  po_vec3 velocity;
  if (body < 0) return po_v3(0, 0, 0);
  v = &data->vel[body];
  a = &data->drift[body];
  velocity = po_v3_add(v->lin, po_v3_cross(v->ang, point));
  return po_rot(&data->pose[body].R, po_v3_add(po_v3_add(a->lin, po_v3_cross(a->ang, point)), po_v3_cross(v->ang, velocity)));
}

po_vec3 po_body_angular_velocity(const po_data *data, int body) {
  return body < 0 ? po_v3(0, 0, 0) : po_rot(&data->pose[body].R, data->vel[body].ang);
}

po_vec3 po_body_angular_drift(const po_data *data, int body) {
  return body < 0 ? po_v3(0, 0, 0) : po_rot(&data->pose[body].R, data->drift[body].ang);
}
