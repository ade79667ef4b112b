/* config.c: configurations: quaternions make q a manifold, and v lives in its tangent space.
 *
 * A floating joint moves along the screw of its constant body velocity (the exponential of SE(3)):
 *   R1 = R0 exp(r),  p1 = p0 + R0 V(r) u,  r = w dt, u = v dt,
 *   V(r) = 1 + (1 − cos t)/t² r~ + (t − sin t)/t³ r~²,  t = |r|,
 * so that po_difference is its exact inverse. Spherical joints have only the rotation; all others just add.
 */
#include "tree.h"

/* V(r) u */
static po_vec3 config_screw(po_vec3 r, po_vec3 u) {
  double t2 = po_v3_dot(r, r), b, c;
  po_vec3 ru = po_v3_cross(r, u);
  if (t2 < 1e-4) { /* series: the next terms are below 1e-17 */
    b = 0.5 - t2 / 24 + t2 * t2 / 720;
    c = 1.0 / 6 - t2 / 120 + t2 * t2 / 5040;
  } else {
    double t = sqrt(t2), s, half;
    s = po_sin(t);
    half = po_sin(0.5 * t);
    b = 2 * half * half / t2;
    c = (t - s) / (t2 * t);
  }
  return po_v3_add(po_v3_addscaled(u, b, ru), po_v3_scale(c, po_v3_cross(r, ru)));
}

/* V(r)^-1 x */
static po_vec3 config_unscrew(po_vec3 r, po_vec3 x) {
  double t2 = po_v3_dot(r, r), c;
  po_vec3 rx = po_v3_cross(r, x);
  if (t2 < 1e-4) {
    c = 1.0 / 12 + t2 / 720 + t2 * t2 / 30240;
  } else {
    double t = sqrt(t2), s, k;
    po_sincos(&s, &k, 0.5 * t);
    c = (1 - 0.5 * t * k / s) / t2;
  }
  return po_v3_add(po_v3_addscaled(x, -0.5, rx), po_v3_scale(c, po_v3_cross(r, rx)));
}

void po_neutral(double *q, const po_model *model) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    for (k = 0; k < j->nq; k++) q[j->q + k] = 0;
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) q[j->q] = 1;
  }
  po_lift(q, model, model->rest_height);
}

void po_lift(double *q, const po_model *model, double up) {
  const po_joint *j = &model->joint[0];
  if (model->floating) q[j->q + 6] += up;
  if (model->planar) { /* the shortest way within its plane */
    po_vec3 x, y;
    double a, b, s;
    po_v3_tangents(&x, &y, j->axis);
    a = po_m3_mul_v(j->placement.R, x).z;
    b = po_m3_mul_v(j->placement.R, y).z;
    s = up / (a * a + b * b);
    q[j->q] += a * s;
    q[j->q + 1] += b * s;
  }
}

void po_integrate(double *out, const po_model *model, const double *q, const double *v, double dt) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    const double *q0 = q + j->q, *v0 = v + j->v;
    double *q1 = out + j->q;
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
      po_vec3 r = po_v3_scale(dt, po_v3_of(v0));
      po_quat a = po_q_of(q0);
      if (j->type == PO_JOINT_FLOATING) {
        po_vec3 step = config_screw(r, po_v3_scale(dt, po_v3_of(v0 + 3)));
        po_v3_to(q1 + 4, po_v3_add(po_v3_of(q0 + 4), po_q_rotate(po_q_unit(a), step)));
      }
      po_q_to(q1, po_q_unit(po_q_mul(a, po_q_exp(r))));
    } else {
      for (k = 0; k < j->nq; k++) q1[k] = q0[k] + v0[k] * dt;
    }
  }
}

void po_difference(double *dv, const po_model *model, const double *q0, const double *q1) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    const double *a = q0 + j->q, *b = q1 + j->q;
    double *d = dv + j->v;
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
      po_quat qa = po_q_unit(po_q_of(a));
      po_vec3 r = po_q_log(po_q_unit(po_q_mul(po_q_conj(qa), po_q_of(b))));
      if (j->type == PO_JOINT_FLOATING) {
        po_vec3 x = po_q_rotate(po_q_conj(qa), po_v3_sub(po_v3_of(b + 4), po_v3_of(a + 4)));
        po_v3_to(d + 3, config_unscrew(r, x));
      }
      po_v3_to(d, r);
    } else {
      for (k = 0; k < j->nq; k++) d[k] = b[k] - a[k];
    }
  }
}

void po_normalize(double *q, const po_model *model) {
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) po_q_to(q + j->q, po_q_unit(po_q_of(q + j->q)));
  }
}

/* Uniform over all rotations: a normal vector of four, made unit. */
static po_quat config_random_rotation(po_rng *rng) {
  po_quat q;
  q.w = po_rng_normal(rng);
  q.x = po_rng_normal(rng);
  q.y = po_rng_normal(rng);
  q.z = po_rng_normal(rng);
  return po_q_unit(q);
}

/* A number within limits; where there is none, within ±span of zero or of the limit that exists. */
static double config_random_between(po_rng *rng, double lo, double hi, double span) {
  if (lo == -PO_INF && hi == PO_INF) return po_rng_range(rng, -span, span);
  if (lo == -PO_INF) lo = hi - span;
  if (hi == PO_INF) hi = lo + span;
  return lo + (hi - lo) * po_rng_uniform(rng);
}

po_quat po_limit_turn(const po_joint *joint, const double *q) {
  po_quat c = joint->limit_centre, turn = po_q_of(q);
  return c.w == 1 ? turn : po_q_mul(po_q_conj(c), turn);
}

static po_quat config_random_spherical(const po_joint *j, po_rng *rng) {
  double r[3];
  int i, tries;
  if (j->lower[0] == -PO_INF && j->lower[1] == -PO_INF && j->lower[2] == -PO_INF) return config_random_rotation(rng);
  for (tries = 0; tries < 64; tries++) { /* corners of a wide box lie beyond a half turn, where log wraps */
    for (i = 0; i < 3; i++) r[i] = config_random_between(rng, j->lower[i], j->upper[i], PO_PI);
    if (po_v3_norm(po_v3_of(r)) < PO_PI - 0.05) return po_q_mul(j->limit_centre, po_q_exp(po_v3_of(r)));
  }
  for (i = 0; i < 3; i++) r[i] = po_clamp(0, j->lower[i], j->upper[i]);
  return po_q_mul(j->limit_centre, po_q_exp(po_v3_of(r)));
}

void po_random_configuration(double *q, po_rng *rng, const po_model *model) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    double *x = q + j->q;
    switch (j->type) {
      case PO_JOINT_FLOATING:
        po_q_to(x, config_random_rotation(rng));
        for (k = 0; k < 3; k++) x[4 + k] = po_rng_range(rng, -1, 1);
        break;
      case PO_JOINT_SPHERICAL: po_q_to(x, config_random_spherical(j, rng)); break;
      default:
        for (k = 0; k < j->nq; k++) {
          int length = j->type == PO_JOINT_PRISMATIC || (j->type == PO_JOINT_PLANAR && k < 2);
          x[k] = config_random_between(rng, j->lower[k], j->upper[k], length ? 1 : PO_PI);
        }
    }
  }
}

po_status po_check_state(const po_model *model, const double *q, const double *v) {
  int i;
  if (!model || !q) return PO_ERR_NULL;
  if (!po_all_finite(q, model->nq) || (v && !po_all_finite(v, model->nv))) return PO_ERR_NOT_FINITE;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
      double n = po_q_norm(po_q_of(q + j->q));
      if (!(n > 1e-8 && po_isfinite(n))) return PO_ERR_RANGE; /* no direction left to normalize */
    }
  }
  return PO_OK;
}
