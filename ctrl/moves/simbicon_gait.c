/* simbicon_gait.c: gaits as data: reading, writing, and their curves. */
#include "simbicon_internal.h"
#include <string.h>

typedef struct gaitfile_reader {
  po_gait_table *gait;
  const char *file;
  po_error *err;
} gaitfile_reader;

#define GAIT_BAD(r, item, ...) po_fail_at((r)->err, PO_ERR_PARSE, (r)->file, (item)->line, (item)->column, __VA_ARGS__)

static po_status gaitfile_number(gaitfile_reader *r, const po_json *item, double lower, double upper, double *out) {
  if (item->type != PO_JSON_NUMBER || !(item->number >= lower && item->number <= upper))
    return GAIT_BAD(r, item, "%s: a number in %g ... %g is needed", item->key ? item->key : "here", lower, upper);
  *out = item->number;
  return PO_OK;
}

static po_status gaitfile_text(gaitfile_reader *r, const po_json *item, char *out, size_t room) {
  if (item->type != PO_JSON_STRING || strlen(item->string) >= room) return GAIT_BAD(r, item, "%s: a text of less than %zu bytes is needed", item->key, room);
  memcpy(out, item->string, strlen(item->string) + 1);
  return PO_OK;
}

/* "swing_hip" is the hip of the swing leg; names without such a beginning stand for themselves. */
static po_status gaitfile_joint(gaitfile_reader *r, const po_json *item, char *joint, po_gait_side *side) {
  const char *name = item->key;
  *side = !strncmp(name, "swing_", 6) ? PO_GAIT_SWING : !strncmp(name, "stance_", 7) ? PO_GAIT_STANCE : PO_GAIT_MIDDLE;
  name += *side == PO_GAIT_SWING ? 6 : *side == PO_GAIT_STANCE ? 7 : 0;
  if (strlen(name) >= PO_GAIT_NAME) return GAIT_BAD(r, item, "'%s': a joint's name is shorter", item->key);
  memcpy(joint, name, strlen(name) + 1);
  return PO_OK;
}

/* [[phase, value], …] */
static po_status gaitfile_curve(gaitfile_reader *r, const po_json *item, po_gait_curve *curve) {
  po_gait_table *g = r->gait;
  const po_json *k;
  double knot[2];
  if (item->type != PO_JSON_ARRAY || item->length < 1 || item->length > PO_GAIT_CURVE_KNOTS)
    return GAIT_BAD(r, item, "%s: 1 to %d knots [phase, value] are needed", item->key, PO_GAIT_CURVE_KNOTS);
  if (g->knots + (int)item->length > PO_GAIT_KNOTS) return GAIT_BAD(r, item, "more than %d knots in all", PO_GAIT_KNOTS);
  curve->first = g->knots;
  curve->count = (int)item->length;
  for (k = item->first; k; k = k->next) {
    if (po_json_doubles(knot, 2, k) != PO_OK || !po_isfinite(knot[0] + knot[1])) return GAIT_BAD(r, k, "%s: a knot is [phase, value]", item->key);
    if (!(knot[0] >= 0 && knot[0] <= 1)) return GAIT_BAD(r, k, "%s: phase %g is outside 0 ... 1", item->key, knot[0]);
    if (g->knots > curve->first && !(knot[0] > g->phase[g->knots - 1])) return GAIT_BAD(r, k, "%s: knots out of order", item->key);
    g->phase[g->knots] = knot[0];
    g->value[g->knots++] = knot[1];
  }
  return PO_OK;
}

static po_status gaitfile_axis(gaitfile_reader *r, const po_json *item, po_vec3 *axis) {
  const char *s = po_json_string(item, ""), *letter = s[0] == '-' ? s + 1 : s;
  double sign = s[0] == '-' ? -1 : 1;
  if (strcmp(letter, "x") && strcmp(letter, "y") && strcmp(letter, "z")) return GAIT_BAD(r, item, "axis: x, y, z, -x, -y or -z is needed");
  *axis = po_v3(letter[0] == 'x' ? sign : 0, letter[0] == 'y' ? sign : 0, letter[0] == 'z' ? sign : 0);
  return PO_OK;
}

static po_status gaitfile_part(gaitfile_reader *r, const po_json *object, po_gait_part *p) {
  const po_json *i;
  po_status s = PO_OK;
  double clamp[2];
  memset(p, 0, sizeof *p);
  p->lower = -PO_PI;
  p->upper = PO_PI;
  if (object->type != PO_JSON_OBJECT) return GAIT_BAD(r, object, "a part is an object with axis and knots");
  for (i = object->first; i && s == PO_OK; i = i->next) {
    if (!strcmp(i->key, "axis")) s = gaitfile_axis(r, i, &p->axis);
    else if (!strcmp(i->key, "knots")) s = gaitfile_curve(r, i, &p->angle);
    else if (!strcmp(i->key, "d")) s = gaitfile_number(r, i, -100, 100, &p->c_d);
    else if (!strcmp(i->key, "v")) s = gaitfile_number(r, i, -100, 100, &p->c_v);
    else if (!strcmp(i->key, "flip")) {
      p->flip = !strcmp(po_json_string(i, ""), "left") ? 1 : !strcmp(po_json_string(i, ""), "right") ? 2 : 0;
      if (!p->flip) s = GAIT_BAD(r, i, "flip: left or right is needed");
    } else if (!strcmp(i->key, "clamp")) {
      if (po_json_doubles(clamp, 2, i) != PO_OK || !(clamp[0] <= clamp[1])) s = GAIT_BAD(r, i, "clamp: [least, most] is needed");
      else {
        p->lower = clamp[0];
        p->upper = clamp[1];
      }
    } else s = GAIT_BAD(r, i, "a part has no '%s': axis, knots, flip, d, v, clamp", i->key);
  }
  if (s == PO_OK && (!p->angle.count || po_v3_norm(p->axis) == 0)) return GAIT_BAD(r, object, "a part needs an axis and knots");
  return s;
}

static po_status gaitfile_target(gaitfile_reader *r, const po_json *object) {
  po_gait_table *g = r->gait;
  po_gait_target *t = &g->target[g->targets];
  const po_json *i, *k;
  po_status s;
  if (g->targets == PO_GAIT_TARGETS) return GAIT_BAD(r, object, "more than %d targets", PO_GAIT_TARGETS);
  if (object->type != PO_JSON_OBJECT) return GAIT_BAD(r, object, "%s: a target is an object with parts", object->key);
  if ((s = gaitfile_joint(r, object, t->joint, &t->side)) != PO_OK) return s;
  t->line = object->line;
  t->column = object->column;
  g->targets++;
  for (i = object->first; i && s == PO_OK; i = i->next) {
    if (!strcmp(i->key, "strength")) s = gaitfile_curve(r, i, &t->strength);
    else if (!strcmp(i->key, "frame")) {
      t->in_heading = !strcmp(po_json_string(i, ""), "heading");
      if (!t->in_heading && strcmp(po_json_string(i, ""), "parent")) s = GAIT_BAD(r, i, "frame: heading or parent is needed");
    } else if (!strcmp(i->key, "parts")) {
      if (i->type != PO_JSON_ARRAY || i->length > PO_GAIT_PARTS) s = GAIT_BAD(r, i, "parts: at most %d rotations", PO_GAIT_PARTS);
      for (k = i->first; k && s == PO_OK; k = k->next) s = gaitfile_part(r, k, &t->part[t->parts++]);
    } else s = GAIT_BAD(r, i, "a target has no '%s': parts, frame, strength", i->key);
  }
  return s;
}

#define GAIT_CONTACT_FROM 0.5 /* a foot that touches in the first half of a step is one that has not left yet */

static po_status gaitfile_state(gaitfile_reader *r, const po_json *object) {
  po_gait_table *g = r->gait;
  po_gait_state *t = &g->state[g->states];
  const po_json *i, *k;
  po_status s = PO_OK;
  if (g->states == PO_GAIT_STATES || object->type != PO_JSON_OBJECT) return GAIT_BAD(r, object, "states: at most %d objects", PO_GAIT_STATES);
  g->states++;
  t->contact_from = GAIT_CONTACT_FROM;
  t->first = g->targets;
  for (i = object->first; i && s == PO_OK; i = i->next) {
    if (!strcmp(i->key, "seconds")) s = gaitfile_number(r, i, 0.01, 10, &t->seconds);
    else if (!strcmp(i->key, "contact_from")) s = gaitfile_number(r, i, 0, 1, &t->contact_from);
    else if (!strcmp(i->key, "ends")) {
      t->on_contact = !strcmp(po_json_string(i, ""), "contact");
      if (!t->on_contact && strcmp(po_json_string(i, ""), "time")) s = GAIT_BAD(r, i, "ends: contact or time is needed");
    } else if (!strcmp(i->key, "targets")) {
      if (i->type != PO_JSON_OBJECT) s = GAIT_BAD(r, i, "targets: an object by joint is needed");
      for (k = i->first; k && s == PO_OK; k = k->next) s = gaitfile_target(r, k);
    } else s = GAIT_BAD(r, i, "a state has no '%s': seconds, ends, contact_from, targets", i->key);
  }
  t->count = g->targets - t->first;
  if (s == PO_OK && !(t->seconds > 0)) return GAIT_BAD(r, object, "a state needs its seconds");
  return s;
}

/* "hip": [kp, kd] or [kp, kd, x, y, z] */
static po_status gaitfile_gain(gaitfile_reader *r, const po_json *item) {
  po_gait_table *g = r->gait;
  po_gait_gain *gain = &g->gain[g->gains];
  double x[5] = {0, 0, 1, 1, 1};
  int k, n = item->length == 5 ? 5 : 2;
  if (g->gains == PO_GAIT_GAINS) return GAIT_BAD(r, item, "more than %d gains", PO_GAIT_GAINS);
  if (strlen(item->key) >= PO_GAIT_NAME || po_json_doubles(x, n, item) != PO_OK) return GAIT_BAD(r, item, "%s: [kp, kd] or [kp, kd, x, y, z] is needed", item->key);
  for (k = 0; k < 5; k++)
    if (!(x[k] >= 0 && po_isfinite(x[k]))) return GAIT_BAD(r, item, "%s: a gain below zero", item->key);
  memcpy(gain->joint, item->key, strlen(item->key) + 1);
  gain->line = item->line;
  gain->column = item->column;
  gain->kp = x[0];
  gain->kd = x[1];
  gain->scale = po_v3(x[2], x[3], x[4]);
  g->gains++;
  return PO_OK;
}

static po_status gaitfile_member(gaitfile_reader *r, const po_json *i) {
  po_gait_table *g = r->gait;
  const po_json *k;
  double x[2];
  po_status s = PO_OK;
  if (!strcmp(i->key, "summary")) return gaitfile_text(r, i, g->summary, sizeof g->summary);
  if (!strcmp(i->key, "made")) return gaitfile_text(r, i, g->made, sizeof g->made);
  if (!strcmp(i->key, "body")) {
    g->body_line = i->line;
    g->body_column = i->column;
    return gaitfile_text(r, i, g->body, sizeof g->body);
  }
  if (!strcmp(i->key, "name")) return gaitfile_text(r, i, g->name, sizeof g->name);
  if (!strcmp(i->key, "start_speed")) return gaitfile_number(r, i, -10, 10, &g->start_speed);
  if (!strcmp(i->key, "start_phase")) return gaitfile_number(r, i, 0, 1, &g->start_phase);
  if (!strcmp(i->key, "hip_damping")) {
    if (po_json_doubles(x, 2, i) != PO_OK || !(x[0] >= 0 && x[1] >= 0)) return GAIT_BAD(r, i, "hip_damping: [N m s^2, most rad/s] is needed");
    g->hip_damping = x[0];
    g->hip_damping_cap = x[1];
    return PO_OK;
  }
  if (!strcmp(i->key, "gains") && i->type == PO_JSON_OBJECT) {
    for (k = i->first; k && s == PO_OK; k = k->next) s = gaitfile_gain(r, k);
    return s;
  }
  if (!strcmp(i->key, "states") && i->type == PO_JSON_ARRAY) {
    for (k = i->first; k && s == PO_OK; k = k->next) s = gaitfile_state(r, k);
    return s;
  }
  return GAIT_BAD(r, i, "'%s' is no part of a gait, or not of the kind it must be", i->key);
}

po_status po_gait_parse(po_gait_table *gait, const char *text, size_t size, const char *file, po_error *err) {
  gaitfile_reader r;
  po_json *root;
  const po_json *i;
  po_status s;
  if (!gait || !text) return po_fail(err, PO_ERR_NULL, "a gait needs a text");
  if ((s = po_json_parse(&root, text, size, file, err)) != PO_OK) return s;
  memset(gait, 0, sizeof *gait);
  r.gait = gait;
  r.file = file;
  r.err = err;
  if (root->type != PO_JSON_OBJECT) s = GAIT_BAD(&r, root, "a gait is an object");
  for (i = root->first; i && s == PO_OK; i = i->next) s = gaitfile_member(&r, i);
  if (s == PO_OK && (!gait->states || !gait->body[0] || !gait->name[0])) s = GAIT_BAD(&r, root, "a gait needs a name, a body and states");
  po_json_free(root);
  return s;
}

/* The names of a body's built-in gaits, with commas. */
static void gaitfile_names(char *out, size_t room, const char *body) {
  const po_builtin_file *file;
  char folder[PO_GAIT_NAME + 8];
  size_t n, used = 0;
  po_format(folder, sizeof folder, "gaits/%s/", body);
  n = strlen(folder);
  out[0] = '\0';
  for (file = po_builtin_files; file->path; file++) {
    size_t length = strlen(file->path);
    if (strncmp(file->path, folder, n) || length < n + 5) continue;
    po_format(out + used, room - used, "%.*s, ", (int)(length - n - 5), file->path + n);
    used = strlen(out);
  }
}

po_status po_gait_load(po_gait_table *gait, const char *body, const char *name, po_error *err) {
  const po_builtin_file *file;
  char path[128], names[160], *text;
  size_t n = name ? strlen(name) : 0;
  po_status s;
  if (!gait || !body || !name) return po_fail(err, PO_ERR_NULL, "a gait needs a body and a name");
  if (n > 5 && !strcmp(name + n - 5, ".json")) {
    if ((s = po_read_file(&text, &n, name, 1 << 20, err)) != PO_OK) return s;
    s = po_gait_parse(gait, text, n, name, err);
    po_free(text);
    if (s == PO_OK && strcmp(gait->body, body)) return po_fail_at(err, PO_ERR_MODEL, name, gait->body_line, gait->body_column, "a gait of %s, not of %s", gait->body, body);
    return s;
  }
  po_format(path, sizeof path, "gaits/%s/%s.json", body, name);
  if (!(file = po_builtin_find(path))) {
    gaitfile_names(names, sizeof names, body);
    return po_fail(err, PO_ERR_NAME, "no gait '%s' of %s: %s%sthe path of a .json file", name, body, names, names[0] ? "or " : "it has none; give ");
  }
  return po_gait_parse(gait, file->text, strlen(file->text), file->path, err);
}

/* ---- writing ---- */

static void gaitfile_write_curve(po_jw *w, const po_gait_table *g, const char *key, po_gait_curve c) {
  int i;
  if (!c.count) return;
  po_jw_array(w, key);
  for (i = c.first; i < c.first + c.count; i++) {
    double knot[2];
    knot[0] = g->phase[i];
    knot[1] = g->value[i];
    po_jw_doubles(w, NULL, knot, 2);
  }
  po_jw_end(w);
}

static void gaitfile_write_part(po_jw *w, const po_gait_table *g, const po_gait_part *p) {
  char axis[3] = {0};
  double clamp[2];
  int minus = p->axis.x + p->axis.y + p->axis.z < 0;
  axis[0] = '-';
  axis[minus] = p->axis.x != 0 ? 'x' : p->axis.y != 0 ? 'y' : 'z';
  po_jw_object(w, NULL);
  po_jw_string(w, "axis", axis);
  if (p->flip) po_jw_string(w, "flip", p->flip == 1 ? "left" : "right");
  gaitfile_write_curve(w, g, "knots", p->angle);
  if (p->c_d != 0) po_jw_number(w, "d", p->c_d);
  if (p->c_v != 0) po_jw_number(w, "v", p->c_v);
  clamp[0] = p->lower;
  clamp[1] = p->upper;
  if (p->lower > -PO_PI || p->upper < PO_PI) po_jw_doubles(w, "clamp", clamp, 2);
  po_jw_end(w);
}

/* A line for each joint. */
static void gaitfile_write_target(po_buffer *out, const po_gait_table *g, const po_gait_target *t) {
  po_jw w;
  int k;
  po_buffer_printf(out, "        \"%s%s\": ", t->side == PO_GAIT_SWING ? "swing_" : t->side == PO_GAIT_STANCE ? "stance_" : "", t->joint);
  po_jw_init(&w, out, 0);
  po_jw_object(&w, NULL);
  if (t->in_heading) po_jw_string(&w, "frame", "heading");
  po_jw_array(&w, "parts");
  for (k = 0; k < t->parts; k++) gaitfile_write_part(&w, g, &t->part[k]);
  po_jw_end(&w);
  gaitfile_write_curve(&w, g, "strength", t->strength);
  po_jw_end(&w);
}

static void gaitfile_write_state(po_buffer *out, const po_gait_table *g, const po_gait_state *s) {
  int i;
  po_buffer_printf(out, "    {\n      \"seconds\": %g,\n      \"ends\": \"%s\",\n", s->seconds, s->on_contact ? "contact" : "time");
  if (s->on_contact) po_buffer_printf(out, "      \"contact_from\": %g,\n", s->contact_from);
  po_buffer_printf(out, "      \"targets\": {\n");
  for (i = s->first; i < s->first + s->count; i++) {
    gaitfile_write_target(out, g, &g->target[i]);
    po_buffer_puts(out, i + 1 < s->first + s->count ? ",\n" : "\n");
  }
  po_buffer_puts(out, "      }\n    }");
}

static void gaitfile_write_gains(po_buffer *out, const po_gait_table *g) {
  int i;
  po_buffer_puts(out, "  \"gains\": {\n");
  for (i = 0; i < g->gains; i++) {
    const po_gait_gain *k = &g->gain[i];
    po_buffer_printf(out, "    \"%s\": [%g, %g", k->joint, k->kp, k->kd);
    if (k->scale.x != 1 || k->scale.y != 1 || k->scale.z != 1) po_buffer_printf(out, ", %g, %g, %g", k->scale.x, k->scale.y, k->scale.z);
    po_buffer_puts(out, i + 1 < g->gains ? "],\n" : "]\n");
  }
  po_buffer_puts(out, "  },\n");
}

void po_gait_write(po_buffer *out, const po_gait_table *g) {
  const char *key[] = {"name", "summary", "body", "made"}, *text[4];
  po_jw w;
  int i;
  text[0] = g->name;
  text[1] = g->summary;
  text[2] = g->body;
  text[3] = g->made;
  po_buffer_puts(out, "{\n");
  for (i = 0; i < 4; i++) {
    po_buffer_printf(out, "  \"%s\": ", key[i]);
    po_jw_init(&w, out, 0);
    po_jw_string(&w, NULL, text[i]);
    po_buffer_puts(out, ",\n");
  }
  po_buffer_printf(out, "  \"start_speed\": %g,\n  \"start_phase\": %g,\n", g->start_speed, g->start_phase);
  if (g->hip_damping > 0) po_buffer_printf(out, "  \"hip_damping\": [%g, %g],\n", g->hip_damping, g->hip_damping_cap);
  gaitfile_write_gains(out, g);
  po_buffer_puts(out, "  \"states\": [\n");
  for (i = 0; i < g->states; i++) {
    gaitfile_write_state(out, g, &g->state[i]);
    po_buffer_puts(out, i + 1 < g->states ? ",\n" : "\n");
  }
  po_buffer_puts(out, "  ]\n}\n");
}

/* ---- curves ---- */

static double gaitfile_slope(const double *t, const double *y, int n, int i) {
  int a = i > 0 ? i - 1 : 0, b = i < n - 1 ? i + 1 : n - 1;
  return b > a ? (y[b] - y[a]) / (t[b] - t[a]) : 0;
}

double po_gait_value(const po_gait_table *g, po_gait_curve c, double phase, double none) {
  const double *t = g->phase + c.first, *y = g->value + c.first;
  double h, u, u2, u3;
  int i;
  if (c.count == 0) return none;
  if (phase <= t[0]) return y[0];
  if (phase >= t[c.count - 1]) return y[c.count - 1];
  for (i = 0; phase > t[i + 1]; i++) {}
  h = t[i + 1] - t[i];
  u = (phase - t[i]) / h;
  u2 = u * u;
  u3 = u2 * u;
  return (2 * u3 - 3 * u2 + 1) * y[i] + (u3 - 2 * u2 + u) * h * gaitfile_slope(t, y, c.count, i) + (3 * u2 - 2 * u3) * y[i + 1] +
         (u3 - u2) * h * gaitfile_slope(t, y, c.count, i + 1);
}
