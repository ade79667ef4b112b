/* phase.c: how far a body has turned over (Al Borno, Fiume, Hertzmann, de Lasa 2014, section 4): the variable that stands for time in
 * movements that rotate.
 *
 * With a the axis (unit, level, along the angular velocity) and u the line from pelvis to neck without its part along a,
 *
 *   θ = atan2(a·(z × u), z·u)        zero when upright, growing as the movement goes on
 *
 * is unwrapped by the nearest whole turn at every tick. One formula serves flips (a to the right or left), cartwheels (a ahead or behind) and
 * dives of several turns. Where u has left the plane, less than a third of its length remaining, θ is held by the turn of the mean frame, a·I⁻¹L.
 */
#include "ctrl.h"
#include <string.h>

#define PHASE_OUT_OF_PLANE (1.0 / 3)

static const char *const phase_names[] = {"trunk", "average", "pelvis", "time"};

const char *po_phase_by_string(po_phase_by by) { return by >= PO_BY_TRUNK && by <= PO_BY_TIME ? phase_names[by] : "trunk"; }

int po_phase_by_find(const char *name) {
  int i;
  for (i = 0; name && i <= PO_BY_TIME; i++)
    if (!strcmp(name, phase_names[i])) return i;
  return -1;
}

po_status po_phase_init(po_phase *p, const po_model *m, po_phase_by by, po_error *err) {
  int neck;
  if (!p || !m) return po_fail(err, PO_ERR_NULL, "a phase needs a model");
  memset(p, 0, sizeof *p);
  p->by = by;
  p->axis = po_v3(0, 1, 0);
  p->pelvis = po_find_body(m, "pelvis");
  neck = po_find_frame(m, "neck_base");
  if (p->pelvis < 0 || neck < 0)
    return po_fail(err, PO_ERR_NAME, "model '%s' has no trunk line: link pelvis and frame neck_base are needed", m->name ? m->name : "");
  p->neck = m->frame[neck].body;
  p->neck_point = m->frame[neck].pose.p;
  return PO_OK;
}

/* The line whose angle is the phase, and its rate. */
static po_vec3 phase_line(const po_phase *p, const po_data *d, po_vec3 *rate) {
  po_vec3 z = po_m3_col(d->pose[p->pelvis].R, 2), o = po_v3(0, 0, 0);
  if (p->by == PO_BY_PELVIS) {
    *rate = po_v3_cross(po_body_angular_velocity(d, p->pelvis), z);
    return z;
  }
  *rate = po_v3_sub(po_point_velocity(d, p->neck, p->neck_point), po_point_velocity(d, p->pelvis, o));
  return po_v3_sub(po_point_position(d, p->neck, p->neck_point), po_point_position(d, p->pelvis, o));
}

/* Angle of the line in the plane and its rate; 0 when it has left the plane. */
static int phase_angle(const po_phase *p, const po_data *d, double *theta, double *rate) {
  po_vec3 e0, e1, up, side, u, ud;
  double x, s, xd, sd, size;
  po_gravity_axes(&e0, &e1, &up, d->gravity);
  side = po_v3_cross(p->axis, up); /* a·(z × u) = (a × z)·u */
  u = phase_line(p, d, &ud);
  x = po_v3_dot(up, u);
  s = po_v3_dot(side, u);
  xd = po_v3_dot(up, ud);
  sd = po_v3_dot(side, ud);
  size = x * x + s * s;
  if (!(size > PHASE_OUT_OF_PLANE * PHASE_OUT_OF_PLANE * po_v3_dot(u, u))) return 0;
  *theta = po_atan2(s, x);
  *rate = (x * sd - s * xd) / size;
  return 1;
}

void po_phase_start(po_phase *p, const po_data *d, po_vec3 axis) {
  po_vec3 e0, e1, up, level;
  double theta = 0;
  po_gravity_axes(&e0, &e1, &up, d->gravity);
  level = po_v3_addscaled(axis, -po_v3_dot(axis, up), up);
  if (po_v3_norm(level) > 0) p->axis = po_v3_unit(level);
  p->rate = po_v3_dot(p->axis, po_mean_rotation(d));
  p->theta = phase_angle(p, d, &theta, &p->rate) ? theta : 0;
}

void po_phase_update(po_phase *p, const po_data *d, double dt) {
  double mean = po_v3_dot(p->axis, po_mean_rotation(d)), theta, rate, step;
  if (p->by == PO_BY_TIME || p->by == PO_BY_AVERAGE || !phase_angle(p, d, &theta, &rate)) {
    p->rate = p->by == PO_BY_TIME ? p->nominal : mean;
    p->theta += dt * p->rate;
    return;
  }
  step = theta - p->theta;
  p->theta += po_wrap(step);
  p->rate = rate;
}

double po_level_heading(po_vec3 left) { return po_atan2(-left.x, left.y); }

double po_tilt_of_axis(const po_data *d, po_vec3 axis) {
  po_vec3 e0, e1, up;
  double s;
  po_gravity_axes(&e0, &e1, &up, d->gravity);
  s = po_clamp(po_v3_dot(axis, up), -1, 1);
  return po_atan2(s, sqrt(1 - s * s));
}
