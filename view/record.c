/* record.c: recording a world: body poses, contacts and a few signals per frame, into memory taken at the start. */
#include "record.h"
#include <math.h>
#include <string.h>

/* A shape that has changed by less than this is still the same (m): growing bodies get a new set of shapes, others do not. */
#define RECORD_SHAPE_CHANGE 5e-4
/* A frame is due when the clock is this share of a frame before it: sums of steps are not exact. */
#define RECORD_DUE 1e-6

po_record_opts po_record_opts_default(void) {
  po_record_opts o = {60, 0, (size_t)64 << 20};
  return o;
}

/* ---- what does not change ---- */

static void record_shapes(po_trace_shape *s, const po_world *w) {
  int i, k, body = 0;
  for (i = 0; i < po_world_count(w); i++) {
    const po_model *m = po_world_model(w, i);
    for (k = 0; k < m->shapes; k++, s++) po_trace_set_shape(s, &m->shape[k], body);
    body += m->nb;
  }
}

int po_record_body(const po_record *r, int character, int body) {
  int i;
  for (i = 0; i < character; i++) body += po_world_model(r->world, i)->nb;
  return body;
}

static po_status record_describe_world(po_record *r) {
  po_trace *t = r->trace;
  po_trace_hull *hull = t->hull;
  po_status s = PO_OK;
  int i;
  for (i = 0; s == PO_OK && i < po_world_count(r->world); hull += po_world_model(r->world, i++)->shapes) s = po_trace_copy_hulls(hull, po_world_model(r->world, i));
  for (i = 0; i < po_world_count(r->world); i++) po_trace_set_bodies(t->body + po_record_body(r, i, 0), po_world_model(r->world, i), i);
  if (i) {
    po_format(t->model, sizeof t->model, "%s", po_world_model(r->world, 0)->name);
    t->mass = po_world_model(r->world, 0)->total_mass;
  }
  record_shapes(t->shape, r->world);
  t->sets = 1;
  return s;
}

/* ---- memory ---- */

/* Two springs for every grasp that the world has. */
static int record_springs(po_world *w) {
  po_grasp_state g;
  int n = 0;
  while (2 * n < PO_TRACE_SPRINGS && po_world_grasp(&g, w, n) == PO_OK) n++;
  return 2 * n;
}

static po_status record_room(po_record *r, const po_record_opts *o) {
  po_trace *t = r->trace;
  double frames = o->seconds > 0 ? o->seconds * o->hz + 3 : 1e9, most;
  int i;
  for (i = 0; i < po_world_count(r->world); i++) {
    t->bodies += po_world_model(r->world, i)->nb;
    t->shapes += po_world_model(r->world, i)->shapes;
  }
  t->channels = PO_TRACE_CHANNELS; /* narrowed by the first frame */
  t->max_springs = record_springs(r->world);
  most = (double)o->bytes / (double)po_trace_frame_bytes(t);
  t->capacity = (int)po_clamp(po_min(frames, most), 8, 1 << 22) & ~1;
  return po_trace_room(t, PO_TRACE_SETS, PO_SIM_PUSHES, PO_RECORD_NOTES, PO_RECORD_MARKS);
}

po_status po_record_new(po_record **record, po_world *world, const po_record_opts *opts, po_error *err) {
  po_record_opts o = opts ? *opts : po_record_opts_default();
  const po_terrain *ground, nothing = {0};
  po_record *r;
  po_status s;
  if (!record || !world) return po_fail(err, PO_ERR_NULL, "a recording needs a world");
  *record = NULL;
  if (!(o.hz > 0 && o.hz <= 1e6)) return po_fail(err, PO_ERR_RANGE, "hz = %g: how many frames a second, above 0", o.hz);
  if (!(o.seconds >= 0) || !po_isfinite(o.seconds)) return po_fail(err, PO_ERR_RANGE, "seconds = %g: how long it will last, or 0", o.seconds);
  r = po_alloc(sizeof *r);
  if (!r || !(r->trace = po_alloc(sizeof *r->trace))) {
    po_free(r);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  r->world = world;
  r->trace->hz = o.hz;
  ground = po_world_terrain(world);
  if ((s = record_room(r, &o)) != PO_OK || (s = po_trace_copy_terrain(r->trace, ground ? ground : &nothing)) != PO_OK || (s = record_describe_world(r)) != PO_OK) {
    po_fail(err, s, "no room for a recording of %d frames: %s", r->trace->capacity, po_status_string(s));
    po_record_free(r);
    return s;
  }
  r->trace->channels = PO_CHANNELS;
  *record = r;
  return PO_OK;
}

void po_record_free(po_record *r) {
  if (!r) return;
  po_trace_free(r->trace);
  po_free(r);
}
const po_trace *po_record_trace(const po_record *r) { return r ? r->trace : NULL; }

/* ---- frames ---- */

/* Full: every other frame goes, and half as many are kept from now on. */
static void record_thin(po_record *r) {
  po_trace *t = r->trace;
  size_t poses = 7 * (size_t)t->bodies, channels = (size_t)t->channels, springs = (size_t)t->max_springs;
  int f, k;
  for (f = 1; 2 * f < t->frames; f++) {
    size_t to = (size_t)f, from = 2 * (size_t)f;
    memcpy(t->pose + to * poses, t->pose + from * poses, poses * sizeof *t->pose);
    memcpy(t->channel + to * channels, t->channel + from * channels, channels * sizeof *t->channel);
    memcpy(t->contact + to * PO_TRACE_CONTACTS, t->contact + from * PO_TRACE_CONTACTS, PO_TRACE_CONTACTS * sizeof *t->contact);
    t->contacts[f] = t->contacts[2 * f];
    if (!springs) continue;
    memcpy(t->spring + to * springs, t->spring + from * springs, springs * sizeof *t->spring);
    t->springs[f] = t->springs[2 * f];
  }
  for (k = 0; k < t->sets; k++) t->set_frame[k] = (t->set_frame[k] + 1) / 2;
  t->frames = (t->frames + 1) / 2;
  t->hz *= 0.5;
}

static void record_poses(float *out, po_world *w) {
  int i;
  for (i = 0; i < po_world_count(w); i++) {
    po_data *d = po_world_data(w, i);
    po_kinematics(d, po_world_q(w, i), po_world_v(w, i));
    po_trace_put_poses(out, d);
    out += 7 * d->model->nb;
  }
}

/* A body that grows has other shapes from now on. */
static void record_growth(po_record *r) {
  po_trace *t = r->trace;
  const po_trace_shape *last = t->shape + (size_t)(t->sets - 1) * (size_t)t->shapes;
  po_trace_shape *next = t->shape + (size_t)t->sets * (size_t)t->shapes;
  double change = 0;
  int i, k;
  if (t->sets == PO_TRACE_SETS) return;
  record_shapes(next, r->world);
  for (i = 0; i < t->shapes; i++)
    for (k = 0; k < 3; k++)
      change = po_max(change, po_max(po_abs(next[i].size[k] - last[i].size[k]), po_abs(next[i].position[k] - last[i].position[k])));
  if (change > RECORD_SHAPE_CHANGE) t->set_frame[t->sets++] = t->frames;
}

static void record_contacts(po_record *r, float *sum) {
  po_trace *t = r->trace;
  int i, count, kept = 0;
  const po_contact *c = po_world_contacts(&count, r->world);
  double dt = po_world_last_dt(r->world);
  po_trace_contact *out = t->contact + (size_t)t->frames * PO_TRACE_CONTACTS;
  po_vec3 total = po_v3(0, 0, 0);
  for (i = 0; dt > 0 && i < count; i++) {
    po_vec3 f = po_v3_scale(1 / dt, c[i].impulse);
    if (po_v3_norm(f) == 0) continue;
    if (c[i].b < 0) total = po_v3_add(total, f);
    if (kept == PO_TRACE_CONTACTS) continue;
    po_trace_put3(out[kept].point, c[i].point);
    po_trace_put3(out[kept].force, f);
    out[kept].a = (short)po_record_body(r, c[i].a, c[i].body_a);
    out[kept].b = c[i].b < 0 ? -1 : (short)po_record_body(r, c[i].b, c[i].body_b);
    kept++;
  }
  t->contacts[t->frames] = kept;
  po_trace_put3(sum, total);
}

static void record_grasps(po_record *r) {
  po_trace *t = r->trace;
  po_trace_spring *out = t->spring + (size_t)t->frames * (size_t)t->max_springs;
  po_grasp_state g;
  int i, k, kept = 0;
  if (!t->max_springs) return;
  for (i = 0; 2 * i < t->max_springs && po_world_grasp(&g, r->world, i) == PO_OK; i++)
    for (k = 0; k < 2 && g.closed; k++, kept++) {
      po_trace_put3(out[kept].hand, g.hand[k]);
      po_trace_put3(out[kept].held, g.held[k]);
      out[kept].force = (float)g.tension[k];
    }
  t->springs[t->frames] = kept;
}

static void record_pushes(const po_trace *t, float *c, double time) {
  po_vec3 sum = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < t->pushes; i++)
    if (time >= t->push[i].time && time < t->push[i].time + t->push[i].duration && t->body[t->push[i].body].character == 0)
      sum = po_v3_add(sum, po_v3_of(t->push[i].force));
  po_trace_put3(c + PO_CHANNEL_PUSH, sum);
}

/* What the world itself knows. Curves that were set, or come from a simulation, are written over it. */
static void record_keep(po_record *r, double time) {
  po_trace *t = r->trace;
  float *c;
  int k;
  if (t->frames >= t->capacity) record_thin(r);
  c = t->channel + (size_t)t->frames * (size_t)t->channels;
  memset(c, 0, sizeof *c * (size_t)t->channels);
  record_growth(r);
  record_poses(t->pose + (size_t)t->frames * (size_t)t->bodies * 7, r->world);
  c[PO_CHANNEL_TIME] = (float)time;
  if (po_world_count(r->world)) {
    po_data *d = po_world_data(r->world, 0);
    po_centroidal(d);
    po_trace_put3(c + PO_CHANNEL_COM, d->com);
    po_trace_put3(c + PO_CHANNEL_TARGET, d->com);
    po_trace_put3(c + PO_CHANNEL_MOMENTUM, po_v3(d->momentum[0], d->momentum[1], d->momentum[2]));
    c[PO_CHANNEL_HEADING] = (float)po_m3_yaw(d->pose[0].R);
  }
  record_contacts(r, c + PO_CHANNEL_FORCE);
  record_grasps(r);
  if (r->sim) po_record_sim_frame(r, c);
  else record_pushes(t, c, time);
  for (k = 1; k < t->channels; k++)
    if (r->was_set[k]) c[k] = r->value[k];
  if (t->dt == 0) t->dt = po_world_last_dt(r->world);
  t->sim_seconds = time;
  t->frames++;
  r->last = time;
}

static double record_time(const po_record *r) { return r->sim ? r->sim->time : po_world_time(r->world); }

int po_record_due(const po_record *r) {
  return !r->trace->frames || floor(record_time(r) * r->trace->hz + RECORD_DUE) > floor(r->last * r->trace->hz + RECORD_DUE);
}
void po_record_frame(po_record *r) {
  if (po_record_due(r)) record_keep(r, record_time(r));
}

void po_record_last(po_record *r) {
  double time = record_time(r);
  if (!r->trace->frames || time > r->last) record_keep(r, time);
}
