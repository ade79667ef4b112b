/* motion_sample.c: a motion between its frames, and smoothed.
 *
 * Between frames 0 and 1, h apart, each joint follows a cubic in s = t/h that has the frames' values and velocities (Hermite). A rotation
 * is q0 exp(x), x(0) = 0, x(1) = d = log(q0⁻¹ q1), with rates x'(0) = h w0 and x'(1) = h Jr(d)⁻¹ w1; its velocity is Jr(x) x'/h (la/vec.h).
 * The root's position is a cubic in the world. So v is the derivative of q, exactly.
 *
 * Smoothing fits a polynomial of degree three to the frames around each one (Savitzky & Golay 1964), in the tangent space at that frame.
 */
#include "motion_internal.h"
#include <string.h>

#define SAMPLE_SNAP 1e-9 /* of a frame: a time this near to a frame is meant to be that frame */

typedef struct sample_cubic {
  double d, a, b;    /* weights of the difference, of the first and of the last rate */
  double dd, da, db; /* of their derivatives by s */
} sample_cubic;

static sample_cubic sample_weights(double s) {
  sample_cubic w;
  w.d = s * s * (3 - 2 * s);
  w.a = s * (1 - s) * (1 - s);
  w.b = -s * s * (1 - s);
  w.dd = 6 * s * (1 - s);
  w.da = (1 - s) * (1 - 3 * s);
  w.db = s * (3 * s - 2);
  return w;
}

static po_vec3 sample_sum(po_vec3 d, po_vec3 a, po_vec3 b, double kd, double ka, double kb) {
  return po_v3_addscaled(po_v3_addscaled(po_v3_scale(kd, d), ka, a), kb, b);
}

static po_quat sample_rotation(po_vec3 *w, const double *q0, const double *q1, const double *v0, const double *v1, double h,
                               const sample_cubic *c) {
  po_quat a = po_q_unit(po_q_of(q0));
  po_vec3 d = po_q_log(po_q_unit(po_q_mul(po_q_conj(a), po_q_of(q1))));
  po_vec3 r0 = po_v3_scale(h, po_v3_of(v0)), r1 = po_q_log_rate(d, po_v3_scale(h, po_v3_of(v1)));
  po_vec3 x = sample_sum(d, r0, r1, c->d, c->a, c->b), rate = sample_sum(d, r0, r1, c->dd, c->da, c->db);
  *w = po_v3_scale(1 / h, po_q_exp_velocity(x, rate));
  return po_q_unit(po_q_mul(a, po_q_exp(x)));
}

static void sample_joint(double *q, double *v, const po_joint *j, const double *q0, const double *q1, const double *v0,
                         const double *v1, double h, const sample_cubic *c) {
  int k;
  if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
    po_vec3 w;
    po_quat turn = sample_rotation(&w, q0, q1, v0, v1, h, c);
    if (j->type == PO_JOINT_FLOATING) {
      po_vec3 p = po_v3_of(q0 + 4), d = po_v3_sub(po_v3_of(q1 + 4), p);
      po_vec3 r0 = po_v3_scale(h, po_q_rotate(po_q_unit(po_q_of(q0)), po_v3_of(v0 + 3)));
      po_vec3 r1 = po_v3_scale(h, po_q_rotate(po_q_unit(po_q_of(q1)), po_v3_of(v1 + 3)));
      po_v3_to(q + 4, po_v3_add(p, sample_sum(d, r0, r1, c->d, c->a, c->b)));
      if (v) po_v3_to(v + 3, po_v3_scale(1 / h, po_q_rotate(po_q_conj(turn), sample_sum(d, r0, r1, c->dd, c->da, c->db))));
    }
    po_q_to(q, turn);
    if (v) po_v3_to(v, w);
    return;
  }
  for (k = 0; k < j->nq; k++) {
    double d = q1[k] - q0[k], r0 = h * v0[k], r1 = h * v1[k];
    q[k] = q0[k] + c->d * d + c->a * r0 + c->b * r1;
    if (v) v[k] = (c->dd * d + c->da * r0 + c->db * r1) / h;
  }
}

/* Which frame a time falls on, how far past it, and how many strides lie before. */
static int sample_place(const po_motion *m, double time, double *s, int *strides) {
  double at = time * m->hz, whole;
  int last = m->frames - 1;
  *strides = 0;
  *s = 0;
  if (last == 0) return 0;
  whole = floor(at + SAMPLE_SNAP);
  if (m->cyclic && (whole < 0 || whole >= last)) {
    double rounds = floor(whole / last);
    if (po_abs(rounds) > 1e8) rounds = rounds < 0 ? -1e8 : 1e8; /* years of walking: further on stands still */
    *strides = (int)rounds;
    at -= rounds * last;
    whole -= rounds * last;
  }
  if (!(whole >= 0)) return 0; /* NaN too */
  if (whole >= last) return last;
  *s = po_clamp(at - whole, 0, 1);
  if (*s < SAMPLE_SNAP) *s = 0;
  return (int)whole;
}

void po_motion_sample(double *q, double *v, uint32_t *planted, const po_motion *m, double time) {
  const po_model *model = m->model;
  double s;
  int i, strides, k = sample_place(m, time, &s, &strides), outside;
  const double *q0 = po_motion_q(m, k), *v0 = po_motion_v(m, k);
  outside = !m->cyclic && (!(time >= -SAMPLE_SNAP / m->hz) || time * m->hz > m->frames - 1 + SAMPLE_SNAP);
  if (planted) *planted = m->planted[k];
  if (s == 0) {
    memcpy(q, q0, sizeof(double) * (size_t)model->nq);
    if (v && outside) memset(v, 0, sizeof(double) * (size_t)model->nv);
    else if (v) memcpy(v, v0, sizeof(double) * (size_t)model->nv);
  } else {
    const double *q1 = po_motion_q(m, k + 1), *v1 = po_motion_v(m, k + 1);
    sample_cubic c = sample_weights(s);
    for (i = 0; i < model->nb; i++) {
      const po_joint *j = &model->joint[i];
      sample_joint(q + j->q, v ? v + j->v : NULL, j, q0 + j->q, q1 + j->q, v0 + j->v, v1 + j->v, 1 / m->hz, &c);
    }
  }
  if (strides) po_planar_apply(model, q, po_planar_power(po_motion_stride(m), strides));
}

po_status po_motion_resample(po_motion **resampled, const po_motion *m, double hz) {
  double seconds, count;
  po_status s;
  po_motion *r;
  int k;
  if (!resampled || !m) return PO_ERR_NULL;
  if (!(hz >= PO_MOTION_HZ_LEAST && hz <= PO_MOTION_HZ_MOST) || m->frames < 1) return PO_ERR_RANGE;
  seconds = po_motion_seconds(m);
  if (seconds * hz > 1e8) return PO_ERR_SIZE;
  count = floor(seconds * hz + (m->cyclic ? 0.5 : SAMPLE_SNAP));
  if (m->cyclic && count < 1) count = 1;
  if ((s = po_motion_new(&r, m->model, m->cyclic ? count / seconds : hz, (int)count + 1)) != PO_OK) return s;
  r->cyclic = m->cyclic;
  for (k = 0; k <= (int)count; k++) po_motion_sample(po_motion_q(r, k), po_motion_v(r, k), &r->planted[k], m, k / r->hz);
  r->frames = (int)count + 1;
  *resampled = r;
  return PO_OK;
}

/* ---- smoothing ---- */

typedef struct smooth_work {
  double *value, *slope; /* weights of the frames in a window */
  double *q, *tangent, *d0, *d1, *out_q, *out_v;
} smooth_work;

/* Weights that give value and slope at 0 of the polynomial of the given degree fitted to n numbers at first, first+1, … (in frames). */
static po_status smooth_weights(double *value, double *slope, int n, int first, int degree) {
  double N[16], rhs[2][4], u, scale = po_max(po_abs(first), po_abs(first + n - 1));
  po_mat A = po_mat_of(N, degree + 1, degree + 1, 4);
  po_status s;
  int i, j, k;
  memset(N, 0, sizeof N);
  memset(rhs, 0, sizeof rhs);
  for (k = 0; k < n; k++) {
    double power[7];
    power[0] = 1;
    u = (first + k) / scale;
    for (i = 1; i < 7; i++) power[i] = power[i - 1] * u;
    for (i = 0; i <= degree; i++)
      for (j = 0; j <= i; j++) PO_AT(A, i, j) += power[i + j];
  }
  if ((s = po_cholesky(A, NULL, A)) != PO_OK) return s;
  rhs[0][0] = 1;
  rhs[1][1] = 1 / scale;
  for (i = 0; i < 2; i++) po_cholesky_solve(rhs[i], A);
  for (k = 0; k < n; k++) {
    double power = 1;
    u = (first + k) / scale;
    value[k] = slope[k] = 0;
    for (i = 0; i <= degree; i++, power *= u) {
      value[k] += rhs[0][i] * power;
      slope[k] += rhs[1][i] * power;
    }
  }
  return PO_OK;
}

/* The frame's configuration; beyond the ends of a cyclic motion it goes on. */
static void smooth_frame(double *q, const po_motion *m, int k) {
  int last = m->frames - 1, strides = 0;
  if (m->cyclic)
    while (k < 0) k += last, strides--;
  if (m->cyclic)
    while (k > last) k -= last, strides++;
  memcpy(q, po_motion_q(m, k), sizeof(double) * (size_t)m->model->nq);
  if (strides) po_planar_apply(m->model, q, po_planar_power(po_motion_stride(m), strides));
}

/* q ⊕ d0, where the tangent moves by d1 a second: rotations turn by Jr(d0) d1, and the root's velocity is seen from its new axes. */
static void smooth_apply(const smooth_work *w, const po_model *model, const double *q, double *out_q, double *out_v) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    const double *d0 = w->d0 + j->v, *d1 = w->d1 + j->v;
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
      po_quat a = po_q_unit(po_q_of(q + j->q)), turned = po_q_unit(po_q_mul(a, po_q_exp(po_v3_of(d0))));
      po_q_to(out_q + j->q, turned);
      po_v3_to(out_v + j->v, po_q_exp_velocity(po_v3_of(d0), po_v3_of(d1)));
      if (j->type == PO_JOINT_FLOATING) {
        po_v3_to(out_q + j->q + 4, po_v3_add(po_v3_of(q + j->q + 4), po_v3_of(d0 + 3)));
        po_v3_to(out_v + j->v + 3, po_q_rotate(po_q_conj(turned), po_v3_of(d1 + 3)));
      }
    } else {
      for (k = 0; k < j->nq; k++) {
        out_q[j->q + k] = q[j->q + k] + d0[k];
        out_v[j->v + k] = d1[k];
      }
    }
  }
}

/* As po_difference, but the root's position in the world: it has no reason to follow a screw. */
static void smooth_tangent(double *d, const po_model *model, const double *q0, const double *q1) {
  po_difference(d, model, q0, q1);
  if (model->floating) {
    const po_joint *j = &model->joint[0];
    po_v3_to(d + j->v + 3, po_v3_sub(po_v3_of(q1 + j->q + 4), po_v3_of(q0 + j->q + 4)));
  }
}

static po_status smooth_one(const smooth_work *w, const po_motion *m, int k, int half) {
  int nv = m->model->nv, n = 2 * half + 1, first = -half, i;
  const double *q = po_motion_q(m, k);
  po_status s;
  if (!m->cyclic) { /* at the ends the window stays inside */
    if (n > m->frames) n = m->frames;
    if (k + first < 0) first = -k;
    if (k + first + n > m->frames) first = m->frames - n - k;
    if (half == 1 && n == 3 && first != -1) { /* two frames are a plain difference, which leaves q alone */
      n = 2;
      if (first == -2) first = -1;
    }
  }
  /* a degree less at the ends, where a cubic's slope would magnify noise */
  if ((s = smooth_weights(w->value, w->slope, n, first, (n > 3 ? 3 : n - 1) - (first != -half && n > 3))) != PO_OK) return s;
  memset(w->d0, 0, sizeof(double) * (size_t)nv);
  memset(w->d1, 0, sizeof(double) * (size_t)nv);
  for (i = 0; i < n; i++) {
    if (first + i == 0) continue; /* no difference to itself */
    smooth_frame(w->q, m, k + first + i);
    smooth_tangent(w->tangent, m->model, q, w->q);
    po_axpy(w->d0, w->value[i], w->tangent, nv);
    po_axpy(w->d1, w->slope[i] * m->hz, w->tangent, nv);
  }
  smooth_apply(w, m->model, q, w->out_q + (size_t)k * (size_t)m->model->nq, w->out_v + (size_t)k * (size_t)nv);
  return PO_OK;
}

po_status po_motion_smooth(po_motion *m, double seconds) {
  size_t nq, nv, n, window;
  smooth_work w;
  double frames;
  po_status s = PO_OK;
  int k, half;
  if (!m) return PO_ERR_NULL;
  if (!(seconds >= 0 && po_isfinite(seconds)) || m->frames < 1) return PO_ERR_RANGE;
  nq = (size_t)m->model->nq, nv = (size_t)m->model->nv, n = (size_t)m->frames;
  if (n == 1) {
    memset(m->v, 0, sizeof(double) * nv);
    return PO_OK;
  }
  frames = floor(0.5 * seconds * m->hz + SAMPLE_SNAP); /* on either side */
  half = (int)po_clamp(frames, 1, m->frames);
  if (m->cyclic && half > (m->frames - 1) / 2) half = (m->frames - 1) / 2 > 0 ? (m->frames - 1) / 2 : 1;
  window = (size_t)(2 * half + 1);
  w.value = (double *)po_alloc(sizeof(double) * (2 * window + nq + 3 * nv + n * (nq + nv)));
  if (!w.value) return PO_ERR_MEMORY;
  w.slope = w.value + window;
  w.q = w.slope + window;
  w.tangent = w.q + nq;
  w.d0 = w.tangent + nv;
  w.d1 = w.d0 + nv;
  w.out_q = w.d1 + nv;
  w.out_v = w.out_q + n * nq;
  for (k = 0; k < m->frames && s == PO_OK; k++) s = smooth_one(&w, m, k, half);
  if (s == PO_OK) {
    memcpy(m->q, w.out_q, sizeof(double) * n * nq);
    memcpy(m->v, w.out_v, sizeof(double) * n * nv);
  }
  po_free(w.value);
  return s;
}
