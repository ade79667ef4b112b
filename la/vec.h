/* vec.h: 3- and 6-vectors, 3x3 matrices and quaternions, by value and inline.
 *
 * po_vec6 is Featherstone's spatial vector, angular part first. po_mat3 is row-major. Quaternions are w,x,y,z, Hamilton,
 * and turn body coordinates into world coordinates: v_world = R(q) v_body.
 */
#ifndef PO_VEC_H
#define PO_VEC_H

#include "../base/base.h"
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct po_vec3 { double x, y, z; } po_vec3;
typedef struct po_vec6 { po_vec3 ang, lin; } po_vec6;
typedef struct po_mat3 { double m[9]; } po_mat3;
typedef struct po_quat { double w, x, y, z; } po_quat;

/* ---- vectors of three ---- */
static inline po_vec3 po_v3(double x, double y, double z) { po_vec3 r; r.x = x; r.y = y; r.z = z; return r; }
static inline po_vec3 po_v3_of(const double *a) { return po_v3(a[0], a[1], a[2]); }
static inline void po_v3_to(double *a, po_vec3 v) { a[0] = v.x; a[1] = v.y; a[2] = v.z; }
static inline po_vec3 po_v3_add(po_vec3 a, po_vec3 b) { return po_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline po_vec3 po_v3_sub(po_vec3 a, po_vec3 b) { return po_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline po_vec3 po_v3_neg(po_vec3 a) { return po_v3(-a.x, -a.y, -a.z); }
static inline po_vec3 po_v3_scale(double s, po_vec3 a) { return po_v3(s * a.x, s * a.y, s * a.z); }
static inline po_vec3 po_v3_addscaled(po_vec3 a, double s, po_vec3 b) { return po_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline double po_v3_dot(po_vec3 a, po_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline po_vec3 po_v3_cross(po_vec3 a, po_vec3 b) {
  return po_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double po_v3_norm(po_vec3 a) { return sqrt(po_v3_dot(a, a)); }
/* Zero stays zero. */
static inline po_vec3 po_v3_unit(po_vec3 a) { double n = po_v3_norm(a); return n > 0 ? po_v3_scale(1 / n, a) : a; }
/* Two unit vectors that complete unit n to a right-handed frame (t1, t2, n). */
static inline void po_v3_tangents(po_vec3 *t1, po_vec3 *t2, po_vec3 n) {
  po_vec3 e = fabs(n.x) < 0.57735 ? po_v3(1, 0, 0) : fabs(n.y) < 0.57735 ? po_v3(0, 1, 0) : po_v3(0, 0, 1);
  *t1 = po_v3_unit(po_v3_sub(e, po_v3_scale(po_v3_dot(e, n), n)));
  *t2 = po_v3_cross(n, *t1);
}

/* Angle between two directions, 0 ... π. */
static inline double po_v3_angle(po_vec3 a, po_vec3 b) { return po_atan2(po_v3_norm(po_v3_cross(a, b)), po_v3_dot(a, b)); }

/* ---- vectors of six ---- */
static inline po_vec6 po_v6(po_vec3 ang, po_vec3 lin) { po_vec6 r; r.ang = ang; r.lin = lin; return r; }
static inline po_vec6 po_v6_zero(void) { return po_v6(po_v3(0, 0, 0), po_v3(0, 0, 0)); }
static inline po_vec6 po_v6_of(const double *a) { return po_v6(po_v3_of(a), po_v3_of(a + 3)); }
static inline void po_v6_to(double *a, po_vec6 v) { po_v3_to(a, v.ang); po_v3_to(a + 3, v.lin); }
static inline po_vec6 po_v6_add(po_vec6 a, po_vec6 b) { return po_v6(po_v3_add(a.ang, b.ang), po_v3_add(a.lin, b.lin)); }
static inline po_vec6 po_v6_sub(po_vec6 a, po_vec6 b) { return po_v6(po_v3_sub(a.ang, b.ang), po_v3_sub(a.lin, b.lin)); }
static inline po_vec6 po_v6_scale(double s, po_vec6 a) { return po_v6(po_v3_scale(s, a.ang), po_v3_scale(s, a.lin)); }
static inline double po_v6_dot(po_vec6 a, po_vec6 b) { return po_v3_dot(a.ang, b.ang) + po_v3_dot(a.lin, b.lin); }

/* ---- 3x3 matrices, row-major ---- */
static inline po_mat3 po_m3(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
  po_mat3 r;
  r.m[0] = a; r.m[1] = b; r.m[2] = c; r.m[3] = d; r.m[4] = e; r.m[5] = f; r.m[6] = g; r.m[7] = h; r.m[8] = i;
  return r;
}
static inline po_mat3 po_m3_identity(void) { return po_m3(1, 0, 0, 0, 1, 0, 0, 0, 1); }
static inline po_mat3 po_m3_diag(double a, double b, double c) { return po_m3(a, 0, 0, 0, b, 0, 0, 0, c); }
static inline po_mat3 po_m3_add(po_mat3 A, po_mat3 B) { int i; for (i = 0; i < 9; i++) A.m[i] += B.m[i]; return A; }
static inline po_mat3 po_m3_sub(po_mat3 A, po_mat3 B) { int i; for (i = 0; i < 9; i++) A.m[i] -= B.m[i]; return A; }
static inline po_mat3 po_m3_scale(double s, po_mat3 A) { int i; for (i = 0; i < 9; i++) A.m[i] *= s; return A; }
static inline po_mat3 po_m3_t(po_mat3 A) {
  return po_m3(A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]);
}
static inline po_vec3 po_m3_mul_v(po_mat3 A, po_vec3 v) {
  return po_v3(A.m[0] * v.x + A.m[1] * v.y + A.m[2] * v.z, A.m[3] * v.x + A.m[4] * v.y + A.m[5] * v.z,
               A.m[6] * v.x + A.m[7] * v.y + A.m[8] * v.z);
}
static inline po_vec3 po_m3_tmul_v(po_mat3 A, po_vec3 v) { /* A' v */
  return po_v3(A.m[0] * v.x + A.m[3] * v.y + A.m[6] * v.z, A.m[1] * v.x + A.m[4] * v.y + A.m[7] * v.z,
               A.m[2] * v.x + A.m[5] * v.y + A.m[8] * v.z);
}
static inline po_mat3 po_m3_mul(po_mat3 A, po_mat3 B) {
  po_mat3 C;
  int i, j;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) C.m[3 * i + j] = A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
  return C;
}
static inline po_mat3 po_m3_tmul(po_mat3 A, po_mat3 B) { return po_m3_mul(po_m3_t(A), B); } /* A' B */
static inline po_mat3 po_m3_mult(po_mat3 A, po_mat3 B) { return po_m3_mul(A, po_m3_t(B)); } /* A B' */
static inline po_mat3 po_m3_outer(po_vec3 a, po_vec3 b) {
  return po_m3(a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z);
}
static inline po_mat3 po_m3_skew(po_vec3 v) { return po_m3(0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0); } /* v× */
static inline double po_m3_det(po_mat3 A) {
  return A.m[0] * (A.m[4] * A.m[8] - A.m[5] * A.m[7]) - A.m[1] * (A.m[3] * A.m[8] - A.m[5] * A.m[6]) +
         A.m[2] * (A.m[3] * A.m[7] - A.m[4] * A.m[6]);
}
static inline po_vec3 po_m3_col(po_mat3 A, int j) { return po_v3(A.m[j], A.m[3 + j], A.m[6 + j]); }
/* Direction of the x axis seen from above; for a body that turns over see po_heading. */
static inline double po_m3_yaw(po_mat3 A) { return po_atan2(A.m[3], A.m[0]); }
static inline po_vec3 po_m3_row(po_mat3 A, int i) { return po_v3(A.m[3 * i], A.m[3 * i + 1], A.m[3 * i + 2]); }
/* Inverse by cofactors; infinities when singular. */
static inline po_mat3 po_m3_inverse(po_mat3 A) {
  double d = 1 / po_m3_det(A);
  const double *m = A.m;
  return po_m3(d * (m[4] * m[8] - m[5] * m[7]), d * (m[2] * m[7] - m[1] * m[8]), d * (m[1] * m[5] - m[2] * m[4]),
               d * (m[5] * m[6] - m[3] * m[8]), d * (m[0] * m[8] - m[2] * m[6]), d * (m[2] * m[3] - m[0] * m[5]),
               d * (m[3] * m[7] - m[4] * m[6]), d * (m[1] * m[6] - m[0] * m[7]), d * (m[0] * m[4] - m[1] * m[3]));
}
/* Rotation about a unit axis (body to parent). */
static inline po_mat3 po_m3_axis_angle(po_vec3 u, double angle) {
  double s, c, k;
  po_sincos(&s, &c, angle);
  k = 1 - c;
  return po_m3(c + k * u.x * u.x, k * u.x * u.y - s * u.z, k * u.x * u.z + s * u.y,
               k * u.x * u.y + s * u.z, c + k * u.y * u.y, k * u.y * u.z - s * u.x,
               k * u.x * u.z - s * u.y, k * u.y * u.z + s * u.x, c + k * u.z * u.z);
}
/* URDF's fixed-axis roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll). */
static inline po_mat3 po_m3_rpy(double roll, double pitch, double yaw) {
  return po_m3_mul(po_m3_axis_angle(po_v3(0, 0, 1), yaw),
                   po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), pitch), po_m3_axis_angle(po_v3(1, 0, 0), roll)));
}

/* ---- quaternions ---- */
static inline po_quat po_q(double w, double x, double y, double z) { po_quat q; q.w = w; q.x = x; q.y = y; q.z = z; return q; }
static inline po_quat po_q_of(const double *a) { return po_q(a[0], a[1], a[2], a[3]); }
static inline void po_q_to(double *a, po_quat q) { a[0] = q.w; a[1] = q.x; a[2] = q.y; a[3] = q.z; }
static inline po_quat po_q_identity(void) { return po_q(1, 0, 0, 0); }
static inline po_quat po_q_conj(po_quat q) { return po_q(q.w, -q.x, -q.y, -q.z); }
static inline double po_q_norm(po_quat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
/* Zero becomes the identity. */
static inline po_quat po_q_unit(po_quat q) {
  double n = po_q_norm(q);
  return n > 0 ? po_q(q.w / n, q.x / n, q.y / n, q.z / n) : po_q_identity();
}
static inline po_quat po_q_mul(po_quat a, po_quat b) {
  return po_q(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
/* R(q) for unit q. */
static inline po_mat3 po_q_matrix(po_quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return po_m3(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),
               2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy));
}
static inline po_vec3 po_q_rotate(po_quat q, po_vec3 v) { /* v + 2 u×(u×v + w v) */
  po_vec3 u = po_v3(q.x, q.y, q.z);
  po_vec3 t = po_v3_scale(2, po_v3_cross(u, v));
  return po_v3_add(po_v3_addscaled(v, q.w, t), po_v3_cross(u, t));
}
/* exp: rotation vector to unit quaternion. */
static inline po_quat po_q_exp(po_vec3 r) {
  double a = po_v3_norm(r), s, c, k;
  if (a < 1e-4) { /* sin(a/2)/a to a^4: error below 1e-20 */
    double a2 = a * a;
    k = 0.5 - a2 / 48.0 + a2 * a2 / 3840.0;
    c = 1 - a2 / 8.0 + a2 * a2 / 384.0;
  } else {
    po_sincos(&s, &c, 0.5 * a);
    k = s / a;
  }
  return po_q(c, k * r.x, k * r.y, k * r.z);
}
/* log: unit quaternion to the rotation vector of the shorter way round, |r| <= pi. */
static inline po_vec3 po_q_log(po_quat q) {
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), k;
  if (q.w < 0) q = po_q(-q.w, -q.x, -q.y, -q.z);
  k = n < 1e-10 ? 2 / q.w : 2 * po_atan2(n, q.w) / n;
  return po_v3(k * q.x, k * q.y, k * q.z);
}
/* How the rotation vector's rate and the angular velocity w, in the rotated axes, go together: w = Jr(r) dr/dt, with the right Jacobian of SO(3)
 *   Jr(r) = 1 - (1 - cos t)/t^2 r~ + (t - sin t)/t^3 r~^2,   Jr(r)^-1 = 1 + r~/2 + (1 - (t/2) cot(t/2))/t^2 r~^2,   t = |r|. */
static inline po_vec3 po_q_exp_velocity(po_vec3 r, po_vec3 rate) { /* Jr(r) rate */
  double t2 = po_v3_dot(r, r), b, c;
  po_vec3 rx = po_v3_cross(r, rate);
  if (t2 < 1e-4) { /* series: the next terms are below 1e-17 */
    b = 0.5 - t2 / 24 + t2 * t2 / 720;
    c = 1.0 / 6 - t2 / 120 + t2 * t2 / 5040;
  } else {
    double t = sqrt(t2), half = po_sin(0.5 * t);
    b = 2 * half * half / t2;
    c = (t - po_sin(t)) / (t2 * t);
  }
  return po_v3_add(po_v3_addscaled(rate, -b, rx), po_v3_scale(c, po_v3_cross(r, rx)));
}
static inline po_vec3 po_q_log_rate(po_vec3 r, po_vec3 w) { /* Jr(r)^-1 w, for |r| < 2 pi */
  double t2 = po_v3_dot(r, r), c = 1.0 / 12 + t2 / 720 + t2 * t2 / 30240, s, k;
  po_vec3 rx = po_v3_cross(r, w);
  if (t2 >= 1e-4) {
    double t = sqrt(t2);
    po_sincos(&s, &k, 0.5 * t);
    c = (1 - 0.5 * t * k / s) / t2;
  }
  return po_v3_add(po_v3_addscaled(w, 0.5, rx), po_v3_scale(c, po_v3_cross(r, rx)));
}
static inline po_quat po_q_axis_angle(po_vec3 unit_axis, double angle) { return po_q_exp(po_v3_scale(angle, unit_axis)); }
/* Shepperd's method, for a rotation matrix. */
static inline po_quat po_q_from_matrix(po_mat3 R) {
  const double *m = R.m;
  double t = m[0] + m[4] + m[8], s;
  po_quat q;
  if (t > m[0] && t > m[4] && t > m[8]) {
    s = sqrt(1 + t);
    q = po_q(0.5 * s, (m[7] - m[5]) * 0.5 / s, (m[2] - m[6]) * 0.5 / s, (m[3] - m[1]) * 0.5 / s);
  } else if (m[0] >= m[4] && m[0] >= m[8]) {
    s = sqrt(1 + m[0] - m[4] - m[8]);
    q = po_q((m[7] - m[5]) * 0.5 / s, 0.5 * s, (m[1] + m[3]) * 0.5 / s, (m[2] + m[6]) * 0.5 / s);
  } else if (m[4] >= m[8]) {
    s = sqrt(1 + m[4] - m[0] - m[8]);
    q = po_q((m[2] - m[6]) * 0.5 / s, (m[1] + m[3]) * 0.5 / s, 0.5 * s, (m[5] + m[7]) * 0.5 / s);
  } else {
    s = sqrt(1 + m[8] - m[0] - m[4]);
    q = po_q((m[3] - m[1]) * 0.5 / s, (m[2] + m[6]) * 0.5 / s, (m[5] + m[7]) * 0.5 / s, 0.5 * s);
  }
  return po_q_unit(q);
}

#ifdef __cplusplus
}
#endif
#endif
