/* urdf_write.c: a model as URDF text that reads back to the same model. Frames become massless links on fixed joints. */
#include "builder.h"
#include <string.h>

/* Numbers as short as they read back to the same bits; no "-0". */
static void urdfw_numbers(po_buffer *out, const char *attribute, const double *x, int n) {
  int i;
  po_buffer_printf(out, " %s=\"", attribute);
  for (i = 0; i < n; i++) {
    double v = x[i] == 0 ? 0 : x[i];
    if (v == PO_INF) v = 1e30;
    if (v == -PO_INF) v = -1e30;
    if (i) po_buffer_puts(out, " ");
    po_buffer_double(out, v);
  }
  po_buffer_puts(out, "\"");
}

static void urdfw_v3(po_buffer *out, const char *attribute, po_vec3 v) {
  double x[3];
  po_v3_to(x, v);
  urdfw_numbers(out, attribute, x, 3);
}

/* Text as an attribute's value. */
static void urdfw_text(po_buffer *out, const char *attribute, const char *text, const char *suffix) {
  const char *p;
  po_buffer_printf(out, " %s=\"", attribute);
  for (p = text; *p; p++) {
    if (*p == '&') po_buffer_puts(out, "&amp;");
    else if (*p == '<') po_buffer_puts(out, "&lt;");
    else if (*p == '>') po_buffer_puts(out, "&gt;");
    else if (*p == '"') po_buffer_puts(out, "&quot;");
    else if ((unsigned char)*p < ' ') po_buffer_printf(out, "&#%d;", *p);
    else po_buffer_add(out, p, 1);
  }
  po_buffer_printf(out, "%s\"", suffix);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll). Near pitch = ±π/2 roll is almost free; yaw is therefore read off R Rx(−roll), which stays exact. */
static void urdfw_rpy(double rpy[3], po_mat3 R) {
  const double *m = R.m;
  double s, c, level = sqrt(m[0] * m[0] + m[3] * m[3]);
  rpy[1] = po_atan2(-m[6], level);
  rpy[0] = po_atan2(m[7], m[8]);
  po_sincos(&s, &c, rpy[0]);
  rpy[2] = po_atan2(-(m[1] * c - m[2] * s), m[4] * c - m[5] * s);
}

static int urdfw_is_identity(po_pose p) {
  po_mat3 one = po_m3_identity();
  int i;
  for (i = 0; i < 9; i++)
    if (p.R.m[i] != one.m[i]) return 0;
  return p.p.x == 0 && p.p.y == 0 && p.p.z == 0;
}

static void urdfw_origin(po_buffer *out, const char *indent, po_pose pose) {
  po_pose unturned = pose;
  double rpy[3];
  if (urdfw_is_identity(pose)) return;
  po_buffer_printf(out, "%s<origin", indent);
  urdfw_v3(out, "xyz", pose.p);
  unturned.p = po_v3(0, 0, 0);
  if (!urdfw_is_identity(unturned)) {
    urdfw_rpy(rpy, pose.R);
    urdfw_numbers(out, "rpy", rpy, 3);
  }
  po_buffer_puts(out, "/>\n");
}

static void urdfw_inertial(po_buffer *out, const po_inertia *x) {
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int at[6] = {0, 1, 2, 4, 5, 8};
  po_pose pose = po_pose_identity();
  int i;
  if (!(x->mass > 0)) return;
  pose.p = x->com;
  po_buffer_puts(out, "    <inertial>\n");
  urdfw_origin(out, "      ", pose);
  po_buffer_puts(out, "      <mass");
  urdfw_numbers(out, "value", &x->mass, 1);
  po_buffer_puts(out, "/>\n      <inertia");
  for (i = 0; i < 6; i++) urdfw_numbers(out, names[i], &x->I.m[at[i]], 1);
  po_buffer_puts(out, "/>\n    </inertial>\n");
}

/* An extension: corners as they are, at most 64. */
static void urdfw_hull(po_buffer *out, const po_hull *h) {
  po_buffer_puts(out, "hull");
  urdfw_numbers(out, "points", &h->vertex->x, 3 * h->vertices);
}

static void urdfw_shape(po_buffer *out, const po_shape *s) {
  double x[3], length = 2 * s->size[1];
  po_buffer_puts(out, "    <collision>\n");
  urdfw_origin(out, "      ", s->pose);
  po_buffer_puts(out, "      <geometry><");
  switch (s->type) {
    case PO_BOX:
      po_v3_to(x, po_v3_scale(2, po_v3_of(s->size)));
      po_buffer_puts(out, "box");
      urdfw_numbers(out, "size", x, 3);
      break;
    case PO_CAPSULE:
      po_buffer_puts(out, "capsule");
      urdfw_numbers(out, "radius", s->size, 1);
      urdfw_numbers(out, "length", &length, 1);
      break;
    case PO_HULL: urdfw_hull(out, s->hull); break;
    default: po_buffer_puts(out, "sphere"); urdfw_numbers(out, "radius", s->size, 1);
  }
  po_buffer_puts(out, "/></geometry>\n    </collision>\n");
}

/* What is being written. Frames and shapes are sorted by body, so one walk through each does. */
typedef struct urdfw_walk {
  const po_model *m;
  po_name_table joints; /* names that frames' joints must not have */
  int frame, shape;     /* the next ones */
} urdfw_walk;

/* A link, with the shapes of body `body` (−2: none); without inertia when x is NULL. */
static void urdfw_link(po_buffer *out, urdfw_walk *walk, const char *name, int body, const po_inertia *x) {
  const po_model *m = walk->m;
  size_t before;
  po_buffer_puts(out, "  <link");
  urdfw_text(out, "name", name, "");
  po_buffer_puts(out, ">\n");
  before = out->size;
  if (x) urdfw_inertial(out, x);
  for (; walk->shape < m->shapes && m->shape[walk->shape].body == body; walk->shape++) urdfw_shape(out, &m->shape[walk->shape]);
  if (out->size == before && !out->failed) { /* nothing inside: an empty element */
    out->size -= 2;
    po_buffer_puts(out, "/>\n");
    return;
  }
  po_buffer_puts(out, "  </link>\n");
}

static const char *urdfw_type(const po_joint *j) {
  static const char *const names[] = {"fixed", "revolute", "prismatic", "universal", "spherical", "planar", "floating"};
  if (j->type == PO_JOINT_REVOLUTE && j->lower[0] == -PO_INF && j->upper[0] == PO_INF) return "continuous";
  return names[j->type];
}

static int urdfw_any(const double *x, int n) {
  int i;
  for (i = 0; i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

static void urdfw_joint(po_buffer *out, const po_joint *j, const char *parent, const char *child) {
  int turns =
      j->type == PO_JOINT_REVOLUTE || j->type == PO_JOINT_PRISMATIC || j->type == PO_JOINT_UNIVERSAL || j->type == PO_JOINT_PLANAR;
  double centre[4];
  po_buffer_puts(out, "  <joint");
  urdfw_text(out, "name", j->name, "");
  po_buffer_printf(out, " type=\"%s\">\n", urdfw_type(j));
  urdfw_origin(out, "    ", j->placement);
  po_buffer_puts(out, "    <parent");
  urdfw_text(out, "link", parent, "");
  po_buffer_puts(out, "/>\n    <child");
  urdfw_text(out, "link", child, "");
  po_buffer_puts(out, "/>\n");
  if (turns) {
    po_buffer_puts(out, "    <axis");
    urdfw_v3(out, "xyz", j->axis);
    po_buffer_puts(out, "/>\n");
  }
  if (j->type == PO_JOINT_UNIVERSAL) {
    po_buffer_puts(out, "    <axis2");
    urdfw_v3(out, "xyz", j->axis2);
    po_buffer_puts(out, "/>\n");
  }
  if (j->nv > 0 && j->type != PO_JOINT_FLOATING) {
    po_buffer_puts(out, "    <limit");
    urdfw_numbers(out, "lower", j->lower, j->nv);
    urdfw_numbers(out, "upper", j->upper, j->nv);
    urdfw_numbers(out, "effort", j->effort, j->nv);
    urdfw_numbers(out, "velocity", j->velocity, j->nv);
    if (j->limit_centre.w != 1) {
      po_q_to(centre, j->limit_centre);
      urdfw_numbers(out, "centre", centre, 4);
    }
    po_buffer_puts(out, "/>\n");
    if (urdfw_any(j->damping, j->nv) || urdfw_any(j->armature, j->nv)) {
      po_buffer_puts(out, "    <dynamics");
      if (urdfw_any(j->damping, j->nv)) urdfw_numbers(out, "damping", j->damping, j->nv);
      if (urdfw_any(j->armature, j->nv)) urdfw_numbers(out, "armature", j->armature, j->nv);
      po_buffer_puts(out, "/>\n");
    }
  }
  po_buffer_puts(out, "  </joint>\n");
}

/* A frame as a massless link on a fixed joint. */
static void urdfw_frame(po_buffer *out, urdfw_walk *walk, const po_frame *f, const char *link) {
  po_buffer name = {0};
  urdfw_link(out, walk, f->name, -2, NULL);
  po_buffer_printf(&name, "%s_fixed", f->name);
  while (!name.failed && po_names_find(&walk->joints, name.data) >= 0) po_buffer_puts(&name, "_"); /* no joint may have its name */
  po_buffer_puts(out, "  <joint");
  urdfw_text(out, "name", name.failed ? f->name : name.data, "");
  po_buffer_puts(out, " type=\"fixed\">\n");
  urdfw_origin(out, "    ", f->pose);
  po_buffer_puts(out, "    <parent");
  urdfw_text(out, "link", link, "");
  po_buffer_puts(out, "/>\n    <child");
  urdfw_text(out, "link", f->name, "");
  po_buffer_puts(out, "/>\n  </joint>\n");
  if (name.failed) out->failed = 1;
  po_buffer_free(&name);
}

/* Frames of a body but for the one that is its own link. */
static void urdfw_frames(po_buffer *out, urdfw_walk *walk, int body, const char *link) {
  const po_model *m = walk->m;
  for (; walk->frame < m->frames && m->frame[walk->frame].body == body; walk->frame++)
    if (strcmp(m->frame[walk->frame].name, link) != 0) urdfw_frame(out, walk, &m->frame[walk->frame], link);
}

po_status po_urdf_write(po_buffer *out, const po_model *m) {
  const char *root = "world";
  urdfw_walk walk;
  int i, carried;
  if (!out || !m) return PO_ERR_NULL;
  memset(&walk, 0, sizeof walk);
  walk.m = m;
  for (i = 0; i < m->nb; i++)
    if (po_names_add(&walk.joints, m->joint[i].name, i) != PO_OK) out->failed = 1;
  po_buffer_puts(out, "<?xml version=\"1.0\"?>\n<robot");
  urdfw_text(out, "name", m->name, "");
  po_buffer_puts(out, ">\n");
  /* a floating root without a placement needs no joint; anything else hangs on a link that is the world */
  carried = m->floating && urdfw_is_identity(m->joint[0].placement) && (m->frames == 0 || m->frame[0].body >= 0);
  if (!carried) {
    if (m->frames > 0 && m->frame[0].body < 0 && urdfw_is_identity(m->frame[0].pose)) root = m->frame[0].name;
    urdfw_link(out, &walk, root, -1, NULL);
    urdfw_frames(out, &walk, -1, root);
  }
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    urdfw_link(out, &walk, m->body_name[i], i, &m->inertia[i]);
    if (i > 0 || !carried) urdfw_joint(out, j, j->parent < 0 ? root : m->body_name[j->parent], m->body_name[i]);
    urdfw_frames(out, &walk, i, m->body_name[i]);
  }
  po_buffer_puts(out, "</robot>\n");
  po_names_free(&walk.joints);
  return out->failed ? PO_ERR_MEMORY : PO_OK;
}
