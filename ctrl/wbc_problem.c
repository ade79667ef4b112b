/* wbc_problem.c: one control tick written as a stack of rows (paper 1, sections 3 and 7).
 *
 * x = (q̈, λ), or (τ, q̈, λ) in the full formulation. λ counts forces along the friction-cone directions V (eq. 23) in units of m g,
 * followed by one number per joint limit at work (eq. 27), so that all columns are of order one.
 *
 *   hard      undriven freedoms:  M q̈ − Jᵀ V λ = −h                      eq. 24 (full: all freedoms, with τ)
 *             driven freedoms:    −τ_max <= M q̈ − Jᵀ V λ + h <= τ_max    torque limits
 *             λ >= 0,  n·(J q̈ + J̇q̇) >= −k n·ẏ (wbc_least)                eqs. 25, 26
 *   limits    ± q̈ >= −k (± q̇ + k/4 gap) near a joint's limit              eq. 27 (with limit_forces: hard, and with a λ)
 *   slew      |τ − τ of the last tick| <= slew τ_max                    at a handover
 *   1 … N     objectives by priority, rows times √weight / scale         eqs. 5, 8, 15, 37
 *   last      regularize: τ/τ_max, √ε λ                                  makes x unique
 */
#include "ctrl_internal.h"
#include <string.h>

/* Approach speed at a contact or a limit is taken out with this rate (1/s): a few ticks at 1 kHz, no chatter at 100 Hz. */
#define WBC_BRAKE 20.0
/* A point that has lifted may come back to the ground this fast (1/s): as critically damped contact objectives want it (kp 1000). */
#define WBC_RETURN 64.0
/* A joint this near its limit (rad) leans on the stop. */
#define WBC_STOP 1e-3

void po_wbc_sizes(const po_model *m, const po_wbc_opts *o, int *columns, int *rows) {
  int lambdas = o->max_contacts * o->cone_sides + o->max_limits;
  *columns = 2 * m->nv + lambdas;
  /* hard: motion, torque bounds, λ, contact rows, limits; objectives: contacts and a few features, pose, torque; regularize */
  *rows = 2 * m->nv + lambdas + o->max_contacts * o->cone_sides + o->max_limits;
  *rows += PO_WBC_OBJECTIVE_ROWS(o->max_objectives, m->nv);
  *rows += m->nv + lambdas;
  *rows += m->nv; /* slew */
}

/* A new row; what it holds is left over from an earlier tick. */
static double *wbc_row(po_wbc_inner *in, double lower, double upper) {
  in->unit[in->used] = 0;
  in->lower[in->used] = lower;
  in->upper[in->used] = upper;
  return po_row(in->rows, in->used++);
}

double *po_wbc_acc_row(po_wbc_inner *in, double lower, double upper) {
  double *row = wbc_row(in, lower, upper);
  int past = in->lam_at;
  memset(row, 0, sizeof(double) * (size_t)in->acc_at);
  memset(row + past, 0, sizeof(double) * (size_t)(in->n - past));
  return row + in->acc_at;
}

/* A row with a single number. A third of all rows are such and stay the same from tick to tick: writing zeros over zeros was a fifth of the
 * time spent here. */
static void wbc_unit_row(po_wbc_inner *in, double lower, double upper, int column, double value) {
  int at = in->used++;
  in->lower[at] = lower;
  in->upper[at] = upper;
  if (in->unit[at] == column + 1 && in->unit_value[at] == value) return;
  memset(po_row(in->rows, at), 0, sizeof(double) * (size_t)in->n);
  PO_AT(in->rows, at, column) = value;
  in->unit[at] = column + 1;
  in->unit_value[at] = value;
}

static po_hqp_level *wbc_level(po_wbc_inner *in, const char *name, int hard) {
  po_hqp_level *l = &in->level[in->levels++];
  l->name = name;
  l->hard = hard;
  l->rows = 0;
  l->A = po_mat_of(po_row(in->rows, in->used), 0, in->n, in->rows.ld);
  l->lower = in->lower + in->used;
  l->upper = in->upper + in->used;
  return l;
}
static void wbc_level_end(po_wbc_inner *in) {
  po_hqp_level *l = &in->level[in->levels - 1];
  l->rows = l->A.rows = in->used - (int)(l->lower - in->lower);
}

/* Friction directions V of a contact (eq. 23): unit normal plus mu along `sides` tangents. */
static void wbc_cone(double *V, po_vec3 normal, double mu, int sides, const double *cone) {
  po_vec3 t1, t2;
  int k;
  po_v3_tangents(&t1, &t2, normal);
  for (k = 0; k < sides; k++)
    po_v3_to(V + 3 * k, po_v3_addscaled(po_v3_addscaled(normal, mu * cone[2 * k], t1), mu * cone[2 * k + 1], t2));
}

/* The last of the freedoms that move a contact's point; dof_parent leads to the others. A foot does not feel the arms: of 35 freedoms 12 are looked at. */
static int wbc_contact_dof(const po_wbc *w, int contact) {
  int body = w->contact[contact].body;
  return body < 0 ? -1 : w->model->joint[body].v + w->model->joint[body].nv - 1; /* nothing moves the world's */
}

static void wbc_contacts(po_wbc *w, const po_data *d) {
  po_wbc_inner *in = w->inner;
  int c, i, k, nv = w->model->nv;
  in->lambdas = w->contacts * in->sides;
  for (i = 0; i < nv; i++) memset(po_row(in->JVt, i), 0, sizeof(double) * (size_t)in->lambdas);
  for (c = 0; c < w->contacts; c++) {
    const po_wbc_contact *ct = &w->contact[c];
    po_mat J = po_block(in->Jc, 3 * c, 0, 3, nv);
    double *V = in->V + 3 * in->sides * c;
    po_jacobian_point(J, d, ct->body, ct->point);
    po_v3_to(in->Jc_drift + 3 * c, po_point_drift(d, ct->body, ct->point));
    po_v3_to(in->Jc_vel + 3 * c, po_point_velocity(d, ct->body, ct->point));
    wbc_cone(V, ct->normal, ct->mu, in->sides, in->cone);
    for (i = wbc_contact_dof(w, c); i >= 0; i = w->model->dof_parent[i]) {
      double jx = in->unit_force * PO_AT(J, 0, i), jy = in->unit_force * PO_AT(J, 1, i), jz = in->unit_force * PO_AT(J, 2, i);
      double *out = po_row(in->JVt, i) + c * in->sides;
      for (k = 0; k < in->sides; k++) out[k] = V[3 * k] * jx + V[3 * k + 1] * jy + V[3 * k + 2] * jz;
    }
  }
}

/* A limit at work from `side` (+1: the lower one, −1: the upper one); gradient over the joint's freedoms. Near it, the approach is braked
 * like a critically damped spring. With limit_forces the stop itself pushes (eq. 27), where it really is. */
static void wbc_add_limit(po_wbc *w, const po_joint *j, const double *gradient, double rate, double side, double gap) {
  po_wbc_inner *in = w->inner;
  double *row;
  int i, k;
  if (in->limits >= w->opts.max_limits || gap > w->opts.limit_margin) return;
  row = po_row(in->limit_row, in->limits);
  memset(row, 0, sizeof(double) * (size_t)w->model->nv);
  for (k = 0; k < j->nv; k++) row[j->v + k] = side * gradient[k];
  if (gap < WBC_STOP && w->opts.limit_forces) {
    for (i = 0; i < w->model->nv; i++) PO_AT(in->JVt, i, in->lambdas + in->stops) = in->unit_force * row[i];
    in->stops++;
  }
  in->limit_accel[in->limits++] = -WBC_BRAKE * (side * rate + 0.25 * WBC_BRAKE * gap);
}

/* Inverse right Jacobian of SO(3): d log(q)/dt = Jr⁻¹(r) ω with ω in the child frame. */
static po_mat3 wbc_log_rate(po_vec3 r) {
  double a = po_v3_norm(r), k, s, c;
  po_mat3 K = po_m3_skew(r), E = po_m3_identity();
  if (a < 1e-4) k = 1.0 / 12;
  else {
    po_sincos(&s, &c, a);
    k = 1 / (a * a) - (1 + c) / (2 * a * s);
  }
  E = po_m3_add(E, po_m3_scale(0.5, K));
  return po_m3_add(E, po_m3_scale(k, po_m3_mul(K, K)));
}

static void wbc_joint_limits(po_wbc *w, const double *q, const double *v) {
  const po_model *m = w->model;
  int i, k;
  w->inner->limits = w->inner->stops = 0;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    po_vec3 r = po_v3(0, 0, 0);
    po_mat3 G = po_m3_identity();
    double at[3];
    if (j->type == PO_JOINT_FLOATING || j->type == PO_JOINT_FIXED || j->nv > 3) continue;
    if (j->type == PO_JOINT_SPHERICAL) {
      r = po_q_log(po_limit_turn(j, q + j->q));
      po_v3_to(at, r);
    } else
      memcpy(at, q + j->q, sizeof(double) * (size_t)j->nv);
    for (k = 0; k < j->nv; k++) {
      double lo = at[k] - j->lower[k], hi = j->upper[k] - at[k], rate;
      if (lo > w->opts.limit_margin && hi > w->opts.limit_margin) continue;
      if (j->type == PO_JOINT_SPHERICAL) G = wbc_log_rate(r);
      rate = j->nv == 1 ? v[j->v] : j->type == PO_JOINT_SPHERICAL ? po_v3_dot(po_m3_row(G, k), po_v3_of(v + j->v)) : v[j->v + k];
      wbc_add_limit(w, j, G.m + 3 * k, rate, 1, lo);
      wbc_add_limit(w, j, G.m + 3 * k, rate, -1, hi);
    }
  }
}

/* Row of M q̈ − JVᵀ λ for freedom i, divided by `unit`. */
static void wbc_motion_row(const po_wbc *w, const po_data *d, double *row, int i, double unit) {
  const po_wbc_inner *in = w->inner;
  const double *M = po_row(d->M, i), *JV = po_row(in->JVt, i);
  int nv = w->model->nv, count = in->lambdas + in->stops;
  memset(row, 0, sizeof(double) * (size_t)in->n);
  po_axpy(row + in->acc_at, 1 / unit, M, nv); /* the kernel is four times as fast as a plain loop */
  po_axpy(row + in->lam_at, -1 / unit, JV, count);
}

/* Bounds of τ_k/τ_max: ±1, less near a speed limit. */
static void wbc_motor_range(const po_wbc *w, int k, const double *v, double *lower, double *upper) {
  const po_wbc_inner *in = w->inner;
  int dof = in->driven[k];
  const po_joint *j = &w->model->joint[w->model->dof_body[dof]];
  *lower = -1;
  *upper = 1;
  if (!(j->velocity[dof - j->v] < PO_INF) || !(j->effort[dof - j->v] < PO_INF)) return;
  po_joint_motor_range(lower, upper, j, dof - j->v, v[dof]);
  *lower /= in->effort[k];
  *upper /= in->effort[k];
}

static void wbc_motion(po_wbc *w, const po_data *d, const double *v) {
  po_wbc_inner *in = w->inner;
  int full = w->opts.formulation == PO_FULL, k;
  double lower, upper;
  for (k = 0; k < in->nr; k++) { /* nobody drives these: eq. 24 */
    int i = in->undriven[k];
    double b = -d->h[i] / in->unit_force;
    wbc_motion_row(w, d, wbc_row(in, b, b), i, in->unit_force);
  }
  for (k = 0; k < in->nu; k++) {
    int i = in->driven[k];
    double unit = in->effort[k], b = -d->h[i] / unit, *row;
    wbc_motor_range(w, k, v, &lower, &upper);
    row = full ? wbc_row(in, b, b) : wbc_row(in, b + lower, b + upper);
    wbc_motion_row(w, d, row, i, unit);
    if (full) row[in->tau_at + k] = -1;
  }
  for (k = 0; full && k < in->nu; k++) {
    wbc_motor_range(w, k, v, &lower, &upper);
    wbc_unit_row(in, lower, upper, in->tau_at + k, 1);
  }
}

/* τ_k/τ_max between two bounds, as a row. In the reduced formulation the hard level's torque row again. */
static void wbc_torque_row(po_wbc *w, const po_data *d, int k, double lower, double upper) {
  po_wbc_inner *in = w->inner;
  if (w->opts.formulation == PO_FULL) wbc_unit_row(in, lower, upper, in->tau_at + k, 1);
  else {
    double b = -d->h[in->driven[k]] / in->effort[k];
    memcpy(wbc_row(in, b + lower, b + upper), po_row(in->rows, in->nr + k), sizeof(double) * (size_t)in->n);
  }
}

/* Torques near the last ones. Not hard: a foot that comes down may need more than they can give, and as a hard row that left the solve
 * without a solution in one handover of four. */
static void wbc_slew(po_wbc *w, const po_data *d) {
  po_wbc_inner *in = w->inner;
  int k;
  wbc_level(in, "slew", 0);
  for (k = 0; k < in->nu; k++) {
    double last = po_clamp(w->tau[in->driven[k]] / in->effort[k], -1, 1);
    wbc_torque_row(w, d, k, last - w->slew, last + w->slew);
  }
  wbc_level_end(in);
}

/* Least acceleration along n of a contact that moves along it at `speed`. Only what would go into the ground is forbidden: before this looked at
 * the gap, toes that a push had lifted by a millimetre were kept from coming down, and the body tipped over its heels. */
static double wbc_least(double speed, double gap) { return po_min(-WBC_BRAKE * speed, -WBC_RETURN * (speed + 0.25 * WBC_RETURN * po_max(gap, 0))); }

static void wbc_contact_rows(po_wbc *w) {
  po_wbc_inner *in = w->inner;
  int c, k, i, cone = w->opts.contact_rows == PO_ROWS_CONE;
  if (w->opts.contact_rows == PO_ROWS_NONE) return;
  for (c = 0; c < w->contacts; c++)
    for (k = 0; k < (cone ? in->sides : 1); k++) {
      double n[3], *row;
      const double *dr = in->Jc_drift + 3 * c, *ve = in->Jc_vel + 3 * c;
      if (cone) memcpy(n, in->V + 3 * (in->sides * c + k), sizeof n);
      else po_v3_to(n, w->contact[c].normal);
      row = po_wbc_acc_row(in, -po_dot(n, dr, 3) + wbc_least(po_dot(n, ve, 3), w->contact[c].gap), PO_INF);
      memset(row, 0, sizeof(double) * (size_t)w->model->nv);
      for (i = wbc_contact_dof(w, c); i >= 0; i = w->model->dof_parent[i])
        row[i] = n[0] * PO_AT(in->Jc, 3 * c, i) + n[1] * PO_AT(in->Jc, 3 * c + 1, i) + n[2] * PO_AT(in->Jc, 3 * c + 2, i);
    }
}

static void wbc_limit_rows(po_wbc *w) {
  po_wbc_inner *in = w->inner;
  int k;
  for (k = 0; k < in->limits; k++)
    memcpy(po_wbc_acc_row(in, in->limit_accel[k], PO_INF), po_row(in->limit_row, k), sizeof(double) * (size_t)w->model->nv);
}

static void wbc_hard(po_wbc *w, const po_data *d, const double *v) {
  po_wbc_inner *in = w->inner;
  int k, count = in->lambdas + in->stops;
  wbc_level(in, "dynamics", 1);
  wbc_motion(w, d, v);
  for (k = 0; k < count; k++) {
    double ramp = k < in->lambdas ? w->contact[k / in->sides].ramp : 1;
    wbc_unit_row(in, 0, ramp < 1 ? ramp : PO_INF, in->lam_at + k, 1);
  }
  wbc_contact_rows(w);
  if (w->opts.limit_forces) wbc_limit_rows(w);
  wbc_level_end(in);
}

/* A torque objective's rows: τ_i / τ_max = 0. */
static void wbc_torque_rows(po_wbc *w, const po_data *d, const po_objective *o) {
  po_wbc_inner *in = w->inner;
  int dof = -1, k, r;
  for (r = 0; r < o->feature.rows && (dof = po_feature_next_dof(&o->feature, w->model, dof)) >= 0; r++) {
    double s = sqrt(o->weight * (o->joint_weight ? o->joint_weight[dof] : 1)), effort, *row;
    for (k = 0; k < in->nu && in->driven[k] != dof; k++) {}
    if (k == in->nu) continue;
    effort = in->effort[k];
    if (w->opts.formulation == PO_FULL) wbc_unit_row(in, 0, 0, in->tau_at + k, s);
    else {
      row = wbc_row(in, -s * d->h[dof] / effort, -s * d->h[dof] / effort);
      wbc_motion_row(w, d, row, dof, effort / s);
    }
  }
}

/* A pose's rows select single accelerations and have no drift. */
static void wbc_pose_rows(po_wbc *w, const po_data *d, const po_objective *o, const double *q, const double *v) {
  po_wbc_inner *in = w->inner;
  int dof = -1, r = 0;
  double s = sqrt(o->weight) / o->scale;
  po_objective zero;
  if (!o->pose) {
    zero = *o;
    zero.pose = in->zero_pose;
    o = &zero;
  }
  po_objective_wanted(o, d, q, v, in->y, in->ydot, in->wanted, in->error);
  while (r < o->feature.rows && (dof = po_feature_next_dof(&o->feature, w->model, dof)) >= 0) {
    double sr = o->joint_weight ? s * sqrt(o->joint_weight[dof]) : s, b = sr * in->wanted[r++];
    wbc_unit_row(in, b, b, in->acc_at + dof, sr);
  }
}

static void wbc_objective(po_wbc *w, const po_data *d, int index, const double *q, const double *v) {
  po_wbc_inner *in = w->inner;
  po_objective *o = &w->objective[index];
  const po_feature *f = &o->feature;
  double s = sqrt(o->weight) / o->scale;
  int r, nv = w->model->nv, at = in->used;
  po_mat J;
  in->objective_row[index] = at;
  if (f->type == PO_FEATURE_TORQUE) {
    wbc_torque_rows(w, d, o);
    return;
  }
  if (f->type == PO_FEATURE_POSE) {
    wbc_pose_rows(w, d, o, q, v);
    return;
  }
  J = po_mat_of(po_row(in->rows, at) + in->acc_at, f->rows, nv, in->rows.ld);
  for (r = 0; r < f->rows; r++) po_wbc_acc_row(in, 0, 0);
  po_feature_eval(in->y, in->ydot, J, in->drift, f, d, q, v);
  po_objective_wanted(o, d, q, v, in->y, in->ydot, in->wanted, in->error);
  if (f->rows <= PO_FEATURE_MAX) memcpy(o->wanted, in->wanted, sizeof(double) * (size_t)f->rows);
  for (r = 0; r < f->rows; r++) {
    double sr = o->joint_weight ? s * sqrt(o->joint_weight[r]) : s;
    po_scale(po_row(J, r), sr, nv);
    in->lower[at + r] = in->upper[at + r] = sr * (in->wanted[r] - in->drift[r]);
  }
}

/* The objectives of one priority. */
static void wbc_priority(po_wbc *w, const po_data *d, int priority, const double *q, const double *v) {
  int i;
  const char *name = NULL;
  for (i = 0; i < w->objectives && !name; i++)
    if (w->objective[i].on && w->objective[i].priority == priority) name = w->objective[i].name;
  wbc_level(w->inner, name, 0);
  for (i = 0; i < w->objectives; i++) {
    int together;
    if (!(w->objective[i].on && w->objective[i].weight > 0 && w->objective[i].priority == priority)) continue;
    together = po_wbc_points_run(w, i);
    if (po_wbc_points(w, d, i, together, q, v)) i += together - 1;
    else wbc_objective(w, d, i, q, v);
  }
  wbc_level_end(w->inner);
}

/* ‖τ/τ_max‖² + ε‖λ/mg‖²: without it the internal forces of double support stay free and τ would jitter. */
static void wbc_regularize(po_wbc *w, const po_data *d) {
  po_wbc_inner *in = w->inner;
  int k, count = in->lambdas + in->stops;
  double e = sqrt(w->opts.regularize_force);
  wbc_level(in, "regularize", 0);
  for (k = 0; k < in->nu; k++) wbc_torque_row(w, d, k, 0, 0);
  for (k = 0; k < count; k++) wbc_unit_row(in, 0, 0, in->lam_at + k, e);
  wbc_level_end(in);
}

/* The next priority in use after `after`; 0 when there is none. */
static int wbc_next_priority(const po_wbc *w, int after) {
  int i, best = 0;
  for (i = 0; i < w->objectives; i++) {
    int p = w->objective[i].priority;
    if (w->objective[i].on && p > after && (!best || p < best)) best = p;
  }
  return best;
}

void po_wbc_build(po_wbc *w, const po_data *d, const double *q, const double *v) {
  po_wbc_inner *in = w->inner;
  int i, p = 0;
  in->used = in->levels = in->groups = 0;
  wbc_contacts(w, d);
  wbc_joint_limits(w, q, v);
  in->tau_at = 0;
  in->acc_at = w->opts.formulation == PO_FULL ? in->nu : 0;
  in->lam_at = in->acc_at + w->model->nv;
  in->n = in->lam_at + in->lambdas + in->stops;
  for (i = 0; i < w->objectives; i++) in->objective_row[i] = -1;
  if (in->n != in->unit_columns) memset(in->unit, 0, sizeof(int) * (size_t)in->rows.rows);
  in->unit_columns = in->n;
  wbc_hard(w, d, v);
  if (in->limits && !w->opts.limit_forces) { /* motors alone may not be able to stop a joint in time: not hard, but above all objectives */
    wbc_level(in, "limits", 0);
    wbc_limit_rows(w);
    wbc_level_end(in);
  }
  if (w->slew > 0) wbc_slew(w, d);
  while ((p = wbc_next_priority(w, p))) wbc_priority(w, d, p, q, v); /* as many as there are: po_wbc_solve has counted them */
  wbc_regularize(w, d);
  w->problem.name = "tick";
  w->problem.n = in->n;
  w->problem.level_count = in->levels;
  w->problem.levels = in->level;
}
