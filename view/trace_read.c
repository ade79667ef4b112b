/* trace_read.c: a recording read back from its file, every size and index checked before it is used. */
#include "base64.h"
#include "trace.h"
#include <string.h>

enum { TRACE_MAX_FRAMES = 1 << 22, TRACE_MAX_ITEMS = 1 << 15 };

typedef struct trace_reader {
  po_trace *t;
  const char *file;
  po_error *err;
} trace_reader;

static po_status trace_bad(const trace_reader *r, const po_json *at, const char *what) {
  return po_fail_at(r->err, PO_ERR_PARSE, r->file, at ? at->line : 0, at ? at->column : 0, "this is no recording of a run: %s", what);
}

static int trace_length(const po_json *array) {
  return array && array->type == PO_JSON_ARRAY && array->length <= TRACE_MAX_ITEMS ? (int)array->length : -1;
}
static int trace_int(const po_json *value, int lower, int upper, int fallback) {
  double x = po_json_number(value, (double)fallback);
  return x >= (double)lower && x <= (double)upper ? (int)x : fallback;
}
static double trace_finite(const po_json *value, double fallback) {
  double x = po_json_number(value, fallback);
  return po_isfinite(x) ? x : fallback;
}
#define TRACE_TEXT(field, root, key) po_format(field, sizeof field, "%s", po_json_string(po_json_get(root, key), ""))

/* Index of a name, or −1. */
static int trace_word(const po_json *value, const char *const *names, int count) {
  const char *word = po_json_string(value, "");
  int i;
  for (i = 0; i < count; i++)
    if (!strcmp(word, names[i])) return i;
  return -1;
}

static void trace_read_head(po_trace *t, const po_json *root) {
  const char *seed = po_json_string(po_json_get(root, "seed"), "0");
  TRACE_TEXT(t->scenario, root, "scenario");
  TRACE_TEXT(t->model, root, "model");
  TRACE_TEXT(t->command, root, "command");
  TRACE_TEXT(t->outcome, root, "outcome");
  TRACE_TEXT(t->reason, root, "reason");
  TRACE_TEXT(t->hash, root, "hash");
  for (; *seed >= '0' && *seed <= '9'; seed++) t->seed = 10 * t->seed + (uint64_t)(*seed - '0');
  t->hz = trace_finite(po_json_get(root, "hz"), 60);
  t->dt = trace_finite(po_json_get(root, "dt"), 0);
  t->control_hz = trace_finite(po_json_get(root, "control_hz"), 0);
  t->sim_seconds = trace_finite(po_json_get(root, "sim_seconds"), 0);
  t->wall_seconds = trace_finite(po_json_get(root, "wall_seconds"), 0);
  t->mass = trace_finite(po_json_get(root, "mass"), 0);
}

static po_status trace_read_bodies(trace_reader *r, const po_json *root) {
  const po_json *list = po_json_get(root, "bodies"), *b;
  po_trace *t = r->t;
  int n = trace_length(list), i = 0;
  if (n < 0) return trace_bad(r, list, "'bodies' must be an array");
  t->bodies = n;
  if (!(t->body = po_alloc(sizeof(po_trace_body) * (size_t)(n + 1)))) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (b = list->first; b; b = b->next, i++) {
    TRACE_TEXT(t->body[i].name, b, "name");
    t->body[i].character = trace_int(po_json_get(b, "character"), 0, TRACE_MAX_ITEMS, 0);
    t->body[i].mass = trace_finite(po_json_get(b, "mass"), 0);
    if (t->body[i].mass > 0 && po_json_doubles(t->body[i].com, 3, po_json_get(b, "com")) != PO_OK) return trace_bad(r, b, "a body with a mass needs 'com', three numbers");
  }
  return PO_OK;
}

/* Corners and faces: every face has three corners or more, and they are there. */
static po_status trace_read_hull(trace_reader *r, po_trace_hull *h, const po_json *json) {
  const po_json *vertices = po_json_get(json, "vertices"), *faces = po_json_get(json, "faces"), *f, *c;
  int n = trace_length(vertices), count = trace_length(faces), corners = 0, *l;
  for (f = count > 0 ? faces->first : NULL; f; f = f->next) {
    if (trace_length(f) < 3 || corners > TRACE_MAX_ITEMS) return trace_bad(r, f, "a hull's face needs three corners or more");
    corners += trace_length(f);
  }
  if (n < 12 || n % 3 || count < 4) return trace_bad(r, json, "a hull needs 'vertices', three numbers each, and 'faces', four or more");
  if (po_trace_hull_room(h, n / 3, count, corners) != PO_OK) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  if (po_json_doubles(h->vertex, n, vertices) != PO_OK) return trace_bad(r, vertices, "a hull's 'vertices' are finite numbers");
  for (f = faces->first, l = h->loop; f; f = f->next)
    for (*l++ = trace_length(f), c = f->first; c; c = c->next)
      if ((*l++ = trace_int(c, 0, n / 3 - 1, -1)) < 0) return trace_bad(r, c, "a hull's face has a corner that is not there");
  po_trace_hull_planes(h);
  return PO_OK;
}

static po_status trace_read_shape(trace_reader *r, po_trace_shape *s, const po_json *json) {
  static const char *const names[] = {"sphere", "capsule", "box", "hull"};
  int i, type = trace_word(po_json_get(json, "type"), names, 4), sizes = type > PO_BOX ? 3 : type + 1;
  s->body = trace_int(po_json_get(json, "body"), -1, r->t->bodies - 1, -2);
  if (type < 0 || s->body < -1) return trace_bad(r, json, "a shape needs a type (sphere, capsule, box, hull) and a body there is");
  s->type = type;
  if (po_json_doubles(s->position, 3, po_json_get(json, "position")) != PO_OK || po_json_doubles(s->quaternion, 4, po_json_get(json, "quaternion")) != PO_OK ||
      po_json_doubles(s->size, sizes, po_json_get(json, "size")) != PO_OK)
    return trace_bad(r, json, "a shape needs position, quaternion and size");
  for (i = 0; i < sizes; i++)
    if (!(s->size[i] >= 0)) return trace_bad(r, json, "a shape's size must not be negative");
  return PO_OK;
}

static po_status trace_read_shapes(trace_reader *r, const po_json *root) {
  const po_json *sets = po_json_get(root, "shape_sets"), *set, *s;
  po_trace *t = r->t;
  int n = trace_length(sets), k, i;
  po_status st = PO_OK;
  if (n < 1 || n > PO_TRACE_SETS) return trace_bad(r, sets, "'shape_sets' must be an array of one or a few sets");
  t->shapes = trace_length(po_json_get(sets->first, "shapes"));
  if (t->shapes < 0) return trace_bad(r, sets->first, "a shape set needs 'shapes'");
  t->shape = po_alloc(sizeof(po_trace_shape) * (size_t)(n * t->shapes + 1));
  t->hull = po_alloc(sizeof(po_trace_hull) * (size_t)(t->shapes + 1));
  if (!t->shape || !t->hull) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (set = sets->first, k = 0; set && st == PO_OK; set = set->next, k++) {
    const po_json *list = po_json_get(set, "shapes");
    if (trace_length(list) != t->shapes) return trace_bad(r, set, "all shape sets must have equally many shapes");
    t->set_frame[k] = trace_int(po_json_get(set, "frame"), 0, TRACE_MAX_FRAMES, 0);
    for (s = list->first, i = 0; s && st == PO_OK; s = s->next, i++) {
      st = trace_read_shape(r, &t->shape[k * t->shapes + i], s);
      if (st == PO_OK && (t->shape[k * t->shapes + i].type == PO_HULL) != (t->shape[i].type == PO_HULL)) st = trace_bad(r, s, "a hull stays one in all shape sets");
      if (st == PO_OK && !k && t->shape[i].type == PO_HULL) st = trace_read_hull(r, &t->hull[i], s);
    }
  }
  t->sets = n;
  return st;
}

static po_status trace_read_field(trace_reader *r, const po_json *json, int samples) {
  const po_json *z = po_json_get(json, "z");
  double *copy = po_alloc(sizeof(double) * (size_t)(samples + 1));
  po_status st;
  if (!copy) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  st = po_json_doubles(copy, samples, z);
  if (st == PO_OK)
    st = po_terrain_set_field(r->t->terrain, trace_int(po_json_get(json, "nx"), 2, 4096, 0), trace_int(po_json_get(json, "ny"), 2, 4096, 0),
                              po_json_number(po_json_get(json, "x0"), 0), po_json_number(po_json_get(json, "y0"), 0), po_json_number(po_json_get(json, "dx"), 0),
                              po_json_number(po_json_get(json, "dy"), 0), copy, po_json_number(po_json_get(json, "mu"), 1));
  po_free(copy);
  return st == PO_OK ? st : trace_bad(r, json, "a height field that makes no sense");
}

/* A normal that is one already is kept to the bit, so that a recording written again is the same. */
#define TRACE_UNIT 1e-12

static int trace_read_plane(po_terrain *terrain, const po_json *json) {
  po_vec3 normal;
  double n[3], offset = po_json_number(po_json_get(json, "offset"), 0);
  if (po_json_doubles(n, 3, po_json_get(json, "normal")) != PO_OK) return 0;
  normal = po_v3_of(n);
  if (po_terrain_add_plane(terrain, normal, offset, po_json_number(po_json_get(json, "mu"), 1)) != PO_OK) return 0;
  if (po_abs(po_v3_norm(normal) - 1) < TRACE_UNIT) {
    terrain->plane[terrain->planes - 1].normal = normal;
    terrain->plane[terrain->planes - 1].offset = offset;
  }
  return 1;
}

static po_status trace_read_terrain(trace_reader *r, const po_json *root) {
  const po_json *json = po_json_get(root, "terrain"), *planes = po_json_get(json, "planes"), *boxes = po_json_get(json, "boxes"), *j;
  const po_json *field = po_json_get(json, "field");
  po_terrain_dims dims;
  po_status st;
  double a[3], b[4], c[3];
  dims.planes = trace_length(planes);
  dims.boxes = trace_length(boxes);
  dims.samples = field ? trace_int(po_json_get(field, "nx"), 2, 4096, 0) * trace_int(po_json_get(field, "ny"), 2, 4096, 0) : 0;
  if (field && (!po_json_get(field, "z") || po_json_get(field, "z")->type != PO_JSON_ARRAY || po_json_get(field, "z")->length != (size_t)dims.samples))
    return trace_bad(r, field, "a height field needs nx * ny numbers 'z'"); /* before memory is asked for */
  if (dims.planes < 0 || dims.boxes < 0) return trace_bad(r, json, "'terrain' needs 'planes' and 'boxes'");
  if ((st = po_terrain_new(&r->t->terrain, &dims)) != PO_OK) return po_fail(r->err, st, "terrain: %s", po_status_string(st));
  for (j = planes->first; j; j = j->next)
    if (!trace_read_plane(r->t->terrain, j)) return trace_bad(r, j, "a plane needs a normal and an offset");
  for (j = boxes->first; j; j = j->next) {
    po_pose pose;
    if (po_json_doubles(a, 3, po_json_get(j, "position")) != PO_OK || po_json_doubles(b, 4, po_json_get(j, "quaternion")) != PO_OK ||
        po_json_doubles(c, 3, po_json_get(j, "half")) != PO_OK)
      return trace_bad(r, j, "a box needs position, quaternion and half");
    pose.R = po_q_matrix(po_q_unit(po_q_of(b)));
    pose.p = po_v3(a[0], a[1], a[2]);
    if (po_terrain_add_box(r->t->terrain, pose, po_v3(c[0], c[1], c[2]), po_json_number(po_json_get(j, "mu"), 1)) != PO_OK)
      return trace_bad(r, j, "a box that makes no sense");
  }
  return field ? trace_read_field(r, field, dims.samples) : PO_OK;
}

static po_status trace_read_notes(trace_reader *r, const po_json *root) {
  static const char *const kinds[] = {"parameter", "change", "result", "option", "stage"};
  const po_json *pushes = po_json_get(root, "pushes"), *notes = po_json_get(root, "notes"), *j;
  po_trace *t = r->t;
  int np = trace_length(pushes), nn = trace_length(notes);
  if (np < 0 || nn < 0) return trace_bad(r, root, "'pushes' and 'notes' must be arrays");
  t->push = po_alloc(sizeof(po_trace_push) * (size_t)(np + 1));
  t->note = po_alloc(sizeof(po_trace_note) * (size_t)(nn + 1));
  if (!t->push || !t->note) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (j = pushes->first; j; j = j->next) {
    po_trace_push *p = &t->push[t->pushes++];
    p->time = trace_finite(po_json_get(j, "time"), 0);
    p->duration = trace_finite(po_json_get(j, "duration"), 0);
    p->body = trace_int(po_json_get(j, "body"), 0, t->bodies - 1, -1);
    if (p->body < 0 || po_json_doubles(p->force, 3, po_json_get(j, "force")) != PO_OK) return trace_bad(r, j, "a push needs a force and a body there is");
  }
  for (j = notes->first; j; j = j->next) {
    po_trace_note *n = &t->note[t->notes++];
    int kind = trace_word(po_json_get(j, "kind"), kinds, 5);
    if (kind < 0) return trace_bad(r, j, "a note needs a kind: parameter, change, result, option or stage");
    n->kind = (po_note_kind)kind;
    n->given = po_json_get(j, "given") && po_json_get(j, "given")->type == PO_JSON_TRUE;
    TRACE_TEXT(n->name, j, "name");
    TRACE_TEXT(n->value, j, "value");
    TRACE_TEXT(n->unit, j, "unit");
  }
  t->max_notes = t->notes;
  return PO_OK;
}

/* ---- frames ---- */

/* The bytes of a base64 text of known length, to be freed with po_free; NULL when it is something else. */
static unsigned char *trace_bytes(trace_reader *r, const po_json *root, const char *key, size_t bytes, po_status *st) {
  const po_json *text = po_json_get(root, key);
  unsigned char *out = NULL;
  char what[96];
  if (text && text->type == PO_JSON_STRING && text->length == (bytes + 2) / 3 * 4 && !(out = po_alloc(bytes + 4))) {
    *st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
    return NULL;
  }
  if (out && po_base64_decode(out, bytes, text->string, text->length)) return out;
  po_free(out);
  po_format(what, sizeof what, "'%s' does not hold %zu bytes of base64", key, bytes);
  *st = trace_bad(r, text ? text : root, what);
  return NULL;
}

static po_status trace_read_poses(trace_reader *r, const po_json *root) {
  po_trace *t = r->t;
  size_t n = (size_t)t->frames * (size_t)t->bodies, i;
  po_status st = PO_OK;
  unsigned char *p = trace_bytes(r, root, "position", 12 * n, &st), *q = p ? trace_bytes(r, root, "quaternion", 8 * n, &st) : NULL;
  int k;
  if (q && !(t->pose = po_alloc(sizeof(float) * 7 * (n + 1)))) st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; st == PO_OK && i < n; i++) {
    for (k = 0; k < 3; k++) t->pose[7 * i + (size_t)k] = po_base64_read_f32(p + 12 * i + 4 * (size_t)k);
    for (k = 0; k < 4; k++) t->pose[7 * i + 3 + (size_t)k] = (float)(po_base64_read_i16(q + 8 * i + 2 * (size_t)k) / PO_TRACE_QUATERNION);
    for (k = 0; k < 7; k++)
      if (!po_isfinite((double)t->pose[7 * i + (size_t)k])) st = trace_bad(r, root, "a position is not finite");
  }
  po_free(p);
  po_free(q);
  return st;
}

/* Those that every recording has come first, by their names; then curves, whatever they are called. */
static po_status trace_read_channels(trace_reader *r, const po_json *root) {
  const po_json *names = po_json_get(root, "channels"), *units = po_json_get(root, "units");
  po_trace *t = r->t;
  int k;
  t->channels = trace_length(names);
  if (t->channels < PO_CHANNELS || t->channels > PO_TRACE_CHANNELS) return trace_bad(r, names ? names : root, "other channels than this version knows");
  if (!(t->name = po_alloc(sizeof(po_trace_channel) * (size_t)t->channels))) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (k = 0; k < t->channels; k++) {
    const char *name = po_json_string(po_json_at(names, k), "");
    if (!*name || (k < PO_CHANNELS && strcmp(name, po_channel_name[k]))) return trace_bad(r, names, "other channels than this version knows");
    po_format(t->name[k].name, sizeof t->name[k].name, "%s", name);
    po_format(t->name[k].unit, sizeof t->name[k].unit, "%s", po_json_string(po_json_at(units, k), ""));
  }
  return PO_OK;
}

static po_status trace_read_signals(trace_reader *r, const po_json *root) {
  po_trace *t = r->t;
  po_status st = trace_read_channels(r, root);
  size_t n = (size_t)t->frames * (size_t)(st == PO_OK ? t->channels : 0), i;
  unsigned char *bytes;
  int f;
  if (st != PO_OK || !(bytes = trace_bytes(r, root, "signals", 4 * n, &st))) return st;
  if (!(t->channel = po_alloc(sizeof(float) * (n + 1)))) st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; st == PO_OK && i < n; i++) t->channel[i] = po_base64_read_f32(bytes + 4 * i);
  for (f = 0; st == PO_OK && f < t->frames; f++)
    if (!po_isfinite(po_trace_time(t, f)) || (f && !(po_trace_time(t, f) >= po_trace_time(t, f - 1)))) st = trace_bad(r, root, "time must not go back");
  po_free(bytes);
  return st;
}

static po_status trace_read_contacts(trace_reader *r, const po_json *root) {
  po_trace *t = r->t;
  size_t total = 0, at = 0;
  po_status st = PO_OK;
  unsigned char *count = trace_bytes(r, root, "contact_count", (size_t)t->frames, &st), *bytes = NULL;
  int f, i, k;
  for (f = 0; count && f < t->frames; f++) {
    if (count[f] > PO_TRACE_CONTACTS) st = trace_bad(r, root, "too many contacts in a frame");
    total += count[f];
  }
  if (st == PO_OK) bytes = trace_bytes(r, root, "contact", 28 * total, &st);
  if (bytes) {
    t->contacts = po_alloc(sizeof(int) * (size_t)(t->frames + 1));
    t->contact = po_alloc(sizeof(po_trace_contact) * PO_TRACE_CONTACTS * (size_t)(t->frames + 1));
    if (!t->contacts || !t->contact) st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  }
  for (f = 0; bytes && st == PO_OK && f < t->frames; f++) {
    t->contacts[f] = count[f];
    for (i = 0; i < count[f]; i++, at += 28) {
      po_trace_contact *c = &t->contact[f * PO_TRACE_CONTACTS + i];
      for (k = 0; k < 3; k++) {
        c->point[k] = po_base64_read_f32(bytes + at + 4 * (size_t)k);
        c->force[k] = po_base64_read_f32(bytes + at + 12 + 4 * (size_t)k);
      }
      c->a = (short)po_base64_read_i16(bytes + at + 24);
      c->b = (short)po_base64_read_i16(bytes + at + 26);
      if (c->a < 0 || c->a >= t->bodies || c->b < -1 || c->b >= t->bodies) st = trace_bad(r, root, "a contact of a body that is not there");
    }
  }
  po_free(count);
  po_free(bytes);
  return st;
}

static po_status trace_read_marks(trace_reader *r, const po_json *root) {
  po_trace *t = r->t;
  int i, k, n = trace_int(po_json_get(root, "marks"), 0, PO_RECORD_MARKS, 0);
  po_status st = PO_OK;
  unsigned char *bytes;
  if (!n) return PO_OK;
  if (!(bytes = trace_bytes(r, root, "mark", 4 * PO_TRACE_MARK_FLOATS * (size_t)n, &st))) return st;
  if (!(t->mark = po_alloc(sizeof(po_trace_mark) * (size_t)n))) st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; st == PO_OK && i < n; i++) {
    float row[PO_TRACE_MARK_FLOATS];
    for (k = 0; k < PO_TRACE_MARK_FLOATS; k++) {
      row[k] = po_base64_read_f32(bytes + 4 * (size_t)(i * PO_TRACE_MARK_FLOATS + k));
      if (!po_isfinite((double)row[k])) st = trace_bad(r, root, "a mark is not finite");
    }
    memcpy(&t->mark[i], row, sizeof row);
  }
  t->marks = t->max_marks = st == PO_OK ? n : 0;
  po_free(bytes);
  return st;
}

/* Recordings of earlier versions, and those of runs without grasps, have none. */
static po_status trace_read_springs(trace_reader *r, const po_json *root) {
  po_trace *t = r->t;
  size_t total = 0, at = 0;
  po_status st = PO_OK;
  unsigned char *count, *bytes = NULL;
  int f, i, k;
  if (!po_json_get(root, "spring_count")) return PO_OK;
  if (!(count = trace_bytes(r, root, "spring_count", (size_t)t->frames, &st))) return st;
  for (f = 0; f < t->frames; f++) {
    total += count[f];
    t->max_springs = count[f] > t->max_springs ? count[f] : t->max_springs;
  }
  if (t->max_springs > PO_TRACE_SPRINGS) st = trace_bad(r, root, "too many springs in a frame");
  if (st == PO_OK) bytes = trace_bytes(r, root, "spring", 28 * total, &st);
  if (bytes) {
    t->springs = po_alloc(sizeof(int) * (size_t)(t->frames + 1));
    t->spring = po_alloc(sizeof(po_trace_spring) * ((size_t)t->max_springs * (size_t)t->frames + 1));
    if (!t->springs || !t->spring) st = po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  }
  for (f = 0; bytes && st == PO_OK && f < t->frames; f++) {
    t->springs[f] = count[f];
    for (i = 0; i < count[f]; i++, at += 28) {
      po_trace_spring *s = &t->spring[(size_t)f * (size_t)t->max_springs + (size_t)i];
      for (k = 0; k < 3; k++) {
        s->hand[k] = po_base64_read_f32(bytes + at + 4 * (size_t)k);
        s->held[k] = po_base64_read_f32(bytes + at + 12 + 4 * (size_t)k);
      }
      s->force = po_base64_read_f32(bytes + at + 24);
    }
  }
  po_free(count);
  po_free(bytes);
  return st;
}

static po_status trace_read_all(trace_reader *r, const po_json *root) {
  po_status st;
  if (po_json_number(po_json_get(root, "poise_trace"), 0) != PO_TRACE_VERSION) return trace_bad(r, root, "it lacks \"poise_trace\": 1");
  r->t->frames = r->t->capacity = trace_int(po_json_get(root, "frames"), 1, TRACE_MAX_FRAMES, 0);
  if (!r->t->frames) return trace_bad(r, root, "there are no frames");
  trace_read_head(r->t, root);
  if ((st = trace_read_bodies(r, root)) != PO_OK || (st = trace_read_shapes(r, root)) != PO_OK || (st = trace_read_terrain(r, root)) != PO_OK ||
      (st = trace_read_notes(r, root)) != PO_OK || (st = trace_read_poses(r, root)) != PO_OK || (st = trace_read_signals(r, root)) != PO_OK)
    return st;
  if ((st = trace_read_contacts(r, root)) != PO_OK) return st;
  if ((st = trace_read_marks(r, root)) != PO_OK) return st;
  return trace_read_springs(r, root);
}

po_status po_trace_read(po_trace **trace, const char *text, size_t size, const char *file, po_error *err) {
  trace_reader r;
  po_json *root;
  po_status st;
  if (!trace || !text) return po_fail(err, PO_ERR_NULL, "no text to read");
  *trace = NULL;
  if ((st = po_json_parse(&root, text, size, file, err)) != PO_OK) return st;
  r.t = po_alloc(sizeof *r.t);
  r.file = file ? file : "";
  r.err = err;
  st = r.t ? trace_read_all(&r, root) : po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_json_free(root);
  if (st == PO_OK) *trace = r.t;
  else po_trace_free(r.t);
  return st;
}
