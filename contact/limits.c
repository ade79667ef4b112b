/* limits.c: joint limits as constraints: rate + distance / dt ≥ 0.
 *
 * The distance of a single freedom is q − lower or upper − q, and its rate ±v. A spherical joint's limits bound the components of r = log(q),
 * q taken from their centre (po_limit_turn); with w the angular velocity in the child's axes
 *   dr/dt = (1 + r~/2 + k r~²) w,   k = (1 − (t/2) cot(t/2)) / t²,   t = |r|
 * (inverse of the right Jacobian of SO(3)), and the row of a component is the exact gradient. cot(t/2) is w over the vector part's length.
 */
#include "world_internal.h"
#include <string.h>

static void limit_add(po_world *w, int index, const po_joint *j, const double *gradient, int dof, double distance, double dt) {
  po_character *c = w->character[index];
  double rate = 0;
  po_constraint *row;
  int k, port;
  for (k = 0; k < j->nv; k++) rate += fabs(gradient[k]) * po_max(fabs(c->v[j->v + k]), fabs(c->v1[j->v + k]));
  if (distance > PO_LIMIT_NEAR + dt * rate) return; /* cannot be passed in this step */
  port = j->type == PO_JOINT_SPHERICAL ? po_port_freedoms(&c->ports, j->v, 3, gradient) : po_port_freedoms(&c->ports, dof, 1, gradient + (dof - j->v));
  if (port < 0 || !(row = po_constraint_add(w, PO_HOLD_LIMIT, 1, dof))) {
    w->report.dropped++;
    return;
  }
  row->sides = 1;
  row->side[0].character = index;
  row->side[0].port = port;
  row->side[0].width = 1;
  row->side[0].W[0][0] = 1;
  row->bias = distance > 0 ? distance / dt : 0;
  if (distance < -PO_LIMIT_SLOP) row->recover = po_min(PO_RECOVERY_SHARE * (-distance - PO_LIMIT_SLOP) / dt, 1);
  w->report.limits++;
}

/* Whether all components of log(q) are surely farther from their limits than `room`: with w ≥ 0, component i lies between 2 x_i and pi x_i,
 * so that most joints need no arc tangent. */
static int limit_far(const po_joint *j, po_quat q, double room) {
  double x[3], s = q.w < 0 ? -1 : 1;
  int i;
  x[0] = s * q.x;
  x[1] = s * q.y;
  x[2] = s * q.z;
  for (i = 0; i < 3; i++) {
    double least = x[i] < 0 ? PO_PI * x[i] : 2 * x[i], most = x[i] < 0 ? 2 * x[i] : PO_PI * x[i];
    if (!(least - j->lower[i] > room && j->upper[i] - most > room)) return 0;
  }
  return 1;
}

static void limit_spherical(po_world *w, int index, const po_joint *j, double dt) {
  po_character *c = w->character[index];
  po_quat q = po_q_unit(po_limit_turn(j, c->q + j->q));
  double rate = 0, t2, n, at[3], row[3], k;
  po_mat3 X, G;
  po_vec3 r;
  int i, s;
  for (i = 0; i < 3; i++) rate += po_max(fabs(c->v[j->v + i]), fabs(c->v1[j->v + i]));
  if (limit_far(j, q, PO_LIMIT_NEAR + 3 * dt * rate)) return; /* rows of the gradient are below 3 in length unless r is near a half turn */
  r = po_q_log(q);
  X = po_m3_skew(r);
  t2 = po_v3_dot(r, r);
  n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  k = t2 < 1e-6 ? 1.0 / 12 + t2 / 720 : (1 - 0.5 * sqrt(t2) * fabs(q.w) / n) / t2;
  G = po_m3_add(po_m3_add(po_m3_identity(), po_m3_scale(0.5, X)), po_m3_scale(k, po_m3_mul(X, X)));
  po_v3_to(at, r);
  for (i = 0; i < 3; i++) {
    for (s = 0; s < 3; s++) row[s] = G.m[3 * i + s];
    if (j->lower[i] > -PO_INF) limit_add(w, index, j, row, j->v + i, at[i] - j->lower[i], dt);
    for (s = 0; s < 3; s++) row[s] = -row[s];
    if (j->upper[i] < PO_INF) limit_add(w, index, j, row, j->v + i, j->upper[i] - at[i], dt);
  }
}

void po_limit_constraints(po_world *w, int index, double dt) {
  po_character *c = w->character[index];
  const po_model *m = c->model;
  int i, k;
  if (c->free) return;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    if (j->type == PO_JOINT_FLOATING) continue;
    if (j->type == PO_JOINT_SPHERICAL) {
      if (j->lower[0] > -PO_INF || j->lower[1] > -PO_INF || j->lower[2] > -PO_INF || j->upper[0] < PO_INF || j->upper[1] < PO_INF || j->upper[2] < PO_INF)
        limit_spherical(w, index, j, dt);
      continue;
    }
    for (k = 0; k < j->nv; k++) {
      double e[3] = {0, 0, 0}, q = c->q[j->q + k];
      e[k] = 1;
      if (j->lower[k] > -PO_INF) limit_add(w, index, j, e, j->v + k, q - j->lower[k], dt);
      e[k] = -1;
      if (j->upper[k] < PO_INF) limit_add(w, index, j, e, j->v + k, j->upper[k] - q, dt);
    }
  }
}
