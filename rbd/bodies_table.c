/* bodies_table.c: from a table of links to a body (table.h). */
#include "table.h"
#include <string.h>

/* Whether a name stands for a left and a right one. */
static int table_sided(const char *name) {
  size_t n = name ? strlen(name) : 0;
  return n > 0 && name[n - 1] == '_';
}

static const char *table_name(po_maker *m, const char *name, int right) {
  return table_sided(name) ? po_maker_name(m, name, right ? "r" : "l") : name;
}

static po_vec3 table_side(po_vec3 p, int right) { return right ? po_v3(p.x, -p.y, p.z) : p; }

static po_vec3 table_axis(char letter) { return letter == 'x' ? po_v3(1, 0, 0) : letter == 'y' ? po_v3(0, 1, 0) : po_v3(0, 0, 1); }

/* Limits about `letter`; seen in the mirror, rotations about x and z go the other way. */
static void table_limit(po_joint *j, int k, const po_table_link *l, int from, char letter, int right) {
  int flip = right && letter != 'y';
  j->lower[k] = flip ? -l->upper[from] : l->lower[from];
  j->upper[k] = flip ? -l->lower[from] : l->upper[from];
  j->effort[k] = l->effort;
}

static po_joint table_ball(const po_table_link *l, const char *name, int right) {
  po_joint j = po_joint_default(PO_JOINT_SPHERICAL, name);
  double rest = l->rest_x && right ? -l->rest : l->rest;
  po_vec3 axis = l->rest_x ? po_v3(1, 0, 0) : po_v3(0, 1, 0);
  int k;
  for (k = 0; k < 3; k++) table_limit(&j, k, l, k, "xyz"[k], right);
  if (rest != 0) {
    j.placement.R = po_m3_axis_angle(axis, rest);
    j.limit_centre = po_q_axis_angle(axis, -rest); /* the source's zero, as seen from rest */
  }
  return j;
}

static po_joint table_hinges(const po_table_link *l, const char *name, int right) {
  const char *axes = l->axes[0] == '-' ? l->axes + 1 : l->axes;
  int n = (int)strlen(axes), k;
  po_joint j = po_joint_default(n == 2 ? PO_JOINT_UNIVERSAL : PO_JOINT_REVOLUTE, name);
  double rest = right && axes[0] != 'y' ? -l->rest : l->rest;
  j.axis = table_axis(axes[0]);
  if (l->axes[0] == '-') j.axis = po_v3_neg(j.axis);
  if (n == 2) j.axis2 = table_axis(axes[1]);
  for (k = 0; k < n; k++) table_limit(&j, k, l, k, axes[k], right);
  if (rest != 0) j.placement.R = po_m3_axis_angle(j.axis, rest);
  j.lower[0] -= rest;
  j.upper[0] -= rest;
  return j;
}

static void table_shape_on(po_maker *m, const char *link, const po_table_shape *s, int right) {
  po_vec3 a = table_side(s->a, right), b = table_side(s->b, right), out;
  switch (s->kind) {
    case 's': po_maker_sphere(m, link, a, s->radius); break;
    case 'c': /* from centres to ends */
      out = po_v3_scale(s->radius, po_v3_unit(po_v3_sub(b, a)));
      po_maker_capsule(m, link, po_v3_sub(a, out), po_v3_add(b, out), s->radius);
      break;
    case 'b':
      out = po_v3_scale(0.5, po_v3_sub(b, a));
      po_maker_box(m, link, po_v3_scale(0.5, po_v3_add(a, b)), po_v3(po_abs(out.x), po_abs(out.y), po_abs(out.z)));
      break;
    default: break;
  }
}

static void table_link_on(po_maker *m, const po_table_link *l, int right, po_joint_type root) {
  const char *link = table_name(m, l->link, right), *joint = table_name(m, l->joint, right), *parent = NULL;
  po_inertia in = po_inertia_box(l->mass, 0, 0, 0);
  po_joint j;
  int k;
  if (!l->parent) {
    j = po_joint_default(root, joint);
    if (root == PO_JOINT_PLANAR) j.axis = po_v3(0, -1, 0); /* coordinates x, z and the angle that leans back */
  } else {
    parent = table_name(m, l->parent, right);
    j = strcmp(l->axes, "ball") == 0 ? table_ball(l, joint, right) : table_hinges(l, joint, right);
    j.placement.p = table_side(l->at, right);
  }
  in.com = table_side(l->com, right);
  in.I = po_m3(l->I.x, 0, 0, 0, l->I.y, 0, 0, 0, l->I.z);
  po_maker_link(m, link, parent, j, in);
  for (k = 0; k < PO_TABLE_SHAPES; k++) table_shape_on(m, link, &l->shape[k], right);
}

void po_table_make(po_maker *m, const po_table_link *link, int count, po_joint_type root) {
  int i, k, right;
  for (i = 0; i < count; i = k) {
    int two = table_sided(link[i].link);
    for (k = i + 1; two && k < count && table_sided(link[k].parent); k++) {} /* a whole limb, then its mirror image */
    for (right = 0; right <= two; right++) {
      int n;
      for (n = i; n < k; n++) table_link_on(m, &link[n], right, root);
    }
  }
}

void po_table_rocker(po_maker *m, const char *side, double heel, double toe, double bottom, double radius) {
  const char *foot = po_part(m, "foot", side);
  int i;
  po_maker_capsule(m, foot, po_v3(heel - radius, 0, bottom + radius), po_v3(toe + radius, 0, bottom + radius), radius);
  po_maker_frame(m, po_part(m, "heel", side), foot, po_v3(heel, 0, bottom));
  po_maker_frame(m, po_part(m, "toe", side), foot, po_v3(toe, 0, bottom));
  for (i = 0; i < 4; i++) /* as far apart as the capsule is wide */
    po_maker_corner(m, "sole", side, i, foot, po_v3(i < 2 ? heel : toe, i == 0 || i == 3 ? radius : -radius, bottom));
}
