/* inertia.c: inertias of uniform solids, their sums, and what makes one physical. */
#include "builder.h"

po_inertia po_inertia_box(double mass, double x, double y, double z) {
  po_inertia i;
  double k = mass / 12;
  i.mass = mass;
  i.com = po_v3(0, 0, 0);
  i.I = po_m3_diag(k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y));
  return i;
}

po_inertia po_inertia_sphere(double mass, double radius) {
  po_inertia i;
  double k = 0.4 * mass * radius * radius;
  i.mass = mass;
  i.com = po_v3(0, 0, 0);
  i.I = po_m3_diag(k, k, k);
  return i;
}

po_inertia po_inertia_cylinder(double mass, double radius, double length) {
  po_inertia i;
  double across = mass * (3 * radius * radius + length * length) / 12;
  i.mass = mass;
  i.com = po_v3(0, 0, 0);
  i.I = po_m3_diag(across, across, 0.5 * mass * radius * radius);
  return i;
}

po_inertia po_inertia_capsule(double mass, double radius, double half_length) {
  /* a cylinder of length 2l and two half balls: volumes 2 π r² l and 4/3 π r³; the centre of a half ball lies 3/8 r beyond its disc */
  double r = radius, l = half_length, total = 2 * l + 4.0 / 3.0 * r;
  double mc, mb, across, along, d = l + 0.375 * r;
  po_inertia i;
  i.mass = mass;
  i.com = po_v3(0, 0, 0);
  if (!(total > 0)) { /* no volume: a point */
    i.I = po_m3_diag(0, 0, 0);
    return i;
  }
  mc = mass * 2 * l / total;
  mb = mass - mc; /* both half balls */
  along = 0.5 * mc * r * r + 0.4 * mb * r * r;
  /* a half ball about its own centre: 2/5 m r² − m (3/8 r)² = 83/320 m r² */
  across = mc * (3 * r * r + 4 * l * l) / 12 + mb * (83.0 / 320.0 * r * r + d * d);
  i.I = po_m3_diag(across, across, along);
  return i;
}

po_pose po_pose_identity(void) {
  po_pose p;
  p.R = po_m3_identity();
  p.p = po_v3(0, 0, 0);
  return p;
}

po_pose po_pose_mul(po_pose a, po_pose b) {
  po_pose c;
  c.R = po_m3_mul(a.R, b.R);
  c.p = po_v3_add(po_m3_mul_v(a.R, b.p), a.p);
  return c;
}

/* m (d·d 1 − d d') */
static po_mat3 inertia_of_point(double m, po_vec3 d) {
  double dd = po_v3_dot(d, d);
  return po_m3_sub(po_m3_diag(m * dd, m * dd, m * dd), po_m3_scale(m, po_m3_outer(d, d)));
}

po_inertia po_inertia_merge(po_inertia a, po_inertia child, po_pose pose) {
  po_inertia sum, b = child;
  if (!(child.mass > 0)) return a; /* exactly a: a model written and read again must not drift */
  b.com = po_v3_add(po_m3_mul_v(pose.R, child.com), pose.p);
  b.I = po_m3_mult(po_m3_mul(pose.R, child.I), pose.R);
  if (!(a.mass > 0)) return b;
  sum.mass = a.mass + b.mass;
  sum.com = po_v3_scale(1 / sum.mass, po_v3_add(po_v3_scale(a.mass, a.com), po_v3_scale(b.mass, b.com)));
  sum.I = po_m3_add(po_m3_add(a.I, inertia_of_point(a.mass, po_v3_sub(a.com, sum.com))),
                    po_m3_add(b.I, inertia_of_point(b.mass, po_v3_sub(b.com, sum.com))));
  return sum;
}

/* Published inertias are rounded, and some are a little wrong; this share of the trace may be missing before one is refused. */
#define INERTIA_SLACK 1e-3

/* Whether the symmetric matrix with rows (a, b, c), (b, d, e), (c, e, f) has no negative eigenvalue, by its leading minors. */
static int inertia_minors(double a, double b, double c, double d, double e, double f) {
  return a >= 0 && a * d - b * b >= 0 && a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d) >= 0;
}

/* Whether a mass distribution with this inertia exists: ½ tr(I) 1 − I, the second moments, must not have a negative eigenvalue.
 * That is the triangle inequality of the principal moments, and makes them positive too. */
int po_inertia_is_physical(const po_inertia *x) {
  const double *I = x->I.m;
  double trace = I[0] + I[4] + I[8], k = (0.5 + INERTIA_SLACK) * trace;
  return trace >= 0 && inertia_minors(k - I[0], -I[1], -I[2], k - I[4], -I[5], k - I[8]);
}

/* The second moments ½ tr(I) 1 − I must have no negative eigenvalue; I + d 1 adds d/2 to each. The least eigenvalue in closed form (Smith 1961). */
double po_inertia_lack(const po_inertia *x) {
  const double *I = x->I.m;
  double half = 0.5 * (I[0] + I[4] + I[8]), q = half / 3, p2, p, r, least; /* of P = half − I: its mean is (3 half − 2 half)/3 */
  double a = half - I[0] - q, b = half - I[4] - q, c = half - I[8] - q, off = I[1] * I[1] + I[2] * I[2] + I[5] * I[5];
  p2 = a * a + b * b + c * c + 2 * off;
  p = sqrt(p2 / 6);
  if (p > 0) {
    double d = (a * (b * c - I[5] * I[5]) + I[1] * (-I[1] * c - I[5] * I[2]) - I[2] * (I[1] * I[5] + b * I[2])) / (p * p * p);
    r = po_clamp(0.5 * d, -1, 1);
    least = q + 2 * p * po_cos(po_acos(r) / 3 + 2 * PO_PI / 3);
  } else least = q;
  return least < 0 ? -2 * least : 0;
}

int po_inertia_is_positive(const po_inertia *x) {
  const double *I = x->I.m;
  double trace = I[0] + I[4] + I[8], k = INERTIA_SLACK * trace;
  return trace >= 0 && inertia_minors(I[0] + k, I[1], I[2], I[4] + k, I[5], I[8] + k);
}

po_status po_inertia_check(const po_inertia *x, const char *link, po_error *err) {
  const double *I = x->I.m;
  double asymmetry, size = 0;
  int i;
  if (!po_isfinite(x->mass) || !po_all_finite(&x->com.x, 3) || !po_all_finite(I, 9))
    return po_fail(err, PO_ERR_NOT_FINITE, "link '%s': its inertia is not finite", link);
  if (x->mass < 0) return po_fail(err, PO_ERR_MODEL, "link '%s': mass %g is negative", link, x->mass);
  for (i = 0; i < 9; i++) size = po_max(size, po_abs(I[i]));
  asymmetry = po_max(po_abs(I[1] - I[3]), po_max(po_abs(I[2] - I[6]), po_abs(I[5] - I[7])));
  if (asymmetry > 1e-9 * size) return po_fail(err, PO_ERR_MODEL, "link '%s': its inertia matrix is not symmetric", link);
  return PO_OK;
}
