/* bodies.c: the built-in bodies by name, and the helpers that write them down. */
#include "bodies.h"
#include <string.h>

const char *const po_body_names[] = {"human", "child", "lopsided", "giant",  "ostrich", "dinosaur", "gymnast", "biped7",
                                     "bird2", "bird",  "biped34",  "raptor", "biped37", "beast1",   "beast2",  NULL};
static void (*const bodies_make[])(po_maker *) = {po_make_human,   po_make_child,    po_make_lopsided, po_make_giant,
                                                  po_make_ostrich, po_make_dinosaur, po_make_gymnast,  po_make_biped7,
                                                  po_make_bird2,   po_make_bird,     po_make_biped34,  po_make_raptor,
                                                  po_make_biped37, po_make_beast1,   po_make_beast2};

/* "there is no body 'humam'; the bodies are human, child, …" */
static po_status bodies_unknown(const char *name, po_error *err) {
  char list[512] = "";
  int i;
  for (i = 0; po_body_names[i]; i++) {
    size_t n = strlen(list);
    po_format(list + n, sizeof list - n, "%s%s", i == 0 ? "" : po_body_names[i + 1] ? ", " : " and ", po_body_names[i]);
  }
  return po_fail(err, PO_ERR_NAME, "there is no body '%s'; the bodies are %s", name, list);
}

po_status po_body_model(const po_model **model, const char *name, po_error *err) {
  po_maker m;
  int i;
  if (!model || !name) return po_fail(err, PO_ERR_NULL, "po_body_model: model and name are needed");
  for (i = 0; po_body_names[i] && strcmp(po_body_names[i], name) != 0; i++) {}
  if (!po_body_names[i]) return bodies_unknown(name, err);
  po_maker_begin(&m, name, err);
  if (m.status != PO_OK) return po_fail(err, m.status, "out of memory");
  bodies_make[i](&m);
  if (m.status == PO_OK) m.status = po_builder_finish(model, m.b, err);
  po_builder_free(m.b);
  return m.status;
}

po_status po_model_load(const po_model **model, const char *name, const po_urdf_opts *opts, po_error *err) {
  po_status status;
  char *text = NULL;
  size_t size = 0;
  int i;
  if (!model || !name) return po_fail(err, PO_ERR_NULL, "po_model_load: model and name are needed");
  for (i = 0; po_body_names[i]; i++)
    if (strcmp(po_body_names[i], name) == 0) return po_body_model(model, name, err);
  if (!strchr(name, '.') && !strchr(name, '/')) return po_body_model(model, name, err); /* no path: a mistyped body */
  status = po_read_file(&text, &size, name, 0, err);
  if (status != PO_OK) return status;
  status = strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".xml") ? po_mjcf_read(model, text, size, name, opts, err) : po_urdf_read(model, text, size, name, opts, err);
  po_free(text);
  return status;
}

void po_maker_begin(po_maker *m, const char *body, po_error *err) {
  m->err = err;
  m->used = 0;
  m->status = po_builder_new(&m->b, body);
}

/* ---- joints ---- */

po_joint po_maker_hinge(const char *name, po_vec3 at, po_vec3 axis, double lower, double upper, double effort) {
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, name);
  j.placement.p = at;
  j.axis = axis;
  j.lower[0] = lower;
  j.upper[0] = upper;
  j.effort[0] = effort;
  return j;
}

static po_joint bodies_limited(po_joint_type type, const char *name, po_vec3 at, int n, const double *lower, const double *upper,
                               const double *effort) {
  po_joint j = po_joint_default(type, name);
  j.placement.p = at;
  memcpy(j.lower, lower, sizeof(double) * (size_t)n);
  memcpy(j.upper, upper, sizeof(double) * (size_t)n);
  memcpy(j.effort, effort, sizeof(double) * (size_t)n);
  return j;
}

po_joint po_maker_two(const char *name, po_vec3 at, po_vec3 axis, po_vec3 axis2, const double lower[2], const double upper[2],
                      const double effort[2]) {
  po_joint j = bodies_limited(PO_JOINT_UNIVERSAL, name, at, 2, lower, upper, effort);
  j.axis = axis;
  j.axis2 = axis2;
  return j;
}

po_joint po_maker_ball(const char *name, po_vec3 at, const double lower[3], const double upper[3], const double effort[3]) {
  return bodies_limited(PO_JOINT_SPHERICAL, name, at, 3, lower, upper, effort);
}

void po_maker_pitch(po_joint *joint, double pitch) { joint->placement.R = po_m3_axis_angle(po_v3(0, 1, 0), pitch); }

/* ---- parts ---- */

void po_maker_link(po_maker *m, const char *link, const char *parent, po_joint joint, po_inertia inertia) {
  if (m->status == PO_OK) m->status = po_builder_link(m->b, link, parent, &joint, &inertia, m->err);
}

static void bodies_shape(po_maker *m, const char *link, po_shape_type type, po_pose pose, double a, double b, double c) {
  double size[3];
  size[0] = a;
  size[1] = b;
  size[2] = c;
  if (m->status == PO_OK) m->status = po_builder_shape(m->b, link, type, pose, size, m->err);
}

/* A frame at `at` whose z points along d. */
static po_pose bodies_along(po_vec3 at, po_vec3 d) {
  po_pose p = po_pose_identity();
  po_vec3 z = po_v3_unit(d), x, y;
  if (z.z < 0) z = po_v3_neg(z); /* a rod has no direction */
  if (z.z != 1) {
    po_v3_tangents(&x, &y, z);
    p.R = po_m3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z);
  }
  p.p = at;
  return p;
}

void po_maker_box(po_maker *m, const char *link, po_vec3 centre, po_vec3 half) {
  po_pose p = po_pose_identity();
  p.p = centre;
  bodies_shape(m, link, PO_BOX, p, half.x, half.y, half.z);
}

void po_maker_sphere(po_maker *m, const char *link, po_vec3 centre, double radius) {
  po_pose p = po_pose_identity();
  p.p = centre;
  bodies_shape(m, link, PO_SPHERE, p, radius, 0, 0);
}

void po_maker_capsule(po_maker *m, const char *link, po_vec3 from, po_vec3 to, double radius) {
  po_vec3 d = po_v3_sub(to, from);
  double half = 0.5 * po_v3_norm(d) - radius;
  bodies_shape(m, link, PO_CAPSULE, bodies_along(po_v3_scale(0.5, po_v3_add(from, to)), d), radius, po_max(half, 0), 0);
}

void po_maker_frame(po_maker *m, const char *frame, const char *link, po_vec3 at) {
  po_pose p = po_pose_identity();
  p.p = at;
  if (m->status == PO_OK) m->status = po_builder_frame(m->b, frame, link, p, m->err);
}

void po_maker_corner(po_maker *m, const char *part, const char *side, int number, const char *link, po_vec3 at) {
  char name[32];
  po_format(name, sizeof name, "%s_%s_%d", part, side, number);
  po_maker_frame(m, name, link, at);
}

void po_maker_sole(po_maker *m, const char *link, const char *side, po_vec3 c, po_vec3 h) {
  static const double sx[4] = {-1, -1, 1, 1}, sy[4] = {1, -1, -1, 1}; /* back-left, back-right, front-right, front-left */
  int i;
  po_maker_box(m, link, c, h);
  po_maker_frame(m, po_part(m, "heel", side), link, po_v3(c.x - h.x, c.y, c.z - h.z));
  po_maker_frame(m, po_part(m, "toe", side), link, po_v3(c.x + h.x, c.y, c.z - h.z));
  for (i = 0; i < 4; i++) po_maker_corner(m, "sole", side, i, link, po_v3(c.x + sx[i] * h.x, c.y + sy[i] * h.y, c.z - h.z));
}

/* ---- masses ---- */

po_inertia po_solid_at(po_inertia solid, po_vec3 centre) {
  solid.com = centre;
  return solid;
}

po_inertia po_solid_rod(double mass, double radius, po_vec3 from, po_vec3 to) {
  po_vec3 d = po_v3_sub(to, from);
  po_inertia i = po_inertia_cylinder(mass, radius, po_v3_norm(d));
  po_pose p = bodies_along(po_v3_scale(0.5, po_v3_add(from, to)), d);
  i.com = p.p;
  i.I = po_m3_mult(po_m3_mul(p.R, i.I), p.R);
  i.I.m[3] = i.I.m[1];
  i.I.m[6] = i.I.m[2];
  i.I.m[7] = i.I.m[5];
  return i;
}

po_inertia po_solid_sum(po_inertia a, po_inertia b) { return po_inertia_merge(a, b, po_pose_identity()); }

const char *po_maker_name(po_maker *m, const char *first, const char *second) {
  char *name = m->text + m->used;
  size_t room = sizeof m->text - m->used, n = strlen(first) + strlen(second) + 1;
  if (n > room) {
    if (m->status == PO_OK)
      m->status = po_fail(m->err, PO_ERR_RANGE, "the names of this body take more than %d bytes", (int)sizeof m->text);
    return first;
  }
  po_format(name, room, "%s%s", first, second);
  m->used += n;
  return name;
}

const char *po_part(po_maker *m, const char *part, const char *side) {
  char end[8];
  po_format(end, sizeof end, "_%s", side);
  return po_maker_name(m, part, end);
}

/* Triangle hip, knee, ankle: the chord's length by the cosine rule, its angles to the bones by the sine rule. */
po_leg_rest po_leg_at_rest(double thigh, double shank, double bend, double ahead) {
  double s, c, chord, lean;
  po_leg_rest r;
  po_sincos(&s, &c, bend);
  chord = sqrt(thigh * thigh + shank * shank + 2 * thigh * shank * c);
  lean = po_asin(ahead / chord);
  r.thigh = po_asin(shank * s / chord) - lean;
  r.shank = bend - r.thigh;
  r.height = chord * po_cos(lean);
  return r;
}
