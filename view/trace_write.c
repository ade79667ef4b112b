/* trace_write.c: a recording as one JSON object with its long arrays in base64 (docs/replay.md). */
#include "base64.h"
#include "trace.h"
#include <math.h>
#include <string.h>

static const char *const trace_shape_name[] = {"sphere", "capsule", "box", "hull"};
static const char *const trace_note_name[] = {"parameter", "change", "result", "option", "stage"};

static void trace_write_bodies(po_jw *w, const po_trace *t) {
  int i;
  po_jw_array(w, "bodies");
  for (i = 0; i < t->bodies; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", t->body[i].name);
    po_jw_int(w, "character", t->body[i].character);
    if (t->body[i].mass > 0) {
      po_jw_number(w, "mass", t->body[i].mass);
      po_jw_doubles(w, "com", t->body[i].com, 3);
    }
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void trace_write_hull(po_jw *w, const po_trace_hull *h) {
  const int *l = h->loop;
  int f, k;
  po_jw_doubles(w, "vertices", h->vertex, 3 * h->vertices);
  po_jw_array(w, "faces");
  for (f = 0; f < h->faces; f++, l += l[0] + 1) {
    po_jw_array(w, NULL);
    for (k = 0; k < l[0]; k++) po_jw_int(w, NULL, l[1 + k]);
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void trace_write_shapes(po_jw *w, const po_trace *t, int stride) {
  int i, k;
  po_jw_array(w, "shape_sets");
  for (k = 0; k < t->sets; k++) {
    po_jw_object(w, NULL);
    po_jw_int(w, "frame", (t->set_frame[k] + stride - 1) / stride);
    po_jw_array(w, "shapes");
    for (i = 0; i < t->shapes; i++) {
      const po_trace_shape *s = &t->shape[k * t->shapes + i];
      po_jw_object(w, NULL);
      po_jw_int(w, "body", s->body);
      po_jw_string(w, "type", trace_shape_name[s->type]);
      po_jw_doubles(w, "position", s->position, 3);
      po_jw_doubles(w, "quaternion", s->quaternion, 4);
      po_jw_doubles(w, "size", s->size, s->type == PO_SPHERE ? 1 : s->type == PO_CAPSULE ? 2 : 3);
      if (s->type == PO_HULL && !k) trace_write_hull(w, &t->hull[i]);
      po_jw_end(w);
    }
    po_jw_end(w);
    po_jw_end(w);
  }
  po_jw_end(w);
}

/* Samples are cut to a tenth of a millimetre: they are drawn, not walked on. */
static void trace_write_field(po_jw *w, const po_height_field *f) {
  int i;
  po_jw_object(w, "field");
  po_jw_int(w, "nx", f->nx);
  po_jw_int(w, "ny", f->ny);
  po_jw_number(w, "x0", f->x0);
  po_jw_number(w, "y0", f->y0);
  po_jw_number(w, "dx", f->dx);
  po_jw_number(w, "dy", f->dy);
  po_jw_number(w, "mu", f->mu);
  po_jw_array(w, "z");
  for (i = 0; i < f->nx * f->ny; i++) po_jw_number(w, NULL, floor(1e4 * f->z[i] + 0.5) / 1e4);
  po_jw_end(w);
  po_jw_end(w);
}

/* Numbers on a grid that is coarse against rounding and fine against anything drawn. */
#define TRACE_GRID 1099511627776.0 /* 2^40 */

static double trace_on_grid(double x) { return floor(TRACE_GRID * x + 0.5) / TRACE_GRID; }

/* A rotation as a quaternion that is the same after being made a matrix, as the reader does, and a quaternion again: what is read and written
 * again is then the same text. Three components lie on the grid; the fourth, a large one made positive, follows from the length 1. */
static void trace_settled(double q[4], po_mat3 R) {
  int i, large = 0;
  double sum = 0;
  po_q_to(q, po_q_from_matrix(R));
  for (i = 0; i < 4; i++) q[i] = trace_on_grid(q[i]);
  while (large < 3 && po_abs(q[large]) < 0.4999) large++; /* one of them is half or more */
  for (i = 0; i < 4; i++) sum += i == large ? 0 : q[i] * q[i];
  for (i = 0; i < 4 && q[large] < 0; i++)
    if (i != large) q[i] = 0 - q[i]; /* no -0 */
  q[large] = sqrt(po_max(1 - sum, 0));
}

static void trace_write_terrain(po_jw *w, const po_terrain *terrain) {
  double x[4];
  int i;
  po_jw_object(w, "terrain");
  po_jw_array(w, "planes");
  for (i = 0; i < terrain->planes; i++) {
    po_jw_object(w, NULL);
    po_v3_to(x, terrain->plane[i].normal);
    po_jw_doubles(w, "normal", x, 3);
    po_jw_number(w, "offset", terrain->plane[i].offset);
    po_jw_number(w, "mu", terrain->plane[i].mu);
    po_jw_end(w);
  }
  po_jw_end(w);
  po_jw_array(w, "boxes");
  for (i = 0; i < terrain->boxes; i++) {
    const po_terrain_box *b = &terrain->box[i];
    po_jw_object(w, NULL);
    po_v3_to(x, b->pose.p);
    po_jw_doubles(w, "position", x, 3);
    trace_settled(x, b->pose.R);
    po_jw_doubles(w, "quaternion", x, 4);
    po_v3_to(x, b->half);
    po_jw_doubles(w, "half", x, 3);
    po_jw_number(w, "mu", b->mu);
    po_jw_end(w);
  }
  po_jw_end(w);
  if (terrain->field.nx) trace_write_field(w, &terrain->field);
  po_jw_end(w);
}

static void trace_write_notes(po_jw *w, const po_trace *t) {
  int i;
  po_jw_array(w, "pushes");
  for (i = 0; i < t->pushes; i++) {
    po_jw_object(w, NULL);
    po_jw_number(w, "time", t->push[i].time);
    po_jw_number(w, "duration", t->push[i].duration);
    po_jw_doubles(w, "force", t->push[i].force, 3);
    po_jw_int(w, "body", t->push[i].body);
    po_jw_end(w);
  }
  po_jw_end(w);
  po_jw_array(w, "notes");
  for (i = 0; i < t->notes; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "kind", trace_note_name[t->note[i].kind]);
    po_jw_string(w, "name", t->note[i].name);
    po_jw_string(w, "value", t->note[i].value);
    if (t->note[i].unit[0]) po_jw_string(w, "unit", t->note[i].unit);
    if (t->note[i].given) po_jw_bool(w, "given", 1);
    po_jw_end(w);
  }
  po_jw_end(w);
}

/* ---- frames ---- */

/* The f-th frame that is kept: the last one always is. */
static int trace_thin_count(const po_trace *t, int stride) { return t->frames ? (t->frames - 2 + stride) / stride + 1 : 0; }
static int trace_thin_frame(const po_trace *t, int stride, int f) { return f * stride < t->frames ? f * stride : t->frames - 1; }

static void trace_write_begin(po_jw *w, po_base64 *b, const char *key) {
  po_jw_string(w, key, "");
  if (w->out->size) w->out->data[--w->out->size] = 0; /* the text goes between the two quotes */
  po_base64_begin(b, w->out);
}
static void trace_write_end(po_jw *w, po_base64 *b) {
  po_base64_end(b);
  po_buffer_puts(w->out, "\"");
}

static void trace_write_poses(po_jw *w, const po_trace *t, int stride) {
  int f, i, k, n = trace_thin_count(t, stride);
  po_base64 b;
  trace_write_begin(w, &b, "position");
  for (f = 0; f < n; f++)
    for (i = 0; i < t->bodies; i++)
      for (k = 0; k < 3; k++) po_base64_f32(&b, t->pose[((size_t)trace_thin_frame(t, stride, f) * (size_t)t->bodies + (size_t)i) * 7 + (size_t)k]);
  trace_write_end(w, &b);
  trace_write_begin(w, &b, "quaternion");
  for (f = 0; f < n; f++)
    for (i = 0; i < t->bodies; i++)
      for (k = 3; k < 7; k++) {
        double x = (double)t->pose[((size_t)trace_thin_frame(t, stride, f) * (size_t)t->bodies + (size_t)i) * 7 + (size_t)k];
        po_base64_i16(&b, (int)floor(po_clamp(x, -1, 1) * PO_TRACE_QUATERNION + 0.5));
      }
  trace_write_end(w, &b);
}

static void trace_write_signals(po_jw *w, const po_trace *t, int stride) {
  int f, k, n = trace_thin_count(t, stride);
  po_base64 b;
  po_jw_array(w, "channels");
  for (k = 0; k < t->channels; k++) po_jw_string(w, NULL, t->name[k].name);
  po_jw_end(w);
  for (k = 0; k < t->channels && !t->name[k].unit[0]; k++) {}
  if (k < t->channels) {
    po_jw_array(w, "units");
    for (k = 0; k < t->channels; k++) po_jw_string(w, NULL, t->name[k].unit);
    po_jw_end(w);
  }
  trace_write_begin(w, &b, "signals");
  for (f = 0; f < n; f++)
    for (k = 0; k < t->channels; k++) po_base64_f32(&b, po_trace_channel_at(t, trace_thin_frame(t, stride, f))[k]);
  trace_write_end(w, &b);
}

static void trace_write_contacts(po_jw *w, const po_trace *t, int stride) {
  int f, i, k, n = trace_thin_count(t, stride);
  po_base64 b;
  trace_write_begin(w, &b, "contact_count");
  for (f = 0; f < n; f++) po_base64_u8(&b, (unsigned)t->contacts[trace_thin_frame(t, stride, f)]);
  trace_write_end(w, &b);
  trace_write_begin(w, &b, "contact");
  for (f = 0; f < n; f++) {
    int frame = trace_thin_frame(t, stride, f);
    for (i = 0; i < t->contacts[frame]; i++) {
      const po_trace_contact *c = &t->contact[frame * PO_TRACE_CONTACTS + i];
      for (k = 0; k < 3; k++) po_base64_f32(&b, c->point[k]);
      for (k = 0; k < 3; k++) po_base64_f32(&b, c->force[k]);
      po_base64_i16(&b, c->a);
      po_base64_i16(&b, c->b);
    }
  }
  trace_write_end(w, &b);
}

/* Marks of plans, eleven numbers each; left out where there are none. */
static void trace_write_marks(po_jw *w, const po_trace *t) {
  po_base64 b;
  int i, k;
  if (!t->marks) return;
  po_jw_int(w, "marks", t->marks);
  trace_write_begin(w, &b, "mark");
  for (i = 0; i < t->marks; i++) {
    const po_trace_mark *m = &t->mark[i];
    const float row[PO_TRACE_MARK_FLOATS] = {m->time, m->kind, m->at[0], m->at[1], m->at[2], m->length, m->doubt, m->low[0], m->low[1], m->high[0], m->high[1]};
    for (k = 0; k < PO_TRACE_MARK_FLOATS; k++) po_base64_f32(&b, row[k]);
  }
  trace_write_end(w, &b);
}

static void trace_write_springs(po_jw *w, const po_trace *t, int stride) {
  int f, i, k, n = trace_thin_count(t, stride);
  po_base64 b;
  trace_write_begin(w, &b, "spring_count");
  for (f = 0; f < n; f++) po_base64_u8(&b, (unsigned)t->springs[trace_thin_frame(t, stride, f)]);
  trace_write_end(w, &b);
  trace_write_begin(w, &b, "spring");
  for (f = 0; f < n; f++) {
    int frame = trace_thin_frame(t, stride, f);
    for (i = 0; i < t->springs[frame]; i++) {
      const po_trace_spring *s = &t->spring[(size_t)frame * (size_t)t->max_springs + (size_t)i];
      for (k = 0; k < 3; k++) po_base64_f32(&b, s->hand[k]);
      for (k = 0; k < 3; k++) po_base64_f32(&b, s->held[k]);
      po_base64_f32(&b, s->force);
    }
  }
  trace_write_end(w, &b);
}

double po_trace_bytes_per_second(const po_trace *t) {
  double bytes = 0, seconds = po_trace_seconds(t);
  int f;
  for (f = 0; f < t->frames; f++) bytes += 20.0 * t->bodies + 4.0 * t->channels + 28.0 * t->contacts[f] + 1 + (t->springs ? 28.0 * t->springs[f] + 1 : 0);
  return seconds > 0 ? bytes * 4 / 3 / seconds : 0;
}

void po_trace_write_thin(po_buffer *out, const po_trace *t, int stride) {
  char seed[24];
  po_jw w;
  if (stride < 1) stride = 1;
  po_jw_init(&w, out, 0);
  po_jw_object(&w, NULL);
  po_jw_int(&w, "poise_trace", PO_TRACE_VERSION);
  po_jw_string(&w, "scenario", t->scenario);
  po_jw_string(&w, "model", t->model);
  po_jw_string(&w, "command", t->command);
  po_jw_string(&w, "outcome", t->outcome);
  po_jw_string(&w, "reason", t->reason);
  po_jw_string(&w, "hash", t->hash);
  po_format(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
  po_jw_string(&w, "seed", seed); /* as text: JSON readers keep only 53 bits */
  po_jw_number(&w, "hz", t->hz / stride);
  po_jw_number(&w, "dt", t->dt);
  po_jw_number(&w, "control_hz", t->control_hz);
  po_jw_number(&w, "sim_seconds", t->sim_seconds);
  po_jw_number(&w, "wall_seconds", t->wall_seconds);
  po_jw_number(&w, "mass", t->mass);
  trace_write_notes(&w, t);
  trace_write_bodies(&w, t);
  trace_write_shapes(&w, t, stride);
  trace_write_terrain(&w, t->terrain);
  po_jw_int(&w, "frames", trace_thin_count(t, stride));
  trace_write_poses(&w, t, stride);
  trace_write_signals(&w, t, stride);
  trace_write_contacts(&w, t, stride);
  trace_write_marks(&w, t);
  if (t->springs) trace_write_springs(&w, t, stride);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}

void po_trace_write(po_buffer *out, const po_trace *t) { po_trace_write_thin(out, t, 1); }
