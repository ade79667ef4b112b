/* motion_trace.c: a motion as a recording, for pages and filmstrips: no simulation, the body is simply shown. The force that its COM's
 * acceleration asks for is drawn in equal shares at the planted corners. */
#include "trace.h"

static po_status motion_trace_room(po_trace *t, const po_motion *m) {
  po_status s;
  t->bodies = m->model->nb;
  t->shapes = m->model->shapes;
  t->channels = PO_CHANNELS;
  s = po_trace_room(t, 1, 0, 4, 0);
  if (s == PO_OK) s = po_trace_copy_hulls(t->hull, m->model);
  return s == PO_OK ? po_trace_copy_terrain(t, po_terrain_flat()) : s;
}

static void motion_trace_describe(po_trace *t, const po_motion *m, const char *title) {
  int k;
  po_format(t->scenario, sizeof t->scenario, "motion");
  po_format(t->model, sizeof t->model, "%s", m->model->name);
  po_format(t->command, sizeof t->command, "%s", title);
  t->mass = m->model->total_mass;
  t->dt = 1 / t->hz;
  t->control_hz = t->hz;
  po_trace_set_bodies(t->body, m->model, 0);
  for (k = 0; k < t->shapes; k++) po_trace_set_shape(&t->shape[k], &m->model->shape[k], 0);
  t->sets = 1;
}

/* Contact forces as the momentum's change asks for them; nothing while nothing is planted. */
static void motion_trace_contacts(po_trace *t, const po_motion *m, const po_data *d, uint32_t planted, po_vec3 force) {
  po_trace_contact *out = t->contact + (size_t)t->frames * PO_TRACE_CONTACTS;
  int c, n = 0, kept = 0;
  for (c = 0; c < m->corners.count; c++) n += planted >> c & 1u ? 1 : 0;
  for (c = 0; c < m->corners.count; c++) {
    const po_frame *f = &m->model->frame[m->corners.frame[c]];
    if (!(planted >> c & 1u)) continue;
    po_trace_put3(out[kept].point, po_point_position(d, f->body, f->pose.p));
    po_trace_put3(out[kept].force, po_v3_scale(1.0 / n, force));
    out[kept].a = (short)f->body;
    out[kept++].b = -1;
  }
  t->contacts[t->frames] = kept;
  if (n) po_trace_put3(t->channel + (size_t)t->frames * (size_t)t->channels + PO_CHANNEL_FORCE, force);
}

static void motion_trace_keep(po_trace *t, const po_motion *m, po_data *d, double *q, double *v, double time) {
  float *c = t->channel + (size_t)t->frames * (size_t)t->channels;
  double h = 0.5 / m->hz;
  po_vec3 before, acceleration;
  uint32_t planted;
  po_motion_sample(q, v, NULL, m, time - h); /* COM's acceleration over one frame of the motion */
  po_kinematics(d, q, v);
  po_com(d);
  before = d->com_velocity;
  po_motion_sample(q, v, NULL, m, time + h);
  po_kinematics(d, q, v);
  po_com(d);
  acceleration = po_v3_scale(m->hz, po_v3_sub(d->com_velocity, before));
  if (!m->cyclic && (time < h || time > po_motion_seconds(m) - h)) acceleration = po_v3(0, 0, 0);
  po_motion_sample(q, v, &planted, m, time);
  po_kinematics(d, q, v);
  po_centroidal(d);
  po_trace_put_poses(t->pose + (size_t)t->frames * (size_t)t->bodies * 7, d);
  c[PO_CHANNEL_TIME] = (float)time;
  po_trace_put3(c + PO_CHANNEL_COM, d->com);
  po_trace_put3(c + PO_CHANNEL_TARGET, d->com);
  po_trace_put3(c + PO_CHANNEL_MOMENTUM, po_v3_of(d->momentum));
  c[PO_CHANNEL_HEADING] = (float)po_m3_yaw(d->pose[0].R);
  motion_trace_contacts(t, m, d, planted, po_v3_scale(m->model->total_mass, po_v3_sub(acceleration, d->gravity)));
  t->frames++;
}

po_status po_motion_trace(po_trace **trace, const po_motion *m, double seconds, double hz, const char *title, po_error *err) {
  po_trace *t = po_alloc(sizeof *t);
  po_data *d = NULL;
  double *q = po_alloc(sizeof(double) * (size_t)(m->model->nq + m->model->nv));
  po_status s = t && q ? po_data_new(&d, m->model) : PO_ERR_MEMORY;
  int k;
  *trace = NULL;
  if (!(seconds > 0)) seconds = po_motion_seconds(m);
  if (s == PO_OK) {
    t->hz = hz;
    t->capacity = (int)(seconds * hz + 1e-9) + 1;
    t->sim_seconds = seconds;
    s = motion_trace_room(t, m);
  }
  if (s == PO_OK) {
    motion_trace_describe(t, m, title);
    for (k = 0; k < t->capacity; k++) motion_trace_keep(t, m, d, q, q + m->model->nq, k / hz);
    *trace = t;
  } else {
    po_fail(err, s, "no room to show the motion: %s", po_status_string(s));
    po_trace_free(t);
  }
  po_data_free(d);
  po_free(q);
  return s;
}
