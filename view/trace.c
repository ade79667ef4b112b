/* trace.c: a recording's memory, and what all that fill one have in common. */
#include "trace.h"
#include <string.h>

const char *const po_channel_name[PO_CHANNELS] = {
  "time", "com_x", "com_y", "com_z", "target_x", "target_y", "target_z", "momentum_x", "momentum_y", "momentum_z",
  "force_x", "force_y", "force_z", "push_x", "push_y", "push_z", "heading", "torque_share", "solve_us"};

const float *po_trace_channel_at(const po_trace *t, int frame) { return t->channel + (size_t)frame * (size_t)t->channels; }
double po_trace_time(const po_trace *t, int frame) { return (double)po_trace_channel_at(t, frame)[PO_CHANNEL_TIME]; }
int po_trace_frames(const po_trace *t) { return t->frames; }
double po_trace_seconds(const po_trace *t) { return t->frames ? po_trace_time(t, t->frames - 1) : 0; }

double po_trace_value(const po_trace *t, int frame, const char *curve) {
  int k;
  for (k = 0; k < t->channels && strcmp(t->name[k].name, curve); k++) {}
  return k < t->channels && frame >= 0 && frame < t->frames ? (double)po_trace_channel_at(t, frame)[k] : PO_NAN;
}

po_pose po_trace_pose(const po_trace *t, int frame, int body) {
  const float *f = t->pose + ((size_t)frame * (size_t)t->bodies + (size_t)body) * 7;
  po_pose at;
  if (body < 0) {
    at.R = po_m3_identity();
    at.p = po_v3(0, 0, 0);
    return at;
  }
  at.R = po_q_matrix(po_q_unit(po_q((double)f[3], (double)f[4], (double)f[5], (double)f[6])));
  at.p = po_v3((double)f[0], (double)f[1], (double)f[2]);
  return at;
}

/* A ball that is all of its link and does not reach the link's joint hangs on a neck. */
int po_trace_has_neck(const po_trace *t, const po_trace_shape *s) {
  int i = (int)((s - t->shape) % t->shapes); /* a link's shapes stand beside each other */
  if (s->type != PO_SPHERE || s->body < 0 || po_v3_norm(po_v3_of(s->position)) < 1.05 * s->size[0]) return 0;
  return !(i > 0 && s[-1].body == s->body) && !(i + 1 < t->shapes && s[1].body == s->body);
}

/* ---- filling ---- */

void po_trace_put3(float *out, po_vec3 v) {
  out[0] = (float)v.x;
  out[1] = (float)v.y;
  out[2] = (float)v.z;
}

void po_trace_put_poses(float *out, const po_data *d) {
  int k;
  for (k = 0; k < d->model->nb; k++, out += 7) {
    po_quat q = po_q_from_matrix(d->pose[k].R);
    po_trace_put3(out, d->pose[k].p);
    out[3] = (float)q.w;
    out[4] = (float)q.x;
    out[5] = (float)q.y;
    out[6] = (float)q.z;
  }
}

void po_trace_set_shape(po_trace_shape *s, const po_shape *shape, int first_body) {
  s->body = shape->body < 0 ? -1 : first_body + shape->body;
  s->type = (int)shape->type;
  po_v3_to(s->position, shape->pose.p);
  po_q_to(s->quaternion, po_q_from_matrix(shape->pose.R));
  memcpy(s->size, shape->size, sizeof s->size);
}

void po_trace_set_bodies(po_trace_body *out, const po_model *m, int character) {
  int k;
  for (k = 0; k < m->nb; k++, out++) {
    po_format(out->name, sizeof out->name, "%s", m->body_name[k]);
    out->character = character;
    out->mass = m->inertia[k].mass;
    po_v3_to(out->com, m->inertia[k].com);
  }
}

po_status po_trace_copy_terrain(po_trace *t, const po_terrain *from) {
  const po_height_field *f = &from->field;
  po_terrain_dims dims;
  po_status s;
  int i;
  dims.planes = from->planes;
  dims.boxes = from->boxes;
  dims.samples = f->nx * f->ny;
  s = po_terrain_new(&t->terrain, &dims);
  for (i = 0; s == PO_OK && i < from->planes; i++) s = po_terrain_add_plane(t->terrain, from->plane[i].normal, from->plane[i].offset, from->plane[i].mu);
  for (i = 0; s == PO_OK && i < from->boxes; i++) s = po_terrain_add_box(t->terrain, from->box[i].pose, from->box[i].half, from->box[i].mu);
  if (s == PO_OK && f->nx) s = po_terrain_set_field(t->terrain, f->nx, f->ny, f->x0, f->y0, f->dx, f->dy, f->z, f->mu);
  return s;
}

/* ---- memory ---- */

size_t po_trace_frame_bytes(const po_trace *t) {
  return sizeof(float) * (7 * (size_t)t->bodies + (size_t)t->channels) + sizeof(po_trace_contact) * PO_TRACE_CONTACTS + sizeof(int) +
         (t->max_springs ? sizeof(po_trace_spring) * (size_t)t->max_springs + sizeof(int) : 0);
}

/* One more of each than there can be: some counts are zero, and what comes when all is full is written to the last and not kept. */
po_status po_trace_room(po_trace *t, int sets, int pushes, int notes, int marks) {
  size_t n = (size_t)t->capacity;
  int k;
  t->max_notes = notes;
  t->max_marks = marks;
  t->body = po_alloc(sizeof(po_trace_body) * (size_t)(t->bodies + 1));
  t->shape = po_alloc(sizeof(po_trace_shape) * (size_t)sets * (size_t)(t->shapes + 1));
  t->hull = po_alloc(sizeof(po_trace_hull) * (size_t)(t->shapes + 1));
  t->push = po_alloc(sizeof(po_trace_push) * (size_t)(pushes + 1));
  t->note = po_alloc(sizeof(po_trace_note) * (size_t)(notes + 1));
  t->pose = po_alloc(sizeof(float) * 7 * n * (size_t)(t->bodies + 1));
  t->name = po_alloc(sizeof(po_trace_channel) * PO_TRACE_CHANNELS);
  t->channel = po_alloc(sizeof(float) * (size_t)t->channels * n);
  t->contact = po_alloc(sizeof(po_trace_contact) * PO_TRACE_CONTACTS * n);
  t->contacts = po_alloc(sizeof(int) * n);
  if (!t->body || !t->shape || !t->hull || !t->push || !t->note || !t->pose || !t->name || !t->channel || !t->contact || !t->contacts) return PO_ERR_MEMORY;
  if (t->max_springs) {
    t->spring = po_alloc(sizeof(po_trace_spring) * (size_t)t->max_springs * n);
    t->springs = po_alloc(sizeof(int) * n);
    if (!t->spring || !t->springs) return PO_ERR_MEMORY;
  }
  if (marks && !(t->mark = po_alloc(sizeof(po_trace_mark) * (size_t)marks))) return PO_ERR_MEMORY;
  for (k = 0; k < PO_CHANNELS; k++) po_format(t->name[k].name, sizeof t->name[k].name, "%s", po_channel_name[k]);
  return PO_OK;
}

void po_trace_free(po_trace *t) {
  int i;
  if (!t) return;
  for (i = 0; t->hull && i < t->shapes; i++) po_trace_hull_clear(&t->hull[i]);
  po_free(t->hull);
  po_free(t->body);
  po_free(t->shape);
  po_free(t->push);
  po_free(t->note);
  po_terrain_free(t->terrain);
  po_free(t->pose);
  po_free(t->name);
  po_free(t->channel);
  po_free(t->contact);
  po_free(t->contacts);
  po_free(t->mark);
  po_free(t->spring);
  po_free(t->springs);
  po_free(t);
}
