/* coulomb.c: Coulomb's law for one contact point, solved exactly.
 *
 * With b the velocity (n, t1, t2) the point would have without its own impulse p, and D its 3×3 block of the Delassus matrix,
 *   u = b + D p,   0 ≤ u_n ⊥ p_n ≥ 0,   |p_t| ≤ mu p_n,   sliding:  p_t = −mu p_n u_t / |u_t|.
 * Three cases: open (p = 0), sticking (u = 0), sliding. Sliding along the unit vector d = u_t/|u_t| has u_n = 0, hence
 *   p_n = −b_n / (D_nn − mu D_nt·d),   p_t = −mu p_n d,
 * which leaves one equation in the angle of d: f = d⊥·u_t(d) = 0 with d·u_t ≥ 0. Newton's method finds it in three to five steps.
 */
#include "lcp_internal.h"

/* The angle counts as found when u_t deviates from d by this share of the velocities involved. */
#define PO_COULOMB_TOL 1e-13
#define PO_COULOMB_STEPS 12

typedef struct coulomb_slide {
  double pn, ux, uy, f, slope, along;
} coulomb_slide;

/* Everything about sliding along d; 0 when the normal impulse would not be positive (the cone is too steep: jamming). */
static int coulomb_eval(coulomb_slide *s, const double b[3], const double D[9], double mu, double dx, double dy) {
  double X = D[0] - mu * (D[1] * dx + D[2] * dy), dpn, vx, vy;
  if (!(X > 1e-12 * D[0])) return 0;
  s->pn = -b[0] / X;
  s->ux = b[1] + s->pn * (D[3] - mu * (D[4] * dx + D[5] * dy));
  s->uy = b[2] + s->pn * (D[6] - mu * (D[7] * dx + D[8] * dy));
  s->f = -dy * s->ux + dx * s->uy;
  s->along = dx * s->ux + dy * s->uy;
  dpn = s->pn * mu * (-D[1] * dy + D[2] * dx) / X;
  vx = dpn * (D[3] - mu * (D[4] * dx + D[5] * dy)) - s->pn * mu * (-D[4] * dy + D[5] * dx);
  vy = dpn * (D[6] - mu * (D[7] * dx + D[8] * dy)) - s->pn * mu * (-D[7] * dy + D[8] * dx);
  s->slope = -s->along + (-dy * vx + dx * vy);
  return 1;
}

static int coulomb_search(double p[3], const double b[3], const double D[9], double mu, double dx, double dy) {
  coulomb_slide s;
  double scale = fabs(b[0]) + fabs(b[1]) + fabs(b[2]);
  int k;
  for (k = 0; k < PO_COULOMB_STEPS; k++) {
    double turn, length;
    if (!coulomb_eval(&s, b, D, mu, dx, dy)) return 0;
    if (fabs(s.f) <= PO_COULOMB_TOL * scale) {
      if (s.along < 0) return 0; /* the other root: friction that pushes */
      p[0] = s.pn;
      p[1] = -mu * s.pn * dx;
      p[2] = -mu * s.pn * dy;
      return 1;
    }
    if (s.slope < 0)
      turn = po_clamp(-s.f / s.slope, -0.7, 0.7); /* below a right angle, so that d never jumps to the other root */
    else
      turn = s.f > 0 ? 0.7 : -0.7; /* uphill side of f: toward u_t */
    { /* d + turn d⊥ */
      double x = dx - turn * dy, y = dy + turn * dx;
      length = sqrt(x * x + y * y);
      dx = x / length;
      dy = y / length;
    }
  }
  return 0;
}

int po_coulomb_point(double p[3], const double b[3], const double D[9], const double Dinv[9], double mu) {
  double s[3], length, guess;
  if (b[0] >= 0) {
    p[0] = p[1] = p[2] = 0;
    return 1;
  }
  s[0] = -(Dinv[0] * b[0] + Dinv[1] * b[1] + Dinv[2] * b[2]);
  s[1] = -(Dinv[3] * b[0] + Dinv[4] * b[1] + Dinv[5] * b[2]);
  s[2] = -(Dinv[6] * b[0] + Dinv[7] * b[1] + Dinv[8] * b[2]);
  if (s[0] >= 0 && s[1] * s[1] + s[2] * s[2] <= mu * mu * s[0] * s[0]) {
    p[0] = s[0];
    p[1] = s[1];
    p[2] = s[2];
    return 1;
  }
  if (mu == 0) {
    p[0] = -b[0] / D[0];
    p[1] = p[2] = 0;
    return 1;
  }
  guess = sqrt(p[1] * p[1] + p[2] * p[2]);
  if (guess > 0 && coulomb_search(p, b, D, mu, -p[1] / guess, -p[2] / guess)) return 1;
  length = sqrt(s[1] * s[1] + s[2] * s[2]);
  if (length > 0 && coulomb_search(p, b, D, mu, -s[1] / length, -s[2] / length)) return 1;
  length = sqrt(b[1] * b[1] + b[2] * b[2]);
  return length > 0 && coulomb_search(p, b, D, mu, b[1] / length, b[2] / length);
}

static int coulomb_inside(const po_friction_shape *shape, double radius, const double *t) {
  double y[2];
  y[0] = t[0];
  y[1] = t[1];
  po_friction_project(shape, 2, radius, y);
  return y[0] == t[0] && y[1] == t[1];
}

/* Largest eigenvalue of the friction pair's 2×2 block: the step that is safe for the projection. */
static double coulomb_pair_scale(const double D[9]) {
  double h = 0.5 * (D[4] - D[8]), largest = 0.5 * (D[4] + D[8]) + sqrt(h * h + D[5] * D[5]);
  return largest > 0 ? largest : 1;
}

static int coulomb_exact(double p[3], const double b[3], const double D[9], const double Dinv[9], double mu, const po_friction_shape *shape) {
  double s[3];
  int i;
  if (shape->law == PO_FRICTION_CONE || mu == 0) return po_coulomb_point(p, b, D, Dinv, mu);
  if (b[0] >= 0) {
    p[0] = p[1] = p[2] = 0;
    return 1;
  }
  for (i = 0; i < 3; i++) s[i] = -(Dinv[3 * i] * b[0] + Dinv[3 * i + 1] * b[1] + Dinv[3 * i + 2] * b[2]);
  if (!(s[0] >= 0 && coulomb_inside(shape, mu * s[0], s + 1))) return 0;
  for (i = 0; i < 3; i++) p[i] = s[i];
  return 1;
}

void po_contact_block(double p[3], const double b[3], const double D[9], const double Dinv[9], int regular, double mu, const po_friction_shape *shape) {
  double y[2];
  int i;
  if (regular && coulomb_exact(p, b, D, Dinv, mu, shape)) return;
  if (D[0] > 0) p[0] = po_max(0, -(b[0] + D[1] * p[1] + D[2] * p[2]) / D[0]);
  if (shape->law == PO_FRICTION_BOX) {
    for (i = 1; i < 3; i++)
      if (D[4 * i] > 0)
        p[i] = po_clamp(p[i] - (b[i] + D[3 * i] * p[0] + D[3 * i + 1] * p[1] + D[3 * i + 2] * p[2]) / D[4 * i], -mu * p[0], mu * p[0]);
    return;
  }
  for (i = 0; i < 2; i++)
    y[i] = p[1 + i] - (b[1 + i] + D[3 + 3 * i] * p[0] + D[4 + 3 * i] * p[1] + D[5 + 3 * i] * p[2]) / coulomb_pair_scale(D);
  po_friction_project(shape, 2, mu * p[0], y);
  p[1] = y[0];
  p[2] = y[1];
}
