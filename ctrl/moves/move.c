/* move.c: making, setting, running, saving and handing over any behaviour: what every po_move_type has in common, written once. */
#include "moves_internal.h"
#include <string.h>

const char *po_move_outcome_string(po_move_outcome o) {
  static const char *const names[] = {"going", "done", "failed"};
  return o >= PO_MOVE_GOING && o <= PO_MOVE_FAILED ? names[o] : "failed";
}

/* ---- making ---- */

static int move_param_count(const po_move_type *t) { return t->param_count ? *t->param_count : 0; }

static po_move *move_layout(const po_move_type *t, const po_model *m, po_arena *a, po_move *dummy) {
  po_move *move = po_arena_zalloc(a, t->bytes);
  if (t->layout) t->layout(move ? move : dummy, m, a);
  return move;
}

size_t po_move_bytes(const po_move_type *t, const po_model *m) {
  po_move *dummy;
  po_arena a;
  if (!t || !m || !(dummy = po_alloc(t->bytes))) return 0;
  po_arena_measure(&a);
  move_layout(t, m, &a, dummy);
  po_free(dummy);
  return po_arena_used(&a);
}

static po_status move_check_type(const po_move_type *t, po_error *err) {
  if (!t || !t->name || t->bytes < sizeof(po_move) || !(t->aim || t->tick))
    return po_fail(err, PO_ERR_NULL, "a behaviour needs a name, a struct that begins with a po_move, and aim or tick");
  if (t->param && t->params_at + t->params_bytes > t->bytes) return po_fail(err, PO_ERR_SIZE, "%s: parameters outside its struct", t->name);
  if (t->state_bytes && (t->state_at < sizeof(po_move) || t->state_at + t->state_bytes > t->bytes)) return po_fail(err, PO_ERR_SIZE, "%s: a state outside its struct", t->name);
  return PO_OK;
}

static po_status move_check_actor(const po_move_type *t, const po_actor *a, po_error *err) {
  unsigned there = po_patches_there(&a->patches);
  if ((t->needs & PO_NEEDS_WBC) && !a->wbc) return po_fail(err, PO_ERR_STATE, "%s needs whole-body control, which this actor was made without", t->name);
  if ((t->needs & PO_NEEDS_FEET) && (there & PO_BOTH_FEET) != PO_BOTH_FEET) return po_fail(err, PO_ERR_NAME, "%s needs two feet", t->name);
  if ((t->needs & PO_NEEDS_HANDS) && (there & PO_BOTH_HANDS) != PO_BOTH_HANDS) return po_fail(err, PO_ERR_NAME, "%s needs two hands", t->name);
  return PO_OK;
}

po_status po_move_init(po_move **move, const po_move_type *t, const void *params, po_actor *actor, void *mem, size_t bytes, po_error *err) {
  po_arena a;
  po_move *m, none;
  po_status s;
  if (!move || !actor || !mem) return po_fail(err, PO_ERR_NULL, "a behaviour needs an actor and memory");
  *move = NULL;
  if ((s = move_check_type(t, err)) != PO_OK || (s = move_check_actor(t, actor, err)) != PO_OK) return s;
  if (params && (s = po_params_check(params, t->param, move_param_count(t), err)) != PO_OK) return s;
  po_arena_init(&a, mem, bytes);
  if (!po_arena_zalloc(&a, t->bytes)) return po_fail(err, PO_ERR_MEMORY, "%s needs %zu bytes, %zu were given", t->name, po_move_bytes(t, actor->model), bytes);
  po_arena_init(&a, mem, bytes);
  m = move_layout(t, actor->model, &a, &none);
  if (a.failed) return po_fail(err, PO_ERR_MEMORY, "%s needs %zu bytes, %zu were given", t->name, po_move_bytes(t, actor->model), bytes);
  if (actor->owner == m) actor->owner = NULL; /* that was another, which stood at this address before: its objectives are not this one's */
  m->type = t;
  m->name = t->name;
  m->actor = actor;
  m->com_target = po_v3(PO_NAN, PO_NAN, PO_NAN);
  if (params) memcpy(po_move_params(m), params, t->params_bytes);
  else po_param_defaults(po_move_params(m), t->param, move_param_count(t));
  po_actor_measure(actor);
  if (t->init && (s = t->init(m, err)) != PO_OK) return s;
  *move = m;
  return PO_OK;
}

po_status po_move_new_on(po_move **move, const po_move_type *t, const void *params, po_actor *actor, po_error *err) {
  size_t bytes;
  void *mem;
  po_status s;
  if (!move || !actor) return po_fail(err, PO_ERR_NULL, "a behaviour needs an actor");
  *move = NULL;
  if ((s = move_check_type(t, err)) != PO_OK) return s;
  bytes = po_move_bytes(t, actor->model);
  if (!bytes || !(mem = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "%s: out of memory", t->name);
  if ((s = po_move_init(move, t, params, actor, mem, bytes, err)) != PO_OK) po_free(mem); /* the move stands at its beginning */
  return s;
}

po_status po_move_new_of(po_move **move, const po_move_type *t, const void *params, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts,
                         po_error *err) {
  po_actor *actor;
  po_status s;
  if (!move || !m) return po_fail(err, PO_ERR_NULL, "a behaviour needs a model");
  *move = NULL;
  if ((s = move_check_type(t, err)) != PO_OK) return s;
  if ((s = po_actor_new(&actor, m, terrain, t->needs, opts, err)) != PO_OK) return s;
  if ((s = po_move_new_on(move, t, params, actor, err)) == PO_OK && (s = po_move_own(*move, err)) != PO_OK) {
    po_move_free(*move);
    *move = NULL;
  }
  if (s != PO_OK) po_actor_free(actor);
  else (*move)->owns_actor = 1;
  return s;
}

po_status po_move_new(po_move **move, const char *name, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, po_error *err) {
  const po_move_type *t;
  po_preset preset;
  po_status s;
  if (!move) return po_fail(err, PO_ERR_NULL, "a place for the move is needed");
  *move = NULL;
  if (name && (strchr(name, ':') || strchr(name, ','))) return po_sequence_new(move, name, m, terrain, opts, err);
  if ((s = po_move_find(&t, &preset, name, err)) != PO_OK || (s = po_move_new_of(move, t, NULL, m, terrain, opts, err)) != PO_OK) return s;
  if (preset.name && (s = po_move_apply(*move, &preset, err)) != PO_OK) {
    po_move_free(*move);
    *move = NULL;
  }
  return s;
}

void po_move_free(po_move *m) {
  if (!m) return;
  if (m->type->destroy) m->type->destroy(m);
  if (m->owns_actor) po_actor_free(m->actor);
  po_free(m);
}

/* ---- parameters ---- */

void *po_move_params(const po_move *m) { return (char *)m + m->type->params_at; }

static void move_changed(po_move *m) {
  if (m->type->changed) m->type->changed(m);
}

po_status po_move_set(po_move *m, const char *name, double value, po_error *err) {
  po_status s;
  if (!m) return po_fail(err, PO_ERR_NULL, "there is no move");
  if ((s = po_param_set(po_move_params(m), m->type->param, move_param_count(m->type), name, value, err)) == PO_OK) move_changed(m);
  return s;
}

po_status po_move_get(double *value, const po_move *m, const char *name) {
  const po_param *p;
  if (!m || !value) return PO_ERR_NULL;
  if (!(p = po_param_find(m->type->param, move_param_count(m->type), name))) return PO_ERR_NAME;
  memcpy(value, (const char *)po_move_params(m) + p->offset, sizeof *value);
  return PO_OK;
}

po_status po_move_set_params(po_move *m, const void *params, po_error *err) {
  po_status s;
  if (!m || !params) return po_fail(err, PO_ERR_NULL, "there is no move, or no parameters");
  if ((s = po_params_check(params, m->type->param, move_param_count(m->type), err)) != PO_OK) return s;
  memcpy(po_move_params(m), params, m->type->params_bytes);
  move_changed(m);
  return PO_OK;
}

po_status po_move_apply(po_move *m, const po_preset *preset, po_error *err) {
  po_status s;
  if (!m || !preset || !preset->values) return po_fail(err, PO_ERR_NULL, "there is no move, or no preset");
  s = po_params_parse(po_move_params(m), m->type->param, move_param_count(m->type), preset->values, strlen(preset->values), preset->name, err);
  if (s != PO_OK) return s;
  m->name = preset->name;
  move_changed(m);
  return PO_OK;
}

/* ---- taking over ---- */

po_status po_move_attach(po_move *m, po_error *err) { return m->type->attach ? m->type->attach(m, err) : PO_OK; }

/* The control holds this move's objectives and no others. */
po_status po_move_own(po_move *m, po_error *err) {
  po_status s;
  if (m->actor->owner == m) return PO_OK;
  po_actor_reset(m->actor);
  if ((s = po_move_attach(m, err)) == PO_OK && m->actor->wbc) s = po_wbc_check(m->actor->wbc, err);
  if (s == PO_OK) m->actor->owner = m;
  return s;
}

po_status po_move_ready(const po_move *m, const po_move *from, po_error *err) {
  if (!m) return po_fail(err, PO_ERR_NULL, "there is no move");
  return m->type->ready ? m->type->ready(m, from, err) : PO_OK;
}

static void *move_state(po_move *m) { return (char *)m + m->type->state_at; }

/* The move begins anew. */
void po_move_begin(po_move *m, const po_move *from) {
  memset(move_state(m), 0, m->type->state_bytes);
  m->time = 0;
  m->leaving = 0;
  m->entered = 1;
  if (m->type->enter) m->type->enter(m, from);
}

po_status po_move_enter(po_move *m, const po_move *from, const po_sense *sense, po_error *err) {
  po_status s;
  if (!m || !sense) return po_fail(err, PO_ERR_NULL, "a move is entered with a state");
  if ((s = po_actor_begin(m->actor, sense)) != PO_OK) return po_fail(err, s, "%s: %s", m->name, po_status_string(s));
  if ((s = po_move_ready(m, from, err)) != PO_OK || (s = po_move_own(m, err)) != PO_OK) return s;
  po_move_begin(m, from);
  return PO_OK;
}

void po_move_leave(po_move *m) {
  if (!m || m->leaving) return;
  m->leaving = 1;
  if (m->type->leave) m->type->leave(m);
}

/* ---- a tick ---- */

void po_move_aim(po_move *m, const po_sense *sense) {
  if (m->type->aim) m->type->aim(m, sense);
}

void po_move_after(po_move *m, const po_sense *sense) {
  if (m->type->after) m->type->after(m, sense);
  m->time += sense->dt;
}

po_status po_move_act(po_move *m, double *tau, const po_sense *sense) {
  po_status s;
  if (m->type->tick) s = m->type->tick(m, tau, sense);
  else {
    m->type->aim(m, sense);
    s = po_actor_solve(m->actor, tau, sense);
  }
  po_move_after(m, sense);
  return s;
}

/* No one pushes the root, and no motor gives more than it has. */
static po_status move_clip(const po_model *model, double *tau) {
  int i;
  if (!po_all_finite(tau, model->nv)) return PO_ERR_NOT_FINITE;
  for (i = 0; i < model->nv; i++) {
    const po_joint *j = &model->joint[model->dof_body[i]];
    double most = j->type == PO_JOINT_FLOATING ? 0 : j->effort[i - j->v];
    tau[i] = po_clamp(tau[i], -most, most);
  }
  return PO_OK;
}

po_status po_move_tick(po_move *m, double *tau, po_sense sense) {
  size_t bytes;
  po_status s;
  if (!m || !tau) return PO_ERR_NULL;
  bytes = sizeof(double) * (size_t)m->actor->model->nv;
  if ((s = po_actor_begin(m->actor, &sense)) == PO_OK && (s = po_move_own(m, NULL)) == PO_OK) {
    if (!m->entered) po_move_begin(m, NULL);
    if ((s = po_move_act(m, tau, &sense)) == PO_OK) s = move_clip(m->actor->model, tau);
  }
  if (s != PO_OK) {
    memcpy(tau, m->actor->tau, bytes);
    return s;
  }
  memcpy(m->actor->tau, tau, bytes);
  m->actor->time += sense.dt;
  return PO_OK;
}

po_move_outcome po_move_done(const po_move *m) { return m && m->type->done ? m->type->done(m) : PO_MOVE_GOING; }
int po_move_phase(const po_move *m) { return m && m->type->phase ? m->type->phase(m) : 0; }
const char *po_move_phase_string(const po_move *m) {
  if (m && m->type->phase_string) return m->type->phase_string(m);
  return m && m->type->phase_name && m->type->phase ? m->type->phase_name[m->type->phase(m)] : "";
}

po_status po_move_set_model(po_move *m, const po_model *model) {
  po_status s;
  if (!m || !model) return PO_ERR_NULL;
  if ((s = po_actor_set_model(m->actor, model)) != PO_OK) return s;
  return m->type->set_model ? m->type->set_model(m) : PO_OK;
}

/* ---- state ---- */

void po_move_stream(po_move *m, po_stream *s) {
  po_stream_bytes(s, po_move_params(m), m->type->params_bytes);
  po_stream_doubles(s, &m->com_target.x, 3);
  po_stream_double(s, &m->time);
  po_stream_int(s, &m->entered);
  po_stream_int(s, &m->leaving);
  po_stream_bytes(s, move_state(m), m->type->state_bytes);
  if (m->type->stream) m->type->stream(m, s);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK && m->type->restored) m->type->restored(m);
}

/* The move first: what it reads says whose objectives the actor's control holds. When another of the actor's moves has it, the actor is part of that one's state. */
static void move_whole_stream(void *object, po_stream *s) {
  po_move *m = object;
  int has = s->mode == PO_STREAM_MEASURE || !m->actor->owner || m->actor->owner == m;
  po_move_stream(m, s);
  po_stream_int(s, &has);
  if (!has) return;
  if (s->mode == PO_STREAM_READ && s->status == PO_OK) s->status = po_move_own(m, NULL);
  po_actor_stream(m->actor, s);
}

uint64_t po_move_state_hash(const po_move_type *t) {
  uint64_t bytes = t->state_bytes;
  return po_hash(&bytes, sizeof bytes, po_hash(t->name, strlen(t->name), 0));
}

/* Bodies and options must be alike; which objectives there are follows from them and the type. Of moves that are made of others `shape` tells them apart. Whoever
 * has a shared actor just now must not matter: its objectives are not asked. */
uint64_t po_move_layout_hash(const po_move *m) {
  uint64_t own;
  po_wbc none;
  if (!m) return 0;
  own = m->actor->model_hash ^ m->shape ^ po_move_state_hash(m->type);
  if (!m->actor->wbc) return own;
  none = *m->actor->wbc;
  none.objectives = 0;
  return own ^ po_wbc_layout_hash(&none);
}

/* The one place that says what a state is and what it belongs to. */
static po_stream_kind move_kind(const po_move *m) {
  po_stream_kind k;
  k.tag = m->type->name;
  k.version = 3;
  k.belongs = po_move_layout_hash(m);
  return k;
}

size_t po_move_save_bytes(const po_move *m) {
  po_stream_kind k;
  if (!m) return 0;
  k = move_kind(m);
  return po_stream_save_bytes(&k, move_whole_stream, m);
}
po_status po_move_save(void *state, size_t bytes, const po_move *m) {
  po_stream_kind k;
  if (!m) return PO_ERR_NULL;
  k = move_kind(m);
  return po_stream_save(state, bytes, &k, move_whole_stream, m);
}
po_status po_move_restore(po_move *m, const void *state, size_t bytes) {
  po_stream_kind k;
  if (!m) return PO_ERR_NULL;
  k = move_kind(m);
  return po_stream_restore(m, &k, move_whole_stream, state, bytes);
}
