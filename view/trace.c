/* trace.c: recording a run: body poses, contacts and a few signals per frame, into memory taken at the start. */
#include "view.h"
#include <string.h>

/* A shape that has changed by less than this is still the same (m): growing bodies get a new set of shapes, others do not. */
#define TRACE_SHAPE_CHANGE 5e-4

const char *const po_channel_name[PO_CHANNELS] = {
  "time", "com_x", "com_y", "com_z", "target_x", "target_y", "target_z", "momentum_x", "momentum_y", "momentum_z",
  "force_x", "force_y", "force_z", "push_x", "push_y", "push_z", "heading", "torque_share", "solve_us",
  "theta", "inertia", "spin", "goal", "goal_x", "goal_y", "goal_heading",
  "phase", "plan_force_x", "plan_force_y", "plan_force_z", "plan_at_x", "plan_at_y", "plan_at_z", "plan_goal_x", "plan_goal_y", "plan_goal_z",
  "foothold_x", "foothold_y", "foothold_z"};

#define TRACE_NO_HEADING 100.0 /* rad: a goal without one; NaN is no number in files */

/* ---- what does not change ---- */

void po_trace_set_shape(po_trace_shape *s, const po_shape *shape, int first_body) {
  s->body = first_body + shape->body;
  s->type = (int)shape->type;
  po_v3_to(s->position, shape->pose.p);
  po_q_to(s->quaternion, po_q_from_matrix(shape->pose.R));
  memcpy(s->size, shape->size, sizeof s->size);
}

static void trace_shapes(po_trace_shape *s, const po_run *r) {
  int i, k, body = 0;
  for (i = 0; i < po_world_count(r->world); i++) {
    const po_model *m = po_world_model(r->world, i);
    for (k = 0; k < m->shapes; k++, s++) po_trace_set_shape(s, &m->shape[k], body);
    body += m->nb;
  }
}

static po_status trace_terrain(po_trace *t, const po_run *r) {
  const po_terrain *from = po_run_ground(r);
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

static po_trace_note *trace_note(po_trace *t, po_trace_note_kind kind, const char *name, const char *unit) {
  po_trace_note *n = &t->note[t->notes < t->max_notes ? t->notes++ : t->max_notes];
  n->kind = kind;
  n->given = 0;
  po_format(n->name, sizeof n->name, "%s", name);
  po_format(n->unit, sizeof n->unit, "%s", unit);
  return n;
}
static void trace_note_text(po_trace *t, po_trace_note_kind kind, const char *name, const char *value) {
  po_trace_note *n = trace_note(t, kind, name, "");
  po_format(n->value, sizeof n->value, "%s", value);
}

/* Parameters as the scenario has them after its start, and which way the run is computed. */
static void trace_notes(po_trace *t, const po_run *r) {
  const po_run_opts *o = &r->opts;
  const po_param *p;
  int i;
  for (i = 0; (p = po_run_param_at(r, i)) != NULL; i++) {
    po_trace_note *n = trace_note(t, PO_NOTE_PARAMETER, p->name, p->unit);
    n->given = po_run_was_set(r, p->name);
    po_format(n->value, sizeof n->value, "%.6g", po_run_param(r, i));
  }
  for (i = 0; i < r->texts; i++) {
    po_trace_note *n = trace_note(t, PO_NOTE_PARAMETER, r->text[i].name, "");
    n->given = po_run_was_set(r, r->text[i].name);
    po_format(n->value, sizeof n->value, "%s", r->text[i].value);
  }
  for (i = 0; i < o->ats; i++) {
    po_trace_note *n = trace_note(t, PO_NOTE_CHANGE, o->at[i].name, "");
    po_format(n->value, sizeof n->value, "%s at %g s", o->at[i].value, o->at[i].time);
  }
  trace_note_text(t, PO_NOTE_OPTION, "simd", po_simd_string(po_get_simd()));
  if (po_run_move(r, 0)) trace_note_text(t, PO_NOTE_OPTION, "control", po_run_move(r, 0)->type->name);
  if (!po_run_wbc(r, 0)) return;
  trace_note_text(t, PO_NOTE_OPTION, "advance", o->optimizer ? "optimizer" : "forward");
  trace_note_text(t, PO_NOTE_OPTION, "hqp", po_hqp_method_string(o->wbc.hqp.method));
  trace_note_text(t, PO_NOTE_OPTION, "qp", po_qp_method_string(o->wbc.hqp.qp));
  trace_note_text(t, PO_NOTE_OPTION, "formulation", po_formulation_string(o->wbc.formulation));
}

static void trace_pushes(po_trace *t, const po_run *r) {
  int i;
  for (i = 0; i < r->opts.pushes && r->model; i++) {
    const po_push *p = &r->opts.push[i];
    int body = po_find_body(r->model, p->link ? p->link : "thorax");
    t->push[t->pushes].time = p->time;
    t->push[t->pushes].duration = p->duration;
    t->push[t->pushes].body = body < 0 ? 0 : body;
    po_v3_to(t->push[t->pushes++].force, p->force);
  }
}

static void trace_describe(po_trace *t, const po_run *r) {
  int i, k, body = 0;
  po_format(t->scenario, sizeof t->scenario, "%s", r->scenario->name);
  po_format(t->model, sizeof t->model, "%s", r->model ? r->model->name : "");
  po_format(t->command, sizeof t->command, "%s", r->opts.command ? r->opts.command : "");
  t->seed = r->opts.seed;
  t->dt = r->opts.dt;
  t->control_hz = r->opts.control_hz;
  t->mass = po_world_count(r->world) ? po_world_model(r->world, 0)->total_mass : 0;
  for (i = 0; i < po_world_count(r->world); i++) {
    const po_model *m = po_world_model(r->world, i);
    for (k = 0; k < m->nb; k++, body++) {
      po_format(t->body[body].name, sizeof t->body[body].name, "%s", m->body_name[k]);
      t->body[body].character = i;
      t->body[body].mass = m->inertia[k].mass;
      po_v3_to(t->body[body].com, m->inertia[k].com);
    }
  }
  trace_shapes(t->shape, r);
  t->sets = 1;
  trace_notes(t, r);
  trace_pushes(t, r);
}

/* ---- memory ---- */

static int trace_count_notes(const po_run *r) {
  int n = 0;
  while (po_run_param_at(r, n)) n++;
  return n + 9 + PO_RUN_TEXTS + PO_RUN_RESULTS + PO_TRACE_STAGES + r->opts.ats;
}

/* Two springs for every grasp that the world has. */
static po_status trace_room_grasps(po_trace *t, const po_run *r) {
  po_grasp_state g;
  while (2 * t->max_springs < PO_TRACE_SPRINGS && po_world_grasp(&g, r->world, t->max_springs) == PO_OK) t->max_springs++;
  t->max_springs *= 2;
  if (!t->max_springs) return PO_OK;
  t->spring = po_alloc(sizeof(po_trace_spring) * (size_t)t->max_springs * (size_t)t->capacity);
  t->springs = po_alloc(sizeof(int) * (size_t)t->capacity);
  return t->spring && t->springs ? PO_OK : PO_ERR_MEMORY;
}

static po_status trace_room(po_trace *t, const po_run *r) {
  size_t n = (size_t)t->capacity;
  int i;
  for (i = 0; i < po_world_count(r->world); i++) {
    t->bodies += po_world_model(r->world, i)->nb;
    t->shapes += po_world_model(r->world, i)->shapes;
  }
  t->max_notes = trace_count_notes(r);
  t->body = po_alloc(sizeof(po_trace_body) * (size_t)(t->bodies + 1));
  t->shape = po_alloc(sizeof(po_trace_shape) * PO_TRACE_SETS * (size_t)(t->shapes + 1));
  t->push = po_alloc(sizeof(po_trace_push) * (size_t)(r->opts.pushes + 1));
  t->note = po_alloc(sizeof(po_trace_note) * (size_t)(t->max_notes + 1));
  t->pose = po_alloc(sizeof(float) * 7 * n * (size_t)(t->bodies + 1));
  t->channel = po_alloc(sizeof(float) * PO_CHANNELS * n);
  t->contact = po_alloc(sizeof(po_trace_contact) * PO_TRACE_CONTACTS * n);
  t->contacts = po_alloc(sizeof(int) * n);
  if (!t->body || !t->shape || !t->push || !t->note || !t->pose || !t->channel || !t->contact || !t->contacts || trace_room_grasps(t, r) != PO_OK) return PO_ERR_MEMORY;
  if (r->scenario->marks) {
    t->max_marks = PO_TRACE_MARKS;
    if (!(t->mark = po_alloc(sizeof(po_trace_mark) * PO_TRACE_MARKS))) return PO_ERR_MEMORY;
  }
  return trace_terrain(t, r);
}

/* ---- frames ---- */

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

static void trace_poses(float *out, po_run *r) {
  int i;
  for (i = 0; i < po_world_count(r->world); i++) {
    po_data *d = po_world_data(r->world, i);
    po_kinematics(d, po_world_q(r->world, i), po_world_v(r->world, i));
    po_trace_put_poses(out, d);
    out += 7 * d->model->nb;
  }
}

/* A body that grows has other shapes from now on. */
static void trace_growth(po_trace *t, const po_run *r) {
  const po_trace_shape *last = t->shape + (size_t)(t->sets - 1) * (size_t)t->shapes;
  po_trace_shape *next = t->shape + (size_t)t->sets * (size_t)t->shapes;
  double change = 0;
  int i, k;
  if (t->sets == PO_TRACE_SETS) return;
  trace_shapes(next, r);
  for (i = 0; i < t->shapes; i++)
    for (k = 0; k < 3; k++)
      change = po_max(change, po_max(po_abs(next[i].size[k] - last[i].size[k]), po_abs(next[i].position[k] - last[i].position[k])));
  if (change > TRACE_SHAPE_CHANGE) t->set_frame[t->sets++] = t->frames;
}

static int trace_body_index(const po_run *r, int character, int body) {
  int i;
  for (i = 0; i < character; i++) body += po_world_model(r->world, i)->nb;
  return body;
}

static void trace_contacts(po_trace *t, const po_run *r, float *sum) {
  int i, count, kept = 0;
  const po_contact *c = po_world_contacts(&count, r->world);
  po_trace_contact *out = t->contact + (size_t)t->frames * PO_TRACE_CONTACTS;
  po_vec3 total = po_v3(0, 0, 0);
  for (i = 0; i < count; i++) {
    po_vec3 f = po_v3_scale(1 / r->opts.dt, c[i].impulse);
    if (po_v3_norm(f) == 0) continue;
    if (c[i].b < 0) total = po_v3_add(total, f);
    if (kept == PO_TRACE_CONTACTS) continue;
    po_trace_put3(out[kept].point, c[i].point);
    po_trace_put3(out[kept].force, f);
    out[kept].a = (short)trace_body_index(r, c[i].a, c[i].body_a);
    out[kept].b = c[i].b < 0 ? -1 : (short)trace_body_index(r, c[i].b, c[i].body_b);
    kept++;
  }
  t->contacts[t->frames] = kept;
  po_trace_put3(sum, total);
}

static void trace_grasps(po_trace *t, const po_run *r) {
  po_trace_spring *out = t->spring + (size_t)t->frames * (size_t)t->max_springs;
  po_grasp_state g;
  int i, k, kept = 0;
  for (i = 0; 2 * i < t->max_springs && po_world_grasp(&g, r->world, i) == PO_OK; i++)
    for (k = 0; k < 2 && g.closed; k++, kept++) {
      po_trace_put3(out[kept].hand, g.hand[k]);
      po_trace_put3(out[kept].held, g.held[k]);
      out[kept].force = (float)g.tension[k];
    }
  if (t->springs) t->springs[t->frames] = kept;
}

/* Largest share of its limit that a joint of character 0 is asked for. */
static double trace_effort(const po_run *r) {
  const double *tau = r->sim->character[0].tau;
  double worst = 0;
  int i, k;
  for (i = 0; i < r->model->nb; i++) {
    const po_joint *j = &r->model->joint[i];
    for (k = 0; k < j->nv && k < 3 && j->type != PO_JOINT_FLOATING; k++)
      if (j->effort[k] > 0) worst = po_max(worst, po_abs(tau[j->v + k]) / j->effort[k]);
  }
  return worst;
}

static void trace_stage(po_trace *t, const char *stage, double time) {
  if (!stage || stage == t->stage || t->stages == PO_TRACE_STAGES) return;
  t->stage = stage;
  t->stages++;
  po_format(trace_note(t, PO_NOTE_STAGE, stage, "s")->value, sizeof t->note->value, "%.3f", time);
}

/* What a movement that turns over knows of itself, alone or in a sequence; its stages. */
static void trace_turning(po_trace *t, float *c, po_run *r, const po_data *d) {
  po_move *move = po_run_move(r, 0);
  const po_sequence *q = po_sequence_of(move);
  const po_turning *n;
  if (q) move = q->step[q->at < q->steps ? q->at : q->steps - 1].move;
  if (!(n = po_turning_of(move))) return;
  c[PO_CHANNEL_THETA] = (float)n->phase.theta;
  c[PO_CHANNEL_INERTIA] = (float)po_inertia_about(d, n->phase.axis);
  c[PO_CHANNEL_SPIN] = (float)po_v3_dot(n->phase.axis, po_v3_of(d->momentum));
  trace_stage(t, po_move_phase_string(move), r->time);
}

/* What a scenario says of what is being done, and where to. */
static void trace_task(po_trace *t, float *c, const po_run *r) {
  po_goal_mark m = {0, 0, 0, 0};
  if (r->scenario->stage) trace_stage(t, r->scenario->stage(r), r->time);
  if (r->scenario->goal) r->scenario->goal(&m, r);
  c[PO_CHANNEL_GOAL] = (float)m.kind;
  c[PO_CHANNEL_GOAL + 1] = (float)m.x;
  c[PO_CHANNEL_GOAL + 2] = (float)m.y;
  c[PO_CHANNEL_GOAL + 3] = (float)(po_isfinite(m.heading) ? m.heading : TRACE_NO_HEADING);
}

/* The plan that is followed. */
static void trace_follow(float *c, const po_run *r) {
  po_follow_mark m;
  if (!r->scenario->follow) return;
  memset(&m, 0, sizeof m);
  r->scenario->follow(&m, r);
  c[PO_CHANNEL_PHASE] = (float)m.phase;
  po_trace_put3(c + PO_CHANNEL_PLAN, m.force);
  po_trace_put3(c + PO_CHANNEL_PLAN + 3, m.at);
  po_trace_put3(c + PO_CHANNEL_PLAN + 6, m.goal);
  po_trace_put3(c + PO_CHANNEL_PLAN + 9, m.foothold);
}

/* What was planned since the last frame. */
static void trace_marks(po_trace *t, const po_run *r) {
  po_plan_mark mark[PO_PLAN_MARKS];
  long serial = 0;
  int i, n;
  if (!t->mark) return;
  n = r->scenario->marks(mark, &serial, r);
  if (serial == t->plan || t->marks + n > t->max_marks) return;
  t->plan = serial;
  for (i = 0; i < n; i++) {
    po_trace_mark *m = &t->mark[t->marks++];
    int k;
    m->time = (float)r->time;
    m->kind = (float)mark[i].kind;
    po_trace_put3(m->at, po_v3(mark[i].x, mark[i].y, mark[i].z));
    m->length = (float)mark[i].length;
    m->doubt = (float)mark[i].doubt;
    for (k = 0; k < 2; k++) {
      m->low[k] = (float)mark[i].low[k];
      m->high[k] = (float)mark[i].high[k];
    }
  }
}

static void trace_keep(po_trace *t, po_run *r) {
  float *c = t->channel + (size_t)t->frames * PO_CHANNELS;
  const po_move *move = po_run_move(r, 0);
  po_data *d;
  if (t->frames >= t->capacity) return;
  trace_growth(t, r);
  trace_poses(t->pose + (size_t)t->frames * (size_t)t->bodies * 7, r);
  c[PO_CHANNEL_TIME] = (float)r->time;
  if (po_world_count(r->world)) {
    d = po_world_data(r->world, 0);
    po_centroidal(d);
    po_trace_put3(c + PO_CHANNEL_COM, d->com);
    po_trace_put3(c + PO_CHANNEL_TARGET, move && po_isfinite(move->com_target.x) ? move->com_target : d->com);
    po_trace_put3(c + PO_CHANNEL_MOMENTUM, po_v3(d->momentum[0], d->momentum[1], d->momentum[2]));
    c[PO_CHANNEL_HEADING] = (float)po_m3_yaw(d->pose[0].R);
    trace_turning(t, c, r, d);
    trace_task(t, c, r);
    trace_follow(c, r);
    trace_marks(t, r);
  }
  trace_contacts(t, r, c + PO_CHANNEL_FORCE);
  trace_grasps(t, r);
  if (r->sim->characters) po_trace_put3(c + PO_CHANNEL_PUSH, r->sim->character[0].push);
  if (move) {
    c[PO_CHANNEL_TORQUE] = (float)trace_effort(r);
    c[PO_CHANNEL_SOLVE] = (float)(1e6 * move->actor->profile.solve);
  }
  t->last_step = r->steps;
  t->frames++;
}

static void trace_step(void *user, po_run *r) {
  po_trace *t = user;
  if (r->steps % t->every == 0 || r->steps == 1) trace_keep(t, r);
}

static void trace_finish(void *user, po_run *r) {
  po_trace *t = user;
  int i;
  if (!t->frames || t->last_step != r->steps) trace_keep(t, r); /* who was stopped before the first step is shown where it stood */
  for (i = 0; i < r->result_count; i++) {
    po_trace_note *n = trace_note(t, PO_NOTE_RESULT, r->result[i].name, "");
    if (r->result[i].is_null) po_format(n->value, sizeof n->value, "-");
    else po_format(n->value, sizeof n->value, "%.6g", r->result[i].value);
  }
  po_format(t->outcome, sizeof t->outcome, "%s", po_outcome_string(r->outcome));
  po_format(t->reason, sizeof t->reason, "%s", r->reason);
  po_format(t->hash, sizeof t->hash, "%016llx", (unsigned long long)po_run_hash(r));
  t->sim_seconds = r->sim_seconds;
  t->wall_seconds = r->wall_seconds;
}

/* ---- making ---- */

void po_trace_free(po_trace *t) {
  if (!t) return;
  po_free(t->body);
  po_free(t->shape);
  po_free(t->push);
  po_free(t->note);
  po_terrain_free(t->terrain);
  po_free(t->pose);
  po_free(t->channel);
  po_free(t->contact);
  po_free(t->contacts);
  po_free(t->mark);
  po_free(t->spring);
  po_free(t->springs);
  po_free(t);
}
static void trace_free(void *user) { po_trace_free(user); }

po_status po_trace_attach(po_run *r, double hz, po_error *err) {
  po_trace *t = po_alloc(sizeof *t);
  po_status s;
  if (!t) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  t->every = (long)(1 / (hz * r->opts.dt) + 0.5);
  if (t->every < 1) t->every = 1;
  t->hz = 1 / ((double)t->every * r->opts.dt);
  t->capacity = (int)(r->total_steps / t->every) + 3;
  if ((s = trace_room(t, r)) != PO_OK) {
    po_fail(err, s, "no room for a recording of %d frames: %s", t->capacity, po_status_string(s));
    po_trace_free(t);
    return s;
  }
  trace_describe(t, r);
  r->watcher.user = t;
  r->watcher.step = trace_step;
  r->watcher.finish = trace_finish;
  r->watcher.free = trace_free;
  return PO_OK;
}

po_trace *po_run_trace(const po_run *r) { return r->watcher.step == trace_step ? r->watcher.user : NULL; }

void po_trace_csv(po_buffer *out, const po_trace *t) {
  int i, k;
  for (k = 0; k < PO_CHANNELS; k++) po_buffer_printf(out, "%s%s", k ? "," : "", po_channel_name[k]);
  po_buffer_puts(out, "\n");
  for (i = 0; i < t->frames; i++) {
    for (k = 0; k < PO_CHANNELS; k++) po_buffer_printf(out, "%s%.7g", k ? "," : "", (double)t->channel[i * PO_CHANNELS + k]);
    po_buffer_puts(out, "\n");
  }
}
