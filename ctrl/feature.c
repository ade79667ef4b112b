/* feature.c: what a controller can speak of, with its rate, Jacobian and drift, so that  ÿ = J q̈ + drift  (paper 1, section 3.1). */
#include "ctrl.h"
#include <string.h>

static po_feature feature_of(po_feature_type type, int rows) {
  po_feature f;
  memset(&f, 0, sizeof f);
  f.type = type;
  f.rows = rows;
  f.body = f.frame = -1;
  f.axes = 7;
  return f;
}

po_feature po_feature_com_across(void) { return feature_of(PO_FEATURE_COM_ACROSS, 2); }
po_feature po_feature_com_height(void) { return feature_of(PO_FEATURE_COM_HEIGHT, 1); }
po_feature po_feature_momentum(void) { return feature_of(PO_FEATURE_MOMENTUM, 3); }

po_feature po_feature_momentum_about(po_vec3 axis) {
  po_feature f = feature_of(PO_FEATURE_MOMENTUM_ABOUT, 1);
  f.point = axis;
  return f;
}

po_feature po_feature_point(int body, po_vec3 point) {
  po_feature f = feature_of(PO_FEATURE_POINT, 3);
  f.body = body;
  f.point = point;
  return f;
}
po_feature po_feature_point_from_com(int body, po_vec3 point) {
  po_feature f = po_feature_point(body, point);
  f.type = PO_FEATURE_POINT_FROM_COM;
  return f;
}
po_feature po_feature_orientation(int body) {
  po_feature f = feature_of(PO_FEATURE_ORIENTATION, 3);
  f.body = body;
  return f;
}
po_feature po_feature_frame(int frame) {
  po_feature f = feature_of(PO_FEATURE_FRAME, 6);
  f.frame = frame;
  return f;
}
po_feature po_feature_custom(int rows, po_feature_fn fn, void *user) {
  po_feature f = feature_of(PO_FEATURE_CUSTOM, rows);
  f.custom = fn;
  f.user = user;
  return f;
}

/* Freedoms a motor drives: those whose effort limit is not zero. */
static int feature_actuated(const po_model *m, int dof) {
  const po_joint *j = &m->joint[m->dof_body[dof]];
  return j->type != PO_JOINT_FLOATING && j->effort[dof - j->v] > 0;
}
static po_feature feature_per_joint(po_feature_type type, const po_model *m, const unsigned char *mask) {
  po_feature f = feature_of(type, 0);
  int i;
  f.mask = mask;
  for (i = 0; i < m->nv; i++) f.rows += feature_actuated(m, i) && (!mask || mask[i]);
  return f;
}
po_feature po_feature_pose(const po_model *m, const unsigned char *mask) { return feature_per_joint(PO_FEATURE_POSE, m, mask); }
po_feature po_feature_torque(const po_model *m, const unsigned char *mask) { return feature_per_joint(PO_FEATURE_TORQUE, m, mask); }

/* Row k of a per-joint feature belongs to this freedom; −1 past the last. */
int po_feature_next_dof(const po_feature *f, const po_model *m, int dof) {
  for (dof++; dof < m->nv; dof++)
    if (feature_actuated(m, dof) && (!f->mask || f->mask[dof])) return dof;
  return -1;
}

int po_feature_fits(const po_feature *f, const po_model *m) {
  int body = f->body >= 0 && f->body < m->nb;
  switch (f->type) {
  case PO_FEATURE_COM_ACROSS: return f->rows == 2;
  case PO_FEATURE_COM_HEIGHT:
  case PO_FEATURE_MOMENTUM_ABOUT: return f->rows == 1;
  case PO_FEATURE_POINT:
  case PO_FEATURE_POINT_FROM_COM: return body && f->rows == (int)((f->axes & 1) + (f->axes >> 1 & 1) + (f->axes >> 2 & 1));
  case PO_FEATURE_ORIENTATION: return body && f->rows == 3;
  case PO_FEATURE_FRAME: return f->frame >= 0 && f->frame < m->frames && m->frame[f->frame].body >= 0 && f->rows == 6;
  case PO_FEATURE_MOMENTUM: return f->rows == 3;
  case PO_FEATURE_POSE:
  case PO_FEATURE_TORQUE: return f->rows >= 0 && f->rows <= m->nv;
  case PO_FEATURE_CUSTOM: return f->custom && f->rows >= 0 && f->rows <= PO_FEATURE_MAX;
  }
  return 0;
}

/* Orthonormal directions across gravity (e0, e1) and against it (up); world x, y, z when gravity points down. */
void po_gravity_axes(po_vec3 *e0, po_vec3 *e1, po_vec3 *up, po_vec3 gravity) {
  po_vec3 x = po_v3(1, 0, 0);
  *up = po_v3_norm(gravity) > 0 ? po_v3_unit(po_v3_neg(gravity)) : po_v3(0, 0, 1);
  if (po_abs(up->x) > 0.9) x = po_v3(0, 0, -1);
  *e0 = po_v3_unit(po_v3_addscaled(x, -po_v3_dot(x, *up), *up));
  *e1 = po_v3_cross(*up, *e0);
}

static void feature_project(int row, po_vec3 e, po_vec3 y, po_vec3 yd, po_vec3 dr, po_mat J3, double *y_out, double *yd_out, po_mat J,
                            double *drift) {
  int j;
  double *out = po_row(J, row);
  y_out[row] = po_v3_dot(e, y);
  yd_out[row] = po_v3_dot(e, yd);
  drift[row] = po_v3_dot(e, dr);
  for (j = 0; j < J.cols; j++) out[j] = e.x * PO_AT(J3, 0, j) + e.y * PO_AT(J3, 1, j) + e.z * PO_AT(J3, 2, j);
}

static void feature_com(const po_feature *f, const po_data *d, double *y, double *yd, po_mat J, double *drift) {
  po_vec3 e0, e1, up;
  po_gravity_axes(&e0, &e1, &up, d->gravity);
  if (f->type == PO_FEATURE_COM_HEIGHT) {
    feature_project(0, up, d->com, d->com_velocity, d->com_drift, d->Jcom, y, yd, J, drift);
    return;
  }
  feature_project(0, e0, d->com, d->com_velocity, d->com_drift, d->Jcom, y, yd, J, drift);
  feature_project(1, e1, d->com, d->com_velocity, d->com_drift, d->Jcom, y, yd, J, drift);
}

/* One row: the point's motion along e (relative to the COM's when asked). J'e is what a unit force along e does to the freedoms. */
static void feature_along(const po_feature *f, const po_data *d, po_vec3 e, int row, double *y, double *yd, po_mat J, double *drift) {
  po_vec3 p = po_point_position(d, f->body, f->point), at = p;
  po_vec3 v = po_point_velocity(d, f->body, f->point), a = po_point_drift(d, f->body, f->point);
  double *out = po_row(J, row);
  memset(out, 0, sizeof(double) * (size_t)J.cols);
  po_apply_force(out, d, f->body, at, e);
  if (f->type == PO_FEATURE_POINT_FROM_COM) {
    p = po_v3_sub(p, d->com);
    v = po_v3_sub(v, d->com_velocity);
    a = po_v3_sub(a, d->com_drift);
    po_axpy(out, -e.x, po_row(d->Jcom, 0), J.cols);
    po_axpy(out, -e.y, po_row(d->Jcom, 1), J.cols);
    po_axpy(out, -e.z, po_row(d->Jcom, 2), J.cols);
  }
  y[row] = po_v3_dot(e, p);
  yd[row] = po_v3_dot(e, v);
  drift[row] = po_v3_dot(e, a);
}

static void feature_point(const po_feature *f, const po_data *d, double *y, double *yd, po_mat J, double *drift) {
  static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int i, row = 0;
  for (i = 0; i < 3; i++)
    if (f->axes & (1u << i)) feature_along(f, d, po_v3_of(e[i]), row++, y, yd, J, drift);
}

static void feature_rotation(int body, const po_data *d, double *y, double *yd, po_mat J, double *drift) {
  po_v3_to(y, po_v3(0, 0, 0));
  po_v3_to(yd, po_body_angular_velocity(d, body));
  po_v3_to(drift, po_body_angular_drift(d, body));
  po_jacobian_angular(J, d, body);
}

static void feature_frame(const po_feature *f, const po_data *d, double *y, double *yd, po_mat J, double *drift) {
  const po_frame *fr = &d->model->frame[f->frame];
  po_feature point = po_feature_point(fr->body, fr->pose.p);
  feature_rotation(fr->body, d, y, yd, po_block(J, 0, 0, 3, J.cols), drift);
  feature_point(&point, d, y + 3, yd + 3, po_block(J, 3, 0, 3, J.cols), drift + 3);
}

/* Joint freedoms: J is a selection, the drift is zero; y is read by difference on the configuration manifold (objective.c). */
static void feature_joints(const po_feature *f, const po_data *d, const double *v, double *y, double *yd, po_mat J, double *drift) {
  int row = 0, dof = -1;
  po_mat_zero(J);
  while (row < f->rows && (dof = po_feature_next_dof(f, d->model, dof)) >= 0) {
    PO_AT(J, row, dof) = 1;
    y[row] = 0;
    yd[row] = v[dof];
    drift[row++] = 0;
  }
}

void po_feature_eval(double *y, double *ydot, po_mat J, double *drift, const po_feature *f, const po_data *d, const double *q,
                     const double *v) {
  int i;
  (void)q;
  switch (f->type) {
  case PO_FEATURE_COM_ACROSS:
  case PO_FEATURE_COM_HEIGHT: feature_com(f, d, y, ydot, J, drift); break;
  case PO_FEATURE_POINT:
  case PO_FEATURE_POINT_FROM_COM: feature_point(f, d, y, ydot, J, drift); break;
  case PO_FEATURE_ORIENTATION: feature_rotation(f->body, d, y, ydot, J, drift); break;
  case PO_FEATURE_FRAME: feature_frame(f, d, y, ydot, J, drift); break;
  case PO_FEATURE_MOMENTUM:
    for (i = 0; i < 3; i++) {
      y[i] = ydot[i] = d->momentum[i]; /* a rate feature: what is controlled is L, its "acceleration" is dL/dt */
      drift[i] = d->momentum_drift[i];
      memcpy(po_row(J, i), po_row(d->cmm, i), sizeof(double) * (size_t)J.cols);
    }
    break;
  case PO_FEATURE_MOMENTUM_ABOUT:
    feature_project(0, f->point, po_v3_of(d->momentum), po_v3_of(d->momentum), po_v3_of(d->momentum_drift), d->cmm, y, ydot, J, drift);
    break;
  case PO_FEATURE_POSE:
  case PO_FEATURE_TORQUE: feature_joints(f, d, v, y, ydot, J, drift); break;
  case PO_FEATURE_CUSTOM:
    po_mat_zero(J);
    f->custom(f->user, y, ydot, J, drift, d);
    break;
  }
}
