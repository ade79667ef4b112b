/* support.c: the law of balance (Koolen et al. 2012 for the capture point; the equations stand in support.h). */
#include "support.h"

/* ---- what carries ---- */

po_footing po_footing_of(const po_actor *a, unsigned set, unsigned pressed) {
  const po_patches *s = &a->patches;
  po_patches all;
  po_footing f;
  int i, k;
  if (pressed) {
    all = a->patches;
    for (i = 0; i < PO_PATCHES; i++)
      for (k = 0; k < all.patch[i].points && (pressed & PO_PATCH_BIT(i)); k++) all.patch[i].touching[k] = 1;
    s = &all;
  }
  f.corners = po_patches_hull(f.hull, s, a->data, set);
  f.centre = po_patches_centroid(s, a->data, set);
  return f;
}

double po_footing_outside(const po_footing *f, po_vec3 p) {
  po_vec3 nearest;
  return po_hull_distance(&nearest, f->hull, f->corners, p);
}

po_vec3 po_footing_inside(const po_footing *f, po_vec3 p, double margin) {
  po_vec3 near, in;
  double r;
  if (f->corners == 0 || po_hull_distance(&near, f->hull, f->corners, p) < -margin) return p;
  in = po_v3(f->centre.x - near.x, f->centre.y - near.y, 0);
  r = po_v3_norm(in);
  if (r > 0) near = po_v3_addscaled(near, po_min(margin / r, 1), in);
  return po_v3(near.x, near.y, p.z);
}

int po_cop_clip(po_vec3 *nearest, po_vec3 *over, po_vec3 p, const po_vec3 *hull, int n, double margin) {
  double out = po_hull_distance(nearest, hull, n, p);
  if (n < 3) margin = po_max(margin, 0); /* a line has no inside */
  if (n < 1 || out <= margin || out == 0) return 0;
  *over = po_v3((p.x - nearest->x) * margin / out, (p.y - nearest->y) * margin / out, 0);
  return 1;
}

/* ---- what is carried ---- */

po_pendulum po_pendulum_over(const po_actor *a, double ground, double lowest) {
  const po_data *d = a->data;
  const double *L = d->momentum;
  po_pendulum b;
  b.mass = a->model->total_mass;
  b.gravity = po_v3_norm(d->gravity);
  b.h = po_max(d->com.z - ground, lowest);
  b.w = sqrt(b.gravity / b.h);
  b.com = d->com;
  b.spin = po_v3_scale(1 / (b.mass * b.h), po_v3(L[1], -L[0], 0));
  b.capture = po_v3_addscaled(d->com, 1 / b.w, po_v3_add(po_v3(d->com_velocity.x, d->com_velocity.y, 0), b.spin));
  return b;
}

po_vec3 po_pendulum_press(const po_pendulum *b, po_vec3 goal, double rate, double force) {
  po_vec3 p = po_v3_addscaled(po_v3_sub(b->capture, b->com), rate / b->w, po_v3_sub(b->capture, goal));
  p = po_v3_addscaled(b->com, b->mass * b->gravity / force, po_v3_addscaled(p, -1 / b->w, b->spin));
  return po_v3(p.x, p.y, goal.z);
}

static po_vec3 support_cross_up(po_vec3 L) { return po_v3(L.y, -L.x, 0); }

po_vec3 po_pendulum_pressure(const po_pendulum *b, po_vec3 acceleration, double force, po_vec3 turn) {
  return po_v3_addscaled(b->com, -1 / force, po_v3_add(po_v3_scale(b->mass * b->h, acceleration), support_cross_up(turn)));
}

po_vec3 po_pendulum_push(const po_pendulum *b, po_vec3 p, double force, po_vec3 turn) {
  double inertia = b->mass * b->h;
  return po_v3_addscaled(po_v3_scale(force / inertia, po_v3(b->com.x - p.x, b->com.y - p.y, 0)), -1 / inertia, support_cross_up(turn));
}

po_vec3 po_capture_point(const po_actor *a) {
  double g = po_v3_norm(a->data->gravity);
  return g > 0 ? po_v3_addscaled(a->data->com, 1 / sqrt(g / a->standing_height), a->data->com_velocity) : a->data->com;
}

/* ---- turning upright ---- */

po_vec3 po_at_most(po_vec3 v, double most) {
  double n = po_v3_norm(v);
  return n > most ? po_v3_scale(most / n, v) : v;
}

po_vec3 po_turn_to(po_vec3 is, po_vec3 want, double gain, double most, double rate, po_vec3 momentum) {
  po_vec3 axis = po_v3_cross(is, want), L = po_v3(0, 0, 0);
  double sine = po_v3_norm(axis);
  if (sine > 1e-9) L = po_at_most(po_v3_scale(gain, po_v3_scale(po_atan2(sine, po_v3_dot(is, want)) / sine, axis)), most);
  return po_v3_scale(rate, po_v3_sub(L, momentum));
}
