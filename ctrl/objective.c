/* objective.c: the acceleration each objective asks of its feature (paper 1, section 3.1). */
#include "ctrl_internal.h"
#include <string.h>

static po_objective objective_of(const char *name, po_objective_type type, po_feature feature, int priority) {
  po_objective o;
  memset(&o, 0, sizeof o);
  o.name = name;
  o.type = type;
  o.feature = feature;
  o.priority = priority;
  o.weight = 1;
  o.scale = 1;
  o.on = 1;
  o.kv = -1;
  o.ref_orientation = po_q_identity();
  return o;
}

po_objective po_objective_setpoint(const char *name, po_feature feature, int priority, double kp) {
  po_objective o = objective_of(name, PO_SETPOINT, feature, priority);
  o.kp = kp;
  return o;
}
po_objective po_objective_target(const char *name, po_feature feature, int priority) {
  return objective_of(name, PO_TARGET, feature, priority);
}
po_objective po_objective_momentum(const char *name, int priority, double kp) {
  po_objective o = objective_of(name, PO_MOMENTUM, po_feature_momentum(), priority);
  o.kp = kp;
  return o;
}
po_objective po_objective_momentum_about(const char *name, po_vec3 axis, int priority, double kp) {
  po_objective o = po_objective_momentum(name, priority, kp);
  o.feature = po_feature_momentum_about(axis);
  return o;
}
po_objective po_objective_torque(const char *name, po_feature feature, int priority) {
  return objective_of(name, PO_TORQUE, feature, priority);
}

/* Eq. 7 is the 2x2 system  A (a, b) = (yT − y − ẏ T, ẏT − ẏ),  A = [T²/3 T²/6; T/2 T/2]  (its printed sign of ẏ repaired), with
 * det A = T³/12: as T → 0 the exact a = 6(yT−y)/T² − (4ẏ+2ẏT)/T runs off to infinity. The singularity-robust inverse replaces
 * adj(A)/det by adj(A) det/(det² + det0²), i.e. multiplies a by T⁶/(T⁶ + T0⁶). T0 = 10 ms, the shortest horizon worth obeying. */
#define TARGET_HORIZON 0.01

double po_target_acceleration(double y, double ydot, double y_target, double ydot_target, double T) {
  double t = po_max(T, 1e-6), r = TARGET_HORIZON / t, r3 = r * r * r;
  double a = 6 * (y_target - y) / (t * t) - (4 * ydot + 2 * ydot_target) / t;
  return a / (1 + r3 * r3);
}

/* Error of an orientation as a rotation vector in world axes: R(e) R = R_ref. */
static po_vec3 objective_turn(const po_objective *o, const po_data *d, int body, const po_mat3 *local) {
  po_mat3 R = local ? po_m3_mul(d->pose[body].R, *local) : d->pose[body].R;
  return po_q_log(po_q_mul(o->ref_orientation, po_q_conj(po_q_from_matrix(R))));
}

static void objective_pose(const po_objective *o, const po_data *d, const double *q, const double *v, double *wanted, double *error) {
  const po_model *m = d->model;
  int row = 0, dof = -1;
  po_difference(error, m, q, o->pose);
  while ((dof = po_feature_next_dof(&o->feature, m, dof)) >= 0) {
    double kp = o->joint_kp ? o->joint_kp[dof] : o->kp;
    double kv = o->kv < 0 ? 2 * sqrt(kp) : o->kv;
    wanted[row++] = kp * error[dof] - kv * v[dof];
  }
}

static void objective_limit(double *wanted, int rows, double limit) {
  double n = po_norm2(wanted, rows);
  if (limit > 0 && n > limit) po_scale(wanted, limit / n, rows);
}

void po_objective_wanted(const po_objective *o, const po_data *d, const double *q, const double *v, const double *y, const double *ydot,
                         double *wanted, double *error) {
  const po_feature *f = &o->feature;
  double kv = o->kv < 0 ? 2 * sqrt(o->kp) : o->kv;
  double e[PO_FEATURE_MAX];
  int i, n = f->rows;
  if (f->type == PO_FEATURE_TORQUE) {
    for (i = 0; i < n; i++) wanted[i] = 0;
    return;
  }
  if (f->type == PO_FEATURE_POSE) {
    objective_pose(o, d, q, v, wanted, error);
    objective_limit(wanted, n, o->limit);
    return;
  }
  for (i = 0; i < n; i++) e[i] = o->ref[i] - y[i];
  if (f->type == PO_FEATURE_ORIENTATION) po_v3_to(e, objective_turn(o, d, f->body, NULL));
  if (f->type == PO_FEATURE_FRAME) {
    const po_frame *fr = &d->model->frame[f->frame];
    po_v3_to(e, objective_turn(o, d, fr->body, &fr->pose.R));
  }
  for (i = 0; i < n; i++) {
    if (o->type == PO_MOMENTUM) wanted[i] = o->kp * e[i] + o->ref_accel[i];
    else if (o->type == PO_TARGET) wanted[i] = po_target_acceleration(-e[i], ydot[i], 0, o->ref_rate[i], o->row_time[i] > 0 ? o->row_time[i] : o->time);
    else wanted[i] = o->ref_accel[i] + o->kp * e[i] + kv * (o->ref_rate[i] - ydot[i]);
  }
  objective_limit(wanted, n, o->limit);
}
