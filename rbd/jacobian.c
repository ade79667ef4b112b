/* jacobian.c: Jacobians of points, bodies and frames from the unit motions that po_kinematics leaves.
 *
 * Column j of a point's Jacobian is the velocity that a unit rate of freedom j gives it: s_j + w_j × x, with w_j the unit angular
 * velocity, s_j the velocity at the tree's origin, and x the point as seen from there. Only freedoms on the way to the root count.
 */
#include "tree.h"

/* The last freedom that moves a body, −1: none. */
static int jacobian_last_dof(const po_data *data, int body) {
  const po_joint *j;
  if (body < 0) return -1;
  j = &data->model->joint[body];
  return j->v + j->nv - 1;
}

static void jacobian_store(po_mat J, int row, int column, po_vec3 x) {
  PO_AT(J, row, column) = x.x;
  PO_AT(J, row + 1, column) = x.y;
  PO_AT(J, row + 2, column) = x.z;
}

static po_vec3 jacobian_at(const po_screw *s, po_vec3 x) { return po_v3_add(s->lin, po_v3_cross(s->ang, x)); }

void po_jacobian_point(po_mat J, const po_data *data, int body, po_vec3 point) {
  const po_scratch *s = po_tree_scratch(data);
  po_vec3 x = po_v3_sub(po_point_position(data, body, point), s->origin);
  int j;
  po_mat_zero(J);
  for (j = jacobian_last_dof(data, body); j >= 0; j = data->model->dof_parent[j])
    jacobian_store(J, 0, j, jacobian_at(&s->screw[j], x));
}

void po_jacobian_angular(po_mat J, const po_data *data, int body) {
  const po_scratch *s = po_tree_scratch(data);
  int j;
  po_mat_zero(J);
  for (j = jacobian_last_dof(data, body); j >= 0; j = data->model->dof_parent[j]) jacobian_store(J, 0, j, s->screw[j].ang);
}

void po_jacobian_frame(po_mat J, const po_data *data, int frame) {
  const po_scratch *s = po_tree_scratch(data);
  const po_frame *f = &data->model->frame[frame];
  po_vec3 x = po_v3_sub(po_point_position(data, f->body, f->pose.p), s->origin);
  int j;
  po_mat_zero(J);
  for (j = jacobian_last_dof(data, f->body); j >= 0; j = data->model->dof_parent[j]) {
    jacobian_store(J, 0, j, s->screw[j].ang);
    jacobian_store(J, 3, j, jacobian_at(&s->screw[j], x));
  }
}

void po_apply_force(double *y, const po_data *data, int body, po_vec3 point_world, po_vec3 force) {
  const po_scratch *s = po_tree_scratch(data);
  po_vec3 moment = po_v3_cross(po_v3_sub(point_world, s->origin), force); /* about the tree's origin */
  int j;
  for (j = jacobian_last_dof(data, body); j >= 0; j = data->model->dof_parent[j])
    y[j] += po_v3_dot(s->screw[j].ang, moment) + po_v3_dot(s->screw[j].lin, force);
}

void po_apply_moment(double *y, const po_data *data, int body, po_vec3 moment) {
  const po_scratch *s = po_tree_scratch(data);
  int j;
  for (j = jacobian_last_dof(data, body); j >= 0; j = data->model->dof_parent[j]) y[j] += po_v3_dot(s->screw[j].ang, moment);
}

po_vec6 po_unit_motion(const po_data *data, int dof) {
  const po_screw *s = &po_tree_scratch(data)->screw[dof];
  return po_v6(s->ang, s->lin);
}

po_vec3 po_unit_origin(const po_data *data) { return po_tree_scratch(data)->origin; }
