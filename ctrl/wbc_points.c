/* wbc_points.c: setpoints of several points of one body, written as six rows.
 *
 * The corners of a sole are 12 rows of rank 6. With r_i the points about their centroid c, the body's ω̇ and a_c, and t_i = ÿ_i − J̇_i q̇,
 *
 *   Σ |a_c + ω̇ × r_i − t_i|²  =  m |a_c − t̄|²  +  |Lᵀω̇ − L⁻¹ Σ r_i × t_i|²  +  const,      L Lᵀ = Σ (|r_i|² 1 − r_i r_iᵀ)
 *
 * because Σ r_i = 0. The optimum and the multipliers of the levels below are the same; only the constant is lost, which is how far the t_i are
 * from being those of a rigid body. Half the rows: the level of the contacts took 14 µs of a 63 µs solve.
 */
#include "ctrl_internal.h"
#include <string.h>

/* Points nearly on a line cannot tell rotations about it: their inertia's smallest pivot against its trace. */
#define POINTS_LINE 1e-6

static int points_alike(const po_objective *a, const po_objective *b) {
  return b->on && b->type == PO_SETPOINT && b->feature.type == PO_FEATURE_POINT && b->feature.axes == 7 && !b->joint_weight && b->feature.body == a->feature.body &&
         b->priority == a->priority && b->weight == a->weight && b->scale == a->scale;
}

int po_wbc_points_run(const po_wbc *w, int first) {
  int n = 0;
  while (first + n < w->objectives && n < PO_WBC_POINTS && points_alike(&w->objective[first], &w->objective[first + n])) n++;
  return n;
}

/* Cholesky of Σ (|r|² 1 − r rᵀ); 0 when the points are on a line. */
static int points_factor(double L[6], const po_vec3 *r, int n) {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, trace, p;
  int i;
  for (i = 0; i < n; i++) {
    xx += r[i].y * r[i].y + r[i].z * r[i].z;
    yy += r[i].x * r[i].x + r[i].z * r[i].z;
    zz += r[i].x * r[i].x + r[i].y * r[i].y;
    xy -= r[i].x * r[i].y;
    xz -= r[i].x * r[i].z;
    yz -= r[i].y * r[i].z;
  }
  trace = xx + yy + zz;
  if (!(xx > POINTS_LINE * trace)) return 0;
  L[0] = sqrt(xx);
  L[1] = xy / L[0];
  L[3] = xz / L[0];
  if (!((p = yy - L[1] * L[1]) > POINTS_LINE * trace)) return 0;
  L[2] = sqrt(p);
  L[4] = (yz - L[1] * L[3]) / L[2];
  if (!((p = zz - L[3] * L[3] - L[4] * L[4]) > POINTS_LINE * trace)) return 0;
  L[5] = sqrt(p);
  return 1;
}

/* Where the points are, and what they want: t_i. */
static void points_wanted(po_wbc *w, const po_data *d, int first, po_wbc_group *g, const double *q, const double *v, po_vec3 centre) {
  int i;
  for (i = 0; i < g->count; i++) {
    po_objective *o = &w->objective[first + i];
    double y[3], ydot[3];
    g->drift[i] = po_point_drift(d, o->feature.body, o->feature.point);
    g->arm[i] = po_m3_mul_v(d->pose[o->feature.body].R, po_v3_sub(o->feature.point, centre));
    po_v3_to(y, po_point_position(d, o->feature.body, o->feature.point));
    po_v3_to(ydot, po_point_velocity(d, o->feature.body, o->feature.point));
    po_objective_wanted(o, d, q, v, y, ydot, o->wanted, w->inner->error);
  }
}

int po_wbc_points(po_wbc *w, const po_data *d, int first, int count, const double *q, const double *v) {
  po_wbc_inner *in = w->inner;
  const po_objective *o = &w->objective[first];
  po_wbc_group *g = &in->group[in->groups];
  po_vec3 centre = po_v3(0, 0, 0), mean = po_v3(0, 0, 0), turn = po_v3(0, 0, 0), half;
  double s = sqrt(o->weight) / o->scale, unit = s * sqrt((double)count), *L = g->L;
  int i, k, nv = w->model->nv, at = in->used;
  po_mat Jw, Jc;
  if (count < 3 || in->groups >= PO_WBC_GROUPS) return 0;
  for (i = 0; i < count; i++) centre = po_v3_addscaled(centre, 1.0 / count, w->objective[first + i].feature.point);
  g->count = count;
  points_wanted(w, d, first, g, q, v, centre);
  if (!points_factor(L, g->arm, count)) return 0;
  g->first = first;
  g->row = at;
  in->groups++;
  for (i = 0; i < count; i++) {
    po_vec3 t = po_v3_sub(po_v3_of(w->objective[first + i].wanted), g->drift[i]);
    mean = po_v3_addscaled(mean, 1.0 / count, t);
    turn = po_v3_add(turn, po_v3_cross(g->arm[i], t));
  }
  half.x = turn.x / L[0];
  half.y = (turn.y - L[1] * half.x) / L[2];
  half.z = (turn.z - L[3] * half.x - L[4] * half.y) / L[5];
  for (i = 0; i < 6; i++) po_wbc_acc_row(in, 0, 0);
  po_v3_to(in->lower + at, po_v3_scale(s, half));
  po_v3_to(in->lower + at + 3, po_v3_scale(unit, mean));
  memcpy(in->upper + at, in->lower + at, 6 * sizeof(double));
  Jw = po_mat_of(po_row(in->rows, at) + in->acc_at, 3, nv, in->rows.ld);
  Jc = po_mat_of(po_row(in->rows, at + 3) + in->acc_at, 3, nv, in->rows.ld);
  po_jacobian_angular(Jw, d, o->feature.body);
  po_jacobian_point(Jc, d, o->feature.body, centre);
  for (k = 0; k < nv; k++) { /* Lᵀ J_ω, top row first */
    double x = PO_AT(Jw, 0, k), y = PO_AT(Jw, 1, k), z = PO_AT(Jw, 2, k);
    PO_AT(Jw, 0, k) = s * (L[0] * x + L[1] * y + L[3] * z);
    PO_AT(Jw, 1, k) = s * (L[2] * y + L[4] * z);
    PO_AT(Jw, 2, k) = s * (L[5] * z);
  }
  for (i = 0; i < 3; i++) po_scale(po_row(Jc, i), unit, nv);
  return 1;
}

/* What the points got: their body's acceleration read back from the six rows. */
void po_wbc_points_account(po_wbc *w, const po_wbc_group *g, const double *qdd) {
  const po_wbc_inner *in = w->inner;
  const po_objective *first = &w->objective[g->first];
  const double *L = g->L;
  double s = sqrt(first->weight) / first->scale, y[6];
  po_vec3 alpha, a;
  int i, k;
  for (i = 0; i < 6; i++) y[i] = po_dot(po_row(in->rows, g->row + i) + in->acc_at, qdd, w->model->nv) / s;
  alpha.z = y[2] / L[5];
  alpha.y = (y[1] - L[4] * alpha.z) / L[2];
  alpha.x = (y[0] - L[1] * alpha.y - L[3] * alpha.z) / L[0];
  a = po_v3_scale(1 / sqrt((double)g->count), po_v3_of(y + 3));
  for (i = 0; i < g->count; i++) {
    po_objective *o = &w->objective[g->first + i];
    po_vec3 got = po_v3_add(po_v3_add(a, po_v3_cross(alpha, g->arm[i])), g->drift[i]);
    double sum = 0;
    po_v3_to(o->got, got);
    for (k = 0; k < 3; k++) sum += (o->got[k] - o->wanted[k]) * (o->got[k] - o->wanted[k]);
    o->miss = sqrt(sum);
  }
}
