/* mjcf_text.c: attributes of MJCF elements with their defaults, numbers, angles and poses. */
#include "mjcf.h"
#include <string.h>

/* ---- messages ---- */

const char *po_mjcf_file_of(const po_mjcf *r, const po_xml *node) {
  int i;
  for (; node; node = node->parent)
    for (i = 0; i < r->files; i++)
      if (r->file[i].root == node) return r->file[i].name;
  return r->file_name;
}

void po_mjcf_warn(po_mjcf *r, const po_xml *node, const char *kind, const char *format, ...) {
  po_warnings *w = r->opts->warnings;
  char message[sizeof r->err->message];
  va_list list;
  int i;
  for (i = 0; i < r->warned_count; i++)
    if (!strcmp(r->warned[i], kind)) return;
  if (r->warned_count < PO_MJCF_KINDS) r->warned[r->warned_count++] = kind;
  va_start(list, format);
  po_formatv(message, sizeof message, format, list);
  va_end(list);
  if (r->opts->strict && r->strict == PO_OK) r->strict = PO_MJCF_FAIL(r, node, PO_ERR_MODEL, "%s", message);
  if (w && w->count < PO_WARNINGS_MAX) po_fail_at(&w->list[w->count], PO_ERR_MODEL, po_mjcf_file_of(r, node), node->line, 0, "%s", message);
  if (w) w->count++;
}

po_status po_mjcf_at(const po_mjcf *r, const po_xml *node, po_status status) {
  if (status != PO_OK && r->err->line == 0) {
    char message[sizeof r->err->message];
    memcpy(message, r->err->message, sizeof message);
    return PO_MJCF_FAIL(r, node, status, "%s", message);
  }
  return status;
}

/* ---- defaults ---- */

static const char *mjcf_parent_class(const po_mjcf *r, const char *name, int *known) {
  int i;
  *known = 1;
  for (i = 0; i < r->classes; i++)
    if (!strcmp(r->cls[i].name, name)) return r->cls[i].parent;
  *known = 0;
  return NULL;
}

po_status po_mjcf_open(po_mjcf *r, po_mjcf_element *e, const po_xml *node, const char *kind, const char *cls) {
  static const char *const drives[] = {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor", NULL};
  const char *own = po_xml_attr(node, "class");
  int i, k, known, any = !strcmp(kind, "actuator");
  e->node = node;
  e->level[0] = node;
  e->levels = 1;
  if (own) cls = own;
  if (!cls) cls = r->main_class;
  if (own && (mjcf_parent_class(r, own, &known), !known)) return PO_MJCF_FAIL(r, node, PO_ERR_NAME, "class '%.60s' of <%s> is not defined", own, node->name);
  while (cls) {
    for (i = r->classes - 1; i >= 0; i--) {
      const po_xml *n = r->cls[i].xml->first;
      if (strcmp(r->cls[i].name, cls)) continue;
      for (; n; n = n->next) {
        int fits = !any && !strcmp(n->name, kind);
        for (k = 0; any && drives[k]; k++) fits |= !strcmp(n->name, drives[k]);
        if (fits && e->levels < PO_MJCF_LEVELS) e->level[e->levels++] = n;
      }
    }
    cls = mjcf_parent_class(r, cls, &known);
  }
  return PO_OK;
}

const char *po_mjcf_attr(const po_mjcf_element *e, const char *name) {
  int i;
  for (i = 0; i < e->levels; i++) {
    const char *value = po_xml_attr(e->level[i], name);
    if (value) return value;
  }
  return NULL;
}

/* ---- values ---- */

static int mjcf_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static po_status mjcf_parse(po_mjcf *r, const po_xml *node, const char *name, const char *text, double *out, int least, int most, int *count) {
  const char *p = text, *end = text + strlen(text);
  int n = 0;
  for (;;) {
    double x;
    while (p < end && mjcf_blank(*p)) p++;
    if (p == end) break;
    if (n == most || po_parse_double(&x, &p, p, end) != PO_OK || (p < end && !mjcf_blank(*p)))
      return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "%s=\"%.60s\" of <%s> must be %d number%s", name, text, node->name, most, most == 1 ? "" : "s");
    if (!po_isfinite(x)) return PO_MJCF_FAIL(r, node, PO_ERR_NOT_FINITE, "%s of <%s> is not finite", name, node->name);
    out[n++] = x;
  }
  if (n < least) return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "%s=\"%.60s\" of <%s> must be %d number%s", name, text, node->name, least, least == 1 ? "" : "s");
  if (count) *count = n;
  return PO_OK;
}

po_status po_mjcf_numbers(po_mjcf *r, const po_mjcf_element *e, const char *name, double *out, int least, int most, int *count) {
  const char *text = po_mjcf_attr(e, name);
  if (count) *count = 0;
  return text ? mjcf_parse(r, e->node, name, text, out, least, most, count) : PO_OK;
}

po_status po_mjcf_flag(po_mjcf *r, const po_mjcf_element *e, const char *name, int *value) {
  const char *text = po_mjcf_attr(e, name);
  if (!text) return PO_OK;
  if (!strcmp(text, "true")) *value = PO_MJCF_YES;
  else if (!strcmp(text, "false")) *value = PO_MJCF_NO;
  else if (!strcmp(text, "auto")) *value = PO_MJCF_AUTO;
  else return PO_MJCF_FAIL(r, e->node, PO_ERR_PARSE, "%s=\"%.40s\" of <%s> must be true, false or auto", name, text, e->node->name);
  return PO_OK;
}

po_status po_mjcf_limited(po_mjcf *r, const po_mjcf_element *e, const char *flag, const char *range, int *on) {
  int value = PO_MJCF_AUTO;
  po_status s = po_mjcf_flag(r, e, flag, &value);
  *on = value == PO_MJCF_YES || (value == PO_MJCF_AUTO && r->autolimits && po_mjcf_attr(e, range));
  return s;
}

po_status po_mjcf_name(po_mjcf *r, const po_xml *node, const char *suffix, const char *fallback, char out[PO_MJCF_NAME]) {
  const char *name = po_xml_attr(node, "name");
  int n = name && *name ? po_format(out, PO_MJCF_NAME, "%s%s", name, suffix) : po_format(out, PO_MJCF_NAME, "%s_%d", fallback, ++r->unnamed);
  if (n >= PO_MJCF_NAME) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "the name '%.40s…' of <%s> is longer than %d bytes", name ? name : "", node->name, PO_MJCF_NAME - 1);
  return PO_OK;
}

/* ---- poses ---- */

po_mat3 po_mjcf_turn_z(po_vec3 direction) {
  po_vec3 d = po_v3_unit(direction), axis = po_v3(-d.y, d.x, 0);
  double s = po_v3_norm(axis);
  return po_m3_axis_angle(s < 1e-10 ? po_v3(1, 0, 0) : po_v3_scale(1 / s, axis), po_atan2(s, d.z));
}

static po_status mjcf_euler(po_mjcf *r, const po_xml *node, const double *angle, po_mat3 *R) {
  int i;
  *R = po_m3_identity();
  for (i = 0; i < 3; i++) {
    char c = r->sequence[i], low = (char)(c | 32);
    po_mat3 turn = po_m3_axis_angle(po_v3(low == 'x', low == 'y', low == 'z'), r->unit * angle[i]);
    if (low < 'x' || low > 'z') return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "eulerseq=\"%s\": letters must be of xyz or XYZ", r->sequence);
    *R = c == low ? po_m3_mul(*R, turn) : po_m3_mul(turn, *R); /* small: about axes that turn with it */
  }
  return PO_OK;
}

static po_status mjcf_two_axes(po_mjcf *r, const po_xml *node, const double *x, po_mat3 *R) {
  po_vec3 a = po_v3_of(x), b = po_v3_of(x + 3), c;
  double n = po_v3_norm(a);
  a = n > 0 ? po_v3_scale(1 / n, a) : a;
  b = po_v3_addscaled(b, -po_v3_dot(a, b), a);
  if (!(n > 1e-12) || !(po_v3_norm(b) > 1e-12)) return PO_MJCF_FAIL(r, node, PO_ERR_MODEL, "xyaxes of <%s> are zero or parallel", node->name);
  b = po_v3_unit(b);
  c = po_v3_cross(a, b);
  *R = po_m3(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z);
  return PO_OK;
}

/* 1 and R when this level says how it is turned. */
static po_status mjcf_turned(po_mjcf *r, const po_xml *n, po_mat3 *R, int *found) {
  static const char *const names[] = {"axisangle", "euler", "xyaxes", "zaxis", "quat"};
  static const int numbers[] = {4, 3, 6, 3, 4};
  double x[6];
  int k;
  po_status s;
  *found = 0;
  for (k = 0; k < 5 && !po_xml_attr(n, names[k]); k++) {}
  if (k == 5) return PO_OK;
  *found = 1;
  if ((s = mjcf_parse(r, n, names[k], po_xml_attr(n, names[k]), x, numbers[k], numbers[k], NULL)) != PO_OK) return s;
  if (k == 1) return mjcf_euler(r, n, x, R);
  if (k == 2) return mjcf_two_axes(r, n, x, R);
  if (!(k == 4 ? po_q_norm(po_q_of(x)) > 1e-12 : po_v3_norm(po_v3_of(x)) > 1e-12)) return PO_MJCF_FAIL(r, n, PO_ERR_MODEL, "%s of <%s> is zero", names[k], n->name);
  *R = k == 0 ? po_m3_axis_angle(po_v3_unit(po_v3_of(x)), r->unit * x[3]) : k == 3 ? po_mjcf_turn_z(po_v3_of(x)) : po_q_matrix(po_q_unit(po_q_of(x)));
  return PO_OK;
}

po_status po_mjcf_pose(po_mjcf *r, const po_mjcf_element *e, po_pose *pose) {
  double p[3] = {0, 0, 0};
  int i, found = 0;
  po_status s = po_mjcf_numbers(r, e, "pos", p, 3, 3, NULL);
  *pose = po_pose_identity();
  pose->p = po_v3_of(p);
  for (i = 0; i < e->levels && s == PO_OK && !found; i++) s = mjcf_turned(r, e->level[i], &pose->R, &found);
  return s;
}
