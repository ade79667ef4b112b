/* trace.c: recording a run: body poses, contacts and a few signals per frame, into memory taken at the start. */
#include "scenes.h"
#include <string.h>

static int trace_count_bodies(const po_run *r) {
  int i, n = 0;
  for (i = 0; i < po_world_count(r->world); i++) n += po_world_model(r->world, i)->nb;
  return n;
}
static int trace_count_shapes(const po_run *r) {
  int i, n = 0;
  for (i = 0; i < po_world_count(r->world); i++) n += po_world_model(r->world, i)->shapes;
  return n;
}

static void trace_describe(po_trace *t, const po_run *r) {
  int i, k, body = 0, shape = 0;
  po_format(t->scenario, sizeof t->scenario, "%s", r->scenario->name);
  po_format(t->model, sizeof t->model, "%s", r->model ? r->model->name : "");
  t->seed = r->opts.seed;
  t->dt = r->opts.dt;
  t->terrain = r->terrain ? r->terrain : po_terrain_flat();
  for (i = 0; i < po_world_count(r->world); i++) {
    const po_model *m = po_world_model(r->world, i);
    for (k = 0; k < m->shapes; k++, shape++) {
      po_trace_shape *s = &t->shape[shape];
      s->body = body + m->shape[k].body;
      s->type = (int)m->shape[k].type;
      po_v3_to(s->position, m->shape[k].pose.p);
      po_q_to(s->quaternion, po_q_from_matrix(m->shape[k].pose.R));
      memcpy(s->size, m->shape[k].size, sizeof s->size);
    }
    for (k = 0; k < m->nb; k++) po_format(t->body_name[body++], 32, "%s", m->body_name[k]);
  }
}

po_status po_trace_new(po_trace **trace, const po_run *r, double hz, po_error *err) {
  po_trace *t = po_alloc(sizeof *t);
  size_t n;
  *trace = t;
  if (!t) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  t->every = (long)(1 / (hz * r->opts.dt) + 0.5);
  if (t->every < 1) t->every = 1;
  t->hz = 1 / ((double)t->every * r->opts.dt);
  t->capacity = (int)(r->total_steps / t->every) + 2;
  t->bodies = trace_count_bodies(r);
  t->shapes = trace_count_shapes(r);
  n = (size_t)t->capacity;
  t->body_name = po_alloc(32 * (size_t)(t->bodies + 1));
  t->shape = po_alloc(sizeof(po_trace_shape) * (size_t)(t->shapes + 1));
  t->pose = po_alloc(sizeof(float) * 7 * n * (size_t)(t->bodies + 1));
  t->channel = po_alloc(sizeof(float) * PO_CHANNELS * n);
  t->contact = po_alloc(sizeof(float) * 6 * PO_TRACE_CONTACTS * n);
  t->contacts = po_alloc(sizeof(int) * n);
  if (!t->body_name || !t->shape || !t->pose || !t->channel || !t->contact || !t->contacts)
    return po_fail(err, PO_ERR_MEMORY, "out of memory for %d frames", t->capacity);
  trace_describe(t, r);
  return PO_OK;
}

void po_trace_free(po_trace *t) {
  if (!t) return;
  po_free(t->body_name);
  po_free(t->shape);
  po_free(t->terrain_json);
  po_free(t->pose);
  po_free(t->channel);
  po_free(t->contact);
  po_free(t->contacts);
  po_free(t);
}

static void trace_put3(float *out, po_vec3 v) {
  out[0] = (float)v.x;
  out[1] = (float)v.y;
  out[2] = (float)v.z;
}

static void trace_poses(float *out, po_run *r) {
  int i, k;
  for (i = 0; i < po_world_count(r->world); i++) {
    const po_model *m = po_world_model(r->world, i);
    const po_data *d = po_world_data(r->world, i);
    po_kinematics(po_world_data(r->world, i), po_world_q(r->world, i), po_world_v(r->world, i));
    for (k = 0; k < m->nb; k++, out += 7) {
      po_quat q = po_q_from_matrix(d->pose[k].R);
      trace_put3(out, d->pose[k].p);
      out[3] = (float)q.w;
      out[4] = (float)q.x;
      out[5] = (float)q.y;
      out[6] = (float)q.z;
    }
  }
}

static po_vec3 trace_push(const po_run *r) {
  po_vec3 f = po_v3(0, 0, 0);
  int i;
  for (i = 0; i < r->opts.pushes; i++)
    if (r->time >= r->opts.push[i].time && r->time < r->opts.push[i].time + r->opts.push[i].duration) f = po_v3_add(f, r->opts.push[i].force);
  return f;
}

static void trace_contacts(po_trace *t, const po_run *r, float *sum) {
  int i, count, kept = 0;
  const po_contact *c = po_world_contacts(r->world, &count);
  float *out = t->contact + (size_t)t->frames * PO_TRACE_CONTACTS * 6;
  po_vec3 total = po_v3(0, 0, 0);
  for (i = 0; i < count; i++) {
    po_vec3 f = po_v3_scale(1 / r->opts.dt, c[i].impulse);
    if (po_v3_norm(f) == 0) continue;
    if (c[i].b < 0) total = po_v3_add(total, f);
    if (kept == PO_TRACE_CONTACTS) continue;
    trace_put3(out + 6 * kept, c[i].point);
    trace_put3(out + 6 * kept + 3, f);
    kept++;
  }
  t->contacts[t->frames] = kept;
  trace_put3(sum, total);
}

static double trace_effort(const po_run *r) {
  double worst = 0;
  int i, k;
  for (i = 0; i < r->model->nb; i++) {
    const po_joint *j = &r->model->joint[i];
    for (k = 0; k < j->nv && k < 3 && j->type != PO_JOINT_FLOATING; k++)
      if (j->effort[k] > 0) worst = po_max(worst, po_abs(r->wbc->tau[j->v + k]) / j->effort[k]);
  }
  return worst;
}

void po_trace_step(po_trace *t, po_run *r) {
  float *c;
  po_data *d;
  if (r->steps % t->every && r->steps != 1) return;
  if (t->frames >= t->capacity) return;
  c = t->channel + (size_t)t->frames * PO_CHANNELS;
  trace_poses(t->pose + (size_t)t->frames * (size_t)t->bodies * 7, r);
  c[PO_CHANNEL_TIME] = (float)r->time;
  if (po_world_count(r->world)) {
    d = po_world_data(r->world, 0);
    po_centroidal(d);
    trace_put3(c + PO_CHANNEL_COM, d->com);
    trace_put3(c + PO_CHANNEL_TARGET, r->com_target ? *r->com_target : d->com);
    trace_put3(c + PO_CHANNEL_MOMENTUM, po_v3(d->momentum[0], d->momentum[1], d->momentum[2]));
    c[PO_CHANNEL_HEADING] = (float)po_atan2(d->pose[0].R.m[3], d->pose[0].R.m[0]);
  }
  trace_contacts(t, r, c + PO_CHANNEL_FORCE);
  trace_put3(c + PO_CHANNEL_PUSH, trace_push(r));
  if (r->wbc) {
    c[PO_CHANNEL_TORQUE] = (float)trace_effort(r);
    c[PO_CHANNEL_SOLVE] = (float)(1e6 * r->wbc->profile.solve);
  }
  t->frames++;
}

void po_trace_csv(po_buffer *out, const po_trace *t) {
  static const char *const names[PO_CHANNELS] = {
    "time", "com_x", "com_y", "com_z", "target_x", "target_y", "target_z", "momentum_x", "momentum_y", "momentum_z",
    "force_x", "force_y", "force_z", "push_x", "push_y", "push_z", "heading", "torque_share", "solve_us"};
  int i, k;
  for (k = 0; k < PO_CHANNELS; k++) po_buffer_printf(out, "%s%s", k ? "," : "", names[k]);
  po_buffer_puts(out, "\n");
  for (i = 0; i < t->frames; i++) {
    for (k = 0; k < PO_CHANNELS; k++) po_buffer_printf(out, "%s%.7g", k ? "," : "", (double)t->channel[i * PO_CHANNELS + k]);
    po_buffer_puts(out, "\n");
  }
}
