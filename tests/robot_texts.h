/* robot_texts.h: robots as strangers publish them, written by us: one list of boxes on hinges, as URDF and as MJCF. Names say nothing. */
#ifndef ROBOT_TEXTS_H
#define ROBOT_TEXTS_H

#include "rbd/rbd.h"
#include <string.h>

typedef struct robot_part {
  int parent;          /* −1: the root */
  double pos[3];       /* of its joint in the parent's frame */
  double axis[3];
  double lower, upper, effort;
  double mass, half[3], at[3]; /* a box and its middle */
} robot_part;

enum { ROBOT_PARTS = 40 };
typedef struct robot_plan {
  const char *name;
  int floats, n;
  double up;           /* of the root, where the file draws it */
  robot_part part[ROBOT_PARTS];
} robot_plan;

static inline int robot_add(robot_plan *r, int parent, double x, double y, double z, double ax, double ay, double az, double lower, double upper, double effort) {
  robot_part *p = &r->part[r->n];
  memset(p, 0, sizeof *p);
  p->parent = parent;
  p->pos[0] = x, p->pos[1] = y, p->pos[2] = z;
  p->axis[0] = ax, p->axis[1] = ay, p->axis[2] = az;
  p->lower = lower, p->upper = upper, p->effort = effort;
  p->mass = 0.3;
  p->half[0] = p->half[1] = p->half[2] = 0.03;
  return r->n++;
}

static inline void robot_box(robot_plan *r, int i, double mass, double hx, double hy, double hz, double x, double y, double z) {
  robot_part *p = &r->part[i];
  p->mass = mass;
  p->half[0] = hx, p->half[1] = hy, p->half[2] = hz;
  p->at[0] = x, p->at[1] = y, p->at[2] = z;
}

/* A humanoid of 1.3 m and 40 kg: `tilt` of its hips' second axes (rad), whether its ankles roll before they pitch, and which way it looks (1, −1). */
static inline robot_plan robot_humanoid(double tilt, int roll_first, int ahead) {
  robot_plan r;
  double s, c, k = ahead;
  int side, i, torso;
  memset(&r, 0, sizeof r);
  r.name = "stranger";
  r.floats = 1;
  r.up = 0.72;
  po_sincos(&s, &c, tilt);
  i = robot_add(&r, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  robot_box(&r, i, 7, 0.09, 0.12, 0.06, 0, 0, 0.02);
  torso = robot_add(&r, 0, 0, 0, 0.1, 0, 0, 1, -1.5, 1.5, 60);
  robot_box(&r, torso, 11, 0.09, 0.14, 0.18, 0, 0, 0.2);
  for (side = 1; side >= -1; side -= 2) {
    int hip1 = robot_add(&r, 0, 0, 0.08 * side, -0.06, 0, c, side * s, -1.2, 1.2, 90), hip2, hip3, knee, a1, foot;
    hip2 = robot_add(&r, hip1, 0, 0.03 * side, -0.02, 1, 0, 0, -0.6, 0.6, 90);
    hip3 = robot_add(&r, hip2, 0, 0, -0.04, 0, s * side * 0.5, 1, -0.8, 0.8, 60);
    robot_box(&r, hip3, 3, 0.05, 0.05, 0.13, 0, 0, -0.12);
    r.part[hip1].axis[1] = c, r.part[hip1].axis[2] = side * s; /* pitch, tilted */
    knee = robot_add(&r, hip3, 0, 0, -0.26, 0, k, 0, -0.05, 2.3, 120);
    robot_box(&r, knee, 2.2, 0.04, 0.04, 0.13, 0, 0, -0.13);
    a1 = robot_add(&r, knee, 0, 0, -0.28, roll_first ? 1 : 0, roll_first ? 0 : -1, 0, roll_first ? -0.3 : -0.8, roll_first ? 0.3 : 0.8, 50);
    foot = robot_add(&r, a1, 0, 0, -0.01, roll_first ? 0 : 1, roll_first ? -1 : 0, 0, roll_first ? -0.8 : -0.3, roll_first ? 0.8 : 0.3, 50);
    robot_box(&r, foot, 0.8, 0.1, 0.05, 0.02, 0.04 * k, 0, -0.03);
  }
  for (side = 1; side >= -1; side -= 2) {
    int s1 = robot_add(&r, torso, 0, 0.16 * side, 0.32, 0, 1, 0, -2.5, 2.5, 20), s2 = robot_add(&r, s1, 0, 0.03 * side, 0, 1, 0, 0, -2, 2, 20);
    int s3 = robot_add(&r, s2, 0, 0, -0.03, 0, 0, 1, -2, 2, 20), elbow;
    robot_box(&r, s3, 1.2, 0.03, 0.03, 0.1, 0, 0, -0.1);
    elbow = robot_add(&r, s3, 0, 0, -0.2, 0, 1, 0, -2, 0.5, 20);
    robot_box(&r, elbow, 1, 0.03, 0.03, 0.12, 0, 0, -0.12);
  }
  i = robot_add(&r, torso, 0, 0, 0.4, 0, 0, 1, -1, 1, 10);
  robot_box(&r, i, 2.5, 0.08, 0.07, 0.1, 0, 0, 0.1);
  return r;
}

static inline robot_plan robot_quadruped(void) {
  robot_plan r;
  int x, y, i;
  memset(&r, 0, sizeof r);
  r.name = "four";
  r.floats = 1;
  r.up = 0.45;
  i = robot_add(&r, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  robot_box(&r, i, 9, 0.25, 0.1, 0.06, 0, 0, 0);
  for (x = 1; x >= -1; x -= 2)
    for (y = 1; y >= -1; y -= 2) {
      int a = robot_add(&r, 0, 0.2 * x, 0.06 * y, 0, 1, 0, 0, -0.8, 0.8, 30), b = robot_add(&r, a, 0, 0.08 * y, 0, 0, 1, 0, -1.5, 3, 30), c;
      robot_box(&r, b, 1, 0.03, 0.02, 0.1, 0, 0, -0.1);
      c = robot_add(&r, b, 0, 0, -0.21, 0, 1, 0, -2.7, -0.1, 40);
      robot_box(&r, c, 0.3, 0.015, 0.015, 0.1, 0, 0, -0.1);
    }
  return r;
}

static inline robot_plan robot_arm(void) {
  static const double axis[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  robot_plan r;
  int i, up = 0;
  memset(&r, 0, sizeof r);
  r.name = "reacher";
  robot_add(&r, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  for (i = 0; i < 6; i++) {
    up = robot_add(&r, up, 0, 0, i ? 0.2 : 0.1, axis[i][0], axis[i][1], axis[i][2], -2.8, 2.8, 80);
    robot_box(&r, up, 2.5 - 0.3 * i, 0.04, 0.04, 0.09, 0, 0, 0.1);
  }
  return r;
}

/* ---- writing ---- */

static inline void robot_urdf(po_buffer *out, const robot_plan *r) {
  int i;
  po_buffer_printf(out, "<robot name='%s'>\n", r->name);
  for (i = 0; i < r->n; i++) {
    const robot_part *p = &r->part[i];
    double x = p->half[0], y = p->half[1], z = p->half[2], k = p->mass / 3;
    po_buffer_printf(out, "<link name='part_%d'><inertial><origin xyz='%g %g %g'/><mass value='%g'/><inertia ixx='%g' iyy='%g' izz='%g' ixy='0' ixz='0' iyz='0'/></inertial>", i, p->at[0],
                     p->at[1], p->at[2], p->mass, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y));
    po_buffer_printf(out, "<collision><origin xyz='%g %g %g'/><geometry><box size='%g %g %g'/></geometry></collision></link>\n", p->at[0], p->at[1], p->at[2], 2 * x, 2 * y, 2 * z);
    if (p->parent < 0) continue;
    po_buffer_printf(out, "<joint name='motor_%d' type='revolute'><parent link='part_%d'/><child link='part_%d'/><origin xyz='%g %g %g'/><axis xyz='%g %g %g'/>", i, p->parent, i, p->pos[0],
                     p->pos[1], p->pos[2], p->axis[0], p->axis[1], p->axis[2]);
    po_buffer_printf(out, "<limit lower='%g' upper='%g' effort='%g' velocity='20'/></joint>\n", p->lower, p->upper, p->effort);
  }
  po_buffer_puts(out, "</robot>\n");
}

static inline void robot_mjcf_body(po_buffer *out, const robot_plan *r, int i) {
  const robot_part *p = &r->part[i];
  int k;
  po_buffer_printf(out, "<body name='part_%d' pos='%g %g %g'>", i, p->pos[0], p->pos[1], p->pos[2] + (p->parent < 0 ? r->up : 0));
  if (p->parent >= 0) po_buffer_printf(out, "<joint name='motor_%d' axis='%g %g %g' range='%g %g'/>", i, p->axis[0], p->axis[1], p->axis[2], p->lower, p->upper);
  else if (r->floats) po_buffer_puts(out, "<freejoint/>");
  po_buffer_printf(out, "<geom type='box' size='%g %g %g' pos='%g %g %g' mass='%g'/>\n", p->half[0], p->half[1], p->half[2], p->at[0], p->at[1], p->at[2], p->mass);
  for (k = i + 1; k < r->n; k++)
    if (r->part[k].parent == i) robot_mjcf_body(out, r, k);
  po_buffer_puts(out, "</body>\n");
}

static inline void robot_mjcf(po_buffer *out, const robot_plan *r) {
  int i;
  po_buffer_printf(out, "<mujoco model='%s'><compiler angle='radian'/><worldbody>\n", r->name);
  robot_mjcf_body(out, r, 0);
  po_buffer_puts(out, "</worldbody><actuator>\n");
  for (i = 1; i < r->n; i++) po_buffer_printf(out, "<motor joint='motor_%d' gear='%g' ctrlrange='-1 1'/>\n", i, r->part[i].effort);
  po_buffer_puts(out, "</actuator></mujoco>\n");
}

#endif
