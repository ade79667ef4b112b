/* urdf_read.c: models from URDF text. Links and joints are collected, checked to be one tree, and handed to a po_builder depth first,
 * so that order in the file does not matter. Numbers of 1e30 and more are taken as "no limit". Extensions: joint types `spherical` and
 * `universal` (second axis <axis2 xyz/>), limits with one number per freedom, <limit centre/>, <dynamics armature/>, <capsule radius length/>. */
#include "urdf.h"
#include <stdarg.h>
#include <string.h>

#define URDF_NO_LIMIT 1e30

po_urdf_opts po_urdf_opts_default(void) {
  po_urdf_opts o;
  memset(&o, 0, sizeof o);
  o.keep_dynamics = 1;
  return o;
}

/* ---- messages ------------------------------------------------------------------------------------------------------------- */


void po_urdf_warn(po_urdf_reader *r, const po_xml *node, const char *format, ...) {
  po_warnings *w = r->opts->warnings;
  char message[sizeof r->err->message];
  va_list list;
  va_start(list, format);
  po_formatv(message, sizeof message, format, list);
  va_end(list);
  if (r->opts->strict && r->strict == PO_OK) r->strict = PO_URDF_FAIL(r, node, PO_ERR_MODEL, "%s", message);
  if (w && w->count < PO_WARNINGS_MAX) po_fail_at(&w->list[w->count], PO_ERR_MODEL, r->file, node->line + r->lines, 0, "%s", message);
  if (w) w->count++;
}

/* A builder's error gets the place it came from. */
po_status po_urdf_at(const po_urdf_reader *r, const po_xml *node, po_status status) {
  if (status != PO_OK && r->err && r->err->line == 0) {
    char message[sizeof r->err->message];
    memcpy(message, r->err->message, sizeof message);
    return PO_URDF_FAIL(r, node, status, "%s", message);
  }
  return status;
}

/* ---- attributes ----------------------------------------------------------------------------------------------------------- */

static int urdf_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Numbers in the text, at most 6; −1 when there is something else. *commas: they are separated by those. */
static int urdf_list(double value[6], int *commas, const char *p) {
  const char *end = p + strlen(p);
  int count = 0;
  *commas = 0;
  for (;;) {
    while (p < end && (urdf_blank(*p) || (*p == ',' && count > 0)))
      if (*p++ == ',') *commas = 1;
    if (p == end) return count;
    if (count == 6 || po_parse_double(&value[count], &p, p, end) != PO_OK || (p < end && !urdf_blank(*p) && *p != ',')) return -1;
    count++;
  }
}

/* Exactly n numbers separated by blanks; or a single one for all when `spread`. Commas and numbers too many, as they are found, are warned about. */
po_status po_urdf_numbers(po_urdf_reader *r, const po_xml *node, const char *attribute, const char *owner, double *out, int n, int spread) {
  const char *text = po_xml_attr(node, attribute);
  double value[6];
  int count, commas, i;
  if (!text) return PO_URDF_FAIL(r, node, PO_ERR_PARSE, "'%s': <%s> has no %s", owner, node->name, attribute);
  if (strstr(text, "$(") || strstr(text, "${"))
    return PO_URDF_FAIL(r, node, PO_ERR_UNSUPPORTED, "'%s': %s=\"%.60s\" is for xacro, a program that writes URDF; run `xacro %.100s > robot.urdf` and read that", owner,
                        attribute, text, r->file);
  count = urdf_list(value, &commas, text);
  if (n == 3 && count > n) {
    po_urdf_warn(r, node, "'%s': %s=\"%.60s\" of <%s> has %d numbers: the first %d are taken", owner, attribute, text, node->name, count, n);
    count = n;
  } else if (commas && count == n) po_urdf_warn(r, node, "'%s': %s=\"%.60s\" of <%s> is separated by commas", owner, attribute, text, node->name);
  if (count != n && !(spread && count == 1))
    return PO_URDF_FAIL(r, node, PO_ERR_PARSE, "'%s': %s=\"%.60s\" of <%s> must be %d number%s", owner, attribute, text, node->name, n, n == 1 ? "" : "s");
  for (i = 0; i < n; i++) {
    out[i] = value[count == 1 ? 0 : i];
    if (out[i] != out[i]) return PO_URDF_FAIL(r, node, PO_ERR_NOT_FINITE, "'%s': %s of <%s> is not a number", owner, attribute, node->name);
  }
  return PO_OK;
}

/* As above, finite, and the fallback when the attribute is missing. */
po_status po_urdf_finite(po_urdf_reader *r, const po_xml *node, const char *attribute, const char *owner, double *out,
                             int n) {
  po_status s;
  if (!po_xml_attr(node, attribute)) return PO_OK;
  s = po_urdf_numbers(r, node, attribute, owner, out, n, 0);
  if (s == PO_OK && !po_all_finite(out, n))
    return PO_URDF_FAIL(r, node, PO_ERR_NOT_FINITE, "'%s': %s of <%s> is not finite", owner, attribute, node->name);
  return s;
}

po_status po_urdf_origin(po_urdf_reader *r, const po_xml *parent, const char *owner, po_pose *pose) {
  const po_xml *o = po_xml_child(parent, "origin");
  double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
  po_status s;
  *pose = po_pose_identity();
  if (!o) return PO_OK;
  if ((s = po_urdf_finite(r, o, "xyz", owner, xyz, 3)) != PO_OK || (s = po_urdf_finite(r, o, "rpy", owner, rpy, 3)) != PO_OK) return s;
  pose->p = po_v3_of(xyz);
  if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) pose->R = po_m3_rpy(rpy[0], rpy[1], rpy[2]);
  return PO_OK;
}

static const char *urdf_name(const po_urdf_reader *r, const po_xml *node, po_status *status) {
  const char *name = po_xml_attr(node, "name");
  if (name && *name) return name;
  *status = PO_URDF_FAIL(r, node, PO_ERR_NAME, "a <%s> has no name", node->name);
  return NULL;
}

/* Elements that nobody needs here are named once for each kind. */
static int urdf_new_kind(po_urdf_reader *r, const po_xml *n) {
  int i;
  for (i = 0; i < r->kinds; i++)
    if (strcmp(r->kind[i]->name, n->name) == 0 && strcmp(r->kind[i]->parent->name, n->parent->name) == 0) return 0;
  if (r->kinds < PO_URDF_KINDS) r->kind[r->kinds++] = n;
  return 1;
}

/* Children of `node` other than those named (NULL-terminated) are not used. */
static void urdf_unknown(po_urdf_reader *r, const po_xml *node, const char *const *known, const char *owner) {
  const po_xml *n;
  for (n = po_xml_child(node, NULL); n; n = po_xml_next(n, NULL)) {
    int i = 0;
    while (known[i] && strcmp(n->name, known[i]) != 0) i++;
    if (!known[i] && urdf_new_kind(r, n)) po_urdf_warn(r, n, "%s '%s': <%s> is not used (nor are others like it)", node->name, owner, n->name);
  }
}

/* ---- collecting ----------------------------------------------------------------------------------------------------------- */

static po_status urdf_collect_links(po_urdf_reader *r, const po_xml *robot) {
  const po_xml *n;
  po_status s = PO_OK;
  int k = 0;
  for (n = po_xml_child(robot, NULL); n; n = po_xml_next(n, NULL)) {
    if (strcmp(n->name, "link") == 0) r->links++;
    else if (strcmp(n->name, "joint") == 0) r->joints++;
    else if (strcmp(n->name, "material") != 0 && strcmp(n->name, "poise") != 0 && urdf_new_kind(r, n)) po_urdf_warn(r, n, "<%s> is not used (nor are others like it)", n->name);
  }
  if (!r->links) return PO_URDF_FAIL(r, robot, PO_ERR_MODEL, "the robot has no links");
  r->link = (po_urdf_link *)po_alloc(sizeof(po_urdf_link) * (size_t)r->links);
  r->joint = (po_urdf_joint *)po_alloc(sizeof(po_urdf_joint) * (size_t)r->joints);
  if (!r->link || !r->joint) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (n = po_xml_child(robot, "link"); n; n = po_xml_next(n, "link"), k++) {
    po_urdf_link *l = &r->link[k];
    if (!(l->name = urdf_name(r, n, &s))) return s;
    l->xml = n;
    l->joint = l->child = l->last = l->sibling = -1;
    s = po_names_add(&r->link_names, l->name, k);
    if (s == PO_ERR_NAME) return PO_URDF_FAIL(r, n, s, "link '%s' is defined twice", l->name);
    if (s != PO_OK) return po_fail(r->err, s, "out of memory");
  }
  return PO_OK;
}

/* The link that <parent link="…"/> or <child link="…"/> names. */
static po_status urdf_end(po_urdf_reader *r, const po_urdf_joint *j, const char *which, int *link) {
  const po_xml *n = po_xml_child(j->xml, which);
  const char *name = n ? po_xml_attr(n, "link") : NULL;
  if (!name) return PO_URDF_FAIL(r, j->xml, PO_ERR_NAME, "joint '%s' has no %s link", j->name, which);
  *link = po_names_find(&r->link_names, name);
  if (*link < 0) return PO_URDF_FAIL(r, n, PO_ERR_NAME, "joint '%s': its %s link '%s' does not exist", j->name, which, name);
  return PO_OK;
}

static po_status urdf_collect_joints(po_urdf_reader *r, const po_xml *robot) {
  const po_xml *n;
  po_status s = PO_OK;
  int k = 0;
  for (n = po_xml_child(robot, "joint"); n; n = po_xml_next(n, "joint"), k++) {
    po_urdf_joint *j = &r->joint[k];
    po_urdf_link *parent, *child;
    if (!(j->name = urdf_name(r, n, &s))) return s;
    j->xml = n;
    j->sibling = -1;
    s = po_names_add(&r->joint_names, j->name, k);
    if (s == PO_ERR_NAME) return PO_URDF_FAIL(r, n, s, "joint '%s' is defined twice", j->name);
    if (s != PO_OK) return po_fail(r->err, s, "out of memory");
    if ((s = urdf_end(r, j, "parent", &j->parent)) != PO_OK || (s = urdf_end(r, j, "child", &j->child)) != PO_OK) return s;
    parent = &r->link[j->parent];
    child = &r->link[j->child];
    if (j->parent == j->child) return PO_URDF_FAIL(r, n, PO_ERR_MODEL, "joint '%s' joins link '%s' to itself", j->name, child->name);
    if (child->joint >= 0)
      return PO_URDF_FAIL(r, n, PO_ERR_MODEL, "link '%s' has two parents: joints '%s' and '%s'", child->name,
                       r->joint[child->joint].name, j->name);
    child->joint = k;
    if (parent->last >= 0) r->joint[parent->last].sibling = k;
    else parent->child = k;
    parent->last = k;
  }
  return PO_OK;
}

static po_status urdf_find_root(po_urdf_reader *r, const po_xml *robot, int *root) {
  int i;
  *root = -1;
  for (i = 0; i < r->links; i++) {
    if (r->link[i].joint >= 0) continue;
    if (*root >= 0)
      return PO_URDF_FAIL(r, r->link[i].xml, PO_ERR_MODEL, "links '%s' and '%s' are both roots: no joint carries them",
                       r->link[*root].name, r->link[i].name);
    *root = i;
  }
  if (*root < 0)
    return PO_URDF_FAIL(r, robot, PO_ERR_MODEL, "the joints form a cycle: every link has a parent (one is '%s')", r->link[0].name);
  return PO_OK;
}

/* ---- one joint ------------------------------------------------------------------------------------------------------------ */

static int urdf_type(const char *text, po_joint_type *type) {
  static const struct {
    const char *name;
    po_joint_type type;
  } known[] = {{"revolute", PO_JOINT_REVOLUTE},   {"continuous", PO_JOINT_REVOLUTE}, {"prismatic", PO_JOINT_PRISMATIC},
               {"fixed", PO_JOINT_FIXED},         {"floating", PO_JOINT_FLOATING},   {"planar", PO_JOINT_PLANAR},
               {"spherical", PO_JOINT_SPHERICAL}, {"universal", PO_JOINT_UNIVERSAL}};
  size_t i;
  for (i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(text, known[i].name) == 0) {
      *type = known[i].type;
      return 1;
    }
  return 0;
}

static void urdf_open(double *x, int n) { /* 1e30 and beyond is no limit */
  int i;
  for (i = 0; i < n; i++)
    if (po_abs(x[i]) >= URDF_NO_LIMIT) x[i] = x[i] > 0 ? PO_INF : -PO_INF;
}

static po_status urdf_limits(po_urdf_reader *r, const po_urdf_joint *source, po_joint *j, int continuous, int n) {
  const po_xml *limit = po_xml_child(source->xml, "limit");
  static const char *const names[4] = {"lower", "upper", "velocity", "effort"};
  double *values[4], one[6];
  po_status s;
  int i, commas;
  if (!limit) {
    if (j->type == PO_JOINT_PRISMATIC || (j->type == PO_JOINT_REVOLUTE && !continuous))
      po_urdf_warn(r, source->xml, "joint '%s' has no <limit>; it is left unlimited", source->name);
    return PO_OK;
  }
  values[0] = j->lower, values[1] = j->upper, values[2] = j->velocity, values[3] = j->effort;
  for (i = 0; i < 4; i++) {
    if (i < 2 && continuous) continue;
    if (j->type == PO_JOINT_SPHERICAL && po_xml_attr(limit, names[i]) && urdf_list(one, &commas, po_xml_attr(limit, names[i])) == 1) {
      po_urdf_warn(r, limit, "joint '%s': one %s limit for three freedoms; it is left unlimited", source->name, names[i]);
    } else if (po_xml_attr(limit, names[i])) {
      if ((s = po_urdf_numbers(r, limit, names[i], source->name, values[i], n, 0)) != PO_OK) return s;
      urdf_open(values[i], n);
    } else if (i < 2 && (j->type == PO_JOINT_REVOLUTE || j->type == PO_JOINT_PRISMATIC)) {
      values[i][0] = 0; /* what the format says of a missing bound */
      po_urdf_warn(r, limit, "joint '%s' has no %s limit; the format takes it as 0", source->name, names[i]);
    } else if (i == 3 && (j->type == PO_JOINT_REVOLUTE || j->type == PO_JOINT_PRISMATIC)) {
      po_urdf_warn(r, limit, "joint '%s' has no effort limit; its motor is left unlimited", source->name);
    }
  }
  for (i = 0; i < n; i++)
    if (j->lower[i] > j->upper[i]) { /* what some simulators read as "none" */
      po_urdf_warn(r, limit, "joint '%s': lower limit %g is above upper limit %g; it is left unlimited", source->name, j->lower[i], j->upper[i]);
      j->lower[i] = -PO_INF;
      j->upper[i] = PO_INF;
    }
  if (j->type == PO_JOINT_SPHERICAL && po_xml_attr(limit, "centre")) {
    double centre[4];
    if ((s = po_urdf_numbers(r, limit, "centre", source->name, centre, 4, 0)) != PO_OK) return s;
    j->limit_centre = po_q_of(centre);
  }
  return PO_OK;
}

static po_status urdf_dynamics(po_urdf_reader *r, const po_urdf_joint *source, po_joint *j, int n) {
  const po_xml *d = po_xml_child(source->xml, "dynamics");
  po_status s = PO_OK;
  if (!d || !r->opts->keep_dynamics || !n) return PO_OK;
  if (po_xml_attr(d, "damping")) s = po_urdf_numbers(r, d, "damping", source->name, j->damping, n, 1);
  if (s == PO_OK && po_xml_attr(d, "armature")) s = po_urdf_numbers(r, d, "armature", source->name, j->armature, n, 1);
  return s;
}

static po_status urdf_joint_of(po_urdf_reader *r, const po_urdf_joint *source, po_joint *j) {
  const char *type = po_xml_attr(source->xml, "type");
  const po_xml *axis = po_xml_child(source->xml, "axis"), *axis2 = po_xml_child(source->xml, "axis2"), *n;
  static const char *const known[] = {"origin",      "parent", "child", "axis", "axis2", "limit", "dynamics", "safety_controller",
                                      "calibration", "mimic",  NULL};
  po_joint_type kind = PO_JOINT_FIXED;
  double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  po_status s;
  int nv;
  if (!type || !urdf_type(type, &kind))
    return PO_URDF_FAIL(
        r, source->xml, PO_ERR_PARSE,
        "joint '%s': unknown type '%.40s' (known: revolute, continuous, prismatic, fixed, floating, planar, spherical, universal)",
        source->name, type ? type : "");
  *j = po_joint_default(kind, source->name);
  if ((s = po_urdf_origin(r, source->xml, source->name, &j->placement)) != PO_OK) return s;
  if (axis && (s = po_urdf_finite(r, axis, "xyz", source->name, x, 3)) != PO_OK) return s;
  if (axis2 && (s = po_urdf_finite(r, axis2, "xyz", source->name, y, 3)) != PO_OK) return s;
  if (axis || kind != PO_JOINT_PLANAR) j->axis = po_v3_of(x);
  j->axis2 = po_v3_of(y);
  nv = kind == PO_JOINT_FLOATING ? 0 : po_joint_nv(kind);
  if (nv && (s = urdf_limits(r, source, j, strcmp(type, "continuous") == 0, nv)) != PO_OK) return s;
  if ((s = urdf_dynamics(r, source, j, nv)) != PO_OK) return s;
  for (n = po_xml_child(source->xml, "mimic"); n; n = po_xml_next(n, "mimic"))
    po_urdf_warn(r, n, "joint '%s' mimics another; here it moves independently", source->name);
  urdf_unknown(r, source->xml, known, source->name);
  return PO_OK;
}

/* ---- one link ------------------------------------------------------------------------------------------------------------- */

/* Whether the link is a body of its own: what is fixed to another may well have no mass. */
static int urdf_moves(const po_urdf_reader *r, const po_urdf_link *l) {
  const char *type = l->joint >= 0 ? po_xml_attr(r->joint[l->joint].xml, "type") : NULL;
  return type && strcmp(type, "fixed") != 0;
}

static po_status urdf_inertial(po_urdf_reader *r, const po_urdf_link *l, po_inertia *out) {
  const po_xml *in = po_xml_child(l->xml, "inertial"), *mass, *inertia;
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  double v[6] = {0, 0, 0, 0, 0, 0};
  po_pose pose;
  po_status s;
  int i;
  *out = po_inertia_box(0, 0, 0, 0);
  if (!in) return PO_OK;
  if ((s = po_urdf_origin(r, in, l->name, &pose)) != PO_OK) return s;
  mass = po_xml_child(in, "mass");
  inertia = po_xml_child(in, "inertia");
  if (!mass) return PO_URDF_FAIL(r, in, PO_ERR_PARSE, "link '%s': <inertial> has no <mass>", l->name);
  if ((s = po_urdf_numbers(r, mass, "value", l->name, &out->mass, 1, 0)) != PO_OK) return s;
  for (i = 0; inertia && i < 6; i++)
    if ((s = po_urdf_finite(r, inertia, names[i], l->name, &v[i], 1)) != PO_OK) return s;
  if (!inertia) po_urdf_warn(r, in, "link '%s' has a mass but no <inertia>: a point mass", l->name);
  out->com = pose.p;
  out->I = po_m3(v[0], v[1], v[2], v[1], v[3], v[4], v[2], v[4], v[5]);
  if (po_xml_child(in, "origin")) {
    po_mat3 I = po_m3_mult(po_m3_mul(pose.R, out->I), pose.R);
    out->I = po_m3_scale(0.5, po_m3_add(I, po_m3_t(I)));
  }
  if ((s = po_urdf_at(r, in, po_inertia_check(out, l->name, r->err))) != PO_OK) return s;
  if (!po_inertia_is_physical(out))
    po_urdf_warn(r, in, "link '%s': no body has the inertia ixx %g, iyy %g, izz %g, ixy %g, ixz %g, iyz %g; it is taken as it stands",
              l->name, v[0], v[3], v[5], v[1], v[2], v[4]);
  if (out->mass == 0 && urdf_moves(r, l)) po_urdf_warn(r, in, "link '%s' has an <inertial> without mass", l->name);
  return PO_OK;
}

static po_status urdf_add(po_urdf_reader *r, int link, const po_joint *joint, const char *parent) {
  const po_urdf_link *l = &r->link[link];
  const po_xml *at = l->joint >= 0 ? r->joint[l->joint].xml : l->xml;
  static const char *const known[] = {"inertial", "visual", "collision", NULL};
  po_inertia inertia;
  po_status s = urdf_inertial(r, l, &inertia);
  if (s != PO_OK) return s;
  urdf_unknown(r, l->xml, known, l->name);
  r->b->line = l->xml->line + r->lines;
  if ((s = po_urdf_at(r, at, po_builder_link(r->b, l->name, parent, joint, &inertia, r->err))) != PO_OK) return s;
  return po_urdf_shapes(r, l, &inertia);
}

/* ---- the tree -------------------------------------------------------------------------------------------------------------- */

static po_status urdf_add_root(po_urdf_reader *r, int root) {
  const po_urdf_link *l = &r->link[root];
  char name[64] = "root";
  po_joint j;
  /* a massless root called world is the world */
  int fixed = r->opts->fixed_base || (strcmp(l->name, "world") == 0 && !po_xml_child(l->xml, "inertial"));
  while (po_names_find(&r->joint_names, name) >= 0 && strlen(name) + 2 < sizeof name) memcpy(name + strlen(name), "_", 2);
  j = po_joint_default(fixed ? PO_JOINT_FIXED : PO_JOINT_FLOATING, name);
  return urdf_add(r, root, &j, NULL);
}

/* Depth first, without recursion: down to the first child, else on to the next sibling of the nearest link that has one. */
static po_status urdf_grow(po_urdf_reader *r, int root) {
  int added = 1, at = root, next, i;
  po_status s = urdf_add_root(r, root);
  while (s == PO_OK) {
    po_joint j;
    next = r->link[at].child;
    while (next < 0 && at != root) {
      next = r->joint[r->link[at].joint].sibling;
      at = r->joint[r->link[at].joint].parent;
    }
    if (next < 0) break;
    at = r->joint[next].child;
    if ((s = urdf_joint_of(r, &r->joint[next], &j)) == PO_OK) s = urdf_add(r, at, &j, r->link[r->joint[next].parent].name);
    added++;
  }
  if (s != PO_OK || added == r->links) return s;
  for (i = 0; i < r->links; i++)
    if (i != root && po_names_find(&r->b->places, r->link[i].name) < 0) break;
  return PO_URDF_FAIL(r, r->link[i].xml, PO_ERR_MODEL, "link '%s' is part of a cycle of joints", r->link[i].name);
}

/* A file that is a program: it has to be run first. */
static po_status urdf_no_xacro(const po_urdf_reader *r, const po_xml *robot) {
  const po_xml *n;
  for (n = po_xml_child(robot, NULL); n; n = po_xml_next(n, NULL))
    if (strncmp(n->name, "xacro:", 6) == 0 || strncmp(n->name, "property", 9) == 0)
      return PO_URDF_FAIL(r, n, PO_ERR_UNSUPPORTED, "<%s>: this is a xacro file, a program that writes URDF; run `xacro %.100s > robot.urdf` and read that", n->name, r->file);
  return PO_OK;
}

static void urdf_mended(void *user, const char *link, int line, const char *what) {
  po_xml at;
  memset(&at, 0, sizeof at);
  at.line = line - ((po_urdf_reader *)user)->lines;
  po_urdf_warn((po_urdf_reader *)user, &at, "link '%s': %s", link, what);
}

static po_status urdf_build(const po_model **model, po_urdf_reader *r, const po_xml *robot) {
  const char *name = po_xml_attr(robot, "name");
  po_status s;
  int root = -1;
  if (strcmp(robot->name, "robot") != 0)
    return PO_URDF_FAIL(r, robot, PO_ERR_PARSE, "the root element is <%s>, not <robot>", robot->name);
  if ((s = urdf_no_xacro(r, robot)) != PO_OK || (s = urdf_collect_links(r, robot)) != PO_OK || (s = urdf_collect_joints(r, robot)) != PO_OK ||
      (s = urdf_find_root(r, robot, &root)) != PO_OK)
    return s;
  if ((s = po_builder_new(&r->b, name ? name : "robot")) != PO_OK) return po_fail(r->err, s, "out of memory");
  r->b->file = r->file;
  r->b->lenient = 1; /* urdf_inertial has warned */
  r->b->mended = urdf_mended;
  r->b->mended_user = r;
  if ((s = urdf_grow(r, root)) != PO_OK) return s;
  if (r->strict == PO_OK) s = po_urdf_at(r, robot, po_builder_finish(model, r->b, r->err));
  if (r->strict != PO_OK && s == PO_OK) { /* a mended body, perhaps */
    po_model_free(*model);
    *model = NULL;
  }
  return r->strict != PO_OK ? r->strict : s;
}

po_status po_urdf_read(const po_model **model, const char *text, size_t size, const char *file, const po_urdf_opts *opts,
                       po_error *err) {
  po_urdf_opts standard = po_urdf_opts_default();
  po_urdf_reader r;
  po_paths beside;
  po_error own;
  po_xml *xml = NULL;
  po_status status;
  if (!model || !text) return po_fail(err, PO_ERR_NULL, "po_urdf_read: model and text are needed");
  memset(&r, 0, sizeof r);
  memset(&beside, 0, sizeof beside);
  memset(&own, 0, sizeof own);
  r.file = file ? file : "";
  r.opts = opts ? opts : &standard;
  beside.model = file;
  r.paths = r.opts->paths ? r.opts->paths : &beside;
  r.err = err ? err : &own;
  if (r.opts->warnings) r.opts->warnings->count = 0;
  while (size > 0 && (text[size - 1] == 0 || urdf_blank(text[size - 1]))) size--; /* a string's end, written along with it */
  while (size > 5 && urdf_blank(*text)) r.lines += *text == '\n', text++, size--; /* nothing may come before <?xml */
  status = po_xml_parse(&xml, text, size, r.file, r.err);
  if (status != PO_OK && r.err->line > 0) r.err->line += r.lines;
  if (status != PO_OK) return status;
  status = urdf_build(model, &r, xml);
  po_builder_free(r.b);
  po_names_free(&r.link_names);
  po_names_free(&r.joint_names);
  po_free(r.link);
  po_free(r.joint);
  po_xml_free(xml);
  return status;
}
