/* mjcf_drive.c: what drives the joints, what does not collide, and the home pose: <actuator>, <contact>, <keyframe>.
 *
 * A joint has no motor of its own in MJCF. Its torque limit here is what all actuators together can do: gear times the range of their forces, or for a
 * motor, whose force is its control, gear times the range of the control; at most the joint's own actuatorfrcrange. In a file with actuators a
 * joint without one is moved by nothing; in a file without any, joints have no torque limits.
 */
#include "mjcf.h"
#include <string.h>

static double mjcf_reach(const double range[2]) { return po_max(po_abs(range[0]), po_abs(range[1])); }

/* Force of an actuator before its gear; ∞: no limit. */
static po_status mjcf_force(po_mjcf *r, const po_mjcf_element *e, double *force) {
  double range[2] = {0, 0}, gain[10] = {1}, limit = PO_INF;
  const char *bias = po_mjcf_attr(e, "biastype"), *type = po_mjcf_attr(e, "gaintype");
  int on, motor = !strcmp(e->node->name, "motor"), general = !strcmp(e->node->name, "general");
  po_status s = po_mjcf_limited(r, e, "forcelimited", "forcerange", &on);
  *force = PO_INF;
  if (s == PO_OK) s = po_mjcf_numbers(r, e, "forcerange", range, 2, 2, NULL);
  if (s != PO_OK) return s;
  if (on && po_mjcf_attr(e, "forcerange")) *force = mjcf_reach(range);
  if (general && ((bias && strcmp(bias, "none")) || (type && strcmp(type, "fixed")))) general = 0;
  if (!motor && !general) return PO_OK;
  if ((s = po_mjcf_limited(r, e, "ctrllimited", "ctrlrange", &on)) != PO_OK || (s = po_mjcf_numbers(r, e, "ctrlrange", range, 2, 2, NULL)) != PO_OK ||
      (general && (s = po_mjcf_numbers(r, e, "gainprm", gain, 0, 10, NULL)) != PO_OK))
    return s;
  if (on && po_mjcf_attr(e, "ctrlrange")) limit = po_abs(gain[0]) * mjcf_reach(range);
  *force = po_min(*force, limit);
  return PO_OK;
}

static po_status mjcf_motor(po_mjcf *r, const po_xml *node, double *effort, int *driven) {
  const char *name = po_xml_attr(node, "joint") ? po_xml_attr(node, "joint") : po_xml_attr(node, "jointinparent");
  double gear[6] = {1, 0, 0, 0, 0, 0}, force;
  po_mjcf_element e;
  po_joint *j;
  int i, at;
  po_status s;
  if (!name) {
    po_mjcf_warn(r, node, "transmission", "<%s> is not used: only actuators of joints are, not those of tendons, sites and bodies", node->name);
    return PO_OK;
  }
  at = po_names_find(&r->b->joints, name);
  if (at < 0) return PO_MJCF_FAIL(r, node, PO_ERR_NAME, "<%s>: there is no joint '%.60s'", node->name, name);
  if ((s = po_mjcf_open(r, &e, node, "actuator", NULL)) != PO_OK || (s = mjcf_force(r, &e, &force)) != PO_OK || (s = po_mjcf_numbers(r, &e, "gear", gear, 0, 6, NULL)) != PO_OK) return s;
  j = &r->b->link[at].joint;
  if (j->type == PO_JOINT_FLOATING) {
    po_mjcf_warn(r, node, "root motor", "<%s> on the free joint '%.60s' is not used: nothing drives a root here", node->name, name);
    return PO_OK;
  }
  driven[at] = 1;
  for (i = 0; i < po_joint_nv(j->type); i++)
    if (gear[i] != 0) effort[3 * at + i] += po_abs(gear[i]) * force;
  if (force == PO_INF) po_mjcf_warn(r, node, "unlimited", "the actuator of joint '%.60s' has no limit of its force", name);
  return PO_OK;
}

po_status po_mjcf_motors(po_mjcf *r) {
  const po_xml *section, *n;
  int links = r->b->links, any = 0, i, k;
  double *effort = po_alloc(sizeof(double) * 3 * (size_t)(links + 1));
  int *driven = po_alloc(sizeof(int) * (size_t)(links + 1));
  po_status s = effort && driven ? PO_OK : po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (section = po_xml_child(r->file[0].root, "actuator"); section && s == PO_OK; section = po_xml_next(section, "actuator"))
    for (n = section->first; n && s == PO_OK; n = n->next, any = 1) s = mjcf_motor(r, n, effort, driven);
  for (i = 0; i < links && s == PO_OK; i++) {
    po_joint *j = &r->b->link[i].joint;
    for (k = 0; k < po_joint_nv(j->type) && k < 3 && j->type != PO_JOINT_FLOATING; k++) /* effort holds actuatorfrcrange already */
      if (any) j->effort[k] = driven[i] ? po_min(j->effort[k], effort[3 * i + k]) : 0;
  }
  if (!any && s == PO_OK && r->b->links > 1) po_mjcf_warn(r, r->file[0].root, "motors", "there are no actuators: joints have no torque limits");
  po_free(effort);
  po_free(driven);
  return s;
}

/* ---- what does not collide ---- */

po_status po_mjcf_contacts(po_mjcf *r) {
  const po_xml *section, *n;
  for (section = po_xml_child(r->file[0].root, "contact"); section; section = po_xml_next(section, "contact"))
    for (n = section->first; n; n = n->next) {
      const char *a = po_xml_attr(n, "body1"), *b = po_xml_attr(n, "body2");
      if (strcmp(n->name, "exclude")) {
        po_mjcf_warn(r, n, "pair", "<contact><%.40s> is not used", n->name);
        continue;
      }
      if (!a || !b || (strcmp(a, "world") && po_names_find(&r->b->places, a) == -1) || (strcmp(b, "world") && po_names_find(&r->b->places, b) == -1))
        return PO_MJCF_FAIL(r, n, PO_ERR_NAME, "<exclude>: there is no body '%.60s' or '%.60s'", a ? a : "", b ? b : "");
    }
  return PO_OK;
}

/* ---- the home pose ---- */

static po_status mjcf_read_key(po_mjcf *r) {
  const po_xml *section, *n;
  po_mjcf_element e;
  int room = 8 * r->b->links + 8;
  for (section = po_xml_child(r->file[0].root, "keyframe"); section; section = po_xml_next(section, "keyframe"))
    for (n = po_xml_child(section, "key"); n; n = po_xml_next(n, "key")) {
      const char *name = po_xml_attr(n, "name");
      if (po_xml_attr(n, "qpos") && (!r->key_node || (name && !strcmp(name, "home")))) r->key_node = n;
    }
  if (!r->key_node) return PO_OK;
  r->key = po_alloc(sizeof(double) * (size_t)room);
  if (!r->key) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  e.node = e.level[0] = r->key_node;
  e.levels = 1;
  return po_mjcf_numbers(r, &e, "qpos", r->key, 0, room, &r->keys);
}

/* A joint's coordinates from MuJoCo's: positions before quaternions, angles counted from ref. */
static void mjcf_from_qpos(double *q, const double *qpos, po_joint_type type, double ref) {
  int k;
  if (type == PO_JOINT_FLOATING) {
    for (k = 0; k < 4; k++) q[k] = qpos[3 + k];
    for (k = 0; k < 3; k++) q[4 + k] = qpos[k];
  } else {
    for (k = 0; k < po_joint_nq(type); k++) q[k] = qpos[k] - ref;
  }
  if (type == PO_JOINT_SPHERICAL || type == PO_JOINT_FLOATING) po_q_to(q, po_q_unit(po_q_of(q)));
}

/* The key called home, or the first; without one the pose that the file draws: zero, with free bodies where their <body> stands. */
po_status po_mjcf_home(po_mjcf *r) {
  po_builder *b = r->b;
  int i, n = 0, at = 0;
  po_status s = mjcf_read_key(r);
  if (s != PO_OK) return s;
  for (i = 0; i < b->links; i++) n += po_joint_nq(b->link[i].joint.type);
  b->home = po_alloc(sizeof(double) * (size_t)(n + 1));
  if (!b->home) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  b->home_count = n;
  if (r->key_node && r->keys != n) po_mjcf_warn(r, r->key_node, "key", "<key> has %d numbers, not %d: it is not used", r->keys, n);
  for (i = 0; i < b->links; i++) { /* depth first in the file's order, as the model's coordinates */
    const po_joint *j = &b->link[i].joint;
    double *q = b->home + at;
    if (r->key && r->keys == n) mjcf_from_qpos(q, r->key + at, j->type, r->drawn[i].ref);
    else if (j->type == PO_JOINT_FLOATING) {
      po_q_to(q, po_q_from_matrix(r->drawn[i].pose.R));
      po_v3_to(q + 4, r->drawn[i].pose.p);
    } else if (j->type == PO_JOINT_SPHERICAL) q[0] = 1;
    at += po_joint_nq(j->type);
  }
  return PO_OK;
}
