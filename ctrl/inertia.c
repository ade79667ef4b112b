/* inertia.c: the inertia of a whole body about its COM, as if it were frozen, and how joints change it.
 *
 * With r the offset of a body's centre from the COM c and I its own inertia, both in world axes,
 *
 *   I(a) = Σ a'I a + m |a × r|²                       about the unit axis a through c
 *   dI(a) = Σ 2 ω·(I a × a) + 2 m ċ_b·(r − a (a·r))   when a body turns with ω and its centre moves with ċ_b
 *
 * The COM's own motion drops out of the second sum because Σ m r = 0. So each body holds a wrench, and the gradient is what these wrenches do
 * to the freedoms: one J'f per body.
 */
#include "ctrl.h"
#include <string.h>

/* A body's inertia about its centre, and that centre relative to the COM; world axes. */
static po_mat3 inertia_of_body(const po_data *d, int body, po_vec3 *r) {
  const po_inertia *x = &d->model->inertia[body];
  *r = po_v3_sub(po_point_position(d, body, x->com), d->com);
  return po_m3_mult(po_m3_mul(d->pose[body].R, x->I), d->pose[body].R);
}

po_mat3 po_whole_inertia(const po_data *d) {
  po_mat3 sum = po_m3_diag(0, 0, 0);
  int b;
  for (b = 0; b < d->model->nb; b++) {
    double m = d->model->inertia[b].mass;
    po_vec3 r;
    po_mat3 I = inertia_of_body(d, b, &r);
    double s = m * po_v3_dot(r, r);
    sum = po_m3_add(sum, po_m3_add(I, po_m3_sub(po_m3_diag(s, s, s), po_m3_scale(m, po_m3_outer(r, r)))));
  }
  return sum;
}

double po_inertia_about(const po_data *d, po_vec3 axis) { return po_v3_dot(axis, po_m3_mul_v(po_whole_inertia(d), axis)); }

void po_inertia_gradient(double *gradient, const po_data *d, po_vec3 axis) {
  int b;
  memset(gradient, 0, sizeof(double) * (size_t)d->model->nv);
  for (b = 0; b < d->model->nb; b++) {
    po_vec3 r, Ia;
    po_mat3 I = inertia_of_body(d, b, &r);
    po_vec3 across = po_v3_addscaled(r, -po_v3_dot(axis, r), axis);
    Ia = po_m3_mul_v(I, axis);
    po_apply_moment(gradient, d, b, po_v3_scale(2, po_v3_cross(Ia, axis)));
    po_apply_force(gradient, d, b, po_v3_add(d->com, r), po_v3_scale(2 * d->model->inertia[b].mass, across));
  }
}

po_vec3 po_mean_rotation(const po_data *d) { return po_m3_mul_v(po_m3_inverse(po_whole_inertia(d)), po_v3_of(d->momentum)); }
