/* mirror.c: left and right exchanged.
 *
 * Reflection in the plane y = 0, S = diag(1, −1, 1), turns a rotation about a by θ into one about −S a by θ (an axis is a pseudovector)
 * and a shift along a into one along S a. Parts whose names end in _l and _r change places; all others are their own images. A freedom's
 * number keeps its sign when the image of its axis is the axis of the part it goes to, and changes it when it is the opposite.
 */
#include "builder.h"
#include <string.h>

/* The body that takes the place of body i, or −1 when it has no partner. */
static int mirror_partner(const po_model *m, int i) {
  const char *name = m->body_name[i];
  size_t n = strlen(name);
  int k;
  if (n < 2 || name[n - 2] != '_' || (name[n - 1] != 'l' && name[n - 1] != 'r')) return i;
  for (k = 0; k < m->nb; k++) {
    const char *other = m->body_name[k];
    if (strlen(other) == n && memcmp(other, name, n - 1) == 0 && other[n - 1] == (name[n - 1] == 'l' ? 'r' : 'l')) return k;
  }
  return -1;
}

/* Axes agree to rounding of what a file says. */
#define MIRROR_TOLERANCE 1e-6

/* 1 or −1: b is the image of a, or its opposite; 0: neither. */
static int mirror_sign(po_vec3 a, po_vec3 b, int turns) {
  double d = po_v3_dot(turns ? po_v3(-a.x, a.y, -a.z) : po_v3(a.x, -a.y, a.z), b);
  return d > 1 - MIRROR_TOLERANCE ? 1 : d < MIRROR_TOLERANCE - 1 ? -1 : 0;
}

/* Signs of the coordinates of a joint without a quaternion; 0 for one that has no image. */
static int mirror_signs(const po_joint *a, const po_joint *b, int sign[3]) {
  po_vec3 x, y, u, v;
  if (a->type == PO_JOINT_PLANAR) {
    po_v3_tangents(&x, &y, a->axis);
    po_v3_tangents(&u, &v, b->axis);
    sign[0] = mirror_sign(x, u, 0);
    sign[1] = mirror_sign(y, v, 0);
    sign[2] = mirror_sign(a->axis, b->axis, 1);
    return sign[0] && sign[1] && sign[2];
  }
  sign[0] = mirror_sign(a->axis, b->axis, a->type != PO_JOINT_PRISMATIC);
  sign[1] = a->type == PO_JOINT_UNIVERSAL ? mirror_sign(a->axis2, b->axis2, 1) : 1;
  return sign[0] && sign[1];
}

static void mirror_quaternion(double *q) {
  q[1] = -q[1];
  q[3] = -q[3];
}

/* A joint's own numbers are replaced by their images, as the partner will have them. */
static void mirror_joint(const po_joint *j, const int sign[3], double *q, double *v) {
  int k;
  if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
    if (q) {
      mirror_quaternion(q + j->q);
      if (j->type == PO_JOINT_FLOATING) q[j->q + 5] = -q[j->q + 5];
    }
    if (v) {
      v[j->v] = -v[j->v];
      v[j->v + 2] = -v[j->v + 2];
      if (j->type == PO_JOINT_FLOATING) v[j->v + 4] = -v[j->v + 4];
    }
    return;
  }
  for (k = 0; k < j->nv; k++) {
    if (q) q[j->q + k] *= sign[k];
    if (v) v[j->v + k] *= sign[k];
  }
}

static void mirror_swap(double *a, double *b, int n) {
  for (; n > 0; n--, a++, b++) {
    double t = *a;
    *a = *b;
    *b = t;
  }
}

static int mirror_finds(const po_model *m, int i, int *partner, int sign[3]) {
  const po_joint *j = &m->joint[i];
  *partner = mirror_partner(m, i);
  if (*partner < 0 || m->joint[*partner].type != j->type) return 0;
  return j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING || mirror_signs(j, &m->joint[*partner], sign);
}

po_status po_mirror_state(double *q, double *v, const po_model *m) {
  int i, partner, sign[3];
  if (!m || (!q && !v)) return PO_ERR_NULL;
  for (i = 0; i < m->nb; i++)
    if (!mirror_finds(m, i, &partner, sign)) return PO_ERR_MODEL;
  for (i = 0; i < m->nb; i++) {
    mirror_finds(m, i, &partner, sign);
    mirror_joint(&m->joint[i], sign, q, v);
  }
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    partner = mirror_partner(m, i);
    if (partner <= i) continue;
    if (q) mirror_swap(q + j->q, q + m->joint[partner].q, j->nq);
    if (v) mirror_swap(v + j->v, v + m->joint[partner].v, j->nv);
  }
  return PO_OK;
}
